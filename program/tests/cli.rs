//! The command line as a user meets it: files that a run leaves, exit codes and messages for bad input, Ctrl-C.
//!
//! These tests need an adapter that computes as written, such as lavapipe, and fail without one.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use steerling::gpu::shaders::Sources;
use steerling_conform::select;
use tempfile::TempDir;

/// The folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn steerling(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steerling"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}

/// A process that finds no GPU.
fn blind(arguments: &[&str]) -> Command {
    let mut command = steerling(arguments);
    command.env("WGPU_BACKEND", "vulkan");
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    command
}

struct Outcome {
    code: i32,
    out: String,
    err: String,
}

fn outcome(mut command: Command) -> Outcome {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

fn call(arguments: &[&str]) -> Outcome {
    outcome(steerling(arguments))
}

/// Run a scene into a new folder of `parent`, and return that folder.
fn run(parent: &TempDir, name: &str, arguments: &str) -> PathBuf {
    let folder = parent.path().join(name);
    let mut all: Vec<&str> = vec!["run"];
    all.extend(arguments.split_whitespace());
    all.extend(["--out", folder.to_str().unwrap()]);
    let Outcome { code, err, .. } = call(&all);
    assert_eq!(code, 0, "{arguments}: {err}");
    folder
}

fn manifest(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("run.json")).unwrap()).unwrap()
}

fn metrics(folder: &Path) -> Vec<csv::StringRecord> {
    csv::Reader::from_path(folder.join("metrics.csv")).unwrap().records().map(Result::unwrap).collect()
}

/// Shape and numbers of a state that a run wrote.
fn state(path: &Path) -> (Vec<u64>, Vec<f32>) {
    let file = npyz::NpyFile::new(fs::File::open(path).unwrap()).unwrap();
    (file.shape().to_vec(), file.into_vec().unwrap())
}

/// The bytes of an NPY file, version 1.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn array(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy(&format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n"), data)
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

const TWO_SPECIES: &str = r#"schema = 1
[world]
size = [100, 100]
boundary = "wrap"
[[species]]
name = "a"
count = 3
[[species]]
name = "b"
count = 2
"#;

