//! Shader files: where they come from, how they are put together, and where their errors are.
//!
//! WGSL lets a module declare things in any order, so a stage's module is simply its file and the shared files one after
//! another, with a table of the lines. There is no preprocessor; overrides specialize a pipeline, and naga strips what
//! the entry point does not use.

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ShaderStage, StorageAccess};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Largest shader file that is read, bytes. naga's parser recurses, and a huge expression would exhaust any stack.
const LARGEST_FILE: u64 = 256 * 1024;

macro_rules! embedded {
    ($($path:literal),* $(,)?) => { &[$(($path, include_str!(concat!("../../shaders/", $path)))),*] };
}

/// The shaders that the program is built with, by path below `shaders`.
pub const EMBEDDED: &[(&str, &str)] = embedded![
    "common/agent.wgsl",
    "common/angle.wgsl",
    "common/boundary.wgsl",
    "common/combination.wgsl",
    "common/field.wgsl",
    "common/fixed_point.wgsl",
    "common/grid.wgsl",
    "common/ground.wgsl",
    "common/layout.wgsl",
    "common/obstacles.wgsl",
    "common/paths.wgsl",
    "common/planar.wgsl",
    "common/prediction.wgsl",
    "common/random.wgsl",
    "common/scenery.wgsl",
    "common/spatial.wgsl",
    "common/specialization.wgsl",
    "common/surface.wgsl",
    "common/target.wgsl",
    "common/vector.wgsl",
    "common/vehicle.wgsl",
    "common/vision.wgsl",
    "behaviors/align.wgsl",
    "behaviors/alignment.wgsl",
    "behaviors/angular_velocity_matching.wgsl",
    "behaviors/arrive.wgsl",
    "behaviors/boundary_walls.wgsl",
    "behaviors/close_neighbor_avoidance.wgsl",
    "behaviors/cohesion.wgsl",
    "behaviors/containment.wgsl",
    "behaviors/evasion.wgsl",
    "behaviors/explore.wgsl",
    "behaviors/face.wgsl",
    "behaviors/flee.wgsl",
    "behaviors/flow_field.wgsl",
    "behaviors/forage.wgsl",
    "behaviors/global_alignment.wgsl",
    "behaviors/heading_noise.wgsl",
    "behaviors/interpose.wgsl",
    "behaviors/leader_following.wgsl",
    "behaviors/look_where_you_go.wgsl",
    "behaviors/obstacle_avoidance.wgsl",
    "behaviors/offset_pursuit.wgsl",
    "behaviors/path_following.wgsl",
    "behaviors/pursuit.wgsl",
    "behaviors/seek.wgsl",
    "behaviors/separation.wgsl",
    "behaviors/stay_on_path.wgsl",
    "behaviors/target_speed.wgsl",
    "behaviors/unaligned_avoidance.wgsl",
    "behaviors/velocity_matching.wgsl",
    "behaviors/wall_following.wgsl",
    "behaviors/wander.wgsl",
    "behaviors/wander_random.wgsl",
    "behaviors/waypoint_following.wgsl",
    "behaviors/whiskers.wgsl",
    "sim/bin.wgsl",
    "sim/census.wgsl",
    "sim/gather.wgsl",
    "sim/ground.wgsl",
    "sim/integrate.wgsl",
    "sim/observe.wgsl",
    "sim/scan.wgsl",
    "sim/scatter.wgsl",
    "sim/steer.wgsl",
];

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

    /// The module of a stage: its file, then everything shared, or what the stage uses of it.
    fn link(&self, stage: &str, spatial: bool, whole: bool) -> Linked<'_> {
        let own = format!("sim/{stage}.wgsl");
        let unused = if spatial { "common/planar.wgsl" } else { "common/spatial.wgsl" };
        let mut linked = Linked { text: String::new(), files: Vec::new() };
        let shared = self.files.iter().filter(|(path, _)| !path.starts_with("sim/") && **path != unused);
        let files: Vec<_> =
            self.files.iter().filter(|(path, _)| **path == own).chain(shared).map(|(_, file)| file).collect();
        let mut texts: Vec<Cow<'_, str>> = files.iter().map(|(_, text)| Cow::Borrowed(text.as_ref())).collect();
        if let ([own, shared @ ..], false) = (&texts[..], whole) {
            let reached = super::reach::reached(own, &shared.iter().map(|text| text.as_ref()).collect::<Vec<_>>());
            texts.splice(1.., reached.into_iter().map(Cow::Owned));
        }
        for ((shown_as, whole), text) in files.into_iter().zip(texts) {
            linked.files.push((linked.text.len(), shown_as, whole));
            linked.text.push_str(&text);
            linked.text.push('\n');
        }
        linked
    }

    /// Parse and validate the module of a stage, with everything shared.
    ///
    /// # Errors
    /// What naga rejects, at its place in the real file.
    pub fn parse(&self, stage: &str, spatial: bool) -> Result<(Module, ModuleInfo), ShaderError> {
        self.parse_linked(self.link(stage, spatial, true))
    }

    /// As [`Sources::parse`], of the shared files only what the stage uses. In a user's files mistakes are found wherever they are.
    pub(super) fn parse_used(&self, stage: &str, spatial: bool) -> Result<(Module, ModuleInfo), ShaderError> {
        self.parse_linked(self.link(stage, spatial, self.custom))
    }

    fn parse_linked(&self, linked: Linked<'_>) -> Result<(Module, ModuleInfo), ShaderError> {
        // naga's parser recurses, so a user's file gets a stack that no file of the allowed size exhausts.
        let work = || linked.parse();
        if !self.custom {
            return work();
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, work);
            let joined = thread.map(std::thread::ScopedJoinHandle::join);
            joined
                .ok()
                .and_then(Result::ok)
                .unwrap_or_else(|| Err(linked.interface("the shader compiler failed".to_owned())))
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
    files: Vec<(usize, &'a String, &'a str)>,
}

