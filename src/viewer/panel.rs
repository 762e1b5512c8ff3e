//! The flock's sliders, made from the registry of behaviors.

use crate::render::CATEGORY;
use crate::scene::{
    Behavior, BehaviorSpec, Color, Draft, Key, Range, Scene, Setting, Species, Table, Vehicle, behavior_keys,
};
use egui::{Color32, RichText, Ui};

/// Marks values that differ from the scene's.
const CHANGED: Color32 = Color32::from_rgb(255, 190, 90);
/// Width of the names.
const NAME_WIDTH: f32 = 112.0;

/// One number of the scene.
struct Dial {
    key: Key,
    /// The scene's own value.
    original: f32,
    /// Where the slider starts and ends. Numbers beyond may be typed, within the range of the key.
    span: (f32, f32),
}

/// Show the sliders of a scene. Returns what it becomes, if something was changed.
pub fn show(ui: &mut Ui, scene: &Scene, original: &Scene) -> Option<Draft> {
    let mut changed = scene.draft();
    ui.horizontal(|ui| {
        ui.heading(&scene.name);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let differs = scene.species != original.species;
            if ui.add_enabled(differs, egui::Button::new("Reset all")).clicked() {
                changed.species.clone_from(&original.species);
            }
        });
    });
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        if !scene.shows.is_empty() {
            ui.label(RichText::new(&scene.shows).weak().small());
        }
        for (index, was) in original.species.iter().enumerate() {
            ui.separator();
            ui.push_id(index, |ui| species(ui, &mut changed, index, was));
        }
    });
    (changed != **scene).then_some(changed)
}

fn species(ui: &mut Ui, scene: &mut Draft, index: usize, was: &Species) {
    let field = scene.field.is_some();
    let wrapped = (0..3).filter(|axis| scene.world.boundary[*axis] == crate::scene::Boundary::Wrap);
    let half_axis = wrapped.map(|axis| scene.world.size[axis] * 0.5).fold(f32::INFINITY, f32::min);
    let now = &mut scene.species[index];
    ui.label(RichText::new(format!("{} ({} agents)", now.name, grouped(now.count.into()))).strong());
    let mut original = was.clone();
    for ((key, value), (_, was_value)) in Table::numbers(now).into_iter().zip(Table::numbers(&mut original)) {
        let span = match key.name {
            "max_speed" | "max_force" | "time_constant" => dial(key, *was_value).span,
            "min_speed" => (0.0, (2.0 * was.min_speed).max(was.max_speed)),
            _ => continue,
        };
        number(ui, value, Dial { span, ..dial(key, *was_value) });
    }
    legend(ui, now);
    vehicle(ui, &mut now.vehicle, &was.vehicle);
    // A starting speed of its own has to lie between the two; it counts at the next restart.
    if now.min_speed <= now.max_speed {
        now.spawn.speed = was.spawn.speed.map(|speed| speed.clamp(now.min_speed, now.max_speed));
    }
    for (behavior, was) in now.behaviors.iter_mut().zip(&was.behaviors) {
        let spec = behavior.spec;
        if !spec.mentions("field") || field {
            ui.push_id(spec.name, |ui| show_behavior(ui, spec, behavior, was, half_axis));
        }
    }
}

/// What the colors of action states mean.
fn legend(ui: &mut Ui, species: &Species) {
    if species.color == Color::State && !species.rules.is_empty() {
        ui.horizontal_wrapped(|ui| {
            for (name, [r, g, b]) in species.states.iter().zip(CATEGORY.into_iter().cycle()) {
                ui.label(RichText::new(format!("⏺ {name}")).small().color(Color32::from_rgb(r, g, b)));
            }
        });
    }
}

/// The numbers of a vehicle that is more than a point mass.
fn vehicle(ui: &mut Ui, now: &mut Vehicle, was: &Vehicle) {
    let mut was = *was;
    let plain = |vehicle: &mut Vehicle| vehicle.numbers().iter().all(|(_, value)| **value == 0.0);
    if plain(now) && plain(&mut was) {
        return;
    }
    ui.add_space(6.0);
    ui.label(RichText::new("vehicle").strong());
    for ((key, value), (_, was)) in now.numbers().into_iter().zip(was.numbers()) {
        number(ui, value, dial(key, *was));
    }
}

