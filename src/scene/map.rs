//! Maps: where there are walls, cell by cell. A map is a plan seen from above; in space it stands for columns along z.

mod formula;
mod open;
mod terrain;

use super::broken::{Broken, names_differ};
use super::data::{check_memory, extension, file_error, source_value};
use super::{SceneError, World};
use crate::lock::lock;
use glam::{DVec2, Vec3};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Most places of a goal in its key `also`.
const MAX_DOORS: usize = 63;
/// Most cells along each side.
pub(super) const MAX_SIDE: u32 = 4096;

table! {
    /// The walls of a scene, cell by cell.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Map {
        /// A plan drawn by a formula, or the path of a grid of terrain letters (.map) or of a picture (.png), relative to the scene file.
        pub source: MapSource = required(Range::Source(MapSource::FORMULAS, MapSource::EXTENSIONS)),
        /// Extent of a cell along x and y. The map is centered on the origin, and nothing outside of it is a wall.
        pub cell: Option<f32> = limit("u", 1e-3, 1e6, "as large as the world holds all of them"),
        /// Pixels of a picture that are darker than this are walls: 0 is black, which always is one, 1 white.
        pub threshold: f32 = number("", 0.0, 1.0, 0.5),
        /// How many times as long as light ground the darkest ground that is no wall, or swamp (S) of a .map file, takes to cross: ways to
        /// goals go around it where that is sooner.
        pub cost: f32 = number("", 1.0, 15.0, 1.0),
        /// How much longer ground takes to cross for each agent per square unit, as a fraction of the time when it is empty: ways to goals
        /// go around crowds where that is sooner. 0: they do not.
        pub crowding: f32 = number("u²", 0.0, 1e6, 0.0),
        /// How far the square in which agents are counted reaches from the middle of each cell, rounded to whole cells; 0: the cell alone.
        pub crowding_radius: f32 = number("u", 0.0, 1e6, 1.0),
        /// Steps between two computations of the ways, which go by the crowds of that moment.
        pub crowding_every: u32 = whole(1, 1_000_000, 60),
        /// How ways to goals are measured: by the time of a front that spreads in all directions, or by moves from cell to cell along a
        /// grid.
        pub distance: Measure = choice(Measure::WORDS),
        /// Steps over which the computation of new ways is spread, where walls, costs or crowds change: agents follow them from the last of
        /// these steps on. 1: at once.
        pub renew_steps: u32 = whole(1, 1_000_000, 1),
        /// Cells of a formula's plan along the longer side of the world.
        pub resolution: u32 = whole(16, MAX_SIDE, 128),
        /// Width of each door of `hall` and of each gate of `stadium`.
        pub door: f32 = number("u", 0.0, 1e6, 1.6),
        /// Where ways through the map lead, up to 64: the target `{ goal = "NAME" }` follows one.
        pub goals: Vec<MapGoal> = described(Range::Tables(MapGoal::KEYS, MAX_GOALS), "none"),
        /// Walls and open ground that are drawn over the plan, one after another, up to 1,024.
        pub strokes: Vec<MapStroke> = described(Range::Tables(MapStroke::KEYS, MAX_STROKES), "none"),
    }
}

table! {
    /// A place that ways through a map lead to.
    #[derive(Debug, Clone, PartialEq)]
    pub struct MapGoal {
        /// Name, unique within the scene.
        pub name: String = described(Range::Text, "goal N"),
        /// Where it is; the cell there, or another one within the radius, must be open.
        pub place: Vec3 = place(),
        /// Further places of the goal, such as the doors of a house: a way leads to the nearest one.
        pub also: Vec<Vec3> =
            described(Range::Points { least: 0, min: -1e7, max: 1e7, most: MAX_DOORS }, "none").in_unit("u"),
        /// All open cells within this distance of a place are at the goal.
        pub radius: f32 = number("u", 0.0, 1e6, 0.0),
    }
}

table! {
    /// A straight stroke over the plan of a map.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct MapStroke {
        /// One end.
        pub from: Vec3 = place().or(Fallback::Required),
        /// The other end. In space the third number of both does not matter.
        pub to: Vec3 = place().or(Fallback::Required),
        /// It changes all cells whose middles lie within half of this from the line between its ends.
        pub width: f32 = number("u", 0.0, 1e6, 1.0),
        /// True where the cells become open, light ground, false where they become walls.
        pub open: bool = flag(),
    }
}

