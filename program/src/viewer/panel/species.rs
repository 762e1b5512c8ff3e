//! The part of the panel about one species: tabs to choose it, its legend, count, color and body, and changed values without a row.

use super::super::format::{drawable, grouped, parse_whole, readable};
use super::super::gui::{ACCENT, Hint};
use super::behaviors::{add, behaviors};
use super::legend::legend;
use super::rows::{NAME_WIDTH, one_of, reach, row, slider, typed};
use super::rules::rules;
use super::{Changes, Edit, Found, MOST_TABS, Rewriting};
use egui::text::LayoutJob;
use egui::{Align, Color32, RichText, TextEdit, Ui};
use steerling::render::{self, Backdrop};
use steerling::scene::{self, Body, Key, MAX_AGENTS, Scene, Species, Vehicle};

/// The numbers of a body that have sliders. Other numbers of a species have none, because they are rarely changed.
const BODY: [&str; 5] = ["max_speed", "min_speed", "max_force", "time_constant", "radius"];

/// Show tabs, or a list, to choose the species whose rows are shown.
pub fn tabs(ui: &mut Ui, scene: &Scene, shown: &mut usize, changes: &Changes) {
    let all = &scene.species;
    *shown = (*shown).min(all.len().saturating_sub(1));
    let colors = render::fixed_colors(scene);
    let label = |ui: &Ui, index: usize| tab(ui, scene, index, colors[index], changes.within(index).next().is_some());
    match all.len() {
        0 => {}
        1 => drop(ui.label(label(ui, 0))),
        few if few <= MOST_TABS => {
            ui.horizontal_wrapped(|ui| {
                for index in 0..few {
                    let label = label(ui, index);
                    let hint = "Show the sliders of this species. A dot: some values differ from the scene";
                    ui.selectable_value(shown, index, label).hint(hint);
                }
            });
        }
        many => {
            let chosen = label(ui, *shown);
            let list = egui::ComboBox::from_id_salt("species").width(220.0).selected_text(chosen);
            let list = list.show_ui(ui, |ui| {
                for index in 0..many {
                    let label = label(ui, index);
                    ui.selectable_value(shown, index, label);
                }
            });
            list.response.hint("The species whose sliders are shown");
        }
    }
}

/// The label of a species: name and number of agents, marked if any value was changed. In front, a dot in the color of its agents, if they
/// have a single one.
fn tab(ui: &Ui, scene: &Scene, index: usize, color: Option<[f32; 3]>, changed: bool) -> LayoutJob {
    let species = &scene.species[index];
    let mut job = LayoutJob::default();
    let mut add = |text: RichText| text.append_to(&mut job, ui.style(), egui::FontSelection::Default, Align::Center);
    if let Some([red, green, blue]) = color {
        // The dot stands on the look's sky, so that its color looks as in the picture. Some skies are as dark as the panel.
        let [sky_red, sky_green, sky_blue] = Backdrop::of(scene.look.name).sky[2].1;
        let dot = RichText::new("⏺").color(Color32::from(egui::Rgba::from_rgb(red, green, blue)));
        add(dot.background_color(Color32::from_rgb(sky_red, sky_green, sky_blue)));
        add(RichText::new(" "));
    }
    let name = format!("{} ({})", readable(&species.name), grouped(species.count.into()));
    add(if changed { RichText::new(format!("• {name}")).color(ACCENT) } else { RichText::new(name) });
    job
}

