//! Kinematic and turn-first bodies, which move as desired: how they stop, match velocities, and skip steps.

use super::locomotion::flowing;
use crate::*;

const MOVEMENT: &str = "kinematic movement: velocities are assigned";
const TIME: &str = "select(max(time, agent.interval), agent.time_constant, agent.moves_as_desired)";

laws! {
    kinematic_stops in both: "a kinematic agent that arrives within ε has no velocity from the next step on",
        source: MOVEMENT,
        mutant: match_velocity(TIME => "max(time, agent.interval)"),
        mistake: "the deceleration that would stop a point mass in one step throws the agent back";
    kinematic_matching in both:
        "velocity_matching gives a kinematic agent the target's velocity at once, whatever time_to_target",
        source: MOVEMENT,
        mutant: match_velocity(TIME
            => "max(time, select(agent.interval, agent.time_constant, agent.moves_as_desired))"),
        mistake: "a longer time_to_target counts as so many steps";
    turn_first_stops in both:
        "a turn-first agent that arrives within ε ends there, and its speed falls by the factor 1 - dt/τ in each step",
        source: "first-order lag of the speed, solved for Euler's steps",
        mutant: arrive_steer("return match_velocity(agent, final_velocity, 0.0);"
            => "return (final_velocity - agent.velocity) / world.dt;"),
        mistake: "the agent drives back as fast as it can";
    kinematic_skips: "a kinematic agent keeps its velocity in the steps in which it does not steer; it steers in its first one",
        source: MOVEMENT,
        mutant: hold("held = (held - agent.velocity) / agent.time_constant;" => "held = held * 1.0;"),
        mistake: "the velocity that is held is taken for an acceleration";
    kinematic_smooths:
        "from its first step on a kinematic agent that desires V, smoothed within T, has the velocity V + (v - V) exp(-t/T)",
        source: "first-order low-pass filter, which begins with the own velocity",
        mutant: smoothed("held = agent.velocity;" => "held = held * 1.0;"),
        mistake: "the filter begins with a desired velocity of 0";
    turn_first_skips:
        "the difference between a turn-first agent's speed and the desired one falls by the factor 1 - dt/τ in each \
         step, also in those in which it does not steer",
        source: "first-order lag of the speed, solved for Euler's steps",
        mutant: smoothed("agent.velocity + total * agent.time_constant;" => "agent.velocity + total * world.dt;"),
        mistake: "what is held is the velocity after one step";
}

/// An agent that arrives at full speed from outside of its capture radius.
struct Arrival {
    capture: f64,
    slow: f64,
    speed: f64,
    tau: f64,
    target: V,
}

impl Arrival {
    fn add(draw: &mut Draw, setup: &mut Setup, spatial: bool, vehicle: &str) -> Arrival {
        let (capture, speed, tau) = (draw.between(0.5, 2.0), draw.between(2.0, 15.0), draw.between(0.05, 0.4));
        // With this slow radius the speed at any distance is at most that which is lost within a quarter of it.
        let slow = (4.0 * speed * tau).max(capture);
        let (target, heading) = (draw.point(spatial, 20.0), draw.heading(spatial));
        let rule = format!("{}, slow_radius = {slow}, capture_radius = {capture}", to(spatial, target));
        let lines = limits(speed, 1e6, tau) + &format!("behaviors.arrive = {{ {rule} }}\nvehicle = {{ {vehicle} }}");
        let way = capture * draw.between(1.1, 1.8);
        setup.agent(&lines, minus(target, times(heading, way)), times(heading, speed * (way / slow).min(1.0)));
        Arrival { capture, slow, speed, tau, target }
    }

