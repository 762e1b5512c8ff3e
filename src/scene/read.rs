//! From the tree of a text to values: one table of the scene, and how each plain type is read and checked.

use super::error::{SceneError, plain, suggest};
use super::keys::{Fallback, Key, Range, Table, Value, joined};
use super::rules::Broken;
use super::target::Names;
use super::tree::{Input, Kind, Node, Place};
use glam::Vec3;

/// One table of the file.
pub struct Section<'a> {
    pub input: &'a Input<'a>,
    /// Dotted path of the table.
    pub path: String,
    node: &'a Node,
    /// Where to point when a key is missing.
    place: Place,
}

impl<'a> Section<'a> {
    /// The whole file, which may have these keys.
    pub fn root(input: &'a Input<'a>, keys: &[Key]) -> Result<Self, SceneError> {
        Section::new(input, String::new(), &input.root, input.root.place.clone(), keys)
    }

    /// A value of this table that is itself a table with these keys.
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

    /// The value of a key; none where the file does not give it.
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

    /// The first key decides which others a table has: the variant that it names, if there is nothing else.
    pub fn choose<T: Table, const N: usize>(&self, variants: [T; N]) -> Result<T, SceneError> {
        let key = &T::KEYS[0];
        let (Range::Choice(words), Some(node), Kind::Table(entries)) = (key.range, self.find(key)?, &self.node.kind)
        else {
            return Ok(T::default());
        };
        let index = self.word(key, node, words)?;
        let mut chosen = variants.into_iter().nth(index).unwrap_or_default();
        let keys: Vec<&str> =
            [key].into_iter().chain(chosen.values().iter().map(|(key, _)| *key)).map(|k| k.name).collect();
        match entries.iter().find(|(name, _)| !keys.contains(&name.as_str())) {
            Some((name, node)) => {
                let message = format!("{} = {:?} has no such key", key.name, words[index]);
                let error = self.input.error(&node.key_place, &joined(&self.path, name), message);
                Err(error.hint(format!("its keys are {}", keys.join(", "))))
            }
            None => Ok(chosen),
        }
    }

    /// The problem with a value.
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
        let Kind::Whole(number) = node.kind else { return Err(self.wrong_type(key, node, "a whole number")) };
        let number = u32::try_from(number).ok().filter(|number| (min..=max).contains(number));
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
            self.error(key, node, message).hint(suggest(text, &known))
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

    /// A list of numbers, of one of these lengths, each between two bounds; a third is 0 where there are two.
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
    fn tables(&self, key: &Key, node: &'a Node, keys: &[Key], most: usize) -> Result<Vec<Section<'a>>, SceneError> {
        let Kind::List(nodes) = &node.kind else {
            let hint = format!("write [[{}]] in double brackets", key.name);
            return Err(self.wrong_type(key, node, "a list of tables").hint(hint));
        };
        if nodes.is_empty() || nodes.len() > most {
            let message = format!("must have 1 to {most} entries, not {}", nodes.len());
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

fn whole_between(min: u32, max: u32) -> String {
    if min == max { format!("must be {min}") } else { format!("must be between {min} and {max}") }
}

/// Refuse a number that is not between two bounds; make the smallest ones zero.
pub fn check_number(number: &mut f32, bounds: (f32, f32), key: &Key, path: &str) -> Result<(), Broken> {
    if !(bounds.0..=bounds.1).contains(number) {
        return Err(Broken::new(path, key.must_be_between(bounds.0, bounds.1)).value(plain(*number)));
    }
    if number.is_subnormal() {
        *number = 0.0;
    }
    Ok(())
}

/// Refuse a vector with a number that is not between two bounds.
pub fn check_vector(vector: &mut Vec3, axes: usize, key: &Key, path: &str) -> Result<(), Broken> {
    let bounds = match key.range {
        Range::Vector { min, max } | Range::Points { min, max, .. } => (min, max),
        _ => (f32::MIN, f32::MAX),
    };
    (0..axes).try_for_each(|axis| check_number(&mut vector[axis], bounds, key, path))?;
    match axes == 2 && vector.z != 0.0 {
        true => Err(Broken::new(path, "a planar world has no third coordinate").value(plain(vector.z))),
        false => Ok(()),
    }
}

/// Refuse an index that names nothing.
pub fn check_index(index: u32, names: &[String], what: &str, path: &str) -> Result<(), Broken> {
    match names.get(index as usize) {
        Some(_) => Ok(()),
        None => Err(Broken::new(path, format!("the scene has {} of these: {what}", names.len())).value(index)),
    }
}

/// Refuse bits that name nothing; all bits set stand for all names.
pub fn check_mask(mask: u32, names: &[String], what: &str, path: &str) -> Result<(), Broken> {
    let known = u32::MAX.checked_shr(32 - names.len().min(32) as u32).unwrap_or(0);
    match mask == u32::MAX || mask & !known == 0 {
        true => Ok(()),
        false => {
            Err(Broken::new(path, format!("the scene has {} of these: {what}", names.len()))
                .value(format!("{mask:#b}")))
        }
    }
}

/// A list of numbers, as a file has it.
pub fn numbers(numbers: &[f32]) -> Kind {
    Kind::List(numbers.iter().map(|number| Node::unwritten(Kind::Number(f64::from(*number)))).collect())
}

/// A list of texts, as a file has it.
pub fn texts<'a>(texts: impl Iterator<Item = &'a String>) -> Kind {
    Kind::List(texts.map(|text| Node::unwritten(Kind::Text(text.clone()))).collect())
}

/// A file, as a file elsewhere names it.
pub fn file(path: &std::path::Path) -> Option<Kind> {
    let whole = std::path::absolute(path).ok()?;
    Some(Kind::Text(whole.to_str()?.to_owned()))
}

impl Value for f32 {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        *self = from.number(key, node, key.bounds().unwrap_or((f32::MIN, f32::MAX)))?;
        Ok(())
    }

    fn check(&mut self, key: &Key, path: &str, _: &Names) -> Result<(), Broken> {
        check_number(self, key.bounds().unwrap_or((f32::MIN, f32::MAX)), key, path)
    }

    fn fall_back(&mut self, key: &Key) {
        if let Fallback::Number(number) = key.fallback {
            *self = number;
        }
    }

    fn numbers(&mut self, key: &Key) -> Vec<(Key, &mut f32)> {
        vec![(*key, self)]
    }

    fn tell(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        Some(Kind::Number(f64::from(*self)))
    }
}

impl Value for Option<f32> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        self.insert(0.0).read(key, from, node, names)
    }

