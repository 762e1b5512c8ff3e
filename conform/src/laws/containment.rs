//! Containment: an agent that is predicted to leave a region turns back in time.

use crate::*;

laws! {
    containment_brake_steering by steering("brake", |_, out| Some(times(unit(out), -1.0))):
        "beyond the margin A = w a u, straight back to the inner part of a box or a sphere; within it A = 0",
        source: "the gradient of the distance",
        mutant: containment_steer("max(abs(at) - max(half_size, vec3f(0.0)), vec3f(0.0))"
            => "select(vec3f(0.0), abs(at), abs(at) > half_size)"),
        mistake: "from a corner toward the center, not toward the inner part";
    containment_turn_steering:
        "beyond the margin A = w a u across the heading, on the side of the way back; A = 0 for an agent that comes \
         back, and within",
        source: "Reynolds 1999, Containment: predict, and steer by the normal's part across the heading",
        mutant: containment_steer("sidestep(agent.id, agent.forward, inward)" => "inward"),
        mistake: "the whole normal: the turn costs speed";
    containment_head_on:
        "head-on A is across the heading with |A| = a, to one side for some agents and to the other side for the rest",
        source: "the part of the normal across the heading is zero there",
        mutant: containment_steer("sidestep(agent.id, agent.forward, inward)" => "across(agent.forward, inward)"),
        mistake: "all agents turn to the same side";
    containment_brake_depth:
        "head-on an agent with mode = brake goes a dt² n (2 x - n - 1)/2 beyond the margin, x = v/(a dt), n = ⌊x⌋: \
         at most v²/(2 a)",
        source: "a sum of steps; v dt/2 short of the closed form at most",
        mutant: containment_steer("inward * agent.max_acceleration;" => "inward * agent.max_acceleration * 0.9;"),
        mistake: "less than the whole force";
    containment_turn_depth in both:
        "at an angle θ to a flat wall's normal an agent with mode = turn goes r (1 - sin θ) beyond the margin, r = \
         v²/a, at constant speed",
        source: "a circle through the margin",
        mutant: containment_steer("dot3(agent.forward, inward) < 0.0" => "dot3(agent.forward, inward) < -0.3"),
        mistake: "the turn ends before the agent flies along the wall";
    containment_brake_holds by holds("brake", |_, braking| braking):
        "no agent leaves a box or a sphere where margin >= v²/(2 a) + v dt",
        source: "conservation of v²/2 + a distance, at full speed; a step is flown before the margin is felt",
        mutant: containment_steer("return inward * agent.max_acceleration;"
            => "return -outward * (agent.max_acceleration / max(containment.margin, 1e-6));"),
        mistake: "the push rises over the margin, which takes twice the way";
    containment_turn_holds:
        "no agent leaves a box where margin >= 2 r + v dt, or a sphere of radius c + margin where margin >= r + √(c² \
         + r²) - c + v dt",
        source: "a circle is nowhere more than 2 r from its start; one tangent to a radius reaches r + √(c² + r²)",
        mutant: containment_steer("select(vec3f(0.0), sidestep(agent.id, agent.forward, inward), leaving) * agent.max_acceleration"
            => "select(vec3f(0.0), sidestep(agent.id, agent.forward, inward), leaving) * agent.max_acceleration * 0.9"),
        mistake: "less than the whole force";
    containment_map in both:
        "where the way to p + v T ends nearer than the margin to a wall of a map, A is as at a boundary with the \
         wall's normal; elsewhere A = 0",
        source: "a thin wall, from both sides; what is predicted beyond it is before it",
        mutant: out_of_ground("along_walls(before, predicted).position" => "predicted.position"),
        mistake: "an agent that would pass a wall is pushed on through it";
}

/// Whether the world is spatial, and whether the region is a sphere.
const WORLDS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];
/// Half of the side of a planar box along z, u.
const ENDLESS: f64 = 1e6;

/// A region with a margin.
#[derive(Debug, Clone, Copy)]
struct Region {
    spatial: bool,
    round: bool,
    center: V,
    /// Half of the extent along each axis without the margin, u; for a sphere the first is the radius.
    inner: V,
    margin: f64,
}

