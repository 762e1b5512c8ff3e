//! The whole state of a simulation, so that it can be stopped, moved to another backend, and go on to the bit.

use super::away::{NO_EXIT, entry_step};
use super::buffers::{BUFFERS, Buffer, BufferId, Life, Per};
use super::ground;
use super::{AWAY, CompiledScene, FROZEN, GroundCell, ID_BITS, Memory, State, StateError, starting_poses};
use crate::scene::{Scene, Walls};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Visits of a cell of the ground are counted up to here.
const MOST_VISITS: u32 = 0x3fff_ffff;
/// Units of a cell's trail after spreading.
const MOST_SPREAD: u32 = 0x7fff_ffff;

/// The state of a simulation between two steps: the words of each buffer that is kept from step to step.
///
/// Agents lie in the order of their ids, so the same snapshot fits both backends, whatever order they keep agents in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Steps since the start.
    pub steps: u64,
    agents: u32,
    spatial: bool,
    columns: BTreeMap<BufferId, Vec<u32>>,
}

/// What a live change had to replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// New numbers in the same buffers.
    Numbers,
    /// New pipelines, on a GPU; the state stays in place.
    Pipelines,
    /// The state was adapted to the new scene: agents remember more than before, or the world or its walls are others.
    State,
    /// The agents are others: the run starts anew.
    Restart,
}

/// The words of vectors as buffers hold them: the first `components` of each vector.
pub(crate) fn vector_words(vectors: &[[f32; 3]], components: usize) -> Vec<u32> {
    let mut words = Vec::with_capacity(vectors.len() * components);
    words.extend(vectors.iter().flat_map(|vector| vector[..components].iter().map(|x| x.to_bits())));
    words
}

impl Snapshot {
    /// The snapshot from which a scene starts with this state. The state must fit the scene ([`State::check`]).
    pub(crate) fn start(model: &CompiledScene, state: &State) -> Snapshot {
        let components = model.components();
        // A state does not say why an agent is frozen. Whoever enters later is away; in a species whose agents leave, the others have left.
        let id = |(id, frozen): (usize, &bool)| {
            let id = id as u32;
            let own = &model.species[model.species_of(id)];
            match *frozen {
                _ if entry_step(id - own.first_id, own.entry_interval) > 0 => id | FROZEN | AWAY,
                true if own.exit != NO_EXIT => id | FROZEN | AWAY,
                true => id | FROZEN,
                false => id,
            }
        };
        let mut columns = BTreeMap::from([
            (BufferId::Position, vector_words(&state.positions, components)),
            (BufferId::Velocity, vector_words(&state.velocities, components)),
            (BufferId::Id, state.frozen.iter().enumerate().map(id).collect()),
        ]);
        if model.vehicles.pose {
            columns.insert(BufferId::Pose, words(&starting_poses(state, model.world.seed, model.spatial)));
        }
        let agents = model.world.agent_count;
        Snapshot { steps: 0, agents, spatial: model.spatial, columns }.completed(model)
    }

    /// A snapshot of the contents of kept buffers, as the shaders lay them out. The buffer `id` must be among them.
    pub(crate) fn from_storage(
        model: &CompiledScene,
        steps: u64,
        mut columns: BTreeMap<BufferId, Vec<u32>>,
    ) -> Snapshot {
        if model.memory_size() == 0 {
            columns.remove(&BufferId::Memory);
        }
        if let Some(memory) = columns.get_mut(&BufferId::Memory) {
            *memory = words(&model.memories(memory));
        }
        let ids = columns[&BufferId::Id].clone();
        for buffer in BUFFERS {
            if let Some(words) = columns.get_mut(&buffer.id)
                && matches!(buffer.per, Per::StorageSlot | Per::SortedIndex | Per::SortedIndexAndOne)
            {
                *words = Buffer::by_id(std::mem::take(words), buffer.width(model), &ids);
            }
        }
        Snapshot { steps, agents: model.world.agent_count, spatial: model.spatial, columns }
    }

