//! Entry points, specialized to what a scene uses, and reflected, so that buffers are bound by their names.

use super::resources::{READ, buffer_type};
use crate::model::BufferId;
use crate::scene::behavior_file::calls_in;
use crate::scene::{Invalid, reason, validate};
use crate::shaders::ShaderError;
use naga::back::PipelineConstants;
use naga::compact::{KeepUnused, compact};
use naga::valid::{GlobalUse, ModuleInfo};
use naga::{AddressSpace, Module, ShaderStage, StorageAccess};

/// The format of the texture that sorted agents are loaded from.
pub(super) const SORTED_AGENTS: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;

/// A binding of an entry point, as the shader declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The buffer or texture that is bound.
    pub buffer: BufferId,
    /// Binding index in group 0.
    pub index: u32,
    /// Its type in the bind group layout.
    pub ty: wgpu::BindingType,
    /// Does the entry point read it?
    pub reads: bool,
    /// Does it write to it?
    pub writes: bool,
}

impl Binding {
    /// What the shader declares it as.
    pub(super) fn kind(&self) -> &'static str {
        match self.ty {
            wgpu::BindingType::Buffer { ty: wgpu::BufferBindingType::Uniform, .. } => "uniform buffer",
            wgpu::BindingType::StorageTexture { .. } => "storage texture",
            wgpu::BindingType::Texture { .. } => "texture",
            _ => "storage buffer",
        }
    }
}

/// The binding type of a texture: a sampled one of u32 texels, or a storage texture in the format of the sorted agents. `None` for any
/// other type.
fn texture_type(inner: &naga::TypeInner) -> Option<wgpu::BindingType> {
    let naga::TypeInner::Image { dim: naga::ImageDimension::D2, arrayed: false, class } = *inner else { return None };
    if class == (naga::ImageClass::Sampled { kind: naga::ScalarKind::Uint, multi: false }) {
        let (sample_type, view_dimension) = (wgpu::TextureSampleType::Uint, wgpu::TextureViewDimension::D2);
        return Some(wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false });
    }
    let naga::ImageClass::Storage { format: naga::StorageFormat::Rgba32Uint, access } = class else { return None };
    let access = match access {
        StorageAccess::LOAD => wgpu::StorageTextureAccess::ReadOnly,
        StorageAccess::STORE => wgpu::StorageTextureAccess::WriteOnly,
        _ => return None,
    };
    let (format, view_dimension) = (SORTED_AGENTS, wgpu::TextureViewDimension::D2);
    Some(wgpu::BindingType::StorageTexture { access, format, view_dimension })
}

/// One entry point, specialized and reflected.
#[derive(Debug)]
pub struct EntryPoint {
    pub(super) module: Module,
    pub(super) info: ModuleInfo,
    /// The bindings that it uses.
    pub bindings: Vec<Binding>,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
}

impl EntryPoint {
    /// Does it bind this buffer?
    pub(super) fn binds(&self, buffer: BufferId) -> bool {
        self.bindings.iter().any(|binding| binding.buffer == buffer)
    }

    /// How many storage buffers it binds.
    pub(super) fn storage_buffers(&self) -> usize {
        self.bindings.iter().filter(|binding| binding.kind() == "storage buffer").count()
    }

