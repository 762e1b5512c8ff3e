//! Reads states, observations, words of buffers and single agents from a simulation.

use super::Simulation;
use crate::gpu::GpuError;
use crate::gpu::find::{self, Agent, Sight};
use crate::gpu::readback::{Pending, Readback};
use crate::model::{
    BUFFERS, Buffer, BufferId, CompiledScene, Events, FROZEN, ID_BITS, MOST_EVENTS, Measures, Observation, Snapshot,
    State, layers_of,
};
use std::ops::Range;
use std::sync::OnceLock;

/// Agents whose state is read at a time by [`Simulation::motion`].
const SLOTS: usize = 1 << 17;

impl Simulation {
    /// The whole state after the steps submitted so far. Blocks until they are done.
    ///
    /// # Errors
    /// A device that failed.
    pub fn snapshot(&self) -> Result<Snapshot, GpuError> {
        self.read_snapshot().wait()
    }

    /// As [`Simulation::snapshot`], without waiting.
    pub fn read_snapshot(&self) -> Pending<Snapshot> {
        self.read_worlds(std::slice::from_ref(&self.model)).map(|mut worlds| worlds.swap_remove(0))
    }

    fn read_columns(&self, columns: Vec<BufferId>) -> Pending<Snapshot> {
        self.read_columns_of(columns, std::slice::from_ref(&self.model)).map(|mut worlds| worlds.swap_remove(0))
    }

    /// The whole state of each of several worlds, without waiting.
    pub(in crate::gpu) fn read_worlds(&self, models: &[CompiledScene]) -> Pending<Vec<Snapshot>> {
        let kept = BUFFERS.iter().filter(|b| self.buffers.contains_key(&b.id) && b.is_kept(&self.model));
        let of = models.to_vec();
        self.read_columns_of(kept.map(|buffer| buffer.id).collect(), models).map(move |worlds| {
            worlds.into_iter().zip(&of).map(|(world, model)| world.with_host_columns(model)).collect()
        })
    }

    fn read_columns_of(&self, columns: Vec<BufferId>, models: &[CompiledScene]) -> Pending<Vec<Snapshot>> {
        let (models, steps) = (models.to_vec(), self.steps);
        let (buffers, widths): (Vec<_>, Vec<_>) = columns.iter().map(|column| self.parts(*column)).unzip();
        let block = self.pipelines.bound.scan_block;
        let starts: Vec<Vec<usize>> = columns
            .iter()
            .map(|column| (0..).zip(&models).map(|(world, _)| self.start_of(world, *column)).collect())
            .collect();
        Pending::new(self.gpu.read(&buffers.concat()), move |parts| {
            let mut parts = parts.into_iter();
            let whole: Vec<_> = widths
                .iter()
                .map(|widths| Buffer::joined(parts.by_ref().take(widths.len()).collect(), widths))
                .collect();
            let of = |(world, model): (usize, &CompiledScene)| {
                let column = |index: usize| {
                    let (first, length) = (starts[index][world], columns[index].row().bytes(model, block) as usize / 4);
                    (columns[index], whole[index][first..first + length].to_vec())
                };
                Snapshot::from_storage(model, steps, (0..columns.len()).map(column).collect())
            };
            models.iter().enumerate().map(of).collect()
        })
    }

    /// Read the state of all agents, in the order of their ids. Blocks until the steps submitted so far are done.
    ///
    /// # Errors
    /// A device that failed.
    pub fn state(&self) -> Result<State, GpuError> {
        self.read_state().wait()
    }

    /// As [`Simulation::state`], without waiting.
    pub fn read_state(&self) -> Pending<State> {
        self.read_motion().map(|snapshot| snapshot.state())
    }

    /// As [`Simulation::read_state`], as a snapshot with the columns of the state alone.
    pub(crate) fn read_motion(&self) -> Pending<Snapshot> {
        self.read_columns(self.state_columns())
    }

