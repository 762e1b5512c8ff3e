//! The invariants of ARCHITECTURE.md that need no GPU: pairs of files, layouts, valid shaders, banned builtins, imports.

mod support;

use bytemuck::Zeroable;
use naga::{Expression, Handle, Module, Scalar, Type, TypeInner};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::mem::offset_of;
use std::path::Path;
use std::slice::Iter;
use std::sync::OnceLock;
use steerling::gpu::reflect::EntryPoint;
use steerling::gpu::shaders::{EMBEDDED, Sources};
use steerling::model::{
    BLOCKS, BehaviorMemories, Behaviors, BufferId, Memory, PassId, Rule, SHARED, STAGES, Species, StageId, scenery,
};
use steerling::scene::{BEHAVIORS, Boundary, Need, PRESETS};
use steerling_conform::{GROUPS, select, tokens};
use support::{acting, everything};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
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
    let twins = set(STAGES.iter().map(|stage| stage.name).chain([StageId::Observe.name()]));
    assert_eq!(names("src/cpu/sim", ".rs"), twins);
    // `stride` and `arrange` call the functions of stages that have twins.
    assert_eq!(names("shaders/sim", ".wgsl"), set(StageId::ALL.iter().map(|stage| stage.name())));
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

/// A value of a WGSL type whose bits are all 0, as Rust's `{:?}` shows one. A type that no parameter block has shows
/// otherwise than anything of Rust.
fn zero(module: &Module, ty: Handle<Type>) -> String {
    let list = |item: String, count: u32| format!("[{}]", vec![item; count as usize].join(", "));
    let scalar = |scalar: Scalar| match scalar {
        Scalar::F32 => "0.0".to_owned(),
        Scalar::U32 => "0".to_owned(),
        other => format!("{other:?}"),
    };
    match &module.types[ty].inner {
        TypeInner::Scalar(inner) => scalar(*inner),
        TypeInner::Vector { size, scalar: inner } => list(scalar(*inner), *size as u32),
        TypeInner::Array { base, size: naga::ArraySize::Constant(count), .. } => list(zero(module, *base), count.get()),
        TypeInner::Struct { members, .. } => {
            let member = |m: &naga::StructMember| format!("{}: {}", m.name.as_deref().unwrap(), zero(module, m.ty));
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{} {{ {} }}", module.types[ty].name.as_deref().unwrap(), members.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn find_struct<'a>(module: &'a Module, name: &str) -> (Handle<Type>, &'a [naga::StructMember], u32) {
    let (handle, ty) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect(name);
    let TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is no struct") };
    (handle, members, *span)
}

/// What `{:?}` shows of a struct without the words that no shader has as members.
fn without_padding(shown: &str) -> String {
    let mut parts = shown.split(", padding: [");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once(']').unwrap().1)
}

/// What the build script makes of the shaders' structs is what the GPU has: names, places, sizes and types of all members.
#[test]
fn rust_and_wgsl_lay_structs_out_alike() {
    let module = module(true);
    for block in SHARED.iter().chain(scenery::BLOCKS).chain(BLOCKS) {
        let (ty, members, span) = find_struct(module, block.name);
        let wgsl = members.iter().map(|m| (m.name.as_deref().unwrap(), m.offset as usize)).collect::<Vec<_>>();
        assert_eq!(block.members, wgsl, "{}", block.name);
        // What a scene's own behaviors remember has its place among the others there, and is no member.
        if block.name == "Memory" {
            assert_eq!((offset_of!(Memory, behaviors) + offset_of!(BehaviorMemories, own)) as u32, span);
            continue;
        }
        assert_eq!(block.size as u32, span, "{}", block.name);
        assert_eq!(without_padding(&(block.zero)()), zero(module, ty), "{}", block.name);
    }
    assert_eq!(format!("{:?}", Behaviors::zeroed()), zero(module, find_struct(module, "Behaviors").0));
    // Each behavior, with eight of a scene's own, has its spread.
    assert!(BEHAVIORS.len() + 8 <= Species::zeroed().weight_spreads.len());
}

/// The comparison of layouts sees a member of another type, though names, offsets and sizes agree.
#[test]
fn a_member_of_another_type_is_noticed() {
    let rust = format!("{:?}", Rule::zeroed());
    let wgsl = |members: &str| {
        let module = naga::front::wgsl::parse_str(&format!("struct Rule {{ {members} }}")).unwrap();
        zero(&module, find_struct(&module, "Rule").0)
    };
    assert_eq!(rust, wgsl("weight: f32, floor: f32, priority: u32, states: u32, rows: u32, jitter: f32, limit: f32"));
    for other in ["f32, floor: u32, priority: u32", "f32, floor: f32, priority: i32", "f32, floor: f32, priority: f32"]
    {
        assert_ne!(rust, wgsl(&format!("weight: {other}, states: u32, rows: u32")));
    }
}

/// Constants by name, with their types and values as naga evaluates them. `declarations` is WGSL.
fn evaluated(declarations: &BTreeSet<String>) -> BTreeMap<String, String> {
    let names: Vec<&str> = declarations.iter().map(|line| tokens(line)[1].1).collect();
    // A variable has a concrete type, also where its constant is abstract.
    let variables = names.iter().map(|name| format!("var<private> of_{name} = {name};\n"));
    let text = declarations.iter().cloned().chain(variables).collect::<String>();
    let module = naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&text)));
    let value = |name: &&str| {
        let wanted = format!("of_{name}");
        let (_, variable) = module.global_variables.iter().find(|(_, v)| v.name.as_deref() == Some(&wanted)).unwrap();
        let mut init = &module.global_expressions[variable.init.unwrap()];
        while let Expression::Constant(constant) = init {
            init = &module.global_expressions[module.constants[*constant].init];
        }
        ((*name).to_owned(), format!("{init:?}"))
    };
    names.iter().map(value).collect()
}

