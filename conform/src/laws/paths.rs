//! Paths: along them, and back to them.

use crate::walker::{Walker, clear, clear_to, lanes, named, near, steering, to_and_fro, walks};
use crate::*;

const OPENSTEER: &str = "OpenSteer, steerToStayOnPath";

laws! {
    path_following_steering in both by onward(|draw, spatial| walks(draw, spatial, 6)):
        "off the path at p + T v, or onward below c v_max, A = w (v_max u(q - p) - v)/τ, q max(t |v|, R) farther on; else A = 0",
        source: "Reynolds 1999, Path Following; Shiffman for the radius; OpenSteer for the direction of travel",
        mutant: path_following_steer("agent.speed" => "agent.max_speed"),
        mistake: "the look-ahead is that of full speed";
    path_following_reynolds in both by published("reynolds"):
        "form = reynolds: off the path at p + T v, A = w (v_max u(q - p) - v)/τ, q the path's nearest point to p + T v; else A = 0",
        source: "Reynolds 1999, Path Following: the predicted position is projected onto the spine, and the projection sought",
        mutant: path_following_steer("look_ahead = 0.0;" => "look_ahead = path.radius;"),
        mistake: "a point farther on is sought";
    path_following_nature_of_code in both by published("nature_of_code"):
        "form = nature_of_code: as reynolds, but q is t |v| farther along the path",
        source: "Shiffman, The Nature of Code, path following: a bit further along, according to our velocity",
        mutant: path_following_steer("var start = ahead.arc_length;" => "var start = here.arc_length;"),
        mistake: "the target is counted from where the agent is";
    path_following_forms in both:
        "before one bend reynolds seeks the foot of p + T v, nature_of_code t |v| on from there, onward max(t |v|, R) on from the foot of p",
        source: "Reynolds 1999; Shiffman, The Nature of Code; OpenSteer, steerToFollowPath: one agent, three targets",
        mutant: path_following_steer("if (onward || stops) { start" => "if (stops) { start"),
        mistake: "onward too is counted from the predicted position";
    path_following_leg in both:
        "where the ways of legs overlap, onward counts from the leg with the least d², and (2 R)² more if it leads back",
        source: "inside both ways, of a width of 2 R, the leg that is being followed counts; far from one the near one still does",
        mutant: followed_on_path("2.0 * segment_radius(path, k)" => "segment_radius(path, k)"),
        mistake: "half of the width";
    path_following_bends in both:
        "round bends of up to 165 degrees agents with form = onward come to the end of a path in L/(v/2) + 4 s, in \
         the order of its corners",
        source: "published forms are shown on gentle paths; of 48 agents, over five seeds, these numbers fail at \
         150, 155, 160 and 165 degrees: onward 0; by the nearest leg, as OpenSteer's, 15 to 28, 23 to 32, 25 to 37 \
         and 28 to 44, which turn before the bend; nature_of_code 42 to 48, 46 to 48, 47 to 48 and 47 to 48; \
         reynolds all 48",
        mutant: path_following_steer("followed_on_path(path, agent.position, agent.velocity * sign).arc_length"
            => "here.arc_length"),
        mistake: "the nearest leg counts, and agents turn into the next one before the bend";
    path_following_outer_corner in both:
        "beyond an outer corner the corner is nearest, and the target lies on the next segment",
        source: "E28: published code takes perpendiculars that meet a segment only, and finds no target there",
        mutant: followed_on_path("if (off < least) {" => "if (off < least && share > 0.0 && share < 1.0) {"),
        mistake: "the ends of segments do not count";
    path_radii: "where segments differ in width, the one with the least d - R counts, and R is its own",
        source: "OpenSteer, PolylineSegmentedPathwaySegmentRadii",
        mutant: followed_on_path("sqrt(off) - segment_radius(path, k)" => "sqrt(off)"),
        mistake: "the nearest line counts, though a wide way beside it reaches the agent";
    path_following_error in both by keeps_to_it("path_following", 180):
        "an agent that comes to a straight path of radius R stays within max(R, r) if T >= max(τ, 2 v/a), and ends \
         within R; from the path's middle some agent gets to 0.9 r",
        source: "v goes straight to that of the course, by a, then at 1/τ: r = max v sin φ ((1 - s²) g/(2 a) + s τ), g = 2 v sin(φ/2), s = min(1, a τ/g)",
        mutant: path_following_steer("ahead.distance <= ahead.radius" => "here.distance <= here.radius"),
        mistake: "nothing is predicted: the agent turns at the edge";
    path_following_progress in both:
        "round a closed path, forward or backward, an agent advances in every second, and at v_max/2 at least in the \
         mean",
        source: "OpenSteer: progress along the path is monotone",
        mutant: path_following_steer("start + look_ahead * sign" => "start + look_ahead"),
        mistake: "the target is always toward the last point";
    path_following_turns_round in both:
        "an agent that goes the wrong way within a path's radius turns round, and then goes the right way at v_max/2 \
         at least",
        source: "OpenSteer, steerToFollowPath, for the direction; there the agent creeps",
        mutant: path_following_steer("progress > path_following.min_progress * agent.max_speed" => "progress > 0.0"),
        mistake: "an agent that has just turned creeps on, at a speed that depends on the time step";
    path_following_end in both:
        "at the end of an open path an agent comes to rest at the last point; with end = ignore it passes it at speed",
        source: "Millington: following a path ends in an arrival",
        mutant: path_following_steer("left = max(rest, sqrt(dot3(way, way)));" => "left = path_following.slow_radius;"),
        mistake: "the end is sought, and passed again and again";
    stay_on_path_steering in both by staying(|draw, spatial| walks(draw, spatial, 6)):
        "off the path at p + T v, A = w (v_max u(q - p) - v)/τ, q the nearest point of the path there; else A = 0",
        source: OPENSTEER,
        mutant: stay_on_path_steer("ahead.point" => "nearest_on_path(path, agent.position).point"),
        mistake: "q is the point nearest to the agent's place, not to the predicted one";
    stay_on_path_either_way in both: "a path and the same path backward steer alike",
        source: OPENSTEER,
        mutant: stay_on_path_steer("ahead.point - agent.position" => "ahead.point + ahead.tangent - agent.position"),
        mistake: "q lies somewhat farther on, as in path following";
    stay_on_path_returns in both:
        "an agent that comes to a straight path of radius R stays within max(R, r) if T >= max(τ, 2 v/a), and ends \
         within R; from the path's middle some agent gets to 0.9 r",
        source: "as path_following_error, but φ <= 90 degrees: it has no direction of travel",
        mutant: stay_on_path_steer("ahead.distance <= ahead.radius" => "ahead.distance <= 2.0 * ahead.radius"),
        mistake: "twice the radius counts as on the path";
}

