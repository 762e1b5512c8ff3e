//! The compiled scene: the parameter blocks that shaders read, and what pipelines are specialized to.

use super::blocks::*;
use super::features::{Features, Vehicles};
use super::obstacle_cells::{self, MAX_FEW};
use super::scenery::{BOX, CAPSULE, Obstacle, Piece, Scenery};
use crate::scene::{self, BEHAVIORS, BehaviorSpec, Boundary, FieldGrid, Scene, SceneError, Setting, Stored};
use bytemuck::Zeroable;
use glam::Vec3;
use std::sync::Arc;

impl Species {
    /// Does this species have queries: targets that are the nearest agent of a species?
    pub fn has_queries(&self) -> bool {
        self.queries[0].radius_squared >= 0.0
    }
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

/// A compiled scene, as both backends run it.
#[derive(Debug, Clone)]
pub struct CompiledScene {
    /// The world and its grid.
    pub world: World,
    /// The species that have a row, at least one.
    pub species: Vec<Species>,
    /// True where the world has a third dimension.
    pub spatial: bool,
    /// What happens at the ends of each axis.
    pub boundary: [Boundary; 3],
    /// The active behaviors, those that any species uses, in the order of the registry.
    pub active_behaviors: Vec<&'static BehaviorSpec>,
    /// The scene's own behaviors, active or not.
    pub own: Vec<&'static BehaviorSpec>,
    /// The words of their parameters, of each species.
    own_blocks: Vec<Vec<Vec<u32>>>,
    /// What else the pipelines are specialized to.
    pub features: Features,
    /// Which vehicle models any species uses.
    pub vehicles: Vehicles,
    /// The flow field, or a single zero vector where no behavior or transition reads it.
    pub field: Arc<FieldGrid>,
    /// Obstacles, paths and the surface. The reference moves what moves in it, from step to step, but for the obstacles.
    pub scenery: Scenery,
    /// The obstacles as the scene places them.
    pub placed: Arc<Vec<scene::Obstacle>>,
    /// Their rows, however many, which the reference moves too.
    pub obstacles: Arc<Vec<Obstacle>>,
    /// Where there are many, their rows and the lists of their cells, as shaders read them.
    pub obstacle_texels: Arc<Vec<[u32; 4]>>,
    /// The pieces of all trajectories.
    pub pieces: Arc<Vec<Piece>>,
    /// The ground at the start; one empty cell in a scene without ground.
    pub ground: Arc<Vec<GroundCell>>,
    /// The most bytes that one binding of the device takes: what has more for each agent lies in parts. A model that is for no device
    /// in particular has no such limit.
    pub largest_binding: u64,
    /// The inputs of the field and the ground, so that a change of anything else does not make them again.
    made_of: (Option<scene::Field>, Option<scene::Ground>, scene::World, u32),
}

impl CompiledScene {
    /// Compile a scene.
    ///
    /// # Errors
    /// A flow field that cannot be read.
    pub fn new(scene: &Scene, grid: GridChoice) -> Result<CompiledScene, SceneError> {
        CompiledScene::make(scene, grid, None)
    }

    /// Compile a scene that replaces this one: unchanged parts are shared.
    ///
    /// # Errors
    /// A scene that breaks a rule, or a flow field that cannot be read.
    pub fn followed_by(&self, scene: &Scene, grid: GridChoice) -> Result<CompiledScene, SceneError> {
        CompiledScene::make(scene, grid, Some(self))
    }

