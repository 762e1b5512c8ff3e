//! Obstacles, paths and the surface as shaders read them: the build script writes the structs from
//! `shaders/common/scenery.wgsl`.

use super::Block;
use super::turn::quaternion_of;
pub use crate::constants::{FAR_AWAY, NO_TRAJECTORY, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_PLANE, SHAPE_SPHERE, TOUCHING};
use crate::scene::{self, ObstacleShape, Scene, SeenFrom};
use bytemuck::{Pod, Zeroable};
use glam::{BVec4, DVec4, Vec3};

/// Half extent of a box along z in a planar world, so large that its faces across z are never the nearest.
const ENDLESS: f32 = 1e9;

include!(concat!(env!("OUT_DIR"), "/scenery.rs"));

impl Scenery {
    /// The scenery of a scene as a parameter block, as it is at the start, a row for each of its obstacles, and the pieces of its
    /// trajectories.
    pub fn of(scene: &Scene, placed: &[scene::Obstacle]) -> (Scenery, Vec<Obstacle>, Vec<Piece>) {
        let mut block = Scenery::zeroed();
        let spatial = scene.world.spatial;
        let row = |obstacle: &scene::Obstacle| {
            let along = obstacle.trajectory.and_then(|index| scene.scenery.trajectories.get(index as usize));
            let turns = along.is_some_and(|along| along.turns.iter().any(|angle| *angle != 0.0));
            let row = obstacle_row(obstacle, spatial);
            Obstacle { turned: row.turned | u32::from(turns), ..row }
        };
        let obstacles: Vec<_> = placed.iter().map(row).collect();
        block.obstacle_count = obstacles.len() as u32;
        if let Some(few) = block.obstacles.get_mut(..obstacles.len()) {
            few.copy_from_slice(&obstacles);
        }
        let mut pieces = Vec::new();
        let mut rows = block.trajectories.iter_mut();
        for (trajectory, row) in scene.scenery.trajectories.iter().zip(&mut rows) {
            let value = |(k, point): (usize, &Vec3)| point.as_dvec3().extend(full_turns(&trajectory.turns, k));
            let values = trajectory.points.iter().enumerate().map(value).collect();
            let (times, repeat, smooth) = (&trajectory.times, trajectory.repeat, BVec4::splat(trajectory.smooth));
            *row = Keys { times, values, repeat, smooth }.row(scene.dt, &mut pieces);
            block.trajectory_count += 1;
        }
        block.flow = Flow { trajectory: NO_TRAJECTORY, record_count: 1, factor: 1.0, cosine: 1.0, ..Flow::zeroed() };
        if let Some(field) = scene.field.as_ref().filter(|field| field.changes())
            && let Some(row) = rows.next()
        {
            let value = |k: usize| {
                let record = if field.later.is_empty() { 0.0 } else { k as f64 };
                let factor = field.factors.get(k).map_or(1.0, |factor| f64::from(*factor));
                DVec4::new(record, factor, 0.0, full_turns(&field.turns, k))
            };
            let values = (0..field.times.len()).map(value).collect();
            // The record, in x, always changes linearly from source to source.
            let smooth = BVec4::splat(field.smooth) & BVec4::new(false, true, true, true);
            let (times, repeat) = (&field.times, field.repeat);
            *row = Keys { times, values, repeat, smooth }.row(scene.dt, &mut pieces);
            block.flow.trajectory = block.trajectory_count;
            block.flow.record_count = 1 + field.later.len() as u32;
            block.trajectory_count += 1;
        }
        let mut free: &mut [[f32; 4]] = &mut block.points;
        let mut first_point: u32 = 0;
        for (row, path) in block.paths.iter_mut().zip(&scene.scenery.paths) {
            let stored = path.stored(&scene.world);
            let points = path_points(&stored);
            for (segment, (_, radius)) in stored.iter().skip(1).enumerate() {
                let at = first_point as usize + segment;
                block.segment_radii[at / 4][at % 4] = *radius;
            }
            let (own, rest) = free.split_at_mut(points.len());
            own.copy_from_slice(&points);
            free = rest;
            *row = Path {
                first_point,
                segments: points.len() as u32 - 1,
                closed: u32::from(path.closed),
                radius: path.radius,
                length: points[points.len() - 1][3],
                own_radii: u32::from(!path.radii.is_empty()),
                unused_1: 0,
                unused_2: 0,
            };
            first_point += points.len() as u32;
            block.path_count += 1;
        }
        block.surface = scene.scenery.surface.as_ref().map_or(Surface::zeroed(), surface_block);
        if let Some(scene::Surface::HeightField { hills, .. }) = &scene.scenery.surface {
            for (row, &scene::Hill { x, z, height, width }) in block.hills.iter_mut().zip(hills) {
                *row = Hill { x, z, height, width_squared: width * width };
                block.hill_count += 1;
            }
        }
        for (row, line) in block.lines.iter_mut().zip(&scene.scenery.lines) {
            *row = [line.from.x, line.from.y, line.to.x, line.to.y];
            block.line_count += 1;
        }
        (block, obstacles, pieces)
    }
}

