//! The same functions, from the same text, on the GPU and in the interpreter, on values that are hard on both.

use naga::back::PipelineConstants;
use std::fmt::Write;
use steerling::cpu::interpreter::{Budget, Program, Value};
use steerling::gpu::Options;
use steerling::model::BufferId;
use steerling::shaders::Sources;
use support::{everything, gpu, in_place_of_steer, parsed};

/// Words that are special as floats, as integers, or as both.
const WORDS: [u32; 44] = [
    0,
    0x8000_0000, // -0.0, i32::MIN
    0x3f80_0000, // 1.0
    0xbf80_0000, // -1.0
    0x3f00_0000, // 0.5
    0xbf00_0000, // -0.5
    0x3fc0_0000, // 1.5
    0xbfc0_0000, // -1.5
    0x4020_0000, // 2.5
    0xc020_0000, // -2.5
    0x3eff_ffff, // the float before 0.5
    0x3dcc_cccd, // 0.1
    0x406c_cccd, // 3.7
    0xc06c_cccd, // -3.7
    0x4b00_0001, // 8388609
    0x4aff_ffff, // 8388607.5
    0x4f7f_ffff, // 4294967040, the largest float that is a u32
    0x4f80_0000, // 4294967296
    0x4eff_ffff, // 2147483520, the largest float that is an i32
    0x4f00_0000, // 2147483648
    0xcf00_0000, // -2147483648
    0xcf00_0001, // -2147483904
    0x60ad_78ec, // 1e20
    0xe0ad_78ec, // -1e20
    0x7f7f_ffff, // the largest float
    0xff7f_ffff, // the smallest
    0x7f80_0000, // infinity
    0xff80_0000, // -infinity
    0x7fc0_0000, // NaN
    0xffc0_0000, // -NaN
    0x0080_0000, // the smallest normal float
    0x0001_16c2, // 1e-40, subnormal
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    40,
    0x7fff_ffff,
    0xffff_fffe,
    0xffff_ffff,
    0x1234_5678,
];

/// Bits of expressions over floats x, y, z, unsigned a, b, c and signed i, j, k, which are the same three words.
const FLOATS: [&str; 33] = [
    "x + y",
    "x - y",
    "x * y",
    "x / y",
    "-x",
    "x * y + z",
    "sqrt(x)",
    "min(x, y)",
    "max(x, y)",
    "clamp(x, y, z)",
    "abs(x)",
    "sign(x)",
    "floor(x)",
    "ceil(x)",
    "trunc(x)",
    "round(x)",
    "fract(x)",
    "step(x, y)",
    "saturate(x)",
    "select(x, y, a > b)",
    "f32(a)",
    "f32(i)",
    "f32(a > b)",
    "f32(x < y)",
    "f32(x <= y)",
    "f32(x > y)",
    "f32(x >= y)",
    "f32(x == y)",
    "f32(x != y)",
    "f32(!(x < y))",
    "f32(bool(x))",
    "vec3f(x, y, z)[a]",
    "(vec2f(x, y) * z).y",
];
const WHOLE: [&str; 33] = [
    "u32(x)",
    "bitcast<u32>(i32(x))",
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "a % b",
    "bitcast<u32>(i / j)",
    "bitcast<u32>(i % j)",
    "bitcast<u32>(-i)",
    "~a",
    "a & b",
    "a | b",
    "a ^ b",
    "a << b",
    "a >> b",
    "bitcast<u32>(i >> b)",
    "min(a, b)",
    "max(a, b)",
    "clamp(a, b, c)",
    "bitcast<u32>(min(i, j))",
    "bitcast<u32>(clamp(i, j, k))",
    "bitcast<u32>(abs(i))",
    "bitcast<u32>(sign(i))",
    "u32(i < j)",
    "countOneBits(a)",
    "countLeadingZeros(a)",
    "countTrailingZeros(a)",
    "reverseBits(a)",
    "firstLeadingBit(a)",
    "bitcast<u32>(firstLeadingBit(i))",
    "firstTrailingBit(a)",
    "extractBits(a, b, c)",
];

