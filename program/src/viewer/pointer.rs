//! The mouse on the picture: drags and the wheel move the camera; and the keys that fly it.

use super::actions::Action;
use glam::{Vec2, Vec3};
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
    /// They drag what the scene is made of.
    Edit,
    /// They draw obstacles.
    Obstacles,
    /// They draw regions and goals.
    Areas,
    /// They move the camera, and clicks lay a path.
    Paths,
    /// They draw walls, or open them.
    Walls,
    /// They put agents into the world, or erase them.
    Agents,
    /// They paint the flow field.
    Flow,
}

impl Tool {
    /// All of them, as they stand in a row.
    pub const ALL: [Tool; 8] =
        [Tool::Hand, Tool::Edit, Tool::Obstacles, Tool::Areas, Tool::Paths, Tool::Walls, Tool::Agents, Tool::Flow];

    /// What takes it up, and lays it down again.
    pub fn action(self) -> Option<Action> {
        match self {
            Tool::Hand => None,
            Tool::Edit => Some(Action::Edit),
            Tool::Obstacles => Some(Action::Obstacles),
            Tool::Areas => Some(Action::Areas),
            Tool::Paths => Some(Action::Paths),
            Tool::Walls => Some(Action::Walls),
            Tool::Agents => Some(Action::Agents),
            Tool::Flow => Some(Action::Flow),
        }
    }

    /// Is it for flat worlds alone?
    pub fn is_flat(self) -> bool {
        matches!(self, Tool::Walls | Tool::Flow)
    }

    /// What it does, in a sentence.
    pub fn hint(self) -> &'static str {
        match self {
            Tool::Hand => "Drag moves the camera, or a cross; a click picks an agent",
            Tool::Edit => "Drag the handles of targets, obstacles, paths and regions; a right click takes away",
            Tool::Obstacles => "Drag to draw an obstacle; a right click takes one away",
            Tool::Areas => "Drag to draw a region that agents are kept in, or a goal; a right click takes one away",
            Tool::Paths => "Click from point to point; a double click or Enter ends it, a right click takes one away",
            Tool::Walls => "Drag to draw a wall; with the right button or Ctrl what is there opens",
            Tool::Agents => "Click or drag to put agents there; with the right button or Ctrl those there are erased",
            Tool::Flow => "Drag to let the field flow that way; with the right button or Ctrl it is calm there",
        }
    }
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
    /// Are walls opened, agents erased, or the field calmed?
    pub opens: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Drag {
    Pan,
    Orbit,
    /// A cross or a handle, by its number, which is here now.
    Target(usize, Vec3),
    /// Something that is drawn, and ends at the pointer.
    Draw(Drawn),
}

/// Where the mouse is, and what it drags.
#[derive(Debug, Default)]
pub struct Pointer {
    at: (f32, f32),
    /// How far right of the window's corner the picture of these places begins, px.
    pub shift: f32,
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
    /// Which cross or handle the latest event dragged, and from where to where.
    pub carried: Option<(usize, Vec3, Vec3)>,
    /// Where a drag that draws went, px.
    pub line: Vec<Vec2>,
    /// To how many points of that agents were put meanwhile, and how many.
    pub sprayed: (usize, u32),
}

impl Pointer {
    /// Where the mouse was last seen, px from the upper left corner of the picture.
    pub fn at(&self) -> (f32, f32) {
        self.at
    }

    /// The same from the corner of the window.
    pub fn in_window(&self) -> (f32, f32) {
        (self.at.0 + self.shift, self.at.1)
    }

    /// Two pictures may be beside each other, the right one at `place`, px. The mouse is over one of them, and as long as something is
    /// dragged over the one where that began.
    pub fn enter(&mut self, event: &WindowEvent, place: u32) {
        if self.drag.is_none() && self.pressed.is_none() {
            let before = self.in_window().0;
            let now = if let WindowEvent::CursorMoved { position, .. } = event { position.x as f32 } else { before };
            self.shift = if now >= place as f32 { place as f32 } else { 0.0 };
            self.at.0 = before - self.shift;
        }
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

    /// Is a cross or a handle held?
    pub fn carries(&self) -> bool {
        matches!(self.drag, Some((_, Drag::Target(..))))
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

    /// Move the camera, or the nearest of the crosses, as the event asks for; `over_ui` says whether the user interface has the mouse now. Says
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
                let to = (position.x as f32 - self.shift, position.y as f32);
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
                    Some((button, Drag::Target(index, from))) => {
                        let to = beside(from, to, view, size);
                        (self.carried, self.drag) = (Some((index, from, to)), Some((button, Drag::Target(index, to))));
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
                // With these a single spot is a stroke too.
                let paints = matches!(self.tool, Tool::Agents | Tool::Flow) && free;
                self.pressed = (*button == MouseButton::Left && cross.is_none() && !paints).then_some(self.at);
                (self.line, self.sprayed) = (vec![self.at.into()], (0, 0));
                let erases = matches!(self.tool, Tool::Edit | Tool::Obstacles | Tool::Areas | Tool::Paths);
                if erases && *button == MouseButton::Right {
                    self.erased = Some(self.at);
                    return false;
                }
                let draws = match button {
                    MouseButton::Left => {
                        paints || matches!(self.tool, Tool::Obstacles | Tool::Areas | Tool::Walls) && free
                    }
                    MouseButton::Right => paints || self.tool == Tool::Walls && !modifiers.shift_key(),
                    _ => false,
                };
                let opens = *button == MouseButton::Right || modifiers.control_key() || modifiers.super_key();
                let drawn = Drawn { tool: self.tool, from: self.at, to: self.at, opens };
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
