//! The observable `milling` of some of the agents, on the host.

use crate::model::{State, measured::MIDDLE_ERROR};
use crate::scene::{Boundary, Scene};
use glam::DVec3;
use std::f64::consts::TAU;
use std::ops::Range;

/// The observable `milling`, over the agents with these ids alone.
///
/// # Panics
/// A state that has not a position and a velocity for each agent.
pub fn milling(scene: &Scene, state: &State, ids: Range<u32>) -> f64 {
    let size = scene.world.size.as_dvec3();
    let wraps = |axis: usize| scene.world.boundary[axis] == Boundary::Wrap && size[axis] > 0.0;
    let vector = |all: &[[f32; 3]], id: u32| DVec3::from_array(all[id as usize].map(f64::from));
    let ids: Vec<u32> = ids.filter(|id| state.frozen.get(*id as usize) == Some(&false)).collect();
    let places: Vec<DVec3> = ids.iter().map(|id| vector(&state.positions, *id)).collect();
    let mean = |value: &dyn Fn(&DVec3) -> f64| places.iter().map(value).sum::<f64>() / places.len().max(1) as f64;
    let middle = DVec3::from_array([0, 1, 2].map(|axis| match wraps(axis) {
        true => {
            let angle = |place: &DVec3| place[axis] / size[axis] * TAU;
            mean(&|place| angle(place).sin()).atan2(mean(&|place| angle(place).cos())) / TAU * size[axis]
        }
        false => mean(&|place| place[axis]),
    }));
    let turns = ids.iter().zip(&places).map(|(id, place)| {
        let mut way = *place - middle;
        for axis in (0..3).filter(|axis| wraps(*axis)) {
            way[axis] -= size[axis] * (way[axis] / size[axis]).round();
        }
        // As in the stage `measure`, an agent that is as near to the middle has no direction from it.
        if way.length() <= size.max_element() * f64::from(MIDDLE_ERROR) {
            way = DVec3::ZERO;
        }
        way.normalize_or_zero().cross(vector(&state.velocities, *id).normalize_or_zero())
    });
    turns.sum::<DVec3>().length() / ids.len().max(1) as f64
}
