//! A simulation on the caller's own device.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use steerling::gpu::{Gpu, GpuError, Options, Simulation};
use steerling::model::{STAGES, State};
use steerling::scene::Scene;
use steerling::wgpu;

/// A device as a caller makes it, with nothing installed on it.
fn own_device() -> (wgpu::Device, wgpu::Queue) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).unwrap();
    let descriptor = wgpu::DeviceDescriptor {
        required_features: adapter.features() & wgpu::Features::PASSTHROUGH_SHADERS,
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&descriptor)).unwrap()
}

/// Commands that the device refuses: a copy into a buffer that no copy may write.
fn submit_nonsense(gpu: &Gpu) {
    let buffer = |usage| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor { label: None, size: 64, usage, mapped_at_creation: false })
    };
    let (from, to) = (buffer(wgpu::BufferUsages::COPY_SRC), buffer(wgpu::BufferUsages::STORAGE));
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(&from, 0, &to, 0, 64);
    gpu.queue.submit([encoder.finish()]);
}

#[test]
fn a_failure_on_the_callers_device_is_reported() {
    let (device, queue) = own_device();
    let gpu = Gpu::from_device(device, queue);
    gpu.check().unwrap();
    submit_nonsense(&gpu);
    assert!(gpu.check().is_err(), "a refused submission went unnoticed");
}

fn flock(gpu: &Gpu) -> Simulation {
    let scene = Scene::open("flock", &[]).unwrap().with_agents(200).unwrap();
    Simulation::new(gpu, &scene, &State::initial(&scene), Options::default()).unwrap()
}

/// What does not fit the bindings of a device is refused with the number that fits, and so many run as they do elsewhere.
#[test]
fn small_bindings_hold_fewer_agents() {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).unwrap();
    let small = wgpu::Limits { max_storage_buffer_binding_size: 1 << 20, ..adapter.limits() };
    let descriptor = wgpu::DeviceDescriptor {
        required_features: adapter.features() & wgpu::Features::PASSTHROUGH_SHADERS,
        required_limits: small,
        ..Default::default()
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let (gpu, other) = (Gpu::from_device(device, queue), support::gpu());
    for preset in ["flock", "fish_tank"] {
        let scene = |agents| Scene::open(preset, &[]).unwrap().with_agents(agents).unwrap();
        let start = |gpu: &Gpu, scene: &Scene| Simulation::new(gpu, scene, &State::initial(scene), Options::default());
        let refused = start(&gpu, &scene(400_000)).err().unwrap();
        let GpuError::TooLarge { agents: 400_000, needed, available, fits, .. } = refused else { panic!("{refused}") };
        assert!(needed > available && available == 1 << 20, "{preset}: {needed} of {available}");
        assert!((20_000..140_000).contains(&fits), "{preset}: {fits}");
        // Two are spared for a table of cells that has two more.
        let more = Simulation::check(&gpu, &scene(fits + 3), &Options::default());
        assert!(matches!(more, Err(GpuError::TooLarge { .. })), "{preset}: {fits} are not the most");
        let scene = scene(fits);
        let digest = |gpu: &Gpu| {
            let mut simulation = start(gpu, &scene).unwrap();
            simulation.step(2).unwrap();
            simulation.observe().unwrap().digest_hex()
        };
        assert_eq!(digest(&gpu), digest(&other), "{preset}, {fits} agents");
    }
}

#[test]
fn own_handlers_stay_and_may_report() {
    let (device, queue) = own_device();
    let heard = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&heard);
    device.on_uncaptured_error(Arc::new(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    }));
    let gpu = Gpu::from_device_with_own_handlers(device, queue);
    submit_nonsense(&gpu);
    assert!(heard.load(Ordering::Relaxed) > 0, "the caller's handler is still there");
    gpu.check().unwrap();
    gpu.report("the caller saw it");
    assert!(gpu.check().unwrap_err().to_string().contains("the caller saw it"));
}

#[test]
fn what_is_not_submitted_does_not_count() {
    let gpu = support::gpu();
    let (mut simulation, mut other) = (flock(&gpu), flock(&gpu));
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    simulation.encode_step(&mut encoder);
    drop(encoder);
    assert_eq!(simulation.steps(), 0);
    // Two steps in commands of the caller are two steps.
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    simulation.encode_step(&mut encoder);
    for stage in 0..STAGES.len() {
        simulation.encode_stages(&mut encoder, stage..=stage);
    }
    gpu.queue.submit([encoder.finish()]);
    simulation.submitted(2);
    other.step(2).unwrap();
    assert_eq!(simulation.steps(), 2);
    assert_eq!(simulation.observe().unwrap(), other.observe().unwrap());
}

/// Adds a wind to the acceleration of every agent.
const OWN_FORCE: &str = "
@group(0) @binding(0) var<storage, read_write> acceleration: array<vec2f>;
@compute @workgroup_size(64)
fn wind(@builtin(global_invocation_id) at: vec3u) {
    if (at.x < arrayLength(&acceleration)) {
        acceleration[at.x] += vec2f(3.0, 0.0);
    }
}";