/// The declarations of constants outside of functions, each as `const NAME ... ;`.
fn constants(text: &str) -> Vec<String> {
    let (tokens, mut depth, mut found) = (tokens(text), 0, Vec::new());
    for (at, (start, token)) in tokens.iter().enumerate() {
        depth += i32::from(*token == "{") - i32::from(*token == "}");
        if *token == "const" && depth == 0 {
            let (end, _) = tokens[at..].iter().find(|(_, token)| *token == ";").unwrap();
            found.push(text[*start..=*end].to_owned());
        }
    }
    found
}

/// A constant of Rust as WGSL, where it is a number: `(NAME, declaration)`.
fn as_wgsl(declaration: &str) -> Option<(String, String)> {
    let words: Vec<&str> = tokens(declaration).into_iter().map(|(_, token)| token).collect();
    let ["const", name, ":", ty, "=", value @ ..] = &words[..] else { return None };
    let ty = match *ty {
        "usize" | "u32" => "u32",
        "f64" | "f32" => "f32",
        _ => return None,
    };
    let value = value.concat().replace("u32::MAX", "0xffffffff").replace('_', "");
    let is_number = value.chars().all(|c| c.is_ascii_hexdigit() || "x.-;".contains(c));
    is_number.then(|| ((*name).to_owned(), format!("const {name}: {ty} = {value}\n")))
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

/// What both languages call by one name has one type and one value. In the file of a behavior the behavior's name, which
/// WGSL needs before a constant's, may be left out.
#[test]
fn constants_of_both_languages_agree() {
    // `SPATIAL` is declared by planar.wgsl too.
    let shaders = EMBEDDED.iter().filter(|(path, _)| *path != "common/planar.wgsl");
    let wgsl = evaluated(&shaders.flat_map(|(_, text)| constants(text)).map(|line| line + "\n").collect());
    let mut compared = BTreeSet::new();
    let mut different = Vec::new();
    for (path, text) in ["src/model", "src/cpu", "src/gpu"].into_iter().flat_map(rust_files) {
        let stem = path.rsplit('/').next().unwrap().trim_end_matches(".rs").to_uppercase();
        for (name, declaration) in constants(&text).iter().filter_map(|declaration| as_wgsl(declaration)) {
            let candidates = [name.clone(), format!("{stem}_{name}")];
            let Some(shared) = candidates.into_iter().find(|name| wgsl.contains_key(name)) else { continue };
            let value = &evaluated(&BTreeSet::from([declaration]))[&name];
            if *value != wgsl[&shared] {
                different.push(format!("{path}: {name} is {value}, and {} in WGSL", wgsl[&shared]));
            }
            compared.insert(shared);
        }
    }
    assert!(different.is_empty(), "{different:#?}");
    for family in ["TARGET_", "WHEN_", "COMBINE_", "STREAM_", "SURFACE_", "SHAPE_"] {
        let members: BTreeSet<&String> = wgsl.keys().filter(|name| name.starts_with(family)).collect();
        let missing: Vec<_> = members.iter().filter(|name| !compared.contains(**name)).collect();
        assert!(!members.is_empty() && missing.is_empty(), "{missing:?} of WGSL are not in Rust");
    }
    for name in
        ["FROZEN", "CUT_OFF", "STANDSTILL", "COINCIDENT", "FAR_AWAY", "NO_WINNER", "FORM_OFFSET", "AGENTS_PER_ROW"]
    {
        assert!(compared.contains(name), "{name} was not compared");
    }
    for (name, boundary) in [("WRAP", Boundary::Wrap), ("CONTAIN", Boundary::Contain)] {
        assert_eq!(wgsl[name], format!("Literal(U32({}))", boundary as u32));
    }
}

/// The comparison of constants sees another value and another type.
#[test]
fn a_constant_of_another_value_or_type_is_noticed() {
    let wgsl = |text: &str| evaluated(&BTreeSet::from([text.to_owned()]))["A"].clone();
    let rust = |text: &str| wgsl(&as_wgsl(text).unwrap().1);
    assert_eq!(constants("pub const A: u32 = 7; fn f() { const B: u32 = 1; }"), ["const A: u32 = 7;"]);
    assert_eq!(rust("const A: u32 = 0x8000_0000;"), wgsl("const A = 0x80000000u;"));
    assert_eq!(rust("const A: u32 = u32::MAX;"), wgsl("const A = 0xffffffffu;"));
    assert_eq!(rust("const A: f32 = 1e-12;"), wgsl("const A = 1e-12;"));
    for other in ["const A = 8u;", "const A = 7;", "const A = 7.0;", "const A = 7i;"] {
        assert_ne!(rust("const A: u32 = 7;"), wgsl(other));
    }
    assert_ne!(rust("const A: f32 = 1e-12;"), wgsl("const A = 1.0000001e-12;"));
    assert_eq!(as_wgsl("const A: &str = \"7\";"), None);
}

/// Which stages run follows from what a behavior's text mentions; naga says what its shader reads.
#[test]
fn a_behavior_reads_what_it_mentions() {
    for buffer in [BufferId::CensusSums, BufferId::Ground, BufferId::Field] {
        let mut readers = 0;
        for spec in BEHAVIORS.iter() {
            let model = acting(false, |name| name == spec.name);
            let (module, _) = Sources::default().parse(&model).unwrap();
            let flags = model.features.flags().into_iter();
            let overrides = flags.map(|(flag, on)| (flag.to_owned(), f64::from(on))).collect();
            let steer = EntryPoint::new(&module, "steer.wgsl", "steer", &overrides).unwrap();
            let reads = steer.bindings.iter().any(|binding| binding.buffer == buffer);
            assert_eq!(spec.mentions(buffer.name()), reads, "{} and {buffer}", spec.name);
            readers += usize::from(reads);
        }
        assert!((1..BEHAVIORS.len()).contains(&readers), "{readers} behaviors read {buffer}");
    }
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

/// What a Rust file names by paths from `crate`, `super` or, where it gives it on, `pub use`: each path in its parts.
fn paths(text: &str) -> Vec<Vec<&str>> {
    let text = text.split("#[cfg(test)]").next().unwrap();
    let tokens: Vec<&str> = tokens(text).into_iter().map(|(_, token)| token).collect();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let inner = at > 0 && tokens[at - 1] == ":";
        if tokens[at] == "use" && at > 0 && ["pub", ")"].contains(&tokens[at - 1]) {
            expand(&mut tokens[at + 1..].iter().peekable(), vec!["pub"], &mut found);
        } else if ["crate", "super"].contains(&tokens[at]) && tokens.get(at + 1) == Some(&":") && !inner {
            expand(&mut tokens[at..].iter().peekable(), Vec::new(), &mut found);
        }
    }
    found
}

/// The paths that begin here, one for each in braces.
fn expand<'a>(tokens: &mut Peekable<Iter<'_, &'a str>>, mut path: Vec<&'a str>, found: &mut Vec<Vec<&'a str>>) {
    match tokens.next() {
        Some(&"{") => {
            while tokens.peek().is_some_and(|token| **token != "}") {
                expand(tokens, path.clone(), found);
                tokens.next_if(|token| **token == ",");
            }
            tokens.next();
        }
        Some(part) => {
            path.push(part);
            if tokens.next_if(|token| **token == ":").is_none() {
                if tokens.next_if(|token| **token == "as").is_some() {
                    tokens.next();
                }
                return found.push(path);
            }
            tokens.next();
            expand(tokens, path, found);
        }
        None => {}
    }
}

