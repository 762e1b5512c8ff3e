//! Rules that tie keys together, and the change of a scene's number of agents.

use super::error::{SceneError, plain};
use super::keys::{MAX_AGENTS, MAX_NODES, MAX_QUERIES, Table};
use super::target::Names;
use super::{
    Behavior, BehaviorSpec, Boundary, Condition, Draft, FieldSource, Scene, Setting, Species, Target, vehicle,
};

/// A rule that a scene breaks.
pub struct Broken {
    /// Dotted paths of the keys that the rule ties; the message is about the first.
    pub keys: Vec<String>,
    pub value: Option<String>,
    pub message: String,
    pub hint: Option<String>,
}

/// Names of the axes.
const AXES: [&str; 3] = ["x", "y", "z"];

impl Broken {
    pub fn new(key: impl Into<String>, message: String) -> Broken {
        Broken { keys: vec![key.into()], value: None, message, hint: None }
    }

    pub fn value(self, value: impl ToString) -> Broken {
        Broken { value: Some(value.to_string()), ..self }
    }
}

impl Draft {
    /// The first thing that no scene may be: values first, then the rules that tie them together.
    pub(super) fn broken(&mut self) -> Option<Broken> {
        let names = Names::of(self);
        self.agents_fit().or_else(|| Table::check(self, "", &names).err()).or_else(|| self.broken_rule())
    }
}

impl Scene {
    /// The same scene with `agents` agents in all: the species keep their shares, and the world grows or shrinks so
    /// that density stays, and the scenery with it. The margin, the radii and the field's wavelength stay as they are. Where there are no
    /// agents before or after, the world stays as it is; where there were none, all go to the first species.
    ///
    /// # Errors
    /// More than 2^30 agents, or a world that breaks a rule, such as one too small for a perception radius.
    pub fn with_agents(&self, agents: u32) -> Result<Scene, SceneError> {
        self.edit(|draft| {
            draft.scale_to(agents);
            Ok(())
        })
    }
}

impl Draft {
    fn scale_to(&mut self, agents: u32) {
        let old: u64 = self.species.iter().map(|s| u64::from(s.count)).sum();
        // No species disappears as long as there is an agent for each.
        let least = u64::from(self.species.iter().filter(|s| s.count > 0).count() <= agents as usize);
        for species in &mut self.species {
            let share = u64::from(species.count) * u64::from(agents) / old.max(1);
            species.count = share.max(least.min(species.count.into())) as u32;
        }
        let given: u32 = self.species.iter().map(|s| s.count).sum();
        for _ in agents..given {
            if let Some(largest) = self.species.iter_mut().max_by_key(|s| s.count) {
                largest.count -= 1;
            }
        }
        if let Some(first) = self.species.first_mut() {
            first.count += agents.saturating_sub(given);
        }
        if agents > 0 && old > 0 {
            let ratio = f64::from(agents) / old as f64;
            let factor = if self.world.spatial { ratio.cbrt() } else { ratio.sqrt() };
            self.world.size = (self.world.size.as_dvec3() * factor).as_vec3();
            self.camera.center = (self.camera.center.as_dvec3() * factor).as_vec3();
            self.scenery.spread(factor);
        }
    }