    fn make(scene: &Scene, grid: GridChoice, before: Option<&CompiledScene>) -> Result<CompiledScene, SceneError> {
        let field = scene.field.clone().filter(|_| uses_field(scene));
        let made_of = (field, scene.ground, scene.world, scene.seed);
        let largest_binding = before.map_or(u64::MAX, |model| model.largest_binding);
        let before = before.filter(|model| model.made_of == made_of);
        let field = match (before, &made_of.0) {
            (Some(model), _) => model.field.clone(),
            (None, Some(field)) => Arc::new(field.grid(&scene.world, scene.seed)?),
            (None, None) => Arc::new(FieldGrid { nodes: [1; 3], vectors: vec![[0.0; 3]] }),
        };
        let mut world = world(scene, grid, &field);
        let ground = before.map(|model| model.ground.clone());
        let ground = ground.unwrap_or_else(|| Arc::new(super::ground::start(scene, &world)));
        let (species, own_blocks) = species_rows(scene, &mut world);
        let active_behaviors: Vec<_> = scene.registry().filter(|spec| scene.uses(spec.name)).collect();
        let own: Vec<_> = scene.registry().skip(BEHAVIORS.len()).collect();
        let placed = scene.scenery.placed(&scene.world);
        let (mut scenery, obstacles, pieces) = Scenery::of(scene, &placed);
        let mut features = Features::new(scene, &active_behaviors, &species);
        features.folds = world.folds();
        features.moves = scenery.moves();
        features.field_changes = scenery.field_changes();
        features.obstacles_turn = obstacles.iter().any(|obstacle| obstacle.turned != 0);
        features.edged = obstacles.iter().any(|obstacle| [BOX, CAPSULE].contains(&obstacle.shape));
        features.capsules = obstacles.iter().any(|obstacle| obstacle.shape == CAPSULE);
        features.many_obstacles = obstacles.len() > MAX_FEW;
        let nearest = active_behaviors.iter().any(|spec| spec.mentions("nearest_wall"));
        let laid_out = before.filter(|model| obstacle_cells::fit(model, &obstacles, &species, nearest));
        let obstacle_texels = match laid_out {
            _ if !features.many_obstacles => Arc::default(),
            Some(model) => {
                (scenery.groups, scenery.group_count) = (model.scenery.groups, model.scenery.group_count);
                scenery.endless_count = model.scenery.endless_count;
                Arc::clone(&model.obstacle_texels)
            }
            None => Arc::new(obstacle_cells::lay_out(scene, &obstacles, &species, nearest, &mut scenery)),
        };
        Ok(CompiledScene {
            world,
            features,
            species,
            spatial: scene.world.spatial,
            boundary: scene.world.boundary,
            active_behaviors,
            own,
            own_blocks,
            vehicles: Vehicles::new(scene),
            field,
            scenery,
            placed: Arc::new(placed),
            obstacles: Arc::new(obstacles),
            obstacle_texels,
            pieces: Arc::new(pieces),
            ground,
            largest_binding,
            made_of,
        })
    }

    /// As it lies on a device whose bindings take so many bytes.
    pub(crate) fn bound_by(mut self, largest_binding: u64) -> CompiledScene {
        self.largest_binding = largest_binding;
        self
    }

    /// Move the scenery to where it is after so many steps.
    pub fn advance(&mut self, steps: u32) {
        self.scenery = self.scenery_after(steps);
        if self.scenery.moves() {
            self.scenery.moved(Arc::<Vec<_>>::make_mut(&mut self.obstacles).as_mut_slice());
        }
    }

    /// The scenery as it is after so many steps.
    pub fn scenery_after(&self, steps: u32) -> Scenery {
        let mut scenery = self.scenery;
        scenery.advance(&self.pieces, self.world.field_nodes.iter().product(), steps);
        scenery
    }

    /// The words of a behavior's parameters of a species.
    pub fn block(&self, species: usize, spec: &BehaviorSpec) -> &[u32] {
        if let Some(index) = self.own.iter().position(|own| *own == spec) {
            return &self.own_blocks[species][index];
        }
        let row = BEHAVIORS.iter().position(|known| known == spec).expect("a behavior of the registry");
        let (first, words) = (BLOCKS[row].offset / 4, BLOCKS[row].size / 4);
        &bytemuck::cast_slice(std::slice::from_ref(&self.species[species].behaviors))[first..first + words]
    }

    /// Where the reference keeps what a behavior of the scene's own remembers.
    pub(crate) fn own_memory(&self, spec: &BehaviorSpec) -> Option<usize> {
        self.own.iter().filter(|own| own.remembers()).position(|own| *own == spec)
    }

    /// Is the named behavior active in the scene?
    pub fn is_active(&self, behavior: &str) -> bool {
        self.active_behaviors.iter().any(|spec| spec.name == behavior)
    }

