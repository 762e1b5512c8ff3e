//! Flocking by turns: NetLogo's Flocking model, in its own degrees and ticks.

use crate::*;

laws! {
    source: "Wilensky 1998, NetLogo Models Library, Flocking: max-separate-turn 1.5, max-align-turn 5, max-cohere-turn 3";
    netlogo_turns:
        "a tick of the dialect netlogo turns (lt or rt) by at most 1.5 degrees from the heading of the nearest agent \
         within 1, else by 5 toward the mean heading and 3 toward the flockmates",
        mutant: flock_by_turns_resolve("course, unit_or_zero(sum.toward)" => "agent.forward, unit_or_zero(sum.toward)"),
        mistake: "cohere undoes what align has turned";
    netlogo_turns_are_limited in both:
        "in a plane and in space no agent turns by more than the limits say in a step, and all agents keep their speed",
        mutant: turned_toward("dot3(heading, direction) >= limit.x" => "dot3(heading, direction) >= -1.0"),
        mistake: "a turn has no limit";
    netlogo_pair in both:
        "two agents within sight turn to one heading by 2 max-align-turn a tick; two that are too near turn apart by \
         2 max-separate-turn, until they swing about 180 degrees; without limits they take each other's heading, or \
         turn away by as much as they differ",
        mutant: turned_away("limit.x - across(heading" => "limit.x + across(heading"),
        mistake: "an agent turns toward the heading of one that is too near";
    netlogo_small_turns in both:
        "however small the limit, a turn is to the side of the flockmate's heading, or away from it; who stands has none, and nobody is stopped",
        mutant: turned_toward("direction * SMALL_TURNS" => "direction"),
        mistake: "headings that differ by less than 1e-3 rad have no side";
}

/// A world that speaks NetLogo, in which a tick is 1/30 s and a patch 1 u.
fn netlogo(spatial: bool) -> Setup {
    Setup::open_with(spatial, TICK, "dialect = \"netlogo\"")
}

const TICK: f64 = 1.0 / 30.0;
/// One patch a tick, u/s.
const SPEED: f64 = 30.0;

/// NetLogo's heading: degrees from north, clockwise.
fn heading(v: V) -> f64 {
    v[0].atan2(v[1]).to_degrees()
}

/// NetLogo's `subtract-headings`: from the second to the first, -180 to 180 degrees.
fn subtract_headings(a: f64, b: f64) -> f64 {
    (a - b + 180.0).rem_euclid(360.0) - 180.0
}

/// The heading after one tick of the model's procedure `flock`, in degrees, with a field of view added. `None` if rounding decides.
fn flock(bodies: &[Body], agent: usize, (radius, view, near): (f64, f64, f64)) -> Option<f64> {
    let own = heading(bodies[agent].velocity);
    let offset = |other: usize| minus(bodies[other].position, bodies[agent].position);
    let ahead = |other: usize| dot(unit(offset(other)), unit(bodies[agent].velocity));
    let edge = if view < 360.0 { (view / 2.0).to_radians().cos() } else { -2.0 };
    let others: Vec<usize> = (0..bodies.len()).filter(|o| *o != agent && norm(offset(*o)) <= radius).collect();
    if others.iter().any(|o| (ahead(*o) - edge).abs() < 1e-4) {
        return None;
    }
    let flockmates: Vec<usize> = others.into_iter().filter(|o| ahead(*o) >= edge).collect();
    let nearest = *flockmates.iter().min_by(|a, b| norm(offset(**a)).total_cmp(&norm(offset(**b))))?;
    let at_most = |turn: f64, most: f64| turn.clamp(-most, most);
    let mean_heading = |vectors: &mut dyn Iterator<Item = V>| {
        let all: Vec<V> = vectors.collect();
        (norm(sum(&all)) > 0.05).then(|| heading(sum(&all)))
    };
    if norm(offset(nearest)) < near {
        let turn = subtract_headings(own, heading(bodies[nearest].velocity));
        return (turn.abs() < 179.0).then(|| own + at_most(turn, 1.5));
    }
    let align = subtract_headings(mean_heading(&mut flockmates.iter().map(|o| unit(bodies[*o].velocity)))?, own);
    let aligned = own + at_most(align, 5.0);
    let cohere = subtract_headings(mean_heading(&mut flockmates.iter().map(|o| unit(offset(*o))))?, aligned);
    (align.abs() < 179.0 && cohere.abs() < 179.0).then(|| aligned + at_most(cohere, 3.0))
}

