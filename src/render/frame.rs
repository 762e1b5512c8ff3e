//! Computes the parameter block of a picture, `Frame`, from a view and a scene.

use super::View;
use super::blocks::Frame;
use super::bodies;
use super::colors::{ends, many_neighbors, measured, only_color};
use super::looks::{Backdrop, linear};
use crate::scene::{Boundary, Pattern, Scene, Species};
use bytemuck::Zeroable;

/// The constants that the pipelines of a scene's pictures are specialized to, named as in `frame.wgsl`. Scenes with equal variants
/// share pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    flags: u32,
    species: usize,
}

impl Variant {
    /// The variant of a scene. `encodes`: shaders apply the sRGB curve, because the target stores what is written as it is.
    pub fn new(scene: &Scene, encodes: bool) -> Variant {
        let (backdrop, spatial) = (Backdrop::of(scene.look.name), scene.world.spatial);
        let flags = [
            spatial,
            encodes,
            backdrop.graded(),
            spatial && backdrop.land.is_some(),
            only_color(scene).is_some(),
            scene.species.iter().any(|species| species.vehicle.keeps_pose()),
            backdrop.bright(),
        ];
        let flags: u32 = (0..).zip(flags).map(|(bit, has)| u32::from(has) << bit).sum();
        let pattern = if spatial { Pattern::Plain } else { scene.look.pattern } as u32;
        Variant { flags: flags | measured(scene) << 8 | pattern << 12, species: scene.species.len() }
    }

    pub fn constants(self) -> [(&'static str, f64); 2] {
        [("VARIANT", f64::from(self.flags)), ("SPECIES", self.species as f64)]
    }
}

impl Frame {
    /// The parameters of one tile (x, y, width, height, px) of a picture of this size, whose pixels are shown as `coarse` by `coarse`
    /// pixels each. Members that depend on the simulation are 0.
    pub fn new(view: &View, scene: &Scene, size: (u32, u32), tile: [u32; 4], coarse: f32) -> Frame {
        let [x, y, width, height] = tile.map(|v| v as f32);
        let backdrop = Backdrop::of(scene.look.name);
        let distance = view.distance(size);
        // At 0, with the camera among the agents, the nearest ones are not faded.
        let near_end = (distance - view.reach()).max(0.0);
        let largest = scene.species.iter().map(|s| s.radius).fold(0.0, f32::max);
        let solid_from = SMALLEST_SOLID / coarse;
        let magnified = magnified(view, scene, size, solid_from);
        let radius = largest * magnified * view.pixels_per_unit(size);
        let only_color = only_color(scene);
        let smallest = smallest(radius);
        let (first_copy, copies) = copies(view, scene, size);
        let sky = backdrop.sky.map(|(place, color)| {
            let [red, green, blue] = linear(color).map(f32::sqrt);
            [red, green, blue, place]
        });
        let solid = |[red, green, blue]: [f32; 3], alpha| [red, green, blue, alpha];
        Frame {
            view: view.view(size).to_cols_array(),
            sky,
            ink: solid(linear(backdrop.ink).map(f32::sqrt), 0.0),
            land: backdrop.land.map_or([0.0; 4], |color| solid(linear(color), horizon(view.pitch))),
            tile: [width, height],
            center: [size.0 as f32 * 0.5 - x, size.1 as f32 * 0.5 - y],
            half_size: (scene.world.size * 0.5).to_array(),
            focal: view.focal(size),
            edge: solid(backdrop.scenery(EDGE), EDGE_SHARE),
            copies,
            first_copy,
            picture: [size.0 as f32, size.1 as f32],
            near: if view.spatial() { distance * 1e-3 } else { 0.5 },
            yaw: view.yaw.to_radians(),
            fade_start: near_end,
            fade_range: distance + view.reach() - near_end,
            exposure: exposure(view, scene, (radius / radius.max(smallest)).powi(2)) / magnified.powi(2),
            smallest,
            agents: scene.agent_count(),
            faded: backdrop.faded(),
            magnified,
            solid_from,
            seed: scene.seed,
            cells: [1; 3],
            cells_per_unit: [1.0; 3],
            only_color: only_color.unwrap_or_default(),
            most_corners: living(scene).map(|s| bodies::range(s.body).len()).fold(3, usize::max) as u32,
            cover_unit: cover_unit(scene, copies, largest_radius(scene) * magnified * view.focal(size), solid_from),
            ..Frame::zeroed()
        }
        .scaled_as(scene)
    }

