//! The suite can fail: each of these plausible mistakes, put into a shader, must turn the comparison red.
//!
//! Every mutant goes through `verify` on the same scenes as the unchanged shaders, which must stay green.

use steerling::gpu::shaders::Sources;
use steerling::gpu::{Gpu, GpuError, Options};
use steerling::scene::Scene;
use steerling::verify::{Plan, verify};
use steerling_conform::Mutant;
use support::{Layout, Mistake, Shape, gpu, notices, scene, state};

/// What is replaced in which function, by what.
const MUTANTS: &[Mistake] = &[
    ("separation_add", "return sum - neighbor.offset", "return sum + neighbor.offset"),
    ("separation_add", "separation_falloff(squared, separation.exponent)", "1.0 / max(neighbor.distance, 1e-3)"),
    ("separation_add_coincident", "select(-apart, apart, agent.id < other)", "apart"),
    (
        "walk_row",
        "sqrt(max(rest, 0.0)) + world.search_margin",
        "select(sqrt(max(rest, 0.0)) + world.search_margin, 0.0, distance_y > 0.0 && distance_z > 0.0)",
    ),
    (
        "walk_row",
        "sqrt(max(rest, 0.0)) + world.search_margin",
        "select(sqrt(max(rest, 0.0)) + world.search_margin, 0.0, y == (*walk).rows_y.x && y < (*walk).rows_y.y)",
    ),
    ("walk_row", "sqrt(max(rest, 0.0)) + world.search_margin", "sqrt(max(rest, 0.0)) - 0.05 * reach"),
    ("walk_start", "beyond.y, boundary_y == WRAP", "beyond.y, false"),
    ("walk_row", "beyond.x, boundary_x == WRAP", "beyond.x, false"),
    ("enter_image", "vec3f(f32((*walk).period_x) * half_size.x,", "vec3f(0.0,"),
    (
        "walk_start",
        "walk.z = walk.rows_z.x;",
        "walk.rows_z.y = max(walk.rows_z.y - 1, walk.rows_z.x); walk.z = walk.rows_z.x;",
    ),
    (
        "candidate_at",
        "(sorted_index != viewer.sorted_index) & (distance_squared <= viewer.nearest_enough)",
        "distance_squared <= viewer.nearest_enough",
    ),
    (
        "walk_range",
        "cell_start[(*walk).row_start + u32(home_x + length) + 1u]",
        "max((*walk).first + 1u, cell_start[(*walk).row_start + u32(home_x + length) + 1u]) - 1u",
    ),
    ("add_candidate", "squared, other.velocity,", "squared, viewer.agent.velocity,"),
    ("sees", "neighbor.distance * vision.cosine", "neighbor.distance * (2.0 * vision.cosine * vision.cosine - 1.0)"),
    ("sees", "neighbor.distance * vision.cosine", "vision.cosine"),
    ("sees", "neighbor.distance_squared <= vision.radius_squared", "neighbor.distance_squared < vision.radius_squared"),
    ("alignment_resolve", "sum.velocity / f32(sum.count));", "sum.velocity / f32(sum.count) / f32(sum.count));"),
    (
        "alignment_resolve",
        "steer_to(agent, sum.velocity / f32(sum.count));",
        "sum.velocity / f32(sum.count) / agent.time_constant;",
    ),
    ("cohesion_resolve", "return sum.offset / f32(sum.count);", "return sum.offset;"),
    ("flow_field_ahead", "agent.position + agent.velocity * flow_field.prediction_time", "agent.position"),
    ("sample_record", "field_axis(position.x, half_size.x,", "field_axis(position.y, half_size.x,"),
    ("propelled", "limit(steering * limits.mass, limits.force)", "steering * limits.mass"),
    ("propelled", "force / limits.mass;", "force;"),
    ("after_step", "before + after * world.dt", "before + after"),
    ("after_step", "before + after * world.dt", "before + moving * world.dt"),
    ("clip_speed", "squared > fastest * fastest", "squared > fastest * fastest * 1e6"),
    ("clip_speed", "squared < slowest * slowest", "squared < 0.0"),
    ("bounded", "Motion(half_size, -abs(v))", "Motion(half_size, v)"),
    ("containment_along", "select(push, -push, x > 0.0)", "select(-push, push, x > 0.0)"),
    (
        "wrap_coordinate",
        "let wrapped = x - size * floor((x + half_size) / size);",
        "let wrapped = clamp(x, -half_size, half_size);",
    ),
    (
        "cell_of",
        "let coordinate = floor((position + world.half_size) * world.cells_per_unit);",
        "let coordinate = round((position + world.half_size) * world.cells_per_unit);",
    ),
    ("workgroup_scan", "return partial[thread] - value;", "return partial[thread];"),
    ("scan_apply", "count[home] = 0u;", "count[home] += 0u;"),
    ("gather_from", "other < (id & ID_BITS)", "other > (id & ID_BITS)"),
    (
        "gather_from",
        "SortedAgent(load(position[slot]), load(velocity[slot]), id);",
        "SortedAgent(load(position[slot]), load(velocity[order_index]), id);",
    ),
    ("direction", "hash4(vec4u(world.seed, id, other, stream))", "hash4(vec4u(0u, id, other, stream))"),
    ("species_of", "row = begun(world.first_ids[0], id);", "row = 0u;"),
    ("walk_start", "boundary_z == WRAP", "boundary_y == WRAP"),
];

