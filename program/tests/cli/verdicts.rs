//! Laws, comparisons and profiles, and mistakes in shaders.

use super::{blind, call, manifest, outcome, root, run, steerling};
use serde_json::Value;
use std::fs;
use steerling::gpu::shaders::Sources;
use steerling_conform::select;
use tempfile::TempDir;

#[test]
fn a_broken_shader_is_shown_at_its_real_place() {
    let temp = TempDir::new().unwrap();
    fs::create_dir(temp.path().join("sim")).unwrap();
    let file = temp.path().join("sim/steer.wgsl");
    let good = include_str!("../../../shaders/sim/steer.wgsl");
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
