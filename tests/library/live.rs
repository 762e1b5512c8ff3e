//! Live changes: any valid scene can follow any other in a running simulation, on both backends alike.

use glam::Vec3;
use steerling::engine::Engine;
use steerling::gpu::{Options, Simulation};
use steerling::model::{AWAY, BufferId, Change, Memory, Snapshot, StageId, State};
use steerling::scene::{PRESETS, Scene};
use support::npy::npy;
use support::{
    Both, digest, edited, gpu, of_columns, on_cpu, on_gpu, parsed, preset, ran_on_cpu, refused, small_gpu,
    small_preset, with_column, without_columns,
};

/// A preset with a few hundred agents where it can be.
fn small(preset: &str) -> Scene {
    small_preset(preset, &[400, 2_000, 20_000])
}

fn flock(agents: u32, size: &str) -> Scene {
    let behaviors = "behaviors.separation = {}\nbehaviors.cohesion = {}\n";
    parsed(&format!("schema = 1\nworld.size = {size}\n[[species]]\ncount = {agents}\n{behaviors}"), &[])
}

/// A field that is only a target is made of the seed too.
#[test]
fn the_field_follows_the_seed() {
    let gpu = gpu();
    let scene = |seed: u32| {
        let text = "schema = 1\nworld.size = [30, 30]\nfield = { source = \"curl_noise\" }\n\
                    [[species]]\ncount = 50\nbehaviors.velocity_matching = { target = \"field\" }\n";
        parsed(text, &[&format!("seed={seed}")])
    };
    let [mut simulation, fresh] = [1, 2].map(|seed| on_gpu(&gpu, &scene(seed), Options::default()));
    assert!(simulation.words(BufferId::Field).unwrap() != fresh.words(BufferId::Field).unwrap());
    assert_eq!(simulation.change(&scene(2)).unwrap(), Change::Numbers);
    assert!(simulation.words(BufferId::Field).unwrap() == fresh.words(BufferId::Field).unwrap(), "the old field");
}

/// The file of a field is read again where it is another, as by who draws it while a run goes on.
#[test]
fn the_field_follows_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wind.npy");
    let blow = |angle: f32| {
        let (x, y) = (angle.cos(), angle.sin());
        let vectors: Vec<u8> = (0..8).flat_map(|word| if word % 2 == 0 { x } else { y }.to_le_bytes()).collect();
        std::fs::write(&path, npy("'<f4'", false, "(2, 2, 2)", &vectors)).unwrap();
        let earlier = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 + angle as u64);
        std::fs::File::options().append(true).open(&path).unwrap().set_modified(earlier).unwrap();
    };
    let text = format!(
        "schema = 1\nworld.size = [30, 30]\nfield = {{ source = {path:?} }}\n[[species]]\ncount = 9\nbehaviors.flow_field = {{}}\n"
    );
    blow(0.0);
    let scene = parsed(&text, &[]);
    let mut simulation = on_gpu(&gpu(), &scene, Options::default());
    let before = simulation.words(BufferId::Field).unwrap();
    blow(1.5);
    simulation.change(&scene).unwrap();
    assert!(simulation.words(BufferId::Field).unwrap() != before, "the old field");
}

/// Where the mouse is stays where no scene says another place.
#[test]
fn the_mouse_stays_where_it_is() {
    let scene = parsed("schema = 1\nworld.size = [30, 30]\n[[species]]\ncount = 9\nbehaviors.seek = {}\n", &[]);
    let faster = edited(&scene, |draft| draft.species[0].max_speed = 30.0);
    let elsewhere = edited(&faster, |draft| draft.mouse = Vec3::X);
    let mut simulation = on_gpu(&gpu(), &scene, Options::default());
    let mut reference = on_cpu(&scene);
    simulation.set_mouse(Vec3::new(3.0, 4.0, 0.0));
    reference.set_mouse(Vec3::new(3.0, 4.0, 0.0));
    for (next, mouse) in [(faster, [3.0, 4.0]), (elsewhere.clone(), [1.0, 0.0])] {
        simulation.change(&next).unwrap();
        reference.change(&next).unwrap();
        assert_eq!(simulation.model().world.mouse[..2], mouse);
        assert_eq!(reference.model().world.mouse[..2], mouse);
    }
    // A restart is a new start.
    simulation.set_mouse(Vec3::Y);
    reference.set_mouse(Vec3::Y);
    simulation.restart(&elsewhere).unwrap();
    reference.restart(&elsewhere).unwrap();
    assert_eq!([simulation.model(), reference.model()].map(|model| model.world.mouse[..2].to_vec()), [[1.0, 0.0]; 2]);
}

