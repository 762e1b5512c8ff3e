//! Scenes that are right: presets, overrides, the number of agents, the schema, and flow fields.

mod arbitrary;
mod bad_fields;
mod bad_input;
mod dialects;
mod fields;
mod held;
mod lints;
mod validity;
mod warnings;
mod write;

use serde_json::Value as Json;
use steerling::scene::{
    BEHAVIORS, BehaviorKind, Color, FieldSource, PRESETS, Scene, Setting, SpawnShape, Surface, Target, schema,
};
use support::{overrides, parsed, refused};

fn open(name: &str, changes: &[&str]) -> Scene {
    Scene::open(name, &overrides(changes)).unwrap_or_else(|e| panic!("{e}"))
}

/// A small scene with nothing but what is required, and the given lines before the species.
fn small(lines: &str) -> Scene {
    parsed(&format!("schema = 1\n[world]\nsize = [100, 60]\n{lines}\n[[species]]\ncount = 10\n"), &[])
}

#[test]
fn every_behavior_and_every_model_is_in_a_preset() {
    let scenes: Vec<Scene> = PRESETS.iter().map(|preset| open(preset.name, &[])).collect();
    for spec in BEHAVIORS.iter() {
        assert!(scenes.iter().any(|scene| scene.uses(spec.name)), "no preset shows {}", spec.name);
    }
    let schema = schema();
    let species = &schema["properties"]["species"]["items"]["properties"];
    let vehicle = &species["vehicle"]["properties"];
    let choices = [
        ("dialect", &schema["properties"]["dialect"]),
        ("locomotion", &vehicle["locomotion"]),
        ("facing", &vehicle["facing"]),
        ("reverse", &vehicle["reverse"]),
    ];
    for (key, property) in choices {
        for word in property["enum"].as_array().unwrap() {
            let line = format!("\n{key} = {word}");
            let shown = PRESETS.iter().any(|preset| preset.text.contains(&line));
            assert!(shown || *word == property["default"], "no preset has {key} = {word}");
        }
    }
    // A dialect may say how a flock's forces are combined, so what a preset writes is not all that it has.
    for word in species["combine"]["enum"].as_array().unwrap() {
        let shown = scenes.iter().flat_map(|scene| &scene.species).any(|species| species.combine.word() == *word);
        assert!(shown, "no preset has combine = {word}");
    }
    for key in ["linear_drag", "quadratic_drag", "angular_drag", "moment_of_inertia", "turn_loss", "hugs_surface"] {
        assert!(PRESETS.iter().any(|preset| preset.text.contains(&format!("\n{key} = "))), "no preset has {key}");
    }
    assert!(scenes.iter().flat_map(|scene| &scene.species).any(|species| species.vehicle.banking.is_some()));
}

/// Every `--set` among the things to try is understood, and makes another scene. What a shell would take apart is quoted.
#[test]
fn things_to_try_can_be_tried() {
    for preset in PRESETS {
        let shipped = open(preset.name, &[]);
        assert!(shipped.name == preset.name && !shipped.shows.is_empty(), "{}", preset.name);
        assert!(!shipped.things_to_try.is_empty(), "{}", preset.name);
        let things = shipped.things_to_try.iter().filter(|thing| !thing.contains("path/to"));
        for thing in things {
            let values = Scene::changes_to_try(thing);
            let changes: Vec<&str> = values.iter().map(String::as_str).collect();
            let mut changed = open(preset.name, &changes).draft();
            changed.source = shipped.source.clone();
            assert_eq!(changed == *shipped, changes.is_empty(), "{}: {thing}", preset.name);
            for bare in thing.split("--set ").skip(1).filter(|rest| !rest.starts_with('\'')) {
                let word = bare.split_whitespace().next().unwrap();
                assert!(!word.contains(['{', '"']), "{}: quote {word}", preset.name);
            }
        }
    }
}