/// The modules of `src`, such as `gpu::limits`, and those that each names. What a module only gives on is named at its own place.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let module = |path: &str| {
        let path = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
        if path == "lib" { String::new() } else { path.replace('/', "::") }
    };
    let files: BTreeMap<String, String> = rust_files("src").iter().map(|(p, text)| (module(p), text.clone())).collect();
    let (mut named, mut given_on) = (BTreeMap::new(), BTreeMap::new());
    for (module, text) in &files {
        for path in paths(text) {
            let mut full: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
            let path = match path[0] {
                // A macro of the module itself, or what is named at its place by the other rules.
                "pub" if path.len() == 2 || ["crate", "super"].contains(&path[1]) => continue,
                "pub" => {
                    given_on
                        .insert((module.clone(), path[path.len() - 1].to_owned()), [&full[..], &path[1..]].concat());
                    continue;
                }
                "crate" => {
                    full.clear();
                    &path[1..]
                }
                _ => {
                    let up = path.iter().take_while(|part| **part == "super").count();
                    full.truncate(full.len() - up);
                    &path[up..]
                }
            };
            named.entry(module.clone()).or_insert_with(Vec::new).push([&full[..], path].concat());
        }
    }
    let mut imports = BTreeMap::new();
    for module in files.keys() {
        let named = named.get(module).cloned().unwrap_or_default().into_iter();
        let named = named.map(|path| module_of(path, &files, &given_on));
        imports.insert(module.clone(), named.filter(|other| other != module && !other.is_empty()).collect());
    }
    imports
}

