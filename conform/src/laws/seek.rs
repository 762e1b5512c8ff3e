//! Seek and flee: at full speed to the target and through it, or away from it.

use crate::*;

laws! {
    seek_steering in both: "A = w (v_max d/|d| - v)/τ with d = target - p; with speed = current, |v| in place of v_max",
        source: "Reynolds 1999, Seek, with the sign of his text; his formula has position - target, which is flee",
        mutant: seek_steer("var direction = along(goal.offset);" => "var direction = -along(goal.offset);"),
        mistake: "position minus target";
    seek_flies_through in both:
        "in straight flight the target is D - v t away, reached at D/v, and passed at full speed",
        source: "Reynolds 1999, Seek: it will pass through the target and turn back; OpenSteer's, which is form = offset, slows down",
        mutant: seek_steer("seek.form, direction, goal.distance" => "FORM_OFFSET, direction, goal.distance"),
        mistake: "the desired velocity is the raw offset, which acts like arrive";
    seek_goal_change in both:
        "after a change of goal the velocity goes straight to the new one by a dt in each step: a curve, not a corner",
        source: "the lecture on variable matching: a high velocity and a low acceleration make curved paths",
        mutant: seek_steer("goal.distance, speed)" => "goal.distance, 0.5 * speed)"),
        mistake: "half of the speed is desired";
    seek_and_flee in both: "seek and flee of the same target add up to -2v/τ",
        source: "the desired velocities are opposite: Reynolds 1999, Flee",
        mutant: flee_direction("return -toward;" => "return toward;"),
        mistake: "flee seeks";
    seek_capture: "within the capture radius A = 0, and farther away A is not 0",
        source: "Millington, Kinematic Arrive: radius of satisfaction",
        mutant: seek_steer("goal.distance <" => "goal.distance * goal.distance <"),
        mistake: "a squared distance is compared with a radius";
    seek_orbit:
        "full acceleration toward the target circles it: from a tangential start at r = v²/a, r is kept within 2 %",
        source: "centripetal acceleration; true of form = acceleration only",
        mutant: steer_along("if (form == FORM_ACCELERATION) {" => "if (form > FORM_ACCELERATION) {"),
        mistake: "the form makes no difference";
    seek_reaches: "the velocity form leads to targets inside the circle v²/a: within 0.006 r in 25 r/v",
        source: "the lateral velocity is nulled; where full acceleration never comes near",
        mutant: steer_along("if (form == FORM_ACCELERATION) {" => "if (form != FORM_ACCELERATION) {"),
        mistake: "the forms are swapped";
    seek_around: "a target inside the turning circle is left on a straight line, until s = x + √(2yr - y²)",
        source: "a circle of radius r = v²/a tangent to the heading: (x - s)² + (y - r)² = r²",
        mutant: seek_inside_turn("< 2.0 * aside * agent.speed * agent.speed" => "< aside * agent.speed * agent.speed"),
        mistake: "the circle has half its radius";
    flee_steering in both: "A = w (-v_max d/|d| - v)/τ within the panic distance, and 0 beyond",
        source: "Reynolds 1999, Seek and Flee",
        mutant: flee_steer("if (!goal.exists || goal.distance > flee.panic_distance) {" => "if (!goal.exists) {"),
        mistake: "panic at any distance";
    flee_radial_speed in both: "after τ no agent comes nearer any more: the radial speed is at least 0",
        source: "e^(-t/τ) v + (1 - e^(-t/τ)) v_max >= 0 from t = τ ln 2 on, for an approach at v <= v_max",
        mutant: flee_steer("goal.distance, agent.max_speed)" => "goal.distance, agent.max_speed) * 0.2"),
        mistake: "the steering is too weak";
    flee_coincident in both: "an agent at its target flees all the same: |A τ + v| = v_max, in a direction of its own",
        source: "no published rule: the direction of no offset is undefined",
        mutant: flee_direction("return direction(agent.id, 0u, STREAM_FLEE);" => "return vec3f(0.0);"),
        mistake: "the unit vector of a zero offset is zero";
    flee_acceleration in both:
        "in the form acceleration A = w a_max (p - target)/|p - target|, whatever the velocity and τ",
        source: "Millington, Flee: seek with the points swapped",
        mutant: steer_along("return direction * agent.max_acceleration;" => "return direction * agent.max_speed;"),
        mistake: "a speed for an acceleration";
    seek_offset in both:
        "in the form offset A = w (d/1 s - v)/τ with d = target - p, of flee with -d; at the target V = 0",
        source: "OpenSteer, steerForSeek and steerForFlee: desired velocity = target - position, not normalized",
        mutant: steer_along("select(speed, distance, form == FORM_OFFSET)" => "speed"),
        mistake: "full speed, however near the target is";
}

