//! The part of the panel about the action states of a species, and the rules that lead from one to another.

use super::super::format::{free_name, readable};
use super::super::gui::{ACCENT, Hint};
use super::Edit;
use super::rows::{NumberField, bounds, hint, list_beside, number, row, typed};
use super::targets::{choose, details};
use egui::{RichText, Ui};
use steerling::scene::{Condition, Species, Table, Target, Transition};

/// Width that lists of states leave for buttons, and that the list of conditions leaves for a number, points.
const BUTTONS: f32 = 76.0;
const NUMBER: f32 = 84.0;
/// A mask of all states, also of those added later.
const ANY: u32 = u32::MAX;

/// Why the latest change of states or rules was refused.
pub struct Refused {
    /// The dotted path of its row.
    row: String,
    why: String,
    /// The index of the species, and its values at that time: once they change, also by Undo, the reason is no longer shown.
    of: (usize, Species),
}

/// Show the states and rules of a species.
pub fn rules(ui: &mut Ui, edit: &mut Edit, species: usize) {
    let path = format!("species.{species}");
    let now = &edit.draft.species[species];
    let (states, count) = (now.states.clone(), now.rules.len());
    let keys = Transition::KEYS.iter().map(|key| key.name).chain(["target.point"]);
    let tables = [format!("{path}.states"), format!("{path}.rules")];
    let shown = tables.iter().any(|path| edit.finds(path));
    for key in keys {
        edit.rows.extend((0..count).map(|row| format!("{path}.rules.{row}.{key}")));
    }
    edit.rows.extend((0..count).map(|row| format!("{path}.rules.{row}")).chain(tables));
    if !shown {
        return;
    }
    edit.refused_rule.take_if(|Refused { of, .. }| of.0 == species && of.1 != edit.draft.species[species]);
    ui.add_space(6.0);
    let many = states.len() > 1 || count > 0;
    let changed = edit.about.original.species.get(species).is_some_and(|was| {
        let now = &edit.draft.species[species];
        (&was.states, &was.rules) != (&now.states, &now.rules)
    });
    let title = RichText::new(if changed { "• States and rules" } else { "States and rules" }).strong();
    let title = if changed { title.color(ACCENT) } else { title };
    let open =
        egui::CollapsingHeader::new(title).id_salt(("rules", &edit.about.scene.name, species)).default_open(many);
    let open = open.show_unindented(ui, |ui| {
        if many {
            for index in 0..states.len() {
                state(ui, edit, species, index);
            }
        } else {
            ui.label(RichText::new("There is one state: all agents always act alike").weak().small());
        }
        if ui.small_button("+ State").hint("Another action state").clicked() {
            change(edit, &format!("{path}.states"), species, add_state);
        }
        refusal(ui, edit, &format!("{path}.states"));
        for index in 0..count {
            ui.push_id(index, |ui| rule(ui, edit, species, index));
        }
        let hint = "A condition for a change of the state: the first rule that holds decides";
        if ui.small_button("+ Rule").hint(hint).clicked() {
            change(edit, &format!("{path}.rules"), species, |species| {
                if species.states.len() < 2 {
                    add_state(species);
                }
                let rule = Transition { from: 1, to: 1, target: Target::Mouse, ..Transition::default() };
                species.rules.push(rule);
            });
        }
        refusal(ui, edit, &format!("{path}.rules"));
    });
    let hint = "When agents of the species change their behavior; right-click: back to the scene's states and rules";
    if open.header_response.hint(hint).secondary_clicked() && changed {
        for key in ["states", "rules"] {
            edit.draft.put_back(edit.about.original, &format!("{path}.{key}"));
        }
    }
}

/// Change a species, or if that makes no valid scene, keep the reason for its row.
fn change(edit: &mut Edit, row: &str, index: usize, change: impl FnOnce(&mut Species)) {
    try_change(edit, row, index, |species| {
        change(species);
        Ok(())
    });
}

/// As [`change`], for a change that may itself be impossible.
fn try_change(edit: &mut Edit, row: &str, index: usize, change: impl FnOnce(&mut Species) -> Result<(), String>) {
    let mut draft = edit.draft.clone();
    let changed = change(&mut draft.species[index]);
    match changed.and_then(|()| draft.clone().validate().map_err(|error| error.message)) {
        Ok(_) => (edit.draft, *edit.refused_rule) = (draft, None),
        Err(why) => {
            let of = (index, edit.draft.species[index].clone());
            *edit.refused_rule = Some(Refused { row: row.to_owned(), why, of });
        }
    }
}

