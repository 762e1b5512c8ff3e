//! The GPU equals the CPU reference to the bit: every stage, every layout, every awkward number of agents.

use steerling::cpu::{Execution, Simulation as Cpu};
use steerling::gpu::{Gpu, GpuError, Options};
use steerling::model::{GridChoice, Observation, StageId, State};
use steerling::scene::Scene;
use steerling::verify::Plan;
use support::{
    Both, LAYOUTS, Layout, RADIUS, Shape, agrees, gpu, gpu_of_its_own, gpus, model, notices_by_stages, on_gpu, parsed,
    preset, ran_on_cpu, ran_on_gpu, scene, state, verified,
};

const PLAN: Plan = Plan { steps: 3, free_steps: 3 };

fn planar(agents: u32) -> Shape {
    let side = (agents as f32 / 4.0).sqrt().max(4.0);
    Shape { spatial: false, boundary: ["wrap", "contain", "open"], radii: [side * 1.3, side, 0.0], agents }
}

fn spatial(agents: u32) -> Shape {
    let side = (agents as f32 / 4.0).cbrt().max(4.0);
    Shape { spatial: true, boundary: ["wrap", "open", "contain"], radii: [side, side * 1.2, side], agents }
}

/// Verify some steps from a layout on every GPU.
fn check_each(gpus: &[Gpu], shape: Shape, layout: Layout, options: &Options, plan: Plan) {
    let scene = scene(shape);
    verified(gpus, &scene, &state(&scene, layout), options, plan, &format!("{shape:?} {layout:?} {:?}", options.grid));
}

#[test]
fn every_count_of_agents() {
    let gpus = gpus();
    // Where agents lie hardly matters to how many are in a workgroup.
    let (few, all) = ([Layout::Uniform, Layout::OnePoint], [65, 4095].map(|agents| (agents, &LAYOUTS[..])));
    for (agents, layouts) in [0, 1, 2, 63, 64, 257].map(|agents| (agents, &few[..])).into_iter().chain(all) {
        for shape in [planar(agents), spatial(agents)] {
            for layout in layouts.iter().copied() {
                check_each(&gpus, shape, layout, &Options::default(), PLAN);
            }
        }
    }
}

/// Whether sorted agents are loaded from a texture depends on the driver, and nothing depends on it: all other tests here run it as
/// this adapter does, this one both ways. The texture can hold what is wrong, and then it is seen.
#[test]
fn agents_of_a_texture_are_those_of_the_buffers() {
    let gpu = gpu();
    assert_eq!(gpu.texture_loads, gpu.info.name.starts_with("llvmpipe").then_some(true));
    let (mut from_buffers, mut gpu) = (gpu.clone(), gpu);
    (from_buffers.texture_loads, gpu.texture_loads) = (Some(false), Some(true));
    for shape in [planar(1000), spatial(1000)] {
        for layout in LAYOUTS {
            let scene = scene(shape);
            let agrees = agrees(&from_buffers, &scene, &state(&scene, layout), &Options::default(), PLAN);
            assert!(agrees, "{shape:?} {layout:?}");
        }
    }
    // More than one row of the texture.
    let texels = ("keep_texels", "vec4u(position.xy, velocity.xy)", "vec4u(position.xy, velocity.yx)");
    let rows = [
        ("texel_of", "sorted_index / AGENTS_PER_ROW", "0u"),
        ("texel_of", "sorted_index % AGENTS_PER_ROW * 2u", "sorted_index % AGENTS_PER_ROW"),
        ("keep_texels", "vec4u(position, agent.id)", "vec4u(position.xy, 0u, agent.id)"),
        ("keep_texels", "vec4u(velocity, 0u)", "vec4u(velocity.xx, velocity.z, 0u)"),
    ];
    for (shape, mistakes) in [(planar(5000), &[texels][..]), (spatial(5000), &rows)] {
        let scene = scene(shape);
        assert!(agrees(&gpu, &scene, &State::initial(&scene), &Options::default(), PLAN), "{shape:?}");
        notices_by_stages(&gpu, &scene, &State::initial(&scene), PLAN.steps, mistakes);
    }
}

