//! The invariants of ARCHITECTURE.md that need no GPU: pairs of files, layouts, valid shaders, banned builtins, imports.

mod imports;
mod layouts;
mod pages;

use naga::{Expression, Handle, Module, TypeInner};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;
use steerling::gpu::reflect::EntryPoint;
use steerling::gpu::shaders::{EMBEDDED, Sources};
use steerling::model::{BLOCKS, BufferId, PassId, STAGES, StageId};
use steerling::scene::BEHAVIORS;
use support::{acting, everything};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Names of the files of a folder with this ending.
fn names(folder: &str, ending: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let files = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    files.filter_map(|file| file.strip_suffix(ending).map(str::to_owned)).filter(|name| name != "mod").collect()
}

fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn every_stage_and_behavior_has_its_two_files() {
    let twins = set(STAGES.iter().map(|stage| stage.name).chain([StageId::Observe.name(), StageId::Measure.name()]));
    assert_eq!(names("src/cpu/sim", ".rs"), twins);
    // `stride` and `arrange` call the functions of stages that have twins.
    assert_eq!(names("shaders/sim", ".wgsl"), set(StageId::ALL.iter().map(|stage| stage.name())));
    assert!(BEHAVIORS.is_sorted_by(|one, next| one.order < next.order), "two behaviors have the same `order`");
    let behaviors = set(BEHAVIORS.iter().map(|b| b.name));
    assert_eq!(names("shaders/behaviors", ".wgsl"), behaviors);
    assert_eq!(names("src/cpu/behaviors", ".rs"), behaviors);
    // How vectors are stored, what pipelines are specialized to and what they load from has no counterpart in Rust.
    let mut common = names("shaders/common", ".wgsl");
    for only_gpu in ["planar", "spatial", "specialization", "buffers", "clock", "loops", "sorted", "lookup"] {
        assert!(common.remove(only_gpu));
    }
    let twins: BTreeSet<String> = names("src/cpu/common", ".rs").union(&names("src/model", ".rs")).cloned().collect();
    assert!(common.is_subset(&twins), "without a twin: {:?}", common.difference(&twins));
}

#[test]
fn every_shader_is_embedded_and_valid() {
    let embedded: BTreeSet<String> = EMBEDDED.iter().map(|(path, _)| (*path).to_owned()).collect();
    let mut files = BTreeSet::new();
    for folder in ["common", "behaviors", "sim"] {
        files.extend(names(&format!("shaders/{folder}"), ".wgsl").into_iter().map(|n| format!("{folder}/{n}.wgsl")));
    }
    assert_eq!(embedded, files);
    for spatial in [false, true] {
        let module = module(spatial);
        let entry_points = set(module.entry_points.iter().map(|entry_point| &*entry_point.name));
        assert_eq!(entry_points, set(PassId::ALL.iter().map(|pass| pass.name())));
    }
}

/// The module of a scene in which every behavior acts.
fn module(spatial: bool) -> &'static Module {
    static MODULES: [OnceLock<Module>; 2] = [OnceLock::new(), OnceLock::new()];
    let parse = || Sources::default().parse(&everything(spatial)).unwrap_or_else(|e| panic!("{e}")).0;
    MODULES[usize::from(spatial)].get_or_init(parse)
}

/// Files below these folders, by path.
fn rust_files(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap()) {
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        match entry.file_type().unwrap().is_dir() {
            true => files.extend(rust_files(&path)),
            false if path.ends_with(".rs") => {
                files.push((path.clone(), std::fs::read_to_string(root().join(path)).unwrap()))
            }
            false => {}
        }
    }
    files
}

/// Which stages run follows from what a behavior's text mentions; naga says what its shader reads.
#[test]
fn a_behavior_reads_what_it_mentions() {
    let mut buffers = [BufferId::CensusSums, BufferId::Ground, BufferId::Field].map(|buffer| (buffer, 0));
    for spec in BEHAVIORS.iter() {
        let model = acting(false, |name| name == spec.name);
        let (module, _) = Sources::default().parse(&model).unwrap();
        let flags = model.features.flags().into_iter();
        let overrides = flags.map(|(flag, on)| (flag.to_owned(), f64::from(on))).collect();
        let steer = EntryPoint::new(&module, "steer.wgsl", "steer", &overrides).unwrap();
        for (buffer, readers) in &mut buffers {
            let reads = steer.bindings.iter().any(|binding| binding.buffer == *buffer);
            assert_eq!(spec.mentions(buffer.name()), reads, "{} and {buffer}", spec.name);
            *readers += usize::from(reads);
        }
    }
    assert!(buffers.iter().all(|(_, readers)| (1..BEHAVIORS.len()).contains(readers)), "{buffers:?}");
}

/// No key of a behavior is without effect: each member of its struct is read by some shader, as `NAME.MEMBER`.
#[test]
fn every_parameter_is_read() {
    let text = Sources::default().module_text(&everything(true)).unwrap();
    let code: String = text.lines().map(|line| line.split("//").next().unwrap().to_owned() + "\n").collect();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let reads = |name: &str| {
        let mut places = code.match_indices(name);
        places.any(|(at, _)| !code[..at].ends_with(is_name) && !code[at + name.len()..].starts_with(is_name))
    };
    for (spec, block) in BEHAVIORS.iter().zip(BLOCKS) {
        for (member, _) in block.members {
            assert!(reads(&format!("{}.{member}", spec.name)), "{}.{member} is never read", spec.name);
        }
    }
    assert!(!reads("path_following.slow"), "only whole names count");
}

