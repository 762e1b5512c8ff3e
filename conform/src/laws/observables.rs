//! What is observed of a state, and what is told of its steps: docs/observables.md.

use crate::*;
use std::f64::consts::TAU;
use std::ops::Range;
use steerling::model::{Event, What};

laws! {
    source: "docs/observables.md, with the source of each formula";
    observe_milling in both:
        "|Σ ĉ × v̂| / N, ĉ the direction from the middle of all agents; along an axis that wraps the middle is that \
         of the angles 2πx/L",
        mutant: place_share("x / size * (2.0 * PI)" => "x / size * PI"),
        mistake: "the length of a world counts as half a turn";
    observe_speed_spread in both: "√(Σ (|v| - mean)² / N)",
        mutant: measure_spread("sqrt(dot3(share, share)) - mean" => "sqrt(dot3(share, share))"),
        mistake: "the mean is not subtracted";
    observe_density in both: "Σ n² / (V Σ n) over equal cells, 32 agents in each on average; variance of n / mean of n",
        mutant: equal_cell_along("(x / size + 0.5) * f32(cells)" => "(x / size + 0.4) * f32(cells)"),
        mistake: "the cells do not begin where the world does";
    observe_nearest_distance in both: "Σ min |x - x'| / N, also over agents that have no near neighbor",
        mutant: cells_around("select(cell - reach, cell + cells - reach, cell < reach)" => "cell - min(reach, cell)"),
        mistake: "neighbors across a seam are not found";
    observe_groups in both:
        "agents nearer than D are of one group: the number of groups, their largest and mean size; and Σ |Σ v̂| / N \
         over groups",
        mutant: measure_pair("squared < layer.distance * layer.distance" => "squared < layer.distance"),
        mistake: "a square is compared with a length";
    observe_velocity_correlation in both: "mean of u · u' over pairs nearer than D / mean of u², u = v - mean of v",
        mutant: measure_pair("load(velocity[other]) / world.top_speed - mean" => "load(velocity[other]) / world.top_speed"),
        mistake: "the mean velocity is subtracted from one of two only";
    observe_correlation_length in both:
        "the first zero of C(r), in 64 bins up to half of the largest distance, linear between bins",
        mutant: measure_bins("add_share(3u * bin, vec2u(1u, 0u));" => "add_share(3u * bin, vec2u(2u, 0u));"),
        mistake: "each pair is counted twice, and its distance once";
    observe_overlaps in both: "the number of pairs with |x - x'| < r + r'",
        mutant: measure_pair("squared < reach * reach" => "squared < reach"),
        mistake: "a square is compared with a length";
    observe_states in both: "how many agents of each species are in each of its states",
        mutant: measure_states("state_of(own_id)" => "0u"),
        mistake: "all agents are in the first state";
    observe_way: "the mean way to a goal over open ground is the distance to it, to 6 % and a cell; beyond the map there is none",
        mutant: measure_ways("way.cells / way.share" => "2.0 * way.cells / way.share"),
        mistake: "ways are twice as long";
    observe_path_deviation in both:
        "the mean distance to the nearest point of the path, and the number of agents farther away than its radius",
        mutant: off_path("image - along * min(max(share, -0.5), 0.5)" => "image - along * share"),
        mistake: "segments have no ends";
    observe_species in both: "of each species and of all: |Σ v̂|/N, the mean of |v|, and of the neighbors within R",
        source: "order parameter φ of Vicsek 1995, and means; agents that are not finite do not count",
        mutant: end_sums("add_to_pair(word + 8u, seen.tail_speeds[tail]);" => "add_to_pair(word + 8u, seen.tail_perceived[tail]);"),
        mistake: "neighbors are taken for speeds";
    observe_digest in both: "Σ h(h(id, x) ^ (v, mark)) over all agents, word by word, h a hash of four words; in any order",
        source: "PCG4D of Jarzynski and Olano 2020, J. Comput. Graph. Tech. 9(3)",
        mutant: digest_of("bitcast<u32>(moving.y)" => "bitcast<u32>(moving.x)"),
        mistake: "a component of the velocity is left out";
    lines_crossed in both:
        "an agent that flies straight through a line is counted, and listed with its side, in the step in which its \
         way meets the line",
        source: "where two segments meet; the right of the way from `from` to `to` is the first side",
        mutant: tally("select(vec2u(0u, 1u), vec2u(1u, 0u), was_left)" => "select(vec2u(1u, 0u), vec2u(0u, 1u), was_left)"),
        mistake: "the sides are exchanged";
    events_of_states in both:
        "a change of state is listed in its step, with the agent that is nearer or farther than the threshold, or \
         with none where none is found",
        source: "agents that fly straight meet at times that are known",
        mutant: list_change("(after << 8u) | before" => "(before << 8u) | after"),
        mistake: "before and after are exchanged";
}

