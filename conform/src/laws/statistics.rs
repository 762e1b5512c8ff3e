//! Laws of large numbers: random directions, neighbors of uniform positions, and what a run reports of a state. Bounds
//! are five standard deviations.

use crate::*;
use std::f64::consts::PI;

laws! {
    statistics_headings in both: "N random headings: E[φ² N] = 1; E[φ √N] = √π/2 in the plane, √(8/(3π)) in space",
        source: "random walk of N unit steps",
        mutant: quarters_and("default: { return vec2f(s, -c); }" => "default: { return vec2f(s, c); }"),
        mistake: "one quadrant is never drawn, and another twice";
    statistics_circle: "random headings in the plane are spread evenly: E[cos kα] = E[sin kα] = 0, k = 1 to 16",
        source: "Fourier coefficients of the uniform density",
        mutant: unit_circle("- 0.5) * 1.5707963" => "- 0.5) * 1.2"),
        mistake: "there are gaps between the quadrants";
    statistics_sphere:
        "on a sphere every height is as likely: E[P(z)] = 0 of the Legendre polynomials 1 to 4, on each axis",
        source: "Archimedes, On the Sphere and Cylinder",
        mutant: unit_direction("let radius = sqrt(1.0 - z * z);" => "let radius = 1.0 - z * z;"),
        mistake: "directions are crowded at the poles";
    statistics_independence in both:
        "headings of different agents, and of different seeds, are uncorrelated: E[u · u'] = 0",
        source: "counter-based random numbers",
        mutant: direction("vec4u(world.seed, id, other, stream)" => "vec4u(world.seed, id / 2u, other, stream)"),
        mistake: "two agents share a number";
    statistics_neighbors_planar by neighbors(false):
        "at a uniform density ρ an agent perceives ρ π R² (angle/360°) others",
        source: "Poisson process",
        mutant: row_distance("distance = low - x;" => "distance = high - x;"),
        mistake: "the distance to a row is taken to its far side";
    statistics_neighbors_spatial by neighbors(true):
        "at a uniform density ρ an agent perceives ρ 4/3 π R³ (1 - cos(angle/2))/2 others",
        source: "Poisson process",
        mutant: walk_row("chord = sqrt(max(rest, 0.0)) + world.search_margin" => "chord = 0.5 * sqrt(max(rest, 0.0))"),
        mistake: "rows are clipped too short";
    statistics_nearest in both: "the nearest neighbor is beyond R for a share e^(-ρ π R²), in space e^(-ρ 4/3 π R³)",
        source: "Clark and Evans 1954: mean distances 1/(2√ρ) and 0.55396 ρ^(-1/3) follow",
        mutant: candidate_at("distance_squared <=" => "distance_squared * 1.3 <="),
        mistake: "a quarter of the area is left out";
    statistics_polarization in both:
        "a share s of headings turned back: φ = |1 - 2s|; turned by 90°: φ = √(1 - 2s + 2s²)",
        source: "order parameter φ = |Σ u|/N of Vicsek 1995",
        mutant: see("fixed_point(moving.x / speed)" => "fixed_point(moving.x / world.top_speed)"),
        mistake: "velocities are summed, not headings";
}

/// Headings in which agents at rest start to move, for one seed of the scene.
fn directions(bench: &Bench, draw: &mut Draw, spatial: bool, agents: usize) -> Result<Vec<V>, ConformError> {
    let setup = Setup::open(spatial, 0.01).seeded(draw);
    let setup = setup.with("min_speed = 1", &draw.crowd(agents, spatial, ZERO, 200.0, 0.0));
    Ok(bench.after(&setup, 1)?.into_iter().map(|body| body.velocity).collect())
}

