//! Layouts and names that WGSL and Rust share.

use super::{module, rust_files};
use bytemuck::Zeroable;
use naga::{Expression, Handle, Module, Scalar, Type, TypeInner};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;
use steerling::gpu::shaders::EMBEDDED;
use steerling::model::{BLOCKS, BehaviorMemories, Behaviors, Memory, Rule, SHARED, Species, scenery};
use steerling::scene::{BEHAVIORS, Boundary};
use steerling_conform::tokens;

/// The all-zero value of a WGSL type, formatted as Rust's `{:?}` formats its counterpart. A type that no parameter block has gives a
/// text unlike any of Rust.
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

/// The `{:?}` text of a struct without its padding, which no shader has as members.
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
        // The memory of a scene's own behaviors is among that of the others, but is no member in WGSL.
        if block.name == "Memory" {
            assert_eq!((offset_of!(Memory, behaviors) + offset_of!(BehaviorMemories, own)) as u32, span);
            continue;
        }
        assert_eq!(block.size as u32, span, "{}", block.name);
        assert_eq!(without_padding(&(block.zero)()), zero(module, ty), "{}", block.name);
    }
    assert_eq!(format!("{:?}", Behaviors::zeroed()), zero(module, find_struct(module, "Behaviors").0));
    // There is a weight spread for each behavior, and for eight of a scene's own.
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

/// What both languages call by one name has one type and one value, where Rust has a declaration of its own and none that the build script
/// wrote. In the file of a behavior the behavior's name, which WGSL needs before a constant's, may be left out.
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
    for name in ["PRIORITIES", "FORMATION_WEDGE", "SEEK_AROUND", "ARRIVE_MATCH", "CORNER_ROUNDING"] {
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
