//! Plots of the run below the picture: curves against time, and a histogram of agents.

use super::actions::Action;
use super::beside::COLOR_OF_A;
use super::dialogs::Wish;
use super::format::{grouped, readable, short};
use super::gui::{ACCENT, Asks, Hint};
use super::panel::why::color_of;
use super::session::Session;
use super::session::seen::{BARS, CURVES, Curve, Part, SPREADS};
use egui::containers::menu::MenuButton;
use egui::text::LayoutJob;
use egui::{Button, Color32, FontId, Key, Label, RichText, TextEdit, TextFormat, Ui, vec2};
use egui_plot::{AxisHints, Bar, BarChart, GridInput, GridMark, HoverPosition, Line, LineStyle, Plot, Points, VLine};
use std::cell::Cell;
use steerling::render::{self, CATEGORY};
use steerling::scene::{Scene, state_columns};

/// Height of the plots, with the row of choices above them, points.
pub const HEIGHT: f32 = 190.0;
/// The least width of a plot, points.
const NARROWEST: f32 = 170.0;
/// Choices of simulated time that plots span, s; `None`: the whole run.
const SPANS: [(&str, Option<f64>); 4] =
    [("10 s", Some(10.0)), ("1 min", Some(60.0)), ("10 min", Some(600.0)), ("all", None)];
/// The most points that a line is drawn with; if there are more, only every n-th is drawn.
const MOST_POINTS: usize = 1000;
/// The curves that are shown at first, by [`Curve::column`].
const SHOWN: [&str; 4] = ["polarization", "milling", "mean_neighbors", "apart"];

/// The state of the plots: what is shown, and what is typed.
pub struct Plots {
    pub open: bool,
    /// Which of [`CURVES`] are shown; the last entry is for the histogram.
    shown: [bool; CURVES.len() + 1],
    /// Index into [`SPANS`].
    span: usize,
    /// What the histogram counts agents by, an index into [`SPREADS`].
    spread: usize,
    /// The text in the field for the condition to pause.
    condition: String,
    /// That text when it was last entered.
    entered: String,
}

impl Default for Plots {
    fn default() -> Plots {
        let shown = std::array::from_fn(|at| CURVES.get(at).is_none_or(|curve| SHOWN.contains(&curve.column)));
        Plots { open: false, shown, span: 1, spread: 0, condition: String::new(), entered: String::new() }
    }
}

impl Plots {
    /// Show the plots, with lines of the run beside (`other`) if there is one. Adds what was asked for.
    pub fn show(&mut self, ui: &mut Ui, session: &Session, other: Option<&Session>, wishes: &mut Vec<Wish>) {
        let offers = |curve: &Curve| curve.is_offered(session.scene(), other.is_some());
        let there = |at: usize| CURVES.get(at).is_none_or(offers);
        ui.spacing_mut().item_spacing.x = 4.0;
        self.choices(ui, session, there, wishes);
        let count = self.shown.iter().enumerate().filter(|(at, shown)| **shown && there(*at)).count().max(1);
        let size = ui.available_size();
        let wide = (size.x / count as f32 - 6.0).max(NARROWEST);
        let high = size.y - 8.0;
        egui::ScrollArea::horizontal().id_salt("plots").auto_shrink(false).show(ui, |ui| {
            ui.horizontal_top(|ui| {
                let shown = CURVES.iter().enumerate().filter(|(at, _)| self.shown[*at] && there(*at));
                for (_, curve) in shown {
                    ui.allocate_ui(vec2(wide, high), |ui| {
                        ui.vertical(|ui| curve_plot(ui, curve, SPANS[self.span].1, (session, other), wishes))
                    });
                }
                if self.shown[CURVES.len()] {
                    ui.allocate_ui(vec2(wide, high), |ui| ui.vertical(|ui| histogram(ui, session, &mut self.spread)));
                }
            });
        });
    }