/// A world for agents whose state is observed as it was drawn.
struct World {
    boundary: &'static str,
    /// Its size; 0 along z in the plane.
    size: V,
    spatial: bool,
}

impl World {
    fn drawn(draw: &mut Draw, index: usize, spatial: bool) -> World {
        let mut along = |is_used: bool| if is_used { draw.dyadic(30.0, 60.0) } else { 0.0 };
        let size = [along(true), along(true), along(spatial)];
        World { boundary: ["wrap", "contain", "open"][index % 3], size, spatial }
    }

    fn setup(&self, head: &str) -> Setup {
        let size = point(self.spatial, self.size);
        Setup::new(format!("{head}\nworld = {{ size = {size}, boundary = {:?} }}", self.boundary))
    }

    /// The shortest vector from one position to another, across seams if the world wraps.
    fn way(&self, from: V, to: V) -> V {
        let way = minus(to, from);
        if self.boundary != "wrap" {
            return way;
        }
        let around = |axis: usize| if self.size[axis] > 0.0 { (way[axis] / self.size[axis]).round() } else { 0.0 };
        [0, 1, 2].map(|axis| way[axis] - self.size[axis] * around(axis))
    }

    /// A point no farther from the middle than `half` of the size along each axis.
    fn place(&self, draw: &mut Draw, half: f64) -> V {
        self.size.map(|size| draw.between(-half, half) * size + 0.0)
    }

    /// Agents anywhere, half of them in three crowds, with speeds of up to 8 u/s.
    fn crowd(&self, draw: &mut Draw, agents: usize) -> Vec<Body> {
        let middles = [0; 3].map(|_| self.place(draw, 0.35));
        let body = |k: usize| {
            let position = match k % 2 {
                0 => self.place(draw, 0.5),
                _ => plus(middles[k / 2 % 3], self.place(draw, 0.06)),
            };
            let velocity = times(draw.heading(self.spatial), draw.between(0.5, 8.0));
            // Some have a component that is below the resolution of the sums.
            Body::at(position).moving(if k % 9 == 4 { [norm(velocity), -1e-9, 0.0] } else { velocity })
        };
        (0..agents).map(body).collect()
    }
}

/// Limits that leave speeds as they were drawn.
const SLOW: &str = "max_speed = 10\nmax_force = 1e6\n";

/// Ask for an observable in twelve such worlds, the last one a strip, and compare it with `expected`.
fn asked(
    bench: &Bench,
    draw: &mut Draw,
    spatial: bool,
    asked: impl Fn(&mut Draw, &World, &[Body]) -> (String, f64),
    lines: &str,
    expected: impl Fn(&World, &[Body], f64) -> Vec<f64>,
    bound: f64,
) -> Tried {
    for index in 0..12 {
        let mut world = World::drawn(draw, index, spatial);
        if index == 11 {
            world.size[0] = 3.0;
        }
        let agents = draw.whole(40, 160) as usize;
        let drawn = world.crowd(draw, agents);
        let bodies = world.setup("").with(lines, &drawn).bodies();
        let (what, number) = asked(draw, &world, &bodies);
        let found = observed(bench, &world.setup(&format!("observe = {what:?}")).with(lines, &drawn))?;
        let parameters = [("agents", agents as f64), ("number", number), ("boundary", (index % 3) as f64)];
        let expected = expected(&world, &bodies, number);
        bench.check(Case::absolute(&parameters, expected.len() as f64, found.len() as f64, 0.0));
        let both = expected.into_iter().zip(found);
        bench.check(
            both.map(|(expected, found)| Case::absolute(&parameters, expected, found, bound * expected.abs().max(1.0))),
        );
    }
    Ok(())
}

fn only(what: &'static str) -> impl Fn(&mut Draw, &World, &[Body]) -> (String, f64) {
    move |_, _, _| (what.to_owned(), 0.0)
}

/// The observables of the state at the start; one without a value is NaN.
fn observed(bench: &Bench, setup: &Setup) -> Result<Vec<f64>, ConformError> {
    Ok(bench.start(setup)?.observe()?.requested.into_iter().map(|found| found.unwrap_or(f64::NAN)).collect())
}

/// All pairs, with their distances.
fn pairs(world: &World, bodies: &[Body]) -> Vec<(usize, usize, f64)> {
    let distance = |a: usize, b: usize| norm(world.way(bodies[a].position, bodies[b].position));
    (0..bodies.len()).flat_map(|a| (a + 1..bodies.len()).map(move |b| (a, b, distance(a, b)))).collect()
}

