//! The compiled scene: the parameter blocks that shaders read, and what pipelines are specialized to.

use super::blocks::*;
use super::cells::{Cells, GridChoice, choose_cells, radius_within};
use super::features::{Features, Vehicles};
use super::measured::Measures;
use super::obstacle_cells::{self, MAX_FEW};
use super::scenery::{Obstacle, Piece, SHAPE_BOX, SHAPE_CAPSULE, Scenery};
use super::species::species_rows;
use super::surface_mesh::SurfaceMesh;
use super::walls::NearestWalls;
use super::ways::{Awaited, Ways, packed};
pub(crate) use crate::constants::{CELL_BITS, IDS_ASIDE};
use crate::scene::{self, BEHAVIORS, BehaviorSpec, Boundary, FieldGrid, Scene, SceneError, Stamp, Walls};
use bytemuck::Zeroable;
use glam::Vec3;
use std::sync::Arc;

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
    /// The active behaviors: each that some species uses, in the order of the registry.
    pub active_behaviors: Vec<&'static BehaviorSpec>,
    /// The scene's own behaviors, active or not.
    pub own: Vec<&'static BehaviorSpec>,
    /// Parameter words of the scene's own behaviors: by species, then by index in `own`.
    own_blocks: Vec<Vec<Vec<u32>>>,
    /// What else the pipelines are specialized to.
    pub features: Features,
    /// Which vehicle models any species uses.
    pub vehicles: Vehicles,
    /// The flow field, or a single zero vector where no behavior or transition reads it.
    pub field: Arc<FieldGrid>,
    /// Obstacles, paths and the surface. From step to step the reference moves everything in it that moves, except its obstacles.
    pub scenery: Scenery,
    /// The obstacles as the scene places them.
    pub placed: Arc<Vec<scene::Obstacle>>,
    /// The rows of all obstacles, also where they are too many for `scenery`. The reference moves these.
    pub obstacles: Arc<Vec<Obstacle>>,
    /// The rows of the obstacles and the lists of their cells, as shaders read them; empty unless there are more than `MAX_FEW`.
    pub obstacle_texels: Arc<Vec<[u32; 4]>>,
    /// The mesh that agents move on, where the surface is one.
    pub surface_mesh: Option<Arc<SurfaceMesh>>,
    /// The nearest walls of the map, where it has walls.
    pub nearest_walls: Option<Arc<NearestWalls>>,
    /// The pieces of all trajectories.
    pub pieces: Arc<Vec<Piece>>,
    /// The ground at the start; one empty cell in a scene without ground.
    pub ground: Arc<Vec<GroundCell>>,
    /// True if the scene has a ground, which snapshots then keep.
    pub(crate) has_ground: bool,
    /// The most bytes that one binding of the device takes; a buffer that has more is split ([`Buffer::parts`](super::Buffer::parts)).
    /// `u64::MAX` in a model that is not made for a particular device.
    pub largest_binding: u64,
    /// The walls of the map, in a scene that has one.
    pub walls: Option<Arc<Walls>>,
    /// The ways to the goals of the map that agents follow now; `None` if no species follows, leaves by or starts at a goal.
    pub ways: Option<Arc<Ways>>,
    /// New ways that are still being computed; agents follow them from step `due` on.
    pub(crate) awaited: Option<Awaited>,
    /// Steps over which the computation of new ways is spread; 1: agents follow them at once.
    renew_steps: u32,
    /// Rounds of the stage `collide` in a step: how often overlapping bodies are moved apart.
    pub contact_rounds: usize,
    /// What the scene asks to observe.
    pub measures: Measures,
    /// True if the model has the passes that list events, because the caller asked for events.
    pub lists_events: bool,
    /// The inputs of the field, the ground and the walls: these are made again only if one of the inputs changes.
    made_of: (Option<scene::Field>, Option<scene::Ground>, Option<scene::Map>, scene::World, u32),
    /// When each file that the field was read from was last written.
    stamps: Vec<Option<Stamp>>,
}