words! {
    /// How the length of a way is measured.
    pub enum Measure {
        /// The time of a front that spreads from the goal in all directions (first-order upwind), in units of 1/1024 of the time through a
        /// cell of light ground.
        Time = "time",
        /// The moves from cell to cell, straight 1 and diagonal √2, whatever the ground costs. A length has the number of straight moves in
        /// its upper 16 bits, that of diagonal moves in its lower. No diagonal move cuts a corner.
        Grid = "grid",
    }
}

/// Where a map comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum MapSource {
    /// Corridors one cell wide, all connected; a few of the walls between them are broken.
    #[default]
    Maze,
    /// Blocks of houses between streets, some of them open squares.
    City,
    /// Rows of seats with aisles around them and in their middle, and a door in the middle of each of the four walls.
    Hall,
    /// An oval stand of a stadium: rows of seats around a pitch, sixteen aisles, and a gate at the end of each.
    Stadium,
    /// Open ground, to draw walls on.
    Open,
    /// A file, as it was read.
    File(MapFile),
}

/// A file of a map, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapFile {
    path: PathBuf,
    plan: Arc<Plan>,
}

/// How light each cell of a plan is: 0 is black, a wall, and 255 white. Row by row from the upper left.
#[derive(Clone, PartialEq, Eq, Default)]
struct Plan {
    columns: u32,
    rows: u32,
    light: Vec<u8>,
}

/// The walls that a map becomes. Cell (0, 0) is the upper left one of the plan: least x, greatest y.
#[derive(Clone, PartialEq)]
pub struct Walls {
    /// Cells along x.
    pub columns: u32,
    /// Cells along y.
    pub rows: u32,
    /// Extent of a cell, u.
    pub cell: f32,
    /// Is a cell a wall? Row by row.
    pub solid: Vec<bool>,
    /// The time through each cell, in sixteenths of that through light ground; empty where all take as long.
    pub costs: Vec<u8>,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plan of {} x {} cells", self.columns, self.rows)
    }
}

impl fmt::Debug for Walls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Walls of {} x {} cells of {} u", self.columns, self.rows, self.cell)
    }
}

impl MapFile {
    /// Read a map from a `.map` file or a picture.
    ///
    /// # Errors
    /// A file that is missing, malformed or too large, with the place of what is wrong.
    pub fn open(path: &Path) -> Result<MapFile, SceneError> {
        let plan = match extension(path).as_str() {
            "map" => terrain::read(path)?,
            "png" => picture(path)?,
            _ => return Err(file_error(path, KEY, "must end in .map or .png")),
        };
        Ok(MapFile { path: path.into(), plan: plan.into() })
    }

    /// A map from the text of a `.map` file. `shown` names the text in errors.
    ///
    /// # Errors
    /// What is wrong with the text, at its place.
    pub fn from_text(text: &str, shown: &str) -> Result<MapFile, SceneError> {
        Ok(MapFile { path: shown.into(), plan: terrain::parse(text, Path::new(shown))?.into() })
    }
}

const KEY: &str = "map.source";

#[cfg(feature = "fields")]
fn picture(path: &Path) -> Result<Plan, SceneError> {
    let picture = super::data::Picture { key: KEY, what: "map", sides: (1, MAX_SIDE), bytes: 6 };
    let pixels = picture.read(path)?.into_luma8();
    let (columns, rows) = pixels.dimensions();
    Ok(Plan { columns, rows, light: pixels.into_raw() })
}

#[cfg(not(feature = "fields"))]
fn picture(path: &Path) -> Result<Plan, SceneError> {
    let error = file_error(path, KEY, "this build cannot read pictures");
    Err(error.hint("build it with the feature `fields`"))
}

impl MapSource {
    const FORMULAS: &[&str] = &["maze", "city", "hall", "stadium", "open"];
    const VARIANTS: &[MapSource] =
        &[MapSource::Maze, MapSource::City, MapSource::Hall, MapSource::Stadium, MapSource::Open];
    const EXTENSIONS: &[&str] = &["map", "png"];

