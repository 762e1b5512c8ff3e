//! A beside B: a copy of the run goes on unchanged, in step with the original, and is drawn beside it with the same camera. The copy is
//! A, on the left; B, on the right, is the run that the user changes, called the shown run.

use super::ViewerError;
use super::actions::Action;
use super::dashboard::{SHADE, over};
use super::dialogs::Wish;
use super::format::{grouped, short};
use super::gaze::Mark;
use super::gui::{Asks, Hint};
use super::picked::Track;
use super::picture::Picture;
use super::session::seen::Divergence;
use super::session::{Answer, Session};
use super::stage::Stage;
use egui::{Align2, Color32, Rect, RichText, Ui, pos2};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use steerling::gpu::{GpuError, Pending, Simulation};
use steerling::model::State;
use steerling::render::View;
use steerling::scene::{ColorBy, Look, Scene};

/// The color of texts and lines about A.
pub const COLOR_OF_A: Color32 = Color32::from_rgb(120, 190, 255);
/// Least time between two measurements of how far the runs have come apart.
const EVERY: Duration = Duration::from_millis(100);
/// Measuring uses at most 1/`SHARE` of the time.
const SHARE: u32 = 10;
/// Labels of the two pictures are shortened if they have less room than this, points.
const NARROW: f32 = 270.0;

/// The run A, and the measurement of how far the shown run has come apart from it.
pub struct Beside {
    pub session: Session,
    /// The step at which it was copied, or 0 if both began anew since.
    pub since: u64,
    /// How often the shown run had begun anew when this one last followed it.
    begun: u32,
    /// The look that was last requested for it.
    look: Look,
    gap: Gap,
    /// Follow the agents that are marked, by their ids.
    tracks: Vec<(u32, Track)>,
    /// The marks around them in its picture, with the color indices of their rings.
    pub marks: Vec<(Mark, usize)>,
}

/// Measures how far two runs have come apart, without waiting for the device.
#[derive(Default)]
struct Gap {
    /// The measurement under way, and its step.
    coming: Option<(u64, Coming)>,
    /// When and at which step the latest measurement began.
    asked: Option<(Instant, u64)>,
    /// How long the latest measurement took.
    took: Duration,
}

enum Coming {
    /// The states of both are copied off the device.
    Copied([Box<Pending<State>>; 2]),
    /// A thread compares them.
    Compared(JoinHandle<Option<Divergence>>),
}

impl Beside {
    /// Copy a run, so that it goes on unchanged beside the given one.
    ///
    /// # Errors
    /// The device has no memory for another simulation.
    pub fn new(run: &mut Session) -> Result<Beside, GpuError> {
        let session = run.copy()?;
        run.runs_side_by_side = 2;
        run.forget_divergence();
        let look = session.scene().look;
        let (gap, tracks, marks) = (Gap::default(), Vec::new(), Vec::new());
        Ok(Beside { session, since: run.steps(), begun: run.past().begun, look, gap, tracks, marks })
    }

    /// Is it not yet at the step of the shown run? Then the shown run waits for it.
    pub fn behind(&self, run: &Session) -> bool {
        self.session.goal().is_some() || self.session.changing() || self.session.steps() != run.steps()
    }

    /// Is anything under way, so that frames go on although both runs rest?
    pub fn restless(&self, run: &Session) -> bool {
        let tracked = self.tracks.iter().any(|(_, track)| track.restless(self.session.simulation()));
        self.behind(run) || self.session.restless() || self.gap.coming.is_some() || tracked
    }

