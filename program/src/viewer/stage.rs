//! The window: events in, frames out.

use super::actions::{self, Action};
use super::beside::Beside;
use super::browse::Browsing;
use super::building::Building;
use super::canvas::Canvas;
use super::dialogs::{After, Dialog, Wish};
use super::edited::Edited;
use super::eye::Eye;
use super::filming::Filming;
use super::format::grouped;
use super::gallery::{self, file_of};
use super::ghosts;
use super::interface::Interface;
use super::meaning;
use super::picked::Picked;
use super::picture::Picture;
use super::pointer::{Deed, Tool};
use super::session::{Answer, Session};
use super::unsaved::{Leftover, Unsaved};
use super::{ViewerError, WindowOptions};
use glam::Vec3;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use steerling::gpu::{Gpu, GpuError};
use steerling::output::Record;
use steerling::scene::Scene;
use winit::dpi::{LogicalSize, PhysicalSize};
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::ActiveEventLoop;
use winit::keyboard::ModifiersState;
use winit::window::{Fullscreen, Window};

/// Shortest time between two frames, where the display does not set the pace.
const SHORTEST_FRAME: Duration = Duration::from_millis(4);
/// Time between two checks whether a hidden window can be seen again.
const HIDDEN: Duration = Duration::from_millis(200);
/// The window reopens a lost device at most this often within `RETRY`; then it gives up.
const MOST_LOST: usize = 3;
const RETRY: Duration = Duration::from_secs(60);
/// Speed at which keys fly the camera, in half heights of the picture per second.
const FLIGHT: f32 = 0.8;
/// How long the question about unsaved changes must be shown before a second click on the window's close button answers it. So a
/// double click only asks.
const READ: Duration = Duration::from_secs(1);
/// Time between two lines of the log.
const LOG: Duration = Duration::from_secs(1);
/// The least size of the window, points.
const SMALLEST: LogicalSize<f64> = LogicalSize::new(320.0, 240.0);

/// A window and all that it shows.
pub struct Stage {
    pub(super) options: WindowOptions,
    pub(super) session: Session,
    /// The scene's own number of agents, if fewer were started.
    pub(super) shrunk: Option<u32>,
    /// A scene that is opened once a frame has announced it.
    pub(super) opening: Option<Opening>,
    /// The size of a large picture that is about to be saved, px, which may take seconds; and whether a frame has announced it.
    pub(super) large: Option<((u32, u32), bool)>,
    /// The files of the scene, which may be edited while it runs.
    pub(super) edited: Edited,
    /// The film that is being recorded.
    pub(super) film: Option<Filming>,
    /// Was a film ever begun? From then on a signal closes the window in order, so that the film is completed.
    pub(super) listens: bool,
    /// The record of the picture to whose step the run is on its way.
    pub(super) restored: Option<Record>,
    /// The unchanged run A, drawn beside `session`, which is B.
    pub(super) beside: Option<Beside>,
    pub(super) eye: Eye,
    /// What is being built with the mouse.
    pub(super) building: Building,
    /// Keeps unsaved changes in a file, for the next start.
    pub(super) unsaved: Unsaved,
    /// The file dialog of the desktop that is open.
    pub(super) browsing: Option<Browsing>,
    pub(super) picked: Picked,
    /// Shows on agents what the number under the pointer means.
    meant: meaning::MeaningDrawing,
    pub(super) picture: Picture,
    pub(super) interface: Interface,
    pub(super) watch: Watch,
    pub modifiers: ModifiersState,
    // Declared before the window, so that the surface is dropped first.
    canvas: Canvas,
    pub(super) window: Arc<Window>,
}

/// A scene that is about to be opened. Opening may take seconds in which nothing is drawn, so a frame announces it first.
pub struct Opening {
    /// A preset, or the path of a file.
    pub name: String,
    /// The dialog that it was chosen in, which opens again after a failure.
    pub from: Option<Dialog>,
    /// Has a frame announced it?
    pub announced: bool,
    /// Unsaved changes of it that an earlier window left, to be applied once it is open.
    pub changed: Option<Box<(Scene, Leftover)>>,
}

