//! How the search goes is nobody's business: in a folded grid, from whatever hint, with lists that are too short, the same agents are
//! found, to the bit.

use crate::support::gpu;
use steerling::gpu::{Options, Simulation};
use steerling::model::{CompiledScene, GridChoice, State};
use steerling::scene::Scene;
use steerling::verify::{Plan, verify};

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
    let scene = Scene::parse(&text, "open.toml", &[]).unwrap();
    let mut state = State::initial(&scene);
    let size = scene.world.size;
    for (id, position) in state.positions.iter_mut().enumerate() {
        *position = position.map(|x| x * 0.3);
        match id % 50 {
            // A world's length away, where a folded axis has the same entries again.
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
        let verified = |options: &Options| verify(&gpu, &scene, &state, options, PLAN, |_| ());
        let options = Options { grid: folded(), ..Options::default() };
        let report = verified(&options).unwrap();
        assert!(report.pass && report.oracle.pass(), "{report:#?}");
        // The same, but for the order of sums, in a grid that is not.
        assert!(verified(&Options::default()).unwrap().pass);
        for (from, to) in [
            ("range.y - range.x >= i32(cells) - 1;", "range.y - range.x >= 2 * i32(cells);"),
            ("entry & (cells - 1u)", "min(entry, cells - 1u)"),
            ("-beyond, end);\n    return", "-beyond, f32(cells) - 1.0);\n    return"),
        ] {
            let mut mutant = options.clone();
            let text = mutant.shaders.text("common/grid.wgsl").unwrap();
            assert_eq!(text.matches(from).count(), 1, "{from}");
            mutant.shaders.replace("common/grid.wgsl", "mutant.wgsl", text.replace(from, to));
            // A walk that does not come to its end is an error.
            assert!(!verified(&mutant).is_ok_and(|report| report.pass), "`{to}` for `{from}` was not noticed");
        }
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
    Scene::parse(&text, "topological.toml", &[]).unwrap()
}

#[test]
fn hints_and_lists_change_nothing() {
    let gpu = gpu();
    for (spatial, wraps, k) in [(false, true, 5), (true, true, 7), (true, false, 12)] {
        let scene = topological(spatial, wraps, k);
        let digest = |changes: &[(&str, &str, &str)]| {
            let mut options = Options::default();
            for (file, from, to) in changes {
                let text = options.shaders.text(file).unwrap();
                assert_eq!(text.matches(from).count(), 1, "{from}");
                options.shaders.replace(file, "changed.wgsl", text.replace(from, to));
            }
            let mut simulation = Simulation::new(&gpu, &scene, &State::initial(&scene), options).unwrap();
            simulation.step(12).unwrap();
            simulation.observe().unwrap().digest_hex()
        };
        let expected = digest(&[]);
        let mut reference =
            steerling::cpu::Simulation::new(&scene, &State::initial(&scene), steerling::cpu::Execution::Parallel)
                .unwrap();
        reference.step(12);
        assert_eq!(reference.observe().digest_hex(), expected);
        let share = "let share = hint.x * (1.0 + hint.y);";
        let (never, always_short, wild) = (
            ("common/vision.wgsl", share, "let share = 1.0;"),
            ("common/vision.wgsl", share, "let share = hint.x * 0.8;"),
            (
                "common/vision.wgsl",
                "pack2x16unorm(vec2f(share, margin))",
                "hash4(vec4u(id, bitcast<u32>(reach), 0u, 0u)).x",
            ),
        );
        let short = ("sim/steer.wgsl", "LISTED_MOST = 48u", "LISTED_MOST = 9u");
        for change in [never, always_short, wild, short] {
            assert_eq!(digest(&[change]), expected, "{change:?}");
        }
        // Who takes too short a first look for the whole one goes astray, and so does whoever trusts a list that is full.
        let gullible = ("sim/steer.wgsl", "while (searches && nearby.reach", "while (false && nearby.reach");
        assert_ne!(digest(&[always_short, gullible]), expected);
        if spatial {
            let trusting = ("sim/steer.wgsl", "(*seen).listed <= LISTED_MOST", "true");
            assert_ne!(digest(&[short, trusting]), expected);
        }
        if spatial && wraps {
            let seamless = ("sim/steer.wgsl", "= image_of(walk);", "= 21u;");
            assert_ne!(digest(&[seamless]), expected);
        }
    }
}
