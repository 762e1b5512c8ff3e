//! Ghosts: the path of an agent by a closed form, drawn together with the agent. Each belongs to a scene made for a law, whose target is
//! placed by where its agents start. The path follows from the present values: with another force it is another circle.

use super::meaning::Outline;
use super::tools::{projected, ring};
use glam::Vec3;
use steerling::model::State;
use steerling::render::View;
use steerling::scene::{Scene, SceneError};

/// Worlds with more agents have no ghost.
const MOST: u32 = 1000;
/// The origin of a law's scene, in place of a file name, begins with this; the behavior's name follows.
const ORIGIN: &str = "law of ";
/// If the start differs from what the law requires by more than this share, there is no ghost.
const CLOSE: f32 = 0.02;

/// A law with a closed form, of one behavior.
pub struct Ghost {
    behavior: &'static str,
    /// The scene file, with `POINT` in place of the target.
    text: &'static str,
    /// The target, given the place where the first agent starts, its heading, and its turning radius v²/a.
    target: fn(Vec3, Vec3, f32) -> Vec3,
    /// The expected path from the start, as lines; empty if the law does not cover these values.
    path: fn(&Start) -> Vec<Vec<Vec3>>,
}

/// What paths are computed from: start and values of the first agent, start and velocity of the second (`other`), and the target.
struct Start {
    at: Vec3,
    velocity: Vec3,
    other: Option<(Vec3, Vec3)>,
    speed: f32,
    force: f32,
    time_constant: f32,
    target: Option<Vec3>,
}

const GHOSTS: &[Ghost] = &[
    Ghost {
        behavior: "seek",
        text: r#"schema = 1
name = "law_of_seek"
shows = "Full acceleration toward a target circles it: who starts on the circle of radius v²/a, along it, stays there. The line is that circle, for the values of now; the law seek_orbit holds it to 2 %."
dt = 0.004
world = { size = [32, 18], boundary = "open" }
[[species]]
name = "seeker"
count = 1
max_speed = 10
max_force = 20
radius = 0.4
spawn = { extent = 0, speed = 10 }
behaviors.seek = { target = { point = POINT }, form = "acceleration" }
"#,
        target: |at, ahead, turn| at + ahead.cross(-Vec3::Z) * turn,
        path: |start| {
            let (Some(target), radius) = (start.target, start.turn()) else { return Vec::new() };
            let off = (start.at - target) / radius;
            let starts = (off.length() - 1.0).abs() < CLOSE && off.dot(start.ahead()).abs() < CLOSE;
            if starts { vec![circle(target, radius)] } else { Vec::new() }
        },
    },
    Ghost {
        behavior: "arrive",
        text: r#"schema = 1
dt = 0.0078125
name = "law_of_arrive"
shows = "With the square root ramp nobody flies beyond its target. Full braking begins at the larger ring, v²/2a + v τ before the target, and ends at the target, the smaller one; the law is arrive_square_root_stops."
world = { size = [160, 90], boundary = "open" }
[[species]]
name = "arriver"
count = 1
max_speed = 20
max_force = 20
time_constant = 0.1
radius = 1.6
spawn = { extent = 0, speed = 20 }
behaviors.arrive = { target = { point = POINT }, ramp = "square_root" }
"#,
        target: |at, ahead, _| at + ahead * 40.0,
        path: |start| {
            let Some(target) = start.target else { return Vec::new() };
            let (way, brakes) = (target - start.at, 0.5 * start.turn() + start.speed * start.time_constant);
            let straight = way.dot(start.ahead()) > (1.0 - CLOSE * CLOSE) * way.length() && way.length() > brakes;
            if !straight {
                return Vec::new();
            }
            vec![vec![start.at, target], circle(target - start.ahead() * brakes, 1.5), circle(target, 0.75)]
        },
    },
    Ghost {
        behavior: "pursuit",
        text: r#"schema = 1
name = "law_of_pursuit"
shows = "Who pursues by interception, and turns at once, meets a quarry on a straight course where the triangle of interception says: |D + u t| = v t. The lines are its sides, the ring is that place; the law is pursuit_crossing_time. Another seed is another triangle."
dt = 0.01
seed = 2
world = { size = [100, 56], boundary = "open" }
[[species]]
name = "pursuer"
count = 1
max_speed = 20
max_force = 5000
time_constant = 0.02
radius = 1
spawn = { extent = 0, speed = 20 }
color = '#e69f00'
behaviors.pursuit = { target = { agent = 1 }, prediction = "intercept" }
[[species]]
name = "quarry"
count = 1
max_speed = 8
radius = 1
color = '#56b4e9'
spawn = { extent = 0.6, speed = 8 }
"#,
        target: |at, _, _| at,
        path: |start| {
            let Some((at, velocity)) = start.other else { return Vec::new() };
            let (way, speed) = (at - start.at, start.speed);
            let (more, along) = (speed * speed - velocity.length_squared(), way.dot(velocity));
            let time = (along + (along * along + more * way.length_squared()).sqrt()) / more;
            if more <= 0.0 {
                return Vec::new();
            }
            let meets = at + velocity * time;
            vec![vec![at, meets], vec![start.at, meets], circle(meets, 2.0)]
        },
    },
];

