//! Lines: everybody who crosses one is counted, once, on both backends; an oracle in f64 says who.

use glam::DVec2;
use std::collections::BTreeSet;
use steerling::engine::{Backend, Engine};
use steerling::gpu::Options;
use steerling::model::{BufferId, Change, Event, Events, Snapshot, State, What};
use steerling::output::{Columns, Until};
use steerling::scene::{Boundary, Scene};
use steerling::shaders::Sources;
use steerling::verify::Plan;
use support::{Mistake, backend, edited, gpu, gpus, notices, parsed, refuses_each, verified, with_column};

const STEPS: u32 = 120;

/// Lines of all kinds: as long as the world, in both directions; on both ends of the world; over a corner; and three that share ends.
const LINES: [(&str, [&str; 2]); 8] = [
    ("across", ["-15, 1", "15, 1"]),
    ("back", ["15, -2", "-15, -2"]),
    ("right", ["15, -10", "15, 10"]),
    ("left", ["-15, 10", "-15, -10"]),
    ("corner", ["15, 7", "11, 10"]),
    ("short", ["-3, 4", "-1.5, 6.5"]),
    ("", ["-1.5, 6.5", "4, 3"]),
    ("", ["4, 3", "-3, 4"]),
];

/// `LINES` as TOML; `thirds` are the z of both ends in space.
fn lines(thirds: [&str; 2]) -> String {
    let table = |(name, [from, to]): &(&str, [&str; 2])| {
        let name = if name.is_empty() { String::new() } else { format!("name = \"{name}\"\n") };
        format!("[[lines]]\n{name}from = [{from}{}]\nto = [{to}{}]\n", thirds[0], thirds[1])
    };
    LINES.iter().map(table).collect()
}

/// Three hundred agents that wander as fast as 8 u/s, in a plane or in space.
fn wanderers(boundary: &str, spatial: bool) -> Scene {
    let (size, ends) = match spatial {
        true => ("[30, 20, 12]", lines([", 4", ", -3"])),
        false => ("[30, 20]", lines(["", ""])),
    };
    parsed(
        &format!(
            "schema = 1\nname = \"wanderers\"\nseed = 5\ndt = 0.05\nworld = {{ size = {size}, boundary = \"{boundary}\" }}\n{ends}\
         [[species]]\ncount = 300\nmax_speed = 8\nmax_force = 40\nbehaviors.wander = {{}}\n\
         behaviors.separation = {{ perception_radius = 1 }}\n"
        ),
        &[],
    )
}

/// People who enter one after another and leave at a goal, with a line before it and one through it.
fn visitors() -> Scene {
    parsed(
        "schema = 1\nname = \"visitors\"\nseed = 5\ndt = 0.05\nworld = { size = [30, 20], boundary = \"contain\" }\n\
         [map]\nsource = \"maze\"\nresolution = 16\n\
         [[map.goals]]\nname = \"out\"\nplace = [10, 5]\nradius = 6\n\
         [[lines]]\nname = \"gate\"\nfrom = [4, -10]\nto = [4, 10]\n[[lines]]\nname = \"goal\"\nfrom = [9, -10]\nto = [9, 10]\n\
         [[species]]\ncount = 150\nmax_speed = 8\nmax_force = 40\nradius = 0.1\nleaves = \"out\"\nenters = 40\n\
         behaviors.wander = {}\nbehaviors.seek = { target = { goal = \"out\" } }\n",
        &[],
    )
}

/// Crossings that are certain, and crossings that rounding may decide.
type Found = (BTreeSet<Event>, BTreeSet<Event>);

