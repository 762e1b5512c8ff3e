//! From a scene back to its text: what has to be said beside the text that it came from, as overrides or within the text
//! itself, whose comments and order stay.

use super::error::SceneError;
use super::keys::joined;
use super::names::Names;
use super::parse::read_unchecked;
use super::tables::Table;
use super::tree::{Kind, Node, Override};
use super::{Color, Dialect, Draft, Scene, Species, Target};
use std::path::Path;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, TableLike, Value};

/// How often a text is read again because what was put into it changed what holds for the rest.
const ROUNDS: usize = 4;

/// A key by its dotted path, and its value.
type Changes = Vec<(String, Kind)>;

impl Scene {
    /// The overrides that make this scene of the text that it came from: what `--set` has to say. Files are named by their
    /// whole paths.
    ///
    /// # Errors
    /// Something that no override can say, such as the absence of a field that the text has, with its key.
    pub fn changes(&self) -> Result<Vec<Override>, SceneError> {
        Ok(overrides(&self.told_changes()?))
    }

    /// The text of a file that describes this scene, to be kept as `path`: the text that it came from, with its comments, in
    /// which only values change that differ.
    ///
    /// # Errors
    /// As [`Scene::changes`].
    pub fn to_toml(&self, path: &str) -> Result<String, SceneError> {
        let mut changes = self.told_changes()?;
        if folder(path) != folder(&self.source.origin) {
            changes.extend(files(&self.0));
        }
        let text = self.own_text();
        let mut document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| SceneError::whole(path, error.message()))?;
        for (key, kind) in &changes {
            let parts: Vec<&str> = key.split('.').collect();
            put(document.as_table_mut(), &parts, kind)
                .ok_or_else(|| SceneError::whole(path, "this cannot be written into the text").key(key))?;
        }
        let text = document.to_string();
        // A file must not turn out later to describe another scene. A scene without a name is called as its file.
        let read = Scene::parse(&text, path, &[])?;
        match differences(&tree(&read), &tree(self)).iter().find(|(key, _)| key != "name" || document.contains_key(key))
        {
            Some((key, _)) => Err(unsaid(path, key)),
            None => Ok(text),
        }
    }

    /// The same scene in another dialect: the keys that neither its text nor a change gives have that dialect's defaults.
    ///
    /// # Errors
    /// As [`Scene::changes`], and what [`Scene::parse`] refuses.
    pub fn with_dialect(&self, dialect: Dialect) -> Result<Scene, SceneError> {
        let mut changes = self.told_changes()?;
        changes.retain(|(key, _)| key != DIALECT);
        changes.push((DIALECT.to_owned(), Kind::Text(dialect.word().to_owned())));
        Scene::parse(&self.own_text(), &self.source.origin, &overrides(&changes))
    }

    /// The same scene with one species more, at the end: a copy of this one, with a name of its own, and with this color where it has
    /// but one. What its values name, such as a species that it perceives, the copy names too. Its text is another, which says all that
    /// was changed.
    ///
    /// # Errors
    /// As [`Scene::changes`], and what [`Scene::parse`] refuses, such as too many species.
    pub fn with_copy_of(&self, species: usize, color: [u8; 3]) -> Result<Scene, SceneError> {
        let mut document = self.written()?;
        let mut all = self.tables_of_species(&mut document)?.clone();
        let Some(original) = self.species.get(species).filter(|_| species < all.len()) else {
            return Err(self.no_species(species));
        };
        let is_known = |name: &String| self.species.iter().any(|species| species.name == *name);
        let name = (2u32..).map(|number| format!("{} {number}", original.name)).find(|name| !is_known(name));
        (0..all.len()).rev().filter(|index| *index != species).for_each(|index| drop(all.remove(index)));
        if let Some(copy) = all.get_mut(0) {
            copy["name"] = Item::Value(name.unwrap_or_default().into());
            if matches!(original.color, Color::Fixed(_)) {
                copy["color"] = Item::Value(format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]).into());
            }
        }
        // In a document of its own, so that its tables do not come between those that are there.
        let mut copy = DocumentMut::new();
        copy["species"] = Item::ArrayOfTables(all);
        Scene::parse(&format!("{}\n\n{}", document.to_string().trim_end(), copy), &self.source.origin, &[])
    }

    /// The same scene without a species. Its text is another, which says all that was changed.
    ///
    /// # Errors
    /// As [`Scene::changes`], and what [`Scene::parse`] refuses: something that names the species.
    pub fn without_species(&self, species: usize) -> Result<Scene, SceneError> {
        let mut document = self.written()?;
        let all = self.tables_of_species(&mut document)?;
        if species >= all.len() {
            return Err(self.no_species(species));
        }
        // One without a name is called by its number, which will be another.
        for (table, later) in all.iter_mut().zip(&self.species).skip(species + 1) {
            table.entry("name").or_insert(Item::Value(later.name.as_str().into()));
        }
        all.remove(species);
        let without = Scene::parse(&document.to_string(), &self.source.origin, &[])?;
        // Ids of later species would change.
        let first: u32 = self.species[..species].iter().map(|species| species.count).sum();
        let later = |target: Target| matches!(target, Target::Agent(id) if id >= first);
        if self.species.iter().flat_map(Species::targets).any(later) {
            let why = "a target is an agent of this species or of a later one, which have other numbers then";
            return Err(SceneError::whole(&self.source.origin, why).key("agent"));
        }
        Ok(without)
    }

    fn no_species(&self, species: usize) -> SceneError {
        SceneError::whole(&self.source.origin, format!("there is no species {species}"))
    }

    /// The text that says all, to be changed.
    fn written(&self) -> Result<DocumentMut, SceneError> {
        let origin = &self.source.origin;
        let text = self.to_toml(origin)?;
        text.parse().map_err(|error: toml_edit::TomlError| SceneError::whole(origin, error.message()))
    }

    fn tables_of_species<'a>(&self, document: &'a mut DocumentMut) -> Result<&'a mut ArrayOfTables, SceneError> {
        let all = document.get_mut("species").and_then(Item::as_array_of_tables_mut);
        all.ok_or_else(|| {
            SceneError::whole(&self.source.origin, "its species are no tables of their own").key("species")
        })
    }

    /// What has to be said beside its own text.
    fn told_changes(&self) -> Result<Changes, SceneError> {
        let (text, origin, now) = (self.own_text(), &self.source.origin, tree(self));
        let mut changes = Changes::new();
        let plain = match read_unchecked(&text, origin, &[]) {
            Ok(draft) => draft,
            // A text that is no scene without them.
            Err(_) => {
                let given = self.source.overrides.iter().enumerate();
                changes.extend(given.map(|(index, change)| (change.key.clone(), change.node(index).kind)));
                read_unchecked(&text, origin, &self.source.overrides)?
            }
        };
        // First, because nothing else is to be said where its defaults hold.
        if plain.dialect != self.dialect {
            changes.push((DIALECT.to_owned(), Kind::Text(self.dialect.word().to_owned())));
        }
        for _ in 0..ROUNDS {
            let more = differences(&tree(&read_unchecked(&text, origin, &overrides(&changes))?), &now);
            if more.is_empty() {
                return Ok(changes);
            }
            for (key, kind) in more {
                changes.retain(|(old, _)| *old != key);
                let kind = kind.ok_or_else(|| unsaid(origin, &key))?;
                let kind = lean(&key, kind);
                changes.push((key, kind));
            }
        }
        Err(unsaid(origin, changes.last().map_or("", |(key, _)| key)))
    }

    /// The text that it came from, or where a program wrote it one with as many species.
    fn own_text(&self) -> String {
        if !self.source.text.is_empty() {
            return self.source.text.clone();
        }
        let size = if self.world.spatial { "[1, 1, 1]" } else { "[1, 1]" };
        format!("schema = 1\n\n[world]\nsize = {size}\n{}", "\n[[species]]\ncount = 0\n".repeat(self.species.len()))
    }
}

