//! Tables of defaults against what the published systems say, and against lints.

use std::collections::BTreeSet;
use steerling::scene::dialects::Value::{Number, Whole, Word};
use steerling::scene::dialects::{Defaults, FLOCK, TABLE};
use steerling::scene::{BEHAVIORS, Combine, Dialect, Scene, Setting, Species};
use support::parsed;

/// A scene in which every behavior of a dialect is active.
fn scene(dialect: &str, more: &str) -> Scene {
    let tables = |d: &Defaults| d.defaults.iter().filter_map(|d| d.key.split_once('.')).map(|(table, _)| table);
    let used: BTreeSet<&str> = TABLE.iter().flat_map(tables).filter(|table| *table != "vehicle").collect();
    let path = |name: &str| if name == "path_following" { "path = \"way\"\n" } else { "" };
    let table = |name: &&str| format!("[species.behaviors.{name}]\n{}", path(name));
    let tables: String = used.iter().map(table).collect();
    let world = "world = { size = [1000, 1000] }\nfield = { source = \"uniform\", speed = 1 }";
    let way = "[[paths]]\nname = \"way\"\npoints = [[0, 0], [9, 0]]";
    let head = format!("schema = 1\ndialect = {dialect:?}\n{world}\n{way}");
    let text = format!("{head}\n[[species]]\ncount = 1\n{more}\n{tables}");
    parsed(&text, &[])
}

/// Each default is taken, and gives way to what the file says.
#[test]
fn every_default_counts_and_gives_way() {
    assert!(TABLE.iter().map(|d| d.name).eq(Dialect::ALL.iter().map(|dialect| dialect.word())));
    let canonical = scene("canonical", "").species[0].clone();
    for dialect in TABLE {
        let spoken = scene(dialect.name, "").species[0].clone();
        for default in dialect.defaults {
            let Some((behavior, key)) = default.key.split_once('.').filter(|(table, _)| *table != "vehicle") else {
                continue;
            };
            let row = BEHAVIORS.iter().find(|b| b.name == behavior).unwrap();
            let common = ["weight", "limit"].contains(&key);
            assert!(common || row.parameters.iter().any(|p| p.name == key), "{}", default.key);
            let value = |s: &Species| match s.get(behavior, key).unwrap() {
                Setting::Number(number) => number,
                other => panic!("{behavior}.{key} is {other:?}"),
            };
            let (found, name) = (value(&spoken), format!("{}: {}", dialect.name, default.key));
            match default.value {
                Number(number) => assert_eq!(found, number as f32, "{name}"),
                Whole(whole) => assert_eq!(found, whole as f32, "{name}"),
                Word(_) => assert_ne!(found, value(&canonical), "{name}"),
            }
        }
    }
    let reynolds = scene("reynolds99", "").species[0].clone();
    assert_eq!((reynolds.time_constant, canonical.time_constant), (0.0, 0.25));
    let given = scene("reynolds99", "time_constant = 0.75").species[0].clone();
    assert_eq!(given.time_constant, 0.75);
    let millington = scene("millington", "").species[0].vehicle;
    assert_ne!(millington.integrator, canonical.vehicle.integrator);
    let given = scene("millington", "vehicle = { integrator = \"semi_implicit\" }").species[0].vehicle;
    assert_eq!(given.integrator, canonical.vehicle.integrator);
}

