//! The run so far, as a record: snapshots within a budget, and what was changed when. From these every step of it is computed again.
//!
//! A device that is lost falls back to it too.

use super::seen::{Measured, Seen};
use crate::viewer::trailing::Laid;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use steerling::gpu::{GpuError, Pending, Simulation};
use steerling::model::{Recast, Snapshot};
use steerling::scene::{Behavior, Scene, Setting, Species};

/// What snapshots and changes may take where nobody says how much, as `view --past` has it, bytes.
const BUDGET: usize = 256 << 20;
/// Least time between two snapshots of a run.
const EVERY: Duration = Duration::from_millis(500);
/// Of that time, a snapshot takes at most one part in so many.
const SHARE: u32 = 20;
/// Most snapshots that are on their way at once.
const MOST_COMING: usize = 2;

/// A state of the run that was kept.
#[derive(Clone)]
pub struct Moment {
    pub snapshot: Arc<Snapshot>,
    /// How many changes of the record were made before it.
    made: usize,
}

impl Moment {
    fn step(&self) -> u64 {
        self.snapshot.steps
    }

    fn bytes(&self) -> usize {
        self.snapshot.columns().map(|(_, words)| size_of_val(words)).sum()
    }
}

/// What the user changed between two steps.
#[derive(Clone)]
pub enum Changed {
    /// Values of the scene, and other agents that came with them.
    Scene(Box<Scene>, Option<Arc<Recast>>),
    /// Where the pointer is, which agents may follow.
    Mouse(glam::Vec3),
    /// The trail on the ground.
    Trail(Arc<Laid>),
}

impl Changed {
    fn bytes(&self) -> usize {
        let (scene, recast) = match self {
            Changed::Scene(scene, recast) => (scene, recast),
            Changed::Mouse(_) => return size_of::<(u64, Changed)>(),
            Changed::Trail(laid) => return size_of::<(u64, Changed)>() + laid.bytes(),
        };
        let behaviors = scene.species.iter().flat_map(|species| &species.behaviors);
        let settings = behaviors.map(|b| size_of::<Behavior>() + b.parameters.len() * size_of::<Setting>());
        size_of::<Scene>()
            + recast.as_ref().map_or(0, |recast| recast.bytes())
            + scene.species.len() * size_of::<Species>()
            + settings.sum::<usize>()
            + scene.map.as_ref().map_or(0, |map| std::mem::size_of_val(&map.strokes[..]))
            + scene.source.text.len()
    }
}

/// A snapshot on its way. Neither the device nor the sorting of a million agents holds up the window.
struct Coming {
    step: u64,
    made: usize,
    /// The scene then.
    scene: Scene,
    stage: Stage,
}

enum Stage {
    /// The device copies the words.
    Copied(Box<Pending<Snapshot>>),
    /// A thread puts them into the order of ids, and measures.
    Sorted(JoinHandle<Option<Taken>>),
}

/// A snapshot, what is measured of it, and how long that took.
type Taken = (Snapshot, Measured, Duration);

/// The record of a run.
pub struct Past {
    budget: usize,
    /// The first step that can be gone back to, and the scene then.
    first_step: u64,
    first_scene: Scene,
    /// In the order of steps. Where the first step is not 0, the first of them is of that step.
    moments: Vec<Moment>,
    /// Each with the step before which it was made.
    changes: Vec<(u64, Changed)>,
    /// How many of these are made by now; later ones belong to steps that were gone back from.
    made: usize,
    /// The latest step that is known.
    end: u64,
    /// What was seen on the way.
    pub seen: Seen,
    /// Steps that the user marked, and what they are called.
    pub marks: BTreeMap<u64, String>,
    coming: Vec<Coming>,
    /// When and after which step the latest snapshot was asked for, and how long one takes.
    asked: Option<(Instant, u64)>,
    took: Duration,
    /// How often a run began anew in this record.
    pub begun: u32,
}