/// Agents round sharp bends, where two segments overlap within their widths. Every second path has a width for each segment.
fn path_following_leg(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    onward(bench, draw, spatial, |draw, spatial| {
        let mut way = |index: usize| {
            let bend = draw.between(150.0, 170.0);
            let way = to_and_fro(draw, spatial, bend);
            let radii = (1..way.corners.len()).map(|_| draw.between(2.0, 5.0)).filter(|_| index % 2 == 1).collect();
            Way { radius: draw.between(2.0, 5.0), radii, ..way }
        };
        (0..6).map(&mut way).collect()
    })
}

/// Path following and staying on paths whose segments differ in width.
fn path_radii(bench: &Bench, draw: &mut Draw) -> Tried {
    in_both(bench, draw, |bench, draw, spatial| onward(bench, draw, spatial, lanes))?;
    in_both(bench, draw, |bench, draw, spatial| staying(bench, draw, spatial, lanes))
}

fn onward(bench: &Bench, draw: &mut Draw, spatial: bool, ways: fn(&mut Draw, bool) -> Vec<Way>) -> Tried {
    steering(bench, draw, spatial, ("path_following", "onward"), ways, |walker, way, Body { position, velocity }| {
        let here = way.nearest(position);
        let sign = if walker.backward { -1.0 } else { 1.0 };
        let predicted = plus(position, times(velocity, walker.predict));
        let off = way.nearest(predicted).off(predicted);
        let rest = if walker.backward { here.arc } else { way.length() - here.arc };
        let (ends, progress) = (walker.stops && !way.closed, dot(velocity, here.tangent) * sign);
        let stops = ends && rest < walker.slow;
        let on = off < 0.0 && !stops;
        // Nothing that a rounding decides.
        let direction = times(velocity, sign);
        let close = off.abs() < 1e-3
            || (ends && (rest - walker.slow).abs() < 1e-3)
            || (on && (progress - walker.progress * walker.speed).abs() < 1e-3);
        if close || !clear(way, position, !on) || !clear_to(way, position, direction, true) {
            return None;
        }
        if on && progress > walker.progress * walker.speed {
            return Some((ZERO, 0.0));
        }
        let look_ahead = (walker.ahead * norm(velocity)).max(here.radius).max(walker.speed * DT);
        let course = minus(way.at(way.followed(position, direction).arc + sign * look_ahead), position);
        let slower = if stops { (rest.max(norm(course)) / walker.slow).min(1.0) } else { 1.0 };
        Some(walker.toward(course, walker.speed * slower, velocity))
    })
}

