//! What moves the camera.

use super::super::eye::Eye;
use super::super::gaze::Gaze;
use super::*;
use glam::Mat4;
use std::collections::BTreeSet;
use steerling::gpu::Sight;
use steerling::scene::Color;
use support::{gpu, on_gpu};

/// The agent that a picture shows nearest to a place is the one whose position says so, in planes and in space, from near and far.
#[test]
fn the_nearest_agent_in_the_picture_is_found() {
    let size = (640, 480);
    for name in ["flock", "murmuration"] {
        let scene = preset(name, 3000, &[]);
        let mut simulation = on_gpu(&gpu(), &scene, Options::default());
        simulation.step(3).expect("steps");
        let positions = simulation.state().expect("a state").positions;
        let mut found = BTreeSet::new();
        for (zoom, at) in [(1.0, (320.0, 240.0)), (1.0, (12.0, 400.0)), (8.0, (320.0, 240.0)), (8.0, (600.0, 90.0))] {
            let mut view = View::from_scene(&scene);
            view.zoom = zoom;
            let sight = view.sight(at, size);
            let nearest = |sight: &Sight| simulation.read_nearest(sight).expect("a pass").wait().expect("an answer");
            let (id, away) = nearest(&sight).expect("an agent");
            let distance = |position: &[f32; 3]| {
                view.project(Vec3::from(*position), size).map_or(f32::MAX, |place| place.distance(Vec2::from(at)))
            };
            let least = positions.iter().map(distance).fold(f32::MAX, f32::min);
            let own = distance(&positions[id as usize]);
            assert!(own <= least * 1.001 + 0.01, "{name}, {zoom}, {at:?}: {own} px of {least}");
            assert!((away - own).abs() <= 0.001 * own + 0.01, "{name}: it is {away} px away, and {own}");
            found.insert(id);
            let behind = Sight { view: Mat4::from_scale(Vec3::new(1.0, 1.0, -1.0)) * sight.view, ..sight };
            assert_eq!(nearest(&behind).is_some(), !scene.world.spatial, "{name}: nobody is behind the camera");
        }
        assert!(found.len() > 2, "{name}: {found:?} wherever one looks");
    }
}

/// From above and from the side the whole scene is seen, wherever one was before.
#[test]
fn from_above_and_from_the_side_the_scene_is_framed() {
    let scene = tuned("murmuration", &[]);
    let mut eye = Eye::new(&scene);
    let (framed, size) = (eye.view, (640, 480));
    eye.view.zoom_at(9.0, (100.0, 50.0), size);
    eye.view.pan(200.0, -70.0, size);
    assert!(eye.view.zoom != framed.zoom && eye.view.center != framed.center);
    eye.frame_from(&scene, 89.0);
    assert_eq!((eye.view.zoom, eye.view.center, eye.view.pitch), (framed.zoom, framed.center, 89.0));
    assert!(eye.gaze.touched(), "the scene does not turn it back");
}

/// Those who are picked are all in the picture with what is around them, in planes and in space, and no farther away than that asks for.
#[test]
fn all_who_are_picked_are_framed() {
    let size = (640, 480);
    for name in ["flock", "murmuration"] {
        let mut eye = Eye::new(&tuned(name, &[]));
        eye.view.followed_radius = Some(3.0);
        let places = [Vec3::new(-9.0, 4.0, 0.0), Vec3::new(3.0, -8.0, 0.0), Vec3::new(1.0, 1.0, 0.0)];
        eye.frame_around(&places, 2.0, size);
        let off = |eye: &Eye, at: Vec3| {
            let at = eye.view.project(at, size).expect("it is before the camera") - Vec2::new(320.0, 240.0);
            at.length()
        };
        let farthest = places.iter().map(|at| off(&eye, *at)).fold(0.0, f32::max);
        assert!((140.0..240.0).contains(&farthest), "{name}: {farthest} px off the middle");
        assert!(eye.gaze.touched(), "{name}: the scene does not move it back");
        eye.frame_around(&places[..1], 2.0, size);
        assert!(off(&eye, places[0]) < 1.0, "{name}: one is in the middle");
        let before = eye.view;
        eye.frame_around(&[], 2.0, size);
        assert!(eye.view == before && eye.view.zoom > 0.0, "{name}: nobody is nowhere");
    }
}