/// Show why the latest change was refused, if it was one of this row.
fn refusal(ui: &mut Ui, edit: &Edit, row: &str) {
    if let Some(refused) = edit.refused_rule.as_ref().filter(|refused| refused.row == row) {
        super::warn(ui, &refused.why);
    }
}

fn state(ui: &mut Ui, edit: &mut Edit, species: usize, index: usize) {
    let path = format!("species.{species}.states");
    // A state removed in this frame may have left fewer.
    let Some(name) = edit.draft.species[species].states.get(index).cloned() else { return };
    let title = if index == 0 { "At the start" } else { "State" };
    let (mut renamed, mut removed) = (None, false);
    let about = edit.hint(&path);
    row(ui, title, &about, false, |ui| {
        renamed = typed(ui, &format!("state {index}"), &name, |text| Ok(text.trim().to_owned()));
        let single = edit.draft.species[species].states.len() < 2;
        let button = ui.add_enabled(!single, egui::Button::new("✖").small());
        removed = button.hint("Remove this state").clicked();
    });
    let at = format!("{path}.{index}");
    if let Some(Ok(name)) = renamed {
        change(edit, &at, species, |species| species.states[index] = name);
    }
    if removed {
        try_change(edit, &at, species, |species| remove_state(species, index));
    }
    refusal(ui, edit, &at);
}

/// Add a state. A species with the single unnamed state gets two named ones.
fn add_state(species: &mut Species) {
    if species.states == [""] {
        species.states = vec!["start".to_owned()];
    }
    species.states.push(free_name("state", 1, species.states.iter()));
}

/// Remove a state, and renumber the later ones in masks, factors and rules.
///
/// # Errors
/// What still needs this state: a rule leads there, or a rule, a behavior or deposits are for this state alone.
pub fn remove_state(species: &mut Species, index: usize) -> Result<(), String> {
    let bit = 1u32 << index;
    for (number, rule) in (1..).zip(&species.rules) {
        if rule.to as usize == index {
            return Err(format!("Rule {number} leads to this state: change the rule first"));
        }
        if rule.from == bit {
            return Err(format!("Rule {number} leads from this state only: change the rule first"));
        }
    }
    if let Some(behavior) = species.behaviors.iter().find(|behavior| behavior.states == bit) {
        return Err(format!("{} acts in this state only: change that first", readable(behavior.spec.name)));
    }
    if species.deposit_states == bit {
        return Err("Agents deposit in this state only: change that first".to_owned());
    }
    species.states.remove(index);
    let without = |mask: &mut u32| {
        let below = bit - 1;
        if *mask != ANY {
            *mask = (*mask & below) | (*mask >> 1 & !below);
        }
    };
    let shift = |factors: &mut [f32]| {
        factors.copy_within(index + 1.., index);
        factors.last_mut().into_iter().for_each(|last| *last = 1.0);
    };
    shift(&mut species.state_speeds);
    shift(&mut species.state_forces);
    without(&mut species.deposit_states);
    for behavior in &mut species.behaviors {
        without(&mut behavior.states);
        shift(&mut behavior.state_weights);
    }
    for rule in &mut species.rules {
        without(&mut rule.from);
        rule.to -= u32::from(rule.to as usize > index);
    }
    Ok(())
}

