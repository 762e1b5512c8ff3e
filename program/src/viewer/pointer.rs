//! The mouse on the picture: drags and the wheel move the camera; and the keys that fly it.

use glam::Vec3;
use steerling::render::View;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key, ModifiersState};

/// How much one notch of the wheel enlarges.
const NOTCH: f32 = 1.15;
/// This close to a cross, px, a press takes hold of it, and this close to an agent a click picks it.
pub const GRASP: f32 = 12.0;
/// Less far than this, px, a press that is let go was a click and no drag.
const STILL: f32 = 4.0;
/// Pixels of a touch pad that count as a notch.
const PIXELS_PER_NOTCH: f32 = 40.0;

/// What drags do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tool {
    /// They move the camera.
    #[default]
    Hand,
    /// They draw circles.
    Obstacles,
    /// They draw straight walls, or open them.
    Walls,
}

/// What is drawn by a drag, px.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// With this.
    pub tool: Tool,
    /// Where it began: the middle of a circle, or the end of a wall.
    pub from: (f32, f32),
    /// Where it ends.
    pub to: (f32, f32),
    /// Are walls opened?
    pub opens: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Drag {
    Pan,
    Orbit,
    /// A cross, which is here now.
    Target(Vec3),
    /// Something that is drawn, and ends at the pointer.
    Draw(Drawn),
}

/// Where the mouse is, and what it drags.
#[derive(Debug, Default)]
pub struct Pointer {
    at: (f32, f32),
    drag: Option<(MouseButton, Drag)>,
    /// Keys of [`Action::Fly`](super::Action::Fly) that are held, in upper case.
    flying: Vec<String>,
    /// Where the left button went down, as long as that may be a click.
    pressed: Option<(f32, f32)>,
    /// Where the latest event clicked.
    pub clicked: Option<(f32, f32)>,
    /// What drags do.
    pub tool: Tool,
    /// What the latest event completed.
    pub drawn: Option<Drawn>,
    /// Where the latest event asked for an obstacle to be taken away.
    pub erased: Option<(f32, f32)>,
    /// From where to where the latest event dragged a cross.
    pub carried: Option<(Vec3, Vec3)>,
}

impl Pointer {
    /// Where the mouse was last seen, px from the upper left corner of the window.
    pub fn at(&self) -> (f32, f32) {
        self.at
    }

    /// A key that flies was pressed, or let go.
    pub fn fly(&mut self, key: &Key, pressed: bool) {
        let Key::Character(key) = key else { return };
        let key = key.to_uppercase();
        self.flying.retain(|held| *held != key);
        if pressed {
            self.flying.push(key);
        }
    }

    /// What is being drawn.
    pub fn drawing(&self) -> Option<Drawn> {
        let Some((_, Drag::Draw(drawn))) = self.drag.filter(|_| self.pressed.is_none()) else { return None };
        Some(Drawn { to: self.at, ..drawn })
    }

    /// Which way the keys fly now: right, up, ahead. None where none is held.
    pub fn course(&self) -> Option<Vec3> {
        let way = |key: &String| match key.as_str() {
            "W" => Vec3::Z,
            "S" => Vec3::NEG_Z,
            "A" => Vec3::NEG_X,
            "D" => Vec3::X,
            "E" => Vec3::Y,
            _ => Vec3::NEG_Y,
        };
        (!self.flying.is_empty()).then(|| self.flying.iter().map(way).sum())
    }

