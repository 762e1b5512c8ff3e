//! Handles: which there are, where dragging them leads, and what is taken away.

use super::super::building::{Building, HandleCache, can_be_kept, offered, set_target};
use super::super::handles::{Handle, Part, called, carry, handles, remove, remove_path};
use super::super::tools::add_path;
use super::*;
use glam::vec2;
use std::rc::Rc;
use std::time::Instant;
use steerling::scene::{Obstacle, ObstacleShape};

const EDITED: &str = "\
schema = 1
world.size = [100, 60]

[[obstacles]]
shape = 'box'
center = [10, 5]
size = [8, 4]
turn = 30

[[obstacles]]
shape = 'capsule'
center = [-20, 0]
length = 10
radius = 2
turn = 90

[[obstacles]]
shape = 'sphere'
center = [0, 20]
radius = 3

[[obstacles]]
shape = 'plane'
center = [0, -25]
normal = [0, 1]

[[paths]]
name = 'road'
points = [[-40, 0], [0, 10], [40, 0]]
radius = 2

[[lines]]
from = [0, 0]
to = [5, 5]

[[species]]
name = 'ant'
count = 20
spawn.extent = 0.5
behaviors.containment = { center = [1, 2], size = [80, 40] }
behaviors.seek = { target = { point = [7, 7] } }
behaviors.offset_pursuit = { offset = [1, 1], target = 'mouse' }
behaviors.path_following = { path = 'road' }
";

