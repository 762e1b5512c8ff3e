//! What `steerling profile --against` runs beside.

use super::*;
use crate::cli::shared::read_json;
use steerling::gpu::shaders::Sources;
use steerling::scene::Scene;

/// What ours is compared with.
pub(super) enum Other {
    /// Figures of before.
    Earlier(Earlier),
    /// The same scene and state, built otherwise.
    Built(Box<Options>),
    /// Another scene.
    Scene(Box<Scene>),
}

/// The baseline that is no scene.
const PLAIN: &str = "plain";
/// What a folder of shaders follows.
pub(super) const SHADERS: &str = "shaders=";
/// Ours, stage by stage.
const STAGES: &str = "stages";
/// What a size of workgroups follows.
const WORKGROUP_SIZE: &str = "workgroup-size=";

impl Other {
    /// What `--against` names, before anything runs.
    pub fn read(name: &str, ours: &SceneArgs, options: &Options) -> Result<Other, Failure> {
        let built = |options: Options| Ok(Other::Built(Box::new(options)));
        if name.ends_with(".json") {
            return Ok(Other::Earlier(earlier(Path::new(name))?));
        }
        if let Some(folder) = name.strip_prefix(SHADERS) {
            let shaders = Sources::from_folder(Path::new(folder)).map_err(GpuError::from)?;
            return built(Options { shaders, ..options.clone() });
        }
        if let Some(size) = name.strip_prefix(WORKGROUP_SIZE) {
            let size = size.parse().ok().filter(|size: &u32| [64, 128, 256].contains(size));
            let wrong = || Failure::Usage(format!("--against {name}: workgroups have 64, 128 or 256 invocations"));
            return built(Options { workgroup_size: size.ok_or_else(wrong)?, ..options.clone() });
        }
        match name {
            PLAIN => {
                let Options { shaders, workgroup_size, .. } = options.clone();
                built(Options { shaders, workgroup_size, ..Options::plain() })
            }
            STAGES => built(Options { stride: false, ..options.clone() }),
            _ => {
                let theirs = SceneArgs { scene: Some(name.to_owned()), overrides: Vec::new(), ..ours.clone() };
                Ok(Other::Scene(Box::new(theirs.open()?)))
            }
        }
    }

    /// The other simulation, where there is one: from the state of ours, or after as many steps of its own.
    pub fn simulation(&self, ours: &Simulation, options: &Options, warmup: u32) -> Result<Option<Simulation>, Failure> {
        let built = match self {
            Other::Earlier(earlier) => {
                if earlier.adapter != ours.gpu().title() {
                    tell(&format!("warning: the figures are of another adapter, {}", earlier.adapter));
                }
                if earlier.scene != ours.scene().name {
                    tell(&format!("warning: the figures are of another scene, {}", earlier.scene));
                }
                if earlier.agents != ours.scene().agent_count() {
                    tell(&format!("warning: the figures are of {} agents", earlier.agents));
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
        // The same flock, and a step that sorts it.
        let snapshot = ours.snapshot()?;
        let mut theirs = Simulation::new(ours.gpu(), ours.scene(), &snapshot.state(), *built.clone())?;
        theirs.restore(&snapshot)?;
        theirs.step(1)?;
        Ok(Some(theirs))
    }
}

/// Figures that `--json` printed before.
fn earlier(path: &Path) -> Result<Earlier, Failure> {
    let earlier: Earlier = read_json(path, "profile")?;
    match Ratio::of_medians(&earlier.samples_ms, &earlier.samples_ms) {
        Some(_) => Ok(earlier),
        None => Err(Failure::data(path, "has no positive times in `samples_ms`")),
    }
}