#[test]
fn a_run_leaves_a_manifest_metrics_and_states() {
    let temp = TempDir::new().unwrap();
    let arguments = "flock --agents 300 --steps 25 --every 10 --seed 7 --set species.0.behaviors.cohesion.weight=2";
    let folder = run(&temp, "run", arguments);
    let run = manifest(&folder);
    assert_eq!(run["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&run["seed"], &run["agents"]), (&7.into(), &300.into()));
    assert_eq!((&run["steps"], &run["steps_asked"], &run["ended"]), (&25.into(), &25.into(), &"steps".into()));
    assert_eq!(run["scene"]["overrides"], serde_json::json!(["species.0.behaviors.cohesion.weight=2", "seed=7"]));
    assert!(run["device"]["backend"].is_string() && run["device"]["driver"].is_string());
    assert!(run["timings"]["step_median"].as_f64().unwrap() > 0.0);
    assert!(run["polarization"].as_f64().unwrap() <= 1.0 && run["mean_neighbors"].as_f64().unwrap() > 0.0);

    let rows = metrics(&folder);
    let steps: Vec<&str> = rows.iter().map(|row| &row[0]).collect();
    assert_eq!(steps, ["0", "10", "20", "25"]);
    let digest = run["digest"].as_str().unwrap();
    assert_eq!((digest.len(), &rows[3][6]), (32, digest));

    let files = serde_json::json!(["states/000000.npy", "states/000010.npy", "states/000020.npy", "states/000025.npy"]);
    assert_eq!(run["states"]["files"], files);
    assert_eq!(run["states"]["columns"], serde_json::json!(["x", "y", "vx", "vy"]));
    let (shape, values) = state(&folder.join("states/000025.npy"));
    assert_eq!(shape, [300, 4]);
    assert!(values.chunks(4).all(|row| row[2].hypot(row[3]) <= 24.001), "no agent is faster than its species");
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn metrics_have_a_hundred_rows_and_one_state_by_default() {
    let temp = TempDir::new().unwrap();
    let folder = run(&temp, "run", "murmuration --agents 1500 --steps 250");
    assert_eq!(metrics(&folder).len(), 1 + 83 + 1, "every 3 steps, and the start and the end");
    assert_eq!(manifest(&folder)["states"]["files"], serde_json::json!(["states/000250.npy"]));
    assert_eq!(state(&folder.join("states/000250.npy")).0, [1500, 6]);
}

#[test]
fn the_digest_is_that_of_the_reference_and_of_every_process() {
    let temp = TempDir::new().unwrap();
    for scene in ["flock", "murmuration"] {
        let digest = |name: &str, device: &str| {
            let arguments = format!("{scene} --agents 1200 --steps 40 {device}");
            let run = manifest(&run(&temp, &format!("{scene}-{name}"), &arguments));
            assert_eq!(run["device"]["exact"], true);
            run["digest"].as_str().unwrap().to_owned()
        };
        let first = digest("first", "--device gpu");
        assert_eq!(first, digest("second", "--device gpu"));
        assert_eq!(first, digest("reference", "--device cpu"));
        assert_ne!(first, digest("other", "--device gpu --seed 2"));
    }
}

#[test]
fn a_run_continues_from_a_state_as_if_it_had_not_stopped() {
    let temp = TempDir::new().unwrap();
    // Nobody in them remembers anything.
    let plane = root().join("assets/benchmarks/flock.toml");
    for (plain, scene) in [("flock", plane.to_str().unwrap()), ("murmuration", "murmuration")] {
        let at = |name: &str| format!("{plain}-{name}");
        let whole = run(&temp, &at("whole"), &format!("{scene} --agents 1200 --steps 40 --every 20"));
        let middle = whole.join("states/000020.npy");
        let rest = format!("{scene} --agents 1200 --steps 20 --from {}", middle.display());
        let rest = run(&temp, &at("rest"), &rest);
        assert_eq!(manifest(&whole)["digest"], manifest(&rest)["digest"]);
        let still = format!("{scene} --agents 1200 --steps 0 --every 1 --from {}", middle.display());
        let still = run(&temp, &at("still"), &still);
        assert_eq!(&metrics(&whole)[1][6], manifest(&still)["digest"].as_str().unwrap());
        assert_eq!(fs::read(&middle).unwrap(), fs::read(still.join("states/000000.npy")).unwrap());
    }
}

#[test]
fn a_state_may_be_float64_big_endian_or_in_fortran_order() {
    let temp = TempDir::new().unwrap();
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
        let file = temp.path().join(format!("{name}.npy"));
        fs::write(&file, bytes).unwrap();
        let folder = run(&temp, name, &format!("flock --steps 0 --from {}", file.display()));
        assert_eq!(state(&folder.join("states/000000.npy")), (vec![3, 4], flat.to_vec()), "{name}");
        assert_eq!(manifest(&folder)["scene"]["world_size"], serde_json::json!([3200.0, 1800.0]), "not scaled");
    }
}

#[test]
fn agents_that_are_not_finite_stand_still_and_are_counted() {
    let temp = TempDir::new().unwrap();
    let file = temp.path().join("bad.npy");
    let mut values = vec![0.5f32; 16];
    (values[5], values[10], values[4 * 3]) = (f32::NAN, f32::INFINITY, 2e9);
    fs::write(&file, array("<f4", "False", "(4, 4)", &floats(&values))).unwrap();
    for device in ["gpu", "cpu"] {
        let out = temp.path().join(device);
        let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
        let seen = call(&["run", "flock", "--from", file, "--steps", "3", "--device", device, "--out", out]);
        assert_eq!(seen.code, 0, "{}", seen.err);
        assert!(seen.err.contains("3 agents of the state are not finite"), "{}", seen.err);
        assert!(seen.out.contains("3 bad agents (the first is 1)"), "{}", seen.out);
        let run = manifest(Path::new(out));
        assert_eq!((&run["bad_agents"], &run["first_bad"]), (&3.into(), &1.into()));
        assert_eq!(&metrics(Path::new(out))[0][5], "3");
        assert_eq!(state(&Path::new(out).join("states/000003.npy")).1[6..8], [0.0, 0.0]);
    }
}

#[test]
fn no_steps_and_no_agents_are_legal() {
    let temp = TempDir::new().unwrap();
    for device in ["gpu", "cpu"] {
        let empty = run(&temp, &format!("empty-{device}"), &format!("flock --agents 0 --steps 3 --device {device}"));
        assert_eq!(state(&empty.join("states/000003.npy")), (vec![0, 4], vec![]));
        assert_eq!(manifest(&empty)["digest"], "0".repeat(32));
        let still = run(
            &temp,
            &format!("still-{device}"),
            &format!("flock --set species.0.count=1 --steps 0 --device {device}"),
        );
        assert_eq!(metrics(&still).len(), 1);
        assert!(manifest(&still)["timings"]["step_median"].is_null());
        assert!(still.join("states/000000.npy").exists());
    }
}

#[test]
fn several_species_need_a_state_with_a_row_for_each_agent() {
    let temp = TempDir::new().unwrap();
    let scene = temp.path().join("two.toml");
    fs::write(&scene, TWO_SPECIES).unwrap();
    let file = temp.path().join("five.npy");
    fs::write(&file, array("<f4", "False", "(5, 4)", &floats(&[1.0; 20]))).unwrap();
    let folder = run(&temp, "run", &format!("{} --steps 1 --from {}", scene.display(), file.display()));
    let species = &manifest(&folder)["scene"]["species"];
    assert_eq!((&species[1]["first_id"], &species[1]["count"]), (&3.into(), &2.into()));
}

#[test]
fn the_summary_names_what_was_written_and_the_default_folder_is_below_out() {
    let temp = TempDir::new().unwrap();
    let mut command = steerling(&["run", "flock", "--agents", "80", "--steps", "2", "--seed", "3"]);
    command.current_dir(temp.path());
    let seen = outcome(command);
    assert_eq!(seen.code, 0, "{}", seen.err);
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

/// Each gives its exit code and one message with these words, and writes nothing.
#[test]
fn bad_input_gives_one_message_and_writes_nothing() {
    let temp = TempDir::new().unwrap();
    let folder = temp.path().to_str().unwrap();
    let cases: &[(&str, i32, &[&str])] = &[
        ("run nowhere.toml", 5, &["nowhere.toml: there is no preset and no file"]),
        ("run flok", 5, &["did you mean `flock`"]),
        ("run DIR", 5, &["is a directory"]),
        ("run flock --set nonsense", 5, &["--set nonsense", "KEY=VALUE"]),
        ("run flock --set species.0.mas=2", 5, &["mas", "did you mean `mass`"]),
        ("run flock --set dt=-1", 5, &["--set dt=-1", "dt = -1"]),
        ("run flock --set species.0.max_speed=1e39", 5, &["max_speed"]),
        ("run flock --seed -1", 2, &["--seed"]),
        ("run flock --agents -5", 2, &["--agents", "-5"]),
        ("run flock --steps -1", 2, &["--steps", "-1"]),
        ("run flock --steps many", 2, &["many"]),
        ("run flock --every 0", 2, &["--every", "0"]),
        ("run flock --device tpu", 2, &["gpu", "cpu"]),
        ("run flock --nonsense", 2, &["--nonsense"]),
        ("run flock --adapter voodoo3", 2, &["no adapter has the name `voodoo3`", "0: "]),
        ("run flock --adapter 99", 2, &["no adapter has index 99"]),
        ("run flock --device cpu --adapter 0", 2, &["--adapter", "--device cpu"]),
        ("run flock --device gpu --agents 100000000", 6, &["100000000 agents need", "allows", "use --agents"]),
        ("run flock --device cpu --agents 1000000000", 6, &["1000000000 agents need", "MiB", "use --agents"]),
        ("run flock --agents 2000000000", 5, &["2000000000 agents", "2^30"]),
        ("run flock --shaders DIR/none", 5, &["DIR/none: is not a folder"]),
        ("run flock --shaders DIR", 5, &["has no shader file such as sim/steer.wgsl"]),
        ("run flock --from DIR/none.npy", 5, &["DIR/none.npy: cannot be read"]),
        ("run flock --from DIR", 5, &["is a directory, and no regular file"]),
        ("adapters --jsn", 2, &["--json"]),
        ("conform seperation_pair", 2, &["no law has `seperation_pair`", "did you mean `separation_pair`"]),
        ("conform --only tpu", 2, &["cpu", "gpu"]),
        ("conform --seed -1", 2, &["--seed"]),
        ("conform --shaders DIR", 5, &["has no shader file such as sim/steer.wgsl"]),
        ("scenes --show flok", 5, &["--show flok", "did you mean `flock`"]),
        ("nonsense", 2, &["nonsense"]),
    ];
    for (line, code, words) in cases {
        let line = line.replace("DIR", folder);
        let mut arguments: Vec<&str> = line.split_whitespace().collect();
        let out = temp.path().join("out");
        if arguments[0] == "run" {
            arguments.extend(["--out", out.to_str().unwrap()]);
        }
        let seen = call(&arguments);
        assert_eq!(seen.code, *code, "{line}: {}", seen.err);
        for word in *words {
            assert!(seen.err.contains(&word.replace("DIR", folder)), "{line}: `{word}` is not in: {}", seen.err);
        }
        assert_eq!(seen.err.matches("error:").count(), 1, "{line}: {}", seen.err);
        assert!(!seen.err.contains("panicked") && seen.out.is_empty() && !out.exists(), "{line}: {}", seen.err);
    }
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let temp = TempDir::new().unwrap();
    let nested =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {}1{}, }}", "(".repeat(200), ")".repeat(200));
    let mut huge = b"\x93NUMPY\x02\x00".to_vec();
    huge.extend(u32::MAX.to_le_bytes());
    huge.extend([b' '; 64]);
    let row = floats(&[0.0; 4]);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", vec![], "is not an NPY file"),
        ("text", b"x,y,vx,vy\n1,2,3,4\n".to_vec(), "is not an NPY file"),
        ("version", [&b"\x93NUMPY\x09\x00"[..], &[10, 0, 0, 0], &[b' '; 64]].concat(), "unsupported version"),
        ("huge header", huge, "has an NPY header of 4294967295 bytes; at most 1000"),
        ("cut header", npy("{'descr': '<f4', 'fortran_order'", &[])[..30].to_vec(), "ends within its NPY header"),
        ("nested header", npy(&nested, &row), "does not hold a plain array"),
        ("no header", npy("{}", &row), "no NPY header that can be read"),
        (
            "other words",
            npy("{'descr': '<f4', zz 'shape': (1, 4)}", &row),
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
            "is cut short: 2 rows need 32 bytes after the header, and there are 16",
        ),
        ("long", array("<f8", "False", "(0, 4)", &row), "is too long: 0 rows need 0 bytes"),
        ("giant", array("<f4", "False", "(9000000000, 4)", &row), "has 9000000000 rows; there may be 1073741824"),
        ("overflow", array("<f4", "False", "(18446744073709551615, 4)", &row), "larger than any file"),
        ("rows", array("<f4", "False", "(1, 4)", &row), "has 1 rows, and --agents asks for 500"),
    ];
    for (name, bytes, message) in cases {
        let file = temp.path().join(format!("{name}.npy"));
        fs::write(&file, bytes).unwrap();
        let out = temp.path().join("out");
        let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
        let mut arguments = vec!["run", "flock", "--device", "cpu", "--from", file, "--out", out];
        if name == "rows" {
            arguments.extend(["--agents", "500"]);
        }
        let seen = call(&arguments);
        assert_eq!(seen.code, 5, "{name}: {}", seen.err);
        assert!(seen.err.contains(file) && seen.err.contains(message), "{name}: {}", seen.err);
        assert!(!seen.err.contains("panicked") && !Path::new(out).exists(), "{name}: {}", seen.err);
    }
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let temp = TempDir::new().unwrap();
    let mine = temp.path().join("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("thesis.txt"), "years of work").unwrap();
    for (out, message) in [(mine.clone(), "is not empty"), (mine.join("thesis.txt"), "is not a folder")] {
        let seen = call(&["run", "flock", "--agents", "80", "--steps", "1", "--out", out.to_str().unwrap()]);
        assert_eq!(seen.code, 1, "{}", seen.err);
        assert!(seen.err.contains(out.to_str().unwrap()) && seen.err.contains(message), "{}", seen.err);
    }
    assert_eq!(fs::read_dir(&mine).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(mine.join("thesis.txt")).unwrap(), "years of work");
    fs::create_dir(temp.path().join("empty")).unwrap();
    run(&temp, "empty", "flock --agents 80 --steps 1");
}

#[test]
fn a_broken_shader_is_shown_at_its_real_place() {
    let temp = TempDir::new().unwrap();
    fs::create_dir(temp.path().join("sim")).unwrap();
    let file = temp.path().join("sim/steer.wgsl");
    let good = include_str!("../../shaders/sim/steer.wgsl");
    let line = good.lines().count() + 2;
    fs::write(&file, format!("{good}\nfn broken() -> f32 {{ return nothing; }}\n")).unwrap();
    let out = temp.path().join("out");
    let shaders = temp.path().to_str().unwrap();
    let seen = call(&["run", "flock", "--agents", "80", "--shaders", shaders, "--out", out.to_str().unwrap()]);
    assert_eq!(seen.code, 5, "{}", seen.err);
    let place = format!("{}:{line}:29: ", file.display());
    assert!(seen.err.contains(&place) && seen.err.contains("nothing"), "`{place}` is not in: {}", seen.err);
    assert!(!out.exists());
}

#[test]
fn shaders_from_a_folder_that_are_the_same_compute_the_same() {
    let temp = TempDir::new().unwrap();
    let shaders = root().join("shaders");
    let own = manifest(&run(&temp, "own", &format!("flock --agents 900 --steps 20 --shaders {}", shaders.display())));
    let built_in = manifest(&run(&temp, "built-in", "flock --agents 900 --steps 20"));
    assert_eq!(own["device"]["shaders"], serde_json::json!([]), "none of them says something else");
    assert_eq!(own["digest"], built_in["digest"]);
}

#[test]
fn laws_are_listed_tried_and_reported() {
    let listed = call(&["conform", "separation", "--list"]);
    assert_eq!(listed.code, 0, "{}", listed.err);
    assert!(listed.out.lines().any(|line| line.starts_with("separation_pair ") && line.contains("k/d")));
    let tried = call(&["conform", "separation_pair"]);
    assert_eq!(tried.code, 0, "{}", tried.err);
    let lines: Vec<&str> = tried.out.lines().filter(|line| line.starts_with("separation_pair ")).collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.ends_with("pass")), "{}", tried.out);
    assert!(lines[0].contains("cpu") && lines[1].contains("gpu"), "{}", tried.out);
    assert!(tried.out.contains("1 laws, 128 cases, 0 failed, seed 1"), "{}", tried.out);
    // The reference needs no GPU; asking for one that is not there is another matter.
    let json = outcome(blind(&["conform", "separation_pair", "--only", "cpu", "--seed", "5", "--json"]));
    assert_eq!(json.code, 0, "{}", json.err);
    let report: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&report["pass"], &report["seed"], &report["cases"]), (&true.into(), &5.into(), &64.into()));
    assert_eq!(outcome(blind(&["conform", "separation_pair"])).code, 4);
}

