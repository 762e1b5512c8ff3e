//! What keys do: one table for the handling, the hints, the key sheet and the page docs/window.md.

use super::format::readable;
use winit::keyboard::{Key, ModifiersState, NamedKey};

/// The keys of an action.
#[derive(Debug)]
pub struct Binding {
    /// What the keys do.
    pub action: Action,
    /// Each key as the key sheet shows it. Letters are upper case. Shift is part of the key for letters and for keys with a name.
    pub keys: &'static [&'static str],
    /// The action in a few words.
    pub text: &'static str,
    /// When the keys count.
    pub when: When,
}

/// When a key counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Once for each press, unless text is being typed.
    Pressed,
    /// Repeatedly while it is held, unless text is being typed.
    Held,
    /// Once for each press, also while text is being typed or a dialog is open. Only for keys that type no text.
    Always,
}

/// The actions, and for each when its keys count, the keys and the action in a few words.
macro_rules! actions {
    ($($action:ident $when:ident [$($key:literal),+] $text:literal;)+) => {
        /// Something that a key or a button does.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $(#[doc = $text] $action,)+
        }

        /// All bindings, one for each action.
        pub const KEYS: &[Binding] =
            &[$(Binding { action: Action::$action, keys: &[$($key),+], text: $text, when: When::$when },)+];
    };
}

actions! {
    Pause Pressed ["Space"] "run or pause";
    Step Held ["Right"] "one step, when paused";
    StepTen Held ["Shift+Right"] "ten steps, when paused";
    Back Held ["Left"] "pause, and one step back";
    BackTen Held ["Shift+Left"] "pause, and ten steps back";
    Mark Pressed ["Shift+M"] "mark the current step on the timeline, or remove its mark";
    Restart Pressed ["R"] "restart with the same seed";
    NewSeed Pressed ["Shift+R"] "restart with a new seed";
    Slower Held ["["] "half the speed, down to ×1/8";
    Faster Held ["]"] "twice the speed, up to ×64, then without a limit";
    Scenes Always ["Ctrl+O"] "choose another scene";
    NextScene Pressed ["PageDown"] "the next scene";
    PreviousScene Pressed ["PageUp"] "the previous scene";
    Save Always ["Ctrl+S"] "save the scene as it is now, with camera and look";
    Copy Pressed ["Ctrl+Shift+C"] "copy the changes as a command";
    Undo Pressed ["Ctrl+Z"] "undo the latest change of a value";
    Redo Pressed ["Ctrl+Shift+Z", "Ctrl+Y"] "redo the change that was undone";
    Frame Pressed ["F", "1"] "back to the scene's view";
    Picked Pressed ["Shift+F"] "see all picked agents, from as near as possible";
    Above Pressed ["2"] "see a spatial world from above";
    Side Pressed ["3"] "see a spatial world from the side";
    Flock Pressed ["4"] "follow the flock through space";
    Behind Pressed ["5"] "chase the picked agent, or the one in the middle; again: another one";
    Eyes Pressed ["6"] "see through the eyes of the picked agent, or of the one in the middle; again: another one's";
    Fly Held ["W", "A", "S", "D", "Q", "E"] "fly ahead, left, back, right, down, up";
    Turn Pressed ["T"] "go around a spatial world slowly; again: stop";
    KeepView Pressed ["K"] "keep the current view, up to nine of them";
    KeptView Pressed ["J"] "back to the view that was kept last; again: to the one before it";
    Beside Pressed ["X"] "A beside B: a copy of the run goes on unchanged (A) beside the run that you change (B); \
        again: keep the changes";
    KeepOther Pressed ["Shift+X"] "keep A: go on without the changes";
    Attract Pressed ["B"] "all agents seek the pointer; again: stop";
    Repel Pressed ["N"] "all agents flee the pointer; again: stop";
    Edit Pressed ["V"] "drags move handles of targets, obstacles, paths and regions; again: leave the tool";
    Obstacles Pressed ["O"] "drags draw obstacles, and a right click removes one; again: leave the tool";
    Areas Pressed ["Shift+O"] "drags draw regions that agents are kept in, or goals, and a right click removes one; \
        again: leave the tool";
    Paths Pressed ["Y"] "clicks lay a path, and a right click removes one; again: leave the tool";
    EndPath Pressed ["Enter"] "end the path that is being laid, as a double click does";
    Walls Pressed ["M"] "drags draw walls, right drags or Ctrl+drags open them; again: leave the tool";
    Agents Pressed ["U"] "clicks and drags put agents there, right drags or Ctrl+drags erase them; again: leave the \
        tool";
    Flow Pressed ["Shift+U"] "drags make the flow field flow along them, or lay a trail; right drags or Ctrl+drags \
        calm the field or erase the trail; again: leave the tool";
    Look Pressed ["L"] "the next look";
    Afterglow Pressed ["Z"] "agents leave an afterglow; again: stop";
    Color Pressed ["C"] "the next quantity that colors show";
    Half Pressed ["H"] "draw at half resolution while it runs, or at full resolution";
    Figures Pressed ["I"] "all figures, or one line of them";
    Panel Pressed ["P"] "show or hide the panel";
    Plots Pressed ["G"] "show or hide plots of the run";
    Help Always ["F1", "?"] "show or hide the keys; type there to find one, Enter or a click does it";
    HideUi Always ["F2"] "hide or show everything but the picture";
    FullScreen Always ["F11"] "full screen or window";
    Screenshot Always ["F12"] "save the picture as a PNG that says which run it shows";
    Large Always ["Ctrl+F12"] "save the picture with 3,840 pixels on its longer side";
    Film Always ["Shift+F12"] "record the picture as a film; again: end the film";
    Leave Always ["Esc"] "close what is open, leave a tool, leave full screen";
    Quit Always ["Ctrl+Q"] "quit";
}

