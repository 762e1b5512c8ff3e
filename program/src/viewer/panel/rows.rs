//! The rows of the panel: a name with widgets beside it, in columns; and Tab, which goes from number to number.

use super::super::format::{boxed, parse_number, parse_whole, parts_thousands, readable, short};
use super::super::gui::{ACCENT, Hint};
use super::Edit;
use egui::emath::Numeric;
use egui::{Align, Layout, Response, RichText, Sense, TextEdit, Ui, vec2};
use std::cell::Cell;
use steerling::scene::{Key, Range};

/// Widths within a row, points: the name, which is narrower in a narrow window and may wrap; the slider; the number; the unit.
pub const NAME_WIDTH: f32 = 122.0;
const LEAST_NAME_WIDTH: f32 = 60.0;
const SLIDER_WIDTH: f32 = 80.0;
const NUMBER_WIDTH: f32 = 54.0;
const UNIT_WIDTH: f32 = 48.0;
/// Greatest and least width of a list of words, points.
const CHOICE_WIDTH: f32 = 150.0;
const LEAST_CHOICE_WIDTH: f32 = 40.0;
/// Characters of a number, padded on the left so that digits are aligned.
const FIGURES: usize = 6;

/// The hint of the key at a dotted path: its summary, the path, and its units if there are several.
pub fn hint(key: &Key, path: &str) -> String {
    let units = if key.unit.contains(';') { format!("\nUnit: {}", key.unit) } else { String::new() };
    let mut letters = key.summary();
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{letters}{units}\nKey: {path}")
}

/// Show a name with widgets beside it, marked if its value was changed. Returns whether the value is to be reset.
pub fn row(ui: &mut Ui, name: &str, hint: &str, changed: bool, show: impl FnOnce(&mut Ui)) -> bool {
    ui.horizontal(|ui| {
        let reset = marked(ui, name, hint, changed);
        show(ui);
        reset
    })
    .inner
}

/// Show a name, marked if its value was changed. Returns whether the value is to be reset.
fn marked(ui: &mut Ui, name: &str, hint: &str, changed: bool) -> bool {
    if !changed {
        show_name(ui, RichText::new(name), hint);
        return false;
    }
    let hint = format!("{hint}\nRight-click or double-click: back to the scene's value");
    let response = show_name(ui, RichText::new(format!("• {name}")).color(ACCENT), &hint);
    response.secondary_clicked() || response.double_clicked()
}

fn show_name(ui: &mut Ui, text: RichText, hint: &str) -> egui::Response {
    // It takes no focus: Tab goes from number to number.
    let label = egui::Label::new(text).sense(Sense::CLICK).selectable(false).wrap();
    let others = SLIDER_WIDTH + NUMBER_WIDTH + UNIT_WIDTH + 3.0 * ui.spacing().item_spacing.x;
    let width = (ui.available_width() - others).clamp(LEAST_NAME_WIDTH, NAME_WIDTH);
    let size = vec2(width, ui.spacing().interact_size.y);
    let inner = ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_width(width);
        ui.add(label)
    });
    inner.inner.hint(hint)
}

/// Show a word that opens a list of words; `beside` points are left for another widget. A word that is too long is truncated.
pub fn list_beside(ui: &mut Ui, name: &str, chosen: &str, hint: &str, beside: f32, entries: impl FnOnce(&mut Ui)) {
    let width = (ui.available_width() - beside).clamp(LEAST_CHOICE_WIDTH, CHOICE_WIDTH);
    let size = vec2(width, ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        let list = egui::ComboBox::from_id_salt(name).width(width).truncate().selected_text(readable(chosen));
        list.show_ui(ui, entries).response.hint(hint);
    });
}

/// Show a row with a list to choose one of several values from, by their words. Returns whether the value is to be reset.
pub fn one_of<T: Copy + PartialEq>(
    ui: &mut Ui,
    (name, hint, changed): (&str, &str, bool),
    now: &mut T,
    all: impl IntoIterator<Item = T>,
    word: impl Fn(T) -> String,
) -> bool {
    row(ui, name, hint, changed, |ui| {
        list_beside(ui, name, &word(*now), hint, 0.0, |ui| {
            all.into_iter().for_each(|value| drop(ui.selectable_value(now, value, readable(&word(value)))));
        });
    })
}

/// Show the row of a parameter whose value is one of several words.
pub fn choice(ui: &mut Ui, edit: &mut Edit, path: &str) {
    let Some((key, Range::Choice(words), now)) = edit.draft.number_at(path).map(|(key, now)| (key, key.range, *now))
    else {
        return;
    };
    if !edit.shows(path) {
        return;
    }
    let mut chosen = now;
    let changed = edit.original_number(path) != Some(now);
    let all = (0..words.len()).map(|index| index as f32);
    let word = |index: f32| words[(index as usize).min(words.len() - 1)].to_owned();
    let reset = one_of(ui, (&readable(key.name), &hint(&key, path), changed), &mut chosen, all, word);
    edit.finish(ui, path, chosen, reset);
}

