//! The oracle: who perceives whom, in f64 over all pairs of agents, with its own distance, wrap and field-of-view code.
//!
//! It shares nothing with the grid or the behaviors' twins, so it can find mistakes that both have in common.

use crate::cpu::Buffers;
use crate::model::random::STANDSTILL;
use crate::model::scenery::{Obstacle, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_SPHERE};
use crate::model::{CompiledScene, FROZEN, ID_BITS, State, World};
use crate::scene::{Behavior, BehaviorKind, BehaviorSpec, Boundary, Scene, Setting, Species, Walls};
use glam::{DQuat, DVec3};

/// What one agent perceives.
#[derive(Debug, Clone, Default)]
pub struct Perceived {
    /// Ids that at least one behavior perceives, ascending.
    pub neighbors: Vec<u32>,
    /// How near any pair comes to a threshold of radius, angle, rank or line of sight, as a relative difference. If it is below rounding
    /// errors, which agents are perceived is undecided.
    pub nearest_threshold: f64,
}

/// What may hide agents from each other. Nothing does by default.
#[derive(Debug, Clone, Copy, Default)]
pub struct Screens<'a> {
    /// The obstacles, where they are in this step.
    pub obstacles: &'a [Obstacle],
    /// The walls of the map.
    pub walls: Option<&'a Walls>,
}

