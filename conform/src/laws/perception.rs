//! Who is perceived: radius, field of view, species, the k nearest, and whether the search finds them all.

use crate::*;
use steerling::scene::Walls;

laws! {
    perception_radius: "a neighbor at the radius R itself is perceived, one 1/1024 u farther is not",
        source: "0 < |r| ≤ R",
        mutant: sees("<= vision.radius_squared" => "< vision.radius_squared"),
        mistake: "the radius itself is left out";
    perception_each_behavior in both:
        "a neighbor beyond a behavior's own radius or view does not count for it, whatever another behavior sees",
        source: "Reynolds 1999: three radii and three angles for a flock",
        mutant: sees("neighbor.distance_squared <= vision.radius_squared" => "vision.radius_squared >= 0.0"),
        mistake: "the largest radius holds for all behaviors";
    perception_each_species in both:
        "the radius of the agent that perceives decides, not its neighbor's; an agent without a neighborhood \
         behavior perceives no agent, not even at its own place",
        source: "the radius is a key of the species that looks",
        mutant: sees("vision.radius_squared" => "0.25 * vision.radius_squared"),
        mistake: "the radius is taken for a diameter";
    perception_view in both:
        "the field of view is the full angle of a cone: seen at half of it - 0.2°, not at half + 0.2°",
        source: "Reynolds 1999: a neighborhood is a distance and an angle",
        mutant: sees("neighbor.distance * vision.cosine"
            => "neighbor.distance * (2.0 * vision.cosine * vision.cosine - 1.0)"),
        mistake: "the angle to each side is the full angle";
    perception_view_at_any_distance:
        "a neighbor 62° aside is outside of a cone of ±60°, and one 58° aside inside, near and far",
        source: "F6: gdx-ai compares a cosine with the unnormalized product and sees behind its cone from afar",
        mutant: sees("neighbor.distance * vision.cosine" => "vision.cosine"),
        mistake: "the cone is not normalized by the distance";
    perception_behind: "with a field of view of 360° a neighbor straight behind is perceived",
        source: "a threshold of cos 180° = -1 rejects a fifth of them by rounding",
        mutant: sees("vision.radius_squared" => "vision.radius_squared && neighbor.ahead >= -neighbor.distance"),
        mistake: "the threshold for all around is -1";
    perception_inner_radius in both:
        "a neighbor outside of the view is perceived within the inner radius, and at this radius itself, but not \
         beyond it, nor beyond R",
        source: "OpenSteer, inBoidNeighborhood: definitely in within a minimum distance, whatever the angle",
        mutant: sees("in_view | (neighbor.distance_squared <= vision.inner_squared)" => "in_view"),
        mistake: "the view hides close neighbors, too";
    perception_species in both: "only agents of the named species are perceived",
        source: "the key `perceives`",
        mutant: sees("(vision.species & neighbor.species) != 0u" => "(vision.species | neighbor.species) != 0u"),
        mistake: "every species is perceived";
    perception_own in both:
        "a behavior with the key `perceives` perceives only the agents it names: other agents that are as near \
         change nothing",
        source: "the key `perceives` of behaviors",
        mutant: sees("if (masks) {" => "if (false) {"),
        mistake: "the key has no effect";
    perception_k_nearest in both:
        "with k_nearest, cohesion leads to the mean of the k nearest, or of all within R if there are fewer",
        source: "topological neighborhood (Ballerini et al. 2008)",
        mutant: ranking_of("all[(k - 1u) / 4u][(k - 1u) % 4u]" => "all[min(k, 15u) / 4u][min(k, 15u) % 4u]"),
        mistake: "one more than k";
    perception_k_nearest_in_view in both:
        "the k nearest are chosen among those that a behavior sees: within 90, 270 or 360 degrees, of the species \
         that it perceives",
        source: "an agent that is not seen takes no place among the k",
        mutant: ranking_see("sees(vision, neighbor)" => "neighbor.distance_squared <= vision.radius_squared"),
        mistake: "the k nearest are taken first, seen or not";
    perception_line_of_sight in both:
        "with line_of_sight two agents perceive each other where no ball or box meets the way between them; without it, always",
        source: "the key `line_of_sight`",
        mutant: is_hidden("sight.nearby, position" => "sight.nearby, position + offset"),
        mistake: "the line begins at the neighbor";
    perception_nearest_in_sight in both:
        "with line_of_sight the nearest target is the nearest of those that no ball hides",
        source: "the key `line_of_sight`, for targets",
        mutant: search_range("is_nearer && is_hidden(" => "!before.found && is_hidden("),
        mistake: "only the first that is found has to be in sight";
    perception_line_of_sight_map in both:
        "with line_of_sight two agents of a maze perceive each other where the way between them meets no wall",
        source: "the key `line_of_sight`; in space walls are columns along z",
        mutant: walls_hide("min(share.x, share.y) > 1.0" => "min(share.x, share.y) > 0.5"),
        mistake: "only half of the line is walked";
    perception_search:
        "the grid finds the same neighbors as a search of all pairs: anywhere, in clusters, on cell edges, outside",
        source: "brute force in f64; F15: Agents.jl's search missed neighbors (issue 560)",
        mutant: cell_range("vec2i(i32(first), i32(last))" => "vec2i(i32(first), max(i32(first), i32(last) - 1))"),
        mistake: "the last cell of a row is left out";
}

