//! Waypoints: from point to point of a path.

use crate::walker::{Walker, named, walks};
use crate::*;

laws! {
    source: "Yuka, FollowPathBehavior: the next waypoint from a distance on";
    waypoint_following_steering in both:
        "A = w (v_max u(c - p) - v)/τ, c the next point; toward the last of an open path v_max min(1, d/R)",
        mutant: waypoint_next("waypoint_following.reach * waypoint_following.reach" => "waypoint_following.reach"),
        mistake: "a squared distance is compared with a distance";
    waypoint_following_order in both:
        "the agent goes to point after point, to each once the one before is nearer than the reach; round a closed \
         path again and again",
        mutant: waypoint_next("return (waypoint + 1u) % path.segments;" => "return min(waypoint + 1u, path.segments);"),
        mistake: "a closed path ends like an open one";
    waypoint_following_end in both: "an open path ends at rest at its last point",
        mutant: waypoint_following_steer("path.closed == 0u && waypoint ==" => "path.closed == 0u && waypoint >"),
        mistake: "the last point is sought, and passed again and again";
}

/// A species that goes from point to point.
fn visitor(walker: &Walker, path: usize, reach: f64) -> String {
    let Walker { slow, speed, tau, most, weight, .. } = *walker;
    let rule = format!("weight = {weight}, path = \"way {path}\", reach = {reach}, slow_radius = {slow}");
    limits(speed, most, tau) + &format!("behaviors.waypoint_following = {{ {rule} }}")
}

fn waypoint_following_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // Two points of the open ones, three of the closed ones.
    let way = |index: usize| Way::drawn(draw, spatial, ZERO, 2 + index % 2, index % 2 == 1);
    let ways: Vec<Way> = (0..6usize).map(way).collect();
    bench.wants(among(spatial, DT, &named(&ways, spatial)), 0..32, |setup, index| {
        let way = &ways[index % 6];
        let walker = Walker { weight: draw.between(0.3, 3.0), slow: draw.between(2.0, 20.0), ..Walker::drawn(draw) };
        let (reach, share) = (draw.between(1.2, 4.0), draw.between(0.1, 2.0));
        let start = plus(way.corners[0], times(draw.heading(spatial), reach * share));
        let velocity = draw.point(spatial, 3.0);
        let (id, Body { position, velocity }) = setup.placed(&visitor(&walker, index % 6, reach), start, velocity);
        let next = usize::from(norm(minus(way.corners[0], position)) < reach);
        let course = minus(way.corners[next], position);
        let slower = if next == 1 && !way.closed { (norm(course) / walker.slow).min(1.0) } else { 1.0 };
        let (expected, bound) = walker.toward(course, walker.speed * slower, velocity);
        (id, [("reach", reach), ("d/reach", share)], expected, bound)
    })
}

fn waypoint_following_order(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let ways = walks(draw, spatial, 4);
    bench.remembers(among(spatial, 1.0 / 16.0, &named(&ways, spatial)), 480, 0..24, |setup, index| {
        let (walker, reach, way) = (Walker::drawn(draw), draw.between(0.8, 2.0), &ways[index % 6]);
        let start = plus(way.corners[0], draw.point(spatial, 10.0));
        let id = setup.agent(&visitor(&walker, index % 6, reach), start, ZERO);
        move |steps| {
            let points = way.corners.len() - usize::from(way.closed);
            // The expected next point, how many were reached, and in how many steps the agent's memory has another one.
            let (mut next, mut reached, mut wrong) = (0, 0, 0);
            for (before, memories) in steps {
                let there = norm(minus(way.corners[next], before[id].position)) < reach;
                if there && (way.closed || next + 1 < points) {
                    next = (next + 1) % points;
                    reached += 1;
                }
                wrong += u32::from(memories[id].behaviors.waypoint_following.waypoint as usize != next);
            }
            let parameters = [("v", walker.speed), ("reach", reach), ("closed", f64::from(way.closed))];
            bench.check(Case::absolute(&parameters, 0.0, f64::from(wrong), 0.0));
            // On an open path all points before the last one, on a closed one all and the first again.
            let least = if way.closed { 5.0 } else { 3.0 };
            bench.check(Case::at_least(&parameters, least, f64::from(reached), 0.0));
        }
    })
}

fn waypoint_following_end(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let ways: Vec<Way> = (0..6).map(|_| Way::drawn(draw, spatial, ZERO, 3, false)).collect();
    bench.arrives(among(spatial, DT, &named(&ways, spatial)), 1920, 0..24, |setup, id| {
        let (mut walker, corners) = (Walker::drawn(draw), &ways[id % 6].corners);
        // Fast enough not to overshoot.
        walker.tau = f64::from((0.9 * walker.slow / (4.0 * walker.speed)) as f32);
        setup.agent(&visitor(&walker, id % 6, 1.0), plus(corners[0], draw.point(spatial, 6.0)), ZERO);
        move |found| {
            let (parameters, Body { position, velocity }) = ([("R", walker.slow), ("v", walker.speed)], found[id]);
            bench.check(Case::absolute(&parameters, 0.0, norm(minus(position, corners[2])), 1e-3));
            bench.check(Case::absolute(&parameters, 0.0, norm(velocity), 1e-3));
        }
    })
}
