//! Rules that tie keys together, and the change of a scene's number of agents.

mod scenery;
mod vehicle;

use super::behavior_file::declared;
use super::broken::{Broken, names_differ};
use super::error::{SceneError, plain};
use super::keys::{MAX_AGENTS, MAX_NODES, MAX_QUERIES, MAX_WEIGHT_ROWS, Range};
use super::names::Names;
use super::own::MOST_REMEMBERING;
use super::tables::Table;
use super::trail::MOST_CELLS;
use super::{
    Behavior, BehaviorSpec, Boundary, CombineWithin, Condition, Draft, Need, Scene, Setting, SpawnShape, Species,
    Target,
};
use glam::Vec3;
use std::collections::BTreeMap;

/// Names of the axes.
const AXES: [&str; 3] = ["x", "y", "z"];

impl Draft {
    /// The first rule that the draft breaks. Rules of single values come first, then rules between keys.
    pub(super) fn broken(&mut self) -> Option<Broken> {
        let names = Names::of(self);
        self.agents_fit().or_else(|| Table::check(self, "", &names).err()).or_else(|| self.broken_rule())
    }
}

impl Scene {
    /// This scene with `agents` agents in all. The species keep their shares. The world grows or shrinks so that the density
    /// stays: where all species keep to a surface, that on its area. The scenery, the surface, the map, the camera's center, the
    /// mouse, targets that are points, and parameters with [`Need::Scale`] scale with it; the margin, the radii and the field's
    /// wavelength stay as they are. If there are no agents
    /// before or after, the world stays as it is; if there were none before, all go to the first species.
    ///
    /// # Errors
    /// More than 2^30 agents, or a world that breaks a rule, such as one too small for a perception radius.
    pub fn with_agents(&self, agents: u32) -> Result<Scene, SceneError> {
        let scaled = self.with(|draft| draft.scale_to(agents));
        // This scene is valid, so the fault is due to the number of agents.
        scaled.map_err(|error| SceneError { origin: format!("{} with {agents} agents", error.origin), ..error })
    }

    /// This scene with as many agents as `original`, from which it came by [`Scene::with_agents`] and other changes. Values without
    /// other changes are those of `original`, to the bit: scaled back, they would have rounding errors.
    ///
    /// # Errors
    /// As [`Scene::with_agents`].
    pub fn with_agents_of(&self, original: &Scene) -> Result<Scene, SceneError> {
        let scaled = original.with_agents(self.agent_count())?;
        let back = self.with_agents(original.agent_count())?;
        let mut draft = original.draft();
        self.changed_since(&scaled).iter().for_each(|(key, _)| draft.copy_key(&back, key));
        draft.source.clone_from(&self.source);
        draft.validate()
    }
}

impl BehaviorSpec {
    /// The first table that this behavior needs and the scene lacks, such as `[field]`, with a name for what it describes.
    pub fn lacks(&self, scene: &Draft) -> Option<(&'static str, &'static str)> {
        let follows_path = || self.parameters.iter().any(|parameter| matches!(parameter.range, Range::Path));
        if scene.field.is_none() && self.mentions("field") {
            Some(("[field]", "flow field"))
        } else if scene.ground.is_none() && self.mentions("ground") {
            Some(("[ground]", "ground"))
        } else if scene.scenery.paths.is_empty() && follows_path() {
            Some(("[[paths]]", "path"))
        } else {
            None
        }
    }
}

impl Species {
    /// Set the starting speed to `was`, clamped to the least and the greatest speed.
    pub fn keep_start_speed(&mut self, was: Option<f32>) {
        if self.min_speed <= self.max_speed {
            self.spawn.speed = was.map(|speed| speed.clamp(self.min_speed, self.max_speed));
        }
    }

