//! Every flag that pipelines are specialized to is needed: with any flag of a scene switched off, `verify` finds a difference
//! between the GPU and the reference, which has no flags.

use std::collections::{BTreeMap, BTreeSet};
use steerling::gpu::{Gpu, GpuError, Options};
use steerling::model::{Features, State, Vehicles};
use steerling::scene::Scene;
use steerling::verify::{Plan, verify};
use support::{gpu, model, parsed, preset};

/// The keys and tables of a world with a field, a ground and a path.
const WORLD: &str = "schema = 1\nworld.size = [40, 40]\nfield = { source = \"vortex\", speed = 4 }\nground = { patches = 20 }\n\
     [[paths]]\nname = \"way\"\npoints = [[-15, -10], [0, 12], [15, 0]]\n";

/// Mice that search for hawks and for each other, and hawks that search for mice and perceive each other.
const MICE: &str = "[[species]]\nname = \"mice\"\ncount = 300\n\
     behaviors.flee = { target = { nearest = \"hawks\", perception_radius = 12 }, panic_distance = 12 }\n\
     behaviors.seek = { target = { nearest = \"mice\", perception_radius = 9 } }\n\
     [[species]]\nname = \"hawks\"\ncount = 40\nmax_speed = 20\n\
     behaviors.separation = { perceives = \"hawks\", perception_radius = 15 }\n\
     behaviors.pursuit = { target = { nearest = \"mice\", perception_radius = 15 } }\n";

/// Mice that search for no other agent, and a few hawks that search for mice.
const HAWKS: &str = "[[species]]\nname = \"mice\"\ncount = 300\nbehaviors.wander = {}\n\
     [[species]]\nname = \"hawks\"\ncount = 20\n\
     behaviors.pursuit = { target = { nearest = \"mice\", perception_radius = 15 } }\n";

/// Lines of a species that skips steps and smooths its steering.
const SKIPPERS: &str = "update_every = 3\nsmoothing_time = 0.3\nbehaviors.cohesion = {}\n";

/// Lines of a species whose agents change to a faster state after 0.05 s.
const HASTY: &str = "states = [\"calm\", \"hasty\"]\nstate_speeds = [1, 2]\nbehaviors.wander = {}\n\
     [[species.rules]]\nto = \"hasty\"\nwhen = \"after\"\nthan = 0.05\n";

/// Tables of a species that seeks a moving target.
const LURED: &str = "[[trajectories]]\nname = \"lure\"\ntimes = [0, 0.05]\npoints = [[1, 2], [9, 5]]\n\
     [[species]]\ncount = 300\nbehaviors.seek = { target = { trajectory = \"lure\" } }\n";
/// A maze with a goal, as an inline table whose closing brace is missing, so that keys can be added.
const HOME: &str =
    "map = { source = \"maze\", resolution = 20, goals = [{ name = \"home\", place = [5, 5], radius = 4 }]";
/// The end of [`HOME`], and a species that seeks its goal.
const HOMING: &str = "HOME }\n\
     [[species]]\ncount = 300\nbehaviors.seek = { target = { goal = \"home\" } }\n";
/// Lines of a species whose `wander` gets a lower weight after 0.05 s.
const CALMER: &str = "states = [\"calm\", \"hasty\"]\n\
     behaviors.wander = { state_weights = [1, 0.2] }\n[[species.rules]]\nto = \"hasty\"\nwhen = \"after\"\nthan = 0.05\n";

