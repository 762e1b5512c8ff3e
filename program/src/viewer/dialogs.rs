//! Dialogs over the picture, one at a time, and the wishes with which all parts of the user interface answer.

use super::actions::{Action, KEYS, MOUSE};
use super::cards::Pictures;
use super::format::readable;
use super::gallery::{Gallery, fits};
use super::gui::{ACCENT, Asks, Field};
use super::panel::behaviors::enable;
use super::panel::legend::color_name;
use super::remembered::Remembered;
use super::tools::Brush;
use super::unsaved::Leftover;
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditOutput;
use egui::{Color32, RichText, TextEdit, Ui};
use steerling::scene::{ColorBy, Draft, Look, LookName, PRESETS, Scene, Target};

/// What the user asks for with the mouse, or in a dialog.
pub enum Wish {
    /// Do what a key does, too.
    Act(Action),
    /// Open a preset, or a file.
    Open(String),
    /// Save the scene to a file; `replace`: also if the file exists.
    Save { path: String, replace: bool },
    /// Change values of the scene.
    Tune(Box<Draft>),
    /// Set the number of agents, and scale the world with it.
    Agents(u32),
    /// Go on with a scene of another text.
    Rewrite(Box<Scene>),
    /// Apply these changes, each KEY=VALUE, to the scene.
    Try(Vec<String>),
    /// Show the scene in this look.
    Look(Look),
    /// Set the options of the tools.
    Brush(Brush),
    /// Open the file dialog of the desktop.
    Browse,
    /// Show this species in the panel.
    Species(usize),
    /// Restore the unsaved changes that [`Dialog::Left`] offers.
    Restore,
    /// Discard the unsaved changes that [`Dialog::Left`] offers.
    Forget,
    /// Let the next click in the picture choose the target at this dotted path.
    Point(String),
    /// Set the target at this dotted path.
    Aim(String, Target),
    /// Show a message, such as why something was refused.
    Say(String),
    /// Save the scene, with a dialog for the file, then go on.
    SaveFirst(After),
    /// Go on, although changes are lost.
    Lose(After),
    /// Close the dialog, or the hints.
    Close,
    /// Let a picked agent go.
    LetGo(u32),
    /// Show this one of the picked agents.
    Show(u32),
    /// Pick this agent alone.
    Pick(u32),
    /// Go to a step of the run.
    GoTo(u64),
    /// Rename the mark of a step; `None`: remove it.
    Mark(u64, Option<String>),
    /// Pause when a condition holds; an empty text removes the condition.
    PauseWhen(String),
    /// Write the measured history of the run as a table.
    Table,
    /// Drop the record of the run after the present step.
    GoOn,
}

/// What the user had asked for, before the question about unsaved changes.
#[derive(Clone)]
pub enum After {
    /// Open a preset, or a file.
    Open(String),
    /// End the program.
    Quit,
}

/// A dialog that is open.
pub enum Dialog {
    /// The key sheet.
    Keys(Sheet),
    /// The gallery of scenes.
    Scenes(Gallery),
    /// Asks for the file to save to.
    Save(Saving),
    /// Asks whether to save unsaved changes first.
    Lost(After),
    /// Offers unsaved changes that an earlier window left.
    Left(Leftover),
    /// Says what could not be done, and why.
    Problem {
        /// What could not be done.
        what: String,
        /// Why not.
        why: String,
        /// The dialog to go back to.
        back: Option<Box<Dialog>>,
    },
}

/// The state of the key sheet: all keys and what they do, to be searched and carried out.
#[derive(Default)]
pub struct Sheet {
    /// Words that a row must contain to be shown.
    search: String,
    /// Was it shown already, so that its search has had the focus?
    opened: bool,
}

/// The state of the dialog that asks for the file to save to.
pub struct Saving {
    /// The path as typed.
    pub path: String,
    /// Does that file exist, so that the user must agree to replace it?
    pub exists: bool,
    /// Is it the file that is open?
    pub own: bool,
    /// Why the file could not be written.
    pub problem: Option<String>,
    /// What to do after saving.
    pub then: Option<After>,
    focus: Option<Focus>,
}

/// Where the cursor goes when the field takes the focus.
#[derive(Clone, Copy)]
enum Focus {
    /// Select the file's name, so that typing replaces it.
    Name,
    /// To the end of the path, so that typing continues it.
    End,
}

impl Saving {
    /// A dialog that proposes a path. `then`: what to do after saving.
    pub fn new(path: String, then: Option<After>) -> Saving {
        Saving { path, exists: false, own: false, problem: None, then, focus: Some(Focus::Name) }
    }

