//! Angular behaviors: agents that face freely turn to a heading, to a target, to their velocity, or as the target turns.

use super::locomotion::axis_of;
use crate::*;

const MILLINGTON: &str = "Millington, Align: Ω = ω_max min(1, |φ|/φ_slow), α = (Ω - ω)/τ, with φ the shorter way";

laws! {
    align_turns_as_the_target in both by first_step("align", |_, other| times(other.velocity, 1.0 / norm(other.velocity))):
        "at rest α = ω_max min(1, |φ|/φ_slow)/τ about the axis from the own heading to the target's",
        source: MILLINGTON,
        mutant: align_turn("agent.forward, goal.forward, turner.up" => "goal.forward, agent.forward, turner.up"),
        mistake: "the error has the other sign";
    face_turns_to_the_target:
        "face turns toward the target's place as align does toward its heading; an agent at that place turns on as \
         it did",
        source: MILLINGTON,
        mutant: face_turn("along(goal.offset)" => "along(-goal.offset)"),
        mistake: "agents turn their backs to the target";
    look_where_you_go_turns in both:
        "look_where_you_go turns toward the own velocity as align does toward the target's heading",
        source: MILLINGTON,
        mutant: look_where_you_go_turn("agent.velocity / agent.speed" => "agent.forward"),
        mistake: "agents turn toward their own heading";
    angular_velocity_is_matched in both: "α = (ω_target - ω)/τ",
        source: "Millington, variable matching: the difference over the time to target",
        mutant: angular_velocity_matching_turn("(goal.spin - turner.spin)" => "(goal.spin + turner.spin)"),
        mistake: "the own turn adds to the difference";
    turning_comes_to_rest:
        "with φ_slow ≥ 4 ω_max τ no agent swings over: the error ends below 0.01 rad and never changes its side",
        source: "behaviors with a lag τ: no overshoot iff the slow range is at least 4 ω τ",
        mutant: turn_by("(desired - turner.spin)" => "desired"),
        mistake: "nothing damps the turn";
    turning_capture_angle in both: "within the capture angle α = (0 - ω)/τ, and beyond it as without one",
        source: "Millington, Align: within the target radius nothing is to be turned",
        mutant: turn_by("max(capture_angle, 1e-9)" => "1e-9"),
        mistake: "the capture angle is not heeded";
    align_comes_to_rest in both:
        "the angle between the headings goes φ' = -ω, ω' = (ω_max min(1, φ/φ_slow) - ω)/τ, in steps of the program",
        source: "Millington, Align; the same in f64",
        mutant: turn_by("(desired - turner.spin)" => "desired"),
        mistake: "nothing damps the turn";
    angular_velocity_approaches in both:
        "ω(n) = ω_target (1 - (1 - dt/τ)ⁿ) from rest, whatever the axis of the steady turn",
        source: "first-order lag, solved for steps",
        mutant: angular_velocity_matching_turn("(goal.spin - turner.spin)" => "goal.spin"),
        mistake: "the own turn does not count";
    turning_limited_starts in both:
        "from rest align and face turn by ½ α t² + ½ α t dt, α the limit or T/I, while (ω_max - ω)/τ > α and φ > φ_slow",
        source: "Millington, Align, whose angular acceleration is cut to its greatest; Newton's second law for rotations",
        mutant: spun("limit(angular_acceleration, angular_acceleration_of(own, limits.id))" => "angular_acceleration"),
        mistake: "angular behaviors turn as fast as they ask for";
    turning_limited_comes_to_rest in both:
        "φ' = -ω, ω' = clip((ω_max min(1, φ/φ_slow) - ω)/τ, ±α); the heading swings over only if φ_slow < \
         max(ω_max²/2α + ω_max (τ + dt), 4 ω_max τ)",
        source: "Millington, Align, whose angular acceleration is cut to its greatest; the same in f64",
        mutant: spun("limit(angular_acceleration, angular_acceleration_of(own, limits.id));"
            => "select(angular_acceleration, limit(angular_acceleration, angular_acceleration_of(own, limits.id)), dot3(spin, angular_acceleration) >= 0.0);"),
        mistake: "the limit is not heeded where it brakes";
}

