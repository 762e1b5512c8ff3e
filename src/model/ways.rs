//! Ways to the goals of a map: the inputs of their computation, and the layout of the texture that agents read.

pub(crate) mod crowding;
#[cfg(test)]
pub(crate) mod drawn;
mod host;

use super::texels::TEXELS_PER_ROW;
use super::updated::Updated;
pub use crate::constants::{CELL, NO_WAY, SEVERAL_PLACES};
use crate::lock::lock;
pub use crate::scene::Measure;
use crate::scene::{Map, MapGoal, Scene, SceneError, Walls};
use crowding::Crowding;
use glam::Vec3;
use host::Computed;
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// The cost of light ground: see [`Walls::costs`].
pub const LIGHT: u8 = 16;
/// The most straight moves, and the most diagonal ones, of a way by [`Measure::Grid`].
pub const MOST_MOVES: u32 = 32767;

/// The inputs from which either backend computes the ways to all goals, and, on the host, the computed ways.
#[derive(Debug)]
pub struct Ways {
    /// Where there are walls.
    pub walls: Arc<Walls>,
    /// How the length of a way is measured.
    pub measure: Measure,
    /// The cells of each goal, from which its front spreads. All of them are open.
    pub goals: Vec<Vec<u32>>,
    /// How much crowds cost; `None` if ways do not heed crowds.
    pub(crate) crowding: Option<Crowding>,
    /// The number of agents over each cell that the costs are raised for; empty without `crowding`.
    pub(crate) counts: Vec<u32>,
    /// The same ways with all counts 0; `None` if these are they.
    empty: Option<Arc<Ways>>,
    costs: OnceLock<Vec<u8>>,
    computed: Updated<Computed, Ways>,
}

impl Ways {
    /// Ways to these goals: `goals` has the cells of each, which must be open cells of the map.
    pub fn new(walls: Arc<Walls>, measure: Measure, goals: Vec<Vec<u32>>) -> Ways {
        let (costs, computed) = Default::default();
        Ways { walls, measure, goals, crowding: None, counts: Vec::new(), empty: None, costs, computed }
    }

    /// When these ways are asked for, update those of `before` instead of computing from nothing. Only what the difference reaches is
    /// computed, and the words are the same. No effect unless the host has computed `before` and both differ at most in walls and costs.
    pub fn update_from(&self, before: &Arc<Ways>) {
        if self.same_but_costs(before) && before.computed.known().is_some() {
            self.computed.update_from(before);
        }
    }

    /// True if both differ at most in `counts`.
    pub(crate) fn same_but_counts(&self, other: &Ways) -> bool {
        let walls_agree = Arc::ptr_eq(&self.walls, &other.walls) || self.walls == other.walls;
        walls_agree && self.same_but_costs(other) && self.crowding == other.crowding
    }

    /// Ways to the same goals with these cell costs.
    pub(crate) fn with_costs(&self, costs: &[u8]) -> Ways {
        let ways = Ways::new(Arc::clone(&self.walls), self.measure, self.goals.clone());
        Ways { costs: costs.to_vec().into(), ..ways }
    }

    /// True if both differ at most in walls and costs: they lead to the same cells of maps of the same size, by the same measure.
    pub(crate) fn same_but_costs(&self, before: &Ways) -> bool {
        let key = |ways: &Ways| (ways.walls.columns, ways.walls.rows, ways.walls.cell.to_bits(), ways.measure);
        key(self) == key(before) && self.goals == before.goals
    }

    /// The ways for `counts` agents over the cells; `None` if these are the counts already, or if they are of a map of another size.
    pub(crate) fn with_counts(self: &Arc<Ways>, counts: &[u32]) -> Option<Arc<Ways>> {
        if counts.len() != self.counts.len() || counts == self.counts {
            return None;
        }
        let empty = self.empty.as_ref().unwrap_or(self);
        if counts.iter().all(|count| *count == 0) {
            return Some(Arc::clone(empty));
        }
        let ways = Ways::new(Arc::clone(&self.walls), self.measure, self.goals.clone());
        let (counts, empty) = (counts.to_vec(), Some(Arc::clone(empty)));
        let ways = Arc::new(Ways { crowding: self.crowding, counts, empty, ..ways });
        ways.update_from(self);
        Some(ways)
    }

    /// The ways of a scene; `None` unless a target is a goal of its map, or agents leave or start at one. The latest result is shared as
    /// long as it is alive, because a model and every row of the observable `way` ask for it.
    ///
    /// # Errors
    /// A goal with a place without open cells; the error names the nearest open place.
    pub(crate) fn of(scene: &Scene, walls: Option<&Arc<Walls>>) -> Result<Option<Arc<Ways>>, SceneError> {
        static LATEST: Mutex<Weak<Ways>> = Mutex::new(Weak::new());
        let (Some(map), Some(walls)) = (&scene.map, walls) else { return Ok(None) };
        let heads = |species: &crate::scene::Species| species.goal().is_some();
        let needs = |species: &crate::scene::Species| heads(species) || species.leaves.or(species.spawn.goal).is_some();
        if !scene.species.iter().any(|species| species.count > 0 && needs(species)) {
            return Ok(None);
        }
        let goals =
            (0..map.goals.len()).map(|goal| require_cells(scene, map, walls, goal)).collect::<Result<Vec<_>, _>>()?;
        // Crowds matter to agents that follow a way, where its length is a time.
        let crowding = Crowding::of(map).filter(|_| {
            map.distance == Measure::Time && scene.species.iter().any(|species| species.count > 0 && heads(species))
        });
        let mut latest = lock(&LATEST);
        let known = latest.upgrade().filter(|ways| {
            Arc::ptr_eq(&ways.walls, walls)
                && (&ways.goals, ways.crowding, ways.measure) == (&goals, crowding, map.distance)
        });
        let counts = if crowding.is_some() { vec![0; walls.solid.len()] } else { Vec::new() };
        let make = || Ways { crowding, counts, ..Ways::new(Arc::clone(walls), map.distance, goals) };
        let ways = known.unwrap_or_else(|| Arc::new(make()));
        *latest = Arc::downgrade(&ways);
        Ok(Some(ways))
    }

