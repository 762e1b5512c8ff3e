//! Makes lists from folders, so that a behavior is added by adding its files: the embedded shaders, the parameter blocks of
//! the behaviors, and the calls of their twins.

#[allow(dead_code)]
#[path = "src/scene/behavior_file.rs"]
mod behavior_file;
#[allow(dead_code)]
#[path = "src/scene/calls.rs"]
mod calls;

use behavior_file::{BehaviorFile, Member, Struct, Wgsl, code, struct_name};
use calls::{Argument, Call, Part, Returned};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/scene/behavior_file.rs");
    println!("cargo:rerun-if-changed=src/scene/calls.rs");
    let write = |name: &str, text: String| fs::write(out.join(name), text).expect("OUT_DIR can be written");
    write("shaders.rs", embedded(&root));
    write("constants.rs", constants(&root));
    let texts = texts(&root);
    let wgsl = Wgsl::parse(texts.iter().map(|(path, text)| (&**path, &**text))).unwrap_or_else(|refused| {
        let (_, text) = texts.iter().find(|(path, _)| *path == refused.path).expect("naga blames one of them");
        let line = text[..refused.at.start].matches('\n').count() + 1;
        panic!("shaders/{}:{line}: {}", refused.path, refused.message)
    });
    write("flags.rs", flags(&wgsl));
    let files = behaviors(&texts, &wgsl);
    write("blocks.rs", shared(&wgsl, &SHARED, "SHARED") + &blocks(&files));
    write("structs.rs", passed(&wgsl));
    write("scenery.rs", shared(&wgsl, &SCENERY, "BLOCKS"));
    write("frame.rs", frame(&wgsl));
    write("twins.rs", twins(&root, &files));
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

/// The scenes of `assets/scenes` by name, after the two that a new user starts with.
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

/// The paths below `shaders` of the files in these folders.
fn paths(root: &Path, folders: &[&str]) -> Vec<String> {
    let in_folder = |folder: &&str| {
        let names = names(&root.join("shaders").join(folder), ".wgsl").into_iter();
        names.map(|name| format!("{folder}/{name}.wgsl")).collect::<Vec<_>>()
    };
    folders.iter().flat_map(in_folder).collect()
}

/// Path below `shaders` and text of each file.
fn embedded(root: &Path) -> String {
    let row = |path: String| {
        let file = root.join("shaders").join(&path).display().to_string();
        format!("    ({path:?}, include_str!({file:?})),\n")
    };
    let rows: String = paths(root, &["common", "behaviors", "sim"]).into_iter().map(row).collect();
    format!("&[\n{rows}]\n")
}

/// The files of shaders whose constants count or index the elements of arrays.
const COUNTS: [&str; 3] = ["common/measured.wgsl", "sim/observe.wgsl", "sim/census.wgsl"];

/// The constants of the shaders of a step that are numbers, as Rust constants: each with the comments right above it and behind it.
fn constants(root: &Path) -> String {
    let mut text = String::new();
    for path in paths(root, &["common", "sim"]) {
        let whole = if COUNTS.contains(&&*path) { "usize" } else { "u32" };
        let mut above = String::new();
        for line in read(&root.join("shaders").join(&path)).lines() {
            let words: Vec<&str> = code(line).map(|(_, word)| word).collect();
            let (["const", name, "=", value @ .., ";"] | ["const", name, ":", _, "=", value @ .., ";"]) = &words[..]
            else {
                above = line.strip_prefix("//").map_or(String::new(), |comment| above + comment.trim() + " ");
                continue;
            };
            let above = std::mem::take(&mut above);
            let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) || ["-", "/"].contains(word);
            let ty = match value {
                _ if !value.iter().all(is_number) => continue,
                [bits] if bits.starts_with("0x") => "u32",
                [number] if number.ends_with('u') => whole,
                _ => "f32",
            };
            let behind = line.split_once("; // ").map_or("", |(_, comment)| comment);
            let about = format!("`{name}` of `{path}`. {above}{behind}");
            let value = value.concat();
            let _ = writeln!(text, "#[doc = {about:?}]\npub const {name}: {ty} = {};", value.trim_end_matches('u'));
        }
    }
    text
}

