//! The registry of behaviors: every name a scene may use, with its parameters, units and ranges.
//!
//! It is read from the shaders: the parameter struct of `shaders/behaviors/NAME.wgsl` says, in doc comments, what each
//! member means, its range, unit and default. The scene parser, the JSON Schema, the sliders of the viewer, the
//! documentation and the words that shaders read follow from it.

use super::behavior_file::{
    BehaviorFile, Function, GENERATED, Member, Struct, Wgsl, code, declarations, declared, struct_name,
};
use super::calls::{Call, Part, Returned};
use super::error::nearest;
use super::facts::{self, Fact, Wants, When};
use super::keys::{COMMON, Fallback, Key, Range};
use super::parameters::{DescriptionError, Parameter, leak, number_of, parameters_of, wrong};
use crate::embedded::EMBEDDED;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// One behavior as a scene names it.
#[derive(Debug)]
pub struct BehaviorSpec {
    /// Key under `[species.behaviors]`, and the name of its shader file and of its Rust twin.
    pub name: &'static str,
    /// What it depends on, and what it returns.
    pub kind: BehaviorKind,
    /// One line of documentation.
    pub summary: &'static str,
    /// Unit of the weight that turns its output into u/s² (rad/s² for angular ones).
    pub weight_unit: &'static str,
    /// Weight where the scene gives none.
    pub default_weight: f32,
    /// Priority where the scene gives none, 0 to 7: smaller ones go first.
    pub default_priority: u32,
    /// Parameters of its own, besides the common ones of every behavior. In this order they are the members of its struct in the shader.
    pub parameters: &'static [Parameter],
    /// Its position in the sum of accelerations, and in lists.
    pub order: u32,
    /// What it wants of the body, and the conditions under which it does.
    pub wants: (Wants, Vec<When>),
    /// What it and its parameters need; lints check that.
    pub needs: Vec<Fact>,
    /// Its shader file, as far as it is read.
    pub file: BehaviorFile<'static>,
    /// The text of that file.
    pub text: &'static str,
    /// What that file is called in errors.
    pub shown: &'static str,
    /// The buffers and functions that its functions name, directly or through what they call.
    pub mentions: BTreeSet<String>,
}

/// The symbols in the formulas of all behaviors. The formulas are the indented lines at the heads of the shader files.
pub const SYMBOLS: &str = "\
A: acceleration, before the weight (α: angular acceleration)
p, v, f: place, velocity and heading (ω: angular velocity)
r: the way to the other one, the target or a neighbor, d long; u: its velocity
τ: the time constant; a: max_force / mass; unit(x): the direction of x
Σ, mean: over the neighbors";

/// What a behavior depends on, and what it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BehaviorKind {
    /// Sums over the agents within its perception radius and field of view; returns an acceleration.
    Neighborhood,
    /// A pure function of the agent, its target, the world and its parameters; returns an acceleration.
    Individual,
    /// As an individual one, but returns an angular acceleration.
    Angular,
}

/// Every built-in behavior, in the order in which their accelerations are added.
pub static BEHAVIORS: LazyLock<Vec<BehaviorSpec>> = LazyLock::new(|| {
    let wgsl = Wgsl::parse(called()).unwrap_or_else(|refused| panic!("{}: {}", refused.path, refused.message));
    let spec = |(path, text): (&'static str, &'static str)| {
        let name = path.strip_prefix("behaviors/")?.strip_suffix(".wgsl")?;
        let spec = BehaviorSpec::read(name, text, &path["behaviors/".len()..], wgsl.file(path), &wgsl);
        Some(spec.unwrap_or_else(|error| panic!("{path}, byte {}: {}", error.at.start, error.message)))
    };
    let mut specs: Vec<BehaviorSpec> = called().filter_map(spec).collect();
    specs.sort_by_key(|spec| (spec.order, spec.name));
    specs
});

/// Path and text of each file whose functions a behavior may call. Of `common/planar.wgsl` and `common/spatial.wgsl`, which declare
/// the same names, only the latter.
pub(crate) fn called() -> impl Iterator<Item = (&'static str, &'static str)> {
    let may_call = |path: &str| !path.starts_with("sim/") && path != "common/planar.wgsl";
    EMBEDDED.iter().copied().filter(move |(path, _)| may_call(path))
}