fn rule(ui: &mut Ui, edit: &mut Edit, species: usize, index: usize) {
    let path = format!("species.{species}.rules.{index}");
    let Some(now) = edit.draft.species[species].rules.get(index).copied() else { return };
    let states = edit.draft.species[species].states.clone();
    let was = edit.about.original.species.get(species).and_then(|was| was.rules.get(index)).copied();
    let key = |name: &str| Transition::KEYS.iter().find(|key| key.name == name);
    let about = |name: &str| key(name).map(|key| hint(key, &format!("{path}.{name}"))).unwrap_or_default();
    let (mut next, mut removed, mut first) = (now, false, false);
    ui.add_space(4.0);
    let back = row(ui, &format!("Rule {}, from", index + 1), &about("from"), was != Some(now), |ui| {
        ticks(ui, "from", &mut next.from, &states, &about("from"));
        if index > 0 {
            first =
                ui.small_button("⏶").hint("Move before the rule above: the first rule that holds decides").clicked();
        }
        removed = ui.small_button("✖").hint("Remove this rule").clicked();
    });
    row(ui, "  to", &about("to"), false, |ui| {
        let name = |index: u32| states.get(index as usize).map_or("", String::as_str);
        list_beside(ui, "to", name(now.to), &about("to"), BUTTONS, |ui| {
            for state in 0..states.len() as u32 {
                ui.selectable_value(&mut next.to, state, readable(name(state)));
            }
        });
    });
    row(ui, "  when", &about("when"), false, |ui| {
        list_beside(ui, "when", now.when.word(), &about("when"), NUMBER, |ui| {
            for condition in Condition::ALL {
                ui.selectable_value(&mut next.when, *condition, readable(condition.word()));
            }
        });
        let (name, bounds, unit) = ("The number", key("than").map_or((0.0, 0.0), bounds), unit(now.when));
        let field = NumberField { name, bounds, whole: false, speed: 0.1, unit, in_column: false };
        number(ui, &mut next.than, &field, &mut edit.refused).hint(about("than"));
    });
    if matches!(now.when, Condition::Nearer | Condition::Farther) {
        let (of, about) = (format!("{path}.target"), about("target"));
        row(ui, "  than the target", &about, false, |ui| {
            choose(ui, edit, &of, species, &mut next.target, &about);
        });
        if matches!(next.target, Target::Point(_) | Target::Agent(_)) {
            row(ui, "  which is", &about, false, |ui| details(ui, edit, &mut next.target));
        }
    }
    if edit.draft.ground.is_some() {
        row(ui, "  and then", &about("unloads"), false, |ui| {
            ui.checkbox(&mut next.unloads, "Unload").hint(about("unloads"));
        });
    }
    if back && let Some(was) = was {
        next = was;
    }
    if removed || first {
        change(edit, &path, species, |species| {
            if removed {
                species.rules.remove(index);
            } else {
                species.rules.swap(index, index - 1);
            }
        });
    } else if next != now {
        change(edit, &path, species, |species| species.rules[index] = next);
    }
    refusal(ui, edit, &path);
    edit.warn(ui, &path);
}

/// The unit of the number that a condition compares with.
fn unit(when: Condition) -> &'static str {
    match when {
        Condition::Nearer | Condition::Farther => "u",
        Condition::After => "s",
        Condition::FieldAbove | Condition::FieldBelow => "u/s",
        Condition::LoadAbove => "",
    }
}

/// Show the row for the states in which a behavior acts, if there are several.
pub fn acts_in(ui: &mut Ui, edit: &mut Edit, path: &str, (species, behavior): (usize, usize), was: u32) {
    let states = edit.draft.species[species].states.clone();
    if states.len() < 2 || !edit.shows(path) {
        return;
    }
    let (hint, mut mask) = (edit.hint(path), edit.draft.species[species].behaviors[behavior].states);
    if row(ui, "Acts in", &hint, mask != was, |ui| ticks(ui, "acts in", &mut mask, &states, &hint)) {
        mask = was;
    }
    edit.draft.species[species].behaviors[behavior].states = mask;
    edit.warn(ui, path);
}

/// Show a list of states to tick, or "Any".
fn ticks(ui: &mut Ui, name: &str, mask: &mut u32, states: &[String], hint: &str) {
    let all = 1u32.checked_shl(states.len() as u32).map_or(ANY, |bit| bit - 1);
    let named = states.iter().enumerate().filter(|(index, _)| *mask >> index & 1 == 1);
    let chosen = match *mask & all {
        some if some == all => "any".to_owned(),
        _ => named.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", "),
    };
    list_beside(ui, name, &chosen, hint, BUTTONS, |ui| {
        let mut any = *mask & all == all;
        if ui.checkbox(&mut any, "Any").changed() {
            *mask = if any { ANY } else { 1 };
        }
        for (index, name) in states.iter().enumerate() {
            let mut on = *mask >> index & 1 == 1;
            if ui.checkbox(&mut on, readable(name)).changed() {
                // Only the bits of existing states.
                let ticked = (*mask & all) ^ (1 << index);
                // The last tick cannot be removed. With all states ticked, the mask includes states added later.
                *mask = match ticked {
                    0 => *mask,
                    some if some == all => ANY,
                    some => some,
                };
            }
        }
    });
}