fn statistics_headings(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const GROUP: usize = 64;
    const GROUPS: usize = 256;
    // Standard deviations of φ√N and φ²N of one group.
    let (mean_root, of_root, of_square) = match spatial {
        false => (PI.sqrt() / 2.0, 0.463, 1.0),
        true => ((8.0 / (3.0 * PI)).sqrt(), 0.389, (2.0f64 / 3.0).sqrt()),
    };
    for seed in 0..6 {
        let all = directions(bench, draw, spatial, GROUP * GROUPS)?;
        let squares: Vec<f64> = all.chunks(GROUP).map(|group| norm(sum(group)).powi(2) / GROUP as f64).collect();
        let average = |of: &dyn Fn(f64) -> f64| squares.iter().map(|x| of(*x)).sum::<f64>() / GROUPS as f64;
        let parameters = [dimensions(spatial), ("seed", f64::from(seed))];
        let deviation = 5.0 / (GROUPS as f64).sqrt();
        bench.check(Case::absolute(&parameters, 1.0, average(&|x| x), deviation * of_square));
        bench.check(Case::absolute(&parameters, mean_root, average(&f64::sqrt), deviation * of_root));
    }
    Ok(())
}

fn statistics_circle(bench: &Bench, draw: &mut Draw) -> Tried {
    let all = directions(bench, draw, false, 65536)?;
    let deviation = (0.5f64 / 65536.0).sqrt();
    let case = |k: i32| {
        let angle = |v: &V| f64::from(k) * v[1].atan2(v[0]);
        let total = all.iter().map(angle).fold((0.0, 0.0), |(c, s), a| (c + a.cos(), s + a.sin()));
        [total.0, total.1].map(|total| Case::absolute(&[("k", f64::from(k))], 0.0, total / 65536.0, 5.0 * deviation))
    };
    bench.tried((1..=16).flat_map(case))
}

fn statistics_sphere(bench: &Bench, draw: &mut Draw) -> Tried {
    for seed in 0..2 {
        let all = directions(bench, draw, true, 65536)?;
        for axis in 0..3 {
            let legendre: [fn(f64) -> f64; 4] = [
                |z| z,
                |z| (3.0 * z * z - 1.0) / 2.0,
                |z| (5.0 * z * z - 3.0) * z / 2.0,
                |z| (35.0 * z.powi(4) - 30.0 * z * z + 3.0) / 8.0,
            ];
            for (degree, polynomial) in (1..).zip(legendre) {
                let average = all.iter().map(|v| polynomial(v[axis])).sum::<f64>() / 65536.0;
                let deviation = (1.0 / (2.0 * f64::from(degree) + 1.0) / 65536.0).sqrt();
                let parameters = [("degree", f64::from(degree)), ("axis", axis as f64), ("seed", f64::from(seed))];
                bench.check(Case::absolute(&parameters, 0.0, average, 5.0 * deviation));
            }
        }
    }
    Ok(())
}

fn statistics_independence(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const AGENTS: usize = 16384;
    let seeds = [directions(bench, draw, spatial, AGENTS)?, directions(bench, draw, spatial, AGENTS)?];
    let deviation = (if spatial { 1.0 / 3.0 } else { 0.5 } / AGENTS as f64).sqrt();
    let case = |apart: usize, first: &[V], second: &[V]| {
        let products = (0..AGENTS).map(|id| dot(first[id], second[(id + apart) % AGENTS]));
        let parameters = [("ids apart", apart as f64), dimensions(spatial)];
        bench.check(Case::absolute(&parameters, 0.0, products.sum::<f64>() / AGENTS as f64, 5.0 * deviation));
    };
    [1, 2, 3, 4, 8, 64, 256, 4096].into_iter().for_each(|apart| case(apart, &seeds[0], &seeds[0]));
    [0, 1, 2, 3].into_iter().for_each(|apart| case(apart, &seeds[0], &seeds[1]));
    Ok(())
}

const SPECIES: usize = 20;
const EACH: usize = 4096;

