//! The float path: expressions that drivers rearrange are computed as written, and integers hash alike.

use steerling::gpu::{Gpu, Options};
use steerling::model::{BufferId, random};
use steerling::scene::Scene;
use support::{gpu, in_place_of_steer, parsed};

type Formula = fn([f32; 6], f32) -> f32;

/// WGSL over a, b, c, d, e, f and a uniform w; the same in Rust.
const PATTERNS: [(&str, Formula); 30] = [
    // Mesa 22.3 rearranges these twenty unless it is told not to.
    ("a * b + a * c", |[a, b, c, ..], _| a * b + a * c),
    ("a * b + c * b", |[a, b, c, ..], _| a * b + c * b),
    ("w * a + w * b", |[a, b, ..], w| w * a + w * b),
    ("(a + b) - b", |[a, b, ..], _| (a + b) - b),
    ("(a - b) + b", |[a, b, ..], _| (a - b) + b),
    ("a + (b - a)", |[a, b, ..], _| a + (b - a)),
    ("(-a) + (a + b)", |[a, b, ..], _| (-a) + (a + b)),
    ("(w + a) - w", |[a, ..], w| (w + a) - w),
    ("(a * b + c) - a * b", |[a, b, c, ..], _| (a * b + c) - a * b),
    ("sqrt(d) * sqrt(d)", |[.., d, _, _], _| d.sqrt() * d.sqrt()),
    ("1.0 / (1.0 / a)", |[a, ..], _| 1.0 / (1.0 / a)),
    ("1.0 - (1.0 - d)", |[.., d, _, _], _| 1.0 - (1.0 - d)),
    ("(a * 0.3) * 0.7", |[a, ..], _| (a * 0.3) * 0.7),
    ("0.3 * (0.7 * a)", |[a, ..], _| 0.3 * (0.7 * a)),
    ("(a * w) * 0.3", |[a, ..], w| (a * w) * 0.3),
    ("(a + 0.3) + 0.7", |[a, ..], _| (a + 0.3) + 0.7),
    ("(a - 0.3) + 0.7", |[a, ..], _| (a - 0.3) + 0.7),
    ("(a + 0.3) - 0.3", |[a, ..], _| (a + 0.3) - 0.3),
    ("a * 0.3 + a * 0.7", |[a, ..], _| a * 0.3 + a * 0.7),
    ("(a + b) * 0.3 + (a + b) * 0.7", |[a, b, ..], _| (a + b) * 0.3 + (a + b) * 0.7),
    // These are what the simulation uses, and what other drivers fuse or approximate.
    ("a * b + c", |[a, b, c, ..], _| a * b + c),
    ("a * b - a * c", |[a, b, c, ..], _| a * b - a * c),
    ("a * d + b * e + c * f", |[a, b, c, d, e, f], _| a * d + b * e + c * f),
    ("a / b", |[a, b, ..], _| a / b),
    ("a / sqrt(d)", |[a, _, _, d, ..], _| a / d.sqrt()),
    ("a * (w / sqrt(d))", |[a, _, _, d, ..], w| a * (w / d.sqrt())),
    ("a * (1.0 / max(d, e))", |[a, _, _, d, e, _], _| a * (1.0 / d.max(e))),
    ("a + (b - a) * d", |[a, b, _, d, ..], _| a + (b - a) * d),
    ("((a * d + b) * d + c) * d + a", |[a, b, c, d, ..], _| ((a * d + b) * d + c) * d + a),
    ("a - w * floor((a + d) / w)", |[a, _, _, d, ..], w| a - w * ((a + d) / w).floor()),
];

const INPUTS: u32 = 1 << 18;

fn scene() -> Scene {
    let text = format!(
        "schema = 1\nname = \"floats\"\ndt = 0.37\n[world]\nsize = [9, 9, 9]\nboundary = \"open\"\n\
         [[species]]\nname = \"a\"\ncount = {INPUTS}\n"
    );
    parsed(&text, &[])
}

