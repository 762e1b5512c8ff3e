//! What lies around and over the picture: buttons, figures, messages and the first hints.

use super::actions::Action;
use super::building::Offer;
use super::dialogs::Wish;
use super::filming;
use super::format::{factor_text, grouped, readable, short};
use super::gaze::Mark;
use super::gui::{ACCENT, Asks, Hint};
use super::handles::Part;
use super::meaning::Outline;
use super::panel::why::{TOGETHER, color_of_behavior, halo_color};
use super::picked::Portrait;
use super::session::Session;
use super::session::audit::{AuditTotals, MOST};
use super::timeline;
use egui::{Align, Align2, Color32, Frame, Layout, Margin, RichText, Ui};

const RECORDS: Color32 = Color32::from_rgb(240, 80, 70);
const ALARM: Color32 = Color32::from_rgb(150, 32, 28);
/// The ground behind text over the picture: nearly opaque, so that text is readable over a bright picture.
pub const SHADE: Color32 = Color32::from_black_alpha(225);
/// The least width of a button of the transport bar, points.
const BUTTON: f32 = 28.0;
/// In a bar narrower than this, points, buttons stand closer together.
const ROOMY: f32 = 760.0;

/// Show something over the picture, at the place of `area`, on a ground of a color with round corners and a margin, points. Returns where
/// it is.
pub fn over(
    ui: &Ui,
    area: egui::Area,
    (color, corners, margin): (Color32, f32, impl Into<Margin>),
    show: impl FnOnce(&mut Ui),
) -> egui::Rect {
    let ground = Frame::new().fill(color).corner_radius(corners).inner_margin(margin);
    area.show(ui.ctx(), |ui| ground.show(ui, show)).response.rect
}

/// Show the timeline, and below it the transport bar: buttons and the run's time in one row. `film` is the number of pictures and the
/// length, s, of the film that is being recorded. In a narrow window the least needed items are left out. Adds what was clicked.
pub fn transport(ui: &mut Ui, session: &Session, film: Option<(u32, f64)>, wishes: &mut Vec<Wish>) {
    timeline::timeline(ui, session, wishes);
    ui.horizontal(|ui| {
        if ui.available_width() < ROOMY {
            ui.spacing_mut().item_spacing.x = 4.0;
        }
        let paused = session.paused();
        let button = |ui: &mut Ui, wishes: &mut Vec<Wish>, enabled: bool, text: &str, action: Action| {
            let text = RichText::new(text);
            let text = if action == Action::Film && film.is_some() { text.color(RECORDS) } else { text };
            let button = egui::Button::new(text).min_size(egui::vec2(BUTTON, 24.0));
            let button = ui.add_enabled(enabled, button);
            button.hint(action.hint()).asks_for(wishes, Wish::Act(action));
        };
        let speed = session.pace.label();
        let lag = session.lag().map(|real| format!("(runs {})", factor_text(real)));
        let film_length = film.map(|(frames, seconds)| filming::long(frames, seconds));
        let time = format!("{:.1} s", session.steps() as f64 * f64::from(session.scene().dt));

        // Items get their width in order of importance, as long as enough is left.
        let (painter, font) = (ui.painter().clone(), egui::TextStyle::Button.resolve(ui.style()));
        let (gap, padding) = (ui.spacing().item_spacing.x, 2.0 * ui.spacing().button_padding.x);
        let width = |text: &str| {
            let text = painter.layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x;
            (text + padding).max(BUTTON) + gap
        };
        let line = 6.0 + gap;
        // Always shown: seven buttons, the speed and a separator.
        let mut room = ui.available_width() + gap - 7.0 * width("") - width(&speed) - line;
        let mut fits = |needs: f32| {
            let fits = needs <= room;
            room -= if fits { needs } else { 0.0 };
            fits
        };
        let step = width(&timeline::step_text(session, false)).max(timeline::FIELD + gap);
        let has_step = fits(line + step + width("⚑"));
        let has_help = fits(width("?"));
        let has_anew = timeline::repeats(session) && fits(width(timeline::ANEW));
        let has_pictures = fits(width("📷") + width("⏺"));
        let has_more = fits(width("New seed") + width("A|B"));
        let has_goal = has_step && fits((width(&timeline::step_text(session, true)) - step).max(0.0));
        let lag = lag.filter(|lag| fits(width(lag)));
        let says_paused = paused && fits(width("paused"));
        let film_length = film_length.filter(|length| fits(width(length)));
        let has_time = fits(width(&time));

        button(ui, wishes, true, if paused { "▶" } else { "⏸" }, Action::Pause);
        button(ui, wishes, session.steps() > session.past().span().0, "⏮", Action::Back);
        button(ui, wishes, paused, "⏭", Action::Step);
        button(ui, wishes, true, "⟲", Action::Restart);
        if has_more {
            button(ui, wishes, true, "New seed", Action::NewSeed);
            button(ui, wishes, true, "A|B", Action::Beside);
        }
        ui.separator();
        button(ui, wishes, true, "−", Action::Slower);
        ui.label(RichText::new(speed).monospace()).hint("Speed: simulated time per real time");
        button(ui, wishes, true, "+", Action::Faster);
        if let Some(lag) = lag {
            ui.label(RichText::new(lag).color(ACCENT)).hint("The run cannot keep up: this is its real speed");
        }
        if has_step {
            ui.separator();
            timeline::step(ui, session, has_goal, wishes);
            button(ui, wishes, true, "⚑", Action::Mark);
        }
        if has_time {
            ui.label(time).hint("Simulated time since the start");
        }
        if says_paused {
            ui.label(RichText::new("paused").color(ACCENT));
        }
        if has_anew {
            timeline::anew(ui, session, wishes);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            button(ui, wishes, true, "☰", Action::Panel);
            // F1 and ? show the keys as well.
            if has_help {
                button(ui, wishes, true, "?", Action::Help);
            }
            if has_pictures {
                button(ui, wishes, true, "📷", Action::Screenshot);
                button(ui, wishes, true, "⏺", Action::Film);
            }
            if let Some(length) = film_length {
                ui.label(RichText::new(length).color(RECORDS)).hint("The film so far");
            }
        });
    });
}

