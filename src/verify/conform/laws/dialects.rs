//! Dialects: a scene that does not say how agents move gets the motion of the published program.

use crate::verify::conform::flight::{flight, point, rounded};
use crate::verify::conform::*;

pub const LAWS: &[Law] = &[
    Law {
        name: "dialect_gain",
        statement: "of the difference to the desired velocity a step makes up: all, or dt over 0.1, 0.25 or 1 s, smoothed or not",
        source: "Reynolds 1999 and Shiffman: per frame; Millington: time to target 0.1 s; OpenSteer: mass 1, smoothed by 0.15",
        mutant: Mutant {
            function: "steer_to",
            from: "(desired - agent.velocity) / agent.time_constant",
            to: "desired - agent.velocity",
            mistake: "the velocity difference is taken for a force, whatever the time constant",
        },
        cases: gain,
    },
    Law {
        name: "dialect_nature_of_code",
        statement: "in px and frames: steer = limit(desired - v), v += steer, limited, p += v; seek, and arrive within 100 px",
        source: "Shiffman, The Nature of Code, Vehicle; v[u/s] = v[px/frame] 60, a[u/s²] = a[px/frame²] 60²",
        mutant: Mutant {
            function: "integrate",
            from: "var moved = before + after * world.dt;",
            to: "var moved = before + (moving + after) * (0.5 * world.dt);",
            mistake: "the position moves with the mean velocity",
        },
        cases: nature_of_code,
    },
    Law {
        name: "dialect_millington",
        statement: "p += v dt, v += a dt toward the target, clipped: it is circled at r = v²/a within 2 %, never reached",
        source: "Millington, Seek and the update of Kinematic; centripetal acceleration",
        mutant: Mutant {
            function: "integrate",
            from: "before + moving * world.dt, species",
            to: "before + after * world.dt, species",
            mistake: "the position moves with the new velocity",
        },
        cases: millington,
    },
    Law {
        name: "dialect_opensteer",
        statement: "arrive overshoots by the swing of 0.1 a' + a = -x' - v x/R, a = x'': not from R = 5 v s on",
        source: "OpenSteer: force = desired - v, mass 1, smoothed; without smoothing the bound is R = 4 v s",
        mutant: Mutant {
            function: "smoothed",
            from: "let share = species[own].smoothing;",
            to: "let share = 1.0;",
            mistake: "the steering is not smoothed",
        },
        cases: opensteer,
    },
];

fn gain(bench: &mut Bench) -> Cases {
    let (dt, mut cases) = (1.0 / 60.0, Vec::new());
    let shares = [
        ("canonical", dt / 0.25),
        ("reynolds99", 1.0),
        ("opensteer", dt * (1.0 - (-dt / 0.1_f64).exp())),
        ("nature_of_code", 1.0),
        ("millington", dt / 0.1),
    ];
    for (dialect, share) in shares {
        let world = "world = { size = [400, 400], boundary = \"open\" }";
        let head = format!("dt = {dt}\ndialect = {dialect:?}\n{world}\nfield = {{ source = \"uniform\", speed = 5 }}");
        let mut setup = Setup::new(head);
        let lines = "max_speed = 100\nmax_force = 1e6\nbehaviors.flow_field = { weight = 1.0 }";
        let body = |_| Body { position: bench.draw.point(false, 100.0), velocity: bench.draw.point(false, 20.0) };
        let bodies: Vec<Body> = (0..5).map(body).collect();
        setup.species(lines, &bodies);
        for (id, after) in bench.after(&setup, 1)?.into_iter().enumerate() {
            let before = setup.body(id).velocity;
            let difference = minus([5.0, 0.0, 0.0], before);
            let expected = plus(before, times(difference, share));
            let parameters = [("share", share), ("difference", norm(difference))];
            cases.push(Case::vector_within(&parameters, expected, after.velocity, 1e-6 * norm(difference) + 1e-5));
        }
    }
    Ok(cases)
}

fn nature_of_code(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for arrives in [false, true] {
        let world = "world = { size = [640, 360], boundary = \"open\" }";
        let mut setup = Setup::new(format!("dt = {}\ndialect = \"nature_of_code\"\n{world}", 1.0 / 60.0));
        let mut drawn = Vec::new();
        for index in 0..16 {
            let draw = &mut bench.draw;
            // The book's own limits for half of them, px/frame and px/frame².
            let (speed, force) =
                if index % 2 == 0 { (3.0, 0.05) } else { (draw.between(2.0, 6.0), draw.between(0.1, 0.5)) };
            let target = rounded(draw.point(false, 150.0));
            let limits = match index % 2 {
                0 => String::new(),
                _ => format!("max_speed = {}\nmax_force = {}\n", speed * 60.0, force * 3600.0),
            };
            let behavior = if arrives { "arrive" } else { "seek" };
            let rule = format!("behaviors.{behavior} = {{ target = {{ point = {} }} }}", point(false, target));
            // Far enough that the target is not passed, where the least difference grows.
            let start = plus(target, times(draw.heading(false), draw.between(300.0, 400.0)));
            let velocity = times(draw.heading(false), 60.0 * speed * draw.between(0.0, 1.0));
            setup.agent(&format!("{limits}{rule}"), start, velocity);
            drawn.push((speed, force, target));
        }
        let frames = if arrives { 300 } else { 40 };
        let after = bench.after(&setup, frames)?;
        for (id, (speed, force, target)) in drawn.into_iter().enumerate() {
            let Body { mut position, velocity } = setup.body(id);
            let mut velocity = times(velocity, 1.0 / 60.0);
            for _ in 0..frames {
                let desired = minus(target, position);
                let distance = norm(desired);
                let share = if arrives && distance < 100.0 { distance / 100.0 } else { 1.0 };
                let steer = clipped(minus(times(unit(desired), speed * share), velocity), force);
                velocity = clipped(plus(velocity, steer), speed);
                position = plus(position, velocity);
            }
            let parameters = [("px/frame", speed), ("px/frame²", force)];
            cases.push(Case::vector_within(&parameters, position, after[id].position, 5e-3));
            cases.push(Case::vector_within(&parameters, times(velocity, 60.0), after[id].velocity, 5e-3));
        }
    }
    Ok(cases)
}

