//! How the search for neighbors goes does not show in its results: in a folded grid, from any hint, with lists that are too short, the
//! same agents are found, to the bit.

use steerling::gpu::Options;
use steerling::model::{CompiledScene, GridChoice, State};
use steerling::scene::Scene;
use steerling::shaders::Sources;
use steerling::verify::Plan;
use steerling_conform::Mutant;
use support::{Mistake, agrees, digest, gpu, model, notices, parsed, ran_on_cpu, rewritten};

const PLAN: Plan = Plan { steps: 3, free_steps: 3 };

/// Birds that see 3 u and hawks that see most of an open world, in clumps, and some far outside.
fn open_world(spatial: bool) -> (Scene, State) {
    let size = if spatial { "[90, 60, 90]" } else { "[300, 200]" };
    let sees = |radius: u32| format!("{{ perception_radius = {radius}, field_of_view = 300, weight = 2 }}");
    let text = format!(
        "schema = 1\nseed = 5\nworld = {{ size = {size}, boundary = \"open\" }}\n\
         [[species]]\nname = \"birds\"\ncount = 690\nbehaviors.separation = {birds}\nbehaviors.alignment = {birds}\n\
         [[species]]\nname = \"hawks\"\ncount = 10\nmax_speed = 20\nbehaviors.cohesion = {hawks}\n\
         behaviors.pursuit = {{ target = {{ nearest = \"birds\", perception_radius = 150, field_of_view = 360 }} }}\n",
        birds = sees(3),
        hawks = sees(70),
    );
    let scene = parsed(&text, &[]);
    let mut state = State::initial(&scene);
    let size = scene.world.size;
    for (id, position) in state.positions.iter_mut().enumerate() {
        *position = position.map(|x| x * 0.3);
        match id % 50 {
            // A world's length away, where cells of a folded axis have the same entries of the table.
            0 => position[0] += size.x * (id % 3) as f32,
            1 => position[1] -= size.y,
            2 => position[0] -= size.x * 40.0,
            3 if spatial => position[2] += size.z * 2.0,
            _ => {}
        }
    }
    (scene, state)
}

fn folded() -> GridChoice {
    GridChoice { most_cells: 1 << 10, ..GridChoice::default() }
}

#[test]
fn a_folded_grid_finds_whom_the_oracle_finds() {
    let gpu = gpu();
    for spatial in [false, true] {
        let (scene, state) = open_world(spatial);
        assert!(CompiledScene::new(&scene, folded()).unwrap().world.folds());
        // Rows of the grid are as high as the birds' radius, not the hawks'.
        let plain = model(&scene).world.cell_size;
        assert!(plain[1] < 4.0, "{plain:?}");
        let passes = |options: Options| agrees(&gpu, &scene, &state, &options, PLAN);
        // In a grid that is not folded the results are the same, except for the order of sums.
        assert!(passes(Options::default()));
        let mistakes = [
            ("goes_around", "range.y - range.x >= i32(cells) - 1;", "range.y - range.x >= 2 * i32(cells);"),
            ("entry_of", "entry & (cells - 1u)", "min(entry, cells - 1u)"),
            (
                "cell_range",
                "clamp(floor((x + reach + half_size) * cells_per_unit), -beyond, end)",
                "clamp(floor((x + reach + half_size) * cells_per_unit), -beyond, f32(cells) - 1.0)",
            ),
        ];
        notices(|options| passes(Options { grid: folded(), ..options }), &mistakes);
    }
}

fn topological(spatial: bool, wraps: bool, k: u32) -> Scene {
    let size = if spatial { "[30, 30, 30]" } else { "[60, 60]" };
    let boundary = if wraps { "wrap" } else { "contain" };
    let sees = |angle: u32| format!("{{ perception_radius = 7, field_of_view = {angle}, weight = 2 }}");
    let text = format!(
        "schema = 1\nseed = 7\nworld = {{ size = {size}, boundary = \"{boundary}\" }}\n\
         [[species]]\nname = \"birds\"\ncount = 900\nk_nearest = {k}\nmax_speed = 9\n\
         behaviors.separation = {}\nbehaviors.alignment = {}\nbehaviors.wander = {{}}\n",
        sees(360),
        sees(240),
    );
    parsed(&text, &[])
}

#[test]
fn hints_and_lists_change_nothing() {
    let gpu = gpu();
    for (spatial, wraps, k) in [(false, true, 5), (true, true, 7), (true, false, 12)] {
        let scene = topological(spatial, wraps, k);
        let digest = |shaders: Sources| digest(&gpu, &scene, Options { shaders, ..Options::default() }, 12);
        let with = |mistakes: &[Mistake]| {
            let mut shaders = Sources::default();
            for (function, from, to) in mistakes {
                Mutant { function, from, to, mistake: to }.apply(&mut shaders).unwrap_or_else(|e| panic!("{e}"));
            }
            digest(shaders)
        };
        let expected = with(&[]);
        assert_eq!(ran_on_cpu(&scene, 12).observe().digest_hex(), expected);
        let share = "let share = hint.x * (1.0 + hint.y);";
        let always_short = ("first_reach", share, "let share = hint.x * 0.8;");
        let wild = "hash4(vec4u(id, bitcast<u32>(reach), 0u, 0u)).x";
        for hint in [
            ("first_reach", share, "let share = 1.0;"),
            always_short,
            ("keep_hint", "pack2x16unorm(vec2f(share, margin))", wild),
        ] {
            assert_eq!(with(&[hint]), expected, "{hint:?}");
        }
        let short = || rewritten("sim/steer.wgsl", "LISTED_MOST = 48u", "LISTED_MOST = 9u");
        assert_eq!(digest(short()), expected, "a short list");
        // A search that stops after a first look that was too short goes wrong, and so does one that trusts a list that is full.
        let gullible = ("perceive", "while (searches && nearby.reach", "while (false && nearby.reach");
        assert_ne!(with(&[always_short, gullible]), expected);
        if spatial {
            let (mut shaders, from) = (short(), "(*seen).listed <= LISTED_MOST");
            Mutant { function: "search_nearby", from, to: "true", mistake: from }.apply(&mut shaders).unwrap();
            assert_ne!(digest(shaders), expected);
        }
        if spatial && wraps {
            assert_ne!(with(&[("list_candidate", "= image_of(walk);", "= 21u;")]), expected);
        }
    }
}