/// One agent of a case, with the numbers that were drawn for it.
struct Drawn {
    weight: f64,
    tau: f64,
    max_speed: f64,
    target: V,
}

impl Drawn {
    fn new(draw: &mut Draw, spatial: bool) -> Drawn {
        let (weight, tau) = (draw.between(-3.0, 3.0), draw.scale(0.05, 2.0));
        Drawn { weight, tau, max_speed: draw.between(10.0, 30.0), target: draw.point(spatial, 50.0) }
    }

    fn lines(&self, behaviors: &str) -> String {
        format!("time_constant = {}\nmax_speed = {}\n{behaviors}", self.tau, self.max_speed)
    }

    /// What is expected of an agent: A = w (V - v)/τ.
    fn expectation(&self, id: usize, desired: V, velocity: V) -> Expectation<3> {
        let expected = times(minus(desired, velocity), self.weight / self.tau);
        let bound = 2e-6 * self.weight.abs() * (norm(desired) + norm(velocity)) / self.tau;
        (id, [("w", self.weight), ("τ", self.tau), ("|V|", norm(desired))], expected, bound)
    }
}

fn seek_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01), 0..16, |setup, index| {
        let case = Drawn::new(draw, spatial);
        let (target, speed) = (point(spatial, case.target), ["max", "current"][index % 2]);
        let rule = format!("target = {{ point = {target} }}, weight = {}, speed = \"{speed}\"", case.weight);
        let lines = case.lines(&format!("behaviors.seek = {{ {rule}, approach = \"direct\" }}"));
        setup.agent(&lines, draw.point(spatial, 50.0), draw.point(spatial, 5.0));
        let Body { position, velocity } = setup.body(index);
        let speed = if index % 2 == 0 { case.max_speed } else { norm(velocity) };
        case.expectation(index, times(unit(minus(case.target, position)), speed), velocity)
    })
}

fn seek_flies_through(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(Setup::open(spatial, DT), 80, 0..12, |setup, id| {
        let (target, speed) = (draw.point(spatial, 20.0), draw.between(8.0, 16.0));
        // No whole number of steps: at the target itself rounding would decide the direction.
        let steps = f64::from(draw.whole(24, 60)) + draw.between(0.3, 0.7);
        let (heading, distance) = (draw.heading(spatial), steps * speed * DT);
        let lines = format!("max_speed = {speed}\ntime_constant = 0.2\nbehaviors.seek = {{ {} }}", to(spatial, target));
        setup.agent(&lines, minus(target, times(heading, distance)), times(heading, speed));
        move |path| {
            let parameters = [("v", speed), ("D", distance)];
            // The last of these steps is the first one beyond the target.
            let last = (distance / (speed * DT)).ceil();
            for step in [(last / 2.0).floor(), last] {
                let body = path[step as usize][id];
                let expected = (distance - speed * DT * step).abs();
                bench.check(Case::absolute(&parameters, expected, norm(minus(body.position, target)), 2e-4));
                bench.check(Case::relative(&parameters, speed, norm(body.velocity), 1e-4));
            }
        }
    })
}

fn seek_goal_change(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(Setup::open(spatial, DT), 160, 0..14, |setup, _| {
        let (speed, force) = (draw.between(8.0, 16.0), draw.between(15.0, 60.0));
        let heading = draw.heading(spatial);
        let angle = draw.between(40.0, 170.0);
        // So far away that its direction stays.
        let goal = times(draw.turned(spatial, heading, angle), 1e6);
        let lines = limits(speed, force, 0.0) + &format!("behaviors.seek = {{ {} }}", to(spatial, rounded(goal)));
        let id = setup.agent(&lines, ZERO, times(heading, speed));
        let desired = times(unit(rounded(goal)), speed);
        let start = setup.body(id).velocity;
        move |path| {
            let change = minus(desired, start);
            let steps = norm(change) / (force * DT);
            let parameters = [("a", force), ("|Δv|", norm(change)), ("steps", steps)];
            for step in [(steps / 2.0).floor(), steps.ceil()] {
                let expected = plus(start, times(change, (step / steps).min(1.0)));
                bench.check(Case::vector_within(&parameters, expected, path[step as usize][id].velocity, 5e-4));
            }
        }
    })
}

fn seek_and_flee(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01), 0..16, |setup, id| {
        let case = Drawn::new(draw, spatial);
        let rule = format!("{{ {} }}", to(spatial, case.target));
        let lines = case.lines(&format!("behaviors.seek = {rule}\nbehaviors.flee = {rule}"));
        setup.agent(&lines, draw.point(spatial, 50.0), draw.point(spatial, 8.0));
        let Drawn { tau, max_speed, .. } = case;
        let expected = times(setup.body(id).velocity, -2.0 / tau);
        (id, [("τ", tau), ("v_max", max_speed)], expected, 1e-6 * max_speed / tau)
    })
}

