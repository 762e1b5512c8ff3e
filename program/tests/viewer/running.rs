//! Runs, restarts, sizes, ends, and a run that is gone back in.

use super::screen::{DEADLINE, MOMENT, Screen};
use super::window::Window;
use super::{pictures, png_size, reference_digest, reference_digest_of};
use std::io::Read;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};
use steerling::scene::Scene;

#[test]
fn runs_pauses_steps_restarts_and_obeys_sliders() {
    let screen = Screen::start();
    let mut window = screen.open(&["flock", "--agents", "2000", "--seed", "3"]);

    let running = window.shot();
    sleep(Duration::from_secs(2));
    assert!(running != window.shot(), "two shots 2 s apart are equal while running");

    window.press("space", "a pause", |line| line.paused);
    let paused = window.settled_shot();
    sleep(Duration::from_secs(2));
    assert!(paused == window.shot(), "two shots 2 s apart differ while paused");

    let before = window.line();
    let after = window.press("Right", "a step", |line| line.step != before.step);
    assert_eq!(after.step, before.step + 1, "a single step");
    assert_ne!(after.digest, before.digest);

    let ten = window.ten_steps_from_the_start();
    assert_eq!(ten, reference_digest(10), "the window runs what the CPU reference runs");
    assert_eq!(ten, window.ten_steps_from_the_start(), "a restart repeats the run");

    let slider = window.find_slider(&ten);
    window.mouse(&["mousemove", "--window", &window.id, &slider.0.to_string(), &slider.1.to_string()]);
    window.mouse(&["click", "3"]);
    assert_eq!(ten, window.ten_steps_from_the_start(), "a right-click resets the slider");

    window.press("shift+r", "another start", |line| line.step == 0);
    assert_ne!(ten, window.ten_steps_from_here(), "a new seed starts another run");
    window.key("ctrl+q");
    assert!(window.ended().success());
}

/// Tab moves the focus to buttons, and Space is no press of theirs.
#[test]
fn tab_and_space_keep_the_run() {
    let screen = Screen::start();
    let mut window = screen.open(&["flock", "--agents", "500"]);
    for _ in 0..4 {
        window.wait_for("some steps", |line| line.step > 5);
        let step = window.line().step;
        window.key("Tab");
        window.key("Tab");
        let paused = window.line().paused;
        let line = window.press("space", "a pause, or its end", |line| line.paused != paused);
        assert!(line.step >= step, "the run began anew: {line:?} after step {step}");
    }
    // Control: what would have happened shows.
    let before = window.line();
    assert!(!before.paused, "{before:?}");
    window.press("r", "a new start", |line| line.step < before.step);
    window.key("ctrl+q");
    assert!(window.ended().success());
}
/// Twice the pixels for each point: all is twice as large, and at the same places.
#[test]
fn with_two_pixels_to_a_point_all_is_twice_as_large() {
    let screen = Screen::of("1400x1040");
    let mut window = screen.open_as(&["flock", "--agents", "500", "--seed", "3", "--paused"], "", (1280, 960), 2);
    window.park();
    let shot = window.settled_shot();
    // The panel is 356 points wide, and the bar below the picture some 35 high.
    let (beside, picture) = (window.ground(&shot, (600, 60), (1270, 860)), window.ground(&shot, (4, 60), (560, 860)));
    assert!(beside > 0.5 && picture < 0.1, "ground on {beside} of the panel and {picture} of the picture");

    let ten = window.ten_steps_from_the_start();
    let slider = window.find_slider(&ten);
    window.mouse(&["mousemove", "--window", &window.id, &(2 * slider.0).to_string(), &(2 * slider.1).to_string()]);
    window.mouse(&["click", "3"]);
    assert_eq!(ten, window.ten_steps_from_the_start(), "a right-click resets the slider");
    window.key("ctrl+q");
    assert!(window.ended().success());
}

