//! From the tree of a text to a [`Draft`], and how the values are read, checked and written that are more than a list of
//! fields.

use super::broken::{Broken, check_index, check_mask, check_number, check_vector};
use super::data::word_of;
use super::error::{SceneError, plain, suggest};
use super::keys::*;
use super::names::Names;
use super::read::{Section, numbers, texts};
use super::tables::Value;
use super::tree::{Input, Kind, Node};
use super::values::in_name;
use super::*;

/// The draft that a text describes. Types and ranges are checked; the rules that tie keys together are not yet.
pub fn read_draft(input: &Input, source: SceneSource) -> Result<Draft, SceneError> {
    let mut names = Names::of_tree(&input.root);
    let top = Section::root(input, Draft::KEYS)?;
    // Own behaviors first, because the tables of the species may name them.
    let mut own: Vec<OwnBehavior> = Vec::new();
    if let Some(node) = top.entry("behavior") {
        let key = Draft::KEYS.iter().find(|key| key.name == "behavior").expect("a key of the table");
        own.read(key, &top, node, &names)?;
    }
    names.behaviors.extend(own.iter().filter_map(OwnBehavior::spec));
    let mut draft = Draft { source, ..Draft::default() };
    Table::read(&mut draft, &top, &names)?;
    // Defaults that follow from other keys.
    draft.world.spatial = names.axes == 3;
    if !draft.world.spatial {
        draft.world.boundary[2] = Boundary::Open;
    }
    draft.species.iter_mut().zip(names.species).for_each(|(species, name)| species.name = name);
    for species in &mut draft.species {
        let missing = names.behaviors.iter().skip(species.behaviors.len());
        species.behaviors.extend(missing.map(|spec| spec.defaults()));
    }
    draft.scenery.paths.iter_mut().zip(names.paths).for_each(|(path, name)| path.name = name);
    draft.scenery.trajectories.iter_mut().zip(names.trajectories).for_each(|(one, name)| one.name = name);
    draft.scenery.lines.iter_mut().zip(names.lines).for_each(|(line, name)| line.name = name);
    draft.map.iter_mut().flat_map(|map| &mut map.goals).zip(names.goals).for_each(|(goal, name)| goal.name = name);
    if top.entry("name").is_none() {
        let stem = std::path::Path::new(input.origin).file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
        let name: String = stem.chars().take(64).map(|c| if in_name(c) { c } else { '-' }).collect();
        draft.name = if name.is_empty() { "scene".to_owned() } else { name };
    }
    Ok(draft)
}

/// A word for all axes, or a list of one word for each axis. In a planar world the third axis is open.
impl Value for [Boundary; 3] {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        match &node.kind {
            Kind::List(nodes) if nodes.len() == names.axes => {
                self.iter_mut().zip(nodes).try_for_each(|(boundary, node)| boundary.read(key, from, node, names))
            }
            Kind::List(_) => Err(from.error(key, node, format!("must have {} entries, one for each axis", names.axes))),
            Kind::Text(text) => {
                let read = self.iter_mut().try_for_each(|boundary| boundary.read(key, from, node, names));
                let hint = "words of a list are in quotes: [\"wrap\", \"open\"]";
                read.map_err(|error| if text.starts_with('[') { error.hint(hint) } else { error })
            }
            _ => Err(from.wrong_type(key, node, "a word, or a list of one word for each axis")),
        }
    }

    fn check(&mut self, _: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        match names.axes == 2 && self[2] != Boundary::Open {
            true => Err(Broken::new(path, "the third axis of a planar world must be open")),
            false => Ok(()),
        }
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, names: &Names) -> Option<Kind> {
        Some(texts(self[..names.axes].iter().map(|boundary| boundary.word().to_owned()).collect::<Vec<_>>().iter()))
    }
}

/// A word for all priorities, or one for each from the first on; beyond the end of the list values stay as they were.
impl Value for [CombineWithin; PRIORITIES] {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        match &node.kind {
            Kind::List(nodes) if nodes.len() <= self.len() => {
                self.iter_mut().zip(nodes).try_for_each(|(way, node)| way.read(key, from, node, names))
            }
            Kind::List(_) => Err(from.error(key, node, format!("must have at most {} words", self.len()))),
            Kind::Text(_) => self.iter_mut().try_for_each(|way| way.read(key, from, node, names)),
            _ => Err(from.wrong_type(key, node, "a word, or a list of one word for each priority")),
        }
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        Some(texts(self.iter().map(|way| way.word().to_owned()).collect::<Vec<_>>().iter()))
    }
}

impl Color {
    pub(super) const WORDS: &[&str] = &["heading", "speed", "state", "winner", "ink", "species"];
    const VARIANTS: &[Color] = &[Color::Heading, Color::Speed, Color::State, Color::Winner, Color::Ink, Color::Species];
}

