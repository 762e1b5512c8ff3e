//! One type for a simulation on either backend: what runs, laws and checkpoints need of both.

use crate::cpu::{self, CpuError, Execution};
use crate::gpu::{self, Gpu, GpuError, Options};
use crate::memory;
use crate::model::{BufferId, Change, CompiledScene, Events, GridChoice, Observation, Snapshot, StageId, State};
use crate::scene::Scene;
use std::ops::Range;

/// Bytes per agent that the CPU reference takes, with its grid and the state that it starts from: up to 627 were measured.
const CPU_BYTES_PER_AGENT: u64 = 640;
/// Bytes per agent with a software adapter beside the reference, and copies of the buffers to compare: 716 were measured.
const BOTH_BYTES_PER_AGENT: u64 = 760;
/// Bytes per agent that a snapshot takes in addition while it is read and written, or read and restored: up to 356 were measured.
const SNAPSHOT_BYTES_PER_AGENT: u64 = 360;

/// Where simulations run.
#[derive(Debug, Clone)]
pub enum Backend {
    /// On the CPU reference.
    Cpu,
    /// On a GPU, with these options.
    Gpu(Box<Gpu>, Box<Options>),
}

/// A simulation on either backend.
#[derive(Debug)]
pub enum Engine {
    /// On the CPU reference.
    Cpu(Box<cpu::Simulation>),
    /// On a GPU.
    Gpu(Box<gpu::Simulation>),
}

/// What the reference refuses, a GPU refuses too, in the same words.
impl From<CpuError> for GpuError {
    fn from(error: CpuError) -> Self {
        match error {
            CpuError::Scene(error) => GpuError::Scene(error),
            CpuError::State(error) => GpuError::State(error),
            CpuError::Shader(error) => GpuError::Shader(error),
            CpuError::NoAgent { id, agents } => GpuError::NoAgent { id, agents },
        }
    }
}

impl Backend {
    /// Check, before a run is started, that there is address space for its threads. [`Gpu::check_room`] does the same for drivers.
    ///
    /// # Errors
    /// A limit of the process on its address space that leaves too little.
    pub fn check_room() -> Result<(), String> {
        memory::check_room()
    }

    /// Short name, for reports.
    pub fn name(&self) -> &'static str {
        match self {
            Backend::Cpu => "cpu",
            Backend::Gpu(..) => "gpu",
        }
    }

    /// Name of the device, to show to a person.
    pub fn title(&self) -> String {
        match self {
            Backend::Cpu => "the CPU reference".to_owned(),
            Backend::Gpu(gpu, _) => gpu.title(),
        }
    }

    /// Check that the scene fits, before any of its agents are made.
    ///
    /// # Errors
    /// Too many agents, or what [`gpu::Simulation::check`] finds.
    pub fn check(&self, scene: &Scene) -> Result<(), GpuError> {
        match self {
            Backend::Gpu(gpu, options) => Ok(gpu::Simulation::check(gpu, scene, options)?),
            Backend::Cpu => {
                fits_memory(scene.agent_count(), CPU_BYTES_PER_AGENT)?;
                Ok(gpu::check_map_of_reference(scene)?)
            }
        }
    }

    /// As [`Backend::check`], where snapshots of the state are read or restored too.
    ///
    /// # Errors
    /// As [`Backend::check`].
    pub fn check_with_snapshots(&self, scene: &Scene) -> Result<(), GpuError> {
        let each = match self {
            Backend::Gpu(gpu, options) => {
                let agents = u64::from(scene.agent_count().max(1));
                gpu::Simulation::checked_host_bytes(gpu, scene, options)?.div_ceil(agents)
            }
            Backend::Cpu => {
                self.check(scene)?;
                CPU_BYTES_PER_AGENT
            }
        };
        fits_memory(scene.agent_count(), each + SNAPSHOT_BYTES_PER_AGENT)
    }

    /// A simulation of the scene from this state.
    ///
    /// # Errors
    /// A state with another number of agents, or a scene that the backend cannot run.
    pub fn start(&self, scene: &Scene, state: &State) -> Result<Engine, GpuError> {
        Ok(match self {
            Backend::Cpu => Engine::Cpu(Box::new(cpu::Simulation::new(scene, state, Execution::Parallel)?)),
            Backend::Gpu(gpu, options) => {
                Engine::Gpu(Box::new(gpu::Simulation::new(gpu, scene, state, options.as_ref().clone())?))
            }
        })
    }
}

