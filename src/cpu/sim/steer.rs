//! Twin of `shaders/sim/steer.wgsl`: look at the neighbors, evaluate every behavior, and combine them into one
//! acceleration.

use crate::cpu::behaviors::{alignment::*, cohesion::*, flow_field::*, separation::*};
use crate::cpu::common::{field::sample_field, grid::*, vector::*, vision::*};
use crate::cpu::{Buffers, Execution};
use crate::model::boundary::containment_along;
use crate::model::{FROZEN, Model, Species};
use crate::scene::Boundary;
use glam::Vec3;

/// Run the stage.
pub fn steer(model: &Model, buffers: &mut Buffers, execution: Execution) {
    let mut results = std::mem::take(&mut buffers.steering);
    let shared = &*buffers;
    execution.for_each(&mut results, |place, result| *result = steer_one(model, shared, place, |_| ()));
    for (place, (acceleration, perceived)) in results.iter().enumerate() {
        buffers.acceleration[place] = *acceleration;
        buffers.neighbors[place] = *perceived;
    }
    buffers.steering = results;
}

/// One agent's acceleration and the number of agents that it perceives; `perceives` is called with the place of each.
pub(crate) fn steer_one(
    model: &Model,
    buffers: &Buffers,
    place: usize,
    mut perceives: impl FnMut(usize),
) -> ([f32; 3], u32) {
    let id = buffers.sorted_id[place];
    if id & FROZEN != 0 {
        return ([0.0; 3], 0);
    }
    let position = Vec3::from_array(buffers.sorted_position[place]);
    let velocity = Vec3::from_array(buffers.sorted_velocity[place]);
    let own = &model.species[model.species_of(id)];
    let forward = forward_of(model.world.seed, model.spatial, velocity, id);

    let (separation_acts, alignment_acts, cohesion_acts) =
        (model.uses("separation"), model.uses("alignment"), model.uses("cohesion"));
    let mut separation_sum = Vec3::ZERO;
    let mut alignment_sum = AlignmentSum::default();
    let mut cohesion_sum = CohesionSum::default();
    let mut perceived = 0;
    let mut coincident = 0;

    if separation_acts || alignment_acts || cohesion_acts {
        let radius = own.perception_radius;
        visit_rows(model, &buffers.cell_start, own, position, |first, last, half_way| {
            let from_here = position - half_way;
            for other in first as usize..last as usize {
                let offset = Vec3::from_array(buffers.sorted_position[other]) + half_way - from_here;
                let distance_squared = dot3(offset, offset);
                if other == place || distance_squared > radius * radius {
                    continue;
                }
                let distance = distance_squared.sqrt();
                let their_velocity = Vec3::from_array(buffers.sorted_velocity[other]);
                let ahead = dot3(offset, forward);
                let neighbor = Neighbor { offset, distance_squared, distance, ahead, velocity: their_velocity };
                let mut seen = false;
                if separation_acts {
                    seen = seen || sees(own.separation.vision, &neighbor);
                    separation_sum = separation_add(separation_sum, &own.separation, &neighbor);
                }
                if alignment_acts {
                    seen = seen || sees(own.alignment.vision, &neighbor);
                    alignment_sum = alignment_add(alignment_sum, &own.alignment, &neighbor);
                }
                if cohesion_acts {
                    seen = seen || sees(own.cohesion.vision, &neighbor);
                    cohesion_sum = cohesion_add(cohesion_sum, &own.cohesion, &neighbor);
                }
                if seen {
                    perceived += 1;
                    perceives(other);
                }
                coincident += u32::from(distance_squared == 0.0);
            }
        });
    }

    if separation_acts && coincident > 0 {
        // Rare, so it is kept out of the loop above. Coincident agents are in the same cell.
        let home = cell_of(&model.world, position) as usize;
        for other in buffers.cell_start[home] as usize..buffers.cell_start[home + 1] as usize {
            let offset = Vec3::from_array(buffers.sorted_position[other]) - position;
            if other != place && dot3(offset, offset) == 0.0 {
                let other_id = buffers.sorted_id[other];
                separation_sum = separation_add_coincident(model, separation_sum, &own.separation, id, other_id);
            }
        }
    }

    let mut total = Vec3::ZERO;
    if separation_acts {
        total += separation_resolve(separation_sum) * own.separation.weight;
    }
    if alignment_acts {
        total += alignment_resolve(alignment_sum, velocity, own.time_constant) * own.alignment.weight;
    }
    if cohesion_acts {
        total += cohesion_resolve(cohesion_sum) * own.cohesion.weight;
    }
    if model.uses("flow_field") {
        let flow_field = &own.flow_field;
        let sampled = sample_field(model, flow_field_predict(flow_field, position, velocity));
        total +=
            flow_field_resolve(flow_field, sampled, velocity, own.max_speed, own.time_constant) * flow_field.weight;
    }
    total += containment(model, position, own.max_force / own.mass);
    (model.store(total), perceived)
}

