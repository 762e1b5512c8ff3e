//! What `steerling sweep` reads: a scene, what varies in it, and how long each point runs.

use super::error::{SceneError, SourcePlace, shorten};
use super::field::hash;
use super::keys::{Key, MAX_AGENTS, joined};
use super::names::Names;
use super::parse::read_text;
use super::read::Section;
use super::tables::{Table, Value};
use super::tree::{Input, Kind, Node, Place, content};
use super::{Override, PRESETS, Scene, SceneSource};
use std::ops::Range as Span;
use std::path::Path;

/// Most points of an experiment.
const MOST_POINTS: usize = 1_000_000;
/// Most values that are drawn for all keys together: all of them are kept in memory.
const MOST_DRAWN: usize = 4_000_000;

table! {
    /// An experiment: one scene at many points. Its file is read by the same tables as scenes are.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Experiment {
        /// The scene: a preset, or the path of a file, relative to that of the experiment.
        pub scene: String = required(Range::Text),
        /// Number of agents, with the world scaled as by `--agents`; 0 for as many as the scene has with its keys under `set` and `vary`.
        /// It may vary, too.
        pub agents: u32 = whole(0, MAX_AGENTS, 0),
        /// Steps of each point.
        pub steps: u32 = whole(1, u32::MAX, 1000),
        /// Steps before the first row, at most `steps`.
        pub burn_in: u32 = whole(0, u32::MAX, 0),
        /// Steps from row to row; 0 for a hundred rows over all steps.
        pub metrics_every: u32 = whole(0, u32::MAX, 0),
        /// The condition that ends a point early, as `--until` of `run`; empty for none.
        pub until: String = described(Range::Text, "").or(Fallback::Text("")),
        /// Points of a Latin hypercube over the keys without a count: the range of each key is divided into as many equal parts, each part
        /// is visited once, at a random place in it, and which parts of the keys come together is random. They vary slowest of all.
        pub latin_points: u32 = whole(0, 100_000, 0),
        /// Seed of what is drawn for the Latin hypercube.
        pub latin_seed: u32 = whole(0, u32::MAX, 1),
        /// Keys of the scene with another value at all points, as `--set`.
        pub set: Fixed = described(Range::Table(&[]), "none"),
        /// Keys of the scene that vary, each with its values: a list, or `{ from, to, count }`. Every combination is a point; the first
        /// key varies slowest. Keys with `{ from, to }` and no count are drawn together, by `latin_points`.
        pub vary: Varied = required(Range::Table(&[])),
        beside
        /// The texts of the experiment and of its scene.
        pub sources: Sources,
    }
}

table! {
    /// Numbers at equal distances, both ends included.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Spaced {
        /// The first number.
        pub from: f32 = required(Range::Number { min: -1e9, max: 1e9 }),
        /// The last number.
        pub to: f32 = required(Range::Number { min: -1e9, max: 1e9 }),
        /// How many numbers; 0 where they are drawn, by `latin_points`.
        pub count: u32 = whole(0, 100_000, 0),
    }
}

/// Where an experiment came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sources {
    /// Its own text, and the path of its file.
    pub experiment: SceneSource,
    /// The text of its scene, and the preset or the path of its file.
    pub scene: SceneSource,
}

/// One value of a key of the scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetValue {
    /// The value as TOML.
    toml: String,
    /// The value as a table shows it: texts without quotes, numbers without underscores.
    pub shown: String,
    at: ValueSpans,
}

/// The bytes of a value and of its key in the experiment's text; empty for a value from `--observe`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct ValueSpans {
    value: Span<usize>,
    key: Span<usize>,
}

impl ValueSpans {
    /// Of the value `node`, which is `entry` itself or an element of its list.
    fn of(node: &Node, entry: &Node) -> ValueSpans {
        let span = |place: &Place| if let Place::File(span) = place { span.clone() } else { 0..0 };
        ValueSpans { value: span(&node.place), key: span(&entry.key_place) }
    }
}

/// Keys of the scene, each with one value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fixed(Vec<(String, SetValue)>);

/// Keys of the scene, each with its values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Varied {
    /// Keys with lists of values.
    pub keys: Vec<(String, Vec<SetValue>)>,
    /// Keys of the Latin hypercube, each with its value at each of the points.
    pub drawn: Vec<(String, Vec<SetValue>)>,
    /// The keys of the Latin hypercube with the ends of their ranges. `Experiment::parse` draws their values into `drawn`.
    ranges: Vec<(String, Spaced, ValueSpans)>,
}

