//! Heading noise: the model of Vicsek and others.

use crate::*;

laws! {
    vicsek_mean_heading in both:
        "without noise v' = v_max û, where û is the direction of all headings within the radius, the own one included",
        source: "Vicsek et al. 1995: the mean heading within the radius, the own one included, plus a random angle",
        mutant: heading_noise_resolve("sum.heading + agent.forward" => "sum.heading"),
        mistake: "the agent does not count itself";
    vicsek_noise in both:
        "from full alignment the mean of cos θ is sin(η/2)/(η/2) after a step, and no angle is above η/2",
        source: "the mean of a uniform angle; the polarization after one step",
        mutant: heading_noise_resolve("unit_interval(draw.x) - 0.5" => "unit_interval(draw.x)"),
        mistake: "all turns are to one side";
    vicsek_walk in both: "alone, MSD(n) = v² [n (1+c)/(1-c) - 2c (1-cⁿ)/(1-c)²] with c = sin(η/2)/(η/2)",
        source: "the persistent random walk with independent turns",
        mutant: heading_noise_resolve("agent.step, STREAM_NOISE" => "1u, STREAM_NOISE"),
        mistake: "each agent draws the same angle in every step";
    heading_noise_moves in both:
        "θ' = θ + ξ with ξ even in [-η/2, η/2], of variance η²/12; then x' = x + v' dt, or x + v dt with the explicit integrator",
        source: "Vicsek et al. 1995, equation 2; their equation 1 is x(t + 1) = x(t) + v(t) dt: the explicit one",
        mutant: heading_noise_resolve("(unit_interval(draw.x) - 0.5) * heading_noise.noise"
            => "0.57735027 * select(-0.5, 0.5, unit_interval(draw.x) < 0.5) * heading_noise.noise"),
        mistake: "one of two angles, with the right mean and variance";
}

/// Lines of a species that moves at speed 1 with its new heading at once.
fn lines(noise: f64, radius: f64) -> String {
    let settings = format!("noise = {noise}, perception_radius = {radius}, field_of_view = 360");
    format!(
        "max_speed = 1\nmin_speed = 1\nspawn = {{ speed = 1 }}\ntime_constant = 0\nmax_force = 1e6\n\
         behaviors.heading_noise = {{ {settings} }}\n"
    )
}

fn vicsek_mean_heading(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let sizes = [1, 2, 2, 3, 4, 6, 8, 13, 20, 60];
    bench.ends(Setup::open(spatial, 1.0).apart(), 1, VELOCITY, sizes, |setup, size| {
        // Most velocities point one way, so that their sum is not a difference of large numbers.
        let course = draw.heading(spatial);
        let bodies = draw.bodies(size, |draw| {
            let heading = unit(plus(course, draw.point(spatial, 1.2)));
            Body::at(draw.point(spatial, 5.0)).moving(heading)
        });
        let (ids, bodies) = setup.flock(&lines(0.0, 6.0), &bodies);
        let seen = perceived(&bodies, 0, 6.0, 360.0).into_iter().chain([0]);
        let headings: Vec<V> = seen.map(|id| unit(bodies[id].velocity)).collect();
        let parameters = [("agents", size as f64), ("headings", headings.len() as f64)];
        (ids.start, parameters, unit(sum(&headings)), 2e-5)
    })
}

fn vicsek_noise(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let agents = 4096;
    for _ in 0..4 {
        let noise = draw.between(20.0, 360.0);
        let course = draw.heading(spatial);
        let bodies = draw.bodies(agents, |draw| Body::at(draw.point(spatial, 190.0)).moving(course));
        let after = bench.after(&Setup::open(spatial, 1.0).with(&lines(noise, 20.0), &bodies), 1)?;
        let half = noise.to_radians() / 2.0;
        let cosines: Vec<f64> = after.iter().map(|body| dot(body.velocity, course)).collect();
        let drift = mean(&after.iter().map(|body| body.velocity).collect::<Vec<V>>());
        let found = cosines.iter().sum::<f64>() / agents as f64;
        let expected = half.sin() / half;
        let spread = (0.5 + (2.0 * half).sin() / (4.0 * half) - expected * expected).sqrt();
        let parameters = [("noise", noise), dimensions(spatial)];
        let bound = 4.0 * spread / (agents as f64).sqrt() + 1e-6;
        bench.check(Case::absolute(&parameters, expected, found, bound));
        // As many turn to one side as to the other.
        bench.check(Case::vector_within(&parameters, times(course, expected), drift, 4.0 / (agents as f64).sqrt()));
        let least = cosines.into_iter().fold(1.0, f64::min);
        bench.check(Case::at_least(&parameters, half.cos(), least, 1e-5));
    }
    Ok(())
}

