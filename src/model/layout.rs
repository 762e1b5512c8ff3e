//! The parameter blocks that shaders read, and how a scene becomes them. Twin of `shaders/common/layout.wgsl`; a test
//! compares names, offsets and sizes with naga's view of the WGSL.

use crate::scene::{self, Boundary, FieldGrid, Scene, SceneError};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// The world and its grid. Field by field the struct `World` of `layout.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)] // described where the shader declares them
pub struct World {
    pub size: [f32; 3],
    pub agent_count: u32,
    pub half_size: [f32; 3],
    pub dt: f32,
    pub cells_per_unit: [f32; 3],
    pub cell_count: u32,
    pub cell_size: [f32; 3],
    pub search_margin: f32,
    pub cells: [u32; 3],
    pub species_count: u32,
    pub field_nodes: [u32; 3],
    pub margin: f32,
    pub field_nodes_per_unit: [f32; 3],
    pub seed: u32,
    pub top_speed: f32,
    pub padding: [u32; 3],
}

/// One species. Field by field the struct `Species` of `layout.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Species {
    pub first_id: u32,
    pub mass: f32,
    pub max_speed: f32,
    pub min_speed: f32,
    pub max_force: f32,
    pub time_constant: f32,
    pub perception_radius: f32,
    pub separation: Separation,
    pub alignment: Alignment,
    pub cohesion: Cohesion,
    pub flow_field: FlowField,
}

/// Perception radius and field of view, as `vision.wgsl` compares them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Vision {
    pub radius_squared: f32,
    pub cosine: f32,
}

/// Parameters of `separation.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Separation {
    pub weight: f32,
    pub vision: Vision,
    pub shortest: f32,
}

/// Parameters of `alignment.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Alignment {
    pub weight: f32,
    pub vision: Vision,
}

/// Parameters of `cohesion.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Cohesion {
    pub weight: f32,
    pub vision: Vision,
}

/// Parameters of `flow_field.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct FlowField {
    pub weight: f32,
    pub prediction_time: f32,
    pub mode: u32,
}

/// How fine the grid is. The product uses the default; the plain baseline of the profiler has one cell per radius.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridChoice {
    /// Cells along x per perception radius.
    pub cells_per_radius: u32,
    /// Rows (cells along y, and along z) per perception radius.
    pub rows_per_radius: u32,
    /// Most cells; coarser ones are used where there would be more. Tests force few cells with it.
    pub most_cells: u32,
}

impl Default for GridChoice {
    fn default() -> Self {
        GridChoice { cells_per_radius: 4, rows_per_radius: 1, most_cells: 1 << 25 }
    }
}

/// A scene as both backends run it.
#[derive(Debug, Clone)]
pub struct Model {
    /// The world and its grid.
    pub world: World,
    /// The species that have a row, at least one.
    pub species: Vec<Species>,
    /// True where the world has a third dimension.
    pub spatial: bool,
    /// What happens at the ends of each axis.
    pub boundary: [Boundary; 3],
    /// For each row of [`scene::BEHAVIORS`]: does any species use it?
    pub acts: Vec<bool>,
    /// The flow field, or a single zero vector.
    pub field: FieldGrid,
}

impl Model {
    /// The scene as parameter blocks.
    ///
    /// # Errors
    /// A flow field that cannot be read.
    pub fn new(scene: &Scene, grid: GridChoice) -> Result<Model, SceneError> {
        let field = match &scene.field {
            Some(field) if scene.uses("flow_field") => field.grid(&scene.world, scene.seed)?,
            _ => FieldGrid { nodes: [1; 3], vectors: vec![[0.0; 3]] },
        };
        let mut model = Model {
            world: World::zeroed(),
            species: Vec::new(),
            spatial: scene.world.spatial,
            boundary: scene.world.boundary,
            acts: Vec::new(),
            field,
        };
        model.update(scene, grid);
        Ok(model)
    }

    /// Take over the numbers of a scene that differs only in numbers: the field stays.
    pub fn update(&mut self, scene: &Scene, grid: GridChoice) {
        self.world = world(scene, grid, &self.field);
        let mut first_id = 0;
        self.species.clear();
        for species in &scene.species {
            self.species.push(species_row(scene, species, first_id));
            first_id += species.count;
        }
        self.acts = scene::BEHAVIORS.iter().map(|b| scene.uses(b.name)).collect();
    }

    /// Does any species use the named behavior?
    pub fn uses(&self, behavior: &str) -> bool {
        scene::behavior_index(behavior).is_some_and(|row| self.acts[row])
    }

    /// Row of the species of an agent.
    pub fn species_of(&self, id: u32) -> usize {
        // A species without agents shares its first id with the next one, which is the one meant.
        self.species.iter().rposition(|s| id >= s.first_id).unwrap_or(0)
    }

    /// A vector as the world stores it: a planar world has no z.
    pub fn store(&self, vector: Vec3) -> [f32; 3] {
        [vector.x, vector.y, if self.spatial { vector.z } else { 0.0 }]
    }

    /// Floats in a stored vector: 2 in a planar world, 3 in a spatial one.
    pub fn components(&self) -> usize {
        if self.spatial { 3 } else { 2 }
    }
}

