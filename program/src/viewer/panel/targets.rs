//! The rows of a target: a list of all targets of the scene, a button to point at one in the picture, and coordinates or an id.

use super::super::dialogs::Wish;
use super::super::format::readable;
use super::super::gui::{Asks, Hint};
use super::Edit;
use super::rows::{NumberField, list_beside, number, row};
use egui::{Align, Layout, Ui};
use glam::Vec3;
use steerling::scene::{Draft, Setting, Target};

/// Room for the button beside the list, points.
const BUTTON: f32 = 70.0;
/// The greatest coordinate that a scene may have, u.
const FARTHEST: f32 = 1e7;

/// Show the rows of a behavior's target: which it is, and the coordinates of a point, or the id of an agent.
pub fn target(ui: &mut Ui, edit: &mut Edit, path: &str, (species, behavior, parameter): (usize, &str, &str)) {
    let of = |draft: &Draft| match draft.species[species].get(behavior, parameter) {
        Ok(Setting::Target(target)) => Some(target),
        _ => None,
    };
    let Some(now) = of(&edit.draft) else { return };
    let shows = edit.shows(path);
    edit.rows.insert(format!("{path}.point"));
    if !shows {
        return;
    }
    let (mut chosen, hint, changed) = (now, edit.hint(path), of(&edit.was) != Some(now));
    let mut back = row(ui, &readable(parameter), &hint, changed, |ui| {
        choose(ui, edit, path, species, &mut chosen, &hint);
    });
    if matches!(chosen, Target::Point(_) | Target::Agent(_)) {
        let (name, hint) = match chosen {
            Target::Point(_) => ("Place", "The picture marks it by a cross, which can be dragged"),
            _ => ("Agent", "The id of the agent, which a click on the agent shows"),
        };
        back |= row(ui, name, hint, changed, |ui| details(ui, edit, &mut chosen));
    }
    if back {
        edit.draft.put_back(edit.about.original, path);
    } else if chosen != now
        && let Err(error) = edit.draft.species[species].set(behavior, parameter, chosen)
    {
        edit.refused = Some(error.message);
    }
    edit.warn(ui, path);
}

/// Show a list of all targets that the scene has, and the button to point at one.
pub fn choose(ui: &mut Ui, edit: &mut Edit, path: &str, species: usize, chosen: &mut Target, hint: &str) {
    let name = called(*chosen, &edit.draft);
    // The list has room for the beginning of a long name.
    let hint = format!("{}\n{hint}", readable(&name));
    list_beside(ui, path, &name, &hint, BUTTON, |ui| {
        let mut all: Vec<_> = choices(edit, species).into_iter().map(|one| (called(one, &edit.draft), one)).collect();
        match all.iter_mut().find(|(other, _)| *other == name) {
            Some((_, one)) => *one = *chosen,
            None => all.push((name.clone(), *chosen)),
        }
        for (name, one) in all {
            ui.selectable_value(chosen, one, readable(&name));
        }
    });
    let button = ui.small_button("Point…").hint("Then click in the picture: an agent, a goal, a path, or a place");
    button.asks_for(&mut edit.wishes, Wish::Point(path.to_owned()));
}

/// Show the numbers of a target: the coordinates of a point, or the id of an agent.
pub fn details(ui: &mut Ui, edit: &mut Edit, chosen: &mut Target) {
    let axes = edit.draft.world.axes();
    let speed = f64::from(edit.draft.world.size.max_element() / 500.0);
    let most = edit.about.scene.agent_count().saturating_sub(1) as f32;
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| match chosen {
        Target::Point(point) => {
            let bounds = (-FARTHEST, FARTHEST);
            for (axis, name) in ["x", "y", "z"].into_iter().enumerate().take(axes).rev() {
                let field = NumberField { name, bounds, whole: false, speed, unit: "", in_column: false };
                number(ui, &mut point[axis], &field, &mut edit.refused).late_hint(format!("{name}, u"));
            }
        }
        Target::Agent(id) => {
            let bounds = (0.0, most);
            let field = NumberField { name: "Agent", bounds, whole: true, speed: 1.0, unit: "", in_column: false };
            number(ui, id, &field, &mut edit.refused).late_hint("Which agent");
        }
        _ => {}
    });
}

/// The name of a target, for the user.
pub fn called(target: Target, draft: &Draft) -> String {
    let scenery = &draft.scenery;
    let species = |index: u32| draft.species.get(index as usize).map_or("", |species| &species.name);
    match target {
        Target::Mouse => "mouse".to_owned(),
        Target::Point(_) => "point".to_owned(),
        Target::Field => "flow field".to_owned(),
        Target::Agent(id) => format!("agent {id}"),
        Target::Nearest { species: mask, .. } => format!("nearest of {}", species(mask.trailing_zeros())),
        Target::Leader(index) => format!("leader of {}", species(index)),
        Target::Path(index) => kind("path", scenery.paths.get(index as usize).map_or("", |path| &path.name)),
        Target::Goal { index, .. } => {
            let goal = draft.map.iter().flat_map(|map| &map.goals).nth(index as usize);
            kind("goal", goal.map_or("", |goal| &goal.name))
        }
        Target::Trajectory(index) => {
            format!("way of {}", scenery.trajectories.get(index as usize).map_or("", |way| &way.name))
        }
    }
}

/// A name with its kind in front, unless the name begins with that already.
pub fn kind(what: &str, name: &str) -> String {
    if name.starts_with(what) { name.to_owned() } else { format!("{what} {name}") }
}

/// The target "nearest of a species", with a radius of a quarter of the world's width at most, and a full field of view.
pub fn nearest_of(draft: &Draft, species: usize) -> Target {
    let perception_radius = draft.farthest_radius().min(0.25 * draft.world.size.x);
    Target::Nearest { species: 1 << species, perception_radius, field_of_view: 360.0 }
}

/// The targets that a species of this scene can have. A new point lies where the camera looks, and a single agent is the picked one.
fn choices(edit: &Edit, species: usize) -> Vec<Target> {
    let draft = &edit.draft;
    let looks_at: Vec3 = if draft.world.spatial { edit.about.looks_at } else { edit.about.looks_at.with_z(0.0) };
    let mut all = vec![Target::Mouse, Target::Point(looks_at)];
    for index in 0..draft.species.len() {
        all.push(nearest_of(draft, index));
        all.extend((index != species).then_some(Target::Leader(index as u32)));
    }
    all.extend((0..draft.scenery.paths.len()).map(|index| Target::Path(index as u32)));
    all.extend((0..draft.scenery.trajectories.len()).map(|index| Target::Trajectory(index as u32)));
    let goals = draft.map.iter().flat_map(|map| &map.goals).zip(0..);
    all.extend(goals.map(|(_, index)| Target::Goal { index, prediction_time: 0.0 }));
    all.extend(draft.field.is_some().then_some(Target::Field));
    all.push(Target::Agent(edit.about.picked.map_or(0, |portrait| portrait.id)));
    all
}
