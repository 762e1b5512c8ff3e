//! Several worlds side by side: each pass of a step is one dispatch for all of them. A small world keeps little of a GPU busy, and each
//! dispatch has a fixed cost.

use super::buffers::parameters;
use super::limits::{AGENTS_PER_ROW, largest_binding};
use super::of_many::{Kind, WorldLayout};
use super::pipelines::{self, Program};
use super::{Gpu, GpuError, Options, Simulation};
use crate::memory;
use crate::model::{BUFFERS, Buffer, BufferId, CompiledScene, Life, Observation, Snapshot, State, Usage};
use crate::scene::Scene;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How as many of these worlds as fit, from the first one on, share the buffers. The error says why none do, for a person.
fn world_layout(program: &Program, models: &[CompiledScene], gpu: &Gpu) -> Result<WorldLayout, String> {
    let limits = &gpu.device.limits();
    let most_layers = limits.max_compute_workgroups_per_dimension;
    let mut world_layout = WorldLayout { worlds: (models.len() as u32).min(most_layers), pitches: BTreeMap::new() };
    let words: Vec<_> = models.iter().map(parameters).collect();
    // llvmpipe (Mesa 22.3) makes some passes anew in each step where their loops end at a number of a uniform block that worlds share, and
    // keeps all of them: 1.3 MB a step with obstacles. Where each world has its block, it does not.
    let may_share =
        |buffer: BufferId| !(gpu.software() && matches!(buffer.row().usage, Usage::Uniform | Usage::Moving));
    let is_same = |buffer| may_share(buffer) && words.iter().all(|of| of.get(&buffer) == words[0].get(&buffer));
    let mut bytes = 0;
    for &buffer in &program.bound.buffers {
        let Some((pitch, most)) = pitch(buffer, program, models, limits, is_same)? else { continue };
        world_layout.worlds = world_layout.worlds.min((most / u64::from(pitch)).try_into().unwrap_or(u32::MAX));
        world_layout.pitches.insert(buffer, pitch);
        bytes += u64::from(pitch) * if buffer.row().usage.is_texture() { BYTES_PER_ROW } else { 1 };
    }
    // States are made in host memory. A software driver has its buffers there too, and reports nothing when none is left.
    let fits = memory::usable().map_or(u64::MAX, |usable| usable / 2 / bytes.max(1));
    world_layout.worlds = world_layout.worlds.min(fits.try_into().unwrap_or(u32::MAX));
    Ok(world_layout)
}

/// Bytes of a row of the texture that sorted agents are loaded from.
const BYTES_PER_ROW: u64 = 2 * 16 * AGENTS_PER_ROW as u64;

/// The distance from one world to the next in a buffer, and the largest size for all worlds together: bytes, or rows of a texture. `None`
/// if all worlds share the buffer, because its parameters are equal in all of them.
fn pitch(
    buffer: BufferId,
    program: &Program,
    models: &[CompiledScene],
    limits: &wgpu::Limits,
    is_same: impl Fn(BufferId) -> bool,
) -> Result<Option<(u32, u64)>, String> {
    let (row, block) = (buffer.row(), program.bound.scan_block);
    let entries = program.entries.iter().map(|(.., entry)| entry);
    let bindings = entries.flat_map(|entry| entry.bindings.iter().map(move |binding| (entry, binding)));
    let (mut unit, mut sizes, mut most, mut writes) = (16, BTreeSet::new(), largest_binding(limits), false);
    for (entry, binding) in bindings.filter(|(_, binding)| binding.buffer == buffer) {
        writes |= binding.writes;
        match Kind::bound(entry, binding) {
            Kind::Row(stride) => unit = least_common_multiple(unit, stride),
            Kind::Block(bytes) => {
                sizes.insert(bytes);
                most = most.min(limits.max_uniform_buffer_binding_size);
            }
            Kind::Texture => most = limits.max_texture_dimension_2d.into(),
        }
    }
    let pitch = match row.usage {
        Usage::Texels => return Ok(None),
        Usage::Texture => models[0].world.agent_count.div_ceil(AGENTS_PER_ROW).max(1),
        _ if row.life == Life::Parameter && !writes && is_same(buffer) => return Ok(None),
        _ => {
            let bytes = models.iter().map(|model| row.whole_bytes(model, block)).max().unwrap_or(0).max(1);
            let bytes = u32::try_from(bytes).ok().and_then(|bytes| bytes.checked_next_multiple_of(unit));
            bytes.ok_or("are too large")?
        }
    };
    match sizes.iter().all(|size| *size == pitch) {
        true => Ok(Some((pitch, most))),
        false => Err(format!("have a buffer `{buffer}` of another size than their shaders need")),
    }
}

fn least_common_multiple(a: u32, b: u32) -> u32 {
    let (mut common, mut rest) = (a, b);
    while rest > 0 {
        (common, rest) = (rest, common % rest);
    }
    a / common * b
}

