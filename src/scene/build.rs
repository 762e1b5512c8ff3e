//! From the tree of a text to the types of a [`Scene`], one function for each table.

use super::actions::{MAX_STATES, read_rules, read_states};
use super::error::{SceneError, suggest};
use super::keys;
use super::read::Section;
use super::scenery::read_scenery;
use super::target::{Names, name_index, read_species_mask, read_target};
use super::tree::{Input, Node, Place};
use super::vehicle::read_vehicle;
use super::*;
use std::path::Path;

/// The scene that a text describes; the rules that tie keys together are not checked yet.
pub fn read_scene(input: &Input, source: SceneSource) -> Result<Scene, SceneError> {
    let top = Section::root(input, keys::SCENE)?;
    top.whole("schema")?;
    top.choice("dialect")?;
    let world = read_world(&top.table("world", keys::WORLD)?)?;
    let field = top.table("field", keys::FIELD)?;
    let species = top.tables("species", keys::SPECIES, keys::MAX_SPECIES)?;
    let scenery = read_scenery(&top, &world)?;
    let named = species.iter().enumerate().map(|(index, section)| species_name(section, index));
    let paths = scenery.paths.iter().map(|path| path.name.clone()).collect();
    let names = Names { species: named.collect::<Result<_, _>>()?, paths };
    Ok(Scene {
        name: read_name(&top, &source.origin)?,
        shows: top.text("shows")?.0.to_owned(),
        things_to_try: top.texts("things_to_try")?,
        seed: top.whole("seed")?,
        dt: top.number("dt")?,
        camera: read_camera(&top.table("camera", keys::CAMERA)?, &world)?,
        mouse: read_point(&top, "mouse", &world)?,
        field: field.exists().then(|| read_field(&field, &source.origin)).transpose()?,
        ground: read_ground(&top.table("ground", keys::GROUND)?)?,
        scenery,
        species: species.iter().enumerate().map(|(i, s)| read_species(s, i, &names)).collect::<Result<_, _>>()?,
        world,
        source,
    })
}

fn read_name(top: &Section, origin: &str) -> Result<String, SceneError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match top.text("name")? {
        (name, Some(_)) if (1..=64).contains(&name.len()) && name.chars().all(allowed) => Ok(name.to_owned()),
        (_, Some(node)) => Err(top.error("name", node, "must be 1 to 64 letters, digits, `-` or `_`")),
        (_, None) => {
            let stem = Path::new(origin).file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
            let name: String = stem.chars().take(64).map(|c| if allowed(c) { c } else { '-' }).collect();
            Ok(if name.is_empty() { "scene".to_owned() } else { name })
        }
    }
}

fn read_world(section: &Section) -> Result<World, SceneError> {
    let size = section.vector("size", &[2, 3])?.unwrap_or_default();
    let words = section.words("boundary", size.len())?;
    let kind = |axis: usize| match words.get(axis) {
        Some(0) => Boundary::Wrap,
        Some(1) => Boundary::Contain,
        _ => Boundary::Open,
    };
    Ok(World {
        size: Vec3::new(size[0], size[1], size.get(2).copied().unwrap_or(0.0)),
        spatial: size.len() == 3,
        boundary: [kind(0), kind(1), kind(2)],
        margin: section.number("margin")?,
    })
}

fn read_ground(section: &Section) -> Result<Option<Ground>, SceneError> {
    let ground = Ground {
        resolution: section.whole("resolution")?,
        half_life: section.number("half_life")?,
        patches: section.whole("patches")?,
        patch_radius: section.number("patch_radius")?,
        amount: section.whole("amount")?,
        intake: section.number("intake")?,
        regrowth: section.number("regrowth")?,
    };
    Ok(section.exists().then_some(ground))
}

fn read_camera(section: &Section, world: &World) -> Result<Camera, SceneError> {
    Ok(Camera {
        center: read_point(section, "center", world)?,
        zoom: section.number("zoom")?,
        yaw: section.number("yaw")?,
        pitch: section.number("pitch")?,
    })
}

/// A point of the world; the origin where the scene gives none.
fn read_point(section: &Section, name: &str, world: &World) -> Result<Vec3, SceneError> {
    let axes = if world.spatial { 3 } else { 2 };
    let point = section.vector(name, &[axes])?.unwrap_or(vec![0.0; axes]);
    Ok(Vec3::new(point[0], point[1], point.get(2).copied().unwrap_or(0.0)))
}