/// The module that a path leads to. One that another module gives on leads on from there.
fn module_of<'a>(
    mut path: Vec<&'a str>,
    files: &BTreeMap<String, String>,
    given_on: &BTreeMap<(String, String), Vec<&'a str>>,
) -> String {
    loop {
        let known = (0..=path.len()).rev().find(|length| files.contains_key(&path[..*length].join("::"))).unwrap();
        let module = path[..known].join("::");
        match path.get(known).and_then(|item| given_on.get(&(module.clone(), (*item).to_owned()))) {
            Some(place) => path = [&place[..], &path[known + 1..]].concat(),
            None => return module,
        }
    }
}

/// The arrows that are part of a circle, or lead from one circle to another.
fn circles(mut arrows: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let before = arrows.len();
        let from: BTreeSet<String> = arrows.keys().cloned().collect();
        arrows.values_mut().for_each(|to| to.retain(|other| from.contains(other)));
        let to: BTreeSet<String> = arrows.values().flatten().cloned().collect();
        arrows.retain(|module, others| !others.is_empty() && to.contains(module));
        if arrows.len() == before {
            return arrows;
        }
    }
}

/// Imports point one way: from folder to folder, and within these from file to file. The two backends do not know each other.
#[test]
fn imports_point_one_way() {
    let imports = imports();
    let folder = |module: &str| module.split("::").next().unwrap().to_owned();
    let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, others) in imports.iter().filter(|(module, _)| !["", "main"].contains(&module.as_str())) {
        let own = folder(module);
        let others = others.iter().map(|other| folder(other)).filter(|other| *other != own);
        folders.entry(own.clone()).or_default().extend(others);
    }
    let strangers = [
        ("cpu", &["gpu", "render"][..]),
        ("gpu", &["cpu", "output"]),
        ("verify", &["render", "output"]),
        ("measure", &["verify", "render", "output", "viewer"]),
        ("render", &["cpu", "verify"]),
    ];
    for (own, others) in strangers {
        assert!(others.iter().all(|other| !folders[own].contains(*other)), "{own} imports {:?}", folders[own]);
    }
    assert!(folders["cpu"].contains("model") && folders["gpu"].contains("shaders"), "{folders:?}");
    assert_eq!(circles(folders), BTreeMap::new());
    assert!(imports["gpu::simulation"].contains("gpu::pipelines"), "{imports:?}");
    for own in ["cpu", "gpu", "measure", "model", "output", "render", "scene", "shaders", "verify"] {
        let within: BTreeMap<_, _> = imports.clone().into_iter().filter(|(module, _)| folder(module) == own).collect();
        assert_eq!(circles(within), BTreeMap::new());
    }
}

