//! From naga's statements to operations and jumps.
//!
//! A user may nest blocks arbitrarily deep, so the tasks left to compile are kept in a list, and nothing recurses.

use super::compile::{Compiler, bytes};
use super::fault::Unsupported;
use super::op::{Argument, Base, Item, Op};
use naga::{Block, Expression, Handle, Span, Statement, SwitchValue};

/// A place to jump to, which may not be compiled yet.
type Label = u32;

enum Task<'a> {
    /// Compile a statement.
    Statement(&'a Statement, Span),
    /// Place a label here.
    Label(Label),
    /// Jump to a label.
    Jump(Label),
    /// The end of a loop's round: jump to its start unless `break_if` holds.
    Again { break_if: Option<Handle<Expression>>, start: Label },
    /// `break` and `continue` mean these labels until the scope ends.
    Scope { end: Label, next: Label },
    /// The scope ends here.
    EndScope,
}

/// Compile the body of a function.
pub(super) fn compile_body(compiler: &mut Compiler, body: &Block) {
    let mut labels: Vec<u32> = Vec::new();
    // Nothing jumps to label 0, the end of the function: a valid module has no jump outside of loops and switches.
    let mut scopes: Vec<(Label, Label)> = Vec::new();
    let mut tasks: Vec<Task> = Vec::new();
    let mut label = || {
        labels.push(0);
        labels.len() as u32 - 1
    };
    let mut placed = Vec::new();
    tasks.push(Task::Label(label()));
    push_block(&mut tasks, body);
    while let Some(task) = tasks.pop() {
        let (statement, span) = match task {
            Task::Statement(statement, span) => (statement, span),
            Task::Label(label) => {
                placed.push((label, compiler.ops.len() as u32));
                continue;
            }
            Task::Jump(target) => {
                compiler.emit(Op::Jump { target });
                continue;
            }
            Task::Again { break_if, start } => {
                match break_if.map(|condition| compiler.value(condition)) {
                    Some(Ok(condition)) => compiler.emit(Op::JumpUnless { condition, target: start }),
                    Some(Err(unsupported)) => compiler.trap(unsupported),
                    None => compiler.emit(Op::Jump { target: start }),
                }
                continue;
            }
            Task::Scope { end, next } => {
                scopes.push((end, next));
                continue;
            }
            Task::EndScope => {
                scopes.pop();
                continue;
            }
        };
        compiler.at = bytes(span);
        match statement {
            Statement::Block(block) => push_block(&mut tasks, block),
            Statement::If { condition, accept, reject } => {
                if let Some(word) = compiler.known(*condition) {
                    // A branch that an override turns off is left out.
                    push_block(&mut tasks, if word != 0 { accept } else { reject });
                    continue;
                }
                match compiler.value(*condition) {
                    Ok(condition) => {
                        let (otherwise, end) = (label(), label());
                        compiler.emit(Op::JumpUnless { condition, target: otherwise });
                        tasks.push(Task::Label(end));
                        push_block(&mut tasks, reject);
                        tasks.push(Task::Label(otherwise));
                        tasks.push(Task::Jump(end));
                        push_block(&mut tasks, accept);
                    }
                    Err(unsupported) => compiler.trap(unsupported),
                }
            }
            Statement::Switch { selector, cases } => {
                let end = label();
                let (_, next) = scopes.last().copied().unwrap_or_default();
                let bodies: Vec<Label> = cases.iter().map(|_| label()).collect();
                let mut default = end;
                let mut values = Vec::new();
                for (case, body) in cases.iter().zip(&bodies) {
                    match case.value {
                        SwitchValue::Default => default = *body,
                        SwitchValue::U32(value) => values.push((value, *body)),
                        SwitchValue::I32(value) => values.push((value.cast_unsigned(), *body)),
                    }
                }
                match compiler.value(*selector) {
                    Ok(selector) => compiler.emit(Op::Switch { selector, cases: values.into(), default }),
                    Err(unsupported) => compiler.trap(unsupported),
                }
                tasks.extend([Task::Label(end), Task::EndScope]);
                for (case, body) in cases.iter().zip(&bodies).rev() {
                    if !case.fall_through {
                        tasks.push(Task::Jump(end));
                    }
                    push_block(&mut tasks, &case.body);
                    tasks.push(Task::Label(*body));
                }
                tasks.push(Task::Scope { end, next });
            }
            Statement::Loop { body, continuing, break_if } => {
                let (start, next, end) = (label(), label(), label());
                tasks.extend([Task::Label(end), Task::EndScope, Task::Again { break_if: *break_if, start }]);
                push_block(&mut tasks, continuing);
                tasks.push(Task::Label(next));
                push_block(&mut tasks, body);
                tasks.extend([Task::Label(start), Task::Scope { end, next }]);
            }
            Statement::Break => compiler.emit(Op::Jump { target: scopes.last().copied().unwrap_or_default().0 }),
            Statement::Continue => compiler.emit(Op::Jump { target: scopes.last().copied().unwrap_or_default().1 }),
            simple => {
                if let Err(unsupported) = compile_simple(compiler, simple) {
                    compiler.trap(unsupported);
                }
            }
        }
    }
    // A function without a result may end without a `return`.
    compiler.emit(Op::Return { from: 0, words: 0 });
    for (label, at) in placed {
        labels[label as usize] = at;
    }
    for op in &mut compiler.ops {
        match op {
            Op::Jump { target } | Op::JumpUnless { target, .. } => *target = labels[*target as usize],
            Op::Switch { cases, default, .. } => {
                *default = labels[*default as usize];
                cases.iter_mut().for_each(|(_, target)| *target = labels[*target as usize]);
            }
            _ => {}
        }
    }
}

