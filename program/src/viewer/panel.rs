//! The panel: the world, and the sliders of one species, made from the registry of behaviors.

use super::actions::Action;
use super::dialogs::Wish;
use super::format::{boxed, drawable, grouped, number, parts_thousands, readable, short, whole};
use super::gallery::{self, fits};
use super::gui::Hint;
use egui::text::LayoutJob;
use egui::{Align, Color32, Layout, RichText, Sense, TextEdit, Ui, vec2};
use std::cell::RefCell;
use std::collections::BTreeSet;
use steerling::render::{self, CATEGORY, HEADING, Look, MANY_NEIGHBORS, SPEED};
use steerling::scene::{
    Banking, Behavior, BehaviorSpec, Boundary, Color, ColorBy, Dialect, Draft, Key, Lint, LookName, Range, SYMBOLS,
    Scene, SceneError, Setting, Species, Table, Vehicle, behavior_keys,
};
use steerling_conform::laws_of;

/// Marks values that differ from the scene's.
const CHANGED: Color32 = Color32::from_rgb(255, 190, 90);
const FORMULA: Color32 = Color32::from_rgb(150, 205, 255);
/// Width of the panel, points.
pub const WIDTH: f32 = 356.0;
/// Widths within a row: the name, which is narrower in a narrow window and may take two lines, the slider, the number, the unit.
const NAME_WIDTH: f32 = 122.0;
const LEAST_NAME_WIDTH: f32 = 60.0;
const SLIDER_WIDTH: f32 = 80.0;
const NUMBER_WIDTH: f32 = 54.0;
const UNIT_WIDTH: f32 = 48.0;
/// Width and greatest height of the page of a behavior.
const PAGE_WIDTH: f32 = 440.0;
const PAGE_HEIGHT: f32 = 420.0;
/// Height of the legend of colors.
const LEGEND_HEIGHT: f32 = 30.0;
/// Width of a list of words.
const CHOICE_WIDTH: f32 = 150.0;
/// Characters of a number, so that figures stand below figures.
const FIGURES: usize = 6;
/// More species than this are chosen from a list.
const MOST_TABS: usize = 4;
/// Most agents of all species.
const MOST_AGENTS: u32 = 1 << 30;

/// What the panel shows.
#[derive(Default)]
pub struct Panel {
    species: usize,
    search: String,
    changes: Changes,
    /// Was it shown before? At first it shows its top.
    shown: bool,
}

/// The keys that differ from the scene's, with their values; found anew where one of the two drafts became another.
#[derive(Default)]
struct Changes {
    of: Option<Box<(Draft, Draft)>>,
    keys: Vec<(String, String)>,
}

impl Changes {
    fn update(&mut self, was: &Draft, now: &Draft) {
        if self.of.as_ref().is_none_or(|of| (&of.0, &of.1) != (was, now)) {
            self.keys = now.changed_since(was);
            // Agents have a row for all species together.
            let count = |draft: &Draft| draft.species.iter().map(|species| u64::from(species.count)).sum::<u64>();
            if count(was) != count(now) {
                self.keys.retain(|(key, _)| !(key.starts_with("species.") && key.ends_with(".count")));
            }
            self.of = Some(Box::new((was.clone(), now.clone())));
        }
    }

    /// Those of one species, by their paths within it.
    fn within(&self, species: usize) -> impl Iterator<Item = (&str, &str)> {
        let prefix = format!("species.{species}.");
        self.keys.iter().filter_map(move |(key, value)| Some((key.strip_prefix(&prefix)?, value.as_str())))
    }
}

/// What the panel is about.
pub struct About<'a> {
    /// The scene as the user wants it.
    pub scene: &'a Scene,
    /// The scene as it was opened.
    pub original: &'a Scene,
    /// Was something changed and not saved?
    pub tuned: bool,
    /// Is there something to take back, and to make again?
    pub history: (bool, bool),
}

/// What changes, and what there is to say of it.
struct Edit<'a> {
    scene: &'a Scene,
    original: &'a Scene,
    changed: Draft,
    /// Instead of what changed: a whole scene, or why there is none.
    other: Option<Result<Draft, String>>,
    notes: Notes,
}

/// What there is to say of values.
#[derive(Default)]
struct Notes {
    /// Why typed text was refused.
    refused: RefCell<Option<String>>,
    /// Warnings that are not shown yet.
    lints: RefCell<Vec<Lint>>,
    /// Keys that have a row.
    rows: RefCell<BTreeSet<String>>,
}

impl Notes {
    /// A key has a row: show below it what is to be warned of.
    fn show(&self, ui: &mut Ui, key: &str) {
        self.rows.borrow_mut().insert(key.to_owned());
        self.lints.borrow_mut().retain(|lint| {
            let here = lint.key == key;
            if here {
                warn(ui, &lint.message);
            }
            !here
        });
    }

    /// Show the warnings of keys that begin so and have no slider.
    fn show_others(&self, ui: &mut Ui, prefix: &str) {
        let (here, others) = self.lints.take().into_iter().partition::<Vec<_>, _>(|lint| lint.key.starts_with(prefix));
        here.iter().for_each(|lint| warn(ui, &lint.to_string()));
        self.lints.replace(others);
    }
}

fn warn(ui: &mut Ui, text: &str) {
    let text = RichText::new(format!("⚠ {text}")).small().color(ui.visuals().warn_fg_color);
    ui.add(egui::Label::new(text).wrap());
}

/// One number of the scene.
struct Dial {
    key: Key,
    /// The scene's own value.
    original: f32,
    /// Does the scene have none? Then nothing is equal to it, and the caller takes the value away.
    absent: bool,
    /// Where the slider starts and ends. Numbers beyond may be typed, within the range of the key.
    span: (f32, f32),
}

impl Panel {
    /// Show it. Adds what was changed and asked for.
    pub fn show(&mut self, ui: &mut Ui, about: &About, wishes: &mut Vec<Wish>) {
        let About { scene, original, .. } = *about;
        let notes = Notes { lints: RefCell::new(scene.lint()), ..Notes::default() };
        let mut edit = Edit { scene, original, changed: scene.draft(), other: None, notes };
        ui.spacing_mut().item_spacing.x = 6.0;
        title(ui, about, wishes, &mut edit);
        ui.separator();
        let mut area = egui::ScrollArea::vertical().auto_shrink(false);
        if !std::mem::replace(&mut self.shown, true) {
            area = area.vertical_scroll_offset(0.0);
        }
        area.show(ui, |ui| {
            // Beside the bar that scrolls.
            ui.set_max_width(ui.available_width() - 8.0);
            if !scene.shows.is_empty() {
                ui.label(RichText::new(&scene.shows).weak().small());
                ui.add_space(4.0);
            }
            things_to_try(ui, scene, wishes);
            world(ui, &mut edit);
            picture(ui, scene, wishes);
            edit.notes.show_others(ui, "ground.");
            ui.separator();
            self.changes.update(original, scene);
            self.tabs(ui, scene);
            if let Some(was) = original.species.get(self.species) {
                ui.push_id(self.species, |ui| self.species(ui, &mut edit, was));
            }
            ui.add_space(12.0);
            end_turns(ui);
        });
        let Edit { changed, other, notes, .. } = edit;
        wishes.extend(notes.refused.into_inner().map(Wish::Say));
        match other {
            Some(Ok(draft)) => wishes.push(Wish::Tune(Box::new(draft))),
            Some(Err(why)) => wishes.push(Wish::Say(why)),
            None if changed != **scene => wishes.push(Wish::Tune(Box::new(changed))),
            None => {}
        }
    }