/// A pass of the caller between steering and moving: an own force, and nothing goes through the host.
#[test]
fn an_own_force_acts_between_steering_and_moving() {
    let gpu = support::gpu();
    let mean_speed_east = |blows: bool| {
        let mut simulation = flock(&gpu);
        let source = wgpu::ShaderSource::Wgsl(OWN_FORCE.into());
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: simulation.acceleration_buffer().as_entire_binding(),
            }],
        });
        let before = gpu.transferred();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for _ in 0..20 {
            simulation.encode_steering(&mut encoder);
            if blows {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(200u32.div_ceil(64), 1, 1);
            }
            simulation.encode_motion(&mut encoder);
        }
        gpu.queue.submit([encoder.finish()]);
        simulation.submitted(20);
        assert_eq!(gpu.transferred(), before, "nothing goes through the host");
        let state = simulation.state().unwrap();
        state.velocities.iter().map(|v| f64::from(v[0])).sum::<f64>() / state.velocities.len() as f64
    };
    let (calm, windy) = (mean_speed_east(false), mean_speed_east(true));
    assert!(windy > calm + 0.3, "{windy} u/s with the wind, {calm} without");
}

/// What is read without waiting is the state as it was when it was asked for.
#[test]
fn reading_need_not_wait() {
    let gpu = support::gpu();
    let mut simulation = flock(&gpu);
    simulation.step(3).unwrap();
    let expected = (simulation.state().unwrap(), simulation.snapshot().unwrap(), simulation.words("id").unwrap());
    let later = (simulation.read_state(), simulation.read_snapshot(), simulation.read_words("id").unwrap());
    simulation.step(3).unwrap();
    assert!(simulation.state().unwrap() != expected.0, "the run went on");
    while !later.0.poll_device().unwrap() {
        std::thread::yield_now();
    }
    // As a future, which is ready now that the device was waited for.
    let state = pollster::block_on(later.0).unwrap();
    assert!((state, later.1.wait().unwrap(), later.2.wait().unwrap()) == expected);
    assert!(matches!(simulation.read_words("no such"), Err(GpuError::NoBuffer { .. })));
}

#[test]
fn worlds_share_pipelines_where_they_fit() {
    let gpu = support::gpu();
    let scene = |text: &str| Scene::parse(&format!("schema = 1\n{text}"), "small.toml", &[]).unwrap();
    let flock = |seed: u32, agents: u32| {
        scene(&format!(
            "seed = {seed}\nworld.size = [30, 40]\n[[species]]\ncount = {agents}\nbehaviors.cohesion = {{}}\n"
        ))
    };
    let first = Simulation::new(&gpu, &flock(1, 50), &State::initial(&flock(1, 50)), Options::default()).unwrap();
    for (seed, agents) in [(2, 50), (3, 1), (4, 512)] {
        let scene = flock(seed, agents);
        let start = State::initial(&scene);
        let mut shared = Simulation::with_pipelines(&gpu, &scene, &start, first.pipelines().clone()).unwrap();
        assert!(Arc::ptr_eq(shared.pipelines(), first.pipelines()));
        let mut own = Simulation::new(&gpu, &scene, &start, Options::default()).unwrap();
        shared.step(5).unwrap();
        own.step(5).unwrap();
        assert_eq!(shared.observe().unwrap(), own.observe().unwrap());
    }
    let refused = [
        (
            scene("world.size = [30, 40]\n[[species]]\ncount = 9\nbehaviors.separation = {}\n"),
            "the set of behaviors that act",
        ),
        // More agents than a cell shows.
        (flock(4, 513), "`crowds`"),
        (scene("world.size = [20, 20, 20]\n[[species]]\ncount = 9\nbehaviors.cohesion = {}\n"), "dimensions"),
    ];
    for (scene, reason) in refused {
        let error = Simulation::with_pipelines(&gpu, &scene, &State::initial(&scene), first.pipelines().clone());
        let error = error.unwrap_err();
        assert!(matches!(error, GpuError::OtherPipelines { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
    let (device, queue) = own_device();
    let elsewhere = Gpu::from_device(device, queue);
    let start = State::initial(&flock(1, 50));
    let error = Simulation::with_pipelines(&elsewhere, &flock(1, 50), &start, first.pipelines().clone());
    assert!(matches!(error, Err(GpuError::OtherPipelines { .. })));
}

/// What is drawn can be a vertex buffer of the caller's own pipeline.
#[test]
fn agents_can_be_drawn_as_vertices() {
    let gpu = support::gpu();
    let simulation = flock(&gpu);
    for buffer in [simulation.position_buffer(), simulation.velocity_buffer(), simulation.id_buffer()] {
        assert!(buffer.usage().contains(wgpu::BufferUsages::VERTEX));
    }
}
