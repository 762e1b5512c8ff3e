//! The JSON Schema and the reference of scene files, both made from the tables of keys and the registry.

use super::behaviors::behavior_keys;
use super::dialects::{Default as Entry, Left, TABLE, Value as Default};
use super::error::plain;
use super::keys::{COMMON, Fallback, Key, Range, TARGET};
use super::tables::Table;
use super::{BEHAVIORS, Draft};
#[cfg(feature = "schema")]
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;

#[cfg(feature = "schema")]
/// JSON Schema (draft 2020-12) of scene files, for completion and checks in editors.
pub fn schema() -> Json {
    let mut schema = table(Draft::KEYS);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Steerling scene");
    schema
}

#[cfg(feature = "schema")]
fn table(keys: &[Key]) -> Json {
    let properties: Map<String, Json> = keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required = keys.iter().filter(|k| matches!(k.fallback, Fallback::Required)).map(|k| k.name);
    let required: Vec<&str> = required.collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

#[cfg(feature = "schema")]
fn property(key: &Key) -> Json {
    let number = |min: f32, max: f32| json!({ "type": "number", "minimum": exact(min), "maximum": exact(max) });
    let list = |items: Json, least: usize, most: usize| json!({ "type": "array", "items": items, "minItems": least, "maxItems": most });
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let mut schema = match key.range {
        Range::Number { min, max } => number(min, max),
        Range::Whole { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Range::Flag => json!({ "type": "boolean", "default": matches!(key.fallback, Fallback::Described("true")) }),
        Range::Text | Range::Path | Range::Trajectory | Range::Goal | Range::State => text,
        Range::Name => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" }),
        Range::Texts | Range::Names(_) => texts,
        Range::Species | Range::States => json!({ "anyOf": [text, texts] }),
        Range::Choice(words) => json!({ "enum": words }),
        Range::Vector { min, max } => list(number(min, max), 2, 3),
        Range::Points { least, min, max, most } => list(list(number(min, max), 2, 3), least, most),
        Range::Axes(words) => json!({ "anyOf": [{ "enum": words }, list(json!({ "enum": words }), 2, 3)] }),
        Range::Words(words, most) => {
            json!({ "anyOf": [{ "enum": words }, list(json!({ "enum": words }), 0, most)] })
        }
        Range::Color(words) => {
            json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": "^#[0-9A-Fa-f]{6}$" }] })
        }
        Range::Sources(words, extensions, most) => {
            let mut one = *key;
            one.range = Range::Source(words, extensions);
            list(property(&one), 1, most)
        }
        Range::Source(words, extensions) => {
            let any_case = |e: &&str| e.chars().map(|c| format!("[{c}{}]", c.to_ascii_uppercase())).collect();
            let pattern = format!("\\.({})$", extensions.iter().map(any_case).collect::<Vec<String>>().join("|"));
            let path = json!({ "type": "string", "pattern": pattern });
            if words.is_empty() { path } else { json!({ "anyOf": [{ "enum": words }, path] }) }
        }
        Range::Table(keys) => table(keys),
        Range::Tables(keys, most) => list(table(keys), usize::from(matches!(key.fallback, Fallback::Required)), most),
        Range::Numbers { min, max, most } => list(number(min, max), 0, most),
        Range::Target => json!({ "anyOf": [{ "enum": ["field", "mouse"] }, table(TARGET)] }),
        Range::Behaviors => {
            let behavior = |spec: &super::BehaviorSpec| {
                let mut schema = table(&behavior_keys(spec));
                schema["description"] = json!(spec.summary);
                (spec.name.to_owned(), schema)
            };
            let properties: Map<String, Json> = BEHAVIORS.iter().map(behavior).collect();
            json!({ "type": "object", "properties": properties, "additionalProperties": false })
        }
    };
    let space = if key.unit.is_empty() { String::new() } else { format!(" ({})", key.unit) };
    schema["description"] = json!(key.summary() + &space);
    match (key.fallback, key.range) {
        (Fallback::Number(x), Range::Whole { .. }) => schema["default"] = json!(x as u32),
        (Fallback::Number(x), Range::Number { .. }) => schema["default"] = exact(x),
        (Fallback::Text(text), _) | (Fallback::Described(text), Range::Choice(_)) => schema["default"] = json!(text),
        _ => {}
    }
    schema
}

#[cfg(feature = "schema")]
/// An f32 as the shortest decimal that stands for it: 0.1, not 0.10000000149.
fn exact(x: f32) -> Json {
    json!(x.to_string().parse::<f64>().unwrap_or_default())
}

/// What comes before the tables.
const TITLE: &str = "\
# Keys of a scene

What `steerling schema --markdown` prints. A scene is a TOML file. The dotted path of a key names it in messages, and in `--set PATH=VALUE`, which changes it
for one command: `--set world.margin=5`, `--set species.0.max_speed=12`, or by name `--set species.hawks.behaviors.pursuit.weight=2`. Entries of lists are numbered
from 0. The value is TOML; a word may stand without quotes, and what has brackets or spaces is quoted for the shell: `--set 'world.size=[90, 60]'`.
";

/// The reference of scene files in Markdown: every key with its unit, allowed values and default.
pub fn reference() -> String {
    let mut text = TITLE.to_owned();
    section(&mut text, "The top of the file", "", Draft::KEYS);
    section(&mut text, "A target", "", TARGET);
    let _ = writeln!(
        text,
        "\nA target has exactly one of the keys `point`, `agent`, `nearest`, `leader`, `path`, `trajectory`, `goal`, or is a word:"
    );
    let _ = writeln!(
        text,
        "`\"field\"` is where the flow field leads within a second, `\"mouse\"` the pointer of the window."
    );
    dialects(&mut text);
    section(&mut text, "`[species.behaviors.NAME]`: the keys of every behavior", "", &COMMON);
    for spec in BEHAVIORS.iter() {
        heading(&mut text, &format!("`[species.behaviors.{}]`", spec.name));
        let unit = if spec.weight_unit.is_empty() { String::new() } else { format!(" {}", spec.weight_unit) };
        let (weight, priority) = (plain(spec.default_weight), spec.default_priority);
        let _ = writeln!(text, "{}. Default weight {weight}{unit}, priority {priority}.", spec.summary);
        if !spec.parameters.is_empty() {
            let _ = writeln!(text, "\n{}", HEAD.trim_end());
        }
        behavior_keys(spec)[COMMON.len()..].iter().for_each(|key| row(&mut text, key));
    }
    text
}

/// The section about dialects: the defaults of each, where they were published, and what is not taken over.
fn dialects(text: &mut String) {
    heading(text, "Dialects");
    let _ = writeln!(text, "A dialect sets these keys of every species, and of the behaviors that it uses, where the");
    let _ = writeln!(
        text,
        "file does not give them. What it says of the sum of all forces (a flock) holds only where none but separation,"
    );
    let _ = writeln!(text, "alignment and cohesion act; a behavior that is not enabled, or of weight 0, does not act.");
    for dialect in TABLE.iter().filter(|dialect| !dialect.defaults.is_empty()) {
        let _ = writeln!(text, "\n`{}`: {}.\n", dialect.name, dialect.summary);
        text.push_str("| published | where | key here | default |\n| --- | --- | --- | --- |\n");
        let all = dialect.defaults.iter().map(|default| (default, ""));
        for (default, only) in all.chain(dialect.flock.iter().map(|default| (default, " (a flock)"))) {
            let value = match default.value {
                Default::Number(number) => plain(number),
                Default::Whole(whole) => whole.to_string(),
                Default::Word(word) => format!("\"{word}\""),
            };
            let Entry { key, published, source, .. } = default;
            let _ = writeln!(text, "| {published} | {source} | `{key}`{only} | {value} |");
        }
        if !dialect.left.is_empty() {
            text.push_str("\nNot taken over:\n\n");
        }
        for Left { name, reason } in dialect.left {
            let _ = writeln!(text, "- {name}: {reason}.");
        }
    }
}

const HEAD: &str = "| key | unit | allowed | default | meaning |\n| --- | --- | --- | --- | --- |\n";

fn heading(text: &mut String, title: &str) {
    let _ = writeln!(text, "\n## {title}\n");
}

fn section(text: &mut String, title: &str, path: &str, keys: &[Key]) {
    heading(text, title);
    text.push_str(HEAD);
    keys.iter().for_each(|key| row(text, key));
    for key in keys {
        let path = format!("{path}{}", key.name);
        match key.range {
            Range::Table(keys) => section(text, &format!("`[{path}]`"), &format!("{path}."), keys),
            Range::Tables(keys, _) => section(text, &format!("`[[{path}]]`"), &format!("{path}."), keys),
            _ => {}
        }
    }
}

fn row(text: &mut String, key: &Key) {
    let default = match (key.fallback, key.range) {
        (Fallback::Required, _) => "required".to_owned(),
        (Fallback::Described(words) | Fallback::RequiredFor(words), _) => words.to_owned(),
        (Fallback::Number(x), _) => plain(x),
        (Fallback::Text(text), _) => format!("\"{text}\""),
    };
    let (name, unit, allowed, summary) = (key.name, key.unit, allowed(&key.range), key.summary());
    let _ = writeln!(text, "| `{name}` | {unit} | {allowed} | {default} | {summary} |");
}

fn between(min: f32, max: f32) -> String {
    format!("{} to {}", plain(min), plain(max))
}

fn allowed(range: &Range) -> String {
    match *range {
        Range::Number { min, max } => between(min, max),
        Range::Whole { min, max } if min == max => min.to_string(),
        Range::Whole { min, max } => format!("whole, {min} to {max}"),
        Range::Flag => "true or false".into(),
        Range::Text | Range::State => "text".into(),
        Range::Name => "letters, digits, `-`, `_`".into(),
        Range::Path => "name of a path".into(),
        Range::Trajectory => "name of a trajectory".into(),
        Range::Goal => "name of a goal of the map".into(),
        Range::Texts | Range::Names(_) => "list of texts".into(),
        Range::Species | Range::States => "a name or a list of names".into(),
        Range::Choice(words) => words.join(", "),
        Range::Vector { min, max } => format!("2 or 3 numbers, {}", between(min, max)),
        Range::Points { least, min, max, most } => {
            format!("{least} to {most} points of 2 or 3 numbers, {}", between(min, max))
        }
        Range::Axes(words) => format!("{}; or a list, one for each axis", words.join(", ")),
        Range::Words(words, most) => format!("{}; or a list of up to {most}", words.join(", ")),
        Range::Color(words) => format!("{}, `#rrggbb`", words.join(", ")),
        Range::Sources(words, extensions, most) => {
            format!("up to {most} of {}", allowed(&Range::Source(words, extensions)))
        }
        Range::Source(words, extensions) => {
            let paths = extensions.iter().map(|extension| format!("path.{extension}"));
            words.iter().map(|word| (*word).to_owned()).chain(paths).collect::<Vec<_>>().join(", ")
        }
        Range::Table(_) | Range::Behaviors => "table".into(),
        Range::Tables(..) => "list of tables".into(),
        Range::Numbers { min, max, most } => format!("up to {most} numbers, {}", between(min, max)),
        Range::Target => "a target: see below".into(),
    }
}