/// Add two agents, the first with this velocity. Returns its id.
fn pair(setup: &mut Setup, lines: &str, first: V, velocity: V, second: V) -> usize {
    let other = Body::at(second).moving([1.0, 0.0, 0.0]);
    setup.species(lines, &[Body::at(first).moving(velocity), other]).start
}

fn perception_radius(bench: &Bench, draw: &mut Draw) -> Tried {
    // Two fields of view, because a behavior that sees all around, as far as its agent, skips its own test.
    let views = [360.0, 359.0];
    // Lengths that f32 holds exactly: 3-4-5, 2-3-6-7 and 1-4-8-9, times a power of two.
    let lengths = [([3.0, 4.0, 0.0], 5.0), ([2.0, 3.0, 6.0], 7.0), ([-8.0, 1.0, -4.0], 9.0)];
    for (view, (offset, length)) in views.into_iter().flat_map(|view| lengths.map(|length| (view, length))) {
        let spatial = offset[2] != 0.0;
        let sides = [-1.0, 0.0, 1.0].map(|side| side / 1024.0);
        let cases = [0.125, 0.5, 1.0, 2.0].into_iter().flat_map(|factor| sides.map(|beyond| (factor, beyond)));
        bench.perceives(Setup::open(spatial, 0.01).apart(), cases, |setup, (factor, beyond)| {
            let mut along = || draw.dyadic(-9.0, 9.0);
            let at = [along(), along(), if spatial { along() } else { 0.0 }];
            let mut offset = times(offset, factor);
            offset[0] += offset[0].signum() * beyond;
            let radius = length * factor;
            let id = pair(setup, &seeing("cohesion", 1.0, radius, view), at, [1.0, 0.0, 0.0], plus(at, offset));
            move |found| {
                let (parameters, is_seen) = ([("R", radius), ("beyond", beyond)], f64::from(beyond <= 0.0));
                bench.check(Case::absolute(&parameters, is_seen, f64::from(found[id]), 0.0));
            }
        })?;
    }
    Ok(())
}

fn perception_each_behavior(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01).apart(), 0..24, |setup, _| {
        let (near, far) = (draw.between(1.0, 8.0), draw.between(1.0, 8.0));
        let apart = times(draw.heading(spatial), draw.between(0.5, 9.0));
        let angle = draw.between(60.0, 300.0);
        let lines = "time_constant = 0.5\n".to_owned()
            + &all_around("separation", 2.0, near)
            + &seeing("alignment", 1.0, 10.0, angle)
            + &all_around("cohesion", 3.0, far);
        let id = pair(setup, &lines, ZERO, times(draw.heading(spatial), 4.0), apart);
        let crowd = setup.crowd(id..id + 2);
        let offset = crowd[1].position;
        let distance = norm(offset);
        let apart = if distance <= near { -2.0 / (distance * distance) } else { 0.0 };
        let together = if distance <= far { 3.0 } else { 0.0 };
        let seen = !perceived(&crowd, 0, 10.0, angle).is_empty();
        let aligned = times(minus(crowd[1].velocity, crowd[0].velocity), if seen { 1.0 / 0.5 } else { 0.0 });
        let expected = plus(times(offset, apart + together), aligned);
        let parameters = [("R of separation", near), ("R of cohesion", far), ("view", angle), ("d", distance)];
        (id, parameters, expected, 1e-4)
    })
}

