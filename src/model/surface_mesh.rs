//! The mesh that agents move on, and lists of the triangles that may be nearest to a place, as the texels that `shaders/common/mesh.wgsl`
//! reads. The reference tests all triangles, so `verify` finds a list that misses one.

use super::cell_lists::{halves, two_per_texel};
use crate::lock::lock;
use crate::scene::{Scene, Surface, Triangle};
use glam::{DVec3, Vec3};
use std::sync::{Arc, Mutex};

/// The most cells for each triangle, about, and the most list entries for each: cells are larger where there would be more.
const MOST_CELLS: f64 = 64.0;
const MOST_LISTED: usize = 512;
/// Most cells along an axis.
const MOST_ALONG: f64 = 256.0;
/// A block of cells is far from the mesh if the mesh is at least this many times as far from the block's middle as the block's corners are.
const FAR: f64 = 2.0;
/// Far blocks that would list more triangles than this share one range instead, which lists all triangles.
const MOST_FAR: usize = 1024;
/// Cells at the mesh are divided into parts, down to this share of a cell along each axis; the triangles of each part are found separately.
const SMALLEST_PART: f64 = 0.25;
/// Bound on the error of a triangle's nearest point in f32: this, times (longest side / height)², times the distance of the place. The
/// error comes from products that nearly cancel out. With the slack, 4.8 million random triangles used a thirtieth of the bound.
const ROUNDING: f64 = 4.0 * f32::EPSILON as f64;

/// Triangles of a mesh, and its texels.
#[derive(Debug, PartialEq)]
pub struct SurfaceMesh {
    /// What it was made of: the surface, and the extent of the world, u.
    made_of: (Surface, Vec3),
    /// All of them, where they lie in the world.
    pub triangles: Vec<Triangle>,
    /// Three texels with the grid and where its parts begin, then the triangles, the range of each cell, and the entries of the lists.
    pub texels: Vec<[u32; 4]>,
}

impl SurfaceMesh {
    /// The mesh of a scene; `None` if its surface is no mesh. It is `before`, or the mesh that was made last in this process, if that was
    /// made of the same: a scene is compiled again and again, and the lists take longer than everything else.
    pub fn of(scene: &Scene, before: Option<&Arc<SurfaceMesh>>) -> Option<Arc<SurfaceMesh>> {
        static LATEST: Mutex<Option<Arc<SurfaceMesh>>> = Mutex::new(None);
        let latest = || lock(&LATEST);
        let surface = scene.scenery.surface.as_ref().filter(|surface| matches!(surface, Surface::Mesh { .. }))?;
        let made_of = (surface.clone(), scene.world.size);
        let known = before.cloned().into_iter().chain(latest().clone()).find(|mesh| mesh.made_of == made_of);
        if known.is_some() {
            return known;
        }
        let mesh = Arc::new(SurfaceMesh::new(made_of, surface.triangles(&scene.world)?));
        *latest() = Some(Arc::clone(&mesh));
        Some(mesh)
    }

    fn new(made_of: (Surface, Vec3), triangles: Vec<Triangle>) -> SurfaceMesh {
        let shapes: Vec<Shape> = triangles.iter().map(Shape::new).collect();
        let mut fineness = 1.0;
        let (cells, lists) = loop {
            let cells = Cells::new(&shapes, made_of.1.as_dvec3(), fineness);
            match cells.lists(&shapes) {
                Some(lists) => break (cells, lists),
                None => fineness *= 0.8,
            }
        };
        let bits = |at: Vec3, w: u32| [at.x.to_bits(), at.y.to_bits(), at.z.to_bits(), w];
        let first_cell = 3 + 6 * triangles.len() as u32;
        let first_entry = first_cell + lists.ranges.len().div_ceil(2) as u32;
        let [x, y, z] = cells.count;
        let mut texels = vec![
            bits(cells.low.as_vec3(), first_cell),
            bits(cells.size.recip().as_vec3(), first_entry),
            [x, y, z, triangles.len() as u32],
        ];
        for Triangle { corners, normals } in &triangles {
            texels.extend(corners.iter().chain(normals).map(|at| bits(*at, 0)));
        }
        texels.extend(two_per_texel(&lists.ranges));
        let mut entries = lists.entries;
        entries.resize(entries.len().next_multiple_of(4), 0);
        texels.extend(entries.chunks_exact(4).map(|four| [four[0], four[1], four[2], four[3]]));
        SurfaceMesh { made_of, triangles, texels }
    }
}