/// Path and text of each declaration of the files of `called` that a text names, and of each that these name in turn. naga parses
/// them much faster than all of the files.
pub(crate) fn called_by(text: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    type Declarations = Vec<(&'static str, String)>;
    type Given = BTreeMap<String, usize>;
    type Needs = Vec<BTreeSet<usize>>;
    fn named(text: &str, given: &Given) -> BTreeSet<usize> {
        code(text).filter_map(|(_, token)| given.get(token)).copied().collect()
    }
    static DECLARATIONS: LazyLock<(Declarations, Given, Needs)> = LazyLock::new(|| {
        // Without comments, which are half of the text.
        let all = called().flat_map(|(path, text)| declarations(text).into_iter().map(move |of| (path, of.join(" "))));
        let all: Declarations = all.collect();
        let names = |(index, (_, text)): (usize, &(_, String))| {
            declared(text).into_iter().map(move |(_, name)| (name.to_owned(), index)).collect::<Vec<_>>()
        };
        let given = all.iter().enumerate().flat_map(names).collect();
        let needs = all.iter().map(|(_, text)| named(text, &given)).collect();
        (all, given, needs)
    });
    let (all, given, needs) = &*DECLARATIONS;
    let (mut needed, mut open) = (BTreeSet::new(), Vec::new());
    open.extend([text, GENERATED, "workgroup_size"].into_iter().flat_map(|text| named(text, given)));
    while let Some(index) = open.pop() {
        if needed.insert(index) {
            open.extend(&needs[index]);
        }
    }
    needed.into_iter().map(|index| (all[index].0, &*all[index].1))
}

/// Row of a behavior in [`BEHAVIORS`].
pub fn behavior_index(name: &str) -> Option<usize> {
    BEHAVIORS.iter().position(|b| b.name == name)
}

/// Compares addresses: there is only one description of each behavior.
impl PartialEq for BehaviorSpec {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl BehaviorSpec {
    /// Read a behavior from its shader file, which was parsed before.
    ///
    /// # Errors
    /// A struct or function that is missing or would never be used, and a doc comment that does not say range and default of a
    /// parameter.
    pub(crate) fn read(
        name: &'static str,
        text: &'static str,
        shown: &'static str,
        file: BehaviorFile<'static>,
        wgsl: &Wgsl<'static>,
    ) -> Result<Self, DescriptionError> {
        let structure = struct_name(name);
        let Some(own) = file.structure(&structure) else {
            let names: Vec<&str> = file.structs.iter().map(|own| own.name).collect();
            let near = nearest(&structure, &names).and_then(|near| file.structure(near));
            let slip = near.map_or(String::new(), |near| format!("; is `{}` misspelled?", near.name));
            let message = format!("there is no `struct {structure}`, which holds the parameters of `{name}`{slip}");
            return wrong(near.map_or(0..0, |near| near.at.clone()), message);
        };
        if own.members.first().is_none_or(|m| m.name != "rule" || m.ty != "Rule") {
            return wrong(own.at.clone(), format!("the first member of `{structure}` must be `rule: Rule`"));
        }
        let kind = kind_of(name, &file, own)?;
        check_members(name, &file, own, kind)?;
        let mentions = check_functions(name, &file, kind, wgsl)?;
        let (mut parameters, mut of_members) = (Vec::new(), Vec::new());
        for member in &own.members[1..] {
            of_members.push((member, parameters.len()));
            for parameter in parameters_of(member)? {
                let taken = COMMON.iter().map(|key| key.name).chain(parameters.iter().map(|p: &Parameter| p.name));
                if taken.collect::<Vec<_>>().contains(&parameter.name) {
                    let message =
                        format!("the key `{}` is one that every behavior has, or it is declared twice", parameter.name);
                    return wrong(member.at.clone(), message);
                }
                parameters.push(parameter);
            }
        }
        let (weight, weight_unit) = match own.doc.setting("weight") {
            None => (1.0, ""),
            Some((value, at)) => {
                let (number, unit) = value.split_once(" in ").unwrap_or((value, ""));
                let weight = number_of(number, at.clone())?;
                match COMMON.iter().find(|key| key.name == "weight").map(|key| key.range) {
                    Some(Range::Number { min, max }) if !(min..=max).contains(&weight) => {
                        return wrong(at, format!("`weight` must be between {min} and {max}"));
                    }
                    _ => (weight, unit.trim()),
                }
            }
        };
        let whole = |key: &str, most: f32, otherwise: u32| match own.doc.setting(key) {
            None => Ok(otherwise),
            Some((value, at)) => match number_of(value, at.clone())? {
                number if number >= 0.0 && number <= most && number.fract() == 0.0 => Ok(number as u32),
                _ => wrong(at, format!("`{key}` must be a whole number from 0 to {most}")),
            },
        };
        let (default_priority, order) = (whole("priority", 7.0, 4)?, whole("order", 1e6, 1_000_000)?);
        let mut needs = facts::needs(&own.doc, None, &parameters)?;
        for (member, column) in &of_members {
            needs.extend(facts::needs(&member.doc, Some(*column), &parameters)?);
        }
        Ok(BehaviorSpec {
            name,
            kind,
            summary: leak(&own.doc),
            weight_unit,
            default_weight: weight,
            default_priority,
            wants: facts::wants(&own.doc, &parameters)?,
            parameters: parameters.leak(),
            order,
            needs,
            file,
            text,
            shown,
            mentions,
        })
    }

    /// The call of its function for this part, if it has one.
    pub fn call(&self, part: Part) -> Option<Call<'static>> {
        let function = self.file.function(&part.of(self.name))?;
        Call::new(self.name, &self.file, part, &function.parameters, &function.returns).ok()
    }

    /// The members of its parameter struct.
    pub(crate) fn members(&self) -> &[Member<'static>] {
        self.file.structure(&struct_name(self.name)).map_or(&[], |own| &own.members)
    }

    /// Does it remember anything from step to step?
    pub fn remembers(&self) -> bool {
        self.file.structure(&format!("{}Memory", struct_name(self.name))).is_some()
    }

    /// The members of what it remembers of each agent.
    pub(crate) fn memory(&self) -> impl Iterator<Item = &Member<'static>> {
        self.file.structure(&format!("{}Memory", struct_name(self.name))).into_iter().flat_map(|memory| &memory.members)
    }

    /// Words that it remembers of each agent.
    pub fn memory_words(&self) -> usize {
        self.memory().map(|member| member.words).sum()
    }

    /// Does it look at the flow field?
    pub fn reads_field(&self) -> bool {
        self.mentions("field")
    }

    /// Does it look at the trail on the ground?
    pub fn reads_trail(&self) -> bool {
        self.mentions("trail_at")
    }

    /// Does it look at the visits or the resource of the ground? A behavior that names the buffer `ground` without calling `trail_at` may
    /// read anything in it.
    pub fn reads_ground(&self) -> bool {
        self.mentions("search_ground") || self.mentions("ground") && !self.reads_trail()
    }

    /// Do its functions loop?
    pub fn loops(&self) -> bool {
        code(self.text).any(|(_, token)| ["for", "while", "loop"].contains(&token))
    }

    /// Does one of its functions, or one that these call, name this buffer or function?
    pub fn mentions(&self, name: &str) -> bool {
        self.mentions.contains(name)
    }
}

