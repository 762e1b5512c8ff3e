//! The run so far, as a record: snapshots within a budget, and what was changed when. From these every step of it can be computed again.
//!
//! After a device was lost, the run goes on from the record too.

use super::seen::{Measured, Seen};
use crate::viewer::trailing::Laid;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use steerling::gpu::{GpuError, Pending, Simulation};
use steerling::model::{Recast, Snapshot};
use steerling::scene::{Behavior, Draft, Scene, Setting, Species};

/// Memory that snapshots and changes may take by default, the same as the default of `view --past`, bytes.
const BUDGET: usize = 256 << 20;
/// Least time between two snapshots of a run.
const EVERY: Duration = Duration::from_millis(500);
/// Taking snapshots uses at most 1/`SHARE` of the time.
const SHARE: u32 = 20;
/// The most snapshots that are under way at once.
const MOST_COMING: usize = 2;

/// A snapshot of the run.
#[derive(Clone)]
pub struct Moment {
    pub snapshot: Arc<Snapshot>,
    /// Number of changes of the record that were made before it.
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
    /// Values of the scene, and agents that joined or were erased with them.
    Scene(Box<Scene>, Option<Arc<Recast>>),
    /// The place of the pointer, which agents may follow.
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

/// A snapshot under way: the device copies it and a thread sorts it, so that neither holds up the window.
struct Coming {
    step: u64,
    made: usize,
    /// The scene at that step.
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
    /// The first step that can be gone back to, and the scene at it.
    first_step: u64,
    first_scene: Scene,
    /// Snapshots in the order of steps. If `first_step` is not 0, the first of them is of that step.
    moments: Vec<Moment>,
    /// Changes in the order in which they were made, each with the step that the run was at.
    changes: Vec<(u64, Changed)>,
    /// Number of `changes` that the run has made by now; after going back, the others lie ahead.
    made: usize,
    /// The latest step of the record.
    end: u64,
    /// Observations and measurements by step.
    pub seen: Seen,
    /// Steps that the user marked, with their names.
    pub marks: BTreeMap<u64, String>,
    coming: Vec<Coming>,
    /// When and at which step the latest snapshot was requested.
    asked: Option<(Instant, u64)>,
    /// How long the latest snapshot took to sort and measure.
    took: Duration,
    /// How often the run began anew.
    pub begun: u32,
}

/// Give a draft the look, the camera, the name and the source of another: all that does not decide how the run goes on.
pub(super) fn show_as(draft: &mut Draft, other: &Draft) {
    (draft.look, draft.camera) = (other.look, other.camera);
    (draft.name, draft.source) = (other.name.clone(), other.source.clone());
}

impl Past {
    /// The record of a run that begins with this scene.
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

    /// A copy of the record, for a second run. Snapshots are shared.
    pub fn copy(&self) -> Past {
        let (first_scene, moments, changes) = (self.first_scene.clone(), self.moments.clone(), self.changes.clone());
        let (seen, marks) = (self.seen.clone(), self.marks.clone());
        Past { first_scene, moments, changes, seen, marks, coming: Vec::new(), ..*self }
    }

    /// Set the memory that snapshots and changes may take, MiB. The latest snapshot is always kept.
    pub fn allow(&mut self, mebibytes: u32) {
        self.budget = (mebibytes as usize) << 20;
    }

    /// Begin the record of another run, with the same budget. If it repeats a run that was never changed, the marks stay.
    pub fn begin_anew(&mut self, scene: &Scene) {
        let shown_alike = self.first_scene.with(|draft| show_as(draft, scene));
        let same = self.first_step == 0 && self.changes.is_empty() && shown_alike.is_ok_and(|first| first == *scene);
        let marks = if same { std::mem::take(&mut self.marks) } else { BTreeMap::new() };
        *self = Past { budget: self.budget, begun: self.begun + 1, marks, ..Past::new(scene) };
    }

