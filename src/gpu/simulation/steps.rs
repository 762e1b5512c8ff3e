//! How a simulation records and submits steps, and parts of them.

use super::{Holds, Simulation};
use crate::fault;
use crate::gpu::limits::{WIDEST_DISPATCH, dispatch};
use crate::gpu::pipelines::{Pass, Pipelines, in_rounds, is_fused};
use crate::gpu::{GpuError, crowding};
use crate::model::{
    AGENTS_PER_LONG_SHARE, AGENTS_PER_SHARE, BufferId, CompiledScene, DispatchDomain, PassId, StageId, layers_of,
};
use std::ops::RangeBounds;

/// The compute pass of a step, with the label that debuggers show.
const STEP: wgpu::ComputePassDescriptor<'_> =
    wgpu::ComputePassDescriptor { label: Some("step"), timestamp_writes: None };

/// Submissions that may be in flight at once.
const IN_FLIGHT: usize = 3;

impl Simulation {
    /// Record one simulation step into the caller's command encoder. After submitting it, call [`Simulation::submitted`], which counts the
    /// step. Where ways heed crowds, call [`Simulation::renew_ways`] before.
    pub fn encode_step(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_stages(encoder, ..);
    }

    /// Record the first part of a step: everything up to steering. Afterwards [`Simulation::acceleration_buffer`] holds the combined
    /// steering of each agent, and a pass of the caller may add to it before [`Simulation::encode_motion`].
    pub fn encode_steering(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_stages(encoder, ..StageId::Integrate);
    }

    /// Record the rest of a step: the agents move as [`Simulation::acceleration_buffer`] says, within the limits of their bodies.
    pub fn encode_motion(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_stages(encoder, StageId::Integrate..);
    }

    /// Record some stages of a step.
    pub fn encode_stages(&self, encoder: &mut wgpu::CommandEncoder, stages: impl RangeBounds<StageId>) {
        self.encode_passes(encoder, stages, |_| true);
    }

    fn encode_passes(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        stages: impl RangeBounds<StageId>,
        wanted: impl Fn(&Pass) -> bool,
    ) {
        if stages.contains(&StageId::Bin) && (self.pipelines.strides() || self.binned) {
            // `bin` must count from zero, even if `stride` counted the agents already, or a `bin` that no `scan` followed did.
            encoder.clear_buffer(self.buffer(BufferId::Count), 0, None);
        }
        let mut compute = encoder.begin_compute_pass(&STEP);
        let passes = &self.pipelines.passes;
        let runs = |pass: &Pass| stages.contains(&pass.stage.id) && !is_fused(pass.stage) && wanted(pass);
        let order: Vec<_> = (0..passes.len()).filter(|index| runs(&passes[*index])).collect();
        self.in_rounds(&order).for_each(|index| self.dispatch(&mut compute, index));
    }

    /// Record one of several steps in a row.
    pub(in crate::gpu) fn encode_in_sequence(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if !self.in_strides() {
            self.forget_cells();
            return self.encode_passes(encoder, .., |pass| pass.id != PassId::GatherColumns);
        }
        self.encode_entry(encoder);
        let mut compute = encoder.begin_compute_pass(&STEP);
        self.sequence().for_each(|index| self.dispatch(&mut compute, index));
    }

    /// Set whether every step from now on keeps the acceleration of each agent, for [`Simulation::acceleration_buffer`], for example for
    /// pictures that show it. Such steps cannot run fused passes.
    pub fn keep_accelerations(&mut self, keep: bool) {
        self.keeps_accelerations = keep;
    }

    /// Does [`Simulation::acceleration_buffer`] hold the accelerations of the latest step?
    pub fn has_accelerations(&self) -> bool {
        self.holds == Holds::Accelerations
    }

    /// Does `cell_start` hold the cells of the latest step, on the present grid?
    #[cfg(feature = "render")]
    pub(crate) fn has_cell_starts(&self) -> bool {
        self.holds_cell_starts
    }

    /// The indices of the passes that each of several steps in a row dispatches.
    fn sequence(&self) -> impl Iterator<Item = usize> {
        let small = self.model.is_small();
        self.in_rounds(if small { &self.pipelines.small_sequence } else { &self.pipelines.sequence })
    }