const SPEED: f64 = 120.0;

fn vehicle() -> String {
    format!("max_speed = 10\nvehicle = {{ facing = \"independent\", max_angular_speed = {SPEED} }}\n")
}

/// The expected angular acceleration from `forward` to `end`, rad/s².
fn expected(forward: V, end: V, slow: f64, time: f64) -> V {
    let axis = cross(forward, end);
    let angle = norm(axis).atan2(dot(forward, end));
    times(axis, SPEED.to_radians() * (angle / slow).min(1.0) / time / norm(axis))
}

/// Agents with a random position and heading, and targets that move. In the first step agents face along their velocity. `goal` gives
/// the direction to turn to, from agent and target.
fn first_step(bench: &Bench, draw: &mut Draw, spatial: bool, behavior: &str, goal: fn(&Body, &Body) -> V) -> Tried {
    bench.turns(Setup::open(spatial, 0.01), 0..12, |setup, index| {
        let (slow, time) = (draw.between(20.0, 170.0), draw.scale(0.02, 2.0));
        let mut body = || Body::at(draw.point(spatial, 20.0)).moving(times(draw.heading(spatial), 3.0));
        let bodies = [body(), body()];
        let lines = format!(
            "{}behaviors.{behavior} = {{ target = {{ agent = {} }}, slow_angle = {slow}, time_to_target = {time} }}\n",
            vehicle(),
            2 * index + 1,
        );
        setup.agent(&lines, bodies[0].position, bodies[0].velocity);
        setup.agent("", bodies[1].position, bodies[1].velocity);
        let (own, other) = (setup.body(2 * index), setup.body(2 * index + 1));
        let wanted = expected(unit(own.velocity), goal(&own, &other), slow.to_radians(), time);
        (2 * index, [("slow angle", slow), ("tau", time)], wanted, 1e-4 * norm(wanted))
    })
}

fn face_turns_to_the_target(bench: &Bench, draw: &mut Draw) -> Tried {
    let goal = |own: &Body, other: &Body| unit(minus(other.position, own.position));
    in_both(bench, draw, |bench, draw, spatial| first_step(bench, draw, spatial, "face", goal))?;
    let mut setup = Setup::open(true, 0.01);
    for _ in 0..6 {
        let (at, forward, spin) = (rounded(draw.point(true, 20.0)), draw.heading(true), draw.point(true, 1.0));
        let lines = format!("{}behaviors.face = {{ {} }}\n", vehicle(), to(true, at));
        let id = setup.agent(&lines, at, ZERO);
        setup.face(id, forward, draw.turned(true, forward, 90.0), spin);
    }
    let found = bench.steering(&setup)?.turning;
    bench.tried(found.into_iter().map(|found| Case::vector_within(&[], ZERO, found, 0.0)))
}

/// Agents whose velocity is not along their heading.
fn look_where_you_go_turns(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.turns(Setup::open(spatial, 0.01), 0..12, |setup, _| {
        let (slow, time, heading) = (draw.between(20.0, 170.0), draw.scale(0.02, 2.0), draw.heading(spatial));
        let rule = format!("{{ slow_angle = {slow}, time_to_target = {time} }}");
        let lines = format!("{}behaviors.look_where_you_go = {rule}\n", vehicle());
        let id = setup.agent(&lines, draw.point(spatial, 20.0), times(draw.heading(spatial), 3.0));
        setup.face(id, heading, axis_of(draw, spatial, heading), ZERO);
        let wanted = expected(heading, unit(setup.body(id).velocity), slow.to_radians(), time);
        (id, [("slow angle", slow), ("tau", time)], wanted, 1e-4 * norm(wanted))
    })
}