    /// Add the columns that the device lacks: those that the ways to goals follow from, and a ground that no pass binds.
    pub(crate) fn with_host_columns(mut self, model: &CompiledScene) -> Snapshot {
        if model.has_ground {
            self.columns.entry(BufferId::Ground).or_insert_with(|| words(&model.ground));
        }
        let columns =
            [(BufferId::CrowdCounts, model.crowd_counts().to_vec()), (BufferId::WayCosts, model.way_costs(self.steps))];
        self.columns.extend(columns.into_iter().filter(|(_, words)| !words.is_empty()));
        self
    }

    /// Replace the column of way costs with these words of [`CompiledScene::way_costs`].
    pub(crate) fn with_way_costs(mut self, words: Vec<u32>) -> Snapshot {
        if words.is_empty() {
            self.columns.remove(&BufferId::WayCosts);
        } else {
            self.columns.insert(BufferId::WayCosts, words);
        }
        self
    }

    /// A snapshot of columns that were stored, in a file for example.
    ///
    /// # Errors
    /// A name that is not the name of a kept buffer.
    pub fn from_columns(
        steps: u64,
        agents: u32,
        spatial: bool,
        columns: impl IntoIterator<Item = (String, Vec<u32>)>,
    ) -> Result<Snapshot, StateError> {
        let known = |(name, words): (String, Vec<u32>)| {
            let buffer = BufferId::named(&name).filter(|buffer| buffer.row().life == Life::Kept);
            buffer.map(|known| (known, words)).ok_or(StateError::Column { name, reason: "is not known".into() })
        };
        let columns = columns.into_iter().map(known).collect::<Result<_, _>>()?;
        Ok(Snapshot { steps, agents, spatial, columns })
    }

    /// Number of agents.
    pub fn agents(&self) -> u32 {
        self.agents
    }

    /// Has the world three dimensions?
    pub fn spatial(&self) -> bool {
        self.spatial
    }

    /// Its columns: the buffers that are kept, and their words. Columns of agents are in the order of ids.
    pub fn columns(&self) -> impl Iterator<Item = (BufferId, &[u32])> {
        self.columns.iter().map(|(column, words)| (*column, &words[..]))
    }

