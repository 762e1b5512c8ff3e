//! A simulation on the caller's own device.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use steerling::cpu::{self, Execution};
use steerling::engine::{Backend, Engine};
use steerling::gpu::{AdapterChoice, Gpu, GpuError, Options, Simulation};
use steerling::measure::Load;
use steerling::model::{BUFFERS, BufferId, STAGES, StageId, State};
use steerling::scene::Scene;
use steerling::verify::{Plan, verify};
use steerling::wgpu;
use support::{
    device_of, digest, gpu, gpu_adapter, gpu_of_its_own, on_cpu, on_gpu, parsed, preset, raw_device, refused,
    rewritten, with_column,
};

/// A device as a caller makes it.
fn own_device() -> (wgpu::Device, wgpu::Queue) {
    raw_device(&gpu_adapter(), wgpu::Limits::default())
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

/// A device of the caller, and how many errors its handler has heard of.
fn listening() -> (Gpu, Arc<AtomicU32>) {
    let (device, queue) = own_device();
    let heard = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&heard);
    device.on_uncaptured_error(Arc::new(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    }));
    (Gpu::from_device(device, queue), heard)
}

/// The digest of a run that nothing disturbs.
fn undisturbed(steps: u32) -> String {
    digest(&gpu(), &preset("flock", 200, &[]), Options::default(), steps)
}

/// Errors of the caller's own calls go to the caller's handler, and simulations go on.
#[test]
fn what_a_game_does_wrong_is_its_own() {
    let (gpu, heard) = listening();
    let mut worlds = [flock(&gpu), flock(&gpu)];
    for _ in 0..3 {
        worlds.iter_mut().for_each(|world| world.step(1).unwrap());
        submit_nonsense(&gpu);
        let layout =
            gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &[] });
        let resource = worlds[0].position_buffer().as_entire_binding();
        let entries = [wgpu::BindGroupEntry { binding: 0, resource }];
        let group = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
        drop(gpu.device.create_bind_group(&group));
    }
    assert!(heard.load(Ordering::Relaxed) >= 6, "{heard:?} errors are all that the handler heard of");
    gpu.check().unwrap();
    gpu.wait().unwrap();
    for world in &worlds {
        assert_eq!(world.observe().unwrap().digest_hex(), undisturbed(3));
    }
    // On a device that the library opened there is no other handler: `check` tells, and simulations go on all the same.
    let gpu = gpu_of_its_own();
    let mut world = flock(&gpu);
    submit_nonsense(&gpu);
    assert!(gpu.check().is_err() && gpu.wait().is_err(), "a refused submission went unnoticed");
    world.step(3).unwrap();
    assert_eq!(world.observe().unwrap().digest_hex(), undisturbed(3));
    Engine::Gpu(Box::new(world)).step(1).unwrap();
}

