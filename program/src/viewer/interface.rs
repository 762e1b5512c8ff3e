//! The user interface around and over the picture: its parts, their layout, and which of them are open.

use super::actions::Action;
use super::beside;
use super::cards::Pictures;
use super::dashboard::{self, Dot};
use super::dialogs::{self, Dialog, Wish};
use super::filming::Filming;
use super::gui::{Gui, Painting};
use super::meaning::Outline;
use super::panel::{self, About, Panel};
use super::plots::{self, Plots};
use super::remembered::Remembered;
use super::stage::{Opening, Stage};
use super::tools;
use std::fmt::Display;
use std::time::{Duration, Instant};
use steerling::gpu::Gpu;
use winit::window::Window;

/// How long a message stays.
const TOAST: Duration = Duration::from_secs(6);
/// Windows narrower than this, in points, have no panel unless it is asked for.
const NARROW: f32 = 600.0;
/// A picture narrower than this, in points, has neither figures nor tools over it.
const FIGURES_ROOM: f32 = 200.0;
/// How far down the line of figures covers the picture, points.
const FIGURES_HEIGHT: f32 = 52.0;
/// A picture lower than this, in points, has one line of figures: all of them, with the tools below, would cover the plots under it.
pub const ALL_FIGURES_ROOM: f32 = 320.0;
/// Windows lower than this, in points, have no plots.
const PLOTS_ROOM: f32 = 480.0;

/// The user interface.
pub struct Interface {
    pub gui: Gui,
    pub panel: Panel,
    /// Whether the user opened or closed the panel; `None`: the width of the window decides.
    pub panel_open: Option<bool>,
    pub figures_open: bool,
    pub plots: Plots,
    pub dialog: Option<Dialog>,
    /// Are the first hints shown?
    pub hints: bool,
    /// Is only the picture shown?
    pub plain: bool,
    pub remembered: Remembered,
    pictures: Pictures,
    toast: Option<(String, Instant)>,
}

impl Interface {
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, window: &Window) -> Interface {
        let remembered = Remembered::load();
        Interface {
            gui: Gui::new(gpu, format, window),
            panel: Panel::default(),
            panel_open: None,
            figures_open: false,
            plots: Plots::default(),
            dialog: None,
            hints: remembered.first,
            plain: false,
            remembered,
            pictures: Pictures::default(),
            toast: None,
        }
    }

    /// Make everything that lay on a lost device again on another one.
    pub fn move_to(&mut self, gpu: &Gpu, format: wgpu::TextureFormat, window: &Window) {
        self.gui = Gui::new(gpu, format, window);
        self.pictures = Pictures::default();
    }

    /// Show a message for a while.
    pub fn say(&mut self, text: impl Into<String>) {
        self.toast = Some((text.into(), Instant::now() + TOAST));
    }

    /// Show a message about a change that an undo takes back.
    pub fn say_undoable(&mut self, text: impl Display) {
        self.say(format!("{text}. Undo takes it back ({})", Action::Undo.keys()));
    }

    /// Remove the message: if `at_once`, or if it was shown long enough.
    pub fn hush(&mut self, at_once: bool) {
        self.toast.take_if(|(_, end)| at_once || *end <= Instant::now());
    }

    /// When the interface next changes on its own; `None` if it does not.
    pub fn changes_at(&self) -> Option<Instant> {
        self.gui.repaint_at.into_iter().chain(self.toast.as_ref().map(|(_, end)| *end)).min()
    }

    /// Close the dialog and the first hints. A problem leads back to the dialog that it came from.
    pub fn close(&mut self) {
        self.hints = false;
        self.dialog = match self.dialog.take() {
            Some(Dialog::Problem { back: Some(back), .. }) => Some(*back),
            _ => None,
        };
        if let Some(Dialog::Scenes(gallery)) = &mut self.dialog {
            gallery.take_focus();
        }
    }

    /// Open a dialog, or close it if one of the same kind is open.
    pub fn toggle(&mut self, dialog: Dialog) {
        let open =
            self.dialog.as_ref().is_some_and(|open| std::mem::discriminant(open) == std::mem::discriminant(&dialog));
        self.dialog = (!open).then_some(dialog);
    }

    /// Is the panel shown, because the user opened it, or the window is wide enough and the user has not closed it?
    pub fn shows_panel(&self, window: &Window) -> bool {
        let width = f64::from(window.inner_size().width) / window.scale_factor();
        self.panel_open.unwrap_or(width >= f64::from(NARROW))
    }

    /// Is the window high enough for plots?
    pub fn fits_plots(&self, window: &Window) -> bool {
        f64::from(window.inner_size().height) / window.scale_factor() >= f64::from(PLOTS_ROOM)
    }

    /// How far down figures and tools, one line each, cover a picture of this size, px.
    pub fn covers(&self, room: (u32, u32)) -> f32 {
        let scale = self.gui.scale();
        let points = room.0 as f32 / scale;
        match () {
            () if self.plain || points < FIGURES_ROOM => 0.0,
            () if points < tools::BESIDE => scale * (FIGURES_HEIGHT + tools::HEIGHT),
            () => scale * FIGURES_HEIGHT,
        }
    }
}

