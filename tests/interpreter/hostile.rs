//! Programs that a reader of other people's code must be ready for: each has a fault of its kind, or the value that is
//! defined.

use crate::{made, program};
use glam::Vec3;
use steerling::cpu::interpreter::{Budget, Fault, FaultKind, ProgramError, Value};

const SMALL: Budget = Budget { operations: 100_000 };

/// Call `f` of a text, with `data` bound to four words.
fn call(text: &str, mut arguments: Vec<Value>) -> Result<Value, Fault> {
    let program = program(text);
    let data = [10, 11, 12, 13];
    let mut machine = program.machine(|name| (name == "data").then_some(&data), SMALL);
    machine.call(program.function("f")?, &mut arguments)
}

fn kind(text: &str, arguments: Vec<Value>) -> FaultKind {
    call(text, arguments).expect_err(text).kind
}

fn value(text: &str, arguments: Vec<Value>) -> Value {
    call(text, arguments).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

const DATA: &str = "@group(0) @binding(0) var<storage, read> data: array<u32>;\n";

#[test]
fn endless_loops_end() {
    let budget = FaultKind::Budget { operations: SMALL.operations };
    assert_eq!(kind("fn f() { loop { } }", vec![]), budget);
    assert_eq!(kind("fn f() { loop { continuing { break if false; } } }", vec![]), budget);
    assert_eq!(kind("fn f() -> u32 { var n = 0u; while (n < 5u) { } return n; }", vec![]), budget);
    assert_eq!(kind("fn f() { for (var i = 0u; i >= 0u; i += 1u) { if (i == 3u) { continue; } } }", vec![]), budget);
    // Long, but not endless: an error of the budget and not of the program.
    let nested = "fn f() -> u32 { var n = 0u; for (var i = 0u; i < 1000u; i += 1u) {
        for (var j = 0u; j < 1000u; j += 1u) { n += 1u; } } return n; }";
    assert_eq!(kind(nested, vec![]), budget);
    let copying = "fn g(a: array<u32, 60000>) -> u32 { return a[5]; }
        fn f() -> u32 { var a: array<u32, 60000>; var n = 0u; for (var i = 0u; i < 100u; i += 1u) { n += g(a); } return n; }";
    assert_eq!(kind(copying, vec![]), budget);
    let program = program(nested);
    let mut machine = program.machine(|_| None, Budget { operations: 100_000_000 });
    assert_eq!(machine.call(program.function("f").unwrap(), &mut []).unwrap(), Value::U32(1_000_000));
}

#[test]
fn faults_name_the_function_and_the_place() {
    let text = "fn inner(x: f32) -> f32 { return 2.0 * sin(x); }\nfn f(x: f32) -> f32 { return inner(x) + 1.0; }";
    let fault = call(text, vec![1f32.into()]).unwrap_err();
    assert_eq!(fault.function, "inner");
    assert_eq!(fault.at, text.find("sin").map(|start| start..start + 3));
    assert!(fault.to_string().contains("`sin`") && fault.to_string().contains("`rotation`"), "{fault}");
    // The same before anything is executed.
    let program = program(text);
    assert_eq!(program.check(program.function("f").unwrap()), Err(fault));
}

