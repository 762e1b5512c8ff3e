//! Flow fields: where they come from, and the grid of vectors that both backends sample.

#[cfg(feature = "fields")]
mod array;
mod curl_noise;
mod formula;
mod grid;
#[cfg(feature = "fields")]
mod image;
#[cfg(feature = "fields")]
mod wind;

use super::broken::{Broken, times_fault};
use super::data::{extension, source_value};
use super::keys::{Key, MAX_NODES, Range};
use super::names::Names;
use super::read::Section;
use super::tables::Value;
use super::tree::{Kind, Node};
use super::{SceneError, World};
pub use grid::FieldGrid;
pub(super) use grid::hash;
use grid::{FORMULA, Lattice, VECTOR, check_memory, file_error};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Largest file of a flow field, bytes.
pub const MOST_FIELD_BYTES: u64 = 256 << 20;

table! {
    /// The flow field of a scene.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Field {
        /// A formula, or the path of an image (.png), a wind file (.json) or an array (.npy), relative to the scene file.
        pub source: FieldSource = required(Range::Source(FieldSource::FORMULAS, FieldSource::EXTENSIONS)),
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
        /// Between two times the field passes linearly from one to the next, each vector of `later` too; after the last it stays.
        pub times: Vec<f32> =
            described(Range::Numbers { min: 0.0, max: 1e5, most: MAX_TIMES }, "it does not change").in_unit("s"),
        /// Factor on every vector at each of `times`, in addition to `scale`.
        pub factors: Vec<f32> = described(Range::Numbers { min: -1e3, max: 1e3, most: MAX_TIMES }, "1 each"),
        /// How far every vector is turned at each of `times`, counter-clockwise about z.
        pub turns: Vec<f32> =
            described(Range::Numbers { min: -1e6, max: 1e6, most: MAX_TIMES }, "0 each").in_unit("deg"),
        /// The sources at the second of `times` and later, as `source` is that at the first; all have the same number of nodes.
        pub later: Vec<FieldSource> =
            described(Range::Sources(FieldSource::FORMULAS, FieldSource::EXTENSIONS, MAX_TIMES - 1), "always `source`"),
        /// True where the times begin anew after the last.
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
    /// Vectors in u/s as `numpy.save` writes them, float32 or float64, of the shape (height, width, 2), or (depth, height, width, 3) in a
    /// world of space. Each axis goes from the least coordinate on: `array[k, j, i]` is x, y and z at the i-th node along x, the j-th
    /// along y and the k-th along z.
    Array(PathBuf),
}

/// Length of a file, and when it was written.
pub(crate) type Stamp = (u64, Option<SystemTime>);

impl Field {
    /// The stamps of its files; `None` for a file that is missing. The field must be read again if one of them changes.
    pub(crate) fn stamps(&self) -> Vec<Option<Stamp>> {
        let files = [&self.source].into_iter().chain(&self.later).filter_map(FieldSource::path);
        let stamp = |file: &Path| std::fs::metadata(file).map(|about| (about.len(), about.modified().ok()));
        files.map(|file| stamp(file).ok()).collect()
    }
}

impl FieldSource {
    const FORMULAS: &[&str] = &["uniform", "vortex", "curl_noise", "planetary"];
    const VARIANTS: &[FieldSource] =
        &[FieldSource::Uniform, FieldSource::Vortex, FieldSource::CurlNoise, FieldSource::Planetary];
    const EXTENSIONS: &[&str] = &["png", "json", "npy"];

    /// A source that is a file, of the kind that its extension says.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        match extension(&path).as_str() {
            "png" => FieldSource::Image(path),
            "npy" => FieldSource::Array(path),
            _ => FieldSource::Wind(path),
        }
    }

    /// The file that it is read from, if it is.
    pub fn path(&self) -> Option<&Path> {
        match self {
            FieldSource::Image(path) | FieldSource::Wind(path) | FieldSource::Array(path) => Some(path),
            _ => None,
        }
    }
}

source_value!(FieldSource, |path| Ok(FieldSource::file(path)));

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

    fn kind_in_file(&mut self, key: &Key, path: &str, names: &Names) -> Option<Kind> {
        let nodes = self.iter_mut().map(|source| source.kind_in_file(key, path, names).map(Node::unwritten));
        nodes.collect::<Option<Vec<_>>>().filter(|nodes| !nodes.is_empty()).map(Kind::List)
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

    /// The rule about times that it breaks, if any.
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
            let next = self.record(source, world, seed).map_err(|error| error.key("field.later"))?;
            let total = all.vectors.len() + next.vectors.len();
            check_memory(source.path(), VECTOR * total as u64)?;
            let fault = match next.nodes == all.nodes {
                false => {
                    format!("has {:?} nodes, and the first source {:?}; they must be equal", next.nodes, all.nodes)
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
            FieldSource::Image(path) => image::read(path, f64::from(self.speed))?,
            #[cfg(feature = "fields")]
            FieldSource::Wind(path) => wind::read(path)?,
            #[cfg(feature = "fields")]
            FieldSource::Array(path) => array::read(path, world.spatial)?,
            #[cfg(not(feature = "fields"))]
            FieldSource::Image(path) | FieldSource::Wind(path) | FieldSource::Array(path) => {
                let error = file_error(path, "this build cannot read flow fields from files");
                return Err(error.hint("build it with the feature `fields`"));
            }
            formula => {
                let lattice = Lattice::new(world, self.formula_nodes(world));
                let bytes = lattice.nodes.iter().fold(FORMULA, |bytes, nodes| bytes.saturating_mul((*nodes).into()));
                check_memory(None, bytes)?;
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
        match source.path() {
            Some(path) if !finite => {
                Err(file_error(path, format!("multiplied by field.scale = {}, a value is too large", self.scale)))
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