/// What the figures show beside the session.
pub struct More {
    /// Are all figures shown? Otherwise one line.
    pub open: bool,
    /// Is the picture drawn at half resolution while it runs?
    pub half: bool,
    /// The scene's own number of agents, if fewer were started.
    pub shrunk: Option<u32>,
}

/// Show the figures over the upper left corner of the picture, whose width is `room`, points. Returns their lower end, points.
pub fn figures(ui: &Ui, session: &Session, more: &More, room: f32, wishes: &mut Vec<Wish>) -> f32 {
    let More { open, half, shrunk } = *more;
    let area = egui::Area::new(egui::Id::unique("figures")).fixed_pos((10.0, 10.0));
    let shown = over(ui, area, (SHADE, 6.0, 8.0), |ui| {
        ui.set_max_width((room - 36.0).clamp(80.0, 400.0));
        ui.spacing_mut().item_spacing.y = 2.0;
        let line = format!("{} {}", summary(session), if open { "⏶" } else { "⏷" });
        let line = egui::Button::new(RichText::new(line).monospace()).frame(false);
        ui.add(line).hint(Action::Figures.hint()).asks_for(wishes, Wish::Act(Action::Figures));
        if let Some(agents) = shrunk {
            let now = grouped(session.scene().agent_count().into());
            let text = format!("{now} of {} agents, because the CPU computes here", grouped(agents.into()));
            ui.label(RichText::new(text).small().color(ACCENT));
            let all = ui.small_button("Start all").hint("As many agents as the scene has, even if that is slow");
            all.asks_for(wishes, Wish::Agents(agents));
        }
        let seen = session.figures().observed.as_ref();
        let (bad, unseen) = seen.map_or((0, 0), |(_, seen)| (seen.bad_agents, seen.unseen));
        if bad > 0 {
            badge(ui, &format!("{} agents are not finite, or beyond 1e9; they are frozen", grouped(bad.into())), ALARM);
        }
        if unseen > 0 {
            let text = format!("crowded cells: no agent perceives {} agents", grouped(unseen.into()));
            ui.label(RichText::new(text).small().color(ACCENT));
        }
        differing(ui, session, wishes);
        if open {
            ui.add_space(4.0);
            let gpu = session.simulation().gpu();
            ui.label(RichText::new(&gpu.info.name).small().weak());
            if gpu.software() {
                badge(ui, "software adapter: computes on the CPU", Color32::from_rgb(120, 78, 10));
            }
            if half {
                let text = RichText::new(format!("Half resolution while it runs ({})", Action::Half.keys()));
                let button = ui.add(egui::Button::new(text.small().weak()).frame(false));
                button.hint(Action::Half.hint()).asks_for(wishes, Wish::Act(Action::Half));
            }
            egui::Grid::new("figures").num_columns(2).spacing((14.0, 2.0)).min_row_height(0.0).show(ui, |ui| {
                for (name, value) in rows(session) {
                    ui.label(RichText::new(name).small().weak());
                    ui.label(RichText::new(value).monospace());
                    ui.end_row();
                }
            });
        }
    });
    shown.bottom()
}

