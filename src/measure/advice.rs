//! Advice that follows from the figures of a step: sentences, each with what was counted and, if keys of the scene can change it, these
//! keys.

use super::{Load, SearchLoop};
use crate::gpu::{GpuError, Options};
use crate::model::{CompiledScene, Snapshot};
use crate::scene::{Scene, Setting};
use serde::Serialize;

/// A finding, and what can be done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// What the finding is about.
    pub about: About,
    /// The finding, in a sentence.
    pub text: String,
    /// Keys that change what the finding says, as `--set` takes them; empty if none do.
    pub set: Vec<String>,
}

/// What an advice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// Lanes that wait for others in the same lockstep group.
    Waiting,
    /// The test of the field of view.
    Cones,
    /// One behavior that looks farther than the others.
    Radius,
    /// Most of the step is steering, in every step.
    Steering,
    /// A world that is mostly empty.
    Empty,
    /// Dispatches whose launches take longer than their work.
    Launches,
    /// The bandwidth of the memory.
    Memory,
}

/// The figures that advice follows from.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The state that was counted.
    pub snapshot: &'a Snapshot,
    /// By what `--agents` multiplied the size of the world, after all keys were set; 1 without it.
    pub scaled: f32,
    /// How the simulation is built.
    pub options: &'a Options,
    /// What the search works through.
    pub load: &'a Load,
    /// The instructions that a candidate takes; `None` if agents do not look at neighbors.
    pub search: Option<SearchLoop>,
    /// Lanes of the adapter that run in lockstep.
    pub lanes: u32,
    /// The share of `steer` in the time of a step, if stages are timed.
    pub steer: Option<f64>,
    /// The share of `scan`, likewise.
    pub scan: Option<f64>,
    /// The share of a step that its dispatches alone would take; 0 if that is not known.
    pub launch_share: f64,
    /// The share of a step that a copy of its bytes would take; 0 if that is not known.
    pub memory_share: f64,
}

/// The least share of lane-steps spent waiting at which waiting is reported.
const WAITING: f64 = 0.25;
/// A behavior looks far beyond the others if none of them looks farther than this share of its radius.
const FAR: f32 = 0.8;
/// The suggested `update_every`. Skipping steps adds passes, and this many gain more than these cost: with 2, a planar world with few
/// neighbors became slower.
const RARELY: u32 = 4;
/// The least share of a step at which steering is reported.
const STEERING: f64 = 0.6;
/// A world is mostly empty if the box around its agents has at most this share of its cells.
const EMPTY: f64 = 0.5;
/// The least share of a step at which dispatches or memory are reported.
const WORTH: f64 = 0.3;

