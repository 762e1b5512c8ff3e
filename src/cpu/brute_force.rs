//! The oracle: the same rules in f64 over all pairs of agents, with its own distance, wrap and field-of-view code.
//!
//! It shares nothing with the grid or the behaviors' twins, so it can find mistakes that both have in common. It leaves
//! out flow fields, walls and coincident pairs.

use crate::cpu::Buffers;
use crate::model::random::STANDSTILL;
use crate::model::{FROZEN, ID_BITS, State, World};
use crate::scene::{Behavior, BehaviorKind, BehaviorSpec, Boundary, Scene, Setting, Species};

/// What one agent perceives, and the acceleration that follows from the neighborhood behaviors.
#[derive(Debug, Clone, Default)]
pub struct Perceived {
    /// Ids that at least one behavior perceives, ascending.
    pub neighbors: Vec<u32>,
    /// Weighted sum of separation, alignment and cohesion in their default forms, u/s².
    pub acceleration: [f64; 3],
    /// Agents at the very same place: separation parts them in a random direction, which the oracle leaves out.
    pub coincident: u32,
    /// Sum of the lengths of everything that was added up, u/s²: the scale of rounding errors.
    pub magnitude: f64,
    /// The smallest distance of any pair from a threshold of radius or angle, relative: the pairs nearest to flipping.
    pub nearest_threshold: f64,
}

/// Which agents a behavior perceives.
struct Rule {
    name: &'static str,
    weight: f64,
    radius: f64,
    half_angle: f64,
    inner_radius: f64,
    species: u32,
}

/// The active neighborhood behaviors of a species.
fn rules(species: &Species) -> Vec<Rule> {
    let looks =
        |(spec, behavior): &(&BehaviorSpec, &Behavior)| spec.kind == BehaviorKind::Neighborhood && behavior.is_active();
    let behaviors = species.described().filter(looks).map(|(spec, behavior)| Rule {
        name: spec.name,
        weight: behavior.weight.into(),
        radius: behavior.number("perception_radius").into(),
        half_angle: f64::from(behavior.number("field_of_view")).to_radians() / 2.0,
        inner_radius: behavior.number("inner_radius").into(),
        species: match behavior.setting("perceives") {
            Setting::Species(Some(mask)) => mask,
            _ => species.perceives,
        },
    });
    behaviors.collect()
}

/// The distance of the k-th nearest agent that a behavior perceives, and its id; none where there are fewer.
fn cut_off(scene: &Scene, state: &State, id: usize, rule: &Rule, heading: [f64; 3]) -> Option<(f64, usize)> {
    let k = scene.species[species_of(scene, id)].k_nearest as usize;
    // Without k, no distance is computed: there may be a million others.
    let last = k.checked_sub(1)?;
    let sees = |other: usize| {
        let d = offset(scene, state.positions[id], state.positions[other]);
        let in_query_mask = (rule.species >> species_of(scene, other)) & 1 == 1;
        (in_query_mask && rule.sees(norm(d), cosine(d, heading))).then_some((norm(d), other))
    };
    let others = (0..state.positions.len()).filter(|&other| other != id && !state.frozen[other]);
    let mut ranked: Vec<(f64, usize)> = others.filter_map(sees).collect();
    ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    ranked.get(last).copied()
}

impl Rule {
    fn all_around(&self) -> bool {
        self.half_angle >= std::f64::consts::PI
    }

    /// Is an agent at this distance, in a direction at this cosine to the heading, within the radius and in view?
    fn sees(&self, distance: f64, cosine: f64) -> bool {
        let in_view = self.all_around() || distance <= self.inner_radius || cosine >= self.half_angle.cos();
        distance <= self.radius && in_view
    }
}

/// The cosine of the angle between a way and a heading; 1 for no way.
fn cosine(d: [f64; 3], heading: [f64; 3]) -> f64 {
    let dot = d[0] * heading[0] + d[1] * heading[1] + d[2] * heading[2];
    if norm(d) > 0.0 { dot / (norm(d) * norm(heading)) } else { 1.0 }
}

fn species_of(scene: &Scene, id: usize) -> usize {
    let mut end = 0;
    for (row, species) in scene.species.iter().enumerate() {
        end += species.count as usize;
        if id < end {
            return row;
        }
    }
    unreachable!("agent {id} is of no species")
}

/// From a to b by the shortest way, in f64.
fn offset(scene: &Scene, a: [f32; 3], b: [f32; 3]) -> [f64; 3] {
    let mut offset = [0.0; 3];
    for axis in 0..if scene.world.spatial { 3 } else { 2 } {
        let d = f64::from(b[axis]) - f64::from(a[axis]);
        let length = f64::from(scene.world.size[axis]);
        offset[axis] = match scene.world.boundary[axis] {
            Boundary::Wrap => d - length * (d / length).round(),
            _ => d,
        };
    }
    offset
}

