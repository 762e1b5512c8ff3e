//! The widgets of the window, without a window. They are modules of the program, of which they try what it keeps to itself.

mod areas;
mod audit;
mod beside;
mod camera;
mod casting;
mod dashboard;
mod dialogs;
mod edited;
mod filming;
mod flowing;
mod formulas;
mod ghosts;
mod handles;
mod legend;
mod meaning;
mod panel;
mod past;
mod plots;
mod restored;
mod rules;
mod session;
mod things;
mod tools;
mod trailing;
mod why;

use super::actions::Action;
use super::dialogs::Wish;
use super::history::{History, Was};
use super::panel::{About, Panel, WIDTH};
use super::session::audit::Shares;
use egui::{Ui, vec2};
use egui_kittest::Harness;
use steerling::scene::Scene;

/// A panel under the hands of a user, and what comes of it.
pub struct Desk {
    pub panel: Panel,
    pub original: Scene,
    pub scene: Scene,
    pub history: History,
    pub said: Vec<String>,
    pub tried: Vec<String>,
    pub opened: Vec<String>,
    /// Is a dialog open over it?
    pub dialog: bool,
    /// What agents of each species steer by.
    pub shares: Vec<Shares>,
    /// Is another run beside it?
    pub beside: bool,
}

impl Desk {
    pub fn show(&mut self, ui: &mut Ui) {
        let (scene, original) = (self.scene.clone(), self.original.clone());
        let history = (self.history.can_undo(), self.history.can_redo());
        let (tuned, looks_at) = (*scene != *original, glam::Vec3::new(3.0, 4.0, 0.0));
        let shares = &self.shares[..];
        let about = About {
            scene: &scene,
            original: &original,
            tuned,
            history,
            picked: None,
            shares,
            looks_at,
            beside: self.beside,
        };
        let mut wishes = Vec::new();
        self.panel.show(ui, &about, &mut wishes);
        if self.dialog {
            egui::Modal::new(egui::Id::unique("dialog")).show(ui.ctx(), |ui| ui.label("a dialog"));
        }
        for wish in wishes {
            let now = Was { draft: self.scene.draft(), original: original.clone(), back: Default::default() };
            let next = match wish {
                Wish::Tune(draft) => {
                    self.history.record(now, false);
                    Some(*draft)
                }
                Wish::Rewrite(scene) => {
                    self.history.record(now, false);
                    self.original = (*scene).clone();
                    Some(scene.draft())
                }
                Wish::Act(Action::Undo | Action::Redo) => {
                    let undoes = matches!(wish, Wish::Act(Action::Undo));
                    let was = if undoes { self.history.undo(now) } else { self.history.redo(now) };
                    was.map(|was| {
                        self.original = was.original;
                        was.draft
                    })
                }
                Wish::Say(text) => {
                    self.said.push(text);
                    None
                }
                Wish::Agents(agents) => scene.with_agents(agents).map(|scene| scene.draft()).ok(),
                Wish::Open(name) => {
                    self.opened.push(name);
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

    pub fn enables(&self, behavior: &str) -> bool {
        self.scene.species[0].behaviors.iter().any(|b| b.spec.name == behavior && b.enabled)
    }
}

pub fn desk(name: &str) -> Harness<'static, Desk> {
    let scene = Scene::open(name, &[]).expect("a preset");
    let (panel, history) = (Panel::default(), History::default());
    let (said, tried, opened) = (Vec::new(), Vec::new(), Vec::new());
    let (original, dialog, shares, beside) = (scene.clone(), false, Vec::new(), false);
    let desk = Desk { panel, original, scene, history, said, tried, opened, dialog, shares, beside };
    let size = vec2(WIDTH + 16.0, 3000.0);
    let mut desk = Harness::builder().with_size(size).build_ui_state(|ui, desk: &mut Desk| desk.show(ui), desk);
    desk.run();
    desk
}

pub fn tuned(name: &str, changes: &[&str]) -> Scene {
    let changes: Vec<_> = changes.iter().map(|change| change.parse().expect("an override")).collect();
    Scene::open(name, &changes).expect("a scene")
}