impl SetValue {
    /// The value of `node`, which is `entry` itself or an element of its list.
    fn of(node: &Node, entry: &Node, from: &Section) -> SetValue {
        let at = ValueSpans::of(node, entry);
        let toml = from.input.text.get(at.value.clone()).unwrap_or_default().to_owned();
        let shown = match &node.kind {
            Kind::Text(text) => text.clone(),
            Kind::Whole(whole) => whole.to_string(),
            // TOML allows underscores between digits, which readers of tables do not know.
            Kind::Number(_) => toml.replace('_', ""),
            _ => toml.clone(),
        };
        SetValue { toml, shown, at }
    }
}

/// The values below a table by their dotted paths, table by table; tables in braces are values.
fn leaves<'a>(node: &'a Node, path: &str, found: &mut Vec<(String, &'a Node)>) {
    match &node.kind {
        Kind::Table(entries) if node.place == node.key_place => {
            entries.iter().for_each(|(name, node)| leaves(node, &joined(path, name), found));
        }
        _ => found.push((path.to_owned(), node)),
    }
}

/// The keys of the scene in a table of the experiment, in the order of the file.
fn settings<'a>(key: &Key, from: &Section, node: &'a Node) -> Result<Vec<(String, &'a Node)>, SceneError> {
    let mut found = Vec::new();
    leaves(node, "", &mut found);
    found.sort_by_key(|(_, node)| ValueSpans::of(node, node).key.start);
    match found.iter().find(|(path, _)| path.is_empty()) {
        Some(_) => Err(from.error(key, node, format!("must be a table of keys of the scene, under [{}]", key.name))),
        None => Ok(found),
    }
}

impl Value for Fixed {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, _: &Names) -> Result<(), SceneError> {
        let found = settings(key, from, node)?.into_iter();
        self.0 = found.map(|(path, node)| (path, SetValue::of(node, node, from))).collect();
        Ok(())
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        None
    }
}

impl Value for Varied {
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError> {
        for (path, node) in settings(key, from, node)? {
            let values: Vec<SetValue> = match &node.kind {
                Kind::List(nodes) => nodes.iter().map(|value| SetValue::of(value, node, from)).collect(),
                Kind::Table(_) => {
                    let mut spaced = Spaced::default();
                    Table::read(
                        &mut spaced,
                        &from.within(&format!("{}.{path}", key.name), node, Spaced::KEYS)?,
                        names,
                    )?;
                    let at = ValueSpans::of(node, node);
                    if spaced.count == 0 {
                        if let Some(count) = node.child("count") {
                            let path = format!("{}.{path}.count", key.name);
                            return Err(from.input.error(&count.place, &path, "must be 1 to 100000").value(count));
                        }
                        self.ranges.push((path, spaced, at));
                        continue;
                    }
                    spaced.values_at(&at)
                }
                _ => {
                    let message = "must be a list of values, or { from = 0, to = 1, count = 11 }; a value that is the \
                        same at all points belongs under [set]";
                    let path = format!("{}.{path}", key.name);
                    return Err(from.input.error(&node.place, &path, message).value(node));
                }
            };
            if values.is_empty() {
                let path = format!("{}.{path}", key.name);
                return Err(from.input.error(&node.place, &path, "must have at least one value"));
            }
            self.keys.push((path, values));
        }
        let points = self.keys.iter().try_fold(1, |points: usize, (_, values)| points.checked_mul(values.len()));
        if points.is_none_or(|points| points > MOST_POINTS) {
            return Err(from.error(key, node, format!("has more than {MOST_POINTS} combinations")));
        }
        Ok(())
    }

    fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
        None
    }
}

impl Spaced {
    /// The number after `parts` of `all` equal parts of the range.
    fn value_at(&self, parts: f64, all: f64, at: &ValueSpans) -> SetValue {
        // As they are written, because 0.1 as f32 is a little more: so the values are those of a list of them.
        let written = |end: f32| end.to_string().parse().unwrap_or(f64::from(end));
        let (from, to) = (written(self.from), written(self.to));
        // In f32, as a scene has it, so that no digits of a rounded sum are shown.
        let toml = ((from + (to - from) * parts / all) as f32).to_string();
        SetValue { shown: toml.clone(), toml, at: at.clone() }
    }