    /// Move the camera, or one of the crosses, as the event asks for; `over_ui` says whether the user interface has the mouse now. Says
    /// whether the view changed.
    pub fn handle(
        &mut self,
        event: &WindowEvent,
        modifiers: ModifiersState,
        over_ui: bool,
        crosses: impl Fn() -> Vec<Vec3>,
        view: &mut View,
        size: (u32, u32),
    ) -> bool {
        let before = *view;
        match event {
            WindowEvent::CursorMoved { position, .. } => {
                let to = (position.x as f32, position.y as f32);
                // Whatever a hand that clicks moves is no drag; then it is one from where it began.
                let far = |from: &mut (f32, f32)| (to.0 - from.0).hypot(to.1 - from.1) >= STILL;
                let from = self.pressed.take_if(far).unwrap_or(self.at);
                self.at = to;
                if self.pressed.is_some() {
                    return false;
                }
                let (right, down) = (to.0 - from.0, to.1 - from.1);
                match self.drag {
                    Some((_, Drag::Pan)) => view.pan(right, down, size),
                    Some((_, Drag::Orbit)) => view.orbit(right, down, size),
                    Some((button, Drag::Target(from))) => {
                        let to = beside(from, to, view, size);
                        (self.carried, self.drag) = (Some((from, to)), Some((button, Drag::Target(to))));
                    }
                    Some((_, Drag::Draw(_))) | None => {}
                }
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, button, .. } if !over_ui => {
                let near =
                    |cross: &Vec3| view.project(*cross, size).is_some_and(|at| at.distance(self.at.into()) <= GRASP);
                let cross = crosses().into_iter().find(near);
                self.pressed = (*button == MouseButton::Left && cross.is_none()).then_some(self.at);
                if self.tool == Tool::Obstacles && *button == MouseButton::Right {
                    self.erased = Some(self.at);
                    return false;
                }
                let draws = match button {
                    MouseButton::Left => self.tool != Tool::Hand && cross.is_none() && !modifiers.shift_key(),
                    MouseButton::Right => self.tool == Tool::Walls && !modifiers.shift_key(),
                    _ => false,
                };
                let opens = *button == MouseButton::Right || modifiers.control_key() || modifiers.super_key();
                let drawn = Drawn { tool: self.tool, from: self.at, to: self.at, opens };
                self.drag = match button {
                    _ if draws => Some((*button, Drag::Draw(drawn))),
                    MouseButton::Left if cross.is_some() => cross.map(|cross| (*button, Drag::Target(cross))),
                    MouseButton::Left | MouseButton::Right if view.spatial() && !modifiers.shift_key() => {
                        Some((*button, Drag::Orbit))
                    }
                    MouseButton::Left | MouseButton::Right | MouseButton::Middle => Some((*button, Drag::Pan)),
                    _ => self.drag,
                };
            }
            WindowEvent::MouseInput { state: ElementState::Released, button, .. } => {
                let drawing = self.drawing();
                if self.drag.take_if(|(pressed, _)| pressed == button).is_some() {
                    self.drawn = drawing;
                }
                self.clicked = self.pressed.take_if(|_| *button == MouseButton::Left);
            }
            WindowEvent::MouseWheel { delta, .. } if !over_ui => {
                let notches = match delta {
                    MouseScrollDelta::LineDelta(_, lines) => *lines,
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_PER_NOTCH,
                };
                view.zoom_at(NOTCH.powf(notches.clamp(-20.0, 20.0)), self.at, size);
            }
            WindowEvent::PinchGesture { delta, .. } if !over_ui => {
                view.zoom_at((*delta as f32).clamp(-0.5, 0.5).exp(), self.at, size);
            }
            WindowEvent::Focused(false) => {
                (self.drag, self.pressed) = (None, None);
                self.flying.clear();
            }
            _ => {}
        }
        *view != before
    }
}

/// The point of the world that is as far from the camera as another one, at a place of the picture, px.
fn beside(point: Vec3, to: (f32, f32), view: &View, size: (u32, u32)) -> Vec3 {
    let Some(from) = view.project(point, size) else { return point };
    let way = view.unproject(to, size) - view.unproject(from.into(), size);
    // In a picture with perspective, the way is as long there as one through the center would be.
    let shown = view.project(point + way, size).map_or(0.0, |at| at.distance(from));
    if shown > 0.0 { point + way * (from.distance(to.into()) / shown) } else { point }
}