fn show_behavior(ui: &mut Ui, spec: &BehaviorSpec, now: &mut Behavior, was: &Behavior, half_axis: f32) {
    ui.add_space(if now.enabled { 6.0 } else { 0.0 });
    let title = RichText::new(spec.name).strong();
    let title = if now.enabled == was.enabled { title } else { title.color(CHANGED) };
    let response = ui.checkbox(&mut now.enabled, title).on_hover_text(spec.summary);
    if response.secondary_clicked() {
        now.enabled = was.enabled;
    }
    // With every behavior's sliders at hand, those that count would be hard to find.
    if now.enabled {
        let keys = behavior_keys(spec);
        let (common, own) = keys.split_at(keys.len() - spec.parameters.len());
        if let Some(key) = common.iter().find(|key| key.name == "weight") {
            let weight = if was.weight == 0.0 { spec.default_weight } else { was.weight };
            let span = (weight.min(0.0) * 4.0, weight.max(0.0) * 4.0);
            number(ui, &mut now.weight, Dial { span, ..dial(*key, was.weight) });
        }
        let defaults = spec.parameters.iter().map(|parameter| parameter.default);
        for ((key, default), (value, was)) in
            own.iter().zip(defaults).zip(now.parameters.iter_mut().zip(&was.parameters))
        {
            if let (Setting::Number(value), Setting::Number(was)) = (value, *was) {
                show_parameter(ui, *key, default, value, was, half_axis);
            }
        }
    }
}

fn show_parameter(ui: &mut Ui, key: Key, default: f32, value: &mut f32, was: f32, half_axis: f32) {
    match key.range {
        Range::Choice(words) => {
            ui.horizontal(|ui| {
                if show_name(ui, &key, *value != was) {
                    *value = was;
                }
                let chosen = words[(*value as usize).min(words.len() - 1)];
                let mut choices = |ui: &mut Ui| {
                    for (index, word) in words.iter().enumerate() {
                        ui.selectable_value(value, index as f32, *word);
                    }
                };
                // Many words side by side would take the room of the picture.
                if words.len() > 3 {
                    egui::ComboBox::from_id_salt(key.name).selected_text(chosen).show_ui(ui, choices);
                } else {
                    choices(ui);
                }
            });
        }
        Range::Whole { min, max } => {
            let mut whole = *value as u32;
            ui.horizontal(|ui| {
                if show_name(ui, &key, *value != was) {
                    whole = was as u32;
                }
                ui.add(egui::Slider::new(&mut whole, min..=max));
            });
            *value = whole as f32;
        }
        Range::Number { min, max } => {
            let base = if was > 0.0 { was } else { default.max(1.0) };
            let end = match key.unit {
                "deg" => max,
                // The number of neighbors grows with the square or the cube of the radius.
                "u" => (2.0 * base).min(half_axis),
                _ => 4.0 * base,
            };
            number(ui, value, Dial { span: (min, end.min(max)), ..dial(key, was) });
        }
        // Targets and places are changed in the scene.
        _ => {}
    }
}

/// A dial whose slider reaches to four times the scene's value.
fn dial(key: Key, original: f32) -> Dial {
    let (min, max) = key.bounds().unwrap_or((0.0, f32::MAX));
    let end = if original > 0.0 { 4.0 * original } else { 1.0 };
    Dial { key, original, span: (min.max(0.0), end.min(max)) }
}

fn number(ui: &mut Ui, value: &mut f32, dial: Dial) {
    ui.horizontal(|ui| {
        let mut reset = show_name(ui, &dial.key, *value != dial.original);
        let mut shown = *value;
        // The unit of the default form stands beside the slider, those of the others in the hint.
        let unit = dial.key.unit.split(';').next().unwrap_or_default();
        let suffix = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let slider = egui::Slider::new(&mut shown, dial.span.0..=dial.span.1)
            .clamping(egui::SliderClamping::Never)
            .max_decimals(3)
            .update_while_editing(false)
            .suffix(suffix);
        let response = ui.add(slider);
        // A slider takes any button for dragging, and knows no clicks.
        let secondary = egui::PointerButton::Secondary;
        let pressed =
            ui.input(|input| input.pointer.button_down(secondary) || input.pointer.button_released(secondary));
        reset |= pressed && response.contains_pointer();
        if response.changed() && shown.is_finite() {
            let (min, max) = dial.key.bounds().unwrap_or((f32::MIN, f32::MAX));
            *value = shown.clamp(min, max);
        }
        if reset {
            *value = dial.original;
        }
    });
}

/// The name of a value, marked where it was changed. Says whether it is to be reset.
fn show_name(ui: &mut Ui, key: &Key, changed: bool) -> bool {
    let name = key.name;
    let text = RichText::new(if changed { format!("• {name}") } else { name.to_owned() });
    let text = if changed { text.color(CHANGED) } else { text };
    let label = egui::Label::new(text).sense(egui::Sense::click()).truncate();
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let size = egui::vec2(NAME_WIDTH, ui.spacing().interact_size.y);
    let response = ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_width(NAME_WIDTH);
        ui.add(label)
    });
    let units = if key.unit.contains(';') { format!(", {}", key.unit) } else { String::new() };
    let hint = if changed { "\nRight-click or double-click: back to the scene's value" } else { "" };
    let response = response.inner.on_hover_text(format!("{}{units}{hint}", key.summary()));
    changed && (response.secondary_clicked() || response.double_clicked())
}

/// A whole number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_048_576), "1,048,576");
    }
}
