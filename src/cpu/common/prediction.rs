//! Twin of `shaders/common/prediction.wgsl`: how far ahead in time the position of a target is predicted.

pub use crate::constants::SLOWEST;
use crate::constants::{
    PREDICT_CLOSING, PREDICT_DISTANCE, PREDICT_INTERCEPT, PREDICT_NINE_CASES, PREDICT_OWN_SPEED, PREDICT_TARGET_SPEED,
};
use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::{Goal, along};
use crate::cpu::common::vector::dot3;
use glam::Vec3;

/// Time in which agent and target would meet if they flew toward each other, s.
pub fn closing_time(agent: &Agent, way: Vec3, velocity: Vec3) -> f32 {
    dot3(way, way).sqrt() / (agent.max_speed + dot3(velocity, velocity).sqrt()).max(SLOWEST)
}

/// The least time t > 0 with |way + velocity t| = max_speed t, s; where there is none, the closing time.
pub fn intercept_time(agent: &Agent, way: Vec3, velocity: Vec3) -> f32 {
    let c = agent.max_speed * agent.max_speed - dot3(velocity, velocity);
    let b = dot3(way, velocity);
    let distance_squared = dot3(way, way);
    let discriminant = b * b + c * distance_squared;
    if b < 0.0 && discriminant >= 0.0 {
        return distance_squared / (discriminant.sqrt() - b);
    }
    if b >= 0.0 && c > 0.0 {
        return (b + discriminant.sqrt()) / c;
    }
    closing_time(agent, way, velocity)
}

#[allow(clippy::approx_constant)] // the literals of the shader
fn by_cosine(cosine: f32, opposite: f32, perpendicular: f32, same: f32) -> f32 {
    if cosine > 0.70710678 {
        same
    } else if cosine < -0.70710678 {
        opposite
    } else {
        perpendicular
    }
}

fn nine_cases(agent: &Agent, goal: &Goal) -> f32 {
    let place = dot3(agent.forward, along(goal.offset));
    let heading = dot3(agent.forward, goal.forward);
    let behind = by_cosine(heading, 2.0, 2.0, 0.5);
    let beside = by_cosine(heading, 4.0, 0.8, 1.0);
    let ahead = by_cosine(heading, 0.85, 1.8, 4.0);
    by_cosine(place, behind, beside, ahead)
}

/// The way to where the target will be, u.
pub fn predicted_way(agent: &Agent, goal: &Goal, rule: u32, time: f32, turning: f32, longest: f32) -> Vec3 {
    let own_time = goal.distance / agent.speed.max(SLOWEST);
    let t = match rule {
        PREDICT_INTERCEPT => intercept_time(agent, goal.offset, goal.velocity),
        PREDICT_DISTANCE if turning > 0.0 => goal.distance * turning,
        PREDICT_DISTANCE => closing_time(agent, goal.offset, goal.velocity),
        PREDICT_OWN_SPEED => own_time,
        PREDICT_CLOSING => closing_time(agent, goal.offset, goal.velocity),
        PREDICT_NINE_CASES => own_time * nine_cases(agent, goal),
        PREDICT_TARGET_SPEED => goal.distance / dot3(goal.velocity, goal.velocity).sqrt().max(SLOWEST),
        _ => time,
    };
    goal.offset + goal.velocity * t.min(longest)
}