/// Check that both backends fit into memory at once, as for a comparison. [`Backend::check`] checks each alone.
///
/// # Errors
/// Too many agents for the memory of this machine.
pub fn check_both(gpu: &Gpu, scene: &Scene) -> Result<(), GpuError> {
    let each = if gpu.software() { BOTH_BYTES_PER_AGENT } else { CPU_BYTES_PER_AGENT };
    fits_memory(scene.agent_count(), each)
}

fn fits_memory(agents: u32, each: u64) -> Result<(), GpuError> {
    let needed = u64::from(agents) * each;
    let Some(usable) = memory::usable().filter(|usable| needed > *usable) else { return Ok(()) };
    let fits = (usable / each) as u32;
    Err(GpuError::OutOfMemory { agents, needed_mib: needed >> 20, available_mib: usable >> 20, fits })
}

/// The same expression for the simulation on either backend.
macro_rules! both {
    ($engine:ident, $simulation:ident => $result:expr) => {
        match $engine {
            Engine::Cpu($simulation) => $result,
            Engine::Gpu($simulation) => $result,
        }
    };
}

impl Engine {
    /// Run some steps, and return when they are done.
    ///
    /// # Errors
    /// A device that failed.
    pub fn step(&mut self, steps: u32) -> Result<(), GpuError> {
        match self {
            Engine::Cpu(simulation) => {
                simulation.step(steps);
                simulation.check()?;
            }
            Engine::Gpu(simulation) => {
                simulation.step(steps)?;
                simulation.gpu().wait_for(None)?;
            }
        }
        Ok(())
    }

    /// Start a scene from its initial state, whatever ran before: the run is the same as that of a new simulation. On a GPU, buffers and
    /// pipelines that fit are used again.
    ///
    /// # Errors
    /// As [`Backend::start`].
    pub fn restart(&mut self, scene: &Scene) -> Result<(), GpuError> {
        both!(self, simulation => Ok(simulation.restart(scene)?))
    }

    /// Go on with another scene, and say what had to be replaced for it.
    ///
    /// # Errors
    /// A scene that the backend cannot run; the simulation is as it was.
    pub fn change(&mut self, scene: &Scene) -> Result<Change, GpuError> {
        Ok(match self {
            Engine::Cpu(simulation) => {
                Backend::Cpu.check(scene)?;
                simulation.change(scene)?
            }
            Engine::Gpu(simulation) => simulation.change(scene)?,
        })
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        both!(self, simulation => simulation.steps())
    }

    /// The scene that it simulates, as of the start or the latest change.
    pub fn scene(&self) -> &Scene {
        both!(self, simulation => simulation.scene())
    }

    /// Run one stage of a step.
    ///
    /// # Errors
    /// A device that failed.
    pub fn run_stage(&mut self, stage: StageId) -> Result<(), GpuError> {
        match self {
            Engine::Cpu(simulation) => simulation.run_stage(stage),
            Engine::Gpu(simulation) => simulation.run_stage(stage)?,
        }
        Ok(())
    }

    /// Digest and observables of the current state, with the further observables that the scene asks for.
    ///
    /// # Errors
    /// A device that failed, or a step that the driver cut off.
    pub fn observe(&self) -> Result<Observation, GpuError> {
        Ok(match self {
            Engine::Cpu(simulation) => simulation.observe(),
            Engine::Gpu(simulation) => simulation.measure()?,
        })
    }

    /// As [`Engine::observe`], but with the further observables that `scene`, a scene with the same agents, asks for. If these are not
    /// those of the simulation's own scene, the whole state is read, and they are measured on the CPU.
    ///
    /// # Errors
    /// As [`Engine::observe`].
    pub fn observe_as(&self, scene: &Scene) -> Result<Observation, GpuError> {
        let seen = self.observe()?;
        if scene.requested() == self.scene().requested() {
            return Ok(seen);
        }
        // No step follows, so the grid does not matter.
        let (state, grid) = (self.snapshot()?, GridChoice::default());
        let measured = cpu::Simulation::resume(scene, &state, Execution::Parallel, grid)?.observe();
        Ok(Observation { requested: measured.requested, ..seen })
    }

    /// Run `every` steps `moments` times, and observe after each time. On a GPU no step waits for an observation.
    ///
    /// # Errors
    /// As [`Engine::observe`].
    pub fn observations(&mut self, moments: u32, every: u32) -> Result<Vec<Observation>, GpuError> {
        match self {
            Engine::Gpu(simulation) => Ok(simulation.observations(moments, every)?),
            Engine::Cpu(_) => (0..moments).map(|_| self.step(every).and_then(|()| self.observe())).collect(),
        }
    }

