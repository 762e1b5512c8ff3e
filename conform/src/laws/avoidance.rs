//! Unaligned collision avoidance, and the push between agents that overlap.

use crate::*;

const REYNOLDS: &str = "Reynolds 1999, Unaligned collision avoidance: away from the site of the nearest approach";

laws! {
    avoidance_away in both:
        "with miss m = r + w t*, t* = -r·w/|w|²: A has the length a_max, is across the heading, and points against m",
        source: REYNOLDS,
        mutant: unaligned_avoidance_resolve("agent.forward * ahead - miss" => "miss - agent.forward * ahead"),
        mistake: "agents turn into each other's way";
    avoidance_first in both: "of several threats the one with the smallest t* decides, whatever the order of ids",
        source: REYNOLDS,
        mutant: unaligned_avoidance_add("time < sum.time ||" => "time > sum.time ||"),
        mistake: "the last threat decides";
    avoidance_no_alarm in both:
        "a neighbor that misses by more than both radii and the margin, that comes nearest later than T, or that has \
         passed already, is no threat: A = 0",
        source: REYNOLDS,
        mutant: unaligned_avoidance_add("let miss_squared = dot3(miss, miss);"
            => "let gap = neighbor.distance - sqrt(squared) * time; let miss_squared = gap * gap;"),
        mistake: "the miss is |r| - |w| t*, as in gdx-ai";
    avoidance_slower_yields in both:
        "of two on a crossing collision course the slower brakes by min(a_max, v/τ), the faster gains min(a_max, (v_max - v)/τ)",
        source: "OpenSteer, steerToAvoidNeighbors: the comment says the slower, its code tests for the faster",
        mutant: unaligned_avoidance_resolve("-1.0, 1.0, agent.speed" => "1.0, -1.0, agent.speed"),
        mistake: "the faster one brakes";
    avoidance_crossing in both:
        "when two agents cross, A across the heading is a_max against the miss; A along the heading is (v_max - v)/τ \
         if the other passes behind, else -v/τ, within a_max",
        source: "Reynolds 1999: to the side, and forward or backward; the formula is ours",
        mutant: unaligned_avoidance_resolve("side * agent.max_acceleration"
            => "side * select(agent.max_acceleration, 0.5 * agent.max_acceleration, crossing)"),
        mistake: "an agent that accelerates or brakes turns half as hard";
    avoidance_standing in both:
        "past a neighbor that stands A is a_max to the side away from it, and 0 along the heading, in whatever direction",
        source: "who stands lets nobody pass",
        mutant: unaligned_avoidance_resolve("&& speed * speed > STANDSTILL" => ""),
        mistake: "a neighbor without a heading crosses the agent's course: rounding decides who waits";
    avoidance_before_or_behind in both:
        "of two agents that cross, the one that would be first at the crossing accelerates and is first, and the \
         other brakes and passes behind",
        source: "Reynolds 1999: accelerate forward or decelerate backwards to get to the site before or after the other",
        mutant: unaligned_avoidance_resolve("change, crossing" => "min(change, 0.0), crossing && agent.speed < speed"),
        mistake: "only the slower one brakes, and no agent accelerates";
    avoidance_head_on in both:
        "two that meet head on give way to opposite sides: A₁ = -A₂, a_max long and across the course",
        source: "a tie that ids break; Reynolds 1999 leaves it open",
        mutant: unaligned_avoidance_resolve("seen_from = select(-1.0, 1.0, agent.id < sum.id);" => "seen_from = 1.0;"),
        mistake: "both give way to the same side";
    avoidance_never_touch in both:
        "with a_max T² ≥ 6 R, R = r₁ + r₂ + margin, two agents come no nearer than R; head on a_max T² ≥ R is \
         enough, and less is not",
        source: "head on, two agents that turn aside for T come apart by a_max T²; else only a part of a_max is \
         across w: by search a fourth is enough",
        mutant: unaligned_avoidance_resolve("<= 1e-6 * (sum.room * sum.room)" => "< 0.0"),
        mistake: "no agent gives way where the miss is zero";
    overlap_push in both:
        "A = a_max (1 - d/R) across the heading, away from the neighbor, R = r₁ + r₂ + margin; 0 from d = R on",
        source: "OpenSteer, steerToAvoidCloseNeighbors: the part of the way out that is across the heading",
        mutant: close_neighbor_avoidance_resolve("sum.depth / sum.room" => "1.0 - sum.depth / sum.room"),
        mistake: "the push grows with the distance";
    overlaps_resolve in both:
        "overlapping agents of equal velocity, also in a file or at one point, are apart after π √(R/2 a_max), and \
         not before half of that",
        source: "a quarter of a swing of two that repel in proportion to their overlap takes π/2 √(R/2a)",
        mutant: close_neighbor_avoidance_resolve("select(-1.0, 1.0, agent.id < sum.id)" => "1.0"),
        mistake: "both dodge to the same side";
}

