//! The camera, what moves it, and the views that were kept.

use super::gaze::Gaze;
use super::pointer::{Pointer, Tool};
use super::tools::{Brush, unpaintable};
use glam::Vec3;
use std::collections::VecDeque;
use steerling::render::View;
use steerling::scene::Scene;

/// The camera, and what moves it.
pub struct Eye {
    pub view: View,
    pub gaze: Gaze,
    pub pointer: Pointer,
    /// The options of the tools.
    pub brush: Brush,
    /// The views that the user kept, the latest that was kept or shown first.
    kept: VecDeque<View>,
}

/// The most views that are kept.
const MOST_VIEWS: usize = 9;

impl Eye {
    pub fn new(scene: &Scene) -> Eye {
        let (gaze, pointer) = (Gaze::default(), Pointer::default());
        Eye { view: View::from_scene(scene), gaze, pointer, brush: Brush::default(), kept: VecDeque::new() }
    }

    /// The radius of the brush in a picture of this size, u.
    pub fn brush_radius(&self, size: (u32, u32)) -> f32 {
        self.brush.radius as f32 / self.view.pixels_per_unit(size)
    }

    /// Go back to the view that the scene asks for.
    pub fn frame(&mut self, scene: &Scene) {
        (self.view, self.gaze) = (View::from_scene(scene), Gaze::default());
    }

    /// Fit a planar world below figures and tools, which cover the picture down to `top`, px. Only if the scene shows the whole world and
    /// the user has not moved the camera. `size` is that of the picture, px. Returns whether the view changed.
    pub fn fit_below_tools(&mut self, scene: &Scene, top: f32, size: (u32, u32)) -> bool {
        let whole = View::from_scene(scene);
        if self.gaze.touched() || whole.spatial() || (whole.center, whole.zoom) != (Vec3::ZERO, 1.0) {
            return false;
        }
        let (high, scale) = (size.1 as f32, whole.pixels_per_unit(size));
        // If little room were left, the world is partly covered rather than tiny.
        let top = if top < 0.3 * high { top } else { 0.0 };
        let zoom = ((high - top) / (scene.world.size.y * scale).max(1.0)).min(1.0);
        let above = 0.5 * (high - scene.world.size.y * scale * zoom);
        let center = Vec3::Y * ((top - above).max(0.0) / (scale * zoom).max(f32::MIN_POSITIVE));
        let mut view = whole;
        (view.center, view.zoom) = (center, zoom);
        let before = std::mem::replace(&mut self.view, view);
        before != self.view
    }

    /// Show all of these places with `room` around each, u, in a picture of this size, px.
    pub fn frame_around(&mut self, places: &[Vec3], room: f32, size: (u32, u32)) {
        let (Some(least), Some(most)) =
            (places.iter().copied().reduce(Vec3::min), places.iter().copied().reduce(Vec3::max))
        else {
            return;
        };
        self.gaze.touch();
        let (view, center) = (&mut self.view, least.midpoint(most));
        (view.center, view.followed_radius) = (center, None);
        let radius = places.iter().map(|at| at.distance(center)).fold(0.0, f32::max) + room;
        let half = 0.5 * size.0.min(size.1) as f32;
        view.zoom = (view.zoom * half / (radius * view.pixels_per_unit(size))).clamp(0.05, 10_000.0);
    }

    /// Show another world as its scene asks for, and drop the kept views.
    pub fn begin(&mut self, scene: &Scene) {
        self.kept.clear();
        if unpaintable(scene).is_some() && self.pointer.tool.is_flat() {
            self.pointer.tool = Tool::Hand;
        }
        self.frame(scene);
    }

    /// Keep the present view. Returns the number of kept views.
    pub fn keep(&mut self) -> usize {
        self.kept.retain(|view| *view != self.view);
        self.kept.truncate(MOST_VIEWS - 1);
        self.kept.push_front(self.view);
        self.kept.len()
    }

    /// Go back to the latest kept view; from there to the one before it, and so on in a ring. Returns false if none is kept.
    pub fn go_back(&mut self) -> bool {
        if self.kept.front() == Some(&self.view) {
            self.kept.rotate_left(1);
        }
        let Some(view) = self.kept.front() else { return false };
        (self.view, self.gaze) = (*view, Gaze::default());
        self.gaze.touch();
        true
    }

    /// Show the whole scene, from this many degrees above the horizontal.
    pub fn frame_from(&mut self, scene: &Scene, degrees: f32) {
        self.frame(scene);
        self.view.from_above(degrees);
        self.gaze.touch();
    }
}