fn perception_each_species(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut setup, mut drawn) = (Setup::open(spatial, 0.01), Vec::new());
    for index in 0..15 {
        let (at, heading) = (lane(index, 32.0), draw.heading(spatial));
        let (first, second) = (draw.between(1.0, 9.0), draw.between(1.0, 9.0));
        let distance = draw.between(0.5, 10.0);
        for (radius, position) in [(first, at), (second, plus(at, times(heading, distance)))] {
            setup.agent(&all_around("cohesion", 1.0, radius), position, heading);
            drawn.push((radius, distance));
        }
    }
    // Two agents at one place, and others that may perceive them.
    let at = lane(20, 32.0);
    setup.species("", &[Body::at(at); 2]);
    setup.agent(&all_around("cohesion", 1.0, 5.0), plus(at, [1.0, 0.0, 0.0]), ZERO);
    let found = bench.steering(&setup)?.neighbors;
    for (id, (radius, distance)) in drawn.into_iter().enumerate() {
        let parameters = [("R", radius), ("d", distance)];
        bench.check(Case::absolute(&parameters, f64::from(distance <= radius), f64::from(found[id]), 0.0));
    }
    for (id, expected) in [(30, 0.0), (31, 0.0), (32, 2.0)] {
        bench.check(Case::absolute(&[("agent", f64::from(id))], expected, f64::from(found[id as usize]), 0.0));
    }
    Ok(())
}

fn perception_view(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for outside in [false, true] {
        bench.perceives(Setup::open(spatial, 0.01).apart(), 0..24, |setup, _| {
            let (angle, distance) = (draw.between(2.0, 358.0), draw.scale(0.05, 7.9));
            let heading = draw.heading(spatial);
            let aside = if outside { 0.2 } else { -0.2 };
            let offset = times(draw.turned(spatial, heading, angle / 2.0 + aside), distance);
            let velocity = times(heading, draw.scale(0.01, 20.0));
            let id = pair(setup, &seeing("cohesion", 1.0, 8.0, angle), ZERO, velocity, offset);
            move |found| {
                let parameters = [("field of view", angle), ("d", distance)];
                bench.check(Case::absolute(&parameters, f64::from(!outside), f64::from(found[id]), 0.0));
            }
        })?;
    }
    Ok(())
}

fn perception_view_at_any_distance(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.perceives(Setup::open(false, 0.01).apart(), 0..32, |setup, case| {
        let (angle, distance) = (if case % 2 == 0 { 62.0 } else { 58.0 }, draw.scale(0.01, 29.0));
        let heading = draw.heading(false);
        let velocity = times(heading, draw.scale(0.01, 100.0));
        let offset = times(draw.turned(false, heading, angle), distance);
        let id = pair(setup, &seeing("cohesion", 1.0, 30.0, 120.0), ZERO, velocity, offset);
        move |found| {
            let parameters = [("angle", angle), ("d", distance)];
            bench.check(Case::absolute(&parameters, f64::from(angle < 60.0), f64::from(found[id]), 0.0));
        }
    })
}

fn perception_behind(bench: &Bench, draw: &mut Draw) -> Tried {
    // Once alone, and once with another species that has a narrower field of view.
    for (spatial, beside) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut setup = Setup::open(spatial, 0.01);
        if beside {
            setup.species(&seeing("cohesion", 1.0, 8.0, 90.0), &[Body::at(lane(64, 32.0))]);
        }
        let mut bodies = Vec::new();
        for index in 0..32 {
            let heading = draw.heading(spatial);
            let behind = times(heading, -draw.scale(0.01, 7.9));
            let velocity = times(heading, 7.0);
            let positions = [ZERO, behind].map(|at| plus(lane(index, 32.0), at));
            bodies.extend(positions.map(|position| Body { position, velocity }));
        }
        let first = setup.species(&all_around("cohesion", 1.0, 8.0), &bodies).start;
        let found = bench.steering(&setup)?.neighbors;
        for (index, pair) in bodies.chunks_exact(2).enumerate() {
            let distance = norm(minus(pair[1].position, pair[0].position));
            bench.check(Case::absolute(&[("d", distance)], 1.0, f64::from(found[first + 2 * index]), 0.0));
        }
    }
    Ok(())
}

