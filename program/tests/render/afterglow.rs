//! The afterglow: what pictures leave behind, and how it fades.

use super::*;

/// An agent that flies to the right.
fn flying(afterglow: f32) -> (Scene, Simulation) {
    let scene = edited(&scene(1, 6.0, false), |draft| {
        (draft.look.afterglow, draft.dt) = (afterglow, 0.1);
        draft.species[0].max_speed = 100.0;
    });
    let simulation = started(&scene, &one(Vec3::new(-100.0, 0.0, 0.0), Vec3::new(80.0, 0.0, 0.0)));
    (scene, simulation)
}

/// The light of each picture around a place where an agent was, drawn by one renderer after so many steps each, twice.
fn lights(afterglow: f32) -> Vec<[u32; 2]> {
    let ((scene, mut simulation), size) = (flying(afterglow), SIZE);
    let (mut renderer, view) = (renderer(&scene), View::from_scene(&scene));
    let at = view.project(Vec3::new(-100.0, 0.0, 0.0), size).unwrap();
    let mut light = |simulation: &Simulation| {
        let image = picture(&mut renderer, size, simulation, &view);
        let near = |x: i32, y: i32| image.get_pixel((at.x as i32 + x) as u32, (at.y as i32 + y) as u32).0[1];
        (-4..4).flat_map(|x| (-4..4).map(move |y| (x, y))).map(|(x, y)| u32::from(near(x, y))).sum()
    };
    let mut lights = Vec::new();
    for steps in [0, 10, 10, 10] {
        simulation.step(steps).unwrap();
        lights.push([light(&simulation), light(&simulation)]);
    }
    simulation.set_state(&one(Vec3::new(50.0, 0.0, 0.0), Vec3::ZERO)).unwrap();
    lights.push([light(&simulation), light(&simulation)]);
    lights
}

/// It fades from picture to picture, drawing one again changes nothing, and a run that begins anew leaves nothing behind.
#[test]
fn what_agents_leave_fades() {
    let plain = lights(0.0);
    let sky = plain[1][0];
    assert!(plain[0][0] > 2 * sky && plain[1..].iter().all(|light| *light == [sky; 2]), "control: {plain:?}");
    let glow = lights(1.0);
    assert!(glow.iter().all(|[first, again]| first == again), "{glow:?}");
    let glow: Vec<u32> = glow.iter().map(|light| light[0]).collect();
    assert_eq!((glow[0], glow[4]), (plain[0][0], sky), "{glow:?}");
    assert!(glow[1] < glow[0] && glow[2] < glow[1] && glow[3] < glow[2] && glow[3] > sky + 20, "{glow:?}");
    let longer = lights(20.0);
    assert!(longer[3][0] > glow[1], "{longer:?} {glow:?}");
}

/// What another picture left is not drawn into one of another shape, nor after that was forgotten.
#[test]
fn nothing_is_left_in_another_shape_or_of_another_run() {
    for (size, forgets, leaves) in [
        (SIZE, false, true),
        ((SIZE.0 / 2, SIZE.1 / 2), false, true),
        ((SIZE.0, SIZE.1 - 30), false, false),
        ((SIZE.0 - 30, SIZE.1), false, false),
        (SIZE, true, false),
    ] {
        let (scene, mut simulation) = flying(10.0);
        let (mut renderer, view) = (renderer(&scene), View::from_scene(&scene));
        picture(&mut renderer, SIZE, &simulation, &view);
        simulation.step(10).unwrap();
        if forgets {
            renderer.forget();
        }
        let next = picture(&mut renderer, size, &simulation, &view);
        assert_eq!(next != draw_sized(size, &scene, &simulation, &view), leaves, "{size:?} {forgets}");
    }
}
