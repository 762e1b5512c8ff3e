//! Action selection: states, the rules that change them, and the behaviors that act in them.

use crate::*;
use std::cell::Cell;
use steerling::model::{Memory, What};

laws! {
    action_behaviors in both:
        "a behavior acts only in the states that it names, from the step on in which the state begins",
        source: "Reynolds 1999, Introduction: action selection decides which behaviors run",
        mutant: rule_is_active("&& ((rule.states >> state) & 1u) != 0u" => ""),
        mistake: "every behavior acts in every state";
    action_selection in both:
        "an agent with an enemy nearer than e flees it at full speed, otherwise one with food nearer than f seeks \
         the food, and all others wander as if alone",
        source: "Reynolds 1999, Introduction: wander, but flee where an enemy is near, and seek food where that is near",
        mutant: select_action("holds = goal.exists && goal.distance < rule.than;" => "holds = goal.exists;"),
        mistake: "every target that is seen counts as near";
    action_weights: "in action state k a behavior has the weight w f_k, each behavior by its own list of factors",
        source: "definition of the key `state_weights`",
        mutant: weight_of("32u * (rule.rows & 0xFFFFu) + state" => "32u * (rule.rows & 0xFFFFu)"),
        mistake: "every state has the factor of the first";
    action_order: "of up to sixteen rules that hold in the agent's state, the first one decides",
        source: "decision tables",
        mutant: select_action("if (!decided && holds" => "if (holds"),
        mistake: "the last rule decides";
    action_hysteresis: "between two thresholds the state stays: it changes once for each crossing of the whole band",
        source: "Schmitt trigger",
        mutant: steering_of("keep_state(id, action.state);" => "keep_state(id, 0u);"),
        mistake: "the state is forgotten from step to step";
    action_timer: "a state that ends after T lasts ceil(T/dt) steps, also if it is the initial state",
        source: "time in a state is the number of its steps times dt",
        mutant: select_action("max(before.since, first_step(agent.id))" => "before.since"),
        mistake: "the first state is one step short";
    action_field: "field_above and field_below compare the speed of the flow where the agent is",
        source: "a vortex of speed 2s/(1 + s²) times its peak",
        mutant: select_action("let speed = sqrt(dot3(flow, flow));" => "let speed = max(flow.x, flow.y);"),
        mistake: "one component is taken for the speed";
    action_load:
        "load_above holds from the first step that begins with at least as many units carried as its threshold",
        source: "an agent alone in its cell takes intake times t, rounded down",
        mutant: select_action("f32(before.load) >= rule.than" => "f32(before.load) > rule.than"),
        mistake: "load_above holds one unit too late";
    action_unloads:
        "a rule that unloads sets the load to 0 in each step in which it holds; any other rule leaves the load \
         unchanged",
        source: "an agent alone in its cell takes intake times t, rounded down, from the step on in which it last unloaded",
        mutant: select_action("Action(rule.to, rule.unloads != 0u," => "Action(rule.to, true,"),
        mistake: "every rule unloads";
    action_nobody in both:
        "farther holds if an agent sees no target or its nearest one is farther than e, nearer holds if it sees its \
         nearest one nearer than e",
        source: "decision tables: a target out of sight is farther than any target in sight",
        mutant: select_action("holds = !goal.exists || goal.distance > rule.than;" => "holds = goal.distance > rule.than;"),
        mistake: "farther does not hold for an agent that sees no target";
    action_timer_enters:
        "an agent that enters at the end of step e stays in its first state for ceil(T/dt) steps, from step e + 1 on",
        source: "time in a state is the number of its steps times dt; the n-th agent enters after n/rate",
        mutant: first_step("entry_step(id) + 1u" => "entry_step(id) + 2u"),
        mistake: "the first step after entering does not count";
    action_reason in both:
        "the event of a change of state names the nearest agent that the deciding rule asks for, and no agent if the \
         rule asks for none",
        source: "the first rule that holds, by a search of all pairs",
        mutant: select_action("Action(rule.to, rule.unloads != 0u, row)" => "Action(rule.to, rule.unloads != 0u, 0u)"),
        mistake: "the first rule is named, whichever held";
}

