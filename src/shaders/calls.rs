//! The calls of the active behaviors of a scene, as WGSL: their parameters and memories as structs, and one function
//! for each place of a step where behaviors are called. `steerling shaders SCENE` prints it.
//!
//! What a call passes and gives is said in [`crate::scene::calls`], for the twins and the interpreter too.

use crate::model::{BufferId, CompiledScene};
use crate::scene::behavior_file::struct_name;
use crate::scene::calls::{Argument, Part, Returned};
use crate::scene::{BehaviorKind, BehaviorSpec, Range};
use std::fmt::Write;

/// The member of a struct that has no other: WGSL has no empty structs.
const NOTHING: &str = "    nothing: u32,\n";
/// The type of a vector in a memory. Every other member of a memory has one word.
const VECTOR: &str = "array<f32, 3>";

/// The WGSL that is generated for the active behaviors of a compiled scene.
pub(crate) fn calls(model: &CompiledScene) -> String {
    let mut text = "// Made for the behaviors that act in this scene.\n".to_owned();
    let acting = || model.active_behaviors.iter().copied();
    let members = |of: &dyn Fn(&BehaviorSpec) -> Option<String>| -> String {
        let lines = acting().filter_map(|spec| Some(format!("    {}: {},\n", spec.name, of(spec)?)));
        let lines: String = lines.collect();
        if lines.is_empty() { NOTHING.to_owned() } else { lines }
    };
    let looks = |spec: &BehaviorSpec| spec.call(Part::Add).map(|add| add.returns);
    let structure = |spec: &BehaviorSpec| struct_name(spec.name);
    let mut remembered = members(&|s| s.remembers().then(|| structure(s) + "Memory"));
    if model.features.turns {
        // The sum of the angular behaviors in the latest step in which it steered, rad/s².
        remembered = remembered.replace(NOTHING, "") + "    turning: Turn,\n";
    }
    let structs = [
        ("Behaviors", "Parameters.", members(&|spec| Some(structure(spec)))),
        ("BehaviorMemories", "What an agent remembers.", remembered),
        ("Perceivers", "Parameters of those that look at neighbors.", members(&|s| looks(s).map(|_| structure(s)))),
        ("Sums", "What those have summed over the neighbors.", members(&looks)),
        ("Rankings", "The nearest neighbors of each of them.", members(&|s| looks(s).map(|_| "Ranking".to_owned()))),
        ("Reach", "The squared distance of the last of these, u².", members(&|s| looks(s).map(|_| "f32".to_owned()))),
    ];
    for (name, about, members) in structs {
        let _ = write!(text, "\n// {about}\nstruct {name} {{\n{members}}}\n");
    }

    let body = |of: &dyn Fn(&BehaviorSpec) -> Option<String>| -> String { acting().filter_map(of).collect() };
    // The first behavior before this one that has the same vision: both share one test and one ranking.
    let alike = |spec: &BehaviorSpec| {
        let same = |other: &&BehaviorSpec| looks(other).is_some() && visions(model, other) == visions(model, spec);
        acting().take_while(|other| *other != spec).find(same)
    };
    let perceivers = body(&|spec| {
        looks(spec)?;
        let name = spec.name;
        let mut lines = format!("    perceivers.{name} = species[own].behaviors.{name};\n");
        for (member, word) in literals(model, spec) {
            let _ = writeln!(lines, "    perceivers.{name}.{member} = {word}u;");
        }
        if !model.features.cones {
            let cosine = if reaches_all(model, spec) { "EVERYONE" } else { "ALL_AROUND" };
            let _ = writeln!(lines, "    perceivers.{name}.vision.cosine = {cosine};");
        }
        if let Some(first) = alike(spec) {
            let _ = writeln!(lines, "    perceivers.{name}.vision = perceivers.{}.vision;", first.name);
        }
        Some(lines)
    });
    let start = body(&|spec| Some(format!("    {}\n", statement(spec, Part::Start)?)));
    let add = body(&|spec| {
        let (name, adds) = (spec.name, statement(spec, Part::Add)?);
        let sees = format!("    seen = seen | sees(perceivers.{name}.vision, neighbor);\n");
        Some(match model.features.topological {
            false => format!("{sees}    {adds}\n"),
            true => {
                format!("    if (neighbor.distance_squared <= reach.{name}) {{\n    {sees}        {adds}\n    }}\n")
            }
        })
    });
    let ranked = |line: &dyn Fn(&str) -> String| body(&|spec| looks(spec).map(|_| line(spec.name)));
    let rankings_start = ranked(&|name| format!("    rankings.{name} = ranking_start();\n"));
    let rank = body(&|spec| {
        looks(spec).filter(|_| alike(spec).is_none())?;
        let name = spec.name;
        let (ranking, vision) = (format!("(*rankings).{name}"), format!("perceivers.{name}.vision"));
        Some(format!("    {ranking} = ranking_see({ranking}, {vision}, neighbor);\n"))
    });
    let reach_start = ranked(&|name| format!("    reach.{name} = FARTHEST;\n"));
    let reach = body(&|spec| {
        looks(spec)?;
        let first = alike(spec).unwrap_or(spec).name;
        Some(format!("    reach.{} = ranking_of(rankings.{first}, k);\n", spec.name))
    });
    let farthest = ranked(&|name| {
        format!("    farthest = max(farthest, min(reach.{name}, perceivers.{name}.vision.radius_squared));\n")
    });
    let coincident = body(&|spec| {
        let adds = statement(spec, Part::AddCoincident)?;
        let perceived = format!("!masks || (perceivers.{}.vision.species & species_bit) != 0u", spec.name);
        Some(format!("    if ({perceived}) {{\n        {adds}\n    }}\n"))
    });
    let resolve = body(&|spec| Some(format!("    {}\n", statement(spec, Part::Resolve)?)));
    // With several species, a species skips behaviors that it does not use. A single species uses all active ones: no condition.
    let individual = |part| {
        body(&|spec| {
            let (name, does) = (spec.name, statement(spec, part)?);
            let own = format!("    let {name} = species[own].behaviors.{name};\n");
            Some(match model.features.many_species {
                true => format!("{own}    if ({name}.rule.weight != 0.0) {{\n        {does}\n    }}\n"),
                false => format!("{own}    {does}\n"),
            })
        })
    };
    let (steer, turn, remember) = (individual(Part::Steer), individual(Part::Turn), individual(Part::Remember));
    let takes = body(&|spec| {
        let rule = format!("species[own].behaviors.{}.rule", spec.name);
        spec.mentions("nearest_resource")
            .then(|| format!("    takes = takes || rule_is_active(own, id, {rule}, state);\n"))
    });

    text += &remembering(model);
    let functions = [
        (
            "fn perceivers_of(own: u32) -> Perceivers",
            format!("    var perceivers = Perceivers();\n{perceivers}    return perceivers;\n"),
        ),
        ("fn sums_start() -> Sums", format!("    var sums = Sums();\n{start}    return sums;\n")),
        (
            "fn rankings_start() -> Rankings",
            format!("    var rankings = Rankings();\n{rankings_start}    return rankings;\n"),
        ),
        (
            "// Rank a neighbor, for each behavior that sees it.\n\
             fn rankings_add(rankings: ptr<function, Rankings>, perceivers: Perceivers, neighbor: Neighbor)",
            rank,
        ),
        ("fn reach_start() -> Reach", format!("    var reach = Reach();\n{reach_start}    return reach;\n")),
        (
            "// How far each behavior looks for the k nearest.\nfn reach_of(rankings: Rankings, k: u32) -> Reach",
            format!("    var reach = Reach();\n{reach}    return reach;\n"),
        ),
        (
            "// The squared distance of the farthest that any of them takes, u².\n\
             fn farthest_of(reach: Reach, perceivers: Perceivers) -> f32",
            format!("    var farthest = 0.0;\n{farthest}    return farthest;\n"),
        ),
        (
            "// Add a neighbor. Does any behavior perceive it?\n\
             fn sums_add(\n    sums: ptr<function, Sums>,\n    perceivers: Perceivers,\n    reach: Reach,\n    agent: Agent,\n    \
             neighbor: Neighbor,\n) -> bool",
            format!("    var seen = false;\n{add}    return seen;\n"),
        ),
        (
            "// Add an agent at the very same point, by its id and the bit of its species.\n\
             fn sums_add_coincident(\n    sums: ptr<function, Sums>,\n    perceivers: Perceivers,\n    agent: Agent,\n    other: u32,\n    \
             species_bit: u32,\n)",
            coincident,
        ),
        (
            "fn sums_resolve(\n    combined: ptr<function, Blend>,\n    sums: Sums,\n    perceivers: Perceivers,\n    \
             own: u32,\n    agent: Agent,\n    state: u32,\n    query_results: vec4u,\n)",
            resolve,
        ),
        (
            "fn steer_each(\n    combined: ptr<function, Blend>,\n    own: u32,\n    agent: Agent,\n    state: u32,\n    \
             query_results: vec4u,\n)",
            steer,
        ),
        (
            "fn turn_each(\n    combined: ptr<function, Blend>,\n    own: u32,\n    agent: Agent,\n    turner: Turner,\n    state: u32,\n    \
             query_results: vec4u,\n)",
            turn,
        ),
        ("fn remember_each(own: u32, agent: Agent)", remember),
        (
            "// Does an agent in this state take from the resource of the ground?\nfn takes_resource(own: u32, id: u32, state: u32) -> bool",
            format!("    var takes = false;\n{takes}    return takes;\n"),
        ),
    ];
    for (signature, body) in functions {
        let _ = write!(text, "\n{signature} {{\n{body}}}\n");
    }
    text
}

