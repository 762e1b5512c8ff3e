//! The rows of species, as shaders read them.

use super::away::{NO_EXIT, entry_interval};
use super::blocks::*;
use super::cells::radius_within;
use super::ways::SEVERAL_PLACES;
use crate::scene::{self, BEHAVIORS, Scene, Setting, Stored};
use bytemuck::Zeroable;
use glam::Vec3;

impl Species {
    /// Does this species have queries: targets that are the nearest agent of a species?
    pub fn has_queries(&self) -> bool {
        self.queries[0].radius_squared >= 0.0
    }
}

/// The rows of all species, and the parameter words of the scene's own behaviors, species by species. Writes into `world` which species and
/// ids have queries.
pub(super) fn species_rows(scene: &Scene, world: &mut World) -> (Vec<Species>, Vec<Vec<Vec<u32>>>) {
    let (mut first_id, mut querying_agents) = (0u32, 0u32);
    let (mut rows, mut own_blocks) = (Vec::new(), Vec::new());
    for species in &scene.species {
        let (row, own) = species_row(scene, species, first_id);
        let row = Species { query_row: querying_agents.wrapping_sub(first_id), ..row };
        own_blocks.push(own);
        if row.has_queries() && row.count > 0 {
            world.query_mask |= 1 << rows.len();
            world.first_querying = if querying_agents == 0 { first_id } else { world.first_querying };
            world.querying_ids = first_id + row.count - world.first_querying;
            querying_agents += row.count;
        }
        first_id += row.count;
        rows.push(row);
    }
    (rows, own_blocks)
}

/// The row of a species, and its parameter words of the scene's own behaviors.
fn species_row(scene: &Scene, species: &scene::Species, first_id: u32) -> (Species, Vec<Vec<u32>>) {
    let weight_rows = species.weight_rows();
    let mut writer =
        Writer { scene, species, weight_rows: &weight_rows, queries: Vec::new(), behaviors: 0, words: Vec::new() };
    for (spec, behavior) in species.described().take(BEHAVIORS.len()) {
        writer.behavior(spec, behavior);
    }
    let built_in = std::mem::take(&mut writer.words);
    let own = species.described().skip(BEHAVIORS.len()).map(|(spec, behavior)| {
        writer.behavior(spec, behavior);
        std::mem::take(&mut writer.words)
    });
    let own = own.collect();
    let mut actions = [Transition::zeroed(); 16];
    for (row, rule) in actions.iter_mut().zip(&species.rules) {
        *row = Transition {
            from_states: rule.from,
            to: rule.to,
            when: rule.when as u32,
            than: rule.than,
            unloads: rule.unloads.into(),
            toward: writer.target(rule.target),
        };
    }
    let nobody = Vision { radius_squared: -1.0, cosine: 2.0, inner_squared: -1.0, species: 0 };
    let query = |index: usize| writer.queries.get(index).copied().unwrap_or(nobody);
    let mut state_weights = [1.0; 256];
    state_weights.iter_mut().zip(weight_rows.iter().flatten()).for_each(|(to, factor)| *to = *factor);
    let mut weight_spreads = [0.0; 64];
    for (spread, behavior) in weight_spreads.iter_mut().zip(&species.behaviors).filter(|(_, b)| b.is_active()) {
        *spread = behavior.weight_spread;
    }
    let row = Species {
        first_id,
        count: species.count,
        mass: species.mass,
        max_speed: species.max_speed,
        min_speed: species.min_speed,
        max_force: species.max_force,
        // 0 stands for the shortest time constant: the time for which steering is held. Below a millionth of a step a
        // shorter one makes no difference, and quotients by it would leave the range of floats.
        time_constant: match species.time_constant {
            0.0 => scene.dt * species.update_every as f32,
            time => time.max(1e-6 * scene.dt),
        },
        radius: species.radius,
        collides: species.collide.into(),
        perception_radius: radius_within(scene, species.neighborhood_radius()),
        k_nearest: species.k_nearest,
        combine: species.combine as u32,
        combine_within: species.combine_within.iter().rev().fold(0, |words, way| words << 4 | *way as u32),
        update_every: species.update_every,
        transition_count: species.rules.len() as u32,
        smoothing: smoothing(scene, species),
        query_row: 0,
        dither: species.dither,
        speed_spread: species.variation.max_speed,
        force_spread: species.variation.max_force,
        mass_spread: species.variation.mass,
        radius_spread: species.variation.radius,
        angular_spread: f64::from(species.variation.max_angular_speed).to_radians() as f32,
        least_spread: species.variation.min_speed,
        time_spread: species.variation.time_constant,
        normal: u32::from(species.variation.distribution == scene::Distribution::Normal),
        state_speeds: species.state_speeds,
        state_forces: species.state_forces,
        state_weights,
        weight_spreads,
        // The square of a smaller number leaves the range of floats.
        silence: species.silence.max(1e-15),
        deposit: super::ground::per_step(species.deposit, scene.dt),
        deposit_states: species.deposit_states,
        exit: species.leaves.unwrap_or(NO_EXIT),
        entry_interval: entry_interval(species, scene.dt),
        line_of_sight: species.line_of_sight.into(),
        queries: [0, 1, 2, 3].map(query),
        actions,
        behaviors: *bytemuck::from_bytes(bytemuck::cast_slice(&built_in)),
        vehicle: Vehicle::new(species, scene.dt),
    };
    (row, own)
}

