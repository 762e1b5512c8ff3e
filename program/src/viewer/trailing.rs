//! The trail on the ground under the brush. It is part of the state: a stroke is on the timeline and taken back, but in no file.

use super::ViewerError;
use super::actions::Action;
use super::flowing::Stroke;
use super::format::grouped;
use super::session::Answer;
use super::stage::Stage;
use glam::Vec2;
use std::mem::offset_of;
use steerling::gpu::{GpuError, Simulation};
use steerling::model::{BufferId, GroundCell};
use steerling::scene::Scene;

/// Units that a cell holds at most when a step has faded it.
const MOST: i64 = 0x3fff_ffff;

/// Units of the trail that are laid in cells of the ground, by their index, or taken away where they are negative.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Laid(Vec<(u32, i64)>);

impl Laid {
    /// By a stroke along a line, u, this wide to each side: so many units in the middle of it; or as many taken away.
    pub fn along(line: &[Vec2], radius: f32, units: i64, scene: &Scene, simulation: &Simulation) -> Laid {
        let world = &simulation.model().world;
        let apart = Vec2::new(world.ground_cell_size[0], world.ground_cell_size[1]);
        let first = 0.5 * (apart - scene.world.size.truncate());
        let stroke = Stroke { line, radius: radius.max(apart.max_element()), world: &scene.world };
        let [columns, rows, _] = world.ground_cells;
        let mut laid = Vec::new();
        stroke.touch((first, apart), [columns, rows], |[column, row], share, _| {
            laid.push((row * columns + column, (units as f64 * f64::from(share)).round() as i64));
        });
        Laid(laid)
    }

    /// Lay them. No cell has less than nothing, nor more than it holds: returns what it came to.
    pub fn lay(&self, simulation: &mut Simulation) -> Result<Laid, GpuError> {
        const WIDTH: usize = size_of::<GroundCell>() / 4;
        if self.is_empty() || !simulation.model().has_trail() {
            return Ok(Laid::default());
        }
        let mut words = simulation.words(BufferId::Ground)?;
        let mut done = Vec::new();
        for (cell, units) in &self.0 {
            let Some(trail) = words.get_mut(*cell as usize * WIDTH + offset_of!(GroundCell, trail) / 4) else {
                continue;
            };
            let was = i64::from(*trail);
            let now = (was + units).clamp(0, MOST.max(was));
            if now != was {
                *trail = now as u32;
                done.push((*cell, now - was));
            }
        }
        if !done.is_empty() {
            simulation.write_words(BufferId::Ground, &words);
        }
        Ok(Laid(done))
    }

    /// What takes it back.
    pub fn taken_back(&self) -> Laid {
        Laid(self.0.iter().map(|(cell, units)| (*cell, -units)).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }

    /// How many cells it is about.
    pub fn cells(&self) -> usize {
        self.0.len()
    }
}

impl Stage {
    /// Lay a trail along a line, u, or take away what is there.
    pub fn lay_trail(&mut self, line: &[Vec2], erases: bool) -> Result<(), ViewerError> {
        let (brush, view, size) = (self.eye.brush, self.eye.view, self.picture.size);
        let radius = brush.radius as f32 / view.pixels_per_unit(size);
        let units = if erases { -MOST } else { i64::from(brush.units) };
        let simulation = self.session.simulation();
        let laid = Laid::along(line, radius, units, simulation.scene(), simulation);
        let cells = laid.cells() as u64;
        self.interface.say(match self.session.lay_trail(laid)? {
            Answer::Accepted => format!(
                "Trail {} in {} cells. Undo takes it back ({}); no file keeps it",
                if erases { "erased" } else { "laid" },
                grouped(cells),
                Action::Undo.keys()
            ),
            Answer::Refused(why) => why,
        });
        self.watch.logged = None;
        Ok(())
    }
}
