//! Boundary walls and wall following: away from walls, and along them.

use crate::*;

const SHIFFMAN: &str =
    "Shiffman, The Nature of Code, boundaries(), with E27 mended: there the rule of y undoes that of x";
const REYNOLDS: &str = "Reynolds 1999, Wall Following: approach a wall and keep an offset; the formula is ours";

laws! {
    boundary_walls_steering in both:
        "A = w (v_max u(V) - v)/τ: V is v, and v_max inward along each axis that is within d of an edge; elsewhere A = 0",
        source: SHIFFMAN,
        mutant: boundary_walls_steer("select(agent.velocity, inward, near)" => "select(vec3f(0.0), inward, near)"),
        mistake: "the velocity along the wall is forgotten";
    boundary_walls_corner in both:
        "in a corner all components of the desired velocity point inward, each with v_max/√n",
        source: SHIFFMAN,
        mutant: boundary_walls_steer("let desired" => "near.x = near.x && !near.y; let desired"),
        mistake: "the rule of y undoes that of x";
    boundary_walls_depth in both:
        "head-on an agent comes v²/(2 a) beyond the line if τ <= v/a, and v τ (1 - ln 2) if no force limits it",
        source: "dv/dt = -a, or -(v + v_max)/τ, until v = 0",
        mutant: boundary_walls_steer("along(desired) * agent.max_speed" => "along(desired) * agent.speed"),
        mistake: "inward as fast as now: the agent comes to a halt at the wall";
    boundary_walls_hold in both:
        "an agent that starts at least d from every edge never leaves where d >= max(0.61 v²/a, 0.42 v τ) + v dt; \
         some agents need 0.8 of that max",
        source: "by search over starts and courses: in corners the largest depth is 0.57 v²/a or 0.38 v τ, between the two 6 % more",
        mutant: boundary_walls_steer("abs(agent.position) > inner" => "agent.position > inner"),
        mistake: "half of the edges are forgotten";
    wall_following_steering in both:
        "A = w (v_max u(q - p) - v)/τ, q = wall at p + T v, plus d along its normal, plus L along it the way of the heading",
        source: REYNOLDS,
        mutant: along_wall("agent.forward - normal * dot3(agent.forward, normal)" => "agent.forward"),
        mistake: "ahead along the heading, not along the wall";
    wall_following_distance in both:
        "along a straight wall the distance becomes d, and the agent keeps its sense of direction along the wall",
        source: REYNOLDS,
        mutant: wall_following_steer("wall_following.distance" => "(wall_following.distance + agent.radius)"),
        mistake: "the distance is that of the body's edge";
    wall_following_holds in both:
        "an agent that comes from beyond d is never nearer to a flat wall than d - v max(τ, 2 v/a); with a far \
         target some agents use 0.8 of that room",
        source: "nearer than d the speed toward the wall falls at a rate of min(1/τ, a/(2 v)) at least",
        mutant: wall_following_steer("wall.normal * wall_following.distance + onward" => "onward"),
        mistake: "the target is on the wall";
    wall_following_around in both:
        "around a sphere an agent stays on a circle of radius ρ, v cos²ψ/ρ = sin ψ/τ, ψ between the tangent and its target",
        source: "the pull toward the target is the centripetal acceleration",
        mutant: wall_following_steer("nearest_wall(predicted," => "nearest_wall(agent.position,"),
        mistake: "the wall is looked for where the agent is";
}

/// Sides of the walled worlds, u.
const SIDES: V = [36.0, 28.0, 32.0];

fn walled(spatial: bool, dt: f64) -> Setup {
    Setup::within(spatial, SIDES, "open", dt, "")
}

fn axes(spatial: bool) -> std::ops::Range<usize> {
    0..if spatial { 3 } else { 2 }
}

/// A species that keeps a distance from the edges of its world.
fn shy(distance: f64, (speed, most, tau): (f64, f64, f64)) -> String {
    limits(speed, most, tau) + &format!("behaviors.boundary_walls.distance = {distance}")
}