    /// Positions and velocities of the agents with these ids, in the order of ids, and which of them are frozen; no poses. This takes less
    /// memory than [`Simulation::state`]: the state is read part by part, and only these agents are kept. Blocks until all is read.
    ///
    /// # Errors
    /// An id that no agent has, or a device that failed.
    pub fn motion(&self, ids: Range<u32>) -> Result<State, GpuError> {
        let agents = self.model.world.agent_count;
        if ids.end > agents && !ids.is_empty() {
            return Err(GpuError::NoAgent { id: ids.end - 1, agents });
        }
        let components = self.model.components();
        let columns = [(BufferId::Id, 1), (BufferId::Position, components), (BufferId::Velocity, components)];
        let mut state = State::at_rest(ids.len());
        for first in (0..agents).step_by(SLOTS) {
            let slots = first as usize..agents.min(first + SLOTS as u32) as usize;
            let part = |(column, width)| (self.buffer(column), slots.start * width..slots.end * width);
            let words = self.gpu.read_parts(&columns.map(part)).wait()?;
            let vectors = words[1].chunks_exact(components).zip(words[2].chunks_exact(components));
            for (id, (position, velocity)) in words[0].iter().zip(vectors) {
                // A user's shaders may write invalid ids.
                if ids.contains(&(id & ID_BITS)) {
                    let row = ((id & ID_BITS) - ids.start) as usize;
                    state.frozen[row] = id & FROZEN != 0;
                    for axis in 0..components {
                        state.positions[row][axis] = f32::from_bits(position[axis]);
                        state.velocities[row][axis] = f32::from_bits(velocity[axis]);
                    }
                }
            }
        }
        Ok(state)
    }

    fn state_columns(&self) -> Vec<BufferId> {
        let pose = self.model.vehicles.pose.then_some(BufferId::Pose);
        [BufferId::Position, BufferId::Velocity, BufferId::Id].into_iter().chain(pose).collect()
    }

    /// Run `every` steps `moments` times, and return the state after each time. Steps of small worlds share submissions, because
    /// submitting and waiting takes longer than such a step. Blocks until all is read.
    ///
    /// # Errors
    /// A device that failed, or refused the commands.
    pub fn states(&mut self, moments: u32, every: u32) -> Result<Vec<State>, GpuError> {
        let in_parts = self.state_columns().iter().any(|column| self.parts(*column).0.len() > 1);
        if in_parts || every > self.batch() || self.model.steps_to_other_ways(self.steps) < u32::MAX {
            // Columns in several parts have to be joined for each state, a submission of more steps than a batch may take too long, and
            // between steps the host may have to update the ways.
            return (0..moments).map(|_| self.step(every).and_then(|()| self.state())).collect();
        }
        let (names, at_once) = (self.state_columns(), (self.batch() / every.max(1)).max(1));
        let (model, mut states) = (self.model.clone(), Vec::with_capacity(moments as usize));
        while states.len() < moments as usize {
            self.refused.take().map_or(Ok(()), Err)?;
            let now = at_once.min(moments - states.len() as u32);
            let column = |column: &BufferId| self.buffer(*column).clone();
            let columns: Vec<wgpu::Buffer> = names.iter().map(column).collect();
            let columns: Vec<&wgpu::Buffer> = columns.iter().collect();
            let gpu = self.gpu.clone();
            let copied = gpu.read_recorded(|gpu, encoder| {
                let staging = Readback::staging(gpu, &columns, now);
                for moment in 0..now {
                    (0..every).for_each(|_| self.encode_in_sequence(encoder));
                    Readback::copy(encoder, &columns, &staging, moment);
                }
                staging
            });
            let words = copied.wait().inspect_err(|_| self.forget_cells())?;
            self.stepped(now * every);
            for moment in 0..now as usize {
                let part = |(name, words): (&BufferId, &Vec<u32>)| {
                    let start = moment * words.len() / now as usize;
                    (*name, words[start..start + self.length(*name)].to_vec())
                };
                let columns = names.iter().zip(&words).map(part).collect();
                states.push(Snapshot::from_storage(&model, self.steps, columns).state());
            }
        }
        Ok(states)
    }

    /// Digest and observables of the current state, reduced on the GPU. Blocks until they are read.
    ///
    /// # Errors
    /// A device that failed, or a step that the driver cut off.
    pub fn observe(&self) -> Result<Observation, GpuError> {
        self.judged(self.read_observation().wait()?)
    }

