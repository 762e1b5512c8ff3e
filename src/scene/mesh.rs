//! Triangle meshes that agents move on: from an OBJ file, or by a formula.

use super::data::{file_error, source_value};
use super::error::SceneError;
use glam::{DVec3, Vec3};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most triangles of a mesh. For a place outside of its cells, a loop goes over all triangles, and a driver may end loops of more than
/// 65,535 rounds.
#[cfg(feature = "fields")]
const MAX_TRIANGLES: usize = 1 << 15;

/// Where a mesh comes from.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MeshSource {
    /// A closed tube that is tied into a trefoil knot.
    #[default]
    Knot,
    /// A file, as it was read.
    File(MeshFile),
}

/// An OBJ file, as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFile {
    path: PathBuf,
    mesh: Arc<Mesh>,
}

/// Corners, as the file has them, and triangles of three corners each, counterclockwise seen from outside.
#[derive(PartialEq)]
struct Mesh {
    corners: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mesh of {} triangles", self.triangles.len())
    }
}

/// One triangle of a mesh that lies in a world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    /// Corners, u; counterclockwise seen from outside.
    pub corners: [Vec3; 3],
    /// Unit normals of the mesh at the corners: the mean of the normals of all triangles there, weighted by their angles (Thürmer and
    /// Wüthrich 1998).
    pub normals: [Vec3; 3],
}

const KEY: &str = "surface.source";

impl MeshFile {
    /// Read an OBJ file. Only positions and faces are used; faces of more than three corners become fans.
    ///
    /// # Errors
    /// A file that is missing or malformed, or has no triangle, or too many.
    #[cfg(feature = "fields")]
    pub fn open(path: &Path) -> Result<MeshFile, SceneError> {
        const MAX_BYTES: u64 = 16 << 20;
        let fault = |message: String| file_error(path, KEY, message);
        let (input, _) = crate::input::open(path, MAX_BYTES).map_err(fault)?;
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut { input }, &mut bytes).map_err(|error| fault(error.to_string()))?;
        let text = positions_and_faces(&String::from_utf8_lossy(&bytes));
        let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
        let no_material = |_: &Path| Err(tobj::LoadError::OpenFileFailed);
        let (models, _) = tobj::load_obj_buf(&mut text.as_bytes(), &options, no_material)
            .map_err(|error| fault(format!("not an OBJ file that can be read: {error}")))?;
        // Without names and groups there is at most one model.
        let Some(model) = models.into_iter().next() else { return Err(fault("it has no triangle".into())) };
        let (corners, triangles) = (model.mesh.positions.as_chunks().0, model.mesh.indices.as_chunks().0);
        let mut mesh = Mesh { corners: corners.to_vec(), triangles: triangles.to_vec() };
        if let Some(corner) = mesh.corners.iter().find(|corner| !corner.iter().all(|x| x.abs() < 1e18)) {
            return Err(fault(format!("the corner {corner:?} is not finite or too far away")));
        }
        let triangles = std::mem::take(&mut mesh.triangles);
        let has_normal = |triangle: &[u32; 3]| is_solid(mesh.corners(triangle));
        mesh.triangles = triangles.into_iter().filter(has_normal).collect();
        match mesh.triangles.len() {
            0 => Err(fault("it has no triangle".into())),
            count if count > MAX_TRIANGLES => {
                Err(fault(format!("it has {count} triangles; at most {MAX_TRIANGLES} are allowed"))
                    .hint("simplify the mesh"))
            }
            _ => Ok(MeshFile { path: path.into(), mesh: mesh.into() }),
        }
    }

    /// Read an OBJ file, which this build cannot.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "fields"))]
    pub fn open(path: &Path) -> Result<MeshFile, SceneError> {
        Err(file_error(path, KEY, "this build cannot read meshes").hint("build it with the feature `fields`"))
    }
}

/// The positions and faces of an OBJ file, as text. All else is dropped: normals, textures, colors, names.
#[cfg(feature = "fields")]
fn positions_and_faces(text: &str) -> String {
    let mut counted = String::new();
    for line in text.replace("\\\r\n", " ").replace("\\\n", " ").lines() {
        let mut words = line.split_whitespace();
        let kind = words.next();
        let words: Vec<&str> = match kind {
            Some("v") => words.take(3).collect(),
            Some("f") => words.map(|corner| corner.split('/').next().unwrap_or(corner)).collect(),
            _ => continue,
        };
        counted += &format!("{} {}\n", kind.unwrap_or_default(), words.join(" "));
    }
    counted
}

impl MeshSource {
    pub(super) const FORMULAS: &[&str] = &["knot"];
    const VARIANTS: &[MeshSource] = &[MeshSource::Knot];
    pub(super) const EXTENSIONS: &[&str] = &["obj"];

    /// The file that it was read from, if it was.
    pub fn path(&self) -> Option<&Path> {
        match self {
            MeshSource::File(file) => Some(&file.path),
            MeshSource::Knot => None,
        }
    }

    /// Its triangles in a world: the middle of the box around them lies at `center`, and the longest side of that box is `size`, u.
    pub fn triangles(&self, center: Vec3, size: f32) -> Vec<Triangle> {
        match self {
            MeshSource::Knot => knot().triangles(center, size),
            MeshSource::File(file) => file.mesh.triangles(center, size),
        }
    }
}

