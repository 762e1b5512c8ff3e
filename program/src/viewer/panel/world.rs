//! The part of the panel about the scene as a whole: its name, what it suggests to try, its look, and its world.

use super::super::actions::Action;
use super::super::dialogs::Wish;
use super::super::format::{grouped, parse_number, parse_whole, readable, short};
use super::super::gallery;
use super::super::gui::{ACCENT, Asks, Hint};
use super::legend::color_name;
use super::rows::{one_of, row, typed};
use super::{About, Edit};
use egui::{Align, Color32, Layout, RichText, Ui};
use steerling::scene::{Boundary, ColorBy, Dialect, Look, LookName, MAX_AGENTS, Pattern, Scene};

/// Choices for the half-life of the afterglow, s; 0: none.
const AFTERGLOWS: [f32; 5] = [0.0, 0.3, 0.7, 2.0, 6.0];

/// Show the scene's name, which opens the gallery, and buttons for the scene as a whole: save, undo, redo, copy, reset.
pub fn title(ui: &mut Ui, about: &About, wishes: &mut Vec<Wish>, edit: &mut Edit) {
    let About { scene, tuned, history: (undo, redo), .. } = *about;
    ui.horizontal(|ui| {
        let name = gallery::called(scene, readable(&scene.name));
        let name = if tuned { format!("• {name} ⏷") } else { format!("{name} ⏷") };
        let text = RichText::new(name).heading().color(if tuned { ACCENT } else { Color32::from_gray(235) });
        let mut hint = Action::Scenes.hint();
        if tuned {
            hint += "\nThe dot: it has changes that are in no file";
        }
        ui.add(egui::Button::new(text).frame(false).truncate()).hint(hint).asks_for(wishes, Wish::Act(Action::Scenes));
    });
    ui.horizontal(|ui| {
        let mut button = |ui: &mut Ui, enabled: bool, text: &str, action: Action| {
            let button = ui.add_enabled(enabled, egui::Button::new(text));
            let hint = action.hint();
            button.hint(hint).asks_for(wishes, Wish::Act(action));
        };
        button(ui, true, "Save…", Action::Save);
        button(ui, undo, "Undo", Action::Undo);
        button(ui, redo, "Redo", Action::Redo);
        button(ui, true, "Copy", Action::Copy);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let hint = "Set every value back to the scene's";
            let button = ui.add_enabled(tuned && edit.differs(), egui::Button::new("Reset"));
            if button.hint(hint).clicked() {
                let mut draft = edit.about.original.draft();
                (draft.seed, draft.mouse) = (edit.draft.seed, edit.draft.mouse);
                edit.other = Some(draft);
            }
        });
    });
}

/// Show what the scene suggests to try, with a button for each suggestion that the window can carry out.
pub fn things_to_try(ui: &mut Ui, scene: &Scene, wishes: &mut Vec<Wish>) {
    if scene.things_to_try.is_empty() {
        return;
    }
    let more = egui::CollapsingHeader::new("Things to try").id_salt("things").show(ui, |ui| {
        for thing in &scene.things_to_try {
            // Show the text without its command for a shell, since the button does that.
            let (text, _) = Scene::flags_to_try(thing);
            ui.horizontal_top(|ui| {
                if let Some((what, tries)) = tries(scene, thing)
                    && ui.small_button("Try").hint(what).clicked()
                {
                    wishes.extend(tries);
                }
                ui.add(egui::Label::new(RichText::new(text).small()).wrap());
            });
        }
        ui.add_space(6.0);
    });
    more.header_response.hint("What the scene suggests, with a button for each change");
}

/// The wishes that carry out a suggestion in the window, as its flags would on a command line, after a description; `None` if none do.
pub fn tries(scene: &Scene, thing: &str) -> Option<(String, Vec<Wish>)> {
    let (_, flags) = Scene::flags_to_try(thing);
    // A suggestion with a placeholder for a user's file cannot be carried out.
    if thing.contains("path/to") {
        return None;
    }
    let (mut told, mut tries) = (Vec::new(), Vec::new());
    let changes = Scene::changes_to_try(thing);
    if !changes.is_empty() {
        told.push(format!("With {}; other values stay as they are", changes.join(" ")));
        tries.push(Wish::Try(changes));
    }
    for (flag, value) in flags {
        match flag {
            "agents" => {
                let agents: u32 = value.parse().ok()?;
                let count = grouped(agents.into());
                told.push(format!("{count} agents, in a world of the size for them; the run starts again"));
                tries.push(Wish::Agents(agents));
            }
            "look" => {
                let name = *LookName::ALL.iter().find(|name| name.word() == value)?;
                told.push(format!("The look {value}"));
                tries.push(Wish::Look(Look { name, ..scene.look }));
            }
            "until" => {
                told.push(format!("Pause when {value}"));
                tries.push(Wish::PauseWhen(value));
            }
            _ => {}
        }
    }
    (!tries.is_empty()).then(|| (told.join("\n"), tries))
}

