//! Other walls and other crowds while agents walk: what is computed around them is what a computation from nothing gives, and where that is
//! spread over steps, the other ways are followed at the same step in every run.

use crate::walls;
use glam::Vec3;
use std::path::Path;
use steerling::engine::{Backend, Engine};
use steerling::gpu::Options;
use steerling::model::random::hash4;
use steerling::model::{BufferId, Change, CompiledScene, Snapshot};
use steerling::scene::{MapStroke, Scene};
use support::plans::{self, through_file, walkers};
use support::{backends, edited, goes_on, gpus, model, on_cpu, on_gpu, start, with_column, without_columns};

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

/// A run of one scene for so many steps, and then of another one in parts of so many.
fn changed(backend: &Backend, (first, before): (&Scene, u32), then: &Scene, parts: &[u32]) -> Engine {
    let mut run = start(backend, first);
    run.step(before).unwrap();
    assert_ne!(run.change(then).unwrap(), Change::Restart);
    parts.iter().for_each(|steps| run.step(*steps).unwrap());
    run
}

fn digest(run: &Engine) -> String {
    run.observe().unwrap().digest_hex()
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
        let whole = nearest(&model(&after));
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
    let nearest = |scene: &Scene| model(scene).nearest_walls.unwrap();
    let (before, whole, after) = (nearest(&before), nearest(&after), nearest(&after));
    let (_, looked_at) = after.renew(&before, before.texels()).unwrap();
    assert!(after.texels() == whole.texels() && before.texels() != whole.texels());
    assert!(looked_at < 20_000, "{looked_at}");
}

/// A door is closed while ways are spread over eight steps: on all backends, in steps of any number and through a checkpoint in the midst of
/// them. Another number of steps, other costs until then, or none, lead elsewhere.
#[test]
fn ways_that_are_spread_over_steps_are_followed_at_the_same_step() {
    const BEFORE: u32 = 40;
    const AFTER: u32 = 60;
    let folder = tempfile::tempdir().unwrap();
    let with = |renew_steps: u32| rooms(folder.path(), &format!("renew_steps = {renew_steps}"));
    let closed = |scene: &Scene| drawn(scene, [0.5, 3.0], [0.5, 5.0], false);
    let run = |backend: &Backend, renew_steps: u32, parts: &[u32]| {
        let scene = with(renew_steps);
        changed(backend, (&scene, BEFORE), &closed(&scene), parts)
    };
    let whole = run(&Backend::Cpu, 8, &[AFTER]);
    for other in [1, 7, 9] {
        assert_ne!(digest(&run(&Backend::Cpu, other, &[AFTER])), digest(&whole), "the number of steps does not matter");
    }

    let awaited = |snapshot: &Snapshot| snapshot.column(BufferId::WayCosts).unwrap()[0];
    let middle = run(&Backend::Cpu, 8, &[3]).snapshot().unwrap();
    // Of eight steps seven are by the ways of before.
    assert_eq!((awaited(&middle), awaited(&whole.snapshot().unwrap())), (7 - 3 + 1, 0));
    let closed = closed(&with(8));
    let middle = through_file(folder.path(), &closed, &middle);
    let later = with_column(&middle, BufferId::WayCosts, |words| words[0] += 1);
    // All of the left half of the room's wall is open until then.
    let cheaper = with_column(&middle, BufferId::WayCosts, |words| words[1..].fill(0x1010_1010));
    let none = without_columns(&middle, &[BufferId::WayCosts]);
    for backend in backends() {
        let what = backend.title();
        for parts in [vec![AFTER], vec![1, 5, 1, 1, 2, AFTER - 10], vec![3; AFTER as usize / 3]] {
            assert_eq!(digest(&run(&backend, 8, &parts)), digest(&whole), "{what}");
        }
        let mut resumed = start(&backend, &closed);
        for (snapshot, same) in [(&middle, true), (&later, false), (&cheaper, false), (&none, false), (&middle, true)] {
            assert_eq!(goes_on(&mut resumed, snapshot, AFTER - 3) == digest(&whole), same, "resumed on {what}");
        }
        // A snapshot of the midst, on the reference.
        let midst = run(&backend, 8, &[3]).snapshot().unwrap();
        assert_eq!(goes_on(&mut start(&Backend::Cpu, &closed), &midst, AFTER - 3), digest(&whole), "{what}");
    }
}

/// Crowds are heeded a few steps after they were counted, and a change of numbers between changes nothing of that.
#[test]
fn crowds_that_are_spread_over_steps_are_heeded_at_the_same_step() {
    const STEPS: u32 = 60;
    // In the midst of three steps.
    const FIRST: u32 = 16;
    let folder = tempfile::tempdir().unwrap();
    let with = |steps: u32| {
        rooms(folder.path(), &format!("crowding = 1\ncrowding_radius = 1.4\ncrowding_every = 7\nrenew_steps = {steps}"))
    };
    let run = |backend: &Backend, scene: &Scene| {
        let faster = edited(scene, |draft| draft.species[0].max_speed = 2.5);
        changed(backend, (scene, FIRST), &faster, &[STEPS - FIRST])
    };
    // Ten are more than from one count to the next.
    for steps in [3, 10] {
        let scene = with(steps);
        let expected = digest(&run(&Backend::Cpu, &scene));
        for other in [1, steps + 1] {
            assert_ne!(digest(&run(&Backend::Cpu, &with(other))), expected, "the number of steps does not matter");
        }
        for backend in backends() {
            let what = format!("{steps} on {}", backend.title());
            let mut middle = start(&backend, &scene);
            middle.step(FIRST).unwrap();
            let middle = through_file(folder.path(), &scene, &middle.snapshot().unwrap());
            let mut run = run(&backend, &scene);
            assert_eq!(digest(&run), expected, "{what}");
            assert_eq!(goes_on(&mut run, &middle, STEPS - FIRST), expected, "resumed, {what}");
        }
    }
}