/// Which agent crossed which line in each step, from states alone: the intersection of two segments, by their parameters, in copies of
/// the world laid side by side.
fn oracle(scene: &Scene, states: &[State]) -> Found {
    let (mut certain, mut doubtful) = (BTreeSet::new(), BTreeSet::new());
    let size = scene.world.size.as_dvec3().truncate();
    let wraps = [0, 1].map(|axis| scene.world.boundary[axis] == Boundary::Wrap);
    let around = |axis: usize| if wraps[axis] { -2..=2 } else { 0..=0 };
    for (step, pair) in (1..).zip(states.windows(2)) {
        for id in 0..pair[0].positions.len() {
            let [before, after] = [0, 1].map(|k| pair[k].positions[id]);
            let at = |place: [f32; 3]| DVec2::new(place[0].into(), place[1].into());
            let (start, mut way) = (at(before), at(after) - at(before));
            for axis in (0..2).filter(|axis| wraps[*axis]) {
                way[axis] -= size[axis] * (way[axis] / size[axis]).round();
            }
            for (line, ends) in (0..).zip(&scene.scenery.lines) {
                let [from, to] = [ends.from, ends.to].map(|end| end.as_dvec3().truncate());
                for (x, y) in around(0).flat_map(|x| around(1).map(move |y| (f64::from(x), f64::from(y)))) {
                    let (from, along) = (from + DVec2::new(x, y) * size, to - from);
                    let turn = way.perp_dot(along);
                    if turn.abs() < 1e-12 {
                        continue;
                    }
                    let (on_way, on_line) =
                        ((from - start).perp_dot(along) / turn, (from - start).perp_dot(way) / turn);
                    let margin = (1e-4 / way.length(), 1e-4 / along.length());
                    let within = |by: f64| {
                        (-by * margin.0..1.0 + by * margin.0).contains(&on_way)
                            && (-by * margin.1..1.0 + by * margin.1).contains(&on_line)
                    };
                    // Whoever turns to the left of its way crosses to the right: the line runs from its right to its left.
                    let what = What::Crossed { line, back: turn < 0.0 };
                    let crossing = Event { step, id: id as u32, what };
                    match (within(-1.0), within(1.0)) {
                        (true, _) => drop(certain.insert(crossing)),
                        (false, true) => drop(doubtful.insert(crossing)),
                        _ => {}
                    }
                }
            }
        }
    }
    (certain, doubtful)
}

/// A simulation that lists events.
fn listing(backend: &Backend, scene: &Scene, state: &State) -> Engine {
    let mut engine = backend.start(scene, state).unwrap();
    engine.list_events().unwrap();
    engine
}

/// Run step by step, and compare what is listed and counted with the oracle. What is wrong, and how many crossed each line.
fn compared(backend: &Backend, scene: &Scene) -> (Option<String>, Vec<[u32; 2]>) {
    let initial = State::initial(scene);
    let mut engine = listing(backend, scene, &initial);
    let states: Vec<State> = [initial].into_iter().chain(engine.states(STEPS, 1).unwrap()).collect();
    let (Events { mut list, unlisted }, seen) = (engine.take_events().unwrap(), engine.observe().unwrap());
    list.retain(|event| matches!(event.what, What::Crossed { .. }));
    let mut counts = vec![[0; 2]; scene.scenery.lines.len()];
    for event in &list {
        let What::Crossed { line, back } = event.what else { continue };
        counts[line as usize][usize::from(back)] += 1;
    }
    let (certain, doubtful) = oracle(scene, &states);
    let listed: BTreeSet<Event> = list.iter().copied().collect();
    let all = || certain.union(&doubtful).copied().collect::<BTreeSet<_>>();
    let wrong = match () {
        () if unlisted > 0 || !list.is_sorted() => Some("the list is cut or not sorted".to_owned()),
        () if listed.len() != list.len() => Some("somebody is listed twice".to_owned()),
        () if doubtful.len() * 50 > certain.len() => Some(format!("{} are doubtful", doubtful.len())),
        () if seen.crossed != counts => Some(format!("counted {:?}, listed {counts:?}", seen.crossed)),
        () if !engine.take_events().unwrap().list.is_empty() => Some("the list is still there".to_owned()),
        () => {
            let missed = certain.difference(&listed).next().map(|one| format!("missed {one:?}"));
            missed.or_else(|| listed.difference(&all()).next().map(|one| format!("invented {one:?}")))
        }
    };
    (wrong, seen.crossed)
}

#[test]
fn everybody_who_crosses_is_counted_once() {
    let gpus = gpus();
    for (name, scene) in [
        ("wrap", wanderers("wrap", false)),
        ("contain", wanderers("contain", false)),
        ("open", wanderers("open", false)),
        ("space", wanderers("wrap", true)),
        ("visitors", visitors()),
    ] {
        let (wrong, counts) = compared(&Backend::Cpu, &scene);
        println!("{name}: {counts:?}");
        assert_eq!(wrong, None, "{name}");
        assert!(counts[0].iter().sum::<u32>() >= 50, "hardly anybody crosses in {name}: {counts:?}");
        for gpu in &gpus {
            assert_eq!(
                compared(&backend(gpu, Sources::default()), &scene),
                (None, counts.clone()),
                "{name}, {}",
                gpu.title()
            );
        }
    }
}

