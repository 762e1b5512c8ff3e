//! Kinematic and turn-first bodies, which move as desired: how they stop, match velocities, and skip steps.

use super::locomotion::flowing;
use crate::*;

const MOVEMENT: &str = "kinematic movement: velocities are assigned";
const TIME: &str = "select(max(time, agent.interval), agent.time_constant, agent.moves_as_desired)";

laws! {
    kinematic_stops in both: "a kinematic agent that arrives within ε has no velocity from the next step on",
        source: MOVEMENT,
        mutant: match_velocity(TIME => "max(time, agent.interval)"),
        mistake: "what would stop a point mass in one step throws it back";
    kinematic_matching in both:
        "velocity_matching gives a kinematic agent the target's velocity at once, whatever time_to_target",
        source: MOVEMENT,
        mutant: match_velocity(TIME
            => "max(time, select(agent.interval, agent.time_constant, agent.moves_as_desired))"),
        mistake: "a longer time_to_target counts as so many steps";
    turn_first_stops in both:
        "a turn-first agent that arrives within ε ends there, and the speed falls by 1 - dt/τ in each step",
        source: "first-order lag of the speed, solved for Euler's steps",
        mutant: arrive_steer("return match_velocity(agent, final_velocity, 0.0);"
            => "return (final_velocity - agent.velocity) / world.dt;"),
        mistake: "it drives back as fast as it can";
    kinematic_skips: "between the steps in which it steers a kinematic agent keeps its velocity",
        source: MOVEMENT,
        mutant: hold("held = (held - agent.velocity) / agent.time_constant;" => "held = held * 1.0;"),
        mistake: "the velocity that is held is taken for an acceleration";
    turn_first_skips:
        "a turn-first agent drives up to the desired speed by 1 - dt/τ in each step, in whichever it steers",
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
        // So the speed on the way is at most that which ends within a quarter of the way.
        let slow = (4.0 * speed * tau).max(capture);
        let (target, heading) = (draw.point(spatial, 20.0), draw.heading(spatial));
        let rule = format!(
            "target = {{ point = {} }}, slow_radius = {slow}, capture_radius = {capture}",
            point(spatial, target)
        );
        let lines = format!(
            "max_speed = {speed}\nmax_force = 1e6\ntime_constant = {tau}\nbehaviors.arrive = {{ {rule} }}\n\
             vehicle = {{ {vehicle} }}"
        );
        let way = capture * draw.between(1.1, 1.8);
        setup.agent(&lines, minus(target, times(heading, way)), times(heading, speed * (way / slow).min(1.0)));
        Arrival { capture, slow, speed, tau, target }
    }

    fn parameters(&self) -> [(&'static str, f64); 4] {
        [("ε", self.capture), ("R", self.slow), ("v", self.speed), ("τ", self.tau)]
    }

    /// The first step after which it is within the capture radius, and how far away it is at most from then on.
    fn entry(&self, path: &[Vec<Body>], id: usize) -> (usize, f64) {
        let away = |bodies: &Vec<Body>| norm(minus(bodies[id].position, self.target));
        let entry = path.iter().position(|bodies| away(bodies) < self.capture * 0.999).unwrap_or(path.len() - 2);
        (entry, path[entry..].iter().map(away).fold(0.0, f64::max))
    }
}

fn kinematic_stops(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = Setup::open(spatial, DT);
    let vehicle = "locomotion = \"kinematic\"";
    let drawn = (0..12).map(|_| Arrival::add(draw, &mut setup, spatial, vehicle)).collect::<Vec<_>>();
    let path = flight(bench, &setup, 160)?;
    for (id, arrival) in drawn.iter().enumerate() {
        let (entry, farthest) = arrival.entry(&path, id);
        let fastest = path[entry + 1..].iter().map(|bodies| norm(bodies[id].velocity)).fold(0.0, f64::max);
        bench.check(Case::absolute(&arrival.parameters(), 0.0, fastest, 0.0));
        bench.check(Case::at_most(&arrival.parameters(), arrival.capture, farthest, 0.0));
    }
    Ok(())
}

