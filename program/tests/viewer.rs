//! A window on a virtual screen, worked with keys and mouse as a person would, and watched through its pixels and its log.
//!
//! `scripts/setup --test` installs what this needs: Xvfb, openbox and xdotool.

#[path = "support/drag.rs"]
mod drag;

use glam::Vec2;
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};
use steerling::cpu::{Execution, Simulation};
use steerling::model::State;
use steerling::render::View;
use steerling::scene::{ColorBy, Scene};

/// Longest wait for anything. Software adapters on busy machines are slow.
const DEADLINE: Duration = Duration::from_secs(120);
/// After so long without any effect a key press was lost: the window logs each action at once, and a line each second.
const LOST: Duration = Duration::from_secs(20);
/// Long enough for a frame on most machines; where it is not, what was tried is tried again.
const MOMENT: Duration = Duration::from_millis(120);

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
    // Close, Save, Discard.
    (0..3).for_each(|_| window.key("Tab"));
    window.key("Return");
    shown(r"obstacles \(second\.toml\)");
    window.wait_for("its start", |line| line.step == 0);
    assert_eq!(window.ten_steps_from_the_start(), digest_of("obstacles", 10));
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
    let (above, below) = ((0, 50), (0, 290));
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

#[test]
fn mouse_and_keys_change_the_picture() {
    let screen = Screen::start();
    let mut window = screen.open(&["murmuration", "--agents", "2000", "--paused"]);
    window.park();
    let framed = window.settled_shot();
    window.drag("1", (150, 250), (220, 220));
    let orbited = window.changed_shot(&framed, "a drag orbits");
    window.drag("2", (150, 250), (120, 220));
    let moved = window.changed_shot(&orbited, "a middle drag moves");
    window.mouse(&["click", "4"]);
    window.changed_shot(&moved, "the wheel zooms");
    window.brings_back("f", &framed, "the first view");

    window.key("F1");
    let help = window.changed_shot(&framed, "F1 opens the keys");
    window.key("Escape");
    window.changed_shot(&help, "Esc closes the keys");
    window.key("F2");
    window.changed_shot(&framed, "F2 hides all but the picture");
    window.brings_back("F2", &framed, "the first view");

    for count in 1..=2 {
        window.key("F12");
        window.wait_until("a saved picture", |_| pictures(screen.folder.path()).len() == count);
    }
    let sizes = pictures(screen.folder.path()).iter().map(|file| png_size(file)).collect::<Vec<_>>();
    assert!(sizes[0] == sizes[1] && sizes[0].0 > 100 && sizes[0].1 > 100, "{sizes:?}");
    window.key("ctrl+q");
    assert!(window.ended().success());
}

/// A drag is one change, and a window that somebody else destroys ends the program in order.
#[test]
fn a_cross_is_dragged_and_put_back_by_one_undo() {
    let screen = Screen::start();
    let flee = "species.0.behaviors.flee={target={point=[0,0]},panic_distance=15}";
    let mut window = screen.open(&["flock", "--agents", "2000", "--set", flee]);
    window.press("space", "a pause", |line| line.paused);
    let before = window.ten_steps_from_the_start();
    // The middle of the picture, which the panel and the buttons leave.
    for step in [
        &["mousemove", "--window", &window.id, "142", "224"][..],
        // Before the next frame.
        &["mousedown", "1", "mousemove", "--window", &window.id, "160", "230"],
        &["mousemove", "--window", &window.id, "200", "260"],
        &["mouseup", "1"],
    ] {
        window.mouse(step);
        sleep(5 * MOMENT);
    }
    assert_ne!(window.ten_steps_from_the_start(), before, "the target is elsewhere");
    window.key("ctrl+z");
    assert_eq!(window.ten_steps_from_the_start(), before, "one undo");
    screen.tool(&["windowclose", &window.id]);
    assert!(window.ended().success());
}