/// Two agents, and the numbers that decide how they avoid each other.
#[derive(Debug, Clone, Copy)]
struct Pair {
    bodies: [Body; 2],
    radius: f64,
    margin: f64,
    horizon: f64,
    force: f64,
}

impl Pair {
    fn room(&self) -> f64 {
        2.0 * self.radius + self.margin
    }

    /// Add it as a species of its own. Returns the first id.
    fn add(&self, setup: &mut Setup, behavior: &str) -> usize {
        let Pair { radius, margin, horizon, force, .. } = self;
        let horizon =
            if behavior == "unaligned_avoidance" { format!("time_horizon = {horizon}, ") } else { String::new() };
        let lines = format!(
            "radius = {radius}\nmax_force = {force}\nmax_speed = 40\nbehaviors.{behavior} = {{ {horizon}margin = {margin}, \
             perception_radius = 150, field_of_view = 360 }}\n"
        );
        setup.species(&lines, &self.bodies).start
    }
}

/// Time of the nearest approach of two agents, and the miss, from the first to the second one.
fn approach([a, b]: [Body; 2]) -> (f64, V) {
    let (offset, relative) = (minus(b.position, a.position), minus(b.velocity, a.velocity));
    let time = -dot(offset, relative) / dot(relative, relative);
    (time, plus(offset, times(relative, time)))
}

/// Two agents that will be nearest after `time`, s, at a distance of `share` times the room.
fn meeting(draw: &mut Draw, spatial: bool, time: f64, share: f64) -> Pair {
    let (radius, margin) = (draw.between(0.3, 1.5), draw.between(0.0, 1.0));
    loop {
        let velocities = [(); 2].map(|()| times(draw.heading(spatial), draw.between(4.0, 12.0)));
        let relative = minus(velocities[1], velocities[0]);
        if norm(relative) < 3.0 {
            continue;
        }
        let aside = draw.turned(spatial, unit(relative), 90.0);
        let miss = times(aside, share * (2.0 * radius + margin));
        let place = [0, 1].map(|k| times(velocities[k], -time));
        let bodies = [Body::at(place[0]).moving(velocities[0]), Body::at(plus(place[1], miss)).moving(velocities[1])];
        // f32 rounds radii and positions, which decides nothing for shares well off 1.
        return Pair { bodies, radius, margin, horizon: 2.0, force: draw.scale(5.0, 100.0) };
    }
}

/// The unit vector away from the miss, across the velocity.
fn sideways(miss: V, velocity: V) -> V {
    times(unit(across(miss, unit(velocity))), -1.0)
}

fn avoidance_away(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..12, |setup, _| {
        loop {
            let (time, share) = (draw.between(0.2, 1.8), draw.between(0.1, 0.9));
            let pair = meeting(draw, spatial, time, share);
            let [a, b] = pair.bodies.map(|body| unit(body.velocity));
            let (_, miss) = approach(pair.bodies);
            let clear = |f: V| norm(across(miss, f)) > 0.05;
            // Neither crossing courses, where one agent also brakes, nor a miss along a heading.
            if dot(a, b).abs() < 0.72 || !clear(a) || !clear(b) {
                continue;
            }
            let id = pair.add(setup, "unaligned_avoidance");
            break move |found| {
                let parameters = [("t", time), ("miss / room", share), ("a_max", pair.force)];
                for (k, miss) in [miss, times(miss, -1.0)].into_iter().enumerate() {
                    let wanted = times(sideways(miss, pair.bodies[k].velocity), pair.force);
                    bench.check(Case::vector(&parameters, wanted, found[id + k], 2e-3));
                }
            };
        }
    })
}