fn boundary_walls_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(walled(spatial, 0.01), 0..30, |setup, _| {
        loop {
            let (distance, weight) = (draw.between(3.0, 8.0), draw.between(0.3, 3.0));
            let (speed, tau) = (draw.between(2.0, 20.0), draw.between(0.1, 2.0));
            let position = draw.point(spatial, 18.0);
            let depth = |axis: usize| position[axis].abs() - SIDES[axis] / 2.0 + distance;
            if axes(spatial).any(|axis| depth(axis).abs() < 1e-3) {
                continue;
            }
            let velocity = times(draw.heading(spatial), speed * draw.between(0.1, 1.0));
            let rule = format!("behaviors.boundary_walls = {{ weight = {weight}, distance = {distance} }}");
            let id = setup.agent(&format!("max_speed = {speed}\ntime_constant = {tau}\n{rule}"), position, velocity);
            let Body { position, velocity } = setup.body(id);
            let near: Vec<usize> = axes(spatial).filter(|axis| depth(*axis) > 0.0).collect();
            let parameters = [("edges", near.len() as f64), ("v_max", speed), ("τ", tau)];
            if near.is_empty() {
                break (id, parameters, ZERO, 0.0);
            }
            let mut desired = velocity;
            near.iter().for_each(|axis| desired[*axis] = -speed * position[*axis].signum());
            let expected = times(minus(times(unit(desired), speed), velocity), weight / tau);
            break (id, parameters, expected, 2e-6 * weight * speed / tau);
        }
    })
}

fn boundary_walls_corner(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let corner = times(if spatial { SIDES } else { [SIDES[0], SIDES[1], 0.0] }, 0.5);
    bench.steers(walled(spatial, 0.01), 0..24, |setup, id| {
        let (distance, speed, tau) = (draw.between(3.0, 8.0), draw.between(2.0, 20.0), draw.between(0.1, 2.0));
        let mut side = |axis: usize| {
            let sign = if draw.whole(0, 1) == 1 { 1.0 } else { -1.0 };
            sign * (corner[axis] - distance * draw.between(0.05, 0.95))
        };
        let position = [side(0), side(1), if spatial { side(2) } else { 0.0 }];
        let velocity = times(draw.heading(spatial), speed * draw.between(0.1, 1.0));
        setup.agent(&shy(distance, (speed, 60.0, tau)), position, velocity);
        let Body { position, velocity } = setup.body(id);
        move |found| {
            let desired = plus(velocity, times(found[id], tau));
            let share = speed / (axes(spatial).len() as f64).sqrt();
            for axis in axes(spatial) {
                let parameters = [("axis", axis as f64), ("x", position[axis]), ("v_max", speed)];
                let expected = -share * position[axis].signum();
                bench.check(Case::absolute(&parameters, expected, desired[axis], 5e-6 * speed));
            }
        }
    })
}

fn boundary_walls_depth(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 256.0;
    bench.flies(walled(spatial, dt), 260, 0..24, |setup, index| {
        let speed = draw.between(3.0, 8.0);
        let (most, tau, expected) = if index % 2 == 0 {
            let most = draw.between(8.0, 40.0);
            (most, draw.between(0.2, 1.0) * speed / most, speed * speed / (2.0 * most))
        } else {
            let tau = draw.between(0.2, 1.0);
            (1e6, tau, speed * tau * (1.0 - f64::ln(2.0)))
        };
        let axis = draw.whole(0, axes(spatial).len() as u32 - 1) as usize;
        let mut outward = ZERO;
        outward[axis] = if draw.whole(0, 1) == 1 { 1.0 } else { -1.0 };
        let start = times(outward, SIDES[axis] / 2.0 - 5.0 + 1e-3);
        setup.agent(&shy(5.0, (speed, most, tau)), start, times(outward, speed));
        let start = setup.body(index).position;
        move |path| {
            let way = |bodies: &Vec<Body>| dot(minus(bodies[index].position, start), outward);
            let depth = path.iter().map(way).fold(0.0, f64::max);
            let parameters = [("v", speed), ("a", most), ("τ", tau)];
            // Velocities are those after a step, not at its middle.
            bench.check(Case::absolute(&parameters, expected, depth, 1.5 * speed * dt));
        }
    })
}

fn boundary_walls_hold(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let near = std::cell::Cell::new(0);
    bench.flies(walled(spatial, DT), 600, 0..32, |setup, index| {
        let (speed, turn) = (draw.between(3.0, 9.0), draw.between(0.5, 4.0));
        let most = speed * speed / turn;
        // The last agents start where all walls' distances meet, at the worst angle, limited by their force or by their lag.
        let worst = index >= 24;
        let lag = if worst { [0.1, 3.0][index % 2] } else { draw.scale(0.05, 3.0) };
        let tau = lag * speed / most;
        let distance = (0.61 * turn).max(0.42 * speed * tau) + speed * DT;
        // Half of the others start in corners.
        let least = if index % 2 == 0 { 0.9 } else { -1.0 };
        let mut along =
            |axis: usize| if worst { 0.9999 } else { draw.between(least, 1.0) } * (SIDES[axis] / 2.0 - distance);
        let start = [along(0), along(1), if spatial { along(2) } else { 0.0 }];
        let course = match (worst, spatial) {
            (false, _) => draw.heading(spatial),
            (true, false) => unit([0.21, 0.98, 0.0]),
            (true, true) => unit([0.19, 0.96, 0.19]),
        };
        setup.agent(&shy(distance, (speed, most, tau)), start, times(course, speed));
        let near = &near;
        move |path| {
            let depth = |at: V| axes(spatial).map(|axis| at[axis].abs() - SIDES[axis] / 2.0).fold(-1e9, f64::max);
            let deepest = path.iter().map(|bodies| distance + depth(bodies[index].position)).fold(-1e9, f64::max);
            let parameters = [("v", speed), ("a", most), ("τ", tau)];
            bench.check(Case::at_most(&parameters, distance, deepest, 1e-4));
            if worst {
                bench.check(Case::at_least(&parameters, 0.8 * (distance - speed * DT), deepest, 0.0));
            }
            near.set(near.get() + u32::from(deepest > 0.0));
        }
    })?;
    // Enough agents came near the walls.
    bench.tried(Case::at_least(&[("agents", 32.0)], 24.0, f64::from(near.get()), 0.0))
}