/// The times and states that decide when the window draws and logs.
pub struct Watch {
    /// When the latest frame began.
    pub drawn: Instant,
    /// When the latest line of the log was written; `None`: write one with the next frame.
    pub logged: Option<Instant>,
    occluded: bool,
    /// Could the latest frame not be shown?
    hidden: bool,
    /// Since when the question about unsaved changes on closing is shown.
    asks: Option<Instant>,
    /// When devices were lost, within `RETRY`.
    lost: Vec<Instant>,
}

impl Stage {
    pub fn open(event_loop: &ActiveEventLoop, options: &WindowOptions) -> Result<Stage, ViewerError> {
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
        software_note(&gpu, scene.agent_count(), shrunk).iter().for_each(|text| (options.note)(text));
        let paused = options.paused || options.picture.is_some();
        let mut session = Session::new(&gpu, scene, options.simulation.clone(), paused, options.steps)?;
        session.allow_past(options.past);
        let mut interface = Interface::new(&gpu, canvas.format(), &window);
        if let Some(path) = file_of(session.scene()) {
            interface.remembered.opened(path);
        }
        let unsaved = Unsaved::new(interface.remembered.folder());
        unsaved.tidy();
        interface.dialog = unsaved.find().map(Dialog::Left);
        let watch =
            Watch { drawn: Instant::now(), logged: None, occluded: false, hidden: false, asks: None, lost: vec![] };
        let mut stage = Stage {
            shrunk,
            opening: None,
            large: None,
            edited: Edited::of(&options.scene),
            restored: None,
            film: None,
            listens: false,
            beside: None,
            eye: Eye::new(session.scene()),
            building: Building::default(),
            unsaved,
            browsing: None,
            picked: Picked::default(),
            meant: meaning::MeaningDrawing::default(),
            picture: Picture::new(&gpu, canvas.format(), session.scene(), options.size)?,
            interface,
            watch,
            modifiers: ModifiersState::empty(),
            options: options.clone(),
            session,
            canvas,
            window,
        };
        if let Some(record) = options.picture.clone() {
            stage.restore(record)?;
        }
        Ok(stage)
    }

    /// Create the surface again, after the window system has given the window back.
    pub fn resume(&mut self) -> Result<(), ViewerError> {
        self.canvas.resume(&self.window)
    }

    /// Drop the surface, because the window system takes the window away for a while.
    pub fn suspend(&mut self) {
        self.canvas.suspend();
    }

    /// Draw a frame soon.
    pub fn redraw(&self) {
        self.window.request_redraw();
    }