/// A click picks the agent that is there, at rest and while it runs; a click where nobody is, and Esc, let it go. A drag picks nobody.
#[test]
fn an_agent_is_picked_by_a_click_and_let_go() {
    for name in ["flock", "gulls"] {
        let screen = Screen::start();
        let mut window = screen.open(&[name, "--agents", "300", "--seed", "3", "--paused"]);
        window.park();
        window.shows("F2", "the picture alone");
        let scene = Scene::open(name, &["seed=3".parse().expect("a change")]).and_then(|scene| scene.with_agents(300));
        let (scene, size) = (scene.expect("a scene"), (640, 480));
        let view = View::from_scene(&scene);
        let places: Vec<_> =
            State::initial(&scene).positions.iter().map(|at| view.project((*at).into(), size)).collect();
        let nearest = |at: Vec2, but: usize| {
            let others = places.iter().enumerate().filter(|(id, _)| *id != but);
            others.filter_map(|(_, place)| Some(place.as_ref()?.distance(at))).fold(f32::MAX, f32::min)
        };
        // Who stands apart from all others, and well within the picture.
        let inside = |at: &Vec2| at.cmpgt(Vec2::splat(40.0)).all() && at.cmplt(Vec2::new(600.0, 440.0)).all();
        let loners = places.iter().enumerate().filter_map(|(id, place)| Some((id, place.filter(&inside)?)));
        let loner = loners.max_by(|a, b| nearest(a.1, a.0).total_cmp(&nearest(b.1, b.0)));
        let (id, place) = loner.expect("somebody");
        let click = |window: &Window, at: Vec2| {
            let [x, y] = at.to_array().map(|x| x.round().to_string());
            window.mouse(&["mousemove", "--window", &window.id, &x, &y, "click", "1"]);
        };
        let plain = window.settled_shot();
        click(&window, place);
        window.wait_for("the agent", |line| line.picked == Some(id as u32));
        window.park();
        window.changed_shot(&plain, "the ring and the arrows");

        let empty = (0..60 * 44).map(|i| Vec2::new(20.0 + (i % 60) as f32 * 10.0, 20.0 + (i / 60) as f32 * 10.0));
        let empty = empty.max_by(|a, b| nearest(*a, usize::MAX).total_cmp(&nearest(*b, usize::MAX))).expect("a place");
        assert!(nearest(empty, usize::MAX) > 20.0, "{name}: nowhere is nobody");
        click(&window, empty);
        window.wait_for("nobody", |line| line.picked.is_none());
        click(&window, place);
        window.wait_for("the agent again", |line| line.picked == Some(id as u32));
        window.press("Escape", "nobody", |line| line.picked.is_none());

        let from = (place.x as u32, place.y as u32);
        window.drag("1", from, (from.0 + 30, from.1 + 10));
        window.key("f");
        window.press("space", "a run", |line| !line.paused);
        assert_eq!(window.line().picked, None, "{name}: a drag picks nobody");
        window.wait_until("somebody while it runs", |window| {
            click(window, Vec2::new(320.0, 240.0));
            window.next_line().picked.is_some()
        });
        window.key("ctrl+q");
        assert!(window.ended().success());
    }
}

/// Cameras that follow, chase and fly, and colors that tell something else; F and the last color bring back what was.
#[test]
fn cameras_and_colors_have_keys() {
    let screen = Screen::start();
    let mut window = screen.open(&["murmuration", "--agents", "300", "--paused"]);
    window.park();
    let framed = window.settled_shot();
    let mut before = framed.clone();
    for (key, what) in [("2", "from above"), ("3", "from the side"), ("5", "behind an agent"), ("6", "out of its eyes")]
    {
        window.key(key);
        window.wait_until(what, |window| window.shot() != before);
        // Who chases eases in.
        sleep(Duration::from_secs(3));
        let now = window.shot();
        assert!(now != framed && now != before, "{what} is no picture of its own");
        before = now;
    }
    window.brings_back("f", &framed, "the first view");
    window.mouse(&["keydown", "w"]);
    sleep(Duration::from_secs(1));
    window.mouse(&["keyup", "w"]);
    window.changed_shot(&framed, "W flies ahead");
    let rest = window.settled_shot();
    sleep(Duration::from_secs(1));
    assert!(rest == window.shot(), "it flies on after the key was let go");
    window.brings_back("f", &framed, "the first view");

    // The message goes after six seconds; what stays is the color.
    window.key("c");
    window.changed_shot(&framed, "a message");
    sleep(Duration::from_secs(8));
    assert!(window.settled_shot() != framed, "C changes the colors");
    let scene = Scene::open("murmuration", &[]).expect("a preset");
    let mut color = ColorBy::Own.next(&scene);
    while color != ColorBy::Own {
        window.key("c");
        color = color.next(&scene);
    }
    window.wait_until("the colors of before, without a message", |window| window.shot() == framed);
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

/// The digest of a scene, on the CPU.
fn digest_of(scene: &str, steps: u32) -> String {
    let scene = Scene::open(scene, &[]).expect("a scene");
    let mut simulation = Simulation::new(&scene, &State::initial(&scene), Execution::Serial).expect("a simulation");
    simulation.step(steps);
    simulation.observe().digest_hex()
}

/// The digest of the run in the first test, on the CPU.
fn reference_digest(steps: u32) -> String {
    reference_digest_of(2000, steps)
}

fn reference_digest_of(agents: u32, steps: u32) -> String {
    let scene = Scene::open("flock", &["seed=3".parse().expect("an override")]).expect("a preset");
    let scene = scene.with_agents(agents).expect("a scene");
    let mut simulation = Simulation::new(&scene, &State::initial(&scene), Execution::Serial).expect("a simulation");
    simulation.step(steps);
    simulation.observe().digest_hex()
}

fn pictures(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "png")).collect()
}

