//! The vehicle of a species: how its body turns steering into motion.

use super::keys::Key;
use super::tables::Table;

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
        /// Deceleration per speed; terminal speed without a quadratic one = acceleration / linear_drag.
        pub linear_drag: f32 = number("1/s", 0.0, 1e4, 0.0),
        /// Deceleration per squared speed; terminal speed without a linear one = sqrt(acceleration / quadratic_drag).
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
        /// of turn_first: sideways velocity that the tires take away per second; the agent slides with what a turn leaves
        /// beyond it; without it agents never slide.
        pub grip: Option<f32> = limit("u/s²", 0.0, 1e9, "no limit"),
        /// of turn_first: the speed that it accelerates to. variable: the part of the desired velocity along the heading;
        /// constant: the whole desired speed.
        pub forward_acceleration: ForwardAcceleration = choice(ForwardAcceleration::WORDS),
        /// of turn_first: may it drive backward?
        pub reverse: bool = choice(&["forbid", "allow"]),
        /// Speed backward is never above this.
        pub max_reverse_speed: Option<f32> = limit("u/s", 0.0, 1e6, "max_speed"),
        /// True: agents move on the surface of the scene, and its normal is up.
        pub hugs_surface: bool = flag(),
        /// Rolls into turns, in spatial worlds.
        pub banking: Option<Banking> = described(Range::Table(Banking::KEYS), "none"),
    }
}

words! {
    /// How steering becomes motion.
    pub enum Locomotion {
        /// A force moves a mass in any direction.
        PointMass = "point_mass",
        /// The heading turns to the desired velocity, and the agent moves along its heading only, except where it slides.
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
    /// The speed that a turn_first agent accelerates to, given a desired velocity.
    pub enum ForwardAcceleration {
        /// The part of the desired velocity along the heading.
        Variable = "variable",
        /// The whole length of the desired velocity.
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
        let idle = |key: &Key| match key.name {
            "turn_loss" | "grip" => !drives,
            "max_reverse_speed" => !reverses,
            _ => false,
        };
        Table::numbers(self).into_iter().filter(|(key, _)| !idle(key)).collect()
    }

    /// Must each agent remember its orientation?
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