impl Value for Color {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        let text = from.text(key, node)?;
        let fixed = || {
            let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.chars().all(|c| c.is_ascii_hexdigit()))?;
            let [_, r, g, b] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
            Some(Color::Fixed([r, g, b]))
        };
        let word = Color::WORDS.iter().position(|word| *word == text).map(|index| Color::VARIANTS[index]);
        *self = word.or_else(fixed).ok_or_else(|| {
            let message = format!("must be {}, or a color such as \"#3366cc\"", Color::WORDS.join(", "));
            from.error(key, node, message).hint(suggest(text, Color::WORDS))
        })?;
        Ok(())
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        match self {
            Color::Fixed([r, g, b]) => Some(Kind::Text(format!("#{r:02x}{g:02x}{b:02x}"))),
            word => word_of(word, Color::WORDS, Color::VARIANTS),
        }
    }
}

impl Behavior {
    /// Its values in the order of [`behavior_keys`].
    pub(super) fn values(&mut self) -> impl Iterator<Item = &mut dyn Value> {
        let common: [&mut dyn Value; 10] = [
            &mut self.enabled,
            &mut self.weight,
            &mut self.weight_spread,
            &mut self.floor,
            &mut self.priority,
            &mut self.rank,
            &mut self.states,
            &mut self.state_weights,
            &mut self.jitter,
            &mut self.limit,
        ];
        common.into_iter().chain(self.parameters.iter_mut().map(|setting| setting as &mut dyn Value))
    }
}

impl BehaviorSpec {
    /// The behavior, not enabled, with the defaults of its keys.
    pub fn defaults(&'static self) -> Behavior {
        let parameters = self.parameters.iter().map(|p| match p.range {
            Range::Vector { .. } => Setting::Vector(Vec3::splat(p.default)),
            Range::Target => Setting::Target(Target::Point(Vec3::ZERO)),
            Range::Species => Setting::Species(None),
            Range::Path => Setting::Path(0),
            _ => Setting::Number(p.default),
        });
        let parameters = parameters.collect();
        let mut behavior = Behavior {
            spec: self,
            enabled: false,
            weight: 0.0,
            weight_spread: 0.0,
            floor: 0.0,
            priority: 0,
            rank: 0,
            states: 0,
            state_weights: [0.0; MAX_STATES],
            jitter: 0.0,
            limit: 0.0,
            parameters,
        };
        behavior_keys(self).iter().zip(behavior.values()).for_each(|(key, value)| value.fall_back(key));
        behavior
    }
}

impl Value for Vec<Behavior> {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        let tables = names.behaviors.iter().map(|spec| described(Range::Behaviors, "").named(spec.name, ""));
        let from = from.within(key.name, node, &tables.collect::<Vec<Key>>()).map_err(|mut error| {
            let file = format!("{}.wgsl", error.key.rsplit('.').next().unwrap_or_default());
            error.hint = error.hint.map(|hint| match from.path_of(&file, node).is_file() {
                true => {
                    format!("{file} lies beside the scene: [[behavior]] with file = \"{file}\" makes it a behavior")
                }
                false => format!("{hint}. A behavior of your own is declared by [[behavior]] with its file"),
            });
            error
        })?;
        let missing = names.behaviors.iter().skip(self.len());
        self.extend(missing.map(|spec| spec.defaults()));
        for (spec, behavior) in names.behaviors.iter().zip(self) {
            let Some(node) = from.entry(spec.name) else { continue };
            let keys = behavior_keys(spec);
            let section = from.within(spec.name, node, &keys)?;
            behavior.enabled = true;
            for (key, value) in keys.iter().zip(behavior.values()) {
                if let Some(node) = section.entry(key.name) {
                    value.read(key, &section, node, names)?;
                }
            }
        }
        Ok(())
    }

    fn check(&mut self, _: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        let count = names.behaviors.len();
        if self.len() != count {
            return Err(Broken::new(path, format!("must have one entry for each of {count} behaviors")));
        }
        names.behaviors.iter().zip(self).try_for_each(|(spec, behavior)| {
            let path = joined(path, spec.name);
            if behavior.spec != *spec {
                return Err(Broken::new(&path, format!("this entry is of `{}`", behavior.spec.name)));
            }
            if behavior.parameters.len() != spec.parameters.len() {
                let message =
                    format!("must have {} parameters, not {}", spec.parameters.len(), behavior.parameters.len());
                return Err(Broken::new(&path, message));
            }
            let mut values = behavior_keys(spec).into_iter().zip(behavior.values());
            values.try_for_each(|(key, value)| value.check(&key, &joined(&path, key.name), names))
        })
    }

    fn fall_back(&mut self, _: &Key) {
        *self = BEHAVIORS.iter().map(BehaviorSpec::defaults).collect();
    }

    fn at(&mut self, path: &str) -> Option<(Key, &mut dyn Value)> {
        let (name, rest) = path.split_once('.')?;
        let wanted = rest.split('.').next()?;
        let behavior = self.iter_mut().find(|behavior| behavior.spec.name == name)?;
        let keys = behavior_keys(behavior.spec);
        keys.into_iter().zip(behavior.values()).find(|(key, _)| key.name == wanted)
    }

    /// Only those of active behaviors.
    fn vectors(&mut self, _: &Key, path: &str) -> Vec<(String, Key, &mut Vec3)> {
        let acting = self.iter_mut().filter(|behavior| behavior.is_active());
        let mut found = Vec::new();
        for behavior in acting {
            let (spec, path) = (behavior.spec, joined(path, behavior.spec.name));
            let values = behavior_keys(spec).into_iter().zip(behavior.values());
            found.extend(values.flat_map(|(key, value)| value.vectors(&key, &joined(&path, key.name))));
        }
        found
    }

    fn kind_in_file(&mut self, _: &Key, path: &str, names: &Names) -> Option<Kind> {
        let table_kind = |behavior: &mut Behavior| {
            let (spec, path) = (behavior.spec, joined(path, behavior.spec.name));
            let values = behavior_keys(spec).into_iter().zip(behavior.values()).filter_map(|(key, value)| {
                let kind = value.kind_in_file(&key, &joined(&path, key.name), names)?;
                Some((key.name.to_owned(), Node::unwritten(kind)))
            });
            (spec.name.to_owned(), Node::unwritten(Kind::Table(values.collect())))
        };
        Some(Kind::Table(self.iter_mut().map(table_kind).collect()))
    }
}