/// The WGSL functions that load and store memories and poses, which lie by id. A member that the scene does not use loads as 0, and is not
/// stored.
fn remembering(model: &CompiledScene) -> String {
    let mut text = String::new();
    let common = [
        ("state", "u32"),
        ("since", "u32"),
        ("load", "u32"),
        ("winner", "u32"),
        ("held", VECTOR),
        ("perceived", "u32"),
        ("turning", VECTOR),
    ];
    for (name, ty) in common {
        let first = model.memory_place(name);
        let whole = Whole { ty, members: &[("", ty)], flat: name == "held" && !model.spatial };
        accessors(&mut text, model, &format!("{name}_of"), &format!("keep_{name}"), whole, BufferId::Memory, first);
    }
    for spec in model.active_behaviors.iter().filter(|spec| spec.remembers()) {
        let ty = struct_name(spec.name) + "Memory";
        let members: Vec<_> = spec.memory().map(|member| (member.name, &*member.ty)).collect();
        let whole = Whole { ty: &ty, members: &members, flat: model.own_memory(spec).is_none() && !model.spatial };
        let load = format!("memory_of_{}", spec.name);
        accessors(&mut text, model, &load, &format!("keep_{load}"), whole, BufferId::Memory, model.memory_place(&ty));
    }
    let pose = ["forward", "up", "spin", "bank"].map(|name| (name, VECTOR));
    accessors(
        &mut text,
        model,
        "pose_of",
        "keep_pose",
        Whole { ty: "Pose", members: &pose, flat: false },
        BufferId::Pose,
        Some(0),
    );
    text
}