/// Views that are kept come back in a ring, the latest first; there are at most nine, and none of another world.
#[test]
fn views_come_back_in_a_ring() {
    let scene = tuned("murmuration", &[]);
    let mut eye = Eye::new(&scene);
    assert!(!eye.go_back(), "nothing is kept");
    for turn in 1..=12 {
        eye.view.yaw = turn as f32;
        assert_eq!(eye.keep(), turn.min(9));
        assert_eq!(eye.keep(), turn.min(9), "twice is once");
    }
    let seen = |eye: &mut Eye| {
        assert!(eye.go_back() && eye.gaze.touched());
        eye.view.yaw
    };
    let ring: Vec<f32> = (0..10).map(|_| seen(&mut eye)).collect();
    assert_eq!(ring, [11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 12.0, 11.0]);
    eye.view.yaw = 200.0;
    assert_eq!(seen(&mut eye), 11.0, "from elsewhere to where one was");
    eye.begin(&scene);
    assert!(!eye.go_back());
}

/// T ends the turning that the scene asks for, and begins one; a drag does not end it, the scene's own view does.
#[test]
fn the_camera_goes_around_until_it_is_told() {
    let scene = tuned("murmuration", &["camera.turn=3"]);
    let still = tuned("murmuration", &["camera.turn=0"]);
    let mut eye = Eye::new(&scene);
    assert!(!eye.gaze.toggle_turn(&scene.camera, false) && eye.gaze.touched(), "the scene turns it no longer");
    assert!(eye.gaze.toggle_turn(&scene.camera, false));
    eye.gaze.touch();
    assert!(eye.gaze.restless() && !eye.gaze.toggle_turn(&scene.camera, false));
    for (scene, paused) in [(&still, false), (&scene, true)] {
        eye.frame(scene);
        assert!(eye.gaze.toggle_turn(&scene.camera, paused), "nothing turned it");
    }
    eye.frame(&still);
    assert!(!eye.gaze.restless());
}

/// C leads through colors that tell something of the scene, and never to the error, which takes the reference's time.
#[test]
fn colors_that_tell_nothing_are_left_out() {
    let round = |name: &str| {
        let mut draft = tuned(name, &[]).draft();
        draft.species.iter_mut().for_each(|species| species.color = Color::Ink);
        let scene = draft.validate().expect("a scene");
        let next = |by: &ColorBy| Some(by.next(&scene)).filter(|by| *by != ColorBy::Own);
        std::iter::successors(Some(ColorBy::Own), next).take(20).collect::<Vec<_>>()
    };
    assert!(!round("hide").contains(&ColorBy::Depth) && !round("hide").contains(&ColorBy::Winner));
    assert!(round("murmuration").contains(&ColorBy::Depth) && !round("flock").contains(&ColorBy::Species));
    assert!(round("predator_and_prey").contains(&ColorBy::Species));
    assert!(round("priority").contains(&ColorBy::Winner) && round("actions").contains(&ColorBy::State));
    let scene = tuned("actions", &[]);
    assert_eq!(scene.species[0].color, Color::State);
    assert!(!ColorBy::State.tells(&scene), "its own colors tell it already");
    for name in ["hide", "murmuration", "priority"] {
        assert!(!round(name).contains(&ColorBy::Error) && round(name).len() < 12, "{name}: {:?}", round(name));
    }
}

/// The agent that is followed has a ring where it is, and its name; out of its eyes the name alone, and nobody where none is.
#[test]
fn the_followed_agent_is_marked_and_named() {
    let scene = preset("flock", 3000, &[]);
    let simulation = on_gpu(&gpu(), &scene, Options::default());
    let at = Vec3::from(simulation.state().expect("a state").positions[1234]);
    let (mut gaze, mut view, size) = (Gaze::default(), View::from_scene(&scene), (640, 480));
    assert!(gaze.mark(&view, &scene, size).is_none(), "nobody is followed");
    gaze.chase(false, scene.agent_count(), Some(1234));
    let mark = wait("its place", || {
        gaze.guide(&mut view, &simulation, Duration::from_millis(16), true, size).expect("a device");
        gaze.mark(&view, &scene, size).filter(|mark| mark.place.is_some())
    });
    let before = view.zoom;
    view.zoom *= 50.0;
    gaze.guide(&mut view, &simulation, Duration::from_secs(9), true, size).expect("a device");
    assert!(view.zoom >= 50.0 * before, "it never goes away from an agent of a plane");
    let mark = gaze.mark(&view, &scene, size).unwrap_or(mark);
    let (ring, _) = mark.place.expect("a place");
    let there = view.project(at, size).expect("a place");
    assert_eq!(mark.name, "Agent 1,234 · Birds");
    assert!(there.distance(Vec2::from(ring)) < 0.1, "{ring:?} is not {there}");
    gaze.chase(true, scene.agent_count(), None);
    let eyes = gaze.mark(&view, &scene, size).expect("a name");
    assert_eq!((eyes.name, eyes.place), (mark.name, None));
    gaze.touch();
    assert!(gaze.mark(&view, &scene, size).is_none());
}
