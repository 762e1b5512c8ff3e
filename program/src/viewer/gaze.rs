//! What moves the camera unless the user drags it: the scene, the flock, or an agent that it chases.

use super::format::readable;
use steerling::gpu::{Agent, GpuError, Pending, Simulation};
use steerling::model::BufferId;
use steerling::render::View;
use steerling::scene::Scene;
use std::time::{Duration, Instant};

/// Time between two readings of where the agents are.
const FLOCK_EVERY: Duration = Duration::from_millis(250);
/// The same where one of them is chased.
const AGENT_EVERY: Duration = Duration::from_millis(60);
/// Time in which a camera that chases goes two thirds of its way, s.
const EASE: f32 = 0.25;
/// Where two agents are seldom alike: the golden section of all ids.
const OTHER: f64 = 0.618_033_988_749_895;

/// Least radius of the ring around the agent that is chased, px.
const SMALLEST_RING: f32 = 10.0;

/// The agent that is chased, as the picture shows it.
pub struct Mark {
    /// Where it is, and how far around the ring goes, px; none out of its eyes.
    pub place: Option<((f32, f32), f32)>,
    /// What it is called.
    pub name: String,
}

/// What moves the camera.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Guide {
    /// The scene: its keys `camera.follow` and `camera.turn`.
    #[default]
    Scene,
    /// The middle of all agents, in a spatial world.
    Flock,
    /// An agent, from behind it or out of its eyes; at first the one that is nearest to the middle of the picture.
    Agent {
        /// Its id, when that is known.
        id: Option<u32>,
        /// Out of its eyes?
        eyes: bool,
    },
    /// The user.
    User,
}

/// The camera's guide, and what it has seen.
#[derive(Default)]
pub struct Gaze {
    guide: Guide,
    flock: Option<Flock>,
    chase: Chase,
}

/// Where agents were lately, and since when that is known; at first nowhere.
#[derive(Default)]
struct Flock {
    positions: Vec<u32>,
    since: Option<Instant>,
    coming: Option<Box<Pending<Vec<u32>>>>,
    /// Of the picture that they were framed for, px.
    size: (u32, u32),
}

/// The agent that is chased.
#[derive(Default)]
struct Chase {
    /// Position and velocity, and the step after which they were read.
    seen: Option<(glam::Vec3, glam::Vec3, u64)>,
    /// The id of the agent in the middle, on its way.
    finding: Option<Box<Pending<Option<u32>>>>,
    /// The agent on its way, and the step after which it was read.
    coming: Option<(Box<Pending<Vec<Agent>>>, u64)>,
    since: Option<Instant>,
    /// Where it is by now.
    place: Option<glam::Vec3>,
}

impl Gaze {
    /// Did the user move the camera?
    pub fn touched(&self) -> bool {
        self.guide != Guide::Scene
    }

    /// The camera is the user's from now on.
    pub fn touch(&mut self) {
        *self = Gaze { guide: Guide::User, ..Gaze::default() };
    }

    /// Follow all agents from now on.
    pub fn follow(&mut self) {
        *self = Gaze { guide: Guide::Flock, ..Gaze::default() };
    }

    /// Chase an agent from now on; where one is chased already in this way, another one. `agents` is how many there are.
    pub fn chase(&mut self, eyes: bool, agents: u32) {
        let id = match self.guide {
            Guide::Agent { id: Some(id), eyes: now } if now == eyes => {
                Some(((f64::from(id) + OTHER * f64::from(agents)) % f64::from(agents.max(1))) as u32)
            }
            Guide::Agent { id, .. } => id,
            _ => None,
        };
        *self = Gaze { guide: Guide::Agent { id, eyes }, ..Gaze::default() };
    }

    /// What was on its way from a device that is lost does not come.
    pub fn forget(&mut self) {
        *self = Gaze { guide: self.guide, ..Gaze::default() };
    }

    /// Is there more to come, although the simulation rests?
    pub fn restless(&self) -> bool {
        let coming = self.flock.as_ref().is_some_and(|flock| flock.coming.is_some());
        coming || matches!(self.guide, Guide::Agent { .. })
    }

    /// The agent that it chases, where that is known. `size` is that of the picture, px.
    pub fn mark(&self, view: &View, scene: &Scene, size: (u32, u32)) -> Option<Mark> {
        let Guide::Agent { id: Some(id), eyes } = self.guide else { return None };
        let species = scene.species_of(id)?;
        let name = format!("Agent {id} · {}", readable(&species.name));
        let ring = |at| {
            let radius = 1.8 * species.radius * view.pixels_per_unit(size);
            Some((view.project(at, size)?.into(), radius.max(SMALLEST_RING)))
        };
        Some(Mark { place: self.chase.place.filter(|_| !eyes).and_then(ring), name })
    }

