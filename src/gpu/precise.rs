//! The one module with unsafe code: it loads this crate's shaders as SPIR-V in which every float operation is decorated NoContraction.
//!
//! WGSL has no way to say that an expression must be computed as written. Drivers fuse, reassociate and factor plain
//! expressions (Mesa turns `a*b + a*c` into `a*(b + c)`, for one), and then no other implementation can agree to the
//! bit. The decoration forbids it. wgpu takes such SPIR-V only by the unsafe pass-through function.

use crate::scene::spirv_options;
use naga::back::spv;
use spirv::{Capability, Decoration, ExecutionMode, Op};

const HEADER_WORDS: usize = 5;

/// An entry point as SPIR-V. Only [`words`] makes one.
#[derive(PartialEq, Eq)]
pub(super) struct Words(Vec<u32>);

impl Words {
    /// The number of words.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The bytes of a SPIR-V file: the words in little-endian order.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// How float operations are written in SPIR-V.
#[derive(Debug, Clone, Copy)]
pub(super) enum Float {
    /// As in the shader, for devices that round quotients and roots as IEEE 754 says and keep subnormal numbers.
    AsWritten,
    /// With these functions in place of divisions and roots, and with the execution mode that keeps subnormal numbers.
    Rounded(&'static naga::Module),
}

/// The entry point of a validated module with a single one, as SPIR-V with every float operation computed as written. With `source`, the
/// module's text, it also has names and line numbers. `checked` adds bounds checks.
///
/// # Errors
/// What cannot be expressed in SPIR-V, for a person.
pub(super) fn words(
    module: &naga::Module,
    info: &naga::valid::ModuleInfo,
    float: Float,
    checked: bool,
    source: Option<&str>,
) -> Result<Words, String> {
    let Float::Rounded(functions) = float else {
        return Ok(Words(forbid_contraction(
            unmarked(module, info, checked, source).map_err(|error| error.to_string())?,
        )));
    };
    let (module, info) = super::rounding::written_out(module, info, functions)?;
    // No lines, only names: the functions are not part of the text. They have to be inlined: when a driver was asked not to inline the
    // rarely called ones, the pass `stride` took sixty times as long (NVIDIA, 580.159.04).
    let words = unmarked(&module, &info, checked, source.map(|_| "")).map_err(|error| error.to_string())?;
    Ok(Words(keep_subnormals(forbid_contraction(words))))
}

/// The SPIR-V that naga writes, without decorations. With `source` it has names, and lines unless `source` is empty.
fn unmarked(
    module: &naga::Module,
    info: &naga::valid::ModuleInfo,
    checked: bool,
    source: Option<&str>,
) -> Result<Vec<u32>, spv::Error> {
    let options = spv::Options {
        flags: if source.is_some() { spv::WriterFlags::DEBUG } else { spv::WriterFlags::empty() },
        debug_info: source.filter(|text| !text.is_empty()).map(|source_code| spv::DebugInfo {
            source_code,
            file_name: "steerling.wgsl",
            language: spv::SourceLanguage::WGSL,
        }),
        // Every entry point writes workgroup memory before it reads it; zeroing made the scan three times slower.
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..spirv_options(checked)
    };
    let entry_point = &module.entry_points[0];
    let pipeline = spv::PipelineOptions { shader_stage: entry_point.stage, entry_point: entry_point.name.clone() };
    let write = || spv::write_vec(module, info, &options, Some(&pipeline));
    match checked {
        false => write(),
        // naga's writer panics on some valid modules, such as one that passes a pointer to a member as an argument. A user may write that.
        true => std::panic::catch_unwind(std::panic::AssertUnwindSafe(write)).unwrap_or(Err(
            spv::Error::FeatureNotImplemented("something in it, such as a pointer to a member as an argument"),
        )),
    }
}

/// Load SPIR-V into a device without any translation. Workgroups of this crate's shaders have one dimension.
#[allow(unsafe_code)]
pub(super) fn load(device: &wgpu::Device, name: &str, workgroup_size: u32, words: &Words) -> wgpu::ShaderModule {
    let entry_point = wgpu::PassthroughShaderEntryPoint { name: name.into(), workgroup_size: (workgroup_size, 1, 1) };
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: Some(name),
        entry_points: [entry_point].to_vec().into(),
        spirv: Some(words.0.as_slice().into()),
        ..Default::default()
    };
    // SAFETY: the words come from naga's own writer, for a module that naga validated; the decoration and the execution mode added to them
    // change no control flow, type or access. A device need not support the mode; a small shader tests that first (`probe`), and only
    // devices that answer right get more shaders with it. Shaders that a user supplies are written with bounds checks and bounded loops.
    // This crate's shaders keep their indices in range whatever words the state holds: `bin`, the first stage of a step, freezes agents
    // that are not finite, are outside of a wrapped axis or have no valid id, and no later stage uses a word of a frozen agent as an index;
    // a walk stays within the images of the cells (`cell_range`); and only the stages write the buffers between the stages.
    // tests/backends/world.rs uploads garbage.
    unsafe { device.create_shader_module_passthrough(descriptor) }
}

/// Decode the first word of an instruction: the operation, and the number of words.
fn head(word: u32) -> (Op, usize) {
    (Op::from_u32(word & 0xffff).unwrap_or(Op::Nop), ((word >> 16) as usize).max(1))
}

/// Does the operation compute with floats? The opcodes of products of vectors and matrices are consecutive.
fn is_float_arithmetic(op: Op) -> bool {
    use Op::{Dot, FAdd, FDiv, FMod, FMul, FNegate, FRem, FSub, VectorTimesScalar};
    [FNegate, FAdd, FSub, FMul, FDiv, FRem, FMod].contains(&op) || (VectorTimesScalar..=Dot).contains(&op)
}

/// Decorate the result of every float operation NoContraction. The decorations go where annotations belong: before the
/// first type, constant or global variable.
fn forbid_contraction(words: Vec<u32>) -> Vec<u32> {
    let mut decorations = Vec::new();
    let mut annotations_end = None;
    let mut at = HEADER_WORDS;
    while at < words.len() {
        let (op, length) = head(words[at]);
        let declares = (Op::TypeVoid..=Op::TypeForwardPointer).contains(&op)
            || (Op::ConstantTrue..=Op::SpecConstantOp).contains(&op)
            || op == Op::Variable;
        if declares {
            annotations_end.get_or_insert(at);
        }
        if is_float_arithmetic(op) {
            let result = words[at + 2];
            decorations.extend([3 << 16 | Op::Decorate as u32, result, Decoration::NoContraction as u32]);
        }
        at += length;
    }
    let mut decorated = words;
    let end = annotations_end.unwrap_or(decorated.len());
    decorated.splice(end..end, decorations);
    decorated
}

/// Add the execution mode that keeps subnormal numbers (SPV_KHR_float_controls, which is part of Vulkan 1.2).
fn keep_subnormals(words: Vec<u32>) -> Vec<u32> {
    let mut kept = words[..HEADER_WORDS].to_vec();
    let mut at = HEADER_WORDS;
    let mut says_capability = false;
    while at < words.len() {
        let (op, length) = head(words[at]);
        if op != Op::Capability && !says_capability {
            says_capability = true;
            kept.extend([2 << 16 | Op::Capability as u32, Capability::DenormPreserve as u32]);
            let name = b"SPV_KHR_float_controls\0\0";
            kept.push((1 + name.len() as u32 / 4) << 16 | Op::Extension as u32);
            kept.extend(name.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])));
        }
        kept.extend(&words[at..(at + length).min(words.len())]);
        if op == Op::EntryPoint {
            let mode = ExecutionMode::DenormPreserve as u32;
            kept.extend([4 << 16 | Op::ExecutionMode as u32, words[at + 2], mode, 32]);
        }
        at += length;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::{Options, pipelines::Program};
    use super::*;
    use crate::model::{CompiledScene, GridChoice};
    use crate::scene::Scene;
    use crate::shaders::Sources;

    /// With `source`, SPIR-V has the names of functions and the text, for debuggers; without, it has neither.
    #[test]
    fn names_and_text_are_there_where_a_debugger_wants_them() {
        let scene = Scene::open("flock", &[]).unwrap();
        let model = CompiledScene::new(&scene, GridChoice::default()).unwrap();
        let text = Sources::default().module_text(&model).unwrap();
        let program = Program::new(&model, &Options::default(), false, false).unwrap();
        let (.., entry) = program.entries.iter().find(|(stage, ..)| stage.id == crate::model::StageId::Steer).unwrap();
        let holds = |source: Option<&str>, wanted: &str| {
            let words = words(&entry.module, &entry.info, Float::AsWritten, false, source).unwrap();
            let bytes = words.bytes();
            bytes.windows(wanted.len()).any(|found| found == wanted.as_bytes())
        };
        for wanted in ["steering_of", "// Stage steer: look at the neighbors"] {
            assert!(holds(Some(&text), wanted) && !holds(None, wanted), "{wanted}");
        }
    }
}