/// The line of figures: number of agents, real speed, frames per second.
fn summary(session: &Session) -> String {
    let agents = match session.scene().agent_count() {
        1 => "1 agent".to_owned(),
        many => format!("{} agents", grouped(many.into())),
    };
    let speed = match session.real_speed() {
        _ if session.paused() => return format!("{agents} · paused"),
        Some(speed) => factor_text(speed),
        None => "×…".to_owned(),
    };
    let frame = session.figures().frame;
    let frames = if frame > 0.0 { short(1.0 / frame) } else { "…".to_owned() };
    format!("{agents} · {speed} · {frames} frames/s")
}

fn rows(session: &Session) -> Vec<(&'static str, String)> {
    let figures = session.figures();
    let measured = |value: f64, text: String| if value > 0.0 { text } else { "-".to_owned() };
    let step = if session.times_passes() { "step, GPU" } else { "step" };
    let mut rows = vec![
        ("steps/s", measured(figures.steps_per_second, format!("{:.1}", figures.steps_per_second))),
        ("frame", measured(figures.frame, format!("{:.1} ms", figures.frame * 1e3))),
        (step, measured(figures.step, format!("{:.3} ms", figures.step * 1e3))),
    ];
    rows.push(("checked", checked(session)));
    if let Some((step, seen)) = &figures.observed {
        rows.push(("polarization", format!("{:.3}", seen.polarization)));
        rows.push(("neighbors", format!("{:.1}", seen.mean_neighbors)));
        rows.push(("mean speed", format!("{:.1} u/s", seen.mean_speed)));
        rows.push(("digest", format!("{} @ {step}", &seen.digest_hex()[..16])));
    }
    rows
}

/// A text with the number of agents that audits checked, and the number of those that differ.
fn checked(session: &Session) -> String {
    let AuditTotals { checked, differing, .. } = session.audits.totals;
    match (checked, session.scene().agent_count() > MOST) {
        (0, true) => format!("none: more than {} agents", grouped(MOST.into())),
        _ => format!("{} agents, {} differ", grouped(checked), grouped(differing)),
    }
}

/// If audits found differences between the GPU and the reference, show how many and how large, with a button that picks such an agent.
fn differing(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    let AuditTotals { checked, differing, worst, found, .. } = session.audits.totals;
    let Some(found) = found else { return };
    let far = if worst == u64::MAX { "one is lost".to_owned() } else { format!("by up to {} ulp", grouped(worst)) };
    let text =
        format!("{} of {} checked agents differ from the reference, {far}", grouped(differing), grouped(checked));
    let exact = session.simulation().gpu().exact;
    if exact {
        badge(ui, &text, ALARM);
    } else {
        // This device rounds floats in its own way, so differences are expected.
        ui.label(RichText::new(text).small().weak());
    }
    let hint = "Pick the agent that differed last, and compare what the reference computed with what the GPU stored";
    ui.small_button(format!("Pick agent {}", grouped(found.into()))).hint(hint).asks_for(wishes, Wish::Pick(found));
}

