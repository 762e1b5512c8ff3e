//! What scenes are warned of, at which numbers, and what the warnings say. tests/scene/lints.rs holds them against the simulation.

use steerling::scene::dialects::TABLE;
use steerling::scene::{BEHAVIORS, PRESETS, Scene};

fn keys(lines: &str) -> Vec<String> {
    let world = "world = { size = [200, 200], boundary = \"contain\", margin = 20 }";
    let text =
        format!("schema = 1\ndt = 0.02\n{world}\n[[species]]\ncount = 2\nmax_speed = 10\nmax_force = 20\n{lines}");
    let scene = Scene::parse(&text, "lint.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
    scene.lint().into_iter().map(|lint| lint.key).collect()
}

#[test]
fn presets_have_no_warnings() {
    let lints = |name: &str| Scene::open(name, &[]).unwrap().lint();
    let all =
        PRESETS.iter().flat_map(|preset| lints(preset.name).into_iter().map(|lint| (preset.name, lint.to_string())));
    // `orbits` shows the very thing of which the lint warns: circles without end.
    let (meant, others): (Vec<_>, Vec<_>) =
        all.partition(|(name, lint)| *name == "orbits" && lint.contains("is circled and never reached"));
    assert_eq!(others, []);
    assert_eq!(meant.len(), 3);
}

/// Each warning comes just below its threshold, and not above it.
#[test]
fn warnings_have_thresholds() {
    let none: [&str; 0] = [];
    let pairs = [
        ("time_constant = 0.0099", "time_constant = 0.0101", "species.0.time_constant"),
        ("time_constant = 0.03\nupdate_every = 4", "time_constant = 0", "species.0.time_constant"),
        (
            "behaviors.separation = { perception_radius = 0.19 }",
            "behaviors.separation = { perception_radius = 0.21 }",
            "species.0.behaviors.separation.perception_radius",
        ),
        (
            "behaviors.cohesion = { perception_radius = 0 }",
            "behaviors.cohesion = { perception_radius = 0, weight = 0 }",
            "species.0.behaviors.cohesion.perception_radius",
        ),
        // v²/2a + v (dt + τ) = 2.8 with a = 20 and v = 10; 4 v τ = 4.
        (
            "time_constant = 0.01\nbehaviors.arrive = { slow_radius = 2.7 }",
            "time_constant = 0.01\nbehaviors.arrive = { slow_radius = 2.9 }",
            "species.0.behaviors.arrive.slow_radius",
        ),
        (
            "time_constant = 0.1\nbehaviors.arrive = { slow_radius = 3.9 }",
            "time_constant = 0.1\nbehaviors.arrive = { slow_radius = 4.1 }",
            "species.0.behaviors.arrive.slow_radius",
        ),
        // v²/a = 5, and a step or two.
        (
            "behaviors.obstacle_avoidance = { look_ahead_time = 0.49 }\n[map]\nsource = \"city\"",
            "behaviors.obstacle_avoidance = { look_ahead_time = 0.56 }\n[map]\nsource = \"city\"",
            "species.0.behaviors.obstacle_avoidance.look_ahead_time",
        ),
        (
            "behaviors.obstacle_avoidance = { look_ahead_time = 0, turning_radii = 0.99 }\n[map]\nsource = \"city\"",
            "behaviors.obstacle_avoidance = { look_ahead_time = 0, turning_radii = 1.2 }\n[map]\nsource = \"city\"",
            "species.0.behaviors.obstacle_avoidance.look_ahead_time",
        ),
        (
            "behaviors.cohesion = { field_of_view = 0 }",
            "behaviors.cohesion = { field_of_view = 0, inner_radius = 1 }",
            "species.0.behaviors.cohesion.field_of_view",
        ),
        ("[map]\nsource = \"city\"\ncost = 1.1", "[map]\nsource = \"city\"\ncost = 1", "map.cost"),
        (
            "behaviors.seek = { target = { goal = \"home\" } }\n[map]\nsource = \"city\"\ncrowding = 1\ndistance = \"grid\"\n\
             [[map.goals]]\nname = \"home\"\nradius = 20",
            "behaviors.seek = { target = { goal = \"home\" } }\n[map]\nsource = \"city\"\ndistance = \"grid\"\n\
             [[map.goals]]\nname = \"home\"\nradius = 20",
            "map.crowding",
        ),
        (
            "[map]\nsource = \"city\"\ncrowding = 1",
            "behaviors.seek = { target = { goal = \"home\" } }\n[map]\nsource = \"city\"\ncrowding = 1\n\
             [[map.goals]]\nname = \"home\"\nradius = 20",
            "map.crowding",
        ),
        // v²/a + v dt = 20.2 with a = 5.
        ("mass = 4", "mass = 3.9", "world.margin"),
        (
            "time_constant = 2\nbehaviors.boundary_walls = { distance = 10.1 }",
            "time_constant = 2\nbehaviors.boundary_walls = { distance = 10.3 }",
            "species.0.behaviors.boundary_walls.distance",
        ),
        (
            "behaviors.pursuit = { target = { agent = 1 }, prediction = \"distance\", turning = 0.11 }",
            "behaviors.pursuit = { target = { agent = 1 }, prediction = \"distance\", turning = 0.09 }",
            "species.0.behaviors.pursuit.turning",
        ),
        (
            "behaviors.evasion = { target = { agent = 1 }, prediction = \"distance\", turning = 0.11 }",
            "behaviors.evasion = { target = { agent = 1 }, prediction = \"distance\" }",
            "species.0.behaviors.evasion.turning",
        ),
        // √(6·1.5/20) = 0.671.
        (
            "behaviors.unaligned_avoidance = { time_horizon = 0.66 }",
            "behaviors.unaligned_avoidance = { time_horizon = 0.68 }",
            "species.0.behaviors.unaligned_avoidance.time_horizon",
        ),
        (
            "behaviors.seek = { form = \"acceleration\" }",
            "behaviors.seek = { form = \"acceleration\", approach = \"around\" }",
            "species.0.behaviors.seek.capture_radius",
        ),
        (
            "behaviors.pursuit = { target = { agent = 1 }, form = \"acceleration\" }",
            "behaviors.pursuit = { target = { agent = 1 } }",
            "species.0.behaviors.pursuit.form",
        ),
        // 4 τ = 1 s.
        (
            "time_constant = 0.26\nbehaviors.seek = { form = \"offset\" }",
            "time_constant = 0.24\nbehaviors.seek = { form = \"offset\" }",
            "species.0.behaviors.seek.form",
        ),
        (
            "line_of_sight = true\nbehaviors.cohesion = {}",
            "line_of_sight = true\nbehaviors.cohesion = {}\n[[obstacles]]\nshape = \"sphere\"\ncenter = [0, 0]\nradius = 5",
            "species.0.line_of_sight",
        ),
        // max(τ, 2 v/a) = 1 s.
        (
            "behaviors.stay_on_path = { path = \"way\", prediction_time = 0.99 }\n[[paths]]\nname = \"way\"\n\
             points = [[0, 0], [9, 0]]",
            "behaviors.stay_on_path = { path = \"way\", prediction_time = 1.01 }\n[[paths]]\nname = \"way\"\n\
             points = [[0, 0], [9, 0]]",
            "species.0.behaviors.stay_on_path.prediction_time",
        ),
        (
            "behaviors.wall_following = { distance = 9.9 }\n[[obstacles]]\nshape = \"sphere\"\ncenter = [0, 0]\nradius = 5",
            "behaviors.wall_following = { distance = 10.1 }\n[[obstacles]]\nshape = \"sphere\"\ncenter = [0, 0]\nradius = 5",
            "species.0.behaviors.wall_following.distance",
        ),
        // ω²/2α = 40.5 degrees, ω (T + dt) = 10.8, 4 ω T = 36.
        (
            "behaviors.look_where_you_go = { slow_angle = 51 }\n\
             vehicle = { facing = \"independent\", max_angular_speed = 90, max_angular_acceleration = 100 }",
            "behaviors.look_where_you_go = { slow_angle = 52 }\n\
             vehicle = { facing = \"independent\", max_angular_speed = 90, max_angular_acceleration = 100 }",
            "species.0.behaviors.look_where_you_go.slow_angle",
        ),
        (
            "behaviors.follow_trail = {}\n[ground]",
            "deposit = 100\nbehaviors.follow_trail = {}\n[ground]",
            "species.0.behaviors.follow_trail.weight",
        ),
        // 64 cells of 200 u / 64 and a step of 0.02 s: 0.25·3.125²/0.02 = 122.07.
        (
            "deposit = 1000\n[ground]\ntrail_spread = 122.1",
            "deposit = 1000\n[ground]\ntrail_spread = 122",
            "ground.trail_spread",
        ),
        (
            "time_constant = 0.01\nbehaviors.interpose = { slow_radius = 2.7 }",
            "time_constant = 0.01\nbehaviors.interpose = { slow_radius = 2.9 }",
            "species.0.behaviors.interpose.slow_radius",
        ),
        (
            "behaviors.containment = { margin = 2.6 }",
            "behaviors.containment = { margin = 2.8 }",
            "species.0.behaviors.containment.margin",
        ),
        (
            // 2 v²/a + v dt = 10.2.
            "behaviors.containment = { mode = \"turn\", margin = 10.1 }",
            "behaviors.containment = { mode = \"turn\", margin = 10.3 }",
            "species.0.behaviors.containment.margin",
        ),
        (
            // c = 50 - 5.4 and r = 5: 5 + sqrt(44.6² + 25) - 44.6 + 0.2 = 5.479.
            "behaviors.containment = { shape = \"sphere\", mode = \"turn\", size = [100, 100], margin = 5.4 }",
            "behaviors.containment = { shape = \"sphere\", mode = \"turn\", size = [100, 100], margin = 5.6 }",
            "species.0.behaviors.containment.margin",
        ),
        (
            "behaviors.containment = { margin = 5, size = [60, 10] }",
            "behaviors.containment = { margin = 5, size = [60, 11] }",
            "species.0.behaviors.containment.size",
        ),
        (
            "behaviors.wall_following = {}",
            "behaviors.wall_following = { weight = 0 }",
            "species.0.behaviors.wall_following.weight",
        ),
        (
            "behaviors.seek = { target = { agent = 2 } }",
            "behaviors.seek = { target = { agent = 1 } }",
            "species.0.behaviors.seek.target",
        ),
        (
            "name = \"a\"\nbehaviors.flee = { target = { leader = \"a\" } }",
            "name = \"a\"\nbehaviors.flee = { target = { nearest = \"a\" } }",
            "species.0.behaviors.flee.target",
        ),
        (
            "behaviors.align = {}\nvehicle = { facing = \"independent\" }",
            "behaviors.align = { target = { agent = 0 } }\nvehicle = { facing = \"independent\" }",
            "species.0.behaviors.align.target",
        ),
        (
            "behaviors.look_where_you_go = {}",
            "behaviors.look_where_you_go = {}\nvehicle = { facing = \"independent\" }",
            "species.0.behaviors.look_where_you_go.weight",
        ),
        (
            "min_speed = 1\nbehaviors.containment = { mode = \"brake\", margin = 9 }",
            "min_speed = 1\nbehaviors.containment = { mode = \"turn\", margin = 11 }",
            "species.0.min_speed",
        ),
        (
            "states = [\"a\", \"b\"]\nrules = [{ from = \"a\", to = \"b\", than = 5 }, \
             { from = \"b\", to = \"a\", when = \"farther\", than = 5 }]",
            "states = [\"a\", \"b\"]\nrules = [{ from = \"a\", to = \"b\", than = 5 }, \
             { from = \"b\", to = \"a\", when = \"farther\", than = 6 }]",
            "species.0.rules.1.than",
        ),
        (
            "states = [\"a\", \"b\"]\nrules = [{ to = \"b\", when = \"after\", than = 5, unloads = true }]",
            "states = [\"a\", \"b\"]\nrules = [{ to = \"b\", when = \"after\", than = 5 }]",
            "species.0.rules.0.than",
        ),
        (
            "vehicle = { locomotion = \"kinematic\", linear_drag = 0.1 }",
            "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, linear_drag = 0.1 }",
            "species.0.vehicle.linear_drag",
        ),
        (
            "vehicle = { locomotion = \"kinematic\", quadratic_drag = 0.1 }",
            "vehicle = { quadratic_drag = 0.1 }",
            "species.0.vehicle.quadratic_drag",
        ),
        (
            "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, low_speed = 1 }",
            "vehicle = { low_speed = 1 }",
            "species.0.vehicle.low_speed",
        ),
        (
            "vehicle = { turn_loss = 0.1 }",
            "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, turn_loss = 0.1 }",
            "species.0.vehicle.turn_loss",
        ),
        ("collide = true\nradius = 0.19", "collide = true\nradius = 0.21", "species.0.radius"),
        (
            "vehicle = { grip = 5 }",
            "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, grip = 5 }",
            "species.0.vehicle.grip",
        ),
        (
            "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, max_reverse_speed = 1 }",
            "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, reverse = \"allow\", max_reverse_speed = 1 }",
            "species.0.vehicle.max_reverse_speed",
        ),
        (
            "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 1.1 }\nbehaviors.wander = { weight = 0.9 }",
            "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 1.1 }\nbehaviors.wander = { weight = 0.89 }",
            "species.0.behaviors.seek.weight",
        ),
        (
            "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 2 }",
            "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 2, form = \"acceleration\", capture_radius = 6 }",
            "species.0.behaviors.seek.weight",
        ),
        // One that wants the way itself wants a velocity.
        (
            "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 2, form = \"offset\" }",
            "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 1.9, form = \"offset\" }",
            "species.0.behaviors.seek.weight",
        ),
    ];
    let sphere = "[[obstacles]]\nshape = \"sphere\"\ncenter = [0, 0]\nradius = 5";
    let avoid =
        |lines: &str, time: f32| format!("{lines}\nbehaviors.unaligned_avoidance = {{ time_horizon = {time} }}");
    let arrive = |lines: &str, weight: f32, radius: f32| {
        format!("{lines}\nbehaviors.arrive = {{ weight = {weight}, slow_radius = {radius} }}")
    };
    let clear = |time: f32| {
        format!(
            "vehicle.max_angular_speed = 90\nbehaviors.obstacle_avoidance = {{ look_ahead_time = {time} }}\n{sphere}"
        )
    };
    let pen = |time: f32| {
        let walls = "[[obstacles]]\nshape = \"box\"\ncenter = [0, 0]\nsize = [90, 80]\nseen_from = \"inside\"";
        format!("behaviors.obstacle_avoidance = {{ look_ahead_time = {time} }}\n{walls}")
    };
    let horizon = "species.0.behaviors.unaligned_avoidance.time_horizon";
    let slow = "species.0.behaviors.arrive.slow_radius";
    let circles = |turn: f32| {
        format!(
            "vehicle = {{ locomotion = \"turn_first\", max_angular_speed = {turn}, forward_acceleration = \"constant\" }}\nbehaviors.arrive = {{}}"
        )
    };
    let turning = |angle: f32, lines: &str| {
        format!(
            "behaviors.look_where_you_go = {{ slow_angle = {angle} }}\n\
             vehicle.facing = \"independent\"\nvehicle.max_angular_speed = 90\n{lines}"
        )
    };
    let spread = "vehicle.max_angular_acceleration = 200\nvariation.max_angular_acceleration = 100";
    let torques = "vehicle.max_torque = 4\nvehicle.moment_of_inertia = 1.3\n\
                   variation = { max_torque = 1, moment_of_inertia = 0.4189 }";
    let slow_angle = "species.0.behaviors.look_where_you_go.slow_angle";
    let counted = [
        // v (τ/2w + dt) = 12.7.
        (
            "time_constant = 0.5\nbehaviors.boundary_walls = { weight = 0.2, distance = 12.6 }".to_owned(),
            "time_constant = 0.5\nbehaviors.boundary_walls = { weight = 0.2, distance = 12.8 }".to_owned(),
            "species.0.behaviors.boundary_walls.distance",
        ),
        // Where all are of unit length, the weight is the acceleration: v²/2w + v dt = 10.2.
        (arrive("combine = \"normalized\"", 5.0, 10.1), arrive("combine = \"normalized\"", 5.0, 10.3), slow),
        (
            arrive("combine = \"budget\"\ncombine_within = \"normalized\"", 5.0, 10.1),
            arrive("combine = \"budget\"\ncombine_within = \"normalized\"", 5.0, 10.3),
            slow,
        ),
        // A behavior that is drawn in four steps of five: 100/32 + 10 (0.02 + 0.01/0.8) = 3.45.
        (
            arrive("combine = \"dithered\"\ntime_constant = 0.01", 1.0, 3.4),
            arrive("combine = \"dithered\"\ntime_constant = 0.01", 1.0, 3.5),
            slow,
        ),
        // A kinematic body comes nearer by a fifth in a step: 4 v (5 dt - dt) = 3.2.
        (
            arrive("vehicle.locomotion = \"kinematic\"", 0.2, 3.1),
            arrive("vehicle.locomotion = \"kinematic\"", 0.2, 3.3),
            slow,
        ),
        // v/ω = 20.
        (circles(28.0), circles(29.0), slow),
        (
            "smoothing_time = 0.1\nbehaviors.arrive = { ramp = \"square_root\" }".to_owned(),
            "behaviors.arrive = { ramp = \"square_root\" }".to_owned(),
            "species.0.behaviors.arrive.ramp",
        ),
        // √(6·1.5/20) = 0.671, and with half of the force 0.949.
        (avoid("smoothing_time = 0.3", 0.96), avoid("smoothing_time = 0.3", 0.98), horizon),
        (avoid("update_every = 5", 0.76), avoid("update_every = 5", 0.78), horizon),
        ("variation.max_force = 20".to_owned(), "variation.max_force = 10".to_owned(), "species.0.variation.max_force"),
        (avoid("variation.max_force = 10", 0.94), avoid("variation.max_force = 10", 0.96), horizon),
        (
            avoid("states = [\"a\", \"b\"]\nstate_forces = [1, 0.5]", 0.94),
            avoid("states = [\"a\", \"b\"]\nstate_forces = [1, 0.5]", 0.96),
            horizon,
        ),
        // 2 v²/a = 10 u, and a step's way.
        (pen(0.99), pen(1.03), "species.0.behaviors.obstacle_avoidance.look_ahead_time"),
        // √(5.5² + 11 v/ω) = 10.01 u.
        (clear(0.99), clear(1.01), "species.0.behaviors.obstacle_avoidance.look_ahead_time"),
        (
            "time_constant = 0.03\nbehaviors.seek = { weight = 3.1 }".to_owned(),
            "time_constant = 0.03\nbehaviors.seek = { weight = 2.9 }".to_owned(),
            "species.0.time_constant",
        ),
        // The same with the greatest weight of any agent, and that of arrive with the least one.
        (
            "time_constant = 0.03\nbehaviors.seek = { weight = 2, weight_spread = 1.1 }".to_owned(),
            "time_constant = 0.03\nbehaviors.seek = { weight = 2, weight_spread = 0.9 }".to_owned(),
            "species.0.time_constant",
        ),
        (
            arrive("combine = \"normalized\"", 10.0, 10.1).replace("10, s", "10, weight_spread = 5, s"),
            arrive("combine = \"normalized\"", 10.0, 10.3).replace("10, s", "10, weight_spread = 5, s"),
            slow,
        ),
        // As above, with half of the angular acceleration: 3/1.719 rad/s² are 100 degrees/s².
        (turning(51.0, spread), turning(52.0, spread), slow_angle),
        (turning(51.0, torques), turning(52.0, torques), slow_angle),
    ];
    let counted = counted.iter().map(|(wrong, right, key)| (&**wrong, &**right, *key));
    // 16 cells of 200 u / 64 are 50 u, and the world has an end at each side.
    let ground = |resolution: u32, radius: u32| {
        format!(
            "behaviors.forage = {{ slow_radius = 15, search_radius = {radius} }}\n[ground]\nresolution = {resolution}"
        )
    };
    let foraging = [ground(64, 51), ground(64, 50), ground(18, 190), ground(17, 190)];
    let key = "species.0.behaviors.forage.search_radius";
    let foraging = [(&*foraging[0], &*foraging[1], key), (&*foraging[2], &*foraging[3], key)];
    for (wrong, right, key) in pairs.into_iter().chain(foraging).chain(counted) {
        assert_eq!(keys(wrong), [key], "{wrong}");
        assert_eq!(keys(right), none, "{right}");
    }
}

/// 200 u in 0.02 s. In a wrapped world: where walls are, more is to be said of such a speed.
#[test]
fn who_may_cross_the_world_in_a_step_is_told() {
    let told = |speed: u32| {
        let text =
            format!("schema = 1\ndt = 0.02\nworld.size = [200, 100]\n[[species]]\ncount = 2\nmax_speed = {speed}\n");
        let lints = Scene::parse(&text, "fast.toml", &[]).expect("a scene").lint();
        lints.into_iter().map(|lint| lint.key).collect::<Vec<_>>()
    };
    assert_eq!(told(10_001), ["species.0.max_speed"]);
    assert!(told(9_999).is_empty());
}

/// A dialect's defaults are what was published: where that does not do what it says, the lint tells, and here it is named.
#[test]
fn defaults_of_dialects_pass_the_lints_but_for_these() {
    const PUBLISHED: &[(&str, &[&str])] = &[
        // Its time constant of 1 s needs 4 s and 40 u to stop in, and prediction over more than 1 s; it has no arrival of its own.
        (
            "opensteer",
            &[
                "seek.form",
                "arrive.slow_radius",
                "pursuit.form",
                "hide.slow_radius",
                "formation.slow_radius",
                "interpose.slow_radius",
                "path_following.prediction_time",
                "path_following.slow_radius",
                "stay_on_path.prediction_time",
                "waypoint_following.slow_radius",
                "forage.slow_radius",
            ],
        ),
        // Its pixels: at 180 px/s and as much per second, 90 px to stop in. Of its own are the walls and the path.
        (
            "nature_of_code",
            &[
                "hide.slow_radius",
                "offset_pursuit.slow_radius",
                "formation.slow_radius",
                "interpose.slow_radius",
                "leader_following.slow_radius",
                "wall_following.distance",
                "containment.margin",
                "boundary_walls.distance",
                "path_following.prediction_time",
                "stay_on_path.prediction_time",
                "waypoint_following.slow_radius",
                "forage.slow_radius",
            ],
        ),
        // Its seek and its pursuit can orbit.
        ("millington", &["seek.capture_radius", "pursuit.form"]),
        // Its birds never slow down.
        ("netlogo", &["species.0.min_speed"]),
    ];
    let mut warned = Vec::new();
    for dialect in TABLE {
        for spec in BEHAVIORS.iter() {
            let needs = |(name, _): &(&str, &str)| spec.parameters.iter().any(|parameter| parameter.name == *name);
            let keys = [
                ("target", "target = { agent = 1 }"),
                ("other", "other = { agent = 1 }"),
                ("path", "path = \"way\""),
                ("size", "size = [500, 500]"),
            ];
            let keys = keys.into_iter().filter(needs).map(|(_, key)| key).collect::<Vec<_>>().join(", ");
            let text = format!(
                "schema = 1\ndialect = \"{}\"\nworld.size = [2000, 2000]\nground = {{ resolution = 200 }}\n\
                 field = {{ source = \"uniform\", speed = 5 }}\n\
                 [[paths]]\nname = \"way\"\npoints = [[0, 0], [90, 0]]\n[[obstacles]]\nshape = \"sphere\"\n\
                 center = [0, 90]\nradius = 5\n[[species]]\ncount = 2\ndeposit = 100\nvehicle = {{ facing = \
                 \"independent\", max_angular_speed = 100, max_angular_acceleration = 1000 }}\n\
                 behaviors.{} = {{ {keys} }}\n",
                dialect.name, spec.name
            );
            let scene = Scene::parse(&text, "dialect.toml", &[]).unwrap_or_else(|e| panic!("{text}: {e}"));
            let keys = scene.lint().into_iter().map(|lint| lint.key.replace("species.0.behaviors.", ""));
            warned.extend(keys.map(|key| (dialect.name, key)));
        }
    }
    let named = |(dialect, keys): &(&'static str, &[&str])| {
        let dialect = *dialect;
        keys.iter().map(|key| (dialect, (*key).to_owned())).collect::<Vec<_>>()
    };
    let published = PUBLISHED.iter().flat_map(named).collect::<Vec<_>>();
    assert_eq!(warned, published);
}

/// Following a warning removes it: its numbers are rounded to the safe side.
#[test]
fn a_warning_that_is_followed_is_gone() {
    let chased = "target = { agent = 1 }, prediction = \"distance\", ";
    for speed in [3.1, 4.0, 5.7, 7.3, 9.9] {
        // The last is a factor to a number that does not do.
        for (behavior, more, key, wrong, [before, after], worse) in [
            ("arrive", "", "slow_radius", "0.5", ["= ", " u"], 0.989),
            ("evasion", chased, "turning", "2", ["at most ", " s/u, or 0"], 1.011),
        ] {
            let lints = |number: &str| {
                let text = format!(
                    "schema = 1\nworld = {{ size = [200, 200] }}\n[[species]]\ncount = 2\nmax_speed = {speed}\n\
                     max_force = 4\ntime_constant = 0\nbehaviors.{behavior} = {{ {more}{key} = {number} }}"
                );
                Scene::parse(&text, "lint.toml", &[]).unwrap_or_else(|e| panic!("{e}")).lint()
            };
            let told = lints(wrong)[0].to_string();
            assert!(told.starts_with(&format!("species.0.behaviors.{behavior}.{key} = {wrong}: ")), "{told}");
            let right = told.rsplit(before).next().and_then(|text| text.strip_suffix(after)).expect("a number");
            assert!(right.chars().filter(char::is_ascii_digit).count() <= 4, "{told}");
            assert_eq!(lints(right), [], "{told}");
            let worse = worse * right.parse::<f64>().expect("a number");
            assert_eq!(lints(&worse.to_string()).len(), 1, "{worse} does not do: {told}");
        }
    }
}

/// Defaults of species and vehicles, of every locomotion and facing, pass the lints.
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
