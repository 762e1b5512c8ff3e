//! What moves the camera as long as nobody drags it: the scene, the flock, or an agent that it chases.

use std::time::{Duration, Instant};
use steerling::gpu::{Agent, GpuError, Pending, Simulation};
use steerling::model::{BufferId, State};
use steerling::render::View;

/// Time between two looks at where the agents are.
const LOOK: Duration = Duration::from_millis(250);
/// The same where one of them is chased.
const CLOSE_LOOK: Duration = Duration::from_millis(60);
/// Time in which a camera that chases goes two thirds of its way, s.
const EASE: f32 = 0.25;
/// Where two agents are seldom alike: the golden section of all ids.
const OTHER: f64 = 0.618_033_988_749_895;

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

/// Where agents were lately, and since when that is known.
struct Flock {
    positions: Vec<u32>,
    since: Instant,
    coming: Option<Box<Pending<Vec<u32>>>>,
    /// Of the picture that they were framed for, px.
    size: (u32, u32),
}

/// The agent that is chased.
#[derive(Default)]
struct Chase {
    /// Position and velocity, and the step after which they were read.
    seen: Option<(glam::Vec3, glam::Vec3, u64)>,
    coming: Option<(Look, u64)>,
    since: Option<Instant>,
}

/// What is on its way: all agents, to find the one that is nearest to the middle, or only that one.
enum Look {
    All(Box<Pending<State>>),
    One(Box<Pending<Vec<Agent>>>),
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
        matches!(self.guide, Guide::Agent { .. })
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
        let Some(Flock { positions, since, coming, size: framed }) = &mut self.flock else {
            let positions = simulation.words(BufferId::Position)?;
            view.follow(&positions, 1.0, size);
            self.flock = Some(Flock { positions, since: Instant::now(), coming: None, size });
            return Ok(());
        };
        if coming.is_none() && since.elapsed() >= LOOK {
            *coming = Some(Box::new(simulation.read_words(BufferId::Position)?));
        }
        if let Some(pending) = coming.take() {
            if pending.poll_device()? {
                (*positions, *since) = (pending.wait()?, Instant::now());
            } else {
                *coming = Some(pending);
            }
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
        let Chase { seen, coming, since } = &mut self.chase;
        if coming.is_none() && since.is_none_or(|since| since.elapsed() >= CLOSE_LOOK) {
            let look = match id.filter(|id| *id < scene.agent_count()) {
                Some(id) => Look::One(Box::new(simulation.read_agents(&[id])?)),
                None => Look::All(Box::new(simulation.read_state())),
            };
            *coming = Some((look, simulation.steps()));
        }
        if let Some((look, step)) = coming.take_if(|(look, _)| look.has_come()) {
            let (id, place) = match look {
                Look::One(pending) => {
                    let agent = pending.wait()?.into_iter().next();
                    (agent.map(|agent| agent.id), agent.map(|agent| (agent.position, agent.velocity)))
                }
                Look::All(pending) => {
                    let state = pending.wait()?;
                    let id = nearest(&state, view, size);
                    (id, id.map(|id| (state.positions[id as usize], state.velocities[id as usize])))
                }
            };
            self.guide = Guide::Agent { id, eyes };
            *seen = place.map(|(at, velocity)| (at.into(), velocity.into(), step));
            *since = Some(Instant::now());
        }
        if let (Some((at, velocity, step)), Guide::Agent { id: Some(id), .. }) = (*seen, self.guide) {
            // Where it will have come by now.
            let at = at + velocity * scene.dt * simulation.steps().saturating_sub(step) as f32;
            let toward = velocity.try_normalize().unwrap_or(glam::Vec3::X);
            let radius = scene.species.iter().scan(0, |first, species| {
                *first += species.count;
                Some((*first, species.radius))
            });
            let radius = radius.into_iter().find(|(end, _)| id < *end).map_or(0.5, |(_, radius)| radius);
            if at.is_finite() {
                view.chase(at, toward, radius, eyes, 1.0 - (-seconds / EASE).exp());
            }
        }
        Ok(())
    }
}

impl Look {
    /// Is it there? What failed is, too: whoever takes it hears why.
    fn has_come(&self) -> bool {
        match self {
            Look::All(pending) => pending.poll_device(),
            Look::One(pending) => pending.poll_device(),
        }
        .unwrap_or(true)
    }
}

/// The agent that is nearest to the middle of the picture.
fn nearest(state: &State, view: &View, size: (u32, u32)) -> Option<u32> {
    let middle = glam::Vec2::new(size.0 as f32, size.1 as f32) * 0.5;
    let distance = |(id, at): (usize, &[f32; 3])| {
        let place = view.project(glam::Vec3::from_array(*at), size)?;
        Some((id as u32, place.distance_squared(middle))).filter(|_| !state.frozen[id])
    };
    let all = state.positions.iter().enumerate().filter_map(distance);
    all.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(id, _)| id)
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