fn kinematic_matching(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut setup, mut drawn) = (Setup::open(spatial, DT), Vec::new());
    let targets = draw.crowd(12, spatial, ZERO, 40.0, 8.0);
    setup.species("max_speed = 9", &targets);
    for id in 0..12 {
        let (time, tau) = (draw.scale(0.05, 2.0), draw.scale(0.05, 2.0));
        let rule = format!("target = {{ agent = {id} }}, time_to_target = {time}");
        let lines = format!(
            "max_speed = 20\nmax_force = 1\ntime_constant = {tau}\nbehaviors.velocity_matching = {{ {rule} }}\n\
             vehicle = {{ locomotion = \"kinematic\" }}"
        );
        setup.agent(&lines, draw.point(spatial, 40.0), draw.point(spatial, 9.0));
        drawn.push((time, tau));
    }
    let path = flight(bench, &setup, 40)?;
    for (index, (time, tau)) in drawn.into_iter().enumerate() {
        for step in [1, 2, 40] {
            let bodies: &Vec<Body> = &path[step];
            let parameters = [("T", time), ("τ", tau), ("step", step as f64)];
            let [expected, found] = [index, 12 + index].map(|id| bodies[id].velocity);
            bench.check(Case::vector_within(&parameters, expected, found, 2e-5));
        }
    }
    Ok(())
}

fn turn_first_stops(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = Setup::open(spatial, DT);
    let mut add = |reverse| {
        let vehicle = format!("locomotion = \"turn_first\", max_angular_speed = 360, reverse = {reverse:?}");
        Arrival::add(draw, &mut setup, spatial, &vehicle)
    };
    let drawn: Vec<Arrival> = ["allow", "forbid"].into_iter().cycle().take(12).map(&mut add).collect();
    let path = flight(bench, &setup, 240)?;
    for (id, arrival) in drawn.iter().enumerate() {
        let (entry, farthest) = arrival.entry(&path, id);
        bench.check(Case::at_most(&arrival.parameters(), arrival.capture, farthest, 0.0));
        let later = 40.min(path.len() - 1 - entry);
        let [start, found] = [entry, entry + later].map(|step| norm(path[step][id].velocity));
        let left = (1.0 - DT / arrival.tau).powi(later as i32);
        bench.check(Case::absolute(&arrival.parameters(), start * left, found, 1e-4 * arrival.speed));
    }
    Ok(())
}

fn kinematic_skips(bench: &Bench, draw: &mut Draw) -> Tried {
    for every in [1, 2, 3, 8] {
        let (mut setup, flow) = flowing(false, DT, draw.scale(1.0, 10.0), draw.between(0.0, 360.0));
        for _ in 0..8 {
            let tau = draw.scale(0.02, 2.0);
            let lines = format!(
                "max_speed = 40\ntime_constant = {tau}\nupdate_every = {every}\nbehaviors.flow_field = {{}}\n\
                 vehicle = {{ locomotion = \"kinematic\" }}"
            );
            setup.agent(&lines, draw.point(false, 5.0), draw.point(false, 5.0));
        }
        let path = flight(bench, &setup, 3 * every)?;
        for id in 0..8 {
            let off = path[1..].iter().map(|bodies| norm(minus(bodies[id].velocity, flow))).fold(0.0, f64::max);
            bench.check(Case::absolute(&[("k", f64::from(every))], 0.0, off, 2e-5));
        }
    }
    Ok(())
}

fn turn_first_skips(bench: &Bench, draw: &mut Draw) -> Tried {
    let steps = 24;
    for every in [1, 2, 3, 8] {
        let (mut setup, flow) = flowing(false, DT, draw.scale(2.0, 10.0), draw.between(0.0, 360.0));
        let mut drawn = Vec::new();
        for _ in 0..8 {
            let tau = draw.scale(0.1, 1.0);
            let lines = format!(
                "max_speed = 40\nmax_force = 1e6\ntime_constant = {tau}\nupdate_every = {every}\n\
                 behaviors.flow_field = {{}}\nvehicle = {{ locomotion = \"turn_first\", max_angular_speed = 360 }}"
            );
            setup.agent(&lines, draw.point(false, 5.0), times(unit(flow), norm(flow) * draw.between(0.1, 0.5)));
            drawn.push(tau);
        }
        for (id, (tau, body)) in drawn.into_iter().zip(bench.after(&setup, steps)?).enumerate() {
            let left = (1.0 - DT / tau).powi(steps as i32);
            let expected = plus(flow, times(minus(setup.body(id).velocity, flow), left));
            bench.check(Case::vector_within(&[("k", f64::from(every)), ("τ", tau)], expected, body.velocity, 1e-4));
        }
    }
    Ok(())
}
