//! Arrive, velocity matching and target speed: how speed falls on the way, and how it meets a wanted one.

use crate::*;

const MILLINGTON: &str = "Millington, Arrive and Velocity Matching";

laws! {
    arrive_ramp in both:
        "A = (V - v)/τ, V = v_max min(1, d/R) toward the target: v_max/2 at d = R/2, and 0 at the target",
        source: "Reynolds 1999, Arrival",
        mutant: arrive_velocity("(agent.max_speed * (distance / slow_radius))" => "agent.max_speed"),
        mistake: "the agent never slows down";
    arrive_square_root: "with ramp = square_root, V = min(v_max, √(2 a |y|), |y|/dt) along y = d - v τ",
        source: "the speed from which full braking ends at the target, v² = 2 a y, on the way that the lag leaves",
        mutant: arrive_steer("2.0 * agent.max_acceleration * distance" => "agent.max_acceleration * distance"),
        mistake: "the factor 2 is missing";
    arrive_square_root_stops in both:
        "with ramp = square_root and no smoothing_time no agent passes the target, whatever τ; after D/v - τ + \
         v/(2a) the distance left is a τ² (1 - e^(-v/(a τ))), and soon 0",
        source: "y = d - v τ falls at the rate V, since v follows V by (V - v)/τ, so the agent brakes by just a; \
         then v decays as e^(-t/τ)",
        mutant: arrive_steer("select(agent.time_constant, 0.0, agent.moves_as_desired)" => "0.0"),
        mistake: "the lag is left out: with 20 u/s, a = 60, τ = 0.1 the agent ends 1.2 u beyond the target";
    arrive_exponential:
        "with τ = dt and R ≥ v²/a the distance is R (1 - v dt/R)^n, which is R e^(-v t/R) to first order",
        source: "v = v_max d/R; the braking v²/R at the edge is within the force from R = v²/a on",
        mutant: arrive_velocity("(distance / slow_radius)" => "sqrt(distance / slow_radius)"),
        mistake: "the ramp is √(d/R) in place of d/R";
    arrive_overshoot_by_force:
        "with τ = dt no agent overshoots if R ≥ v²/(2a) + v dt, and all do if R ≤ 0.8 v²/(2a); with a lag τ none \
         does if R ≥ v²/(2a) + v (dt + τ) and R ≥ 4 v τ",
        source: "braking distance v²/(2a), one step to notice, the distance flown during the lag, and critical damping",
        mutant: arrive_velocity("if (distance < slow_radius) {" => "if (distance < slow_radius * 0.5) {"),
        mistake: "braking begins at R/2";
    arrive_overshoot_by_lag:
        "with a lag τ and enough force the overshoot is that of x'' = -(v x/R + x')/τ: none if τ ≤ R/(4v)",
        source: "critical damping; R = 4, v = 4: τ = 0.5 gives 0.26 u, τ = 1 gives 1.19 u",
        mutant: arrive_steer("return steer_to(agent, limit(final_velocity + approach, agent.max_speed));"
            => "return steer_to(agent, limit(final_velocity + approach, agent.max_speed)) * 0.5;"),
        mistake: "twice the time constant";
    arrive_capture in both:
        "within ε the speed is 0 after two steps, if it was at most 2 a dt, and the agent stays within ε",
        source: MILLINGTON,
        mutant: arrive_steer("match_velocity(agent, final_velocity, 0.0);" => "steer_to(agent, final_velocity);"),
        mistake: "captured agents stop with the time constant of the others";
    arrive_capture_stays in both:
        "within ε the agent comes to rest at the offset r + (v - a dt v/|v|) dt from the target, with moving_target \
         = match also beside a moving target",
        source: "Millington, Arrive: the velocity is matched; the capture radius says how near is near enough",
        mutant: arrive_steer("agent, final_velocity, 0.0" => "agent, final_velocity + goal.offset, 0.0"),
        mistake: "the agent is drawn on to the target";
    arrive_moving_target in both:
        "with moving_target = match the distance falls as (1 - v dt/R)^n, whatever the target's velocity",
        source: MILLINGTON,
        mutant: arrive_steer("arrive.moving_target == ARRIVE_MATCH" => "arrive.moving_target > ARRIVE_MATCH"),
        mistake: "the target's velocity is left out: the agent stays u R/v behind";
    arrive_ignores_motion in both: "with moving_target = ignore a target's velocity changes nothing",
        source: "Reynolds 1999, Arrival: the target is a place",
        mutant: arrive_steer("arrive.moving_target == ARRIVE_MATCH" => "arrive.moving_target <= ARRIVE_MATCH"),
        mistake: "the velocity of the target is always matched";
    velocity_matching_relaxation in both: "v(n) = u + (v - u)(1 - dt/T)^n, which is e^(-t/T) to first order",
        source: MILLINGTON,
        mutant: velocity_matching_steer("agent, goal.velocity" => "agent, goal.velocity + agent.velocity"),
        mistake: "the own velocity is left out";
    velocity_matching_clipped:
        "with time_to_target at most dt the difference Δv falls by a dt in each step, and is 0 after Δv/a",
        source: "the force limit",
        mutant: velocity_matching_steer("velocity_matching.time_to_target);"
            => "max(velocity_matching.time_to_target, 0.1));"),
        mistake: "time_to_target is 0.1 s at least";
    target_speed_steering in both: "A = f clip((s - |v|)/τ, ±a) along the heading f",
        source: "OpenSteer, steerForTargetSpeed",
        mutant: target_speed_steer("limit(agent.forward * change, agent.max_acceleration)" => "agent.forward * change"),
        mistake: "the clip is missing";
    target_speed_relaxation in both: "|v|(n) = s + (|v| - s)(1 - dt/τ)^n, in an unchanged direction",
        source: "first-order lag, solved for Euler's steps",
        mutant: target_speed_steer("(target_speed.speed - agent.speed)"
            => "(target_speed.speed * target_speed.speed - agent.speed * agent.speed)"),
        mistake: "squared speeds are compared";
}

