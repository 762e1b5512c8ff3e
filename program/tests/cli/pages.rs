//! What the program tells of itself, its scenes, behaviors, adapters and shaders.

use super::place::Place;
use super::root;
use std::fs;
use steerling::scene::Scene;

#[test]
fn shaders_are_printed_pass_by_pass_in_any_language() {
    let place = Place::new();
    let passes = place.call("shaders flock").out.lines().filter(|line| line.contains(" world ")).count();
    let all = place.call("shaders flock --language msl").out;
    assert_eq!((all.matches("// pass ").count(), all.matches("kernel void ").count()), (passes, passes));
    let small = place.call("shaders flock --language wgsl --default-limits").out;
    assert!(small.contains("texture_storage_2d") && !small.contains("// pass stride"), "{small}");
    place.refused("shaders flock --language spirv", 2, "name one pass");
}

#[test]
fn adapters_are_listed_with_their_limits() {
    let place = Place::new();
    let seen = place.good("adapters");
    for words in ["backend", "driver", "most agents in 2-D", "max storage binding", "exact to the bit"] {
        assert!(seen.out.contains(words), "`{words}` is not in: {}", seen.out);
    }
    let list = place.json("adapters --json");
    let best = &list[0];
    assert_eq!((&best["index"], &best["usable"], &best["refusals"]), (&0.into(), &true.into(), &serde_json::json!([])));
    let (flat, deep) = (best["most_agents_2d"].as_u64().unwrap(), best["most_agents_3d"].as_u64().unwrap());
    assert!(flat > deep && deep >= 1_000_000);
    let name = best["name"].as_str().unwrap().to_uppercase();
    // A handful more than the number listed is refused.
    place.refused(&format!("run flock --agents {} --steps 0", flat + 8), 6, "");
    place.good(&format!("run flock --agents 80 --steps 1 --adapter '{name}'"));
}

#[test]
fn scenes_are_listed_and_what_is_shown_can_be_run() {
    let place = Place::new();
    let listed = place.call("scenes");
    let names: Vec<&str> = listed.out.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(&names[..3], ["murmuration", "flock", "actions"]);
    for (index, name) in names.into_iter().enumerate() {
        let file = format!("{name}.toml");
        place.write(&file, place.good(&format!("scenes --show {name}")).out);
        let shown = Scene::open(place.at(&file).to_str().unwrap(), &[]).unwrap();
        assert_eq!(shown.changed_since(&Scene::open(name, &[]).unwrap()), [], "{name}");
        // Two of them are run.
        if index < 2 {
            let digest = |scene: &str| {
                let out = format!("{scene}-run");
                place.run(&format!("{scene} --agents 2000 --steps 2"), &out);
                place.digest(&out)
            };
            assert_eq!(digest(name), digest(&file));
        }
    }
}

#[test]
fn behaviors_have_pages() {
    let place = Place::new();
    let listed = place.call("behaviors");
    let names: Vec<&str> = listed.out.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(!names.is_empty());
    let [all, _, observables] = ["behaviors", "scenes", "observables"].map(|of| {
        let printed = place.good(&format!("{of} --markdown")).out;
        let page = format!("docs/{}.md", if of == "scenes" { "presets" } else { of });
        let stands = fs::read_to_string(root().join(&page)).unwrap();
        assert!(stands == printed, "{page} is not what `steerling {of} --markdown` prints");
        printed
    });
    for line in place.call("observables").out.lines() {
        assert!(observables.contains(&format!("## `{}`", line.split_whitespace().next().unwrap())), "{line}");
    }
    for name in names {
        let page = place.call(&format!("behaviors {name}")).out;
        assert!(all.contains(&page), "{name}");
        let laws = page.lines().filter(|line| line.starts_with("- `")).count();
        assert!(laws > 0 && page.contains("Shown by") && page.len() > 400, "{name}: {page}");
    }
    place.refused("behaviors arive", 5, "did you mean `arrive`?");
}

#[test]
fn help_lists_the_exit_codes_and_the_schema_is_json() {
    let place = Place::new();
    let help = place.good("--help");
    for words in ["Exit codes:", "4 no usable GPU", "130 interrupted", "run", "adapters", "scenes", "schema"] {
        assert!(help.out.contains(words), "`{words}` is not in: {}", help.out);
    }
    let (_, codes) = help.out.split_once("Exit codes:\n").unwrap();
    let page = fs::read_to_string(root().join("docs/reliability.md")).unwrap();
    assert!(
        codes.contains(" 0 ok") && page.contains(codes.trim_end()),
        "docs/reliability.md has other exit codes than {codes}"
    );
    assert!(place.json("schema")["properties"]["species"].is_object());
}