/// What goes wrong in one world is returned by its own calls, and no handler hears of it.
#[test]
fn an_error_of_one_world_is_its_own() {
    let (gpu, heard) = listening();
    let (mut broken, mut other) = (flock(&gpu), flock(&gpu));
    broken.step(1).unwrap();
    other.step(1).unwrap();
    broken.write_words(BufferId::Velocity, &[0; 4000]);
    assert!(broken.step(1).is_err(), "more words than there are were written");
    broken.write_words(BufferId::Velocity, &[0; 4000]);
    assert!(broken.states(1, 1).is_err() && broken.steps() == 1);
    broken.states(1, 1).unwrap();
    broken.position_buffer().destroy();
    let refused = [
        ("step", broken.step(1).is_err()),
        ("stage", broken.run_stage(StageId::Bin).is_err()),
        ("observe", broken.observe().is_err()),
        ("observations", broken.observations(1, 1).is_err()),
        ("state", broken.state().is_err()),
        ("motion", broken.motion(0..1).is_err()),
        ("motion of nobody", matches!(other.motion(0..u32::MAX), Err(GpuError::NoAgent { agents: 200, .. }))),
        ("states", broken.states(1, 1).is_err()),
        ("snapshot", broken.snapshot().is_err()),
        ("words", broken.words(BufferId::Position).is_err()),
        ("agents", broken.read_agents(&[1]).unwrap().wait().is_err()),
        ("set_state", broken.set_state(&State::initial(&broken.scene().clone())).is_err()),
    ];
    assert!(refused.iter().all(|(_, refused)| *refused), "{refused:?}");
    let scene = broken.scene().with_agents(50_000_000).unwrap();
    assert!(Simulation::check(&gpu, &scene, &Options::default()).is_err() && broken.change(&scene).is_err());
    assert_eq!(heard.load(Ordering::Relaxed), 0);
    other.step(2).unwrap();
    assert_eq!(other.observe().unwrap().digest_hex(), undisturbed(3));
    flock(&gpu).step(1).unwrap();
    // A lost device ends all.
    gpu.device.destroy();
    assert!(other.step(1).and_then(|()| gpu.wait()).is_err() && other.step(1).is_err());
    let lost = |what: &str, called: Result<(), GpuError>| {
        assert!(matches!(called, Err(GpuError::Lost(_))), "{what}: {called:?}");
    };
    lost("check", gpu.check());
    lost("observe", other.observe().map(drop));
    lost("agents", other.read_agents(&[1]).and_then(|agents| agents.wait()).map(drop));
    let maze = preset("maze", 100, &[]);
    lost("new", Simulation::new(&gpu, &maze, &State::initial(&maze), Options::default()).map(drop));
}

fn flock(gpu: &Gpu) -> Simulation {
    on_gpu(gpu, &preset("flock", 200, &[]), Options::default())
}

/// What does not fit the bindings of a device is refused with the number that fits, and so many run as they do elsewhere.
#[test]
fn small_bindings_hold_fewer_agents() {
    let adapter = gpu_adapter();
    let small = device_of(&adapter, wgpu::Limits { max_storage_buffer_binding_size: 1 << 20, ..adapter.limits() });
    for name in ["flock", "fish_tank"] {
        let check = |agents: u32| Simulation::check(&small, &preset(name, agents, &[]), &Options::default());
        let refused = check(400_000).unwrap_err();
        let GpuError::TooLarge { agents: 400_000, needed, available, fits, .. } = refused else { panic!("{refused}") };
        assert!(needed > available && available == 1 << 20, "{name}: {needed} of {available}");
        assert!((20_000..140_000).contains(&fits), "{name}: {fits}");
        // Two are spared for a table of cells that has two more.
        assert!(matches!(check(fits + 3), Err(GpuError::TooLarge { .. })), "{name}: {fits} are not the most");
        let digest = |gpu: &Gpu| digest(gpu, &preset(name, fits, &[]), Options::default(), 2);
        assert_eq!(digest(&small), digest(&gpu()), "{name}, {fits} agents");
    }
}

/// Who listens for the loss of the device says what was heard.
#[test]
fn own_handlers_stay_and_may_report() {
    let (device, queue) = own_device();
    let gpu = Gpu::from_device_with_own_handlers(device, queue);
    let mut world = flock(&gpu);
    gpu.check().unwrap();
    gpu.report("the caller saw it");
    refused(gpu.check(), &["the caller saw it"]);
    refused(world.step(1), &["the caller saw it"]);
}

