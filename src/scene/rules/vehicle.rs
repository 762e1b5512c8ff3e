//! The rules of vehicles.

use crate::scene::broken::Broken;
use crate::scene::error::plain;
use crate::scene::vehicle::{Facing, Locomotion};
use crate::scene::{Draft, Species};

/// The first number with a spread in `variation` but no mean in `vehicle`: its name, its dotted path in `vehicle`, and the
/// end of a hint, such as its unit with an example.
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
            Broken::new(format!("species.{index}.variation.{name}"), format!("there is no {name} that could vary"));
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
        let message =
            format!("an agent that reverses passes through speed 0, but min_speed is {}{spread}", plain(least));
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
