//! Finds out how a device rounds, by running a shader on it: Vulkan allows several ways and does not tell which a device uses.

use super::error::scoped;
use super::precise::{self, Float};
use super::resources::{READ, WRITE, filled, group, layout, pipeline, zeros};
use super::rounding::FUNCTIONS;
use crate::model::random;
use crate::scene::{reason, validate};
use std::sync::mpsc;
use std::time::Duration;

const PROBE: &str = include_str!("../../shaders/read/probe.wgsl");

/// Pairs of numbers that the probe computes with; a multiple of 64, the threads of a workgroup.
const PAIRS: u32 = 1 << 13;

/// Longest wait for the probe. A device that takes longer is not exact.
const LONGEST: Duration = Duration::from_secs(30);

/// How float operations have to be written for a device that takes SPIR-V, so that it computes what IEEE 754 says; `None` if neither way
/// does. Blocks until the device has answered.
pub(super) fn float(device: &wgpu::Device, queue: &wgpu::Queue) -> Option<Float> {
    let right = |float: &Float| is_right(device, queue, *float).unwrap_or(false);
    [Float::AsWritten, Float::Rounded(&FUNCTIONS)].into_iter().find(right)
}

/// The pair number `k`. Some pairs have medium exponents, some any exponent, and some are at the ends of the range of floats.
fn pair(k: u32) -> [f32; 2] {
    let any = random::hash4([k, 5, 6, 7]);
    let medium = |bits: u32| (bits & 0x80ff_ffff) + 0x3f00_0000;
    let ends = [0, 1, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x7f80_0000, 0x3f80_0000, 0x3fff_ffff];
    let bits = match k % 4 {
        0 | 1 => [medium(any[0]), medium(any[1])],
        // Quotients and products of this kind are often subnormal.
        2 => [any[0] & 0x9fff_ffff, any[1]],
        _ => [ends[any[0] as usize % 8], if any[2] & 1 == 0 { any[1] } else { ends[any[1] as usize % 8] }],
    };
    bits.map(f32::from_bits)
}

/// What the probe must compute from a pair: quotient, root, product, and product plus a number.
fn expected([a, b]: [f32; 2]) -> [f32; 4] {
    [a / b, a.sqrt(), a * b, a * b + a]
}

/// Does the device compute what IEEE 754 says, with float operations written this way?
///
/// # Errors
/// The device refuses something, or does not answer.
fn is_right(device: &wgpu::Device, queue: &wgpu::Queue, float: Float) -> Result<bool, String> {
    let module = naga::front::wgsl::parse_str(PROBE).map_err(|error| error.to_string())?;
    let info = validate(&module).map_err(|error| reason(error.as_inner()))?;
    let words = precise::words(&module, &info, float, false, None)?;
    let pairs: Vec<[f32; 2]> = (0..PAIRS).map(pair).collect();
    let ((staging, submission), answer) = scoped(device, || submit(device, queue, &words, &pairs));
    if let Some(error) = pollster::block_on(answer) {
        return Err(error.to_string());
    }
    let (sender, answer) = mpsc::channel();
    staging.map_async(wgpu::MapMode::Read, .., move |mapped| sender.send(mapped).unwrap_or(()));
    let wait = wgpu::PollType::Wait { submission_index: Some(submission), timeout: Some(LONGEST) };
    device.poll(wait).map_err(|error| error.to_string())?;
    answer.recv().map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    let bytes = staging.get_mapped_range(..).map_err(|error| error.to_string())?;
    let found: &[u32] = bytemuck::cast_slice(&bytes);
    let same = |(a, b): (f32, &u32)| a.to_bits() == *b || (a.is_nan() && f32::from_bits(*b).is_nan());
    Ok(pairs.iter().flat_map(|pair| expected(*pair)).zip(found).all(same))
}