    /// As [`Simulation::observe`], with what the scene asks to observe in addition.
    ///
    /// # Errors
    /// As [`Simulation::observe`], and [`GpuError::Unmeasured`].
    pub fn measure(&self) -> Result<Observation, GpuError> {
        self.judged(self.read_observed(self.pipelines.passes.len(), &[], true).wait()?)
    }

    /// As [`Simulation::observe`], without waiting. A step that the driver cut off is no error here: see
    /// [`Observation::ever_cut_off`].
    pub fn read_observation(&self) -> Pending<Observation> {
        self.read_observed(self.pipelines.passes.len(), &[], false)
    }

    /// As [`Simulation::read_observation`], right after a whole step, with what the scene asks to observe in addition. If sorted agents
    /// are loaded from a texture, that texture is free after a step, so the columns of the state are copied there and loaded from it.
    fn read_row(&self) -> Pending<Observation> {
        let (passes, observe) = (&self.pipelines.passes, &self.pipelines.observe);
        if observe.len() < 2 {
            return self.read_observed(passes.len(), &[], true);
        }
        let column = |id| (self.buffer(id), self.length(id));
        let columns = [BufferId::Position, BufferId::Velocity, BufferId::Id, BufferId::Neighbors].map(column);
        self.read_observed(passes.len() + 1, &columns, true)
    }

    /// Run the pass of `observe` with this index, after copying `columns` to the texture of sorted agents, and read its result; with
    /// `measures`, also the results of the passes of `measure`.
    fn read_observed(&self, pass: usize, columns: &[(&wgpu::Buffer, usize)], measures: bool) -> Pending<Observation> {
        let worlds = self.read_observed_of(pass, columns, measures, std::slice::from_ref(&self.model));
        worlds.map(|mut worlds| worlds.swap_remove(0))
    }

    /// Digest, observables and measured values of each of several worlds. Blocks until they are read.
    ///
    /// # Errors
    /// As [`Simulation::observe`].
    pub(in crate::gpu) fn observe_worlds(&self, models: &[CompiledScene]) -> Result<Vec<Observation>, GpuError> {
        let seen = self.read_observed_of(self.pipelines.passes.len(), &[], true, models).wait()?;
        seen.into_iter().map(|seen| self.judged(seen)).collect()
    }

    fn read_observed_of(
        &self,
        pass: usize,
        columns: &[(&wgpu::Buffer, usize)],
        measures: bool,
        models: &[CompiledScene],
    ) -> Pending<Vec<Observation>> {
        let crossed = self.buffers.get(&BufferId::Crossed).filter(|_| self.has(BufferId::Crossed));
        let read: Vec<_> = [self.buffer(BufferId::Observed)].into_iter().chain(crossed).collect();
        let measured = self.buffers.get(&BufferId::Measured).filter(|_| measures && self.model.measures.any());
        let readback = self.gpu.read_recorded(|gpu, encoder| {
            self.bindings.copy_to_texture(encoder, columns);
            measured.iter().for_each(|measured| encoder.clear_buffer(measured, 0, None));
            let mut compute = encoder.begin_compute_pass(&Default::default());
            self.dispatch(&mut compute, pass);
            let first = self.pipelines.passes.len() + self.pipelines.observe.len();
            let wanted = measured.map_or(0, |_| self.pipelines.measure.len());
            (first..first + wanted).for_each(|index| self.dispatch(&mut compute, index));
            drop(compute);
            let mut staging = Readback::whole(gpu, encoder, &read);
            for (world, model) in measured.iter().flat_map(|_| (0..).zip(models)) {
                let first = self.start_of(world, BufferId::Measured);
                staging.push(Readback::part(
                    gpu,
                    encoder,
                    self.buffer(BufferId::Measured),
                    first..first + model.measures.results(),
                ));
            }
            staging
        });
        let (layers, width) = layers_of(self.model.species.len());
        let used = self.workgroups(self.pass(pass)) as usize * layers * width;
        let (lists, of_lines) = (read.len(), self.length(BufferId::Crossed));
        let worlds = (0..).zip(models).map(|(world, model)| {
            let [first, lines] = [BufferId::Observed, BufferId::Crossed].map(|buffer| self.start_of(world, buffer));
            (world as usize, first, lines, model.counts(), model.world.top_speed, model.measures.clone())
        });
        let worlds: Vec<_> = worlds.collect();
        Pending::new(readback, move |words| {
            let of =
                |(world, first, lines, agents, top_speed, measures): (usize, usize, usize, Vec<u32>, f32, Measures)| {
                    let seen = Observation::from_words(&words[0][first..first + used], &agents, top_speed);
                    let crossed = words.get(1).filter(|_| lists > 1);
                    let seen = seen.with_crossed(crossed.map_or(&[], |crossed| &crossed[lines..lines + of_lines]));
                    words.get(lists + world).map_or(seen.clone(), |measured| seen.with_measured(&measures, measured))
                };
            worlds.into_iter().map(of).collect()
        })
    }

