//! A simulation on whichever device was asked for, or is there.

use super::Failure;
use super::shared::GpuArgs;
use crate::cpu;
use crate::gpu::{self, Gpu, GpuError, Options};
use crate::model::{Observation, State};
use crate::output::Device;
use crate::scene::Scene;

/// Bytes per agent that the CPU reference takes, with its grid and the state that it starts from.
const CPU_BYTES_PER_AGENT: u64 = 256;

/// What computes the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceKind {
    /// A GPU, through Vulkan, Metal or Direct3D 12.
    Gpu,
    /// The CPU reference: every core, no driver.
    Cpu,
}

/// Where a simulation will run; opened before there is a state, so that a scene that is too large is refused first.
#[derive(Debug)]
pub enum Place {
    /// On this device, built this way.
    Gpu(Box<(Gpu, Options)>),
    /// On the CPU reference.
    Cpu,
}

impl Place {
    /// Open what was asked for. Where nothing was and no GPU can be used, say so and take the CPU reference.
    pub fn open(device: Option<DeviceKind>, args: &GpuArgs) -> Result<Place, Failure> {
        let flags = [
            ("--adapter", args.adapter.is_some()),
            ("--shaders", args.shaders.is_some()),
            ("--workgroup-size", args.workgroup_size.is_some()),
            ("--unordered", args.unordered),
        ];
        let named = flags.iter().find(|(_, given)| *given).map(|(flag, _)| flag);
        let gpu_only = named.is_some();
        if device == Some(DeviceKind::Cpu) {
            return match named {
                Some(flag) => Err(Failure::Usage(format!("{flag} is for the GPU and does not go with --device cpu"))),
                None => Ok(Place::Cpu),
            };
        }
        let options = args.options()?;
        match args.open() {
            Ok(gpu) => Ok(Place::Gpu(Box::new((gpu, options)))),
            Err(failure) if device.is_some() || gpu_only => Err(failure),
            Err(failure) => {
                eprintln!("note: {failure}\nnote: running on the CPU reference; --device gpu would insist on a GPU");
                Ok(Place::Cpu)
            }
        }
    }

    /// Does the scene fit, before any of its agents are made?
    pub fn check(&self, scene: &Scene) -> Result<(), Failure> {
        match self {
            Place::Gpu(parts) => Ok(gpu::Simulation::check(&parts.0, scene, &parts.1)?),
            Place::Cpu => match gpu::available_memory() {
                Some(available) => Ok(fits_memory(scene.agent_count(), available / 10 * 8)?),
                None => Ok(()),
            },
        }
    }

    /// A simulation of the scene from this state.
    pub fn start(&self, scene: &Scene, state: &State) -> Result<Engine, Failure> {
        Ok(match self {
            Place::Gpu(parts) => {
                let simulation = gpu::Simulation::new(&parts.0, scene, state, parts.1.clone())?;
                Engine::Gpu(Box::new(simulation))
            }
            Place::Cpu => Engine::Cpu(Box::new(cpu::Simulation::new(scene, state, cpu::Execution::Parallel)?)),
        })
    }

    /// The device, for a person.
    pub fn title(&self) -> String {
        match self {
            Place::Gpu(parts) => parts.0.title(),
            Place::Cpu => "the CPU reference".to_owned(),
        }
    }

    /// The device, for the record.
    pub fn record(&self, args: &GpuArgs) -> Device {
        match self {
            Place::Gpu(parts) => {
                let (gpu, options) = &**parts;
                Device {
                    adapter: gpu.info.name.clone(),
                    backend: Some(gpu.info.backend.to_string()),
                    driver: Some(format!("{} {}", gpu.info.driver, gpu.info.driver_info).trim().to_owned()),
                    exact: gpu.exact && options.exact,
                    ordered: options.id_order,
                    workgroup_size: Some(options.workgroup_size),
                    shaders: args.shaders.as_ref().map(|folder| folder.display().to_string()),
                }
            }
            Place::Cpu => Device {
                adapter: "cpu reference".to_owned(),
                backend: None,
                driver: None,
                exact: true,
                ordered: true,
                workgroup_size: None,
                shaders: None,
            },
        }
    }
}

fn fits_memory(agents: u32, usable: u64) -> Result<(), GpuError> {
    let needed = u64::from(agents) * CPU_BYTES_PER_AGENT;
    if needed <= usable {
        return Ok(());
    }
    let fits = (usable / CPU_BYTES_PER_AGENT) as u32;
    Err(GpuError::OutOfMemory { agents, needed_mib: needed >> 20, available_mib: usable >> 20, fits })
}

/// A simulation on a GPU or on the CPU.
#[derive(Debug)]
pub enum Engine {
    /// On a GPU.
    Gpu(Box<gpu::Simulation>),
    /// On the CPU reference.
    Cpu(Box<cpu::Simulation>),
}

impl Engine {
    /// Run `steps` steps, and return when they are done.
    pub fn step(&mut self, steps: u32) -> Result<(), Failure> {
        match self {
            Engine::Gpu(simulation) => {
                simulation.step(steps)?;
                simulation.gpu().wait()?;
            }
            Engine::Cpu(simulation) => simulation.step(steps),
        }
        Ok(())
    }

    /// Digest and observables of the current state.
    pub fn observe(&self) -> Result<Observation, Failure> {
        Ok(match self {
            Engine::Gpu(simulation) => simulation.observe()?,
            Engine::Cpu(simulation) => simulation.observe(),
        })
    }

    /// The state of all agents, in the order of their ids.
    pub fn state(&self) -> Result<State, Failure> {
        Ok(match self {
            Engine::Gpu(simulation) => simulation.state()?,
            Engine::Cpu(simulation) => simulation.state(),
        })
    }
}