fn staying(bench: &Bench, draw: &mut Draw, spatial: bool, ways: fn(&mut Draw, bool) -> Vec<Way>) -> Tried {
    steering(bench, draw, spatial, ("stay_on_path", ""), ways, |walker, way, Body { position, velocity }| {
        let predicted = plus(position, times(velocity, walker.predict));
        let off = way.nearest(predicted).off(predicted);
        if off.abs() < 1e-3 || !clear(way, predicted, true) {
            return None;
        }
        let course = minus(way.nearest(predicted).point, position);
        Some(if off < 0.0 { (ZERO, 0.0) } else { walker.toward(course, walker.speed, velocity) })
    })
}

/// Steering of the two published forms of path following, away from the ends of open paths.
fn published(bench: &Bench, draw: &mut Draw, spatial: bool, form: &'static str) -> Tried {
    steering(
        bench,
        draw,
        spatial,
        ("path_following", form),
        |draw, spatial| walks(draw, spatial, 6),
        |walker, way, Body { position, velocity }| {
            let predicted = plus(position, times(velocity, walker.predict));
            let (here, there) = (way.nearest(position), way.nearest(predicted));
            let off = way.distance(predicted) - way.radius;
            let rest = if walker.backward { here.arc } else { way.length() - here.arc };
            // At the end of an open path all forms do the same, which another law checks.
            let ends = walker.stops && !way.closed && rest < walker.slow + 1e-3;
            if off.abs() < 1e-3 || ends || !clear(way, position, true) || !clear(way, predicted, true) {
                return None;
            }
            let onward = if walker.form == "reynolds" { 0.0 } else { walker.ahead * norm(velocity) };
            let target = way.at(there.arc + onward * if walker.backward { -1.0 } else { 1.0 });
            let course = minus(target, position);
            Some(if off < 0.0 { (ZERO, 0.0) } else { walker.toward(course, walker.speed, velocity) })
        },
    )
}

/// Agents before a right angle, in each of the forms, with targets worked out by hand: the first segment goes along x to the origin, the
/// second along y, and agents are below the first one, so that the nearest point has the agent's x.
fn path_following_forms(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (radius, weight) = (draw.between(0.5, 1.0), draw.between(0.3, 3.0));
    let corners = vec![[-40.0, 0.0, 0.0], ZERO, [0.0, 40.0, 0.0]];
    let way = Way { corners, radius, ..Way::default() };
    let (mut setup, mut wishes) = (among(spatial, DT, &named(&[way], spatial)), Vec::new());
    for index in 0..10 {
        // For half of the agents a target t |v| ahead is beyond the bend; for two of them t |v| is less than the radius.
        let x = if index % 2 == 0 { draw.between(-4.0, -3.0) } else { draw.between(-12.0, -9.0) };
        let position = rounded([x, draw.between(-9.0, -4.0), if spatial { draw.between(-3.0, 3.0) } else { 0.0 }]);
        let velocity = rounded([draw.between(3.0, 6.0), draw.between(-1.0, 1.0), 0.0]);
        let speed = norm(velocity);
        let most = draw.between(6.5, 12.0);
        let predict = draw.between(0.2, 0.4);
        let ahead = if index < 8 { draw.between(5.0, 8.0) } else { draw.between(0.1, 0.4) } / speed;
        let ahead = f64::from(ahead as f32);
        let tau = draw.between(0.1, 0.4);
        let (here, there, on) = (position[0], position[0] + predict * velocity[0], ahead * speed);
        // The point of the path at this arc length from the bend.
        let place = |arc: f64| if arc < 0.0 { [arc, 0.0, 0.0] } else { [0.0, arc, 0.0] };
        let targets = [("reynolds", there), ("nature_of_code", there + on), ("onward", here + f64::max(on, radius))];
        for (form, arc) in targets {
            let (progress, backward, stops, slow) = (0.5, false, false, 2.0);
            let walker =
                Walker { form, progress, predict, ahead, backward, stops, slow, speed: most, tau, most: 1e3, weight };
            let id = setup.agent(&walker.lines("path_following", "way 0"), position, velocity);
            let desired = times(unit(minus(place(arc), position)), most);
            let expected = times(minus(desired, velocity), weight / tau);
            let parameters = [("arc from the bend", arc), ("T", predict), ("t", ahead)];
            wishes.push((id, parameters, expected, 1e-4 * norm(expected)));
        }
    }
    bench.wanted(&setup, wishes)
}

