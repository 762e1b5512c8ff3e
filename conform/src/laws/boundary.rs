//! The ends of the world: joined, walled, or open.

use crate::*;
use std::f64::consts::PI;

laws! {
    boundary_wrap in both: "on a joined axis of length L, x(t) = (x + v t + L/2) mod L - L/2",
        source: "a torus",
        mutant: wrap_coordinate("x - size * floor((x + half_size) / size);" => "clamp(x, -half_size, half_size);"),
        mistake: "agents stop at the seam";
    boundary_walk in both:
        "where nothing is rounded, a walk around the world ends where it began, to the bit, and never leaves the world",
        source: "a torus; multiples of 1/64 and steps of a few of them are exact in f32",
        mutant: wrap_coordinate("floor((x + half_size) / size)" => "floor((x + half_size) / size) * (1.0 - 1e-6)"),
        mistake: "the world is longer than it is wide";
    boundary_seam in both:
        "across one seam or several, a neighbor acts by its nearest image: A = w (nearest image - p)",
        source: "minimum image; F12: a famous benchmark forgot it, and flocks bounced at the seam",
        mutant: enter_image("f32((*walk).period_x) * half_size.x" => "-f32((*walk).period_x) * half_size.x"),
        mistake: "the image lies on the other side";
    boundary_wall_holds in both:
        "a contained agent is never beyond the wall, however fast: |x| ≤ L/2, and one with v² > 6 a m reaches the \
         wall itself",
        source: "the wall stops the agents that the margin did not stop",
        mutant: bounded("Motion(half_size, -abs(v))" => "Motion(x, -abs(v))"),
        mistake: "the velocity turns, the position stays outside";
    boundary_wall_turns in both: "at a wall the velocity is turned to point inward, and the speed does not change",
        source: "elastic reflection",
        mutant: bounded("Motion(half_size, -abs(v))" => "Motion(half_size, v)"),
        mistake: "the wall does not turn the velocity";
    boundary_push: "at a depth d in the margin m, A = -(max_force/mass) d/m along each contained axis",
        source: "a linear spring that is strongest at the wall",
        mutant: containment_along("select(push, -push, x > 0.0)" => "-push"),
        mistake: "both walls push the same way";
    boundary_spring:
        "an agent of speed v < √(a m), a = max_force/mass, goes v √(m/a) deep into the margin, and comes back at \
         speed v after π √(m/a)",
        source: "half a swing of a spring of ω² = a/m",
        mutant: containment_along("min(depth / world.margin, 1.0)" => "1.0"),
        mistake: "the push does not rise over the margin";
    boundary_open in both: "on an open axis agents leave freely: x(t) = x + v t",
        source: "no boundary",
        mutant: bounded("return Motion(x, v);" => "return Motion(clamp(x, -half_size, half_size), v);"),
        mistake: "agents stop at the end of the world";
}

/// Sides of the worlds, u. They differ, so that no axis stands in for another.
const SIDES: V = [32.0, 20.0, 24.0];

fn world(spatial: bool, boundary: &str, dt: f64, more: &str) -> Setup {
    Setup::within(spatial, SIDES, boundary, dt, more)
}

/// A point of the world.
fn inside(draw: &mut Draw, spatial: bool) -> V {
    let mut along = |axis: usize| draw.between(-0.49, 0.49) * SIDES[axis];
    [along(0), along(1), if spatial { along(2) } else { 0.0 }]
}

/// A point or an offset, brought into the world by whole sides.
fn wrapped(v: V) -> V {
    [0, 1, 2].map(|axis| v[axis] - SIDES[axis] * (v[axis] / SIDES[axis] + 0.5).floor())
}

fn boundary_wrap(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.arrives(world(spatial, "wrap", 1.0 / 64.0, ""), 256, 0..24, |setup, id| {
        setup.agent("max_speed = 100", inside(draw, spatial), draw.point(spatial, 30.0));
        let Body { position, velocity } = setup.body(id);
        move |found| {
            let expected = wrapped(plus(position, times(velocity, 4.0)));
            // An agent at the seam may be found on either side of it.
            let error = wrapped(minus(found[id].position, expected));
            let bound = 256.0 * f64::from(f32::EPSILON) * 32.0;
            bench.check(Case::vector_within(&[("|v|", norm(velocity))], expected, plus(expected, error), bound));
        }
    })
}