    /// One species at a time: a flock has more sliders than a screen has room.
    fn tabs(&mut self, ui: &mut Ui, scene: &Scene) {
        let all = &scene.species;
        self.species = self.species.min(all.len().saturating_sub(1));
        let colors = render::fixed_colors(scene);
        let Panel { species: shown, changes, .. } = self;
        let label =
            |ui: &Ui, index: usize| tab(ui, scene, index, colors[index], changes.within(index).next().is_some());
        match all.len() {
            0 => {}
            1 => drop(ui.label(label(ui, 0))),
            few if few <= MOST_TABS => {
                ui.horizontal_wrapped(|ui| {
                    for index in 0..few {
                        let label = label(ui, index);
                        let hint = "Its sliders. A dot: something of it differs from the scene";
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

    fn species(&mut self, ui: &mut Ui, edit: &mut Edit, was: &Species) {
        let world = edit.changed.world;
        let wrapped = (0..3).filter(|axis| world.boundary[*axis] == Boundary::Wrap);
        let half_axis = wrapped.map(|axis| world.size[axis] * 0.5).fold(f32::INFINITY, f32::min);
        let (field, ground, paths) =
            (edit.scene.field.is_some(), edit.scene.ground.is_some(), !edit.scene.scenery.paths.is_empty());
        if let Some(species) = edit.scene.species.get(self.species) {
            legend(ui, edit.scene, species);
        }
        let Edit { changed, notes, .. } = edit;
        let path = format!("species.{}.", self.species);
        let Some(now) = changed.species.get_mut(self.species) else { return };
        // By field: a table of how agents differ has numbers of the same names.
        let mut show = |name: &str, value: &mut f32, was: f32, span: Option<(f32, f32)>| {
            if let Some(key) = Species::KEYS.iter().find(|key| key.name == name) {
                let dial = dial(*key, was);
                slider(ui, value, Dial { span: span.unwrap_or(dial.span), ..dial }, notes);
                notes.show(ui, &format!("{path}{name}"));
            }
        };
        show("max_speed", &mut now.max_speed, was.max_speed, None);
        show("min_speed", &mut now.min_speed, was.min_speed, Some((0.0, (2.0 * was.min_speed).max(was.max_speed))));
        show("max_force", &mut now.max_force, was.max_force, None);
        show("time_constant", &mut now.time_constant, was.time_constant, None);
        vehicle(ui, &path, &mut now.vehicle, &was.vehicle, was.max_speed, notes);
        // A starting speed of its own has to lie between the two; it counts at the next restart.
        if now.min_speed <= now.max_speed {
            now.spawn.speed = was.spawn.speed.map(|speed| speed.clamp(now.min_speed, now.max_speed));
        }
        let (mut hidden, mut unable) = (Vec::new(), Vec::new());
        let body = [
            ("max_speed", now.max_speed, "u/s"),
            ("τ", now.time_constant, "s"),
            ("a", now.max_force / now.mass, "u/s²"),
        ];
        for (row, (behavior, was)) in now.behaviors.iter_mut().zip(&was.behaviors).enumerate() {
            let spec = behavior.spec;
            if behavior.enabled || was.enabled {
                ui.push_id(spec.name, |ui| show_behavior(ui, (&path, body), behavior, was, half_axis, notes));
            } else if !field && spec.mentions("field") {
                unable.push((row, "The scene has no flow field: [field]"));
            } else if !ground && spec.mentions("ground") {
                unable.push((row, "The scene has no ground: [ground]"));
            } else if !paths && spec.parameters.iter().any(|parameter| matches!(parameter.range, Range::Path)) {
                unable.push((row, "The scene has no path: [[paths]]"));
            } else {
                hidden.push(row);
            }
        }
        others(ui, now, was, self.changes.within(self.species), &path, notes);
        notes.show_others(ui, &path);
        ui.add_space(8.0);
        let button = ui.button("+ Add behavior").hint("Another behavior for this species");
        egui::Popup::menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside).width(250.0).show(
            |ui| {
                let search = TextEdit::singleline(&mut self.search).hint_text("Search").desired_width(f32::INFINITY);
                let search = ui.add(search).hint("Enter takes the first that is found");
                if !search.has_focus() && self.search.is_empty() {
                    search.request_focus();
                }
                let entered = search.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
                let found = |row: &&usize| {
                    let spec = now.behaviors[**row].spec;
                    fits(&self.search, &format!("{} {} {}", spec.name, readable(spec.name), spec.summary))
                };
                let rows: Vec<usize> = hidden.iter().filter(found).copied().collect();
                let mut chosen = rows.first().copied().filter(|_| entered && !self.search.is_empty());
                egui::ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
                    for row in &rows {
                        let spec = now.behaviors[*row].spec;
                        let entry = ui.selectable_label(false, readable(spec.name)).hint(hint(spec));
                        chosen = chosen.or(entry.clicked().then_some(*row));
                    }
                    for (row, why) in unable.iter().filter(|(row, _)| found(&row)) {
                        let spec = now.behaviors[*row].spec;
                        let entry = egui::Button::selectable(false, readable(spec.name));
                        ui.add_enabled(false, entry).hint(format!("{why}\n{}", hint(spec)));
                    }
                    if rows.is_empty() && !unable.iter().any(|(row, _)| found(&row)) {
                        ui.weak("No other behavior has this in its name or text.");
                    }
                });
                if let Some(behavior) = chosen.and_then(|row| now.behaviors.get_mut(row)) {
                    behavior.enabled = true;
                    if behavior.weight == 0.0 {
                        behavior.weight = behavior.spec.default_weight;
                    }
                    self.search.clear();
                    ui.close();
                }
            },
        );
    }
}

/// The scene's name, which opens the gallery, and what is done with the scene as a whole.
fn title(ui: &mut Ui, about: &About, wishes: &mut Vec<Wish>, edit: &mut Edit) {
    let About { scene, tuned, history: (undo, redo), .. } = *about;
    ui.horizontal(|ui| {
        let name = gallery::called(scene, gallery::title(&scene.name));
        let name = if tuned { format!("• {name} ⏷") } else { format!("{name} ⏷") };
        let text = RichText::new(name).heading().color(if tuned { CHANGED } else { Color32::from_gray(235) });
        let mut hint = Action::Scenes.hint();
        if tuned {
            hint += "\nThe dot: something was changed and is not saved";
        }
        if ui.add(egui::Button::new(text).frame(false).truncate()).hint(hint).clicked() {
            wishes.push(Wish::Act(Action::Scenes));
        }
    });
    ui.horizontal(|ui| {
        let mut button = |ui: &mut Ui, enabled: bool, text: &str, action: Action| {
            let button = ui.add_enabled(enabled, egui::Button::new(text));
            let hint = action.hint();
            if button.hint(hint).clicked() {
                wishes.push(Wish::Act(action));
            }
        };
        button(ui, true, "Save…", Action::Save);
        button(ui, undo, "Undo", Action::Undo);
        button(ui, redo, "Redo", Action::Redo);
        button(ui, true, "Copy", Action::Copy);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let hint = "Every value back to the scene's";
            let button = ui.add_enabled(tuned, egui::Button::new("Reset"));
            if button.hint(hint).clicked() {
                let (scene, mut draft) = (&edit.changed, edit.original.draft());
                (draft.seed, draft.mouse) = (scene.seed, scene.mouse);
                edit.other = Some(Ok(draft));
            }
        });
    });
}

/// What the scene suggests; what is a change of values has a button that makes it.
fn things_to_try(ui: &mut Ui, scene: &Scene, wishes: &mut Vec<Wish>) {
    if scene.things_to_try.is_empty() {
        return;
    }
    let more = egui::CollapsingHeader::new("Things to try").id_salt("things").show(ui, |ui| {
        for thing in &scene.things_to_try {
            let changes = Scene::changes_to_try(thing);
            // The command is for a shell; here a button does it.
            let text = thing.split(" --set ").next().unwrap_or(thing).trim_end_matches(':');
            ui.horizontal_top(|ui| {
                if !changes.is_empty() && !thing.contains("path/to") {
                    let hint = format!("The scene's own values, with {}", changes.join(" "));
                    if ui.small_button("Try").hint(hint).clicked() {
                        wishes.push(Wish::Try(changes));
                    }
                }
                ui.add(egui::Label::new(RichText::new(text).small()).wrap()).hint(thing);
            });
        }
    });
    more.header_response.hint("What the scene suggests, with a button for each change");
}

/// How it looks, and what colors tell.
fn picture(ui: &mut Ui, scene: &Scene, wishes: &mut Vec<Wish>) {
    let mut look = scene.look;
    let hint = format!("{}\nKey: look.name", Action::Look.hint());
    row(ui, "Look", &hint, false, |ui| {
        list(ui, "look", look.name.word(), &hint, |ui| {
            for name in LookName::ALL {
                ui.selectable_value(&mut look.name, *name, readable(name.word()));
            }
        });
    });
    let hint = format!("What the colors of agents tell\n{}\nKey: look.color", Action::Color.hint());
    row(ui, "Color", &hint, false, |ui| {
        list(ui, "color", color_name(look.color), &hint, |ui| {
            for by in ColorBy::ALL {
                ui.selectable_value(&mut look.color, *by, color_name(*by));
            }
        });
    });
    if look != scene.look {
        wishes.push(Wish::Look(look));
    }
}

/// What colors tell, for a person.
pub fn color_name(by: ColorBy) -> &'static str {
    match by {
        ColorBy::Own => "The species' own",
        ColorBy::Heading => "Heading",
        ColorBy::Speed => "Speed",
        ColorBy::Species => "Species",
        ColorBy::State => "Action state",
        ColorBy::Winner => "Priority that decided",
        ColorBy::Neighbors => "Neighbors",
        ColorBy::Density => "Density",
        ColorBy::Force => "Steering force",
        ColorBy::Depth => "Depth",
        ColorBy::Error => "Error of the GPU",
    }
}

/// The scene with as many agents as at first, in the world of then. What nobody changed meanwhile is as it was, to the bit: scaled
/// back, it would differ by what was rounded.
fn fewer_again(scene: &Scene, original: &Scene) -> Result<Draft, SceneError> {
    fn back<T: PartialEq + Clone>(now: &mut T, (here, scaled, was): (&T, &T, &T)) {
        if here == scaled {
            now.clone_from(was);
        }
    }
    let scaled = original.with_agents(scene.agent_count())?;
    let mut draft = scene.with_agents(original.agent_count())?.draft();
    back(&mut draft.world.size, (&scene.world.size, &scaled.world.size, &original.world.size));
    back(&mut draft.camera.center, (&scene.camera.center, &scaled.camera.center, &original.camera.center));
    back(&mut draft.scenery, (&scene.scenery, &scaled.scenery, &original.scenery));
    for (index, now) in draft.species.iter_mut().enumerate() {
        let [Some(here), Some(scaled), Some(was)] = [scene, &scaled, original].map(|scene| scene.species.get(index))
        else {
            continue;
        };
        back(&mut now.count, (&here.count, &scaled.count, &was.count));
        back(&mut now.rules, (&here.rules, &scaled.rules, &was.rules));
        for (behavior, now) in now.behaviors.iter_mut().enumerate() {
            let all = [here, scaled, was].map(|species| species.behaviors.get(behavior));
            if let [Some(here), Some(scaled), Some(was)] = all {
                back(&mut now.parameters, (&here.parameters, &scaled.parameters, &was.parameters));
            }
        }
    }
    Ok(draft)
}

