//! Pictures that are dropped on the window, and films of it.

use super::pictures;
use super::screen::{MOMENT, Screen, start};
use super::window::Window;
use std::path::PathBuf;
use std::process::Command;
use std::thread::sleep;

/// The run of a picture, in another window: at its step, with the same pixels. What is no such picture changes nothing.
#[test]
fn a_picture_that_is_dropped_goes_to_its_step() {
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
    window.key("ctrl+q");
    assert!(window.ended().success());

    let mut window = screen.open(&["leader_following", "--agents", "300", "--paused"]);
    window.park();
    window.drop_file("dropped.png", &file);
    window.wait_for("its step", |line| line.step == there.step && line.digest == there.digest && line.paused);
    let (_, again) = save(&mut window, 2);
    assert!(again == pixels, "other pixels");
    window.press("Right", "a step", |line| line.step == there.step + 1);
    assert!(save(&mut window, 3).1 != pixels, "control");

    // The messages go after six seconds.
    sleep(std::time::Duration::from_secs(7));
    let before = window.settled_shot();
    let cut = &file[..file.len() / 2];
    for bytes in [b"\x89PNG\r\n\x1a\n\0\0".to_vec(), [cut, b"junk"].concat()[40..].to_vec()] {
        window.drop_file("wrong.png", bytes);
        window.changed_shot(&before, "the reason");
        window.brings_back("Escape", &before, "the scene of before");
    }
    window.press("Right", "a step", |line| line.step == there.step + 2);
    window.key("ctrl+q");
    assert!(window.ended().success());
}

/// A key begins and ends a film; closing the window, of whatever size by then, ends it too, and so does a signal.
#[test]
fn a_film_is_whole_however_it_ends() {
    let screen = Screen::start();
    let files = |begin: &str| -> Vec<PathBuf> {
        let all =
            std::fs::read_dir(screen.folder.path()).expect("a folder").map(|entry| entry.expect("an entry").path());
        all.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin))).collect()
    };
    let part = || files(".steerling-").len();
    for end in ["shift+F12", "ctrl+q", "TERM"] {
        let known = files("flock-film").len();
        let mut window = screen.open(&["flock", "--agents", "300"]);
        window.goes_on();
        window.key("shift+F12");
        window.wait_until("a file", |_| part() == 1);
        window.goes_on();
        screen.tool(&["windowsize", &window.id, "500", "401"]);
        (0..4).for_each(|_| window.goes_on());
        assert_eq!(files("flock-film").len(), known, "it is there before it is whole");
        if end == "TERM" {
            let mut kill = Command::new("kill");
            let _ = start(kill.arg(window.child.id().to_string())).wait();
            assert_eq!(window.ended().code(), Some(143));
        } else {
            window.key(end);
            if end != "ctrl+q" {
                window.wait_until("the film", |_| files("flock-film").len() > known);
                window.goes_on();
                window.key("ctrl+q");
            }
            assert!(window.ended().success());
        }
        sleep(MOMENT);
        assert_eq!((files("flock-film").len(), part()), (known + 1, 0), "{end}");
    }
    for file in files("flock-film") {
        let bytes = std::fs::metadata(&file).expect("a file").len();
        assert!(bytes > 10_000, "{}: {bytes} bytes", file.display());
    }
}