/// A narrow window shows the panel where it is asked for, below the picture, and its sliders can be dragged.
#[test]
fn a_window_of_400_pixels_has_picture_and_panel() {
    let screen = Screen::start();
    let mut window = screen.open_as(&["flock", "--agents", "500", "--seed", "3", "--paused"], "", (400, 560), 1);
    window.park();
    let shot = window.settled_shot();
    let (above, below) = ((0, 30), (0, 290));
    let ground = |window: &Window, shot: &[u32], from: (usize, usize)| window.ground(shot, from, (400, from.1 + 190));
    assert!(ground(&window, &shot, below) < 0.1, "all of it is the picture");
    let shot = window.shows("p", "the panel");
    let (picture, panel) = (ground(&window, &shot, above), ground(&window, &shot, below));
    assert!(picture < 0.1 && panel > 0.5, "ground on {picture} of the picture and {panel} of the panel");

    let ten = window.ten_steps_from_the_start();
    assert_eq!(ten, reference_digest_of(500, 10));
    window.mouse(&["mousemove", "--window", &window.id, "60", "450"]);
    (0..4).for_each(|_| window.mouse(&["click", "5"]));
    let moved = window.settled_shot();
    assert!(ground(&window, &moved, above) < 0.1 && moved != shot, "the panel is scrolled");
    window.find_slider_in(&ten, (150, 165), 340..520);
    let tuned = window.settled_shot();
    assert!(ground(&window, &tuned, above) < 0.1, "and the picture is still there");
    // Tuned values are not lost unasked.
    window.shows("ctrl+z", "the value of before");
    assert_eq!(ten, window.ten_steps_from_the_start());
    window.key("ctrl+q");
    assert!(window.ended().success());
}
/// The third batch of steps finds no device. The window opens it anew and goes on from where it was.
#[test]
fn a_lost_device_is_opened_anew_and_the_run_goes_on() {
    let screen = Screen::start();
    let mut window = screen.open_with(&["flock", "--agents", "500", "--seed", "3", "--paused"], "lost:3");
    let mut errors = window.child.stderr.take().expect("its errors");
    window.press("shift+Right", "ten steps", |line| line.step == 10);
    let twenty = window.press("shift+Right", "twenty steps", |line| line.step == 20);
    // The snapshot of a run that rests is taken at once.
    sleep(Duration::from_secs(3));
    window.key("shift+Right");
    let mut after = window.next_line();
    while after.step == 20 && after.digest == twenty.digest && after.paused {
        window.press("shift+Right", "thirty steps", |line| line.step == 30);
        after = window.line();
    }
    assert_eq!(after.step, 30, "{after:?}");
    assert_eq!(after.digest, reference_digest_of(500, 30), "the run is the one without the loss");
    window.key("ctrl+q");
    assert!(window.ended().success());
    let mut said = String::new();
    errors.read_to_string(&mut said).expect("a text");
    assert!(said.contains("device was lost") && said.contains("from step 20"), "{said}");
}

#[test]
fn survives_every_size_and_closes_in_order() {
    let screen = Screen::start();
    let mut window = screen.open(&["flock", "--agents", "2000"]);
    for (width, height) in [("1", "1"), ("640", "1"), ("200", "150"), ("640", "480")] {
        window.mouse(&["windowsize", &window.id, width, height]);
        window.goes_on();
    }
    window.wait_until("the old size", |window| window.geometry()[2..] == [640, 480]);

    window.mouse(&["windowminimize", &window.id]);
    window.wait_until("a rest while minimized", |window| {
        let step = window.next_line().step;
        window.next_line().step == step
    });
    window.mouse(&["windowactivate", "--sync", &window.id]);
    window.goes_on();
    let shot = window.shot();
    window.changed_shot(&shot, "it is drawn again");

    // The window manager's key for closing. Once in a great while the window manager itself does not see it.
    for press in 1..=3 {
        window.key("alt+F4");
        let ends = Instant::now() + DEADLINE / 3;
        while window.child.try_wait().expect("a status").is_none() && Instant::now() < ends {
            sleep(MOMENT);
        }
        if window.child.try_wait().expect("a status").is_some() {
            break;
        }
        eprintln!("alt+F4 did nothing, {press} times");
    }
    let status = window.ended();
    assert_eq!(status.code(), Some(0), "closed by the window manager: {status}");
}

#[test]
fn without_a_display_a_picture_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_steerling"));
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
            command.env_remove(name);
        }
        command.args(["view", "few.toml"]).current_dir(folder.path()).output().expect("steerling")
    };
    let scene = folder.path().join("few.toml");
    let mut text = Scene::open("flock", &[]).expect("a preset").draft().source.text;
    text = text.replace("count = 1_000_000", "count = 500").replace("size = [2400, 1350]", "size = [60, 40]");
    std::fs::write(&scene, text).expect("a file");
    for count in 1..=2 {
        let output = view();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{err}");
        assert!(err.contains("no window") && err.contains("DISPLAY"), "it says what it did: {err}");
        let files = pictures(folder.path());
        assert_eq!(files.len(), count, "a second picture does not overwrite the first: {files:?}");
        assert!(
            files.iter().any(|file| out.contains(&*file.file_name().unwrap_or_default().to_string_lossy())),
            "{out}"
        );
        assert_eq!(png_size(&files[0]), (1280, 720));
    }
}

/// Back by a key, by the line below the picture and ahead again: each step is that of the run ahead. What is drawn is undone too.
#[test]
fn the_window_goes_back_to_any_step() {
    let screen = Screen::start();
    let mut window = screen.open(&["flock", "--agents", "500", "--seed", "3", "--paused"]);
    window.press("shift+Right", "ten steps", |line| line.step == 10);
    window.press("shift+Right", "twenty steps", |line| line.step == 20);
    let back = window.press("Left", "a step back", |line| line.step == 19);
    assert_eq!(back.digest, reference_digest_of(500, 19), "the step before");
    let back = window.press("shift+Left", "ten steps back", |line| line.step == 9);
    assert_eq!(back.digest, reference_digest_of(500, 9));
    let again = window.press("shift+Right", "ten steps", |line| line.step == 19);
    assert_eq!(again.digest, reference_digest_of(500, 19), "repeated");
    // The first tenth of a line that has room for 100 steps, from 6 to 634 of 640 points.
    window.mouse(&["mousemove", "--window", &window.id, "44", "442", "click", "1"]);
    let there = window.wait_for("another step", |line| line.step < 19);
    assert_eq!(there.digest, reference_digest_of(500, there.step as u32), "{there:?}");
    assert!((4..=8).contains(&there.step), "{there:?}");
    window.key("ctrl+q");
    assert!(window.ended().success());
}