impl Past {
    /// Of a run that begins with this scene.
    pub fn new(scene: &Scene) -> Past {
        Past {
            budget: BUDGET,
            first_step: 0,
            first_scene: scene.clone(),
            moments: Vec::new(),
            changes: Vec::new(),
            made: 0,
            end: 0,
            seen: Seen::default(),
            marks: BTreeMap::new(),
            coming: Vec::new(),
            asked: None,
            took: Duration::ZERO,
            begun: 0,
        }
    }

    /// The same record for a run that goes on by itself. Snapshots are shared.
    pub fn copy(&self) -> Past {
        let (first_scene, moments, changes) = (self.first_scene.clone(), self.moments.clone(), self.changes.clone());
        let (seen, marks) = (self.seen.clone(), self.marks.clone());
        Past { first_scene, moments, changes, seen, marks, coming: Vec::new(), ..*self }
    }

    /// Snapshots and changes may take so many MiB. The latest snapshot is always kept.
    pub fn allow(&mut self, mebibytes: u32) {
        self.budget = (mebibytes as usize) << 20;
    }

    /// Another run begins, with the same budget. Where it is the same run once more, which was never changed, its marks stay.
    pub fn begin_anew(&mut self, scene: &Scene) {
        let shown_alike = self.first_scene.with(|draft| {
            (draft.look, draft.camera) = (scene.look, scene.camera);
            (draft.name, draft.source) = (scene.name.clone(), scene.source.clone());
        });
        let same = self.first_step == 0 && self.changes.is_empty() && shown_alike.is_ok_and(|first| first == *scene);
        let marks = if same { std::mem::take(&mut self.marks) } else { BTreeMap::new() };
        *self = Past { budget: self.budget, begun: self.begun + 1, marks, ..Past::new(scene) };
    }

    /// The first and the latest step that can be gone to.
    pub fn span(&self) -> (u64, u64) {
        (self.first_step, self.end)
    }

    /// The steps before which values were changed, or the trail: a stroke of it is one change, beside that of the trail which the scene
    /// begins with.
    pub fn changes(&self) -> impl Iterator<Item = u64> {
        let of_scene = |place: usize, step: u64| matches!(self.changes.get(place), Some((same, Changed::Scene(..))) if *same == step);
        let counts = move |place: usize, step: u64, changed: &Changed| match changed {
            Changed::Mouse(_) => false,
            Changed::Scene(..) => true,
            Changed::Trail(_) => !of_scene(place.wrapping_sub(1), step) && !of_scene(place + 1, step),
        };
        let all = self.changes.iter().enumerate();
        all.filter(move |(place, (step, changed))| counts(*place, *step, changed)).map(|(_, (step, _))| *step)
    }

    /// Bytes of snapshots and changes, and how many snapshots there are.
    pub fn size(&self) -> (usize, usize) {
        let changes = self.changes.iter().map(|(_, changed)| changed.bytes());
        (self.moments.iter().map(Moment::bytes).chain(changes).sum(), self.moments.len())
    }

    /// Has the record more behind this step, which the run is at?
    pub fn goes_on(&self, step: u64) -> bool {
        step < self.end || self.made < self.changes.len()
    }

    /// The run has come to this step.
    pub fn reached(&mut self, step: u64) {
        self.end = self.end.max(step);
    }

    /// The run goes on otherwise from this step: what lies behind it is no more.
    pub fn cut(&mut self, step: u64) {
        let made = self.made;
        self.changes.truncate(made);
        self.moments.retain(|moment| moment.step() <= step && moment.made <= made);
        self.coming.retain(|coming| coming.step <= step && coming.made <= made);
        self.seen.cut(step);
        self.marks.retain(|marked, _| *marked <= step);
        self.end = step;
    }

    /// The scene at the start, where nothing was changed since, up to now.
    pub fn untouched(&self) -> Option<&Scene> {
        (self.first_step == 0 && self.made == 0).then_some(&self.first_scene)
    }