/// Agents that start at the first point of zigzag paths with sharp bends.
fn path_following_bends(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let way = |index: usize| {
        let bend = if index < 3 { 165.0 } else { draw.between(75.0, 165.0) };
        to_and_fro(draw, spatial, bend)
    };
    let ways: Vec<Way> = (0..6).map(way).collect();
    // The state is read in every fourth step, because reading takes longer than a step.
    const EVERY: u32 = 4;
    let seen = |setup: &Setup| sampled_flight(bench, setup, 5376 / EVERY, EVERY);
    bench.tries(among(spatial, DT, &named(&ways, spatial)), seen, 0..24, |setup, id| {
        let walker = Walker { backward: false, stops: false, ..Walker::drawn(draw) };
        let way = &ways[id % 6];
        let velocity = times(way.nearest(way.corners[0]).tangent, walker.speed);
        setup.agent(&walker.lines("path_following", &format!("way {}", id % 6)), way.corners[0], velocity);
        move |path| {
            // It must pass the corners in order, each within the radius plus the ways of look-ahead, prediction and lag.
            let near = way.radius + walker.speed * (walker.lag() + walker.predict + walker.ahead);
            let mut next = 0;
            let done = path.iter().position(|bodies| {
                next += usize::from(norm(minus(bodies[id].position, way.corners[next])) <= near);
                next == way.corners.len()
            });
            let time = done.map_or(f64::INFINITY, |step| step as f64 * f64::from(EVERY) * DT);
            let most = 2.0 * way.length() / walker.speed + 4.0;
            let parameters = [("T", walker.predict), ("t", walker.ahead), ("v", walker.speed), ("R", way.radius)];
            bench.check(Case::at_most(&parameters, most, time, 0.0));
        }
    })
}

fn path_following_outer_corner(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // In along x, and out at an angle.
    let angles: Vec<f64> = (0..6).map(|_| draw.between(40.0, 130.0)).collect();
    let out = |angle: f64| [angle.to_radians().cos(), -angle.to_radians().sin(), 0.0];
    let way = |angle: &f64| {
        let corners = vec![[-30.0, 0.0, 0.0], ZERO, rounded(times(out(*angle), 30.0))];
        Way { corners, radius: 0.5, ..Way::default() }
    };
    let ways: Vec<Way> = angles.iter().map(way).collect();
    bench.wants(among(spatial, DT, &named(&ways, spatial)), 0..24, |setup, index| {
        let (angle, walker) = (angles[index % 6], Walker { backward: false, stops: false, ..Walker::drawn(draw) });
        // Between the perpendiculars to both segments, and above or below them in space.
        let side = (90.0 - angle * draw.between(0.05, 0.95)).to_radians();
        let lift = if spatial { draw.between(-3.0, 3.0) } else { 0.0 };
        let position = plus(times([side.cos(), side.sin(), 0.0], draw.between(4.5, 8.0)), [0.0, 0.0, lift]);
        // At rest the predicted position is the position.
        let id = setup.agent(&walker.lines("path_following", &format!("way {}", index % 6)), position, ZERO);
        let course = minus(times(out(angle), 0.5), setup.body(id).position);
        let (expected, bound) = walker.toward(course, walker.speed, ZERO);
        (id, [("angle", angle), ("d", norm(course))], expected, bound)
    })
}

fn stay_on_path_returns(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // `stay_on_path` has no direction of travel: the agent's own velocity gives it.
    keeps_to_it(bench, draw, spatial, "stay_on_path", 90)
}