/// A random distance that some pair is within, and that no pair's distance is so near to that rounding decides.
fn clear_distance(draw: &mut Draw, world: &World, bodies: &[Body]) -> f64 {
    let pairs = pairs(world, bodies);
    loop {
        let distance = draw.between(0.5, 6.0);
        let is_clear = pairs.iter().all(|(.., d)| (d - distance).abs() > 1e-4);
        if is_clear && pairs.iter().any(|(.., d)| *d < distance) {
            return distance;
        }
    }
}

fn headings(bodies: &[Body]) -> Vec<V> {
    bodies.iter().map(|body| unit(body.velocity)).collect()
}

fn observe_milling(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let expected = |world: &World, bodies: &[Body], _: f64| {
        let count = bodies.len() as f64;
        let middle = [0, 1, 2].map(|axis| {
            let (all, size) = (bodies.iter().map(|body| body.position[axis]), world.size[axis]);
            if world.boundary != "wrap" || size == 0.0 {
                return all.sum::<f64>() / count;
            }
            let (sin, cos) = all.fold((0.0, 0.0), |(sin, cos), x| {
                let (s, c) = (x / size * TAU).sin_cos();
                (sin + s, cos + c)
            });
            f64::atan2(sin, cos) / TAU * size
        });
        let turns = bodies.iter().map(|body| cross(unit(world.way(middle, body.position)), unit(body.velocity)));
        vec![norm(sum(&turns.collect::<Vec<_>>())) / count]
    };
    asked(bench, draw, spatial, only("milling"), SLOW, expected, 1e-4)?;
    // One agent is the middle itself, so it turns around nothing.
    for index in 0..3 {
        let world = World::drawn(draw, index, spatial);
        let setup = world.setup("observe = \"milling\"").with(SLOW, &world.crowd(draw, 1));
        bench.check(Case::absolute(&[], 0.0, observed(bench, &setup)?[0], 0.0));
    }
    Ok(())
}

fn observe_speed_spread(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let expected = |_: &World, bodies: &[Body], _: f64| {
        let count = bodies.len() as f64;
        let mean = bodies.iter().map(|body| norm(body.velocity)).sum::<f64>() / count;
        vec![(bodies.iter().map(|body| (norm(body.velocity) - mean).powi(2)).sum::<f64>() / count).sqrt()]
    };
    asked(bench, draw, spatial, only("speed_spread"), SLOW, expected, 1e-4)
}

fn observe_density(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for index in 0..12 {
        // The cells are cubes of this edge.
        let edge = draw.dyadic(2.0, 9.0);
        // Along an axis with one cell agents outside of the world do not count either.
        let least = [(2, 2), (1, 4)][usize::from(index % 4 == 2)];
        let cells =
            [(least.0, 4), (least.1, 4)].map(|(least, most)| draw.whole(least, if least == 1 { 1 } else { most }));
        let cells = [cells[0], cells[1], if spatial { draw.whole(1, 3) } else { 0 }].map(f64::from);
        let world = World { boundary: ["wrap", "contain", "open"][index % 3], size: times(cells, edge), spatial };
        let number = cells.iter().map(|cells| cells.max(1.0)).product::<f64>() as usize;
        let is_clear = |x: f64| (x - x.round()).abs() > 1e-4;
        let in_cells = |body: &Body| [0, 1, 2].map(|axis| body.position[axis] / edge + 0.5 * cells[axis]);
        let mut bodies = world.crowd(draw, 40 * number);
        if world.boundary == "open" {
            // Every seventh agent is outside of the world.
            bodies.iter_mut().step_by(7).for_each(|body| body.position[0] += 0.7 * world.size[0]);
        }
        bodies.retain(|body| in_cells(body).iter().zip(cells).all(|(x, cells)| cells == 0.0 || is_clear(*x)));
        bodies.truncate(32 * number);
        let setup = world.setup("observe = \"density, density_contrast\"").with(SLOW, &bodies);
        let mut counts = vec![0.0; number];
        for body in setup.bodies() {
            let at = in_cells(&body);
            let is_inside = (0..3).all(|axis| cells[axis] == 0.0 || (0.0..cells[axis]).contains(&at[axis]));
            if is_inside {
                let [x, y, z] = at.map(|x| x.floor().max(0.0));
                counts[((z * cells[1] + y) * cells[0] + x) as usize] += 1.0;
            }
        }
        let (all, squares) = (counts.iter().sum::<f64>(), counts.iter().map(|n| n * n).sum::<f64>());
        let volume = edge.powi(if spatial { 3 } else { 2 });
        let mean = all / number as f64;
        let variance = counts.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / (number as f64 - 1.0);
        let parameters = [("cells", number as f64), ("edge", edge)];
        let pairs = [squares / (volume * all), variance / mean].into_iter().zip(observed(bench, &setup)?);
        bench.check(pairs.map(|(expected, found)| Case::relative(&parameters, expected, found, 1e-5)));
    }
    Ok(())
}

