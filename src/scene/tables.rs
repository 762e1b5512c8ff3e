//! What the tables of a scene file are made of: how a value is read, checked, written back and found by its key.

use super::broken::Broken;
use super::error::SceneError;
use super::keys::{Key, Range, joined};
use super::names::Names;
use super::read::Section;
use super::tree::{Kind, Node};
use glam::Vec3;
use std::any::Any;

/// Copying between two values behind `dyn` references, if they have the same type.
pub trait Copied {
    fn as_any(&self) -> &(dyn Any + 'static);

    /// Does nothing if `other` has another type.
    fn copy_from(&mut self, other: &dyn Any);
}

impl<T: Any + Clone> Copied for T {
    fn as_any(&self) -> &(dyn Any + 'static) {
        self
    }

    fn copy_from(&mut self, other: &dyn Any) {
        if let Some(other) = other.downcast_ref::<T>() {
            self.clone_from(other);
        }
    }
}

/// The value of a key: how it is read from a file, checked where a program set it, and written back.
pub trait Value: Copied {
    /// Set this value from the file's `node`.
    fn read<'a>(&mut self, key: &Key, from: &Section<'a>, node: &'a Node, names: &Names) -> Result<(), SceneError>;

    /// Refuse a value that no file could give. Subnormal numbers become zero, because not every device computes with them.
    fn check(&mut self, _key: &Key, _path: &str, _names: &Names) -> Result<(), Broken> {
        Ok(())
    }

    /// Set this value to the key's default, which holds where neither file nor program gives one.
    fn fall_back(&mut self, _key: &Key) {}

    /// The numbers in it, with their keys.
    fn numbers(&mut self, _key: &Key) -> Vec<(Key, &mut f32)> {
        Vec::new()
    }

    /// The positions and extents in it, each with its dotted path and key. Each point of a list is an entry, with its index in the path.
    fn vectors(&mut self, _key: &Key, _path: &str) -> Vec<(String, Key, &mut Vec3)> {
        Vec::new()
    }

    /// The key at a dotted path within this value, and its value. `None` if there is no such key, or its table is absent.
    fn at(&mut self, _path: &str) -> Option<(Key, &mut dyn Value)> {
        None
    }

    /// What a file must contain for [`Value::read`] to give this value; `None` if the key can be left out.
    fn kind_in_file(&mut self, key: &Key, path: &str, names: &Names) -> Option<Kind>;
}

/// A table of the file.
pub trait Table: Default + Clone + 'static {
    /// All keys that it may have, those of every variant included.
    const KEYS: &'static [Key];

    /// The keys that it has now (those of its variant, if there are several), with their values.
    fn values(&mut self) -> Vec<(&'static Key, &mut dyn Value)>;

    /// If its first key decides which others it has, become the variant that the file names.
    fn choose(&mut self, _from: &Section) -> Result<(), SceneError> {
        Ok(())
    }

    /// Set all values of the table from the file.
    ///
    /// # Errors
    /// The first value that is not allowed, or a required key that is missing.
    fn read(&mut self, from: &Section, names: &Names) -> Result<(), SceneError> {
        self.choose(from)?;
        self.values().into_iter().try_for_each(|(key, value)| match from.find(key)? {
            Some(node) => value.read(key, from, node, names),
            None => Ok(()),
        })
    }

    /// Refuse values that no file could give.
    ///
    /// # Errors
    /// The first such value.
    fn check(&mut self, path: &str, names: &Names) -> Result<(), Broken> {
        let check = |(key, value): (&Key, &mut dyn Value)| value.check(key, &joined(path, key.name), names);
        self.values().into_iter().try_for_each(check)
    }

    /// The word of its first key, if that key decides which others it has.
    fn chosen(&self) -> Option<&'static str> {
        None
    }

    /// What a file must contain for [`Table::read`] to give this table.
    fn kind_in_file(&mut self, path: &str, names: &Names) -> Kind {
        let first = |word: &str| (Self::KEYS[0].name.to_owned(), Node::unwritten(Kind::Text(word.to_owned())));
        let mut entries: Vec<(String, Node)> = self.chosen().map(first).into_iter().collect();
        entries.extend(self.values().into_iter().filter_map(|(key, value)| {
            let kind = value.kind_in_file(key, &joined(path, key.name), names)?;
            Some((key.name.to_owned(), Node::unwritten(kind)))
        }));
        Kind::Table(entries)
    }

    /// As `Value::at`. A path into a value that is written as a table but is one value, such as a target, finds all of that value.
    /// The key that decides which others the table has finds all of the table.
    fn at(&mut self, path: &str) -> Option<(Key, &mut dyn Value)> {
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        if self.chosen().is_some() && name == Self::KEYS[0].name {
            return Some((Self::KEYS[0], self));
        }
        let (key, value) = self.values().into_iter().find(|(key, _)| key.name == name)?;
        let has_keys = matches!(key.range, Range::Table(_) | Range::Tables(..) | Range::Behaviors);
        if has_keys && !rest.is_empty() { value.at(rest) } else { Some((*key, value)) }
    }