/// A circle is found, however the paths are written.
#[test]
fn a_circle_of_imports_is_noticed() {
    let text = "use super::{a::{B, c as d}, e};\npub use f::G; // crate::no\nfn h() { crate::i::j(); }\n#[cfg(test)] use crate::k;";
    let expected =
        [&["super", "a", "B"][..], &["super", "a", "c"], &["super", "e"], &["pub", "f", "G"], &["crate", "i", "j"]];
    assert_eq!(paths(text), expected);
    let arrows = |list: &[(&str, &str)]| {
        let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in list {
            arrows.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        circles(arrows)
    };
    assert_eq!(arrows(&[("a", "b"), ("b", "c"), ("a", "c")]), BTreeMap::new());
    assert_eq!(arrows(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]).keys().collect::<Vec<_>>(), ["b", "c"]);
}

/// The page of keys is what `steerling schema --markdown` prints.
#[test]
fn the_page_of_keys_is_current() {
    let page = std::fs::read_to_string(root().join("docs/scene-keys.md")).unwrap();
    assert_eq!(page, steerling::scene::reference());
}

/// Every file of laws is a group with laws, and the other way round.
#[test]
fn groups_of_laws_are_the_files_of_their_folder() {
    assert_eq!(names("conform/src/laws", ".rs"), set(GROUPS.iter().map(|group| group.name)));
    assert!(GROUPS.iter().all(|group| !group.laws.is_empty()));
}

/// Every law and test that docs/properties.md and docs/reliability.md name exists; who names none says why.
#[test]
fn properties_are_held_by_what_is_named() {
    held("properties", 40, |row| row);
    // The second column alone: others name files and options.
    held("reliability", 20, |row| row.split(" | ").nth(1).unwrap());
}

fn held(page: &str, least: usize, names: fn(&str) -> &str) {
    let page = std::fs::read_to_string(root().join(format!("docs/{page}.md"))).unwrap();
    let laws: Vec<&str> = select("").iter().map(|(_, law)| law.name).collect();
    let tests = ["tests", "conform/tests", "program/tests"].map(sources).concat();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && !line.contains("held by")).collect();
    let rows: Vec<&str> = rows.into_iter().filter(|line| !line.starts_with("| ---")).collect();
    assert!(rows.len() >= least, "{} rows", rows.len());
    for row in rows {
        let held_by = names(row);
        let names: Vec<&str> = held_by.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty() ^ held_by.contains("| nothing to hold: "), "held by names, or a reason: {row}");
        for name in names {
            let test = format!("#[test]\nfn {name}()");
            assert!(laws.contains(&name) || tests.contains(&test), "{name} is no law and no test: {row}");
        }
    }
}

/// The text of all Rust files below a folder.
fn sources(folder: &str) -> String {
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap());
    let text = |entry: std::fs::DirEntry| {
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        match entry.file_type().unwrap().is_dir() {
            true => sources(&name),
            false if name.ends_with(".rs") => std::fs::read_to_string(entry.path()).unwrap(),
            false => String::new(),
        }
    };
    entries.map(text).collect()
}