/// The kind of a behavior, which follows from the functions that its file has.
fn kind_of(name: &str, file: &BehaviorFile, own: &Struct) -> Result<BehaviorKind, DescriptionError> {
    let has = |part: Part| file.function(&part.of(name)).is_some();
    match (has(Part::Add) && has(Part::Resolve), has(Part::Steer), has(Part::Turn)) {
        (true, false, false) => Ok(BehaviorKind::Neighborhood),
        (false, true, false) => Ok(BehaviorKind::Individual),
        (false, false, true) => Ok(BehaviorKind::Angular),
        _ => {
            let wanted = format!("`{name}_steer`, `{name}_turn`, or `{name}_add` and `{name}_resolve`");
            let parts = [Part::Steer, Part::Turn, Part::Add, Part::Resolve].map(|part| part.of(name));
            let missing: Vec<&str> =
                parts.iter().map(String::as_str).filter(|part| file.function(part).is_none()).collect();
            let mut others = file.functions.iter().filter(|f| !parts.iter().any(|part| part == f.name));
            let slip = others.find_map(|f| Some((f.at.clone(), f.name, nearest(f.name, &missing)?)));
            let (at, meant) = slip.map_or((own.at.clone(), String::new()), |(at, slip, near)| {
                (at, format!("; did you mean `{near}` by `{slip}`?"))
            });
            wrong(at, format!("it must have {wanted}, and only one of these{meant}"))
        }
    }
}

/// Neighborhood behaviors alone have a `Vision`, and only other behaviors have a memory.
fn check_members(name: &str, file: &BehaviorFile, own: &Struct, kind: BehaviorKind) -> Result<(), DescriptionError> {
    let looks = kind == BehaviorKind::Neighborhood;
    match own.members.iter().find(|m| m.ty == "Vision") {
        Some(member) if !looks || member.name != "vision" => {
            let message = "a `Vision` is for a behavior that looks at neighbors, and is called `vision`";
            return wrong(member.at.clone(), message);
        }
        None if looks => {
            let message = format!("a neighborhood behavior needs a member `vision: Vision` in `{}`", own.name);
            return wrong(own.at.clone(), message);
        }
        _ => {}
    }
    let memory = file.structure(&format!("{}Memory", own.name));
    if let Some(memory) = memory.filter(|_| looks) {
        let message = "a behavior that looks at neighbors cannot remember anything: let another behavior of the \
            species remember";
        return wrong(memory.at.clone(), message);
    }
    for member in memory.into_iter().flat_map(|memory| &memory.members) {
        if !["f32", "u32", "array<f32, 3>"].contains(&&*member.ty) {
            let message = format!("`{}` is no type of a memory; there are f32, u32 and array<f32, 3>", member.ty);
            return wrong(member.at.clone(), message);
        }
    }
    if memory.is_some() != file.function(&Part::Remember.of(name)).is_some() {
        let message = format!("`struct {}Memory` and `fn {name}_remember` go together", own.name);
        return wrong(own.at.clone(), message);
    }
    Ok(())
}