#[test]
fn what_has_no_meaning_to_the_bit_says_what_to_use() {
    let calls = [
        ("sin(x)", "rotation"),
        ("cos(x)", "rotation"),
        ("tan(x)", "rotation"),
        ("atan2(x, x)", "angle_of"),
        ("exp(x)", "polynomial"),
        ("log(x)", "polynomial"),
        ("pow(x, x)", "polynomial"),
        ("inverseSqrt(x)", "sqrt"),
        ("dot(v, v)", "dot3"),
        ("length(v)", "dot3"),
        ("distance(v, v)", "dot3"),
        ("normalize(v).x", "unit_or_zero"),
        ("cross(v, v).x", "cross3"),
        ("mix(x, x, x)", "(b - a)"),
        ("fma(x, x, x)", "a * b + c"),
        ("smoothstep(x, x, x)", "polynomial"),
        ("x % x", "trunc"),
        ("(mat2x2f(x, x, x, x) * vec2f(x, x)).x", "order"),
        ("modf(x).fract", "trunc"),
        ("ldexp(x, 3)", "not defined"),
    ];
    for (expression, instead) in calls {
        let text = format!("fn f(x: f32, v: vec3f) -> f32 {{ return {expression}; }}");
        let kind = kind(&text, vec![1f32.into(), Vec3::X.into()]);
        assert!(matches!(&kind, FaultKind::Unsupported(u) if u.instead.contains(instead)), "{expression}: {kind}");
    }
    let statements = [
        ("atomicAdd(&n, 1u);", "atomic"),
        ("n2 = 1u;", "store"),
        ("workgroupBarrier();", "barrier"),
        ("w = 1u;", "workgroup"),
    ];
    for (statement, what) in statements {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
             @group(0) @binding(1) var<storage, read_write> n2: u32;
             var<workgroup> w: u32;
             fn f() {{ {statement} }}"
        );
        let kind = kind(&text, vec![]);
        assert!(matches!(&kind, FaultKind::Unsupported(u) if u.what.contains(what)), "{statement}: {kind}");
    }
}

#[test]
fn branches_that_are_switched_off_are_not_there() {
    let text = "override on: bool = false; fn f(x: f32) -> f32 { if (on) { return sin(x); } return x; }";
    assert_eq!(value(text, vec![2f32.into()]), Value::F32(2.0));
    assert!(program(text).check(program(text).function("f").unwrap()).is_ok());
    let on = made(text, &[("on", 1.0)]).unwrap();
    assert!(on.check(on.function("f").unwrap()).is_err());
    assert!(matches!(made(text, &[("off", 1.0)]), Err(ProgramError::NoOverride { .. })));
}

#[test]
fn overrides_are_evaluated() {
    let text = "override a: u32 = 3; override b: f32 = 0.5; override c: u32 = a * 2u + 1u; const D = vec2u(7u, 8u);
        fn f() -> f32 { var t = array<u32, 2>(c, D.y); return f32(t[0] + t[1]) + b; }";
    assert_eq!(value(text, vec![]), Value::F32(15.5));
    let program = made(text, &[("a", 10.0), ("b", -1.25)]).unwrap();
    let mut machine = program.machine(|_| None, SMALL);
    assert_eq!(machine.call(program.function("f").unwrap(), &mut []).unwrap(), Value::F32(27.75));
    for (name, value) in [("a", -1.0), ("a", 1e10), ("a", f64::NAN), ("b", 1e300)] {
        assert!(matches!(made(text, &[(name, value)]), Err(ProgramError::Override { .. })), "{name} = {value}");
    }
}

#[test]
fn indices_are_kept_within_bounds() {
    let buffer = format!("{DATA} fn f(i: i32) -> u32 {{ return data[i]; }}");
    let local = "fn f(i: i32) -> u32 { var a = array<u32, 3>(5u, 6u, 7u); return a[i]; }";
    let by_value = "fn f(i: i32) -> u32 { let a = array<u32, 3>(5u, 6u, 7u); return a[i]; }";
    let component = "fn f(i: i32) -> u32 { return vec3u(5u, 6u, 7u)[i]; }";
    let behind = "fn g(p: ptr<function, array<u32, 3>>, i: i32) -> u32 { return (*p)[i]; }
        fn f(i: i32) -> u32 { var a = array<u32, 3>(5u, 6u, 7u); return g(&a, i); }";
    let stored =
        "fn f(i: i32) -> u32 { var a = array<u32, 3>(5u, 6u, 7u); a[i] = 9u; return a[0] * 100u + a[1] * 10u + a[2]; }";
    for (index, expected) in [(0, 0), (1, 1), (2, 2), (3, 2), (1_000_000, 2), (i32::MAX, 2), (-1, 2), (i32::MIN, 2)] {
        for text in [local, by_value, component, behind] {
            assert_eq!(value(text, vec![index.into()]), Value::U32(5 + expected), "{text} {index}");
        }
        let from_buffer = if (0..3).contains(&index) { 10 + expected } else { 13 };
        assert_eq!(value(&buffer, vec![index.into()]), Value::U32(from_buffer));
        assert_eq!(value(stored, vec![index.into()]), Value::U32([967, 597, 569][expected as usize]));
    }
    assert_eq!(value(&format!("{DATA} fn f() -> u32 {{ return arrayLength(&data); }}"), vec![]), Value::U32(4));
}

