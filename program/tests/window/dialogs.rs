//! Dialogs: what is typed, and what becomes of a name that cannot be.

use super::super::actions::Action;
use super::super::commands::command_of;
use super::super::dialogs::{Saving, Sheet, Wish, left, save};
use super::super::saving::unwritable;
use super::tuned;
use egui::Ui;
use egui_kittest::{Harness, kittest::Queryable};
use steerling::files;
use steerling::scene::{ColorBy, LookName, PRESETS, Scene};

/// What is typed into the field for a name takes the place of the name only.
#[test]
fn typing_replaces_the_name_of_the_file() {
    for (proposal, typed) in
        [("flock.toml", "mine.toml"), ("/a/b.c/flöck.toml", "/a/b.c/mine.toml"), ("/a.toml/.toml", "/a.toml/mine.toml")]
    {
        let saving = Saving::new(proposal.to_owned(), None);
        let show = |ui: &mut Ui, saving: &mut Saving| save(ui, 400.0, saving, &mut Vec::new());
        let mut desk = Harness::builder().build_ui_state(show, saving);
        desk.run();
        desk.event(egui::Event::Text("mine".to_owned()));
        desk.run();
        assert_eq!(desk.state().path, typed);
    }
}

/// A name that is refused stays, with the reason, and typing goes on at its end.
#[test]
fn who_typed_a_name_that_is_refused_types_on() {
    let saving = Saving::new("a.toml".to_owned(), None);
    let show = |ui: &mut Ui, saving: &mut Saving| save(ui, 400.0, saving, &mut Vec::new());
    let mut desk = Harness::builder().build_ui_state(show, saving);
    desk.run();
    desk.event(egui::Event::Text("nowhere/mine".to_owned()));
    desk.run();
    desk.key_press(egui::Key::Enter);
    desk.run();
    let why = "There is no folder nowhere";
    assert!(desk.query_by_label(why).is_none());
    desk.state_mut().refuse(why.to_owned());
    desk.run_steps(2);
    assert!(desk.query_by_label(why).is_some());
    desk.event(egui::Event::Text("2".to_owned()));
    desk.run_steps(2);
    assert_eq!(desk.state().path, "nowhere/mine.toml2");
    assert!(desk.query_by_label(why).is_none(), "it is another name");
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

/// What is typed into the key sheet finds what can be done, Enter does the first, and a click does another.
#[test]
fn the_key_sheet_finds_and_does() {
    let done = |wishes: &[Wish]| {
        let acts = |wish: &Wish| if let Wish::Act(action) = wish { Some(*action) } else { None };
        wishes.iter().filter_map(acts).collect::<Vec<_>>()
    };
    let show = |ui: &mut Ui, state: &mut (Sheet, Vec<Wish>)| {
        let (sheet, wishes) = state;
        let scene = Scene::open("predator_and_prey", &[]).expect("a preset");
        sheet.show(ui, egui::vec2(500.0, 1100.0), (&scene, 1), wishes);
    };
    let size = egui::vec2(800.0, 1100.0);
    let sheet = || Harness::builder().with_size(size).build_ui_state(show, (Sheet::default(), Vec::new()));
    for (typed, action) in [
        ("FILM", Some(Action::Film)),
        ("look next", Some(Action::Look)),
        ("", None),
        ("fly ahead", None),
        ("zzz", None),
    ] {
        let mut desk = sheet();
        desk.run();
        desk.event(egui::Event::Text(typed.to_owned()));
        desk.run();
        assert!(done(&desk.state().1).is_empty(), "{typed}: nothing is done before Enter");
        desk.key_press(egui::Key::Enter);
        desk.run();
        assert_eq!(done(&desk.state().1), Vec::from_iter(action), "{typed}");
    }
    let mut desk = sheet();
    desk.run();
    desk.get_by_label("the next look").click();
    desk.run();
    assert_eq!(done(&desk.state().1), [Action::Look]);
    // What the mouse does, and a key that is held, are only told.
    desk.get_by_label("zoom to the cursor").click();
    desk.get_by_label("fly ahead, left, back, right, down, up").click();
    desk.run();
    assert_eq!(done(&desk.state().1), [Action::Look]);
}

/// The same field finds scenes, looks, colors, species and behaviors: Enter does the first.
#[test]
fn the_key_sheet_finds_what_has_no_key() {
    let found = |typed: &str| {
        let show = |ui: &mut Ui, state: &mut (Sheet, Vec<Wish>)| {
            let scene = Scene::open("predator_and_prey", &[]).expect("a preset");
            state.0.show(ui, egui::vec2(500.0, 900.0), (&scene, 1), &mut state.1);
        };
        let mut desk = Harness::builder().build_ui_state(show, (Sheet::default(), Vec::new()));
        desk.run();
        desk.event(egui::Event::Text(typed.to_owned()));
        desk.run();
        desk.key_press(egui::Key::Enter);
        desk.run();
        desk.state_mut().1.pop()
    };
    assert!(matches!(found("scene open gulls"), Some(Wish::Open(name)) if name == "gulls"));
    assert!(matches!(found("look dusk"), Some(Wish::Look(look)) if look.name == LookName::Dusk));
    assert!(matches!(found("color speed"), Some(Wish::Look(look)) if look.color == ColorBy::Speed));
    let name = Scene::open("predator_and_prey", &[]).expect("a preset").species[0].name.clone();
    assert!(matches!(found(&format!("species show {name}")), Some(Wish::Species(0))));
    let Some(Wish::Tune(draft)) = found("add behavior flee") else { panic!("a behavior") };
    assert!(draft.species[1].enabled("flee").expect("known") && !draft.species[0].enabled("flee").expect("known"));
}

/// What was not saved is offered: restored, forgotten, or left for later.
#[test]
fn what_a_window_left_is_offered() {
    for (button, expected) in [("Restore", 0), ("Discard the changes", 1), ("Later", 2)] {
        let show = |ui: &mut Ui, wishes: &mut Vec<Wish>| left(ui, 400.0, "/home/me/my_birds.toml", wishes);
        let mut desk = Harness::builder().build_ui_state(show, Vec::new());
        desk.run();
        assert!(desk.query_by_label_contains("My birds was changed").is_some());
        desk.get_by_label(button).click();
        desk.run();
        let found = desk.state().iter().map(|wish| match wish {
            Wish::Restore => 0,
            Wish::Forget => 1,
            Wish::Close => 2,
            _ => 3,
        });
        assert_eq!(found.collect::<Vec<_>>(), [expected]);
    }
}

/// Enter goes on with what was left, which loses nothing.
#[test]
fn enter_restores_what_a_window_left() {
    let show = |ui: &mut Ui, wishes: &mut Vec<Wish>| left(ui, 400.0, "/home/me/my_birds.toml", wishes);
    let mut desk = Harness::builder().build_ui_state(show, Vec::new());
    desk.run();
    desk.key_press(egui::Key::Enter);
    desk.run();
    assert!(matches!(desk.state()[..], [Wish::Restore]));
}

/// The dialog of the desktop is asked for beside the name, and what it answers stands there as if it had been typed.
#[test]
fn a_name_may_come_from_the_desktop() {
    let show = |ui: &mut Ui, state: &mut (Saving, Vec<Wish>)| save(ui, 400.0, &mut state.0, &mut state.1);
    let mut saving = Saving::new("a.toml".to_owned(), None);
    saving.ask_to_replace(false);
    let mut desk = Harness::builder().build_ui_state(show, (saving, Vec::new()));
    desk.run();
    desk.get_by_label("Browse…").click();
    desk.run();
    assert!(matches!(desk.state().1[..], [Wish::Browse]));
    desk.state_mut().0.type_in("/b/c.toml".to_owned());
    desk.run();
    assert!(desk.query_by_label("Replace it").is_none(), "another file is not replaced unasked");
    desk.get_by_label("Save").click();
    desk.run();
    assert!(matches!(&desk.state().1[..], [_, Wish::Save { path, replace: false }] if path == "/b/c.toml"));
}