    /// This table with every value set to the default of its key.
    fn fallen_back(mut self) -> Self {
        self.values().into_iter().for_each(|(key, value)| value.fall_back(key));
        self
    }

    /// The numbers in it and in the tables within, with their keys.
    fn numbers(&mut self) -> Vec<(Key, &mut f32)> {
        self.values().into_iter().flat_map(|(key, value)| value.numbers(key)).collect()
    }

    /// As `Value::vectors`.
    fn vectors(&mut self, path: &str) -> Vec<(String, Key, &mut Vec3)> {
        self.values().into_iter().flat_map(|(key, value)| value.vectors(key, &joined(path, key.name))).collect()
    }
}

/// A struct whose fields are the keys of a table. The first paragraph of a field's documentation is the key's summary. The field
/// after `with` is a struct whose keys are written in the same table; the field after `beside` has no key.
macro_rules! table {
    ($(#[$about:meta])* pub struct $name:ident {
        $($(#[doc = $doc:literal])+ pub $field:ident: $type:ty = $key:expr,)+
        $(with $(#[doc = $inner_doc:literal])+ pub $inner:ident: $inner_type:ty,)?
        $(beside $(#[doc = $other_doc:literal])+ pub $other:ident: $other_type:ty,)?
    }) => {
        $(#[$about])*
        pub struct $name {
            $($(#[doc = $doc])+ #[doc = concat!("\n\nIn a file: `", stringify!($key), "`.")] pub $field: $type,)+
            $($(#[doc = $inner_doc])+ pub $inner: $inner_type,)?
            $($(#[doc = $other_doc])+ pub $other: $other_type,)?
        }

        impl $crate::scene::tables::Table for $name {
            const KEYS: &'static [$crate::scene::keys::Key] = {
                #[allow(unused_imports)]
                use $crate::scene::keys::*;
                const OWN: &[Key] = &[$($key.named(stringify!($field), concat!($($doc, "\n"),+))),+];
                const INNER: &[&[Key]] = &[&[] $(, <$inner_type as Table>::KEYS)?];
                const LAST: &[Key] = INNER[INNER.len() - 1];
                &all_keys::<{ OWN.len() + LAST.len() }>(OWN, LAST)
            };

            fn values(&mut self) -> Vec<(&'static $crate::scene::keys::Key, &mut dyn $crate::scene::tables::Value)> {
                let fields: Vec<&mut dyn $crate::scene::tables::Value> = vec![$(&mut self.$field),+];
                let own = Self::KEYS.iter().zip(fields);
                $(let own = own.chain($crate::scene::tables::Table::values(&mut self.$inner));)?
                own.collect()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $crate::scene::tables::Table::fallen_back($name {
                    $($field: Default::default(),)+
                    $($inner: Default::default(),)?
                    $($other: Default::default(),)?
                })
            }
        }
    };
}

/// An enum whose variants have words in the file; the first is the default.
macro_rules! words {
    ($(#[$about:meta])* pub enum $name:ident {
        $(#[$first_doc:meta])* $first:ident = $first_word:literal,
        $($(#[$doc:meta])* $variant:ident = $word:literal,)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum $name { $(#[$first_doc])* #[default] $first, $($(#[$doc])* $variant),* }

        impl $name {
            /// All variants, in the order of their words.
            pub const ALL: &'static [$name] = &[$name::$first, $($name::$variant),*];
            pub(crate) const WORDS: &'static [&'static str] = &[$first_word, $($word),*];

            /// The word for it in a file.
            pub fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }

        impl $crate::scene::tables::Value for $name {
            fn read<'a>(
                &mut self,
                key: &$crate::scene::keys::Key,
                from: &$crate::scene::read::Section<'a>,
                node: &'a $crate::scene::tree::Node,
                _: &$crate::scene::names::Names,
            ) -> Result<(), $crate::scene::SceneError> {
                *self = $name::ALL[from.word(key, node, $name::WORDS)?];
                Ok(())
            }

            fn kind_in_file(
                &mut self,
                _: &$crate::scene::keys::Key,
                _: &str,
                _: &$crate::scene::names::Names,
            ) -> Option<$crate::scene::tree::Kind> {
                Some($crate::scene::tree::Kind::Text(self.word().to_owned()))
            }
        }
    };
}

impl<'a> Section<'a> {
    /// The variant that the table's first key names; the default if that key is absent or not a choice. A key that the variant does
    /// not have is an error.
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
}
