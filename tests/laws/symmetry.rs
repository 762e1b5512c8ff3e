//! What must not matter: the number of cores, the order of storage, the names of agents, where the world is cut, and
//! which way is up.

use crate::common::*;
use steerling::cpu::{Execution, Simulation};
use steerling::model::{FROZEN, GridChoice, State};
use steerling::scene::Scene;

fn flock(agents: usize, spatial: bool) -> Scene {
    let size = if spatial { "[32, 32, 32]" } else { "[32, 32]" };
    let species = format!(
        "count = {agents}\nmin_speed = 5\n{}{}{}",
        seeing("separation", 12.0, 2.5, 360.0),
        seeing("alignment", 1.0, 5.0, 270.0),
        seeing("cohesion", 5.0, 5.0, 270.0)
    );
    scene(&format!("seed = 3\nworld = {{ size = {size} }}"), &species)
}

/// Every agent's state by a function of positions and one of velocities.
fn mapped(state: &State, position: impl Fn([f32; 3]) -> [f32; 3], velocity: impl Fn([f32; 3]) -> [f32; 3]) -> State {
    State {
        positions: state.positions.iter().map(|p| position(*p)).collect(),
        velocities: state.velocities.iter().map(|v| velocity(*v)).collect(),
        frozen: state.frozen.clone(),
        ..Default::default()
    }
}

#[test]
fn serial_and_parallel_have_the_same_bits() {
    for spatial in [false, true] {
        let scene = flock(2000, spatial);
        let start = State::initial(&scene);
        let mut runs = [Execution::Serial, Execution::Parallel].map(|e| Simulation::new(&scene, &start, e).unwrap());
        for _ in 0..20 {
            runs.iter_mut().for_each(|run| run.step(1));
            assert_eq!(all_bits(&runs[0].state()), all_bits(&runs[1].state()));
        }
        assert_eq!(runs[0].observe(), runs[1].observe());
        assert_ne!(bits(&runs[0].state().positions), bits(&start.positions));
    }
}

#[test]
fn a_run_resumed_from_its_state_has_the_same_bits() {
    // The running one holds its agents in the order of cells, the resumed one starts in the order of ids.
    let scene = flock(1000, false);
    let mut running = simulation(&scene, &State::initial(&scene));
    running.step(15);
    let mut resumed = simulation(&scene, &running.state());
    assert_ne!(running.buffers().id, resumed.buffers().id, "the orders are the same, and nothing is tested");
    assert_eq!(running.observe().digest, resumed.observe().digest);
    running.step(15);
    resumed.step(15);
    assert_eq!(all_bits(&running.state()), all_bits(&resumed.state()));
}

#[test]
fn no_agent_is_lost_or_doubled() {
    let scene = flock(1500, true);
    let mut simulation = simulation(&scene, &State::initial(&scene));
    for step in 0..40 {
        simulation.step(1);
        let mut ids: Vec<u32> = simulation.buffers().sorted_id.iter().map(|id| id & !FROZEN).collect();
        ids.sort_unstable();
        assert!(ids.iter().copied().eq(0..1500), "step {step}");
    }
}

#[test]
fn other_names_for_the_agents_give_the_same_flock() {
    let mut draw = Draw::new(61);
    for spatial in [false, true] {
        let scene = flock(600, spatial);
        let start = State::initial(&scene);
        let mut name: Vec<usize> = (0..600).collect();
        for i in (1..600).rev() {
            name.swap(i, (draw.word() % (i as u64 + 1)) as usize);
        }
        let pick = |vectors: &[[f32; 3]]| name.iter().map(|&agent| vectors[agent]).collect::<Vec<_>>();
        let renamed = State {
            positions: pick(&start.positions),
            velocities: pick(&start.velocities),
            frozen: start.frozen.clone(),
            ..Default::default()
        };
        let (found, expected) = (accelerations(&scene, &renamed), accelerations(&scene, &start));
        let expected_renamed: Vec<V> = name.iter().map(|&agent| expected[agent]).collect();
        let error = distance(&found, &expected_renamed);
        println!("renamed: {error:e}");
        assert!(error <= 1e-5 && distance(&found, &expected) > 1e-2);
    }
}

