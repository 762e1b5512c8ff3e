//! Shader files: where they come from, how they are put together, and where their errors are.
//!
//! WGSL lets a module declare things in any order, so there is one module: all files one after another, with a table of
//! where each begins, and the calls of the behaviors that act in the scene (`calls.rs`). There is no preprocessor;
//! overrides specialize a pipeline, and naga strips what an entry point does not use.

use super::calls::calls;
use crate::model::Model;
use naga::back::PipelineConstants;
use naga::compact::{KeepUnused, compact};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ShaderStage, StorageAccess};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Largest shader file that is read, bytes. naga's parser recurses, and a huge expression would exhaust any stack.
const LARGEST_FILE: u64 = 256 * 1024;

pub use crate::embedded::EMBEDDED;

/// Why a shader cannot be used, with the place in the file that it is in.
#[derive(Debug, Error)]
pub enum ShaderError {
    /// A file of a shader folder cannot be read.
    #[error("{path}: {reason}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// naga rejects the shader.
    #[error("{path}:{line}:{column}: {message}\n{excerpt}")]
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
    #[error("{path}: {message}")]
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
    /// True where a user supplied some of the files: they are compiled with bounds checks.
    pub custom: bool,
}

impl Default for Sources {
    fn default() -> Self {
        let file =
            |(path, text): &(&'static str, &'static str)| (*path, (format!("shaders/{path}"), Cow::Borrowed(*text)));
        Sources { files: EMBEDDED.iter().map(file).collect(), custom: false }
    }
}

impl Sources {
    /// The built-in shaders, with every file that the folder has in place of the built-in one of the same path.
    ///
    /// # Errors
    /// A folder without any such file, or a file that cannot be read.
    pub fn from_folder(folder: &Path) -> Result<Self, ShaderError> {
        let mut sources = Sources::default();
        let fail = |path: &Path, reason: String| Err(ShaderError::File { path: path.to_owned(), reason });
        if !folder.is_dir() {
            return fail(folder, "is not a folder".to_owned());
        }
        for (path, _) in EMBEDDED {
            let file = folder.join(path);
            let Ok(metadata) = file.metadata() else { continue };
            if metadata.len() > LARGEST_FILE {
                return fail(&file, format!("has {} bytes; at most {LARGEST_FILE} are read", metadata.len()));
            }
            match std::fs::read_to_string(&file) {
                Ok(text) => sources.replace(path, &file.display().to_string(), text),
                Err(error) => return fail(&file, error.to_string()),
            }
        }
        if !sources.custom {
            return fail(folder, "has no shader file such as sim/steer.wgsl".to_owned());
        }
        Ok(sources)
    }

    /// Use another text for a file, for example a mutant in a test. The path must be one of [`EMBEDDED`].
    pub fn replace(&mut self, path: &str, shown_as: &str, text: String) {
        let entry = self.files.iter_mut().find(|(known, _)| **known == path);
        *entry.expect("a path of the embedded shaders").1 = (shown_as.to_owned(), Cow::Owned(text));
        self.custom = true;
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|(_, text)| text.as_ref())
    }

    /// All files one after another, and the calls of a scene's behaviors.
    fn link(&self, spatial: bool, calls: String) -> Linked<'_> {
        let unused = if spatial { "common/planar.wgsl" } else { "common/spatial.wgsl" };
        let mut linked = Linked { text: String::new(), files: Vec::new() };
        let used = self.files.iter().filter(|(path, _)| **path != unused);
        let files = used.map(|(_, (shown_as, text))| (Cow::Borrowed(shown_as.as_str()), Cow::Borrowed(text.as_ref())));
        for (shown_as, text) in files.chain([(Cow::Borrowed("the calls of the behaviors"), Cow::Owned(calls))]) {
            let start = linked.text.len();
            linked.text.push_str(&text);
            linked.text.push('\n');
            linked.files.push((start, shown_as, text));
        }
        linked
    }

    /// The text of the module that a model's passes are made from.
    pub fn module_text(&self, model: &Model) -> String {
        self.link(model.spatial, calls(model)).text
    }

    /// Parse and validate the module that a model's passes are made from.
    ///
    /// # Errors
    /// What naga rejects, at its place in the real file.
    pub fn parse(&self, model: &Model) -> Result<(Module, ModuleInfo), ShaderError> {
        let linked = self.link(model.spatial, calls(model));
        // naga's parser recurses, so a user's file gets a stack that no file of the allowed size exhausts.
        let work = || linked.parse();
        if !self.custom {
            return work();
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, work);
            let joined = thread.map(std::thread::ScopedJoinHandle::join);
            let failed = || ShaderError::Interface {
                path: linked.files[0].1.to_string(),
                message: "the shader compiler failed".to_owned(),
            };
            joined.ok().and_then(Result::ok).unwrap_or_else(|| Err(failed()))
        })
    }

    /// Name under which a stage's file is known to the user.
    pub(super) fn shown_as(&self, stage: &str) -> &str {
        &self.files[format!("sim/{stage}.wgsl").as_str()].0
    }
}

