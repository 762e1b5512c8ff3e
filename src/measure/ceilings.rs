//! The most that an adapter can do, measured on it: no part of a step is faster.

use super::median;
use crate::gpu::{Gpu, GpuError, passes, resources::zeros};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The three ceilings; `None` for one that could not be measured, because other programs used the machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ceilings {
    /// Bytes read plus bytes written by a copy from buffer to buffer, GB/s.
    pub copy_gb_per_s: Option<f64>,
    /// Instructions of all lanes in chains in which each needs the result of the one before, 1e9/s.
    pub instructions_g_per_s: Option<f64>,
    /// Time of a dispatch that does next to nothing and waits for the one before, µs.
    pub dispatch_us: Option<f64>,
}

/// Vectors of four words that are copied on a software driver. A GPU copies 8 times as many, so that its caches cannot hold them.
const VECTORS: u64 = 1 << 20;
/// Invocations that multiply on a software driver. A GPU runs 32 times as many, because it has more lanes to fill.
const INVOCATIONS: u32 = 1 << 16;
/// Multiplications of each invocation in the shader: 32 rounds of 16 vectors of four.
const CHAIN: u32 = 32 * 16 * 4;
/// Empty dispatches in a row.
const DISPATCHES: u32 = 64;
const SAMPLES: u32 = 5;

const SHADERS: &str = "
@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4u>;

@compute @workgroup_size(64)
fn copy(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = at.y * groups.x * 64u + at.x;
    if (index < arrayLength(&source)) {
        target_[index] = source[index];
    }
}

@compute @workgroup_size(64)
fn chain(@builtin(global_invocation_id) at: vec3u) {
    // Eight chains in each lane, because one alone waits for its own results where few lanes run.
    let factor = vec4f(bitcast<f32>(source[0].x) + 0.999);
    var x = vec4f(at.xyxy) + 1.0;
    var y = x + 1.0;
    for (var round = 0u; round < 32u; round += 1u) {
        x *= factor; y *= factor; x *= factor; y *= factor; x *= factor; y *= factor; x *= factor; y *= factor;
        x *= factor; y *= factor; x *= factor; y *= factor; x *= factor; y *= factor; x *= factor; y *= factor;
    }
    // Never, and no compiler knows.
    if (dot(x, y) == 12345.678) {
        target_[0] = vec4u(1u);
    }
}

@compute @workgroup_size(1)
fn nothing() {
    target_[0].x += source[0].x;
}
";

impl Ceilings {
    /// Measure them. Takes a second or so.
    ///
    /// # Errors
    /// A device that failed, or has no memory for two buffers of 128 MiB (of 16 MiB on a software driver).
    pub fn measure(gpu: &Gpu) -> Result<Ceilings, GpuError> {
        let limits = gpu.device.limits();
        let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let vectors = if gpu.software() { VECTORS } else { VECTORS * 8 };
        let bytes = (vectors * 16).min(most / 16 * 16);
        let buffer = |label| zeros(&gpu.device, label, bytes, wgpu::BufferUsages::STORAGE);
        let (buffers, [copy, chain, nothing]) = gpu.guarded(|| {
            let names = ["copy", "chain", "nothing"];
            ([buffer("source"), buffer("target")], passes::pipelines(&gpu.device, "ceilings", SHADERS, names))
        })?;
        let groups = (bytes / 16).div_ceil(64) as u32;
        let width = groups.min(65535);
        let copy = time(gpu, &copy, &buffers, [width, groups.div_ceil(width)], 1)?;
        let invocations = if gpu.software() { INVOCATIONS } else { INVOCATIONS * 32 };
        let chain = time(gpu, &chain, &buffers, [invocations / 64, 1], 1)?;
        let nothing = time(gpu, &nothing, &buffers, [1, 1], DISPATCHES)?;
        Ok(Ceilings {
            copy_gb_per_s: copy.map(|time| 2.0 * bytes as f64 / time / 1e9),
            instructions_g_per_s: chain.map(|time| f64::from(invocations) * f64::from(CHAIN) / time / 1e9),
            dispatch_us: nothing.map(|time| time * 1e6 / f64::from(DISPATCHES)),
        })
    }
}

/// The median time of a number of dispatches in a row, s, less the time of an empty submission; `None` if a sample of it is not longer than
/// that submission, and so nothing but noise.
fn time(
    gpu: &Gpu,
    pipeline: &wgpu::ComputePipeline,
    buffers: &[wgpu::Buffer; 2],
    groups: [u32; 2],
    dispatches: u32,
) -> Result<Option<f64>, GpuError> {
    let group = passes::group(&gpu.device, pipeline, passes::entire((0..).zip(buffers)));
    let run = |times: u32| -> Result<f64, GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        for _ in 0..times {
            pass.dispatch_workgroups(groups[0], groups[1], 1);
        }
        drop(pass);
        let start = Instant::now();
        gpu.queue.submit([encoder.finish()]);
        gpu.wait_for(None)?;
        Ok(start.elapsed().as_secs_f64())
    };
    run(dispatches)?;
    let mut times = Vec::new();
    for _ in 0..SAMPLES {
        let submission = run(0)?;
        times.push(run(dispatches)? - submission);
    }
    gpu.check()?;
    Ok(times.iter().all(|time| *time > 0.0).then(|| median(&times)))
}
