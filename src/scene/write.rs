//! From a scene back to text: the differences between a scene and the text that it came from, as overrides or put into that
//! text, whose comments and order stay.

use super::error::SceneError;
use super::keys::joined;
use super::names::Names;
use super::parse::read_unchecked;
use super::tables::Table;
use super::tree::{Kind, Node, Override};
use super::{Color, Dialect, Draft, OwnBehavior, Scene, Species, Target};
use std::path::Path;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, TableLike, Value};

/// How often the text is read again at most, to find what still differs: a change can change the defaults of other keys.
const ROUNDS: usize = 4;

/// A key by its dotted path, and its value.
type Changes = Vec<(String, Kind)>;

impl Scene {
    /// The overrides (`--set`) that turn the text this scene came from into this scene. Files are named by absolute paths.
    ///
    /// # Errors
    /// A change that no override can express, such as the removal of a table that the text has. The error names the key.
    pub fn changes(&self) -> Result<Vec<Override>, SceneError> {
        Ok(overrides(&self.text_changes()?))
    }

    /// The text of a scene file for this scene, to be saved at `path`: the text that the scene came from, with its comments. Only
    /// values that differ are changed.
    ///
    /// # Errors
    /// As [`Scene::changes`].
    pub fn to_toml(&self, path: &str) -> Result<String, SceneError> {
        let mut changes = self.text_changes()?;
        if folder(path) != folder(&self.source.origin) {
            changes.extend(files(&self.0));
        }
        let text = self.own_text();
        let mut document = parsed(&text, path)?;
        for (key, kind) in &changes {
            let parts: Vec<&str> = key.split('.').collect();
            put(document.as_table_mut(), &parts, kind)
                .ok_or_else(|| SceneError::whole(path, "this cannot be written into the text").key(key))?;
        }
        let text = document.to_string();
        // Read the text back, so that no file describes another scene. Only `name` may differ, if the text does not give it:
        // the name is then that of the file.
        let read = Scene::parse(&text, path, &[])?;
        match differences(&tree(&read), &tree(self)).iter().find(|(key, _)| key != "name" || document.contains_key(key))
        {
            Some((key, _)) => Err(not_expressible(path, key)),
            None => Ok(text),
        }
    }

    /// The same scene in another dialect: the keys that neither its text nor a change gives have that dialect's defaults.
    ///
    /// # Errors
    /// As [`Scene::changes`], and what [`Scene::parse`] refuses.
    pub fn with_dialect(&self, dialect: Dialect) -> Result<Scene, SceneError> {
        let mut changes = self.text_changes()?;
        changes.retain(|(key, _)| key != DIALECT);
        changes.push((DIALECT.to_owned(), Kind::Text(dialect.word().to_owned())));
        Scene::parse(&self.own_text(), &self.source.origin, &overrides(&changes))
    }

