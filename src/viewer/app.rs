//! The application: events in, frames out.

use super::actions::{self, Action};
use super::canvas::{Canvas, Sketch};
use super::dialogs::{self, After, Around, Dialog, Saving, Wish};
use super::gallery::{self, Gallery, Pictures, file_of};
use super::gaze::Gaze;
use super::gui::{Gui, Painting};
use super::panel::legend::color_name;
use super::panel::{self, About, Panel};
use super::pointer::Pointer;
use super::remembered::Remembered;
use super::session::Session;
use super::snapshot::save_picture;
use super::{Options, ViewerError, dashboard};
use crate::files;
use crate::gpu::{Gpu, GpuError};
use crate::render::{Renderer, View};
use crate::scene::{Draft, Look, Scene, SceneError};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::dpi::{LogicalSize, PhysicalSize};
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::keyboard::ModifiersState;
use winit::window::{Fullscreen, Window, WindowId};

/// Shortest time between two frames, where the display does not set the pace.
const SHORTEST_FRAME: Duration = Duration::from_millis(4);
/// Time between two looks at a window that cannot be seen.
const HIDDEN: Duration = Duration::from_millis(200);
/// How long a message stays.
const TOAST: Duration = Duration::from_secs(6);
/// After so many lost devices within `RETRY` the window gives up.
const MOST_LOST: usize = 3;
const RETRY: Duration = Duration::from_secs(60);
/// Degrees above the horizontal from which a world is seen from above: straight down, up is nowhere.
const OVERHEAD: f32 = 89.0;
/// How fast keys fly, in halves of what the picture is high, in a second.
const FLIGHT: f32 = 0.8;
/// Time between two lines of the log.
const LOG: Duration = Duration::from_secs(1);
/// Windows narrower than this, in points, have no panel unless it is asked for.
const NARROW: f32 = 600.0;
/// A picture narrower than this, in points, has no figures over it.
const FIGURES_ROOM: f32 = 200.0;
/// No window is made smaller than this, points.
const SMALLEST: LogicalSize<f64> = LogicalSize::new(320.0, 240.0);

/// The application, whose window opens when the window system is ready.
pub struct App {
    options: Options,
    stage: Option<Stage>,
    failure: Option<ViewerError>,
}

impl App {
    /// An application without a window yet.
    pub fn new(options: Options) -> App {
        App { options, stage: None, failure: None }
    }

    /// How it went.
    pub fn result(self) -> Result<(), ViewerError> {
        self.failure.map_or(Ok(()), Err)
    }

