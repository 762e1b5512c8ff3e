//! What moves the camera unless the user drags it: the scene, the flock, or an agent that it chases.

use super::format::{grouped, readable};
use super::picked::Track;
use std::time::{Duration, Instant};
use steerling::gpu::{GpuError, Pending, Simulation};
use steerling::model::BufferId;
use steerling::render::View;
use steerling::scene::{Camera, Scene};

/// Time between two readings of all positions.
const FLOCK_EVERY: Duration = Duration::from_millis(250);
/// Time in which a chasing camera goes two thirds of the remaining way, s.
const EASE: f32 = 0.25;
/// The next agent to chase is this share of all ids further on: the golden section rarely returns near earlier ones.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// Speed of a camera that goes around, degrees per second: once a minute.
const TURN: f32 = 6.0;

/// Least radius of the ring around an agent, px.
const SMALLEST_RING: f32 = 10.0;

/// The mark of a chased or picked agent in the picture.
pub struct Mark {
    /// Center and radius of the ring around it, px; `None` if its place is not known, or the camera sees out of its eyes.
    pub place: Option<((f32, f32), f32)>,
    /// The name of the agent, for the user.
    pub name: String,
}

impl Mark {
    /// The mark of an agent, at its place in the world if that is known. `size` is that of the picture, px. `None`: no such agent.
    pub fn new(id: u32, place: Option<glam::Vec3>, view: &View, scene: &Scene, size: (u32, u32)) -> Option<Mark> {
        let species = scene.species_of(id)?;
        let name = format!("Agent {} · {}", grouped(id.into()), readable(&species.name));
        let ring = |at| {
            let radius = 1.8 * species.radius * view.pixels_per_unit(size);
            Some((view.project(at, size)?.into(), radius.max(SMALLEST_RING)))
        };
        Some(Mark { place: place.and_then(ring), name })
    }
}

/// What moves the camera.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Guide {
    /// The scene: its keys `camera.follow` and `camera.turn`.
    #[default]
    Scene,
    /// All agents, in a spatial world.
    Flock,
    /// An agent, from behind it or out of its eyes.
    Agent {
        /// Its id; `None` while the agent nearest to the middle of the picture is searched.
        id: Option<u32>,
        /// Does the camera see out of its eyes?
        eyes: bool,
    },
    /// The user.
    User,
}

/// The camera's guide, and what it reads of agents.
#[derive(Default)]
pub struct Gaze {
    guide: Guide,
    /// Does the camera also go around?
    turns: bool,
    flock: Option<Flock>,
    chase: Chase,
}

/// The positions of all agents as last read, empty at first; and when they arrived.
#[derive(Default)]
struct Flock {
    positions: Vec<u32>,
    ids: Vec<u32>,
    since: Option<Instant>,
    /// The reads under way: positions, then ids.
    coming: Option<Box<[Pending<Vec<u32>>; 2]>>,
    /// Size of the picture for which the camera last framed them, px.
    size: (u32, u32),
}

/// A search, under way on the device, for the agent nearest to a point of the picture: its id, and its distance there, px.
pub type Finding = Box<Pending<Option<(u32, f32)>>>;

/// The agent that is chased.
#[derive(Default)]
struct Chase {
    track: Track,
    /// The search for the agent nearest to the middle of the picture.
    finding: Option<Finding>,
}

/// What the camera is moved by: the agents, the time since it was moved last, s, and the size of the picture, px.
type Frame<'a> = (&'a Simulation, f32, (u32, u32));

impl Gaze {
    /// Did the user move the camera?
    pub fn touched(&self) -> bool {
        self.guide != Guide::Scene
    }

    /// Let the user move the camera from now on.
    pub fn touch(&mut self) {
        self.obey(Guide::User);
    }

    fn obey(&mut self, guide: Guide) {
        *self = Gaze { guide, turns: self.turns, ..Gaze::default() };
    }

    /// Start or stop going around, and return whether it goes around now. It also stops going around that the scene asks for, which does
    /// not happen while paused.
    pub fn toggle_turn(&mut self, camera: &Camera, paused: bool) -> bool {
        let turns = self.turns || (self.guide == Guide::Scene && camera.turn != 0.0 && !paused);
        if self.guide == Guide::Scene {
            self.obey(if camera.follow { Guide::Flock } else { Guide::User });
        }
        self.turns = !turns;
        self.turns
    }

    /// Follow all agents from now on.
    pub fn follow(&mut self) {
        self.obey(Guide::Flock);
    }

    /// Chase an agent: the picked one; or if one is chased already in this way, another one. `agents` is the number of agents.
    pub fn chase(&mut self, eyes: bool, agents: u32, picked: Option<u32>) {
        let id = match self.guide {
            Guide::Agent { id: Some(id), eyes: now } if now == eyes => {
                Some(((f64::from(id) + GOLDEN * f64::from(agents)) % f64::from(agents.max(1))) as u32)
            }
            Guide::Agent { id, .. } => id,
            _ => picked,
        };
        self.obey(Guide::Agent { id, eyes });
    }

    /// The id of the chased agent, if it is known.
    pub fn chased(&self) -> Option<u32> {
        if let Guide::Agent { id, .. } = self.guide { id } else { None }
    }

    /// If an agent is chased, chase this one instead.
    pub fn turn_to(&mut self, id: u32) {
        if let Guide::Agent { eyes, .. } = self.guide {
            self.obey(Guide::Agent { id: Some(id), eyes });
        }
    }

