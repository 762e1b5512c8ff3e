//! Flow fields: where they come from, and the grid of vectors that both backends sample.

mod curl_noise;
mod formula;
#[cfg(feature = "fields")]
mod image;
#[cfg(feature = "fields")]
mod wind;

use super::error::suggest;
use super::keys::{Key, MAX_NODES, Range, Value};
use super::read::{Section, file};
use super::rules::Broken;
use super::scenery::times_fault;
use super::target::Names;
use super::tree::{Kind, Node, Place};
use super::{Boundary, SceneError, World};
use crate::memory;
use std::path::{Path, PathBuf};

table! {
    /// The flow field of a scene.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Field {
        /// A formula, or the path of an image (.png) or of a wind file (.json), relative to the scene file.
        pub source: FieldSource = required(Range::Source(FieldSource::FORMULAS, &["png", "json"])),
        /// Factor on every vector; for wind files u/s per m/s.
        pub scale: f32 = number("", -1e6, 1e6, 1.0),
        /// Peak speed of a formula or an image.
        pub speed: f32 = number("u/s", 0.0, 1e6, 10.0),
        /// Direction of `uniform`, counter-clockwise from +x.
        pub direction: f32 = number("deg", -360.0, 360.0, 0.0),
        /// Size of the eddies of `curl_noise`, at least four nodes.
        pub wavelength: f32 = number("u", 1e-3, 1e7, 50.0),
        /// Nodes of a formula's grid along the longest axis.
        pub resolution: u32 = whole(8, 4096, 128),
        /// When the values of the lists below hold: ascending from 0, the start of the run, and rounded to whole steps.
        ///
        /// Between two times the field passes evenly from one to the next; after the last it stays.
        pub times: Vec<f32> =
            told(Range::Numbers { min: 0.0, max: 1e5, most: MAX_TIMES }, "it does not change").in_unit("s"),
        /// Factor on every vector at these times, beside `scale`.
        pub factors: Vec<f32> = told(Range::Numbers { min: -1e3, max: 1e3, most: MAX_TIMES }, "1 each"),
        /// How far every vector is turned at these times, counter-clockwise about z.
        pub turns: Vec<f32> =
            told(Range::Numbers { min: -1e6, max: 1e6, most: MAX_TIMES }, "0 each").in_unit("deg"),
        /// The sources at the second time and on, as `source` is that at the first; of as many nodes.
        pub later: Vec<FieldSource> =
            told(Range::Sources(FieldSource::FORMULAS, &["png", "json"], MAX_TIMES - 1), "always `source`"),
        /// True where it begins anew after the last time.
        pub repeat: bool = flag(),
        /// True where factors and turns go smoothly through their values (Catmull-Rom), false where they go straight.
        pub smooth: bool = flag(),
    }
}

/// Where a flow field comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FieldSource {
    /// The same vector everywhere.
    #[default]
    Uniform,
    /// Circles the z axis counter-clockwise; speed rises to the peak at half the way to the wall, then falls.
    Vortex,
    /// Divergence-free noise: the curl of a smooth random potential, periodic along wrapped axes.
    CurlNoise,
    /// Belts of a generated planet: trade winds, westerlies and polar easterlies by latitude, with eddies.
    Planetary,
    /// Red and green of each pixel are the x and y components: 128 is zero, 255 is `speed`.
    Image(PathBuf),
    /// The two-record JSON that wind maps read: eastward and northward component in m/s, row 0 in the north.
    Wind(PathBuf),
}

/// A grid of vectors over the world.
///
/// Nodes are numbered x fastest, then y, then z. Along a wrapped axis of length L, n nodes lie L/n apart and node 0 is
/// at −L/2; otherwise they lie L/(n − 1) apart, and the first and the last are on the walls. A planar grid has one
/// node along z.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldGrid {
    /// Nodes along x, y, z; each at least 1.
    pub nodes: [u32; 3],
    /// One vector per node, u/s.
    pub vectors: Vec<[f32; 3]>,
}

impl FieldSource {
    const FORMULAS: &[&str] = &["uniform", "vortex", "curl_noise", "planetary"];

    /// The file that it is read from, if it is.
    pub fn path(&self) -> Option<&Path> {
        match self {
            FieldSource::Image(path) | FieldSource::Wind(path) => Some(path),
            _ => None,
        }
    }
}

