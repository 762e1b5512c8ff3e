//! Cells that are too full show a sample of their agents: a step's cost is bounded, and the bits are still those of the reference. Which
//! agents a cell shows is in a law (conform/src/laws/crowds.rs).

use steerling::gpu::{Options, Simulation};
use steerling::model::{PassId, State};
use steerling::scene::Scene;
use steerling::verify::Plan;
use support::{Both, agrees, gpu, model, notices_by_stages, parsed, preset, ran_on_gpu};

const PLAN: Plan = Plan { steps: 3, free_steps: 4 };

/// A flock that starts in heaps of many to a cell.
fn heaps(size: &str, agents: u32, crowd: u32) -> Scene {
    let text = format!(
        "schema = 1\nname = \"heaps\"\nseed = 5\n\
         world = {{ size = {size}, crowd = {crowd} }}\n\
         [[species]]\nname = \"a\"\ncount = {agents}\nmax_speed = 4\nmax_force = 40\nspawn = {{ extent = 0.1 }}\n\
         behaviors.separation = {{ perception_radius = 2 }}\nbehaviors.cohesion = {{ perception_radius = 3 }}\n\
         behaviors.alignment = {{ perception_radius = 3 }}\n"
    );
    parsed(&text, &[])
}

/// Any limit; and in presets skipped steps, queries, targets by id, poses, a trail, passes stage by stage.
#[test]
fn crowded_cells_are_those_of_the_reference() {
    let gpu = gpu();
    let passes = |scene: &Scene| agrees(&gpu, scene, &State::initial(scene), &Options::default(), PLAN);
    for (size, agents) in [("[60, 60]", 3_000), ("[60, 60, 60]", 3_000), ("[40, 90]", 64), ("[40, 90]", 65)] {
        for crowd in [1, 7, 63, 100_000] {
            assert!(passes(&heaps(size, agents, crowd)), "{size} {agents} {crowd}");
        }
    }
    for name in ["murmuration", "hawks", "slime", "topological", "flock", "foraging_ants"] {
        let scene = preset(name, 1_500, &["world.crowd=1"]);
        assert!(passes(&scene), "{name}");
        // Some agents are set aside in the first step, equally many on the GPU and in the reference.
        let mut both = Both::new(&gpu, &scene);
        both.step(1);
        assert!(both.observe(name).unseen > 0, "{name}");
    }
}

/// Cells within the limit are as without it.
#[test]
fn where_no_cell_is_crowded_the_limit_changes_nothing() {
    let gpu = gpu();
    let run = |crowd: u32| {
        let scene = heaps("[60, 60]", 2_000, crowd);
        let simulation = ran_on_gpu(&gpu, &scene, Options::default(), 5);
        let seen = simulation.observe().unwrap();
        (seen.digest_hex(), seen.unseen, simulation.pipelines().passes.iter().any(|pass| pass.id == PassId::Crowd))
    };
    let (exact, none, _) = run(1_999);
    assert_eq!(none, 0);
    assert_eq!(run(2_000), (exact.clone(), 0, false), "who can't be crowded has no such stage");
    let (sampled, some, _) = run(7);
    assert!(some > 0 && sampled != exact);
}

/// 70,000 agents at one point were more than a driver's loops could visit; now they see some hundred, and the run goes on.
#[test]
fn a_heap_of_any_size_has_a_step() {
    let gpu = gpu();
    let scene = heaps("[60, 60]", 70_000, 512);
    let mut initial = State::initial(&scene);
    initial.positions.fill([0.1, 0.1, 0.0]);
    let mut simulation = Simulation::new(&gpu, &scene, &initial, Options::default()).unwrap();
    simulation.step(2).unwrap();
    let seen = simulation.observe().unwrap();
    assert!(seen.unseen > 60_000, "{} are not seen", seen.unseen);
    assert!(seen.mean_neighbors < 27.0 * 512.0, "{} neighbors", seen.mean_neighbors);
}

/// In a small world one workgroup sorts all agents, also where they are in one cell: no driver cuts its loops off.
#[test]
fn a_small_heap_is_sorted_whole() {
    let gpu = gpu();
    // As many agents and cells as a small world has at most, and more agents.
    for (size, agents, small) in [("[190, 190]", 1_900, true), ("[60, 60]", 2_048, false)] {
        let scene = heaps(size, agents, 100_000);
        let model = model(&scene);
        assert_eq!(model.is_small(), small);
        assert!(!small || model.world.cell_count > 15_000, "{} cells", model.world.cell_count);
        let mut initial = State::initial(&scene);
        initial.positions.fill([0.1, 0.1, 0.0]);
        assert!(agrees(&gpu, &scene, &initial, &Options::default(), PLAN), "{agents}");
    }
}

/// A mistake in any part of the rule is noticed. A rank that has no room in the cell's word lies in the buffer `rank`, and on adapters that
/// load from buffers the cell follows from an agent's position unless some agents are set aside.
#[test]
fn a_mistake_with_crowds_is_seen() {
    let gpu = gpu();
    let mut from_buffers = gpu.clone();
    from_buffers.texture_loads = Some(false);
    let (full, crowded) = (heaps("[60, 60]", 3_000, 100_000), heaps("[60, 60]", 3_000, 7));
    let of_crowds = [
        ("bin_agent", "before == world.crowd", "before == world.crowd + 99999u"),
        ("thin", "agents > world.crowd", "agents > 2u * world.crowd"),
        ("sample", "is_shown(id[slot], agents)", "is_shown(id[slot] + 1u, agents)"),
        ("sample", "id[slot] / IDS_ASIDE", "id[slot] / (2u * IDS_ASIDE)"),
        ("is_shown", "+ 1u;", "+ 2u;"),
        ("scan_reduce", "count[crowd_flag()] != 0u", "count[crowd_flag()] == 7u"),
        ("take_visible", "visible[home] = 0u", "visible[home] = 1u"),
    ];
    let of_ranks = [
        ("store_cell_and_rank", "place >= RANK_ELSEWHERE", "place > RANK_ELSEWHERE"),
        ("store_cell_and_rank", "rank[slot] = place;", "rank[slot] = 0u;"),
        ("scatter_slot", "place = rank[slot];", "place = 0u;"),
    ];
    let of_cells = [("home_in_order", "cell_start[crowd_flag()] != 0u", "cell_start[crowd_flag()] == 7u")];
    let of_ids = [("id_in_order", "id[order[order_index]]", "id[order_index]")];
    for (gpu, scene, mistakes) in [
        (&gpu, &crowded, &of_crowds[..]),
        (&gpu, &full, &of_ranks),
        (&from_buffers, &crowded, &of_cells),
        (&from_buffers, &full, &of_ids),
    ] {
        let initial = State::initial(scene);
        assert!(agrees(gpu, scene, &initial, &Options::default(), PLAN));
        notices_by_stages(gpu, scene, &initial, PLAN.steps, mistakes);
    }
}
