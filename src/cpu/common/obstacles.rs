//! Twin of `shaders/common/obstacles.wgsl`. Distances are positive where agents are free, and normals point there.

use super::angle::turned;
use super::clearance::{Clearance, facing};
pub use super::structs::{Approach, Hit, Wall};
use super::target::{along, nearest_image};
use super::vector::{cross3, dot3, within};
use super::walls::{MAP_WALLS, map_clearance, map_way};
use crate::constants::{EDGE_STEPS, SEEN_FROM_BOTH, SEEN_FROM_INSIDE, SHAPE_SPHERE};
pub use crate::constants::{SEEN_FROM_OUTSIDE, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_PLANE};
use crate::model::CompiledScene;
use crate::model::scenery::{FAR_AWAY, NO_TRAJECTORY, Obstacle, TOUCHING};
use crate::model::trajectories::{Moment, moved};
use glam::{Vec3, Vec4, Vec4Swizzles};
use std::f32::consts::PI;

impl Approach {
    /// A feeler of this length, u.
    pub fn feeler(forward: Vec3, length: f32) -> Approach {
        Approach { forward, speed: 0.0, min_look_ahead: length, look_ahead_time: 0.0, is_feeler: true }
    }

    /// How far the body looks along its course, u.
    pub fn reach(&self) -> f32 {
        self.min_look_ahead.max(self.speed * self.look_ahead_time)
    }
}

/// From the obstacle's center to the nearest image of a point, u.
pub fn from_obstacle(model: &CompiledScene, obstacle: &Obstacle, position: Vec3) -> Vec3 {
    nearest_image(model, position - Vec3::from_array(obstacle.center))
}

/// A vector in the frame of an obstacle, in which boxes and capsules lie along the axes.
pub fn into_frame(model: &CompiledScene, obstacle: &Obstacle, vector: Vec3) -> Vec3 {
    if obstacle.turned != 0 {
        let [x, y, z, w] = obstacle.turn;
        return turned(model.spatial, vector, Vec4::new(-x, -y, -z, w));
    }
    vector
}

/// The inverse of [`into_frame`].
fn out_of_frame(model: &CompiledScene, obstacle: &Obstacle, vector: Vec3) -> Vec3 {
    if obstacle.turned != 0 {
        return turned(model.spatial, vector, Vec4::from_array(obstacle.turn));
    }
    vector
}

/// Distance and normal of a sphere around the origin, at a point.
pub fn sphere_clearance(radius: f32, at: Vec3) -> Clearance {
    let distance = dot3(at, at).sqrt();
    if distance <= TOUCHING {
        return Clearance { distance: -radius, normal: Vec3::X };
    }
    Clearance { distance: distance - radius, normal: at / distance }
}

fn box_clearance(half_size: Vec3, at: Vec3) -> Clearance {
    let behind = at.cmplt(Vec3::ZERO);
    let side = Vec3::select(behind, Vec3::NEG_ONE, Vec3::ONE);
    let beyond = at.abs() - half_size;
    let deepest = beyond.x.max(beyond.y.max(beyond.z));
    if deepest <= TOUCHING {
        let mut normal = Vec3::new(0.0, 0.0, side.z);
        if beyond.y == deepest {
            normal = Vec3::new(0.0, side.y, 0.0);
        }
        if beyond.x == deepest {
            normal = Vec3::new(side.x, 0.0, 0.0);
        }
        return Clearance { distance: deepest, normal };
    }
    let out = Vec3::select(beyond.cmpgt(Vec3::ZERO), beyond, Vec3::ZERO);
    let distance = dot3(out, out).sqrt();
    Clearance { distance, normal: Vec3::select(behind, -out, out) / distance }
}

fn capsule_clearance(half_length: f32, radius: f32, at: Vec3) -> Clearance {
    sphere_clearance(radius, at - Vec3::new(within(at.x, -half_length, half_length), 0.0, 0.0))
}