    /// What happens at the ends of each axis, as the overrides `boundary_x`, `_y` and `_z` say it.
    pub(crate) fn boundary_codes(&self) -> [f64; 3] {
        self.boundary.map(|boundary| f64::from(boundary as u32))
    }

    /// Does an active behavior name this buffer or function?
    pub fn mentions(&self, name: &str) -> bool {
        self.active_behaviors.iter().any(|spec| spec.mentions(name))
    }

    /// Does anybody lay a trail on the ground, or follow one?
    pub fn has_trail(&self) -> bool {
        let laid = self.species.iter().any(|species| species.count > 0 && species.deposit > 0);
        laid || self.active_behaviors.iter().any(|spec| spec.reads_trail())
    }

    /// Does an active behavior look at the visits or the resource of the ground?
    pub fn reads_ground(&self) -> bool {
        self.active_behaviors.iter().any(|spec| spec.reads_ground())
    }

    /// Does steering leave anything to be remembered: an action state, held or smoothed steering, the winner of
    /// priorities, or what a behavior keeps?
    pub fn remembers(&self) -> bool {
        let by_priority = scene::Combine::Priority as u32;
        let steered = |own: &Species| own.transition_count > 0 || own.combine >= by_priority || own.smoothing < 1.0;
        self.active_behaviors.iter().any(|spec| spec.remembers())
            || self.features.turns
            || self.species.iter().any(|own| steered(own) || own.update_every > 1)
    }

    /// May [`STRIDE`](super::STRIDE) stand in for steering and motion? Not where agents read the poses of others, which are
    /// targets of theirs, while they steer; and not where steering runs over the active list.
    pub fn strides(&self) -> bool {
        let reads_poses = self.vehicles.pose && (self.features.tracks_agents || self.features.queries);
        !reads_poses && !self.features.skips
    }

    /// Is the world so small that one workgroup sorts its agents faster than dispatches are launched ([`ARRANGE`](super::ARRANGE))?
    pub fn is_small(&self) -> bool {
        self.world.agent_count <= 2048 && self.world.frozen_cell() <= 1 << 14
    }

    /// The rows of the species as shaders read them, with the blocks of the active behaviors.
    pub fn species_words(&self) -> Vec<u32> {
        let common = std::mem::offset_of!(Species, behaviors) / 4;
        let mut words = Vec::new();
        for (index, species) in self.species.iter().enumerate() {
            let row: &[u32] = bytemuck::cast_slice(std::slice::from_ref(species));
            words.extend_from_slice(&row[..common]);
            for spec in &self.active_behaviors {
                words.extend_from_slice(self.block(index, spec));
            }
            if self.active_behaviors.is_empty() {
                words.push(0);
            }
        }
        words
    }

    /// Number of agents that have queries: each has a row in `found`.
    pub fn querying_agents(&self) -> u32 {
        self.species.iter().filter(|species| species.has_queries()).map(|species| species.count).sum()
    }

    /// Is this id among those whose sorted indices the stage `gather` writes for queries?
    pub fn may_query(&self, id: u32) -> bool {
        id.wrapping_sub(self.world.first_querying) < self.world.querying_ids
    }