    fn parameters(&self) -> [(&'static str, f64); 4] {
        [("ε", self.capture), ("R", self.slow), ("v", self.speed), ("τ", self.tau)]
    }

    /// The first step after which the agent is within the capture radius, and its greatest distance from the target from then on.
    fn entry(&self, path: &[Vec<Body>], id: usize) -> (usize, f64) {
        let away = |bodies: &Vec<Body>| norm(minus(bodies[id].position, self.target));
        let entry = path.iter().position(|bodies| away(bodies) < self.capture * 0.999).unwrap_or(path.len() - 2);
        (entry, path[entry..].iter().map(away).fold(0.0, f64::max))
    }
}

fn kinematic_stops(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(Setup::open(spatial, DT), 160, 0..12, |setup, id| {
        let arrival = Arrival::add(draw, setup, spatial, "locomotion = \"kinematic\"");
        move |path| {
            let (entry, farthest) = arrival.entry(path, id);
            let fastest = path[entry + 1..].iter().map(|bodies| norm(bodies[id].velocity)).fold(0.0, f64::max);
            bench.check(Case::absolute(&arrival.parameters(), 0.0, fastest, 0.0));
            bench.check(Case::at_most(&arrival.parameters(), arrival.capture, farthest, 0.0));
        }
    })
}

fn kinematic_matching(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let setup = Setup::open(spatial, DT).with("max_speed = 9", &draw.crowd(12, spatial, ZERO, 40.0, 8.0));
    bench.flies(setup, 40, 0..12, |setup, id| {
        let (time, tau) = (draw.scale(0.05, 2.0), draw.scale(0.05, 2.0));
        let rule = format!("target = {{ agent = {id} }}, time_to_target = {time}");
        let acts = format!("behaviors.velocity_matching = {{ {rule} }}\nvehicle = {{ locomotion = \"kinematic\" }}");
        let lines = limits(20.0, 1.0, tau) + &acts;
        setup.agent(&lines, draw.point(spatial, 40.0), draw.point(spatial, 9.0));
        move |path| {
            for step in [1, 2, 40] {
                let parameters = [("T", time), ("τ", tau), ("step", step as f64)];
                let [expected, found] = [id, 12 + id].map(|id| path[step][id].velocity);
                bench.check(Case::vector_within(&parameters, expected, found, 2e-5));
            }
        }
    })
}

fn turn_first_stops(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(Setup::open(spatial, DT), 240, 0..12, |setup, id| {
        let reverse = ["allow", "forbid"][id % 2];
        let vehicle = format!("locomotion = \"turn_first\", max_angular_speed = 360, reverse = {reverse:?}");
        let arrival = Arrival::add(draw, setup, spatial, &vehicle);
        move |path| {
            let (entry, farthest) = arrival.entry(path, id);
            bench.check(Case::at_most(&arrival.parameters(), arrival.capture, farthest, 0.0));
            let later = 40.min(path.len() - 1 - entry);
            let [start, found] = [entry, entry + later].map(|step| norm(path[step][id].velocity));
            let left = (1.0 - DT / arrival.tau).powi(later as i32);
            bench.check(Case::absolute(&arrival.parameters(), start * left, found, 1e-4 * arrival.speed));
        }
    })
}

fn kinematic_skips(bench: &Bench, draw: &mut Draw) -> Tried {
    for every in [1, 2, 3, 8] {
        let (setup, flow) = flowing(false, DT, draw.scale(1.0, 10.0), draw.between(0.0, 360.0));
        bench.flies(setup, 3 * every, 0..8, |setup, id| {
            let tau = draw.scale(0.02, 2.0);
            let lines = format!(
                "max_speed = 40\ntime_constant = {tau}\nupdate_every = {every}\nbehaviors.flow_field = {{}}\n\
                 enters = {}\nvehicle = {{ locomotion = \"kinematic\" }}",
                0.4 / DT
            );
            setup.species(&lines, &draw.crowd(2, false, ZERO, 5.0, 5.0));
            move |path| {
                // The second agent enters at the end of step 2.
                for (id, first) in [(2 * id, 1), (2 * id + 1, 3)] {
                    let off =
                        path[first..].iter().map(|bodies| norm(minus(bodies[id].velocity, flow))).fold(0.0, f64::max);
                    bench.check(Case::absolute(&[("k", f64::from(every))], 0.0, off, 2e-5));
                }
            }
        })?;
    }
    Ok(())
}

fn kinematic_smooths(bench: &Bench, draw: &mut Draw) -> Tried {
    let (setup, flow) = flowing(false, DT, draw.scale(1.0, 10.0), draw.between(0.0, 360.0));
    bench.ends(setup, 24, VELOCITY, 0..24, |setup, _| {
        let (time, tau) = (draw.scale(0.05, 2.0), draw.scale(0.02, 2.0));
        let lines = format!(
            "max_speed = 40\ntime_constant = {tau}\nsmoothing_time = {time}\nbehaviors.flow_field = {{}}\n\
             vehicle = {{ locomotion = \"kinematic\" }}"
        );
        let id = setup.agent(&lines, draw.point(false, 5.0), draw.point(false, 5.0));
        let rest = times(minus(setup.body(id).velocity, flow), (-24.0 * DT / time).exp());
        (id, [("T", time), ("τ", tau)], plus(flow, rest), 1e-4)
    })
}

fn turn_first_skips(bench: &Bench, draw: &mut Draw) -> Tried {
    for every in [1, 2, 3, 8] {
        let (setup, flow) = flowing(false, DT, draw.scale(2.0, 10.0), draw.between(0.0, 360.0));
        bench.ends(setup, 24, VELOCITY, 0..8, |setup, _| {
            let tau = draw.scale(0.1, 1.0);
            let vehicle = "vehicle = { locomotion = \"turn_first\", max_angular_speed = 360 }";
            let acts = format!("update_every = {every}\nbehaviors.flow_field = {{}}\n{vehicle}");
            let lines = limits(40.0, 1e6, tau) + &acts;
            let start = times(unit(flow), norm(flow) * draw.between(0.1, 0.5));
            let id = setup.agent(&lines, draw.point(false, 5.0), start);
            let expected = plus(flow, times(minus(setup.body(id).velocity, flow), (1.0 - DT / tau).powi(24)));
            (id, [("k", f64::from(every)), ("τ", tau)], expected, 1e-4)
        })?;
    }
    Ok(())
}
