//! The mouse on the picture: drags and the wheel move the camera, tools draw; and the keys that fly the camera.

use super::actions::Action;
use glam::{Vec2, Vec3};
use steerling::render::View;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key, ModifiersState};

/// The zoom factor of one notch of the wheel.
const NOTCH: f32 = 1.15;
/// The greatest distance at which a press takes hold of a handle, or a click picks an agent, px.
pub const GRASP: f32 = 12.0;
/// A press that moves less than this before it is released is a click, not a drag, px.
const STILL: f32 = 4.0;
/// Pixels scrolled on a touch pad that count as one notch.
const PIXELS_PER_NOTCH: f32 = 40.0;

/// The tools in the order of their buttons, each with what it does. The action of its name takes it up, and lays it down again. The hand,
/// which comes first, has no action.
macro_rules! tools {
    ($hand:literal $($tool:ident $hint:literal)+) => {
        /// What drags of the mouse do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum Tool {
            #[default]
            #[doc = $hand]
            Hand,
            $(#[doc = $hint] $tool,)+
        }

        /// All tools, each with its action and what it does.
        pub const TOOLS: &[(Tool, Option<Action>, &str)] =
            &[(Tool::Hand, None, $hand), $((Tool::$tool, Some(Action::$tool), $hint),)+];
    };
}

tools! {
    "Drag to move the camera, or a cross; click to pick an agent"
    Edit "Drag the handles of targets, obstacles, paths and regions; a right click removes"
    Obstacles "Drag to draw an obstacle; a right click removes one"
    Areas "Drag to draw a region that agents are kept in, or a goal; a right click removes one"
    Paths "Click from point to point; a double click or Enter ends the path, a right click removes a path"
    Walls "Drag to draw a wall; drag with the right button or Ctrl to open walls"
    Agents "Click or drag to put agents there; with the right button or Ctrl, to erase agents"
    Flow "Drag to let the field flow that way; with the right button or Ctrl, to calm it"
}

impl Tool {
    /// Is it only for flat worlds?
    pub fn is_flat(self) -> bool {
        matches!(self, Tool::Walls | Tool::Flow)
    }
}

/// A drag that draws something, px.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// The tool that draws.
    pub tool: Tool,
    /// Where the drag began: the center of a circle, or an end of a wall.
    pub from: (f32, f32),
    /// Where the drag ended.
    pub to: (f32, f32),
    /// Does it open walls, erase agents or the trail, or calm the field?
    pub erases: bool,
}

/// What an event of the mouse asks for, beside moving the camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Deed {
    /// A click, at this place.
    Click((f32, f32)),
    /// What was drawn by a drag that ended.
    Draw(Drawn),
    /// To remove something at this place, by a right click.
    Erase((f32, f32)),
    /// To drag the handle of this index, from one place to another.
    Carry(usize, Vec3, Vec3),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Drag {
    Pan,
    Orbit,
    /// Moves the handle of this index, which is at this place now.
    Target(usize, Vec3),
    /// Draws something, which ends at the pointer.
    Draw(Drawn),
}

/// Where the mouse is, and what it drags. Places are px from the upper left corner of the picture that the mouse is over.
#[derive(Debug, Default)]
pub struct Pointer {
    at: (f32, f32),
    /// The x of that picture's corner in the window, px.
    pub shift: f32,
    drag: Option<(MouseButton, Drag)>,
    /// Keys of [`Action::Fly`] that are held, in upper case.
    flying: Vec<String>,
    /// Where the left button went down, as long as that may be a click.
    pressed: Option<(f32, f32)>,
    /// What drags do.
    pub tool: Tool,
    /// What the latest event asks for.
    pub deed: Option<Deed>,
    /// The path of the pointer in a drag that draws, px.
    pub line: Vec<Vec2>,
    /// The number of points of `line` along which agents were already put, and the number of these agents.
    pub sprayed: (usize, u32),
}

impl Pointer {
    /// Where the mouse was last seen, px from the upper left corner of the picture.
    pub fn at(&self) -> (f32, f32) {
        self.at
    }

    /// The place of the mouse, px from the upper left corner of the window.
    pub fn in_window(&self) -> (f32, f32) {
        (self.at.0 + self.shift, self.at.1)
    }

    /// Decide which picture the mouse is over, if there are two: the right one begins at `left`, px. A drag stays with the picture where
    /// it began.
    pub fn enter(&mut self, event: &WindowEvent, left: u32) {
        if self.drag.is_none() && self.pressed.is_none() {
            let before = self.in_window().0;
            let now = if let WindowEvent::CursorMoved { position, .. } = event { position.x as f32 } else { before };
            self.shift = if now >= left as f32 { left as f32 } else { 0.0 };
            self.at.0 = before - self.shift;
        }
    }