fn perception_species(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // All agents are within sight of each other, so an agent counts all of the named species except itself.
    let named: Vec<u64> = (0..16).map(|_| draw.word() % 65535 + 1).collect();
    bench.perceives(Setup::open(spatial, 0.01), named.into_iter().enumerate(), |setup, (own, mask)| {
        let all = || (0..16).filter(move |species| mask >> species & 1 == 1);
        let names: Vec<String> = all().map(|species| format!("\"species {species}\"")).collect();
        let lines = format!("perceives = [{}]\n{}", names.join(", "), all_around("cohesion", 1.0, 500.0));
        let id = setup.species(&lines, &draw.crowd(own + 1, spatial, ZERO, 10.0, 5.0)).start;
        let expected: usize = all().map(|species| species + 1 - usize::from(species == own)).sum();
        move |found| {
            let parameters = [("species", own as f64), ("mask", mask as f64)];
            bench.check(Case::absolute(&parameters, expected as f64, f64::from(found[id]), 0.0));
        }
    })
}

/// Behaviors with a key `perceives` of their own. Each perceives the species that it names, with and without other agents in between.
fn perception_own(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const BEHAVIORS: [&str; 8] = [
        "queue",
        "morse",
        "zones",
        "unaligned_avoidance",
        "close_neighbor_avoidance",
        "flock_by_turns",
        "social_force",
        "time_to_collision",
    ];
    for round in 0..2 {
        let viewers: Vec<V> = BEHAVIORS.iter().map(|_| rounded(times(draw.heading(spatial), 4.0))).collect();
        let mut crowd = |(index, course): (usize, &V)| {
            let mut crowd = draw.crowd(6, spatial, lane(index, 60.0), 4.0, 1.0);
            // One more friend that is ahead and slower, so that the viewer has somebody to queue behind.
            let ahead = plus(lane(index, 60.0), times(*course, 0.1 + 0.05 * f64::from(round)));
            crowd.push(Body::at(rounded(ahead)));
            crowd
        };
        let friends: Vec<Vec<Body>> = viewers.iter().enumerate().map(&mut crowd).collect();
        let strangers: Vec<Body> =
            (0..BEHAVIORS.len()).flat_map(|index| draw.crowd(9, spatial, lane(index, 60.0), 3.0, 4.0)).collect();
        let found = [0.0, 1e4].map(|far| {
            let (mut setup, mut ids) = (Setup::open(spatial, 0.01), Vec::new());
            for (index, (name, course)) in BEHAVIORS.iter().zip(&viewers).enumerate() {
                setup.species("radius = 0.4\n", &friends[index]);
                let rule = format!("perceives = \"species {}\"", 2 * index);
                let lines = format!("radius = 0.4\nmax_force = 1e6\nbehaviors.{name} = {{ {rule} }}");
                ids.push(setup.agent(&lines, lane(index, 60.0), *course));
            }
            let moved = |body: &Body| Body { position: plus(body.position, [far, 0.0, 0.0]), ..*body };
            setup.species("radius = 0.4\n", &strangers.iter().map(moved).collect::<Vec<Body>>());
            let found = bench.steering(&setup).map(|found| found.accelerations);
            found.map(|found| ids.iter().map(|id| found[*id]).collect::<Vec<V>>())
        });
        let [among, alone] = found;
        for (index, (among, alone)) in among?.into_iter().zip(alone?).enumerate() {
            let parameters = [("behavior", index as f64)];
            bench.check(Case::vector_within(&parameters, alone, among, 0.0));
            bench.check(Case::holds(&parameters, true, norm(alone) > 0.0));
        }
    }
    Ok(())
}