/// Call `visit` with each range of places, and half of the way to its image, that the agent's circle or sphere can touch:
/// rows by z, then y, each clipped to the chord at the row's nearest distance. In the shader these are the loops around
/// the neighbor loop.
fn visit_rows(model: &Model, cell_start: &[u32], own: &Species, position: Vec3, mut visit: impl FnMut(u32, u32, Vec3)) {
    let world = &model.world;
    let reach = own.perception_radius + world.search_margin;
    let margin = world.search_margin;
    let [cells_x, cells_y, cells_z] = world.cells;
    let wraps = model.boundary.map(|b| b == Boundary::Wrap);
    let [half_x, half_y, half_z] = world.half_size;
    let rows_y = cell_range(position.y, reach, half_y, world.cells_per_unit[1], cells_y, wraps[1]);
    let mut rows_z = (0, 0);
    if model.spatial {
        rows_z = cell_range(position.z, reach, half_z, world.cells_per_unit[2], cells_z, wraps[2]);
    }
    for z in rows_z.0..=rows_z.1 {
        let period_z = if wraps[2] { period_of(z, cells_z) } else { 0 };
        let home_z = z - period_z * cells_z as i32;
        let mut distance_z = 0.0;
        if model.spatial {
            distance_z = row_distance(position.z, z, half_z, world.cell_size[2], cells_z, wraps[2], margin);
        }
        for y in rows_y.0..=rows_y.1 {
            let period_y = if wraps[1] { period_of(y, cells_y) } else { 0 };
            let home_y = y - period_y * cells_y as i32;
            let distance_y = row_distance(position.y, y, half_y, world.cell_size[1], cells_y, wraps[1], margin);
            let rest = reach * reach - distance_y * distance_y - distance_z * distance_z;
            if rest < 0.0 {
                continue;
            }
            let chord = rest.sqrt() + margin;
            let row_start = (home_z as u32 * cells_y + home_y as u32) * cells_x;
            let range = cell_range(position.x, chord, half_x, world.cells_per_unit[0], cells_x, wraps[0]);
            let mut x = range.0;
            while x <= range.1 {
                let period_x = if wraps[0] { period_of(x, cells_x) } else { 0 };
                let home_x = x - period_x * cells_x as i32;
                let length = (range.1 - x).min(cells_x as i32 - 1 - home_x);
                let periods = Vec3::new(period_x as f32, period_y as f32, period_z as f32);
                let half_way = periods * Vec3::from_array(world.half_size);
                let first = cell_start[(row_start + home_x as u32) as usize];
                let last = cell_start[(row_start + (home_x + length) as u32) as usize + 1];
                visit(first, last, half_way);
                x += length + 1;
            }
        }
    }
}

/// Acceleration away from contained walls. In the shader it is in `boundary.wgsl`.
fn containment(model: &Model, position: Vec3, strongest: f32) -> Vec3 {
    let world = &model.world;
    let along = |axis: usize| match model.boundary[axis] {
        Boundary::Contain => containment_along(position[axis], world.half_size[axis], world.margin, strongest),
        _ => 0.0,
    };
    Vec3::new(along(0), along(1), if model.spatial { along(2) } else { 0.0 })
}