    /// Multiply the positions among its parameters and targets by `factor`, as when the world is scaled. Perception radii stay.
    fn spread(&mut self, factor: f64) {
        let moved = |place: &mut Vec3| *place = (place.as_dvec3() * factor).as_vec3();
        for behavior in &mut self.behaviors {
            let facts = behavior.spec.needs.iter().filter(|fact| fact.need == Need::Scale);
            let columns: Vec<_> = facts.filter_map(|fact| fact.parameter).collect();
            for (column, setting) in behavior.parameters.iter_mut().enumerate() {
                match setting {
                    Setting::Vector(place) if columns.contains(&column) => moved(place),
                    Setting::Target(Target::Point(point)) => moved(point),
                    _ => {}
                }
            }
        }
        for rule in &mut self.rules {
            if let Target::Point(point) = &mut rule.target {
                moved(point);
            }
        }
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
            // Agents on a surface are spread over its area.
            let on_surface = self.species.iter().all(|species| species.vehicle.hugs_surface);
            let factor = if self.world.spatial && !on_surface { ratio.cbrt() } else { ratio.sqrt() };
            self.world.size = (self.world.size.as_dvec3() * factor).as_vec3();
            for place in [&mut self.camera.center, &mut self.mouse] {
                *place = (place.as_dvec3() * factor).as_vec3();
            }
            self.scenery.spread(factor);
            self.map.iter_mut().for_each(|map| map.spread(factor));
            self.species.iter_mut().for_each(|species| species.spread(factor));
        }
    }

    /// The first rule that the scene breaks.
    fn broken_rule(&self) -> Option<Broken> {
        let species = self.species.iter().enumerate();
        names_differ(self.species.iter().map(|s| &s.name), "species", "species")
            .or_else(|| species.clone().find_map(|(i, s)| speeds_agree(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| vehicle::broken_rule(self, s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| self.radii_fit(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| self.field_exists(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| queries_fit(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| weights_fit(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| priorities_act(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| self.path_exists(s, i)))
            .or_else(|| species.clone().find_map(|(i, s)| self.points_are_planar(s, i)))
            .or_else(|| self.field_fits())
            .or_else(|| species.clone().find_map(|(i, s)| self.ground_exists(s, i)))
            .or_else(|| self.ground_fits())
            .or_else(|| self.deposits_fit())
            .or_else(|| self.own_behaviors_differ())
            .or_else(|| self.memories_fit())
            .or_else(|| self.scenery.broken_rule(&self.world))
            .or_else(|| self.starts_are_open())
            .or_else(|| self.map.as_ref()?.broken_rule())
            .or_else(|| {
                let (message, hint) = super::observables::parse_observe(&self.observe, &self.species).err()?;
                Some(Broken::new("observe", message).value(&self.observe).hint(hint))
            })
    }

    /// Agents start where the map leaves room.
    fn starts_are_open(&self) -> Option<Broken> {
        let walls = self.map.as_ref()?.walls(&self.world, self.seed);
        let open = |s: &Species| {
            walls.open_places(self.world.size * s.spawn.extent, s.spawn.shape == SpawnShape::Ball).next().is_some()
        };
        let closed = |s: &&Species| s.count > 0 && s.spawn.goal.is_none() && !open(s);
        let index = self.species.iter().position(|s| closed(&s))?;
        let message = "the map has nothing but walls where the agents are to start";
        let broken = Broken::new(format!("species.{index}.spawn.extent"), message);
        let hint = "enlarge the region, or leave open ground in the middle of the map";
        Some(broken.value(plain(self.species[index].spawn.extent)).tied(["map.source".to_owned()]).hint(hint))
    }

    fn agents_fit(&self) -> Option<Broken> {
        let agents: u64 = self.species.iter().map(|s| u64::from(s.count)).sum();
        // The error is about the species with the most agents.
        let mut order: Vec<usize> = (0..self.species.len()).rev().collect();
        order.sort_by_key(|index| std::cmp::Reverse(self.species[*index].count));
        let mut keys = order.into_iter().map(|i| format!("species.{i}.count"));
        let message = format!("{agents} agents in all; there may be {MAX_AGENTS} (2^30)");
        (agents > u64::from(MAX_AGENTS)).then(|| Broken::new(keys.next().unwrap_or_default(), message).tied(keys))
    }

    fn shortest_wrapped_axis(&self) -> Option<usize> {
        let wraps = |axis: &usize| self.world.boundary[*axis] == Boundary::Wrap;
        (0..3).filter(wraps).min_by(|a, b| self.world.size[*a].total_cmp(&self.world.size[*b]))
    }

    /// The greatest perception radius that fits into the world, u; infinite where no axis wraps.
    pub fn farthest_radius(&self) -> f32 {
        self.shortest_wrapped_axis().map_or(f32::INFINITY, |axis| self.world.size[axis] * 0.5)
    }

    /// With a radius over half a wrapped axis, a neighbor would be seen twice: directly and around the world.
    fn radii_fit(&self, species: &Species, index: usize) -> Option<Broken> {
        let axis = self.shortest_wrapped_axis()?;
        let (size, half) = (plain(self.world.size[axis]), self.world.size[axis] * 0.5);
        let most = format!("must be at most {} u, half of the wrapped {} axis", plain(half), AXES[axis]);
        let of_targets = species.keys_of_targets().find_map(|(key, target)| match target {
            Target::Nearest { perception_radius: radius, .. } if radius > half => {
                Some((radius, Broken::new(format!("species.{index}.{key}.perception_radius"), most.clone())))
            }
            _ => None,
        });
        let of_behaviors = || {
            species.described().filter(|(_, behavior)| behavior.enabled).find_map(|(spec, behavior)| {
                let column = spec.parameters.iter().position(|p| p.name == "perception_radius")?;
                let radius = behavior.parameters[column].number();
                let key = format!("species.{index}.behaviors.{}.perception_radius", spec.name);
                let message = format!("{most} (world.size.{axis} = {size})");
                (!(0.0..=half).contains(&radius)).then(|| (radius, Broken::new(key, message)))
            })
        };
        let (radius, broken) = of_targets.or_else(of_behaviors)?;
        let hint = "lower the radius, enlarge the world (more agents), or do not wrap this axis";
        let tied = [format!("world.size.{axis}"), "world.boundary".into()];
        Some(broken.value(plain(radius)).tied(tied).hint(hint))
    }

    fn field_exists(&self, species: &Species, index: usize) -> Option<Broken> {
        let by_rule =
            species.rules.iter().position(|r| matches!(r.when, Condition::FieldAbove | Condition::FieldBelow));
        let key = if let Some(name) = enabled_that_mentions(species, "field") {
            format!("species.{index}.behaviors.{name}")
        } else if let Some(row) = by_rule {
            format!("species.{index}.rules.{row}.when")
        } else {
            let (key, _) = species.keys_of_targets().find(|(_, target)| *target == Target::Field)?;
            format!("species.{index}.{key}")
        };
        let hint = "add a [field] table, such as source = \"curl_noise\"";
        self.field.is_none().then(|| Broken::new(key, "there is no field to follow").hint(hint))
    }

    fn path_exists(&self, species: &Species, index: usize) -> Option<Broken> {
        let follows = |(_, behavior): &(&BehaviorSpec, &Behavior)| {
            behavior.enabled && behavior.parameters.iter().any(|setting| matches!(setting, Setting::Path(_)))
        };
        let (spec, _) = species.described().find(follows)?;
        let key = format!("species.{index}.behaviors.{}", spec.name);
        let hint = "add a [[paths]] table with points = [[0, 0], [10, 0]]";
        self.scenery.paths.is_empty().then(|| Broken::new(key, "there is no path to follow").hint(hint))
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
        let broken = Broken::new(format!("species.{index}.{key}"), "a point of a planar world has two numbers");
        let hint = "leave the third number out, or give world.size three numbers";
        Some(broken.tied(["world.size".into()]).hint(hint))
    }

    fn ground_exists(&self, species: &Species, index: usize) -> Option<Broken> {
        let looks = enabled_that_mentions(species, "ground");
        let broken = match looks {
            Some(name) => Broken::new(format!("species.{index}.behaviors.{name}"), "there is no ground to look at"),
            None if species.deposit > 0.0 => {
                let broken = Broken::new(format!("species.{index}.deposit"), "there is no ground to lay it on");
                broken.value(plain(species.deposit))
            }
            None => return None,
        };
        self.ground.is_none().then(|| broken.hint("add a [ground] table, such as resolution = 64"))
    }

    fn ground_fits(&self) -> Option<Broken> {
        let ground = self.ground.as_ref()?;
        let cells = ground.cells(&self.world);
        let count: f64 = cells.iter().map(|cells| f64::from(*cells)).product();
        if count > MOST_CELLS as f64 {
            let message = format!("{count:.0} cells of ground; there may be {MOST_CELLS} (2^22)");
            let broken = Broken::new("ground.resolution", message).value(ground.resolution);
            return Some(broken.hint("lower the resolution"));
        }
        let trail = ground.trail.as_ref().filter(|trail| trail.cells() != cells)?;
        let shape = |[x, y, z]: [u32; 3]| if z == 1 { format!("({y}, {x})") } else { format!("({z}, {y}, {x})") };
        let message =
            format!("has the shape {}, and the ground has cells of the shape {}", shape(trail.cells()), shape(cells));
        let tied = ["ground.resolution", "world.size"].map(str::to_owned);
        Some(Broken::new("ground.trail", message).value(trail.path().display()).tied(tied))
    }

    /// No sum of deposits leaves the range of 32 bits.
    fn deposits_fit(&self) -> Option<Broken> {
        let laid =
            |species: &Species| f64::from(species.count) * (f64::from(species.deposit) * f64::from(self.dt)).ceil();
        let total: f64 = self.species.iter().map(laid).sum();
        let index =
            (0..self.species.len()).max_by(|a, b| laid(&self.species[*a]).total_cmp(&laid(&self.species[*b])))?;
        let message = format!("all agents lay {total:.0} units in one step; there may be 2147483648 (2^31)");
        let broken = Broken::new(format!("species.{index}.deposit"), message).value(plain(self.species[index].deposit));
        let tied = [format!("species.{index}.count"), "dt".to_owned()];
        (total > 2147483648.0).then(|| broken.tied(tied).hint("lower it, or dt"))
    }

    /// No two own behaviors may declare the same name: all are compiled into one module.
    fn own_behaviors_differ(&self) -> Option<Broken> {
        let mut given = BTreeMap::new();
        let own = self.own_behaviors.iter().enumerate().filter_map(|(index, own)| Some((index, own.spec()?)));
        own.flat_map(|(index, spec)| declared(spec.text).into_iter().map(move |(_, name)| (index, spec, name)))
            .find_map(|(index, spec, name)| {
                let (earlier, first) = *given.entry(name).or_insert((index, spec));
                let message = match first.name == spec.name {
                    true => {
                        format!("behavior.{earlier}.file is called `{}` too; rename one of the files", spec.name)
                    }
                    false => format!("`{name}` is declared in {} and in {}; rename one", first.shown, spec.shown),
                };
                (earlier != index).then(|| Broken::new(format!("behavior.{index}.file"), message))
            })
    }

    fn memories_fit(&self) -> Option<Broken> {
        let remembers = |index: &usize| self.own_behaviors[*index].spec().is_some_and(BehaviorSpec::remembers);
        let index = (0..self.own_behaviors.len()).filter(remembers).nth(MOST_REMEMBERING)?;
        let message = format!("at most {MOST_REMEMBERING} behaviors of a scene's own may remember something");
        Some(Broken::new(format!("behavior.{index}.file"), message))
    }

    fn field_fits(&self) -> Option<Broken> {
        let field = self.field.as_ref()?;
        if let Some(broken) = field.times_fault() {
            return Some(broken);
        }
        let formulas = field.sources().filter(|source| source.path().is_none()).count() as u64;
        let [x, y, z] = field.formula_nodes(&self.world);
        let total = formulas * [x, y, z].iter().map(|n| u64::from(*n)).product::<u64>();
        let message = format!("{x} x {y} x {z} are {total} nodes; there may be {MAX_NODES} (2^24)");
        let broken = Broken::new("field.resolution", message).value(field.resolution);
        (total > MAX_NODES).then(|| broken.hint("lower the resolution"))
    }
}

/// A species may have at most four different targets `nearest`: each is one more query.
fn queries_fit(species: &Species, index: usize) -> Option<Broken> {
    let mut queries: Vec<(String, Target)> = Vec::new();
    for (key, target) in species.keys_of_targets().filter(|(_, target)| matches!(target, Target::Nearest { .. })) {
        if queries.iter().all(|(_, known)| *known != target) {
            queries.push((key, target));
        }
    }
    let message = format!("{} different targets `nearest`; there may be {MAX_QUERIES}", queries.len());
    let hint = "give targets of the same species the same perception_radius and field_of_view";
    let (key, _) = queries.get(MAX_QUERIES)?;
    Some(Broken::new(format!("species.{index}.{key}"), message).hint(hint))
}

fn weights_fit(species: &Species, index: usize) -> Option<Broken> {
    let (lists, most) = (species.weight_rows().len() - 1, MAX_WEIGHT_ROWS - 1);
    let message = format!("{lists} different lists of state_weights; there may be {most}");
    let broken = Broken::new(format!("species.{index}.behaviors"), message);
    (lists > most).then(|| broken.hint("give the same list to behaviors that change alike"))
}

/// `combine_within` is about behaviors of equal priority, so it needs a `combine` that has priorities.
fn priorities_act(species: &Species, index: usize) -> Option<Broken> {
    let way = species.combine_within.iter().find(|way| **way != CombineWithin::Weighted)?;
    let (word, combine) = (way.word(), species.combine.word());
    let message = format!("combine = {combine:?} has no priorities");
    let broken = Broken::new(format!("species.{index}.combine_within"), message).value(format!("{word:?}"));
    let hint = "set combine to priority, budget or dithered, or leave this key out";
    (!species.combine.has_priorities()).then(|| broken.tied([format!("species.{index}.combine")]).hint(hint))
}

fn speeds_agree(species: &Species, index: usize) -> Option<Broken> {
    let (min, max, start) = (species.min_speed, species.max_speed, species.start_speed());
    let key = |name| format!("species.{index}.{name}");
    let [least, greatest] = [min, max].map(plain);
    let [slow, fast, start_key] = [key("min_speed"), key("max_speed"), key("spawn.speed")];
    if !(0.0..=max).contains(&min) {
        let message = format!("must be at most max_speed = {greatest} u/s");
        return Some(Broken::new(slow, message).tied([fast]).value(least));
    }
    let message = format!("must be between min_speed = {least} and max_speed = {greatest} u/s");
    let broken = Broken::new(start_key, message).tied([slow, fast]);
    (!(min..=max).contains(&start)).then(|| broken.value(plain(start)))
}

/// The first enabled behavior whose functions name this buffer.
fn enabled_that_mentions(species: &Species, buffer: &str) -> Option<&'static str> {
    species.described().find(|(spec, behavior)| behavior.enabled && spec.mentions(buffer)).map(|(spec, _)| spec.name)
}