fn push_block<'a>(tasks: &mut Vec<Task<'a>>, block: &'a Block) {
    let first = tasks.len();
    tasks.extend(block.span_iter().map(|(statement, span)| Task::Statement(statement, *span)));
    tasks[first..].reverse();
}

/// A statement without blocks.
fn compile_simple(compiler: &mut Compiler, statement: &Statement) -> Result<(), Unsupported> {
    let alone = "it has no meaning for one invocation";
    match statement {
        Statement::Emit(range) => {
            for handle in range.clone() {
                // Constants have been evaluated already.
                let index = handle.index();
                if compiler.items[index].is_some() {
                    continue;
                }
                compiler.at = bytes(compiler.expressions.get_span(handle));
                compiler.items[index] = Some(compiler.expression(handle).unwrap_or_else(|unsupported| {
                    compiler.trap(unsupported.clone());
                    Item::Unsupported(unsupported)
                }));
            }
            Ok(())
        }
        Statement::Store { pointer, value } => {
            let (place, from, words) = (compiler.place(*pointer)?, compiler.value(*value)?, compiler.words(*value));
            match place.base {
                Base::Frame => compiler.emit(Op::Move { to: place.offset, from, words }),
                Base::Buffer(_) => return Err(super::no_stores()),
                Base::Stack | Base::Pointer(_) => compiler.emit(Op::Store { place, from, words }),
            }
            Ok(())
        }
        Statement::Call { function, arguments, result } => {
            let mut passed = Vec::new();
            for argument in arguments {
                passed.push(match compiler.item(*argument)? {
                    Item::Value(slot) => Argument::Value { slot, words: compiler.words(*argument) },
                    Item::Place(place) => Argument::Pointer(place),
                    Item::Unsupported(unsupported) => return Err(unsupported),
                });
            }
            let words = result.map_or(0, |result| compiler.words(result));
            let to = compiler.reserve(words);
            if let Some(result) = result {
                compiler.items[result.index()] = Some(Item::Value(to));
            }
            compiler.emit(Op::Call { function: function.index() as u32, arguments: passed.into(), to });
            Ok(())
        }
        Statement::Return { value } => {
            let (from, words) = match value {
                Some(value) => (compiler.value(*value)?, compiler.words(*value)),
                None => (0, 0),
            };
            compiler.emit(Op::Return { from, words });
            Ok(())
        }
        Statement::Kill => Err(Unsupported::new("`discard`", alone)),
        Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => Err(Unsupported::new("a barrier", alone)),
        Statement::Atomic { .. } => Err(Unsupported::new("an atomic operation", "buffers are only read here")),
        Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => {
            Err(Unsupported::new("a texture", "only buffers are bound"))
        }
        Statement::WorkGroupUniformLoad { .. } => Err(Unsupported::new("`workgroupUniformLoad`", alone)),
        _ => Err(Unsupported::new("a statement", alone)),
    }
}