/// Whatever takes a state or a snapshot refuses columns of other lengths, and is as it was before.
#[test]
fn columns_of_other_lengths_are_refused() {
    let gpu = gpu();
    // One whose agents remember, keep poses and look at a ground.
    for name in ["flock", "queue", "ants_trail"] {
        let scene = preset(name, 200, &[]);
        let whole = State::initial(&scene);
        let (mut simulation, mut reference) = (on_gpu(&gpu, &scene, Options::default()), on_cpu(&scene));
        simulation.step(2).unwrap();
        reference.step(2);
        let before = (simulation.observe().unwrap(), reference.observe());
        let (states, poses) = ([&whole.velocities[..100], &[whole.velocities.clone(), vec![[0.0; 3]]].concat()], 3);
        let mut wrong = states.map(|velocities| State { velocities: velocities.to_vec(), ..whole.clone() }).to_vec();
        wrong.extend([0, 199, 201].map(|count| State { frozen: vec![false; count], ..whole.clone() }));
        wrong.push(State { poses: vec![bytemuck::Zeroable::zeroed(); poses], ..whole.clone() });
        wrong.push(State { positions: whole.positions[1..].to_vec(), ..whole.clone() });
        for state in wrong {
            assert!(state.check(&scene).is_err());
            let plan = Plan { steps: 1, free_steps: 1 };
            let refused = [
                Simulation::new(&gpu, &scene, &state, Options::default()).is_err(),
                Simulation::with_pipelines(&gpu, &scene, &state, simulation.pipelines().clone()).is_err(),
                simulation.set_state(&state).is_err(),
                cpu::Simulation::new(&scene, &state, Execution::Parallel).is_err(),
                reference.set_state(&state).is_err(),
                Backend::Cpu.start(&scene, &state).is_err(),
                verify(&gpu, &scene, &state, &Options::default(), plan, |_| ()).is_err(),
            ];
            assert_eq!(refused, [true; 7], "{name}");
        }
        let snapshot = simulation.snapshot().unwrap();
        let with = |column: BufferId, change: fn(&mut Vec<u32>)| with_column(&snapshot, column, change);
        let changes: [fn(&mut Vec<u32>); 3] =
            [|words| words.truncate(words.len() - 1), |words| words.push(0), Vec::clear];
        for (column, change) in snapshot.columns().flat_map(|(column, _)| changes.map(|change| (column, change))) {
            let wrong = with(column, change);
            // Looked at, it has whatever is whole in it.
            assert!(wrong.state().positions.len() <= 200);
            let refused = [
                simulation.restore(&wrong).is_err(),
                reference.restore(&wrong).is_err(),
                Load::count(&scene, &wrong).is_err(),
            ];
            assert_eq!(refused, [true; 3], "{name}: {column}");
        }
        let after = (simulation.observe().unwrap(), reference.observe());
        assert_eq!(after, before, "{name}: refused, and changed all the same");
        simulation.restore(&with(BufferId::Rank, Vec::clear)).unwrap();
        assert_eq!(simulation.observe().unwrap(), before.0);
    }
}

