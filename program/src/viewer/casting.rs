//! Agents that are put into the world and erased from it with the mouse.

use super::ViewerError;
use super::actions::Action;
use super::format::{grouped, readable};
use super::pointer::Tool;
use super::session::Answer;
use super::stage::Stage;
use super::tools::{Brush, from_segment, thinned};
use glam::{Vec2, Vec3};
use std::time::Duration;
use steerling::model::random::{hash4, unit_circle, unit_interval};
use steerling::model::{Recast, State};
use steerling::render::View;
use steerling::scene::{Scene, SceneError};

/// The most agents that one stroke puts into the world.
const MOST: u32 = 1 << 20;
/// In worlds of at most this many agents, a drag puts its agents while it goes on. In larger ones it puts them at its end, because each
/// time all agents have to be copied.
const QUICK: u32 = 100_000;

/// The number of agents put along a line of the picture, px: `brush.agents` for each diameter of the brush, and once more for the start.
pub fn wanted(line: &[Vec2], brush: Brush) -> u32 {
    let length: f32 = line.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
    ((brush.agents as f32 * (1.0 + length / (2.0 * brush.radius as f32))).round() as u32).min(MOST)
}

/// Random places for `count` agents along a line of the picture, px. In space they fill a tube around the line, at the distance from the
/// camera of the point that it looks at.
pub fn places(line: &[Vec2], count: u32, brush: Brush, chance: u32, view: &View, size: (u32, u32)) -> Vec<Vec3> {
    let lengths: Vec<f32> = line.windows(2).map(|ends| ends[0].distance(ends[1])).collect();
    let (length, radius) = (lengths.iter().sum::<f32>(), brush.radius as f32);
    let on_line = |share: f32| {
        let mut left = share * length;
        for (ends, length) in line.windows(2).zip(&lengths) {
            if left <= *length {
                return ends[0].lerp(ends[1], left / length.max(f32::MIN_POSITIVE));
            }
            left -= length;
        }
        line.last().copied().unwrap_or_default()
    };
    let place = |index: u32| {
        let [along, turn, out, deep] = hash4([chance, index, count, line.len() as u32]);
        // The square root makes the density uniform over the disc.
        let (out, deep) = (unit_interval(out).sqrt(), 2.0 * unit_interval(deep) - 1.0);
        let at = on_line(unit_interval(along)) + unit_circle(turn) * radius * out;
        let here = view.unproject((at.x, at.y), size);
        if !view.spatial() {
            return here.with_z(0.0);
        }
        let side = |right: f32, up: f32| view.unproject((at.x + right, at.y - up), size) - here;
        let toward = side(1.0, 0.0).cross(side(0.0, 1.0)).normalize_or_zero();
        here + toward * (deep * (1.0 - out * out).sqrt() * radius / view.pixels_per_unit(size))
    };
    (0..count).map(place).collect()
}

/// The ids of the agents that the picture shows within the brush along a line, px.
pub fn under(line: &[Vec2], brush: Brush, state: &State, view: &View, size: (u32, u32)) -> Vec<u32> {
    let near = |seen: Vec2| line.windows(2).any(|ends| from_segment(seen, [ends[0], ends[1]]) <= brush.radius as f32);
    let agents = state.positions.iter().zip(&state.frozen).zip(0..).filter(|((_, frozen), _)| !**frozen);
    let found = agents.filter(|((at, _), _)| view.project(Vec3::from(**at), size).is_some_and(near));
    found.map(|(_, id)| id).collect()
}

impl Stage {
    /// While a drag goes on, put the agents along the line so far.
    pub fn spray(&mut self) -> Result<(), ViewerError> {
        let goes_on = self.eye.pointer.drawing().is_some_and(|drawn| drawn.tool == Tool::Agents && !drawn.erases);
        if goes_on && !self.session.changing() && self.session.simulation().scene().agent_count() <= QUICK {
            self.put()?;
        }
        Ok(())
    }

    /// At the end of a drag, put the agents along it that are not there yet, or erase those under it.
    pub fn cast(&mut self, erases: bool) -> Result<(), ViewerError> {
        if erases {
            return self.wipe();
        }
        // The agents put last may not be applied yet.
        while self.eye.pointer.sprayed.1 > 0 && self.session.changing() {
            self.follow_changes()?;
            std::thread::sleep(Duration::from_micros(200));
        }
        self.put()
    }

    /// Put the agents along the line of the drag that are not there yet. One undo removes all of a drag.
    fn put(&mut self) -> Result<(), ViewerError> {
        let (brush, view, size) = (self.eye.brush, self.eye.view, self.picture.size);
        let (points, there) = self.eye.pointer.sprayed;
        let line = &self.eye.pointer.line;
        let count = wanted(line, brush).saturating_sub(there);
        if count == 0 {
            return Ok(());
        }
        let part = thinned(&line[points.saturating_sub(1).min(line.len())..]);
        self.eye.pointer.sprayed = (line.len(), there + count);
        if there == 0 {
            self.session.history.close();
        }
        let scene = self.session.scene();
        let species = brush.species.min(scene.species.len().saturating_sub(1));
        let chance = self.session.steps() as u32 ^ scene.species[species].count;
        let cast = Recast::joining(scene, species, places(&part, count, brush, chance, &view, size));
        let done = format!("{} more of {}", grouped((there + count).into()), readable(&scene.species[species].name));
        self.recast(cast, true, &done)
    }

    /// Erase the agents under the line of the drag.
    fn wipe(&mut self) -> Result<(), ViewerError> {
        let (brush, view, size) = (self.eye.brush, self.eye.view, self.picture.size);
        let state = self.session.simulation().state()?;
        let ids = under(&thinned(&self.eye.pointer.line), brush, &state, &view, size);
        let cast = Recast::erasing(self.session.scene(), ids);
        let erased = cast.as_ref().map_or(0, |(_, recast)| recast.counts().0);
        self.recast(cast, false, &format!("{} erased", grouped(erased as u64)))
    }

    /// Let agents join or erase some, and tell the user `done`, or why not.
    fn recast(&mut self, cast: Result<(Scene, Recast), SceneError>, held: bool, done: &str) -> Result<(), ViewerError> {
        let (scene, recast) = match cast {
            Ok((_, recast)) if recast.counts() == (0, 0) => {
                self.interface.say("There is no agent here that can be erased");
                return Ok(());
            }
            Ok(cast) => cast,
            Err(error) => {
                self.interface.say(format!("Nothing was changed: {}", error.message));
                return Ok(());
            }
        };
        let (all, undo, restart) = (grouped(scene.agent_count().into()), Action::Undo.keys(), Action::Restart.keys());
        self.watch.logged = None;
        self.interface.say(match self.session.recast(scene, recast, held)? {
            Answer::Accepted => format!(
                "{done}, {all} agents now. Undo takes it back ({undo}). A file, and {restart}, keep the number of agents, \
                 but not their places"
            ),
            Answer::Refused(why) => why,
        });
        Ok(())
    }
}
