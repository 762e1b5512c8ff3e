//! What a program does with scenes: from a draft to a scene and back, and access by names.

use super::error::{SceneError, shorten, suggest};
use super::keys::{Key, Range};
use super::tables::Table;
use super::{Behavior, BehaviorSpec, Boundary, Draft, OwnBehavior, Scene, Setting, Species, Target, World};
use glam::Vec3;
use std::mem::discriminant;
use std::ops::Deref;
use std::path::Path;

impl Deref for Scene {
    type Target = Draft;

    fn deref(&self) -> &Draft {
        &self.0
    }
}

impl Scene {
    /// This scene as a draft.
    pub fn draft(&self) -> Draft {
        self.0.clone()
    }

    /// A changed copy of this scene. This one stays as it is.
    ///
    /// # Errors
    /// The error of the change itself, and whatever [`Draft::validate`] refuses.
    pub fn edit(&self, change: impl FnOnce(&mut Draft) -> Result<(), SceneError>) -> Result<Scene, SceneError> {
        let mut draft = self.draft();
        change(&mut draft)?;
        draft.validate()
    }

    /// As [`Scene::edit`], with a change that cannot fail.
    ///
    /// # Errors
    /// Whatever [`Draft::validate`] refuses.
    pub fn with(&self, change: impl FnOnce(&mut Draft)) -> Result<Scene, SceneError> {
        let mut draft = self.draft();
        change(&mut draft);
        draft.validate()
    }
}

impl Draft {
    /// Add a behavior of one's own. No species uses it yet: see [`Species::enable`]. Only species that are in the draft already get an
    /// entry for it, so add all species first.
    pub fn add_behavior(&mut self, own: OwnBehavior) {
        let entry = own.spec().map(BehaviorSpec::defaults);
        self.own_behaviors.push(own);
        self.species.iter_mut().for_each(|species| species.behaviors.extend(entry.clone()));
    }

    /// A world of this extent, u: two numbers make a planar world, three a spatial one. It has no species; all other
    /// keys have their defaults.
    pub fn new<const AXES: usize>(name: &str, size: [f32; AXES]) -> Draft {
        let spatial = AXES == 3;
        let axis = |axis: usize| size.get(axis).copied().unwrap_or(0.0);
        let third = if spatial { Boundary::Wrap } else { Boundary::Open };
        let boundary = [Boundary::Wrap, Boundary::Wrap, third];
        let world = World { size: Vec3::new(axis(0), axis(1), axis(2)), spatial, boundary, ..World::default() };
        Draft { name: name.into(), world, ..Draft::default() }
    }

    /// The files that the draft names, each with the dotted path of its key.
    pub fn files(&self) -> Vec<(String, &Path)> {
        let behaviors = self.own_behaviors.iter().enumerate();
        let mut files: Vec<_> = behaviors.map(|(index, own)| (format!("behavior.{index}.file"), own.path())).collect();
        let first = self.field.iter().map(|field| ("field.source", field.source.path()));
        let later = self.field.iter().flat_map(|field| &field.later).map(|source| ("field.later", source.path()));
        let map = self.map.iter().map(|map| ("map.source", map.source.path()));
        let trail = self.ground.iter().map(|ground| ("ground.trail", ground.trail.as_ref().map(|trail| trail.path())));
        let surface = self.scenery.surface.iter().map(|surface| ("surface.source", surface.path()));
        let others = first.chain(later).chain(map).chain(trail).chain(surface);
        files.extend(others.filter_map(|(key, path)| Some((key.to_owned(), path?))));
        files
    }

    /// Check the draft and make a scene of it.
    ///
    /// # Errors
    /// The first number out of range, index or name that refers to nothing, or rule that is broken, with its key.
    pub fn validate(mut self) -> Result<Scene, SceneError> {
        match self.broken() {
            None => Ok(Scene(self)),
            Some(broken) => {
                let error = SceneError::whole(&self.source.origin, broken.message).key(&broken.keys[0]);
                Err(SceneError { value: broken.value.map(Into::into), hint: broken.hint, ..error })
            }
        }
    }

    /// The key at a dotted path, such as `species.0.max_speed`. `None` if there is no such key, or its table is absent.
    pub fn key(&mut self, path: &str) -> Option<Key> {
        Table::at(self, path).map(|(key, _)| key)
    }

