//! From naga's expressions to operations on words.
//!
//! naga keeps expressions in an arena, each after its operands, so they are compiled one by one and nothing
//! recurses. Every expression has words of its own in the frame, written where naga says that it is evaluated. What is
//! constant is evaluated here.

use super::MOST_WORDS;
use super::arithmetic::{self, Function};
use super::fault::Unsupported;
use super::layout::{Shape, Types};
use super::op::{Base, Constants, Item, Length, Op, Place, Source, apply};
use crate::model::texels::TEXELS_PER_ROW;
use naga::proc::TypeResolution;
use naga::{Arena, Expression, Handle, Literal, Module, ScalarKind, Span};

/// The expressions that a compiler goes through.
#[derive(Clone, Copy)]
pub(super) enum Scope<'a> {
    /// Expressions of a function.
    Function(&'a Constants),
    /// Constants of the module, with the words given for overrides.
    Module(&'a [Option<u32>]),
}

/// The state of compiling one function, or the constants of a module.
pub(super) struct Compiler<'a> {
    pub module: &'a Module,
    pub types: &'a Types,
    pub scope: Scope<'a>,
    pub expressions: &'a Arena<Expression>,
    pub type_of: &'a dyn Fn(Handle<Expression>) -> &'a TypeResolution,
    /// What each expression is compiled to, by its index; `None` while it is not compiled.
    pub items: Vec<Option<Item>>,
    pub ops: Vec<Op>,
    pub spans: Vec<(u32, u32)>,
    pub at: (u32, u32),
    pub template: Vec<u32>,
    pub frame: u32,
    /// Words of the frame, from its start, that never change.
    pub constant_words: u32,
    /// True if the frame is larger than it may be; then the compiled code is not used.
    pub too_large: bool,
}

pub(super) fn bytes(span: Span) -> (u32, u32) {
    span.to_range().map_or((0, 0), |range| (range.start as u32, range.end as u32))
}

impl<'a> Compiler<'a> {
    pub fn new(
        module: &'a Module,
        types: &'a Types,
        scope: Scope<'a>,
        expressions: &'a Arena<Expression>,
        type_of: &'a dyn Fn(Handle<Expression>) -> &'a TypeResolution,
    ) -> Self {
        Compiler {
            module,
            types,
            scope,
            expressions,
            type_of,
            items: vec![None; expressions.len()],
            ops: Vec::new(),
            spans: Vec::new(),
            at: (0, 0),
            template: Vec::new(),
            frame: 0,
            constant_words: 0,
            too_large: false,
        }
    }

    pub fn emit(&mut self, op: Op) {
        self.ops.push(op);
        self.spans.push(self.at);
    }

    pub fn trap(&mut self, unsupported: Unsupported) {
        self.emit(Op::Trap(Box::new(unsupported.into())));
    }

    /// Reserve words of the frame for one more value. Returns the first of them.
    pub fn reserve(&mut self, words: u32) -> u32 {
        let slot = self.frame;
        let end = slot.saturating_add(words);
        if end as usize > MOST_WORDS {
            self.too_large = true;
            return 0;
        }
        self.frame = end;
        slot
    }

    /// Add words to the template, so that they have this value at the start of every call. Returns the first of them.
    fn keep(&mut self, words: impl ExactSizeIterator<Item = u32>) -> u32 {
        let slot = self.reserve(words.len() as u32);
        if !self.too_large {
            self.template.extend(words);
        }
        slot
    }

    pub fn keep_zeros(&mut self, words: u32) -> u32 {
        self.keep((0..words as usize).map(|_| 0))
    }

    /// Evaluate all expressions that are constant. The frame must hold nothing else yet.
    pub fn fold_constants(&mut self) {
        for (handle, expression) in self.expressions.iter() {
            if !self.is_constant(expression) {
                continue;
            }
            let item = self.expression(handle);
            let ops = std::mem::take(&mut self.ops);
            self.spans.clear();
            if self.too_large {
                return;
            }
            self.template.resize(self.frame as usize, 0);
            if ops.iter().all(|op| apply(op, &mut self.template, 0)) {
                self.items[handle.index()] = item.ok();
            }
        }
        self.constant_words = self.frame;
    }