    /// Take in an event. Break ends the program.
    pub fn handle(&mut self, event: &WindowEvent) -> Result<ControlFlow<()>, ViewerError> {
        match event {
            WindowEvent::RedrawRequested => return self.frame(),
            // The window was closed from outside, and can no longer be used.
            WindowEvent::Destroyed => return Ok(ControlFlow::Break(())),
            WindowEvent::KeyboardInput { event: key, is_synthetic, .. } => {
                if key.state == ElementState::Released {
                    // A key that flies is released also where, with Shift or in a field, it would do something else.
                    self.eye.pointer.fly(&key.logical_key, false);
                }
                if !is_synthetic && let Some(next) = self.key(key)? {
                    return Ok(next);
                }
            }
            _ => {}
        }
        self.interface.gui.event(&self.window, event);
        self.eye.pointer.enter(event, self.picture.left);
        let over_ui = self.interface.dialog.is_some()
            || self.interface.gui.has_pointer(self.eye.pointer.in_window(), self.picture.room());
        let pressed = matches!(event, WindowEvent::MouseInput { state: ElementState::Pressed, .. }) && !over_ui;
        let over_other = self.over_other();
        let held = if pressed && !over_other { self.handles() } else { Rc::default() };
        let crosses = || held.iter().map(|handle| handle.at).collect::<Vec<_>>();
        let Eye { view, gaze, pointer, .. } = &mut self.eye;
        // In the picture of the run beside, which stays unchanged, drags only move the camera.
        let tool = pointer.tool;
        pointer.tool = if over_other { Tool::Hand } else { tool };
        if pointer.handle(event, self.modifiers, over_ui, crosses, view, self.picture.size) {
            gaze.touch();
            self.window.request_redraw();
        }
        pointer.tool = tool;
        let moved = matches!(event, WindowEvent::CursorMoved { .. });
        let shows = matches!(pointer.tool, Tool::Edit | Tool::Areas | Tool::Paths | Tool::Agents | Tool::Flow);
        if pointer.drawing().is_some() || (moved && shows) {
            self.window.request_redraw();
        }
        let deed = pointer.deed.take();
        self.building.held.take_if(|_| !pointer.carries());
        if let Some(deed) = deed {
            self.redraw();
            match deed {
                Deed::Click(at) => self.click(at)?,
                Deed::Draw(drawn) => self.draw(drawn)?,
                Deed::Erase(at) => self.erase(at)?,
                Deed::Carry(index, _, to) => {
                    self.carry(index, to)?;
                    return Ok(ControlFlow::Continue(()));
                }
            }
        }
        let Eye { view, pointer, .. } = &mut self.eye;
        if matches!(event, WindowEvent::CursorMoved { .. }) && !over_ui {
            self.session.set_mouse(view.unproject(pointer.at(), self.picture.size));
        }
        match event {
            WindowEvent::CloseRequested => {
                if !matches!(self.interface.dialog, Some(Dialog::Lost(After::Quit))) {
                    return self.act(Action::Quit);
                }
                // Closing again, once the question could be read or if nothing is drawn, closes. The next start offers the changes.
                if self.watch.hidden || self.watch.asks.is_some_and(|since| since.elapsed() >= READ) {
                    if !self.is_unsaved() {
                        return self.act(Action::Quit);
                    }
                    if self.write_unsaved() {
                        return Ok(ControlFlow::Break(()));
                    }
                    self.interface.say("The changes cannot be kept for the next start: save or discard them");
                }
            }
            WindowEvent::Resized(size) => {
                self.canvas.resize((*size).into());
                self.redraw();
            }
            WindowEvent::ScaleFactorChanged { .. } => self.redraw(),
            WindowEvent::Occluded(occluded) => {
                self.watch.occluded = *occluded;
                self.redraw();
            }
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::HoveredFile(_) => self.interface.say("Drop the file to open a scene, or the run of a picture"),
            WindowEvent::HoveredFileCancelled => self.interface.hush(true),
            WindowEvent::DroppedFile(path) => {
                self.interface.hush(true);
                match path.to_str() {
                    Some(path) => return self.wish(Wish::Open(path.to_owned())),
                    None => self.interface.say(format!("{} has no name that can be read", path.display())),
                }
            }
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Do what a key is bound to. `None` if the key is left to the toolkit, for a field or a button.
    fn key(&mut self, key: &KeyEvent) -> Result<Option<ControlFlow<()>>, ViewerError> {
        let Some(bound) = actions::find(&key.logical_key, self.modifiers) else { return Ok(None) };
        let pressed = key.state == ElementState::Pressed;
        let typing = self.interface.gui.typing() || self.interface.dialog.is_some();
        if bound.action == Action::Leave && (self.interface.dialog.is_none() || !pressed) {
            // Esc may be meant for a field or a list.
            let acts = !self.interface.gui.is_open() && pressed && !key.repeat;
            return if acts { self.act(Action::Leave).map(Some) } else { Ok(None) };
        }
        if bound.action == Action::EndPath && self.building.path_points.is_empty() {
            return Ok(None);
        }
        if bound.action == Action::Fly && !typing {
            self.eye.pointer.fly(&key.logical_key, pressed);
            self.redraw();
            return Ok(Some(ControlFlow::Continue(())));
        }
        if !bound.counts(typing, false, &key.logical_key) {
            return Ok(None);
        }
        if pressed && bound.counts(typing, key.repeat, &key.logical_key) {
            self.redraw();
            return self.act(bound.action).map(Some);
        }
        // A key that is bound does not also press the focused button.
        Ok(Some(ControlFlow::Continue(())))
    }

    /// Reopen a device that failed, make everything on it again, and go on from the latest snapshot.
    ///
    /// # Errors
    /// The given error, if it is no failure of the device or devices were lost too often; or an error of the new device.
    pub fn rebuild(&mut self, event_loop: &ActiveEventLoop, error: ViewerError) -> Result<(), ViewerError> {
        self.watch.lost.retain(|at| at.elapsed() < RETRY);
        if !matches!(error, ViewerError::Gpu(GpuError::Device(_) | GpuError::Lost(_)))
            || self.watch.lost.len() >= MOST_LOST
        {
            return Err(error);
        }
        self.watch.lost.push(Instant::now());
        // A window can have one surface at a time: drop it before making the next.
        self.canvas.suspend();
        self.canvas = Canvas::new(&event_loop.owned_display_handle(), &self.window, &self.options.adapter)?;
        let gpu = self.canvas.gpu().clone();
        self.end_beside();
        self.session.move_to(&gpu, self.options.simulation.clone())?;
        let half = self.picture.half;
        self.picture = Picture::new(&gpu, self.canvas.format(), self.session.scene(), self.picture.size)?;
        self.picture.half = half;
        self.interface.move_to(&gpu, self.canvas.format(), &self.window);
        self.eye.gaze.forget();
        self.film.iter_mut().for_each(Filming::forget);
        self.meant = meaning::MeaningDrawing::default();
        self.picked.forget();
        self.building.finding = None;
        let step = self.session.steps();
        let text = format!("The graphics device was lost and opened again. The run goes on from step {step}");
        let why = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        (self.options.note)(&format!("{text} ({why})"));
        self.interface.say(text);
        (self.watch.drawn, self.watch.logged) = (Instant::now(), None);
        self.redraw();
        Ok(())
    }

    /// When to draw next; `None` if nothing changes on its own.
    pub fn wake_at(&self) -> Option<Instant> {
        let Watch { drawn, hidden, logged, .. } = self.watch;
        if hidden {
            return Some(drawn + HIDDEN);
        }
        let arrives = self.session.restless()
            || self.meant.restless(self.session.simulation())
            || self.eye.gaze.restless()
            || self.building.finding.is_some()
            || self.session.auditing()
            || self.beside.as_ref().is_some_and(|beside| beside.restless(&self.session))
            || self.picked.restless(self.session.simulation());
        let moves = !self.session.paused() || arrives || self.eye.pointer.course().is_some();
        let frame = moves.then_some(drawn + SHORTEST_FRAME);
        let log = self.options.log.map(|_| logged.map_or(drawn, |at| at + LOG));
        let film = self.listens.then(|| drawn + if self.film.is_some() { HIDDEN } else { LOG });
        let browsing = self.browsing.as_ref().map(|_| drawn + HIDDEN);
        let unsaved = self.unsaved.looks_at().filter(|_| self.session.history.can_undo());
        let times = [frame, log, film, unsaved, browsing, self.interface.changes_at(), self.edited.looks_at()];
        times.into_iter().flatten().min()
    }

    /// Take steps, draw, and show the frame. A window that cannot be seen takes no steps. Break ends the program.
    fn frame(&mut self) -> Result<ControlFlow<()>, ViewerError> {
        if self.listens && (self.options.interrupted)() {
            return Ok(ControlFlow::Break(()));
        }
        if let Some(opening) = self.opening.take_if(|opening| opening.announced) {
            self.open_scene(opening)?;
        }
        if let Some((size, _)) = self.large.take_if(|(_, announced)| *announced) {
            self.photograph(size)?;
        }
        let elapsed = self.watch.drawn.elapsed();
        self.watch.drawn = Instant::now();
        self.interface.hush(false);
        let covered = self.watch.occluded || self.window.is_minimized() == Some(true);
        let texture = if covered { None } else { self.canvas.acquire(&self.window)? };
        self.watch.hidden = texture.is_none();
        let mut next = ControlFlow::Continue(());
        if let Some(texture) = texture {
            self.follow_files()?;
            self.keep_unsaved();
            self.take_file()?;
            self.spray()?;
            let (before, agents) = (self.session.steps(), self.session.simulation().scene().agent_count());
            self.session.audits.picked = self.picked.ids();
            self.session.film_stop = self.film.as_ref().and_then(|film| film.next(before));
            if !self.beside.as_ref().is_some_and(|beside| beside.behind(&self.session)) {
                self.session.advance(elapsed)?;
            }
            if self.session.travel()? {
                self.watch.logged = None;
                self.picture.forget();
            }
            if self.session.simulation().scene().agent_count() != agents {
                // It passed a step at which agents joined or were erased, so ids have changed.
                self.picked.let_go();
            }
            self.compare_with_picture();
            if let Some((condition, step)) = self.session.fired() {
                self.interface.say(format!("Paused at step {}: {condition}", grouped(step)));
            }
            self.session.keep()?;
            self.follow_beside()?;
            self.session.audit()?.into_iter().for_each(|outcome| self.picked.hear(outcome));
            let Eye { view, gaze, pointer, .. } = &mut self.eye;
            if let Some(course) = pointer.course() {
                gaze.touch();
                view.fly(course * FLIGHT * elapsed.as_secs_f32().min(0.1));
            }
            let (simulation, paused) = (self.session.simulation(), self.session.paused());
            // In a film the camera moves by simulated time.
            let filmed =
                self.session.film_stop.filter(|_| !paused).map(|_| self.session.steps().saturating_sub(before));
            let seconds = filmed.map(|steps| Duration::from_secs_f32(steps as f32 * simulation.scene().dt));
            gaze.guide(view, simulation, seconds.unwrap_or(elapsed), paused, self.picture.size)?;
            match self.film.as_mut().map_or(Ok(()), |film| film.look(&self.session, view)) {
                Err(error @ GpuError::Picture { .. }) => {
                    self.film.iter_mut().for_each(Filming::end);
                    self.interface.say(error.to_string());
                }
                looked => looked?,
            }
            if let Some(id) = gaze.chased().filter(|_| self.picked.id().is_some()) {
                self.picked.turn_to(id);
            }
            if let Some(id) = self.picked.look(simulation)? {
                self.turn_to(id);
            }
            self.look_for_target()?;
            let simulation = self.session.simulation();
            let (meaning, latest) = (self.interface.panel.meaning.as_ref(), self.session.past().latest());
            self.meant.look(meaning, self.picked.id(), simulation, latest, (&self.eye.view, self.picture.size))?;
            next = self.show(texture)?;
        } else {
            self.session.rest();
        }
        if let Some(opening) = &mut self.opening {
            opening.announced = true;
            self.window.request_redraw();
        }
        if let Some((_, announced)) = &mut self.large {
            *announced = true;
            self.window.request_redraw();
        }
        if let Some(told) = self.film.as_mut().and_then(Filming::told) {
            self.film = None;
            self.interface.say(told);
            self.redraw();
        }
        self.log()?;
        Ok(next)
    }

    fn show(&mut self, texture: wgpu::SurfaceTexture) -> Result<ControlFlow<()>, ViewerError> {
        self.mark_beside()?;
        let size = (texture.texture.width(), texture.texture.height());
        let gpu = self.canvas.gpu().clone();
        let edits = matches!(self.eye.pointer.tool, Tool::Edit | Tool::Areas);
        let handles = if edits { self.handles() } else { Rc::default() };
        let dots = self.dots(&handles);
        let mut outline = self.meant.outline(&self.eye.view, self.picture.size);
        outline.extend(self.built());
        outline.extend(ghosts::outline(self.session.scene(), &self.eye.view, self.picture.size));
        let (painting, wishes, room) = self.lay_out(size, &dots, &outline);
        let resized = self.fit(room)?;
        let top = self.interface.covers(room);
        if self.eye.fit_below_tools(self.session.scene(), top, self.picture.size) || resized {
            self.window.request_redraw();
        }
        let other = self.beside.as_ref().map(|beside| &beside.session);
        let target = texture.texture.create_view(&Default::default());
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.picture.draw(&mut encoder, &target, size, (&self.session, other), &self.eye.view);
        let mut commands = self.interface.gui.paint(&gpu, &mut encoder, &target, size, painting);
        commands.push(encoder.finish());
        self.canvas.present(commands, texture)?;
        let asks = matches!(self.interface.dialog, Some(Dialog::Lost(After::Quit)));
        self.watch.asks = asks.then(|| self.watch.asks.unwrap_or_else(Instant::now));
        for wish in wishes {
            if self.wish(wish)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        if !self.interface.gui.held() {
            self.session.history.close();
        }
        self.follow_changes()?;
        Ok(ControlFlow::Continue(()))
    }

    /// Apply a change that is prepared, and show it, or say why it was refused.
    pub fn follow_changes(&mut self) -> Result<(), ViewerError> {
        let before = self.framed();
        if self.session.values_replayed() {
            self.picture.set_scene(self.session.scene())?;
            self.redraw();
        }
        match self.session.arrive()? {
            Some(Answer::Accepted) => {
                self.picture.set_scene(self.session.scene())?;
                self.reframe(before);
                self.watch.logged = None;
            }
            Some(Answer::Refused(why)) => self.edited.failed(why).into_iter().for_each(|why| self.interface.say(why)),
            None if self.session.changing() => {}
            None => return Ok(()),
        }
        self.redraw();
        Ok(())
    }

    /// Extent of the world, and number of agents, to be compared by [`Stage::reframe`].
    pub fn framed(&self) -> (Vec3, u32) {
        let scene = self.session.simulation().scene();
        (scene.world.size, scene.agent_count())
    }

    /// Adapt to a changed world or number of agents, given what [`Stage::framed`] returned before.
    pub fn reframe(&mut self, (world, agents): (Vec3, u32)) {
        let now = self.framed();
        if now.0 != world {
            self.eye.begin(self.session.scene());
        }
        if now.1 != agents {
            // Ids have changed.
            self.picked.let_go();
        }
    }

    fn log(&mut self) -> Result<(), ViewerError> {
        let due = self.watch.logged.is_none_or(|at| at.elapsed() >= LOG);
        if let Some(log) = self.options.log.filter(|_| due) {
            let picked = self.picked.id().map_or_else(String::new, |id| format!(" picked {id}"));
            log(&(self.session.log_line()? + &picked));
            self.watch.logged = Some(Instant::now());
        }
        Ok(())
    }
}

pub fn window_title(scene: &Scene) -> String {
    format!("Steerling - {}", gallery::called(scene, scene.name.clone()))
}

/// The scene, with at most `few` agents on an adapter that computes on the CPU; if that reduces them, also its own number of agents.
pub fn fit(gpu: &Gpu, scene: &Scene, few: Option<u32>) -> Result<(Scene, Option<u32>), GpuError> {
    let agents = scene.agent_count();
    match few.filter(|few| gpu.software() && *few < agents) {
        Some(few) => Ok((scene.with_agents(few)?, Some(agents))),
        None => Ok((scene.clone(), None)),
    }
}

/// A note for the user about a software adapter; `None` for a GPU. `shrunk` is the scene's own number of agents, if fewer start.
pub fn software_note(gpu: &Gpu, agents: u32, shrunk: Option<u32>) -> Option<String> {
    let title = gpu.title();
    match shrunk {
        Some(all) => Some(format!(
            "{title} computes on the CPU: starting with {agents} of {all} agents; --agents sets another number"
        )),
        None => gpu.software().then(|| format!("{title} computes on the CPU; a GPU is much faster")),
    }
}