/// Number of agents, seed, what happens at the edges, and dialect.
fn world(ui: &mut Ui, edit: &mut Edit) {
    let (scene, original) = (edit.scene, edit.original);
    let agents = scene.agent_count();
    let hint = "Number of agents of all species together: another one starts anew. The world grows or shrinks with it, so that their density stays";
    let back = row(ui, "Agents", hint, agents != original.agent_count(), |ui| {
        match typed(ui, "agents", &grouped(agents.into()), |text| whole(text, (1, MOST_AGENTS))) {
            Some(Ok(number)) if number != agents => {
                let scaled = scene.with_agents(number).map(|scene| scene.draft());
                edit.other = Some(scaled.map_err(|error| error.message));
            }
            Some(Err(why)) => edit.other = Some(Err(format!("Agents {why}"))),
            _ => {}
        }
    });
    if back {
        edit.other = Some(fewer_again(scene, original).map_err(|error| error.message));
    }
    let hint = "Seed of all random numbers: another one starts anew\nKey: seed";
    let back = row(ui, "Seed", hint, scene.seed != original.seed, |ui| {
        match typed(ui, "seed", &scene.seed.to_string(), |text| whole(text, (0, u32::MAX))) {
            Some(Ok(seed)) => edit.changed.seed = seed,
            Some(Err(why)) => edit.other = Some(Err(format!("Seed {why}"))),
            None => {}
        }
    });
    if back {
        edit.changed.seed = original.seed;
    }
    let more = egui::CollapsingHeader::new("World").id_salt("world").show(ui, |ui| more_of_the_world(ui, edit));
    more.header_response.hint("What happens at its edges, and whose defaults hold");
}

fn more_of_the_world(ui: &mut Ui, edit: &mut Edit) {
    let (scene, original) = (edit.scene, edit.original);
    let axes = if scene.world.spatial { 3 } else { 2 };
    for (axis, name) in (0..axes).zip(["Boundary, x", "Boundary, y", "Boundary, z"]) {
        let hint = "At the ends of the axis: wrap joins them, contain turns agents back, open lets them go\nKey: world.boundary";
        let now = &mut edit.changed.world.boundary[axis];
        let was = original.world.boundary[axis];
        let back = row(ui, name, hint, *now != was, |ui| {
            list(ui, name, now.word(), hint, |ui| {
                for boundary in Boundary::ALL {
                    ui.selectable_value(now, *boundary, readable(boundary.word()));
                }
            });
        });
        if back {
            *now = was;
        }
    }
    let hint = "Whose defaults hold for the keys that the scene does not give\nKey: dialect";
    let (mut chosen, was) = (scene.dialect, original.dialect);
    let back = row(ui, "Dialect", hint, chosen != was, |ui| {
        list(ui, "dialect", scene.dialect.word(), hint, |ui| {
            for dialect in Dialect::ALL {
                ui.selectable_value(&mut chosen, *dialect, readable(dialect.word()));
            }
        });
    });
    chosen = if back { was } else { chosen };
    if chosen != scene.dialect {
        let other = scene.with_dialect(chosen).map(|scene| scene.draft());
        edit.other = Some(other.map_err(|error| error.message));
    }
}

/// A field whose text counts when Enter is pressed or something else is clicked; Esc gives it up. None where nothing was typed.
fn typed<T>(
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
    let response = ui.add(field.font(egui::TextStyle::Monospace)).hint("Enter takes it over");
    gives_turn(ui, &response);
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, text));
        return None;
    }
    ui.data_mut(|data| data.remove::<String>(id));
    let given_up = ui.input(|input| input.key_pressed(egui::Key::Escape));
    (response.lost_focus() && !given_up && text != shown).then(|| parse(&text))
}

/// Which number has the focus after Tab: on a slider, typed digits would be keys of the camera.
#[derive(Clone, Copy)]
enum Turn {
    Next,
    To(egui::Id),
}

/// The number that has its turn, and the number before the one that comes.
const TURN: &str = "turn of numbers";
const BEFORE: &str = "number before";

/// A number is about to be shown: it takes the focus if it is its turn.
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

/// A number was shown: where Tab leaves it, it is the turn of another one.
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
        // On the way back the focus goes with the next frame.
        Some(true) if number.has_focus() => before.map(Turn::To),
        _ => None,
    };
    if let Some(turn) = turn {
        ui.data_mut(|data| data.insert_temp(egui::Id::unique(TURN), turn));
        ui.ctx().request_repaint();
    }
}

/// Beyond the last number, Tab goes on as everywhere.
fn end_turns(ui: &Ui) {
    ui.data_mut(|data| {
        data.remove::<egui::Id>(egui::Id::unique(BEFORE));
        if matches!(data.get_temp(egui::Id::unique(TURN)), Some(Turn::Next)) {
            data.remove::<Turn>(egui::Id::unique(TURN));
        }
    });
}

/// A word that opens a list of words.
fn list(ui: &mut Ui, name: &str, chosen: &str, hint: &str, entries: impl FnOnce(&mut Ui)) {
    let list = egui::ComboBox::from_id_salt(name).width(CHOICE_WIDTH).selected_text(readable(chosen));
    list.show_ui(ui, entries).response.hint(hint);
}

/// A name with something beside it, marked where that was changed. Says whether it is to be reset.
fn row(ui: &mut Ui, name: &str, hint: &str, changed: bool, show: impl FnOnce(&mut Ui)) -> bool {
    ui.horizontal(|ui| {
        let reset = marked(ui, name, hint, changed);
        show(ui);
        reset
    })
    .inner
}

/// A name, marked where its value was changed. Says whether that is to be reset.
fn marked(ui: &mut Ui, name: &str, hint: &str, changed: bool) -> bool {
    if !changed {
        name_of(ui, name, hint, false);
        return false;
    }
    let hint = format!("{hint}\nRight-click or double-click: back to the scene's value");
    let response = name_of(ui, &format!("• {name}"), &hint, true);
    response.secondary_clicked() || response.double_clicked()
}

fn name_of(ui: &mut Ui, name: &str, hint: &str, changed: bool) -> egui::Response {
    let text = RichText::new(name);
    let text = if changed { text.color(CHANGED) } else { text };
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

/// Name and number of a species, marked where something of it was changed, behind a dot in the color that its agents have,
/// where they have but one.
fn tab(ui: &Ui, scene: &Scene, index: usize, color: Option<[f32; 3]>, changed: bool) -> LayoutJob {
    let species = &scene.species[index];
    let mut job = LayoutJob::default();
    let mut add = |text: RichText| text.append_to(&mut job, ui.style(), egui::FontSelection::Default, Align::Center);
    if let Some([red, green, blue]) = color {
        // On the look's sky, as in the picture: that of some looks is as dark as the panel.
        let [sky_red, sky_green, sky_blue] = Look::of(scene.look.name).sky[2].1;
        let dot = RichText::new("⏺").color(Color32::from(egui::Rgba::from_rgb(red, green, blue)));
        add(dot.background_color(Color32::from_rgb(sky_red, sky_green, sky_blue)));
        add(RichText::new(" "));
    }
    let name = format!("{} ({})", readable(&species.name), grouped(species.count.into()));
    add(if changed { RichText::new(format!("• {name}")).color(CHANGED) } else { RichText::new(name) });
    job
}

/// What the colors of agents mean: on the look's sky, as in the picture.
fn legend(ui: &mut Ui, scene: &Scene, species: &Species) {
    let look = Look::of(scene.look.name);
    let color = |of: [u8; 3]| {
        let [red, green, blue] = look.agents(of);
        Color32::from(egui::Rgba::from_rgb(red, green, blue))
    };
    let plain = |[red, green, blue]: [u8; 3]| Color32::from_rgb(red, green, blue);
    let word = |text: &str, color: Color32| RichText::new(text).small().color(color);
    let of = render::color_of(scene, species);
    let scale = scale(scene, species);
    let names: Vec<String> = match of {
        Color::State if !species.rules.is_empty() => species.states.clone(),
        Color::Winner if species.combine.decides() => {
            let most = species.behaviors.iter().filter(|b| b.is_active()).map(|b| b.priority).max();
            (0..=most.unwrap_or(0)).map(|priority| format!("priority {priority}")).collect()
        }
        _ => Vec::new(),
    };
    // What only says that there is nothing to tell is no picture.
    let tells = scale.is_some() || of == Color::Heading || !names.is_empty();
    let ground = if tells { plain(look.sky[2].1) } else { Color32::TRANSPARENT };
    egui::Frame::new().fill(ground).corner_radius(4.0).inner_margin(5.0).show(ui, |ui| {
        // One height for all, so that the rows below stay where they are.
        ui.set_min_height(LEGEND_HEIGHT);
        ui.horizontal_wrapped(|ui| match (scale, of) {
            (None, Color::Heading) => {
                let (place, _) = ui.allocate_exact_size(vec2(LEGEND_HEIGHT, LEGEND_HEIGHT), Sense::hover());
                wheel(ui.painter(), place.center(), 0.25 * LEGEND_HEIGHT, 0.5 * LEGEND_HEIGHT, &HEADING.map(color));
                ui.label(word("color is heading", plain(look.ink)));
            }
            (Some((from, to, unit)), _) => {
                ui.spacing_mut().item_spacing.x = 0.0;
                ui.label(word(&format!("{from} "), plain(look.ink)));
                for step in SPEED {
                    let (place, _) = ui.allocate_exact_size(vec2(12.0, 10.0), Sense::hover());
                    ui.painter().rect_filled(place, 0.0, color(step));
                }
                ui.label(word(&format!(" {to} {unit}"), plain(look.ink)));
            }
            _ if names.is_empty() => drop(ui.label(RichText::new(one_color(scene, of)).small().weak())),
            _ => {
                for (name, of) in names.iter().zip(CATEGORY.into_iter().cycle()) {
                    ui.label(word(&format!("⏺ {name}"), color(of)));
                }
            }
        });
    });
}

/// What there is to say where all agents of a species have one color.
fn one_color(scene: &Scene, of: Color) -> &'static str {
    match of {
        Color::State if scene.species.iter().all(|species| species.rules.is_empty()) => "no species has action states",
        Color::State => "this species has no action states",
        Color::Winner if !scene.species.iter().any(|species| species.combine.decides()) => {
            "no species has combine = \"priority\""
        }
        Color::Winner => "this species has no combine = \"priority\"",
        _ => "one color for each species",
    }
}