fn observe_nearest_distance(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let expected = |world: &World, bodies: &[Body], _: f64| {
        let mut nearest = vec![f64::INFINITY; bodies.len()];
        for (a, b, distance) in pairs(world, bodies) {
            [a, b].into_iter().for_each(|id| nearest[id] = nearest[id].min(distance));
        }
        vec![nearest.iter().sum::<f64>() / bodies.len() as f64]
    };
    asked(bench, draw, spatial, only("nearest_distance"), SLOW, expected, 1e-4)?;
    // One crowd, and some agents so far from it and from each other that all cells around them are empty; in a strip too.
    for index in 0..4 {
        let mut world = World::drawn(draw, index, spatial);
        if index == 3 {
            world.size[0] = 4.0;
        }
        let mut bodies = draw.crowd(600, spatial, times(world.size, 0.3), 0.5, 3.0);
        for (body, share) in
            bodies.iter_mut().step_by(250).zip([[-0.3, -0.3, -0.3], [-0.25, 0.2, -0.2], [0.2, -0.2, 0.0]])
        {
            body.position = [0, 1, 2].map(|axis| (share[axis] + draw.between(-0.01, 0.01)) * world.size[axis]);
        }
        let setup = world.setup("observe = \"nearest_distance\"").with(SLOW, &bodies);
        let found = observed(bench, &setup)?[0];
        let parameters = [("boundary", index as f64)];
        bench.check(Case::relative(&parameters, expected(&world, &setup.bodies(), 0.0)[0], found, 1e-4));
    }
    Ok(())
}

fn observe_groups(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let expected = |world: &World, bodies: &[Body], distance: f64| {
        let mut group: Vec<usize> = (0..bodies.len()).collect();
        for (a, b, _) in pairs(world, bodies).into_iter().filter(|(.., d)| *d < distance) {
            let [from, to] = [group[a], group[b]];
            group.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
        }
        let members = |root: usize| (0..bodies.len()).filter(|id| group[*id] == root).collect::<Vec<_>>();
        let groups: Vec<Vec<usize>> = (0..bodies.len()).map(members).filter(|members| !members.is_empty()).collect();
        let headings = headings(bodies);
        let order = |members: &Vec<usize>| norm(sum(&members.iter().map(|id| headings[*id]).collect::<Vec<_>>()));
        let (count, all) = (groups.len() as f64, bodies.len() as f64);
        let largest = groups.iter().map(Vec::len).max().unwrap_or(0) as f64;
        vec![count, largest, all / count, groups.iter().map(order).sum::<f64>() / all]
    };
    let what = |draw: &mut Draw, world: &World, bodies: &[Body]| {
        let distance = clear_distance(draw, world, bodies);
        (format!("groups:{distance}, group_polarization:{distance}"), distance)
    };
    asked(bench, draw, spatial, what, SLOW, expected, 1e-4)
}

/// The deviation of each velocity from the mean velocity.
fn deviations(bodies: &[Body]) -> Vec<V> {
    let velocities: Vec<V> = bodies.iter().map(|body| body.velocity).collect();
    let mean = mean(&velocities);
    velocities.into_iter().map(|velocity| minus(velocity, mean)).collect()
}

fn observe_velocity_correlation(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let expected = |world: &World, bodies: &[Body], distance: f64| {
        let aside = deviations(bodies);
        let near: Vec<_> = pairs(world, bodies).into_iter().filter(|(.., d)| *d < distance).collect();
        let products = near.iter().map(|(a, b, _)| dot(aside[*a], aside[*b])).sum::<f64>() / near.len() as f64;
        vec![products / (aside.iter().map(|u| dot(*u, *u)).sum::<f64>() / bodies.len() as f64)]
    };
    let what = |draw: &mut Draw, world: &World, bodies: &[Body]| {
        let distance = clear_distance(draw, world, bodies);
        (format!("velocity_correlation:{distance}"), distance)
    };
    asked(bench, draw, spatial, what, SLOW, expected, 1e-4)
}

