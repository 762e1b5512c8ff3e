//! The parameters of a vehicle as shaders read them.

use super::blocks::{Drawn, Vehicle};
use crate::scene::{self, Facing, ForwardAcceleration, Integrator};
use std::f64::consts::PI;

impl Vehicle {
    /// The vehicle of a species. Exponentials are computed here, in f64.
    pub fn new(species: &scene::Species, dt: f32) -> Vehicle {
        let vehicle = &species.vehicle;
        let dt = f64::from(dt);
        let (velocity_kept, velocity_gain) = drag(vehicle.linear_drag, dt);
        let (spin_kept, spin_gain) = drag(vehicle.angular_drag, dt);
        // A turn by more than half a turn in a step cannot be told from one to the other side.
        let fastest = vehicle.max_angular_speed.map_or(PI / dt, |degrees| f64::from(degrees).to_radians().min(PI / dt));
        let of_fastest =
            fastest + f64::from(species.variation.farthest() * species.variation.max_angular_speed).to_radians();
        let (given, by_torque) = angular_limits(vehicle);
        let strongest = given.into_iter().chain(by_torque).reduce(f64::min);
        let strongest = strongest.unwrap_or(2.5 * of_fastest.min(PI / dt) / spin_gain);
        let banking = vehicle.banking.unwrap_or_default();
        let rate = f64::from(banking.rate);
        let flag = u32::from;
        let variation = &species.variation;
        let drawn = |[mean, spread]: [f64; 2]| Drawn { mean: mean as f32, spread: spread as f32 };
        let spins = [variation.max_angular_acceleration, variation.moment_of_inertia, variation.max_torque];
        // No limit: larger than any angular acceleration or grip, yet in the range of floats after division by any moment of inertia.
        let endless = 1e30;
        let inertia = f64::from(vehicle.moment_of_inertia.unwrap_or(1.0));
        let backward = vehicle.max_reverse_speed.unwrap_or(species.max_speed);
        Vehicle {
            locomotion: vehicle.locomotion as u32,
            explicit_euler: flag(vehicle.integrator == Integrator::Explicit),
            keeps_pose: flag(vehicle.keeps_pose()),
            faces_freely: flag(vehicle.facing == Facing::Independent),
            velocity_kept: velocity_kept as f32,
            velocity_gain: velocity_gain as f32,
            air: drawn(
                [vehicle.quadratic_drag, variation.quadratic_drag].map(|drag| 4.0 * velocity_gain * f64::from(drag)),
            ),
            spin_kept: spin_kept as f32,
            spin_gain: spin_gain as f32,
            max_angular_speed: fastest as f32,
            max_angular_acceleration: strongest as f32,
            // A fifth is kept in reserve, because the last of the steps of a turn is shorter than the others.
            braking: (0.8 * strongest * dt * dt) as f32,
            low_speed: drawn([vehicle.low_speed, variation.low_speed].map(f64::from)),
            turn_loss: drawn([vehicle.turn_loss, variation.turn_loss].map(|loss| f64::from(loss) * dt / 2.0)),
            projects: flag(vehicle.forward_acceleration == ForwardAcceleration::Variable),
            least_speed: if vehicle.reverse { -backward } else { species.min_speed },
            hugs_surface: flag(vehicle.hugs_surface),
            banks: flag(vehicle.banking.is_some()),
            righting: drawn([banking.righting, variation.righting].map(f64::from)),
            leaning: drawn([banking.leaning, variation.leaning].map(f64::from)),
            bank_share: -(-rate * dt).exp_m1() as f32,
            smoothing: -(-3.0 * rate * dt).exp_m1() as f32,
            reverse_spread: if vehicle.reverse { variation.max_reverse_speed } else { 0.0 },
            agility_varies: flag(spins.into_iter().any(|spread| spread > 0.0)),
            angular_limit: drawn([
                given.unwrap_or(endless),
                f64::from(variation.max_angular_acceleration).to_radians(),
            ]),
            torque: drawn([by_torque.unwrap_or(endless), f64::from(variation.max_torque) / inertia]),
            inertia: drawn([1.0, f64::from(variation.moment_of_inertia) / inertia]),
            grip: vehicle.grip.map_or(endless, |grip| f64::from(grip) * dt) as f32,
        }
    }
}

/// What drag of a rate (1/s) leaves of a velocity in a step, and what an acceleration adds to it, s.
fn drag(rate: f32, dt: f64) -> (f64, f64) {
    let rate = f64::from(rate);
    let gain = if rate > 0.0 { -(-rate * dt).exp_m1() / rate } else { dt };
    ((-rate * dt).exp(), gain)
}

/// The greatest angular acceleration, rad/s²: the one that is given, and the one that follows from a torque; `None` where there is none.
fn angular_limits(vehicle: &scene::Vehicle) -> (Option<f64>, Option<f64>) {
    let given = vehicle.max_angular_acceleration.map(|degrees| f64::from(degrees).to_radians());
    let by_torque = match (vehicle.max_torque, vehicle.moment_of_inertia) {
        (Some(torque), Some(inertia)) => Some(f64::from(torque) / f64::from(inertia)),
        _ => None,
    };
    (given, by_torque)
}
