//! Colors of the agents, in color maps that color-blind people can read as well.

use super::blocks::{Palette, Style};
use super::bodies;
use super::looks::{Backdrop, linear};
use crate::scene::{Color, ColorBy, Distribution, MAX_SPECIES, Scene, Species};
use bytemuck::Zeroable;

/// The color map of headings: a cycle from right (east) over up (north), left and down. Opposite headings differ in lightness or on the
/// axis from blue to yellow, which color-blind people see too. A circle of equal lightness would have opposites that they cannot tell apart
/// (a test shows both).
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

/// The color map of speeds, from slow to fast: ever lighter, from blue to yellow.
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

/// The color map of speeds on bright skies, where [`SPEED`] would be so dark that its ends look alike: from dark blue over purple to red.
const SPEED_ON_BRIGHT: [[u8; 3]; 8] = [
    [0x02, 0x02, 0x3a],
    [0x1c, 0x05, 0x48],
    [0x37, 0x02, 0x55],
    [0x53, 0x0c, 0x51],
    [0x73, 0x0d, 0x3f],
    [0x93, 0x09, 0x2e],
    [0xad, 0x1f, 0x22],
    [0xc8, 0x30, 0x00],
];

/// The colors of species, action states and priorities, in this order, repeated if there are more: eight colors that color-blind people
/// tell apart (Okabe and Ito), lightened where they would be lost on the background.
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

impl Palette {
    /// The palette of a scene, with speeds and forces on the scale of `scale`, which may be another scene.
    pub fn new(scene: &Scene, scale: &Scene) -> Palette {
        let backdrop = Backdrop::of(scene.look.name);
        let opaque = |[red, green, blue]: [f32; 3]| [red, green, blue, 1.0];
        let row = |color: [u8; 3]| opaque(backdrop.agents(color));
        let mut styles = [Style::zeroed(); MAX_SPECIES];
        for (place, style) in styles.iter_mut().zip(self::styles(scene)) {
            *place = style;
        }
        for (style, species) in styles.iter_mut().zip(&scale.species).take(scene.species.len()) {
            [style.min_speed, style.max_speed] = speeds(species);
            style.max_acceleration = species.max_force / species.mass;
        }
        Palette {
            heading: HEADING.map(row),
            speed: scale_colors(backdrop).map(opaque),
            category: CATEGORY.map(row),
            styles,
        }
    }
}

/// The color map of speeds, and of all else that is measured, in a look, linear.
pub fn scale_colors(backdrop: &Backdrop) -> [[f32; 3]; 8] {
    if backdrop.bright() { SPEED_ON_BRIGHT.map(linear) } else { SPEED.map(|color| backdrop.agents(color)) }
}

/// The color of all agents, linear; `None` if their colors differ.
pub fn only_color(scene: &Scene) -> Option<[f32; 3]> {
    if measured(scene) != 0 {
        return None;
    }
    let styles = styles(scene);
    let mut living = styles.iter().zip(&scene.species).filter(|(_, species)| species.count > 0).map(|(style, _)| style);
    let first = living.next()?;
    let same = |style: &Style| (style.mode, style.fixed_color) == (FIXED, first.fixed_color);
    (same(first) && living.all(same)).then_some(first.fixed_color)
}

/// The color of each species, linear; `None` if its agents differ in color.
pub fn fixed_colors(scene: &Scene) -> Vec<Option<[f32; 3]>> {
    let one = |style: &Style| (measured(scene) == 0 && style.mode == FIXED).then_some(style.fixed_color);
    styles(scene).iter().map(one).collect()
}

/// The number in `frame.wgsl` of the measured quantity that colors show; 0 if they show none, only what a species' own color says.
pub fn measured(scene: &Scene) -> u32 {
    match scene.look.color {
        ColorBy::Neighbors => 1,
        ColorBy::Density => 2,
        ColorBy::Force => 3,
        ColorBy::Depth => 4,
        ColorBy::Error => 5,
        ColorBy::Divergence => 6,
        _ => 0,
    }
}

/// The value of `Style::mode` for one fixed color per species.
const FIXED: u32 = 2;

