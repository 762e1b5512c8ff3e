//! Looks: the sky, the ink, and colors adapted so that they stand out from the sky.

use crate::scene::LookName;

/// An sRGB color as linear channels, 0 to 1 (amounts of light).
pub fn linear(color: [u8; 3]) -> [f32; 3] {
    color.map(|c| {
        let c = f32::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

/// How a picture looks. Colors are sRGB.
#[derive(Debug, Clone, Copy)]
pub struct Backdrop {
    /// The gradient of the sky from the top of the picture to its bottom: a place, as a share of the height, and the color there.
    pub sky: [(f32, [u8; 3]); 5],
    /// The color of agents that have none of their own.
    pub ink: [u8; 3],
    /// The low silhouette of the ground, in spatial worlds.
    pub land: Option<[u8; 3]>,
    /// Are the edges of a spatial world drawn?
    pub cage: bool,
}

const fn plain(color: [u8; 3]) -> [(f32, [u8; 3]); 5] {
    [(0.0, color), (0.25, color), (0.5, color), (0.75, color), (1.0, color)]
}

const NIGHT: Backdrop = Backdrop { sky: plain([0x0b, 0x0e, 0x15]), ink: [0xdd, 0xe4, 0xf0], land: None, cage: true };

const DUSK: Backdrop = Backdrop {
    sky: [
        (0.0, [0x3b, 0x4a, 0x6b]),
        (0.45, [0x8d, 0x8f, 0xa6]),
        (0.72, [0xe3, 0xb0, 0x8f]),
        (0.90, [0xf4, 0xc9, 0x8a]),
        (1.0, [0xd8, 0x8e, 0x5c]),
    ],
    ink: [0x14, 0x15, 0x1c],
    land: Some([0x17, 0x16, 0x1c]),
    cage: false,
};

const DAY: Backdrop = Backdrop {
    sky: [
        (0.0, [0x6f, 0xa6, 0xd6]),
        (0.35, [0x9c, 0xc4, 0xe6]),
        (0.65, [0xc8, 0xdf, 0xef]),
        (0.88, [0xec, 0xf1, 0xf0]),
        (1.0, [0xf4, 0xee, 0xde]),
    ],
    ink: [0x1b, 0x22, 0x2e],
    land: Some([0x4a, 0x57, 0x4b]),
    cage: false,
};

const INK: Backdrop = Backdrop { sky: plain([0xf6, 0xf2, 0xe7]), ink: [0x1c, 0x1a, 0x18], land: None, cage: false };

const DEEP: Backdrop = Backdrop {
    sky: [
        (0.0, [0x1f, 0x7a, 0x8c]),
        (0.25, [0x13, 0x57, 0x6f]),
        (0.55, [0x0b, 0x3a, 0x52]),
        (0.8, [0x07, 0x26, 0x3a]),
        (1.0, [0x04, 0x17, 0x26]),
    ],
    ink: [0xd6, 0xee, 0xea],
    land: None,
    // The panes of a tank.
    cage: true,
};

impl Backdrop {
    /// The look of this name.
    pub fn of(name: LookName) -> &'static Backdrop {
        match name {
            LookName::Night => &NIGHT,
            LookName::Dusk => &DUSK,
            LookName::Day => &DAY,
            LookName::Ink => &INK,
            LookName::Deep => &DEEP,
        }
    }

    /// The share of an agent's contrast with the sky that is left at the far end of the depth cue.
    pub fn faded(&self) -> f32 {
        if self.bright() { 0.5 } else { 0.3 }
    }

    /// Does the sky change from top to bottom?
    pub fn graded(&self) -> bool {
        self.sky.iter().any(|(_, color)| *color != self.sky[0].1)
    }

    /// Are agents darker than the sky?
    pub fn bright(&self) -> bool {
        light(linear(self.sky[2].1)) > light(linear(self.ink))
    }

    /// Adapt a color chosen for the dark look `night`, and return it linear. On a bright sky it becomes as dark as it has to be to stand
    /// out, with its hue kept; in water, which is not black, it becomes lighter.
    pub fn agents(&self, color: [u8; 3]) -> [f32; 3] {
        let color = linear(color);
        if !self.bright() {
            return if self.graded() { color.map(|channel| channel + (1.0 - channel) * LIFTED) } else { color };
        }
        // Light colors stay lighter than dark ones.
        let darkest = self.sky.iter().map(|(_, sky)| light(linear(*sky))).fold(1.0, f32::min);
        let most = (0.45 * darkest).min(0.12) * light(color).sqrt();
        color.map(|channel| channel * channel * most / squares(color))
    }

    /// Adapt a gray of the scenery chosen for the dark look `night`, in the form that `scenery_at` of the shaders takes. In `night` it is
    /// a linear color; in other looks the share of the way from the sky to the ink, as far as the gray is on that way in `night`.
    pub fn scenery(&self, color: [u8; 3]) -> [f32; 3] {
        let color = linear(color);
        if !self.graded() && !self.bright() {
            return color;
        }
        let step = |color: [f32; 3]| light(color).sqrt();
        let (dark, ink) = (step(linear(NIGHT.sky[2].1)), step(linear(NIGHT.ink)));
        let share = ((step(color) - dark) / (ink - dark)).clamp(0.0, 1.0);
        [share; 3]
    }
}

/// Share of white mixed into colors that are seen through water.
const LIFTED: f32 = 0.35;

/// Luminance of a linear color.
fn light([red, green, blue]: [f32; 3]) -> f32 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Luminance of the color with squared channels, which is more saturated.
fn squares(color: [f32; 3]) -> f32 {
    light(color.map(|channel| channel * channel)).max(1e-6)
}
