//! The panel: the world, and the sliders of one species, made from the tables of keys and the registry of behaviors.

pub mod behaviors;
pub mod legend;
pub mod rows;
pub mod rules;
mod species;
pub mod targets;
pub mod why;
pub mod world;

use super::dialogs::Wish;
use super::gallery::fits;
use super::meaning::Meaning;
use super::picked::Portrait;
use super::session::audit::Shares;
use super::session::refusal;
use egui::{Color32, RichText, Ui};
use glam::Vec3;
use std::collections::BTreeSet;
use steerling::render::CATEGORY;
use steerling::scene::{Draft, Lint, Scene, SceneError};

/// Marks values that differ from the scene's.
const CHANGED: Color32 = Color32::from_rgb(255, 190, 90);
/// Width of the panel, points.
pub const WIDTH: f32 = 356.0;
/// What is told of picked agents takes at most this share of the panel's height.
const WHY: f32 = 0.6;
/// More species than this are chosen from a list.
const MOST_TABS: usize = 4;

/// What the panel shows.
#[derive(Default)]
pub struct Panel {
    /// Index of the species that is shown.
    pub species: usize,
    /// What the number means that is under the pointer, or held.
    pub meaning: Option<Meaning>,
    search: String,
    found: Found,
    changes: Changes,
    refused_rule: Option<rules::Refused>,
    /// Was it shown before? At first it shows its top.
    shown: bool,
}

/// Which rows of a species are shown: a flock has more of them than a screen has room.
#[derive(Default)]
pub struct Found {
    /// What their keys have to say, word by word.
    words: String,
    /// Only rows that were changed?
    changed: bool,
    /// The behaviors of which the title alone is shown, by their paths, where no values are looked for.
    folded: BTreeSet<String>,
}

impl Found {
    /// Are all rows shown?
    fn is_all(&self) -> bool {
        self.words.trim().is_empty() && !self.changed
    }
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
            // Another number of all agents, in a world that grew or shrank with it, has a row for all species together.
            if was.world.size != now.world.size {
                self.keys.retain(|(key, _)| !(key.starts_with("species.") && key.ends_with(".count")));
            }
            self.of = Some(Box::new((was.clone(), now.clone())));
        }
    }

    /// Rows of one species, by their paths within it.
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
    /// The agent that is picked.
    pub picked: Option<&'a Portrait<'a>>,
    /// What agents of each species steer by.
    pub shares: &'a [Shares],
    /// The place that one looks at, u.
    pub looks_at: Vec3,
    /// Is another run beside this one?
    pub beside: bool,
}

/// What becomes of the list of species.
#[derive(Clone, Copy)]
enum Rewriting {
    /// A copy of this one comes behind all.
    Copy(usize),
    /// This one goes.
    Remove(usize),
}

/// What rows change, and what there is to say of values.
pub struct Edit<'a> {
    about: &'a About<'a>,
    /// The original's values, to look numbers up in.
    was: Draft,
    /// The scene's values with the changes.
    draft: Draft,
    /// Instead of what changed: a whole scene, or why there is none.
    other: Option<Result<Draft, String>>,
    /// What becomes of the list of species.
    rewriting: Option<Rewriting>,
    /// Why typed text was refused.
    refused: Option<String>,
    /// Why a change of states or rules was.
    refused_rule: &'a mut Option<rules::Refused>,
    /// Warnings that are not shown yet.
    lints: Vec<Lint>,
    /// Keys that have a row.
    rows: BTreeSet<String>,
    /// Which of these are shown.
    found: Found,
    changes: &'a Changes,
    /// The path of the number that is under the pointer, or held.
    touched: Option<String>,
    /// What was asked for beside values.
    wishes: Vec<Wish>,
}