#[test]
fn the_fineness_of_the_grid_does_not_matter() {
    let scene = flock(800, true);
    let start = State::initial(&scene);
    let end = |grid: GridChoice| {
        let mut simulation = Simulation::with_grid(&scene, &start, Execution::Serial, grid).unwrap();
        simulation.step(1);
        let neighbors = simulation.observe().mean_neighbors;
        (simulation.state().velocities.iter().map(|v| wide(*v)).collect::<Vec<_>>(), neighbors)
    };
    let (expected, neighbors) = end(GridChoice::default());
    for (cells_per_radius, rows_per_radius, most_cells) in [(1, 1, 1 << 25), (1, 1, 1), (2, 3, 1 << 25), (8, 2, 500)] {
        let (found, same) = end(GridChoice { cells_per_radius, rows_per_radius, most_cells });
        assert!(distance(&found, &expected) <= 1e-5);
        assert_eq!(same, neighbors);
    }
}

#[test]
fn where_the_world_is_cut_does_not_matter() {
    // Multiples of 1/64 move by half a world without rounding.
    let mut draw = Draw::new(62);
    for (spatial, shift) in [(false, [16.0, 0.0, 0.0]), (false, [16.0, 16.0, 0.0]), (true, [16.0, 16.0, 16.0])] {
        let scene = flock(600, spatial);
        let mut start = draw.crowd(600, spatial, 16.0, 15.0);
        start.positions.iter_mut().flatten().for_each(|x| *x = (*x * 64.0).floor() / 64.0);
        let cut = |p: [f32; 3]| [0, 1, 2].map(|axis| (p[axis] + shift[axis] + 16.0).rem_euclid(32.0) - 16.0);
        let shifted = mapped(&start, |p| if spatial { cut(p) } else { [cut(p)[0], cut(p)[1], 0.0] }, |v| v);
        let error = distance(&accelerations(&scene, &shifted), &accelerations(&scene, &start));
        println!("shifted by {shift:?}: {error:e}");
        assert!(error <= 1e-5);
        assert_eq!(perceived(&scene, &shifted), perceived(&scene, &start));
    }
}

#[test]
fn turned_or_mirrored_the_flock_flies_turned_or_mirrored() {
    let mut draw = Draw::new(63);
    type Map = fn([f32; 3]) -> [f32; 3];
    let turn: Map = |[x, y, z]| [-y, x, z];
    let mirror: Map = |[x, y, z]| [-x, y, z];
    let tumble: Map = |[x, y, z]| [y, z, x];
    for (spatial, map) in [(false, turn), (false, mirror), (true, turn), (true, mirror), (true, tumble)] {
        let scene = flock(600, spatial);
        let start = draw.crowd(600, spatial, 15.9, 15.0);
        let after = |start: &State| run(&scene, start, 5).velocities.iter().map(|v| wide(*v)).collect::<Vec<_>>();
        let turned_before = after(&mapped(&start, map, map));
        let expected = run(&scene, &start, 5);
        let turned_after: Vec<V> = expected.velocities.iter().map(|v| wide(map(*v))).collect();
        let error = distance(&turned_before, &turned_after);
        println!("turned: {error:e}");
        assert!(error <= 1e-5 && distance(&after(&start), &turned_after) > 1e-2);
    }
}

#[test]
fn a_flock_flies_the_same_in_a_moving_frame() {
    // Separation and cohesion without views or limits depend on positions only.
    let mut draw = Draw::new(64);
    let species = format!(
        "count = 60\nmax_speed = 1e5\nmax_force = 1e9\n{}{}{}",
        all_around("separation", 1.0, 2.0),
        all_around("alignment", 1.0, 500.0),
        all_around("cohesion", 1.0, 500.0)
    );
    let scene = scene("dt = 0.01\nworld = { size = [100, 100], boundary = \"open\" }", &species);
    let start = draw.crowd(60, false, 10.0, 3.0);
    let frame = [4.0f32, -2.0, 0.0];
    let moving = mapped(&start, |p| p, |v| [v[0] + frame[0], v[1] + frame[1], 0.0]);
    let velocities = |state: State| state.velocities.iter().map(|v| wide(*v)).collect::<Vec<_>>();
    let still = velocities(run(&scene, &start, 50));
    let carried = velocities(run(&scene, &moving, 50));
    let expected: Vec<V> = still.iter().map(|v| plus(*v, wide(frame))).collect();
    assert!(distance(&carried, &expected) <= 1e-4, "{:e}", distance(&carried, &expected));
    assert!(distance(&carried, &still) > 0.1);
}