    fn is_constant(&self, expression: &Expression) -> bool {
        use Expression as E;
        let is = |handle: &Handle<Expression>| matches!(self.items[handle.index()], Some(Item::Value(_)));
        match expression {
            E::Literal(_) | E::Constant(_) | E::Override(_) | E::ZeroValue(_) => true,
            E::Compose { components, .. } => components.iter().all(is),
            E::Access { base, index } => is(base) && is(index),
            E::AccessIndex { base, .. } => is(base),
            E::Splat { value: one, .. }
            | E::Swizzle { vector: one, .. }
            | E::Unary { expr: one, .. }
            | E::Relational { argument: one, .. }
            | E::As { expr: one, .. } => is(one),
            E::Binary { left, right, .. } => is(left) && is(right),
            E::Select { condition, accept, reject } => is(condition) && is(accept) && is(reject),
            E::Math { arg, arg1, arg2, arg3, .. } => is(arg) && [arg1, arg2, arg3].into_iter().flatten().all(is),
            _ => false,
        }
    }

    /// The value of an expression of one word, if it is constant.
    pub fn known(&self, handle: Handle<Expression>) -> Option<u32> {
        match self.items[handle.index()] {
            Some(Item::Value(slot)) if slot < self.constant_words => self.template.get(slot as usize).copied(),
            _ => None,
        }
    }

    /// Number of words of the value of an expression.
    pub fn words(&self, handle: Handle<Expression>) -> u32 {
        self.types.of((self.type_of)(handle)).words
    }

    pub fn item(&self, handle: Handle<Expression>) -> Result<Item, Unsupported> {
        match &self.items[handle.index()] {
            Some(Item::Unsupported(unsupported)) => Err(unsupported.clone()),
            Some(item) => Ok(item.clone()),
            None => Err(Unsupported::new("an expression", "it comes from something that cannot be executed")),
        }
    }

    pub fn value(&self, handle: Handle<Expression>) -> Result<u32, Unsupported> {
        match self.item(handle)? {
            Item::Value(slot) => Ok(slot),
            _ => Err(Unsupported::new("a pointer", "it is used as a value")),
        }
    }

    pub fn place(&self, handle: Handle<Expression>) -> Result<Place, Unsupported> {
        match self.item(handle)? {
            Item::Place(place) => Ok(place),
            _ => Err(Unsupported::new("a value", "it is used as a pointer")),
        }
    }

    /// Kind of the scalars of an expression, and the number of its components.
    fn numeric(&self, handle: Handle<Expression>) -> Result<(ScalarKind, u32), Unsupported> {
        let layout = self.types.of((self.type_of)(handle));
        match layout.shape {
            Shape::Scalar(kind) => Ok((kind, 1)),
            Shape::Vector { kind, size } => Ok((kind, size)),
            // The words of a matrix count as components: column by column, with the padding.
            Shape::Matrix { .. } => Ok((ScalarKind::Float, layout.words)),
            _ => Err(Unsupported::new("an operand", "it is no number of 32 bits")),
        }
    }

    fn source(&self, handle: Handle<Expression>) -> Result<Source, Unsupported> {
        let (_, n) = self.numeric(handle)?;
        Ok(Source { slot: self.value(handle)?, step: u32::from(n > 1) })
    }

    /// Compute `words` words, each as the function `f` of one component of each operand.
    fn map(&mut self, f: Function, operands: &[Handle<Expression>], words: u32) -> Result<Item, Unsupported> {
        let mut from = [Source::default(); 3];
        for (source, operand) in from.iter_mut().zip(operands) {
            *source = self.source(*operand)?;
        }
        let to = self.reserve(words);
        self.emit(Op::Map { f, to, from, words });
        Ok(Item::Value(to))
    }