impl Facts<'_> {
    /// All advice that follows from the figures.
    ///
    /// # Errors
    /// A scene with changed keys for which nothing can be counted.
    pub fn advice(&self) -> Result<Vec<Advice>, GpuError> {
        let all = [
            self.waiting(),
            self.cones()?,
            self.radius()?,
            self.steering(),
            self.empty()?,
            self.launches(),
            self.memory(),
        ];
        Ok(all.into_iter().flatten().collect())
    }

    fn waiting(&self) -> Option<Advice> {
        let lanes = self.load.of_lanes(self.lanes)?;
        let waiting = lanes.waiting(self.load.tests.mean);
        let text = format!(
            "{:.0} % of the lane-steps wait for lanes with longer ranges ({} lanes in step): {:.1} instead of {:.1} \
             tests per agent, or {:.1} if each agent had its own list",
            waiting * 100.0,
            lanes.lanes,
            lanes.walk,
            self.load.tests.mean,
            lanes.flat
        );
        (waiting >= WAITING).then_some(Advice { about: About::Waiting, text, set: Vec::new() })
    }

    fn cones(&self) -> Result<Option<Advice>, GpuError> {
        let Some(search) = self.search else { return Ok(None) };
        let narrow = |setting: &Setting| matches!(setting, Setting::Number(degrees) if *degrees < 360.0);
        let set = self.keys("field_of_view", narrow, "360");
        let Some(wide) = self.changed(&set).map(|scene| self.instructions(&scene)).transpose()?.flatten() else {
            return Ok(None);
        };
        let (now, then) = (search.test + search.hit, wide.test + wide.hit);
        let text = format!(
            "cones: {} of the {now} instructions of a neighbor test check the field of view; field_of_view = 360 \
             removes them",
            now.saturating_sub(then)
        );
        Ok((then < now).then_some(Advice { about: About::Cones, text, set }))
    }

    /// Advice if, in the species with the most agents, one behavior alone looks far.
    fn radius(&self) -> Result<Option<Advice>, GpuError> {
        let (index, species) = match self.scene.species.iter().enumerate().max_by_key(|(_, species)| species.count) {
            Some(found) if self.load.lookers > 0 => found,
            _ => return Ok(None),
        };
        let mut radii: Vec<(&str, f32)> = Vec::new();
        for (spec, behavior) in species.described().filter(|(_, behavior)| behavior.is_active()) {
            let parameters = spec.parameters.iter().zip(&behavior.parameters);
            let radius =
                parameters.filter(|(parameter, _)| parameter.name == "perception_radius").map(|(_, s)| s.number());
            radii.extend(radius.map(|radius| (spec.name, radius)));
        }
        radii.sort_by(|a, b| b.1.total_cmp(&a.1));
        let [(name, far), (_, near), ..] = radii[..] else { return Ok(None) };
        if near > far * FAR || near <= 0.0 {
            return Ok(None);
        }
        let set = vec![format!("species.{index}.behaviors.{name}.perception_radius={near}")];
        let Some(scene) = self.changed(&set) else { return Ok(None) };
        let (now, then) = (self.load.tests.mean, Load::count(&scene, self.snapshot)?.tests.mean);
        let text = format!(
            "{name} looks {far} u far, but no other behavior of {} beyond {near} u: with that radius an agent would \
             test {then:.1} candidates instead of {now:.1}",
            species.name
        );
        Ok((then < now).then_some(Advice { about: About::Radius, text, set }))
    }

    fn steering(&self) -> Option<Advice> {
        let share = self.steer.filter(|share| *share >= STEERING)?;
        let often = |(_, species): &(usize, &crate::scene::Species)| species.update_every == 1;
        let most = self.scene.species.iter().enumerate().filter(often).max_by_key(|(_, species)| species.count);
        let (index, species) = most.filter(|(_, species)| species.count > 0)?;
        let text = format!(
            "the pass that steers is {:.0} % of the step: with update_every = {RARELY} a quarter of {} would steer in each step, and \
             the others would hold their steering; agents that skip steps are steered in a separate pass, which costs \
             a part of the gain",
            share * 100.0,
            species.name
        );
        Some(Advice { about: About::Steering, text, set: vec![format!("species.{index}.update_every={RARELY}")] })
    }

    fn empty(&self) -> Result<Option<Advice>, GpuError> {
        let axes = self.scene.world.axes();
        let state = self.snapshot.state();
        let radius = self.scene.perception_radius();
        let living = state.positions.iter().zip(&state.frozen).filter(|(_, frozen)| !**frozen).map(|(at, _)| at);
        let size: Vec<f32> = (0..axes)
            .map(|axis| {
                let farthest = living.clone().map(|at| at[axis].abs()).fold(0.0, f32::max);
                // Room for all agents to look around, but not more than the world has now.
                (2.0 * (farthest + radius + self.scene.world.margin)).ceil().min(self.scene.world.size[axis])
            })
            .collect();
        let Some(scene) = self.changed(&[format!("world.size={size:?}")]) else { return Ok(None) };
        let unscaled: Vec<f32> = size.iter().map(|extent| extent / self.scaled).collect();
        let set = vec![format!("world.size={unscaled:?}")];
        let cells = |scene: &Scene| Ok::<_, GpuError>(CompiledScene::new(scene, self.options.grid)?.world.cell_count);
        // A scene with a map may need a larger world than its agents do, and is refused then.
        let (now, Ok(then)) = (cells(self.scene)?, cells(&scene)) else { return Ok(None) };
        let scan = self.scan.map_or(String::new(), |share| format!("scan is {:.0} % of the step: ", share * 100.0));
        let text = format!(
            "{scan}{:.0} % of {now} cells are empty; a world of {size:?} u would hold all agents where they are now, \
             in {then} cells",
            self.load.empty_cells() * 100.0
        );
        Ok((f64::from(then) <= f64::from(now) * EMPTY).then_some(Advice { about: About::Empty, text, set }))
    }

    fn launches(&self) -> Option<Advice> {
        // The rest of a step grows with the number of agents, the time of dispatches does not: at 10 % dispatches, the rest is 9 times
        // theirs.
        let share = self.launch_share.min(0.99);
        let agents = f64::from(self.scene.agent_count()) * share / (1.0 - share) * 9.0;
        let text = format!(
            "dispatches alone take {:.0} % of the step: with {:.0} agents it would be 10 %",
            share * 100.0,
            agents.ceil()
        );
        (share >= WORTH).then_some(Advice { about: About::Launches, text, set: Vec::new() })
    }

    fn memory(&self) -> Option<Advice> {
        let share = self.memory_share.min(1.0);
        let text = format!(
            "copying the bytes that the step moves would take {:.0} % of its time: no faster search can save that part",
            share * 100.0
        );
        (share >= WORTH).then_some(Advice { about: About::Memory, text, set: Vec::new() })
    }

    /// For every active behavior with this key whose value meets the condition: a setting of the key to `value`.
    fn keys(&self, key: &str, such: impl Fn(&Setting) -> bool, value: &str) -> Vec<String> {
        let mut set = Vec::new();
        for (index, species) in self.scene.species.iter().enumerate() {
            for (spec, behavior) in species.described().filter(|(_, behavior)| behavior.is_active()) {
                let mut parameters = spec.parameters.iter().zip(&behavior.parameters);
                if parameters.any(|(parameter, setting)| parameter.name == key && such(setting)) {
                    set.push(format!("species.{index}.behaviors.{}.{key}={value}", spec.name));
                }
            }
        }
        set
    }

    /// The scene with these keys set and the same number of agents; `None` if there is nothing to set, or if the scene would not be valid.
    fn changed(&self, set: &[String]) -> Option<Scene> {
        let source = &self.scene.source;
        let mut overrides = source.overrides.clone();
        for text in set {
            overrides.push(text.parse().ok()?);
        }
        let scene = Scene::parse(&source.text, &source.origin, &overrides).ok().filter(|_| !set.is_empty())?;
        let counts = self.scene.species.iter().map(|species| species.count).collect::<Vec<_>>();
        let size = if set.iter().any(|text| text.starts_with("world.size")) { &scene } else { self.scene }.world.size;
        // `with_agents` scales the world and what lies in it with the number of agents; then counts and size are set exactly.
        let scene = scene.with_agents(self.scene.agent_count()).ok()?.with(|draft| {
            draft.species.iter_mut().zip(&counts).for_each(|(species, count)| species.count = *count);
            draft.world.size = size;
        });
        scene.ok()
    }

    fn instructions(&self, scene: &Scene) -> Result<Option<SearchLoop>, GpuError> {
        let model = CompiledScene::new(scene, self.options.grid).map_err(GpuError::from)?;
        SearchLoop::count(&model, self.options)
    }
}
