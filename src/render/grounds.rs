//! How planes and surfaces are drawn: grids that end at the world's box, and faces that hide the far side.

use super::shapes::{Shapes, WIDTH, sides};
use crate::scene::{Scene, Surface, Triangle};
use glam::Vec3;

const GROUND: [u8; 3] = [0x10, 0x15, 0x1e];
/// The color of slopes, which look darker than it because they are shaded.
const SLOPE: [u8; 3] = [0x1d, 0x25, 0x31];
/// Lines on slopes.
const CONTOUR: [u8; 3] = [0x36, 0x48, 0x5d];
const GRID: [u8; 3] = [0x2b, 0x3a, 0x4b];
/// Grid lines on a height field across each axis, and the most squares between two of them.
const CONTOURS: usize = 64;
const FINEST: usize = 8;
/// Spaces between the lines of a plane's grid along the world's longest axis.
const LINES: f32 = 24.0;

impl Shapes {
    /// The part of an infinite line within the world's box, which counts as endless along z in a planar world.
    pub(super) fn clip(&self, point: Vec3, along: Vec3) -> Option<(Vec3, Vec3)> {
        let (mut first, mut last) = (f32::NEG_INFINITY, f32::INFINITY);
        for axis in 0..if self.spatial { 3 } else { 2 } {
            let ends = [-1.0, 1.0].map(|side| (side * self.half_size[axis] - point[axis]) / along[axis]);
            if along[axis].abs() > 1e-9 {
                first = first.max(ends[0].min(ends[1]));
                last = last.min(ends[0].max(ends[1]));
            } else if point[axis].abs() > self.half_size[axis] {
                return None;
            }
        }
        (first < last && first.is_finite() && last.is_finite()).then(|| (point + along * first, point + along * last))
    }

    /// A plane in space: lines in both directions, and its outline on the world's box.
    pub(super) fn grid(&mut self, point: Vec3, normal: Vec3, inner: [u8; 3], outer: [u8; 3]) {
        let (u, v) = sides(normal);
        let gap = 2.0 * self.half_size.max_element() / LINES;
        let center = point - normal * point.dot(normal);
        let middle = point - center;
        let reach = (self.half_size.length() / gap).ceil() as i32;
        for k in -reach..=reach {
            for (along, across) in [(u, v), (v, u)] {
                if let Some((from, to)) = self.clip(middle + across * (gap * k as f32), along) {
                    self.line(from, to, inner, 0.8);
                }
            }
        }
        let mut corners = self.section(middle, normal);
        corners.extend(corners.first().copied());
        self.lines(corners.into_iter(), outer, WIDTH);
    }

    /// Corners of the polygon in which a plane cuts the world's box, in order.
    fn section(&self, point: Vec3, normal: Vec3) -> Vec<Vec3> {
        let mut corners = Vec::new();
        for axis in 0..3 {
            let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
            for (a, b) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                let start = self.half_size * (Vec3::AXES[u] * a + Vec3::AXES[v] * b - Vec3::AXES[axis]);
                let edge = Vec3::AXES[axis] * 2.0 * self.half_size[axis];
                let share = (point - start).dot(normal) / edge.dot(normal);
                if (0.0..=1.0).contains(&share) {
                    corners.push(start + edge * share);
                }
            }
        }
        let (u, v) = sides(normal);
        let middle = corners.iter().sum::<Vec3>() / corners.len().max(1) as f32;
        let angle = |corner: &Vec3| (*corner - middle).dot(v).atan2((*corner - middle).dot(u));
        corners.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
        corners
    }

    /// The surface that agents move on.
    pub(super) fn surface(&mut self, surface: &Surface, scene: &Scene) {
        match surface {
            Surface::Sphere { center, radius } => {
                self.sphere(*center, radius * 0.995, GROUND, 0.03);
                self.meridians(*center, *radius, 18, GRID);
            }
            Surface::Plane { point, normal } => {
                let normal = normal.normalize();
                let corners = self.section(*point, normal);
                self.polygon(&corners, Vec3::ZERO, GROUND);
                self.grid(*point, normal, GRID, GRID);
            }
            Surface::HeightField { .. } => self.height_field(surface, scene),
            Surface::Mesh { .. } => {
                for Triangle { corners, normals } in surface.triangles(&scene.world).unwrap_or_default() {
                    self.face(corners, normals, SLOPE, 0.0);
                }
            }
        }
    }

    fn height_field(&mut self, surface: &Surface, scene: &Scene) {
        // Squares at most about half as wide as the narrowest hill: between corners that are further apart it would be lost.
        let Surface::HeightField { hills, .. } = surface else { return };
        let narrowest = hills.iter().map(|hill| hill.width).fold(f32::INFINITY, f32::min);
        let fine = |half: f32| ((4.0 * half / narrowest / CONTOURS as f32).ceil() as usize).clamp(1, FINEST);
        let [fine_x, fine_z] = [self.half_size.x, self.half_size.z].map(fine);
        let [columns, rows] = [fine_x, fine_z].map(|fine| CONTOURS * fine);
        let at = |i: usize, k: usize| {
            let place = |index: usize, count: usize, half: f32| (index as f32 / count as f32 * 2.0 - 1.0) * half;
            let (x, z) = (place(i, columns, self.half_size.x), place(k, rows, self.half_size.z));
            Vec3::new(x, height(surface, scene, x, z), z)
        };
        let points: Vec<Vec<Vec3>> = (0..=columns).map(|i| (0..=rows).map(|k| at(i, k)).collect()).collect();
        for (i, k) in (0..columns).flat_map(|i| (0..rows).map(move |k| (i, k))) {
            let [a, b, c, d] = [points[i][k], points[i + 1][k], points[i + 1][k + 1], points[i][k + 1]];
            let up = (d - b).cross(c - a).normalize();
            self.face([a, b, c], [up; 3], SLOPE, 0.0);
            self.face([a, c, d], [up; 3], SLOPE, 0.0);
        }
        for line in 0..=CONTOURS {
            self.lines(points[line * fine_x].iter().copied(), CONTOUR, 0.8);
            self.lines(points.iter().map(|row| row[line * fine_z]), CONTOUR, 0.8);
        }
    }
}

/// Height of a height field, by the nearest image of each hill.
fn height(surface: &Surface, scene: &Scene, x: f32, z: f32) -> f32 {
    let Surface::HeightField { level, hills } = surface else { return 0.0 };
    let own = |hill: &crate::scene::Hill| {
        let way = scene.world.nearest(Vec3::new(x - hill.x, 0.0, z - hill.z)) / hill.width;
        hill.height / (1.0 + way.x * way.x + way.z * way.z).powi(2)
    };
    level + hills.iter().map(own).sum::<f32>()
}
