//! Expected motions where there is no closed form: small integrators in f64.

use super::vector::{V, ZERO, clipped, dot, minus, norm, plus, times};

/// Where an agent is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// Position, u.
    pub position: V,
    /// Velocity, u/s.
    pub velocity: V,
}

impl Body {
    /// An agent that stands at this position.
    pub fn at(position: V) -> Body {
        Body { position, velocity: ZERO }
    }

    /// This agent with this velocity, u/s.
    pub fn moving(self, velocity: V) -> Body {
        Body { velocity, ..self }
    }
}

/// How an agent is turned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facing {
    /// Unit vector of its heading.
    pub forward: V,
    /// Unit vector across the heading.
    pub up: V,
    /// Angular velocity, rad/s.
    pub spin: V,
}

/// A point mass with Reynolds' two limits, which moves in steps as his vehicles do: velocity first, then position.
#[derive(Debug, Clone, Copy)]
pub struct Vehicle {
    /// Greatest acceleration, u/s².
    pub max_acceleration: f64,
    /// Greatest speed, u/s.
    pub max_speed: f64,
    /// Time step, s.
    pub dt: f64,
}

impl Vehicle {
    /// One step under an acceleration that the limits may clip.
    pub fn step(&self, body: Body, acceleration: V) -> Body {
        let faster = plus(body.velocity, times(clipped(acceleration, self.max_acceleration), self.dt));
        let velocity = clipped(faster, self.max_speed);
        Body { position: plus(body.position, times(velocity, self.dt)), velocity }
    }

    /// Many steps under an acceleration that depends on the body.
    pub fn fly(&self, start: Body, steps: u32, acceleration: impl Fn(Body) -> V) -> Body {
        (0..steps).fold(start, |body, _| self.step(body, acceleration(body)))
    }
}

/// The ids of the agents that `agent` perceives in a world without ends: those within a radius, and within a cone of this full
/// angle around its velocity, degrees.
pub fn perceived(bodies: &[Body], agent: usize, radius: f64, field_of_view: f64) -> Vec<usize> {
    let own = bodies[agent];
    let sees = |other: usize| {
        let offset = minus(bodies[other].position, own.position);
        let ahead =
            dot(offset, own.velocity) >= norm(offset) * norm(own.velocity) * (field_of_view / 2.0).to_radians().cos();
        norm(offset) <= radius && (field_of_view >= 360.0 || ahead)
    };
    (0..bodies.len()).filter(|&other| other != agent && sees(other)).collect()
}

/// The hash of four words that random numbers, samples and digests are made of: Jarzynski and Olano 2020, J. Comput. Graph. Tech. 9(3).
pub fn pcg4d(words: [u32; 4]) -> [u32; 4] {
    let mut v = words.map(|word| word.wrapping_mul(1664525).wrapping_add(1013904223));
    let mix = |v: &mut [u32; 4]| {
        for (to, a, b) in [(0, 1, 3), (1, 2, 0), (2, 0, 1), (3, 1, 2)] {
            v[to] = v[to].wrapping_add(v[a].wrapping_mul(v[b]));
        }
    };
    mix(&mut v);
    v = v.map(|word| word ^ (word >> 16));
    mix(&mut v);
    v
}
