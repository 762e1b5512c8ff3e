//! A change of the set of agents between two steps: some join a run or are erased from it, and all others go on.

use super::{BUFFERS, BufferId, CompiledScene, ID_BITS, Memory, Per, Snapshot, State, StateError};
use crate::scene::{Boundary, Draft, Scene, SceneError, Setting, Target};
use glam::Vec3;
use std::collections::BTreeMap;

/// Agents that are erased from a run, and agents that join it: see [`Snapshot::recast`]. The others go on as they are. Afterwards ids have
/// no gaps and keep their order, so whatever follows from an id (how bodies differ, random numbers, who leads whom) follows from the new
/// one.
#[derive(Debug, Clone, PartialEq)]
pub struct Recast {
    /// Ids before the recast, ascending.
    erased: Vec<u32>,
    /// Ids after the recast, ascending.
    joined: Vec<u32>,
    joining: Joining,
}

/// The state with which agents join.
#[derive(Debug, Clone, PartialEq)]
enum Joining {
    /// The starting state of their species, at these places, u.
    At(Vec<Vec3>),
    /// The state in which they were erased: their words in each column.
    Back(BTreeMap<BufferId, Vec<u32>>),
}

impl Recast {
    /// Add agents to a species at these places, u, with the ids after its last one. Each has the velocity with which an agent of its id
    /// starts a run. Returns the scene with these agents, too.
    ///
    /// # Errors
    /// More agents than a scene may have, a place that is not finite, or a species whose agents enter one after another.
    pub fn joining(scene: &Scene, species: usize, places: Vec<Vec3>) -> Result<(Scene, Recast), SceneError> {
        let refused = |why: &str| SceneError::whole(&scene.source.origin, why);
        let own = scene.species.get(species).ok_or_else(|| refused("there is no such species"))?;
        if own.enters > 0.0 {
            return Err(refused("agents of this species enter one after another, so none can be put at a place"));
        }
        if !places.iter().all(|place| place.is_finite()) {
            return Err(refused("a place is not finite"));
        }
        let first = scene.species_ids(species).unwrap_or_default().end;
        let joined = (0..places.len() as u32).map(|rank| first.saturating_add(rank)).collect();
        let recast = Recast { erased: Vec::new(), joined, joining: Joining::At(places) };
        let scene = scene.edit(|draft| {
            let count = &mut draft.species[species].count;
            *count = count.saturating_add(recast.joined.len() as u32);
            recast.renumber(draft)
        })?;
        Ok((scene, recast))
    }

    /// Erase the agents with these ids, except those of species whose agents enter one after another: the step at which each of these
    /// enters follows from how many come before it. Returns the scene without the erased agents, too.
    ///
    /// # Errors
    /// One of them is the target of a behavior or a rule.
    pub fn erasing(scene: &Scene, ids: impl IntoIterator<Item = u32>) -> Result<(Scene, Recast), SceneError> {
        let goes = |id: &u32| scene.species_of(*id).is_some_and(|species| species.enters == 0.0);
        let mut erased: Vec<u32> = ids.into_iter().filter(goes).collect();
        erased.sort_unstable();
        erased.dedup();
        let recast = Recast { erased, joined: Vec::new(), joining: Joining::At(Vec::new()) };
        let scene = scene.edit(|draft| {
            for (index, species) in draft.species.iter_mut().enumerate() {
                let ids = scene.species_ids(index).unwrap_or_default();
                species.count -= recast.erased.iter().filter(|id| ids.contains(id)).count() as u32;
            }
            recast.renumber(draft)
        })?;
        Ok((scene, recast))
    }

    /// How many are erased, and how many join.
    pub fn counts(&self) -> (usize, usize) {
        (self.erased.len(), self.joined.len())
    }

    /// This recast and then `next`, as one recast; `None` if agents join in either.
    pub fn then(&self, next: &Recast) -> Option<Recast> {
        if !self.joined.is_empty() || !next.joined.is_empty() {
            return None;
        }
        let mut gone = self.erased.iter().peekable();
        let mut before = 0;
        let as_before = |id: &u32| {
            while gone.next_if(|erased| **erased <= *id + before).is_some() {
                before += 1;
            }
            *id + before
        };
        let mut erased: Vec<u32> = next.erased.iter().map(as_before).chain(self.erased.iter().copied()).collect();
        erased.sort_unstable();
        Some(Recast { erased, joined: Vec::new(), joining: Joining::At(Vec::new()) })
    }

    /// Bytes of memory that the recast takes.
    pub fn bytes(&self) -> usize {
        let words = match &self.joining {
            Joining::At(places) => 3 * places.len(),
            Joining::Back(rows) => rows.values().map(Vec::len).sum(),
        };
        4 * (self.erased.len() + self.joined.len() + words)
    }

    /// Give targets that are single agents their new ids; an error if one of these agents is erased.
    fn renumber(&self, draft: &mut Draft) -> Result<(), SceneError> {
        let origin = draft.source.origin.clone();
        let renumbered = |target: &mut Target| {
            let Target::Agent(id) = target else { return Ok(()) };
            if self.erased.binary_search(id).is_ok() {
                return Err(SceneError::whole(&origin, format!("agent {id} is a target, so it cannot be removed")));
            }
            *id = self.new_id(*id);
            Ok(())
        };
        for species in &mut draft.species {
            species.rules.iter_mut().try_for_each(|rule| renumbered(&mut rule.target))?;
            for setting in species.behaviors.iter_mut().flat_map(|behavior| &mut behavior.parameters) {
                if let Setting::Target(target) = setting {
                    renumbered(target)?;
                }
            }
        }
        Ok(())
    }

