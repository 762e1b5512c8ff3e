//! The table of dialects, held by laws entry by entry.

use steerling::scene::dialects::{Defaults, FLOCK, TABLE, Value};
use steerling::scene::{BEHAVIORS, Key, Override, Range, Species, Table, Vehicle, behavior_keys};
use steerling_conform::{Backend, Bench, Law, SEED, select};
use toml_edit::{Document, Item};

/// Entries that no law can see: how large a triangle is drawn, a force that is enough for any turn, and a rule that is the
/// same as the default as long as no parameter is given.
const UNSEEN: [(&str, &str); 3] =
    [("nature_of_code", "radius"), ("netlogo", "max_force"), ("reynolds99", "evasion.prediction")];

/// The overrides that make an entry of a scene's dialect wrong, in each species that the entry holds for.
fn mistaken(text: &str, dialect: &Defaults, key: &str, factor: f64) -> Vec<Override> {
    let document = Document::parse(text).expect("a scene");
    if document.get("dialect").and_then(Item::as_str) != Some(dialect.name) {
        return Vec::new();
    }
    let species = document.get("species").and_then(Item::as_array_of_tables).into_iter().flatten().enumerate();
    let overrides = species.filter_map(|(index, species)| {
        let behaviors = species.get("behaviors").and_then(Item::as_table_like);
        let flocks = behaviors.is_some_and(|table| table.iter().all(|(name, _)| FLOCK.contains(&name)));
        let entry = dialect.flock.iter().filter(|_| flocks).chain(dialect.defaults).find(|entry| entry.key == key)?;
        let path = match key.split_once('.') {
            None => key.to_owned(),
            Some(("vehicle", _)) => key.to_owned(),
            Some((behavior, _)) => {
                behaviors?.get(behavior)?;
                format!("behaviors.{key}")
            }
        };
        let mut parts = path.split('.');
        let first = species.get(parts.next().unwrap_or_default());
        let written = parts.try_fold(first, |item, part| item.map(|item| item.get(part)));
        let value = match entry.value {
            Value::Number(number) => format!("{:?}", factor * number + (factor - 1.0)),
            Value::Whole(number) => (number + 1).to_string(),
            Value::Word(word) => other_word(key, word),
        };
        written.flatten().is_none().then(|| Override { key: format!("species.{index}.{path}"), value })
    });
    overrides.collect()
}

/// Another word that a key may have.
fn other_word(key: &str, word: &str) -> String {
    let named = |keys: &[Key], name: &str| keys.iter().find(|key| key.name == name).copied();
    let key = match key.split_once('.') {
        None => named(Species::KEYS, key),
        Some(("vehicle", key)) => named(Vehicle::KEYS, key),
        Some((behavior, key)) => {
            BEHAVIORS.iter().find(|spec| spec.name == behavior).and_then(|spec| named(&behavior_keys(spec), key))
        }
    };
    let Some(Key { range: Range::Choice(words), .. }) = key else { panic!("{word} is no choice") };
    words.iter().find(|other| **other != word).map(|other| format!("{other:?}")).expect("another word")
}

/// A wrong entry of the table of dialects turns a law red.
#[test]
fn every_entry_of_a_dialect_is_held_by_a_law() {
    let mut unheld = Vec::new();
    for dialect in TABLE {
        let more = if dialect.name == "reynolds99" { ["pursuit_by_distance", "evasion_never_toward"] } else { [""; 2] };
        let all = select("");
        let mut laws: Vec<_> = all
            .iter()
            .map(|(_, law)| *law)
            .filter(|law| law.name.contains(dialect.name) || law.name == "dialect_gain" || more.contains(&law.name))
            .collect();
        // Quick laws first.
        laws.sort_by_key(|law| ["dialect_opensteer", "dialect_millington"].contains(&law.name));
        for default in dialect.defaults.iter().chain(dialect.flock) {
            // Both a larger and a smaller number, because one may be refused; a refused change does not count as found.
            let finds = |law: &&Law| {
                [1.1, 0.9].into_iter().any(|factor| {
                    let nudge = |text: &str| mistaken(text, dialect, default.key, factor);
                    law.holds(Bench::nudged(&Backend::Cpu, &nudge), SEED).is_ok_and(|holds| !holds)
                })
            };
            if !laws.iter().any(finds) && !UNSEEN.contains(&(dialect.name, default.key)) {
                unheld.push((dialect.name, default.key));
            }
        }
        let holds = |law: &&Law| law.holds(Bench::new(&Backend::Cpu), SEED).unwrap();
        assert!(laws.iter().all(holds), "{}: red without a mistake", dialect.name);
    }
    assert_eq!(unheld, []);
}
