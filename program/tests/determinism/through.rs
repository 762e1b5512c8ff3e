//! People through one square: each enters and leaves once, and no digest depends on the number of threads or on a stop in the middle.

use crate::place::Place;
use crate::run;
use std::collections::BTreeSet;

const SCENE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/determinism/through.toml");
/// Most who may be there at a time.
const PLACES: u32 = 10_000;

/// So many people, of whom so many enter in each step of half a second, until all are out.
fn through(people: u32, in_a_step: u32) {
    drop(support::gpu());
    let steps = people / in_a_step + 20;
    let start = format!(
        "{SCENE} --states-every none --set species.0.count={people} --set species.0.enters={} --metrics-every {}",
        2 * in_a_step,
        steps / 20
    );
    let place = Place::new();
    // Rows of metrics have a digest each.
    let whole = |name: &str, threads: &str, more: &str| {
        run(&place, threads, &format!("{start} --steps {steps} --out {name} {more}"));
        place.text(&format!("{name}/metrics.csv"))
    };
    let mut found: Vec<String> =
        ["1", "2", "4", "4"].iter().zip(0..).map(|(threads, n)| whole(&format!("{n}"), threads, "")).collect();
    run(&place, "2", &format!("{start} --steps {} --checkpoint-at-end --out stopped", steps / 2));
    run(&place, "4", &format!("--states-every none --resume stopped --steps {steps}"));
    found.push(place.text("stopped/metrics.csv"));
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), 1, "{found:#?}");

    let table = place.table("stopped/metrics.csv");
    let [steps, inside, left] = ["step", "inside", "left"].map(|name| table.numbers(name));
    for (row, digest) in table.column("digest").iter().enumerate() {
        let (step, inside, left) = (steps[row] as u32, inside[row] as u32, left[row] as u32);
        assert_eq!(inside + left, people.min(in_a_step * (step + 1)), "step {step}: somebody is lost or comes twice");
        assert!(inside <= PLACES, "step {step}: {inside} are there");
        println!("step {step}: {inside} inside, {left} left, digest {digest}");
    }
    assert_eq!((inside.last(), left.last()), (Some(&0.0), Some(&f64::from(people))));
    assert_ne!(whole("other", "2", "--seed 8"), found[0], "nothing is compared");
}

#[test]
fn one_digest_of_people_who_come_and_go() {
    through(20_000, 200);
}

/// A million: `cargo test --release -p steerling-program --test determinism -- --ignored`.
#[test]
#[ignore = "takes a quarter of an hour of two cores; one_digest_of_people_who_come_and_go tries a share"]
fn one_digest_of_a_million_people_who_come_and_go() {
    through(1_000_000, 1_600);
}
