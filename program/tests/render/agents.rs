//! Where agents are drawn, which way they point, and how many are seen.

use super::*;
use steerling::model::Pose;
use steerling::scene::{Boundary, Color, Facing, Look, PRESETS};

#[test]
fn every_preset_lights_pixels() {
    // One renderer for scenes of a kind: it takes long to make its pipelines anew.
    let mut scenes: Vec<Scene> = PRESETS.iter().map(|of| preset(of.name, 2000, &[])).collect();
    let kind = |scene: &Scene| {
        let Look { name, color, pattern, .. } = scene.look;
        (scene.world.spatial, name as u32, color as u32, pattern as u32, scene.species.len())
    };
    scenes.sort_by_key(kind);
    let mut renderer = renderer(&scenes[0]);
    for scene in scenes {
        renderer.set_scene(&scene).unwrap();
        renderer.forget();
        let lit = light_by(&mut renderer, &scene, &State::initial(&scene), SIZE);
        let share = lit.len() as f32 / (SIZE.0 * SIZE.1) as f32;
        // Where agents enter one after another, hardly anybody is there at first.
        let least = if scene.species.iter().any(|species| species.enters > 0.0) { 0.005 } else { 0.02 };
        assert!((least..0.95).contains(&share), "{}: {share} of the pixels", scene.name);
    }
}

#[test]
fn an_agent_appears_at_its_place_and_moves_with_it() {
    for (radius, spatial) in [(0.05, false), (0.7, false), (4.0, false), (0.2, true), (6.0, true)] {
        let scene = scene(1, radius, spatial);
        let (mut renderer, view) = (renderer(&scene), View::from_scene(&scene));
        for at in [Vec3::ZERO, Vec3::new(-70.3, 41.8, 0.0), Vec3::new(30.1, -50.4, 60.0)] {
            let at = if spatial { at } else { at.with_z(0.0) };
            let state = one(at, Vec3::new(3.0, 2.0, 1.0));
            let found = centroid(&light_by(&mut renderer, &scene, &state, SIZE));
            let expected = view.project(at, SIZE).unwrap();
            let back = view.project(view.unproject((expected.x, expected.y), SIZE), SIZE).unwrap();
            assert!((back - expected).length() < 0.05, "{expected} came back as {back}");
            let error = found.distance(expected);
            assert!(error <= 0.5, "radius {radius}, spatial {spatial}: {error} px off, {found} for {expected}");
            if !spatial {
                // One unit is one pixel here, and y points up.
                assert!(expected.distance(Vec2::new(160.0 + at.x, 90.0 - at.y)) < 1e-3, "{expected}");
            }
        }
    }
}

#[test]
fn nothing_is_drawn_of_agents_outside_of_the_picture_behind_the_camera_or_frozen() {
    let flat = scene(1, 2.0, false);
    assert!(light(&flat, &one(Vec3::new(170.0, 0.0, 0.0), Vec3::X), SIZE).is_empty());
    let deep = scene(1, 2.0, true);
    let behind = Vec3::new(25f32.to_radians().sin(), 20f32.to_radians().tan(), 25f32.to_radians().cos()) * 5000.0;
    assert_eq!(View::from_scene(&deep).project(behind, SIZE), None);
    assert!(light(&deep, &one(behind, Vec3::X), SIZE).is_empty());
    let mut frozen = one(Vec3::splat(f32::NAN), Vec3::X);
    frozen.frozen[0] = true;
    assert!(light(&flat, &frozen, SIZE).is_empty());
}

/// By how many degrees the pixel that is farthest from the origin lies off what is ahead.
fn off(view: &View, lit: &[(Vec2, f32)], ahead: Vec2) -> f32 {
    let center = view.project(Vec3::ZERO, SIZE).unwrap();
    let tips = lit.iter().map(|(at, _)| *at - center);
    let tip = tips.max_by(|a, b| a.length().total_cmp(&b.length())).unwrap();
    tip.angle_to(ahead).to_degrees().abs()
}

#[test]
fn triangles_point_along_the_velocity() {
    for spatial in [false, true] {
        let scene = scene(1, 20.0, spatial);
        let (mut renderer, view) = (renderer(&scene), View::from_scene(&scene));
        for step in 0..12 {
            let angle = (30.0 * step as f32).to_radians();
            let z = if spatial { 0.4 } else { 0.0 };
            let velocity = Vec3::new(angle.cos(), angle.sin(), z) * 7.0;
            let ahead = view.project(velocity * 0.01, SIZE).unwrap() - view.project(Vec3::ZERO, SIZE).unwrap();
            let off = off(&view, &light_by(&mut renderer, &scene, &one(Vec3::ZERO, velocity), SIZE), ahead);
            assert!(off < 8.0, "spatial {spatial}, {step}: {off} degrees off {ahead}");
        }
    }
}