/// What the two ends of the scale of colors mean, where there is one.
fn scale(scene: &Scene, species: &Species) -> Option<(String, String, &'static str)> {
    let numbers = |from: f32, to: f32, unit| Some((short(from.into()), short(to.into()), unit));
    match scene.look.color {
        ColorBy::Neighbors => numbers(0.0, MANY_NEIGHBORS, "neighbors, log scale"),
        ColorBy::Density => {
            let [from, to] = render::densities(scene);
            numbers(from, to, if scene.world.spatial { "agents/u³, log scale" } else { "agents/u², log scale" })
        }
        ColorBy::Force => numbers(0.0, species.max_force, "kg·u/s²"),
        ColorBy::Depth => Some(("far".to_owned(), "near".to_owned(), "")),
        // Beside the CPU reference, from the same state.
        ColorBy::Error => Some(("none".to_owned(), "max speed".to_owned(), "off in a step, log scale")),
        _ if render::color_of(scene, species) == Color::Speed => numbers(species.min_speed, species.max_speed, "u/s"),
        _ => None,
    }
}

/// A ring with the colors of a cycle, from the right counterclockwise.
fn wheel(painter: &egui::Painter, center: egui::Pos2, inner: f32, outer: f32, colors: &[Color32]) {
    const SPOKES: usize = 64;
    let mut ring = egui::Mesh::default();
    for spoke in 0..=SPOKES {
        let share = spoke as f32 / SPOKES as f32;
        let (first, part) = ((share * colors.len() as f32) as usize, share * colors.len() as f32 % 1.0);
        let color = colors[first % colors.len()].lerp_to_gamma(colors[(first + 1) % colors.len()], part);
        let (sine, cosine) = (share * std::f32::consts::TAU).sin_cos();
        // Down is positive on the screen.
        let along = vec2(cosine, -sine);
        ring.colored_vertex(center + along * inner, color);
        ring.colored_vertex(center + along * outer, color);
    }
    for corner in (0..2 * SPOKES as u32).step_by(2) {
        ring.add_triangle(corner, corner + 1, corner + 2);
        ring.add_triangle(corner + 1, corner + 3, corner + 2);
    }
    painter.add(ring);
}

/// The fields of these names, one of which takes the value that it has in another one.
macro_rules! take {
    ($now:expr, $was:expr, $name:expr; $($field:ident)+) => {
        match $name {
            $(stringify!($field) => $now.$field.clone_from(&$was.$field),)+
            _ => {}
        }
    };
}

/// The numbers of a vehicle that is more than a point mass.
fn vehicle(ui: &mut Ui, path: &str, now: &mut Vehicle, was: &Vehicle, max_speed: f32, notes: &Notes) {
    let mut original = *was;
    let plain = |vehicle: &mut Vehicle| vehicle.numbers().iter().all(|(_, value)| **value == 0.0);
    if plain(now) && plain(&mut original) {
        return;
    }
    ui.add_space(6.0);
    ui.label(RichText::new("Vehicle").strong()).hint("How the body turns steering into motion");
    // By key: a limit that one of the two does not have is no row of it.
    let was_of = |numbers: Vec<(Key, &mut f32)>, name: &str| {
        numbers.into_iter().find(|(key, _)| key.name == name).map(|(_, number)| *number)
    };
    let mut gone = None;
    for (key, value) in now.numbers() {
        let rolls = Banking::KEYS.iter().any(|banking| banking.name == key.name);
        let given = was_of(Table::numbers(&mut original), key.name);
        let given = given.or_else(|| was_of(Banking::default().numbers(), key.name));
        let usual = match key.unit {
            "deg/s" => 180.0,
            "deg/s²" => 1800.0,
            "u/s" => 0.25 * max_speed,
            _ => 1.0,
        };
        let dial = Dial { absent: given.is_none(), ..dial(key, given.unwrap_or(usual)) };
        if slider(ui, value, dial, notes) && given.is_none() {
            gone = Some(key.name);
        }
        notes.show(ui, &format!("{path}vehicle.{}{}", if rolls { "banking." } else { "" }, key.name));
    }
    if let Some(name) = gone {
        put_back_vehicle(now, was, name);
    }
}

/// Give a key of a vehicle the value that it has in another one.
fn put_back_vehicle(now: &mut Vehicle, was: &Vehicle, name: &str) {
    // One needs the other.
    if ["moment_of_inertia", "max_torque"].contains(&name) {
        (now.moment_of_inertia, now.max_torque) = (was.moment_of_inertia, was.max_torque);
    }
    take!(
        now, was, name;
        locomotion integrator facing orientation linear_drag quadratic_drag angular_drag max_angular_speed
        max_angular_acceleration low_speed turn_loss forward_acceleration reverse max_reverse_speed hugs_surface banking
    );
}

/// What was changed and has no slider, to be seen and to be put back.
fn others<'a>(
    ui: &mut Ui,
    now: &mut Species,
    was: &Species,
    changes: impl Iterator<Item = (&'a str, &'a str)>,
    path: &str,
    notes: &Notes,
) {
    let rows = notes.rows.borrow();
    let others: Vec<_> = changes.filter(|(key, _)| !rows.contains(&format!("{path}{key}"))).collect();
    if others.is_empty() {
        return;
    }
    ui.add_space(6.0);
    ui.label(RichText::new("Changed, without a slider").strong()).hint("Values that --set or a file changes");
    for (key, value) in others {
        let back = row(ui, &readable(&key.replace('.', ": ")), &format!("Key: {key}"), true, |ui| {
            let value = drawable(&steerling::scene::shorten(value.trim(), 60));
            ui.add(egui::Label::new(RichText::new(value).monospace()).truncate());
        });
        if back {
            put_back(now, was, key);
        }
    }
}

/// Give a key of a species, by its path, the value that it has in another one. Of tables and lists it is the whole.
fn put_back(now: &mut Species, was: &Species, key: &str) {
    let (first, rest) = key.split_once('.').unwrap_or((key, ""));
    let (second, third) = rest.split_once('.').unwrap_or((rest, ""));
    match first {
        "vehicle" => put_back_vehicle(&mut now.vehicle, &was.vehicle, second),
        "behaviors" => {
            let pairs = now.behaviors.iter_mut().zip(&was.behaviors);
            if let Some((now, was)) = pairs.into_iter().find(|(now, _)| now.spec.name == second) {
                let own = third.split('.').next().unwrap_or_default();
                match now.spec.parameters.iter().position(|parameter| parameter.name == own) {
                    Some(column) => now.parameters[column] = was.parameters[column],
                    None => {
                        take!(now, was, own; enabled weight weight_spread floor priority states state_weights jitter limit)
                    }
                }
            }
        }
        _ => take!(
            now, was, first;
            name count mass max_speed min_speed max_force variation radius body time_constant color spawn perceives k_nearest
            combine silence dither update_every smoothing_time states state_speeds state_forces deposit deposit_states rules
        ),
    }
}

fn hint(spec: &BehaviorSpec) -> String {
    format!("{}\nKey: behaviors.{}", spec.summary, spec.name)
}

/// What formulas name of a body: its symbol, its value and its unit.
type Body = [(&'static str, f32, &'static str); 3];

fn show_behavior(
    ui: &mut Ui,
    (species, body): (&str, Body),
    now: &mut Behavior,
    was: &Behavior,
    half_axis: f32,
    notes: &Notes,
) {
    let spec = now.spec;
    ui.add_space(6.0);
    let title = RichText::new(readable(spec.name)).strong();
    let title = if now.enabled == was.enabled { title } else { title.color(CHANGED) };
    ui.horizontal(|ui| {
        let response = ui.checkbox(&mut now.enabled, title).hint(hint(spec));
        if response.secondary_clicked() {
            now.enabled = was.enabled;
        }
        // What was added and is taken away leaves nothing behind, which no row would show.
        if response.changed() && !now.enabled && !was.enabled {
            now.clone_from(was);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = ui.small_button("Formula");
            let button = button.hint("What it computes, where that comes from, and the laws that hold it");
            let popup = egui::Popup::menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
            let left = egui::Layout::top_down(egui::Align::Min);
            // No wider and no higher than the window.
            let room = (ui.ctx().content_rect().size() - vec2(32.0, 48.0)).min(vec2(PAGE_WIDTH, PAGE_HEIGHT));
            popup.width(room.x).layout(left).show(|ui| page(ui, now, body, room));
        });
    });
    let path = format!("{species}behaviors.{}", spec.name);
    notes.show(ui, &format!("{path}.enabled"));
    // With every behavior's sliders at hand, those that count would be hard to find.
    if now.enabled {
        let keys = behavior_keys(spec);
        let (common, own) = keys.split_at(keys.len() - spec.parameters.len());
        if let Some(key) = common.iter().find(|key| key.name == "weight") {
            let weight = if was.weight == 0.0 { spec.default_weight } else { was.weight };
            let span = (weight.min(0.0) * 4.0, weight.max(0.0) * 4.0);
            slider(ui, &mut now.weight, Dial { span, ..dial(*key, was.weight) }, notes);
            notes.show(ui, &format!("{path}.weight"));
        }
        let defaults = spec.parameters.iter().map(|parameter| parameter.default);
        for ((key, default), (value, was)) in
            own.iter().zip(defaults).zip(now.parameters.iter_mut().zip(&was.parameters))
        {
            if let (Setting::Number(value), Setting::Number(was)) = (value, *was) {
                show_parameter(ui, *key, default, value, was, half_axis, notes);
                notes.show(ui, &format!("{path}.{}", key.name));
            }
        }
    }
}

