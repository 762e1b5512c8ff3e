//! Random behaviors of a user's own: every kind, with the members, functions and pieces of code that docs/own-behaviors.md allows,
//! each file formatted in several ways.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use steerling::cpu::{self, Execution};
use steerling::gpu::{self, Gpu, GpuError, Options};
use steerling::model::State;
use steerling::scene::Scene;
use steerling::verify::{Plan, verify};
use steerling_conform::Draw;

/// Steps that the reference and the GPU take.
const STEPS: u32 = 3;
/// Behaviors of its own that each scene has; more are not allowed.
pub const OWN: usize = 8;
/// How many of these may remember something.
const REMEMBERING: usize = 2;

/// Members that a parameter struct may have: name, lines of the member, an expression with its value, and the key in the scene.
const MEMBERS: [[&str; 4]; 11] = [
    ["number", "/// a number\n/// value = 1.5 in 0..10 u\nnumber: f32,", "P.number", ""],
    ["radians", "/// an angle\n/// value = 60 in 0..180 deg as radians\nangle: f32,", "P.angle", ""],
    ["half_cosine", "/// a cone\n/// value = 100 in 0..360 deg as half_cosine\ncone: f32,", "P.cone", ""],
    ["radius_squared", "/// a radius\n/// value = 3 in 0..9 u as radius_squared\nnear: f32,", "P.near", "near = 2"],
    ["whole", "/// how many\n/// value = 3 in 0..16\nmany: u32,", "f32(P.many)", "many = 5"],
    [
        "word",
        "/// a side\n/// value = left of left | right\nside: u32,",
        "select(-1.0, 2.0, P.side == 1u)",
        "side = \"right\"",
    ],
    [
        "path",
        "/// a way\n/// value = path\nway: u32,",
        "nearest_on_path(scenery.paths[P.way], agent.position).distance",
        "way = \"road\"",
    ],
    ["vector", "/// a place\n/// value = 0.5 in -100..100 u\nthere: array<f32, 3>,", "triple(P.there).x", ""],
    ["target", "toward: Target,", "select(0.5, first.distance, first.exists)", "target = { point = POINT }"],
    [
        "second target",
        "away: Target,",
        "select(0.5, second.distance, second.exists)",
        "away = { nearest = \"bee\", perception_radius = 6 }",
    ],
    ["vision", "vision: Vision,", "1.25", "perception_radius = 3\nfield_of_view = 250"],
];
const TARGET: usize = 8;
const VISION: usize = 10;

/// Functions and structs that a file may have: those of its kind, and optional ones.
const FUNCTIONS: [&str; 6] = ["steer", "turn", "add", "start", "add_coincident", "remember"];

/// Terms that functions compute from the agent and a number X.
const PIECES: [&str; 44] = [
    "steer_to(agent, agent.forward * X)",
    "steer_along(agent, FORM_ACCELERATION, agent.forward, X, agent.speed)",
    "match_velocity(agent, agent.velocity * 0.5, X)",
    "along(agent.position) * X",
    "unit_or_zero(agent.position - vec3f(X))",
    "heading_of(agent.velocity * X)",
    "limit(agent.velocity * X, 3.0)",
    "cross3(agent.forward, vec3f(0.0, 0.0, X))",
    "turned_along(agent.velocity, agent.forward, vec3f(0.0, 1.0, 0.0)) * X",
    "across(agent.forward, vec3f(X, 1.0, 0.0))",
    "right_of(agent.forward) * X",
    "vec3f(rotation(X), 0.0)",
    "vec3f(angle_of(0.6, 0.8) * X)",
    "rotate(agent.forward, vec3f(0.0, 0.0, X))",
    "vec3f(decay(X), within(X, -1.0, 1.0), 0.0)",
    "vec3f(unit_interval(hash4(vec4u(world.seed, agent.id, agent.step, 1001u)).y) * X)",
    "direction(agent.id, agent.step, 1002u) * X",
    "forward_of(agent.velocity, agent.id) * X",
    "nearest_image(agent.position * X)",
    "containment(agent.position, X)",
    "sample_field(agent.position) * X",
    "nearest_on_path(scenery.paths[0], agent.position).tangent * X",
    "path_at(scenery.paths[0], abs(X)).point * 0.1",
    "nearest_wall(agent.position, 0.0).normal * X",
    "select(vec3f(0.0), vec3f(X), first_hit(agent.position, feeler(agent.forward, 3.0), agent.radius).exists)",
    "vec3f(f32(species[0].update_every) * X, world.dt, f32(step_now() % 7u))",
    "select(vec3f(0.0), nearest_resource(agent, 3.0).offset * X, nearest_resource(agent, 3.0).exists)",
    "vec3f(sqrt(abs(X)), floor(X), ceil(X))",
    "vec3f(fract(X), round(X), trunc(X))",
    "vec3f(sign(X), step(0.5, X), saturate(X))",
    "vec3f(min(X, 1.0), max(X, agent.radius), clamp(X, -2.0, 2.0))",
    "vec3f(f32(u32(abs(X)) << 3u), f32(i32(X) / 3), f32(u32(abs(X)) % 5u))",
    "vec3f(f32(countOneBits(agent.id)), f32(firstLeadingBit(agent.id + 1u)), f32(reverseBits(agent.id) >> 24u)) * X",
    "bitcast<vec3f>(bitcast<vec3u>(vec3f(X)) & vec3u(0xfffff000u))",
    "vec3f(f32(all(agent.forward.xy > vec2f(0.0))), f32(any(agent.forward.xy > vec2f(X))), 0.0)",
    "NAME_helper(X).both",
    "NAME_looped(X)",
    "NAME_switched(X)",
    "NAME_listed(X)",
    "NAME_pointed(X)",
    "NAME_while(X)",
    "vec3f(NAME_CONST, NAME_TABLE[agent.id % 4u], NAME_number(X))",
    "agent.velocity.zyx.yxz * vec3f(X)",
    "vec3f(mat2x2f(1.0, X, 0.5, 2.0)[1], X)",
];