fn clearance_in_frame(shape: u32, size: Vec3, at: Vec3) -> Clearance {
    match shape {
        SHAPE_SPHERE => sphere_clearance(size.x, at),
        SHAPE_BOX => box_clearance(size, at),
        SHAPE_CAPSULE => capsule_clearance(size.x, size.y, at),
        _ => Clearance { distance: dot3(size, at), normal: size },
    }
}

fn shape_clearance(model: &CompiledScene, obstacle: &Obstacle, at: Vec3) -> Clearance {
    let size = Vec3::from_array(obstacle.size);
    let Clearance { distance, normal } = clearance_in_frame(obstacle.shape, size, into_frame(model, obstacle, at));
    Clearance { distance, normal: out_of_frame(model, obstacle, normal) }
}

fn is_within(obstacle: &Obstacle, clearance: Clearance) -> bool {
    obstacle.seen_from == SEEN_FROM_INSIDE || (obstacle.seen_from == SEEN_FROM_BOTH && clearance.distance < 0.0)
}

/// Distance and normal of one obstacle at a position.
pub fn obstacle_clearance(model: &CompiledScene, obstacle: &Obstacle, position: Vec3) -> Clearance {
    let clearance = shape_clearance(model, obstacle, from_obstacle(model, obstacle, position));
    facing(clearance, is_within(obstacle, clearance))
}

/// An obstacle as it will be after a time, if it goes on as it does now.
fn obstacle_after(model: &CompiledScene, index: u32, time: f32) -> Obstacle {
    let obstacle = &model.obstacles[index as usize];
    if obstacle.trajectory == NO_TRAJECTORY {
        return *obstacle;
    }
    let trajectory = &model.scenery.trajectories[obstacle.trajectory as usize];
    let (place, rate) = (Vec4::from_array(trajectory.place), Vec4::from_array(trajectory.rate));
    moved(obstacle, Moment { place: place + rate * time, rate })
}

/// The course of a body relative to the surface of a moving obstacle.
fn course_against(
    model: &CompiledScene,
    obstacle: &Obstacle,
    course: Approach,
    at: Vec3,
    clearance: Clearance,
) -> Approach {
    let rate = Vec4::from_array(model.scenery.trajectories[obstacle.trajectory as usize].rate);
    let on = at - clearance.normal * clearance.distance;
    let swept = cross3(Vec3::from_array(obstacle.axis) * (rate.w * (2.0 * PI)), on);
    let surface = rate.xyz() + clearance.normal * dot3(swept, clearance.normal);
    let relative = course.forward * course.speed - surface;
    Approach { forward: along(relative), speed: dot3(relative, relative).sqrt(), ..course }
}

/// The nearest wall of all obstacles and of the map after a time; of equally near ones the first. Inside of several obstacles it is
/// the wall of the one in which the position is deepest. If there are many, the shader tests only those that a cell lists.
pub fn nearest_wall(model: &CompiledScene, position: Vec3, time: f32) -> Wall {
    let mut wall = Wall { exists: false, distance: FAR_AWAY, normal: Vec3::X, point: position, obstacle: 0 };
    for i in 0..model.obstacles.len() as u32 {
        let clearance = obstacle_clearance(model, &obstacle_after(model, i, time), position);
        if clearance.distance < wall.distance {
            let Clearance { distance, normal } = clearance;
            wall = Wall { exists: true, distance, normal, point: Vec3::ZERO, obstacle: i };
        }
    }
    if model.nearest_walls.is_some() {
        let Clearance { distance, normal } = map_clearance(model, position);
        if distance < wall.distance {
            wall = Wall { exists: true, distance, normal, point: Vec3::ZERO, obstacle: MAP_WALLS };
        }
    }
    wall.point = position - wall.normal * wall.distance;
    wall
}

fn sphere_way(radius: f32, at: Vec3, forward: Vec3, within: bool) -> f32 {
    let ahead = -dot3(at, forward);
    let lateral = at + forward * ahead;
    let rest = radius * radius - dot3(lateral, lateral);
    let chord = rest.max(0.0).sqrt();
    if within {
        return (ahead + chord).max(0.0);
    }
    if rest >= 0.0 && ahead >= 0.0 { (ahead - chord).max(0.0) } else { FAR_AWAY }
}

