//! The invariants of ARCHITECTURE.md that need no GPU: pairs of files, layouts, valid shaders, banned builtins, imports.

mod support;

use bytemuck::Zeroable;
use naga::{Expression, Handle, Module, Scalar, Type, TypeInner};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::{offset_of, size_of};
use std::path::Path;
use std::sync::OnceLock;
use steerling::gpu::reflect::EntryPoint;
use steerling::gpu::shaders::{EMBEDDED, Sources};
use steerling::model::{
    ARRANGE, BLOCKS, BehaviorMemories, Behaviors, GroundCell, Memory, OBSERVE, Pose, Rule, STAGES, STRIDE, Species,
    Target, Transition, Vehicle, Vision, World,
};
use steerling::scene::{BEHAVIORS, Boundary, PRESETS};
use steerling::verify::conform::{GROUPS, select, tokens};
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
    let stages = set(STAGES.iter().chain([&OBSERVE]).map(|s| s.name));
    assert_eq!(names("src/cpu/sim", ".rs"), stages);
    // A stride calls the functions of stages that have twins.
    assert_eq!(names("shaders/sim", ".wgsl"), &stages | &set([ARRANGE.name, STRIDE.name]));
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
        for (entry_point, ..) in STAGES.iter().chain([&ARRANGE, &STRIDE, &OBSERVE]).flat_map(|stage| stage.entry_points)
        {
            assert!(module.entry_points.iter().any(|e| e.name == *entry_point), "{entry_point}");
        }
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

/// What a zero says of the type: the scalars of vectors and arrays, however nested, and of structs the name.
fn type_of(zero: &str) -> String {
    let plain: String = zero.chars().take_while(|c| *c != '{').filter(|c| !"[]".contains(*c)).collect();
    plain.trim().to_owned()
}

fn find_struct<'a>(module: &'a Module, name: &str) -> (Handle<Type>, &'a [naga::StructMember], u32) {
    let (handle, ty) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect(name);
    let TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is no struct") };
    (handle, members, *span)
}

/// Names, offsets and types of the members of a struct, and its size, as naga sees the WGSL.
fn wgsl_layout(name: &str) -> (Vec<(String, u32, String)>, u32) {
    let module = module(true);
    let (_, members, span) = find_struct(module, name);
    let row = |m: &naga::StructMember| (m.name.clone().unwrap(), m.offset, type_of(&zero(module, m.ty)));
    (members.iter().map(row).collect(), span)
}

macro_rules! assert_layout {
    ($ty:ident { $($field:ident),* $(,)? }) => {
        let zero = $ty::zeroed();
        let rust = vec![$((
            stringify!($field).to_owned(),
            offset_of!($ty, $field) as u32,
            type_of(&format!("{:?}", zero.$field)),
        )),*];
        let (wgsl, span) = wgsl_layout(stringify!($ty));
        assert_eq!(rust, wgsl, stringify!($ty));
        assert_eq!(size_of::<$ty>() as u32, span, stringify!($ty));
    };
}

