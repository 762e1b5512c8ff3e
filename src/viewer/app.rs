//! The application: events in, frames out.

use super::actions::{self, Action};
use super::canvas::Canvas;
use super::gaze::Gaze;
use super::gui::{Gui, Painting};
use super::pointer::Pointer;
use super::session::Session;
use super::snapshot::save_picture;
use super::{Options, ViewerError, dashboard, panel};
use crate::gpu::{Gpu, GpuError};
use crate::render::{Renderer, View};
use crate::scene::{Draft, Scene};
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
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
/// Time between two lines of the log.
const LOG: Duration = Duration::from_secs(1);
/// Windows narrower than this, in points, have no panel.
const NARROW: f32 = 440.0;

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
    help: bool,
    plain: bool,
    toast: Option<(String, Instant)>,
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

impl Stage {
    fn open(event_loop: &ActiveEventLoop, options: &Options) -> Result<Stage, ViewerError> {
        let attributes = Window::default_attributes()
            .with_title(format!("Steerling - {}", options.scene.name))
            .with_inner_size(PhysicalSize::<u32>::from(options.size))
            .with_fullscreen(options.fullscreen.then_some(Fullscreen::Borderless(None)));
        let window = event_loop.create_window(attributes).map_err(|error| ViewerError::NoWindow(error.to_string()))?;
        let window = Arc::new(window);
        let canvas = Canvas::new(&event_loop.owned_display_handle(), &window, &options.adapter)?;
        let gpu = canvas.gpu().clone();
        let (scene, shrunk) = fit(&gpu, options)?;
        let session = Session::new(&gpu, scene, options.simulation.clone(), options.paused, options.steps)?;
        Ok(Stage {
            renderer: Renderer::new(&gpu, canvas.format(), session.scene())?,
            view: View::from_scene(session.scene()),
            gaze: Gaze::default(),
            gui: Gui::new(&gpu, canvas.format(), &window),
            pointer: Pointer::default(),
            modifiers: ModifiersState::empty(),
            picture: options.size,
            shrunk,
            help: false,
            plain: false,
            toast: None,
            occluded: false,
            hidden: false,
            drawn: Instant::now(),
            log: options.log,
            logged: None,
            session,
            canvas,
            window,
        })
    }