    /// The state of all agents, in the order of their ids.
    ///
    /// # Errors
    /// A device that failed.
    pub fn state(&self) -> Result<State, GpuError> {
        Ok(match self {
            Engine::Cpu(simulation) => simulation.state(),
            Engine::Gpu(simulation) => simulation.state()?,
        })
    }

    /// The state of the agents with these ids, without poses; on a GPU it takes less memory than the state of all.
    ///
    /// # Errors
    /// An id that no agent has, or a device that failed.
    pub fn motion(&self, ids: Range<u32>) -> Result<State, GpuError> {
        both!(self, simulation => Ok(simulation.motion(ids)?))
    }

    /// List events from now on, for [`Engine::take_events`]. Before this is called, events cost nothing. The state is the same either way.
    ///
    /// # Errors
    /// As [`Backend::start`].
    pub fn list_events(&mut self) -> Result<(), GpuError> {
        match self {
            Engine::Cpu(simulation) => simulation.list_events(),
            Engine::Gpu(simulation) => simulation.list_events()?,
        }
        Ok(())
    }

    /// The events since this was last called, or since a state was set. Events of steps before [`Engine::list_events`] are not among them.
    ///
    /// # Errors
    /// A device that failed.
    pub fn take_events(&mut self) -> Result<Events, GpuError> {
        Ok(match self {
            Engine::Cpu(simulation) => simulation.take_events(),
            Engine::Gpu(simulation) => simulation.take_events()?,
        })
    }

    /// The state of some agents, in the order of these ids, without poses.
    ///
    /// # Errors
    /// [`GpuError::NoAgent`], or a device that failed.
    pub fn agents(&self, ids: &[u32]) -> Result<State, GpuError> {
        let (mut found, all) = (State::default(), self.model().world.agent_count);
        let mut add = |position, velocity, frozen| {
            found.positions.push(position);
            found.velocities.push(velocity);
            found.frozen.push(frozen);
        };
        match self {
            Engine::Gpu(simulation) => {
                let agents = simulation.read_agents(ids)?.wait()?;
                agents.iter().for_each(|agent| add(agent.position, agent.velocity, agent.frozen));
            }
            Engine::Cpu(simulation) => {
                let state = simulation.motion(0..all)?;
                for id in ids {
                    let of = *id as usize;
                    let position = state.positions.get(of).ok_or(GpuError::NoAgent { id: *id, agents: all })?;
                    add(*position, state.velocities[of], state.frozen[of]);
                }
            }
        }
        Ok(found)
    }

    /// Run `every` steps `moments` times, and return the state after each time. On a GPU this is much faster than stepping and reading in
    /// turn.
    ///
    /// # Errors
    /// A device that failed.
    pub fn states(&mut self, moments: u32, every: u32) -> Result<Vec<State>, GpuError> {
        match self {
            Engine::Cpu(simulation) => {
                let mut states = Vec::with_capacity(moments as usize);
                for _ in 0..moments {
                    simulation.step(every);
                    states.push(simulation.state());
                }
                simulation.check()?;
                Ok(states)
            }
            Engine::Gpu(simulation) => Ok(simulation.states(moments, every)?),
        }
    }

    /// A snapshot of the whole state.
    ///
    /// # Errors
    /// A device that failed.
    pub fn snapshot(&self) -> Result<Snapshot, GpuError> {
        Ok(match self {
            Engine::Cpu(simulation) => simulation.snapshot(),
            Engine::Gpu(simulation) => simulation.snapshot()?,
        })
    }

    /// Go on from a snapshot, taken on any backend.
    ///
    /// # Errors
    /// A snapshot that is not one of the scene, or a device that failed.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), GpuError> {
        both!(self, simulation => Ok(simulation.restore(snapshot)?))
    }

    /// The parameters that the simulation runs with.
    pub fn model(&self) -> &CompiledScene {
        both!(self, simulation => simulation.model())
    }

    /// The words of a buffer, laid out as in the shaders.
    ///
    /// # Errors
    /// A device that failed, or a buffer that the simulation does not have.
    pub fn words(&self, buffer: BufferId) -> Result<Vec<u32>, GpuError> {
        match self {
            Engine::Gpu(simulation) => Ok(simulation.words(buffer)?),
            Engine::Cpu(simulation) => Ok(simulation.contents(buffer).ok_or(GpuError::NoBuffer { buffer })?),
        }
    }
}
