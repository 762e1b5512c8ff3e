//! What a function is compiled to: a list of operations on the words of a frame.
//!
//! A frame holds, one after another: the constants of the function, its variables, its arguments, and a place for the
//! value of every expression. Words are counted from the start of the frame.

use super::MOST_WORDS;
use super::arithmetic::Function;
use super::fault::{Fault, FaultKind, Unsupported};

/// An operand of an operation on components: component k is at slot + k · step. The step is 0 if one scalar serves all components.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Source {
    pub slot: u32,
    pub step: u32,
}

/// Where a pointer points: `offset` words after a base.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub base: Base,
    pub offset: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Base {
    /// This frame.
    Frame,
    /// The stack, which begins with the private variables.
    Stack,
    /// A buffer.
    Buffer(u32),
    /// What the pointer in this slot points to. It has two words: 0 for the stack or 1 + a buffer, and the word in it.
    Pointer(u32),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Length {
    Known(u32),
    /// As many elements as the rest of the buffer holds.
    OfBuffer,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Argument {
    Value { slot: u32, words: u32 },
    Pointer(Place),
}

#[derive(Debug)]
pub(super) enum Op {
    /// Each word of the result is a function of a word of each operand.
    Map { f: Function, to: u32, from: [Source; 3], words: u32 },
    /// Copy words within the frame.
    Move { to: u32, from: u32, words: u32 },
    /// Copy the element at an index out of a value.
    Pick { to: u32, from: u32, index: u32, last: u32, stride: u32, words: u32 },
    /// Make a pointer to the element at an index.
    Index { to: u32, place: Place, index: u32, length: Length, stride: u32 },
    /// Count the elements of this stride that the rest of a buffer holds.
    Count { to: u32, place: Place, stride: u32 },
    /// Read words where a pointer points.
    Load { to: u32, place: Place, words: u32 },
    /// Write words where a pointer points.
    Store { place: Place, from: u32, words: u32 },
    /// Go on at another operation.
    Jump { target: u32 },
    /// Go on at another operation if the condition is false.
    JumpUnless { condition: u32, target: u32 },
    /// Go on at the operation that belongs to the selector's value.
    Switch { selector: u32, cases: Box<[(u32, u32)]>, default: u32 },
    /// Call a function.
    Call { function: u32, arguments: Box<[Argument]>, to: u32 },
    /// End the function with this value.
    Return { from: u32, words: u32 },
    /// Stop with a fault.
    Trap(Box<FaultKind>),
}

/// What an expression is compiled to.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// A value that begins at this word of the frame.
    Value(u32),
    /// A pointer.
    Place(Place),
    /// Something that cannot be executed, an error where it is used.
    Unsupported(Unsupported),
}

/// The values of constants and overrides: words, and where each begins.
#[derive(Debug, Default)]
pub(super) struct Constants {
    pub words: Vec<u32>,
    pub constants: Vec<Item>,
    pub overrides: Vec<Item>,
}

/// A compiled function.
#[derive(Debug)]
pub(super) struct Code {
    pub name: String,
    /// Types of the arguments; for a pointer, the type that it points to.
    pub arguments: Vec<Parameter>,
    pub result: Option<usize>,
    pub ops: Vec<Op>,
    /// For each operation its range of bytes in the source text; empty if that is not known.
    pub spans: Vec<(u32, u32)>,
    /// How a frame begins: constants and variables.
    pub template: Vec<u32>,
    /// Words of a frame.
    pub frame: u32,
}

impl Code {
    pub fn fault(&self, (start, end): (u32, u32), kind: FaultKind) -> Fault {
        let at = (start < end).then_some(start as usize..end as usize);
        Fault { function: self.name.clone(), at, kind }
    }

    /// Replace the code by a fault: the function needs more memory than there is.
    pub fn refuse(&mut self) {
        self.ops = vec![Op::Trap(Box::new(FaultKind::Memory { most: MOST_WORDS }))];
        self.spans = vec![(0, 0)];
        self.template = Vec::new();
        self.frame = u32::MAX;
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter {
    pub ty: usize,
    pub pointer: bool,
    pub words: u32,
}

/// Execute an operation that only reads and writes the frame; these also evaluate constants. Returns false for any other operation,
/// and does nothing.
#[inline(always)]
pub(super) fn apply(op: &Op, stack: &mut [u32], base: usize) -> bool {
    let at = |slot: u32| base + slot as usize;
    match *op {
        Op::Map { f, to, from: [a, b, c], words } => {
            for k in 0..words {
                let word = |source: Source| stack[at(source.slot + k * source.step)];
                stack[at(to + k)] = match f {
                    Function::One(f) => f(word(a)),
                    Function::Two(f) => f(word(a), word(b)),
                    Function::Three(f) => f(word(a), word(b), word(c)),
                };
            }
        }
        Op::Move { to, from, words } => stack.copy_within(at(from)..at(from + words), at(to)),
        Op::Pick { to, from, index, last, stride, words } => {
            let from = from + stack[at(index)].min(last) * stride;
            stack.copy_within(at(from)..at(from + words), at(to));
        }
        _ => return false,
    }
    true
}