    /// Mark these agents in its picture: ids, and the color indices of their rings. None if ids mean other agents here than in `run`.
    pub fn mark(&mut self, run: &Session, who: &[(u32, usize)], view: &View, size: (u32, u32)) -> Result<(), GpuError> {
        let simulation = self.session.simulation();
        let who = if have_same_agents(run.simulation(), simulation) { who } else { &[] };
        self.tracks.retain(|(id, _)| who.iter().any(|(other, _)| other == id));
        self.marks.clear();
        for (id, halo) in who {
            if self.tracks.iter().all(|(other, _)| other != id) {
                self.tracks.push((*id, Track::default()));
            }
            let Some((_, track)) = self.tracks.iter_mut().find(|(other, _)| other == id) else { continue };
            let place = track.follow(simulation, *id)?.map(|(at, _)| at);
            let mark = Mark::new(*id, place, view, simulation.scene(), size).filter(|mark| mark.place.is_some());
            self.marks.extend(mark.map(|mark| (mark, *halo)));
        }
        Ok(())
    }

    /// Set its look, too. Each look is tried only once, because the older scene may refuse it.
    pub fn show_as(&mut self, look: Look) {
        if std::mem::replace(&mut self.look, look) != look {
            self.session.show_as(look);
        }
    }

    /// Follow the shown run: take its steps, go back with it, and restart when it begins anew. Returns why that is not possible, if so.
    pub fn follow(&mut self, run: &mut Session) -> Result<Option<String>, GpuError> {
        let (other, begun, mouse) = (&mut self.session, run.past().begun, run.scene().mouse);
        if std::mem::replace(&mut self.begun, begun) != begun {
            match other.restart(run.scene().seed) {
                Err(GpuError::Scene(error)) => return Ok(Some(error.to_string())),
                restarted => restarted?,
            }
            (self.gap, self.since) = (Gap::default(), 0);
        }
        if other.scene().mouse != mouse {
            other.set_mouse(mouse);
        }
        let (goal, now) = (run.goal().unwrap_or(run.steps()), other.steps());
        let first = other.past().span().0;
        if goal < first {
            return Ok(Some(format!("Its record begins at step {}", grouped(first))));
        }
        let leads = run.goal().is_some() || other.goal().is_some() || goal < now;
        if goal != now && leads {
            if other.goal() != Some(goal) {
                other.go_to(goal)?;
            }
        } else if other.goal().is_none() {
            if other.paused() != run.paused() {
                other.set_paused(run.paused())?;
            }
            let steps = (goal - now).min(u32::MAX.into()) as u32;
            match other.paused() {
                _ if steps == 0 => {}
                true => other.step(steps)?,
                false => other.go_on(steps)?,
            }
        }
        other.travel()?;
        if let Some(Answer::Refused(why)) = other.arrive()? {
            return Ok(Some(why));
        }
        other.keep()?;
        if let Some(why) = other.trouble() {
            return Ok(Some(why.to_owned()));
        }
        let together = !self.behind(run);
        self.gap.look(run, &self.session, together)?;
        Ok(None)
    }
}

impl Gap {
    /// Record a complete measurement in the shown run, and begin another one if it is due and both are at the same step (`together`).
    fn look(&mut self, run: &mut Session, other: &Session, together: bool) -> Result<(), GpuError> {
        let now = run.steps();
        self.coming = match self.coming.take() {
            // The run has gone back before the measured step, and may differ from here on.
            Some((step, _)) if step > now => None,
            Some((step, Coming::Copied(states))) if states[0].poll_device()? && states[1].poll_device()? => {
                let scene = run.simulation().scene().clone();
                let [one, other] = states;
                let compare = move || Divergence::of(&scene, &one.wait().ok()?, &other.wait().ok()?);
                Some((step, Coming::Compared(std::thread::spawn(compare))))
            }
            Some((step, Coming::Compared(thread))) if thread.is_finished() => {
                self.took = self.asked.map_or(Duration::ZERO, |(at, _)| at.elapsed());
                if let Some(away) = thread.join().ok().flatten() {
                    run.record_divergence(step, away);
                }
                None
            }
            coming => coming,
        };
        let due =
            |(at, step): (Instant, u64)| step != now && (run.paused() || at.elapsed() >= EVERY.max(self.took * SHARE));
        let (one, two) = (run.simulation(), other.simulation());
        if together && self.coming.is_none() && self.asked.is_none_or(due) && have_same_agents(one, two) {
            let states = [one, two].map(|simulation| Box::new(simulation.read_state()));
            (self.coming, self.asked) = (Some((now, Coming::Copied(states))), Some((Instant::now(), now)));
        }
        Ok(())
    }
}