/// An agent that faces somewhere, and moves somewhere.
fn facing(forward: Vec3, up: Vec3, velocity: Vec3) -> State {
    let pose = Pose { forward: forward.into(), up: up.into(), spin: [0.0; 3], bank: [0.0; 3] };
    State { poses: vec![pose], ..one(Vec3::ZERO, velocity) }
}

/// An agent that remembers which way it faces is drawn that way, and in space it rolls.
#[test]
fn posed_agents_point_where_they_face_and_roll() {
    for spatial in [false, true] {
        let scene = edited(&scene(1, 20.0, spatial), |draft| {
            draft.species[0].vehicle.facing = Facing::Independent;
            (draft.camera.yaw, draft.camera.pitch) = (0.0, 0.0);
        });
        let mut renderer = renderer(&scene);
        for step in 0..12 {
            let angle = (30.0 * step as f32 + 10.0).to_radians();
            let forward = Vec3::new(angle.cos(), angle.sin(), 0.0);
            // It moves sideways.
            let facing = |up: Vec3| facing(forward, up, Vec3::new(-forward.y, forward.x, 0.0) * 9.0);
            let lit = light_by(&mut renderer, &scene, &facing(Vec3::Z), SIZE);
            let off = off(&View::from_scene(&scene), &lit, Vec2::new(forward.x, -forward.y));
            assert!(off < 8.0, "spatial {spatial}, {step}: {off} degrees off {forward}");
            if spatial {
                // Seen from the edge it is thin.
                let edge = light_by(&mut renderer, &scene, &facing(Vec3::new(-forward.y, forward.x, 0.0)), SIZE);
                let ratio = edge.len() as f32 / lit.len() as f32;
                assert!((0.2..0.6).contains(&ratio), "{} of {} pixels", edge.len(), lit.len());
            }
        }
    }
}

/// A thousand birds from afar are seen one by one, and a crowd is no larger than it is.
#[test]
fn few_agents_are_drawn_large_enough_to_be_seen() {
    let size = (1280, 720);
    let dark = |agents: u32| {
        let scene = preset("murmuration", agents, &[]);
        let lit = light(&scene, &State::initial(&scene), size);
        let strong = lit.iter().filter(|(_, difference)| *difference > 90.0).count();
        strong as f32 / agents as f32
    };
    let (few, many) = (dark(1_000), dark(30_000));
    assert!(few > 10.0, "{few} dark pixels for each of a thousand");
    assert!(many < 6.0, "{many} for each of thirty thousand");
}

/// What is drawn is that of a state, whatever the order in which agents are stored: sums of cover are of whole numbers, and who is
/// large is sorted by depth, or on a plane by id.
#[test]
fn the_order_of_storage_does_not_show() {
    for (radius, spatial) in [(0.3, false), (4.0, false), (0.3, true), (6.0, true)] {
        let scene = edited(&scene(3000, radius, spatial), |draft| draft.species[0].color = Color::Heading);
        let mut state = State::initial(&scene);
        for (id, velocity) in state.velocities.iter_mut().enumerate() {
            // So slow that nobody's place changes in a step, and of all headings.
            *velocity = [1e-9 * (id as f32).cos(), 1e-9 * (id as f32).sin(), 0.0];
        }
        let mut simulation = started(&scene, &state);
        let (mut renderer, view) = (renderer(&scene), View::from_scene(&scene));
        // After a step, in which nobody moves, agents are stored by cells.
        let [by_id, by_cell] = [0, 1].map(|steps| {
            simulation.step(steps).unwrap();
            assert_eq!(simulation.words(BufferId::Id).unwrap().is_sorted(), steps == 0, "a step sorts by cells");
            picture(&mut renderer, SIZE, &simulation, &view)
        });
        let differ = by_id.pixels().zip(by_cell.pixels()).filter(|(a, b)| a != b).count();
        assert_eq!(differ, 0, "radius {radius}, spatial {spatial}: {differ} pixels differ");
        state.velocities.swap(0, 1500);
        assert_ne!(by_id, draw(&scene, &state, SIZE), "radius {radius}, spatial {spatial}");
    }
}