/// A grid over the mesh and around it: to each side as far as the mesh is long, but not beyond the world.
struct Cells {
    low: DVec3,
    /// Extent of a cell, u.
    size: DVec3,
    count: [u32; 3],
    /// How far rounding may put a place into the cell beside its own, or how much farther than the nearest a preferred triangle may be, u.
    slack: f64,
}

/// What cells list: a range of `entries` for each cell, x first. Cells far from the mesh share one.
struct Lists {
    entries: Vec<u32>,
    ranges: Vec<[u32; 2]>,
}

impl Cells {
    fn new(shapes: &[Shape], world: DVec3, fineness: f64) -> Cells {
        let corners = || shapes.iter().flat_map(|shape| shape.corners);
        let least = corners().fold(DVec3::INFINITY, DVec3::min);
        let most = corners().fold(DVec3::NEG_INFINITY, DVec3::max);
        let longest = (most - least).max_element();
        let low = (least - longest).max(-0.5 * world).as_vec3().as_dvec3();
        let extent = (most + longest).min(0.5 * world) - low;
        let side = (extent.element_product() / (MOST_CELLS * shapes.len() as f64)).cbrt() / fineness;
        let count = (extent / side).to_array().map(|along| along.floor().clamp(1.0, MOST_ALONG) as u32);
        let size = extent / DVec3::from_array(count.map(f64::from));
        let slack = 1e-5 * low.abs().max((low + extent).abs()).max_element();
        Cells { low, size, count, slack }
    }

    /// For each cell the triangles that may be nearest to a place in it, in their order; `None` if the lists get too long.
    fn lists(&self, shapes: &[Shape]) -> Option<Lists> {
        let all: Vec<u32> = (0..shapes.len() as u32).collect();
        let ranges = vec![[0; 2]; self.count.iter().product::<u32>() as usize];
        let mut lists = Lists { entries: all.clone(), ranges };
        self.fill(shapes, [0; 3], self.count, &all, &mut lists)?;
        Some(lists)
    }

    /// Fill the lists of the cells from `low` to before `high` with the candidates that may be nearest in them. A block of cells is halved
    /// until it is one cell, or far from the mesh: only agents that have not yet been put on the mesh are there. `None` if the lists get
    /// too long.
    fn fill(
        &self,
        shapes: &[Shape],
        low: [u32; 3],
        high: [u32; 3],
        candidates: &[u32],
        lists: &mut Lists,
    ) -> Option<()> {
        let [from, to] = [low, high].map(|at| DVec3::from_array(at.map(f64::from)));
        let (nearest, reach, kept) = self.nearest_in(shapes, from, to, candidates);
        let along = [0, 1, 2].map(|axis| high[axis] - low[axis]);
        let axis = (0..3).max_by_key(|axis| along[*axis])?;
        if along[axis] > 1 && nearest < FAR * reach {
            for [low, high] in halves(low, high, axis) {
                self.fill(shapes, low, high, &kept, lists)?;
            }
            return Some(());
        }
        let mut listed = kept;
        if along[axis] == 1 && nearest <= reach {
            listed = self.nearest_in_parts(shapes, from, 1.0, &listed);
            listed.sort_unstable();
            listed.dedup();
        }
        let mut range = [lists.entries.len() as u32, listed.len() as u32];
        if listed.len() > MOST_FAR && nearest >= FAR * reach {
            range = [0, shapes.len() as u32];
        } else {
            lists.entries.extend(listed);
        }
        for (z, y) in (low[2]..high[2]).flat_map(|z| (low[1]..high[1]).map(move |y| (z, y))) {
            let row = ((z * self.count[1] + y) * self.count[0]) as usize;
            lists.ranges[row + low[0] as usize..row + high[0] as usize].fill(range);
        }
        (lists.entries.len() <= (1 + MOST_LISTED) * shapes.len()).then_some(())
    }

