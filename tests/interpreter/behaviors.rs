//! Behaviors of one's own: good ones verified to the bit, broken ones refused at their place, and nothing that kills the
//! process.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use steerling::cpu::{self, Execution};
use steerling::gpu::{GpuError, Options};
use steerling::model::State;
use steerling::scene::{Draft, Locomotion, OwnBehavior, Scene, Species};
use steerling::verify::{Plan, verify, verify_each};
use support::{edited, gpu, gpus, preset, ran_on_cpu, ran_on_gpu, written};

const PLAN: Plan = Plan { steps: 5, free_steps: 40 };

pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/own_behaviors")
}

/// A world of some agents that use a behavior of this text.
pub fn scene(name: &str, text: &str, size: &str) -> Result<Scene, String> {
    let own = OwnBehavior::from_text(name, text, &format!("{name}.wgsl")).map_err(|error| error.to_string())?;
    let mut draft = match size {
        "planar" => Draft::new("own", [60.0, 40.0]),
        _ => Draft::new("own", [30.0, 30.0, 30.0]),
    };
    draft.species.push(Species::new("agents", 400));
    draft.add_behavior(own);
    draft.species[0].enable(name).map_err(|error| error.to_string())?;
    draft.species[0].enable("alignment").map_err(|error| error.to_string())?;
    draft.validate().map_err(|error| error.to_string())
}

/// Why a behavior of this text is refused, by its reader or when a simulation is made.
pub fn made(name: &str, text: &str) -> Result<(), String> {
    let scene = scene(name, text, "planar")?;
    let on_cpu = cpu::Simulation::new(&scene, &State::initial(&scene), Execution::Serial);
    on_cpu.map(drop).map_err(|error| error.to_string())
}

/// A behavior of this text is refused at this line, in these words.
#[track_caller]
pub fn refused(text: &str, line: usize, words: &str) {
    support::refused(made("probe", text), &[&format!("probe.wgsl:{line}:"), words]);
}

pub fn verified(scene: &Scene) -> bool {
    let reports = verify_each(&gpus(), scene, &State::initial(scene), &Options::default(), PLAN, |_| ()).unwrap();
    reports.iter().all(|report| report.pass)
}

/// Alone in the scene of the page, and together in a plane and in space, where agents skip steps too.
#[test]
fn the_examples_are_verified_to_the_bit() {
    let carousel = preset(examples().join("carousel.toml").to_str().unwrap(), 800, &[]);
    assert_eq!(carousel.registry().count(), carousel.species[0].behaviors.len());
    assert!(verified(&carousel));
    // The comparison sees the behaviors: without one of them the run is another.
    let end = |scene: &Scene| ran_on_cpu(scene, 10).observe().digest_hex();
    let names = ["swirl", "shyness", "breath"];
    for name in names {
        let without = edited(&carousel, |draft| draft.species[0].set(name, "weight", 0.0).unwrap());
        assert_ne!(end(&carousel), end(&without), "{name}");
    }
    for (size, update_every) in [("planar", 1), ("planar", 3), ("spatial", 1), ("spatial", 3)] {
        let text = |name: &str| std::fs::read_to_string(examples().join(format!("{name}.wgsl"))).unwrap();
        let all = edited(&scene(names[0], &text(names[0]), size).unwrap(), |draft| {
            for name in &names[1..] {
                draft.add_behavior(OwnBehavior::from_text(name, &text(name), &format!("{name}.wgsl")).unwrap());
                draft.species[0].enable(name).unwrap();
            }
            draft.species[0].update_every = update_every;
        });
        assert!(verified(&all), "{size}, every {update_every} steps");
    }
}