/// The file that all shaders of a picture share.
const FRAME: &str = "render/frame.wgsl";

/// Path and text of each file that a behavior may call, and of [`FRAME`]. `planar.wgsl` is left out, because `spatial.wgsl` declares the
/// same names.
fn texts(root: &Path) -> Vec<(String, String)> {
    let paths = paths(root, &["common", "behaviors"]).into_iter();
    let paths = paths.filter(|path| path != "common/planar.wgsl").chain([FRAME.to_owned()]);
    paths.map(|path| (path.clone(), read(&root.join("shaders").join(path)))).collect()
}

/// Name and file of each behavior, in the order in which their accelerations are added.
fn behaviors<'a>(texts: &'a [(String, String)], wgsl: &Wgsl<'a>) -> Vec<(&'a str, BehaviorFile<'a>)> {
    let name = |path: &'a str| path.strip_prefix("behaviors/")?.strip_suffix(".wgsl");
    let mut files: Vec<(u32, &str, BehaviorFile)> = texts
        .iter()
        .filter_map(|(path, _)| {
            let (name, file) = (name(path)?, wgsl.file(path));
            let order = file.structure(&struct_name(name)).and_then(|s| s.doc.setting("order")?.0.parse().ok());
            let order = order.unwrap_or_else(|| panic!("{name}.wgsl: struct {} has no `order`", struct_name(name)));
            Some((order, name, file))
        })
        .collect();
    files.sort_by_key(|(order, name, _)| (*order, *name));
    files.into_iter().map(|(_, name, file)| (name, file)).collect()
}

/// The structs of `shaders/common` that both backends have, by file.
const SHARED: [(&str, &[&str]); 7] = [
    ("layout", &["World", "Species", "Transition", "Memory"]),
    ("ground", &["GroundCell"]),
    ("measured", &["PairMeasurement", "Measurement"]),
    ("vision", &["Vision"]),
    ("target", &["Target"]),
    ("combination", &["Rule"]),
    ("vehicle", &["Drawn", "Vehicle", "Pose"]),
];

/// The structs of `shaders/common` that describe the scenery, by file.
const SCENERY: [(&str, &[&str]); 1] =
    [("scenery", &["Obstacle", "Path", "Surface", "Hill", "Trajectory", "Piece", "Flow", "ObstacleGroup", "Scenery"])];

/// These structs of `shaders/common` as Rust structs, and a table of them.
fn shared(wgsl: &Wgsl, wanted: &[(&str, &[&str])], table: &str) -> String {
    let (mut text, mut rows) = (String::new(), String::new());
    for (file, names) in wanted {
        let file = wgsl.file(&format!("common/{file}.wgsl"));
        for name in *names {
            let own = file.structure(name).unwrap_or_else(|| panic!("shaders/common has no struct {name}"));
            let undocumented = own.members.iter().find(|member| member.doc.note.is_empty());
            assert!(undocumented.is_none() && !own.doc.note.is_empty(), "{name} needs comments: {undocumented:?}");
            let _ = writeln!(text, "#[doc = {:?}]", own.doc.note);
            block(&mut text, own, if *name == "Memory" { ", Default" } else { "" });
            let _ = writeln!(rows, "    {},", block_row(own, "0"));
        }
    }
    format!("{text}/// How Rust lays these structs out.\npub const {table}: &[Block] = &[\n{rows}];\n\n")
}

/// The structs of `shaders/common` that functions take and return and no buffer holds, by file.
const PASSED: [(&str, &[&str]); 10] = [
    ("agent", &["Agent", "Turner"]),
    ("clearance", &["Clearance", "Ground"]),
    ("cover", &["Cover"]),
    ("field", &["FieldAxis"]),
    ("obstacles", &["Wall", "Approach", "Hit"]),
    ("paths", &["PathPlace"]),
    ("surface", &["Slope"]),
    ("target", &["Goal", "Nearest"]),
    ("vehicle", &["Limits", "Body", "Turned"]),
    ("ways", &["WaySum"]),
];

