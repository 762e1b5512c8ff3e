//! Files of behaviors that are refused: at which line, and in which words.

use super::behaviors::{HEAD, made, refused, scene, steer, verified};
use steerling::cpu::{self, Execution};
use steerling::gpu::{GpuError, Options, Simulation};
use steerling::model::State;
use steerling::scene::OwnBehavior;
use support::gpu;

/// What is refused when the file is read: the text, and the line and words of the error.
#[test]
fn broken_descriptions_are_refused_at_their_line() {
    for (text, line, words) in
        [("fn probe_steer(agent: Agent) -> vec3f { return vec3f(0.0); }", 1, "struct Probe"), (HEAD, 2, "probe_steer")]
    {
        refused(text, line, words);
    }
    let still = steer("return vec3f(0.0);");
    for (from, to, line, words) in [
        ("    rule: Rule,\n", "", 2, "rule: Rule"),
        ("    /// value = 1 in 0..10 u\n", "", 5, "value ="),
        ("value = 1 in", "value = one in", 5, "no number"),
        ("value = 1 in", "value = 11 in", 5, "not within"),
        ("value = 1 in 0..10 u\n    number: f32", "value = 1.5 in 0..10 u\n    number: u32", 6, "whole numbers"),
        ("0..10 u", "10 u", 5, "no range"),
        ("0..10 u", "0..10 u\n    /// value = 2 in 0..10 u", 6, "two lines"),
        ("0..10 u", "0..10 u as cubits", 5, "cubits"),
        ("1 in 0..10 u", "c of a | b", 5, "none of the words"),
        ("value = 1 in 0..10 u\n    number: f32", "value = 1 in 0..16777218 u\n    number: u32", 5, "at most 16777216"),
        ("/// a test", "/// a test\n/// weight = 5e9", 2, "must be between -1000000 and 1000000"),
        ("number: f32", "number: mat3x3f", 6, "mat3x3f"),
        ("agent: Agent)", "agent: Agent, wind: vec3f)", 9, "wind: vec3f"),
    ] {
        refused(&still.replace(from, to), line, words);
    }
    for (more, line, words) in [
        ("fn probe_turn(agent: Agent) -> vec3f { return vec3f(0.0); }", 2, "only one"),
        ("@group(0) @binding(0) var<storage> mine: array<u32>;", 12, "`@`"),
        ("@compute fn main() {}", 12, "`@`"),
        ("override mine: bool = true;", 12, "override"),
        ("var<private> mine: u32;", 12, "variables"),
        ("fn dot3(a: f32) -> f32 { return a; }", 12, "dot3"),
    ] {
        refused(&format!("{still}{more}\n"), line, words);
    }
    for name in ["seek", "Probe", "9lives", "a__b", "", "../probe"] {
        support::refused(OwnBehavior::from_text(name, &still, "x.wgsl"), &["x.wgsl"]);
    }
}

/// All files of a scene are compiled into one module: none may be there twice, or declare what another does.
#[test]
fn two_files_that_declare_the_same_are_refused() {
    let text = |name: &str, more: &str| {
        let titled = name[..1].to_uppercase() + &name[1..];
        steer("return vec3f(0.0);").replace("probe", name).replace("Probe", &titled) + more
    };
    let with = |own: [(&str, &str, &str); 2]| {
        scene("probe", &steer("return vec3f(0.0);"), "planar").unwrap().edit(|draft| {
            for (name, more, path) in own {
                draft.add_behavior(OwnBehavior::from_text(name, &text(name, more), path)?);
            }
            Ok(())
        })
    };
    let half = "const half_of_it = 0.5;\n";
    assert!(with([("one", half, "one.wgsl"), ("two", "", "two.wgsl")]).is_ok());
    for (own, words) in [
        (
            [("one", half, "one.wgsl"), ("two", half, "two.wgsl")],
            "`half_of_it` is declared in one.wgsl and in two.wgsl",
        ),
        ([("one", "", "a/one.wgsl"), ("one", "", "b/one.wgsl")], "behavior.1.file is called `one` too"),
    ] {
        assert_eq!(support::refused(with(own), &[words]).key, "behavior.2.file");
    }
}