/// Distance along `forward` from a point inside a box to its surface, u.
pub fn box_way_out(half_size: Vec3, at: Vec3, forward: Vec3) -> f32 {
    let room = half_size - Vec3::select(forward.cmpgt(Vec3::ZERO), at, -at);
    let way = room / forward.abs().max(Vec3::splat(TOUCHING));
    way.x.min(way.y.min(way.z)).min(FAR_AWAY)
}

/// Distance along `forward` from a point inside a capsule to its surface, u.
pub fn capsule_way_out(half_length: f32, radius: f32, at: Vec3, forward: Vec3) -> f32 {
    let mut way = dot3(at, at).sqrt() + half_length + radius;
    for _ in 0..EDGE_STEPS {
        let clearance = capsule_clearance(half_length, radius, at + forward * way);
        let slope = dot3(clearance.normal, forward);
        if clearance.distance <= 0.0 || slope <= 0.0 {
            break;
        }
        way -= clearance.distance / slope;
    }
    way.max(0.0)
}

fn convex_way_in(shape: u32, size: Vec3, at: Vec3, forward: Vec3, radius: f32) -> f32 {
    let mut way = 0.0;
    for _ in 0..EDGE_STEPS {
        let clearance = clearance_in_frame(shape, size, at + forward * way);
        let gap = clearance.distance - radius;
        let slope = dot3(clearance.normal, forward);
        if gap <= 0.0 {
            break;
        }
        if slope >= 0.0 {
            way = FAR_AWAY;
            break;
        }
        way = (way - gap / slope).min(FAR_AWAY);
    }
    way
}

fn obstacle_way(
    model: &CompiledScene,
    obstacle: &Obstacle,
    free: Clearance,
    within: bool,
    at: Vec3,
    forward: Vec3,
    radius: f32,
) -> f32 {
    let size = Vec3::from_array(obstacle.size);
    let own = || (into_frame(model, obstacle, at), into_frame(model, obstacle, forward));
    match obstacle.shape {
        SHAPE_SPHERE => sphere_way(size.x + if within { -radius } else { radius }, at, forward, within),
        SHAPE_PLANE => {
            let slope = dot3(free.normal, forward);
            let way = (free.distance - radius) / (-slope).max(TOUCHING);
            if slope < -TOUCHING { way } else { FAR_AWAY }
        }
        SHAPE_BOX if within => box_way_out(size - radius, own().0, own().1),
        _ if within => capsule_way_out(size.x, size.y - radius, own().0, own().1),
        shape => convex_way_in(shape, size, own().0, own().1, radius),
    }
}

/// Indices of the obstacles that may be nearer than `distance` to a position, now or within a time. If there are many, the shader
/// finds candidates by cells along the course, and this is the last test of each.
pub fn obstacles_within(model: &CompiledScene, position: Vec3, distance: f32, time: f32) -> Vec<u32> {
    let near = |index: &u32| is_nearer(model, &model.obstacles[*index as usize], position, distance, time);
    (0..model.obstacles.len() as u32).filter(near).collect()
}

pub(super) fn is_nearer(model: &CompiledScene, obstacle: &Obstacle, position: Vec3, distance: f32, time: f32) -> bool {
    let at = from_obstacle(model, obstacle, position);
    let mut farthest = obstacle.bound + distance;
    if obstacle.trajectory != NO_TRAJECTORY {
        let rate = Vec4::from_array(model.scenery.trajectories[obstacle.trajectory as usize].rate);
        let sweeps = rate.w.abs() * (2.0 * PI) * obstacle.bound;
        farthest += (dot3(rate.xyz(), rate.xyz()).sqrt() + sweeps) * time;
    }
    dot3(at, at) <= farthest * farthest
}

