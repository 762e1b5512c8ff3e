//! Twin of `shaders/common/away.wgsl`: agents that leave, and agents that enter one after another.

use crate::model::away::{NO_EXIT, entry_step};
use crate::model::{CompiledScene, ID_BITS, Species};
use glam::Vec3;

/// The id word of an agent that is away, after this step: its id alone if it enters now, else the word as it was.
pub fn after_absence(model: &CompiledScene, word: u32, step: u32) -> u32 {
    let id = word & ID_BITS;
    let own = &model.species[model.species_of(id)];
    if entry_step(id - own.first_id, own.entry_interval) == step { id } else { word }
}

/// The first step in which an agent acts.
pub fn first_step(own: &Species, id: u32) -> u32 {
    entry_step(id - own.first_id, own.entry_interval) + 1
}

/// Is a place in a cell of the goal at which a species leaves?
pub fn is_out(model: &CompiledScene, own: &Species, position: Vec3) -> bool {
    let Some(ways) = model.ways.as_ref().filter(|_| own.exit != NO_EXIT) else { return false };
    let (columns, rows, cells_per_unit) = (ways.walls.columns as f32, ways.walls.rows as f32, 1.0 / ways.walls.cell);
    let x = position.x * cells_per_unit + columns * 0.5;
    let y = rows * 0.5 - position.y * cells_per_unit;
    let [column, row] = [x.clamp(-1.0, columns), y.clamp(-1.0, rows)].map(|at| at.floor() as i32);
    ways.walls.index(column, row).is_some_and(|cell| ways.computed()[ways.words(own.exit, cell as u32) + 1] == 0)
}