    /// The first and the latest step that can be gone to.
    pub fn span(&self) -> (u64, u64) {
        (self.first_step, self.end)
    }

    /// The steps at which values or the trail were changed. A stroke of the trail is recorded together with a change of the scene's first
    /// trail: the two count as one.
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

    /// Bytes of snapshots and changes, and the number of snapshots.
    pub fn size(&self) -> (usize, usize) {
        let changes = self.changes.iter().map(|(_, changed)| changed.bytes());
        (self.moments.iter().map(Moment::bytes).chain(changes).sum(), self.moments.len())
    }

    /// Does the record go on after this step, at which the run is?
    pub fn goes_on(&self, step: u64) -> bool {
        step < self.end || self.made < self.changes.len()
    }

    /// Note that the run has reached this step.
    pub fn reached(&mut self, step: u64) {
        self.end = self.end.max(step);
    }

    /// Drop all that the record has after this step, because the run will differ from here on.
    pub fn truncate_after(&mut self, step: u64) {
        let made = self.made;
        self.changes.truncate(made);
        self.moments.retain(|moment| moment.step() <= step && moment.made <= made);
        self.coming.retain(|coming| coming.step <= step && coming.made <= made);
        self.seen.truncate_after(step);
        self.marks.retain(|marked, _| *marked <= step);
        self.end = step;
    }

    /// The scene at the start; `None` if anything was changed since.
    pub fn untouched(&self) -> Option<&Scene> {
        (self.first_step == 0 && self.made == 0).then_some(&self.first_scene)
    }

    /// Record a change that the user made at this step.
    pub fn change(&mut self, step: u64, changed: Changed) {
        self.truncate_after(step);
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

    /// The step of the next change of the record.
    pub fn next_change(&self) -> Option<u64> {
        self.changes.get(self.made).map(|(step, _)| *step)
    }

    /// The next change of the record, if it was made at this step or earlier. It counts as made from now on.
    pub fn take_change(&mut self, step: u64) -> Option<&Changed> {
        let (_, changed) = self.changes.get(self.made).filter(|(at, _)| *at <= step)?;
        self.made += 1;
        Some(changed)
    }

    /// The snapshot from which a step is computed again; `None`: from the start. It is at least one step earlier, because the window also
    /// shows what a step leaves in buffers beside the state; only the record's first snapshot may be of the step itself.
    pub fn before(&self, step: u64) -> Option<&Moment> {
        let first = self.moments.first().filter(|first| first.step() == self.first_step && first.made == 0);
        self.moments.iter().rfind(|moment| moment.step() < step).or(first)
    }

    /// The scene at a snapshot, or at the start. From now on exactly the changes before it count as made.
    pub fn go_back(&mut self, to: Option<&Moment>) -> Scene {
        self.made = to.map_or(0, |moment| moment.made);
        self.scene_after(self.made)
    }

    /// The scene at the end of the record.
    pub fn last_scene(&self) -> Scene {
        self.scene_after(self.changes.len())
    }

    /// The scene after the first `made` changes.
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

    /// Advance the snapshots under way, and request another one if it is due.
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

    /// Request a snapshot of the present state, unless there is one, or enough are under way.
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

    /// Is a snapshot under way?
    pub fn busy(&self) -> bool {
        !self.coming.is_empty()
    }

    /// After a lost device: return the latest snapshot that had been copied off it, if any, and let the record end there.
    pub fn fall_back(&mut self, now: u64) -> Option<Moment> {
        // A copy that was still under way failed with the device.
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
        self.truncate_after(kept.step());
        Some(kept)
    }

    /// Add snapshots that are complete, each with the number of changes before it, and then thin out. In this order, because thinning out
    /// may drop changes, which renumbers these.
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

    /// Drop snapshots until the budget is met. The first to go has the smallest gap between its neighbors, relative to its distance from
    /// the step `now`: so a few steps back are reached quickly, and the whole run can be reached.
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

    /// Drop about half of the changes, which take too much memory: the record then begins at a snapshot after them.
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