fn observe_correlation_length(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for index in 0..11 {
        let world = World::drawn(draw, index, spatial);
        // Of more than 2,048 agents the program takes a sample that the law does not know.
        let agents = if index < 10 { draw.whole(60, 200) as usize } else { 2500 };
        let mut bodies = world.crowd(draw, agents);
        for body in &mut bodies {
            // Vertical velocities follow a sine of the world's length along x, so they are correlated up to a quarter of it.
            body.velocity[1] = 0.5 * body.velocity[1] + 5.0 * (TAU * body.position[0] / world.size[0]).sin();
        }
        let setup = world.setup("observe = \"correlation_length\"").with("max_speed = 20", &bodies);
        let bodies = setup.bodies();
        let width = 0.5 * norm(world.size) / 64.0;
        let aside = deviations(&bodies);
        let mut bins = vec![[0.0; 3]; 64];
        for (a, b, distance) in pairs(&world, &bodies) {
            if let Some(bin) = bins.get_mut((distance / width) as usize) {
                let added = [1.0, distance, dot(aside[a], aside[b])];
                *bin = [0, 1, 2].map(|k| bin[k] + added[k]);
            }
        }
        let points: Vec<[f64; 2]> =
            bins.into_iter().filter(|bin| bin[0] > 0.0).map(|[n, d, c]| [d / n, c / n]).collect();
        let zero = points.windows(2).find(|two| two[0][1] > 0.0 && two[1][1] <= 0.0);
        let zero = zero.map(|two| two[0][0] + (two[1][0] - two[0][0]) * two[0][1] / (two[0][1] - two[1][1]));
        let found = bench.start(&setup)?.observe()?.requested[0];
        let parameters = [("agents", agents as f64), ("length", world.size[0])];
        bench.check(match (zero, agents < 2048) {
            (Some(expected), is_exact) => {
                Case::relative(&parameters, expected, found.unwrap_or(f64::NAN), if is_exact { 1e-2 } else { 0.1 })
            }
            (None, _) => Case::holds(&parameters, true, found.is_none()),
        });
    }
    Ok(())
}

fn observe_overlaps(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for index in 0..12 {
        let world = World::drawn(draw, index, spatial);
        let radii = [draw.between(0.2, 1.5), draw.between(1.5, 3.0)];
        let mut setup = world.setup("observe = \"overlaps\"");
        for radius in radii {
            setup.species(&format!("{SLOW}radius = {radius}"), &world.crowd(draw, 60));
        }
        let gap = |(a, b, distance): (usize, usize, f64)| distance - radii[a / 60] - radii[b / 60];
        let gaps: Vec<f64> = pairs(&world, &setup.bodies()).into_iter().map(gap).collect();
        // Pairs that rounding may decide.
        let doubtful = gaps.iter().filter(|gap| gap.abs() < 1e-4).count() as f64;
        let expected = gaps.iter().filter(|gap| **gap < 0.0).count() as f64;
        let found = observed(bench, &setup)?[0];
        bench.check(Case::absolute(&[("r", radii[0]), ("r'", radii[1])], expected, found, doubtful));
    }
    Ok(())
}

fn observe_states(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for index in 0..6 {
        let world = World::drawn(draw, index, spatial);
        let mut setup = world.setup("dt = 0.05\nobserve = \"states\"");
        let counts = [3, 0, 2].map(|states: usize| {
            let agents = draw.whole(20, 60) as usize;
            let bodies = world.crowd(draw, agents);
            let names = ["calm", "near", "at"].map(|name| format!("{name:?}"));
            let rules = (1..states).rev().map(|state| {
                let (name, than) = (&names[state], 24 - 8 * state);
                format!("{{ from = \"calm\", to = {name}, when = \"nearer\", than = {than}, {} }}", to(spatial, ZERO))
            });
            let rules = rules.collect::<Vec<_>>().join(", ");
            let lines = match states {
                0 => String::new(),
                _ => format!("states = [{}]\nrules = [{rules}]\n", names[..states].join(", ")),
            };
            (states, setup.species(&format!("{SLOW}{lines}"), &bodies))
        });
        let run = bench.run(&setup, 4)?;
        let (found, memories) = (run.observe()?.requested, run.memories()?);
        let expected = counts.into_iter().flat_map(|(states, ids)| {
            let of = memories[ids].iter().map(|memory| memory.state).collect::<Vec<_>>();
            (0..states as u32).map(move |state| of.iter().filter(|own| **own == state).count() as f64)
        });
        let expected: Vec<f64> = expected.collect();
        let parameters = [("columns", expected.len() as f64)];
        bench.check(Case::absolute(&parameters, expected.len() as f64, found.len() as f64, 0.0));
        let both = expected.into_iter().zip(found);
        bench
            .check(both.map(|(expected, found)| Case::absolute(&parameters, expected, found.unwrap_or(f64::NAN), 0.0)));
    }
    Ok(())
}

