//! Values that go into a call and come out of it.

use super::layout::{Shape, Types};
use glam::{Vec2, Vec3, Vec4};
use naga::ScalarKind;

/// A value of a WGSL type.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `bool`
    Bool(bool),
    /// `i32`
    I32(i32),
    /// `u32`
    U32(u32),
    /// `f32`
    F32(f32),
    /// `vec2f`
    Vec2(Vec2),
    /// `vec3f`
    Vec3(Vec3),
    /// `vec4f`
    Vec4(Vec4),
    /// Vectors of integers or bools by components, matrices by columns, arrays by elements, structs by members; empty for
    /// the result of a function that returns nothing.
    Composite(Vec<Value>),
    /// Anything that can lie in a buffer, as the words that it has there. Arguments may have this form; results never do.
    Words(Vec<u32>),
}

macro_rules! from {
    ($($ty:ty => $variant:ident),*) => {
        $(impl From<$ty> for Value {
            fn from(value: $ty) -> Self {
                Value::$variant(value)
            }
        })*
    };
}
from!(bool => Bool, i32 => I32, u32 => U32, f32 => F32, Vec2 => Vec2, Vec3 => Vec3, Vec4 => Vec4, Vec<Value> => Composite);

impl<const N: usize> From<[u32; N]> for Value {
    fn from(components: [u32; N]) -> Self {
        Value::Composite(components.map(Value::U32).to_vec())
    }
}

impl Value {
    /// The bits of all scalars, in order, without padding. Bools are 0 or 1.
    pub fn bits(&self) -> Vec<u32> {
        match self {
            Value::Bool(value) => vec![u32::from(*value)],
            Value::I32(value) => vec![value.cast_unsigned()],
            Value::U32(value) => vec![*value],
            Value::F32(value) => vec![value.to_bits()],
            Value::Vec2(value) => value.to_array().map(f32::to_bits).to_vec(),
            Value::Vec3(value) => value.to_array().map(f32::to_bits).to_vec(),
            Value::Vec4(value) => value.to_array().map(f32::to_bits).to_vec(),
            Value::Composite(values) => values.iter().flat_map(Value::bits).collect(),
            Value::Words(words) => words.clone(),
        }
    }

    /// Is it a vector of `size` floats?
    fn is_vector(&self, size: u32) -> bool {
        matches!((self, size), (Value::Vec2(_), 2) | (Value::Vec3(_), 3) | (Value::Vec4(_), 4))
    }

    /// The vector, if it is a `vec3f`.
    pub fn as_vec3(&self) -> Option<Vec3> {
        match self {
            Value::Vec3(value) => Some(*value),
            _ => None,
        }
    }
}

impl Types {
    /// Write a value as the words of its type; `None` if it is no value of that type.
    pub(super) fn encode(&self, ty: usize, value: &Value, words: &mut [u32]) -> Option<()> {
        let layout = &self.layouts[ty];
        if let Value::Words(given) = value {
            let fits = layout.shareable && layout.words as usize == given.len();
            return fits.then(|| words.copy_from_slice(given));
        }
        match (&layout.shape, value) {
            (Shape::Scalar(kind), _) => words[0] = scalar(*kind, value)?,
            (Shape::Vector { kind: ScalarKind::Float, size }, vector) if vector.is_vector(*size) => {
                words.copy_from_slice(&vector.bits());
            }
            (Shape::Vector { kind, size }, Value::Composite(values)) if values.len() == *size as usize => {
                for (word, value) in words.iter_mut().zip(values) {
                    *word = scalar(*kind, value)?;
                }
            }
            (Shape::Matrix { columns, rows }, Value::Composite(values)) if values.len() == *columns as usize => {
                let stride = words.len() / values.len();
                for (column, value) in words.chunks_exact_mut(stride).zip(values) {
                    let is_column = value.is_vector(*rows);
                    is_column.then(|| column[..*rows as usize].copy_from_slice(&value.bits()))?;
                }
            }
            (Shape::Array { element, count: Some(count), stride }, Value::Composite(values))
                if values.len() == *count as usize =>
            {
                let size = self.layouts[*element].words as usize;
                for (element_words, value) in words.chunks_exact_mut((*stride as usize).max(1)).zip(values) {
                    self.encode(*element, value, &mut element_words[..size])?;
                }
            }
            (Shape::Struct(members), Value::Composite(values)) if values.len() == members.len() => {
                for ((offset, member), value) in members.iter().zip(values) {
                    let size = self.layouts[*member].words as usize;
                    self.encode(*member, value, &mut words[*offset as usize..][..size])?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Read a value from the words of its type.
    pub(super) fn decode(&self, ty: usize, words: &[u32]) -> Value {
        let vector = |words: &[u32]| -> Value {
            let at = |k: usize| f32::from_bits(words[k]);
            match words.len() {
                2 => Vec2::new(at(0), at(1)).into(),
                3 => Vec3::new(at(0), at(1), at(2)).into(),
                _ => Vec4::new(at(0), at(1), at(2), at(3)).into(),
            }
        };
        let layout = &self.layouts[ty];
        match &layout.shape {
            Shape::Scalar(kind) => plain(*kind, words[0]),
            Shape::Vector { kind: ScalarKind::Float, .. } => vector(words),
            Shape::Vector { kind, .. } => Value::Composite(words.iter().map(|word| plain(*kind, *word)).collect()),
            Shape::Matrix { columns: count, rows } => {
                let stride = words.len() / *count as usize;
                Value::Composite(words.chunks_exact(stride).map(|column| vector(&column[..*rows as usize])).collect())
            }
            Shape::Array { element, stride, .. } => {
                let size = self.layouts[*element].words as usize;
                let elements = words.chunks_exact((*stride as usize).max(1));
                Value::Composite(elements.map(|words| self.decode(*element, &words[..size])).collect())
            }
            Shape::Struct(members) => {
                let member = |(offset, ty): &(u32, usize)| {
                    self.decode(*ty, &words[*offset as usize..][..self.layouts[*ty].words as usize])
                };
                Value::Composite(members.iter().map(member).collect())
            }
            Shape::Pointer { .. } | Shape::Opaque => Value::Composite(Vec::new()),
        }
    }
}

fn scalar(kind: ScalarKind, value: &Value) -> Option<u32> {
    match (kind, value) {
        (ScalarKind::Bool, Value::Bool(value)) => Some(u32::from(*value)),
        (ScalarKind::Sint, Value::I32(value)) => Some(value.cast_unsigned()),
        (ScalarKind::Uint, Value::U32(value)) => Some(*value),
        (ScalarKind::Float, Value::F32(value)) => Some(value.to_bits()),
        _ => None,
    }
}

fn plain(kind: ScalarKind, word: u32) -> Value {
    match kind {
        ScalarKind::Bool => Value::Bool(word != 0),
        ScalarKind::Sint => Value::I32(word.cast_signed()),
        ScalarKind::Uint => Value::U32(word),
        _ => Value::F32(f32::from_bits(word)),
    }
}
