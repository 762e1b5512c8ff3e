//! The suite can fail: each of these plausible mistakes, put into a shader, must turn the comparison red.
//!
//! Every mutant goes through `verify` on the same scenes as the unchanged shaders, which must stay green.

mod support;

use steerling::gpu::{Gpu, GpuError, Options};
use steerling::scene::Scene;
use steerling::verify::{Plan, verify};
use support::{Layout, Shape, gpu, scene, state};

struct Mutant {
    mistake: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

const fn mutant(mistake: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { mistake, file, from, to }
}

const STEER: &str = "sim/steer.wgsl";
const INTEGRATE: &str = "sim/integrate.wgsl";

/// The query for the nearest has some lines of the neighbor loop, less indented: indentation tells them apart.
const MUTANTS: &[Mutant] = &[
    mutant(
        "separation attracts",
        "behaviors/separation.wgsl",
        "return sum - neighbor.offset",
        "return sum + neighbor.offset",
    ),
    mutant(
        "separation by distance, not its square",
        "behaviors/separation.wgsl",
        "1.0 / max(neighbor.distance_squared, separation_floor(separation))",
        "1.0 / max(neighbor.distance, 1e-3)",
    ),
    mutant(
        "coincident agents part the same way",
        "behaviors/separation.wgsl",
        "select(-apart, apart, id < other)",
        "apart",
    ),
    mutant(
        "a diagonal cell is skipped",
        STEER,
        "    if (rest < 0.0) {\n                            continue;",
        "    if (rest < 0.0 || (distance_y > 0.0 && distance_z > 0.0)) {\n                            continue;",
    ),
    mutant(
        "the first row is skipped",
        STEER,
        "    if (rest < 0.0) {\n                            continue;",
        "    if (rest < 0.0 || (y == rows_y.x && y < rows_y.y)) {\n                            continue;",
    ),
    mutant(
        "the clip margin is negative",
        STEER,
        "    chord = sqrt(rest) + world.search_margin",
        "    chord = sqrt(rest) - 0.05 * reach",
    ),
    mutant(
        "y does not wrap in the search",
        STEER,
        "        let wraps_y = boundary_y == WRAP;",
        "        let wraps_y = false;",
    ),
    mutant(
        "x does not wrap in the search",
        STEER,
        "        let wraps_x = boundary_x == WRAP;",
        "        let wraps_x = false;",
    ),
    mutant(
        "no minimum image along x",
        STEER,
        "                        var half_way = vec3f(f32(period_x) * half_size.x,",
        "                        var half_way = vec3f(0.0 * f32(period_x),",
    ),
    mutant(
        "a z row is dropped",
        STEER,
        "            for (var z = rows_z.x; z <= rows_z.y;",
        "            for (var z = rows_z.x; z < max(rows_z.y, rows_z.x + 1);",
    ),
    mutant(
        "the agent counts itself",
        STEER,
        "if (other != place && distance_squared <= nearest",
        "if (distance_squared <= nearest",
    ),
    mutant(
        "the last of a row is left out",
        STEER,
        "for (; other < last; other += 1u) {\n                            let offset",
        "for (; other + 1u < last; other += 1u) {\n                            let offset",
    ),
    mutant(
        "separation and cohesion swap weights",
        STEER,
        "&combined, combine, separation.rule, state",
        "&combined, combine, cohesion.rule, state",
    ),
    mutant(
        "separation's cone for alignment",
        STEER,
        "alignment_add(alignment_sum, alignment, neighbor)",
        "alignment_add(alignment_sum, Alignment(alignment.rule, separation.vision, alignment.mode), neighbor)",
    ),
    mutant(
        "the neighbor's slot for its velocity",
        STEER,
        "their_velocity = load(sorted_velocity[other]);",
        "their_velocity = load(sorted_velocity[place]);",
    ),
    mutant(
        "half the field of view",
        "common/vision.wgsl",
        "neighbor.distance * vision.cosine",
        "neighbor.distance * (2.0 * vision.cosine * vision.cosine - 1.0)",
    ),
    mutant("the cone is not normalized", "common/vision.wgsl", "neighbor.distance * vision.cosine", "vision.cosine"),
    mutant(
        "< for <= at the radius",
        "common/vision.wgsl",
        "neighbor.distance_squared <= vision.radius",
        "neighbor.distance_squared < vision.radius",
    ),
    mutant(
        "alignment divides by n twice",
        "behaviors/alignment.wgsl",
        "sum.velocity / f32(sum.count));",
        "sum.velocity / f32(sum.count) / f32(sum.count));",
    ),
    mutant(
        "alignment without the own velocity",
        "behaviors/alignment.wgsl",
        "steer_to(agent, sum.velocity / f32(sum.count));",
        "sum.velocity / f32(sum.count) / agent.time_constant;",
    ),
    mutant(
        "cohesion sums and does not average",
        "behaviors/cohesion.wgsl",
        "return sum.offset / f32(sum.count);",
        "return sum.offset;",
    ),
    mutant(
        "the flow field is sampled here, not ahead",
        "behaviors/flow_field.wgsl",
        "agent.position + agent.velocity * flow_field.prediction_time",
        "agent.position",
    ),
    mutant(
        "the flow field's rows and columns swap",
        "common/field.wgsl",
        "field_axis(position.x, half_size.x,",
        "field_axis(position.y, half_size.x,",
    ),
    mutant(
        "the force limit is missing",
        INTEGRATE,
        "limit(steering * species[own].mass, species[own].max_force)",
        "steering * species[own].mass",
    ),
    mutant("the mass is missing", INTEGRATE, "force / species[own].mass;", "force;"),
    mutant("dt is missing", INTEGRATE, "before + after * world.dt", "before + after"),
    mutant("explicit Euler", INTEGRATE, "before + after * world.dt", "before + moving * world.dt"),
    mutant("max_speed is missing", INTEGRATE, "squared > fastest * fastest", "squared > fastest * fastest * 1e6"),
    mutant("min_speed is missing", INTEGRATE, "squared < slowest * slowest", "squared < 0.0"),
    mutant(
        "the wall does not turn the velocity",
        "common/boundary.wgsl",
        "Motion(half_size, -abs(v))",
        "Motion(half_size, v)",
    ),
    mutant(
        "containment pushes outward",
        "common/boundary.wgsl",
        "select(push, -push, x > 0.0)",
        "select(-push, push, x > 0.0)",
    ),
    mutant(
        "positions do not wrap",
        "common/boundary.wgsl",
        "let wrapped = x - size * floor((x + half_size) / size);",
        "let wrapped = clamp(x, -half_size, half_size);",
    ),
    mutant(
        "the cell is rounded toward zero",
        "common/grid.wgsl",
        "let coordinate = floor((position + world.half_size) * world.cells_per_unit);",
        "let coordinate = round((position + world.half_size) * world.cells_per_unit);",
    ),
    mutant("the scan is inclusive", "sim/scan.wgsl", "return partial[thread] - value;", "return partial[thread];"),
    mutant("counts are not cleared", "sim/scan.wgsl", "count[first + k] = 0u;", "count[first + k] += 0u;"),
    mutant("the order of ids is reversed", "sim/gather.wgsl", "other < (id & ~FROZEN)", "other > (id & ~FROZEN)"),
    mutant(
        "velocities of other slots",
        "sim/gather.wgsl",
        "sorted_velocity[sorted] = velocity[slot];",
        "sorted_velocity[sorted] = velocity[place];",
    ),
    mutant(
        "random numbers without the seed",
        "common/random.wgsl",
        "hash4(vec4u(world.seed, id, other, stream))",
        "hash4(vec4u(0u, id, other, stream))",
    ),
    mutant(
        "all agents are of the first species",
        "common/layout.wgsl",
        "row = begun(world.first_ids[0], id);",
        "row = 0u;",
    ),
    mutant(
        "the third boundary of the second",
        STEER,
        "        let wraps_z = SPATIAL && boundary_z == WRAP;",
        "        let wraps_z = SPATIAL && boundary_y == WRAP;",
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
    let gpu = gpu();
    let mut survivors = Vec::new();
    for mutant in MUTANTS {
        let mut options = Options::default();
        let text = options.shaders.text(mutant.file).unwrap_or_else(|| panic!("{} is no shader", mutant.file));
        // The searches for neighbors and for the nearest have lines in common.
        let places = text.matches(mutant.from).count();
        assert!((1..=2).contains(&places), "{}: `{}` in {}", mutant.mistake, mutant.from, mutant.file);
        let mutated = text.replace(mutant.from, mutant.to);
        options.shaders.replace(mutant.file, "mutant.wgsl", mutated);
        if !red(&gpu, &options) {
            survivors.push(mutant.mistake);
        }
    }
    eprintln!("{} mutants", MUTANTS.len());
    assert!(survivors.is_empty(), "not noticed: {survivors:?}");
}

/// Where drivers may round as they like, the tolerance must still tell a mistake from rounding.
#[test]
fn the_tolerance_finds_mutants_too() {
    let gpu = gpu();
    let loose = Options { exact: false, ..Options::default() };
    assert!(!red(&gpu, &loose), "the unchanged shaders are within the tolerance");
    let mut survivors = Vec::new();
    for mutant in MUTANTS.iter().step_by(4) {
        let mut options = loose.clone();
        let mutated = options.shaders.text(mutant.file).unwrap().replace(mutant.from, mutant.to);
        options.shaders.replace(mutant.file, "mutant.wgsl", mutated);
        if !red(&gpu, &options) {
            survivors.push(mutant.mistake);
        }
    }
    assert!(survivors.is_empty(), "not noticed: {survivors:?}");
}

/// The same scenes with the shaders as they are, also when they come from outside and are compiled with checks.
#[test]
fn unchanged_shaders_are_green() {
    let gpu = gpu();
    assert!(!red(&gpu, &Options::default()));
    let mut options = Options::default();
    let text = options.shaders.text(STEER).unwrap().to_owned();
    options.shaders.replace(STEER, "copy.wgsl", text);
    assert!(!red(&gpu, &options));
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