/// Of everything that a program or a book calls by a name there is an entry, or a reason why none.
#[test]
fn nothing_of_a_published_system_is_passed_over() {
    #[rustfmt::skip]
    const SYSTEMS: [(&str, &[&str]); 3] = [
        (
            "opensteer",
            &[
                "steerForSeek", "steerForFlee", "steerForPursuit", "steerForEvasion", "steerForWander",
                "steerToFollowPath", "steerToStayOnPath", "steerToAvoidObstacle", "steerToAvoidNeighbors",
                "steerToAvoidCloseNeighbors", "steerForSeparation", "steerForAlignment", "steerForCohesion",
                "adjustRawSteeringForce", "applySteeringForce",
            ],
        ),
        (
            "nature_of_code",
            &[
                "Vehicle.seek", "Vehicle.arrive", "Vehicle.wander", "Vehicle.follow", "Vehicle.boundaries",
                "Boid.separate", "Boid.align", "Boid.cohesion",
            ],
        ),
        (
            "millington",
            &[
                "Seek", "Flee", "Arrive", "Align", "Velocity Matching", "Pursue", "Evade", "Face",
                "Looking Where You're Going", "Wander", "Path Following", "Separation", "Collision Avoidance",
                "Obstacle and Wall Avoidance",
            ],
        ),
    ];
    for (system, names) in SYSTEMS {
        let dialect = TABLE.iter().find(|dialect| dialect.name == system).unwrap();
        let sources = dialect.defaults.iter().chain(dialect.flock).map(|default| default.source);
        let told: Vec<&str> = sources.chain(dialect.left.iter().map(|left| left.name)).collect();
        let silent: Vec<_> = names.iter().filter(|name| !told.iter().any(|told| told.contains(**name))).collect();
        assert!(silent.is_empty(), "{system}: {silent:?}");
    }
}

/// A species that flocks in this dialect. `lines` are further lines of it, `also` further behaviors.
fn flock(dialect: &str, lines: &str, also: &str) -> Species {
    let text = format!(
        "schema = 1\ndialect = {dialect:?}\nworld.size = [999, 999]\n[[species]]\ncount = 1\n{lines}\n\
         behaviors = {{ separation = {{}}, alignment = {{}}, cohesion = {{ weight = 3 }}{also} }}"
    );
    parsed(&text, &[]).species[0].clone()
}

/// How a flock combines its forces is the dialect's where there is nothing else to combine, and where the file is silent.
#[test]
fn a_flock_is_combined_as_its_dialect_does() {
    let weights = |s: &Species| FLOCK.map(|name| s.described().find(|(spec, _)| spec.name == name).unwrap().1.weight);
    let boids = flock("opensteer", "", "");
    assert_eq!((boids.combine, weights(&boids)), (Combine::Normalized, [12.0, 8.0, 3.0]));
    assert_eq!(flock("reynolds99", "", "").combine, Combine::Normalized);
    assert_eq!(flock("opensteer", "combine = \"weighted\"", "").combine, Combine::Weighted);
    let seeking = flock("opensteer", "", ", seek = { target = { point = [0, 0] } }");
    assert_eq!((seeking.combine, weights(&seeking)), (Combine::Weighted, [12.0, 8.0, 3.0]));
    // Each of its forces is limited beside others too; that their sum is not, is said of a flock alone.
    let limits = |s: &Species| FLOCK.map(|name| s.active_behavior(name).unwrap().limit);
    let boids = flock("nature_of_code", "", "");
    assert_eq!((boids.combine, boids.max_force, limits(&boids)), (Combine::Weighted, 1e4, [180.0; 3]));
    let walled = flock("nature_of_code", "", ", boundary_walls = {}");
    assert_eq!((walled.max_force, limits(&walled)), (180.0, [180.0; 3]));
}

/// What does not act says nothing of the forces: a behavior may be tried and switched off again.
#[test]
fn a_flock_with_an_idle_behavior_is_a_flock() {
    for dialect in ["reynolds99", "opensteer", "nature_of_code"] {
        let alone = flock(dialect, "", "");
        for idle in ["weight = 0", "weight = 0.0", "enabled = false", "enabled = false, weight = 2"] {
            let other = flock(dialect, "", &format!(", wander = {{ {idle} }}"));
            assert_eq!((other.combine, other.max_force), (alone.combine, alone.max_force), "{dialect}: {idle}");
            for name in FLOCK {
                assert_eq!(other.active_behavior(name), alone.active_behavior(name), "{dialect}: {idle}");
            }
        }
        let wanders = flock(dialect, "", ", wander = { weight = 0.1 }");
        assert_ne!((wanders.combine, wanders.max_force), (alone.combine, alone.max_force), "{dialect}");
    }
}