fn action_behaviors(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let setup = Setup::open_with(spatial, 0.02, "field = { source = \"uniform\", speed = 3 }");
    bench.steers(setup, 0..14, |setup, index| {
        let (at, threshold) = (lane(index, 30.0), draw.between(4.0, 8.0));
        let distance = threshold * draw.between(0.2, 1.8);
        let place = rounded(plus(at, times(draw.heading(spatial), distance)));
        let lines = format!(
            "max_speed = 50\ntime_constant = 0.5\nstates = [\"calm\", \"rush\"]\n\
             rules = [{{ to = \"rush\", when = \"nearer\", than = {threshold}, {} }}]\n\
             behaviors.flow_field = {{ weight = 1.0, states = \"rush\" }}\n\
             behaviors.cohesion = {{ weight = 2.0, perception_radius = 6.0, field_of_view = 360, states = \"calm\" }}\n",
            to(spatial, place)
        );
        let velocity = draw.point(spatial, 5.0);
        let second = plus(at, times(draw.heading(spatial), draw.between(1.0, 5.0)));
        let bodies = [at, second].map(|position| Body { position, velocity });
        let id = setup.species(&lines, &bodies).start;
        let (own, other) = (setup.body(id), setup.body(id + 1));
        let distance = norm(minus(place, own.position));
        let expected = match distance < threshold {
            true => times(minus([3.0, 0.0, 0.0], own.velocity), 2.0),
            false => times(minus(other.position, own.position), 2.0),
        };
        let parameters = [("distance", distance), ("threshold", threshold)];
        move |found| bench.check(Case::vector(&parameters, expected, found[id], 1e-5))
    })
}

fn action_selection(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (fear, hunger) = (draw.between(5.0, 9.0), draw.between(4.0, 7.0));
    let crowds = [8, 16, 40].map(|agents| draw.crowd(agents, spatial, ZERO, 20.0, 4.0));
    let world = |lines: &dyn Fn([String; 2]) -> String| {
        let mut setup = Setup::open(spatial, 0.02);
        let names = [0, 1].map(|index: usize| {
            let name = setup.next();
            setup.species("", &crowds[index]);
            format!("target = {{ nearest = {name:?}, perception_radius = 30 }}")
        });
        setup.species(&format!("max_speed = 8\ntime_constant = 0.5\n{}", lines(names)), &crowds[2]);
        setup
    };
    let alone = world(&|_| "behaviors.wander = {}\n".to_owned());
    let setup = world(&|[enemy, food]| {
        format!(
            "states = [\"wander\", \"flee\", \"seek\"]\nrules = [{{ to = \"flee\", when = \"nearer\", than = {fear}, {enemy} }}, \
             {{ to = \"seek\", when = \"nearer\", than = {hunger}, {food} }}]\nbehaviors.wander = {{ states = \"wander\" }}\n\
             behaviors.flee = {{ states = \"flee\", {enemy} }}\nbehaviors.seek = {{ states = \"seek\", {food} }}\n"
        )
    });
    let (wandering, found) = (bench.steering(&alone)?.accelerations, bench.steering(&setup)?.accelerations);
    let bodies = setup.bodies();
    bench.tried((24..bodies.len()).map(|id| {
        let Body { position, velocity } = bodies[id];
        let nearest = |others: std::ops::Range<usize>| {
            let ways = bodies[others].iter().map(|other| minus(other.position, position));
            ways.min_by(|a, b| norm(*a).total_cmp(&norm(*b))).expect("there are some")
        };
        let (enemy, food) = (nearest(0..8), nearest(8..24));
        let toward = |way: V, speed: f64| times(minus(times(unit(way), speed), velocity), 2.0);
        let expected = match (norm(enemy) < fear, norm(food) < hunger) {
            (true, _) => toward(enemy, -8.0),
            (_, true) => toward(food, 8.0),
            _ => wandering[id],
        };
        let parameters = [("enemy", norm(enemy)), ("e", fear), ("food", norm(food)), ("f", hunger)];
        Case::vector_within(&parameters, expected, found[id], 1e-4)
    }))
}

