//! The JSON Schema and the reference of scene files, both made from the tables of keys and the registry.

use super::dialects::{TABLE, Value as Default};
use super::error::plain;
use super::keys::{
    ENABLED_SUMMARY, FLOOR, FLOOR_DEFAULT, FLOOR_SUMMARY, Fallback, Key, PRIORITY, PRIORITY_SUMMARY, SCENE,
    STATES_SUMMARY, TARGET, Value, WEIGHT, WEIGHT_SUMMARY,
};
use super::{BEHAVIORS, BehaviorSpec, Range};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;

/// JSON Schema (draft 2020-12) of scene files, for completion and checks in editors.
pub fn schema() -> Json {
    let mut schema = table(SCENE);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("Steerling scene");
    schema
}

fn table(keys: &[Key]) -> Json {
    let properties: Map<String, Json> = keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required = keys.iter().filter(|k| matches!(k.fallback, Fallback::Required)).map(|k| k.name);
    let required: Vec<&str> = required.collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn property(key: &Key) -> Json {
    let mut schema = match key.value {
        Value::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Value::Whole { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Value::Flag => json!({ "type": "boolean", "default": false }),
        Value::Text => json!({ "type": "string" }),
        Value::Name => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" }),
        Value::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Value::Choice(words) => json!({ "enum": words }),
        Value::Vector { min, max } => {
            let number = json!({ "type": "number", "minimum": min, "maximum": max });
            json!({ "type": "array", "items": number, "minItems": 2, "maxItems": 3 })
        }
        Value::Points { min, max, most } => {
            let number = json!({ "type": "number", "minimum": min, "maximum": max });
            let point = json!({ "type": "array", "items": number, "minItems": 2, "maxItems": 3 });
            json!({ "type": "array", "items": point, "minItems": 2, "maxItems": most })
        }
        Value::Words(words) => {
            let list = json!({ "type": "array", "items": { "enum": words }, "minItems": 2, "maxItems": 3 });
            json!({ "anyOf": [{ "enum": words }, list] })
        }
        Value::Color(words) => {
            json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": "^#[0-9A-Fa-f]{6}$" }] })
        }
        Value::Source(words, extensions) => {
            let any_case = |e: &&str| e.chars().map(|c| format!("[{c}{}]", c.to_ascii_uppercase())).collect();
            let pattern = format!("\\.({})$", extensions.iter().map(any_case).collect::<Vec<String>>().join("|"));
            json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": pattern }] })
        }
        Value::Table(keys) => table(keys),
        Value::Tables(keys, most) => {
            json!({ "type": "array", "items": table(keys), "minItems": 1, "maxItems": most })
        }
        Value::Numbers { min, max, most } => {
            let number = json!({ "type": "number", "minimum": min, "maximum": max });
            json!({ "type": "array", "items": number, "maxItems": most })
        }
        Value::Names => names(),
        Value::Target => target(),
        Value::Behaviors => {
            let properties: Map<String, Json> = BEHAVIORS.iter().map(|b| (b.name.to_owned(), behavior(b))).collect();
            json!({ "type": "object", "properties": properties, "additionalProperties": false })
        }
    };
    schema["description"] = json!(described(key.summary, key.unit));
    match (key.fallback, key.value) {
        (Fallback::Number(x), Value::Whole { .. }) => schema["default"] = json!(x as u32),
        (Fallback::Number(x), Value::Number { .. }) => schema["default"] = json!(x),
        (Fallback::Text(text), _) => schema["default"] = json!(text),
        _ => {}
    }
    schema
}

fn behavior(spec: &BehaviorSpec) -> Json {
    let mut properties = Map::new();
    let enabled = json!({ "type": "boolean", "default": true, "description": ENABLED_SUMMARY });
    properties.insert("enabled".into(), enabled);
    properties.insert("weight".into(), value(WEIGHT, spec.default_weight, WEIGHT_SUMMARY, spec.weight_unit));
    properties.insert("floor".into(), value(FLOOR, FLOOR_DEFAULT, FLOOR_SUMMARY, "u/s²"));
    properties.insert("priority".into(), value(PRIORITY, spec.default_priority as f32, PRIORITY_SUMMARY, ""));
    properties.insert("states".into(), names());
    properties["states"]["description"] = json!(STATES_SUMMARY);
    for p in spec.parameters {
        properties.insert(p.name.into(), value(p.range, p.default, p.summary, p.unit));
    }
    let description = spec.summary;
    json!({
        "type": "object", "properties": properties, "additionalProperties": false, "description": description
    })
}

fn value(range: Range, default: f32, summary: &str, unit: &str) -> Json {
    let mut schema = match range {
        Range::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max, "default": default }),
        Range::Whole { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max, "default": default as u32 })
        }
        Range::Choice(words) => json!({ "enum": words, "default": words[default as usize] }),
        Range::Vector { min, max } => {
            let number = json!({ "type": "number", "minimum": min, "maximum": max });
            json!({ "type": "array", "items": number, "minItems": 2, "maxItems": 3 })
        }
        Range::Target => target(),
        Range::Species => names(),
        Range::Path => json!({ "type": "string" }),
    };
    schema["description"] = json!(described(summary, unit));
    schema
}

