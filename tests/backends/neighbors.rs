//! The grid search perceives exactly whom the brute-force oracle perceives, and the sums agree within rounding.

use crate::support::{LAYOUTS, Layout, Shape, edited, parsed, scene, state};
use proptest::prelude::*;
use steerling::cpu::brute_force::{Screens, perceive};
use steerling::cpu::{Execution, Simulation};
use steerling::model::{GridChoice, STAGES, StageId, State};
use steerling::scene::{Scene, behavior_index};

/// A pair this near to a radius or angle, relative, may fall on either side by rounding in f32.
const ROUNDING: f64 = 4e-6;

/// Run the stages of a step but for the last.
fn up_to_steering(simulation: &mut Simulation) {
    STAGES.iter().take_while(|stage| stage.id != StageId::Integrate).for_each(|stage| simulation.run_stage(stage.id));
}

/// Compare `sampled` agents (all where it is large). Returns how many agents and pairs were compared.
fn compare(scene: &Scene, initial: &State, grid: GridChoice, sampled: usize) -> (usize, usize) {
    let mut simulation = Simulation::with_grid(scene, initial, Execution::Parallel, grid).unwrap();
    up_to_steering(&mut simulation);
    let agents = initial.positions.len();
    let stride = agents.div_ceil(sampled).max(1);
    let (mut compared, mut pairs) = (0, 0);
    for sorted_index in (0..agents).step_by(stride) {
        let id = simulation.buffers().sorted_id[sorted_index] as usize;
        let expected = perceive(scene, &Screens::default(), initial, id);
        let found = simulation.perceived_by(sorted_index);
        if expected.nearest_threshold > ROUNDING {
            assert_eq!(found, expected.neighbors, "agent {id} at {:?}", initial.positions[id]);
            assert_eq!(simulation.buffers().neighbors[sorted_index] as usize, found.len());
            compared += 1;
            pairs += found.len();
            let scale = expected.magnitude.max(1e-3);
            for axis in 0..if expected.coincident == 0 { 3 } else { 0 } {
                let difference =
                    f64::from(simulation.buffers().acceleration[sorted_index][axis]) - expected.acceleration[axis];
                assert!(
                    difference.abs() <= 2e-5 * scale,
                    "agent {id}, axis {axis}: {} for {:?} at scale {scale}",
                    simulation.buffers().acceleration[sorted_index][axis],
                    expected.acceleration
                );
            }
        }
    }
    (compared, pairs)
}

/// Without flow field and walls, which the oracle leaves out.
fn flocking_only(scene: Scene) -> Scene {
    edited(&scene, |draft| {
        let flow_field = behavior_index("flow_field").unwrap();
        draft.species.iter_mut().for_each(|species| species.behaviors[flow_field].enabled = false);
        draft.world.margin = 0.0;
    })
}

fn shapes(agents: u32) -> Vec<Shape> {
    let side = (agents as f32 / 5.0).sqrt().max(3.3);
    let edge = (agents as f32 / 5.0).cbrt().max(3.3);
    let mut shapes = Vec::new();
    for boundary in [["wrap"; 3], ["open"; 3], ["wrap", "open", "wrap"], ["open", "wrap", "open"]] {
        shapes.push(Shape { spatial: false, boundary, radii: [side * 1.1, side, 0.0], agents });
        shapes.push(Shape { spatial: true, boundary, radii: [edge * 1.1, edge, edge * 0.9], agents });
    }
    shapes
}

#[test]
fn all_pairs_up_to_4096_agents() {
    for agents in [2, 3, 64, 700, 4096] {
        for shape in shapes(agents) {
            let scene = flocking_only(scene(shape));
            for layout in [Layout::Uniform, Layout::OutOfWorld] {
                if layout == Layout::OutOfWorld && agents > 700 {
                    continue;
                }
                let (compared, pairs) = compare(&scene, &state(&scene, layout), GridChoice::default(), usize::MAX);
                // In these layouts almost no pair is near a threshold.
                assert!(compared * 100 >= agents as usize * 95, "{shape:?} {layout:?}: only {compared} compared");
                assert!(pairs > 0 || agents < 64, "{shape:?} {layout:?}: nobody perceives anybody");
            }
        }
    }
}

#[test]
fn few_cells_along_wrapped_axes() {
    for cells in [2.0, 2.001, 3.0, 4.0] {
        for spatial in [false, true] {
            let shape = Shape { spatial, boundary: ["wrap"; 3], radii: [cells; 3], agents: 250 };
            let scene = flocking_only(scene(shape));
            for layout in [Layout::Uniform, Layout::Clustered] {
                let (compared, pairs) = compare(&scene, &state(&scene, layout), GridChoice::default(), usize::MAX);
                assert!(compared > 200 && pairs > 1000, "{shape:?}: {compared} agents, {pairs} pairs");
            }
        }
    }
    for most_cells in [1, 2, 3, 7] {
        let shape = Shape { spatial: true, boundary: ["wrap"; 3], radii: [2.5, 3.5, 4.5], agents: 300 };
        let scene = flocking_only(scene(shape));
        let grid = GridChoice { most_cells, ..Default::default() };
        assert!(compare(&scene, &State::initial(&scene), grid, usize::MAX).1 > 1000);
    }
}