fn action_weights(bench: &Bench, draw: &mut Draw) -> Tried {
    let setup = Setup::open_with(false, 0.02, "field = { source = \"uniform\", speed = 3 }");
    // Five steps in each state.
    let in_each_state = |setup: &Setup| {
        let seen = |steps: u32| {
            let run = bench.run(setup, steps)?;
            Ok((run.bodies()?, run.steering()?.accelerations))
        };
        [2, 7, 12].into_iter().map(seen).collect::<Result<Vec<_>, _>>()
    };
    bench.tries(setup, in_each_state, 0..14, |setup, index| {
        let [flow, home] = [0, 1].map(|_| [0, 1, 2].map(|_| draw.between(-2.0, 2.0)));
        let (position, velocity) = (plus(lane(index, 30.0), [1.0, 2.0, 0.0]), draw.point(false, 5.0));
        let lines = format!(
            "max_speed = 10\nmax_force = 0\ntime_constant = 0.5\nstates = [\"a\", \"b\", \"c\"]\n\
             rules = [{{ from = \"a\", to = \"b\", when = \"after\", than = 0.09 }}, \
             {{ from = \"b\", to = \"c\", when = \"after\", than = 0.09 }}]\n\
             behaviors.flow_field = {{ weight = 0.5, prediction_time = 0, state_weights = {flow:?} }}\n\
             behaviors.seek = {{ weight = 2, target = {{ point = [0, 0] }}, state_weights = {home:?} }}\n"
        );
        let id = setup.agent(&lines, position, velocity);
        move |seen| {
            for (state, (bodies, found)) in seen.iter().enumerate() {
                let Body { position, velocity } = bodies[id];
                let part = |desired: V, weight: f64| times(minus(desired, velocity), 2.0 * weight);
                let to_field = part([3.0, 0.0, 0.0], 0.5 * flow[state]);
                let expected = plus(to_field, part(times(unit(position), -10.0), 2.0 * home[state]));
                let parameters =
                    [("state", state as f64), ("f of flow_field", flow[state]), ("f of seek", home[state])];
                bench.check(Case::vector_within(&parameters, expected, found[id], 1e-4));
            }
        }
    })
}

fn action_order(bench: &Bench, draw: &mut Draw) -> Tried {
    let rule = |to: &str, from: &str, than: f64| {
        format!("{{ to = {to:?}, from = {from}, when = \"nearer\", than = {than}, target = {{ point = [0, 0] }} }}")
    };
    bench.remembers(Setup::open(false, 0.02), 1, 0..24, |setup, id| {
        let position = draw.point(false, 60.0);
        let (near, far) = (draw.between(10.0, 40.0), draw.between(40.0, 70.0));
        // As many rules as a species may have. The last two are the ones that matter.
        let mut rows = vec![rule("never", "\"far\"", 1e6); 14];
        rows.extend([rule("near", "\"start\"", near), rule("far", "\"start\"", far)]);
        let states = "states = [\"start\", \"near\", \"far\", \"never\"]";
        let lines = format!("max_speed = 10\n{states}\nrules = [{}]\nbehaviors.wander = {{}}", rows.join(", "));
        setup.agent(&lines, position, ZERO);
        let distance = norm(setup.body(id).position);
        let expected = match distance {
            _ if distance < near => 1.0,
            _ if distance < far => 2.0,
            _ => 0.0,
        };
        move |steps| {
            let parameters = [("distance", distance), ("near", near), ("far", far)];
            bench.check(Case::absolute(&parameters, expected, f64::from(steps[0].1[id].state), 0.0));
        }
    })
}