/// Do ids mean the same agents in both, that is, do both have the same number of agents of each species?
pub fn have_same_agents(one: &Simulation, other: &Simulation) -> bool {
    let counts = |of: &Simulation| of.scene().species.iter().map(|species| species.count).collect::<Vec<_>>();
    counts(one) == counts(other)
}

impl Stage {
    /// Begin a run beside the shown one, as a copy of it; or if there is one, end it and keep the changes.
    pub fn split(&mut self) -> Result<(), ViewerError> {
        if self.end_beside().is_some() {
            self.interface.say("The changes are kept");
            return Ok(());
        }
        if self.session.changing() || self.session.goal().is_some() {
            self.interface.say("Wait until the current change is complete");
            return Ok(());
        }
        match Beside::new(&mut self.session) {
            Ok(mut beside) => {
                beside.session.allow_past((self.options.past / 2).max(1));
                self.session.allow_past((self.options.past / 2).max(1));
                self.beside = Some(beside);
                let (keep, back) = (Action::Beside.keys(), Action::KeepOther.keys());
                self.interface
                    .say(format!("Change something in B. {keep} keeps the changes, {back} goes on without them"));
            }
            Err(error) => {
                self.session.simulation().gpu().check()?;
                self.interface.say(format!("No run can be shown beside this one: {error}"));
            }
        }
        Ok(())
    }

    /// Go on with the run beside, without the changes. One undo brings the changed values back.
    pub fn keep_other(&mut self) -> Result<(), ViewerError> {
        let Some(Beside { session, .. }) = self.end_beside() else {
            self.interface.say(format!("There is no run beside this one; {} begins one", Action::Beside.keys()));
            return Ok(());
        };
        let of = |scene: &Scene| {
            let species = scene.species.iter().map(|one| (one.name.clone(), one.count)).collect::<Vec<_>>();
            (species, (scene.world.size, scene.world.spatial))
        };
        let before = of(self.session.scene());
        let undoable = self.session.give_way_to(session);
        self.session.allow_past(self.options.past);
        self.picture.set_scene(self.session.scene())?;
        self.picture.forget();
        let now = of(self.session.scene());
        if now.0 != before.0 {
            self.other_species();
        }
        if now.1 != before.1 {
            self.eye.begin(self.session.scene());
        }
        // Answers under way are about the run that ended.
        self.picked.forget();
        self.building.give_up();
        let back =
            if undoable { format!(". Undo brings the changes back ({})", Action::Undo.keys()) } else { String::new() };
        self.interface.say(format!("The run goes on without the changes{back}"));
        Ok(())
    }

    /// End the run beside, if there is one, and return it.
    pub fn end_beside(&mut self) -> Option<Beside> {
        let beside = end(&mut self.session, &mut self.beside)?;
        self.session.allow_past(self.options.past);
        Some(beside)
    }

    /// Let the run beside follow the shown one; end it if it cannot.
    pub fn follow_beside(&mut self) -> Result<(), ViewerError> {
        let Some(beside) = &mut self.beside else { return self.tell_no_divergence() };
        beside.show_as(self.session.scene().look);
        if let Some(why) = beside.follow(&mut self.session)? {
            self.end_beside();
            self.interface.say(format!("The unchanged run A cannot go on: {why}"));
        }
        Ok(())
    }

