//! What is wrong with a scene, and where.

use std::fmt;
use std::ops::Range;

/// One problem of a scene file, of an override or of a file that a scene names.
///
/// Its `Display` is a whole message: place, key, value, what is allowed, the line of the file with a caret, and a hint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SceneError {
    /// The file, the preset, or the override as `--set KEY=VALUE`.
    pub origin: String,
    /// Where in the text of the origin; none for an override and for a problem of the file as a whole.
    pub place: Option<Box<SourcePlace>>,
    /// Dotted path of the key, such as `species.0.mass`; empty where no key is concerned.
    pub key: String,
    /// The offending value as TOML, shortened.
    pub value: Option<Box<str>>,
    /// What is wrong, with the allowed range.
    pub message: String,
    /// How to put it right: the nearest valid name, the allowed names, a command.
    pub hint: Option<String>,
    /// True where memory is short, and nothing else is wrong.
    pub short_of_memory: bool,
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePlace {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line and a line of carets under the offending part; may be empty.
    pub excerpt: String,
}

impl SceneError {
    /// A problem of the origin as a whole.
    pub fn whole(origin: impl Into<String>, message: impl Into<String>) -> Self {
        let (key, message) = (String::new(), message.into());
        SceneError { origin: origin.into(), place: None, key, value: None, message, hint: None, short_of_memory: false }
    }

    pub(super) fn at(mut self, text: &str, span: Range<usize>) -> Self {
        self.place = Some(Box::new(SourcePlace::of(text, span)));
        self
    }

    pub(super) fn key(mut self, key: impl Into<String>) -> Self {
        self.key = shorten(&key.into(), 120);
        self
    }

    pub(super) fn value(mut self, value: impl fmt::Display) -> Self {
        self.value = Some(shorten(&value.to_string(), 60).into());
        self
    }

    /// The same with a hint: see [`SceneError::hint`].
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Origins, messages and hints may quote a file: each is put on one line, without control characters.
        write!(f, "{}", shorten(&self.origin, LONGEST))?;
        if let Some(place) = &self.place {
            write!(f, ":{}:{}", place.line, place.column)?;
        }
        // A value that a program gives has no origin.
        if !self.origin.is_empty() || self.place.is_some() {
            write!(f, ": ")?;
        }
        match &self.value {
            Some(value) => write!(f, "{} = {value}: ", self.key)?,
            None if !self.key.is_empty() => write!(f, "{}: ", self.key)?,
            None => {}
        }
        write!(f, "{}", shorten(&self.message, LONGEST))?;
        if let Some(place) = self.place.as_ref().filter(|p| !p.excerpt.is_empty()) {
            write!(f, "\n{}", place.excerpt)?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\n  help: {}", shorten(hint, LONGEST)),
            None => Ok(()),
        }
    }
}

impl SourcePlace {
    /// Characters of a line that an excerpt shows at most.
    const WIDTH: usize = 100;

    /// Line, column and excerpt of a range of bytes. Ranges that do not fit the text are moved into it. A byte order mark is no column.
    pub(crate) fn of(text: &str, span: Range<usize>) -> Self {
        let length = text.len();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let [start, end] = [span.start, span.end].map(|at| at.saturating_sub(length - text.len()));
        let start = text.floor_char_boundary(start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line = text[..start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;

        let whole = text[line_start..].lines().next().unwrap_or("");
        let marked = text[start..text.floor_char_boundary(end).max(start)].lines().next().unwrap_or("");
        let skipped = (column - 1).saturating_sub(Self::WIDTH / 2);
        let shown: String = whole.chars().skip(skipped).take(Self::WIDTH).map(printable).collect();
        let before = column - 1 - skipped;
        let carets = marked.chars().count().clamp(1, Self::WIDTH.saturating_sub(before).max(1));
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        let excerpt = format!(" {number} | {shown}\n {gutter} | {}{}", " ".repeat(before), "^".repeat(carets));
        SourcePlace { line, column, excerpt }
    }
}

/// Most characters that are shown of a part of a message: more than the longest list of allowed names.
pub const LONGEST: usize = 3000;

/// A path as messages show it.
pub fn shown(path: &std::path::Path) -> String {
    shorten(&path.display().to_string(), LONGEST)
}

/// A tab would shift the carets, and other control characters could write anywhere on a terminal.
fn printable(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// The text on one line, without control characters, at most `limit` characters long.
pub fn shorten(text: &str, limit: usize) -> String {
    let mut short: String = text.chars().take(limit).map(printable).collect();
    if text.chars().nth(limit).is_some() {
        short.push('…');
    }
    short
}

/// `did you mean …?` where one of the names is near, and the list of all.
pub fn suggest(name: &str, allowed: &[&str]) -> String {
    let list = allowed.join(", ");
    match nearest(name, allowed) {
        Some(near) => format!("did you mean `{near}`? Allowed here: {list}"),
        None => format!("allowed here: {list}"),
    }
}

/// The most similar of the names, if any is similar at all.
pub fn nearest<'a>(name: &str, allowed: &[&'a str]) -> Option<&'a str> {
    // A longer text is no typing error, and the distance takes quadratic time.
    let name = if name.len() <= 64 { name.to_lowercase() } else { return None };
    let similarity = |other: &&str| strsim::normalized_damerau_levenshtein(&name, other);
    let best = allowed.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)))?;
    (similarity(best) >= 0.45).then_some(best)
}

/// A number as a person writes it: 0.5, 30, 1e6.
pub(super) fn plain<T: Copy + Into<f64> + fmt::Display + fmt::LowerExp>(x: T) -> String {
    let size: f64 = x.into().abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) { format!("{x:e}") } else { format!("{x}") }
}