    /// The events since this list was last taken, or since a state was set, of the steps after [`Simulation::list_events`]. Blocks until
    /// the steps submitted so far are done.
    ///
    /// # Errors
    /// A device that failed.
    pub fn take_events(&mut self) -> Result<Events, GpuError> {
        if !self.has(BufferId::Events) {
            return Ok(Events::default());
        }
        let list = self.buffer(BufferId::Events);
        let number = self.gpu.read_parts(&[(list, 0..4)]).wait()?[0][0].min(MOST_EVENTS);
        let words = self.gpu.read_parts(&[(list, 0..4 * (number as usize + 1))]).wait()?;
        self.write(0, BufferId::Events, &[0; 16]);
        self.refused.take().map_or(Ok(Events::from_words(&words[0])), Err)
    }

    /// Run `every` steps `moments` times, and observe after each time; later steps do not wait for that. Blocks until all is done.
    ///
    /// # Errors
    /// As [`Simulation::observe`].
    pub fn observations(&mut self, moments: u32, every: u32) -> Result<Vec<Observation>, GpuError> {
        let mut coming = Vec::with_capacity(moments as usize);
        for _ in 0..moments {
            self.step(every)?;
            let row = || self.read_observed(self.pipelines.passes.len(), &[], true);
            coming.push(if every > 0 { self.read_row() } else { row() });
        }
        coming.into_iter().map(|pending| self.judged(pending.wait()?)).collect()
    }

    /// The observation, or an error if the driver cut off a step or a measurement.
    pub(crate) fn judged(&self, observation: Observation) -> Result<Observation, GpuError> {
        if observation.unmeasured {
            return Err(GpuError::Unmeasured { adapter: self.gpu.info.name.clone() });
        }
        if observation.ever_cut_off { Err(self.cut_off(&observation)?) } else { Ok(observation) }
    }

    fn cut_off(&self, observation: &Observation) -> Result<GpuError, GpuError> {
        let starts = self.words(BufferId::CellStart)?;
        let starts = &starts[..self.model.world.last_cell() as usize + 2];
        let looping = self.model.own.iter().filter(|spec| spec.loops());
        let names: Vec<String> = looping.map(|spec| format!("`{}`", spec.name)).collect();
        let loops = match names.is_empty() {
            true => String::new(),
            false => format!(", or loops of {} too many rounds,", names.join(" and ")),
        };
        Ok(GpuError::CutOff {
            loops,
            step: self.steps,
            agents: observation.cut_off,
            first: observation.first_bad,
            // A user's shader may have written anything there.
            fullest: starts.windows(2).map(|w| w[1].saturating_sub(w[0])).max().unwrap_or(0),
            radius: self.scene.perception_radius(),
            candidates: self.scene.agents_within(self.scene.perception_radius()),
            adapter: self.gpu.info.name.clone(),
        })
    }

    /// The words of a buffer, without padding. Blocks until they are read. On an adapter with
    /// [`texture_loads`](crate::gpu::Gpu::texture_loads) [`Simulation::step`] writes sorted agents into a texture alone, and only stages run
    /// one by one into the buffers as well.
    ///
    /// # Errors
    /// A device that failed, or a buffer that the simulation does not have.
    pub fn words(&self, buffer: BufferId) -> Result<Vec<u32>, GpuError> {
        self.read_words(buffer)?.wait()
    }