/// The farthest that an agent comes after any step, as a share of the distance from the middle to the wall.
fn farthest(path: &[Vec<Body>], id: usize) -> f64 {
    let share = |bodies: &Vec<Body>| {
        (0..3).map(|axis| bodies[id].position[axis].abs() / (SIDES[axis] / 2.0)).fold(0.0, f64::max)
    };
    path[1..].iter().map(share).fold(0.0, f64::max)
}

fn boundary_walk(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // Each step goes whole sixteenths of the side along each axis, so after 16 steps all agents are back.
    bench.flies(world(spatial, "wrap", 1.0 / 64.0, ""), 16, 0..16, |setup, id| {
        let mut along = |axis: usize, half: f64| {
            let way = f64::from(draw.whole(0, 14)) - 7.0;
            (draw.dyadic(-half, half), way * SIDES[axis] / 16.0 * 64.0)
        };
        let [x, y, z] = [along(0, 15.9), along(1, 9.9), if spatial { along(2, 11.9) } else { (0.0, 0.0) }];
        setup.agent("max_speed = 1e4", [x.0, y.0, z.0], [x.1, y.1, z.1]);
        move |path| {
            let Body { position, velocity } = path[0][id];
            let parameters = [("x", position[0]), ("y", position[1]), ("|v|", norm(velocity))];
            bench.check(Case::vector_within(&parameters, position, path[16][id].position, 0.0));
            bench.check(Case::at_most(&parameters, 1.0, farthest(path, id), 0.0));
        }
    })
}

fn boundary_seam(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(world(spatial, "wrap", 0.01, "").apart(), 0..31, |setup, case| {
        let mut middle = inside(draw, spatial);
        // Every combination of seams, including none.
        for axis in (0..if spatial { 3 } else { 2 }).filter(|axis| case >> axis & 1 == 1) {
            middle[axis] = SIDES[axis] / 2.0;
        }
        let apart = times(draw.heading(spatial), draw.between(0.2, 8.0));
        let bodies = [0.5, -0.5].map(|side| Body::at(wrapped(plus(middle, times(apart, side)))));
        let id = setup.species(&all_around("cohesion", 1.0, 9.0), &bodies).start;
        let [own, other] = [id, id + 1].map(|id| setup.body(id).position);
        move |found| {
            let expected = wrapped(minus(other, own));
            let parameters = [("x", own[0]), ("y", own[1]), ("d", norm(expected))];
            bench.check(Case::vector_within(&parameters, expected, found[id], 1e-5));
            bench.check(Case::vector_within(&parameters, times(expected, -1.0), found[id + 1], 1e-5));
        }
    })
}

fn boundary_wall_holds(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(world(spatial, "contain", 0.02, "world.margin = 3"), 100, 0..16, |setup, id| {
        let (speed, most) = (draw.scale(5.0, 400.0), draw.scale(0.1, 100.0));
        let lines = format!("min_speed = {speed}\nmax_speed = {speed}\nmax_force = {most}");
        setup.agent(&lines, inside(draw, spatial), times(draw.heading(spatial), speed));
        move |path| {
            let (parameters, share) = ([("speed", speed), ("a", most)], farthest(path, id));
            bench.check(Case::at_most(&parameters, 1.0, share, 0.0));
            // At least a third of v² is along one axis, where the margin takes a m of it; so the agent reaches the wall within two seconds.
            if speed * speed > 6.0 * most * 3.0 && speed > 40.0 {
                bench.check(Case::at_least(&parameters, 1.0, share, 0.0));
            }
        }
    })
}