/// A value to load and store: a struct `ty` with these members, or a single value, given as one member without a name. If `flat` is true,
/// the z of its vectors is 0 and not stored.
struct Whole<'a> {
    ty: &'a str,
    members: &'a [(&'a str, &'a str)],
    flat: bool,
}

/// Write the functions `load` and `keep` of a value that begins at the word `first` of an agent's element of a buffer. Without `first` the
/// value loads as 0, and is not stored.
fn accessors(
    text: &mut String,
    model: &CompiledScene,
    load: &str,
    keep: &str,
    whole: Whole<'_>,
    buffer: BufferId,
    first: Option<usize>,
) {
    let Whole { ty, members, flat } = whole;
    let (mut loaded, mut stored) = (Vec::new(), String::new());
    let parts = buffer.row().parts(model);
    let mut next = first.unwrap_or_default();
    for (member, of) in members {
        let path = if member.is_empty() { "kept".to_owned() } else { format!("kept.{member}") };
        let mut words = Vec::new();
        let is_vector = *of == VECTOR;
        for axis in 0..if is_vector { 3 } else { 1 } {
            if flat && axis == 2 {
                words.push("0.0".to_owned());
                continue;
            }
            let place = place(&parts, next);
            next += 1;
            let value = if is_vector { format!("{path}[{axis}]") } else { path.clone() };
            let (from, to) = match *of {
                "u32" => (place.clone(), value),
                _ => (format!("bitcast<f32>({place})"), format!("bitcast<u32>({value})")),
            };
            words.push(from);
            let _ = writeln!(stored, "    {place} = {to};");
        }
        loaded.push(if words.len() == 3 { format!("array<f32, 3>({})", words.join(", ")) } else { words.concat() });
    }
    let loaded = loaded.join(", ");
    let loaded = match (first, members) {
        (None, _) => format!("{ty}()"),
        (_, [("", _)]) => loaded,
        _ => format!("{ty}({loaded})"),
    };
    if first.is_none() {
        stored.clear();
    }
    let _ = write!(
        text,
        "\nfn {load}(id: u32) -> {ty} {{\n    return {loaded};\n}}\n\nfn {keep}(id: u32, kept: {ty}) {{\n{stored}}}\n"
    );
}