#[test]
fn a_mistake_in_a_shader_ends_in_fail() {
    let temp = TempDir::new().unwrap();
    fs::create_dir(temp.path().join("behaviors")).unwrap();
    let mut shaders = Sources::default();
    let (_, law) = select("separation_pair")[0];
    law.mutant.apply(&mut shaders).unwrap();
    fs::write(temp.path().join("behaviors/separation.wgsl"), shaders.text("behaviors/separation.wgsl").unwrap())
        .unwrap();
    let seen = call(&["conform", "separation_pair", "--shaders", temp.path().to_str().unwrap()]);
    assert_eq!(seen.code, 3, "{}", seen.err);
    let line =
        |backend: &str| seen.out.lines().find(|line| line.contains("separation_pair ") && line.contains(backend));
    assert!(line("cpu").unwrap().ends_with("pass") && line("gpu").unwrap().ends_with("FAIL"), "{}", seen.out);
    assert!(seen.out.contains("separation_pair on gpu: 64 of 64 cases fail") && seen.out.contains("; k = "));
    assert!(seen.err.contains("1 of 1 laws fail: separation_pair"), "{}", seen.err);
}

#[test]
fn verify_says_whether_the_digest_is_known() {
    let said = |flags: &str| {
        call(&["verify", "flock", "--steps", "1"].into_iter().chain(flags.split(' ')).collect::<Vec<_>>())
    };
    assert!(said("--agents 1500").out.contains("digest known: llvmpipe and SwiftShader agree on it"));
    assert!(said("--agents 200").out.contains("digest not known for these numbers"));
    let temp = TempDir::new().unwrap();
    fs::create_dir(temp.path().join("behaviors")).unwrap();
    let mut shaders = Sources::default();
    select("separation_pair")[0].1.mutant.apply(&mut shaders).unwrap();
    let mistaken = shaders.text("behaviors/separation.wgsl").unwrap();
    fs::write(temp.path().join("behaviors/separation.wgsl"), mistaken).unwrap();
    let other = said(&format!("--agents 1500 --shaders {}", temp.path().display()));
    assert!(other.code == 3 && other.out.contains("digest OTHER than the known one"), "{}", other.out);
}