    /// Handle the press or release of a key that flies.
    pub fn fly(&mut self, key: &Key, pressed: bool) {
        let Key::Character(key) = key else { return };
        let key = key.to_uppercase();
        self.flying.retain(|held| *held != key);
        if pressed {
            self.flying.push(key);
        }
    }

    /// Is a cross or a handle held?
    pub fn carries(&self) -> bool {
        matches!(self.drag, Some((_, Drag::Target(..))))
    }

    /// What is being drawn.
    pub fn drawing(&self) -> Option<Drawn> {
        let Some((_, Drag::Draw(drawn))) = self.drag.filter(|_| self.pressed.is_none()) else { return None };
        Some(Drawn { to: self.at, ..drawn })
    }

    /// The direction in which held keys fly: right, up, ahead. `None` if no such key is held.
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

    /// Handle a mouse event: move the camera, or drag the nearest of the handles that `crosses` gives, or draw. `over_ui`: does the user
    /// interface have the mouse now? Returns whether the view changed.
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
                let to = (position.x as f32 - self.shift, position.y as f32);
                // A click may move a little. Once it moves farther, it is a drag from where the button went down.
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
                    Some((button, Drag::Target(index, from))) => {
                        let to = beside(from, to, view, size);
                        self.deed = Some(Deed::Carry(index, from, to));
                        self.drag = Some((button, Drag::Target(index, to)));
                    }
                    Some((_, Drag::Draw(_))) => self.line.push(to.into()),
                    None => {}
                }
            }
            WindowEvent::MouseInput { state: ElementState::Pressed, button, .. } if !over_ui => {
                let away = |cross: &Vec3| view.project(*cross, size).map_or(f32::MAX, |at| at.distance(self.at.into()));
                let near = crosses().into_iter().enumerate().map(|(index, cross)| (index, cross, away(&cross)));
                let cross = near.filter(|(.., away)| *away <= GRASP).min_by(|a, b| a.2.total_cmp(&b.2));
                let free = cross.is_none() && !modifiers.shift_key();
                // With these tools a press without moving is a stroke, too.
                let paints = matches!(self.tool, Tool::Agents | Tool::Flow) && free;
                self.pressed = (*button == MouseButton::Left && cross.is_none() && !paints).then_some(self.at);
                (self.line, self.sprayed) = (vec![self.at.into()], (0, 0));
                let erases = matches!(self.tool, Tool::Edit | Tool::Obstacles | Tool::Areas | Tool::Paths);
                if erases && *button == MouseButton::Right {
                    self.deed = Some(Deed::Erase(self.at));
                    return false;
                }
                let draws = match button {
                    MouseButton::Left => {
                        paints || matches!(self.tool, Tool::Obstacles | Tool::Areas | Tool::Walls) && free
                    }
                    MouseButton::Right => paints || self.tool == Tool::Walls && !modifiers.shift_key(),
                    _ => false,
                };
                let erases = *button == MouseButton::Right || modifiers.control_key() || modifiers.super_key();
                let drawn = Drawn { tool: self.tool, from: self.at, to: self.at, erases };
                self.drag = match button {
                    _ if draws => Some((*button, Drag::Draw(drawn))),
                    MouseButton::Left if cross.is_some() => {
                        cross.map(|(index, cross, _)| (*button, Drag::Target(index, cross)))
                    }
                    MouseButton::Left | MouseButton::Right if view.spatial() && !modifiers.shift_key() => {
                        Some((*button, Drag::Orbit))
                    }
                    MouseButton::Left | MouseButton::Right | MouseButton::Middle => Some((*button, Drag::Pan)),
                    _ => self.drag,
                };
            }
            WindowEvent::MouseInput { state: ElementState::Released, button, .. } => {
                let drawing = self.drawing().map(Deed::Draw);
                let drawn = self.drag.take_if(|(pressed, _)| pressed == button).and(drawing);
                let clicked = self.pressed.take_if(|_| *button == MouseButton::Left).map(Deed::Click);
                self.deed = clicked.or(drawn).or(self.deed);
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

/// The point of the world at the place `to` of the picture, px, at the same depth as `point`.
fn beside(point: Vec3, to: (f32, f32), view: &View, size: (u32, u32)) -> Vec3 {
    let Some(from) = view.project(point, size) else { return point };
    let way = view.unproject(to, size) - view.unproject(from.into(), size);
    // `unproject` works at the depth of the center: in perspective the offset is scaled to the depth of `point`.
    let shown = view.project(point + way, size).map_or(0.0, |at| at.distance(from));
    if shown > 0.0 { point + way * (from.distance(to.into()) / shown) } else { point }
}