/// Helper functions that pieces call. A file has only those that it calls.
const HELPERS: [(&str, &str); 7] = [
    (
        "NAME_helper",
        "struct NAME_Pair { both: vec3f, rest: array<f32, 2> }\n\
         fn NAME_helper(x: f32) -> NAME_Pair {\n    var pair = NAME_Pair(vec3f(x), array(1.0, x));\n    pair.both.y = pair.rest[1] - pair.rest[0];\n    return pair;\n}",
    ),
    (
        "NAME_looped",
        "fn NAME_looped(x: f32) -> vec3f {\n    var sum = vec3f(0.0);\n    for (var i = 0u; i < 9u; i += 1u) {\n        if (i == 2u) { continue; }\n        sum[i % 3u] += x * f32(i);\n        if (i > 6u) { break; }\n    }\n    return sum;\n}",
    ),
    (
        "NAME_switched",
        "fn NAME_switched(x: f32) -> vec3f {\n    switch (i32(x)) {\n        case 0, 1: { return vec3f(x, 0.0, 0.0); }\n        case 2: { return vec3f(0.0, x, 0.0); }\n        default: {}\n    }\n    return vec3f(0.0, 0.0, x);\n}",
    ),
    (
        "NAME_listed",
        "fn NAME_listed(x: f32) -> vec3f {\n    var list = array<vec2f, 5>();\n    list[u32(abs(x)) % 5u].y = x;\n    list[4u].x += 1.0;\n    return vec3f(list[u32(abs(x))], list[3u].y);\n}",
    ),
    (
        "NAME_pointed",
        "fn NAME_raised(raised: ptr<function, vec3f>, by: f32) {\n    (*raised).x += by;\n    *raised *= 0.5;\n}\n\
         fn NAME_pointed(x: f32) -> vec3f {\n    var v = vec3f(1.0, x, 2.0);\n    NAME_raised(&v, x);\n    return v;\n}",
    ),
    (
        "NAME_while",
        "fn NAME_while(x: f32) -> vec3f {\n    var left = min(abs(x), 20.0);\n    var turns = 0u;\n    while (left > 1.0) {\n        left -= 1.0;\n        turns++;\n    }\n    loop {\n        turns += 2u;\n        continuing { left *= 0.5; break if turns > 30u; }\n    }\n    return vec3f(left, f32(turns), 0.0);\n}",
    ),
    (
        "NAME_CONST",
        "const NAME_CONST = 0.25;\nconst NAME_TABLE = array<f32, 4>(1.0, NAME_CONST, -3.0, 0.5);\n\
         alias NAME_Number = f32;\nfn NAME_number(x: NAME_Number) -> NAME_Number { return x * NAME_CONST; }",
    ),
];

