//! Twin of `shaders/common/vision.wgsl`.

use super::vector::heading_of;
pub use crate::constants::{ALL_AROUND, FARTHEST};
use crate::model::Vision;
use glam::Vec3;

/// A candidate within the largest perception radius. Its distance and heading are methods: they need square roots, and few
/// behaviors use them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Neighbor {
    /// From the agent to the neighbor's nearest image, u.
    pub offset: Vec3,
    /// Squared length of the offset, u².
    pub distance_squared: f32,
    /// Component of the offset along the agent's heading, u.
    pub ahead: f32,
    /// The neighbor's velocity, u/s.
    pub velocity: Vec3,
    /// The bit of its species.
    pub species: u32,
    /// Its body radius, u.
    pub radius: f32,
    /// Its id.
    pub id: u32,
}

impl Neighbor {
    /// Length of the offset, u.
    #[inline]
    pub fn distance(&self) -> f32 {
        self.distance_squared.sqrt()
    }

    /// The direction of its velocity, or zero where it stands still.
    #[inline]
    pub fn heading(&self) -> Vec3 {
        heading_of(self.velocity)
    }
}

/// Is the neighbor within radius and field of view, and of a species that is perceived?
#[inline]
pub fn sees(vision: Vision, neighbor: &Neighbor) -> bool {
    neighbor.distance_squared <= vision.radius_squared
        && (neighbor.ahead >= neighbor.distance() * vision.cosine || neighbor.distance_squared <= vision.inner_squared)
        && vision.species & neighbor.species != 0
}

/// The squared distances of a behavior's 16 nearest neighbors, ascending, for topological neighborhoods.
#[derive(Debug, Clone, Copy)]
pub struct Ranking([f32; 16]);

impl Default for Ranking {
    fn default() -> Self {
        Ranking([FARTHEST; 16])
    }
}

/// Insert one more squared distance.
#[inline]
pub fn ranking_add(ranking: &mut Ranking, distance_squared: f32) {
    let mut x = distance_squared;
    for place in &mut ranking.0 {
        let larger = place.max(x);
        *place = place.min(x);
        x = larger;
    }
}

/// Rank a candidate, if the behavior perceives it.
#[inline]
pub fn ranking_see(ranking: &mut Ranking, vision: Vision, neighbor: &Neighbor) {
    if sees(vision, neighbor) {
        ranking_add(ranking, neighbor.distance_squared);
    }
}

/// The squared distance of the k-th nearest, k from 1.
pub fn ranking_of(ranking: &Ranking, k: u32) -> f32 {
    ranking.0[k as usize - 1]
}
