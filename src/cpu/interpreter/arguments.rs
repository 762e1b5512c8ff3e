//! The arguments of behaviors, as values: the members of the WGSL structs, in their order.

use super::Value;
use crate::cpu::common::agent::{Agent, Turner};
use crate::cpu::common::target::Goal;
use crate::cpu::common::vision::Neighbor;

macro_rules! members {
    ($($ty:ident { $($member:ident),+ })+) => {
        $(impl From<&$ty> for Value {
            fn from(value: &$ty) -> Self {
                Value::Composite(vec![$(value.$member.into()),+])
            }
        })+
    };
}

members! {
    Agent {
        id, step, position, velocity, speed, forward, radius, max_speed, max_acceleration, time_constant, interval,
        moves_as_desired
    }
    Turner { spin, up, max_angular_speed, interval }
    Goal { exists, offset, distance, velocity, forward, spin }
    Neighbor { offset, distance_squared, distance, ahead, velocity, heading, species, radius, id }
}
