//! Pictures by their numbers: where agents appear, which way they point, what is written and what is not.

use assert_cmd::Command;
use glam::{Vec2, Vec3};
use image::RgbaImage;
use std::path::Path;
use std::sync::OnceLock;
use steerling::gpu::{AdapterChoice, Gpu, Options, Simulation};
use steerling::model::{BufferId, Pose, State, density_contrast};
use steerling::render::{CATEGORY, Offscreen, Renderer, SPEED, View};
use steerling::scene::{Body, Boundary, ColorBy, Draft, Facing, LookName, PRESETS, Scene};
use steerling::shaders::Sources;
use steerling::verify::Witness;

const SIZE: (u32, u32) = (320, 180);

/// The adapter; without one these tests fail.
fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::open(&AdapterChoice::Best).unwrap_or_else(|e| panic!("{e}")))
}

/// Agents without behaviors in a world of 320 by 180 u, or 320 by 180 by 320 u.
fn scene(agents: u32, radius: f32, spatial: bool) -> Scene {
    let size = if spatial { "[320, 180, 320]" } else { "[320, 180]" };
    let text = format!(
        "schema = 1\n[world]\nsize = {size}\nboundary = \"open\"\n[camera]\nyaw = 25\npitch = 20\n\
         [[species]]\ncount = {agents}\nradius = {radius}\ncolor = \"#ffffff\"\n"
    );
    Scene::parse(&text, "test.toml", &[]).unwrap_or_else(|e| panic!("{e}"))
}

fn open(name: &str, agents: u32) -> Scene {
    Scene::open(name, &[]).unwrap().with_agents(agents).unwrap()
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
    draw_on(Offscreen::new(gpu(), size).unwrap(), scene, state)
}

fn draw_from(scene: &Scene, simulation: &Simulation, view: &View) -> RgbaImage {
    draw_sized(SIZE, scene, simulation, view)
}

fn draw_sized(size: (u32, u32), scene: &Scene, simulation: &Simulation, view: &View) -> RgbaImage {
    let target = Offscreen::new(gpu(), size).unwrap();
    let mut renderer = Renderer::new(gpu(), Offscreen::FORMAT, scene).unwrap();
    let mut encoder = gpu().device.create_command_encoder(&Default::default());
    renderer.draw(&mut encoder, target.view(), size, simulation, view);
    gpu().queue.submit([encoder.finish()]);
    gpu().wait().unwrap();
    target.image().unwrap()
}