    fn check(&mut self, key: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        self.as_mut().map_or(Ok(()), |number| number.check(key, path, names))
    }

    fn numbers(&mut self, key: &Key) -> Vec<(Key, &mut f32)> {
        self.as_mut().map(|number| (*key, number)).into_iter().collect()
    }

    fn tell(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        self.map(|number| Kind::Number(f64::from(number)))
    }
}

/// A whole number, the index of a name, or a set of names as bits.
impl Value for u32 {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        *self = match key.range {
            Range::Species => from.mask(key, node, &names.species, "species")?,
            Range::States => from.mask(key, node, names.states(&from.path), "state")?,
            Range::State => from.name(key, node, names.states(&from.path), "state")?,
            Range::Whole { min, max } => from.whole(key, node, (min, max))?,
            _ => return Err(from.wrong_type(key, node, "something else")),
        };
        Ok(())
    }

    fn check(&mut self, key: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        match key.range {
            Range::Species => check_mask(*self, &names.species, "species", path),
            Range::States => check_mask(*self, names.states(path), "action states", path),
            Range::State => check_index(*self, names.states(path), "action states", path),
            Range::Whole { min, max } if !(min..=max).contains(self) => {
                Err(Broken::new(path, whole_between(min, max)).value(*self))
            }
            _ => Ok(()),
        }
    }

    fn fall_back(&mut self, key: &Key) {
        *self = match (key.range, key.fallback) {
            (Range::Species | Range::States, _) => u32::MAX,
            (_, Fallback::Number(number)) => number as u32,
            (Range::Whole { min, .. }, _) => min,
            _ => 0,
        };
    }

    fn tell(&mut self, key: &Key, path: &str, names: &Names) -> Option<Kind> {
        let marked = |names: &[String]| {
            let of_mask = names.iter().enumerate().filter(|(index, _)| *self >> index & 1 == 1);
            // Where all are meant, nothing has to be said.
            (*self != u32::MAX && names != [""]).then(|| texts(of_mask.map(|(_, name)| name)))
        };
        match key.range {
            Range::Species => marked(&names.species),
            Range::States => marked(names.states(path)),
            Range::State => names.states(path).get(*self as usize).cloned().map(Kind::Text),
            _ => Some(Kind::Whole(i64::from(*self))),
        }
    }
}

impl Value for bool {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        *self = match key.range {
            Range::Choice(words) => from.word(key, node, words)? > 0,
            _ => from.flag(key, node)?,
        };
        Ok(())
    }

    fn tell(&mut self, key: &Key, _: &str, _: &Names) -> Option<Kind> {
        Some(match key.range {
            Range::Choice(words) => Kind::Text(words[usize::from(*self)].to_owned()),
            _ => Kind::Boolean(*self),
        })
    }
}

/// Letters, digits, `-` and `_`.
pub fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

