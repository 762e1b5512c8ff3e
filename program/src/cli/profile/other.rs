//! What `steerling profile --against` runs beside.

use super::*;
use steerling::gpu::shaders::Sources;

/// What ours is compared with.
pub(super) enum Other {
    /// Figures of before.
    Earlier(Earlier),
    /// `plain`, `shaders=DIR` or a scene.
    Live(String),
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
    /// Read what is on disk, before anything runs.
    pub fn read(text: &str) -> Result<Other, Failure> {
        if !text.ends_with(".json") {
            return Ok(Other::Live(text.to_owned()));
        }
        let path = PathBuf::from(text);
        let fault = |reason: String| Failure::Data { path: path.clone(), reason };
        let bytes = steerling::input::read(&path, LARGEST_FILE).map_err(fault)?;
        let earlier: Earlier = serde_json::from_slice(&bytes)
            .map_err(|error| fault(format!("is not what `steerling profile --json` prints: {error}")))?;
        if Ratio::of_medians(&earlier.samples_ms, &earlier.samples_ms).is_none() {
            return Err(fault("has no positive times in `samples_ms`".to_owned()));
        }
        Ok(Other::Earlier(earlier))
    }

    /// The other simulation, where there is one: from the state of ours, or after as many steps of its own.
    pub fn simulation(
        &self,
        args: &Args,
        ours: &Simulation,
        options: &Options,
        warmup: u32,
    ) -> Result<Option<Simulation>, Failure> {
        let name = match self {
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
            Other::Live(name) => name,
        };
        let built = match (name.as_str(), name.strip_prefix(SHADERS)) {
            (PLAIN, _) => {
                let Options { shaders, workgroup_size, .. } = options.clone();
                Options { shaders, workgroup_size, ..Options::plain() }
            }
            (STAGES, _) => Options { stride: false, ..options.clone() },
            (_, Some(folder)) => {
                let shaders = Sources::from_folder(Path::new(folder)).map_err(GpuError::from)?;
                Options { shaders, ..options.clone() }
            }
            (other, _) if other.starts_with(WORKGROUP_SIZE) => {
                let size = other.strip_prefix(WORKGROUP_SIZE).and_then(|size| size.parse().ok());
                let sizes = |size: &u32| [64, 128, 256].contains(size);
                let Some(workgroup_size) = size.filter(sizes) else {
                    return Err(Failure::Usage(format!(
                        "--against {other}: workgroups have 64, 128 or 256 invocations"
                    )));
                };
                Options { workgroup_size, ..options.clone() }
            }
            _ => {
                let other =
                    SceneArgs { scene: Some(name.clone()), overrides: Vec::new(), ..args.scene.clone() }.open()?;
                Simulation::check(ours.gpu(), &other, options)?;
                let mut theirs = Simulation::new(ours.gpu(), &other, &State::initial(&other), options.clone())?;
                theirs.step(warmup)?;
                return Ok(Some(theirs));
            }
        };
        // The same flock, and a step that sorts it.
        let snapshot = ours.snapshot()?;
        let mut theirs = Simulation::new(ours.gpu(), ours.scene(), &snapshot.state(), built)?;
        theirs.restore(&snapshot)?;
        theirs.step(1)?;
        Ok(Some(theirs))
    }
}
