//! Dialogs: what is typed, and what becomes of a name that cannot be.

use super::super::commands::command_of;
use super::super::dialogs::{Saving, Sheet, left, save};
use super::super::saving::unwritable;
use super::*;
use steerling::files;
use steerling::scene::LookName;

/// The dialog that asks for the name of a file, and what is asked for in it.
fn asked(proposal: &str) -> Harness<'static, (Saving, Vec<Wish>)> {
    let saving = Saving::new(proposal.to_owned(), None);
    harness(vec2(800.0, 600.0), (saving, Vec::new()), |ui, (saving, wishes)| save(ui, 400.0, saving, wishes))
}

/// What is typed into the field for a name takes the place of the name only. One that is refused stays, with the reason, and typing goes
/// on at its end. What the dialog of the desktop answers stands there as if it had been typed.
#[test]
fn the_name_of_a_file_is_typed_refused_and_browsed_for() {
    for (proposal, typed) in
        [("flock.toml", "mine.toml"), ("/a/b.c/flöck.toml", "/a/b.c/mine.toml"), ("/a.toml/.toml", "/a.toml/mine.toml")]
    {
        let mut desk = asked(proposal);
        desk.types("mine");
        assert_eq!(desk.state().0.path, typed);
    }
    let mut desk = asked("a.toml");
    desk.enters("nowhere/mine");
    let why = "There is no folder nowhere";
    assert!(desk.query_by_label(why).is_none());
    desk.state_mut().0.refuse(why.to_owned());
    desk.run_steps(2);
    assert!(desk.query_by_label(why).is_some());
    desk.event(egui::Event::Text("2".to_owned()));
    desk.run_steps(2);
    assert_eq!(desk.state().0.path, "nowhere/mine.toml2");
    assert!(desk.query_by_label(why).is_none(), "it is another name");

    let mut desk = asked("a.toml");
    desk.state_mut().0.ask_to_replace(false);
    desk.run();
    desk.click("Browse…");
    assert!(matches!(desk.state().1[..], [Wish::Browse]));
    desk.state_mut().0.type_in("/b/c.toml".to_owned());
    desk.run();
    assert!(desk.query_by_label("Replace it").is_none(), "another file is not replaced unasked");
    desk.click("Save");
    assert!(matches!(&desk.state().1[..], [_, Wish::Save { path, replace: false }] if path == "/b/c.toml"));
}

/// Why a file cannot be written names its folder, and no file beside it that nobody knows.
#[test]
fn what_cannot_be_written_names_the_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("file"), "").expect("a file");
    for (place, words) in [("missing/mine.toml", "There is no folder"), ("file/mine.toml", "file is no folder")] {
        let path = folder.path().join(place);
        let error = files::write_whole(&path, false, true, |_| Ok(())).expect_err("no folder");
        let why = unwritable(&path, &error);
        let named = path.parent().expect("a folder").display().to_string();
        assert!(why.contains(words) && why.contains(&named) && !why.contains(".steerling"), "{why} of {error}");
    }
}

/// The command says what was changed and nothing else, and what it says makes the scene of now.
#[test]
fn the_command_says_only_what_was_changed() {
    let few = |name: &str, changes: &[&str], agents| tuned(name, changes).with_agents(agents).expect("a scene");
    for (scene, command) in [
        (tuned("flock", &[]), "steerling view flock"),
        (few("flock", &[], 2000), "steerling view flock --agents 2000"),
        (few("flock", &["look.color=speed"], 2000), "steerling view flock --agents 2000 --set 'look.color=\"speed\"'"),
        (tuned("flock", &["seed=7"]), "steerling view flock --set seed=7"),
    ] {
        assert_eq!(command_of(&scene).expect("a command"), command);
    }
    for preset in PRESETS {
        let scene = few(preset.name, &["species.0.max_force=77", "seed=98765"], 1234);
        let command = command_of(&scene).expect("a command");
        let sets: Vec<_> =
            command.split(" --set ").skip(1).map(|set| set.trim_matches('\'').parse().expect("a change")).collect();
        assert!(command.contains(" --agents 1234") && sets.len() == 2, "{command}");
        let again = Scene::open(preset.name, &sets).and_then(|scene| scene.with_agents(1234)).expect("a scene");
        assert_eq!(again.changed_since(&scene), [], "{command}");
    }
}

/// What is typed into the key sheet finds what can be done, scenes, looks, colors, species and behaviors: Enter does the first. A click
/// does another, but what the mouse does, and a key that is held, are only told.
#[test]
fn the_key_sheet_finds_and_does() {
    let sheet = || {
        harness(vec2(800.0, 1100.0), (Sheet::default(), Vec::new()), |ui, (sheet, wishes)| {
            sheet.show(ui, vec2(500.0, 1100.0), (&tuned("predator_and_prey", &[]), 1), wishes);
        })
    };
    let found = |typed: &str| {
        let mut desk = sheet();
        desk.types(typed);
        assert!(desk.state().1.is_empty(), "{typed}: nothing is done before Enter");
        desk.press(Key::Enter);
        let mut wishes: Vec<Wish> = std::mem::take(&mut desk.state_mut().1);
        wishes.retain(|wish| !matches!(wish, Wish::Close));
        assert!(wishes.len() < 2, "{typed}: once");
        wishes.pop()
    };
    assert!(matches!(found("FILM"), Some(Wish::Act(Action::Film))));
    assert!(matches!(found("look next"), Some(Wish::Act(Action::Look))));
    assert!(["", "fly ahead", "zzz"].map(found).iter().all(Option::is_none));
    assert!(matches!(found("scene open gulls"), Some(Wish::Open(name)) if name == "gulls"));
    assert!(matches!(found("look dusk"), Some(Wish::Look(look)) if look.name == LookName::Dusk));
    assert!(matches!(found("color speed"), Some(Wish::Look(look)) if look.color == ColorBy::Speed));
    let name = &tuned("predator_and_prey", &[]).species[0].name;
    assert!(matches!(found(&format!("species show {name}")), Some(Wish::Species(0))));
    let Some(Wish::Tune(draft)) = found("add behavior flee") else { panic!("a behavior") };
    assert!(draft.species[1].enabled("flee").expect("known") && !draft.species[0].enabled("flee").expect("known"));

    let mut desk = sheet();
    for label in ["the next look", "zoom to the cursor", "fly ahead, left, back, right, down, up"] {
        desk.click(label);
    }
    let acts = desk.state().1.iter().filter(|wish| !matches!(wish, Wish::Close));
    assert!(matches!(acts.collect::<Vec<_>>()[..], [Wish::Act(Action::Look)]));
}

/// What was not saved is offered: restored, forgotten, or left for later. Enter goes on with it, which loses nothing.
#[test]
fn what_a_window_left_is_offered() {
    let offered =
        || harness(vec2(800.0, 600.0), Vec::new(), |ui, wishes| left(ui, 400.0, "/home/me/my_birds.toml", wishes));
    let clicked = |button: &str| {
        let mut desk = offered();
        assert!(desk.query_by_label_contains("My birds had changes").is_some());
        desk.click(button);
        std::mem::take(desk.state_mut())
    };
    assert!(matches!(clicked("Restore")[..], [Wish::Restore]));
    assert!(matches!(clicked("Discard the changes")[..], [Wish::Forget]));
    assert!(matches!(clicked("Later")[..], [Wish::Close]));
    let mut desk = offered();
    desk.press(Key::Enter);
    assert!(matches!(desk.state()[..], [Wish::Restore]));
}
