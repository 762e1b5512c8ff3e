//! Fuzz tests: random scenes drawn from the schema, random behaviors, and files with random mistakes, any number of them.
//!
//! ```sh
//! cargo run --example fuzz -- scenes 300 1         # 300 scenes, from the seed 1
//! cargo run --example fuzz -- own 10000 1          # behaviors of one's own, each written in two ways, on the adapters in turn
//! cargo run --example fuzz -- npy 1000000 1 4      # npy, array, png, map, json, toml, wgsl, checkpoint or shader; on so many threads
//! ```

use std::sync::atomic::Ordering;
use steerling::gpu::{AdapterChoice, Gpu};
use support::drawn::{Outcome, check, drawn, shrunk, text};
use support::{mutated, tokens, written};

const EXTREMES: [f64; 4] = [0.0, 0.15, 0.25, 0.4];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, or: u64| arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(or);
    let what = arguments.first().map_or("scenes", String::as_str);
    let failed = match what {
        "own" => own(number(1, 1000), number(2, 1)),
        "scenes" => scenes(number(1, 100), number(2, 1), number(3, 0)),
        _ => files(what, number(1, 10_000), number(2, 1), number(3, 1)),
    };
    std::process::exit(i32::from(failed));
}

fn scenes(count: u64, seed: u64, first: u64) -> bool {
    let gpu = Gpu::open(&AdapterChoice::Best).expect("an adapter");
    std::panic::set_hook(Box::new(|_| ()));
    let (mut held, mut refused, mut failed, mut seen) = (0, 0, 0, 0);
    for number in first..first + count {
        let scene = drawn(seed * 1_000_000 + number, EXTREMES[number as usize % EXTREMES.len()]);
        match check(&gpu, &gpu, &scene) {
            Outcome::Held { neighbors } => (held, seen) = (held + 1, seen + neighbors),
            Outcome::Refused(why) => {
                refused += 1;
                println!("scene {number} is refused: {why}");
            }
            Outcome::Failed(why) => {
                failed += 1;
                println!("scene {number} FAILS: {why}");
                let short = shrunk(&scene, 60, |scene| matches!(check(&gpu, &gpu, scene), Outcome::Failed(_)));
                println!("as short as it fails:\n{}", text(&short));
            }
        }
    }
    println!(
        "seed {seed}: {count} scenes, {held} held, {refused} refused, {failed} failed; {seen} neighbors by the oracle"
    );
    failed > 0
}

fn own(count: u64, seed: u64) -> bool {
    let usable = Gpu::adapters().iter().filter(|report| report.refusals.is_empty()).count();
    let gpus: Vec<Gpu> =
        (0..usable).map(|index| Gpu::open(&AdapterChoice::Index(index)).expect("an adapter")).collect();
    let (folder, mut seen, mut failed) = (mutated::folder(), Default::default(), 0);
    let scenes = count.div_ceil(written::OWN as u64) as usize;
    for number in 0..scenes {
        let group = written::group(seed, number * written::OWN);
        if let Err(why) = written::check(&gpus[number / 2 % usable], folder.path(), &group, number) {
            failed += 1;
            println!("seed {seed}, scene {number} FAILS: {why}");
        }
        written::covered(&group, &mut seen);
    }
    let (all, two) = (scenes * written::OWN, written::pairs().len());
    println!("seed {seed}: {all} behaviors in {scenes} scenes, {failed} failed; {} of {two} pairs", seen.len());
    failed > 0
}

fn files(what: &str, count: u64, seed: u64, threads: u64) -> bool {
    if count > 10_000 {
        tokens::RUN.store(16, Ordering::Relaxed);
    }
    let folder = mutated::folder();
    let share = count.div_ceil(threads);
    let run = |thread: u64| {
        let folder = folder.path().join(thread.to_string());
        std::fs::create_dir(&folder).expect("a folder");
        let parsers = mutated::parsers(&folder);
        let parser = parsers.iter().find(|parser| parser.name == what).unwrap_or_else(|| panic!("no parser `{what}`"));
        parser.run(&folder, seed, thread * share, share)
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a result")).collect()
    });
    let (mut accepted, mut refused, mut failed) = (0, 0, false);
    for result in results {
        match result {
            Ok(tally) => (accepted, refused) = (accepted + tally.accepted, refused + tally.refused),
            Err(why) => {
                failed = true;
                println!("FAILS: {why}");
            }
        }
    }
    println!("{what}, seed {seed}: {accepted} accepted, {refused} refused of {}", share * threads);
    failed
}