    fn choices(&mut self, ui: &mut Ui, session: &Session, there: impl Fn(usize) -> bool, wishes: &mut Vec<Wish>) {
        // If the row wraps into several lines, the plots get lower.
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            let spread = ("Histogram", "Agents by speed, neighbors or nearest distance, at the latest snapshot");
            let names = CURVES.iter().map(|curve| (curve.name, curve.hint)).chain([spread]);
            for (_, (shown, name)) in self.shown.iter_mut().zip(names).enumerate().filter(|(at, _)| there(*at)) {
                ui.toggle_value(shown, RichText::new(name.0).small()).hint(name.1);
            }
            ui.separator();
            for (index, (name, _)) in SPANS.iter().enumerate() {
                let hint = "Simulated time that is shown";
                ui.selectable_value(&mut self.span, index, RichText::new(*name).small()).hint(hint);
            }
            ui.separator();
            let watched = session.pauses_when();
            let text = RichText::new("Pause when").small();
            ui.label(if watched.is_some() { text.color(ACCENT) } else { text });
            let field =
                TextEdit::singleline(&mut self.condition).desired_width(150.0).hint_text("milling > 0.5 for 2 s");
            let field = ui.add(field.font(egui::TextStyle::Small));
            let hint = match watched {
                Some(watched) => format!("The run pauses when: {watched}\nAn empty text: it does not pause"),
                None => "Name of a plotted number, < or >, a value, and optionally for how long; Enter sets the \
                    condition\nNumbers are those of the plots: milling, density.birds, mice.hungry"
                    .to_owned(),
            };
            let field = field.hint(hint);
            if field.lost_focus() {
                if ui.input(|input| input.key_pressed(Key::Enter)) {
                    self.entered.clone_from(&self.condition);
                    wishes.push(Wish::PauseWhen(self.condition.clone()));
                } else if self.condition != self.entered {
                    // Text that was not entered has no effect, so show the condition that holds. Refused text stays, to be corrected.
                    self.condition = watched.unwrap_or_default().to_owned();
                }
            }
            ui.separator();
            let hint = "Write all plotted numbers as a table into the working directory";
            ui.small_button("CSV").hint(hint).asks_for(wishes, Wish::Table);
            ui.small_button("✖").hint(Action::Plots.hint()).asks_for(wishes, Wish::Act(Action::Plots));
        });
    }
}

/// A small plot that fills the remaining area, below its title. The pointer cannot drag or zoom it.
fn plot<'a>(name: &str, x_unit: &'static str, ui: &mut Ui) -> Plot<'a> {
    for style in [egui::TextStyle::Body, egui::TextStyle::Monospace, egui::TextStyle::Button] {
        ui.style_mut().text_styles.insert(style, FontId::proportional(10.0));
    }
    let plot = still(name).height(ui.available_height()).width(ui.available_width());
    // Grid lines must not be closer than their labels.
    let x = AxisHints::new_x().label_spacing(egui::Rangef::new(24.0, 40.0));
    let x = x.formatter(move |mark, _| format!("{}{x_unit}", short(mark.value)));
    let y = AxisHints::new_y().label_spacing(egui::Rangef::new(10.0, 16.0)).formatter(|mark, _| short(mark.value));
    plot.custom_x_axes(vec![x]).custom_y_axes(vec![y]).y_grid_spacer(marks).grid_spacing(egui::Rangef::new(10.0, 60.0))
}

fn titled(title: &str, unit: &str) -> String {
    if unit.is_empty() { title.to_owned() } else { format!("{title}, {unit}") }
}

/// Horizontal grid lines of a plot: at least two beside 0, at multiples of 1, 2 or 5 times a power of 10, so that values can be read.
pub fn marks(input: GridInput) -> Vec<GridMark> {
    let (from, to) = input.bounds;
    let third = (to - from) / 3.0;
    let power = 10.0_f64.powf(third.log10().floor());
    let step = [5.0, 2.0, 1.0].into_iter().map(|times| times * power).find(|step| *step <= third).unwrap_or(power);
    // An empty or infinite range has no lines beside 0.
    let count = |end: f64| if step.is_normal() { (end / step) as i64 } else { 0 };
    (count(from)..=count(to)).map(|at| GridMark { value: at as f64 * step, step_size: step }).collect()
}

