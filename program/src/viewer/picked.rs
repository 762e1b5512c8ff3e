//! The agents that were picked with a click: where they are, and why they steer as they do.

use super::gaze::{Finding, Mark, arrived};
use super::meaning::{self, Outline};
use super::panel::why::in_order_of_colors;
use super::pointer::GRASP;
use super::session::Session;
use super::session::audit::{AuditedAgent, MOST, Outcome};
use glam::{Vec2, Vec3};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use steerling::cpu::{Term, Why};
use steerling::gpu::{Agent, GpuError, Pending, Simulation};
use steerling::render::View;
use steerling::scene::Scene;

/// Time between two readings of an agent's position.
const LOOK_EVERY: Duration = Duration::from_millis(60);
/// The most agents that are picked at once, each with a ring of its own color.
pub const MOST_KEPT: usize = 6;
/// The most moments kept of an agent: half a minute, at the shortest interval between audits.
const MOMENTS: usize = 100;
/// The longest arrow, as a share of the picture's shorter side.
const REACH: f32 = 0.16;
/// The room around picked agents when the camera frames them, in radii of their bodies, so that their neighbors are seen too.
const ROOM: f32 = 12.0;
/// The most neighbors that lines are drawn to.
const MOST_LINES: usize = 400;

/// Follows the position of one agent, by reading it repeatedly without waiting.
#[derive(Default)]
pub struct Track {
    /// Position and velocity as last read, and the step after which they hold.
    seen: Option<(Vec3, Vec3, u64)>,
    /// The read under way, and its step.
    coming: Option<(Box<Pending<Vec<Agent>>>, u64)>,
    since: Option<Instant>,
    /// Extrapolated position, and velocity.
    now: Option<(Vec3, Vec3)>,
}

impl Track {
    /// The agent's position, extrapolated to the present step, and its velocity; `None` if they are not known yet.
    pub fn follow(&mut self, simulation: &Simulation, id: u32) -> Result<Option<(Vec3, Vec3)>, GpuError> {
        let Track { seen, coming, since, .. } = self;
        if coming.is_none() && since.is_none_or(|since| since.elapsed() >= LOOK_EVERY) {
            *coming = Some((Box::new(simulation.read_agents(&[id])?), simulation.steps()));
        }
        if let Some((pending, step)) = arrived(coming, |(read, _)| read)? {
            let agent = pending.wait()?.into_iter().next();
            *seen = agent.map(|agent| (agent.position.into(), agent.velocity.into(), step));
            *since = Some(Instant::now());
        }
        let dt = simulation.scene().dt;
        let now = seen.map(|(at, velocity, step)| {
            (at + velocity * dt * simulation.steps().saturating_sub(step) as f32, velocity)
        });
        self.now = now.filter(|(at, _)| at.is_finite());
        Ok(self.now)
    }

    /// Position and velocity as [`Track::follow`] last returned them.
    pub fn motion(&self) -> Option<(Vec3, Vec3)> {
        self.now
    }

    /// The position as [`Track::follow`] last returned it.
    pub fn place(&self) -> Option<Vec3> {
        self.now.map(|(at, _)| at)
    }

    /// Is a read under way, or was the latest one of another step?
    pub fn restless(&self, simulation: &Simulation) -> bool {
        self.coming.is_some() || self.seen.is_none_or(|(_, _, step)| step != simulation.steps())
    }
}

/// A picked agent.
pub struct Kept {
    pub id: u32,
    /// Index of the color of its ring.
    pub halo: usize,
    track: Track,
    audited: Option<Result<AuditedAgent, String>>,
    lately: Lately,
}

/// The latest moments of an agent, in the order of steps.
pub type Lately = VecDeque<Moment>;

/// Numbers of an agent in a step, as an audit told them.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    pub step: u64,
    /// u/s
    pub speed: f32,
    /// Its steering after the force limit, u/s².
    pub force: f32,
    pub neighbors: u32,
    /// Behaviors and their shares of the steering, in the order of [`Why::terms`].
    pub shares: Vec<(&'static str, f32)>,
}

impl Moment {
    pub fn of(why: &Why) -> Moment {
        let length = |vector: [f32; 3]| Vec3::from(vector).length();
        Moment {
            step: why.steps,
            speed: length(why.velocity),
            force: length(why.limited),
            neighbors: why.neighbors.len() as u32,
            shares: why.terms.iter().map(|term| (term.behavior, term.share)).collect(),
        }
    }
}

impl Kept {
    fn new(id: u32, halo: usize) -> Kept {
        Kept { id, halo, track: Track::default(), audited: None, lately: Lately::new() }
    }

