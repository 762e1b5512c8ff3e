//! Pictures by their numbers: where agents appear, which way they point, what is written and what is not.

mod afterglow;
mod agents;
mod camera;
mod colors;
mod command;
#[path = "../cli/place.rs"]
mod place;
mod record;
mod world;

use glam::{Vec2, Vec3};
use image::RgbaImage;
use steerling::gpu::{Options, Simulation};
use steerling::model::{BufferId, State};
use steerling::render::{Offscreen, Renderer, View};
use steerling::scene::{Body, ColorBy, LookName, Scene};
use support::{edited, gpu, parsed, preset};

const SIZE: (u32, u32) = (320, 180);

/// Agents without behaviors in a world of 320 by 180 u, or 320 by 180 by 320 u.
fn scene(agents: u32, radius: f32, spatial: bool) -> Scene {
    let size = if spatial { "[320, 180, 320]" } else { "[320, 180]" };
    let text = format!(
        "schema = 1\n[world]\nsize = {size}\nboundary = \"open\"\n[camera]\nyaw = 25\npitch = 20\n\
         [[species]]\ncount = {agents}\nradius = {radius}\ncolor = \"#ffffff\"\n"
    );
    parsed(&text, &[])
}

fn one(position: Vec3, velocity: Vec3) -> State {
    State {
        positions: vec![position.to_array()],
        velocities: vec![velocity.to_array()],
        frozen: vec![false],
        ..Default::default()
    }
}

fn draw(scene: &Scene, state: &State, size: (u32, u32)) -> RgbaImage {
    draw_with(&mut renderer(scene), size, scene, &started(scene, state))
}

/// A run from this state.
fn started(scene: &Scene, state: &State) -> Simulation {
    Simulation::new(&gpu(), scene, state, Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// A run from the start that the scene says.
fn start(scene: &Scene) -> Simulation {
    started(scene, &State::initial(scene))
}

/// The picture of a scene before its first step.
fn draw_start(scene: &Scene) -> RgbaImage {
    draw(scene, &State::initial(scene), SIZE)
}

fn draw_from(scene: &Scene, simulation: &Simulation, view: &View) -> RgbaImage {
    draw_sized(SIZE, scene, simulation, view)
}

fn draw_sized(size: (u32, u32), scene: &Scene, simulation: &Simulation, view: &View) -> RgbaImage {
    picture(&mut renderer(scene), size, simulation, view)
}

fn renderer(scene: &Scene) -> Renderer {
    Renderer::new(&gpu(), Offscreen::FORMAT, scene).unwrap()
}

/// What this renderer draws next.
fn picture(renderer: &mut Renderer, size: (u32, u32), simulation: &Simulation, view: &View) -> RgbaImage {
    let target = Offscreen::new(&gpu(), size).unwrap();
    let mut encoder = gpu().device.create_command_encoder(&Default::default());
    renderer.draw(&mut encoder, target.view(), size, simulation, view);
    gpu().queue.submit([encoder.finish()]);
    gpu().wait().unwrap();
    target.image().unwrap()
}

/// The same as the scene's own camera sees it.
fn draw_with(renderer: &mut Renderer, size: (u32, u32), scene: &Scene, simulation: &Simulation) -> RgbaImage {
    let mut view = View::from_scene(scene);
    if scene.camera.follow {
        follow(&mut view, simulation, size);
    }
    picture(renderer, size, simulation, &view)
}

/// Go all of the way to the agents.
fn follow(view: &mut View, simulation: &Simulation, size: (u32, u32)) {
    let [positions, ids] = [BufferId::Position, BufferId::Id].map(|buffer| simulation.words(buffer).unwrap());
    view.follow(&positions, &ids, 1.0, size);
}

/// What agents add to each pixel, from 0: the difference to the picture in which all agents are frozen.
fn light(scene: &Scene, state: &State, size: (u32, u32)) -> Vec<(Vec2, f32)> {
    light_by(&mut renderer(scene), scene, state, size)
}

/// The same by a renderer of the scene, which takes long to be made.
fn light_by(renderer: &mut Renderer, scene: &Scene, state: &State, size: (u32, u32)) -> Vec<(Vec2, f32)> {
    let frozen = State { frozen: vec![true; state.positions.len()], ..state.clone() };
    // First, because agents may have an afterglow.
    let mut simulation = started(scene, &frozen);
    let empty = draw_with(renderer, size, scene, &simulation);
    simulation.set_state(state).unwrap();
    let picture = draw_with(renderer, size, scene, &simulation);
    let sum = |p: &image::Rgba<u8>| p.0[..3].iter().map(|&c| f32::from(c)).sum::<f32>();
    let pixels = picture.enumerate_pixels().zip(empty.pixels());
    let differences = pixels.map(|((x, y, p), e)| (Vec2::new(x as f32 + 0.5, y as f32 + 0.5), (sum(p) - sum(e)).abs()));
    differences.filter(|(_, light)| *light > 0.0).collect()
}

fn centroid(lit: &[(Vec2, f32)]) -> Vec2 {
    assert!(!lit.is_empty(), "nothing is drawn");
    let total: f32 = lit.iter().map(|(_, light)| light).sum();
    lit.iter().map(|(at, light)| at * *light).sum::<Vec2>() / total
}

/// The picture after one step: what agents remember and the ground come from steps.
fn draw_after_a_step(text: &str) -> RgbaImage {
    let scene = parsed(text, &[]);
    let mut simulation = start(&scene);
    simulation.keep_accelerations(scene.look.color == ColorBy::Force);
    simulation.step(1).unwrap();
    draw_from(&scene, &simulation, &View::from_scene(&scene))
}

/// The amount of light of a channel of sRGB.
fn linear(channel: u8) -> f32 {
    let c = f32::from(channel) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Luminance of a pixel, from 0 to 1: what a projector's gray leaves of it.
fn luminance(pixel: &image::Rgba<u8>) -> f32 {
    0.2126 * linear(pixel.0[0]) + 0.7152 * linear(pixel.0[1]) + 0.0722 * linear(pixel.0[2])
}