#[test]
fn buffers_that_are_missing_or_too_short_are_faults() {
    let text = "struct Row { a: u32, b: vec3f }\n@group(0) @binding(0) var<storage, read> rows: array<Row>;
        @group(0) @binding(1) var<uniform> one: Row;
        fn f(i: u32) -> Row { return rows[i]; }\nfn g() -> vec3f { return one.b; }";
    let program = program(text);
    let (f, g) = (program.function("f").unwrap(), program.function("g").unwrap());
    let none = |_: &str| None;
    let kind = program.machine(none, SMALL).call(f, &mut [0u32.into()]).unwrap_err().kind;
    assert_eq!(kind, FaultKind::NoBuffer { name: "rows".into() });
    let words: Vec<u32> = (0..16).map(|k| (k as f32).to_bits()).collect();
    for (bound, expected) in [(16, true), (15, true), (8, true), (7, false), (0, false)] {
        let mut machine = program.machine(|name| (name == "rows").then_some(&words[..bound]), SMALL);
        let result = machine.call(f, &mut [1u32.into()]);
        assert_eq!(result.is_ok(), expected, "{bound}");
        if bound == 16 {
            let row = vec![Value::U32(words[8]), Vec3::new(12.0, 13.0, 14.0).into()];
            assert_eq!(result.unwrap(), Value::Composite(row));
        } else if !expected {
            assert!(matches!(result.unwrap_err().kind, FaultKind::BufferTooShort { .. }));
        }
    }
    let mut machine = program.machine(|name| (name == "one").then_some(&words[..6]), SMALL);
    assert!(matches!(machine.call(g, &mut []).unwrap_err().kind, FaultKind::BufferTooShort { words: 6, index: 6, .. }));
}

#[test]
fn wrong_calls_are_faults() {
    let text = "struct S { a: u32, b: bool }\nfn f(x: f32, s: S) -> bool { return s.b && x > 0.0; }";
    let good = || vec![Value::F32(1.0), Value::Composite(vec![Value::U32(1), Value::Bool(true)])];
    assert_eq!(value(text, good()), Value::Bool(true));
    assert_eq!(kind(text, vec![]), FaultKind::ArgumentCount { expected: 2, found: 0 });
    assert_eq!(kind(text, vec![Value::F32(1.0); 3]), FaultKind::ArgumentCount { expected: 2, found: 3 });
    for wrong in [Value::U32(1), Value::Vec3(Vec3::X), Value::Words(vec![1]), Value::Words(vec![1, 2])] {
        let expected = FaultKind::ArgumentType { index: 2, expected: "S".into() };
        assert_eq!(kind(text, vec![Value::F32(1.0), wrong]), expected);
    }
    assert_eq!(
        kind(text, vec![Value::I32(1), good().remove(1)]),
        FaultKind::ArgumentType { index: 1, expected: "f32".into() }
    );
    let program = program(text);
    assert_eq!(program.function("h").unwrap_err().kind, FaultKind::NoFunction);
}

