//! Heading noise: the model of Vicsek and others.

use crate::verify::conform::*;

const VICSEK: &str =
    "Vicsek et al. 1995: the mean heading within the radius, the own one included, plus a random angle";

pub const LAWS: &[Law] = &[
    Law {
        name: "vicsek_mean_heading",
        statement: "without noise v' = v_max û, where û is the direction of all headings within the radius, the own one included",
        source: VICSEK,
        mutant: Mutant {
            function: "heading_noise_resolve",
            from: "sum.heading + agent.forward",
            to: "sum.heading",
            mistake: "the agent does not count itself",
        },
        cases: mean_heading,
    },
    Law {
        name: "vicsek_noise",
        statement: "from full alignment the mean of cos θ is sin(η/2)/(η/2) after a step, and no angle is above η/2",
        source: "the mean of a uniform angle; the polarization after one step",
        mutant: Mutant {
            function: "heading_noise_resolve",
            from: "unit_interval(draw.x) - 0.5",
            to: "unit_interval(draw.x)",
            mistake: "all turns are to one side",
        },
        cases: noise,
    },
    Law {
        name: "vicsek_walk",
        statement: "alone, MSD(n) = v² [n (1+c)/(1-c) - 2c (1-cⁿ)/(1-c)²] with c = sin(η/2)/(η/2)",
        source: "the persistent random walk with independent turns",
        mutant: Mutant {
            function: "heading_noise_resolve",
            from: "agent.step, STREAM_NOISE",
            to: "1u, STREAM_NOISE",
            mistake: "each agent draws the same angle in every step",
        },
        cases: walk,
    },
];

/// Lines of a species that moves at speed 1 with its new heading at once.
fn lines(noise: f64, radius: f64) -> String {
    let settings = format!("noise = {noise}, perception_radius = {radius}, field_of_view = 360");
    format!(
        "max_speed = 1\nmin_speed = 1\nspawn = {{ speed = 1 }}\ntime_constant = 0\nmax_force = 1e6\n\
         behaviors.heading_noise = {{ {settings} }}\n"
    )
}

fn mean_heading(bench: &mut Bench) -> Cases {
    let mut cases = Vec::new();
    for spatial in [false, true] {
        let mut setup = Setup::open(spatial, 1.0).apart();
        let mut crowds = Vec::new();
        for size in [1, 2, 2, 3, 4, 8, 20, 60] {
            // Mostly one way, so that the sum is not the difference of large numbers.
            let course = bench.draw.heading(spatial);
            let mut agent = || {
                let heading = unit(plus(course, bench.draw.point(spatial, 1.2)));
                Body { position: bench.draw.point(spatial, 5.0), velocity: heading }
            };
            let bodies: Vec<Body> = (0..size).map(|_| agent()).collect();
            crowds.push(setup.species(&lines(0.0, 6.0), &bodies));
        }
        let (before, after) = (setup.bodies(), bench.after(&setup, 1)?);
        for ids in crowds {
            let bodies = &before[ids.clone()];
            let mut seen = perceived(bodies, 0, 6.0, 360.0);
            seen.push(0);
            let headings: Vec<V> = seen.into_iter().map(|id| unit(bodies[id].velocity)).collect();
            let wanted = unit(sum(&headings));
            let parameters = [("agents", ids.len() as f64), ("headings", headings.len() as f64)];
            cases.push(Case::vector_within(&parameters, wanted, after[ids.start].velocity, 2e-5));
        }
    }
    Ok(cases)
}

fn noise(bench: &mut Bench) -> Cases {
    let (mut cases, agents) = (Vec::new(), 4096);
    for spatial in [false, true] {
        for _ in 0..4 {
            let noise = bench.draw.between(20.0, 360.0);
            let course = bench.draw.heading(spatial);
            let mut setup = Setup::open(spatial, 1.0);
            let mut agent = || Body { position: bench.draw.point(spatial, 190.0), velocity: course };
            let bodies: Vec<Body> = (0..agents).map(|_| agent()).collect();
            setup.species(&lines(noise, 20.0), &bodies);
            let after = bench.after(&setup, 1)?;
            let half = noise.to_radians() / 2.0;
            let cosines: Vec<f64> = after.iter().map(|body| dot(body.velocity, course)).collect();
            let drift = mean(&after.iter().map(|body| body.velocity).collect::<Vec<V>>());
            let found = cosines.iter().sum::<f64>() / f64::from(agents);
            let expected = half.sin() / half;
            let spread = (0.5 + (2.0 * half).sin() / (4.0 * half) - expected * expected).sqrt();
            let parameters = [("noise", noise), ("dimensions", f64::from(2 + u8::from(spatial)))];
            let bound = 4.0 * spread / f64::from(agents).sqrt() + 1e-6;
            cases.push(Case::absolute(&parameters, expected, found, bound));
            // As many turn to one side as to the other.
            cases.push(Case::vector_within(
                &parameters,
                times(course, expected),
                drift,
                4.0 / f64::from(agents).sqrt(),
            ));
            let least = cosines.into_iter().fold(1.0, f64::min);
            cases.push(Case::at_least(&parameters, half.cos(), least, 1e-5));
        }
    }
    Ok(cases)
}

fn walk(bench: &mut Bench) -> Cases {
    let (mut cases, walkers) = (Vec::new(), 4096);
    for spatial in [false, true] {
        for (noise, steps) in [(90.0, 20), (180.0, 50), (240.0, 30), (120.0, 50), (300.0, 40)] {
            let noise = noise * bench.draw.between(0.8, 1.2);
            let mut setup = Setup::open(spatial, 1.0);
            let mut agent =
                || Body { position: bench.draw.point(spatial, 100.0), velocity: bench.draw.heading(spatial) };
            let bodies: Vec<Body> = (0..walkers).map(|_| agent()).collect();
            // Nobody perceives anybody: the mean heading is the own one.
            setup.species(&lines(noise, 0.0), &bodies);
            let (before, after) = (setup.bodies(), bench.after(&setup, steps)?);
            let squares = before.iter().zip(&after).map(|(a, b)| minus(b.position, a.position)).map(|d| dot(d, d));
            let found = squares.sum::<f64>() / f64::from(walkers);
            let (half, n) = (noise.to_radians() / 2.0, f64::from(steps));
            let c = half.sin() / half;
            let expected = n * (1.0 + c) / (1.0 - c) - 2.0 * c * (1.0 - c.powi(steps as i32)) / (1.0 - c).powi(2);
            // Four standard deviations of the mean of a square that is at most exponential.
            let bound = 4.0 / f64::from(walkers).sqrt();
            cases.push(Case::relative(&[("noise", noise), ("n", n)], expected, found, bound));
        }
    }
    Ok(cases)
}