fn seek_capture(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.steers(Setup::open(false, 0.01), 0..24, |setup, index| {
        let (radius, target) = (draw.scale(0.2, 8.0), draw.point(false, 20.0));
        let inside = index % 2 == 0;
        let share = if inside { draw.between(0.85, 0.98) } else { draw.between(1.02, 1.2) };
        let position = plus(target, times(draw.heading(false), radius * share));
        let rule = format!("{}, capture_radius = {radius}", to(false, target));
        setup.agent(&format!("behaviors.seek = {{ {rule} }}"), position, draw.point(false, 8.0));
        move |found| bench.check(Case::holds(&[("ε", radius), ("d/ε", share)], share > 1.0, norm(found[index]) > 0.0))
    })
}

/// An agent that flies at full speed, with a target somewhere in the circle that it would turn in, or at its center.
/// Returns speed, radius and target.
fn turning(draw: &mut Draw, setup: &mut Setup, index: usize, center: bool, rule: &str) -> (f64, f64, V) {
    // At any scale r/v is at least a quarter of a second, so that steps are small parts of it.
    let (speed, time) = (draw.scale(1.0, 12.0), draw.between(0.25, 0.3));
    let radius = speed * time;
    let (start, heading) = (rounded(lane(index, 16.0)), draw.heading(false));
    let left = times([-heading[1], heading[0], 0.0], if index.is_multiple_of(2) { 1.0 } else { -1.0 });
    let within = loop {
        let point = draw.point(false, 0.95);
        if norm(point) < 0.95 {
            break if center { ZERO } else { times(point, radius) };
        }
    };
    let target = rounded(plus(plus(start, times(left, radius)), within));
    let rule = format!("behaviors.seek = {{ {}, {rule} }}", to(false, target));
    setup.agent(&(limits(speed, speed * speed / radius, 0.0) + &rule), start, times(heading, speed));
    (speed, radius, target)
}

fn seek_orbit(bench: &Bench, draw: &mut Draw) -> Tried {
    // Steps of 1/60 and 1/240 of r/v. The larger the step, the more of the circle it cuts off.
    for (dt, least) in [(1.0 / 240.0, 0.98), (1.0 / 960.0, 0.995)] {
        bench.flies(Setup::open(false, dt), 1600, 0..12, |setup, id| {
            let (speed, radius, target) = turning(draw, setup, id, true, "form = \"acceleration\"");
            move |path| {
                for bodies in path.iter().skip(400).step_by(400) {
                    let found = norm(minus(bodies[id].position, target)) / radius;
                    let parameters = [("v", speed), ("r", radius), ("dt", dt)];
                    bench.check(Case::at_least(&parameters, least, found, 0.0));
                    bench.check(Case::at_most(&parameters, 1.0, found, 1e-4));
                }
            }
        })?;
    }
    Ok(())
}

fn seek_reaches(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.flies(Setup::open(false, 1.0 / 240.0), 1800, 0..24, |setup, id| {
        let (speed, radius, target) = turning(draw, setup, id, false, "form = \"velocity\"");
        move |path| {
            let (_, found) = shortest(path, |bodies| minus(bodies[id].position, target));
            bench.check(Case::at_most(&[("v", speed), ("r", radius)], 0.006 * radius, found, 0.0));
        }
    })
}

fn seek_around(bench: &Bench, draw: &mut Draw) -> Tried {
    let dt = 1.0 / 240.0;
    bench.flies(Setup::open(false, dt), 1800, 0..24, |setup, id| {
        let (speed, radius, target) = turning(draw, setup, id, false, "approach = \"around\"");
        move |path| {
            let Body { position, velocity } = path[0][id];
            let (offset, heading) = (minus(target, position), unit(velocity));
            let (ahead, aside) = (dot(offset, heading), norm(across(offset, heading)));
            let straight = ahead + (2.0 * aside * radius - aside * aside).sqrt();
            let turned = path.iter().position(|bodies| norm(minus(bodies[id].velocity, velocity)) > 1e-3 * speed);
            let way = turned.map_or(f64::INFINITY, |step| step as f64 * speed * dt);
            let parameters = [("r", radius), ("x", ahead), ("y", aside)];
            bench.check(Case::absolute(&parameters, straight, way, 3.0 * speed * dt));
            let (_, found) = shortest(path, |bodies| minus(bodies[id].position, target));
            bench.check(Case::at_most(&parameters, 0.006 * radius, found, 0.0));
        }
    })
}