fn avoidance_first(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..12, |setup, index| {
        // Others come head-on at different times, each a bit to another side.
        let (speed, force) = (draw.between(5.0, 10.0), draw.scale(5.0, 100.0));
        let course = draw.heading(spatial);
        let own = Body::at(ZERO).moving(times(course, speed));
        let mut times_left = [draw.between(0.3, 0.6), draw.between(0.8, 1.1), draw.between(1.3, 1.7)];
        times_left.rotate_left(index % 3);
        let asides = [(); 3].map(|()| draw.turned(spatial, course, 90.0));
        let other = |k: usize| {
            Body::at(plus(times(course, 2.0 * speed * times_left[k]), asides[k])).moving(times(course, -speed))
        };
        let bodies = [own, other(0), other(1), other(2)];
        let lines = format!(
            "radius = 1\nmax_force = {force}\nmax_speed = 40\nbehaviors.unaligned_avoidance = {{ time_horizon = 2, \
             margin = 0.5, perception_radius = 100, field_of_view = 360 }}\n"
        );
        let earliest = (0..3).min_by(|a, b| times_left[*a].total_cmp(&times_left[*b])).unwrap_or(0);
        let (parameters, away) = ([("a_max", force), ("t", times_left[earliest])], times(asides[earliest], -force));
        let id = setup.species(&lines, &bodies).start;
        move |found| bench.check(Case::vector(&parameters, away, found[id], 1e-3))
    })
}

fn avoidance_no_alarm(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..15, |setup, index| {
        let (time, share) = match index % 5 {
            0 => (draw.between(2.02, 2.15), draw.between(0.0, 0.9)),
            1 => (draw.between(-2.0, -0.1), draw.between(0.0, 0.9)),
            _ => (draw.between(0.1, 1.9), draw.between(1.05, 8.0)),
        };
        let id = meeting(draw, spatial, time, share).add(setup, "unaligned_avoidance");
        let parameters = [("t", time), ("miss / room", share)];
        move |found| bench.check([id, id + 1].map(|id| Case::vector_within(&parameters, ZERO, found[id], 0.0)))
    })
}

fn avoidance_slower_yields(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..10, |setup, _| {
        let (slow, fast, time) = (draw.between(2.0, 5.0), draw.between(6.0, 12.0), draw.between(0.3, 1.8));
        let course = draw.heading(spatial);
        let other = draw.turned(spatial, course, draw.clone().between(50.0, 130.0));
        draw.word();
        let body = |direction: V, speed: f64| Body::at(times(direction, -speed * time)).moving(times(direction, speed));
        let bodies = [body(course, slow), body(other, fast)];
        let pair = Pair { bodies, radius: 0.5, margin: 0.5, horizon: 2.0, force: draw.scale(5.0, 100.0) };
        let Pair { bodies, force, .. } = pair;
        let id = pair.add(setup, "unaligned_avoidance");
        move |found| {
            let along = |k: usize| dot(found[id + k], unit(bodies[k].velocity));
            // The time constant is 0.25 s where the scene gives none.
            let brake = force.min(norm(bodies[0].velocity) / 0.25);
            let parameters = [("a_max", force), ("t", time), ("speed", norm(bodies[0].velocity))];
            bench.check(Case::absolute(&parameters, -brake, along(0), 1e-4 * force));
            // The largest speed is 40 u/s.
            let gain = force.min((40.0 - norm(bodies[1].velocity)) / 0.25);
            bench.check(Case::absolute(&parameters, gain, along(1), 1e-4 * force));
        }
    })
}

fn avoidance_crossing(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..16, |setup, index| {
        loop {
            // Some miss each other by nearly all of the room, so that the room counts.
            let near = if index % 4 == 0 { (0.97, 0.99) } else { (0.1, 0.9) };
            let (time, share) = (draw.between(0.2, 1.8), draw.between(near.0, near.1));
            let Pair { bodies, radius, margin, force, .. } = meeting(draw, spatial, time, share);
            // Some ask for less force than they have, some for more.
            let (speed, tau) = (draw.between(12.5, 20.0), draw.scale(0.1, 2.0));
            let lines = format!(
                "radius = {radius}\nmax_force = {force}\nmax_speed = {speed}\ntime_constant = {tau}\n\
                 behaviors.unaligned_avoidance = {{ time_horizon = 2, margin = {margin}, perception_radius = 150, \
                 field_of_view = 360 }}\n"
            );
            let mut own = setup.clone();
            let id = own.species(&lines, &bodies).start;
            let [a, b] = [id, id + 1].map(|id| own.body(id));
            let (_, miss) = approach([a, b]);
            // For each agent: body, course, and the parts of its miss along the course and across it.
            let seen = [(a, miss), (b, times(miss, -1.0))].map(|(body, miss)| {
                let course = unit(body.velocity);
                let ahead = dot(miss, course);
                (body, course, ahead, minus(miss, times(course, ahead)))
            });
            let clear = seen.iter().all(|(_, _, ahead, aside)| ahead.abs() > 0.05 && norm(*aside) > 0.1);
            if dot(seen[0].1, seen[1].1).abs() >= 0.69 || !clear {
                continue;
            }
            *setup = own;
            break move |found: &Vec<V>| {
                for (k, (body, course, ahead, aside)) in seen.into_iter().enumerate() {
                    let left = if ahead < 0.0 { speed } else { 0.0 } - norm(body.velocity);
                    let forward = (left / tau).clamp(-force, force);
                    let along = dot(found[id + k], course);
                    let parameters = [("a_max", force), ("t", time), ("v_max", speed), ("τ", tau), ("ahead", ahead)];
                    bench.check(Case::absolute(&parameters, forward, along, 1e-4 * force));
                    let across = minus(found[id + k], times(course, along));
                    bench.check(Case::vector(&parameters, times(unit(aside), -force), across, 1e-4));
                }
            };
        }
    })
}