    /// The first rule that the scene breaks.
    fn broken_rule(&self) -> Option<Broken> {
        let species = self.species.iter().enumerate();
        self.names_differ()
            .or_else(|| species.clone().find_map(|(i, s)| speeds_agree(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| vehicle::broken_rule(self, s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| self.radii_fit(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| self.field_exists(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| queries_fit(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| self.path_exists(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| self.points_are_planar(s, i)))
            .or_else(|| self.field_fits())
            .or_else(|| species.clone().find_map(|(i, s)| self.ground_exists(s, i)))
            .or_else(|| self.ground_fits())
            .or_else(|| self.scenery.broken_rule(&self.world))
    }

    fn agents_fit(&self) -> Option<Broken> {
        let agents: u64 = self.species.iter().map(|s| u64::from(s.count)).sum();
        // The message is about the most numerous.
        let mut order: Vec<usize> = (0..self.species.len()).rev().collect();
        order.sort_by_key(|index| std::cmp::Reverse(self.species[*index].count));
        let keys = order.into_iter().map(|i| format!("species.{i}.count")).collect();
        (agents > u64::from(MAX_AGENTS)).then(|| Broken {
            keys,
            value: None,
            message: format!("{agents} agents in all; there may be {MAX_AGENTS} (2^30)"),
            hint: None,
        })
    }

    fn names_differ(&self) -> Option<Broken> {
        let same = |i: &usize| self.species[..*i].iter().any(|s| s.name == self.species[*i].name);
        let index = (0..self.species.len()).find(same)?;
        Some(Broken {
            keys: vec![format!("species.{index}.name")],
            value: Some(format!("{:?}", self.species[index].name)),
            message: "another species has this name already".into(),
            hint: None,
        })
    }

    /// With a radius over half a wrapped axis, a neighbor would be seen twice: directly and around the world.
    fn radii_fit(&self, species: &Species, index: usize) -> Option<Broken> {
        let wraps = |axis: &usize| self.world.boundary[*axis] == Boundary::Wrap;
        let axis = (0..3).filter(wraps).min_by(|a, b| self.world.size[*a].total_cmp(&self.world.size[*b]))?;
        let size = self.world.size[axis];
        let too_far = |target| match target {
            Target::Nearest { perception_radius, .. } if perception_radius > size * 0.5 => Some(perception_radius),
            _ => None,
        };
        if let Some(radius) = species.targets().find_map(too_far) {
            return Some(Broken {
                keys: vec![format!("species.{index}.behaviors"), format!("world.size.{axis}"), "world.boundary".into()],
                value: Some(plain(radius)),
                message: format!(
                    "the perception_radius of a target must be at most {} u, half of the wrapped {} axis",
                    plain(size * 0.5),
                    AXES[axis]
                ),
                hint: Some("lower the radius, enlarge the world (more agents), or do not wrap this axis".into()),
            });
        }
        species.described().find_map(|(spec, behavior)| {
            let column = spec.parameters.iter().position(|p| p.name == "perception_radius")?;
            let radius = behavior.parameters[column].number();
            (behavior.enabled && !(0.0..=size * 0.5).contains(&radius)).then(|| Broken {
                keys: vec![
                    format!("species.{index}.behaviors.{}.perception_radius", spec.name),
                    format!("world.size.{axis}"),
                    "world.boundary".into(),
                ],
                value: Some(plain(radius)),
                message: format!(
                    "must be at most {} u, half of the wrapped {} axis (world.size.{axis} = {})",
                    plain(size * 0.5),
                    AXES[axis],
                    plain(size)
                ),
                hint: Some("lower the radius, enlarge the world (more agents), or do not wrap this axis".into()),
            })
        })
    }

    fn field_exists(&self, species: &Species, index: usize) -> Option<Broken> {
        let by_rule =
            species.rules.iter().position(|r| matches!(r.when, Condition::FieldAbove | Condition::FieldBelow));
        let key = if let Some(name) = enabled_that_mentions(species, "field") {
            format!("species.{index}.behaviors.{name}")
        } else if let Some(row) = by_rule {
            format!("species.{index}.rules.{row}.when")
        } else if species.targets().any(|target| target == Target::Field) {
            format!("species.{index}.behaviors")
        } else {
            return None;
        };
        self.field.is_none().then(|| Broken {
            keys: vec![key],
            value: None,
            message: "there is no field to follow".into(),
            hint: Some("add a [field] table, such as source = \"curl_noise\"".into()),
        })
    }

    fn path_exists(&self, species: &Species, index: usize) -> Option<Broken> {
        let follows = |(_, behavior): &(&BehaviorSpec, &Behavior)| {
            behavior.enabled && behavior.parameters.iter().any(|setting| matches!(setting, Setting::Path(_)))
        };
        let (spec, _) = species.described().find(follows)?;
        self.scenery.paths.is_empty().then(|| Broken {
            keys: vec![format!("species.{index}.behaviors.{}", spec.name)],
            value: None,
            message: "there is no path to follow".into(),
            hint: Some("add a [[paths]] table with points = [[0, 0], [10, 0]]".into()),
        })
    }

    /// A point outside of the plane would be a target that no agent of a planar world can head for.
    fn points_are_planar(&self, species: &Species, index: usize) -> Option<Broken> {
        let outside = |setting: &Setting| match setting {
            Setting::Target(Target::Point(place)) => place.z != 0.0,
            _ => false,
        };
        let in_behaviors = species.described().find_map(|(spec, behavior)| {
            let column = behavior.parameters.iter().position(outside)?;
            Some(format!("behaviors.{}.{}", spec.name, spec.parameters[column].name))
        });
        let in_rules = || {
            let row = species.rules.iter().position(|rule| outside(&Setting::Target(rule.target)))?;
            Some(format!("rules.{row}.target"))
        };
        let key = in_behaviors.or_else(in_rules).filter(|_| !self.world.spatial)?;
        Some(Broken {
            keys: vec![format!("species.{index}.{key}"), "world.size".into()],
            value: None,
            message: "a point of a planar world has two numbers".into(),
            hint: Some("leave the third number out, or give world.size three numbers".into()),
        })
    }

    fn ground_exists(&self, species: &Species, index: usize) -> Option<Broken> {
        let looks = enabled_that_mentions(species, "ground")?;
        self.ground.is_none().then(|| Broken {
            keys: vec![format!("species.{index}.behaviors.{looks}")],
            value: None,
            message: "there is no ground to look at".into(),
            hint: Some("add a [ground] table, such as resolution = 64".into()),
        })
    }

    fn ground_fits(&self) -> Option<Broken> {
        let ground = self.ground?;
        let longest = self.world.size.max_element();
        let along = |axis: usize| f64::from(self.world.size[axis] / longest * ground.resolution as f32).max(1.0);
        let cells = along(0) * along(1) * if self.world.spatial { along(2) } else { 1.0 };
        (cells > f64::from(1u32 << 22)).then(|| Broken {
            keys: vec!["ground.resolution".into()],
            value: Some(ground.resolution.to_string()),
            message: format!("{cells:.0} cells of ground; there may be 4194304 (2^22)"),
            hint: Some("lower the resolution".into()),
        })
    }

    fn field_fits(&self) -> Option<Broken> {
        let field = self.field.as_ref()?;
        let formula = !matches!(field.source, FieldSource::Image(_) | FieldSource::Wind(_));
        let nodes = field.formula_nodes(&self.world);
        let total: u64 = nodes.iter().map(|n| u64::from(*n)).product();
        (formula && total > MAX_NODES).then(|| Broken {
            keys: vec!["field.resolution".into()],
            value: Some(field.resolution.to_string()),
            message: format!(
                "{} x {} x {} are {total} nodes; there may be {MAX_NODES} (2^24)",
                nodes[0], nodes[1], nodes[2]
            ),
            hint: Some("lower the resolution".into()),
        })
    }
}

/// A species can look for the nearest agents in two ways at once: each way is one more query.
fn queries_fit(species: &Species, index: usize) -> Option<Broken> {
    let mut queries: Vec<Target> = Vec::new();
    for target in species.targets().filter(|t| matches!(t, Target::Nearest { .. })) {
        if !queries.contains(&target) {
            queries.push(target);
        }
    }
    (queries.len() > MAX_QUERIES).then(|| Broken {
        keys: vec![format!("species.{index}.behaviors")],
        value: None,
        message: format!("{} different targets `nearest`; there may be {MAX_QUERIES}", queries.len()),
        hint: Some("give targets of the same species the same perception_radius and field_of_view".into()),
    })
}

fn speeds_agree(species: &Species, index: usize) -> Option<Broken> {
    let (min, max, start) = (species.min_speed, species.max_speed, species.start_speed());
    let key = |name| format!("species.{index}.{name}");
    let [least, greatest] = [min, max].map(plain);
    if !(0.0..=max).contains(&min) {
        return Some(Broken {
            keys: vec![key("min_speed"), key("max_speed")],
            value: Some(least),
            message: format!("must be at most max_speed = {greatest} u/s"),
            hint: None,
        });
    }
    (!(min..=max).contains(&start)).then(|| Broken {
        keys: vec![key("spawn.speed"), key("min_speed"), key("max_speed")],
        value: Some(plain(start)),
        message: format!("must be between min_speed = {least} and max_speed = {greatest} u/s"),
        hint: None,
    })
}

/// The first enabled behavior whose functions name this buffer.
fn enabled_that_mentions(species: &Species, buffer: &str) -> Option<&'static str> {
    species.described().find(|(spec, behavior)| behavior.enabled && spec.mentions(buffer)).map(|(spec, _)| spec.name)
}
