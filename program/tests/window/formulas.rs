//! The pages of behaviors: formulas, their values, laws, and letters that can be drawn.

use super::super::format::drawable;
use super::super::panel::behaviors::{hanging, holds, is_formula, values};
use super::*;
use steerling::scene::{BEHAVIORS, Range, reference};
use steerling_conform::laws_of;

#[test]
fn a_behavior_shows_its_formulas_and_laws() {
    let mut desk = desk("arrive");
    let formula = "y = r - v τ";
    assert!(desk.query_by_label_contains(formula).is_none(), "the page is closed");
    assert_eq!(desk.get_all_by_label("Formula").count(), 2, "one for each behavior that is shown");
    // Separation comes first.
    desk.click_nth("Formula", 1);
    assert!(desk.query_by_label_contains(formula).is_some(), "the head of the shader");
    let law = laws_of(BEHAVIORS.iter().find(|spec| spec.name == "arrive").expect("arrive"))[0].statement;
    assert!(desk.query_by_label_contains(law).is_some(), "{law}");
    assert!(desk.query_by_label_contains("k/d").is_none(), "nothing of separation");
    // With the values of now.
    let slow = "Now ramp = linear, weight = 1, slow_radius = ";
    assert!(desk.query_by_label_contains(&format!("{slow}20")).is_none());
    now(&mut desk, tuned("arrive", &["species.0.behaviors.arrive.slow_radius=17.5"]));
    assert!(desk.query_by_label_contains(&format!("{slow}17.5 u, max_speed = ")).is_some());
}

/// A formula that is wider than its page goes on deeper, and each line fits; one that fits stays as it is.
#[test]
fn a_long_formula_goes_on_deeper() {
    let formula = "  y:  A = (unit(r) - v) / τ,  y = r";
    assert_eq!(hanging(formula, 40), formula);
    assert_eq!(hanging(formula, 20), "  y:  A = (unit(r) -\n      v) / τ,  y = r");
    assert_eq!(hanging("  wide", 3), "  wide", "a word is not broken");
}

/// Every built-in behavior has its formula, and the keys that formulas name are its own or its species'.
#[test]
fn every_behavior_has_a_formula_of_its_keys() {
    let scene = tuned("flock", &[]);
    for spec in BEHAVIORS.iter() {
        let formulas: Vec<&str> = spec.file.header.iter().filter(|line| is_formula(line)).copied().collect();
        assert!(formulas.iter().any(|line| line.contains("A = ") || line.contains("α = ")), "{}", spec.name);
        let known = |name: &str| {
            let species = ["max_speed", "max_angular_speed"].contains(&name);
            let word = |range: &Range| matches!(range, Range::Choice(words) if words.contains(&name));
            species || spec.parameters.iter().any(|p| p.name == name || word(&p.range))
        };
        let names = formulas.iter().flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let unknown: Vec<&str> = names.filter(|name| name.contains('_') && !known(name)).collect();
        assert!(unknown.is_empty(), "{}: {unknown:?} are no keys", spec.name);
    }
    let heads_for = |name: &str| {
        let spec = BEHAVIORS.iter().find(|spec| spec.name == name).expect("a behavior");
        spec.parameters.iter().find(|parameter| parameter.name == "target").expect("a target").summary
    };
    assert_ne!(heads_for("evasion"), heads_for("pursuit"));
    let separation = scene.species[0].active_behavior("separation").expect("it has one");
    // Of several forms one holds.
    let forms: Vec<Option<bool>> = separation.spec.file.header.iter().map(|line| holds(line, separation)).collect();
    assert_eq!([Some(true), Some(false)].map(|holds| forms.iter().filter(|form| **form == holds).count()), [1, 1]);
    let told = values(separation, [("max_speed", 20.0, "u/s"), ("τ", 0.25, "s"), ("a", 60.0, "u/s²")]);
    assert!(told.contains("exponent = ") && told.ends_with("max_speed = 20 u/s, τ = 0.25 s"), "{told}");
}

/// What the page of a behavior and the text of a scene say has no character that the fonts lack.
#[test]
fn every_character_can_be_drawn() {
    let mut texts: Vec<String> = reference().lines().map(drawable).collect();
    for spec in BEHAVIORS.iter() {
        texts.extend(laws_of(spec).into_iter().map(|law| drawable(law.statement)));
        texts.extend(spec.file.header.iter().chain([&spec.summary]).map(|line| drawable(line)));
    }
    for scene in PRESETS.iter().map(|preset| tuned(preset.name, &[])) {
        texts.extend(scene.things_to_try.iter().chain([&scene.shows]).map(|text| drawable(text)));
    }
    let context = egui::Context::default();
    let mut missing = std::collections::BTreeSet::new();
    let mut output = context.run_ui(egui::RawInput::default(), |ui| {
        for style in [egui::TextStyle::Body, egui::TextStyle::Monospace] {
            let font = style.resolve(ui.style());
            ui.fonts_mut(|fonts| {
                missing.extend(texts.iter().flat_map(|text| text.chars()).filter(|c| !fonts.has_glyph(&font, *c)));
            });
        }
    });
    output.textures_delta.clear();
    assert!(texts.len() > 300, "{}", texts.len());
    assert!(missing.is_empty(), "{missing:?}");
}