/// What a behavior computes, from its shader's head, with the values of now, and the laws that hold it.
fn page(ui: &mut Ui, behavior: &Behavior, body: Body, room: egui::Vec2) {
    let spec = behavior.spec;
    egui::ScrollArea::vertical().max_height(room.y).show(ui, |ui| {
        ui.set_max_width(room.x - 12.0);
        if spec.file.header.is_empty() {
            ui.label(spec.summary);
        }
        let last = spec.file.header.iter().rposition(|line| is_formula(line));
        let mut lines = 0;
        for part in spec.file.header.chunk_by(|one, next| is_prose(one) && is_prose(next)) {
            lines += part.len();
            if part[0].is_empty() {
                ui.add_space(3.0);
                continue;
            }
            // What is set in is a formula, and keeps its lines.
            let text = RichText::new(drawable(part.join(" ").trim_end()));
            let formula = is_formula(part[0]);
            ui.add(egui::Label::new(if formula { text.monospace().color(FORMULA) } else { text }).wrap());
            if last.is_some_and(|last| lines == last + 1) {
                ui.add(egui::Label::new(RichText::new(values(behavior, body)).small()).wrap()).hint(SYMBOLS);
            }
        }
        let laws = laws_of(spec);
        if !laws.is_empty() {
            ui.add_space(6.0);
            ui.label(RichText::new("Laws").strong()).hint(format!("Tried by: steerling conform {}", spec.name));
        }
        for law in laws {
            ui.add(egui::Label::new(format!("• {}", drawable(law.statement))).wrap()).hint(law.name);
        }
    });
}

/// The numbers that a behavior's formulas name, as they are now.
fn values(behavior: &Behavior, body: Body) -> String {
    let spec = behavior.spec;
    let formulas = spec.file.header.iter().filter(|line| is_formula(line));
    let named: Vec<&str> = formulas.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let own = spec.parameters.iter().zip(&behavior.parameters).filter_map(|(parameter, value)| match value {
        Setting::Number(value) => Some((parameter.name, *value, parameter.unit)),
        _ => None,
    });
    let weight = ("weight", behavior.weight, spec.weight_unit.split(';').next().unwrap_or(""));
    let told = own.chain(body).filter(|(name, ..)| named.contains(name));
    let all: Vec<String> = std::iter::once(weight)
        .chain(told)
        .map(|(name, value, unit)| format!("{name} = {} {unit}", short(value.into())).trim_end().to_owned())
        .collect();
    format!("Now {}", all.join(", "))
}

/// Is a line of a shader's head set in?
fn is_formula(line: &str) -> bool {
    line.starts_with("  ")
}

/// Does a line of a shader's head belong to a paragraph?
fn is_prose(line: &str) -> bool {
    !line.is_empty() && !is_formula(line)
}

fn show_parameter(ui: &mut Ui, key: Key, default: f32, value: &mut f32, was: f32, half_axis: f32, notes: &Notes) {
    match key.range {
        Range::Choice(words) => {
            ui.horizontal(|ui| {
                if show_name(ui, &key, *value != was) {
                    *value = was;
                }
                let chosen = words[(*value as usize).min(words.len() - 1)];
                list(ui, key.name, chosen, &key.summary(), |ui| {
                    for (index, word) in words.iter().enumerate() {
                        ui.selectable_value(value, index as f32, readable(word));
                    }
                });
            });
        }
        Range::Whole { min, max } => {
            let dial = Dial { key, original: was, absent: false, span: (min as f32, max as f32) };
            slider(ui, value, dial, notes);
        }
        Range::Number { min, max } => {
            let base = if was > 0.0 { was } else { default.max(1.0) };
            let end = match key.unit {
                "deg" => max,
                // The number of neighbors grows with the square or the cube of the radius.
                "u" => (2.0 * base).min(half_axis),
                _ => 4.0 * base,
            };
            slider(ui, value, Dial { span: (min, end.min(max)), ..dial(key, was) }, notes);
        }
        // Targets and places are changed in the scene.
        _ => {}
    }
}

/// A dial whose slider reaches to four times the scene's value.
fn dial(key: Key, original: f32) -> Dial {
    let (min, max) = key.bounds().unwrap_or((0.0, f32::MAX));
    let end = if original > 0.0 { 4.0 * original } else { 1.0 };
    Dial { key, original, absent: false, span: (min.max(0.0), end.min(max)) }
}

/// Name, slider, number and unit, each in a column of its own. Says whether it was reset.
fn slider(ui: &mut Ui, value: &mut f32, dial: Dial, notes: &Notes) -> bool {
    let whole = matches!(dial.key.range, Range::Whole { .. });
    let (min, max) = match dial.key.range {
        Range::Whole { min, max } => (min as f32, max as f32),
        _ => dial.key.bounds().unwrap_or((f32::MIN, f32::MAX)),
    };
    ui.horizontal(|ui| {
        let mut reset = show_name(ui, &dial.key, dial.absent || *value != dial.original);
        let mut shown = *value;
        ui.spacing_mut().slider_width = SLIDER_WIDTH;
        let rail = egui::Slider::new(&mut shown, dial.span.0..=dial.span.1)
            .clamping(egui::SliderClamping::Never)
            .step_by(if whole { 1.0 } else { 0.0 })
            .show_value(false);
        let response = ui.add(rail);
        // A slider takes any button for dragging, and knows no clicks.
        let secondary = egui::PointerButton::Secondary;
        let pressed =
            ui.input(|input| input.pointer.button_down(secondary) || input.pointer.button_released(secondary));
        reset |= pressed && response.contains_pointer();
        let mut changed = response.changed();
        response.late_hint("Drag; right-click: back to the scene's value");

        // The unit of the default form stands beside the number, those of the others in the hint.
        let unit = dial.key.unit.split(';').next().unwrap_or_default();
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let size = vec2(UNIT_WIDTH, ui.spacing().interact_size.y);
            ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
                ui.set_min_width(UNIT_WIDTH);
                ui.label(RichText::new(unit).weak().small());
            });
            let name = readable(dial.key.name);
            let now = f64::from(shown);
            let parse = |text: &str| {
                // What is shown has fewer digits than the value, which stays where nothing was typed.
                if text.trim() == boxed(now) {
                    return Some(now);
                }
                let number =
                    number(text).and_then(|number| match (f64::from(min)..=f64::from(max)).contains(&number) {
                        true => Ok(if whole { number.round() } else { number }),
                        false => {
                            let (min, max) = (short(min.into()), short(max.into()));
                            // Somebody may have meant a decimal comma.
                            let thousand =
                                parts_thousands(text).then_some("; a comma before three digits parts thousands");
                            Err(format!("must be between {min} and {max} {unit}").trim_end().to_owned()
                                + thousand.unwrap_or_default())
                        }
                    });
                number
                    .map_err(|why| *notes.refused.borrow_mut() = Some(format!("{name} stays as it is: {}", why.trim())))
                    .ok()
            };
            let speed = f64::from((dial.span.1 - dial.span.0).abs().max(1e-3)) / 200.0;
            let field = egui::DragValue::new(&mut shown)
                .speed(speed)
                .min_size(vec2(NUMBER_WIDTH, ui.spacing().interact_size.y))
                .update_while_editing(false)
                .custom_formatter(|number, _| format!("{:>FIGURES$}", boxed(number)))
                .custom_parser(parse);
            let id = ui.next_auto_id();
            takes_turn(ui, id);
            let field = ui.add(field);
            gives_turn(ui, &field);
            changed |= field.changed();
            field
                .late_hint("Click to type a number, drag to change it\n1.5 or 1,5 is one and a half, 1,000 a thousand");
        });
        if changed && shown.is_finite() {
            *value = shown.clamp(min, max);
        }
        if reset && !dial.absent {
            *value = dial.original;
        }
        reset
    })
    .inner
}

/// The name of a value, marked where it was changed. Says whether it is to be reset.
fn show_name(ui: &mut Ui, key: &Key, changed: bool) -> bool {
    let units = if key.unit.contains(';') { format!("\nUnit: {}", key.unit) } else { String::new() };
    let hint = format!("{}{units}\nKey: {}", key.summary(), key.name);
    marked(ui, &readable(key.name), &hint, changed)
}

#[cfg(test)]
mod tests {
    use super::super::history::History;
    use super::*;
    use egui::accesskit::Role;
    use egui_kittest::{Harness, kittest::NodeT, kittest::Queryable};
    use steerling::scene::{BEHAVIORS, PRESETS};