    /// The number at a dotted path, with its key; for a parameter that is a choice of words, the index of the word. `None` if the key
    /// is not a number, or is not given.
    pub fn number_at(&mut self, path: &str) -> Option<(Key, &mut f32)> {
        let (key, value) = Table::at(self, path)?;
        value.numbers(&key).into_iter().find(|(found, _)| path.ends_with(found.name))
    }

    /// All positions, extents and directions of the draft, each with its dotted path, such as `paths.0.points.2` or
    /// `species.0.behaviors.seek.target.point`, and its key. Behaviors that do not act are left out.
    pub fn vectors(&mut self) -> Vec<(String, Key, &mut Vec3)> {
        Table::vectors(self, "")
    }

    /// Copy the value of the key at a dotted path from another draft. If only one of the two has the key, copy the table around it.
    pub fn copy_key(&mut self, from: &Draft, path: &str) {
        let (mut from, mut path) = (from.clone(), path);
        loop {
            match (Table::at(self, path), Table::at(&mut from, path), path.rsplit_once('.')) {
                (Some((_, now)), Some((_, value)), _) => return now.copy_from(value.as_any()),
                (None, None, _) | (.., None) => return,
                (.., Some((table, _))) => path = table,
            }
        }
    }

    /// Index of the species of this name.
    ///
    /// # Errors
    /// No species has it; the error names the nearest.
    pub fn species_index(&self, name: &str) -> Result<usize, SceneError> {
        let names: Vec<&str> = self.species.iter().map(|species| species.name.as_str()).collect();
        find(&names, name, "species", "a species of this scene")
    }

    /// The species of this name.
    ///
    /// # Errors
    /// As [`Draft::species_index`].
    pub fn species(&self, name: &str) -> Result<&Species, SceneError> {
        Ok(&self.species[self.species_index(name)?])
    }
}

impl Species {
    /// A species of `count` agents; all other keys have their defaults.
    pub fn new(name: &str, count: u32) -> Species {
        Species { name: name.into(), count, ..Species::default() }
    }

    /// Enable a behavior, with its weight and parameters as they are.
    ///
    /// # Errors
    /// No behavior has this name; the error names the nearest.
    pub fn enable(&mut self, behavior: &str) -> Result<&mut Species, SceneError> {
        let row = self.row(behavior)?;
        self.behaviors[row].enabled = true;
        Ok(self)
    }

    /// Is a behavior enabled? It is active if its weight is not 0 either.
    ///
    /// # Errors
    /// No behavior has this name; the error names the nearest.
    pub fn enabled(&self, behavior: &str) -> Result<bool, SceneError> {
        Ok(self.behaviors[self.row(behavior)?].enabled)
    }

    /// The value of a parameter of a behavior, or its `weight`, `floor`, `priority`, `rank`, `jitter`, `limit` or `weight_spread`.
    ///
    /// # Errors
    /// No behavior, or no parameter of it, has this name; the error names the nearest.
    pub fn get(&self, behavior: &str, parameter: &str) -> Result<Setting, SceneError> {
        let (row, column) = self.place(behavior, parameter)?;
        let behavior = &self.behaviors[row];
        Ok(match COMMON.get(column) {
            Some((_, get, _)) => Setting::Number(get(behavior)),
            None => *behavior.parameters.get(column - COMMON.len()).ok_or_else(incomplete)?,
        })
    }

    fn row(&self, behavior: &str) -> Result<usize, SceneError> {
        let names: Vec<&str> = self.behaviors.iter().map(|behavior| behavior.spec.name).collect();
        find(&names, behavior, "behaviors", "a behavior")
    }

    /// Row of a behavior, and column of its parameter after [`COMMON`].
    fn place(&self, behavior: &str, parameter: &str) -> Result<(usize, usize), SceneError> {
        let row = self.row(behavior)?;
        let own = self.behaviors[row].spec.parameters.iter().map(|parameter| parameter.name);
        let names: Vec<&str> = COMMON.iter().map(|(name, ..)| *name).chain(own).collect();
        Ok((row, find(&names, parameter, behavior, "a parameter of this behavior")?))
    }

