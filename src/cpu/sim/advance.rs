//! Twin of `shaders/sim/advance.wgsl`: move the scenery to where it is when the step begins.

use crate::cpu::Buffers;
use crate::model::CompiledScene;

/// Run the stage.
pub fn advance(model: &mut CompiledScene, buffers: &Buffers) {
    model.advance(buffers.clock[0].wrapping_sub(1));
}