/// Agents that come to a straight path from outside, and others that leave the middle of a narrow one at the angle, up to `widest`
/// degrees, that leads farthest. The target of these is so far away that its direction stays.
fn keeps_to_it(bench: &Bench, draw: &mut Draw, spatial: bool, behavior: &str, widest: u32) -> Tried {
    const NARROW: usize = 6;
    let heading = draw.heading(spatial);
    let mut radii: Vec<f64> = (0..NARROW).map(|_| draw.between(0.5, 4.0)).collect();
    radii.push(0.1);
    let ways: Vec<Way> = radii.iter().map(|radius| Way::straight(ZERO, heading, 390.0, *radius)).collect();
    let ways = &ways;
    bench.flies(among(spatial, DT, &named(ways, spatial)), 1024, 0..32, |setup, index| {
        let mut walker = Walker::drawn(draw);
        // Some of those in the middle are held by their force alone.
        if index >= 28 {
            (walker.tau, walker.most) = (0.05, 0.5 * walker.most);
        }
        // Not straight across: then the point nearest to the predicted position is the agent's own position, which gives no course.
        let (gets, angle) = walker.reach(widest - 10);
        let away = draw.turned(spatial, heading, 90.0);
        let (way, start, course) = if index < 24 {
            walker.predict = f64::from((walker.lag() * draw.between(1.0, 2.0)) as f32);
            (index % 6, times(away, radii[index % 6] * draw.between(1.1, 4.0)), draw.heading(spatial))
        } else {
            (walker.predict, walker.ahead) = (50.0, 50.0);
            let onward = times(heading, if walker.backward { -1.0 } else { 1.0 });
            (NARROW, ZERO, plus(times(onward, angle.cos()), times(away, angle.sin())))
        };
        setup.agent(&walker.lines(behavior, &format!("way {way}")), start, times(course, walker.speed));
        move |path| {
            let (radius, (reach, _), step) = (ways[way].radius, walker.reach(widest), walker.speed * DT);
            let off: Vec<f64> = path.iter().map(|bodies| ways[way].distance(bodies[index].position)).collect();
            let parameters = [("R", radius), ("T", walker.predict), ("v", walker.speed), ("r", reach)];
            // From the first time within the radius on; an agent that never comes there stays outside.
            let later = off.iter().skip_while(|off| **off > radius).fold(0.0, |a: f64, b| a.max(*b));
            bench.check(Case::at_most(&parameters, radius.max(reach), later, 0.2 * step));
            bench.check(match way {
                // With finite steps an agent gets half of a step less far.
                NARROW => Case::at_least(&parameters, 0.9 * gets - 0.5 * step, later, 0.0),
                _ => Case::at_most(&parameters, radius, off[off.len() - 1], 1e-2),
            });
        }
    })
}

/// How far an agent advances along its path from step `from` on, u: the least in any second, and in all.
fn advances(path: &[Vec<Body>], id: usize, way: &Way, from: usize) -> (f64, f64) {
    let (length, second) = (way.length(), (1.0 / DT) as usize);
    let mut arcs = vec![0.0];
    for pair in path[from..].windows(2) {
        let change = way.nearest(pair[1][id].position).arc - way.nearest(pair[0][id].position).arc;
        arcs.push(arcs[arcs.len() - 1] + change - length * (change / length).round());
    }
    let least = arcs.windows(second + 1).map(|window| window[second] - window[0]);
    (least.least(), arcs[arcs.len() - 1])
}

fn path_following_progress(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // A circuit of 12 corners.
    let corner = |k: usize| {
        let (sin, cos) = (30.0 * k as f64).to_radians().sin_cos();
        rounded([15.0 * cos, 15.0 * sin, 0.0])
    };
    let circuit = |_| {
        let corners = (0..12).chain([0]).map(corner).collect();
        Way { corners, closed: true, radius: draw.between(1.0, 2.0), ..Way::default() }
    };
    let ways: Vec<Way> = (0..6).map(circuit).collect();
    let ways = &ways;
    bench.flies(among(spatial, DT, &named(ways, spatial)), 1280, 0..24, |setup, index| {
        let (walker, way) = (Walker::drawn(draw), &ways[index % 6]);
        let share = draw.between(0.0, 1.0);
        let position = plus(way.at(share * way.length()), draw.point(spatial, 4.0));
        let on = times(way.nearest(position).tangent, if walker.backward { -1.0 } else { 1.0 });
        let angle = draw.between(0.0, 80.0);
        let velocity = times(draw.turned(spatial, on, angle), walker.speed);
        setup.agent(&walker.lines("path_following", &format!("way {}", index % 6)), position, velocity);
        move |path| {
            let sign = if walker.backward { -1.0 } else { 1.0 };
            let mirrored = if walker.backward { reversed(&ways[index % 6]) } else { ways[index % 6].clone() };
            let (least, total) = advances(path, index, &mirrored, 256);
            let parameters = [("direction", sign), ("T", walker.predict), ("t", walker.ahead), ("v", walker.speed)];
            bench.check(Case::at_least(&parameters, 0.25 * walker.speed, least, 0.0));
            bench.check(Case::at_least(&parameters, 0.5 * walker.speed * 16.0, total, 0.0));
        }
    })
}