    /// A panel under the hands of a user, and what comes of it.
    struct Desk {
        panel: Panel,
        original: Scene,
        scene: Scene,
        history: History,
        said: Vec<String>,
        tried: Vec<String>,
        /// Is a dialog open over it?
        dialog: bool,
    }

    impl Desk {
        fn show(&mut self, ui: &mut Ui) {
            let (scene, original) = (self.scene.clone(), self.original.clone());
            let history = (self.history.can_undo(), self.history.can_redo());
            let about = About { scene: &scene, original: &original, tuned: *scene != *original, history };
            let mut wishes = Vec::new();
            self.panel.show(ui, &about, &mut wishes);
            if self.dialog {
                egui::Modal::new(egui::Id::unique("dialog")).show(ui.ctx(), |ui| ui.label("a dialog"));
            }
            for wish in wishes {
                let now = self.scene.draft();
                let next = match wish {
                    Wish::Tune(draft) => {
                        self.history.record(now, false);
                        Some(*draft)
                    }
                    Wish::Act(Action::Undo) => self.history.undo(now),
                    Wish::Act(Action::Redo) => self.history.redo(now),
                    Wish::Say(text) => {
                        self.said.push(text);
                        None
                    }
                    Wish::Try(changes) => {
                        self.tried.extend(changes);
                        None
                    }
                    _ => None,
                };
                self.scene = next.map_or(scene.clone(), |draft| draft.validate().expect("a scene"));
            }
        }

        fn enables(&self, behavior: &str) -> bool {
            self.scene.species[0].behaviors.iter().any(|b| b.spec.name == behavior && b.enabled)
        }
    }

