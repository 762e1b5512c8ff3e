//! The trial compilation of a behavior of one's own when its file is read, without a device. So GPU and reference refuse the same files,
//! and errors name the place in the file.
//!
//! Validation alone does not show whether a pipeline can be made: once overrides have values, naga computes what it can in advance, and
//! writes the rest in the driver's language. Either may refuse a valid module, and neither says where.

use super::behavior_file::{Source, Wgsl, for_each_call};
use naga::back::{pipeline_constants::process_overrides, spv};
use naga::common::wgsl::TypeContext;
use naga::compact::{KeepUnused, compact};
use naga::front::Typifier;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy, ResolveContext};
use naga::valid::{
    CallError, Capabilities, ComposeError, ExpressionError, FunctionError, ModuleInfo, UniformityRequirements,
    ValidationError, ValidationFlags, Validator,
};
use naga::{AddressSpace, Arena, BinaryOperator, EntryPoint, Expression, Function, Handle, Literal, LocalVariable};
use naga::{Module, ScalarKind, ShaderStage, Span, Statement, Type, TypeInner, WithSpan};
use std::error::Error;
use std::ops::Range as Bytes;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why naga refuses a module.
pub(crate) type Invalid = Box<WithSpan<ValidationError>>;

/// Validate a module with the capabilities that the program's devices may have.
pub(crate) fn validate(module: &Module) -> Result<ModuleInfo, Invalid> {
    Validator::new(ValidationFlags::all(), Capabilities::SUBGROUP).validate(module).map_err(Box::new)
}

/// naga's message for an error, with its causes. Causes that only say that an item with a number is invalid are left out.
pub(crate) fn reason(error: &dyn Error) -> String {
    let (mut messages, mut next) = (Vec::new(), Some(error));
    while let Some(error) = next {
        (next, _) = (error.source(), messages.push(error.to_string()));
    }
    let last = messages.pop().unwrap_or_default();
    messages.retain(|said| !said.ends_with("is invalid"));
    messages.push(last);
    messages.join(": ")
}

/// An error if the file `path` cannot be compiled: bytes of the file, and the reason. The rest of the module is the program's own, so
/// this file is to blame, whatever naga points at.
pub(super) fn refused(wgsl: &Wgsl, path: &str) -> Result<(), (Bytes<usize>, String)> {
    let module = wgsl.module();
    let trial = Trial { module, source: wgsl.source(path) };
    let info = validate(module).map_err(|error| (trial.blamed(&error), trial.said(error.as_inner())))?;
    let own: Vec<_> = trial.functions().collect();
    for &(handle, function) in &own {
        let by_lanes = |expression: &Expression| {
            matches!(expression, Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. })
        };
        // naga counts a barrier of a function among the requirements of those that call it.
        let waits = info[handle].uniformity.requirements.contains(UniformityRequirements::WORK_GROUP_BARRIER);
        if waits || function.expressions.iter().any(|(_, expression)| by_lanes(expression)) {
            let verb = if waits { "waits for" } else { "reads from" };
            let name = function.name.as_deref().unwrap_or_default();
            let message = format!("`{name}` {verb} other lanes, which a behavior cannot");
            return Err((trial.name_of(handle), message));
        }
        trial.check(&info[handle], function)?;
    }
    let all: Vec<_> = own.iter().map(|(handle, _)| *handle).collect();
    if compiled(module, &all).is_ok() {
        return Ok(());
    }
    // naga puts a function after the functions that it calls, so the first that fails is the cause.
    let failed = all.iter().find_map(|&handle| Some((handle, compiled(module, &[handle]).err()?)));
    failed.map_or(Ok(()), |(handle, why)| {
        let name = module.functions[handle].name.clone().unwrap_or_default();
        Err((trial.name_of(handle), format!("`{name}` cannot be compiled: {why}")))
    })
}

struct Trial<'a> {
    module: &'a Module,
    source: Source<'a>,
}