/// A parameter may have the name of a buffer. Only what reads the field asks for one.
#[test]
fn a_parameter_may_be_named_field() {
    let text = |body: &str| {
        format!(
            "/// a test\nstruct Probe {{\n    rule: Rule,\n    /// a number\n    /// value = 1 in 0..10 u\n    field: f32,\n\
             \x20   /// another\n    /// value = 1 in 0..10 u\n    ground: f32,\n}}\n\n\
             fn scaled(v: vec3f, field: f32) -> vec3f {{ return v * field; }}\n\n\
             fn probe_steer(probe: Probe, agent: Agent) -> vec3f {{\n{body}\n}}\n"
        )
    };
    let harmless = text(
        "    let ground = probe.ground; // of the field\n    return scaled(agent.velocity, probe.field) * ground;",
    );
    for size in ["planar", "spatial"] {
        assert!(verified(&scene("probe", &harmless, size).unwrap()), "{size}");
    }
    for (reads, what) in [
        ("return sample_field(agent.position) * probe.field;", "no field"),
        ("return load(field[0]) * probe.field;", "no field"),
        ("return vec3f(f32(ground[0].stock)) * probe.ground;", "no ground"),
    ] {
        support::refused(scene("probe", &text(reads), "planar"), &[what]);
    }
}

pub const HEAD: &str = "/// a test\nstruct Probe {\n    rule: Rule,\n    /// a number\n    /// value = 1 in 0..10 u\n    number: f32,\n}\n";

pub fn steer(body: &str) -> String {
    format!("{HEAD}\nfn probe_steer(probe: Probe, agent: Agent) -> vec3f {{\n{body}\n}}\n")
}

/// Without a map there are no walls to meet, on both sides.
#[test]
fn walls_of_no_map_are_none() {
    let steers = [
        "map_clearance(agent.position).normal",
        "vec3f(f32(in_wall(agent.position)), map_way(agent.position, agent.forward, 5.0, 1.0) * 1e-9, 0.0)",
        "map_felt(agent.position, agent.forward, agent.forward, agent.forward, vec3f(3.0), 1.0).ways * 1e-9",
    ];
    for (steer_by, size) in steers.into_iter().zip(["planar", "spatial", "planar"]) {
        assert!(verified(&scene("probe", &steer(&format!("return {steer_by};")), size).unwrap()), "{steer_by}");
    }
}

/// Integers wrap, also in what is computed before anything runs, as docs/own-behaviors.md says.
#[test]
fn integers_wrap_in_constants_as_well() {
    let sum = |body: &str, rest: &str| scene("probe", &(steer(body) + rest), "planar");
    let digest = |scene: Scene| ran_on_cpu(&scene, 3).observe().digest_hex();
    let wraps = [
        ("2147483647i + 1i", "i32(-2147483648)"),
        ("-2147483647i - 2i", "2147483647i"),
        ("65536i * 65537i", "65536i"),
        ("4294967295u + 2u", "1u"),
        ("0u - 1u", "4294967295u"),
    ];
    let declared = |word: &str| {
        let each = wraps.iter().enumerate().map(|(index, (wraps, _))| format!("{word} z{index} = {wraps};\n"));
        each.collect::<String>()
    };
    let all: Vec<String> = wraps.iter().enumerate().map(|(index, (_, is))| format!("z{index} == {is}")).collect();
    let push = format!("return vec3f(select(1.0, 5.0, {}), 1.0, 0.0);", all.join(" && "));
    let [wrapped, not] = ["5.0", "1.0"].map(|x| digest(sum(&format!("return vec3f({x}, 1.0, 0.0);"), "").unwrap()));
    assert_ne!(wrapped, not);
    for scene in [sum(&(declared("let") + &push), ""), sum(&push, &declared("const"))] {
        let scene = scene.unwrap();
        assert!(verified(&scene));
        assert_eq!(digest(scene), wrapped);
    }
    // What has no type has no width to wrap at.
    let error = sum("let z: i32 = 2147483647 + 1; return vec3f(f32(z));", "").unwrap_err();
    assert!(error.starts_with("probe.wgsl:10:"), "{error}");
}