    /// This scene with a copy of the species at index `species` added at the end. The copy has a new name, and `color` if the
    /// original has a fixed color. Names in its values, such as those of species that it perceives, stay the same. The new scene has a
    /// new source text, which contains all changes.
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
        // The copy is printed from a document of its own, so that its tables come after all others, not between them.
        let mut copy = DocumentMut::new();
        copy["species"] = Item::ArrayOfTables(all);
        Scene::parse(&format!("{}\n\n{}", document.to_string().trim_end(), copy), &self.source.origin, &[])
    }

    /// This scene without the species at index `species`. It has a new source text, which contains all changes.
    ///
    /// # Errors
    /// As [`Scene::changes`]; what [`Scene::parse`] refuses, such as a key that names the species; a target that is an agent of this or a
    /// later species.
    pub fn without_species(&self, species: usize) -> Result<Scene, SceneError> {
        let mut document = self.written()?;
        let all = self.tables_of_species(&mut document)?;
        if species >= all.len() {
            return Err(self.no_species(species));
        }
        // A species without a name is named after its index, which changes: write down its present name.
        for (table, later) in all.iter_mut().zip(&self.species).skip(species + 1) {
            table.entry("name").or_insert(Item::Value(later.name.as_str().into()));
        }
        all.remove(species);
        let without = Scene::parse(&document.to_string(), &self.source.origin, &[])?;
        // The ids of agents of later species change, so no target may be one of them.
        let first: u32 = self.species[..species].iter().map(|species| species.count).sum();
        let later = |target: Target| matches!(target, Target::Agent(id) if id >= first);
        if self.species.iter().flat_map(Species::targets).any(later) {
            let why = "a target is an agent of this species or of a later one, whose ids would change";
            return Err(SceneError::whole(&self.source.origin, why).key("agent"));
        }
        Ok(without)
    }

    fn no_species(&self, species: usize) -> SceneError {
        SceneError::whole(&self.source.origin, format!("there is no species {species}"))
    }

    /// The complete text of this scene, as a document to edit.
    fn written(&self) -> Result<DocumentMut, SceneError> {
        let origin = &self.source.origin;
        parsed(&self.to_toml(origin)?, origin)
    }

    fn tables_of_species<'a>(&self, document: &'a mut DocumentMut) -> Result<&'a mut ArrayOfTables, SceneError> {
        let all = document.get_mut("species").and_then(Item::as_array_of_tables_mut);
        all.ok_or_else(|| {
            SceneError::whole(&self.source.origin, "its species are not tables of their own").key("species")
        })
    }

    /// The changes that `own_text` needs to describe this scene.
    fn text_changes(&self) -> Result<Changes, SceneError> {
        let (text, origin, now) = (self.own_text(), &self.source.origin, tree(self));
        let has_file =
            |own: &&OwnBehavior| own.path().extension().is_some_and(|end| end == "wgsl") && own.path().is_file();
        if let Some(own) = self.own_behaviors.iter().find(|own| !has_file(own)) {
            let name = own.spec().map_or("", |spec| spec.name);
            let message = format!("the behavior `{name}` has no file yet: save its text to {name}.wgsl, and name that");
            return Err(SceneError::whole(origin, message).key("behavior"));
        }
        let mut changes = Changes::new();
        let plain = match read_unchecked(&text, origin, &[]) {
            Ok(draft) => draft,
            // The text cannot be read without its overrides: they are among the changes.
            Err(_) => {
                let given = self.source.overrides.iter().enumerate();
                changes.extend(given.map(|(index, change)| (change.key.clone(), change.node(index).kind)));
                read_unchecked(&text, origin, &self.source.overrides)?
            }
        };
        // First, because values that equal the dialect's defaults need no change.
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
                let kind = kind.ok_or_else(|| not_expressible(origin, &key))?;
                let kind = without_idle_keys(&key, kind);
                changes.push((key, kind));
            }
        }
        Err(not_expressible(origin, changes.last().map_or("", |(key, _)| key)))
    }

    /// The text that the scene came from; for a scene built in Rust, a minimal text with as many species.
    pub(crate) fn own_text(&self) -> String {
        if !self.source.text.is_empty() {
            return self.source.text.clone();
        }
        let size = if self.world.spatial { "[1, 1, 1]" } else { "[1, 1]" };
        format!("schema = 1\n\n[world]\nsize = {size}\n{}", "\n[[species]]\ncount = 0\n".repeat(self.species.len()))
    }
}

impl Draft {
    /// The dotted paths of the keys whose values differ from those in `before`, with the new values as TOML or `not given`.
    pub fn changed_since(&self, before: &Draft) -> Vec<(String, String)> {
        let shown = |kind: Option<Kind>| kind.map_or("not given".into(), |kind| value(&kind, false).to_string());
        differences(&tree(before), &tree(self)).into_iter().map(|(key, kind)| (key, shown(kind))).collect()
    }

    /// Give the key at a dotted path the value that it has in `was`. If the draft then breaks a rule, the keys of that rule that
    /// `was` does not give are removed too.
    pub fn put_back(&mut self, was: &Draft, path: &str) {
        self.copy_key(was, path);
        let Some(broken) = self.clone().broken() else { return };
        let given = Node::unwritten(tree(was));
        let was_given = |path: &&String| path.split('.').try_fold(&given, |node, part| node.child(part)).is_some();
        broken.keys.iter().filter(|path| !was_given(path)).for_each(|path| self.copy_key(was, path));
    }
}

const DIALECT: &str = "dialect";

