//! Dialects: a scene that does not say how agents move gets the motion of the published program.

use crate::*;

laws! {
    dialect_gain:
        "in a step the velocity makes up a share of its difference to the desired one that depends on the dialect: \
         all, or dt over 0.1, 0.25 or 1 s, smoothed or not",
        source: "Reynolds 1999 and Shiffman: per frame; Millington: time to target 0.1 s; OpenSteer: mass 1, smoothed by 0.15",
        mutant: steer_to("(desired - agent.velocity) / agent.time_constant" => "desired - agent.velocity"),
        mistake: "the velocity difference is taken for a force, whatever the time constant";
    dialect_nature_of_code:
        "in px and frames: steer = limit(desired - v), v += steer, limited, p += v; seek, and arrive within 100 px",
        source: "Shiffman, The Nature of Code, Vehicle; v[u/s] = v[px/frame] 60, a[u/s²] = a[px/frame²] 60²",
        mutant: after_step("before + after * world.dt;" => "before + (moving + after) * (0.5 * world.dt);"),
        mistake: "the position moves with the mean velocity";
    dialect_millington in both:
        "p += v dt, v += a dt toward the target, clipped: the agent circles the target at r = v²/a within 2 %, and \
         never reaches it",
        source: "Millington, Seek and the update of Kinematic; centripetal acceleration",
        mutant: after_step("before + moving * world.dt, species" => "before + after * world.dt, species"),
        mistake: "the position moves with the new velocity";
    dialect_opensteer:
        "arrive overshoots as s a' + a = -x' - v x/R does, a = x'', s = 0.10255 s: not at all for R/v ≥ 3.78 s, but \
         with the defaults, R = 20 at v = 9",
        source: "OpenSteer: force = desired - v, mass 1, smoothed; without smoothing the bound is R = 4 v s",
        mutant: smoothed("let share = species[own].smoothing;" => "let share = 1.0;"),
        mistake: "the steering is not smoothed";
    dialect_reynolds99_rules:
        "cohesion is a unit push to the mean place, a flock the sum of directions by weight; T = D/(v_max + u); a path is sought at the projection of p + T v; a flow at p + T v",
        source: "Reynolds 1999: Cohesion, Pursuit, Path Following, Flow Field Following",
        mutant: flow_field_ahead("agent.position + agent.velocity * flow_field.prediction_time" => "agent.position"),
        mistake: "the flow is read where the agent is";
    dialect_opensteer_flock:
        "12 s + 8 a + 8 c of unit vectors within 5 u, 7.5 u, 9 u and cosines -0.707, 0.7, -0.15, or 1.5 u; a = u(mean forward - forward); of it 0.15 in a frame",
        source: "OpenSteer 0.8, Boids and steerForAlignment, applySteeringForce at 60 Hz",
        mutant: align_headings("headings / f32(count) - direction_of(agent.velocity, agent.forward)" => "headings / f32(count)"),
        mistake: "the own forward is not subtracted";
    dialect_opensteer_limits:
        "the force is 27 at most and the speed 9; V is the way to the quarry's place by the nine cases, or from a \
         menace's place after D/|u|; an agent on its path is not accelerated",
        source: "OpenSteer 0.8, Boids; steerForPursuit and steerForEvasion, by the raw offset; steerToFollowPath",
        mutant: path_following_steer("path_following.min_progress * agent.max_speed" => "0.5 * agent.max_speed"),
        mistake: "a slow agent on its path is accelerated";
    dialect_nature_of_code_flock:
        "in px and frames: 1.5 [3 s - v] + [3 a - v] + [3 c - v], each [] at most 0.05, their sum not limited, s of Σ d/d² within 25, a of Σ v and c of the mean place within 50",
        source: "Shiffman, The Nature of Code, Boid.flock: each steer.limit(maxforce)",
        mutant: alignment_add("select(neighbor.velocity, neighbor.heading, by_heading)" => "neighbor.heading"),
        mistake: "headings are summed, not velocities";
    dialect_nature_of_code_crowd:
        "in px and frames: 2 [3 s - v] + [3 unit(target - p) - v], each [] at most 0.05, their sum not limited, s of Σ d/d² within 25",
        source: "Shiffman, The Nature of Code, Seek and Separate: separateForce.mult(2), seekForce.mult(1), each steer.limit(maxforce)",
        mutant: blend_add("wish = limit(steering, rule.limit);" => "wish = limit(steering * weight, rule.limit) / weight;"),
        mistake: "the limit holds for the weighted force";
    dialect_nature_of_code_ways:
        "a path is sought 10 px beyond the projection of the place 25 px ahead; walls from 25 px on; a flow where the agent is",
        source: "Shiffman, The Nature of Code, PathFollowing, StayWithinWalls, FlowField",
        mutant: path_following_steer("var start = ahead.arc_length;" => "var start = here.arc_length;"),
        mistake: "the target is counted from where the agent is";
    dialect_millington_rules:
        "flee, pursue and evade at full acceleration; prediction is D/|v|, at most 1 s; separation falls as 1/d²",
        source: "Millington, Artificial Intelligence for Games: Flee, Pursue, Evade, Separation (inverse square law)",
        mutant: predicted_way("max(agent.speed, SLOWEST);" => "max(agent.max_speed, SLOWEST);"),
        mistake: "the greatest speed is taken for the own one";
    dialect_opensteer_spring:
        "an agent that seeks or pursues a target at rest moves as x'' = -x - x', past the target by e^(-π/√3) = 16 % \
         of the way, and settles there; one that flees or evades it moves as x'' = x - x'",
        source: "OpenSteer, steerForSeek: force = (target - position) - velocity, mass 1, here without smoothing: a damping ratio of 1/2",
        mutant: steer_along("select(speed, distance, form == FORM_OFFSET)" => "speed"),
        mistake: "full speed, however near the target is";
    dialect_millington_pursuit:
        "pursuit of a target at rest is seek, to the bit, on the circle r = v²/a within 2 %, and evasion of it is flee",
        source: "Millington, Pursue and Evade: delegated to Seek and Flee, with their full acceleration",
        mutant: pursuit_steer("pursuit.form, toward" => "FORM_VELOCITY, toward"),
        mistake: "a pursuer desires full speed, and arrives";
}