/// Values of either sign over six orders of magnitude (a, b, c), and positive ones up to 4 (d, e, f).
fn inputs() -> Vec<[f32; 6]> {
    let value = |hash: u32| {
        let size = [1e-3f32, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3, 1.0][(hash & 7) as usize];
        (random::unit_interval(hash) - 0.5) * size
    };
    let row = |k: u32| {
        let (h, g) = (random::hash4([k, 1, 2, 3]), random::hash4([k, 4, 5, 6]));
        let positive = |hash| random::unit_interval(hash) * 4.0 + 1e-3;
        [value(h[0]), value(h[1]), value(h[2]), positive(g[0]), positive(g[1]), positive(g[2])]
    };
    (0..INPUTS).map(row).collect()
}

/// Run a body that sets `result` from the inputs, in place of the stage `steer`.
fn run(gpu: &Gpu, exact: bool, inputs: &[[f32; 6]], body: &str) -> Vec<u32> {
    let text = format!(
        "let p = load(sorted_position[place]); let v = load(sorted_velocity[place]);\n\
         let a = p.x; let b = p.y; let c = p.z; let d = v.x; let e = v.y; let f = v.z; let w = world.dt;\n\
         var result = vec3f(0.0);\n{body}\n\
         acceleration[place] = store(result);"
    );
    let bits = |columns: [usize; 3]| -> Vec<u32> {
        inputs.iter().flat_map(|row| columns.map(|column| row[column].to_bits())).collect()
    };
    let given = [(BufferId::SortedPosition, bits([0, 1, 2])), (BufferId::SortedVelocity, bits([3, 4, 5]))];
    let options = Options { exact, ..Options::default() };
    in_place_of_steer(gpu, &scene(), options, ["", &text], &given, BufferId::Acceleration)
}

/// For each pattern, the number of inputs for which the GPU's bits are not those of Rust.
fn differing(gpu: &Gpu, exact: bool) -> Vec<usize> {
    let inputs = inputs();
    let w = scene().dt;
    let mut counts = Vec::new();
    for group in PATTERNS.chunks(3) {
        let line = |(axis, (wgsl, _)): (usize, &(&str, Formula))| format!("result[{axis}] = {wgsl};\n");
        let body: String = group.iter().enumerate().map(line).collect();
        let found = run(gpu, exact, &inputs, &body);
        for (axis, (_, formula)) in group.iter().enumerate() {
            let wrong = |(k, row): (usize, &[f32; 6])| found[3 * k + axis] != formula(*row, w).to_bits();
            counts.push(inputs.iter().enumerate().filter(|(k, row)| wrong((*k, row))).count());
        }
    }
    counts
}

#[test]
fn expressions_are_computed_as_written() {
    let gpu = gpu();
    let exact = differing(&gpu, true);
    let loose = differing(&gpu, false);
    for (((wgsl, _), exact), loose) in PATTERNS.iter().zip(&exact).zip(&loose) {
        eprintln!("{wgsl:60} as written {exact:>7}, as the driver likes {loose:>7} of {INPUTS}");
    }
    assert!(gpu.exact, "this adapter promises no bits; the tolerance of `verify` applies to it");
    assert_eq!(exact, vec![0; PATTERNS.len()]);
    // Without NoContraction the driver does rearrange: if it stops, this test proves nothing any more.
    let rearranged = loose.iter().filter(|count| **count > 0).count();
    assert!(!gpu.software() || rearranged >= 18, "only {rearranged} patterns differ without NoContraction");
}

#[test]
fn random_numbers_and_directions_are_equal() {
    let gpu = gpu();
    let counters: Vec<[f32; 6]> = (0..INPUTS)
        .map(|k| random::hash4([k, 9, 9, 9]))
        .map(|h| [0, 1, 2, 3, 0, 1].map(|i| f32::from_bits(h[i] & 0x3fff_ffff)))
        .collect();
    let body = "let hash = hash4(vec4u(bitcast<u32>(a), bitcast<u32>(b), bitcast<u32>(c), bitcast<u32>(d)));\n\
                result = unit_direction(hash.x, hash.y);\nresult.z = result.z + unit_interval(hash.z) + unit_interval(hash.w);";
    let found = run(&gpu, true, &counters, body);
    for (k, row) in counters.iter().enumerate() {
        let hash = random::hash4([row[0], row[1], row[2], row[3]].map(f32::to_bits));
        let mut expected = random::unit_direction(true, hash[0], hash[1]);
        expected.z = expected.z + random::unit_interval(hash[2]) + random::unit_interval(hash[3]);
        assert_eq!(found[3 * k..][..3], expected.to_array().map(f32::to_bits), "input {k}");
    }
}
