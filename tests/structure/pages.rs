//! What pages and lists say is there, and no more.

use super::{names, root, rust_files, set};
use std::collections::BTreeSet;
use steerling::scene::{BEHAVIORS, Need, PRESETS};
use steerling_conform::{GROUPS, select};

/// What is told to be typed works in every shell: some take brackets for the names of files.
#[test]
fn changes_with_brackets_are_quoted() {
    let files = ["", "docs", "assets/scenes", "assets/benchmarks"]
        .map(|folder| std::fs::read_dir(root().join(folder)).unwrap());
    let paths = files.into_iter().flatten().map(|entry| entry.unwrap().path());
    let texts = paths.filter(|path| path.extension().is_some_and(|ending| ending == "md" || ending == "toml"));
    let mut quoted = 0;
    for path in texts {
        let text = std::fs::read_to_string(&path).unwrap();
        for change in text.split("--set ").skip(1) {
            quoted += usize::from(change.starts_with('\''));
            let word = change.split_whitespace().next().unwrap_or_default();
            assert!(word.starts_with(['\'', '"']) || !word.contains('['), "{}: --set {word}", path.display());
        }
    }
    assert!(quoted > 12, "nothing is found");
}

/// Every file of laws is a group with laws, and the other way round.
#[test]
fn groups_of_laws_are_the_files_of_their_folder() {
    assert_eq!(names("conform/src/laws", ".rs"), set(GROUPS.iter().map(|group| group.name)));
    assert!(GROUPS.iter().all(|group| !group.laws.is_empty()));
}

/// Every law and test that docs/properties.md and docs/reliability.md name exists; who names none says why.
#[test]
fn properties_are_held_by_what_is_named() {
    held("properties", 40, |row| row);
    // The second column alone: others name files and options.
    held("reliability", 20, |row| row.split(" | ").nth(1).unwrap());
}

fn held(page: &str, least: usize, names: fn(&str) -> &str) {
    let page = std::fs::read_to_string(root().join(format!("docs/{page}.md"))).unwrap();
    let laws: Vec<&str> = select("").iter().map(|(_, law)| law.name).collect();
    let tests = ["tests", "conform/tests", "program/tests"].into_iter().flat_map(rust_files);
    let tests: String = tests.map(|(_, text)| text).collect();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && !line.contains("held by")).collect();
    let rows: Vec<&str> = rows.into_iter().filter(|line| !line.starts_with("| ---")).collect();
    assert!(rows.len() >= least, "{} rows", rows.len());
    for row in rows {
        let held_by = names(row);
        let names: Vec<&str> = held_by.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty() ^ held_by.contains("| nothing to hold: "), "held by names, or a reason: {row}");
        for name in names {
            let test = format!("#[test]\nfn {name}()");
            assert!(laws.contains(&name) || tests.contains(&test), "{name} is no law and no test: {row}");
        }
    }
}

/// What the README counts is there; more may be.
#[test]
fn the_readme_counts_right() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for (counted, words) in [(PRESETS.len(), " scenes to start from"), (select("").len(), " [laws of steering]")] {
        let before = readme.split(words).next().expect("text before it").to_lowercase();
        let (_, said) = before.rsplit_once("more than ").unwrap_or_else(|| panic!("README.md counts no{words}"));
        let said: usize = said.parse().unwrap_or_else(|_| panic!("README.md says `more than {said}{words}`"));
        assert!(
            said < counted && counted <= said + 50,
            "README.md says `more than {said}{words}`, and there are {counted}"
        );
    }
}

/// The names of behaviors that a file of Rust has in its keys and in backticks, without comments and tests.
fn behaviors_named_in(text: &str) -> Vec<&'static str> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let literals: Vec<&str> = lines.flat_map(|line| line.split('"').skip(1).step_by(2)).collect();
    let is_key = |text: &&str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_.{}".contains(c));
    let keys = literals.iter().copied().filter(is_key);
    let ticked = literals.iter().flat_map(|text| text.split('`').skip(1).step_by(2));
    let words: BTreeSet<&str> = keys.chain(ticked).flat_map(|text| text.split(['.', '{', '}'])).collect();
    BEHAVIORS.iter().map(|spec| spec.name).filter(|name| words.contains(name)).collect()
}

/// What scenes and their warnings know of a behavior stands in its own file: one that is added is linted without a change here.
#[test]
fn scenes_know_no_behavior_by_name() {
    let mut known = Vec::new();
    for (path, text) in rust_files("src/scene") {
        // A dialect is a table of the defaults that others published, behavior by behavior.
        if path == "src/scene/dialects.rs" || path.ends_with("/tests.rs") {
            continue;
        }
        known.extend(behaviors_named_in(&text).into_iter().map(|name| format!("{path}: {name}")));
    }
    assert_eq!(known, [""; 0]);
    // It can tell: a key, a part of one, and what a message quotes.
    for (text, name) in [
        ("if spec.name == \"seek\" {", "seek"),
        ("found.add(\"behaviors.arrive.ramp\", 1.0)", "arrive"),
        ("let message = \"only `forage` loads\";", "forage"),
    ] {
        assert_eq!(behaviors_named_in(text), [name]);
    }
    assert_eq!(behaviors_named_in("/// such as \"seek\"\nlet words = \"they seek\";"), [""; 0]);
}

/// The page for those who write behaviors has every need.
#[test]
fn the_page_of_own_behaviors_has_every_need() {
    let page = std::fs::read_to_string(root().join("docs/own-behaviors.md")).unwrap();
    for (word, _, about) in Need::ALL {
        let row = format!("| `{word}` | {} |", about.replace('|', "\\|"));
        assert!(page.contains(&row), "{row}");
    }
}
