//! What stands in the world besides agents: obstacles, paths, and a surface to move on.
//!
//! Centers and points belong to the world: they move with its size where the number of agents changes. Radii, sizes and
//! hills keep theirs.

mod rules;

use super::error::SceneError;
use super::keys;
use super::read::Section;
use super::{Boundary, World};
use glam::Vec3;

/// Obstacles, paths and the surface of a scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenery {
    /// What agents avoid, or stay within: at most 64.
    pub obstacles: Vec<Obstacle>,
    /// What agents follow: at most 8, with at most 256 points in all.
    pub paths: Vec<Path>,
    /// What agents move on.
    pub surface: Option<Surface>,
}

/// A solid shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obstacle {
    /// Its shape and size.
    pub shape: ObstacleShape,
    /// Its center, or a point of the plane, u.
    pub center: Vec3,
    /// On which side agents are free.
    pub seen_from: SeenFrom,
}

/// The shape of an obstacle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ObstacleShape {
    /// A ball; a disk in a planar world.
    Sphere {
        /// u
        radius: f32,
    },
    /// A box along the axes; a rectangle in a planar world.
    Box {
        /// Full extent along each axis, u; 0 along z in a planar world.
        size: Vec3,
    },
    /// All of space behind a plane; behind a line in a planar world.
    Plane {
        /// Points out of the solid half; not zero, of any length.
        normal: Vec3,
    },
}

/// On which side of an obstacle's surface agents are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenFrom {
    /// Outside; the shape is solid.
    Outside,
    /// Inside; everything else is solid.
    Inside,
    /// Both; only the surface is solid.
    Both,
}

/// A line through points, with a way around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Name, unique within the scene.
    pub name: String,
    /// Its points, in the direction of travel, u; at least two differ.
    pub points: Vec<Vec3>,
    /// Does the last point lead on to the first?
    pub closed: bool,
    /// Half of the width of the way, u.
    pub radius: f32,
}

/// A surface that agents move on, in a spatial world.
#[derive(Debug, Clone, PartialEq)]
pub enum Surface {
    /// A sphere.
    Sphere {
        /// u
        center: Vec3,
        /// u
        radius: f32,
    },
    /// A plane.
    Plane {
        /// A point of it, u.
        point: Vec3,
        /// Points up; not zero, of any length.
        normal: Vec3,
    },
    /// Ground whose height, along the vertical axis y, is `level` plus that of all hills.
    HeightField {
        /// Height far from all hills, u.
        level: f32,
        /// At most 8.
        hills: Vec<Hill>,
    },
}

/// A hill: at a distance r from its middle it is `height / (1 + r²/width²)²` high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hill {
    /// Middle along x, u.
    pub x: f32,
    /// Middle along z, u.
    pub z: f32,
    /// Height in the middle, u; a hollow where negative.
    pub height: f32,
    /// Distance at which a quarter of the height is left, u.
    pub width: f32,
}

impl Scenery {
    /// Is there anything at all?
    pub fn is_empty(&self) -> bool {
        self.obstacles.is_empty() && self.paths.is_empty() && self.surface.is_none()
    }

    /// Move all centers and points as the world grows by this factor.
    pub(super) fn spread(&mut self, factor: f64) {
        let moved = |point: &mut Vec3| *point = (point.as_dvec3() * factor).as_vec3();
        let shifted = |x: &mut f32| *x = (f64::from(*x) * factor) as f32;
        self.obstacles.iter_mut().for_each(|obstacle| moved(&mut obstacle.center));
        self.paths.iter_mut().flat_map(|path| &mut path.points).for_each(moved);
        match &mut self.surface {
            Some(Surface::Sphere { center: point, .. } | Surface::Plane { point, .. }) => moved(point),
            Some(Surface::HeightField { level, hills }) => {
                shifted(level);
                hills.iter_mut().for_each(|hill| [&mut hill.x, &mut hill.z].into_iter().for_each(shifted));
            }
            None => {}
        }
    }
}

impl Path {
    /// Its points as they are used: none twice in a row, a closed path ends where it begins, and no segment is longer
    /// than half of a wrapped axis, because the nearest image of a segment is found from its middle.
    pub fn stored_points(&self, world: &World) -> Vec<Vec3> {
        let mut points: Vec<Vec3> = self.points.iter().copied().take(1).collect();
        let end = self.points.first().filter(|_| self.closed);
        for &next in self.points.iter().skip(1).chain(end) {
            let from = points[points.len() - 1];
            let halves = |axis: usize| match world.boundary[axis] {
                Boundary::Wrap => (next - from)[axis].abs() / (world.size[axis] * 0.5),
                _ => 0.0,
            };
            // So many that no table holds them, where there would be more.
            let pieces = (0..3).map(halves).fold(1.0, f32::max).ceil().min(1000.0) as u32;
            points.extend((1..pieces).map(|k| from.lerp(next, k as f32 / pieces as f32)));
            points.extend((next != from).then_some(next));
        }
        points
    }
}

