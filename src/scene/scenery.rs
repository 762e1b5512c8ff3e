//! What stands in the world besides agents: obstacles, paths, and a surface to move on.
//!
//! Centers and points scale with the world where the number of agents changes, and so does the surface. Radii of paths and sizes of
//! obstacles stay.

use super::error::SceneError;
use super::keys::*;
use super::mesh::{MeshSource, Triangle};
use super::read::Section;
use super::tables::{Table, Value};
use super::{Boundary, World};
use glam::Vec3;

table! {
    /// Obstacles, paths and the surface of a scene.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Scenery {
        /// What agents avoid or stay within, up to 16,384 in all.
        pub obstacles: Vec<Obstacle> = described(Range::Tables(Obstacle::KEYS, MAX_OBSTACLES), "none"),
        /// What agents follow, up to 8.
        ///
        /// They have at most 256 points in all.
        pub paths: Vec<Path> = described(Range::Tables(Path::KEYS, MAX_PATHS), "none"),
        /// What agents move on, in a spatial world.
        pub surface: Option<Surface> = described(Range::Table(Surface::KEYS), "none"),
        /// How targets and obstacles move, up to 16.
        pub trajectories: Vec<Trajectory> = described(Range::Tables(Trajectory::KEYS, MAX_TRAJECTORIES), "none"),
        /// Lines at which crossing agents are counted, up to 16.
        pub lines: Vec<Line> = described(Range::Tables(Line::KEYS, MAX_LINES), "none"),
    }
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
    /// How far it is turned about its axis, degrees, right-handed.
    pub turn: f32,
    /// The axis that it turns about, of any length; z where it is zero, and in a planar world.
    pub axis: Vec3,
    /// Index of the trajectory that it moves along; its center is then the place of the trajectory plus [`Obstacle::center`].
    pub trajectory: Option<u32>,
    /// How many there are. More than one lie at random places, where none touches another ([`Scenery::placed`]).
    pub count: u32,
    /// For a count above 1: full extent of the region around [`Obstacle::center`] in which they lie, u; 0 along an axis for the
    /// whole world.
    pub extent: Vec3,
    /// For a count above 1: each is larger or smaller by a share of at most this.
    pub size_spread: f32,
    /// For a count above 1: seed of their places and sizes.
    pub seed: u32,
}

/// The shape of an obstacle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ObstacleShape {
    /// A ball; a disk in a planar world.
    Sphere {
        /// Radius, u.
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
    /// All that is near a line along x: a cylinder with round ends.
    Capsule {
        /// Length of the line, u.
        length: f32,
        /// Radius of cylinder and ends, u.
        radius: f32,
    },
}

words! {
    /// On which side of an obstacle's surface agents are free.
    pub enum SeenFrom {
        /// Outside; the shape is solid.
        Outside = "outside",
        /// Inside; everything else is solid.
        Inside = "inside",
        /// Both; only the surface is solid.
        Both = "both",
    }
}

table! {
    /// A line through points, with a way around it.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Path {
        /// Name, unique within the scene.
        pub name: String = described(Range::Text, "path N"),
        /// Its points in the direction of travel; all paths have at most 256.
        ///
        /// At least two differ.
        pub points: Vec<Vec3> =
            required(Range::Points { least: 2, min: -1e7, max: 1e7, most: MAX_POINTS }).in_unit("u"),
        /// True where the last point leads on to the first.
        pub closed: bool = flag(),
        /// Half of the width of the way.
        pub radius: f32 = number("u", 0.0, 1e6, 1.0),
        /// Half of the width of each segment, in their order, in place of `radius`: a closed path has as many as points, an open
        /// one has one less.
        pub radii: Vec<f32> =
            described(Range::Numbers { min: 0.0, max: 1e6, most: MAX_POINTS }, "`radius` each").in_unit("u"),
    }
}

table! {
    /// A place that moves as time goes on: a target heads for it, and obstacles move with it.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Trajectory {
        /// Name, unique within the scene.
        pub name: String = described(Range::Text, "trajectory N"),
        /// When it is at each of its points: ascending from 0, the start of the run, and rounded to whole steps.
        pub times: Vec<f32> =
            required(Range::Numbers { min: 0.0, max: 1e5, most: MAX_TIMES }).in_unit("s"),
        /// Where it is at each of `times`; after the last it stays there.
        pub points: Vec<Vec3> =
            required(Range::Points { least: 2, min: -1e7, max: 1e7, most: MAX_TIMES }).in_unit("u"),
        /// How far obstacles on it have turned at each of `times`, in addition to their own `turn`.
        pub turns: Vec<f32> =
            described(Range::Numbers { min: -1e6, max: 1e6, most: MAX_TIMES }, "0 each").in_unit("deg"),
        /// True where it begins anew after the last time, at its first point.
        pub repeat: bool = flag(),
        /// True where it is a smooth curve through its points (Catmull-Rom), false where it goes straight from one to the next.
        pub smooth: bool = flag(),
    }
}