/// How an agent follows a wall.
struct Follower {
    distance: f64,
    time: f64,
    look_ahead: f64,
    speed: f64,
    tau: f64,
    most: f64,
}

impl Follower {
    fn drawn(draw: &mut Draw) -> Follower {
        let (distance, time, look_ahead) = (draw.between(1.0, 4.0), draw.between(0.2, 0.8), draw.between(1.0, 5.0));
        Follower { distance, time, look_ahead, speed: draw.between(3.0, 6.0), tau: draw.between(0.1, 0.4), most: 1e6 }
    }

    fn lines(&self, weight: f64) -> String {
        let Follower { distance, time, look_ahead, speed, tau, most } = *self;
        let rule = format!("distance = {distance}, prediction_time = {time}, look_ahead = {look_ahead}");
        limits(speed, most, tau) + &format!("behaviors.wall_following = {{ weight = {weight}, {rule} }}")
    }

    fn parameters(&self) -> [(&'static str, f64); 5] {
        [("d", self.distance), ("T", self.time), ("L", self.look_ahead), ("v", self.speed), ("τ", self.tau)]
    }
}

/// From a point, the normal of the wall where it is nearest, and the distance from it.
type Wall = fn(V, V) -> (V, f64);

fn wall_following_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let normal = rounded(draw.heading(spatial));
    // Points are relative to the middle of each wall. Of the box only the upper face counts: agents keep to its middle.
    let [flat, round, edged] = [[0.0; 3], [60.0, 0.0, 0.0], [-60.0, 0.0, 0.0]];
    let height = [50.0, 6.0, if spatial { 50.0 } else { 1.0 }];
    let walls: [(V, String, Wall); 3] = [
        (flat, plane(spatial, times(normal, -20.0), normal), |at, normal| (normal, dot(at, normal) + 20.0)),
        (round, sphere(spatial, round, 5.0), |at, _| (unit(at), norm(at) - 5.0)),
        (edged, cuboid(spatial, edged, height), |at, _| ([0.0, 1.0, 0.0], at[1] - 3.0)),
    ];
    for (kind, (middle, text, gap)) in walls.into_iter().enumerate() {
        bench.wants(among(spatial, 0.01, &[text]), 0..16, |setup, index| {
            loop {
                let (follower, weight) = (Follower::drawn(draw), draw.between(0.3, 3.0));
                let mut away = draw.point(spatial, 9.0);
                if kind == 2 {
                    away[1] = draw.between(3.5, 12.0);
                }
                let (position, heading) = (rounded(plus(middle, away)), draw.heading(spatial));
                let velocity = rounded(times(heading, follower.speed));
                let predicted = plus(position, times(velocity, follower.time));
                let (out, gap) = gap(minus(predicted, middle), normal);
                let onward = across(heading, out);
                // Outside, or not so deep in the box that another face is as near; and not head-on, where the id decides.
                let is_there = if kind == 2 && index % 2 == 1 { (-2.5..-0.1).contains(&gap) } else { gap >= 0.5 };
                if !is_there || norm(onward) < 0.1 {
                    continue;
                }
                let place = plus(predicted, times(out, follower.distance - gap));
                let way = minus(plus(place, times(unit(onward), follower.look_ahead)), position);
                let desired = times(unit(way), follower.speed);
                let expected = times(minus(desired, velocity), weight / follower.tau);
                let id = setup.agent(&follower.lines(weight), position, velocity);
                let bound = 2e-5 * weight / follower.tau * follower.speed * (1.0 + 10.0 / norm(way));
                break (id, follower.parameters(), expected, bound);
            }
        })?;
    }
    Ok(())
}