impl Linked<'_> {
    fn parse(&self) -> Result<(Module, ModuleInfo), ShaderError> {
        let module = naga::front::wgsl::parse_str(&self.text).map_err(|error| {
            let label = error.labels().next();
            let at = label.as_ref().and_then(|(span, _)| span.to_range()).map_or(0, |range| range.start);
            let detail = label.map_or(String::new(), |(_, text)| text.to_owned());
            self.rejected(at, error.message().to_owned(), &detail)
        })?;
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        let info = validator.validate(&module).map_err(|error| {
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

    fn interface(&self, message: String) -> ShaderError {
        ShaderError::Interface { path: self.files[0].1.clone(), message }
    }

    /// An error at an offset of the joined text, in terms of the real file.
    fn rejected(&self, at: usize, message: String, detail: &str) -> ShaderError {
        let (start, path, text) = *self.files.iter().rev().find(|(start, ..)| *start <= at).expect("a first file");
        let offset = (at - start).min(text.len());
        let line_start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[..offset].matches('\n').count() + 1;
        let column = text[line_start..offset].chars().count() + 1;
        let source = text[line_start..].lines().next().unwrap_or("");
        let excerpt = format!("{line:>5} | {source}\n      | {:>column$} {detail}", "^");
        ShaderError::Rejected { path: path.clone(), line, column, message, excerpt }
    }
}

/// A binding of an entry point, as the shader declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// Name of the variable, which is the name of the buffer.
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
    /// Specialize an entry point of a stage's module, and read its interface.
    ///
    /// # Errors
    /// An entry point that is not there, or overrides that naga cannot apply.
    pub fn new(
        (module, info): &(Module, ModuleInfo),
        shown_as: &str,
        name: &str,
        overrides: &naga::back::PipelineConstants,
    ) -> Result<Self, ShaderError> {
        let interface = |message: String| ShaderError::Interface { path: shown_as.to_owned(), message };
        if !module.entry_points.iter().any(|e| e.name == name && e.stage == ShaderStage::Compute) {
            return Err(interface(format!("there is no compute entry point `{name}`")));
        }
        let selected = Some((ShaderStage::Compute, name));
        let mut pruned = module.clone();
        super::prune::prune(&mut pruned, overrides);
        let (module, info) = naga::back::pipeline_constants::process_overrides(&pruned, info, selected, overrides)
            .map_err(|error| interface(format!("{name}: {error}")))?;
        let (mut module, info) = (module.into_owned(), info.into_owned());
        let position = module.entry_points.iter().position(|e| e.name == name).expect("the selected entry point");
        let usage = info.get_entry_point(position);
        let mut bindings = Vec::new();
        for (handle, variable) in module.global_variables.iter() {
            let Some(binding) = variable.binding.filter(|_| !usage[handle].is_empty()) else { continue };
            let ty = match variable.space {
                AddressSpace::Uniform => wgpu::BufferBindingType::Uniform,
                AddressSpace::Storage { access } => {
                    wgpu::BufferBindingType::Storage { read_only: !access.contains(StorageAccess::STORE) }
                }
                _ => return Err(interface(format!("`{name}` binds something that is no buffer"))),
            };
            let name = variable.name.clone().unwrap_or_default();
            bindings.push((handle, Binding { name, index: binding.binding, ty }));
        }
        // wgpu numbers the bindings of a layout without gaps, and SPIR-V that it passes through must agree with that.
        bindings.sort_by_key(|(_, binding)| binding.index);
        for (index, (handle, binding)) in (0..).zip(&mut bindings) {
            binding.index = index;
            let resource = module.global_variables.get_mut(*handle).binding.as_mut();
            resource.expect("a variable with a binding").binding = index;
        }
        let bindings = bindings.into_iter().map(|(_, binding)| binding).collect();
        let workgroup_size = module.entry_points[position].workgroup_size.iter().product();
        Ok(EntryPoint { module, info, bindings, workgroup_size })
    }

    pub(super) fn entry_point(&self) -> &naga::EntryPoint {
        // `process_overrides` keeps the selected entry point only, where there is something to process.
        &self.module.entry_points[0]
    }
}

/// The value of an integer constant of a module, so that the host need not state it again.
pub fn constant(module: &Module, name: &str) -> Option<u32> {
    let (_, constant) = module.constants.iter().find(|(_, c)| c.name.as_deref() == Some(name))?;
    match module.global_expressions[constant.init] {
        naga::Expression::Literal(naga::Literal::U32(value)) => Some(value),
        _ => None,
    }
}
