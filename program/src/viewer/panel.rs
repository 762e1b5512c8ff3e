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
use egui::{RichText, Ui};
use glam::Vec3;
use std::collections::BTreeSet;
use steerling::render::CATEGORY;
use steerling::scene::{Draft, Lint, Scene, SceneError};

/// Width of the panel, points.
pub const WIDTH: f32 = 356.0;
/// The most of the panel's height that the part about picked agents takes, as a share.
const WHY: f32 = 0.6;
/// If there are more species than this, a list takes the place of tabs.
const MOST_TABS: usize = 4;

/// The state of the panel.
#[derive(Default)]
pub struct Panel {
    /// Index of the species that is shown.
    pub species: usize,
    /// The geometric meaning of the number that is under the pointer, or held.
    pub meaning: Option<Meaning>,
    search: String,
    found: Found,
    changes: Changes,
    refused_rule: Option<rules::Refused>,
    /// Was it shown before? The first time it scrolls to its top.
    shown: bool,
}

/// Which rows of a species are shown, since all may be more than fit on a screen.
#[derive(Default)]
pub struct Found {
    /// Words that the key of a row must contain.
    words: String,
    /// Are only changed rows shown?
    changed: bool,
    /// The dotted paths of behaviors that show only their title; ignored while `words` or `changed` choose rows.
    folded: BTreeSet<String>,
}

impl Found {
    /// Are all rows shown?
    fn is_all(&self) -> bool {
        self.words.trim().is_empty() && !self.changed
    }
}

/// The keys that differ between the original scene and the present one, with their values; cached until one of the two drafts changes.
#[derive(Default)]
struct Changes {
    of: Option<Box<(Draft, Draft)>>,
    keys: Vec<(String, String)>,
}

impl Changes {
    fn update(&mut self, was: &Draft, now: &Draft) {
        if self.of.as_ref().is_none_or(|of| (&of.0, &of.1) != (was, now)) {
            self.keys = now.changed_since(was);
            // If the world was scaled with the number of agents, the row "Agents" shows the change for all species together.
            if was.world.size != now.world.size {
                self.keys.retain(|(key, _)| !(key.starts_with("species.") && key.ends_with(".count")));
            }
            self.of = Some(Box::new((was.clone(), now.clone())));
        }
    }

    /// The changed keys of one species, by their paths within it, with their values.
    fn within(&self, species: usize) -> impl Iterator<Item = (&str, &str)> {
        let prefix = format!("species.{species}.");
        self.keys.iter().filter_map(move |(key, value)| Some((key.strip_prefix(&prefix)?, value.as_str())))
    }
}

/// What the panel shows, given by the window.
pub struct About<'a> {
    /// The scene as the user wants it.
    pub scene: &'a Scene,
    /// The scene that values reset to.
    pub original: &'a Scene,
    /// Are there unsaved changes, or is the scene's file missing?
    pub tuned: bool,
    /// Is there a change to undo, and one to redo?
    pub history: (bool, bool),
    /// The picked agents, if any.
    pub picked: Option<&'a Portrait<'a>>,
    /// For each species, the mean shares of its behaviors.
    pub shares: &'a [Shares],
    /// The point at which the camera looks, u.
    pub looks_at: Vec3,
    /// Is another run beside this one?
    pub beside: bool,
}

/// A change of the list of species.
#[derive(Clone, Copy)]
enum Rewriting {
    /// Append a copy of this one.
    Copy(usize),
    /// Remove this one.
    Remove(usize),
}

/// What the rows of the panel read and change in one frame.
pub struct Edit<'a> {
    about: &'a About<'a>,
    /// The values of the original scene, to look numbers up in.
    was: Draft,
    /// The values of the scene with the changes of this frame.
    draft: Draft,
    /// Takes the place of `draft` if set.
    other: Option<Draft>,
    /// A change of the list of species, to be made after all others.
    rewriting: Option<Rewriting>,
    /// Why typed text was refused.
    refused: Option<String>,
    /// Why the latest change of states or rules was refused.
    refused_rule: &'a mut Option<rules::Refused>,
    /// Warnings that no row has shown yet.
    lints: Vec<Lint>,
    /// Dotted paths of the keys that have a row, shown or hidden.
    rows: BTreeSet<String>,
    /// Which of these rows are shown.
    found: Found,
    changes: &'a Changes,
    /// The dotted path of the number that is under the pointer, or held.
    touched: Option<String>,
    /// What was asked for beside changes of values.
    wishes: Vec<Wish>,
}

