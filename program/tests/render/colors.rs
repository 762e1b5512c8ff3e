//! What colors tell, in every look.

use super::*;
use glam::Mat3;
use steerling::render::{Backdrop, CATEGORY, HEADING, SPEED, scale_colors};
use steerling::scene::Draft;
use steerling::shaders::Sources;
use steerling::verify::Witness;
use support::{on_gpu, rewritten};

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Agents of this color after a step, or colored by what the look tells. `rest` is of their species.
fn stepped(color: &str, by: &str, agents: u32, rest: &str) -> RgbaImage {
    draw_after_a_step(&format!(
        "schema = 1\nlook.color = \"{by}\"\nworld = {{ size = [320, 180], boundary = \"open\" }}\n\
         [[species]]\ncount = {agents}\nradius = 6\ncolor = \"{color}\"\n{rest}\n"
    ))
}

/// Agents colored by what they decided look as if they had the color of that category.
#[test]
fn decisions_show_as_colors() {
    let picture = |color: &str, rest: &str| stepped(color, "own", 30, rest);
    let hex = |category: usize| hex(CATEGORY[category]);
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

/// An agent of this color, or colored by what the look tells.
fn colored(spatial: bool, by: &str, color: &str, more: &[&str]) -> Scene {
    let (look, own) = (format!("look.color={by}"), format!("species.0.color={color}"));
    parsed(&scene(1, 6.0, spatial).source.text, &[&[&*look, &own], more].concat())
}

/// Where the look says what colors tell, the two ends of each scale are the first and the last of its colors.
#[test]
fn looks_color_by_what_steps_leave_behind() {
    let (first, last) = (hex(SPEED[0]), hex(SPEED[7]));
    let all_see = "behaviors.cohesion = { perception_radius = 400, field_of_view = 360, weight = 1e-6 }";
    let near = "behaviors.cohesion = { perception_radius = 10, field_of_view = 360, weight = 1e-6 }\n\
                spawn = { extent = 0.005 }";
    let hurried = "behaviors.seek = { weight = 1e3, target = { point = [150, 80] } }";
    for (by, few, low, many, high) in
        [("neighbors", 1, all_see, 256, all_see), ("density", 1, near, 2_000, near), ("force", 30, "", 30, hurried)]
    {
        assert!(stepped("#ff00ff", by, few, low) == stepped(&first, "own", few, low), "{by}, least");
        assert!(stepped("#ff00ff", by, many, high) == stepped(&last, "own", many, high), "{by}, most");
        assert!(stepped("#ff00ff", by, many, high) != stepped(&first, "own", many, high), "{by}: the colors differ");
    }
    // The speed is shown between the least and the greatest.
    let by_speed_from = |least: f32, by: &str, color: &str, speed: f32| {
        let slowest = format!("species.0.min_speed={least}");
        let scene = colored(false, by, color, &["species.0.max_speed=5", &slowest]);
        draw(&scene, &one(Vec3::ZERO, Vec3::X * speed), SIZE)
    };
    let by_speed = |by: &str, color: &str, speed: f32| by_speed_from(1.0, by, color, speed);
    assert!(by_speed("speed", "#ff00ff", 5.0) == by_speed("own", &last, 5.0), "full speed");
    assert!(by_speed("speed", "#ff00ff", 1.0) == by_speed("own", &first, 1.0), "least speed");
    assert!(by_speed("speed", "#ff00ff", 5.0) != by_speed("own", &first, 5.0));
    // Where there is but one speed, rounding has no color.
    for speed in [5.0, 4.999999] {
        let shown = by_speed_from(5.0, "speed", "#ff00ff", speed);
        assert!(shown == by_speed("own", &last, speed), "the only speed, rounded to {speed}");
    }
    // Half of the way is neither.
    let some = "behaviors.cohesion = { perception_radius = 40, field_of_view = 360, weight = 1e-6 }";
    let half = stepped("#ff00ff", "neighbors", 16, some);
    assert!(half != stepped(&first, "own", 16, some) && half != stepped(&last, "own", 16, some));
    // Who is before the world's sphere is near, who is behind it far.
    let by_depth = |by: &str, color: &str, along: f32| {
        let scene = colored(true, by, color, &["camera.yaw=0", "camera.pitch=0"]);
        draw(&scene, &one(Vec3::new(0.0, 0.0, along), Vec3::X), SIZE)
    };
    for (along, color) in [(260.0, &last), (-260.0, &first)] {
        assert!(by_depth("depth", "#ff00ff", along) == by_depth("own", color, along), "{along}");
    }
    assert!(by_depth("depth", "#ff00ff", 260.0) != by_depth("own", &first, 260.0));
}

/// With the scale of another scene, the same agents have the colors that they would have there.
#[test]
fn colors_may_have_the_scale_of_another_scene() {
    for by in ["speed", "neighbors", "density", "force"] {
        let [here, there] = [(5, 20), (10, 40)].map(|(most, radius)| {
            let text = format!(
                "schema = 1\nlook.color = \"{by}\"\nworld = {{ size = [320, 180], boundary = \"open\" }}\n\
                 [[species]]\ncount = 30\nradius = 6\nmax_speed = {most}\nmax_force = {most}\n\
                 behaviors.cohesion = {{ perception_radius = {radius} }}\n"
            );
            parsed(&text, &[])
        });
        let state = State::initial(&here);
        let mut simulation = started(&here, &state);
        simulation.keep_accelerations(by == "force");
        simulation.step(1).unwrap();
        let draw = |mut renderer: Renderer| draw_with(&mut renderer, SIZE, &here, &simulation);
        let mut scaled = renderer(&here);
        scaled.set_scale(Some(&there));
        assert!(draw(scaled) == draw(renderer(&there)), "{by}");
        assert!(draw(renderer(&here)) != draw(renderer(&there)), "{by}, control: the scales differ");
    }
}

/// The density is that of the cells of the latest step: where there are none, agents have the lowest color, as before the first step.
#[test]
fn density_is_not_shown_before_it_is_counted() {
    let of = |radius: u32| {
        let text = format!(
            "schema = 1\nlook.color = \"density\"\nworld = {{ size = [320, 180], boundary = \"open\" }}\n\
             [[species]]\ncount = 30\nradius = 6\nbehaviors.cohesion = {{ perception_radius = {radius} }}\n"
        );
        parsed(&text, &[])
    };
    let (scene, finer) = (of(20), of(5));
    let drawn =
        |simulation: &Simulation| draw_with(&mut renderer(simulation.scene()), SIZE, simulation.scene(), simulation);
    let mut simulation = start(&scene);
    simulation.step(1).unwrap();
    let (counted, snapshot) = (drawn(&simulation), simulation.snapshot().unwrap());
    simulation.change(&edited(&scene, |draft| draft.species[0].max_speed = 7.0)).unwrap();
    assert!(drawn(&simulation) == counted, "on the same grid");
    simulation.change(&finer).unwrap();
    let fresh = |scene| drawn(&started(scene, &snapshot.state()));
    assert!(drawn(&simulation) == fresh(&finer) && fresh(&scene) != counted);
    simulation.change(&scene).unwrap();
    simulation.step(1).unwrap();
    simulation.restore(&snapshot).unwrap();
    assert!(drawn(&simulation) == fresh(&scene), "after a restore");
}

const LOOKS: [LookName; 5] = [LookName::Night, LookName::Dusk, LookName::Day, LookName::Ink, LookName::Deep];

/// The contrast of two luminances as WCAG has it: 1 for equal ones, 21 between black and white.
fn contrast(a: f32, b: f32) -> f32 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The least contrast between agents of a color and the sky behind them, from the top of the picture to its bottom and for
/// all headings.
fn least_contrast(look: LookName, color: &str) -> f32 {
    let drawn = parsed(&scene(96, 6.0, false).source.text, &[&format!("species.0.color={color}")]);
    let drawn = edited(&drawn, |draft| draft.look.name = look);
    let place = |id: usize| Vec3::new((id % 12) as f32 * 26.0 - 143.0, (id / 12) as f32 * 22.0 - 77.0, 0.0);
    let heading = |id: usize| Vec2::from_angle((id % 12) as f32 * std::f32::consts::TAU / 12.0).extend(0.0);
    let state = State {
        positions: (0..96).map(|id| place(id).to_array()).collect(),
        velocities: (0..96).map(|id| (heading(id) * 9.0).to_array()).collect(),
        frozen: vec![false; 96],
        ..Default::default()
    };
    let mut renderer = renderer(&drawn);
    let mut shown = |state: &State| draw_with(&mut renderer, SIZE, &drawn, &started(&drawn, state));
    let (picture, empty) = (shown(&state), shown(&State { frozen: vec![true; 96], ..state.clone() }));
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

/// The two ends of the scale of what is measured differ from each other and from the sky, for everybody.
#[test]
fn every_look_has_a_legible_scale() {
    for look in LOOKS {
        let backdrop = Backdrop::of(look);
        let colors = scale_colors(backdrop).map(Vec3::from);
        for (name, rows) in SEEN {
            let lab = |light: Vec3| oklab((matrix(rows) * light).clamp(Vec3::ZERO, Vec3::ONE));
            let sky = |color: Vec3| backdrop.sky.map(|(_, sky)| lab(color).distance(lab(sky.map(linear).into())));
            let least = colors.into_iter().flat_map(sky).fold(f32::INFINITY, f32::min);
            let ends = lab(colors[0]).distance(lab(colors[7]));
            println!("{look:?}, {name}: ends {ends:.2}, sky {least:.2}");
            assert!(ends > 0.2 && least > 0.06, "{look:?}, {name}: ends {ends}, sky {least}");
        }
    }
}

/// What a scene's pictures have is known when pipelines are made: another look, colors of another kind and other bodies make
/// them anew.
#[test]
fn a_renderer_takes_over_what_changes() {
    let mut scene = preset("murmuration", 300, &[]);
    let state = State::initial(&scene);
    let simulation = started(&scene, &state);
    let mut renderer = renderer(&scene);
    let mut before = draw_with(&mut renderer, SIZE, &scene, &simulation);
    let changes: [fn(&mut Draft); 5] = [
        |draft| draft.look.name = LookName::Night,
        |draft| draft.look.color = ColorBy::Depth,
        |draft| draft.look.color = ColorBy::Heading,
        |draft| draft.species.iter_mut().for_each(|species| species.body = Body::Arrow),
        |draft| draft.look.name = LookName::Ink,
    ];
    for change in changes {
        scene = edited(&scene, change);
        renderer.set_scene(&scene).unwrap();
        let taken_over = draw_with(&mut renderer, SIZE, &scene, &simulation);
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
    let scene = parsed(text, &[]);
    let wrong = rewritten("behaviors/cohesion.wgsl", "f32(sum.count)", "f32(sum.count + 1u)");
    let mut renderer = renderer(&scene);
    let mut pictures = Vec::new();
    for (shaders, broken) in [(Sources::default(), false), (wrong, true)] {
        let mut simulation = on_gpu(&gpu(), &scene, Options { shaders, ..Options::default() });
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
            renderer.set_values(Some(&errors));
        }
        pictures.push(draw_with(&mut renderer, SIZE, &scene, &simulation));
        renderer.set_values(None);
        pictures.push(draw_with(&mut renderer, SIZE, &scene, &simulation));
    }
    assert!(pictures[0] == pictures[1], "no error looks as where none is known");
    assert!(pictures[2] != pictures[3]);
    let bright = |picture: &RgbaImage| picture.pixels().filter(|p| p.0[0] > 0x60).count();
    assert!(bright(&pictures[2]) > 20 && bright(&pictures[3]) == 0, "errors have the upper colors");
}

/// A distance to another run has the color of the error that is as far along the colors, by factors; without distances all are dark.
#[test]
fn divergence_is_told_by_colors() {
    let scene = |color: ColorBy| edited(&scene(400, 2.0, false), |draft| draft.look.color = color);
    let diverging = scene(ColorBy::Divergence);
    let mut simulation = start(&diverging);
    simulation.step(1).unwrap();
    let drawn = |scene: &Scene, value: Option<f32>| {
        let mut renderer = renderer(scene);
        renderer.set_values(value.map(|value| vec![value; 400]).as_deref());
        draw_with(&mut renderer, SIZE, scene, &simulation)
    };
    let bright = |picture: &RgbaImage| picture.pixels().filter(|p| p.0[0] > 0x60).count();
    let [from, to] = steerling::render::divergences(&diverging);
    // Errors go from 2^-23 to 1.
    let erring = scene(ColorBy::Error);
    for (share, distance) in [(0.25, (from.powi(3) * to).powf(0.25)), (0.5, (from * to).sqrt()), (1.0, to)] {
        let [error, distance] =
            [drawn(&erring, Some((23.0 * (share - 1.0_f32)).exp2())), drawn(&diverging, Some(distance))];
        let off = error.iter().zip(distance.iter()).map(|(one, other)| one.abs_diff(*other)).max();
        assert!(off <= Some(1), "{share} of the colors: off by {off:?}");
    }
    assert!(bright(&drawn(&diverging, Some(to))) > 20);
    assert_eq!([None, Some(0.0)].map(|value| bright(&drawn(&diverging, value))), [0, 0]);
}

/// Many small agents: what they cover grows with their number and stays below all, in a look of light and in one of ink.
#[test]
fn density_shows_as_light_or_as_darkness() {
    for look in LOOKS {
        let scene = edited(&scene(40_000, 0.1, true), |draft| draft.look.name = look);
        let mut renderer = renderer(&scene);
        let shown = |agents: u32| {
            let mut state = State::initial(&scene);
            for (id, position) in state.positions.iter_mut().enumerate() {
                *position = position.map(|x| x * if id < agents as usize { 0.2 } else { 1e4 });
            }
            light_by(&mut renderer, &scene, &state, SIZE).iter().map(|(_, light)| light).sum::<f32>()
        };
        let [thin, medium, thick] = [500, 2000, 8000].map(shown);
        assert!(thin > 0.0 && medium > 1.5 * thin && thick > 1.5 * medium, "{look:?}: {thin} {medium} {thick}");
    }
}

/// Amounts of light as seen without one kind of cone (Machado and others 2009, severity 1).
const SEEN: [(&str, [[f32; 3]; 3]); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    ("protanopia", [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    (
        "deuteranopia",
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ),
    ("tritanopia", [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
];
/// Amounts of light to cone responses, and their cube roots to OKLab (Ottosson 2020).
const CONES: [[f32; 3]; 3] =
    [[0.412221, 0.536333, 0.051446], [0.211903, 0.680700, 0.107397], [0.088302, 0.281719, 0.629979]];
const LAB: [[f32; 3]; 3] =
    [[0.210454, 0.793618, -0.004072], [1.977998, -2.428592, 0.450594], [0.025904, 0.782772, -0.808676]];

fn matrix(rows: [[f32; 3]; 3]) -> Mat3 {
    Mat3::from_cols_array_2d(&rows).transpose()
}

fn oklab(light: Vec3) -> Vec3 {
    matrix(LAB) * (matrix(CONES) * light).map(f32::cbrt)
}

/// The least difference, in OKLab, between a color and its opposite on a circle, and whose eyes see it so.
fn least(circle: [Vec3; 8]) -> (f32, &'static str) {
    let each = |(name, rows): (&'static str, [[f32; 3]; 3])| {
        let lab = |k: usize| oklab((matrix(rows) * circle[k]).clamp(Vec3::ZERO, Vec3::ONE));
        let differences = (0..4).map(|k| lab(k).distance(lab(k + 4)));
        (differences.fold(f32::INFINITY, f32::min), name)
    };
    SEEN.into_iter().map(each).min_by(|a, b| a.0.total_cmp(&b.0)).expect("four kinds of eyes")
}

/// A difference of 0.02 is just seen side by side.
#[test]
fn opposite_headings_differ_for_everybody() {
    let (kept, who) = least(HEADING.map(|color| Vec3::from(color.map(linear))));
    assert!(kept > 0.2, "{kept} with {who}");
    // A circle of equal lightness and chroma is pretty, and fails.
    let equal = |k: usize| {
        let (sine, cosine) = (75.0 + 45.0 * k as f32).to_radians().sin_cos();
        let lab = Vec3::new(0.72, 0.13 * cosine, 0.13 * sine);
        matrix(CONES).inverse() * (matrix(LAB).inverse() * lab).powf(3.0)
    };
    let (equal, who) = least(std::array::from_fn(equal));
    assert!(equal < 0.06, "{equal} with {who}");
}