#[test]
fn rust_and_wgsl_lay_structs_out_alike() {
    assert_layout!(World {
        size,
        agent_count,
        half_size,
        dt,
        cells_per_unit,
        cell_count,
        cell_size,
        search_margin,
        cells,
        species_count,
        field_nodes,
        margin,
        field_nodes_per_unit,
        seed,
        mouse,
        top_speed,
        ground_cells,
        ground_half_life,
        ground_cell_size,
        ground_intake,
        ground_cells_per_unit,
        ground_regrowth,
        trail_shares,
        trail_fade,
        cells_beyond,
        query_mask,
        first_querying,
        querying_ids,
        crowd,
        first_ids,
    });
    assert_layout!(Species {
        first_id,
        count,
        mass,
        max_speed,
        min_speed,
        max_force,
        time_constant,
        radius,
        perception_radius,
        k_nearest,
        combine,
        update_every,
        transition_count,
        smoothing,
        query_row,
        dither,
        speed_spread,
        force_spread,
        mass_spread,
        radius_spread,
        angular_spread,
        least_spread,
        time_spread,
        normal,
        state_speeds,
        state_forces,
        state_weights,
        weight_spreads,
        silence,
        deposit,
        deposit_states,
        queries,
        actions,
        vehicle,
        behaviors,
    });
    assert_layout!(Vehicle {
        locomotion,
        explicit_euler,
        keeps_pose,
        faces_freely,
        velocity_kept,
        velocity_gain,
        air,
        spin_kept,
        spin_gain,
        max_angular_speed,
        max_angular_acceleration,
        braking,
        low_speed,
        turn_loss,
        projects,
        least_speed,
        hugs_surface,
        banks,
        righting,
        leaning,
        bank_share,
        smoothing,
        low_speed_spread,
        turn_loss_spread,
        air_spread,
        righting_spread,
        leaning_spread,
        reverse_spread,
        agility_varies,
        angular_limit,
        angular_limit_spread,
        torque,
        torque_spread,
        inertia_spread,
    });
    assert_layout!(Pose { forward, up, spin, bank });
    assert_layout!(Transition { from_states, to, when, than, unloads, toward });
    assert_layout!(GroundCell { visits, stock, capacity, claim, trail });
    // What a scene's own behaviors remember has its place among the others there.
    let (memory, span) = wgsl_layout("Memory");
    let offsets = [
        ("state", offset_of!(Memory, state)),
        ("since", offset_of!(Memory, since)),
        ("load", offset_of!(Memory, load)),
        ("winner", offset_of!(Memory, winner)),
        ("held", offset_of!(Memory, held)),
        ("behaviors", offset_of!(Memory, behaviors)),
    ];
    let memory: Vec<(&str, usize)> = memory.iter().map(|(name, offset, _)| (&**name, *offset as usize)).collect();
    assert_eq!(memory, offsets);
    assert_eq!((offset_of!(Memory, behaviors) + offset_of!(BehaviorMemories, own)) as u32, span);
    assert_layout!(Rule { weight, floor, priority, states, rows, jitter, limit });
    // Each behavior, with eight of a scene's own, has its spread.
    assert!(BEHAVIORS.len() + 8 <= Species::zeroed().weight_spreads.len());
    assert_layout!(Target { kind, index, point });
    assert_layout!(Vision { radius_squared, cosine, inner_squared, species });
    for block in BLOCKS {
        let (wgsl, span) = wgsl_layout(block.name);
        let wgsl: Vec<(&str, usize)> = wgsl.iter().map(|(name, offset, _)| (&**name, *offset as usize)).collect();
        assert_eq!(block.members, wgsl, "{}", block.name);
        assert_eq!(block.size as u32, span, "{}", block.name);
    }
    let module = module(true);
    let (behaviors, ..) = find_struct(module, "Behaviors");
    assert_eq!(format!("{:?}", Behaviors::zeroed()), zero(module, behaviors), "the types of all their members");
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
    let types =
        ["[0.0, 0.0, 0.0]", "[0, 0, 0]", "[[0, 0], [0, 0]]", "[0, 0, 0, 0]", "[Rule { weight: 0.0 }]", "Rule { }"];
    let types = types.map(type_of);
    assert!(types[0] != types[1] && types[1] != types[2] && types[2] == types[3] && types[4] == types[5]);
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
    for name in ["census_sums", "ground", "field"] {
        let mut readers = 0;
        for spec in BEHAVIORS.iter() {
            let model = acting(false, |name| name == spec.name);
            let (module, _) = Sources::default().parse(&model).unwrap();
            let flags = model.features.flags().into_iter();
            let overrides = flags.map(|(flag, on)| (flag.to_owned(), f64::from(on))).collect();
            let steer = EntryPoint::new(&module, "steer.wgsl", "steer", &overrides).unwrap();
            let reads = steer.bindings.iter().any(|binding| binding.name == name);
            assert_eq!(spec.mentions(name), reads, "{} and {name}", spec.name);
            readers += usize::from(reads);
        }
        assert!((1..BEHAVIORS.len()).contains(&readers), "{readers} behaviors read {name}");
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

#[test]
fn rust_and_wgsl_lay_the_scenery_out_alike() {
    use steerling::model::scenery::{Flow, Hill, Obstacle, ObstacleGroup, Path, Piece, Scenery, Surface, Trajectory};
    assert_layout!(Obstacle { center, shape, size, seen_from, home, bound, axis, trajectory, turn, turned, angle });
    assert_layout!(Trajectory { place, rate, first_piece, piece_count, period });
    assert_layout!(Piece { constant, linear, square, cube, first_step, per_step, per_second });
    assert_layout!(Flow { trajectory, record_count, first, second, share, factor, cosine, sine });
    assert_layout!(Path { first_point, segments, closed, radius, length, own_radii, unused_1, unused_2 });
    assert_layout!(Surface { center, shape, normal, radius });
    assert_layout!(Hill { x, z, height, width_squared });
    assert_layout!(ObstacleGroup { origin, trajectory, per_unit, room, cells, first_cell, first_entry });
    assert_layout!(Scenery {
        obstacle_count,
        path_count,
        hill_count,
        trajectory_count,
        surface,
        obstacles,
        paths,
        points,
        segment_radii,
        hills,
        trajectories,
        flow,
        groups,
        group_count,
        endless_count,
    });
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

/// Imports point one way, and the two backends do not know each other.
#[test]
fn imports_point_one_way() {
    let forbidden = [
        ("src/scene", &["model", "cpu", "gpu", "verify", "render", "output", "viewer", "cli"][..]),
        ("src/model", &["cpu", "gpu", "verify", "render", "output", "viewer", "cli"]),
        ("src/cpu", &["gpu", "measure", "verify", "render", "output", "viewer", "cli"]),
        ("src/gpu", &["cpu", "measure", "verify", "render", "output", "viewer", "cli"]),
        ("src/verify", &["render", "output", "viewer", "cli"]),
        ("src/measure", &["verify", "render", "output", "viewer", "cli"]),
        ("src/render", &["cpu", "verify", "viewer", "cli"]),
    ];
    let mut files = 0;
    for (folder, modules) in forbidden {
        let mut folders = vec![root().join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                files += 1;
                let text = std::fs::read_to_string(&path).unwrap();
                for module in modules {
                    assert!(!text.contains(&format!("crate::{module}")), "{} imports {module}", path.display());
                }
            }
        }
    }
    assert!(files > 30);
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
    assert_eq!(names("src/verify/conform/laws", ".rs"), set(GROUPS.iter().map(|group| group.name)));
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
    let tests = sources("tests");
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