impl Draft {
    /// The keys whose values are others than in a draft of before, by their dotted paths, and those values as a file has them.
    pub fn changed_since(&self, before: &Draft) -> Vec<(String, String)> {
        let told = |kind: Option<Kind>| kind.map_or("not given".into(), |kind| value(&kind, false).to_string());
        differences(&tree(before), &tree(self)).into_iter().map(|(key, kind)| (key, told(kind))).collect()
    }

    /// Give the key at a dotted path the value that it had. A key that was not given then, and cannot be without this one, goes
    /// with it.
    pub fn put_back(&mut self, was: &Draft, path: &str) {
        self.copy_key(was, path);
        let Some(broken) = self.clone().broken() else { return };
        let given = Node::unwritten(tree(was));
        let was_given = |path: &&String| path.split('.').try_fold(&given, |node, part| node.child(part)).is_some();
        broken.keys.iter().filter(|path| !was_given(path)).for_each(|path| self.copy_key(was, path));
    }
}

const DIALECT: &str = "dialect";

fn unsaid(origin: &str, key: &str) -> SceneError {
    SceneError::whole(origin, "a change of this key cannot be said in the scene's text").key(key)
}

/// All that a scene says.
fn tree(draft: &Draft) -> Kind {
    let mut draft = draft.clone();
    let names = Names::of(&draft);
    Table::tell(&mut draft, "", &names)
}

