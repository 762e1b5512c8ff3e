//! Carries out the actions of keys and buttons, and the wishes of dialogs.

use super::ViewerError;
use super::actions::Action;
use super::dialogs::{After, Dialog, Saving, Sheet, Wish};
use super::edited::{Edited, read_again};
use super::filming::Filming;
use super::format::{grouped, readable};
use super::gallery::{self, Gallery, file_of};
use super::ghosts;
use super::interface::ALL_FIGURES_ROOM;
use super::panel::Panel;
use super::panel::legend::color_name;
use super::pointer::{TOOLS, Tool};
use super::session::{Answer, Session, names};
use super::snapshot::{begin_film, enlarged, save_table};
use super::stage::{Opening, Stage, fit, window_title};
use super::tools::{Lure, unpaintable};
use crate::pictures;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use steerling::gpu::GpuError;
use steerling::output::Record;
use steerling::scene::{ColorBy, Draft, Look, Override, Scene, SceneError};
use winit::window::Fullscreen;

/// The half-life of the afterglow that the key switches on, s.
const AFTERGLOW: f32 = 0.7;
/// Pitch of the view from above, degrees above the horizontal. Less than 90, because straight down the view has no up direction.
const OVERHEAD: f32 = 89.0;

impl Stage {
    /// Do what a key or a button asks for. Break ends the program.
    pub fn act(&mut self, action: Action) -> Result<ControlFlow<()>, ViewerError> {
        let seed = self.session.scene().seed;
        let look = self.session.scene().look;
        // The message that is shown is about an earlier action.
        self.interface.hush(true);
        match action {
            Action::Pause if self.session.goal().is_some() => self.session.stop()?,
            Action::Pause => self.session.set_paused(!self.session.paused())?,
            Action::Step => self.session.step(1)?,
            Action::StepTen => self.session.step(10)?,
            Action::Back | Action::BackTen => {
                let back = if action == Action::Back { 1 } else { 10 };
                let from = self.session.goal().unwrap_or(self.session.steps());
                self.session.go_to(from.saturating_sub(back))?;
            }
            Action::Mark => {
                let step = grouped(self.session.steps());
                self.interface.say(match self.session.toggle_mark() {
                    Some(name) => format!("{name}: step {step}. A right click on the mark names or removes it"),
                    None => format!("The mark of step {step} is removed"),
                });
            }
            Action::Restart | Action::NewSeed => {
                let before = self.framed();
                if action == Action::Restart {
                    self.session.restart(seed)?;
                } else if let Answer::Refused(why) = self.session.new_seed()? {
                    self.interface.say(why);
                }
                // The restart applied the change that was under way.
                self.reframe(before);
            }
            Action::Slower => self.session.pace.slower(),
            Action::Faster => self.session.pace.faster(),
            Action::Scenes => self.interface.toggle(Dialog::Scenes(Gallery::default())),
            Action::NextScene | Action::PreviousScene => {
                let step = if action == Action::NextScene { 1 } else { -1 };
                let next = gallery::neighbor(&self.session.original().source.origin, step);
                return self.wish(Wish::Open(next.to_owned()));
            }
            Action::Save => self.interface.dialog = Some(Dialog::Save(Saving::new(self.proposal(), None))),
            Action::Copy => {
                let text = self.command();
                self.interface.say(text.clone().map_or_else(|why| why, |text| format!("Copied: {text}")));
                text.into_iter().for_each(|text| self.interface.gui.copy(text));
            }
            Action::Undo => self.turn(Session::undo, "Undone", "Nothing to undo")?,
            Action::Redo => self.turn(Session::redo, "Redone", "Nothing to redo")?,
            Action::Frame => self.eye.frame(self.session.scene()),
            Action::Picked if self.picked.id().is_none() => self.interface.say("No agent is picked: click one"),
            Action::Picked => {
                let (places, radius) = (self.picked.places(), self.picked.room(self.session.scene()));
                self.eye.frame_around(&places, radius, self.picture.size);
            }
            Action::Above | Action::Side | Action::Flock | Action::Eyes | Action::Turn if !self.eye.view.spatial() => {
                self.interface.say("A flat world is seen from above");
            }
            Action::Above | Action::Side => {
                let (angle, from) = if action == Action::Above { (OVERHEAD, "above") } else { (0.0, "the side") };
                self.eye.frame_from(self.session.scene(), angle);
                self.camera_says(&format!("Seen from {from}"));
            }
            Action::Flock => {
                self.eye.gaze.follow();
                self.camera_says("The camera follows the flock");
            }
            Action::Behind | Action::Eyes => {
                let (eyes, keys) = (action == Action::Eyes, action.keys());
                self.eye.gaze.chase(eyes, self.session.scene().agent_count(), self.picked.id());
                self.camera_says(&match eyes {
                    true => format!("Seen through an agent's eyes; {keys} again: another one's"),
                    false => format!("The camera chases an agent; {keys} again: another one"),
                });
            }
            Action::Fly => {}
            Action::Turn => {
                let turns = self.eye.gaze.toggle_turn(&self.session.scene().camera, self.session.paused());
                self.camera_says(if turns { "The camera goes around" } else { "The camera stops going around" });
            }
            Action::KeepView => {
                let kept = self.eye.keep();
                self.interface.say(format!("View {kept} is kept; {} goes back to it", Action::KeptView.keys()));
            }
            Action::KeptView => {
                let (keep, back) = (Action::KeepView.keys(), Action::KeptView.keys());
                self.interface.say(match self.eye.go_back() {
                    true => format!("Back to a view that was kept; {back} again: the one before it"),
                    false => format!("No view is kept; {keep} keeps one"),
                });
            }
            Action::Beside => self.split()?,
            Action::KeepOther => self.keep_other()?,
            Action::Attract | Action::Repel => {
                let lure = if action == Action::Attract { Lure::Attract } else { Lure::Repel };
                let mut draft = self.session.scene().draft();
                let made = lure.toggle(&mut draft, self.session.original());
                self.build(draft, made)?;
            }
            Action::Edit
            | Action::Obstacles
            | Action::Areas
            | Action::Paths
            | Action::Walls
            | Action::Agents
            | Action::Flow => {
                let hand = &TOOLS[0];
                let wanted = TOOLS.iter().find(|(_, its, _)| *its == Some(action)).unwrap_or(hand);
                let refused = unpaintable(self.session.scene()).filter(|_| wanted.0.is_flat());
                let (next, _, hint) = if self.eye.pointer.tool == wanted.0 { hand } else { wanted };
                if refused.is_none() {
                    self.end_path()?;
                    self.eye.pointer.tool = *next;
                }
                self.interface.say(refused.unwrap_or(hint));
            }
            Action::EndPath => self.end_path()?,
            Action::Look => {
                self.show_as(Look { name: look.name.next(), ..look })?;
                self.interface.say(format!("Look: {}", self.session.scene().look.name.word()));
            }
            Action::Afterglow => {
                let afterglow = if look.afterglow > 0.0 { 0.0 } else { AFTERGLOW };
                self.show_as(Look { afterglow, ..look })?;
                let says = if afterglow > 0.0 { "Agents leave an afterglow" } else { "Agents leave no afterglow" };
                self.interface.say(says);
            }
            Action::Color => {
                self.show_as(Look { color: look.color.next(self.session.scene()), ..look })?;
                self.interface.say(format!("Color: {}", color_name(self.session.scene().look.color)));
            }
            Action::Half => {
                self.picture.half = !self.picture.half;
                let how = if self.picture.half { "half resolution while it runs" } else { "full resolution" };
                self.interface.say(format!("The picture is drawn at {how}"));
            }
            Action::Figures => {
                let open = !self.interface.figures_open;
                self.interface.figures_open = open;
                if open && (self.picture.size.1 as f32) < ALL_FIGURES_ROOM * self.interface.gui.scale() {
                    self.interface
                        .say("The picture is too low for all figures; they are shown as soon as it is higher");
                }
            }
            Action::Panel => self.interface.panel_open = Some(!self.interface.shows_panel(&self.window)),
            Action::Plots => {
                let open = !self.interface.plots.open;
                self.interface.plots.open = open;
                if open && !self.interface.fits_plots(&self.window) {
                    self.interface.say("The window is too low for plots; they are shown as soon as it is higher");
                }
            }
            Action::Help => self.interface.toggle(Dialog::Keys(Sheet::default())),
            Action::HideUi => {
                self.interface.plain = !self.interface.plain;
                if self.interface.plain {
                    self.interface.say(format!("{} or Esc shows the panel again", Action::HideUi.keys()));
                }
            }
            Action::FullScreen => {
                let full = self.window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                self.window.set_fullscreen(full);
            }
            Action::Screenshot => self.photograph(self.picture.size)?,
            Action::Large => {
                let size = enlarged(self.picture.size);
                self.interface.say(format!("Drawing a picture of {} by {} px …", size.0, size.1));
                self.large = Some((size, false));
            }
            Action::Film => match &mut self.film {
                Some(film) => film.end(),
                None => {
                    let begin = |size, rate| begin_film(&self.session.scene().name, size, rate);
                    match Filming::begin(&self.session, self.picture.size, self.options.note, begin) {
                        Ok(film) => {
                            (self.film, self.listens) = (Some(film), true);
                            (self.options.interrupted)();
                            if self.session.paused() {
                                self.interface.say("The film begins when the run goes on");
                            }
                        }
                        Err(error) => self.interface.say(error.to_string()),
                    }
                }
            },
            Action::Leave if self.interface.dialog.is_some() || self.interface.hints => self.interface.close(),
            // The error of the edited file is hidden until a file changes again.
            Action::Leave if self.session.trouble().is_none() && self.edited.broken.take().is_some() => {}
            Action::Leave if self.session.goal().is_some() => self.session.stop()?,
            Action::Leave if self.building.give_up() => {}
            Action::Leave if self.picked.let_go() => {}
            Action::Leave if self.eye.pointer.tool != Tool::Hand => self.eye.pointer.tool = Tool::Hand,
            Action::Leave if self.interface.plain => self.interface.plain = false,
            Action::Leave => self.window.set_fullscreen(None),
            Action::Quit if self.is_unsaved() => self.interface.dialog = Some(Dialog::Lost(After::Quit)),
            Action::Quit => return Ok(self.go_on(After::Quit)),
        }
        self.watch.logged = None;
        Ok(ControlFlow::Continue(()))
    }

