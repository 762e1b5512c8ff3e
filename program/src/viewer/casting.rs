//! Agents that are put into the world and erased from it with the mouse.

use super::ViewerError;
use super::actions::Action;
use super::format::{grouped, readable};
use super::session::Answer;
use super::stage::Stage;
use super::tools::{Brush, from_segment};
use glam::{Vec2, Vec3};
use steerling::model::random::{hash4, unit_circle, unit_interval};
use steerling::model::{Recast, State};
use steerling::render::View;

/// One stroke puts no more agents than these.
const MOST: u32 = 1 << 20;

/// Where agents are put along a line of the picture, px: as many as the brush says for each of its widths on the way. In space they fill a
/// tube around the line, as far from the camera as what it looks at.
pub fn places(line: &[Vec2], brush: Brush, chance: u32, view: &View, size: (u32, u32)) -> Vec<Vec3> {
    let lengths: Vec<f32> = line.windows(2).map(|ends| ends[0].distance(ends[1])).collect();
    let (length, radius) = (lengths.iter().sum::<f32>(), brush.radius as f32);
    let count = (brush.agents as f32 * (1.0 + length / (2.0 * radius))).round() as u32;
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
        // As many to each area of the disc.
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
    (0..count.min(MOST)).map(place).collect()
}

/// The agents that a picture shows within the brush along a line, px.
pub fn under(line: &[Vec2], brush: Brush, state: &State, view: &View, size: (u32, u32)) -> Vec<u32> {
    let near = |seen: Vec2| line.windows(2).any(|ends| from_segment(seen, [ends[0], ends[1]]) <= brush.radius as f32);
    let agents = state.positions.iter().zip(&state.frozen).zip(0..).filter(|((_, frozen), _)| !**frozen);
    let found = agents.filter(|((at, _), _)| view.project(Vec3::from(**at), size).is_some_and(near));
    found.map(|(_, id)| id).collect()
}

impl Stage {
    /// Put agents along a line of the picture, px, or erase those under it.
    pub fn cast(&mut self, line: &[Vec2], erases: bool) -> Result<(), ViewerError> {
        let (brush, view, size) = (self.eye.brush, self.eye.view, self.picture.size);
        let scene = self.session.scene();
        let species = brush.species.min(scene.species.len().saturating_sub(1));
        let cast = if erases {
            let state = self.session.simulation().state()?;
            Recast::erasing(scene, under(line, brush, &state, &view, size))
        } else {
            let chance = self.session.steps() as u32 ^ scene.species[species].count;
            Recast::joining(scene, species, places(line, brush, chance, &view, size))
        };
        let (scene, recast) = match cast {
            Ok((_, recast)) if recast.counts() == (0, 0) => {
                self.interface.say("Nobody is there that can be erased");
                return Ok(());
            }
            Ok(cast) => cast,
            Err(error) => {
                self.interface.say(format!("Nothing was changed: {}", error.message));
                return Ok(());
            }
        };
        let name = readable(&scene.species[species].name);
        let (all, (erased, joined)) = (grouped(scene.agent_count().into()), recast.counts());
        let done = match erased {
            0 => format!("{} more of {name}", grouped(joined as u64)),
            erased => format!("{} erased", grouped(erased as u64)),
        };
        self.watch.logged = None;
        self.interface.say(match self.session.recast(scene, recast)? {
            Answer::Accepted => format!(
                "{done}, {all} agents now. Undo takes it back ({}). A file, and {}, keep how many there are, not where",
                Action::Undo.keys(),
                Action::Restart.keys()
            ),
            Answer::Refused(why) => why,
        });
        Ok(())
    }
}
