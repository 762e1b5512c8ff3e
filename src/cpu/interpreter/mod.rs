//! An interpreter of WGSL: executes a function of a module that naga has validated, in f32, with the bits that a GPU
//! has where floats are computed as written.
//!
//! It is the reference for behaviors that have no twin in Rust. The functions of a module are compiled once, to
//! operations on words ([`Program`]); a [`Machine`] executes them with buffers bound. Buffers are read only. Indices are
//! kept within bounds, as they are on the GPU for shaders that a user supplies, and a call has a [`Budget`], so that an
//! endless loop is a [`Fault`]. What has no meaning to the bit, such as `sin`, is a fault that says what to use instead.
//!
//! ```
//! use steerling::cpu::interpreter::{Budget, Program, Value};
//!
//! let text = "@group(0) @binding(0) var<storage, read> heights: array<f32>;
//!     fn twice(place: u32) -> f32 { return 2.0 * heights[place]; }";
//! let module = naga::front::wgsl::parse_str(text)?;
//! let info = naga::valid::Validator::new(Default::default(), Default::default()).validate(&module)?;
//! let program = Program::new(&module, &info, &Default::default())?;
//! let heights = [1.0f32, 5.0].map(f32::to_bits);
//! let mut machine = program.machine(|name| (name == "heights").then_some(&heights), Budget::default());
//! let result = machine.call(program.function("twice")?, &mut [Value::U32(1)])?;
//! assert_eq!(result, Value::F32(10.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
mod arithmetic;
mod compile;
mod fault;
mod layout;
mod machine;
mod op;
mod statements;
mod value;

pub use fault::{Fault, FaultKind, ProgramError, Unsupported};
pub use machine::Machine;
pub use value::Value;

use compile::{Compiler, Scope};
use layout::{Shape, Types};
use naga::valid::ModuleInfo;
use naga::{AddressSpace, Expression, Module, Scalar, TypeInner};
use op::{Base, Code, Constants, Item, Op, Parameter, Place};

/// The most words of all frames together: 4 MiB.
const MOST_WORDS: usize = 1 << 20;

/// The most words that the templates of all functions have together: their constants, and the initial values of their variables.
const MOST_TEMPLATE_WORDS: usize = 4 * MOST_WORDS;

/// How long a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Number of operations. An expression or statement is one or a few, and sixteen copied words count as one.
    pub operations: u64,
}

impl Default for Budget {
    /// About ten milliseconds.
    fn default() -> Self {
        Budget { operations: 1 << 20 }
    }
}

/// A function of a [`Program`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function(usize);

/// The functions of a module, compiled.
#[derive(Debug)]
pub struct Program {
    types: Types,
    /// In naga's order, in which a function calls only earlier ones.
    code: Vec<Code>,
    /// Names of the uniform and storage buffers.
    buffers: Vec<String>,
    /// What the private variables hold when a call begins.
    private: Vec<u32>,
}

fn no_stores() -> Unsupported {
    Unsupported::new("a store to a buffer", "buffers are only read here")
}

