//! Memory that is short: what an input or an output takes is had, or is refused with numbers. Nothing ends the program.

use crate::place::{Outcome, Place, end, names};
use std::fs;

/// Limits of the process are those of the machine.
fn limited(place: &Place, limit: &str, line: &str) -> Outcome {
    end(crate::limited(place, &format!("ulimit {limit}"), line))
}

#[test]
fn what_memory_does_not_hold_is_refused_with_numbers() {
    let place = Place::new();
    for (line, limit, word) in [
        ("run flock --device cpu --agents 4000000 --steps 1 --out out", "-v 900000", "--agents"),
        ("run murmuration --device cpu --agents 9000000 --steps 1 --out out", "-d 1500000", "--agents"),
        ("run rivals --device gpu --agents 4000000 --steps 1 --out out", "-v 1500000", "--agents"),
        ("run flock --device gpu --agents 1000000 --steps 1 --checkpoint-at-end --out out", "-v 1331200", "--agents"),
        (
            "run maze --device gpu --agents 100 --set map.resolution=4096 --steps 1 --out out",
            "-v 1800000",
            "ways to 4 goals need",
        ),
        ("verify rivals --agents 8000000 --steps 1 --free-steps 0", "-v 2000000", "--agents"),
        ("render flock --agents 100 --after 1 --size 8192x8192 --out out.png", "-v 1500000", "8192x8192"),
    ] {
        limited(&place, limit, line).ended(6, &["MiB", word]);
        assert_eq!(names(place.path()), [""; 0], "{line}");
    }
}

/// Worlds side by side take as much memory after many steps as after a few.
#[test]
fn a_sweep_keeps_nothing_of_its_steps() {
    let place = Place::new();
    place.write("many.toml", "scene = \"obstacles\"\nsteps = 900\nmetrics_every = 900\n[vary]\nseed = [1, 2]\n");
    limited(&place, "-v 1600000", "sweep many.toml --device gpu --out out").ended(0, &[]);
}

/// Under less and less memory, whatever is large is had or refused.
#[test]
fn under_a_staircase_of_limits_it_is_had_or_refused() {
    let place = Place::new();
    let field =
        image::ImageBuffer::from_fn(4096, 4096, |x, y| image::Rgba([x as u16 * 16, y as u16 * 16, 0, u16::MAX]));
    field.save(place.at("image.png")).unwrap();
    let record = |number: u32| {
        let header = format!("\"parameterCategory\":2,\"parameterNumber\":{number},\"nx\":2000,\"ny\":2000");
        format!("{{\"header\":{{{header}}},\"data\":[{}0]}}", "1.5,".repeat(2000 * 2000 - 1))
    };
    place.write("wind.json", format!("[{},{}]", record(2), record(3)));
    for (name, source) in [("image", "image.png"), ("wind", "wind.json"), ("noise", "curl_noise")] {
        let field = format!("field = {{ source = {source:?}, resolution = 4096 }}");
        let species = "[[species]]\ncount = 30\nbehaviors.flow_field = {}";
        place.write(&format!("{name}.toml"), format!("schema = 1\nworld.size = [90, 90]\n{field}\n{species}\n"));
    }
    // Close steps where threads begin to allocate, and where what is large is had by a little.
    let small: &[_] = &[120, 150, 185, 188, 250, 300, 400, 500, 650, 800, 8000];
    let large: &[_] = &[700, 1000, 1200, 1290, 1330, 1370, 1400, 1440, 2000, 16000];
    for (line, steps) in [
        ("run image.toml --device cpu --steps 1", small),
        ("run wind.toml --device cpu --steps 1", small),
        ("run noise.toml --device cpu --steps 1", small),
        ("run image.toml --device gpu --steps 1", large),
        ("run flock --agents 100 --steps 1 --device gpu", &[120, 400, 900, 1100, 8000]),
        ("render flock --agents 100 --after 1 --size 8192x8192", large),
        ("run flock --agents 1000000 --steps 1 --device cpu", small),
    ] {
        for (step, megabytes) in steps.iter().enumerate() {
            let seen = limited(&place, &format!("-v {megabytes}000"), &format!("{line} --out out.png"));
            let what = format!("{line} in {megabytes} MB: {} {}", seen.code, seen.err);
            match step {
                0 => assert_eq!(seen.code, 6, "{what}"),
                last if last + 1 == steps.len() => assert_eq!(seen.code, 0, "{what}"),
                _ => assert!([0, 6].contains(&seen.code), "{what}"),
            }
            assert!(seen.code == 0 || seen.err.contains("MiB"), "{what}");
            let out = place.at("out.png");
            let _ = fs::remove_dir_all(&out).or_else(|_| fs::remove_file(&out));
        }
    }
}
