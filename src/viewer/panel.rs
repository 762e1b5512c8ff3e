//! The flock's sliders, made from the registry of behaviors.

use crate::render::CATEGORY;
use crate::scene::{BEHAVIORS, Behavior, BehaviorSpec, Color, Parameter, Range, Scene, Setting, Species, Vehicle};
use egui::{Color32, RichText, Ui};

/// Marks values that differ from the scene's.
const CHANGED: Color32 = Color32::from_rgb(255, 190, 90);
/// Width of the names.
const NAME_WIDTH: f32 = 112.0;

/// One number of the scene.
struct Dial<'a> {
    name: &'a str,
    unit: &'a str,
    summary: &'a str,
    /// The scene's own value.
    original: f32,
    /// Where the slider starts and ends. Numbers beyond may be typed, within `range`.
    span: (f32, f32),
    range: (f32, f32),
}

/// Show the sliders of a scene. Returns the changed scene, if something was changed.
pub fn show(ui: &mut Ui, scene: &Scene, original: &Scene) -> Option<Scene> {
    let mut changed = scene.clone();
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
    (changed != *scene).then_some(changed)
}

fn species(ui: &mut Ui, scene: &mut Scene, index: usize, was: &Species) {
    let field = scene.field.is_some();
    let wrapped = (0..3).filter(|axis| scene.world.boundary[*axis] == crate::scene::Boundary::Wrap);
    let half_axis = wrapped.map(|axis| scene.world.size[axis] * 0.5).fold(f32::INFINITY, f32::min);
    let now = &mut scene.species[index];
    ui.label(RichText::new(format!("{} ({} agents)", now.name, grouped(now.count.into()))).strong());
    let speed = (0.0, 1e6);
    number(ui, &mut now.max_speed, dial("max_speed", "u/s", "never faster than this", was.max_speed, speed));
    number(
        ui,
        &mut now.min_speed,
        Dial {
            span: (0.0, (2.0 * was.min_speed).max(was.max_speed)),
            ..dial("min_speed", "u/s", "never slower than this", was.min_speed, speed)
        },
    );
    let force = "the steering force is never longer than this";
    number(ui, &mut now.max_force, dial("max_force", "kg·u/s²", force, was.max_force, (0.0, 1e9)));
    let time = "time to reach a desired velocity; 0 is update_every time steps";
    number(ui, &mut now.time_constant, dial("time_constant", "s", time, was.time_constant, (0.0, 1e3)));
    legend(ui, now);
    vehicle(ui, &mut now.vehicle, &was.vehicle);
    // The starting speed has to lie between the two; it counts at the next restart.
    if now.min_speed <= now.max_speed {
        now.spawn.speed = was.spawn.speed.clamp(now.min_speed, now.max_speed);
    }
    for (spec, (behavior, was)) in BEHAVIORS.iter().zip(now.behaviors.iter_mut().zip(&was.behaviors)) {
        if spec.name != "flow_field" || field {
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
    let plain = |vehicle: &mut Vehicle| vehicle.numbers().iter().all(|number| *number.value == 0.0);
    if plain(now) && plain(&mut was) {
        return;
    }
    ui.add_space(6.0);
    ui.label(RichText::new("vehicle").strong());
    for (now, was) in now.numbers().into_iter().zip(was.numbers()) {
        number(ui, now.value, dial(now.name, now.unit, now.summary, *was.value, now.range));
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
        // The unit of the default form stands beside the slider, those of the others in the hint.
        let unit = spec.weight_unit.split(';').next().unwrap_or_default();
        let summary = match spec.weight_unit {
            "" => "factor of its acceleration in the weighted sum".to_owned(),
            units => format!("factor of its acceleration in the weighted sum, {units}"),
        };
        let weight = if was.weight == 0.0 { spec.default_weight } else { was.weight };
        number(
            ui,
            &mut now.weight,
            Dial {
                span: (weight.min(0.0) * 4.0, weight.max(0.0) * 4.0),
                ..dial("weight", unit, &summary, was.weight, (-1e6, 1e6))
            },
        );
        for (parameter, (value, was)) in spec.parameters.iter().zip(now.parameters.iter_mut().zip(&was.parameters)) {
            if let (Setting::Number(value), Setting::Number(was)) = (value, *was) {
                show_parameter(ui, parameter, value, was, half_axis);
            }
        }
    }
}

fn show_parameter(ui: &mut Ui, parameter: &Parameter, value: &mut f32, was: f32, half_axis: f32) {
    let Parameter { name, unit, range, default, summary, .. } = parameter;
    match *range {
        Range::Choice(words) => {
            ui.horizontal(|ui| {
                if show_name(ui, name, summary, *value != was) {
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
                    egui::ComboBox::from_id_salt(*name).selected_text(chosen).show_ui(ui, choices);
                } else {
                    choices(ui);
                }
            });
        }
        Range::Whole { min, max } => {
            let mut whole = *value as u32;
            ui.horizontal(|ui| {
                if show_name(ui, name, summary, *value != was) {
                    whole = was as u32;
                }
                ui.add(egui::Slider::new(&mut whole, min..=max));
            });
            *value = whole as f32;
        }
        // Targets and places are changed in the scene.
        Range::Vector { .. } | Range::Target | Range::Species | Range::Path => {}
        Range::Number { min, max } => {
            let base = if was > 0.0 { was } else { default.max(1.0) };
            let end = match *unit {
                "deg" => max,
                // The number of neighbors grows with the square or the cube of the radius.
                "u" => (2.0 * base).min(half_axis),
                _ => 4.0 * base,
            };
            number(ui, value, Dial { span: (min, end.min(max)), ..dial(name, unit, summary, was, (min, max)) });
        }
    }
}

/// A dial whose slider reaches to four times the scene's value.
fn dial<'a>(name: &'a str, unit: &'a str, summary: &'a str, original: f32, range: (f32, f32)) -> Dial<'a> {
    let end = if original > 0.0 { 4.0 * original } else { 1.0 };
    Dial { name, unit, summary, original, span: (range.0.max(0.0), end.min(range.1)), range }
}

fn number(ui: &mut Ui, value: &mut f32, dial: Dial<'_>) {
    ui.horizontal(|ui| {
        let mut reset = show_name(ui, dial.name, dial.summary, *value != dial.original);
        let mut shown = *value;
        let suffix = if dial.unit.is_empty() { String::new() } else { format!(" {}", dial.unit) };
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
            *value = shown.clamp(dial.range.0, dial.range.1);
        }
        if reset {
            *value = dial.original;
        }
    });
}

/// The name of a value, marked where it was changed. Says whether it is to be reset.
fn show_name(ui: &mut Ui, name: &str, summary: &str, changed: bool) -> bool {
    let text = RichText::new(if changed { format!("• {name}") } else { name.to_owned() });
    let text = if changed { text.color(CHANGED) } else { text };
    let label = egui::Label::new(text).sense(egui::Sense::click()).truncate();
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let size = egui::vec2(NAME_WIDTH, ui.spacing().interact_size.y);
    let response = ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_width(NAME_WIDTH);
        ui.add(label)
    });
    let hint = if changed { "\nRight-click or double-click: back to the scene's value" } else { "" };
    let response = response.inner.on_hover_text(format!("{summary}{hint}"));
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
