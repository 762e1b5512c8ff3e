//! The text of a scene as a tree in which every value has its place in the text, with the overrides put in.

use super::error::{SceneError, shorten, suggest};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use toml_edit::{Document, Item, TableLike, Value};

/// Most parts of an override's dotted key.
const MAX_PARTS: usize = 8;

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub kind: Kind,
    /// Where the value stands.
    pub place: Place,
    /// Where its key stands.
    pub key_place: Place,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Text(String),
    Whole(i64),
    Number(f64),
    Boolean(bool),
    Date(String),
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

/// Where something was written: a byte range of the scene's text, or an override, by its index.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    File(Range<usize>),
    Override(usize),
}

/// One `KEY=VALUE` that replaces or adds a value of a scene, such as `species.0.behaviors.cohesion.weight=2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// Dotted path; entries of lists are named by their number, from 0, or by their `name`.
    pub key: String,
    /// A TOML value. Anything that is not valid TOML is taken as text, so words and paths need no quotes.
    pub value: String,
}

/// What a scene was made from, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneSource {
    /// The TOML as it was written, before the overrides.
    pub text: String,
    /// Path of the file, or name of the preset.
    pub origin: String,
    /// The overrides, in the order in which they were put in.
    pub overrides: Vec<Override>,
}

/// The source of a scene that was built in Rust.
impl Default for SceneSource {
    fn default() -> Self {
        SceneSource { text: String::new(), origin: "scene".into(), overrides: Vec::new() }
    }
}

impl FromStr for Override {
    type Err = SceneError;

    fn from_str(text: &str) -> Result<Self, SceneError> {
        let fault = |message: &str| {
            let error = SceneError::whole(format!("--set {}", shorten(text, 100)), message);
            error.hint("write KEY=VALUE, such as species.0.behaviors.cohesion.weight=2")
        };
        let (key, value) = text.split_once('=').ok_or_else(|| fault("there is no `=`"))?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || key.split('.').any(|part| part.is_empty() || part != part.trim()) {
            return Err(fault("the key must be names or numbers joined by single dots"));
        }
        if key.split('.').count() > MAX_PARTS {
            return Err(fault(&format!("the key has more than {MAX_PARTS} parts")));
        }
        Ok(Override { key: key.to_owned(), value: value.to_owned() })
    }
}

impl std::fmt::Display for Override {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "--set {}={}", shorten(&self.key, 100), shorten(&self.value, 100))
    }
}

impl Override {
    pub(super) fn node(&self, index: usize) -> Node {
        let place = Place::Override(index);
        match self.value.parse::<toml_edit::Value>() {
            Ok(value) => Node::of_value(&value, &place),
            Err(_) => {
                // Integers beyond 64 bits and numbers beyond f64 are not TOML. As numbers, they fail the check of their range.
                let large = self.value.parse::<f64>().ok().filter(|number| number.abs() >= i64::MAX as f64);
                let large = large.filter(|_| self.value.contains(|c: char| c.is_ascii_digit()));
                let kind = large.map_or_else(|| Kind::Text(self.value.clone()), Kind::Number);
                Node { kind, key_place: place.clone(), place }
            }
        }
    }
}

/// The tree together with what is needed to report a problem in it.
pub struct Input<'a> {
    pub text: &'a str,
    pub origin: &'a str,
    pub overrides: &'a [Override],
    pub root: Node,
}

impl<'a> Input<'a> {
    pub fn new(text: &'a str, origin: &'a str, overrides: &'a [Override]) -> Result<Self, SceneError> {
        let document = Document::parse(text).map_err(|e| syntax_error(&e, text, origin))?;
        let place = Place::File(0..0);
        let root = Node { kind: table(document.as_table(), &place), key_place: place.clone(), place };
        let mut input = Input { text, origin, overrides, root };
        for (index, change) in overrides.iter().enumerate() {
            let fault = put(&mut input.root, &change.key, change.node(index), index).err();
            if let Some(message) = fault {
                return Err(input.error(&Place::Override(index), &change.key, message));
            }
        }
        Ok(input)
    }

    pub fn error(&self, place: &Place, key: &str, message: impl Into<String>) -> SceneError {
        match place {
            Place::File(span) => SceneError::whole(self.origin, message).key(key).at(self.text, span.clone()),
            Place::Override(index) => SceneError::whole(self.overrides[*index].to_string(), message).key(key),
        }
    }

