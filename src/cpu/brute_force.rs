//! The oracle: the same rules in f64 over all pairs of agents, with its own distance, wrap and field-of-view code.
//!
//! It shares nothing with the grid or the behaviors' twins, so it can find what they have in common and wrong. Flow
//! fields, walls and coincident pairs are not its business.

use crate::cpu::Buffers;
use crate::model::{FROZEN, State};
use crate::scene::{Boundary, Scene};

/// What one agent perceives, and the acceleration that follows from the neighborhood behaviors.
#[derive(Debug, Clone, Default)]
pub struct Perceived {
    /// Ids that at least one behavior perceives, ascending.
    pub neighbors: Vec<u32>,
    /// Weighted sum of separation, alignment and cohesion, u/s².
    pub acceleration: [f64; 3],
    /// Agents at the very same place: separation parts them in a direction that is not the oracle's business.
    pub coincident: u32,
    /// Sum of the lengths of everything that was added up, u/s²: the scale of rounding errors.
    pub magnitude: f64,
    /// The smallest distance of any pair from a threshold of radius or angle, relative: the pairs nearest to flipping.
    pub nearest_threshold: f64,
}

struct Rule {
    weight: f64,
    radius: f64,
    half_angle: f64,
}

fn rule(scene: &Scene, species: usize, name: &str) -> Option<Rule> {
    let species = &scene.species[species];
    let settings = species.behavior(name);
    (settings.enabled && settings.weight != 0.0).then(|| Rule {
        weight: settings.weight.into(),
        radius: species.parameter(name, "perception_radius").into(),
        half_angle: f64::from(species.parameter(name, "field_of_view")).to_radians() / 2.0,
    })
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

/// What the agent with this id perceives in this state. An agent at rest has no heading here and perceives nobody with
/// a field of view below 360 degrees; such states are for other tests.
pub fn perceive(scene: &Scene, state: &State, id: usize) -> Perceived {
    let species = species_of(scene, id);
    let [separation, alignment, cohesion] = ["separation", "alignment", "cohesion"].map(|n| rule(scene, species, n));
    let velocity = state.velocities[id].map(f64::from);
    let mut result = Perceived { nearest_threshold: f64::INFINITY, ..Default::default() };
    let (mut apart, mut course, mut center) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    let (mut aligned, mut gathered, mut pushes) = (0.0, 0.0, 0.0);
    for other in (0..state.positions.len()).filter(|&other| other != id) {
        let d = offset(scene, state.positions[id], state.positions[other]);
        let distance = norm(d);
        let dot = d[0] * velocity[0] + d[1] * velocity[1] + d[2] * velocity[2];
        let cosine = if distance > 0.0 { dot / (distance * norm(velocity)) } else { 1.0 };
        let mut sees = |rule: &Rule| {
            let all_around = rule.half_angle >= std::f64::consts::PI || distance == 0.0;
            let in_radius = distance <= rule.radius;
            let radius_gap = (distance / rule.radius - 1.0).abs();
            let angle_gap =
                if all_around || !in_radius { f64::INFINITY } else { (cosine - rule.half_angle.cos()).abs() };
            result.nearest_threshold = result.nearest_threshold.min(radius_gap).min(angle_gap);
            in_radius && (all_around || cosine >= rule.half_angle.cos())
        };
        let seen = [&separation, &alignment, &cohesion].map(|r| r.as_ref().is_some_and(&mut sees));
        result.coincident += u32::from(distance == 0.0);
        // Separation counts offsets below a thousandth of its radius as that long.
        let length = separation.as_ref().map_or(distance, |rule| distance.max(1e-3 * rule.radius));
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
        if seen.contains(&true) {
            result.neighbors.push(other as u32);
        }
    }
    let tau = match f64::from(scene.species[species].time_constant) {
        0.0 => f64::from(scene.dt),
        tau => tau,
    };
    let mut add = |axis: usize, value: f64| {
        result.acceleration[axis] += value;
        result.magnitude += value.abs();
    };
    for axis in 0..3 {
        if let Some(rule) = &separation {
            add(axis, rule.weight * apart[axis]);
        }
        if let Some(rule) = &alignment
            && aligned > 0.0
        {
            add(axis, rule.weight * (course[axis] / aligned - velocity[axis]) / tau);
        }
        if let Some(rule) = &cohesion
            && gathered > 0.0
        {
            add(axis, rule.weight * center[axis] / gathered);
        }
    }
    if let Some(rule) = &separation {
        result.magnitude += rule.weight * pushes;
    }
    result
}

/// [`perceive`] for the agent at a place of sorted order.
pub fn perceive_at(scene: &Scene, buffers: &Buffers, place: usize) -> Option<Perceived> {
    let id = buffers.sorted_id.get(place)? & !FROZEN;
    let agents = buffers.sorted_id.len();
    let mut state =
        State { positions: vec![[0.0; 3]; agents], velocities: vec![[0.0; 3]; agents], frozen: vec![false; agents] };
    for (place, own_id) in buffers.sorted_id.iter().enumerate() {
        state.positions[(own_id & !FROZEN) as usize] = buffers.sorted_position[place];
        state.velocities[(own_id & !FROZEN) as usize] = buffers.sorted_velocity[place];
    }
    Some(perceive(scene, &state, id as usize))
}
