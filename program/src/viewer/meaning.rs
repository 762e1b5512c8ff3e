//! The meaning of a slider: while a radius, an angle or a time is under the pointer, it is drawn around agents.

use super::picked::Track;
use super::tools::{SIDES, ring};
use glam::{Vec2, Vec3};
use steerling::gpu::{GpuError, Simulation};
use steerling::model::{BufferId, Snapshot};
use steerling::render::View;
use steerling::scene::{Behavior, Draft, Parameter, Setting, Species, Stored, Target};

/// Without a picked agent, the agents nearest to these points of the picture are used, as shares of its size.
const PLACES: [Vec2; 3] = [Vec2::new(0.5, 0.5), Vec2::new(0.3, 0.35), Vec2::new(0.7, 0.65)];
/// The length of the sides of a drawn angle, if no length belongs to it, in radii of the body.
const LENGTH: f32 = 8.0;

/// A geometric meaning of numbers, to be drawn around an agent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extent {
    /// All within a radius, u, and within a full angle about the heading, degrees.
    Vision { radius: f32, angle: f32 },
    /// A distance, u, from this point; `None`: from the agent.
    Distance { radius: f32, from: Option<Vec3> },
    /// An angle to either side of the heading, degrees; its sides are drawn with a length, u.
    Sides { angle: f32, length: f32 },
    /// The distance that the agent covers in a time, s, at its present velocity.
    Time(f32),
    /// Straight ahead, as far as the agent goes in a time, s, at its present speed, and at least this far, u.
    Ahead { time: f32, least: f32 },
    /// Three feelers: one ahead, of a length, u; and one at each side, of a share of that, with a full angle between these two, degrees.
    Feelers { length: f32, side: f32, spread: f32 },
}

impl Extent {
    /// How far it reaches from an agent with this velocity, u.
    pub fn reach(self, velocity: Vec3) -> f32 {
        match self {
            Extent::Vision { radius, .. } | Extent::Distance { radius, .. } => radius,
            Extent::Sides { length, .. } | Extent::Feelers { length, .. } => length,
            Extent::Time(time) => velocity.length() * time,
            Extent::Ahead { time, least } => least.max(velocity.length() * time),
        }
    }
}

/// How far agents of a species see and feel: the extents of its active behaviors, each once. Feelers and distances ahead are recognized by
/// the names of their parameters, so behaviors of a user's own can have them too.
pub fn senses(species: &Species) -> Vec<Extent> {
    let mut all: Vec<Extent> = Vec::new();
    for behavior in species.behaviors.iter().filter(|behavior| behavior.is_active()) {
        let of = |stored: Stored| numbers(behavior).find(|(p, _)| p.stored == stored).map(|(_, number)| number);
        let named = |name: &str| numbers(behavior).find(|(p, _)| p.name == name).map(|(_, number)| number);
        let vision = of(Stored::RadiusSquared)
            .map(|radius| Extent::Vision { radius, angle: of(Stored::HalfCosine).unwrap_or(360.0) });
        let feelers = match ["length", "side_length", "spread"].map(named) {
            [Some(length), Some(side), Some(spread)] => Some(Extent::Feelers { length, side, spread }),
            _ => None,
        };
        let ahead = named("look_ahead_time")
            .map(|time| Extent::Ahead { time, least: named("min_look_ahead").unwrap_or_default() });
        for extent in [vision, feelers, ahead].into_iter().flatten() {
            if !all.contains(&extent) {
                all.push(extent);
            }
        }
    }
    all
}

/// The numbers of a behavior, each with its parameter.
pub fn numbers(behavior: &Behavior) -> impl Iterator<Item = (&Parameter, f32)> {
    behavior.spec.parameters.iter().zip(&behavior.parameters).filter_map(|(parameter, setting)| match setting {
        Setting::Number(number) => Some((parameter, *number)),
        _ => None,
    })
}

/// The geometric meaning of a number of a species.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// Index of the species.
    pub species: usize,
    pub extent: Extent,
}