/// Show the field that searches rows, and the check box for changed rows only; then the button that shows all rows again, or if all are
/// shown, the one that folds or unfolds all behaviors.
pub fn find(ui: &mut Ui, edit: &mut Edit, species: usize) {
    let prefix = format!("species.{species}.behaviors.");
    let found = &mut edit.found;
    ui.horizontal(|ui| {
        let field = TextEdit::singleline(&mut found.words).hint_text("Find a value").desired_width(NAME_WIDTH);
        ui.add(field).hint("Show only rows below that contain this text: a behavior, or a part of a key");
        ui.checkbox(&mut found.changed, "Changed").hint("Only what differs from the scene");
        if !found.is_all() {
            if ui.small_button("All").hint("Show all rows again").clicked() {
                *found = Found { folded: std::mem::take(&mut found.folded), ..Found::default() };
            }
        } else if found.folded.iter().any(|path| path.starts_with(&prefix)) {
            if ui.small_button("Unfold").hint("Show the values of all behaviors").clicked() {
                found.folded.retain(|path| !path.starts_with(&prefix));
            }
        } else if ui.small_button("Fold").hint("Show the names of behaviors alone").clicked()
            && let Some(species) = edit.draft.species.get(species)
        {
            found.folded.extend(species.behaviors.iter().map(|behavior| format!("{prefix}{}", behavior.spec.name)));
        }
    });
}

/// Show the rows of a species, which must exist in the original scene, too.
pub fn species(ui: &mut Ui, edit: &mut Edit, index: usize, search: &mut String) {
    let (Some(now), Some(was)) = (edit.about.scene.species.get(index), edit.about.original.species.get(index)) else {
        return;
    };
    legend(ui, edit.about.scene, now);
    let path = format!("species.{index}.");
    number(ui, edit, index, was.count);
    color(ui, edit, index, was.color);
    for name in BODY {
        let span = (name == "min_speed").then_some((0.0, (2.0 * was.min_speed).max(was.max_speed)));
        slider(ui, edit, &format!("{path}{name}"), span);
    }
    name(ui, edit, index, was);
    body(ui, edit, index, was.body);
    vehicle(ui, edit, index, &was.vehicle, was.max_speed);
    edit.draft.species[index].keep_start_speed(was.spawn.speed);
    behaviors(ui, edit, index);
    rules(ui, edit, index);
    let changes = edit.changes;
    others(ui, edit, changes.within(index), &path);
    if !edit.found.is_all() && !edit.rows.iter().any(|row| row.starts_with(&path) && edit.finds(row)) {
        ui.label(RichText::new("Nothing is found").weak());
    }
    edit.warn_of_others(ui, &path);
    add(ui, edit, index, search);
    ui.horizontal(|ui| {
        let hint = "Add a species with the same values, to change them. The run starts again";
        if ui.button("Copy species").hint(hint).clicked() {
            edit.rewriting = Some(Rewriting::Copy(index));
        }
        let several = edit.about.scene.species.len() > 1;
        let remove = ui.add_enabled(several, egui::Button::new("Remove species"));
        if remove.hint("Remove this species. The run starts again").clicked() {
            edit.rewriting = Some(Rewriting::Remove(index));
        }
        if several {
            // Its tab may be scrolled out of sight.
            ui.add(egui::Label::new(RichText::new(readable(&now.name)).weak()).truncate());
        }
    });
}

/// Show the row for the name of a species.
fn name(ui: &mut Ui, edit: &mut Edit, index: usize, was: &Species) {
    let path = format!("species.{index}.name");
    if !edit.shows(&path) {
        return;
    }
    let (now, hint) = (&edit.about.scene.species[index].name, edit.hint(&path));
    let mut chosen = now.clone();
    let back = row(ui, "Name", &hint, *now != was.name, |ui| {
        if let Some(Ok(name)) = typed(ui, "name", now, |text| Ok(text.trim().to_owned())) {
            chosen = name;
        }
    });
    edit.draft.species[index].name = if back { was.name.clone() } else { chosen };
}

/// Show the row for what is drawn of the agents of a species.
fn body(ui: &mut Ui, edit: &mut Edit, index: usize, was: Body) {
    let path = format!("species.{index}.body");
    if !edit.shows(&path) {
        return;
    }
    let (mut now, hint) = (edit.draft.species[index].body, edit.hint(&path));
    let bodies = Body::ALL.iter().copied();
    let back = one_of(ui, ("Body", &hint, now != was), &mut now, bodies, |body| body.word().to_owned());
    edit.draft.species[index].body = if back { was } else { now };
}