fn obstacle_row(obstacle: &scene::Obstacle, spatial: bool) -> Obstacle {
    let (shape, size) = match obstacle.shape {
        ObstacleShape::Sphere { radius } => (SHAPE_SPHERE, [radius, 0.0, 0.0]),
        ObstacleShape::Box { size } => {
            (SHAPE_BOX, (size * 0.5).with_z(if spatial { size.z * 0.5 } else { ENDLESS }).to_array())
        }
        ObstacleShape::Plane { normal } => (SHAPE_PLANE, unit(normal)),
        ObstacleShape::Capsule { length, radius } => (SHAPE_CAPSULE, [length * 0.5, radius, 0.0]),
    };
    let seen_from = match obstacle.seen_from {
        SeenFrom::Outside => 0,
        SeenFrom::Inside => 1,
        SeenFrom::Both => 2,
    };
    // A plane has no end, and agents that have to stay inside a shape are never out of its range.
    let bound = match obstacle.shape {
        _ if obstacle.seen_from == SeenFrom::Inside => FAR_AWAY,
        ObstacleShape::Sphere { radius } => radius,
        ObstacleShape::Box { size } => {
            (size * 0.5).with_z(if spatial { size.z * 0.5 } else { 0.0 }).length() * 1.000_001
        }
        ObstacleShape::Capsule { length, radius } => (length * 0.5 + radius) * 1.000_001,
        ObstacleShape::Plane { .. } => FAR_AWAY,
    };
    // In a planar world things turn about z alone.
    let axis = if spatial && obstacle.axis != Vec3::ZERO { unit(obstacle.axis) } else { [0.0, 0.0, 1.0] };
    let angle = (f64::from(obstacle.turn) / 360.0) as f32;
    Obstacle {
        center: obstacle.center.to_array(),
        shape,
        size,
        seen_from,
        bound,
        trajectory: obstacle.trajectory.unwrap_or(NO_TRAJECTORY),
        turned: u32::from(angle != 0.0),
        angle,
        home: obstacle.center.to_array(),
        axis,
        turn: quaternion_of(Vec3::from_array(axis), angle).to_array(),
        padding: [0; 2],
    }
}

fn surface_block(surface: &scene::Surface) -> Surface {
    let none = Surface::zeroed();
    match surface {
        scene::Surface::Sphere { center, radius } => {
            Surface { center: center.to_array(), shape: 1, radius: *radius, ..none }
        }
        scene::Surface::Plane { point, normal } => {
            Surface { center: point.to_array(), shape: 2, normal: unit(*normal), ..none }
        }
        scene::Surface::HeightField { level, .. } => Surface { center: [0.0, *level, 0.0], shape: 3, ..none },
        scene::Surface::Mesh { .. } => Surface { shape: 4, ..none },
    }
}

/// The turn at a key, in full turns; 0 if the list has no angle for it.
fn full_turns(degrees: &[f32], key: usize) -> f64 {
    degrees.get(key).map_or(0.0, |angle| f64::from(*angle) / 360.0)
}

fn unit(vector: Vec3) -> [f32; 3] {
    vector.as_dvec3().normalize_or(glam::DVec3::Y).as_vec3().to_array()
}