fn avoidance_standing(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01).apart(), 0..24, |setup, _| {
        let (heading, speed, time) = (draw.heading(spatial), draw.between(3.0, 12.0), draw.between(0.3, 1.8));
        let (aside, share) = (draw.turned(spatial, heading, 90.0), draw.between(0.1, 0.9));
        let mut pair = Pair { bodies: [Body::at(ZERO); 2], radius: 0.5, margin: 0.5, horizon: 2.0, force: 40.0 };
        pair.bodies[0].velocity = times(heading, speed);
        pair.bodies[1].position = plus(times(heading, speed * time), times(aside, share * pair.room()));
        let id = pair.add(setup, "unaligned_avoidance");
        (id, [("v", speed), ("t", time), ("miss / room", share)], times(aside, -pair.force), 1e-3 * pair.force)
    })
}

fn avoidance_before_or_behind(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 0.01;
    bench.flies(Setup::open(spatial, dt).apart(), 180, 0..12, |setup, _| {
        loop {
            let (time, share) = (draw.between(0.5, 1.8), draw.between(0.2, 0.8));
            let pair = meeting(draw, spatial, time, share);
            let [a, b] = pair.bodies.map(|body| unit(body.velocity));
            // Positive if the second agent is ahead of the first when they are nearest.
            let ahead = dot(approach(pair.bodies).1, a);
            if dot(a, b).abs() >= 0.6 || ahead.abs() <= 0.1 {
                continue;
            }
            let pair = Pair { force: pair.force.max(8.0 * pair.room() / (time * time)), ..pair };
            let (first, id) = (usize::from(ahead > 0.0), pair.add(setup, "unaligned_avoidance"));
            break move |path| {
                let [speed, gain] = [0, 1]
                    .map(|step: usize| move |k: usize| dot(path[step][id + k].velocity, unit(pair.bodies[k].velocity)));
                let gain = |k: usize| (gain(k) - speed(k)) / dt;
                let parameters = [("a_max", pair.force), ("t", time), ("room", pair.room())];
                // At least half of the force accelerates or brakes, unless (v_max - v)/τ or v/τ asks for less.
                let hurry = 0.54 * pair.force.min((40.0 - speed(first)) / 0.25);
                let wait = 0.54 * pair.force.min(speed(1 - first) / 0.25);
                bench.check(Case::at_least(&parameters, hurry, gain(first), 0.0));
                bench.check(Case::at_most(&parameters, -wait, gain(1 - first), 0.0));
                let [one, other] = [first, 1 - first].map(|k| path[(time / dt).round() as usize][id + k].position);
                let ahead = dot(minus(one, other), unit(pair.bodies[1 - first].velocity));
                bench.check(Case::at_least(&parameters, 0.0, ahead, 0.0));
            };
        }
    })
}

/// Head on, on exactly one line, at one place after a time between these.
fn facing(draw: &mut Draw, spatial: bool, (soonest, latest): (f64, f64)) -> Pair {
    let axis = draw.whole(0, if spatial { 2 } else { 1 }) as usize;
    let along = |length: f64| {
        let mut v = ZERO;
        v[axis] = length;
        v
    };
    let (speed, time) = (draw.dyadic(4.0, 10.0), draw.dyadic(soonest, latest));
    let body = |sign: f64| Body::at(along(-sign * speed * time)).moving(along(sign * speed));
    Pair { bodies: [body(1.0), body(-1.0)], radius: 0.5, margin: 0.5, horizon: 2.0, force: draw.scale(5.0, 100.0) }
}

fn avoidance_head_on(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..10, |setup, _| {
        let pair = facing(draw, spatial, (0.5, 1.5));
        let id = pair.add(setup, "unaligned_avoidance");
        move |found| {
            let parameters = [("a_max", pair.force), ("speed", norm(pair.bodies[0].velocity))];
            bench.check(Case::vector(&parameters, times(found[id], -1.0), found[id + 1], 1e-6));
            bench.check(Case::relative(&parameters, pair.force, norm(found[id]), 1e-5));
            let along = dot(found[id], unit(pair.bodies[0].velocity));
            bench.check(Case::absolute(&parameters, 0.0, along, 1e-5 * pair.force));
        }
    })
}