    /// The node at a dotted path, or the deepest node on the way to it that exists.
    pub fn locate(&self, path: &str) -> &Node {
        let step = |node: &mut &'_ Node, part| node.child(part).map(|child| *node = child);
        let mut node = &self.root;
        let _: Option<()> = path.split('.').try_for_each(|part| step(&mut node, part));
        node
    }
}

impl Node {
    /// An entry of a table by name, or of a list by number.
    pub fn child(&self, part: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Table(entries) => entries.iter().find(|(name, _)| name == part).map(|(_, node)| node),
            Kind::List(nodes) => nodes.get(number(part)?),
            _ => None,
        }
    }

    /// Its `name`; empty where it has none.
    fn name(&self) -> &str {
        self.child("name").map_or("", Node::as_text)
    }

    /// The path of an override, with the entries of lists given by number instead of by name.
    pub fn numbered(&self, path: &str) -> String {
        let mut node = Some(self);
        let part = |part: &str| {
            let here = node.take();
            let number = match here.map(|node| &node.kind) {
                Some(Kind::List(nodes)) => entry(nodes, part).map(|index| index.to_string()),
                _ => None,
            };
            let part = number.unwrap_or_else(|| part.to_owned());
            node = here.and_then(|node| node.child(&part));
            part
        };
        path.split('.').map(part).collect::<Vec<_>>().join(".")
    }

    /// The text of a `Kind::Text`; empty for any other kind.
    pub fn as_text(&self) -> &str {
        if let Kind::Text(text) = &self.kind { text } else { "" }
    }

    /// The node of a TOML value, with the same place for the value and its key.
    pub fn of_value(value: &Value, place: &Place) -> Node {
        Node { kind: kind(value, place), place: place.clone(), key_place: place.clone() }
    }

    /// The node of a value that the program makes. Its place means nothing.
    pub fn unwritten(kind: Kind) -> Node {
        let place = Place::Override(0);
        Node { kind, place: place.clone(), key_place: place }
    }

    pub fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Text(_) => "a text",
            Kind::Whole(_) => "a whole number",
            Kind::Number(_) => "a number",
            Kind::Boolean(_) => "true or false",
            Kind::Date(_) => "a date",
            Kind::List(_) => "a list",
            Kind::Table(_) => "a table",
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Text(text) => write!(f, "{:?}", shorten(text, 60)),
            Kind::Whole(number) => write!(f, "{number}"),
            Kind::Number(number) if number.is_nan() => write!(f, "nan"),
            Kind::Number(number) => write!(f, "{number:?}"),
            Kind::Boolean(flag) => write!(f, "{flag}"),
            Kind::Date(date) => write!(f, "{date}"),
            Kind::Table(_) => write!(f, "{{…}}"),
            Kind::List(nodes) => {
                let parts: Vec<String> = nodes.iter().take(4).map(Node::to_string).collect();
                write!(f, "[{}{}]", parts.join(", "), if nodes.len() > 4 { ", …" } else { "" })
            }
        }
    }
}

fn syntax_error(error: &toml_edit::TomlError, text: &str, origin: &str) -> SceneError {
    let message = error.message().trim().replace('\n', "; ");
    let fault = SceneError::whole(origin, format!("this is not TOML: {message}"));
    match error.span() {
        Some(span) => fault.at(text, span),
        None => fault,
    }
}

/// The place of a span of the document. Without a span, or in an override, it is the place of the enclosing value, `around`.
fn place(span: Option<Range<usize>>, around: &Place) -> Place {
    match (span, around) {
        (Some(span), Place::File(_)) => Place::File(span),
        _ => around.clone(),
    }
}

fn table(table: &dyn TableLike, around: &Place) -> Kind {
    let entry = |(name, item): (&str, &Item)| {
        let key = table.get_key_value(name).and_then(|(key, _)| key.span());
        let key_place = place(key, around);
        let (kind, place) = match item {
            Item::None => return None,
            Item::Value(value) => (kind(value, &key_place), place(value.span(), &key_place)),
            Item::Table(inner) => (self::table(inner, &key_place), key_place.clone()),
            Item::ArrayOfTables(tables) => {
                let nodes = tables.iter().map(|inner| {
                    let place = place(inner.span(), &key_place);
                    Node { kind: self::table(inner, &place), key_place: place.clone(), place }
                });
                (Kind::List(nodes.collect()), key_place.clone())
            }
        };
        Some((name.to_owned(), Node { kind, place, key_place }))
    };
    Kind::Table(table.iter().filter_map(entry).collect())
}