impl Meaning {
    /// The meaning of the number at a dotted path, by the unit of its key, and by the form in which shaders store it; `None` if it has no
    /// geometric meaning.
    pub fn of(draft: &Draft, path: &str) -> Option<Meaning> {
        let mut rest = path.strip_prefix("species.")?.split('.');
        let index: usize = rest.next()?.parse().ok()?;
        let (key, value) = draft.clone().number_at(path).map(|(key, value)| (key, *value))?;
        let species = draft.species.get(index)?;
        let behavior = (rest.next() == Some("behaviors")).then(|| rest.next()).flatten();
        let behavior = behavior.and_then(|name| species.behavior(name));
        let all = || behavior.into_iter().flat_map(numbers);
        let of = |stored: Stored| all().find(|(p, _)| p.stored == stored).map(|(_, number)| number);
        let stored = all().find(|(p, _)| path.ends_with(&format!(".{}", p.name))).map(|(p, _)| p.stored);
        let target = |setting: &Setting| match setting {
            Setting::Target(Target::Point(at)) => Some(*at),
            Setting::Target(Target::Mouse) => Some(draft.mouse),
            _ => None,
        };
        let point = || behavior.and_then(|behavior| behavior.parameters.iter().find_map(target));
        let length = || {
            let distance = all().find(|(p, length)| p.unit == "u" && *length > 0.0).map(|(_, length)| length);
            of(Stored::RadiusSquared).or(distance).unwrap_or(LENGTH * species.radius)
        };
        let extent = match (key.unit.split(';').next()?, stored) {
            ("u", Some(Stored::RadiusSquared)) => {
                Extent::Vision { radius: value, angle: of(Stored::HalfCosine).unwrap_or(360.0) }
            }
            ("u", _) => Extent::Distance { radius: value, from: point() },
            ("deg", Some(Stored::HalfCosine)) => Extent::Vision { radius: length(), angle: value },
            ("deg", _) => Extent::Sides { angle: value, length: length() },
            ("s", _) => Extent::Time(value),
            _ => return None,
        };
        Some(Meaning { species: index, extent })
    }
}

/// Lines in the picture, each a list of points, px from its upper left corner.
pub type Outline = Vec<Vec<Vec2>>;

/// The meaning that is drawn now, and the agents around which it is drawn.
#[derive(Default)]
pub struct MeaningDrawing {
    meaning: Option<Meaning>,
    picked: Option<u32>,
    agents: Vec<(u32, Track)>,
}

impl MeaningDrawing {
    /// Set the meaning to draw, and choose the agents: the picked one if it is of the species, or the nearest to [`PLACES`] in the latest
    /// snapshot.
    pub fn look(
        &mut self,
        meaning: Option<&Meaning>,
        picked: Option<u32>,
        simulation: &Simulation,
        snapshot: Option<&Snapshot>,
        (view, size): (&View, (u32, u32)),
    ) -> Result<(), GpuError> {
        let of = |meaning: &Option<Meaning>| meaning.as_ref().map(|meaning| meaning.species);
        let known = self.agents.iter().all(|(id, _)| *id < simulation.scene().agent_count());
        let picked = picked.filter(|id| meaning.is_some_and(|m| m.species == simulation.model().species_of(*id)));
        let meaning = meaning.cloned();
        if of(&meaning) != of(&self.meaning) || picked != self.picked || self.agents.is_empty() || !known {
            let species = meaning.as_ref().and_then(|meaning| simulation.model().species.get(meaning.species));
            let ids = species.map_or(0..0, |species| species.first_id..species.first_id + species.count);
            let ids = match picked {
                Some(id) => vec![id],
                None => snapshot.map_or(Vec::new(), |snapshot| nearest(snapshot, ids, view, size)),
            };
            self.agents = ids.into_iter().map(|id| (id, Track::default())).collect();
        }
        (self.meaning, self.picked) = (meaning, picked);
        self.agents.iter_mut().try_for_each(|(id, track)| track.follow(simulation, *id).map(drop))
    }

    /// Is a read of their positions under way or needed?
    pub fn restless(&self, simulation: &Simulation) -> bool {
        self.agents.iter().any(|(_, track)| track.restless(simulation))
    }

    /// The lines to draw in a picture of this size, px.
    pub fn outline(&self, view: &View, size: (u32, u32)) -> Outline {
        let Some(meaning) = &self.meaning else { return Outline::new() };
        let seen = self.agents.iter().filter_map(|(_, track)| track.motion());
        seen.flat_map(|(at, velocity)| outline(meaning.extent, at, velocity, view, size)).collect()
    }
}

/// The lines of an extent around an agent at `at` with this velocity, in a picture of this size, px.
pub fn outline(extent: Extent, at: Vec3, velocity: Vec3, view: &View, size: (u32, u32)) -> Outline {
    let project = |line: Vec<Vec3>| line.into_iter().filter_map(|at| view.project(at, size)).collect::<Vec<_>>();
    lines(extent, at, velocity, view, size).into_iter().map(project).filter(|line| line.len() > 1).collect()
}

