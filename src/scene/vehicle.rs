//! The vehicle of a species: how its body turns steering into motion.

use super::error::plain;
use super::keys::{Key, Table};
use super::rules::Broken;
use super::{Draft, Species};

table! {
    /// How a body moves, how it turns, and which way it faces. Angles are in degrees, as in the scene's text.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Vehicle {
        /// point_mass: a force moves a mass; turn_first: the heading turns to the desired velocity, and the agent moves along
        /// its heading only; kinematic: the velocity is the desired one at once.
        pub locomotion: Locomotion = choice(Locomotion::WORDS),
        /// semi_implicit: the position moves with the new velocity; explicit: with the old one.
        pub integrator: Integrator = choice(Integrator::WORDS),
        /// velocity: the heading follows the velocity; independent: it turns by angular behaviors alone.
        pub facing: Facing = choice(Facing::WORDS),
        /// kept: forward and up are remembered, so that an agent at rest keeps its heading; limits of turns, banking,
        /// low_speed, turn_first and independent facing keep them anyway.
        pub orientation: Orientation = choice(Orientation::WORDS),
        /// Deceleration per speed; terminal speed = acceleration / linear_drag.
        pub linear_drag: f32 = number("1/s", 0.0, 1e4, 0.0),
        /// Deceleration per squared speed; terminal speed = its root.
        pub quadratic_drag: f32 = number("1/u", 0.0, 1e4, 0.0),
        /// Angular deceleration per angular speed.
        pub angular_drag: f32 = number("1/s", 0.0, 1e4, 0.0),
        /// The heading turns no faster; turn_first needs it.
        pub max_angular_speed: Option<f32> = limit("deg/s", 0.0, 1e6, "no limit"),
        /// The angular speed changes no faster.
        pub max_angular_acceleration: Option<f32> = limit("deg/s²", 0.0, 1e9, "no limit"),
        /// Resists turning, together with max_torque.
        pub moment_of_inertia: Option<f32> = limit("kg·u²", 1e-6, 1e9, "no limit"),
        /// The greatest angular acceleration is max_torque / moment_of_inertia.
        pub max_torque: Option<f32> = limit("kg·u²/s²", 0.0, 1e9, "no limit"),
        /// Below it, acceleration across the heading is reduced in proportion.
        pub low_speed: f32 = number("u/s", 0.0, 1e6, 0.0),
        /// of turn_first: turning at ω divides the speed by 1 + ω²·turn_loss·dt/2.
        pub turn_loss: f32 = number("s", 0.0, 10.0, 0.0),
        /// of turn_first, variable: toward the part of the desired velocity along the heading; constant: toward its whole
        /// speed.
        pub forward_acceleration: ForwardAcceleration = choice(ForwardAcceleration::WORDS),
        /// of turn_first: may it drive backward?
        pub reverse: bool = choice(&["forbid", "allow"]),
        /// Speed backward is never above this.
        pub max_reverse_speed: Option<f32> = limit("u/s", 0.0, 1e6, "max_speed"),
        /// It moves on the surface of the scene, up is its normal.
        pub hugs_surface: bool = flag(),
        /// Rolls into turns, in spatial worlds.
        pub banking: Option<Banking> = told(Range::Table(Banking::KEYS), "none"),
    }
}

words! {
    /// How steering becomes motion.
    pub enum Locomotion {
        /// A force moves a mass in any direction.
        PointMass = "point_mass",
        /// The heading turns to the desired velocity, and the agent moves along its heading only.
        TurnFirst = "turn_first",
        /// The velocity is the desired one at once.
        Kinematic = "kinematic",
    }
}

words! {
    /// The order in which velocity and position are renewed.
    pub enum Integrator {
        /// The position moves with the new velocity.
        SemiImplicit = "semi_implicit",
        /// The position moves with the old velocity.
        Explicit = "explicit",
    }
}

words! {
    /// What the heading follows.
    pub enum Facing {
        /// The velocity.
        Velocity = "velocity",
        /// Angular behaviors; the agent may move sideways.
        Independent = "independent",
    }
}

words! {
    /// Where the orientation comes from.
    pub enum Orientation {
        /// From the velocity, if no other setting needs more.
        Derived = "derived",
        /// From the step before: an agent at rest keeps its heading.
        Kept = "kept",
    }
}

words! {
    /// What an agent that drives makes of a desired velocity.
    pub enum ForwardAcceleration {
        /// The part of it along the heading is its aim.
        Variable = "variable",
        /// Its whole length is its aim.
        Constant = "constant",
    }
}

table! {
    /// How an agent rolls: up renews itself toward `righting`·(world up) + `leaning`·(acceleration).
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Banking {
        /// Strength of the return to level flight.
        pub righting: f32 = number("", 0.0, 1e3, 0.2),
        /// Strength of the roll into turns, per acceleration.
        pub leaning: f32 = number("s²/u", 0.0, 1e3, 0.05),
        /// How fast it rolls.
        pub rate: f32 = number("1/s", 0.0, 1e3, 3.0),
    }
}

impl Vehicle {
    /// The numbers that this vehicle has and makes use of, with their keys.
    pub fn numbers(&mut self) -> Vec<(Key, &mut f32)> {
        let (drives, reverses) = (self.locomotion == Locomotion::TurnFirst, self.reverse);
        let idle = |key: &Key| (key.name == "turn_loss" && !drives) || (key.name == "max_reverse_speed" && !reverses);
        Table::numbers(self).into_iter().filter(|(key, _)| !idle(key)).collect()
    }