/// Show a field whose text is taken over when Enter is pressed or something else is clicked; Esc discards it. `None` unless a changed text
/// is taken over now.
pub fn typed<T>(
    ui: &mut Ui,
    name: &str,
    shown: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<Result<T, String>> {
    let id = ui.scope_id().with(name);
    let mut text = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| shown.to_owned());
    let field =
        TextEdit::singleline(&mut text).id(id).desired_width(NUMBER_WIDTH * 1.8).align(egui::Align2::RIGHT_CENTER);
    takes_turn(ui, id);
    let response = ui.add(field.font(egui::TextStyle::Monospace)).hint("Enter sets the value");
    gives_turn(ui, &response);
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, text));
        return None;
    }
    ui.data_mut(|data| data.remove::<String>(id));
    let given_up = ui.input(|input| input.key_pressed(egui::Key::Escape));
    (response.lost_focus() && !given_up && text != shown).then(|| parse(&text))
}

/// The default lower and upper end of a slider: up to four times the original value, within the range of the key.
pub fn reach(key: &Key, original: f32) -> (f32, f32) {
    let (min, max) = bounds(key);
    let end = if original > 0.0 { 4.0 * original } else { 1.0 };
    (min.max(0.0), end.min(max))
}

/// The least and the greatest number that may be typed.
pub fn bounds(key: &Key) -> (f32, f32) {
    match key.range {
        Range::Whole { min, max } => (min as f32, max as f32),
        _ => key.bounds().unwrap_or((f32::MIN, f32::MAX)),
    }
}

/// A field for a number, beside the number itself.
pub struct NumberField<'a> {
    /// Its name in refusals.
    pub name: &'a str,
    /// The least and the greatest number that may be typed.
    pub bounds: (f32, f32),
    pub whole: bool,
    /// How far a drag by a point changes it.
    pub speed: f64,
    pub unit: &'a str,
    /// Does it stand in the column of numbers, with the unit in the next column?
    pub in_column: bool,
}

/// Show a number that is dragged, or clicked and typed as [`parse_number`] reads it. If the text is refused, `refused` says why.
pub fn number<N: Numeric>(ui: &mut Ui, now: &mut N, field: &NumberField, refused: &mut Option<String>) -> Response {
    let NumberField { name, bounds: (min, max), whole, speed, unit, in_column } = *field;
    let (before, why) = (now.to_f64(), Cell::new(None));
    let text_of = |number: f64| if whole { number.to_string() } else { boxed(number) };
    let parse = |text: &str| {
        // The text may have fewer digits than the number: an unchanged text keeps the number.
        if text.trim() == text_of(before) {
            return Some(before);
        }
        let number = match whole {
            true => parse_whole(text, (min as u32, max as u32)).map(f64::from),
            false => parse_number(text).and_then(|number| within(number, (min, max), text, unit)),
        };
        number.map_err(|error| why.set(Some(format!("{name} was not changed: {}", error.trim())))).ok()
    };
    let (digits, wide) = if in_column { (FIGURES, NUMBER_WIDTH) } else { (0, 0.0) };
    let suffix = if in_column || unit.is_empty() { String::new() } else { format!(" {unit}") };
    let drag = egui::DragValue::new(now)
        .range(min..=max)
        .clamp_existing_to_range(false)
        .speed(speed)
        .max_decimals_opt(whole.then_some(0))
        .suffix(suffix)
        .min_size(vec2(wide, ui.spacing().interact_size.y))
        .update_while_editing(false)
        .custom_formatter(|number, _| format!("{:>digits$}", text_of(number)))
        .custom_parser(parse);
    let response = ui.add(drag);
    *refused = why.take().or(refused.take());
    response
}