impl Edit<'_> {
    /// Are there values to put back? There may be more species than in the file, which are as they were written.
    fn differs(&self) -> bool {
        self.changes.keys.iter().any(|(key, _)| key != "seed")
            || self.about.scene.agent_count() != self.about.original.agent_count()
    }

    /// The number at a path as the scene was opened; none where it had none.
    fn original_number(&mut self, path: &str) -> Option<f32> {
        self.was.number_at(path).map(|(_, number)| *number)
    }

    /// What the key at a path means.
    fn hint(&mut self, path: &str) -> String {
        self.draft.key(path).map(|key| rows::hint(&key, path)).unwrap_or_default()
    }

    /// Is the row of the key at this path shown?
    fn finds(&self, path: &str) -> bool {
        let Some((_, key)) = path.strip_prefix("species.").and_then(|path| path.split_once('.')) else { return true };
        let is_part =
            |changed: &str| changed.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let changed = || self.changes.keys.iter().any(|(changed, _)| is_part(changed));
        fits(&self.found.words, &key.replace(['_', '.'], " ")) && (!self.found.changed || changed())
    }

    /// Does a key have a row now? If not, what was changed of it is not to be told elsewhere.
    fn shows(&mut self, path: &str) -> bool {
        self.rows.insert(path.to_owned());
        self.finds(path)
    }

    /// A row was shown: take over its number, or put the key back, and show what is to be warned of.
    fn finish(&mut self, ui: &mut Ui, path: &str, number: f32, back: bool) {
        if back {
            self.draft.put_back(self.about.original, path);
        } else if let Some((_, now)) = self.draft.number_at(path) {
            *now = number;
        }
        self.warn(ui, path);
    }

    /// Another scene, or why there is none, is what comes of it.
    fn replace(&mut self, scene: Result<Scene, SceneError>) {
        self.other = Some(scene.map(|scene| scene.draft()).map_err(|error| error.message));
    }

    /// A key has a row: show below it what is to be warned of.
    fn warn(&mut self, ui: &mut Ui, key: &str) {
        self.rows.insert(key.to_owned());
        self.lints.extract_if(.., |lint| lint.key == key).for_each(|lint| warn(ui, &lint.message));
    }

    /// Show the warnings of keys that begin so and have no row.
    fn warn_of_others(&mut self, ui: &mut Ui, prefix: &str) {
        self.lints.extract_if(.., |lint| lint.key.starts_with(prefix)).for_each(|lint| warn(ui, &lint.to_string()));
    }
}

fn warn(ui: &mut Ui, text: &str) {
    let text = RichText::new(format!("⚠ {text}")).small().color(ui.visuals().warn_fg_color);
    ui.add(egui::Label::new(text).wrap());
}

impl Panel {
    /// Show it. Adds what was changed and asked for.
    pub fn show(&mut self, ui: &mut Ui, about: &About, wishes: &mut Vec<Wish>) {
        let scene = about.scene;
        self.changes.update(about.original, scene);
        let mut edit = Edit {
            about,
            was: about.original.draft(),
            draft: scene.draft(),
            other: None,
            rewriting: None,
            refused: None,
            refused_rule: &mut self.refused_rule,
            lints: scene.lint(),
            rows: BTreeSet::new(),
            found: std::mem::take(&mut self.found),
            changes: &self.changes,
            touched: None,
            wishes: Vec::new(),
        };
        ui.spacing_mut().item_spacing.x = 6.0;
        world::title(ui, about, wishes, &mut edit);
        ui.separator();
        if let Some(portrait) = about.picked {
            // The sliders below it keep some room.
            let room = egui::ScrollArea::vertical().id_salt("why").max_height(WHY * ui.available_height());
            room.auto_shrink([false, true]).show(ui, |ui| {
                // Beside the bar that scrolls.
                ui.set_max_width(ui.available_width() - 8.0);
                why::why(ui, scene, portrait, wishes);
            });
            ui.separator();
        }
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
            world::things_to_try(ui, scene, wishes);
            world::world(ui, &mut edit);
            world::picture(ui, &mut edit, about.beside, wishes);
            edit.warn_of_others(ui, "ground.");
            edit.warn_of_others(ui, "map.");
            ui.separator();
            let (shown, search) = (&mut self.species, &mut self.search);
            species::tabs(ui, scene, shown, edit.changes);
            species::find(ui, &mut edit, *shown);
            ui.push_id(*shown, |ui| species::species(ui, &mut edit, *shown, search));
            ui.add_space(12.0);
            rows::end_turns(ui);
        });
        let Edit { draft, other, rewriting, refused, touched, found, wishes: asked, .. } = edit;
        self.found = found;
        self.meaning = touched.and_then(|path| Meaning::of(&draft, &path));
        wishes.extend(asked);
        wishes.extend(refused.map(Wish::Say));
        if let Some(rewriting) = rewriting {
            // What was typed a moment ago goes with it.
            let rewritten = draft.validate().and_then(|scene| match rewriting {
                Rewriting::Copy(index) => {
                    scene.with_copy_of(index, CATEGORY[(scene.species.len() - 1) % CATEGORY.len()])
                }
                Rewriting::Remove(index) => scene.without_species(index),
            });
            wishes.push(match rewritten {
                Ok(scene) => {
                    self.species = match rewriting {
                        Rewriting::Copy(_) => scene.species.len() - 1,
                        Rewriting::Remove(index) => index.saturating_sub(1),
                    };
                    Wish::Rewrite(Box::new(scene))
                }
                Err(error) => Wish::Say(refusal(&error)),
            });
            return;
        }
        match other {
            Some(Ok(draft)) => wishes.push(Wish::Tune(Box::new(draft))),
            Some(Err(why)) => wishes.push(Wish::Say(why)),
            None if draft != **scene => wishes.push(Wish::Tune(Box::new(draft))),
            None => {}
        }
    }
}