fn badge(ui: &mut Ui, text: &str, fill: Color32) {
    Frame::new().fill(fill).corner_radius(4.0).inner_margin(Margin::symmetric(6, 2)).show(ui, |ui| {
        ui.label(RichText::new(text).small().strong().color(Color32::WHITE));
    });
}

/// Draw why the picked agent steers as it does, into the area `picture`: lines to its neighbors, its targets, and an arrow for each
/// behavior and for the sum.
pub fn drawing(ui: &Ui, portrait: &Portrait, picture: egui::Rect) {
    let terms =
        portrait.audited.and_then(|audited| audited.as_ref().ok()).map_or(&[][..], |audited| &audited.why.terms);
    let color_of = |row: usize| color_of_behavior(&portrait.colors, terms.get(row).map_or("", |term| term.behavior));
    let drawing = &portrait.drawing;
    let (painter, scale) = (ui.painter().with_clip_rect(picture), ui.ctx().pixels_per_point());
    let point = |at: glam::Vec2| picture.min + egui::vec2(at.x, at.y) / scale;
    // A dark line below a light one is visible on every sky.
    let both = |width: f32, color: Color32| [(width + 2.0, Color32::from_black_alpha(110)), (width, color)];
    lines(&painter, picture.min, &drawing.senses, (1.0, Color32::from_white_alpha(130)));
    for (from, to) in &drawing.lines {
        for (width, color) in both(1.0, Color32::from_white_alpha(110)) {
            painter.line_segment([point(*from), point(*to)], (width, color));
        }
        painter.circle_filled(point(*to), 2.0, Color32::from_white_alpha(180));
    }
    for (place, expected, row) in &drawing.aims {
        for (width, color) in both(1.5, color_of(*row)) {
            painter.circle_stroke(point(*place), 7.0, (width, color));
            if let Some(expected) = expected.map(point) {
                painter.extend(egui::Shape::dashed_line(&[point(*place), expected], (width, color), 5.0, 4.0));
                painter.circle_filled(expected, width + 1.5, color);
            }
        }
    }
    for (from, to, row) in &drawing.arrows {
        let color = row.map_or(TOGETHER, color_of);
        for (width, color) in both(if row.is_some() { 2.0 } else { 3.0 }, color) {
            arrow(&painter, point(*from), point(*to), width, color);
        }
    }
    if let Some((from, to)) = drawing.cut {
        painter.extend(egui::Shape::dashed_line(&[point(from), point(to)], (2.0, TOGETHER), 4.0, 4.0));
    }
}

/// Draw lines over the picture, such as what the number under the pointer means, or what is being drawn.
pub fn outline(ui: &Ui, outline: &Outline, picture: egui::Rect) {
    lines(&ui.painter().with_clip_rect(picture), picture.min, outline, (1.5, ACCENT));
}

fn lines(painter: &egui::Painter, corner: egui::Pos2, outline: &Outline, (width, color): (f32, Color32)) {
    let scale = painter.ctx().pixels_per_point();
    for line in outline {
        let points: Vec<egui::Pos2> = line.iter().map(|at| corner + egui::vec2(at.x, at.y) / scale).collect();
        for (width, color) in [(width + 2.0, Color32::from_black_alpha(120)), (width, color)] {
            painter.add(egui::Shape::line(points.clone(), (width, color)));
        }
    }
}

/// A handle in the picture.
pub struct Dot {
    /// Its place, px.
    pub at: glam::Vec2,
    /// The part of the value that it changes.
    pub part: Part,
    /// Its name, if it is held or the pointer is on it.
    pub name: Option<String>,
}