fn netlogo_turns(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.arrives(netlogo(false).apart(), 1, 0..20, |setup, index| {
        // Dense crowds, in which many are too near, and sparse ones; every second crowd has similar headings, so that turns are small.
        let half = [1.5, 4.0, 8.0][index % 3];
        let mut bodies = draw.crowd(12, false, lane(index, 40.0), half, SPEED);
        if index % 2 == 0 {
            let course = draw.heading(false);
            for body in &mut bodies {
                let angle = draw.between(0.0, 8.0);
                body.velocity = times(draw.turned(false, course, angle), SPEED);
            }
        }
        // As in the dialect, and otherwise.
        let (mut looks, mut seen) = ((5.0, 360.0, 1.0), String::new());
        if index / 3 % 2 == 1 {
            let (radius, near) = (draw.between(3.0, 6.0), draw.between(0.5, 1.5));
            let view = [360.0, draw.between(90.0, 300.0)][index % 2];
            seen = format!(" perception_radius = {radius}, field_of_view = {view}, min_separation = {near} ");
            looks = (radius, view, near);
        }
        let (ids, bodies) = setup.flock(&format!("behaviors.flock_by_turns = {{{seen}}}\n"), &bodies);
        move |after| {
            for agent in 0..3 {
                let Some(expected) = flock(&bodies, agent, looks) else { continue };
                let (before, found) = (bodies[agent], after[ids.start + agent]);
                let parameters = [("from", heading(before.velocity)), ("to", heading(found.velocity))];
                let turned = subtract_headings(expected, heading(found.velocity));
                bench.check(Case::absolute(&parameters, 0.0, turned, 2e-3));
                bench.check(Case::relative(&parameters, 1.0, norm(minus(found.position, before.position)), 2e-5));
            }
        }
    })
}

fn netlogo_turns_are_limited(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(netlogo(spatial).apart(), 30, 0..12, |setup, index| {
        let turns = [draw.scale(5.0, 400.0), draw.scale(5.0, 400.0), draw.scale(5.0, 400.0)];
        let [separate, align, cohere] = turns;
        let limits = format!("max_separate_turn = {separate}, max_align_turn = {align}, max_cohere_turn = {cohere}");
        let mut bodies = draw.crowd(16, spatial, lane(index, 40.0), 4.0, SPEED);
        // An agent that is alone and too slow takes the speed of all others at once.
        let alone = plus(lane(index, 40.0), [15.0, 0.0, 0.0]);
        bodies.push(Body::at(alone).moving([0.8 * SPEED, 0.0, 0.0]));
        let ids = setup.species(&format!("behaviors.flock_by_turns = {{ {limits} }}\n"), &bodies);
        let most = separate.max(align + cohere) * TICK;
        move |path| {
            let (mut turned, mut speed) = (0.0f64, 0.0f64);
            for (pair, id) in path.windows(2).flat_map(|pair| ids.clone().map(move |id| (pair, id))) {
                let [before, after] = [&pair[0], &pair[1]].map(|bodies| bodies[id].velocity);
                turned = turned.max(norm(minus(unit(after), unit(before))) / 2.0);
                speed = speed.max((norm(after) / SPEED - 1.0).abs());
            }
            let parameters = [("limit", most)];
            bench.check(Case::at_most(&parameters, most, 2.0 * turned.asin().to_degrees(), 1e-2));
            bench.check(Case::at_most(&parameters, 0.0, speed, 1e-5));
        }
    })
}

