//! What colors mean.

use super::super::panel::legend::{one_color, scale};
use super::*;
use steerling::render;

#[test]
fn what_colors_tell_has_a_scale() {
    for (word, text) in [
        ("neighbors", "0 to 68 neighbors, log scale"),
        ("density", "agents/u², log scale"),
        ("force", "kg·u/s²"),
        ("speed", "u/s"),
        ("depth", "near"),
        ("divergence", "u from A to B, log scale"),
    ] {
        let scene = tuned("flock", &[&format!("look.color={word}")]);
        let told = scale(&scene, &scene.species[0]).map(|(from, to, unit)| format!("{from} to {to} {unit}"));
        assert!(told.as_deref().is_some_and(|told| told.contains(text)), "{word}: {told:?}");
    }
    let scene = tuned("flock", &["look.color=speed", "species.0.min_speed=12", "species.0.max_speed=12"]);
    assert_eq!(scale(&scene, &scene.species[0]), None, "there is one speed");
    assert_eq!(one_color(&scene, &scene.species[0]), "all go at 12 u/s");
    let scene = tuned("flock", &[]);
    assert_eq!(scale(&scene, &scene.species[0]), None, "headings have a wheel");
}

/// Colors that tell nothing say so, and the rows below the legend stay where they are.
#[test]
fn the_legend_keeps_its_height_and_says_where_it_tells_nothing() {
    let mut desk = desk("flock");
    let top = |desk: &Harness<Desk>| desk.get_by_label("Max speed").rect().top();
    let all = ColorBy::ALL.iter().map(|by| {
        let mut draft = desk.state().original.draft();
        draft.look.color = *by;
        now(&mut desk, draft.validate().expect("a scene"));
        let told = |text: &str| desk.query_all_by_label_contains(text).next().is_some();
        assert_eq!(told("no species has action states"), *by == ColorBy::State, "{by:?}");
        assert_eq!(told("no species has combine = \"priority\""), *by == ColorBy::Winner, "{by:?}");
        top(&desk)
    });
    let tops: Vec<f32> = all.collect();
    assert!(tops.iter().all(|top| *top == tops[0]), "{tops:?}");
}

/// How far A and B are apart is among what colors tell where there are two, and only there.
#[test]
fn divergence_is_offered_beside_another_run() {
    for beside in [true, false] {
        let mut desk = desk("flock");
        desk.state_mut().beside = beside;
        desk.run();
        desk.click_role(Role::ComboBox, 2);
        assert_eq!(desk.query_by_label("Divergence (A|B)").is_some(), beside);
        assert!(desk.query_by_label("Density").is_some(), "control: the list is open");
    }
}

/// Which color is which species is told where its name stands.
#[test]
fn tabs_have_the_colors_of_their_species() {
    for (changes, dots) in [(&["look.color=species"][..], 2), (&["look.color=speed"], 0), (&["look.color=density"], 0)]
    {
        let mut desk = desk("predator_and_prey");
        now(&mut desk, tuned("predator_and_prey", changes));
        assert_eq!(desk.query_all_by_label_contains("⏺ ").count(), dots, "{changes:?}");
    }
    let scene = tuned("predator_and_prey", &["look.color=species"]);
    let colors = render::fixed_colors(&scene);
    assert!(colors[0].is_some() && colors[0] != colors[1], "{colors:?}");
}