/// Show the rows of the look: name, pattern, what colors show, and afterglow.
pub fn picture(ui: &mut Ui, edit: &mut Edit, beside: bool, wishes: &mut Vec<Wish>) {
    let (scene, mut look) = (edit.about.scene, edit.about.scene.look);
    let about = format!("{}\n{}", Action::Look.hint(), edit.hint("look.name"));
    let names = LookName::ALL.iter().copied();
    one_of(ui, ("Look", &about, false), &mut look.name, names, |name| name.word().to_owned());
    if !scene.world.spatial {
        let about = edit.hint("look.pattern");
        let patterns = Pattern::ALL.iter().copied();
        one_of(ui, ("Pattern", &about, false), &mut look.pattern, patterns, |pattern| pattern.word().to_owned());
    }
    let about = format!("{}\n{}", Action::Color.hint(), edit.hint("look.color"));
    // Divergence is the distance to the run beside, so it needs one.
    let colors = ColorBy::ALL.iter().copied().filter(|by| beside || *by != ColorBy::Divergence);
    one_of(ui, ("Color", &about, false), &mut look.color, colors, |by| color_name(by).to_owned());
    let about = format!("{}\n{}", Action::Afterglow.hint(), edit.hint("look.afterglow"));
    let shown = |time: f32| if time > 0.0 { format!("{} s", short(time.into())) } else { "None".to_owned() };
    one_of(ui, ("Afterglow", &about, false), &mut look.afterglow, AFTERGLOWS, shown);
    if look != scene.look {
        wishes.push(Wish::Look(look));
    }
}

/// Show the rows of the world: number of agents, seed, boundaries, and dialect.
pub fn world(ui: &mut Ui, edit: &mut Edit) {
    let (scene, original) = (edit.about.scene, edit.about.original);
    let agents = scene.agent_count();
    let about = "Number of agents of all species together: a change restarts the run. The world grows or shrinks with \
        it, so that their density stays";
    let back = row(ui, "Agents", about, agents != original.agent_count(), |ui| {
        match typed(ui, "agents", &grouped(agents.into()), |text| parse_whole(text, (1, MAX_AGENTS))) {
            Some(Ok(number)) if number != agents => edit.replace(scene.with_agents(number)),
            Some(Err(why)) => edit.refused = Some(format!("Agents {why}")),
            _ => {}
        }
    });
    // If the world was not scaled with the number of agents, reset the counts of the species alone.
    if back && scene.world.size == original.world.size && scene.species.len() == original.species.len() {
        let was = original.species.iter().map(|species| species.count);
        edit.draft.species.iter_mut().zip(was).for_each(|(species, was)| species.count = was);
    } else if back {
        edit.replace(scene.with_agents_of(original));
    }
    let about = edit.hint("seed") + "\nA change restarts the run";
    let back = row(ui, "Seed", &about, scene.seed != original.seed, |ui| {
        match typed(ui, "seed", &scene.seed.to_string(), |text| parse_whole(text, (0, u32::MAX))) {
            Some(Ok(seed)) => edit.draft.seed = seed,
            Some(Err(why)) => edit.refused = Some(format!("Seed {why}")),
            None => {}
        }
    });
    if back {
        edit.draft.seed = original.seed;
    }
    let more = egui::CollapsingHeader::new("World").id_salt("world").show(ui, |ui| more_of_the_world(ui, edit));
    more.header_response.hint("Its size, what happens at its edges, and which defaults hold");
}

fn more_of_the_world(ui: &mut Ui, edit: &mut Edit) {
    let (scene, original) = (edit.about.scene, edit.about.original);
    let about = edit.hint("world.size") + "\nWith z = 0 the world is flat";
    for (axis, name) in ["Size, x", "Size, y", "Size, z"].into_iter().enumerate() {
        let (now, was) = (scene.world.size[axis], original.world.size[axis]);
        let mut chosen = now;
        let back = row(ui, name, &about, now != was, |ui| match typed(ui, name, &short(now.into()), parse_number) {
            Some(Ok(size)) => chosen = size as f32,
            Some(Err(why)) => edit.refused = Some(format!("{name} was not changed: {why}")),
            None => {}
        });
        edit.draft.world.size[axis] = if back { was } else { chosen };
    }
    let world = &mut edit.draft.world;
    let spatial = world.size.z != 0.0;
    if spatial != world.spatial {
        // In a world that becomes spatial or flat, the ends of the z axis are those of the original, or like those of x.
        let third = if spatial { world.boundary[0] } else { Boundary::Open };
        world.boundary[2] = if original.world.spatial == spatial { original.world.boundary[2] } else { third };
        world.spatial = spatial;
    }
    let axes = scene.world.axes();
    let about = edit.hint("world.boundary");
    for (axis, name) in (0..axes).zip(["Boundary, x", "Boundary, y", "Boundary, z"]) {
        let now = &mut edit.draft.world.boundary[axis];
        let was = original.world.boundary[axis];
        let all = Boundary::ALL.iter().copied();
        if one_of(ui, (name, &about, *now != was), now, all, |boundary| boundary.word().to_owned()) {
            *now = was;
        }
    }
    let about = edit.hint("dialect");
    let (mut chosen, was) = (scene.dialect, original.dialect);
    let all = Dialect::ALL.iter().copied();
    if one_of(ui, ("Dialect", &about, chosen != was), &mut chosen, all, |dialect| dialect.word().to_owned()) {
        chosen = was;
    }
    if chosen != scene.dialect {
        edit.replace(scene.with_dialect(chosen));
    }
}
