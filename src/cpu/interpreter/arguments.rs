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
}

impl From<&Neighbor> for Value {
    fn from(value: &Neighbor) -> Self {
        let Neighbor { offset, distance_squared, ahead, velocity, species, radius, id } = *value;
        let (distance, heading) = (value.distance(), value.heading());
        Value::Composite(vec![
            offset.into(),
            distance_squared.into(),
            distance.into(),
            ahead.into(),
            velocity.into(),
            heading.into(),
            species.into(),
            radius.into(),
            id.into(),
        ])
    }
}