#[test]
fn counts_around_a_dispatch_limit() {
    let gpus = gpus();
    for agents in [65_536, 65_537] {
        for (shape, layouts) in
            [(planar(agents), &[Layout::Uniform, Layout::OnCellEdge][..]), (spatial(agents), &[Layout::Uniform])]
        {
            for layout in layouts {
                check_each(&gpus, shape, *layout, &Options::default(), Plan { steps: 1, free_steps: 2 });
            }
        }
    }
}

/// More than 65,535 workgroups need a second dimension of the dispatch.
#[test]
fn more_workgroups_than_one_dimension_holds() {
    let agents = 65_535 * 64 + 1;
    let text = format!(
        "schema = 1\nname = \"long\"\n[world]\nsize = [4000, 4000]\nboundary = \"wrap\"\n\
         [[species]]\nname = \"a\"\ncount = {agents}\n"
    );
    let scene = parsed(&text, &[]);
    let plan = Plan { steps: 1, free_steps: 0 };
    // One driver is enough: the host counts the workgroups.
    verified(&[gpu()], &scene, &State::initial(&scene), &Options::default(), plan, "4,194,241 agents");
}

#[test]
fn one_to_four_cells_along_a_wrapped_axis() {
    let gpus = gpus();
    for cells in [2.0, 3.0, 4.0] {
        for spatial in [false, true] {
            let shape = Shape { spatial, boundary: ["wrap"; 3], radii: [cells, cells, cells], agents: 300 };
            for layout in [Layout::Uniform, Layout::OnCellEdge, Layout::OutOfWorld] {
                check_each(&gpus, shape, layout, &Options::default(), PLAN);
            }
        }
    }
    // A world of one cell, and of very few.
    for most_cells in [0, 1, 2, 3, 5] {
        let grid = GridChoice { most_cells, ..Default::default() };
        for spatial in [false, true] {
            let shape = Shape { spatial, boundary: ["wrap"; 3], radii: [2.5, 2.2, 2.7], agents: 200 };
            let options = Options { grid, ..Options::default() };
            check_each(&gpus, shape, Layout::Uniform, &options, PLAN);
        }
    }
}

#[test]
fn finer_rows_and_whole_rows() {
    let gpus = gpus();
    for (cells_per_radius, rows_per_radius) in [(1, 1), (2, 2), (8, 3)] {
        let grid = GridChoice { cells_per_radius, rows_per_radius, ..Default::default() };
        let options = Options { grid, ..Options::default() };
        for shape in [planar(1500), spatial(1500)] {
            check_each(&gpus, shape, Layout::Uniform, &options, PLAN);
        }
    }
}

#[test]
fn all_agents_in_one_cell() {
    let gpus = gpus();
    for (agents, layout) in [(2_000, Layout::OnePoint), (16_384, Layout::Uniform)] {
        for spatial in [false, true] {
            let scene = scene(Shape { spatial, boundary: ["open"; 3], radii: [2.0; 3], agents });
            let mut initial = state(&scene, layout);
            // Into the middle of a cell: those are a quarter of a radius wide, and one radius high and deep.
            for position in &mut initial.positions {
                for (axis, middle) in [0.125, 0.5, if spatial { 0.5 } else { 0.0 }].into_iter().enumerate() {
                    position[axis] = position[axis] * 0.05 + RADIUS * middle;
                }
            }
            let mut reference = Cpu::new(&scene, &initial, Execution::Parallel).unwrap();
            reference.run_stage(StageId::Bin);
            assert_eq!(reference.buffers().count.iter().max(), Some(&agents), "one cell holds them all");
            let plan = Plan { steps: 1, free_steps: 0 };
            verified(&gpus, &scene, &initial, &Options::default(), plan, &format!("{agents}, spatial {spatial}"));
        }
    }
}