/// Builtins that no other implementation reproduces to the bit, comparisons that never see NaN, and float atomics.
#[test]
fn the_simulation_uses_no_banned_builtin() {
    let banned =
        ["sin", "cos", "tan", "atan2", "atan", "pow", "exp", "exp2", "log", "log2", "smoothstep", "fma", "mix"];
    let banned_vectors = ["dot", "length", "distance", "normalize", "inverseSqrt", "cross", "reflect"];
    let code =
        |text: &str| -> String { text.lines().map(|l| l.split("//").next().unwrap().to_owned() + "\n").collect() };
    let find = |text: &str| -> Vec<String> {
        let code = code(text);
        let calls = banned.iter().chain(&banned_vectors).filter(|name| {
            code.match_indices(&format!("{name}("))
                .any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        });
        let mut found: Vec<String> = calls.map(|name| (*name).to_owned()).collect();
        found.extend(code.contains("enable subgroups").then(|| "enable subgroups".to_owned()));
        found
    };
    for (path, text) in EMBEDDED {
        assert_eq!(find(text), Vec::<String>::new(), "{path}");
    }
    assert_eq!(find("let a = dot(b, c) + my_sin(x);"), ["dot"], "the search finds what is banned");
}

/// llvmpipe compiles a shader anew for each value of a uniform that alone decides a branch. So no member that changes from picture to
/// picture may do that, or a window would take seconds for each picture.
#[test]
fn what_is_new_with_each_picture_decides_no_branch() {
    let read = |name: &str| std::fs::read_to_string(root().join("shaders").join(name)).unwrap();
    let frame = read("render/frame.wgsl");
    let agents = frame.clone() + &read("render/agents.wgsl") + &read("common/hash.wgsl");
    for name in names("shaders/render", ".wgsl") {
        let before = match name.as_str() {
            "frame" | "agents" => continue,
            "listing" | "solid" | "cover" => &agents,
            _ => &frame,
        };
        let beside = match name.as_str() {
            "map" => read("common/texels.wgsl"),
            "composite" | "afterglow" => read("render/layers.wgsl"),
            _ => String::new(),
        };
        let members = deciding_members(&(before.clone() + &beside + &read(&format!("render/{name}.wgsl"))));
        // `stepped` changes only once, with the first step.
        assert!(members.iter().all(|member| member == "stepped"), "{name}: {members:?}");
    }
    let turns = frame + "fn far() -> f32 { if (frame.yaw > 1.0) { return 1.0; } return 0.0; }";
    assert_eq!(deciding_members(&turns), set(["yaw"]));
}

/// Members of the uniform block `frame` that decide a branch together with nothing but constants and counters.
fn deciding_members(text: &str) -> BTreeSet<String> {
    let module = naga::front::wgsl::parse_str(text).unwrap();
    let mut members = BTreeSet::new();
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    for function in module.functions.iter().map(|(_, function)| function).chain(entries) {
        let mut conditions = Vec::new();
        each_condition(&function.body, &mut |condition| conditions.push(condition));
        for condition in conditions {
            let mut read = BTreeSet::new();
            if only_frame(&module, function, condition, &mut read) {
                members.extend(read);
            }
        }
    }
    members
}

fn each_condition(block: &naga::Block, found: &mut impl FnMut(Handle<Expression>)) {
    for statement in block.iter() {
        match statement {
            naga::Statement::Block(block) => each_condition(block, found),
            naga::Statement::If { condition, accept, reject } => {
                found(*condition);
                each_condition(accept, found);
                each_condition(reject, found);
            }
            naga::Statement::Loop { body, continuing, break_if } => {
                break_if.iter().for_each(|condition| found(*condition));
                each_condition(body, found);
                each_condition(continuing, found);
            }
            _ => {}
        }
    }
}

/// Does an expression depend only on members of `frame`, constants, local variables and scalar arguments, which may be constants?
/// Collects the members in `read`.
fn only_frame(module: &Module, function: &naga::Function, at: Handle<Expression>, read: &mut BTreeSet<String>) -> bool {
    let mut all = |parts: &[Handle<Expression>]| parts.iter().all(|part| only_frame(module, function, *part, read));
    match &function.expressions[at] {
        Expression::Literal(_) | Expression::Constant(_) => true,
        Expression::LocalVariable(_) => true,
        Expression::FunctionArgument(index) => {
            let argument = &function.arguments[*index as usize];
            matches!(module.types[argument.ty].inner, TypeInner::Scalar(_))
        }
        Expression::AccessIndex { base, index } => {
            if let Expression::GlobalVariable(global) = function.expressions[*base] {
                let variable = &module.global_variables[global];
                let TypeInner::Struct { members, .. } = &module.types[variable.ty].inner else { return false };
                read.extend(members[*index as usize].name.clone());
                return variable.name.as_deref() == Some("frame");
            }
            all(&[*base])
        }
        Expression::Load { pointer } => all(&[*pointer]),
        Expression::Splat { value, .. } => all(&[*value]),
        Expression::Swizzle { vector, .. } => all(&[*vector]),
        Expression::Compose { components, .. } => all(components),
        Expression::Unary { expr, .. } | Expression::As { expr, .. } => all(&[*expr]),
        Expression::Binary { left, right, .. } => all(&[*left, *right]),
        Expression::Relational { argument, .. } => all(&[*argument]),
        _ => false,
    }
}
