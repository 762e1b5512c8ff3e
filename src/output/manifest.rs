//! `run.json`: what was run, on what, and what came out.

use super::{Computed, FileRecord, Recipe};
use crate::engine::Backend;
use crate::model::Observation;
use crate::scene::Scene;
use serde::{Deserialize, Serialize};

/// Everything that `run.json` says. Lengths are in u, times in s, speeds in u/s.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Manifest {
    /// Always `steerling`.
    pub program: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// The commit that it was built from; null where the build did not know.
    pub commit: Option<&'static str>,
    /// The command line.
    pub command: Vec<String>,
    /// BLAKE3 hash of everything that decides the results, in hexadecimal. Runs with equal hashes have equal digests after equal
    /// steps.
    pub hash: String,
    /// The scene, as text and as it was run.
    pub scene: SceneRecord,
    /// Seed of all random numbers.
    pub seed: u32,
    /// Number of agents.
    pub agents: u32,
    /// Time step, s.
    pub dt: f32,
    /// The state that the run started from; null where it was the scene's own start.
    pub from: Option<FileRecord>,
    /// The checkpoint that the run went on from; null where it began at step 0.
    pub resumed: Option<Resumed>,
    /// Steps that were asked for.
    pub steps_asked: u64,
    /// Steps that were done.
    pub steps: u64,
    /// The condition of `--until`, which ends the run early; null without one.
    pub until: Option<String>,
    /// What ended it: `steps`, `until`, `signal` or `error`.
    pub ended: &'static str,
    /// The signal that ended the run: `SIGINT`, which is Ctrl-C, `SIGTERM` or `SIGHUP`; null if none did.
    pub signal: Option<&'static str>,
    /// The error that ended the run early; null if none did.
    pub error: Option<String>,
    /// The device that computed it.
    pub device: Device,
    /// How long it took.
    pub timings: Timings,
    /// 128-bit digest of the final state, in hexadecimal.
    pub digest: String,
    /// Length of the mean heading of the final state, 0 to 1.
    pub polarization: f64,
    /// Mean number of neighbors that an agent perceived in the last step; null before the first.
    pub mean_neighbors: Option<f64>,
    /// Mean speed of the final state, u/s.
    pub mean_speed: f64,
    /// Agents that stand still because their state was not finite.
    pub bad_agents: u32,
    /// The smallest id of the `bad_agents`; null if there are none.
    pub first_bad: Option<u32>,
    /// Agents that nobody perceived in the last step, because their cells held more than `world.crowd`.
    pub unseen: u32,
    /// `metrics.csv`.
    pub metrics: Metrics,
    /// The NPY files.
    pub states: States,
    /// `tracks.csv`, where there is one.
    pub tracks: Option<TracksRecord>,
    /// `events.csv` and `crossings.csv`, where there are some.
    pub events: Option<EventsRecord>,
    /// BLAKE3 hash of this file with an empty text in this place.
    pub checksum: String,
}

/// The scene of a run. It can be made again from text, overrides and `scaled_to`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SceneRecord {
    /// Name of the scene.
    pub name: String,
    /// The preset, or the absolute path of the file.
    pub origin: String,
    /// Each `KEY=VALUE`, in the order in which they were applied.
    pub overrides: Vec<String>,
    /// The number of agents that the world was scaled to by `--agents`; null where it was not.
    pub scaled_to: Option<u32>,
    /// Extent of the world along each axis after scaling, u.
    pub world_size: Vec<f32>,
    /// The species; ids are given in this order.
    pub species: Vec<SpeciesRecord>,
    /// The TOML as it was written.
    pub text: String,
    /// The files that it names: own behaviors with their texts, images and winds by their hashes.
    pub files: Vec<FileRecord>,
}

/// One species of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SpeciesRecord {
    /// Its name.
    pub name: String,
    /// Id of its first agent.
    pub first_id: u32,
    /// Number of its agents.
    pub count: u32,
}

/// What a run went on from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Resumed {
    /// The checkpoint's file.
    pub file: String,
    /// Its BLAKE3 hash, in hexadecimal.
    pub hash: String,
    /// Steps that were done when it was written.
    pub step: u64,
}

