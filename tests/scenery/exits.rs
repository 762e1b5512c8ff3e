//! People who leave and enter: nobody is lost, nobody comes twice, and both backends agree to the bit. When they do so, and that nobody
//! perceives them meanwhile, is in laws (conform/src/laws/absence.rs); that snapshots know them, in tests/library/live.rs.

use std::collections::BTreeSet;
use steerling::engine::Backend;
use steerling::gpu::Options;
use steerling::model::away::is_away;
use steerling::model::{BufferId, ID_BITS, Snapshot, State};
use steerling::output::Columns;
use steerling::scene::{MapFile, MapSource, Scene};
use steerling::shaders::Sources;
use steerling::verify::Plan;
use support::{agrees, backend, edited, gpu, gpus, mistaken, notices, parsed, start};

const GUESTS: u32 = 60;
const VISITORS: u32 = 40;
const STEWARDS: u32 = 5;
/// Steps from one visitor's entry to the next.
const INTERVAL: u32 = 2;
/// More steps than it takes until all are out.
const STEPS: u32 = 400;

/// A room with a door on the right. Guests leave; visitors enter one after another, wait a second, and leave; stewards stay.
fn scene(overrides: &[&str]) -> Scene {
    let text = "schema = 1\nname = \"room\"\nseed = 7\ndt = 0.05\nworld = { size = [24, 14], boundary = \"contain\", margin = 0.5 }\n\
         [map]\nsource = \"maze\"\ncell = 1\n\
         [[map.goals]]\nname = \"out\"\nplace = [10, 4]\nalso = [[10, 0], [10, -4]]\nradius = 1.2\n\
         [[map.goals]]\nname = \"in\"\nplace = [-8, 0]\nradius = 1.5\n\
         [[species]]\nname = \"guests\"\ncount = 60\nmax_speed = 2\nmax_force = 20\nradius = 0.2\nleaves = \"out\"\n\
         spawn = { extent = 0.5 }\nbehaviors.seek = { target = { goal = \"out\" } }\n\
         behaviors.separation = { perception_radius = 1.5, field_of_view = 360 }\n\
         [[species]]\nname = \"visitors\"\ncount = 40\nmax_speed = 2\nmax_force = 20\nradius = 0.2\nleaves = \"out\"\n\
         enters = 10\nspawn = { goal = \"in\" }\nstates = [\"wait\", \"go\"]\n\
         rules = [{ from = \"wait\", to = \"go\", when = \"after\", than = 1 }]\n\
         behaviors.seek = { target = { goal = \"out\" }, states = \"go\" }\n\
         behaviors.separation = { perception_radius = 1.5, field_of_view = 360 }\n\
         [[species]]\nname = \"stewards\"\ncount = 5\nmax_speed = 1\nradius = 0.2\nspawn = { extent = 0.4 }\n\
         behaviors.wander = {}\nbehaviors.separation = { perception_radius = 1.5, field_of_view = 360 }\n";
    let mut rows = vec![".".repeat(24); 14];
    (1..13).for_each(|row| rows[row].replace_range(1..19, &format!("@{}@", ".".repeat(16))));
    [1, 12].into_iter().for_each(|row| rows[row].replace_range(1..19, &"@".repeat(18)));
    [6, 7].into_iter().for_each(|row| rows[row].replace_range(18..19, "."));
    let plan = MapFile::from_text(&format!("type octile\nheight 14\nwidth 24\nmap\n{}", rows.join("\n")), "room.map");
    edited(&parsed(text, overrides), |draft| draft.map.as_mut().unwrap().source = MapSource::File(plan.unwrap()))
}

fn ids(snapshot: &Snapshot) -> Vec<u32> {
    snapshot.column(BufferId::Id).unwrap().to_vec()
}

/// The step at whose end an agent enters.
fn enters(id: u32) -> u32 {
    if (GUESTS..GUESTS + VISITORS).contains(&id) { (id - GUESTS) * INTERVAL } else { 0 }
}

/// The first step after which the counts of agents in the room, entered and left do not add up, and what is wrong.
fn imbalance(backend: &Backend) -> Option<(u32, &'static str)> {
    let scene = scene(&[]);
    let (columns, mut engine) = (Columns::of(&scene), start(backend, &scene));
    let mut gone = BTreeSet::new();
    for step in 0..=STEPS {
        if step > 0 {
            engine.step(1).unwrap();
        }
        let (seen, words) = (engine.observe().unwrap(), ids(&engine.snapshot().unwrap()));
        let value = |name: &str| columns.value(name, step.into(), &seen).unwrap() as usize;
        let here = |id: &u32| words[*id as usize] & !ID_BITS == 0;
        let all = || 0..GUESTS + VISITORS + STEWARDS;
        let left = |id: &u32| !here(id) && enters(*id) <= step;
        let entered = all().filter(|id| enters(*id) <= step).count();
        let wrong = match () {
            () if !words.iter().zip(all()).all(|(word, id)| word & ID_BITS == id) => "ids are others",
            () if seen.bad_agents > 0 => "some are not finite",
            () if all().any(|id| here(&id) && enters(id) > step) => "somebody is early",
            () if value("inside") != all().filter(here).count() => "inside",
            () if value("left") != all().filter(left).count() => "left",
            () if value("left.visitors") != (GUESTS..GUESTS + VISITORS).filter(left).count() => "left.visitors",
            () if value("inside") + value("left") != entered => "somebody is lost",
            () if gone.iter().any(here) => "somebody came back",
            () if step == STEPS && value("left") as u32 != GUESTS + VISITORS => "somebody is still there",
            () => "",
        };
        if !wrong.is_empty() {
            return Some((step, wrong));
        }
        gone.extend(all().filter(left));
    }
    None
}