fn flee_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01), 0..16, |setup, index| {
        let case = Drawn::new(draw, spatial);
        let panic = draw.between(10.0, 30.0);
        let distance = panic * if index % 2 == 0 { 0.9 } else { 1.1 };
        let position = plus(case.target, times(draw.heading(spatial), distance));
        let target = point(spatial, case.target);
        let rule = format!("target = {{ point = {target} }}, weight = {}, panic_distance = {panic}", case.weight);
        let lines = case.lines(&format!("behaviors.flee = {{ {rule} }}"));
        setup.agent(&lines, position, draw.point(spatial, 5.0));
        let Body { position, velocity } = setup.body(index);
        let away = times(unit(minus(position, case.target)), case.max_speed);
        case.expectation(index, if index % 2 == 0 { away } else { velocity }, velocity)
    })
}

fn flee_radial_speed(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(Setup::open(spatial, 1.0 / 64.0), 64, 0..12, |setup, index| {
        let (tau, speed) = (draw.between(0.1, 0.5), draw.between(5.0, 15.0));
        let (target, heading) = (rounded(lane(index, 40.0)), draw.heading(spatial));
        let position = minus(target, times(heading, draw.between(8.0, 12.0)));
        let rule = format!("behaviors.flee = {{ {} }}", to(spatial, target));
        let lines = limits(speed, 1e6, tau) + &rule;
        setup.agent(&lines, position, times(heading, speed * draw.between(0.5, 1.0)));
        move |path| {
            let radial = |bodies: &Vec<Body>| dot(bodies[index].velocity, unit(minus(bodies[index].position, target)));
            let after = path.iter().skip((tau / DT).ceil() as usize + 1);
            let least = after.map(radial).least();
            bench.check(Case::at_least(&[("τ", tau), ("v_max", speed)], 0.0, least, 1e-5 * speed));
        }
    })
}

fn flee_coincident(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (speed, tau) = (draw.between(5.0, 20.0), draw.between(0.1, 1.0));
    let body = Body::at(draw.point(spatial, 20.0)).moving(draw.point(spatial, 3.0));
    let rule = format!("behaviors.flee = {{ {} }}", to(spatial, body.position));
    let lines = format!("max_speed = {speed}\ntime_constant = {tau}\n{rule}");
    let found = bench.steering(&Setup::open(spatial, 0.01).with(&lines, &[body; 12]))?.accelerations;
    let wanted: Vec<V> = found.iter().map(|a| plus(times(*a, tau), body.velocity)).collect();
    for (id, desired) in wanted.iter().enumerate() {
        let parameters = [("agent", id as f64), ("v_max", speed), ("τ", tau)];
        bench.check(Case::relative(&parameters, speed, norm(*desired), 1e-5));
        let alike = wanted[..id].iter().any(|other| norm(minus(*other, *desired)) < 1e-6 * speed);
        bench.check(Case::holds(&parameters, false, alike));
    }
    Ok(())
}

fn flee_acceleration(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01), 0..16, |setup, id| {
        let (mass, force, weight) = (draw.scale(0.2, 5.0), draw.between(20.0, 200.0), draw.scale(0.2, 5.0));
        let target = rounded(draw.point(spatial, 30.0));
        let position = plus(target, times(draw.heading(spatial), draw.between(1.0, 20.0)));
        let rule = format!("{}, weight = {weight}, form = \"acceleration\"", to(spatial, target));
        let lines = format!(
            "mass = {mass}\nmax_force = {force}\ntime_constant = {}\nbehaviors.flee = {{ {rule} }}",
            draw.scale(0.1, 2.0)
        );
        setup.agent(&lines, position, draw.point(spatial, 5.0));
        let most = weight * force / mass;
        let away = unit(minus(setup.body(id).position, target));
        move |found| bench.check(Case::vector(&[("w a", most)], times(away, most), found[id], 1e-5))
    })
}

fn seek_offset(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01), 0..16, |setup, index| {
        let case = Drawn::new(draw, spatial);
        let (behavior, sign) = [("seek", 1.0), ("flee", -1.0)][index % 2];
        let target = point(spatial, case.target);
        let rule = format!("target = {{ point = {target} }}, weight = {}, form = \"offset\"", case.weight);
        let start = if index < 2 { case.target } else { draw.point(spatial, 50.0) };
        let lines = case.lines(&format!("behaviors.{behavior} = {{ {rule} }}"));
        let (id, Body { position, velocity }) = setup.placed(&lines, start, draw.point(spatial, 5.0));
        case.expectation(id, times(minus(rounded(case.target), position), sign), velocity)
    })
}