impl Value for FieldSource {
    /// Paths in a file are relative to it, paths in overrides to the working directory.
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        let text = from.text(key, node)?;
        let path = match node.place {
            Place::File(_) => Path::new(from.input.origin).parent().unwrap_or(Path::new("")).join(text),
            Place::Override(_) => PathBuf::from(text),
        };
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        *self = match (text, extension.as_str()) {
            ("uniform", _) => FieldSource::Uniform,
            ("vortex", _) => FieldSource::Vortex,
            ("curl_noise", _) => FieldSource::CurlNoise,
            ("planetary", _) => FieldSource::Planetary,
            (_, "png") => FieldSource::Image(path),
            (_, "json") => FieldSource::Wind(path),
            _ => {
                let formulas = FieldSource::FORMULAS.join(", ");
                let message = format!("must be one of {formulas}, or a path ending in .png or .json");
                return Err(from.error(key, node, message).hint(suggest(text, FieldSource::FORMULAS)));
            }
        };
        Ok(())
    }

    fn tell(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        let formula = |index: usize| Some(Kind::Text(FieldSource::FORMULAS[index].to_owned()));
        match self {
            FieldSource::Uniform => formula(0),
            FieldSource::Vortex => formula(1),
            FieldSource::CurlNoise => formula(2),
            FieldSource::Planetary => formula(3),
            FieldSource::Image(path) | FieldSource::Wind(path) => file(path),
        }
    }
}

impl Value for Vec<FieldSource> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        let Range::Sources(.., most) = key.range else { return Ok(()) };
        let nodes = from.list(key, node, "a list of formulas and paths")?;
        if nodes.len() > most {
            return Err(from.error(key, node, format!("must have at most {most} entries")));
        }
        for node in nodes {
            let mut source = FieldSource::default();
            source.read(key, from, node, names)?;
            self.push(source);
        }
        Ok(())
    }

    fn tell(&mut self, key: &Key, path: &str, names: &Names) -> Option<Kind> {
        let told = self.iter_mut().map(|source| source.tell(key, path, names).map(Node::unwritten));
        told.collect::<Option<Vec<_>>>().filter(|nodes| !nodes.is_empty()).map(Kind::List)
    }
}

impl Field {
    /// Does it change in time?
    pub fn changes(&self) -> bool {
        !self.times.is_empty()
    }

    /// All its sources, the first one first.
    pub fn sources(&self) -> impl Iterator<Item = &FieldSource> {
        std::iter::once(&self.source).chain(&self.later)
    }

    /// The rule of its times that it breaks.
    pub(super) fn times_fault(&self) -> Option<Broken> {
        let (factors, turns, later) = (self.factors.len(), self.turns.len(), self.later.len());
        if !self.changes() && factors + turns + later == 0 {
            return None;
        }
        times_fault("field", &self.times, &[("factors", factors), ("turns", turns)]).or_else(|| {
            let message =
                format!("must have {} entries, one for each of the times but the first", self.times.len() - 1);
            let fits = later == 0 || later + 1 == self.times.len();
            (!fits).then(|| Broken::new("field.later", message).tied(["field.times".into()]))
        })
    }

    /// Evaluate the formula, or read the file, on the grid of this world. Where the field has several sources, their grids follow
    /// one another.
    ///
    /// # Errors
    /// A missing, malformed or oversized file, with its path and what is wrong.
    pub fn grid(&self, world: &World, seed: u32) -> Result<FieldGrid, SceneError> {
        let mut all = self.record(&self.source, world, seed)?;
        for source in &self.later {
            let next = self.record(source, world, seed)?;
            let total = all.vectors.len() + next.vectors.len();
            room(source, VECTOR * total as u64)?;
            let fault = match next.nodes == all.nodes {
                false => {
                    format!("has {:?} nodes, and the first source {:?}; they must be alike", next.nodes, all.nodes)
                }
                true if total as u64 > MAX_NODES => {
                    format!("the fields have {total} nodes in all; there may be {MAX_NODES}")
                }
                true => {
                    all.vectors.reserve_exact(next.vectors.len());
                    all.vectors.extend(next.vectors);
                    continue;
                }
            };
            let name = source.path().map_or("field.later".into(), |path| path.display().to_string());
            return Err(SceneError::whole(name, fault).key("field.later"));
        }
        Ok(all)
    }

    fn record(&self, source: &FieldSource, world: &World, seed: u32) -> Result<FieldGrid, SceneError> {
        let grid = match source {
            #[cfg(feature = "fields")]
            FieldSource::Image(path) => image::read(source, path, f64::from(self.speed))?,
            #[cfg(feature = "fields")]
            FieldSource::Wind(path) => wind::read(source, path)?,
            #[cfg(not(feature = "fields"))]
            FieldSource::Image(path) | FieldSource::Wind(path) => {
                let error = file_error(path, "this build cannot read flow fields from files");
                return Err(error.hint("build it with the feature `fields`"));
            }
            formula => {
                let lattice = Lattice::new(world, self.formula_nodes(world));
                room(formula, FORMULA * lattice.nodes.iter().map(|n| u64::from(*n)).product::<u64>())?;
                let speed = f64::from(self.speed);
                let vectors = match formula {
                    FieldSource::Uniform => formula::uniform(&lattice, speed, self.direction.into()),
                    FieldSource::Vortex => formula::vortex(&lattice, speed),
                    FieldSource::Planetary => formula::planetary(&lattice, speed, seed),
                    _ => curl_noise::field(&lattice, speed, self.wavelength.into(), seed),
                };
                FieldGrid { nodes: lattice.nodes, vectors }
            }
        };
        self.scaled(source, grid)
    }