    /// Compile one expression at the place where it is evaluated. The caller keeps the result in `items`.
    pub fn expression(&mut self, handle: Handle<Expression>) -> Result<Item, Unsupported> {
        use Expression as E;
        let ty = (self.type_of)(handle);
        let words = self.types.of(ty).words;
        let expressions = self.expressions;
        match expressions[handle] {
            E::Literal(literal) => {
                let word = match literal {
                    Literal::F32(value) => value.to_bits(),
                    Literal::U32(value) => value,
                    Literal::I32(value) => value.cast_unsigned(),
                    Literal::Bool(value) => u32::from(value),
                    _ => return Err(Unsupported::new("a number", "it does not have 32 bits")),
                };
                Ok(Item::Value(self.keep([word].into_iter())))
            }
            E::Constant(constant) => match self.scope {
                Scope::Function(all) => self.copy_constant(all, &all.constants[constant.index()], words),
                Scope::Module(_) => self.item(self.module.constants[constant].init),
            },
            E::Override(value) => match self.scope {
                Scope::Function(all) => self.copy_constant(all, &all.overrides[value.index()], words),
                Scope::Module(given) => match (given[value.index()], self.module.overrides[value].init) {
                    (Some(word), _) => Ok(Item::Value(self.keep([word].into_iter()))),
                    (None, Some(init)) => self.item(init),
                    (None, None) => Err(Unsupported::new("an override", "it has no value")),
                },
            },
            E::ZeroValue(_) => Ok(Item::Value(self.keep_zeros(words))),
            E::Compose { ref components, .. } => {
                let to = self.reserve(words);
                let layout = self.types.of(ty);
                let mut end = 0;
                for (index, component) in (0..).zip(components) {
                    let (from, words) = (self.value(*component)?, self.words(*component));
                    // The components of a vector may be vectors.
                    let offset = match layout.shape {
                        Shape::Vector { .. } => end,
                        _ => layout.member(index, self.types).map_or(end, |(offset, _)| offset),
                    };
                    end = offset.saturating_add(words);
                    self.emit(Op::Move { to: to + offset, from, words });
                }
                Ok(Item::Value(to))
            }
            E::Access { base, index } => self.access(base, index),
            E::AccessIndex { base, index } => {
                let pointer = self.types.pointee((self.type_of)(base));
                let layout = pointer.unwrap_or_else(|| self.types.of((self.type_of)(base)));
                let (offset, _) = layout.member(index, self.types).ok_or_else(no_member)?;
                Ok(match self.item(base)? {
                    Item::Place(place) => Item::Place(Place { offset: place.offset.saturating_add(offset), ..place }),
                    Item::Value(slot) => Item::Value(slot.saturating_add(offset)),
                    bad @ Item::Unsupported(_) => bad,
                })
            }
            E::Splat { value, .. } => self.map(Function::One(arithmetic::same), &[value], words),
            E::Swizzle { vector, pattern, .. } => {
                let (from, to) = (self.value(vector)?, self.reserve(words));
                for (k, component) in (0..words).zip(pattern) {
                    self.emit(Op::Move { to: to + k, from: from + component as u32, words: 1 });
                }
                Ok(Item::Value(to))
            }
            E::Load { pointer } => {
                let place = self.place(pointer)?;
                let to = self.reserve(words);
                match place.base {
                    Base::Frame => self.emit(Op::Move { to, from: place.offset, words }),
                    _ => self.emit(Op::Load { to, place, words }),
                }
                Ok(Item::Value(to))
            }
            E::Unary { op, expr } => {
                let (kind, _) = self.numeric(expr)?;
                self.map(Function::One(arithmetic::unary(op, kind)), &[expr], words)
            }
            E::Binary { op, left, right } => {
                let (kind, n) = self.numeric(left)?;
                let (_, m) = self.numeric(right)?;
                let matrix = |handle| matches!(self.types.of((self.type_of)(handle)).shape, Shape::Matrix { .. });
                if op == naga::BinaryOperator::Multiply && n > 1 && m > 1 && (matrix(left) || matrix(right)) {
                    return Err(Unsupported::new("a product with a matrix", "the order of its sums is the driver's"));
                }
                self.map(Function::Two(arithmetic::binary(op, kind)?), &[left, right], words)
            }
            E::Select { condition, accept, reject } => {
                self.map(Function::Three(arithmetic::select), &[reject, accept, condition], words)
            }
            E::Relational { fun, argument } => {
                let f = arithmetic::relational(fun)?;
                let (_, n) = self.numeric(argument)?;
                let (from, to) = (self.value(argument)?, self.reserve(words));
                self.emit(Op::Move { to, from, words: 1 });
                for k in 1..n {
                    let from = [to, from + k, 0].map(|slot| Source { slot, step: 0 });
                    self.emit(Op::Map { f: Function::Two(f), to, from, words: 1 });
                }
                Ok(Item::Value(to))
            }
            E::Math { fun, arg, arg1, arg2, .. } => {
                let (kind, _) = self.numeric(arg)?;
                let operands: Vec<_> = [Some(arg), arg1, arg2].into_iter().flatten().collect();
                self.map(arithmetic::math(fun, kind)?, &operands, words)
            }
            E::As { expr, kind, convert } => {
                let (from, n) = self.numeric(expr)?;
                let narrow = convert.is_some_and(|width| width != 4 && kind != ScalarKind::Bool);
                if narrow || self.numeric(handle)?.1 != n {
                    return Err(Unsupported::new("a conversion", "only numbers of 32 bits are known"));
                }
                self.map(Function::One(arithmetic::convert(from, kind, convert.is_none())), &[expr], words)
            }
            E::ArrayLength(pointer) => {
                let layout = self.types.pointee((self.type_of)(pointer)).ok_or_else(no_member)?;
                let (_, stride, _) = layout.indexed(self.types).ok_or_else(no_member)?;
                let (place, to) = (self.place(pointer)?, self.reserve(1));
                self.emit(Op::Count { to, place, stride });
                Ok(Item::Value(to))
            }
            // A texture is bound as words, its rows one after another.
            E::ImageLoad { image, coordinate, array_index: None, sample: None, .. } => {
                let (place, at) = (self.place(image)?, self.value(coordinate)?);
                let (index, pointer, to) = (self.reserve(1), self.reserve(2), self.reserve(words));
                let f = Function::Two(|column, row| row.wrapping_mul(TEXELS_PER_ROW).wrapping_add(column));
                let from = [at, at + 1, 0].map(|slot| Source { slot, step: 0 });
                self.emit(Op::Map { f, to: index, from, words: 1 });
                self.emit(Op::Index { to: pointer, place, index, length: Length::OfBuffer, stride: 4 });
                self.emit(Op::Load { to, place: Place { base: Base::Pointer(pointer), offset: 0 }, words });
                Ok(Item::Value(to))
            }
            E::ImageSample { .. } | E::ImageLoad { .. } | E::ImageQuery { .. } => {
                Err(Unsupported::new("a texture", "only buffers are bound"))
            }
            E::Derivative { .. } => Err(Unsupported::new("a derivative", "it needs other invocations")),
            _ => Err(Unsupported::new("an expression", "it has no meaning for one invocation")),
        }
    }