fn angular_velocity_is_matched(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let target = to(spatial, [90.0, 70.0, 50.0]);
    let after_20_steps = |setup: &Setup| {
        let run = bench.run(setup, 20)?;
        Ok((run.poses()?, run.steering()?.turning))
    };
    bench.tries(Setup::open(spatial, 0.01), after_20_steps, 0..12, |setup, index| {
        let time = draw.scale(0.5, 3.0);
        let rules = [
            format!(
                "angular_velocity_matching = {{ target = {{ agent = {} }}, time_to_target = {time} }}",
                2 * index + 1
            ),
            format!("face = {{ {target}, slow_angle = 170, time_to_target = 0.5 }}"),
        ];
        let [own, other] = rules.map(|rule| {
            let (at, velocity) = (draw.point(spatial, 20.0), times(draw.heading(spatial), 3.0));
            setup.agent(&format!("{}behaviors.{rule}\n", vehicle()), at, velocity)
        });
        move |(poses, found)| {
            let (spin, turn) = (poses[own].spin, poses[other].spin);
            let wanted = times(minus(turn, spin), 1.0 / time);
            let (parameters, size) = ([("tau", time), ("target's turn", norm(turn))], norm(turn) + norm(spin));
            bench.check(Case::vector_within(&parameters, wanted, found[own], 1e-5 * size / time));
        }
    })
}

fn turning_comes_to_rest(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.watches(Setup::open(false, 0.01), (10..=600).step_by(10), 0..16, |setup, _| {
        let time = draw.between(0.05, 0.15);
        let slow = draw.between(4.2, 8.0) * SPEED * time;
        let (at, heading) = (times(draw.heading(false), 30.0), draw.heading(false));
        let lines = format!(
            "{}behaviors.face = {{ target = {{ point = [0, 0] }}, slow_angle = {}, time_to_target = {time} }}\n",
            vehicle(),
            slow.min(179.0),
        );
        // So slow that the target's direction does not change.
        let id = setup.agent(&lines, at, times(heading, 1e-4));
        let goal = times(at, -1.0 / norm(at));
        let error = move |forward: V| cross(forward, goal)[2].atan2(dot(forward, goal));
        move |seen| {
            let start = error(heading);
            let errors: Vec<f64> = seen.iter().map(|moment| error(moment.poses[id].forward)).collect();
            let over = errors.iter().fold(0.0, |over: f64, error| over.max(-error * start.signum()));
            let parameters = [("tau", time), ("start", start)];
            bench.check(Case::at_most(&parameters, 0.01, errors[errors.len() - 1].abs(), 0.0));
            bench.check(Case::at_most(&parameters, 0.0, over, 2e-3));
        }
    })
}

fn turning_capture_angle(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.turns(Setup::open(spatial, 0.01), 0..16, |setup, index| {
        let (slow, time, capture) = (draw.between(60.0, 170.0), draw.scale(0.02, 2.0), draw.between(5.0, 50.0));
        let captured = index % 2 == 0;
        let angle = capture * if captured { draw.between(0.1, 0.95) } else { draw.between(1.05, 1.2) };
        let (at, forward) = (draw.point(spatial, 20.0), draw.heading(spatial));
        let end = draw.turned(spatial, forward, angle);
        let target = rounded(plus(at, times(end, 100.0)));
        let rule = format!("{}, capture_angle = {capture}", to(spatial, target));
        let lines =
            format!("{}behaviors.face = {{ {rule}, slow_angle = {slow}, time_to_target = {time} }}\n", vehicle());
        let (id, Body { position, velocity }) = setup.placed(&lines, at, times(forward, 3.0));
        let turn = expected(unit(velocity), unit(minus(target, position)), slow.to_radians(), time);
        let wanted = if captured { ZERO } else { turn };
        (id, [("captured", f64::from(captured)), ("tau", time)], wanted, 1e-4 * norm(turn))
    })
}