fn scene() -> Scene {
    Scene::parse(EDITED, "edited.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn find(draft: &Draft, path: &str, part: Part) -> Handle {
    let all = handles(draft, 0);
    let found = all.iter().find(|handle| handle.path == path && handle.part == part);
    found.unwrap_or_else(|| panic!("{path} {part:?} of {all:#?}")).clone()
}

/// What a handle leads to is written with the scene, and read again.
fn dragged(path: &str, part: Part, to: Vec3) -> Scene {
    let mut draft = scene().draft();
    let handle = find(&draft, path, part);
    let held = carry(&mut draft, &handle, to);
    let scene = draft.validate().unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_ne!(scene, self::scene(), "{path}: it changes something");
    let now = handles(&scene, 0);
    let now =
        now.iter().find(|handle| (&handle.path, handle.part) == (&held.path, held.part)).expect("it is still there");
    if !matches!(part, Part::Tip | Part::Edge | Part::Spawn) {
        assert!(now.at.distance(to.with_z(0.0)) < 1e-3, "{path}: {} and not {to}", now.at);
    }
    kept(&scene);
    scene
}

/// Every place of the scene has a handle, and what is no place has none.
#[test]
fn every_place_has_a_handle() {
    let places: Vec<String> =
        handles(&scene(), 0).into_iter().filter(|h| h.part == Part::Place).map(|handle| handle.path).collect();
    let expected = [
        "species.0.behaviors.seek.target.point",
        "species.0.behaviors.containment.center",
        "obstacles.0.center",
        "obstacles.1.center",
        "obstacles.2.center",
        "obstacles.3.center",
        "paths.0.points.0",
        "paths.0.points.1",
        "paths.0.points.2",
        "lines.0.from",
        "lines.0.to",
    ];
    for path in expected {
        assert_eq!(places.iter().filter(|place| *place == path).count(), 1, "{path} of {places:?}");
    }
    assert_eq!(places.len(), expected.len(), "{places:?}");
    // Presets of all kinds have no handle that changes nothing, and none that no scene can follow.
    for preset in steerling::scene::PRESETS {
        let scene = tuned(preset.name, &[]);
        let mut draft = scene.draft();
        let all = handles(&scene, 0);
        for (number, handle) in all.iter().enumerate().filter(|(_, handle)| handle.part != Part::Between) {
            let before = draft.clone();
            // Targets that are one point go together, each time somewhere else.
            let shift = vec3(1e-4, 2e-4, 3e-4) * (1 + number % 7) as f32;
            carry(&mut draft, handle, handle.at * 0.999 + shift);
            assert!(draft != before, "{}: {handle:?}", preset.name);
            if handle.path.starts_with("map.goals.") {
                // There may be a wall.
                draft = before;
            }
        }
        draft.validate().unwrap_or_else(|error| panic!("{}: {error}", preset.name));
    }
}

#[test]
fn places_and_points_are_dragged() {
    assert_eq!(dragged("obstacles.2.center", Part::Place, vec3(3.0, 4.0, 0.0)).scenery.obstacles[2].center.x, 3.0);
    assert_eq!(dragged("paths.0.points.1", Part::Place, vec3(1.0, -9.0, 0.0)).scenery.paths[0].points[1].y, -9.0);
    let seeks = dragged("species.0.behaviors.seek.target.point", Part::Place, vec3(-3.0, 4.0, 9.0));
    let target = seeks.species[0].get("seek", "target").expect("a target");
    assert_eq!(target, Setting::Target(Target::Point(vec3(-3.0, 4.0, 0.0))), "a plane stays flat");
    let longer = dragged("paths.0.points.0", Part::Between, vec3(-20.0, -9.0, 0.0));
    assert_eq!(longer.scenery.paths[0].points[..2], [vec3(-40.0, 0.0, 0.0), vec3(-20.0, -9.0, 0.0)]);
}

/// A handle says what it is in words, not as a path.
#[test]
fn handles_have_names() {
    let name = |path: &str| called(&scene(), &Handle { path: path.to_owned(), part: Part::Place, at: Vec3::ZERO });
    assert_eq!(name("paths.0.points.1"), "Path road, point 2");
    assert_eq!(name("obstacles.1.center"), "Obstacle 2, center");
    assert_eq!(name("species.0.behaviors.seek.target.point"), "Ant, seek, target");
    assert_eq!(name("species.0.rules.0.target.point"), "Ant, rule 1");
    let city = tuned("evacuation", &[]);
    let goals = &city.map.as_ref().expect("a map").goals;
    let handle = |path: &str| Handle { path: path.to_owned(), part: Part::Place, at: Vec3::ZERO };
    assert_eq!(called(&city, &handle("map.goals.0.also.1")), format!("Goal {}, place 3", goals[0].name));
    assert!(!called(&city, &handle("map.goals.0.place")).contains("map."));
}

/// Of a turned box the opposite corner stays, of a capsule the other end.
#[test]
fn sizes_are_dragged_and_what_is_opposite_stays() {
    let corner = |scene: &Scene, sign: f32| find(scene, "obstacles.0.size", Part::Side(vec3(sign, sign, 0.0))).at;
    let to = vec3(20.0, 12.0, 0.0);
    let wide = dragged("obstacles.0.size", Part::Side(vec3(1.0, 1.0, 0.0)), to);
    assert!(corner(&wide, 1.0).distance(to) < 1e-3 && corner(&wide, -1.0).distance(corner(&scene(), -1.0)) < 1e-3);
    let end = |scene: &Scene, end: f32| find(scene, "obstacles.1.length", Part::End(end)).at;
    let long = dragged("obstacles.1.length", Part::End(1.0), vec3(-10.0, 12.0, 0.0));
    assert!(end(&long, -1.0).distance(end(&scene(), -1.0)) < 1e-3);
    let ObstacleShape::Sphere { radius } =
        dragged("obstacles.2.radius", Part::Edge, vec3(0.0, 25.0, 0.0)).scenery.obstacles[2].shape
    else {
        panic!("a ball");
    };
    assert!((radius - 5.0).abs() < 1e-4);
    let ObstacleShape::Plane { normal } =
        dragged("obstacles.3.normal", Part::Tip, vec3(5.0, -25.0, 0.0)).scenery.obstacles[3].shape
    else {
        panic!("a plane");
    };
    assert!(normal.distance(Vec3::X) < 1e-4);
    let size = dragged("species.0.behaviors.containment.size", Part::Side(Vec3::X), vec3(31.0, 2.0, 0.0));
    let Ok(Setting::Vector(size)) = size.species[0].get("containment", "size") else { panic!("a size") };
    assert!(size.truncate().distance(vec2(70.0, 40.0)) < 1e-3, "the far side stays at -39: {size}");
    let starts = dragged("species.0.spawn.extent", Part::Spawn, vec3(10.0, 6.0, 0.0));
    assert!((starts.species[0].spawn.extent - 0.2).abs() < 1e-6);
    assert_eq!(dragged("paths.0.radius", Part::Edge, vec3(-40.0, 5.0, 0.0)).scenery.paths[0].radius, 5.0);
}

/// In space the end of a capsule is where it was dragged, whichever way it lay.
#[test]
fn capsules_lie_any_way_in_space() {
    let scene = tuned("gulls", &[]);
    for to in [vec3(3.0, 40.0, -9.0), vec3(-30.0, 0.0, 0.0), vec3(0.0, 0.0, 22.0)] {
        let mut draft = scene.draft();
        draft.scenery.obstacles = vec![Obstacle::new(ObstacleShape::Capsule { length: 10.0, radius: 2.0 })];
        let handle = find(&draft, "obstacles.0.length", Part::End(1.0));
        let other = find(&draft, "obstacles.0.length", Part::End(-1.0)).at;
        carry(&mut draft, &handle, to);
        assert!(find(&draft, "obstacles.0.length", Part::End(1.0)).at.distance(to) < 1e-3, "{to}");
        assert!(find(&draft, "obstacles.0.length", Part::End(-1.0)).at.distance(other) < 1e-3, "{to}");
        assert!(draft.validate().is_ok());
    }
}

#[test]
fn points_obstacles_and_paths_are_taken_away() {
    let without = |path: &str, part: Part| {
        let mut draft = scene().draft();
        let handle = find(&draft, path, part);
        remove(&mut draft, &handle).map(|()| draft)
    };
    let kept = |draft: Draft| kept(&draft.validate().expect("a scene"));
    let scene = kept(without("paths.0.points.1", Part::Place).expect("a point"));
    assert_eq!(scene.scenery.paths[0].points.len(), 2);
    let scene = kept(without("obstacles.1.length", Part::End(1.0)).expect("an obstacle"));
    assert_eq!(scene.scenery.obstacles.len(), 3);
    assert!(kept(without("lines.0.to", Part::Place).expect("a line")).scenery.lines.is_empty());
    // Who followed it follows another one; where there is none, nobody does, and the file that names it could not say so.
    let two = EDITED.replace("[[lines]]", "[[paths]]\nname = 'lane'\npoints = [[-9, -9], [9, -9]]\n\n[[lines]]");
    let mut draft = Scene::parse(&two, "edited.toml", &[]).expect("a scene").draft();
    remove_path(&mut draft, 0).expect("a path");
    let scene = kept(draft);
    assert_eq!((scene.scenery.paths.len(), &*scene.scenery.paths[0].name), (1, "lane"));
    assert_eq!(scene.species[0].get("path_following", "path").expect("known"), Setting::Path(0));
    let none = without("paths.0.radius", Part::Edge).expect("a path");
    assert!(none.scenery.paths.is_empty() && !none.species[0].enabled("path_following").expect("known"));
    assert!(can_be_kept(&none).expect_err("the file names it").contains("path"));
    assert!(can_be_kept(&scene.draft()).is_ok());
    assert!(without("species.0.spawn.extent", Part::Spawn).is_err());
    // Who heads for a path keeps it.
    let mut draft = self::scene().draft();
    draft.species[0].set("seek", "target", Target::Path(0)).expect("a target");
    let handle = find(&draft, "paths.0.radius", Part::Edge);
    assert!(remove(&mut draft, &handle).expect_err("it is named").contains("ant"));
}

/// Clicks lay a path; a double click ends it, a click on its first point closes it, and the first one has followers.
#[test]
fn a_path_is_laid_by_clicks() {
    let scene = tuned("flock", &[]);
    let (view, size) = (View::from_scene(&scene), (800, 600));
    let mut building = Building::default();
    let start = Instant::now();
    let mut clock = 0;
    // A click a second.
    let mut lay = |building: &mut Building, at| {
        clock += 1;
        building.lay(at, start + Duration::from_secs(clock), &view, size)
    };
    let corners = [(200.0, 200.0), (600.0, 200.0), (600.0, 400.0)];
    for at in corners {
        assert!(lay(&mut building, at).is_none());
    }
    let soon = start + Duration::from_millis(3_200);
    let (open, closed) = building.lay(corners[2], soon, &view, size).expect("a double click");
    assert!(open.len() == 3 && !closed && building.path_points.is_empty());
    for at in corners {
        lay(&mut building, at);
    }
    assert!(lay(&mut building, corners[2]).is_none(), "a second later it is another click");
    let (ring, closed) = lay(&mut building, (203.0, 201.0)).expect("the first point");
    assert!(ring.len() == 4 && closed);
    lay(&mut building, corners[0]);
    assert!(building.end(false).is_none(), "one point is no path");
    let mut draft = scene.draft();
    add_path(&mut draft, &open, false).expect("a path");
    add_path(&mut draft, &ring, true).expect("a path");
    let drawn = draft.validate().expect("a scene");
    assert!(drawn.species.iter().all(|species| species.enabled("path_following").expect("known")));
    assert_eq!(kept(&drawn).scenery, drawn.scenery);
}

/// A click offers what is there: an agent, its species and their leader, a path, and always the place.
#[test]
fn a_target_is_chosen_by_pointing() {
    let scene = scene();
    let (view, size) = (View::from_scene(&scene), (1000, 600));
    let path = "species.0.behaviors.seek.target";
    let at = |place: Vec3| view.project(place, size).expect("in view").into();
    let offer = |place, agent| {
        let offer = offered(&scene, path, at(place), agent, &view, size);
        offer.targets.into_iter().map(|(_, target)| target).collect::<Vec<_>>()
    };
    let ground = offer(vec3(20.0, -20.0, 0.0), None);
    assert!(matches!(ground[..], [Target::Point(place)] if place.distance(vec3(20.0, -20.0, 0.0)) < 1e-3));
    assert_eq!(offer(vec3(-20.0, 5.0, 0.0), None)[0], Target::Path(0));
    let agent = offer(vec3(20.0, -20.0, 0.0), Some(3));
    assert!(matches!(agent[..], [Target::Agent(3), Target::Nearest { species: 1, .. }, Target::Point(_)]), "{agent:?}");
    let mut draft = scene.draft();
    for target in agent {
        set_target(&mut draft, path, target).expect("a target");
        assert_eq!(draft.species[0].get("seek", "target").expect("known"), Setting::Target(target));
        kept(&draft.clone().validate().expect("a scene"));
    }
}

/// Handles are made anew where the scene became another, or what is shown of it, and are the same ones otherwise.
#[test]
fn handles_are_made_anew_where_something_changed() {
    let scene = scene();
    let mut known = HandleCache::default();
    known.update(&scene, 0, false);
    let first = Rc::clone(&known.handles);
    assert_eq!(first[..], handles(&scene, 0)[..]);
    known.update(&scene, 0, false);
    assert!(Rc::ptr_eq(&first, &known.handles), "nothing changed");
    let moved = edited(&scene, |draft| draft.scenery.obstacles[0].center.x = 12.0);
    known.update(&moved, 0, false);
    assert_eq!(known.handles[..], handles(&moved, 0)[..]);
    assert_ne!(first[..], known.handles[..], "control: the obstacle is elsewhere");
    known.update(&moved, 0, true);
    assert!(known.handles.len() < first.len(), "crosses alone");
}
