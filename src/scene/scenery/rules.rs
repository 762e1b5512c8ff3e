//! Rules that tie the keys of the scenery together.

use super::super::error::plain;
use super::super::keys::MAX_POINTS;
use super::super::rules::{AXES, Broken};
use super::super::{Boundary, World};
use super::{ObstacleShape, Path, Scenery, Surface};
use glam::Vec3;

impl Scenery {
    /// The first rule that the scenery breaks in this world.
    pub(in super::super) fn broken_rule(&self, world: &World) -> Option<Broken> {
        self.normals_point()
            .or_else(|| self.names_differ())
            .or_else(|| self.points_fit())
            .or_else(|| self.paths.iter().enumerate().find_map(|(i, path)| path.leads_somewhere(i)))
            .or_else(|| self.paths.iter().enumerate().find_map(|(i, path)| path.fits(i, world)))
            .or_else(|| self.surface_fits(world))
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
        Some(Broken {
            keys: vec![key],
            value: Some(format!("[{x}, {y}, {z}]")),
            message: "must not be zero: it says which way the plane faces".into(),
            hint: None,
        })
    }

    fn names_differ(&self) -> Option<Broken> {
        let same = |i: &usize| self.paths[..*i].iter().any(|path| path.name == self.paths[*i].name);
        let index = (0..self.paths.len()).find(same)?;
        Some(Broken {
            keys: vec![format!("paths.{index}.name")],
            value: Some(format!("{:?}", self.paths[index].name)),
            message: "another path has this name already".into(),
            hint: None,
        })
    }

    fn points_fit(&self) -> Option<Broken> {
        let points: usize = self.paths.iter().map(Path::stored_points).sum();
        (points > MAX_POINTS).then(|| Broken {
            keys: vec![format!("paths.{}.points", self.paths.len() - 1)],
            value: None,
            message: format!("the paths have {points} points in all; there may be {MAX_POINTS}"),
            hint: Some("a closed path counts its first point twice".into()),
        })
    }

    fn surface_fits(&self, world: &World) -> Option<Broken> {
        (self.surface.is_some() && !world.spatial).then(|| Broken {
            keys: vec!["surface".into(), "world.size".into()],
            value: None,
            message: "a planar world has no surface to move on".into(),
            hint: Some("give world.size three numbers".into()),
        })
    }
}

impl Path {
    /// Points that it takes in the shaders' table: a closed path ends where it begins.
    fn stored_points(&self) -> usize {
        self.points.len() + usize::from(self.closed)
    }

    fn leads_somewhere(&self, index: usize) -> Option<Broken> {
        let first = self.points.first()?;
        self.points.iter().all(|point| point == first).then(|| Broken {
            keys: vec![format!("paths.{index}.points")],
            value: None,
            message: "at least two points must differ".into(),
            hint: None,
        })
    }

    /// The nearest of a segment's images is found from its middle, which long segments would make wrong.
    fn fits(&self, index: usize, world: &World) -> Option<Broken> {
        let count = self.points.len();
        let segments = (0..if self.closed { count } else { count - 1 }).map(|i| (i, (i + 1) % count));
        let wrapped = |axis: &usize| world.boundary[*axis] == Boundary::Wrap;
        let long = |(i, next): (usize, usize)| {
            let extent = (self.points[next] - self.points[i]).abs();
            (0..3).filter(wrapped).find(|&axis| extent[axis] > world.size[axis] * 0.5).map(|axis| (i, axis))
        };
        let (point, axis) = segments.into_iter().find_map(long)?;
        Some(Broken {
            keys: vec![format!("paths.{index}.points.{point}"), format!("world.size.{axis}"), "world.boundary".into()],
            value: None,
            message: format!(
                "the segment from here is longer than {} u, half of the wrapped {} axis (world.size.{axis} = {})",
                plain(world.size[axis] * 0.5),
                AXES[axis],
                plain(world.size[axis])
            ),
            hint: Some("put points between, or do not wrap this axis".into()),
        })
    }
}
