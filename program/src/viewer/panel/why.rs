//! The part of the panel about the picked agent: what its behaviors say, and what becomes of that.

use super::super::actions::Action;
use super::super::dialogs::Wish;
use super::super::format::{grouped, readable, short};
use super::super::gui::Hint;
use super::super::picked::{MOST_ASKED, Portrait};
use super::warn;
use egui::{Align, Color32, Frame, Layout, RichText, Ui, vec2};
use glam::Vec3;
use steerling::cpu::{Fate, Term, Why};
use steerling::scene::Scene;

/// Colors of terms, by their rows; none is that of a ring or a warning.
const COLORS: [Color32; 8] = [
    Color32::from_rgb(236, 112, 99),
    Color32::from_rgb(93, 173, 226),
    Color32::from_rgb(88, 214, 141),
    Color32::from_rgb(187, 143, 206),
    Color32::from_rgb(244, 208, 63),
    Color32::from_rgb(72, 201, 176),
    Color32::from_rgb(229, 152, 102),
    Color32::from_rgb(170, 183, 184),
];
/// The color of what all come to.
pub const TOGETHER: Color32 = Color32::WHITE;
/// Width of the bar of a share, points.
const BAR: f32 = 64.0;

/// The color of a term.
pub fn color_of(row: usize) -> Color32 {
    COLORS[row % COLORS.len()]
}

/// Show it. Adds what was asked for.
pub fn why(ui: &mut Ui, scene: &Scene, portrait: &Portrait, wishes: &mut Vec<Wish>) {
    Frame::group(ui.style()).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 3.0;
        ui.horizontal(|ui| {
            let species = scene.species_of(portrait.id).map_or_else(String::new, |species| readable(&species.name));
            ui.label(RichText::new(format!("Agent {}", grouped(portrait.id.into()))).strong());
            ui.label(species);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.small_button("✖").hint("Let it go (Esc, or a click where nobody is)").clicked() {
                    wishes.push(Wish::LetGo);
                }
                if ui.small_button("Chase").hint(Action::Behind.hint()).clicked() {
                    wishes.push(Wish::Act(Action::Behind));
                }
            });
        });
        match portrait.answer {
            None if portrait.waits => {}
            None => drop(ui.label(RichText::new("Asking the reference …").weak())),
            Some(Err(trouble)) => warn(ui, trouble),
            Some(Ok(why)) => answer(ui, why, portrait),
        }
        if portrait.waits {
            let most = grouped(MOST_ASKED.into());
            let text = format!("More than {most} agents: why is asked when it rests ({})", Action::Pause.keys());
            ui.label(RichText::new(text).small().weak());
        }
    });
}

fn answer(ui: &mut Ui, why: &Why, portrait: &Portrait) {
    let speed = short(length(why.velocity).into());
    let about = match why.steps == portrait.steps {
        true => format!("{speed} u/s · {} neighbors", why.neighbors.len()),
        false => format!("{speed} u/s · {} neighbors · as of step {}", why.neighbors.len(), grouped(why.steps)),
    };
    ui.label(RichText::new(about).small().weak());
    if let Some(choice) = &why.state {
        let since = match choice.since {
            0 => "since the start".to_owned(),
            since => format!("since step {}", grouped(since.into())),
        };
        ui.label(format!("{}, {since}", readable(&choice.state)));
        for because in &choice.because {
            ui.label(RichText::new(format!("because {because}")).small().weak());
        }
    }
    if let Some(reason) = why.idle() {
        ui.label(readable(reason));
    }
    egui::Grid::new("terms").num_columns(4).spacing((8.0, 3.0)).min_row_height(0.0).show(ui, |ui| {
        for (row, term) in why.terms.iter().enumerate() {
            one(ui, row, term);
            ui.end_row();
        }
    });
    let force = |name: &str, vector: [f32; 3]| (name.to_owned(), short(length(vector).into()), "u/s²");
    let mut sums = vec![force("Together", why.combined)];
    if why.walls != [0.0; 3] {
        sums.push(force("Walls", why.walls));
    }
    let [asked, left] = [why.acceleration, why.limited].map(length);
    if left < 0.999 * asked {
        sums.push((format!("Force limit leaves {:.0} %", 100.0 * left / asked), short(left.into()), "u/s²"));
    }
    if why.terms.iter().any(|term| term.angular) {
        sums.push(("Turning".to_owned(), short(length(why.turning).into()), "rad/s²"));
    }
    ui.separator();
    for (name, value, unit) in sums {
        ui.horizontal(|ui| {
            dot(ui, if name == "Together" { TOGETHER } else { Color32::TRANSPARENT });
            ui.label(name);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(RichText::new(unit).small().weak());
                ui.label(RichText::new(value).monospace());
            });
        });
    }
    if why.adds_up() {
        let hint = "The terms are told by the CPU reference while it steers. They add up to the acceleration that the step stores.";
        ui.label(RichText::new("Adds up to the bit").small().weak()).hint(hint);
    }
}