/// A stage may be run as often as one likes.
#[test]
fn agents_are_binned_from_zero() {
    for gpu in [gpu(), small_gpu()] {
        let scene = flock(500, "[60, 60]");
        let mut engines =
            [Engine::Gpu(Box::new(on_gpu(&gpu, &scene, Options::default()))), Engine::Cpu(Box::new(on_cpu(&scene)))];
        let digests = engines.each_mut().map(|engine| {
            engine.step(3).unwrap();
            for stage in [StageId::Bin, StageId::Crowd, StageId::Bin] {
                engine.run_stage(stage).unwrap();
            }
            engine.step(3).unwrap();
            engine.observe().unwrap().digest_hex()
        });
        let undisturbed = digest(&gpu, &scene, Options::default(), 6);
        assert_eq!(digests, [undisturbed.clone(), undisturbed]);
    }
}

/// Stopping, moving to the other backend and going on equals not stopping.
#[test]
fn a_snapshot_goes_on_on_either_backend() {
    let gpu = gpu();
    let mut forgetful = 0;
    for preset in PRESETS {
        let scene = small(preset.name);
        let start = State::initial(&scene);
        let (mut whole, mut reference) = (on_gpu(&gpu, &scene, Options::default()), on_cpu(&scene));
        let pipelines = whole.pipelines().clone();
        // Not a multiple of any `update_every`, so that somebody holds.
        whole.step(7).unwrap();
        reference.step(7);
        let (from_gpu, from_cpu) = (whole.snapshot().unwrap(), reference.snapshot());
        assert_eq!(from_gpu, from_cpu, "{}", preset.name);
        whole.step(7).unwrap();
        let expected = whole.observe().unwrap();
        let goes_on = |snapshot: &Snapshot| {
            let mut simulation = Simulation::with_pipelines(&gpu, &scene, &start, pipelines.clone()).unwrap();
            simulation.step(2).unwrap();
            simulation.restore(snapshot).unwrap();
            assert_eq!(simulation.steps(), 7);
            simulation.step(7).unwrap();
            simulation.observe().unwrap()
        };
        assert_eq!(goes_on(&from_gpu), expected, "{}: from GPU to GPU", preset.name);
        assert_eq!(goes_on(&from_cpu), expected, "{}: from CPU to GPU", preset.name);
        reference.restore(&from_gpu).unwrap();
        reference.step(7);
        assert_eq!(reference.observe(), expected, "{}: from GPU to CPU", preset.name);
        assert_eq!(whole.snapshot().unwrap().state(), reference.state(), "{}", preset.name);
        // Without what agents remember, some presets go on differently: it is looked at.
        let poor = without_columns(&from_gpu, &[BufferId::Memory, BufferId::Clock, BufferId::Ground]);
        forgetful += u32::from(goes_on(&poor).digest != expected.digest);
    }
    assert!(forgetful >= 10, "only {forgetful} presets notice that something was forgotten");
}

/// Every scene can follow every other: in a chain through all presets, on both backends alike, with the agents kept
/// where they are the same.
#[test]
fn any_scene_follows_any_other() {
    let gpu = gpu();
    let mut scenes: Vec<Scene> = PRESETS.iter().map(|preset| small(preset.name)).collect();
    let alike = |spatial: bool| {
        let scenes = PRESETS.iter().filter_map(|preset| Scene::open(preset.name, &[]).ok()?.with_agents(500).ok());
        scenes.filter(move |scene| scene.species.len() == 1 && scene.world.spatial == spatial)
    };
    scenes.extend(alike(false).chain(alike(true)));
    // Back again: what was kept and not used for a while.
    scenes.extend(alike(false).step_by(3));
    let mut both = Both::new(&gpu, &scenes[0]);
    let mut kept = 0;
    for scene in &scenes {
        let took = both.change(scene);
        kept += u32::from(took != Change::Restart);
        for _ in 0..2 {
            both.step(2);
            both.observe(&scene.name);
        }
        // Poses, too.
        both.state(&scene.name);
        // Another number of agents, or another dimension, is another world: the run starts as a fresh one does.
        if took == Change::Restart {
            let fresh = ran_on_cpu(scene, 4);
            assert!(both.0.steps() == 4 && fresh.observe() == both.1.observe(), "{}", scene.name);
        }
    }
    assert!(kept >= 20, "{kept} of {} changes kept the agents", scenes.len());
}

