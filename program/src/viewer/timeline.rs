//! The run as a line, below the picture: what is known of it, where it is now, and the way to another step.

use super::actions::Action;
use super::dialogs::Wish;
use super::format::{grouped, whole};
use super::gui::Hint;
use super::session::Session;
use egui::{Align2, Color32, FontId, Rect, RichText, Sense, Ui, pos2, vec2};

/// Height of the line, points.
const HEIGHT: f32 = 14.0;
/// Steps that it has room for at least: at first not every step moves what is there.
const LEAST: u64 = 100;
const RAIL: Color32 = Color32::from_gray(60);
const GONE: Color32 = Color32::from_rgb(93, 173, 226);
/// Of steps at which values were changed, as of the changed values in the panel.
const CHANGED: Color32 = Color32::from_rgb(255, 190, 90);

/// Show it. Adds the step that was chosen.
pub fn timeline(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    let (first, last) = session.past().span();
    let (now, goal) = (session.steps(), session.goal());
    let (place, line) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::CLICK | Sense::DRAG);
    let rail = Rect::from_center_size(place.center(), vec2(place.width() - 12.0, 4.0));
    let span = (last - first).max(LEAST) as f32;
    let x = |step: u64| rail.left() + rail.width() * (step.saturating_sub(first) as f32 / span).min(1.0);
    let part = |from: f32, to: f32| Rect::from_min_max(pos2(from, rail.top()), pos2(to, rail.bottom()));
    let painter = ui.painter();
    painter.rect_filled(rail, 2.0, Color32::from_gray(36));
    painter.rect_filled(part(rail.left(), x(last)), 2.0, RAIL);
    painter.rect_filled(part(rail.left(), x(now)), 2.0, GONE);
    for step in session.past().changes() {
        painter.circle_filled(pos2(x(step), rail.center().y), 2.5, CHANGED);
    }
    painter.circle_filled(pos2(x(now), rail.center().y), 5.0, Color32::from_gray(225));
    if let Some(goal) = goal {
        painter.circle_stroke(pos2(x(goal), rail.center().y), 5.0, (1.5, CHANGED));
    }
    let name = format!("Timeline, step {}", grouped(now));
    line.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, &name));
    let at = |point: egui::Pos2| {
        let share = ((point.x - rail.left()) / rail.width()).clamp(0.0, 1.0);
        (first + (share * span).round() as u64).min(last)
    };
    if let Some(point) = line.interact_pointer_pos().filter(|_| line.dragged() || line.clicked()) {
        let step = at(point);
        if goal.unwrap_or(now) != step {
            wishes.push(Wish::GoTo(step));
        }
    }
    if let Some(point) = line.hover_pos().filter(|_| ui.memory(|memory| memory.top_modal_layer().is_none())) {
        let step = at(point);
        let text = format!("step {} · {:.1} s", grouped(step), step as f64 * f64::from(session.scene().dt));
        let painter = ui.ctx().layer_painter(egui::LayerId::new(egui::Order::Tooltip, line.id));
        let text = painter.layout_no_wrap(text, FontId::proportional(11.5), Color32::from_gray(215));
        let half = 0.5 * text.size().x + 6.0;
        let middle = point.x.clamp(place.left() + half, (place.right() - half).max(place.left() + half));
        let around = Rect::from_center_size(pos2(middle, place.top() - 12.0), text.size() + vec2(12.0, 6.0));
        painter.rect_filled(around, 4.0, Color32::from_black_alpha(225));
        painter.galley(Align2::CENTER_CENTER.anchor_size(around.center(), text.size()).min, text, Color32::WHITE);
    }
}

/// The step that the run is at; a click lets another one be typed.
pub fn step(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    let id = egui::Id::unique("step to go to");
    let Some(mut text) = ui.data(|data| data.get_temp::<String>(id)) else {
        let text = match session.goal() {
            Some(goal) => {
                RichText::new(format!("step {} to {}", grouped(session.steps()), grouped(goal))).color(CHANGED)
            }
            None => RichText::new(format!("step {}", grouped(session.steps()))),
        };
        let (snapshots, of) = (session.past().size(), session.past().changes().count());
        let hint = format!(
            "Steps since the start; click to go to another one\n{} snapshots ({} MiB), {of} changes of values are known of the run",
            grouped(snapshots.1 as u64),
            grouped((snapshots.0 >> 20) as u64)
        );
        if ui.add(egui::Button::new(text).frame(false)).hint(hint).clicked() {
            ui.data_mut(|data| data.insert_temp(id, String::new()));
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        return;
    };
    ui.label("step");
    let field = egui::TextEdit::singleline(&mut text).id(id).desired_width(80.0).hint_text(session.steps().to_string());
    let field = ui.add(field.font(egui::TextStyle::Monospace)).hint("Enter goes there, Esc stays");
    if !field.lost_focus() {
        ui.data_mut(|data| data.insert_temp(id, text));
        return;
    }
    ui.data_mut(|data| data.remove::<String>(id));
    if ui.input(|input| input.key_pressed(egui::Key::Enter)) {
        wishes.push(match whole(&text, (0, u32::MAX)) {
            Ok(step) => Wish::GoTo(step.into()),
            Err(why) => Wish::Say(format!("No step to go to: {}", why.trim())),
        });
    }
}

/// Where the run repeats what is known of it: a button that lets it go on otherwise.
pub fn anew(ui: &mut Ui, session: &Session, wishes: &mut Vec<Wish>) {
    if session.repeats() && session.goal().is_none() {
        let text = RichText::new("Go on from here").color(CHANGED);
        let hint = format!(
            "The run is known up to step {} and repeats, with the changes and the pointer of then. This forgets what is behind here; a change of a value does too ({})",
            grouped(session.past().span().1),
            Action::Back.keys()
        );
        if ui.add(egui::Button::new(text).small()).hint(hint).clicked() {
            wishes.push(Wish::GoOn);
        }
    }
}