    /// Mark the picked agents, or the chased one, in the picture of the run beside, too.
    pub fn mark_beside(&mut self) -> Result<(), ViewerError> {
        let Some(beside) = &mut self.beside else { return Ok(()) };
        let mut who = self.picked.rings();
        if who.is_empty() {
            who.extend(self.eye.gaze.chased().map(|id| (id, 0)));
        }
        Ok(beside.mark(&self.session, &who, &self.eye.view, self.picture.size)?)
    }

    /// Fit one or two pictures into an area of this size, px. If the run beside cannot be drawn, it ends. Returns whether the size or
    /// the place of the picture changed.
    pub fn fit(&mut self, room: (u32, u32)) -> Result<bool, ViewerError> {
        let (resized, gone) = fit(&mut self.picture, &mut self.session, &mut self.beside, room)?;
        if let Some(why) = gone {
            self.session.allow_past(self.options.past);
            self.interface.say(why);
        }
        Ok(resized)
    }

    /// Without a run beside, replace colors that show the distance to it by the species' own colors.
    fn tell_no_divergence(&mut self) -> Result<(), ViewerError> {
        let look = self.session.scene().look;
        if look.color != ColorBy::Divergence {
            return Ok(());
        }
        self.show_as(Look { color: ColorBy::Own, ..look })
    }
}

/// End the run beside, if there is one, and return it.
fn end(run: &mut Session, beside: &mut Option<Beside>) -> Option<Beside> {
    let gone = beside.take()?;
    run.runs_side_by_side = 1;
    run.forget_divergence();
    Some(gone)
}

/// Fit the pictures of a run and of the run beside into an area of this size, px. Returns whether the size or the place of the picture
/// changed; and why the run beside was ended, if it could not be drawn.
pub fn fit(
    picture: &mut Picture,
    run: &mut Session,
    beside: &mut Option<Beside>,
    room: (u32, u32),
) -> Result<(bool, Option<String>), GpuError> {
    match picture.fit(room, beside.as_ref().map(|beside| &beside.session)) {
        Err(error) if beside.is_some() => {
            run.simulation().gpu().check()?;
            end(run, beside);
            let why = format!("The unchanged run A cannot be drawn any more: {error}");
            Ok((picture.fit(room, None)?, Some(why)))
        }
        fitted => Ok((fitted?, None)),
    }
}

/// Label the two pictures. `place` is that of B, in points; A's is as large, and to the left of it. Returns the upper end of the labels.
pub fn halves(ui: &Ui, beside: &Beside, run: &Session, place: Rect, wishes: &mut Vec<Wish>) -> f32 {
    let (room, mut top) = (place.width() - 32.0, place.max.y);
    let mut label = |name: &str, left: f32, color: Color32, text: String, action: Action| {
        let area = egui::Area::new(egui::Id::unique(name)).pivot(Align2::LEFT_BOTTOM);
        let area = area.fixed_pos(pos2(left + 10.0, place.max.y - 12.0)).order(egui::Order::Middle);
        let shown = over(ui, area, (SHADE, 4.0, 6.0), |ui| {
            ui.set_max_width(room.max(60.0));
            ui.horizontal(|ui| {
                ui.small_button(format!("Keep {name}")).hint(action.hint()).asks_for(wishes, Wish::Act(action));
                ui.add(egui::Label::new(RichText::new(text).small().color(color)).truncate());
            });
        });
        top = top.min(shown.top());
    };
    let narrow = room < NARROW;
    let comes = if beside.behind(run) { ", comes …" } else { "" };
    let (was, since) = (if narrow { "" } else { "unchanged since " }, grouped(beside.since));
    label("A", 0.0, COLOR_OF_A, format!("A: {was}step {since}{comes}"), Action::KeepOther);
    let away = run.past().seen.divergence(run.steps()).map(|away| short(away) + if narrow { " u" } else { " u apart" });
    let parts = (!narrow).then(|| "with your changes".to_owned()).into_iter().chain(away);
    let text = format!("B: {}", parts.collect::<Vec<_>>().join(", "));
    label("B", place.min.x, Color32::from_gray(225), text, Action::Beside);
    top
}