impl<'a> Trial<'a> {
    /// A span of the module as bytes of the file.
    fn within(&self, span: Span) -> Option<Bytes<usize>> {
        self.source.within(span)
    }

    /// The functions of the file.
    fn functions(&self) -> impl Iterator<Item = (Handle<Function>, &'a Function)> {
        let functions = &self.module.functions;
        functions.iter().filter(|(handle, _)| self.within(functions.get_span(*handle)).is_some())
    }

    fn name_of(&self, handle: Handle<Function>) -> Bytes<usize> {
        let declared = self.within(self.module.functions.get_span(handle));
        declared.map_or(0..0, |declared| self.source.name(&declared))
    }

    /// The innermost place in the file that an error gives, or else the place of the item that it is about.
    fn blamed(&self, error: &WithSpan<ValidationError>) -> Bytes<usize> {
        let module = self.module;
        let spans: Vec<_> = error.spans().filter_map(|(span, _)| self.within(*span)).collect();
        let spoken_of = || match error.as_inner() {
            ValidationError::Type { handle, .. } => self.place_of_type(*handle),
            ValidationError::Constant { handle, .. } => self.within(module.constants.get_span(*handle)),
            ValidationError::ConstExpression { handle, .. } | ValidationError::ArraySizeError { handle } => {
                self.within(module.global_expressions.get_span(*handle))
            }
            ValidationError::Function { handle, .. } => Some(self.name_of(*handle)),
            _ => None,
        };
        spans.last().cloned().or_else(spoken_of).unwrap_or(0..0)
    }

    /// As [`reason`], but with types by their names where naga gives numbers.
    fn said(&self, error: &ValidationError) -> String {
        let ValidationError::Function { handle, name, source } = error else { return reason(error) };
        let (function, module) = (&self.module.functions[*handle], self.module.to_ctx());
        let named = |ty: Handle<Type>| format!("`{}`", module.type_to_string(ty));
        let of = |value: Handle<Expression>| {
            let mut types = Typifier::new();
            let context = ResolveContext::with_locals(self.module, &function.local_variables, &function.arguments);
            let known = types.grow(value, &function.expressions, &context);
            known.map_or("another type".to_owned(), |()| {
                format!("`{}`", module.type_resolution_to_string(&types[value]))
            })
        };
        let source = match source {
            FunctionError::InvalidReturnType { expression, expected_ty } => {
                let must = expected_ty.map_or("nothing".to_owned(), named);
                let not = expression.map_or(" in all cases".to_owned(), |value| format!(", not {}", of(value)));
                return format!("`{name}` must return {must}{not}");
            }
            FunctionError::InvalidIfType(value) => return format!("a condition must be `bool`, not {}", of(*value)),
            FunctionError::InvalidCall {
                function,
                error: CallError::ArgumentType { index, required, seen_expression },
            } => {
                let called = self.module.functions[*function].name.as_deref().unwrap_or_default();
                let (number, must, is) = (index + 1, named(*required), of(*seen_expression));
                return format!("argument {number} of `{called}` must be {must}, not {is}");
            }
            FunctionError::Expression { handle, source } => (*handle, source),
            _ => return reason(error),
        };
        match (source.1, &function.expressions[source.0]) {
            (ExpressionError::InvalidBinaryOperandTypes { lhs_expr, rhs_expr, .. }, _) => {
                format!("{} and {} do not go together here", of(*lhs_expr), of(*rhs_expr))
            }
            (ExpressionError::InvalidUnaryOperandType(_, value), _) => format!("{} cannot stand here", of(*value)),
            (ExpressionError::InvalidIndexType(value), _) => {
                format!("an index must be `i32` or `u32`, not {}", of(*value))
            }
            (ExpressionError::SelectConditionNotABool { .. }, Expression::Select { condition, .. }) => {
                format!("a condition must be `bool`, not {}", of(*condition))
            }
            (
                ExpressionError::Compose(ComposeError::ComponentType { index }),
                Expression::Compose { ty, components },
            ) => format!("argument {} of {} cannot be {}", index + 1, named(*ty), of(components[*index as usize])),
            _ => reason(error),
        }
    }