fn observe_way(bench: &Bench, draw: &mut Draw) -> Tried {
    for _ in 0..12 {
        let (size, radius) = (draw.dyadic(40.0, 80.0), draw.between(2.0, 4.0));
        let goal = draw.point(false, 0.3 * size);
        let mut setup = Setup::new(format!(
            "observe = \"way\"\nworld = {{ size = [{size}, {size}], boundary = \"open\" }}\n\
             [map]\nsource = \"open\"\nresolution = 64\n[[map.goals]]\nname = \"home\"\nplace = {:?}\nradius = {radius}",
            &goal[..2]
        ));
        let seeks = format!("{SLOW}behaviors.seek = {{ target = {{ goal = \"home\" }} }}");
        let crowd = |draw: &mut Draw, agents: u32| draw.crowd(agents as usize, false, ZERO, 0.48 * size, 2.0);
        let (inside, outside, others) = (draw.whole(20, 60), draw.whole(3, 9), draw.whole(3, 9));
        let mut bodies = crowd(draw, inside);
        let away = |body: Body| Body { position: plus(body.position, [size, 0.0, 0.0]), ..body };
        bodies.extend(crowd(draw, outside).into_iter().map(away));
        setup.species(&seeks, &bodies);
        setup.species(SLOW, &crowd(draw, others));
        let way = |body: Body| (norm(minus(body.position, goal)) - radius).max(0.0);
        let mean = setup.bodies().into_iter().take(inside as usize).map(way).sum::<f64>() / f64::from(inside);
        let found = observed(bench, &setup)?;
        let parameters = [("size", size), ("radius", radius)];
        bench.check(Case::absolute(&parameters, mean, found[0], 0.06 * mean + size / 64.0));
        bench.check(Case::absolute(&parameters, f64::from(outside), found[1], 0.0));
    }
    Ok(())
}

fn observe_path_deviation(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for index in 0..12 {
        let world = World::drawn(draw, index, spatial);
        let corners: Vec<V> = (0..4).map(|_| world.place(draw, 0.45)).collect();
        let (radius, closed) = (draw.between(1.0, 4.0), index % 2 == 0);
        let points = corners.iter().map(|corner| point(spatial, *corner)).collect::<Vec<_>>().join(", ");
        let path = format!("[[paths]]\nname = \"road\"\npoints = [{points}]\nradius = {radius}\nclosed = {closed}\n");
        let mut setup = world.setup("observe = \"path_deviation\"");
        let bodies = world.crowd(draw, 60);
        // The path is a table of its own, so it comes after the keys of the species.
        setup.species(&format!("{SLOW}behaviors.path_following.path = \"road\"\n{path}"), &bodies);
        let mut legs: Vec<[V; 2]> = corners.windows(2).map(|two| [two[0], two[1]]).collect();
        if closed {
            legs.push([corners[3], corners[0]]);
        }
        let to_leg = |place: V, [from, to]: [V; 2]| {
            let along = minus(to, from);
            let images = |axis: usize| if world.boundary == "wrap" && world.size[axis] > 0.0 { -2..=2 } else { 0..=0 };
            let mut nearest = f64::INFINITY;
            for (x, y, z) in images(0).flat_map(|x| images(1).flat_map(move |y| images(2).map(move |z| (x, y, z)))) {
                let image = [x, y, z].map(f64::from);
                let way = minus(plus(place, [0, 1, 2].map(|axis| image[axis] * world.size[axis])), from);
                let share = (dot(way, along) / dot(along, along)).clamp(0.0, 1.0);
                nearest = nearest.min(norm(minus(way, times(along, share))));
            }
            nearest
        };
        let off = |body: &Body| legs.iter().map(|leg| to_leg(body.position, *leg)).least();
        let off: Vec<f64> = setup.bodies().iter().map(off).collect();
        let found = observed(bench, &setup)?;
        let parameters = [("radius", radius), ("closed", f64::from(closed))];
        let doubtful = off.iter().filter(|off| (**off - radius).abs() < 1e-4).count() as f64;
        let outside = off.iter().filter(|off| **off > radius).count() as f64;
        let mean = off.iter().sum::<f64>() / off.len() as f64;
        bench.check(Case::relative(&parameters, mean, found[0], 1e-4));
        bench.check(Case::absolute(&parameters, outside, found[1], doubtful));
    }
    Ok(())
}

