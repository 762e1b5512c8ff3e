//! The trail on the ground, painted with the brush. A stroke changes the state, as a part of the record, and also the trail that the scene
//! begins with, so that a restart and a file have it from the start.

use super::ViewerError;
use super::flowing::Stroke;
use super::format::grouped;
use super::session::Answer;
use super::stage::Stage;
use glam::Vec2;
use std::mem::offset_of;
use steerling::gpu::{GpuError, Simulation};
use steerling::model::{BufferId, GroundCell};
use steerling::scene::{Draft, MOST_TRAIL, Scene, SceneError, TrailFile};

/// A change of the trail: for cells of the ground, by index, the units that are added; negative: taken away.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Laid(Vec<(u32, i64)>);

impl Laid {
    /// The change that a stroke along a line makes, u. It adds `units` in its middle, fewer toward `radius`; negative
    /// `units` are taken away.
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

    /// Apply the change to the state, with each cell clamped to 0 and its maximum. Returns the change that was really made.
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
            let was = *trail;
            *trail = after(was, *units);
            if *trail != was {
                done.push((*cell, i64::from(*trail) - i64::from(was)));
            }
        }
        if !done.is_empty() {
            simulation.write_words(BufferId::Ground, &words);
        }
        Ok(Laid(done))
    }

    /// The change from the trail that one scene begins with to that of another; empty if their numbers of cells differ.
    pub fn between(from: &Draft, to: &Draft) -> Laid {
        let units = |draft: &Draft, cells: usize| match started(draft) {
            Some(trail) => trail.units().to_vec(),
            None => vec![0; cells],
        };
        let cells = started(from).or(started(to)).map_or(0, |trail| trail.units().len());
        let (was, now) = (units(from, cells), units(to, cells));
        if was.len() != now.len() {
            return Laid::default();
        }
        let change = |(was, now): (&u32, &u32)| i64::from(*now) - i64::from(*was);
        let changes = was.iter().zip(&now).map(change).enumerate();
        Laid(changes.filter(|(_, units)| *units != 0).map(|(cell, units)| (cell as u32, units)).collect())
    }

    /// The trail that a scene begins with, after this change. It is not written to a file yet.
    ///
    /// # Errors
    /// The ground's cells do not match the scene's trail.
    pub fn begun(&self, scene: &Scene, simulation: &Simulation) -> Result<TrailFile, SceneError> {
        let cells = simulation.model().world.ground_cells;
        let mut units = match started(scene) {
            Some(trail) => trail.units().to_vec(),
            None => vec![0; cells.iter().product::<u32>() as usize],
        };
        for (cell, laid) in &self.0 {
            if let Some(units) = units.get_mut(*cell as usize) {
                *units = after(*units, *laid);
            }
        }
        TrailFile::new("", cells, units)
    }

    /// What fading leaves of the change after some steps of a scene. It does not follow what spreads to other cells.
    pub fn faded(&self, steps: u64, scene: &Draft) -> Laid {
        let half_life = scene.ground.as_ref().map_or(0.0, |ground| ground.trail_half_life);
        let halvings = if half_life > 0.0 { steps as f64 * f64::from(scene.dt) / f64::from(half_life) } else { 0.0 };
        let left = self.0.iter().map(|(cell, units)| (*cell, (*units as f64 * (-halvings).exp2()).round() as i64));
        Laid(left.filter(|(_, units)| *units != 0).collect())
    }

    /// The change that undoes this one.
    pub fn taken_back(&self) -> Laid {
        Laid(self.0.iter().map(|(cell, units)| (*cell, -units)).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Memory that it takes, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }

    /// Number of cells that it changes.
    pub fn cells(&self) -> usize {
        self.0.len()
    }
}

/// The units of a cell after a change. A cell that held more than [`MOST_TRAIL`] keeps that as its maximum.
fn after(was: u32, units: i64) -> u32 {
    (i64::from(was) + units).clamp(0, i64::from(MOST_TRAIL.max(was))) as u32
}

/// The trail that a scene begins with.
fn started(draft: &Draft) -> Option<&TrailFile> {
    draft.ground.as_ref()?.trail.as_ref()
}

impl Stage {
    /// Lay a trail along a line, u, or erase it there.
    pub fn lay_trail(&mut self, line: &[Vec2], erases: bool) -> Result<(), ViewerError> {
        let radius = self.eye.brush_radius(self.picture.size);
        let units = if erases { -i64::from(MOST_TRAIL) } else { i64::from(self.eye.brush.units) };
        let simulation = self.session.simulation();
        let laid = Laid::along(line, radius, units, simulation.scene(), simulation);
        let cells = laid.cells() as u64;
        let begun = laid.begun(self.session.scene(), simulation).map_err(|error| error.to_string()).and_then(|trail| {
            let kept = self.unsaved.keep_array(|out| trail.write(out));
            kept.map(|path| trail.at(path)).map_err(|error| format!("The trail cannot be kept: {error}"))
        });
        let answer = match begun {
            Ok(begun) => self.session.lay_trail(laid, begun)?,
            Err(why) => Answer::Refused(why),
        };
        let (done, cells) = (if erases { "erased" } else { "laid" }, grouped(cells));
        match answer {
            Answer::Accepted => {
                let text = format!("Trail {done} in {cells} cells; after a restart it is there from the start");
                self.interface.say_undoable(text);
            }
            Answer::Refused(why) => self.interface.say(why),
        }
        self.watch.logged = None;
        Ok(())
    }
}