fn dialect_gain(bench: &Bench, draw: &mut Draw) -> Tried {
    let dt = 1.0 / 60.0;
    let shares = [
        ("canonical", dt / 0.25),
        ("reynolds99", 1.0),
        ("opensteer", dt * 0.15),
        ("nature_of_code", 1.0),
        ("millington", dt / 0.1),
    ];
    for (dialect, share) in shares {
        let field = "field = { source = \"uniform\", speed = 5 }";
        let setup = Setup::open_with(false, dt, format!("dialect = {dialect:?}\n{field}"));
        bench.ends(setup, 1, VELOCITY, 0..5, |setup, _| {
            let lines = "max_speed = 100\nmax_force = 1e6\nbehaviors.flow_field = { weight = 1.0 }";
            let id = setup.agent(lines, draw.point(false, 100.0), draw.point(false, 20.0));
            let before = setup.body(id).velocity;
            let difference = minus([5.0, 0.0, 0.0], before);
            let parameters = [("share", share), ("difference", norm(difference))];
            (id, parameters, plus(before, times(difference, share)), 1e-6 * norm(difference) + 1e-5)
        })?;
    }
    Ok(())
}

fn dialect_nature_of_code(bench: &Bench, draw: &mut Draw) -> Tried {
    for arrives in [false, true] {
        let frames = if arrives { 300 } else { 40 };
        let setup = Setup::within(false, [640.0, 360.0, 0.0], "open", 1.0 / 60.0, "dialect = \"nature_of_code\"");
        bench.arrives(setup, frames, 0..16, |setup, index| {
            // The book's own limits for half of them, px/frame and px/frame².
            let (speed, force) =
                if index % 2 == 0 { (3.0, 0.05) } else { (draw.between(2.0, 6.0), draw.between(0.1, 0.5)) };
            let target = rounded(draw.point(false, 150.0));
            let limits = match index % 2 {
                0 => String::new(),
                _ => format!("max_speed = {}\nmax_force = {}\n", speed * 60.0, force * 3600.0),
            };
            let rule = match (arrives, index % 2) {
                (true, _) => "arrive = { ".to_owned(),
                (_, 0) => "seek = { ".to_owned(),
                _ => format!("seek = {{ limit = {}, ", force * 3600.0),
            };
            let rule = format!("behaviors.{rule}{} }}", to(false, target));
            // Far enough that the target is not passed: near it the smallest difference grows.
            let start = plus(target, times(draw.heading(false), draw.between(300.0, 400.0)));
            let velocity = times(draw.heading(false), 60.0 * speed * draw.between(0.0, 1.0));
            let (id, Body { mut position, velocity }) = setup.placed(&format!("{limits}{rule}"), start, velocity);
            move |found| {
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
                bench.check(Case::vector_within(&parameters, position, found[id].position, 5e-3));
                bench.check(Case::vector_within(&parameters, times(velocity, 60.0), found[id].velocity, 5e-3));
            }
        })?;
    }
    Ok(())
}

fn dialect_millington(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps) = (1.0 / 240.0, 2400);
    bench.flies(Setup::open_with(spatial, dt, "dialect = \"millington\""), steps, 0..16, |setup, id| {
        let (speed, radius) = (draw.between(4.0, 8.0), draw.between(4.0, 12.0));
        let most = f64::from((speed * speed / radius) as f32);
        let (target, away) = (rounded(draw.point(spatial, 50.0)), draw.heading(spatial));
        let rule = format!("behaviors.seek = {{ {} }}", to(spatial, target));
        let velocity = times(draw.turned(spatial, away, 90.0), speed);
        let lines = format!("max_speed = {speed}\nmax_force = {most}\n{rule}");
        setup.agent(&lines, plus(target, times(away, radius)), velocity);
        let Body { mut position, mut velocity } = setup.body(id);
        move |path| {
            for _ in 0..steps {
                let pull = times(unit(minus(target, position)), most);
                position = plus(position, times(velocity, dt));
                velocity = clipped(plus(velocity, times(pull, dt)), speed);
            }
            let parameters = [("v", speed), ("r", radius)];
            let offset = |bodies: &[Body]| minus(bodies[id].position, target);
            let found = offset(&path[path.len() - 1]);
            bench.check(Case::vector_within(&parameters, minus(position, target), found, 5e-3));
            let farthest = |far: f64, bodies: &Vec<Body>| far.max((norm(offset(bodies)) / radius - 1.0).abs());
            bench.check(Case::at_most(&parameters, 0.02, path.iter().fold(0.0, farthest), 0.0));
        }
    })
}