fn png_size(file: &Path) -> (u32, u32) {
    let reader = png::Decoder::new(BufReader::new(std::fs::File::open(file).expect("a file"))).read_info();
    reader.expect("a PNG").info().size()
}

/// A virtual screen with a window manager, and an empty folder to work in.
struct Screen {
    folder: tempfile::TempDir,
    display: String,
    server: Child,
    manager: Child,
    /// One screen at a time: windows that wait for each other's steps on a machine with few cores are late for everything.
    _turn: MutexGuard<'static, ()>,
}

impl Screen {
    /// A screen for most windows.
    fn start() -> Screen {
        Screen::of("800x600")
    }

    /// A screen of this size that stands. Where none comes at once, the second try says so.
    fn of(size: &str) -> Screen {
        Screen::attempt(size).unwrap_or_else(|first| {
            eprintln!("a second try, because of the first: {first}");
            Screen::attempt(size).unwrap_or_else(|second| panic!("no screen; first {first}; then {second}"))
        })
    }

    /// Start the server, and when it answers the window manager; else what they said.
    fn attempt(size: &str) -> Result<Screen, String> {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        // Numbers of our own: servers that look for a free one find the same.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = 1000 + (std::process::id() % 5000) * 10 + NEXT.fetch_add(1, Ordering::Relaxed) % 10;
        let folder = tempfile::tempdir().expect("a folder");
        let said = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        let log = |name: &str| Stdio::from(std::fs::File::create(folder.path().join(name)).expect("a file"));
        let screen = folder.path().join("screen");
        std::fs::create_dir(&screen).expect("a folder");
        let display = format!(":{number}");
        let mut server = Command::new("Xvfb");
        server.arg(&display).args(["-screen", "0", &format!("{size}x24"), "-nolisten", "tcp", "-fbdir"]).arg(&screen);
        let mut server = start(server.stdout(Stdio::null()).stderr(log("server")));
        let up = attempt("the server", || match server.try_wait().expect("a status") {
            Some(status) => Some(Err(format!("the server ended: {status}"))),
            None => tool(&display, &["getdisplaygeometry"]).map(Ok),
        });
        if let Err(why) = up.and_then(|up| up.map(drop)) {
            let _ = (server.kill(), server.wait());
            return Err(format!("{display}: {why}; Xvfb said: {}", said("server")));
        }
        let manage = || {
            let mut manager = Command::new("openbox");
            manager.arg("--sm-disable").env("DISPLAY", &display).env("HOME", folder.path());
            start(manager.stdout(Stdio::null()).stderr(log("manager")))
        };
        let mut manager = manage();
        let up = attempt("the window manager", || {
            if manager.try_wait().expect("a status").is_some() {
                manager = manage();
            }
            tool(&display, &["get_num_desktops"])
        });
        if let Err(why) = up {
            let _ = (manager.kill(), manager.wait(), server.kill(), server.wait());
            return Err(format!("{display}: {why}; Xvfb said: {}; openbox said: {}", said("server"), said("manager")));
        }
        Ok(Screen { folder, display, server, manager, _turn: turn })
    }