/// Draw the handles: places are round, sizes square, and handles that insert a new point are small.
pub fn handles(ui: &Ui, dots: &[Dot], picture: egui::Rect) {
    let (painter, scale) = (ui.painter().with_clip_rect(picture), ui.ctx().pixels_per_point());
    for Dot { at, part, name } in dots {
        let at = picture.min + egui::vec2(at.x, at.y) / scale;
        let (fill, rim) = (if name.is_some() { ACCENT } else { Color32::WHITE }, Color32::from_black_alpha(200));
        match part {
            Part::Place => painter.circle(at, 5.0, fill, (1.5, rim)),
            Part::Between => painter.circle(at, 3.0, fill.gamma_multiply(0.7), (1.0, rim)),
            _ => {
                let square = egui::Rect::from_center_size(at, egui::vec2(8.0, 8.0));
                painter.rect(square, 1.0, fill, (1.5, rim), egui::StrokeKind::Outside)
            }
        };
        if let Some(name) = name {
            let galley = painter.layout_no_wrap(name.clone(), egui::FontId::proportional(11.5), ACCENT);
            let place = at + egui::vec2(10.0, -8.0 - galley.size().y);
            let place = place.min((picture.max - galley.size() - egui::vec2(6.0, 4.0)).max(picture.min));
            let ground = egui::Rect::from_min_size(place, galley.size()).expand2(egui::vec2(5.0, 3.0));
            painter.rect_filled(ground, 4.0, SHADE);
            painter.galley(place, galley, ACCENT);
        }
    }
}

/// Show the targets that a click may mean, next to it, to choose one.
pub fn offer(ui: &Ui, offer: &Offer, picture: egui::Rect, wishes: &mut Vec<Wish>) {
    let at = picture.min + egui::vec2(offer.at.0, offer.at.1) / ui.ctx().pixels_per_point();
    let area = egui::Area::new(egui::Id::unique("offer")).fixed_pos(at + egui::vec2(8.0, 8.0)).constrain(true);
    area.order(egui::Order::Foreground).show(ui.ctx(), |ui| {
        Frame::popup(ui.style()).show(ui, |ui| {
            ui.label(RichText::new("Head for").weak().small());
            for (name, target) in &offer.targets {
                ui.button(readable(name)).asks_for(wishes, Wish::Aim(offer.path.clone(), *target));
            }
        });
    });
}

/// Draw an arrow with a filled head, which takes at most half of its length.
fn arrow(painter: &egui::Painter, from: egui::Pos2, to: egui::Pos2, width: f32, color: Color32) {
    let along = (to - from).normalized();
    let head = (4.0 + 2.0 * width).min(0.5 * (to - from).length());
    let (base, side) = (to - along * head, along.rot90() * head * 0.5);
    painter.line_segment([from, base], (width, color));
    painter.add(egui::Shape::convex_polygon(vec![to, base + side, base - side], color, egui::Stroke::NONE));
}

/// Draw the ring around a picked or chased agent, in the ring color `halo`, and its name. Without a place, as when the camera sees out of
/// its eyes, only the name: at the top of the picture, below `top`, the lower end of figures and tools.
pub fn mark(ui: &Ui, mark: &Mark, halo: usize, picture: egui::Rect, top: f32) {
    let color = halo_color(halo);
    let scale = ui.ctx().pixels_per_point();
    let place = match mark.place {
        Some(((x, y), radius)) => {
            let (center, radius) = (picture.min + egui::vec2(x, y) / scale, radius / scale);
            ui.painter().with_clip_rect(picture).circle_stroke(center, radius, (1.5, color));
            center + egui::vec2(0.0, radius + 4.0)
        }
        None => egui::pos2(picture.center().x, top + 6.0),
    };
    let id = egui::Id::unique(("mark", halo, picture.min.x > 0.0));
    let area = egui::Area::new(id).pivot(Align2::CENTER_TOP).fixed_pos(place);
    over(ui, area.interactable(false), (SHADE, 4.0, Margin::symmetric(6, 2)), |ui| {
        ui.label(RichText::new(&mark.name).small().color(color));
    });
}

