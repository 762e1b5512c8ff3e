//! Why a call has no result.

use std::ops::Range;
use thiserror::Error;

/// Why a call has no result, and where in the source text.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("`{function}`: {kind}")]
pub struct Fault {
    /// The function that was executed, or that was asked for.
    pub function: String,
    /// Where in the module's text, in bytes, if that is known.
    pub at: Option<Range<usize>>,
    /// What is wrong.
    pub kind: FaultKind,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FaultKind {
    /// The module has no such function.
    #[error("there is no such function")]
    NoFunction,
    /// The call has another number of arguments than the function.
    #[error("it takes {expected} arguments, not {found}")]
    ArgumentCount {
        /// What the function takes.
        expected: usize,
        /// What it was given.
        found: usize,
    },
    /// A value is not one of the type that is expected.
    #[error("argument {index} is no {expected}")]
    ArgumentType {
        /// The number of the argument, from 1.
        index: usize,
        /// The type, as WGSL writes it.
        expected: String,
    },
    /// The function takes longer than the budget.
    #[error("it is not done after {operations} operations; is there an endless loop?")]
    Budget {
        /// The budget.
        operations: u64,
    },
    /// Its variables and values take more memory than the interpreter gives.
    #[error("it needs more than {most} words of memory")]
    Memory {
        /// The most words, for all functions on the stack together.
        most: usize,
    },
    /// A buffer is used that the caller did not bind.
    #[error("nothing is bound to the buffer `{name}`")]
    NoBuffer {
        /// Name of the variable.
        name: String,
    },
    /// Something is read beyond the end of a buffer.
    #[error("the buffer `{name}` has {words} words, and word {index} is read")]
    BufferTooShort {
        /// Name of the variable.
        name: String,
        /// How many words it has.
        words: usize,
        /// The last word that is read.
        index: usize,
    },
    /// Something whose result is not defined to the bit, or that one invocation alone cannot compute.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

/// Something that the interpreter does not execute.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{what} cannot be executed here: {instead}")]
pub struct Unsupported {
    /// The builtin, operator or statement.
    pub what: String,
    /// Why, or what to use instead.
    pub instead: &'static str,
}

impl Unsupported {
    pub(super) fn new(what: impl Into<String>, instead: &'static str) -> Self {
        Unsupported { what: what.into(), instead }
    }
}

/// Why a module cannot be executed at all.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProgramError {
    /// A value for an override that the module does not have.
    #[error("there is no override `{name}`")]
    NoOverride {
        /// Its name.
        name: String,
    },
    /// An override has no value, or one that its type cannot hold.
    #[error("override `{name}`: {reason}")]
    Override {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// Types are nested more deeply than WGSL promises.
    #[error("the type `{name}` is nested more than {most} deep")]
    TypeTooDeep {
        /// The type.
        name: String,
        /// The deepest nesting that is allowed.
        most: u32,
    },
}