    fn values_at(&self, at: &ValueSpans) -> Vec<SetValue> {
        let intervals = f64::from(self.count.max(2) - 1);
        (0..self.count).map(|index| self.value_at(f64::from(index), intervals, at)).collect()
    }

    /// One random value in each of `points` equal parts of the range, with the parts in random order. `key` is the key's index, so that
    /// keys draw different numbers.
    fn drawn(&self, at: &ValueSpans, points: u32, seed: u32, key: usize) -> Vec<SetValue> {
        let random = |point: u32, what: i64| hash(seed, [i64::from(point), key as i64, what, 0x1a71]);
        let mut parts: Vec<u32> = (0..points).collect();
        parts.sort_by_key(|part| (random(*part, 0), *part));
        let value = |part: &u32| {
            let within = f64::from(random(*part, 1)) / 4_294_967_296.0;
            self.value_at(f64::from(*part) + within, f64::from(points), at)
        };
        parts.iter().map(value).collect()
    }
}

impl Experiment {
    /// Read an experiment and the text of its scene.
    ///
    /// # Errors
    /// A file that cannot be read, and keys and values that an experiment may not have. Values of the scene's keys are checked by
    /// [`Experiment::scene`].
    pub fn open(path: &str) -> Result<Experiment, SceneError> {
        if matches!(Path::new(path).try_exists(), Ok(false)) {
            let error =
                SceneError::whole(shorten(path, 200), "there is no file of this name; an experiment must be a file");
            return Err(match PRESETS.iter().any(|preset| preset.name == path) {
                true => error.hint(format!(
                    "`{path}` is a scene, not an experiment: write a file with scene = \"{path}\" and a table [vary]"
                )),
                false => error,
            });
        }
        Experiment::parse(&read_text(path)?, path)
    }

    /// As [`Experiment::open`], from the text. `path` names the text in errors, and the path of a scene is relative to it.
    ///
    /// # Errors
    /// As [`Experiment::open`].
    pub fn parse(text: &str, path: &str) -> Result<Experiment, SceneError> {
        let input = Input::new(text, path, &[])?;
        let mut experiment = Experiment::default();
        Table::read(&mut experiment, &Section::root(&input, Experiment::KEYS)?, &Names::of_tree(&input.root))?;
        let (origin, scene) = match PRESETS.iter().find(|preset| preset.name == experiment.scene) {
            Some(preset) => (experiment.scene.clone(), preset.text.to_owned()),
            None => {
                let origin = Path::new(path).with_file_name(&experiment.scene).display().to_string();
                let at_scene = |error: SceneError| SceneError {
                    hint: error.hint,
                    ..input.error(&input.locate("scene").place, "scene", error.message)
                };
                let scene = read_text(&origin).map_err(at_scene)?;
                (origin, scene)
            }
        };
        let source =
            |text: &str, origin: &str| SceneSource { text: text.into(), origin: origin.into(), overrides: vec![] };
        let (points, seed) = (experiment.latin_points, experiment.latin_seed);
        if (points > 0) == experiment.vary.ranges.is_empty() {
            let (key, message) = match points {
                0 => (
                    format!("vary.{}", experiment.vary.ranges[0].0),
                    "needs a count, or set `latin_points` above, which draws values for all keys without a count",
                ),
                _ => (
                    "latin_points".to_owned(),
                    "no key of [vary] is drawn: give one as { from = 0, to = 1 }, without a count",
                ),
            };
            return Err(input.error(&input.locate(&key).place, &key, message));
        }
        if experiment.points() > MOST_POINTS {
            let message = format!("has more than {MOST_POINTS} combinations with those of [vary]");
            return Err(input.error(&input.locate("latin_points").place, "latin_points", message));
        }
        let keys = experiment.vary.ranges.len();
        if keys * points as usize > MOST_DRAWN {
            let message = format!("with {keys} keys this gives more than {MOST_DRAWN} values");
            return Err(input.error(&input.locate("latin_points").place, "latin_points", message).value(points));
        }
        let drawn = std::mem::take(&mut experiment.vary.ranges).into_iter().enumerate();
        experiment.vary.drawn =
            drawn.map(|(index, (key, way, at))| (key, way.drawn(&at, points, seed, index))).collect();
        if let Some(seed) = input.root.child("latin_seed").filter(|_| points == 0) {
            return Err(input
                .error(&seed.place, "latin_seed", "is for `latin_points`, which is not given")
                .value(seed));
        }
        if experiment.burn_in > experiment.steps {
            let message = format!("must be at most `steps`, {}", experiment.steps);
            let place = &input.locate("burn_in").place;
            return Err(input.error(place, "burn_in", message).value(experiment.burn_in));
        }
        experiment.check_keys(&input, &scene)?;
        experiment.sources = Sources { experiment: source(text, path), scene: source(&scene, &origin) };
        Ok(experiment)
    }

