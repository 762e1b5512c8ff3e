//! What the GPU tests share: the adapter, small scenes, and layouts of agents that are hard on a grid.
#![allow(missing_docs)] // only tests read it

pub mod any_angle;
pub mod drawn;
pub mod mutated;
pub mod npy;
pub mod plans;
pub mod tokens;
pub mod written;

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use steerling::cpu::{self, Execution};
use steerling::engine::{Backend, Engine};
use steerling::gpu::{AdapterChoice, Gpu, Options, Simulation};
use steerling::model::{BufferId, Change, CompiledScene, GridChoice, Observation, Snapshot, StageId, State};
use steerling::scene::{BEHAVIORS, Boundary, Draft, Override, Scene};
use steerling::shaders::Sources;
use steerling::verify::{DRIVERS, Plan, Report, verify, verify_each};
use steerling::wgpu;
use steerling_conform::Mutant;

/// A device of the best adapter. All tests of a process share it, and so the pipelines that it caches.
pub fn gpu() -> Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(gpu_of_its_own).clone()
}

/// A device that no other test uses. A machine without an adapter fails: a skipped GPU test is a failed promise.
pub fn gpu_of_its_own() -> Gpu {
    let gpu = Gpu::open(&AdapterChoice::Best).expect("these tests need an adapter; ./scripts/setup installs one");
    eprintln!("adapter: {}, exact: {}", gpu.title(), gpu.exact);
    // If a device is not exact, `verify` judges by tolerance. On a software driver that would hide what these tests look for.
    assert!(gpu.exact || !gpu.software(), "shaders are not loaded as written");
    gpu
}

/// The built-in shaders with a mistake in a function: `to` in place of `from`.
pub fn mistaken(function: &'static str, from: &'static str, to: &'static str) -> Sources {
    let mut shaders = Sources::default();
    Mutant { function, from, to, mistake: to }.apply(&mut shaders).unwrap_or_else(|error| panic!("{error}"));
    shaders
}