fn millington(bench: &mut Bench) -> Cases {
    let (mut cases, dt, steps) = (Vec::new(), 1.0 / 240.0, 2400);
    for spatial in [false, true] {
        let size = if spatial { "[400, 400, 400]" } else { "[400, 400]" };
        let world = format!("world = {{ size = {size}, boundary = \"open\" }}");
        let mut setup = Setup::new(format!("dt = {dt}\ndialect = \"millington\"\n{world}"));
        let mut drawn = Vec::new();
        for _ in 0..16 {
            let draw = &mut bench.draw;
            let (speed, radius) = (draw.between(4.0, 8.0), draw.between(4.0, 12.0));
            let most = f64::from((speed * speed / radius) as f32);
            let (target, away) = (rounded(draw.point(spatial, 50.0)), draw.heading(spatial));
            let rule = format!("behaviors.seek = {{ target = {{ point = {} }} }}", point(spatial, target));
            let velocity = times(draw.turned(spatial, away, 90.0), speed);
            let lines = format!("max_speed = {speed}\nmax_force = {most}\n{rule}");
            setup.agent(&lines, plus(target, times(away, radius)), velocity);
            drawn.push((speed, most, radius, target));
        }
        let path = flight(bench, &setup, steps)?;
        for (id, (speed, most, radius, target)) in drawn.into_iter().enumerate() {
            let Body { mut position, mut velocity } = setup.body(id);
            for _ in 0..steps {
                let pull = times(unit(minus(target, position)), most);
                position = plus(position, times(velocity, dt));
                velocity = clipped(plus(velocity, times(pull, dt)), speed);
            }
            let parameters = [("v", speed), ("r", radius)];
            let offset = |bodies: &[Body]| minus(bodies[id].position, target);
            let found = offset(&path[path.len() - 1]);
            cases.push(Case::vector_within(&parameters, minus(position, target), found, 5e-3));
            let farthest = |far: f64, bodies: &Vec<Body>| far.max((norm(offset(bodies)) / radius - 1.0).abs());
            cases.push(Case::at_most(&parameters, 0.02, path.iter().fold(0.0, farthest), 0.0));
        }
    }
    Ok(cases)
}

fn opensteer(bench: &mut Bench) -> Cases {
    let (mut cases, dt) = (Vec::new(), 1.0 / 256.0);
    let world = "world = { size = [400, 400], boundary = \"open\" }";
    let mut setup = Setup::new(format!("dt = {dt}\ndialect = \"opensteer\"\n{world}"));
    let mut drawn = Vec::new();
    for index in 0..24 {
        let draw = &mut bench.draw;
        // From a slow radius at which it swings widely to one at which it does not.
        let speed = draw.between(2.0, 6.0);
        let share = if index % 3 == 2 { draw.between(5.0, 8.0) } else { draw.between(0.5, 3.0) };
        let radius = f64::from((share * speed) as f32);
        let (target, heading) = (rounded(draw.point(false, 20.0)), draw.heading(false));
        let place = point(false, target);
        let rule = format!("behaviors.arrive = {{ target = {{ point = {place} }}, slow_radius = {radius} }}");
        let start = minus(target, times(heading, radius));
        setup.agent(&format!("max_speed = {speed}\n{rule}"), start, times(heading, speed));
        drawn.push((speed, radius, target, heading));
    }
    let path = flight(bench, &setup, 2560)?;
    for (id, (speed, radius, target, heading)) in drawn.into_iter().enumerate() {
        // The differential equation, in steps so small that they do not count; x is what is left of the way.
        let (mut x, mut change, mut pull, mut beyond, h) = (radius, -speed, 0.0f64, 0.0f64, 1e-4);
        for _ in 0..100_000 {
            let wanted = -speed * (x / radius).clamp(-1.0, 1.0) - change;
            pull += (wanted - pull) / 0.1 * h;
            change += pull * h;
            x += change * h;
            beyond = beyond.max(-x);
        }
        let way = |bodies: &Vec<Body>| dot(minus(bodies[id].position, target), heading);
        let found = path.iter().map(way).fold(0.0, f64::max);
        let parameters = [("v", speed), ("R", radius)];
        // The program's steps are larger, which shifts a swing by a part of a step.
        cases.push(Case::absolute(&parameters, beyond, found, 0.015 * beyond + 0.1 * speed * dt));
        if radius >= 5.0 * speed {
            cases.push(Case::at_most(&parameters, 0.0, found, 2e-5));
        }
    }
    Ok(cases)
}
