//! Obstacle avoidance and whiskers: past what stands in the way.

use crate::*;
use std::f64::consts::SQRT_2;

laws! {
    obstacle_avoidance_steering in both:
        "A = w (a u - min(a b (1 - s/L), v²/2s) f): u is across the heading f of the velocity, away from a threat at s < L, \
         whatever way the body faces",
        source: "Reynolds 1999, Obstacle Avoidance",
        mutant: sidestep("return along(lateral);" => "return along(away);"),
        mistake: "the whole offset, not its lateral part: nobody turns before a wall that is met head-on";
    obstacle_avoidance_brake in both:
        "braking leaves a speed >= 0 along the heading, however near the obstacle, also when it is held for k steps, and in \
         bodies that move as desired",
        source: "a brake is a friction: it ends where the motion ends",
        mutant: obstacle_avoidance_steer("min(obstacle_avoidance.braking * nearness * agent.max_acceleration, agent.speed / stopping_time)"
            => "obstacle_avoidance.braking * nearness * agent.max_acceleration"),
        mistake: "the brake depends on the distance alone, and drives a stopped agent backward";
    obstacle_avoidance_reach in both: "an obstacle beyond the look-ahead max(L, v t) is no threat",
        source: "Reynolds 1999: the length of the cylinder follows from speed and agility; his steps leave the test out",
        mutant: look_ahead_of("max(course.min_look_ahead, course.speed * course.look_ahead_time)"
            => "course.min_look_ahead + course.speed * course.look_ahead_time"),
        mistake: "the two look-aheads are added";
    obstacle_avoidance_behind in both:
        "an obstacle that is behind an agent, or that it is leaving, is no threat: A = 0",
        source: "Reynolds 1999: forward of the origin; published code without the test turns away from what it has passed",
        mutant: obstacle_avoidance_steer("if (!hit.exists || leaving) {" => "if (!hit.exists) {"),
        mistake: "an agent that touches an obstacle turns although it is leaving";
    obstacle_avoidance_dead_ahead in both:
        "with an obstacle dead ahead |A| = a across the heading, to one side for some agents and to the other side \
         for the rest",
        source: "the lateral part of such an offset is zero, and published code does nothing",
        mutant: sidestep("return across(forward, direction(id, 0u, STREAM_SIDE));" => "return vec3f(0.0);"),
        mistake: "where no side is given there is no steering";
    obstacle_avoidance_clears in both:
        "a turn that begins at D clears R iff D >= √(R² + 2 R r), r = v²/a; else it comes as near as √(D² + r²) - r",
        source: "circles that touch: D² + r² = (R + r)²",
        mutant: obstacle_avoidance_steer("sidestep(agent.id, hit.course.forward, hit.normal) * agent.max_acceleration"
            => "sidestep(agent.id, hit.course.forward, hit.normal) * agent.max_acceleration * 0.9"),
        mistake: "less than the whole force";
    obstacle_avoidance_stays_out: "with a look-ahead of v²/a + v dt no body touches a plane or a box",
        source: "a turn of radius r ends within r of where it begins, on this side of the tangent plane",
        mutant: obstacle_avoidance_steer("agent.position, course, agent.radius" => "agent.position, course, 0.0"),
        mistake: "the agent is a point";
    obstacle_avoidance_agility in both:
        "the look-ahead k v²/a follows from speed and agility: with k > 1 no body meets a plane head-on, otherwise \
         it goes (1 - k) v²/a too far",
        source: "Reynolds 1999: the length of the cylinder follows from speed and agility; a turn of radius v²/a",
        mutant: obstacle_avoidance_steer("turning_radii * tightest" => "turning_radii * agent.speed"),
        mistake: "the look-ahead follows from the speed alone";
    obstacle_avoidance_stays_in in both:
        "within a box, with turning_radii of 2.5 (in space 3.2) and v dt more, at full speed and without braking, no body \
         leaves in 2,000 steps; with k < 1 + √2 one that meets a corner of the plane along its diagonal gets \
         (1 + √2 - k)/√2 v²/a too far",
        source: "ours: corners as round as three tightest turns; a turn that meets n walls along their diagonal has to begin (√n + √(n - 1)) v²/a before",
        mutant: rounded_normal("obstacle.shape == SHAPE_BOX && " => "false && "),
        mistake: "the wall that is met first is all that is turned from";
    obstacle_avoidance_nearest in both:
        "of many obstacles in the way the first one met counts, whatever their order in the scene",
        source: "Reynolds 1999: the nearest intersection is the most threatening",
        mutant: earlier_hit("var is_earlier = counts < hit.compared_distance;"
            => "var is_earlier = way < look_ahead_of(course);"),
        mistake: "the last one of the list counts";
    whiskers_steering in both:
        "feelers of length L at s from a wall add n (1 - s/L); A = a (lateral direction + f times what is ahead)",
        source: "Millington, Obstacle and Wall Avoidance: central ray with whiskers",
        mutant: whiskers_steer("whiskers.length * whiskers.side_length;" => "whiskers.length;"),
        mistake: "all feelers are equally long";
    whiskers_corner_trap: "an agent that runs into a corner comes out of it, and touches no wall",
        source: "Millington: a left and a right whisker that take turns keep the agent in the corner",
        mutant: whiskers_steer("+ agent.forward * back" => ""),
        mistake: "agents do not brake, and the whiskers take turns";
    obstacle_seen_from:
        "a sphere seen from inside, or from both sides, turns an agent that moves within it toward the side of its \
         center",
        source: "the wall that is met first, from the side on which agents are free",
        mutant: is_within("obstacle.seen_from == SEEN_FROM_BOTH" => "obstacle.seen_from == SEEN_FROM_OUTSIDE"),
        mistake: "a shell is seen from outside only";
}