/// What the mouse does, for the key sheet.
pub const MOUSE: &[(&str, &str)] = &[
    ("Click", "pick an agent, and see why it steers as it does; where no agent is, or Esc: unpick all"),
    ("Shift+click", "pick one more agent"),
    ("Left or right drag", "move a flat world, orbit a spatial one"),
    ("Middle drag, Shift+drag", "move"),
    ("Drag of a cross", "move the target that it marks"),
    ("Drag of a handle", "in the tool Edit: move, resize, turn; between two points of a path: add a point"),
    ("Right click on a handle", "remove the point of a path, the obstacle or the line"),
    ("Wheel", "zoom to the cursor"),
    ("Timeline", "drag or click: go to that step of the run; click the step to type one"),
    ("Mark on the timeline", "hover: its name; click: go to its step; right click: name or remove it"),
    ("Plot", "hover: values; click: go to that step of the run"),
    ("Slider", "drag; click its number to type; right-click resets"),
    ("Drop a file", "open that scene, or the run that a picture of it shows"),
];

/// The table of keys and gestures of docs/window.md.
#[cfg(test)]
pub fn markdown() -> String {
    let keys = KEYS.iter().map(|bound| (format!("`{}`", bound.keys.join("`, `")), bound.text));
    let rows = keys.chain(MOUSE.iter().map(|(gesture, text)| (gesture.to_string(), *text)));
    rows.fold("| key | what it does |\n| --- | --- |\n".to_owned(), |page, (key, text)| {
        page + &format!("| {key} | {text} |\n")
    })
}

impl Action {
    /// The keys of this action, for a hint.
    pub fn keys(self) -> String {
        self.binding().keys.join(" or ")
    }

    /// Can the key sheet do it, when its row is clicked?
    pub fn is_command(self) -> bool {
        !matches!(self, Action::Fly | Action::Help | Action::EndPath)
    }

    /// What it does and its keys, as a hint.
    pub fn hint(self) -> String {
        format!("{} ({})", readable(self.binding().text), self.keys())
    }

    fn binding(self) -> &'static Binding {
        // The rows are the variants, in the same order.
        &KEYS[self as usize]
    }
}

impl Binding {
    /// Does the key count now? `typing`: is text being typed, or a dialog open? `repeated`: does the event come from holding the key?
    pub fn counts(&self, typing: bool, repeated: bool, key: &Key) -> bool {
        // `?` counts as `Always`, but types text.
        let types = typing && (self.when != When::Always || matches!(key, Key::Character(text) if text == "?"));
        !types && (!repeated || self.when == When::Held)
    }
}

/// The binding of a pressed key, if it has one.
pub fn find(key: &Key, modifiers: ModifiersState) -> Option<&'static Binding> {
    let name = name(key, modifiers)?;
    KEYS.iter().find(|bound| bound.keys.contains(&name.as_str()))
}

