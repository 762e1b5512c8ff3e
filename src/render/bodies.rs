//! Bodies: the triangles that agents of a few pixels and more are drawn as.

use super::blocks::BodyCorner as Corner;
use crate::scene::Body;
use bytemuck::Zeroable;
use std::f32::consts::TAU;
use std::ops::Range;
use std::sync::LazyLock;

/// The most corners of all bodies together. Twin of the constant in `shaders/render/agents.wgsl`.
pub const MOST_CORNERS: usize = 384;

static CORNERS: LazyLock<Vec<Vec<Corner>>> = LazyLock::new(|| Body::ALL.iter().map(|body| corners(*body)).collect());

/// The corners of all bodies.
pub fn all() -> [Corner; MOST_CORNERS] {
    let mut all = [Corner::zeroed(); MOST_CORNERS];
    for (index, corner) in CORNERS.iter().flatten().enumerate() {
        debug_assert!(
            corner.at.iter().map(|x| x * x).sum::<f32>() < 4.0,
            "`see` in `agents.wgsl` has no room for more"
        );
        all[index] = *corner;
    }
    debug_assert!(CORNERS.iter().all(|corners| corners.len().is_multiple_of(3)));
    all
}

/// The corners of one body, as a range in [`all`]. Empty for an arrow, which is not a body but a triangle in the picture.
pub fn range(body: Body) -> Range<u32> {
    let first: u32 = CORNERS[..body as usize].iter().map(|corners| corners.len() as u32).sum();
    first..first + CORNERS[body as usize].len() as u32
}

/// The corners of one body, from its lowest part to its highest: in a plane what comes later lies above.
fn corners(body: Body) -> Vec<Corner> {
    let mut shape = Shape::default();
    match body {
        Body::Arrow => {}
        Body::Bird => shape.bird(),
        Body::Fish => shape.fish(),
        Body::Person => {
            shape.disk([0.0, 0.0, 0.0], [0.42, 0.95], 8, 0.8);
            shape.disk([0.1, 0.0, 0.3], [0.42, 0.4], 8, 1.25);
        }
        Body::Car => {
            shape.slab([-1.0, 1.0], [0.46, 0.4], 0.0, 0.9);
            shape.slab([-0.78, 0.45], [0.4, 0.36], 0.1, 0.35);
            shape.slab([-0.5, 0.08], [0.38, 0.36], 0.2, 1.1);
            for side in [-0.3, 0.3] {
                shape.disk([0.93, side, 0.1], [0.07, 0.1], 4, 2.0);
            }
        }
        Body::Ant => {
            shape.spikes(&[[0.2, 0.95], [-0.05, 1.0], [-0.35, 0.9]], [-0.05, 0.07], 0.6);
            shape.spikes(&[[1.15, 0.4]], [0.5, 0.05], 0.6);
            shape.disk([-0.68, 0.0, 0.1], [0.4, 0.27], 8, 0.85);
            shape.disk([-0.08, 0.0, 0.1], [0.26, 0.14], 6, 1.0);
            shape.disk([0.42, 0.0, 0.1], [0.22, 0.19], 6, 1.15);
        }
        Body::Duck => {
            shape.flat([[-1.15, -0.2], [-1.15, 0.2], [-0.4, 0.0]], 0.0, 0.7);
            shape.disk([-0.15, 0.0, 0.05], [0.72, 0.46], 8, 0.85);
            shape.disk([-0.3, 0.0, 0.1], [0.42, 0.26], 6, 1.1);
            shape.flat([[1.25, 0.0], [0.75, 0.16], [0.75, -0.16]], 0.15, 0.55);
            shape.disk([0.68, 0.0, 0.2], [0.26, 0.24], 8, 1.25);
        }
        Body::Cow => {
            shape.spikes(&[[0.95, 0.34]], [0.8, 0.1], 0.6);
            shape.slab([-0.85, 0.6], [0.36, 0.3], 0.05, 1.15);
            shape.disk([-0.45, 0.14, 0.1], [0.22, 0.16], 6, 0.4);
            shape.disk([0.15, -0.14, 0.1], [0.2, 0.16], 6, 0.4);
            shape.disk([0.86, 0.0, 0.15], [0.28, 0.18], 6, 0.9);
        }
        Body::Hound => {
            shape.flat([[-0.65, -0.05], [-0.65, 0.05], [-1.25, 0.12]], 0.0, 0.7);
            shape.disk([-0.1, 0.0, 0.05], [0.68, 0.27], 8, 0.9);
            shape.spikes(&[[0.5, 0.32]], [0.72, 0.1], 0.55);
            shape.flat([[1.2, 0.0], [0.7, 0.16], [0.7, -0.16]], 0.1, 0.8);
            shape.disk([0.7, 0.0, 0.15], [0.24, 0.19], 6, 1.15);
        }
    }
    shape.corners
}