/// Where the rules go all are in their first state again, also where states say more than what acts.
#[test]
fn without_rules_all_are_in_their_first_state() {
    let scene = |rules: &str| {
        let text = format!(
            "schema = 1\nworld.size = [60, 40]\nground = {{}}\n[[species]]\ncount = 100\nmax_speed = 4\n\
             states = [\"calm\", \"hasty\"]\nstate_speeds = [1, 2]\ndeposit = 50\ndeposit_states = \"hasty\"\n\
             behaviors.wander = {{ state_weights = [1, 0.2] }}\nbehaviors.seek = {{ target = {{ point = [0, 0] }} }}\n{rules}"
        );
        parsed(&text, &[])
    };
    let ruled = scene("[[species.rules]]\nto = \"hasty\"\nwhen = \"after\"\nthan = 0.05\n");
    let mut both = Both::new(&gpu(), &ruled);
    for (scene, slowest, fastest) in [(&ruled, 6.0, 8.0), (&scene(""), 3.0, 4.0)] {
        both.change(scene);
        both.step(60);
        let speed = both.observe("speeds").mean_speed;
        assert!((slowest..fastest + 1e-3).contains(&speed), "{speed}");
    }
    assert_eq!(both.0.snapshot().unwrap(), both.1.snapshot());
}

/// A change that is refused leaves everything as it was.
#[test]
fn a_refused_change_changes_nothing() {
    let gpu = gpu();
    let scene = flock(200, "[30, 30]");
    let start = State::initial(&scene);
    let mut simulation = on_gpu(&gpu, &scene, Options::default());
    let mut undisturbed = Simulation::with_pipelines(&gpu, &scene, &start, simulation.pipelines().clone()).unwrap();
    for sim in [&mut simulation, &mut undisturbed] {
        sim.step(5).unwrap();
    }
    let lost = preset("wind", 200, &["field.source=nowhere.json"]);
    let limit = gpu.device.limits().max_storage_buffer_binding_size;
    let huge = flock(u32::try_from(limit / 8 + 1).unwrap_or(u32::MAX).min(1 << 29), "[30000, 30000]");
    for refused in [lost, huge] {
        simulation.change(&refused).unwrap_err();
    }
    simulation.write_words(BufferId::Position, &[0; 4000]);
    simulation.change(&flock(300, "[30, 30]")).expect_err("more words than there are were written");
    for sim in [&mut simulation, &mut undisturbed] {
        sim.step(5).unwrap();
    }
    assert_eq!(simulation.observe().unwrap(), undisturbed.observe().unwrap());
    assert_eq!((simulation.scene(), simulation.steps()), (&scene, 10));
}

/// Buffers of more than 3 MiB go up and come down in parts; frozen agents stay frozen, poses are left out.
#[test]
fn motion_is_the_state_without_poses() {
    let gpu = gpu();
    for (name, agents) in [("flock", 400_001), ("murmuration", 270_001)] {
        let scene = preset(name, agents, &[]);
        let mut start = State::initial(&scene);
        start.frozen[7] = true;
        let mut simulation = Simulation::new(&gpu, &scene, &start, Options::default()).unwrap();
        let uploaded = simulation.motion(0..agents).unwrap();
        assert!(uploaded.positions == start.positions && uploaded.velocities == start.velocities, "{name}");
        simulation.step(1).unwrap();
        let (state, motion) = (simulation.state().unwrap(), simulation.motion(0..agents).unwrap());
        assert!(motion.frozen[7] && motion.poses.is_empty());
        assert!(
            State { poses: state.poses.clone(), ..motion } == state && state.positions != start.positions,
            "{name}"
        );
        let share = simulation.motion(5..200_000).unwrap();
        assert!(share.frozen[2] && share.positions == state.positions[5..200_000], "{name}");
        assert!(share.velocities == state.velocities[5..200_000], "{name}");
        assert!(simulation.motion(agents + 9..agents + 9).unwrap().positions.is_empty());
    }
}