/// Show the row for the number of agents of a species. The size of the world does not change with it.
fn number(ui: &mut Ui, edit: &mut Edit, index: usize, was: u32) {
    let path = format!("species.{index}.count");
    if !edit.shows(&path) {
        return;
    }
    let (count, hint) = (edit.about.scene.species[index].count, edit.hint(&path) + "\nA change restarts the run");
    let back = row(ui, "Count", &hint, count != was, |ui| {
        match typed(ui, "count", &grouped(count.into()), |text| parse_whole(text, (0, MAX_AGENTS))) {
            Some(Ok(number)) => edit.draft.species[index].count = number,
            Some(Err(why)) => edit.refused = Some(format!("Count {why}")),
            None => {}
        }
    });
    if back {
        edit.draft.species[index].count = was;
    }
}

/// Show the row for the color of a species, if that is a fixed one.
fn color(ui: &mut Ui, edit: &mut Edit, index: usize, was: scene::Color) {
    let (path, now) = (format!("species.{index}.color"), edit.draft.species[index].color);
    let scene::Color::Fixed(mut color) = now else { return };
    if !edit.shows(&path) {
        return;
    }
    let hint = edit.hint(&path);
    let back = row(ui, "Color", &hint, now != was, |ui| {
        ui.color_edit_button_srgb(&mut color);
    });
    edit.draft.species[index].color = if back { was } else { scene::Color::Fixed(color) };
}

/// Show the rows of a vehicle, if it is more than a point mass.
fn vehicle(ui: &mut Ui, edit: &mut Edit, index: usize, was: &Vehicle, max_speed: f32) {
    let mut now = edit.draft.species[index].vehicle;
    let plain = |mut vehicle: Vehicle| vehicle.numbers().iter().all(|(_, value)| **value == 0.0);
    if plain(now) && plain(*was) {
        return;
    }
    let mut rows = Vec::new();
    for (key, _) in now.numbers() {
        let paths = ["vehicle", "vehicle.banking"].map(|table| format!("species.{index}.{table}.{}", key.name));
        rows.extend(paths.into_iter().find(|path| edit.draft.key(path).is_some()).map(|path| (key, path)));
    }
    if rows.iter().any(|(_, path)| edit.finds(path)) {
        ui.add_space(6.0);
        ui.label(RichText::new("Vehicle").strong()).hint("How the body turns steering into motion");
    }
    for (key, path) in rows {
        let original = edit.original_number(&path);
        let span = reach(&key, original.unwrap_or_else(|| usual(&key, max_speed)));
        slider(ui, edit, &path, Some(span));
    }
}

/// A quarter of the upper end of a slider, for a number that the original scene does not give.
fn usual(key: &Key, max_speed: f32) -> f32 {
    match key.unit {
        "deg/s" => 180.0,
        "deg/s²" => 1800.0,
        "u/s" => 0.25 * max_speed,
        _ => 1.0,
    }
}

/// Show changed values that have no row, each with a way to reset it.
fn others<'a>(ui: &mut Ui, edit: &mut Edit, changes: impl Iterator<Item = (&'a str, &'a str)>, path: &str) {
    let is_other = |key: &str| !edit.rows.contains(key) && edit.finds(key);
    let others: Vec<_> = changes.filter(|(key, _)| is_other(&format!("{path}{key}"))).collect();
    if others.is_empty() {
        return;
    }
    ui.add_space(6.0);
    ui.label(RichText::new("Changed, without a slider").strong())
        .hint("Values that a file or the command line changed");
    for (key, value) in others {
        let back = row(ui, &readable(&key.replace('.', ": ")), &format!("Key: {path}{key}"), true, |ui| {
            let value = drawable(&steerling::scene::shorten(value.trim(), 60));
            ui.add(egui::Label::new(RichText::new(value).monospace()).truncate());
        });
        if back {
            edit.draft.put_back(edit.about.original, &format!("{path}{key}"));
        }
    }
}