/// Check that callers can pass each parameter of the called functions, and that no other function looks like a misspelled one of
/// these. Returns the buffers and functions that the called ones mention.
fn check_functions(
    name: &str,
    file: &BehaviorFile,
    kind: BehaviorKind,
    wgsl: &Wgsl,
) -> Result<BTreeSet<String>, DescriptionError> {
    let parts: &[Part] = match kind {
        BehaviorKind::Neighborhood => &[Part::Start, Part::Add, Part::AddCoincident, Part::Resolve],
        BehaviorKind::Individual => &[Part::Steer, Part::Remember],
        BehaviorKind::Angular => &[Part::Turn, Part::Remember],
    };
    let names: Vec<String> = parts.iter().map(|part| part.of(name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut called = BTreeSet::new();
    for part in parts {
        let Some(function) = file.function(&part.of(name)) else { continue };
        if let Err((argument, ty)) = Call::new(name, file, *part, &function.parameters, &function.returns) {
            let message = format!("`{}` takes `{argument}: {ty}`, which cannot be passed to it", function.name);
            return wrong(function.at.clone(), message);
        }
        let sum = file.function(&Part::Add.of(name)).map_or("", |add| &add.returns);
        let returns = match part.returns() {
            Returned::Sum => sum.to_owned(),
            Returned::Acceleration => "vec3f".to_owned(),
            Returned::Memory => format!("{}Memory", struct_name(name)),
        };
        if function.returns != returns {
            return wrong(function.at.clone(), format!("`{}` must return `{returns}`", function.name));
        }
        if let Some((_, other)) = function.parameters.iter().find(|(argument, ty)| argument == "sum" && ty != sum) {
            let message = format!("`{}` takes a `sum: {other}`, but `{name}_add` returns `{sum}`", function.name);
            return wrong(function.at.clone(), message);
        }
        called.insert(function.name);
    }
    if let Some(add) = file.function(&Part::Add.of(name))
        && kind == BehaviorKind::Neighborhood
        && !wgsl.mentions(&BTreeSet::from([add.name])).contains("sees")
    {
        let message = format!(
            "`{}` does not call `sees({name}.vision, neighbor)`: it is called for agents beyond the perception radius too, \
             and which ones depends on the grid",
            add.name
        );
        return wrong(add.at.clone(), message);
    }
    let mentions = wgsl.mentions(&called);
    // A helper that is never called is harmless; but if its name begins with the behavior's, it looks like a misspelled part.
    let is_slip = |f: &&Function| f.name.starts_with(&format!("{name}_")) && !mentions.contains(f.name);
    if let Some(slip) = file.functions.iter().find(is_slip) {
        let near = nearest(slip.name, &names).map_or(String::new(), |near| format!("did you mean `{near}`? "));
        let message = format!("`{}` is never called; {near}This behavior can have {}", slip.name, names.join(", "));
        return wrong(slip.at.clone(), message);
    }
    Ok(mentions)
}

/// Keys of `[species.behaviors.NAME]`, in the order of `Behavior::values`.
pub fn behavior_keys(spec: &BehaviorSpec) -> Vec<Key> {
    let [enabled, weight, weight_spread, floor, priority, rank, states, state_weights, jitter, limit] = COMMON;
    let weight = Key { unit: spec.weight_unit, fallback: Fallback::Number(spec.default_weight), ..weight };
    let weight_spread = Key { unit: spec.weight_unit, ..weight_spread };
    let priority = priority.or(Fallback::Number(spec.default_priority as f32));
    let own = spec.parameters.iter().map(|p| {
        let fallback = match p.range {
            Range::Target => Fallback::Described("the origin"),
            Range::Species => Fallback::Described("the species' key `perceives`"),
            Range::Path => Fallback::Described("the first"),
            Range::Choice(words) => Fallback::Described(words[p.default as usize]),
            _ => Fallback::Number(p.default),
        };
        Key { name: p.name, unit: p.unit, range: p.range, fallback, summary: p.summary }
    });
    let common = [enabled, weight, weight_spread, floor, priority, rank, states, state_weights, jitter, limit];
    common.into_iter().chain(own).collect()
}