impl Value for Setting {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        match (key.range, self) {
            (Range::Whole { min, max }, Setting::Number(number)) => {
                *number = from.whole(key, node, (min, max))? as f32;
            }
            (Range::Choice(words), Setting::Number(number)) => *number = from.word(key, node, words)? as f32,
            (Range::Vector { min, max }, Setting::Vector(vector)) => {
                *vector = from.vector(key, node, &[2, 3], (min, max))?;
            }
            (_, Setting::Number(number)) => number.read(key, from, node, names)?,
            (_, Setting::Vector(vector)) => vector.read(key, from, node, names)?,
            (_, Setting::Target(target)) => target.read(key, from, node, names)?,
            (_, Setting::Species(mask)) => mask.insert(0).read(key, from, node, names)?,
            (_, Setting::Path(path)) => *path = from.name(key, node, &names.paths, "path")?,
        }
        Ok(())
    }

    fn check(&mut self, key: &Key, path: &str, names: &Names) -> Result<(), Broken> {
        let whole = |number: &mut f32, (min, max): (u32, u32)| match number.fract() == 0.0 {
            true => check_number(number, (min as f32, max as f32), key, path),
            false => Err(Broken::new(path, "must be a whole number").value(plain(*number))),
        };
        match (key.range, self) {
            (Range::Number { .. }, Setting::Number(number)) => number.check(key, path, names),
            (Range::Whole { min, max }, Setting::Number(number)) => whole(number, (min, max)),
            (Range::Choice(words), Setting::Number(number)) => whole(number, (0, words.len() as u32 - 1)),
            (Range::Vector { .. }, Setting::Vector(vector)) => check_vector(vector, 3, key, path),
            (Range::Target, Setting::Target(target)) => target.check(key, path, names),
            (Range::Species, Setting::Species(mask)) => {
                mask.map_or(Ok(()), |mask| check_mask(mask, &names.species, "species", path))
            }
            // A scene without paths: index 0 is the default, and a rule refuses to enable a behavior that follows a path.
            (Range::Path, Setting::Path(0)) if names.paths.is_empty() => Ok(()),
            (Range::Path, Setting::Path(index)) => check_index(*index, &names.paths, "paths", path),
            (_, setting) => Err(Broken::new(path, format!("must not be {setting:?}"))),
        }
    }

    fn numbers(&mut self, key: &Key) -> Vec<(Key, &mut f32)> {
        match self {
            Setting::Number(number) => vec![(*key, number)],
            _ => Vec::new(),
        }
    }

    fn vectors(&mut self, key: &Key, path: &str) -> Vec<(String, Key, &mut Vec3)> {
        match self {
            Setting::Vector(vector) => vector.vectors(key, path),
            Setting::Target(target) => target.vectors(key, path),
            _ => Vec::new(),
        }
    }

    fn kind_in_file(&mut self, key: &Key, path: &str, names: &Names) -> Option<Kind> {
        match (key.range, self) {
            (Range::Choice(words), Setting::Number(number)) => {
                words.get(*number as usize).map(|word| Kind::Text((*word).to_owned()))
            }
            (Range::Whole { .. }, Setting::Number(number)) => Some(Kind::Whole(*number as i64)),
            // A vector parameter may have a third number in a planar world too, which is kept.
            (Range::Vector { .. }, Setting::Vector(vector)) => {
                let axes = if vector.z == 0.0 { names.axes } else { 3 };
                Some(numbers(&vector.to_array()[..axes]))
            }
            (_, Setting::Number(number)) => number.kind_in_file(key, path, names),
            (_, Setting::Vector(vector)) => vector.kind_in_file(key, path, names),
            (_, Setting::Target(target)) => target.kind_in_file(key, path, names),
            (_, Setting::Species(mask)) => mask.as_mut().and_then(|mask| mask.kind_in_file(key, path, names)),
            (_, Setting::Path(path)) => names.paths.get(*path as usize).cloned().map(Kind::Text),
        }
    }
}
