//! A compute pass of your own between steps: it reads the positions on the GPU, and counts how often agents were in each part
//! of the world. Only the counts come to the host, at the end.

use steerling::gpu::{AdapterChoice, Gpu, Options, Simulation};
use steerling::{model::State, scene::Scene, wgpu};

const AGENTS: u32 = 10_000;
const STEPS: u32 = 200;
const COLUMNS: u32 = 32;
const ROWS: u32 = 16;

const COUNT: &str = "
override agents: u32;
override width: f32;
override height: f32;
@group(0) @binding(0) var<storage, read> position: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> visits: array<atomic<u32>, 512>;

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) at: vec3u) {
    if (at.x < agents) {
        let part = (position[at.x] / vec2f(width, height) + 0.5) * vec2f(32.0, 16.0);
        let cell = min(vec2u(max(part, vec2f(0.0))), vec2u(31u, 15u));
        atomicAdd(&visits[cell.y * 32u + cell.x], 1u);
    }
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Gpu::open(&AdapterChoice::Best)?;
    let scene = Scene::open("flock", &[])?.with_agents(AGENTS)?;
    let mut simulation = Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default())?;

    let size = u64::from(4 * COLUMNS * ROWS);
    let make = |usage| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    };
    let visits = make(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
    let readable = make(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let world = scene.world.size;
    let source = wgpu::ShaderSource::Wgsl(COUNT.into());
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("count"),
        layout: None,
        module: &gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source }),
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &[("agents", AGENTS.into()), ("width", world.x.into()), ("height", world.y.into())],
            ..Default::default()
        },
        cache: None,
    });
    let buffers = [simulation.position_buffer(), &visits];
    let bind_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[0, 1]
            .map(|binding| wgpu::BindGroupEntry { binding, resource: buffers[binding as usize].as_entire_binding() }),
    });

    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    for _ in 0..STEPS {
        simulation.encode_step(&mut encoder);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups(AGENTS.div_ceil(64), 1, 1);
    }
    encoder.copy_buffer_to_buffer(&visits, 0, &readable, 0, size);
    gpu.queue.submit([encoder.finish()]);
    simulation.submitted(STEPS);

    readable.slice(..).map_async(wgpu::MapMode::Read, |_| ());
    gpu.wait()?;
    let bytes = readable.slice(..).get_mapped_range()?;
    let counts: &[u32] = bytemuck::cast_slice(&bytes);
    let most = counts.iter().max().copied().unwrap_or(0).max(1);
    for row in counts.chunks(COLUMNS as usize).rev() {
        let shade = |count: &u32| [' ', '.', ':', '+', '#', '@'][(*count * 5 / most) as usize];
        println!("{}", row.iter().map(shade).collect::<String>());
    }
    let all: u32 = counts.iter().sum();
    println!("{all} visits of {AGENTS} agents in {} steps", simulation.steps());
    assert_eq!(all, AGENTS * STEPS);
    Ok(())
}
