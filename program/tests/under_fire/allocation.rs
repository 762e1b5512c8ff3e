//! Memory that is short: what an input or an output takes is had, or is refused with numbers. Nothing ends the program.

use crate::child::{limited, outcome};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Limits of the process are those of the machine.
#[test]
fn what_memory_does_not_hold_is_refused_with_numbers() {
    let temp = TempDir::new().unwrap();
    let out = temp.path().join("out");
    let cases = [
        ("run flock --device cpu --agents 4000000 --steps 1", "-v 900000", "--agents"),
        ("run murmuration --device cpu --agents 9000000 --steps 1", "-d 1500000", "--agents"),
        ("run rivals --device gpu --agents 4000000 --steps 1", "-v 1500000", "--agents"),
        ("run flock --device gpu --agents 1000000 --steps 1 --checkpoint-at-end", "-v 1331200", "--agents"),
        (
            "run maze --device gpu --agents 100 --set map.resolution=4096 --steps 1",
            "-v 1800000",
            "ways to 4 goals need",
        ),
        ("verify rivals --agents 8000000 --steps 1 --free-steps 0", "-v 2000000", "--agents"),
        ("render flock --agents 100 --after 1 --size 8192x8192", "-v 1500000", "8192x8192"),
    ];
    for (line, limit, word) in cases {
        let place = if line.starts_with("run") || line.starts_with("render") {
            format!("--out {}{}", out.display(), if line.starts_with("render") { ".png" } else { "" })
        } else {
            String::new()
        };
        let seen = outcome(limited(&format!("ulimit {limit}"), &format!("{line} {place}")));
        assert_eq!(seen.code, 6, "{line}: {}", seen.err);
        assert!(seen.err.contains("MiB") && seen.err.contains(word), "{line}: {}", seen.err);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0, "{line}");
    }
}

/// Worlds side by side take as much memory after many steps as after a few.
#[test]
fn a_sweep_keeps_nothing_of_its_steps() {
    let temp = TempDir::new().unwrap();
    let experiment = temp.path().join("obstacles.toml");
    fs::write(&experiment, "scene = \"obstacles\"\nsteps = 900\nmetrics_every = 900\n[vary]\nseed = [1, 2]\n").unwrap();
    let line = format!("sweep {} --device gpu --out {}", experiment.display(), temp.path().join("out").display());
    let seen = outcome(limited("ulimit -v 1600000", &line));
    assert_eq!(seen.code, 0, "{}", seen.err);
}

/// A scene whose field is a file, or a formula.
fn scene(folder: &Path, source: &str) -> String {
    let path = folder.join(format!("{}.toml", source.replace('.', "-")));
    let text = format!(
        "schema = 1\nworld.size = [90, 90]\nfield = {{ source = {source:?}, resolution = 4096 }}\n[[species]]\ncount = 30\nbehaviors.flow_field = {{}}\n"
    );
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Under less and less memory, whatever is large is had or refused.
#[test]
fn under_a_staircase_of_limits_it_is_had_or_refused() {
    let temp = TempDir::new().unwrap();
    let field =
        image::ImageBuffer::from_fn(4096, 4096, |x, y| image::Rgba([x as u16 * 16, y as u16 * 16, 0, u16::MAX]));
    field.save(temp.path().join("image.png")).unwrap();
    let record = |number: u32| {
        let header = format!("\"parameterCategory\":2,\"parameterNumber\":{number},\"nx\":2000,\"ny\":2000");
        format!("{{\"header\":{{{header}}},\"data\":[{}0]}}", "1.5,".repeat(2000 * 2000 - 1))
    };
    fs::write(temp.path().join("wind.json"), format!("[{},{}]", record(2), record(3))).unwrap();
    let [image, wind, noise] = ["image.png", "wind.json", "curl_noise"].map(|source| scene(temp.path(), source));
    // Close steps where threads begin to allocate, and where what is large is had by a little.
    let small: &[_] = &[120, 150, 185, 188, 250, 300, 400, 500, 650, 800, 8000];
    let large: &[_] = &[700, 1000, 1200, 1290, 1330, 1370, 1400, 1440, 2000, 16000];
    let cases = [
        (format!("run {image} --device cpu --steps 1"), small),
        (format!("run {wind} --device cpu --steps 1"), small),
        (format!("run {noise} --device cpu --steps 1"), small),
        (format!("run {image} --device gpu --steps 1"), large),
        ("run flock --agents 100 --steps 1 --device gpu".to_owned(), &[120, 400, 900, 1100, 8000]),
        ("render flock --agents 100 --after 1 --size 8192x8192".to_owned(), large),
        ("run flock --agents 1000000 --steps 1 --device cpu".to_owned(), small),
    ];
    for (line, steps) in cases {
        for (step, megabytes) in steps.iter().enumerate() {
            let out = temp.path().join(format!("{megabytes}.png"));
            let seen =
                outcome(limited(&format!("ulimit -v {megabytes}000"), &format!("{line} --out {}", out.display())));
            let what = format!("{line} in {megabytes} MB: {} {}", seen.code, seen.err);
            match step {
                0 => assert_eq!(seen.code, 6, "{what}"),
                last if last + 1 == steps.len() => assert_eq!(seen.code, 0, "{what}"),
                _ => assert!([0, 6].contains(&seen.code), "{what}"),
            }
            assert!(seen.code == 0 || seen.err.contains("MiB"), "{what}");
            let _ = fs::remove_dir_all(&out).or_else(|_| fs::remove_file(&out));
        }
    }
}
