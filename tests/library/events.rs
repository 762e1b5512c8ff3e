//! Events: the list has every change of an action state in its step, with the agent that was the reason, and every agent that leaves or
//! enters; on both backends, and for any order of threads.

use glam::{DVec3, Vec3};
use std::collections::BTreeSet;
use steerling::engine::Backend;
use steerling::gpu::{Options, Simulation};
use steerling::model::away::is_away;
use steerling::model::{AWAY, BufferId, Event, Events, Memory, Snapshot, State, What};
use steerling::scene::{Boundary, Condition, Scene, Target};
use steerling::shaders::Sources;
use support::plans::visitors;
use support::{backend, backends, edited, gpu, listing, notices, parsed, preset, ran_on_gpu, small_gpu, start};

/// Hawks catch mice, which go on after a while; dogs, some of which skip steps, stray from their master and return; a line is among them.
fn hunt() -> Scene {
    parsed(
        "schema = 1\nname = \"hunt\"\nseed = 3\ndt = 0.05\nworld = { size = [60, 40], boundary = \"wrap\" }\n\
         [[lines]]\nname = \"brook\"\nfrom = [-30, 1]\nto = [30, 1]\n\
         [[species]]\nname = \"hawks\"\ncount = 9\nmax_speed = 12\nmax_force = 60\n\
         behaviors.pursuit = { target = { nearest = \"mice\", perception_radius = 20, field_of_view = 360 } }\n\
         [[species]]\nname = \"mice\"\ncount = 240\nmax_speed = 6\nmax_force = 30\nstates = [\"free\", \"caught\", \"dazed\"]\n\
         behaviors.wander = { states = \"free\" }\n\
         rules = [{ from = \"free\", to = \"caught\", when = \"nearer\", than = 1.5, target = { nearest = \"hawks\", perception_radius = 9, field_of_view = 360 } },\
         { from = \"caught\", to = \"dazed\", when = \"after\", than = 0.4 },\
         { from = \"dazed\", to = \"free\", when = \"farther\", than = 4, target = { nearest = \"hawks\", perception_radius = 9, field_of_view = 360 } }]\n\
         [[species]]\nname = \"dogs\"\ncount = 60\nmax_speed = 9\nmax_force = 40\nupdate_every = 3\nstates = [\"stray\", \"heel\"]\n\
         behaviors.wander = { states = \"stray\" }\nbehaviors.seek = { target = { leader = \"hawks\" }, states = \"heel\" }\n\
         rules = [{ from = \"stray\", to = \"heel\", when = \"farther\", than = 10, target = { leader = \"hawks\" } },\
         { from = \"heel\", to = \"stray\", when = \"nearer\", than = 5, target = { leader = \"hawks\" } }]\n",
        &[],
    )
}

/// Visitors who wait before they go.
fn waiting() -> Scene {
    let waits = "states = [\"wait\", \"go\"]\nrules = [{ from = \"wait\", to = \"go\", when = \"after\", than = 0.5 }]";
    visitors("", waits, ", states = \"go\"")
}

/// Scenes, each with the steps of it that are looked at and the fewest events in these.
fn scenes() -> Vec<(Scene, u32, usize)> {
    vec![
        (hunt(), 120, 100),
        (waiting(), 160, 150),
        (preset("actions", 600, &[]), 300, 100),
        (preset("enemy_and_food", 300, &[]), 200, 20),
        (preset("foraging_ants", 600, &[]), 300, 20),
    ]
}

/// Action state of each agent, and whether it is away.
fn states(snapshot: &Snapshot) -> Vec<(u32, bool)> {
    let memories: Vec<Memory> = bytemuck::pod_collect_to_vec(snapshot.column(BufferId::Memory).unwrap());
    let ids = snapshot.column(BufferId::Id).unwrap();
    memories.iter().zip(ids).map(|(memory, id)| (memory.state, is_away(*id))).collect()
}

