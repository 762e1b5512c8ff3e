//! The vehicle of a species: how its body turns steering into motion.

use super::error::{SceneError, plain};
use super::keys;
use super::read::Section;
use super::rules::Broken;
use super::{Scene, Species};

/// How a body moves, how it turns, and which way it faces. Angles are in degrees, as in the scene's text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vehicle {
    /// How steering becomes motion.
    pub locomotion: Locomotion,
    /// The order in which velocity and position are renewed.
    pub integrator: Integrator,
    /// What the heading follows.
    pub facing: Facing,
    /// Is the orientation remembered even if no other setting needs it? Then an agent at rest keeps its heading.
    pub orientation_kept: bool,
    /// Deceleration per speed, 1/s.
    pub linear_drag: f32,
    /// Deceleration per squared speed, 1/u.
    pub quadratic_drag: f32,
    /// Angular deceleration per angular speed, 1/s.
    pub angular_drag: f32,
    /// The heading turns no faster, deg/s.
    pub max_angular_speed: Option<f32>,
    /// The angular speed changes no faster, deg/s².
    pub max_angular_acceleration: Option<f32>,
    /// kg·u².
    pub moment_of_inertia: Option<f32>,
    /// kg·u²/s².
    pub max_torque: Option<f32>,
    /// Below this speed the part of the acceleration across the heading is reduced in proportion, u/s.
    pub low_speed: f32,
    /// Turning at ω rad/s divides the speed by 1 + ω²·turn_loss·dt/2 in a step, s. For [`Locomotion::TurnFirst`].
    pub turn_loss: f32,
    /// Is the aim the part of the desired velocity along the heading, or its whole length? For [`Locomotion::TurnFirst`].
    pub projects: bool,
    /// May the agent drive backward? For [`Locomotion::TurnFirst`].
    pub reverse: bool,
    /// Greatest speed backward, u/s.
    pub max_reverse_speed: f32,
    /// Does the agent move on the scene's surface, with up along its normal?
    pub hugs_surface: bool,
    /// How the agent rolls into turns, if it does.
    pub banking: Option<Banking>,
}

/// How steering becomes motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locomotion {
    /// A force moves a mass in any direction.
    PointMass,
    /// The heading turns to the desired velocity, and the agent moves along its heading only.
    TurnFirst,
    /// The velocity is the desired one at once.
    Kinematic,
}

/// The order in which velocity and position are renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrator {
    /// The position moves with the new velocity.
    SemiImplicit,
    /// The position moves with the old velocity.
    Explicit,
}

/// What the heading follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facing {
    /// The velocity.
    Velocity,
    /// Angular behaviors; the agent may move sideways.
    Independent,
}

/// How an agent rolls: up renews itself toward `righting`·(world up) + `leaning`·(acceleration).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Banking {
    /// Strength of the return to level flight.
    pub righting: f32,
    /// Strength of the roll into turns, s²/u.
    pub leaning: f32,
    /// How fast the agent rolls, 1/s.
    pub rate: f32,
}

/// One number of a vehicle.
#[derive(Debug)]
pub struct VehicleNumber<'a> {
    /// Its key in the scene.
    pub name: &'static str,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// One line of documentation.
    pub summary: &'static str,
    /// Least and greatest value.
    pub range: (f32, f32),
    /// The number itself.
    pub value: &'a mut f32,
}

impl Default for Banking {
    fn default() -> Self {
        Banking { righting: 0.2, leaning: 0.05, rate: 3.0 }
    }
}

