//! Twin of `shaders/common/vision.wgsl`.

use crate::model::Vision;
use glam::Vec3;

/// A candidate within the largest perception radius.
#[derive(Clone, Copy)]
pub struct Neighbor {
    /// From the agent to the neighbor's nearest image, u.
    pub offset: Vec3,
    /// Squared length of the offset, u².
    pub distance_squared: f32,
    /// Length of the offset, u.
    pub distance: f32,
    /// Component of the offset along the agent's heading, u.
    pub ahead: f32,
    /// The neighbor's velocity, u/s.
    pub velocity: Vec3,
}

/// Is the neighbor within radius and field of view?
pub fn sees(vision: Vision, neighbor: &Neighbor) -> bool {
    neighbor.distance_squared <= vision.radius_squared && neighbor.ahead >= neighbor.distance * vision.cosine
}
