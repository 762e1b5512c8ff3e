//! What a behavior heads for, and how a scene names it.

use super::broken::{Broken, check_index, check_mask, check_vector};
use super::error::SceneError;
use super::keys::{Fallback, Key, MAX_AGENTS, Range, TARGET};
use super::names::Names;
use super::read::{Section, numbers};
use super::tables::Value;
use super::tree::{Kind, Node};
use glam::Vec3;

/// What a behavior heads for. One way to name it serves every behavior that has a target.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Target {
    /// A fixed point, u: `{ point = [1, 2] }`.
    Point(Vec3),
    /// The agent with this id: `{ agent = 5 }`.
    Agent(u32),
    /// The nearest agent of a species that is seen: `{ nearest = "hawk", perception_radius = 40, field_of_view = 300 }`.
    Nearest {
        /// Bit s is set for species s.
        species: u32,
        /// Agents farther away are not perceived, u.
        perception_radius: f32,
        /// Full angle of the cone in which agents are perceived, degrees.
        field_of_view: f32,
    },
    /// A leader from the species with this index. Which of its agents that is follows from the follower's id and never
    /// changes: `{ leader = "drake" }`.
    Leader(u32),
    /// The nearest point of the path with this index: `{ path = "road" }`.
    Path(u32),
    /// Where the flow field leads within one second: `"field"`.
    Field,
    /// Where the trajectory with this index is in the step: `{ trajectory = "swan" }`.
    Trajectory(u32),
    /// A goal of the map, by the way that leads there: `{ goal = "home", prediction_time = 0.3 }`.
    Goal {
        /// Index of the goal.
        index: u32,
        /// How far ahead of the agent the way is read, s.
        prediction_time: f32,
    },
    /// The pointer of the window, or the scene's key `mouse`: `"mouse"`.
    #[default]
    Mouse,
}

const FORMS: &[&str] = &["point", "agent", "nearest", "leader", "path", "trajectory", "goal"];
const WORDS: &[&str] = &["field", "mouse"];
/// Keys that only one form of target has, each with that form.
const MORE: &[(&str, &str)] =
    &[("perception_radius", "nearest"), ("field_of_view", "nearest"), ("prediction_time", "goal")];

/// A key of a target by its name.
fn key(name: &str) -> &'static Key {
    TARGET.iter().find(|key| key.name == name).expect("a key of targets")
}