fn draw_on(target: Offscreen, scene: &Scene, state: &State) -> RgbaImage {
    let simulation = Simulation::new(gpu(), scene, state, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut renderer = Renderer::new(gpu(), Offscreen::FORMAT, scene).unwrap();
    draw_with(&mut renderer, target, scene, &simulation)
}

fn draw_with(renderer: &mut Renderer, target: Offscreen, scene: &Scene, simulation: &Simulation) -> RgbaImage {
    let mut encoder = gpu().device.create_command_encoder(&Default::default());
    let mut view = View::from_scene(scene);
    if scene.camera.follow {
        view.follow(&simulation.words(BufferId::Position).unwrap(), 1.0, target.size());
    }
    renderer.draw(&mut encoder, target.view(), target.size(), simulation, &view);
    gpu().queue.submit([encoder.finish()]);
    gpu().wait().unwrap();
    target.image().unwrap()
}

/// What agents add to each pixel, from 0: the difference to the picture in which all agents are frozen.
fn light(scene: &Scene, state: &State, size: (u32, u32)) -> Vec<(Vec2, f32)> {
    let picture = draw(scene, state, size);
    let frozen = State { frozen: vec![true; state.positions.len()], ..state.clone() };
    let empty = draw(scene, &frozen, size);
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

#[test]
fn every_preset_lights_pixels() {
    for preset in PRESETS {
        let scene = open(preset.name, 2000);
        let lit = light(&scene, &State::initial(&scene), SIZE);
        let share = lit.len() as f32 / (SIZE.0 * SIZE.1) as f32;
        assert!((0.02..0.95).contains(&share), "{}: {share} of the pixels", preset.name);
    }
}

#[test]
fn an_agent_appears_at_its_place_and_moves_with_it() {
    for (radius, spatial) in [(0.05, false), (0.7, false), (4.0, false), (0.2, true), (6.0, true)] {
        let scene = scene(1, radius, spatial);
        let view = View::from_scene(&scene);
        for at in [Vec3::ZERO, Vec3::new(-70.3, 41.8, 0.0), Vec3::new(30.1, -50.4, 60.0)] {
            let at = if spatial { at } else { at.with_z(0.0) };
            let found = centroid(&light(&scene, &one(at, Vec3::new(3.0, 2.0, 1.0)), SIZE));
            let expected = view.project(at, SIZE).unwrap();
            let back = view.project(view.unproject((expected.x, expected.y), SIZE), SIZE).unwrap();
            assert!((back - expected).length() < 0.05, "{expected} came back as {back}");
            let error = found.distance(expected);
            assert!(error <= 0.5, "radius {radius}, spatial {spatial}: {error} px off, {found} for {expected}");
            if !spatial {
                // One unit is one pixel here, and y points up.
                assert!(expected.distance(Vec2::new(160.0 + at.x, 90.0 - at.y)) < 1e-3, "{expected}");
            }
        }
    }
}

#[test]
fn nothing_is_drawn_of_agents_outside_of_the_picture_behind_the_camera_or_frozen() {
    let flat = scene(1, 2.0, false);
    assert!(light(&flat, &one(Vec3::new(170.0, 0.0, 0.0), Vec3::X), SIZE).is_empty());
    let deep = scene(1, 2.0, true);
    let behind = Vec3::new(25f32.to_radians().sin(), 20f32.to_radians().tan(), 25f32.to_radians().cos()) * 5000.0;
    assert_eq!(View::from_scene(&deep).project(behind, SIZE), None);
    assert!(light(&deep, &one(behind, Vec3::X), SIZE).is_empty());
    let mut frozen = one(Vec3::splat(f32::NAN), Vec3::X);
    frozen.frozen[0] = true;
    assert!(light(&flat, &frozen, SIZE).is_empty());
}

#[test]
fn triangles_point_along_the_velocity() {
    for spatial in [false, true] {
        let scene = scene(1, 20.0, spatial);
        let view = View::from_scene(&scene);
        for step in 0..12 {
            let angle = (30.0 * step as f32).to_radians();
            let z = if spatial { 0.4 } else { 0.0 };
            let velocity = Vec3::new(angle.cos(), angle.sin(), z) * 7.0;
            let center = view.project(Vec3::ZERO, SIZE).unwrap();
            let ahead = view.project(velocity * 0.01, SIZE).unwrap() - center;
            let lit = light(&scene, &one(Vec3::ZERO, velocity), SIZE);
            let far = |a: &&(Vec2, f32), b: &&(Vec2, f32)| a.0.distance(center).total_cmp(&b.0.distance(center));
            let tip = lit.iter().max_by(far).unwrap().0 - center;
            let off = tip.angle_to(ahead).to_degrees().abs();
            assert!(off < 8.0, "spatial {spatial}, {step}: the tip is at {tip}, {off} degrees off {ahead}");
        }
    }
}

/// Brightness over the background at a point of the world.
fn brightness(picture: &RgbaImage, scene: &Scene, at: Vec3) -> f32 {
    let at = View::from_scene(scene).project(at, SIZE).unwrap();
    let sum = |c: &[u8]| c.iter().map(|&c| f32::from(c)).sum::<f32>();
    let pixel = picture.get_pixel(at.x as u32, at.y as u32).0;
    sum(&pixel[..3]) - sum(&[0x0b, 0x0e, 0x15])
}

#[test]
fn scenery_appears_at_its_place() {
    let lines = "obstacles = [{ shape = \"sphere\", center = [-100, 20], radius = 30 }, \
                 { shape = \"box\", center = [100, 20], size = [60, 40] }, \
                 { shape = \"sphere\", center = [0, 40], radius = 30, seen_from = \"inside\" }, \
                 { shape = \"plane\", center = [0, -80], normal = [0, 3] }]\n\
                 paths = [{ points = [[-100, -40], [100, -40]], radius = 8 }]\n";
    let text = format!("schema = 1\nworld.size = [320, 180]\n{lines}[[species]]\ncount = 0\n");
    let scene = Scene::parse(&text, "test.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
    let picture = draw(&scene, &State::initial(&scene), SIZE);
    let at = |x: f32, y: f32| brightness(&picture, &scene, Vec3::new(x + 0.1, y + 0.1, 0.0));
    let (faces, edges, road) =
        ([(-100.0, 20.0), (-80.0, 20.0), (100.0, 20.0)], [(-70.0, 20.0), (130.0, 10.0)], (0.0, -34.0));
    assert!(faces.iter().all(|&(x, y)| at(x, y) > 60.0), "{:?}", faces.map(|(x, y)| at(x, y)));
    assert!(edges.iter().all(|&(x, y)| at(x, y) > 150.0), "{:?}", edges.map(|(x, y)| at(x, y)));
    assert!((20.0..90.0).contains(&at(road.0, road.1)), "{}", at(road.0, road.1));
    assert!(at(20.0, -40.0) > 100.0 && at(-80.0, -80.0) > 100.0, "{} {}", at(20.0, -40.0), at(-80.0, -80.0));
    // Nothing within what is seen from inside, beside the road, and beyond the box.
    for (x, y) in [(0.0, 40.0), (20.0, 40.0), (0.0, -55.0), (120.0, -40.0), (135.0, 20.0), (-100.0, 55.0)] {
        assert_eq!(at(x, y), 0.0, "{x} {y}");
    }
}

#[test]
fn a_ball_hides_who_is_behind_it_and_nobody_else() {
    let text = "schema = 1\nworld = { size = [320, 180, 320], boundary = \"open\" }\ncamera = { yaw = 0, pitch = 0 }\n\
                obstacles = [{ shape = \"sphere\", radius = 40 }]\n\
                [[species]]\ncount = 1\nradius = 4\ncolor = \"#ffffff\"\n";
    for (radius, shown) in [("4", [true, false, true]), ("0.2", [true, false, true])] {
        let text = text.replace("radius = 4\n", &format!("radius = {radius}\n"));
        let scene = Scene::parse(&text, "test.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
        for (at, shown) in [(0.0, 60.0), (0.0, -60.0), (90.0, -60.0)].into_iter().zip(shown) {
            let state = one(Vec3::new(at.0, 0.0, at.1), Vec3::X);
            assert_eq!(!light(&scene, &state, SIZE).is_empty(), shown, "radius {radius} at {at:?}");
        }
    }
}

#[test]
fn surfaces_and_all_kinds_of_obstacles_are_drawn_in_space() {
    let empty =
        Scene::parse("schema = 1\nworld.size = [90, 60, 90]\n[[species]]\ncount = 0\n", "test.toml", &[]).unwrap();
    let nothing = draw(&empty, &State::initial(&empty), SIZE);
    let differing = |lines: &str| {
        let text = format!("schema = 1\nworld.size = [90, 60, 90]\n{lines}\n[[species]]\ncount = 0\n");
        let scene = Scene::parse(&text, "test.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
        let picture = draw(&scene, &State::initial(&scene), SIZE);
        picture.pixels().zip(nothing.pixels()).filter(|(a, b)| a != b).count()
    };
    for (lines, most) in [
        ("surface = { shape = \"sphere\", radius = 25 }", 9000),
        ("surface = { shape = \"plane\", normal = [1, 2, 0] }", 25000),
        ("surface = { shape = \"height_field\", level = -20, hills = [{}] }", 25000),
        ("obstacles = [{ shape = \"sphere\", radius = 20, seen_from = \"both\" }]", 6000),
        ("obstacles = [{ shape = \"box\", size = [30, 20, 30] }]", 9000),
        ("obstacles = [{ shape = \"plane\", normal = [0, 1, 0] }]", 20000),
        ("paths = [{ points = [[-30, 0, 0], [0, 20, 9], [30, 0, 0]], closed = true }]", 3000),
    ] {
        let count = differing(lines);
        assert!((300..most).contains(&count), "{lines}: {count} pixels");
    }
}

/// An agent that remembers which way it faces is drawn that way, and in space it rolls.
#[test]
fn posed_agents_point_where_they_face_and_roll() {
    for spatial in [false, true] {
        let posed = scene(1, 20.0, spatial).edit(|draft| {
            draft.species[0].vehicle.facing = Facing::Independent;
            (draft.camera.yaw, draft.camera.pitch) = (0.0, 0.0);
            Ok(())
        });
        let scene = posed.unwrap();
        for step in 0..12 {
            let angle = (30.0 * step as f32 + 10.0).to_radians();
            let forward = Vec3::new(angle.cos(), angle.sin(), 0.0);
            let facing = |up: Vec3| {
                let pose = Pose { forward: forward.into(), up: up.into(), spin: [0.0; 3], bank: [0.0; 3] };
                // It moves sideways.
                State { poses: vec![pose], ..one(Vec3::ZERO, Vec3::new(-forward.y, forward.x, 0.0) * 9.0) }
            };
            let lit = light(&scene, &facing(Vec3::Z), SIZE);
            let center = View::from_scene(&scene).project(Vec3::ZERO, SIZE).unwrap();
            let far = |a: &&(Vec2, f32), b: &&(Vec2, f32)| a.0.distance(center).total_cmp(&b.0.distance(center));
            let tip = lit.iter().max_by(far).unwrap().0 - center;
            let off = tip.angle_to(Vec2::new(forward.x, -forward.y)).to_degrees().abs();
            assert!(off < 8.0, "spatial {spatial}, {step}: the tip is at {tip}, {off} degrees off {forward}");
            if spatial {
                // Seen from the edge it is thin.
                let edge = light(&scene, &facing(Vec3::new(-forward.y, forward.x, 0.0)), SIZE);
                let ratio = edge.len() as f32 / lit.len() as f32;
                assert!((0.2..0.6).contains(&ratio), "{} of {} pixels", edge.len(), lit.len());
            }
        }
    }
}

/// The picture after one step: what agents remember and the ground come from steps.
fn draw_after_a_step(text: &str) -> RgbaImage {
    let scene = Scene::parse(text, "test.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
    let target = Offscreen::new(gpu(), SIZE).unwrap();
    let mut simulation = Simulation::new(gpu(), &scene, &State::initial(&scene), Options::default()).unwrap();
    simulation.keep_accelerations(scene.look.color == ColorBy::Force);
    simulation.step(1).unwrap();
    let mut renderer = Renderer::new(gpu(), Offscreen::FORMAT, &scene).unwrap();
    let mut encoder = gpu().device.create_command_encoder(&Default::default());
    renderer.draw(&mut encoder, target.view(), target.size(), &simulation, &View::from_scene(&scene));
    gpu().queue.submit([encoder.finish()]);
    gpu().wait().unwrap();
    target.image().unwrap()
}

/// Agents colored by what they decided look as if they had the color of that category.
#[test]
fn decisions_show_as_colors() {
    let picture = |color: &str, rest: &str| {
        draw_after_a_step(&format!(
            "schema = 1\nworld = {{ size = [320, 180], boundary = \"open\" }}\n\
             [[species]]\ncount = 30\nradius = 6\ncolor = \"{color}\"\n{rest}\n"
        ))
    };
    let hex = |category: usize| {
        let [r, g, b] = CATEGORY[category];
        format!("#{r:02x}{g:02x}{b:02x}")
    };
    // Nothing is perceived, so what goes first has nothing to say.
    let silent = "behaviors.cohesion = { priority = 0, perception_radius = 1e-3 }";
    for priority in [2, 5] {
        let rest = format!("combine = \"priority\"\n{silent}\nbehaviors.seek = {{ priority = {priority} }}");
        assert!(picture("winner", &rest) == picture(&hex(priority), &rest), "priority {priority} won");
        assert!(picture("winner", &rest) != picture(&hex(priority + 1), &rest), "priority {}", priority + 1);
    }
    let rest = "states = [\"a\", \"b\", \"c\"]\nrules = [{ from = \"a\", to = \"c\", when = \"after\", than = 0 }]\n\
                behaviors.seek = {}";
    assert!(picture("state", rest) == picture(&hex(2), rest), "the third state");
    assert!(picture("state", rest) != picture(&hex(0), rest), "the first state");
    // Who decides nothing has the first color.
    assert!(picture("winner", "") == picture(&hex(0), ""), "no priorities");
}

/// Where the look says what colors tell, the two ends of each scale are the first and the last of its colors.
#[test]
fn looks_color_by_what_steps_leave_behind() {
    let hex = |color: [u8; 3]| format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]);
    let (first, last) = (hex(SPEED[0]), hex(SPEED[7]));
    let picture = |color: &str, by: &str, agents: u32, rest: &str| {
        draw_after_a_step(&format!(
            "schema = 1\nlook.color = \"{by}\"\nworld = {{ size = [320, 180], boundary = \"open\" }}\n\
             [[species]]\ncount = {agents}\nradius = 6\ncolor = \"{color}\"\n{rest}\n"
        ))
    };
    let all_see = "behaviors.cohesion = { perception_radius = 400, field_of_view = 360, weight = 1e-6 }";
    let near = "behaviors.cohesion = { perception_radius = 10, field_of_view = 360, weight = 1e-6 }\n\
                spawn = { extent = 0.005 }";
    let hurried = "behaviors.seek = { weight = 1e3, target = { point = [150, 80] } }";
    for (by, few, low, many, high) in
        [("neighbors", 1, all_see, 256, all_see), ("density", 1, near, 2_000, near), ("force", 30, "", 30, hurried)]
    {
        assert!(picture("#ff00ff", by, few, low) == picture(&first, "own", few, low), "{by}, least");
        assert!(picture("#ff00ff", by, many, high) == picture(&last, "own", many, high), "{by}, most");
        assert!(picture("#ff00ff", by, many, high) != picture(&first, "own", many, high), "{by}: the colors differ");
    }
    // The speed is shown between the least and the greatest.
    let by_speed = |by: &str, color: &str, speed: f32| {
        let species = ["species.0.max_speed=5".to_owned(), "species.0.min_speed=1".to_owned()];
        let keys = [format!("look.color={by}"), format!("species.0.color={color}")].into_iter().chain(species);
        let keys: Vec<_> = keys.map(|key| key.parse().unwrap()).collect();
        let scene = Scene::parse(&scene(1, 6.0, false).source.text, "test.toml", &keys).unwrap();
        draw(&scene, &one(Vec3::ZERO, Vec3::X * speed), SIZE)
    };
    assert!(by_speed("speed", "#ff00ff", 5.0) == by_speed("own", &last, 5.0), "full speed");
    assert!(by_speed("speed", "#ff00ff", 1.0) == by_speed("own", &first, 1.0), "least speed");
    assert!(by_speed("speed", "#ff00ff", 5.0) != by_speed("own", &first, 5.0));
    // Half of the way is neither.
    let some = "behaviors.cohesion = { perception_radius = 40, field_of_view = 360, weight = 1e-6 }";
    let half = picture("#ff00ff", "neighbors", 16, some);
    assert!(half != picture(&first, "own", 16, some) && half != picture(&last, "own", 16, some));
    // Who is before the world's sphere is near, who is behind it far.
    let spatial = scene(1, 6.0, true);
    let by_depth = |by: &str, color: &str, along: f32| {
        let keys = [
            format!("look.color={by}"),
            format!("species.0.color={color}"),
            "camera.yaw=0".to_owned(),
            "camera.pitch=0".to_owned(),
        ];
        let keys: Vec<_> = keys.iter().map(|key| key.parse().unwrap()).collect();
        let scene = Scene::parse(&spatial.source.text, "test.toml", &keys).unwrap();
        draw(&scene, &one(Vec3::new(0.0, 0.0, along), Vec3::X), SIZE)
    };
    for (along, color) in [(260.0, &last), (-260.0, &first)] {
        assert!(by_depth("depth", "#ff00ff", along) == by_depth("own", color, along), "{along}");
    }
    assert!(by_depth("depth", "#ff00ff", 260.0) != by_depth("own", &first, 260.0));
}

/// A thousand birds from afar are seen one by one, and a crowd is no larger than it is.
#[test]
fn few_agents_are_drawn_large_enough_to_be_seen() {
    let size = (1280, 720);
    let dark = |agents: u32| {
        let scene = open("murmuration", agents);
        let lit = light(&scene, &State::initial(&scene), size);
        let strong = lit.iter().filter(|(_, difference)| *difference > 90.0).count();
        strong as f32 / agents as f32
    };
    let (few, many) = (dark(1_000), dark(30_000));
    assert!(few > 10.0, "{few} dark pixels for each of a thousand");
    assert!(many < 6.0, "{many} for each of thirty thousand");
}

/// Cells with a resource are green; where explorers are, the ground is lighter.
#[test]
fn the_ground_shows_what_is_left_and_where_explorers_were() {
    let picture = |ground: &str, behavior: &str| {
        draw_after_a_step(&format!(
            "schema = 1\nworld = {{ size = [320, 180] }}\n[ground]\nresolution = 32\n{ground}\n\
             [[species]]\ncount = 1\nradius = 1\n{behavior}\n"
        ))
    };
    let lit = |picture: &RgbaImage, other: &RgbaImage| {
        let greener = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| a.0[1] > b.0[1] + 20;
        picture.pixels().zip(other.pixels()).filter(greener).count()
    };
    let empty = picture("", "behaviors.forage = {}");
    let patches = picture("patches = 3\npatch_radius = 20", "behaviors.forage = {}");
    // Three discs of 20 u, a pixel per u; one may lie half on another.
    let green = lit(&patches, &empty);
    assert!((1500..4500).contains(&green), "{green} pixels are green");
    assert_eq!(lit(&empty, &empty), 0);
    // One cell of 10 u was visited.
    let explored = picture("", "behaviors.explore = {}");
    let differs = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| a != b;
    let visited = explored.pixels().zip(empty.pixels()).filter(differs).count();
    assert!((70..400).contains(&visited), "{visited} pixels");
}

#[test]
fn equal_states_give_equal_bytes_and_one_agent_makes_a_difference() {
    for name in ["flock", "murmuration"] {
        let scene = open(name, 2000);
        let mut state = State::initial(&scene);
        let picture = draw(&scene, &state, SIZE);
        assert_eq!(picture, draw(&scene, &state, SIZE), "{name}");
        state.positions[1234] = [1.0, 2.0, 0.0];
        assert_ne!(picture, draw(&scene, &state, SIZE), "{name}");
    }
}

/// Pictures of a state and of the same state after a step in which nobody moves: then agents are stored by cells.
fn stored_by_id_and_by_cell(scene: &Scene, state: &State) -> [RgbaImage; 2] {
    let mut simulation = Simulation::new(gpu(), scene, state, Options::default()).unwrap();
    let mut renderer = Renderer::new(gpu(), Offscreen::FORMAT, scene).unwrap();
    let view = View::from_scene(scene);
    [0, 1].map(|steps| {
        simulation.step(steps).unwrap();
        let target = Offscreen::new(gpu(), SIZE).unwrap();
        let mut encoder = gpu().device.create_command_encoder(&Default::default());
        renderer.draw(&mut encoder, target.view(), SIZE, &simulation, &view);
        gpu().queue.submit([encoder.finish()]);
        let ids = simulation.words(BufferId::Id).unwrap();
        assert_eq!(ids.is_sorted(), steps == 0, "a step sorts by cells");
        target.image().unwrap()
    })
}

/// What is drawn is that of a state, whatever the order in which agents are stored: sums of cover are of whole numbers, and who is
/// large is sorted by depth, or on a plane by id.
#[test]
fn the_order_of_storage_does_not_show() {
    for (radius, spatial) in [(0.3, false), (4.0, false), (0.3, true), (6.0, true)] {
        let scene = scene(3000, radius, spatial).edit(|draft| {
            draft.species[0].color = steerling::scene::Color::Heading;
            Ok(())
        });
        let scene = scene.unwrap();
        let mut state = State::initial(&scene);
        for (id, velocity) in state.velocities.iter_mut().enumerate() {
            // So slow that nobody's place changes in a step, and of all headings.
            *velocity = [1e-9 * (id as f32).cos(), 1e-9 * (id as f32).sin(), 0.0];
        }
        let [by_id, by_cell] = stored_by_id_and_by_cell(&scene, &state);
        let differ = by_id.pixels().zip(by_cell.pixels()).filter(|(a, b)| a != b).count();
        assert_eq!(differ, 0, "radius {radius}, spatial {spatial}: {differ} pixels differ");
        state.velocities.swap(0, 1500);
        assert_ne!(by_id, draw(&scene, &state, SIZE), "radius {radius}, spatial {spatial}");
    }
}

/// The list of those drawn one by one has all of them and nobody else: of several blocks, some empty, with holes, to the last.
#[test]
fn all_who_are_large_enough_are_drawn() {
    const AGENTS: usize = 1500;
    let scene = scene(AGENTS as u32, 4.0, false);
    let place = |id: usize| Vec3::new((id % 50) as f32 * 6.0 - 147.0, (id / 50) as f32 * 5.9 - 85.5, 0.0);
    // Blocks 1 and 2 are empty, one in seven of the others is frozen, and every eleventh is elsewhere.
    let frozen = |id: usize| (256..768).contains(&id) || id % 7 == 3;
    let away = |id: usize| if id % 11 == 5 { Vec3::X * 1e4 } else { Vec3::ZERO };
    let state = State {
        positions: (0..AGENTS).map(|id| (place(id) + away(id)).to_array()).collect(),
        velocities: vec![[1.0, 0.0, 0.0]; AGENTS],
        frozen: (0..AGENTS).map(frozen).collect(),
        ..Default::default()
    };
    let size = (1280, 720);
    let picture = draw(&scene, &state, size);
    let empty = draw(&scene, &State { frozen: vec![true; AGENTS], ..state.clone() }, size);
    let view = View::from_scene(&scene);
    let mut seen = 0;
    for id in 0..AGENTS {
        let pixel = view.project(place(id), size).unwrap();
        let pixel = (pixel.x as u32, pixel.y as u32);
        let lit = picture.get_pixel(pixel.0, pixel.1) != empty.get_pixel(pixel.0, pixel.1);
        assert_eq!(lit, !frozen(id) && id % 11 != 5, "agent {id} at {pixel:?}");
        seen += usize::from(lit);
    }
    assert!(seen > 700, "{seen}");
}

const LOOKS: [LookName; 5] = [LookName::Night, LookName::Dusk, LookName::Day, LookName::Ink, LookName::Deep];

/// Luminance of a pixel, from 0 to 1: what a projector's gray leaves of it.
fn luminance(pixel: &image::Rgba<u8>) -> f32 {
    let linear = |c: u8| {
        let c = f32::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(pixel.0[0]) + 0.7152 * linear(pixel.0[1]) + 0.0722 * linear(pixel.0[2])
}

/// The contrast of two luminances as WCAG has it: 1 for equal ones, 21 between black and white.
fn contrast(a: f32, b: f32) -> f32 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The least contrast between agents of a color and the sky behind them, from the top of the picture to its bottom and for
/// all headings.
fn least_contrast(look: LookName, color: &str) -> f32 {
    let plain = scene(96, 6.0, false);
    let text = format!("species.0.color={color}");
    let color = text.parse().unwrap();
    let drawn = Scene::parse(&plain.source.text, "test.toml", &[color]).unwrap();
    let drawn = drawn.edit(|draft| {
        draft.look.name = look;
        Ok(())
    });
    let drawn = drawn.unwrap();
    let place = |id: usize| Vec3::new((id % 12) as f32 * 26.0 - 143.0, (id / 12) as f32 * 22.0 - 77.0, 0.0);
    let heading = |id: usize| Vec2::from_angle((id % 12) as f32 * std::f32::consts::TAU / 12.0).extend(0.0);
    let state = State {
        positions: (0..96).map(|id| place(id).to_array()).collect(),
        velocities: (0..96).map(|id| (heading(id) * 9.0).to_array()).collect(),
        frozen: vec![false; 96],
        ..Default::default()
    };
    let picture = draw(&drawn, &state, SIZE);
    let empty = draw(&drawn, &State { frozen: vec![true; 96], ..state.clone() }, SIZE);
    let view = View::from_scene(&drawn);
    let at = |id: usize| {
        let pixel = view.project(place(id), SIZE).unwrap();
        let pixel = (pixel.x as u32, pixel.y as u32);
        contrast(luminance(picture.get_pixel(pixel.0, pixel.1)), luminance(empty.get_pixel(pixel.0, pixel.1)))
    };
    (0..96).map(at).fold(f32::INFINITY, f32::min)
}

/// In every look agents can be told from the sky wherever they are, in gray as well.
#[test]
fn every_look_is_legible() {
    for look in LOOKS {
        let (ink, heading) = (least_contrast(look, "ink"), least_contrast(look, "heading"));
        println!("{look:?}: ink {ink:.2}, headings {heading:.2}");
        assert!(ink > 1.9, "{look:?}: ink stands out by {ink}");
        assert!(heading > 1.3, "{look:?}: the headings stand out by {heading}");
    }
    // Agents in the color of the night do not.
    let lost = least_contrast(LookName::Night, "#0b0e15");
    assert!(lost < 1.1, "the color of the night stands out by {lost}");
}

/// Many small agents: what they cover grows with their number and stays below all, in a look of light and in one of ink.
/// What a scene's pictures have is known when pipelines are made: another look, colors of another kind and other bodies make
/// them anew.
#[test]
fn a_renderer_takes_over_what_changes() {
    let mut scene = open("murmuration", 300);
    let state = State::initial(&scene);
    let simulation = Simulation::new(gpu(), &scene, &state, Options::default()).unwrap();
    let mut renderer = Renderer::new(gpu(), Offscreen::FORMAT, &scene).unwrap();
    let mut before = draw_with(&mut renderer, Offscreen::new(gpu(), SIZE).unwrap(), &scene, &simulation);
    let changes: [fn(&mut Draft); 5] = [
        |draft| draft.look.name = LookName::Night,
        |draft| draft.look.color = ColorBy::Depth,
        |draft| draft.look.color = ColorBy::Heading,
        |draft| draft.species.iter_mut().for_each(|species| species.body = Body::Arrow),
        |draft| draft.look.name = LookName::Ink,
    ];
    for change in changes {
        let mut draft = scene.draft();
        change(&mut draft);
        scene = draft.validate().unwrap();
        renderer.set_scene(&scene).unwrap();
        let taken_over = draw_with(&mut renderer, Offscreen::new(gpu(), SIZE).unwrap(), &scene, &simulation);
        assert!(taken_over == draw(&scene, &state, SIZE), "{:?}", scene.look);
        assert!(taken_over != before, "{:?} changes nothing", scene.look);
        before = taken_over;
    }
}

/// Errors are those of the shader that is wrong: who is alone has none in cohesion, and who leaves the shaders as they are has none
/// at all. The picture shows whose.
#[test]
fn errors_show_where_a_wrong_shader_acts() {
    let text = "schema = 1\nseed = 5\nlook = { color = \"error\" }\nworld = { size = [133.3, 75] }\n[[species]]\ncount = 400\n\
                radius = 0.6\nbehaviors.cohesion = { perception_radius = 3 }\nbehaviors.wander = {}";
    let scene = Scene::parse(text, "test.toml", &[]).unwrap();
    let (mut wrong, path) = (Sources::default(), "behaviors/cohesion.wgsl");
    let cohesion = wrong.text(path).unwrap().replace("sum.offset / f32(sum.count)", "sum.offset / f32(sum.count + 1u)");
    wrong.replace(path, path, cohesion);
    let mut renderer = Renderer::new(gpu(), Offscreen::FORMAT, &scene).unwrap();
    let mut pictures = Vec::new();
    for (shaders, broken) in [(Sources::default(), false), (wrong, true)] {
        let options = Options { shaders, ..Options::default() };
        let mut simulation = Simulation::new(gpu(), &scene, &State::initial(&scene), options).unwrap();
        let mut witness = Witness::default();
        for step in 1..4 {
            let errors = witness.step(&mut simulation).unwrap();
            assert_eq!((simulation.steps(), errors.len()), (step, 400));
            let (slots, neighbors) =
                (simulation.words(BufferId::Id).unwrap(), simulation.words(BufferId::Neighbors).unwrap());
            let of = |(slot, id): (usize, &u32)| (errors[*id as usize], neighbors[slot]);
            let agents: Vec<(f32, u32)> = slots.iter().enumerate().map(of).collect();
            assert!(agents.iter().all(|(error, near)| *near > 0 || *error == 0.0), "who is alone is off");
            let (off, alone) =
                (agents.iter().filter(|a| a.0 > 0.0).count(), agents.iter().filter(|a| a.1 == 0).count());
            assert_eq!(off > 100, broken, "{off} agents are off");
            assert!((50..350).contains(&alone), "{alone} agents are alone");
            renderer.set_errors(Some(&errors));
        }
        pictures.push(draw_with(&mut renderer, Offscreen::new(gpu(), SIZE).unwrap(), &scene, &simulation));
        renderer.set_errors(None);
        pictures.push(draw_with(&mut renderer, Offscreen::new(gpu(), SIZE).unwrap(), &scene, &simulation));
    }
    assert!(pictures[0] == pictures[1], "no error looks as where none is known");
    assert!(pictures[2] != pictures[3]);
    let bright = |picture: &RgbaImage| picture.pixels().filter(|p| p.0[0] > 0x60).count();
    assert!(bright(&pictures[2]) > 20 && bright(&pictures[3]) == 0, "errors have the upper colors");
}

#[test]
fn density_shows_as_light_or_as_darkness() {
    for look in LOOKS {
        let shown = |agents: u32| {
            let scene = scene(40_000, 0.1, true).edit(|draft| {
                draft.look.name = look;
                Ok(())
            });
            let scene = scene.unwrap();
            let mut state = State::initial(&scene);
            for (id, position) in state.positions.iter_mut().enumerate() {
                *position = position.map(|x| x * if id < agents as usize { 0.2 } else { 1e4 });
            }
            let sum: f32 = light(&scene, &state, SIZE).iter().map(|(_, light)| light).sum();
            sum
        };
        let [thin, medium, thick] = [500, 2000, 8000].map(shown);
        assert!(thin > 0.0 && medium > 1.5 * thin && thick > 1.5 * medium, "{look:?}: {thin} {medium} {thick}");
    }
}

/// Birds and fish are drawn where they are; their wings beat, and from above a bird that rolls shows another area.
#[test]
fn bodies_have_shapes_of_their_own() {
    for body in [Body::Bird, Body::Fish] {
        let lit = |up: Vec3| {
            let scene = scene(1, 20.0, true).edit(|draft| {
                draft.species[0].body = body;
                draft.species[0].vehicle.facing = Facing::Independent;
                (draft.camera.yaw, draft.camera.pitch) = (0.0, 0.0);
                Ok(())
            });
            let pose = Pose { forward: [1.0, 0.0, 0.0], up: up.into(), spin: [0.0; 3], bank: [0.0; 3] };
            light(&scene.unwrap(), &State { poses: vec![pose], ..one(Vec3::ZERO, Vec3::X) }, SIZE)
        };
        let (level, rolled) = (lit(Vec3::Y), lit(Vec3::Z));
        assert!(centroid(&level).distance(Vec2::new(160.0, 90.0)) < 8.0, "{body:?}: {}", centroid(&level));
        let (level, rolled) = (level.len() as f32, rolled.len() as f32);
        // From the edge, level wings are a line.
        assert!(
            level.min(rolled) > 4.0 && level.max(rolled) > 50.0 && (level / rolled - 1.0).abs() > 0.2,
            "{body:?}: {level} and {rolled} pixels"
        );
    }
}

/// An arrow is what is drawn where a scene says nothing, and no bird.
#[test]
fn an_arrow_is_drawn_of_who_has_no_other_body() {
    let state = one(Vec3::ZERO, Vec3::X);
    let drawn = |body: Option<Body>| {
        let scene = scene(1, 20.0, false).edit(|draft| {
            draft.species[0].body = body.unwrap_or(draft.species[0].body);
            Ok(())
        });
        draw(&scene.unwrap(), &state, SIZE)
    };
    assert_eq!(drawn(None), drawn(Some(Body::Arrow)));
    assert_ne!(drawn(None), drawn(Some(Body::Bird)));
}

/// A camera goes around as fast as its scene says, in space.
#[test]
fn a_camera_that_turns_goes_around() {
    for spatial in [true, false] {
        let turning = scene(1, 20.0, spatial).edit(|draft| {
            draft.camera.turn = 12.0;
            Ok(())
        });
        let turning = turning.unwrap();
        let mut view = View::from_scene(&turning);
        let (yaw, at) = (view.yaw, view.project(Vec3::X, SIZE).unwrap());
        view.turn_with(&turning.camera, 2.5);
        assert_eq!(view.yaw - yaw, if spatial { 30.0 } else { 0.0 });
        assert_eq!(view.project(Vec3::X, SIZE).unwrap() != at, spatial);
    }
}

/// A camera that follows has the agents in the middle and 95 % of them within two thirds of the height.
#[test]
fn a_camera_that_follows_frames_the_agents() {
    let scene = open("murmuration", 2000);
    assert!(scene.camera.follow);
    let simulation = Simulation::new(gpu(), &scene, &State::initial(&scene), Options::default()).unwrap();
    let mut view = View::from_scene(&scene);
    view.zoom = 1.0;
    let whole = view.pixels_per_unit(SIZE);
    view.follow(&simulation.words(BufferId::Position).unwrap(), 0.1, SIZE);
    assert!(view.pixels_per_unit(SIZE) > 2.0 * whole, "the first time all of the way");
    let state = simulation.state().unwrap();
    let middle = Vec2::new(160.0, 90.0);
    let shown = state.positions.iter().map(|p| {
        let offset = view.project(Vec3::from_array(*p), SIZE).unwrap() - middle;
        Vec2::new(0.65 * offset.x, offset.y).length()
    });
    let within = shown.filter(|distance| *distance < 0.75 * 90.0).count();
    assert!(within > 1850, "{within} of 2000 are near the middle");
    // Later only a share of the way.
    let center = view.center;
    let moved: Vec<u32> = state.positions.iter().flatten().map(|x| (x + 10.0).to_bits()).collect();
    view.follow(&moved, 0.1, SIZE);
    let way = view.center - center;
    assert!((way - Vec3::ONE).length() < 0.05, "{way}");
    // A plane stays as it is.
    let flat = open("flock", 500);
    let mut view = View::from_scene(&flat);
    view.follow(&moved, 1.0, SIZE);
    assert_eq!(view, View::from_scene(&flat));
}

/// Beside a panel a picture is hardly wider than high, and a flock that lies flat is seen from end to end all the same.
#[test]
fn a_camera_that_follows_sees_both_ends() {
    let scene = open("murmuration", 2000);
    let simulation = Simulation::new(gpu(), &scene, &State::initial(&scene), Options::default()).unwrap();
    let (positions, state) = (simulation.words(BufferId::Position).unwrap(), simulation.state().unwrap());
    for size in [SIZE, (210, 180), (180, 180), (120, 240)] {
        let mut view = View::from_scene(&scene);
        view.follow(&positions, 1.0, size);
        let half = Vec2::new(size.0 as f32, size.1 as f32) * 0.5;
        let shown = state.positions.iter().map(|p| (view.project(Vec3::from_array(*p), size).unwrap() - half) / half);
        let within = shown.filter(|at| at.x.abs() < 0.65 && at.y.abs() < 0.75).count();
        assert!(within > 1850, "{size:?}: {within} of 2000 are near the middle");
    }
}

/// Most of a flock may be at its far end, where it looks small: both ends are as far from the middle of the picture all the same, also
/// with some that fell behind.
#[test]
fn a_camera_that_follows_has_as_much_room_on_either_side() {
    let scene = open("murmuration", 1000);
    let view = View::from_scene(&scene);
    let (yaw, ahead) = (view.yaw.to_radians(), 80.0);
    // Along the line of sight and across it, so that the near end is on the right.
    let across = Vec3::new(yaw.cos(), 0.0, -yaw.sin());
    let toward = Vec3::new(yaw.sin(), 0.0, yaw.cos());
    let places = (0..1000).map(|id| {
        let share = (id as f32 / 999.0).powi(3);
        let stray = if id % 200 == 0 { Vec3::Y * -60.0 } else { Vec3::ZERO };
        Vec3::new(7.0, 8.0, 9.0) + (across + toward) * share * ahead + Vec3::Y * (id % 7) as f32 + stray
    });
    let positions: Vec<u32> = places.clone().flat_map(|at| at.to_array()).map(f32::to_bits).collect();
    for size in [SIZE, (210, 180), (180, 180), (120, 240)] {
        let mut view = view;
        view.follow(&positions, 1.0, size);
        let half = Vec2::new(size.0 as f32, size.1 as f32) * 0.5;
        let mut shown: Vec<f32> =
            places.clone().map(|at| (view.project(at, size).unwrap() - half).x / half.x).collect();
        shown.sort_by(f32::total_cmp);
        let (left, right) = (-shown[10], shown[990]);
        assert!(
            (left - right).abs() < 0.08 && left > 0.2 && right < 0.8,
            "{size:?}: {left} to the left, {right} to the right"
        );
    }
}

/// A camera among the agents sees the nearest as they are, and fades only those further away.
#[test]
fn who_is_chased_is_not_pale() {
    let scene = scene(1, 1.0, true);
    let state = one(Vec3::ZERO, Vec3::X);
    let simulation = Simulation::new(gpu(), &scene, &state, Options::default()).unwrap();
    let mut view = View::from_scene(&scene);
    view.chase(Vec3::ZERO, Vec3::X, 1.0, false, 1.0);
    let brightest = draw_from(&scene, &simulation, &view).pixels().map(luminance).fold(0.0, f32::max);
    assert!(brightest > 0.8, "of a white agent {brightest} is left");
}

/// Who looks straight down sees no land at the lower end of the sky.
#[test]
fn from_above_there_is_no_horizon() {
    let scene = open("murmuration", 300);
    let simulation = Simulation::new(gpu(), &scene, &State::initial(&scene), Options::default()).unwrap();
    let lowest = |pitch: f32| {
        let mut view = View::from_scene(&scene);
        view.from_above(pitch);
        luminance(draw_from(&scene, &simulation, &view).get_pixel(SIZE.0 / 2, SIZE.1 - 1))
    };
    let (above, side) = (lowest(89.0), lowest(0.0));
    assert!(above > 0.2 && side < 0.02, "{above} from above, {side} from the side");
}

/// A picture that is wider than a wrapped world shows its copies; one of a world with walls ends there.
/// Birds too small to be seen one by one are a cloud that hides much of a bright sky, however many they are.
#[test]
fn a_cloud_of_many_is_dark() {
    for (agents, look) in [(20_000, LookName::Dusk), (200_000, LookName::Ink), (20_000, LookName::Day)] {
        let scene = open("murmuration", agents).edit(|draft| {
            draft.look.name = look;
            Ok(())
        });
        let scene = scene.unwrap();
        let all = State::initial(&scene);
        let simulation = Simulation::new(gpu(), &scene, &all, Options::default()).unwrap();
        let mut view = View::from_scene(&scene);
        view.follow(&simulation.words(BufferId::Position).unwrap(), 1.0, SIZE);
        let middle = |state: &State| {
            let simulation = Simulation::new(gpu(), &scene, state, Options::default()).unwrap();
            let picture = draw_from(&scene, &simulation, &view);
            let (x, y) = (SIZE.0 / 2, SIZE.1 / 2);
            let near = (x - 4..x + 4).flat_map(|x| (y - 2..y + 2).map(move |y| (x, y)));
            near.map(|(x, y)| luminance(picture.get_pixel(x, y))).sum::<f32>() / 32.0
        };
        let some = |one_in: usize| State {
            frozen: (0..all.positions.len()).map(|id| id % one_in != 0).collect(),
            ..all.clone()
        };
        let (empty, full, few) = (middle(&some(usize::MAX)), middle(&all), middle(&some(20)));
        println!("{look:?}, {agents}: {empty} without birds, {few} with few, {full} with all");
        assert!(full < 0.6 * empty, "{look:?}: {full} of {empty}");
        assert!(few > 0.85 * empty, "{look:?}: {few} of {empty}");
    }
}

#[test]
fn wrapped_planes_are_drawn_with_their_copies() {
    let scene = |boundary| {
        let scene = scene(1, 4.0, false).edit(|draft| {
            draft.world.boundary = [boundary, boundary, Boundary::Open];
            Ok(())
        });
        scene.unwrap()
    };
    let state = one(Vec3::new(30.0, 20.0, 0.0), Vec3::X);
    let wide = (960, 180);
    let [wrapped, contained] =
        [Boundary::Wrap, Boundary::Contain].map(|boundary| light(&scene(boundary), &state, wide));
    // One unit is one pixel, and the world is 320 wide: its copies lie at 190 - 160 and so on.
    let near = |lit: &[(Vec2, f32)], x: f32| lit.iter().filter(|(at, _)| (at.x - x).abs() < 16.0).count();
    let found = [190.0, 510.0, 830.0].map(|x| near(&wrapped, x));
    assert!(found[1] > 20 && found[0] == found[1] && found[2] == found[1], "{found:?}");
    assert_eq!([190.0, 510.0, 830.0].map(|x| near(&contained, x).min(1)), [0, 1, 0]);

    // The world itself is seen clearly, its copies are faint; and the world is the one that the camera is over.
    let brightness = |center: f32| {
        let scene = scene(Boundary::Wrap);
        let mut view = View::from_scene(&scene);
        view.center.x = center;
        let simulation = Simulation::new(gpu(), &scene, &state, Options::default()).unwrap();
        let picture = draw_sized(wide, &scene, &simulation, &view);
        [190.0, 510.0, 830.0].map(|x| luminance(picture.get_pixel((x - center) as u32, 70)))
    };
    let [left, middle, right] = brightness(0.0);
    assert!(left > 0.0 && left == right && left < 0.5 * middle, "{left} {middle} {right}");
    // The camera is over the copy on the right.
    let [_, middle, right] = brightness(170.0);
    assert!(middle < 0.5 * right, "{middle} {right}");
}

#[test]
fn an_empty_world_is_drawn() {
    let scene = scene(0, 1.0, false);
    let picture = draw(&scene, &State::initial(&scene), SIZE);
    assert_eq!(picture.get_pixel(160, 90).0, [0x0b, 0x0e, 0x15, 255]);
}

#[test]
fn a_picture_of_several_tiles_has_no_seams_of_place() {
    let scene = scene(1, 0.5, false);
    // 32 px of height show 180 u; the tiles are 4096 px wide.
    let size = (8192, 32);
    for x in [-3000.0, 0.0, 9000.0] {
        let at = Vec3::new(x, 11.0, 0.0);
        let found = centroid(&light(&scene, &one(at, Vec3::X), size));
        let expected = View::from_scene(&scene).project(at, size).unwrap();
        assert!(found.distance(expected) <= 0.5, "{found} for {expected}");
    }
}

#[test]
fn dense_crowds_of_tiny_agents_are_brighter() {
    let brightness = |agents: u32| {
        // The same crowd in the middle, among ever more agents elsewhere, keeps the exposure out of the comparison.
        let scene = scene(40_000, 0.1, false);
        let mut state = State::initial(&scene);
        for (id, position) in state.positions.iter_mut().enumerate() {
            *position = position.map(|x| x * if id < agents as usize { 0.2 } else { 1e3 });
        }
        let lit = light(&scene, &state, SIZE);
        let middle = lit.iter().filter(|(at, _)| at.distance(Vec2::new(160.0, 90.0)) < 12.0);
        middle.map(|(_, light)| light).sum::<f32>()
    };
    let [thin, medium, thick] = [500, 2000, 8000].map(brightness);
    assert!(thin > 0.0 && medium > 1.5 * thin && thick > 1.5 * medium, "{thin} {medium} {thick}");
}

/// A camera that is kept with a scene stands still and shows the same, also where the view followed a flock.
#[test]
fn a_kept_camera_shows_the_same() {
    let scene = scene(1, 1.0, true);
    let mut view = View::from_scene(&scene);
    let flock = (0..300).map(|i| i as f32).flat_map(|t| [5.0 + 3.0 * t.sin(), 2.0 * t.cos(), 0.01 * t]);
    view.follow(&flock.map(f32::to_bits).collect::<Vec<u32>>(), 1.0, SIZE);
    view.orbit(30.0, 12.0, SIZE);
    view.zoom_at(1.7, (40.0, 60.0), SIZE);
    let kept = scene.edit(|draft| {
        draft.camera = view.camera();
        Ok(())
    });
    let again = View::from_scene(&kept.unwrap());
    let apart = |other: &View| {
        let points = [[5.0, 1.0, 1.0], [2.0, -3.0, 0.0], [6.0, 2.0, 3.0]].map(Vec3::from);
        let distance = |p: Vec3| view.project(p, SIZE).unwrap().distance(other.project(p, SIZE).unwrap());
        points.into_iter().map(distance).fold(0.0, f32::max)
    };
    assert!(apart(&again) < 0.01, "{} px", apart(&again));
    assert!(apart(&View::from_scene(&scene)) > 5.0, "the scene's own view is another");
}

#[test]
fn the_camera_follows_the_mouse() {
    for spatial in [false, true] {
        let scene = scene(1, 1.0, spatial);
        let mut view = View::from_scene(&scene);
        assert_eq!(view.camera(), scene.camera);
        let before = view.project(view.center, SIZE).unwrap();
        let center = view.center;
        view.pan(12.0, -7.0, SIZE);
        let moved = view.project(center, SIZE).unwrap() - before;
        assert!(moved.distance(Vec2::new(12.0, -7.0)) < 0.01, "{moved}");
        let cursor = view.project(center, SIZE).unwrap();
        view.zoom_at(3.0, cursor.into(), SIZE);
        assert!(view.project(center, SIZE).unwrap().distance(cursor) < 0.05, "the point under the cursor stays");
        assert_eq!(view.zoom, 3.0);
        let turned = {
            view.orbit(40.0, 1e6, SIZE);
            view
        };
        assert_eq!(turned.camera().pitch, if spatial { 89.0 } else { scene.camera.pitch });
        assert_eq!(turned.camera().yaw != scene.camera.yaw, spatial);
    }
}

#[test]
fn density_contrast_tells_crowds_from_chance() {
    for (name, spread) in [("flock", 0.7..1.3), ("wind", 0.7..1.3)] {
        let scene = open(name, 20_000);
        let mut state = State::initial(&scene);
        let even = density_contrast(&state, &scene).unwrap();
        assert!(spread.contains(&even), "{name}: {even}");
        state.positions.iter_mut().for_each(|p| *p = p.map(|x| x * 0.5));
        let crowded = density_contrast(&state, &scene).unwrap();
        // Three quarters of the cells are empty, the others hold four times the mean: 32 (1/4 · 16 − 1) = 96.
        assert!((85.0..110.0).contains(&crowded), "{name}: {crowded}");
    }
    let few = scene(40, 1.0, false);
    assert_eq!(density_contrast(&State::initial(&few), &few), None);
}

fn render(folder: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("steerling").unwrap();
    command.current_dir(folder).args(["render", "flock", "--agents", "500", "--after", "3"]);
    let size: &[&str] = if arguments.contains(&"--size") { &[] } else { &["--size", "96x54"] };
    command.args(size).args(arguments).assert()
}

fn output(assert: &assert_cmd::assert::Assert) -> (String, String) {
    let output = assert.get_output();
    (String::from_utf8_lossy(&output.stdout).into(), String::from_utf8_lossy(&output.stderr).into())
}

#[test]
fn a_picture_has_its_size_its_caption_and_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (said, _) = output(&render(folder.path(), &[]).success());
    let path = folder.path().canonicalize().unwrap().join("flock-000003.png");
    assert!(said.contains(path.to_str().unwrap()) && said.contains("polarization"), "{said}");
    let bytes = std::fs::read(&path).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (96, 54));
    let text =
        |key: &str| reader.info().uncompressed_latin1_text.iter().find(|c| c.keyword == key).unwrap().text.clone();
    assert_eq!((text("Step"), text("Seed")), ("3".into(), "1".into()));
    assert_eq!(reader.info().utf8_text[0].get_text().unwrap(), "flock");

    let (_, complaint) = output(&render(folder.path(), &["--seed", "2"]).code(1));
    assert!(complaint.contains("flock-000003.png") && complaint.contains("--force"), "{complaint}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "the picture was overwritten");
    render(folder.path(), &["--seed", "2", "--force"]).success();
    assert_ne!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something was left behind");
}

#[test]
fn a_state_is_drawn_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = Command::cargo_bin("steerling").unwrap();
    run.current_dir(folder.path()).args(["run", "murmuration", "--agents", "300", "--steps", "4", "--every", "2"]);
    run.args(["--out", "run"]).assert().success();
    let draw = |step: &str, agents: &str, out: &str| {
        let mut command = Command::cargo_bin("steerling").unwrap();
        let state = format!("run/states/{step}.npy");
        command.current_dir(folder.path()).args(["render", "murmuration", "--size", "96x54", "--agents", agents]);
        command.args(["--from", &state, "--out", out]).assert()
    };
    let bytes = |out: &str| std::fs::read(folder.path().join(out)).unwrap();
    let (said, _) = output(&draw("000004", "300", "a.png").success());
    assert!(said.contains("after 0 steps"), "{said}");
    draw("000004", "300", "b.png").success();
    draw("000002", "300", "c.png").success();
    assert_eq!(bytes("a.png"), bytes("b.png"));
    assert_ne!(bytes("a.png"), bytes("c.png"));
    let (_, complaint) = output(&draw("000004", "301", "d.png").code(5));
    assert!(complaint.contains("300 rows") && complaint.contains("--agents asks for 301"), "{complaint}");
    assert!(!folder.path().join("d.png").exists());
}

#[test]
fn a_gif_has_its_frames_and_they_move() {
    let folder = tempfile::tempdir().unwrap();
    render(folder.path(), &["--frames", "4", "--every", "2", "--fps", "30", "--out", "film.gif"]).success();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let file = std::fs::File::open(folder.path().join("film.gif")).unwrap();
    let mut decoder = options.read_info(file).unwrap();
    let (mut pictures, mut delay) = (Vec::new(), 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!((frame.width, frame.height), (96, 54));
        delay += frame.delay;
        pictures.push(frame.buffer.to_vec());
    }
    assert_eq!((pictures.len(), delay), (4, 13));
    assert!(pictures.windows(2).all(|pair| pair[0] != pair[1]), "the agents stand still");
}

#[test]
fn frames_are_numbered() {
    let folder = tempfile::tempdir().unwrap();
    let (said, _) = output(&render(folder.path(), &["--frames", "3", "--out", "many/"]).success());
    assert!(said.contains("3 pictures"), "{said}");
    let frame = |n: u32| image::open(folder.path().join(format!("many/{n:06}.png"))).unwrap().to_rgba8();
    assert!(frame(0) != frame(1) && frame(1) != frame(2));
    render(folder.path(), &["--frames", "2", "--out", "p-%03d.png"]).success();
    assert!(folder.path().join("p-001.png").exists() && !folder.path().join("p-002.png").exists());
    std::fs::remove_file(folder.path().join("p-000.png")).unwrap();
    let (_, complaint) = output(&render(folder.path(), &["--frames", "2", "--out", "p-%03d.png"]).code(1));
    assert!(complaint.contains("p-001.png"), "{complaint}");
    assert!(!folder.path().join("p-000.png").exists(), "half of the pictures was written");
}

#[cfg(unix)]
#[test]
fn a_film_goes_through_ffmpeg() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let film = |path: &str, name: &str| {
        let mut command = Command::cargo_bin("steerling").unwrap();
        command.current_dir(folder.path()).env("PATH", path);
        command.args(["render", "flock", "--agents", "500", "--size", "96x54", "--after", "0", "--frames", "3"]);
        command.args(["--out", name]).assert()
    };
    let (_, complaint) = output(&film("/nowhere", "film.mp4").code(1));
    assert!(complaint.contains("ffmpeg"), "{complaint}");

    // A stand-in that writes how many bytes it was given, so that the test does not depend on what is installed.
    let program = folder.path().join("ffmpeg");
    let put = |text: &str| {
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    put("#!/bin/sh\nfor file; do :; done\nwc -c > \"$file\"\n");
    film(&path, "film.mp4").success();
    let bytes = std::fs::read_to_string(folder.path().join("film.mp4")).unwrap();
    assert_eq!(bytes.trim().parse(), Ok(3 * 4 * 96 * 54));

    put("#!/bin/sh\ncat > /dev/null\necho no such codec >&2\nexit 1\n");
    let (_, complaint) = output(&film(&path, "film.webm").code(1));
    assert!(complaint.contains("no such codec"), "{complaint}");
    assert!(!folder.path().join("film.webm").exists());
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        (&["--size", "0x54"][..], "8192"),
        (&["--size", "9000x54"], "8192"),
        (&["--size", "wide"], "1280x720"),
        (&["--fps", "0"], "240"),
        (&["--frames", "0"], "1000000"),
        (&["--out", "flock.txt"], ".gif"),
        (&["--size", "97x54", "--out", "film.mp4"], "even"),
        (&["--frames", "2", "--out", "one.png"], "%06d"),
    ] {
        let (_, complaint) = output(&render(folder.path(), arguments).code(2));
        assert!(complaint.contains(words), "{arguments:?}: {complaint}");
    }
    let (_, complaint) = output(&render(folder.path(), &["--out", "no/such/folder.png"]).code(1));
    assert!(complaint.contains("folder.png"), "{complaint}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
