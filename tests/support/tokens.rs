//! A user's own behaviors with changed tokens: valid files of every kind in which words, numbers and signs, not bytes, are changed. Such
//! a file may be refused when it is read, by an error that names it, or when it runs into what the language leaves undefined. A file
//! that is accepted computes the same on a GPU as in the interpreter.

use crate::{model, parsed, written};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use steerling::cpu::{Execution, Simulation};
use steerling::gpu::{AdapterChoice, Gpu, GpuError, Language, Options, dump};
use steerling::model::State;
use steerling::scene::{OwnBehavior, Scene};
use steerling::verify::{Plan, verify};

/// The interpreter runs one in so many accepted behaviors.
pub static RUN: AtomicU64 = AtomicU64::new(4);
/// One in `WRITTEN` of those is also written as SPIR-V, without a device, and one in `DRIVEN` is also run by a driver.
const WRITTEN: u64 = 8;
const DRIVEN: u64 = 32;

/// Replacements for tokens: builtins, types, literals, signs, words, and names of the program.
pub const WORDS: &str = "abs acos all any asin atan atan2 ceil clamp cos countOneBits countTrailingZeros cross degrees determinant distance \
    dot exp exp2 extractBits firstLeadingBit floor fma fract frexp insertBits inverseSqrt ldexp length log max min mix modf normalize \
    pack4x8unorm pow quantizeToF16 reflect reverseBits round saturate select sign sin smoothstep sqrt step tan transpose trunc \
    unpack4x8unorm bitcast dpdx textureLoad workgroupBarrier storageBarrier atomicAdd subgroupAdd arrayLength \
    f32 u32 i32 bool f16 vec2f vec3f vec4f vec2u vec3u vec3i vec2<bool> vec4<f32> mat2x2f mat3x3f array<f32,3> array<u32,0> array<vec3f,5> \
    array ptr<function,f32> atomic<u32> Agent Neighbor Goal Rule Vision Target Turner Species Frame \
    0 1 2 7 -1 0u 1u 3u 31u 32u 4294967295u 0i -1i 2147483647i 2147483648 0x7fffffff 0.0 -0.0 0.5 1.0 1e-45 1e38 3.5e38 1e39 0.1f 1h true false \
    + - * / % & | ^ ~ ! << >> < > <= >= == != && || = += -= *= /= ++ -- ( ) { } [ ] , ; : . -> & * @ # \
    [0] [1] [7] [agent.id] [-1] .x .y .w .xyz .yzx .position .id .rule .vision \
    fn let var const struct alias if else for while loop switch case default break continue continuing return discard override enable \
    const_assert if(true) for(;;) loop{ return; break; continue; /// // /* */ \
    agent world.dt world.seed species[0].mass scenery.paths[0] field[0] ground[0].stock clock sorted_position acceleration position \
    dot3 cross3 along unit_or_zero rotation hash4 steer_to sees seek_steer SPATIAL boundary_x wraps world species sums agent.id agent.speed";

/// Valid behaviors, each with its name first: the examples, and drawn ones of every kind.
pub fn corpus() -> Vec<Vec<u8>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own_behaviors");
    let example = |name: &str| {
        let text = fs::read_to_string(own.join(name).with_extension("wgsl")).expect("an example");
        format!("{name}\n{text}").into_bytes()
    };
    let drawn = (0..6)
        .flat_map(|scene| written::group(scene, 0))
        .map(|own| format!("{}\n{}", own.name, own.text()).into_bytes());
    ["breath", "shyness", "swirl"].map(example).into_iter().chain(drawn).collect()
}

