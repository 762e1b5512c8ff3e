//! From TOML to a valid [`Scene`].

use super::error::{SceneError, nearest, shorten, suggest};
use super::keys;
use super::read::Section;
use super::rules::Broken;
use super::tree::{Input, Kind, Node, Place};
use super::*;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

/// One `KEY=VALUE` that replaces or adds a value of a scene, such as `species.0.behaviors.cohesion.weight=2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// Dotted path; entries of lists are named by their number, from 0.
    pub key: String,
    /// A TOML value; what is none is taken as a text, so that words and paths need no quotes.
    pub value: String,
}

/// What a scene was made from, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneSource {
    /// The TOML as it was written, before the overrides.
    pub text: String,
    /// Path of the file, or name of the preset.
    pub origin: String,
    /// The overrides, in the order in which they were put in.
    pub overrides: Vec<Override>,
}

/// Longest scene file, bytes.
const MAX_TEXT: u64 = 1 << 20;
/// Most parts of an override's key.
const MAX_PARTS: usize = 8;

impl FromStr for Override {
    type Err = SceneError;

    fn from_str(text: &str) -> Result<Self, SceneError> {
        let fault = |message: &str| {
            let error = SceneError::whole(format!("--set {}", shorten(text, 100)), message);
            error.hint("write KEY=VALUE, such as species.0.behaviors.cohesion.weight=2")
        };
        let (key, value) = text.split_once('=').ok_or_else(|| fault("there is no `=`"))?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || key.split('.').any(|part| part.is_empty() || part != part.trim()) {
            return Err(fault("the key must be names or numbers joined by single dots"));
        }
        if key.split('.').count() > MAX_PARTS {
            return Err(fault(&format!("the key has more than {MAX_PARTS} parts")));
        }
        Ok(Override { key: key.to_owned(), value: value.to_owned() })
    }
}

impl std::fmt::Display for Override {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "--set {}={}", shorten(&self.key, 100), shorten(&self.value, 100))
    }
}

impl Override {
    pub(super) fn node(&self, index: usize) -> Node {
        let place = Place::Override(index);
        match self.value.parse::<toml_edit::Value>() {
            Ok(value) => Node::of_value(&value, &place),
            Err(_) => Node { kind: Kind::Text(self.value.clone()), key_place: place.clone(), place },
        }
    }
}

impl Scene {
    /// Open a preset by its name, or else a file by its path, and put in the overrides.
    ///
    /// # Errors
    /// Neither preset nor file; a file that is a directory, unreadable, over 1 MiB or not UTF-8; and whatever
    /// [`Scene::parse`] refuses.
    pub fn open(name_or_path: &str, overrides: &[Override]) -> Result<Scene, SceneError> {
        match PRESETS.iter().find(|preset| preset.name == name_or_path) {
            Some(preset) => Scene::parse(preset.text, preset.name, overrides),
            None => Scene::parse(&read_file(name_or_path)?, name_or_path, overrides),
        }
    }

    /// Read a scene from TOML, put in the overrides, and check it.
    ///
    /// `origin` names the text in errors; paths in the text are relative to its directory, paths in overrides to the
    /// working directory.
    ///
    /// # Errors
    /// The first problem found: syntax, unknown or missing keys, types, ranges, or rules that tie keys together.
    pub fn parse(text: &str, origin: &str, overrides: &[Override]) -> Result<Scene, SceneError> {
        if text.len() as u64 > MAX_TEXT {
            return Err(SceneError::whole(origin, too_long(text.len() as u64)));
        }
        if text.trim().is_empty() {
            let hint = "`steerling scenes --show flock` prints a scene to begin with";
            return Err(SceneError::whole(origin, "the file is empty").hint(hint));
        }
        let input = Input::new(text, origin, overrides)?;
        let source = SceneSource { text: text.to_owned(), origin: origin.to_owned(), overrides: overrides.to_vec() };
        let scene = read_scene(&input, source)?;
        match scene.broken_rule() {
            Some(broken) => Err(locate_broken(&input, broken)),
            None => Ok(scene),
        }
    }
}

/// Points to the first of the tied keys that an override wrote, or else to the first of all.
fn locate_broken(input: &Input, broken: Broken) -> SceneError {
    let mut places = broken.keys.iter().map(|key| &input.locate(key).place);
    let first = &input.locate(&broken.keys[0]).place;
    let place = places.find(|place| matches!(place, Place::Override(_))).unwrap_or(first);
    let error = input.error(place, &broken.keys[0], broken.message);
    SceneError { value: broken.value.map(Into::into), hint: broken.hint, ..error }
}

fn too_long(bytes: u64) -> String {
    format!("the file has {bytes} bytes; a scene may have {MAX_TEXT} (1 MiB)")
}

fn read_file(path: &str) -> Result<String, SceneError> {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    let origin = if path.is_empty() { "\"\"".to_owned() } else { shorten(path, 200) };
    let fault = |message: String| SceneError::whole(origin.clone(), message);
    let unreadable = |e: std::io::Error| fault(format!("cannot be read: {e}"));
    let about = match std::fs::metadata(path) {
        Ok(about) => about,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or(path);
            let near = nearest(stem, &names).map_or(String::new(), |near| format!("did you mean `{near}`? "));
            let hint = format!("{near}Presets: {}; anything else is the path of a file", names.join(", "));
            return Err(fault("there is no preset and no file of this name".into()).hint(hint));
        }
        Err(e) => return Err(unreadable(e)),
    };
    if about.is_dir() {
        return Err(fault("this is a directory, not a scene file".into()));
    }
    if about.len() > MAX_TEXT {
        return Err(fault(too_long(about.len())));
    }
    // Pipes and devices tell no length beforehand.
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_TEXT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..good].iter().filter(|b| **b == b'\n').count() + 1;
        fault(format!("this is not UTF-8 text: line {line}, byte {good}")).hint("save the file as UTF-8")
    })
}

fn read_scene(input: &Input, source: SceneSource) -> Result<Scene, SceneError> {
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