/// The row of a term: color, name, weight, length, and its share, or why it has none.
fn one(ui: &mut Ui, row: usize, term: &Term) {
    let counts = term.left > 0.0;
    let faint = |text: RichText| if counts { text } else { text.weak() };
    let name = ui.horizontal(|ui| {
        dot(ui, if counts { color_of(row) } else { Color32::TRANSPARENT });
        ui.label(faint(RichText::new(readable(term.behavior))))
    });
    name.inner.hint(hint(term));
    ui.label(faint(RichText::new(format!("× {}", short(term.weight.into()))).monospace().small()));
    ui.label(faint(RichText::new(short(length(term.part).into())).monospace()));
    match term.fate {
        Fate::Counts | Fate::Cut => bar(ui, row, term),
        Fate::Silent => drop(ui.label(RichText::new("says nothing").small().weak())),
        Fate::Inactive => drop(ui.label(RichText::new("not in this state").small().weak())),
        Fate::NotDrawn => drop(ui.label(RichText::new("not drawn").small().weak())),
        Fate::Outranked => drop(ui.label(RichText::new("outranked").small().weak())),
        Fate::Preceded => drop(ui.label(RichText::new("another goes first").small().weak())),
    }
}

/// The share of a term, as a bar and a number.
fn bar(ui: &mut Ui, row: usize, term: &Term) {
    ui.horizontal(|ui| {
        share(ui, BAR, color_of(row), term.share);
        let cut = if term.fate == Fate::Cut { format!(", cut to {:.0} %", 100.0 * term.left) } else { String::new() };
        ui.label(RichText::new(format!("{:.0} %{cut}", 100.0 * term.share)).small());
    });
}

/// A bar so wide that is filled as far as this share.
pub fn share(ui: &mut Ui, width: f32, color: Color32, share: f32) -> egui::Response {
    let (place, response) = ui.allocate_exact_size(vec2(width, 8.0), egui::Sense::hover());
    ui.painter().rect_filled(place, 2.0, ui.visuals().extreme_bg_color);
    ui.painter().rect_filled(egui::Rect::from_min_size(place.min, vec2(width * share, 8.0)), 2.0, color);
    response
}

/// All that is known of a term.
fn hint(term: &Term) -> String {
    let unit = if term.angular { "rad/s²" } else { "u/s²" };
    let vector = |vector: [f32; 3]| vector.map(|x| short(x.into())).join(", ");
    let adds = if term.added { "adds" } else { "would add" };
    let mut text = format!("Says ({}), {adds} ({}) {unit}", vector(term.wish), vector(term.part));
    if !term.neighbors.is_empty() {
        text += &format!("\nPerceives {} neighbors", term.neighbors.len());
    }
    for aim in &term.aims {
        text += &format!("\n{}: at ({}) u", readable(aim.key), vector(aim.place));
        text += &aim.predicted.map_or_else(String::new, |place| format!(", expected at ({}) u", vector(place)));
    }
    text
}

fn dot(ui: &mut Ui, color: Color32) {
    let (place, _) = ui.allocate_exact_size(vec2(8.0, 8.0), egui::Sense::hover());
    ui.painter().circle_filled(place.center(), 4.0, color);
}

fn length(vector: [f32; 3]) -> f32 {
    Vec3::from(vector).length()
}
