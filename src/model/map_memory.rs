//! The memory that a map takes.

use super::ways::Ways;
use crate::scene::{Scene, SceneError};
use serde::Serialize;
use std::fmt;

/// The memory that the walls of a map and the ways to its goals take while agents read them. Computing them takes more: see docs/walls.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MapMemory {
    /// Cells along x and y.
    pub cells: [u32; 2],
    /// Goals that ways are computed to: all goals of the map if agents follow, leave by or start at any of them, else 0.
    pub goals: u32,
    /// Memory of the walls, bytes; 0 if the map has none.
    pub walls_bytes: u64,
    /// Memory of the ways, bytes.
    pub ways_bytes: u64,
}

impl MapMemory {
    /// The memory of a scene's map, without computing the ways; `None` if the scene has no map. A software driver holds the ways twice, in
    /// its buffers and in its textures. Where ways heed crowds, or are awaited, the next ones lie beside the latest, and on the host also
    /// those over empty ground.
    ///
    /// # Errors
    /// A goal with a place that has no open cell.
    pub fn of(scene: &Scene, software: bool) -> Result<Option<MapMemory>, SceneError> {
        let Some(map) = &scene.map else { return Ok(None) };
        let walls = map.walls(&scene.world, scene.seed);
        let ways = Ways::of(scene, Some(&walls))?;
        let goals = ways.as_ref().map_or(0, |ways| ways.goals.len() as u32);
        let change = map.renew_steps > 1 || ways.is_some_and(|ways| ways.crowding.is_some());
        let cells = [walls.columns, walls.rows];
        let [columns, rows] = cells.map(u64::from);
        let walls_bytes = if walls.solid.contains(&true) { 4 * (columns + 2) * (rows + 2) } else { 0 };
        let each = match (software, change) {
            (false, false) => 8,
            (true, false) | (false, true) => 16,
            (true, true) => 40,
        };
        let ways_bytes = each * columns * rows * u64::from(goals);
        Ok(Some(MapMemory { cells, goals, walls_bytes, ways_bytes }))
    }
}

impl fmt::Display for MapMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let ([columns, rows], walls, goals) = (self.cells, mib(self.walls_bytes), self.goals);
        write!(f, "{columns} x {rows} cells, {walls:.1} MiB of walls")?;
        let goal = if goals == 1 { "goal" } else { "goals" };
        if goals > 0 { write!(f, " and {:.1} MiB of ways to {goals} {goal}", mib(self.ways_bytes)) } else { Ok(()) }
    }
}
