//! The application: it opens the window, hands events to it, and ends with the first failure.

use super::stage::Stage;
use super::{ViewerError, WindowOptions};
use std::ops;
use std::time::Instant;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::WindowId;

/// The application, whose window opens when the window system is ready.
pub struct App {
    options: WindowOptions,
    stage: Option<Stage>,
    failure: Option<ViewerError>,
    /// Was a mouse button used since the latest frame? The next frame decides whether that gave a field the focus.
    clicked: bool,
    /// The keys that came since then, which wait for that frame, because only then it is known whether they type.
    keys: Vec<WindowEvent>,
}

impl App {
    /// An application without a window yet.
    pub fn new(options: WindowOptions) -> App {
        App { options, stage: None, failure: None, clicked: false, keys: Vec::new() }
    }

    /// The first failure, if there was one.
    pub fn result(self) -> Result<(), ViewerError> {
        self.failure.map_or(Ok(()), Err)
    }

    /// Let the window take in an event.
    fn hand_over(&mut self, event_loop: &ActiveEventLoop, event: &WindowEvent) {
        // After a failure the window takes in nothing more.
        if let Some(stage) = self.stage.as_mut().filter(|_| self.failure.is_none()) {
            let handled = stage.handle(event);
            let handled = handled.or_else(|error| stage.rebuild(event_loop, error).map(ops::ControlFlow::Continue));
            if self.attempt(event_loop, handled).is_some_and(|next| next.is_break()) {
                event_loop.exit();
                // Events that are still queued must find no window.
                self.stage = None;
            }
        }
    }

    /// Return the value of a result; or on a failure, keep the first one and end the program.
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
            let resumed = stage.resume();
            self.attempt(event_loop, resumed);
        } else {
            let stage = Stage::open(event_loop, &self.options);
            self.stage = self.attempt(event_loop, stage);
        }
    }

    fn suspended(&mut self, _: &ActiveEventLoop) {
        if let Some(stage) = &mut self.stage {
            stage.suspend();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::KeyboardInput { .. } | WindowEvent::ModifiersChanged(_) if self.clicked => {
                return self.keys.push(event);
            }
            WindowEvent::MouseInput { .. } => self.clicked = true,
            WindowEvent::RedrawRequested => self.clicked = false,
            _ => {}
        }
        self.hand_over(event_loop, &event);
        if !self.clicked {
            std::mem::take(&mut self.keys).iter().for_each(|key| self.hand_over(event_loop, key));
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if let Some(stage) = self.stage.as_mut().filter(|_| !event_loop.exiting()) {
            match stage.wake_at() {
                Some(time) if time <= Instant::now() => {
                    stage.redraw();
                    event_loop.set_control_flow(ControlFlow::Wait);
                }
                Some(time) => event_loop.set_control_flow(ControlFlow::WaitUntil(time)),
                None => event_loop.set_control_flow(ControlFlow::Wait),
            }
        }
    }
}