    /// The user changed something at this step.
    pub fn change(&mut self, step: u64, changed: Changed) {
        self.cut(step);
        // Between two steps only the last place of the pointer counts.
        if let (Some((at, Changed::Mouse(last))), Changed::Mouse(now)) = (self.changes.last_mut(), &changed)
            && *at == step
        {
            *last = *now;
            return;
        }
        self.changes.push((step, changed));
        self.made = self.changes.len();
    }

    /// Where the next change that the record has was made.
    pub fn next_change(&self) -> Option<u64> {
        self.changes.get(self.made).map(|(step, _)| *step)
    }

    /// The next change, if it was made at this step. It counts as made from now on.
    pub fn take_change(&mut self, step: u64) -> Option<&Changed> {
        let (_, changed) = self.changes.get(self.made).filter(|(at, _)| *at <= step)?;
        self.made += 1;
        Some(changed)
    }

    /// The moment from which a step is computed again, at least one step before it: what a step leaves beside the state is shown too.
    /// None for the start.
    pub fn before(&self, step: u64) -> Option<&Moment> {
        let first = self.moments.first().filter(|first| first.step() == self.first_step && first.made == 0);
        self.moments.iter().rfind(|moment| moment.step() < step).or(first)
    }

    /// The scene at a moment, or at the start; from now on the changes before it are made.
    pub fn go_back(&mut self, to: Option<&Moment>) -> Scene {
        self.made = to.map_or(0, |moment| moment.made);
        self.scene_after(self.made)
    }

    /// The scene at the end of the record.
    pub fn last_scene(&self) -> Scene {
        self.scene_after(self.changes.len())
    }

    /// The scene after so many changes.
    fn scene_after(&self, made: usize) -> Scene {
        let made = &self.changes[..made];
        let scene = made.iter().rposition(|(_, changed)| matches!(changed, Changed::Scene(..)));
        let base =
            scene.and_then(|at| if let (_, Changed::Scene(scene, _)) = &made[at] { Some(&**scene) } else { None });
        let base = base.unwrap_or(&self.first_scene);
        let mut later = made[scene.map_or(0, |at| at + 1)..].iter().rev();
        let mouse = |(_, changed): &(u64, Changed)| if let Changed::Mouse(at) = changed { Some(*at) } else { None };
        let Some(mouse) = later.find_map(mouse) else { return base.clone() };
        let pointed = base.with(|draft| draft.mouse = mouse);
        pointed.unwrap_or_else(|_| base.clone())
    }

    /// Take a snapshot if it is time, and see how far the pending ones have come.
    pub fn keep(&mut self, simulation: &Simulation, rests: bool) -> Result<(), GpuError> {
        let mut came = Vec::new();
        for Coming { step, made, scene, stage } in std::mem::take(&mut self.coming) {
            let stage = match stage {
                Stage::Copied(pending) if pending.poll_device()? => {
                    let scene = scene.clone();
                    Stage::Sorted(std::thread::spawn(move || {
                        let start = Instant::now();
                        let snapshot = pending.wait().ok()?;
                        let measured = Measured::of(&scene, &snapshot);
                        Some((snapshot, measured, start.elapsed()))
                    }))
                }
                Stage::Sorted(thread) if thread.is_finished() => {
                    came.push((thread, made));
                    continue;
                }
                stage => stage,
            };
            self.coming.push(Coming { step, made, scene, stage });
        }
        let now = simulation.steps();
        self.take(came, now);
        let every = EVERY.max(self.took * SHARE);
        if self.asked.is_none_or(|(at, step)| step != now && (rests || at.elapsed() >= every)) {
            self.ask(simulation);
        }
        Ok(())
    }

    /// Take a snapshot of now, unless there is one or enough are on their way.
    pub fn ask(&mut self, simulation: &Simulation) {
        let (step, made) = (simulation.steps(), self.made);
        let mut known = self.moments.iter().map(|moment| (moment.step(), moment.made));
        let coming = self.coming.iter().any(|coming| (coming.step, coming.made) == (step, made));
        if coming || known.any(|moment| moment == (step, made)) || self.coming.len() >= MOST_COMING {
            return;
        }
        self.asked = Some((Instant::now(), step));
        let stage = Stage::Copied(Box::new(simulation.read_snapshot()));
        self.coming.push(Coming { step, made, scene: simulation.scene().clone(), stage });
    }