fn expressions() -> Vec<String> {
    let floats = FLOATS.iter().map(|text| format!("bitcast<u32>({text})"));
    floats.chain(WHOLE.iter().map(|text| (*text).to_owned())).collect()
}

/// All pairs of words, with a third one.
fn inputs() -> Vec<[u32; 3]> {
    let n = WORDS.len();
    (0..n * n).map(|k| [WORDS[k / n], WORDS[k % n], WORDS[(k * 7 + k / n) % n]]).collect()
}

/// One function for each expression, and what calls one for each agent.
fn text(inputs: usize) -> [String; 2] {
    let (mut functions, mut cases) = (String::new(), String::new());
    for (index, expression) in expressions().iter().enumerate() {
        writeln!(
            functions,
            "fn tried_{index}(a: u32, b: u32, c: u32) -> u32 {{\n\
             let x = bitcast<f32>(a); let y = bitcast<f32>(b); let z = bitcast<f32>(c);\n\
             let i = bitcast<i32>(a); let j = bitcast<i32>(b); let k = bitcast<i32>(c);\n\
             return {expression};\n}}"
        )
        .unwrap();
        writeln!(cases, "case {index}u: {{ result = tried_{index}(a, b, c); }}").unwrap();
    }
    let body = format!(
        "let first = 3u * (place % {inputs}u);\n\
         let a = sorted_id[first]; let b = sorted_id[first + 1u]; let c = sorted_id[first + 2u];\n\
         var result = 0u;\n\
         switch (place / {inputs}u) {{\n{cases}default: {{ }}\n}}\n\
         neighbors[place] = result;"
    );
    [functions, body]
}

fn on_gpu(functions: &str, body: &str, inputs: &[[u32; 3]]) -> Vec<u32> {
    let agents = expressions().len() * inputs.len();
    let text = "schema = 1\nworld = { size = [9, 9, 9], boundary = \"open\" }\n[[species]]\ncount = 0\n";
    let scene = parsed(text, &[&format!("species.0.count={agents}")]);
    let mut words = vec![0; agents];
    words[..3 * inputs.len()].copy_from_slice(inputs.as_flattened());
    let (given, written) = ([(BufferId::SortedId, words)], BufferId::Neighbors);
    let mut results = in_place_of_steer(&gpu(), &scene, Options::default(), [functions, body], &given, written);
    results.truncate(agents);
    results
}

#[test]
fn hostile_values_give_the_bits_of_the_gpu() {
    let inputs = inputs();
    let [functions, body] = text(inputs.len());
    let found = on_gpu(&functions, &body, &inputs);
    let mut shaders = Sources::default();
    let text = functions + shaders.text("sim/steer.wgsl").unwrap();
    shaders.replace("sim/steer.wgsl", "tried.wgsl", text);
    let (module, info) = shaders.parse(&everything(true)).unwrap();
    let program = Program::new(&module, &info, &PipelineConstants::default()).unwrap();
    let mut machine = program.machine(|_| None, Budget::default());
    let mut calculate = |index: usize| -> Vec<u32> {
        let function = program.function(&format!("tried_{index}")).unwrap();
        let bits = |input: &[u32; 3]| machine.call(function, &mut input.map(Value::U32)).unwrap().bits()[0];
        inputs.iter().map(bits).collect()
    };
    let expressions = expressions();
    let mut before: Vec<u32> = vec![7; inputs.len()];
    for (index, (expression, found)) in expressions.iter().zip(found.chunks(inputs.len())).enumerate() {
        let calculated = calculate(index);
        for ((input, found), calculated) in inputs.iter().zip(found).zip(&calculated) {
            // Which NaN results where both operands are one is left open.
            let both_nan =
                index < FLOATS.len() && [found, calculated].map(|bits| f32::from_bits(*bits).is_nan()) == [true; 2];
            assert!(
                found == calculated || both_nan,
                "{expression} of {input:08x?}: GPU {found:08x}, here {calculated:08x}"
            );
        }
        // The comparison sees a difference: no expression gives what the one before it gives.
        assert_ne!(found, before, "{expression}");
        before = calculated;
    }
}