/// A circle in the x-y plane, in which these laws are shown.
fn circle(center: Vec3, radius: f32) -> Vec<Vec3> {
    ring(center, Vec3::X * radius, Vec3::Y * radius)
}

impl Start {
    fn of(scene: &Scene, target: Option<Vec3>) -> Option<Start> {
        let (state, first) = (State::initial(scene), scene.species.first()?);
        let agent = |id: usize| Some((Vec3::from(*state.positions.get(id)?), Vec3::from(*state.velocities.get(id)?)));
        let ((at, velocity), other) = (agent(0)?, agent(1));
        let (speed, force, time_constant) = (first.max_speed, first.max_force / first.mass, first.time_constant);
        Some(Start { at, velocity, other, speed, force, time_constant, target })
    }

    fn ahead(&self) -> Vec3 {
        self.velocity.normalize_or(Vec3::X)
    }

    /// The radius of the tightest turn at full speed, v²/a.
    fn turn(&self) -> f32 {
        self.speed * self.speed / self.force
    }
}

/// The name that opens the scene of a behavior's law, if there is one.
pub fn scene_of(behavior: &str) -> Option<String> {
    GHOSTS.iter().any(|ghost| ghost.behavior == behavior).then(|| format!("{ORIGIN}{behavior}"))
}

/// The scene of a law, by the name that [`scene_of`] gives; `None` for any other name.
pub fn open(name: &str) -> Option<Result<Scene, SceneError>> {
    let ghost = named(name)?;
    let at =
        |point: Vec3| Scene::parse(&ghost.text.replace("POINT", &format!("[{}, {}]", point.x, point.y)), name, &[]);
    Some(at(Vec3::ZERO).and_then(|scene| match Start::of(&scene, None) {
        Some(start) => at((ghost.target)(start.at, start.ahead(), start.turn())),
        None => Ok(scene),
    }))
}

fn named(name: &str) -> Option<&'static Ghost> {
    let behavior = name.strip_prefix(ORIGIN)?;
    GHOSTS.iter().find(|ghost| ghost.behavior == behavior)
}

/// The expected path in a law's scene, as lines; empty for other scenes.
pub fn path(scene: &Scene) -> Vec<Vec<Vec3>> {
    let Some(ghost) = named(&scene.source.origin) else { return Vec::new() };
    // The path is computed in each frame, so large scenes are left out.
    if scene.agent_count() > MOST {
        return Vec::new();
    }
    let mut draft = scene.draft();
    let place = format!("species.0.behaviors.{}.target.point", ghost.behavior);
    let target = draft.vectors().into_iter().find(|(path, ..)| *path == place).map(|(.., target)| *target);
    Start::of(scene, target).map_or(Vec::new(), |start| (ghost.path)(&start))
}

/// The expected path, projected into a picture of this size, px.
pub fn outline(scene: &Scene, view: &View, size: (u32, u32)) -> Outline {
    path(scene).iter().filter_map(|line| projected(line, view, size)).collect()
}
