//! Twin of `shaders/sim/scan.wgsl`: the exclusive prefix sum of the counts says where each cell starts.
//!
//! One loop here; two dispatches in the shader. Sums of integers are the same in any order.

use crate::cpu::common::grid::crowd_flag;
use crate::cpu::{Buffers, Execution};
use crate::model::CompiledScene;

/// Run the stage.
pub fn scan(model: &CompiledScene, buffers: &mut Buffers, _: Execution) {
    let Buffers { clock, count, visible, cell_start, .. } = buffers;
    clock[0] = clock[0].wrapping_add(1);
    let (world, flag) = (&model.world, crowd_flag(&model.world));
    cell_start[flag] = std::mem::take(&mut count[flag]);
    if cell_start[flag] != 0 {
        let cells = count.iter_mut().zip(visible).take(world.cell_count as usize);
        cells.filter(|(count, _)| **count > world.crowd).for_each(|(count, visible)| *count = std::mem::take(visible));
    }
    let mut start = 0;
    for (cell_start, count) in cell_start[..flag].iter_mut().zip(count) {
        *cell_start = start;
        start += *count;
        // Ready for the next step.
        *count = 0;
    }
}