    fn hear(&mut self, audited: Result<AuditedAgent, String>) {
        if let Ok(AuditedAgent { why, .. }) = &audited {
            // The run may have gone back, or restarted.
            self.lately.retain(|moment| moment.step < why.steps);
            let mut moment = Moment::of(why);
            if why.holds {
                // An agent that skips this step looks at no neighbors: keep its last number.
                moment.neighbors = self.lately.back().map_or(0, |latest| latest.neighbors);
            }
            self.lately.push_back(moment);
            if self.lately.len() > MOMENTS {
                self.lately.pop_front();
            }
        }
        self.audited = Some(audited);
    }
}

/// The agents that are picked.
#[derive(Default)]
pub struct Picked {
    kept: Vec<Kept>,
    /// Index of the one that is shown.
    shown: usize,
    /// The search for the agent nearest to a click, and whether the others stay picked beside it.
    finding: Option<(Finding, bool)>,
}

/// What the picture shows of why an agent steers as it does, px from its upper left corner.
#[derive(Debug, Default, PartialEq)]
pub struct Drawing {
    /// Arrows of terms: from, to, and the index of the term; `None` for that of the sum.
    pub arrows: Vec<(Vec2, Vec2, Option<usize>)>,
    /// The part of the sum that the force limit cuts off: from, to.
    pub cut: Option<(Vec2, Vec2)>,
    /// Lines from the agent to the neighbors that count.
    pub lines: Vec<(Vec2, Vec2)>,
    /// The targets of terms: their place, their predicted place, and the index of the term.
    pub aims: Vec<(Vec2, Option<Vec2>, usize)>,
    /// Outlines of how far the agent sees and feels.
    pub senses: Outline,
}

/// What is shown of the picked agents.
pub struct Portrait<'a> {
    /// The id of the one that is shown.
    pub id: u32,
    /// All picked agents: their ids, and the color indices of their rings.
    pub kept: Vec<(u32, usize)>,
    /// The marks around them, with the color indices of their rings.
    pub marks: Vec<(Mark, usize)>,
    /// What the latest audit told of the one that is shown, or why it failed; `None` before the first answer.
    pub audited: Option<&'a Result<AuditedAgent, String>>,
    /// The latest moments of the one that is shown.
    pub lately: &'a Lately,
    /// What to draw into the picture.
    pub drawing: Drawing,
    /// The behaviors in the order of their colors.
    pub colors: Vec<&'static str>,
    /// The present step.
    pub steps: u64,
    /// Is nothing audited until the run rests, because it has too many agents?
    pub waits: bool,
}

impl Picked {
    /// The id of the one that is shown.
    pub fn id(&self) -> Option<u32> {
        self.kept.get(self.shown).map(|kept| kept.id)
    }

    /// The ids of all picked agents.
    pub fn ids(&self) -> Vec<u32> {
        self.kept.iter().map(|kept| kept.id).collect()
    }

    /// The ids of all picked agents, and the color indices of their rings.
    pub fn rings(&self) -> Vec<(u32, usize)> {
        self.kept.iter().map(|kept| (kept.id, kept.halo)).collect()
    }

    /// The positions of the picked agents, as far as they are known.
    pub fn places(&self) -> Vec<Vec3> {
        self.kept.iter().filter_map(|kept| kept.track.place()).collect()
    }

    /// The room to leave around each of them when the camera frames them, u.
    pub fn room(&self, scene: &Scene) -> f32 {
        let radii = self.kept.iter().filter_map(|kept| Some(scene.species_of(kept.id)?.radius));
        ROOM * radii.fold(1e-6, f32::max)
    }

    /// Handle a click at a point of the picture: search the agent there, to be picked beside the others (`beside`) or in place of them.
    /// Without `beside`, a click where there is no agent lets all go.
    pub fn click(
        &mut self,
        at: (f32, f32),
        beside: bool,
        view: &View,
        simulation: &Simulation,
        size: (u32, u32),
    ) -> Result<(), GpuError> {
        self.finding = Some((Box::new(simulation.read_nearest(&view.sight(at, size))?), beside));
        Ok(())
    }

    /// Pick this agent alone.
    pub fn pick(&mut self, id: u32) {
        self.kept.retain(|kept| kept.id == id);
        self.add(id);
    }

    /// Pick this agent beside the others. If there are [`MOST_KEPT`] already, the one picked first is let go.
    pub fn add(&mut self, id: u32) {
        if !self.show(id) {
            if self.kept.len() >= MOST_KEPT {
                self.kept.remove(0);
            }
            let free = (0..MOST_KEPT).find(|halo| self.kept.iter().all(|kept| kept.halo != *halo));
            self.kept.push(Kept::new(id, free.unwrap_or_default()));
            self.shown = self.kept.len() - 1;
        }
    }

    /// Show this agent, if it is picked. Returns whether it is.
    pub fn show(&mut self, id: u32) -> bool {
        let place = self.kept.iter().position(|kept| kept.id == id);
        self.shown = place.unwrap_or(self.shown);
        place.is_some()
    }

