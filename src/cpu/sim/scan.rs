//! Twin of `shaders/sim/scan.wgsl`: the exclusive prefix sum of the counts says where each cell starts.
//!
//! One loop here; three dispatches in the shader. Sums of integers are the same in any order.

use crate::cpu::{Buffers, Execution};
use crate::model::CompiledScene;

/// Run the stage.
pub fn scan(_: &CompiledScene, buffers: &mut Buffers, _: Execution) {
    buffers.clock[0] = buffers.clock[0].wrapping_add(1);
    let mut start = 0;
    for (cell_start, count) in buffers.cell_start.iter_mut().zip(&mut buffers.count) {
        *cell_start = start;
        start += *count;
        // Ready for the next step.
        *count = 0;
    }
}