fn action_hysteresis(bench: &Bench, draw: &mut Draw) -> Tried {
    let all = Cell::new(0);
    // In a small wrapped world the agents come back to the band between both distances again and again.
    let setup = Setup::within(false, [60.0; 3], "wrap", 1.0 / 30.0, "");
    bench.remembers(setup, 200, 0..12, |setup, id| {
        let alarm = draw.between(10.0, 20.0);
        let calm = alarm + draw.between(3.0, 6.0);
        let target = "target = { point = [0, 0] }";
        let lines = format!(
            "max_speed = 12\nmax_force = 200\nstates = [\"calm\", \"alarm\"]\nbehaviors.wander = {{}}\n\
             rules = [{{ from = \"calm\", to = \"alarm\", when = \"nearer\", than = {alarm}, {target} }}, \
             {{ from = \"alarm\", to = \"calm\", when = \"farther\", than = {calm}, {target} }}]"
        );
        setup.agent(&lines, times(draw.heading(false), calm), times(draw.heading(false), 10.0));
        let all = &all;
        move |steps| {
            let (mut alarmed, mut last) = (false, 0);
            let [mut wrong, mut changes, mut crossings] = [0; 3];
            for (bodies, memories) in steps {
                let (distance, state) = (norm(bodies[id].position), memories[id].state);
                let before = alarmed;
                alarmed = if before { distance <= calm } else { distance < alarm };
                crossings += u32::from(before != alarmed);
                changes += u32::from(state != last);
                wrong += u32::from(state != u32::from(alarmed));
                last = state;
            }
            let parameters = [("alarm", alarm), ("calm", calm)];
            bench.check(Case::absolute(&parameters, 0.0, f64::from(wrong), 0.0));
            bench.check(Case::absolute(&parameters, f64::from(crossings), f64::from(changes), 0.0));
            all.set(all.get() + crossings);
        }
    })?;
    bench.tried(Case::at_least(&[("agents", 12.0)], 6.0, f64::from(all.get()), 0.0))
}

fn action_timer(bench: &Bench, draw: &mut Draw) -> Tried {
    // Times of steps and products with them are exact in f32.
    bench.remembers(Setup::open(false, DT), 150, 0..24, |setup, id| {
        let times = [0; 2].map(|_| draw.between(0.02, 0.8));
        let rule = |from: &str, to: &str, than: f64| {
            format!("{{ from = {from:?}, to = {to:?}, when = \"after\", than = {than} }}")
        };
        let rules = [rule("work", "rest", times[0]), rule("rest", "work", times[1])].join(", ");
        let lines = format!("max_speed = 5\nstates = [\"work\", \"rest\"]\nrules = [{rules}]\nbehaviors.wander = {{}}");
        setup.agent(&lines, draw.point(false, 50.0), ZERO);
        move |path| {
            let steps = times.map(|time| (time / DT).ceil() as usize);
            let expected = |step: usize| u32::from(step % (steps[0] + steps[1]) >= steps[0]);
            let wrong = path.iter().enumerate().filter(|(step, (_, after))| after[id].state != expected(*step)).count();
            bench.check(Case::absolute(&[("T work", times[0]), ("T rest", times[1])], 0.0, wrong as f64, 0.0));
        }
    })
}

fn action_field(bench: &Bench, draw: &mut Draw) -> Tried {
    let (size, peak) = (64.0, draw.between(5.0, 15.0));
    let field = format!("field = {{ source = \"vortex\", speed = {peak}, resolution = 513 }}");
    bench.remembers(Setup::within(false, [size; 3], "open", 0.01, field), 1, 0..30, |setup, id| {
        loop {
            let (position, than) = (draw.point(false, 30.0), peak * draw.between(0.1, 1.0));
            let s = norm(position) / (size / 4.0);
            let speed = peak * 2.0 * s / (1.0 + s * s);
            // Between its nodes the field differs a little from the formula.
            if (speed - than).abs() < 0.01 * peak {
                continue;
            }
            let (when, holds) = [("field_above", speed > than), ("field_below", speed < than)][id % 2];
            let rules = format!("rules = [{{ to = \"there\", when = {when:?}, than = {than} }}]");
            let lines = format!("states = [\"here\", \"there\"]\n{rules}\nbehaviors.wander = {{}}");
            setup.agent(&lines, position, ZERO);
            break move |steps: &Vec<(_, Vec<Memory>)>| {
                bench.check(Case::holds(&[("speed", speed), ("than", than)], holds, steps[0].1[id].state == 1))
            };
        }
    })
}

/// The first step after which an agent is in its second state; 0 if it does not come to it.
pub(super) fn first_change(steps: &[(Vec<Body>, Vec<Memory>)], id: usize) -> f64 {
    steps.iter().position(|(_, memories)| memories[id].state == 1).map_or(0.0, |step| step as f64 + 1.0)
}