    /// Show this agent. If it is not picked, it takes the place of the one that is shown.
    pub fn turn_to(&mut self, id: u32) {
        if !self.show(id)
            && let Some(shown) = self.kept.get_mut(self.shown)
        {
            *shown = Kept::new(id, shown.halo);
        }
    }

    /// Let this one go.
    pub fn drop_one(&mut self, id: u32) {
        let shown = self.id();
        self.kept.retain(|kept| kept.id != id);
        self.shown = self.shown.min(self.kept.len().saturating_sub(1));
        if let Some(shown) = shown {
            self.show(shown);
        }
    }

    /// Let all go. Returns whether any was picked.
    pub fn let_go(&mut self) -> bool {
        std::mem::take(self).id().is_some()
    }

    /// Drop the reads that are under way, because their device was lost or their run ended.
    pub fn forget(&mut self) {
        self.finding = None;
        self.kept.iter_mut().for_each(|kept| kept.track = Track::default());
    }

    /// Is a read under way or needed, so that frames go on although the simulation rests?
    pub fn restless(&self, simulation: &Simulation) -> bool {
        self.finding.is_some() || self.kept.iter().any(|kept| kept.track.restless(simulation))
    }

    /// Finish clicks whose search is complete, and update positions. Returns the id of a newly picked agent.
    pub fn look(&mut self, simulation: &Simulation) -> Result<Option<u32>, GpuError> {
        let mut fresh = None;
        if let Some((pending, beside)) = arrived(&mut self.finding, |(read, _)| read)? {
            match pending.wait()? {
                Some((id, away)) if away <= GRASP => {
                    if beside {
                        self.add(id)
                    } else {
                        self.pick(id)
                    }
                    fresh = Some(id);
                }
                _ if beside => {}
                _ => *self = Picked::default(),
            }
        }
        // A change of the number of agents may have removed picked ones.
        let agents = simulation.scene().agent_count();
        self.kept.retain(|kept| kept.id < agents);
        self.shown = self.shown.min(self.kept.len().saturating_sub(1));
        self.kept.iter_mut().try_for_each(|kept| kept.track.follow(simulation, kept.id).map(drop))?;
        Ok(fresh.filter(|id| *id < agents))
    }

    /// Take over the outcome of an audit.
    pub fn hear(&mut self, outcome: Outcome) {
        match outcome {
            Ok(all) => {
                for audited in all {
                    let kept = self.kept.iter_mut().find(|kept| kept.id == audited.why.agent);
                    if let Some(kept) = kept {
                        kept.hear(Ok(audited));
                    }
                }
            }
            Err(why) => self.kept.iter_mut().for_each(|kept| kept.hear(Err(why.clone()))),
        }
    }

    /// What is shown of the picked agents, in a picture of this size, px; `None` if none is picked.
    pub fn portrait(&self, view: &View, session: &Session, size: (u32, u32)) -> Option<Portrait<'_>> {
        let (simulation, paused) = (session.simulation(), session.paused());
        let (kept, scene) = (self.kept.get(self.shown)?, simulation.scene());
        let mut drawing = match (&kept.audited, kept.track.place()) {
            (Some(Ok(audited)), Some(place)) => Drawing::new(&audited.why, place, view, size),
            _ => Drawing::default(),
        };
        if let (Some(species), Some((at, velocity))) = (scene.species_of(kept.id), kept.track.motion()) {
            let most = scene.world.size.max_element();
            let senses = meaning::senses(species).into_iter().filter(|extent| extent.reach(velocity) <= most);
            drawing.senses = senses.flat_map(|extent| meaning::outline(extent, at, velocity, view, size)).collect();
        }
        let mark = |kept: &Kept| Some((Mark::new(kept.id, kept.track.place(), view, scene, size)?, kept.halo));
        Some(Portrait {
            id: kept.id,
            kept: self.rings(),
            marks: self.kept.iter().filter_map(mark).collect(),
            audited: kept.audited.as_ref(),
            lately: &kept.lately,
            drawing,
            colors: in_order_of_colors(session.original()),
            steps: simulation.steps(),
            waits: !paused && scene.agent_count() > MOST,
        })
    }
}

impl Drawing {
    /// The drawing of an answer, moved to where the agent is by now.
    pub fn new(why: &Why, place: Vec3, view: &View, size: (u32, u32)) -> Drawing {
        let (at, moved) = (|point: Vec3| view.project(point, size), place - Vec3::from(why.position));
        let Some(from) = at(place) else { return Drawing::default() };
        // The pixels of one u at that place, along the axis that looks longest.
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
        Drawing { arrows, cut, lines, aims, senses: Outline::new() }
    }
}
