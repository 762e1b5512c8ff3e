//! Files that are dropped on the window, as from a file manager, and films of it.

use super::screen::{Screen, poll, start};
use super::window::Window;
use super::{digest_of, pictures};
use std::path::PathBuf;
use std::process::Command;
use steerling::scene::Scene;

/// A scene is opened, and a picture as its run, at its step, with the same pixels. What is neither is refused with a reason and changes
/// nothing, and what was tuned is not lost unasked.
#[test]
fn scenes_and_pictures_can_be_dropped_on_the_window() {
    let screen = Screen::start();
    let save = |window: &mut Window, known: usize| {
        let before = pictures(screen.folder.path());
        assert_eq!(before.len(), known);
        window.key("F12");
        window.wait_until("a picture", |_| pictures(screen.folder.path()).len() > known);
        let new = pictures(screen.folder.path()).into_iter().find(|path| !before.contains(path)).expect("a picture");
        (std::fs::read(&new).expect("a file"), image::open(&new).expect("a picture").to_rgb8())
    };
    let mut window = screen.open(&["flock", "--agents", "500", "--seed", "3"]);
    window.goes_on();
    window.press("space", "a pause", |line| line.paused);
    window.drag("1", (150, 250), (190, 220));
    let (there, (file, pixels)) = (window.line(), save(&mut window, 0));
    window.quit();

    std::fs::write(screen.folder.path().join("flock.png"), &file).expect("a file");
    let mut window = screen.open(&["flock.png"]);
    let shows_it = |window: &mut Window, known: usize| {
        window.wait_for("its step", |line| line.step == there.step && line.digest == there.digest && line.paused);
        window.park();
        assert!(save(window, known).1 == pixels, "other pixels");
    };
    shows_it(&mut window, 2);
    window.press("Right", "a step", |line| line.step == there.step + 1);
    assert!(save(&mut window, 3).1 != pixels, "control");

    window.drop_file("first file.toml", Scene::open("leader_following", &[]).expect("a preset").draft().source.text);
    let title = r"^Steerling - leader_following \(first file\.toml\)$";
    poll("the scene", || screen.tool(&["search", "--onlyvisible", "--name", title]));
    window.wait_for("its start", |line| line.step == 0);
    let plain = window.ten_steps_from_the_start();
    assert_eq!(plain, digest_of("leader_following", 10));

    let framed = window.hushed_shot();
    let (head, cut) = (b"\x89PNG\r\n\x1a\n\0\0", [&file[40..file.len() / 2], b"junk"].concat());
    let wrong: [(&str, &[u8]); 5] = [
        ("1.toml", b"schema = 1\nsede = 3\n"),
        ("2.toml", b"schema = "),
        ("3.toml", head),
        ("4.png", head),
        ("5.png", &cut),
    ];
    for (name, bytes) in wrong {
        window.drop_file(name, bytes);
        window.changed_shot(&framed, "the reason");
        window.brings_back("Escape", &framed, "the scene of before");
    }
    window.press("Right", "a step", |line| line.step == 11);
    assert_eq!(window.ten_steps_from_the_start(), plain, "the scene of before goes on");

    window.find_slider(&plain);
    let tuned = window.line().digest;
    window.park();
    let framed = window.hushed_shot();
    window.drop_file("dropped.png", &file);
    let question = window.changed_shot(&framed, "a question");
    window.brings_back("Escape", &framed, "no question");
    assert_eq!(window.ten_steps_from_the_start(), tuned, "what was tuned is still there");
    window.drop_file("dropped.png", &file);
    window.wait_until("the question", |window| window.shot() == question);
    // Enter would save: from there on to Discard.
    window.key("Tab");
    window.key("Return");
    shows_it(&mut window, 7);
    window.quit();
}

/// A key begins and ends a film; closing the window, of whatever size by then, ends it too, and so does a signal.
#[test]
fn a_film_is_whole_however_it_ends() {
    let screen = Screen::start();
    let files = |begin: &str| -> Vec<PathBuf> {
        let all = std::fs::read_dir(screen.folder.path()).expect("a folder");
        let all = all.map(|entry| entry.expect("an entry").path());
        all.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin))).collect()
    };
    let (part, film) = (|| files(".steerling-"), || files("flock-film").len());
    for ends in [&["shift+F12", "ctrl+q"][..], &["TERM"]] {
        let mut window = screen.open(&["flock", "--agents", "300"]);
        for end in ends {
            let known = film();
            window.goes_on();
            window.key("shift+F12");
            window.wait_until("a file", |_| part().len() == 1);
            screen.tool(&["windowsize", &window.id, "500", "401"]);
            window.wait_until("pictures", |_| std::fs::metadata(&part()[0]).is_ok_and(|file| file.len() > 10_000));
            assert_eq!(film(), known, "it is there before it is whole");
            match *end {
                "TERM" => drop(start(Command::new("kill").arg(window.child.id().to_string())).wait()),
                key => window.key(key),
            }
            window.wait_until("the film", |_| film() > known);
            assert_eq!((film(), part().len()), (known + 1, 0), "{end}");
        }
        assert_eq!(window.ended().code(), Some(if ends == ["TERM"] { 143 } else { 0 }));
    }
    for file in files("flock-film") {
        let bytes = std::fs::metadata(&file).expect("a file").len();
        assert!(bytes > 10_000, "{}: {bytes} bytes", file.display());
    }
}