/// The files that a scene names, by their whole paths.
fn files(draft: &Draft) -> Changes {
    let mut draft = draft.clone();
    let names = Names::of(&draft);
    let Kind::Table(entries) = Table::tell(&mut draft, "", &names) else { return Changes::new() };
    let root = Node::unwritten(Kind::Table(entries));
    let mut keys: Vec<String> = draft.files().into_iter().map(|(key, _)| key).collect();
    // The fields of later times have one key.
    keys.dedup();
    let found = |key: String| {
        let node = key.split('.').try_fold(&root, |node, part| node.child(part))?;
        Some((key, node.kind.clone()))
    };
    keys.into_iter().filter_map(found).collect()
}

fn folder(path: &str) -> Option<std::path::PathBuf> {
    std::path::absolute(path).ok()?.parent().map(Path::to_path_buf)
}

fn overrides(changes: &Changes) -> Vec<Override> {
    let text = |kind: &Kind| value(kind, false).decorated("", "").to_string();
    changes.iter().map(|(key, kind)| Override { key: key.clone(), value: text(kind) }).collect()
}

/// What has to be put where for one tree to become the other; nothing is put where there is to be nothing.
fn differences(from: &Kind, to: &Kind) -> Vec<(String, Option<Kind>)> {
    let mut found = Vec::new();
    differ(from, to, "", &mut found);
    found
}

fn differ(from: &Kind, to: &Kind, path: &str, found: &mut Vec<(String, Option<Kind>)>) {
    let is_table = |node: &Node| matches!(node.kind, Kind::Table(_));
    match (from, to) {
        (Kind::Table(old), Kind::Table(new)) if !is_another(old, new) => {
            for (name, node) in new {
                match old.iter().find(|(key, _)| key == name) {
                    Some((_, before)) => differ(&before.kind, &node.kind, &joined(path, name), found),
                    None => found.push((joined(path, name), Some(node.kind.clone()))),
                }
            }
            let gone = old.iter().filter(|(key, _)| new.iter().all(|(name, _)| name != key));
            // A list of tables without any is said as one.
            let none = |node: &Node| matches!(&node.kind, Kind::List(nodes) if nodes.iter().all(is_table));
            found.extend(gone.map(|(key, node)| (joined(path, key), none(node).then(|| Kind::List(Vec::new())))));
        }
        (Kind::List(old), Kind::List(new)) if old.len() == new.len() && new.iter().all(is_table) => {
            for (index, (before, node)) in old.iter().zip(new).enumerate() {
                let (path, first) = (joined(path, &index.to_string()), found.len());
                differ(&before.kind, &node.kind, &path, found);
                // An entry that is to have a key no longer is replaced as a whole; of a species that would be half of the file.
                let whole = |node: &Node| matches!(&node.kind, Kind::Table(entries) if entries.len() <= MOST_REPLACED);
                if whole(node) && found[first..].iter().any(|(_, kind)| kind.is_none()) {
                    found.truncate(first);
                    found.push((path, Some(node.kind.clone())));
                }
            }
        }
        _ if from != to => found.push((path.to_owned(), Some(to.clone()))),
        _ => {}
    }
}