    /// The file that it was read from, if it was.
    pub fn path(&self) -> Option<&Path> {
        match self {
            MapSource::File(file) => Some(&file.path),
            _ => None,
        }
    }
}

source_value!(MapSource, |path| Ok(MapSource::File(MapFile::open(path)?)));

impl MapGoal {
    /// All of its places.
    pub fn places(&self) -> impl Iterator<Item = Vec3> + '_ {
        std::iter::once(self.place).chain(self.also.iter().copied())
    }
}

impl Map {
    /// An error if there is no memory for the walls that a formula draws. For a file, that was checked when it was read.
    pub(super) fn check_memory(&self, name: &str) -> Result<(), SceneError> {
        match self.source {
            MapSource::File(_) => Ok(()),
            _ => check_memory(name.to_owned(), "map", 4 * u64::from(self.resolution).pow(2)),
        }
    }

    /// An error if two goals have the same name.
    pub(super) fn broken_rule(&self) -> Option<Broken> {
        names_differ(self.goals.iter().map(|goal| &goal.name), "map.goals", "goal")
    }

    /// Multiply positions and lengths by the factor by which the world grows, so that the map covers the same part of it.
    pub(super) fn spread(&mut self, factor: f64) {
        let radii = self.goals.iter_mut().map(|goal| &mut goal.radius);
        let widths = self.strokes.iter_mut().map(|stroke| &mut stroke.width);
        for length in self.cell.iter_mut().chain([&mut self.door]).chain(radii).chain(widths) {
            *length = (f64::from(*length) * factor) as f32;
        }
        let goals = self.goals.iter_mut().flat_map(|goal| [&mut goal.place].into_iter().chain(&mut goal.also));
        for place in goals.chain(self.strokes.iter_mut().flat_map(|stroke| [&mut stroke.from, &mut stroke.to])) {
            *place = (place.as_dvec3() * factor).as_vec3();
        }
    }

    /// The walls that it stands for in this world. Formulas are drawn by the seed of the scene. The latest walls are cached (32 MiB at
    /// most), because a scene asks for them where it is read, checked, started and edited.
    pub fn walls(&self, world: &World, seed: u32) -> Arc<Walls> {
        type Latest = Option<(Map, Vec3, u32, Arc<Walls>)>;
        static LATEST: Mutex<Latest> = Mutex::new(None);
        let mut latest = lock(&LATEST);
        // Keys that matter to ways but not to walls are set to fixed values, so that they do not count in the comparison.
        let map = Map {
            goals: Vec::new(),
            crowding: 0.0,
            crowding_radius: 0.0,
            crowding_every: 1,
            distance: Measure::Time,
            renew_steps: 1,
            ..self.clone()
        };
        let same = latest.as_ref().filter(|(known, size, drawn, _)| (known, *size, *drawn) == (&map, world.size, seed));
        if let Some((.., walls)) = same {
            return Arc::clone(walls);
        }
        let walls = Arc::new(map.drawn(world, seed));
        *latest = Some((map, world.size, seed, Arc::clone(&walls)));
        walls
    }

