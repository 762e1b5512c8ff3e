//! Separation: away from each neighbor, by the offset over its squared length.

use crate::*;
use std::ops::Range;

const REYNOLDS: &str = "Reynolds 1999, Separation: repulsion in the direction of the offset, weighted by 1/r";

laws! {
    separation_pair in both: "two agents at distance d are pushed apart by k/d each",
        source: REYNOLDS,
        mutant: separation_add("return sum - neighbor.offset" => "return sum + neighbor.offset"),
        mistake: "separation attracts";
    separation_crowd in both:
        "the push of many neighbors is the sum of their pushes, not the mean: A = k Σ (p - q) / |p - q|²",
        source: REYNOLDS,
        mutant: separation_add("separation_falloff(squared, separation.exponent)" => "1.0 / sqrt(squared)"),
        mistake: "unit vectors are summed, whatever the distance";
    separation_momentum in both: "where all perceive each other, the pushes cancel: Σ A = 0",
        source: "Newton's third law for pushes that are odd in the offset",
        mutant: separation_add("select(0.0, weight, sees(separation.vision, neighbor))"
            => "select(0.0, weight, sees(separation.vision, neighbor) && neighbor.ahead >= 0.0)"),
        mistake: "only neighbors ahead push";
    separation_coincident in both:
        "two agents at one point part in opposite directions that the seed decides, as fast as at the least distance: k/s, s = R/1000",
        source: "no published rule: OpenSteer yields NaN there (issue 6)",
        mutant: separation_add_coincident("select(-apart, apart, agent.id < other)" => "apart"),
        mistake: "coincident agents part the same way";
    separation_heap:
        "a heap of agents at one point comes apart: the pushes cancel, and after a second no two agents are within \
         0.5 u of each other",
        source: "opposite pushes of each pair, in directions of its own",
        mutant: separation_add_coincident("select(-apart, apart, agent.id < other)" => "apart"),
        mistake: "all of the heap are pushed the same way";
    separation_floor in both: "nearer than s the push falls as k d/s², and meets k/d at d = s = R/1000",
        source: "keeps the 1/r of Reynolds 1999 finite",
        mutant: separation_add("max(neighbor.distance_squared, separation_floor(separation))"
            => "neighbor.distance_squared"),
        mistake: "the push grows without bound";
    separation_is_not_avoidance in both:
        "separation depends on distances, not on courses: a pair that parts is pushed like one that closes in, and \
         an agent that comes from beyond the radius is not pushed, where avoidance acts",
        source: "Shiffman and Reynolds 1999: separation keeps a distance; collisions are predicted by unaligned collision avoidance",
        mutant: separation_add("select(0.0, weight, sees(separation.vision, neighbor))"
            => "select(0.0, weight, sees(separation.vision, neighbor) && dot3(neighbor.offset, neighbor.velocity) < 0.0)"),
        mistake: "agents that part are not pushed";
}

const RADIUS: f64 = 10.0;

/// Crowds that do not perceive each other, each with a weight of its own.
fn crowds(setup: &mut Setup, draw: &mut Draw, spatial: bool, sizes: &[usize]) -> Vec<(f64, Range<usize>)> {
    let mut crowd = |(index, size): (usize, &usize)| {
        let weight = draw.scale(0.1, 100.0);
        let bodies = draw.crowd(*size, spatial, lane(index, 48.0), 8.0, 5.0);
        (weight, setup.species(&all_around("separation", weight, RADIUS), &bodies))
    };
    sizes.iter().enumerate().map(&mut crowd).collect()
}

/// Pairs whose distances are in this range, u, each with a weight of its own. `check` gets the weight, the vector from the first to the
/// second agent, and how both steer.
fn pairs(
    bench: &Bench,
    draw: &mut Draw,
    spatial: bool,
    [nearest, farthest]: [f64; 2],
    check: impl Fn(f64, V, [V; 2]),
) -> Tried {
    let check = &check;
    bench.steers(Setup::open(spatial, 0.01), 0..16, |setup, index| {
        let weight = draw.scale(0.1, 100.0);
        let first = if nearest < 0.1 { ZERO } else { draw.point(spatial, 2.0) };
        let apart = times(draw.heading(spatial), draw.scale(nearest, farthest));
        let velocity = draw.point(spatial, 5.0);
        let bodies = [first, plus(first, apart)].map(|at| Body::at(plus(lane(index, 48.0), at)).moving(velocity));
        let id = setup.species(&all_around("separation", weight, RADIUS), &bodies).start;
        // Rounding moved the agents a little: the distance is that between their places in f32.
        let offset = minus(setup.body(id + 1).position, setup.body(id).position);
        move |found| check(weight, offset, [found[id], found[id + 1]])
    })
}

