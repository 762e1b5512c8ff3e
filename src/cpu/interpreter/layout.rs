//! How values lie in memory: as words of 32 bits, at the offsets that WGSL gives them in a buffer.
//!
//! So a struct is read from a buffer by copying its words. What contains a `bool` cannot lie in a buffer; it has a word
//! for each scalar, one after another.

use super::fault::ProgramError;
use naga::{Handle, Module, ScalarKind, Type, TypeInner, proc::TypeResolution};
use std::borrow::Cow;

/// The deepest nesting of types that is accepted. WGSL guarantees 15.
const DEEPEST: u32 = 32;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Scalar(ScalarKind),
    Vector {
        kind: ScalarKind,
        size: u32,
    },
    Matrix {
        columns: u32,
        rows: u32,
    },
    Array {
        element: usize,
        /// `None` for an array that is as long as its buffer.
        count: Option<u32>,
        stride: u32,
    },
    /// Offset and type of each member.
    Struct(Vec<(u32, usize)>),
    /// Two words: the space (0 for the stack, else 1 + the buffer), and the word in it.
    Pointer {
        to: Option<usize>,
    },
    /// Textures, scalars of other sizes, and so on.
    Opaque,
}

#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub shape: Shape,
    /// Size in words; 0 for a type without a fixed size.
    pub words: u32,
    /// Can it lie in a buffer?
    pub shareable: bool,
    depth: u32,
    pub name: Option<String>,
}

impl Layout {
    fn leaf(shape: Shape, words: u32) -> Self {
        let is_bool = matches!(shape, Shape::Scalar(ScalarKind::Bool) | Shape::Vector { kind: ScalarKind::Bool, .. });
        let shareable = !is_bool && !matches!(shape, Shape::Pointer { .. } | Shape::Opaque);
        Layout { shape, words, shareable, depth: 1, name: None }
    }

    /// What an index selects: the number of elements, the words from one to the next, and the words of each. The number is
    /// `None` for an array that is as long as its buffer.
    pub fn indexed(&self, types: &Types) -> Option<(Option<u32>, u32, u32)> {
        match self.shape {
            Shape::Vector { size, .. } => Some((Some(size), 1, 1)),
            Shape::Matrix { columns, rows } => Some((Some(columns), column_stride(rows), rows)),
            Shape::Array { element, count, stride } => Some((count, stride, types.layouts[element].words)),
            _ => None,
        }
    }

    /// Offset and words of a member, component, column or element.
    pub fn member(&self, index: u32, types: &Types) -> Option<(u32, u32)> {
        if let Shape::Struct(members) = &self.shape {
            let (offset, ty) = *members.get(index as usize)?;
            return Some((offset, types.layouts[ty].words));
        }
        let (count, stride, words) = self.indexed(types)?;
        (count.is_none_or(|count| index < count)).then_some((index.saturating_mul(stride), words))
    }
}

/// Words from one column of a matrix to the next.
fn column_stride(rows: u32) -> u32 {
    if rows == 2 { 2 } else { 4 }
}

/// The layouts of all types of a module.
#[derive(Debug)]
pub(super) struct Types {
    pub layouts: Vec<Layout>,
}

impl Types {
    pub fn new(module: &Module) -> Result<Self, ProgramError> {
        let mut types = Types { layouts: Vec::new() };
        for (_, ty) in module.types.iter() {
            let mut layout = types.inner(&ty.inner).into_owned();
            layout.name.clone_from(&ty.name);
            if layout.depth > DEEPEST {
                let name = ty.name.clone().unwrap_or_else(|| "array".to_owned());
                return Err(ProgramError::TypeTooDeep { name, most: DEEPEST });
            }
            types.layouts.push(layout);
        }
        Ok(types)
    }