impl Mesh {
    fn corners(&self, triangle: &[u32; 3]) -> [DVec3; 3] {
        triangle.map(|index| Vec3::from_array(self.corners[index as usize]).as_dvec3())
    }

    fn triangles(&self, center: Vec3, size: f32) -> Vec<Triangle> {
        let all = || self.triangles.iter().flat_map(|triangle| self.corners(triangle));
        let (low, high) = all().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), at| (a.min(at), b.max(at)));
        let scale = f64::from(size) / (high - low).max_element();
        // Corners at the same place are merged, so that there is no seam where a file repeats them because of texture coordinates.
        let mut places: Vec<usize> = (0..self.corners.len()).collect();
        let key = |index: &usize| self.corners[*index].map(|x| (x + 0.0).to_bits());
        places.sort_by_key(key);
        let mut first = vec![0; self.corners.len()];
        for same in places.chunk_by(|a, b| key(a) == key(b)) {
            same.iter().for_each(|index| first[*index] = same[0]);
        }
        let mut sums = vec![DVec3::ZERO; self.corners.len()];
        for triangle in &self.triangles {
            let at = self.corners(triangle);
            let normal = (at[1] - at[0]).cross(at[2] - at[0]).normalize_or_zero();
            for k in 0..3 {
                let (to, other) = (at[(k + 1) % 3] - at[k], at[(k + 2) % 3] - at[k]);
                let angle = to.cross(other).length().atan2(to.dot(other));
                sums[first[triangle[k] as usize]] += normal * angle;
            }
        }
        let placed = |triangle: &[u32; 3]| {
            let at = self.corners(triangle);
            let own = (at[1] - at[0]).cross(at[2] - at[0]).normalize_or_zero();
            let normal = |index: u32| sums[first[index as usize]].normalize_or(own).as_vec3();
            let place = |at: DVec3| (center.as_dvec3() + (at - 0.5 * (low + high)) * scale).as_vec3();
            Triangle { corners: at.map(place), normals: triangle.map(normal) }
        };
        // Rounding may make a line of a triangle that is small, or far from the origin.
        let solid = |one: &Triangle| is_solid(one.corners.map(|corner| corner.as_dvec3()));
        self.triangles.iter().map(placed).filter(solid).collect()
    }
}

/// True if a triangle is more than a line or a point. On a thinner one, f32 does not find the nearest point well.
fn is_solid([a, b, c]: [DVec3; 3]) -> bool {
    let longest = [a.distance_squared(b), b.distance_squared(c), c.distance_squared(a)].into_iter().fold(0.0, f64::max);
    (b - a).cross(c - a).length() > 3e-3 * longest
}

/// Cosine and sine of k / `shares` of a full turn for each k, where `shares` is a power of two. They are computed by half angles and
/// sums of angles, because the system's functions may round differently on other machines.
fn turns(shares: usize) -> Vec<[f64; 2]> {
    let (mut cos, mut sin) = (0f64, 1f64);
    for _ in 2..shares.ilog2() {
        let half = (0.5 * (1.0 + cos)).sqrt();
        (cos, sin) = (half, sin / (2.0 * half));
    }
    let mut all = vec![[1.0, 0.0]];
    for k in 1..shares {
        let [c, s] = all[k - 1];
        all.push([c * cos - s * sin, s * cos + c * sin]);
    }
    all
}

/// Rings of the knot, and corners of each; powers of two.
const RINGS: usize = 128;
const AROUND: usize = 16;

/// A tube around the trefoil knot (sin t + 2 sin 2t, cos t - 2 cos 2t, -sin 3t).
fn knot() -> Mesh {
    let radius = 0.6;
    let (along, around) = (turns(RINGS), turns(AROUND));
    let at = |k: usize| along[k % RINGS];
    let ring = |k: usize| {
        let ([c, s], [c2, s2], [c3, s3]) = (at(k), at(2 * k), at(3 * k));
        let middle = DVec3::new(s + 2.0 * s2, c - 2.0 * c2, -s3);
        let ahead = DVec3::new(c + 4.0 * c2, -s + 4.0 * s2, -3.0 * c3).normalize();
        // Perpendicular to `ahead`, and as near to the axis of the knot as can be, so that it is the same again after a turn.
        let side = (DVec3::Z - ahead * ahead.z).normalize();
        let other = ahead.cross(side);
        around
            .iter()
            .map(move |[x, y]| (middle + (side * *x + other * *y) * radius).as_vec3().to_array())
            .collect::<Vec<_>>()
    };
    let corners = (0..RINGS).flat_map(ring).collect();
    let corner = |k: usize, j: usize| (k % RINGS * AROUND + j % AROUND) as u32;
    let squares = (0..RINGS).flat_map(|k| (0..AROUND).map(move |j| (k, j)));
    let halves = squares.flat_map(|(k, j)| {
        let [a, b, c, d] = [corner(k, j), corner(k + 1, j), corner(k + 1, j + 1), corner(k, j + 1)];
        [[a, c, b], [a, d, c]]
    });
    Mesh { corners, triangles: halves.collect() }
}

source_value!(MeshSource, |path| Ok(MeshSource::File(MeshFile::open(path)?)));