/// A plot that the pointer cannot drag or zoom.
pub fn still<'a>(name: &str) -> Plot<'a> {
    let plot = Plot::new(name).show_crosshair(false).allow_drag(false).allow_zoom(false).allow_scroll(false);
    plot.allow_boxed_zoom(false).allow_axis_zoom_drag(false)
}

/// The color of a line, and whether it is dotted. Action states have the colors of pictures and legends; lines of all species after the
/// first one with states are dotted, because their colors repeat.
fn look(part: Part, row: usize, scene: &Scene) -> (Color32, bool) {
    match part {
        Part::All => (Color32::from_gray(225), false),
        Part::Species(at) => {
            let own = render::fixed_colors(scene)[at];
            let own = own.map(|[red, green, blue]| Color32::from(egui::Rgba::from_rgb(red, green, blue)));
            (own.unwrap_or(color_of(at)), false)
        }
        Part::State(at) => {
            let states: Vec<_> =
                state_columns(&scene.species).map(|(species, _, state)| (species, state as usize)).collect();
            let [red, green, blue] = CATEGORY[states[at].1 % CATEGORY.len()];
            (Color32::from_rgb(red, green, blue), states[at].0 != states[0].0)
        }
        Part::Stage(_) => (color_of(row), false),
    }
}

fn curve_plot(
    ui: &mut Ui,
    curve: &Curve,
    span: Option<f64>,
    (session, other): (&Session, Option<&Session>),
    wishes: &mut Vec<Wish>,
) {
    let (scene, now) = (session.scene(), session.steps());
    // A run beside may have another time step.
    let dt_of = |of: &Session| f64::from(of.scene().dt);
    let (dt, dt_beside) = (dt_of(session), dt_of(other.unwrap_or(session)));
    let (first, last) = session.past().span();
    // Show the end of the record, or if the run has gone back before that, the part around the present step.
    let steps = span.map(|span| (span / dt).ceil() as u64);
    let from = steps.map_or(first, |steps| last.saturating_sub(steps).min(now.saturating_sub(steps / 10)).max(first));
    let to = steps.map_or(last, |steps| last.min(from + steps));
    let time = |step: u64| step as f64 * dt;
    let highest = Cell::new(0.0_f64);
    let line = |of: &Session, name: &str, part: Part, color: Color32| {
        let points = of.past().seen.line(curve, part, from..to + 1);
        let every = points.len().div_ceil(MOST_POINTS).max(1);
        let points: Vec<[f64; 2]> =
            points.iter().step_by(every).map(|(step, value)| [*step as f64 * dt_of(of), *value]).collect();
        points.iter().for_each(|[_, value]| highest.set(highest.get().max(*value)));
        let end = points.last().copied();
        let line = Line::new(name, points).color(color).width(if part == Part::All { 1.6 } else { 1.2 });
        (line, end.map(|end| Points::new(name, vec![end]).color(color).radius(2.0).allow_hover(false)))
    };
    let parts = curve.parts(scene, &session.past().seen);
    // If a single species has states, their names do not need its name.
    let alone = scene.species.iter().filter(|species| species.states.len() > 1).count() == 1;
    let (mut title, mut lines, mut shows_a) = (LayoutJob::default(), Vec::new(), None);
    for (row, (part, name)) in parts.iter().enumerate() {
        let (of_all, (color, dotted)) = (*part == Part::All, look(*part, row, scene));
        let name = name.split_once('.').filter(|_| alone).map_or(&name[..], |(_, state)| state);
        let name = if of_all && other.is_some() { "B".to_owned() } else { readable(&name.replace('.', ": ")) };
        let apart = if row > 0 { "  " } else { "" };
        title.append(&format!("{apart}{name}"), 0.0, TextFormat::simple(FontId::proportional(11.5), color));
        // Of A, show the line of all agents; if the curve has no such line, each part.
        if let Some(other) = other.filter(|_| of_all || parts[0].0 != Part::All) {
            let (name, color) = if of_all { ("A".to_owned(), COLOR_OF_A) } else { (format!("A, {name}"), color) };
            let (was, end) = line(other, &name, *part, color);
            shows_a = shows_a.or(end.as_ref().map(|_| if of_all { color } else { Color32::from_gray(225) }));
            lines.push((was.style(LineStyle::dashed_dense()), end));
        }
        let (own, end) = line(session, &name, *part, color);
        lines.push((if dotted { own.style(LineStyle::dotted_dense()) } else { own }, end));
    }
    if let Some(color) = shows_a {
        title.append("  A: dashed", 0.0, TextFormat::simple(FontId::proportional(11.5), color));
    }
    let unit = curve.unit(scene);
    ui.horizontal(|ui| {
        ui.label(RichText::new(titled(curve.name, unit)).small().weak()).hint(curve.hint);
        if parts.len() > 1 || shows_a.is_some() {
            ui.add(Label::new(title).truncate());
        }
    });
    let label = move |hover: &HoverPosition<'_>| match hover {
        HoverPosition::NearDataPoint { plot_name, position, .. } => {
            let dt = if *plot_name == "A" || plot_name.starts_with("A, ") { dt_beside } else { dt };
            let step = (position.x / dt).round() as u64;
            Some(format!("{plot_name}: {} {unit}\n{:.2} s, step {}", short(position.y), position.x, grouped(step)))
        }
        HoverPosition::Elsewhere { .. } => None,
    };
    let mut plot = plot(curve.name, " s", ui).label_formatter(label).include_y(0.0);
    // Around zeros alone the toolkit would show as much below 0 as above.
    if highest.get() == 0.0 || ["polarization", "milling"].contains(&curve.column) {
        plot = plot.include_y(1.0);
    }
    plot = plot.include_x(time(from)).include_x(time(to.max(from + 1)));
    let shown = plot.show(ui, |plot| {
        for (line, end) in lines {
            plot.line(line);
            end.into_iter().for_each(|end| plot.points(end));
        }
        plot.vline(VLine::new("now", time(now)).color(ACCENT).width(1.0).allow_hover(false));
        plot.pointer_coordinate()
    });
    if shown.response.clicked()
        && let Some(at) = shown.inner
    {
        let step = (at.x / dt).round().max(0.0) as u64;
        wishes.push(Wish::GoTo(step.clamp(first, last)));
    }
}