    /// Set the path as if it had been typed.
    pub fn type_in(&mut self, path: String) {
        (self.path, self.exists, self.own, self.problem) = (path, false, false, None);
        self.focus = Some(Focus::End);
    }

    /// Ask whether to replace the file, which exists. `own`: it is the one that is open.
    pub fn ask_to_replace(&mut self, own: bool) {
        (self.exists, self.own, self.problem) = (true, own, None);
        self.focus = (!own).then_some(Focus::End);
    }

    /// Show why the file cannot be written, and let the user change the path.
    pub fn refuse(&mut self, why: String) {
        (self.exists, self.own, self.problem) = (false, false, Some(why));
        self.focus = Some(Focus::End);
    }
}

/// Show a dialog over everything else, given the scene that is open and the species that the panel shows. Adds the answer.
pub fn show(
    ui: &Ui,
    dialog: &mut Dialog,
    (scene, species): (&Scene, usize),
    (remembered, pictures): (&Remembered, &mut Pictures),
    wishes: &mut Vec<Wish>,
) {
    let room = ui.ctx().content_rect().size();
    let width = (room.x - 40.0).clamp(120.0, 520.0);
    let frame = egui::Frame::popup(ui.style()).inner_margin(14.0);
    // Each kind of dialog has an id, by which the toolkit keeps its size.
    let kind = match dialog {
        Dialog::Keys(_) => "keys",
        Dialog::Scenes(_) => "scenes",
        Dialog::Save(_) => "save",
        Dialog::Lost(_) => "lost",
        Dialog::Left(_) => "left",
        Dialog::Problem { .. } => "problem",
    };
    let modal = egui::Modal::new(egui::Id::unique(kind)).frame(frame).backdrop_color(Color32::from_black_alpha(140));
    let shown = modal.show(ui.ctx(), |ui| match dialog {
        Dialog::Keys(sheet) => {
            sheet.show(ui, egui::vec2(width, room.y), (scene, species), wishes);
        }
        Dialog::Scenes(gallery) => gallery.show(ui, scene, pictures, remembered, wishes),
        Dialog::Save(saving) => save(ui, width, saving, wishes),
        Dialog::Lost(after) => lost(ui, width, &super::gallery::called(scene, readable(&scene.name)), after, wishes),
        Dialog::Left(found) => left(ui, width, &found.origin, wishes),
        Dialog::Problem { what, why, .. } => problem(ui, width.max((room.x - 80.0).min(640.0)), what, why, wishes),
    });
    shown.backdrop_response.asks_for(wishes, Wish::Close);
}

/// The head of a dialog of this width: a heading, and a button that closes.
fn head(ui: &mut Ui, width: f32, text: &str, wishes: &mut Vec<Wish>) {
    ui.set_width(width);
    ui.horizontal(|ui| {
        ui.heading(text);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.button("✖").on_hover_text("Close (Esc)").asks_for(wishes, Wish::Close);
        });
    });
    ui.add_space(6.0);
}

impl Sheet {
    /// Show the key sheet, made from the table of keys. A search also finds [`commands`] that have no key. `species` is the one that the
    /// panel shows.
    pub fn show(&mut self, ui: &mut Ui, size: egui::Vec2, (scene, species): (&Scene, usize), wishes: &mut Vec<Wish>) {
        head(ui, size.x, "Keys and mouse", wishes);
        let field = TextEdit::singleline(&mut self.search).hint_text("What do you want to do?");
        let field = ui.add(field.desired_width(f32::INFINITY)).on_hover_text("Enter does the first one found");
        if !std::mem::replace(&mut self.opened, true) {
            field.request_focus();
        }
        let entered = field.entered();
        ui.add_space(4.0);
        let most = (size.y - 140.0).max(40.0);
        egui::ScrollArea::vertical().max_height(most).min_scrolled_height(most).auto_shrink(false).show(ui, |ui| {
            // Little space between lines, so that as many as possible are seen at once.
            ui.spacing_mut().item_spacing.y = 0.5;
            let keys = KEYS.iter().map(|bound| {
                let keys = bound.keys.join(if bound.keys.len() > 2 { " " } else { " or " });
                let does = Some(bound.action).filter(|action| action.is_command()).map(Wish::Act);
                (keys, bound.text.to_owned(), does)
            });
            let mouse = MOUSE.iter().map(|(gesture, text)| (gesture.to_string(), text.to_string(), None));
            let mut searched = !self.search.trim().is_empty();
            let more = if searched { commands(scene, species, &self.search) } else { Vec::new() };
            let rows = keys.chain(mouse).chain(more);
            let rows = rows.filter(|(key, text, _)| fits(&self.search, &format!("{key} {text}")));
            let mut rows = rows.peekable();
            if rows.peek().is_none() {
                ui.label(RichText::new("Nothing is found").weak());
            }
            for (key, text, does) in rows {
                let first = does.is_some() && std::mem::take(&mut searched);
                if row(ui, &key, &text, first, does.is_some()) || (first && entered) {
                    wishes.push(Wish::Close);
                    wishes.extend(does);
                }
            }
        });
    }
}

