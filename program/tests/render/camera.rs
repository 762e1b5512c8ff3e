//! Where the camera is and what it sees.

use super::*;
use steerling::model::FROZEN;

/// A camera goes around as fast as its scene says, in space.
#[test]
fn a_camera_that_turns_goes_around() {
    for spatial in [true, false] {
        let turning = edited(&scene(1, 20.0, spatial), |draft| draft.camera.turn = 12.0);
        let mut view = View::from_scene(&turning);
        let (yaw, at) = (view.yaw, view.project(Vec3::X, SIZE).unwrap());
        view.turn_with(&turning.camera, 2.5);
        assert_eq!(view.yaw - yaw, if spatial { 30.0 } else { 0.0 });
        assert_eq!(view.project(Vec3::X, SIZE).unwrap() != at, spatial);
    }
}

/// A camera that follows has the agents in the middle and 95 % of them within two thirds of the height.
#[test]
fn a_camera_that_follows_frames_the_agents() {
    let scene = preset("murmuration", 2000, &[]);
    assert!(scene.camera.follow);
    let simulation = start(&scene);
    let mut view = View::from_scene(&scene);
    view.zoom = 1.0;
    let whole = view.pixels_per_unit(SIZE);
    let ids = simulation.words(BufferId::Id).unwrap();
    view.follow(&simulation.words(BufferId::Position).unwrap(), &ids, 0.1, SIZE);
    assert!(view.pixels_per_unit(SIZE) > 2.0 * whole, "the first time all of the way");
    let state = simulation.state().unwrap();
    // Later only a share of the way.
    let center = view.center;
    let moved: Vec<u32> = state.positions.iter().flatten().map(|x| (x + 10.0).to_bits()).collect();
    view.follow(&moved, &ids, 0.1, SIZE);
    let way = view.center - center;
    assert!((way - Vec3::ONE).length() < 0.05, "{way}");
    // Who is away is not looked for, wherever it may be.
    let away: Vec<u32> = ids.iter().map(|id| id | if id % 2 == 0 { FROZEN } else { 0 }).collect();
    let framed = |positions: &[u32], ids: &[u32]| {
        let mut view = View::from_scene(&scene);
        view.follow(positions, ids, 1.0, SIZE);
        view
    };
    let places = |far: f32| -> Vec<u32> {
        let at = |(slot, p): (usize, &[f32; 3])| p.map(|x| x + if away[slot] & FROZEN != 0 { far } else { 0.0 });
        state.positions.iter().enumerate().flat_map(at).map(f32::to_bits).collect()
    };
    assert_eq!(framed(&places(0.0), &away), framed(&places(900.0), &away));
    assert_ne!(framed(&places(0.0), &ids), framed(&places(900.0), &ids));
    // A plane stays as it is.
    let flat = preset("flock", 500, &[]);
    let mut view = View::from_scene(&flat);
    view.follow(&moved, &ids, 1.0, SIZE);
    assert_eq!(view, View::from_scene(&flat));
}

/// Beside a panel a picture is hardly wider than high, and a flock that lies flat is seen from end to end all the same.
#[test]
fn a_camera_that_follows_sees_both_ends() {
    let scene = preset("murmuration", 2000, &[]);
    let simulation = start(&scene);
    let state = simulation.state().unwrap();
    for size in [SIZE, (210, 180), (180, 180), (120, 240)] {
        let mut view = View::from_scene(&scene);
        follow(&mut view, &simulation, size);
        let half = Vec2::new(size.0 as f32, size.1 as f32) * 0.5;
        let shown = state.positions.iter().map(|p| (view.project(Vec3::from_array(*p), size).unwrap() - half) / half);
        let within = shown.filter(|at| (*at / Vec2::new(0.65, 0.75)).length() < 1.0).count();
        assert!(within > 1850, "{size:?}: {within} of 2000 are near the middle");
    }
}

