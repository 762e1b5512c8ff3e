//! From the tree of a text to values: one table of the scene, and how each plain type is read and checked.

use super::error::{SceneError, suggest};
use super::keys::{Fallback, Key, joined};
use super::tree::{Input, Kind, Node, Place};
use glam::Vec3;

/// One table of the file.
pub struct Section<'a> {
    pub input: &'a Input<'a>,
    /// Dotted path of the table.
    pub path: String,
    pub node: &'a Node,
    /// Where to point when a key is missing.
    place: Place,
}

impl<'a> Section<'a> {
    /// The whole file as a table. A key that is not among `keys` is an error.
    pub fn root(input: &'a Input<'a>, keys: &[Key]) -> Result<Self, SceneError> {
        Section::new(input, String::new(), &input.root, input.root.place.clone(), keys)
    }

    /// A table within this table. A key that is not among `keys` is an error.
    pub fn within(&self, name: &str, node: &'a Node, keys: &[Key]) -> Result<Section<'a>, SceneError> {
        Section::new(self.input, joined(&self.path, name), node, node.key_place.clone(), keys)
    }

    fn new(input: &'a Input<'a>, path: String, node: &'a Node, place: Place, keys: &[Key]) -> Result<Self, SceneError> {
        let Kind::Table(entries) = &node.kind else {
            let message = format!("must be a table, not {}", node.type_name());
            return Err(input.error(&node.place, &path, message).value(node));
        };
        match entries.iter().find(|(name, _)| keys.iter().all(|key| key.name != name)) {
            Some((name, node)) => {
                let allowed: Vec<&str> = keys.iter().map(|key| key.name).collect();
                let error = input.error(&node.key_place, &joined(&path, name), "unknown key");
                Err(error.hint(suggest(name, &allowed)))
            }
            None => Ok(Section { input, path, node, place }),
        }
    }

    /// An entry by name, which may be absent.
    pub fn entry(&self, name: &str) -> Option<&'a Node> {
        self.node.child(name)
    }