/// Each flag with the name of a preset that needs it, lines of a species, or tables of a world.
const SCENES: &[(&str, &str)] = &[
    (
        "folds",
        "world.boundary = \"open\"\n[[species]]\ncount = 300\nbehaviors.alignment = { perception_radius = 0.2 }\n",
    ),
    ("wraps", "flock"),
    ("many_species", MICE),
    ("neighborhood", "flock"),
    ("cones", "flock"),
    ("inner_radii", "opensteer"),
    ("masks", MICE),
    ("queries", MICE),
    ("many_queries", MICE),
    ("few_queries", HAWKS),
    ("topological", "topological"),
    ("many_nearest", "[[species]]\ncount = 400\nk_nearest = 12\nbehaviors.cohesion = { perception_radius = 15 }\n"),
    (
        "occludes",
        "[[obstacles]]\nshape = \"sphere\"\nradius = 4\ncenter = [0, 0]\n\
         [[species]]\ncount = 300\nline_of_sight = true\nbehaviors.cohesion = { perception_radius = 15 }\n",
    ),
    ("tracks_points", "behaviors.seek = { target = { point = [3, 4] } }\n"),
    ("tracks_agents", "behaviors.arrive = { target = { agent = 7 } }\n"),
    ("tracks_field", "behaviors.velocity_matching = { target = \"field\" }\n"),
    ("tracks_trajectories", LURED),
    ("tracks_goals", HOMING),
    (
        "by_grid",
        "HOME, distance = \"grid\" }\n\
         [[species]]\ncount = 300\nbehaviors.arrive = { target = { goal = \"home\" } }\n",
    ),
    (
        "foresees_ways",
        "HOME }\n\
         [[species]]\ncount = 300\nbehaviors.seek = { target = { goal = \"home\", prediction_time = 0.3 } }\n",
    ),
    (
        "leaves",
        "HOME }\n\
         [[species]]\ncount = 300\nleaves = \"home\"\nbehaviors.wander = {}\n",
    ),
    ("some_away", "enters = 200\nbehaviors.cohesion = {}\n"),
    ("moves", LURED),
    ("field_changes", "tides"),
    ("obstacles_turn", "windmills"),
    ("boxes_or_capsules", "windmills"),
    (
        "boxes_from_within",
        "[[obstacles]]\nshape = \"box\"\ncenter = [0, 0]\nsize = [36, 30]\nseen_from = \"inside\"\n\
         [[species]]\ncount = 300\nbehaviors.obstacle_avoidance = {}\n",
    ),
    (
        "many_obstacles",
        "[[obstacles]]\nshape = \"sphere\"\nradius = 0.5\ncount = 70\n\
         [[species]]\ncount = 300\nbehaviors.obstacle_avoidance = {}\n",
    ),
    ("capsules", "windmills"),
    (
        "walled",
        "map = { source = \"maze\", resolution = 20 }\n[[species]]\ncount = 300\nbehaviors.obstacle_avoidance = {}\n\
         behaviors.wall_following = {}\nbehaviors.whiskers = {}\n",
    ),
    ("tracks_paths", "behaviors.seek = { target = { path = \"way\" } }\n"),
    ("normalizes", "opensteer"),
    ("prioritizes", "priority"),
    (
        "combines_within",
        "combine = \"budget\"\ncombine_within = \"normalized\"\n\
         behaviors.cohesion = { priority = 1 }\nbehaviors.alignment = { priority = 1 }\n",
    ),
    ("selects_actions", "actions"),
    ("reweighs", CALMER),
    ("limits", "nature_of_code"),
    ("jitters", "behaviors.cohesion = { jitter = 0.5 }\n"),
    ("skips", SKIPPERS),
    ("holds", SKIPPERS),
    ("forages", "behaviors.forage = {}\n"),
    ("turns", "facing"),
    ("varies", "variation.max_speed = 4\nbehaviors.wander = {}\n"),
    ("vehicles_vary", "vehicle.quadratic_drag = 0.5\nvariation.quadratic_drag = 0.4\nbehaviors.wander = {}\n"),
    ("weights_vary", "behaviors.cohesion.weight_spread = 0.5\n"),
    ("states_change_limits", HASTY),
    ("crowds", "[[species]]\ncount = 1000\nspawn = { extent = 0.01 }\nbehaviors.cohesion = {}\n"),
    ("pose_acts", "facing"),
    ("turn_first_acts", "locomotion"),
    (
        "grip_acts",
        "vehicle = { locomotion = \"turn_first\", max_angular_speed = 900, grip = 1 }\n\
         behaviors.wander = {}\nbehaviors.velocity_matching = { target = \"field\" }\n",
    ),
    ("kinematic_acts", "locomotion"),
    ("explicit_euler_acts", "vehicle.integrator = \"explicit\"\nbehaviors.wander = {}\n"),
    ("drag_acts", "vehicle.linear_drag = 0.5\nbehaviors.wander = {}\n"),
    ("low_speed_acts", "vehicle.low_speed = 100\nbehaviors.wander = {}\n"),
    ("banking_acts", "gulls"),
    ("surface_acts", "hills"),
    ("mesh_acts", "knot"),
];

fn scene_of(source: &str) -> Scene {
    let source = &*source.replace("HOME", HOME);
    if !source.contains('=') {
        return preset(source, 400, &[]);
    }
    let species = format!("[[species]]\ncount = 300\n{source}");
    let source = if source.contains("[[species]]") { source } else { &species };
    // Keys of the world in `source` have to come before all tables.
    let (world, tables) = source.split_at(source.find("[[").unwrap_or(source.len()));
    parsed(&format!("{world}{WORLD}{tables}"), &[])
}

/// Does `verify` find nothing, with this flag switched off?
fn green(gpu: &Gpu, scene: &Scene, off: Option<&str>) -> bool {
    let forced = off.into_iter().map(|flag| (flag.to_owned(), 0.0)).collect();
    let options = Options { forced, ..Options::default() };
    let plan = Plan { steps: 8, free_steps: 0 };
    match verify(gpu, scene, &State::initial(scene), &options, plan, |_| ()) {
        Ok(report) => report.pass,
        Err(GpuError::CutOff { .. }) => false,
        Err(error) => panic!("{off:?} gives no verdict: {error}"),
    }
}

/// All flags of a scene: those of its features, and those of its vehicles.
fn flags(features: Features, vehicles: Vehicles) -> BTreeMap<&'static str, bool> {
    features.flags().into_iter().chain(vehicles.overrides()).collect()
}

#[test]
fn each_flag_is_needed() {
    let gpu = gpu();
    let (mut unnoticed, mut sound) = (Vec::new(), BTreeSet::new());
    for flag in flags(Features::default(), Vehicles::default()).into_keys() {
        let (_, source) =
            SCENES.iter().find(|(name, _)| *name == flag).unwrap_or_else(|| panic!("no scene for {flag}"));
        let scene = scene_of(source);
        let model = model(&scene);
        assert!(flags(model.features, model.vehicles)[flag], "the scene does without {flag}");
        // Several flags have the same scene.
        assert!(!sound.insert(source) || green(&gpu, &scene, None), "the scene of {flag} fails");
        unnoticed.extend(green(&gpu, &scene, Some(flag)).then_some(flag));
    }
    assert!(unnoticed.is_empty(), "nobody needs {unnoticed:?}");
}