/// Members that these have in the reference alone: in the shaders they are global.
const GLOBAL: [(&str, &[&str]); 2] =
    [("Agent", &["dt: f32", "seed: u32", "spatial: bool"]), ("Limits", &["dt: f32", "seed: u32"])];

/// These structs as Rust structs of `glam`'s vectors.
fn passed(wgsl: &Wgsl) -> String {
    let mut text = String::new();
    for (file, name) in PASSED.iter().flat_map(|(file, names)| names.iter().map(move |name| (file, name))) {
        let file = wgsl.file(&format!("common/{file}.wgsl"));
        let own = file.structure(name).unwrap_or_else(|| panic!("shaders/common has no struct {name}"));
        let derives = "#[derive(Debug, Clone, Copy, Default, PartialEq)]";
        let _ = writeln!(text, "#[doc = {:?}]\n{derives}\npub struct {name} {{", own.doc.note);
        for Member { name, ty, doc, .. } in &own.members {
            let ty = ty.replace("vec2f", "Vec2").replace("vec3f", "Vec3");
            let _ = writeln!(text, "    #[doc = {:?}]\n    pub {name}: {ty},", doc.note);
        }
        for member in GLOBAL.iter().filter(|(of, _)| of == name).flat_map(|(_, members)| *members) {
            let _ = writeln!(text, "    /// In the shaders this is global.\n    pub {member},");
        }
        text.push_str("}\n\n");
    }
    text
}

/// The parameter block of a picture, and the structs for the looks of agents, as Rust structs.
fn frame(wgsl: &Wgsl) -> String {
    let (file, mut text) = (wgsl.file(FRAME), String::new());
    for name in ["Frame", "Style", "BodyCorner", "Palette"] {
        let own = file.structure(name).unwrap_or_else(|| panic!("{FRAME} has no struct {name}"));
        let _ = writeln!(text, "#[doc = {:?}]", own.doc.note);
        block(&mut text, own, "");
    }
    text
}

/// The row of a Rust struct in a table: where its members lie, and a value whose bits are all 0.
fn block_row(own: &Struct, offset: &str) -> String {
    let name = own.name;
    let members: String =
        own.members.iter().map(|m| format!("({0:?}, std::mem::offset_of!({name}, {0})), ", m.name)).collect();
    format!(
        "Block {{ name: {name:?}, offset: {offset}, size: size_of::<{name}>(), members: &[{members}], \
         zero: || format!(\"{{:?}}\", {name}::zeroed()) }}"
    )
}

/// The overrides that follow from a scene, as two structs: `Vehicles` has those whose names end in `_acts`, `Features` the others.
fn flags(wgsl: &Wgsl) -> String {
    let flags = wgsl.flags("common/specialization.wgsl").into_iter().filter(|(_, doc)| !doc.is_empty());
    let (vehicles, features): (Vec<_>, Vec<_>) = flags.partition(|(name, _)| name.ends_with("_acts"));
    let structure = |name: &str, about: &str, list: &str, flags: &[(&str, String)]| {
        let field = |name: &str| name.trim_end_matches("_acts").to_owned();
        let fields = flags.iter().map(|(name, doc)| format!("    #[doc = {doc:?}]\n    pub {}: bool,\n", field(name)));
        let rows = flags.iter().map(|(name, _)| format!("({name:?}, self.{}), ", field(name)));
        let (fields, rows) = (fields.collect::<String>(), rows.collect::<String>());
        format!(
            "/// {about}\n#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]\npub struct {name} {{\n{fields}}}\n\n\
             impl {name} {{\n    /// Each flag with the name of its override.\n    \
             pub fn {list}(&self) -> Vec<(&'static str, bool)> {{\n        vec![{rows}]\n    }}\n}}\n\n"
        )
    };
    structure("Features", "The overrides that follow from a scene, without those of its vehicles.", "flags", &features)
        + &structure("Vehicles", "Which vehicle models any species uses.", "overrides", &vehicles)
}