/// Show the row of the number at a dotted path: name, slider, number and unit, each in a column of its own, and warnings below. `span` is
/// the lower and the upper end of the slider; numbers beyond may be typed, within the range of the key.
pub fn slider(ui: &mut Ui, edit: &mut Edit, path: &str, span: Option<(f32, f32)>) {
    let Some((key, now)) = edit.draft.number_at(path).map(|(key, now)| (key, *now)) else { return };
    if !edit.shows(path) {
        return;
    }
    let original = edit.original_number(path);
    let span = span.unwrap_or_else(|| reach(&key, original.unwrap_or(now)));
    let whole = matches!(key.range, Range::Whole { .. });
    let (min, max) = bounds(&key);
    let (mut shown, mut refused) = (now, None);
    let row = ui.horizontal(|ui| {
        let mut reset = marked(ui, &readable(key.name), &hint(&key, path), original != Some(now));
        ui.spacing_mut().slider_width = SLIDER_WIDTH;
        let rail = egui::Slider::new(&mut shown, span.0..=span.1)
            .clamping(egui::SliderClamping::Never)
            .step_by(if whole { 1.0 } else { 0.0 })
            .show_value(false);
        let response = ui.add(rail);
        // A slider reports drags of any button and no clicks, so ask the input for a right click.
        let secondary = egui::PointerButton::Secondary;
        let pressed =
            ui.input(|input| input.pointer.button_down(secondary) || input.pointer.button_released(secondary));
        reset |= pressed && response.contains_pointer();
        let mut changed = response.changed();
        let mut held = response.dragged();
        response.late_hint("Drag; right-click: back to the scene's value");

        // If the unit depends on the form, show that of the default form; the hint has all.
        let unit = key.unit.split(';').next().unwrap_or_default();
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let size = vec2(UNIT_WIDTH, ui.spacing().interact_size.y);
            ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
                ui.set_min_width(UNIT_WIDTH);
                ui.label(RichText::new(unit).weak().small());
            });
            let speed = f64::from((span.1 - span.0).abs().max(1e-3)) / 200.0;
            let name = &readable(key.name);
            let field = NumberField { name, bounds: (min, max), whole, speed, unit, in_column: true };
            let id = ui.next_auto_id();
            takes_turn(ui, id);
            let field = number(ui, &mut shown, &field, &mut refused);
            gives_turn(ui, &field);
            changed |= field.changed();
            held |= field.dragged();
            field
                .late_hint("Click to type a number, drag to change it\n1.5 or 1,5 is one and a half, 1,000 a thousand");
        });
        (changed, reset, held)
    });
    let (changed, reset, held) = row.inner;
    if held || ui.rect_contains_pointer(row.response.rect) && !ui.input(|input| input.pointer.any_down()) {
        edit.touched = Some(path.to_owned());
    }
    edit.refused = refused.or(edit.refused.take());
    let changed = changed && shown.is_finite();
    edit.finish(ui, path, if changed { shown.clamp(min, max) } else { now }, reset);
}

/// Check that a typed number is within the bounds of its key.
fn within(number: f64, (min, max): (f32, f32), text: &str, unit: &str) -> Result<f64, String> {
    if (f64::from(min)..=f64::from(max)).contains(&number) {
        return Ok(number);
    }
    let (min, max) = (short(min.into()), short(max.into()));
    // The user may have meant a decimal comma.
    let thousand = if parts_thousands(text) { "; a comma before three digits parts thousands" } else { "" };
    Err(format!("must be between {min} and {max} {unit}").trim_end().to_owned() + thousand)
}

/// Which number gets the focus after Tab. Sliders are skipped, because digits typed there would be keys of the camera.
#[derive(Clone, Copy)]
enum Turn {
    Next,
    To(egui::Id),
}

/// Keys of the toolkit's memory: the [`Turn`], and the id of the number that was shown last.
const TURN: &str = "turn of numbers";
const BEFORE: &str = "number before";

/// Call before a number is shown: it requests the focus if it is its turn.
fn takes_turn(ui: &Ui, id: egui::Id) {
    let mine = match ui.data(|data| data.get_temp(egui::Id::unique(TURN))) {
        Some(Turn::Next) => true,
        Some(Turn::To(to)) => to == id,
        None => false,
    };
    if mine {
        ui.data_mut(|data| data.remove::<Turn>(egui::Id::unique(TURN)));
        ui.memory_mut(|memory| memory.request_focus(id));
    }
}

/// Call after a number was shown: if Tab or Shift+Tab leaves it, set the turn to the next or the previous number.
fn gives_turn(ui: &Ui, number: &egui::Response) {
    let before = ui.data_mut(|data| {
        let last = data.get_temp::<egui::Id>(egui::Id::unique(BEFORE));
        data.insert_temp(egui::Id::unique(BEFORE), number.id);
        last
    });
    let tab = |event: &egui::Event| match event {
        egui::Event::Key { key: egui::Key::Tab, pressed: true, modifiers, .. } => Some(modifiers.shift),
        _ => None,
    };
    let turn = match ui.input(|input| input.events.iter().find_map(tab)) {
        Some(false) if number.lost_focus() => Some(Turn::Next),
        // Going back, the previous number was already shown, so it gets the focus in the next frame.
        Some(true) if number.has_focus() => before.map(Turn::To),
        _ => None,
    };
    if let Some(turn) = turn {
        ui.data_mut(|data| data.insert_temp(egui::Id::unique(TURN), turn));
        ui.ctx().request_repaint();
    }
}

/// Call after the last number: Tab beyond it behaves as everywhere else.
pub fn end_turns(ui: &Ui) {
    ui.data_mut(|data| {
        data.remove::<egui::Id>(egui::Id::unique(BEFORE));
        if matches!(data.get_temp(egui::Id::unique(TURN)), Some(Turn::Next)) {
            data.remove::<Turn>(egui::Id::unique(TURN));
        }
    });
}