    /// Carry out a wish. Break ends the program.
    pub fn wish(&mut self, wish: Wish) -> Result<ControlFlow<()>, ViewerError> {
        self.redraw();
        match wish {
            Wish::Act(action) => return self.act(action),
            Wish::Say(text) => self.interface.say(text),
            Wish::Close => self.interface.close(),
            Wish::LetGo(id) => {
                self.picked.drop_one(id);
                self.watch.logged = None;
            }
            Wish::Show(id) => {
                self.picked.show(id);
                self.turn_to(id);
            }
            Wish::Pick(id) => {
                self.picked.pick(id);
                self.turn_to(id);
            }
            Wish::GoTo(step) => self.session.go_to(step)?,
            Wish::Mark(step, name) => self.session.rename_mark(step, name),
            Wish::PauseWhen(text) => match self.session.pause_when(&text) {
                Ok(()) => self.interface.say(match self.session.pauses_when() {
                    Some(text) => format!("The run pauses when {text}"),
                    None => "The run no longer pauses by a condition".to_owned(),
                }),
                Err(why) => self.interface.say(format!("The run cannot pause by this condition: {why}")),
            },
            Wish::Table => {
                let saved = save_table(&self.session);
                self.interface
                    .say(saved.map_or_else(|why| why.to_string(), |path| format!("Saved {}", path.display())));
            }
            Wish::GoOn => self.session.go_on_from_here(),
            Wish::Brush(brush) => self.eye.brush = brush,
            Wish::Species(index) => (self.interface.panel.species, self.interface.panel_open) = (index, Some(true)),
            Wish::Browse => self.browse(),
            Wish::Restore => self.go_on_with_changes(),
            Wish::Forget => {
                if let Some(Dialog::Left(left)) = self.interface.dialog.take() {
                    left.forget();
                }
            }
            Wish::Point(path) => self.point(path),
            Wish::Aim(path, target) => self.aim(&path, target)?,
            Wish::Look(look) if look.color == ColorBy::Divergence && self.beside.is_none() => {
                let begins = Action::Beside.keys();
                self.interface.say(format!(
                    "This color shows the distance to a run beside this one, and there is none; {begins} begins one"
                ));
            }
            Wish::Look(look) => {
                if look.color == ColorBy::Error && look != self.session.scene().look {
                    self.interface.say(
                        "Colors show the error of the GPU: the CPU reference runs too, which makes the run slower",
                    );
                }
                self.show_as(look)?;
            }
            Wish::Open(name) if self.is_unsaved() => self.interface.dialog = Some(Dialog::Lost(After::Open(name))),
            Wish::Open(name) => return Ok(self.go_on(After::Open(name))),
            Wish::Lose(after) => return Ok(self.go_on(after)),
            Wish::SaveFirst(after) => {
                self.interface.dialog = Some(Dialog::Save(Saving::new(self.proposal(), Some(after))));
            }
            Wish::Save { path, replace } => return Ok(self.save(&path, replace)),
            Wish::Try(changes) => match self.session.tried(&changes) {
                Ok((draft, keeps)) => {
                    self.interface.dialog = None;
                    self.tune(draft, false)?;
                    let lost = if keeps { "" } else { " on the scene of the file, without your changes" };
                    // The last part of the key is enough, since the button that was pressed has the whole key.
                    let named = |change: &String| match change.split_once('=') {
                        Some((key, value)) => format!("{} = {value}", readable(key.rsplit('.').next().unwrap_or(key))),
                        None => change.clone(),
                    };
                    let tried = changes.iter().map(named).collect::<Vec<_>>().join(", ");
                    self.interface.say_undoable(format!("Tried: {tried}{lost}"));
                }
                Err(error) => self.interface.say(error.to_string()),
            },
            Wish::Rewrite(scene) => {
                if self.rewrite(&scene)? == Answer::Accepted {
                    self.interface.say_undoable(format!("{} species", scene.species.len()));
                }
            }
            Wish::Agents(agents) => match self.session.scene().with_agents(agents) {
                Ok(scene) => drop(self.tune(scene.draft(), false)?),
                Err(error) => self.interface.say(error.message),
            },
            Wish::Tune(draft) => {
                let held = self.interface.gui.held();
                self.tune(*draft, held)?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Follow the choice of another shown agent: a camera that chases one chases this one, and the panel shows its species.
    pub fn turn_to(&mut self, id: u32) {
        self.eye.gaze.turn_to(id);
        self.interface.panel.species = self.session.simulation().model().species_of(id);
        self.watch.logged = None;
    }

    /// Undo or redo a change, by `turn`, and tell the user so: `done`, or if there was none, `nothing`.
    fn turn(
        &mut self,
        turn: fn(&mut Session) -> Result<bool, GpuError>,
        done: &str,
        nothing: &str,
    ) -> Result<(), ViewerError> {
        let before = self.session.scene().draft();
        let turned = turn(&mut self.session)?;
        if names(&before) != names(self.session.scene()) {
            self.other_species();
        }
        self.picture.set_scene(self.session.scene())?;
        self.interface.say(if turned { done } else { nothing });
        Ok(())
    }

    /// Change values, or tell the user why they stay.
    pub fn tune(&mut self, draft: Draft, held: bool) -> Result<Answer, ViewerError> {
        // The message that is shown is about an earlier change.
        self.interface.hush(true);
        let answer = self.session.tune(draft, held)?;
        match &answer {
            Answer::Accepted => self.watch.logged = None,
            Answer::Refused(why) => self.interface.say(why.clone()),
        }
        Ok(answer)
    }

    /// Go on with a scene of another text, or tell the user why not.
    pub fn rewrite(&mut self, scene: &Scene) -> Result<Answer, ViewerError> {
        let answer = self.session.rewrite(scene)?;
        match &answer {
            Answer::Accepted => self.other_species(),
            Answer::Refused(why) => self.interface.say(why.clone()),
        }
        self.picture.set_scene(self.session.scene())?;
        self.watch.logged = None;
        Ok(answer)
    }

    /// Let go of picked agents, and give up what is being built, because the species changed and ids and paths mean others now.
    pub fn other_species(&mut self) {
        self.picked.let_go();
        self.building.give_up();
    }

    /// Do what the user asked for before the question about unsaved changes. Break ends the program.
    pub fn go_on(&mut self, after: After) -> ControlFlow<()> {
        let from = self.interface.dialog.take_if(|dialog| matches!(dialog, Dialog::Scenes(_)));
        self.interface.close();
        self.keep_picture();
        match after {
            After::Open(name) => self.opening = Some(Opening { name, from, announced: false, changed: None }),
            After::Quit => {
                self.unsaved.clear();
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Open a preset or a file in place of the present scene. If that fails, a dialog says why, and the present run goes on.
    pub fn open_scene(&mut self, opening: Opening) -> Result<(), ViewerError> {
        let Opening { name, from, changed, .. } = opening;
        let gpu = self.session.simulation().gpu().clone();
        let paused = self.session.paused();
        let opened = read(&name).and_then(|(scene, picture)| {
            let few = self.options.few_agents.filter(|_| picture.is_none());
            let (scene, shrunk) = fit(&gpu, &scene, few).map_err(|error| error.to_string())?;
            let paused = paused || picture.is_some();
            let session = Session::new(&gpu, scene, self.options.simulation.clone(), paused, None);
            session.map(|session| (session, shrunk, picture)).map_err(|error| error.to_string())
        });
        gpu.check()?;
        match opened {
            Ok((mut session, shrunk, picture)) => {
                session.pace = self.session.pace;
                session.allow_past(self.options.past);
                self.film.iter_mut().for_each(Filming::end);
                (self.session, self.shrunk, self.interface.panel) = (session, shrunk, Panel::default());
                self.took_over()?;
                match (changed, picture) {
                    (Some(changed), _) => {
                        let (scene, left) = *changed;
                        self.take_changes(scene, &left)?;
                    }
                    (None, Some(record)) => self.restore(record)?,
                    (None, None) => {}
                }
            }
            Err(why) => {
                let what = format!("{name} cannot be opened");
                let kept = changed.map(|changed| format!("\nYour changes are in {}", changed.1.path.display()));
                let why = why + &kept.unwrap_or_default();
                self.interface.dialog = Some(Dialog::Problem { what, why, back: from.map(Box::new) });
            }
        }
        self.watch.logged = None;
        self.watch.drawn = Instant::now();
        Ok(())
    }

    /// Read the files of the scene again if they were edited. If they make no valid scene, the reason is shown over the picture, and the
    /// run goes on.
    pub fn follow_files(&mut self) -> Result<(), ViewerError> {
        if !self.session.changing() {
            self.edited.applied();
        }
        let Some(before) = self.edited.file.clone() else { return Ok(()) };
        if self.session.busy() || !self.edited.changed() {
            return Ok(());
        }
        self.redraw();
        let file = match read_again(&before) {
            Ok(file) => file,
            Err(error) => {
                self.edited.refuse(&error);
                return Ok(());
            }
        };
        let same = file == before;
        self.edited.took(file.clone());
        if same {
            return Ok(());
        }
        let was = self.session.scene().draft();
        let (answer, keeps) = self.session.reread(&before, &file)?;
        if names(&was) != names(self.session.scene()) {
            self.other_species();
        }
        let (origin, undo) = (&before.source.origin, Action::Undo.keys());
        match answer {
            Answer::Accepted if keeps => self.interface.say(format!("Read {origin} again")),
            Answer::Accepted => self.interface.say(format!(
                "Read {origin} again, without your changes, which do not fit it; Undo ({undo}) brings them back"
            )),
            Answer::Refused(why) => drop(self.edited.failed(why)),
        }
        self.picture.set_scene(self.session.scene())?;
        if file.camera != before.camera {
            self.eye.frame(self.session.scene());
        }
        self.watch.logged = None;
        Ok(())
    }

    /// Adapt the window to a session with another scene.
    fn took_over(&mut self) -> Result<(), ViewerError> {
        self.end_beside();
        let scene = self.session.scene();
        self.edited = Edited::of(scene);
        self.window.set_title(&window_title(scene));
        self.picture.set_scene(scene)?;
        self.picture.forget();
        if let Some(path) = file_of(scene) {
            self.interface.remembered.opened(path);
        }
        self.eye.begin(scene);
        self.eye.pointer.tool = Tool::Hand;
        self.other_species();
        self.restored = None;
        Ok(())
    }

    /// Tell the user what the camera does now, and which key goes back to the scene's view.
    fn camera_says(&mut self, what: &str) {
        self.interface.say(format!("{what}. {}: back to the scene's view", Action::Frame.keys()));
    }

    pub fn show_as(&mut self, look: Look) -> Result<(), ViewerError> {
        let scene = self.session.show_as(look);
        self.picture.set_scene(scene)?;
        self.watch.logged = None;
        Ok(())
    }

    /// The scene as it is to be saved: with the present camera, if the user moved it.
    pub fn as_seen(&self) -> Result<Scene, SceneError> {
        self.session.scene().with(|draft| {
            if self.eye.gaze.touched() {
                draft.camera = self.eye.view.camera();
            }
        })
    }

    /// The command line that opens the scene with its changes, or why there is none.
    fn command(&self) -> Result<String, String> {
        if self.session.is_unwritten() {
            return Err(
                "No command can open this scene: it has no file, or other species than its file. Save it first"
                    .to_owned(),
            );
        }
        if self.unsaved.painted(self.session.scene()) {
            return Err("No command can open this scene: what was painted is in no file yet. Save it first".to_owned());
        }
        self.as_seen().and_then(|scene| command_of(&scene)).map_err(|error| error.to_string())
    }
}

/// Read the scene of this name: a preset, a new scene, a law's scene, a file, or a picture of a run. Of a picture, also its record.
pub fn read(name: &str) -> Result<(Scene, Option<Record>), String> {
    if pictures::is_picture(Path::new(name)) {
        let record = pictures::read(Path::new(name)).map_err(|error| error.to_string())?;
        return record.scene().map(|scene| (scene, Some(record))).map_err(|error| error.to_string());
    }
    let scene = match name {
        gallery::NEW_SCENE => Scene::parse(include_str!("untitled.toml"), gallery::UNTITLED, &[]),
        name => ghosts::open(name).unwrap_or_else(|| Scene::open(name, &[])),
    };
    scene.map(|scene| (scene, None)).map_err(|error| error.to_string())
}

/// The command line that opens a scene as it is now. A changed number of agents becomes `--agents`, where that gives the same world and
/// places.
pub fn command_of(scene: &Scene) -> Result<String, SceneError> {
    let quoted = |text: String| match text.chars().all(|c| c.is_ascii_alphanumeric() || "=._-/".contains(c)) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    };
    let source = &scene.source;
    let plain = Scene::parse(&source.text, &source.origin, &[])?;
    // The place of the pointer is no change.
    let pointing_as = |plain: &Scene| scene.with(|draft| draft.mouse = plain.mouse);
    let mut changes = pointing_as(&plain)?.changes()?;
    let agents = scene.agent_count();
    let scaled = || {
        let scene = pointing_as(&plain.with_agents(agents)?)?;
        let few = scene.with_agents_of(&plain)?.changes()?;
        let again = Scene::parse(&source.text, &source.origin, &few)?.with_agents(agents)?;
        Ok::<_, SceneError>((few, again.changed_since(&scene).is_empty()))
    };
    let mut command = format!("steerling view {}", quoted(source.origin.clone()));
    if agents != plain.agent_count()
        && let Ok((few, true)) = scaled()
    {
        command += &format!(" --agents {agents}");
        changes = few;
    }
    let set = |change: &Override| format!(" --set {}", quoted(format!("{}={}", change.key, change.value)));
    Ok(command + &changes.iter().map(set).collect::<String>())
}