/// The Rust type for a WGSL type.
fn rust_type(ty: &str) -> String {
    if let Some((element, count)) = ty.strip_prefix("array<").and_then(|rest| rest.strip_suffix('>')?.rsplit_once(", "))
    {
        return format!("[{}; {count}]", rust_type(element));
    }
    match ty {
        "vec2f" => "[f32; 2]".to_owned(),
        "vec3f" => "[f32; 3]".to_owned(),
        "vec4f" => "[f32; 4]".to_owned(),
        "vec2u" => "[u32; 2]".to_owned(),
        "vec2i" => "[i32; 2]".to_owned(),
        "mat4x4f" => "[f32; 16]".to_owned(),
        "vec3u" => "[u32; 3]".to_owned(),
        "vec4u" => "[u32; 4]".to_owned(),
        other => other.to_owned(),
    }
}

fn block(text: &mut String, structure: &Struct, extra: &str) {
    let _ = writeln!(text, "#[repr(C)]\n#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable{extra})]");
    let _ = writeln!(text, "pub struct {} {{", structure.name);
    let mut end = 0;
    let padding = |from: usize, to: usize| match to - from {
        0 => String::new(),
        words => format!("    #[doc = \"Unused.\"]\n    pub padding: [u32; {words}],\n"),
    };
    for member in &structure.members {
        text.push_str(&padding(end, member.first_word));
        end = member.first_word + member.words;
        let doc = match member.name {
            _ if !member.doc.text.is_empty() => &member.doc.text,
            _ if !member.doc.note.is_empty() => &member.doc.note,
            "rule" => "How it takes part in the combination.",
            "vision" => "Which neighbors it perceives.",
            "toward" => "What the agent heads for.",
            _ => "What the agent remembers.",
        };
        let _ = writeln!(text, "    #[doc = {doc:?}]\n    pub {}: {},", member.name, rust_type(&member.ty));
    }
    text.push_str(&padding(end, structure.words));
    text.push_str("}\n\n");
}

/// The parameter blocks and memories of all behaviors as Rust structs.
fn blocks(files: &[(&str, BehaviorFile)]) -> String {
    let mut text = String::new();
    let (mut all, mut memories, mut table) = (String::new(), String::new(), String::new());
    let mut read = String::new();
    for (name, file) in files {
        let structure = struct_name(name);
        let own = file.structure(&structure).unwrap_or_else(|| panic!("{name}.wgsl has no struct {structure}"));
        let _ = writeln!(text, "/// Parameters of `{name}`, as its shader declares them.");
        block(&mut text, own, "");
        let _ = writeln!(all, "    /// Of `{name}`.\n    pub {name}: {structure},");
        let row = block_row(own, &format!("std::mem::offset_of!(Behaviors, {name})"));
        let _ = writeln!(table, "    {row},");
        let memory = format!("{structure}Memory");
        if let Some(own) = file.structure(&memory) {
            let _ = writeln!(text, "/// What `{name}` remembers of each agent.");
            block(&mut text, own, ", Default");
            let _ = writeln!(memories, "    /// Of `{name}`.\n    pub {name}: {memory},");
            let _ = writeln!(read, "            {name:?} => bytemuck::cast_slice(std::slice::from_ref(&self.{name})),");
        }
    }
    format!(
        "{text}\
         /// The blocks of all behaviors, in the order of the registry.\n\
         #[repr(C)]\n#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]\npub struct Behaviors {{\n{all}}}\n\n\
         /// What all behaviors remember of an agent.\n\
         #[repr(C)]\n#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, Default)]\npub struct BehaviorMemories {{\n{memories}    /// The sum of the angular behaviors in the latest step in which it steered, rad/s².\n    pub turning: [f32; 3],\n    /// Of behaviors of the scene's own.\n    pub own: [[u32; MOST_REMEMBERED]; MOST_REMEMBERING],\n}}\n\n\
         impl BehaviorMemories {{\n    /// The words of one behavior; none where it remembers nothing.\n    \
         pub fn words(&self, behavior: &str) -> &[u32] {{\n        match behavior {{\n{read}            _ => &[],\n        }}\n    }}\n}}\n\n\
         /// The blocks as Rust lays them out, in the order of the registry.\npub const BLOCKS: &[Block] = &[\n{table}];\n"
    )
}

