//! Other walls and other crowds while agents walk: what is computed around them is what a computation from nothing gives, and where that is
//! spread over steps, the other ways are followed at the same step in every run.

use crate::walls;
use glam::Vec3;
use std::path::Path;
use steerling::cpu;
use steerling::gpu::Options;
use steerling::model::random::hash4;
use steerling::model::{BufferId, Change, CompiledScene, GridChoice, Snapshot};
use steerling::scene::{MapStroke, Scene};
use support::plans::{self, through_file, walkers};
use support::{edited, gpus, on_cpu, on_gpu, with_column};

/// Crowds that walk to and fro between two rooms with two doors.
fn rooms(folder: &Path, keys: &str) -> Scene {
    let more = "behaviors.wander = { weight = 0.3 }\nbehaviors.obstacle_avoidance = { weight = 0.5 }";
    let there = walkers("there", 40, "left", "right", more);
    plans::rooms(folder, keys, &(there + &walkers("back", 40, "right", "left", more)))
}

/// With a stroke more.
fn drawn(scene: &Scene, from: [f32; 2], to: [f32; 2], open: bool) -> Scene {
    let at = |[x, y]: [f32; 2]| Vec3::new(x, y, 0.0);
    let stroke = MapStroke { from: at(from), to: at(to), width: 0.5, open };
    edited(scene, |draft| draft.map.as_mut().unwrap().strokes.push(stroke))
}

/// Scenes one after another, each for so many steps, on the reference.
fn reference(scenes: &[(&Scene, u32)]) -> cpu::Simulation {
    let mut simulation = on_cpu(scenes[0].0);
    for (index, (scene, steps)) in scenes.iter().enumerate() {
        if index > 0 {
            assert_eq!(simulation.change(scene).unwrap(), Change::State);
        }
        simulation.step(*steps);
    }
    simulation
}

/// Random maps and a stroke over each: what is found around it is what a search of the whole map finds, on devices whether or not the host
/// knew the walls of before.
#[test]
fn a_stroke_is_as_a_search_of_the_whole_map() {
    let (gpus, mut differ) = (gpus(), 0);
    for number in 0..30u32 {
        let draw = |what: u32| hash4([7, number, what, 0])[0];
        let (columns, rows) = (8 + draw(1) % 90, 8 + draw(2) % 90);
        let share = [1, 4, 30, 200, 600][draw(3) as usize % 5];
        let mut plan = walls::drawn(columns, rows, share, number);
        // A map without walls is no map of walls.
        plan[0].replace_range(..1, "@");
        let before = walls::scene("size = [200, 200]", 1.0, &plan, "[[species]]\ncount = 1\n");
        let place = |what: u32, cells: u32| (draw(what) % cells) as f32 - cells as f32 / 2.0;
        let from = [place(4, columns), place(5, rows)];
        let to = [from[0] + (draw(6) % 6) as f32, from[1] + (draw(7) % 6) as f32];
        let after = walls::stroked(&before, &[walls::stroke(from, to, 1.5, number % 2 == 1)]);
        let nearest = |model: &CompiledScene| model.nearest_walls.as_ref().unwrap().texels().to_vec();
        let whole = nearest(&CompiledScene::new(&after, GridChoice::default()).unwrap());
        let mut reference = on_cpu(&before);
        differ += u32::from(nearest(reference.model()) != whole);
        reference.change(&after).unwrap();
        assert!(nearest(reference.model()) == whole, "stroke {number}");
        for (gpu, known) in gpus.iter().zip([number % 2 == 0, number % 2 == 1]) {
            let mut simulation = on_gpu(gpu, &before, Options::default());
            if known {
                nearest(simulation.model());
            }
            simulation.change(&after).unwrap();
            assert!(walls::texels(gpu, &simulation)[..whole.len()] == whole, "stroke {number} on {}", gpu.title());
        }
    }
    assert!(differ > 15, "{differ}");
}

/// On a large map of streets a stroke is looked at where it is.
#[test]
fn a_small_stroke_looks_at_few_cells() {
    let is_house = |at: usize| (at / 8).is_multiple_of(2);
    let letter = |x: usize, y: usize| if is_house(x) && is_house(y) { '@' } else { '.' };
    let plan: Vec<String> = (0..512).map(|y| (0..512).map(|x| letter(x, y)).collect()).collect();
    let before = walls::scene("size = [512, 512]", 1.0, &plan, "[[species]]\ncount = 1\n");
    let after = walls::stroked(&before, &[walls::stroke([0.0, 0.0], [20.0, 0.0], 1.0, false)]);
    let nearest = |scene: &Scene| CompiledScene::new(scene, GridChoice::default()).unwrap().nearest_walls.unwrap();
    let (before, whole, after) = (nearest(&before), nearest(&after), nearest(&after));
    let (_, looked_at) = after.renew(&before, before.texels()).unwrap();
    assert!(after.texels() == whole.texels() && before.texels() != whole.texels());
    assert!(looked_at < 20_000, "{looked_at}");
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
    let later = with_column(&snapshot, BufferId::WayCosts, |mut words| {
        words[0] += 1;
        Some(words)
    });
    let cheaper = with_column(&snapshot, BufferId::WayCosts, |mut words| {
        // All of the left half of the room's wall is open until then.
        words[1..].fill(0x1010_1010);
        Some(words)
    });
    let none = with_column(&snapshot, BufferId::WayCosts, |_| None);
    middle.step(AFTER - 3);
    assert_eq!(middle.observe().digest, digest);
    assert_eq!(awaited(&middle.snapshot()), 0);
    let mut resumed = on_cpu(&closed);
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
        let new = |scene: &Scene| on_gpu(&gpu, scene, Options::default());
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
        rooms(folder.path(), &format!("crowding = 1\ncrowding_radius = 1.4\ncrowding_every = 7\nrenew_steps = {steps}"))
    };
    let faster = |scene: &Scene| edited(scene, |draft| draft.species[0].max_speed = 2.5);
    let run = |scene: &Scene, first: u32| {
        let mut simulation = on_cpu(scene);
        simulation.step(first);
        simulation.change(&faster(scene)).unwrap();
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
            let mut simulation = on_gpu(&gpu, &scene, Options::default());
            simulation.step(16).unwrap();
            let middle = through_file(folder.path(), &scene, &simulation.snapshot().unwrap());
            simulation.change(&faster(&scene)).unwrap();
            simulation.step(STEPS - 16).unwrap();
            assert_eq!(simulation.observe().unwrap().digest, digest, "{steps} on {}", gpu.title());
            simulation.restore(&middle).unwrap();
            simulation.step(STEPS - 16).unwrap();
            assert_eq!(simulation.observe().unwrap().digest, digest, "{steps}, resumed on {}", gpu.title());
        }
    }
}
