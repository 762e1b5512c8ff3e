//! The timeline below the picture: the record of the run, the present step, changes and marks; a click or drag goes to another step.

use super::actions::Action;
use super::dialogs::Wish;
use super::format::{grouped, parse_whole};
use super::gui::{ACCENT, Asks, Field, Hint};
use super::session::Session;
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditOutput;
use egui::{Align2, Color32, FontId, Rect, RichText, Sense, TextEdit, Ui, pos2, vec2};

/// Height of the timeline, points.
const HEIGHT: f32 = 14.0;
/// The least number of steps that it spans, so that the first steps do not rescale it.
const LEAST: u64 = 100;
const RAIL: Color32 = Color32::from_gray(60);
const GONE: Color32 = Color32::from_rgb(93, 173, 226);
const MARK: Color32 = Color32::from_rgb(130, 220, 140);
/// The greatest distance at which the pointer is on a mark, points.
const NEAR: f32 = 5.0;

/// Width of the field for a step, with the word before it, points.
pub const FIELD: f32 = 102.0;
/// The text of the button that drops the record after the present step.
pub const ANEW: &str = "Go on from here";

/// Show the timeline. Adds the step that was chosen, and changes of marks.
pub fn timeline(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    let (first, last) = session.past().span();
    let (now, goal) = (session.steps(), session.goal());
    let (place, line) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::CLICK | Sense::DRAG);
    let rail = Rect::from_center_size(place.center(), vec2(place.width() - 12.0, 4.0));
    // Marks may lie after the last known step, when the same run began anew.
    let marks = &session.past().marks;
    let end = marks.last_key_value().map_or(last, |(step, _)| last.max(*step));
    let span = (end - first).max(LEAST) as f32;
    let x = |step: u64| rail.left() + rail.width() * (step.saturating_sub(first) as f32 / span).min(1.0);
    let part = |from: f32, to: f32| Rect::from_min_max(pos2(from, rail.top()), pos2(to, rail.bottom()));
    let painter = ui.painter();
    painter.rect_filled(rail, 2.0, Color32::from_gray(36));
    painter.rect_filled(part(rail.left(), x(last)), 2.0, RAIL);
    painter.rect_filled(part(rail.left(), x(now)), 2.0, GONE);
    for step in session.past().changes() {
        painter.circle_filled(pos2(x(step), rail.center().y), 2.5, ACCENT);
    }
    for step in marks.keys() {
        let (x, top) = (x(*step), place.top());
        painter.line_segment([pos2(x, top), pos2(x, place.bottom())], (1.5, MARK));
        let flag = vec![pos2(x, top), pos2(x + 6.0, top + 2.5), pos2(x, top + 5.0)];
        painter.add(egui::Shape::convex_polygon(flag, MARK, egui::Stroke::NONE));
    }
    painter.circle_filled(pos2(x(now), rail.center().y), 5.0, Color32::from_gray(225));
    if let Some(goal) = goal {
        painter.circle_stroke(pos2(x(goal), rail.center().y), 5.0, (1.5, ACCENT));
    }
    let name = format!("Timeline, step {}", grouped(now));
    line.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, &name));
    let marked = |point: egui::Pos2| {
        let away = |step: u64| (x(step) - point.x).abs();
        let nearest = marks.iter().min_by(|a, b| away(*a.0).total_cmp(&away(*b.0)));
        nearest.filter(|(step, _)| away(**step) <= NEAR)
    };
    let at = |point: egui::Pos2| {
        if let Some((step, _)) = marked(point) {
            return *step;
        }
        let share = ((point.x - rail.left()) / rail.width()).clamp(0.0, 1.0);
        (first + (share * span).round() as u64).min(last)
    };
    let chosen = line.dragged_by(egui::PointerButton::Primary) || line.clicked();
    if let Some(point) = line.interact_pointer_pos().filter(|_| chosen) {
        let step = at(point);
        if goal.unwrap_or(now) != step {
            wishes.push(Wish::GoTo(step));
        }
    }
    let named = line.id.with("mark");
    if line.secondary_clicked() {
        let step = line.interact_pointer_pos().and_then(marked).map(|(step, _)| *step);
        ui.data_mut(|data| data.insert_temp(named, step));
    }
    let named: Option<u64> = ui.data(|data| data.get_temp(named)).flatten();
    if let Some((step, name)) = named.and_then(|step| marks.get_key_value(&step)) {
        let menu = egui::Popup::context_menu(&line).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        menu.show(|ui| mark(ui, *step, name, wishes));
    }
    let covered = ui.memory(|memory| memory.top_modal_layer().is_some()) || egui::Popup::is_any_open(ui.ctx());
    if let Some(point) = line.hover_pos().filter(|_| !covered) {
        let step = at(point);
        let name = marks.get(&step).map_or_else(String::new, |name| format!("{name} · "));
        let text = format!("{name}step {} · {:.1} s", grouped(step), step as f64 * f64::from(session.scene().dt));
        let painter = ui.ctx().layer_painter(egui::LayerId::new(egui::Order::Tooltip, line.id));
        let text = painter.layout_no_wrap(text, FontId::proportional(11.5), Color32::from_gray(215));
        let half = 0.5 * text.size().x + 6.0;
        let middle = point.x.clamp(place.left() + half, (place.right() - half).max(place.left() + half));
        let around = Rect::from_center_size(pos2(middle, place.top() - 12.0), text.size() + vec2(12.0, 6.0));
        painter.rect_filled(around, 4.0, Color32::from_black_alpha(225));
        painter.galley(Align2::CENTER_CENTER.anchor_size(around.center(), text.size()).min, text, Color32::WHITE);
    }
}