#[test]
fn agents_of_the_large_presets_start_among_neighbors() {
    use std::f64::consts::PI;
    for name in ["murmuration", "flock", "wind"] {
        let scene = open(name, &[]);
        let (r, size) = (f64::from(scene.species[0].neighborhood_radius()), scene.world.size.as_dvec3());
        let spawn = scene.species[0].spawn;
        let axes = scene.world.axes();
        let [ball, space] = match axes {
            2 => [PI * r * r, size.x * size.y],
            _ => [4.0 / 3.0 * PI * r * r * r, size.x * size.y * size.z],
        };
        let filled = match (spawn.shape, axes) {
            (SpawnShape::Box, _) => 1.0,
            (SpawnShape::Ball, 2) => PI / 4.0,
            (SpawnShape::Ball, _) => PI / 6.0,
        } * f64::from(spawn.extent).powi(axes as i32);
        let neighbors = f64::from(scene.agent_count()) / (space * filled) * ball;
        assert!((13.0..=30.0).contains(&neighbors), "{name}: {neighbors} neighbors");
    }
}

#[test]
fn overrides_replace_and_add() {
    let scene = open(
        "flock",
        &[
            "species.0.behaviors.cohesion.weight=2",
            "species.0.behaviors.flow_field.mode=direction",
            "field.source=path/to/x.json",
            "world.boundary = wrap",
            "world.size.0=3000",
            "species.0.color=#0a141e",
            "seed=4294967295",
            "name=other",
        ],
    );
    let species = &scene.species[0];
    assert_eq!(species.get("cohesion", "weight").unwrap(), Setting::Number(2.0));
    assert!(species.enabled("flow_field").unwrap(), "a key of an absent behavior adds the behavior");
    assert_eq!(species.get("flow_field", "mode").unwrap(), Setting::Number(1.0));
    assert_eq!(scene.field.as_ref().unwrap().source, FieldSource::Wind("path/to/x.json".into()));
    assert_eq!(scene.world.size.to_array(), [3000.0, 1800.0, 0.0]);
    assert_eq!(species.color, Color::Fixed([10, 20, 30]));
    assert_eq!((scene.seed, scene.name.as_str()), (u32::MAX, "other"));
    assert_eq!(scene.source.overrides.len(), 8);
}

#[test]
fn paths_in_a_file_are_relative_to_it() {
    let text = "schema = 1\nworld.size = [100, 60]\nfield.source = \"a.PNG\"\n[[species]]\ncount = 1\n";
    let source = |changes: &[&str]| Scene::parse(text, "some/where/t.toml", &overrides(changes)).unwrap().draft().field;
    assert_eq!(source(&[]).unwrap().source, FieldSource::Image("some/where/a.PNG".into()));
    assert_eq!(source(&["field.source=b.json"]).unwrap().source, FieldSource::Wind("b.json".into()));
}

#[test]
fn a_radius_of_exactly_half_a_wrapped_axis_is_allowed() {
    let radius = |r: &str| {
        let key = format!("species.0.behaviors.cohesion.perception_radius={r}");
        let changes = overrides(&["world.size=[10, 60]", &key]);
        Scene::parse("schema = 1\nworld = {}\n[[species]]\ncount = 1\n", "t", &changes)
    };
    assert!(radius("5").is_ok());
    assert!(radius("5.000001").is_err());
}

/// Of agents that keep to a surface, that on its area.
#[test]
fn the_number_of_agents_changes_and_density_stays() {
    for preset in PRESETS {
        let scene = open(preset.name, &[]);
        let on_surface = scene.species.iter().all(|species| species.vehicle.hugs_surface);
        let axes = if on_surface { 2 } else { scene.world.axes() };
        let density = |s: &Scene| {
            let space: f64 = (0..axes).map(|i| f64::from(s.world.size[i])).product();
            f64::from(s.agent_count()) / space
        };
        // Lengths of the surface, which are as large a part of the world as before.
        let lengths = |s: &Scene| -> Vec<f32> {
            let lengths = match &s.scenery.surface {
                Some(Surface::Sphere { radius, .. }) => vec![*radius],
                Some(Surface::HeightField { level, hills }) => {
                    hills.iter().flat_map(|hill| [hill.x, hill.z, hill.height, hill.width]).chain([*level]).collect()
                }
                _ => Vec::new(),
            };
            lengths.iter().map(|length| length / s.world.size.x).collect()
        };
        for agents in [1000, 65_537, 4_000_000] {
            let other = scene.clone().with_agents(agents).unwrap();
            assert_eq!(other.agent_count(), agents);
            assert!((density(&other) / density(&scene) - 1.0).abs() < 1e-6, "{} at {agents}", preset.name);
            assert_eq!((other.world.margin, other.world.spatial), (scene.world.margin, scene.world.spatial));
            assert_eq!(other.world.size.z == 0.0, !scene.world.spatial);
            assert!(lengths(&other).iter().zip(lengths(&scene)).all(|(a, b)| (a - b).abs() <= 1e-5 * b.abs()));
        }
        assert_eq!(scene.clone().with_agents(scene.agent_count()).unwrap(), scene);
    }
}