fn norm(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// What the agent with this id perceives in this state. Frozen agents are not perceived. An agent at rest has no
/// heading here, so with a field of view below 360 degrees it counts as at a threshold.
pub fn perceive(scene: &Scene, state: &State, id: usize) -> Perceived {
    let own = &scene.species[species_of(scene, id)];
    let rules = rules(own);
    let [separation, alignment, cohesion] =
        ["separation", "alignment", "cohesion"].map(|name| rules.iter().position(|rule| rule.name == name));
    let rule = |row: Option<usize>| row.map(|row| &rules[row]);
    let velocity = state.velocities[id].map(f64::from);
    let heading = match state.poses.get(id) {
        Some(pose) if own.vehicle.keeps_pose() => pose.forward.map(f64::from),
        _ => velocity,
    };
    let cut_offs: Vec<_> = rules.iter().map(|rule| cut_off(scene, state, id, rule, heading)).collect();
    let farthest = rules.iter().map(|rule| rule.radius).fold(0.0, f64::max) * (1.0 + 1e-4);
    let mut seen_by = Vec::with_capacity(rules.len());
    let mut result = Perceived { nearest_threshold: f64::INFINITY, ..Default::default() };
    let (mut apart, mut course, mut center) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    let (mut aligned, mut gathered, mut pushes) = (0.0, 0.0, 0.0);
    if norm(heading).powi(2) <= f64::from(STANDSTILL) && !rules.iter().all(Rule::all_around) {
        result.nearest_threshold = 0.0;
    }
    for other in (0..state.positions.len()).filter(|&other| other != id && !state.frozen[other]) {
        let d = offset(scene, state.positions[id], state.positions[other]);
        // Most are too far away to be neighbors.
        if d.iter().any(|d| d.abs() > farthest) {
            continue;
        }
        let distance = norm(d);
        let cosine = cosine(d, heading);
        let their_species = species_of(scene, other);
        let mut sees = |(rule, cut_off): (&Rule, &Option<(f64, usize)>)| {
            if (rule.species >> their_species) & 1 == 0 {
                return false;
            }
            let mut nearest_enough = true;
            if let Some((farthest, last)) = *cut_off {
                nearest_enough = distance <= farthest;
                if other != last && farthest > 0.0 {
                    result.nearest_threshold = result.nearest_threshold.min((distance / farthest - 1.0).abs());
                }
            }
            let radius_gap = (distance / rule.radius - 1.0).abs();
            result.nearest_threshold = result.nearest_threshold.min(radius_gap);
            if !rule.all_around() && distance > 0.0 && distance <= rule.radius {
                let angle_gap = (cosine - rule.half_angle.cos()).abs();
                result.nearest_threshold = result.nearest_threshold.min(angle_gap);
            }
            nearest_enough && rule.sees(distance, cosine)
        };
        seen_by.clear();
        seen_by.extend(rules.iter().zip(&cut_offs).map(&mut sees));
        let seen = [separation, alignment, cohesion].map(|row| row.is_some_and(|row| seen_by[row]));
        result.coincident += u32::from(distance == 0.0);
        // Separation counts offsets below a thousandth of its radius as that long.
        let length = rule(separation).map_or(distance, |rule| distance.max(1e-3 * rule.radius));
        for axis in 0..3 {
            if seen[0] {
                apart[axis] -= d[axis] / (length * length);
            }
            if seen[1] {
                course[axis] += f64::from(state.velocities[other][axis]);
            }
            if seen[2] {
                center[axis] += d[axis];
            }
        }
        if seen[0] {
            pushes += distance / (length * length);
        }
        aligned += f64::from(u8::from(seen[1]));
        gathered += f64::from(u8::from(seen[2]));
        if seen_by.contains(&true) {
            result.neighbors.push(other as u32);
        }
    }
    let tau = match f64::from(own.time_constant) {
        0.0 => f64::from(scene.dt) * f64::from(own.update_every),
        tau => tau,
    };
    let mut add = |axis: usize, value: f64| {
        result.acceleration[axis] += value;
        result.magnitude += value.abs();
    };
    for axis in 0..3 {
        if let Some(rule) = rule(separation) {
            add(axis, rule.weight * apart[axis]);
        }
        if let Some(rule) = rule(alignment)
            && aligned > 0.0
        {
            add(axis, rule.weight * (course[axis] / aligned - velocity[axis]) / tau);
        }
        if let Some(rule) = rule(cohesion)
            && gathered > 0.0
        {
            add(axis, rule.weight * center[axis] / gathered);
        }
    }
    if let Some(rule) = rule(separation) {
        result.magnitude += rule.weight * pushes;
    }
    result
}

/// [`perceive`] for the agent at a sorted index.
pub fn perceive_at(scene: &Scene, world: &World, buffers: &Buffers, sorted_index: usize) -> Option<Perceived> {
    let id = buffers.sorted_id.get(sorted_index)? & ID_BITS;
    Some(perceive(scene, &sorted_state(world, buffers), id as usize))
}

/// The state that the stage `steer` sees, in the order of ids. Agents that are set aside from crowded cells are marked as frozen
/// here, because nobody perceives them either.
pub fn sorted_state(world: &World, buffers: &Buffers) -> State {
    let agents = buffers.sorted_id.len();
    let positions = vec![[0.0; 3]; agents];
    let mut state =
        State { velocities: positions.clone(), positions, frozen: vec![false; agents], poses: buffers.pose.clone() };
    let aside = buffers.cell_start[world.cell_count as usize] as usize;
    for (sorted_index, own_id) in buffers.sorted_id.iter().enumerate() {
        let id = (own_id & ID_BITS) as usize;
        state.positions[id] = buffers.sorted_position[sorted_index];
        state.velocities[id] = buffers.sorted_velocity[sorted_index];
        state.frozen[id] = own_id & FROZEN != 0 || sorted_index >= aside;
    }
    state
}