/// The words, numbers, signs and comments of a text, with the blanks behind each.
fn split(text: &str) -> Vec<&str> {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if in_word(first) => rest.find(|c| !in_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let end = rest[length..].find(|c: char| !c.is_whitespace()).map_or(rest.len(), |blanks| length + blanks);
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

/// The class of a token: a name, a number, an operator, or another sign.
fn look(token: &str) -> u8 {
    match token.bytes().next().unwrap_or_default() {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => 0,
        b'0'..=b'9' => 1,
        b'+' | b'-' | b'*' | b'%' | b'&' | b'|' | b'^' | b'<' | b'>' => 2,
        b'/' if token.starts_with("//") => 3,
        b'/' => 2,
        other => other,
    }
}

/// A behavior with one to three changed tokens. It may get a line of the behavior `other`.
pub fn changed(good: &[u8], other: &[u8], mut below: impl FnMut(usize) -> usize) -> Vec<u8> {
    let text = |bytes| std::str::from_utf8(bytes).expect("a text");
    let ((name, file), (_, other)) =
        (text(good).split_once('\n').expect("a name"), text(other).split_once('\n').expect("a name"));
    let (mut tokens, words, lines) =
        (split(file), WORDS.split(' ').collect::<Vec<_>>(), other.lines().collect::<Vec<_>>());
    let alike = |token: &str, drawn: usize, all: &[&'static str]| -> &'static str {
        let same: Vec<_> = all.iter().copied().filter(|word| look(word) == look(token)).collect();
        same.get(drawn % same.len().max(1)).copied().unwrap_or("0")
    };
    let own = tokens.clone();
    let mut made = Vec::new();
    for _ in 0..1 + below(8).saturating_sub(5) {
        let at = below(tokens.len());
        match below(16) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, own[below(own.len())]),
            2 if at > 0 => tokens.swap(at - 1, at),
            3 => tokens[at] = own[below(own.len())],
            4 => made.push((at, format!("{} ", words[below(words.len())]), below(2) == 0)),
            5 => made.push((at, format!("{}\n", lines[below(lines.len())]), false)),
            // A token of the same class is valid more often: another name, number or sign, from the file or not.
            6..9 => made.push((at, format!("{} ", alike(tokens[at], below(words.len()), &words)), true)),
            _ => {
                let same: Vec<&str> = own.iter().copied().filter(|other| look(other) == look(tokens[at])).collect();
                tokens[at] = same[below(same.len())];
            }
        }
        if tokens.is_empty() {
            break;
        }
    }
    let mut parts: Vec<String> = tokens.into_iter().map(str::to_owned).collect();
    for (at, token, instead) in made {
        let at = at.min(parts.len());
        match parts.get_mut(at).filter(|_| instead) {
            Some(part) => *part = token,
            None => parts.insert(at, token),
        }
    }
    format!("{name}\n{}", parts.concat()).into_bytes()
}

/// A world for the behaviors to run in.
fn world(spatial: bool) -> &'static Scene {
    static WORLDS: [OnceLock<Scene>; 2] = [OnceLock::new(), OnceLock::new()];
    WORLDS[usize::from(spatial)].get_or_init(|| parsed(&written::world(spatial, 24), &[]))
}

/// Read a behavior: true if it is accepted, false if it is refused by an error that names its file. Accepted ones run, some also on a GPU.
///
/// # Panics
/// If the error names another file, or if GPU and interpreter differ.
pub fn read(bytes: &[u8], told: fn(&str) -> bool) -> bool {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    static ACCEPTED: AtomicU64 = AtomicU64::new(0);
    let text = String::from_utf8_lossy(bytes);
    let (name, text) = text.split_once('\n').expect("a name");
    let blamed = |error: String| {
        assert!(error.starts_with("mutated.wgsl:"), "somebody else is blamed: {error}");
        told(&error)
    };
    let own = match OwnBehavior::from_text(name, text, "mutated.wgsl") {
        Ok(own) => own,
        Err(error) => return blamed(error.to_string()),
    };
    let (accepted, run) = (ACCEPTED.fetch_add(1, Ordering::Relaxed), RUN.load(Ordering::Relaxed));
    if !accepted.is_multiple_of(run) {
        return true;
    }
    let number = accepted / run;
    let scene = world(number % 2 == 1).edit(|draft| {
        draft.add_behavior(own);
        draft.species[0].enable(name).map(drop)
    });
    let scene = match scene {
        Ok(scene) => scene,
        Err(error) => panic!("the scene refuses what was read: {error}"),
    };
    let state = State::initial(&scene);
    let model = || model(&scene);
    let (on_cpu, options) = (Simulation::new(&scene, &state, Execution::Serial), Options::default());
    // The shaders of the GPU, made without a device.
    let on_gpu = || dump(&model(), &options, Language::SpirV, false).map(drop).map_err(|error| error.to_string());
    match on_cpu {
        Ok(mut simulation) => {
            simulation.step(2);
            if let Err(error) = simulation.check() {
                return blamed(error.to_string());
            }
        }
        Err(error) => return blamed(error.to_string()),
    }
    if number.is_multiple_of(WRITTEN) {
        assert_eq!(on_gpu(), Ok(()), "the reference runs what the GPU refuses");
    }
    if number.is_multiple_of(DRIVEN) {
        let gpu = GPU.get_or_init(|| Gpu::open(&AdapterChoice::Best).expect("an adapter"));
        match verify(gpu, &scene, &state, &options, Plan { steps: 1, free_steps: 2 }, |_| ()) {
            Ok(report) => assert!(report.pass, "GPU and interpreter differ: {report:#?}"),
            Err(GpuError::CutOff { .. }) => {}
            Err(error) => return blamed(error.to_string()),
        }
    }
    true
}
