//! Steerling steers a million agents on any GPU, and proves that it does so correctly.
//!
//! A [`scene::Scene`] says what the world, the agents and their behaviors are. [`gpu::Simulation`] runs it on a GPU, also on a
//! device of yours; [`cpu::Simulation`] runs the same steps on the CPU, and is the reference that [`verify`] compares the GPU
//! with, stage by stage.
//!
//! # A first simulation
//!
//! ```
//! use steerling::cpu::{Execution, Simulation};
//! use steerling::model::State;
//! use steerling::scene::{Draft, Species};
//!
//! // A thousand birds in a world of 200 u by 100 u that wraps.
//! let mut birds = Species::new("birds", 1_000);
//! birds.max_speed = 12.0; // u/s
//! birds.enable("separation")?.enable("alignment")?.enable("cohesion")?;
//! birds.set("cohesion", "perception_radius", 8.0)?; // u
//! let mut draft = Draft::new("starlings", [200.0, 100.0]);
//! draft.species.push(birds);
//! let scene = draft.validate()?; // What exists as a scene is valid.
//!
//! let mut simulation = Simulation::new(&scene, &State::initial(&scene), Execution::Parallel)?;
//! let before = simulation.observe().polarization;
//! simulation.step(100);
//! let after = simulation.observe();
//! assert!(after.polarization > before, "they agree on where to go");
//! assert_eq!(simulation.state().positions.len(), 1_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! On a GPU the code reads the same, and the state stays there:
//!
//! ```no_run
//! use steerling::gpu::{AdapterChoice, Gpu, Options, Simulation};
//! use steerling::{model::State, scene::Scene, wgpu};
//!
//! let gpu = Gpu::open(&AdapterChoice::Best)?; // or Gpu::from_device(device, queue)
//! let scene = Scene::open("flock", &[])?.with_agents(10_000)?;
//! let mut simulation = Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default())?;
//! simulation.step(60)?;
//! let positions: &wgpu::Buffer = simulation.position_buffer();
//! println!("polarization {:.3}", simulation.observe()?.polarization);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The folder `examples` goes on from here: a force of your own between steering and moving, a compute pass of your own between
//! steps, many small worlds that share pipelines, drawing with a pipeline of your own, and changes of a running simulation.
//!
//! # Modules
//!
//! | module | has |
//! | --- | --- |
//! | [`scene`] | scenes: from TOML, from presets, or built and changed in Rust; errors with their places |
//! | [`gpu`] | adapters and devices, the simulation on a GPU, its buffers, reading with and without waiting, timing |
//! | [`cpu`] | the reference, a brute-force oracle, and an interpreter of WGSL |
//! | [`model`] | what both share: states, snapshots, observations, the parameter blocks and the table of stages |
//! | [`engine`] | one type for a simulation on either backend |
//! | [`measure`] | what a step costs and why |
//! | [`verify`] | the GPU against the reference |
//! | `render`, `output` | pictures and run folders: features, see below |
//! | [`input`], `files` | files that are read with a limit, and written as a whole |
//!
//! The laws of steering, by which both backends are tested, are a crate of their own, `steerling-conform`, and so is the
//! program with its window, `steerling-program`.
//!
//! # Features
//!
//! None is on by default: none is needed to simulate or to verify.
//!
//! | feature | adds |
//! | --- | --- |
//! | `fields` | flow fields from PNG images, wind files and NPY arrays; without it such a scene is refused with a [`scene::SceneError`] |
//! | `render` | the module `render`: a renderer into any texture view, PNG, GIF and films |
//! | `output` | the module `output`: run.json, metrics.csv and states as NPY |
//! | `schema` | `scene::schema`: the JSON Schema of scene files |
//! | `faults` | for tests of the program: points at which a file or a device fails, in builds with assertions |
//!
//! # Units
//!
//! Lengths are in u, which a scene gives its meaning, times in s, masses in kg, angles in degrees where a person writes them
//! and in radians elsewhere. Vectors of the interface have three components, and z is 0 in a planar world; buffers on the GPU
//! hold two floats of each vector in a planar world, and three in a spatial one.
//!
//! # What is promised
//!
//! - The same build, adapter and driver give the same bits in every run. On Vulkan, with the feature `PASSTHROUGH_SHADERS` of
//!   the device, they are the bits of the reference; elsewhere [`verify`] judges by a tolerance and says so.
//! - Whatever input (a file, a scene, a state) can cause is an error with a type, never a panic; an index that does not exist is a
//!   mistake of the caller, and functions say where one panics. A change that fails leaves a simulation as it was.
//! - A step copies nothing between host and device, except where ways to goals heed crowds (`map.crowding`).
//! - A device of yours needs no more than the default limits of wgpu; [`gpu::Simulation::check`] says what does not fit.
//! - Stages, parameter blocks and buffers are public to be looked at. They may change with any version; scenes carry the
//!   version number of their layout.

// stderr may be full or gone, and then the macros panic.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]

mod constants;
pub mod cpu;
pub mod embedded;
pub mod engine;
mod fault;
#[cfg(any(feature = "output", feature = "render"))]
pub mod files;
pub mod gpu;
pub mod input;
mod lock;
pub mod measure;
mod memory;
pub mod model;
#[cfg(any(feature = "fields", feature = "output"))]
mod npy;
#[cfg(feature = "output")]
pub mod output;
#[cfg(feature = "render")]
pub mod render;
pub mod scene;
pub mod shaders;
pub mod verify;

/// A library whose types are part of this one's interface. Use it from here, and its version matches.
#[cfg(feature = "render")]
pub use image;
/// Libraries whose types are part of this one's interface. Use them from here, and their versions match.
pub use {glam, wgpu};
