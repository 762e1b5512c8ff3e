//! Tools: agents that are drawn to the pointer or driven from it, and obstacles and walls that are drawn. Each is a change of the scene like
//! any other: it can be taken back, and is kept with the scene.

use super::actions::Action;
use super::dialogs::Wish;
use super::gui::Hint;
use super::pointer::{Drawn, Tool};
use super::session::Session;
use egui::{Align2, Color32, Frame, Ui};
use glam::{Vec2, Vec3};
use steerling::render::View;
use steerling::scene::{
    Draft, Map, MapSource, MapStroke, Obstacle, ObstacleShape, Range, SceneError, Setting, Species, Target,
};

/// What agents do about the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lure {
    Attract,
    Repel,
}

/// How far away agents that flee the pointer see it, as a share of the world's height.
const PANIC: f32 = 0.2;
/// How wide a wall may be drawn, cells of the map.
const BRUSHES: std::ops::RangeInclusive<u32> = 1..=32;
/// The behavior that goes around obstacles.
const AVOIDS: &str = "obstacle_avoidance";

impl Lure {
    /// The behavior that does it.
    fn behavior(self) -> &'static str {
        match self {
            Lure::Attract => "seek",
            Lure::Repel => "flee",
        }
    }

    /// Does any species do so?
    pub fn acts(self, draft: &Draft) -> bool {
        draft.species.iter().any(|species| self.moves(species))
    }

    fn moves(self, species: &Species) -> bool {
        let mine = species.behaviors.iter().find(|behavior| behavior.spec.name == self.behavior());
        mine.is_some_and(|behavior| {
            behavior.is_active() && behavior.parameters.contains(&Setting::Target(Target::Mouse))
        })
    }

    /// Let every species do so; or where some do already, what it did before in the scene as it was opened, and if that was the same,
    /// nothing.
    pub fn toggle(self, draft: &mut Draft, original: &Draft) -> Result<(), SceneError> {
        let (name, acts) = (self.behavior(), self.acts(draft));
        let panic = PANIC * draft.world.size.y;
        for (index, species) in draft.species.iter_mut().enumerate() {
            if acts {
                let was = original.species.get(index).filter(|was| !self.moves(was));
                let was = was.and_then(|was| was.behaviors.iter().find(|behavior| behavior.spec.name == name));
                let now = species.behaviors.iter_mut().find(|behavior| behavior.spec.name == name);
                match (now, was) {
                    (Some(now), Some(was)) => now.clone_from(was),
                    (Some(now), None) => now.enabled = false,
                    (None, _) => {}
                }
                continue;
            }
            let spec =
                species.behaviors.iter().find(|behavior| behavior.spec.name == name).map(|behavior| behavior.spec);
            let target = spec.into_iter().flat_map(|spec| spec.parameters).find(|p| matches!(p.range, Range::Target));
            let target = target.map_or("target", |target| target.name);
            species.enable(name)?.set(name, target, Target::Mouse)?;
            if self == Lure::Repel {
                species.set(name, "panic_distance", panic)?;
            }
        }
        Ok(())
    }
}

/// Add a ball, or in a plane a disk. With the first obstacle of a scene all species begin to go around them.
pub fn add_obstacle(draft: &mut Draft, center: Vec3, radius: f32) -> Result<(), SceneError> {
    let obstacle = Obstacle { center, ..Obstacle::new(ObstacleShape::Sphere { radius }) };
    draft.scenery.obstacles.push(obstacle);
    if draft.scenery.obstacles.len() == 1 {
        draft.species.iter_mut().try_for_each(|species| species.enable(AVOIDS).map(drop))?;
    }
    Ok(())
}

/// Why no walls can be drawn in a scene, if so.
pub fn unpaintable(draft: &Draft) -> Option<&'static str> {
    draft.world.spatial.then_some("Walls are drawn on the plan of a flat world, and this one has three dimensions")
}

/// The map that walls are drawn on: that of the scene, or open ground.
fn drawn_on(draft: &Draft) -> Map {
    draft.map.clone().unwrap_or_else(|| Map { source: MapSource::Open, ..Map::default() })
}

/// How wide so many cells of the map are, u.
fn brush_width(draft: &Draft, cells: u32) -> f32 {
    cells as f32 * drawn_on(draft).walls(&draft.world, draft.seed).cell
}