/// The agent that made another one change its state, by a search of all positions before the step in f64. `None` if it is not clear;
/// inside, `None` if the reason is no agent.
fn reason(scene: &Scene, before: &State, id: u32, from: u32, to: u32) -> Option<Option<u32>> {
    let own = scene.species_of(id).unwrap();
    let mut rules = own.rules.iter().filter(|rule| (rule.from >> from) & 1 != 0 && rule.to == to);
    let (rule, None) = (rules.next().expect("a rule that leads there"), rules.next()) else { return None };
    let firsts = scene.species.iter().scan(0, |end, species| {
        *end += species.count;
        Some(*end - species.count)
    });
    let firsts: Vec<u32> = firsts.collect();
    let target = match rule.when {
        Condition::Nearer | Condition::Farther => rule.target,
        _ => return Some(None),
    };
    match target {
        Target::Leader(row) => {
            let own_first = firsts[scene.species.iter().position(|species| species.name == own.name).unwrap()];
            Some(Some(firsts[row as usize] + (id - own_first) % scene.species[row as usize].count))
        }
        Target::Nearest { species, perception_radius, field_of_view } => {
            assert_eq!(field_of_view, 360.0, "the oracle looks around");
            let at = |id: u32| DVec3::from_array(before.positions[id as usize].map(f64::from));
            let distance = |other: &u32| {
                let (mut way, size) = (at(*other) - at(id), scene.world.size.as_dvec3());
                for axis in (0..3).filter(|axis| scene.world.boundary[*axis] == Boundary::Wrap && size[*axis] > 0.0) {
                    way[axis] -= size[axis] * (way[axis] / size[axis]).round();
                }
                way.length()
            };
            let sought = (0..scene.species.len()).filter(|row| (species >> row) & 1 != 0);
            let others = sought.flat_map(|row| firsts[row]..firsts[row] + scene.species[row].count);
            let others = others.filter(|other| *other != id && !before.frozen[*other as usize]);
            let mut others: Vec<(f64, u32)> = others.map(|other| (distance(&other), other)).collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (radius, nearest) = (f64::from(perception_radius), others.first().copied());
            let is_close = |a: f64, b: f64| (a - b).abs() < 1e-3;
            if others.first().is_some_and(|(near, _)| is_close(*near, radius))
                || others.get(1).is_some_and(|(next, _)| is_close(*next, others[0].0))
            {
                return None;
            }
            Some(nearest.filter(|(near, _)| *near < radius).map(|(_, other)| other))
        }
        _ => Some(None),
    }
}

/// Run step by step, and compare the list with what states and memories after each step say.
fn compared(backend: &Backend, scene: &Scene, steps: u32) -> Result<usize, String> {
    let mut engine = listing(backend, scene);
    let (mut before, mut expected, mut doubtful) = (engine.snapshot().unwrap(), BTreeSet::new(), BTreeSet::new());
    for step in 1..=steps {
        engine.step(1).unwrap();
        let after = engine.snapshot().unwrap();
        let state = before.state();
        for (id, ((from, was_away), (to, is_away))) in (0..).zip(states(&before).into_iter().zip(states(&after))) {
            if from != to {
                let by = reason(scene, &state, id, from, to);
                doubtful.extend(by.is_none().then_some((step, id)));
                let what = What::Changed { from, to, by: by.flatten() };
                expected.insert(Event { step, id, what });
            }
            if was_away != is_away {
                let (from, to) = if was_away { (AWAY, to) } else { (to, AWAY) };
                expected.insert(Event { step, id, what: What::Changed { from, to, by: None } });
            }
        }
        before = after;
    }
    let Events { list, unlisted } = engine.take_events().unwrap();
    let changes = list.iter().copied().filter(|event| matches!(event.what, What::Changed { .. }));
    let found: Vec<Event> = changes.collect();
    let sure = |event: &&Event| !doubtful.contains(&(event.step, event.id));
    let [listed, expected]: [BTreeSet<Event>; 2] =
        [found.iter().filter(sure).copied().collect(), expected.iter().filter(sure).copied().collect()];
    match () {
        () if unlisted > 0 || !list.is_sorted() => Err("the list is cut or not sorted".to_owned()),
        () if found.windows(2).any(|two| two[0] == two[1]) => Err("something is listed twice".to_owned()),
        () if doubtful.len() * 20 > found.len() => Err(format!("{} are doubtful", doubtful.len())),
        () if !engine.take_events().unwrap().list.is_empty() => Err("the list is still there".to_owned()),
        () => match (expected.difference(&listed).next(), listed.difference(&expected).next()) {
            (None, None) => Ok(found.len()),
            (missed, invented) => Err(format!("missed {missed:?}, invented {invented:?}")),
        },
    }
}

/// On one GPU only, because the next test shows that all list the same.
#[test]
fn every_change_is_listed_in_its_step() {
    // An agent that changes its state and leaves in one step has both events, leaving last.
    let to = |to| What::Changed { to, from: 0, by: None };
    assert!(to(AWAY) > to(2));
    let gpu = gpu();
    for (scene, steps, fewest) in scenes() {
        let found = compared(&Backend::Cpu, &scene, steps).unwrap_or_else(|wrong| panic!("{}: {wrong}", scene.name));
        println!("{}: {found} events in {steps} steps", scene.name);
        assert!(found >= fewest, "hardly anything happens in {}: {found}", scene.name);
        assert_eq!(compared(&backend(&gpu, Sources::default()), &scene, steps), Ok(found), "{}", scene.name);
    }
}

#[test]
fn a_mistake_is_seen() {
    let gpu = &gpu();
    let passes = |scene: Scene| move |options: Options| compared(&backend(gpu, options.shaders), &scene, 100).is_ok();
    let in_hunt = [
        ("notice", "state_of(stored.id)", "0u"),
        ("notice", "actions[action.rule]", "actions[0]"),
        ("notice", "select(other_id, NOBODY,", "select(other, NOBODY,"),
        ("notice", "!steers_now(own, stored.id, step_now())", "false"),
        ("notice", "rule.when == WHEN_NEARER || rule.when == WHEN_FARTHER", "rule.when == WHEN_NEARER"),
        ("list_event", "step_now()", "0u"),
        ("list_change", "(after << 8u) | before", "(before << 8u) | after"),
        ("select_action", "rule.unloads != 0u, row", "rule.unloads != 0u, 0u"),
    ];
    notices(passes(hunt()), &in_hunt);
    let of_visitors = [
        ("list_absence", "is_away(before);", "false;"),
        ("list_absence", "state_of(agent_id)", "0u"),
        ("tally", "list_absence(own_id, id[index])", "list_absence(own_id, own_id)"),
    ];
    notices(passes(waiting()), &of_visitors);
}