/// What naga refuses, when the file is read or when a simulation is made, then on both backends, at the line of the user's file.
#[test]
fn broken_code_is_refused_at_its_line() {
    let huge = format!("return vec3f({}1.0);", "1.0 + ".repeat(20_000));
    let deep = format!("return vec3f({}1.0{});", "(".repeat(5_000), ")".repeat(5_000));
    let broken: [(&str, String, &str); 10] = [
        ("syntax", steer("return vec3f(0.0;"), ":10:"),
        ("an unknown name", steer("return agent.colour;"), ":10:"),
        ("another type", steer("return 1.0;"), ":10:"),
        ("a function that is missing", steer("return swoosh(agent);"), ":10:"),
        ("no return", steer("let a = 1.0;"), "probe.wgsl"),
        ("writing to a buffer", steer("acceleration[0] = store(vec3f(1.0)); return vec3f(0.0);"), "acceleration"),
        ("reading what it cannot", steer("return load(sorted_position[agent.id]);"), "sorted_position"),
        ("asking other lanes", steer("return vec3f(subgroupAdd(agent.speed));"), "other lanes"),
        (
            "waiting for other lanes",
            steer("if agent.id % 2u == 0u { storageBarrier(); } return vec3f(0.0);"),
            "waits for other lanes",
        ),
        ("nested too deeply", steer(&deep), "200 deep"),
    ];
    let gpu = gpu();
    let mut read = 0;
    for (what, text, words) in broken {
        let scene = match scene("probe", &text, "planar") {
            Ok(scene) => scene,
            Err(error) => {
                assert!(error.contains("probe.wgsl") && error.contains(words), "{what}: {error}");
                read += 1;
                continue;
            }
        };
        let state = State::initial(&scene);
        let on_gpu = Simulation::new(&gpu, &scene, &state, Options::default());
        assert!(matches!(support::refused(on_gpu, &["probe.wgsl", words]), GpuError::Shader(_)), "{what}");
        support::refused(cpu::Simulation::new(&scene, &state, Execution::Serial), &["probe.wgsl", words]);
    }
    assert!((1..10).contains(&read), "some are found by either: {read}");
    let member = "struct Pair { a: f32, b: f32 }\nfn twice(x: ptr<function, f32>) { *x = 2.0 * *x; }\n".to_owned()
        + &steer("var pair = Pair(1.0, 2.0); twice(&pair.a); return vec3f(pair.a);");
    for (_, text) in [("huge", steer(&huge)), ("a pointer to a member", member)] {
        // Refused or run, but nothing is killed.
        let Ok(scene) = scene("probe", &text, "planar") else { continue };
        let _ = Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default());
    }
    // What has no meaning to the bit runs on a GPU, but cannot be verified, and says what to do instead.
    let scene = scene("probe", &steer("return vec3f(sin(agent.speed), 0.0, 0.0);"), "planar").unwrap();
    let on_cpu = cpu::Simulation::new(&scene, &State::initial(&scene), Execution::Serial);
    support::refused(on_cpu, &["probe.wgsl:10:", "sin"]);
}