    /// As [`Simulation::words`], without waiting.
    ///
    /// # Errors
    /// A buffer that the simulation does not have.
    pub fn read_words(&self, buffer: BufferId) -> Result<Pending<Vec<u32>>, GpuError> {
        let (place, length) = (self.place(buffer), self.length(buffer));
        let place = place.filter(|(whole, _)| self.buffers.contains_key(whole));
        let (whole, first) = place.ok_or(GpuError::NoBuffer { buffer })?;
        let (parts, widths) = self.parts(whole);
        Ok(Pending::new(self.gpu.read(&parts), move |parts| {
            let mut words = Buffer::joined(parts, &widths);
            words.truncate(first + length);
            words.split_off(first)
        }))
    }

    /// Read some agents by their ids, without waiting and without reading the others.
    ///
    /// # Errors
    /// [`GpuError::NoAgent`].
    pub fn read_agents(&self, ids: &[u32]) -> Result<Pending<Vec<Agent>>, GpuError> {
        let agents = self.model.world.agent_count;
        if let Some(id) = ids.iter().copied().find(|id| *id >= agents) {
            return Err(GpuError::NoAgent { id, agents });
        }
        let (finder, slots) = (self.finder()?, self.slots()?);
        let head = self.head();
        let columns =
            [BufferId::Id, BufferId::Position, BufferId::Velocity, BufferId::Neighbors, BufferId::Acceleration];
        let columns = columns.map(|column| self.buffer(column));
        let (asked, accelerated, posed) = (ids.len(), self.has_accelerations(), self.model.vehicles.pose);
        let poses = if posed { self.parts(BufferId::Pose) } else { Default::default() };
        let readback = self.gpu.read_recorded(|gpu, encoder| {
            let parts = ids.chunks(find::most_rows(&gpu.device.limits()));
            let find = |ids| finder.find(&gpu.device, encoder, head, slots, columns, poses.clone(), ids);
            let rows: Vec<_> = parts.map(find).collect();
            Readback::whole(gpu, encoder, &rows.iter().collect::<Vec<_>>())
        });
        Ok(Pending::new(readback, move |words| find::agents(&words.concat(), asked, accelerated, posed)))
    }

    /// Read the id of the agent that a picture shows nearest to a point, and its distance from there, px, without waiting and without
    /// reading the agents: only 8 bytes. `None` if all agents are frozen or behind the camera.
    ///
    /// # Errors
    /// A device that has no memory left, or failed.
    pub fn read_nearest(&self, sight: &Sight) -> Result<Pending<Option<(u32, f32)>>, GpuError> {
        let (finder, head) = (self.finder()?, self.head());
        let columns = [BufferId::Id, BufferId::Position].map(|column| self.buffer(column));
        let readback = self.gpu.read_recorded(|gpu, encoder| {
            let found = finder.nearest(&gpu.device, encoder, head, columns, sight);
            Readback::whole(gpu, encoder, &[&found])
        });
        Ok(Pending::new(readback, |words| find::nearest_agent(words[0].get(..2).unwrap_or_default())))
    }

    /// Record a pass that writes the storage slot of each agent, by id, into the returned buffer, one u32 for each. The buffer stays the
    /// same one as long as the agents do. The ids of a species are [`Scene::species_ids`](crate::scene::Scene::species_ids), so with this
    /// each species can be drawn by itself.
    ///
    /// # Errors
    /// A device that has no memory left, or failed.
    pub fn encode_slots(&self, encoder: &mut wgpu::CommandEncoder) -> Result<&wgpu::Buffer, GpuError> {
        let slots = self.slots()?;
        let finder = self.finder()?;
        self.gpu.caught(|| finder.write_slots(&self.gpu.device, encoder, self.head(), self.id_buffer(), slots))?;
        Ok(slots)
    }

    fn head(&self) -> find::Head {
        find::Head { components: self.model.components(), agents: self.model.world.agent_count }
    }

    fn finder(&self) -> Result<&find::Finder, GpuError> {
        made_once(&self.gpu.finder, || self.gpu.guarded(|| find::Finder::new(&self.gpu.device)))
    }

    fn slots(&self) -> Result<&wgpu::Buffer, GpuError> {
        let agents = self.model.world.agent_count;
        made_once(&self.slots, || self.gpu.guarded(|| find::slots(&self.gpu.device, agents)))
    }
}

/// The value in the cell, made at first use.
fn made_once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, GpuError>) -> Result<&T, GpuError> {
    if let Some(made) = cell.get() {
        return Ok(made);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}