/// What the README counts is there; more may be.
#[test]
fn the_readme_counts_right() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for (counted, words) in [(PRESETS.len(), " scenes to start from"), (select("").len(), " [laws of steering]")] {
        let before = readme.split(words).next().expect("text before it").to_lowercase();
        let (_, said) = before.rsplit_once("more than ").unwrap_or_else(|| panic!("README.md counts no{words}"));
        let said: usize = said.parse().unwrap_or_else(|_| panic!("README.md says `more than {said}{words}`"));
        assert!(
            said < counted && counted <= said + 50,
            "README.md says `more than {said}{words}`, and there are {counted}"
        );
    }
}

/// llvmpipe compiles a shader anew for each value in a uniform buffer that decides a branch by itself. Nothing that changes from picture
/// to picture may, or a window would draw a picture in seconds.
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
        let members = deciding_members(&(before.clone() + &read(&format!("render/{name}.wgsl"))));
        // It changes once, with the first step.
        assert!(members.iter().all(|member| member == "stepped"), "{name}: {members:?}");
    }
    let turns = frame + "fn far() -> f32 { if (frame.yaw > 1.0) { return 1.0; } return 0.0; }";
    assert_eq!(deciding_members(&turns), set(["yaw"]));
}

/// Members of the frame that decide a branch with nothing beside them but constants and counters.
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

/// Does an expression depend on nothing but members of the frame, which it collects, constants and local variables?
fn only_frame(module: &Module, function: &naga::Function, at: Handle<Expression>, read: &mut BTreeSet<String>) -> bool {
    let mut all = |parts: &[Handle<Expression>]| parts.iter().all(|part| only_frame(module, function, *part, read));
    match &function.expressions[at] {
        Expression::Literal(_) | Expression::Constant(_) | Expression::LocalVariable(_) => true,
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

/// The names of behaviors that a file of Rust has in its keys and in backticks, without comments and tests.
fn behaviors_named_in(text: &str) -> Vec<&'static str> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let literals: Vec<&str> = lines.flat_map(|line| line.split('"').skip(1).step_by(2)).collect();
    let is_key = |text: &&str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_.{}".contains(c));
    let keys = literals.iter().copied().filter(is_key);
    let ticked = literals.iter().flat_map(|text| text.split('`').skip(1).step_by(2));
    let words: BTreeSet<&str> = keys.chain(ticked).flat_map(|text| text.split(['.', '{', '}'])).collect();
    BEHAVIORS.iter().map(|spec| spec.name).filter(|name| words.contains(name)).collect()
}

/// What scenes and their warnings know of a behavior stands in its own file: one that is added is linted without a change here.
#[test]
fn scenes_know_no_behavior_by_name() {
    let mut known = Vec::new();
    for (path, text) in rust_files("src/scene") {
        // A dialect is a table of the defaults that others published, behavior by behavior.
        if path == "src/scene/dialects.rs" || path.ends_with("/tests.rs") {
            continue;
        }
        known.extend(behaviors_named_in(&text).into_iter().map(|name| format!("{path}: {name}")));
    }
    assert_eq!(known, [""; 0]);
    // It can tell: a key, a part of one, and what a message quotes.
    for (text, name) in [
        ("if spec.name == \"seek\" {", "seek"),
        ("found.add(\"behaviors.arrive.ramp\", 1.0)", "arrive"),
        ("let message = \"only `forage` loads\";", "forage"),
    ] {
        assert_eq!(behaviors_named_in(text), [name]);
    }
    assert_eq!(behaviors_named_in("/// such as \"seek\"\nlet words = \"they seek\";"), [""; 0]);
}

/// The page for those who write behaviors has every need.
#[test]
fn the_page_of_own_behaviors_has_every_need() {
    let page = std::fs::read_to_string(root().join("docs/own-behaviors.md")).unwrap();
    for (word, _, about) in Need::ALL {
        let row = format!("| `{word}` | {} |", about.replace('|', "\\|"));
        assert!(page.contains(&row), "{row}");
    }
}