/// Show the menu of a mark: its name, to be edited, and a button that removes it.
fn mark(ui: &mut Ui, step: u64, name: &str, wishes: &mut Vec<Wish>) {
    let mut text = name.to_owned();
    let TextEditOutput { response, mut state, .. } = TextEdit::singleline(&mut text).desired_width(140.0).show(ui);
    let field = response.response.hint("What the mark is called");
    if field.entered() {
        ui.close();
    } else if !ui.ctx().text_edit_focused() {
        field.request_focus();
        // Select the name, so that typing replaces it.
        let all = CCursorRange::two(CCursor::default(), CCursor::new(name.chars().count()));
        state.cursor.set_char_range(Some(all));
        state.store(ui.ctx(), field.id);
    }
    if field.changed() {
        wishes.push(Wish::Mark(step, Some(text)));
    }
    ui.button("Remove the mark").asks_for(wishes, Wish::Mark(step, None));
}

/// A text with the present step, and if `goal`, the step that the run is on its way to.
pub fn step_text(session: &Session, goal: bool) -> String {
    let goal = session.goal().filter(|_| goal).map(|goal| format!(" to {}", grouped(goal)));
    format!("step {}{}", grouped(session.steps()), goal.unwrap_or_default())
}

/// Show that text as a button; after a click on it, another step can be typed.
pub fn step(ui: &mut Ui, session: &Session, goal: bool, wishes: &mut Vec<Wish>) {
    let id = egui::Id::unique("step to go to");
    let Some(mut text) = ui.data(|data| data.get_temp::<String>(id)) else {
        let text = RichText::new(step_text(session, goal));
        let text = if session.goal().is_some() { text.color(ACCENT) } else { text };
        let ((bytes, snapshots), changes) = (session.past().size(), session.past().changes().count());
        let [snapshots, memory] = [snapshots, bytes >> 20].map(|count| grouped(count as u64));
        let hint = format!(
            "Steps since the start; click to go to another one\n{snapshots} snapshots ({memory} MiB) and {changes} \
             changes of values are kept of the run"
        );
        if ui.add(egui::Button::new(text).frame(false)).hint(hint).clicked() {
            ui.data_mut(|data| data.insert_temp(id, String::new()));
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        return;
    };
    ui.label("step");
    let field = TextEdit::singleline(&mut text).id(id).desired_width(64.0).hint_text(session.steps().to_string());
    let field = ui.add(field.font(egui::TextStyle::Monospace)).hint("Enter goes there, Esc stays");
    if !field.lost_focus() {
        ui.data_mut(|data| data.insert_temp(id, text));
        return;
    }
    ui.data_mut(|data| data.remove::<String>(id));
    if ui.input(|input| input.key_pressed(egui::Key::Enter)) {
        wishes.push(match parse_whole(&text, (0, u32::MAX)) {
            Ok(step) => Wish::GoTo(step.into()),
            Err(why) => Wish::Say(format!("No step to go to: {}", why.trim())),
        });
    }
}

/// Does the run repeat its record, and is not on its way to another step?
pub fn repeats(session: &Session) -> bool {
    session.repeats() && session.goal().is_none()
}

/// Show the button that drops the record after the present step, so that the run goes on without it.
pub fn anew(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    let text = RichText::new(ANEW).color(ACCENT);
    let (last, back) = (grouped(session.past().span().1), Action::Back.keys());
    let hint = format!(
        "The run is recorded up to step {last}, and repeats with the recorded changes and pointer. This button forgets \
         the record after the current step, as a change of a value does ({back})"
    );
    ui.add(egui::Button::new(text).small()).hint(hint).asks_for(wishes, Wish::GoOn);
}