    /// Set a parameter of a behavior, or its `weight`, `floor`, `priority`, `rank`, `jitter`, `limit` or `weight_spread`. Its range is
    /// checked later, by [`Draft::validate`].
    ///
    /// # Errors
    /// No behavior, or no parameter of it, has this name (the error names the nearest); a value of another kind.
    pub fn set(&mut self, behavior: &str, parameter: &str, value: impl Into<Setting>) -> Result<(), SceneError> {
        let (row, column) = self.place(behavior, parameter)?;
        let (value, now) = (value.into(), self.get(behavior, parameter)?);
        let whole =
            !matches!(parameter, "priority" | "rank") || (value.number() >= 0.0 && value.number().fract() == 0.0);
        let message = match discriminant(&value) == discriminant(&now) {
            false => format!("must be {}, not {}", now.kind(), value.kind()),
            true if !whole => format!("must be a whole number from 0 on, not {}", value.number()),
            true => String::new(),
        };
        if !message.is_empty() {
            return Err(SceneError::whole("", message).key(format!("{behavior}.{parameter}")));
        }
        let behavior = &mut self.behaviors[row];
        match COMMON.get(column) {
            Some((.., set)) => set(behavior, value.number()),
            None => behavior.parameters[column - COMMON.len()] = value,
        }
        Ok(())
    }

    /// Set a parameter of a behavior that is one of some words.
    ///
    /// # Errors
    /// As [`Species::set`], and a word that the parameter does not have.
    pub fn choose(&mut self, behavior: &str, parameter: &str, word: &str) -> Result<(), SceneError> {
        let (row, column) = self.place(behavior, parameter)?;
        let own = column.checked_sub(COMMON.len()).and_then(|column| self.behaviors[row].spec.parameters.get(column));
        let words = own.map_or(&[][..], |parameter| match parameter.range {
            Range::Choice(words) => words,
            _ => &[],
        });
        if words.is_empty() {
            let error = SceneError::whole("", "is not one of some words: give its value to Species::set");
            return Err(error.key(format!("{behavior}.{parameter}")));
        }
        let index = find(words, word, &format!("{behavior}.{parameter}"), "a word of this parameter")?;
        self.set(behavior, parameter, index as f32)
    }
}

/// The error if a program took entries out of a species' list of behaviors, or out of a behavior's list of parameters.
fn incomplete() -> SceneError {
    SceneError::whole("", "there must be an entry for each behavior, and for each of its parameters").key("behaviors")
}

/// A number that every behavior has besides its parameters: its name, how it is read, and how it is set.
type Common = (&'static str, fn(&Behavior) -> f32, fn(&mut Behavior, f32));

/// All such numbers, which [`Species::get`] and [`Species::set`] know by name.
const COMMON: [Common; 7] = [
    ("weight", |b| b.weight, |b, weight| b.weight = weight),
    ("floor", |b| b.floor, |b, floor| b.floor = floor),
    ("priority", |b| b.priority as f32, |b, priority| b.priority = priority as u32),
    ("rank", |b| b.rank as f32, |b, rank| b.rank = rank as u32),
    ("jitter", |b| b.jitter, |b, jitter| b.jitter = jitter),
    ("limit", |b| b.limit, |b, limit| b.limit = limit),
    ("weight_spread", |b| b.weight_spread, |b, spread| b.weight_spread = spread),
];

fn find(names: &[&str], name: &str, key: &str, what: &str) -> Result<usize, SceneError> {
    names.iter().position(|known| *known == name).ok_or_else(|| {
        let error = SceneError::whole(shorten(name, 60), format!("this is not {what}"));
        error.key(key).hint(suggest(name, names))
    })
}

macro_rules! from {
    ($($ty:ty: $value:ident => $setting:expr;)+) => {
        $(impl From<$ty> for Setting {
            fn from($value: $ty) -> Self {
                $setting
            }
        })+
    };
}

from! {
    f32: number => Setting::Number(number);
    f64: number => Setting::Number(number as f32);
    i32: number => Setting::Number(number as f32);
    [f32; 2]: vector => Setting::Vector(Vec3::new(vector[0], vector[1], 0.0));
    [f32; 3]: vector => Setting::Vector(vector.into());
    Target: target => Setting::Target(target);
}
