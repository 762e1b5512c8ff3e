//! From a name, a file or a text to a valid [`Scene`], with overrides put in.

use super::broken::Broken;
use super::build::read_draft;
use super::error::{SceneError, nearest, shorten};
use super::tree::{Input, Override, Place, SceneSource};
use super::{Draft, PRESETS, Scene, dialects};
use std::io::Read;
use std::path::Path;

/// Longest scene file, bytes.
const MAX_TEXT: u64 = 1 << 20;
impl Scene {
    /// Open a preset by its name, or else a file by its path, and put in the overrides.
    ///
    /// # Errors
    /// Neither preset nor file; a file that is a directory, unreadable, over 1 MiB or not UTF-8; and whatever
    /// [`Scene::parse`] refuses.
    pub fn open(name_or_path: &str, overrides: &[Override]) -> Result<Scene, SceneError> {
        match PRESETS.iter().find(|preset| preset.name == name_or_path) {
            Some(preset) => Scene::parse(preset.text, preset.name, overrides),
            None => Scene::parse(&read_text(name_or_path)?, name_or_path, overrides),
        }
    }

    /// Split one of the [`things_to_try`](super::Draft::things_to_try) into its prose and its command-line flags with their values, in
    /// order. Values with spaces are in single quotes, as for a shell.
    ///
    /// ```
    /// let (text, flags) = steerling::scene::Scene::flags_to_try("Many: --agents 2520. All fly.");
    /// assert_eq!((text.as_str(), &flags[..]), ("Many. All fly.", &[("agents", "2520".to_owned())][..]));
    /// ```
    pub fn flags_to_try(thing: &str) -> (String, Vec<(&str, String)>) {
        let mut parts = thing.split("--");
        let before = parts.next().unwrap_or_default().trim().trim_end_matches([':', ',']);
        let (mut flags, mut after) = (Vec::new(), "");
        for part in parts {
            let (flag, rest) = part.split_once(' ').unwrap_or((part, ""));
            let value = match rest.strip_prefix('\'') {
                Some(quoted) => quoted.split('\'').next().unwrap_or_default(),
                None => rest.split_whitespace().next().unwrap_or_default().trim_end_matches(['.', ',', ':', ';']),
            };
            after = rest.trim_start_matches('\'').strip_prefix(value).unwrap_or_default().trim_start_matches('\'');
            flags.push((flag, value.to_owned()));
        }
        // A sentence after the flags stays in the text.
        let text = match after.strip_prefix(". ") {
            Some(sentence) => format!("{}. {}", before.trim_end_matches('.'), sentence.trim()),
            None => before.to_owned(),
        };
        (text, flags)
    }

    /// The changes, each after `--set`, that one of the [`things_to_try`](super::Draft::things_to_try) asks for.
    pub fn changes_to_try(thing: &str) -> Vec<String> {
        let (_, flags) = Scene::flags_to_try(thing);
        flags.into_iter().filter(|(flag, _)| *flag == "set").map(|(_, value)| value).collect()
    }

    /// Read a scene from TOML, put in the overrides, and check it.
    ///
    /// `origin` names the text in errors; paths in the text are relative to its directory, paths in overrides to the
    /// working directory.
    ///
    /// # Errors
    /// The first problem found: syntax, unknown or missing keys, types, ranges, or rules that tie keys together.
    pub fn parse(text: &str, origin: &str, overrides: &[Override]) -> Result<Scene, SceneError> {
        if text.len() as u64 > MAX_TEXT {
            return Err(SceneError::whole(origin, too_long(text.len() as u64)));
        }
        if text.trim().is_empty() {
            let hint = "`steerling scenes --show flock` prints a scene to begin with";
            return Err(SceneError::whole(origin, "the file is empty").hint(hint));
        }
        let input = read(text, origin, overrides)?;
        let mut draft = read_draft(&input, source(&input))?;
        draft.map.as_ref().map_or(Ok(()), |map| map.check_memory(origin))?;
        match draft.broken() {
            Some(broken) => Err(locate_broken(&input, broken)),
            None => Ok(Scene(draft)),
        }
    }
}

impl Scene {
    /// An error about the value of a key of this scene, with the line or the override that gave the value. It is for faults that
    /// [`Draft::validate`] does not find, such as a goal of the map that lies in a wall.
    pub(crate) fn fault_at(&self, key: String, value: String, message: &str) -> SceneError {
        let source = &self.source;
        match read(&source.text, &source.origin, &source.overrides) {
            Ok(input) => locate_broken(&input, Broken::new(key, message).value(value)),
            Err(_) => SceneError { key, value: Some(value.into()), ..SceneError::whole(&source.origin, message) },
        }
    }
}

/// As [`Scene::parse`], but without checking the rules that tie keys together.
pub fn read_unchecked(text: &str, origin: &str, overrides: &[Override]) -> Result<Draft, SceneError> {
    let input = read(text, origin, overrides)?;
    read_draft(&input, source(&input))
}

/// The tree of a scene, with the defaults of its dialect.
fn read<'a>(text: &'a str, origin: &'a str, overrides: &'a [Override]) -> Result<Input<'a>, SceneError> {
    let mut input = Input::new(text, origin, overrides)?;
    dialects::apply(&mut input.root);
    Ok(input)
}

fn source(input: &Input) -> SceneSource {
    let Input { text, origin, overrides, .. } = *input;
    SceneSource { text: text.to_owned(), origin: origin.to_owned(), overrides: overrides.to_vec() }
}

/// The error for a broken rule. It points to the first of the rule's keys that an override wrote, or else to the first key.
fn locate_broken(input: &Input, broken: Broken) -> SceneError {
    let mut places = broken.keys.iter().map(|key| &input.locate(key).place);
    let first = &input.locate(&broken.keys[0]).place;
    let place = places.find(|place| matches!(place, Place::Override(_))).unwrap_or(first);
    let error = input.error(place, &broken.keys[0], broken.message);
    SceneError { value: broken.value.map(Into::into), hint: broken.hint, ..error }
}

fn too_long(bytes: u64) -> String {
    format!("the file has {bytes} bytes; a scene may have {MAX_TEXT} (1 MiB)")
}

pub fn read_text(path: &str) -> Result<String, SceneError> {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    let origin = if path.is_empty() { "\"\"".to_owned() } else { shorten(path, 200) };
    let fault = |message: String| SceneError::whole(origin.clone(), message);
    let unreadable = |e: std::io::Error| fault(format!("cannot be read: {e}"));
    let about = match std::fs::metadata(path) {
        Ok(about) => about,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or(path);
            let near = nearest(stem, &names).map_or(String::new(), |near| format!("did you mean `{near}`? "));
            let hint = format!("{near}Presets: {}; anything else is the path of a file", names.join(", "));
            return Err(fault("there is no preset and no file of this name".into()).hint(hint));
        }
        Err(e) => return Err(unreadable(e)),
    };
    if about.is_dir() {
        return Err(fault("this is a directory, not a scene file".into()));
    }
    if about.len() > MAX_TEXT {
        return Err(fault(too_long(about.len())));
    }
    // The length is limited again, because the metadata of pipes and devices has none.
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_TEXT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..good].iter().filter(|b| **b == b'\n').count() + 1;
        fault(format!("this is not UTF-8 text: line {line}, byte {good}")).hint("save the file as UTF-8")
    })
}
