//! Lines: who crosses one is counted, once, on all backends alike. Where and when agents that fly straight meet lines is in a law
//! (`lines_crossed` in conform/src/laws/observables.rs).

use steerling::engine::{Backend, Engine};
use steerling::gpu::Options;
use steerling::model::{BufferId, Change, Events, State};
use steerling::output::{Columns, Until};
use steerling::scene::Scene;
use steerling::shaders::Sources;
use steerling::verify::Plan;
use support::plans::visitors;
use support::{
    backend, backends, edited, goes_on, gpu, gpus, listing, parsed, ran_on_cpu, refused, refuses_each, verified,
    without_columns,
};

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

/// Visitors with a line before their goal and one through it.
fn counted_visitors() -> Scene {
    let line = |name: &str, x: u32| format!("[[lines]]\nname = \"{name}\"\nfrom = [{x}, -10]\nto = [{x}, 10]\n");
    visitors(&(line("gate", 4) + &line("goal", 9)), "", "")
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
    for (scene, what) in [
        (wanderers("contain", false), "walls"),
        (wanderers("open", false), "no ends"),
        (wanderers("wrap", true), "space"),
        (with(2_500, 1), "many"),
        (with(200, 3), "who skips"),
        (counted_visitors(), "who leaves"),
    ] {
        let plan = Plan { steps: 6, free_steps: 0 };
        for report in verified(&gpus, &scene, &State::initial(&scene), &Options::default(), plan, what) {
            assert!(report.rows.iter().any(|row| row.buffer == BufferId::Crossed && row.compared > 0), "{what}");
        }
        let crossed = |backend: &Backend| {
            let mut run = listing(backend, &scene);
            run.step(40).unwrap();
            (run.observe().unwrap().crossed, run.take_events().unwrap())
        };
        let reference = crossed(&Backend::Cpu);
        assert!(reference.1.list.len() > 10, "{what}: {reference:?}");
        for backend in &backends()[1..] {
            assert!(crossed(backend) == reference, "{what} on {}", backend.title());
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
    let mut whole = listing(&Backend::Cpu, &scene);
    whole.step(40).unwrap();
    let middle = whole.snapshot().unwrap();
    whole.take_events().unwrap();
    whole.step(40).unwrap();
    let (end, list) = (whole.observe().unwrap(), whole.take_events().unwrap());
    assert!(list.list.len() > 50 && list.list.iter().all(|one| one.step > 40));
    // A snapshot of before there were counts begins at 0.
    let forgets = without_columns(&middle, &[BufferId::Crossed]);
    for backend in [Backend::Cpu, backend(&gpu(), Sources::default())] {
        let mut run: Engine = listing(&backend, &scene);
        let crossed = |run: &Engine| run.observe().unwrap().crossed;
        run.step(7).unwrap();
        assert_eq!((goes_on(&mut run, &middle, 40), crossed(&run)), (end.digest_hex(), end.crossed.clone()));
        assert!(run.take_events().unwrap() == list, "on {}", backend.title());
        goes_on(&mut run, &forgets, 40);
        assert_ne!(crossed(&run), end.crossed);
        // A line that moves goes on counting; with another number of lines all begin anew.
        let before = crossed(&run);
        run.change(&edited(&scene, |draft| draft.scenery.lines[0].from.x = -14.0)).unwrap();
        assert_eq!(crossed(&run), before);
        run.step(10).unwrap();
        assert_ne!(crossed(&run), before);
        let first = edited(&scene, |draft| draft.scenery.lines.truncate(1));
        assert_ne!(run.change(&first).unwrap(), Change::Restart);
        assert_eq!(crossed(&run), [[0, 0]]);
        run.change(&edited(&scene, |draft| draft.scenery.lines.clear())).unwrap();
        run.step(3).unwrap();
        assert!(crossed(&run).is_empty() && run.take_events().unwrap() == Events::default());
        run.change(&scene).unwrap();
        run.step(20).unwrap();
        assert!(crossed(&run).as_flattened().iter().sum::<u32>() > 20);
    }
}

#[test]
fn columns_have_the_names_of_lines() {
    let scene = wanderers("wrap", false);
    let columns = Columns::of(&scene);
    let seen = ran_on_cpu(&scene, 60).observe();
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
    refused(Until::parse("crossed.acros > 3", &scene), &["did you mean `crossed.across`?"]);
    // Lines grow with the world, and are named by overrides.
    let larger = scene.clone().with_agents(1_200).unwrap();
    assert_eq!(larger.scenery.lines[0].from.x, -30.0);
    let text = format!("schema = 1\nworld.size = [30, 20]\n{}[[species]]\ncount = 1\n", lines(["", ""]));
    let set = |change: &str| Scene::parse(&text, "lines.toml", &[change.parse().unwrap()]);
    assert_eq!(set("lines.short.to=[-1, 7]").unwrap().scenery.lines[5].to.x, -1.0);
    refused(set("lines.shrt.to=[0, 1]"), &["did you mean `short`?"]);
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