fn arrive_ramp(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01), 0..16, |setup, index| {
        let (radius, speed) = (draw.between(2.0, 10.0), draw.between(5.0, 20.0));
        let share = [0.0, 0.5, 1.0, 2.0].get(index).copied().unwrap_or_else(|| draw.between(0.02, 3.0));
        let (target, tau) = (draw.point(spatial, 40.0), draw.scale(0.05, 2.0));
        let position = plus(target, times(draw.heading(spatial), radius * share));
        let rule = format!("{}, ramp = \"linear\", slow_radius = {radius}", to(spatial, target));
        let lines = format!("time_constant = {tau}\nmax_speed = {speed}\nbehaviors.arrive = {{ {rule} }}");
        let (id, Body { position, velocity }) = setup.placed(&lines, position, draw.point(spatial, 5.0));
        let offset = minus(target, position);
        let distance = norm(offset);
        let desired = times(offset, speed * (1.0 / radius).min(1.0 / distance.max(1e-9)));
        let expected = times(minus(desired, velocity), 1.0 / tau);
        (id, [("R", radius), ("v_max", speed), ("d", distance)], expected, 3e-6 * (speed + 10.0) / tau)
    })
}

/// Agents in pairs: one heads for an agent that moves, the other for the point where that agent starts.
fn arrive_ignores_motion(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let body = |draw: &mut Draw| Body::at(rounded(draw.point(spatial, 40.0))).moving(draw.point(spatial, 5.0));
    let targets = draw.bodies(15, body);
    let setup = Setup::open(spatial, 0.01).with("", &targets);
    bench.steers(setup, targets.iter().enumerate(), |setup, (id, target)| {
        let (start, velocity) = (draw.point(spatial, 40.0), draw.point(spatial, 5.0));
        let ways = [format!("agent = {id}"), format!("point = {}", point(spatial, target.position))];
        let [agent, place] = ways.map(|toward| {
            let rule = format!("target = {{ {toward} }}, moving_target = \"ignore\", slow_radius = 20");
            setup.agent(&format!("time_constant = 1\nbehaviors.arrive = {{ {rule} }}"), start, velocity)
        });
        move |found| bench.check(Case::vector_within(&[("pair", id as f64)], found[place], found[agent], 0.0))
    })
}