fn heading_noise_moves(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let agents = 1024;
    let root = (agents as f64).sqrt();
    for explicit in [false, true] {
        for _ in 0..2 {
            let (noise, dt) = (draw.between(20.0, 350.0), draw.between(0.05, 1.0));
            let bodies = draw.bodies(agents, |draw| Body::at(draw.point(spatial, 100.0)).moving(draw.heading(spatial)));
            let integrator = if explicit { "vehicle = { integrator = \"explicit\" }\n" } else { "" };
            // Nobody perceives anybody: the mean heading is the own one.
            let setup = Setup::open(spatial, dt).with(&format!("{integrator}{}", lines(noise, 0.0)), &bodies);
            let (before, after) = (setup.bodies(), bench.after(&setup, 1)?);
            let pairs = || before.iter().zip(&after);
            let width = noise.to_radians();
            let parameters = [("noise", noise), ("dt", dt), ("explicit", f64::from(explicit))];

            // Everybody has moved at speed 1, along the new heading or the old one.
            let off = pairs().map(|(old, new)| {
                let heading = unit(if explicit { old.velocity } else { new.velocity });
                norm(minus(new.position, plus(old.position, times(heading, dt))))
            });
            bench.check(Case::at_most(&parameters, 0.0, off.fold(0.0, f64::max), 3e-5));

            // The angles, to the left or to the right; in space there is no such side, and only their size counts.
            let angle = |(old, new): (&Body, &Body)| {
                let across = cross(old.velocity, new.velocity);
                let angle = norm(across).atan2(dot(old.velocity, new.velocity));
                if spatial { angle } else { angle.copysign(across[2]) }
            };
            let mut angles: Vec<f64> = pairs().map(angle).collect();
            let square = angles.iter().map(|angle| angle * angle).sum::<f64>() / agents as f64;
            // Four standard deviations of the mean: squares of even numbers spread by 2/√5 of their mean.
            bench.check(Case::relative(&parameters, width * width / 12.0, square, 4.0 * 0.895 / root));

            // Kolmogorov's distance from evenly spread angles is above this once in 10,000 times.
            angles.sort_unstable_by(f64::total_cmp);
            let (low, span) = if spatial { (0.0, width / 2.0) } else { (-width / 2.0, width) };
            let rank = |index: usize| (index as f64 + 0.5) / agents as f64;
            let gap = |(index, angle): (usize, &f64)| ((angle - low) / span - rank(index)).abs();
            let distance = angles.iter().enumerate().map(gap).fold(0.0, f64::max);
            bench.check(Case::at_most(&parameters, 2.23 / root, distance, 0.0));
        }
    }
    Ok(())
}

fn vicsek_walk(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let walkers = 4096;
    for (noise, steps) in [(90.0, 20), (180.0, 50), (240.0, 30), (120.0, 50), (300.0, 40)] {
        let noise = noise * draw.between(0.8, 1.2);
        let bodies = draw.bodies(walkers, |draw| Body::at(draw.point(spatial, 100.0)).moving(draw.heading(spatial)));
        // Nobody perceives anybody: the mean heading is the own one.
        let setup = Setup::open(spatial, 1.0).with(&lines(noise, 0.0), &bodies);
        let (before, after) = (setup.bodies(), bench.after(&setup, steps)?);
        let squares = before.iter().zip(&after).map(|(a, b)| minus(b.position, a.position)).map(|d| dot(d, d));
        let found = squares.sum::<f64>() / walkers as f64;
        let (half, n) = (noise.to_radians() / 2.0, f64::from(steps));
        let c = half.sin() / half;
        let expected = n * (1.0 + c) / (1.0 - c) - 2.0 * c * (1.0 - c.powi(steps as i32)) / (1.0 - c).powi(2);
        // Four standard deviations of the mean of a square that is at most exponential.
        let bound = 4.0 / (walkers as f64).sqrt();
        bench.check(Case::relative(&[("noise", noise), ("n", n)], expected, found, bound));
    }
    Ok(())
}
