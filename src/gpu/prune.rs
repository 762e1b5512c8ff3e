//! Removes the branches that a pipeline's overrides switch off, so that what only they use, buffers included, is gone
//! before the entry point is reflected. Conditions must be a bare override or its negation.

use crate::shaders::inner_blocks;
use naga::{Block, Expression, Literal, Module, Statement, UnaryOperator};
use naga::{Handle, Override, back::PipelineConstants};
use std::collections::BTreeSet;

/// Replace every `if (override)` by the branch that the value of the override selects, in all functions.
pub fn prune(module: &mut Module, values: &PipelineConstants) {
    let truth = |handle: Handle<Override>| -> Option<bool> {
        let declared = &module.overrides[handle];
        let default = || match module.global_expressions[declared.init?] {
            Expression::Literal(Literal::Bool(value)) => Some(value),
            _ => None,
        };
        let is_bool = matches!(module.types[declared.ty].inner, naga::TypeInner::Scalar(naga::Scalar::BOOL));
        if !is_bool {
            return None;
        }
        declared.name.as_ref().and_then(|name| values.get(name)).map(|value| *value != 0.0).or_else(default)
    };
    let known: Vec<Option<bool>> = module.overrides.iter().map(|(handle, _)| truth(handle)).collect();
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter_mut().map(|entry| &mut entry.function)) {
        let mut selected: BTreeSet<(Handle<Expression>, bool)> = BTreeSet::new();
        for (handle, expression) in function.expressions.iter() {
            let value = match *expression {
                Expression::Override(o) => known[o.index()],
                Expression::Unary { op: UnaryOperator::LogicalNot, expr } => match function.expressions[expr] {
                    Expression::Override(o) => known[o.index()].map(|value| !value),
                    _ => None,
                },
                _ => None,
            };
            selected.extend(value.map(|value| (handle, value)));
        }
        prune_block(&mut function.body, &selected);
        // Named expressions would keep alive what only the removed branches computed.
        function.named_expressions.clear();
    }
}

fn prune_block(block: &mut Block, selected: &BTreeSet<(Handle<Expression>, bool)>) {
    let mut pruned = Block::with_capacity(block.len());
    for (mut statement, span) in std::mem::take(block).span_into_iter() {
        match &mut statement {
            Statement::If { condition, accept, reject } => {
                let kept = if selected.contains(&(*condition, true)) {
                    accept
                } else if selected.contains(&(*condition, false)) {
                    reject
                } else {
                    prune_block(accept, selected);
                    prune_block(reject, selected);
                    pruned.push(statement, span);
                    continue;
                };
                prune_block(kept, selected);
                pruned.push(Statement::Block(std::mem::take(kept)), span);
                continue;
            }
            other => inner_blocks(other).into_iter().for_each(|inner| prune_block(inner, selected)),
        }
        pruned.push(statement, span);
    }
    *block = pruned;
}
