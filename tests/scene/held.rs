//! Every key of a scene is tested: a law or a test names it, and each word that may be its value.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use steerling::scene::schema;

/// Tests that do not count, because they take keys from the schema, spoil them, or compare two backends whatever the keys mean.
const NO_WITNESS: [&str; 9] =
    ["held", "drawn", "mutated", "random_scenes", "bad_input", "bad_fields", "messages", "validity", "hostile"];

/// The keys that every behavior has.
const COMMON: [&str; 10] =
    ["enabled", "weight", "weight_spread", "floor", "priority", "rank", "states", "state_weights", "jitter", "limit"];

/// A key of a table, or one of the words that may be its value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    table: String,
    key: String,
    word: Option<String>,
}

impl Entry {
    fn shown(&self) -> String {
        let word = self.word.as_ref().map_or(String::new(), |word| format!(" = {word}"));
        format!("{}.{}{word}", self.table, self.key)
    }
}

/// Collect all keys of an object of the schema and of the objects within it, by the name of the innermost table.
fn entries(table: &str, schema: &Value, found: &mut BTreeSet<Entry>) {
    for part in schema["anyOf"].as_array().into_iter().flatten() {
        entries(table, part, found);
    }
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        // Keys that every behavior has count once for all, because one function reads them.
        let table = if COMMON.contains(&key.as_str()) && schema["properties"]["floor"].is_object() {
            "behaviors"
        } else {
            table
        };
        let entry = Entry { table: table.to_owned(), key: key.clone(), word: None };
        let words = inner["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
        found.extend(words.map(|word| Entry { word: Some(word.to_owned()), ..entry.clone() }));
        if key != "behaviors" {
            found.insert(entry);
        }
        entries(key, inner, found);
        entries(key, &inner["items"], found);
    }
}

/// The names in a file of laws or tests that count: words within its string literals, which are mostly scenes and keys, and members and
/// variants in its code. Comments, variables and functions of the same name do not count.
fn names(source: &str) -> BTreeSet<String> {
    let words = |text: &str, among: &mut BTreeSet<String>| {
        let all = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        among.extend(all.filter(|name| !name.is_empty()).map(str::to_owned));
    };
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    // What is escaped is no end of a text, and no letter of a key.
    let plain = code.replace("'\"'", "").replace("\\\"", " ").replace("\\n", " ").replace("\\t", " ");
    let mut found = BTreeSet::new();
    for (index, part) in plain.split('"').enumerate() {
        if index % 2 == 1 {
            words(part, &mut found);
            continue;
        }
        for (at, mark) in part.match_indices(['.', ':']) {
            let name: String =
                part[at + mark.len()..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            // A word of a file is a variant in Rust: `leader_frame` is `LeaderFrame`.
            let letters = name.chars().enumerate().flat_map(|(at, c)| {
                let gap = (at > 0 && c.is_ascii_uppercase()).then_some('_');
                gap.into_iter().chain([c.to_ascii_lowercase()])
            });
            found.extend(Some(letters.collect::<String>()).filter(|name| !name.is_empty()));
        }
    }
    found
}

/// What each file of laws names, with what laws share, and each file of tests.
fn witnesses() -> Vec<BTreeSet<String>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let read = |folder: &str| {
        let (mut texts, mut folders) = (Vec::new(), vec![root.join(folder)]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                match path.extension() {
                    _ if path.is_dir() => folders.push(path),
                    Some(end) if end == "rs" && !NO_WITNESS.contains(&&*name) => {
                        texts.push((name, std::fs::read_to_string(path).unwrap()));
                    }
                    _ => {}
                }
            }
        }
        texts
    };
    let laws = read("conform/src");
    let tests: Vec<_> = ["tests", "conform/tests", "program/tests"].into_iter().flat_map(read).collect();
    // A law that uses a file of helpers says what is said there.
    let with_helpers = |text: &String| {
        let used = laws.iter().filter(|(name, _)| text.contains(&format!("crate::{name}::")));
        names(&used.map(|(_, text)| text.as_str()).chain([text.as_str()]).collect::<Vec<_>>().join("\n"))
    };
    laws.iter().map(|(_, text)| with_helpers(text)).chain(tests.iter().map(|(_, text)| names(text))).collect()
}

fn is_held(entry: &Entry, witnesses: &[BTreeSet<String>]) -> bool {
    // What stands for itself, and what a setup of a law writes around the keys of its species.
    let named = |table: &&String| !["scene", "species"].contains(&table.as_str());
    let wanted = [Some(&entry.key), Some(&entry.table).filter(named), entry.word.as_ref()];
    witnesses.iter().any(|witness| wanted.into_iter().flatten().all(|name| witness.contains(name)))
}

#[test]
fn every_key_is_held() {
    let mut all = BTreeSet::new();
    entries("scene", &schema(), &mut all);
    assert!(all.len() > 450, "{} keys and words", all.len());
    let witnesses = witnesses();
    let unheld: Vec<String> = all.iter().filter(|entry| !is_held(entry, &witnesses)).map(Entry::shown).collect();
    assert!(unheld.is_empty(), "no law and no test names {unheld:#?}");
}

#[test]
fn a_key_that_nobody_names_is_noticed() {
    let witnesses = witnesses();
    let entry = |table: &str, key: &str, word: Option<&str>| Entry {
        table: table.to_owned(),
        key: key.to_owned(),
        word: word.map(str::to_owned),
    };
    assert!(is_held(&entry("seek", "target", None), &witnesses));
    assert!(!is_held(&entry("seek", &["tar", "gett"].concat(), None), &witnesses));
    assert!(!is_held(&entry(&["see", "kk"].concat(), "target", None), &witnesses));
    assert!(!is_held(&entry("vehicle", "locomotion", Some(&["tra", "ctor"].concat())), &witnesses));
    assert!(!is_held(&entry("seek", "target", None), &[]));
    // A variable, a function or a comment is no witness; a key in a text is one, and so is a member.
    let entry = entry("seek", "target", None);
    for (source, holds) in [
        ("let seek = target(1);", false),
        ("// seek.target\nfn seek(target: f32) {}", false),
        (r#"set("behaviors.seek = { target = 1 }\n")"#, true),
        ("scene.seek.target = 1;", true),
    ] {
        assert_eq!(is_held(&entry, &[names(source)]), holds, "{source}");
    }
}