    /// The first expression of the file that is of this type.
    fn place_of_type(&self, ty: Handle<Type>) -> Option<Bytes<usize>> {
        let module = self.module;
        self.functions().find_map(|(_, function)| {
            let mut types = Typifier::new();
            let context = ResolveContext::with_locals(module, &function.local_variables, &function.arguments);
            function.expressions.iter().find_map(|(handle, _)| {
                // An expression whose type is not known is as good a place.
                let known = types.grow(handle, &function.expressions, &context).is_ok();
                let is_it = !known || *types.get(handle, &module.types) == module.types[ty].inner;
                is_it.then(|| self.within(function.expressions.get_span(handle))).flatten()
            })
        })
    }

    /// Refuse what a pipeline may have but a behavior may not: overrides, which depend on the scene; divisions by a constant zero, whose
    /// result depends on the driver; and pointers to parts of variables as arguments, which naga's writer cannot write.
    fn check(&self, info: &naga::valid::FunctionInfo, function: &Function) -> Result<(), (Bytes<usize>, String)> {
        let place = |handle| self.within(function.expressions.get_span(handle)).unwrap_or(0..0);
        for (handle, expression) in function.expressions.iter() {
            if let Expression::Override(declared) = expression {
                let name = self.module.overrides[*declared].name.clone().unwrap_or_default();
                return Err((place(handle), format!("`{name}` is for the program's own shaders")));
            }
            let Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, right, .. } = *expression
            else {
                continue;
            };
            if self.is_zero(&function.expressions, right) {
                return Err((place(handle), "divides by zero, for which drivers give different results".to_owned()));
            }
        }
        let (mut passed, mut streams) = (Vec::new(), Vec::new());
        for_each_call(&function.body, &mut |called, arguments| {
            passed.extend(arguments);
            let last = arguments.last().map(|last| (*last, &function.expressions[*last]));
            streams.extend(match (self.module.functions[called].name.as_deref(), last) {
                // A hash that does not begin with a loaded value, the world's seed, draws from no stream.
                (Some("hash4"), Some((_, Expression::Compose { components, .. }))) => {
                    let is_drawn = matches!(function.expressions[components[0]], Expression::Load { .. });
                    components.last().copied().filter(|_| is_drawn)
                }
                (Some("direction"), Some((last, _))) => Some(last),
                _ => None,
            });
        });
        let is_taken = |stream: &&Handle<Expression>| {
            let written = match function.expressions[**stream] {
                Expression::Constant(constant) => &self.module.global_expressions[self.module.constants[constant].init],
                ref other => other,
            };
            matches!(written, Expression::Literal(Literal::U32(0..=1000)))
        };
        if let Some(stream) = streams.iter().find(is_taken) {
            let message = "the streams of random numbers up to 1000 are the program's: take a number above 1000";
            return Err((place(*stream), message.to_owned()));
        }
        let is_part = |handle: &&Handle<Expression>| {
            let pointer = info[**handle].ty.inner_with(&self.module.types).pointer_space().is_some();
            pointer
                && matches!(function.expressions[**handle], Expression::Access { .. } | Expression::AccessIndex { .. })
        };
        match passed.iter().find(is_part) {
            Some(handle) => Err((
                place(*handle),
                "a pointer to a member or an element cannot be passed; pass one to the whole".to_owned(),
            )),
            None => Ok(()),
        }
    }

    /// True if a value, or a component of it, is the constant float 0. For integers, WGSL defines the quotient even then.
    fn is_zero(&self, expressions: &Arena<Expression>, value: Handle<Expression>) -> bool {
        match expressions[value] {
            Expression::Literal(literal) => literal == Literal::F32(0.0),
            Expression::ZeroValue(ty) => self.module.types[ty].inner.scalar_kind() == Some(ScalarKind::Float),
            Expression::Constant(constant) => {
                self.is_zero(&self.module.global_expressions, self.module.constants[constant].init)
            }
            Expression::Splat { value, .. } => self.is_zero(expressions, value),
            Expression::Compose { ref components, .. } => {
                components.iter().any(|component| self.is_zero(expressions, *component))
            }
            _ => false,
        }
    }
}