/// What lies in the world moves with it: a tank of glass, a point to seek, one in a rule, the target `mouse`.
#[test]
fn places_keep_their_share_of_the_world() {
    let share = |scene: &Scene, value: f32| value / scene.world.size.x;
    let tank = |scene: &Scene| {
        let containment = scene.species[0].active_behavior("containment").unwrap();
        containment
            .parameters
            .iter()
            .find_map(|p| if let Setting::Vector(v) = p { Some(*v) } else { None }.filter(|v| v.x > 0.0))
    };
    let fish = open("fish_tank", &[]);
    let fewer = fish.with_agents(1_500).unwrap();
    let size = |scene: &Scene| share(scene, tank(scene).unwrap().x);
    assert!((size(&fewer) / size(&fish) - 1.0).abs() < 1e-5, "{} {}", size(&fewer), size(&fish));
    let points = |scene: &Scene| -> Vec<f32> {
        let found = scene.species.iter().flat_map(|s| s.targets()).filter_map(|target| match target {
            Target::Point(point) => Some(share(scene, point.x)),
            _ => None,
        });
        found.collect()
    };
    let pens = open("pens", &[]);
    let more = pens.with_agents(4 * pens.agent_count()).unwrap();
    let (was, is) = (points(&pens), points(&more));
    assert!(was.len() >= 2 && was.len() == is.len(), "{was:?} {is:?}");
    assert!(was.iter().zip(&is).all(|(a, b)| (a - b).abs() < 1e-6), "{was:?} {is:?}");
    let pointed = open("seek_and_separate", &[]);
    let more = pointed.with_agents(4 * pointed.agent_count()).unwrap();
    assert_eq!(more.mouse, 2.0 * pointed.mouse);
    assert_ne!(more.mouse, pointed.mouse, "control");
}

#[test]
fn species_keep_their_shares_and_the_first_takes_the_remainder() {
    let text = "schema = 1\nworld.size = [100, 60]\n[[species]]\nname = \"a\"\ncount = 1\n\
                [[species]]\nname = \"b\"\ncount = 2\n";
    let scene = parsed(text, &[]);
    let counts = |s: Scene| s.species.iter().map(|s| s.count).collect::<Vec<_>>();
    assert_eq!(counts(scene.clone().with_agents(100).unwrap()), [34, 66]);

    let none = scene.clone().with_agents(0).unwrap();
    assert_eq!((none.agent_count(), none.world), (0, scene.world));
    let again = none.with_agents(7).unwrap();
    assert_eq!((again.world, counts(again)), (scene.world, vec![7, 0]));
}

#[test]
fn too_few_agents_for_a_radius_are_refused_with_both_numbers() {
    let error = refused(open("flock", &[]).with_agents(2), &["= 3: must be at most", "world.size.1"]);
    assert_eq!(error.key, "species.0.behaviors.separation.perception_radius");
    // The scene is right; it is the number that does not fit.
    assert!(error.origin.ends_with(" with 2 agents"), "{error}");
    refused(open("flock", &[]).with_agents((1 << 30) + 1), &["2^30"]);
}

/// Every key of a TOML value has a property in the schema, every required property is there, and types agree.
fn conforms(value: &toml::Value, schema: &Json, path: &str) {
    if let Some(forms) = schema["anyOf"].as_array() {
        let is_form = |form: &&Json| form["properties"].is_object() == value.is_table();
        return conforms(value, forms.iter().find(is_form).unwrap_or_else(|| panic!("{path}: {value}")), path);
    }
    match value {
        toml::Value::Table(table) => {
            assert_eq!(schema["additionalProperties"], Json::Bool(false), "{path}");
            for (key, value) in table {
                let property = &schema["properties"][key];
                assert!(property.is_object(), "{path}.{key} is not in the schema");
                conforms(value, property, &format!("{path}.{key}"));
            }
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(table.contains_key(required.as_str().unwrap()), "{path} lacks {required}");
            }
        }
        toml::Value::Array(values) if schema["type"] == "array" => {
            values.iter().for_each(|value| conforms(value, &schema["items"], path));
        }
        toml::Value::Integer(x) => within(*x as f64, schema, path),
        toml::Value::Float(x) => within(*x, schema, path),
        toml::Value::Boolean(_) => assert_eq!(schema["type"], "boolean", "{path}"),
        _ => assert!(schema["type"] == "string" || schema["enum"].is_array() || schema["anyOf"].is_array(), "{path}"),
    }
}

