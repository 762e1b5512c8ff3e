//! Colors of the agents: two maps that people with color-blindness can read as well.

use super::looks::Look;
use crate::scene::{Body, Color, Scene};
use bytemuck::{Pod, Zeroable};

/// The map of headings, a cycle from right (east) over up (north), left and down. Opposite headings differ in lightness or
/// on the axis from blue to yellow, which color-blind people see too.
pub const HEADING: [[u8; 3]; 8] = [
    [0xf0, 0xb2, 0x3e],
    [0xf6, 0xdd, 0x9a],
    [0xdc, 0xf1, 0xec],
    [0x8a, 0xd2, 0xf0],
    [0x3f, 0x97, 0xea],
    [0x56, 0x62, 0xd8],
    [0x8e, 0x4a, 0xa8],
    [0xcf, 0x62, 0x4a],
];

/// The map of speeds, from slow to fast: ever lighter, from blue to yellow.
pub const SPEED: [[u8; 3]; 8] = [
    [0x2b, 0x45, 0x92],
    [0x2f, 0x66, 0xa8],
    [0x33, 0x88, 0xae],
    [0x43, 0xa8, 0xa4],
    [0x74, 0xc2, 0x8b],
    [0xac, 0xd7, 0x6e],
    [0xde, 0xe2, 0x5c],
    [0xff, 0xf0, 0x6e],
];

/// Action states and priorities, in this order and over again: eight colors that color-blind people tell apart
/// (Okabe and Ito), lightened where they would be lost on the background.
pub const CATEGORY: [[u8; 3]; 8] = [
    [0x56, 0xb4, 0xe9],
    [0xd5, 0x5e, 0x00],
    [0xf0, 0xe4, 0x42],
    [0x00, 0xae, 0x83],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x3c, 0x82, 0xd2],
    [0xe8, 0xec, 0xf0],
];

/// Both maps as shaders read them. Twin of `Palette` in `shaders/render/agents.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Palette {
    heading: [[f32; 4]; 8],
    speed: [[f32; 4]; 8],
    category: [[f32; 4]; 8],
}

impl Palette {
    pub fn new(look: &Look) -> Palette {
        let row = |color: [u8; 3]| {
            let [red, green, blue] = look.agents(color);
            [red, green, blue, 1.0]
        };
        Palette { heading: HEADING.map(row), speed: SPEED.map(row), category: CATEGORY.map(row) }
    }
}

/// How the agents of one species look. Twin of `Style` in `shaders/render/agents.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Style {
    first_id: u32,
    radius: f32,
    mode: u32,
    min_speed: f32,
    fixed: [f32; 3],
    max_speed: f32,
    posed: u32,
    body: u32,
    padding: [u32; 2],
}

/// One style for each species.
pub fn styles(scene: &Scene) -> Vec<Style> {
    let look = Look::of(scene.look.name);
    let mut first_id = 0;
    let style = |(index, species): (usize, &crate::scene::Species)| {
        let (mode, fixed) = match species.color {
            Color::Heading => (0, [0.0; 3]),
            Color::Speed => (1, [0.0; 3]),
            Color::Fixed(color) => (2, look.agents(color)),
            Color::Ink => (2, linear(look.ink)),
            Color::Species => (2, look.agents(CATEGORY[index % CATEGORY.len()])),
            // A species with only one state, or no priorities, has no memory of them.
            Color::State if species.rules.is_empty() => (2, look.agents(CATEGORY[0])),
            Color::State => (3, [0.0; 3]),
            Color::Winner if !species.combine.decides() => (2, look.agents(CATEGORY[0])),
            Color::Winner => (4, [0.0; 3]),
        };
        let (radius, min_speed, max_speed) = (species.radius, species.min_speed, species.max_speed);
        let posed = u32::from(species.vehicle.keeps_pose());
        let body = match species.body {
            Body::Arrow => 0,
            Body::Bird => 1,
            Body::Fish => 2,
        };
        let style = Style { first_id, radius, mode, min_speed, fixed, max_speed, posed, body, padding: [0; 2] };
        first_id += species.count;
        style
    };
    scene.species.iter().enumerate().map(style).collect()
}

/// An sRGB color as amounts of light.
pub fn linear(color: [u8; 3]) -> [f32; 3] {
    color.map(|c| {
        let c = f32::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}