    /// The triangles that may be nearest in a part of a cell, with repetitions. A smaller part has fewer of them, and all parts of a cell
    /// together have fewer than the cell taken as a whole.
    fn nearest_in_parts(&self, shapes: &[Shape], from: DVec3, side: f64, candidates: &[u32]) -> Vec<u32> {
        let (_, _, kept) = self.nearest_in(shapes, from, from + side, candidates);
        if side <= SMALLEST_PART {
            return kept;
        }
        let half = 0.5 * side;
        let corner = |k: u32| from + half * DVec3::from_array([k & 1, k >> 1 & 1, k >> 2].map(f64::from));
        (0..8).flat_map(|k| self.nearest_in_parts(shapes, corner(k), half, &kept)).collect()
    }

    /// For the block of cells between the corners `from` and `to`: the distance from its middle to the nearest triangle; its reach, the
    /// largest distance from its middle to a place in it; and the candidates that may be nearest to a place in it. All others are farther
    /// from the middle than the nearest triangle by more than twice the reach.
    fn nearest_in(&self, shapes: &[Shape], from: DVec3, to: DVec3, candidates: &[u32]) -> (f64, f64, Vec<u32>) {
        let middle = self.low + 0.5 * (from + to) * self.size;
        let reach = 0.5 * ((to - from) * self.size).length() + self.slack;
        // The balls around the triangles already rule most of them out.
        let shape = |index: &u32| &shapes[*index as usize];
        let centers: Vec<f64> = candidates.iter().map(|index| middle.distance(shape(index).center)).collect();
        let farthest = |(index, way): (&u32, &f64)| way + shape(index).error * (way + shape(index).radius);
        let near = candidates.iter().zip(&centers).map(farthest).fold(f64::INFINITY, f64::min) + 2.0 * reach;
        let left = candidates.iter().zip(&centers).filter(|(index, way)| **way - shape(index).radius <= near);
        let ways: Vec<(u32, f64)> = left.map(|(index, _)| (*index, shape(index).distance(middle))).collect();
        // A sliver may seem farther away than it is, so a triangle behind it stays a candidate.
        let nearest = ways.iter().map(|(index, way)| farthest((index, way))).fold(f64::INFINITY, f64::min);
        let kept = ways.iter().filter(|(_, way)| *way <= nearest + 2.0 * reach);
        (nearest, reach, kept.map(|(index, _)| *index).collect())
    }
}

/// A triangle, prepared for making the lists.
struct Shape {
    corners: [DVec3; 3],
    normal: DVec3,
    /// Center and radius of a ball around it.
    center: DVec3,
    radius: f64,
    /// Error of its nearest point in f32, as a share of the sum of the place's distance from it and its radius.
    error: f64,
}

impl Shape {
    fn new(triangle: &Triangle) -> Shape {
        let corners = triangle.corners.map(|corner| corner.as_dvec3());
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        let center = corners.iter().sum::<DVec3>() / 3.0;
        let radius = corners.iter().map(|corner| corner.distance(center)).fold(0.0, f64::max);
        let sides = [0, 1, 2].map(|k| corners[k].distance(corners[(k + 1) % 3]));
        let longest = sides.into_iter().fold(0.0, f64::max);
        // The longest side over the height above it.
        let thin = longest * longest / (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
        Shape { corners, normal, center, radius, error: ROUNDING * thin * thin }
    }

    /// How far a place is from it, u: from its plane where the foot of the perpendicular is within it, else from the nearest side.
    fn distance(&self, place: DVec3) -> f64 {
        let at = self.corners.map(|corner| corner - place);
        let sides = [(at[0], at[1]), (at[1], at[2]), (at[2], at[0])];
        if sides.iter().all(|(from, to)| (*to - *from).cross(-*from).dot(self.normal) >= 0.0) {
            return at[0].dot(self.normal).abs();
        }
        let off = |(from, to): &(DVec3, DVec3)| {
            let along = *to - *from;
            (*from + along * (-from.dot(along) / along.length_squared()).clamp(0.0, 1.0)).length_squared()
        };
        sides.iter().map(off).fold(f64::INFINITY, f64::min).sqrt()
    }
}
