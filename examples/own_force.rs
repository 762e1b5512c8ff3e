//! A force of your own on the GPU: a compute pass of the caller adds to the accelerations of steering, before the agents move.
//! Nothing is copied between host and device.

use steerling::gpu::{AdapterChoice, Gpu, Options, Simulation};
use steerling::{model::State, scene::Scene, wgpu};

const AGENTS: u32 = 10_000;

/// A spring that pulls agents to the center: 0.5 u/s² per u. Accelerations lie in sorted order, as the sorted positions do.
const SPRING: &str = "
override agents: u32;
@group(0) @binding(0) var<storage, read> sorted_position: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> acceleration: array<vec2f>;

@compute @workgroup_size(64)
fn spring(@builtin(global_invocation_id) at: vec3u) {
    if (at.x < agents) {
        acceleration[at.x] -= 0.5 * sorted_position[at.x];
    }
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Gpu::open(&AdapterChoice::Best)?;
    let scene = Scene::open("flock", &[])?.with_agents(AGENTS)?;
    let mut simulation = Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default())?;

    let source = wgpu::ShaderSource::Wgsl(SPRING.into());
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("spring"),
        layout: None,
        module: &gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source }),
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &[("agents", AGENTS.into())],
            ..Default::default()
        },
        cache: None,
    });
    let buffers = [simulation.sorted_position_buffer(), simulation.acceleration_buffer()];
    let bind_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[0, 1]
            .map(|binding| wgpu::BindGroupEntry { binding, resource: buffers[binding as usize].as_entire_binding() }),
    });

    println!("{:.1} u from the center on average at the start", mean_distance(&simulation.state()?));
    let copied = gpu.transferred();
    for _ in 0..10 {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for _ in 0..20 {
            simulation.encode_steering(&mut encoder);
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bind_group, &[]);
            pass.dispatch_workgroups(AGENTS.div_ceil(64), 1, 1);
            drop(pass);
            simulation.encode_motion(&mut encoder);
        }
        gpu.queue.submit([encoder.finish()]);
        // Recorded steps count once they are submitted, which only the caller knows.
        simulation.submitted(20);
    }
    println!("{} bytes copied in {} steps", gpu.transferred() - copied, simulation.steps());
    println!("{:.1} u from the center on average at the end", mean_distance(&simulation.state()?));
    Ok(())
}

/// Mean distance from the origin, u.
fn mean_distance(state: &State) -> f64 {
    let distances = state.positions.iter().map(|[x, y, _]| f64::from(x.hypot(*y)));
    distances.sum::<f64>() / state.positions.len() as f64
}