/// Files put one after another, with the offset at which each begins.
struct Linked<'a> {
    text: String,
    files: Vec<(usize, Cow<'a, str>, Cow<'a, str>)>,
}

impl Linked<'_> {
    fn parse(&self) -> Result<(Module, ModuleInfo), ShaderError> {
        let module = naga::front::wgsl::parse_str(&self.text).map_err(|error| {
            let label = error.labels().next();
            let at = label.as_ref().and_then(|(span, _)| span.to_range()).map_or(0, |range| range.start);
            let detail = label.map_or(String::new(), |(_, text)| text.to_owned());
            self.rejected(at, error.message().to_owned(), &detail)
        })?;
        let info = validate(&module).map_err(|error| {
            let spans = || error.spans().filter_map(|(span, text)| Some((span.to_range()?.start, text.as_str())));
            let (at, detail) = spans().last().unwrap_or((0, ""));
            let mut message = error.as_inner().to_string();
            let mut cause = std::error::Error::source(error.as_inner());
            while let Some(inner) = cause {
                message = format!("{message}: {inner}");
                cause = inner.source();
            }
            self.rejected(at, message, detail)
        })?;
        Ok((module, info))
    }

    /// An error at an offset of the joined text, in terms of the real file.
    fn rejected(&self, at: usize, message: String, detail: &str) -> ShaderError {
        let (start, path, text) = self.files.iter().rev().find(|(start, ..)| *start <= at).expect("a first file");
        let offset = (at - start).min(text.len());
        let line_start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[..offset].matches('\n').count() + 1;
        let column = text[line_start..offset].chars().count() + 1;
        let source = text[line_start..].lines().next().unwrap_or("");
        let excerpt = format!("{line:>5} | {source}\n      | {:>column$} {detail}", "^");
        ShaderError::Rejected { path: path.to_string(), line, column, message, excerpt }
    }
}

fn validate(module: &Module) -> Result<ModuleInfo, naga::WithSpan<naga::valid::ValidationError>> {
    Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(module)
}

/// A binding of an entry point, as the shader declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// Name of the buffer.
    pub name: String,
    /// Binding index in group 0.
    pub index: u32,
    /// How the buffer is bound.
    pub ty: wgpu::BufferBindingType,
}

/// One entry point, specialized and reflected.
#[derive(Debug)]
pub struct EntryPoint {
    pub(super) module: Module,
    pub(super) info: ModuleInfo,
    /// Bindings that it uses.
    pub bindings: Vec<Binding>,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
}