    fn scaled(&self, source: &FieldSource, mut grid: FieldGrid) -> Result<FieldGrid, SceneError> {
        let mut finite = true;
        for component in grid.vectors.as_flattened_mut() {
            *component *= self.scale;
            finite &= component.is_finite();
        }
        match source {
            FieldSource::Image(path) | FieldSource::Wind(path) if !finite => {
                Err(file_error(path, format!("times field.scale = {} a value is too large", self.scale)))
            }
            _ => Ok(grid),
        }
    }

    /// Nodes of a formula's grid: `resolution` along the longest axis, and as dense along the others.
    pub(super) fn formula_nodes(&self, world: &World) -> [u32; 3] {
        let longest = world.size.max_element();
        let along = |axis: usize| {
            let nodes = (f64::from(self.resolution) * f64::from(world.size[axis] / longest)).round();
            (nodes as u32).max(4)
        };
        // All sources on one grid, so that they can follow one another.
        let depth =
            if world.spatial && self.sources().any(|one| *one == FieldSource::CurlNoise) { along(2) } else { 1 };
        [along(0), along(1), depth]
    }
}

/// Where the nodes of a formula's grid lie.
struct Lattice {
    nodes: [u32; 3],
    /// Extent of the world, u.
    size: [f64; 3],
    wrapped: [bool; 3],
}

impl Lattice {
    fn new(world: &World, nodes: [u32; 3]) -> Self {
        let wrapped = world.boundary.map(|b| b == Boundary::Wrap);
        Lattice { nodes, size: world.size.as_dvec3().to_array(), wrapped }
    }

    /// Distance between nodes along an axis, u.
    fn spacing(&self, axis: usize) -> f64 {
        let intervals = if self.wrapped[axis] { self.nodes[axis] } else { self.nodes[axis] - 1 };
        self.size[axis] / f64::from(intervals.max(1))
    }

    /// Position along an axis as a fraction of the world, -1/2 to 1/2. Nodes beyond the ends are allowed.
    fn fraction(&self, axis: usize, node: i64) -> f64 {
        let intervals = if self.wrapped[axis] { self.nodes[axis] } else { self.nodes[axis] - 1 };
        if intervals == 0 { 0.0 } else { node as f64 / f64::from(intervals) - 0.5 }
    }

    /// One vector for each node, from its position as fractions of the world.
    fn map(&self, vector: impl Fn([f64; 3]) -> [f64; 3]) -> Vec<[f64; 3]> {
        let [nx, ny, nz] = self.nodes.map(i64::from);
        let mut vectors = Vec::with_capacity((nx * ny * nz) as usize);
        for z in 0..nz {
            for y in 0..ny {
                let row = |x| vector([self.fraction(0, x), self.fraction(1, y), self.fraction(2, z)]);
                vectors.extend((0..nx).map(row));
            }
        }
        vectors
    }
}

/// The vectors with the longest of them `speed` long. A field of zeros stays one.
fn with_peak(vectors: &[[f64; 3]], speed: f64) -> Vec<[f32; 3]> {
    let square = |v: &[f64; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    let peak = vectors.iter().map(square).fold(0.0, f64::max).sqrt();
    let factor = if peak > 0.0 { speed / peak } else { 0.0 };
    vectors.iter().map(|v| v.map(|x| (x * factor) as f32)).collect()
}

/// A few bits of noise for a lattice point: the same integers on every machine.
pub(super) fn hash(seed: u32, words: [i64; 4]) -> u32 {
    let mix = |h: u32, word: i64| {
        let h = (h ^ word as u32).wrapping_mul(0x9E37_79B1);
        (h ^ (h >> 15)).wrapping_mul(0x85EB_CA77)
    };
    let h = words.into_iter().fold(seed ^ 0x5EED_F1E1, mix);
    h ^ (h >> 16)
}

/// Bytes of a vector of the grid, and of one while a formula makes it.
const VECTOR: u64 = 12;
const FORMULA: u64 = 64;

/// Is there memory for what a source takes while it becomes a grid?
fn room(source: &FieldSource, bytes: u64) -> Result<(), SceneError> {
    let name = source.path().map_or("field.source".into(), |path| path.display().to_string());
    memory::hold(bytes).map_err(|why| SceneError {
        short_of_memory: true,
        ..SceneError::whole(name, format!("as a flow field it {why}"))
    })
}

/// A problem of a file that the scene names.
fn file_error(path: &Path, message: impl Into<String>) -> SceneError {
    SceneError::whole(path.display().to_string(), message).key("field.source")
}
