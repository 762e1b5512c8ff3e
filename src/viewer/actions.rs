//! What keys do: one table for the handling and for the key sheet.

use winit::keyboard::{Key, ModifiersState, NamedKey};

/// Something that a key or a button does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Run or pause.
    Pause,
    /// One step, when paused.
    Step,
    /// Ten steps, when paused.
    StepTen,
    /// Back to the start.
    Restart,
    /// Another start.
    NewSeed,
    /// Half the speed.
    Slower,
    /// Twice the speed.
    Faster,
    /// The view that the scene asks for.
    Frame,
    /// The next look.
    Look,
    /// Open or close the key sheet.
    Help,
    /// Show only the picture, or everything again.
    HideUi,
    /// Fill the screen, or no longer.
    FullScreen,
    /// Write the picture to a file.
    Screenshot,
    /// Close what is open.
    Leave,
    /// End the program.
    Quit,
}

/// A row of the table of keys.
#[derive(Debug)]
pub struct KeyRow {
    /// What the keys do.
    pub action: Action,
    /// Each as the key sheet shows it. Letters are upper case, and Shift counts for them and for keys with a name.
    pub keys: &'static [&'static str],
    /// The action in a few words.
    pub text: &'static str,
    /// Again and again while the key is held?
    pub repeats: bool,
}

const fn row(action: Action, keys: &'static [&'static str], text: &'static str) -> KeyRow {
    KeyRow { action, keys, text, repeats: false }
}

const fn repeating(action: Action, keys: &'static [&'static str], text: &'static str) -> KeyRow {
    KeyRow { action, keys, text, repeats: true }
}

/// Every key.
pub const KEYS: &[KeyRow] = &[
    row(Action::Pause, &["Space"], "run or pause"),
    repeating(Action::Step, &["Right"], "one step, when paused"),
    repeating(Action::StepTen, &["Shift+Right"], "ten steps, when paused"),
    row(Action::Restart, &["R"], "restart with the same seed"),
    row(Action::NewSeed, &["Shift+R"], "restart with a new seed"),
    repeating(Action::Slower, &["["], "slower"),
    repeating(Action::Faster, &["]"], "faster"),
    row(Action::Frame, &["F"], "back to the scene's view"),
    row(Action::Look, &["L"], "the next look"),
    row(Action::Help, &["F1", "?"], "show or hide the keys"),
    row(Action::HideUi, &["F2"], "hide or show everything but the picture"),
    row(Action::FullScreen, &["F11"], "full screen or window"),
    row(Action::Screenshot, &["F12"], "save the picture as a PNG"),
    row(Action::Leave, &["Esc"], "close the keys, leave full screen"),
    row(Action::Quit, &["Ctrl+Q"], "quit"),
];

/// What the mouse does, for the key sheet.
pub const MOUSE: &[(&str, &str)] = &[
    ("Left drag", "move a flat world, orbit a spatial one"),
    ("Middle drag, Shift+drag", "move"),
    ("Wheel", "zoom to the cursor"),
    ("Slider", "drag; click its number to type; right-click resets"),
];

impl Action {
    /// The keys of this action, for a hint.
    pub fn keys(self) -> String {
        KEYS.iter().find(|row| row.action == self).map(|row| row.keys.join(" or ")).unwrap_or_default()
    }
}

/// The row of a key that is pressed.
pub fn find(key: &Key, modifiers: ModifiersState) -> Option<&'static KeyRow> {
    let name = name(key, modifiers)?;
    KEYS.iter().find(|row| row.keys.contains(&name.as_str()))
}

/// A key as the table spells it.
fn name(key: &Key, modifiers: ModifiersState) -> Option<String> {
    let (name, shifts) = match key {
        Key::Named(NamedKey::ArrowRight) => ("Right".to_owned(), true),
        Key::Named(NamedKey::Escape) => ("Esc".to_owned(), true),
        Key::Named(named) => (format!("{named:?}"), true),
        Key::Character(text) if text == " " => ("Space".to_owned(), true),
        // Where brackets and the question mark lie, and whether with Shift, differs between keyboards.
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
        find(&key, modifiers).map(|row| row.action)
    }

    #[test]
    fn each_key_does_one_thing() {
        let mut keys: Vec<&str> = KEYS.iter().flat_map(|row| row.keys).copied().collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count, "a key is in the table twice");
        let mut actions: Vec<Action> = KEYS.iter().map(|row| row.action).collect();
        actions.dedup();
        assert_eq!(actions.len(), KEYS.len(), "an action has two rows");
    }

    #[test]
    fn keys_are_found_as_keyboards_send_them() {
        let (none, shift) = (ModifiersState::empty(), ModifiersState::SHIFT);
        let character = |text: &str| Key::Character(text.into());
        assert_eq!(found(Key::Named(NamedKey::Space), none), Some(Action::Pause));
        assert_eq!(found(character(" "), none), Some(Action::Pause));
        assert_eq!(found(Key::Named(NamedKey::ArrowRight), none), Some(Action::Step));
        assert_eq!(found(Key::Named(NamedKey::ArrowRight), shift), Some(Action::StepTen));
        assert_eq!(found(character("r"), none), Some(Action::Restart));
        assert_eq!(found(character("R"), shift), Some(Action::NewSeed));
        assert_eq!(found(character("?"), shift), Some(Action::Help), "Shift is part of typing a question mark");
        assert_eq!(found(Key::Named(NamedKey::F12), none), Some(Action::Screenshot));
        assert_eq!(found(character("q"), ModifiersState::CONTROL), Some(Action::Quit));
        assert_eq!(found(character("q"), none), None);
        assert_eq!(found(character("r"), ModifiersState::CONTROL), None);
    }
}
