//! Makes lists from folders, so that a behavior is added by adding its files: the embedded shaders, the parameter blocks of
//! the behaviors, and the calls of their twins.

#[allow(dead_code)]
#[path = "src/scene/behavior_file.rs"]
mod behavior_file;

use behavior_file::{Argument, BehaviorFile, Function, Struct, arguments, struct_name};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/scene/behavior_file.rs");
    let write = |name: &str, text: String| fs::write(out.join(name), text).expect("OUT_DIR can be written");
    write("shaders.rs", embedded(&root));
    let texts = behaviors(&root);
    let files: Vec<(&str, BehaviorFile)> =
        texts.iter().map(|(name, text)| (&**name, BehaviorFile::read(text))).collect();
    write("blocks.rs", blocks(&files));
    write("twins.rs", twins(&root, &files));
    write("law_groups.rs", law_groups(&root));
    write("presets.rs", presets(&root));
}

/// Names of the files of a folder with an ending, sorted.
fn names(folder: &Path, ending: &str) -> Vec<String> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files = entries.map(|entry| entry.expect("a readable folder").file_name().into_string().expect("UTF-8"));
    let mut names: Vec<String> = files.filter_map(|file| file.strip_suffix(ending).map(str::to_owned)).collect();
    names.sort();
    names
}