/// Where no behavior looks at neighbors, no neighbor loop notices that the sort of a cell was cut off.
#[test]
fn too_many_agents_in_a_cell_are_refused_without_neighborhood_behaviors() {
    let text = "schema = 1\nname = \"heap\"\n[world]\nsize = [60, 60]\nboundary = \"open\"\ncrowd = 1000000\n\
                [field]\nsource = \"uniform\"\nspeed = 1\n\
                [[species]]\nname = \"a\"\ncount = 66000\n\
                [species.behaviors.flow_field]\n";
    let scene = parsed(text, &[]);
    let mut initial = State::initial(&scene);
    initial.positions.fill([0.1, 0.1, 0.0]);
    let mut simulation = on_gpu(&gpu(), &scene, Options::default());
    simulation.set_state(&initial).unwrap();
    simulation.step(1).unwrap();
    match simulation.observe() {
        Err(GpuError::CutOff { fullest, .. }) => assert!(fullest > 65_000, "fullest cell {fullest}"),
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("66,000 agents in one cell went unnoticed"),
    }
}

/// Loops count together, so what comes after the neighbors can be cut off although all neighbors were seen.
#[test]
fn loops_after_the_neighbors_are_refused_too() {
    let text = "schema = 1\nname = \"crowd\"\nworld = { size = [60, 60], boundary = \"open\", crowd = 1000000 }\n\
                ground = { resolution = 64 }\n\
                [[species]]\nname = \"crowd\"\ncount = 64900\nspawn = { extent = 0.9 }\n\
                [[species]]\nname = \"hawk\"\ncount = 8\nspawn = { extent = 0.01 }\n\
                behaviors.cohesion = { perception_radius = 60 }\nbehaviors.forage = { search_radius = 60 }\n";
    let seen = |forages: bool| {
        let set = format!("species.1.behaviors.forage.enabled={forages}");
        ran_on_gpu(&gpu(), &parsed(text, &[&set]), Options::default(), 1).observe()
    };
    assert!(seen(false).is_ok(), "64,908 candidates are within the limit");
    match seen(true) {
        // An adapter without the limit searches the 33 x 33 cells too.
        Ok(_) => assert!(!gpu().software(), "cells of the ground went unnoticed"),
        Err(GpuError::CutOff { step: 1, agents, .. }) => assert_eq!(agents, 0, "all neighbors were seen"),
        Err(error) => panic!("another error: {error}"),
    }
}

/// llvmpipe silently ends a shader's loops after 65,535 iterations. That must never go unnoticed: above the limit the
/// step is refused with numbers; an adapter without the limit computes it.
#[test]
fn too_many_candidates_are_refused_with_numbers() {
    let gpu = gpu();
    // A crowd that perceives nobody, and a few that see all of it at once.
    let text = "schema = 1\nname = \"crowd\"\n[world]\nsize = [60, 60]\nboundary = \"open\"\ncrowd = 1000000\n\
                [[species]]\nname = \"crowd\"\ncount = 70000\nspawn = { extent = 0.9 }\n\
                [[species]]\nname = \"hawk\"\ncount = 8\nspawn = { extent = 0.01 }\n\
                [species.behaviors.cohesion]\nperception_radius = 60\n";
    let scene = parsed(text, &[]);
    let mut simulation = ran_on_gpu(&gpu, &scene, Options::default(), 1);
    let seen = simulation.observe();
    if seen.is_err() {
        // Nobody has to look in the very step: without perception the next one is complete, and still not valid.
        simulation.change(&parsed(text, &["species.1.behaviors.cohesion.enabled=false"])).unwrap();
        simulation.step(1).unwrap();
        assert!(matches!(simulation.observe(), Err(GpuError::CutOff { step: 2, agents: 0, first: None, .. })));
    }
    if let Some(fullest) = refused_or_equal(&gpu, &scene, seen) {
        assert!(fullest > 1_000, "fullest cell {fullest}");
    }
}