/// The ids, among `ids`, of the agents nearest to each of [`PLACES`].
fn nearest(snapshot: &Snapshot, ids: std::ops::Range<u32>, view: &View, size: (u32, u32)) -> Vec<u32> {
    let words = snapshot.column(BufferId::Position).unwrap_or_default();
    let components = if snapshot.spatial() { 3 } else { 2 };
    let mut best = PLACES.map(|place| (f32::INFINITY, place * Vec2::new(size.0 as f32, size.1 as f32), None));
    let agents = words.chunks_exact(components).zip(0..);
    for (at, id) in agents.skip(ids.start as usize).take(ids.len()) {
        let at = Vec3::from_array([0, 1, 2].map(|axis| at.get(axis).map_or(0.0, |word| f32::from_bits(*word))));
        let Some(seen) = view.project(at, size) else { continue };
        for (away, place, nearest) in &mut best {
            if seen.distance_squared(*place) < *away {
                (*away, *nearest) = (seen.distance_squared(*place), Some(id));
            }
        }
    }
    let mut ids: Vec<u32> = best.into_iter().filter_map(|(_, _, id)| id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The lines of an extent in the world, around an agent at `at` with this velocity.
fn lines(extent: Extent, at: Vec3, velocity: Vec3, view: &View, size: (u32, u32)) -> Vec<Vec<Vec3>> {
    let ahead = velocity.try_normalize().unwrap_or(Vec3::X);
    // The world's directions that the picture shows as right and up; and two directions perpendicular to the heading.
    let corner = view.unproject((0.0, 0.0), size);
    let [right, up] = [(1.0, 0.0), (0.0, -1.0)].map(|to| (view.unproject(to, size) - corner).normalize_or_zero());
    let (side, other) = if view.spatial() { ahead.any_orthonormal_pair() } else { (ahead.cross(Vec3::Z), Vec3::ZERO) };
    let around = |middle: Vec3, radius: f32| {
        let mut rings = vec![ring(middle, right * radius, up * radius)];
        if view.spatial() {
            rings.push(ring(middle, Vec3::X * radius, Vec3::Z * radius));
        }
        rings
    };
    match extent {
        Extent::Distance { radius, from } => around(from.unwrap_or(at), radius),
        Extent::Vision { radius, angle } if angle >= 360.0 => around(at, radius),
        Extent::Vision { radius, angle } => {
            let half = 0.5 * angle.to_radians();
            if view.spatial() {
                let (rim, reach) = (radius * half.sin(), at + ahead * (radius * half.cos()));
                let round = ring(reach, side * rim, other * rim);
                let edges = round.iter().step_by(SIDES / 8).map(|end| vec![at, *end]).collect::<Vec<_>>();
                return edges.into_iter().chain([round]).collect();
            }
            let arc = (0..=SIDES).map(|i| half * (2.0 * i as f32 / SIDES as f32 - 1.0));
            let arc = arc.map(|turn| at + (ahead * turn.cos() + side * turn.sin()) * radius);
            vec![[at].into_iter().chain(arc).chain([at]).collect()]
        }
        Extent::Sides { angle, length } => {
            let (sin, cos) = angle.to_radians().sin_cos();
            let ray = |side: Vec3| vec![at, at + (ahead * cos + side * sin) * length];
            vec![ray(side), ray(-side), vec![at, at + ahead * length]]
        }
        Extent::Ahead { .. } => vec![vec![at, at + ahead * extent.reach(velocity)]],
        Extent::Feelers { length, side: share, spread } => {
            // The side feelers are horizontal, as in the shader: in space, up is y.
            let right = if view.spatial() { ahead.cross(Vec3::Y) } else { ahead.cross(Vec3::Z) };
            let right = right.try_normalize().unwrap_or(Vec3::Z);
            let (sin, cos) = (0.5 * spread.to_radians()).sin_cos();
            let ends = [ahead, (ahead * cos + right * sin) * share, (ahead * cos - right * sin) * share];
            ends.into_iter().filter(|end| *end != Vec3::ZERO).map(|end| vec![at, at + end * length]).collect()
        }
        Extent::Time(time) => {
            let end = at + velocity * time;
            // A small ring marks the predicted place.
            let radius = 5.0 / view.pixels_per_unit(size).max(f32::MIN_POSITIVE);
            vec![vec![at, end], ring(end, right * radius, up * radius)]
        }
    }
}
