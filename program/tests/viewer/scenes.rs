//! Scenes that are chosen, dropped, tuned and kept.

use super::digest_of;
use super::screen::{Screen, poll};
use std::thread::sleep;
use std::time::Duration;
use steerling::cpu::{Execution, Simulation};
use steerling::model::State;
use steerling::scene::Scene;

/// The first ten minutes: choose a scene, turn a slider, take it back, keep it, come again.
#[test]
fn a_scene_is_chosen_tuned_kept_and_opened_again() {
    let screen = Screen::start();
    let mut window = screen.open(&["flock", "--agents", "500", "--paused"]);
    window.park();

    // A file that is no scene: the window says why, and the scene of before stays.
    std::fs::write(screen.folder.path().join("wrong.toml"), "schema = 1\nsede = 3\n").expect("a file");
    let gallery = window.shows("ctrl+o", "the gallery");
    window.type_line("wrong.toml");
    window.changed_shot(&gallery, "the reason");
    window.shows("Escape", "the gallery again");
    window.shows("Escape", "the scene of before");
    window.press("Right", "a step", |line| line.step == 1);

    window.shows("ctrl+o", "the gallery");
    window.type_line("leader following");
    poll("the scene", || screen.tool(&["search", "--onlyvisible", "--name", "^Steerling - leader_following$"]));
    window.wait_for("its start", |line| line.step == 0);
    let plain = window.ten_steps_from_the_start();
    assert_eq!(plain, digest_of("leader_following", 10));
    window.find_slider(&plain);
    let tuned = window.line().digest;

    window.shows("ctrl+z", "the value of before");
    assert_eq!(window.ten_steps_from_the_start(), plain, "the change is taken back");
    window.shows("ctrl+shift+z", "the tuned value");
    assert_eq!(window.ten_steps_from_the_start(), tuned, "and made again");

    // With changes that are not kept a question comes, and Esc stays. The message about the change goes after six seconds.
    sleep(Duration::from_secs(7));
    window.shows("ctrl+q", "a question");
    window.shows("Escape", "no question");

    // What is typed takes the place of the name, and the ending stays.
    window.shows("ctrl+s", "a field for the name");
    window.type_line("mine");
    let file = screen.folder.path().join("mine.toml");
    window.wait_until("the file", |_| file.is_file());
    let text = std::fs::read_to_string(&file).expect("a text");
    assert!(text.contains("name = \"mine\""), "{text}");
    let comments = |text: &str| text.lines().filter(|line| line.contains('#')).count();
    let original = Scene::open("leader_following", &[]).expect("a preset").draft().source.text;
    assert_eq!(comments(&text), comments(&original), "its comments are kept");
    assert_eq!(digest_of(file.to_str().expect("UTF-8"), 10), tuned, "the file is what was seen");
    window.key("ctrl+q");
    assert!(window.ended().success(), "nothing is lost, and nothing asked");

    let mut window = screen.open(&["mine.toml", "--paused"]);
    assert_eq!(window.ten_steps_from_the_start(), tuned, "opened again it is the same run");
    window.key("ctrl+q");
    assert!(window.ended().success());
}

