//! Behaviors of one's own: a scene names WGSL files, and each is a behavior like the built-in ones.

use super::behavior_file::BehaviorFile;
use super::behaviors::{BEHAVIORS, BehaviorSpec, Functions};
use super::error::{SceneError, SourcePlace, shorten, suggest};
use super::keys::{Key, Value, joined};
use super::read::{Section, file};
use super::rules::Broken;
use super::target::Names;
use super::tree::{Kind, Node, Place};
use crate::embedded::EMBEDDED;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Largest file of a behavior, bytes. naga's parser recurses, and a huge expression would exhaust any stack.
pub const LARGEST_FILE: u64 = 256 * 1024;
/// Most behaviors of its own that a scene has.
pub const MAX_OWN: usize = 8;
/// Words that a behavior of one's own may remember of each agent.
pub const MOST_REMEMBERED: usize = 4;
/// Most behaviors of its own that remember something.
pub const MOST_REMEMBERING: usize = 2;

table! {
    /// A behavior of one's own.
    #[derive(Debug, Clone, PartialEq)]
    pub struct OwnBehavior {
        /// Its WGSL file, which is called as the behavior: a path relative to the scene file.
        pub file: OwnFile = required(Range::Source(&[], &["wgsl"])),
    }
}

/// The file of a behavior of one's own, as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OwnFile {
    path: PathBuf,
    spec: Option<&'static BehaviorSpec>,
}

impl OwnBehavior {
    /// Read a behavior from its file, whose name is the behavior's.
    ///
    /// # Errors
    /// A file that cannot be read or is too large, and what [`OwnBehavior::from_text`] refuses.
    pub fn open(path: &Path) -> Result<OwnBehavior, SceneError> {
        let shown = shorten(&path.display().to_string(), 200);
        let fault = |message: String| SceneError::whole(shown.clone(), message);
        let bytes = crate::input::read(path, LARGEST_FILE).map_err(fault)?;
        let text = String::from_utf8(bytes).map_err(|_| fault("this is not UTF-8 text".to_owned()))?;
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        OwnBehavior::from_text(name, &text, &shown)
            .map(|own| OwnBehavior { file: OwnFile { path: path.into(), ..own.file } })
    }

    /// A behavior of this name from the text of its file. `shown` names the text in errors.
    ///
    /// # Errors
    /// A name that cannot be one or is taken, a description that is not complete, and declarations that a behavior must not
    /// have, each with its line. What naga refuses is found when a simulation is made.
    pub fn from_text(name: &str, text: &str, shown: &str) -> Result<OwnBehavior, SceneError> {
        let own = |spec| OwnBehavior { file: OwnFile { path: shown.into(), spec: Some(spec) } };
        // Specs live as long as the program: there is one for each text.
        type Known = BTreeMap<[&'static str; 3], &'static BehaviorSpec>;
        static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spec) = known.get(&[name, shown, text]) {
            return Ok(own(spec));
        }
        check_name(name, shown)?;
        check_declarations(text).map_err(|(line, message)| at(shown, text, line, message))?;
        let leaked = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
        static FUNCTIONS: LazyLock<Functions> =
            LazyLock::new(|| Functions::new(EMBEDDED.iter().map(|(_, text)| *text)));
        let spec = BehaviorSpec::read(leaked(name), leaked(text), leaked(shown), &FUNCTIONS)
            .map_err(|error| at(shown, text, error.line, error.message))?;
        let words = spec.memory_words();
        if words > MOST_REMEMBERED {
            let message = format!("remembers {words} words of each agent; the most are {MOST_REMEMBERED}");
            return Err(at(shown, text, 1, message));
        }
        let spec = Box::leak(Box::new(spec));
        known.insert([spec.name, spec.shown, spec.text], spec);
        Ok(own(spec))
    }

    /// Where its text was read, or what stands for that in errors.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// What describes it.
    pub fn spec(&self) -> Option<&'static BehaviorSpec> {
        self.file.spec
    }
}