fn read_field(section: &Section, origin: &str) -> Result<Field, SceneError> {
    Ok(Field {
        source: read_source(section, origin)?,
        scale: section.number("scale")?,
        speed: section.number("speed")?,
        direction: section.number("direction")?,
        wavelength: section.number("wavelength")?,
        resolution: section.whole("resolution")?,
    })
}

fn read_source(section: &Section, origin: &str) -> Result<FieldSource, SceneError> {
    let (text, node) = section.text("source")?;
    let path = match node.map(|n| &n.place) {
        Some(Place::File(_)) => Path::new(origin).parent().unwrap_or(Path::new("")).join(text),
        _ => PathBuf::from(text),
    };
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match (text, extension.as_str(), node) {
        ("uniform", ..) => Ok(FieldSource::Uniform),
        ("vortex", ..) => Ok(FieldSource::Vortex),
        ("curl_noise", ..) => Ok(FieldSource::CurlNoise),
        ("planetary", ..) => Ok(FieldSource::Planetary),
        (_, "png", _) => Ok(FieldSource::Image(path)),
        (_, "json", _) => Ok(FieldSource::Wind(path)),
        (_, _, Some(node)) => {
            let message = format!("must be one of {}, or a path ending in .png or .json", keys::FORMULAS.join(", "));
            Err(section.error("source", node, message).hint(suggest(text, keys::FORMULAS)))
        }
        (_, _, None) => unreachable!("the key is required"),
    }
}

fn species_name(section: &Section, index: usize) -> Result<String, SceneError> {
    let (name, given) = section.text("name")?;
    Ok(if given.is_some() { name.to_owned() } else { format!("species {index}") })
}

fn read_species(section: &Section, index: usize, names: &Names) -> Result<Species, SceneError> {
    let max_speed = section.number("max_speed")?;
    let spawn = section.table("spawn", keys::SPAWN)?;
    let states = read_state_names(section)?;
    Ok(Species {
        name: names.species[index].clone(),
        count: section.whole("count")?,
        mass: section.number("mass")?,
        max_speed,
        min_speed: section.number("min_speed")?,
        max_force: section.number("max_force")?,
        radius: section.number("radius")?,
        time_constant: section.number("time_constant")?,
        color: read_color(section)?,
        spawn: Spawn {
            shape: if spawn.choice("shape")? == 1 { SpawnShape::Ball } else { SpawnShape::Box },
            extent: spawn.number("extent")?,
            speed: spawn.try_number("speed")?.unwrap_or(max_speed),
        },
        perceives: match section.entry("perceives") {
            Some(node) => read_species_mask(section, "perceives", node, names)?,
            None => u32::MAX,
        },
        k_nearest: section.whole("k_nearest")?,
        combine: COMBINES[section.choice("combine")?],
        dither: read_dither(section)?,
        update_every: section.whole("update_every")?,
        smoothing_time: section.number("smoothing_time")?,
        rules: read_rules(section, &states, names)?,
        behaviors: read_behaviors(section, &states, names)?,
        states,
        vehicle: read_vehicle(section, max_speed)?,
    })
}

fn read_color(section: &Section) -> Result<Color, SceneError> {
    let (text, node) = section.text("color")?;
    let fixed = || {
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.chars().all(|c| c.is_ascii_hexdigit()))?;
        let [_, r, g, b] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Color::Fixed([r, g, b]))
    };
    match (text, fixed(), node) {
        ("speed", ..) => Ok(Color::Speed),
        ("state", ..) => Ok(Color::State),
        ("winner", ..) => Ok(Color::Winner),
        ("heading", ..) | (_, None, None) => Ok(Color::Heading),
        (_, Some(color), _) => Ok(color),
        (_, None, Some(node)) => {
            let error =
                section.error("color", node, "must be heading, speed, state, winner, or a color such as \"#3366cc\"");
            Err(error.hint(suggest(text, keys::COLORS)))
        }
    }
}

/// Combinations in the order of their words.
const COMBINES: [Combine; 5] =
    [Combine::Weighted, Combine::Normalized, Combine::Priority, Combine::Budget, Combine::Dithered];

