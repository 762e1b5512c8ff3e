//! Shader files: where they come from, how they are put together, and where their errors are.
//!
//! WGSL lets a module declare things in any order, so there is one module: all files one after another, with a table of
//! where each begins, and the calls of the scene's active behaviors (`calls.rs`). There is no preprocessor;
//! overrides specialize a pipeline, and naga strips what an entry point does not use.

mod calls;
mod rounds;

pub use crate::embedded::EMBEDDED;
pub(crate) use calls::calls;
pub(crate) use rounds::inner_blocks;

use crate::model::{BufferId, CompiledScene, StageId};
use crate::scene::{LONGEST, nearest, on_a_large_stack, reason, shorten, shown, validate};
use naga::Module;
use naga::valid::ModuleInfo;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Largest shader file that is read, bytes. naga's parser recurses, and a huge expression would exhaust any stack.
const LARGEST_FILE: u64 = 256 * 1024;

/// The files of the passes that stand for several stages.
const FUSED: [&str; 2] = ["sim/arrange.wgsl", "sim/stride.wgsl"];

/// Name that messages give to what is generated for a scene.
const CALLS: &str = "the calls of the behaviors";

/// Why a shader cannot be used, with the place in the file that it is in.
#[derive(Debug, Error)]
pub enum ShaderError {
    /// A file of a shader folder cannot be read.
    #[error("{}: {}", shown(path), shorten(reason, LONGEST))]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// naga rejects the shader.
    #[error("{}:{line}:{column}: {}\n{excerpt}", shorten(path, LONGEST), shorten(message, LONGEST))]
    Rejected {
        /// The real file, not the module it became part of.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// naga's message.
        message: String,
        /// The line with a caret below the place.
        excerpt: String,
    },
    /// A shader lacks its entry point or a binding has a name that nothing is bound to.
    #[error("{}: {}", shorten(path, LONGEST), shorten(message, LONGEST))]
    Interface {
        /// The stage's file.
        path: String,
        /// What is missing.
        message: String,
    },
}

/// A set of shader files.
#[derive(Debug, Clone)]
pub struct Sources {
    files: BTreeMap<&'static str, (String, Cow<'static, str>)>,
    /// Replacements in the calls that are generated for a scene.
    edits: Vec<(String, String)>,
    /// True where a user supplied some of the files: they are compiled with bounds checks.
    pub custom: bool,
    /// May fused passes run? False if a user supplied any file except those of the fused passes themselves ([`FUSED`]), or if the calls
    /// were edited: then each stage is run by itself, as it is written.
    pub(crate) strides: bool,
}

impl Default for Sources {
    fn default() -> Self {
        let file =
            |(path, text): &(&'static str, &'static str)| (*path, (format!("shaders/{path}"), Cow::Borrowed(*text)));
        Sources { files: EMBEDDED.iter().map(file).collect(), edits: Vec::new(), custom: false, strides: true }
    }
}

impl Sources {
    /// The built-in shaders, with the files of the folder in place of the built-in ones of the same paths.
    ///
    /// # Errors
    /// A folder without any such file, one with another shader file, or a file that cannot be read.
    pub fn from_folder(folder: &Path) -> Result<Self, ShaderError> {
        refuse_unreadable(folder)?;
        refuse_strangers(folder)?;
        let mut sources = Sources::default();
        fn fail<T>(path: &Path, reason: String) -> Result<T, ShaderError> {
            Err(ShaderError::File { path: path.to_owned(), reason })
        }
        for (path, _) in EMBEDDED {
            let file = folder.join(path);
            if is_missing(&file) {
                continue;
            }
            let bytes = crate::input::read(&file, LARGEST_FILE).or_else(|reason| fail(&file, reason))?;
            match String::from_utf8(bytes) {
                Ok(text) => sources.replace(path, &file.display().to_string(), text),
                Err(_) => return fail(&file, "is no UTF-8 text".to_owned()),
            }
        }
        if !sources.custom {
            return fail(folder, "has no shader file such as sim/steer.wgsl".to_owned());
        }
        Ok(sources)
    }

