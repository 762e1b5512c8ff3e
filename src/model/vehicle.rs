//! The parameters of a vehicle as shaders read them. Twin of the struct of `shaders/common/vehicle.wgsl`; a test compares
//! names, offsets and sizes.

use crate::scene::{self, Facing, ForwardAcceleration, Integrator, Locomotion, Scene};
use bytemuck::{Pod, Zeroable};
use std::f64::consts::PI;

/// Settings of one species' vehicle. Field by field the struct `Vehicle` of `vehicle.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct Vehicle {
    /// How it moves: 0 as a point mass, 1 turning first, 2 kinematic.
    pub locomotion: u32,
    /// 1 where the position moves with the velocity from before the step.
    pub explicit_euler: u32,
    /// 1 where forward and up are remembered.
    pub keeps_pose: u32,
    /// 1 where the heading does not follow the velocity.
    pub faces_freely: u32,
    /// What drag leaves of a velocity in a step: e^(-linear_drag dt).
    pub velocity_kept: f32,
    /// What an acceleration adds to a velocity in a step: (1 - e^(-linear_drag dt)) / linear_drag, s.
    pub velocity_gain: f32,
    /// 4 velocity_gain quadratic_drag, s/u.
    pub air: f32,
    /// What drag leaves of an angular velocity in a step: e^(-angular_drag dt).
    pub spin_kept: f32,
    /// What an angular acceleration adds to an angular velocity in a step, s.
    pub spin_gain: f32,
    /// Greatest angular speed, rad/s; at most half a turn in a step.
    pub max_angular_speed: f32,
    /// Greatest angular acceleration, rad/s²; the greatest torque over the moment of inertia is in it.
    pub max_angular_acceleration: f32,
    /// The part of it that a turn counts on to come to an end, as rotation in one step, rad.
    pub braking: f32,
    /// Below this speed lateral acceleration is limited, u/s.
    pub low_speed: f32,
    /// Half of the scene's `turn_loss` times dt, s²: a turn at ω divides the speed by 1 + ω² times this.
    pub turn_loss: f32,
    /// 1 where the desired velocity is projected on the heading.
    pub projects: u32,
    /// The least speed of what turns first, u/s; negative where it may drive backward.
    pub least_speed: f32,
    /// 1 where the agent moves on the surface of the scene.
    pub hugs_surface: u32,
    /// 1 where the agent banks.
    pub banks: u32,
    /// Length of world up in what banking rolls to.
    pub righting: f32,
    /// Factor of the acceleration in it, s²/u.
    pub leaning: f32,
    /// Share by which up is renewed in a step.
    pub bank_share: f32,
    /// Share by which the acceleration that it leans by is renewed in a step.
    pub smoothing: f32,
}

/// Which vehicle models any species uses: overrides of `specialization.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Vehicles {
    /// Some remember which way they face.
    pub pose: bool,
    /// Some turn first.
    pub turn_first: bool,
    /// Some move kinematically.
    pub kinematic: bool,
    /// Some integrate by explicit Euler.
    pub explicit_euler: bool,
    /// Some have drag.
    pub drag: bool,
    /// Some turn less at low speed.
    pub low_speed: bool,
    /// Some bank.
    pub banking: bool,
    /// Some move on the surface.
    pub surface: bool,
}

impl Vehicles {
    /// What the species of a scene use.
    pub fn new(scene: &Scene) -> Vehicles {
        let any = |uses: fn(&scene::Vehicle) -> bool| scene.species.iter().any(|s| s.count > 0 && uses(&s.vehicle));
        Vehicles {
            pose: any(scene::Vehicle::keeps_pose),
            turn_first: any(|v| v.locomotion == Locomotion::TurnFirst),
            kinematic: any(|v| v.locomotion == Locomotion::Kinematic),
            explicit_euler: any(|v| v.integrator == Integrator::Explicit),
            drag: any(|v| v.linear_drag > 0.0 || v.quadratic_drag > 0.0),
            low_speed: any(|v| v.low_speed > 0.0),
            banking: any(|v| v.banking.is_some()),
            surface: any(|v| v.hugs_surface),
        }
    }

