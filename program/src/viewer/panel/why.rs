//! The part of the panel about the picked agents: the terms of their behaviors, how these add up, and how the GPU compares.

use super::super::actions::Action;
use super::super::dialogs::Wish;
use super::super::format::{grouped, readable, short};
use super::super::gui::{ACCENT, Asks, Hint};
use super::super::picked::{Lately, Moment, Portrait};
use super::super::plots::still;
use super::super::session::audit::{AuditedAgent, Compared, MOST};
use super::warn;
use egui::{Align, Color32, Frame, Layout, RichText, Ui, vec2};
use egui_plot::{HoverPosition, Line};
use glam::Vec3;
use steerling::cpu::{Fate, Term};
use steerling::scene::Scene;

/// Colors of behaviors and of lines in plots, by an index; none is a color of rings or warnings.
const COLORS: [Color32; 9] = [
    Color32::from_rgb(236, 112, 99),
    Color32::from_rgb(93, 173, 226),
    Color32::from_rgb(88, 214, 141),
    Color32::from_rgb(187, 143, 206),
    Color32::from_rgb(244, 208, 63),
    Color32::from_rgb(72, 201, 176),
    Color32::from_rgb(229, 152, 102),
    Color32::from_rgb(170, 183, 184),
    Color32::from_rgb(100, 118, 235),
];
/// Colors of the rings around agents.
const HALOS: [Color32; 6] = [
    ACCENT,
    Color32::from_rgb(120, 215, 255),
    Color32::from_rgb(255, 135, 205),
    Color32::from_rgb(165, 255, 135),
    Color32::from_rgb(205, 165, 255),
    Color32::from_rgb(255, 125, 115),
];
/// The color of the sum of all terms.
pub const TOGETHER: Color32 = Color32::WHITE;
/// Width of the bar that shows a share, points.
const BAR: f32 = 64.0;
/// Height of a plot, points.
const PLOT: f32 = 46.0;

/// The behaviors in the order of their colors: first those of all species in the scene that sliders reset to, then the others. So the color
/// of a behavior does not depend on which ones are active by now.
pub fn in_order_of_colors(original: &Scene) -> Vec<&'static str> {
    let enabled = |row: usize| original.species.iter().any(|species| species.behaviors[row].enabled);
    let all = original.species.first().into_iter().flat_map(|species| species.described().enumerate());
    let (mut first, then): (Vec<_>, Vec<_>) =
        all.map(|(row, (spec, _))| (row, spec.name)).partition(|(row, _)| enabled(*row));
    first.extend(then);
    first.into_iter().map(|(_, name)| name).collect()
}

/// The color of a behavior, in the given order of their colors.
pub fn color_of_behavior(order: &[&str], behavior: &str) -> Color32 {
    color_of(order.iter().position(|name| *name == behavior).unwrap_or_default())
}

/// The color with this index.
pub fn color_of(row: usize) -> Color32 {
    COLORS[row % COLORS.len()]
}

/// The color of the ring with this index.
pub fn halo_color(halo: usize) -> Color32 {
    HALOS[halo % HALOS.len()]
}

/// Show this part of the panel. Adds what was asked for.
pub fn why(ui: &mut Ui, scene: &Scene, portrait: &Portrait, wishes: &mut Vec<Wish>) {
    Frame::group(ui.style()).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 3.0;
        if portrait.kept.len() > 1 {
            kept(ui, portrait, wishes);
        }
        ui.horizontal(|ui| {
            let species = scene.species_of(portrait.id).map_or_else(String::new, |species| readable(&species.name));
            ui.label(RichText::new(format!("Agent {}", grouped(portrait.id.into()))).strong());
            ui.label(species);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let hint = "Unpick this agent (Esc, or a click where no agent is: unpick all)";
                ui.small_button("✖").hint(hint).asks_for(wishes, Wish::LetGo(portrait.id));
                ui.small_button("Chase").hint(Action::Behind.hint()).asks_for(wishes, Wish::Act(Action::Behind));
            });
        });
        match portrait.audited {
            None if portrait.waits => {}
            None => drop(ui.label(RichText::new("Asking the reference …").weak())),
            Some(Err(trouble)) => warn(ui, trouble),
            Some(Ok(audited)) => answer(ui, audited, portrait),
        }
        if portrait.waits {
            let most = grouped(MOST.into());
            let text =
                format!("With more than {most} agents this is computed only in a pause ({})", Action::Pause.keys());
            ui.label(RichText::new(text).small().weak());
        }
        lately(ui, scene, portrait);
    });
}

