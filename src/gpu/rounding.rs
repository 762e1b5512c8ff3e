//! How a device rounds, and functions in place of divisions and roots on devices that round these otherwise than IEEE 754 says.
//!
//! Vulkan asks for sums and products that are rounded to nearest, but lets a quotient be off by 2.5 units in the last place, and
//! roots too; and it lets numbers below the smallest normal one become 0. GPUs make use of it. Then no flock has the bits of another
//! device. `shaders/read/rounded.wgsl` computes both right from what GPUs do round right. A device is asked what it does: what Vulkan
//! allows says nothing of that.

use super::precise::{self, Float};
use super::readback::Readback;
use super::{Gpu, GpuError};
use crate::model::random;
use crate::scene::{reason, validate};
use naga::valid::ModuleInfo;
use naga::{Arena, BinaryOperator, Block, Expression, Function, Handle, MathFunction, Module, Span, Statement, Type};
use naga::{ScalarKind, TypeInner, VectorSize};
use std::collections::BTreeMap;
use wgpu::util::DeviceExt;

/// The functions that take the place of divisions and roots.
const ROUNDED: &str = include_str!("../../shaders/read/rounded.wgsl");

const PROBE: &str = include_str!("../../shaders/read/probe.wgsl");

/// Pairs of numbers that a device is asked about; a divisor of it is the workgroup's size.
const PAIRS: u32 = 1 << 13;

/// How floats have to be written for a device, so that it computes what IEEE 754 says. None where neither way does it.
pub(super) fn float(gpu: &Gpu) -> Option<Float> {
    [Float::AsWritten, Float::Rounded(ROUNDED)].into_iter().find(|float| is_right(gpu, *float).unwrap_or(false))
}

/// A pair of numbers: near one, of any size, and at the ends.
fn pair(k: u32) -> [f32; 2] {
    let any = random::hash4([k, 5, 6, 7]);
    let medium = |bits: u32| (bits & 0x80ff_ffff) + 0x3f00_0000;
    let ends = [0, 1, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x7f80_0000, 0x3f80_0000, 0x3fff_ffff];
    let bits = match k % 4 {
        0 | 1 => [medium(any[0]), medium(any[1])],
        // Quotients and products of these are often subnormal.
        2 => [any[0] & 0x9fff_ffff, any[1]],
        _ => [ends[any[0] as usize % 8], if any[2] & 1 == 0 { any[1] } else { ends[any[1] as usize % 8] }],
    };
    bits.map(f32::from_bits)
}

fn expected([a, b]: [f32; 2]) -> [f32; 4] {
    [a / b, a.sqrt(), a * b, a * b + a]
}

/// Does the device compute what IEEE 754 says, with floats written so?
fn is_right(gpu: &Gpu, float: Float) -> Result<bool, GpuError> {
    let failed = |what: String| GpuError::Device(format!("the probe of its floats: {what}"));
    let module = naga::front::wgsl::parse_str(PROBE).map_err(|error| failed(error.to_string()))?;
    let info = validate(&module).map_err(|error| failed(reason(error.as_inner())))?;
    let words = precise::words(&module, &info, float, false, None).map_err(failed)?;
    let pairs: Vec<[f32; 2]> = (0..PAIRS).map(pair).collect();
    let read = Readback::of(gpu.clone(), |gpu, encoder| {
        let device = &gpu.device;
        let shader = precise::load(device, "probe", 64, &words);
        let entry = |binding, read_only| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("probe"),
            entries: &[entry(0, true), entry(1, false)],
        });
        let pipeline = super::pipelines::pipeline(device, "probe", &layout, &shader);
        let buffer = |words: &[u32]| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("probe"),
                contents: bytemuck::cast_slice(words),
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            })
        };
        let (given, found) = (buffer(bytemuck::cast_slice(&pairs)), buffer(&vec![0; 4 * pairs.len()]));
        let entries = [&given, &found].map(wgpu::Buffer::as_entire_binding);
        let entries: Vec<_> =
            (0..).zip(entries).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("probe"),
            layout: &layout,
            entries: &entries,
        });
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(PAIRS / 64, 1, 1);
        drop(pass);
        let staging = Readback::staging(gpu, &[&found], 1);
        Readback::copy(encoder, &[&found], &staging, 0);
        staging
    });
    let found = read.wait()?;
    let same = |(a, b): (f32, u32)| a.to_bits() == b || (a.is_nan() && f32::from_bits(b).is_nan());
    Ok(pairs.iter().flat_map(|pair| expected(*pair)).zip(found[0].iter().copied()).all(same))
}

/// The module with the functions of a text in place of its divisions and roots of floats.
///
/// # Errors
/// What naga says of the text, or of what became of the module.
pub(super) fn written_out(module: &Module, info: &ModuleInfo, text: &str) -> Result<(Module, ModuleInfo), String> {
    let functions = naga::front::wgsl::parse_str(text).map_err(|error| error.to_string())?;
    let mut result = module.clone();
    result.functions = Arena::new();
    let calls = Calls::import(&mut result, functions)?;
    // A function calls only earlier ones, so these go first, and the others get other handles.
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
    let info = validate(&result).map_err(|error| reason(error.as_inner()))?;
    Ok((result, info))
}

