//! The least bytes that a pass can move: one read of each buffer that it reads, and one write of each that it writes. If few agents
//! have queries, the pass that answers them counts only these agents' share of the buffers. Neighbors are read many times, but from
//! caches.

use super::pipelines::{Program, in_rounds, sequence};
use super::reflect::Binding;
use super::{GpuError, Options};
use crate::model::{BufferId, CompiledScene, DispatchDomain, PassId, StageId};

/// The least bytes that one of several steps in a row moves, and its number of dispatches. Agents count as loaded from buffers, as on
/// GPUs; a software driver reads them from a texture, a second copy.
///
/// # Errors
/// A shader that does not compile, at the place in its file.
pub fn on_gpus(model: &CompiledScene, options: &Options) -> Result<(u64, usize), GpuError> {
    let program = Program::new(model, options, false, false)?;
    let of_step = |stage: &StageId| ![StageId::Observe, StageId::Measure].contains(stage);
    let stages: Vec<_> = program.entries.iter().map(|(stage, ..)| stage.id).filter(of_step).collect();
    let order = sequence(&stages, model.is_small());
    let passes: Vec<_> = in_rounds(&order, |index| stages[index], model).collect();
    let bytes = passes.iter().map(|index| {
        let (_, (pass, domain), entry) = &program.entries[*index];
        of_pass(model, program.bound.scan_block, *pass, *domain, &entry.bindings)
    });
    Ok((bytes.sum(), passes.len()))
}

/// The least bytes that one pass moves.
pub(super) fn of_pass(
    model: &CompiledScene,
    scan_block: u32,
    pass: PassId,
    domain: DispatchDomain,
    bindings: &[Binding],
) -> u64 {
    let times = |b: &Binding| match (pass, b.buffer) {
        // While no cell is too full, `crowd` reads only a flag, and `scan` neither reads `visible` nor puts it in place of the
        // counts.
        (PassId::Crowd, _) | (_, BufferId::Visible) => 0,
        // A rank below 63 is stored in the word of `cell`, so `rank` is rarely used.
        (_, BufferId::Rank) => 0,
        // `gather` computes the cell from the position, unless agents were set aside, or the driver computes on the CPU.
        (PassId::Gather, BufferId::Cell) if bindings.iter().all(|b| b.buffer != BufferId::OrderId) => 0,
        (PassId::ScanReduce, BufferId::Count) => 1,
        _ => u64::from(b.reads) + u64::from(b.writes),
    };
    let bytes = |b: &Binding| b.buffer.row().bytes(model, scan_block);
    let all = bindings.iter().map(|b| times(b) * bytes(b)).sum();
    match domain {
        DispatchDomain::QueryingAgents if model.features.few_queries => {
            all * u64::from(model.querying_agents()) / u64::from(model.world.agent_count.max(1))
        }
        _ => all,
    }
}