#[test]
fn pointers_and_private_variables() {
    let program = program(
        "struct S { a: array<vec3f, 2>, n: u32 } var<private> count: u32 = 40u;
        fn add(p: ptr<function, vec3f>, n: ptr<private, u32>) { (*p).y += 1.0; *n += 1u; }
        fn f(s: ptr<function, S>, i: u32) -> u32 {
            var v = (*s).a[i]; add(&v, &count); (*s).a[i] = v; (*s).n += i; return count; }",
    );
    let mut machine = program.machine(|_| None, SMALL);
    let f = program.function("f").unwrap();
    for call in 0..3u32 {
        let part = |y: f32| Value::Vec3(Vec3::new(1.0, y, 3.0));
        let s = |y: f32, n: u32| Value::Composite(vec![Value::Composite(vec![part(5.0), part(y)]), Value::U32(n)]);
        let mut arguments = [s(7.0, 10), 1u32.into()];
        // Private variables begin anew in every call.
        assert_eq!(machine.call(f, &mut arguments).unwrap(), Value::U32(41), "call {call}");
        assert_eq!(arguments[0], s(8.0, 11));
    }
    // The words that a value has in a buffer are read with their padding.
    let one = 1f32.to_bits();
    let mut arguments = [Value::Words(vec![one, 0, 0, 0, 0, one, 0, 0, 3, 0, 0, 0]), 1u32.into()];
    machine.call(f, &mut arguments).unwrap();
    let vectors = vec![Vec3::X.into(), Vec3::new(0.0, 2.0, 0.0).into()];
    assert_eq!(arguments[0], Value::Composite(vec![vectors.into(), 4u32.into()]));
}

#[test]
fn deep_and_large_programs_stay_within_their_bounds() {
    // naga's parser gives up by itself at some depth; what it takes must not exhaust a stack here.
    let sum = (0..5000).fold("x".to_owned(), |sum, k| sum + &format!(" + {k}.0"));
    let deep_sum = format!("fn f(x: f32) -> f32 {{ return {sum}; }}");
    let work = move || {
        assert_eq!(value(&deep_sum, vec![1f32.into()]), Value::F32((0..5000).fold(1f32, |sum, k| sum + k as f32)));
        let branches: String = (0..3000).map(|k| format!("else if (x == {k}u) {{ return {k}u + 1u; }} ")).collect();
        let text = format!("fn f(x: u32) -> u32 {{ if (x == 9999u) {{ return 0u; }} {branches} return 7u; }}");
        assert_eq!(value(&text, vec![2999u32.into()]), Value::U32(3000));
        let types: String = (1..40).map(|k| format!("struct T{k} {{ t: T{} }}\n", k - 1)).collect();
        let text = format!("struct T0 {{ t: u32 }}\n{types}");
        assert!(matches!(made(&text, &[]), Err(ProgramError::TypeTooDeep { .. })));
    };
    // What naga itself needs of a stack is not the question here.
    std::thread::Builder::new().stack_size(256 << 20).spawn(work).unwrap().join().unwrap();
    let memory = |text: &str| assert!(matches!(kind(text, vec![]), FaultKind::Memory { .. }), "{text}");
    memory("fn f() -> u32 { var a: array<u32, 400000000>; return a[7]; }");
    let argument = "fn f(a: array<u32, 2000000>) -> u32 { return a[7]; }";
    assert!(matches!(kind(argument, vec![Value::U32(1)]), FaultKind::Memory { .. }));
    memory("fn f() -> u32 { var a: array<u32, 900000>; var b = a; return b[7]; }");
    let calls: String = (1..20)
        .map(|k| format!("fn g{k}() -> u32 {{ var a: array<u32, 90000>; return a[{k}] + g{}(); }}\n", k - 1))
        .collect();
    memory(&format!("fn g0() -> u32 {{ return 1u; }}\n{calls}fn f() -> u32 {{ return g19(); }}"));
    let function = |k: usize| format!("fn g{k}(i: u32) -> u32 {{ return c[i]; }}\n");
    let functions: String = (0..60).map(function).collect();
    memory(&format!(
        "const c = array<u32, 100000>();\n{functions}fn f() -> u32 {{ var i = 3u; return g0(i) + g59(i); }}"
    ));
}
