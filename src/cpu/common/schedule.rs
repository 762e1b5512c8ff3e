//! Twin of `shaders/common/schedule.wgsl`: which agents steer in a step.

use super::away::first_step;
use crate::model::random::{STREAM_PHASE, hash4};
use crate::model::{CompiledScene, Species};

/// Does an agent steer in this step? If not, it holds its latest steering.
pub fn steers_now(model: &CompiledScene, own: &Species, id: u32, step: u32) -> bool {
    if own.update_every == 1 {
        return true;
    }
    let phase = hash4([model.world.seed, id, 0, STREAM_PHASE])[0] % own.update_every;
    step.wrapping_add(phase).is_multiple_of(own.update_every) || step == first_step(own, id)
}