#[test]
fn shaders_are_printed_pass_by_pass_in_any_language() {
    let passes = call(&["shaders", "flock"]).out.lines().filter(|line| line.contains(" world ")).count();
    let all = call(&["shaders", "flock", "--language", "msl"]).out;
    assert_eq!((all.matches("// pass ").count(), all.matches("kernel void ").count()), (passes, passes));
    let small = call(&["shaders", "flock", "--language", "wgsl", "--default-limits"]).out;
    assert!(small.contains("texture_storage_2d") && !small.contains("// pass stride"), "{small}");
    let binary = call(&["shaders", "flock", "--language", "spirv"]);
    assert!(binary.code == 2 && binary.err.contains("name one pass"), "{}", binary.err);
}

#[test]
fn without_a_gpu_it_says_what_to_do_or_takes_the_reference() {
    let temp = TempDir::new().unwrap();
    let out = temp.path().join("out");
    let out = out.to_str().unwrap();
    let run = ["run", "flock", "--agents", "200", "--steps", "5", "--out", out];
    let insisting = outcome(blind(&[&run[..], &["--device", "gpu"]].concat()));
    assert_eq!(insisting.code, 4, "{}", insisting.err);
    for words in ["Backends tried", "mesa-vulkan-drivers", "WGPU_BACKEND=gl", "--device cpu"] {
        assert!(insisting.err.contains(words), "`{words}` is not in: {}", insisting.err);
    }
    assert!(!Path::new(out).exists());
    assert_eq!(outcome(blind(&["adapters"])).code, 4);
    let listed = outcome(blind(&["adapters", "--json"]));
    assert_eq!((listed.code, listed.out.trim()), (4, "[]"));

    let falling_back = outcome(blind(&run));
    assert_eq!(falling_back.code, 0, "{}", falling_back.err);
    assert!(falling_back.err.contains("note: running on the CPU reference"), "{}", falling_back.err);
    assert_eq!(manifest(Path::new(out))["device"]["adapter"], "cpu reference");
}

