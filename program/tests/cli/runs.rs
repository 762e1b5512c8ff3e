//! What a run leaves, and how it begins and ends.

use super::place::Place;
use super::{blind, root};
use std::fs;
use std::path::Path;
use support::npy::{npy, with_header};

/// Shape and numbers of a state that a run wrote.
pub fn state(path: &Path) -> (Vec<u64>, Vec<f32>) {
    let file = npyz::NpyFile::new(fs::File::open(path).unwrap()).unwrap();
    (file.shape().to_vec(), file.into_vec().unwrap())
}

fn array(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy(&format!("'{descr}'"), fortran == "True", shape, data)
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn a_run_leaves_a_manifest_metrics_and_states() {
    let place = Place::new();
    let arguments = "flock --agents 300 --steps 25 --every 10 --seed 7 --set species.0.behaviors.cohesion.weight=2";
    place.run(arguments, "run");
    let run = place.manifest("run");
    assert_eq!(run["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&run["seed"], &run["agents"]), (&7.into(), &300.into()));
    assert_eq!((&run["steps"], &run["steps_asked"], &run["ended"]), (&25.into(), &25.into(), &"steps".into()));
    assert_eq!(run["scene"]["overrides"], serde_json::json!(["species.0.behaviors.cohesion.weight=2", "seed=7"]));
    assert!(run["device"]["backend"].is_string() && run["device"]["driver"].is_string());
    assert_eq!(run["device"]["exact"], true);
    assert!(run["timings"]["step_median"].as_f64().unwrap() > 0.0);
    assert!(run["polarization"].as_f64().unwrap() <= 1.0 && run["mean_neighbors"].as_f64().unwrap() > 0.0);

    let metrics = place.table("run/metrics.csv");
    assert_eq!(metrics.column("step"), ["0", "10", "20", "25"]);
    let digest = run["digest"].as_str().unwrap();
    assert_eq!((digest.len(), metrics.column("digest")[3]), (32, digest));

    let files = serde_json::json!(["states/000000.npy", "states/000010.npy", "states/000020.npy", "states/000025.npy"]);
    assert_eq!(run["states"]["files"], files);
    assert_eq!(run["states"]["columns"], serde_json::json!(["x", "y", "vx", "vy"]));
    let (shape, values) = state(&place.at("run/states/000025.npy"));
    assert_eq!(shape, [300, 4]);
    assert!(values.chunks(4).all(|row| row[2].hypot(row[3]) <= 24.001), "no agent is faster than its species");
    assert_eq!(fs::read_dir(place.at("run")).unwrap().count(), 3);
}

#[test]
fn what_a_map_takes_is_said_beforehand() {
    let place = Place::new();
    let err = |scene: &str| place.good(&format!("run {scene} --agents 100 --steps 0 --device cpu")).err;
    let maze = err("maze --set map.resolution=256");
    // 4 bytes for each of 258 x 151 cells, and 8 for each of 256 x 149 and each goal.
    let said = "note: the map has 256 x 149 cells, 0.1 MiB of walls and 1.2 MiB of ways to 4 goals\n";
    assert!(maze.contains(said), "{maze}");
    assert!(!err("flock").contains("note: the map"));
}

#[test]
fn metrics_have_a_hundred_rows_and_one_state_by_default() {
    let place = Place::new();
    place.run("murmuration --agents 1500 --steps 250", "run");
    assert_eq!(place.table("run/metrics.csv").rows.len(), 1 + 83 + 1, "every 3 steps, and the start and the end");
    assert_eq!(place.manifest("run")["states"]["files"], serde_json::json!(["states/000250.npy"]));
    assert_eq!(state(&place.at("run/states/000250.npy")).0, [1500, 6]);
}

#[test]
fn a_run_continues_from_a_state_as_if_it_had_not_stopped() {
    // Nobody in them remembers anything.
    let plane = root().join("assets/benchmarks/flock.toml");
    for scene in [plane.to_str().unwrap(), "murmuration"] {
        let place = Place::new();
        place.run(&format!("{scene} --agents 1200 --steps 40 --every 20"), "whole");
        let from = format!("{scene} --agents 1200 --from whole/states/000020.npy --steps");
        place.run(&format!("{from} 20"), "rest");
        assert_eq!(place.digest("whole"), place.digest("rest"));
        // Falcons come behind starlings.
        let manifest = place.manifest("rest");
        let last = manifest["scene"]["species"].as_array().unwrap().last().unwrap();
        let number = |key: &str| last[key].as_u64().unwrap();
        assert_eq!(number("first_id") + number("count"), 1200);
        place.run(&format!("{from} 0 --every 1"), "still");
        assert_eq!(place.table("whole/metrics.csv").column("digest")[1], place.digest("still"));
        let [then, still] = ["whole/states/000020.npy", "still/states/000000.npy"].map(|name| fs::read(place.at(name)));
        assert_eq!(then.unwrap(), still.unwrap());
    }
}

#[test]
fn a_state_may_be_float64_big_endian_or_in_fortran_order() {
    let place = Place::new();
    let rows: [[f32; 4]; 3] = [[1.0, 2.0, 3.0, 4.0], [-5.0, 6.5, 7.0, -8.0], [9.0, -10.0, 11.25, 12.0]];
    let flat = rows.as_flattened();
    let columns: Vec<f32> = (0..12).map(|i| rows[i % 3][i / 3]).collect();
    let cases = [
        ("c", array("<f4", "False", "(3, 4)", &floats(flat))),
        (
            "double",
            array("<f8", "False", "(3, 4)", &flat.iter().flat_map(|&x| f64::from(x).to_le_bytes()).collect::<Vec<_>>()),
        ),
        ("big", array(">f4", "False", "(3, 4)", &flat.iter().flat_map(|x| x.to_be_bytes()).collect::<Vec<_>>())),
        ("fortran", array("<f4", "True", "(3, 4)", &floats(&columns))),
    ];
    for (name, bytes) in cases {
        place.write(&format!("{name}.npy"), bytes);
        place.run(&format!("flock --steps 0 --from {name}.npy"), name);
        assert_eq!(state(&place.at(&format!("{name}/states/000000.npy"))), (vec![3, 4], flat.to_vec()), "{name}");
        assert_eq!(place.manifest(name)["scene"]["world_size"], serde_json::json!([3200.0, 1800.0]), "not scaled");
    }
}

#[test]
fn agents_that_are_not_finite_stand_still_and_are_counted() {
    let place = Place::new();
    let mut values = vec![0.5f32; 16];
    (values[5], values[10], values[4 * 3]) = (f32::NAN, f32::INFINITY, 2e9);
    place.write("bad.npy", array("<f4", "False", "(4, 4)", &floats(&values)));
    for device in ["gpu", "cpu"] {
        let seen = place.good(&format!("run flock --from bad.npy --steps 3 --device {device} --out {device}"));
        assert!(seen.err.contains("3 agents of the state are not finite"), "{}", seen.err);
        assert!(seen.out.contains("3 bad agents (the first is 1)"), "{}", seen.out);
        let run = place.manifest(device);
        assert_eq!((&run["bad_agents"], &run["first_bad"]), (&3.into(), &1.into()));
        assert_eq!(place.table(&format!("{device}/metrics.csv")).column("bad_agents")[0], "3");
        let (_, numbers) = state(&place.at(&format!("{device}/states/000003.npy")));
        assert!(numbers[4..8].iter().all(|number| number.is_nan()) && numbers[0].is_finite(), "{numbers:?}");
    }
}

/// Coordinates that were counted from a corner are noticed where an end of the world is closed, as are speeds that are cut.
#[test]
fn agents_that_start_beyond_bounds_are_counted() {
    let place = Place::new();
    let rows = [[9.0, 1.0, 1.0, 0.0], [11.0, 1.0, 1.0, 0.0], [1.0, -11.0, 1.0, 0.0], [1.0, 1.0, 0.0, 99.0]];
    place.write("some.npy", array("<f4", "False", "(4, 4)", &floats(rows.as_flattened())));
    let (outside, fast) = ("agents of the state are outside of the world", "1 agents of the state are faster than");
    for (ends, count) in [("contain", Some(2)), ("open", None), ("wrap", None)] {
        let set = format!("--set 'world={{size=[20,20],boundary=\"{ends}\",margin=2}}'");
        let seen = place.good(&format!("run flock --from some.npy --steps 1 --device cpu {set} --out {ends}"));
        let said = seen.err.find(outside).map(|at| seen.err[..at].trim_end().chars().last().unwrap());
        assert_eq!(said, count.map(|count: u32| char::from_digit(count, 10).unwrap()), "{ends}: {}", seen.err);
        assert!(seen.err.contains(fast), "{ends}: {}", seen.err);
    }
}

#[test]
fn no_steps_and_no_agents_are_legal() {
    let place = Place::new();
    for device in ["gpu", "cpu"] {
        let [empty, still] = ["empty", "still"].map(|name| format!("{name}-{device}"));
        place.run(&format!("flock --agents 0 --steps 3 --device {device}"), &empty);
        assert_eq!(state(&place.at(&format!("{empty}/states/000003.npy"))), (vec![0, 4], vec![]));
        assert_eq!(place.digest(&empty), "0".repeat(32));
        let rows = place.run(&format!("flock --set species.0.count=1 --steps 0 --device {device}"), &still);
        assert_eq!(rows.lines().count(), 2, "the columns and a row");
        assert!(place.manifest(&still)["timings"]["step_median"].is_null());
        assert!(place.at(&still).join("states/000000.npy").exists());
    }
}

#[test]
fn the_summary_names_what_was_written_and_the_default_folder_is_below_out() {
    let place = Place::new();
    let seen = place.good("run flock --agents 80 --steps 2 --seed 3");
    let lines: Vec<&str> = seen.out.lines().collect();
    let [json, metrics, state, summary] = lines[..] else { panic!("{}", seen.out) };
    for path in [json, metrics, state] {
        assert!(Path::new(path).is_absolute() && Path::new(path).is_file(), "{path}");
    }
    let folder = Path::new(json).parent().unwrap().file_name().unwrap().to_str().unwrap();
    let stamp = folder.strip_prefix("flock-3-2").unwrap_or_else(|| panic!("{folder}"));
    assert!(stamp.len() == 15 && stamp.ends_with('Z') && stamp.contains('T'), "{folder}");
    assert!(summary.starts_with("flock: 80 agents, 2 steps in"), "{summary}");
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let place = Place::new();
    let nested =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {}1{}, }}", "(".repeat(200), ")".repeat(200));
    let mut huge = b"\x93NUMPY\x02\x00".to_vec();
    huge.extend(u32::MAX.to_le_bytes());
    huge.extend([b' '; 64]);
    let row = floats(&[0.0; 4]);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", vec![], "is not an NPY file"),
        ("text", b"x,y,vx,vy\n1,2,3,4\n".to_vec(), "is not an NPY file"),
        ("version", [&b"\x93NUMPY\x04\x00"[..], &[255; 4], &[b' '; 64]].concat(), "unsupported version, 4.0"),
        ("huge header", huge, "has an NPY header of 4294967295 bytes; at most 1000"),
        (
            "cut header",
            with_header("{'descr': '<f4', 'fortran_order'", &[])[..30].to_vec(),
            "ends within its NPY header",
        ),
        ("nested header", with_header(&nested, &row), "does not hold a plain array"),
        ("no header", with_header("{}", &row), "no NPY header that can be read"),
        (
            "other words",
            with_header("{'descr': '<f4', zz 'shape': (1, 4)}", &row),
            "could not parse Python expression: syntax error at 1:18\n",
        ),
        ("integers", array("<i4", "False", "(1, 4)", &row), "numbers of the type `<i4`; float32 or float64"),
        ("half", array("<f2", "False", "(1, 4)", &row), "numbers of the type `<f2`"),
        ("objects", array("|O", "False", "(1, 4)", &row), "numbers of the type `|O`"),
        ("flat", array("<f4", "False", "(4,)", &row), "has the shape (4); (agents, 4) is needed"),
        ("wide", array("<f4", "False", "(1, 6)", &row), "has the shape (1, 6); (agents, 4) is needed"),
        ("cube", array("<f4", "False", "(1, 1, 4)", &row), "has the shape (1, 1, 4)"),
        ("negative", array("<f4", "False", "(-1, 4)", &row), "negative"),
        (
            "short",
            array("<f4", "False", "(2, 4)", &row),
            "is cut short: the shape (2, 4) needs 32 bytes after the header, and there are 16",
        ),
        ("long", array("<f8", "False", "(0, 4)", &row), "is too long: the shape (0, 4) needs 0 bytes"),
        ("giant", array("<f4", "False", "(9000000000, 4)", &row), "has 9000000000 rows; there may be 1073741824"),
        ("overflow", array("<f4", "False", "(18446744073709551615, 4)", &row), "larger than any file"),
        ("rows", array("<f4", "False", "(1, 4)", &row), "has 1 rows, and --agents asks for 500"),
    ];
    for (name, bytes, message) in cases {
        place.write(&format!("{name}.npy"), bytes);
        let more = if name == "rows" { "--agents 500" } else { "" };
        let line = format!("run flock --device cpu --from '{name}.npy' --out no {more}");
        let seen = place.refused(&line, 5, message);
        assert!(seen.err.contains(&format!("{name}.npy")), "{name}: {}", seen.err);
    }
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let place = Place::new();
    place.write("mine/thesis.txt", "years of work");
    for (out, message) in [("mine", "is not empty"), ("mine/thesis.txt", "is not a folder")] {
        let seen = place.refused(&format!("run flock --agents 80 --steps 1 --out {out}"), 1, message);
        assert!(seen.err.contains(out), "{}", seen.err);
    }
    assert_eq!(fs::read_dir(place.at("mine")).unwrap().count(), 1);
    assert_eq!(place.text("mine/thesis.txt"), "years of work");
    fs::create_dir(place.at("empty")).unwrap();
    place.run("flock --agents 80 --steps 1", "empty");
}

#[test]
fn without_a_gpu_it_says_what_to_do_or_takes_the_reference() {
    let place = Place::new();
    let run = "run flock --agents 200 --steps 5 --out out";
    let insisting = blind(&place, &format!("{run} --device gpu"));
    assert_eq!(insisting.code, 4, "{}", insisting.err);
    for words in ["Backends tried", "mesa-vulkan-drivers", "WGPU_BACKEND=gl", "--device cpu"] {
        assert!(insisting.err.contains(words), "`{words}` is not in: {}", insisting.err);
    }
    assert!(!place.at("out").exists());
    assert_eq!(blind(&place, "adapters").code, 4);
    let listed = blind(&place, "adapters --json");
    assert_eq!((listed.code, listed.out.trim()), (4, "[]"));

    let falling_back = blind(&place, run);
    assert_eq!(falling_back.code, 0, "{}", falling_back.err);
    assert!(falling_back.err.contains("note: running on the CPU reference"), "{}", falling_back.err);
    assert_eq!(place.manifest("out")["device"]["adapter"], "cpu reference");
}