impl Region {
    /// A random region around the place of case `index`.
    fn drawn(draw: &mut Draw, (spatial, round): (bool, bool), index: usize, margin: f64) -> Region {
        let mut half = || draw.between(0.5, 4.0);
        let inner = [half(), half(), if spatial { half() } else { ENDLESS }];
        Region { spatial, round, center: lane(index, 24.0), inner, margin }
    }

    /// The vector from the inner part, widened by `more`, to a point outside; zero within it.
    fn beyond(&self, position: V, more: f64) -> V {
        let at = minus(position, self.center);
        if self.round {
            let far = (norm(at) - self.inner[0] - more).max(0.0);
            return if far > 0.0 { times(unit(at), far) } else { ZERO };
        }
        [0, 1, 2].map(|axis| (at[axis].abs() - self.inner[axis] - more).max(0.0) * at[axis].signum())
    }

    /// The largest distance of a point from the margin's inner edge, to one side; negative within.
    fn depth(&self, position: V) -> f64 {
        let at = minus(position, self.center);
        if self.round {
            return norm(at) - self.inner[0];
        }
        let along = [0, 1, 2].map(|axis| at[axis].abs() - self.inner[axis]);
        along.into_iter().most()
    }

    /// A random point of the inner part.
    fn inside(&self, draw: &mut Draw) -> V {
        loop {
            let share = draw.point(self.spatial, 1.0);
            if !self.round {
                return rounded(plus(self.center, [0, 1, 2].map(|axis| self.inner[axis] * share[axis])));
            }
            if norm(share) < 1.0 {
                return rounded(plus(self.center, times(share, self.inner[0])));
            }
        }
    }

    fn rule(&self, more: &str) -> String {
        let shape = if self.round { "sphere" } else { "box" };
        let size = point(self.spatial, self.inner.map(|half| 2.0 * (half + self.margin)).map(|x| x.min(1e7)));
        let center = point(self.spatial, self.center);
        let margin = self.margin;
        let region = format!("shape = {shape:?}, center = {center}, size = {size}, margin = {margin}");
        format!("behaviors.containment = {{ {region}, {more} }}")
    }

    /// A species that feels the margin where it is, at full speed.
    fn keeper(&self, mode: &str, speed: f64, most: f64) -> String {
        let rule = self.rule(&format!("prediction_time = 0, mode = {mode:?}"));
        format!("max_speed = {speed}\nmax_force = {most}\n{rule}")
    }
}

fn containment_map(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const HALF: f64 = 0.25;
    let wall = [[-31.0, -HALF], [31.0, HALF]];
    bench.wants(Setup::open_with(spatial, 0.01, blocks(spatial, &[wall])), 0..32, |setup, index| {
        loop {
            let (margin, time, most) = (draw.between(0.3, 3.0), draw.between(0.1, 1.0), draw.scale(5.0, 50.0));
            let (side, mode) = ([-1.0, 1.0][index % 2], ["brake", "turn"][index / 2 % 2]);
            let position = [draw.between(-15.0, 15.0), side * draw.between(0.4, 6.0), draw.between(-9.0, 9.0)];
            let position = rounded(if spatial { position } else { [position[0], position[1], 0.0] });
            let velocity = rounded(draw.point(spatial, 8.0));
            let (heading, back) = (unit(velocity), [0.0, side, 0.0]);
            let ends = (side * (position[1] + velocity[1] * time) - HALF).max(0.0);
            let aside = across(back, heading);
            // Neither at the margin, nor head-on, nor along the wall.
            if (ends - margin).abs() < 0.02 || norm(aside) < 0.15 || dot(back, heading).abs() < 0.02 {
                continue;
            }
            let share = match mode {
                _ if ends > margin => ZERO,
                "brake" => back,
                _ if dot(back, heading) < 0.0 => unit(aside),
                _ => ZERO,
            };
            let rule = format!("shape = \"map\", margin = {margin}, prediction_time = {time}, mode = {mode:?}");
            let lines = format!("max_speed = 20\nmax_force = {most}\nbehaviors.containment = {{ {rule} }}");
            let id = setup.agent(&lines, position, velocity);
            let parameters = [("margin", margin), ("ends", ends), ("a", most)];
            break (id, parameters, times(share, most), 1e-4 * most);
        }
    })
}