    fn in_rounds<'a>(&'a self, order: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        in_rounds(order, |index| self.pipelines.passes[index].stage.id, &self.model)
    }

    /// The passes that each of several steps in a row dispatches, in order.
    pub fn of_step(&self) -> impl Iterator<Item = &Pass> {
        self.sequence().map(|index| &self.pipelines.passes[index])
    }

    /// Do the steps to come run fused passes?
    pub(in crate::gpu) fn in_strides(&self) -> bool {
        self.pipelines.strides() && !self.keeps_accelerations
    }

    /// Record what must come before the first of several steps with `stride`: `bin`, unless the agents are in their cells already.
    pub(in crate::gpu) fn encode_entry(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if self.pipelines.strides() && self.holds != Holds::Cells {
            self.encode_stages(encoder, ..=StageId::Bin);
            self.holds = Holds::Cells;
        }
    }

    /// Record one dispatch, by its index in [`Simulation::of_step`].
    pub(in crate::gpu) fn encode_pass(&self, encoder: &mut wgpu::CommandEncoder, index: usize) {
        if let Some(index) = self.sequence().nth(index) {
            self.dispatch(&mut encoder.begin_compute_pass(&Default::default()), index);
        }
    }

    /// Count steps that the caller recorded and submitted. A caller whose own passes moved agents must call this too, with 0.
    pub fn submitted(&mut self, steps: u32) {
        self.steps += u64::from(steps);
        self.binned = false;
        match steps {
            0 => self.forget_cells(),
            _ => (self.holds, self.holds_cell_starts) = (Holds::Accelerations, true),
        }
    }

    /// Count steps of [`Simulation::encode_in_sequence`] that were submitted.
    pub(in crate::gpu) fn stepped(&mut self, steps: u32) {
        self.steps += u64::from(steps);
        self.binned = false;
        if steps > 0 {
            self.holds = if self.in_strides() { Holds::Cells } else { Holds::Accelerations };
            self.holds_cell_starts = true;
        }
    }

    /// Stop relying on the cells that `stride` wrote: agents may have moved, or the recorded commands never ran.
    pub(super) fn forget_cells(&mut self) {
        if self.holds == Holds::Cells {
            self.holds = Holds::Agents;
        }
    }

    /// Record one of several steps in a row, with a compute pass and a pair of timestamps for each dispatch: for dispatch k, the queries
    /// `first` + 2k and `first` + 2k + 1.
    pub(in crate::gpu) fn encode_step_timed(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        queries: &wgpu::QuerySet,
        first: u32,
    ) {
        for (place, index) in self.sequence().enumerate() {
            let begin = first + 2 * place as u32;
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(self.pipelines.passes[index].name),
                timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                    query_set: queries,
                    beginning_of_pass_write_index: Some(begin),
                    end_of_pass_write_index: Some(begin + 1),
                }),
            });
            self.dispatch(&mut pass, index);
        }
    }

    pub(super) fn dispatch(&self, compute: &mut wgpu::ComputePass<'_>, index: usize) {
        let pass = self.pass(index);
        let groups = self.workgroups(pass);
        if groups == 0 {
            return;
        }
        compute.push_debug_group(pass.name);
        compute.set_pipeline(&pass.pipeline(&self.gpu));
        compute.set_bind_group(0, &self.bindings.groups[index], &[]);
        if pass.domain == DispatchDomain::ActiveList && self.model.features.skips {
            compute.dispatch_workgroups_indirect(self.buffer(BufferId::ActiveGroups), 0);
        } else {
            dispatch(compute, groups, self.layers(pass), self.worlds());
        }
        compute.pop_debug_group();
    }

    pub(super) fn pass(&self, index: usize) -> &Pass {
        let Pipelines { passes, observe, measure, .. } = &*self.pipelines;
        let (seen, measured) = (index.wrapping_sub(passes.len()), index.wrapping_sub(passes.len() + observe.len()));
        passes.get(index).or_else(|| observe.get(seen)).unwrap_or_else(|| &measure[measured])
    }

    /// Layers of a pass's dispatch: the stage `observe` handles a few species in each.
    fn layers(&self, pass: &Pass) -> u32 {
        if pass.domain == DispatchDomain::Shares { layers_of(self.model.species.len()).0 as u32 } else { 1 }
    }

    pub(super) fn workgroups(&self, pass: &Pass) -> u32 {
        match pass.domain {
            DispatchDomain::QueryingAgents if self.model.has_lone_queries() => self.model.querying_agents(),
            DispatchDomain::QueryingAgents if self.model.features.few_queries => {
                self.model.querying_agents().div_ceil(pass.workgroup_size)
            }
            // The clock ticks in an empty world too.
            DispatchDomain::Agents | DispatchDomain::QueryingAgents | DispatchDomain::ActiveList => {
                self.model.world.agent_count.max(1).div_ceil(pass.workgroup_size)
            }
            DispatchDomain::Blocks => (self.model.world.last_cell() + 2).div_ceil(self.pipelines.bound.scan_block),
            DispatchDomain::Ground => (self.model.ground.len() as u32).div_ceil(pass.workgroup_size),
            DispatchDomain::Shares => {
                let share = if self.gpu.software() { AGENTS_PER_LONG_SHARE } else { AGENTS_PER_SHARE };
                // Each invocation takes more agents if this would be wider than a dispatch, because the second dimension is the layers.
                self.model.world.agent_count.max(1).div_ceil(pass.workgroup_size * share).min(WIDEST_DISPATCH)
            }
            DispatchDomain::Many => self.model.world.agent_count.div_ceil(pass.workgroup_size).min(WIDEST_DISPATCH),
            DispatchDomain::Few => self.model.world.agent_count.max(1).div_ceil(pass.workgroup_size).min(64),
            DispatchDomain::Single => 1,
        }
    }

    /// Steps in one submission: many for small worlds, because a submission costs about as much as one of their steps.
    pub(super) fn batch(&self) -> u32 {
        ((1 << 20) / (self.model.world.agent_count * self.worlds()).max(1 << 14)).max(1)
    }

    /// Run `steps` simulation steps. Blocks until all are submitted and all but the last few submissions are done;
    /// [`Simulation::encode_step`] never blocks.
    ///
    /// # Errors
    /// A device that failed, or refused the commands. Other simulations go on unless the device is lost.
    pub fn step(&mut self, steps: u32) -> Result<(), GpuError> {
        let batch = self.batch();
        let mut left = steps;
        while left > 0 {
            if fault::should_fail("lost", "the device") {
                self.gpu.device.destroy();
            }
            let now = left.min(batch).min(self.renew_ways()?);
            let submitted =
                self.submit(|simulation, encoder| (0..now).for_each(|_| simulation.encode_in_sequence(encoder)))?;
            self.submitted.push_back(submitted);
            self.stepped(now);
            left -= now;
            if self.submitted.len() > IN_FLIGHT {
                self.gpu.wait_for(self.submitted.pop_front())?;
            }
            self.gpu.alive()?;
        }
        Ok(())
    }

    /// Update the ways to goals if that is due before the next step: let them heed the crowds (`map.crowding`), and switch to awaited ways
    /// whose time has come (`map.renew_steps`). To count crowds it blocks until the steps submitted so far are done. Returns how many steps
    /// may be recorded until something is due again; if more are recorded, that update is late. [`Simulation::step`] and all functions that
    /// run steps call this; it is for callers who record steps themselves, for example with [`Simulation::encode_step`].
    ///
    /// # Errors
    /// A device that failed.
    pub fn renew_ways(&mut self) -> Result<u32, GpuError> {
        if self.model.awaited.as_ref().is_some_and(|awaited| awaited.due <= self.steps) {
            self.update_ways(CompiledScene::follow_awaited)?;
        }
        if self.model.crowding_due(self.steps)
            && let Some(ways) = self.model.ways.clone()
        {
            let columns = [BufferId::Position, BufferId::Id].map(|column| self.buffer(column));
            let (components, agents) = (self.model.components(), self.model.world.agent_count);
            let counts = crowding::count(&self.gpu, &ways.walls, columns, components, agents)?;
            self.update_ways(|model, steps| model.await_ways_for(&counts, steps))?;
        }
        Ok(self.model.steps_to_other_ways(self.steps))
    }

    /// Record and submit commands. Returns an earlier refused write, without recording, or what the device refuses now.
    pub(in crate::gpu) fn submit(
        &mut self,
        record: impl FnOnce(&mut Self, &mut wgpu::CommandEncoder),
    ) -> Result<wgpu::SubmissionIndex, GpuError> {
        let gpu = self.gpu.clone();
        let submitted = self.refused.take().map_or(Ok(()), Err).and_then(|()| {
            gpu.caught(|| {
                let mut encoder = gpu.device.create_command_encoder(&Default::default());
                record(self, &mut encoder);
                gpu.queue.submit([encoder.finish()])
            })
        });
        if submitted.is_err() {
            self.forget_cells();
        }
        submitted
    }

    /// Run the dispatches of one stage, with the same pipelines as in a step. Blocks until they are done.
    ///
    /// # Errors
    /// A device that failed.
    pub fn run_stage(&mut self, stage: StageId) -> Result<(), GpuError> {
        if stage == StageId::Bin {
            self.renew_ways()?;
        }
        self.submit(|simulation, encoder| simulation.encode_stages(encoder, stage..=stage))?;
        let binned = stage == StageId::Bin || self.binned && stage != StageId::Scan;
        self.submitted(u32::from(stage == StageId::Trail));
        self.binned = binned;
        if stage < StageId::Steer {
            // What these stages write may lie in the memory of the accelerations.
            self.holds = Holds::Agents;
        }
        self.gpu.wait_for(None)
    }
}
