//! The agent that was picked with a click: where it is, and why it steers as it does.

use super::gaze::{Finding, Mark, arrived};
use super::pointer::GRASP;
use glam::{Vec2, Vec3};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use steerling::cpu::{Term, Why};
use steerling::gpu::{Agent, GpuError, Pending, Simulation};
use steerling::model::Snapshot;
use steerling::render::View;
use steerling::verify::Question;

/// Time between two readings of where an agent is.
const LOOK_EVERY: Duration = Duration::from_millis(60);
/// Least time between two questions while the scene runs.
const ASK_EVERY: Duration = Duration::from_millis(300);
/// An answer takes at most this share of the time.
const SHARE: u32 = 4;
/// Of more agents than this the question is asked at rest alone: the state of all of them has to come off the device.
pub const MOST_ASKED: u32 = 100_000;
/// The longest arrow, as a share of the picture's shorter side.
const REACH: f32 = 0.16;
/// Most neighbors that lines lead to.
const MOST_LINES: usize = 400;

/// Where one agent is, read again and again without waiting.
#[derive(Default)]
pub struct Track {
    /// Position and velocity, and the step after which they were read.
    seen: Option<(Vec3, Vec3, u64)>,
    /// The agent on its way, and the step after which it was read.
    coming: Option<(Box<Pending<Vec<Agent>>>, u64)>,
    since: Option<Instant>,
    /// Where it is by now, and its velocity.
    now: Option<(Vec3, Vec3)>,
}

impl Track {
    /// Where the agent will have come by now, and its velocity; none where that is not known yet.
    pub fn follow(&mut self, simulation: &Simulation, id: u32) -> Result<Option<(Vec3, Vec3)>, GpuError> {
        let Track { seen, coming, since, .. } = self;
        if coming.is_none() && since.is_none_or(|since| since.elapsed() >= LOOK_EVERY) {
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
        let dt = simulation.scene().dt;
        let now = seen.map(|(at, velocity, step)| {
            (at + velocity * dt * simulation.steps().saturating_sub(step) as f32, velocity)
        });
        self.now = now.filter(|(at, _)| at.is_finite());
        Ok(self.now)
    }

    /// Where it was and how it moved when that was asked last.
    pub fn motion(&self) -> Option<(Vec3, Vec3)> {
        self.now
    }

    /// Where it was when that was asked last.
    pub fn place(&self) -> Option<Vec3> {
        self.now.map(|(at, _)| at)
    }

    /// Is something on its way, or is what is known of another step?
    pub fn restless(&self, simulation: &Simulation) -> bool {
        self.coming.is_some() || self.seen.is_none_or(|(_, _, step)| step != simulation.steps())
    }
}

/// A question that is being answered. Neither the device nor the reference holds up the window.
enum Asking {
    /// The device copies the state.
    Copied(Box<Pending<Snapshot>>, Box<Question>),
    /// A thread asks the reference.
    Thinking(JoinHandle<Result<Vec<Why>, GpuError>>, Instant),
}

/// The picked agent.
#[derive(Default)]
pub struct Picked {
    id: Option<u32>,
    /// The search for the agent nearest to a click, on its way.
    finding: Option<Finding>,
    track: Track,
    asking: Option<Asking>,
    /// What was asked last, after which step, and when.
    asked: Option<(Question, u64, Instant)>,
    /// How long the latest answer took.
    took: Duration,
    answer: Option<Result<Why, String>>,
}

/// What the picture shows of the answer, px from its upper left corner.
#[derive(Debug, Default, PartialEq)]
pub struct Drawing {
    /// From, to, and the row of the term; none of the sum.
    pub arrows: Vec<(Vec2, Vec2, Option<usize>)>,
    /// What the force limit cuts off the sum.
    pub cut: Option<(Vec2, Vec2)>,
    /// To the neighbors that count.
    pub lines: Vec<(Vec2, Vec2)>,
    /// What terms head for: where it is, where it is expected, and the row of the term.
    pub aims: Vec<(Vec2, Option<Vec2>, usize)>,
}

/// What is shown of the picked agent.
pub struct Portrait<'a> {
    /// Its id.
    pub id: u32,
    /// The ring around it.
    pub mark: Option<Mark>,
    /// Why it steers as it does, or why that is not known; none where nobody has answered yet.
    pub answer: Option<&'a Result<Why, String>>,
    /// What to draw.
    pub drawing: Drawing,
    /// Steps since the start.
    pub steps: u64,
    /// Does the question wait until the run rests?
    pub waits: bool,
}

impl Picked {
    /// Its id.
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// A click at a place of the picture: the agent there is picked; where there is none, nothing is.
    pub fn click(
        &mut self,
        at: (f32, f32),
        view: &View,
        simulation: &Simulation,
        size: (u32, u32),
    ) -> Result<(), GpuError> {
        self.finding = Some(Box::new(simulation.read_nearest(&view.sight(at, size))?));
        Ok(())
    }

    /// Pick this agent.
    pub fn pick(&mut self, id: u32) {
        if self.id != Some(id) {
            *self = Picked { id: Some(id), ..Picked::default() };
        }
    }

    /// Let go. Says whether one was picked.
    pub fn let_go(&mut self) -> bool {
        std::mem::take(self).id.is_some()
    }