fn containment_turn_steering(bench: &Bench, draw: &mut Draw) -> Tried {
    steering(bench, draw, "turn", |velocity, out| {
        let (heading, back) = (unit(velocity), times(unit(out), -1.0));
        let aside = across(back, heading);
        // Neither head-on nor along the wall.
        let clear = norm(aside) > 0.15 && dot(back, heading).abs() > 0.02;
        clear.then(|| if dot(back, heading) < 0.0 { unit(aside) } else { ZERO })
    })
}

/// Agents anywhere in and around their regions. Each should steer by `share` times its largest acceleration; `None` if that is not
/// clear.
fn steering(bench: &Bench, draw: &mut Draw, mode: &str, share: fn(V, V) -> Option<V>) -> Tried {
    for world in WORLDS {
        let spatial = world.0;
        bench.wants(Setup::open(spatial, 0.01), 0..24, |setup, index| {
            loop {
                let margin = draw.between(0.5, 3.0);
                let region = Region::drawn(draw, world, index, margin);
                let (time, weight) = (draw.between(0.0, 0.5), draw.between(0.3, 3.0));
                let (mass, force) = (draw.scale(0.5, 2.0), draw.scale(5.0, 50.0));
                let position = rounded(plus(region.center, draw.point(spatial, 5.0)));
                let velocity = draw.point(spatial, 6.0);
                let predicted = plus(position, times(velocity, time));
                let out = region.beyond(predicted, 0.0);
                // Skip what rounding decides.
                let beyond = |more: f64| region.beyond(predicted, more).map(|x| x != 0.0);
                if beyond(-0.1) != beyond(0.1) {
                    continue;
                }
                let steering = if out == ZERO { Some(ZERO) } else { share(velocity, out) };
                let Some(steering) = steering else { continue };
                let rule = region.rule(&format!("weight = {weight}, prediction_time = {time}, mode = {mode:?}"));
                let lines = format!("max_speed = 20\nmass = {mass}\nmax_force = {force}\n{rule}");
                let (id, most) = (setup.agent(&lines, position, velocity), weight * force / mass);
                let bound = if steering == ZERO { 0.0 } else { 1e-3 * most };
                break (id, [("a", most), ("beyond", norm(out))], times(steering, most), bound);
            }
        })?;
    }
    Ok(())
}

fn containment_head_on(bench: &Bench, draw: &mut Draw) -> Tried {
    for (spatial, round) in WORLDS {
        let inner = [2.0, 2.0, if spatial { 2.0 } else { ENDLESS }];
        let region = Region { spatial, round, center: ZERO, inner, margin: 4.0 };
        let (force, speed) = (draw.between(5.0, 50.0), draw.between(3.0, 9.0));
        let mut setup = Setup::open(spatial, 0.01);
        let body = Body::at([3.0, 0.0, 0.0]).moving([speed, 0.0, 0.0]);
        setup.species(&region.keeper("turn", speed, force), &[body; 24]);
        bench.check(to_both_sides(&bench.steering(&setup)?.accelerations, force));
    }
    Ok(())
}

/// The outward normal and the position of an agent just beyond the margin's inner edge, on an axis of the region.
fn at_the_edge(draw: &mut Draw, region: &Region) -> (V, V) {
    let axis = draw.whole(0, if region.spatial { 2 } else { 1 }) as usize;
    let mut normal = ZERO;
    normal[axis] = if draw.whole(0, 1) == 1 { 1.0 } else { -1.0 };
    let far = region.inner[if region.round { 0 } else { axis }] + 1e-3;
    (normal, rounded(plus(region.center, times(normal, far))))
}

/// How far beyond the inner edge of its margin an agent comes on a way.
fn deepest(region: &Region, id: usize, path: &[Vec<Body>]) -> f64 {
    path.iter().map(|bodies| region.depth(bodies[id].position)).most()
}

fn containment_brake_depth(bench: &Bench, draw: &mut Draw) -> Tried {
    for world in WORLDS {
        let dt = if world.0 { 1.0 / 120.0 } else { 1.0 / 30.0 };
        // The fastest of the weakest agents stands still after 160 steps.
        bench.flies(Setup::open(world.0, dt), 160, 0..20, |setup, id| {
            let region = Region::drawn(draw, world, id, 6.0);
            let (normal, start) = at_the_edge(draw, &region);
            let (speed, most) = (draw.between(3.0, 8.0), draw.between(6.0, 40.0));
            setup.agent(&region.keeper("brake", speed, most), start, times(normal, speed));
            move |path| {
                let x = speed / (most * dt);
                let n = x.floor();
                let expected = most * dt * dt * n * (2.0 * x - n - 1.0) / 2.0 + 1e-3;
                let parameters = [("v", speed), ("a", most), ("v²/2a", speed * speed / (2.0 * most))];
                // Until it stands still.
                let depth = deepest(&region, id, &path[..=x.ceil() as usize]);
                bench.check(Case::absolute(&parameters, expected, depth, 5e-4));
            }
        })?;
    }
    Ok(())
}

