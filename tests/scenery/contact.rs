//! Bodies that collide: on the GPU as in the reference, to the bit, and nobody passes through anybody.

use steerling::gpu::Options;
use steerling::model::State;
use steerling::scene::Scene;
use steerling::verify::Plan;
use support::{agrees, gpu, notices_by_stages, on_gpu, parsed};

/// Two species that press to one place, small ones with different masses and radii and big ones; one that stays; and one that does not
/// collide.
const PRESSING: &str = "[[species]]\nname = \"small\"\ncount = 300\ncollide = true\nradius = 0.4\nmax_speed = 8\n\
     variation = { radius = 0.2, mass = 0.5, max_speed = 2 }\nmin_speed = 0.5\nbehaviors.seek = { target = \"mouse\" }\n\
     [[species]]\nname = \"big\"\ncount = 60\ncollide = true\nradius = 1\nmass = 5\nmax_speed = 6\n\
     behaviors.wander = {}\nbehaviors.cohesion = { perception_radius = 4 }\n\
     [[species]]\nname = \"still\"\ncount = 20\ncollide = true\nradius = 0.3\nmax_force = 0\nbehaviors.wander = {}\n\
     [[species]]\nname = \"ghosts\"\ncount = 40\nradius = 1\nbehaviors.wander = {}\n";

const DRIVERS: &str = "[[species]]\nname = \"drivers\"\ncount = 80\ncollide = true\nmax_speed = 9\nbehaviors.wander = {}\n\
     vehicle = { locomotion = \"turn_first\", max_angular_speed = 200, grip = 5 }\nupdate_every = 2\n";

const HILLS: &str = "surface = { shape = \"height_field\", hills = [{ height = 4 }] }\n\
     [[species]]\nname = \"walkers\"\ncount = 80\ncollide = true\nmax_speed = 9\nbehaviors.wander = {}\n\
     vehicle.hugs_surface = true\n";

const BALL: &str = "[[obstacles]]\nshape = \"sphere\"\nradius = 2\n";

/// The lines before the species.
fn scenes() -> Vec<(&'static str, String)> {
    let world =
        |size: &str, boundary: &str| format!("world = {{ size = {size}, boundary = \"{boundary}\", margin = 2 }}\n");
    let many = "[[obstacles]]\nshape = \"sphere\"\nradius = 0.6\ncount = 80\n";
    let going = "[[trajectories]]\nname = \"way\"\ntimes = [0, 0.2]\npoints = [[0, 0], [3, 2]]\n\
                 [[obstacles]]\nshape = \"box\"\ncenter = [5, 0]\nsize = [3, 3]\ntrajectory = \"way\"\n";
    vec![
        ("a plane that wraps", world("[30, 20]", "wrap") + BALL),
        ("a small one", world("[12, 14]", "wrap")),
        ("walls", world("[30, 30]", "contain") + going),
        ("no ends", world("[30, 30]", "open") + many),
        ("space", world("[14, 12, 14]", "wrap") + BALL),
        ("a map", world("[40, 40]", "contain") + "map = { source = \"maze\", resolution = 20 }\n"),
        ("a crowded one", "world = { size = [30, 20], crowd = 3 }\n".to_owned()),
        ("drivers", world("[30, 20]", "contain") + DRIVERS),
        ("hills", world("[30, 20, 30]", "wrap") + HILLS),
        ("rounds", format!("{}world.contact_rounds = 1\n", "world.size = [30, 20]\n")),
    ]
}

fn scene(head: &str) -> Scene {
    parsed(&format!("schema = 1\nseed = 11\n{head}{PRESSING}"), &[])
}

/// So many agents in so little room that rounds push them farther than the search in the grid of the step's beginning reaches.
const PRESS: &str = "schema = 1\ndt = 0.02\nworld.size = [25.647018432617188, 27.960006713867188, 20.094430923461914]\n\
     map = { source = \"maze\", strokes = [{ from = [0, 0, 0], to = [12.382467810212802, -3.9276666649009258, 2.9077004992417983], \
     open = true, width = 4.660001118977864 }] }\n[[species]]\ncount = 300\ncollide = true\nradius = 2.384310483932495\n\
     variation = { radius = 0.24675752222537994, distribution = \"normal\" }\n";