/// Optional functions and structs.
const OPTIONAL: [(&str, &str); 4] = [
    ("start", "fn NAME_start() -> STRUCTSum {\n    return STRUCTSum(vec3f(0.5, 0.25, 0.0), 1u);\n}"),
    (
        "add_coincident",
        "fn NAME_add_coincident(sum: STRUCTSum, NAME: STRUCT, agent: Agent, other: u32) -> STRUCTSum {\n    \
         return STRUCTSum(sum.all + direction(agent.id, other, 1003u), sum.seen + 2u);\n}",
    ),
    ("remember", "struct STRUCTMemory {\n    turns: u32,\n    all: array<f32, 3>,\n}"),
    (
        "remember",
        "fn NAME_remember(NAME: STRUCT, agent: Agent, memory: STRUCTMemory) -> STRUCTMemory {\n    \
         return STRUCTMemory(memory.turns + 1u, kept(triple(memory.all) * 0.5 + agent.velocity));\n}",
    ),
];

/// A behavior's file, in parts that may stand in any order, and the features that it has.
#[derive(Debug, Clone)]
pub struct Written {
    pub name: String,
    parts: Vec<String>,
    /// The behavior's keys in the scene.
    keys: String,
    pub features: Vec<&'static str>,
}

/// All pairs of features that a file may have together. Members and functions come first.
pub fn pairs() -> Vec<[&'static str; 2]> {
    let members = MEMBERS.iter().map(|member| member[0]);
    let all: Vec<&str> = members.chain(FUNCTIONS).chain(PIECES).collect();
    let pair = |first: usize| all[..first].iter().map(move |other| (first, *other)).collect::<Vec<_>>();
    let pairs = (0..all.len()).flat_map(pair).map(|(first, other)| [other, all[first]]);
    pairs.filter(|pair| !excluded(*pair)).collect()
}

/// Can no file have both features?
fn excluded(pair: [&str; 2]) -> bool {
    let has = |words: &[&str]| pair.iter().any(|one| words.contains(one));
    let sums = ["vision", "add", "start", "add_coincident"];
    has(&["steer"]) && has(&["turn"]) || has(&["steer", "turn", "remember"]) && has(&sums)
}