/// A name or a list of names that the scene gives elsewhere.
fn names() -> Json {
    json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })
}

fn target() -> Json {
    json!({ "anyOf": [{ "enum": ["field", "mouse"] }, table(TARGET)] })
}

fn described(summary: &str, unit: &str) -> String {
    if unit.is_empty() { summary.to_owned() } else { format!("{summary} ({unit})") }
}

/// The reference of scene files in Markdown: every key with its unit, allowed values and default.
pub fn reference() -> String {
    let mut text = String::new();
    section(&mut text, "The top of the file", "", SCENE);
    section(&mut text, "A target", "", TARGET);
    let _ = writeln!(
        text,
        "\nA target has exactly one of the keys `point`, `agent`, `nearest`, `leader`, `path`, or is a word:"
    );
    let _ = writeln!(
        text,
        "`\"field\"` is where the flow field leads within a second, `\"mouse\"` the pointer of the window."
    );
    dialects(&mut text);
    heading(&mut text, "`[species.behaviors.NAME]`: the keys of every behavior");
    text.push_str(HEAD);
    let _ = writeln!(text, "| `enabled` | | true or false | true | {ENABLED_SUMMARY} |");
    row(&mut text, "weight", "see below", WEIGHT, 1.0, WEIGHT_SUMMARY);
    row(&mut text, "floor", "u/s²", FLOOR, FLOOR_DEFAULT, FLOOR_SUMMARY);
    let (priorities, _) = allowed_and_default(PRIORITY, 0.0);
    let _ = writeln!(text, "| `priority` | | {priorities} | see below | {PRIORITY_SUMMARY} |");
    let _ = writeln!(text, "| `states` | | {NAMES} | all | {STATES_SUMMARY} |");
    for spec in BEHAVIORS.iter() {
        heading(&mut text, &format!("`[species.behaviors.{}]`", spec.name));
        let unit = if spec.weight_unit.is_empty() { String::new() } else { format!(" {}", spec.weight_unit) };
        let (weight, priority) = (plain(spec.default_weight), spec.default_priority);
        let _ = writeln!(text, "{}. Default weight {weight}{unit}, priority {priority}.", spec.summary);
        if !spec.parameters.is_empty() {
            let _ = writeln!(text, "\n{}", HEAD.trim_end());
        }
        for p in spec.parameters {
            row(&mut text, p.name, p.unit, p.range, p.default, p.summary);
        }
    }
    text
}

/// What each dialect takes for granted.
fn dialects(text: &mut String) {
    heading(text, "Dialects");
    let _ = writeln!(text, "A dialect sets these keys of every species, and of the behaviors that it uses, where the");
    let _ = writeln!(text, "file does not give them.");
    for dialect in TABLE.iter().filter(|dialect| !dialect.defaults.is_empty()) {
        let _ = writeln!(text, "\n`{}`: {}.\n", dialect.name, dialect.summary);
        text.push_str("| key | default | reason |\n| --- | --- | --- |\n");
        for default in dialect.defaults {
            let value = match default.value {
                Default::Number(number) => plain(number),
                Default::Whole(whole) => whole.to_string(),
                Default::Word(word) => format!("\"{word}\""),
            };
            let _ = writeln!(text, "| `{}` | {value} | {} |", default.key, default.reason);
        }
    }
}