    /// The words of a kept buffer as the shaders of a model lay them out.
    pub(crate) fn stored(&self, column: BufferId, model: &CompiledScene) -> Option<Cow<'_, [u32]>> {
        match column {
            BufferId::Memory if self.columns.contains_key(&column) => Some(model.memory_words(&self.memories()).into()),
            _ => self.column(column).map(Cow::Borrowed),
        }
    }

    /// The words of a kept buffer, where the simulation has it.
    pub fn column(&self, buffer: BufferId) -> Option<&[u32]> {
        self.columns.get(&buffer).map(Vec::as_slice)
    }

    /// Positions, velocities and poses of all agents.
    pub fn state(&self) -> State {
        let components = if self.spatial { 3 } else { 2 };
        let vectors = |column| -> Vec<[f32; 3]> {
            let words = self.column(column).unwrap_or_default().chunks_exact(components);
            words.map(|v| [0, 1, 2].map(|axis| v.get(axis).map_or(0.0, |word| f32::from_bits(*word)))).collect()
        };
        State {
            positions: vectors(BufferId::Position),
            velocities: vectors(BufferId::Velocity),
            frozen: self.column(BufferId::Id).unwrap_or_default().iter().map(|id| id & FROZEN != 0).collect(),
            poses: self.items(BufferId::Pose),
        }
    }

    /// The action state of each agent, in the order of ids; empty where no species has several.
    pub fn action_states(&self) -> Vec<u32> {
        self.memories().iter().map(|memory| memory.state).collect()
    }

    /// Can a simulation of this model go on from here?
    ///
    /// # Errors
    /// Another number of agents or dimensions, or a column that is missing, has the wrong length, or holds a value that no run comes to.
    pub fn check(&self, model: &CompiledScene) -> Result<(), StateError> {
        let agents = model.world.agent_count;
        if self.agents != agents {
            return Err(StateError::Count { found: self.agents as usize, expected: agents });
        }
        let fail = |column: BufferId, reason: &str| {
            Err(StateError::Column { name: column.to_string(), reason: reason.into() })
        };
        if self.steps > u64::MAX / 2 {
            return Err(StateError::Column { name: "steps".into(), reason: "is a step that no run can reach".into() });
        }
        if self.spatial != model.spatial {
            return fail(BufferId::Position, "has another number of dimensions than the world");
        }
        for column in [BufferId::Position, BufferId::Velocity, BufferId::Id] {
            if self.column(column).is_none() {
                return fail(column, "is missing");
            }
        }
        for buffer in BUFFERS.iter().filter(|buffer| buffer.life == Life::Kept) {
            let Some(words) = self.column(buffer.id) else { continue };
            if words.len() as u64 != buffer.whole_width(model) as u64 * buffer.count(model, 1) {
                return fail(buffer.id, "does not have the length that the scene needs");
            }
        }
        // An agent that is away is frozen too.
        let in_order = |(id, word): (usize, &u32)| *word & ID_BITS == id as u32 && *word & (FROZEN | AWAY) != AWAY;
        if !self.columns[&BufferId::Id].iter().enumerate().all(in_order) {
            return fail(BufferId::Id, "is not in the order of ids, or has an agent that is away and not frozen");
        }
        let clock = self.column(BufferId::Clock).map_or(0, |words| words[0]);
        if clock > u32::MAX / 2 {
            return fail(BufferId::Clock, "has a step that no run can reach");
        }
        for memory in self.memories() {
            if memory.state >= 32 {
                return fail(BufferId::Memory, "has an action state that does not exist");
            }
            if memory.since > clock || memory.load > u32::MAX / 2 {
                return fail(
                    BufferId::Memory,
                    "has an action state that begins in the future, or a load that no agent can carry",
                );
            }
        }
        let overfull =
            |cell: &GroundCell| cell.stock > cell.capacity || cell.visits > MOST_VISITS || cell.trail > MOST_SPREAD;
        if self.ground().iter().any(overfull) {
            return fail(BufferId::Ground, "has a cell with more than it can hold");
        }
        Ok(())
    }

    fn ground(&self) -> Vec<GroundCell> {
        self.items(BufferId::Ground)
    }

    fn memories(&self) -> Vec<Memory> {
        self.items(BufferId::Memory)
    }

    /// The items of a column, one for each agent or cell. If a stored column ends within its last item, that item is left out.
    fn items<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(&self, column: BufferId) -> Vec<T> {
        let items = self.column(column).unwrap_or_default().chunks_exact(size_of::<T>() / 4);
        items.map(|words| bytemuck::pod_read_unaligned(bytemuck::cast_slice(words))).collect()
    }

    /// Add the columns that the model needs and the snapshot lacks, and drop poses, memories, ground and columns of ways that the model
    /// does not keep.
    pub(crate) fn completed(mut self, model: &CompiledScene) -> Snapshot {
        if !model.vehicles.pose {
            self.columns.remove(&BufferId::Pose);
        } else if !self.columns.contains_key(&BufferId::Pose) {
            self.columns.insert(BufferId::Pose, words(&starting_poses(&self.state(), model.world.seed, model.spatial)));
        }
        let memories = model.memories(&model.memory_words(&self.memories()));
        self.columns.remove(&BufferId::Memory);
        if !memories.is_empty() {
            self.columns.insert(BufferId::Memory, words(&memories));
        }
        if model.has_ground {
            self.columns.entry(BufferId::Ground).or_insert_with(|| words(&model.ground));
        } else {
            self.columns.remove(&BufferId::Ground);
        }
        for column in [BufferId::CrowdCounts, BufferId::WayCosts] {
            let count = column.row().count(model, 1) as usize;
            if count == 0 {
                self.columns.remove(&column);
            } else {
                self.columns.entry(column).or_insert_with(|| vec![0; count]);
            }
        }
        self
    }

    /// Adapt the snapshot to another scene with the same agents: not for [`Change::Restart`].
    pub(crate) fn adapted(mut self, before: &CompiledScene, after: &CompiledScene, scene: &Scene) -> Snapshot {
        let mut state = self.state();
        state.confine(scene);
        if let Some(walls) = new_walls(before, after) {
            state.leave_walls(walls, scene);
            let grid =
                |model: &CompiledScene| model.walls.as_ref().map(|walls| (walls.columns, walls.rows, walls.cell));
            if grid(before) != grid(after) {
                self.columns.remove(&BufferId::CrowdCounts);
            }
        }
        // A scene's starting trail is only for the start of a run: a run that goes on keeps its own trail.
        if !ground::alike(&before.ground, &after.ground) {
            let trail = self.ground().into_iter().map(|cell| cell.trail);
            let fresh = after.ground.iter().copied();
            let with_trail: Vec<_> = fresh.zip(trail).map(|(cell, trail)| GroundCell { trail, ..cell }).collect();
            self.columns.remove(&BufferId::Ground);
            if before.world.ground_cells == after.world.ground_cells && !with_trail.is_empty() {
                self.columns.insert(BufferId::Ground, words(&with_trail));
            }
        }
        let components = after.components();
        let flat = state.positions.iter().flat_map(|v| v[..components].iter().map(|x| x.to_bits()));
        self.columns.insert(BufferId::Position, flat.collect());
        let mut poses = std::mem::take(&mut state.poses);
        // Agents that kept no pose go on in the direction of their velocity.
        let fresh = starting_poses(&state, after.world.seed, after.spatial);
        let mut memories = self.memories();
        if before.own != after.own {
            memories.iter_mut().for_each(|memory| memory.behaviors.own = Default::default());
        }
        for ((old, new), species) in before.species.iter().zip(&after.species).zip(&scene.species) {
            let ids = new.first_id as usize..(new.first_id + new.count) as usize;
            if old.vehicle.keeps_pose == 0 && !poses.is_empty() {
                poses[ids.clone()].copy_from_slice(&fresh[ids.clone()]);
            }
            for memory in memories.get_mut(ids).unwrap_or_default() {
                if memory.state as usize >= species.states.len().max(1) {
                    memory.state = 0;
                }
            }
        }
        if !poses.is_empty() {
            self.columns.insert(BufferId::Pose, words(&poses));
        }
        if !memories.is_empty() {
            self.columns.insert(BufferId::Memory, words(&memories));
        }
        if before.scenery.line_count != after.scenery.line_count {
            // It is not known which lines are the same as before, so all counts start again.
            self.columns.remove(&BufferId::Crossed);
        }
        self.completed(after)
    }
}