impl EntryPoint {
    /// Specialize an entry point of a module, and read its interface.
    ///
    /// # Errors
    /// An entry point that is not there, or overrides that naga cannot apply.
    pub fn new(module: &Module, shown_as: &str, name: &str, overrides: &PipelineConstants) -> Result<Self, ShaderError> {
        let interface = |message: String| ShaderError::Interface { path: shown_as.to_owned(), message };
        let is_it = |e: &naga::EntryPoint| e.name == name && e.stage == ShaderStage::Compute;
        if !module.entry_points.iter().any(is_it) {
            return Err(interface(format!("there is no compute entry point `{name}`")));
        }
        // First what the entry point does not reach goes, then what its overrides switch off.
        let mut module = module.clone();
        module.entry_points.retain(is_it);
        compact(&mut module, KeepUnused::No);
        super::prune::prune(&mut module, overrides);
        compact(&mut module, KeepUnused::No);
        let invalid = |error: naga::WithSpan<naga::valid::ValidationError>| interface(format!("{name}: {error}"));
        let info = validate(&module).map_err(invalid)?;
        let bindings = bind(&mut module, &info).map_err(interface)?;
        // Names of overrides that were pruned away are no longer known.
        let left = |name: &str| module.overrides.iter().any(|(_, o)| o.name.as_deref() == Some(name));
        let overrides = overrides.iter().filter(|(name, _)| left(name)).map(|(n, v)| (n.clone(), *v)).collect();
        let info = validate(&module).map_err(invalid)?;
        let selected = Some((ShaderStage::Compute, name));
        let (module, info) =
            naga::back::pipeline_constants::process_overrides(&module, &info, selected, &overrides)
                .map_err(|error| interface(format!("{name}: {error}")))?;
        let (module, info) = (module.into_owned(), info.into_owned());
        let workgroup_size = module.entry_points[0].workgroup_size.iter().product();
        Ok(EntryPoint { module, info, bindings, workgroup_size })
    }

    pub(super) fn entry_point(&self) -> &naga::EntryPoint {
        &self.module.entry_points[0]
    }
}

/// Number the buffers that the only entry point uses without gaps, because wgpu numbers those of a layout so, and SPIR-V
/// that it passes through must agree with that; each is writable only if the entry point writes to it.
fn bind(module: &mut Module, info: &ModuleInfo) -> Result<Vec<Binding>, String> {
    let usage = info.get_entry_point(0);
    let mut bindings = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let Some(binding) = variable.binding.filter(|_| !usage[handle].is_empty()) else { continue };
        let name = variable.name.clone().unwrap_or_default();
        let ty = match variable.space {
            AddressSpace::Uniform => wgpu::BufferBindingType::Uniform,
            AddressSpace::Storage { .. } => {
                let atomic = usage[handle].contains(naga::valid::GlobalUse::ATOMIC) || name.ends_with("_atomic");
                let writes = atomic || usage[handle].contains(naga::valid::GlobalUse::WRITE);
                wgpu::BufferBindingType::Storage { read_only: !writes }
            }
            _ => return Err(format!("`{name}` is no buffer")),
        };
        let buffer = name.strip_suffix("_atomic").unwrap_or(&name).to_owned();
        bindings.push((binding.binding, handle, Binding { name: buffer, index: 0, ty }));
    }
    bindings.sort_by_key(|(declared, ..)| *declared);
    for (index, (_, handle, binding)) in (0..).zip(&mut bindings) {
        binding.index = index;
        let variable = module.global_variables.get_mut(*handle);
        variable.binding.as_mut().expect("a variable with a binding").binding = index;
        if binding.ty == (wgpu::BufferBindingType::Storage { read_only: true }) {
            variable.space = AddressSpace::Storage { access: StorageAccess::LOAD };
        }
    }
    Ok(bindings.into_iter().map(|(.., binding)| binding).collect())
}

/// The value of an integer constant of a module, so that the host need not state it again.
pub fn constant(module: &Module, name: &str) -> Option<u32> {
    let (_, constant) = module.constants.iter().find(|(_, c)| c.name.as_deref() == Some(name))?;
    match module.global_expressions[constant.init] {
        naga::Expression::Literal(naga::Literal::U32(value)) => Some(value),
        _ => None,
    }
}