impl Written {
    /// A behavior of this name with these two features, and others by chance.
    pub fn drawn(draw: &mut Draw, name: &str, certain: [&'static str; 2], may_remember: bool) -> Written {
        let is = |feature: &str| certain.contains(&feature);
        let mut chance = |wanted: bool, of: u64| wanted || draw.word().is_multiple_of(of);
        let kind = match () {
            () if ["vision", "add", "start", "add_coincident"].into_iter().any(is) => "add",
            () if is("turn") => "turn",
            () if is("steer") => "steer",
            () if !is("remember") && chance(false, 3) => "add",
            () => ["steer", "turn"][usize::from(chance(false, 3))],
        };
        let mut features = vec![kind];
        match kind {
            "add" => features.extend(["start", "add_coincident"].into_iter().filter(|feature| chance(is(feature), 2))),
            _ => features.extend(may_remember.then_some("remember").filter(|_| chance(is("remember"), 2))),
        }
        let has = |(index, member): &(usize, &[&str; 4])| match *index {
            VISION => kind == "add",
            _ => chance(is(member[0]), 4),
        };
        let members: Vec<(usize, &[&'static str; 4])> = MEMBERS.iter().enumerate().filter(has).collect();
        features.extend(members.iter().map(|(_, member)| member[0]));
        let mut pieces: Vec<&'static str> = PIECES.into_iter().filter(|piece| is(piece)).collect();
        while pieces.len() < 8 {
            let piece = PIECES[(draw.word() % PIECES.len() as u64) as usize];
            if !pieces.contains(&piece) {
                pieces.push(piece);
            }
        }
        features.extend(&pieces);

        let numbers: Vec<&str> = members.iter().map(|(_, member)| member[2]).chain(["0.75", "-1.5"]).collect();
        let mut terms = pieces.iter().map(|piece| {
            let number = numbers[(draw.word() % numbers.len() as u64) as usize];
            format!("    push += {};\n", piece.replace('X', number))
        });
        // For each neighbor only a few terms are computed, and none with goals, which are not known there.
        let of_goals = |term: &String| ["first.", "second."].iter().any(|goal| term.contains(goal));
        let few: String = terms.by_ref().take(2).filter(|term| kind != "add" || !of_goals(term)).collect();
        let most: String = terms.collect();
        let goal = |(index, _): &(usize, _)| match index.checked_sub(TARGET) {
            Some(target @ 0..2) => format!(", {}: Goal", ["first", "second"][target]),
            _ => String::new(),
        };
        let goals: String = members.iter().map(goal).collect();
        let (remembers, turns) = (features.contains(&"remember"), kind == "turn");
        let memory = if remembers { ", memory: STRUCTMemory" } else { "" };
        let turner = if turns { ", turner: Turner" } else { "" };
        let recalled = if remembers { "    push += triple(memory.all) * f32(memory.turns % 3u);\n" } else { "" };
        let spun = if turns { "    push += turner.up * turner.max_angular_speed + turner.spin;\n" } else { "" };
        let lines: Vec<&str> = members.iter().map(|(_, member)| member[1]).collect();
        let mut parts =
            vec![format!("/// drawn\n/// weight = 1\nstruct STRUCT {{\nrule: Rule,\n{}\n}}", lines.join("\n"))];
        if kind == "add" {
            parts.push("struct STRUCTSum {\n    all: vec3f,\n    seen: u32,\n}".to_owned());
            parts.push(format!(
                "fn NAME_add(sum: STRUCTSum, NAME: STRUCT, neighbor: Neighbor, agent: Agent) -> STRUCTSum {{\n    \
                 if (!sees(NAME.vision, neighbor)) {{\n        return sum;\n    }}\n    var push = sum.all + neighbor.offset;\n{few}    \
                 return STRUCTSum(limit(push, 50.0), sum.seen + 1u);\n}}"
            ));
            parts.push(format!(
                "fn NAME_resolve(sum: STRUCTSum, NAME: STRUCT, agent: Agent{goals}) -> vec3f {{\n    \
                 var push = sum.all / f32(sum.seen + 1u);\n{most}    return limit(push, 20.0);\n}}"
            ));
        } else {
            parts.push(format!(
                "fn NAME_{kind}(NAME: STRUCT, agent: Agent{goals}{turner}{memory}) -> vec3f {{\n    \
                 var push = vec3f(0.0);\n{few}{most}{recalled}{spun}    return limit(push, 20.0);\n}}"
            ));
        }
        parts.extend(
            OPTIONAL.iter().filter(|(feature, _)| features.contains(feature)).map(|(_, text)| (*text).to_owned()),
        );
        let code = parts.concat();
        parts.extend(HELPERS.iter().filter(|(call, _)| code.contains(call)).map(|(_, text)| (*text).to_owned()));
        let structure = name[..1].to_uppercase() + &name[1..];
        let named = |text: &String| {
            let text = text.replace("STRUCT", &structure).replace("NAME", name);
            text.replace("P.", &format!("{name}."))
        };
        let keys: Vec<&str> = members.iter().map(|(_, member)| member[3]).collect();
        Written { name: name.to_owned(), parts: parts.iter().map(named).collect(), keys: keys.join("\n"), features }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        self.parts.join("\n\n") + "\n"
    }

    /// The same file, formatted in another of `WAYS` ways.
    pub fn otherwise(&self, way: usize) -> String {
        let text = self.text();
        match way % WAYS {
            0 => text.replace('\n', "\r\n"),
            1 => text.replace('\n', "\n \t "),
            2 => text.replace("fn ", "fn  ").replace("struct ", "struct  ").replace("let ", "let   "),
            3 => text.replace("fn ", "fn\t").replace("struct ", "struct\t").replace("var ", "var\t"),
            4 => text.replace("fn ", "fn\n").replace("const ", "const\n"),
            5 => text.replace(" {\n", "\n{\n"),
            6 => text
                .replace("fn ", "fn /* that is { */ ")
                .replace(": u32,", " /* : */ : u32,")
                .replace(";\n", "; // ; }\n"),
            7 => text.replace(": Agent", " :\n    Agent").replace(" -> ", "->\n").replace("(sum: ", "(sum :"),
            8 => {
                // All but the struct on one line: its comments end with their lines.
                let rest: Vec<String> = self.parts[1..].iter().map(|part| part.replace('\n', " ")).collect();
                format!("{}{}", self.parts[0], rest.concat())
            }
            _ => self.parts.iter().rev().cloned().collect::<Vec<_>>().join("\n"),
        }
    }
}

/// Number of other formats of a file.
pub const WAYS: usize = 10;

/// The behaviors of one scene; `before` counts those of earlier scenes.
pub fn group(seed: u64, before: usize) -> Vec<Written> {
    let pairs = pairs();
    let drawn = |index: usize| {
        let mut draw = Draw::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (before + index) as u64);
        let may_remember = index < REMEMBERING;
        // Multiples of a prime visit all pairs, in steps that are far apart.
        let certain = (before + index..).map(|number| pairs[number * 7919 % pairs.len()]);
        let certain = certain.into_iter().find(|pair| may_remember || !pair.contains(&"remember")).unwrap_or(pairs[0]);
        Written::drawn(&mut draw, &format!("own{index}"), certain, may_remember)
    };
    (0..OWN).map(drawn).collect()
}

/// A world that has everything that a behavior may read, with so many agents.
pub fn world(spatial: bool, agents: u32) -> String {
    let (size, road, ball) = match spatial {
        true => ("[14, 14, 14]", "[[-5, 0, 1], [0, 3, 1], [5, 0, 0]]", "[2, 2, 2]"),
        false => ("[24, 20]", "[[-5, 0], [0, 3], [5, 0]]", "[2, 2]"),
    };
    format!(
        "schema = 1\nname = \"drawn\"\nworld.size = {size}\nground.resolution = 8\n\
         field = {{ source = \"vortex\", speed = 3, resolution = 16 }}\n\
         [[paths]]\nname = \"road\"\npoints = {road}\n[[obstacles]]\nshape = \"sphere\"\ncenter = {ball}\nradius = 1.5\n\
         [[species]]\nname = \"ant\"\ncount = {agents}\nvehicle = {{ facing = \"independent\", max_angular_speed = 90 }}\n"
    )
}

/// A scene with these behaviors. Their files are written into the folder.
fn scene(
    folder: &Path,
    group: &[Written],
    text: impl Fn(usize, &Written) -> String,
    spatial: bool,
) -> Result<Scene, String> {
    let point = if spatial { "[1, 2, 3]" } else { "[1, 2]" };
    let mut toml = world(spatial, 40);
    for (index, own) in group.iter().enumerate() {
        fs::write(folder.join(format!("{}.wgsl", own.name)), text(index, own)).map_err(|error| error.to_string())?;
        toml += &format!("[species.behaviors.{}]\n{}\n", own.name, own.keys.replace("POINT", point));
    }
    toml += "[[species]]\nname = \"bee\"\ncount = 8\nbehaviors.wander = {}\n";
    toml.extend(group.iter().map(|own| format!("[[behavior]]\nfile = \"{}.wgsl\"\n", own.name)));
    Scene::parse(&toml, &folder.join("drawn.toml").display().to_string(), &[]).map_err(|error| error.to_string())
}

/// Check that behaviors do the same however their files are formatted, and that the GPU computes what the interpreter does.
///
/// # Errors
/// What differs, with the files.
pub fn check(gpu: &Gpu, folder: &Path, group: &[Written], number: usize) -> Result<(), String> {
    let spatial = number % 2 == 1;
    let told =
        |why: String| format!("{why}\n{}", group.iter().map(Written::text).collect::<Vec<_>>().join("\n=====\n"));
    let plain = scene(folder, group, |_, own| own.text(), spatial).map_err(told)?;
    let state = {
        let mut state = State::initial(&plain);
        // Two agents at the very same point.
        state.positions[1] = state.positions[0];
        state
    };
    let failed = |error: GpuError| told(error.to_string());
    let end = |scene: &Scene| {
        let mut run =
            cpu::Simulation::new(scene, &state, Execution::Parallel).map_err(|error| told(error.to_string()))?;
        run.step(STEPS);
        run.check().map_err(|error| told(error.to_string()))?;
        Ok::<_, String>(run.state())
    };
    let expected = end(&plain)?;
    // The comparison can fail: with half the weight of one behavior the run is another.
    let least = &group[number % OWN].name;
    let less =
        plain.edit(|draft| draft.species[0].set(least, "weight", 0.5)).map_err(|error| told(error.to_string()))?;
    if end(&less)? == expected {
        return Err(told(format!("{least} does nothing")));
    }
    let otherwise = scene(folder, group, |index, own| own.otherwise(number + index), spatial).map_err(told)?;
    if end(&otherwise)? != expected {
        return Err(told("written otherwise, it means something else".to_owned()));
    }
    // Either stage by stage or several steps in a row, because the passes of each take equally long to compile.
    if number % 4 < 2 {
        let plan = Plan { steps: STEPS, free_steps: 0 };
        let report = verify(gpu, &otherwise, &state, &Options::default(), plan, |_| ()).map_err(failed)?;
        return match report.pass {
            true => Ok(()),
            false => Err(told(format!("GPU and interpreter differ: {report:#?}"))),
        };
    }
    let mut run = gpu::Simulation::new(gpu, &otherwise, &state, Options::default()).map_err(failed)?;
    run.step(STEPS).map_err(failed)?;
    match run.state().map_err(failed)? == expected {
        true => Ok(()),
        false => Err(told("GPU and interpreter come to other states".to_owned())),
    }
}

/// Add the pairs of features that the behaviors have.
pub fn covered(group: &[Written], seen: &mut BTreeSet<[&'static str; 2]>) {
    let known = pairs();
    for own in group {
        let has = |feature: &&str| own.features.contains(feature);
        seen.extend(known.iter().filter(|pair| pair.iter().all(has)));
    }
}