/// A body under construction.
#[derive(Default)]
struct Shape {
    corners: Vec<Corner>,
}

impl Shape {
    fn triangle(&mut self, corners: [[f32; 3]; 3], shades: [f32; 3]) {
        let corner = |(at, shade)| Corner { at, shade, ..Corner::zeroed() };
        self.corners.extend(corners.into_iter().zip(shades).map(corner));
    }

    /// A horizontal triangle. Corners: how far ahead and to the right.
    fn flat(&mut self, corners: [[f32; 2]; 3], up: f32, shade: f32) {
        self.triangle(corners.map(|[ahead, right]| [ahead, right, up]), [shade; 3]);
    }

    /// A horizontal convex polygon.
    fn polygon(&mut self, corners: &[[f32; 2]], up: f32, shade: f32) {
        for pair in corners.windows(2).skip(1) {
            self.flat([corners[0], pair[0], pair[1]], up, shade);
        }
    }

    /// A horizontal ellipse with this many corners. `half`: half its extent ahead and to the right.
    fn disk(&mut self, [ahead, right, up]: [f32; 3], half: [f32; 2], corners: usize, shade: f32) {
        let corner = |k: usize| {
            let angle = (k as f32 + 0.5) / corners as f32 * TAU;
            [ahead + half[0] * angle.cos(), right + half[1] * angle.sin()]
        };
        self.polygon(&(0..corners).map(corner).collect::<Vec<_>>(), up, shade);
    }

    /// A horizontal slab with cut corners, from one place to another ahead. `wide` and `narrow`: half its width in the middle, and at
    /// both ends.
    fn slab(&mut self, [from, to]: [f32; 2], [wide, narrow]: [f32; 2], up: f32, shade: f32) {
        let cut = wide - 0.8 * narrow;
        let right = [[from, narrow], [from + cut, wide], [to - cut, wide], [to, narrow]];
        let left = right.iter().rev().map(|[ahead, right]| [*ahead, -right]);
        self.polygon(&right.into_iter().chain(left).collect::<Vec<_>>(), up, shade);
    }

    /// Legs, horns or ears: thin triangles to these tips and to their mirror images, from a root of half width `half` on the body's
    /// axis.
    fn spikes(&mut self, tips: &[[f32; 2]], [root, half]: [f32; 2], shade: f32) {
        for [ahead, right] in tips.iter().flat_map(|[ahead, right]| [[*ahead, *right], [*ahead, -right]]) {
            self.flat([[root - half, 0.0], [root + half, 0.0], [ahead, right]], 0.0, shade);
        }
    }

    /// A slim body with two wings that beat.
    fn bird(&mut self) {
        self.triangle([[1.1, 0.0, 0.0], [-0.9, -0.2, 0.0], [-0.9, 0.2, 0.0]], [0.8, 0.8, 1.1]);
        let (sine, cosine) = 0.25_f32.sin_cos();
        for side in [-1.0, 1.0] {
            let tip = [-0.25, side * 1.25 * cosine, 1.25 * sine];
            self.triangle([[0.55, side * 0.06, 0.0], [-0.35, side * 0.06, 0.0], tip], [0.8, 0.8, 1.1]);
            self.corners.iter_mut().next_back().into_iter().for_each(|tip| tip.roll = side * 0.75);
        }
    }

    /// An upright lens with a tail fin that swings. The fin is a little twisted, so it is also seen from above, and its root lies a little
    /// aside, because llvmpipe does not draw a body with a triangle that is exactly edge-on in the picture.
    fn fish(&mut self) {
        self.triangle([[-0.6, 0.03, 0.0], [-1.15, 0.15, 0.34], [-1.15, -0.15, -0.34]], [0.6; 3]);
        self.corners.iter_mut().rev().take(2).for_each(|tip| tip.sway = 0.35);
        for [side, up] in [[0.2, -0.36], [-0.2, -0.36], [0.2, 0.36], [-0.2, 0.36]] {
            self.triangle([[1.0, 0.0, 0.0], [0.1, side, up], [-0.75, 0.0, 0.0]], [1.0, 0.75, 0.75]);
        }
    }
}