/// What is called in place of an expression, with which arguments.
type Replaced = BTreeMap<Handle<Expression>, (Handle<Function>, Vec<Handle<Expression>>)>;

/// The functions for a division and a root of floats, by the size of the vector.
struct Calls {
    quotient: BTreeMap<Option<VectorSize>, Handle<Function>>,
    /// Of a vector and a number.
    quotient_by: BTreeMap<Option<VectorSize>, Handle<Function>>,
    root: BTreeMap<Option<VectorSize>, Handle<Function>>,
}

impl Calls {
    /// Take functions over into a module that has none.
    fn import(module: &mut Module, functions: Module) -> Result<Calls, String> {
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
                        *expression = functions.global_expressions[functions.constants[*constant].init].clone();
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

/// A function with calls in place of some expressions, and other handles of the functions that it calls.
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
            Statement::Block(inner) => rewrite(inner, replaced, moved),
            Statement::If { accept, reject, .. } => {
                rewrite(accept, replaced, moved);
                rewrite(reject, replaced, moved);
            }
            Statement::Switch { cases, .. } => {
                cases.iter_mut().for_each(|case| rewrite(&mut case.body, replaced, moved));
            }
            Statement::Loop { body, continuing, .. } => {
                rewrite(body, replaced, moved);
                rewrite(continuing, replaced, moved);
            }
            _ => {}
        }
        body.push(statement, span);
    }
    *block = body;
}

#[cfg(test)]
mod tests {
    use super::super::{AdapterChoice, Options, Simulation};
    use super::*;
    use crate::model::State;
    use crate::scene::Scene;

    /// The functions, with what needs an `fma` that rounds once done by the driver's own division and root.
    fn of_the_driver() -> String {
        let body = |text: &str, name: &str, body: &str| {
            let (before, rest) = text.split_once(&format!("fn {name}(")).expect(name);
            let (head, rest) = rest.split_once("{\n").unwrap();
            let (_, after) = rest.split_once("\n}\n").unwrap();
            format!("{before}fn {name}({head}{{\n{body}\n}}\n{after}")
        };
        body(&body(ROUNDED, "divided", "    return a / b;"), "medium_root", "    return sqrt(x);")
    }

    fn leaked(text: &str) -> Float {
        Float::Rounded(Box::leak(text.to_owned().into_boxed_str()))
    }

    fn gpus() -> Vec<Gpu> {
        let usable = Gpu::adapters().iter().filter(|report| report.refusals.is_empty()).count();
        let gpus: Vec<_> = (0..usable).map(|index| Gpu::open(&AdapterChoice::Index(index)).unwrap()).collect();
        gpus.into_iter().filter(|gpu| gpu.exact).collect()
    }

    /// Drivers that compute on the CPU are taken for right without being asked; here they are asked. The functions prove right there
    /// in all but the steps with `fma`, which rounds twice on them: with that they are told from right, as with each mistake.
    #[test]
    fn a_device_is_asked_how_it_rounds() {
        let gpus = gpus();
        assert!(!gpus.is_empty());
        for gpu in gpus {
            assert!(is_right(&gpu, Float::AsWritten).unwrap(), "{}", gpu.title());
            let own = of_the_driver();
            assert!(is_right(&gpu, leaked(&own)).unwrap(), "{}", gpu.title());
            if gpu.software() {
                assert!(!is_right(&gpu, Float::Rounded(ROUNDED)).unwrap(), "{}", gpu.title());
            }
            for (from, to) in [
                ("return a / b;", "return a * (1.0 / b);"),
                ("return sqrt(x);", "return x * inverseSqrt(x);"),
                ("1 - i32(zeros)", "i32(zeros)"),
                ("rest > 0.0 ||", "rest < 0.0 ||"),
                ("lost > half", "lost >= half"),
                ("exponent > 0)", "exponent >= 0)"),
                ("exponent >= 255", "exponent >= 254"),
                ("sign | INFINITE;\n    }\n    let digits", "sign;\n    }\n    let digits"),
                ("return sign;", "return 0u;"),
                ("odd == 1", "odd == 0"),
                ("x == INFINITE", "x > INFINITE"),
            ] {
                assert_eq!(own.matches(from).count(), 1, "{from}");
                let wrong = leaked(&own.replace(from, to));
                assert!(!is_right(&gpu, wrong).unwrap(), "{from} to {to} on {}", gpu.title());
            }
        }
    }

    /// A flock has the same bits with calls in place of its divisions and roots, and others where a call is a bit off.
    #[test]
    fn calls_take_the_place_of_divisions_and_roots() {
        let off = |text: &str, from: &str| text.replace(from, &from.replace("return ", "return 1.0000001 * "));
        let own = of_the_driver();
        for gpu in &mut gpus() {
            let scene = Scene::open("flock", &[]).unwrap().with_agents(600).unwrap();
            let mut digest = |float: Float| {
                gpu.float = Some(float);
                let mut simulation =
                    Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default()).unwrap();
                simulation.step(5).unwrap();
                simulation.observe().unwrap().digest_hex()
            };
            let expected = digest(Float::AsWritten);
            assert_eq!(digest(leaked(&own)), expected, "{}", gpu.title());
            for from in ["return a / b;", "return sqrt(x);"] {
                assert_ne!(digest(leaked(&off(&own, from))), expected, "{from} on {}", gpu.title());
            }
        }
    }
}
