//! `steerling view`, and `steerling` without a subcommand.

use super::Failure;
use super::render;
use super::shared::{GpuArgs, LookArgs, SceneArgs};
#[cfg(feature = "viewer")]
use {super::interrupt::Interrupt, std::sync::OnceLock};

#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
In the window, F1 or ? shows all keys: Space runs and pauses, Ctrl+O shows all scenes, Ctrl+S saves the changes.
Without a display the scene is drawn into a PNG in the working directory instead.

Examples:
  steerling view
  steerling view flock --agents 100000
  steerling view wind --seed 7 --fullscreen
  steerling view my-scene.toml --steps 1000 --log-digest
  steerling view flock-000300.png           # the run that this picture shows, at its step")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Width and height of the window, px, each 1 to 8192
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = render::parse_size)]
    size: (u32, u32),
    /// Fill the screen
    #[arg(long)]
    fullscreen: bool,
    /// Start paused
    #[arg(long)]
    paused: bool,
    /// Pause after N steps
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Memory for snapshots of the run, from which the window goes back to earlier steps; with less memory going back takes longer
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(0..=1 << 20))]
    past: u32,
    /// Print a line once per second and after each key: `step N digest HEX paused BOOL`
    #[arg(long)]
    log_digest: bool,
}

impl Args {
    /// Did the user choose the number of agents?
    #[cfg(feature = "viewer")]
    fn chosen(&self) -> bool {
        let mut changes = self.scene.overrides.iter().filter_map(|change| change.split_once('='));
        self.scene.agents.is_some() || changes.any(|(key, _)| key.trim().ends_with(".count"))
    }
}

/// Open a window on a scene, or draw a picture where there can be none.
pub fn run(args: Args) -> Result<(), Failure> {
    match window(&args)? {
        None => Ok(()),
        Some(why) => picture(args, &why),
    }
}

/// Show the window until it is closed. If there can be no window, return why.
#[cfg(feature = "viewer")]
fn window(args: &Args) -> Result<Option<String>, Failure> {
    use crate::viewer::{self, ViewerError};
    let asked = args.scene.clone().looking(&args.look);
    let picture = asked.picture()?;
    let scene = asked.open_of(picture.as_ref())?;
    // With other values the run is not the one that the picture shows.
    let same = asked.overrides.is_empty() && asked.seed.is_none() && asked.agents.is_none();
    let picture = picture.filter(|_| same);
    let options = viewer::WindowOptions {
        scene,
        few_agents: Some(render::FEW_AGENTS),
        all_agents: args.chosen() || picture.is_some(),
        picture,
        adapter: args.gpu.choice(),
        simulation: args.gpu.options()?,
        size: args.size,
        fullscreen: args.fullscreen,
        paused: args.paused,
        steps: args.steps,
        past: args.past,
        interrupted: || interrupt().is_some_and(|interrupt| interrupt.signal().is_some()),
        note: |text| super::shared::print_note(&format!("note: {text}")),
        // A failed print, such as to a closed pipe, is no reason to close the window.
        log: args.log_digest.then_some(|line| drop(super::shared::print(&format!("{line}\n")))),
    };
    if no_display() {
        return Ok(Some("neither DISPLAY nor WAYLAND_DISPLAY is set".to_owned()));
    }
    steerling::gpu::Gpu::check_room()?;
    match viewer::run(options) {
        Ok(()) => {
            INTERRUPT.get().and_then(Option::as_ref).map_or(Ok(None), |interrupt| interrupt.check().map(|()| None))
        }
        Err(ViewerError::NoWindow(why)) => Ok(Some(why)),
        Err(ViewerError::Gpu(error)) => Err(error.into()),
        Err(ViewerError::Window(why)) => Err(Failure::Other(format!("the window failed: {why}"))),
    }
}

/// The handling of signals, which begins when the window first asks for one. Inside, `None` if handlers cannot be installed.
#[cfg(feature = "viewer")]
static INTERRUPT: OnceLock<Option<Interrupt>> = OnceLock::new();

#[cfg(feature = "viewer")]
fn interrupt() -> Option<&'static Interrupt> {
    INTERRUPT.get_or_init(|| Interrupt::listen().ok()).as_ref()
}

/// In a program built without the feature `viewer`: the scene is checked, and there is no window.
#[cfg(not(feature = "viewer"))]
fn window(args: &Args) -> Result<Option<String>, Failure> {
    args.scene.open()?;
    Ok(Some("this program was built without the feature `viewer`".to_owned()))
}

#[cfg(feature = "viewer")]
fn no_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let unix = cfg!(unix) && !cfg!(any(target_os = "macos", target_os = "android", target_os = "ios"));
    unix && !["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(set)
}

/// Draw a picture instead.
fn picture(args: Args, why: &str) -> Result<(), Failure> {
    render::instead_of_window(args.scene.looking(&args.look), args.gpu, why)
}

#[cfg(all(test, feature = "viewer"))]
mod tests {
    use super::Args;
    use crate::cli::shared::arguments;

    /// On an adapter that computes on the CPU a window has all agents only if the user chose their number, which naming a scene does not.
    #[test]
    fn the_name_of_a_scene_chooses_no_number_of_agents() {
        let chosen = |line: &str| arguments::<Args>(line).chosen();
        for line in ["view", "view flock", "view flock --set species.0.max_speed=3", "view flock --set name=a.count=b"]
        {
            assert!(!chosen(line), "{line}");
        }
        assert!(chosen("view flock --agents 1000000") && chosen("view flock --set species.0.count=50000"));
    }
}