/// Most of a flock may be at its far end, where it looks small: both ends are as far from the middle of the picture all the same, also
/// with some that fell behind.
#[test]
fn a_camera_that_follows_has_as_much_room_on_either_side() {
    let scene = preset("murmuration", 1000, &[]);
    let view = View::from_scene(&scene);
    let (yaw, ahead) = (view.yaw.to_radians(), 80.0);
    // Along the line of sight and across it, so that the near end is on the right.
    let across = Vec3::new(yaw.cos(), 0.0, -yaw.sin());
    let toward = Vec3::new(yaw.sin(), 0.0, yaw.cos());
    let places = (0..1000).map(|id| {
        let share = (id as f32 / 999.0).powi(3);
        let stray = if id % 200 == 0 { Vec3::Y * -60.0 } else { Vec3::ZERO };
        Vec3::new(7.0, 8.0, 9.0) + (across + toward) * share * ahead + Vec3::Y * (id % 7) as f32 + stray
    });
    let positions: Vec<u32> = places.clone().flat_map(|at| at.to_array()).map(f32::to_bits).collect();
    for size in [SIZE, (210, 180), (180, 180), (120, 240)] {
        let mut view = view;
        view.follow(&positions, &[0; 1000], 1.0, size);
        let half = Vec2::new(size.0 as f32, size.1 as f32) * 0.5;
        let mut shown: Vec<f32> =
            places.clone().map(|at| (view.project(at, size).unwrap() - half).x / half.x).collect();
        shown.sort_by(f32::total_cmp);
        let (left, right) = (-shown[10], shown[990]);
        assert!(
            (left - right).abs() < 0.08 && left > 0.2 && right < 0.8,
            "{size:?}: {left} to the left, {right} to the right"
        );
    }
}

/// A camera among the agents sees the nearest as they are, and fades only those further away.
#[test]
fn who_is_chased_is_not_pale() {
    let scene = scene(1, 1.0, true);
    let state = one(Vec3::ZERO, Vec3::X);
    let simulation = started(&scene, &state);
    let mut view = View::from_scene(&scene);
    view.chase(Vec3::ZERO, Vec3::X, 1.0, false, 1.0);
    let brightest = draw_from(&scene, &simulation, &view).pixels().map(luminance).fold(0.0, f32::max);
    assert!(brightest > 0.8, "of a white agent {brightest} is left");
}

/// A camera that is kept with a scene stands still and shows the same, also where the view followed a flock.
#[test]
fn a_kept_camera_shows_the_same() {
    let scene = scene(1, 1.0, true);
    let mut view = View::from_scene(&scene);
    let flock = (0..300).map(|i| i as f32).flat_map(|t| [5.0 + 3.0 * t.sin(), 2.0 * t.cos(), 0.01 * t]);
    view.follow(&flock.map(f32::to_bits).collect::<Vec<u32>>(), &[0; 300], 1.0, SIZE);
    view.orbit(30.0, 12.0, SIZE);
    view.zoom_at(1.7, (40.0, 60.0), SIZE);
    let again = View::from_scene(&edited(&scene, |draft| draft.camera = view.camera()));
    let apart = |other: &View| {
        let points = [[5.0, 1.0, 1.0], [2.0, -3.0, 0.0], [6.0, 2.0, 3.0]].map(Vec3::from);
        let distance = |p: Vec3| view.project(p, SIZE).unwrap().distance(other.project(p, SIZE).unwrap());
        points.into_iter().map(distance).fold(0.0, f32::max)
    };
    assert!(apart(&again) < 0.01, "{} px", apart(&again));
    assert!(apart(&View::from_scene(&scene)) > 5.0, "the scene's own view is another");
}

#[test]
fn the_camera_follows_the_mouse() {
    for spatial in [false, true] {
        let scene = scene(1, 1.0, spatial);
        let mut view = View::from_scene(&scene);
        assert_eq!(view.camera(), scene.camera);
        let before = view.project(view.center, SIZE).unwrap();
        let center = view.center;
        view.pan(12.0, -7.0, SIZE);
        let moved = view.project(center, SIZE).unwrap() - before;
        assert!(moved.distance(Vec2::new(12.0, -7.0)) < 0.01, "{moved}");
        let cursor = view.project(center, SIZE).unwrap();
        view.zoom_at(3.0, cursor.into(), SIZE);
        assert!(view.project(center, SIZE).unwrap().distance(cursor) < 0.05, "the point under the cursor stays");
        assert_eq!(view.zoom, 3.0);
        let turned = {
            view.orbit(40.0, 1e6, SIZE);
            view
        };
        assert_eq!(turned.camera().pitch, if spatial { 89.0 } else { scene.camera.pitch });
        assert_eq!(turned.camera().yaw != scene.camera.yaw, spatial);
    }
}