fn perception_k_nearest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // Crowds at one place that do not perceive each other, one crowd alone, and one all over a small wrapped world.
    let (mut setup, mut alone) = (Setup::open(spatial, 0.01).apart(), Setup::open(spatial, 0.01));
    let mut small = Setup::within(spatial, [20.0; 3], "wrap", 0.01, "");
    let lines = |k: usize| format!("k_nearest = {k}\n{}", all_around("cohesion", 1.0, 8.0));
    for k in 1..=16 {
        setup.species(&lines(k), &draw.crowd(24, spatial, ZERO, 8.0, 5.0));
    }
    alone.species(&lines(12), &draw.crowd(24, spatial, ZERO, 5.0, 5.0));
    small.species(&lines(3), &draw.crowd(24, spatial, ZERO, 9.9, 5.0));
    for (setup, numbers, size) in [(setup, 1..=16, 1e9), (alone, 12..=12, 1e9), (small, 3..=3, 20.0)] {
        let (bodies, found) = (setup.bodies(), bench.steering(&setup)?.accelerations);
        for ((k, crowd), found) in numbers.zip(bodies.chunks(24)).zip(found.chunks(24)) {
            let case = |agent: usize| {
                let way = |other: &Body| {
                    minus(other.position, crowd[agent].position).map(|x: f64| x - size * (x / size).round())
                };
                let mut offsets: Vec<V> = crowd.iter().map(way).collect();
                offsets.remove(agent);
                offsets.retain(|way| norm(*way) <= 8.0);
                offsets.sort_by(|a, b| norm(*a).total_cmp(&norm(*b)));
                let parameters = [("k", k as f64), ("within R", offsets.len() as f64)];
                offsets.truncate(k);
                let expected = if offsets.is_empty() { ZERO } else { mean(&offsets) };
                Case::vector_within(&parameters, expected, found[agent], 2e-5)
            };
            // Check the agent of each crowd with the largest error.
            bench.check((0..24).map(case).max_by(|a, b| a.error.total_cmp(&b.error)));
        }
    }
    Ok(())
}

/// An agent that looks along x, and another behind it: nearer than the inner radius, at it, farther, or beyond the perception radius.
fn perception_inner_radius(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.perceives(Setup::open(spatial, 0.01).apart(), 0..32, |setup, index| {
        // Numbers whose squares f32 holds.
        let inner = f64::from(draw.whole(4, 64)) / 16.0;
        let radius = if index % 4 == 3 { inner / 2.0 } else { 6.0 };
        let distance = match index % 4 {
            0 => inner * draw.between(0.1, 0.99),
            1 => inner,
            2 => inner + draw.between(1.0 / 1024.0, 1.0),
            _ => inner * draw.between(0.6, 0.99),
        };
        let view = draw.between(10.0, 170.0);
        // At the inner radius straight behind, where the distance is exact.
        let turn = if index % 4 == 1 { 180.0 } else { draw.between(90.0, 180.0) };
        let way = if index % 4 == 1 { [-1.0, 0.0, 0.0] } else { draw.turned(spatial, [1.0, 0.0, 0.0], turn) };
        let pair = [ZERO, times(way, distance)].map(|position| Body::at(position).moving([3.0, 0.0, 0.0]));
        let vision = format!("perception_radius = {radius}, field_of_view = {view}, inner_radius = {inner}");
        let behavior = ["cohesion", "heading_noise", "social_force", "time_to_collision"][index / 4 % 4];
        setup.species(&format!("behaviors.{behavior} = {{ {vision} }}"), &pair);
        let expected = index % 4 < 2;
        move |found| bench.check(Case::holds(&[("inner", inner), ("d", distance)], expected, found[2 * index] == 1))
    })
}

