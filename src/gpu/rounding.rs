//! Functions in place of divisions and roots, for devices that round these otherwise than IEEE 754 says.
//!
//! Vulkan demands sums and products that are rounded to nearest, but lets a quotient or a root be off by 2.5 units in the last
//! place, and lets numbers below the smallest normal one become 0. GPUs make use of that, and then no flock has the bits of another
//! device. `shaders/read/rounded.wgsl` computes correctly rounded quotients and roots from the operations that GPUs do round
//! correctly.

use crate::scene::{reason, validate};
use crate::shaders::inner_blocks;
use naga::compact::{KeepUnused, compact};
use naga::valid::ModuleInfo;
use naga::{Arena, BinaryOperator, Block, Expression, Function, Handle, MathFunction, Module, Span, Statement, Type};
use naga::{ScalarKind, TypeInner, VectorSize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The functions that take the place of divisions and roots.
pub(super) const ROUNDED: &str = include_str!("../../shaders/read/rounded.wgsl");

/// [`ROUNDED`] parsed by naga. Every pass for such a device imports these functions.
pub(super) static FUNCTIONS: LazyLock<Module> = LazyLock::new(|| functions(ROUNDED));

/// The functions of a WGSL text of this crate, parsed.
pub(super) fn functions(text: &str) -> Module {
    naga::front::wgsl::parse_str(text).expect("the functions are WGSL")
}

/// The module with these functions in place of its divisions and roots of floats.
///
/// # Errors
/// The error of naga's validator for the rewritten module.
pub(super) fn written_out(
    module: &Module,
    info: &ModuleInfo,
    functions: &Module,
) -> Result<(Module, ModuleInfo), String> {
    let mut result = module.clone();
    result.functions = Arena::new();
    let calls = Calls::import(&mut result, functions)?;
    // A function calls only earlier ones, so the imported functions come first, and the module's own get new handles.
    let mut moved = BTreeMap::new();
    for (handle, function) in module.functions.iter() {
        let replaced = calls.found(module, function, &info[handle]);
        let function = rewritten(function.clone(), &replaced, &moved);
        moved.insert(handle, result.functions.append(function, module.functions.get_span(handle)));
    }
    for (index, entry) in result.entry_points.iter_mut().enumerate() {
        let replaced = calls.found(module, &entry.function, info.get_entry_point(index));
        entry.function = rewritten(std::mem::take(&mut entry.function), &replaced, &moved);
    }
    compact(&mut result, KeepUnused::No);
    let info = validate(&result).map_err(|error| reason(error.as_inner()))?;
    Ok((result, info))
}

/// For each replaced expression, the function to call in its place, and the arguments.
type Replaced = BTreeMap<Handle<Expression>, (Handle<Function>, Vec<Handle<Expression>>)>;

/// The functions for a division and a root of floats, by the size of the vector.
struct Calls {
    quotient: BTreeMap<Option<VectorSize>, Handle<Function>>,
    /// For a vector divided by a scalar.
    quotient_by: BTreeMap<Option<VectorSize>, Handle<Function>>,
    root: BTreeMap<Option<VectorSize>, Handle<Function>>,
}

impl Calls {
    /// Copy functions into a module that has none.
    fn import(module: &mut Module, functions: &Module) -> Result<Calls, String> {
        let mut types: BTreeMap<Handle<Type>, Handle<Type>> = BTreeMap::new();
        for (handle, ty) in functions.types.iter() {
            let mut ty = ty.clone();
            if let TypeInner::Struct { members, .. } = &mut ty.inner {
                members.iter_mut().for_each(|member| member.ty = types[&member.ty]);
            }
            types.insert(handle, module.types.insert(ty, Span::UNDEFINED));
        }
        for (_, function) in functions.functions.iter() {
            let mut function = function.clone();
            function.arguments.iter_mut().for_each(|argument| argument.ty = types[&argument.ty]);
            function.result.iter_mut().for_each(|result| result.ty = types[&result.ty]);
            function.local_variables.iter_mut().for_each(|(_, variable)| variable.ty = types[&variable.ty]);
            for (_, expression) in function.expressions.iter_mut() {
                match expression {
                    Expression::Compose { ty, .. } | Expression::ZeroValue(ty) => *ty = types[ty],
                    Expression::Constant(constant) => {
                        let value = &functions.global_expressions[functions.constants[*constant].init];
                        if !matches!(value, Expression::Literal(_)) {
                            return Err("a constant of the functions is more than a number".to_owned());
                        }
                        *expression = value.clone();
                    }
                    _ => {}
                }
            }
            module.functions.append(function, Span::UNDEFINED);
        }
        let by_size = |name: &str| {
            let sizes = [None, Some(VectorSize::Bi), Some(VectorSize::Tri), Some(VectorSize::Quad)];
            let find = |size: Option<VectorSize>| {
                let name = size.map_or(name.replace("_by", ""), |size| format!("{name}_{}", size as u8));
                let found = module.functions.iter().find(|(_, function)| function.name.as_ref() == Some(&name));
                Ok((size, found.ok_or_else(|| format!("there is no function {name}"))?.0))
            };
            sizes.into_iter().map(find).collect::<Result<_, String>>()
        };
        Ok(Calls { quotient: by_size("quotient")?, quotient_by: by_size("quotient_by")?, root: by_size("root")? })
    }

    /// The divisions and roots of a function.
    fn found(&self, module: &Module, function: &Function, info: &naga::valid::FunctionInfo) -> Replaced {
        let size = |handle: Handle<Expression>| match *info[handle].ty.inner_with(&module.types) {
            TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Float => Some(None),
            TypeInner::Vector { size, scalar } if scalar.kind == ScalarKind::Float => Some(Some(size)),
            _ => None,
        };
        let replaced = |(handle, expression): (Handle<Expression>, &Expression)| {
            let (calls, arguments) = match *expression {
                Expression::Binary { op: BinaryOperator::Divide, left, right } => match function.expressions[right] {
                    Expression::Splat { value, .. } => (&self.quotient_by, vec![left, value]),
                    _ => (&self.quotient, vec![left, right]),
                },
                Expression::Math { fun: MathFunction::Sqrt, arg, .. } => (&self.root, vec![arg]),
                _ => return None,
            };
            Some((handle, (calls[&size(handle)?], arguments)))
        };
        function.expressions.iter().filter_map(replaced).collect()
    }
}

/// The function with calls in place of the `replaced` expressions, and with new handles of the functions that it calls.
fn rewritten(
    mut function: Function,
    replaced: &Replaced,
    moved: &BTreeMap<Handle<Function>, Handle<Function>>,
) -> Function {
    for (handle, expression) in function.expressions.iter_mut() {
        match expression {
            Expression::CallResult(called) => *called = moved[called],
            _ => {
                if let Some((called, _)) = replaced.get(&handle) {
                    *expression = Expression::CallResult(*called);
                }
            }
        }
    }
    rewrite(&mut function.body, replaced, moved);
    function
}

fn rewrite(block: &mut Block, replaced: &Replaced, moved: &BTreeMap<Handle<Function>, Handle<Function>>) {
    let mut body = Block::with_capacity(block.len());
    for (mut statement, span) in std::mem::take(block).span_into_iter() {
        match &mut statement {
            Statement::Emit(range) => {
                let mut waiting: Option<(Handle<Expression>, Handle<Expression>)> = None;
                let emit = |waiting: &mut Option<_>, body: &mut Block| {
                    if let Some((first, last)) = waiting.take() {
                        body.push(Statement::Emit(naga::Range::new_from_bounds(first, last)), span);
                    }
                };
                for handle in range.clone() {
                    let Some((function, arguments)) = replaced.get(&handle) else {
                        waiting = Some((waiting.map_or(handle, |(first, _)| first), handle));
                        continue;
                    };
                    emit(&mut waiting, &mut body);
                    let call =
                        Statement::Call { function: *function, arguments: arguments.clone(), result: Some(handle) };
                    body.push(call, span);
                }
                emit(&mut waiting, &mut body);
                continue;
            }
            Statement::Call { function, .. } => *function = moved[function],
            other => inner_blocks(other).into_iter().for_each(|inner| rewrite(inner, replaced, moved)),
        }
        body.push(statement, span);
    }
    *block = body;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{Options, pipelines::Program};
    use crate::model::{CompiledScene, GridChoice};
    use crate::scene::{PRESETS, Scene};

    /// Divisions and roots of floats outside of the functions that stand for them.
    fn left(module: &Module, info: &ModuleInfo) -> usize {
        let all = module.functions.iter().map(|(handle, function)| (function, &info[handle]));
        let entries = module.entry_points.iter().enumerate();
        let all = all.chain(entries.map(|(index, entry)| (&entry.function, info.get_entry_point(index))));
        let others = all.filter(|(function, _)| {
            !function.name.as_ref().is_some_and(|name| ROUNDED.contains(&format!("fn {name}(")))
        });
        others
            .flat_map(|(function, info)| {
                function.expressions.iter().map(move |(handle, found)| (found, &info[handle].ty))
            })
            .filter(|(expression, ty)| {
                let divides = matches!(
                    expression,
                    Expression::Binary { op: BinaryOperator::Divide, .. }
                        | Expression::Math { fun: MathFunction::Sqrt, .. }
                );
                divides && ty.inner_with(&module.types).scalar_kind() == Some(ScalarKind::Float)
            })
            .count()
    }

    /// Every division and root in every pass of a preset is replaced, and the result is a valid module.
    #[test]
    fn no_division_and_no_root_is_left() {
        let mut before = 0;
        for preset in PRESETS.iter().step_by(5) {
            let model = CompiledScene::new(&Scene::open(preset.name, &[]).unwrap(), GridChoice::default()).unwrap();
            for (_, dispatch, entry) in Program::new(&model, &Options::default(), false, false).unwrap().entries {
                let what = format!("{} of {}", dispatch.0, preset.name);
                before += left(&entry.module, &entry.info);
                let (module, info) =
                    written_out(&entry.module, &entry.info, &FUNCTIONS).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert_eq!(left(&module, &info), 0, "{what}");
            }
        }
        assert!(before > 1000, "{before}");
    }
}
