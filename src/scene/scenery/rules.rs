//! Rules that tie the keys of the scenery together.

use super::super::World;
use super::super::error::plain;
use super::super::keys::MAX_POINTS;
use super::super::rules::Broken;
use super::{ObstacleShape, Path, Scenery, Surface};
use glam::Vec3;

impl Scenery {
    /// The first rule that the scenery breaks in this world.
    pub(in super::super) fn broken_rule(&self, world: &World) -> Option<Broken> {
        self.normals_point()
            .or_else(|| self.names_differ())
            .or_else(|| self.points_fit(world))
            .or_else(|| self.paths.iter().enumerate().find_map(|(i, path)| path.leads_somewhere(i)))
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

    fn points_fit(&self, world: &World) -> Option<Broken> {
        let points: usize = self.paths.iter().map(|path| path.stored_points(world).len()).sum();
        (points > MAX_POINTS).then(|| Broken {
            keys: vec![format!("paths.{}.points", self.paths.len() - 1)],
            value: None,
            message: format!("the paths have {points} points in all; there may be {MAX_POINTS}"),
            hint: Some(
                "a closed path counts its first point twice, and long segments are split on wrapped axes".into(),
            ),
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
    fn leads_somewhere(&self, index: usize) -> Option<Broken> {
        let first = self.points.first().copied().unwrap_or_default();
        self.points.iter().all(|point| *point == first).then(|| Broken {
            keys: vec![format!("paths.{index}.points")],
            value: None,
            message: "at least two points must differ".into(),
            hint: None,
        })
    }
}