/// Crowds of two species. The first perceives both, but its behaviors see only in a cone, and one behavior sees only its own species.
fn perception_k_nearest_in_view(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01), 0..12, |setup, index| {
        let (k, view) = (1 + index, [90.0, 270.0, 360.0][index % 3]);
        let own = setup.next();
        let at = lane(index, 48.0);
        let masked = index % 2 == 0;
        let mask = if masked { format!(", perceives = {own:?}") } else { String::new() };
        let cohesion = format!("cohesion = {{ perception_radius = 8, field_of_view = {view}{mask} }}");
        let alignment = "alignment = { perception_radius = 6, field_of_view = 360 }";
        let lines = format!("k_nearest = {k}\n{FREE}time_constant = 1\nbehaviors.{cohesion}\nbehaviors.{alignment}\n");
        let [first, others] = [(); 2].map(|()| draw.crowd(20, spatial, at, 7.0, 5.0));
        let ids = setup.species(&lines, &first);
        setup.species("", &others);
        let crowd = setup.crowd(ids.start..ids.start + 40);
        let nearest = |radius: f64, view: f64, among: usize| {
            let mut seen: Vec<usize> = perceived(&crowd[..among], 0, radius, view);
            let distance = |other: &usize| norm(minus(crowd[*other].position, crowd[0].position));
            seen.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
            seen.truncate(k);
            seen
        };
        let gathered = nearest(8.0, view, if masked { 20 } else { 40 });
        let aligned = nearest(6.0, 360.0, 40);
        let offsets: Vec<V> = gathered.iter().map(|i| minus(crowd[*i].position, crowd[0].position)).collect();
        let velocities: Vec<V> = aligned.iter().map(|i| minus(crowd[*i].velocity, crowd[0].velocity)).collect();
        let of = |all: &[V]| if all.is_empty() { ZERO } else { mean(all) };
        let parameters =
            [("k", k as f64), ("view", view), ("masked", f64::from(masked)), ("seen", offsets.len() as f64)];
        (ids.start, parameters, plus(of(&offsets), of(&velocities)), 5e-5)
    })
}

/// Does the way between two places meet a ball of this radius, or a box of these half sides, around a center?
fn meets(axes: usize, from: V, to: V, center: V, half: f64, is_box: bool) -> bool {
    let (start, way) = (minus(from, center), minus(to, from));
    if !is_box {
        let on = (-dot(start, way) / dot(way, way)).clamp(0.0, 1.0);
        return norm(plus(start, times(way, on))) < half;
    }
    // The part of the way, as shares from 0 to 1, that is between the two sides along every axis.
    let (mut first, mut last) = (0.0f64, 1.0f64);
    for axis in 0..axes {
        let sides = [-half, half].map(|side| (side - start[axis]) / way[axis]);
        first = first.max(sides[0].min(sides[1]));
        last = last.min(sides[0].max(sides[1]));
    }
    first < last
}

/// Pairs with a ball or a box between them, beside the line of sight, behind one of them, or around one. Every fourth pair has
/// `line_of_sight` off.
fn perception_line_of_sight(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut scenery, mut drawn) = (Vec::new(), Vec::new());
    while drawn.len() < 24 {
        let (course, distance, half) = (draw.heading(spatial), draw.between(2.0, 12.0), draw.between(0.3, 3.0));
        let from = lane(drawn.len(), 40.0);
        let to = rounded(plus(from, times(course, distance)));
        let beside = draw.point(spatial, 1.5 * half);
        let center = rounded(plus(from, plus(times(course, distance * draw.between(-0.5, 1.5)), beside)));
        let is_box = draw.whole(0, 1) == 1;
        let meets = |share: f64| meets(if spatial { 3 } else { 2 }, from, to, center, share * half, is_box);
        // What rounding decides is none of the law.
        if meets(0.999) != meets(1.001) {
            continue;
        }
        scenery.push(match is_box {
            true => cuboid(spatial, center, [2.0 * half; 3]),
            false => sphere(spatial, center, half),
        });
        drawn.push((from, to, half, meets(1.0)));
    }
    let setup = among(spatial, 0.01, &scenery).apart();
    bench.perceives(setup, drawn.into_iter().enumerate(), |setup, (index, (from, to, half, met))| {
        let looks = index % 4 != 3;
        let lines = format!("line_of_sight = {looks}\n{}", all_around("cohesion", 1.0, 16.0));
        let id = pair(setup, &lines, from, [1.0, 0.0, 0.0], to);
        move |found| {
            let parameters = [("d", norm(minus(to, from))), ("size", half), ("between", f64::from(met))];
            bench.check([id, id + 1].map(|id| Case::holds(&parameters, !met || !looks, found[id] == 1)));
        }
    })
}