    /// The value of a key. `None` if the file does not give it; an error if it is required.
    pub fn find(&self, key: &Key) -> Result<Option<&'a Node>, SceneError> {
        let why = match (self.entry(key.name), key.fallback) {
            (None, Fallback::Required) => "required",
            (None, Fallback::RequiredFor(why)) => why,
            (node, _) => return Ok(node),
        };
        let message = format!("this key is {why}, but missing");
        let error = self.input.error(&self.place, &joined(&self.path, key.name), message);
        Err(error.hint(format!("{}: {}", key.name, key.summary())))
    }

    /// An error about the value of a key.
    pub fn error(&self, key: &Key, node: &Node, message: impl Into<String>) -> SceneError {
        self.input.error(&node.place, &joined(&self.path, key.name), message).value(node)
    }

    pub fn wrong_type(&self, key: &Key, node: &Node, wanted: &str) -> SceneError {
        self.error(key, node, format!("must be {wanted}, not {}", node.type_name()))
    }

    /// A number between two bounds, both allowed.
    pub fn number(&self, key: &Key, node: &Node, (min, max): (f32, f32)) -> Result<f32, SceneError> {
        let number = match node.kind {
            Kind::Whole(number) => number as f32,
            Kind::Number(number) => number as f32,
            _ => return Err(self.wrong_type(key, node, "a number")),
        };
        // Written so that NaN fails.
        let allowed = (min..=max).contains(&number);
        allowed.then_some(number).ok_or_else(|| self.error(key, node, key.must_be_between(min, max)))
    }

    /// A whole number between two bounds, both allowed.
    pub fn whole(&self, key: &Key, node: &Node, (min, max): (u32, u32)) -> Result<u32, SceneError> {
        let number = match node.kind {
            Kind::Whole(number) => u32::try_from(number).ok().filter(|number| (min..=max).contains(number)),
            // Beyond the whole numbers of TOML.
            Kind::Number(number) if number.abs() >= i64::MAX as f64 => None,
            _ => return Err(self.wrong_type(key, node, "a whole number")),
        };
        number.ok_or_else(|| self.error(key, node, whole_between(min, max)))
    }

    pub fn flag(&self, key: &Key, node: &Node) -> Result<bool, SceneError> {
        match node.kind {
            Kind::Boolean(flag) => Ok(flag),
            _ => Err(self.wrong_type(key, node, "true or false")),
        }
    }

    pub fn text<'n>(&self, key: &Key, node: &'n Node) -> Result<&'n str, SceneError> {
        match &node.kind {
            Kind::Text(text) => Ok(text),
            _ => Err(self.wrong_type(key, node, "a text in quotes")),
        }
    }

    pub fn list<'n>(&self, key: &Key, node: &'n Node, wanted: &str) -> Result<&'n [Node], SceneError> {
        match &node.kind {
            Kind::List(nodes) => Ok(nodes),
            _ => Err(self.wrong_type(key, node, wanted)),
        }
    }

    /// The index of the word that a node holds.
    pub fn word(&self, key: &Key, node: &Node, words: &[&str]) -> Result<usize, SceneError> {
        let text = self.text(key, node)?;
        words.iter().position(|w| *w == text).ok_or_else(|| {
            self.error(key, node, format!("must be one of {}", words.join(", "))).hint(suggest(text, words))
        })
    }

    /// The index of a name that the scene gives elsewhere.
    pub fn name(&self, key: &Key, node: &Node, names: &[String], what: &str) -> Result<u32, SceneError> {
        let text = self.text(key, node)?;
        names.iter().position(|n| n == text).map(|index| index as u32).ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let message = match known[..] {
                [] => format!("the scene has no {what} of this name"),
                _ => format!("must be the name of a {what} of this scene: {}", known.join(", ")),
            };
            let error = self.error(key, node, message);
            if known.is_empty() { error } else { error.hint(suggest(text, &known)) }
        })
    }

    /// One name or a list of names, as bits.
    pub fn mask(&self, key: &Key, node: &Node, names: &[String], what: &str) -> Result<u32, SceneError> {
        let bit = |node: &Node| self.name(key, node, names, what).map(|index| 1u32 << index);
        match &node.kind {
            Kind::List(nodes) => nodes.iter().try_fold(0, |mask, node| Ok(mask | bit(node)?)),
            Kind::Text(_) => bit(node),
            _ => Err(self.error(key, node, format!("must be the name of a {what}, or a list of names"))),
        }
    }

    /// A list of numbers, of one of these lengths, each within `bounds`, both allowed. Where there are two, the third component is 0.
    pub fn vector(&self, key: &Key, node: &Node, lengths: &[usize], bounds: (f32, f32)) -> Result<Vec3, SceneError> {
        let wanted = lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ");
        let nodes = self.list(key, node, &format!("a list of {wanted} numbers"))?;
        if !lengths.contains(&nodes.len()) {
            return Err(self.error(key, node, format!("must have {wanted} numbers, one for each axis")));
        }
        let mut vector = Vec3::ZERO;
        for (axis, node) in nodes.iter().enumerate() {
            vector[axis] = self.number(key, node, bounds)?;
        }
        Ok(vector)
    }

    /// The tables of a list of tables.
    pub fn tables(&self, key: &Key, node: &'a Node, keys: &[Key], most: usize) -> Result<Vec<Section<'a>>, SceneError> {
        let Kind::List(nodes) = &node.kind else {
            // Entries of lists have numbers in paths, and none in brackets.
            let path = joined(&self.path, key.name);
            let names: Vec<&str> = path.split('.').filter(|part| part.parse::<usize>().is_err()).collect();
            let hint = format!("write [[{}]] in double brackets", names.join("."));
            return Err(self.wrong_type(key, node, "a list of tables").hint(hint));
        };
        let least = usize::from(matches!(key.fallback, Fallback::Required));
        if !(least..=most).contains(&nodes.len()) {
            let message = format!("must have {least} to {most} entries, not {}", nodes.len());
            let place = nodes.get(most).map_or(&node.place, |n| &n.place);
            return Err(self.input.error(place, &joined(&self.path, key.name), message));
        }
        let section = |(i, node): (usize, &'a Node)| {
            let path = format!("{}.{i}", joined(&self.path, key.name));
            Section::new(self.input, path, node, node.place.clone(), keys)
        };
        nodes.iter().enumerate().map(section).collect()
    }
}

pub fn whole_between(min: u32, max: u32) -> String {
    if min == max { format!("must be {min}") } else { format!("must be between {min} and {max}") }
}

/// A list of numbers, as a file has it.
pub fn numbers(numbers: &[f32]) -> Kind {
    Kind::List(numbers.iter().map(|number| Node::unwritten(Kind::Number(f64::from(*number)))).collect())
}

/// A list of texts, as a file has it.
pub fn texts<'a>(texts: impl Iterator<Item = &'a String>) -> Kind {
    Kind::List(texts.map(|text| Node::unwritten(Kind::Text(text.clone()))).collect())
}

/// The absolute path of a file, as a scene file in any folder can name it. `None` if it is not UTF-8.
pub fn file(path: &std::path::Path) -> Option<Kind> {
    let whole = std::path::absolute(path).ok()?;
    Some(Kind::Text(whole.to_str()?.to_owned()))
}
