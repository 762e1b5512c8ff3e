//! A scene that exists is valid: what a program puts into a scene is checked as what a file says.

use glam::Vec3;
use std::collections::BTreeSet;
use steerling::scene::{
    Behavior, Boundary, CombineWithin, Condition, Draft, PRESETS, Scene, Setting, Species, Target, Transition,
    behavior_index,
};
use support::refused;

/// Each key that a change spoils, with the change.
type Spoiled = (&'static str, fn(&mut Draft));

const SCENE: &str = r#"schema = 1
world = { size = [100, 60], boundary = "contain" }
ground = {}
field = { source = "vortex" }
[[paths]]
name = "road"
points = [[0, 0], [10, 0]]
[[obstacles]]
shape = "sphere"
radius = 2
[[species]]
name = "birds"
count = 20
states = ["calm", "alert"]
behaviors.cohesion = {}
behaviors.path_following = {}
behaviors.seek = { target = { nearest = "hawks" } }
behaviors.containment = {}
rules = [{ to = "alert", target = { nearest = "hawks" } }]
[[species]]
name = "hawks"
count = 2
"#;

fn scene() -> Scene {
    Scene::parse(SCENE, "valid.toml", &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// Set a parameter of a behavior of the first species to anything at all.
fn put(scene: &mut Draft, behavior: &str, parameter: &str, setting: Setting) {
    let row = behavior_index(behavior).expect("a behavior");
    let names = steerling::scene::BEHAVIORS[row].parameters;
    let column = names.iter().position(|p| p.name == parameter).expect("a parameter");
    scene.species[0].behaviors[row].parameters[column] = setting;
}

fn cohesion(scene: &mut Draft) -> &mut Behavior {
    &mut scene.species[0].behaviors[behavior_index("cohesion").expect("a behavior")]
}

fn rule(scene: &mut Draft) -> &mut Transition {
    &mut scene.species[0].rules[0]
}

fn seek(scene: &mut Draft, target: Target) {
    put(scene, "seek", "target", Setting::Target(target));
}

const COHESION: &str = "species.0.behaviors.cohesion";
const SEEK: &str = "species.0.behaviors.seek.target";

const SPOILED: &[Spoiled] = &[
    ("dt", |s| s.dt = f32::NAN),
    ("name", |s| s.name = "../up".into()),
    ("mouse", |s| s.mouse.x = f32::NAN),
    ("mouse", |s| s.mouse.z = 1.0),
    ("world.size", |s| s.world.size.x = 0.0),
    ("world.size", |s| s.world.size = Vec3::splat(f32::NAN)),
    ("world.size", |s| s.world.size.z = 5.0),
    ("world.boundary", |s| s.world.boundary[2] = Boundary::Wrap),
    ("world.margin", |s| s.world.margin = -1.0),
    ("camera.zoom", |s| s.camera.zoom = 0.0),
    ("field.resolution", |s| s.field.as_mut().unwrap().resolution = 0),
    ("field.scale", |s| s.field.as_mut().unwrap().scale = f32::INFINITY),
    ("ground.resolution", |s| s.ground.as_mut().unwrap().resolution = u32::MAX),
    ("ground.half_life", |s| s.ground.as_mut().unwrap().half_life = f32::NAN),
    ("ground.trail_spread", |s| s.ground.as_mut().unwrap().trail_spread = -1.0),
    ("species.0.deposit", |s| s.species[0].deposit = f32::NAN),
    ("species.0.deposit", |s| {
        s.ground = None;
        s.species[0].deposit = 1.0;
    }),
    ("species.0.deposit", |s| (s.species[0].deposit, s.species[0].count) = (1e4, 1 << 27)),
    ("species.0.deposit_states", |s| s.species[0].deposit_states = 1 << 9),
    ("obstacles.0.radius", |s| {
        s.scenery.obstacles[0].shape = steerling::scene::ObstacleShape::Sphere { radius: f32::NAN };
    }),
    ("obstacles.0.center", |s| s.scenery.obstacles[0].center.x = f32::INFINITY),
    ("obstacles", |s| s.scenery.obstacles = vec![s.scenery.obstacles[0]; (1 << 14) + 1]),
    ("paths.0.points", |s| s.scenery.paths[0].points.clear()),
    ("paths.0.points", |s| s.scenery.paths[0].points[0].x = f32::NAN),
    ("paths.0.radius", |s| s.scenery.paths[0].radius = -1.0),
    ("species", |s| s.species.clear()),
    ("species", |s| s.species = vec![s.species[1].clone(); 33]),
    ("species.0.count", |s| s.species[0].count = u32::MAX),
    ("species.1.count", |s| (s.species[0].count, s.species[1].count) = (1 << 30, 1 << 30)),
    ("species.0.mass", |s| s.species[0].mass = 0.0),
    ("species.0.max_speed", |s| s.species[0].max_speed = f32::INFINITY),
    ("species.0.radius", |s| s.species[0].radius = -1.0),
    ("species.0.k_nearest", |s| s.species[0].k_nearest = 1000),
    ("species.0.update_every", |s| s.species[0].update_every = 0),
    ("species.0.dither", |s| s.species[0].dither[7] = 2.0),
    ("species.0.combine_within", |s| s.species[0].combine_within[3] = CombineWithin::First),
    ("species.0.perceives", |s| s.species[0].perceives = 1 << 9),
    ("species.0.states", |s| s.species[0].states.clear()),
    ("species.0.states", |s| s.species[0].states = vec!["a".into(); 2]),
    ("species.0.spawn.extent", |s| s.species[0].spawn.extent = 3.0),
    ("species.0.vehicle.linear_drag", |s| s.species[0].vehicle.linear_drag = f32::NAN),
    ("species.0.vehicle.max_angular_speed", |s| s.species[0].vehicle.max_angular_speed = Some(-1.0)),
    ("species.0.rules.0.to", |s| rule(s).to = 7),
    ("species.0.rules.0.from", |s| rule(s).from = 1 << 20),
    ("species.0.rules.0.than", |s| rule(s).than = f32::NAN),
    ("species.0.rules.0.target", |s| rule(s).target = Target::Leader(5)),
    ("species.0.rules", |s| s.species[0].rules = vec![s.species[0].rules[0]; 17]),
    ("species.0.rules.0.when", |s| {
        s.field = None;
        rule(s).when = Condition::FieldAbove;
    }),
    ("species.0.behaviors", |s| s.species[0].behaviors.truncate(3)),
    (COHESION, |s| cohesion(s).parameters.truncate(1)),
    (COHESION, |s| cohesion(s).priority = 99),
    (COHESION, |s| cohesion(s).rank = 8),
    (COHESION, |s| cohesion(s).weight = f32::NAN),
    (COHESION, |s| cohesion(s).floor = -1.0),
    (COHESION, |s| cohesion(s).states = 1 << 5),
    (COHESION, |s| put(s, "cohesion", "perception_radius", Setting::Number(f32::NAN))),
    (COHESION, |s| put(s, "cohesion", "perception_radius", Setting::Path(0))),
    (COHESION, |s| put(s, "cohesion", "perceives", Setting::Species(Some(1 << 2)))),
    (COHESION, |s| put(s, "cohesion", "form", Setting::Number(17.0))),
    (COHESION, |s| put(s, "cohesion", "form", Setting::Number(0.5))),
    ("species.0.behaviors.path_following.path", |s| put(s, "path_following", "path", Setting::Path(99))),
    (SEEK, |s| seek(s, Target::Nearest { species: 1 << 7, perception_radius: 5.0, field_of_view: 90.0 })),
    (SEEK, |s| seek(s, Target::Nearest { species: 1, perception_radius: f32::NAN, field_of_view: 90.0 })),
    (SEEK, |s| seek(s, Target::Path(3))),
    (SEEK, |s| seek(s, Target::Agent(u32::MAX))),
    (SEEK, |s| seek(s, Target::Point(Vec3::splat(f32::NAN)))),
    ("species.0.behaviors.containment.size", |s| {
        put(s, "containment", "size", Setting::Vector(Vec3::new(f32::INFINITY, 1.0, 1.0)));
    }),
];

/// Each is refused where it would become a scene, by its key.
#[test]
fn what_no_file_can_say_is_no_scene() {
    let mut accepted = Vec::new();
    for (index, (key, change)) in SPOILED.iter().enumerate() {
        let edited = scene().with(change);
        match edited {
            Err(error) if error.key.starts_with(key) => assert_eq!(error.origin, "valid.toml"),
            other => accepted.push(format!("{index} {key}: {:?}", other.map(drop).map_err(|e| e.to_string()))),
        }
    }
    assert!(accepted.is_empty(), "{} of {}:\n{}", accepted.len(), SPOILED.len(), accepted.join("\n"));
}

/// A scene built in Rust is the scene that a file says.
#[test]
fn a_scene_is_built_without_a_file() {
    let text = "schema = 1\nname = \"built\"\nworld.size = [80, 40, 20]\n[[species]]\nname = \"birds\"\ncount = 50\n\
                max_speed = 12\n[species.behaviors]\ncohesion = { weight = 2, form = \"direction\" }\n\
                seek = { target = { point = [1, 2, 3] }, priority = 2 }\n";
    let file = Scene::parse(text, "scene", &[]).unwrap();
    let mut birds = Species::new("birds", 50);
    birds.max_speed = 12.0;
    birds.enable("cohesion").unwrap().enable("seek").unwrap();
    birds.set("cohesion", "weight", 2.0).unwrap();
    birds.choose("cohesion", "form", "direction").unwrap();
    birds.set("seek", "target", Target::Point(Vec3::new(1.0, 2.0, 3.0))).unwrap();
    birds.set("seek", "priority", 2).unwrap();
    let mut draft = Draft::new("built", [80.0, 40.0, 20.0]);
    draft.species.push(birds);
    draft.source = file.source.clone();
    assert_eq!(draft.validate().unwrap(), file);
    let planar = Scene::parse("schema = 1\nworld.size = [9, 8]\n[[species]]\nname = \"a\"\ncount = 1\n", "scene", &[]);
    let mut draft = Draft::new("scene", [9.0, 8.0]);
    draft.species.push(Species::new("a", 1));
    draft.source = planar.as_ref().unwrap().source.clone();
    assert_eq!(draft.validate(), planar);
}

/// Names that nothing has are answered with the nearest, and values of another kind are refused.
#[test]
fn access_by_names_says_what_is_there() {
    let scene = scene();
    refused(scene.species("bird"), &["did you mean `birds`?"]);
    let birds = scene.species("birds").unwrap();
    assert_eq!(birds.get("cohesion", "weight").unwrap(), Setting::Number(1.0));
    let mut birds = birds.clone();
    let cases = [
        (birds.set("cohesoin", "weight", 1.0), "`cohesion`"),
        (birds.set("cohesion", "wieght", 1.0), "`weight`"),
        (birds.choose("cohesion", "form", "sek"), "`seek`"),
        (birds.set("cohesion", "weight", [1.0, 2.0]), "cohesion.weight"),
        (birds.set("cohesion", "priority", 1.5), "cohesion.priority"),
        (birds.set("cohesion", "priority", -1), "cohesion.priority"),
        (birds.set("seek", "target", 1.0), "seek.target: must be a target, not a number"),
        (birds.enable("sek").map(drop), "`seek`"),
        (birds.choose("cohesion", "weight", "much"), "cohesion.weight: is not one of some words"),
    ];
    for (result, part) in cases {
        refused(result, &[part]);
    }
    assert_eq!(&birds, scene.species("birds").unwrap(), "what is refused changes nothing");
}

/// Key by key a scene becomes the one that it was, whatever the keys hold: numbers, words, lists, targets, tables that only one has.
#[test]
fn every_key_can_be_put_back() {
    let scenes: Vec<Scene> = PRESETS.iter().map(|preset| Scene::open(preset.name, &[]).unwrap()).collect();
    let (mut compared, mut kinds) = (0, BTreeSet::new());
    for was in &scenes {
        let alike = |scene: &&Scene| {
            let same = |a: &Scene| (a.world.spatial, a.species.len(), a.own_behaviors.len());
            *scene != was && same(scene) == same(was)
        };
        let Some(other) = scenes.iter().filter(alike).take(8).max_by_key(|scene| scene.changed_since(was).len()) else {
            continue;
        };
        let mut draft = other.draft();
        for (key, _) in other.changed_since(was) {
            draft.put_back(was, &key);
            compared += 1;
            kinds.insert(key.split('.').filter(|part| part.parse::<usize>().is_err()).collect::<Vec<_>>().join("."));
        }
        assert_eq!(draft.changed_since(was), [], "{}", was.name);
    }
    assert!(compared > 1000 && kinds.len() > 150, "{compared} keys of {} kinds", kinds.len());
}

/// One key is put back alone, but for what was not there before and cannot be without it.
#[test]
fn what_is_put_back_takes_along_only_what_needs_it() {
    let was = Scene::open("gulls", &[]).unwrap();
    let changes = ["vehicle.max_torque=9", "vehicle.moment_of_inertia=2", "max_speed=77", "min_speed=1"];
    let changes: Vec<_> = changes.iter().map(|change| format!("species.0.{change}").parse().unwrap()).collect();
    let mut draft = Scene::open("gulls", &changes).unwrap().draft();
    draft.put_back(&was, "species.0.vehicle.max_torque");
    let keys = |draft: &Draft| draft.changed_since(&was).into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    assert_eq!(keys(&draft), ["species.0.max_speed", "species.0.min_speed"]);
    // A rule that is broken takes nothing back that was given: whoever changes it hears why.
    draft.species[0].max_speed = 0.5 * was.species[0].min_speed.max(1.0);
    draft.put_back(&was, "species.0.min_speed");
    assert_eq!(keys(&draft), ["species.0.max_speed"]);
    for path in ["species.0.nothing", "species.7.mass", "species.0.vehicle.nothing", ""] {
        draft.put_back(&was, path);
        assert_eq!(keys(&draft), ["species.0.max_speed"], "{path} is no key");
    }
}

/// A number is found by its path, with its key, and only a number.
#[test]
fn numbers_are_found_by_their_paths() {
    let mut draft = Scene::open("gulls", &[]).unwrap().draft();
    for (path, unit) in [
        ("dt", "s"),
        ("species.0.max_speed", "u/s"),
        ("species.0.vehicle.banking.leaning", "s²/u"),
        ("species.0.behaviors.cohesion.perception_radius", "u"),
        ("species.0.behaviors.separation.exponent", ""),
    ] {
        let (key, number) = draft.number_at(path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!((key.unit, key.name), (unit, path.rsplit('.').next().unwrap()));
        *number *= 0.5;
        assert!(draft.changed_since(&Scene::open("gulls", &[]).unwrap()).iter().any(|(changed, _)| changed == path));
    }
    for path in ["", "world", "species", "species.9.mass", "species.0.name", "species.0.vehicle.max_torque"] {
        assert!(draft.number_at(path).is_none(), "{path}");
    }
    assert!(draft.key("species.0.vehicle.max_torque").is_some(), "a key that is not given");
}

/// More agents and back again: what was changed meanwhile stays, and all else is as it was to the bit.
#[test]
fn as_many_agents_as_before_are_in_the_world_of_before() {
    for preset in PRESETS {
        let original = Scene::open(preset.name, &[]).unwrap();
        let scaled = original.with_agents(original.agent_count() * 7 + 3).unwrap();
        assert_eq!(*scaled.with_agents_of(&original).unwrap(), *original, "{}", preset.name);
        let changed = scaled.with(|draft| {
            draft.seed += 1;
            draft.species[0].max_speed *= 1.5;
            draft.species[0].spawn.speed = None;
        });
        let back = changed.unwrap().with_agents_of(&original).unwrap();
        let keys: Vec<String> = back.changed_since(&original).into_iter().map(|(key, _)| key).collect();
        // A start that has no speed is another table.
        let expected = ["seed", "species.0.max_speed", "species.0.spawn"];
        assert!(
            keys.len() >= 2 && keys.iter().all(|key| expected.contains(&key.as_str())),
            "{}: {keys:?}",
            preset.name
        );
    }
}