const ADD: &str = "Add behavior";

/// Commands without a key: open a scene, set the look or the colors, show a species, add a behavior to the species that the panel shows.
/// Each has a subject, a text, and its wish. Behaviors are included only if `search` finds them.
fn commands(scene: &Scene, species: usize, search: &str) -> Vec<(String, String, Option<Wish>)> {
    let mut all = Vec::new();
    let mut add = |about: &str, text: String, wish: Wish| all.push((about.to_owned(), text, Some(wish)));
    for preset in PRESETS {
        add("Scene", format!("open {}", readable(preset.name)), Wish::Open(preset.name.to_owned()));
    }
    for name in LookName::ALL {
        let look = Look { name: *name, ..scene.look };
        add("Look", readable(name.word()), Wish::Look(look));
    }
    for color in ColorBy::ALL {
        let look = Look { color: *color, ..scene.look };
        add("Color", color_name(*color).to_owned(), Wish::Look(look));
    }
    for (index, one) in scene.species.iter().enumerate() {
        add("Species", format!("show {}", readable(&one.name)), Wish::Species(index));
    }
    let shown = species.min(scene.species.len().saturating_sub(1));
    for (index, behavior) in scene.species.get(shown).into_iter().flat_map(|one| one.behaviors.iter().enumerate()) {
        if !behavior.enabled && behavior.spec.lacks(scene).is_none() {
            let text = format!("{}, for {}", readable(behavior.spec.name), scene.species[shown].name);
            // A wish has a copy of the scene, so make it only for behaviors that the search finds.
            if !fits(search, &format!("{ADD} {text}")) {
                continue;
            }
            let mut draft = scene.draft();
            enable(&mut draft, shown, index);
            add(ADD, text, Wish::Tune(Box::new(draft)));
        }
    }
    all
}

/// Show a row of the key sheet; `first`: Enter carries it out; `command`: it can be carried out. Returns whether it is to be, by a click.
fn row(ui: &mut Ui, key: &str, text: &str, first: bool, command: bool) -> bool {
    let names = 175.0;
    let line = ui.horizontal_top(|ui| {
        let size = egui::vec2(names, 0.0);
        ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::TOP), |ui| {
            ui.set_min_width(names);
            ui.label(RichText::new(key).monospace().color(ACCENT));
        });
        let text = if first { RichText::new(text).strong().underline() } else { RichText::new(text) };
        if !command {
            ui.add(egui::Label::new(text).wrap());
            return false;
        }
        let label = ui.add(egui::Label::new(text).wrap().sense(egui::Sense::click()));
        label.on_hover_cursor(egui::CursorIcon::PointingHand).clicked()
    });
    line.inner
}