    /// Each override with its value.
    pub fn overrides(&self) -> [(&'static str, bool); 8] {
        [
            ("pose_acts", self.pose),
            ("turn_first_acts", self.turn_first),
            ("kinematic_acts", self.kinematic),
            ("explicit_euler_acts", self.explicit_euler),
            ("drag_acts", self.drag),
            ("low_speed_acts", self.low_speed),
            ("banking_acts", self.banking),
            ("surface_acts", self.surface),
        ]
    }
}

impl Vehicle {
    /// The vehicle of a species. Exponentials are computed here, in f64.
    pub fn new(species: &scene::Species, dt: f32) -> Vehicle {
        let vehicle = &species.vehicle;
        let dt = f64::from(dt);
        let (velocity_kept, velocity_gain) = drag(vehicle.linear_drag, dt);
        let (spin_kept, spin_gain) = drag(vehicle.angular_drag, dt);
        // A turn by more than half a turn in a step cannot be told from one to the other side.
        let fastest = vehicle.max_angular_speed.map_or(PI / dt, |degrees| f64::from(degrees).to_radians().min(PI / dt));
        let strongest = angular_acceleration(vehicle).unwrap_or(2.5 * fastest / spin_gain);
        let banking = vehicle.banking.unwrap_or_default();
        let rate = f64::from(banking.rate);
        let flag = u32::from;
        let backward = vehicle.max_reverse_speed.unwrap_or(species.max_speed);
        Vehicle {
            locomotion: vehicle.locomotion as u32,
            explicit_euler: flag(vehicle.integrator == Integrator::Explicit),
            keeps_pose: flag(vehicle.keeps_pose()),
            faces_freely: flag(vehicle.facing == Facing::Independent),
            velocity_kept: velocity_kept as f32,
            velocity_gain: velocity_gain as f32,
            air: (4.0 * velocity_gain * f64::from(vehicle.quadratic_drag)) as f32,
            spin_kept: spin_kept as f32,
            spin_gain: spin_gain as f32,
            max_angular_speed: fastest as f32,
            max_angular_acceleration: strongest as f32,
            // A fifth is kept in reserve, because the last of the steps of a turn is shorter than the others.
            braking: (0.8 * strongest * dt * dt) as f32,
            low_speed: vehicle.low_speed,
            turn_loss: (f64::from(vehicle.turn_loss) * dt / 2.0) as f32,
            projects: flag(vehicle.forward_acceleration == ForwardAcceleration::Variable),
            least_speed: if vehicle.reverse { -backward } else { species.min_speed },
            hugs_surface: flag(vehicle.hugs_surface),
            banks: flag(vehicle.banking.is_some()),
            righting: banking.righting,
            leaning: banking.leaning,
            bank_share: -(-rate * dt).exp_m1() as f32,
            smoothing: -(-3.0 * rate * dt).exp_m1() as f32,
        }
    }
}

/// What drag of a rate (1/s) leaves of a velocity in a step, and what an acceleration adds to it, s.
fn drag(rate: f32, dt: f64) -> (f64, f64) {
    let rate = f64::from(rate);
    let gain = if rate > 0.0 { -(-rate * dt).exp_m1() / rate } else { dt };
    ((-rate * dt).exp(), gain)
}

/// The greatest angular acceleration, rad/s², if there is one.
fn angular_acceleration(vehicle: &scene::Vehicle) -> Option<f64> {
    let given = vehicle.max_angular_acceleration.map(|degrees| f64::from(degrees).to_radians());
    let by_torque = match (vehicle.max_torque, vehicle.moment_of_inertia) {
        (Some(torque), Some(inertia)) => Some(f64::from(torque) / f64::from(inertia)),
        _ => None,
    };
    given.into_iter().chain(by_torque).reduce(f64::min)
}