/// Every backend gives the same list, however many steps are taken at once, and the state is the same with and without a list.
#[test]
fn gpu_and_reference_list_alike() {
    // One of them with the limits that every WebGPU device has.
    let small = backend(&small_gpu(), Sources::default());
    let backends: Vec<Backend> = backends().into_iter().chain([small]).collect();
    // The other scenes are compared change by change in the test above.
    for (scene, steps, _) in scenes().into_iter().take(2) {
        let run = |backend: &Backend, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut engine = listing(backend, &scene);
                engine.step(steps).unwrap();
                (engine.take_events().unwrap(), engine.observe().unwrap().digest_hex())
            })
        };
        let reference = run(&Backend::Cpu, 1);
        for backend in &backends {
            assert!(run(backend, 3) == reference, "{} on {}", scene.name, backend.title());
        }
        let mut unasked = start(&backends[1], &scene);
        unasked.step(steps).unwrap();
        assert_eq!(unasked.observe().unwrap().digest_hex(), reference.1, "{}", scene.name);
        assert_eq!(unasked.take_events().unwrap(), Events::default());
    }
}

/// Without `list_events` there is neither pass nor buffer. If it is called later, or after a snapshot, events are listed from there on.
#[test]
fn who_does_not_ask_pays_nothing() {
    let (gpu, scene) = (gpu(), hunt());
    let passes =
        |simulation: &Simulation| simulation.of_step().map(|pass| pass.name).filter(|name| *name == "notice").count();
    let mut simulation = ran_on_gpu(&gpu, &scene, Options::default(), 40);
    assert!(passes(&simulation) == 0 && !simulation.has(BufferId::Events));
    // No behavior seeks the mouse here. It must stay where it is put.
    simulation.set_mouse(Vec3::new(3.0, 4.0, 0.0));
    let prepared = simulation.prepare(&scene).run().unwrap();
    simulation.list_events().unwrap();
    // A change that was prepared before `list_events` does not end the listing.
    simulation.apply(prepared).unwrap();
    assert_eq!(simulation.model().world.mouse[..2], [3.0, 4.0]);
    assert!(passes(&simulation) == 1 && simulation.has(BufferId::Events));
    let middle = simulation.snapshot().unwrap();
    simulation.step(40).unwrap();
    let mut whole = listing(&Backend::Cpu, &scene);
    whole.step(80).unwrap();
    let mut late = whole.take_events().unwrap();
    late.list.retain(|event| event.step > 40);
    assert!(late.list.len() > 20);
    assert_eq!(simulation.take_events().unwrap(), late);
    for backend in [Backend::Cpu, backend(&gpu, Sources::default())] {
        let mut engine = listing(&backend, &scene);
        engine.step(7).unwrap();
        engine.restore(&middle).unwrap();
        engine.step(40).unwrap();
        assert_eq!(engine.take_events().unwrap(), late);
        // It lists on whatever changes.
        let stronger = edited(&scene, |draft| draft.species[0].set("pursuit", "weight", 2.0).unwrap());
        engine.change(&stronger).unwrap();
        engine.step(20).unwrap();
        assert!(!engine.take_events().unwrap().list.is_empty());
        engine.restart(&scene).unwrap();
        engine.step(40).unwrap();
        assert!(!engine.take_events().unwrap().list.is_empty(), "{}", backend.name());
    }
}

/// Where more happens than the list has room for, both backends list the same steps, and say how much is missing.
#[test]
fn a_full_list_says_what_is_missing() {
    let busy = parsed(
        "schema = 1\ndt = 0.05\nworld = { size = [40, 40] }\n[[species]]\ncount = 3000\nbehaviors.wander = {}\nstates = [\"a\", \"b\"]\n\
         rules = [{ from = \"a\", to = \"b\", when = \"after\", than = 0.04 }, { from = \"b\", to = \"a\", when = \"after\", than = 0.04 }]\n",
        &[],
    );
    let taken = |backend: &Backend| {
        let mut engine = listing(backend, &busy);
        engine.step(30).unwrap();
        let taken = engine.take_events().unwrap();
        engine.step(1).unwrap();
        let next = engine.take_events().unwrap();
        assert_eq!((next.list.len(), next.unlisted), (3_000, 0), "it begins anew");
        taken
    };
    // All change in each step from the second on; the room ends in the 22nd of these.
    let reference = taken(&Backend::Cpu);
    assert_eq!((reference.list.len(), reference.unlisted), (21 * 3_000, 8 * 3_000));
    for backend in &backends()[1..] {
        assert!(taken(backend) == reference, "{}", backend.title());
    }
}