    /// Refuse keys of [set] and [vary] that have no effect, so that the table would show values that are not those of the run: the start
    /// of pictures, a value that another key replaces, and a count or the size of the world beside `agents`.
    fn check_keys(&self, input: &Input, scene: &str) -> Result<(), SceneError> {
        // Faults of the scene itself are reported by `Experiment::scene`.
        let Ok(scene) = Input::new(scene, "", &[]) else { return Ok(()) };
        let sets = self.set.0.iter().map(|(key, _)| ("set", key.as_str()));
        let all = sets.chain(self.keys().map(|key| ("vary", key)));
        let all: Vec<_> = all.map(|(table, key)| (table, key, scene.root.numbered(key) + ".")).collect();
        for (index, (table, key, path)) in all.iter().enumerate() {
            let replaced = |(before, _, other): &&(&str, &str, String)| {
                other.starts_with(path.as_str())
                    || before == table && *table == "vary" && path.starts_with(other.as_str())
            };
            let parts: Vec<&str> = path.trim_end_matches('.').split('.').collect();
            let message = match (all[..index].iter().find(replaced), &parts[..]) {
                (Some(("set", other, _)), _) => format!("gives a value that `{other}` under [set] gives too"),
                (Some((_, other, _)), _) => format!("varies a value that `{other}` varies too"),
                (_, ["start"] | ["start", "steps"]) => "is for pictures and the window; a sweep begins at step 0, and \
                    `burn_in` says where its rows begin"
                    .to_owned(),
                (_, ["agents"]) if *table == "set" => "is a key of the experiment, above its tables".to_owned(),
                (_, ["agents"]) if self.agents > 0 => "varies a value that `agents` above gives too".to_owned(),
                (_, ["steps" | "burn_in" | "metrics_every" | "until"]) => {
                    "is a key of the experiment, above its tables, and \
                    the same at all points"
                        .to_owned()
                }
                (_, ["world"] | ["world", "size", ..] | ["species"] | ["species", _] | ["species", _, "count"])
                    if self.agents > 0 || self.keys().any(|key| key == "agents") =>
                {
                    "gives a number of agents or a size of the world, which follow from `agents`; leave one of them out"
                        .to_owned()
                }
                _ => continue,
            };
            let key = format!("{table}.{key}");
            return Err(input.error(&input.locate(&key).place, &key, message));
        }
        Ok(())
    }

    /// Observe these at all points (a list as in the key `observe` of a scene), in place of what the scene or the experiment asks for.
    ///
    /// # Errors
    /// The experiment varies `observe`.
    pub fn observe(&mut self, list: &str) -> Result<(), SceneError> {
        if self.keys().any(|key| key == "observe") {
            return Err(self.refused("vary.observe", "varies, so --observe cannot replace it"));
        }
        self.set.0.retain(|(key, _)| key != "observe");
        let given = SetValue { toml: format!("{list:?}"), shown: list.to_owned(), at: ValueSpans::default() };
        self.set.0.push(("observe".to_owned(), given));
        Ok(())
    }

    /// An error at one of its own keys.
    pub fn refused(&self, key: &str, message: impl Into<String>) -> SceneError {
        let own = &self.sources.experiment;
        match Input::new(&own.text, &own.origin, &[]) {
            Ok(input) => input.error(&input.locate(key).place, key, message).value(input.locate(key)),
            Err(error) => error,
        }
    }

    /// How many points it has.
    pub fn points(&self) -> usize {
        let combinations: usize = self.vary.keys.iter().map(|(_, values)| values.len()).product();
        combinations.saturating_mul(self.latin_points.max(1) as usize)
    }

