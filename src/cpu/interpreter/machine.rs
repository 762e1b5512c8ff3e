//! Execution: one call after another on one stack.

use super::fault::{Fault, FaultKind};
use super::op::{Argument, Base, Code, Length, Op, Place, apply};
use super::{Budget, Function, MOST_WORDS, Program, Value};

/// Words that are copied in the time of one operation.
const WORDS_PER_OPERATION: u64 = 16;

/// Executes the functions of a program with buffers bound. One machine serves any number of calls, one at a time.
#[derive(Debug)]
pub struct Machine<'a> {
    program: &'a Program,
    buffers: Vec<Option<&'a [u32]>>,
    budget: Budget,
    /// Private variables, what pointer arguments of the call point to, then a frame for each function being called.
    stack: Vec<u32>,
    callers: Vec<Caller>,
}

#[derive(Debug)]
struct Caller {
    function: usize,
    next: usize,
    base: usize,
    /// The word of the stack at which the result of the called function goes.
    to: usize,
}

impl<'a> Machine<'a> {
    pub(super) fn new(program: &'a Program, buffers: Vec<Option<&'a [u32]>>, budget: Budget) -> Self {
        Machine { program, buffers, budget, stack: Vec::new(), callers: Vec::new() }
    }

    /// Call a function. For a pointer argument, give the value that it points to; the call replaces it by the value afterwards.
    ///
    /// # Errors
    /// A function of another program, arguments of another number or type, and whatever stops the function: [`FaultKind`].
    pub fn call(&mut self, function: Function, arguments: &mut [Value]) -> Result<Value, Fault> {
        let Some(code) = self.program.code.get(function.0) else {
            return Err(Fault { function: String::new(), at: None, kind: FaultKind::NoFunction });
        };
        let fail = |kind| Err(Fault { function: code.name.clone(), at: None, kind });
        if code.arguments.len() != arguments.len() {
            let (expected, found) = (code.arguments.len(), arguments.len());
            return fail(FaultKind::ArgumentCount { expected, found });
        }
        let types = &self.program.types;
        self.stack.clear();
        self.stack.extend_from_slice(&self.program.private);
        let pointed: usize = code.arguments.iter().filter(|a| a.pointer).map(|a| a.words as usize).sum();
        let mut behind = self.stack.len();
        let base = behind + pointed;
        if base + code.frame as usize > MOST_WORDS {
            return fail(FaultKind::Memory { most: MOST_WORDS });
        }
        self.stack.resize(base + code.frame as usize, 0);
        self.stack[base..base + code.template.len()].copy_from_slice(&code.template);
        let mut at = base + code.template.len();
        for (index, (parameter, value)) in (1..).zip(code.arguments.iter().zip(&*arguments)) {
            let words = parameter.words as usize;
            let target = if parameter.pointer { behind } else { at };
            if types.encode(parameter.ty, value, &mut self.stack[target..target + words]).is_none() {
                return fail(FaultKind::ArgumentType { index, expected: types.describe(parameter.ty) });
            }
            if parameter.pointer {
                self.stack[at..at + 2].copy_from_slice(&[0, behind as u32]);
                behind += words;
                at += 2;
            } else {
                at += words;
            }
        }
        let (from, words) = self.run(function.0, base)?;
        let mut behind = self.program.private.len();
        for (parameter, value) in code.arguments.iter().zip(arguments).filter(|(parameter, _)| parameter.pointer) {
            *value = types.decode(parameter.ty, &self.stack[behind..][..parameter.words as usize]);
            behind += parameter.words as usize;
        }
        let nothing = || Value::Composite(Vec::new());
        Ok(code.result.map_or_else(nothing, |ty| types.decode(ty, &self.stack[from..from + words])))
    }

    /// Execute until the function called first returns. Gives the word of the stack at which its result begins, and its size in words.
    fn run(&mut self, function: usize, base: usize) -> Result<(usize, usize), Fault> {
        let program = self.program;
        let (mut function, mut base, mut next) = (function, base, 0);
        let mut code: &Code = &program.code[function];
        let mut left = self.budget.operations;
        self.callers.clear();
        loop {
            match self.operations(code, base, &mut next, &mut left) {
                Ok(Flow::Call(callee, to)) => {
                    self.callers.push(Caller { function, next, base, to });
                    base += code.frame as usize;
                    (function, next) = (callee, 0);
                    code = &program.code[function];
                }
                Ok(Flow::Return(from, words)) => {
                    let Some(caller) = self.callers.pop() else { return Ok((from, words)) };
                    self.stack.copy_within(from..from + words, caller.to);
                    (function, next, base) = (caller.function, caller.next, caller.base);
                    code = &program.code[function];
                }
                Err(kind) => return Err(code.fault(code.spans[next - 1], kind)),
            }
        }
    }