fn separation_pair(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    pairs(bench, draw, spatial, [0.2, 9.9], |weight, offset, [first, second]| {
        let push = times(offset, weight / dot(offset, offset));
        let parameters = [("k", weight), ("d", norm(offset))];
        bench.check(Case::vector(&parameters, times(push, -1.0), first, 1e-6));
        bench.check(Case::vector(&parameters, push, second, 1e-6));
    })
}

fn separation_crowd(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = Setup::open(spatial, 0.01);
    let crowds = crowds(&mut setup, draw, spatial, &[3, 4, 5, 6, 8, 12, 16, 20, 30, 40]);
    let bodies = setup.bodies();
    bench.wants(setup, crowds, |_, (weight, ids)| {
        let (agent, size) = (ids.start, ids.len());
        let push = |other: usize| {
            let offset = minus(bodies[other].position, bodies[agent].position);
            times(offset, -weight / dot(offset, offset))
        };
        let pushes: Vec<V> = perceived(&bodies, agent, RADIUS, 360.0).into_iter().map(push).collect();
        let scale: f64 = pushes.iter().map(|v| norm(*v)).sum();
        (agent, [("k", weight), ("agents", size as f64)], sum(&pushes), 2e-6 * scale)
    })
}

fn separation_momentum(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = Setup::open(spatial, 0.01);
    let crowds = crowds(&mut setup, draw, spatial, &[2, 3, 5, 8, 13, 21, 34, 55, 89, 144]);
    let found = bench.steering(&setup)?.accelerations;
    bench.check(crowds.into_iter().map(|(weight, ids)| {
        let size = ids.len() as f64;
        let strength: f64 = found[ids.clone()].iter().map(|v| norm(*v)).sum();
        let bound = size * f64::from(f32::EPSILON) * strength;
        Case::absolute(&[("k", weight), ("agents", size), ("sum of |A|", strength)], 0.0, norm(sum(&found[ids])), bound)
    }));
    // The sum also stays over several steps, with pairs that perceive each other or not, in a small world with many cells.
    let size = if spatial { 24.0 } else { 60.0 };
    let lines = format!("{FREE}{}", all_around("separation", 2.0, 4.0));
    let bodies = draw.crowd(200, spatial, ZERO, size / 2.0, 5.0);
    let setup = Setup::within(spatial, [size; 3], "wrap", 0.01, "").with(&lines, &bodies);
    let momentum = |bodies: &[Body]| sum(&bodies.iter().map(|body| body.velocity).collect::<Vec<_>>());
    let before = momentum(&setup.bodies());
    for steps in [2, 16] {
        let after = momentum(&bench.after(&setup, steps)?);
        bench.check(Case::vector_within(&[("steps", steps.into())], before, after, 2e-3));
    }
    Ok(())
}

fn separation_coincident(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let by_seed = |setup: &Setup| {
        let steers = |seed: u32| bench.steering(&setup.clone().of_seed(seed)).map(|found| found.accelerations);
        Ok((steers(1)?, steers(2)?))
    };
    let weights: Vec<f64> = (0..8).map(|_| draw.scale(0.1, 100.0)).collect();
    bench.tries(Setup::open(spatial, 0.01), by_seed, weights.into_iter().enumerate(), |setup, (index, weight)| {
        let position = plus(lane(index, 48.0), draw.point(spatial, 8.0));
        let body = Body::at(position).moving(draw.point(spatial, 5.0));
        let id = setup.species(&all_around("separation", weight, RADIUS), &[body; 2]).start;
        move |(found, with_other_seed)| {
            let (first, second) = (found[id], found[id + 1]);
            let parameters = [("k", weight), dimensions(spatial)];
            bench.check(Case::relative(&parameters, weight / (RADIUS / 1000.0), norm(first), 1e-5));
            bench.check(Case::vector(&parameters, times(first, -1.0), second, 1e-6));
            let turned = norm(minus(with_other_seed[id], first)) > 1e-3 * norm(first);
            bench.check(Case::holds(&parameters, true, turned));
            bench.check(Case::holds(&parameters, spatial, first[2] != 0.0));
        }
    })
}