/// The WGSL expression of a word of the element of the agent `id`.
fn place(parts: &[(BufferId, usize)], word: usize) -> String {
    let mut offset = word;
    for (name, width) in parts {
        if offset < *width {
            return format!("{name}[id * {width}u + {offset}u]");
        }
        offset -= width;
    }
    // A member that the scene does not use has no words.
    String::new()
}

/// The statement that calls a behavior's function for this part and stores what it returns; `None` if the behavior has no such function.
fn statement(spec: &BehaviorSpec, part: Part) -> Option<String> {
    let (name, call) = (spec.name, spec.call(part)?);
    // In the loop over neighbors there is one struct of all parameters, and a pointer to all sums.
    let parameters =
        if spec.kind == BehaviorKind::Neighborhood { format!("perceivers.{name}") } else { name.to_owned() };
    let sum = if matches!(part, Part::Add | Part::AddCoincident) { "(*sums)" } else { "sums" };
    let call = call.written(|argument| match argument {
        Argument::Parameters => parameters.clone(),
        Argument::Agent => "agent".to_owned(),
        Argument::Goal(member, _) => format!("find_goal({parameters}.{member}, own, agent, query_results)"),
        Argument::Turner => "turner".to_owned(),
        Argument::Neighbor => "neighbor".to_owned(),
        Argument::Sum => format!("{sum}.{name}"),
        Argument::Memory => format!("memory_of_{name}(agent.id)"),
        Argument::Other => "other".to_owned(),
        Argument::Model | Argument::Buffers => unreachable!("WGSL has globals"),
    });
    let jittered = if part == Part::Turn { "jittered_turn" } else { "jittered" };
    Some(match part.returns() {
        Returned::Sum => format!("{sum}.{name} = {call};"),
        Returned::Acceleration => {
            let rule = format!("{parameters}.rule");
            format!("blend_add(combined, own, {rule}, state, agent.id, {jittered}({rule}, agent, {call}));")
        }
        Returned::Memory => format!("keep_memory_of_{name}(agent.id, {call});"),
    })
}

/// For each species, the words of a neighborhood behavior's vision: radius, cone and mask.
fn visions(model: &CompiledScene, spec: &BehaviorSpec) -> Vec<Vec<u32>> {
    let vision = spec.members().iter().find(|member| member.ty == "Vision").expect("the registry has looked at it");
    (0..model.species.len()).map(|row| model.block(row, spec)[vision.first_word..][..vision.words].to_vec()).collect()
}

/// Does a behavior look as far as the agents of every species do?
fn reaches_all(model: &CompiledScene, spec: &BehaviorSpec) -> bool {
    // Squared as the shader does it.
    let farthest =
        model.species.iter().map(|species| (species.perception_radius * species.perception_radius).to_bits());
    farthest.zip(visions(model, spec)).all(|(farthest, vision)| vision[0] == farthest)
}

/// The choices and whole numbers of a behavior on which all species that use it agree: as literals, they let the compiler
/// drop the branches that are never taken from the neighbor loop, which runs for millions of pairs.
fn literals(model: &CompiledScene, spec: &BehaviorSpec) -> Vec<(&'static str, u32)> {
    let mut literals = Vec::new();
    for member in spec.members() {
        let whole = spec.parameters.iter().any(|parameter| {
            parameter.name == member.name && matches!(parameter.range, Range::Choice(_) | Range::Whole { .. })
        });
        if whole {
            let blocks = (0..model.species.len()).map(|row| model.block(row, spec)).filter(|block| block[0] != 0);
            let mut words = blocks.map(|block| block[member.first_word]);
            if let Some(first) = words.next().filter(|first| words.all(|word| word == *first)) {
                literals.push((member.name, first));
            }
        }
    }
    literals
}