    /// The new id of an agent that goes on.
    fn new_id(&self, id: u32) -> u32 {
        let mut new = id - self.erased.partition_point(|erased| *erased < id) as u32;
        for joined in &self.joined {
            new += u32::from(*joined <= new);
        }
        new
    }

    /// The words of the joining agents in a column with `width` words for each; zeros if nothing has that column.
    fn rows(&self, column: BufferId, width: usize, start: Option<&Snapshot>) -> Vec<u32> {
        let rows = match &self.joining {
            Joining::Back(rows) => rows.get(&column).cloned(),
            Joining::At(_) => start.and_then(|start| start.column(column)).map(|words| of(&self.joined, words, width)),
        };
        rows.unwrap_or_else(|| vec![0; self.joined.len() * width])
    }
}

/// The words of the agents with these ids in a column.
fn of(ids: &[u32], words: &[u32], width: usize) -> Vec<u32> {
    ids.iter().flat_map(|id| words.chunks_exact(width).nth(*id as usize).unwrap_or_default()).copied().collect()
}

impl Snapshot {
    /// Apply a recast: returns the snapshot with the agents of the scene `after`, at the same step, and the recast that undoes it. `after`
    /// is the scene that came with the recast, and `model` its compiled form.
    ///
    /// # Errors
    /// A recast that was made for another number of agents.
    pub fn recast(
        &self,
        recast: &Recast,
        after: &Scene,
        model: &CompiledScene,
    ) -> Result<(Snapshot, Recast), StateError> {
        let (erased, joined) = recast.counts();
        let (found, expected) = (self.agents() as usize + joined, after.agent_count());
        if found != expected as usize + erased
            || recast.erased.last().is_some_and(|id| *id >= self.agents())
            || recast.joined.last().is_some_and(|id| *id >= expected)
        {
            return Err(StateError::Count { found: found.saturating_sub(erased), expected });
        }
        let start = match &recast.joining {
            Joining::At(places) if !places.is_empty() => Some(recast.start(places, after, model)),
            _ => None,
        };
        let (mut back, mut columns) = (BTreeMap::new(), Vec::new());
        for (column, words) in self.columns() {
            let buffer = &BUFFERS[column as usize];
            let by_agent = matches!(buffer.per, Per::StorageSlot | Per::SortedIndex | Per::SortedIndexAndOne | Per::Id);
            if !by_agent {
                columns.push((column.to_string(), words.to_vec()));
                continue;
            }
            let width = buffer.whole_width(model);
            let (agents, rest) = words.split_at((self.agents() as usize * width).min(words.len()));
            back.insert(column, of(&recast.erased, agents, width));
            let rows = recast.rows(column, width, start.as_ref());
            let (mut erased, mut joined) =
                (recast.erased.iter().peekable(), recast.joined.iter().zip(rows.chunks_exact(width)).peekable());
            let mut new = Vec::with_capacity(expected as usize * width + rest.len());
            for (id, own) in (0..).zip(agents.chunks_exact(width)) {
                while let Some((_, row)) = joined.next_if(|(id, _)| **id as usize * width == new.len()) {
                    new.extend_from_slice(row);
                }
                if erased.next_if_eq(&&id).is_none() {
                    new.extend_from_slice(own);
                }
            }
            joined.for_each(|(_, row)| new.extend_from_slice(row));
            if column == BufferId::Memory {
                // An agent that comes back may have been erased at a later step than the snapshot's.
                let clock = self.column(BufferId::Clock).and_then(|words| words.first().copied()).unwrap_or(0);
                let memories = bytemuck::cast_slice_mut::<u32, Memory>(&mut new);
                memories.iter_mut().for_each(|memory| memory.since = memory.since.min(clock));
            }
            if column == BufferId::Id {
                (0..).zip(&mut new).for_each(|(id, word)| *word = *word & !ID_BITS | id);
            }
            new.extend_from_slice(rest);
            columns.push((column.to_string(), new));
        }
        let back =
            Recast { erased: recast.joined.clone(), joined: recast.erased.clone(), joining: Joining::Back(back) };
        Ok((Snapshot::from_columns(self.steps, expected, self.spatial(), columns)?, back))
    }
}

impl Recast {
    /// The start of the scene, with the joining agents at their places. Places in walls are moved, and so are places outside of the world,
    /// except along open axes.
    fn start(&self, places: &[Vec3], scene: &Scene, model: &CompiledScene) -> Snapshot {
        let mut state = State::initial(scene);
        let half = scene.world.size * 0.5;
        for (id, place) in self.joined.iter().zip(places) {
            let within = |axis: usize| match scene.world.boundary[axis] {
                Boundary::Contain => place[axis].clamp(-half[axis], half[axis]),
                _ => place[axis],
            };
            state.positions[*id as usize] = [0, 1, 2].map(within);
        }
        state.confine(scene);
        model.walls.iter().for_each(|walls| _ = state.leave_walls(walls, scene));
        Snapshot::start(model, &state)
    }
}