fn separation_heap(bench: &Bench, draw: &mut Draw) -> Tried {
    let seen = |setup: &Setup| Ok((bench.steering(setup)?.accelerations, bench.after(setup, 60)?));
    bench.tries(Setup::open(true, 0.016666667), seen, 0..16, |setup, index| {
        let body = Body::at(plus(lane(index, 48.0), draw.point(true, 4.0)));
        let bodies = vec![body; draw.whole(2, 60) as usize];
        let ids = setup.species(&all_around("separation", 12.0, 5.0), &bodies);
        move |(found, after)| {
            let (pushes, bodies) = (&found[ids.clone()], &after[ids]);
            let (size, strength) = (pushes.len() as f64, pushes.iter().map(|v| norm(*v)).sum::<f64>());
            let parameters = [("agents", size), ("sum of |A|", strength)];
            bench.check(Case::absolute(&parameters, 0.0, norm(sum(pushes)), size * f64::from(f32::EPSILON) * strength));
            let pairs =
                bodies.iter().enumerate().flat_map(|(k, one)| bodies[..k].iter().map(move |other| (one, other)));
            let nearest = pairs.map(|(one, other)| norm(minus(one.position, other.position))).least();
            bench.check(Case::at_least(&parameters, 0.5, nearest, 0.0));
        }
    })
}

fn separation_floor(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let least = RADIUS / 1000.0;
    pairs(bench, draw, spatial, [least / 20.0, least * 4.0], |weight, offset, [first, _]| {
        let distance = norm(offset);
        let push = if distance < least { distance / (least * least) } else { 1.0 / distance };
        bench.check(Case::relative(&[("k", weight), ("d/s", distance / least)], weight * push, norm(first), 2e-6));
    })
}

fn separation_is_not_avoidance(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut lanes = 0..;
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..20, |setup, index| {
        let (course, beyond) = (f64::from(index % 3) - 1.0, index % 6 > 2);
        let (nearest, farthest) = if beyond { (10.1, 15.0) } else { (0.5, 9.9) };
        let apart = times(draw.heading(spatial), draw.between(nearest, farthest));
        let speed = draw.between(8.0, 20.0);
        let names = if beyond { &["separation", "unaligned_avoidance"][..] } else { &["separation"] };
        let mut pair = |name: &&'static str| {
            let weight = draw.scale(0.1, 100.0);
            let lines = match *name {
                "separation" => all_around(name, weight, RADIUS),
                _ => format!("max_speed = 50\n{}", all_around(name, 1.0, 20.0)),
            };
            let at = lane(lanes.next().unwrap_or_default(), 48.0);
            // Two agents that fly toward each other, side by side, or apart.
            let toward = times(apart, -course * speed / norm(apart));
            let aside = if course == 0.0 { draw.point(spatial, 5.0) } else { ZERO };
            let bodies = [(at, times(toward, -1.0)), (plus(at, apart), toward)];
            let bodies = bodies.map(|(position, velocity)| Body::at(position).moving(plus(velocity, aside)));
            let (ids, pair) = setup.flock(&lines, &bodies);
            (*name, weight, ids.start, minus(pair[1].position, pair[0].position))
        };
        let pairs: Vec<_> = names.iter().map(&mut pair).collect();
        move |found| {
            for (name, weight, id, offset) in pairs {
                let parameters = [("k", weight), ("d", norm(offset)), ("toward", course)];
                let (first, second) = (found[id], found[id + 1]);
                if name == "unaligned_avoidance" {
                    let acts = norm(first) > 0.0 && norm(second) > 0.0;
                    bench.check(Case::holds(&parameters, course > 0.0, acts));
                    continue;
                }
                let push = times(offset, if beyond { 0.0 } else { weight / dot(offset, offset) });
                bench.check(Case::vector_within(&parameters, times(push, -1.0), first, 2e-6 * norm(push)));
                bench.check(Case::vector_within(&parameters, push, second, 2e-6 * norm(push)));
            }
        }
    })
}