#[cfg(unix)]
#[test]
fn signals_end_a_run_in_order() {
    use std::os::unix::process::ExitStatusExt;
    let temp = TempDir::new().unwrap();
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let out = temp.path().join(signal);
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_steerling"))
            .args(["run", "flock", "--agents", "2000", "--steps", "100000000", "--every", "50", "--out"])
            .arg(&out)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while !out.join("states/000050.npy").exists() {
            assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        // The shell's own: a bare system has no program of that name.
        let line = format!("kill -s {signal} {}", child.id());
        let kill = std::process::Command::new("sh").args(["-c", &line]).status();
        assert!(kill.unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!((status.code(), status.signal()), (Some(code), None));

        let run = manifest(&out);
        assert_eq!(run["ended"], "signal");
        let (steps, rows) = (run["steps"].as_u64().unwrap(), metrics(&out));
        assert!(steps >= 50);
        let last = rows.last().unwrap();
        assert_eq!((&last[0], &last[6]), (steps.to_string().as_str(), run["digest"].as_str().unwrap()));
        assert_eq!(state(&out.join(format!("states/{steps:06}.npy"))).0, [2000, 4]);
    }
}

#[test]
fn adapters_are_listed_with_their_limits() {
    let seen = call(&["adapters"]);
    assert_eq!(seen.code, 0, "{}", seen.err);
    for words in ["backend", "driver", "most agents in 2-D", "max storage binding", "exact to the bit"] {
        assert!(seen.out.contains(words), "`{words}` is not in: {}", seen.out);
    }
    let list: Value = serde_json::from_str(&call(&["adapters", "--json"]).out).unwrap();
    let best = &list[0];
    assert_eq!((&best["index"], &best["usable"], &best["refusals"]), (&0.into(), &true.into(), &serde_json::json!([])));
    let (flat, deep) = (best["most_agents_2d"].as_u64().unwrap(), best["most_agents_3d"].as_u64().unwrap());
    assert!(flat > deep && deep >= 1_000_000);
    let name = best["name"].as_str().unwrap().to_uppercase();
    let temp = TempDir::new().unwrap();
    let out = temp.path().join("out");
    // A handful more than the number listed is refused.
    let more = (flat + 8).to_string();
    let refused = ["run", "flock", "--agents", &more, "--steps", "0", "--out", out.to_str().unwrap()];
    assert_eq!(call(&refused).code, 6);
    let by_name =
        ["run", "flock", "--agents", "80", "--steps", "1", "--adapter", &name, "--out", out.to_str().unwrap()];
    assert_eq!(call(&by_name).code, 0);
}

/// A newcomer's first start, in a container or over ssh, says nothing of Wayland.
#[test]
#[cfg(all(unix, not(target_vendor = "apple")))]
fn a_missing_runtime_folder_is_no_complaint() {
    let listed = |folder: Option<&str>| {
        let mut command = steerling(&["adapters"]);
        match folder {
            Some(folder) => command.env("XDG_RUNTIME_DIR", folder),
            None => command.env_remove("XDG_RUNTIME_DIR"),
        };
        outcome(command)
    };
    let seen = listed(None);
    assert_eq!((seen.code, seen.err.contains("XDG_RUNTIME_DIR")), (0, false), "{}", seen.err);
    assert_eq!(seen.out, listed(Some("/tmp")).out);
    // What somebody did set is left to them, and Mesa says that it is of no use.
    let wrong = listed(Some("not-absolute"));
    assert_eq!((wrong.code, wrong.out), (0, seen.out));
    let mut bad = steerling(&["scenes", "--show", "no such"]);
    bad.env_remove("XDG_RUNTIME_DIR");
    assert_eq!(outcome(bad).code, 5, "arguments and exit codes are kept");
}

#[test]
fn scenes_are_listed_and_what_is_shown_can_be_run() {
    let listed = call(&["scenes"]);
    let names: Vec<&str> = listed.out.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(&names[..3], ["murmuration", "flock", "actions"]);
    let temp = TempDir::new().unwrap();
    for name in names {
        let shown = call(&["scenes", "--show", name]);
        assert_eq!(shown.code, 0, "{}", shown.err);
        let file = temp.path().join(format!("{name}.toml"));
        fs::write(&file, &shown.out).unwrap();
        let digest = |scene: &str, folder: &str| {
            manifest(&run(&temp, folder, &format!("{scene} --agents 2000 --steps 2")))["digest"].clone()
        };
        let copied = digest(file.to_str().unwrap(), &format!("{name}-copy"));
        assert_eq!(digest(name, &format!("{name}-preset")), copied);
    }
}

/// The ratio is that of the two medians, and a baseline is the plain design or another scene.
#[test]
fn a_profile_compares_with_another_scene() {
    let profile = |baseline: &str| {
        call(&[
            "profile",
            "flock",
            "--agents",
            "3000",
            "--steps",
            "4",
            "--warmup",
            "1",
            "--json",
            "--baseline",
            baseline,
        ])
    };
    for name in ["plain", "vicsek"] {
        let done = profile(name);
        assert_eq!(done.code, 0, "{}", done.err);
        let figures: Value = serde_json::from_str(&done.out).unwrap();
        let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{name}: {figures:#}"));
        let (ours, theirs) = (number(&figures["step_median_ms"]), number(&figures["baseline"]["step_median_ms"]));
        assert!((number(&figures["baseline"]["ratio"]) - ours / theirs).abs() < 1e-9, "{figures:#}");
        assert_eq!((&figures["baseline"]["name"], &figures["agents"]), (&name.into(), &3000.into()));
        let each = figures["stages"].as_array().unwrap().iter().map(|stage| number(&stage["dispatches"]));
        assert_eq!(each.sum::<f64>(), number(&figures["dispatches"]));
    }
    // A search for the nearest is a dispatch of its own; so is the look for crowded cells, where there are agents enough.
    for (scene, dispatches) in [("flock", 6), ("predator_and_prey", 7)] {
        let done = call(&["profile", scene, "--agents", "3000", "--steps", "1", "--warmup", "0", "--json"]);
        let figures: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(figures["dispatches"], dispatches, "{scene}");
    }
    let wrong = profile("vicsec");
    assert!(wrong.code == 5 && wrong.err.contains("`vicsek`"), "{}: {}", wrong.code, wrong.err);
}

/// A capture that cannot be made is refused before anything runs, with what to do.
#[test]
fn a_capture_wants_renderdoc_and_a_free_place() {
    let temp = TempDir::new().unwrap();
    let path = temp.path().join("steps.rdc");
    let profile = || {
        let mut command =
            steerling(&["profile", "flock", "--agents", "300", "--steps", "1", "--warmup", "0", "--capture"]);
        command.arg(&path);
        outcome(command)
    };
    let alone = profile();
    assert_eq!((alone.code, alone.out.as_str()), (2, ""), "{}", alone.err);
    assert!(!alone.err.contains("note:"), "an adapter was opened: {}", alone.err);
    assert!(
        !cfg!(target_os = "linux") || alone.err.contains("renderdoccmd capture -w -d . steerling"),
        "{}",
        alone.err
    );
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    fs::write(&path, "mine").unwrap();
    let taken = profile();
    assert!(taken.code == 1 && taken.err.contains("use --force to overwrite it"), "{}: {}", taken.code, taken.err);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn behaviors_have_pages() {
    let listed = call(&["behaviors"]);
    let names: Vec<&str> = listed.out.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(!names.is_empty());
    let page = root().join("docs/behaviors.md");
    let presets = call(&["scenes", "--markdown"]).out;
    assert_eq!(
        fs::read_to_string(root().join("docs/presets.md")).unwrap(),
        presets,
        "docs/presets.md is not what `steerling scenes --markdown` prints"
    );
    let all = call(&["behaviors", "--markdown"]).out;
    assert!(
        fs::read_to_string(page).unwrap() == all,
        "docs/behaviors.md is not what `steerling behaviors --markdown` prints"
    );
    let observables = call(&["observables", "--markdown"]).out;
    assert!(
        fs::read_to_string(root().join("docs/observables.md")).unwrap() == observables,
        "docs/observables.md is not what `steerling observables --markdown` prints"
    );
    for line in call(&["observables"]).out.lines() {
        assert!(observables.contains(&format!("## `{}`", line.split_whitespace().next().unwrap())), "{line}");
    }
    for name in names {
        let page = call(&["behaviors", name]).out;
        assert!(all.contains(&page), "{name}");
        let laws = page.lines().filter(|line| line.starts_with("- `")).count();
        assert!(laws > 0 && page.contains("Shown by") && page.len() > 400, "{name}: {page}");
    }
    let wrong = call(&["behaviors", "arive"]);
    assert!(wrong.code == 5 && wrong.err.contains("did you mean `arrive`?"), "{}: {}", wrong.code, wrong.err);
}

#[test]
fn help_lists_the_exit_codes_and_the_schema_is_json() {
    let help = call(&["--help"]);
    assert_eq!(help.code, 0);
    for words in ["Exit codes:", "4 no usable GPU", "130 interrupted", "run", "adapters", "scenes", "schema"] {
        assert!(help.out.contains(words), "`{words}` is not in: {}", help.out);
    }
    let schema: Value = serde_json::from_str(&call(&["schema"]).out).unwrap();
    assert!(schema["properties"]["species"].is_object());
}