/// Where case `index` has its sphere.
fn post(index: usize) -> V {
    lane(index, 24.0)
}

/// The unit vector across a heading on the side of another vector.
fn sideways(heading: V, wish: V) -> V {
    unit(across(wish, heading))
}

/// An agent that will touch a sphere, or a plane, after the distance `s`, u.
struct Approach {
    /// Radius of the obstacle plus that of the body, u.
    room: f64,
    body: f64,
    heading: V,
    /// The obstacle's outward normal where they will touch.
    normal: V,
    s: f64,
    speed: f64,
    mass: f64,
    force: f64,
    /// Further lines of the species.
    more: &'static str,
}

impl Approach {
    fn new(draw: &mut Draw, spatial: bool) -> Approach {
        let (body, heading) = (draw.between(0.2, 0.8), draw.heading(spatial));
        let room = draw.between(1.0, 4.0) + body;
        let angle = draw.between(115.0, 165.0);
        let normal = draw.turned(spatial, heading, angle);
        let (s, speed) = (draw.between(1.0, 5.0), draw.between(3.0, 9.0));
        let (mass, force) = (draw.scale(0.5, 2.0), draw.scale(5.0, 50.0));
        Approach { room, body, heading, normal, s, speed, mass, force, more: "" }
    }

    /// The largest acceleration, u/s².
    fn most(&self) -> f64 {
        self.force / self.mass
    }

    fn lines(&self, rule: &str) -> String {
        format!(
            "max_speed = 20\nradius = {}\nmass = {}\nmax_force = {}\nbehaviors.obstacle_avoidance = {{ {rule} }}\n{}",
            self.body, self.mass, self.force, self.more
        )
    }

    /// Add the agent in front of the sphere around `center`. Returns its id.
    fn add(&self, setup: &mut Setup, center: V, rule: &str) -> usize {
        let touch = plus(center, times(self.normal, self.room));
        let start = minus(touch, times(self.heading, self.s));
        setup.agent(&self.lines(rule), start, times(self.heading, self.speed))
    }
}

fn approaches(draw: &mut Draw, spatial: bool, dt: f64) -> (Setup, Vec<Approach>) {
    let approaches: Vec<Approach> = (0..24).map(|_| Approach::new(draw, spatial)).collect();
    let spheres = approaches.iter().enumerate().map(|(index, a)| sphere(spatial, post(index), a.room - a.body));
    (among(spatial, dt, &spheres.collect::<Vec<_>>()), approaches)
}

