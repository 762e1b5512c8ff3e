//! Other walls and other crowds while agents walk: what is computed around them is what a computation from nothing gives, and where that is
//! spread over steps, the other ways are followed at the same step in every run. And ways that are measured by grid.

use crate::plans::streets;
use crate::support::gpus;
use glam::Vec3;
use std::collections::BTreeMap;
use std::path::Path;
use steerling::cpu::common::ways::way_at;
use steerling::cpu::{self, Execution};
use steerling::engine::Backend;
use steerling::gpu::{Options, Simulation};
use steerling::model::{BufferId, Change, CompiledScene, GridChoice, Snapshot, State};
use steerling::output::{Computed, Recipe, read_checkpoint, write_checkpoint};
use steerling::scene::{MapSource, MapStroke, Scene};

/// Crowds that walk to and fro between two rooms with two doors.
fn rooms(folder: &Path, keys: &str) -> Scene {
    let row = |row: usize| match row {
        0 | 13 => "@".repeat(24),
        2 | 3 | 10 | 11 => format!("@{}@", ".".repeat(22)),
        _ => format!("@{}@{}@", ".".repeat(11), ".".repeat(10)),
    };
    let plan = (0..14).map(row).collect::<Vec<_>>().join("\n");
    std::fs::write(folder.join("rooms.map"), format!("type octile\nheight 14\nwidth 24\nmap\n{plan}\n")).unwrap();
    let walks = |name: &str, from: &str, to: &str| {
        format!(
            "[[species]]\nname = \"{name}\"\ncount = 40\nmax_speed = 2\nspawn = {{ goal = \"{from}\" }}\n\
             behaviors.seek = {{ target = {{ goal = \"{to}\" }} }}\nbehaviors.wander = {{ weight = 0.3 }}\n\
             behaviors.obstacle_avoidance = {{ weight = 0.5 }}\n"
        )
    };
    let text = format!(
        "schema = 1\ndt = 0.05\nworld = {{ size = [24, 14], boundary = \"open\" }}\n\
         [map]\nsource = \"rooms.map\"\ncell = 1\n{keys}\n\
         [[map.goals]]\nname = \"left\"\nplace = [-9, 2]\nradius = 1.2\n\
         [[map.goals]]\nname = \"right\"\nplace = [9, 0]\nradius = 0.8\n{}{}",
        walks("there", "left", "right"),
        walks("back", "right", "left")
    );
    Scene::parse(&text, &folder.join("rooms.toml").display().to_string(), &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// With a stroke more.
fn drawn(scene: &Scene, from: [f32; 2], to: [f32; 2], open: bool) -> Scene {
    let at = |[x, y]: [f32; 2]| Vec3::new(x, y, 0.0);
    let stroke = MapStroke { from: at(from), to: at(to), width: 0.5, open };
    let changed = scene.edit(|draft| {
        draft.map.as_mut().unwrap().strokes.push(stroke);
        Ok(())
    });
    changed.unwrap()
}

/// Scenes one after another, each for so many steps, on the reference.
fn reference(scenes: &[(&Scene, u32)]) -> cpu::Simulation {
    let start = State::initial(scenes[0].0);
    let mut simulation = cpu::Simulation::new(scenes[0].0, &start, Execution::Parallel).unwrap();
    for (index, (scene, steps)) in scenes.iter().enumerate() {
        if index > 0 {
            assert_eq!(simulation.change(scene).unwrap(), Change::State);
        }
        simulation.step(*steps);
    }
    simulation
}

/// A door that is closed, one that is opened and a wall in a room: the walls and ways that a simulation has then are the ones of a new
/// simulation, and so is what agents do.
#[test]
fn after_strokes_walls_and_ways_are_those_of_a_new_simulation() {
    let folder = tempfile::tempdir().unwrap();
    let scene = rooms(folder.path(), "");
    let closed = drawn(&scene, [0.5, 3.0], [0.5, 5.0], false);
    let other = drawn(&closed, [0.5, -0.6], [0.5, 0.6], true);
    let more = drawn(&other, [-6.0, -2.0], [-4.0, 4.0], false);
    let steps = [(&scene, 30), (&closed, 30), (&other, 30), (&more, 30)];
    let lively = reference(&steps);
    // Another scene between, so that nothing is remembered of these.
    drop(CompiledScene::new(&Scene::open("maze", &[]).unwrap(), GridChoice::default()).unwrap());
    let anew = CompiledScene::new(&more, GridChoice::default()).unwrap();
    let walls = |model: &CompiledScene| model.nearest_walls.as_ref().unwrap().texels().to_vec();
    let ways = |model: &CompiledScene| model.ways.as_ref().unwrap().computed().to_vec();
    assert!(walls(lively.model()) == walls(&anew) && ways(lively.model()) == ways(&anew));
    let before = CompiledScene::new(&other, GridChoice::default()).unwrap();
    assert!(walls(&before) != walls(&anew) && ways(&before) != ways(&anew), "the stroke changes nothing");
    let without = reference(&[steps[0], (&closed, 30), (&other, 60)]);
    assert_ne!(without.observe().digest, lively.observe().digest);
    for gpu in gpus() {
        let mut simulation = Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default()).unwrap();
        for (scene, steps) in steps {
            simulation.change(scene).unwrap();
            simulation.step(steps).unwrap();
        }
        assert_eq!(simulation.observe().unwrap().digest, lively.observe().digest, "{}", gpu.title());
    }
}

/// A checkpoint that was written and read again.
fn through_file(folder: &Path, scene: &Scene, snapshot: &Snapshot) -> Snapshot {
    let path = folder.join("middle.checkpoint");
    let recipe = Recipe::new(scene, None, None).unwrap();
    write_checkpoint(&path, true, &recipe, &Computed::on(&Backend::Cpu), snapshot).unwrap();
    read_checkpoint(&path).unwrap().2
}

/// With other words in a column, or without it.
fn with_column(snapshot: &Snapshot, of: BufferId, change: &dyn Fn(Vec<u32>) -> Option<Vec<u32>>) -> Snapshot {
    let columns = snapshot.columns().filter_map(|(column, words)| {
        let words = words.to_vec();
        Some((column.to_string(), if column == of { change(words)? } else { words }))
    });
    Snapshot::from_columns(snapshot.steps, snapshot.agents(), snapshot.spatial(), columns).unwrap()
}

/// A door is closed while ways are spread over eight steps: on both backends, in steps of any number and through a checkpoint in the midst of
/// them. Another number of steps, other costs until then, or none, lead elsewhere.
#[test]
fn ways_that_are_spread_over_steps_are_followed_at_the_same_step() {
    const BEFORE: u32 = 40;
    const AFTER: u32 = 60;
    let folder = tempfile::tempdir().unwrap();
    let with = |steps: u32| {
        let scene = rooms(folder.path(), &format!("renew_steps = {steps}"));
        let closed = drawn(&scene, [0.5, 3.0], [0.5, 5.0], false);
        (scene, closed)
    };
    let (scene, closed) = with(8);
    let run = |steps: u32| {
        let (scene, closed) = with(steps);
        reference(&[(&scene, BEFORE), (&closed, AFTER)]).observe().digest
    };
    let digest = run(8);
    assert!([run(1), run(7), run(9)].iter().all(|other| *other != digest), "the number of steps does not matter");

    let mut middle = reference(&[(&scene, BEFORE), (&closed, 3)]);
    let awaited = |snapshot: &Snapshot| snapshot.column(BufferId::WayCosts).unwrap()[0];
    // Of eight steps seven are by the ways of before.
    assert_eq!(awaited(&middle.snapshot()), 7 - 3 + 1);
    let snapshot = through_file(folder.path(), &closed, &middle.snapshot());
    let later = with_column(&snapshot, BufferId::WayCosts, &|mut words| {
        words[0] += 1;
        Some(words)
    });
    let cheaper = with_column(&snapshot, BufferId::WayCosts, &|mut words| {
        // All of the left half of the room's wall is open until then.
        words[1..].fill(0x1010_1010);
        Some(words)
    });
    let none = with_column(&snapshot, BufferId::WayCosts, &|_| None);
    middle.step(AFTER - 3);
    assert_eq!(middle.observe().digest, digest);
    assert_eq!(awaited(&middle.snapshot()), 0);
    let mut resumed = cpu::Simulation::new(&closed, &State::initial(&closed), Execution::Parallel).unwrap();
    let mut on_reference = |snapshot: &Snapshot| {
        resumed.restore(snapshot).unwrap();
        resumed.step(AFTER - 3);
        resumed.observe().digest
    };
    assert_eq!(on_reference(&snapshot), digest);
    assert!(
        [&later, &cheaper, &none].iter().all(|other| on_reference(other) != digest),
        "what is awaited is not noticed"
    );
    assert_eq!(on_reference(&snapshot), digest);

    for gpu in gpus() {
        let new = |scene: &Scene| Simulation::new(&gpu, scene, &State::initial(scene), Options::default()).unwrap();
        for parts in [vec![AFTER], vec![1, 5, 1, 1, 2, AFTER - 10], vec![3; AFTER as usize / 3]] {
            let mut simulation = new(&scene);
            simulation.step(BEFORE).unwrap();
            simulation.change(&closed).unwrap();
            for steps in parts {
                simulation.step(steps).unwrap();
            }
            assert_eq!(simulation.observe().unwrap().digest, digest, "{}", gpu.title());
        }
        let mut simulation = new(&closed);
        let mut goes_on = |snapshot: &Snapshot| {
            simulation.restore(snapshot).unwrap();
            simulation.step(AFTER - 3).unwrap();
            simulation.observe().unwrap().digest
        };
        assert_eq!(goes_on(&snapshot), digest, "resumed on {}", gpu.title());
        assert_ne!(goes_on(&none), digest);
        assert_eq!(goes_on(&snapshot), digest, "back again on {}", gpu.title());
        // A snapshot of the device in the midst, on the reference.
        let mut simulation = new(&scene);
        simulation.step(BEFORE).unwrap();
        simulation.change(&closed).unwrap();
        simulation.step(3).unwrap();
        assert_eq!(on_reference(&simulation.snapshot().unwrap()), digest);
    }
}

/// Crowds are heeded a few steps after they were counted, and a change of numbers between changes nothing of that.
#[test]
fn crowds_that_are_spread_over_steps_are_heeded_at_the_same_step() {
    const STEPS: u32 = 60;
    let folder = tempfile::tempdir().unwrap();
    let with = |steps: u32| {
        let keys = format!("crowding = 1\ncrowding_radius = 1.4\ncrowding_every = 7\nrenew_steps = {steps}");
        rooms(folder.path(), &keys)
    };
    let run = |scene: &Scene, first: u32| {
        let mut simulation = cpu::Simulation::new(scene, &State::initial(scene), Execution::Parallel).unwrap();
        simulation.step(first);
        let faster = scene.edit(|draft| {
            draft.species[0].max_speed = 2.5;
            Ok(())
        });
        simulation.change(&faster.unwrap()).unwrap();
        simulation.step(STEPS - first);
        simulation.observe().digest
    };
    // 16 is in the midst of three steps, and ten are more than from one count to the next.
    for steps in [3, 10] {
        let scene = with(steps);
        let digest = run(&scene, 16);
        assert!(
            digest != run(&with(1), 16) && digest != run(&with(steps + 1), 16),
            "the number of steps does not matter"
        );
        for gpu in gpus() {
            let mut simulation = Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default()).unwrap();
            simulation.step(16).unwrap();
            let middle = through_file(folder.path(), &scene, &simulation.snapshot().unwrap());
            let faster = scene.edit(|draft| {
                draft.species[0].max_speed = 2.5;
                Ok(())
            });
            let faster = faster.unwrap();
            simulation.change(&faster).unwrap();
            simulation.step(STEPS - 16).unwrap();
            assert_eq!(simulation.observe().unwrap().digest, digest, "{steps} on {}", gpu.title());
            simulation.restore(&middle).unwrap();
            simulation.step(STEPS - 16).unwrap();
            assert_eq!(simulation.observe().unwrap().digest, digest, "{steps}, resumed on {}", gpu.title());
        }
    }
}