/// Errors name types as WGSL does, say what is expected, and the name that is meant.
#[test]
fn errors_say_types_and_near_names() {
    let steers = steer("return vec3f(0.0);");
    let adds = steers.replace("    rule: Rule,\n", "    rule: Rule,\n    vision: Vision,\n").replace(
        "fn probe_steer(probe: Probe, agent: Agent) -> vec3f {",
        "fn probe_add(sum: vec3f, probe: Probe, near: Neighbor) -> f32 { return select(1.0, 2.0, sees(probe.vision, near)); }\n\
         fn probe_resolve(sum: vec3f) -> vec3f {",
    );
    for (text, line, words) in [
        (steer("return vec2f(1.0);"), 10, "`probe_steer` must return `vec3<f32>`, not `vec2<f32>`"),
        (steer("return;"), 10, "`probe_steer` must return `vec3<f32>` in all cases"),
        (steers.replace("vec3f", "f32"), 9, "`probe_steer` must return `vec3f`"),
        (adds.clone(), 10, "`probe_add` takes a `sum: vec3f`, but `probe_add` returns `f32`"),
        (steer("return steer_to(agent, agent.speed);"), 10, "argument 2 of `steer_to` must be `vec3<f32>`, not `f32`"),
        (steer("return vec3f(agent.speed + agent.id);"), 10, "`f32` and `u32` do not go together"),
        (steer("return vec3f(1.0, agent.id, 2.0);"), 10, "argument 2 of `vec3<f32>` cannot be `u32`"),
        (steer("if agent.speed { } return vec3f(0.0);"), 10, "a condition must be `bool`, not `f32`"),
        (steer("return vec3f(select(1.0, 2.0, agent.speed));"), 10, "a condition must be `bool`, not `f32`"),
        (steer("return vec3f(f32(!agent.speed));"), 10, "`f32` cannot stand here"),
        (steer("return vec3f(agent.velocity[agent.speed]);"), 10, "an index must be `i32` or `u32`, not `f32`"),
        (steer("let x: f64 = 1.0; return vec3f(0.0);"), 10, "there is no `f64`: numbers are"),
        (steer("return vec3f(1.0lf);"), 10, "there is no such number"),
        (steer("return vec3f(agent.sped);"), 10, "did you mean `speed`?"),
        (steer("return vec3f(probe.nubmer);"), 10, "did you mean `number`?"),
        (steer("return steer_too(agent, vec3f(0.0));"), 10, "did you mean `steer_to`?"),
        (steers.replace("agent: Agent", "agent: Agnet"), 9, "did you mean `Agent`?"),
        (
            steers.replace("Probe", "Porbe"),
            2,
            "there is no `struct Probe`, which holds the parameters of `probe`; is `Porbe`",
        ),
        (steers.replace("struct Probe", "struct Porbe"), 9, "did you mean `Porbe`?"),
        (steer("return agent.velocity * agent;"), 1, "operands that do not go together"),
        (steers.replace("probe_steer", "probe_ster"), 9, "did you mean `probe_steer` by `probe_ster`?"),
        (steer("return vec3f(f32(hash4(vec4u(world.seed, agent.id, 1u, 7u)).x));"), 10, "take a number above 1000"),
        (steer("return direction(agent.id, 1u, MINE);") + "const MINE = 1000u;", 10, "take a number above 1000"),
    ] {
        refused(&text, line, words);
    }
    made("probe", &steer("return direction(agent.id, hash4(vec4u(agent.id, 2u, 3u, 4u)).x, 1001u);")).unwrap();
}

/// What naga refuses only after it has validated a module, when overrides have values or SPIR-V is written, is refused when the file is
/// read, so by both backends, at its line. A message without a place of its own is none that blames others.
#[test]
fn what_only_compilers_refuse_is_said_when_the_file_is_read() {
    let with = |body: &str, rest: &str| steer(body) + rest + "\n";
    let taken_apart = "struct Pair { a: f32, b: f32 }\nfn twice(x: ptr<function, f32>) { *x = 2.0 * *x; }";
    let refused = [
        (
            with(
                "return vec3f(probe_n(probe));",
                "const C = 0.25;\nfn probe_n(x: Probe) -> f32 {\n    return x * C;\n}",
            ),
            "14:16: Abstract types",
        ),
        (with("let list = array(1.0, 2.0);\nreturn vec3f(list[1]);", ""), "9:4: `probe_steer` cannot be compiled: "),
        (with("let big = 1e38;\nreturn vec3f(big * 10.0);", ""), "9:4: `probe_steer` cannot be compiled: "),
        (
            with("return vec3f(probe_n(1.0));", "fn probe_n(x: f32) -> f32 { let big = 1e38; return x + big * 10.0; }"),
            "12:4: `probe_n` cannot be compiled: ",
        ),
        (with("return vec3f(f32(boundary_z));", ""), "10:18: `boundary_z` is for the program's own shaders"),
        (
            with("var pair = Pair(1.0, 2.0);\ntwice(&pair.a);\nreturn vec3f(pair.a);", taken_apart),
            "11:8: a pointer to a member",
        ),
        (with("return agent.velocity / 0.0;", ""), "10:8: divides by zero"),
        (with("let none = -0.0;\nreturn agent.velocity / vec3f(1.0, none, 1.0);", ""), "11:8: divides by zero"),
        (with("return agent.velocity / NONE;", "const NONE = vec3f();"), "10:8: divides by zero"),
    ];
    for (text, words) in refused {
        let error = scene("probe", &text, "planar").map(drop).expect_err(words);
        assert!(error.starts_with(&format!("probe.wgsl:{words}")), "{words}: {error}");
    }
    // The same with values that are known later, or fit, is taken by both.
    for body in [
        "var list = array(1.0, 2.0);\nreturn vec3f(list[agent.id % 2u]);",
        "let big = 1e37;\nreturn vec3f(big * 10.0);",
        "return vec3f(f32(world.seed));",
    ] {
        let scene = scene("probe", &steer(body), "planar").unwrap();
        let state = State::initial(&scene);
        Simulation::new(&gpu(), &scene, &state, Options::default()).unwrap();
        cpu::Simulation::new(&scene, &state, Execution::Serial).map(drop).unwrap();
    }
}