/// Seekers at rest among balls.
fn perception_nearest_in_sight(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let balls: Vec<(V, f64)> = (0..24).map(|_| (rounded(draw.point(spatial, 20.0)), draw.between(0.5, 2.5))).collect();
    let scenery: Vec<String> = balls.iter().map(|(center, radius)| sphere(spatial, *center, *radius)).collect();
    let mut setup = among(spatial, 0.01, &scenery);
    let name = setup.next();
    let sought = setup.species("", &draw.crowd(40, spatial, ZERO, 20.0, 1.0));
    let target = format!("{{ nearest = {name:?}, perception_radius = 30 }}");
    let rested: Vec<Body> =
        draw.crowd(30, spatial, ZERO, 20.0, 1.0).into_iter().map(|body| Body { velocity: ZERO, ..body }).collect();
    let seekers = setup.species(&format!("line_of_sight = true\nbehaviors.seek.target = {target}\n"), &rested);
    let (bodies, found) = (setup.bodies(), bench.steering(&setup)?.accelerations);
    for id in seekers {
        let nearest = |share: f64| {
            let way = |other: &usize| minus(bodies[*other].position, bodies[id].position);
            let hides = |to: V, (center, radius): &(V, f64)| {
                meets(if spatial { 3 } else { 2 }, bodies[id].position, to, *center, share * radius, false)
            };
            let in_sight =
                sought.clone().filter(|other| !balls.iter().any(|ball| hides(bodies[*other].position, ball)));
            in_sight.map(|other| way(&other)).min_by(|a, b| norm(*a).total_cmp(&norm(*b)))
        };
        // What rounding decides is none of the law.
        if nearest(0.999) == nearest(1.001) {
            let direction = |way: V| if way == ZERO { ZERO } else { unit(way) };
            let expected = direction(nearest(1.0).unwrap_or(ZERO));
            bench.check(Case::vector_within(&[("seeker", id as f64)], expected, direction(found[id]), 1e-5));
        }
    }
    Ok(())
}

/// Does the line between two positions, in cells of a map, meet a wall whose cells have `half` as half of their side?
fn meets_walls(walls: &Walls, from: V, to: V, half: f64) -> bool {
    let cells = |axis: usize| {
        let ends = [from[axis].min(to[axis]), from[axis].max(to[axis])];
        ends[0].floor() as i32 - 1..=ends[1].floor() as i32 + 1
    };
    let meets_wall = |column: i32, row: i32| {
        let middle = [f64::from(column) + 0.5, f64::from(row) + 0.5, 0.0];
        walls.is_solid(column, row) && meets(2, from, to, middle, half, true)
    };
    cells(1).any(|row| cells(0).any(|column| meets_wall(column, row)))
}

/// Pairs anywhere in a maze; some start within a wall.
fn perception_line_of_sight_map(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let maze = || Setup::open_with(spatial, 0.01, "map = { source = \"maze\", resolution = 64, cell = 1.5 }\n");
    let scene = bench.scene(&maze().with("", &[]))?;
    let walls = scene.map.as_ref().expect("a map").walls(&scene.world, scene.seed);
    let cell = f64::from(walls.cell);
    let on_map =
        |[x, y, _]: V| [x / cell + 0.5 * f64::from(walls.columns), 0.5 * f64::from(walls.rows) - y / cell, 0.0];
    bench.perceives(maze().apart(), 0..30, |setup, index| {
        loop {
            let from = rounded(draw.point(spatial, 40.0));
            let to = rounded(plus(from, times(draw.heading(spatial), draw.scale(0.3, 12.0))));
            let met = |half: f64| meets_walls(&walls, on_map(from), on_map(to), half);
            // Half of the pairs are to see each other. Skip what rounding decides.
            if met(0.499) != met(0.501) || met(0.5) != (index % 2 == 0) {
                continue;
            }
            let looks = index % 5 > 0;
            let lines = format!("line_of_sight = {looks}\n{}", all_around("cohesion", 1.0, 16.0));
            let id = pair(setup, &lines, from, [1.0, 0.0, 0.0], to);
            let met = looks && met(0.5);
            break move |found: &Vec<u32>| {
                let parameters = [("d", norm(minus(to, from))), ("met", f64::from(met))];
                bench.check([id, id + 1].map(|id| Case::holds(&parameters, !met, found[id] == 1)));
            };
        }
    })
}