/// What computed a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Device {
    /// Name of the adapter, or `cpu reference`.
    pub adapter: String,
    /// Graphics interface; null on the CPU reference.
    pub backend: Option<String>,
    /// Driver and its version; null on the CPU reference.
    pub driver: Option<String>,
    /// Are floats computed as written, so that results are comparable to the bit?
    pub exact: bool,
    /// Are the agents of a cell in the order of their ids, so that results are the same in every run?
    pub ordered: bool,
    /// Invocations per workgroup; null on the CPU reference.
    pub workgroup_size: Option<u32>,
    /// Shaders that replace built-in ones, by the paths of the built-in ones.
    pub shaders: Vec<FileRecord>,
}

/// How long a run took, s.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Timings {
    /// Everything, from the start of the program to this record.
    pub total: f64,
    /// Until the first step.
    pub setup: f64,
    /// The steps, and the rows that were read with them.
    pub steps: f64,
    /// Median of the time of a step, over the batches of steps that were waited for; null without a step.
    pub step_median: Option<f64>,
}

/// What `metrics.csv` holds.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Metrics {
    /// Its path, relative to the folder.
    pub file: &'static str,
    /// Steps between rows.
    pub every: u64,
    /// Names of the columns.
    pub columns: Vec<String>,
}

/// What `tracks.csv` holds.
#[derive(Debug, Clone, Serialize)]
pub struct TracksRecord {
    /// Its name.
    pub file: &'static str,
    /// Steps between moments.
    pub every: u64,
    /// Number of tracked agents.
    pub agents: usize,
}

/// What the tables of events hold.
#[derive(Debug, Clone, Serialize)]
pub struct EventsRecord {
    /// Their names.
    pub files: Vec<&'static str>,
    /// Steps after which the list of events is read each time.
    pub every: u64,
    /// Events that are missing in the tables, because there were more between two reads than the list holds.
    pub unlisted: u64,
}

/// What the NPY files hold.
#[derive(Debug, Clone, Default, Serialize)]
pub struct States {
    /// Their paths, relative to the folder; the number is the step.
    pub files: Vec<String>,
    /// Steps between states; null if none but the last was asked for.
    pub every: Option<u64>,
    /// Type of the numbers, as NumPy names it.
    pub dtype: &'static str,
    /// Rows and columns.
    pub shape: [u64; 2],
    /// Names of the columns: position, u, and velocity, u/s.
    pub columns: &'static [&'static str],
    /// What a row is.
    pub rows: &'static str,
}

impl Device {
    /// The device of a backend.
    pub fn of(backend: &Backend) -> Device {
        let Computed { exact, ordered, .. } = Computed::on(backend);
        match backend {
            Backend::Gpu(gpu, options) => Device {
                adapter: gpu.info.name.clone(),
                backend: Some(gpu.info.backend.to_string()),
                driver: Some(crate::gpu::driver(&gpu.info)),
                exact,
                ordered,
                workgroup_size: Some(options.workgroup_size),
                shaders: options.shaders.changed().map(|(path, text)| FileRecord::of_text(path, text)).collect(),
            },
            Backend::Cpu => Device { adapter: "cpu reference".to_owned(), exact, ordered, ..Default::default() },
        }
    }
}

impl SceneRecord {
    /// The record of a scene.
    pub fn new(scene: &Scene, recipe: &Recipe) -> Self {
        let mut first_id = 0;
        let species = scene.species.iter().map(|species| {
            let record = SpeciesRecord { name: species.name.clone(), first_id, count: species.count };
            first_id += species.count;
            record
        });
        let axes = scene.world.axes();
        SceneRecord {
            name: scene.name.clone(),
            origin: recipe.origin.clone(),
            overrides: recipe.overrides.clone(),
            scaled_to: recipe.scaled_to,
            world_size: scene.world.size.to_array()[..axes].to_vec(),
            species: species.collect(),
            text: recipe.text.clone(),
            files: FileRecord::of_scene(scene, &recipe.files),
        }
    }
}

impl Manifest {
    /// Fill in what was observed of the final state.
    pub fn see(&mut self, steps: u64, seen: &Observation) {
        self.steps = steps;
        self.digest = seen.digest_hex();
        self.polarization = seen.polarization;
        self.mean_neighbors = (steps > 0).then_some(seen.mean_neighbors);
        self.mean_speed = seen.mean_speed;
        self.bad_agents = seen.bad_agents;
        self.first_bad = seen.first_bad;
        self.unseen = seen.unseen;
    }
}