fn obstacle_avoidance_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, mut approaches) = approaches(draw, spatial, 0.01);
    bench.wants(setup, approaches.iter_mut().enumerate(), |setup, (index, approach)| {
        let (weight, braking) = (draw.between(0.3, 3.0), draw.between(0.0, 1.0));
        let braking = if index % 2 == 0 { 0.0 } else { braking };
        let look_ahead = approach.s * draw.between(1.1, 2.0);
        let rule =
            format!("weight = {weight}, braking = {braking}, min_look_ahead = {look_ahead}, look_ahead_time = 0");
        approach.more = ["", "vehicle.facing = \"independent\""][index / 2 % 2];
        let id = approach.add(setup, post(index), &rule);
        setup.face(id, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], ZERO);
        let aside = sideways(approach.heading, approach.normal);
        let most = approach.most();
        let brake = (most * braking * (1.0 - approach.s / look_ahead)).min(approach.speed.powi(2) / (2.0 * approach.s));
        let expected = times(minus(times(aside, most), times(approach.heading, brake)), weight);
        let parameters = [("R", approach.room), ("s", approach.s), ("v", approach.speed), ("b", braking)];
        (id, parameters, expected, 2e-4 * weight * most)
    })
}

fn obstacle_avoidance_brake(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, mut approaches) = approaches(draw, spatial, DT);
    bench.arrives(setup, 1, approaches.iter_mut().enumerate(), |setup, (index, approach)| {
        // Very near to the sphere, and so slow that full braking would turn it back.
        let held;
        (held, approach.more) =
            [(1.0, ""), (5.0, "update_every = 5"), (1.0, "vehicle.locomotion = \"kinematic\"")][index % 3];
        approach.s = draw.scale(1e-3, 0.1);
        approach.speed = draw.between(0.05, 0.9) * approach.most() * DT;
        let rule = "braking = 1, min_look_ahead = 8, look_ahead_time = 0";
        let id = approach.add(setup, post(index), rule);
        move |after| {
            let parameters = [("v", approach.speed), ("a", approach.most()), ("s", approach.s)];
            let lost = approach.speed - dot(after[id].velocity, approach.heading);
            bench.check(Case::at_least(&parameters, 0.0, approach.speed - held * lost, 1e-4 * approach.speed));
        }
    })
}

fn obstacle_avoidance_reach(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, approaches) = approaches(draw, spatial, 0.01);
    bench.steers(setup, approaches.iter().enumerate(), |setup, (index, approach)| {
        // For some the look-ahead time gives the look-ahead, for others its minimum does. The other one of the two is shorter.
        let share = if index % 2 == 0 { draw.between(0.9, 0.995) } else { draw.between(1.005, 1.1) };
        let (long, short) = (approach.s * share, approach.s * draw.between(0.2, 0.8));
        let (time, least) = if index % 4 < 2 { (long, short) } else { (short, long) };
        let rule = format!("min_look_ahead = {least}, look_ahead_time = {}", time / approach.speed);
        let id = approach.add(setup, post(index), &rule);
        move |found| bench.check(Case::holds(&[("s", approach.s), ("L/s", share)], share > 1.0, norm(found[id]) > 0.0))
    })
}

fn obstacle_avoidance_behind(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, approaches) = approaches(draw, spatial, 0.01);
    bench.wants(setup, approaches.iter().enumerate(), |setup, (index, approach)| {
        // From within the body's reach of the sphere to far away, and never toward it.
        let away = draw.between(0.7, 2.0) * approach.room;
        let angle = draw.between(0.0, 85.0);
        let heading = draw.turned(spatial, approach.normal, angle);
        let start = plus(post(index), times(approach.normal, away));
        let rule = "min_look_ahead = 8, look_ahead_time = 0, braking = 1";
        let id = setup.agent(&approach.lines(rule), start, times(heading, approach.speed));
        (id, [("R", approach.room), ("v", approach.speed)], ZERO, 0.0)
    })
}

fn obstacle_avoidance_dead_ahead(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = among(spatial, 0.01, &[sphere(spatial, ZERO, 3.0)]);
    let (force, speed) = (draw.between(5.0, 50.0), draw.between(3.0, 9.0));
    let lines = format!("max_speed = 20\nmax_force = {force}\nbehaviors.obstacle_avoidance.min_look_ahead = 20");
    setup.species(&lines, &[Body::at([-10.0, 0.0, 0.0]).moving([speed, 0.0, 0.0]); 24]);
    bench.tried(to_both_sides(&bench.steering(&setup)?.accelerations, force))
}

/// The keys of an agent that turns within the radius `turn`, u, and looks ahead as `least` says, however fast it is.
fn looking_ahead(speed: f64, turn: f64, body: f64, least: &str) -> String {
    let most = speed * speed / turn;
    let rule = format!("behaviors.obstacle_avoidance = {{ {least}, look_ahead_time = 0 }}");
    format!("max_speed = {speed}\nmax_force = {most}\nradius = {body}\n{rule}")
}