#[test]
fn a_mistake_is_seen() {
    let (gpu, scene) = (gpu(), wanderers("wrap", false));
    const MISTAKES: [Mistake; 9] = [
        ("worlds_between", "boundary != WRAP", "boundary != CONTAIN"),
        ("worlds_between", "after - before < -half_size", "after - before < half_size"),
        ("tally", "select(0, 1, boundary_x == WRAP)", "0"),
        ("tally", "image - around", "image + around"),
        ("tally", "vec2u(0u, 1u), vec2u(1u, 0u), was_left", "vec2u(1u, 0u), vec2u(0u, 1u), was_left"),
        ("tally", "ends.zw + there", "ends.xy + there + vec2f(1e3, 1e3)"),
        ("tally", "2u * line + back", "back"),
        ("tally", "list_event(own_id, line, back)", "list_event(0u, line, back)"),
        ("is_left", "place - ends.xy", "place - ends.zw * 1.01"),
    ];
    notices(|options| compared(&backend(&gpu, options.shaders), &scene).0.is_none(), &MISTAKES);
}

/// The stage alone and all passes that come before it: fused, in worlds that are not small, and where agents skip steps.
#[test]
fn gpu_and_reference_count_alike() {
    let gpus = gpus();
    let with = |agents: u32, update_every: u32| {
        edited(&wanderers("wrap", false), |draft| {
            (draft.species[0].count, draft.species[0].update_every) = (agents, update_every);
        })
    };
    for (scene, what) in [(with(2_500, 1), "many"), (with(200, 3), "who skips"), (visitors(), "who leaves")] {
        let plan = Plan { steps: 6, free_steps: 0 };
        for report in verified(&gpus, &scene, &State::initial(&scene), &Options::default(), plan, what) {
            assert!(report.rows.iter().any(|row| row.buffer == BufferId::Crossed && row.compared > 0), "{what}");
        }
        let crossed = |backend: &Backend| {
            let mut engine = listing(backend, &scene, &State::initial(&scene));
            engine.step(40).unwrap();
            (engine.observe().unwrap().crossed, engine.take_events().unwrap())
        };
        let reference = crossed(&Backend::Cpu);
        assert!(reference.1.list.len() > 10, "{what}: {reference:?}");
        for gpu in &gpus {
            assert!(crossed(&backend(gpu, Sources::default())) == reference, "{what} on {}", gpu.title());
        }
    }
}

/// Agents in places that floats hold exactly, at u/s along x and y, a quarter of a second for each step.
fn exact(boundary: &str, lines: &str, agents: &[[f32; 4]], steps: u32) -> Vec<[u32; 2]> {
    let scene = parsed(
        &format!(
            "schema = 1\ndt = 0.25\nworld = {{ size = [8, 4], boundary = \"{boundary}\" }}\n{lines}[[species]]\ncount = {}\n",
            agents.len()
        ),
        &[],
    );
    let mut state = State::initial(&scene);
    for (id, [x, y, vx, vy]) in agents.iter().enumerate() {
        (state.positions[id], state.velocities[id]) = ([*x, *y, 0.0], [*vx, *vy, 0.0]);
    }
    let crossed = |backend: &Backend| {
        let mut engine = backend.start(&scene, &state).unwrap();
        engine.step(steps).unwrap();
        engine.observe().unwrap().crossed
    };
    let (reference, on_gpu) = (crossed(&Backend::Cpu), crossed(&backend(&gpu(), Sources::default())));
    assert_eq!(reference, on_gpu, "{lines}");
    reference
}