    /// The snapshot of the latest step.
    pub fn latest(&self) -> Option<&Snapshot> {
        self.moments.last().map(|moment| &*moment.snapshot)
    }

    /// Is a snapshot on its way?
    pub fn busy(&self) -> bool {
        !self.coming.is_empty()
    }

    /// The device is lost: the latest snapshot that came off it, if there is any, and the scene then. It is the end of the record.
    pub fn fall_back(&mut self, now: u64) -> Option<Moment> {
        // What failed with the device is no snapshot.
        let sorted = |coming: Coming| match coming.stage {
            Stage::Sorted(thread) => Some((thread, coming.made)),
            Stage::Copied(_) => None,
        };
        let came = std::mem::take(&mut self.coming).into_iter().filter_map(sorted).collect();
        self.take(came, now);
        self.asked = None;
        let made = self.made;
        let kept = self.moments.iter().rfind(|moment| moment.step() <= now && moment.made <= made)?.clone();
        self.go_back(Some(&kept));
        self.cut(kept.step());
        Some(kept)
    }

    /// Keep snapshots that came, each with the number of changes before it. All are there before any is let go, because what is let go
    /// may be changes.
    fn take(&mut self, came: Vec<(JoinHandle<Option<Taken>>, usize)>, now: u64) {
        for (thread, made) in came {
            let Some((snapshot, measured, took)) = thread.join().ok().flatten() else { continue };
            self.took = took;
            self.seen.measure(snapshot.steps, measured);
            let moment = Moment { snapshot: Arc::new(snapshot), made };
            let at = self.moments.partition_point(|other| (other.step(), other.made) < (moment.step(), made));
            self.moments.insert(at, moment);
        }
        self.thin_out(now);
    }

    /// Keep to the budget. What goes is what lies closest between its neighbors, compared with how far it is from now: so the way back
    /// by a few steps is short, and the whole run can be reached.
    fn thin_out(&mut self, now: u64) {
        let changes = |past: &Past| past.changes.iter().map(|(_, changed)| changed.bytes()).sum::<usize>();
        let moments = |past: &Past| past.moments.iter().map(Moment::bytes).sum::<usize>();
        if changes(self) > self.budget / 2 && changes(self) > moments(self) {
            self.forget_half();
        }
        let (changes, mut moments, first) = (changes(self), moments(self), usize::from(self.first_step > 0));
        while changes + moments > self.budget && self.moments.len() > first + 1 {
            let step = |at: usize| self.moments.get(at).map_or(self.end, Moment::step);
            let worth = |at: usize| {
                let before = if at == 0 { self.first_step } else { step(at - 1) };
                (step(at + 1).saturating_sub(before)) as f64 / (1 + now.abs_diff(step(at))) as f64
            };
            let least = (first..self.moments.len() - 1).min_by(|a, b| worth(*a).total_cmp(&worth(*b)));
            let gone = self.moments.remove(least.unwrap_or(first));
            moments -= gone.bytes();
        }
    }

    /// The changes take too much: the record begins later, at a moment after about half of them.
    fn forget_half(&mut self) {
        let half = self.made / 2;
        let Some(at) = self.moments.iter().position(|moment| moment.made > half && moment.made <= self.made) else {
            return;
        };
        let (now, moment) = (self.made, self.moments[at].clone());
        (self.first_scene, self.first_step) = (self.go_back(Some(&moment)), moment.step());
        self.marks.retain(|marked, _| *marked >= moment.step());
        self.moments.drain(..at);
        self.changes.drain(..moment.made);
        self.moments.iter_mut().for_each(|kept| kept.made -= moment.made);
        self.coming.retain(|coming| coming.made >= moment.made);
        self.coming.iter_mut().for_each(|coming| coming.made -= moment.made);
        self.made = now - moment.made;
    }
}