/// The list of those drawn one by one has all of them and nobody else: of several blocks, some empty, with holes, to the last.
#[test]
fn all_who_are_large_enough_are_drawn() {
    const AGENTS: usize = 1500;
    let scene = scene(AGENTS as u32, 4.0, false);
    let place = |id: usize| Vec3::new((id % 50) as f32 * 6.0 - 147.0, (id / 50) as f32 * 5.9 - 85.5, 0.0);
    // Blocks 1 and 2 are empty, one in seven of the others is frozen, and every eleventh is elsewhere.
    let frozen = |id: usize| (256..768).contains(&id) || id % 7 == 3;
    let away = |id: usize| if id % 11 == 5 { Vec3::X * 1e4 } else { Vec3::ZERO };
    let state = State {
        positions: (0..AGENTS).map(|id| (place(id) + away(id)).to_array()).collect(),
        velocities: vec![[1.0, 0.0, 0.0]; AGENTS],
        frozen: (0..AGENTS).map(frozen).collect(),
        ..Default::default()
    };
    let size = (1280, 720);
    let picture = draw(&scene, &state, size);
    let empty = draw(&scene, &State { frozen: vec![true; AGENTS], ..state.clone() }, size);
    let view = View::from_scene(&scene);
    let mut seen = 0;
    for id in 0..AGENTS {
        let pixel = view.project(place(id), size).unwrap();
        let pixel = (pixel.x as u32, pixel.y as u32);
        let lit = picture.get_pixel(pixel.0, pixel.1) != empty.get_pixel(pixel.0, pixel.1);
        assert_eq!(lit, !frozen(id) && id % 11 != 5, "agent {id} at {pixel:?}");
        seen += usize::from(lit);
    }
    assert!(seen > 700, "{seen}");
}

/// Birds and fish are drawn where they are; their wings beat, and from above a bird that rolls shows another area.
#[test]
fn bodies_have_shapes_of_their_own() {
    for body in [Body::Bird, Body::Fish] {
        let lit = |up: Vec3| {
            let scene = edited(&scene(1, 20.0, true), |draft| {
                draft.species[0].body = body;
                draft.species[0].vehicle.facing = Facing::Independent;
                (draft.camera.yaw, draft.camera.pitch) = (0.0, 0.0);
            });
            light(&scene, &facing(Vec3::X, up, Vec3::X), SIZE)
        };
        let (level, rolled) = (lit(Vec3::Y), lit(Vec3::Z));
        assert!(centroid(&level).distance(Vec2::new(160.0, 90.0)) < 8.0, "{body:?}: {}", centroid(&level));
        let (level, rolled) = (level.len() as f32, rolled.len() as f32);
        // From the edge, level wings are a line.
        assert!(
            level.min(rolled) > 4.0 && level.max(rolled) > 50.0 && (level / rolled - 1.0).abs() > 0.2,
            "{body:?}: {level} and {rolled} pixels"
        );
    }
}

/// On a plane bodies reach as far behind, ahead and aside as what they show, in half lengths; an arrow is what is drawn where a scene
/// says nothing.
#[test]
fn bodies_have_their_extents() {
    const HALF_LENGTH: f32 = 20.0;
    let extents = [
        (Body::Arrow, [0.67, 1.33, 0.5]),
        (Body::Fish, [1.15, 1.0, 0.2]),
        (Body::Person, [0.39, 0.47, 0.88]),
        (Body::Car, [1.0, 1.0, 0.46]),
        (Body::Ant, [1.05, 1.15, 1.0]),
        (Body::Duck, [1.15, 1.25, 0.42]),
        (Body::Cow, [0.85, 1.1, 0.36]),
        (Body::Hound, [1.25, 1.2, 0.32]),
    ];
    let state = one(Vec3::ZERO, Vec3::X);
    let with = |body: Option<Body>| {
        edited(&scene(1, HALF_LENGTH, false), |draft| draft.species[0].body = body.unwrap_or(draft.species[0].body))
    };
    for (body, expected) in extents {
        let lit = light(&with(Some(body)), &state, SIZE);
        let off = lit.iter().map(|(at, _)| (*at - Vec2::new(160.0, 90.0)) / HALF_LENGTH);
        let farthest = off.fold([0.0f32; 3], |[behind, ahead, aside], off| {
            [behind.max(-off.x), ahead.max(off.x), aside.max(off.y.abs())]
        });
        let wrong = farthest.iter().zip(expected).any(|(found, expected)| (found - expected).abs() > 0.1);
        assert!(!wrong, "{body:?}: {farthest:?} in place of {expected:?}");
    }
    assert_eq!(draw(&with(None), &state, SIZE), draw(&with(Some(Body::Arrow)), &state, SIZE));
    assert_ne!(draw(&with(None), &state, SIZE), draw(&with(Some(Body::Bird)), &state, SIZE));
}