    /// Is there more to come, although the simulation rests?
    pub fn restless(&self, simulation: &Simulation) -> bool {
        self.finding.is_some() || self.asking.is_some() || self.id.is_some() && self.track.restless(simulation)
    }

    /// See what has come of clicks and questions, and ask again where it is time. Says who is picked anew.
    pub fn look(&mut self, simulation: &Simulation, paused: bool) -> Result<Option<u32>, GpuError> {
        let mut fresh = None;
        if let Some(pending) = arrived(&mut self.finding)? {
            match pending.wait()? {
                Some((id, away)) if away <= GRASP => {
                    self.pick(id);
                    fresh = Some(id);
                }
                _ => *self = Picked::default(),
            }
        }
        let agents = simulation.scene().agent_count();
        let Some(id) = self.id.filter(|id| *id < agents) else {
            // It may have gone with a change of their number.
            self.id = None;
            return Ok(fresh);
        };
        self.track.follow(simulation, id)?;
        self.asking = match self.asking.take() {
            Some(Asking::Copied(pending, question)) if pending.poll_device()? => {
                let think = move || question.answer(&pending.wait()?);
                Some(Asking::Thinking(std::thread::spawn(think), Instant::now()))
            }
            Some(Asking::Thinking(thread, since)) if thread.is_finished() => {
                self.took = since.elapsed();
                let answer = thread.join().unwrap_or_else(|_| Err(GpuError::Device("no answer".to_owned())));
                let answer = answer.map_err(|error| error.to_string());
                self.answer = answer.map(|said| said.into_iter().next()).transpose();
                None
            }
            asking => asking,
        };
        let (steps, live) = (simulation.steps(), agents <= MOST_ASKED);
        let question = || Question::new(simulation, &[id]);
        let due = match &self.asked {
            None => paused || live,
            Some((asked, step, _)) if paused => *step != steps || *asked != question(),
            Some((_, _, at)) => live && at.elapsed() >= ASK_EVERY.max(self.took * SHARE),
        };
        if self.asking.is_none() && due {
            self.asked = Some((question(), steps, Instant::now()));
            self.asking = Some(Asking::Copied(Box::new(simulation.read_snapshot()), Box::new(question())));
        }
        Ok(fresh)
    }

    /// What is to be shown of it, in a picture of this size, px.
    pub fn portrait(
        &self,
        view: &View,
        simulation: &Simulation,
        paused: bool,
        size: (u32, u32),
    ) -> Option<Portrait<'_>> {
        let (id, scene) = (self.id?, simulation.scene());
        let drawing = match (&self.answer, self.track.place()) {
            (Some(Ok(why)), Some(place)) => Drawing::new(why, place, view, size),
            _ => Drawing::default(),
        };
        let mark = Mark::new(id, self.track.place(), view, scene, size);
        let waits = !paused && scene.agent_count() > MOST_ASKED;
        Some(Portrait { id, mark, answer: self.answer.as_ref(), drawing, steps: simulation.steps(), waits })
    }
}

impl Drawing {
    /// Of an answer, around the place where the agent is by now.
    pub fn new(why: &Why, place: Vec3, view: &View, size: (u32, u32)) -> Drawing {
        let (at, moved) = (|point: Vec3| view.project(point, size), place - Vec3::from(why.position));
        let Some(from) = at(place) else { return Drawing::default() };
        // Pixels of one unit there, along the axis that is seen best.
        let seen = |axis: Vec3| at(place + axis * 1e-2).map_or(0.0, |to| 100.0 * to.distance(from));
        let pixels = Vec3::AXES.map(seen).into_iter().fold(0.0, f32::max);
        let linear = |(_, term): &(usize, &Term)| !term.angular && term.left > 0.0;
        let parts = || why.terms.iter().enumerate().filter(linear);
        let part = |term: &Term| Vec3::from(term.part) * term.left;
        let [asked, left] = [why.acceleration, why.limited].map(Vec3::from);
        let lengths = parts().map(|(_, term)| part(term).length()).chain([asked.length()]);
        let longest = lengths.fold(0.0, f32::max);
        let scale = REACH * size.0.min(size.1) as f32 / (pixels * longest);
        let tip = |vector: Vec3| at(place + vector * scale).filter(|_| scale.is_finite() && vector != Vec3::ZERO);
        let mut arrows: Vec<_> = parts().filter_map(|(row, term)| Some((from, tip(part(term))?, Some(row)))).collect();
        arrows.extend(tip(left).map(|to| (from, to, None)));
        let cut = (left.length() < 0.999 * asked.length()).then(|| Some((tip(left)?, tip(asked)?))).flatten();
        let lines = why.neighbors.iter().take(MOST_LINES);
        let lines = lines.filter_map(|near| Some((from, at(place + Vec3::from(near.offset))?))).collect();
        let aims = why.terms.iter().enumerate().flat_map(|(row, term)| term.aims.iter().map(move |aim| (row, aim)));
        let there = |point: [f32; 3]| at(Vec3::from(point) + moved);
        let aims =
            aims.filter_map(|(row, aim)| Some((there(aim.place)?, aim.predicted.and_then(there), row))).collect();
        Drawing { arrows, cut, lines, aims }
    }
}
