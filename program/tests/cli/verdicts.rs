//! Laws, comparisons and profiles, and mistakes in shaders.

use super::place::Place;
use super::{blind, root};
use steerling::gpu::shaders::Sources;
use steerling_conform::select;

/// The built-in shaders with the mistake of the first law of separation.
fn mistaken(place: &Place) {
    let (mut shaders, path) = (Sources::default(), "behaviors/separation.wgsl");
    select("separation_pair")[0].1.mutant.apply(&mut shaders).unwrap();
    place.write(&format!("mistaken/{path}"), shaders.text(path).unwrap());
}

#[test]
fn shaders_from_a_folder_that_are_the_same_compute_the_same() {
    let place = Place::new();
    let line = "run flock --agents 900 --steps 20 --out";
    place.good(&format!("{line} own --shaders {}", root().join("shaders").display()));
    place.good(&format!("{line} built-in"));
    let shaders = &place.manifest("own")["device"]["shaders"];
    assert_eq!(*shaders, serde_json::json!([]), "none of them says something else");
    assert_eq!(place.digest("own"), place.digest("built-in"));
}

#[test]
fn laws_are_listed_tried_and_reported() {
    let place = Place::new();
    let listed = place.good("conform separation --list");
    assert!(listed.out.lines().any(|line| line.starts_with("separation_pair ") && line.contains("k/d")));
    let tried = place.good("conform separation_pair");
    let lines: Vec<&str> = tried.out.lines().filter(|line| line.starts_with("separation_pair ")).collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.ends_with("pass")), "{}", tried.out);
    assert!(lines[0].contains("cpu") && lines[1].contains("gpu"), "{}", tried.out);
    assert!(tried.out.contains("1 laws, 128 cases, 0 failed, seed 1"), "{}", tried.out);
    // The reference needs no GPU; asking for one that is not there is another matter.
    let report = blind(&place, "conform separation_pair --only cpu --seed 5 --json").json();
    assert_eq!((&report["pass"], &report["seed"], &report["cases"]), (&true.into(), &5.into(), &64.into()));
    assert_eq!(blind(&place, "conform separation_pair").code, 4);
}

#[test]
fn a_mistake_in_a_shader_ends_in_fail() {
    let place = Place::new();
    mistaken(&place);
    let line = "conform separation_pair --shaders mistaken";
    let seen = place.refused(line, 3, "1 of 1 laws fail: separation_pair");
    let line =
        |backend: &str| seen.out.lines().find(|line| line.contains("separation_pair ") && line.contains(backend));
    assert!(line("cpu").unwrap().ends_with("pass") && line("gpu").unwrap().ends_with("FAIL"), "{}", seen.out);
    assert!(seen.out.contains("separation_pair on gpu: 64 of 64 cases fail") && seen.out.contains("; k = "));
}

/// Agents that a behavior freezes are equal on both sides, and the report says how many there are.
#[test]
fn verify_says_how_many_agents_froze() {
    let place = Place::new();
    let steer = "fn burst_steer(burst: Burst, agent: Agent) -> vec3f {\n    let none = agent.speed - agent.speed;\n    \
                 return vec3f(select(0.0, none / none, agent.id < 7u));\n}\n";
    place.write("burst.wgsl", format!("/// a test\nstruct Burst {{\n    rule: Rule,\n}}\n\n{steer}"));
    place.write(
        "burst.toml",
        "schema = 1\nworld.size = [60, 60]\nbehavior = [{ file = \"burst.wgsl\" }]\n[[species]]\ncount = 40\n\
         behaviors = { burst = {} }\n",
    );
    let said = place.good("verify burst.toml --steps 1").out;
    assert!(said.contains("  7 agents have no finite state at its end"), "{said}");
}

#[test]
fn verify_says_whether_the_digest_is_known() {
    let place = Place::new();
    let line = "verify flock --steps 1 --agents";
    let said = |agents: u32| place.good(&format!("{line} {agents}")).out;
    assert!(said(1500).contains("digest known: llvmpipe and SwiftShader agree on it"));
    let few = said(200);
    assert!(few.contains("digest not known for these numbers"));
    let stages = |text: &str, stage: &str| text.lines().any(|line| line.starts_with(stage));
    assert!(stages(&few, "steer ") && !stages(&few, "collide ") && !stages(&few, "crowd "), "what no step has: {few}");
    mistaken(&place);
    let other = place.refused(&format!("{line} 1500 --shaders mistaken"), 3, "").out;
    assert!(other.contains("digest OTHER than the known one"), "{other}");
}

/// A capture that cannot be made is refused before anything runs, with what to do.
#[test]
fn a_capture_wants_renderdoc_and_a_free_place() {
    let place = Place::new();
    let line = "profile flock --agents 300 --steps 1 --warmup 0 --capture steps.rdc";
    let linux = if cfg!(target_os = "linux") { "renderdoccmd capture -w -d . steerling" } else { "" };
    let alone = place.refused(line, 2, linux);
    assert_eq!(alone.out, "");
    assert!(!alone.err.contains("note:"), "an adapter was opened: {}", alone.err);
    assert!(!place.at("steps.rdc").exists());
    place.write("steps.rdc", "mine");
    place.refused(line, 1, "use --force to overwrite it");
    assert_eq!(place.text("steps.rdc"), "mine");
}
