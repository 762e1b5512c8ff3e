//! Defaults pass the lints: what a scene names and does not describe, it is not warned of.

use steerling::scene::{BEHAVIORS, Scene};

/// A behavior that a scene names and does not describe has defaults that its own lints do not warn of.
#[test]
fn defaults_pass_their_own_lint() {
    let mut warned = Vec::new();
    for spec in BEHAVIORS.iter() {
        let needs = |name: &str| spec.parameters.iter().any(|parameter| parameter.name == name);
        let mut rule = Vec::new();
        if needs("target") {
            rule.push("target = { agent = 1 }");
        }
        if needs("other") {
            rule.push("other = { agent = 1 }");
        }
        if needs("path") {
            rule.push("path = \"way\"");
        }
        if needs("size") {
            rule.push("size = [500, 500]");
        }
        let text = format!(
            "schema = 1\nworld = {{ size = [2000, 2000], boundary = \"contain\", margin = 50 }}\n\
             ground = {{ resolution = 200 }}\nfield = {{ source = \"uniform\", speed = 5 }}\n\
             [[paths]]\nname = \"way\"\npoints = [[0, 0], [90, 0]]\n[[obstacles]]\nshape = \"sphere\"\ncenter = [0, 90]\n\
             radius = 5\n[[species]]\ncount = 2\ndeposit = 100\nvehicle = {{ facing = \"independent\", max_angular_speed = 100, \
             max_angular_acceleration = 1000 }}\nbehaviors.{} = {{ {} }}\n",
            spec.name,
            rule.join(", ")
        );
        let scene = Scene::parse(&text, "defaults.toml", &[]).unwrap_or_else(|e| panic!("{}: {e}", spec.name));
        warned.extend(scene.lint().into_iter().map(|lint| format!("{}: {lint}", spec.name)));
    }
    assert!(warned.is_empty(), "{warned:#?}");
    // It can tell: what was the default of arrive.
    let text =
        "schema = 1\nworld = { size = [200, 200] }\n[[species]]\ncount = 1\nbehaviors.arrive = { slow_radius = 5 }\n";
    assert_eq!(Scene::parse(text, "defaults.toml", &[]).unwrap().lint().len(), 1);
}

/// So have species and vehicles, of every locomotion and facing.
#[test]
fn defaults_of_bodies_pass_the_lints() {
    let warned = |lines: &str, size: &str| {
        let text = format!("schema = 1\nworld = {{ size = {size} }}\n[[species]]\ncount = 2\n{lines}\n");
        Scene::parse(&text, "defaults.toml", &[]).unwrap_or_else(|e| panic!("{lines}: {e}")).lint()
    };
    let turning = "behaviors.look_where_you_go = {}\nbehaviors.face = { target = { agent = 1 } }";
    let angular = "facing = \"independent\", max_angular_speed = 100, max_angular_acceleration = 1000";
    let bodies = [
        String::new(),
        "variation = {}".into(),
        "vehicle = {}".into(),
        "vehicle = { orientation = \"kept\" }".into(),
        "vehicle = { integrator = \"explicit\" }".into(),
        "vehicle = { banking = {} }".into(),
        "vehicle = { locomotion = \"kinematic\" }".into(),
        "vehicle = { locomotion = \"turn_first\", max_angular_speed = 100 }".into(),
        format!("vehicle = {{ facing = \"independent\" }}\n{turning}"),
        format!("vehicle = {{ {angular} }}\n{turning}"),
    ];
    for lines in bodies {
        let lines = format!("{lines}\nbehaviors.wander = {{}}");
        assert_eq!(warned(&lines, "[2000, 2000, 2000]"), [], "{lines}");
    }
    // It can tell: a number of the species, and one of the vehicle.
    assert_eq!(warned("time_constant = 0.005\nbehaviors.wander = {}", "[200, 200]").len(), 1);
    assert_eq!(warned("vehicle = { turn_loss = 1 }\nbehaviors.wander = {}", "[200, 200]").len(), 1);
}

/// A world that `--agents` has made small, while its margin stays, says so.
#[test]
fn a_world_that_is_mostly_margin_says_so() {
    let warned = |agents: u32| {
        let scene = Scene::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/benchmarks/cloud.toml"), &[])
            .unwrap()
            .with_agents(agents)
            .unwrap();
        scene.lint().iter().any(|lint| lint.key == "world.margin")
    };
    assert!(warned(10_000) && !warned(1_000_000));
}

/// Who is to stay on the ground of a map, where there is none, is told.
#[test]
fn the_ground_of_a_map_needs_one() {
    let warned = |map: &str| {
        let text = format!(
            "schema = 1\nworld.size = [200, 200]\n{map}[[species]]\ncount = 1\nmax_force = 100\n\
             behaviors.containment = {{ shape = \"map\" }}\n"
        );
        let lints = Scene::parse(&text, "ground.toml", &[]).unwrap().lint();
        lints.iter().any(|lint| lint.key.ends_with("containment.shape"))
    };
    assert!(warned("") && !warned("map = { source = \"maze\" }\n"));
}