    /// Run xdotool; none where it failed.
    fn tool(&self, args: &[&str]) -> Option<String> {
        tool(&self.display, args)
    }

    /// Open a window on a scene, and wait until it runs.
    fn open(&self, args: &[&str]) -> Window<'_> {
        self.open_with(args, "")
    }

    /// The same with an injected fault.
    fn open_with(&self, args: &[&str], fault: &str) -> Window<'_> {
        self.open_as(args, fault, (640, 480), 1)
    }

    /// The same of another size, px, and with so many pixels to a point.
    fn open_as(&self, args: &[&str], fault: &str, (width, height): (u32, u32), scale: u32) -> Window<'_> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_steerling"));
        command.env("STEERLING_FAULT", fault).env("WINIT_X11_SCALE_FACTOR", scale.to_string());
        command
            .arg("view")
            .args(args)
            .args(["--size", &format!("{width}x{height}"), "--log-digest"])
            .current_dir(self.folder.path());
        command.env("DISPLAY", &self.display).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        // It was here before, so that no hints lie over the picture.
        let config = self.folder.path().join("config");
        std::fs::create_dir_all(config.join("steerling")).expect("a folder");
        std::fs::write(config.join("steerling/recent-scenes"), "").expect("a file");
        command.env("XDG_CONFIG_HOME", config);
        let mut child = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let (sender, lines) = channel();
        let out = child.stdout.take().expect("its output");
        std::thread::spawn(move || {
            let all = BufReader::new(out).lines().map_while(Result::ok);
            all.map(|line| Line::parse(&line)).try_for_each(|line| sender.send(line))
        });
        let title = format!("^Steerling - {}$", args[0].trim_end_matches(".toml"));
        let id = poll("the window", || self.tool(&["search", "--onlyvisible", "--name", &title]));
        let mut window = Window { screen: self, child, lines, latest: Line::default(), id, scale };
        window.next_line();
        window.focus();
        window
    }

    /// Width, height and pixels of the whole screen, which the server keeps in a file of the form XWD.
    fn pixels(&self) -> (usize, Vec<u32>) {
        let file = std::fs::read(self.folder.path().join("screen/Xvfb_screen0")).expect("the screen's file");
        let word = |index: usize| {
            let bytes = file[4 * index..][..4].try_into().expect("four bytes");
            u32::from_be_bytes(bytes) as usize
        };
        assert_eq!(word(11), 32, "bits per pixel");
        let start = word(0) + 12 * word(19);
        let pixels = file[start..].chunks_exact(4).map(|pixel| u32::from_le_bytes([pixel[0], pixel[1], pixel[2], 0]));
        (word(12) / 4, pixels.collect())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        for child in [&mut self.manager, &mut self.server] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A line of the log.
#[derive(Debug, Clone, Default, PartialEq)]
struct Line {
    step: u64,
    digest: String,
    paused: bool,
    picked: Option<u32>,
}

impl Line {
    fn parse(text: &str) -> Line {
        let words: Vec<&str> = text.split(' ').collect();
        let (["step", step, "digest", digest, "paused", paused], picked) = words.split_at(words.len().min(6)) else {
            panic!("a strange line: {text}")
        };
        let picked = match picked {
            [] => None,
            ["picked", id] => Some(id.parse().expect("an id")),
            _ => panic!("a strange line: {text}"),
        };
        assert_eq!(digest.len(), 32, "{text}");
        Line {
            step: step.parse().expect("a number"),
            digest: (*digest).to_owned(),
            paused: paused.parse().expect("a truth value"),
            picked,
        }
    }
}

/// Steerling's window.
struct Window<'a> {
    screen: &'a Screen,
    child: Child,
    lines: Receiver<Line>,
    latest: Line,
    id: String,
    /// Pixels to a point.
    scale: u32,
}