/// The parameters of a Rust function, name and type, and what it returns, found in the words of its file.
fn signature(words: &[(usize, &str)], name: &str) -> Option<(Vec<(String, String)>, String)> {
    let begins = words.windows(2).position(|pair| pair[0].1 == "fn" && pair[1].1 == name)?;
    let words = words[begins..].iter().map(|(_, word)| *word).take_while(|word| *word != "{").collect::<Vec<_>>();
    let closes = words.iter().rposition(|word| *word == ")")?;
    let parameters = words[3..closes].split(|word| *word == ",").filter_map(|parameter| {
        let (name, ty) = parameter.split_first()?;
        Some(((*name).to_owned(), ty.strip_prefix(&[":"])?.concat()))
    });
    Some((parameters.collect(), words[closes + 1..].concat().trim_start_matches("->").to_owned()))
}

/// The statement that calls a twin's function and stores what it returns.
fn statement(name: &str, call: &Call) -> String {
    // In the loop over neighbors the sum is a local variable.
    let sum = if call.part == Part::Add { "sum".to_owned() } else { format!("self.{name}") };
    let written = call.written(|argument| match argument {
        Argument::Parameters => format!("&behaviors.{name}"),
        Argument::Agent => "&scope.agent".to_owned(),
        Argument::Goal(member, _) => format!("&scope.goal(behaviors.{name}.{member})"),
        Argument::Turner => "turner".to_owned(),
        Argument::Neighbor => "neighbor".to_owned(),
        Argument::Sum => sum.clone(),
        Argument::Memory => format!("&memories.{name}"),
        Argument::Other => "other".to_owned(),
        Argument::Model => "scope.model".to_owned(),
        Argument::Buffers => "scope.buffers".to_owned(),
    });
    match call.part.returns() {
        Returned::Sum => format!("{sum} = {name}::{written};"),
        Returned::Acceleration => format!("add(behaviors.{name}.rule, {name}::{written});"),
        Returned::Memory => format!("memories.{name} = {name}::{written};"),
    }
}

