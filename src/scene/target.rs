//! What a behavior heads for, and how a scene names it.

use super::error::{SceneError, suggest};
use super::keys::{self, MAX_AGENTS};
use super::read::Section;
use super::tree::{Kind, Node};
use glam::Vec3;

/// What a behavior heads for. One way to name it serves every behavior that has a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// A fixed point, u: `{ point = [1, 2] }`.
    Point(Vec3),
    /// The agent with this id: `{ agent = 5 }`.
    Agent(u32),
    /// The nearest perceived agent of a species: `{ nearest = "hawk", perception_radius = 40, field_of_view = 300 }`.
    Nearest {
        /// Bit s is set for species s.
        species: u32,
        /// Agents farther away are not perceived, u.
        perception_radius: f32,
        /// Full angle of the cone in which agents are perceived, degrees.
        field_of_view: f32,
    },
    /// An agent of the species, the same one at all times: the leaders are dealt out by id: `{ leader = "drake" }`.
    Leader(u32),
    /// The nearest point of the path with this index: `{ path = "road" }`.
    Path(u32),
    /// Where the flow field leads within one second: `"field"`.
    Field,
    /// The pointer of the window, or the scene's key `mouse`: `"mouse"`.
    Mouse,
}

/// Names that a scene gives and that other keys refer to, in order.
#[derive(Debug, Default)]
pub struct Names {
    /// Names of the species.
    pub species: Vec<String>,
    /// Names of the paths.
    pub paths: Vec<String>,
}

const FORMS: &[&str] = &["point", "agent", "nearest", "leader", "path"];
const WORDS: &[&str] = &["field", "mouse"];

/// Read a target.
pub fn read_target<'a>(section: &Section<'a>, name: &str, node: &'a Node, names: &Names) -> Result<Target, SceneError> {
    let hint = "write { point = [0, 0] }, { agent = 5 }, { nearest = \"NAME\" }, { leader = \"NAME\" }, \
                { path = \"NAME\" }, \"field\" or \"mouse\"";
    match &node.kind {
        Kind::Text(_) => match section.word(name, node, WORDS)? {
            0 => Ok(Target::Field),
            _ => Ok(Target::Mouse),
        },
        Kind::Table(entries) => {
            let inner = section.within(name, node, keys::TARGET)?;
            let mut given = entries.iter().filter(|(key, _)| FORMS.contains(&key.as_str()));
            match (given.next(), given.next()) {
                (Some((key, node)), None) => read_form(&inner, key, node, names),
                _ => Err(section.error(name, node, "must name exactly one thing").hint(hint)),
            }
        }
        _ => Err(section.error(name, node, "must be a table, or `field` or `mouse`").hint(hint)),
    }
}

fn read_form(section: &Section, key: &str, node: &Node, names: &Names) -> Result<Target, SceneError> {
    match key {
        "point" => {
            let point = section.vector("point", &[2, 3])?.unwrap_or_default();
            Ok(Target::Point(Vec3::new(point[0], point[1], point.get(2).copied().unwrap_or(0.0))))
        }
        "agent" => Ok(Target::Agent(section.whole("agent")?.min(MAX_AGENTS - 1))),
        "nearest" => Ok(Target::Nearest {
            species: 1 << name_index(section, key, node, &names.species, "species")?,
            perception_radius: section.number("perception_radius")?,
            field_of_view: section.number("field_of_view")?,
        }),
        "leader" => Ok(Target::Leader(name_index(section, key, node, &names.species, "species")?)),
        _ => Ok(Target::Path(name_index(section, key, node, &names.paths, "path")?)),
    }
}

/// The index of a name that the scene gives elsewhere.
pub fn name_index(section: &Section, key: &str, node: &Node, names: &[String], what: &str) -> Result<u32, SceneError> {
    let text = section.text_of(key, node)?;
    names.iter().position(|n| n == text).map(|index| index as u32).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let message = if known.is_empty() {
            format!("the scene has no {what} of this name")
        } else {
            format!("must be the name of a {what} of this scene: {}", known.join(", "))
        };
        section.error(key, node, message).hint(suggest(text, &known))
    })
}

/// A list of names of species, as bits.
pub fn read_species_mask(section: &Section, key: &str, node: &Node, names: &Names) -> Result<u32, SceneError> {
    match &node.kind {
        Kind::List(nodes) => nodes
            .iter()
            .try_fold(0, |mask, node| Ok(mask | 1 << name_index(section, key, node, &names.species, "species")?)),
        Kind::Text(_) => Ok(1 << name_index(section, key, node, &names.species, "species")?),
        _ => Err(section.error(key, node, "must be the name of a species, or a list of names")),
    }
}
