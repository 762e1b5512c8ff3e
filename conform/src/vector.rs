//! Vectors of the expected values, in f64: laws use none of the code under test.

/// A vector of an expected value; z is 0 in a planar world.
pub type V = [f64; 3];

/// The zero vector.
pub const ZERO: V = [0.0; 3];

/// The sum of two vectors.
pub fn plus(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The difference a - b.
pub fn minus(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// A vector times a number.
pub fn times(v: V, factor: f64) -> V {
    v.map(|x| x * factor)
}

/// The dot product.
pub fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cross product, right-handed.
pub fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Length of a vector.
pub fn norm(v: V) -> f64 {
    dot(v, v).sqrt()
}

/// The vector of length 1 in the same direction.
pub fn unit(v: V) -> V {
    times(v, 1.0 / norm(v))
}

/// The angle between two directions, rad.
pub fn angle(a: V, b: V) -> f64 {
    norm(cross(a, b)).atan2(dot(a, b))
}

/// The part of a vector that is across a unit vector.
pub fn across(v: V, along: V) -> V {
    minus(v, times(along, dot(v, along)))
}

/// A vector no longer than `longest`, of unchanged direction.
pub fn clipped(v: V, longest: f64) -> V {
    if norm(v) > longest { times(unit(v), longest) } else { v }
}

/// The sum of many vectors.
pub fn sum(vectors: &[V]) -> V {
    vectors.iter().fold(ZERO, |total, v| plus(total, *v))
}

/// The mean of many vectors.
pub fn mean(vectors: &[V]) -> V {
    times(sum(vectors), 1.0 / vectors.len() as f64)
}

/// The one of some things to which the way is shortest.
pub fn nearest<T: Copy>(things: impl IntoIterator<Item = T>, way: impl Fn(T) -> V) -> Option<T> {
    things.into_iter().min_by(|a, b| norm(way(*a)).total_cmp(&norm(way(*b))))
}

/// The least and the greatest of some numbers.
pub trait Extremes: Iterator<Item = f64> + Sized {
    /// The least one; infinite where there is none.
    fn least(self) -> f64 {
        self.fold(f64::INFINITY, f64::min)
    }

    /// The greatest one.
    fn most(self) -> f64 {
        self.fold(f64::NEG_INFINITY, f64::max)
    }
}

impl<I: Iterator<Item = f64>> Extremes for I {}

/// A vector of the simulation, in f64.
pub fn wide(v: [f32; 3]) -> V {
    v.map(f64::from)
}
