//! What mouse and keys do to the picture.

use super::screen::{MOMENT, Screen};
use super::window::Window;
use super::{pictures, png_size};
use glam::Vec2;
use std::thread::sleep;
use steerling::model::State;
use steerling::render::View;
use steerling::scene::{ColorBy, Scene};

/// The mouse, cameras that follow, chase and fly, and colors that tell something else: each is another picture, and F and the last color
/// bring back what was.
#[test]
fn mouse_and_keys_change_the_picture() {
    let screen = Screen::start();
    let mut window = screen.open(&["murmuration", "--agents", "300", "--paused"]);
    window.park();
    let framed = window.settled_shot();
    window.drag("1", (150, 250), (220, 220));
    let orbited = window.changed_shot(&framed, "a drag orbits");
    window.drag("2", (150, 250), (120, 220));
    let moved = window.changed_shot(&orbited, "a middle drag moves");
    window.mouse(&["click", "4"]);
    window.changed_shot(&moved, "the wheel zooms");
    window.brings_back("f", &framed, "the first view");
    let help = window.shows("F1", "the keys");
    window.key("Escape");
    window.changed_shot(&help, "Esc closes the keys");
    window.shows("F2", "the picture alone");
    window.brings_back("F2", &framed, "the first view");
    for count in 1..=2 {
        window.key("F12");
        window.wait_until("a saved picture", |_| pictures(screen.folder.path()).len() == count);
    }
    let sizes = pictures(screen.folder.path()).iter().map(|file| png_size(file)).collect::<Vec<_>>();
    assert!(sizes[0] == sizes[1] && sizes[0].0 > 100 && sizes[0].1 > 100, "{sizes:?}");

    window.becomes(&framed, "no message any more");

    let mut before = framed.clone();
    for (key, what) in [("2", "from above"), ("3", "from the side"), ("5", "behind an agent"), ("6", "out of its eyes")]
    {
        window.shows(key, what);
        let now = window.hushed_shot();
        assert!(now != framed && now != before, "{what} is no picture of its own");
        before = now;
    }
    window.brings_back("f", &framed, "the first view");
    window.mouse(&["keydown", "w", "sleep", "1", "keyup", "w"]);
    // It does not rest if it flies on after the key was let go.
    assert!(window.settled_shot() != framed, "W flies ahead");
    window.brings_back("f", &framed, "the first view");

    // It goes around while the run is paused, until it is told again; and a view that was kept comes back. From the side, because a
    // camera that follows goes on to center the flock for a while.
    window.shows("3", "from the side");
    turn(&mut window, true);
    turn(&mut window, false);
    let turned = window.settled_shot();
    assert!(turned != framed, "T turns the camera");
    window.shows("k", "a message");
    window.brings_back("f", &framed, "the first view");
    window.brings_back("j", &turned, "the view that was kept");
    window.brings_back("f", &framed, "the first view");

    window.shows("c", "a message");
    assert!(window.hushed_shot() != framed, "C changes the colors");
    let scene = Scene::open("murmuration", &[]).expect("a preset");
    let mut color = ColorBy::Own.next(&scene);
    while color != ColorBy::Own {
        window.key("c");
        color = color.next(&scene);
    }
    window.becomes(&framed, "the colors of before");
    window.quit();
}

/// Let the camera of a paused window go around, or no longer; again where the key was lost on its way.
fn turn(window: &mut Window, on: bool) {
    let presses = (1..=3).any(|_| {
        window.focus();
        window.key("t");
        window.hush();
        window.moves() == on
    });
    assert!(presses, "T does nothing");
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
    let screen = Screen::start();
    for name in ["flock", "gulls"] {
        let mut window = screen.open(&[name, "--agents", "300", "--seed", "3", "--paused"]);
        window.park();
        window.shows("F2", "the picture alone");
        let (scene, size) = (support::preset(name, 300, &["seed=3"]), (640, 480));
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
        window.quit();
    }
}
