//! Scenes drawn from the schema, and files with mistakes in them. `cargo run --example fuzz` tries any number of them.

use crate::drawn::{Outcome, check, drawn, shrunk, text};
use crate::mutated::{folder, parsers};

/// Scenes in this test, and the shares of their values that are as small or as large as they may be.
const SCENES: u64 = 16;
const EXTREMES: [f64; 4] = [0.0, 0.15, 0.25, 0.4];
const SEED: u64 = 1;

#[test]
fn scenes_drawn_from_the_schema_hold() {
    let gpu = crate::support::gpu();
    let (mut held, mut seen) = (0, 0);
    for number in 0..SCENES {
        let scene = drawn(SEED * 1_000_000 + number, EXTREMES[number as usize % EXTREMES.len()]);
        match check(&gpu, &scene) {
            Outcome::Held { neighbors } => (held, seen) = (held + 1, seen + neighbors),
            Outcome::Refused(why) => println!("seed {SEED}, scene {number}: refused, {why}"),
            Outcome::Failed(why) => {
                let short = shrunk(&scene, 60, |scene| matches!(check(&gpu, scene), Outcome::Failed(_)));
                panic!("seed {SEED}, scene {number}: {why}\nas short as it fails:\n{}", text(&short));
            }
        }
    }
    assert!(held >= SCENES * 9 / 10, "only {held} scenes were not refused");
    assert!(seen > 10_000, "the oracle was asked for {seen} neighbors");
}

/// The finder finds: a scene that is made to fail is shrunk to what makes it fail.
#[test]
fn a_failing_scene_is_shrunk() {
    let scene = drawn(7, 0.25);
    let fails = |scene: &serde_json::Value| scene.get("dt").is_some();
    let short = text(&shrunk(&scene, 1000, fails));
    assert!(short.lines().count() < 12 && short.contains("dt = "), "{short}");
}

/// Files for each parser. Shaders go through naga, a behavior together with all that it may call, which takes a hundred times as long.
#[test]
fn mutated_files_are_accepted_or_refused() {
    let folder = folder();
    for parser in parsers(folder.path()) {
        let count = match parser.name {
            "shader" => 50,
            "wgsl" => 600,
            _ => 5_000,
        };
        let tally = parser.run(folder.path(), SEED, 0, count).unwrap_or_else(|why| panic!("{why}"));
        println!("{}: {tally:?}", parser.name);
        // A plain mistake that is refused at once tries nothing.
        assert!(tally.accepted > 0 && tally.refused > 0, "{}: {tally:?}", parser.name);
    }
}