fn obstacle_avoidance_clears(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let speed = 8.0;
    let drawn: Vec<[f64; 2]> = (0..24).map(|_| [draw.between(0.8, 2.5), draw.between(0.2, 0.6)]).collect();
    let spheres: Vec<String> = (0..24).map(|index| sphere(spatial, post(index), drawn[index][0])).collect();
    // Until the slowest has flown a quarter of its circle.
    bench.flies(among(spatial, 1.0 / 512.0, &spheres), 800, drawn.into_iter().enumerate(), |setup, (id, drawn)| {
        let ([solid, body], turn, heading) = (drawn, draw.between(1.0, 5.0), draw.heading(spatial));
        let share = if id % 2 == 0 { 1.01 } else { draw.between(0.8, 0.97) };
        let room = solid + body;
        let distance = share * (room * room + 2.0 * room * turn).sqrt();
        let lines = looking_ahead(speed, turn, body, &format!("min_look_ahead = {}", 1.5 * distance));
        setup.agent(&lines, minus(post(id), times(heading, distance)), times(heading, speed));
        move |path| {
            let least = path.iter().map(|bodies| norm(minus(bodies[id].position, post(id)))).least();
            let parameters = [("R", room), ("r", turn), ("D", distance), ("share", share)];
            bench.check(match share > 1.0 {
                true => Case::at_least(&parameters, room, least, 2e-3 * room),
                false => Case::relative(&parameters, distance.hypot(turn) - turn, least, 1.5e-2),
            });
        }
    })
}

/// Signed distance of a point from a box.
fn from_box(at: V, size: V) -> f64 {
    let beyond = [0, 1, 2].map(|axis| at[axis].abs() - size[axis] / 2.0);
    let inside = beyond.into_iter().most().min(0.0);
    norm(beyond.map(|x| x.max(0.0))) + inside
}

fn obstacle_avoidance_stays_out(bench: &Bench, draw: &mut Draw) -> Tried {
    let (dt, speed) = (1.0 / 128.0, 8.0);
    for (spatial, flat) in [(false, true), (true, true), (false, false), (true, false)] {
        let normal = rounded(draw.heading(spatial));
        let mut sizes = Vec::new();
        for _ in 0..20 {
            let mut side = || draw.between(2.0, 7.0);
            sizes.push([side(), side(), if spatial { side() } else { 1e6 }]);
        }
        let boxes = sizes.iter().enumerate().map(|(index, size)| cuboid(spatial, post(index), *size));
        let obstacles = if flat { vec![plane(spatial, ZERO, normal)] } else { boxes.collect() };
        bench.flies(among(spatial, dt, &obstacles), 256, 0..20, |setup, index| {
            let (body, turn) = (draw.between(0.1, 0.8), draw.between(0.5, 2.5));
            let lines = looking_ahead(speed, turn, body, &format!("min_look_ahead = {}", turn + speed * dt));
            // Toward the middle, from all around, or for a plane from its free side.
            let angle = draw.between(0.0, 70.0);
            let from = if flat { draw.turned(spatial, normal, angle) } else { draw.heading(spatial) };
            let start = plus(if flat { ZERO } else { post(index) }, times(from, 10.0));
            setup.agent(&lines, start, times(from, -speed));
            let size = sizes[index];
            move |path| {
                let gap = |at: V| if flat { dot(at, normal) } else { from_box(minus(at, post(index)), size) };
                let least = path.iter().map(|bodies| gap(bodies[index].position)).least();
                bench.check(Case::at_least(&[("radius", body), ("r", turn), ("angle", angle)], body, least, 1e-3));
            }
        })?;
    }
    Ok(())
}