/// A key as the table spells it.
fn name(key: &Key, modifiers: ModifiersState) -> Option<String> {
    let (name, shifts) = match key {
        Key::Named(NamedKey::ArrowRight) => ("Right".to_owned(), true),
        Key::Named(NamedKey::ArrowLeft) => ("Left".to_owned(), true),
        Key::Named(NamedKey::Escape) => ("Esc".to_owned(), true),
        Key::Named(named) => (format!("{named:?}"), true),
        Key::Character(text) if text == " " => ("Space".to_owned(), true),
        // Shift is not part of other characters: whether brackets or the question mark need it differs between keyboards.
        Key::Character(text) => (text.to_uppercase(), text.chars().all(char::is_alphabetic)),
        _ => return None,
    };
    let shift = if shifts && modifiers.shift_key() { "Shift+" } else { "" };
    // On a Mac the command key does what Ctrl does elsewhere.
    let control = if modifiers.control_key() || modifiers.super_key() { "Ctrl+" } else { "" };
    Some(format!("{control}{shift}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(key: Key, modifiers: ModifiersState) -> Option<Action> {
        find(&key, modifiers).map(|bound| bound.action)
    }

    #[test]
    fn each_key_does_one_thing() {
        let mut keys: Vec<&str> = KEYS.iter().flat_map(|bound| bound.keys).copied().collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count, "a key is in the table twice");
    }

    #[test]
    fn keys_are_found_as_keyboards_send_them() {
        let (none, shift) = (ModifiersState::empty(), ModifiersState::SHIFT);
        let character = |text: &str| Key::Character(text.into());
        assert_eq!(found(Key::Named(NamedKey::Space), none), Some(Action::Pause));
        assert_eq!(found(character(" "), none), Some(Action::Pause));
        assert_eq!(found(Key::Named(NamedKey::ArrowRight), none), Some(Action::Step));
        assert_eq!(found(Key::Named(NamedKey::ArrowRight), shift), Some(Action::StepTen));
        assert_eq!(found(Key::Named(NamedKey::ArrowLeft), none), Some(Action::Back));
        assert_eq!(found(character("r"), none), Some(Action::Restart));
        assert_eq!(found(character("R"), shift), Some(Action::NewSeed));
        assert_eq!(found(character("?"), shift), Some(Action::Help), "Shift is part of typing a question mark");
        assert_eq!(found(Key::Named(NamedKey::F12), none), Some(Action::Screenshot));
        assert_eq!(found(character("q"), ModifiersState::CONTROL), Some(Action::Quit));
        assert_eq!(found(character("q"), none), Some(Action::Fly));
        assert_eq!(found(character("9"), none), None);
        assert_eq!(found(character("r"), ModifiersState::CONTROL), None);
        assert_eq!(found(character("Z"), ModifiersState::CONTROL | shift), Some(Action::Redo));
        assert_eq!(found(character("z"), ModifiersState::CONTROL), Some(Action::Undo));
        assert_eq!(found(Key::Named(NamedKey::PageDown), none), Some(Action::NextScene));
        assert_eq!(found(Key::Named(NamedKey::Tab), none), None, "Tab is the toolkit's");
    }

    #[test]
    fn while_text_is_typed_only_keys_that_type_nothing_count() {
        let counts = |action: Action, key: &Key| action.binding().counts(true, false, key);
        let letter = Key::Character("r".into());
        assert!(!counts(Action::Pause, &Key::Named(NamedKey::Space)) && !counts(Action::Restart, &letter));
        assert!(!counts(Action::Help, &Key::Character("?".into())));
        assert!(
            counts(Action::Help, &Key::Named(NamedKey::F1)) && counts(Action::Leave, &Key::Named(NamedKey::Escape))
        );
        assert!(KEYS.iter().all(|bound| bound.counts(false, false, &letter)));
        assert!(!KEYS[0].counts(false, true, &Key::Named(NamedKey::Space)), "held, it pauses once");
    }

    /// The page has the table that [`markdown`] makes; the failure prints it.
    #[test]
    fn the_page_of_the_window_has_every_key() {
        let page = include_str!("../../../docs/window.md");
        assert!(page.contains(&markdown()), "docs/window.md has to have:\n{}", markdown());
    }
}