    /// The keys that vary; drawn keys come first.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.vary.drawn.iter().chain(&self.vary.keys).map(|(key, _)| key.as_str())
    }

    /// The values of the keys that vary, at a point.
    ///
    /// # Panics
    /// A point that is not below [`Experiment::points`].
    pub fn values(&self, point: usize) -> Vec<&SetValue> {
        let mut rest = point;
        let digit = |(_, values): &'_ (String, Vec<SetValue>)| {
            let digit = rest % values.len();
            rest /= values.len();
            digit
        };
        let mut digits: Vec<usize> = self.vary.keys.iter().rev().map(digit).collect();
        digits.reverse();
        let drawn = self.vary.drawn.iter().map(|(_, values)| &values[rest]);
        drawn.chain(self.vary.keys.iter().zip(digits).map(|((_, values), digit)| &values[digit])).collect()
    }

    /// The point with these values, as a table shows them without spaces around them; the point `likely` is tried first.
    pub fn point_of(&self, shown: &[&str], likely: usize) -> Option<usize> {
        let is = |given: &SetValue, text: &&str| given.shown.trim() == *text;
        if likely < self.points() && self.values(likely).iter().zip(shown).all(|(given, text)| is(given, text)) {
            return Some(likely);
        }
        let drawn = |row: &usize| self.vary.drawn.iter().zip(shown).all(|((_, values), text)| is(&values[*row], text));
        let row = (0..self.latin_points.max(1) as usize).find(drawn)?;
        self.vary.keys.iter().zip(&shown[self.vary.drawn.len()..]).try_fold(row, |point, ((_, values), text)| {
            Some(point * values.len() + values.iter().position(|given| is(given, text))?)
        })
    }

    /// What decides the rows of all points, except for the values of `[vary]` and for files: the content of the experiment and its scene.
    pub fn content(&self) -> String {
        let Sources { experiment, scene } = &self.sources;
        let observed = self.set.0.iter().find(|(key, _)| key == "observe").map(|(_, given)| &given.shown);
        format!("{}\n{}\n{observed:?}", content(&experiment.text), content(&scene.text))
    }

    /// A point for each value that may name a file, except the first value of each key, which point 0 has.
    pub fn points_with_files(&self) -> Vec<usize> {
        let (mut points, mut stride) = (Vec::new(), 1);
        for (_, values) in self.vary.keys.iter().rev() {
            let may_name = |(_, value): &(usize, &SetValue)| value.toml.starts_with(['"', '\'', '[', '{']);
            points.extend(values.iter().enumerate().skip(1).filter(may_name).map(|(digit, _)| digit * stride));
            stride *= values.len();
        }
        points
    }

    /// The scene at a point.
    ///
    /// # Errors
    /// A point that there is not, and what [`Scene::parse`] refuses; if a value of the experiment is at fault, with its place in the
    /// experiment's file.
    pub fn scene(&self, point: usize) -> Result<Scene, SceneError> {
        if point >= self.points() {
            let message = format!("there is no point {point}: there are {}, counted from 0", self.points());
            return Err(SceneError::whole(&self.sources.experiment.origin, message));
        }
        let (agents, all): (Vec<_>, Vec<_>) = self
            .set
            .0
            .iter()
            .map(|(key, given)| (key.as_str(), given))
            .chain(self.keys().zip(self.values(point)))
            .partition(|(key, _)| *key == "agents");
        let change = |(key, given): &(&str, &SetValue)| Override { key: (*key).to_owned(), value: given.toml.clone() };
        let overrides: Vec<Override> = all.iter().map(change).collect();
        let (source, own) = (&self.sources.scene, &self.sources.experiment);
        let scene = Scene::parse(&source.text, &source.origin, &overrides).map_err(|error| {
            let said = overrides.iter().position(|change| change.to_string() == error.origin);
            let Some(index) = said else { return error };
            let at = &all[index].1.at;
            if at.value.is_empty() {
                return SceneError { origin: "--observe".to_owned(), place: None, ..error };
            }
            // An error without a value is about the key.
            let span = if error.value.is_some() { &at.value } else { &at.key };
            let place = Some(Box::new(SourcePlace::of(&own.text, span.clone())));
            SceneError { origin: own.origin.clone(), place, ..error }
        })?;
        let agents = agents.first().map_or(Ok(self.agents), |(_, given)| {
            let number = given.shown.parse().ok().filter(|number| (1..=MAX_AGENTS).contains(number));
            let fault = SceneError::whole(&own.origin, format!("must be a whole number from 1 to {MAX_AGENTS}"));
            number.ok_or_else(|| fault.key("vary.agents").value(&given.shown).at(&own.text, given.at.value.clone()))
        })?;
        if agents > 0 { scene.with_agents(agents) } else { Ok(scene) }
    }
}