/// Agents that end a step on a line, go through its end, along a seam, or turn around on a line.
#[test]
fn who_stops_on_a_line_is_counted_once() {
    let line = |from: &str, to: &str| format!("[[lines]]\nfrom = [{from}]\nto = [{to}]\n");
    let there = [-0.5, 0.25, 1.0, 0.0];
    let back = [0.5, 0.25, -1.0, 0.0];
    // Both agents end a step on the line; for one direction that still counts as the side that it comes from.
    for (from, to, counts) in [("0, -1", "0, 1", [[1, 1]]), ("0, 1", "0, -1", [[1, 1]])] {
        assert_eq!(exact("open", &line(from, to), &[there, back], 4), counts);
        // After two steps only one of them has crossed.
        assert!(exact("open", &line(from, to), &[there, back], 2)[0].iter().sum::<u32>() == 1);
    }
    assert_eq!(exact("open", &line("0, -1", "0, 1"), &[there, there, back], 4), [[2, 1]]);
    // Along the line, and past its ends.
    assert_eq!(exact("open", &line("0, -1", "0, 1"), &[[0.0, -1.5, 0.0, 1.0], [-0.5, 1.5, 1.0, 0.0]], 12), [[0, 0]]);
    // Through the end that two lines share, in the middle of a step: exactly one of the two counts.
    let two = line("0, -1", "0, 0.25") + &line("0, 0.25", "0, 1");
    for start in [-0.5, -0.375] {
        let both = exact("open", &two, &[[start, 0.25, 1.0, 0.0]], 4);
        assert_eq!(both[0][0] + both[1][0], 1, "{both:?}");
        let both = exact("open", &two, &[[-start, 0.25, -1.0, 0.0]], 4);
        assert_eq!(both[0][1] + both[1][1], 1, "{both:?}");
    }
    // A line on either end of the world, written either way: whoever comes around crosses it once, and a line as long as the world has
    // no gap where it meets itself, not even for those who go along the seam.
    for x in ["4", "-4"] {
        for [from, to] in [["-2", "2"], ["2", "-2"]] {
            let counts =
                exact("wrap", &line(&format!("{x}, {from}"), &format!("{x}, {to}")), &[[3.5, 0.25, 1.0, 0.0]], 4);
            assert_eq!(counts[0], if from == "-2" { [1, 0] } else { [0, 1] }, "{x}");
            let around =
                exact("wrap", &line(&format!("{x}, {from}"), &format!("{x}, {to}")), &[[3.5, 0.25, 1.0, 0.0]], 64);
            assert_eq!(around[0].iter().sum::<u32>(), 2, "after two rounds");
        }
    }
    for [from, to] in [["-4, 0", "4, 0"], ["4, 0", "-4, 0"]] {
        for upward in [1.0, -1.0] {
            let counts = exact("wrap", &line(from, to), &[[-4.0, -0.5 * upward, 0.0, upward]], 4);
            assert_eq!(counts[0].iter().sum::<u32>(), 1, "{from} {upward}");
        }
    }
    // A wall that turns agents back is a line that they reach and do not cross for good.
    let wall = exact("contain", &line("4, -2", "4, 2"), &[[3.5, 0.25, 1.0, 0.0]], 8)[0];
    assert_eq!(wall[0], wall[1], "{wall:?}");
}

/// The counts are part of the state: on whatever backend it goes on, and wherever it was stopped.
#[test]
fn to_stop_and_go_on_counts_alike() {
    let scene = wanderers("wrap", false);
    let start = |backend: &Backend| listing(backend, &scene, &State::initial(&scene));
    let mut whole = start(&Backend::Cpu);
    whole.step(40).unwrap();
    let middle = whole.snapshot().unwrap();
    whole.take_events().unwrap();
    whole.step(40).unwrap();
    let (end, list) = (whole.observe().unwrap(), whole.take_events().unwrap());
    assert!(list.list.len() > 50 && list.list.iter().all(|one| one.step > 40));
    let on_gpu = backend(&gpu(), Sources::default());
    let go_on = |backend: &Backend, snapshot: &Snapshot| {
        let mut engine = start(backend);
        engine.step(7).unwrap();
        engine.restore(snapshot).unwrap();
        engine.step(40).unwrap();
        (engine.observe().unwrap(), engine.take_events().unwrap())
    };
    assert!(go_on(&Backend::Cpu, &middle) == (end.clone(), list.clone()), "on the CPU");
    let (seen, taken) = go_on(&on_gpu, &middle);
    assert!((&seen.crossed, &seen.digest) == (&end.crossed, &end.digest) && taken == list, "on a GPU");
    // A snapshot of before there were counts begins at 0.
    let forgets = with_column(&middle, BufferId::Crossed, |_| None);
    assert_ne!(go_on(&on_gpu, &forgets).0.crossed, end.crossed);
    // A line that moves goes on counting; with another number of lines all begin anew.
    for backend in [&Backend::Cpu, &on_gpu] {
        let mut engine: Engine = start(backend);
        engine.step(40).unwrap();
        let before = engine.observe().unwrap().crossed;
        engine.change(&edited(&scene, |draft| draft.scenery.lines[0].from.x = -14.0)).unwrap();
        assert_eq!(engine.observe().unwrap().crossed, before);
        engine.step(10).unwrap();
        assert_ne!(engine.observe().unwrap().crossed, before);
        let first = edited(&scene, |draft| draft.scenery.lines.truncate(1));
        assert_ne!(engine.change(&first).unwrap(), Change::Restart);
        assert_eq!(engine.observe().unwrap().crossed, [[0, 0]]);
        engine.change(&edited(&scene, |draft| draft.scenery.lines.clear())).unwrap();
        engine.step(3).unwrap();
        assert!(engine.observe().unwrap().crossed.is_empty() && engine.take_events().unwrap() == Events::default());
        engine.change(&scene).unwrap();
        engine.step(20).unwrap();
        assert!(engine.observe().unwrap().crossed.as_flattened().iter().sum::<u32>() > 20);
    }
}

