//! Pictures of a simulation: straight from its buffers on the GPU into any texture view.
//!
//! [`Renderer`] draws, [`View`] is the camera, [`Offscreen`] is a target without a window, and [`Film`] writes pictures to
//! files. A window uses the same renderer.

mod blocks;
mod bodies;
mod caption;
mod colors;
mod ffmpeg;
mod film;
mod frame;
mod glow;
mod grounds;
mod looks;
mod offscreen;
mod pipelines;
mod renderer;
mod scenery;
mod shapes;
mod targets;
mod view;

pub use caption::{Caption, record_in};
pub use colors::{
    CATEGORY, HEADING, SPEED, color_of, densities, divergences, fixed_colors, many_neighbors, only_speed, scale_colors,
    speeds,
};
pub use film::{Film, FilmError, Format, GIF_FPS};
pub use looks::Backdrop;
pub use offscreen::Offscreen;
pub use renderer::Renderer;
pub use view::View;