    /// Take in an event. False ends the program.
    fn handle(&mut self, event: &WindowEvent) -> Result<bool, ViewerError> {
        if *event == WindowEvent::RedrawRequested {
            self.frame()?;
            return Ok(true);
        }
        self.gui.event(&self.window, event);
        let over_ui = self.gui.has_pointer(self.pointer.at(), self.picture);
        if self.pointer.handle(event, self.modifiers, over_ui, &mut self.view, self.picture) {
            self.gaze = Gaze::Touched;
            self.window.request_redraw();
        }
        if matches!(event, WindowEvent::CursorMoved { .. }) && !over_ui {
            self.session.set_mouse(self.view.unproject(self.pointer.at(), self.picture));
        }
        match event {
            WindowEvent::CloseRequested => return Ok(false),
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
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } if event.state == ElementState::Pressed => {
                let row = actions::find(&event.logical_key, self.modifiers);
                if let Some(row) = row.filter(|row| (row.repeats || !event.repeat) && !self.gui.has_keyboard()) {
                    self.window.request_redraw();
                    return self.act(row.action);
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
            Action::NewSeed => self.session.restart(seed.wrapping_add(1))?,
            Action::Slower => self.session.pace().slower(),
            Action::Faster => self.session.pace().faster(),
            Action::Frame => {
                self.view = View::from_scene(self.session.scene());
                self.gaze = Gaze::default();
            }
            Action::Look => {
                let scene = self.session.next_look();
                let name = scene.look.name.word();
                self.renderer.set_scene(scene);
                self.say(format!("Look: {name}"));
            }
            Action::Help => self.help = !self.help,
            Action::HideUi => self.plain = !self.plain,
            Action::FullScreen => {
                let full = self.window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                self.window.set_fullscreen(full);
            }
            Action::Screenshot => {
                let saved = save_picture(&self.session, &self.view, self.picture)?;
                self.say(saved.map_or_else(|why| why.to_string(), |path| format!("Saved {}", path.display())));
            }
            Action::Leave if self.help => self.help = false,
            Action::Leave => self.window.set_fullscreen(None),
            Action::Quit => return Ok(false),
        }
        self.logged = None;
        Ok(true)
    }

    fn say(&mut self, text: String) {
        self.toast = Some((text, Instant::now() + TOAST));
    }

    /// When to draw next; never where nothing changes on its own.
    fn wake_at(&self) -> Option<Instant> {
        if self.hidden {
            return Some(self.drawn + HIDDEN);
        }
        let frame = (!self.session.paused()).then_some(self.drawn + SHORTEST_FRAME);
        let toast = self.toast.as_ref().map(|(_, end)| *end);
        let log = self.log.map(|_| self.logged.map_or(self.drawn, |at| at + LOG));
        [frame, toast, log, self.gui.repaint_at].into_iter().flatten().min()
    }

    /// Step, draw, show. A window that cannot be seen rests.
    fn frame(&mut self) -> Result<(), ViewerError> {
        let elapsed = self.drawn.elapsed();
        self.drawn = Instant::now();
        self.toast.take_if(|(_, end)| *end <= self.drawn);
        let covered = self.occluded || self.window.is_minimized() == Some(true);
        let texture = if covered { None } else { self.canvas.acquire(&self.window)? };
        self.hidden = texture.is_none();
        if let Some(texture) = texture {
            self.session.advance(elapsed)?;
            self.gaze.guide(&mut self.view, self.session.simulation(), elapsed, self.session.paused())?;
            self.show(texture)?;
        } else {
            self.session.rest();
        }
        self.log()
    }

    fn show(&mut self, texture: wgpu::SurfaceTexture) -> Result<(), ViewerError> {
        let size = (texture.texture.width(), texture.texture.height());
        let (painting, actions, changed) = self.lay_out(size);
        let gpu = self.canvas.gpu().clone();
        let target = texture.texture.create_view(&Default::default());
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        self.renderer.draw(&mut encoder, &target, self.picture, self.session.simulation(), &self.view);
        let mut commands = self.gui.paint(&gpu, &mut encoder, &target, size, painting);
        commands.push(encoder.finish());
        self.canvas.present(commands, texture)?;
        for action in actions {
            self.act(action)?;
            self.window.request_redraw();
        }
        if let Some(Err(why)) = changed.map(|draft| self.session.change(draft)) {
            self.say(why);
        }
        match self.session.arrive()? {
            Some(Ok(())) => self.renderer.set_scene(self.session.scene()),
            Some(Err(why)) => self.say(why),
            None if self.session.changing() => {}
            None => return Ok(()),
        }
        self.window.request_redraw();
        Ok(())
    }

    /// Lay the user interface out, and with it the picture. Returns what was asked for with the mouse.
    fn lay_out(&mut self, size: (u32, u32)) -> (Painting, Vec<Action>, Option<Draft>) {
        let Stage { session, gui, window, help, plain, toast, shrunk, .. } = self;
        let (mut actions, mut changed, mut free) = (Vec::new(), None, egui::Pos2::ZERO);
        let mut scale = 1.0;
        let painting = gui.run(window, |ui| {
            // The toolkit may lay out twice; the last time counts.
            (actions, changed) = (Vec::new(), None);
            let whole = ui.max_rect();
            if !*plain {
                egui::Panel::bottom("transport").show(ui, |ui| dashboard::transport(ui, session, &mut actions));
                if whole.width() >= NARROW {
                    let side = egui::Panel::right("flock").default_size(310.0).size_range(220.0..=whole.width() * 0.6);
                    side.show(ui, |ui| {
                        changed = panel::show(ui, session.scene(), session.original());
                    });
                }
            }
            free = ui.available_rect_before_wrap().max;
            let room = (free.x, free.y);
            if !*plain {
                dashboard::figures(ui, session, *shrunk);
            }
            if let Some(text) = session.trouble() {
                dashboard::alarm(ui, text, room);
            }
            if let Some((text, _)) = toast {
                dashboard::toast(ui, text, room);
            }
            if *help {
                dashboard::help(ui, &session.scene().things_to_try);
            }
            scale = ui.ctx().pixels_per_point();
        });
        let pixels = |points: f32, most: u32| ((points * scale).ceil() as u32).clamp(1, most);
        self.picture = (pixels(free.x, size.0), pixels(free.y, size.1));
        (painting, actions, changed)
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

/// The scene, with fewer agents where the adapter computes on the CPU and that was agreed to.
fn fit(gpu: &Gpu, options: &Options) -> Result<(Scene, Option<u32>), ViewerError> {
    let scene = options.scene.clone();
    if !gpu.software() {
        return Ok((scene, None));
    }
    let (title, agents) = (gpu.title(), scene.agent_count());
    match options.software_agents.filter(|fewer| *fewer < agents) {
        Some(fewer) => {
            (options.note)(&format!(
                "{title} computes on the CPU: starting with {fewer} of {agents} agents; --agents sets another number"
            ));
            Ok((scene.with_agents(fewer).map_err(GpuError::from)?, Some(agents)))
        }
        None => {
            (options.note)(&format!("{title} computes on the CPU; a GPU is faster by far"));
            Ok((scene, None))
        }
    }
}
