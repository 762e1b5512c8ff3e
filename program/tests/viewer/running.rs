//! Runs, restarts, sizes, ends, and a run that is gone back in.

use super::reference_digest;
use super::screen::{DEADLINE, MOMENT, Screen};
use super::window::{Line, Window};
use std::io::Read;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Keys, sliders and the line below the picture do what they say, and each step is that of the reference.
#[test]
fn runs_pauses_steps_goes_back_restarts_and_obeys_sliders() {
    let screen = Screen::start();
    let mut window = screen.open(&["flock", "--agents", "500", "--seed", "3"]);

    let running = window.shot();
    window.wait_until("another picture while it runs", |window| window.shot() != running);
    let before = window.press("space", "a pause", |line| line.paused);
    let paused = window.settled_shot();
    assert_eq!(window.next_line().step, before.step);
    assert!(paused == window.shot(), "two shots differ while paused");
    let after = window.press("Right", "a step", |line| line.step != before.step);
    assert_eq!(after.step, before.step + 1, "a single step");
    assert_ne!(after.digest, before.digest);

    let ten = window.ten_steps_from_the_start();
    assert_eq!(ten, reference_digest(10), "the window runs what the CPU reference runs");
    assert_eq!(ten, window.ten_steps_from_the_start(), "a restart repeats the run");
    for (key, step) in [("shift+Right", 20), ("Left", 19), ("shift+Left", 9), ("shift+Right", 19)] {
        let line = window.press(key, "another step", |line| line.step == step);
        assert_eq!(line.digest, reference_digest(step as u32), "{key}");
    }
    // The first tenth of a line that has room for 100 steps, from 6 to 634 of 640 points.
    window.click("1", (44, 442));
    let there = window.wait_for("another step", |line| line.step < 19);
    assert_eq!(there.digest, reference_digest(there.step as u32), "{there:?}");
    assert!((4..=8).contains(&there.step), "{there:?}");

    let slider = window.find_slider(&ten);
    window.click("3", slider);
    assert_eq!(ten, window.ten_steps_from_the_start(), "a right-click resets the slider");
    window.press("shift+r", "another start", |line| line.step == 0);
    assert_ne!(ten, window.ten_steps_from_here(), "a new seed starts another run");

    // Tab moves the focus to buttons, and Space is no press of theirs.
    window.key("Escape");
    window.press("space", "a run", |line| !line.paused);
    for _ in 0..4 {
        let Line { step, paused, .. } = window.line();
        window.key("Tab");
        window.key("Tab");
        let line = window.press("space", "a pause, or its end", |line| line.paused != paused);
        assert!(line.step >= step, "the run began anew: {line:?} after step {step}");
    }
    // Control: what would have happened shows.
    let before = window.line();
    assert!(!before.paused, "{before:?}");
    window.press("r", "a new start", |line| line.step < before.step);
    window.quit();
}

/// Twice the pixels for each point: all is twice as large, and at the same places. A narrow window shows the panel where it is asked for,
/// below the picture, and its sliders can be dragged.
#[test]
fn with_two_pixels_to_a_point_wide_and_narrow_windows_have_picture_and_panel() {
    let screen = Screen::of("1400x1160");
    let mut window = screen.open_as(&["flock", "--agents", "500", "--seed", "3", "--paused"], "", (1280, 960), 2);
    window.park();
    let shot = window.settled_shot();
    // The panel is 356 points wide, and the bar below the picture some 35 high.
    let (beside, picture) = (window.ground(&shot, (600, 60), (1270, 860)), window.ground(&shot, (4, 60), (560, 860)));
    assert!(beside > 0.5 && picture < 0.1, "ground on {beside} of the panel and {picture} of the picture");

    window.mouse(&["windowsize", &window.id, "800", "1120"]);
    window.wait_until("another size", |window| window.geometry()[2..] == [800, 1120]);
    let shot = window.settled_shot();
    let (above, below) = ((0, 60), (0, 580));
    let ground = |window: &Window, shot: &[u32], from: (usize, usize)| window.ground(shot, from, (800, from.1 + 380));
    assert!(ground(&window, &shot, below) < 0.1, "all of it is the picture");
    let shot = window.shows("p", "the panel");
    let (picture, panel) = (ground(&window, &shot, above), ground(&window, &shot, below));
    assert!(picture < 0.1 && panel > 0.5, "ground on {picture} of the picture and {panel} of the panel");

    let ten = window.ten_steps_from_the_start();
    assert_eq!(ten, reference_digest(10));
    (0..4).for_each(|_| window.click("5", (60, 450)));
    let moved = window.settled_shot();
    assert!(ground(&window, &moved, above) < 0.1 && moved != shot, "the panel is scrolled");
    let slider = window.find_slider_in(&ten, (150, 165), 340..520);
    let tuned = window.settled_shot();
    assert!(ground(&window, &tuned, above) < 0.1, "and the picture is still there");
    window.click("3", slider);
    assert_eq!(ten, window.ten_steps_from_the_start(), "a right-click resets the slider");
    window.quit();
}

/// Where frames are slow, a key that follows a click on a number before the next frame is typed there; beside it, it acts on the run.
#[test]
fn a_key_that_follows_a_click_is_typed() {
    let screen = Screen::start();
    let mut window = screen.open(&["flock", "--agents", "200000"]);
    window.wait_for("a run", |line| line.step > 4);
    for (y, types) in [("410", true), ("300", false)] {
        let before = window.next_line().step;
        let click = ["mousemove", "--window", &window.id, "540", y, "click", "1"];
        window.mouse(&[&click[..], &["sleep", "0.03", "key", "r", "key", "Escape"]].concat());
        let restarts = (0..4).any(|_| window.next_line().step < before);
        assert_eq!(restarts, !types, "{y}");
    }
    window.quit();
}

/// The third batch of steps finds no device. The window opens it anew and goes on from where it was.
#[test]
fn a_lost_device_is_opened_anew_and_the_run_goes_on() {
    let screen = Screen::start();
    let mut window = screen.open_as(&["flock", "--agents", "500", "--seed", "3", "--paused"], "lost:3", (640, 480), 1);
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
    assert_eq!(after.digest, reference_digest(30), "the run is the one without the loss");
    window.quit();
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