    /// Limits that it needs, apart from storage buffers: the name of each, the value needed, and the device's value.
    pub(super) fn needs(&self, limits: &wgpu::Limits) -> [(&'static str, u32, u32); 5] {
        let count = |kind: &str| self.bindings.iter().filter(|binding| binding.kind() == kind).count() as u32;
        let shared = self.module.global_variables.iter().filter(|(_, v)| v.space == AddressSpace::WorkGroup);
        let bytes = |ty: naga::Handle<naga::Type>| self.module.types[ty].inner.size(self.module.to_ctx());
        let [width, ..] = self.module.entry_points[0].workgroup_size;
        [
            (
                "max_compute_invocations_per_workgroup",
                self.workgroup_size,
                limits.max_compute_invocations_per_workgroup,
            ),
            ("max_compute_workgroup_size_x", width, limits.max_compute_workgroup_size_x),
            (
                "max_compute_workgroup_storage_size",
                shared.map(|(_, variable)| bytes(variable.ty).next_multiple_of(16)).sum(),
                limits.max_compute_workgroup_storage_size,
            ),
            (
                "max_uniform_buffers_per_shader_stage",
                count("uniform buffer"),
                limits.max_uniform_buffers_per_shader_stage,
            ),
            (
                "max_storage_textures_per_shader_stage",
                count("storage texture"),
                limits.max_storage_textures_per_shader_stage,
            ),
        ]
    }

    /// Specialize an entry point of a module, and read its interface.
    ///
    /// # Errors
    /// An entry point that is not there, or overrides that naga cannot apply.
    pub fn new(
        module: &Module,
        shown_as: &str,
        name: &str,
        overrides: &PipelineConstants,
    ) -> Result<Self, ShaderError> {
        let interface = |message: String| ShaderError::Interface { path: shown_as.to_owned(), message };
        let is_it = |e: &&naga::EntryPoint| e.name == name && e.stage == ShaderStage::Compute;
        let Some(entry) = module.entry_points.iter().find(is_it) else {
            return Err(interface(format!("there is no compute entry point `{name}`")));
        };
        // First remove what the entry point does not reach, then what its overrides switch off.
        let mut module = alone(module, entry);
        compact(&mut module, KeepUnused::No);
        super::prune::prune(&mut module, overrides);
        compact(&mut module, KeepUnused::No);
        let invalid = |error: Invalid| interface(format!("{name}: {}", reason(error.as_inner())));
        let info = validate(&module).map_err(invalid)?;
        let bindings = bind(&mut module, &info).map_err(interface)?;
        // naga refuses values for overrides that were pruned away.
        let left = |name: &str| module.overrides.iter().any(|(_, o)| o.name.as_deref() == Some(name));
        let overrides = overrides.iter().filter(|(name, _)| left(name)).map(|(n, v)| (n.clone(), *v)).collect();
        let info = validate(&module).map_err(invalid)?;
        let selected = Some((ShaderStage::Compute, name));
        let (module, info) = naga::back::pipeline_constants::process_overrides(&module, &info, selected, &overrides)
            .map_err(|error| interface(format!("{name}: {}", reason(&error))))?;
        let (module, info) = (module.into_owned(), info.into_owned());
        let workgroup_size = module.entry_points[0].workgroup_size.iter().product();
        Ok(EntryPoint { module, info, bindings, workgroup_size })
    }

    pub(super) fn entry_point(&self) -> &naga::EntryPoint {
        &self.module.entry_points[0]
    }
}

/// The module with one entry point. Functions that the entry point does not call are left empty, because copying all of them takes longer
/// than anything else that is done to a small pass.
fn alone(module: &Module, entry: &naga::EntryPoint) -> Module {
    let (mut is_called, mut left) = (vec![false; module.functions.len()], Vec::new());
    calls_in(&entry.function.body, &mut left);
    while let Some(function) = left.pop() {
        if !std::mem::replace(&mut is_called[function.index()], true) {
            calls_in(&module.functions[function].body, &mut left);
        }
    }
    let mut functions = naga::Arena::new();
    for (handle, function) in module.functions.iter() {
        let function = if is_called[handle.index()] { function.clone() } else { Default::default() };
        functions.append(function, module.functions.get_span(handle));
    }
    Module {
        functions,
        entry_points: vec![entry.clone()],
        types: module.types.clone(),
        special_types: module.special_types.clone(),
        constants: module.constants.clone(),
        overrides: module.overrides.clone(),
        global_variables: module.global_variables.clone(),
        global_expressions: module.global_expressions.clone(),
        diagnostic_filters: module.diagnostic_filters.clone(),
        diagnostic_filter_leaf: module.diagnostic_filter_leaf,
        doc_comments: None,
    }
}

/// Number the bindings that the entry point uses without gaps: wgpu numbers the entries of a layout so, and SPIR-V that it passes through
/// must agree. A buffer is bound as writable only if the entry point writes to it.
fn bind(module: &mut Module, info: &ModuleInfo) -> Result<Vec<Binding>, String> {
    let usage = info.get_entry_point(0);
    let mut bindings = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let Some(binding) = variable.binding.filter(|_| !usage[handle].is_empty()) else { continue };
        let name = variable.name.clone().unwrap_or_default();
        let ends = ["_atomic", "_moving", "_written", "_stored"];
        let of = ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        let named = BufferId::named(of);
        if binding.group != 0 {
            return Err(format!("`{name}` is in group {}; buffers are bound in group 0", binding.group));
        }
        let ty = match variable.space {
            AddressSpace::Uniform => buffer_type(wgpu::BufferBindingType::Uniform),
            AddressSpace::Handle => texture_type(&module.types[variable.ty].inner).ok_or_else(|| {
                format!("`{name}` is no texture_2d<u32>, and no texture_storage_2d<rgba32uint>, read or write")
            })?,
            AddressSpace::Storage { .. } => {
                let atomic = usage[handle].contains(GlobalUse::ATOMIC) || name.ends_with("_atomic");
                // Guests are parts of one buffer, and within a pass one buffer cannot be bound both read-only and read-write.
                let shares = named.is_some_and(|buffer| buffer.row().in_room_of.is_some());
                let writes = atomic || shares || usage[handle].contains(GlobalUse::WRITE);
                buffer_type(wgpu::BufferBindingType::Storage { read_only: !writes })
            }
            _ => return Err(format!("`{name}` is no buffer")),
        };
        let buffer = named.ok_or_else(|| format!("`{of}` is not the name of a buffer"))?;
        let does = |what| usage[handle].intersects(what | GlobalUse::ATOMIC);
        let (reads, writes) = (does(GlobalUse::READ), does(GlobalUse::WRITE));
        bindings.push((binding.binding, handle, Binding { buffer, index: 0, ty, reads, writes }));
    }
    bindings.sort_by_key(|(declared, ..)| *declared);
    for (index, (_, handle, binding)) in (0..).zip(&mut bindings) {
        binding.index = index;
        let variable = module.global_variables.get_mut(*handle);
        variable.binding.as_mut().expect("a variable with a binding").binding = index;
        if binding.ty == READ {
            variable.space = AddressSpace::Storage { access: StorageAccess::LOAD };
        }
    }
    Ok(bindings.into_iter().map(|(.., binding)| binding).collect())
}
