//! Typed access to one table of the scene: each getter checks type and range against the key's row in [`super::keys`].

use super::error::{SceneError, plain, suggest};
use super::keys::{Fallback, Key, Value};
use super::tree::{Input, Kind, Node, Place};

/// One table of the file, or the lack of it, with the keys that it may have.
pub struct Section<'a> {
    input: &'a Input<'a>,
    keys: &'a [Key],
    path: String,
    node: Option<&'a Node>,
    /// Where to point when a key is missing.
    place: Place,
}

impl<'a> Section<'a> {
    pub fn root(input: &'a Input<'a>, keys: &'a [Key]) -> Result<Self, SceneError> {
        Section::new(input, keys, String::new(), Some(&input.root), input.root.place.clone())
    }

    fn new(
        input: &'a Input<'a>,
        keys: &'a [Key],
        path: String,
        node: Option<&'a Node>,
        place: Place,
    ) -> Result<Self, SceneError> {
        let section = Section { input, keys, path, node, place };
        let allowed: Vec<&str> = keys.iter().map(|k| k.name).collect();
        section.only(&allowed)?;
        Ok(section)
    }

    /// Refuse keys other than these.
    fn only(&self, allowed: &[&str]) -> Result<(), SceneError> {
        let Some(node) = self.node else { return Ok(()) };
        let Kind::Table(entries) = &node.kind else {
            let message = format!("must be a table, not {}", node.type_name());
            return Err(self.input.error(&node.place, &self.path, message).value(node));
        };
        match entries.iter().find(|(name, _)| !allowed.contains(&name.as_str())) {
            Some((name, node)) => {
                let error = self.input.error(&node.key_place, &self.key_path(name), "unknown key");
                Err(error.hint(suggest(name, allowed)))
            }
            None => Ok(()),
        }
    }

