//! Maps of terrain letters: four lines of a head, then a letter for each cell.

use super::{KEY, MAX_SIDE, Plan};
use crate::scene::SceneError;
use crate::scene::data::{check_memory, file_error};
use std::path::Path;

/// Letters of ground that can be walked on, swamp last; and, in `SOLID`, of trees, water and what is out of bounds.
const OPEN: &str = ".GS";
const SOLID: &str = "@OTW";
/// Lightness of swamp: the least that is no wall.
const SWAMP: u8 = 1;

/// Longest file, bytes: the largest map, with line ends of two bytes.
const MAX_BYTES: u64 = (MAX_SIDE as u64) * (MAX_SIDE as u64 + 2) + 256;

pub fn read(path: &Path) -> Result<Plan, SceneError> {
    let fault = |reason: String| file_error(path, KEY, reason);
    let (_, length) = crate::input::open(path, MAX_BYTES).map_err(fault)?;
    check_memory(path.display().to_string(), "map", 4 * length)?;
    let bytes = crate::input::read(path, MAX_BYTES).map_err(fault)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let (line, start) = good
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .fold((1, 0), |(line, _), (at, _)| (line + 1, at + 1));
        fault(format!("not a text: line {line}, byte {}", good.len() - start + 1))
    })?;
    parse(&text, path)
}

pub fn parse(text: &str, path: &Path) -> Result<Plan, SceneError> {
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Lines { text, path, next: 0 };
    lines.expect("type octile")?;
    let (mut columns, mut rows) = (None, None);
    for wanted in ["`height` or `width` and a number", "`width` or `height` and a number, each once"] {
        let (at, line) = lines.take(wanted)?;
        let (name, number) = line.split_once(' ').unwrap_or((line, ""));
        let side = match name {
            "width" if columns.is_none() => &mut columns,
            "height" if rows.is_none() => &mut rows,
            _ => return Err(lines.fault(at, line.len(), format!("expected {wanted}"))),
        };
        let number = number.trim().parse().ok().filter(|number| (1..=MAX_SIDE).contains(number));
        let message = format!("{name} must be a whole number from 1 to {MAX_SIDE}");
        *side = Some(number.ok_or_else(|| lines.fault(at, line.len(), message))?);
    }
    let (Some(columns), Some(rows)) = (columns, rows) else { unreachable!("each of the two was given once") };
    lines.expect("map")?;
    let mut light = Vec::with_capacity(columns as usize * rows as usize);
    for row in 0..rows {
        let (at, line) = lines.take(&format!("row {} of {rows}", row + 1))?;
        for (column, letter) in line.char_indices() {
            let message = || format!("{letter:?} is no terrain: {OPEN} are open ground, {SOLID} are walls");
            match (OPEN.contains(letter), SOLID.contains(letter)) {
                _ if column == columns as usize => {
                    let message = format!("row {} goes on beyond the width of {columns}", row + 1);
                    return Err(lines.fault(at + column, line.len() - column, message));
                }
                (true, _) => light.push(if letter == 'S' { SWAMP } else { u8::MAX }),
                (_, true) => light.push(0),
                _ => return Err(lines.fault(at + column, letter.len_utf8(), message())),
            }
        }
        if line.len() < columns as usize {
            let message = format!("row {} ends here; expected {columns} letters, as the width says", row + 1);
            return Err(lines.fault(at + line.len(), 1, message));
        }
    }
    match text[lines.next..].find(|c: char| !c.is_ascii_whitespace()) {
        Some(at) => Err(lines.fault(lines.next + at, 1, format!("expected the end of the file after {rows} rows"))),
        None => Ok(Plan { columns, rows, light }),
    }
}

/// The lines of a text, one after the other.
struct Lines<'a> {
    text: &'a str,
    path: &'a Path,
    /// Where the next line begins.
    next: usize,
}

impl<'a> Lines<'a> {
    /// The next line, and where it begins.
    fn take(&mut self, wanted: &str) -> Result<(usize, &'a str), SceneError> {
        let at = self.next;
        if at == self.text.len() {
            return Err(self.fault(at, 1, format!("the file ends here; expected {wanted}")));
        }
        let line = self.text[at..].split('\n').next().unwrap_or_default();
        self.next = (at + line.len() + 1).min(self.text.len());
        Ok((at, line.trim_end_matches('\r')))
    }

    fn expect(&mut self, words: &str) -> Result<(), SceneError> {
        let wanted = format!("`{words}`");
        let (at, line) = self.take(&wanted)?;
        match line.trim_end() == words {
            true => Ok(()),
            false => Err(self.fault(at, line.len(), format!("expected {wanted}"))),
        }
    }

    fn fault(&self, at: usize, length: usize, message: String) -> SceneError {
        let error = file_error(self.path, KEY, message).at(self.text, at..at + length);
        error.hint(
            "a map begins with the lines `type octile`, `height H`, `width W` and `map`, then has H rows of W letters",
        )
    }
}