fn obstacle_avoidance_agility(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 512.0;
    let normal = rounded(draw.heading(spatial));
    bench.flies(among(spatial, dt, &[plane(spatial, ZERO, normal)]), 480, 0..24, |setup, id| {
        let (speed, time) = (draw.between(2.0, 20.0), draw.between(0.08, 0.25));
        let (turn, body) = (speed * time, draw.between(0.1, 0.8));
        let k = if id % 2 == 0 { 1.05 } else { draw.between(0.5, 0.9) };
        let lines = looking_ahead(speed, turn, body, &format!("turning_radii = {k}, min_look_ahead = 0"));
        setup.agent(&lines, times(normal, 1.5 * turn + body), times(normal, -speed));
        move |path| {
            let gap = path.iter().map(|bodies| dot(bodies[id].position, normal) - body);
            let (least, parameters) = (gap.least(), [("k", k), ("v", speed), ("v²/a", turn)]);
            bench.check(match k > 1.0 {
                true => Case::at_least(&parameters, 0.0, least, 1e-3),
                false => Case::absolute(&parameters, (k - 1.0) * turn, least, 1.5 * speed * dt),
            });
        }
    })
}

fn obstacle_avoidance_stays_in(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let radii = if spatial { 3.2 } else { 2.5 };
    for _ in 0..3 {
        let (speed, force, body) = (draw.between(5.0, 20.0), draw.between(10.0, 60.0), draw.between(0.1, 0.8));
        let turn = speed * speed / force;
        let size = [0; 3].map(|_| 2.0 * draw.between(7.0, 12.0) * turn);
        let size = if spatial { size } else { [size[0], size[1], 0.0] };
        let pen = format!("{}seen_from = \"inside\"\n", cuboid(spatial, ZERO, size));
        let lines = looking_ahead(speed, turn, body, &format!("min_look_ahead = {}", radii * turn + speed / 60.0));
        // Every third body runs into a corner, nearly along its diagonal.
        let start = |id| {
            let heading = draw.heading(spatial);
            let (position, heading) = match id % 3 {
                0 => {
                    let flat = |v: V| if spatial && id % 2 == 1 { v } else { [v[0], v[1], 0.0] };
                    let signs = heading.map(f64::signum);
                    let corner = flat(std::array::from_fn(|axis| signs[axis] * (size[axis] / 2.0 - body)));
                    let (diagonal, way) = (unit(flat(signs)), draw.between(3.5, 6.0) * turn);
                    (minus(corner, times(diagonal, way)), unit(plus(diagonal, times(heading, draw.between(0.0, 0.1)))))
                }
                _ => (std::array::from_fn(|axis| size[axis] * draw.between(-0.2, 0.2)), heading),
            };
            Body::at(position).moving(times(heading, speed))
        };
        let bodies: Vec<Body> = (0..24).map(start).collect();
        let beyond = |body: &Body| {
            let axes = 0..if spatial { 3 } else { 2 };
            axes.map(|axis| body.position[axis].abs() - size[axis] / 2.0).most()
        };
        let after = bench.after(&Setup::open_with(spatial, 1.0 / 60.0, pen).with(&lines, &bodies), 2000)?;
        let parameters = [("v", speed), ("a", force), ("r", turn)];
        bench.check(after.iter().map(|one| Case::at_most(&parameters, 0.0, beyond(one), 0.0)));
    }
    if spatial { Ok(()) } else { corner_met_too_late(bench, draw) }
}

/// Bodies that run into a corner of the plane exactly along its diagonal.
fn corner_met_too_late(bench: &Bench, draw: &mut Draw) -> Tried {
    const HALF: [f64; 2] = [200.0, 150.0];
    let dt = 1.0 / 512.0;
    let pen = format!("{}seen_from = \"inside\"\n", cuboid(false, ZERO, [2.0 * HALF[0], 2.0 * HALF[1], 0.0]));
    bench.flies(Setup::open_with(false, dt, pen), 600, 0..12, |setup, id| {
        let (speed, time) = (draw.between(2.0, 20.0), draw.between(0.08, 0.25));
        let (turn, body, k) = (speed * time, draw.between(0.1, 0.8), draw.between(1.5, 2.35));
        let lines = looking_ahead(speed, turn, body, &format!("turning_radii = {k}, min_look_ahead = 0"));
        let [x, y, _] = draw.heading(false).map(f64::signum);
        let (corner, diagonal) = ([x * (HALF[0] - body), y * (HALF[1] - body), 0.0], unit([x, y, 0.0]));
        setup.agent(&lines, minus(corner, times(diagonal, 3.0 * turn)), times(diagonal, speed));
        move |path| {
            let beyond =
                |axis: usize| path.iter().map(move |bodies| bodies[id].position[axis].abs() + body - HALF[axis]).most();
            let expected = (1.0 + SQRT_2 - k) / SQRT_2 * turn;
            let parameters = [("k", k), ("v", speed), ("v²/a", turn)];
            bench.check(Case::absolute(&parameters, expected, beyond(0).max(beyond(1)), 1.5 * speed * dt));
        }
    })
}