/// The points with their arc lengths, u.
fn path_points(stored: &[(Vec3, f32)]) -> Vec<[f32; 4]> {
    let mut before = stored[0].0.as_dvec3();
    let mut length = 0.0;
    let row = |(point, _): &(Vec3, f32)| {
        length += before.distance(point.as_dvec3());
        before = point.as_dvec3();
        [point.x, point.y, point.z, length as f32]
    };
    stored.iter().map(row).collect()
}

/// The keys of one trajectory, as the scene gives them.
struct Keys<'a> {
    /// The time of each key, s, ascending from 0.
    times: &'a [f32],
    /// The value at each key: the place, u, and in w full turns.
    values: Vec<DVec4>,
    repeat: bool,
    /// Which components change smoothly; the others change linearly from key to key.
    smooth: BVec4,
}

impl Keys<'_> {
    /// The trajectory's row. Its pieces are appended to `pieces`.
    fn row(&self, dt: f32, pieces: &mut Vec<Piece>) -> Trajectory {
        let before = pieces.len();
        let steps: Vec<u32> = self.times.iter().map(|time| (f64::from(*time) / f64::from(dt)).round() as u32).collect();
        for k in (1..steps.len()).filter(|k| steps[*k] > steps[k - 1]) {
            let (from, to) = (self.values[k - 1], self.values[k]);
            let length = f64::from(self.times[k] - self.times[k - 1]);
            let slope = |k| DVec4::select(self.smooth, self.slope(k) * length, to - from);
            let (out, arriving) = (slope(k - 1), slope(k));
            let row = |v: DVec4| v.as_vec4().to_array();
            let count = f64::from(steps[k] - steps[k - 1]);
            pieces.push(Piece {
                constant: row(from),
                linear: row(out),
                square: row((to - from) * 3.0 - out * 2.0 - arriving),
                cube: row((from - to) * 2.0 + out + arriving),
                first_step: steps[k - 1],
                per_step: count.recip() as f32,
                per_second: (count * f64::from(dt)).recip() as f32,
                padding: [0; 1],
            });
        }
        let last = steps.len() - 1;
        let period = if self.repeat { steps[last] } else { 0 };
        if period == 0 {
            let constant = self.values[last].as_vec4().to_array();
            pieces.push(Piece { constant, first_step: steps[last], ..Piece::zeroed() });
        }
        let (first_piece, piece_count) = (before as u32, (pieces.len() - before) as u32);
        Trajectory { first_piece, piece_count, period, ..Trajectory::zeroed() }
    }

    /// How fast a smooth component changes at a key, per second: the slope of the chord from the key before to the key after (Catmull and
    /// Rom 1974). A trajectory that repeats goes on from its last key as from its first.
    fn slope(&self, key: usize) -> DVec4 {
        let last = self.times.len() - 1;
        let (mut change, mut time) = (DVec4::ZERO, 0.0);
        let mut add = |k: usize| {
            change += self.values[k + 1] - self.values[k];
            time += f64::from(self.times[k + 1] - self.times[k]);
        };
        match key {
            0 if self.repeat => [0, last - 1].into_iter().for_each(&mut add),
            _ if key == last && self.repeat => [0, last - 1].into_iter().for_each(&mut add),
            0 => add(0),
            _ if key == last => add(last - 1),
            _ => [key - 1, key].into_iter().for_each(&mut add),
        }
        change / time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Factors and turns go smoothly; from source to source a field passes evenly.
    #[test]
    fn a_smooth_field_passes_evenly_to_later_sources() {
        let text = "schema = 1\nworld.size = [9, 9]\nfield = { source = \"uniform\", smooth = true, times = [0, 1, 4], \
                    factors = [1, 0, 1], turns = [0, 90, 0], later = [\"vortex\", \"uniform\"] }\n[[species]]\ncount = 1\n";
        let scene = Scene::parse(text, "a.toml", &[]).expect("a scene");
        let (_, _, pieces) = Scenery::of(&scene, &[]);
        let [record, factor, _, turn] = pieces[0].square;
        assert_eq!((record, pieces[0].cube[0], pieces[0].linear[0]), (0.0, 0.0, 1.0));
        assert!(factor != 0.0 && turn != 0.0, "control");
    }
}