/// A table whose first key says what it is, such as a target or an obstacle, may become another with other keys, and is then
/// replaced as a whole.
fn is_another(old: &[(String, Node)], new: &[(String, Node)]) -> bool {
    let first = old.first().is_some_and(|(name, _)| VARIANTS.contains(&name.as_str()));
    first && old.iter().any(|(key, _)| new.iter().all(|(name, _)| name != key))
}

/// Entries of lists with more keys than this are never replaced as a whole.
const MOST_REPLACED: usize = 16;

/// First keys of tables that are one of several things.
const VARIANTS: [&str; 8] = ["point", "agent", "nearest", "leader", "path", "trajectory", "goal", "shape"];

/// What is said anew of the rules of a species, without what is so anyway and does not count.
fn lean(path: &str, kind: Kind) -> Kind {
    let parts: Vec<&str> = path.split('.').collect();
    match (&parts[..], kind) {
        (["species", _, "rules"], Kind::List(nodes)) => {
            let entry = |(index, node): (usize, Node)| Node::unwritten(lean(&format!("{path}.{index}"), node.kind));
            Kind::List(nodes.into_iter().enumerate().map(entry).collect())
        }
        (["species", _, "rules", _], Kind::Table(mut entries)) => {
            let says = |entries: &[(String, Node)], word: &str| {
                let text = |(key, node): &(String, Node)| key == "when" && node.kind == Kind::Text(word.to_owned());
                entries.iter().any(text)
            };
            let measures = says(&entries, "nearer") || says(&entries, "farther");
            entries.retain(|(key, node)| match &key[..] {
                "unloads" => node.kind != Kind::Boolean(false),
                "target" => measures || node.kind != Kind::Text("mouse".to_owned()),
                _ => true,
            });
            Kind::Table(entries)
        }
        (_, kind) => kind,
    }
}

/// A TOML value. Whole numbers are written without a point unless there was one.
fn value(kind: &Kind, point: bool) -> Value {
    match kind {
        Kind::Text(text) => Value::from(text.as_str()),
        Kind::Whole(number) => Value::from(*number),
        Kind::Number(number) => {
            // As short as it is unique among the numbers of 32 bits.
            let number = (*number as f32).to_string().parse().unwrap_or(*number);
            let whole = number.fract() == 0.0 && number.abs() < 1e15 && !point;
            if whole { Value::from(number as i64) } else { Value::from(number) }
        }
        Kind::Boolean(flag) => Value::from(*flag),
        Kind::Date(date) => Value::from(date.as_str()),
        Kind::List(nodes) => Value::from(nodes.iter().map(|node| value(&node.kind, false)).collect::<Array>()),
        Kind::Table(entries) => {
            let entries = entries.iter().map(|(key, node)| (key.as_str(), value(&node.kind, false)));
            Value::from(entries.collect::<InlineTable>())
        }
    }
}