fn obstacle_avoidance_nearest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let body = draw.between(0.2, 0.5);
    let posts: Vec<(V, f64)> = (0..40).map(|_| (rounded(draw.point(spatial, 18.0)), draw.between(0.5, 2.5))).collect();
    let mut texts: Vec<String> = posts.iter().map(|(center, radius)| sphere(spatial, *center, *radius)).collect();
    let mut agents = Vec::new();
    while agents.len() < 24 {
        let (position, heading) = (draw.point(spatial, 22.0), draw.heading(spatial));
        let nearest = first_sphere(&posts, body, position, heading);
        let touches = posts.iter().any(|(center, radius)| norm(minus(position, *center)) < radius + body + 0.05);
        // Neither dead ahead nor a near miss, nor two at once.
        if let Some(center) = nearest.filter(|_| !touches) {
            agents.push((Body::at(position).moving(times(heading, 5.0)), center));
        }
    }
    let lines =
        format!("max_speed = 20\nmax_force = 10\nradius = {body}\nbehaviors.obstacle_avoidance.min_look_ahead = 100");
    let bodies: Vec<Body> = agents.iter().map(|(body, _)| *body).collect();
    let wish = |(id, (body, center)): (usize, &(Body, V))| {
        let way = minus(body.position, *center);
        (id, [("D", norm(way))], times(sideways(unit(body.velocity), way), 10.0), 2e-3)
    };
    for _ in 0..2 {
        bench.wanted(&among(spatial, 0.01, &texts).with(&lines, &bodies), agents.iter().enumerate().map(wish))?;
        texts.reverse();
    }
    Ok(())
}

/// Center of the first of these spheres that a body meets; `None` if it is not clear which one that is, or on which side.
fn first_sphere(posts: &[(V, f64)], body: f64, position: V, heading: V) -> Option<V> {
    let mut ways = Vec::new();
    for (center, radius) in posts {
        let way = minus(*center, position);
        let ahead = dot(way, heading);
        let (aside, room) = (norm(minus(way, times(heading, ahead))), radius + body);
        if ahead > 0.0 && aside < room {
            ways.push((ahead - (room * room - aside * aside).sqrt(), *center, aside / room));
        }
        if (aside / room - 1.0).abs() < 0.01 {
            return None;
        }
    }
    ways.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (first, center, share) = *ways.first()?;
    let alone = ways.get(1).is_none_or(|second| second.0 > first + 0.01);
    (alone && (0.1..0.97).contains(&share)).then_some(center)
}

fn whiskers_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let normal = rounded(draw.heading(spatial));
    bench.wants(among(spatial, 0.01, &[plane(spatial, ZERO, normal)]), 0..24, |setup, index| {
        loop {
            let (body, length, share) = (draw.between(0.1, 0.5), draw.between(3.0, 8.0), draw.between(0.3, 0.9));
            let (spread, force) = (draw.between(40.0, 120.0), draw.between(5.0, 50.0));
            let angle = draw.between(95.0, 175.0);
            let heading = draw.turned(spatial, normal, angle);
            let gap = match index % 4 {
                0 => length * -dot(heading, normal) * (1.0 - draw.scale(3e-4, 3e-3)),
                _ => draw.between(0.1, 0.9) * length * share,
            };
            // In the plane the second feeler is to the right, in space to the right and level.
            let up = if spatial { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
            let aside = unit(cross(heading, up));
            let (sin, cos) = (spread / 2.0).to_radians().sin_cos();
            let feel = |aim: V, length: f64| {
                let way = gap / -dot(aim, normal);
                if way > 0.0 && way < length { times(normal, 1.0 - way / length) } else { ZERO }
            };
            let side = |sin: f64| feel(plus(times(heading, cos), times(aside, sin)), length * share);
            let push = sum(&[feel(heading, length), side(sin), side(-sin)]);
            let ahead = dot(push, heading);
            let lateral = norm(minus(push, times(heading, ahead)));
            // Head-on is another law's. The lightest touch counts.
            if lateral < 0.15 * ahead.abs() || norm(push) < 1e-4 {
                continue;
            }
            let steering = plus(sideways(heading, push), times(heading, ahead.clamp(-1.0, 0.0)));
            let lines = format!(
                "max_speed = 20\nmax_force = {force}\nradius = {body}\n\
             behaviors.whiskers = {{ length = {length}, side_length = {share}, spread = {spread} }}"
            );
            let start = times(normal, gap + body);
            let id = setup.agent(&lines, start, times(heading, 5.0));
            let parameters = [("L", length), ("spread", spread), ("angle", angle)];
            break (id, parameters, times(steering, force), 2e-3 * force);
        }
    })
}