fn boundary_wall_turns(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(world(spatial, "contain", 0.02, "world.margin = 0"), 100, 0..16, |setup, id| {
        let velocity = times(draw.heading(spatial), draw.between(20.0, 90.0));
        setup.agent("max_speed = 100\nmax_force = 0", inside(draw, spatial), velocity);
        move |path| {
            let outward = |Body { position, velocity }: Body| {
                let at_wall = (0..3).filter(move |axis| SIDES[*axis] / 2.0 == position[*axis].abs());
                at_wall.map(move |axis| velocity[axis] * position[axis].signum())
            };
            let outward = path[1..].iter().flat_map(|bodies| outward(bodies[id])).most();
            let speed = norm(path[0][id].velocity);
            bench.check(Case::relative(&[("speed", speed)], speed, norm(path[100][id].velocity), 1e-6));
            // Every agent meets a wall within two seconds.
            bench.check(Case::at_most(&[("speed", speed)], 0.0, outward, 0.0));
        }
    })
}

fn boundary_push(bench: &Bench, draw: &mut Draw) -> Tried {
    for (spatial, contained) in
        [(false, [true; 3]), (true, [true; 3]), (false, [false, true, true]), (true, [true, false, true])]
    {
        let margin = draw.between(2.0, 8.0);
        let walls = contained.map(|contained| if contained { "contain" } else { "open" });
        let boundary = &walls[..if spatial { 3 } else { 2 }];
        let setup = Setup::within(spatial, SIDES, boundary, 0.01, format!("world.margin = {margin}"));
        bench.wants(setup, 0..24, |setup, _| {
            let (mass, force) = (draw.scale(0.1, 10.0), draw.scale(1.0, 100.0));
            let lines = format!("mass = {mass}\nmax_force = {force}");
            let id = setup.agent(&lines, inside(draw, spatial), ZERO);
            let strongest = force / mass;
            let at = setup.body(id).position;
            let along = |axis: usize| {
                let depth = (at[axis].abs() - SIDES[axis] / 2.0 + margin).max(0.0);
                if contained[axis] { -at[axis].signum() * strongest * (depth / margin) } else { 0.0 }
            };
            let expected = [along(0), along(1), if spatial { along(2) } else { 0.0 }];
            let parameters = [("m", margin), ("a", strongest), ("x", at[0]), ("y", at[1])];
            (id, parameters, expected, 1e-5 * strongest)
        })?;
    }
    Ok(())
}

fn boundary_spring(bench: &Bench, draw: &mut Draw) -> Tried {
    let (margin, dt) = (6.0, 1.0 / 512.0);
    let setup = world(false, "contain", dt, &format!("world.margin = {margin}"));
    // The slowest agent is within the margin for π √(m/a) = 1.72 s. The state is read in every fourth step.
    let seen = |setup: &Setup| sampled_flight(bench, setup, (1.75 / dt) as u32 / 4, 4);
    bench.tries(setup, seen, 0..16, |setup, _| {
        let strongest = draw.between(20.0, 60.0);
        let speed = draw.between(0.3, 0.9) * (margin * strongest).sqrt();
        let lines = format!("max_speed = 1000\nmax_force = {strongest}");
        let id = setup.agent(&lines, [SIDES[0] / 2.0 - margin, 0.0, 0.0], [speed, 0.0, 0.0]);
        let speed = setup.body(id).velocity[0];
        move |path| {
            let depths = || path[1..].iter().map(|bodies| bodies[id].position[0] - SIDES[0] / 2.0 + margin);
            let inside = depths().filter(|depth| *depth > 0.0).map(|_| 4.0 * dt).sum();
            let parameters = [("m", margin), ("a", strongest), ("v", speed)];
            let (deepest, end) = (speed * (margin / strongest).sqrt(), path[path.len() - 1][id].velocity[0]);
            bench.check(Case::relative(&parameters, deepest, depths().fold(0.0, f64::max), 5e-3));
            bench.check(Case::relative(&parameters, -speed, end, 1e-2));
            bench.check(Case::absolute(&parameters, PI * (margin / strongest).sqrt(), inside, 8.0 * dt));
        }
    })
}

fn boundary_open(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.ends(world(spatial, "open", 1.0 / 64.0, ""), 128, PLACE, 0..16, |setup, _| {
        let id = setup.agent("max_speed = 100", inside(draw, spatial), draw.point(spatial, 40.0));
        let Body { position, velocity } = setup.body(id);
        let expected = plus(position, times(velocity, 2.0));
        let bound = 128.0 * f64::from(f32::EPSILON) * (norm(expected) + norm(position));
        (id, [("|v|", norm(velocity))], expected, bound)
    })
}