/// Sides of the searched world, u.
const SIDES: V = [40.0, 30.0, 20.0];
const AGENTS: usize = 40;

fn perception_search(bench: &Bench, draw: &mut Draw) -> Tried {
    let seen = |setup: &Setup| Ok((setup.bodies(), bench.steering(setup)?.neighbors));
    for spatial in [false, true] {
        for boundary in ["wrap", "contain", "open"] {
            bench.tries(Setup::within(spatial, SIDES, boundary, 0.01, ""), seen, 0..12, |setup, species| {
                let radius = draw.scale(0.5, 9.9);
                let bodies: Vec<Body> = (0..AGENTS).map(|_| searched(draw, spatial, boundary, species)).collect();
                let ids = setup.species(&all_around("cohesion", 1.0, radius), &bodies);
                move |(bodies, found)| {
                    let missed = ids.filter(|&agent| {
                        let (least, most) = within(bodies, agent, radius, boundary == "wrap");
                        !(least..=most).contains(&(found[agent] as usize))
                    });
                    let parameters = [("R", radius), dimensions(spatial)];
                    bench.check(Case::absolute(&parameters, 0.0, missed.count() as f64, 0.0));
                }
            })?;
        }
        // Many agents have a short sight, so cells are small and far ones share entries of the grid; some agents see far beyond them.
        let near = draw.crowd(4 * AGENTS, spatial, ZERO, 150.0, 1.0);
        let setup = Setup::open(spatial, 0.01).with(&all_around("cohesion", 1.0, 1.0), &near);
        bench.tries(setup, seen, 0..6, |setup, _| {
            let radius = draw.scale(20.0, 500.0);
            let bodies = draw.bodies(4, |draw| Body::at(times(searched(draw, spatial, "open", 0).position, 10.0)));
            let ids = setup.species(&all_around("cohesion", 1.0, radius), &bodies);
            move |(bodies, found)| {
                for agent in ids {
                    let (least, most) = within(bodies, agent, radius, false);
                    let found = f64::from(found[agent]);
                    let parameters = [("R", radius), ("size", norm(times(SIDES, 10.0))), ("found", found)];
                    bench.check(Case::absolute(&parameters, found.clamp(least as f64, most as f64), found, 0.0));
                }
            }
        })?;
    }
    Ok(())
}

/// An agent anywhere, in a cluster, or at whole coordinates, where cells and the seam have their edges. In an open world it may be
/// outside.
fn searched(draw: &mut Draw, spatial: bool, boundary: &str, species: usize) -> Body {
    let spread = if boundary == "open" { 0.8 } else { 0.499 };
    let anywhere = [0, 1, 2].map(|axis| SIDES[axis] * draw.between(-spread, spread));
    let mut position = match species % 3 {
        0 => anywhere,
        1 => times(anywhere, 0.1),
        _ => anywhere.map(|x| (x - 0.5).round()),
    };
    position[2] = if spatial { position[2] } else { 0.0 };
    Body::at(position).moving(draw.point(spatial, 5.0))
}

/// The number of agents surely within a radius of an agent, and the number perhaps within it: rounding decides at the edge.
fn within(bodies: &[Body], agent: usize, radius: f64, wraps: bool) -> (usize, usize) {
    let others = bodies.iter().enumerate().filter(|(other, _)| *other != agent);
    let distances = others.map(|(_, other)| {
        let offset = minus(other.position, bodies[agent].position);
        let nearest = |axis: usize| offset[axis] - SIDES[axis] * (offset[axis] / SIDES[axis]).round();
        norm(if wraps { [nearest(0), nearest(1), nearest(2)] } else { offset })
    });
    distances.fold((0, 0), |(least, most), distance| {
        (least + usize::from(distance <= radius * (1.0 - 1e-5)), most + usize::from(distance <= radius * (1.0 + 1e-5)))
    })
}
