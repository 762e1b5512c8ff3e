//! How the least able agent of a species responds to what a behavior asks for: the speeds, times and accelerations with which lints
//! compare the keys of a scene.

use crate::scene::{Behavior, Combine, CombineWithin, Facing, Locomotion, Scene, Species, Variation};
use std::f32::consts::FRAC_PI_2;

/// How a behavior asks for an acceleration.
#[derive(Clone, Copy)]
pub(super) enum Asks {
    /// By a desired velocity, whatever acceleration that takes.
    Velocity,
    /// By a share of the largest acceleration.
    Share,
}

/// How the least able agent of a species responds to what a behavior asks for, in one action state.
#[derive(Clone, Copy)]
pub(super) struct Response {
    /// Greatest speed, u/s.
    pub(super) speed: f32,
    /// Least acceleration, u/s².
    pub(super) acceleration: f32,
    /// The part of it across the heading, u/s².
    pub(super) lateral: f32,
    /// The acceleration that max_force gives, u/s².
    pub(super) strongest: f32,
    /// Time constant with which it takes on a desired velocity, s.
    pub(super) lag: f32,
    /// The time constant that behaviors reckon with, which is the agent's own, s.
    pub(super) assumed_lag: f32,
    /// Time by which smoothing and holding the steering delay it, s.
    pub(super) delay: f32,
    /// Time by which a heading that cannot turn at once delays a turn, s.
    pub(super) spin_up: f32,
    /// A step, s.
    pub(super) dt: f32,
}

impl Response {
    /// Way in which it stops, and one step more, u.
    pub(super) fn stop(&self) -> f32 {
        self.speed * self.speed / (2.0 * self.acceleration) + self.speed * (self.dt + self.delay)
    }

    /// Radius of the tightest turn, u.
    pub(super) fn turn(&self) -> f32 {
        self.speed * self.speed / self.lateral
    }

    /// Way until it begins to turn, u.
    pub(super) fn way_before_turn(&self) -> f32 {
        self.speed * (self.delay + self.spin_up)
    }

    /// Way over which the speed has to fall in proportion to the distance, for critical damping, u.
    pub(super) fn damped(&self) -> f32 {
        4.0 * self.speed * (self.lag + self.delay)
    }
}

impl Scene {
    /// The shortest, the mean and the longest time constant of a species' agents, s.
    pub(super) fn time_constants(&self, species: &Species) -> [f32; 3] {
        let step = self.dt * species.update_every as f32;
        let tau = if species.time_constant > 0.0 { species.time_constant } else { step };
        let spread = species.variation.farthest() * species.variation.time_constant;
        [(tau - spread).max(0.1 * tau), tau, tau + spread]
    }

    /// What the least able agent of a species can do in an action state, if it steers and turns without delay.
    pub(super) fn ability(&self, species: &Species, state: usize) -> Response {
        let Variation { max_speed, max_force, mass, .. } = species.variation;
        let far = species.variation.farthest();
        let [.., longest] = self.time_constants(species);
        let strongest = (species.max_force - far * max_force).max(0.0) / (species.mass + far * mass);
        let acceleration = strongest * species.state_forces[state];
        Response {
            speed: (species.max_speed + far * max_speed) * species.state_speeds[state],
            acceleration,
            lateral: acceleration,
            strongest: acceleration,
            lag: longest,
            assumed_lag: longest,
            delay: 0.0,
            spin_up: 0.0,
            dt: self.dt,
        }
    }

    /// How the least able agent of a species responds to a behavior, in each action state in which the behavior acts.
    pub(super) fn responses(&self, species: &Species, behavior: &Behavior, asks: Asks) -> Vec<Response> {
        let step = self.dt * species.update_every as f32;
        let hold = if species.update_every > 1 { step } else { 0.0 };
        let limit = if behavior.limit > 0.0 { behavior.limit } else { f32::INFINITY };
        let (fastest_turn, spin) = turns(species);
        let response = |state: usize| {
            let able = self.ability(species, state);
            let weight = weights(species, behavior)[0] * behavior.state_weights[state];
            let wish = match asks {
                Asks::Velocity => limit,
                Asks::Share => limit.min(able.acceleration),
            };
            let (asked, gain) = match species.normalizes(behavior) {
                true => (weight * (wish / behavior.floor).min(1.0), weight / behavior.floor),
                false => (weight * wish, weight),
            };
            // Dithered: the behavior acts only in the share of steps in which its priority is drawn.
            let drawn =
                if species.combine == Combine::Dithered { species.dither[behavior.priority as usize] } else { 1.0 };
            let lag = able.lag / (gain * drawn);
            // Bodies that do not follow the force desire the velocity v + asked · τ, which takes this acceleration in one step.
            let [shortest, ..] = self.time_constants(species);
            let desired = asked * shortest / step;
            let (lag, acceleration, lateral) = match species.vehicle.locomotion {
                Locomotion::Kinematic => (step / (gain * drawn) - step, desired, desired),
                Locomotion::TurnFirst => (lag, asked.min(able.acceleration), desired),
                Locomotion::PointMass => (lag, asked.min(able.acceleration), asked.min(able.acceleration)),
            };
            // A time constant of 0 counts as one step, and the velocity is reached in just that step: no lag is left of it.
            let at_once = species.time_constant == 0.0 && species.vehicle.locomotion != Locomotion::Kinematic;
            let lateral = (lateral * drawn).min(able.speed * fastest_turn);
            // The heading turns only as fast as it can come to rest in the direction that each step asks for.
            let off = match species.vehicle.locomotion {
                Locomotion::PointMass => lateral * self.dt / able.speed,
                _ => (asked * shortest / able.speed).min(FRAC_PI_2),
            };
            let braking = 0.8 * spin * self.dt * self.dt;
            let turned =
                2.0 * off * braking / (0.5 * braking + (0.25 * braking * braking + 2.0 * off * braking).sqrt());
            let lateral = if spin.is_finite() { lateral.min(able.speed * turned / self.dt) } else { lateral };
            Response {
                lag: (lag - if at_once { step } else { 0.0 }).max(0.0),
                acceleration: acceleration * drawn,
                lateral,
                delay: species.smoothing_time + hold,
                spin_up: if spin.is_finite() { lateral / able.speed / spin } else { 0.0 },
                ..able
            }
        };
        let able = |response: &Response| response.speed > 0.0 && response.strongest > 0.0;
        let states = acting_states(species, behavior).filter(|_| behavior.weight > 0.0);
        states.map(response).filter(able).collect()
    }
}