table! {
    /// A line that does not affect agents. Each agent that crosses it is counted, by its direction.
    ///
    /// In a spatial world it stands for all that is above and below it along z, as the walls of a map do.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Line {
        /// Name, unique within the scene: its columns are `crossed.NAME` and `crossed_back.NAME`.
        pub name: String = described(Range::Text, "line N"),
        /// One end; along an axis that wraps it lies within the world.
        pub from: Vec3 = required(END).in_unit("u"),
        /// The other end. Agents that cross from the left to the right, seen along the way from `from` to `to`, count as `crossed`, the
        /// others as `crossed_back`. In space the third number of both does not matter.
        pub to: Vec3 = required(END).in_unit("u"),
    }
}

/// A surface that agents move on, in a spatial world.
#[derive(Debug, Clone, PartialEq)]
pub enum Surface {
    /// A sphere.
    Sphere {
        /// Center, u.
        center: Vec3,
        /// Radius, u.
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
        /// The hills, at most 8.
        hills: Vec<Hill>,
    },
    /// A mesh of triangles.
    Mesh {
        /// The mesh, of any size.
        source: MeshSource,
        /// The middle of the box around it, u.
        center: Vec3,
        /// The longest side of that box, u; `None` for two thirds of the world's shortest side.
        size: Option<f32>,
    },
}

table! {
    /// A hill of a height field; a hollow where its height is negative.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Hill {
        /// Middle along x.
        pub x: f32 = number("u", -1e7, 1e7, 0.0),
        /// Middle along z.
        pub z: f32 = number("u", -1e7, 1e7, 0.0),
        /// Height in the middle; at a distance r from it, the height is this times 1 / (1 + r²/width²)².
        pub height: f32 = number("u", -1e6, 1e6, 10.0),
        /// Distance at which a quarter of the height is left.
        pub width: f32 = number("u", 1e-3, 1e6, 20.0),
    }
}

impl Scenery {
    /// True if it has no obstacles, paths, surface, trajectories or lines.
    pub fn is_empty(&self) -> bool {
        self.obstacles.is_empty()
            && self.paths.is_empty()
            && self.surface.is_none()
            && self.trajectories.is_empty()
            && self.lines.is_empty()
    }

    /// Move all centers and points, and enlarge the surface, as the world grows by this factor.
    pub(super) fn spread(&mut self, factor: f64) {
        let moved = |point: &mut Vec3| *point = (point.as_dvec3() * factor).as_vec3();
        let shifted = |x: &mut f32| *x = (f64::from(*x) * factor) as f32;
        self.obstacles
            .iter_mut()
            .for_each(|obstacle| [&mut obstacle.center, &mut obstacle.extent].into_iter().for_each(moved));
        self.paths.iter_mut().flat_map(|path| &mut path.points).for_each(moved);
        self.trajectories.iter_mut().flat_map(|trajectory| &mut trajectory.points).for_each(moved);
        self.lines.iter_mut().flat_map(|line| [&mut line.from, &mut line.to]).for_each(moved);
        match &mut self.surface {
            Some(Surface::Plane { point, .. }) => moved(point),
            Some(Surface::Sphere { center, radius }) => {
                moved(center);
                shifted(radius);
            }
            Some(Surface::Mesh { center, size, .. }) => {
                moved(center);
                size.iter_mut().for_each(shifted);
            }
            Some(Surface::HeightField { level, hills }) => {
                shifted(level);
                for Hill { x, z, height, width } in hills {
                    [x, z, height, width].into_iter().for_each(shifted);
                }
            }
            None => {}
        }
    }
}

impl Path {
    /// Its points as they are used: none twice in a row, a closed path ends where it begins, and no segment is longer
    /// than half of a wrapped axis, because the nearest image of a segment is found from its middle.
    pub fn stored_points(&self, world: &World) -> Vec<Vec3> {
        self.stored(world).into_iter().map(|(point, _)| point).collect()
    }