fn kind(value: &Value, around: &Place) -> Kind {
    match value {
        Value::String(text) => Kind::Text(text.value().clone()),
        Value::Integer(number) => Kind::Whole(*number.value()),
        Value::Float(number) => Kind::Number(*number.value()),
        Value::Boolean(flag) => Kind::Boolean(*flag.value()),
        Value::Datetime(date) => Kind::Date(date.value().to_string()),
        Value::InlineTable(inner) => table(inner, around),
        Value::Array(values) => {
            let node = |value: &Value| Node::of_value(value, &place(value.span(), around));
            Kind::List(values.iter().map(node).collect())
        }
    }
}

/// What a TOML text says, whatever its comments, its spaces and the order of its keys, and without the table `vary` of an experiment. It is
/// for comparisons only. A text that is not TOML says itself.
pub fn content(text: &str) -> String {
    fn said(node: &Node) -> String {
        let joined = |parts: &mut dyn Iterator<Item = String>| parts.collect::<Vec<_>>().join(", ");
        match &node.kind {
            Kind::Text(text) => format!("{text:?}"),
            Kind::List(nodes) => format!("[{}]", joined(&mut nodes.iter().map(said))),
            Kind::Table(entries) => {
                let entries: BTreeMap<_, _> = entries.iter().map(|(name, node)| (name, said(node))).collect();
                format!("{{{}}}", joined(&mut entries.iter().map(|(name, said)| format!("{name:?} = {said}"))))
            }
            _ => node.to_string(),
        }
    }
    let Ok(Input { mut root, .. }) = Input::new(text, "", &[]) else { return text.to_owned() };
    if let Kind::Table(entries) = &mut root.kind {
        entries.retain(|(name, _)| name != "vary");
    }
    said(&root)
}

/// The index that a part of a path gives; `None` unless it is written as the number is printed (not as `01` or `+1`).
fn number(part: &str) -> Option<usize> {
    part.parse().ok().filter(|number: &usize| number.to_string() == part)
}

/// The entry of a list that a part of a path names by its number or its name.
fn entry(nodes: &[Node], part: &str) -> Option<usize> {
    number(part).or_else(|| nodes.iter().position(|node| node.name() == part))
}

/// Set the value at a dotted path. Missing tables on the way are made; entries of lists must exist, and are given by number or name.
fn put(root: &mut Node, path: &str, value: Node, index: usize) -> Result<(), String> {
    let mut node = root;
    let parts: Vec<&str> = path.split('.').collect();
    for (depth, part) in parts.iter().enumerate() {
        let (what, walked) = (node.type_name(), parts[..depth].join("."));
        node = match &mut node.kind {
            Kind::Table(entries) => {
                let found = entries.iter().position(|(name, _)| name == part);
                let row = found.unwrap_or_else(|| {
                    let place = Place::Override(index);
                    let empty = Node { kind: Kind::Table(Vec::new()), key_place: place.clone(), place };
                    entries.push((part.to_string(), empty));
                    entries.len() - 1
                });
                &mut entries[row].1
            }
            Kind::List(nodes) => {
                let length = nodes.len();
                let names: Vec<String> = nodes.iter().map(|node| node.name().to_owned()).collect();
                let place = entry(nodes, part).and_then(|index| nodes.get_mut(index));
                place.ok_or_else(|| {
                    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
                    let numbers = format!("`{walked}` must be followed by a number from 0 to {}", length.max(1) - 1);
                    match (length, names.is_empty()) {
                        (0, _) => format!("`{walked}` is an empty list"),
                        (_, true) => numbers,
                        _ => format!("{numbers} or by a name; {}", suggest(part, &names)),
                    }
                })?
            }
            _ => return Err(format!("`{walked}` is {what}, so it has no `{part}`")),
        };
    }
    *node = value;
    Ok(())
}