/// The modules of the twins, and their calls.
fn twins(root: &Path, files: &[(&str, BehaviorFile)]) -> String {
    let (mut text, mut sums, mut looks) = (String::new(), String::new(), String::new());
    let (mut rankings, mut rank, mut reach, mut reach_start, mut reach_of) =
        (String::new(), String::new(), String::new(), String::new(), String::new());
    let parts = [Part::Add, Part::AddCoincident, Part::Resolve, Part::Steer, Part::Turn, Part::Remember];
    let mut bodies = parts.map(|_| String::new());
    for (index, (name, file)) in files.iter().enumerate() {
        let path = root.join(format!("src/cpu/behaviors/{name}.rs"));
        let source = read(&path);
        let twin: Vec<_> = code(&source).collect();
        let _ = writeln!(text, "#[path = {:?}]\npub mod {name};", path.display().to_string());
        for (part, body) in parts.into_iter().zip(&mut bodies) {
            let Some((parameters, returns)) = signature(&twin, &part.of(name)) else { continue };
            let call = Call::new(name, file, part, &parameters, &returns).unwrap_or_else(|(argument, ty)| {
                panic!("{}: {} takes `{argument}: {ty}`, which no caller has", path.display(), part.of(name))
            });
            let does = statement(name, &call);
            let (perceives, does) = match part {
                Part::Add => {
                    let path = if returns == "Vec3" { String::new() } else { format!("{name}::") };
                    let _ = writeln!(sums, "    /// Of `{name}`.\n    pub {name}: {path}{returns},");
                    let _ = write!(looks, "behaviors.{name}.rule.weight, ");
                    let _ = writeln!(rankings, "    {name}: Ranking,");
                    let _ = writeln!(
                        rank,
                        "    if behaviors.{name}.rule.weight != 0.0 {{ \
                         neighbors.iter().for_each(|n| ranking_see(&mut self.{name}, behaviors.{name}.vision, n)); }}"
                    );
                    let _ = writeln!(reach, "    {name}: f32,");
                    let _ = write!(reach_start, "{name}: FARTHEST, ");
                    let _ = write!(reach_of, "{name}: ranking_of(&self.{name}, k), ");
                    let each = format!(
                        "let mut sum = self.{name}; \
                         for (neighbor, seen) in neighbors.iter().zip(&mut *seen) {{ \
                         if neighbor.distance_squared <= reach.{name} {{ \
                         if sees(behaviors.{name}.vision, neighbor) {{ *seen |= {bit}; }} {does} }} }} \
                         self.{name} = sum;",
                        bit = 1u64 << index
                    );
                    (String::new(), each)
                }
                Part::AddCoincident => (format!(" && behaviors.{name}.vision.species & species != 0"), does),
                _ => (String::new(), does),
            };
            let _ = writeln!(body, "    if behaviors.{name}.rule.weight != 0.0{perceives} {{ {does} }}");
        }
    }
    let [add, coincident, resolve, steer, turn, remember] = bodies;
    format!(
        "{text}\n\
         /// What the neighborhood behaviors have summed over the neighbors.\n\
         #[derive(Debug, Clone, Copy, Default)]\npub struct Sums {{\n{sums}}}\n\n\
         /// The nearest neighbors of each behavior.\n\
         #[derive(Debug, Clone, Copy, Default)]\npub struct Rankings {{\n{rankings}}}\n\n\
         impl Rankings {{\n    /// Rank neighbors, for each behavior that sees them.\n    \
         pub fn add(&mut self, behaviors: &Behaviors, neighbors: &[Neighbor]) {{\n{rank}    }}\n\n    \
         /// How far each behavior looks for the k nearest.\n    \
         pub fn reach(&self, k: u32) -> Reach {{\n        Reach {{ {reach_of}}}\n    }}\n}}\n\n\
         /// The squared distance of the last neighbor that each behavior takes, u².\n\
         #[derive(Debug, Clone, Copy)]\npub struct Reach {{\n{reach}}}\n\n\
         impl Default for Reach {{\n    fn default() -> Reach {{\n        Reach {{ {reach_start}}}\n    }}\n}}\n\n\
         impl Sums {{\n    /// Add neighbors in their order, behavior by behavior, and set the bits of the behaviors that perceive each.\n    \
         pub fn add(&mut self, scope: &Scope<'_>, reach: &Reach, neighbors: &[Neighbor], seen: &mut [u64]) {{\n        \
         let behaviors = &scope.own.behaviors;\n{add}    }}\n\n    \
         /// Add an agent at the very same point, by its id and the bit of its species.\n    \
         pub fn add_coincident(&mut self, scope: &Scope<'_>, other: u32, species: u32) {{\n        \
         let behaviors = &scope.own.behaviors;\n{coincident}    }}\n\n    \
         /// Their accelerations.\n    \
         pub fn resolve(&self, scope: &Scope<'_>, add: &mut impl FnMut(Rule, Vec3)) {{\n        \
         let behaviors = &scope.own.behaviors;\n{resolve}    }}\n}}\n\n\
         /// Does any behavior look at neighbors?\n\
         pub fn looks(behaviors: &Behaviors) -> bool {{\n    [{looks}].iter().any(|weight| *weight != 0.0)\n}}\n\n\
         /// The accelerations of the individual behaviors.\n\
         pub fn steer_each(scope: &Scope<'_>, memories: &BehaviorMemories, add: &mut impl FnMut(Rule, Vec3)) {{\n    \
         let behaviors = &scope.own.behaviors;\n{steer}}}\n\n\
         /// The angular accelerations of the angular behaviors.\n\
         pub fn turn_each(scope: &Scope<'_>, turner: &Turner, add: &mut impl FnMut(Rule, Vec3)) {{\n    \
         let behaviors = &scope.own.behaviors;\n{turn}}}\n\n\
         /// What the behaviors remember after this step; also in a step in which the agent does not steer.\n\
         pub fn remember_each(scope: &Scope<'_>, memories: &mut BehaviorMemories) {{\n    \
         let behaviors = &scope.own.behaviors;\n{remember}}}\n"
    )
}