    /// Move the camera by what its guide asks of it in this time. `size` is that of the picture, px.
    pub fn guide(
        &mut self,
        view: &mut View,
        simulation: &Simulation,
        elapsed: Duration,
        paused: bool,
        size: (u32, u32),
    ) -> Result<(), GpuError> {
        // After a time in which nothing was drawn the camera does not jump.
        let seconds = elapsed.as_secs_f32().min(0.5);
        let camera = simulation.scene().camera;
        match self.guide {
            Guide::User => Ok(()),
            Guide::Flock => self.follow_all(view, simulation, seconds, size),
            Guide::Scene => {
                if !paused {
                    view.turn_with(&camera, seconds);
                }
                if camera.follow { self.follow_all(view, simulation, seconds, size) } else { Ok(()) }
            }
            Guide::Agent { id, eyes } => self.chase_one(view, simulation, seconds, size, (id, eyes)),
        }
    }

    fn follow_all(
        &mut self,
        view: &mut View,
        simulation: &Simulation,
        seconds: f32,
        size: (u32, u32),
    ) -> Result<(), GpuError> {
        let Flock { positions, since, coming, size: framed } = self.flock.get_or_insert_default();
        if coming.is_none() && since.is_none_or(|since| since.elapsed() >= FLOCK_EVERY) {
            *coming = Some(Box::new(simulation.read_words(BufferId::Position)?));
        }
        if let Some(pending) = arrived(coming)? {
            (*positions, *since) = (pending.wait()?, Some(Instant::now()));
        }
        // A picture of another size is framed at once.
        let share = if std::mem::replace(framed, size) == size { View::eased(seconds) } else { 1.0 };
        view.follow(positions, share, size);
        Ok(())
    }

    fn chase_one(
        &mut self,
        view: &mut View,
        simulation: &Simulation,
        seconds: f32,
        size: (u32, u32),
        (id, eyes): (Option<u32>, bool),
    ) -> Result<(), GpuError> {
        let scene = simulation.scene();
        let Chase { seen, finding, coming, since, place } = &mut self.chase;
        let Some(id) = id.filter(|id| *id < scene.agent_count()) else {
            if finding.is_none() {
                let middle = (size.0 as f32 * 0.5, size.1 as f32 * 0.5);
                *finding = Some(Box::new(simulation.read_nearest(&view.sight(middle, size))?));
            }
            if let Some(pending) = arrived(finding)? {
                self.guide = Guide::Agent { id: pending.wait()?, eyes };
            }
            return Ok(());
        };
        if coming.is_none() && since.is_none_or(|since| since.elapsed() >= AGENT_EVERY) {
            *coming = Some((Box::new(simulation.read_agents(&[id])?), simulation.steps()));
        }
        if let Some((pending, step)) = coming.take() {
            if pending.poll_device()? {
                let agent = pending.wait()?.into_iter().next();
                *seen = agent.map(|agent| (agent.position.into(), agent.velocity.into(), step));
                *since = Some(Instant::now());
            } else {
                *coming = Some((pending, step));
            }
        }
        if let Some((at, velocity, step)) = *seen {
            // Where it will have come by now.
            let at = at + velocity * scene.dt * simulation.steps().saturating_sub(step) as f32;
            let toward = velocity.try_normalize().unwrap_or(glam::Vec3::X);
            let radius = scene.species_of(id).map_or(0.5, |species| species.radius);
            *place = Some(at).filter(|at| at.is_finite());
            if at.is_finite() {
                view.chase(at, toward, radius, eyes, 1.0 - (-seconds / EASE).exp());
            }
        }
        Ok(())
    }
}

/// Take what is on its way, if it is there. Nobody waits for it.
fn arrived<T>(coming: &mut Option<Box<Pending<T>>>) -> Result<Option<Box<Pending<T>>>, GpuError> {
    match coming {
        Some(pending) if pending.poll_device()? => Ok(coming.take()),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_agent_each_time_and_the_same_from_its_eyes() {
        let mut gaze = Gaze { guide: Guide::Agent { id: Some(3), eyes: false }, ..Gaze::default() };
        gaze.chase(true, 10);
        assert_eq!(gaze.guide, Guide::Agent { id: Some(3), eyes: true }, "the same agent");
        let mut seen = Vec::new();
        for _ in 0..4 {
            gaze.chase(true, 10);
            let Guide::Agent { id: Some(id), .. } = gaze.guide else { panic!("{:?}", gaze.guide) };
            assert!(id < 10 && !seen.contains(&id), "{id} after {seen:?}");
            seen.push(id);
        }
        gaze.touch();
        assert!(gaze.touched() && !gaze.restless());
        assert!(!Gaze::default().touched());
    }
}
