//! From the tree of a text to the types of a [`Scene`], one function for each table.

use super::error::{SceneError, suggest};
use super::keys;
use super::read::Section;
use super::tree::{Input, Place};
use super::*;
use std::path::Path;

/// The scene that a text describes; the rules that tie keys together are not checked yet.
pub fn read_scene(input: &Input, source: SceneSource) -> Result<Scene, SceneError> {
    let top = Section::root(input, keys::SCENE)?;
    top.whole("schema")?;
    let world = read_world(&top.table("world", keys::WORLD)?)?;
    let field = top.table("field", keys::FIELD)?;
    let species = top.tables("species", keys::SPECIES, keys::MAX_SPECIES)?;
    Ok(Scene {
        name: read_name(&top, &source.origin)?,
        shows: top.text("shows")?.0.to_owned(),
        things_to_try: top.texts("things_to_try")?,
        seed: top.whole("seed")?,
        dt: top.number("dt")?,
        camera: read_camera(&top.table("camera", keys::CAMERA)?, &world)?,
        field: field.exists().then(|| read_field(&field, &source.origin)).transpose()?,
        species: species.iter().enumerate().map(|(i, s)| read_species(s, i)).collect::<Result<_, _>>()?,
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

fn read_camera(section: &Section, world: &World) -> Result<Camera, SceneError> {
    let axes = if world.spatial { 3 } else { 2 };
    let center = section.vector("center", &[axes])?.unwrap_or(vec![0.0; axes]);
    Ok(Camera {
        center: Vec3::new(center[0], center[1], center.get(2).copied().unwrap_or(0.0)),
        zoom: section.number("zoom")?,
        yaw: section.number("yaw")?,
        pitch: section.number("pitch")?,
    })
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

fn read_species(section: &Section, index: usize) -> Result<Species, SceneError> {
    let (name, given) = section.text("name")?;
    let max_speed = section.number("max_speed")?;
    let spawn = section.table("spawn", keys::SPAWN)?;
    Ok(Species {
        name: if given.is_some() { name.to_owned() } else { format!("species {index}") },
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
        behaviors: read_behaviors(section)?,
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
        ("heading", ..) | (_, None, None) => Ok(Color::Heading),
        (_, Some(color), _) => Ok(color),
        (_, None, Some(node)) => {
            let error = section.error("color", node, "must be heading, speed, or a color such as \"#3366cc\"");
            Err(error.hint(suggest(text, keys::COLORS)))
        }
    }
}

fn read_behaviors(species: &Section) -> Result<Vec<Behavior>, SceneError> {
    let names: Vec<&str> = BEHAVIORS.iter().map(|spec| spec.name).collect();
    let table = species.entries("behaviors", &names)?;
    BEHAVIORS.iter().map(|spec| read_behavior(table.as_ref(), spec)).collect()
}

fn read_behavior(table: Option<&Section>, spec: &BehaviorSpec) -> Result<Behavior, SceneError> {
    let names: Vec<&str> = keys::behavior_keys(spec).collect();
    let section = table.map(|table| table.entries(spec.name, &names)).transpose()?.flatten();
    let entry = |name| section.as_ref().and_then(|section| Some((section, section.entry(name)?)));
    let value = |name, range: Range, unit, default| match (entry(name), range) {
        (None, _) => Ok(default),
        (Some((section, node)), Range::Number { min, max }) => {
            section.number_within(name, node, (min.into(), max.into()), unit)
        }
        (Some((section, node)), Range::Choice(words)) => section.word(name, node, words).map(|i| i as f32),
    };
    Ok(Behavior {
        enabled: match entry("enabled") {
            Some((section, node)) => section.boolean("enabled", node)?,
            None => section.is_some(),
        },
        weight: value("weight", keys::WEIGHT, spec.weight_unit, spec.default_weight)?,
        parameters: spec
            .parameters
            .iter()
            .map(|p| value(p.name, p.range, p.unit, p.default))
            .collect::<Result<_, _>>()?,
    })
}