/// The walls, if they differ from those before: then agents that are inside a wall are put beside it.
fn new_walls<'a>(before: &CompiledScene, after: &'a CompiledScene) -> Option<&'a Walls> {
    let is_known =
        |walls: &&Arc<Walls>| before.walls.as_ref().is_some_and(|old| Arc::ptr_eq(old, walls) || old == *walls);
    after.walls.as_ref().filter(|walls| !is_known(walls)).map(|walls| &**walls)
}

fn words<T: bytemuck::NoUninit>(items: &[T]) -> Vec<u32> {
    bytemuck::cast_slice(items).to_vec()
}

impl Change {
    /// What has to change for a state to go on in another scene.
    pub(crate) fn between(before: &CompiledScene, after: &CompiledScene, old: &Scene, new: &Scene) -> Change {
        let ids = |model: &CompiledScene| {
            let ids = model.species.iter().map(|s| (s.first_id, s.count, s.entry_interval.to_bits()));
            (ids.collect::<Vec<_>>(), model.world.can_be_away)
        };
        if before.spatial != after.spatial || ids(before) != ids(after) {
            return Change::Restart;
        }
        let poses = |model: &CompiledScene| model.species.iter().map(|s| s.vehicle.keeps_pose).collect::<Vec<_>>();
        let fewer_states =
            |(old, new): (&crate::scene::Species, &crate::scene::Species)| new.states.len() < old.states.len();
        let remembering = |model: &CompiledScene| (model.remembered(), model.own.clone());
        let adapts = before.world.size != after.world.size
            || new_walls(before, after).is_some()
            || remembering(before) != remembering(after)
            || before.boundary != after.boundary
            || before.has_ground != after.has_ground
            || !ground::alike(&before.ground, &after.ground)
            || before.vehicles.pose != after.vehicles.pose
            || before.scenery.line_count != after.scenery.line_count
            || poses(before) != poses(after)
            || old.species.iter().zip(&new.species).any(fewer_states);
        if adapts { Change::State } else { Change::Numbers }
    }
}