impl Program {
    /// Compile all functions of a module. The module must be valid, and `info` the validator's result for it. `overrides`
    /// gives values by name, as for pipeline constants.
    ///
    /// # Errors
    /// A value for an override that does not exist or cannot hold it, and types that are nested too deeply. What a function
    /// does that cannot be executed is no error here, but one of [`Program::check`] and of the call.
    pub fn new(
        module: &Module,
        info: &ModuleInfo,
        overrides: &naga::back::PipelineConstants,
    ) -> Result<Self, ProgramError> {
        let types = Types::new(module)?;
        let given = given_words(module, overrides)?;
        let type_of = |handle: naga::Handle<Expression>| &info[handle];
        let mut compiler = Compiler::new(module, &types, Scope::Module(&given), &module.global_expressions, &type_of);
        compiler.fold_constants();
        let known = |init: naga::Handle<Expression>| compiler.item(init).unwrap_or_else(Item::Unsupported);
        let mut constants = Constants {
            constants: module.constants.iter().map(|(_, constant)| known(constant.init)).collect(),
            ..Constants::default()
        };
        let no_value = || Item::Unsupported(Unsupported::new("an override", "it has no value"));
        let inits = module.overrides.iter().map(|(_, value)| value.init.map_or_else(no_value, known));
        constants.overrides = inits.collect();
        let (mut buffers, mut private, mut globals) = (Vec::new(), Vec::new(), Vec::new());
        for (_, variable) in module.global_variables.iter() {
            let layout = types.at(variable.ty);
            globals.push(match variable.space {
                AddressSpace::Uniform | AddressSpace::Storage { .. } if layout.shape != Shape::Opaque => {
                    buffers.push(variable.name.clone().unwrap_or_default());
                    Item::Place(Place { base: Base::Buffer(buffers.len() as u32 - 1), offset: 0 })
                }
                AddressSpace::Private if private.len() + (layout.words as usize) < MOST_WORDS => {
                    let offset = private.len();
                    private.resize(offset + layout.words as usize, 0);
                    if let Some(Item::Value(slot)) = variable.init.map(known) {
                        let init = &compiler.template[slot as usize..][..layout.words as usize];
                        private[offset..].copy_from_slice(init);
                    }
                    Item::Place(Place { base: Base::Stack, offset: offset as u32 })
                }
                AddressSpace::Private => Item::Unsupported(Unsupported::new("a private variable", "it is too large")),
                AddressSpace::WorkGroup => {
                    Item::Unsupported(Unsupported::new("a workgroup variable", "it has no meaning for one invocation"))
                }
                // A texture of words is bound like a buffer: by the words of its texels.
                _ if holds_words(&module.types[variable.ty].inner) => {
                    buffers.push(variable.name.clone().unwrap_or_default());
                    Item::Place(Place { base: Base::Buffer(buffers.len() as u32 - 1), offset: 0 })
                }
                _ => Item::Unsupported(Unsupported::new("a texture", "only buffers and texture_2d<u32> are bound")),
            });
        }
        constants.words = std::mem::take(&mut compiler.template);
        for (item, word) in constants.overrides.iter_mut().zip(&given) {
            if let Some(word) = word {
                *item = Item::Value(constants.words.len() as u32);
                constants.words.push(*word);
            }
        }
        let mut program = Program { types, code: Vec::new(), buffers, private };
        let mut template_words = 0;
        for (handle, function) in module.functions.iter() {
            let mut code = program.compile(module, &info[handle], &constants, &globals, function);
            template_words += code.template.len();
            if template_words > MOST_TEMPLATE_WORDS {
                code.refuse();
            }
            program.code.push(code);
        }
        Ok(program)
    }

    fn compile(
        &self,
        module: &Module,
        info: &naga::valid::FunctionInfo,
        constants: &Constants,
        globals: &[Item],
        function: &naga::Function,
    ) -> Code {
        let type_of = |handle: naga::Handle<Expression>| &info[handle].ty;
        let mut compiler =
            Compiler::new(module, &self.types, Scope::Function(constants), &function.expressions, &type_of);
        compiler.fold_constants();
        let mut variables = Vec::new();
        for (_, variable) in function.local_variables.iter() {
            let words = self.types.at(variable.ty).words;
            let slot = compiler.keep_zeros(words);
            if let Some(init) = variable.init.filter(|_| !compiler.too_large) {
                match compiler.value(init) {
                    Ok(from) => compiler.template.copy_within(from as usize..(from + words) as usize, slot as usize),
                    Err(unsupported) => compiler.trap(unsupported),
                }
            }
            variables.push(slot);
        }
        let mut parameters = Vec::new();
        let mut arguments = Vec::new();
        for argument in &function.arguments {
            let layout = self.types.at(argument.ty);
            let slot = compiler.reserve(layout.words);
            let (ty, item) = match layout.shape {
                Shape::Pointer { to } => {
                    let place = Place { base: Base::Pointer(slot), offset: 0 };
                    (to.unwrap_or(argument.ty.index()), Item::Place(place))
                }
                _ => (argument.ty.index(), Item::Value(slot)),
            };
            let pointer = matches!(item, Item::Place(_));
            parameters.push(Parameter { ty, pointer, words: self.types.layouts[ty].words });
            arguments.push(item);
        }
        for (handle, expression) in function.expressions.iter() {
            let item = match expression {
                Expression::FunctionArgument(index) => arguments.get(*index as usize).cloned(),
                Expression::LocalVariable(variable) => {
                    let offset = variables[variable.index()];
                    Some(Item::Place(Place { base: Base::Frame, offset }))
                }
                Expression::GlobalVariable(variable) => Some(globals[variable.index()].clone()),
                _ => continue,
            };
            compiler.items[handle.index()] = item;
        }
        statements::compile_body(&mut compiler, &function.body);
        let mut code = Code {
            name: function.name.clone().unwrap_or_default(),
            arguments: parameters,
            result: function.result.as_ref().map(|result| result.ty.index()),
            ops: compiler.ops,
            spans: compiler.spans,
            template: compiler.template,
            frame: compiler.frame,
        };
        if compiler.too_large {
            code.refuse();
        }
        code
    }

