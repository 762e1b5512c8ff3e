//! Nobody ends a step in a wall of a map: at any pace, with bodies that push each other, and with walls that are drawn meanwhile.

use glam::Vec3;
use steerling::gpu::Options;
use steerling::model::State;
use steerling::scene::{MapStroke, Scene, Walls};
use support::plans::drawn;
use support::{edited, gpu, mistaken, on_gpu, parsed};

/// How many are in walls, or beyond the map.
fn lost(walls: &Walls, state: &State) -> usize {
    let is_lost = |place: &&[f32; 3]| {
        let (column, row) = walls.cell_of(Vec3::from(**place));
        walls.index(column, row).is_none() || walls.is_solid(column, row)
    };
    state.positions.iter().filter(is_lost).count()
}

/// A maze of so many cells of 1 u, with strollers of many paces, and bodies that collide, each as fast as no lint minds: its radius in a step.
/// So many in all.
fn maze(across: u32, agents: u32) -> Scene {
    let species = |share: u32, pace: f32, body: &str| {
        let (count, speed) = (agents * share / 100, pace / 0.05);
        format!(
            "[[species]]\ncount = {count}\nmax_speed = {speed}\nmin_speed = {}\nmax_force = 1e9\nbehaviors.wander = {{}}\n{body}\n",
            0.5 * speed
        )
    };
    let points = [0.05, 0.5, 2.0, 8.0, 30.0, 1000.0].map(|pace| species(10, pace, "radius = 0.1"));
    let bodies = [(18, 0.1), (18, 0.45), (4, 3.0)]
        .map(|(share, radius)| species(share, 0.999 * radius, &format!("radius = {radius}\ncollide = true")));
    let text = format!(
        "schema = 1\ndt = 0.05\nworld = {{ size = [{across}, {across}], boundary = \"open\" }}\n\
         map = {{ source = \"maze\", resolution = {across} }}\n{}{}",
        points.concat(),
        bodies.concat()
    );
    let scene = parsed(&text, &[]);
    let minded: Vec<String> =
        scene.lint().iter().map(ToString::to_string).filter(|lint| lint.contains("radius")).collect();
    assert_eq!(minded, Vec::<String>::new());
    scene
}

/// The maze with a dozen strokes over it, every second an opening, none at its edge.
fn stroked(maze: &Scene, round: u32) -> Scene {
    let reach = 0.5 * maze.world.size.x - 4.0;
    let along = |number: u32, what: u32, half: f32| (drawn(number, what) as f32 / u32::MAX as f32 - 0.5) * 2.0 * half;
    let stroke = |number: u32| {
        let from = Vec3::new(along(number, 1, reach - 9.0), along(number, 2, reach - 9.0), 0.0);
        let to = from + Vec3::new(along(number, 3, 9.0), along(number, 4, 9.0), 0.0);
        MapStroke { from, to, width: 3.0, open: number.is_multiple_of(2) }
    };
    let strokes = (12 * round..12 * (round + 1)).map(stroke).collect();
    edited(maze, |draft| draft.map.as_mut().unwrap().strokes = strokes)
}

/// Agents in walls, summed over rounds of steps, each with strokes of its own, and over what is found after each.
fn all_lost(maze: &Scene, options: Options, rounds: u32, steps: u32) -> usize {
    let mut simulation = on_gpu(&gpu(), maze, options);
    let mut all = 0;
    for round in 0..rounds {
        let scene = stroked(maze, round);
        simulation.change(&scene).unwrap();
        let walls = scene.map.as_ref().unwrap().walls(&scene.world, scene.seed);
        all += lost(&walls, &simulation.state().unwrap());
        for _ in 0..steps {
            simulation.step(1).unwrap();
            all += lost(&walls, &simulation.state().unwrap());
        }
    }
    all
}

#[test]
fn nobody_ends_a_step_in_a_wall() {
    let maze = maze(65, 5000);
    assert_eq!(all_lost(&maze, Options::default(), 3, 20), 0);
    for (function, from, to) in [
        ("along_walls", "if (!is_wall(next + 0.5)) {", "if (!is_wall(next + 0.5) || sideways) {"),
        ("collide_move", "after = along_walls(before, after);", ""),
    ] {
        let shaders = mistaken(function, from, to);
        let found = all_lost(&maze, Options { shaders, ..Options::default() }, 1, 3);
        println!("{function}: {found} are in walls");
        assert!(found > 0, "{function}");
    }
}

/// 10⁸ steps of agents: `cargo test --test maps -- --ignored hundred_million`.
#[test]
#[ignore = "takes nearly twenty minutes; nobody_ends_a_step_in_a_wall tries a share"]
fn a_hundred_million_steps_end_in_no_wall() {
    assert_eq!(all_lost(&maze(513, 100_000), Options::default(), 20, 50), 0);
}