fn within(x: f64, schema: &Json, path: &str) {
    let number = schema["type"] == "number" || schema["type"] == "integer";
    let range = schema["minimum"].as_f64().unwrap()..=schema["maximum"].as_f64().unwrap();
    assert!(number && range.contains(&x), "{path} = {x}");
}

#[test]
fn the_schema_fits_the_presets() {
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    for preset in PRESETS {
        conforms(&toml::from_str(preset.text).unwrap(), &schema, preset.name);
    }
    let scenery = "schema = 1\nworld.size = [9, 9]\nspecies = [{ count = 1 }]\nobstacles = [{ shape = \"sphere\", radius = 2 }]\n\
                   paths = [{ points = [[0, 0], [1.5, 1]], closed = true }]\n\
                   surface = { shape = \"height_field\", hills = [{ height = 3 }] }\n";
    conforms(&toml::from_str(scenery).unwrap(), &schema, "scenery");
    let behaviors = &schema["properties"]["species"]["items"]["properties"]["behaviors"]["properties"];
    for spec in BEHAVIORS.iter() {
        let keys = behaviors[spec.name]["properties"].as_object().unwrap();
        assert_eq!(keys.len(), 10 + spec.parameters.len(), "{}", spec.name);
    }
}

/// The scenes of docs/performance.md: a million agents each, and the individual behaviors are all there.
#[test]
fn benchmark_scenes_are_what_they_say() {
    let open = |name: &str| {
        Scene::open(&format!("{}/../assets/benchmarks/{name}.toml", env!("CARGO_MANIFEST_DIR")), &[]).unwrap()
    };
    for name in ["cloud", "flocking_plane", "individual", "individual_plane", "far_hawks"] {
        assert!((1_000_000..=1_000_010).contains(&open(name).agent_count()), "{name}");
    }
    // The first three look at the ground, whose cells cost by themselves; global_alignment sums over the world. The last two are
    // younger than the figures.
    let left_out = ["explore", "forage", "follow_trail", "global_alignment", "hide", "formation"];
    for individual in ["individual", "individual_plane"].map(open) {
        assert_eq!((individual.scenery.obstacles.len(), individual.scenery.paths[0].points.len()), (16, 16));
        for spec in BEHAVIORS.iter().filter(|spec| spec.kind == BehaviorKind::Individual) {
            assert_eq!(individual.uses(spec.name), !left_out.contains(&spec.name), "{}", spec.name);
        }
    }
    // What the baseline shares with it.
    let (individual, baseline) = (open("individual"), open("cloud"));
    assert_eq!((individual.world, individual.agent_count()), (baseline.world, baseline.agent_count()));
}

/// A species of so many rules, with so many different targets `nearest`.
fn rules_and_queries(rules: usize, queries: usize) -> Result<Scene, String> {
    let rule = "[[species.rules]]\nto = \"still\"\nwhen = \"after\"\nthan = 1\n";
    let sought = |k: usize| {
        let behavior = ["seek", "flee", "pursuit", "arrive", "evasion"][k];
        format!("behaviors.{behavior} = {{ target = {{ nearest = \"mice\", perception_radius = {} }} }}\n", 5 + k)
    };
    let behaviors: String = (0..queries).map(sought).collect();
    let head = "schema = 1\nworld.size = [100, 100]\n[[species]]\nname = \"mice\"\ncount = 3\nstates = [\"still\"]\n";
    let text = format!("{head}{behaviors}{}", rule.repeat(rules));
    Scene::parse(&text, "many.toml", &[]).map_err(|error| error.to_string())
}

#[test]
fn sixteen_rules_and_four_queries_are_the_most() {
    assert_eq!(rules_and_queries(16, 4).map(|scene| scene.species[0].rules.len()), Ok(16));
    refused(rules_and_queries(17, 4), &["must have 0 to 16 entries, not 17"]);
    let target = "species.0.behaviors.evasion.target: 5 different targets `nearest`; there may be 4";
    refused(rules_and_queries(16, 5), &[target]);
}