fn path_following_turns_round(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let heading = draw.heading(spatial);
    let way = &Way::straight(ZERO, heading, 300.0, draw.between(2.0, 4.0));
    bench.flies(among(spatial, DT, &named(std::slice::from_ref(way), spatial)), 384, 0..24, |setup, index| {
        let walker = Walker::drawn(draw);
        let sign = if walker.backward { -1.0 } else { 1.0 };
        // Half of them right in the middle, and straight back.
        let (angle, away) = if index % 2 == 0 { (0.0, 0.0) } else { (draw.between(0.0, 50.0), draw.between(0.0, 0.8)) };
        let start = times(draw.turned(spatial, heading, 90.0), away * way.radius);
        let velocity = times(draw.turned(spatial, times(heading, -sign), angle), walker.speed);
        setup.agent(&walker.lines("path_following", "way 0"), start, velocity);
        move |path| {
            let onward = |bodies: &Vec<Body>| dot(bodies[index].velocity, heading) * sign;
            let last = path[320..].iter().map(onward).least();
            bench.check(Case::at_least(&walker.parameters(), walker.speed / 2.0, last, 1e-3 * walker.speed));
            let off = path.iter().map(|bodies| way.distance(bodies[index].position)).fold(0.0, f64::max);
            bench.check(Case::at_most(&walker.parameters(), way.radius + walker.speed * walker.lag(), off, 0.0));
        }
    })
}

fn path_following_end(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let ways: Vec<Way> = (0..6).map(|_| Way::drawn(draw, spatial, ZERO, 4, false)).collect();
    bench.flies(among(spatial, DT, &named(&ways, spatial)), 1920, 0..24, |setup, index| {
        let mut walker = Walker::drawn(draw);
        // Fast enough not to overshoot.
        walker.tau = f64::from((0.9 * walker.slow / (4.0 * walker.speed)) as f32);
        let way = if walker.backward { reversed(&ways[index % 6]) } else { ways[index % 6].clone() };
        let velocity = times(way.nearest(way.corners[0]).tangent, walker.speed);
        setup.agent(&walker.lines("path_following", &format!("way {}", index % 6)), way.corners[0], velocity);
        let end = way.corners[way.corners.len() - 1];
        move |path| {
            let parameters = [("R", walker.slow), ("v", walker.speed), ("stops", f64::from(walker.stops))];
            let left = |bodies: &Vec<Body>| norm(minus(bodies[index].position, end));
            bench.check(if walker.stops {
                let last = &path[path.len() - 1];
                Case::absolute(&parameters, 0.0, left(last).max(norm(last[index].velocity)), 1e-3)
            } else {
                let there = path.iter().filter(|bodies| left(bodies) < walker.slow / 4.0);
                let fastest = there.map(|bodies| norm(bodies[index].velocity)).fold(0.0, f64::max);
                Case::at_least(&parameters, 0.5 * walker.speed, fastest, 0.0)
            });
        }
    })
}

/// The same path from its end to its start.
fn reversed(way: &Way) -> Way {
    Way { corners: way.corners.iter().rev().copied().collect(), ..way.clone() }
}

fn stay_on_path_either_way(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let ways: Vec<Way> = (0..4).map(|index| Way::drawn(draw, spatial, ZERO, 6, index % 2 == 1)).collect();
    let both: Vec<Way> = ways.iter().flat_map(|way| [way.clone(), reversed(way)]).collect();
    bench.steers(among(spatial, DT, &named(&both, spatial)), 0..16, |setup, index| {
        loop {
            let (index, walker) = (index % 4, Walker::drawn(draw));
            let way = &ways[index];
            let Body { position, velocity } = near(draw, spatial, way, walker.speed);
            let predicted = plus(position, times(velocity, walker.predict));
            if way.distance(predicted) - way.radius <= 1e-3 || !clear(way, predicted, true) {
                continue;
            }
            let [onward, back] = [2 * index, 2 * index + 1]
                .map(|path| setup.agent(&walker.lines("stay_on_path", &format!("way {path}")), position, velocity));
            let course = minus(way.nearest(predicted).point, position);
            let (_, bound) = walker.toward(course, walker.speed, velocity);
            break move |found: &Vec<V>| {
                bench.check(Case::vector_within(&walker.parameters(), found[onward], found[back], bound))
            };
        }
    })
}