impl Stage {
    /// Lay the interface out in a window of this size, px, with these handles and lines over the picture. Returns what to paint, what the
    /// user asked for, and the size that is left for the picture, px.
    pub fn lay_out(
        &mut self,
        size: (u32, u32),
        handles: &[Dot],
        outline: &Outline,
    ) -> (Painting, Vec<Wish>, (u32, u32)) {
        let panel_open = self.interface.shows_panel(&self.window);
        // If the number is not the reduced one, the user has chosen it; an undo may bring the reduced one back.
        let chosen = Some(self.session.scene().agent_count()) != self.options.few_agents;
        let unsaved = self.edited.gone || self.edited.looks_otherwise(self.session.scene());
        let (shrunk, tuned) = (self.shrunk.filter(|_| !chosen), self.session.tuned() || unsaved);
        let Stage { interface, session, eye, picture, picked, building, beside, .. } = self;
        let (simulation, view, beside) = (session.simulation(), &eye.view, beside.as_ref());
        let portrait = picked.portrait(view, session, picture.size);
        let chased = eye.gaze.mark(view, simulation.scene(), picture.size);
        let film = self.film.as_ref().and_then(Filming::length);
        let Interface { gui, dialog, plain, toast, panel, remembered, pictures, figures_open, plots, hints, .. } =
            interface;
        panel.meaning = None;
        let (mut wishes, mut free, mut scale) = (Vec::new(), egui::Pos2::ZERO, 1.0);
        let painting = gui.run(&self.window, |ui| {
            // The toolkit may call this twice in a frame; the last call counts.
            wishes.clear();
            let whole = ui.max_rect();
            if !*plain {
                egui::Panel::bottom("transport").show(ui, |ui| dashboard::transport(ui, session, film, &mut wishes));
                if plots.open && whole.height() >= PLOTS_ROOM {
                    let below = egui::Panel::bottom("plots").resizable(false).exact_size(plots::HEIGHT);
                    below.show(ui, |ui| plots.show(ui, session, beside.map(|beside| &beside.session), &mut wishes));
                }
                if panel_open {
                    // Right of the picture, or in a narrow window below it.
                    let side = if whole.width() < NARROW {
                        egui::Panel::bottom("flock below").exact_size(0.5 * whole.height())
                    } else {
                        egui::Panel::right("flock").exact_size(panel::WIDTH)
                    };
                    let side = side.resizable(false);
                    let (scene, original) = (session.scene(), session.original());
                    let (history, picked) =
                        ((session.history.can_undo(), session.history.can_redo()), portrait.as_ref());
                    let (shares, looks_at) = (&session.audits.totals.shares[..], eye.view.center);
                    let beside = beside.is_some();
                    let about = About { scene, original, tuned, history, picked, shares, looks_at, beside };
                    side.show(ui, |ui| panel.show(ui, &about, &mut wishes));
                }
            }
            free = ui.available_rect_before_wrap().max;
            let (room, mut top, mut bottom) = ((free.x, free.y), 0.0, free.y);
            if !*plain && free.x >= FIGURES_ROOM {
                let open = *figures_open && free.y >= ALL_FIGURES_ROOM;
                let more = dashboard::More { open, half: picture.half, shrunk };
                let below = dashboard::figures(ui, session, &more, free.x, &mut wishes);
                top = tools::tools(ui, session, eye.pointer.tool, eye.brush, (free.x, below), &mut wishes);
            }
            scale = ui.ctx().pixels_per_point();
            let place = egui::Rect::from_min_max(egui::pos2(picture.left as f32 / scale, 0.0), free);
            dashboard::outline(ui, outline, place);
            dashboard::handles(ui, handles, place);
            if let Some(offer) = &building.offer {
                dashboard::offer(ui, offer, place, &mut wishes);
            }
            if let Some(portrait) = &portrait {
                dashboard::drawing(ui, portrait, place);
                portrait.marks.iter().for_each(|(mark, halo)| dashboard::mark(ui, mark, *halo, place, top));
            } else if let Some(mark) = &chased {
                dashboard::mark(ui, mark, 0, place, top);
            }
            if let Some(beside) = beside {
                let line = egui::Stroke::new(2.0, egui::Color32::from_gray(120));
                ui.painter().vline(place.min.x, place.y_range(), line);
                let of_a = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(place.min.x, free.y));
                beside.marks.iter().for_each(|(mark, halo)| dashboard::mark(ui, mark, *halo, of_a, top));
                if !*plain {
                    bottom = beside::halves(ui, beside, session, place, &mut wishes);
                }
            }
            if let Some(text) = session.trouble().or(self.edited.broken.as_deref()) {
                dashboard::alarm(ui, text, room);
            }
            // Messages and hints cover neither the labels of two runs nor each other.
            let room = (room.0, bottom);
            let fits = bottom - top >= dashboard::HINTS_ROOM;
            if let Some(Opening { name, .. }) = &self.opening {
                dashboard::toast(ui, &format!("Opening {name} …"), room);
            } else if let Some((text, _)) = toast.as_ref().filter(|_| !egui::Popup::is_any_open(ui.ctx())) {
                dashboard::toast(ui, text, room);
            } else if *hints && !*plain && fits {
                dashboard::hints(ui, session.scene().world.spatial, room, &mut wishes);
            }
            if let Some(dialog) = dialog {
                let about = (session.scene(), panel.species);
                dialogs::show(ui, dialog, about, (&*remembered, &mut *pictures), &mut wishes);
            }
        });
        let pixels = |points: f32, most: u32| ((points * scale).ceil() as u32).clamp(1, most);
        (painting, wishes, (pixels(free.x, size.0), pixels(free.y, size.1)))
    }
}