/// The first step of 70,000 agents and eight hawks: refused because of the hawks and nobody else, which says how many agents
/// the fullest cell holds, or equal to the reference's.
fn refused_or_equal(gpu: &Gpu, scene: &Scene, seen: Result<Observation, GpuError>) -> Option<u32> {
    match seen {
        Err(GpuError::CutOff { step: 1, agents, first, fullest, .. }) => {
            assert_eq!((agents, first), (8, Some(70_000)), "the hawks, and nobody else");
            Some(fullest)
        }
        Err(error) => panic!("another error: {error}"),
        Ok(observation) => {
            assert!(!gpu.software(), "llvmpipe did not report its cut-off");
            assert_eq!(observation.digest, ran_on_cpu(scene, 1).observe().digest);
            None
        }
    }
}

/// The same of a search for the nearest of a species, for each of the two that a species may have. All lie in one row of cells, which is
/// one lane's.
#[test]
fn a_search_that_is_cut_off_is_refused_with_numbers() {
    let gpu = gpu();
    for (first, second) in [(60, 1), (1, 60)] {
        let text = format!(
            "schema = 1\nname = \"search\"\n[world]\nsize = [120, 1]\nboundary = \"open\"\ncrowd = 1000000\n\
             [[species]]\nname = \"crowd\"\ncount = 70000\nspawn = {{ extent = 0.9 }}\n\
             [[species]]\nname = \"hawk\"\ncount = 8\nspawn = {{ extent = 0.01 }}\n\
             [species.behaviors]\nseek = {{ target = {{ nearest = \"crowd\", perception_radius = {first} }} }}\n\
             flee = {{ target = {{ nearest = \"crowd\", perception_radius = {second} }} }}\n"
        );
        let scene = parsed(&text, &[]);
        refused_or_equal(&gpu, &scene, ran_on_gpu(&gpu, &scene, Options::default(), 1).observe());
    }
}

/// Where few agents look for the nearest of a species, a workgroup looks for each, a row of cells by each lane: of equally near ones it
/// finds that of the first row, as who walks from row to row does.
#[test]
fn a_workgroup_finds_the_nearest_that_a_walk_finds() {
    let gpu = gpu();
    let text = "schema = 1\nname = \"hawks\"\n[world]\nsize = [80, 80]\nboundary = \"open\"\n\
                [[species]]\nname = \"mice\"\ncount = 400\nbehaviors.cohesion = { perception_radius = 0.5 }\n\
                [[species]]\nname = \"hawks\"\ncount = 9\n\
                behaviors.pursuit = { target = { nearest = \"mice\", perception_radius = 30, field_of_view = 360 } }\n";
    let scene = parsed(text, &[]);
    assert!(model(&scene).has_lone_queries());
    let mut state = State::initial(&scene);
    // Around each hawk eight mice, of which many are equally near; every second hawk has them in the rows of a second round only.
    let hawks: [[f32; 3]; 9] =
        std::array::from_fn(|k| [-24.0 + 24.0 * (k % 3) as f32, -24.0 + 24.0 * (k / 3) as f32, 0.0]);
    let around = [[0, 5], [0, -5], [5, 0], [-5, 0], [3, 4], [3, -4], [-3, 4], [-3, -4]];
    let above = [[0, 5], [3, 4], [-3, 4], [4, 3], [-4, 3], [0, 6], [1, 6], [2, 6]];
    let mice = |(k, hawk): (usize, &[f32; 3])| {
        [around, above][k % 2].map(|[x, y]| [hawk[0] + x as f32, hawk[1] + y as f32, 0.0])
    };
    state.positions.retain(|place| hawks.iter().all(|hawk| (place[0] - hawk[0]).hypot(place[1] - hawk[1]) > 6.0));
    state.positions.truncate(400 - 72);
    let apart = 400 - 72 - state.positions.len();
    state.positions.extend((0..apart).map(|k| [39.0, k as f32 / 10.0, 0.0]));
    state.positions.extend(hawks.iter().enumerate().flat_map(mice));
    state.positions.extend(&hawks);
    let mistakes = [
        ("find_in_rows", "var row = lane;", "var row = lane + 1u;"),
        ("find_in_rows", "row += workgroup_size", "row += 2u * workgroup_size"),
        ("found_together", "distance == atomicLoad(&least_distance)", "true"),
        ("found_together", "search.row == atomicLoad(&least_row)", "search.row != atomicLoad(&least_row)"),
    ];
    assert!(agrees(&gpu, &scene, &state, &Options::default(), PLAN));
    notices_by_stages(&gpu, &scene, &state, PLAN.steps, &mistakes);
}