/// Read `[[obstacles]]`, `[[paths]]` and `[surface]`.
pub fn read_scenery(top: &Section, world: &World) -> Result<Scenery, SceneError> {
    let obstacles = top.tables("obstacles", keys::OBSTACLES, keys::MAX_OBSTACLES)?;
    let paths = top.tables("paths", keys::PATHS, keys::MAX_PATHS)?;
    let surface = top.table("surface", keys::SURFACE)?;
    Ok(Scenery {
        obstacles: obstacles.iter().map(|section| read_obstacle(section, world)).collect::<Result<_, _>>()?,
        paths: paths.iter().enumerate().map(|(i, s)| read_path(s, i, world)).collect::<Result<_, _>>()?,
        surface: surface.exists().then(|| read_surface(&surface)).transpose()?,
    })
}

fn read_obstacle(section: &Section, world: &World) -> Result<Obstacle, SceneError> {
    let axes = if world.spatial { 3 } else { 2 };
    let shape = match section.choice("shape")? {
        0 => {
            section.only_for("shape = \"sphere\"", &["shape", "center", "radius", "seen_from"])?;
            ObstacleShape::Sphere { radius: section.needed("radius", section.try_number("radius")?)? }
        }
        1 => {
            section.only_for("shape = \"box\"", &["shape", "center", "size", "seen_from"])?;
            ObstacleShape::Box { size: section.needed("size", read_vector(section, "size", axes)?)? }
        }
        _ => {
            section.only_for("shape = \"plane\"", &["shape", "center", "normal", "seen_from"])?;
            ObstacleShape::Plane { normal: section.needed("normal", read_vector(section, "normal", axes)?)? }
        }
    };
    let seen_from = [SeenFrom::Outside, SeenFrom::Inside, SeenFrom::Both][section.choice("seen_from")?];
    Ok(Obstacle { shape, center: read_vector(section, "center", axes)?.unwrap_or_default(), seen_from })
}

fn read_path(section: &Section, index: usize, world: &World) -> Result<Path, SceneError> {
    let (name, given) = section.text("name")?;
    let points = section.points("points", if world.spatial { 3 } else { 2 })?;
    Ok(Path {
        name: if given.is_some() { name.to_owned() } else { format!("path {index}") },
        points: points.into_iter().map(vector).collect(),
        closed: section.flag("closed")?,
        radius: section.number("radius")?,
    })
}

fn read_surface(section: &Section) -> Result<Surface, SceneError> {
    Ok(match section.choice("shape")? {
        0 => {
            section.only_for("shape = \"sphere\"", &["shape", "center", "radius"])?;
            let center = read_vector(section, "center", 3)?.unwrap_or_default();
            Surface::Sphere { center, radius: section.needed("radius", section.try_number("radius")?)? }
        }
        1 => {
            section.only_for("shape = \"plane\"", &["shape", "center", "normal"])?;
            let point = read_vector(section, "center", 3)?.unwrap_or_default();
            Surface::Plane { point, normal: read_vector(section, "normal", 3)?.unwrap_or(Vec3::Y) }
        }
        _ => {
            section.only_for("shape = \"height_field\"", &["shape", "level", "hills"])?;
            let hills = section.tables("hills", keys::HILLS, keys::MAX_HILLS)?;
            let hills = hills.iter().map(read_hill).collect::<Result<_, _>>()?;
            Surface::HeightField { level: section.number("level")?, hills }
        }
    })
}

fn read_hill(section: &Section) -> Result<Hill, SceneError> {
    let number = |name| section.number(name);
    Ok(Hill { x: number("x")?, z: number("z")?, height: number("height")?, width: number("width")? })
}

fn read_vector(section: &Section, name: &str, axes: usize) -> Result<Option<Vec3>, SceneError> {
    Ok(section.vector(name, &[axes])?.map(vector))
}

fn vector(numbers: Vec<f32>) -> Vec3 {
    Vec3::new(numbers[0], numbers[1], numbers.get(2).copied().unwrap_or(0.0))
}