    /// Cells of the map.
    pub fn cells(&self) -> u32 {
        self.walls.columns * self.walls.rows
    }

    /// The cost of each cell, in the unit of [`Walls::costs`], raised for the agents in `counts`; 0 for a wall. By [`Measure::Grid`] all
    /// open cells cost the same.
    pub(crate) fn costs(&self) -> &[u8] {
        let slow = if self.measure == Measure::Time { &self.walls.costs[..] } else { &[] };
        let cost = |(cell, solid): (usize, &bool)| match solid {
            true => 0,
            false => slow.get(cell).copied().unwrap_or(LIGHT),
        };
        self.costs.get_or_init(|| {
            let mut costs: Vec<u8> = self.walls.solid.iter().enumerate().map(cost).collect();
            if let Some(crowding) = &self.crowding {
                crowding.raise(&self.walls, &self.counts, &mut costs);
            }
            costs
        })
    }

    /// The texture rows that one goal takes. A goal begins in a row of its own, and a texel holds two cells.
    pub fn rows_per_goal(&self) -> u32 {
        self.cells().div_ceil(2 * TEXELS_PER_ROW)
    }

    /// The number of texels of all goals.
    pub fn texels(&self) -> u64 {
        u64::from(self.rows_per_goal()) * u64::from(TEXELS_PER_ROW) * self.goals.len() as u64
    }

    /// Index of the first of the two words of a goal and a cell in the list of all words. The first word is the direction to go: two signed
    /// 16-bit halves, x in the lower one, scaled so that the longer component is 32767. The second is the length of the way.
    pub fn words(&self, goal: u32, cell: u32) -> usize {
        2 * (goal as usize * self.cells() as usize + cell as usize)
    }
}

/// Costs of cells, four to a word.
pub(crate) fn packed(costs: &[u8]) -> Vec<u32> {
    let mut costs = costs.to_vec();
    costs.resize(costs.len().next_multiple_of(4), 0);
    bytemuck::pod_collect_to_vec(&costs)
}

/// New ways that agents do not follow yet: the delay leaves time to compute them.
#[derive(Debug, Clone)]
pub(crate) struct Awaited {
    pub ways: Arc<Ways>,
    /// The number of steps since the start after which agents follow them.
    pub due: u64,
}

/// The open cells of a goal, ascending: those that its places lie in, and those whose middle is within its radius of one of its places.
pub(super) fn cells_of(goal: &MapGoal, walls: &Walls) -> Vec<u32> {
    joined(goal.places().map(|place| cells_at(place, goal.radius, walls)).collect())
}

fn joined(cells: Vec<Vec<u32>>) -> Vec<u32> {
    let mut cells = cells.concat();
    cells.sort_unstable();
    cells.dedup();
    cells
}

fn cells_at(place: Vec3, radius: f32, walls: &Walls) -> Vec<u32> {
    let place = place.with_z(0.0);
    let (column, row) = walls.cell_of(place);
    let open = |column: i32, row: i32| walls.index(column, row).filter(|index| !walls.solid[*index]);
    let far = (radius / walls.cell).min(1e5).ceil() as i32;
    let near =
        |at: i32, far: i32, count: u32| at.saturating_sub(far).max(0)..=(at.saturating_add(far)).min(count as i32 - 1);
    let mut cells: Vec<u32> = open(column, row).map(|index| index as u32).into_iter().collect();
    for y in near(row, far, walls.rows) {
        let within = |x: &i32| walls.center(*x, y).distance_squared(place) <= radius * radius;
        cells.extend(near(column, far, walls.columns).filter(within).filter_map(|x| open(x, y)).map(|i| i as u32));
    }
    cells
}

/// As [`cells_of`], but an error if one of the goal's places has no open cell.
fn require_cells(scene: &Scene, map: &Map, walls: &Walls, index: usize) -> Result<Vec<u32>, SceneError> {
    let goal = &map.goals[index];
    let cells: Vec<Vec<u32>> = goal.places().map(|place| cells_at(place, goal.radius, walls)).collect();
    if let Some((nth, (place, _))) = goal.places().zip(&cells).enumerate().find(|(_, (_, cells))| cells.is_empty()) {
        let (column, row) = walls.cell_of(place);
        let message = match walls.index(column, row).is_none() {
            true => "this goal lies outside of the map",
            false => "there is no open ground at this goal, only walls",
        };
        let key = if nth == 0 { "place" } else { "also" };
        let error = scene.fault_at(format!("map.goals.{index}.{key}"), format!("[{}, {}]", place.x, place.y), message);
        let nearest = nearest_open(walls, place).map(|at| format!("the nearest open cell is at [{}, {}]", at.x, at.y));
        return Err(error.hint(nearest.unwrap_or_else(|| "the map has no open cell at all".to_owned())));
    }
    Ok(joined(cells))
}

fn nearest_open(walls: &Walls, place: Vec3) -> Option<Vec3> {
    let open = (0..walls.solid.len()).filter(|index| !walls.solid[*index]);
    let center =
        |index: usize| walls.center((index % walls.columns as usize) as i32, (index / walls.columns as usize) as i32);
    open.map(center).min_by(|a, b| a.distance_squared(place).total_cmp(&b.distance_squared(place)))
}