    pub fn of(&self, ty: &TypeResolution) -> Cow<'_, Layout> {
        match ty {
            TypeResolution::Handle(handle) => Cow::Borrowed(self.at(*handle)),
            TypeResolution::Value(inner) => self.inner(inner),
        }
    }

    pub fn at(&self, ty: Handle<Type>) -> &Layout {
        &self.layouts[ty.index()]
    }

    /// The layout of what a pointer points to; `None` if the type is no pointer.
    pub fn pointee(&self, ty: &TypeResolution) -> Option<Cow<'_, Layout>> {
        let inner = match ty {
            TypeResolution::Handle(handle) => match self.at(*handle).shape {
                Shape::Pointer { to: Some(to) } => return Some(Cow::Borrowed(&self.layouts[to])),
                _ => return None,
            },
            TypeResolution::Value(inner) => inner,
        };
        match *inner {
            TypeInner::Pointer { base, .. } => Some(Cow::Borrowed(self.at(base))),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                Some(self.inner(&TypeInner::Vector { size, scalar }))
            }
            TypeInner::ValuePointer { size: None, scalar, .. } => Some(self.inner(&TypeInner::Scalar(scalar))),
            _ => None,
        }
    }

    fn inner(&self, inner: &TypeInner) -> Cow<'_, Layout> {
        let fits = |scalar: &naga::Scalar| scalar.width == 4 || scalar.kind == ScalarKind::Bool;
        Cow::Owned(match inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) if fits(scalar) => {
                Layout::leaf(Shape::Scalar(scalar.kind), 1)
            }
            TypeInner::Vector { size, scalar } if fits(scalar) => {
                Layout::leaf(Shape::Vector { kind: scalar.kind, size: *size as u32 }, *size as u32)
            }
            TypeInner::Matrix { columns, rows, scalar } if fits(scalar) => {
                let (columns, rows) = (*columns as u32, *rows as u32);
                Layout::leaf(Shape::Matrix { columns, rows }, columns * column_stride(rows))
            }
            TypeInner::Array { base, size, stride } => {
                let element = self.at(*base);
                let stride = if element.shareable { stride / 4 } else { element.words };
                let count = match size {
                    naga::ArraySize::Constant(count) => Some(count.get()),
                    _ => None,
                };
                let shape = match size {
                    // An array whose length is an override can only be a workgroup variable.
                    naga::ArraySize::Pending(_) => Shape::Opaque,
                    _ => Shape::Array { element: base.index(), count, stride },
                };
                let words = count.unwrap_or(0).saturating_mul(stride);
                Layout { shape, words, shareable: element.shareable, depth: element.depth + 1, name: None }
            }
            TypeInner::Struct { members, span } => {
                let shareable = members.iter().all(|member| self.at(member.ty).shareable);
                let depth = members.iter().map(|member| self.at(member.ty).depth).max().unwrap_or(0) + 1;
                let mut end = 0u32;
                let mut place = |member: &naga::StructMember| {
                    let offset = if shareable { member.offset / 4 } else { end };
                    end = end.saturating_add(self.at(member.ty).words);
                    (offset, member.ty.index())
                };
                let shape = Shape::Struct(members.iter().map(&mut place).collect());
                Layout { shape, words: if shareable { span / 4 } else { end }, shareable, depth, name: None }
            }
            TypeInner::Pointer { base, .. } => Layout::leaf(Shape::Pointer { to: Some(base.index()) }, 2),
            TypeInner::ValuePointer { .. } => Layout::leaf(Shape::Pointer { to: None }, 2),
            _ => Layout::leaf(Shape::Opaque, 0),
        })
    }

    /// A type as WGSL writes it.
    pub fn describe(&self, ty: usize) -> String {
        let layout = &self.layouts[ty];
        if let Some(name) = &layout.name {
            return name.clone();
        }
        let scalar = |kind: ScalarKind| match kind {
            ScalarKind::Bool => "bool",
            ScalarKind::Sint => "i32",
            ScalarKind::Uint => "u32",
            _ => "f32",
        };
        match &layout.shape {
            Shape::Scalar(kind) => scalar(*kind).to_owned(),
            Shape::Vector { kind, size } => format!("vec{size}<{}>", scalar(*kind)),
            Shape::Matrix { columns, rows } => format!("mat{columns}x{rows}<f32>"),
            Shape::Array { element, count: Some(count), .. } => format!("array<{}, {count}>", self.describe(*element)),
            Shape::Array { element, count: None, .. } => format!("array<{}>", self.describe(*element)),
            Shape::Pointer { to: Some(to) } => format!("pointer to {}", self.describe(*to)),
            Shape::Struct(_) | Shape::Pointer { to: None } | Shape::Opaque => "value".to_owned(),
        }
    }
}