fn observe_species(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for index in 0..3 {
        let world = World::drawn(draw, index, spatial);
        let (radius, dt) = (draw.between(3.0, 6.0), 0.01);
        let mut setup = world.setup(&format!("dt = {dt}"));
        let lost = draw.whole(0, 19) as usize;
        let mut species = Vec::new();
        for first in [true, false, false, false, false, false] {
            let agents = draw.whole(20, 30) as usize;
            let mut bodies = world.crowd(draw, agents);
            if first {
                // An agent whose state is not finite is perceived by none, and counts nowhere.
                bodies[lost].velocity[0] = f64::NAN;
            }
            species.push(setup.species(&format!("{SLOW}{}", all_around("cohesion", 1e-6, radius)), &bodies));
        }
        // Some agents have no behavior that perceives, and one of them has no heading.
        let mut bodies = world.crowd(draw, 5);
        bodies[1].velocity = ZERO;
        let blind = setup.species(SLOW, &bodies);
        species.push(blind.clone());
        let all = setup.bodies();
        let run = bench.run(&setup, 1)?;
        let (seen, after) = (run.observe()?, run.bodies()?);
        let (mut perceived, mut doubtful) = (vec![0.0; all.len()], 0.0);
        for (a, b, distance) in pairs(&world, &all).into_iter().filter(|(a, b, _)| *a != lost && *b != lost) {
            doubtful += f64::from((distance - radius).abs() < 1e-4);
            let both = [a, b].into_iter().filter(|id| !blind.contains(id));
            both.for_each(|id| perceived[id] += f64::from(distance < radius));
        }
        let compare = |ids: Range<usize>, found: [f64; 3]| {
            let ids: Vec<usize> = ids.filter(|id| *id != lost).collect();
            let of = |value: &dyn Fn(usize) -> f64| ids.iter().map(|id| value(*id)).sum::<f64>() / ids.len() as f64;
            let headings =
                ids.iter().map(|id| if after[*id].velocity == ZERO { ZERO } else { unit(after[*id].velocity) });
            let order = norm(mean(&headings.collect::<Vec<_>>()));
            let parameters = [("agents", ids.len() as f64)];
            bench.check(Case::absolute(&parameters, order, found[0], 1e-4));
            bench.check(Case::relative(&parameters, of(&|id| norm(after[id].velocity)), found[1], 1e-4));
            bench.check(Case::absolute(&parameters, of(&|id| perceived[id]), found[2], 2.0 * doubtful + 1e-9));
        };
        compare(0..all.len(), [seen.polarization, seen.mean_speed, seen.mean_neighbors]);
        for (ids, means) in species.into_iter().zip(&seen.species) {
            compare(ids, [means.polarization, means.mean_speed, means.mean_neighbors]);
        }
        bench.check(Case::absolute(&[], 1.0, f64::from(seen.bad_agents), 0.0));
        bench.check(Case::holds(&[], false, seen.cut_off > 0 || seen.ever_cut_off));
        bench.check(Case::absolute(&[], lost as f64, seen.first_bad.map_or(f64::NAN, f64::from), 0.0));
    }
    Ok(())
}

fn observe_digest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for index in 0..6 {
        let world = World::drawn(draw, index, spatial);
        let mut setup = world.setup("");
        // With more agents passes load them in another way.
        let agents = [1, 5, 63, 64, 700, 16_391][index];
        setup.species(SLOW, &world.crowd(draw, agents));
        let mut run = bench.start(&setup)?;
        let found = run.observations(1, 1)?[0].digest;
        let state = run.state()?;
        let mut expected = [0u32; 4];
        for (id, (x, v)) in (0..).zip(state.positions.iter().zip(&state.velocities)) {
            let ([x, y, z], [u, v, w]) = (x.map(f32::to_bits), v.map(f32::to_bits));
            let [first, mark] = [pcg4d([id, x, y, z]), [u, v, w, 0x5354_454f]];
            let hash = pcg4d([0, 1, 2, 3].map(|k| first[k] ^ mark[k]));
            expected = [0, 1, 2, 3].map(|k| expected[k].wrapping_add(hash[k]));
        }
        let words = expected.into_iter().zip(found);
        let parameters = [("agents", agents as f64)];
        bench.check(words.map(|(expected, found)| Case::absolute(&parameters, expected.into(), found.into(), 0.0)));
    }
    Ok(())
}

/// Time step for agents that fly straight, s, and their number of steps.
const DT: f64 = 0.0625;
const STEPS: u32 = 40;