/// The share that a low-pass filter takes of each new value, so that its step response is 1 - exp(-t/T) at any dt.
fn smoothing(scene: &Scene, species: &scene::Species) -> f32 {
    let time = f64::from(scene.dt) * f64::from(species.update_every);
    if species.smoothing_time > 0.0 { -(-time / f64::from(species.smoothing_time)).exp_m1() as f32 } else { 1.0 }
}

/// Writes the parameters of behaviors as the words that shaders read, in the order of the registry.
struct Writer<'a> {
    scene: &'a Scene,
    species: &'a scene::Species,
    weight_rows: &'a [[f32; 32]],
    queries: Vec<Vision>,
    /// Behaviors written so far.
    behaviors: u32,
    words: Vec<u32>,
}

impl Writer<'_> {
    fn behavior(&mut self, spec: &scene::BehaviorSpec, behavior: &scene::Behavior) {
        let weight = if behavior.enabled { behavior.weight } else { 0.0 };
        let row = self.weight_rows.iter().position(|row| *row == behavior.state_weights);
        let scene::Behavior { floor, states, jitter, limit, .. } = *behavior;
        // Without ranks the word is the priority alone: shaders then use it as an index unmasked.
        let rank = if self.species.way_within(behavior) == scene::CombineWithin::First { behavior.rank } else { 0 };
        let priority = behavior.priority | rank << 3;
        // `weight_rows` has no row for the factors of an inactive behavior.
        let rows = row.unwrap_or(0) as u32 | self.behaviors << 16;
        let rule = Rule { weight, floor, priority, states, rows, jitter, limit };
        self.behaviors += 1;
        self.words.extend_from_slice(bytemuck::cast_slice(&[rule]));
        for (parameter, setting) in spec.parameters.iter().zip(&behavior.parameters) {
            match *setting {
                Setting::Number(number) => {
                    let word = self.number(parameter, number, behavior.is_active());
                    self.words.push(word);
                }
                Setting::Vector(vector) => {
                    // A planar world has no third coordinate, whatever is written there.
                    let z = if self.scene.world.spatial { vector.z } else { 0.0 };
                    self.words.extend([vector.x, vector.y, z].map(f32::to_bits));
                }
                Setting::Target(target) => {
                    // An inactive behavior must not use up one of the few queries of its species.
                    let idle = scene::Target::Point(Vec3::ZERO);
                    let target = self.target(if behavior.is_active() { target } else { idle });
                    self.words.extend_from_slice(bytemuck::cast_slice(&[target]));
                }
                Setting::Species(mask) => self.words.push(mask.unwrap_or(self.species.perceives)),
                Setting::Path(index) => self.words.push(index),
            }
        }
    }

    fn number(&self, parameter: &scene::Parameter, number: f32, acts: bool) -> u32 {
        match (&parameter.range, parameter.stored) {
            (scene::Range::Choice(_) | scene::Range::Whole { .. }, _) => number as u32,
            // Another species may use the behavior; this one perceives no neighbors with it.
            (_, Stored::RadiusSquared) if !acts => (-1f32).to_bits(),
            (_, Stored::HalfCosine) if !acts => 2f32.to_bits(),
            (_, Stored::RadiusSquared) => radius_squared(self.scene, number).to_bits(),
            (_, Stored::HalfCosine) => half_cosine(number).to_bits(),
            (_, Stored::Radians) => (f64::from(number).to_radians() as f32).to_bits(),
            (_, Stored::Plain) => number.to_bits(),
        }
    }

    fn target(&mut self, target: scene::Target) -> Target {
        let mut prediction_time = 0.0;
        let (kind, index, point) = match target {
            scene::Target::Point(point) => (0, 0, point),
            scene::Target::Agent(id) => (1, id, Vec3::ZERO),
            scene::Target::Nearest { species, perception_radius, field_of_view } => {
                let query = Vision {
                    radius_squared: radius_squared(self.scene, perception_radius),
                    cosine: half_cosine(field_of_view),
                    inner_squared: -1.0,
                    species,
                };
                let known = self.queries.iter().position(|q| *q == query);
                let index = known.unwrap_or_else(|| {
                    self.queries.push(query);
                    self.queries.len() - 1
                });
                (2, index as u32, Vec3::ZERO)
            }
            scene::Target::Leader(species) => (3, species, Vec3::ZERO),
            scene::Target::Path(path) => (4, path, Vec3::ZERO),
            scene::Target::Field => (5, 0, Vec3::ZERO),
            scene::Target::Mouse => (6, 0, Vec3::ZERO),
            scene::Target::Trajectory(index) => (7, index, Vec3::ZERO),
            scene::Target::Goal { index, prediction_time: ahead } => {
                prediction_time = ahead;
                let mut goals = self.scene.map.iter().flat_map(|map| &map.goals);
                let goal = goals.nth(index as usize);
                let several = if goal.is_some_and(|goal| !goal.also.is_empty()) { SEVERAL_PLACES } else { 0 };
                (8, index | several, goal.map_or(Vec3::ZERO, |goal| goal.place))
            }
        };
        Target { kind, index, point: point.to_array(), prediction_time }
    }
}

fn radius_squared(scene: &Scene, radius: f32) -> f32 {
    let radius = radius_within(scene, radius);
    radius * radius
}

/// The cosine of half of a full angle; -2 for 360 degrees, so that rounding never hides a neighbor dead behind.
fn half_cosine(full: f32) -> f32 {
    if full >= 360.0 { -2.0 } else { (f64::from(full) / 2.0).to_radians().cos() as f32 }
}
