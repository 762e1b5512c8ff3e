//! Makes the loops of a scene's own behaviors end: all loops of one call of a function have at most [`MOST_ROUNDS`] rounds together.
//!
//! A driver may hang on an endless loop, or silently end a long one, and the result would be undefined. So the limit is
//! part of the program, on every adapter and in the reference.

use naga::{
    BinaryOperator, Block, Expression, Function, Literal, LocalVariable, Module, Scalar, Span, Statement, Type,
};
use naga::{Handle, TypeInner};

/// The most rounds that all loops of one call of a function have together.
pub const MOST_ROUNDS: u32 = 4096;

/// Limit the loops of the functions for whose names `names` is true.
pub(super) fn limit(module: &mut Module, names: impl Fn(&str) -> bool) {
    let ty = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
    let ty = module.types.insert(ty, Span::default());
    for (_, function) in module.functions.iter_mut() {
        if function.name.as_deref().is_some_and(&names) && has_loop(&function.body) {
            limit_function(function, ty);
        }
    }
}

/// The blocks inside of a statement.
pub(crate) fn inner_blocks(statement: &mut Statement) -> Vec<&mut Block> {
    match statement {
        Statement::Block(inner) => vec![inner],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

fn has_loop(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Loop { .. } => true,
        Statement::Block(inner) => has_loop(inner),
        Statement::If { accept, reject, .. } => has_loop(accept) || has_loop(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| has_loop(&case.body)),
        _ => false,
    })
}

fn limit_function(function: &mut Function, ty: Handle<Type>) {
    let zero = function.expressions.append(Expression::Literal(Literal::U32(0)), Span::default());
    let counter = LocalVariable { name: Some("rounds_of_all_loops".to_owned()), ty, init: None };
    let counter = function.local_variables.append(counter, Span::default());
    let mut append = |expression| function.expressions.append(expression, Span::default());
    let most = append(Expression::Literal(Literal::U32(MOST_ROUNDS)));
    let one = append(Expression::Literal(Literal::U32(1)));
    let pointer = append(Expression::LocalVariable(counter));
    let mut body = std::mem::take(&mut function.body);
    limit_block(&mut body, function, Counter { pointer, most, one });
    let mut begun = Block::new();
    begun.push(Statement::Store { pointer, value: zero }, Span::default());
    begun.extend_block(body);
    function.body = begun;
}

#[derive(Clone, Copy)]
struct Counter {
    pointer: Handle<Expression>,
    most: Handle<Expression>,
    one: Handle<Expression>,
}

fn limit_block(block: &mut Block, function: &mut Function, counter: Counter) {
    for statement in block.iter_mut() {
        inner_blocks(statement).into_iter().for_each(|inner| limit_block(inner, function, counter));
        if let Statement::Loop { body, .. } = statement {
            let mut counted = round(function, counter);
            counted.extend_block(std::mem::take(body));
            *body = counted;
        }
    }
}

/// `if (counter >= most) { break; } counter = counter + 1;`
fn round(function: &mut Function, Counter { pointer, most, one }: Counter) -> Block {
    let before = function.expressions.len();
    let mut append = |expression| function.expressions.append(expression, Span::default());
    let now = append(Expression::Load { pointer });
    let over = append(Expression::Binary { op: BinaryOperator::GreaterEqual, left: now, right: most });
    let next = append(Expression::Binary { op: BinaryOperator::Add, left: now, right: one });
    let mut block = Block::new();
    block.push(Statement::Emit(function.expressions.range_from(before)), Span::default());
    let accept = Block::from_vec(vec![Statement::Break]);
    block.push(Statement::If { condition: over, accept, reject: Block::new() }, Span::default());
    block.push(Statement::Store { pointer, value: next }, Span::default());
    block
}