/// A perception radius as the shaders use it. Half a wrapped axis itself is left out by a hair: an agent exactly there
/// is to both sides at once.
fn radius_within(scene: &Scene, radius: f32) -> f32 {
    let wrapped = (0..3).filter(|&axis| scene.world.boundary[axis] == Boundary::Wrap);
    wrapped.fold(radius, |r, axis| r.min((scene.world.size[axis] * 0.5).next_down().next_down()))
}

fn world(scene: &Scene, grid: GridChoice, field: &FieldGrid) -> World {
    let size = scene.world.size;
    let half_size = size * 0.5;
    let radius = radius_within(scene, scene.perception_radius());
    let cells = choose_cells(scene, radius, grid);
    let axes = Vec3::from_array(cells.map(|c| c as f32));
    let flat = if scene.world.spatial { Vec3::ONE } else { Vec3::new(1.0, 1.0, 0.0) };
    let contained = (0..3).filter(|&axis| scene.world.boundary[axis] == Boundary::Contain);
    let narrowest = contained.map(|axis| half_size[axis]).fold(f32::MAX, f32::min);
    let mut field_nodes_per_unit = [0.0; 3];
    for axis in 0..if scene.world.spatial { 3 } else { 2 } {
        let nodes = field.nodes[axis] as f32;
        let intervals = if scene.world.boundary[axis] == Boundary::Wrap { nodes } else { nodes - 1.0 };
        field_nodes_per_unit[axis] = intervals / size[axis];
    }
    World {
        size: size.to_array(),
        agent_count: scene.agent_count(),
        half_size: half_size.to_array(),
        dt: scene.dt,
        cells_per_unit: (axes / size.max(Vec3::splat(f32::MIN_POSITIVE)) * flat).to_array(),
        cell_count: cells.iter().product(),
        cell_size: (size / axes).to_array(),
        search_margin: 1e-4 * radius + 1e-6 * size.max_element(),
        cells,
        species_count: scene.species.len() as u32,
        field_nodes: field.nodes,
        // A margin beyond the middle would push agents there from one side to the other.
        margin: scene.world.margin.min(narrowest).max(1e-6),
        field_nodes_per_unit,
        seed: scene.seed,
        top_speed: scene.species.iter().map(|s| s.max_speed).fold(f32::MIN_POSITIVE, f32::max),
        padding: [0; 3],
    }
}

/// Cells along each axis: as high and deep as the perception radius, `cells_per_radius` times finer along x. A sparse
/// world gets coarser cells, so that the table stays within two cells per agent (at least 65,536, at most 2^25).
fn choose_cells(scene: &Scene, radius: f32, grid: GridChoice) -> [u32; 3] {
    let dimensions = if scene.world.spatial { 3 } else { 2 };
    let size = scene.world.size;
    let agents = f64::from(scene.agent_count());
    let most = (2.0 * agents).max(65536.0).min(f64::from(grid.most_cells));
    // Without perception the grid only keeps the order of agents: a few to a cell.
    let mut height = f64::from(radius);
    if height <= 0.0 {
        let volume: f64 = (0..dimensions).map(|axis| f64::from(size[axis])).product();
        height = (4.0 * volume / agents.max(1.0)).powf(1.0 / f64::from(dimensions as u32));
    }
    let rows = if radius > 0.0 { grid.rows_per_radius } else { 1 };
    let mut finer = if radius > 0.0 { grid.cells_per_radius } else { 1 };
    loop {
        let mut cells = [1u32; 3];
        for axis in 0..dimensions {
            let per_radius = f64::from(if axis == 0 { finer } else { rows });
            cells[axis] = (f64::from(size[axis]) / height * per_radius).floor().clamp(1.0, 4194304.0) as u32;
        }
        if cells.iter().map(|&c| f64::from(c)).product::<f64>() <= most {
            return cells;
        }
        if finer > 1 {
            finer /= 2;
        } else {
            height *= 1.25;
        }
    }
}

fn species_row(scene: &Scene, species: &scene::Species, first_id: u32) -> Species {
    let vision = |behavior: &str| {
        if !species.behavior(behavior).acts() {
            // Another species may use the behavior; this one perceives nobody with it.
            return Vision { radius_squared: -1.0, cosine: 2.0 };
        }
        let radius = radius_within(scene, species.parameter(behavior, "perception_radius"));
        Vision {
            radius_squared: radius * radius,
            cosine: match species.parameter(behavior, "field_of_view") {
                full if full >= 360.0 => -2.0,
                angle => (f64::from(angle) / 2.0).to_radians().cos() as f32,
            },
        }
    };
    let weight = |behavior: &str| {
        let settings = species.behavior(behavior);
        if settings.enabled { settings.weight } else { 0.0 }
    };
    Species {
        first_id,
        mass: species.mass,
        max_speed: species.max_speed,
        min_speed: species.min_speed,
        max_force: species.max_force,
        time_constant: if species.time_constant > 0.0 { species.time_constant } else { scene.dt },
        perception_radius: radius_within(scene, species.perception_radius()),
        separation: Separation {
            weight: weight("separation"),
            vision: vision("separation"),
            shortest: (species.parameter("separation", "perception_radius") * 1e-3).max(1e-6),
        },
        alignment: Alignment { weight: weight("alignment"), vision: vision("alignment") },
        cohesion: Cohesion { weight: weight("cohesion"), vision: vision("cohesion") },
        flow_field: FlowField {
            weight: weight("flow_field"),
            prediction_time: species.parameter("flow_field", "prediction_time"),
            mode: species.parameter("flow_field", "mode") as u32,
        },
    }
}