    fn desk(name: &str) -> Harness<'static, Desk> {
        let scene = Scene::open(name, &[]).expect("a preset");
        let (panel, history) = (Panel::default(), History::default());
        let (said, tried) = (Vec::new(), Vec::new());
        let desk = Desk { panel, original: scene.clone(), scene, history, said, tried, dialog: false };
        let size = vec2(WIDTH + 16.0, 3000.0);
        let mut desk = Harness::builder().with_size(size).build_ui_state(|ui, desk: &mut Desk| desk.show(ui), desk);
        desk.run();
        desk
    }

    /// Type a number into the first field, which is that of the greatest speed.
    fn type_number(desk: &mut Harness<Desk>, text: &str) -> f32 {
        let fields: Vec<_> = desk.get_all_by_role(Role::SpinButton).collect();
        fields[0].click();
        drop(fields);
        desk.run();
        desk.event(egui::Event::Text(text.to_owned()));
        desk.run();
        desk.key_press(egui::Key::Enter);
        desk.run();
        desk.state().scene.species[0].max_speed
    }

    #[test]
    fn tabs_show_one_species_at_a_time() {
        let mut desk = desk("predator_and_prey");
        let names: Vec<String> = desk.state().scene.species.iter().map(|s| readable(&s.name)).collect();
        let only = |desk: &Harness<Desk>, of: usize, other: usize| {
            let species = &desk.state().scene.species;
            let acts = |s: &Species, name: &str| s.behaviors.iter().any(|b| b.spec.name == name && b.enabled);
            let mine = species[of].behaviors.iter().filter(|b| b.enabled && !acts(&species[other], b.spec.name));
            mine.map(|b| readable(b.spec.name)).collect::<Vec<_>>()
        };
        let (first, second) = (only(&desk, 0, 1), only(&desk, 1, 0));
        assert!(!first.is_empty() && !second.is_empty(), "{first:?} {second:?}");
        let shown =
            |desk: &Harness<Desk>, names: &[String]| names.iter().all(|name| desk.query_by_label(name).is_some());
        assert!(shown(&desk, &first) && !shown(&desk, &second));
        desk.get_by_label_contains(&format!("{} (", names[1])).click();
        desk.run();
        assert!(!shown(&desk, &first) && shown(&desk, &second), "the other tab");
    }

    #[test]
    fn a_behavior_is_found_added_and_taken_back() {
        let mut desk = desk("arrive");
        assert!(!desk.state().enables("cohesion"));
        assert!(desk.get_by_label("Undo").accesskit_node().is_disabled(), "there is nothing to undo");
        desk.get_by_label("+ Add behavior").click();
        desk.run();
        assert!(desk.query_by_label("Alignment").is_some(), "all others are listed");
        desk.event(egui::Event::Text("cohes".to_owned()));
        desk.run();
        assert!(desk.query_by_label("Cohesion").is_some());
        assert!(desk.query_by_label("Alignment").is_none(), "the list is searched");
        desk.key_press(egui::Key::Enter);
        desk.run();
        assert!(desk.state().enables("cohesion"), "Enter takes the first that is found");
        desk.get_by_label("Undo").click();
        desk.run();
        assert!(!desk.state().enables("cohesion"), "it is taken back");
        desk.get_by_label("Redo").click();
        desk.run();
        assert!(desk.state().enables("cohesion"), "and made again");
    }

    #[test]
    fn numbers_are_typed_with_a_comma_and_refused_with_a_reason() {
        let mut desk = desk("arrive");
        let before = desk.state().scene.species[0].max_speed;
        assert_ne!(before, 12.5);
        assert_eq!(type_number(&mut desk, "12,5"), 12.5);
        assert!(desk.state().said.is_empty(), "{:?}", desk.state().said);
        for (text, why) in [
            ("fast", "is not a number"),
            ("1e9", "must be between"),
            ("-3", "must be between"),
            ("10,000,000", "must be between"),
            ("9,999,99", "1,234.5"),
            ("-1,000", "parts thousands"),
        ] {
            desk.state_mut().said.clear();
            assert_eq!(type_number(&mut desk, text), 12.5, "{text} changes nothing");
            let said = desk.state().said.join("; ");
            assert!(said.contains(why) && said.contains("Max speed"), "{text}: {said}");
        }
        assert_eq!(type_number(&mut desk, "1,000"), 1000.0, "as the panel writes it");
        assert_eq!(type_number(&mut desk, "7.25"), 7.25, "and then it goes on");
    }

    fn tuned(name: &str, changes: &[&str]) -> Scene {
        let changes: Vec<_> = changes.iter().map(|change| change.parse().expect("an override")).collect();
        Scene::open(name, &changes).expect("a scene")
    }

    /// A number that the file does not have moves no other row's mark and no other row's value.
    #[test]
    fn rows_of_a_vehicle_belong_to_their_keys() {
        let mut desk = desk("gulls");
        assert_eq!(desk.state().original.species[0].vehicle.max_angular_speed, None);
        let changes = ["species.0.vehicle.max_angular_speed=90", "species.0.vehicle.banking.righting=0.75"];
        desk.state_mut().scene = tuned("gulls", &changes);
        desk.run();
        for name in ["• Max angular speed", "Low speed", "• Righting", "Leaning", "Rate"] {
            assert!(desk.query_all_by_label(name).next().is_some(), "{name}");
        }
        desk.get_by_label("• Righting").click_secondary();
        desk.run();
        let original = desk.state().original.species[0].vehicle;
        assert_eq!(desk.state().scene.species[0].vehicle.banking, original.banking);
        desk.get_by_label("• Max angular speed").click_secondary();
        desk.run();
        assert_eq!(desk.state().scene.species[0].vehicle, original, "it has none again");
        assert!(desk.query_by_label_contains("Max angular speed").is_none());
    }

    #[test]
    fn what_cannot_act_is_grayed() {
        let mut desk = desk("arrive");
        desk.get_by_label("+ Add behavior").click();
        desk.run();
        let gray = |desk: &Harness<Desk>, label: &str| desk.get_by_label(label).accesskit_node().is_disabled();
        assert!(gray(&desk, "Flow field") && gray(&desk, "Forage") && gray(&desk, "Path following"));
        assert!(!gray(&desk, "Cohesion"));
        desk.get_by_label("Flow field").click();
        desk.run();
        assert!(!desk.state().enables("flow_field"));
    }

    #[test]
    fn a_behavior_shows_its_formulas_and_laws() {
        let mut desk = desk("arrive");
        let formula = "y = r - v τ";
        assert!(desk.query_by_label_contains(formula).is_none(), "the page is closed");
        let buttons: Vec<_> = desk.get_all_by_label("Formula").collect();
        assert_eq!(buttons.len(), 2, "one for each behavior that is shown");
        // Separation comes first.
        buttons[1].click();
        drop(buttons);
        desk.run();
        assert!(desk.query_by_label_contains(formula).is_some(), "the head of the shader");
        let law = laws_of(BEHAVIORS.iter().find(|spec| spec.name == "arrive").expect("arrive"))[0].statement;
        assert!(desk.query_by_label_contains(law).is_some(), "{law}");
        assert!(desk.query_by_label_contains("k/d").is_none(), "nothing of separation");
        // With the values of now.
        let slow = "Now weight = 1, slow_radius = ";
        assert!(desk.query_by_label_contains(&format!("{slow}20")).is_none());
        let change = "species.0.behaviors.arrive.slow_radius=17.5";
        desk.state_mut().scene = tuned("arrive", &[change]);
        desk.run();
        assert!(desk.query_by_label_contains(&format!("{slow}17.5 u, max_speed = ")).is_some());
    }

    /// Every built-in behavior has its formula, and the keys that formulas name are its own or its species'.
    #[test]
    fn every_behavior_has_a_formula_of_its_keys() {
        let scene = Scene::open("flock", &[]).expect("a preset");
        for spec in BEHAVIORS.iter() {
            let formulas: Vec<&str> = spec.file.header.iter().filter(|line| is_formula(line)).copied().collect();
            assert!(formulas.iter().any(|line| line.contains("A = ") || line.contains("α = ")), "{}", spec.name);
            let known = |name: &str| {
                let species = ["max_speed", "max_angular_speed"].contains(&name);
                let word = |range: &Range| matches!(range, Range::Choice(words) if words.contains(&name));
                species || spec.parameters.iter().any(|p| p.name == name || word(&p.range))
            };
            let names = formulas.iter().flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
            let unknown: Vec<&str> = names.filter(|name| name.contains('_') && !known(name)).collect();
            assert!(unknown.is_empty(), "{}: {unknown:?} are no keys", spec.name);
        }
        let separation = scene.species[0].active_behavior("separation").expect("it has one");
        let told = values(separation, [("max_speed", 20.0, "u/s"), ("τ", 0.25, "s"), ("a", 60.0, "u/s²")]);
        assert!(told.contains("exponent = ") && told.ends_with("max_speed = 20 u/s, τ = 0.25 s"), "{told}");
    }

    /// What the page of a behavior and the text of a scene say has no character that the fonts lack.
    #[test]
    fn every_character_can_be_drawn() {
        let of = |spec: &BehaviorSpec| {
            let laws = laws_of(spec).into_iter().map(|law| law.statement.to_owned());
            let keys = behavior_keys(spec).into_iter().map(|key| format!("{} {}", key.summary(), key.unit));
            let header = spec.file.header.iter().map(|line| (*line).to_owned());
            laws.chain(keys).chain(header).chain([spec.summary.to_owned()]).collect::<Vec<String>>()
        };
        let scenes = PRESETS.iter().map(|preset| Scene::open(preset.name, &[]).expect("a preset"));
        let texts = scenes
            .flat_map(|scene| scene.things_to_try.iter().cloned().chain([scene.shows.clone()]).collect::<Vec<_>>());
        let texts: Vec<String> = texts.chain(BEHAVIORS.iter().flat_map(of)).map(|text| drawable(&text)).collect();
        let context = egui::Context::default();
        let mut missing = std::collections::BTreeSet::new();
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            for style in [egui::TextStyle::Body, egui::TextStyle::Monospace] {
                let font = style.resolve(ui.style());
                ui.fonts_mut(|fonts| {
                    missing.extend(texts.iter().flat_map(|text| text.chars()).filter(|c| !fonts.has_glyph(&font, *c)));
                });
            }
        });
        output.textures_delta.clear();
        assert!(texts.len() > 300, "{}", texts.len());
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn warnings_stand_below_the_slider_that_they_speak_of() {
        let mut desk = desk("arrive");
        assert!(desk.query_by_label_contains("⚠").is_none(), "a preset has none");
        for (change, name, next) in [
            ("species.0.behaviors.arrive.slow_radius=1", "• Slow radius", "Capture radius"),
            ("species.0.time_constant=0.001", "• Time constant", "Separation"),
        ] {
            let change = change.parse().expect("an override");
            let tuned = Scene::open("arrive", &[change]).expect("a scene");
            let told: Vec<_> = tuned.lint().into_iter().map(|lint| lint.message).collect();
            assert!(!told.is_empty());
            desk.state_mut().scene = tuned;
            desk.run();
            let top = |label: &str| desk.get_by_label(label).rect().top();
            let warning = desk.get_by_label(&format!("⚠ {}", told[0])).rect().top();
            assert!(top(name) < warning && warning < top(next), "{name}: {} {warning} {}", top(name), top(next));
        }
    }

    /// Another scene is read from its beginning.
    #[test]
    fn the_panel_of_another_scene_begins_at_its_top() {
        let mut desk = desk("arrive");
        let size = desk.ctx.content_rect().size();
        desk.set_size(vec2(size.x, 300.0));
        desk.run_steps(12);
        let agents = |desk: &Harness<Desk>| desk.get_by_label("Agents").rect().top();
        let top = agents(&desk);
        desk.event(egui::Event::PointerMoved(egui::pos2(0.5 * size.x, 200.0)));
        let (unit, delta) = (egui::MouseWheelUnit::Point, vec2(0.0, -90.0));
        let (phase, source) = (egui::TouchPhase::Move, egui::MouseWheelSource::Wheel);
        desk.event(egui::Event::MouseWheel { unit, delta, phase, source, modifiers: Default::default() });
        desk.run_steps(12);
        assert!(agents(&desk) < top - 40.0, "it is scrolled");
        desk.state_mut().panel = Panel::default();
        desk.run_steps(12);
        assert_eq!(agents(&desk), top);
    }

    #[test]
    fn things_to_try_are_buttons() {
        let mut desk = desk("topological");
        desk.get_by_label("Things to try").click();
        desk.run();
        let buttons: Vec<_> = desk.get_all_by_label("Try").collect();
        assert_eq!(buttons.len(), 4, "all of them are changes of values");
        buttons[0].click();
        drop(buttons);
        desk.run();
        assert_eq!(desk.state().tried, ["species.0.k_nearest=0"]);
    }

    /// The sliders of a body are those of the species, and not of how its agents differ, which have the same names.
    #[test]
    fn the_sliders_of_a_body_show_its_own_numbers() {
        for preset in PRESETS {
            let desk = desk(preset.name);
            let species = &desk.state().scene.species[0];
            let numbers = [species.max_speed, species.min_speed, species.max_force, species.time_constant];
            let shown: Vec<_> = desk.get_all_by_role(Role::SpinButton).take(4).collect();
            for (number, field) in numbers.into_iter().zip(shown) {
                let told = field.accesskit_node().value().unwrap_or_default();
                assert_eq!(told.trim(), short(number.into()), "{}", preset.name);
            }
        }
    }

    /// A name that is too long for its column takes two lines; none is cut.
    #[test]
    fn long_names_take_two_lines() {
        let mut scene = desk("arrive");
        let height = |desk: &Harness<Desk>, name: &str| desk.get_by_label(name).rect().height();
        let line = height(&scene, "Slow radius");
        for width in [WIDTH, 320.0] {
            scene.set_size(vec2(width, 3000.0));
            scene.run();
            let radius = scene.get_all_by_label("Perception radius").next().expect("a name").rect();
            assert!(radius.right() < NAME_WIDTH + 20.0, "{radius}");
            if width < WIDTH {
                assert!(radius.height() > 1.5 * line, "{radius} of {line}");
            } else {
                assert!(radius.height() < 1.5 * line, "{radius} of {line}");
            }
        }
    }

    #[test]
    fn what_colors_tell_has_a_scale() {
        for (word, text) in [
            ("neighbors", "255 neighbors, log scale"),
            ("density", "agents/u², log scale"),
            ("force", "kg·u/s²"),
            ("speed", "u/s"),
            ("depth", "near"),
        ] {
            let scene = Scene::open("flock", &[format!("look.color={word}").parse().expect("an override")]);
            let scene = scene.expect("a scene");
            let told = scale(&scene, &scene.species[0]).map(|(from, to, unit)| format!("{from} to {to} {unit}"));
            assert!(told.as_deref().is_some_and(|told| told.contains(text)), "{word}: {told:?}");
        }
        let scene = Scene::open("flock", &[]).expect("a scene");
        assert_eq!(scale(&scene, &scene.species[0]), None, "headings have a wheel");
    }

    #[test]
    fn the_world_goes_back_like_every_other_value() {
        let mut desk = desk("arrive");
        let original = desk.state().original.clone();
        let more = original.agent_count() * 7;
        let changed = original.with_agents(more).expect("a scene");
        let changed = changed.edit(|draft| {
            draft.seed += 1;
            draft.world.boundary[1] = Boundary::Open;
            Ok(())
        });
        desk.state_mut().scene = changed.expect("a scene");
        desk.run();
        desk.get_by_label("World").click();
        desk.run();
        for name in ["• Seed", "• Boundary, y", "• Agents"] {
            assert_ne!(desk.state().scene, original);
            desk.get_by_label(name).click_secondary();
            desk.run();
            assert!(desk.query_by_label(name).is_none(), "{name}");
        }
        assert_eq!(*desk.state().scene, *original, "to the bit, the world's size too");
    }

    /// Tab goes from number to number: on a name or a slider, typed digits would be keys of the camera.
    #[test]
    fn tab_goes_to_the_next_number() {
        let mut desk = desk("arrive");
        let fields: Vec<_> = desk.get_all_by_role(Role::SpinButton).collect();
        fields[0].click();
        drop(fields);
        desk.run();
        for text in ["30", "2"] {
            desk.event(egui::Event::Text(text.to_owned()));
            desk.run();
            desk.key_press(egui::Key::Tab);
            desk.run();
        }
        let numbers = |desk: &Harness<Desk>| {
            let species = &desk.state().scene.species[0];
            (species.max_speed, species.min_speed, species.max_force)
        };
        let force = numbers(&desk).2;
        assert_eq!(numbers(&desk), (30.0, 2.0, force));
        desk.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::Tab);
        desk.run();
        desk.event(egui::Event::Text("1".to_owned()));
        desk.run();
        desk.key_press(egui::Key::Enter);
        desk.run();
        assert_eq!(numbers(&desk), (30.0, 1.0, force), "and back");
    }

    /// What a slider does is told to who rests on it, and to nobody who has just used it.
    #[test]
    fn the_hint_of_a_slider_waits() {
        let mut desk = desk("arrive");
        let hint = |desk: &Harness<Desk>| {
            let text = "Drag; right-click: back to the scene's value";
            desk.query_all_by_role_and_label(Role::Label, text).next().is_some()
        };
        let place = desk.get_all_by_role(Role::Slider).next().expect("a slider").rect().center();
        let button = |desk: &mut Harness<Desk>, pos, pressed| {
            let button = egui::PointerButton::Primary;
            desk.event(egui::Event::PointerButton { pos, button, pressed, modifiers: Default::default() });
            desk.step();
        };
        let aside = place + vec2(9.0, 0.0);
        desk.event(egui::Event::PointerMoved(place));
        desk.step();
        button(&mut desk, place, true);
        desk.event(egui::Event::PointerMoved(aside));
        desk.step();
        button(&mut desk, aside, false);
        desk.run_steps(20);
        assert!(!hint(&desk), "after a drag");
        desk.event(egui::Event::PointerMoved(place - vec2(0.0, 200.0)));
        desk.run_steps(2);
        desk.event(egui::Event::PointerMoved(place));
        desk.run_steps(3);
        assert!(!hint(&desk), "too early");
        desk.run_steps(8);
        assert!(hint(&desk));
        desk.state_mut().dialog = true;
        desk.run_steps(4);
        assert!(!hint(&desk), "over a dialog");
    }

    /// A number of many digits is written so that it has room, and is not rounded by being looked at.
    #[test]
    fn great_numbers_fit_into_their_box() {
        let changes = ["species.0.behaviors.flee.enabled=true", "species.0.max_force=1234567"];
        let mut desk = desk("arrive");
        desk.state_mut().scene = tuned("arrive", &changes);
        desk.run();
        let before = desk.state().scene.draft();
        let right = desk.get_all_by_role(Role::Slider).map(|rail| rail.rect().right()).fold(0.0, f32::max);
        let told = |field: &egui_kittest::Node| field.accesskit_node().value().unwrap_or_default().trim().to_owned();
        let fields: Vec<_> = desk.get_all_by_role(Role::SpinButton).collect();
        assert!(fields.iter().all(|field| field.rect().left() > right), "a box lies over a slider");
        assert!(fields.iter().any(|field| told(field) == "1e6"), "the distance of flee");
        fields.iter().find(|field| told(field) == "1.23e6").expect("the force").click();
        drop(fields);
        desk.run();
        desk.key_press(egui::Key::Enter);
        desk.run();
        assert!(*desk.state().scene == before);
    }

    /// Colors that tell nothing say so, and the rows below the legend stay where they are.
    #[test]
    fn the_legend_keeps_its_height_and_says_where_it_tells_nothing() {
        let mut desk = desk("flock");
        let top = |desk: &Harness<Desk>| desk.get_by_label("Max speed").rect().top();
        let all = ColorBy::ALL.iter().map(|by| {
            let mut draft = desk.state().original.draft();
            draft.look.color = *by;
            desk.state_mut().scene = draft.validate().expect("a scene");
            desk.run();
            let told = |text: &str| desk.query_all_by_label_contains(text).next().is_some();
            assert_eq!(told("no species has action states"), *by == ColorBy::State, "{by:?}");
            assert_eq!(told("no species has combine = \"priority\""), *by == ColorBy::Winner, "{by:?}");
            top(&desk)
        });
        let tops: Vec<f32> = all.collect();
        assert!(tops.iter().all(|top| *top == tops[0]), "{tops:?}");
    }

    /// What changed is found: at the tab, and in a row even where it has no slider.
    #[test]
    fn every_change_of_a_species_has_a_dot() {
        let mut desk = desk("predator_and_prey");
        assert!(desk.query_by_label_contains("•").is_none());
        let changes = [
            "species.1.k_nearest=3",
            "species.1.vehicle.integrator=\"explicit\"",
            "species.1.vehicle.moment_of_inertia=2",
            "species.1.vehicle.max_torque=9",
            "species.1.variation.radius=0.1",
            "species.1.max_speed=99",
            "species.1.behaviors.wander.jitter=0.5",
            "species.1.behaviors.seek.enabled=true",
        ];
        desk.state_mut().scene = tuned("predator_and_prey", &changes);
        desk.run();
        let names: Vec<_> = desk.state().scene.species.iter().map(|s| readable(&s.name)).collect();
        assert!(desk.query_by_label_contains(&format!("• {} (", names[0])).is_none());
        desk.get_by_label_contains(&format!("• {} (", names[1])).click();
        desk.run();
        assert!(desk.query_by_label("• Max speed").is_some());
        let others = ["K nearest", "Vehicle: integrator", "Variation: radius", "Behaviors: wander: jitter"];
        for name in others.map(|name| format!("• {name}")) {
            desk.get_by_label(&name).click_secondary();
            desk.run();
            assert!(desk.query_by_label(&name).is_none(), "{name}");
        }
        for name in ["• Max torque", "• Max speed"] {
            desk.get_by_label(name).click_secondary();
            desk.run();
        }
        for name in ["Seek", "Wander"] {
            desk.get_by_label(name).click();
            desk.run();
        }
        assert_eq!(desk.state().scene.changed_since(&desk.state().original), []);
        assert!(desk.query_by_label_contains(&format!("• {} (", names[1])).is_none());
    }

    /// Every key of a species, of its vehicle and of a behavior can be put back.
    #[test]
    fn every_key_can_be_put_back() {
        let scene = tuned("traffic", &[]);
        let was = scene.species[0].clone();
        let text = include_str!("panel.rs");
        let head = text.split("mod tests").next().unwrap_or_default();
        let lists: Vec<&str> = head.split("take!(").skip(1).filter_map(|list| list.split(')').next()).collect();
        let listed = |name: &str| lists.iter().any(|list| list.split_whitespace().any(|word| word == name));
        let common = behavior_keys(was.behaviors[0].spec);
        let common = &common[..common.len() - was.behaviors[0].spec.parameters.len()];
        for key in Species::KEYS.iter().chain(Vehicle::KEYS).chain(common) {
            let apart = ["vehicle", "behaviors", "moment_of_inertia", "max_torque"].contains(&key.name);
            assert!(apart || listed(key.name), "{}", key.name);
        }
        let mut now = was.clone();
        now.k_nearest += 1;
        put_back(&mut now, &was, "k_nearest");
        assert_eq!(now, was);
    }

    /// Which color is which species is told where its name stands.
    #[test]
    fn tabs_have_the_colors_of_their_species() {
        for (changes, dots) in
            [(&["look.color=species"][..], 2), (&["look.color=speed"], 0), (&["look.color=density"], 0)]
        {
            let mut desk = desk("predator_and_prey");
            desk.state_mut().scene = tuned("predator_and_prey", changes);
            desk.run();
            assert_eq!(desk.query_all_by_label_contains("⏺ ").count(), dots, "{changes:?}");
        }
        let scene = tuned("predator_and_prey", &["look.color=species"]);
        let colors = render::fixed_colors(&scene);
        assert!(colors[0].is_some() && colors[0] != colors[1], "{colors:?}");
    }

    /// Lay the panel of a scene out, this wide and with so many pixels per point, and say by how much it is too narrow and what it
    /// asked for.
    fn laid_out(scene: &Scene, width: f32, scale: f32, species: usize) -> (f32, Vec<Wish>) {
        let context = egui::Context::default();
        context.all_styles_mut(|style| style.drag_value_text_style = egui::TextStyle::Monospace);
        context.set_pixels_per_point(scale);
        let mut panel = Panel { species, ..Panel::default() };
        let about = About { scene, original: scene, tuned: true, history: (true, true) };
        let (mut beyond, mut wishes) = (0.0, Vec::new());
        for _ in 0..3 {
            let size = egui::Rect::from_min_size(egui::Pos2::ZERO, vec2(1280.0, 4000.0));
            let input = egui::RawInput { screen_rect: Some(size), ..Default::default() };
            let mut output = context.run_ui(input, |ui| {
                wishes.clear();
                let side = egui::Panel::right("flock").exact_size(width).resizable(false);
                side.show(ui, |ui| {
                    let room = ui.available_width();
                    panel.show(ui, &about, &mut wishes);
                    beyond = ui.min_rect().width() - room;
                });
            });
            output.textures_delta.clear();
        }
        (beyond, wishes)
    }

    /// Beside the picture, and below it where the window is as narrow as it can be made, also with more pixels to a point.
    #[test]
    fn every_scene_fits_into_the_panel_and_is_left_as_it_is() {
        for preset in PRESETS {
            let scene = Scene::open(preset.name, &[]).expect("a preset");
            let species = 0..scene.species.len();
            for (species, (width, scale)) in species
                .flat_map(|s| [(WIDTH, 1.0), (WIDTH, 2.0), (400.0, 2.0), (320.0, 1.0), (320.0, 2.0)].map(|at| (s, at)))
            {
                let (beyond, wishes) = laid_out(&scene, width, scale, species);
                let which = format!("{}, species {species}, {width} points, scale {scale}", preset.name);
                assert!(beyond < 0.5, "{which}: {beyond} too wide");
                assert!(wishes.is_empty(), "{which}: it changes by being looked at");
            }
        }
        let (beyond, _) = laid_out(&Scene::open("murmuration", &[]).expect("a preset"), 180.0, 1.0, 0);
        assert!(beyond > 50.0, "too narrow a panel is noticed: {beyond}");
    }
}