    /// The points of [`Path::stored_points`], each with half of the width of the segment that leads to it, u.
    pub(crate) fn stored(&self, world: &World) -> Vec<(Vec3, f32)> {
        let mut points: Vec<(Vec3, f32)> = self.points.iter().map(|point| (*point, self.radius)).take(1).collect();
        let end = self.points.first().filter(|_| self.closed);
        for (segment, &next) in self.points.iter().skip(1).chain(end).enumerate() {
            let radius = self.radii.get(segment).copied().unwrap_or(self.radius);
            let (from, _) = points[points.len() - 1];
            let halves = |axis: usize| match world.boundary[axis] {
                Boundary::Wrap => (next - from)[axis].abs() / (world.size[axis] * 0.5),
                _ => 0.0,
            };
            // At most 1,000, which is more than a scene may have, so a rule refuses them.
            let pieces = (0..3).map(halves).fold(1.0, f32::max).ceil().min(1000.0) as u32;
            points.extend((1..pieces).map(|k| (from.lerp(next, k as f32 / pieces as f32), radius)));
            points.extend((next != from).then_some((next, radius)));
        }
        points
    }
}

const END: Range = Range::Vector { min: -1e7, max: 1e7 };
const RADIUS: Range = Range::Number { min: 1e-6, max: 1e7 };
const LENGTH: Range = Range::Number { min: 0.0, max: 1e7 };
const SIZE: Range = Range::Vector { min: 1e-6, max: 1e7 };
const NORMAL: Range = Range::Vector { min: -1e6, max: 1e6 };

impl Default for Obstacle {
    fn default() -> Self {
        Obstacle::new(ObstacleShape::Sphere { radius: 1.0 })
    }
}

impl Obstacle {
    /// An obstacle at the origin; agents are free outside of it.
    pub fn new(shape: ObstacleShape) -> Obstacle {
        let (center, axis) = (Vec3::ZERO, Vec3::ZERO);
        let (count, extent, size_spread, seed) = (1, Vec3::ZERO, 0.0, 1);
        let (seen_from, turn, trajectory) = (SeenFrom::Outside, 0.0, None);
        Obstacle { shape, center, seen_from, turn, axis, trajectory, count, extent, size_spread, seed }
    }
}

impl Table for Obstacle {
    const KEYS: &'static [Key] = &[
        required(Range::Choice(&["sphere", "box", "plane", "capsule"]))
            .named("shape", "a plane has no end, a capsule is all that is near a line along x"),
        place().named("center", "center; of a plane, a point on it; on a trajectory, relative to its place"),
        required_for(RADIUS, "required for a sphere or a capsule")
            .in_unit("u")
            .named("radius", "radius of a sphere or a capsule"),
        required_for(SIZE, "required for a box").in_unit("u").named("size", "full extent of a box along each axis"),
        required_for(NORMAL, "required for a plane")
            .named("normal", "points from a plane to its free side; of any length but zero"),
        choice(SeenFrom::WORDS).named(
            "seen_from",
            "where agents are free: outside of the shape, inside of it, or on both sides of a thin shell",
        ),
        required_for(LENGTH, "required for a capsule")
            .in_unit("u")
            .named("length", "length of the line in the middle of a capsule"),
        number("deg", -360.0, 360.0, 0.0).named("turn", "how far it is turned about its axis, right-handed"),
        described(NORMAL, "z").named("axis", "what it turns about, of any length; in a planar world always z"),
        described(Range::Trajectory, "it stays").named("trajectory", "what it moves along, and turns with"),
        whole(1, MAX_OBSTACLES as u32, 1)
            .named("count", "how many there are; more than one lie at random places, none touching another"),
        described(Range::Vector { min: 0.0, max: 1e7 }, "the world")
            .in_unit("u")
            .named("extent", "for several: full extent of the region around the center in which they lie"),
        number("", 0.0, 0.9, 0.0)
            .named("size_spread", "for several: each is larger or smaller by a share of up to this"),
        whole(0, u32::MAX, 1).named("seed", "for several: seed of their places and sizes"),
    ];

    fn values(&mut self) -> Vec<(&'static Key, &mut dyn Value)> {
        let [_, center, radius, size, normal, seen_from, length, turn, axis, trajectory, many @ ..] = Self::KEYS else {
            return Vec::new();
        };
        let ends = !matches!(self.shape, ObstacleShape::Plane { .. });
        let mut values: Vec<(_, &mut dyn Value)> = vec![(center, &mut self.center)];
        match &mut self.shape {
            ObstacleShape::Sphere { radius: value } => values.push((radius, value)),
            ObstacleShape::Box { size: value } => values.push((size, value)),
            ObstacleShape::Plane { normal: value } => values.push((normal, value)),
            ObstacleShape::Capsule { length: line, radius: value } => {
                values.push((length, line));
                values.push((radius, value));
            }
        }
        values.push((seen_from, &mut self.seen_from));
        values.push((turn, &mut self.turn));
        values.push((axis, &mut self.axis));
        values.push((trajectory, &mut self.trajectory));
        if ends {
            let own: [&mut dyn Value; 4] = [&mut self.count, &mut self.extent, &mut self.size_spread, &mut self.seed];
            values.extend(many.iter().zip(own));
        }
        values
    }

    fn chosen(&self) -> Option<&'static str> {
        Some(match self.shape {
            ObstacleShape::Sphere { .. } => "sphere",
            ObstacleShape::Box { .. } => "box",
            ObstacleShape::Plane { .. } => "plane",
            ObstacleShape::Capsule { .. } => "capsule",
        })
    }

    fn choose(&mut self, from: &Section) -> Result<(), SceneError> {
        let (size, normal) = (Vec3::ONE, Vec3::Y);
        let shapes = [
            ObstacleShape::Sphere { radius: 1.0 },
            ObstacleShape::Box { size },
            ObstacleShape::Plane { normal },
            ObstacleShape::Capsule { length: 1.0, radius: 1.0 },
        ];
        *self = from.choose(shapes.map(Obstacle::new))?;
        Ok(())
    }
}

