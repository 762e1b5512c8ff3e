//! Cohesion: toward the mean position of the neighbors, in proportion to its distance.

use crate::*;

const FAR: f64 = 5000.0;

laws! {
    cohesion_center in both: "A = w (mean position of the others - p)",
        source: "Reynolds 1999, Cohesion: steering toward the average position of the neighbors",
        mutant: cohesion_resolve("return sum.offset / f32(sum.count);" => "return sum.offset;"),
        mistake: "offsets are summed and not averaged";
    cohesion_oscillator in both:
        "two agents from rest at distance d: d(n) = d cos((n + ½)θ)/cos(½θ), cos θ = 1 - w dt²",
        source: "harmonic oscillator of ω² = 2w, solved for semi-implicit Euler; they meet at the midpoint",
        mutant: cohesion_resolve("return sum.offset / f32(sum.count);" => "return sum.offset / f32(sum.count + 1u);"),
        mistake: "the agent counts among its own neighbors";
    cohesion_far_away in both: "at 131,072 u from the origin the pull is the same to 1e-6",
        source: "F13: UnitySteer's cohesion in global space (issue 6); means of f32 positions lose 2^-6 u there",
        mutant: cohesion_add("sum.offset + select(vec3f(0.0), neighbor.offset, seen)"
            => "sum.offset + select(vec3f(0.0), neighbor.offset, seen) + 1048576.0 - 1048576.0"),
        mistake: "the mean is taken of positions, not of offsets";
    cohesion_momentum in both: "where all perceive each other, the pulls cancel: Σ A = 0",
        source: "the mean of all positions is the same for all agents",
        mutant: cohesion_add("let seen = sees(cohesion.vision, neighbor);"
            => "let seen = sees(cohesion.vision, neighbor) && neighbor.ahead >= 0.0;"),
        mistake: "only neighbors ahead pull";
    cohesion_balance in both:
        "with separation, two agents at distance d accelerate apart by k/d - w d: none at d = √(k/w)",
        source: "weighted sum of the laws of separation and of cohesion",
        mutant: blend_add("var part = wish * weight;" => "var part = wish;"),
        mistake: "weights are ignored";
}

fn cohesion_center(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let sizes = [2, 3, 4, 5, 8, 12, 20, 33, 64, 100];
    let weights = sizes.map(|_| draw.scale(0.1, 20.0));
    bench.wants(Setup::open(spatial, 0.01).apart(), sizes.into_iter().zip(weights), |setup, (size, weight)| {
        let bodies = draw.crowd(size, spatial, ZERO, 20.0, 5.0);
        let ids = setup.species(&all_around("cohesion", weight, FAR), &bodies);
        let positions: Vec<V> = setup.crowd(ids.clone()).iter().map(|body| body.position).collect();
        let expected = times(minus(mean(&positions[1..]), positions[0]), weight);
        (ids.start, [("agents", positions.len() as f64), ("w", weight)], expected, 2e-6 * weight * 30.0)
    })
}

fn cohesion_oscillator(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 512.0;
    let weights: Vec<f64> = (0..16).map(|_| draw.scale(0.5, 50.0)).collect();
    bench.watches(Setup::open(spatial, dt).apart(), [0, 60, 300], weights, |setup, weight| {
        let lines = format!("{FREE}{}", all_around("cohesion", weight, FAR));
        let id = setup.species(&lines, &[(); 2].map(|()| Body::at(draw.point(spatial, 10.0)))).start;
        move |seen| {
            let apart = |moment: usize| minus(seen[moment].bodies[id + 1].position, seen[moment].bodies[id].position);
            for (moment, steps) in [(1, 60.0), (2, 300.0)] {
                let theta = (1.0 - weight * dt * dt).acos();
                let factor = ((steps + 0.5) * theta).cos() / (0.5 * theta).cos();
                let (expected, length) = (times(apart(0), factor), norm(apart(0)));
                let parameters = [("w", weight), ("d", length), ("steps", steps)];
                // The greatest distance and speed are rounded in each step; errors swing along.
                bench.check(Case::vector_within(&parameters, expected, apart(moment), steps * 2e-7 * (length + 1.0)));
            }
        }
    })
}

fn cohesion_far_away(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01).apart(), 0..16, |setup, _| {
        let shift = [131072.0, -131072.0, if spatial { 131072.0 } else { 0.0 }];
        let bodies = draw.bodies(9, |draw| {
            // Multiples of 1/64 are exact there.
            let mut along = || draw.dyadic(-20.0, 20.0);
            Body::at(plus(shift, [along(), along(), if spatial { along() } else { 0.0 }]))
        });
        let ids = setup.species(&all_around("cohesion", 1.0, FAR), &bodies);
        let positions: Vec<V> = setup.crowd(ids.clone()).iter().map(|body| body.position).collect();
        let expected = minus(mean(&positions[1..]), positions[0]);
        (ids.start, [("x", positions[0][0]), ("pull", norm(expected))], expected, 2e-6)
    })
}

fn cohesion_momentum(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let sizes = [2, 3, 5, 8, 13, 21, 34, 55, 89, 144];
    bench.steers(Setup::open(spatial, 0.01).apart(), sizes, |setup, size| {
        let weight = draw.scale(0.1, 20.0);
        let bodies = draw.crowd(size, spatial, ZERO, 20.0, 5.0);
        let ids = setup.species(&all_around("cohesion", weight, FAR), &bodies);
        move |found| {
            let strength: f64 = found[ids.clone()].iter().map(|v| norm(*v)).sum();
            let parameters = [("agents", size as f64), ("sum of |A|", strength)];
            let bound = size as f64 * f64::from(f32::EPSILON) * strength;
            bench.check(Case::absolute(&parameters, 0.0, norm(sum(&found[ids])), bound));
        }
    })
}

fn cohesion_balance(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..24, |setup, case| {
        let (k, w) = (draw.between(1.0, 10.0), draw.between(0.5, 2.0));
        let rest = (k / w).sqrt();
        let distance = if case % 2 == 0 { rest } else { draw.between(0.3, 15.0) };
        let heading = draw.heading(spatial);
        let bodies = [ZERO, times(heading, distance)].map(Body::at);
        let lines = all_around("separation", k, 20.0) + &all_around("cohesion", w, 20.0);
        setup.species(&lines, &bodies);
        let distance = norm(minus(setup.body(2 * case + 1).position, setup.body(2 * case).position));
        move |found| {
            let apart = dot(found[2 * case + 1], heading);
            let parameters = [("k", k), ("w", w), ("d", distance)];
            let bound = 2e-6 * (k / distance + w * distance);
            bench.check(Case::absolute(&parameters, k / distance - w * distance, apart, bound));
        }
    })
}
