//! Areas that are drawn: regions that a species is kept in, and goals of the map.

use super::format::free_name;
use super::handles::each_target;
use super::pointer::GRASP;
use super::tools::{drawn_obstacle, drawn_on, shapes};
use glam::Vec3;
use steerling::render::View;
use steerling::scene::{Draft, MapGoal, ObstacleShape, Range, Setting, Species, Target};

/// The behavior that keeps agents in a region.
const KEEPS: &str = "containment";
/// The behavior that heads for a goal.
const HEADS: &str = "seek";
/// The widest margin of a drawn region, as a share of its least extent, so that its middle is free of margin.
const MARGIN: f32 = 0.25;
/// The least weight of the behavior that keeps agents in: most others weigh 1, and must not push agents out together.
const WEIGHT: f32 = 4.0;

/// A kind of area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Area {
    /// A box that the agents of a species are kept in.
    #[default]
    Box,
    /// A ball that the agents of a species are kept in.
    Ball,
    /// A goal of the map, drawn as a ball.
    Goal,
}

impl Area {
    pub const ALL: [Area; 3] = [Area::Box, Area::Ball, Area::Goal];

    /// Its name, for the user.
    pub fn name(self) -> &'static str {
        match self {
            Area::Box => "Keep in a box",
            Area::Ball => "Keep in a ball",
            Area::Goal => "Goal",
        }
    }

    /// The shape of obstacles that it is drawn as, an index into [`shapes`].
    pub fn shape(self) -> usize {
        let word = if self == Area::Box { "box" } else { "sphere" };
        shapes().iter().position(|shape| *shape == word).unwrap_or(0)
    }
}

/// The number of a word of one of the choice keys of [`KEEPS`].
fn word(species: &Species, key: &str, word: &str) -> f32 {
    let spec = species.behavior(KEEPS).map(|behavior| behavior.spec);
    let key = spec.into_iter().flat_map(|spec| spec.parameters).find(|parameter| parameter.name == key);
    let words = key.map_or(&[][..], |key| if let Range::Choice(words) = key.range { words } else { &[] });
    words.iter().position(|known| *known == word).unwrap_or(0) as f32
}

/// Add an area that was drawn from one place to another: a goal, or a region for the species of this index. With the first goal of a scene,
/// all species begin to seek it; a scene without a map gets one of open ground.
///
/// # Errors
/// Why it cannot be added, in words.
pub fn add_area(draft: &mut Draft, area: Area, index: usize, ends: [Vec3; 2]) -> Result<(), String> {
    let drawn = drawn_obstacle(area.shape(), ends, draft.world.spatial);
    let failed = |error: steerling::scene::SceneError| error.to_string();
    let size = match drawn.shape {
        ObstacleShape::Box { size } => size,
        ObstacleShape::Sphere { radius } if area == Area::Goal => {
            return add_goal(draft, drawn.center.with_z(0.0), radius);
        }
        ObstacleShape::Sphere { radius } => Vec3::splat(2.0 * radius),
        _ => return Ok(()),
    };
    let least = if draft.world.spatial { size.min_element() } else { size.truncate().min_element() };
    let Some(species) = draft.species.get_mut(index) else { return Ok(()) };
    species.enable(KEEPS).map_err(failed)?;
    // Agents with a least speed cannot brake to a stop, so they turn.
    let mode = if species.min_speed > 0.0 { "turn" } else { "brake" };
    let shape = if area == Area::Ball { "sphere" } else { "box" };
    let (mode, shape) = (word(species, "mode", mode), word(species, "shape", shape));
    let weight = species.get(KEEPS, "weight").map_err(failed)?.number().max(WEIGHT);
    let values: [(&str, Setting); 6] = [
        ("weight", weight.into()),
        ("mode", mode.into()),
        ("shape", shape.into()),
        ("center", Setting::Vector(drawn.center)),
        ("size", Setting::Vector(size)),
        ("margin", (MARGIN * least).into()),
    ];
    values.into_iter().try_for_each(|(key, value)| species.set(KEEPS, key, value)).map_err(failed)?;
    // No wider than they need. In a ball that depends on the margin itself.
    let scene = draft.clone().validate().map_err(failed)?;
    let species = &mut draft.species[index];
    for _ in 0..8 {
        let needed = (100.0 * scene.least_margin(species, KEEPS)).ceil() / 100.0;
        species.set(KEEPS, "margin", needed.min(MARGIN * least)).map_err(failed)?;
    }
    Ok(())
}