    /// These shaders, to be compiled like those of a user: with bounds checks, and each stage by itself. So both ways can be compared.
    pub fn as_user_shaders(self) -> Self {
        Sources { custom: true, strides: false, ..self }
    }

    /// Use another text for a file, for example a mutant in a test.
    ///
    /// # Panics
    /// A path that is not one of [`EMBEDDED`].
    pub fn replace(&mut self, path: &str, shown_as: &str, text: String) {
        let entry = self.files.iter_mut().find(|(known, _)| **known == path);
        *entry.expect("a path of the embedded shaders").1 = (shown_as.to_owned(), Cow::Owned(text));
        self.custom = true;
        self.strides &= FUSED.contains(&path);
    }

    /// Edit the calls that are generated for a scene, for example a mutant in a test: `from` is replaced by `to`. A
    /// scene in whose calls `from` does not occur exactly once is refused.
    pub fn edit_calls(&mut self, from: &str, to: &str) {
        self.edits.push((from.to_owned(), to.to_owned()));
        self.custom = true;
        self.strides = false;
    }

    /// The calls of a scene's behaviors, edited.
    fn calls(&self, model: &CompiledScene) -> Result<String, ShaderError> {
        let mut text = calls(model);
        for (from, to) in &self.edits {
            let found = text.matches(from).count();
            if found != 1 {
                let message = format!("`{from}` stands {found} times there, not once");
                return Err(ShaderError::Interface { path: CALLS.to_owned(), message });
            }
            text = text.replace(from, to);
        }
        Ok(text)
    }

    /// Path and text of each file that differs from the built-in one.
    pub fn changed(&self) -> impl Iterator<Item = (&'static str, &str)> {
        EMBEDDED
            .iter()
            .filter_map(|(path, built_in)| Some((*path, self.text(path)?)).filter(|(_, text)| text != built_in))
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|(_, text)| text.as_ref())
    }

    /// All files one after another, the scene's own behaviors, and the calls of the active ones.
    fn link(&self, model: &CompiledScene, calls: String) -> Linked<'_> {
        let unused = if model.spatial { "common/planar.wgsl" } else { "common/spatial.wgsl" };
        let mut linked = Linked { text: String::new(), files: Vec::new() };
        // A user's stages need not have the functions that fused passes call.
        let strides = |path: &str| !FUSED.contains(&path) || self.strides;
        let used = self.files.iter().filter(|(path, _)| **path != unused && strides(path));
        let files = used.map(|(_, (shown_as, text))| (Cow::Borrowed(shown_as.as_str()), Cow::Borrowed(text.as_ref())));
        let own = model.own.iter().map(|spec| (Cow::Borrowed(spec.shown), Cow::Borrowed(spec.text)));
        for (shown_as, text) in files.chain(own).chain([(Cow::Borrowed(CALLS), Cow::Owned(calls))]) {
            let start = linked.text.len();
            linked.text.push_str(&text);
            linked.text.push('\n');
            linked.files.push((start, shown_as, text));
        }
        linked
    }

    /// The text of the module that a model's passes are made from.
    ///
    /// # Errors
    /// An edit of the calls whose text does not occur in them exactly once.
    pub fn module_text(&self, model: &CompiledScene) -> Result<String, ShaderError> {
        Ok(self.link(model, self.calls(model)?).text)
    }

    /// Are these shaders, with a model's own behaviors, compiled with bounds checks, because a user wrote some of them?
    pub fn checked(&self, model: &CompiledScene) -> bool {
        self.custom || !model.own.is_empty()
    }

    /// Parse and validate the module that a model's passes are made from.
    ///
    /// # Errors
    /// What naga rejects, at its place in the real file.
    pub fn parse(&self, model: &CompiledScene) -> Result<(Module, ModuleInfo), ShaderError> {
        let linked = self.link(model, self.calls(model)?);
        // naga's parser recurses, so a user's file gets a stack that no file of the allowed size exhausts.
        let work = || linked.parse(model);
        if !self.checked(model) {
            return work();
        }
        on_a_large_stack(work).unwrap_or_else(|| {
            let path = linked.files[0].1.to_string();
            Err(ShaderError::Interface { path, message: "the shader compiler failed".to_owned() })
        })
    }

    /// An error at an offset of a model's module, in terms of the real file.
    pub(crate) fn rejected_at(&self, model: &CompiledScene, offset: usize, message: String) -> ShaderError {
        self.link(model, calls(model)).rejected(offset, message, "")
    }

    /// Name under which a stage's file is known to the user.
    pub(crate) fn shown_as(&self, stage: StageId) -> &str {
        &self.files[format!("sim/{stage}.wgsl").as_str()].0
    }
}