/// Names that WGSL has given: types, functions, and words.
const GIVEN: &str = "array atomic bool f16 f32 i32 mat2x2 mat2x2f mat2x3f mat2x4 mat3x2 mat3x3 mat3x3f mat3x4f mat4x2 mat4x3 mat4x4 \
    mat4x4f ptr sampler sampler_comparison texture_1d texture_2d texture_2d_array texture_3d texture_cube texture_depth_2d \
    texture_multisampled_2d texture_storage_2d u32 vec2 vec2f vec2i vec2u vec3 vec3f vec3i vec3u vec4 vec4f vec4i vec4u \
    abs acos acosh all any arrayLength asin asinh atan atan2 atanh atomicAdd atomicAnd atomicCompareExchangeWeak atomicExchange \
    atomicLoad atomicMax atomicMin atomicOr atomicStore atomicSub atomicXor bitcast ceil clamp cos cosh countLeadingZeros countOneBits \
    countTrailingZeros cross degrees determinant distance dot dot4I8Packed dot4U8Packed dpdx dpdxCoarse dpdxFine dpdy exp exp2 \
    extractBits faceForward firstLeadingBit firstTrailingBit floor fma fract frexp fwidth insertBits inverseSqrt ldexp length log log2 \
    max min mix modf normalize pack2x16float pack2x16snorm pack4x8snorm pack4x8unorm pow quantizeToF16 radians reflect refract \
    reverseBits round saturate select sign sin sinh smoothstep sqrt step storageBarrier subgroupAdd subgroupAll subgroupAny \
    subgroupBallot subgroupBroadcast tan tanh textureDimensions textureLoad textureNumLayers textureNumLevels \
    textureSample textureSampleLevel textureStore transpose trunc unpack2x16float unpack4x8unorm workgroupBarrier workgroupUniformLoad \
    alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override \
    requires return struct switch true while function private workgroup uniform storage read write read_write rgba32uint r32float \
    NULL Self abstract active async await class enum extern final goto import interface macro mod module move mut namespace new null \
    operator package pub public ref self static super target template this throw trait try type typedef union unsafe using \
    virtual volatile where with yield";

/// A name that WGSL or the program has given cannot be given again: the error has the file, the line and the name.
#[test]
fn names_that_are_given_are_refused() {
    let program = "world SPATIAL dot3 Agent Sums steer_each seek_steer Rule species hash4 Behaviors";
    let (mut refused, mut wrong) = (0, Vec::new());
    for name in GIVEN.split_whitespace().chain(program.split(' ')) {
        for declaration in [
            "fn NAME() {}",
            "fn\nNAME(x: f32) -> f32 { return x; }",
            "alias NAME = vec2f;",
            "struct NAME { x: f32 }",
            "const NAME = 1;",
        ] {
            let text = steer("return vec3f(0.0);") + &declaration.replace("NAME", name) + "\n";
            let line = if declaration.contains('\n') { 13 } else { 12 };
            let told =
                |error: &String| error.contains(&format!("probe.wgsl:{line}:")) && error.contains(&format!("`{name}`"));
            match made("probe", &text) {
                Err(error) if told(&error) => refused += 1,
                other => wrong.push(format!("{declaration}, {name}: {other:?}")),
            }
        }
    }
    assert!(wrong.is_empty() && refused > 1000, "{refused} are refused in words, and not\n{}", wrong.join("\n"));
    // A local variable, a parameter or a member may be called so.
    let shadowed = steer("let max = probe.number; return vec3f(max);");
    scene("probe", &shadowed, "planar").unwrap();
}