/// A world that one patch covers, for agents that stand still, each in a cell of its own.
fn one_patch(intake: f64) -> Setup {
    let ground = format!("resolution = 16, patches = 1, patch_radius = 100, amount = 1000000, intake = {intake}");
    Setup::within(false, [64.0; 3], "wrap", DT, format!("ground = {{ {ground} }}"))
}

fn action_load(bench: &Bench, draw: &mut Draw) -> Tried {
    for _ in 0..3 {
        let intake = draw.between(20.0, 300.0);
        bench.remembers(one_patch(intake), 120, 0..12, |setup, id| {
            // For half of the agents the threshold is a whole number of units.
            let than = draw.between(1.0, 100.0);
            let than = if id % 2 == 0 { than.floor() } else { than };
            let lines = format!(
                "max_force = 0\nmax_speed = 5\nstates = [\"empty\", \"laden\"]\n\
                 rules = [{{ to = \"laden\", when = \"load_above\", than = {than} }}]\n\
                 behaviors.forage = {{ search_radius = 1 }}"
            );
            setup.agent(&lines, lane(id, 8.0), ZERO);
            // The rate is held in 1/65536 units per step.
            let carried = move |steps: u32| ((intake / 64.0 * 65536.0).round() * f64::from(steps) / 65536.0).floor();
            let first = (1..=120).find(|step| carried(step - 1) >= than).unwrap_or(0);
            move |steps| {
                let parameters = [("intake", intake), ("than", than)];
                bench.check(Case::absolute(&parameters, f64::from(first), first_change(steps, id), 0.0));
            }
        })?;
    }
    Ok(())
}

fn action_unloads(bench: &Bench, draw: &mut Draw) -> Tried {
    const STEPS: u32 = 100;
    for _ in 0..3 {
        let intake = draw.between(60.0, 300.0);
        // The rate is held in 1/65536 units per step, and what is taken by a step is rounded down.
        let taken = |steps: u32| ((intake / 64.0 * 65536.0).round() * f64::from(steps) / 65536.0).floor();
        let loads = |setup: &Setup| bench.run(setup, STEPS)?.memories();
        bench.tries(one_patch(intake), loads, 0..12, |setup, id| {
            // For every other agent the rule that leads back unloads, for the others the first rule. Times are whole numbers of steps.
            let (there, back) = (draw.whole(3, 20), draw.whole(3, 20));
            let first = id % 2 == 0;
            let rule = |from: &str, to: &str, steps: u32, unloads: bool| {
                let than = f64::from(steps) / 64.0;
                format!("{{ from = \"{from}\", to = \"{to}\", when = \"after\", than = {than}, unloads = {unloads} }}")
            };
            let rules = [rule("a", "b", there, first), rule("b", "a", back, !first)].join(", ");
            let lines = format!(
                "max_force = 0\nmax_speed = 5\nstates = [\"a\", \"b\"]\nrules = [{rules}]\n\
                 behaviors.forage = {{ search_radius = 1 }}"
            );
            setup.agent(&lines, lane(id, 8.0), ZERO);
            // Steps 1 to `there` are in the first state; the rule acts at the start of the next step.
            let round = there + back;
            let offset = 1 + if first { there } else { round };
            let latest = (0..).map(|turn| offset + turn * round).take_while(|step| *step <= STEPS).last();
            let expected = taken(STEPS) - latest.map_or(0.0, |step| taken(step - 1));
            move |memories| {
                let parameters = [("intake", intake), ("there", there.into()), ("back", back.into())];
                bench.check(Case::absolute(&parameters, expected, memories[id].load.into(), 0.0));
            }
        })?;
    }
    Ok(())
}