fn netlogo_pair(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(netlogo(spatial).apart(), 3, 0..20, |setup, index| {
        let (near, is_limited) = (index % 2 == 0, index < 12);
        // Some pairs that separate have nearly opposite headings.
        let (low, high) = if is_limited && index % 4 == 0 { (172.0, 179.0) } else { (30.0, 120.0) };
        let (angle, ticks) = (draw.between(low, high), if is_limited { draw.whole(1, 3) } else { 1 });
        let course = draw.heading(spatial);
        let other = draw.turned(spatial, course, angle);
        // They are so slow that their distance stays. Cohesion is off, because it turns as well.
        let apart = times(draw.heading(spatial), if near { 0.3 } else { 3.0 });
        let bodies =
            [(ZERO, course), (apart, other)].map(|(position, course)| Body::at(position).moving(times(course, 0.1)));
        // A limit of more than half a turn in a tick limits nothing.
        let limits = if is_limited { "" } else { "max_separate_turn = 1e4, max_align_turn = 1e4, " };
        let rule = format!("behaviors.flock_by_turns = {{ {limits}max_cohere_turn = 0 }}\n");
        let id = setup.species(&format!("max_speed = 0.1\nmin_speed = 0.1\n{rule}"), &bodies).start;
        // Two that are too near turn apart by 1.5° each in a tick; two that align turn by at most 5° each.
        let expected = match (near, is_limited) {
            (true, true) => (0..ticks).fold(angle, |angle, _| (angle + 3.0).min(357.0 - angle)),
            (false, true) => (angle - 10.0 * f64::from(ticks)).max(0.0),
            (true, false) => (3.0 * angle - 360.0 * (3.0 * angle / 360.0).round()).abs(),
            (false, false) => angle,
        };
        move |path| {
            let [a, b] = [id, id + 1].map(|id| unit(path[ticks as usize][id].velocity));
            let found = dot(a, b).clamp(-1.0, 1.0).acos().to_degrees();
            let parameters = [("near", f64::from(near)), ("angle", angle), ("ticks", f64::from(ticks))];
            // Not where both turn past each other.
            if near || !is_limited || angle > 10.0 * f64::from(ticks) {
                bench.check(Case::absolute(&parameters, expected, found, 2e-2));
            }
        }
    })
}

fn netlogo_small_turns(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.arrives(netlogo(spatial).apart(), 1, 0..18, |setup, index| {
        let (near, stands) = (index % 3 > 0, index % 3 == 2);
        let (angle, course) = (draw.between(7e-4, 9.5e-4), draw.heading(spatial));
        let other = draw.turned(spatial, course, angle.to_degrees());
        // Both turn by a third of what they differ; from one that stands there is nothing to turn away from, whatever the limit.
        let most = if stands { 1e4 } else { (angle / 3.0 / TICK).to_degrees() };
        let rule = format!("max_separate_turn = {most}, max_align_turn = {most}, max_cohere_turn = 0");
        let apart = times(draw.heading(spatial), if near { 0.3 } else { 3.0 });
        let theirs = if stands { ZERO } else { times(other, SPEED) };
        let bodies = [Body::at(ZERO).moving(times(course, SPEED)), Body::at(apart).moving(theirs)];
        let id = setup.species(&format!("min_speed = 0\nbehaviors.flock_by_turns = {{ {rule} }}\n"), &bodies).start;
        move |after| {
            let [a, b] = [id, id + 1].map(|id| times(after[id].velocity, 1.0 / SPEED));
            let parameters = [("near", f64::from(near)), ("angle", angle)];
            bench.check(match stands {
                true => Case::vector_within(&parameters, course, a, 1e-5),
                false => Case::relative(
                    &parameters,
                    angle * if near { 5.0 / 3.0 } else { 1.0 / 3.0 },
                    norm(minus(a, b)),
                    2e-2,
                ),
            });
        }
    })
}
