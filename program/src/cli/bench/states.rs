//! Flocked states, made once and kept in a folder.
//!
//! The name of a file says what it is: the world, agents, seed and steps, a hash of the scene, of all shaders and of the version of
//! checkpoints, and the digest of the state. What is read again must be all of that.

use crate::cli::Failure;
use crate::cli::interrupt::Interrupt;
use crate::cli::shared::print_note;
use std::fs;
use std::path::{Path, PathBuf};
use steerling::files;
use steerling::gpu::{GpuError, Options, Simulation};
use steerling::model::Snapshot;
use steerling::output::{CHECKPOINT_VERSION, Computed, Recipe, read_checkpoint, write_checkpoint};
use steerling::scene::Scene;

/// Steps between checks for Ctrl-C.
const BATCH: u32 = 10;

/// The default folder of states.
pub fn default_folder() -> Option<PathBuf> {
    Some(dirs::cache_dir()?.join("steerling").join("bench"))
}

/// Bring a simulation at its start to the state after `steps` steps. Returns it and its snapshot. The state is read from the folder, or
/// else computed and kept there.
pub fn flocked(
    mut simulation: Simulation,
    steps: u32,
    options: &Options,
    folder: Option<&Path>,
    interrupt: &Interrupt,
) -> Result<(Simulation, Snapshot), Failure> {
    let scene = simulation.scene().clone();
    let recipe = Recipe::new(&scene, Some(scene.agent_count()), None)?;
    let stem = stem(&simulation, &recipe, steps, options)?;
    if let Some((path, digest)) = folder.and_then(|folder| find(folder, &stem)) {
        let (found, _, snapshot) = read_checkpoint(&path)?;
        let reason =
            |reason: &str| Failure::data(&path, format!("{reason}; remove this file, and the state is computed again"));
        if found != recipe || snapshot.steps != u64::from(steps) {
            return Err(reason("does not hold the state that its name says"));
        }
        simulation.restore(&snapshot).map_err(|error| reason(&error.to_string()))?;
        if simulation.observe()?.digest_hex() != digest {
            return Err(reason("does not have the digest that its name says"));
        }
        return Ok((simulation, snapshot));
    }
    print_note(&format!("note: {} agents of {} take {steps} steps to flock", scene.agent_count(), scene.name));
    let mut left = steps;
    while left > 0 {
        let now = left.min(BATCH);
        simulation.step(now)?;
        simulation.gpu().wait()?;
        interrupt.check()?;
        left -= now;
    }
    let (digest, snapshot) = (simulation.observe()?.digest_hex(), simulation.snapshot()?);
    if let Some(folder) = folder {
        let computed = Computed::on_gpu(simulation.gpu(), options);
        keep(folder, &format!("{stem}-{digest}.steering"), &recipe, &computed, &snapshot);
    }
    Ok((simulation, snapshot))
}

/// Write a state into the folder. If that fails, a note is printed and the benchmark goes on.
fn keep(folder: &Path, name: &str, recipe: &Recipe, computed: &Computed, snapshot: &Snapshot) {
    let made = files::create_folders(folder).map_err(|error| Failure::Other(format!("{}: {error}", folder.display())));
    if let Err(error) = made.and_then(|()| Ok(write_checkpoint(&folder.join(name), false, recipe, computed, snapshot)?))
    {
        print_note(&format!("note: the state cannot be kept: {error}"));
    }
}

/// The file name of a state, without digest and extension.
fn stem(simulation: &Simulation, recipe: &Recipe, steps: u32, options: &Options) -> Result<String, Failure> {
    let scene: &Scene = simulation.scene();
    let shaders = options.shaders.module_text(simulation.model()).map_err(GpuError::from)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{CHECKPOINT_VERSION} {recipe:?}").as_bytes()).update(shaders.as_bytes());
    let hash = &hasher.finalize().to_hex()[..12];
    Ok(format!("{}-{}-{}-{steps}-{hash}", scene.name, scene.agent_count(), scene.seed))
}

/// Find a file whose name is `stem` and a digest. Returns its path and the digest.
fn find(folder: &Path, stem: &str) -> Option<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths.into_iter().find_map(|path| {
        let name = path.file_name()?.to_str()?;
        let digest = name.strip_prefix(stem)?.strip_prefix('-')?.strip_suffix(".steering")?.to_owned();
        Some((path, digest))
    })
}