/// Endless loops end, indices are clamped, and divisions by zero have a value: the same on both sides.
#[test]
fn hostile_code_ends_and_stays_within_bounds() {
    let hostile = [
        ("an endless loop", "var x = 0.0; loop { x += 0.001; } return vec3f(x, 0.0, 0.0);"),
        (
            "a loop that hardly ends",
            "var x = 0.0; for (var i = 0u; i < 4000000000u; i += 1u) { x += 0.001; } return vec3f(x);",
        ),
        (
            "nested loops",
            "var x = 0.0; for (var i = 0u; i < 1000u; i += 1u) { for (var k = 0u; k < 1000u; k += 1u) { x += 0.01; } } return vec3f(x);",
        ),
        (
            "an index out of bounds",
            "var list = array<f32, 4>(1.0, 2.0, 3.0, 4.0); return vec3f(list[agent.id], list[agent.id * 1000u], 0.0);",
        ),
        ("a species out of bounds", "return vec3f(species[agent.id + 100000u].mass, 0.0, 0.0);"),
        (
            "a division by zero",
            "return vec3f(f32(agent.id / (agent.id - agent.id)), f32(7u % (agent.id - agent.id) + 1u), 0.0);",
        ),
        ("a division by zero that is seen", "return vec3f(f32(agent.id % 0u + 1u));"),
        ("a shift by 40", "return vec3f(f32(agent.id << (agent.id % 64u)) * 1e-6, 0.0, 0.0);"),
        ("huge numbers", "return vec3f(f32(u32(agent.speed * 1e30)) * 1e-9, 0.0, 0.0);"),
    ];
    let mut refused = 0;
    for (what, body) in hostile {
        let scene = match scene("probe", &steer(body), "planar") {
            Ok(scene) => scene,
            Err(error) => {
                assert!(error.starts_with("probe.wgsl:10:"), "{what}: {error}");
                refused += 1;
                continue;
            }
        };
        let plan = Plan { steps: 2, free_steps: 2 };
        match verify(&gpu(), &scene, &State::initial(&scene), &Options::default(), plan, |_| ()) {
            Ok(report) => assert!(report.pass, "{what}: {report:#?}"),
            // A software driver counts the rounds of all loops together.
            Err(GpuError::CutOff { .. }) => {}
            Err(error) => panic!("{what}: {error}"),
        }
    }
    assert_eq!(refused, 1);
}

/// An agent has room for what two of a scene's own behaviors remember; a third is refused, and does not kill the process.
#[test]
fn a_third_behavior_that_remembers_is_refused() {
    let text = std::fs::read_to_string(examples().join("breath.wgsl")).unwrap();
    let mut draft = Draft::new("own", [60.0, 40.0]);
    draft.species.push(Species::new("agents", 20));
    for (index, name) in ["first", "second", "third"].into_iter().enumerate() {
        let own = text.replace("Breath", &(name[..1].to_uppercase() + &name[1..])).replace("breath", name);
        draft.add_behavior(OwnBehavior::from_text(name, &own, &format!("{name}.wgsl")).unwrap());
        draft.species[0].enable(name).unwrap();
        match draft.clone().validate() {
            Ok(scene) if index < 2 => ran_on_cpu(&scene, 3).check().unwrap(),
            made => drop(support::refused(made, &["behavior.2.file: at most 2 behaviors"])),
        }
    }
}

/// Behaviors of every kind, with every two things that a file may have: what a file means does not hang on how it is written, and the
/// GPU computes what the interpreter does. `cargo run --example fuzz -- own` draws any number of them.
#[test]
fn drawn_behaviors_mean_the_same_however_they_are_written() {
    let (gpus, folder, mut seen) = (gpus(), tempfile::tempdir().unwrap(), BTreeSet::new());
    for number in 0..300_usize.div_ceil(written::OWN) {
        let group = written::group(1, number * written::OWN);
        // A second driver has every third.
        let gpu = &gpus[usize::from(number % 3 == 2) % gpus.len()];
        written::check(gpu, folder.path(), &group, number).unwrap_or_else(|why| panic!("scene {number}: {why}"));
        written::covered(&group, &mut seen);
    }
    let missing: Vec<_> = written::pairs().into_iter().filter(|pair| !seen.contains(pair)).collect();
    assert!(missing.is_empty(), "never together: {missing:?}");
}