pub fn save(ui: &mut Ui, width: f32, saving: &mut Saving, wishes: &mut Vec<Wish>) {
    head(ui, width, "Save the scene", wishes);
    ui.label("Saves every value as it is now, with camera and look. Comments of the original file stay.");
    ui.add_space(6.0);
    let field = TextEdit::singleline(&mut saving.path).desired_width(f32::INFINITY).font(egui::TextStyle::Monospace);
    let TextEditOutput { response, mut state, .. } = field.show(ui);
    // No hint: it would cover the buttons below.
    let response = response.response.accessible_name("Name or path of the file");
    if let Some(focus) = saving.focus.take() {
        response.request_focus();
        let end = saving.path.chars().count();
        let (from, to) = if matches!(focus, Focus::Name) { stem(&saving.path) } else { (end, end) };
        state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(from), CCursor::new(to))));
        state.store(ui.ctx(), response.id);
    }
    if response.changed() {
        (saving.exists, saving.own, saving.problem) = (false, false, None);
    }
    if let Ok(folder) = std::env::current_dir() {
        ui.label(
            RichText::new(format!("In {}, unless the path says otherwise; .toml is added", folder.display()))
                .weak()
                .small(),
        );
    }
    if saving.exists {
        let which = if saving.own { "This is the file that is open." } else { "There is a file of this name already." };
        ui.colored_label(ACCENT, which);
    }
    if let Some(problem) = &saving.problem {
        ui.colored_label(ACCENT, problem);
    }
    ui.add_space(8.0);
    let entered = response.entered();
    ui.horizontal(|ui| {
        let text = if saving.exists { "Replace it" } else { "Save" };
        let button = ui.button(text).on_hover_text("Write the file");
        // Enter never replaces another file. Of the open file the button takes the focus, so that a second Enter replaces it.
        if saving.own && !button.has_focus() && !response.has_focus() {
            button.request_focus();
        }
        if button.clicked() || (entered && !saving.exists) {
            wishes.push(Wish::Save { path: saving.path.clone(), replace: saving.exists });
        }
        let browse = ui.button("Browse…").on_hover_text("Choose the place in a dialog of the desktop");
        browse.asks_for(wishes, Wish::Browse);
        ui.button("Cancel").on_hover_text("Write nothing (Esc)").asks_for(wishes, Wish::Close);
    });
}

/// Where the name of a file begins and ends in its path, without folder and `.toml`, counted in characters.
fn stem(path: &str) -> (usize, usize) {
    let from = path.rfind(std::path::is_separator).map_or(0, |at| at + 1);
    let to = path.len() - if path.ends_with(".toml") { ".toml".len() } else { 0 };
    let count = |end: usize| path[..end].chars().count();
    (count(from), count(to.max(from)))
}

fn lost(ui: &mut Ui, width: f32, scene: &str, after: &After, wishes: &mut Vec<Wish>) {
    head(ui, width, "Save the changes?", wishes);
    let then = match after {
        After::Open(_) => "Another scene is about to be opened.",
        After::Quit => "The window is about to be closed.",
    };
    ui.label(format!("{scene} has changes that are in no file. {then}"));
    let answers = [
        ("Save…", "Give it a name, then go on", Wish::SaveFirst(after.clone())),
        ("Discard the changes", "Go on without the changes; they are lost", Wish::Lose(after.clone())),
        ("Cancel", "Stay here (Esc)", Wish::Close),
    ];
    foot(ui, answers, wishes);
}

/// The foot of a dialog that asks something: a button for each answer, with its hint and its wish. Enter presses the first button, unless
/// something else has the focus.
fn foot(ui: &mut Ui, answers: [(&str, &str, Wish); 3], wishes: &mut Vec<Wish>) {
    ui.add_space(8.0);
    ui.horizontal_wrapped(|ui| {
        for (text, hint, wish) in answers {
            let button = ui.button(text).on_hover_text(hint);
            if ui.memory(|memory| memory.focused().is_none()) {
                button.request_focus();
            }
            button.asks_for(wishes, wish);
        }
    });
}

/// The dialog that offers the unsaved changes of an earlier window.
pub fn left(ui: &mut Ui, width: f32, origin: &str, wishes: &mut Vec<Wish>) {
    head(ui, width, "Restore the changes?", wishes);
    let name = readable(std::path::Path::new(origin).file_stem().and_then(|stem| stem.to_str()).unwrap_or(origin));
    let text = format!("{name} had changes that were not saved when the window ended unexpectedly.");
    ui.add(egui::Label::new(text).wrap());
    ui.label(RichText::new(origin).weak().small());
    let answers = [
        ("Restore", "Open the scene with these changes, which are not saved yet", Wish::Restore),
        ("Discard the changes", "The changes are lost", Wish::Forget),
        ("Later", "Ask again at the next start (Esc)", Wish::Close),
    ];
    foot(ui, answers, wishes);
}

fn problem(ui: &mut Ui, width: f32, what: &str, why: &str, wishes: &mut Vec<Wish>) {
    head(ui, width, what, wishes);
    egui::ScrollArea::both().max_height(300.0).show(ui, |ui| {
        for line in why.lines() {
            // Lines that quote a file do not wrap, because the line below marks columns.
            let quoted = line.contains(" | ");
            let label = egui::Label::new(RichText::new(line).monospace());
            ui.add(if quoted { label.extend() } else { label.wrap() });
        }
    });
    ui.add_space(8.0);
    ui.button("Close").on_hover_text("Go on with the previous scene (Esc)").asks_for(wishes, Wish::Close);
}
