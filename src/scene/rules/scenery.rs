//! The rules of obstacles, paths, trajectories and the surface.

use crate::scene::broken::{Broken, names_differ, times_fault};
use crate::scene::error::plain;
use crate::scene::keys::{MAX_OBSTACLES, MAX_POINTS};
use crate::scene::scatter::{Scattered, scattered};
use crate::scene::scenery::{Line, ObstacleShape, Path, Scenery, Surface, Trajectory};
use crate::scene::{Boundary, World};
use glam::Vec3;

impl Scenery {
    /// The first rule that the scenery breaks in this world.
    pub(in crate::scene) fn broken_rule(&self, world: &World) -> Option<Broken> {
        self.normals_point()
            .or_else(|| self.obstacles_fit(world))
            .or_else(|| names_differ(self.paths.iter().map(|path| &path.name), "paths", "path"))
            .or_else(|| names_differ(self.trajectories.iter().map(|one| &one.name), "trajectories", "trajectory"))
            .or_else(|| self.trajectories.iter().enumerate().find_map(|(i, one)| one.broken_rule(i)))
            .or_else(|| self.points_fit(world))
            .or_else(|| self.paths.iter().enumerate().find_map(|(i, path)| path.broken_rule(i)))
            .or_else(|| self.surface_fits(world))
            .or_else(|| names_differ(self.lines.iter().map(|line| &line.name), "lines", "line"))
            .or_else(|| self.lines.iter().enumerate().find_map(|(i, line)| line.broken_rule(i, world)))
    }

    fn normals_point(&self) -> Option<Broken> {
        let obstacles = self.obstacles.iter().enumerate().filter_map(|(i, obstacle)| match obstacle.shape {
            ObstacleShape::Plane { normal } => Some((format!("obstacles.{i}.normal"), normal)),
            _ => None,
        });
        let surface = match self.surface {
            Some(Surface::Plane { normal, .. }) => Some(("surface.normal".to_owned(), normal)),
            _ => None,
        };
        let (key, normal) = obstacles.chain(surface).find(|(_, normal)| *normal == Vec3::ZERO)?;
        let [x, y, z] = normal.to_array().map(plain);
        Some(Broken::new(key, "must not be zero: it says which way the plane faces").value(format!("[{x}, {y}, {z}]")))
    }

    fn obstacles_fit(&self, world: &World) -> Option<Broken> {
        let all: u64 = self.obstacles.iter().map(|obstacle| u64::from(obstacle.count)).sum();
        let (most, _) = self.obstacles.iter().enumerate().max_by_key(|(_, obstacle)| obstacle.count)?;
        let key = |index: usize| format!("obstacles.{index}.count");
        if all > MAX_OBSTACLES as u64 {
            let message = format!("{all} obstacles in all; there may be {MAX_OBSTACLES}");
            return Some(Broken::new(key(most), message).value(self.obstacles[most].count));
        }
        let Scattered { first_unplaced, .. } = scattered(self, world);
        let (index, placed) = first_unplaced?;
        let count = self.obstacles[index].count;
        let message = format!("only {placed} of {count} find a place where they touch nothing");
        let tied = ["radius", "size", "length", "extent"].map(|name| format!("obstacles.{index}.{name}"));
        let broken = Broken::new(key(index), message).value(count).tied(tied).tied(["world.size".into()]);
        Some(broken.hint("lower it, make them smaller, or give them a larger extent"))
    }

    fn points_fit(&self, world: &World) -> Option<Broken> {
        let points: usize = self.paths.iter().map(|path| path.stored_points(world).len()).sum();
        let message = format!("the paths have {points} points in all; there may be {MAX_POINTS}");
        let hint = "a closed path counts its first point twice, and long segments are split on wrapped axes";
        let key = || format!("paths.{}.points", self.paths.len() - 1);
        (points > MAX_POINTS).then(|| Broken::new(key(), message).hint(hint))
    }

    fn surface_fits(&self, world: &World) -> Option<Broken> {
        let broken = Broken::new("surface", "a planar world has no surface to move on").tied(["world.size".into()]);
        if self.surface.is_some() && !world.spatial {
            return Some(broken.hint("give world.size three numbers"));
        }
        let triangles = self.surface.as_ref()?.triangles(world)?;
        let sized = matches!(self.surface, Some(Surface::Mesh { size: Some(_), .. }));
        let broken = |message| {
            let key = if sized { "surface.size" } else { "surface.center" };
            let tied = ["surface.size", "surface.center", "surface.source", "world.size"].map(str::to_owned);
            Some(Broken::new(key, message).tied(tied))
        };
        if triangles.is_empty() {
            return broken("no triangle of the mesh is left at this size and place".to_owned())?
                .hint("make it larger")
                .into();
        }
        // A tolerance: when a scene is scaled, the mesh is rounded independently of the world.
        let half = world.size * 0.5 * 1.000_001;
        let outside = triangles.iter().flat_map(|one| one.corners).find(|at| at.abs().cmpgt(half).any())?;
        let [x, y, z] = outside.to_array().map(plain);
        let broken = broken(format!("the mesh reaches to [{x}, {y}, {z}], outside of the world"))?;
        Some(broken.hint("make it smaller, or the world larger"))
    }
}

impl Trajectory {
    fn broken_rule(&self, index: usize) -> Option<Broken> {
        let lists = [("points", self.points.len()), ("turns", self.turns.len())];
        times_fault(&format!("trajectories.{index}"), &self.times, &lists)
    }
}

impl Path {
    fn broken_rule(&self, index: usize) -> Option<Broken> {
        let segments = (self.points.len() + usize::from(self.closed)).saturating_sub(1);
        if ![0, segments].contains(&self.radii.len()) {
            let message = format!("must have {segments} entries, one for each segment, not {}", self.radii.len());
            let tied = [format!("paths.{index}.points"), format!("paths.{index}.closed")];
            return Some(Broken::new(format!("paths.{index}.radii"), message).tied(tied));
        }
        let first = self.points.first().copied().unwrap_or_default();
        let key = format!("paths.{index}.points");
        let same = self.points.iter().all(|point| *point == first);
        same.then(|| Broken::new(key, "at least two points must differ"))
    }
}

impl Line {
    /// The ends of a line must differ. Along an axis that wraps they must lie in the world, because there a place outside of
    /// it is one inside.
    fn broken_rule(&self, index: usize, world: &World) -> Option<Broken> {
        let shown = |end: Vec3| format!("[{}, {}]", plain(end.x), plain(end.y));
        if self.from.truncate() == self.to.truncate() {
            let broken = Broken::new(format!("lines.{index}.to"), "must differ from `from`");
            return Some(broken.value(shown(self.to)).tied([format!("lines.{index}.from")]));
        }
        let (half, ends) = (world.size * 0.5, [("from", self.from), ("to", self.to)]);
        let outside =
            |(axis, end): (usize, Vec3)| world.boundary[axis] == Boundary::Wrap && end[axis].abs() > half[axis];
        let (name, end, axis) = ends
            .into_iter()
            .find_map(|(name, end)| (0..2).find(|axis| outside((*axis, end))).map(|axis| (name, end, axis)))?;
        let message = format!(
            "must lie in the world, which wraps along {0}: {0} from {1} to {2}",
            ["x", "y"][axis],
            plain(-half[axis]),
            plain(half[axis])
        );
        let broken = Broken::new(format!("lines.{index}.{name}"), message).value(shown(end));
        Some(broken.tied(["world.size".to_owned(), "world.boundary".to_owned()]))
    }
}
