//! What a behavior of one's own may hold at most, so that drivers compile it in bearable time, and compile all of it. What a called
//! function holds counts once for each call, because drivers inline it.

use super::behavior_file::{Wgsl, calls_in, inner_blocks};
use naga::{ArraySize, Block, Expression, Function, Handle, Module, Span, Statement, Type, TypeInner};
use std::ops::Range as Bytes;

/// Most words in the variables and arrays of a function, and most words of a constant.
const MOST_WORDS: u64 = 256;
/// Most words in the variables and arrays of a function, where each call adds the words of the called function.
const MOST_WORDS_IN_ALL: u64 = 1024;
/// Most operations of a function, where each call adds the operations of the called function.
const MOST_OPERATIONS: u64 = 16_384;
/// Most loops of a function, where each call adds the loops of the called function. Mesa 22.3 compiles 42 loops in 20 s.
const MOST_LOOPS: u64 = 32;
/// Most [`levels`] of a function. Mesa's software driver skips, without an error, what lies deeper than 80 levels, those of the pass
/// around the behavior included.
const MOST_LEVELS: u64 = 48;

/// An error if the file `path` has too much of anything: the bytes of a name in the file, and the reason.
pub(super) fn check(wgsl: &Wgsl, path: &str) -> Result<(), (Bytes<usize>, String)> {
    let (module, source) = (wgsl.module(), wgsl.source(path));
    let fault = |span: Span, name: &Option<String>, has: u64, most: u64, what: &str| {
        let at = source.within(span).filter(|_| has > most)?;
        let name = name.as_deref().unwrap_or_default();
        let why = match most {
            MOST_LEVELS => "skip what is deeper",
            _ => "take minutes to compile more",
        };
        let message = format!("`{name}` has {has} {what}; at most {most} are allowed, because drivers may {why}");
        Some((source.name(&at), message))
    };
    let constants = module.constants.iter().find_map(|(handle, constant)| {
        fault(module.constants.get_span(handle), &constant.name, words(module, constant.ty), MOST_WORDS, "words")
    });
    // The costs of a function, given those of the functions before it: naga puts a function after the functions that it calls.
    type Cost<'a> = &'a dyn Fn(&Function, &[u64]) -> u64;
    let in_all = |own: u64, code: &Function, costs: &[u64]| {
        let mut calls = Vec::new();
        calls_in(&code.body, &mut calls);
        calls.iter().map(|call| costs[call.index()]).fold(own, u64::saturating_add)
    };
    let limits: [(u64, &str, Cost); 5] = [
        (MOST_WORDS, "words in its variables or arrays", &|code, _| words_of(module, code)),
        (MOST_WORDS_IN_ALL, "words in its variables and arrays, with those of what it calls", &|code, costs| {
            in_all(words_of(module, code), code, costs)
        }),
        (MOST_OPERATIONS, "operations, with those of what it calls", &|code, costs| {
            in_all(code.expressions.len() as u64, code, costs)
        }),
        (MOST_LOOPS, "loops, with those of what it calls", &|code, costs| in_all(loops(&code.body), code, costs)),
        (MOST_LEVELS, "levels of branches and loops, with those of what it calls", &|code, costs| {
            levels(&code.body, costs).0
        }),
    ];
    let functions = limits.into_iter().find_map(|(most, what, cost)| {
        let mut costs = Vec::new();
        module.functions.iter().find_map(|(handle, code)| {
            costs.push(cost(code, &costs));
            fault(module.functions.get_span(handle), &code.name, costs[handle.index()], most, what)
        })
    });
    constants.or(functions).map_or(Ok(()), Err)
}

fn loops(block: &Block) -> u64 {
    let of = |statement: &Statement| {
        u64::from(matches!(statement, Statement::Loop { .. }))
            + inner_blocks(statement).into_iter().map(loops).sum::<u64>()
    };
    block.iter().map(of).sum()
}

/// What statements may leave, from the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Leaves {
    Nothing,
    Loop,
    Function,
}

/// How deep branches and loops lie in each other in a block, and what it may leave. A driver may put what follows a branch that leaves
/// something into an `else` of that branch, which makes it a level deeper.
fn levels(block: &Block, of_functions: &[u64]) -> (u64, Leaves) {
    let (mut level, mut deepest, mut leaves) = (0, 0, Leaves::Nothing);
    for statement in block {
        let inner = inner_blocks(statement).into_iter().map(|inner| levels(inner, of_functions));
        let (most, left) = inner.fold((0, Leaves::Nothing), |(most, left), of| (most.max(of.0), left.max(of.1)));
        let (most, left) = match statement {
            Statement::Call { function, .. } => (of_functions[function.index()], left),
            Statement::Loop { .. } if left == Leaves::Loop => (most + 1, Leaves::Nothing),
            Statement::If { .. } | Statement::Switch { .. } | Statement::Loop { .. } => (most + 1, left),
            Statement::Break | Statement::Continue => (0, Leaves::Loop),
            Statement::Return { .. } => (0, Leaves::Function),
            _ => (most, left),
        };
        deepest = deepest.max(level + most);
        level += u64::from(left > Leaves::Nothing);
        leaves = leaves.max(left);
    }
    (deepest, leaves)
}

/// The words of a function's variables and arrays.
fn words_of(module: &Module, code: &Function) -> u64 {
    let held = |(_, expression): (_, &Expression)| match expression {
        Expression::Compose { ty, .. } | Expression::ZeroValue(ty) => {
            Some(words(module, *ty)).filter(|_| matches!(module.types[*ty].inner, TypeInner::Array { .. }))
        }
        _ => None,
    };
    let variables = code.local_variables.iter().map(|(_, variable)| words(module, variable.ty));
    variables.chain(code.expressions.iter().filter_map(held)).fold(0, u64::saturating_add)
}

/// The size of a type, words. (naga's own computation may overflow.)
fn words(module: &Module, ty: Handle<Type>) -> u64 {
    match &module.types[ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            words(module, *base).saturating_mul(count.get().into())
        }
        TypeInner::Struct { members, .. } => {
            members.iter().map(|member| words(module, member.ty)).fold(0, u64::saturating_add)
        }
        inner => u64::from(inner.size(module.to_ctx())).div_ceil(4),
    }
}
