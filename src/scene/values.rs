//! How each plain type is read, checked and written back.

use super::broken::{Broken, check_index, check_mask, check_number, check_vector};
use super::error::SceneError;
use super::keys::{Fallback, Key, Range};
use super::names::Names;
use super::read::{Section, numbers, texts, whole_between};
use super::tables::{Table, Value};
use super::tree::{Kind, Node};
use glam::Vec3;

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

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        Some(Kind::Number(f64::from(*self)))
    }
}

/// A whole number, the index of a name, or a set of names as bits.
impl Value for u32 {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        *self = match key.range {
            Range::Species => from.mask(key, node, &names.species, "species")?,
            Range::States => from.mask(key, node, names.states(&from.path), "state")?,
            Range::State => from.name(key, node, names.states(&from.path), "state")?,
            Range::Goal => from.name(key, node, &names.goals, "goal")?,
            Range::Trajectory => from.name(key, node, &names.trajectories, "trajectory")?,
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
            Range::Goal => check_index(*self, &names.goals, "goals", path),
            Range::Trajectory => check_index(*self, &names.trajectories, "trajectories", path),
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

    fn kind_in_file(&mut self, key: &Key, path: &str, names: &Names) -> Option<Kind> {
        let marked = |names: &[String]| {
            let of_mask = names.iter().enumerate().filter(|(index, _)| *self >> index & 1 == 1);
            // All bits set means all names, which is the default: the key is left out.
            (*self != u32::MAX && names != [""]).then(|| texts(of_mask.map(|(_, name)| name)))
        };
        let named = |names: &[String]| names.get(*self as usize).cloned().map(Kind::Text);
        match key.range {
            Range::Species => marked(&names.species),
            Range::States => marked(names.states(path)),
            Range::State => named(names.states(path)),
            Range::Goal => named(&names.goals),
            Range::Trajectory => named(&names.trajectories),
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

    fn kind_in_file(&mut self, key: &Key, _: &str, _: &Names) -> Option<Kind> {
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

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
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

    /// The default of a list of names is one empty name: a species has at least one action state.
    fn fall_back(&mut self, key: &Key) {
        if matches!(key.range, Range::Names(_)) {
            *self = vec![String::new()];
        }
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
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

    fn vectors(&mut self, key: &Key, path: &str) -> Vec<(String, Key, &mut Vec3)> {
        vec![(path.to_owned(), *key, self)]
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, names: &Names) -> Option<Kind> {
        Some(numbers(&self.to_array()[..names.axes]))
    }
}

fn points_fault(key: &Key, points: usize) -> Option<String> {
    let Range::Points { least, most, .. } = key.range else { return None };
    (!(least..=most).contains(&points)).then(|| format!("must have {least} to {most} points, not {points}"))
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

    fn vectors(&mut self, key: &Key, path: &str) -> Vec<(String, Key, &mut Vec3)> {
        self.iter_mut().enumerate().map(|(index, point)| (format!("{path}.{index}"), *key, point)).collect()
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, names: &Names) -> Option<Kind> {
        let points = self.iter().map(|point| Node::unwritten(numbers(&point.to_array()[..names.axes])));
        (!self.is_empty()).then(|| Kind::List(points.collect()))
    }
}

/// A list of any length, up to the key's limit.
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

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        (!self.is_empty()).then(|| numbers(self))
    }
}

/// A fixed number of numbers. A file may give fewer; the others stay as they were.
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

    /// Every number becomes the one that the default's description begins with, as in `1 each`.
    fn fall_back(&mut self, key: &Key) {
        let Fallback::Described(description) = key.fallback else { return };
        let number = description.split(' ').next().and_then(|number| number.parse().ok());
        *self = [number.unwrap_or_default(); N];
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
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

    fn vectors(&mut self, _: &Key, path: &str) -> Vec<(String, Key, &mut Vec3)> {
        Table::vectors(self, path)
    }

    fn at(&mut self, path: &str) -> Option<(Key, &mut dyn Value)> {
        Table::at(self, path)
    }

    fn kind_in_file(&mut self, _: &Key, path: &str, names: &Names) -> Option<Kind> {
        Some(Table::kind_in_file(self, path, names))
    }
}

impl<V: Value + Default + Clone + 'static> Value for Option<V> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        self.insert(V::default()).read(key, from, node, names)
    }

    fn check(&mut self, key: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        self.as_mut().map_or(Ok(()), |value| value.check(key, path, names))
    }

    fn numbers(&mut self, key: &Key) -> Vec<(Key, &mut f32)> {
        self.as_mut().map_or(Vec::new(), |value| value.numbers(key))
    }

    fn vectors(&mut self, key: &Key, path: &str) -> Vec<(String, Key, &mut Vec3)> {
        self.as_mut().map_or(Vec::new(), |value| value.vectors(key, path))
    }

    fn at(&mut self, path: &str) -> Option<(Key, &mut dyn Value)> {
        self.as_mut()?.at(path)
    }

    fn kind_in_file(&mut self, key: &Key, path: &str, names: &Names) -> Option<Kind> {
        self.as_mut()?.kind_in_file(key, path, names)
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

    fn vectors(&mut self, _: &Key, path: &str) -> Vec<(String, Key, &mut Vec3)> {
        let tables = self.iter_mut().enumerate();
        tables.flat_map(|(i, table)| Table::vectors(table, &format!("{path}.{i}"))).collect()
    }

    fn at(&mut self, path: &str) -> Option<(Key, &mut dyn Value)> {
        let (index, rest) = path.split_once('.')?;
        Table::at(self.get_mut(index.parse::<usize>().ok()?)?, rest)
    }

    fn kind_in_file(&mut self, _: &Key, path: &str, names: &Names) -> Option<Kind> {
        let mut tables = Vec::new();
        for (index, table) in self.iter_mut().enumerate() {
            tables.push(Node::unwritten(Table::kind_in_file(table, &format!("{path}.{index}"), names)));
        }
        (!tables.is_empty()).then_some(Kind::List(tables))
    }
}