fn avoidance_never_touch(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(Setup::open(spatial, 0.01).apart(), 450, 0..30, |setup, index| {
        let (share, late) = (draw.between(0.0, 0.9), draw.between(1.95, 2.5));
        // Of head-on pairs the force makes just enough room or not quite enough; of others, more than enough.
        let (mut pair, enough) = match index % 5 {
            0 => (facing(draw, spatial, (0.5, 1.5)), (1.05, 1.1)),
            1 => (facing(draw, spatial, (2.25, 3.0)), (1.05, 1.1)),
            2 => (facing(draw, spatial, (0.5, 3.0)), (0.8, 0.9)),
            3 => (meeting(draw, spatial, late, 0.0), (6.0, 12.0)),
            _ => (meeting(draw, spatial, late, share), (6.0, 12.0)),
        };
        // The time that is left to make room.
        let ((time, _), enough) = (approach(pair.bodies), draw.between(enough.0, enough.1));
        pair.force = enough * pair.room() / time.min(pair.horizon).powi(2);
        let id = pair.add(setup, "unaligned_avoidance");
        move |path| {
            let gap = path[1..].iter().map(|bodies| norm(minus(bodies[id + 1].position, bodies[id].position)));
            let least = gap.least();
            let parameters = [("a_max T²/R", enough), ("R", pair.room()), ("t", time)];
            bench.check(match enough < 1.0 {
                true => Case::at_most(&parameters, 0.97 * pair.room(), least, 0.0),
                false => Case::at_least(&parameters, pair.room(), least, 1e-3),
            });
        }
    })
}

fn overlap_push(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..12, |setup, _| {
        let (radius, margin, force) = (draw.between(0.3, 1.5), draw.between(0.0, 1.0), draw.scale(5.0, 100.0));
        let (room, share) = (2.0 * radius + margin, draw.between(0.1, 1.3));
        let course = draw.heading(spatial);
        let way = draw.turned(spatial, course, draw.clone().between(20.0, 160.0));
        draw.word();
        let bodies = [ZERO, times(way, share * room)].map(|position| Body::at(position).moving(times(course, 5.0)));
        let pair = Pair { bodies, radius, margin, horizon: 0.0, force };
        let id = pair.add(setup, "close_neighbor_avoidance");
        let [a, b] = bodies;
        let out = times(sideways(minus(b.position, a.position), a.velocity), force * (1.0 - share).max(0.0));
        move |found| {
            let parameters = [("d/R", share), ("R", pair.room()), ("a_max", force)];
            bench.check(Case::vector_within(&parameters, out, found[id], 1e-5 * force));
            bench.check(Case::vector_within(&parameters, times(out, -1.0), found[id + 1], 1e-5 * force));
        }
    })
}

fn overlaps_resolve(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 0.005;
    bench.flies(Setup::open(spatial, dt).apart(), 150, 0..12, |setup, index| {
        let (radius, margin) = (draw.between(0.3, 1.0), draw.between(0.0, 0.5));
        let room = 2.0 * radius + margin;
        let force = draw.between(8.0, 20.0) * room;
        let velocity = [draw.dyadic(3.0, 6.0), 0.0, 0.0];
        let apart = match index % 3 {
            0 => ZERO,
            1 => [0.25, 0.0, 0.0],
            _ => times(draw.heading(spatial), 0.5 * room),
        };
        let bodies = [ZERO, apart].map(|position| Body { position, velocity });
        let id = Pair { bodies, radius, margin, horizon: 0.0, force }.add(setup, "close_neighbor_avoidance");
        move |path| {
            let parted = path.iter().position(|at| norm(minus(at[id + 1].position, at[id].position)) >= room);
            let time = parted.map_or(f64::INFINITY, |step| step as f64 * dt);
            let swing = std::f64::consts::PI * (room / (2.0 * force)).sqrt();
            let parameters = [("R", room), ("a_max", force), ("time", swing)];
            // Two at one point (`index % 3 == 0`) part sooner; two behind one another have a longer way aside.
            let latest = if index % 3 == 0 { 0.7 } else { 1.0 } * swing;
            bench.check([
                Case::at_least(&parameters, 0.5 * swing, time, dt),
                Case::at_most(&parameters, latest, time, dt),
            ]);
        }
    })
}
