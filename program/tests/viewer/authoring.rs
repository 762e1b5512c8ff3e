//! Scenes that are chosen, tuned, drawn in, kept and edited.

use super::digest_of;
use super::screen::{Screen, poll};
use steerling::scene::Scene;

/// The first ten minutes: choose a scene, turn a slider, draw a wall, take both back, keep them, come again; then an editor beside the window.
#[test]
fn a_scene_is_chosen_tuned_kept_opened_again_and_edited() {
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
    window.shows("m", "what drags do");
    window.drag("1", (60, 200), (220, 260));
    window.park();
    let walled = window.ten_steps_from_the_start();
    assert_ne!(walled, tuned, "a wall makes a difference");
    for (key, digest) in [("ctrl+z", &tuned), ("ctrl+z", &plain), ("ctrl+shift+z", &tuned), ("ctrl+shift+z", &walled)] {
        window.shows(key, "values of before");
        assert_eq!(window.ten_steps_from_the_start(), *digest, "{key}: each change is taken back and made again");
    }

    // With changes that are not kept a question comes, also where the window is closed twice at once, and Esc stays.
    let before = window.hushed_shot();
    window.wait_until("a question", |window| {
        window.mouse(&["key", "--delay", "60", "alt+F4", "alt+F4"]);
        window.settled_shot() != before
    });
    window.shows("Escape", "no question");

    // What is typed takes the place of the name, and the ending stays.
    window.shows("ctrl+s", "a field for the name");
    window.type_line("mine");
    let file = screen.folder.path().join("mine.toml");
    window.wait_until("the file", |_| file.is_file());
    let text = std::fs::read_to_string(&file).expect("a text");
    assert!(text.contains("name = \"mine\"") && text.contains("strokes"), "{text}");
    let comments = |text: &str| text.lines().filter(|line| line.contains('#')).count();
    let original = Scene::open("leader_following", &[]).expect("a preset").draft().source.text;
    assert_eq!(comments(&text), comments(&original), "its comments are kept");
    let digest = || digest_of(file.to_str().expect("UTF-8"), 10);
    assert_eq!(digest(), walled, "the file is what was seen");
    window.quit();

    let mut window = screen.open(&["mine.toml", "--paused"]);
    window.park();
    assert_eq!(window.ten_steps_from_the_start(), walled, "opened again it is the same run");

    // What an editor writes counts at once, and what is no scene is said over the run, which goes on.
    let before = window.settled_shot();
    std::fs::write(&file, "schema = 1\nsede = 3\n").expect("a file");
    let broken = window.changed_shot(&before, "the reason");
    assert_eq!(window.ten_steps_from_the_start(), walled, "the scene of before goes on");
    let faster = text.replace("max_speed = ", "max_speed = 1");
    std::fs::write(&file, &faster).expect("a file");
    assert_ne!(digest(), walled, "it is another scene");
    window.changed_shot(&broken, "no reason any more");
    assert_eq!(window.ten_steps_from_the_start(), digest(), "what was edited counts");

    // Without its file the scene would be lost: Esc takes that message away, and a question comes before the end.
    let before = window.hushed_shot();
    std::fs::remove_file(&file).expect("a file");
    window.changed_shot(&before, "the file is gone");
    window.shows("Escape", "no reason any more");
    window.shows("ctrl+q", "a question");
    window.shows("Escape", "no question");
    std::fs::write(&file, faster).expect("a file");
    window.becomes(&before, "the file is there");
    window.quit();
}