    /// Row of the species of an agent.
    #[inline]
    pub fn species_of(&self, id: u32) -> usize {
        // A species without agents shares its first id with the next one, so the last match is the agent's.
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

/// Ids to a cell of those that are set aside.
pub(crate) const IDS_ASIDE: u32 = 64;

/// So many lower bits of a word of `cell` hold the cell: 2^25 of the grid at most, and fewer behind them. Above lies a rank.
pub(crate) const CELL_BITS: u32 = 26;

impl World {
    /// Is any axis of the grid folded?
    pub fn folds(&self) -> bool {
        self.cells_beyond != [0.0; 3]
    }

    /// Can a cell hold more agents than it shows?
    pub fn crowds(&self) -> bool {
        self.agent_count > self.crowd
    }

    /// Index of the frozen agents' cell. Behind those of the grid, which are [`World::cell_count`], come those of agents that are
    /// set aside from crowded cells, and then this one; no query visits them.
    pub fn frozen_cell(&self) -> u32 {
        self.cell_count + if self.crowds() { self.agent_count.div_ceil(IDS_ASIDE) } else { 0 }
    }
}

/// A perception radius as the shaders use it: always less than half a wrapped axis, because an agent at exactly half is
/// on both sides at once.
fn radius_within(scene: &Scene, radius: f32) -> f32 {
    let wrapped = (0..3).filter(|&axis| scene.world.boundary[axis] == Boundary::Wrap);
    wrapped.fold(radius, |r, axis| r.min((scene.world.size[axis] * 0.5).next_down().next_down()))
}

fn world(scene: &Scene, grid: GridChoice, field: &FieldGrid) -> World {
    let size = scene.world.size;
    let half_size = size * 0.5;
    let radius = radius_within(scene, scene.perception_radius());
    let common = radius_within(scene, commonest_radius(scene));
    let Cells { across, table, beyond } = choose_cells(scene, common, grid);
    let axes = Vec3::from_array(across.map(|c| c as f32));
    let flat = if scene.world.spatial { Vec3::ONE } else { Vec3::new(1.0, 1.0, 0.0) };
    let contained = (0..3).filter(|&axis| scene.world.boundary[axis] == Boundary::Contain);
    let narrowest = contained.map(|axis| half_size[axis]).fold(f32::MAX, f32::min);
    let mut field_nodes_per_unit = [0.0; 3];
    for axis in 0..if scene.world.spatial { 3 } else { 2 } {
        let nodes = field.nodes[axis] as f32;
        let intervals = if scene.world.boundary[axis] == Boundary::Wrap { nodes } else { nodes - 1.0 };
        field_nodes_per_unit[axis] = intervals / size[axis];
    }
    let world = World {
        size: size.to_array(),
        agent_count: scene.agent_count(),
        half_size: half_size.to_array(),
        dt: scene.dt,
        cells_per_unit: (axes / size.max(Vec3::splat(f32::MIN_POSITIVE)) * flat).to_array(),
        cell_count: table.iter().product(),
        cell_size: (size / axes).to_array(),
        crowd: scene.crowd(),
        search_margin: 1e-4 * radius + 1e-6 * size.max_element(),
        cells: table,
        cells_beyond: beyond,
        species_count: scene.species.len() as u32,
        field_nodes: field.nodes,
        // A margin beyond the middle would push agents there from one side to the other.
        margin: scene.world.margin.min(narrowest).max(1e-6),
        field_nodes_per_unit,
        seed: scene.seed,
        mouse: scene.mouse.to_array(),
        top_speed: scene.species.iter().map(scene::Species::top_speed).fold(f32::MIN_POSITIVE, f32::max),
        first_ids: first_ids(scene),
        ..World::zeroed()
    };
    super::ground::laid_on(scene, world)
}

/// The first ids of the second species and on; an agent is of the last species that begins at its id or before.
fn first_ids(scene: &Scene) -> [[u32; 4]; 8] {
    let mut ids = [u32::MAX; 32];
    let mut end = 0;
    for (id, species) in ids.iter_mut().zip(&scene.species[..scene.species.len().saturating_sub(1)]) {
        end += species.count;
        *id = end;
    }
    bytemuck::cast(ids)
}

/// How space is divided into cells, along each axis.
struct Cells {
    /// Cells from one end of the world to the other.
    across: [u32; 3],
    /// Cells in the table: as many, but on folded axes.
    table: [u32; 3],
    /// Cells beyond each end of the world, on folded axes.
    beyond: [f32; 3],
}

impl Cells {
    /// Fold open axes until the table has no more than about so many cells, in proportion to the world; `None` if that does not suffice.
    fn folded(across: [u32; 3], open: [bool; 3], most: f64) -> Option<Cells> {
        let mut table = across;
        for axis in (0..3).filter(|axis| open[*axis]) {
            table[axis] = across[axis].next_power_of_two();
        }
        let cells = |table: [u32; 3]| table.iter().map(|&c| u64::from(c)).product::<u64>();
        while cells(table) > (most as u64).next_power_of_two() {
            let share = |axis: usize| table[axis] as f32 / across[axis] as f32;
            let longest = (0..3).filter(|axis| open[*axis]).max_by(|a, b| share(*a).total_cmp(&share(*b)))?;
            if share(longest) < 2.0 * LEAST_TABLE || table[longest] <= FEWEST_ENTRIES {
                return None;
            }
            table[longest] /= 2;
        }
        // Twice the world at each side. Farther out rounding would be more than the margin of a search.
        let beyond = [0, 1, 2].map(|axis| if open[axis] { 2.0 * across[axis] as f32 } else { 0.0 });
        Some(Cells { across, table, beyond })
    }
}

/// A table is at least as long as this share of the world: a flock is, too, and would share entries with itself.
const LEAST_TABLE: f32 = 0.33;
/// And it has more entries than a search visits.
const FEWEST_ENTRIES: u32 = 8;

/// Cells along each axis: as high and deep as the perception radius, `cells_per_radius` times finer along x. A sparse
/// world gets coarser cells, so that the table stays within two cells per agent (at least 65,536, at most 2^25), unless axes are
/// open: nobody fills a world without walls, so these are folded.
fn choose_cells(scene: &Scene, radius: f32, grid: GridChoice) -> Cells {
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
    let open = [0, 1, 2].map(|axis| axis < dimensions && scene.world.boundary[axis] == Boundary::Open && radius > 0.0);
    loop {
        let mut cells = [1u32; 3];
        for axis in 0..dimensions {
            let per_radius = f64::from(if axis == 0 { finer } else { rows });
            cells[axis] = (f64::from(size[axis]) / height * per_radius).floor().clamp(1.0, 4194304.0) as u32;
        }
        if cells.iter().map(|&c| f64::from(c)).product::<f64>() <= most {
            return Cells { across: cells, table: cells, beyond: [0.0; 3] };
        }
        if let Some(folded) = Cells::folded(cells, open, most) {
            return folded;
        }
        if finer > 1 {
            finer /= 2;
        } else {
            height *= 1.25;
        }
    }
}

/// The perception radius of the most numerous species that perceives. Cells follow it, so that few agents with large
/// radii visit more cells, and the others do not visit larger ones.
fn commonest_radius(scene: &Scene) -> f32 {
    let perceiving = scene.species.iter().filter(|s| s.count > 0 && s.perception_radius() > 0.0);
    let own = |species: &scene::Species| match species.neighborhood_radius() {
        0.0 => species.perception_radius(),
        radius => radius,
    };
    perceiving.max_by_key(|s| s.count).map_or(0.0, own)
}

/// Does any behavior, target or transition read the flow field?
fn uses_field(scene: &Scene) -> bool {
    let by_behaviors = scene.registry().any(|spec| spec.mentions("field") && scene.uses(spec.name));
    let by_rules = |s: &scene::Species| {
        s.rules.iter().any(|r| matches!(r.when, scene::Condition::FieldAbove | scene::Condition::FieldBelow))
    };
    let by_targets = |s: &scene::Species| s.targets().any(|target| target == scene::Target::Field);
    by_behaviors || scene.species.iter().any(|s| by_rules(s) || by_targets(s))
}

/// The rows of all species, and, in the world, which species and ids have queries.
fn species_rows(scene: &Scene, world: &mut World) -> (Vec<Species>, Vec<Vec<Vec<u32>>>) {
    let (mut first_id, mut querying_agents) = (0u32, 0u32);
    let (mut rows, mut own_blocks) = (Vec::new(), Vec::new());
    for species in &scene.species {
        let (row, own) = species_row(scene, species, first_id);
        let row = Species { query_row: querying_agents.wrapping_sub(first_id), ..row };
        own_blocks.push(own);
        if row.has_queries() && row.count > 0 {
            world.query_mask |= 1 << rows.len();
            world.first_querying = if querying_agents == 0 { first_id } else { world.first_querying };
            world.querying_ids = first_id + row.count - world.first_querying;
            querying_agents += row.count;
        }
        first_id += row.count;
        rows.push(row);
    }
    (rows, own_blocks)
}

/// The row of a species, and the words of the scene's own behaviors.
fn species_row(scene: &Scene, species: &scene::Species, first_id: u32) -> (Species, Vec<Vec<u32>>) {
    let weight_rows = species.weight_rows();
    let mut writer =
        Writer { scene, species, weight_rows: &weight_rows, queries: Vec::new(), behaviors: 0, words: Vec::new() };
    for (spec, behavior) in species.described().take(BEHAVIORS.len()) {
        writer.behavior(spec, behavior);
    }
    let built_in = std::mem::take(&mut writer.words);
    let own = species.described().skip(BEHAVIORS.len()).map(|(spec, behavior)| {
        writer.behavior(spec, behavior);
        std::mem::take(&mut writer.words)
    });
    let own = own.collect();
    let mut actions = [Transition::zeroed(); 16];
    for (row, rule) in actions.iter_mut().zip(&species.rules) {
        *row = Transition {
            from_states: rule.from,
            to: rule.to,
            when: rule.when as u32,
            than: rule.than,
            unloads: rule.unloads.into(),
            toward: writer.target(rule.target),
        };
    }
    let nobody = Vision { radius_squared: -1.0, cosine: 2.0, inner_squared: -1.0, species: 0 };
    let query = |index: usize| writer.queries.get(index).copied().unwrap_or(nobody);
    let mut state_weights = [1.0; 256];
    state_weights.iter_mut().zip(weight_rows.iter().flatten()).for_each(|(to, factor)| *to = *factor);
    let mut weight_spreads = [0.0; 64];
    for (spread, behavior) in weight_spreads.iter_mut().zip(&species.behaviors).filter(|(_, b)| b.is_active()) {
        *spread = behavior.weight_spread;
    }
    let row = Species {
        first_id,
        count: species.count,
        mass: species.mass,
        max_speed: species.max_speed,
        min_speed: species.min_speed,
        max_force: species.max_force,
        // 0 stands for the shortest, the time for which steering is held. Below a millionth of a step it changes
        // nothing more, and quotients by it would leave the range of floats.
        time_constant: match species.time_constant {
            0.0 => scene.dt * species.update_every as f32,
            time => time.max(1e-6 * scene.dt),
        },
        radius: species.radius,
        perception_radius: radius_within(scene, species.neighborhood_radius()),
        k_nearest: species.k_nearest,
        combine: species.combine as u32,
        update_every: species.update_every,
        transition_count: species.rules.len() as u32,
        smoothing: smoothing(scene, species),
        query_row: 0,
        dither: species.dither,
        speed_spread: species.variation.max_speed,
        force_spread: species.variation.max_force,
        mass_spread: species.variation.mass,
        radius_spread: species.variation.radius,
        angular_spread: f64::from(species.variation.max_angular_speed).to_radians() as f32,
        least_spread: species.variation.min_speed,
        time_spread: species.variation.time_constant,
        normal: u32::from(species.variation.distribution == scene::Distribution::Normal),
        state_speeds: species.state_speeds,
        state_forces: species.state_forces,
        state_weights,
        weight_spreads,
        // The square of less leaves the range of floats.
        silence: species.silence.max(1e-15),
        deposit: super::ground::per_step(species.deposit, scene.dt),
        deposit_states: species.deposit_states,
        queries: [0, 1, 2, 3].map(query),
        actions,
        behaviors: *bytemuck::from_bytes(bytemuck::cast_slice(&built_in)),
        vehicle: Vehicle::new(species, scene.dt),
    };
    (row, own)
}

/// The share that a low-pass filter takes of each new value, so that the answer to a step is 1 - exp(-t/T) at any dt.
fn smoothing(scene: &Scene, species: &scene::Species) -> f32 {
    let time = f64::from(scene.dt) * f64::from(species.update_every);
    if species.smoothing_time > 0.0 { -(-time / f64::from(species.smoothing_time)).exp_m1() as f32 } else { 1.0 }
}

/// Writes the parameters of behaviors as the words that shaders read, in the order of the registry.
struct Writer<'a> {
    scene: &'a Scene,
    species: &'a scene::Species,
    weight_rows: &'a [[f32; 32]],
    queries: Vec<Vision>,
    /// Behaviors written so far.
    behaviors: u32,
    words: Vec<u32>,
}

impl Writer<'_> {
    fn behavior(&mut self, spec: &scene::BehaviorSpec, behavior: &scene::Behavior) {
        let weight = if behavior.enabled { behavior.weight } else { 0.0 };
        let row = self.weight_rows.iter().position(|row| *row == behavior.state_weights);
        let scene::Behavior { floor, priority, states, jitter, limit, .. } = *behavior;
        // That of an inactive behavior is not among them.
        let rows = row.unwrap_or(0) as u32 | self.behaviors << 16;
        let rule = Rule { weight, floor, priority, states, rows, jitter, limit };
        self.behaviors += 1;
        self.words.extend_from_slice(bytemuck::cast_slice(&[rule]));
        for (parameter, setting) in spec.parameters.iter().zip(&behavior.parameters) {
            match *setting {
                Setting::Number(number) => {
                    let word = self.number(parameter, number, behavior.is_active());
                    self.words.push(word);
                }
                Setting::Vector(vector) => {
                    // A planar world has no third coordinate, whatever is written there.
                    let z = if self.scene.world.spatial { vector.z } else { 0.0 };
                    self.words.extend([vector.x, vector.y, z].map(f32::to_bits));
                }
                Setting::Target(target) => {
                    // An inactive behavior takes no query from the active ones.
                    let idle = scene::Target::Point(Vec3::ZERO);
                    let target = self.target(if behavior.is_active() { target } else { idle });
                    self.words.extend_from_slice(bytemuck::cast_slice(&[target]));
                }
                Setting::Species(mask) => self.words.push(mask.unwrap_or(self.species.perceives)),
                Setting::Path(index) => self.words.push(index),
            }
        }
    }