/// What nothing would call, or what no caller has, is refused in words.
#[test]
fn what_nobody_would_call_is_refused() {
    let steers = steer("return vec3f(0.0);");
    let sees = HEAD.replace("    rule: Rule,\n", "    rule: Rule,\n    vision: Vision,\n");
    let adds = "fn probe_add(sum: vec3f, probe: Probe, neighbor: Neighbor) -> vec3f { return sum * asked(probe, neighbor); }\n\
                fn asked(probe: Probe, near: Neighbor) -> f32 { return select(1.0, 2.0, sees(probe.vision, near)); }\n\
                fn probe_resolve(sum: vec3f, probe: Probe, agent: Agent) -> vec3f { return sum; }\n";
    let remembers = "struct ProbeMemory { a: f32 }\n\
                     fn probe_remember(probe: Probe, agent: Agent, memory: ProbeMemory) -> ProbeMemory { return memory; }\n";
    for (text, line, words) in [
        (format!("{sees}{adds}fn probe_strat() -> vec3f {{ return vec3f(1.0); }}\n"), 12, "probe_start"),
        (format!("{sees}{adds}{remembers}"), 12, "cannot remember anything"),
        (format!("{sees}{adds}").replace("sees(probe.vision, near)", "true"), 9, "`sees(probe.vision, neighbor)`"),
        (format!("{steers}fn probe_start() -> vec3f {{ return vec3f(1.0); }}\n"), 12, "probe_start"),
        (format!("{steers}fn probe_add(sum: vec3f, probe: Probe) -> vec3f {{ return sum; }}\n"), 12, "probe_add"),
        (steers.replace("    rule: Rule,\n", "    rule: Rule,\n    vision: Vision,\n"), 4, "vision"),
        (steers.replace("number", "weight"), 6, "weight"),
        (steer("const_assert -1; return vec3f(0.0);"), 10, "const_assert"),
    ] {
        refused(&text, line, words);
    }
    // A helper with the behavior's name, which is called, is none of these.
    scene("probe", &(steer("return probe_strat();") + "fn probe_strat() -> vec3f { return vec3f(0.0); }\n"), "planar")
        .unwrap();
}

/// Each function has what the page says that it may take, and nothing else: what another one is given is refused at its line.
#[test]
fn a_function_takes_what_its_caller_has() {
    let head = HEAD.replace("    rule: Rule,\n", "    rule: Rule,\n    goal: Target,\n");
    let sees = head.replace("    rule: Rule,\n", "    rule: Rule,\n    vision: Vision,\n");
    let remembers = "struct ProbeMemory { a: f32 }\n\
                     fn probe_remember(memory: ProbeMemory) -> ProbeMemory { return memory; }\n";
    let files = [
        format!(
            "{sees}fn probe_start() -> vec3f {{ return vec3f(0.0); }}\n\
             fn probe_add(sum: vec3f) -> vec3f {{ return select(sum, -sum, sees(Vision(), Neighbor())); }}\n\
             fn probe_add_coincident(sum: vec3f) -> vec3f {{ return sum; }}\n\
             fn probe_resolve(sum: vec3f) -> vec3f {{ return sum; }}\n"
        ),
        format!("{head}{remembers}fn probe_steer() -> vec3f {{ return vec3f(0.0); }}\n"),
        format!("{head}{remembers}fn probe_turn() -> vec3f {{ return vec3f(0.0); }}\n"),
    ];
    let most = "probe: Probe, agent: Agent, to: Goal, memory: ProbeMemory";
    let takes = [
        (0, "start", String::new()),
        (0, "add", "sum: vec3f, probe: Probe, neighbor: Neighbor, agent: Agent".to_owned()),
        (0, "add_coincident", "sum: vec3f, probe: Probe, agent: Agent, other: u32".to_owned()),
        (0, "resolve", "sum: vec3f, probe: Probe, agent: Agent, to: Goal".to_owned()),
        (1, "steer", most.to_owned()),
        (1, "remember", "probe: Probe, agent: Agent, memory: ProbeMemory".to_owned()),
        (2, "turn", format!("{most}, turner: Turner")),
        (2, "remember", "probe: Probe, agent: Agent, memory: ProbeMemory".to_owned()),
    ];
    let all = [
        "neighbor: Neighbor",
        "sum: vec3f",
        "other: u32",
        "turner: Turner",
        "to: Goal",
        "agent: Agent",
        "probe: Probe",
    ];
    let mut refused = 0;
    for (file, part, takes) in takes {
        let file = &files[file];
        for parameter in all {
            let begin = format!("fn probe_{part}(");
            if file.contains(&format!("{begin}{parameter}")) {
                continue;
            }
            let text = file.replace(&begin, &format!("{begin}{parameter}, ")).replace(", )", ")");
            let made = made("probe", &text);
            if takes.contains(parameter) {
                assert_eq!(made, Ok(()), "{part} takes {parameter}\n{text}");
            } else {
                refused += 1;
                let line = text.lines().position(|line| line.starts_with(&begin)).unwrap() + 1;
                let told = format!("`probe_{part}` takes `{parameter}`, which cannot be passed to it");
                support::refused(made, &[&format!("probe.wgsl:{line}:"), &told]);
            }
        }
    }
    assert!(refused > 25, "{refused}");
}

