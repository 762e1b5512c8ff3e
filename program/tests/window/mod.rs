//! Tests of the window's widgets, without a window. They are compiled as modules of the program, because its parts are not public.

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

// What most of the tests use, which they take by `use super::*`.
use self::session::*;
use super::actions::Action;
use super::dialogs::Wish;
use super::history::{History, UndoEntry};
use super::panel::{About, Panel, WIDTH};
use super::session::audit::Shares;
use super::session::{Answer, Session};
use egui::accesskit::Role;
use egui::{Event, Key, Pos2, Ui, vec2};
use egui_kittest::{Harness, kittest::NodeT, kittest::Queryable};
use glam::{Vec2, Vec3, vec3};
use std::path::Path;
use std::time::{Duration, Instant};
use steerling::gpu::Options;
use steerling::model::{BufferId, State};
use steerling::render::View;
use steerling::scene::{ColorBy, Draft, PRESETS, Scene, Setting, Species, Target};
use support::{edited, on_cpu, overrides, preset};

/// Try until it comes.
pub fn wait<T>(what: &str, mut come: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = come() {
            return value;
        }
        assert!(start.elapsed().as_secs() < 120, "{what} does not come");
        std::thread::yield_now();
    }
}

/// Input as by hand. Each call also runs the frames that show its effect.
pub trait Hands {
    /// Click the widget with this label.
    fn click(&mut self, label: &str);
    /// Click the widget whose label contains this.
    fn click_part(&mut self, part: &str);
    /// Click one of several widgets with this label.
    fn click_nth(&mut self, label: &str, index: usize);
    /// Click one of several widgets of this kind.
    fn click_role(&mut self, role: Role, index: usize);
    /// Click a place.
    fn click_at(&mut self, at: Pos2);
    /// Right-click, which resets a value to the scene's.
    fn reset(&mut self, label: &str);
    /// Type a text.
    fn types(&mut self, text: &str);
    /// Press a key.
    fn press(&mut self, key: Key);
    /// Type a text, and Enter.
    fn enters(&mut self, text: &str);
    /// Choose `then` from the list that shows `now`.
    fn choose(&mut self, now: &str, then: &str);
}

impl<Shown> Hands for Harness<'_, Shown> {
    fn click(&mut self, label: &str) {
        self.get_by_label(label).click();
        self.run();
    }

    fn click_part(&mut self, part: &str) {
        self.get_by_label_contains(part).click();
        self.run();
    }

    fn click_nth(&mut self, label: &str, index: usize) {
        self.get_all_by_label(label).nth(index).expect("one more").click();
        self.run();
    }

    fn click_role(&mut self, role: Role, index: usize) {
        self.get_all_by_role(role).nth(index).expect("one more").click();
        self.run();
    }

    fn click_at(&mut self, at: Pos2) {
        self.hover_at(at);
        self.run();
        self.drag_at(at);
        self.drop_at(at);
        self.run();
    }

    fn reset(&mut self, label: &str) {
        self.get_by_label(label).click_secondary();
        self.run();
    }

    fn types(&mut self, text: &str) {
        self.event(Event::Text(text.to_owned()));
        self.run();
    }

    fn press(&mut self, key: Key) {
        self.key_press(key);
        self.run();
    }

    fn enters(&mut self, text: &str) {
        self.types(text);
        self.press(Key::Enter);
    }

    fn choose(&mut self, now: &str, then: &str) {
        let shows_it = |list: egui_kittest::Node| list.value().as_deref() == Some(now);
        let index = self.get_all_by_role(Role::ComboBox).position(shows_it);
        self.click_role(Role::ComboBox, index.unwrap_or_else(|| panic!("no list shows {now}")));
        self.click(then);
    }
}

/// A harness that shows a part of the window alone, at this size.
pub fn harness<'a, Shown>(
    size: egui::Vec2,
    shown: Shown,
    show: impl FnMut(&mut Ui, &mut Shown) + 'a,
) -> Harness<'a, Shown> {
    let mut harness = Harness::builder().with_size(size).build_ui_state(show, shown);
    harness.run();
    harness
}