    fn number(&self, parameter: &scene::Parameter, number: f32, acts: bool) -> u32 {
        match (&parameter.range, parameter.stored) {
            (scene::Range::Choice(_) | scene::Range::Whole { .. }, _) => number as u32,
            // Another species may use the behavior; this one perceives no neighbors with it.
            (_, Stored::RadiusSquared) if !acts => (-1f32).to_bits(),
            (_, Stored::HalfCosine) if !acts => 2f32.to_bits(),
            (_, Stored::RadiusSquared) => radius_squared(self.scene, number).to_bits(),
            (_, Stored::HalfCosine) => half_cosine(number).to_bits(),
            (_, Stored::Radians) => (f64::from(number).to_radians() as f32).to_bits(),
            (_, Stored::Plain) => number.to_bits(),
        }
    }

    fn target(&mut self, target: scene::Target) -> Target {
        let (kind, index, point) = match target {
            scene::Target::Point(point) => (0, 0, point),
            scene::Target::Agent(id) => (1, id, Vec3::ZERO),
            scene::Target::Nearest { species, perception_radius, field_of_view } => {
                let query = Vision {
                    radius_squared: radius_squared(self.scene, perception_radius),
                    cosine: half_cosine(field_of_view),
                    inner_squared: -1.0,
                    species,
                };
                let known = self.queries.iter().position(|q| *q == query);
                let index = known.unwrap_or_else(|| {
                    self.queries.push(query);
                    self.queries.len() - 1
                });
                (2, index as u32, Vec3::ZERO)
            }
            scene::Target::Leader(species) => (3, species, Vec3::ZERO),
            scene::Target::Path(path) => (4, path, Vec3::ZERO),
            scene::Target::Field => (5, 0, Vec3::ZERO),
            scene::Target::Mouse => (6, 0, Vec3::ZERO),
            scene::Target::Trajectory(index) => (7, index, Vec3::ZERO),
        };
        Target { kind, index, point: point.to_array() }
    }
}

fn radius_squared(scene: &Scene, radius: f32) -> f32 {
    let radius = radius_within(scene, radius);
    radius * radius
}

/// The cosine of half of a full angle; -2 for 360 degrees, so that rounding never hides a neighbor dead behind.
fn half_cosine(full: f32) -> f32 {
    if full >= 360.0 { -2.0 } else { (f64::from(full) / 2.0).to_radians().cos() as f32 }
}