/// Is there no such file? One that cannot be looked at is there: reading it gives the reason.
fn is_missing(file: &Path) -> bool {
    file.metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// Refuse a folder of shaders that cannot be listed: otherwise it would be left out in silence.
fn refuse_unreadable(folder: &Path) -> Result<(), ShaderError> {
    let parts: BTreeSet<&str> = EMBEDDED.iter().filter_map(|(path, _)| Some(path.split_once('/')?.0)).collect();
    let parts = parts.into_iter().map(|part| folder.join(part)).filter(|path| path.symlink_metadata().is_ok());
    for path in [folder.to_owned()].into_iter().chain(parts) {
        // A link that leads nowhere is refused, too.
        if let Err(error) = std::fs::read_dir(&path) {
            return Err(ShaderError::File { path, reason: format!("is no folder that can be read: {error}") });
        }
    }
    Ok(())
}

/// Refuse a shader file whose path is not that of a built-in one, and a link that leads nowhere: otherwise they would be left out in
/// silence.
fn refuse_strangers(folder: &Path) -> Result<(), ShaderError> {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let below = entries(folder).filter(|path| path.is_dir()).flat_map(|path| entries(&path).collect::<Vec<_>>());
    let mut files: Vec<PathBuf> = entries(folder).chain(below).collect();
    files.sort();
    // The repository also has shaders that draw, that read single agents, and that prepare a map. These cannot be replaced, so they are
    // ignored here.
    files.retain(|path| !["render", "read", "map"].iter().any(|other| path.starts_with(folder.join(other))));
    for file in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "wgsl")) {
        let known: Vec<&str> = EMBEDDED.iter().map(|(path, _)| *path).collect();
        let name = file.strip_prefix(folder).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let reason = match nearest(&name, &known) {
            _ if known.contains(&name.as_str()) && !is_missing(file) => continue,
            _ if known.contains(&name.as_str()) => "is a link that leads nowhere".to_owned(),
            Some(near) => format!("is not one of the program's shaders; did you mean {near}?"),
            None => "is not one of the program's shaders".to_owned(),
        };
        return Err(ShaderError::File { path: file.clone(), reason });
    }
    Ok(())
}

/// Where the braces of a text do not match: the first that closes nothing, or the last that is not closed.
fn odd_brace(text: &str) -> Option<(usize, &'static str)> {
    let mut open = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or("");
        for (at, brace) in code.char_indices() {
            match brace {
                '{' => open.push(start + at),
                '}' if open.pop().is_none() => return Some((start + at, "this `}` closes nothing")),
                _ => {}
            }
        }
        start += line.len();
    }
    open.pop().map(|at| (at, "this `{` is not closed"))
}

/// Files put one after another, with the offset at which each begins.
struct Linked<'a> {
    text: String,
    files: Vec<(usize, Cow<'a, str>, Cow<'a, str>)>,
}