    /// Drop the reads that are under way, because their device was lost.
    pub fn forget(&mut self) {
        self.obey(self.guide);
    }

    /// Does the camera move, or is a read under way, so that frames go on although the simulation rests?
    pub fn restless(&self) -> bool {
        let coming = self.flock.as_ref().is_some_and(|flock| flock.coming.is_some());
        coming || self.turns || matches!(self.guide, Guide::Agent { .. })
    }

    /// The mark of the chased agent, if one is chased. `size` is that of the picture, px.
    pub fn mark(&self, view: &View, scene: &Scene, size: (u32, u32)) -> Option<Mark> {
        let Guide::Agent { id: Some(id), eyes } = self.guide else { return None };
        Mark::new(id, self.chase.track.place().filter(|_| !eyes), view, scene, size)
    }

    /// Move the camera by what its guide asks for in the time `elapsed`. `size` is that of the picture, px.
    pub fn guide(
        &mut self,
        view: &mut View,
        simulation: &Simulation,
        elapsed: Duration,
        paused: bool,
        size: (u32, u32),
    ) -> Result<(), GpuError> {
        // The limit keeps the camera from jumping after a time in which nothing was drawn.
        let seconds = elapsed.as_secs_f32().min(0.5);
        let (camera, frame) = (simulation.scene().camera, (simulation, seconds, size));
        if self.turns {
            view.turn(TURN * seconds);
        }
        match self.guide {
            Guide::User => Ok(()),
            Guide::Flock => self.follow_all(view, frame),
            Guide::Scene => {
                if !paused {
                    view.turn_with(&camera, seconds);
                }
                if camera.follow { self.follow_all(view, frame) } else { Ok(()) }
            }
            Guide::Agent { id, eyes } => self.chase_one(view, frame, (id, eyes)),
        }
    }

    fn follow_all(&mut self, view: &mut View, (simulation, seconds, size): Frame) -> Result<(), GpuError> {
        let Flock { positions, ids, since, coming, size: framed } = self.flock.get_or_insert_default();
        if coming.is_none() && since.is_none_or(|since| since.elapsed() >= FLOCK_EVERY) {
            let [positions, ids] = [BufferId::Position, BufferId::Id].map(|buffer| simulation.read_words(buffer));
            *coming = Some(Box::new([positions?, ids?]));
        }
        if let Some(pending) = arrived(coming, |read| &read[1])? {
            let [places, who] = pending.map(Pending::wait);
            (*positions, *ids, *since) = (places?, who?, Some(Instant::now()));
        }
        // A picture of another size is framed at once.
        let share = if std::mem::replace(framed, size) == size { View::eased(seconds) } else { 1.0 };
        view.follow(positions, ids, share, size);
        Ok(())
    }

    fn chase_one(
        &mut self,
        view: &mut View,
        (simulation, seconds, size): Frame,
        (id, eyes): (Option<u32>, bool),
    ) -> Result<(), GpuError> {
        let scene = simulation.scene();
        let Chase { track, finding } = &mut self.chase;
        let Some(id) = id.filter(|id| *id < scene.agent_count()) else {
            if finding.is_none() {
                let middle = (size.0 as f32 * 0.5, size.1 as f32 * 0.5);
                *finding = Some(Box::new(simulation.read_nearest(&view.sight(middle, size))?));
            }
            if let Some(pending) = arrived(finding, |read| read)? {
                self.guide = Guide::Agent { id: pending.wait()?.map(|(id, _)| id), eyes };
            }
            return Ok(());
        };
        if let Some((at, velocity)) = track.follow(simulation, id)? {
            let toward = velocity.try_normalize().unwrap_or(glam::Vec3::X);
            let radius = scene.species_of(id).map_or(0.5, |species| species.radius);
            view.chase(at, toward, radius, eyes, 1.0 - (-seconds / EASE).exp());
        }
        Ok(())
    }
}

/// Take what is under way, if the read that `read` finds in it is complete. Does not wait.
pub fn arrived<C, T>(coming: &mut Option<C>, read: fn(&C) -> &Pending<T>) -> Result<Option<C>, GpuError> {
    match coming {
        Some(found) if read(found).poll_device()? => Ok(coming.take()),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_agent_each_time_and_the_same_from_its_eyes() {
        let mut gaze = Gaze { guide: Guide::Agent { id: Some(3), eyes: false }, ..Gaze::default() };
        gaze.chase(true, 10, Some(7));
        assert_eq!(gaze.guide, Guide::Agent { id: Some(3), eyes: true }, "the same agent");
        let mut seen = Vec::new();
        for _ in 0..4 {
            gaze.chase(true, 10, None);
            let Guide::Agent { id: Some(id), .. } = gaze.guide else { panic!("{:?}", gaze.guide) };
            assert!(id < 10 && !seen.contains(&id), "{id} after {seen:?}");
            seen.push(id);
        }
        gaze.touch();
        gaze.turn_to(2);
        assert!(gaze.touched() && !gaze.restless() && gaze.chased().is_none());
        gaze.chase(false, 10, Some(7));
        assert_eq!(gaze.chased(), Some(7), "the picked one");
        gaze.turn_to(2);
        assert_eq!(gaze.guide, Guide::Agent { id: Some(2), eyes: false });
        assert!(!Gaze::default().touched());
    }
}