fn name_fault(key: &Key, text: &str) -> Option<String> {
    let good = (1..=64).contains(&text.len()) && text.chars().all(in_name);
    match key.range {
        Range::Name if !good => Some("must be 1 to 64 letters, digits, `-` or `_`".into()),
        Range::Text if key.name == "name" && !is_shown_whole(text) => Some(NO_NAME.into()),
        _ => None,
    }
}

/// Do messages and listings show this name unchanged?
fn is_shown_whole(name: &str) -> bool {
    name.chars().count() <= 64 && !name.chars().any(char::is_control)
}

const NO_NAME: &str = "a name has at most 64 characters, and no control characters such as ends of lines";

impl Value for String {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        *self = from.text(key, node)?.to_owned();
        name_fault(key, self).map_or(Ok(()), |message| Err(from.error(key, node, message)))
    }

    fn check(&mut self, key: &Key, path: &str, _: &Names) -> Result<(), Broken> {
        name_fault(key, self).map_or(Ok(()), |message| Err(Broken::new(path, message).value(format!("{self:?}"))))
    }

    fn fall_back(&mut self, key: &Key) {
        if matches!(key.range, Range::Name) {
            *self = "scene".into();
        }
    }

    fn tell(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        Some(Kind::Text(self.clone()))
    }
}

fn names_fault(key: &Key, names: &[String]) -> Option<String> {
    let Range::Names(most) = key.range else { return None };
    let twice = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
    match twice {
        _ if names.is_empty() => Some("must have at least one name".into()),
        _ if names.len() > most => Some(format!("must have at most {most} names")),
        _ if !names.iter().all(|name| is_shown_whole(name)) => Some(NO_NAME.into()),
        Some((_, name)) => Some(format!("has `{name}` twice; each needs a name of its own")),
        None => None,
    }
}

impl Value for Vec<String> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        let nodes = from.list(key, node, "a list of texts")?;
        *self = nodes.iter().map(|node| from.text(key, node).map(str::to_owned)).collect::<Result<_, _>>()?;
        if self.is_empty() {
            self.fall_back(key);
        }
        names_fault(key, self).map_or(Ok(()), |message| Err(from.error(key, node, message)))
    }

    fn check(&mut self, key: &Key, path: &str, _: &Names) -> Result<(), Broken> {
        names_fault(key, self).map_or(Ok(()), |message| Err(Broken::new(path, message)))
    }

    /// Of names there is at least one, which is empty.
    fn fall_back(&mut self, key: &Key) {
        if matches!(key.range, Range::Names(_)) {
            *self = vec![String::new()];
        }
    }

    fn tell(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        (*self != [""] && !self.is_empty()).then(|| texts(self.iter()))
    }
}

/// A point or an extent, with as many numbers as the world has axes.
impl Value for Vec3 {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        let Range::Vector { min, max } = key.range else { return Err(from.wrong_type(key, node, "something else")) };
        *self = from.vector(key, node, names.axes(), (min, max))?;
        Ok(())
    }

    fn check(&mut self, key: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        check_vector(self, names.axes, key, path)
    }

    fn tell(&mut self, _: &Key, _: &str, names: &Names) -> Option<Kind> {
        Some(numbers(&self.to_array()[..names.axes]))
    }
}

fn points_fault(key: &Key, points: usize) -> Option<String> {
    let Range::Points { most, .. } = key.range else { return None };
    (!(2..=most).contains(&points)).then(|| format!("must have 2 to {most} points, not {points}"))
}

impl Value for Vec<Vec3> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        let nodes = from.list(key, node, "a list of points")?;
        if let Some(message) = points_fault(key, nodes.len()) {
            return Err(from.error(key, node, message));
        }
        let Range::Points { min, max, .. } = key.range else { return Ok(()) };
        let axes = names.axes();
        let point = |point: &Node| match &point.kind {
            Kind::List(numbers) if !axes.contains(&numbers.len()) => {
                Err(from.error(key, point, format!("a point must have {} numbers here", names.axes)))
            }
            _ => from.vector(key, point, axes, (min, max)),
        };
        *self = nodes.iter().map(point).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn check(&mut self, key: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        if let Some(message) = points_fault(key, self.len()) {
            return Err(Broken::new(path, message));
        }
        self.iter_mut().try_for_each(|point| check_vector(point, names.axes, key, path))
    }

    fn tell(&mut self, _: &Key, _: &str, names: &Names) -> Option<Kind> {
        let points = self.iter().map(|point| Node::unwritten(numbers(&point.to_array()[..names.axes])));
        Some(Kind::List(points.collect()))
    }
}