#[test]
fn what_is_not_submitted_does_not_count() {
    let gpu = gpu();
    let (mut simulation, mut other) = (flock(&gpu), flock(&gpu));
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    simulation.encode_step(&mut encoder);
    drop(encoder);
    assert_eq!(simulation.steps(), 0);
    // Two steps in commands of the caller are two steps.
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    simulation.encode_step(&mut encoder);
    for stage in STAGES {
        simulation.encode_stages(&mut encoder, stage.id..=stage.id);
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
    let gpu = gpu_of_its_own();
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
    let gpu = gpu();
    let mut simulation = flock(&gpu);
    simulation.step(3).unwrap();
    let expected =
        (simulation.state().unwrap(), simulation.snapshot().unwrap(), simulation.words(BufferId::Id).unwrap());
    let later = (simulation.read_state(), simulation.read_snapshot(), simulation.read_words(BufferId::Id).unwrap());
    simulation.step(3).unwrap();
    assert!(simulation.state().unwrap() != expected.0, "the run went on");
    while !later.0.poll_device().unwrap() {
        std::thread::yield_now();
    }
    // As a future, which is ready now that the device was waited for.
    let state = pollster::block_on(later.0).unwrap();
    assert!((state, later.1.wait().unwrap(), later.2.wait().unwrap()) == expected);
    assert!(matches!(simulation.read_words(BufferId::Found), Err(GpuError::NoBuffer { .. })));
    // Also of what lies in a texture.
    for buffer in BUFFERS.iter().map(|row| row.id) {
        assert_eq!(simulation.has(buffer), simulation.read_words(buffer).is_ok(), "{buffer}");
    }
}

#[test]
fn worlds_share_pipelines_where_they_fit() {
    let gpu = gpu();
    let scene = |text: &str| parsed(&format!("schema = 1\n{text}"), &[]);
    let flock = |seed: u32, agents: u32| {
        scene(&format!(
            "seed = {seed}\nworld.size = [30, 40]\n[[species]]\ncount = {agents}\nbehaviors.cohesion = {{}}\n"
        ))
    };
    let first = on_gpu(&gpu, &flock(1, 50), Options::default());
    for (seed, agents) in [(2, 50), (3, 1), (4, 512)] {
        let scene = flock(seed, agents);
        let start = State::initial(&scene);
        let mut shared = Simulation::with_pipelines(&gpu, &scene, &start, first.pipelines().clone()).unwrap();
        assert!(Arc::ptr_eq(shared.pipelines(), first.pipelines()));
        shared.step(5).unwrap();
        assert_eq!(shared.observe().unwrap().digest_hex(), digest(&gpu, &scene, Options::default(), 5));
    }
    let others = [
        (
            scene("world.size = [30, 40]\n[[species]]\ncount = 9\nbehaviors.separation = {}\n"),
            "the set of behaviors that act",
        ),
        // More agents than a cell shows.
        (flock(4, 513), "`crowds`"),
        (scene("world.size = [20, 20, 20]\n[[species]]\ncount = 9\nbehaviors.cohesion = {}\n"), "dimensions"),
    ];
    for (scene, reason) in others {
        let made = Simulation::with_pipelines(&gpu, &scene, &State::initial(&scene), first.pipelines().clone());
        let error = refused(made, &[reason]);
        assert!(matches!(error, GpuError::OtherPipelines { .. }), "{error}");
    }
    let elsewhere = device_of(&gpu_adapter(), wgpu::Limits::default());
    let start = State::initial(&flock(1, 50));
    let error = Simulation::with_pipelines(&elsewhere, &flock(1, 50), &start, first.pipelines().clone());
    assert!(matches!(error, Err(GpuError::OtherPipelines { .. })));
}

/// What is drawn can be a vertex buffer of the caller's own pipeline.
#[test]
fn agents_can_be_drawn_as_vertices() {
    let gpu = gpu();
    let simulation = flock(&gpu);
    for buffer in [simulation.position_buffer(), simulation.velocity_buffer(), simulation.id_buffer()] {
        assert!(buffer.usage().contains(wgpu::BufferUsages::VERTEX));
    }
}

/// A few agents, found by their ids on the GPU, are those of the whole state; and little is copied.
#[test]
fn agents_are_read_by_their_ids() {
    let gpu = gpu_of_its_own();
    for (name, agents) in [("flock", 5000), ("queue", 600), ("murmuration", 3000)] {
        let scene = preset(name, agents, &[]);
        let mut frozen = State::initial(&scene);
        frozen.frozen[7] = true;
        let mut simulation = Simulation::new(&gpu, &scene, &frozen, Options::default()).unwrap();
        assert_eq!(simulation.read_agents(&[]).unwrap().wait().unwrap(), []);
        simulation.step(4).unwrap();
        simulation.keep_accelerations(true);
        let ids = [agents - 1, 7, 0, 123, 123];
        let without = simulation.read_agents(&ids).unwrap().wait().unwrap();
        assert!(name != "flock" || !simulation.has_accelerations(), "strides keep none");
        assert!(without.iter().all(|agent| agent.acceleration.is_some() == simulation.has_accelerations()));
        simulation.step(1).unwrap();
        let copied = gpu.transferred();
        let pending = simulation.read_agents(&ids).unwrap();
        assert!(gpu.transferred() - copied < 1000, "{} bytes", gpu.transferred() - copied);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let slots = simulation.encode_slots(&mut encoder).unwrap().clone();
        assert_eq!(simulation.encode_slots(&mut encoder).unwrap(), &slots);
        gpu.queue.submit([encoder.finish()]);
        let slots = read(&gpu, &slots);
        let words = |buffer| simulation.words(buffer).unwrap();
        let (state, neighbors, acceleration) =
            (simulation.state().unwrap(), words(BufferId::Neighbors), words(BufferId::Acceleration));
        // What is asked for is as it was then.
        simulation.step(1).unwrap();
        let found = pending.wait().unwrap();
        assert_eq!(found.iter().map(|agent| agent.id).collect::<Vec<_>>(), ids);
        let components = acceleration.len() / agents as usize;
        for agent in &found {
            let (id, slot) = (agent.id as usize, agent.slot as usize);
            assert_eq!(slots[id], agent.slot);
            let expected = (state.positions[id], state.velocities[id], state.frozen[id], neighbors[slot]);
            assert_eq!((agent.position, agent.velocity, agent.frozen, agent.neighbors), expected, "{name}, {id}");
            let acceleration = acceleration[slot * components..][..components].iter().map(|word| f32::from_bits(*word));
            assert!(agent.acceleration.unwrap().into_iter().zip(acceleration).all(|(found, kept)| found == kept));
            assert_eq!(agent.pose, state.poses.get(id).copied(), "{name}, {id}");
        }
        assert_eq!(simulation.model().vehicles.pose, found[0].pose.is_some());
        assert!(found[1].frozen && !found[0].frozen);
        assert!(found[0].heading().is_some());
        // A step later they are elsewhere, so a stale answer would show.
        let later = simulation.read_agents(&ids).unwrap().wait().unwrap();
        assert!(later[0].position != found[0].position && later[1].position == found[1].position, "{name}");
        // An id that shaders of a user lost is left out, whatever was in its slot before.
        let mut words = simulation.words(BufferId::Id).unwrap();
        words.iter_mut().filter(|id| **id == 123).for_each(|id| *id = agents - 1);
        simulation.write_words(BufferId::Id, &words);
        let left = simulation.read_agents(&[123, 0]).unwrap().wait().unwrap();
        assert_eq!(left.iter().map(|agent| agent.id).collect::<Vec<_>>(), [0]);
        let error = simulation.read_agents(&[3, agents]).err();
        assert!(matches!(error, Some(GpuError::NoAgent { id, .. }) if id == agents));
        // Cells may lie in the memory of the accelerations.
        simulation.step(1).unwrap();
        assert!(simulation.has_accelerations());
        simulation.run_stage(StageId::Bin).unwrap();
        assert!(!simulation.has_accelerations());
    }
}

/// A binding of 1 MiB has 10,922 rows of agents.
#[test]
fn more_agents_are_read_than_one_binding_has_rows() {
    let limits = wgpu::Limits { max_storage_buffer_binding_size: 1 << 20, ..Default::default() };
    let simulation = on_gpu(&device_of(&gpu_adapter(), limits), &preset("flock", 25_000, &[]), Options::default());
    let ids: Vec<u32> = (0..25_000).rev().collect();
    let found = simulation.read_agents(&ids).unwrap().wait().unwrap();
    let state = simulation.state().unwrap();
    assert_eq!(found.iter().map(|agent| agent.id).collect::<Vec<_>>(), ids);
    assert!(found.iter().all(|agent| agent.position == state.positions[agent.id as usize]));
}

fn read(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<u32> {
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    let staging = wgpu::BufferDescriptor { label: None, size: buffer.size(), usage, mapped_at_creation: false };
    let staging = gpu.device.create_buffer(&staging);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
    gpu.queue.submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., |_| ());
    gpu.wait().unwrap();
    bytemuck::pod_collect_to_vec(&staging.get_mapped_range(..).unwrap()[..])
}

/// The ids of each species are in a row, and together they are all.
#[test]
fn species_are_ranges_of_ids() {
    let scene = Scene::open("bodyguards", &[]).unwrap();
    let ranges: Vec<_> = (0..scene.species.len()).map(|index| scene.species_ids(index).unwrap()).collect();
    assert_eq!(
        ranges.iter().map(|ids| ids.len() as u32).collect::<Vec<_>>(),
        scene.species.iter().map(|s| s.count).collect::<Vec<_>>()
    );
    assert!(ranges[0].start == 0 && ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
    assert_eq!(scene.species_ids(ranges.len()), None);
}

/// Sums over many agents, in any size of workgroups, are those of the reference; a row after each few steps is what observing after
/// each is.
#[test]
fn observations_are_those_of_the_reference() {
    // Not whole fours of agents: the texture that rows are loaded from holds so many in some texels.
    let spatial = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/benchmarks/bw_3d.toml");
    for (name, agents) in [("flock", 20_001), (spatial, 20_003)] {
        observations_are_those_of(&preset(name, agents, &[]));
    }
}

fn observations_are_those_of(scene: &Scene) {
    let gpu = gpu();
    let mut start = State::initial(scene);
    // Sums of many agents that all go one way, of which some are faster than the species allows, fit no 32 bits.
    start.velocities.iter_mut().for_each(|velocity| *velocity = [-30.0, -40.0, 0.0]);
    start.velocities.iter_mut().skip(50).step_by(700).for_each(|velocity| *velocity = [9000.0, 1.0, 0.0]);
    for id in [3, 70, 4100] {
        start.positions[id] = [f32::NAN; 3];
        start.frozen[id] = true;
    }
    let mut reference = cpu::Simulation::new(scene, &start, Execution::Parallel).unwrap();
    let expected = reference.observe();
    assert!(expected.bad_agents == 3 && expected.first_bad == Some(3) && expected.polarization > 0.99);
    reference.step(2);
    let rows = [expected, reference.observe()];
    for workgroup_size in [64, 128, 256] {
        let options = Options { workgroup_size, ..Options::default() };
        let mut simulation = Simulation::new(&gpu, scene, &start, options).unwrap();
        assert_eq!(simulation.observe().unwrap(), rows[0], "{workgroup_size}");
        assert_eq!(simulation.observations(1, 2).unwrap(), rows[1..], "{workgroup_size}");
        let later = simulation.observations(3, 2).unwrap();
        simulation.set_state(&start).unwrap();
        simulation.step(2).unwrap();
        for row in later {
            simulation.step(2).unwrap();
            assert_eq!(simulation.observe().unwrap(), row);
        }
    }
    // A shader that loses the upper half of a sum is seen, and one that forgets an agent.
    let half = rewritten("sim/observe.wgsl", "bitcast<u32>(bitcast<i32>(sum) >> 16u)", "(sum >> 16u) & 0x7fu");
    let mut forgets = rewritten("sim/observe.wgsl", "slot < agent_count", "slot + 1u < agent_count");
    let last = "first < agent_count % 4u";
    let text = forgets.text("sim/observe.wgsl").unwrap().replace(last, "first + 1u < agent_count % 4u");
    forgets.replace("sim/observe.wgsl", "rewritten.wgsl", text);
    for shaders in [half, forgets] {
        let options = Options { shaders, ..Options::default() };
        let mut mutant = Simulation::new(&gpu, scene, &start, options).unwrap();
        assert_ne!(mutant.observe().unwrap(), rows[0]);
        assert_ne!(mutant.observations(1, 2).unwrap(), rows[1..]);
    }
}

/// What is awaited is what is waited for.
#[test]
fn a_simulation_can_be_awaited() {
    let gpu = pollster::block_on(Gpu::open_async(&AdapterChoice::Best)).unwrap();
    let scene = preset("flock", 200, &[]);
    let start = State::initial(&scene);
    let mut simulation = pollster::block_on(Simulation::new_async(&gpu, &scene, &start, Options::default())).unwrap();
    simulation.step(3).unwrap();
    let pending = simulation.read_observation();
    // Somebody has to poll the device.
    gpu.wait().unwrap();
    assert_eq!(pollster::block_on(pending).unwrap().digest_hex(), undisturbed(3));
    let wrong = Options { workgroup_size: 1, ..Options::default() };
    assert!(pollster::block_on(Simulation::new_async(&gpu, &scene, &start, wrong)).is_err());
}