    fn key(&self, name: &str) -> &'a Key {
        self.keys.iter().find(|k| k.name == name).expect("a key of this table")
    }

    fn key_path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The value of a key, or none where its fallback holds.
    fn find(&self, name: &str) -> Result<Option<&'a Node>, SceneError> {
        let node = self.node.and_then(|node| node.child(name));
        if node.is_none() && matches!(self.key(name).fallback, Fallback::Required) {
            let error = self.input.error(&self.place, &self.key_path(name), "this key is required, but missing");
            return Err(error.hint(format!("{name}: {}", self.key(name).summary)));
        }
        Ok(node)
    }

    /// The problem with a value.
    pub fn error(&self, name: &str, node: &Node, message: impl Into<String>) -> SceneError {
        self.input.error(&node.place, &self.key_path(name), message).value(node)
    }

    fn wrong_type(&self, name: &str, node: &Node, wanted: &str) -> SceneError {
        self.error(name, node, format!("must be {wanted}, not {}", node.type_name()))
    }

    /// A number within its range; the fallback must be a number too, or [`Section::try_number`] is meant.
    pub fn number(&self, name: &str) -> Result<f32, SceneError> {
        let fallback = match self.key(name).fallback {
            Fallback::Number(x) => x as f32,
            _ => 0.0,
        };
        Ok(self.try_number(name)?.unwrap_or(fallback))
    }

    pub fn try_number(&self, name: &str) -> Result<Option<f32>, SceneError> {
        let key = self.key(name);
        let Value::Number { min, max } = key.value else { unreachable!("{name} is a number") };
        self.find(name)?.map(|node| self.number_within(name, node, (min, max), key.unit)).transpose()
    }

    /// A number of the file between two bounds, both allowed.
    pub fn number_within(
        &self,
        name: &str,
        node: &Node,
        (min, max): (f64, f64),
        unit: &str,
    ) -> Result<f32, SceneError> {
        let number = match node.kind {
            Kind::Whole(number) => number as f64,
            Kind::Number(number) => number,
            _ => return Err(self.wrong_type(name, node, "a number")),
        };
        // Written so that NaN fails.
        if number >= min && number <= max {
            // The smallest numbers become zero, because not every device computes with them.
            let number = number as f32;
            return Ok(if number.is_subnormal() { 0.0 } else { number });
        }
        let space = if unit.is_empty() { "" } else { " " };
        Err(self.error(name, node, format!("must be between {} and {}{space}{unit}", plain(min), plain(max))))
    }

    pub fn whole(&self, name: &str) -> Result<u32, SceneError> {
        let Value::Whole { min, max } = self.key(name).value else { unreachable!("{name} is a whole number") };
        match (self.find(name)?, self.key(name).fallback) {
            (Some(node), _) => self.whole_within(name, node, (min, max)),
            (None, Fallback::Number(number)) => Ok(number as u32),
            (None, _) => Ok(min),
        }
    }

    /// A whole number of the file between two bounds, both allowed.
    pub fn whole_within(&self, name: &str, node: &Node, (min, max): (u32, u32)) -> Result<u32, SceneError> {
        match node.kind {
            Kind::Whole(number) => match u32::try_from(number) {
                Ok(number) if (min..=max).contains(&number) => Ok(number),
                _ if min == max => Err(self.error(name, node, format!("must be {min}"))),
                _ => Err(self.error(name, node, format!("must be between {min} and {max}"))),
            },
            _ => Err(self.wrong_type(name, node, "a whole number")),
        }
    }

    pub fn boolean(&self, name: &str, node: &Node) -> Result<bool, SceneError> {
        match node.kind {
            Kind::Boolean(flag) => Ok(flag),
            _ => Err(self.wrong_type(name, node, "true or false")),
        }
    }

    /// True where the file says so.
    pub fn flag(&self, name: &str) -> Result<bool, SceneError> {
        self.find(name)?.map_or(Ok(false), |node| self.boolean(name, node))
    }

    /// The text of a key and its node, or the fallback and none.
    pub fn text(&self, name: &str) -> Result<(&'a str, Option<&'a Node>), SceneError> {
        match (self.find(name)?, self.key(name).fallback) {
            (Some(node), _) => Ok((self.text_of(name, node)?, Some(node))),
            (None, Fallback::Text(text)) => Ok((text, None)),
            (None, _) => Ok(("", None)),
        }
    }

    pub fn text_of<'n>(&self, name: &str, node: &'n Node) -> Result<&'n str, SceneError> {
        match &node.kind {
            Kind::Text(text) => Ok(text),
            _ => Err(self.wrong_type(name, node, "a text in quotes")),
        }
    }

    pub fn texts(&self, name: &str) -> Result<Vec<String>, SceneError> {
        let Some(node) = self.find(name)? else { return Ok(Vec::new()) };
        let Kind::List(nodes) = &node.kind else { return Err(self.wrong_type(name, node, "a list of texts")) };
        nodes.iter().map(|node| self.text_of(name, node).map(str::to_owned)).collect()
    }

    /// The index of one of the words of a choice.
    pub fn choice(&self, name: &str) -> Result<usize, SceneError> {
        let Value::Choice(words) = self.key(name).value else { unreachable!("{name} is a choice") };
        match self.text(name)? {
            (_, Some(node)) => self.word(name, node, words),
            (text, None) => Ok(words.iter().position(|w| *w == text).unwrap_or(0)),
        }
    }

    /// The index of the word that a node holds.
    pub fn word(&self, name: &str, node: &Node, words: &[&str]) -> Result<usize, SceneError> {
        let text = self.text_of(name, node)?;
        words.iter().position(|w| *w == text).ok_or_else(|| {
            let message = format!("must be one of {}", words.join(", "));
            self.error(name, node, message).hint(suggest(text, words))
        })
    }

    /// The words of a list with one word for each axis, or of a single word for all.
    pub fn words(&self, name: &str, axes: usize) -> Result<Vec<usize>, SceneError> {
        let Value::Words(words) = self.key(name).value else { unreachable!("{name} is a list of words") };
        let Some(node) = self.find(name)? else { return Ok(vec![0; axes]) };
        match &node.kind {
            Kind::List(nodes) if nodes.len() == axes => nodes.iter().map(|n| self.word(name, n, words)).collect(),
            Kind::List(_) => Err(self.error(name, node, format!("must have {axes} entries, one for each axis"))),
            Kind::Text(_) => Ok(vec![self.word(name, node, words)?; axes]),
            _ => Err(self.wrong_type(name, node, "a word, or a list of one word for each axis")),
        }
    }

    /// The numbers of a vector that has one of these lengths, or none where the fallback holds.
    pub fn vector(&self, name: &str, lengths: &[usize]) -> Result<Option<Vec<f32>>, SceneError> {
        let key = self.key(name);
        let Value::Vector { min, max } = key.value else { unreachable!("{name} is a vector") };
        let Some(node) = self.find(name)? else { return Ok(None) };
        self.vector_within(name, node, lengths, (min, max), key.unit).map(Some)
    }

    /// A list of numbers that has one of these lengths, each between two bounds.
    pub fn vector_within(
        &self,
        name: &str,
        node: &Node,
        lengths: &[usize],
        bounds: (f64, f64),
        unit: &str,
    ) -> Result<Vec<f32>, SceneError> {
        let wanted = lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ");
        match &node.kind {
            Kind::List(nodes) if lengths.contains(&nodes.len()) => {
                nodes.iter().map(|n| self.number_within(name, n, bounds, unit)).collect()
            }
            Kind::List(_) => Err(self.error(name, node, format!("must have {wanted} numbers, one for each axis"))),
            _ => Err(self.wrong_type(name, node, &format!("a list of {wanted} numbers"))),
        }
    }

    /// A list of at least two points, each with one number for each axis.
    pub fn points(&self, name: &str, axes: usize) -> Result<Vec<Vec<f32>>, SceneError> {
        let key = self.key(name);
        let Value::Points { min, max, most } = key.value else { unreachable!("{name} is a list of points") };
        let Some(node) = self.find(name)? else { return Ok(Vec::new()) };
        let Kind::List(nodes) = &node.kind else { return Err(self.wrong_type(name, node, "a list of points")) };
        if !(2..=most).contains(&nodes.len()) {
            return Err(self.error(name, node, format!("must have 2 to {most} points, not {}", nodes.len())));
        }
        let coordinates = |point: &Node| match &point.kind {
            Kind::List(numbers) if numbers.len() == axes => {
                numbers.iter().map(|n| self.number_within(name, n, (min, max), key.unit)).collect()
            }
            Kind::List(_) => Err(self.error(name, point, format!("a point must have {axes} numbers here"))),
            _ => Err(self.wrong_type(name, point, &format!("a list of {axes} numbers"))),
        };
        nodes.iter().map(coordinates).collect()
    }

    /// The value of a key that another key makes necessary.
    pub fn needed<T>(&self, name: &str, value: Option<T>) -> Result<T, SceneError> {
        value.ok_or_else(|| {
            let Fallback::Told(why) = self.key(name).fallback else { unreachable!("{name} says when it is required") };
            let error = self.input.error(&self.place, &self.key_path(name), format!("this key is {why}, but missing"));
            error.hint(format!("{name}: {}", self.key(name).summary))
        })
    }

    /// Refuse keys that only other choices have.
    pub fn only_for(&self, choice: &str, allowed: &[&str]) -> Result<(), SceneError> {
        let Some(Kind::Table(entries)) = self.node.map(|node| &node.kind) else { return Ok(()) };
        match entries.iter().find(|(name, _)| !allowed.contains(&name.as_str())) {
            Some((name, node)) => {
                let message = format!("{choice} has no such key");
                let error = self.input.error(&node.key_place, &self.key_path(name), message);
                Err(error.hint(format!("its keys are {}", allowed.join(", "))))
            }
            None => Ok(()),
        }
    }

    /// A table within this one, which may be absent; `keys` are those that it may have.
    pub fn table(&self, name: &str, keys: &'a [Key]) -> Result<Section<'a>, SceneError> {
        let node = self.find(name)?;
        let place = node.map_or_else(|| self.place.clone(), |n| n.key_place.clone());
        Section::new(self.input, keys, self.key_path(name), node, place)
    }

    /// A value of this table that is itself a table with these keys.
    pub fn within(&self, name: &str, node: &'a Node, keys: &'a [Key]) -> Result<Section<'a>, SceneError> {
        Section::new(self.input, keys, self.key_path(name), Some(node), node.place.clone())
    }

    /// A list of numbers, or none where the fallback holds.
    pub fn numbers(&self, name: &str) -> Result<Option<Vec<f32>>, SceneError> {
        let key = self.key(name);
        let Value::Numbers { min, max, most } = key.value else { unreachable!("{name} is a list of numbers") };
        let Some(node) = self.find(name)? else { return Ok(None) };
        match &node.kind {
            Kind::List(nodes) if nodes.len() <= most => nodes
                .iter()
                .map(|n| self.number_within(name, n, (min, max), key.unit))
                .collect::<Result<_, _>>()
                .map(Some),
            Kind::List(_) => Err(self.error(name, node, format!("must have at most {most} numbers"))),
            _ => Err(self.wrong_type(name, node, "a list of numbers")),
        }
    }

    /// The tables of a list of tables.
    pub fn tables(&self, name: &str, keys: &'a [Key], most: usize) -> Result<Vec<Section<'a>>, SceneError> {
        let Some(node) = self.find(name)? else { return Ok(Vec::new()) };
        let Kind::List(nodes) = &node.kind else {
            let hint = format!("write [[{name}]] in double brackets");
            return Err(self.wrong_type(name, node, "a list of tables").hint(hint));
        };
        if nodes.is_empty() || nodes.len() > most {
            let message = format!("must have 1 to {most} entries, not {}", nodes.len());
            let place = nodes.get(most).map_or(&node.place, |n| &n.place);
            return Err(self.input.error(place, &self.key_path(name), message));
        }
        let section = |(i, node): (usize, &'a Node)| {
            Section::new(self.input, keys, format!("{}.{i}", self.key_path(name)), Some(node), node.place.clone())
        };
        nodes.iter().enumerate().map(section).collect()
    }

    /// The entries of a table whose names come from the registry, by name; unknown names are refused.
    pub fn entries(&self, name: &str, allowed: &[&str]) -> Result<Option<Section<'a>>, SceneError> {
        let Some(node) = self.entry(name) else { return Ok(None) };
        let (path, place) = (self.key_path(name), node.key_place.clone());
        let section = Section { input: self.input, keys: &[], path, node: Some(node), place };
        section.only(allowed)?;
        Ok(Some(section))
    }

    /// An entry by name, whether or not the tables of keys know it.
    pub fn entry(&self, name: &str) -> Option<&'a Node> {
        self.node.and_then(|node| node.child(name))
    }

    pub fn exists(&self) -> bool {
        self.node.is_some()
    }
}