/// The smoothing time that corresponds to a share of 0.15 in each frame of 1/60 s, s.
const SMOOTHING: f64 = 0.102_552;

/// The least R/v of which all solutions of s λ³ + λ² + λ + v/R = 0 are real, s.
fn aperiodic() -> f64 {
    let turning = (-1.0 + (1.0 - 3.0 * SMOOTHING).sqrt()) / (3.0 * SMOOTHING);
    -1.0 / (turning * (1.0 + turning * (1.0 + turning * SMOOTHING)))
}

fn dialect_opensteer(bench: &Bench, draw: &mut Draw) -> Tried {
    let dt = 1.0 / 256.0;
    bench.flies(Setup::open_with(false, dt, "dialect = \"opensteer\""), 2560, 0..24, |setup, index| {
        // From a slow radius at which the agent oscillates widely to one at which it does not.
        let speed = draw.between(2.0, 6.0);
        let share = if index % 3 == 2 { draw.between(3.8, 6.0) } else { draw.between(0.5, 3.0) };
        let radius = f64::from((share * speed) as f32);
        let (target, heading) = (rounded(draw.point(false, 20.0)), draw.heading(false));
        let place = point(false, target);
        let rule = format!("behaviors.arrive = {{ target = {{ point = {place} }}, slow_radius = {radius} }}");
        let own = (speed, radius, format!("max_speed = {speed}\n{rule}"));
        // And one agent whose scene gives nothing but the target.
        let plain = (9.0, 20.0, format!("behaviors.arrive = {{ target = {{ point = {place} }} }}"));
        let (speed, radius, lines) = if index == 0 { plain } else { own };
        let start = minus(target, times(heading, radius));
        setup.agent(&lines, start, times(heading, speed));
        move |path| {
            // The differential equation, integrated in steps so small that they make no difference. x is the distance that is left.
            let (mut x, mut change, mut pull, mut beyond, h) = (radius, -speed, 0.0f64, 0.0f64, 1e-4);
            for _ in 0..100_000 {
                let wanted = -speed * (x / radius).clamp(-1.0, 1.0) - change;
                pull += (wanted - pull) / SMOOTHING * h;
                change += pull * h;
                x += change * h;
                beyond = beyond.max(-x);
            }
            let way = |bodies: &Vec<Body>| dot(minus(bodies[index].position, target), heading);
            let found = path.iter().map(way).fold(0.0, f64::max);
            let parameters = [("v", speed), ("R", radius)];
            // The simulation's steps are larger, which shifts the oscillation by a part of a step.
            bench.check(Case::absolute(&parameters, beyond, found, 0.015 * beyond + 0.1 * speed * dt));
            if radius >= aperiodic() * speed {
                bench.check(Case::at_most(&parameters, 0.0, found, 2e-5));
            } else if radius == 20.0 {
                bench.check(Case::at_least(&parameters, 0.1, found, 0.0));
            }
        }
    })
}

/// A world without ends that speaks a dialect, at 60 frames per second.
fn speaking(dialect: &str, more: &str) -> Setup {
    let world = "world = { size = [2000, 2000], boundary = \"open\" }";
    Setup::new(format!("dt = {}\ndialect = {dialect:?}\n{world}\n{more}", 1.0 / 60.0))
}

/// A straight path along x, 20 u wide.
const PATH: &str = "[[paths]]\nname = \"way\"\npoints = [[-900, 0], [900, 0]]\nradius = 10\n";
/// A field that circulates, similar to (-0.01 y, 0.01 x).
const FLOW: &str = "field = { source = \"vortex\", speed = 5 }\n";