impl Vehicle {
    /// Its numbers, as far as it has them: no limit is no number.
    pub fn numbers(&mut self) -> Vec<VehicleNumber<'_>> {
        let given = [
            ("max_angular_speed", self.max_angular_speed.as_mut()),
            ("max_angular_acceleration", self.max_angular_acceleration.as_mut()),
            ("moment_of_inertia", self.moment_of_inertia.as_mut()),
            ("max_torque", self.max_torque.as_mut()),
        ];
        let mut numbers = vec![
            ("linear_drag", &mut self.linear_drag),
            ("quadratic_drag", &mut self.quadratic_drag),
            ("angular_drag", &mut self.angular_drag),
            ("low_speed", &mut self.low_speed),
        ];
        numbers.extend(given.into_iter().filter_map(|(key, number)| Some((key, number?))));
        if self.locomotion == Locomotion::TurnFirst {
            numbers.push(("turn_loss", &mut self.turn_loss));
        }
        if self.reverse {
            numbers.push(("max_reverse_speed", &mut self.max_reverse_speed));
        }
        if let Some(banking) = &mut self.banking {
            let Banking { righting, leaning, rate } = banking;
            numbers.extend([("banking.righting", righting), ("banking.leaning", leaning), ("banking.rate", rate)]);
        }
        let described = |(name, value)| {
            let key = keys::vehicle_key(name)?;
            let keys::Value::Number { min, max } = key.value else { return None };
            let range = (min as f32, max as f32);
            Some(VehicleNumber { name: key.name, unit: key.unit, summary: key.summary, range, value })
        };
        numbers.into_iter().filter_map(described).collect()
    }

    /// Has each agent to remember its orientation?
    pub fn keeps_pose(&self) -> bool {
        self.orientation_kept
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

/// Read `[species.vehicle]`.
pub fn read_vehicle(species: &Section, max_speed: f32) -> Result<Vehicle, SceneError> {
    let section = species.table("vehicle", keys::VEHICLE)?;
    let banking = section.table("banking", keys::BANKING)?;
    let locomotions = [Locomotion::PointMass, Locomotion::TurnFirst, Locomotion::Kinematic];
    Ok(Vehicle {
        locomotion: locomotions[section.choice("locomotion")?],
        integrator: [Integrator::SemiImplicit, Integrator::Explicit][section.choice("integrator")?],
        facing: [Facing::Velocity, Facing::Independent][section.choice("facing")?],
        orientation_kept: section.choice("orientation")? == 1,
        linear_drag: section.number("linear_drag")?,
        quadratic_drag: section.number("quadratic_drag")?,
        angular_drag: section.number("angular_drag")?,
        max_angular_speed: section.try_number("max_angular_speed")?,
        max_angular_acceleration: section.try_number("max_angular_acceleration")?,
        moment_of_inertia: section.try_number("moment_of_inertia")?,
        max_torque: section.try_number("max_torque")?,
        low_speed: section.number("low_speed")?,
        turn_loss: section.number("turn_loss")?,
        projects: section.choice("forward_acceleration")? == 0,
        reverse: section.choice("reverse")? == 1,
        max_reverse_speed: section.try_number("max_reverse_speed")?.unwrap_or(max_speed),
        hugs_surface: section.flag("hugs_surface")?,
        banking: banking.exists().then(|| read_banking(&banking)).transpose()?,
    })
}

fn read_banking(section: &Section) -> Result<Banking, SceneError> {
    Ok(Banking {
        righting: section.number("righting")?,
        leaning: section.number("leaning")?,
        rate: section.number("rate")?,
    })
}

/// The first rule that a species' vehicle breaks.
pub fn broken_rule(scene: &Scene, species: &Species, index: usize) -> Option<Broken> {
    let vehicle = &species.vehicle;
    let key = |name: &str| format!("species.{index}.vehicle.{name}");
    let broken = |keys: Vec<String>, value: Option<String>, message: &str, hint: &str| {
        Some(Broken { keys, value, message: message.into(), hint: Some(hint.into()) })
    };
    let drives = vehicle.locomotion == Locomotion::TurnFirst;
    if drives && vehicle.max_angular_speed.is_none() {
        let hint = "give max_angular_speed in deg/s, such as 180";
        return broken(vec![key("locomotion")], None, "turn_first needs a max_angular_speed to turn with", hint);
    }
    if drives && vehicle.facing == Facing::Independent {
        let message = "an agent that moves along its heading only cannot face elsewhere";
        let hint = "use locomotion = \"point_mass\" or \"kinematic\", or leave facing out";
        return broken(vec![key("facing"), key("locomotion")], None, message, hint);
    }
    if drives && vehicle.reverse && species.min_speed > 0.0 {
        let keys = vec![key("reverse"), format!("species.{index}.min_speed")];
        let message = format!("between forward and backward speed is 0, and min_speed is {}", plain(species.min_speed));
        return broken(keys, None, &message, "set min_speed = 0, or forbid reverse");
    }
    if vehicle.max_reverse_speed > species.max_speed {
        let keys = vec![key("max_reverse_speed"), format!("species.{index}.max_speed")];
        let message = format!("must be at most max_speed = {} u/s", plain(species.max_speed));
        return broken(keys, Some(plain(vehicle.max_reverse_speed)), &message, "lower it, or leave it out");
    }
    if vehicle.moment_of_inertia.is_some() != vehicle.max_torque.is_some() {
        let (given, missing) = match vehicle.max_torque {
            Some(_) => ("max_torque", "moment_of_inertia"),
            None => ("moment_of_inertia", "max_torque"),
        };
        let message = format!("needs {missing} beside it: their ratio is the greatest angular acceleration");
        return broken(vec![key(given)], None, &message, &format!("add {missing}, or use max_angular_acceleration"));
    }
    if vehicle.hugs_surface && scene.scenery.surface.is_none() {
        let hint = "add a [surface] table, such as shape = \"sphere\", radius = 20";
        return broken(vec![key("hugs_surface")], None, "there is no surface to move on", hint);
    }
    if vehicle.banking.is_some() && !scene.world.spatial {
        let message = "there is no room to roll in a planar world";
        return broken(vec![key("banking"), "world.size".into()], None, message, "give world.size a third number");
    }
    None
}
