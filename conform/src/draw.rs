//! Random draws of parameters and states: splitmix64, unlike the random numbers of the simulation.

use super::reference::Body;
use super::vector::{V, dot, minus, norm, plus, times, unit};

/// Random draws from a seed. Every number drawn is one that f32 holds, so that a scene is given the very number that
/// the expected value is calculated from.
#[derive(Debug, Clone)]
pub struct Draw(u64);

impl Draw {
    /// The draws of a seed.
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    /// The draws of a law: they do not depend on which other laws run.
    pub fn of(law: &str, seed: u64) -> Draw {
        let hash = law
            .bytes()
            .fold(0xCBF2_9CE4_8422_2325, |h: u64, byte| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
        Draw(hash ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Evenly between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let exact = low + (high - low) * (self.word() >> 11) as f64 / (1u64 << 53) as f64;
        f64::from(exact as f32)
    }

    /// Evenly in the logarithm: as many between 1 and 10 as between 10 and 100.
    pub fn scale(&mut self, low: f64, high: f64) -> f64 {
        f64::from(self.between(low.ln(), high.ln()).exp() as f32)
    }

    /// A multiple of 1/64, so that sums and differences of a few of them are exact in f32.
    pub fn dyadic(&mut self, low: f64, high: f64) -> f64 {
        (self.between(low, high) * 64.0).floor() / 64.0
    }

    /// A whole number, both ends included.
    pub fn whole(&mut self, low: u32, high: u32) -> u32 {
        low + (self.word() % u64::from(high - low + 1)) as u32
    }

    /// A point of a box around the origin; z is 0 where the world is planar.
    pub fn point(&mut self, spatial: bool, half: f64) -> V {
        let mut along = || self.between(-half, half);
        [along(), along(), if spatial { along() } else { 0.0 }]
    }

    /// A unit vector.
    pub fn heading(&mut self, spatial: bool) -> V {
        loop {
            let v = self.point(spatial, 1.0);
            if (0.01..=1.0).contains(&norm(v)) {
                return unit(v);
            }
        }
    }

    /// Agents in a box around a center, each flying at this speed in a direction of its own.
    pub fn crowd(&mut self, agents: usize, spatial: bool, center: V, half: f64, speed: f64) -> Vec<Body> {
        let mut body = || {
            let position = plus(center, self.point(spatial, half));
            Body::at(position).moving(times(self.heading(spatial), speed))
        };
        (0..agents).map(|_| body()).collect()
    }

    /// So many agents, each drawn by `body`.
    pub fn bodies(&mut self, agents: usize, body: impl Fn(&mut Draw) -> Body) -> Vec<Body> {
        (0..agents).map(|_| body(self)).collect()
    }

    /// A unit vector at this angle from another one, degrees; to any side.
    pub fn turned(&mut self, spatial: bool, heading: V, angle: f64) -> V {
        let aside = loop {
            let other = self.heading(spatial);
            let across = minus(other, times(heading, dot(other, heading)));
            if norm(across) > 0.1 {
                break unit(across);
            }
        };
        let (sin, cos) = angle.to_radians().sin_cos();
        plus(times(heading, cos), times(aside, sin))
    }
}