fn parsed(text: &str, path: &str) -> Result<DocumentMut, SceneError> {
    text.parse().map_err(|error: toml_edit::TomlError| SceneError::whole(path, error.message()))
}

fn not_expressible(origin: &str, key: &str) -> SceneError {
    SceneError::whole(origin, "a change of this key cannot be written into the scene's text").key(key)
}

/// Everything that a file of this draft must contain.
fn tree(draft: &Draft) -> Kind {
    let mut draft = draft.clone();
    let names = Names::of(&draft);
    Table::kind_in_file(&mut draft, "", &names)
}

/// The keys that name files, with the absolute paths of the files as values.
fn files(draft: &Draft) -> Changes {
    let root = Node::unwritten(tree(draft));
    let mut keys: Vec<String> = draft.files().into_iter().map(|(key, _)| key).collect();
    // `files` has an entry for each file of `field.later`, which is one key.
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

/// The changes that turn the tree `from` into `to`: dotted paths with new values, or `None` for a key that must go.
fn differences(from: &Kind, to: &Kind) -> Vec<(String, Option<Kind>)> {
    let mut found = Vec::new();
    differ(from, to, "", &mut found);
    found
}

fn differ(from: &Kind, to: &Kind, path: &str, found: &mut Vec<(String, Option<Kind>)>) {
    let is_table = |node: &Node| matches!(node.kind, Kind::Table(_));
    match (from, to) {
        (Kind::Table(old), Kind::Table(new)) if !changed_variant(old, new) => {
            for (name, node) in new {
                match old.iter().find(|(key, _)| key == name) {
                    Some((_, before)) => differ(&before.kind, &node.kind, &joined(path, name), found),
                    None => found.push((joined(path, name), Some(node.kind.clone()))),
                }
            }
            let gone = old.iter().filter(|(key, _)| new.iter().all(|(name, _)| name != key));
            // A list of tables can be removed by writing an empty list.
            let none = |node: &Node| matches!(&node.kind, Kind::List(nodes) if nodes.iter().all(is_table));
            found.extend(gone.map(|(key, node)| (joined(path, key), none(node).then(|| Kind::List(Vec::new())))));
        }
        (Kind::List(old), Kind::List(new)) if old.len() == new.len() && new.iter().all(is_table) => {
            for (index, (before, node)) in old.iter().zip(new).enumerate() {
                let (path, first) = (joined(path, &index.to_string()), found.len());
                differ(&before.kind, &node.kind, &path, found);
                // An entry that loses a key is replaced as a whole, unless it is large: a species would be half of the file.
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

/// True if a table whose first key says which variant it is, such as a target or an obstacle, has lost a key: it is then another
/// variant, and is replaced as a whole.
fn changed_variant(old: &[(String, Node)], new: &[(String, Node)]) -> bool {
    let first = old.first().is_some_and(|(name, _)| VARIANTS.contains(&name.as_str()));
    first && old.iter().any(|(key, _)| new.iter().all(|(name, _)| name != key))
}

/// Entries of lists with more keys than this are never replaced as a whole.
const MOST_REPLACED: usize = 16;

/// Keys that say, as the first key of a table, which variant the table is.
const VARIANTS: [&str; 8] = ["point", "agent", "nearest", "leader", "path", "trajectory", "goal", "shape"];

/// A new value for a key. The rules of a species lose keys that have their default and no effect.
fn without_idle_keys(path: &str, kind: Kind) -> Kind {
    let parts: Vec<&str> = path.split('.').collect();
    match (&parts[..], kind) {
        (["species", _, "rules"], Kind::List(nodes)) => {
            let entry = |(index, node): (usize, Node)| {
                Node::unwritten(without_idle_keys(&format!("{path}.{index}"), node.kind))
            };
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

/// A TOML value. Whole numbers are written without a decimal point unless `point` is true.
fn value(kind: &Kind, point: bool) -> Value {
    match kind {
        Kind::Text(text) => Value::from(text.as_str()),
        Kind::Whole(number) => Value::from(*number),
        Kind::Number(number) => {
            // The shortest decimal that reads back as the same f32.
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

/// Put a value into a table of the text; spaces and comments around the old one stay. `None` if the path leads nowhere.
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
            // Implicit: the table gets a header only if it has values of its own, not if it has only tables.
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