impl Value for Target {
    fn read<'a>(&mut self, own: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        let hint = "write { point = [0, 0] }, { agent = 5 }, { nearest = \"NAME\" }, { leader = \"NAME\" }, \
                    { path = \"NAME\" }, { trajectory = \"NAME\" }, { goal = \"NAME\" }, \"field\" or \"mouse\"";
        *self = match &node.kind {
            Kind::Text(_) => [Target::Field, Target::Mouse][from.word(own, node, WORDS)?],
            Kind::Table(entries) => {
                let inner = from.within(own.name, node, TARGET)?;
                let mut given = entries.iter().filter(|(key, _)| FORMS.contains(&key.as_str()));
                match (given.next(), given.next()) {
                    (Some((name, node)), None) => {
                        let form_of = |other: &str| MORE.iter().find(|(key, _)| *key == other).map(|(_, form)| *form);
                        let mut others =
                            entries.iter().filter_map(|(other, node)| Some((other, node, form_of(other)?)));
                        if let Some((other, node, form)) = others.find(|(.., form)| *form != name.as_str()) {
                            let why = format!("belongs to a target by `{form}`, and this is a target by `{name}`");
                            return Err(inner.error(key(other), node, &why));
                        }
                        read_form(&inner, key(name), node, names)?
                    }
                    _ => return Err(from.error(own, node, "must name exactly one thing").hint(hint)),
                }
            }
            _ => return Err(from.error(own, node, "must be a table, or `field` or `mouse`").hint(hint)),
        };
        Ok(())
    }

    fn check(&mut self, _: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        match self {
            Target::Point(point) => check_vector(point, 3, key("point"), path),
            Target::Agent(id) if *id >= MAX_AGENTS => {
                Err(Broken::new(path, format!("an agent's id is less than {MAX_AGENTS}")).value(*id))
            }
            Target::Nearest { species: 0, .. } => Err(Broken::new(path, "must name a species")),
            Target::Nearest { species, perception_radius, field_of_view } => {
                check_mask(*species, &names.species, "species", path)?;
                perception_radius.check(key("perception_radius"), path, names)?;
                field_of_view.check(key("field_of_view"), path, names)
            }
            Target::Leader(species) => check_index(*species, &names.species, "species", path),
            Target::Path(index) => check_index(*index, &names.paths, "paths", path),
            Target::Trajectory(index) => check_index(*index, &names.trajectories, "trajectories", path),
            Target::Goal { index, prediction_time } => {
                check_index(*index, &names.goals, "goals", path)?;
                prediction_time.check(key("prediction_time"), path, names)
            }
            Target::Agent(_) | Target::Field | Target::Mouse => Ok(()),
        }
    }

    fn vectors(&mut self, _: &Key, path: &str) -> Vec<(String, Key, &mut Vec3)> {
        match self {
            Target::Point(point) => vec![(format!("{path}.point"), *key("point"), point)],
            _ => Vec::new(),
        }
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, names: &Names) -> Option<Kind> {
        let name = |names: &[String], index: u32| names.get(index as usize).cloned().map(Kind::Text);
        let (form, more) = match *self {
            Target::Field => return Some(Kind::Text("field".to_owned())),
            Target::Mouse => return Some(Kind::Text("mouse".to_owned())),
            Target::Point(point) => (("point", Some(numbers(&point.to_array()[..names.axes]))), Vec::new()),
            Target::Agent(id) => (("agent", Some(Kind::Whole(i64::from(id)))), Vec::new()),
            Target::Nearest { species, perception_radius, field_of_view } => {
                let form = ("nearest", name(&names.species, species.trailing_zeros()));
                (form, vec![("perception_radius", perception_radius), ("field_of_view", field_of_view)])
            }
            Target::Leader(species) => (("leader", name(&names.species, species)), Vec::new()),
            Target::Path(index) => (("path", name(&names.paths, index)), Vec::new()),
            Target::Trajectory(index) => (("trajectory", name(&names.trajectories, index)), Vec::new()),
            Target::Goal { index, prediction_time } => {
                let ahead = (prediction_time != 0.0).then_some(("prediction_time", prediction_time));
                (("goal", name(&names.goals, index)), ahead.into_iter().collect())
            }
        };
        let more = more.into_iter().map(|(key, number)| (key, Some(Kind::Number(f64::from(number)))));
        let entries = std::iter::once(form).chain(more);
        let entries = entries.map(|(key, kind)| kind.map(|kind| (key.to_owned(), Node::unwritten(kind))));
        entries.collect::<Option<Vec<_>>>().map(Kind::Table)
    }
}

fn read_form(from: &Section, form: &Key, node: &Node, names: &Names) -> Result<Target, SceneError> {
    let number = |key: &Key| match (from.entry(key.name), key.fallback) {
        (Some(node), _) => from.number(key, node, key.bounds().unwrap_or_default()),
        (None, Fallback::Number(number)) => Ok(number),
        (None, _) => Ok(0.0),
    };
    Ok(match (form.name, form.range) {
        ("point", Range::Vector { min, max }) => Target::Point(from.vector(form, node, &[2, 3], (min, max))?),
        ("agent", _) => Target::Agent(from.whole(form, node, (0, MAX_AGENTS - 1))?),
        ("nearest", _) => Target::Nearest {
            species: 1 << from.name(form, node, &names.species, "species")?,
            perception_radius: number(key("perception_radius"))?,
            field_of_view: number(key("field_of_view"))?,
        },
        ("leader", _) => Target::Leader(from.name(form, node, &names.species, "species")?),
        ("goal", _) => Target::Goal {
            index: from.name(form, node, &names.goals, "goal")?,
            prediction_time: number(key("prediction_time"))?,
        },
        ("trajectory", _) => Target::Trajectory(from.name(form, node, &names.trajectories, "trajectory")?),
        _ => Target::Path(from.name(form, node, &names.paths, "path")?),
    })
}