    /// A function by its name.
    ///
    /// # Errors
    /// [`FaultKind::NoFunction`].
    pub fn function(&self, name: &str) -> Result<Function, Fault> {
        let found = self.code.iter().position(|code| code.name == name);
        found.map(Function).ok_or_else(|| Fault { function: name.to_owned(), at: None, kind: FaultKind::NoFunction })
    }

    /// Can everything that the function may reach be executed?
    ///
    /// # Errors
    /// The first thing in it, or in the functions that it calls, that cannot.
    pub fn check(&self, function: Function) -> Result<(), Fault> {
        let mut left = vec![function.0];
        let mut seen = vec![false; self.code.len()];
        while let Some(index) = left.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            let code = &self.code[index];
            for (op, span) in code.ops.iter().zip(&code.spans) {
                match op {
                    Op::Trap(kind) => return Err(code.fault(*span, (**kind).clone())),
                    Op::Call { function, .. } => left.push(*function as usize),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// A value for an argument of a function, all bits zero; `None` if the function has no such argument.
    pub fn zero(&self, function: Function, argument: usize) -> Option<Value> {
        let argument = self.code.get(function.0)?.arguments.get(argument)?;
        Some(self.types.decode(argument.ty, &vec![0; self.types.layouts[argument.ty].words as usize]))
    }

    /// A machine that executes functions of this program. `words` gives the contents of each uniform or storage buffer
    /// by its name, as they lie in the buffer; what no function reads may be left out.
    pub fn machine<'a>(&'a self, words: impl Fn(&str) -> Option<&'a [u32]>, budget: Budget) -> Machine<'a> {
        Machine::new(self, self.buffers.iter().map(|name| words(name)).collect(), budget)
    }
}

/// Is it a `texture_2d<u32>`?
fn holds_words(ty: &TypeInner) -> bool {
    let class = naga::ImageClass::Sampled { kind: naga::ScalarKind::Uint, multi: false };
    *ty == TypeInner::Image { dim: naga::ImageDimension::D2, arrayed: false, class }
}

/// The word of each override for which the caller gives a value.
fn given_words(module: &Module, overrides: &naga::back::PipelineConstants) -> Result<Vec<Option<u32>>, ProgramError> {
    let mut given = vec![None; module.overrides.len()];
    for (name, value) in overrides {
        let found = module.overrides.iter().find(|(_, known)| known.name.as_ref() == Some(name));
        let Some((handle, known)) = found else { return Err(ProgramError::NoOverride { name: name.clone() }) };
        let whole = value.trunc();
        let word = match module.types[known.ty].inner {
            TypeInner::Scalar(Scalar::BOOL) => Some(u32::from(*value != 0.0 && !value.is_nan())),
            TypeInner::Scalar(Scalar::U32) => (0.0..=f64::from(u32::MAX)).contains(&whole).then_some(whole as u32),
            TypeInner::Scalar(Scalar::I32) => {
                let range = f64::from(i32::MIN)..=f64::from(i32::MAX);
                range.contains(&whole).then_some((whole as i32).cast_unsigned())
            }
            TypeInner::Scalar(Scalar::F32) => (*value as f32).is_finite().then_some((*value as f32).to_bits()),
            _ => None,
        };
        let reason = "its type cannot hold the value";
        given[handle.index()] = Some(word.ok_or_else(|| ProgramError::Override { name: name.clone(), reason })?);
    }
    Ok(given)
}