/// A scene whose distances are by grid has the published lengths of a street map: for twelve goals, from each start that has one of them.
#[test]
fn a_scene_by_grid_has_published_lengths() {
    // It says so itself where there is none.
    let Some((_, berlin)) = streets().into_iter().find(|(name, _)| *name == "Berlin_1_512") else { return };
    let place = |at: [u32; 2]| {
        let [x, y] = at.map(|at| at as f32);
        Vec3::new(x - 255.5, 255.5 - y, 0.0)
    };
    let mut by_goal: BTreeMap<[i32; 2], Vec<(Vec3, f64)>> = BTreeMap::new();
    for (start, goal, length) in &berlin.problems {
        let goal = place(*goal);
        by_goal.entry([goal.x.floor() as i32, goal.y.floor() as i32]).or_default().push((place(*start), *length));
    }
    let goals: Vec<_> = by_goal.into_iter().step_by(60).take(12).collect();
    assert_eq!(goals.len(), 12);
    let names = (0..12).map(|k| {
        format!(
            "[[map.goals]]\nname = \"goal {k}\"\nplace = [{}, {}]\n",
            goals[k].0[0] as f32 + 0.5,
            goals[k].0[1] as f32 + 0.5
        )
    });
    let species =
        (0..12).map(|k| format!("[[species]]\ncount = 1\nbehaviors.seek = {{ target = {{ goal = \"goal {k}\" }} }}\n"));
    let tables: String = names.chain(species).collect();
    let scene = |distance: &str| {
        let text = format!(
            "schema = 1\nobserve = \"way\"\nworld.size = [512, 512]\n[map]\nsource = \"maze\"\ncell = 1\ndistance = \"{distance}\"\n{tables}"
        );
        let scene = Scene::parse(&text, "berlin.toml", &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let streets = scene.edit(|draft| {
            draft.map.as_mut().unwrap().source = MapSource::File(berlin.file.clone());
            Ok(())
        });
        streets.unwrap()
    };
    let worst = |distance: &str| {
        let model = CompiledScene::new(&scene(distance), GridChoice::default()).unwrap();
        let ways = model.ways.as_ref().unwrap();
        let of_goal = |(goal, (_, starts)): (u32, &(_, Vec<(Vec3, f64)>))| {
            let off = |(start, published): &(Vec3, f64)| {
                let way = way_at(ways, goal, *start);
                (f64::from(way.cells / way.share) - published).abs()
            };
            starts.iter().map(off).fold(0.0, f64::max)
        };
        (0..).zip(&goals).map(of_goal).fold(0.0, f64::max)
    };
    let (by_grid, by_time) = (worst("grid"), worst("time"));
    eprintln!("twelve goals: off by {by_grid:e} by grid, by {by_time} by time");
    // As exact as f32 is.
    assert!(by_grid < 1e-4 && by_time > 0.5, "{by_grid} {by_time}");

    let grid = scene("grid");
    let mut state = State::initial(&grid);
    state.positions = goals.iter().map(|(_, starts)| starts[0].0.to_array()).collect();
    let published = goals.iter().map(|(_, starts)| starts[0].1).sum::<f64>() / 12.0;
    let observed = cpu::Simulation::new(&grid, &state, Execution::Parallel).unwrap().observe().asked;
    assert!((observed[0].unwrap() - published).abs() < 1e-2, "{observed:?} {published}");
    assert_eq!(observed[1], Some(0.0));
    for gpu in gpus() {
        let mut simulation = Simulation::new(&gpu, &grid, &state, Options::default()).unwrap();
        assert_eq!(simulation.measure().unwrap().asked, observed, "{}", gpu.title());
        let mut reference = cpu::Simulation::new(&grid, &state, Execution::Parallel).unwrap();
        reference.step(50);
        simulation.step(50).unwrap();
        assert_eq!(simulation.state().unwrap(), reference.state(), "{}", gpu.title());
        // They go there.
        assert!(reference.observe().asked[0] < observed[0]);
    }
}