/// Show the ids of the picked agents, in the colors of their rings: a click shows that agent.
fn kept(ui: &mut Ui, portrait: &Portrait, wishes: &mut Vec<Wish>) {
    ui.horizontal_wrapped(|ui| {
        for (id, halo) in &portrait.kept {
            let name = RichText::new(format!("⏺ {}", grouped((*id).into()))).color(halo_color(*halo)).small();
            ui.selectable_label(*id == portrait.id, name).hint("Show this one").asks_for(wishes, Wish::Show(*id));
            let x = egui::Button::new(RichText::new("x").small()).frame(false);
            ui.add(x).hint(format!("Unpick agent {}", grouped((*id).into()))).asks_for(wishes, Wish::LetGo(*id));
            ui.add_space(4.0);
        }
    });
}

fn answer(ui: &mut Ui, audited: &AuditedAgent, portrait: &Portrait) {
    let why = &audited.why;
    let speed = short(length(why.velocity).into());
    let mut about = format!("{speed} u/s · {}", neighbors(why.neighbors.len()));
    if why.steps != portrait.steps {
        about += &format!(" · as of step {}", grouped(why.steps));
    }
    ui.label(RichText::new(about).small().weak());
    if let Some(choice) = &why.state {
        let since = match choice.since {
            0 => "since the start".to_owned(),
            since => format!("since step {}", grouped(since.into())),
        };
        let before = match choice.before == choice.state {
            true => String::new(),
            false => format!(", {} before", readable(&choice.before).to_lowercase()),
        };
        ui.label(format!("{}, {since}{before}", readable(&choice.state)));
        for because in &choice.because {
            ui.label(RichText::new(format!("because {because}")).small().weak());
        }
    }
    if let Some(reason) = why.idle() {
        ui.label(readable(reason));
    }
    egui::Grid::new("terms").num_columns(4).spacing((8.0, 3.0)).min_row_height(0.0).show(ui, |ui| {
        for term in &why.terms {
            one(ui, color_of_behavior(&portrait.colors, term.behavior), term);
            ui.end_row();
        }
    });
    if !why.priorities.is_empty() {
        egui::Grid::new("priorities").num_columns(3).spacing((8.0, 1.0)).min_row_height(0.0).show(ui, |ui| {
            for row in &why.priorities {
                let counts = matches!(row.fate, Fate::Counts | Fate::Cut);
                let text = |text: String| if counts { RichText::new(text) } else { RichText::new(text).weak() }.small();
                let turns = if row.angular { ", turns" } else { "" };
                ui.label(text(format!("Priority {}{turns}", row.priority)));
                let [asked, taken] = [row.asked, row.taken].map(|vector| short(length(vector).into()));
                ui.label(text(format!("{taken} of {asked}"))).hint("What is taken of what its behaviors ask for");
                ui.label(text(row.fate.in_words().to_owned()));
                ui.end_row();
            }
        });
    }
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
    verdict(ui, audited);
}

/// A number of neighbors, in words.
fn neighbors(count: usize) -> String {
    format!("{count} neighbor{}", if count == 1 { "" } else { "s" })
}

/// Say whether the terms add up, and whether the GPU stored the same.
fn verdict(ui: &mut Ui, AuditedAgent { why, compared }: &AuditedAgent) {
    if !why.adds_up() {
        return warn(ui, "The terms do not add up to the acceleration");
    }
    let quiet = |ui: &mut Ui, text: &str, hint: &str| drop(ui.label(RichText::new(text).small().weak()).hint(hint));
    let said = "The CPU reference computes the terms, from the state before the step.";
    match compared {
        None => {
            let next = format!("Adds up; the GPU takes this step next ({})", Action::Step.keys());
            quiet(ui, &next, &format!("{said} They are compared with what the GPU stores when it has taken the step."));
        }
        Some(Compared { ulps: 0, stored: Some(_) }) => {
            quiet(ui, "Adds up to what the GPU stored, to the bit", said);
        }
        Some(Compared { ulps: 0, stored: None }) => {
            let hint = format!("{said} Its velocity after the step is the same.");
            quiet(ui, "The GPU moved it the same way, to the bit", &hint);
        }
        Some(Compared { ulps: u64::MAX, .. }) => warn(ui, "It differs: this agent no longer exists on the GPU"),
        Some(Compared { stored: None, ulps }) => {
            warn(ui, &format!("It differs: the GPU moved it differently, by {} ulp", grouped(*ulps)));
        }
        Some(Compared { stored: Some(stored), ulps }) => {
            let stored = stored.map(|x| short(x.into())).join(", ");
            warn(ui, &format!("It differs: the GPU stored ({stored}) u/s², and is off by {} ulp", grouped(*ulps)));
        }
    }
}

