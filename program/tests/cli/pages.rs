//! What the program tells of itself, its scenes, behaviors, adapters and shaders.

use super::{call, manifest, root, run};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

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
