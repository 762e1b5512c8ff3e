//! What scenes are warned of, at which numbers, and what the warnings say. tests/scene/lints.rs holds them against the simulation.

use steerling::scene::dialects::TABLE;
use steerling::scene::{BEHAVIORS, PRESETS, Scene};
use support::{parsed, preset};

/// The keys that the scene of this text is warned of.
fn keys(text: &str) -> Vec<String> {
    parsed(text, &[]).lint().into_iter().map(|lint| lint.key).collect()
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

/// What is said of a species and behind it, by semicolons; what stands for `@` where there is a warning, and where there is none; and its key,
/// behind that of the behaviors where it is one of theirs.
const THRESHOLDS: &str = "\
time_constant = @ | 0.0099 | 0.0101 | species.0.time_constant
time_constant = @ | 0.03; update_every = 4 | 0 | species.0.time_constant
states = ['walk']; time_constant = 0.02; seek = { target = { point = [0, 0] }, weight = 3, state_weights = [@] } | 1 | 0.1 | species.0.time_constant
separation = { perception_radius = @ } | 0.19 | 0.21 | separation.perception_radius
cohesion = { perception_radius = @ } | 0 | 0, weight = 0 | cohesion.perception_radius
// v²/2a + v (dt + τ) = 2.8 with a = 20 and v = 10; 4 v τ = 4.
time_constant = 0.01; arrive = { slow_radius = @ } | 2.7 | 2.9 | arrive.slow_radius
time_constant = 0.1; arrive = { slow_radius = @ } | 3.9 | 4.1 | arrive.slow_radius
// v²/a = 5, and a step or two.
obstacle_avoidance = { look_ahead_time = @ }; [map]; source = 'city' | 0.49 | 0.56 | obstacle_avoidance.look_ahead_time
obstacle_avoidance = { look_ahead_time = 0, turning_radii = @ }; [map]; source = 'city' | 0.99 | 1.2 | obstacle_avoidance.look_ahead_time
cohesion = { field_of_view = @ } | 0 | 0, inner_radius = 1 | cohesion.field_of_view
[map]; source = 'city'; cost = @ | 1.1 | 1 | map.cost
seek = { target = { goal = 'home' } }; [map]; source = 'city'; distance = 'grid'; crowding = @; [[map.goals]]; name = 'home'; radius = 20 | 1 | 0 | map.crowding
@ | [map]; source = 'city'; crowding = 1 | seek = { target = { goal = 'home' } }; [map]; source = 'city'; crowding = 1; [[map.goals]]; name = 'home'; radius = 20 | map.crowding
radius = 0.5; [map]; source = 'hall'; door = @ | 0.9 | 1 | map.door
seek = { target = { goal = 'home' } }; [map]; source = 'open'; resolution = 100; cell = @; [[map.goals]]; name = 'home'; radius = 20 | 2.1 | 2.04 | map.cell
[map]; source = 'open'; resolution = 100; cell = @ | 1.97 | 1.99 | map.cell
[map]; source = 'open'; [[map.strokes]]; from = [@, 0]; to = [@, 9]; width = 2 | 101.1 | 100.9 | map.strokes.0.width
// v²/a + v dt = 20.2 with a = 5.
mass = @ | 4 | 3.9 | world.margin
time_constant = 2; boundary_walls = { distance = @ } | 10.1 | 10.3 | boundary_walls.distance
pursuit = { target = { agent = 1 }, prediction = 'distance', turning = @ } | 0.11 | 0.09 | pursuit.turning
evasion = { target = { agent = 1 }, prediction = @ } | 'distance', turning = 0.11 | 'distance' | evasion.turning
// √(6·1.5/20) = 0.671.
unaligned_avoidance = { time_horizon = @ } | 0.66 | 0.68 | unaligned_avoidance.time_horizon
seek = { form = @ } | 'acceleration' | 'acceleration', approach = 'around' | seek.capture_radius
pursuit = { target = { agent = 1 }@ } | , form = 'acceleration' | | pursuit.form
// 4 τ = 1 s.
time_constant = @; seek = { form = 'offset' } | 0.26 | 0.24 | seek.form
line_of_sight = true; cohesion = {}@ | | ; [[obstacles]]; shape = 'sphere'; center = [0, 0]; radius = 5 | species.0.line_of_sight
// max(τ, 2 v/a) = 1 s.
stay_on_path = { path = 'way', prediction_time = @ }; [[paths]]; name = 'way'; points = [[0, 0], [9, 0]] | 0.99 | 1.01 | stay_on_path.prediction_time
wall_following = { distance = @ }; [[obstacles]]; shape = 'sphere'; center = [0, 0]; radius = 5 | 9.9 | 10.1 | wall_following.distance
// ω²/2α = 40.5 degrees, ω (T + dt) = 10.8, 4 ω T = 36.
look_where_you_go = { slow_angle = @ }; vehicle = { facing = 'independent', max_angular_speed = 90, max_angular_acceleration = 100 } | 51 | 52 | look_where_you_go.slow_angle
deposit = @; follow_trail = {}; [ground] | 0 | 100 | follow_trail.weight
// 64 cells of 200 u / 64 and a step of 0.02 s: 0.25·3.125²/0.02 = 122.07.
deposit = 1000; [ground]; trail_spread = @ | 122.1 | 122 | ground.trail_spread
time_constant = 0.01; interpose = { slow_radius = @ } | 2.7 | 2.9 | interpose.slow_radius
containment = { margin = @ } | 2.6 | 2.8 | containment.margin
// 2 v²/a + v dt = 10.2.
containment = { mode = 'turn', margin = @ } | 10.1 | 10.3 | containment.margin
// c = 50 - 5.4 and r = 5: 5 + sqrt(44.6² + 25) - 44.6 + 0.2 = 5.479.
containment = { shape = 'sphere', mode = 'turn', size = [100, 100], margin = @ } | 5.4 | 5.6 | containment.margin
containment = { margin = 5, size = [60, @] } | 10 | 11 | containment.size
wall_following = {@} | | weight = 0 | wall_following.weight
seek = { target = { agent = @ } } | 2 | 1 | seek.target
name = 'a'; flee = { target = { @ = 'a' } } | leader | nearest | flee.target
align = {@}; vehicle = { facing = 'independent' } | | target = { agent = 0 } | align.target
look_where_you_go = {}@ | | ; vehicle = { facing = 'independent' } | look_where_you_go.weight
min_speed = 1; containment = { mode = @ } | 'brake', margin = 9 | 'turn', margin = 11 | species.0.min_speed
states = ['a', 'b']; rules = [{ from = 'a', to = 'b', than = 5 }, { from = 'b', to = 'a', when = 'farther', than = @ }] | 5 | 6 | species.0.rules.1.than
states = ['a', 'b']; rules = [{ to = 'b', when = 'after', than = @ }] | 5, unloads = true | 5 | species.0.rules.0.than
vehicle = { locomotion = @, linear_drag = 0.1 } | 'kinematic' | 'turn_first', max_angular_speed = 90 | species.0.vehicle.linear_drag
vehicle = { @quadratic_drag = 0.1 } | locomotion = 'kinematic', | | species.0.vehicle.quadratic_drag
vehicle = { @low_speed = 1 } | locomotion = 'turn_first', max_angular_speed = 90, | | species.0.vehicle.low_speed
vehicle = { @turn_loss = 0.1 } | | locomotion = 'turn_first', max_angular_speed = 90, | species.0.vehicle.turn_loss
collide = true; radius = @ | 0.19 | 0.21 | species.0.radius
vehicle = { @grip = 5 } | | locomotion = 'turn_first', max_angular_speed = 90, | species.0.vehicle.grip
vehicle = { locomotion = 'turn_first', max_angular_speed = 90, @max_reverse_speed = 1 } | | reverse = 'allow', | species.0.vehicle.max_reverse_speed
vehicle.locomotion = 'kinematic'; seek = { weight = 1.1 }; wander = { weight = @ } | 0.9 | 0.89 | seek.weight
vehicle.locomotion = 'kinematic'; seek = { weight = @ } | 2 | 2, form = 'acceleration', capture_radius = 6 | seek.weight
// One that wants the way itself wants a velocity.
vehicle.locomotion = 'kinematic'; seek = { weight = @, form = 'offset' } | 2 | 1.9 | seek.weight
// v (τ/2w + dt) = 12.7.
time_constant = 0.5; boundary_walls = { weight = 0.2, distance = @ } | 12.6 | 12.8 | boundary_walls.distance
// Where all are of unit length, the weight is the acceleration: v²/2w + v dt = 10.2.
combine = 'normalized'; arrive = { weight = 5, slow_radius = @ } | 10.1 | 10.3 | arrive.slow_radius
combine = 'budget'; combine_within = 'normalized'; arrive = { weight = 5, slow_radius = @ } | 10.1 | 10.3 | arrive.slow_radius
// A behavior that is drawn in four steps of five: 100/32 + 10 (0.02 + 0.01/0.8) = 3.45.
combine = 'dithered'; time_constant = 0.01; arrive = { weight = 1, slow_radius = @ } | 3.4 | 3.5 | arrive.slow_radius
// A kinematic body comes nearer by a fifth in a step: 4 v (5 dt - dt) = 3.2.
vehicle.locomotion = 'kinematic'; arrive = { weight = 0.2, slow_radius = @ } | 3.1 | 3.3 | arrive.slow_radius
// v/ω = 20.
vehicle = { locomotion = 'turn_first', max_angular_speed = @, forward_acceleration = 'constant' }; arrive = {} | 28 | 29 | arrive.slow_radius
smoothing_time = @; arrive = { ramp = 'square_root' } | 0.1 | 0 | arrive.ramp
// √(6·1.5/20) = 0.671, and with half of the force 0.949.
smoothing_time = 0.3; unaligned_avoidance = { time_horizon = @ } | 0.96 | 0.98 | unaligned_avoidance.time_horizon
update_every = 5; unaligned_avoidance = { time_horizon = @ } | 0.76 | 0.78 | unaligned_avoidance.time_horizon
variation.max_force = @ | 20 | 10 | species.0.variation.max_force
variation.max_force = 10; unaligned_avoidance = { time_horizon = @ } | 0.94 | 0.96 | unaligned_avoidance.time_horizon
states = ['a', 'b']; state_forces = [1, 0.5]; unaligned_avoidance = { time_horizon = @ } | 0.94 | 0.96 | unaligned_avoidance.time_horizon
// (√2 + 1) v²/a = 12.07 u, and a step's way.
obstacle_avoidance = { look_ahead_time = @ }; [[obstacles]]; shape = 'box'; center = [0, 0]; size = [90, 80]; seen_from = 'inside' | 1.2 | 1.24 | obstacle_avoidance.look_ahead_time
// √(5.5² + 11 v/ω) = 10.01 u.
vehicle.max_angular_speed = 90; obstacle_avoidance = { look_ahead_time = @ }; [[obstacles]]; shape = 'sphere'; center = [0, 0]; radius = 5 | 0.99 | 1.01 | obstacle_avoidance.look_ahead_time
time_constant = 0.03; seek = { weight = @ } | 3.1 | 2.9 | species.0.time_constant
// The same with the greatest weight of any agent, and that of arrive with the least one.
time_constant = 0.03; seek = { weight = 2, weight_spread = @ } | 1.1 | 0.9 | species.0.time_constant
combine = 'normalized'; arrive = { weight = 10, weight_spread = 5, slow_radius = @ } | 10.1 | 10.3 | arrive.slow_radius
// As above, with half of the angular acceleration: 3/1.719 rad/s² are 100 degrees/s².
look_where_you_go = { slow_angle = @ }; vehicle = { facing = 'independent', max_angular_speed = 90, max_angular_acceleration = 200 }; variation.max_angular_acceleration = 100 | 51 | 52 | look_where_you_go.slow_angle
look_where_you_go = { slow_angle = @ }; vehicle = { facing = 'independent', max_angular_speed = 90, max_torque = 4, moment_of_inertia = 1.3 }; variation = { max_torque = 1, moment_of_inertia = 0.4189 } | 51 | 52 | look_where_you_go.slow_angle
// 16 cells of 200 u / 64 are 50 u, and the world has an end at each side.
forage = { slow_radius = 15, search_radius = @ }; [ground]; resolution = 64 | 51 | 50 | forage.search_radius
forage = { slow_radius = 15, search_radius = 190 }; [ground]; resolution = @ | 18 | 17 | forage.search_radius
// 13.5 and 50 of 1/65536 units in a step of 0.02 s.
[ground]; intake = @ | 0.0103 | 0.0381470 | ground.intake
[ground]; regrowth = @ | 0.0103 | 0 | ground.regrowth
deposit = @; [ground] | 0.0103 | 0.0381470 | species.0.deposit
";

/// Each warning comes just below its threshold, and not above it.
#[test]
fn warnings_have_thresholds() {
    let is_behavior = |name: &str| BEHAVIORS.iter().any(|spec| spec.name == name);
    for row in THRESHOLDS.lines().filter(|row| !row.starts_with("//")) {
        let parts: Vec<&str> = row.split('|').map(str::trim).collect();
        let [lines, wrong, right, key] = parts[..] else { panic!("{row}") };
        let found = |value: &str| {
            let with = lines.replace('@', value).replace("; ", "\n");
            let line = |line: &str| match is_behavior(line.split(' ').next().unwrap()) {
                true => format!("behaviors.{line}\n"),
                false => format!("{line}\n"),
            };
            let lines: String = with.lines().map(line).collect();
            let world = "world = { size = [200, 200], boundary = \"contain\", margin = 20 }";
            let species = "[[species]]\ncount = 2\nmax_speed = 10\nmax_force = 20";
            keys(&format!("schema = 1\ndt = 0.02\n{world}\n{species}\n{lines}"))
        };
        let before = if is_behavior(key.split('.').next().unwrap()) { "species.0.behaviors." } else { "" };
        assert_eq!(found(wrong), [format!("{before}{key}")], "{row}");
        assert_eq!(found(right), [""; 0], "{row}");
    }
}

/// 200 u in 0.02 s. In a wrapped world: where walls are, more is to be said of such a speed.
#[test]
fn who_may_cross_the_world_in_a_step_is_told() {
    let told = |speed: u32| {
        keys(&format!("schema = 1\ndt = 0.02\nworld.size = [200, 100]\n[[species]]\ncount = 2\nmax_speed = {speed}\n"))
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
            let keys = self::keys(&text).into_iter().map(|key| key.replace("species.0.behaviors.", ""));
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
                parsed(&text, &[]).lint()
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
        parsed(&text, &[]).lint()
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
        const CLOUD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/benchmarks/cloud.toml");
        preset(CLOUD, agents, &[]).lint().iter().any(|lint| lint.key == "world.margin")
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
        keys(&text).iter().any(|key| key.ends_with("containment.shape"))
    };
    assert!(warned("") && !warned("map = { source = \"maze\" }\n"));
}