impl Surface {
    /// The triangles of a mesh; `None` for any other surface.
    pub fn triangles(&self, world: &World) -> Option<Vec<Triangle>> {
        let Surface::Mesh { source, center, size } = self else { return None };
        Some(source.triangles(*center, size.unwrap_or(world.size.min_element() / 1.5)))
    }

    /// The file that its mesh was read from, if any.
    pub fn path(&self) -> Option<&std::path::Path> {
        match self {
            Surface::Mesh { source, .. } => source.path(),
            _ => None,
        }
    }
}

impl Default for Surface {
    fn default() -> Self {
        Surface::Plane { point: Vec3::ZERO, normal: Vec3::Y }
    }
}

/// A surface is in a spatial world, so its vectors have three numbers.
impl Table for Surface {
    const KEYS: &'static [Key] = &[
        required(Range::Choice(&["sphere", "plane", "height_field", "mesh"]))
            .named("shape", "a height field is level ground with hills, a mesh is made of triangles"),
        place().named("center", "center of a sphere, or of the box around a mesh; a point of a plane"),
        required_for(RADIUS, "required for a sphere").in_unit("u").named("radius", "radius of a sphere"),
        described(NORMAL, "[0, 1, 0]").named("normal", "points up from a plane; of any length but zero"),
        number("u", -1e7, 1e7, 0.0).named("level", "height (y) of a height field far from all hills"),
        described(Range::Tables(Hill::KEYS, MAX_HILLS), "none")
            .named("hills", "hills of a height field, up to 8; their heights are added"),
        required_for(Range::Source(MeshSource::FORMULAS, MeshSource::EXTENSIONS), "required for a mesh").named(
            "source",
            "a mesh by a formula, or the path of an OBJ file of up to 32,768 triangles, relative to the scene file",
        ),
        limit("u", 1e-3, 1e7, "two thirds of the world's shortest side")
            .named("size", "longest side of the box around a mesh, which lies within the world"),
    ];

    fn values(&mut self) -> Vec<(&'static Key, &mut dyn Value)> {
        let [_, center, radius, normal, level, hills, source, size] = Self::KEYS else { return Vec::new() };
        match self {
            Surface::Sphere { center: point, radius: value } => vec![(center, point), (radius, value)],
            Surface::Plane { point, normal: value } => vec![(center, point), (normal, value)],
            Surface::HeightField { level: value, hills: list } => vec![(level, value), (hills, list)],
            Surface::Mesh { source: from, center: point, size: side } => {
                vec![(center, point), (source, from), (size, side)]
            }
        }
    }

    fn chosen(&self) -> Option<&'static str> {
        Some(match self {
            Surface::Sphere { .. } => "sphere",
            Surface::Plane { .. } => "plane",
            Surface::HeightField { .. } => "height_field",
            Surface::Mesh { .. } => "mesh",
        })
    }

    fn choose(&mut self, from: &Section) -> Result<(), SceneError> {
        let sphere = Surface::Sphere { center: Vec3::ZERO, radius: 1.0 };
        let hills = Surface::HeightField { level: 0.0, hills: Vec::new() };
        let mesh = Surface::Mesh { source: MeshSource::default(), center: Vec3::ZERO, size: None };
        *self = from.choose([sphere, Surface::default(), hills, mesh])?;
        Ok(())
    }
}