/// Submit the probe. Its results are copied into the returned staging buffer.
fn submit(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    words: &precise::Words,
    pairs: &[[f32; 2]],
) -> (wgpu::Buffer, wgpu::SubmissionIndex) {
    let layout = layout(device, "probe", wgpu::ShaderStages::COMPUTE, &[READ, WRITE]);
    let pipeline = pipeline(device, "probe", &layout, &precise::load(device, "probe", 64, words));
    let given = filled(device, "probe", pairs, wgpu::BufferUsages::STORAGE);
    let size = 16 * pairs.len() as u64;
    let found = zeros(device, "probe", size, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
    let staging = zeros(device, "probe", size, wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ);
    let bound = [&given, &found].map(wgpu::Buffer::as_entire_binding);
    let group = group(device, "probe", &layout, bound);
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(PAIRS / 64, 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&found, 0, &staging, 0, size);
    let submission = queue.submit([encoder.finish()]);
    (staging, submission)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::rounding::{ROUNDED, functions};
    use crate::gpu::{AdapterChoice, Gpu, Options, Simulation};
    use crate::model::State;
    use crate::scene::Scene;

    /// The functions of [`ROUNDED`], but with the driver's own division and root in place of the steps that need an `fma` that rounds
    /// once.
    fn of_the_driver() -> String {
        let body = |text: &str, name: &str, body: &str| {
            let (before, rest) = text.split_once(&format!("fn {name}(")).expect(name);
            let (head, rest) = rest.split_once("{\n").unwrap();
            let (_, after) = rest.split_once("\n}\n").unwrap();
            format!("{before}fn {name}({head}{{\n{body}\n}}\n{after}")
        };
        body(&body(ROUNDED, "divided", "    return a / b;"), "medium_root", "    return sqrt(x);")
    }

    fn asked(gpu: &Gpu, float: Float) -> bool {
        is_right(&gpu.device, &gpu.queue, float).unwrap()
    }

    fn leaked(text: &str) -> Float {
        Float::Rounded(Box::leak(Box::new(functions(text))))
    }

    fn gpus() -> Vec<Gpu> {
        let usable = Gpu::adapters().iter().filter(|report| report.refusals.is_empty()).count();
        let gpus = (0..usable).map(|index| Gpu::open(&AdapterChoice::Index(index)).unwrap());
        gpus.filter(|gpu| gpu.exact).collect()
    }

    /// Software drivers count as exact without being probed; here they are probed. llvmpipe divides right by itself, so there the
    /// functions are tried without the steps that need an `fma` that rounds once, and a mistake in any other step is noticed.
    #[test]
    fn a_device_is_asked_how_it_rounds() {
        let (own, gpus) = (of_the_driver(), gpus());
        assert!(!gpus.is_empty());
        for gpu in gpus {
            // SwiftShader flushes subnormal numbers to 0.
            if gpu.info.name.starts_with("SwiftShader") {
                assert!(!asked(&gpu, Float::AsWritten));
                continue;
            }
            assert!(asked(&gpu, gpu.float.unwrap()), "{}", gpu.title());
            if !gpu.software() {
                continue;
            }
            assert!(asked(&gpu, leaked(&own)), "{}", gpu.title());
            for (from, to) in [
                ("return a / b;", "return a * (1.0 / b);"),
                ("return sqrt(x);", "return x * inverseSqrt(x);"),
                ("1 - i32(zeros)", "i32(zeros)"),
                ("rest > 0.0 ||", "rest < 0.0 ||"),
                ("lost > half", "lost >= half"),
                ("exponent > 0)", "exponent >= 0)"),
                ("exponent >= 255", "exponent >= 254"),
                ("sign | INFINITE;\n    }\n    let digits", "sign;\n    }\n    let digits"),
                ("return sign;", "return 0u;"),
                ("odd == 1", "odd == 0"),
                ("x == INFINITE", "x > INFINITE"),
            ] {
                assert_eq!(own.matches(from).count(), 1, "{from}");
                let wrong = leaked(&own.replace(from, to));
                assert!(!asked(&gpu, wrong), "{from} to {to} on {}", gpu.title());
            }
        }
    }

    /// A flock has the same digest with functions in place of its divisions and roots, and another digest if a function is slightly
    /// wrong.
    #[test]
    fn calls_take_the_place_of_divisions_and_roots() {
        let off = |text: &str, from: &str| text.replace(from, &from.replace("return ", "return 1.0000001 * "));
        let own = of_the_driver();
        for gpu in gpus().iter_mut().filter(|gpu| gpu.software()) {
            let scene = Scene::open("flock", &[]).unwrap().with_agents(600).unwrap();
            let mut digest = |float: Float| {
                gpu.float = Some(float);
                let mut simulation = Simulation::new(gpu, &scene, &State::initial(&scene), Options::default()).unwrap();
                simulation.step(5).unwrap();
                simulation.observe().unwrap().digest_hex()
            };
            let expected = digest(Float::AsWritten);
            assert_eq!(digest(leaked(&own)), expected, "{}", gpu.title());
            for from in ["return a / b;", "return sqrt(x);"] {
                assert_ne!(digest(leaked(&off(&own, from))), expected, "{from} on {}", gpu.title());
            }
        }
    }
}