/// Draw a wall so many cells wide from one place to another, or open what is there. A scene without a map gets one.
pub fn add_stroke(draft: &mut Draft, [from, to]: [Vec3; 2], cells: u32, open: bool) {
    let (from, to) = (from.with_z(0.0), to.with_z(0.0));
    let stroke = MapStroke { from, to, width: brush_width(draft, cells), open };
    draft.map = Some(drawn_on(draft));
    draft.map.iter_mut().for_each(|map| map.strokes.push(stroke));
}

/// The edge of what is being drawn, in the picture.
pub fn preview(drawn: &Drawn, draft: &Draft, cells: u32, view: &View, size: (u32, u32)) -> Vec<Vec2> {
    let (from, to) = (Vec2::from(drawn.from), Vec2::from(drawn.to));
    let (end, radius) = match drawn.tool {
        Tool::Walls => (to, 0.5 * brush_width(draft, cells) * view.pixels_per_unit(size)),
        _ => (from, from.distance(to)),
    };
    let ahead = (to - from).normalize_or(Vec2::X) * radius;
    // Half a turn around one end, half a turn around the other, and back to where it began.
    let at = |around: Vec2, i: u8| {
        around + Vec2::from_angle((f32::from(i) - 18.0) * std::f32::consts::TAU / 72.0).rotate(ahead)
    };
    (0..=36).map(|i| at(end, i)).chain((36..=72).map(|i| at(from, i))).chain([at(end, 0)]).collect()
}

/// The latest ball at a place of the picture, px, of the balls that stand alone and still.
pub fn obstacle_at(draft: &Draft, at: (f32, f32), view: &View, size: (u32, u32)) -> Option<usize> {
    let covers = |obstacle: &Obstacle| {
        let ObstacleShape::Sphere { radius } = obstacle.shape else { return false };
        let ring = circle(obstacle.center, radius, view, size);
        let alone = obstacle.trajectory.is_none() && obstacle.count == 1;
        alone && ring.is_some_and(|(center, radius)| center.distance(at.into()) <= radius)
    };
    draft.scenery.obstacles.iter().rposition(covers)
}

/// A ball as the picture shows it: its center and its radius, px.
fn circle(center: Vec3, radius: f32, view: &View, size: (u32, u32)) -> Option<(Vec2, f32)> {
    let seen = view.project(center, size)?;
    let edge = |axis: Vec3| view.project(center + axis * radius, size).map_or(0.0, |at| at.distance(seen));
    Some((seen, Vec3::AXES.map(edge).into_iter().fold(0.0, f32::max)))
}

/// The tools, over the upper right corner of the picture. Adds what was chosen.
pub fn tools(ui: &Ui, session: &Session, tool: Tool, brush: u32, room: f32, wishes: &mut Vec<Wish>) {
    let area = egui::Area::new(egui::Id::unique("tools")).pivot(Align2::RIGHT_TOP).fixed_pos((room - 10.0, 10.0));
    area.show(ui.ctx(), |ui| {
        Frame::new().fill(Color32::from_black_alpha(225)).corner_radius(6.0).inner_margin(5.0).show(ui, |ui| {
            ui.horizontal(|ui| {
                let scene = session.scene();
                let drops = if tool == Tool::Walls { Action::Walls } else { Action::Obstacles };
                for (name, on, action) in [
                    ("Hand", tool == Tool::Hand, drops),
                    ("Obstacles", tool == Tool::Obstacles, Action::Obstacles),
                    ("Walls", tool == Tool::Walls, Action::Walls),
                    ("Attract", Lure::Attract.acts(scene), Action::Attract),
                    ("Repel", Lure::Repel.acts(scene), Action::Repel),
                ] {
                    let refused = unpaintable(scene).filter(|_| name == "Walls");
                    let hint = match (name, refused) {
                        (_, Some(why)) => why.to_owned(),
                        ("Hand", _) => "Drag moves the camera, or a cross; a click picks an agent".to_owned(),
                        _ => action.hint(),
                    };
                    let label = ui.add_enabled_ui(refused.is_none(), |ui| ui.selectable_label(on, name)).inner;
                    let holds = on && matches!(action, Action::Obstacles | Action::Walls);
                    if label.hint(hint).clicked() && !holds {
                        wishes.push(Wish::Act(action));
                    }
                    if name == "Walls" {
                        if on {
                            let mut cells = brush;
                            let unit = if cells == 1 { " cell" } else { " cells" };
                            let width = egui::DragValue::new(&mut cells).range(BRUSHES).speed(0.1).suffix(unit);
                            if ui.add(width).hint("How wide walls are drawn").changed() {
                                wishes.push(Wish::Brush(cells));
                            }
                        }
                        ui.separator();
                    }
                }
            });
        });
    });
}