    /// End the program on a failure.
    fn attempt<T>(&mut self, event_loop: &ActiveEventLoop, result: Result<T, ViewerError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.failure.get_or_insert(error);
                event_loop.exit();
                None
            }
        }
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if let Some(stage) = &mut self.stage {
            let resumed = stage.canvas.resume(&stage.window);
            self.attempt(event_loop, resumed);
        } else {
            let stage = Stage::open(event_loop, &self.options);
            self.stage = self.attempt(event_loop, stage);
        }
    }

    fn suspended(&mut self, _: &ActiveEventLoop) {
        if let Some(stage) = &mut self.stage {
            stage.canvas.suspend();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if self.failure.is_some() {
            return;
        }
        if let Some(stage) = &mut self.stage {
            let handled = stage.handle(&event);
            let handled = handled.or_else(|error| stage.rebuild(event_loop, error).map(|()| true));
            if self.attempt(event_loop, handled) == Some(false) {
                event_loop.exit();
            }
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if let Some(stage) = self.stage.as_mut().filter(|_| !event_loop.exiting()) {
            match stage.wake_at() {
                Some(time) if time <= Instant::now() => {
                    stage.window.request_redraw();
                    event_loop.set_control_flow(ControlFlow::Wait);
                }
                Some(time) => event_loop.set_control_flow(ControlFlow::WaitUntil(time)),
                None => event_loop.set_control_flow(ControlFlow::Wait),
            }
        }
    }
}

/// A window and all that it shows.
struct Stage {
    options: Options,
    session: Session,
    renderer: Renderer,
    view: View,
    gaze: Gaze,
    gui: Gui,
    pointer: Pointer,
    modifiers: ModifiersState,
    /// Width and height of the picture, px, from the upper left corner of the window.
    picture: (u32, u32),
    /// The scene's own number of agents, where fewer were started.
    shrunk: Option<u32>,
    panel: Panel,
    /// Whether the panel is shown, where the user said so.
    panel_open: Option<bool>,
    figures_open: bool,
    dialog: Option<Dialog>,
    hints: bool,
    /// Is the picture drawn at half resolution while it runs?
    half: bool,
    sketch: Sketch,
    /// When devices were lost.
    lost: Vec<Instant>,
    remembered: Remembered,
    pictures: Pictures,
    plain: bool,
    toast: Option<(String, Instant)>,
    /// A scene to be opened when the picture says so.
    opening: Option<(String, Opening)>,
    occluded: bool,
    /// Could the latest frame not be shown?
    hidden: bool,
    drawn: Instant,
    log: Option<fn(&str)>,
    logged: Option<Instant>,
    /// The surface is let go before its window.
    canvas: Canvas,
    window: Arc<Window>,
}

/// How far the opening of a scene has come. It may take seconds, in which nothing is drawn.
#[derive(PartialEq)]
enum Opening {
    /// Nobody was told yet.
    Asked,
    /// The picture says so.
    Told,
}

impl Stage {
    fn open(event_loop: &ActiveEventLoop, options: &Options) -> Result<Stage, ViewerError> {
        let attributes = Window::default_attributes()
            .with_title(window_title(&options.scene))
            .with_inner_size(PhysicalSize::<u32>::from(options.size))
            .with_min_inner_size(SMALLEST)
            .with_fullscreen(options.fullscreen.then_some(Fullscreen::Borderless(None)));
        let window = event_loop.create_window(attributes).map_err(|error| ViewerError::NoWindow(error.to_string()))?;
        let window = Arc::new(window);
        let canvas = Canvas::new(&event_loop.owned_display_handle(), &window, &options.adapter)?;
        let gpu = canvas.gpu().clone();
        let (scene, shrunk) = fit(&gpu, &options.scene, options.few_agents.filter(|_| !options.all_agents))?;
        tell(&gpu, scene.agent_count(), shrunk, options.note);
        let session = Session::new(&gpu, scene, options.simulation.clone(), options.paused, options.steps)?;
        let mut remembered = Remembered::load();
        if let Some(path) = file_of(session.scene()) {
            remembered.opened(path);
        }
        let mut renderer = Renderer::new(&gpu, canvas.format(), session.scene())?;
        renderer.set_beside(Gui::ground(canvas.format()));
        Ok(Stage {
            renderer,
            view: View::from_scene(session.scene()),
            gaze: Gaze::default(),
            gui: Gui::new(&gpu, canvas.format(), &window),
            pointer: Pointer::default(),
            modifiers: ModifiersState::empty(),
            picture: options.size,
            shrunk,
            panel: Panel::default(),
            panel_open: None,
            figures_open: false,
            dialog: None,
            hints: remembered.first,
            half: gpu.software(),
            sketch: Sketch::new(&gpu, canvas.format()),
            lost: Vec::new(),
            remembered,
            pictures: Pictures::default(),
            plain: false,
            toast: None,
            opening: None,
            occluded: false,
            hidden: false,
            drawn: Instant::now(),
            log: options.log,
            logged: None,
            options: options.clone(),
            session,
            canvas,
            window,
        })
    }

    /// Take in an event. False ends the program.
    fn handle(&mut self, event: &WindowEvent) -> Result<bool, ViewerError> {
        if *event == WindowEvent::RedrawRequested {
            return self.frame();
        }
        if let WindowEvent::KeyboardInput { event: released, .. } = event
            && released.state == ElementState::Released
        {
            // With Shift or in a field it is another key, and let go all the same.
            self.pointer.fly(&released.logical_key, false);
        }
        if let WindowEvent::KeyboardInput { event: pressed, is_synthetic: false, .. } = event
            && let Some(row) = actions::find(&pressed.logical_key, self.modifiers)
        {
            let typing = self.gui.typing() || self.dialog.is_some();
            if row.action == Action::Leave && (self.dialog.is_none() || pressed.state == ElementState::Released) {
                // It may be meant for a field or a list.
                if !self.gui.is_open() && pressed.state == ElementState::Pressed && !pressed.repeat {
                    self.act(Action::Leave)?;
                }
            } else if row.action == Action::Fly && !typing {
                self.pointer.fly(&pressed.logical_key, pressed.state == ElementState::Pressed);
                self.window.request_redraw();
                return Ok(true);
            } else if row.counts(typing, false, &pressed.logical_key) {
                if pressed.state == ElementState::Pressed && row.counts(typing, pressed.repeat, &pressed.logical_key) {
                    self.window.request_redraw();
                    return self.act(row.action);
                }
                // What is a key of the window's is none of a button that has the focus.
                return Ok(true);
            }
        }
        self.gui.event(&self.window, event);
        let over_ui = self.dialog.is_some() || self.gui.has_pointer(self.pointer.at(), self.picture);
        if self.pointer.handle(event, self.modifiers, over_ui, &mut self.view, self.picture) {
            self.gaze.touch();
            self.window.request_redraw();
        }
        if matches!(event, WindowEvent::CursorMoved { .. }) && !over_ui {
            self.session.set_mouse(self.view.unproject(self.pointer.at(), self.picture));
        }
        match event {
            WindowEvent::CloseRequested => {
                // Who closes the window a second time means it.
                let asked = matches!(self.dialog, Some(Dialog::Lost(_)));
                return if asked { Ok(false) } else { self.act(Action::Quit) };
            }
            WindowEvent::Resized(size) => {
                self.canvas.resize((*size).into());
                self.window.request_redraw();
            }
            WindowEvent::ScaleFactorChanged { .. } => self.window.request_redraw(),
            WindowEvent::Occluded(occluded) => {
                self.occluded = *occluded;
                self.window.request_redraw();
            }
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::HoveredFile(_) => self.say("Drop the file to open its scene".to_owned()),
            WindowEvent::HoveredFileCancelled => self.toast = None,
            WindowEvent::DroppedFile(path) => {
                self.toast = None;
                match path.to_str() {
                    Some(path) => return self.wish(Wish::Open(path.to_owned())),
                    None => self.say(format!("{} has no name that can be read", path.display())),
                }
            }
            _ => {}
        }
        Ok(true)
    }

    /// Do what a key or a button asks for. False ends the program.
    fn act(&mut self, action: Action) -> Result<bool, ViewerError> {
        let seed = self.session.scene().seed;
        match action {
            Action::Pause => self.session.set_paused(!self.session.paused())?,
            Action::Step => self.session.step(1)?,
            Action::StepTen => self.session.step(10)?,
            Action::Restart => self.session.restart(seed)?,
            Action::NewSeed => self.session.new_seed()?,
            Action::Slower => self.session.pace().slower(),
            Action::Faster => self.session.pace().faster(),
            Action::Scenes => {
                let open = matches!(self.dialog, Some(Dialog::Scenes(_)));
                self.dialog = (!open).then(|| Dialog::Scenes(Gallery::default()));
            }
            Action::NextScene | Action::PreviousScene => {
                let step = if action == Action::NextScene { 1 } else { -1 };
                let next = gallery::neighbor(&self.session.original().source.origin, step);
                return self.wish(Wish::Open(next.to_owned()));
            }
            Action::Save => self.dialog = Some(Dialog::Save(Saving::new(self.proposal(), None))),
            Action::Copy => {
                let text = self.command();
                self.say(text.clone().map_or_else(|why| why, |text| format!("Copied: {text}")));
                text.into_iter().for_each(|text| self.gui.copy(text));
            }
            Action::Undo | Action::Redo => {
                let undo = action == Action::Undo;
                let (done, again) =
                    if undo { (self.session.undo()?, "Undone") } else { (self.session.redo()?, "Redone") };
                let nothing = if undo { "Nothing to undo" } else { "Nothing to redo" };
                self.say(if done { again } else { nothing }.to_owned());
                self.renderer.set_scene(self.session.scene())?;
            }
            Action::Frame => self.look_anew(),
            Action::Above | Action::Side => {
                if self.spatial() {
                    self.gaze.touch();
                    let (angle, from) = if action == Action::Above { (OVERHEAD, "above") } else { (0.0, "the side") };
                    self.view.from_above(angle);
                    self.camera_says(&format!("Seen from {from}"));
                }
            }
            Action::Flock => {
                if self.spatial() {
                    self.gaze.follow();
                    self.camera_says("The camera follows the flock");
                }
            }
            Action::Behind => {
                self.gaze.chase(false, self.session.scene().agent_count());
                self.camera_says(&format!("The camera chases an agent; {} again: another one", Action::Behind.keys()));
            }
            Action::Eyes => {
                if self.spatial() {
                    self.gaze.chase(true, self.session.scene().agent_count());
                    self.camera_says(&format!("Out of an agent's eyes; {} again: another one's", Action::Eyes.keys()));
                }
            }
            Action::Fly => {}
            Action::Look => {
                let look = self.session.scene().look;
                self.show_as(Look { name: look.name.next(), ..look })?;
                self.say(format!("Look: {}", self.session.scene().look.name.word()));
            }
            Action::Color => {
                let look = self.session.scene().look;
                self.show_as(Look { color: look.color.next(), ..look })?;
                self.say(format!("Color: {}", color_name(self.session.scene().look.color)));
            }
            Action::Half => {
                self.half = !self.half;
                let how = if self.half { "half resolution while it runs" } else { "whole resolution" };
                self.say(format!("The picture is drawn at {how}"));
            }
            Action::Figures => self.figures_open = !self.figures_open,
            Action::Panel => self.panel_open = Some(!self.shows_panel()),
            Action::Help => {
                let open = matches!(self.dialog, Some(Dialog::Keys));
                self.dialog = (!open).then_some(Dialog::Keys);
            }
            Action::HideUi => self.plain = !self.plain,
            Action::FullScreen => {
                let full = self.window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                self.window.set_fullscreen(full);
            }
            Action::Screenshot => {
                let saved = save_picture(&self.session, &self.view, self.picture)?;
                self.say(saved.map_or_else(|why| why.to_string(), |path| format!("Saved {}", path.display())));
            }
            Action::Leave if self.dialog.is_some() || self.hints => (self.dialog, self.hints) = (None, false),
            Action::Leave => self.window.set_fullscreen(None),
            Action::Quit if self.session.tuned() => self.dialog = Some(Dialog::Lost(After::Quit)),
            Action::Quit => return Ok(false),
        }
        self.logged = None;
        Ok(true)
    }

    /// Do what was asked for in the window. False ends the program.
    fn wish(&mut self, wish: Wish) -> Result<bool, ViewerError> {
        self.window.request_redraw();
        match wish {
            Wish::Act(action) => return self.act(action),
            Wish::Say(text) => self.say(text),
            Wish::Close => (self.dialog, self.hints) = (None, false),
            Wish::Look(look) => self.show_as(look)?,
            Wish::Open(name) if self.session.tuned() => self.dialog = Some(Dialog::Lost(After::Open(name))),
            Wish::Open(name) => return Ok(self.go_on(After::Open(name))),
            Wish::Lose(after) => return Ok(self.go_on(after)),
            Wish::SaveFirst(after) => self.dialog = Some(Dialog::Save(Saving::new(self.proposal(), Some(after)))),
            Wish::Save { path, replace } => return Ok(self.save(&path, replace)),
            Wish::Try(changes) => match self.session.tried(&changes) {
                Ok((draft, keeps)) => {
                    self.dialog = None;
                    self.tune(draft, false)?;
                    let lost = if keeps { "" } else { " on the scene of the file, without what was changed" };
                    self.say(format!(
                        "Tried {}{lost}. Undo takes it back ({})",
                        changes.join(" "),
                        Action::Undo.keys()
                    ));
                }
                Err(error) => self.say(error.to_string()),
            },
            Wish::Tune(draft) => {
                let held = self.gui.held();
                self.tune(*draft, held)?;
            }
        }
        Ok(true)
    }

    fn tune(&mut self, draft: Draft, held: bool) -> Result<(), ViewerError> {
        match self.session.tune(draft, held)? {
            Ok(()) => self.logged = None,
            Err(why) => self.say(why),
        }
        Ok(())
    }

    /// What comes after a question. False ends the program.
    fn go_on(&mut self, after: After) -> bool {
        (self.dialog, self.hints) = (None, false);
        match after {
            After::Open(name) => self.opening = Some((name, Opening::Asked)),
            After::Quit => return false,
        }
        true
    }

    /// Open a preset or a file in place of what runs. Where that fails, it says why and what runs goes on.
    fn open_scene(&mut self, name: &str) -> Result<(), ViewerError> {
        let gpu = self.canvas.gpu().clone();
        let opened = Scene::open(name, &[]).map_err(|error| error.to_string()).and_then(|scene| {
            let (scene, shrunk) = fit(&gpu, &scene, self.options.few_agents).map_err(|error| error.to_string())?;
            let session = Session::new(&gpu, scene, self.options.simulation.clone(), self.options.paused, None);
            session.map(|session| (session, shrunk)).map_err(|error| error.to_string())
        });
        gpu.check()?;
        match opened {
            Ok((mut session, shrunk)) => {
                *session.pace() = *self.session.pace();
                (self.session, self.shrunk, self.panel) = (session, shrunk, Panel::default());
                self.took_over()?;
            }
            Err(why) => self.dialog = Some(Dialog::Problem(format!("{name} cannot be opened"), why)),
        }
        self.logged = None;
        self.drawn = Instant::now();
        Ok(())
    }

    /// The session has another scene.
    fn took_over(&mut self) -> Result<(), ViewerError> {
        let scene = self.session.scene();
        self.window.set_title(&window_title(scene));
        self.renderer.set_scene(scene)?;
        if let Some(path) = file_of(scene) {
            self.remembered.opened(path);
        }
        self.look_anew();
        Ok(())
    }

    /// Is it a spatial world? If not, it says so.
    fn spatial(&mut self) -> bool {
        let spatial = self.view.spatial();
        if !spatial {
            self.say("A flat world is seen from above".to_owned());
        }
        spatial
    }

    /// What the camera does now, and how it comes back.
    fn camera_says(&mut self, what: &str) {
        self.say(format!("{what}. {}: back to the scene's view", Action::Frame.keys()));
    }

    fn show_as(&mut self, look: Look) -> Result<(), ViewerError> {
        let scene = self.session.show_as(look);
        self.renderer.set_scene(scene)?;
        self.logged = None;
        Ok(())
    }

    /// Open the device again that failed, with all that lay on it, and go on from the latest snapshot.
    ///
    /// # Errors
    /// The error that it failed with, where that is no failure of the device or comes again and again; or that of the new one.
    fn rebuild(&mut self, event_loop: &ActiveEventLoop, error: ViewerError) -> Result<(), ViewerError> {
        self.lost.retain(|at| at.elapsed() < RETRY);
        if !matches!(error, ViewerError::Gpu(GpuError::Device(_))) || self.lost.len() >= MOST_LOST {
            return Err(error);
        }
        self.lost.push(Instant::now());
        // A window has one surface at a time.
        self.canvas.suspend();
        self.canvas = Canvas::new(&event_loop.owned_display_handle(), &self.window, &self.options.adapter)?;
        let gpu = self.canvas.gpu().clone();
        self.session.move_to(&gpu, self.options.simulation.clone())?;
        self.renderer = Renderer::new(&gpu, self.canvas.format(), self.session.scene())?;
        self.renderer.set_beside(Gui::ground(self.canvas.format()));
        self.gui = Gui::new(&gpu, self.canvas.format(), &self.window);
        self.sketch = Sketch::new(&gpu, self.canvas.format());
        self.pictures = Pictures::default();
        self.gaze.forget();
        let step = self.session.steps();
        let text = format!("The graphics device was lost and is opened anew. The run goes on from step {step}");
        (self.options.note)(&format!(
            "{text} ({})",
            error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
        ));
        self.say(text);
        self.drawn = Instant::now();
        self.logged = None;
        self.window.request_redraw();
        Ok(())
    }

    /// The view that the scene asks for.
    fn look_anew(&mut self) {
        self.view = View::from_scene(self.session.scene());
        self.gaze = Gaze::default();
    }

    /// The scene as it is to be kept: with the camera, where the user moved that.
    fn as_seen(&self) -> Result<Scene, SceneError> {
        self.session.scene().edit(|draft| {
            if self.gaze.touched() {
                draft.camera = self.view.camera();
            }
            Ok(())
        })
    }

    /// The command that opens the scene with what was changed, or that there is nothing to copy.
    fn command(&self) -> Result<String, String> {
        let scene = self.as_seen().map_err(|error| error.to_string())?;
        let changes = scene.changes().map_err(|error| error.to_string())?;
        let quoted = |text: String| match text.chars().all(|c| c.is_ascii_alphanumeric() || "=._-/".contains(c)) {
            true => text,
            false => format!("'{}'", text.replace('\'', "'\\''")),
        };
        let sets =
            changes.iter().map(|change| format!(" --set {}", quoted(format!("{}={}", change.key, change.value))));
        Ok(format!("steerling view {}{}", quoted(scene.source.origin.clone()), sets.collect::<String>()))
    }

    /// The file that the scene came from, or one of its name.
    fn proposal(&self) -> String {
        let scene = self.session.original();
        file_of(scene).map_or_else(|| format!("{}.toml", scene.name), str::to_owned)
    }

    /// Keep the scene in a file. False ends the program, where that was to come after it.
    fn save(&mut self, path: &str, replace: bool) -> bool {
        let path = match path.trim() {
            path if path.ends_with(".toml") => path.to_owned(),
            path => format!("{path}.toml"),
        };
        let mut then = None;
        let problem = match self.write(&path, replace) {
            Ok(scene) => {
                if let Some(Dialog::Save(saving)) = self.dialog.take() {
                    then = saving.then;
                }
                self.session.kept(scene);
                self.window.set_title(&window_title(self.session.scene()));
                self.remembered.opened(&path);
                self.say(format!("Saved {path}"));
                None
            }
            Err(error) => Some((error.kind() == io::ErrorKind::AlreadyExists, error.to_string())),
        };
        if let (Some((exists, why)), Some(Dialog::Save(saving))) = (problem, &mut self.dialog) {
            saving.exists = exists;
            saving.own = exists && file_of(self.session.original()) == Some(&path);
            saving.problem = (!exists).then_some(why);
        }
        then.is_none_or(|after| self.go_on(after))
    }

    /// Write the scene to a file, and read what was written.
    fn write(&self, path: &str, replace: bool) -> io::Result<Scene> {
        let refused = |error: SceneError| io::Error::other(error.to_string());
        let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let scene = self.as_seen().map_err(refused)?;
        // It is called as its file, unless that is no name for a scene.
        let named = scene.edit(|draft| {
            draft.name = stem.to_owned();
            Ok(())
        });
        let text = named.unwrap_or(scene).to_toml(path).map_err(refused)?;
        files::write_whole(Path::new(path), replace, true, |out| out.write_all(text.as_bytes()))?;
        Scene::parse(&text, path, &[]).map_err(refused)
    }

    fn say(&mut self, text: String) {
        self.toast = Some((text, Instant::now() + TOAST));
    }

    /// When to draw next; never where nothing changes on its own.
    fn wake_at(&self) -> Option<Instant> {
        if self.hidden {
            return Some(self.drawn + HIDDEN);
        }
        let moves = !self.session.paused() || self.gaze.restless() || self.pointer.course().is_some();
        let frame = moves.then_some(self.drawn + SHORTEST_FRAME);
        let toast = self.toast.as_ref().map(|(_, end)| *end);
        let log = self.log.map(|_| self.logged.map_or(self.drawn, |at| at + LOG));
        [frame, toast, log, self.gui.repaint_at].into_iter().flatten().min()
    }

    /// Step, draw, show. A window that cannot be seen rests. False ends the program.
    fn frame(&mut self) -> Result<bool, ViewerError> {
        if let Some((name, _)) = self.opening.take_if(|(_, opening)| *opening == Opening::Told) {
            self.open_scene(&name)?;
        }
        let elapsed = self.drawn.elapsed();
        self.drawn = Instant::now();
        self.toast.take_if(|(_, end)| *end <= self.drawn);
        let covered = self.occluded || self.window.is_minimized() == Some(true);
        let texture = if covered { None } else { self.canvas.acquire(&self.window)? };
        self.hidden = texture.is_none();
        let mut goes_on = true;
        if let Some(texture) = texture {
            self.session.advance(elapsed)?;
            self.session.keep();
            if let Some(course) = self.pointer.course() {
                self.gaze.touch();
                self.view.fly(course * FLIGHT * elapsed.as_secs_f32().min(0.1));
            }
            let (session, view) = (&self.session, &mut self.view);
            self.gaze.guide(view, session.simulation(), elapsed, session.paused(), self.picture)?;
            goes_on = self.show(texture)?;
        } else {
            self.session.rest();
        }
        if let Some((_, opening)) = &mut self.opening {
            *opening = Opening::Told;
            self.window.request_redraw();
        }
        self.log()?;
        Ok(goes_on)
    }

    fn show(&mut self, texture: wgpu::SurfaceTexture) -> Result<bool, ViewerError> {
        let size = (texture.texture.width(), texture.texture.height());
        let gpu = self.canvas.gpu().clone();
        let (painting, wishes) = self.lay_out(size);
        let target = texture.texture.create_view(&Default::default());
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let simulation = self.session.simulation();
        self.renderer.set_errors(self.session.errors());
        // At rest there is time for all pixels.
        if self.half && !self.session.paused() {
            let halved = (self.picture.0.div_ceil(2), self.picture.1.div_ceil(2));
            let small = self.sketch.view(&gpu, self.canvas.format(), size);
            self.renderer.set_coarse(2.0);
            self.renderer.draw(&mut encoder, &small, halved, simulation, &self.view);
            self.sketch.enlarge(&gpu, &mut encoder, &target);
        } else {
            self.renderer.set_coarse(1.0);
            self.renderer.draw(&mut encoder, &target, self.picture, simulation, &self.view);
        }
        let mut commands = self.gui.paint(&gpu, &mut encoder, &target, size, painting);
        commands.push(encoder.finish());
        self.canvas.present(commands, texture)?;
        for wish in wishes {
            if !self.wish(wish)? {
                return Ok(false);
            }
        }
        if !self.gui.held() {
            self.session.let_go();
        }
        let (world, agents) = (self.view_of(), self.session.simulation().scene().agent_count());
        match self.session.arrive()? {
            Some(Ok(())) => {
                self.renderer.set_scene(self.session.scene())?;
                if self.session.simulation().scene().agent_count() != agents {
                    self.shrunk = None;
                }
                if self.view_of() != world {
                    self.look_anew();
                }
                self.logged = None;
            }
            Some(Err(why)) => self.say(why),
            None if self.session.changing() => {}
            None => return Ok(true),
        }
        self.window.request_redraw();
        Ok(true)
    }

    /// What the view frames.
    fn view_of(&self) -> glam::Vec3 {
        self.session.simulation().scene().world.size
    }

    /// Is there room for the panel, or was it asked for?
    fn shows_panel(&self) -> bool {
        let width = f64::from(self.window.inner_size().width) / self.window.scale_factor();
        self.panel_open.unwrap_or(width >= f64::from(NARROW))
    }

    /// Lay the user interface out, and with it the picture. Returns what was asked for with the mouse.
    fn lay_out(&mut self, size: (u32, u32)) -> (Painting, Vec<Wish>) {
        let panel_open = self.shows_panel();
        let Stage { session, gui, window, dialog, plain, toast, shrunk, panel, remembered, pictures, opening, .. } =
            self;
        let (mut wishes, mut free, mut scale) = (Vec::new(), egui::Pos2::ZERO, 1.0);
        let (figures_open, hints, half) = (self.figures_open, self.hints, self.half);
        let painting = gui.run(window, |ui| {
            // The toolkit may lay out twice; the last time counts.
            wishes.clear();
            let whole = ui.max_rect();
            if !*plain {
                egui::Panel::bottom("transport").show(ui, |ui| dashboard::transport(ui, session, &mut wishes));
                if panel_open {
                    // Beside the picture, or below it where it would leave nothing of that.
                    let side = if whole.width() < NARROW {
                        egui::Panel::bottom("flock below").exact_size(0.5 * whole.height())
                    } else {
                        egui::Panel::right("flock").exact_size(panel::WIDTH)
                    };
                    let side = side.resizable(false);
                    let (scene, original, tuned) = (session.scene(), session.original(), session.tuned());
                    let about = About { scene, original, tuned, history: (session.can_undo(), session.can_redo()) };
                    side.show(ui, |ui| panel.show(ui, &about, &mut wishes));
                }
            }
            free = ui.available_rect_before_wrap().max;
            let room = (free.x, free.y);
            if !*plain && free.x >= FIGURES_ROOM {
                let more = dashboard::More { open: figures_open, half, shrunk: *shrunk };
                dashboard::figures(ui, session, &more, free.x, &mut wishes);
            }
            if let Some(text) = session.trouble() {
                dashboard::alarm(ui, text, room);
            }
            if let Some((name, _)) = opening {
                dashboard::toast(ui, &format!("Opening {name} …"), room);
            } else if let Some((text, _)) = toast {
                dashboard::toast(ui, text, room);
            }
            if hints && !*plain {
                dashboard::hints(ui, session.scene().world.spatial, room, &mut wishes);
            }
            if let Some(dialog) = dialog {
                let scene = session.scene();
                dialogs::show(ui, dialog, Around { scene, remembered, pictures }, &mut wishes);
            }
            scale = ui.ctx().pixels_per_point();
        });
        let pixels = |points: f32, most: u32| ((points * scale).ceil() as u32).clamp(1, most);
        let picture = (pixels(free.x, size.0), pixels(free.y, size.1));
        if std::mem::replace(&mut self.picture, picture) != picture {
            self.window.request_redraw();
        }
        (painting, wishes)
    }

    fn log(&mut self) -> Result<(), ViewerError> {
        let due = self.logged.is_none_or(|at| at.elapsed() >= LOG);
        if let Some(log) = self.log.filter(|_| due) {
            log(&self.session.log_line()?);
            self.logged = Some(Instant::now());
        }
        Ok(())
    }
}

fn window_title(scene: &Scene) -> String {
    format!("Steerling - {}", gallery::called(scene, scene.name.clone()))
}

/// The scene, with at most `few` agents where the adapter computes on the CPU; then also its own number.
fn fit(gpu: &Gpu, scene: &Scene, few: Option<u32>) -> Result<(Scene, Option<u32>), GpuError> {
    let agents = scene.agent_count();
    match few.filter(|few| gpu.software() && *few < agents) {
        Some(few) => Ok((scene.with_agents(few)?, Some(agents))),
        None => Ok((scene.clone(), None)),
    }
}

/// Say what a software adapter means.
fn tell(gpu: &Gpu, agents: u32, shrunk: Option<u32>, note: fn(&str)) {
    let title = gpu.title();
    match shrunk {
        Some(all) => note(&format!(
            "{title} computes on the CPU: starting with {agents} of {all} agents; --agents sets another number"
        )),
        None if gpu.software() => note(&format!("{title} computes on the CPU; a GPU is faster by far")),
        None => {}
    }
}
