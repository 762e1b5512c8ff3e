//! The ground of a scene as shaders hold it: its grid, and what lies on it at the start.

use super::blocks::{GroundCell, World};
use super::random::{STREAM_PATCH, hash4, unit_interval};
use crate::scene::Scene;
use glam::Vec3;

/// `world` with the grid of the ground, and the ground's rates per step. Its cells are as square as whole numbers of them
/// allow; there is a single cell if the scene has no ground.
pub(super) fn laid_on(scene: &Scene, world: World) -> World {
    let (size, dt) = (scene.world.size, f64::from(scene.dt));
    let ground = scene.ground.as_ref();
    let cells = ground.map_or([1; 3], |ground| ground.cells(&scene.world));
    let count = Vec3::from_array(cells.map(|c| c as f32));
    let per_unit = count / size.max(Vec3::splat(f32::MIN_POSITIVE));
    let rate = |per_second: f32| per_step(per_second, scene.dt);
    let steps = |time: f32| if time > 0.0 { (f64::from(time) / dt).round().max(1.0) as u32 } else { 0 };
    World {
        ground_cells: cells,
        ground_cell_size: (size / count).to_array(),
        ground_cells_per_unit: [per_unit.x, per_unit.y, if scene.world.spatial { per_unit.z } else { 0.0 }],
        ground_half_life: ground.map_or(0, |ground| steps(ground.half_life)),
        ground_intake: ground.map_or(0, |ground| rate(ground.intake)),
        ground_regrowth: ground.map_or(0, |ground| rate(ground.regrowth)),
        trail_fade: ground.map_or(0, |ground| faded(ground.trail_half_life, dt)),
        // Rounded down, so that a cell never gives away more than it has.
        trail_shares: ground.map_or([0; 3], |ground| {
            ground.shares(&scene.world, scene.dt).map(|share| (share * TWO_32).min(TWO_32 / 2.0) as u32)
        }),
        ..world
    }
}

const TWO_32: f64 = 4294967296.0;

/// A rate in 1/65536 units per step.
pub(super) fn per_step(per_second: f32, dt: f32) -> u32 {
    (f64::from(per_second) * f64::from(dt) * 65536.0).round().min(f64::from(u32::MAX >> 1)) as u32
}

/// The share that fades in a step, in 1/2^32.
fn faded(half_life: f32, dt: f64) -> u32 {
    let halvings = if half_life > 0.0 { dt / f64::from(half_life) } else { 0.0 };
    (-(-halvings * std::f64::consts::LN_2).exp_m1() * TWO_32).round().min(TWO_32 - 1.0) as u32
}

/// Are two grounds equal, apart from the trail?
pub(super) fn alike(one: &[GroundCell], other: &[GroundCell]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| GroundCell { trail: other.trail, ..*one } == *other)
}

/// The ground at the start: the trail that the scene names, and the resource in round patches at random places.
pub(super) fn start(scene: &Scene, world: &World) -> Vec<GroundCell> {
    let [nx, ny, nz] = world.ground_cells;
    let empty = GroundCell { visits: 0, stock: 0, capacity: 0, claim: u32::MAX, trail: 0 };
    let mut cells = vec![empty; (nx * ny * nz) as usize];
    let Some(ground) = &scene.ground else { return cells };
    let trail = ground.trail.iter().flat_map(|trail| trail.units());
    cells.iter_mut().zip(trail).for_each(|(cell, units)| cell.trail = *units);
    let size = scene.world.size;
    for patch in 0..ground.patches {
        let hash = hash4([scene.seed, patch, 0, STREAM_PATCH]);
        let center = (Vec3::new(unit_interval(hash[0]), unit_interval(hash[1]), unit_interval(hash[2])) - 0.5) * size;
        for (index, cell) in cells.iter_mut().enumerate() {
            let index = index as u32;
            let at = Vec3::new((index % nx) as f32, (index / nx % ny) as f32, (index / nx / ny) as f32);
            let offset = (at + 0.5) * Vec3::from_array(world.ground_cell_size) - size * 0.5 - center;
            if scene.world.nearest(offset).length_squared() <= ground.patch_radius * ground.patch_radius {
                (cell.stock, cell.capacity) = (ground.amount, ground.amount);
            }
        }
    }
    cells
}