fn containment_turn_depth(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 128.0;
    // The widest turn of the slowest agent takes 192 steps.
    bench.flies(Setup::open(spatial, dt), 194, 0..24, |setup, id| {
        // The region is so wide that the turn meets only one wall.
        let inner = [8.0, 8.0, if spatial { 8.0 } else { ENDLESS }];
        let region = Region { spatial, round: false, center: lane(id, 24.0), inner, margin: 3.5 };
        let (normal, start) = at_the_edge(draw, &region);
        let (speed, radius) = (draw.between(3.0, 8.0), draw.between(1.0, 3.0));
        let angle = draw.between(5.0, 70.0);
        let heading = draw.turned(spatial, normal, angle);
        setup.agent(&region.keeper("turn", speed, speed * speed / radius), start, times(heading, speed));
        move |path| {
            // Each step first turns by this angle, and then moves.
            let turn = (speed * dt / radius).atan();
            let climbs = (1..).map(|step| speed * dt * (angle.to_radians() + turn * f64::from(step)).cos());
            let expected = climbs.take_while(|climb| *climb > 0.0).sum::<f64>() + 1e-3;
            let parameters = [("v", speed), ("r", radius), ("θ", angle)];
            // Until it flies along the wall.
            let end = ((90.0 - angle).to_radians() * radius / (speed * dt)).ceil() as usize + 2;
            let depth = deepest(&region, id, &path[..=end]);
            bench.check(Case::absolute(&parameters, expected, depth, 1e-3));
            bench.check(Case::absolute(&parameters, radius * (1.0 - angle.to_radians().sin()), depth, speed * dt));
            bench.check(Case::relative(&parameters, speed, norm(path[end][id].velocity), 1e-5));
        }
    })
}

fn containment_turn_holds(bench: &Bench, draw: &mut Draw) -> Tried {
    holds(bench, draw, "turn", |region, braking| {
        let (turn, c) = (2.0 * braking, region.inner[0]);
        if region.round { turn + c.hypot(turn) - c } else { 2.0 * turn }
    })
}

/// Agents that fly to and fro must stay within. `margin` gives the margin that they need from v²/(2 a), without the way of a step.
fn holds(bench: &Bench, draw: &mut Draw, mode: &str, margin: fn(&Region, f64) -> f64) -> Tried {
    for world in WORLDS {
        let spatial = world.0;
        bench.flies(Setup::open(spatial, DT), 512, 0..20, |setup, index| {
            let (speed, braking) = (draw.between(3.0, 8.0), draw.between(0.4, 1.5));
            let mut region = Region::drawn(draw, world, index, 0.0);
            region.margin = margin(&region, braking) + speed * DT;
            let (mut start, mut heading) = (region.inside(draw), draw.heading(spatial));
            if !region.round && index % 2 == 0 {
                // Out of a corner along one wall, a little toward the other: the longest turn that there is. Or out at
                // one wall, and at the other one when that is braked.
                let angle = if index % 4 == 0 { draw.between(0.5, 6.0) } else { draw.between(15.0, 40.0) };
                let (sin, cos) = angle.to_radians().sin_cos();
                let before = if index % 4 == 0 { 0.0 } else { (2.0 * braking * sin * cos).min(region.inner[0]) };
                start = plus(region.center, times(region.inner, 0.999));
                start = rounded([start[0] - before, start[1], if spatial { start[2] } else { 0.0 }]);
                heading = [cos, sin, 0.0];
            }
            let most = speed * speed / (2.0 * braking);
            setup.agent(&region.keeper(mode, speed, most), start, times(heading, speed));
            move |path| {
                let parameters = [("v", speed), ("a", most), ("margin", region.margin)];
                bench.check(Case::at_most(&parameters, region.margin, deepest(&region, index, path), 1e-4));
            }
        })?;
    }
    Ok(())
}