fn wall_following_distance(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let normal = rounded(draw.heading(spatial));
    // The distance of the slowest agent falls to 1/e in 3 s.
    bench.arrives(among(spatial, DT, &[plane(spatial, ZERO, normal)]), 1800, 0..24, |setup, id| {
        let follower = Follower::drawn(draw);
        let gap = follower.distance * draw.between(0.5, 3.0);
        let slope = draw.between(-60.0, 60.0f64).to_radians();
        let onward = draw.turned(spatial, normal, 90.0);
        let heading = plus(times(onward, slope.cos()), times(normal, slope.sin()));
        setup.agent(&follower.lines(1.0), times(normal, gap), times(heading, follower.speed));
        move |found| {
            let (parameters, Body { position, velocity }) = (follower.parameters(), found[id]);
            bench.check(Case::relative(&parameters, follower.distance, dot(position, normal), 5e-3));
            bench.check(Case::vector(&parameters, times(onward, follower.speed), velocity, 5e-3));
        }
    })
}

fn wall_following_holds(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let normal = rounded(draw.heading(spatial));
    bench.flies(among(spatial, DT, &[plane(spatial, ZERO, normal)]), 400, 0..24, |setup, index| {
        let mut follower = Follower::drawn(draw);
        // Either the force or the time constant decides.
        follower.most = if index % 2 == 0 { 1e6 } else { draw.between(10.0, 40.0) };
        let lag = follower.tau.max(2.0 * follower.speed / follower.most);
        let room = follower.speed * lag;
        // Some stay far away all the time, and some come to d nearly straight, with a target that hardly turns them back.
        let (far, worst) = (index % 3 == 0, index % 4 == 0);
        follower.distance =
            f64::from((room * if far { draw.between(5.0, 8.0) } else { draw.between(1.0, 1.5) }) as f32);
        let angle = if worst { 170.0 } else { draw.between(100.0, 170.0) };
        let heading = draw.turned(spatial, normal, angle);
        let gap = follower.distance * if worst { 1.0001 } else { draw.between(1.0, 1.5) };
        if worst {
            (follower.time, follower.look_ahead) = (0.0, 100.0);
        }
        let id = setup.agent(&follower.lines(1.0), times(normal, gap), times(heading, follower.speed));
        move |path| {
            let nearest = path.iter().map(|bodies| dot(bodies[id].position, normal)).least();
            let least = follower.distance - room;
            bench.check(Case::at_least(&follower.parameters(), least, nearest, 1e-3));
            if worst {
                // A discrete lag is one step shorter.
                let most = follower.distance - 0.8 * follower.speed * (follower.tau - DT);
                bench.check(Case::at_most(&follower.parameters(), most, nearest, 0.0));
            }
        }
    })
}

/// Radius of the circle around a sphere of radius `round` that a follower stays on.
fn circle(follower: &Follower, round: f64) -> f64 {
    let Follower { distance, time, look_ahead, speed, tau, .. } = *follower;
    // Too narrow a circle needs more than the pull toward the target.
    let lacks = |rho: f64| {
        let (mut angle, mut now) = (0.0, speed);
        for _ in 0..100 {
            // Radially and along the tangent: the wall's normal at the predicted position, and the way to the target.
            let (sin, cos) = (now * time / rho).atan().sin_cos();
            let place = [(round + distance) * cos - look_ahead * sin, (round + distance) * sin + look_ahead * cos];
            angle = (rho - place[0]).atan2(place[1]);
            now = speed * angle.cos();
        }
        now * angle.cos() / rho > angle.sin() / tau
    };
    bisected(0.2 * round, 4.0 * (round + distance), lacks)
}

fn wall_following_around(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let balls: Vec<(V, f64)> = (0..20).map(|index| (lane(index, 48.0), draw.between(6.0, 10.0))).collect();
    let texts: Vec<String> = balls.iter().map(|(center, round)| sphere(spatial, *center, *round)).collect();
    bench.arrives(among(spatial, 1.0 / 256.0, &texts), 2560, balls, |setup, (center, round)| {
        // What is farther ahead than the radius would lead through the sphere.
        let follower = Follower { look_ahead: draw.between(1.0, 3.0), ..Follower::drawn(draw) };
        let out = draw.heading(spatial);
        let heading = draw.turned(spatial, out, 90.0);
        let start = plus(center, times(out, round + follower.distance * draw.between(0.8, 1.2)));
        let id = setup.agent(&follower.lines(1.0), start, times(heading, follower.speed));
        move |found| {
            let (parameters, away) = (follower.parameters(), minus(found[id].position, center));
            bench.check(Case::relative(&parameters, circle(&follower, round), norm(away), 5e-3));
            // Still the same way round.
            let turns = dot(unit(cross(away, found[id].velocity)), cross(out, heading));
            bench.check(Case::at_least(&parameters, 0.9, turns, 0.0));
        }
    })
}
