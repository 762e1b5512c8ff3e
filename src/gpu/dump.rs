//! What runs on a GPU, as text: the passes of a step as they are specialized to a scene, in the language of any backend.

use super::pipelines::{Program, is_fused};
use super::reflect::{Binding, EntryPoint};
use super::{GpuError, Options, precise};
use crate::model::{CompiledScene, Dispatch, PassId, Stage, StageId};
use crate::shaders::ShaderError;
use naga::back::{glsl, hlsl, msl, wgsl};
use naga::proc::BoundsCheckPolicies;

/// A language that a pass can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// WGSL, with what the scene does not use left out.
    Wgsl,
    /// SPIR-V as it is loaded on Vulkan devices that divide as IEEE 754 says: binary, with NoContraction.
    SpirV,
    /// HLSL, for Direct3D 12.
    Hlsl,
    /// MSL, for Metal.
    Msl,
    /// GLSL, for OpenGL.
    Glsl,
}

/// One pass of a step.
#[derive(Debug)]
pub struct PassText {
    /// Its stage.
    pub stage: StageId,
    /// Its entry point.
    pub entry_point: PassId,
    /// The buffers that it binds.
    pub bindings: Vec<Binding>,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
    /// The pass in the language asked for; the bytes of text, or the words of SPIR-V.
    pub code: Vec<u8>,
}

/// The passes of a model's step, of `observe` and of `measure` in one language, as most adapters run them. With `default_limits`, as a
/// device with the default limits of WebGPU runs them: sorted agents lie in a texture, and a fused pass that binds too many buffers is
/// left out.
///
/// # Errors
/// A shader that cannot be used, or a pass that the language cannot express.
pub fn dump(
    model: &CompiledScene,
    options: &Options,
    language: Language,
    default_limits: bool,
) -> Result<Vec<PassText>, GpuError> {
    let checked = options.shaders.checked(model);
    let write = |(stage, dispatch, entry): (&'static Stage, &'static Dispatch, EntryPoint)| {
        let fail = |message: String| {
            let path = options.shaders.shown_as(stage.id).to_owned();
            GpuError::from(ShaderError::Interface { path, message: format!("{}: {message}", dispatch.0) })
        };
        let code = code(&entry, language, checked).map_err(fail)?;
        let EntryPoint { bindings, workgroup_size, .. } = entry;
        Ok(PassText { stage: stage.id, entry_point: dispatch.0, bindings, workgroup_size, code })
    };
    let most = wgpu::Limits::default().max_storage_buffers_per_shader_stage as usize;
    let fits = |entry: &EntryPoint| !default_limits || entry.storage_buffers() <= most;
    let entries = Program::new(model, options, default_limits, false)?.entries.into_iter();
    entries.filter(|(stage, _, entry)| !is_fused(stage) || fits(entry)).map(write).collect()
}

fn code(entry: &EntryPoint, language: Language, checked: bool) -> Result<Vec<u8>, String> {
    let (module, info) = (&entry.module, &entry.info);
    let name = entry.entry_point().name.clone();
    let said = |error: &dyn std::error::Error| error.to_string();
    Ok(match language {
        Language::Wgsl => {
            wgsl::write_string(module, info, wgsl::WriterFlags::empty()).map_err(|e| said(&e))?.into_bytes()
        }
        Language::SpirV => precise::words(module, info, precise::Float::AsWritten, checked, None)?.bytes(),
        Language::Hlsl => {
            let (mut text, options, pipeline) =
                (String::new(), hlsl::Options::default(), hlsl::PipelineOptions::default());
            hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None).map_err(|e| said(&e))?;
            text.into_bytes()
        }
        Language::Msl => {
            // The oldest version that has everything that the shaders use, such as `reverseBits`.
            let options = msl::Options { lang_version: (2, 1), ..Default::default() };
            let pipeline = msl::PipelineOptions::default();
            msl::write_string(module, info, &options, &pipeline).map_err(|e| said(&e))?.0.into_bytes()
        }
        Language::Glsl => {
            let options = glsl::Options { version: glsl::Version::new_gles(310), ..Default::default() };
            let pipeline =
                glsl::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: name, multiview: None };
            let mut text = String::new();
            let policies = BoundsCheckPolicies::default();
            let writer = glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies);
            writer.and_then(|mut writer| writer.write()).map_err(|e| said(&e))?;
            text.into_bytes()
        }
    })
}