#[test]
fn contacts_are_those_of_the_reference() {
    let gpu = gpu();
    let press = Scene::parse(PRESS, "press.toml", &[]).unwrap();
    for (name, scene) in scenes().into_iter().map(|(name, head)| (name, scene(&head))).chain([("a press", press)]) {
        let plan = Plan { steps: 30, free_steps: 30 };
        assert!(agrees(&gpu, &scene, &State::initial(&scene), &Options::default(), plan), "{name}");
    }
}

#[test]
fn mistakes_in_contacts_are_seen() {
    let gpu = gpu();
    let in_a_plane = [
        ("pushed_by_others", "nearest_image(load(position[other]) - here)", "load(position[other]) - here"),
        ("pushed_by_others", "collides(id)", "true"),
        ("pushed_by_others", "max(0.5 * sum * sum / max(squares, 1e-30), 1.0)", "1.0"),
        ("pushed_by_others", "radius + world.contact_reach", "radius"),
        ("collide_move", "max(radius_of(own, own_id) - wall.distance, 0.0)", "0.0"),
        ("braked", "within(-dot3(moving, along), 0.0, length / world.dt)", "0.0"),
        ("collide_move", "nearest_wall(before + push, world.dt)", "nearest_wall(before, world.dt)"),
        ("collide_move", "min(limits.least_speed, sqrt(dot3(moving, moving)))", "0.0"),
    ];
    let in_a_small_one = [("pushed_by_others", "select(-away, away, own_id < id)", "away")];
    let where_a_box_goes =
        [("collide_move", "nearest_wall(before + push, world.dt)", "nearest_wall(before + push, 0.0)")];
    for ((_, head), mistakes) in scenes().iter().zip([&in_a_plane[..], &in_a_small_one, &where_a_box_goes]) {
        // The agents that stay start in one place.
        let scene = scene(head);
        let mut state = State::initial(&scene);
        state.positions[360..380].fill([4.0, 4.0, 0.0]);
        state.velocities[360..380].fill([0.0; 3]);
        notices_by_stages(&gpu, &scene, &state, 40, mistakes);
    }
}

/// The deepest overlap of two bodies of radius 1/2, u, at the end of any of some hundred steps.
fn deepest(lines: &str) -> f32 {
    let text = format!(
        "schema = 1\nseed = 3\nworld.size = [80, 40]\n\
         [[species]]\nname = \"east\"\ncount = 150\n
         behaviors.seek = {{ target = {{ point = [30, 0] }} }}\nmax_speed = 4\n{lines}\
         [[species]]\nname = \"west\"\ncount = 150\n
         behaviors.seek = {{ target = {{ point = [-30, 0] }} }}\nmax_speed = 4\n{lines}"
    );
    let mut simulation = on_gpu(&gpu(), &parsed(&text, &[]), Options::default());
    // They start anywhere, so the first steps part them.
    simulation.step(60).unwrap();
    let mut deepest = 0f32;
    for _ in 0..300 {
        simulation.step(1).unwrap();
        let positions = simulation.state().unwrap().positions;
        for (index, here) in positions.iter().enumerate() {
            for there in &positions[..index] {
                let distance = (here[0] - there[0]).hypot(here[1] - there[1]);
                deepest = deepest.max(1.0 - distance);
            }
        }
    }
    deepest
}

/// Two crowds that want to pass through each other, so that one body would come to the middle of another.
#[test]
fn nobody_is_in_the_middle_of_another() {
    let (colliding, free) = (deepest("collide = true\n"), deepest(""));
    println!("deepest overlap: {colliding} u where bodies collide, {free} u where not");
    assert!(free > 0.9, "{free}: nothing to be kept apart");
    assert!(colliding < 0.1, "{colliding}");
}