/// The text, with the lines that quote a file cut to so many columns, and moved to the left if what carets mark would be cut off.
fn with_cut_quotes(text: &str, columns: usize) -> String {
    let quoted = |line: &'_ str| {
        let (gutter, quote) = line.split_once(" | ")?;
        let is_gutter = gutter.chars().all(|letter| letter == ' ' || letter.is_ascii_digit());
        is_gutter.then(|| (gutter.to_owned(), quote.to_owned()))
    };
    let room = |gutter: &str| columns.saturating_sub(gutter.len() + 3);
    let past = |(gutter, marks): (String, String)| {
        let before = marks.find('^').filter(|at| marks[..*at].trim().is_empty())?;
        Some(before.min(marks.chars().count().saturating_sub(room(&gutter))))
    };
    let skipped = text.lines().filter_map(quoted).filter_map(past).next().unwrap_or(0);
    let cut = |line: &str| match quoted(line) {
        Some((gutter, quote)) => {
            format!("{gutter} | {}", quote.chars().skip(skipped).take(room(&gutter)).collect::<String>())
        }
        None => line.to_owned(),
    };
    text.lines().map(cut).collect::<Vec<_>>().join("\n")
}

/// Show a prominent message over the middle of the picture.
pub fn alarm(ui: &Ui, text: &str, (width, height): (f32, f32)) {
    let area =
        egui::Area::new(egui::Id::unique("alarm")).pivot(Align2::CENTER_CENTER).fixed_pos((width * 0.5, height * 0.5));
    // Below dialogs.
    let area = area.interactable(false).order(egui::Order::Middle);
    over(ui, area, (ALARM, 6.0, 12.0), |ui| {
        let width = (width - 60.0).clamp(100.0, 520.0);
        ui.set_max_width(width);
        // Monospace, because errors of files mark columns below the quoted line.
        let font = egui::TextStyle::Monospace.resolve(ui.style());
        let text = with_cut_quotes(text, (width / ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'))) as usize);
        ui.label(RichText::new(text).monospace().color(Color32::WHITE));
    });
}

/// Show a temporary message at the bottom of the picture.
pub fn toast(ui: &Ui, text: &str, (width, height): (f32, f32)) {
    let area =
        egui::Area::new(egui::Id::unique("toast")).pivot(Align2::CENTER_BOTTOM).fixed_pos((width * 0.5, height - 12.0));
    // Above dialogs too, because it may be about them.
    let area = area.interactable(false).order(egui::Order::Tooltip);
    over(ui, area, (SHADE, 6.0, 8.0), |ui| {
        ui.set_max_width((width - 40.0).max(100.0));
        ui.label(text);
    });
}

/// The least height between tools and the lower end of the picture that hints are shown in, points.
pub const HINTS_ROOM: f32 = 190.0;

/// Show the hints for a new user, which come only once.
pub fn hints(ui: &Ui, spatial: bool, (width, height): (f32, f32), wishes: &mut Vec<Wish>) {
    // In a low picture they stand lower, so that its middle stays free.
    let bottom = height - if height < 480.0 { 8.0 } else { 56.0 };
    let area = egui::Area::new(egui::Id::unique("hints")).pivot(Align2::CENTER_BOTTOM).fixed_pos((width * 0.5, bottom));
    over(ui, area, (SHADE, 8.0, 12.0), |ui| {
        ui.set_max_width((width - 60.0).clamp(120.0, 380.0));
        let drag = if spatial { "goes around it" } else { "moves it" };
        for (key, text) in [
            (Action::Scenes.keys(), format!("{} scenes to choose from", steerling::scene::PRESETS.len())),
            (Action::Pause.keys(), "runs and pauses; sliders change the scene as it runs".to_owned()),
            (Action::Help.keys(), format!("shows all keys; dragging the picture {drag}, the wheel zooms")),
        ] {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(key).monospace().color(ACCENT));
                ui.label(text);
            });
        }
        ui.add_space(4.0);
        ui.button("Got it").hint("These hints come only once (Esc)").asks_for(wishes, Wish::Close);
    });
}