    /// Execute operations up to the next call or return.
    fn operations(&mut self, code: &Code, base: usize, next: &mut usize, left: &mut u64) -> Result<Flow, FaultKind> {
        let slot = |slot: u32| base + slot as usize;
        loop {
            let op = &code.ops[*next];
            *next += 1;
            let copied = match op {
                Op::Move { words, .. }
                | Op::Pick { words, .. }
                | Op::Load { words, .. }
                | Op::Store { words, .. }
                | Op::Return { words, .. } => u64::from(*words),
                Op::Call { function, .. } => self.program.code[*function as usize].template.len() as u64,
                Op::Switch { cases, .. } => cases.len() as u64,
                _ => 0,
            };
            let Some(rest) = left.checked_sub(1 + copied / WORDS_PER_OPERATION) else {
                return Err(FaultKind::Budget { operations: self.budget.operations });
            };
            *left = rest;
            if apply(op, &mut self.stack, base) {
                continue;
            }
            match op {
                Op::Jump { target } => *next = *target as usize,
                Op::JumpUnless { condition, target } => {
                    if self.stack[slot(*condition)] == 0 {
                        *next = *target as usize;
                    }
                }
                Op::Switch { selector, cases, default } => {
                    let value = self.stack[slot(*selector)];
                    let case = cases.iter().find(|(case, _)| *case == value);
                    *next = case.map_or(*default, |(_, target)| *target) as usize;
                }
                Op::Load { to, place, words } => {
                    let (space, address) = self.resolve(*place, base);
                    let (to, words) = (slot(*to), *words as usize);
                    match space.checked_sub(1) {
                        None => self.stack.copy_within(address..address + words, to),
                        Some(buffer) => {
                            let held = self.buffer(buffer)?;
                            let Some(from) = held.get(address..address + words) else {
                                return Err(self.too_short(buffer, held.len(), address + words - 1));
                            };
                            self.stack[to..to + words].copy_from_slice(from);
                        }
                    }
                }
                Op::Store { place, from, words } => {
                    let (space, address) = self.resolve(*place, base);
                    if space != 0 {
                        return Err(super::no_stores().into());
                    }
                    self.stack.copy_within(slot(*from)..slot(*from + *words), address);
                }
                Op::Index { to, place, index, length, stride } => {
                    let (space, address) = self.resolve(*place, base);
                    let count = match length {
                        Length::Known(count) => *count,
                        Length::OfBuffer => self.count(space, address, *stride)?,
                    };
                    let Some(last) = count.checked_sub(1) else {
                        let buffer = space.saturating_sub(1);
                        return Err(self.too_short(buffer, address, address));
                    };
                    let index = self.stack[slot(*index)].min(last);
                    let address = address + index as usize * *stride as usize;
                    self.stack[slot(*to)] = space;
                    self.stack[slot(*to + 1)] = address as u32;
                }
                Op::Count { to, place, stride } => {
                    let (space, address) = self.resolve(*place, base);
                    self.stack[slot(*to)] = self.count(space, address, *stride)?;
                }
                Op::Call { function, arguments, to } => {
                    let callee = &self.program.code[*function as usize];
                    let callee_base = base + code.frame as usize;
                    let end = callee_base + callee.frame as usize;
                    if end > MOST_WORDS {
                        return Err(FaultKind::Memory { most: MOST_WORDS });
                    }
                    if self.stack.len() < end {
                        self.stack.resize(end, 0);
                    }
                    self.stack[callee_base..callee_base + callee.template.len()].copy_from_slice(&callee.template);
                    let mut at = callee_base + callee.template.len();
                    for argument in arguments {
                        match *argument {
                            Argument::Value { slot: from, words } => {
                                self.stack.copy_within(slot(from)..slot(from + words), at);
                                at += words as usize;
                            }
                            Argument::Pointer(place) => {
                                let (space, address) = self.resolve(place, base);
                                self.stack[at..at + 2].copy_from_slice(&[space, address as u32]);
                                at += 2;
                            }
                        }
                    }
                    return Ok(Flow::Call(*function as usize, slot(*to)));
                }
                Op::Return { from, words } => return Ok(Flow::Return(slot(*from), *words as usize)),
                Op::Trap(kind) => return Err((**kind).clone()),
                Op::Map { .. } | Op::Move { .. } | Op::Pick { .. } => {}
            }
        }
    }

    /// The space of a place, and the word in it: space 0 is the stack, space 1 the first buffer.
    fn resolve(&self, place: Place, base: usize) -> (u32, usize) {
        let offset = place.offset as usize;
        match place.base {
            Base::Frame => (0, base + offset),
            Base::Stack => (0, offset),
            Base::Buffer(buffer) => (buffer + 1, offset),
            Base::Pointer(slot) => {
                let at = base + slot as usize;
                (self.stack[at], self.stack[at + 1] as usize + offset)
            }
        }
    }

    fn buffer(&self, buffer: u32) -> Result<&'a [u32], FaultKind> {
        let name = || self.program.buffers[buffer as usize].clone();
        self.buffers[buffer as usize].ok_or_else(|| FaultKind::NoBuffer { name: name() })
    }

    fn too_short(&self, buffer: u32, words: usize, index: usize) -> FaultKind {
        FaultKind::BufferTooShort { name: self.program.buffers[buffer as usize].clone(), words, index }
    }

    /// Number of elements between a word of a buffer and the buffer's end.
    fn count(&self, space: u32, address: usize, stride: u32) -> Result<u32, FaultKind> {
        let words = match space.checked_sub(1) {
            Some(buffer) => self.buffer(buffer)?.len().saturating_sub(address),
            None => 0,
        };
        Ok((words / (stride as usize).max(1)) as u32)
    }
}

enum Flow {
    /// A function is called, and its result goes to a word of the stack.
    Call(usize, usize),
    /// The function returns the words that begin at a word of the stack.
    Return(usize, usize),
}
