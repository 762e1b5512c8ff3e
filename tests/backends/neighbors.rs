//! The grid search perceives exactly whom the brute-force oracle perceives, and the sums agree within rounding.

use proptest::prelude::*;
use steerling::cpu::brute_force::{Screens, perceive};
use steerling::cpu::{Execution, Simulation};
use steerling::model::{GridChoice, STAGES, StageId, State};
use steerling::scene::{Scene, behavior_index};
use support::{LAYOUTS, Layout, Shape, edited, parsed, scene, state};

/// A pair this near to a radius or angle, relative, may fall on either side by rounding in f32.
const ROUNDING: f64 = 4e-6;

/// Run the stages of a step but for the last.
fn up_to_steering(simulation: &mut Simulation) {
    STAGES.iter().take_while(|stage| stage.id != StageId::Integrate).for_each(|stage| simulation.run_stage(stage.id));
}

/// Returns how many agents and pairs were compared.
fn compare(scene: &Scene, initial: &State, grid: GridChoice) -> (usize, usize) {
    let mut simulation = Simulation::with_grid(scene, initial, Execution::Parallel, grid).unwrap();
    up_to_steering(&mut simulation);
    let agents = initial.positions.len();
    let (mut compared, mut pairs) = (0, 0);
    for sorted_index in 0..agents {
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
                let (compared, pairs) = compare(&scene, &state(&scene, layout), GridChoice::default());
                // In these layouts almost no pair is near a threshold.
                assert!(compared * 100 >= agents as usize * 95, "{shape:?} {layout:?}: only {compared} compared");
                assert!(pairs > 0 || agents < 64, "{shape:?} {layout:?}: nobody perceives anybody");
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
        compare(&scene, &state(&scene, LAYOUTS[layout]), grid);
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
                let (compared, _) = compare(&scene, &state(&scene, Layout::Uniform), GridChoice::default());
                assert!(compared * 100 >= agents as usize * 95, "{shape:?} {change:?}: only {compared} compared");
            }
        }
    }
}