fn lines_crossed(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // Not world 1, whose walls would turn agents that fly straight.
    for index in [0, 2, 3] {
        let world = World::drawn(draw, index, spatial);
        let ends: Vec<[V; 2]> = (0..4).map(|_| [0; 2].map(|_| world.place(draw, 0.5))).collect();
        // In space a line is a wall of any height.
        let lines = ends.iter().map(|ends| {
            let [from, to] = ends.map(|end| point(spatial, end));
            format!("[[lines]]\nfrom = {from}\nto = {to}\n")
        });
        let mut crossings: Vec<(f64, u32, u32, bool)> = Vec::new();
        let mut bodies = Vec::new();
        while bodies.len() < 60 {
            let position = rounded(world.place(draw, 0.5));
            let velocity = rounded(times(draw.heading(spatial), draw.between(0.5, 10.0)));
            let way = times(velocity, DT);
            let (mut own, mut is_clear) = (Vec::new(), true);
            for (line, [from, to]) in (0..).zip(&ends) {
                let images = if world.boundary == "wrap" { -2..=2 } else { 0..=0 };
                for (x, y) in images.clone().flat_map(|x| images.clone().map(move |y| (x, y))) {
                    let moved = plus(*from, [f64::from(x) * world.size[0], f64::from(y) * world.size[1], 0.0]);
                    let (along, away) = (minus(*to, *from), minus(moved, position));
                    let flat = |a: V, b: V| a[0] * b[1] - a[1] * b[0];
                    let turn = flat(way, along);
                    let [steps, share] = [flat(away, along) / turn, flat(away, way) / turn];
                    let (near_step, near_end) =
                        ((steps - steps.round()).abs() < 0.01, share.abs().min((share - 1.0).abs()) < 0.01);
                    if (-0.5..f64::from(STEPS) + 0.5).contains(&steps) && (-0.02..1.02).contains(&share) {
                        is_clear &= !near_step && !near_end && turn.abs() > 1e-3;
                        if steps > 0.0 && steps < f64::from(STEPS) && (0.0..1.0).contains(&share) {
                            own.push((steps, bodies.len() as u32, line, turn < 0.0));
                        }
                    }
                }
            }
            if is_clear {
                bodies.push(Body { position, velocity });
                crossings.append(&mut own);
            }
        }
        let setup = world.setup(&format!("dt = {DT}")).with(&format!("{SLOW}{}", lines.collect::<String>()), &bodies);
        let (run, found) = bench.eventful(&setup, STEPS)?;
        for (line, counts) in (0..).zip(run.observe()?.crossed) {
            for (back, count) in [false, true].into_iter().zip(counts) {
                let expected = crossings.iter().filter(|(.., of, side)| (*of, *side) == (line, back)).count() as f64;
                bench.check(Case::absolute(&[("line", f64::from(line))], expected, count.into(), 0.0));
            }
        }
        let event = |(steps, id, line, back): &(f64, u32, u32, bool)| {
            let what = What::Crossed { line: *line, back: *back };
            Event { step: steps.ceil() as u32, id: *id, what }
        };
        let mut listed: Vec<Event> = crossings.iter().map(event).collect();
        listed.sort_unstable();
        let equal = listed.iter().zip(&found).filter(|(a, b)| a == b).count() as f64;
        bench.check(
            [found.len() as f64, equal]
                .map(|found| Case::absolute(&[("events", listed.len() as f64)], listed.len() as f64, found, 0.0)),
        );
    }
    Ok(())
}

fn events_of_states(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // Each agent flies straight through one that stays.
    let places: Vec<V> = (0..16).map(|index| plus(lane(index, 40.0), draw.point(spatial, 2.0))).collect();
    let stays = places.iter().map(|place| Body::at(*place)).collect::<Vec<_>>();
    let setup = Setup::open(spatial, DT).with("name = \"stays\"\nmax_speed = 10\nmax_force = 1e6\n", &stays);
    let events = |setup: &Setup| Ok(bench.eventful(setup, 90)?.1);
    bench.tries(setup, events, (0..).zip(places), |setup, (other, place)| {
        let (near, far, gone, speed, steps) = loop {
            let (near, far, gone) = (draw.between(2.0, 4.0), draw.between(4.5, 6.0), draw.between(9.5, 11.0));
            let speed = draw.between(4.0, 8.0);
            // Steps until it is nearer than `near`; then, beyond the other, until it is farther than `far`; and until it perceives none.
            let steps = [9.0 - near, 9.0 + far, 9.0 + gone].map(|way| way / (speed * DT));
            if steps.iter().all(|steps| (steps - steps.round()).abs() > 0.05) {
                break (near, far, gone, speed, steps);
            }
        };
        let heading = draw.heading(spatial);
        let rule = |to: &str, from: &str, when: &str, than: f64, radius: f64| {
            let target = format!("target = {{ nearest = \"stays\", perception_radius = {radius} }}");
            format!("{{ from = {from:?}, to = {to:?}, when = {when:?}, than = {than}, {target} }}")
        };
        let rules = [
            rule("on", "off", "nearer", near, 12.0),
            rule("odd", "on", "farther", far, 12.0),
            rule("off", "odd", "farther", 11.5, gone),
        ];
        let lines = format!("{SLOW}states = [\"off\", \"odd\", \"on\"]\nrules = [{}]\n", rules.join(", "));
        let id = setup.agent(&lines, plus(place, times(heading, -9.0)), times(heading, speed)) as u32;
        move |found| {
            let own: Vec<&Event> = found.iter().filter(|event| event.id == id).collect();
            let by = Some(other);
            // A step's rules see the positions at its beginning, so a change comes in the first step that begins after the time.
            let changes = [
                What::Changed { to: 2, from: 0, by },
                What::Changed { to: 1, from: 2, by },
                What::Changed { to: 0, from: 1, by: None },
            ];
            for (k, (what, steps)) in changes.into_iter().zip(steps).enumerate() {
                let event = own.get(k);
                let step = event.map_or(f64::NAN, |event| f64::from(event.step));
                bench.check(Case::absolute(&[("steps", steps)], steps.ceil() + 1.0, step, 0.0));
                bench.check(Case::holds(&[("steps", steps)], true, event.is_some_and(|event| event.what == what)));
            }
        }
    })
}