/// Show the histogram of the latest snapshot up to the present step. `chosen` is an index into [`SPREADS`].
fn histogram(ui: &mut Ui, session: &Session, chosen: &mut usize) {
    let seen = session.past().seen.spreads(session.steps());
    let title = |by: usize, at: &str| titled(&format!("Agents by {}{at}", SPREADS[by].0), SPREADS[by].1);
    let at = seen.filter(|(step, _)| *step != session.steps());
    let at = at.map_or(String::new(), |(step, _)| format!(" at step {}", grouped(step)));
    let choose = RichText::new(format!("{} ⏷", title(*chosen, &at))).small().weak();
    ui.scope(|ui| {
        ui.spacing_mut().button_padding.y = 0.0;
        MenuButton::from_button(Button::new(choose).frame(false).truncate()).ui(ui, |ui| {
            for by in 0..SPREADS.len() {
                ui.selectable_value(chosen, by, RichText::new(title(by, "")).small());
            }
        });
    });
    let unit = SPREADS[*chosen].1;
    let (wide, counts) = seen.map_or((1.0, [0; BARS]), |(_, all)| (all[*chosen].wide, all[*chosen].counts));
    let bars = counts.into_iter().enumerate().map(|(at, count)| {
        Bar::new((at as f64 + 0.5) * wide, f64::from(count)).width(0.9 * wide).fill(Color32::from_rgb(93, 173, 226))
    });
    let told = move |bar: &Bar, _: &BarChart| {
        let (from, agents) = (bar.argument - 0.5 * wide, grouped(bar.value as u64));
        format!("{agents} agents\n{} to less than {} {unit}", short(from), short(from + wide)).trim_end().to_owned()
    };
    let chart = BarChart::new("Histogram", bars.collect()).element_formatter(Box::new(told));
    let plot = plot("Histogram", "", ui).include_x(0.0).include_x(wide * BARS as f64).include_y(1.0);
    plot.label_formatter(|_| None).show(ui, |plot| plot.bar_chart(chart));
}