fn whiskers_corner_trap(bench: &Bench, draw: &mut Draw) -> Tried {
    // A wall to the right and one above, which meet at the post.
    let walls = |index| {
        let [x, y, _] = post(index);
        [([x + 1.0, y - 4.0, 0.0], [2.0, 10.0, 1.0]), ([x - 4.0, y + 1.0, 0.0], [10.0, 2.0, 1.0])]
    };
    let boxes: Vec<String> =
        (0..24).flat_map(|index| walls(index).map(|(center, size)| cuboid(false, center, size))).collect();
    bench.flies(among(false, DT, &boxes), 640, 0..24, |setup, index| {
        let (body, speed) = (draw.between(0.1, 0.5), draw.between(2.0, 6.0));
        let (length, force) = (draw.between(3.0, 4.5), draw.between(20.0, 40.0));
        // Up and to the right into the corner, half of them exactly along its diagonal.
        let angle = if index % 2 == 0 { 45.0 } else { draw.between(35.0, 55.0) };
        let (sin, cos) = f64::to_radians(angle).sin_cos();
        let lines = format!(
            "max_speed = {speed}\ntime_constant = 0.5\nmax_force = {force}\nradius = {body}\n\
             behaviors.whiskers = {{ length = {length} }}\nbehaviors.target_speed = {{ speed = {speed} }}"
        );
        let start = minus(post(index), [7.0 * cos, 7.0 * sin, 0.0]);
        setup.agent(&lines, start, times([cos, sin, 0.0], speed));
        move |path| {
            let gap = |at: V| walls(index).map(|(center, size)| from_box(minus([at[0], at[1], 0.0], center), size));
            let least = path.iter().flat_map(|bodies| gap(bodies[index].position)).least();
            let end = path[640][index];
            let away = norm(minus(end.position, post(index)));
            let parameters = [("v", speed), ("L", length), ("angle", angle)];
            bench.check(Case::at_least(&parameters, body, least, 1e-3));
            bench.check(Case::at_least(&parameters, 7.0, away, 0.0));
        }
    })
}

fn obstacle_seen_from(bench: &Bench, draw: &mut Draw) -> Tried {
    for (spatial, side) in [(false, "inside"), (false, "both"), (true, "inside"), (true, "both")] {
        let (radius, body) = (draw.between(20.0, 40.0), 0.5);
        let scenery = format!("{}seen_from = {side:?}\n", sphere(spatial, ZERO, radius));
        bench.wants(among(spatial, 0.01, &[scenery]), 0..8, |setup, index| {
            loop {
                let at = rounded(times(draw.heading(spatial), draw.between(0.2, 0.8) * radius));
                let (forward, force) = (draw.heading(spatial), draw.between(10.0, 50.0));
                // Where the body touches the sphere from within.
                let (middle, room) = (-dot(at, forward), radius - body);
                let way = middle + (room * room - dot(at, at) + middle * middle).sqrt();
                let inward = times(plus(at, times(forward, way)), -1.0 / room);
                let aside = minus(inward, times(forward, dot(inward, forward)));
                // Head-on there is no side.
                if norm(aside) < 0.05 {
                    continue;
                }
                // For every second agent that point is within the look-ahead time.
                let (seen, time) = [(true, draw.between(1.0, 1.9)), (false, draw.between(2.1, 4.0))][index % 2];
                let velocity = rounded(times(forward, way / time));
                let rule = "behaviors.obstacle_avoidance = { look_ahead_time = 2, min_look_ahead = 0 }";
                let lines = format!("max_speed = 100\nradius = {body}\nmax_force = {force}\n{rule}");
                let id = setup.agent(&lines, at, velocity);
                let expected = if seen { times(unit(aside), force) } else { ZERO };
                let parameters = [("way", way), ("a", force), ("both", f64::from(side == "both"))];
                break (id, parameters, expected, 2e-3 * force);
            }
        })?;
    }
    Ok(())
}