/// Loops that a driver cuts off are blamed on who loops.
#[test]
fn loops_of_ones_own_are_named_where_a_driver_cuts_them_off() {
    let spins = steer(
        "var sum = 0.0;\nfor (var i = 0u; i < 40u; i += 1u) { sum += probe_spin(sum); }\nreturn vec3f(sum);",
    ) + "fn probe_spin(start: f32) -> f32 {\nvar sum = start;\nfor (var i = 0u; i < 4000u; i += 1u) { sum = sum * 0.5 + 1.0; }\nreturn sum;\n}\n";
    let scene = scene("probe", &spins, "planar").unwrap();
    let gpu = gpu();
    match ran_on_gpu(&gpu, &scene, Options::default(), 1).observe() {
        Err(error) => assert!(error.to_string().contains("or loops of `probe`"), "{error}"),
        Ok(_) => assert!(!gpu.info.name.contains("llvmpipe"), "160,000 rounds, of which llvmpipe does 65,535"),
    }
}

/// What its file says that it needs is held against the numbers of a scene, as of built-in behaviors.
#[test]
fn a_behavior_of_ones_own_is_linted() {
    let text = steer("return steer_to(agent, vec3f(probe.number, f32(probe.form), 0.0));").replace(
        "    /// value = 1 in 0..10 u\n    number: f32,\n",
        "    /// value = 1 in 0..100 u\n    /// needs = stop if form = near\n    number: f32,\n    \
         /// a word\n    /// value = near of near | far\n    form: u32,\n",
    );
    let text =
        text.replace("struct Probe", "/// wants = velocity unless form = far\n/// needs = obstacles\nstruct Probe");
    let scene = scene("probe", &text, "planar").unwrap();
    let keys = |number: f32, form: &str, kinematic: bool| {
        let tuned = edited(&scene, |draft| {
            let species = &mut draft.species[0];
            species.set("probe", "number", number).unwrap();
            species.set("probe", "weight", 3.0).unwrap();
            species.choose("probe", "form", form).unwrap();
            if kinematic {
                species.vehicle.locomotion = Locomotion::Kinematic;
            }
        });
        let mut keys: Vec<String> = tuned.lint().into_iter().map(|lint| lint.key).collect();
        keys.retain(|key| key.contains("probe"));
        keys
    };
    let [number, weight] = ["number", "weight"].map(|key| format!("species.0.behaviors.probe.{key}"));
    // There are no obstacles. 4·v·time_constant = 4·20·0.25/3 = 6.7 u.
    assert_eq!(keys(1.0, "near", false), [&*weight, &*number]);
    assert_eq!(keys(50.0, "near", false), [&*weight]);
    assert_eq!(keys(1.0, "far", false), [&*weight]);
    // Three times the weight of a kinematic body's desired velocity; a push has no such bound.
    assert_eq!(keys(50.0, "near", true), [&*weight, &*weight]);
    assert_eq!(keys(50.0, "far", true), [&*weight]);

    for (from, to, words) in [
        ("needs = stop", "needs = stopp", "did you mean `stop`"),
        ("if form = near", "if form = nigh", "none of the words near, far"),
        ("if form = near", "if farm = near", "did you mean `form`"),
        ("if form = near", "if number = near", "neither one of some words nor a path"),
        ("if form = near", "if form", "no condition"),
        ("needs = stop", "needs = stop with form", "must stand alone"),
        ("needs = stop", "needs = clear or number", "only `clear` takes a number `or` another one"),
        ("needs = stop", "needs = heading", "belongs to a target"),
        ("needs = obstacles", "needs = stop", "belongs to a number"),
        ("velocity unless", "speed unless", "`velocity at times`"),
    ] {
        let line = 1 + text.lines().position(|line| line.contains(from)).unwrap();
        refused(&text.replace(from, to), line, words);
    }
}