/// Put a value into a table of the text: spaces and comments around the old one stay. None where there is no such place.
fn put(table: &mut dyn TableLike, parts: &[&str], kind: &Kind) -> Option<()> {
    let (first, rest) = parts.split_first()?;
    let Some((next, last)) = rest.split_first() else {
        match table.get_mut(first) {
            Some(Item::Value(old)) => replace(old, kind),
            _ => drop(table.insert(first, Item::Value(value(kind, false)))),
        }
        return Some(());
    };
    let index = next.parse::<usize>();
    match (table.get_mut(first), index) {
        (Some(Item::ArrayOfTables(tables)), Ok(index)) => match (tables.get_mut(index)?, kind) {
            (table, Kind::Table(entries)) if last.is_empty() => {
                table.clear();
                entries.iter().try_for_each(|(key, node)| put(&mut *table, &[key.as_str()], &node.kind))
            }
            (table, _) => put(table, last, kind),
        },
        (Some(Item::Value(Value::Array(array))), Ok(index)) => match array.get_mut(index)? {
            Value::InlineTable(inner) if !last.is_empty() => put(inner, last, kind),
            old => last.is_empty().then(|| replace(old, kind)),
        },
        (Some(item), _) => put(item.as_table_like_mut()?, rest, kind),
        (None, Ok(_)) => None,
        (None, Err(_)) => {
            // With a header where a line of its own says something, and none where only tables are in it.
            let mut inner = toml_edit::Table::new();
            inner.set_implicit(true);
            inner.decor_mut().set_prefix("\n");
            table.insert(first, Item::Table(inner));
            put(table.get_mut(first)?.as_table_like_mut()?, rest, kind)
        }
    }
}