/// A mistake: the name of a shader function, tokens that it has once, and what replaces them.
pub type Mistake = (&'static str, &'static str, &'static str);

/// Assert that `passes` holds with the built-in shaders, and not with any of these mistakes.
#[track_caller]
pub fn notices(passes: impl Fn(Options) -> bool, mistakes: &[Mistake]) {
    assert!(passes(Options::default()), "the shaders as they are do not pass");
    let with = |(function, from, to): &Mistake| Options { shaders: mistaken(function, from, to), ..Options::default() };
    let unseen: Vec<_> = mistakes.iter().filter(|mistake| passes(with(mistake))).collect();
    assert!(unseen.is_empty(), "not noticed: {unseen:#?}");
}

/// Does a run on the GPU have the bits of the reference, stage by stage and in a row, and the neighbors of the oracle? False also for an
/// error, such as that of a driver that ends a loop.
pub fn agrees(gpu: &Gpu, scene: &Scene, initial: &State, options: &Options, plan: Plan) -> bool {
    let report = verify(gpu, scene, initial, options, plan, |_| ());
    report.is_ok_and(|report| report.pass && report.rows.iter().all(|row| row.differing == 0) && report.oracle.pass())
}

/// Assert that a comparison with the reference, stage by stage, finds each of these mistakes, and nothing without them. It takes no steps
/// in a row, whose passes take longer to compile than all others.
#[track_caller]
pub fn notices_by_stages(gpu: &Gpu, scene: &Scene, initial: &State, steps: u32, mistakes: &[Mistake]) {
    let plan = Plan { steps, free_steps: 0 };
    notices(|options| agrees(gpu, scene, initial, &options, plan), mistakes);
}

/// The built-in shaders with `to` in place of `from`, a text that the file has once.
pub fn rewritten(path: &str, from: &str, to: &str) -> Sources {
    let mut shaders = Sources::default();
    let text = shaders.text(path).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    let text = text.replace(from, to);
    shaders.replace(path, "rewritten.wgsl", text);
    shaders
}

/// Each row of the table has a text of the valid scene `good`, its replacement, and what the error must contain, separated by ` | `; `\n`
/// stands for a line end, and `//` begins a remark. Each changed scene must be refused in these words, at the place that `@` marks in it.
pub fn refuses_each(good: &str, table: &str) {
    parsed(good, &[]);
    let rows: Vec<String> = table.lines().map(|row| row.replace("\\n", "\n")).collect();
    let rows: Vec<&String> = rows.iter().filter(|row| !row.is_empty() && !row.starts_with("//")).collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let parts: Vec<&str> = row.split(" | ").collect();
        let [old, new, parts @ ..] = &parts[..] else { panic!("{row}") };
        assert!(good.contains(old), "{old:?} is not in the scene");
        let marked = good.replacen(old, new, 1);
        let start = marked.find('@').map_or("bad.toml:".to_owned(), |at| {
            let line_start = marked[..at].rfind('\n').map_or(0, |newline| newline + 1);
            let column = marked[line_start..at].chars().count() + 1;
            format!("bad.toml:{}:{column}: ", marked[..at].matches('\n').count() + 1)
        });
        match Scene::parse(&marked.replacen('@', "", 1), "bad.toml", &[]).map_err(|error| error.to_string()) {
            Ok(_) => wrong.push(format!("accepted: {new:?}")),
            Err(message) if message.starts_with(&start) && parts.iter().all(|part| message.contains(part)) => {}
            Err(message) => wrong.push(format!("{new:?} wants {start:?} and {parts:?}, but says:\n{message}\n")),
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Assert that something is refused, in words that have all of these parts. Returns the error.
#[track_caller]
pub fn refused<T, E: Display>(result: Result<T, E>, parts: &[&str]) -> E {
    let error = result.err().unwrap_or_else(|| panic!("accepted, and should say {parts:?}"));
    let said = error.to_string();
    assert!(parts.iter().all(|part| said.contains(part)), "should say {parts:?}, but says: {said}");
    error
}

/// Write a file into a folder.
pub fn file(folder: &Path, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, contents).unwrap();
    path
}

/// The scene of this text, with these values of keys.
pub fn parsed(text: &str, changes: &[&str]) -> Scene {
    Scene::parse(text, "test.toml", &overrides(changes)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A preset or a file with so many agents and these values of keys.
pub fn preset(name: &str, agents: u32, changes: &[&str]) -> Scene {
    let scene = Scene::open(name, &overrides(changes)).and_then(|scene| scene.with_agents(agents));
    scene.unwrap_or_else(|error| panic!("{error}"))
}

/// A preset with the first of these numbers of agents that its radii leave a world for, or as it is where each is more than it has.
pub fn small_preset(name: &str, agents: &[u32]) -> Scene {
    let scene = Scene::open(name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
    let fewer = agents.iter().filter(|agents| **agents < scene.agent_count());
    fewer.filter_map(|agents| scene.with_agents(*agents).ok()).next().unwrap_or(scene)
}

/// Values of keys, as they are written behind `--set`.
pub fn overrides(changes: &[&str]) -> Vec<Override> {
    changes.iter().map(|change| change.parse().expect(change)).collect()
}

/// The scene after a change of its draft.
pub fn edited(scene: &Scene, change: impl FnOnce(&mut Draft)) -> Scene {
    let edited = scene.with(change);
    edited.unwrap_or_else(|error| panic!("{error}"))
}

/// The parameters that a scene is compiled into.
pub fn model(scene: &Scene) -> CompiledScene {
    CompiledScene::new(scene, GridChoice::default()).unwrap_or_else(|e| panic!("{}: {e}", scene.name))
}

/// A run on a GPU, from the start that the scene says.
pub fn on_gpu(gpu: &Gpu, scene: &Scene, options: Options) -> Simulation {
    Simulation::new(gpu, scene, &State::initial(scene), options).unwrap_or_else(|e| panic!("{}: {e}", scene.name))
}

/// A run on the reference, from the start that the scene says.
pub fn on_cpu(scene: &Scene) -> cpu::Simulation {
    cpu::Simulation::new(scene, &State::initial(scene), Execution::Parallel).unwrap_or_else(|e| panic!("{e}"))
}

/// The same after so many steps.
pub fn ran_on_cpu(scene: &Scene, steps: u32) -> cpu::Simulation {
    let mut simulation = on_cpu(scene);
    simulation.step(steps);
    simulation
}

/// A run on a GPU after so many steps, from the start that the scene says.
pub fn ran_on_gpu(gpu: &Gpu, scene: &Scene, options: Options, steps: u32) -> Simulation {
    let mut simulation = on_gpu(gpu, scene, options);
    simulation.step(steps).unwrap();
    simulation
}

/// Run WGSL in place of the stage `steer`, for each sorted index `place`, and return the words of the buffer `written`. Words of other
/// buffers may be given. So the code goes through the same loader as all shaders.
pub fn in_place_of_steer(
    gpu: &Gpu,
    scene: &Scene,
    mut options: Options,
    [functions, body]: [&str; 2],
    given: &[(BufferId, Vec<u32>)],
    written: BufferId,
) -> Vec<u32> {
    let text = format!(
        "{functions}\n@compute @workgroup_size(workgroup_size)\n\
         fn steer(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {{\n\
           let place = invocation_index(invocation, workgroups);\n\
           if (place >= world.agent_count) {{ return; }}\n{body}\n}}\n"
    );
    options.shaders.replace("sim/steer.wgsl", "probe.wgsl", text);
    let mut simulation = on_gpu(gpu, scene, options);
    given.iter().for_each(|(buffer, words)| simulation.write_words(*buffer, words));
    simulation.run_stage(StageId::Steer).unwrap();
    simulation.words(written).unwrap()
}

/// A run on a GPU and the same one on the reference.
pub struct Both(pub Simulation, pub cpu::Simulation);

impl Both {
    pub fn new(gpu: &Gpu, scene: &Scene) -> Both {
        Both(on_gpu(gpu, scene, Options::default()), on_cpu(scene))
    }

    pub fn set_state(&mut self, state: &State) {
        self.0.set_state(state).unwrap();
        self.1.set_state(state).unwrap();
    }

    pub fn step(&mut self, steps: u32) {
        self.0.step(steps).unwrap();
        self.1.step(steps);
    }

    #[track_caller]
    pub fn change(&mut self, scene: &Scene) -> Change {
        let [took, expected] = [self.0.change(scene).unwrap(), self.1.change(scene).unwrap()];
        assert_eq!(took == Change::Restart, expected == Change::Restart, "{}: {took:?}", scene.name);
        took
    }

    /// The observation, which must be the same on both.
    #[track_caller]
    pub fn observe(&self, what: &str) -> Observation {
        let seen = self.1.observe();
        assert_eq!(self.0.observe().unwrap(), seen, "{what}");
        seen
    }

    /// The state, which must be the same on both.
    #[track_caller]
    pub fn state(&self, what: &str) -> State {
        let state = self.1.state();
        assert!(self.0.state().unwrap() == state, "{what}: other bits");
        state
    }
}

/// The digest of a run on a GPU after so many steps.
pub fn digest(gpu: &Gpu, scene: &Scene, options: Options, steps: u32) -> String {
    ran_on_gpu(gpu, scene, options, steps).observe().unwrap().digest_hex()
}

/// A GPU as a backend, with these shaders.
pub fn backend(gpu: &Gpu, shaders: Sources) -> Backend {
    Backend::Gpu(Box::new(gpu.clone()), Box::new(Options { shaders, ..Options::default() }))
}

/// A run on a backend, from the start that the scene says.
pub fn start(backend: &Backend, scene: &Scene) -> Engine {
    backend.start(scene, &State::initial(scene)).unwrap_or_else(|e| panic!("{}: {e}", scene.name))
}

/// The same, which lists its events.
pub fn listing(backend: &Backend, scene: &Scene) -> Engine {
    let mut run = start(backend, scene);
    run.list_events().unwrap();
    run
}

/// The reference, and every adapter of the machine.
pub fn backends() -> Vec<Backend> {
    let on = |gpu: Gpu| backend(&gpu, Sources::default());
    std::iter::once(Backend::Cpu).chain(gpus().into_iter().map(on)).collect()
}

/// The digest of a run that goes on from a snapshot for so many steps, whatever it was before.
pub fn goes_on(run: &mut Engine, snapshot: &Snapshot, steps: u32) -> String {
    run.restore(snapshot).unwrap();
    run.step(steps).unwrap();
    run.observe().unwrap().digest_hex()
}

/// A snapshot with other words in a column.
pub fn with_column(snapshot: &Snapshot, of: BufferId, change: impl Fn(&mut Vec<u32>)) -> Snapshot {
    let columns = snapshot.columns().map(|(column, words)| {
        let mut words = words.to_vec();
        if column == of {
            change(&mut words);
        }
        (column, words)
    });
    of_columns(snapshot, columns)
}

/// A snapshot without some columns.
pub fn without_columns(snapshot: &Snapshot, left_out: &[BufferId]) -> Snapshot {
    let kept = snapshot.columns().filter(|(column, _)| !left_out.contains(column));
    of_columns(snapshot, kept.map(|(column, words)| (column, words.to_vec())))
}

/// A snapshot of the same step and agents with these columns.
pub fn of_columns(snapshot: &Snapshot, columns: impl Iterator<Item = (BufferId, Vec<u32>)>) -> Snapshot {
    let columns = columns.map(|(column, words)| (column.to_string(), words));
    Snapshot::from_columns(snapshot.steps, snapshot.agents(), snapshot.spatial(), columns).unwrap()
}

/// Every adapter of the machine, best first. Two independent drivers, with different compilers, prove more than one. Under CI both
/// must be there.
pub fn gpus() -> Vec<Gpu> {
    static GPUS: OnceLock<Vec<Gpu>> = OnceLock::new();
    GPUS.get_or_init(every_gpu).clone()
}

/// As [`gpus`], on devices that no other test uses, so that work on one waits for no other test's.
pub fn every_gpu() -> Vec<Gpu> {
    let usable = Gpu::adapters().iter().filter(|report| report.refusals.is_empty()).count();
    let open = |index| Gpu::open(&AdapterChoice::Index(index)).unwrap_or_else(|e| panic!("{e}"));
    let gpus: Vec<Gpu> = (0..usable).map(open).collect();
    for gpu in &gpus {
        eprintln!("adapter: {}, exact: {}", gpu.title(), gpu.exact);
        assert!(gpu.exact || gpu.info.backend != wgpu::Backend::Vulkan, "shaders are not loaded as written");
    }
    for driver in DRIVERS.iter().filter(|driver| !gpus.iter().any(|gpu| gpu.info.name.contains(*driver))) {
        // Not by `eprintln!`, whose output the test harness shows only for tests that fail.
        let _ = writeln!(std::io::stderr(), "MISSING: {driver}, which ./scripts/setup --test brings where it can");
        assert!(std::env::var_os("CI").is_none(), "under CI {} have to be there", DRIVERS.join(" and "));
    }
    gpus
}

/// Verify a scene on each GPU. Asserts that all reports pass, and returns them.
pub fn verified(
    gpus: &[Gpu],
    scene: &Scene,
    initial: &State,
    options: &Options,
    plan: Plan,
    what: &str,
) -> Vec<Report> {
    let reports = verify_each(gpus, scene, initial, options, plan, |_| ()).unwrap_or_else(|e| panic!("{what}: {e}"));
    reports.iter().for_each(|report| assert_pass(report, &format!("{what} on {}", report.adapter)));
    reports
}

/// A device that allows what every WebGPU device does and nothing more.
pub fn small_gpu() -> Gpu {
    small(&gpu_adapter())
}

/// Such a device for every adapter.
pub fn small_gpus() -> Vec<Gpu> {
    wgpu_adapters().iter().map(small).collect()
}

fn wgpu_adapters() -> Vec<wgpu::Adapter> {
    pollster::block_on(Gpu::instance().enumerate_adapters(wgpu::Backends::all()))
}

fn small(adapter: &wgpu::Adapter) -> Gpu {
    let gpu = device_of(adapter, wgpu::Limits::default());
    assert_eq!(gpu.device.limits().max_storage_buffers_per_shader_stage, 8);
    gpu
}

/// A device as an embedder makes it.
pub fn device_of(adapter: &wgpu::Adapter, required_limits: wgpu::Limits) -> Gpu {
    let (device, queue) = raw_device(adapter, required_limits);
    Gpu::from_device(device, queue)
}

/// The same, with nothing installed on it.
pub fn raw_device(adapter: &wgpu::Adapter, required_limits: wgpu::Limits) -> (wgpu::Device, wgpu::Queue) {
    let descriptor = wgpu::DeviceDescriptor {
        required_features: adapter.features() & wgpu::Features::PASSTHROUGH_SHADERS,
        required_limits,
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&descriptor)).unwrap()
}

/// The adapter of [`gpu`].
pub fn gpu_adapter() -> wgpu::Adapter {
    let name = gpu().info.name;
    wgpu_adapters().into_iter().find(|adapter| adapter.get_info().name == name).expect("the adapter is still there")
}

/// Size, boundaries and density of a test world.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub spatial: bool,
    pub boundary: [&'static str; 3],
    /// Extent along x, y, z, in perception radii.
    pub radii: [f32; 3],
    pub agents: u32,
}

/// Perception radius of the test scenes, u. Not a round number, so that nothing falls on an edge by accident.
pub const RADIUS: f32 = 1.37;

/// A scene with every behavior, three radii, three fields of view and two species.
pub fn scene(shape: Shape) -> Scene {
    let axes = if shape.spatial { 3 } else { 2 };
    let size: Vec<String> = shape.radii[..axes].iter().map(|r| format!("{:?}", r * RADIUS)).collect();
    let boundary: Vec<String> = shape.boundary[..axes].iter().map(|b| format!("{b:?}")).collect();
    let field = if shape.spatial { "curl_noise" } else { "vortex" };
    let hawks = shape.agents / 16;
    let rules = |separation: f32| {
        format!(
            "[species.behaviors.separation]\nweight = 2.0\nperception_radius = {:?}\nfield_of_view = 300\n\
             [species.behaviors.alignment]\nweight = 1.5\nperception_radius = {:?}\nfield_of_view = 200\n\
             [species.behaviors.cohesion]\nweight = 0.7\nperception_radius = {:?}\nfield_of_view = 360\n\
             [species.behaviors.flow_field]\nweight = 0.5\nprediction_time = 0.3\n",
            RADIUS * separation,
            RADIUS * 0.9,
            RADIUS,
        )
    };
    let text = format!(
        "schema = 1\nname = \"test\"\nseed = 7\ndt = 0.02\n\
         [world]\nsize = [{}]\nboundary = [{}]\nmargin = 0.5\n\
         [field]\nsource = \"{field}\"\nspeed = 2.0\nwavelength = 5.0\nresolution = 24\n\
         [[species]]\nname = \"starling\"\ncount = {}\nmass = 1.3\nmax_speed = 3.0\nmin_speed = 0.5\nmax_force = 8.0\n\
         time_constant = 0.4\nspawn = {{ speed = 2.0 }}\n{}\
         [[species]]\nname = \"hawk\"\ncount = {hawks}\nmax_speed = 4.0\nmax_force = 20.0\n\
         spawn = {{ speed = 3.0 }}\n{}",
        size.join(", "),
        boundary.join(", "),
        shape.agents - hawks,
        rules(0.5),
        rules(0.3),
    );
    parsed(&text, &[])
}

/// The model of a scene in which every behavior acts.
pub fn everything(spatial: bool) -> CompiledScene {
    let model = acting(spatial, |_| true);
    assert_eq!(model.active_behaviors.len(), BEHAVIORS.len());
    model
}

/// The model of a scene in which these behaviors act, each with a point as its target.
pub fn acting(spatial: bool, acts: impl Fn(&str) -> bool) -> CompiledScene {
    let [size, point, end] =
        if spatial { ["[100, 100, 100]", "[0, 0, 0]", "[9, 9, 9]"] } else { ["[100, 100]", "[0, 0]", "[9, 9]"] };
    let behaviors = BEHAVIORS.iter().filter(|spec| acts(spec.name)).map(|spec| {
        let takes_target = spec.parameters.iter().any(|parameter| parameter.name == "target");
        let target = if takes_target { format!("target = {{ point = {point} }}") } else { String::new() };
        format!("behaviors.{} = {{ {target} }}\n", spec.name)
    });
    let text = format!(
        "schema = 1\nworld.size = {size}\nground = {{}}\nfield.source = \"curl_noise\"\n[[paths]]\nname = \"way\"\npoints = [{point}, {end}]\n\
         [[species]]\ncount = 10\n{}",
        behaviors.collect::<String>()
    );
    model(&parsed(&text, &[]))
}

/// Where agents start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The scene's own: uniform.
    Uniform,
    /// All within a few radii of one point.
    Clustered,
    /// On a lattice of half radii, so that positions lie on cell edges and pairs at exactly the radius.
    OnCellEdge,
    /// Far outside on axes that do not wrap, on the seam of those that do.
    OutOfWorld,
    /// All at one point, so that all are coincident.
    OnePoint,
    /// Uniform, and every other agent stands still.
    AtRest,
}

pub const LAYOUTS: [Layout; 6] =
    [Layout::Uniform, Layout::Clustered, Layout::OnCellEdge, Layout::OutOfWorld, Layout::OnePoint, Layout::AtRest];

/// A starting state in this layout.
pub fn state(scene: &Scene, layout: Layout) -> State {
    let mut state = State::initial(scene);
    let size = scene.world.size.to_array();
    for (id, position) in state.positions.iter_mut().enumerate() {
        for axis in 0..if scene.world.spatial { 3 } else { 2 } {
            position[axis] = match layout {
                Layout::Uniform | Layout::AtRest => position[axis],
                Layout::Clustered => position[axis] * 0.1 + size[axis] * 0.45,
                Layout::OnCellEdge => (position[axis] / (RADIUS * 0.5)).round() * (RADIUS * 0.5),
                Layout::OutOfWorld if scene.world.boundary[axis] == Boundary::Wrap => {
                    // On the seam along one axis, or close to it along another.
                    match (id + axis) % 4 {
                        0 => size[axis] * 0.5,
                        1 => position[axis] * 1e-3 - size[axis] * 0.5,
                        _ => position[axis],
                    }
                }
                Layout::OutOfWorld => position[axis] * 3.0,
                Layout::OnePoint => RADIUS * 0.1,
            };
        }
    }
    if layout == Layout::AtRest {
        state.velocities.iter_mut().step_by(2).for_each(|velocity| *velocity = [0.0; 3]);
    }
    state.confine(scene);
    state
}

/// Panic with the first mismatch unless the report passes.
pub fn assert_pass(report: &Report, what: &str) {
    let nothing = |compared: u64| compared == 0 && report.agents > 0;
    let failed: Vec<_> = report.rows.iter().filter(|r| r.differing > 0 || nothing(r.compared)).collect();
    let compared: u64 = report.rows.iter().map(|r| r.compared).sum();
    assert!(!report.exact || failed.is_empty(), "{what}: {failed:#?}");
    assert!(report.pass, "{what}: {failed:#?}\nfree run: {:?}", report.free_run);
    assert!(compared > 0 || report.agents == 0, "{what}: nothing was compared");
}
