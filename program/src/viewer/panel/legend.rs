//! The legend of the colors of agents.

use super::super::format::short;
use egui::{Color32, RichText, Sense, Ui, vec2};
use steerling::render::{self, Backdrop, CATEGORY, HEADING};
use steerling::scene::{Color, ColorBy, Scene, Species};

/// Height of the legend, points.
const HEIGHT: f32 = 26.0;

/// The name, for the user, of what colors show.
pub fn color_name(by: ColorBy) -> &'static str {
    match by {
        ColorBy::Own => "The species' own",
        ColorBy::Heading => "Heading",
        ColorBy::Speed => "Speed",
        ColorBy::Species => "Species",
        ColorBy::State => "Action state",
        ColorBy::Winner => "Priority that decided",
        ColorBy::Neighbors => "Neighbors",
        ColorBy::Density => "Density",
        ColorBy::Force => "Steering force",
        ColorBy::Depth => "Depth",
        ColorBy::Error => "Error of the GPU",
        ColorBy::Divergence => "Divergence (A|B)",
    }
}

/// Show the legend of a species, on the sky of the look, as in the picture.
pub fn legend(ui: &mut Ui, scene: &Scene, species: &Species) {
    let backdrop = Backdrop::of(scene.look.name);
    let shown = |[red, green, blue]: [f32; 3]| Color32::from(egui::Rgba::from_rgb(red, green, blue));
    let color = |of: [u8; 3]| shown(backdrop.agents(of));
    let plain = |[red, green, blue]: [u8; 3]| Color32::from_rgb(red, green, blue);
    let word = |text: &str, color: Color32| RichText::new(text).small().color(color);
    let of = render::color_of(scene, species);
    let scale = scale(scene, species);
    let names: Vec<String> = match of {
        Color::State if !species.rules.is_empty() => species.states.clone(),
        Color::Winner if species.combine.decides() => {
            let most = species.behaviors.iter().filter(|b| b.is_active()).map(|b| b.priority).max();
            (0..=most.unwrap_or(0)).map(|priority| format!("priority {priority}")).collect()
        }
        _ => Vec::new(),
    };
    // Without colors to explain there is only a text, which gets no sky behind it.
    let tells = scale.is_some() || of == Color::Heading || !names.is_empty();
    let ground = if tells { plain(backdrop.sky[2].1) } else { Color32::TRANSPARENT };
    egui::Frame::new().fill(ground).corner_radius(4.0).inner_margin(5.0).show(ui, |ui| {
        // One height for all, so that the rows below stay where they are.
        ui.set_min_height(HEIGHT);
        if names.is_empty() {
            // Center a single line vertically.
            ui.spacing_mut().interact_size.y = HEIGHT;
        }
        ui.horizontal_wrapped(|ui| match (scale, of) {
            (None, Color::Heading) => {
                let (place, _) = ui.allocate_exact_size(vec2(HEIGHT, HEIGHT), Sense::hover());
                wheel(ui.painter(), place.center(), 0.25 * HEIGHT, 0.5 * HEIGHT, &HEADING.map(color));
                ui.label(word("color is heading", plain(backdrop.ink)));
            }
            (Some((from, to, unit)), _) => {
                ui.spacing_mut().item_spacing.x = 0.0;
                ui.label(word(&format!("{from} "), plain(backdrop.ink)));
                for step in render::scale_colors(backdrop) {
                    let (place, _) = ui.allocate_exact_size(vec2(12.0, 10.0), Sense::hover());
                    ui.painter().rect_filled(place, 0.0, shown(step));
                }
                ui.label(word(&format!(" {to} {unit}"), plain(backdrop.ink)));
            }
            _ if names.is_empty() => drop(ui.label(RichText::new(one_color(scene, species)).small().weak())),
            _ => {
                for (name, of) in names.iter().zip(CATEGORY.into_iter().cycle()) {
                    ui.label(word(&format!("⏺ {name}"), color(of)));
                }
            }
        });
    });
}

/// The text in place of a legend if all agents of a species have one color: why.
pub fn one_color(scene: &Scene, species: &Species) -> String {
    let words = match render::color_of(scene, species) {
        Color::Speed => return format!("all go at {} u/s", short(species.max_speed.into())),
        Color::State if scene.species.iter().all(|species| species.rules.is_empty()) => "no species has action states",
        Color::State => "this species has no action states",
        Color::Winner if !scene.species.iter().any(|species| species.combine.decides()) => {
            "no species has combine = \"priority\""
        }
        Color::Winner => "this species has no combine = \"priority\"",
        _ => "one color for each species",
    };
    words.to_owned()
}

/// The lower and the upper end of the color scale, and its unit; `None` if colors have no scale.
pub fn scale(scene: &Scene, species: &Species) -> Option<(String, String, &'static str)> {
    let numbers = |from: f32, to: f32, unit| Some((short(from.into()), short(to.into()), unit));
    match scene.look.color {
        ColorBy::Neighbors => numbers(0.0, render::many_neighbors(scene), "neighbors, log scale"),
        ColorBy::Density => {
            let [from, to] = render::densities(scene);
            numbers(from, to, if scene.world.spatial { "agents/u³, log scale" } else { "agents/u², log scale" })
        }
        ColorBy::Force => numbers(0.0, species.max_force, "kg·u/s²"),
        ColorBy::Depth => Some(("far".to_owned(), "near".to_owned(), "")),
        // The error against the CPU reference, for a step from the same state.
        ColorBy::Error => Some(("none".to_owned(), "max speed".to_owned(), "difference in a step, log scale")),
        ColorBy::Divergence => {
            let [from, to] = render::divergences(scene);
            numbers(from, to, "u from A to B, log scale")
        }
        _ if render::color_of(scene, species) == Color::Speed && render::only_speed(species).is_none() => {
            let [from, to] = render::speeds(species);
            numbers(from, to, "u/s")
        }
        _ => None,
    }
}

/// Draw a ring with colors that repeat in a cycle, from the right counterclockwise.
fn wheel(painter: &egui::Painter, center: egui::Pos2, inner: f32, outer: f32, colors: &[Color32]) {
    const SPOKES: usize = 64;
    let mut ring = egui::Mesh::default();
    for spoke in 0..=SPOKES {
        let share = spoke as f32 / SPOKES as f32;
        let (first, part) = ((share * colors.len() as f32) as usize, share * colors.len() as f32 % 1.0);
        let color = colors[first % colors.len()].lerp_to_gamma(colors[(first + 1) % colors.len()], part);
        let (sine, cosine) = (share * std::f32::consts::TAU).sin_cos();
        // y points down on the screen.
        let along = vec2(cosine, -sine);
        ring.colored_vertex(center + along * inner, color);
        ring.colored_vertex(center + along * outer, color);
    }
    for corner in (0..2 * SPOKES as u32).step_by(2) {
        ring.add_triangle(corner, corner + 1, corner + 2);
        ring.add_triangle(corner + 1, corner + 3, corner + 2);
    }
    painter.add(ring);
}