    /// Has each agent to remember its orientation?
    pub fn keeps_pose(&self) -> bool {
        self.orientation == Orientation::Kept
            || self.facing == Facing::Independent
            || self.locomotion == Locomotion::TurnFirst
            || self.max_angular_speed.is_some()
            || self.max_angular_acceleration.is_some()
            || self.moment_of_inertia.is_some()
            || self.low_speed > 0.0
            || self.banking.is_some()
            || self.hugs_surface
    }
}

/// The first number of a vehicle that has a spread and no mean, with its place in the vehicle, and its unit with an example.
fn without_mean(species: &Species) -> Option<(&'static str, &'static str, &'static str)> {
    let (vehicle, variation) = (&species.vehicle, &species.variation);
    let above_zero = |number: f32| Some(number).filter(|number| *number > 0.0);
    let (righting, leaning) = (vehicle.banking.map(|b| b.righting), vehicle.banking.map(|b| b.leaning));
    let numbers = [
        (variation.max_angular_speed, vehicle.max_angular_speed, "max_angular_speed", " in deg/s, such as 180"),
        (
            variation.max_angular_acceleration,
            vehicle.max_angular_acceleration,
            "max_angular_acceleration",
            " in deg/s², such as 720",
        ),
        (variation.moment_of_inertia, vehicle.moment_of_inertia, "moment_of_inertia", " and vehicle.max_torque"),
        (variation.max_torque, vehicle.max_torque, "max_torque", " and vehicle.moment_of_inertia"),
        (variation.quadratic_drag, above_zero(vehicle.quadratic_drag), "quadratic_drag", " in 1/u, such as 0.05"),
        (variation.low_speed, above_zero(vehicle.low_speed), "low_speed", " in u/s, such as 5"),
        (variation.turn_loss, above_zero(vehicle.turn_loss), "turn_loss", " in s, such as 0.03"),
        (variation.max_reverse_speed, vehicle.max_reverse_speed, "max_reverse_speed", " in u/s, such as 5"),
        (variation.righting, righting, "banking.righting", ", such as 0.2"),
        (variation.leaning, leaning, "banking.leaning", " in s²/u, such as 0.05"),
    ];
    let (.., place, hint) = numbers.into_iter().find(|(spread, mean, ..)| *spread > 0.0 && mean.is_none())?;
    Some((place.rsplit('.').next()?, place, hint))
}

/// The first rule that a species' vehicle breaks.
pub fn broken_rule(scene: &Draft, species: &Species, index: usize) -> Option<Broken> {
    let vehicle = &species.vehicle;
    let key = |name: &str| format!("species.{index}.vehicle.{name}");
    let broken = |name: &str, message: &str, hint: &str| Some(Broken::new(key(name), message).hint(hint));
    if let Some((name, place, hint)) = without_mean(species) {
        let broken =
            Broken::new(format!("species.{index}.variation.{name}"), format!("there is no {name} to differ from"));
        return Some(broken.tied([key(place)]).hint(format!("give vehicle.{place}{hint}")));
    }
    let drives = vehicle.locomotion == Locomotion::TurnFirst;
    if drives && vehicle.max_angular_speed.is_none() {
        let hint = "give max_angular_speed in deg/s, such as 180";
        return broken("locomotion", "turn_first needs a max_angular_speed to turn with", hint);
    }
    if drives && vehicle.facing == Facing::Independent {
        let message = "an agent that moves along its heading only cannot face elsewhere";
        let hint = "use locomotion = \"point_mass\" or \"kinematic\", or leave facing out";
        return broken("facing", message, hint).map(|broken| broken.tied([key("locomotion")]));
    }
    let (least, spread) = (species.min_speed, species.variation.min_speed);
    if drives && vehicle.reverse && (least > 0.0 || spread > 0.0) {
        let tied = [format!("species.{index}.min_speed"), format!("species.{index}.variation.min_speed")];
        let spread = if spread > 0.0 { format!(", more or less {}", plain(spread)) } else { String::new() };
        let message = format!("between forward and backward speed is 0, and min_speed is {}{spread}", plain(least));
        return broken("reverse", &message, "set min_speed = 0, or forbid reverse").map(|broken| broken.tied(tied));
    }
    if let Some(backward) = vehicle.max_reverse_speed.filter(|speed| *speed > species.max_speed) {
        let tied = [format!("species.{index}.max_speed")];
        let message = format!("must be at most max_speed = {} u/s", plain(species.max_speed));
        let broken = broken("max_reverse_speed", &message, "lower it, or leave it out");
        return broken.map(|broken| broken.tied(tied).value(plain(backward)));
    }
    if vehicle.moment_of_inertia.is_some() != vehicle.max_torque.is_some() {
        let (given, missing) = match vehicle.max_torque {
            Some(_) => ("max_torque", "moment_of_inertia"),
            None => ("moment_of_inertia", "max_torque"),
        };
        let message = format!("needs {missing} beside it: their ratio is the greatest angular acceleration");
        return broken(given, &message, &format!("add {missing}, or use max_angular_acceleration"));
    }
    if vehicle.hugs_surface && scene.scenery.surface.is_none() {
        let hint = "add a [surface] table, such as shape = \"sphere\", radius = 20";
        return broken("hugs_surface", "there is no surface to move on", hint);
    }
    if vehicle.banking.is_some() && !scene.world.spatial {
        let broken = broken("banking", "there is no room to roll in a planar world", "give world.size a third number");
        return broken.map(|broken| broken.tied(["world.size".into()]));
    }
    None
}