    fn drawn(&self, world: &World, seed: u32) -> Walls {
        let (size, longer) = (world.size, world.size.x.max(world.size.y));
        let along = |extent: f32| ((self.resolution as f32 * (extent / longer)).round() as u32).max(3);
        let formula = |draw: fn(u32, u32, u32) -> Plan| Arc::new(draw(along(size.x), along(size.y), seed));
        let door = (self.door / self.cell.unwrap_or(longer / self.resolution as f32)).round() as u32;
        let doors = |draw: fn(u32, u32, u32) -> Plan| Arc::new(draw(along(size.x), along(size.y), door));
        let mut plan = match &self.source {
            MapSource::Maze => formula(formula::maze),
            MapSource::City => formula(formula::city),
            MapSource::Hall => doors(formula::hall),
            MapSource::Stadium => doors(formula::stadium),
            MapSource::Open => Arc::new(formula::open(along(size.x), along(size.y))),
            MapSource::File(file) => Arc::clone(&file.plan),
        };
        let (columns, rows) = (plan.columns, plan.rows);
        let cell = self.cell.unwrap_or_else(|| (size.x / columns as f32).min(size.y / rows as f32));
        self.strokes.iter().for_each(|stroke| Arc::make_mut(&mut plan).draw(stroke, cell));
        // Black is a wall at any threshold. Only pictures have a threshold.
        let pixels = matches!(&self.source, MapSource::File(file) if extension(&file.path) == "png");
        let darkest = if pixels { self.threshold * 255.0 } else { 0.0 };
        let solid: Vec<bool> = plan.light.iter().map(|light| *light == 0 || f32::from(*light) < darkest).collect();
        let shade = |light: u8| f32::from(u8::MAX - light) / (255.0 - darkest.min(254.0));
        let cost = |light: &u8| (16.0 + 16.0 * (self.cost - 1.0) * shade(*light)).round() as u8;
        let costs: Vec<u8> = if self.cost > 1.0 { plan.light.iter().map(cost).collect() } else { Vec::new() };
        let slow = |(cost, solid): (&u8, &bool)| *cost > 16 && !solid;
        let costs = if costs.iter().zip(&solid).any(slow) { costs } else { Vec::new() };
        Walls { columns, rows, cell, solid, costs }
    }
}

impl Plan {
    /// Draw a stroke over the plan. The cells that it reaches in a row have no gaps, so both ends are found by binary search.
    fn draw(&mut self, stroke: &MapStroke, cell: f32) {
        let [from, to] = [stroke.from, stroke.to].map(|end| end.as_dvec3().truncate());
        let (way, reach) = (to - from, 0.5 * f64::from(stroke.width));
        let middle = |at: u32, count: u32| (f64::from(at) + 0.5 - 0.5 * f64::from(count)) * f64::from(cell);
        let across: Vec<f64> = (0..self.columns).map(|column| middle(column, self.columns)).collect();
        for row in 0..self.rows {
            let y = -middle(row, self.rows);
            let reaches = |x: &f64| {
                let place = DVec2::new(*x, y);
                let (off, length) = (place - from, way.length_squared());
                let (along, beside) = (off.dot(way), off.perp_dot(way));
                // Without a root or a quotient, whose rounding could leave out a place that lies exactly on the edge.
                if along > 0.0 && along < length {
                    beside * beside <= reach * reach * length
                } else {
                    off.length_squared().min(place.distance_squared(to)) <= reach * reach
                }
            };
            // Where the line from end to end is nearest to the row, as a share of its length.
            let share = if way.y == 0.0 { 0.0 } else { ((y - from.y) / way.y).clamp(0.0, 1.0) };
            let nearest = across.partition_point(|x| *x < from.x + way.x * share);
            let (left, right) = across.split_at(nearest);
            let first = left.partition_point(|x| !reaches(x));
            let end = nearest + right.partition_point(reaches);
            self.fill(first as u32..end as u32, row..row + 1, if stroke.open { u8::MAX } else { 0 });
        }
    }
}

impl Walls {
    /// Is this cell a wall? Nothing outside of the map is one.
    pub fn is_solid(&self, column: i32, row: i32) -> bool {
        self.index(column, row).is_some_and(|index| self.solid[index])
    }

    /// The index of a cell in `solid` and `costs`; `None` outside of the map.
    pub fn index(&self, column: i32, row: i32) -> Option<usize> {
        let inside = |at: i32, count: u32| u32::try_from(at).ok().filter(|at| *at < count);
        let (column, row) = (inside(column, self.columns)?, inside(row, self.rows)?);
        Some(row as usize * self.columns as usize + column as usize)
    }

    /// The column and the row that a place lies in, whether the map has them or not.
    pub fn cell_of(&self, place: Vec3) -> (i32, i32) {
        let along = |at: f32, count: u32| (at / self.cell + count as f32 * 0.5).floor() as i32;
        (along(place.x, self.columns), along(-place.y, self.rows))
    }

    /// The middle of a cell, u.
    pub fn center(&self, column: i32, row: i32) -> Vec3 {
        let along = |at: i32, count: u32| (at as f32 + 0.5 - count as f32 * 0.5) * self.cell;
        Vec3::new(along(column, self.columns), -along(row, self.rows), 0.0)
    }
}