/// As from a file manager: a scene is opened, what is none is refused with a reason, and what was tuned is not lost unasked.
#[test]
fn a_scene_file_can_be_dropped_on_the_window() {
    let screen = Screen::start();
    let mut window = screen.open(&["flock", "--agents", "500", "--paused"]);
    window.park();
    let shown = |name: &str| {
        let title = format!("^Steerling - {name}$");
        poll("the scene", || screen.tool(&["search", "--onlyvisible", "--name", &title]));
    };
    window.drop_file("first file.toml", Scene::open("leader_following", &[]).expect("a preset").draft().source.text);
    shown(r"leader_following \(first file\.toml\)");
    window.wait_for("its start", |line| line.step == 0);
    let plain = window.ten_steps_from_the_start();
    assert_eq!(plain, digest_of("leader_following", 10));

    // The message that a file is over the window is gone when it no longer is.
    let framed = window.settled_shot();
    for text in [&b"schema = 1\nsede = 3\n"[..], b"schema = ", b"\x89PNG\r\n\x1a\n\0\0"] {
        window.drop_file("wrong.toml", text);
        window.changed_shot(&framed, "the reason");
        window.brings_back("Escape", &framed, "the scene of before");
        window.press("Right", "a step", |line| line.step == 11);
        assert_eq!(window.ten_steps_from_the_start(), plain, "the scene of before goes on");
    }

    window.find_slider(&plain);
    let tuned = window.line().digest;
    // The message about the change goes after six seconds.
    sleep(Duration::from_secs(7));
    window.park();
    let framed = window.settled_shot();
    let flock = || Scene::open("obstacles", &[]).expect("a preset").draft().source.text;
    window.drop_file("second.toml", flock());
    let question = window.changed_shot(&framed, "a question");
    window.brings_back("Escape", &framed, "no question");
    assert_eq!(window.ten_steps_from_the_start(), tuned, "what was tuned is still there");
    window.drop_file("second.toml", flock());
    window.wait_until("the question", |window| window.shot() == question);
    // Enter would save: from there on to Discard.
    window.key("Tab");
    window.key("Return");
    shown(r"obstacles \(second\.toml\)");
    window.wait_for("its start", |line| line.step == 0);
    assert_eq!(window.ten_steps_from_the_start(), digest_of("obstacles", 10));
    window.key("ctrl+q");
    assert!(window.ended().success());
}

/// An editor beside the window: what it writes counts at once, and what is no scene is said over the run, which goes on.
#[test]
fn a_file_that_is_edited_is_taken_over() {
    let screen = Screen::start();
    let file = screen.folder.path().join("edited.toml");
    let text = Scene::open("flock", &[]).expect("a preset").draft().source.text.replace("\"flock\"", "\"edited\"");
    let write = |text: &str| std::fs::write(&file, text).expect("a file");
    let digest = || {
        let scene = Scene::open(file.to_str().expect("UTF-8"), &[]).and_then(|scene| scene.with_agents(500));
        let scene = scene.expect("a scene");
        let mut simulation = Simulation::new(&scene, &State::initial(&scene), Execution::Serial).expect("a simulation");
        simulation.step(10);
        simulation.observe().digest_hex()
    };
    write(&text);
    let plain = digest();
    let mut window = screen.open(&["edited.toml", "--agents", "500", "--paused"]);
    window.park();
    assert_eq!(window.ten_steps_from_the_start(), plain);

    let before = window.settled_shot();
    write("schema = 1\nsede = 3\n");
    let broken = window.changed_shot(&before, "the reason");
    assert_eq!(window.ten_steps_from_the_start(), plain, "the scene of before goes on");
    write(&text.replace("max_speed = ", "max_speed = 1"));
    assert_ne!(digest(), plain, "it is another scene");
    window.changed_shot(&broken, "no reason any more");
    assert_eq!(window.ten_steps_from_the_start(), digest(), "what was edited counts");
    window.key("ctrl+q");
    assert!(window.ended().success(), "the file has all, so nothing is asked");
}

/// A wall is drawn across the picture, kept, taken back and drawn again; the file is what was seen.
#[test]
fn a_wall_is_drawn_and_kept() {
    let screen = Screen::start();
    let mut window = screen.open(&["flock", "--agents", "500", "--paused"]);
    let plain = window.ten_steps_from_the_start();
    window.shows("m", "what drags do");
    window.drag("1", (60, 200), (220, 260));
    window.park();
    let walled = window.ten_steps_from_the_start();
    assert_ne!(walled, plain, "it makes a difference");
    // The messages go after six seconds.
    sleep(Duration::from_secs(7));
    window.shows("ctrl+z", "no wall");
    assert_eq!(window.ten_steps_from_the_start(), plain, "it is taken back");
    window.shows("ctrl+shift+z", "the wall again");
    assert_eq!(window.ten_steps_from_the_start(), walled);
    sleep(Duration::from_secs(7));
    window.shows("ctrl+s", "a field for the name");
    window.type_line("walled");
    let file = screen.folder.path().join("walled.toml");
    window.wait_until("the file", |_| file.is_file());
    let text = std::fs::read_to_string(&file).expect("a text");
    assert!(text.contains("strokes"), "{text}");
    assert_eq!(digest_of(file.to_str().expect("UTF-8"), 10), walled, "the file is what was seen");
    window.key("ctrl+q");
    assert!(window.ended().success(), "nothing is lost, and nothing asked");
}