/// Write a scene as text and parse it again. Asserts that this is the same scene, and returns it.
pub fn kept(scene: &Scene) -> Scene {
    let file = format!("{}.toml", scene.name);
    let text = scene.to_toml(&file).expect("a text");
    let again = Scene::parse(&text, &file, &[]).expect("a scene");
    assert_eq!(again.changed_since(scene), [], "kept: {text}");
    again
}

/// The state of a test of the panel: the panel, its scene, and what it asked for.
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
    /// For each species, the shares of its behaviors in the steering.
    pub shares: Vec<Shares>,
    /// Is a second run shown beside this one?
    pub beside: bool,
}

/// What the panel is told of a scene and of another one that it came from.
pub fn about<'a>(scene: &'a Scene, original: &'a Scene, history: (bool, bool)) -> About<'a> {
    let (tuned, looks_at) = (**scene != **original, vec3(3.0, 4.0, 0.0));
    About { scene, original, tuned, history, picked: None, shares: &[], looks_at, beside: false }
}

impl Desk {
    pub fn show(&mut self, ui: &mut Ui) {
        let history = (self.history.can_undo(), self.history.can_redo());
        let about = About { shares: &self.shares, beside: self.beside, ..about(&self.scene, &self.original, history) };
        let mut wishes = Vec::new();
        self.panel.show(ui, &about, &mut wishes);
        if self.dialog {
            egui::Modal::new(egui::Id::unique("dialog")).show(ui.ctx(), |ui| ui.label("a dialog"));
        }
        for wish in wishes {
            if let Some(draft) = self.grant(wish) {
                self.scene = draft.validate().expect("a scene");
            }
        }
    }

    /// Do what was asked for, and return the values that the scene then has, where they are others.
    fn grant(&mut self, wish: Wish) -> Option<Draft> {
        let now =
            UndoEntry { draft: self.scene.draft(), original: self.original.clone(), state_undo: Default::default() };
        match wish {
            Wish::Say(text) => self.said.push(text),
            Wish::Open(name) => self.opened.push(name),
            Wish::Try(changes) => self.tried.extend(changes),
            Wish::Agents(agents) => return self.scene.with_agents(agents).map(|scene| scene.draft()).ok(),
            Wish::Tune(draft) => {
                self.history.record(now, false);
                return Some(*draft);
            }
            Wish::Rewrite(scene) => {
                self.history.record(now, false);
                self.original = (*scene).clone();
                return Some(scene.draft());
            }
            Wish::Act(action @ (Action::Undo | Action::Redo)) => {
                let undoes = matches!(action, Action::Undo);
                let was = if undoes { self.history.undo(now) } else { self.history.redo(now) }?;
                self.original = was.original;
                return Some(was.draft);
            }
            _ => {}
        }
        None
    }

    pub fn enables(&self, behavior: &str) -> bool {
        self.scene.species[0].behaviors.iter().any(|b| b.spec.name == behavior && b.enabled)
    }
}

/// The panel of a preset.
pub fn desk(name: &str) -> Harness<'static, Desk> {
    let scene = tuned(name, &[]);
    let (panel, history) = (Panel::default(), History::default());
    let (said, tried, opened) = (Vec::new(), Vec::new(), Vec::new());
    let (original, dialog, shares, beside) = (scene.clone(), false, Vec::new(), false);
    let desk = Desk { panel, original, scene, history, said, tried, opened, dialog, shares, beside };
    harness(vec2(WIDTH + 16.0, 3000.0), desk, |ui, desk| desk.show(ui))
}

/// Show another scene in place of the current one.
pub fn now(desk: &mut Harness<Desk>, scene: Scene) {
    desk.state_mut().scene = scene;
    desk.run();
}

/// A preset with these changes.
pub fn tuned(name: &str, changes: &[&str]) -> Scene {
    Scene::open(name, &overrides(changes)).expect("a scene")
}
