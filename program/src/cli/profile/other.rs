//! `steerling profile --against`: what the profiled simulation ("ours") is compared with.

use super::*;
use crate::cli::shared::{PLAIN, plain, read_json};
use steerling::gpu::shaders::Sources;
use steerling::scene::Scene;

/// The other side of the comparison.
pub(super) enum Other {
    /// Figures that `--json` printed earlier.
    Earlier(Earlier),
    /// The same scene and state, built with other options.
    Built(Box<Options>),
    /// Another scene.
    Scene(Box<Scene>),
}

/// Prefix of a folder of shaders in the value of `--against`.
pub(super) const SHADERS: &str = "shaders=";
/// Value of `--against` for our step with each stage in passes of its own.
const STAGES: &str = "stages";
/// Prefix of a workgroup size in the value of `--against`.
const WORKGROUP_SIZE: &str = "workgroup-size=";

impl Other {
    /// Parse the value of `--against`, and read the files that it names, before anything runs.
    pub fn read(name: &str, ours: &SceneArgs, options: &Options) -> Result<Other, Failure> {
        let built = |options: Options| Ok(Other::Built(Box::new(options)));
        if name.ends_with(".json") {
            return Ok(Other::Earlier(earlier(Path::new(name))?));
        }
        if let Some(folder) = name.strip_prefix(SHADERS) {
            if folder.is_empty() {
                return Err(Failure::Usage(format!("--against {name}: a folder of shaders must follow")));
            }
            let shaders = Sources::from_folder(Path::new(folder)).map_err(GpuError::from)?;
            return built(Options { shaders, ..options.clone() });
        }
        if let Some(size) = name.strip_prefix(WORKGROUP_SIZE) {
            let size = size.parse().ok().filter(|size: &u32| [64, 128, 256].contains(size));
            let wrong = || Failure::Usage(format!("--against {name}: workgroups have 64, 128 or 256 invocations"));
            return built(Options { workgroup_size: size.ok_or_else(wrong)?, ..options.clone() });
        }
        match name {
            PLAIN => built(plain(options)),
            STAGES => built(Options { stride: false, ..options.clone() }),
            _ => {
                let theirs = SceneArgs { scene: Some(name.to_owned()), overrides: Vec::new(), ..ours.clone() };
                Ok(Other::Scene(Box::new(theirs.open()?)))
            }
        }
    }

    /// The other simulation; `None` for earlier figures. It starts from the state of `ours`, or for another scene runs `warmup` steps.
    pub fn simulation(&self, ours: &Simulation, options: &Options, warmup: u32) -> Result<Option<Simulation>, Failure> {
        let built = match self {
            Other::Earlier(earlier) => {
                if earlier.adapter != ours.gpu().title() {
                    print_note(&format!("warning: the figures were measured on another adapter, {}", earlier.adapter));
                }
                if earlier.scene != ours.scene().name {
                    print_note(&format!("warning: the figures are of another scene, {}", earlier.scene));
                }
                if earlier.agents != ours.scene().agent_count() {
                    print_note(&format!("warning: the figures are of {} agents", earlier.agents));
                }
                return Ok(None);
            }
            Other::Scene(scene) => {
                let mut theirs = Simulation::new(ours.gpu(), scene, &State::initial(scene), options.clone())?;
                theirs.step(warmup)?;
                return Ok(Some(theirs));
            }
            Other::Built(options) => options,
        };
        // The same state. The step brings the agents into sorted order.
        let snapshot = ours.snapshot()?;
        let mut theirs = Simulation::new(ours.gpu(), ours.scene(), &snapshot.state(), *built.clone())?;
        theirs.restore(&snapshot)?;
        theirs.step(1)?;
        Ok(Some(theirs))
    }
}

/// Read figures that `--json` printed earlier.
fn earlier(path: &Path) -> Result<Earlier, Failure> {
    let earlier: Earlier = read_json(path, "profile")?;
    match Ratio::of_medians(&earlier.samples_ms, &earlier.samples_ms) {
        Some(_) => Ok(earlier),
        None => Err(Failure::data(path, "has no positive times in `samples_ms`")),
    }
}