/// Mistakes in the calls that are made for a scene: what stands in them once, and what it becomes. The weights of separation and cohesion are
/// swapped, and alignment sees with the cone of separation.
const CALLS: &[(&str, &str)] = &[
    ("blend_add(combined, own, perceivers.separation.rule,", "blend_add(combined, own, perceivers.cohesion.rule,"),
    (
        "alignment_add((*sums).alignment, perceivers.alignment, neighbor)",
        "alignment_add((*sums).alignment, Alignment(perceivers.alignment.rule, perceivers.separation.vision, 0u), neighbor)",
    ),
];

/// Small worlds that together use every line that a mutant changes.
fn scenes() -> Vec<(Scene, Layout)> {
    let shape = |spatial, boundary, side: f32, agents| Shape { spatial, boundary, radii: [side, side, side], agents };
    vec![
        (scene(shape(false, ["wrap", "wrap", "open"], 9.0, 700)), Layout::Uniform),
        (scene(shape(false, ["contain", "wrap", "open"], 7.0, 500)), Layout::OnCellEdge),
        (scene(shape(true, ["wrap", "contain", "wrap"], 4.0, 900)), Layout::Uniform),
        (scene(shape(true, ["contain", "wrap", "open"], 4.5, 300)), Layout::OutOfWorld),
        (scene(shape(false, ["open", "open", "open"], 5.0, 60)), Layout::OnePoint),
        (scene(shape(true, ["open", "open", "open"], 5.0, 40)), Layout::AtRest),
    ]
}

/// Does `verify` find anything in any of the scenes?
fn red(gpu: &Gpu, options: &Options) -> bool {
    let plan = Plan { steps: 3, free_steps: 0 };
    scenes().iter().any(|(scene, layout)| match verify(gpu, scene, &state(scene, *layout), options, plan, |_| ()) {
        Ok(report) => !report.pass,
        Err(GpuError::Shader(error)) => panic!("the mutant does not compile: {error}"),
        Err(GpuError::CutOff { .. }) => true,
        Err(error) => panic!("no verdict: {error}"),
    })
}

#[test]
fn every_mutant_is_found() {
    assert_eq!(MUTANTS.len() + CALLS.len(), 40, "the README says how many");
    let gpu = gpu();
    notices(|options| !red(&gpu, &options), MUTANTS);
    for (from, to) in CALLS {
        let mut options = Options::default();
        options.shaders.edit_calls(from, to);
        assert!(red(&gpu, &options), "not noticed: {to}");
    }
}

/// Where drivers may round as they like, the tolerance must still tell a mistake from rounding.
#[test]
fn the_tolerance_finds_mutants_too() {
    let (gpu, some) = (gpu(), MUTANTS.iter().step_by(4).copied().collect::<Vec<_>>());
    notices(|options| !red(&gpu, &Options { exact: false, ..options }), &some);
}

/// The same scenes with the shaders as they are, when they come from outside and are compiled with checks.
#[test]
fn unchanged_shaders_are_green() {
    let mut options = Options::default();
    let text = options.shaders.text("sim/steer.wgsl").unwrap().to_owned();
    options.shaders.replace("sim/steer.wgsl", "copy.wgsl", text);
    assert!(!red(&gpu(), &options));
}

/// A comparison that compares nothing, or one unit in the last place, is noticed.
#[test]
fn the_comparator_counts_units_in_the_last_place() {
    use steerling::verify::ulps;
    assert_eq!(ulps(1.0, 1.0), 0);
    assert_eq!(ulps(1.0, 1.0f32.next_up()), 1);
    assert_eq!(ulps(-0.0, 0.0), 0);
    assert_eq!(ulps(f32::from_bits(1), -f32::from_bits(1)), 2);
    assert!(ulps(1.0, -1.0) > 1_000_000);
}

/// A mistake with more than one place is none, and is named. One without a place would be red above.
#[test]
fn a_mutant_without_one_place_is_named() {
    let twice =
        Mutant { function: "dot3", from: "+", to: "-", mistake: "x does not count" }.apply(&mut Sources::default());
    let twice = twice.unwrap_err();
    assert_eq!(twice.to_string(), "\"x does not count\": `+` stands 2 times in the function `dot3`, not once");
}