/// As many numbers as there are.
impl Value for Vec<f32> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        let Range::Numbers { min, max, most } = key.range else { return Ok(()) };
        let nodes = from.list(key, node, "a list of numbers")?;
        if nodes.len() > most {
            return Err(from.error(key, node, format!("must have at most {most} numbers")));
        }
        *self = nodes.iter().map(|node| from.number(key, node, (min, max))).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn check(&mut self, key: &Key, path: &str, _: &Names) -> Result<(), Broken> {
        let Range::Numbers { min, max, most } = key.range else { return Ok(()) };
        if self.len() > most {
            return Err(Broken::new(path, format!("must have at most {most} numbers")));
        }
        self.iter_mut().try_for_each(|number| check_number(number, (min, max), key, path))
    }

    fn tell(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        (!self.is_empty()).then(|| numbers(self))
    }
}

/// The index of a name, where there is one.
impl Value for Option<u32> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        *self = Some(from.name(key, node, &names.trajectories, "trajectory")?);
        Ok(())
    }

    fn check(&mut self, _: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        self.map_or(Ok(()), |index| check_index(index, &names.trajectories, "trajectories", path))
    }

    fn tell(&mut self, _: &Key, _: &str, names: &Names) -> Option<Kind> {
        names.trajectories.get((*self)? as usize).cloned().map(Kind::Text)
    }
}

/// Numbers, one for each of something; those beyond the list are as they were.
impl<const N: usize> Value for [f32; N] {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        let Range::Numbers { min, max, most } = key.range else { return Ok(()) };
        let nodes = from.list(key, node, "a list of numbers")?;
        if nodes.len() > most {
            return Err(from.error(key, node, format!("must have at most {most} numbers")));
        }
        self.iter_mut().zip(nodes).try_for_each(|(number, node)| {
            *number = from.number(key, node, (min, max))?;
            Ok(())
        })
    }

    fn check(&mut self, key: &Key, path: &str, _: &Names) -> Result<(), Broken> {
        let Range::Numbers { min, max, .. } = key.range else { return Ok(()) };
        self.iter_mut().try_for_each(|number| check_number(number, (min, max), key, path))
    }

    /// What is told begins with the number.
    fn fall_back(&mut self, key: &Key) {
        let Fallback::Told(told) = key.fallback else { return };
        let number = told.split(' ').next().and_then(|number| number.parse().ok());
        *self = [number.unwrap_or_default(); N];
    }

    fn tell(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        Some(numbers(self))
    }
}

impl<T: Table> Value for T {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        Table::read(self, &from.within(key.name, node, T::KEYS)?, names)
    }

    fn check(&mut self, _: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        Table::check(self, path, names)
    }

    fn numbers(&mut self, _: &Key) -> Vec<(Key, &mut f32)> {
        Table::numbers(self)
    }

    fn at(&mut self, path: &str) -> Option<(Key, &mut dyn Value)> {
        Table::at(self, path)
    }

    fn tell(&mut self, _: &Key, path: &str, names: &Names) -> Option<Kind> {
        Some(Table::tell(self, path, names))
    }
}

impl<T: Table> Value for Option<T> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        Value::read(self.insert(T::default()), key, from, node, names)
    }

    fn check(&mut self, _: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        self.as_mut().map_or(Ok(()), |table| Table::check(table, path, names))
    }

    fn numbers(&mut self, _: &Key) -> Vec<(Key, &mut f32)> {
        self.as_mut().map_or(Vec::new(), Table::numbers)
    }

    fn at(&mut self, path: &str) -> Option<(Key, &mut dyn Value)> {
        Table::at(self.as_mut()?, path)
    }

    fn tell(&mut self, _: &Key, path: &str, names: &Names) -> Option<Kind> {
        self.as_mut().map(|table| Table::tell(table, path, names))
    }
}

impl<T: Table> Value for Vec<T> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        let Range::Tables(keys, most) = key.range else { return Ok(()) };
        let read = |section: &Section| {
            let mut table = T::default();
            Table::read(&mut table, section, names).map(|()| table)
        };
        *self = from.tables(key, node, keys, most)?.iter().map(read).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn check(&mut self, key: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        let least = usize::from(matches!(key.fallback, Fallback::Required));
        if let Range::Tables(_, most) = key.range
            && !(least..=most).contains(&self.len())
        {
            return Err(Broken::new(path, format!("must have {least} to {most} entries, not {}", self.len())));
        }
        let mut tables = self.iter_mut().enumerate();
        tables.try_for_each(|(i, table)| Table::check(table, &format!("{path}.{i}"), names))
    }

    fn at(&mut self, path: &str) -> Option<(Key, &mut dyn Value)> {
        let (index, rest) = path.split_once('.')?;
        Table::at(self.get_mut(index.parse::<usize>().ok()?)?, rest)
    }

    fn tell(&mut self, _: &Key, path: &str, names: &Names) -> Option<Kind> {
        let mut tables = Vec::new();
        for (index, table) in self.iter_mut().enumerate() {
            tables.push(Node::unwritten(Table::tell(table, &format!("{path}.{index}"), names)));
        }
        (!tables.is_empty()).then_some(Kind::List(tables))
    }
}