/// One style for each species.
fn styles(scene: &Scene) -> Vec<Style> {
    let backdrop = Backdrop::of(scene.look.name);
    let mut first_id = 0;
    let style = |(index, species): (usize, &crate::scene::Species)| {
        let (mode, fixed_color) = match color_of(scene, species) {
            Color::Heading => (0, [0.0; 3]),
            Color::Speed => (1, [0.0; 3]),
            Color::Fixed(color) => (FIXED, backdrop.agents(color)),
            Color::Ink => (FIXED, linear(backdrop.ink)),
            Color::Species => (FIXED, backdrop.agents(CATEGORY[index % CATEGORY.len()])),
            // A species with only one state, or no priorities, has no memory of them.
            Color::State if species.rules.is_empty() => (FIXED, backdrop.agents(CATEGORY[0])),
            Color::State => (3, [0.0; 3]),
            Color::Winner if !species.combine.decides() => (FIXED, backdrop.agents(CATEGORY[0])),
            Color::Winner => (4, [0.0; 3]),
        };
        let ([min_speed, max_speed], body) = (speeds(species), bodies::range(species.body));
        let style = Style {
            first_id,
            radius: species.radius,
            mode,
            min_speed,
            fixed_color,
            max_speed,
            posed: u32::from(species.vehicle.keeps_pose()),
            first_corner: body.start,
            radius_spread: species.variation.radius,
            normal: u32::from(species.variation.distribution == Distribution::Normal),
            max_acceleration: species.max_force / species.mass,
            corners: body.len() as u32,
            padding: [0; 2],
        };
        first_id += species.count;
        style
    };
    scene.species.iter().enumerate().map(style).collect()
}

/// What the color of a species shows: the choice of the look, or if that leaves it to the species, the species' own.
pub fn color_of(scene: &Scene, species: &Species) -> Color {
    match scene.look.color {
        ColorBy::Heading => Color::Heading,
        ColorBy::Speed => Color::Speed,
        ColorBy::Species => Color::Species,
        ColorBy::State => Color::State,
        ColorBy::Winner => Color::Winner,
        ColorBy::Own
        | ColorBy::Neighbors
        | ColorBy::Density
        | ColorBy::Force
        | ColorBy::Depth
        | ColorBy::Error
        | ColorBy::Divergence => species.color,
    }
}

/// The speeds at the two ends of the color map, u/s: the species' own limits, or if these are equal, those of its slowest and fastest
/// agents. If all agents have the same speed, the lower end is 0: between equal ends, colors would show only rounding errors.
pub fn speeds(species: &Species) -> [f32; 2] {
    let is_one = |least: f32, most: f32| most - least <= 1e-5 * most;
    let ends = [species.min_speed, species.max_speed];
    if !is_one(ends[0], ends[1]) {
        return ends;
    }
    let least = (species.min_speed - species.variation.farthest() * species.variation.min_speed).max(0.0);
    let most = species.top_speed();
    if is_one(least, most) { [0.0, species.max_speed] } else { [least, most] }
}

/// The speed of all agents of a species, u/s; `None` if their speeds may differ.
pub fn only_speed(species: &Species) -> Option<f32> {
    let [least, most] = speeds(species);
    (least == 0.0 && most == species.max_speed && species.min_speed > 0.0).then_some(most)
}

/// The number of neighbors at the upper end of the color map: about four times as many as an agent of the most numerous species would have
/// if all agents were spread evenly, but no more than it can have, and at least 7. The lower end is 0, and equal steps of color are equal
/// factors of the number plus one.
pub fn many_neighbors(scene: &Scene) -> f32 {
    let most = scene.species.iter().max_by_key(|species| species.count);
    let crowd = most.map_or(0, |species| match species.k_nearest {
        0 => scene.agents_within(species.neighborhood_radius()).saturating_mul(4),
        nearest => nearest,
    });
    crowd.min(scene.agent_count().saturating_sub(1)).max(7) as f32
}

/// The densities at the two ends of the color map, agents per u² or u³; equal steps of color are equal factors. They correspond to a
/// quarter of an agent and to 256 agents in a square or cube as wide as the neighborhood radius of the most numerous species. If that has
/// no neighborhood, the area or volume of four agents at the mean density of the world is taken instead.
pub fn densities(scene: &Scene) -> [f32; 2] {
    let size = scene.world.size;
    let (axes, room) = if scene.world.spatial { (3, size.element_product()) } else { (2, size.x * size.y) };
    let most = scene.species.iter().max_by_key(|species| species.count);
    let radius = most.map_or(0.0, Species::neighborhood_radius);
    let four = 4.0 * room / scene.agent_count().max(1) as f32;
    let around = if radius > 0.0 { radius.powi(axes) } else { four };
    [0.25 / around, 256.0 / around]
}

/// The distances between agents of the same id in two runs at the two ends of the color map, u; equal steps of color are equal factors. The
/// upper end is half of the world's diagonal: if all axes are wrapped, no two agents are farther apart.
pub fn divergences(scene: &Scene) -> [f32; 2] {
    let size = if scene.world.spatial { scene.world.size } else { scene.world.size.with_z(0.0) };
    let farthest = 0.5 * size.length();
    [farthest / 1024.0, farthest]
}

/// The logarithms to base 2 of the density, error or distance at the two ends of the color map.
pub fn ends(scene: &Scene) -> [f32; 2] {
    match scene.look.color {
        // From the rounding error of 1 to 1.
        ColorBy::Error => [-23.0, 0.0],
        ColorBy::Divergence => divergences(scene).map(f32::log2),
        _ => densities(scene).map(f32::log2),
    }
}