/// Uniform positions at a density of 1 in a wrapped world; each species perceives by the lines that are given for it.
fn uniform(draw: &mut Draw, spatial: bool, lines: impl Fn(usize) -> String) -> Setup {
    let edge = ((SPECIES * EACH) as f64).powf(if spatial { 1.0 / 3.0 } else { 0.5 });
    let mut setup = Setup::within(spatial, [edge; 3], "wrap", 0.01, "");
    for species in 0..SPECIES {
        setup.species(&lines(species), &draw.crowd(EACH, spatial, ZERO, edge * 0.4999999, 5.0));
    }
    setup
}

fn neighbors(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let view = |species: usize| {
        let radius = if spatial { draw.between(1.0, 1.9) } else { draw.between(1.0, 2.8) };
        (radius, if species.is_multiple_of(3) { 360.0 } else { draw.between(60.0, 350.0) })
    };
    let views: Vec<(f64, f64)> = (0..SPECIES).map(view).collect();
    let setup = uniform(draw, spatial, |species| seeing("alignment", 1.0, views[species].0, views[species].1));
    let found = bench.steering(&setup)?.neighbors;
    let case = |(species, (radius, angle)): (usize, (f64, f64))| {
        let own = &found[EACH * species..EACH * (species + 1)];
        let average = own.iter().map(|count| f64::from(*count)).sum::<f64>() / EACH as f64;
        let volume = match spatial {
            false => PI * radius * radius * angle / 360.0,
            true => 4.0 / 3.0 * PI * radius.powi(3) * (1.0 - (angle / 2.0).to_radians().cos()) / 2.0,
        };
        // Pairs within the species are counted from both sides.
        let deviation = (volume * (1.0 + 1.0 / SPECIES as f64) / EACH as f64).sqrt();
        Case::absolute(&[("R", radius), ("angle", angle)], volume, average, 5.0 * deviation)
    };
    bench.tried(views.iter().copied().enumerate().map(case))
}

fn statistics_nearest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let radii: Vec<f64> = (0..SPECIES).map(|_| draw.between(0.2, 1.0)).collect();
    let setup = uniform(draw, spatial, |species| all_around("cohesion", 1.0, radii[species]));
    let found = bench.steering(&setup)?.neighbors;
    bench.tried(radii.iter().enumerate().map(|(species, radius)| {
        let alone = found[EACH * species..EACH * (species + 1)].iter().filter(|count| **count == 0).count();
        let volume = if spatial { 4.0 / 3.0 * PI * radius.powi(3) } else { PI * radius * radius };
        let expected = (-volume).exp();
        // Two that are nearest to each other count twice.
        let deviation = ((1.0 + 1.0 / SPECIES as f64) * expected * (1.0 - expected) / EACH as f64).sqrt();
        let parameters = [("R", *radius), dimensions(spatial)];
        Case::absolute(&parameters, expected, alone as f64 / EACH as f64, 5.0 * deviation)
    }))
}

fn statistics_polarization(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const AGENTS: usize = 1000;
    for case in 0..10 {
        let (turned, heading) = (draw.whole(0, 1000) as usize, draw.heading(spatial));
        let angle = if case % 2 == 0 { 180.0 } else { 90.0 };
        let other = draw.turned(spatial, heading, angle);
        let mut body = |id: usize| {
            let velocity = times(if id < turned { other } else { heading }, draw.between(0.5, 19.0));
            Body::at(ZERO).moving(velocity)
        };
        let setup = Setup::open(spatial, 0.01).with("", &(0..AGENTS).map(&mut body).collect::<Vec<Body>>());
        let share = turned as f64 / AGENTS as f64;
        let expected = match case % 2 {
            0 => (1.0 - 2.0 * share).abs(),
            _ => (1.0 - 2.0 * share + 2.0 * share * share).sqrt(),
        };
        let parameters = [("share", share), ("angle", angle)];
        let found = bench.start(&setup)?.observe()?.polarization;
        // Headings are summed in fixed point with 20 binary digits.
        bench.check(Case::absolute(&parameters, expected, found, 3e-6));
    }
    Ok(())
}
