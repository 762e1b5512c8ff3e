//! What a slider means, by the tables alone, and how that is drawn.

use super::super::meaning::{Extent, Meaning, MeaningDrawing, outline, senses};
use super::*;
use steerling::scene::{Range, Stored};

fn meaning(scene: &Scene, path: &str) -> Option<Extent> {
    Meaning::of(&scene.draft(), path).map(|meaning| meaning.extent)
}

/// Each parameter with a length, an angle or a time has a meaning, and no other has one.
#[test]
fn units_say_what_a_number_means() {
    let mut found = [0; 4];
    for preset in PRESETS {
        let scene = tuned(preset.name, &[]);
        for (index, species) in scene.species.iter().enumerate() {
            let acting = species.behaviors.iter().filter(|behavior| behavior.enabled).map(|behavior| behavior.spec);
            let all = acting.flat_map(|spec| spec.parameters.iter().map(|parameter| (spec.name, parameter)));
            for (behavior, parameter) in all.filter(|(_, of)| matches!(of.range, Range::Number { .. })) {
                let path = format!("species.{index}.behaviors.{behavior}.{}", parameter.name);
                let extent = meaning(&scene, &path);
                let unit = parameter.unit.split(';').next().unwrap_or_default();
                assert_eq!(extent.is_some(), ["u", "deg", "s"].contains(&unit), "{}: {path}: {extent:?}", preset.name);
                let kind = match extent {
                    None => continue,
                    Some(Extent::Vision { .. }) => 0,
                    Some(Extent::Distance { .. }) => 1,
                    Some(Extent::Sides { .. }) => 2,
                    Some(Extent::Time(_)) => 3,
                    Some(Extent::Ahead { .. } | Extent::Feelers { .. }) => panic!("{path} is one number"),
                };
                let of_vision = [Stored::RadiusSquared, Stored::HalfCosine].contains(&parameter.stored);
                assert_eq!(kind == 0, of_vision, "{path}");
                found[kind] += 1;
            }
        }
    }
    assert!(found.iter().all(|count| *count > 3), "each kind is there: {found:?}");
    let flock = tuned("flock", &[]);
    let alignment = Some(Extent::Vision { radius: 5.0, angle: 270.0 });
    assert_eq!(meaning(&flock, "species.0.behaviors.alignment.perception_radius"), alignment);
    assert_eq!(meaning(&flock, "species.0.behaviors.alignment.field_of_view"), alignment);
    assert_eq!(meaning(&flock, "species.0.time_constant"), Some(Extent::Time(0.2)));
    assert_eq!(meaning(&flock, "species.0.max_speed"), None);
    assert_eq!(meaning(&flock, "species.9.radius"), None);
    let there = tuned("arrive", &["species.0.behaviors.arrive.target={point=[20,10]}"]);
    let slowing = meaning(&there, "species.0.behaviors.arrive.slow_radius");
    assert!(matches!(slowing, Some(Extent::Distance { from: Some(at), .. }) if at.x == 20.0), "{slowing:?}");
    let pointed = tuned("arrive", &["species.0.behaviors.arrive.target=mouse", "mouse=[30,0]"]);
    let slowing = meaning(&pointed, "species.0.behaviors.arrive.slow_radius");
    assert!(matches!(slowing, Some(Extent::Distance { from: Some(at), .. }) if at.x == 30.0), "{slowing:?}");
}

/// The pointer on a row of the panel, and on none.
#[test]
fn the_number_under_the_pointer_is_meant() {
    let mut desk = desk("flock");
    let row = |desk: &egui_kittest::Harness<Desk>, label: &str| {
        desk.get_all_by_label(label).next().expect("a row").rect().center()
    };
    let at = row(&desk, "Perception radius");
    desk.hover_at(at);
    desk.run();
    let meant = desk.state().panel.meaning.clone().expect("a meaning");
    assert_eq!((meant.species, meant.extent), (0, Extent::Vision { radius: 3.0, angle: 360.0 }));
    let at = row(&desk, "Max speed");
    desk.hover_at(at);
    desk.run();
    assert_eq!(desk.state().panel.meaning, None);
}