/// Agents at rest that align with an agent that never turns.
fn align_comes_to_rest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 128.0;
    bench.watches(Setup::open(spatial, dt), [20, 60, 160], 0..14, |setup, index| {
        let (slow, time, start) = (draw.between(20.0, 170.0), draw.scale(0.05, 0.5), draw.between(20.0, 150.0));
        let (at, heading) = (draw.point(spatial, 20.0), draw.heading(spatial));
        let end = draw.turned(spatial, heading, start);
        let rule = format!("target = {{ agent = {} }}, slow_angle = {slow}, time_to_target = {time}", 2 * index + 1);
        let id = setup.agent(&format!("{}spawn.speed = 0\nbehaviors.align = {{ {rule} }}\n", vehicle()), at, ZERO);
        setup.face(id, heading, axis_of(draw, spatial, heading), ZERO);
        let other = setup.agent(&format!("{}spawn.speed = 0\n", vehicle()), draw.point(spatial, 20.0), ZERO);
        setup.face(other, end, axis_of(draw, spatial, end), ZERO);
        let [slow, start] = [slow, start].map(f64::to_radians);
        move |seen| {
            let (mut left, mut spin) = (start, 0.0);
            for (moment, steps) in seen.iter().zip([20, 40, 100]) {
                for _ in 0..steps {
                    spin += (SPEED.to_radians() * (left / slow).clamp(-1.0, 1.0) - spin) / time * dt;
                    left -= spin * dt;
                }
                let parameters = [("φ", start), ("φ_slow", slow), ("τ", time)];
                bench.check(Case::absolute(&parameters, left.abs(), angle(moment.poses[id].forward, end), 2e-4));
            }
        }
    })
}

/// Agents at rest that match the angular velocity of an agent that turns steadily.
fn angular_velocity_approaches(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.watches(Setup::open(spatial, DT), [8, 32, 96], 0..14, |setup, index| {
        let (time, turn) = (draw.scale(0.1, 2.0), draw.between(0.2, 2.0));
        let rule = format!("target = {{ agent = {} }}, time_to_target = {time}", 2 * index + 1);
        let matching = format!("behaviors.angular_velocity_matching = {{ {rule} }}\n");
        let id = setup.agent(&format!("{}spawn.speed = 0\n{matching}", vehicle()), draw.point(spatial, 20.0), ZERO);
        let other = setup.agent(&format!("{}spawn.speed = 0\n", vehicle()), draw.point(spatial, 20.0), ZERO);
        let heading = draw.heading(spatial);
        let axis = axis_of(draw, spatial, heading);
        setup.face(other, heading, axis, times(axis, turn));
        move |seen| {
            for (moment, steps) in seen.iter().zip([8, 32, 96]) {
                let reached = turn * (1.0 - (1.0 - DT / time).powi(steps));
                let parameters = [("ω", turn), ("τ", time), ("n", f64::from(steps))];
                bench.check(Case::vector_within(&parameters, times(axis, reached), moment.poses[id].spin, 2e-5 * turn));
            }
        }
    })
}

/// A vehicle whose angular acceleration is limited, rad/s², in one of three ways: by acceleration, by torque, or by both.
fn limited(kind: usize, most: f64, inertia: f64) -> String {
    let given = |times: f64| format!("max_angular_acceleration = {}", (times * most).to_degrees());
    let body = format!("moment_of_inertia = {inertia}, max_torque = {}", inertia * most);
    let limit = match kind % 3 {
        0 => given(1.0),
        1 => body,
        _ => format!("{}, {body}", given(1.5)),
    };
    format!("max_speed = 10\nvehicle = {{ facing = \"independent\", max_angular_speed = {SPEED}, {limit} }}\n")
}

/// A drawn agent at rest that is to turn by `angle`, rad.
struct ToTurn {
    most: f64,
    slow: f64,
    time: f64,
    angle: f64,
}