fn arrive_square_root(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.wants(Setup::open(false, 0.01), 0..24, |setup, _| {
        let (force, mass) = (draw.between(5.0, 40.0), draw.between(0.5, 4.0));
        let (speed, target) = (draw.between(5.0, 20.0), draw.point(false, 20.0));
        let rule = format!("{}, ramp = \"square_root\"", to(false, target));
        let lines = limits(speed, force, 1.0) + &format!("mass = {mass}\nbehaviors.arrive = {{ {rule} }}");
        let position = plus(target, times(draw.heading(false), draw.scale(0.1, 30.0)));
        let (id, Body { position, velocity }) = setup.placed(&lines, position, draw.point(false, 5.0));
        let (most, offset) = (force / mass, minus(target, position));
        // The time constant is 1 s, the time step 0.01 s.
        let left = minus(offset, velocity);
        let desired = times(unit(left), speed.min((2.0 * most * norm(left)).sqrt()).min(norm(left) / 0.01));
        let parameters = [("a", most), ("v_max", speed), ("d", norm(offset))];
        (id, parameters, minus(desired, velocity), 1e-5 * (speed + 10.0))
    })
}

fn arrive_square_root_stops(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 128.0;
    bench.flies(Setup::open(spatial, dt), 1280, 0..16, |setup, index| {
        let speed = draw.scale(1.0, 50.0);
        let (most, tau) = (speed * draw.between(0.5, 6.0), draw.scale(0.02, 0.5));
        // The first two: the default time constant, and the one at which the motion was measured.
        let (speed, most, tau) =
            [(20.0, 60.0, 0.1), (20.0, 60.0, 0.25)].get(index).copied().unwrap_or((speed, most, tau));
        let (target, heading) = (draw.point(spatial, 20.0), draw.heading(spatial));
        let distance = (speed * speed / (2.0 * most) + speed * tau) * draw.between(1.05, 1.5);
        let rule = format!("{}, ramp = \"square_root\"", to(spatial, target));
        let lines = limits(speed, most, tau) + &format!("behaviors.arrive = {{ {rule} }}");
        setup.agent(&lines, minus(target, times(heading, distance)), times(heading, speed));
        move |path| {
            let way = |bodies: &Vec<Body>| dot(minus(target, bodies[index].position), heading);
            let parameters = [("v", speed), ("a", most), ("τ", tau), ("D", distance)];
            let beyond = path.iter().map(way).fold(0.0, |most: f64, way| most.max(-way));
            bench.check(Case::at_most(&parameters, 0.0, beyond, 5e-5));
            let step = ((distance / speed - tau + speed / (2.0 * most)) / dt).round() as usize;
            let left = most * tau * tau * (1.0 - (-speed / (most * tau)).exp());
            bench.check(Case::absolute(&parameters, left, way(&path[step]), 0.5 * speed * dt));
            let last = ((step as f64 * dt + 14.0 * tau) / dt) as usize;
            bench.check(Case::absolute(&parameters, 0.0, way(&path[last]), 1e-3));
        }
    })
}

/// Agents at full speed at a distance from their target, straight toward it. Returns the heading of each.
struct Approach {
    radius: f64,
    speed: f64,
    most: f64,
    tau: f64,
    target: V,
    heading: V,
}

impl Approach {
    fn add(draw: &mut Draw, setup: &mut Setup, (radius, speed): (f64, f64), most: f64, tau: f64) -> Approach {
        let (target, heading) = (draw.point(false, 20.0), draw.heading(false));
        let rule = format!("{}, slow_radius = {radius}", to(false, target));
        let lines = limits(speed, most, tau) + &format!("behaviors.arrive = {{ {rule} }}");
        setup.agent(&lines, minus(target, times(heading, radius)), times(heading, speed));
        Approach { radius, speed, most, tau, target, heading }
    }