/// What drivers would compile for minutes is refused with numbers, before any does.
#[test]
fn what_takes_long_to_compile_is_refused_with_numbers() {
    let array =
        |length: u32| format!("var a: array<f32, {length}>; a[agent.id] = 1.0; return vec3f(a[agent.id + 1u]);");
    let table = |length: usize| {
        let numbers = vec!["1.0"; length].join(", ");
        steer("return vec3f(TABLE[agent.id]);") + &format!("const TABLE = array<f32, {length}>({numbers});\n")
    };
    let local = |length: usize| {
        let numbers = vec!["1.0"; length].join(", ");
        steer(&format!("let table = array<f32, {length}>({numbers}); return vec3f(table[agent.id % 7u]);"))
    };
    let doubled = |depth: usize| {
        let call =
            |n: usize| format!("fn probe_{n}(x: f32) -> f32 {{ return probe_{0}(x) + probe_{0}(x + 1.0); }}\n", n + 1);
        steer("return vec3f(probe_0(probe.number));")
            + &(0..depth).map(call).collect::<String>()
            + &format!("fn probe_{depth}(x: f32) -> f32 {{ return x * x; }}\n")
    };
    // Where a function is called its arrays are again.
    let listed = |depth: usize| {
        let lists = format!(
            "fn probe_{depth}(x: f32) -> f32 {{ var a: array<f32, 100>; a[u32(x)] = x; return a[u32(x * 2.0)]; }}"
        );
        doubled(depth).replace(&format!("fn probe_{depth}(x: f32) -> f32 {{ return x * x; }}"), &lists)
    };
    let round = "for (var k = 0u; k < agent.id % 7u + 1u; k++) { s = s * 1.5 + 1.0; }";
    let whole = |body: String| steer(&format!("var s = 0.0;\n{body}\nreturn vec3f(s);"));
    // As many branches that leave the function, and then as many that follow from each other.
    let left = |count: usize| -> String {
        (0..count).map(|id| format!("if agent.id == {id}u {{ {round} return vec3f(s); }}\n")).collect()
    };
    let chain = |count: usize| -> String {
        let links = (0..count).map(|id| format!("if agent.id == {}u {{ s = {id}.0; }}", id + 100));
        links.collect::<Vec<_>>().join(" else ")
    };
    let nest = |depth: usize| {
        let begin = |k| format!("for (var i{k} = 0u; i{k} < 2u; i{k}++) {{ ");
        (0..depth).map(begin).collect::<String>() + "s = s + 1.0; " + &"}".repeat(depth)
    };
    for (text, words) in [
        (whole(nest(25)), "`probe_steer` has 50 levels"),
        (whole(round.repeat(33)), "`probe_steer` has 33 loops"),
        (whole(chain(49)), "`probe_steer` has 49 levels"),
        (whole(chain(1600)), "`probe_steer` has 1600 levels"),
        (whole(left(25) + &chain(24)), "`probe_steer` has 49 levels"),
        (steer(&array(1000)), "`probe_steer` has 1000 words"),
        (steer(&array(1_000_000_000)), "`probe_steer` has 1000000000 words"),
        (table(20_000), "`TABLE` has 20000 words"),
        (local(300), "`probe_steer` has 300 words"),
        (doubled(22), "operations"),
        (listed(4), "`probe_0` has 1600 words in its variables and arrays, with those of what it calls"),
    ] {
        support::refused(made("probe", &text), &["probe.wgsl:", words, "are allowed"]);
    }
    for text in [steer(&array(64)), table(64), local(64), doubled(5), listed(3), whole(nest(24))] {
        made("probe", &text).unwrap();
    }
    // Drivers skip nothing of what is allowed.
    let deepest = whole(left(20) + &chain(26) + &format!(" else {{ {round} }}"));
    assert!(verified(&scene("probe", &deepest, "planar").unwrap()));
}