/// Show plots of the agent's latest moments.
fn lately(ui: &mut Ui, scene: &Scene, portrait: &Portrait) {
    if portrait.lately.len() < 2 {
        return;
    }
    let dt = f64::from(scene.dt);
    let header = egui::CollapsingHeader::new("Lately").id_salt("lately").default_open(true);
    let more = header.show(ui, |ui| {
        type Value = fn(&Moment) -> f32;
        let all: [(&str, &str, Value); 3] = [
            ("Speed", "u/s", |moment| moment.speed),
            ("Steering", "u/s²", |moment| moment.force),
            ("Neighbors", "", |moment| moment.neighbors as f32),
        ];
        let wide = 0.5 * (ui.available_width() - 8.0);
        egui::Grid::new("plots").num_columns(2).spacing((8.0, 2.0)).show(ui, |ui| {
            for (at, (name, unit, value)) in all.into_iter().enumerate() {
                let points: Vec<_> = points(portrait.lately, dt, |moment| Some(value(moment))).collect();
                let now = points.last().map_or(String::new(), |[_, now]| format!(" {} {unit}", short(*now)));
                plot(ui, name, &format!("{name}{now}"), wide, vec![Line::new(name, points).color(TOGETHER).width(1.2)]);
                if at % 2 == 1 {
                    ui.end_row();
                }
            }
            let names = portrait.lately.back().map_or(&[][..], |moment| &moment.shares);
            let lines = names.iter().map(|(name, _)| {
                let share = |moment: &Moment| moment.shares.iter().find(|(of, _)| of == name).map(|(_, share)| *share);
                Line::new(readable(name), points(portrait.lately, dt, share).collect::<Vec<_>>())
                    .color(color_of_behavior(&portrait.colors, name))
                    .width(1.2)
            });
            plot(ui, "Shares", "Shares", wide, lines.collect());
        });
    });
    more.header_response.hint("The behaviors of this agent in the last seconds");
}

/// The points of a plot: simulated time, s, and the value of each moment that has one.
fn points(lately: &Lately, dt: f64, value: impl Fn(&Moment) -> Option<f32>) -> impl Iterator<Item = [f64; 2]> {
    lately.iter().filter_map(move |moment| Some([moment.step as f64 * dt, value(moment)?.into()]))
}

/// Show a plot without axes, below its title.
fn plot(ui: &mut Ui, name: &str, title: &str, wide: f32, lines: Vec<Line<'_>>) {
    ui.vertical(|ui| {
        ui.set_width(wide);
        ui.label(RichText::new(title).small().weak());
        let plot = still(name).height(PLOT).width(wide).show_axes(false).show_grid(false).include_y(0.0);
        let label = |hover: &HoverPosition<'_>| match hover {
            HoverPosition::NearDataPoint { plot_name, position, .. } => {
                Some(format!("{plot_name}: {}\n{:.2} s", short(position.y), position.x))
            }
            HoverPosition::Elsewhere { .. } => None,
        };
        plot.label_formatter(label).show(ui, |plot| lines.into_iter().for_each(|line| plot.line(line)));
    });
}

/// Show the row of a term: color, name, weight, length, and its share, or why it has none.
fn one(ui: &mut Ui, color: Color32, term: &Term) {
    let counts = term.left > 0.0;
    let faint = |text: RichText| if counts { text } else { text.weak() };
    let name = ui.horizontal(|ui| {
        dot(ui, if counts { color } else { Color32::TRANSPARENT });
        ui.label(faint(RichText::new(readable(term.behavior))))
    });
    name.inner.hint(hint(term));
    ui.label(faint(RichText::new(format!("× {}", short(term.weight.into()))).monospace().small()));
    ui.label(faint(RichText::new(short(length(term.part).into())).monospace()));
    match term.fate {
        Fate::Counts | Fate::Cut => bar(ui, color, term),
        fate => drop(ui.label(RichText::new(fate.in_words()).small().weak())),
    }
}

/// Show the share of a term, as a bar and a number.
fn bar(ui: &mut Ui, color: Color32, term: &Term) {
    ui.horizontal(|ui| {
        share(ui, BAR, color, term.share);
        let cut = if term.fate == Fate::Cut { format!(", cut to {:.0} %", 100.0 * term.left) } else { String::new() };
        ui.label(RichText::new(format!("{:.0} %{cut}", 100.0 * term.share)).small());
    });
}

/// Show a bar of this width, points, filled up to the share, 0 to 1.
pub fn share(ui: &mut Ui, width: f32, color: Color32, share: f32) -> egui::Response {
    let (place, response) = ui.allocate_exact_size(vec2(width, 8.0), egui::Sense::hover());
    ui.painter().rect_filled(place, 2.0, ui.visuals().extreme_bg_color);
    ui.painter().rect_filled(egui::Rect::from_min_size(place.min, vec2(width * share, 8.0)), 2.0, color);
    response
}

/// The hint of a term, with its vectors, neighbors and targets.
fn hint(term: &Term) -> String {
    let unit = if term.angular { "rad/s²" } else { "u/s²" };
    let vector = |vector: [f32; 3]| vector.map(|x| short(x.into())).join(", ");
    let adds = if term.added { "adds" } else { "would add" };
    let mut text = format!("Says ({}), {adds} ({}) {unit}", vector(term.wish), vector(term.part));
    if !term.neighbors.is_empty() {
        text += &format!("\nPerceives {}", neighbors(term.neighbors.len()));
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