const NAMES: &str = "a name or a list of names";
const TARGETS: &str = "a target: see below";

const HEAD: &str = "| key | unit | allowed | default | meaning |\n| --- | --- | --- | --- | --- |\n";

fn heading(text: &mut String, title: &str) {
    let gap = if text.is_empty() { "" } else { "\n" };
    let _ = writeln!(text, "{gap}### {title}\n");
}

fn section(text: &mut String, title: &str, path: &str, keys: &[Key]) {
    heading(text, title);
    text.push_str(HEAD);
    for key in keys {
        let default = match key.fallback {
            Fallback::Required => "required".to_owned(),
            Fallback::Told(words) => words.to_owned(),
            Fallback::Number(x) => plain(x as f32),
            Fallback::Text(text) => format!("\"{text}\""),
        };
        let (unit, allowed) = (key.unit, allowed(&key.value));
        let _ = writeln!(text, "| `{}` | {unit} | {allowed} | {default} | {} |", key.name, key.summary);
    }
    for key in keys {
        let path = format!("{path}{}", key.name);
        match key.value {
            Value::Table(keys) => section(text, &format!("`[{path}]`"), &format!("{path}."), keys),
            Value::Tables(keys, _) => section(text, &format!("`[[{path}]]`"), &format!("{path}."), keys),
            _ => {}
        }
    }
}

fn row(text: &mut String, name: &str, unit: &str, range: Range, default: f32, summary: &str) {
    let (allowed, default) = allowed_and_default(range, default);
    let _ = writeln!(text, "| `{name}` | {unit} | {allowed} | {default} | {summary} |");
}

fn allowed_and_default(range: Range, default: f32) -> (String, String) {
    match range {
        Range::Number { min, max } => (between(min, max), plain(default)),
        Range::Whole { min, max } => (format!("whole, {min} to {max}"), plain(default)),
        Range::Choice(words) => (words.join(", "), words[default as usize].to_owned()),
        Range::Vector { min, max } => (format!("2 or 3 numbers, {}", between(min, max)), plain(default)),
        Range::Target => (TARGETS.into(), "the origin".into()),
        Range::Species => (NAMES.into(), "the species' key `perceives`".into()),
        Range::Path => ("name of a path".into(), "the first".into()),
    }
}

fn between(min: impl Into<f64>, max: impl Into<f64>) -> String {
    format!("{} to {}", plain(min.into()), plain(max.into()))
}

fn allowed(value: &Value) -> String {
    match value {
        Value::Number { min, max } => between(*min, *max),
        Value::Whole { min, max } if min == max => min.to_string(),
        Value::Whole { min, max } => format!("whole, {min} to {max}"),
        Value::Flag => "true or false".into(),
        Value::Text => "text".into(),
        Value::Name => "letters, digits, `-`, `_`".into(),
        Value::Texts => "list of texts".into(),
        Value::Choice(words) => words.join(", "),
        Value::Vector { min, max } => format!("2 or 3 numbers, {}", between(*min, *max)),
        Value::Points { min, max, most } => {
            format!("2 to {most} points of 2 or 3 numbers, {}", between(*min, *max))
        }
        Value::Words(words) => format!("{}; or a list, one for each axis", words.join(", ")),
        Value::Color(words) => format!("{}, `#rrggbb`", words.join(", ")),
        Value::Source(words, extensions) => format!("{}, path.{}", words.join(", "), extensions.join(", path.")),
        Value::Table(_) | Value::Behaviors => "table".into(),
        Value::Tables(..) => "list of tables".into(),
        Value::Numbers { min, max, most } => format!("up to {most} numbers, {}", between(*min, *max)),
        Value::Names => NAMES.into(),
        Value::Target => TARGETS.into(),
    }
}