    /// The same picture, with numbers shown by colors on the scale of this scene.
    pub fn scaled_as(self, scene: &Scene) -> Frame {
        let [low, high] = ends(scene);
        Frame { scale_from: low, scale_range: high - low, many_neighbors: many_neighbors(scene), ..self }
    }

    /// Bodies in the picture: every agent in every copy of the world.
    pub fn bodies(&self) -> u64 {
        u64::from(self.agents) * u64::from(self.copies[0] * self.copies[1])
    }

    /// The same picture with at most `bodies` bodies: if a wrapped plane has more, only one copy of it is drawn.
    pub fn limited(self, bodies: u64) -> Frame {
        if self.bodies() <= bodies {
            return self;
        }
        let middle = [0, 1].map(|axis| self.first_copy[axis] + (self.copies[axis] / 2) as i32);
        Frame { first_copy: middle, copies: [1; 2], ..self }
    }

    /// Words of cover per pixel: 1 if all agents have one color, otherwise 4.
    pub fn cover_words(scene: &Scene) -> u64 {
        if only_color(scene).is_some() { 1 } else { 4 }
    }

    /// May any agent be drawn solid, and may any be so small that it only adds to the cover? Without perspective the radii decide;
    /// with perspective it depends on the agents' positions, which are not known here, so both may be. Leaves room for rounding.
    pub fn draws(&self, scene: &Scene) -> (bool, bool) {
        let pixels = self.magnified * self.focal;
        let largest = largest_radius(scene) * pixels;
        let least = living(scene).map(|s| (s.radius - spread(s)).max(0.1 * s.radius)).fold(f32::MAX, f32::min) * pixels;
        let unknown = scene.world.spatial;
        (unknown || largest * 1.001 >= self.solid_from, unknown || least * 0.999 < self.solid_from)
    }
}

/// The share of the land's silhouette that is drawn when the camera looks this many degrees down or up: in steep views the horizon is
/// out of sight.
fn horizon(pitch: f32) -> f32 {
    let share = ((LAND_GONE - pitch.abs()) / (LAND_GONE - LAND_WHOLE)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

fn living(scene: &Scene) -> impl Iterator<Item = &Species> {
    scene.species.iter().filter(|species| species.count > 0)
}

/// The most that a body's radius differs from the mean of its species, u.
fn spread(species: &Species) -> f32 {
    species.variation.radius * species.variation.farthest()
}

fn largest_radius(scene: &Scene) -> f32 {
    living(scene).map(|s| s.radius + spread(s)).fold(0.0, f32::max)
}

/// The cover of one whole pixel, as a number: large, so that sums are fine, but so small that a word holds the sum of all bodies in
/// one pixel. A body covers at most the square of `radius`, px (with perspective of the largest radius that is not drawn solid), and
/// each of its 16 parts may be rounded up.
fn cover_unit(scene: &Scene, copies: [u32; 2], radius: f32, solid_from: f32) -> f32 {
    const FINEST: f32 = 65_536.0;
    let bodies = scene.agent_count() as f32 * (copies[0] * copies[1]) as f32;
    let radius = if scene.world.spatial { solid_from } else { radius.min(solid_from) };
    ((4.2e9 - 16.0 * bodies).max(bodies) / (bodies * radius * radius).max(1.0)).min(FINEST)
}

/// Color and opacity of the world's edges.
const EDGE: [u8; 3] = [0x89, 0x95, 0xaa];
const EDGE_SHARE: f32 = 0.08;

/// The most copies of a wrapped plane along an axis. Zoomed out further, the picture has an end.
const MOST_COPIES: i32 = 3;

/// The copies of a wrapped plane that a picture shows: the offset of the first, in worlds, and how many there are along each axis.
fn copies(view: &View, scene: &Scene, size: (u32, u32)) -> ([i32; 2], [u32; 2]) {
    let (mut first, mut count) = ([0; 2], [1; 2]);
    if !view.spatial() {
        let half = [size.0, size.1].map(|side| 0.5 * side as f32 / view.focal(size));
        for axis in 0..2 {
            let length = scene.world.size[axis];
            if scene.world.boundary[axis] == Boundary::Wrap {
                // If less than a hundredth of a world beyond the seam is visible, a copy of all agents is not worth it.
                let copy = |at: f32, spare: f32| ((at + spare) / length + 0.5).floor() as i32;
                let middle = copy(view.center[axis], 0.0);
                let most = MOST_COPIES / 2;
                let low = copy(view.center[axis] - half[axis], 0.01 * length).max(middle - most);
                let high = copy(view.center[axis] + half[axis], -0.01 * length).min(middle + most);
                (first[axis], count[axis]) = (low, (high - low).max(0) as u32 + 1);
            }
        }
    }
    (first, count)
}

/// The least half length at which an agent is drawn, px, if the true one is `radius`. Below 1.1, too few samples hit a triangle to
/// show its size. Smaller agents come several to a pixel: their light is spread further, so that they look like a crowd and not like
/// noise.
fn smallest(radius: f32) -> f32 {
    let t = ((radius - 0.3) / 0.6).clamp(0.0, 1.0);
    2.0 + (1.1 - 2.0) * t * t * (3.0 - 2.0 * t)
}

/// The camera's pitch, in degrees down or up, up to which the land is drawn whole, and from which on it is not drawn.
const LAND_WHOLE: f32 = 35.0;
const LAND_GONE: f32 = 65.0;
/// Half the length below which an agent is not drawn solid, px.
const SMALLEST_SOLID: f32 = 2.5;
/// The least half length of agents in the middle of the picture if they are few, in units of [`SMALLEST_SOLID`].
const LEGIBLE: f32 = 1.8;
/// The share of the picture that agents enlarged so may take, counting the square of half the length for each.
const CROWDED: f32 = 0.02;

/// The factor by which agents are drawn larger than they are. If they are so few that there is room, it is as large as it takes to
/// see each agent and its heading: a thousand starlings from afar would be specks at true size.
fn magnified(view: &View, scene: &Scene, size: (u32, u32), solid_from: f32) -> f32 {
    let agents = scene.agent_count().max(1) as f32;
    let radius = scene.species.iter().map(|s| s.count as f32 * s.radius).sum::<f32>() / agents;
    let room = (CROWDED * size.0 as f32 * size.1 as f32 / agents).sqrt();
    let wanted = room.min(LEGIBLE * solid_from);
    let pixels = radius * view.pixels_per_unit(size);
    if wanted < solid_from || pixels <= 0.0 { 1.0 } else { (wanted / pixels).max(1.0) }
}

/// Brightness per agent area in a pixel, chosen so that agents spread evenly over the world are dim and flocks stand out. It depends
/// on the density, so it stays as the camera moves. In nearly empty worlds it is limited so that a single agent, which gives the
/// light `single`, is at most [`BRIGHTEST`].
fn exposure(view: &View, scene: &Scene, single: f32) -> f32 {
    let agents: f32 = scene.species.iter().map(|s| s.count as f32 * s.radius * s.radius).sum();
    let size = scene.world.size;
    let (mut shown, mut light) = (size.x * size.y, EVEN);
    if let Some(radius) = view.followed_radius {
        // Most agents are within this radius, and the cloud is seen from the side.
        (shown, light) = (CLOUD * radius * radius, THROUGH);
    } else if scene.world.spatial {
        // A box shows a quarter of its surface on average, and flight toward the camera and the depth cue take half of
        // the light.
        shown += size.y * size.z + size.z * size.x;
    }
    (light * shown / agents.max(1e-9)).min(BRIGHTEST / single.max(1e-9))
}

/// Light that evenly spread agents give, before the curve of `composite.wgsl`.
const EVEN: f32 = 0.32;
/// As [`EVEN`], of a cloud of agents that the camera follows, before the depth cue: behind its middle well over half of the sky's
/// light is lost.
const THROUGH: f32 = 4.5;
/// Area of such a cloud seen from the side, in squares of the radius that holds 95 % of its agents: a flat cloud is a few times as
/// wide as high, and most agents are well within it.
const CLOUD: f32 = 3.5;
/// The most light that one agent gives a pixel, before the curve of `composite.wgsl`.
const BRIGHTEST: f32 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// A pass over all agents is left out where it would draw none of them, and only there.
    #[test]
    fn who_may_be_drawn_follows_from_the_bodies() {
        let draws = |world: &str, radius: f32, spread: f32| {
            let text = format!(
                "schema = 1\nworld.size = {world}\n[[species]]\ncount = 1000000\nradius = {radius}\nvariation.radius = {spread}\n\
                 [[species]]\ncount = 0\nradius = 100\n"
            );
            let scene = Scene::parse(&text, "bodies.toml", &[]).unwrap();
            let (size, tile) = ((1920, 1080), [0, 0, 1920, 1080]);
            let frame = Frame::new(&View::from_scene(&scene), &scene, size, tile, 1.0);
            // One pixel is one unit.
            (frame.magnified, frame.solid_from, frame.draws(&scene))
        };
        let (magnified, solid_from, none) = draws("[1920, 1080]", 0.5, 0.0);
        assert!(magnified == 1.0 && solid_from > 1.0, "{magnified} {solid_from}");
        assert_eq!(none, (false, true));
        assert_eq!(draws("[1920, 1080]", 2.0 * solid_from, 0.0).2, (true, false));
        assert_eq!(draws("[1920, 1080]", 0.9 * solid_from, 0.2 * solid_from).2, (true, true));
        assert_eq!(draws("[1920, 1080]", 1.1 * solid_from, 0.2 * solid_from).2, (true, true));
        // Near the camera any body is large.
        assert_eq!(draws("[1920, 1080, 1920]", 0.5, 0.0).2, (true, true));
    }

    /// If the copies of a plane would be too many bodies, the plane is drawn once.
    #[test]
    fn copies_are_left_out_where_bodies_are_too_many() {
        let text = "schema = 1\nworld.size = [100, 100]\nworld.boundary = \"wrap\"\n[[species]]\ncount = 1000000000\n";
        let scene = Scene::parse(text, "many.toml", &[]).unwrap();
        let (size, tile) = ((900, 900), [0, 0, 900, 900]);
        let mut view = View::from_scene(&scene);
        view.zoom = 0.3;
        let frame = Frame::new(&view, &scene, size, tile, 1.0);
        assert_eq!((frame.copies, frame.bodies()), ([3, 3], 9_000_000_000));
        let limited = frame.limited(8_999_999_999);
        assert_eq!((limited.first_copy, limited.copies, limited.bodies()), ([0; 2], [1; 2], 1_000_000_000));
        assert_eq!(frame.limited(9_000_000_000).copies, [3, 3]);
    }

    /// A word holds the cover of all bodies, even if they are all in one pixel, and the unit is as fine as that allows.
    #[test]
    fn no_sum_of_cover_overflows() {
        for (agents, copies, radius) in [
            (1, 1, 0.5),
            (1_000, 9, 2.4),
            (70_000, 1, 0.01),
            (1_000_000, 1, 0.7),
            (1_000_000, 9, 2.5),
            (64_000_000, 1, 2.5),
        ] {
            for spatial in ["", ", 100"] {
                let text = format!(
                    "schema = 1\nworld.size = [100, 100{spatial}]\n[[species]]\ncount = {agents}\nradius = {radius}\n"
                );
                let scene = Scene::parse(&text, "bodies.toml", &[]).unwrap();
                let unit = cover_unit(&scene, [copies, 1], radius, SMALLEST_SOLID);
                let largest = if spatial.is_empty() { radius } else { SMALLEST_SOLID };
                let bodies = f64::from(agents) * f64::from(copies);
                let most = |unit: f32| bodies * (f64::from(unit) * f64::from(largest).powi(2) + 16.0);
                let whole = f64::from(u32::MAX);
                assert!(unit > 0.0 && most(unit) <= whole, "{agents} {copies} {radius}{spatial}: {unit}");
                assert!(unit == 65_536.0 || most(1.2 * unit) > whole, "{agents} {copies} {radius}{spatial}: {unit}");
            }
        }
    }
}