impl Edit<'_> {
    /// Are there values to reset? Unsaved changes may also be of the text alone, such as an added species, with no value to reset.
    fn differs(&self) -> bool {
        self.changes.keys.iter().any(|(key, _)| key != "seed")
            || self.about.scene.agent_count() != self.about.original.agent_count()
    }

    /// The number at a dotted path in the original scene, if it has one.
    fn original_number(&mut self, path: &str) -> Option<f32> {
        self.was.number_at(path).map(|(_, number)| *number)
    }

    /// The hint of the key at a dotted path.
    fn hint(&mut self, path: &str) -> String {
        self.draft.key(path).map(|key| rows::hint(&key, path)).unwrap_or_default()
    }

    /// Is the row of the key at this dotted path shown, given the search and whether only changed rows are?
    fn finds(&self, path: &str) -> bool {
        let Some((_, key)) = path.strip_prefix("species.").and_then(|path| path.split_once('.')) else { return true };
        let is_part =
            |changed: &str| changed.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let changed = || self.changes.keys.iter().any(|(changed, _)| is_part(changed));
        fits(&self.found.words, &key.replace(['_', '.'], " ")) && (!self.found.changed || changed())
    }

    /// Note that a key has a row, and return whether that is shown. A hidden row still keeps the key out of the list of other changes.
    fn shows(&mut self, path: &str) -> bool {
        self.rows.insert(path.to_owned());
        self.finds(path)
    }

    /// Finish a row: take over its number, or if `back`, reset the key; and show the warnings about the key.
    fn finish(&mut self, ui: &mut Ui, path: &str, number: f32, back: bool) {
        if back {
            self.draft.put_back(self.about.original, path);
        } else if let Some((_, now)) = self.draft.number_at(path) {
            *now = number;
        }
        self.warn(ui, path);
    }

    /// Let the panel change to a whole scene, or say why there is none.
    fn replace(&mut self, scene: Result<Scene, SceneError>) {
        match scene {
            Ok(scene) => self.other = Some(scene.draft()),
            Err(error) => self.refused = Some(error.message),
        }
    }

    /// Note that a key has a row, and show the warnings about the key below it.
    fn warn(&mut self, ui: &mut Ui, key: &str) {
        self.rows.insert(key.to_owned());
        self.lints.extract_if(.., |lint| lint.key == key).for_each(|lint| warn(ui, &lint.message));
    }

    /// Show the remaining warnings about keys with this prefix, which have no row.
    fn warn_of_others(&mut self, ui: &mut Ui, prefix: &str) {
        self.lints.extract_if(.., |lint| lint.key.starts_with(prefix)).for_each(|lint| warn(ui, &lint.to_string()));
    }
}

fn warn(ui: &mut Ui, text: &str) {
    let text = RichText::new(format!("⚠ {text}")).small().color(ui.visuals().warn_fg_color);
    ui.add(egui::Label::new(text).wrap());
}

impl Panel {
    /// Show the panel. Adds changes of values, and what else was asked for.
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
            // Leave some height for the sliders below.
            let room = egui::ScrollArea::vertical().id_salt("why").max_height(WHY * ui.available_height());
            room.auto_shrink([false, true]).show(ui, |ui| {
                // Leave room for the scroll bar.
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
            // Leave room for the scroll bar.
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
        // A change of this frame removes the message about an earlier one, so its own comes after it.
        let refused = refused.map(Wish::Say);
        if let Some(rewriting) = rewriting {
            // Changes of values in the same frame are included.
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
            return wishes.extend(refused);
        }
        let draft = other.unwrap_or(draft);
        if draft != **scene {
            wishes.push(Wish::Tune(Box::new(draft)));
        }
        wishes.extend(refused);
    }
}