#[test]
fn everybody_leaves_and_nobody_is_lost() {
    assert_eq!(imbalance(&Backend::Cpu), None);
    let gpu = gpu();
    let on_gpu = |shaders: Sources| imbalance(&backend(&gpu, shaders));
    assert_eq!(on_gpu(Sources::default()), None);
    for (function, from, to, said) in [
        ("after_step", "own_id | FROZEN | AWAY", "own_id | FROZEN", "some are not finite"),
        ("is_out", "goal != NO_EXIT;", "false;", "somebody is still there"),
        ("after_absence", "entry_step(id) == step_now()", "entry_step(id) <= step_now()", "somebody came back"),
        ("entry_step", "species[own].entry_interval", "2.0 * species[own].entry_interval", "somebody came back"),
        ("see", "is_away(own_id)", "is_frozen && own_id % 2u == 0u", "some are not finite"),
    ] {
        let found = on_gpu(mistaken(function, from, to));
        assert!(found.is_some_and(|(_, wrong)| wrong == said), "{function}, {to}: {found:?}");
    }
}

/// A state of a run's own is a start: whoever has not entered yet does so at the same step, from its place, or from that of the scene where
/// the state has none. Whoever has left stays away where nobody enters.
#[test]
fn a_state_of_those_who_enter_is_a_start() {
    let scene = scene(&[]);
    let first = start(&Backend::Cpu, &scene).state().unwrap();
    let mut from_file = first.clone();
    for (place, _) in from_file.positions.iter_mut().zip(&first.frozen).filter(|(_, frozen)| **frozen) {
        *place = [f32::NAN; 3];
    }
    from_file.settle(&scene);
    let mut shorter = State { frozen: vec![true; 2], ..State::default() };
    shorter.settle(&scene);
    assert!(shorter.check(&scene).is_err(), "another number of agents");
    assert_eq!(from_file.positions, State::initial(&scene).positions);
    for state in [&first, &from_file] {
        let mut engine = Backend::Cpu.start(&scene, state).unwrap();
        for step in [0, 60] {
            let seen = engine.observe().unwrap();
            let away = ids(&engine.snapshot().unwrap()).into_iter().filter(|id| is_away(*id)).count();
            let visitors = (GUESTS..GUESTS + VISITORS).filter(|id| enters(*id) > step).count();
            assert!(seen.bad_agents == 0 && away >= visitors && (step > 0 || away == visitors), "{step}: {away}");
            engine.step(60).unwrap();
        }
    }
    let mut later = start(&Backend::Cpu, &scene);
    later.step(110).unwrap();
    let left = ids(&later.snapshot().unwrap())[..GUESTS as usize].iter().filter(|id| is_away(**id)).count();
    let again = ids(&Backend::Cpu.start(&scene, &later.state().unwrap()).unwrap().snapshot().unwrap());
    assert_eq!(again[..GUESTS as usize].iter().filter(|id| is_away(**id)).count(), left);
}

/// The state of a step at which some agents have left.
fn halfway(scene: &Scene) -> State {
    let mut engine = start(&Backend::Cpu, scene);
    engine.step(110).unwrap();
    engine.state().unwrap()
}

#[test]
fn gpu_and_reference_agree_on_who_is_away() {
    let gpus = gpus();
    for overrides in [
        &[][..],
        &["world.crowd=1"],
        &["species.0.update_every=3", "species.1.k_nearest=3"],
        &["species.0.vehicle.orientation=kept", "species.1.enters=30"],
    ] {
        let scene = scene(overrides);
        let initial = halfway(&scene);
        for gpu in &gpus {
            let agrees = agrees(gpu, &scene, &initial, &Options::default(), Plan { steps: 12, free_steps: 60 });
            assert!(agrees, "{overrides:?} on {}", gpu.title());
        }
    }
    let scene = scene(&[]);
    let initial = halfway(&scene);
    let mistakes = [
        ("home_of", "first_absent_cell() + id / IDS_ASIDE", "cell_of(agent.position)"),
        ("is_out", "f32(world.map_columns) * 0.5", "f32(world.map_columns) * 0.5 + 1.0"),
        ("is_out", ".y == 0u", ".y < 1025u"),
        ("entry_step", "f32(id - species[own].first_id)", "f32(id)"),
        ("first_step", "entry_step(id) + 1u", "1u"),
        ("goal_on_way", "toward.index & SEVERAL_PLACES", "toward.index & 0u"),
    ];
    let plan = Plan { steps: 12, free_steps: 60 };
    notices(|options| agrees(&gpus[0], &scene, &initial, &options, plan), &mistakes);
}