fn action_nobody(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut setup, mut drawn, mut marks) = (Setup::open(spatial, 0.02), Vec::new(), Vec::new());
    let name = "species 24";
    for index in 0..24 {
        let (at, radius) = (lane(index, 45.0), draw.between(5.0, 15.0));
        let (distance, than) = (radius * draw.between(0.3, 1.7), radius * draw.between(0.2, 1.6));
        let when = ["nearer", "farther"][index % 2];
        let target = format!("{{ nearest = {name:?}, perception_radius = {radius}, field_of_view = 360 }}");
        let rules = format!("rules = [{{ to = \"there\", when = {when:?}, than = {than}, target = {target} }}]");
        let lines = format!("max_speed = 5\nstates = [\"here\", \"there\"]\n{rules}\nbehaviors.wander = {{}}\n");
        setup.agent(&lines, at, ZERO);
        marks.push(Body::at(plus(at, times(draw.heading(spatial), distance))));
        drawn.push((radius, than));
    }
    setup.species("", &marks);
    let run = bench.run(&setup, 1)?;
    let found = run.memories()?;
    bench.tried(drawn.into_iter().enumerate().map(|(id, (radius, than))| {
        let distance = norm(minus(setup.body(24 + id).position, setup.body(id).position));
        let sees = distance < radius;
        let holds = if id % 2 == 0 { sees && distance < than } else { !sees || distance > than };
        let parameters = [("distance", distance), ("perception radius", radius), ("than", than)];
        Case::holds(&parameters, holds, found[id].state == 1)
    }))
}

fn action_timer_enters(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.remembers(Setup::open(false, DT), 100, 0..4, |setup, _| {
        // No entry is so near to a step's end that rounding decides.
        let rate = loop {
            let rate = draw.between(10.0, 200.0);
            let steps = |rank: u32| f64::from(rank) / (rate * DT);
            if (1..8).all(|rank| (steps(rank) - steps(rank).round()).abs() > 1e-3) {
                break rate;
            }
        };
        let time = draw.between(0.02, 0.6);
        let rules = format!("rules = [{{ to = \"go\", when = \"after\", than = {time} }}]");
        let lines =
            format!("max_speed = 5\nenters = {rate}\nstates = [\"wait\", \"go\"]\n{rules}\nbehaviors.wander = {{}}\n");
        let ids = setup.species(&lines, &draw.crowd(8, false, ZERO, 50.0, 1.0));
        move |steps| {
            bench.check(ids.enumerate().map(|(rank, id)| {
                let enters = (rank as f64 / (rate * DT)).floor();
                let expected = enters + 1.0 + (time / DT).ceil();
                Case::absolute(&[("e", enters), ("T", time)], expected, first_change(steps, id), 0.0)
            }));
        }
    })
}

fn action_reason(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (fear, hunger) = (draw.between(5.0, 9.0), draw.between(4.0, 7.0));
    let mut setup = Setup::open(spatial, 0.02);
    let [enemy, food] = [8, 16].map(|agents| {
        let name = setup.next();
        setup.species("", &draw.crowd(agents, spatial, ZERO, 20.0, 4.0));
        format!("target = {{ nearest = {name:?}, perception_radius = 30, field_of_view = 360 }}")
    });
    let lines = format!(
        "max_speed = 8\nstates = [\"wander\", \"flee\", \"seek\", \"rest\"]\n\
         rules = [{{ to = \"flee\", when = \"nearer\", than = {fear}, {enemy} }}, \
         {{ to = \"seek\", when = \"nearer\", than = {hunger}, {food} }}, {{ to = \"rest\", when = \"after\", than = 0 }}]\n\
         behaviors.wander = {{}}\n"
    );
    setup.species(&lines, &draw.crowd(40, spatial, ZERO, 20.0, 4.0));
    let ((_, events), bodies) = (bench.eventful(&setup, 1)?, setup.bodies());
    bench.tried((24..bodies.len()).map(|id| {
        let nearest = |others: std::ops::Range<usize>| {
            let ways = others.map(|other| (norm(minus(bodies[other].position, bodies[id].position)), other as f64));
            ways.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are some")
        };
        let (enemy, food) = (nearest(0..8), nearest(8..24));
        const NOBODY: f64 = -1.0;
        let expected = match (enemy.0 < fear, food.0 < hunger) {
            (true, _) => enemy.1,
            (_, true) => food.1,
            _ => NOBODY,
        };
        let by = events.iter().filter(|event| event.id as usize == id).map(|event| match event.what {
            What::Changed { by, .. } => by.map_or(NOBODY, f64::from),
            What::Crossed { .. } => f64::NAN,
        });
        let by: Vec<f64> = by.collect();
        let found = if let [by] = by[..] { by } else { f64::NAN };
        Case::absolute(&[("enemy", enemy.0), ("e", fear), ("food", food.0), ("f", hunger)], expected, found, 0.0)
    }))
}