/// What is no snapshot of the scene is refused with the reason.
#[test]
fn a_snapshot_of_another_scene_is_refused() {
    let scene = flock(50, "[30, 30]");
    let mut reference = on_cpu(&scene);
    let own = reference.snapshot();
    reference.restore(&own).unwrap();
    let other = |agents: u32, size: &str| on_cpu(&flock(agents, size)).snapshot();
    // Agents of this scene remember nothing; a file may say that they do.
    let nothing = vec![0; 50 * size_of::<Memory>() / 4];
    let columns = own.columns().chain([(BufferId::Memory, &nothing[..])]);
    let remembering = of_columns(&own, columns.map(|(column, words)| (column, words.to_vec())));
    let changed = |column: BufferId, change: fn(&mut Vec<u32>)| with_column(&remembering, column, change);
    let mut far = own.clone();
    far.steps = u64::MAX;
    let broken = [
        (far, "`steps`"),
        (other(49, "[30, 30]"), "49 agents"),
        (other(50, "[30, 30, 30]"), "dimensions"),
        (changed(BufferId::Velocity, |words| words.truncate(7)), "`velocity`"),
        (changed(BufferId::Id, |words| words.swap(3, 4)), "`id`"),
        (changed(BufferId::Id, |words| words[3] |= AWAY), "away and not frozen"),
        (changed(BufferId::Memory, |words| words[0] = 99), "`memory`"),
    ];
    for (snapshot, reason) in broken {
        refused(reference.restore(&snapshot), &[reason]);
    }
    assert!(Snapshot::from_columns(0, 1, false, [("rank".to_owned(), vec![0])]).is_err());
    assert_eq!(reference.snapshot(), own);
    // Checkpoints of before have a cell of ground for scenes without one.
    let columns = own.columns().chain([(BufferId::Ground, &[0; 5][..])]);
    let columns = columns.map(|(column, words)| (column.to_string(), words.to_vec()));
    reference.restore(&Snapshot::from_columns(own.steps, own.agents(), own.spatial(), columns).unwrap()).unwrap();
    assert_eq!(reference.snapshot(), own);
}

/// What agents remember lies elsewhere where more is remembered: what they have in mind goes along, whatever comes before or behind it,
/// and what no rule or behavior of the new scene uses is forgotten, on both backends.
#[test]
fn memories_go_along_when_others_come_and_go() {
    let scene = |more: &str| {
        let species = "count = 200\nvehicle.orientation = \"kept\"\nbehaviors.separation = {}";
        parsed(&format!("schema = 1\nworld.size = [60, 60]\n[[species]]\n{species}\n{more}\n"), &[])
    };
    let scenes = [
        "behaviors.wander = {}",
        "behaviors.wander = {}\nbehaviors.look_where_you_go = {}",
        "behaviors.wander = {}\ncombine = \"priority\"\nsmoothing_time = 0.4\nbehaviors.look_where_you_go = {}",
        "behaviors.wander = {}\nsmoothing_time = 0.4",
        "",
        "behaviors.wander = {}",
    ];
    let mut both = Both::new(&gpu(), &scene(scenes[0]));
    for more in scenes {
        both.change(&scene(more));
        both.step(5);
        let (from_gpu, from_cpu) = (both.0.snapshot().unwrap(), both.1.snapshot());
        assert_eq!(from_gpu.column(BufferId::Memory).is_some(), !more.is_empty(), "{more}");
        for (name, words) in from_gpu.columns() {
            assert!(Some(words) == from_cpu.column(name), "{more}: {name}");
        }
    }
}

/// What no pass binds for a while stays, and what lies in a buffer of another size goes along.
#[test]
fn kept_buffers_outlive_changes() {
    let text = "schema = 1\nworld.size = [60, 40]\nground = {}\n[[species]]\ncount = 300\nmax_speed = 4\n\
                behaviors.wander = {}\nbehaviors.explore = {}\nbehaviors.cohesion = {}\n";
    let changes = [
        (20, "species.0.behaviors.explore.enabled=false"),
        (20, "species.0.behaviors.explore.enabled=true"),
        (0, "species.0.k_nearest=7"),
    ];
    let start = parsed(text, &[]);
    let mut both = Both::new(&gpu(), &start);
    both.step(60);
    for (steps, change) in changes {
        assert_ne!(both.change(&parsed(text, &[change])), Change::Restart);
        both.step(steps);
        both.observe(change);
    }
    assert!(both.1.observe().mean_neighbors > 0.0);
}

/// Who does not steer in a step tells how many it perceived when it last did.
#[test]
fn neighbors_are_those_of_the_latest_look() {
    // They stand still, so that the numbers stay.
    let scene = |every: u32| {
        let text = "schema = 1\nworld.size = [40, 40]\n[[species]]\ncount = 200\nmax_speed = 1e-6\nspawn.speed = 0\n\
                    behaviors.cohesion = { perception_radius = 4, field_of_view = 360 }\n";
        parsed(text, &[&format!("species.0.update_every={every}")])
    };
    let mean = |every: u32| {
        let scene = scene(every);
        let mut both = Both::new(&gpu(), &scene);
        both.step(5);
        let [from_gpu, from_cpu] = [both.0.snapshot().unwrap(), both.1.snapshot()];
        for column in [BufferId::Neighbors, BufferId::Memory] {
            assert!(from_gpu.column(column).is_none_or(|words| Some(words) == from_cpu.column(column)), "{column}");
        }
        both.observe("neighbors").mean_neighbors
    };
    let [all, later] = [1, 4].map(mean);
    assert!(all > 4.0 && later == all, "{all}, {later}");
}