/// Add an agent at rest that turns by `align`, to the heading of an agent at rest, or by `face`, to a point far away. Returns its id and
/// the heading to which it is to turn.
fn add_turner(draw: &mut Draw, setup: &mut Setup, spatial: bool, kind: usize, turn: &ToTurn) -> (usize, V) {
    let (at, heading, inertia) = (draw.point(spatial, 20.0), draw.heading(spatial), draw.scale(0.2, 5.0));
    let end = draw.turned(spatial, heading, turn.angle.to_degrees());
    let far = rounded(plus(at, times(end, 100.0)));
    let aligns = kind.is_multiple_of(2);
    let next = setup.state().positions.len() + 1;
    let (behavior, target) =
        if aligns { ("align", format!("target = {{ agent = {next} }}")) } else { ("face", to(spatial, far)) };
    let rule = format!("{target}, slow_angle = {}, time_to_target = {}", turn.slow.to_degrees(), turn.time);
    // Each kind of limit with each behavior.
    let own = limited(kind / 2, turn.most, inertia);
    let id = setup.agent(&format!("{own}behaviors.{behavior} = {{ {rule} }}\n"), at, ZERO);
    setup.face(id, heading, axis_of(draw, spatial, heading), ZERO);
    if aligns {
        let other = setup.agent(&vehicle(), draw.point(spatial, 20.0), ZERO);
        setup.face(other, end, axis_of(draw, spatial, end), ZERO);
    }
    (id, end)
}

fn turning_limited_starts(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, fastest) = (1.0 / 128.0, SPEED.to_radians());
    bench.watches(Setup::open(spatial, dt), 0..=100, 0..18, |setup, kind| {
        let (most, time) = (draw.scale(0.5, 8.0), draw.between(0.02, 0.1));
        let [slow, end] = [draw.between(20.0, 60.0), draw.between(100.0, 170.0)].map(f64::to_radians);
        // The steps in which more is asked for than the limit allows, and those until the slow angle is reached.
        let speeding = (fastest - most * time) / (most * dt);
        let turning = (2.0 * (end - slow) / most).sqrt() / dt - 1.0;
        let steps = (speeding.min(turning).min(100.0) * draw.between(0.3, 1.0)) as usize;
        let (id, _) = add_turner(draw, setup, spatial, kind, &ToTurn { most, slow, time, angle: end });
        move |seen| {
            let t = steps as f64 * dt;
            let [before, after] = [0, steps].map(|step| seen[step].poses[id].forward);
            let (expected, parameters) = (0.5 * most * t * (t + dt), [("α", most), ("t", t), ("φ", end)]);
            if steps > 0 {
                bench.check(Case::absolute(&parameters, expected, angle(before, after), 2e-5));
            }
        }
    })
}

fn turning_limited_comes_to_rest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const STEPS: u32 = 12;
    let (dt, fastest) = (1.0 / 128.0, SPEED.to_radians());
    bench.watches(Setup::open(spatial, dt), (0..=40).map(|round| round * STEPS), 0..18, |setup, kind| {
        let (most, time) = (draw.between(1.2, 8.0), draw.between(0.03, 0.2));
        let start = draw.between(60.0, 140.0).to_radians();
        let least = (fastest * fastest / (2.0 * most) + fastest * (time + dt)).max(4.0 * fastest * time);
        // Half of them have a slow angle that is too small.
        let calm = kind % 4 < 2;
        let share = if calm { draw.between(1.02, 1.2) } else { draw.between(0.3, 0.6) };
        let slow = f64::from((least * share).to_degrees().min(179.0) as f32).to_radians();
        let (id, end) = add_turner(draw, setup, spatial, kind, &ToTurn { most, slow, time, angle: start });
        move |seen| {
            let parameters = [("α", most), ("φ_slow", slow), ("τ", time), ("φ", start)];
            let (mut left, mut spin, mut farthest) = (start, 0.0, 0f64);
            for round in 1..=40 {
                for _ in 0..STEPS {
                    let asked = (fastest * (left / slow).clamp(-1.0, 1.0) - spin) / time;
                    spin += asked.clamp(-most, most) * dt;
                    left -= spin * dt;
                }
                let [before, ahead] = [0, round].map(|round: usize| seen[round].poses[id].forward);
                farthest = farthest.max(angle(before, ahead));
                if round % 10 == 0 {
                    bench.check(Case::absolute(&parameters, left.abs(), angle(ahead, end), 2e-4));
                }
            }
            if calm {
                bench.check(Case::at_most(&parameters, start, farthest, 2e-4));
            }
        }
    })
}