    fn parameters(&self) -> [(&'static str, f64); 4] {
        [("R", self.radius), ("v", self.speed), ("a", self.most), ("τ", self.tau)]
    }

    /// How far it flies beyond its target at most; never less than 0.
    fn overshoot(&self, path: &[Vec<Body>], id: usize) -> f64 {
        path.iter().map(|bodies| dot(minus(bodies[id].position, self.target), self.heading)).fold(0.0, f64::max)
    }
}

fn arrive_exponential(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.flies(Setup::open(false, DT), 64, 0..24, |setup, id| {
        let (radius, speed) = (draw.between(2.0, 10.0), draw.between(2.0, 10.0));
        let most = speed * speed / radius * draw.between(1.01, 2.0);
        let approach = Approach::add(draw, setup, (radius, speed), most, 0.0);
        move |path| {
            for step in [1u16, 16, 64] {
                let left = approach.radius * (1.0 - approach.speed * DT / approach.radius).powi(step.into());
                let found = norm(minus(path[usize::from(step)][id].position, approach.target));
                bench.check(Case::absolute(&approach.parameters(), left, found, 1e-4));
            }
        }
    })
}

fn arrive_overshoot_by_force(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.flies(Setup::open(false, DT), 400, 0..32, |setup, index| {
        let (speed, most) = (draw.between(2.0, 8.0), draw.between(3.0, 12.0));
        let braking = speed * speed / (2.0 * most);
        let radius = if index % 2 == 0 { braking + speed * DT } else { 0.8 * braking };
        // The last ones have a lag: their radius keeps to both bounds, because neither alone is enough.
        let tau = if index < 24 { 0.0 } else { draw.between(0.05, 0.5) };
        let radius = if index < 24 { radius } else { (braking + speed * (DT + tau)).max(4.0 * speed * tau) };
        let approach = Approach::add(draw, setup, (rounded([radius; 3])[0], speed), most, tau);
        move |path| {
            let found = approach.overshoot(path, index);
            let parameters = approach.parameters();
            bench.check(match index % 2 {
                _ if index >= 24 => Case::at_most(&parameters, 0.0, found, 2e-5),
                0 => Case::at_most(&parameters, 0.0, found, 2e-5),
                _ => Case::at_least(&parameters, 1e-3, found, 0.0),
            });
        }
    })
}

fn arrive_overshoot_by_lag(bench: &Bench, draw: &mut Draw) -> Tried {
    let dt = 1.0 / 128.0;
    let published = [(4.0, 4.0, 0.24), (4.0, 4.0, 0.5), (4.0, 4.0, 1.0), (16.0, 4.0, 1.0)];
    bench.flies(Setup::open(false, dt), 1000, 0..24, |setup, index| {
        let (radius, speed, tau) = published.get(index).copied().unwrap_or_else(|| {
            let (radius, speed) = (draw.between(2.0, 8.0), draw.between(2.0, 8.0));
            let most = 0.24 * radius / speed;
            (radius, speed, draw.between(0.3, if index % 2 == 0 { 1.0 } else { 4.0 }) * most)
        });
        let approach = Approach::add(draw, setup, (radius, speed), 1e6, tau);
        move |path| {
            let Approach { radius, speed, tau, .. } = approach;
            // The differential equation, integrated in steps so small that they make no difference. x is the distance that is left.
            let (mut x, mut change, mut beyond, h) = (radius, -speed, 0.0f64, 1e-4);
            for _ in 0..78_000 {
                change -= (speed * (x / radius).clamp(-1.0, 1.0) + change) / tau * h;
                x += change * h;
                beyond = beyond.max(-x);
            }
            let found = approach.overshoot(path, index);
            // The simulation's steps are larger, which shifts the oscillation by a part of a step.
            bench.check(Case::absolute(&approach.parameters(), beyond, found, 0.02 * beyond + 0.3 * speed * dt));
            if tau <= radius / (4.0 * speed) * 0.97 {
                bench.check(Case::at_most(&approach.parameters(), 0.0, found, 2e-5));
            }
        }
    })
}

fn arrive_capture(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(Setup::open(spatial, DT), 20, 0..12, |setup, id| {
        let (radius, most) = (draw.between(0.5, 2.0), draw.between(4.0, 12.0));
        let target = draw.point(spatial, 20.0);
        // Anywhere within the radius, or moving outward so near to its edge that one more step would lead beyond it.
        let (out, speed) = (draw.heading(spatial), 1.99 * most * DT);
        let (share, course) =
            if id % 2 == 0 { (0.4, draw.heading(spatial)) } else { (1.0 - 1.2 * most * DT * DT / radius, out) };
        let (position, velocity) = (plus(target, times(out, radius * share)), times(course, speed));
        let rule = format!("{}, capture_radius = {radius}", to(spatial, target));
        setup.agent(&format!("max_force = {most}\nbehaviors.arrive = {{ {rule} }}"), position, velocity);
        move |path| {
            let parameters = [("ε", radius), ("a", most)];
            bench.check(Case::absolute(&parameters, 0.0, norm(path[2][id].velocity), 1e-6));
            let farthest = path.iter().map(|bodies| norm(minus(bodies[id].position, target))).fold(0.0, f64::max);
            bench.check(Case::at_most(&parameters, radius, farthest, 0.0));
        }
    })
}

fn arrive_capture_stays(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let targets = draw.crowd(6, spatial, ZERO, 40.0, 3.0);
    let setup = Setup::open(spatial, DT).with("max_speed = 4", &targets);
    bench.ends(setup, 20, PLACE, 0..12, |setup, index| {
        let (radius, most) = (draw.between(0.5, 2.0), draw.between(4.0, 12.0));
        let (target, speed, at, moving) = if index % 2 == 0 {
            let Body { position, velocity } = targets[index / 2];
            (position, velocity, format!("target = {{ agent = {} }}", index / 2), "match")
        } else {
            let place = rounded(draw.point(spatial, 20.0));
            (place, ZERO, to(spatial, place), "ignore")
        };
        let offset = times(draw.heading(spatial), radius * draw.between(0.1, 0.8));
        let relative = times(draw.heading(spatial), most * DT * draw.between(1.05, 1.95));
        let rule = format!("{at}, capture_radius = {radius}, moving_target = \"{moving}\"");
        let lines = format!("max_speed = 20\nmax_force = {most}\nbehaviors.arrive = {{ {rule} }}");
        let id = setup.agent(&lines, plus(target, offset), plus(speed, relative));
        let left = times(relative, 1.0 - most * DT / norm(relative));
        let expected = sum(&[target, times(speed, 20.0 * DT), offset, times(left, DT)]);
        (id, [("ε", radius), ("a", most)], expected, 2e-4)
    })
}

fn arrive_moving_target(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let targets = draw.crowd(12, spatial, ZERO, 40.0, 3.0);
    let setup = Setup::open(spatial, DT).with("max_speed = 4", &targets);
    bench.flies(setup, 64, targets.iter().enumerate(), |setup, (id, target)| {
        let (radius, speed) = (draw.between(4.0, 10.0), draw.between(8.0, 16.0));
        let offset = times(draw.heading(spatial), radius * draw.between(0.2, 0.5));
        let rule = format!("target = {{ agent = {id} }}, slow_radius = {radius}, moving_target = \"match\"");
        let lines = limits(speed, 1e6, 0.0) + &format!("behaviors.arrive = {{ {rule} }}");
        setup.agent(&lines, plus(target.position, offset), ZERO);
        move |path| {
            let way = |bodies: &[Body]| minus(bodies[12 + id].position, bodies[id].position);
            let left = (1.0 - speed * DT / radius).powi(64);
            let expected = times(way(&path[0]), left);
            bench.check(Case::vector_within(&[("R", radius), ("v", speed)], expected, way(&path[64]), 2e-4));
            let difference = minus(path[64][12 + id].velocity, path[64][id].velocity);
            let closing = norm(way(&path[0])) * left / (1.0 - speed * DT / radius) * speed / radius;
            bench.check(Case::absolute(&[("R", radius), ("v", speed)], closing, norm(difference), 5e-4));
        }
    })
}

fn velocity_matching_relaxation(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let setup = Setup::open(spatial, DT).with("max_speed = 9", &draw.crowd(12, spatial, ZERO, 40.0, 8.0));
    bench.ends(setup, 32, VELOCITY, 0..12, |setup, target| {
        let time = draw.scale(0.05, 2.0);
        let rule = format!("target = {{ agent = {target} }}, time_to_target = {time}");
        let lines = format!("{FREE}behaviors.velocity_matching = {{ {rule} }}");
        let id = setup.agent(&lines, draw.point(spatial, 40.0), draw.point(spatial, 9.0));
        let [start, velocity] = [id, target].map(|id| setup.body(id).velocity);
        (id, [("T", time)], plus(velocity, times(minus(start, velocity), (1.0 - DT / time).powi(32))), 1e-4)
    })
}

fn velocity_matching_clipped(bench: &Bench, draw: &mut Draw) -> Tried {
    let setup = Setup::open(false, DT).with("max_speed = 9", &draw.crowd(16, false, ZERO, 40.0, 8.0));
    bench.flies(setup, 160, 0..16, |setup, id| {
        let most = draw.between(10.0, 40.0);
        let time = if id % 2 == 0 { 0.0 } else { draw.between(0.1, 0.9) * DT };
        let rule = format!("behaviors.velocity_matching = {{ target = {{ agent = {id} }}, time_to_target = {time} }}");
        let lines = format!("max_speed = 1e6\nmax_force = {most}\n{rule}");
        setup.agent(&lines, draw.point(false, 40.0), draw.point(false, 9.0));
        move |path| {
            let difference = |step: usize| norm(minus(path[step][16 + id].velocity, path[step][id].velocity));
            let steps = (difference(0) / (most * DT)).ceil() as usize;
            let parameters = [("a", most), ("Δv", difference(0))];
            let half = steps / 2;
            let expected = difference(0) - most * DT * half as f64;
            bench.check(Case::absolute(&parameters, expected, difference(half), 1e-3));
            bench.check(Case::absolute(&parameters, 0.0, difference(steps.min(160)), 1e-3));
        }
    })
}

/// An agent that wants a speed of its own. Returns its id, that speed, the time constant and the largest acceleration.
fn speeder(draw: &mut Draw, setup: &mut Setup, spatial: bool, (least, most): (f64, f64)) -> (usize, f64, f64, f64) {
    let (speed, tau) = (draw.between(1.0, 20.0), draw.between(0.1, 1.0));
    let (force, mass) = (draw.scale(least, most), draw.between(1.0, 4.0));
    let lines = format!("mass = {mass}\n{}behaviors.target_speed.speed = {speed}", limits(1e3, force, tau));
    let velocity = times(draw.heading(spatial), draw.between(1.0, 20.0));
    (setup.agent(&lines, draw.point(spatial, 40.0), velocity), speed, tau, force / mass)
}

fn target_speed_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01), 0..16, |setup, _| {
        let (id, speed, tau, most) = speeder(draw, setup, spatial, (5.0, 100.0));
        let velocity = setup.body(id).velocity;
        let change = ((speed - norm(velocity)) / tau).clamp(-most, most);
        (id, [("s", speed), ("τ", tau), ("a", most)], times(unit(velocity), change), 2e-5 / tau)
    })
}

fn target_speed_relaxation(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.ends(Setup::open(spatial, DT), 32, VELOCITY, 0..16, |setup, _| {
        let (id, speed, tau, _) = speeder(draw, setup, spatial, (1e4, 1e5));
        let velocity = setup.body(id).velocity;
        let end = speed + (norm(velocity) - speed) * (1.0 - DT / tau).powi(32);
        (id, [("s", speed), ("τ", tau)], times(unit(velocity), end), 2e-5 * end)
    })
}