    fn copy_constant(&mut self, all: &Constants, constant: &Item, words: u32) -> Result<Item, Unsupported> {
        match constant {
            Item::Value(slot) => {
                let from = &all.words[*slot as usize..][..words as usize];
                Ok(Item::Value(self.keep(from.iter().copied())))
            }
            Item::Unsupported(unsupported) => Err(unsupported.clone()),
            Item::Place(_) => Err(Unsupported::new("a constant", "it is a pointer")),
        }
    }

    /// An element at a computed index: its value if the base is a value, a pointer to it if the base is a pointer. The index is clamped.
    fn access(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Result<Item, Unsupported> {
        let pointer = self.types.pointee((self.type_of)(base));
        let layout = pointer.unwrap_or_else(|| self.types.of((self.type_of)(base)));
        let (count, stride, words) = layout.indexed(self.types).ok_or_else(no_member)?;
        let known = self.known(index).zip(count).map(|(index, count)| index.min(count - 1) * stride);
        let index = self.value(index)?;
        Ok(match (self.item(base)?, known, count) {
            (Item::Value(slot), Some(offset), _) => Item::Value(slot.saturating_add(offset)),
            (Item::Value(from), None, Some(count)) => {
                let to = self.reserve(words);
                self.emit(Op::Pick { to, from, index, last: count - 1, stride, words });
                Item::Value(to)
            }
            (Item::Place(place), Some(offset), _) => {
                Item::Place(Place { offset: place.offset.saturating_add(offset), ..place })
            }
            (Item::Place(place), None, count) => {
                let to = self.reserve(2);
                let length = count.map_or(Length::OfBuffer, Length::Known);
                self.emit(Op::Index { to, place, index, length, stride });
                Item::Place(Place { base: Base::Pointer(to), offset: 0 })
            }
            (Item::Value(_), None, None) | (Item::Unsupported(_), ..) => return Err(no_member()),
        })
    }
}

fn no_member() -> Unsupported {
    Unsupported::new("an access", "only vectors, matrices, arrays and structs of 32-bit numbers have members")
}