impl Window<'_> {
    /// The next line of the log.
    fn next_line(&mut self) -> Line {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => self.latest = line,
            Err(_) => {
                let _ = self.child.kill();
                let mut errors = String::new();
                let _ = self.child.stderr.take().map(|mut err| err.read_to_string(&mut errors));
                panic!("the log has ended: {errors}");
            }
        }
        self.latest.clone()
    }

    /// The latest line that has come.
    fn line(&mut self) -> Line {
        self.latest = self.lines.try_iter().last().unwrap_or_else(|| self.latest.clone());
        self.latest.clone()
    }

    fn wait_for(&mut self, what: &str, is: impl Fn(&Line) -> bool) -> Line {
        let start = Instant::now();
        while !is(&self.latest) {
            assert!(start.elapsed() < DEADLINE, "{what} does not come: {:?}", self.latest);
            self.next_line();
        }
        self.latest.clone()
    }

    fn wait_until(&mut self, what: &str, mut is: impl FnMut(&mut Self) -> bool) {
        poll(what, || is(self).then_some(()));
    }

    /// Keys go to the window that has the focus, which the manager gives in its own time.
    fn focus(&self) {
        poll("the focus", || {
            self.screen.tool(&["windowactivate", &self.id])?;
            sleep(MOMENT);
            self.screen.tool(&["getwindowfocus"]).filter(|id| *id == self.id)
        });
    }

    /// Press a key, and wait for what it does. Where it does nothing at all it was lost on its way, and is pressed again.
    fn press(&mut self, key: &str, what: &str, is: impl Fn(&Line) -> bool) -> Line {
        for press in 1..=3 {
            self.key(key);
            let start = Instant::now();
            while start.elapsed() < LOST {
                if is(&self.next_line()) {
                    return self.latest.clone();
                }
            }
            eprintln!("{key} did nothing, {press} times");
            self.focus();
        }
        panic!("{what} does not come: {:?}", self.latest);
    }

    /// Press a key that changes the picture of a paused window, and wait for that; as [`Window::press`].
    fn shows(&mut self, key: &str, what: &str) -> Vec<u32> {
        let before = self.settled_shot();
        for press in 1..=3 {
            self.key(key);
            let start = Instant::now();
            while start.elapsed() < LOST {
                if self.shot() != before {
                    return self.settled_shot();
                }
                sleep(MOMENT);
            }
            eprintln!("{key} did nothing, {press} times");
            self.focus();
        }
        panic!("{what} does not come");
    }

    /// Type a text into the field that has the focus, and Enter.
    fn type_line(&self, text: &str) {
        self.mouse(&["type", "--delay", "40", text]);
        self.key("Return");
    }

    fn key(&self, key: &str) {
        self.mouse(&["key", key]);
    }

    fn mouse(&self, args: &[&str]) {
        // A server that is busy may refuse once.
        let mut tries = (0..3).map(|_| self.screen.tool(args));
        tries.find_map(|done| done).unwrap_or_else(|| panic!("xdotool {args:?} failed"));
        sleep(MOMENT);
    }

    /// Move the mouse off the window, as far as the screen goes: the screen shows it.
    fn park(&self) {
        self.mouse(&["mousemove", "9999", "9999"]);
    }

    /// Drag from a place to another, points.
    fn drag(&self, button: &str, from: (u32, u32), to: (u32, u32)) {
        let go = |(x, y): (u32, u32)| {
            let [x, y] = [x, y].map(|points| (points * self.scale).to_string());
            self.mouse(&["mousemove", "--window", &self.id, &x, &y]);
        };
        go(from);
        self.mouse(&["mousedown", button]);
        go(to);
        self.mouse(&["mouseup", button]);
    }

    /// The share of a part of a shot, from one corner to the other, that has the color of the panel.
    fn ground(&self, shot: &[u32], from: (usize, usize), to: (usize, usize)) -> f64 {
        let [.., width, _] = self.geometry();
        let rows = shot.chunks_exact(width).take(to.1).skip(from.1);
        let part: Vec<u32> = rows.flat_map(|row| &row[from.0..to.0]).copied().collect();
        let ground = part.iter().filter(|pixel| **pixel & 0xFF_FFFF == 0x16_1616).count();
        ground as f64 / part.len() as f64
    }

    /// Write a file and drop it on the window.
    fn drop_file(&self, name: &str, text: impl AsRef<[u8]>) {
        let file = self.screen.folder.path().join(name);
        std::fs::write(&file, text).expect("a file");
        let target = self.id.parse().expect("a window's number");
        drag::drop_on(&self.screen.display, target, &file).expect("a drop");
    }

    /// X, y, width and height, px.
    fn geometry(&self) -> [usize; 4] {
        let text = self.screen.tool(&["getwindowgeometry", "--shell", &self.id]).expect("a geometry");
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.parse().ok()).expect("a number")
        };
        ["X=", "Y=", "WIDTH=", "HEIGHT="].map(value)
    }

    /// The pixels of the window.
    fn shot(&self) -> Vec<u32> {
        let [x, y, width, height] = self.geometry();
        let (stride, pixels) = self.screen.pixels();
        let rows = pixels.chunks_exact(stride).skip(y).take(height);
        rows.flat_map(|row| row.iter().skip(x).take(width)).copied().collect()
    }

    /// The pixels of the window when they no longer change.
    fn settled_shot(&self) -> Vec<u32> {
        let mut latest = self.shot();
        poll("rest", || {
            sleep(3 * MOMENT);
            let next = self.shot();
            // No longer than that: where a text is edited, its cursor blinks.
            let rests = next == latest;
            latest = next;
            rests.then(|| latest.clone())
        })
    }

    /// Press a key that brings back a picture of before; again where it does not, because the key was lost or came before something
    /// else was at its end.
    fn brings_back(&mut self, key: &str, picture: &[u32], what: &str) {
        for press in 1..=3 {
            self.key(key);
            self.park();
            let start = Instant::now();
            while start.elapsed() < LOST {
                if self.shot() == picture {
                    return;
                }
                sleep(MOMENT);
            }
            eprintln!("{key} did not bring back {what}, {press} times");
            self.focus();
        }
        panic!("{what} does not come");
    }

    /// The pixels of the window when they are others than before, and at rest if paused.
    fn changed_shot(&mut self, before: &[u32], what: &str) -> Vec<u32> {
        self.wait_until(what, |window| window.shot() != before);
        if self.line().paused { self.settled_shot() } else { self.shot() }
    }

    /// Does the simulation take more steps?
    fn goes_on(&mut self) {
        let step = self.line().step;
        self.wait_for("another step", |line| line.step > step + 1);
    }

    fn ten_steps_from_the_start(&mut self) -> String {
        if self.line().step != 0 {
            self.press("r", "the start", |line| line.step == 0);
        }
        self.wait_for("the start", |line| line.step == 0);
        self.ten_steps_from_here()
    }

    fn ten_steps_from_here(&mut self) -> String {
        self.press("shift+Right", "ten steps", |line| line.step == 10).digest
    }

    /// Drag in the panel from row to row, where the sliders' rails are, until that changes the run. Returns where.
    fn find_slider(&mut self, digest: &str) -> (u32, u32) {
        self.find_slider_in(digest, (470, 480), 180..440)
    }

    /// The same, dragging from one place across to the other in these rows.
    fn find_slider_in(&mut self, digest: &str, (from, to): (u32, u32), rows: Range<u32>) -> (u32, u32) {
        for y in rows.step_by(10) {
            self.drag("1", (from, y), (to, y));
            if self.ten_steps_from_the_start() != digest {
                return (to, y);
            }
        }
        panic!("no slider changes the run");
    }

    /// How the program ended.
    fn ended(mut self) -> ExitStatus {
        poll("the end", || self.child.try_wait().expect("a status"))
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(command: &mut Command) -> Child {
    let name = command.get_program().to_string_lossy().into_owned();
    command.spawn().unwrap_or_else(|error| panic!("{name}: {error}; scripts/setup --test installs it"))
}

/// Run xdotool on a display; none where it failed.
fn tool(display: &str, args: &[&str]) -> Option<String> {
    let mut tool = Command::new("xdotool");
    tool.args(args).env("DISPLAY", display).stdout(Stdio::piped()).stderr(Stdio::null());
    let output = start(&mut tool).wait_with_output().expect("xdotool");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Try until it comes.
fn poll<T>(what: &str, come: impl FnMut() -> Option<T>) -> T {
    attempt(what, come).unwrap_or_else(|why| panic!("{why}"))
}

/// Try until it comes, or say that it does not.
fn attempt<T>(what: &str, mut come: impl FnMut() -> Option<T>) -> Result<T, String> {
    let start = Instant::now();
    while start.elapsed() < DEADLINE {
        if let Some(value) = come() {
            return Ok(value);
        }
        sleep(Duration::from_millis(30));
    }
    Err(format!("{what} does not come"))
}