impl Linked<'_> {
    fn parse(&self, model: &CompiledScene) -> Result<(Module, ModuleInfo), ShaderError> {
        let mut module = naga::front::wgsl::parse_str(&self.text).map_err(|error| {
            // naga would report a brace that is missing at the end of a file in the next file. Comments over several
            // lines are left to naga.
            let files = self.files.iter().filter(|(.., text)| !text.contains("/*"));
            if let Some((start, (at, what))) = files.filter_map(|(s, _, text)| Some((s, odd_brace(text)?))).next() {
                return self.rejected(start + at, what.to_owned(), "");
            }
            // Some labels have no place. If a name is declared twice, blame the file, not the generated calls.
            let labels = error.labels().filter_map(|(span, text)| Some((span.to_range()?.start, text.to_owned())));
            let own = |at: usize| self.file_at(at).1.as_ref() != CALLS;
            let (at, detail) = labels.min_by_key(|(at, _)| !own(*at)).unwrap_or_default();
            self.rejected(at, error.message().to_owned(), &detail)
        })?;
        let info = validate(&module).map_err(|error| {
            let spans = || error.spans().filter_map(|(span, text)| Some((span.to_range()?.start, text.as_str())));
            let (at, detail) = spans().last().unwrap_or((0, ""));
            // The names of naga's own types help no user.
            let detail = if detail.starts_with("naga::") { "" } else { detail };
            self.rejected(at, reason(error.as_inner()), detail)
        })?;
        if model.own.is_empty() {
            return Ok((module, info));
        }
        self.check_own(model, &module, &info)?;
        rounds::limit(&mut module, |function| model.own.iter().any(|spec| spec.file.function(function).is_some()));
        let limited = validate(&module).map_err(|error| self.rejected(0, error.as_inner().to_string(), ""))?;
        Ok((module, limited))
    }

    /// Check that a scene's own behaviors read only the world, the scenery, the field, the ground and the clock, and write nothing.
    /// Of other agents they see only what their arguments hold.
    fn check_own(&self, model: &CompiledScene, module: &Module, info: &ModuleInfo) -> Result<(), ShaderError> {
        use BufferId::{
            CensusSums, Clock, Field, Ground, ObstacleTexels, Scenery, Species, SurfaceTexels, WallTexels, World,
        };
        let readable =
            [World, Species, Scenery, Field, Clock, CensusSums, Ground, ObstacleTexels, SurfaceTexels, WallTexels];
        let is_own = |name: &String| model.own.iter().any(|spec| spec.file.function(name).is_some());
        for (handle, function) in module.functions.iter() {
            let Some(name) = function.name.as_ref().filter(|name| is_own(name)) else { continue };
            let at = module.functions.get_span(handle).to_range().map_or(0, |span| span.start);
            for (variable, declared) in module.global_variables.iter() {
                let usage = info[handle][variable];
                let buffer = declared.name.as_deref().unwrap_or_default();
                let writes = usage.contains(naga::valid::GlobalUse::WRITE);
                let read = BufferId::named(buffer.strip_suffix("_stored").unwrap_or(buffer));
                if !usage.is_empty() && (writes || !read.is_some_and(|buffer| readable.contains(&buffer))) {
                    let verb = if writes { "writes to" } else { "reads" };
                    let message = format!("`{name}` {verb} the buffer `{buffer}`, which a behavior cannot");
                    return Err(self.rejected(at, message, ""));
                }
            }
        }
        Ok(())
    }

    /// The file that an offset of the joined text is in.
    fn file_at(&self, at: usize) -> &(usize, Cow<'_, str>, Cow<'_, str>) {
        self.files.iter().rev().find(|(start, ..)| *start <= at).expect("a first file")
    }

    /// An error at an offset of the joined text, in terms of the real file.
    fn rejected(&self, at: usize, message: String, detail: &str) -> ShaderError {
        let (start, path, text) = self.file_at(at);
        let offset = (at - start).min(text.len());
        let line_start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[..offset].matches('\n').count() + 1;
        let column = text[line_start..offset].chars().count() + 1;
        let source = shorten(text[line_start..].lines().next().unwrap_or(""), 200);
        let (caret, detail) = (column.min(201), shorten(detail, LONGEST));
        let excerpt = format!("{line:>5} | {source}\n      | {:>caret$} {detail}", "^");
        ShaderError::Rejected { path: path.to_string(), line, column, message, excerpt }
    }
}