/// The most querying agents that get a workgroup each: that many workgroups fill a large GPU many times over. Not tuned: with six
/// querying agents a GPU gained 17 times (docs/performance.md).
const MOST_LONE_QUERIES: u32 = 1 << 12;

impl CompiledScene {
    /// True if these obstacles have the same cells as this model's, in the same world, so that the cells need not be made again.
    fn has_cells_for(&self, obstacles: &[Obstacle], species: &[Species], nearest: bool) -> bool {
        self.obstacles.len() == obstacles.len()
            && self.obstacle_texels.starts_with(bytemuck::cast_slice(obstacles))
            && (self.collides() || self.mentions("nearest_wall")) == nearest
            && obstacle_cells::reach(&self.species) == obstacle_cells::reach(species)
    }

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
        let mut stamps: Vec<_> = field.iter().flat_map(scene::Field::stamps).collect();
        let made_of = (field, scene.ground.clone(), scene.map.clone(), scene.world, scene.seed);
        let largest_binding = before.map_or(u64::MAX, |model| model.largest_binding);
        let lists_events = before.is_some_and(|model| model.lists_events);
        let surface_mesh = SurfaceMesh::of(scene, before.and_then(|model| model.surface_mesh.as_ref()));
        let latest = before;
        let before = before.filter(|model| model.made_of == made_of);
        // A file that has been deleted since keeps its old stamp, so that what was read from it stays.
        stamps
            .iter_mut()
            .zip(before.into_iter().flat_map(|model| &model.stamps))
            .for_each(|(now, was)| *now = now.or(*was));
        let field = match (before.filter(|model| model.stamps == stamps), &made_of.0) {
            (Some(model), _) => model.field.clone(),
            (None, Some(field)) => Arc::new(field.grid(&scene.world, scene.seed)?),
            (None, None) => Arc::new(FieldGrid { nodes: [1; 3], vectors: vec![[0.0; 3]] }),
        };
        let walls = match before {
            Some(model) => model.walls.clone(),
            None => scene.map.as_ref().map(|map| map.walls(&scene.world, scene.seed)),
        };
        let known = latest.and_then(|model| model.latest_ways());
        let ways = Ways::of(scene, walls.as_ref())?
            .map(|ways| known.filter(|known| ways.same_but_counts(known)).cloned().unwrap_or(ways));
        let renew_steps = scene.map.as_ref().map_or(1, |map| map.renew_steps);
        let (ways, awaited) = match (ways, latest.and_then(|model| model.ways.clone())) {
            (Some(ways), Some(followed)) => {
                ways.update_from(&followed);
                let waits = renew_steps > 1 && ways.same_but_costs(&followed) && !Arc::ptr_eq(&ways, &followed);
                // `due` is set by `restore_ways`, once the number of steps is known.
                if waits { (Some(followed), Some(Awaited { ways, due: 0 })) } else { (Some(ways), None) }
            }
            (ways, _) => (ways, None),
        };
        let mut world = world(scene, grid, &field);
        if let Some(walls) = &walls {
            (world.map_columns, world.map_rows) = (walls.columns, walls.rows);
            (world.map_cell_size, world.map_cells_per_unit) = (walls.cell, 1.0 / walls.cell);
        }
        let nearest_walls = match before {
            Some(model) => model.nearest_walls.clone(),
            None => walls.as_ref().and_then(NearestWalls::of).map(Arc::new),
        };
        if let (Some(nearest), Some(latest)) = (&nearest_walls, latest.and_then(|model| model.nearest_walls.as_ref())) {
            nearest.update_from(latest);
        }
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
        features.boxes_or_capsules =
            obstacles.iter().any(|obstacle| [SHAPE_BOX, SHAPE_CAPSULE].contains(&obstacle.shape));
        let is_pen = |obstacle: &Obstacle| obstacle.shape == SHAPE_BOX && obstacle.seen_from != 0;
        features.boxes_from_within = obstacles.iter().any(is_pen);
        features.capsules = obstacles.iter().any(|obstacle| obstacle.shape == SHAPE_CAPSULE);
        features.many_obstacles = obstacles.len() > MAX_FEW;
        features.walled = nearest_walls.is_some();
        features.by_grid = ways.as_ref().is_some_and(|ways| ways.measure == scene::Measure::Grid);
        features.occludes = species.iter().any(|own| own.count > 0 && own.line_of_sight != 0)
            && (features.walled || !obstacles.is_empty());
        features.some_away = world.can_be_away != 0;
        let nearest = world.contact_reach > 0.0 || active_behaviors.iter().any(|spec| spec.mentions("nearest_wall"));
        let laid_out = before.filter(|model| model.has_cells_for(&obstacles, &species, nearest));
        let obstacle_texels = match laid_out {
            _ if !features.many_obstacles => Arc::default(),
            Some(model) => {
                (scenery.groups, scenery.group_count) = (model.scenery.groups, model.scenery.group_count);
                scenery.endless_count = model.scenery.endless_count;
                Arc::clone(&model.obstacle_texels)
            }
            None => Arc::new(obstacle_cells::lay_out(scene, &obstacles, &species, nearest, &mut scenery)),
        };
        let measures = Measures::of(scene, world.top_speed, world.map_cell_size);
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
            surface_mesh,
            nearest_walls,
            pieces: Arc::new(pieces),
            ground,
            has_ground: scene.ground.is_some(),
            largest_binding,
            walls,
            ways,
            awaited,
            renew_steps,
            contact_rounds: scene.world.contact_rounds as usize,
            measures,
            lists_events,
            made_of,
            stamps,
        })
    }

    /// This model for a device whose bindings take at most `largest_binding` bytes.
    pub(crate) fn bound_by(mut self, largest_binding: u64) -> CompiledScene {
        self.largest_binding = largest_binding;
        self
    }

    /// Move the scenery to where it is after `steps` steps.
    pub fn advance(&mut self, steps: u32) {
        self.scenery = self.scenery_after(steps);
        if self.scenery.moves() {
            self.scenery.moved(Arc::<Vec<_>>::make_mut(&mut self.obstacles).as_mut_slice());
        }
    }

    /// The ways of the latest walls and crowds, whether agents follow them already or not.
    pub(crate) fn latest_ways(&self) -> Option<&Arc<Ways>> {
        self.awaited.as_ref().map(|awaited| &awaited.ways).or(self.ways.as_ref())
    }

    /// The number of agents over each cell of the map, as the latest ways take it into account; empty if they heed no crowds.
    pub(crate) fn crowd_counts(&self) -> &[u32] {
        self.latest_ways().map_or(&[], |ways| &ways.counts)
    }

    /// The words of the buffer `way_costs` after `steps` steps. The first is one more than the number of steps until agents follow the
    /// awaited ways, or 0 if none are awaited; then come the cell costs of the ways followed until then, four to a word (zeros if none are
    /// awaited). Empty if there are no ways, or if `renew_steps` is 1.
    pub(crate) fn way_costs(&self, steps: u64) -> Vec<u32> {
        self.way_costs_for(self.ways.as_ref(), self.steps_awaited(steps))
    }

    fn steps_awaited(&self, steps: u64) -> u32 {
        self.awaited.as_ref().map_or(0, |awaited| (awaited.due.saturating_sub(steps) + 1) as u32)
    }

    /// The number of words that `way_costs` returns.
    pub(crate) fn way_cost_words(&self) -> u64 {
        let ways = self.ways.as_ref().filter(|_| self.renew_steps > 1);
        ways.map_or(0, |ways| 1 + u64::from(ways.cells().div_ceil(4)))
    }

    fn way_costs_for(&self, ways: Option<&Arc<Ways>>, left: u32) -> Vec<u32> {
        let Some(ways) = ways.filter(|_| self.renew_steps > 1) else { return Vec::new() };
        if left == 0 {
            return vec![0; self.way_cost_words() as usize];
        }
        [left].into_iter().chain(packed(ways.costs())).collect()
    }

    /// The [`CompiledScene::way_costs`] with which a state of this model goes on in the model `next`. If `next` has other ways, agents
    /// await them from now on.
    pub(crate) fn way_costs_for_next(&self, next: &CompiledScene, steps: u64) -> Vec<u32> {
        let (Some(latest), Some(followed)) = (next.latest_ways(), &self.ways) else { return next.way_costs(0) };
        if !latest.same_but_costs(followed) {
            return next.way_costs_for(Some(latest), 0);
        }
        let goes_on = self.latest_ways().is_some_and(|before| before.same_but_counts(latest));
        next.way_costs_for(Some(followed), if goes_on { self.steps_awaited(steps) } else { next.renew_steps })
    }

    /// Take over the ways of a snapshot, of which `counts` and `costs` are the columns `crowd_counts` and `way_costs`, after `steps` steps.
    /// While `costs` says that the ways for `counts` are still awaited, agents follow the earlier ways, which have the cell costs in
    /// `costs`. Return whether the ways that agents follow changed.
    pub(crate) fn restore_ways(&mut self, counts: &[u32], costs: &[u32], steps: u64) -> bool {
        let Some(latest) = self.latest_ways().cloned() else { return false };
        let latest = latest.with_counts(counts).unwrap_or(latest);
        let before = self.ways.clone();
        (self.ways, self.awaited) = match costs.split_first() {
            Some((left, costs)) if *left > 0 => {
                let costs: &[u8] = bytemuck::cast_slice(costs);
                let costs = &costs[..latest.cells() as usize];
                let known = before.clone().filter(|ways| latest.same_but_costs(ways) && ways.costs() == costs);
                let followed = known.unwrap_or_else(|| Arc::new(latest.with_costs(costs)));
                latest.update_from(&followed);
                (Some(followed), Some(Awaited { ways: latest, due: steps + u64::from(*left) - 1 }))
            }
            _ => (Some(latest), None),
        };
        !before.iter().zip(&self.ways).any(|(before, now)| Arc::ptr_eq(before, now))
    }

    /// Follow the awaited ways if they are due after `steps` steps. Return whether they were.
    pub(crate) fn follow_awaited(&mut self, steps: u64) -> bool {
        let due = self.awaited.take_if(|awaited| awaited.due <= steps);
        due.map(|awaited| self.ways = Some(awaited.ways)).is_some()
    }

    /// True if, after `steps` steps, agents have to be counted anew for ways that heed crowds.
    pub(crate) fn crowding_due(&self, steps: u64) -> bool {
        let crowding = self.latest_ways().and_then(|ways| ways.crowding);
        self.awaited.is_none() && crowding.is_some_and(|crowding| crowding.since(steps) == 0)
    }

    /// Await the ways for `counts` agents over the cells of the map, counted after `steps` steps; they are due `renew_steps - 1` steps
    /// later. Return whether agents follow them already.
    pub(crate) fn await_ways_for(&mut self, counts: &[u32], steps: u64) -> bool {
        let Some(ways) = self.latest_ways().and_then(|ways| ways.with_counts(counts)) else { return false };
        self.awaited = Some(Awaited { ways, due: steps + u64::from(self.renew_steps) - 1 });
        self.follow_awaited(steps)
    }

    /// After `steps` steps: how many more may run before ways have to be renewed; `u32::MAX` if they never have to be.
    pub(crate) fn steps_to_other_ways(&self, steps: u64) -> u32 {
        let crowding = self.latest_ways().and_then(|ways| ways.crowding);
        let to_crowds = crowding.map_or(u32::MAX, |crowding| crowding.every - crowding.since(steps));
        self.awaited.as_ref().map_or(to_crowds, |awaited| (awaited.due.saturating_sub(steps) as u32).min(to_crowds))
    }

    /// The scenery as it is after `steps` steps.
    pub fn scenery_after(&self, steps: u32) -> Scenery {
        let mut scenery = self.scenery;
        scenery.advance(&self.pieces, self.world.field_nodes.iter().product(), steps);
        scenery
    }

    /// The parameter words of a behavior, for the species with this index.
    ///
    /// # Panics
    /// An index or a behavior that the scene does not have.
    pub fn block(&self, species: usize, spec: &BehaviorSpec) -> &[u32] {
        if let Some(index) = self.own.iter().position(|own| *own == spec) {
            return &self.own_blocks[species][index];
        }
        let row = BEHAVIORS.iter().position(|known| known == spec).expect("a behavior of the registry");
        let (first, words) = (BLOCKS[row].offset / 4, BLOCKS[row].size / 4);
        &bytemuck::cast_slice(std::slice::from_ref(&self.species[species].behaviors))[first..first + words]
    }

    /// Index in `BehaviorMemories::own` at which the reference keeps the memory of one of the scene's own behaviors; `None` if it is
    /// not one or has no memory.
    pub(crate) fn own_memory(&self, spec: &BehaviorSpec) -> Option<usize> {
        self.own.iter().filter(|own| own.remembers()).position(|own| *own == spec)
    }

    /// Is the named behavior active in the scene?
    pub fn is_active(&self, behavior: &str) -> bool {
        self.active_behaviors.iter().any(|spec| spec.name == behavior)
    }

    /// The values of the overrides `boundary_x`, `boundary_y` and `boundary_z`.
    pub(crate) fn boundary_codes(&self) -> [f64; 3] {
        self.boundary.map(|boundary| f64::from(boundary as u32))
    }

    /// Does the shader of an active behavior mention this buffer or function?
    pub fn mentions(&self, name: &str) -> bool {
        self.active_behaviors.iter().any(|spec| spec.mentions(name))
    }

    /// Does any species lay a trail on the ground, or any active behavior follow one?
    pub fn has_trail(&self) -> bool {
        let laid = self.species.iter().any(|species| species.count > 0 && species.deposit > 0);
        laid || self.active_behaviors.iter().any(|spec| spec.reads_trail())
    }

    /// Does an active behavior read the visits or the resource of the ground?
    pub fn reads_ground(&self) -> bool {
        self.active_behaviors.iter().any(|spec| spec.reads_ground())
    }

    /// Does an agent keep anything from one step's steering to the next: an action state, held or smoothed steering, the winner of
    /// priorities, or the memory of a behavior?
    pub fn remembers(&self) -> bool {
        let by_priority = scene::Combine::Priority as u32;
        let steered = |own: &Species| own.transition_count > 0 || own.combine >= by_priority || own.smoothing < 1.0;
        self.active_behaviors.iter().any(|spec| spec.remembers())
            || self.features.turns
            || self.species.iter().any(|own| steered(own) || own.update_every > 1)
    }

    /// True if [`StageId::Stride`](super::StageId::Stride) may replace the stages of steering and motion. Not where steering agents read
    /// the poses of their targets, which `stride` would already overwrite; not where steering runs over the active list; and not where the
    /// stage `collide` moves agents once more.
    pub fn strides(&self) -> bool {
        let reads_poses = self.vehicles.pose && (self.features.tracks_agents || self.features.queries);
        !reads_poses && !self.features.skips && !self.collides()
    }

    /// Do bodies collide?
    pub fn collides(&self) -> bool {
        self.world.contact_reach > 0.0
    }

    /// Is the world so small that one workgroup sorts its agents faster than dispatches are launched
    /// ([`StageId::Arrange`](super::StageId::Arrange))?
    pub fn is_small(&self) -> bool {
        // Each of the 64 invocations of `arrange` sorts every 64th agent by a loop over all agents in that agent's cell. llvmpipe cuts an
        // invocation off after 65,535 rounds of all its loops together; with 1,900 agents all in one cell it takes 30 * 1,900 rounds, and
        // twice an eighth of the cells.
        self.world.agent_count <= 1900 && self.world.cell_count <= 1 << 14
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

    /// True if so few agents have queries that a whole workgroup searches for each. With more, one invocation per querying agent fills
    /// the lanes of a GPU.
    pub fn has_lone_queries(&self) -> bool {
        self.features.few_queries && self.querying_agents() <= MOST_LONE_QUERIES
    }

    /// True if the stage `gather` writes the sorted index of this id: it is between the first and the last querying id.
    pub fn may_query(&self, id: u32) -> bool {
        id.wrapping_sub(self.world.first_querying) < self.world.querying_ids
    }

    /// Number of agents of each species.
    pub fn counts(&self) -> Vec<u32> {
        self.species.iter().map(|species| species.count).collect()
    }

    /// Index of the species that the agent with this id belongs to.
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

impl World {
    /// Is any axis of the grid folded, so that several cells along it share an entry of the table?
    pub fn folds(&self) -> bool {
        self.cells_beyond != [0.0; 3]
    }

    /// Are there enough agents to put more into one cell than it shows (`world.crowd`)?
    pub fn crowds(&self) -> bool {
        self.agent_count > self.crowd
    }

    /// Index of the first cell for agents that are away or frozen. Before it come the [`World::cell_count`] cells of the grid and the
    /// cells for agents that are set aside from crowded cells.
    pub fn first_absent_cell(&self) -> u32 {
        self.cell_count + if self.crowds() { self.agent_count.div_ceil(IDS_ASIDE) } else { 0 }
    }

    /// Index of the last cell, which holds agents with invalid ids. Queries visit only cells of the grid.
    pub fn last_cell(&self) -> u32 {
        self.first_absent_cell() + self.agent_count.div_ceil(IDS_ASIDE)
    }
}

fn world(scene: &Scene, grid: GridChoice, field: &FieldGrid) -> World {
    let size = scene.world.size;
    let half_size = size * 0.5;
    let radius = radius_within(scene, scene.perception_radius());
    let Cells { across, table, beyond } = choose_cells(scene, grid);
    let axes = Vec3::from_array(across.map(|c| c as f32));
    let flat = if scene.world.spatial { Vec3::ONE } else { Vec3::new(1.0, 1.0, 0.0) };
    let contained = (0..3).filter(|&axis| scene.world.boundary[axis] == Boundary::Contain);
    let narrowest = contained.map(|axis| half_size[axis]).fold(f32::MAX, f32::min);
    let mut field_nodes_per_unit = [0.0; 3];
    for axis in 0..scene.world.axes() {
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
        top_speed: scene
            .species
            .iter()
            .filter(|s| s.count > 0)
            .map(scene::Species::top_speed)
            .fold(f32::MIN_POSITIVE, f32::max),
        contact_reach: contact_reach(scene),
        first_ids: first_ids(scene),
        can_be_away: scene.species.iter().any(scene::Species::can_be_away).into(),
        ..World::zeroed()
    };
    super::ground::laid_on(scene, world)
}

/// How far beyond its own radius a body looks for others that touch it, u: the largest radius of any body, plus the farthest that an agent
/// can have moved since it entered its cell, twice, to allow for pushes too. 0: no species collides.
fn contact_reach(scene: &Scene) -> f32 {
    let colliding = || scene.species.iter().filter(|species| species.collide && species.count > 0);
    let most = |of: fn(&scene::Species) -> f32| colliding().map(of).fold(0.0, f32::max);
    radius_within(scene, most(scene::Species::largest_radius) + 2.0 * most(scene::Species::top_speed) * scene.dt)
}

/// The first id of each species from the second one on, then `u32::MAX`. An agent belongs to the last species that begins at or before
/// its id.
fn first_ids(scene: &Scene) -> [[u32; 4]; 8] {
    let mut ids = [u32::MAX; 32];
    let mut end = 0;
    for (id, species) in ids.iter_mut().zip(&scene.species[..scene.species.len().saturating_sub(1)]) {
        end += species.count;
        *id = end;
    }
    bytemuck::cast(ids)
}

/// Does any behavior, target or transition read the flow field?
fn uses_field(scene: &Scene) -> bool {
    let by_behaviors = scene.registry().any(|spec| spec.reads_field() && scene.uses(spec.name));
    let by_rules = |s: &scene::Species| {
        s.rules.iter().any(|r| matches!(r.when, scene::Condition::FieldAbove | scene::Condition::FieldBelow))
    };
    let by_targets = |s: &scene::Species| s.targets().any(|target| target == scene::Target::Field);
    by_behaviors || scene.species.iter().any(|s| by_rules(s) || by_targets(s))
}