/// What agents want in the first step. `case` adds one, and returns its id, a rule, a parameter, and its acceleration, u/s².
fn wants<I>(
    bench: &Bench,
    setup: Setup,
    cases: impl IntoIterator<Item = I>,
    mut case: impl FnMut(&mut Setup, I) -> (usize, &'static str, f64, V),
) -> Tried {
    bench.wants(setup, cases, |setup, index| {
        let (id, rule, value, wanted) = case(setup, index);
        (id, [(rule, value)], wanted, 2e-4 * (norm(wanted) + 1.0))
    })
}

fn dialect_reynolds99_rules(bench: &Bench, draw: &mut Draw) -> Tried {
    let (mut setup, mut expected) = (speaking("reynolds99", PATH).apart(), Vec::new());
    let dt = f64::from((1.0 / 60.0) as f32);
    for index in 0..8 {
        let (speed, weight) = (draw.scale(2.0, 50.0), draw.between(0.5, 3.0));
        let at = plus(lane(index, 100.0), [0.0, 200.0, 0.0]);
        let way = times(draw.heading(false), draw.between(2.0, 9.0));
        let velocity = times(draw.heading(false), speed);
        let pair = [at, plus(at, way)].map(|position| Body { position, velocity });
        let lines = format!("max_speed = {speed}\ncombine = \"weighted\"\n{}", all_around("cohesion", weight, 20.0));
        expected.push((setup.species(&lines, &pair).start, "cohesion", weight, times(unit(way), weight)));
        // A flock: each behavior gives its direction times its weight, however strong it is.
        let (away, at) = (times(draw.heading(false), draw.between(2.0, 9.0)), minus(at, [0.0, 400.0, 0.0]));
        let three = [at, plus(at, way), plus(at, away)].map(|position| Body { position, velocity });
        let other = draw.between(0.5, 3.0);
        let lines = format!("max_speed = {speed}\nmax_force = 100\n")
            + &all_around("separation", weight, 20.0)
            + &all_around("cohesion", other, 20.0);
        let from = |offset: V| times(offset, -1.0 / dot(offset, offset));
        let parted = times(course(&[from(way), from(away)]), weight);
        let gathered = times(course(&[way, away]), other);
        expected.push((setup.species(&lines, &three).start, "flock", other, plus(parted, gathered)));
        // Off the path now, and predicted off it or, for every third agent, on it. The velocity points down.
        let (reach, down) = (0.5, times(unit([draw.between(-1.0, 1.0), -1.0, 0.0]), speed));
        let high = if index % 3 == 0 { draw.between(-9.0, 9.0) - reach * down[1] } else { draw.between(60.0, 90.0) };
        // Also at the end of the path, where only the projection onto the path stops.
        let along = if index % 2 == 0 { draw.between(-100.0, 100.0) } else { draw.between(870.0, 910.0) };
        let rule = format!("behaviors.path_following = {{ path = \"way\", prediction_time = {reach} }}");
        let id = setup.agent(&format!("max_speed = {speed}\n{rule}\n"), [along, high, 0.0], down);
        let Body { position, velocity } = setup.body(id);
        let there = plus(position, times(velocity, reach));
        let foot = [f64::min(there[0], 900.0), 0.0, 0.0];
        let desired = minus(times(unit(minus(foot, position)), speed), velocity);
        let off = norm(minus(there, foot));
        expected.push((id, "path", off, if off < 10.0 { ZERO } else { times(desired, 1.0 / dt) }));
    }
    for _ in 0..4 {
        let (speed, place) = (draw.between(5.0, 20.0), rounded([draw.between(300.0, 500.0), -300.0, 0.0]));
        let far = plus(place, times(draw.heading(false), draw.between(20.0, 60.0)));
        let quarry = setup.agent("max_speed = 30", far, times(draw.heading(false), draw.between(2.0, 10.0)));
        let rule = format!("behaviors.pursuit = {{ target = {{ agent = {quarry} }} }}\n");
        let id = setup.agent(&format!("max_speed = {speed}\n{rule}"), place, times(draw.heading(false), 3.0));
        let [own, theirs] = [id, quarry].map(|id| setup.body(id));
        let offset = minus(theirs.position, own.position);
        let time = norm(offset) / (speed + norm(theirs.velocity));
        let desired = times(unit(plus(offset, times(theirs.velocity, time))), speed);
        expected.push((id, "pursuit", time, times(minus(desired, own.velocity), 1.0 / dt)));
    }
    wants(bench, setup, expected, |_, case| case)?;
    // The field half a second ahead, which an agent at rest there shows.
    let lines = format!("{FREE}behaviors.flow_field = {{}}\n");
    bench.steers(speaking("reynolds99", FLOW), 0..10, |setup, _| {
        let (id, Body { position, velocity }) = setup.placed(&lines, draw.point(false, 300.0), draw.point(false, 20.0));
        let ahead = setup.agent(&lines, plus(position, times(velocity, 0.5)), ZERO);
        move |found| {
            let wanted = minus(times(found[ahead], dt), velocity);
            bench.check(Case::vector_within(&[("flow", norm(wanted))], times(wanted, 1.0 / dt), found[id], 0.5));
        }
    })
}

/// The direction of a sum of vectors; zero for an empty list.
fn course(vectors: &[V]) -> V {
    if vectors.is_empty() { ZERO } else { unit(sum(vectors)) }
}

/// Distance within which OpenSteer perceives at any angle: three radii of 0.5 u.
const INNER: f64 = 1.5;

fn dialect_opensteer_flock(bench: &Bench, draw: &mut Draw) -> Tried {
    let lines = "behaviors = { separation = {}, alignment = {}, cohesion = {} }\n";
    let (mut setup, mut wishes) = (speaking("opensteer", "").apart(), Vec::new());
    for index in 0..24 {
        let mut bodies = draw.crowd(24, false, lane(index, 100.0), [5.0, 9.0][index % 2], 8.0);
        // Slow ones count as much as fast ones.
        bodies.iter_mut().for_each(|body| body.velocity = times(body.velocity, draw.between(0.2, 1.0)));
        let (ids, crowd) = setup.flock(lines, &bodies);
        let own = crowd[0];
        let seen = |radius: f64, cosine: f64| {
            let (mut seen, all) = (perceived(&crowd, 0, radius, 2.0 * f64::acos(cosine).to_degrees()), 1..24);
            seen.extend(perceived(&crowd, 0, INNER, 360.0));
            all.filter(|other| seen.contains(other)).collect::<Vec<usize>>()
        };
        // Skip crowds with an agent at the edge of an angle.
        let edge = |other: usize, cosine: f64, radius: f64| {
            let offset = offset(&crowd, other);
            let at = dot(unit(offset), unit(own.velocity));
            norm(offset) < radius * 1.001 && (at - cosine).abs() < 1e-4
        };
        let inner = (1..24).any(|o| (norm(offset(&crowd, o)) - INNER).abs() < 1e-3);
        if inner || (1..24).any(|o| edge(o, -0.707, 5.0) || edge(o, 0.7, 7.5) || edge(o, -0.15, 9.0)) {
            continue;
        }
        let separation: Vec<V> = seen(5.0, -0.707).into_iter().map(|o| away(&crowd, o)).collect();
        let aligned: Vec<V> = seen(7.5, 0.7).into_iter().map(|o| unit(crowd[o].velocity)).collect();
        let gathered: Vec<V> = seen(9.0, -0.15).into_iter().map(|o| offset(&crowd, o)).collect();
        let alignment = if aligned.is_empty() { ZERO } else { unit(minus(mean(&aligned), unit(own.velocity))) };
        let parts = [times(course(&separation), 12.0), times(alignment, 8.0), times(course(&gathered), 8.0)];
        let parameters = vec![("separated", separation.len() as f64), ("aligned", aligned.len() as f64)];
        wishes.push((ids.start, parameters, times(sum(&parts), 0.15)));
    }
    // Pairs with cohesion alone, summed by weight: the acceleration is a unit vector, however far they are apart.
    for index in 24..30 {
        let (at, way) = (lane(index, 100.0), times(draw.heading(false), draw.between(2.0, 8.0)));
        let pair = [at, plus(at, way)].map(|position| Body::at(position).moving(times(unit(way), 4.0)));
        let id = setup.species("combine = \"weighted\"\nbehaviors.cohesion = { weight = 8 }\n", &pair).start;
        wishes.push((id, vec![("d", norm(way))], times(unit(way), 8.0 * 0.15)));
    }
    let found = bench.steering(&setup)?.accelerations;
    let case = |(id, parameters, wish): (usize, Vec<_>, V)| Case::vector_within(&parameters, wish, found[id], 2e-3);
    bench.tried(wishes.into_iter().map(case))
}

fn dialect_opensteer_limits(bench: &Bench, draw: &mut Draw) -> Tried {
    let dt = 1.0 / 60.0;
    let mut setup = speaking("opensteer", PATH);
    for _ in 0..8 {
        let target = rounded(times(draw.heading(false), 900.0));
        let rule = format!("weight = 30, {}", to(false, target));
        setup.agent(&format!("behaviors.seek = {{ {rule} }}\n"), draw.point(false, 50.0), ZERO);
    }
    // A quarry ahead, aside and behind, on a parallel course, across and the opposite way.
    for (seen, flies) in (0..9).map(|case| (case / 3 * 90, case % 3 * 90)) {
        let (course, distance) = (draw.heading(false), draw.between(5.0, 20.0));
        let [way, theirs] = [seen, flies].map(|angle| draw.turned(false, course, f64::from(angle)));
        let place = plus(draw.point(false, 50.0), [300.0, 300.0, 0.0]);
        let quarry = setup.agent("max_speed = 20", plus(place, times(way, distance)), theirs);
        let pursuit = format!("behaviors.pursuit = {{ target = {{ agent = {quarry} }} }}\n");
        setup.agent(&pursuit, place, times(course, 5.0));
    }
    // On the path, its own way and slow.
    let slow = setup.next();
    let mut walker = |_| {
        let place = [draw.between(-500.0, 500.0), draw.between(-5.0, 5.0), 0.0];
        Body::at(place).moving([draw.between(0.1, 0.8), 0.0, 0.0])
    };
    let on: Vec<Body> = (0..6).map(&mut walker).collect();
    let walkers = setup.species(&format!("name = {slow:?}\nbehaviors.path_following = {{ path = \"way\" }}\n"), &on);
    let path = flight(bench, &setup, 60)?;
    let velocity = |step: usize, id: usize| path[step][id].velocity;
    for id in 0..8 {
        let gain = norm(minus(velocity(6, id), velocity(5, id))) / dt;
        bench.check(Case::relative(&[("force", 27.0)], 27.0, gain, 1e-3));
        bench.check(Case::relative(&[("speed", 9.0)], 9.0, norm(velocity(60, id)), 1e-5));
    }
    for (id, share) in (8..).step_by(2).zip([4.0, 1.8, 0.85, 1.0, 0.8, 4.0, 0.5, 2.0, 2.0]) {
        let [quarry, own] = [setup.body(id), setup.body(id + 1)];
        let offset = minus(quarry.position, own.position);
        let time = share * norm(offset) / norm(own.velocity);
        let desired = plus(offset, times(quarry.velocity, time));
        let expected = times(minus(desired, own.velocity), 0.15 * dt);
        let found = minus(velocity(1, id + 1), own.velocity);
        bench.check(Case::vector_within(&[("k", share)], expected, found, 2e-5));
    }
    for id in walkers {
        let change = minus(velocity(1, id), setup.body(id).velocity);
        bench.check(Case::vector_within(&[("walks", norm(setup.body(id).velocity))], ZERO, change, 0.0));
    }
    // A menace that crosses, or comes: where it is after D / its speed.
    bench.arrives(speaking("opensteer", ""), 1, 0..8, |setup, _| {
        let (way, distance) = (draw.heading(false), draw.between(5.0, 12.0));
        let theirs = times(draw.turned(false, way, draw.clone().between(90.0, 180.0)), draw.between(3.0, 12.0));
        let place = draw.point(false, 200.0);
        let (id, menace) = setup.placed("max_speed = 20", plus(place, times(way, distance)), theirs);
        let evasion = format!("behaviors.evasion = {{ target = {{ agent = {id} }} }}\n");
        let (id, own) = setup.placed(&evasion, place, times(way, 5.0));
        let offset = minus(menace.position, own.position);
        let time = norm(offset) / norm(menace.velocity);
        let desired = times(plus(offset, times(menace.velocity, time)), -1.0);
        let expected = times(minus(desired, own.velocity), 0.15 * dt);
        move |after| {
            let found = minus(after[id].velocity, own.velocity);
            bench.check(Case::vector_within(&[("T", time)], expected, found, 2e-5));
        }
    })
}

fn dialect_opensteer_spring(bench: &Bench, draw: &mut Draw) -> Tried {
    let dt = 1.0 / 256.0;
    let targets = draw.crowd(20, false, ZERO, 20.0, 0.0);
    let setup = Setup::open_with(false, dt, "dialect = \"opensteer\"").with("", &targets);
    let turn = 3f64.sqrt() / 2.0;
    let [grows, falls] = [1.0, -1.0].map(|sign| 0.5 * (sign * 5f64.sqrt() - 1.0));
    bench.flies(setup, 2560, targets.iter().enumerate(), |setup, (index, target)| {
        let (behavior, leaves) = (["seek", "pursuit", "flee", "evasion"][index % 4], index % 4 >= 2);
        let lines = format!("smoothing_time = 0\nbehaviors.{behavior} = {{ target = {{ agent = {index} }} }}\n");
        let way = times(draw.heading(false), draw.between(2.0, 5.0));
        // Half of them start at rest.
        let velocity = if index % 8 < 4 { ZERO } else { draw.point(false, 2.0) };
        let id = setup.agent(&lines, plus(target.position, way), velocity);
        let (start, velocity) = (minus(setup.body(id).position, setup.body(index).position), setup.body(id).velocity);
        move |path| {
            let offset = |step: usize| minus(path[step][id].position, target.position);
            let size = norm(start) + norm(velocity);
            for step in if leaves { [64, 128, 256] } else { [256, 929, 2560] } {
                let t = step as f64 * dt;
                let [of_start, of_velocity] = match leaves {
                    true => {
                        let [up, down] = [grows, falls].map(|rate| (rate * t).exp() / (grows - falls));
                        [grows * down - falls * up, up - down]
                    }
                    false => {
                        let (sin, cos) = (turn * t).sin_cos();
                        [cos + 0.5 * sin / turn, sin / turn].map(|share| share * (-0.5 * t).exp())
                    }
                };
                let expected = plus(times(start, of_start), times(velocity, of_velocity));
                bench.check(Case::vector_within(&[("t", t), ("D", norm(start))], expected, offset(step), dt * size));
            }
            if !leaves {
                bench.check(Case::at_most(&[("D", norm(start))], 0.01 * size, norm(offset(2560)), 0.0));
            }
            if !leaves && velocity == ZERO {
                let beyond = (0..path.len()).map(|step| -dot(offset(step), unit(start))).fold(0.0, f64::max);
                let expected = (-std::f64::consts::PI / 3f64.sqrt()).exp();
                bench.check(Case::absolute(&[("D", norm(start))], expected, beyond / norm(start), dt));
            }
        }
    })
}

fn dialect_nature_of_code_flock(bench: &Bench, draw: &mut Draw) -> Tried {
    let seen = |setup: &Setup| Ok((bench.steering(setup)?.accelerations, bench.after(setup, 1)?));
    bench.tries(speaking("nature_of_code", "").apart(), seen, 0..24, |setup, index| {
        let mut bodies = draw.crowd(14, false, lane(index, 200.0), 40.0, 180.0);
        bodies.iter_mut().for_each(|body| body.velocity = times(body.velocity, draw.between(0.2, 1.0)));
        let rules = "behaviors.separation = {}\nbehaviors.alignment = {}\nbehaviors.cohesion = {}\n";
        let (ids, crowd) = setup.flock(rules, &bodies);
        // px/frame
        let velocity = |other: usize| times(crowd[other].velocity, 1.0 / 60.0);
        let steer = |desired: Vec<V>| if desired.is_empty() { ZERO } else { changed(crowd[0], course(&desired)) };
        let [near, far] = [25.0, 50.0].map(|radius| perceived(&crowd, 0, radius, 360.0));
        let separation = steer(near.iter().map(|other| away(&crowd, *other)).collect());
        let alignment = steer(far.iter().map(|other| velocity(*other)).collect());
        let cohesion = steer(far.iter().map(|other| offset(&crowd, *other)).collect());
        let expected = times(sum(&[times(separation, 1.5), alignment, cohesion]), 3600.0);
        let end = clipped(plus(crowd[0].velocity, times(expected, 1.0 / 60.0)), 180.0);
        move |(found, after)| {
            let parameters = [("near", near.len() as f64), ("far", far.len() as f64)];
            bench.check(Case::vector_within(&parameters, expected, found[ids.start], 0.05));
            bench.check(Case::vector_within(&parameters, end, after[ids.start].velocity, 1e-3));
        }
    })
}

/// The vector from the first agent of a crowd to another one.
fn offset(crowd: &[Body], other: usize) -> V {
    minus(crowd[other].position, crowd[0].position)
}

/// What separation of the first agent of a crowd adds for another one: away from it, by the inverse of the distance.
fn away(crowd: &[Body], other: usize) -> V {
    let offset = offset(crowd, other);
    times(offset, -1.0 / dot(offset, offset))
}

/// The steering of the book toward a direction, px/frame²: a speed of 3 px/frame, and a force of 0.05 px/frame².
fn changed(own: Body, direction: V) -> V {
    clipped(minus(times(direction, 3.0), times(own.velocity, 1.0 / 60.0)), 0.05)
}

fn dialect_nature_of_code_crowd(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.wants(speaking("nature_of_code", "").apart(), 0..24, |setup, index| {
        let target = rounded(plus(lane(index, 200.0), draw.point(false, 300.0)));
        let mut bodies = draw.crowd(10, false, lane(index, 200.0), 30.0, 180.0);
        bodies.iter_mut().for_each(|body| body.velocity = times(body.velocity, draw.between(0.2, 1.0)));
        let rules = "max_force = 1e4\nbehaviors.separation = { weight = 2 }\n";
        let (ids, crowd) = setup.flock(&format!("{rules}behaviors.seek = {{ {} }}\n", to(false, target)), &bodies);
        let near = perceived(&crowd, 0, 25.0, 360.0);
        let pushes: Vec<V> = near.iter().map(|other| away(&crowd, *other)).collect();
        let parted = if near.is_empty() { ZERO } else { changed(crowd[0], course(&pushes)) };
        let sought = changed(crowd[0], unit(minus(target, crowd[0].position)));
        let expected = times(plus(times(parted, 2.0), sought), 3600.0);
        (ids.start, [("near", near.len() as f64)], expected, 0.05)
    })
}

fn dialect_nature_of_code_ways(bench: &Bench, draw: &mut Draw) -> Tried {
    wants(bench, speaking("nature_of_code", PATH), 0..12, |setup, index| {
        let heading = unit([draw.between(-1.0, 1.0), draw.between(-1.0, 0.5), 0.0]);
        let along = if index % 2 == 0 { draw.between(-500.0, 500.0) } else { 886.0 - 25.0 * heading[0] };
        let start = [along, draw.between(50.0, 200.0), 0.0];
        let id = setup.agent("behaviors.path_following = { path = \"way\" }\n", start, times(heading, 180.0));
        let position = setup.body(id).position;
        let there = plus(position, times(heading, 25.0));
        // 3 px/frame toward it, from 3 px/frame.
        let toward = unit(minus([there[0] + 10.0, 0.0, 0.0], position));
        (id, "path", there[1], times(minus(toward, heading), 3.0 * 3600.0))
    })?;
    wants(bench, speaking("nature_of_code", ""), 0..12, |setup, index| {
        let (near, side) = (index % 2 == 0, if index % 4 < 2 { 1.0 } else { -1.0 });
        let left = if near { draw.between(1.0, 24.5) } else { draw.between(25.5, 60.0) };
        let velocity = times(draw.heading(false), 150.0);
        let id = setup.agent("behaviors.boundary_walls = {}\n", [side * (1000.0 - left), 100.0, 0.0], velocity);
        let velocity = times(setup.body(id).velocity, 1.0 / 60.0);
        let desired = times(unit([-3.0 * side, velocity[1], 0.0]), 3.0);
        let steer = if near { times(minus(desired, velocity), 3600.0) } else { ZERO };
        (id, "left", left, steer)
    })?;
    // The field at the agent's own position: an agent at rest there wants what one in motion wants, but for its velocity.
    bench.steers(speaking("nature_of_code", FLOW), 0..6, |setup, _| {
        let (place, velocity) = (draw.point(false, 300.0), draw.point(false, 100.0));
        let [moves, rests] =
            [velocity, ZERO].map(|velocity| setup.agent("behaviors.flow_field = {}\n", place, velocity));
        let velocity = setup.body(moves).velocity;
        move |found| {
            let expected = minus(found[rests], times(velocity, 60.0));
            bench.check(Case::vector_within(&[("flow", norm(expected))], expected, found[moves], 0.05));
        }
    })
}

fn dialect_millington_rules(bench: &Bench, draw: &mut Draw) -> Tried {
    let (mut setup, mut expected) = (speaking("millington", ""), Vec::new());
    for index in 0..8 {
        let (most, speed, own) = (draw.scale(5.0, 60.0), draw.between(10.0, 30.0), draw.between(1.0, 9.0));
        let (place, target) = (rounded(draw.point(false, 300.0)), rounded(draw.point(false, 300.0)));
        let limits = format!("max_speed = {speed}\nmax_force = {most}\n");
        let velocity = times(draw.heading(false), own);
        let rule = format!("behaviors.flee = {{ {} }}\n", to(false, target));
        let (id, Body { position, .. }) = setup.placed(&format!("{limits}{rule}"), place, velocity);
        expected.push((id, "flee", most, times(unit(minus(position, target)), most)));
        // Half of them so near that less than 1 s is predicted.
        let distance = own * if index % 2 == 0 { draw.between(0.2, 0.9) } else { draw.between(1.5, 20.0) };
        let start = plus(place, times(draw.heading(false), distance));
        let quarry = setup.agent("max_speed = 30", start, times(draw.heading(false), draw.between(1.0, 20.0)));
        for (behavior, sign) in [("pursuit", 1.0), ("evasion", -1.0)] {
            let rule = format!("behaviors.{behavior} = {{ target = {{ agent = {quarry} }} }}\n");
            let id = setup.agent(&format!("{limits}{rule}"), place, velocity);
            let [own, theirs] = [id, quarry].map(|id| setup.body(id));
            let offset = minus(theirs.position, own.position);
            let time = (norm(offset) / norm(own.velocity)).min(1.0);
            let toward = unit(plus(offset, times(theirs.velocity, time)));
            expected.push((id, behavior, time, times(toward, sign * most)));
        }
    }
    wants(bench, setup, expected, |_, case| case)?;
    wants(bench, speaking("millington", "").apart(), 0..12, |setup, index| {
        let (weight, at) = (draw.between(1.0, 50.0), lane(index, 60.0));
        let way = times(draw.heading(false), draw.between(1.0, 8.0));
        let pair = [at, plus(at, way)].map(|position| Body::at(position).moving([1.0, 0.0, 0.0]));
        let id = setup.species(&all_around("separation", weight, 10.0), &pair).start;
        let offset = minus(setup.body(id).position, setup.body(id + 1).position);
        (id, "separation", weight, times(unit(offset), weight / dot(offset, offset)))
    })
}

fn dialect_millington_pursuit(bench: &Bench, draw: &mut Draw) -> Tried {
    let dt = 1.0 / 240.0;
    let mut setup = Setup::open_with(false, dt, "dialect = \"millington\"");
    let targets = draw.crowd(12, false, ZERO, 50.0, 0.0);
    setup.species("", &targets);
    bench.flies(setup, 1200, targets.iter().enumerate(), |setup, (index, target)| {
        let (speed, radius) = (draw.between(4.0, 8.0), draw.between(4.0, 12.0));
        let away = draw.heading(false);
        let velocity = times(draw.turned(false, away, 90.0), speed);
        let start = plus(target.position, times(away, radius));
        let fly = |behavior: &str| {
            let rule = format!("behaviors.{behavior} = {{ target = {{ agent = {index} }} }}");
            let lines = format!("max_speed = {speed}\nmax_force = {}\n{rule}", speed * speed / radius);
            setup.agent(&lines, start, velocity)
        };
        let circles = index % 2 == 0;
        let [chase, plain] = if circles { ["pursuit", "seek"] } else { ["evasion", "flee"] }.map(fly);
        move |path| {
            for step in [400, 800, 1200] {
                let [found, expected] = [chase, plain].map(|id| path[step][id].position);
                bench.check(Case::vector_within(&[("r", radius), ("step", step as f64)], expected, found, 0.0));
            }
            if circles {
                let off = |bodies: &Vec<Body>| norm(minus(bodies[chase].position, bodies[index].position));
                let farthest = path.iter().map(|bodies| (off(bodies) / radius - 1.0).abs()).fold(0.0, f64::max);
                bench.check(Case::at_most(&[("r", radius)], 0.02, farthest, 0.0));
            }
        }
    })
}
