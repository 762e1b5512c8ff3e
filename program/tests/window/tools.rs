//! Tools: what they change, that it is taken back, and kept with the scene.

use super::super::pointer::Pointer;
use super::super::session::{Answer, Session};
use super::super::tools::{Lure, add_obstacle, obstacle_at};
use super::session::{digest_after, session, settle};
use steerling::model::State;
use steerling::render::View;
use steerling::scene::{Draft, Scene};
use winit::event::{DeviceId, ElementState, MouseButton, WindowEvent};
use winit::keyboard::ModifiersState;

fn tune(session: &mut Session, change: impl FnOnce(&mut Draft, &Draft)) {
    let (mut draft, original) = (session.scene().draft(), session.original().draft());
    change(&mut draft, &original);
    assert_eq!(session.tune(draft, false).expect("a device"), Answer::Accepted);
    assert_eq!(settle(session), Answer::Accepted);
}

/// How far agents are from a point on average, u.
fn away(state: &State, from: glam::Vec3) -> f32 {
    state.positions.iter().map(|at| glam::Vec3::from(*at).distance(from)).sum::<f32>() / state.positions.len() as f32
}

/// In scenes of every kind: all come, or flee; the same key again gives back what was, and so does an undo.
#[test]
fn agents_come_and_flee_in_every_scene() {
    for name in ["flock", "gulls", "seek_and_flee"] {
        let mut session = session(name, &[]);
        let first = session.scene().draft();
        let point = glam::vec3(0.1 * session.scene().world.size.x, 0.0, 0.0);
        let mut mean = |lure: Option<Lure>| {
            if let Some(lure) = lure.filter(|lure| !lure.acts(session.scene())) {
                tune(&mut session, |draft, original| lure.toggle(draft, original).expect("a lure"));
                assert!(lure.acts(session.scene()), "{name}");
            }
            session.restart(session.scene().seed).expect("a restart");
            session.set_mouse(point);
            digest_after(&mut session, 60);
            let mean = away(&session.simulation().state().expect("a state"), point);
            while session.undo().expect("a device") {
                settle(&mut session);
            }
            mean
        };
        let (plain, near, far) = (mean(None), mean(Some(Lure::Attract)), mean(Some(Lure::Repel)));
        if name != "seek_and_flee" {
            assert!(near < 0.95 * plain && far > plain, "{name}: {near} {plain} {far}");
        }
        let without_mouse = |session: &Session| Draft { mouse: first.mouse, ..session.scene().draft() };
        assert!(without_mouse(&session) == first, "{name}: taken back");
        for lure in [Lure::Attract, Lure::Repel] {
            let acted = lure.acts(&first);
            tune(&mut session, |draft, original| lure.toggle(draft, original).expect("a lure"));
            assert_ne!(lure.acts(session.scene()), acted, "{name}");
            let text = session.scene().to_toml("lured.toml").expect("a text");
            let again = Scene::parse(&text, "lured.toml", &[]).expect("a scene");
            assert_ne!(lure.acts(&again), acted, "{name}: kept");
            session.undo().expect("a device");
            settle(&mut session);
        }
        if name == "flock" {
            tune(&mut session, |draft, original| Lure::Repel.toggle(draft, original).expect("a lure"));
            tune(&mut session, |draft, original| Lure::Repel.toggle(draft, original).expect("a lure"));
            assert!(without_mouse(&session) == first, "the same key gives back what was");
        }
    }
}

/// An obstacle is drawn, gone around, kept with the scene, found again and taken away.
#[test]
fn obstacles_are_drawn_kept_and_taken_away() {
    for name in ["flock", "gulls"] {
        let mut session = session(name, &[]);
        let plain = digest_after(&mut session, 40);
        session.restart(session.scene().seed).expect("a restart");
        let first = session.scene().draft();
        let radius = 0.1 * session.scene().world.size.y;
        tune(&mut session, |draft, _| add_obstacle(draft, glam::Vec3::ZERO, radius).expect("an obstacle"));
        assert!(
            session.scene().species.iter().all(|species| species.enabled("obstacle_avoidance").expect("it is known"))
        );
        session.restart(session.scene().seed).expect("a restart");
        let around = digest_after(&mut session, 40);
        assert_ne!(around, plain, "{name}: it makes a difference");
        let text = session.scene().to_toml("built.toml").expect("a text");
        let again = Scene::parse(&text, "built.toml", &[]).expect("a scene");
        assert_eq!(again.scenery.obstacles, session.scene().scenery.obstacles, "{name}: kept");

        let (view, size) = (View::from_scene(session.scene()), (800, 600));
        let middle = view.project(glam::Vec3::ZERO, size).expect("in view");
        assert_eq!(obstacle_at(session.scene(), middle.into(), &view, size), Some(0), "{name}");
        assert_eq!(obstacle_at(session.scene(), (2.0, 2.0), &view, size), None, "{name}");
        // A second one is another change, and behaviors stay as they are.
        tune(&mut session, |draft, _| {
            draft.species[0].behaviors.iter_mut().for_each(|b| b.enabled &= b.spec.name != "obstacle_avoidance");
            add_obstacle(draft, glam::Vec3::X, radius).expect("an obstacle");
        });
        assert!(!session.scene().species[0].enabled("obstacle_avoidance").expect("it is known"));
        assert_eq!(obstacle_at(session.scene(), middle.into(), &view, size), Some(1), "{name}: the latest");
        for _ in 0..2 {
            assert!(session.undo().expect("a device"));
            settle(&mut session);
        }
        assert!(Draft { mouse: first.mouse, ..session.scene().draft() } == first, "{name}: taken back");
    }
}

/// Drags draw circles only while that is asked for; a click draws none, and a right click takes one away.
#[test]
fn drags_draw_circles_where_that_is_asked_for() {
    let view = View::from_scene(&Scene::open("flock", &[]).expect("a preset"));
    let device_id = DeviceId::dummy();
    let mut pointer = Pointer::default();
    let mut send = |draws: bool, button: MouseButton, to: (f32, f32)| {
        pointer.draws = draws;
        let mut moved = view;
        let go = |(x, y): (f32, f32)| WindowEvent::CursorMoved { device_id, position: (x, y).into() };
        let press = |state| WindowEvent::MouseInput { device_id, state, button };
        let mut circle = None;
        for event in [go((100.0, 100.0)), press(ElementState::Pressed), go(to), press(ElementState::Released)] {
            pointer.handle(&event, ModifiersState::empty(), false, Vec::new, &mut moved, (640, 480));
            circle = circle.or(pointer.circle());
        }
        (moved == view, circle.is_some(), pointer.drawn.take(), pointer.erased.take(), pointer.clicked.take())
    };
    let (from, to) = ((100.0, 100.0), (140.0, 100.0));
    assert_eq!(send(true, MouseButton::Left, to), (true, true, Some((from, to)), None, None));
    assert_eq!(send(true, MouseButton::Left, (101.0, 100.0)), (true, false, None, None, Some(from)));
    assert_eq!(send(true, MouseButton::Right, from), (true, false, None, Some(from), None));
    assert_eq!(send(false, MouseButton::Left, to), (false, false, None, None, None), "control: it moves the camera");
    assert_eq!(send(false, MouseButton::Right, from).3, None);
}