fn add_goal(draft: &mut Draft, place: Vec3, radius: f32) -> Result<(), String> {
    let mut map = drawn_on(draft);
    let name = free_name("goal", 1, map.goals.iter().map(|goal| &goal.name));
    let first = map.goals.is_empty();
    map.goals.push(MapGoal { name, place, radius, ..MapGoal::default() });
    draft.map = Some(map);
    let target = Target::Goal { index: 0, prediction_time: 0.0 };
    let mut species = draft.species.iter_mut().filter(|_| first);
    let headed = species.try_for_each(|species| species.enable(HEADS)?.set(HEADS, "target", target));
    headed.map_err(|error| error.to_string())
}

/// An area of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The goal of this index.
    Goal(usize),
    /// The region that the species of this index is kept in.
    Region(usize),
}

/// The area at a point of the picture, px; a goal takes precedence over a region.
pub fn area_at(draft: &Draft, at: (f32, f32), view: &View, size: (u32, u32)) -> Option<Found> {
    let axes = if draft.world.spatial { Vec3::ONE } else { Vec3::new(1.0, 1.0, 0.0) };
    let (here, grasp) = (view.unproject(at, size), GRASP / view.pixels_per_unit(size).max(f32::MIN_POSITIVE));
    let away = |place: Vec3| (here - place).abs() * axes;
    let goals = draft.map.iter().flat_map(|map| &map.goals).enumerate();
    let near = |goal: &MapGoal| goal.places().any(|place| away(place).length() <= goal.radius.max(grasp));
    let region = |species: &Species| {
        let value = |name: &str| species.get(KEEPS, name).ok();
        let (Some(Setting::Vector(center)), Some(Setting::Vector(extent))) = (value("center"), value("size")) else {
            return false;
        };
        let is = |name: &str| value("shape").map(Setting::number) == Some(word(species, "shape", name));
        let in_box = is("box") && away(center).cmple(0.5 * extent * axes).all();
        let in_ball = is("sphere") && away(center).length() <= 0.5 * extent.x;
        (in_box || in_ball) && species.enabled(KEEPS).unwrap_or(false)
    };
    let goal = goals.filter(|(_, goal)| near(goal)).map(|(index, _)| Found::Goal(index)).last();
    goal.or_else(|| draft.species.iter().rposition(region).map(Found::Region))
}

/// Remove an area. Behaviors whose target is the removed goal are switched off.
///
/// # Errors
/// The goal is the target of a rule, or a species leaves or starts there.
pub fn remove_area(draft: &mut Draft, found: Found) -> Result<(), String> {
    let gone = match found {
        Found::Region(index) => {
            let behaviors = draft.species.get_mut(index).into_iter().flat_map(|species| &mut species.behaviors);
            behaviors.filter(|behavior| behavior.spec.name == KEEPS).for_each(|behavior| behavior.enabled = false);
            return Ok(());
        }
        Found::Goal(index) => index,
    };
    let Some(map) = draft.map.as_mut().filter(|map| gone < map.goals.len()) else { return Ok(()) };
    let goal = map.goals.remove(gone);
    for species in &mut draft.species {
        let rules = || species.rules.iter().map(|rule| rule.target);
        let by_rule = rules().any(|target| matches!(target, Target::Goal { index, .. } if index as usize == gone));
        let places = [&mut species.leaves, &mut species.spawn.goal];
        if by_rule || places.iter().any(|place| **place == Some(gone as u32)) {
            let (they, goal) = (&species.name, &goal.name);
            return Err(format!("{they} need {goal}, because they start there, leave there, or head for it in a rule"));
        }
        let later = |index: &mut u32| *index -= u32::from(*index as usize > gone);
        places.into_iter().flatten().for_each(later);
        each_target(species, |target, enabled| match target {
            Target::Goal { index, .. } if *index as usize == gone => {
                *target = Target::Point(goal.place);
                enabled.into_iter().for_each(|enabled| *enabled = false);
            }
            Target::Goal { index, .. } => later(index),
            _ => {}
        });
    }
    Ok(())
}
