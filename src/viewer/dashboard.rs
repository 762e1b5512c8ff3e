//! What lies around and over the picture: buttons, figures, messages and the key sheet.

use super::actions::{Action, KEYS, MOUSE};
use super::panel::grouped;
use super::session::Session;
use egui::{Align, Align2, Color32, Frame, Layout, RichText, Ui};

const WARNING: Color32 = Color32::from_rgb(255, 190, 90);
const ALARM: Color32 = Color32::from_rgb(150, 32, 28);

/// Buttons and the run's time, in one row. Adds the actions whose buttons were clicked.
pub fn transport(ui: &mut Ui, session: &mut Session, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        let paused = session.paused();
        let mut button = |ui: &mut Ui, enabled: bool, text: &str, hint: &str, action: Action| {
            let button = egui::Button::new(text).min_size(egui::vec2(28.0, 22.0));
            if ui.add_enabled(enabled, button).on_hover_text(format!("{hint} ({})", action.keys())).clicked() {
                actions.push(action);
            }
        };
        let (icon, hint) = if paused { ("▶", "run") } else { ("⏸", "pause") };
        button(ui, true, icon, hint, Action::Pause);
        button(ui, paused, "⏭", "one step", Action::Step);
        button(ui, true, "⟲", "restart", Action::Restart);
        ui.separator();
        button(ui, true, "−", "slower", Action::Slower);
        ui.label(session.pace().label());
        button(ui, true, "+", "faster", Action::Faster);
        ui.separator();
        let steps = session.steps();
        let time = steps as f64 * f64::from(session.scene().dt);
        ui.label(format!("step {}   {time:.1} s", grouped(steps)));
        if paused {
            ui.label(RichText::new("paused").color(WARNING));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            button(ui, true, "?", "keys", Action::Help);
            button(ui, true, "📷", "save the picture", Action::Screenshot);
            ui.label(RichText::new(format!("seed {}", session.scene().seed)).weak());
        });
    });
}

/// The figures, over the upper left corner of the picture. `shrunk` is the scene's own number of agents, where it has more.
pub fn figures(ui: &Ui, session: &Session, shrunk: Option<u32>) {
    let area = egui::Area::new(egui::Id::unique("figures")).fixed_pos((10.0, 10.0)).interactable(false);
    area.show(ui.ctx(), |ui| {
        Frame::new().fill(Color32::from_black_alpha(150)).corner_radius(6.0).inner_margin(8.0).show(ui, |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            ui.spacing_mut().item_spacing.y = 2.0;
            let gpu = session.simulation().gpu();
            if gpu.software() {
                badge(ui, "software adapter: computes on the CPU", Color32::from_rgb(120, 78, 10));
            }
            ui.label(RichText::new(&gpu.info.name).small().weak());
            egui::Grid::new("figures").num_columns(2).spacing((14.0, 2.0)).min_row_height(0.0).show(ui, |ui| {
                for (name, value) in rows(session) {
                    ui.label(RichText::new(name).small().weak());
                    ui.label(RichText::new(value).monospace());
                    ui.end_row();
                }
            });
            if let Some(agents) = shrunk {
                let now = grouped(session.scene().agent_count().into());
                let text = format!("started with {now} of {} agents; see --agents", grouped(agents.into()));
                ui.label(RichText::new(text).small().color(WARNING));
            }
            let bad = session.figures().observed.map_or(0, |(_, seen)| seen.bad_agents);
            if bad > 0 {
                badge(ui, &format!("{} agents are not finite; they are frozen", grouped(bad.into())), ALARM);
            }
        });
    });
}

fn rows(session: &Session) -> Vec<(&'static str, String)> {
    let figures = session.figures();
    let measured = |value: f64, text: String| if value > 0.0 { text } else { "-".to_owned() };
    let step = if session.has_timestamps() { "step, GPU" } else { "step" };
    let mut rows = vec![
        ("agents", grouped(session.scene().agent_count().into())),
        ("steps/s", measured(figures.steps_per_second, format!("{:.1}", figures.steps_per_second))),
        ("frame", measured(figures.frame, format!("{:.1} ms", figures.frame * 1e3))),
        (step, measured(figures.step, format!("{:.3} ms", figures.step * 1e3))),
    ];
    if let Some((step, seen)) = &figures.observed {
        rows.push(("polarization", format!("{:.3}", seen.polarization)));
        rows.push(("neighbors", format!("{:.1}", seen.mean_neighbors)));
        rows.push(("mean speed", format!("{:.1} u/s", seen.mean_speed)));
        rows.push(("digest", format!("{} @ {step}", &seen.digest_hex()[..16])));
    }
    rows
}

fn badge(ui: &mut Ui, text: &str, fill: Color32) {
    Frame::new().fill(fill).corner_radius(4.0).inner_margin(egui::Margin::symmetric(6, 2)).show(ui, |ui| {
        ui.label(RichText::new(text).small().strong().color(Color32::WHITE));
    });
}

/// A message that cannot be missed, over the middle of the picture.
pub fn alarm(ui: &Ui, text: &str, (width, height): (f32, f32)) {
    let area =
        egui::Area::new(egui::Id::unique("alarm")).pivot(Align2::CENTER_CENTER).fixed_pos((width * 0.5, height * 0.5));
    area.interactable(false).order(egui::Order::Foreground).show(ui.ctx(), |ui| {
        Frame::new().fill(ALARM).corner_radius(6.0).inner_margin(12.0).show(ui, |ui| {
            ui.set_max_width((width - 60.0).clamp(100.0, 520.0));
            ui.label(RichText::new(text).color(Color32::WHITE));
        });
    });
}

/// A message that goes away, at the bottom of the picture.
pub fn toast(ui: &Ui, text: &str, (width, height): (f32, f32)) {
    let area =
        egui::Area::new(egui::Id::unique("toast")).pivot(Align2::CENTER_BOTTOM).fixed_pos((width * 0.5, height - 12.0));
    area.interactable(false).order(egui::Order::Foreground).show(ui.ctx(), |ui| {
        Frame::new().fill(Color32::from_black_alpha(220)).corner_radius(6.0).inner_margin(8.0).show(ui, |ui| {
            ui.set_max_width((width - 40.0).max(100.0));
            ui.label(text);
        });
    });
}

/// The key sheet, made from the table of keys.
pub fn help(ui: &Ui, things_to_try: &[String]) {
    let window =
        egui::Window::new("Keys").collapsible(false).resizable(false).anchor(Align2::CENTER_CENTER, (0.0, 0.0));
    window.show(ui.ctx(), |ui| {
        ui.set_max_width(440.0);
        let height = (ui.ctx().content_rect().height() - 90.0).max(60.0);
        egui::ScrollArea::vertical().max_height(height).show(ui, |ui| {
            egui::Grid::new("keys").num_columns(2).spacing((24.0, 5.0)).min_row_height(0.0).show(ui, |ui| {
                let keys = KEYS.iter().map(|row| (row.keys.join(" or "), row.text));
                for (key, text) in keys.chain(MOUSE.iter().map(|(gesture, text)| (gesture.to_string(), *text))) {
                    ui.label(RichText::new(key).monospace().color(WARNING));
                    ui.label(text);
                    ui.end_row();
                }
            });
            if !things_to_try.is_empty() {
                ui.separator();
                ui.label(RichText::new("Things to try").strong());
                things_to_try.iter().for_each(|thing| drop(ui.label(format!("• {thing}"))));
            }
        });
    });
}