fn replace(old: &mut Value, kind: &Kind) {
    let decor = old.decor().clone();
    *old = value(kind, old.is_float());
    *old.decor_mut() = decor;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Boundary, Combine, PRESETS};

    /// An entry of a list that is to have a key no longer, or another shape, is written anew; the others stay as they were written.
    #[test]
    fn entries_of_lists_lose_keys_and_change_their_shape() {
        let text = "schema = 1\nworld.size = [9, 9]\n[[obstacles]] # one\nshape = 'sphere'\nradius = 1\n\
                    [[obstacles]] # two\nshape = 'sphere'\nradius = 2\n[[species]]\ncount = 3\nstates = ['a', 'b']\n\
                    [[species.rules]]\nfrom = ['a']\nto = 'b'\nwhen = 'after'\n";
        let scene = Scene::parse(text, "a.toml", &[]).expect("a scene");
        let changed = with(&scene, |draft| {
            draft.scenery.obstacles[0].shape = crate::scene::ObstacleShape::Capsule { length: 3.0, radius: 1.0 };
            draft.species[0].rules[0].from = u32::MAX;
        });
        let text = changed.to_toml("a.toml").expect("a text");
        assert_eq!(Scene::parse(&text, "a.toml", &[]).expect("a scene").changed_since(&changed), [], "{text}");
        assert!(text.contains("# two") && !text.contains("from ="), "{text}");
        assert!(!text.contains("target") && !text.contains("unloads"), "what does not count: {text}");
        let more = with(&scene, |draft| {
            let rule = draft.species[0].rules[0];
            let measures = crate::scene::Transition { when: crate::scene::Condition::Farther, unloads: true, ..rule };
            draft.species[0].rules.push(measures);
        });
        let text = more.to_toml("a.toml").expect("a text");
        assert_eq!(Scene::parse(&text, "a.toml", &[]).expect("a scene").changed_since(&more), [], "{text}");
        assert_eq!(text.matches("target = \"mouse\"").count(), 1, "where it is measured: {text}");
        assert_eq!(text.matches("unloads").count(), 1, "{text}");
    }

    fn with(scene: &Scene, change: impl FnOnce(&mut Draft)) -> Scene {
        let changed = |draft: &mut Draft| {
            change(draft);
            Ok(())
        };
        scene.edit(changed).expect("a scene")
    }

    fn says_the_same(scene: &Scene, text: &str) -> bool {
        let mut read = Scene::parse(text, "kept.toml", &[]).expect("a scene").draft();
        read.name.clone_from(&scene.name);
        tree(&read) == tree(scene)
    }

    #[test]
    fn an_unchanged_scene_keeps_its_text_and_needs_no_override() {
        for preset in PRESETS {
            let scene = Scene::open(preset.name, &[]).expect("a preset");
            assert_eq!(scene.to_toml("kept.toml").expect("a text"), preset.text, "{}", preset.name);
            assert_eq!(scene.changes().expect("changes"), [], "{}", preset.name);
        }
    }

    #[test]
    fn what_is_changed_is_read_back_and_the_rest_of_the_text_stays() {
        for preset in PRESETS {
            let scene = Scene::open(preset.name, &[]).expect("a preset");
            let mut changed = scene.with_agents(scene.agent_count() * 7 / 5).expect("a scene");
            changed = with(&changed, |draft| {
                (draft.seed, draft.camera.zoom) = (draft.seed + 7, 1.25);
                draft.look.name = draft.look.name.next();
                draft.species[0].max_speed *= 1.1;
                draft.species[0].behaviors.iter_mut().filter(|behavior| behavior.enabled).for_each(|b| b.weight *= 0.3);
            });
            let text = changed.to_toml("kept.toml").unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert!(says_the_same(&changed, &text), "{}", preset.name);
            assert!(!says_the_same(&scene, &text), "{}: nothing changed", preset.name);
            let comments = |text: &str| text.lines().filter(|line| line.contains('#')).count();
            assert_eq!(comments(&text), comments(preset.text), "{}: comments are lost", preset.name);
            let overrides = changed.changes().expect("changes");
            assert_eq!(
                tree(&Scene::open(preset.name, &overrides).expect("a scene")),
                tree(&changed),
                "{}",
                preset.name
            );
        }
    }

    #[test]
    fn comments_beside_a_value_stay() {
        let text = "schema = 1 # first\n[world]\nsize = [90, 90] # u\n\n# Birds.\n[[species]]\ncount = 3 # few\nmax_speed = 2.0 # slow\n";
        let scene = Scene::parse(text, "a.toml", &[]).expect("a scene");
        let changed = with(&scene, |draft| {
            draft.species[0].max_speed = 3.0;
            draft.species[0].enable("cohesion").expect("a behavior");
            draft.world.boundary[0] = Boundary::Contain;
        });
        let kept = changed.to_toml("b.toml").expect("a text");
        assert!(kept.contains("max_speed = 3.0 # slow") && kept.contains("# Birds."), "{kept}");
        assert!(kept.contains("[species.behaviors.cohesion]\nenabled = true"), "{kept}");
        assert!(!kept.contains("[species.behaviors]\n"), "an empty header: {kept}");
        assert!(says_the_same(&changed, &kept));
    }

    #[test]
    fn another_dialect_changes_what_nobody_gave() {
        let text = "schema = 1\n[world]\nsize = [900, 900]\n[[species]]\ncount = 3\ntime_constant = 0.5\n[species.behaviors.seek]\n";
        let scene = Scene::parse(text, "a.toml", &[]).expect("a scene");
        let changed = with(&scene, |draft| draft.species[0].max_force = 44.0);
        let other = changed.with_dialect(Dialect::NatureOfCode).expect("a scene");
        let species = &other.species[0];
        assert_eq!((species.time_constant, species.max_force, species.max_speed), (0.5, 44.0, 180.0));
        assert!(says_the_same(&other, &other.to_toml("b.toml").expect("a text")));
        // A behavior that comes later has its own defaults, and they are kept.
        let more = with(&other, |draft| drop(draft.species[0].enable("arrive")));
        assert!(says_the_same(&more, &more.to_toml("b.toml").expect("a text")));
        let back = other.with_dialect(Dialect::Canonical).expect("a scene");
        assert_eq!(tree(&back), tree(&changed));
    }

    /// Which defaults hold depends on what acts: a scene in which that has changed goes on as it was, and so does its text.
    #[test]
    fn who_stops_or_begins_to_do_more_than_flock_keeps_its_numbers() {
        let text = |more: &str| {
            format!(
                "schema = 1\ndialect = \"opensteer\"\nworld.size = [90, 90]\n[[species]]\ncount = 3\n[species.behaviors]\nseparation = {{}}\ncohesion = {{}}\n{more}"
            )
        };
        let active = |scene: &Scene| {
            let seek = scene.species[0].described().find(|(spec, _)| spec.name == "seek").expect("a behavior").1;
            (seek.is_active(), scene.species[0].combine)
        };
        for (more, before, weight) in [
            ("seek = {}\n", (true, Combine::Weighted), 0.0),
            ("seek = { weight = 0 }\n", (false, Combine::Normalized), 1.0),
        ] {
            let scene = Scene::parse(&text(more), "a.toml", &[]).expect("a scene");
            assert_eq!(active(&scene), before);
            let changed = with(&scene, |draft| {
                draft.species[0].behaviors.iter_mut().filter(|b| b.spec.name == "seek").for_each(|b| b.weight = weight);
            });
            assert_eq!(active(&changed), (!before.0, before.1));
            assert!(says_the_same(&changed, &changed.to_toml("b.toml").expect("a text")), "{more}");
        }
    }

    #[test]
    fn a_scene_that_a_program_wrote_has_a_text_too() {
        for name in ["wind", "traffic", "fish_tank", "actions", "hills"] {
            let mut draft = Scene::open(name, &[]).expect("a preset").draft();
            draft.source = Default::default();
            let scene = draft.validate().expect("a scene");
            let text = scene.to_toml("made.toml").unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(says_the_same(&scene, &text), "{name}: {text}");
        }
    }

    #[test]
    fn the_last_of_a_list_of_tables_may_go() {
        let text = "schema = 1\n[world]\nsize = [90, 90]\n[map]\nsource = \"open\"\n[[map.strokes]]\nfrom = [0, 0]\nto = [9, 0]\n\
                    [[species]]\ncount = 3\n";
        let scene = Scene::parse(text, "a.toml", &[]).expect("a scene");
        let changed = with(&scene, |draft| draft.map.iter_mut().for_each(|map| map.strokes.clear()));
        let kept = changed.to_toml("b.toml").expect("a text");
        assert!(says_the_same(&changed, &kept) && !says_the_same(&scene, &kept), "{kept}");
        let again = Scene::parse(text, "a.toml", &changed.changes().expect("changes")).expect("a scene");
        assert_eq!(tree(&again), tree(&changed));
    }

    /// One without a name is called by its number, and another species would be called so then.
    #[test]
    fn references_stay_where_a_species_before_goes() {
        let text = "schema = 1\nworld.size = [90, 90]\n[[species]]\ncount = 1\nperceives = [\"species 2\"]\n\
                    [[species]]\ncount = 2\n[[species]]\ncount = 3\n[[species]]\ncount = 4\n";
        let left = Scene::parse(text, "a.toml", &[]).expect("a scene").without_species(1).expect("a scene");
        let names: Vec<_> = left.species.iter().map(|species| (species.name.as_str(), species.count)).collect();
        assert_eq!(names, [("species 0", 1), ("species 2", 3), ("species 3", 4)]);
        assert_eq!(left.species[0].perceives, 0b10);
    }

    #[test]
    fn files_are_found_from_elsewhere_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path().join("a.toml");
        let text = "schema = 1\n[world]\nsize = [90, 90]\n[field]\nsource = \"wind.png\"\n[[species]]\ncount = 3\n";
        let scene = Scene::parse(text, here.to_str().expect("UTF-8"), &[]).expect("a scene");
        let beside = scene.to_toml(folder.path().join("b.toml").to_str().expect("UTF-8")).expect("a text");
        assert!(beside.contains("source = \"wind.png\""), "{beside}");
        let elsewhere = scene.to_toml("c.toml").expect("a text");
        assert!(elsewhere.contains(&folder.path().join("wind.png").display().to_string()), "{elsewhere}");
    }

    #[test]
    fn what_no_override_can_say_is_refused() {
        let scene = Scene::open("wind", &[]).expect("a preset");
        let mut draft = scene.draft();
        draft.species.iter_mut().flat_map(|s| &mut s.behaviors).for_each(|b| b.enabled &= b.spec.name != "flow_field");
        draft.field = None;
        let error = draft.validate().expect("a scene").to_toml("a.toml").expect_err("no way to say it");
        assert_eq!(error.key, "field");
    }
}