/// Pairs at exactly the radius are perceived: "within" includes the edge. The oracle skips such cases as decided by
/// rounding, so here the distance is exact in f32.
#[test]
fn the_radius_itself_is_within() {
    let text = "schema = 1\nname = \"edge\"\n[world]\nsize = [64, 64]\nboundary = \"open\"\n\
                [[species]]\nname = \"a\"\ncount = 2\n[species.behaviors.cohesion]\nperception_radius = 5\nfield_of_view = 360\n";
    let scene = parsed(text, &[]);
    for (offset, seen) in
        [([3.0, 4.0], 1), ([5.0, 0.0], 1), ([0.0, -5.0], 1), ([0.0, 5.000001], 0), ([3.0, 4.000001], 0)]
    {
        for at in [[0.0, 0.0], [1.25, -2.5], [-16.0, 16.0]] {
            let state = State {
                positions: vec![[at[0], at[1], 0.0], [at[0] + offset[0], at[1] + offset[1], 0.0]],
                velocities: vec![[1.0, 0.0, 0.0]; 2],
                frozen: vec![false; 2],
                ..Default::default()
            };
            let mut simulation = Simulation::new(&scene, &state, Execution::Serial).unwrap();
            up_to_steering(&mut simulation);
            // The inexact offsets are exact at the origin only.
            if seen == 1 || at == [0.0, 0.0] {
                assert_eq!(simulation.buffers().neighbors[..2], [seen, seen], "{offset:?} at {at:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: proptest::test_runner::RngSeed::Fixed(20261121), failure_persistence: None, ..Default::default() })]
    #[test]
    fn random_worlds(
        seed in any::<u32>(),
        agents in 2u32..400,
        spatial in any::<bool>(),
        wraps in any::<[bool; 3]>(),
        radii in proptest::array::uniform3(2.0f32..9.0),
        layout in 0usize..4,
        cells_per_radius in 1u32..9,
        rows_per_radius in 1u32..4,
    ) {
        let boundary = wraps.map(|w| if w { "wrap" } else { "open" });
        let scene = edited(&flocking_only(scene(Shape { spatial, boundary, radii, agents })), |draft| draft.seed = seed);
        let grid = GridChoice { cells_per_radius, rows_per_radius, ..Default::default() };
        compare(&scene, &state(&scene, LAYOUTS[layout]), grid, usize::MAX);
    }
}

/// Topological neighborhoods, masks of species and of behaviors: nobody else is perceived, and nobody less.
#[test]
fn the_nearest_few_and_only_some_species() {
    let changes = [
        vec!["species.0.k_nearest=7"],
        vec!["species.0.k_nearest=1", "species.1.k_nearest=16"],
        vec!["species.0.perceives=[\"hawk\"]"],
        vec!["species.0.perceives=[\"starling\"]", "species.0.k_nearest=3", "species.1.perceives=[\"starling\"]"],
        vec![
            "species.0.behaviors.separation.perceives=[\"hawk\"]",
            "species.1.behaviors.cohesion.perceives=[\"hawk\"]",
        ],
        vec!["species.0.behaviors.alignment.perceives=[\"starling\"]", "species.0.k_nearest=5"],
        vec![
            "species.0.perceives=[\"hawk\"]",
            "species.0.k_nearest=2",
            "species.0.behaviors.separation.perceives=[\"starling\"]",
            "species.0.behaviors.alignment.perceives=[\"starling\"]",
            "species.0.behaviors.cohesion.perceives=[\"hawk\", \"starling\"]",
        ],
    ];
    for agents in [3, 64, 700] {
        for shape in shapes(agents) {
            let text = scene(shape).draft().source.text;
            for change in &changes {
                let scene = flocking_only(parsed(&text, change));
                let (compared, _) = compare(&scene, &state(&scene, Layout::Uniform), GridChoice::default(), usize::MAX);
                assert!(compared * 100 >= agents as usize * 95, "{shape:?} {change:?}: only {compared} compared");
            }
        }
    }
}

/// Ten hawks that see ten times as far as the flock: cells follow the flock, and the hawks still miss nobody.
#[test]
fn a_few_that_see_far_find_everybody() {
    for spatial in [false, true] {
        let size = if spatial { "[60, 60, 60]" } else { "[120, 120]" };
        let text = format!(
            "schema = 1\nname = \"far\"\nworld = {{ size = {size} }}\n[[species]]\nname = \"starling\"\ncount = 6000\n\
             behaviors.alignment = {{ perception_radius = 2, field_of_view = 300 }}\n[[species]]\nname = \"hawk\"\ncount = 10\n\
             behaviors.cohesion = {{ perception_radius = 20, field_of_view = 360 }}\n"
        );
        let scene = parsed(&text, &[]);
        let initial = State::initial(&scene);
        let mut simulation = Simulation::new(&scene, &initial, Execution::Parallel).unwrap();
        // Rows as high as the flock's radius, not the hawks'.
        assert!(simulation.model().world.cell_size[1] < 4.0, "{:?}", simulation.model().world.cell_size);
        up_to_steering(&mut simulation);
        let is_hawk = |sorted_index: &usize| simulation.buffers().sorted_id[*sorted_index] >= 6000;
        let perceived = (0..6010).filter(is_hawk).map(|sorted_index| simulation.perceived_by(sorted_index).len());
        assert!(perceived.min().unwrap() > 300);
        // All of the hawks, and every twelfth of the flock.
        compare(&scene, &initial, GridChoice::default(), 500);
    }
}
