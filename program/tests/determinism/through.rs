//! People through one square: each enters and leaves once, and no digest depends on the number of threads or on a stop in the middle.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const SCENE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/determinism/through.toml");
/// Most who may be there at a time.
const PLACES: u32 = 10_000;

/// A run on so many threads of the driver and of the host. Its rows of metrics, which have a digest each.
fn run(out: &Path, threads: &str, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_steerling"))
        .args(["run", "--device", "gpu", "--states-every", "none"])
        .args(arguments)
        .env("LP_NUM_THREADS", threads)
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(out.join("metrics.csv")).unwrap()
}

/// So many people, of whom so many enter in each step of half a second, until all are out.
fn through(people: u32, in_a_step: u32) {
    drop(crate::support::gpu());
    let steps = people / in_a_step + 20;
    let (half, all, every) = ((steps / 2).to_string(), steps.to_string(), (steps / 20).to_string());
    let [count, rate] = [format!("species.0.count={people}"), format!("species.0.enters={}", 2 * in_a_step)];
    let start = [SCENE, "--set", &count, "--set", &rate, "--metrics-every", &every];
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let whole = |name: &str, threads: &str, more: &[&str]| {
        let out = out(name);
        let to = ["--steps", &all, "--out", out.to_str().unwrap()];
        run(&out, threads, &[&start[..], &to, more].concat())
    };
    let mut found: Vec<String> =
        ["1", "2", "4", "4"].iter().zip(0..).map(|(t, n)| whole(&format!("{n}"), t, &[])).collect();
    let stopped = out("stopped");
    let path = stopped.to_str().unwrap();
    run(&stopped, "2", &[&start[..], &["--steps", &half, "--checkpoint-at-end", "--out", path]].concat());
    found.push(run(&stopped, "4", &["--resume", path, "--steps", &all]));
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), 1, "{found:#?}");

    let mut rows = csv::Reader::from_reader(found[0].as_bytes());
    let columns = rows.headers().unwrap().clone();
    let column = |name: &str| columns.iter().position(|column| column == name).unwrap();
    let mut last = (0, 0);
    for row in rows.records().map(Result::unwrap) {
        let [step, inside, left] = ["step", "inside", "left"].map(|name| row[column(name)].parse::<u32>().unwrap());
        assert_eq!(inside + left, people.min(in_a_step * (step + 1)), "step {step}: somebody is lost or comes twice");
        assert!(inside <= PLACES, "step {step}: {inside} are there");
        last = (inside, left);
        println!("step {step}: {inside} inside, {left} left, digest {}", &row[column("digest")]);
    }
    assert_eq!(last, (0, people));
    assert_ne!(whole("other", "2", &["--seed", "8"]), found[0], "nothing is compared");
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