impl<'a> Screens<'a> {
    /// What blocks lines of sight in a scene, at its present step.
    pub fn of(model: &'a CompiledScene) -> Screens<'a> {
        Screens { obstacles: &model.obstacles, walls: model.walls.as_deref() }
    }

    /// The least clearance along the line `way` that begins at `from`, u; negative if something hides its end. Along a line the distance
    /// to a convex shape is a convex function: a ternary search finds its minimum, and its maximum is at an end.
    fn clearance(&self, scene: &Scene, from: [f32; 3], way: [f64; 3]) -> f64 {
        let (mut least, length) = (f64::INFINITY, norm(way));
        if length <= 1e-6 {
            return least;
        }
        for obstacle in self.obstacles {
            let start = offset(scene, obstacle.center, from);
            if norm(start) > 1.001 * f64::from(obstacle.bound) + length + 1.0 {
                continue;
            }
            let distance = |share: f64| distance_to(obstacle, [0, 1, 2].map(|axis| start[axis] + share * way[axis]));
            let (first, last) = (distance(0.0), distance(1.0));
            let within = obstacle.seen_from == 1 || (obstacle.seen_from == 2 && first < 0.0);
            least = least.min(if within { -first.max(last) } else { lowest(distance) });
        }
        if let Some(walls) = self.walls {
            let cell = f64::from(walls.cell);
            let from = from.map(f64::from);
            let half = [walls.columns, walls.rows].map(|count| f64::from(count) / 2.0);
            let start = [half[0] + from[0] / cell, half[1] - from[1] / cell];
            let way = [way[0] / cell, -way[1] / cell];
            let cells = |axis: usize| {
                let ends = [start[axis], start[axis] + way[axis]];
                ends[0].min(ends[1]).floor() as i32 - 1..=ends[0].max(ends[1]).floor() as i32 + 1
            };
            for row in cells(1) {
                for column in cells(0).filter(|column| walls.is_solid(*column, row)) {
                    let middle = [f64::from(column) + 0.5, f64::from(row) + 0.5];
                    let distance = |share: f64| {
                        let [x, y] = [0, 1].map(|axis| (start[axis] + share * way[axis] - middle[axis]).abs() - 0.5);
                        x.max(0.0).hypot(y.max(0.0)) + x.max(y).min(0.0)
                    };
                    least = least.min(cell * lowest(distance));
                }
            }
        }
        least
    }
}

/// Distance of a point, given relative to the obstacle's center, from the obstacle's surface, u; negative inside.
fn distance_to(obstacle: &Obstacle, at: [f64; 3]) -> f64 {
    let mut at = DVec3::from_array(at);
    if obstacle.turned != 0 {
        let [x, y, z, w] = obstacle.turn.map(f64::from);
        at = DQuat::from_xyzw(x, y, z, w).normalize().inverse() * at;
    }
    let size = DVec3::from_array(obstacle.size.map(f64::from));
    match obstacle.shape {
        SHAPE_SPHERE => at.length() - size.x,
        SHAPE_BOX => {
            let beyond = at.abs() - size;
            beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
        }
        SHAPE_CAPSULE => (at - DVec3::X * at.x.clamp(-size.x, size.x)).length() - size.y,
        _ => at.dot(size),
    }
}

/// The minimum of a convex function on [0, 1], by ternary search.
fn lowest(of: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..80 {
        let third = (high - low) / 3.0;
        if of(low + third) < of(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    of(0.0).min(of(1.0)).min(of(0.5 * (low + high)))
}

/// Which agents a behavior perceives.
struct Rule {
    radius: f64,
    half_angle: f64,
    inner_radius: f64,
    species: u32,
}

/// The active neighborhood behaviors of a species.
fn rules(species: &Species) -> Vec<Rule> {
    let looks =
        |(spec, behavior): &(&BehaviorSpec, &Behavior)| spec.kind == BehaviorKind::Neighborhood && behavior.is_active();
    let behaviors = species.described().filter(looks).map(|(_, behavior)| Rule {
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

/// Distance and id of the k-th nearest agent that a behavior perceives; `None` if there are fewer, or the species has no k.
fn cut_off(
    scene: &Scene,
    screens: &Screens<'_>,
    state: &State,
    id: usize,
    rule: &Rule,
    heading: [f64; 3],
) -> Option<(f64, usize)> {
    let own = &scene.species[species_of(scene, id)];
    // Without k, return before any distance is computed: there may be a million others.
    let last = (own.k_nearest as usize).checked_sub(1)?;
    let sees = |other: usize| {
        let d = offset(scene, state.positions[id], state.positions[other]);
        let in_query_mask = (rule.species >> species_of(scene, other)) & 1 == 1;
        let hidden = || own.line_of_sight && screens.clearance(scene, state.positions[id], d) < 0.0;
        (in_query_mask && rule.sees(norm(d), cosine(d, heading)) && !hidden()).then_some((norm(d), other))
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
    for axis in 0..scene.world.axes() {
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

/// A line of sight this near to a surface, relative to the numbers that it is computed from, counts as at a threshold.
const GRAZING: f64 = 1e-5;
/// The value of `nearest_threshold` to which that corresponds. A pair this near to a radius or an angle, relative, may fall on either side
/// by rounding in f32, so `verify::oracle` skips agents up to it.
pub const AT_THRESHOLD: f64 = 4e-6;

/// What the agent with this id perceives in this state. Frozen agents are not perceived. An agent at rest has no
/// heading here, so with a field of view below 360 degrees it counts as at a threshold.
///
/// # Panics
/// An id that the scene or the state does not have.
pub fn perceive(scene: &Scene, screens: &Screens<'_>, state: &State, id: usize) -> Perceived {
    let own = &scene.species[species_of(scene, id)];
    let rules = rules(own);
    let heading = match state.poses.get(id) {
        Some(pose) if own.vehicle.keeps_pose() => pose.forward.map(f64::from),
        _ => state.velocities[id].map(f64::from),
    };
    let cut_offs: Vec<_> = rules.iter().map(|rule| cut_off(scene, screens, state, id, rule, heading)).collect();
    let farthest = rules.iter().map(|rule| rule.radius).fold(0.0, f64::max) * (1.0 + 1e-4);
    let mut result = Perceived { nearest_threshold: f64::INFINITY, ..Default::default() };
    if norm(heading).powi(2) <= f64::from(STANDSTILL) && !rules.iter().all(Rule::all_around) {
        result.nearest_threshold = 0.0;
    }
    for other in (0..state.positions.len()).filter(|&other| other != id && !state.frozen[other]) {
        let d = offset(scene, state.positions[id], state.positions[other]);
        // Most other agents are too far away to be neighbors.
        if d.iter().any(|d| d.abs() > farthest) {
            continue;
        }
        let distance = norm(d);
        let cosine = cosine(d, heading);
        let their_species = species_of(scene, other);
        let mut hidden = false;
        if own.line_of_sight && distance <= farthest {
            let clearance = screens.clearance(scene, state.positions[id], d);
            let places = [id, other].map(|agent| norm(state.positions[agent].map(f64::from)));
            let scale = distance + places[0] + places[1] + f64::from(scene.world.size.max_element());
            hidden = clearance < 0.0;
            let gap = clearance.abs() / scale * (AT_THRESHOLD / GRAZING);
            result.nearest_threshold = result.nearest_threshold.min(gap);
        }
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
            nearest_enough && !hidden && rule.sees(distance, cosine)
        };
        // Each rule is asked, because each may be near to a threshold.
        let seen_by = rules.iter().zip(&cut_offs).filter(|rule| sees(*rule)).count();
        if seen_by > 0 {
            result.neighbors.push(other as u32);
        }
    }
    result
}

/// [`perceive`] for the agent at a sorted index.
pub fn perceive_at(scene: &Scene, model: &CompiledScene, buffers: &Buffers, sorted_index: usize) -> Option<Perceived> {
    let id = buffers.sorted_id.get(sorted_index)? & ID_BITS;
    Some(perceive(scene, &Screens::of(model), &sorted_state(&model.world, buffers), id as usize))
}

/// The state that the stage `steer` sees, in the order of ids. Agents that are set aside from crowded cells are marked as frozen
/// here, because no agent perceives them either.
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