fn read(path: &Path) -> String {
    println!("cargo:rerun-if-changed={}", path.display());
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// `groups! { NAME "PATH" ... }`, one for each file of laws: the library makes modules and a table of it, tests/conform.rs
/// makes tests of it.
fn law_groups(root: &Path) -> String {
    let folder = root.join("src/verify/conform/laws");
    let names = names(&folder, ".rs").into_iter().filter(|name| name != "mod");
    let groups: String = names.map(|name| format!("    {name} {:?}\n", folder.join(format!("{name}.rs")))).collect();
    format!("groups! {{\n{groups}}}\n")
}

/// The scenes of `assets/scenes` by name, after the two that everybody starts with.
fn presets(root: &Path) -> String {
    let folder = root.join("assets/scenes");
    let mut names = names(&folder, ".toml");
    names.sort_by_key(|name| (name != "murmuration", name != "flock", name.clone()));
    let row = |name: &String| {
        let path = folder.join(format!("{name}.toml")).display().to_string();
        format!("    Preset {{ name: {name:?}, text: include_str!({path:?}) }},\n")
    };
    format!("&[\n{}]\n", names.iter().map(row).collect::<String>())
}

/// Path below `shaders` and text of each file.
fn embedded(root: &Path) -> String {
    let mut rows = String::new();
    for folder in ["common", "behaviors", "sim"] {
        for name in names(&root.join("shaders").join(folder), ".wgsl") {
            let path = root.join(format!("shaders/{folder}/{name}.wgsl"));
            let _ = writeln!(rows, "    (\"{folder}/{name}.wgsl\", include_str!({:?})),", path.display().to_string());
        }
    }
    format!("&[\n{rows}]\n")
}

/// Name and text of each behavior's shader, in the order in which their accelerations are added.
fn behaviors(root: &Path) -> Vec<(String, String)> {
    let folder = root.join("shaders/behaviors");
    let mut files: Vec<(u32, String, String)> = names(&folder, ".wgsl")
        .into_iter()
        .map(|name| {
            let text = read(&folder.join(format!("{name}.wgsl")));
            let file = BehaviorFile::read(&text);
            let order = file.structure(&struct_name(&name)).and_then(|s| s.doc.setting("order")?.0.parse().ok());
            let order = order.unwrap_or_else(|| panic!("{name}.wgsl: struct {} has no `order`", struct_name(&name)));
            (order, name, text)
        })
        .collect();
    files.sort();
    files.into_iter().map(|(_, name, text)| (name, text)).collect()
}

/// A type of WGSL in Rust.
fn rust_type(ty: &str) -> &str {
    match ty {
        "array<f32, 3>" => "[f32; 3]",
        other => other,
    }
}

fn block(text: &mut String, structure: &Struct, extra: &str) {
    let _ = writeln!(text, "#[repr(C)]\n#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable{extra})]");
    let _ = writeln!(text, "pub struct {} {{", structure.name);
    for member in &structure.members {
        let doc = match member.name {
            "rule" => "How it takes part in the combination.",
            "vision" => "Whom it perceives.",
            "toward" => "What the agent heads for.",
            _ => &member.doc.text,
        };
        let doc = if doc.is_empty() { "What the agent remembers." } else { doc };
        let _ = writeln!(text, "    #[doc = {doc:?}]\n    pub {}: {},", member.name, rust_type(&member.ty));
    }
    text.push_str("}\n\n");
}

/// The parameter blocks and memories of all behaviors as Rust structs.
fn blocks(files: &[(&str, BehaviorFile)]) -> String {
    let mut text = String::new();
    let (mut all, mut memories, mut table) = (String::new(), String::new(), String::new());
    let (mut read, mut written) = (String::new(), String::new());
    for (name, file) in files {
        let structure = struct_name(name);
        let own = file.structure(&structure).unwrap_or_else(|| panic!("{name}.wgsl has no struct {structure}"));
        let _ = writeln!(text, "/// Parameters of `{name}`, as its shader declares them.");
        block(&mut text, own, "");
        let _ = writeln!(all, "    /// Of `{name}`.\n    pub {name}: {structure},");
        let members: Vec<&str> = own.members.iter().map(|member| member.name).collect();
        let _ = writeln!(
            table,
            "    Block {{ name: {structure:?}, offset: std::mem::offset_of!(Behaviors, {name}), size: size_of::<{structure}>(), members: &[{}] }},",
            members
                .iter()
                .map(|m| format!("({m:?}, std::mem::offset_of!({structure}, {m}))"))
                .collect::<Vec<_>>()
                .join(", ")
        );
        let memory = format!("{structure}Memory");
        if let Some(own) = file.structure(&memory) {
            let _ = writeln!(text, "/// What `{name}` remembers of each agent.");
            block(&mut text, own, ", Default");
            let _ = writeln!(memories, "    /// Of `{name}`.\n    pub {name}: {memory},");
            let _ = writeln!(read, "            {name:?} => bytemuck::cast_slice(std::slice::from_ref(&self.{name})),");
            let _ = writeln!(
                written,
                "            {name:?} => bytemuck::cast_slice_mut(std::slice::from_mut(&mut self.{name})),"
            );
        }
    }
    format!(
        "{text}\
         /// The blocks of all behaviors, in the order of the registry.\n\
         #[repr(C)]\n#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]\npub struct Behaviors {{\n{all}}}\n\n\
         /// What all behaviors remember of an agent.\n\
         #[repr(C)]\n#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, Default)]\npub struct BehaviorMemories {{\n{memories}}}\n\n\
         impl BehaviorMemories {{\n    /// The words of one behavior; none where it remembers nothing.\n    \
         pub fn words(&self, behavior: &str) -> &[u32] {{\n        match behavior {{\n{read}            _ => &[],\n        }}\n    }}\n\n    \
         /// The same, to write to.\n    \
         pub fn words_mut(&mut self, behavior: &str) -> &mut [u32] {{\n        match behavior {{\n{written}            _ => &mut [],\n        }}\n    }}\n}}\n\n\
         /// The blocks as Rust lays them out, in the order of the registry.\npub const BLOCKS: &[Block] = &[\n{table}];\n"
    )
}

/// The modules of the twins, and their calls.
fn twins(root: &Path, files: &[(&str, BehaviorFile)]) -> String {
    let mut text = String::new();
    let (mut sums, mut add, mut coincident, mut resolve) = (String::new(), String::new(), String::new(), String::new());
    let (mut steer, mut turn, mut remember, mut looks) = (String::new(), String::new(), String::new(), String::new());
    let (mut rankings, mut rank, mut reach, mut reach_start, mut reach_of) =
        (String::new(), String::new(), String::new(), String::new(), String::new());
    for (name, file) in files {
        let path = root.join(format!("src/cpu/behaviors/{name}.rs"));
        let source = read(&path);
        let twin = BehaviorFile::read(&source);
        let structure = struct_name(name);
        let _ = writeln!(text, "#[path = {:?}]\npub mod {name};", path.display().to_string());
        let targets: Vec<&str> = file
            .structure(&structure)
            .into_iter()
            .flat_map(|s| &s.members)
            .filter(|m| m.ty == "Target")
            .map(|m| m.name)
            .collect();
        let call = |function: &Function| {
            let arguments = arguments(function, &structure).unwrap_or_else(|(argument, ty)| {
                panic!(
                    "{}:{}: {} takes `{argument}: {ty}`, which no caller has",
                    path.display(),
                    function.line,
                    function.name
                )
            });
            let passed: Vec<String> = arguments
                .iter()
                .map(|argument| match argument {
                    Argument::Parameters => format!("&behaviors.{name}"),
                    Argument::Agent => "&scope.agent".to_owned(),
                    Argument::Goal(k) => format!("&scope.goal(behaviors.{name}.{})", targets[*k]),
                    Argument::Turner => "turner".to_owned(),
                    Argument::Neighbor => "neighbor".to_owned(),
                    Argument::Sum => format!("self.{name}"),
                    Argument::Memory => format!("&memories.{name}"),
                    Argument::Other => "other".to_owned(),
                    Argument::Model => "scope.model".to_owned(),
                    Argument::Buffers => "scope.buffers".to_owned(),
                })
                .collect();
            format!("{name}::{}({})", function.name, passed.join(", "))
        };
        let function = |part: &str| twin.function(&format!("{name}_{part}"));
        let acts = format!("if behaviors.{name}.rule.weight != 0.0");
        if let Some(found) = function("add") {
            let sum = if found.returns == "Vec3" { "Vec3".to_owned() } else { format!("{name}::{}", found.returns) };
            let _ = write!(looks, "behaviors.{name}.rule.weight, ");
            let _ = writeln!(sums, "    /// Of `{name}`.\n    pub {name}: {sum},");
            let _ = writeln!(
                add,
                "        {acts} && neighbor.distance_squared <= reach.{name} {{\n            \
                 seen |= sees(behaviors.{name}.vision, neighbor);\n            self.{name} = {};\n        }}",
                call(found)
            );
            let _ = writeln!(rankings, "    {name}: Ranking,");
            let _ = writeln!(rank, "        ranking_see(&mut self.{name}, behaviors.{name}.vision, neighbor);");
            let _ = writeln!(reach, "    {name}: f32,");
            let _ = write!(reach_start, "{name}: FARTHEST, ");
            let _ = write!(reach_of, "{name}: ranking_of(&self.{name}, k), ");
        }
        if let Some(found) = function("add_coincident") {
            let _ = writeln!(
                coincident,
                "        {acts} && behaviors.{name}.vision.species & species != 0 {{\n            self.{name} = {};\n        }}",
                call(found)
            );
        }
        if let Some(found) = function("resolve") {
            let _ = writeln!(
                resolve,
                "        {acts} {{\n            add(behaviors.{name}.rule, {});\n        }}",
                call(found)
            );
        }
        if let Some(found) = function("steer") {
            let _ = writeln!(steer, "    {acts} {{\n        add(behaviors.{name}.rule, {});\n    }}", call(found));
        }
        if let Some(found) = function("turn") {
            let _ = writeln!(turn, "    {acts} {{\n        add(behaviors.{name}.rule, {});\n    }}", call(found));
        }
        if let Some(found) = function("remember") {
            let _ = writeln!(remember, "    {acts} {{\n        memories.{name} = {};\n    }}", call(found));
        }
    }
    format!(
        "{text}\n\
         /// What the neighborhood behaviors have summed over the neighbors.\n\
         #[derive(Debug, Clone, Copy, Default)]\npub struct Sums {{\n{sums}}}\n\n\
         /// The nearest of those whom each behavior sees.\n\
         #[derive(Debug, Clone, Copy, Default)]\npub struct Rankings {{\n{rankings}}}\n\n\
         impl Rankings {{\n    /// Rank a neighbor, for each behavior that sees it.\n    \
         pub fn add(&mut self, behaviors: &Behaviors, neighbor: &Neighbor) {{\n{rank}    }}\n\n    \
         /// How far each behavior looks for the k nearest.\n    \
         pub fn reach(&self, k: u32) -> Reach {{\n        Reach {{ {reach_of}}}\n    }}\n}}\n\n\
         /// The squared distance of the last whom each behavior looks at, u².\n\
         #[derive(Debug, Clone, Copy)]\npub struct Reach {{\n{reach}}}\n\n\
         impl Default for Reach {{\n    fn default() -> Reach {{\n        Reach {{ {reach_start}}}\n    }}\n}}\n\n\
         impl Sums {{\n    /// Add a neighbor. Does any behavior perceive it?\n    \
         pub fn add(&mut self, scope: &Scope<'_>, reach: &Reach, neighbor: &Neighbor) -> bool {{\n        \
         let behaviors = &scope.own.behaviors;\n        let mut seen = false;\n{add}        seen\n    }}\n\n    \
         /// Add an agent at the very same point, by its id and the bit of its species.\n    \
         pub fn add_coincident(&mut self, scope: &Scope<'_>, other: u32, species: u32) {{\n        \
         let behaviors = &scope.own.behaviors;\n{coincident}    }}\n\n    \
         /// What they say at the end.\n    \
         pub fn resolve(&self, scope: &Scope<'_>, add: &mut impl FnMut(Rule, Vec3)) {{\n        \
         let behaviors = &scope.own.behaviors;\n{resolve}    }}\n}}\n\n\
         /// Does any behavior look at neighbors?\n\
         pub fn looks(behaviors: &Behaviors) -> bool {{\n    [{looks}].iter().any(|weight| *weight != 0.0)\n}}\n\n\
         /// What the individual behaviors say.\n\
         pub fn steer_each(scope: &Scope<'_>, memories: &BehaviorMemories, add: &mut impl FnMut(Rule, Vec3)) {{\n    \
         let behaviors = &scope.own.behaviors;\n{steer}}}\n\n\
         /// What the angular behaviors say.\n\
         pub fn turn_each(scope: &Scope<'_>, turner: &Turner, add: &mut impl FnMut(Rule, Vec3)) {{\n    \
         let behaviors = &scope.own.behaviors;\n{turn}}}\n\n\
         /// What the behaviors remember after this step; also in a step in which the agent does not steer.\n\
         pub fn remember_each(scope: &Scope<'_>, memories: &mut BehaviorMemories) {{\n    \
         let behaviors = &scope.own.behaviors;\n{remember}}}\n"
    )
}
