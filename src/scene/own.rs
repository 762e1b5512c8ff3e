//! Behaviors of one's own: a scene names WGSL files, and each is a behavior like the built-in ones.

use super::behavior_file::{Wgsl, code, declarations, declared};
use super::behaviors::{BEHAVIORS, BehaviorSpec, called, called_by};
use super::broken::Broken;
use super::error::{SceneError, shorten};
use super::keys::Key;
use super::limits;
use super::names::Names;
use super::read::{Section, file};
use super::tables::Value;
use super::tree::{Kind, Node};
use super::trial;
use crate::embedded::EMBEDDED;
use crate::lock::lock;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range as Bytes;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

/// Largest file of a behavior, bytes. naga's parser recurses, and a huge expression would exhaust any stack.
pub const LARGEST_FILE: u64 = 256 * 1024;
/// Most behaviors of its own that a scene has.
pub const MAX_OWN: usize = 8;
/// Words that a behavior of one's own may remember of each agent.
pub const MOST_REMEMBERED: usize = 4;
/// Most behaviors of a scene's own that may have a memory.
pub const MOST_REMEMBERING: usize = 2;

table! {
    /// A behavior of one's own, from a WGSL file.
    #[derive(Debug, Clone, PartialEq)]
    pub struct OwnBehavior {
        /// Its WGSL file, whose name is the behavior's: a path relative to the scene file.
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
    /// A name that is invalid or taken, an incomplete description, declarations that a behavior must not have, and what naga refuses
    /// to read, each with its place.
    pub fn from_text(name: &str, text: &str, shown: &str) -> Result<OwnBehavior, SceneError> {
        let of = |spec| OwnBehavior { file: OwnFile { path: shown.into(), spec: Some(spec) } };
        // Specs are leaked, so one is made only once for the same name, path and text.
        type Known = BTreeMap<[&'static str; 3], &'static BehaviorSpec>;
        static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
        let mut known = lock(&KNOWN);
        if let Some(spec) = known.get(&[name, shown, text]) {
            return Ok(of(spec));
        }
        check_name(name, shown)?;
        let fault = |(at, message): (Bytes<usize>, String)| SceneError::whole(shown, message).at(text, at);
        check_declarations(text).map_err(fault)?;
        let leaked = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
        let (name, text, shown) = (leaked(name), leaked(text), leaked(shown));
        let read = on_a_large_stack(|| read(name, text, shown));
        let spec = read.unwrap_or_else(|| Err((0..0, "the shader compiler failed".to_owned()))).map_err(fault)?;
        let spec = Box::leak(Box::new(spec));
        known.insert([spec.name, spec.shown, spec.text], spec);
        Ok(of(spec))
    }

    /// The path of its file, or for a text the name that errors show.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Its description; `None` if no file was read.
    pub fn spec(&self) -> Option<&'static BehaviorSpec> {
        self.file.spec
    }
}

/// Read and compile the text of a behavior's file. The error is the place and the reason.
fn read(name: &'static str, text: &'static str, shown: &'static str) -> Result<BehaviorSpec, (Bytes<usize>, String)> {
    // Paths of the program's shaders have a slash, so `name` cannot be one of them.
    let wgsl = Wgsl::parse(called_by(text).chain([(name, text)])).map_err(|refused| {
        if refused.path == name {
            let near = nearest_name(&refused.message, text).map(|near| format!("; did you mean `{near}`?"));
            return (refused.at, refused.message + &near.unwrap_or_default());
        }
        // naga blames one of the program's shaders. If its message has a name that the user's file declares, such as `read`, the
        // shader meant another thing by that name: blame the declaration.
        let given = declared(text).into_iter().find(|(_, name)| refused.message.contains(&format!("`{name}`")));
        (given.map_or(0..0, |(at, name)| at..at + name.len()), refused.message)
    })?;
    limits::check(&wgsl, name)?;
    let spec = BehaviorSpec::read(name, text, shown, wgsl.file(name), &wgsl).map_err(|e| (e.at, e.message))?;
    let words = spec.memory_words();
    if words > MOST_REMEMBERED {
        let message = format!("remembers {words} words for each agent; at most {MOST_REMEMBERED} are allowed");
        return Err((spec.memory().next().map_or(0..0, |member| member.at.clone()), message));
    }
    trial::refused(&wgsl, name)?;
    Ok(spec)
}

/// The name that a file may have meant by one that naga does not know: a word of the file itself, or what the files that a behavior may call
/// declare.
fn nearest_name<'a>(message: &str, text: &'a str) -> Option<&'a str> {
    static GIVEN: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let members = |text| {
            let structs = declarations(text).into_iter().filter(|tokens| tokens[0] == "struct");
            structs.flat_map(|tokens| {
                tokens.windows(2).filter(|pair| pair[1] == ":").map(|pair| pair[0]).collect::<Vec<_>>()
            })
        };
        called().flat_map(|(_, text)| declared(text).into_iter().map(|(_, name)| name).chain(members(text))).collect()
    });
    let unknown = ["no definition in scope for identifier: `", "invalid field accessor `"];
    let name = unknown.iter().find_map(|begin| message.strip_prefix(begin))?.strip_suffix('`')?;
    // A longer text is no typing error, and the distance takes quadratic time.
    let name = Some(name).filter(|name| name.len() <= 64)?;
    let words = code(text).map(|(_, word)| word).chain(GIVEN.iter().copied()).filter(|word| *word != name);
    // Of equally near names, one that begins alike: `Swril` for `Swirl`, not `swirl`.
    let near = words.map(|word| {
        (strsim::normalized_damerau_levenshtein(name, word), word.chars().next() == name.chars().next(), word)
    });
    let best = near.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    best.filter(|(similarity, ..)| *similarity >= 0.7).map(|(.., word)| word)
}