/// Why a world cannot run beside the first one, for a person.
fn refusal(first: &CompiledScene, next: &CompiledScene, options: &Options) -> Option<&'static str> {
    let is_cut = |buffer: &Buffer| buffer.parts(next).len() > 1;
    let rules = [
        // Reads beyond the end of a buffer would reach into another world, and how deeply a user's shaders nest is not known.
        (!options.shaders.checked(next), "use shaders that a user wrote"),
        (next.nearest_walls.is_none() && next.ways.is_none(), "have maps"),
        (!next.features.skips, "have agents that skip steps"),
        (!BUFFERS.iter().any(is_cut), "are too large"),
        (first.counts() == next.counts(), "have different numbers of agents"),
        (
            first.querying_agents() == next.querying_agents(),
            "have different numbers of agents that search for a `nearest` target",
        ),
        (first.is_small() == next.is_small(), "run different passes, because only some of them are small"),
        (first.contact_rounds == next.contact_rounds, "move bodies apart in different numbers of rounds"),
        (first.ground.len() == next.ground.len(), "have grounds of different sizes"),
        (first.scenery.line_count == next.scenery.line_count, "have different numbers of lines"),
        (first.obstacle_texels == next.obstacle_texels, "have different obstacles"),
        (first.surface_mesh == next.surface_mesh, "have different meshes"),
        (
            pipelines::are_alike(first, next, options),
            "use different behaviors, or the same behaviors in different forms",
        ),
    ];
    rules.into_iter().find(|(holds, _)| !holds).map(|(_, what)| what)
}

/// Several worlds with the same behaviors and equally many agents, which differ in numbers: parameters, seeds, sizes. Each world's results
/// are to the bit those that it has alone.
#[derive(Debug)]
pub struct Worlds {
    /// The simulation of the world with the most cells. Its buffers hold all worlds.
    largest: Simulation,
    models: Vec<CompiledScene>,
    scenes: Vec<Scene>,
}

impl Worlds {
    /// As many of these worlds as can run side by side, from the first one on, each from its state: [`Worlds::scenes`] tells which.
    /// `starts` is read up to the first world that differs from the first one in more than numbers, or does not fit. Blocks while shaders
    /// compile.
    ///
    /// # Errors
    /// What [`Simulation::new`] may fail with, and [`GpuError::NotSideBySide`] if not even two can: scenes of other behaviors or of other
    /// numbers of agents, with maps, with agents that skip steps, or with shaders of a user's.
    pub fn new(
        gpu: &Gpu,
        starts: impl IntoIterator<Item = (Scene, State)>,
        options: &Options,
    ) -> Result<Worlds, GpuError> {
        let limits = gpu.device.limits();
        let (mut scenes, mut models, mut states, mut what) = (Vec::new(), Vec::new(), Vec::new(), "are fewer than two");
        for (scene, state) in starts {
            let compile = |()| Ok(CompiledScene::new(&scene, options.grid)?.bound_by(largest_binding(&limits)));
            let model = match state.check(&scene).map_err(GpuError::from).and_then(compile) {
                Ok(model) => model,
                // An error in a later world ends the list: whoever runs that world gets the error.
                Err(_) if !models.is_empty() => break,
                Err(error) => return Err(error),
            };
            if let Some(differs) = refusal(models.first().unwrap_or(&model), &model, options) {
                what = differs;
                break;
            }
            scenes.push(scene);
            models.push(model);
            states.push(state);
        }
        let refused = |what: String| GpuError::NotSideBySide { what };
        if models.len() < 2 {
            return Err(refused(what.to_owned()));
        }
        // The worlds are alike, so one program serves all of them.
        let program = Program::checked(gpu, &models[0], options)?;
        let world_layout = world_layout(&program, &models, gpu).map_err(refused)?;
        models.truncate(world_layout.worlds as usize);
        scenes.truncate(models.len());
        if models.len() < 2 {
            return Err(refused("are too large".to_owned()));
        }
        let most = (0..models.len()).max_by_key(|index| models[*index].world.last_cell()).unwrap_or(0);
        let (model, state) = (models[most].clone(), &states[most]);
        let program = program.of_many(world_layout, options)?;
        let pipelines = Arc::new(program.compile(gpu, options, &model)?);
        let mut largest = Simulation::assemble(gpu, &scenes[most], state, model, pipelines)?;
        for ((world, model), state) in (0..).zip(&models).zip(&states) {
            largest.upload_world(world, model, &Snapshot::start(model, state))?;
        }
        gpu.alive()?;
        Ok(Worlds { largest, models, scenes })
    }

    /// The scenes of the worlds that run.
    pub fn scenes(&self) -> &[Scene] {
        &self.scenes
    }

    /// Steps since the start, as far as they are submitted.
    pub fn steps(&self) -> u64 {
        self.largest.steps()
    }

    /// The device that the worlds run on.
    pub fn gpu(&self) -> &Gpu {
        self.largest.gpu()
    }

    /// Run `steps` steps in all worlds: see [`Simulation::step`].
    ///
    /// # Errors
    /// A device that failed.
    pub fn step(&mut self, steps: u32) -> Result<(), GpuError> {
        self.largest.step(steps)
    }

    /// The digest and observables of each world when the steps submitted so far are done. Blocks until then.
    ///
    /// # Errors
    /// A device that failed, or a step that the driver cut off.
    pub fn observe(&self) -> Result<Vec<Observation>, GpuError> {
        self.largest.observe_worlds(&self.models)
    }

    /// The whole state of each world. Blocks until all are read.
    ///
    /// # Errors
    /// A device that failed.
    pub fn snapshots(&self) -> Result<Vec<Snapshot>, GpuError> {
        self.largest.read_worlds(&self.models).wait()
    }

    /// Allocated bytes: see [`Simulation::allocated_bytes`].
    pub fn allocated_bytes(&self) -> u64 {
        self.largest.allocated_bytes()
    }
}
