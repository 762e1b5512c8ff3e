//! What behaviors are given, as values: the members of the WGSL structs, in their order.

use super::Value;
use crate::cpu::common::agent::{Agent, Turner};
use crate::cpu::common::target::Goal;
use crate::cpu::common::vision::Neighbor;

impl From<&Agent> for Value {
    fn from(agent: &Agent) -> Self {
        Value::Composite(vec![
            agent.id.into(),
            agent.step.into(),
            agent.position.into(),
            agent.velocity.into(),
            agent.speed.into(),
            agent.forward.into(),
            agent.radius.into(),
            agent.max_speed.into(),
            agent.max_acceleration.into(),
            agent.time_constant.into(),
            agent.interval.into(),
            agent.moves_as_desired.into(),
        ])
    }
}

impl From<&Turner> for Value {
    fn from(turner: &Turner) -> Self {
        let Turner { spin, up, max_angular_speed, interval } = *turner;
        Value::Composite(vec![spin.into(), up.into(), max_angular_speed.into(), interval.into()])
    }
}

impl From<&Goal> for Value {
    fn from(goal: &Goal) -> Self {
        let Goal { exists, offset, distance, velocity, forward, spin } = *goal;
        let vectors = [velocity, forward, spin].map(Value::from);
        Value::Composite([exists.into(), offset.into(), distance.into()].into_iter().chain(vectors).collect())
    }
}

impl From<&Neighbor> for Value {
    fn from(neighbor: &Neighbor) -> Self {
        let Neighbor { offset, distance_squared, distance, ahead, velocity, heading, species, radius, id } = *neighbor;
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