/// Run `work` on a thread with a stack that naga's recursive parser cannot exhaust with a file of the allowed size. `None` if the
/// thread cannot be started or panics.
pub(crate) fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, work).ok()?.join().ok()
    })
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
        true => Err(SceneError::whole(shown, format!("`{name}` is a built-in behavior; give the file another name"))),
        false => Ok(()),
    }
}

/// What errors say of numbers of other widths, and the suffixes of these.
const NUMBERS: &str = "numbers are `f32`, `i32` or `u32`";
const WIDTHS: [&str; 4] = ["lf", "li", "lu", "h"];

/// Allow only structs, functions, constants and aliases, with names that neither the program's shaders nor WGSL declare. The error
/// is the place and the reason.
fn check_declarations(text: &str) -> Result<(), (Bytes<usize>, String)> {
    static TAKEN: LazyLock<BTreeSet<&str>> =
        LazyLock::new(|| EMBEDDED.iter().flat_map(|(_, text)| declared(text)).map(|(_, name)| name).collect());
    let mut depth = 0;
    for (at, token) in code(text) {
        let message = match token {
            "{" => {
                depth += 1;
                continue;
            }
            "}" => {
                depth -= 1;
                continue;
            }
            "@" => "a behavior binds no buffers and has no entry points: `@` cannot stand here".to_owned(),
            // naga 30.0.1 panics if the operand of a `const_assert` is a negative number.
            "override" | "enable" | "requires" | "diagnostic" | "const_assert" => {
                format!("`{token}` cannot stand in a behavior's file")
            }
            "var" if depth == 0 || text[at + 3..].trim_start().starts_with('<') => {
                "variables live in functions; what lasts from step to step is the behavior's memory".to_owned()
            }
            "f64" | "i64" | "u64" | "f16" => format!("there is no `{token}`: {NUMBERS}"),
            _ if token.starts_with(|c: char| c.is_ascii_digit())
                && WIDTHS.iter().any(|width| token.ends_with(width)) =>
            {
                format!("there is no such number: {NUMBERS}")
            }
            _ => continue,
        };
        return Err((at..at + token.len(), message));
    }
    for (at, name) in declared(text) {
        let whose = match () {
            () if TAKEN.contains(name) => "the program's own shaders",
            () if is_predeclared(name) => "WGSL itself",
            () => continue,
        };
        return Err((at..at + name.len(), format!("`{name}` is declared by {whose}")));
    }
    Ok(())
}

/// The predeclared words of WGSL for address spaces, access modes and texel formats.
const ENUMERANTS: &str = "\
    function private workgroup uniform storage handle read write read_write \
    r32float r32sint r32uint rg32float rg32sint rg32uint rgba16float rgba16sint rgba16uint rgba32float rgba32sint rgba32uint \
    rgba8sint rgba8snorm rgba8uint rgba8unorm bgra8unorm";

/// True for a name that WGSL predeclares, such as `sqrt` or `vec3f`. If a file declared it, the program's shaders would use the
/// file's. The answer is naga's, which reports any other name as undefined.
fn is_predeclared(name: &str) -> bool {
    if ENUMERANTS.split_whitespace().any(|word| word == name) {
        return true;
    }
    let call = naga::front::wgsl::parse_str(&format!("fn probe_of_names() {{ let x = {name}(); }}"));
    let is_word = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    is_word && call.map_or_else(|error| !error.message().starts_with("no definition in scope"), |_| true)
}

impl Value for OwnFile {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        let text = from.text(key, node)?;
        let path = from.path_of(text, node);
        if path.extension().is_none_or(|extension| extension != "wgsl") {
            return Err(from.error(key, node, "must be the path of a file that ends in .wgsl"));
        }
        // What is wrong in the file has a place there; what is wrong with the file, here.
        let own = OwnBehavior::open(&path).map_err(|error| match error.place {
            None => from.error(key, node, format!("{}: {}", error.origin, error.message)),
            Some(_) => error,
        });
        *self = own?.file;
        Ok(())
    }

    fn check(&mut self, _: &Key, path: &str, _: &Names) -> Result<(), Broken> {
        match self.spec {
            Some(_) => Ok(()),
            None => Err(Broken::new(path, "no file was read: see OwnBehavior::open")),
        }
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        file(&self.path)
    }
}