/// The k nearest are found by a search from a hint, and what is added goes no farther than the last of them. The reference walks all of
/// its radius twice; a reach that is too short is seen.
#[test]
fn the_k_nearest_are_summed_where_they_are() {
    let gpu = gpu();
    let plan = Plan { steps: 2, free_steps: 4 };
    for k in [1, 7, 8, 9, 16] {
        // Three radii, three fields of view, so that behaviors rank for themselves.
        let changes = [
            &format!("species.0.k_nearest={k}"),
            "species.0.behaviors.separation.perception_radius=3",
            "species.0.behaviors.alignment.field_of_view=200",
        ];
        for changes in [&changes[..], &changes[..1]] {
            let scene = preset("murmuration", 2_000, changes);
            let state = State::initial(&scene);
            assert!(agrees(&gpu, &scene, &state, &Options::default(), plan), "the {k} nearest");
            let (from, to) = ("min(viewer.nearest_enough, reach)", "0.5 * min(viewer.nearest_enough, reach)");
            notices_by_stages(&gpu, &scene, &state, plan.steps, &[("perceive", from, to)]);
        }
    }
}

/// Along an axis, products with 0 have a sign that drivers do not agree on.
#[test]
fn turning_along_an_axis_is_equal() {
    let text = "schema = 1\nname = \"axis\"\nfield = { source = \"uniform\", speed = 2 }\n\
                world = { size = [40, 40, 40] }\n[[species]]\ncount = 500\n\
                vehicle = { facing = \"independent\", max_angular_speed = 90 }\n\
                behaviors.face = { target = \"field\" }\n";
    let scene = parsed(text, &[]);
    let plan = Plan { steps: 4, free_steps: 8 };
    verified(&gpus(), &scene, &State::initial(&scene), &Options::default(), plan, "axis");
}

#[test]
fn a_free_run_of_2000_steps_with_2000_agents_stays_equal() {
    let gpu = gpu();
    for shape in [planar(2000), spatial(2000)] {
        let scene = scene(shape);
        let mut both = Both::new(&gpu, &scene);
        let start = both.1.observe().digest;
        for step in (100..=2000).step_by(100) {
            both.step(100);
            assert_ne!(both.observe(&format!("{step} steps of {shape:?}")).digest, start, "the flock moves");
        }
        both.state("at the end");
    }
}

#[test]
fn a_step_copies_nothing_between_host_and_device() {
    let gpu = gpu_of_its_own();
    let mut simulation = on_gpu(&gpu, &scene(planar(1000)), Options::default());
    let before = gpu.transferred();
    simulation.step(10).unwrap();
    assert_eq!(gpu.transferred(), before);
    simulation.state().unwrap();
    assert!(gpu.transferred() > before, "the counter counts");
}

/// A world of several blocks of cells: each block of the scan starts behind all before it.
#[test]
fn a_scan_of_several_blocks_counts_those_before() {
    let gpu = gpu();
    let text = "schema = 1\nname = \"blocks\"\n[world]\nsize = [140, 140]\n[[species]]\nname = \"a\"\ncount = 2000\n\
                [species.behaviors.separation]\nperception_radius = 1\n";
    let scene = parsed(text, &[]);
    let cells = model(&scene).world.cell_count;
    assert!(cells > 4 * 4096, "{cells}");
    let mistakes = [
        ("sum_of_blocks", "before < block;", "before + 1u < block;"),
        ("scan_apply", "start += atomicLoad(&before_block);", "start += 0u;"),
        ("scan_apply", "atomicAdd(&before_block, sum_of_blocks(", "atomicStore(&before_block, sum_of_blocks("),
    ];
    notices_by_stages(&gpu, &scene, &State::initial(&scene), PLAN.steps, &mistakes);
}
