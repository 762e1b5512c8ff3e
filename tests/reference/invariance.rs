//! What must not matter: the number of cores, the order of storage, the fineness of the grid, a behavior without weight,
//! and an agent that nobody perceives.

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
fn the_fineness_of_the_grid_does_not_matter() {
    // No more than a cell shows, or one large cell would show a sample.
    let scene = flock(500, true);
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
fn a_behavior_without_weight_is_gone_to_the_bit() {
    let rules = [
        ("separation", "weight = 12", "perception_radius = 2.5, field_of_view = 300"),
        ("alignment", "weight = 1", "perception_radius = 4, field_of_view = 270"),
        ("cohesion", "weight = 5", "perception_radius = 5, field_of_view = 200"),
        ("flow_field", "weight = 0.7", "prediction_time = 0.1"),
    ];
    let start = Draw::new(56).crowd(300, false, 15.0, 15.0);
    // The flock's end with one behavior's weight replaced, or with the behavior left out.
    let end = |name: &str, replaced: Option<&str>| {
        let mut species = "count = 300\n".to_owned();
        for (rule, weight, rest) in rules {
            match (rule == name, replaced) {
                (false, _) => species += &format!("behaviors.{rule} = {{ {weight}, {rest} }}\n"),
                (true, Some(weight)) => species += &format!("behaviors.{rule} = {{ {weight}, {rest} }}\n"),
                (true, None) => (),
            }
        }
        let field = "field = { source = \"curl_noise\", speed = 8, wavelength = 20, resolution = 32 }";
        all_bits(&run(&scene(&format!("world = {{ size = [30, 30] }}\n{field}"), &species), &start, 20))
    };
    for (name, weight, _) in rules {
        let without = end(name, None);
        assert_eq!(without, end(name, Some("weight = 0")), "{name} with weight 0");
        assert_eq!(without, end(name, Some(&format!("enabled = false, {weight}"))), "{name} not enabled");
        assert_ne!(without, end(name, Some("weight = 1e-3")), "{name} has no effect at all");
    }
}

#[test]
fn an_agent_that_nobody_perceives_changes_nobody() {
    let behaviors = seeing("separation", 12.0, 2.5, 300.0) + &seeing("alignment", 1.0, 4.0, 270.0);
    for spatial in [false, true] {
        let size = if spatial { "[100, 100, 100]" } else { "[100, 100]" };
        let scene = scene(&format!("world = {{ size = {size} }}"), &format!("count = 300\n{behaviors}"));
        let mut start = Draw::new(57).crowd(300, spatial, 10.0, 10.0);
        let mut end = |agent: [f32; 3]| {
            start.positions[17] = agent;
            let mut end = run(&scene, &start, 20);
            end.positions.remove(17);
            end.velocities.remove(17);
            (bits(&end.positions), bits(&end.velocities))
        };
        let far = end([40.0, 40.0, 0.0]);
        assert_eq!(far, end([-45.0, 30.0, 0.0]));
        assert_ne!(far, end([1.0, 1.0, 0.0]), "and one in their midst changes somebody");
    }
}