/// The options with which shaders become SPIR-V. If they are `checked`, as those of a user, indices stay within bounds and loops end.
pub(crate) fn spirv_options<'a>(checked: bool) -> spv::Options<'a> {
    // Clamped indices (`Restrict`), because naga cannot skip an atomic operation that is out of bounds.
    let bounds = if checked { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
    let bounds = BoundsCheckPolicies { index: bounds, buffer: bounds, image_load: bounds, ..Default::default() };
    spv::Options {
        lang_version: (1, 3),
        bounds_check_policies: bounds,
        force_loop_bounding: checked,
        ..Default::default()
    }
}

/// Compile a kernel that calls these functions of a valid module, up to the driver's language.
fn compiled(module: &Module, called: &[Handle<Function>]) -> Result<(), String> {
    let said = |error: &dyn Error| reason(error);
    let mut module = module.clone();
    let function = caller(&module, called);
    // The override that every pass has. Without any override, naga would compute nothing in advance.
    let size = module.overrides.iter().find(|(_, declared)| declared.name.as_deref() == Some("workgroup_size"));
    let size = size.map(|(handle, _)| Expression::Override(handle));
    let size = size.map(|size| module.global_expressions.append(size, Span::default()));
    module.entry_points.push(EntryPoint {
        name: "trial".to_owned(),
        stage: ShaderStage::Compute,
        early_depth_test: None,
        workgroup_size: [1; 3],
        workgroup_size_overrides: Some([size, None, None]),
        function,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    });
    compact(&mut module, KeepUnused::No);
    let info = validate(&module).map_err(|error| said(error.as_inner()))?;
    let values = module.overrides.iter().filter(|(_, declared)| declared.init.is_none());
    let values = values.filter_map(|(_, declared)| Some((declared.name.clone()?, 1.0))).collect();
    let pipeline = spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: "trial".to_owned() };
    let selected = Some((pipeline.shader_stage, &*pipeline.entry_point));
    let (module, info) = process_overrides(&module, &info, selected, &values).map_err(|error| said(&error))?;
    let write = || spv::write_vec(&module, &info, &spirv_options(true), Some(&pipeline));
    let written = catch_unwind(AssertUnwindSafe(write)).map_err(|_| "the shader compiler failed".to_owned())?;
    written.map(drop).map_err(|error| said(&error))
}

/// A function that calls these functions with zeros and with pointers to variables. Functions with other arguments are not called.
fn caller(module: &Module, called: &[Handle<Function>]) -> Function {
    let mut caller = Function::default();
    let mut append = |expression| caller.expressions.append(expression, Span::default());
    for &handle in called {
        let function = &module.functions[handle];
        let arguments = function.arguments.iter().map(|argument| match module.types[argument.ty].inner {
            TypeInner::Pointer { base, space: AddressSpace::Function } => {
                let variable = LocalVariable { name: None, ty: base, init: None };
                Some(append(Expression::LocalVariable(caller.local_variables.append(variable, Span::default()))))
            }
            TypeInner::Scalar(_)
            | TypeInner::Vector { .. }
            | TypeInner::Matrix { .. }
            | TypeInner::Array { .. }
            | TypeInner::Struct { .. } => Some(append(Expression::ZeroValue(argument.ty))),
            _ => None,
        });
        let Some(arguments) = arguments.collect::<Option<Vec<_>>>() else { continue };
        let result = function.result.as_ref().map(|_| append(Expression::CallResult(handle)));
        caller.body.push(Statement::Call { function: handle, arguments, result }, Span::default());
    }
    caller.body.push(Statement::Return { value: None }, Span::default());
    caller
}