/// It is drawn to scale, on three agents or on the picked one, and follows what is dragged.
#[test]
fn it_is_drawn_to_scale_on_three_agents_or_the_picked_one() {
    for name in ["flock", "gulls"] {
        let mut session = session(name, &[]);
        session.step(5).expect("steps");
        while session.restless() || session.past().latest().is_none() {
            session.keep().expect("a device");
        }
        let (view, size) = (View::from_scene(session.scene()), (800, 600));
        let mut shown = MeaningDrawing::default();
        let mut draw = |extent: Option<Extent>, picked: Option<u32>| {
            let meaning = extent.map(|extent| Meaning { species: 0, extent });
            let simulation = session.simulation();
            loop {
                let latest = session.past().latest();
                shown.look(meaning.as_ref(), picked, simulation, latest, (&view, size)).expect("a device");
                if !shown.restless(simulation) {
                    return shown.outline(&view, size);
                }
                simulation.gpu().wait().expect("a device");
            }
        };
        let rings = if view.spatial() { 2 } else { 1 };
        let ring = |radius: f32| Some(Extent::Distance { radius, from: None });
        let three = draw(ring(4.0), None);
        assert_eq!(three.len(), 3 * rings, "{name}");
        let span = |line: &[Vec2]| line.iter().map(|at| at.distance(line[0])).fold(0.0, f32::max);
        let one = draw(ring(4.0), Some(9));
        assert_eq!(one.len(), rings, "{name}");
        let twice = draw(ring(8.0), Some(9));
        let ratio = span(&twice[0]) / span(&one[0]);
        assert!((ratio - 2.0).abs() < 0.05, "{name}: {ratio}");
        if !view.spatial() {
            let wide = 8.0 * view.pixels_per_unit(size);
            assert!((span(&one[0]) - wide).abs() < 0.01 * wide, "{name}: {} {wide}", span(&one[0]));
        }
        let cone = draw(Some(Extent::Vision { radius: 4.0, angle: 90.0 }), Some(9));
        assert_ne!(cone, one, "{name}");
        assert_eq!(draw(Some(Extent::Time(1.0)), None).len(), 6, "{name}");
        assert!(draw(None, None).is_empty(), "{name}");
    }
}

/// Cones and feelers of a species, each once, to scale in planes and in space; a behavior that does not act has none.
#[test]
fn cones_and_feelers_are_those_of_what_acts() {
    let of = |name: &str, changes: &[&str]| senses(&tuned(name, changes).species[0]);
    let cones = [(3.0, 360.0), (5.0, 270.0)].map(|(radius, angle)| Extent::Vision { radius, angle });
    assert_eq!(of("flock", &[]), cones, "two behaviors see as far, and are drawn once");
    let blind = ["alignment", "cohesion"].map(|name| format!("species.0.behaviors.{name}.enabled=false"));
    assert_eq!(of("flock", &blind.each_ref().map(String::as_str)), cones[..1]);
    let feelers = senses(&tuned("whiskers", &[]).species[1]);
    let feelers = feelers.into_iter().find(|extent| matches!(extent, Extent::Feelers { .. }));
    let Some(Extent::Feelers { length, side, .. }) = feelers else { panic!("no feelers") };
    let ahead = of("obstacles", &[]).into_iter().any(|extent| matches!(extent, Extent::Ahead { .. }));
    assert!(ahead, "what looks ahead");

    let size = (800, 600);
    for name in ["whiskers", "murmuration"] {
        let view = View::from_scene(&tuned(name, &[]));
        let feelers = Extent::Feelers { length, side, spread: 70.0 };
        let drawn = outline(feelers, Vec3::ZERO, Vec3::X, &view, size);
        assert_eq!(drawn.len(), 3, "{name}: one ahead and two at the sides");
        let [ahead, left, right] = [0, 1, 2].map(|at| drawn[at][1] - drawn[at][0]);
        if !view.spatial() {
            let scale = view.pixels_per_unit(size);
            assert!((ahead.length() - length * scale).abs() < 0.01 * length * scale, "{name}: {ahead}");
            for one in [left, right] {
                assert!((one.length() - side * length * scale).abs() < 0.01 * length * scale, "{name}: {one}");
                let angle = one.angle_to(ahead).to_degrees().abs();
                assert!((angle - 35.0).abs() < 0.5, "{name}: {angle}");
            }
            assert!((left + right).perp_dot(ahead).abs() < 1.0, "{name}: one at each side");
        }
        let way = outline(Extent::Ahead { time: 2.0, least: 1.0 }, Vec3::ZERO, Vec3::X * 3.0, &view, size);
        let least = outline(Extent::Ahead { time: 2.0, least: 9.0 }, Vec3::ZERO, Vec3::X * 3.0, &view, size);
        let long = |lines: &[Vec<Vec2>]| lines[0][0].distance(lines[0][1]);
        assert!(long(&least) > 1.2 * long(&way), "{name}");
    }
}