fn read_dither(section: &Section) -> Result<[f32; keys::PRIORITIES], SceneError> {
    let mut dither = [0.8; keys::PRIORITIES];
    let given = section.numbers("dither")?.unwrap_or_default();
    dither.iter_mut().zip(given).for_each(|(chance, given)| *chance = given);
    Ok(dither)
}

/// Names of the action states; one without a name where the scene gives none.
fn read_state_names(section: &Section) -> Result<Vec<String>, SceneError> {
    let states = section.texts("states")?;
    if let Some(node) = section.entry("states").filter(|_| states.len() > MAX_STATES) {
        return Err(section.error("states", node, format!("must have at most {MAX_STATES} names")));
    }
    let twice = states.iter().enumerate().find(|(index, state)| states[..*index].contains(state));
    if let (Some(node), Some((_, state))) = (section.entry("states"), twice) {
        return Err(section.error("states", node, format!("has `{state}` twice; each state needs a name of its own")));
    }
    Ok(if states.is_empty() { vec![String::new()] } else { states })
}

fn read_behaviors(species: &Section, states: &[String], names: &Names) -> Result<Vec<Behavior>, SceneError> {
    let known: Vec<&str> = BEHAVIORS.iter().map(|spec| spec.name).collect();
    let table = species.entries("behaviors", &known)?;
    BEHAVIORS.iter().map(|spec| read_behavior(table.as_ref(), spec, states, names)).collect()
}

fn read_behavior(
    table: Option<&Section>,
    spec: &BehaviorSpec,
    states: &[String],
    names: &Names,
) -> Result<Behavior, SceneError> {
    let keys: Vec<&str> = keys::behavior_keys(spec).collect();
    let section = table.map(|table| table.entries(spec.name, &keys)).transpose()?.flatten();
    let entry = |name| section.as_ref().and_then(|section| Some((section, section.entry(name)?)));
    let value = |name, range, unit, default| match entry(name) {
        Some((section, node)) => read_setting(section, name, node, range, unit, names),
        None => Ok(default_setting(range, default)),
    };
    Ok(Behavior {
        enabled: match entry("enabled") {
            Some((section, node)) => section.boolean("enabled", node)?,
            None => section.is_some(),
        },
        weight: value("weight", keys::WEIGHT, spec.weight_unit, spec.default_weight)?.number(),
        floor: value("floor", keys::FLOOR, "u/s²", keys::FLOOR_DEFAULT)?.number(),
        priority: value("priority", keys::PRIORITY, "", spec.default_priority as f32)?.number() as u32,
        states: match entry("states") {
            Some((section, node)) => read_states(section, "states", node, states)?,
            None => u32::MAX,
        },
        parameters: spec
            .parameters
            .iter()
            .map(|p| value(p.name, p.range, p.unit, p.default))
            .collect::<Result<_, _>>()?,
    })
}

/// What holds where the scene does not give a parameter.
fn default_setting(range: Range, default: f32) -> Setting {
    match range {
        Range::Number { .. } | Range::Whole { .. } | Range::Choice(_) => Setting::Number(default),
        Range::Vector { .. } => Setting::Vector(Vec3::splat(default)),
        Range::Target => Setting::Target(Target::Point(Vec3::ZERO)),
        Range::Species => Setting::Species(None),
        Range::Path => Setting::Path(0),
    }
}

fn read_setting<'a>(
    section: &Section<'a>,
    name: &str,
    node: &'a Node,
    range: Range,
    unit: &str,
    names: &Names,
) -> Result<Setting, SceneError> {
    match range {
        Range::Number { min, max } => {
            section.number_within(name, node, (min.into(), max.into()), unit).map(Setting::Number)
        }
        Range::Whole { min, max } => {
            section.whole_within(name, node, (min, max)).map(|whole| Setting::Number(whole as f32))
        }
        Range::Choice(words) => section.word(name, node, words).map(|i| Setting::Number(i as f32)),
        Range::Vector { min, max } => {
            let vector = section.vector_within(name, node, &[2, 3], (min.into(), max.into()), unit)?;
            Ok(Setting::Vector(Vec3::new(vector[0], vector[1], vector.get(2).copied().unwrap_or(0.0))))
        }
        Range::Target => read_target(section, name, node, names).map(Setting::Target),
        Range::Species => read_species_mask(section, name, node, names).map(|mask| Setting::Species(Some(mask))),
        Range::Path => name_index(section, name, node, &names.paths, "path").map(Setting::Path),
    }
}