#[test]
fn columns_have_the_names_of_lines() {
    let scene = wanderers("wrap", false);
    let columns = Columns::of(&scene);
    let mut engine = Backend::Cpu.start(&scene, &State::initial(&scene)).unwrap();
    engine.step(60).unwrap();
    let seen = engine.observe().unwrap();
    let value = |name: &str| columns.value(name, 60, &seen).unwrap() as u32;
    assert_eq!([value("crossed.across"), value("crossed_back.across")], seen.crossed[0]);
    assert_eq!([value("crossed.line 7"), value("crossed_back.line 7")], seen.crossed[7]);
    assert_eq!(columns.row(60, scene.dt, &seen).len(), columns.names().len());
    assert!(
        !Columns::of(&parsed("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\n", &[]))
            .names()
            .iter()
            .any(|name| name.contains("crossed"))
    );
    let mut until = Until::parse("crossed.across >= 1 ", &scene).unwrap();
    assert!(until.sees(60, &seen));
    let unknown = Until::parse("crossed.acros > 3", &scene).unwrap_err();
    assert!(unknown.contains("did you mean `crossed.across`?"), "{unknown}");
    // Lines grow with the world, and are named by overrides.
    let larger = scene.clone().with_agents(1_200).unwrap();
    assert_eq!(larger.scenery.lines[0].from.x, -30.0);
    let text = format!("schema = 1\nworld.size = [30, 20]\n{}[[species]]\ncount = 1\n", lines(["", ""]));
    let set = |change: &str| Scene::parse(&text, "lines.toml", &[change.parse().unwrap()]);
    assert_eq!(set("lines.short.to=[-1, 7]").unwrap().scenery.lines[5].to.x, -1.0);
    let unknown = set("lines.shrt.to=[0, 1]").unwrap_err().to_string();
    assert!(unknown.contains("did you mean `short`?"), "{unknown}");
}

#[test]
fn a_bad_line_is_refused_at_its_place() {
    let good = "schema = 1\nworld.size = [30, 20]\n[[lines]]\nname = \"a\"\nfrom = [1, 2]\nto = [1, 3]\n[[species]]\ncount = 1\n";
    let table = r#"
to = [1, 3] | to = @[1, 2] | lines.0.to
[[lines]]\nname = "a"\nfrom = [1, 2]\nto = [1, 3] | @[[lines]]\nfrom = [1, 2] | `to`
from = [1, 2] | from = [1, @nan] | lines.0.from
to = [1, 3] | to = [1, @inf] | lines.0.to
to = [1, 3] | to = [@2e7, 2] | between
to = [1, 3] | to = @[16, 2] | must lie in the world, which wraps along x
from = [1, 2] | from = @[1, 2, 3] | lines.0.from
from = [1, 2] | @form = [1, 2] | did you mean `from`?
[[species]] | [[lines]]\nname = @"a"\nfrom = [2, 2]\nto = [1, 3]\n[[species]] | another line has this name
"#;
    let many = r"[[lines]]\nfrom = [1, 0]\nto = [0, 9]\n".repeat(16);
    refuses_each(good, &format!("{table}[[lines]] | {many}@[[lines]] | 16\n"));
    // In an open world it may lie anywhere.
    let text =
        "schema = 1\nworld = { size = [9, 9], boundary = \"open\" }\nlines = [{ from = [1, 2], to = [99, 2] }]\n";
    parsed(&format!("{text}[[species]]\ncount = 1\n"), &[]);
}