fn at(shown: &str, text: &str, line: usize, message: String) -> SceneError {
    let source = shorten(text.lines().nth(line.saturating_sub(1)).unwrap_or(""), 200);
    let column = source.len() - source.trim_start().len() + 1;
    let place = SourcePlace { line, column, excerpt: format!("{line:>5} | {source}\n      | {:>column$}", "^") };
    SceneError { place: Some(Box::new(place)), ..SceneError::whole(shown, message) }
}

fn check_name(name: &str, shown: &str) -> Result<(), SceneError> {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || !name.chars().all(word) || name.len() > 40 || name.contains("__") || name.ends_with('_') {
        let message = "the file's name is the behavior's: at most 40 lower-case letters, digits and single `_`, and first \
                       a letter, such as `swirl.wgsl`";
        return Err(SceneError::whole(shown, message.to_owned()));
    }
    let names: Vec<&str> = BEHAVIORS.iter().map(|spec| spec.name).collect();
    match names.contains(&name) {
        true => Err(SceneError::whole(shown, format!("`{name}` is a built-in behavior; call the file otherwise"))),
        false => Ok(()),
    }
}

/// A behavior declares structs, functions, constants and aliases, of names that the shaders do not have. Line and reason where it
/// has something else.
fn check_declarations(text: &str) -> Result<(), (usize, String)> {
    static TAKEN: LazyLock<BTreeSet<&str>> =
        LazyLock::new(|| EMBEDDED.iter().flat_map(|(_, text)| declared(text)).map(|(_, name)| name).collect());
    let mut depth = 0;
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        let outside = depth == 0;
        depth += code.matches('{').count() as i32 - code.matches('}').count() as i32;
        let has = |word: &str| {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            code.split(|c| !is_word(c)).any(|found| found == word)
        };
        if code.contains("/*") {
            return Err((index + 1, "comments begin with `//` here".to_owned()));
        }
        if code.contains('@') {
            return Err((
                index + 1,
                "a behavior binds no buffers and has no entry points: `@` cannot stand here".to_owned(),
            ));
        }
        if let Some(word) = ["override", "enable", "requires", "diagnostic"].into_iter().find(|word| has(word)) {
            return Err((index + 1, format!("`{word}` cannot stand in a behavior's file")));
        }
        if code.contains("var<") || (outside && code.trim_start().starts_with("var ")) {
            let message = "variables live in functions; what lasts from step to step is the behavior's memory";
            return Err((index + 1, message.to_owned()));
        }
    }
    match declared(text).into_iter().find(|(_, name)| TAKEN.contains(name)) {
        Some((line, name)) => Err((line, format!("`{name}` is declared by the program's own shaders"))),
        None => Ok(()),
    }
}

/// Lines and names of what a text declares at its left edge.
fn declared(text: &str) -> Vec<(usize, &str)> {
    let file = BehaviorFile::read(text);
    let structs = file.structs.iter().map(|s| (s.line, s.name));
    let functions = file.functions.iter().map(|f| (f.line, f.name));
    let others = text.lines().enumerate().filter_map(|(index, line)| {
        let rest = line.strip_prefix("const ").or_else(|| line.strip_prefix("alias "))?;
        rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).find(|w| !w.is_empty()).map(|name| (index + 1, name))
    });
    structs.chain(functions).chain(others).collect()
}

impl Value for OwnFile {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        let text = from.text(key, node)?;
        let path = match node.place {
            Place::File(_) => Path::new(from.input.origin).parent().unwrap_or(Path::new("")).join(text),
            Place::Override(_) => PathBuf::from(text),
        };
        if path.extension().is_none_or(|extension| extension != "wgsl") {
            return Err(from
                .error(key, node, "must be the path of a file that ends in .wgsl")
                .hint(suggest(text, &[])));
        }
        *self = OwnBehavior::open(&path)?.file;
        Ok(())
    }

    fn check(&mut self, key: &Key, path: &str, _: &Names) -> Result<(), Broken> {
        match self.spec {
            Some(_) => Ok(()),
            None => Err(Broken::new(joined(path, key.name), "no file was read: see OwnBehavior::open")),
        }
    }

    fn tell(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        file(&self.path)
    }
}