/// Birds too small to be seen one by one are a cloud that hides much of a bright sky, however many they are.
#[test]
fn a_cloud_of_many_is_dark() {
    for (agents, look) in [(20_000, LookName::Dusk), (200_000, LookName::Ink), (20_000, LookName::Day)] {
        let scene = edited(&preset("murmuration", agents, &[]), |draft| draft.look.name = look);
        let all = State::initial(&scene);
        let simulation = started(&scene, &all);
        let mut view = View::from_scene(&scene);
        follow(&mut view, &simulation, SIZE);
        let mut renderer = renderer(&scene);
        let mut middle = |state: &State| {
            let picture = picture(&mut renderer, SIZE, &started(&scene, state), &view);
            let (x, y) = (SIZE.0 / 2, SIZE.1 / 2);
            let near = (x - 4..x + 4).flat_map(|x| (y - 2..y + 2).map(move |y| (x, y)));
            near.map(|(x, y)| luminance(picture.get_pixel(x, y))).sum::<f32>() / 32.0
        };
        let some = |one_in: usize| State {
            frozen: (0..all.positions.len()).map(|id| id % one_in != 0).collect(),
            ..all.clone()
        };
        let (empty, full, few) = (middle(&some(usize::MAX)), middle(&all), middle(&some(20)));
        println!("{look:?}, {agents}: {empty} without birds, {few} with few, {full} with all");
        assert!(full < 0.6 * empty, "{look:?}: {full} of {empty}");
        assert!(few > 0.85 * empty, "{look:?}: {few} of {empty}");
    }
}

/// A picture that is wider than a wrapped world shows its copies; one of a world with walls ends there.
#[test]
fn wrapped_planes_are_drawn_with_their_copies() {
    let scene =
        |boundary| edited(&scene(1, 4.0, false), |draft| draft.world.boundary = [boundary, boundary, Boundary::Open]);
    let state = one(Vec3::new(30.0, 20.0, 0.0), Vec3::X);
    let wide = (960, 180);
    let [wrapped, contained] =
        [Boundary::Wrap, Boundary::Contain].map(|boundary| light(&scene(boundary), &state, wide));
    // One unit is one pixel, and the world is 320 wide: its copies lie at 190 - 160 and so on.
    let near = |lit: &[(Vec2, f32)], x: f32| lit.iter().filter(|(at, _)| (at.x - x).abs() < 16.0).count();
    let found = [190.0, 510.0, 830.0].map(|x| near(&wrapped, x));
    assert!(found[1] > 20 && found[0] == found[1] && found[2] == found[1], "{found:?}");
    assert_eq!([190.0, 510.0, 830.0].map(|x| near(&contained, x).min(1)), [0, 1, 0]);

    // The world itself is seen clearly, its copies are faint; and the world is the one that the camera is over.
    let brightness = |center: f32| {
        let scene = scene(Boundary::Wrap);
        let mut view = View::from_scene(&scene);
        view.center.x = center;
        let simulation = started(&scene, &state);
        let picture = draw_sized(wide, &scene, &simulation, &view);
        [190.0, 510.0, 830.0].map(|x| luminance(picture.get_pixel((x - center) as u32, 70)))
    };
    let [left, middle, right] = brightness(0.0);
    assert!(left > 0.0 && left == right && left < 0.5 * middle, "{left} {middle} {right}");
    // The camera is over the copy on the right.
    let [_, middle, right] = brightness(170.0);
    assert!(middle < 0.5 * right, "{middle} {right}");
}

#[test]
fn a_picture_of_several_tiles_has_no_seams_of_place() {
    let scene = scene(1, 0.5, false);
    // 32 px of height show 180 u; the tiles are 4096 px wide.
    let (mut renderer, size) = (renderer(&scene), (8192, 32));
    for x in [-3000.0, 0.0, 9000.0] {
        let at = Vec3::new(x, 11.0, 0.0);
        let found = centroid(&light_by(&mut renderer, &scene, &one(at, Vec3::X), size));
        let expected = View::from_scene(&scene).project(at, size).unwrap();
        assert!(found.distance(expected) <= 0.5, "{found} for {expected}");
    }
}