/// The most that any of these responses needs; 0 if there is none, because the behavior acts in no state.
pub(super) fn largest(responses: &[Response], needed: impl Fn(&Response) -> f32) -> f32 {
    responses.iter().map(needed).fold(0.0, f32::max)
}

/// Further keys that change a bound, besides the keys in its formula, as the end of a message.
pub(super) fn counted(species: &Species, behavior: &Behavior) -> String {
    let differs = |factors: &[f32]| factors.iter().any(|factor| *factor != 1.0);
    let keys = [
        ("weight", behavior.weight != 1.0 || behavior.weight_spread > 0.0 || differs(&behavior.state_weights)),
        ("limit", behavior.limit > 0.0),
        ("combine", matches!(species.combine, Combine::Normalized | Combine::Dithered)),
        ("combine_within", species.way_within(behavior) == CombineWithin::Normalized),
        ("smoothing_time", species.smoothing_time > 0.0),
        ("update_every", species.update_every > 1),
        ("variation", species.variation.differs()),
        ("the action states", species.states_change_bodies()),
        ("the limits of its turns", turns(species).0.min(turns(species).1).is_finite()),
    ];
    let keys: Vec<_> = keys.into_iter().filter(|(_, counts)| *counts).map(|(key, _)| key).collect();
    if keys.is_empty() { String::new() } else { format!(", counting {}", keys.join(", ")) }
}

/// The angular speed (rad/s) and angular acceleration (rad/s²) of a species' least agile agent. Both are infinite for agents with
/// independent facing, which need not turn to move.
pub(super) fn turns(species: &Species) -> (f32, f32) {
    let (vehicle, variation) = (&species.vehicle, &species.variation);
    if vehicle.facing == Facing::Independent {
        return (f32::INFINITY, f32::INFINITY);
    }
    let least = |fastest: f32| (fastest - variation.farthest() * variation.max_angular_speed).max(0.0).to_radians();
    (vehicle.max_angular_speed.map_or(f32::INFINITY, least), angular_acceleration(species).to_radians())
}

/// The greatest angular acceleration of a species' least agile agent, degrees/s².
pub(super) fn angular_acceleration(species: &Species) -> f32 {
    let (vehicle, variation) = (&species.vehicle, &species.variation);
    let far = variation.farthest();
    let less = |number: f32, spread: f32| (number - far * spread).max(0.0);
    let given = vehicle.max_angular_acceleration.map(|given| less(given, variation.max_angular_acceleration));
    let torque = vehicle.max_torque.zip(vehicle.moment_of_inertia);
    let by_torque = torque.map(|(torque, inertia)| {
        (less(torque, variation.max_torque) / (inertia + far * variation.moment_of_inertia)).to_degrees()
    });
    given.into_iter().chain(by_torque).fold(f32::INFINITY, f32::min)
}

/// The action states of a species in which a behavior acts. A species without states has one.
pub(super) fn acting_states<'a>(species: &Species, behavior: &'a Behavior) -> impl Iterator<Item = usize> + use<'a> {
    let acts = |state: &usize| behavior.states >> state & 1 == 1 && behavior.state_weights[*state] > 0.0;
    (0..species.states.len().max(1)).filter(acts)
}

/// The least and the greatest weight of a behavior for any agent. Agents with less than a tenth of the mean are ignored: a tenth
/// is the least that counts.
pub(super) fn weights(species: &Species, behavior: &Behavior) -> [f32; 2] {
    let (mean, spread) = (behavior.weight, species.variation.farthest() * behavior.weight_spread);
    if mean > 0.0 { [(mean - spread).max(0.1 * mean), mean + spread] } else { [mean; 2] }
}