/// The first of the obstacles `nearby` and the walls of the map that a body of this radius meets on its course, if obstacles go on
/// as they do now. Of those that it touches already, the one in which it is deepest; of exactly equal ones the first.
pub fn first_hit_of(model: &CompiledScene, nearby: &[u32], position: Vec3, course: Approach, radius: f32) -> Hit {
    let compared_distance = course.reach();
    let mut hit = Hit { exists: false, distance: FAR_AWAY, normal: Vec3::X, obstacle: 0, course, compared_distance };
    for index in nearby {
        hit = earlier_hit(model, hit, *index, position, course, radius);
    }
    if model.nearest_walls.is_some() {
        let way = map_way(model, position, course.forward, course.reach(), radius);
        if way < hit.compared_distance {
            let normal = Vec3::ZERO;
            hit = Hit {
                exists: true,
                distance: way.max(0.0),
                normal,
                obstacle: MAP_WALLS,
                course,
                compared_distance: way,
            };
        }
    }
    if hit.exists {
        hit.normal = normal_of(model, hit.obstacle, position + hit.course.forward * hit.distance);
    }
    hit
}

fn normal_of(model: &CompiledScene, obstacle: u32, place: Vec3) -> Vec3 {
    if obstacle == MAP_WALLS {
        return map_clearance(model, place).normal;
    }
    obstacle_clearance(model, &model.obstacles[obstacle as usize], place).normal
}

/// The normal where a body that goes on from `position` touches. The corners of a box, seen from inside, count as rounded by the
/// radius `rounding`, u.
pub fn rounded_normal(model: &CompiledScene, hit: &Hit, position: Vec3, rounding: f32) -> Vec3 {
    if hit.obstacle == MAP_WALLS {
        return hit.normal;
    }
    let obstacle = &model.obstacles[hit.obstacle as usize];
    let touch = position + hit.course.forward * hit.distance;
    let at = into_frame(model, obstacle, from_obstacle(model, obstacle, touch));
    let size = Vec3::from_array(obstacle.size);
    if obstacle.shape != SHAPE_BOX || obstacle.seen_from == SEEN_FROM_OUTSIDE || !at.abs().cmple(size).all() {
        return hit.normal;
    }
    let beyond = (at.abs() - (size - Vec3::splat(rounding)).max(Vec3::ZERO)).max(Vec3::ZERO);
    along(out_of_frame(model, obstacle, Vec3::select(at.cmplt(Vec3::ZERO), beyond, -beyond)))
}

pub(super) fn earlier_hit(
    model: &CompiledScene,
    hit: Hit,
    index: u32,
    position: Vec3,
    course: Approach,
    radius: f32,
) -> Hit {
    let obstacle = &model.obstacles[index as usize];
    let at = from_obstacle(model, obstacle, position);
    let clearance = shape_clearance(model, obstacle, at);
    let within = is_within(obstacle, clearance);
    let free = facing(clearance, within);
    let gap = free.distance - radius;
    let (mut seen, mut share) = (course, 1.0);
    if obstacle.trajectory != NO_TRAJECTORY && !course.is_feeler {
        seen = course_against(model, obstacle, course, at, clearance);
        share = course.reach() / seen.reach().max(TOUCHING);
    }
    let mut way = gap;
    if gap > 0.0 && gap * share <= hit.compared_distance {
        way = obstacle_way(model, obstacle, free, within, at, seen.forward, radius);
    }
    let counts = way.max(gap) * share;
    if counts < hit.compared_distance || (counts == hit.compared_distance && hit.exists && index < hit.obstacle) {
        return Hit {
            exists: true,
            distance: way.max(0.0),
            normal: free.normal,
            obstacle: index,
            course: seen,
            compared_distance: counts,
        };
    }
    hit
}

/// As [`first_hit_of`], for all obstacles.
pub fn first_hit(model: &CompiledScene, position: Vec3, course: Approach, radius: f32) -> Hit {
    let nearby = obstacles_within(model, position, radius + course.reach(), course.look_ahead_time);
    first_hit_of(model, &nearby, position, course, radius)
}
