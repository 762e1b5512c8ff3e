//! The window: a running simulation, drawn by the renderer that also makes pictures, with sliders for the flock.
//!
//! Keys and buttons are [`Action`](actions::Action)s, and one table, [`KEYS`](actions::KEYS), says which key does what: it drives the
//! handling and the key sheet. Each step advances the scene's fixed dt; a frame takes as many steps as the elapsed real time asks for and
//! the adapter can do.

mod actions;
mod app;
mod areas;
mod beside;
mod browse;
mod building;
mod canvas;
mod cards;
mod casting;
mod commands;
mod dashboard;
mod dialogs;
mod edited;
mod eye;
mod filming;
mod flowing;
mod format;
mod gallery;
mod gaze;
mod ghosts;
mod gui;
mod handles;
mod history;
mod interface;
mod meaning;
mod pace;
mod panel;
mod picked;
mod picture;
mod plots;
mod pointer;
mod remembered;
mod restored;
mod saving;
mod session;
mod snapshot;
mod stage;
#[cfg(test)]
#[path = "../../tests/window/mod.rs"]
mod tests;
mod timeline;
mod tools;
mod trailing;
mod unsaved;

pub use pace::Pace;

use steerling::gpu::{self, AdapterChoice, GpuError};
use steerling::output::Record;
use steerling::scene::Scene;
use thiserror::Error;
use winit::error::EventLoopError;
use winit::event_loop::EventLoop;

/// What the window shows, and how.
#[derive(Debug, Clone)]
pub struct WindowOptions {
    /// The scene at its start.
    pub scene: Scene,
    /// The record of the picture that `scene` was read from, if it was: the window opens that picture's run at its step.
    pub picture: Option<Record>,
    /// The most agents a scene starts with on an adapter that computes on the CPU; `None`: no limit.
    pub few_agents: Option<u32>,
    /// Start the first scene with all of its agents, whatever `few_agents` says: the user named their number, or opened a picture.
    pub all_agents: bool,
    /// Which adapter to use. `Best` means the best one that can draw into the window.
    pub adapter: AdapterChoice,
    /// How the simulation is built.
    pub simulation: gpu::Options,
    /// Width and height of the window, px.
    pub size: (u32, u32),
    /// Fill the screen?
    pub fullscreen: bool,
    /// Start paused?
    pub paused: bool,
    /// Pause after this number of steps.
    pub steps: Option<u64>,
    /// Memory that snapshots of the run may take, MiB.
    pub past: u32,
    /// Returns true once a signal has asked the program to end. From the first call on, a signal only sets this and ends nothing itself.
    pub interrupted: fn() -> bool,
    /// Called with a sentence that the user should know, such as that the adapter computes on the CPU or that a device was lost.
    pub note: fn(&str),
    /// Called with step, digest, and whether the simulation is paused, once per second and after each action.
    pub log: Option<fn(&str)>,
}

/// Why the window cannot open, or had to close.
#[derive(Debug, Error)]
pub enum ViewerError {
    /// There is no window system, or no adapter that draws into its windows.
    #[error("{0}")]
    NoWindow(String),
    /// The GPU, a shader, or memory.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The window system failed after the window was open.
    #[error("the window failed: {0}")]
    Window(String),
}

/// Open a window, and return when it is closed. Only the main thread may call this, and only once.
///
/// # Errors
/// No window system, no usable adapter, a scene that does not fit it, a device that failed.
pub fn run(options: WindowOptions) -> Result<(), ViewerError> {
    let event_loop = EventLoop::new().map_err(|error| ViewerError::NoWindow(reason(&error)))?;
    let mut app = app::App::new(options);
    let ended = event_loop.run_app(&mut app);
    app.result()?;
    ended.map_err(|error| ViewerError::Window(error.to_string()))
}

/// What went wrong, without the place in winit's source that its own message begins with.
fn reason(error: &EventLoopError) -> String {
    let text = error.to_string();
    let rest = text.split_once(": ").map(|(_, rest)| rest.to_owned());
    rest.filter(|_| matches!(error, EventLoopError::Os(_))).unwrap_or(text)
}
