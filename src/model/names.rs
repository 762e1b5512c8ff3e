//! Enums of the names that shaders use, so that the compiler rejects a name that they do not have.

/// An enum whose variants have the names that shaders use: `CellStart` is `cell_start` there, and `Memory1` is `memory_1`.
macro_rules! names {
    ($(#[$about:meta])* $Name:ident { $($variant:ident,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Name {
            $(#[doc = concat!("`", stringify!($variant), "`, in snake case.")] $variant,)*
        }

        impl $Name {
            /// All of them, in order.
            pub const ALL: &[$Name] = &[$($Name::$variant),*];

            /// The name in the shaders.
            pub const fn name(self) -> &'static str {
                match self {
                    $($Name::$variant => {
                        const LENGTH: usize = $crate::model::names::snake_length(stringify!($variant));
                        const NAME: [u8; LENGTH] = $crate::model::names::snake_case(stringify!($variant));
                        match str::from_utf8(&NAME) {
                            Ok(name) => name,
                            Err(_) => panic!("names are ASCII"),
                        }
                    })*
                }
            }

            /// The variant with this name, which comes from a file or a shader.
            pub fn named(name: &str) -> Option<$Name> {
                $Name::ALL.iter().copied().find(|known| known.name() == name)
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}
pub(super) use names;

/// Does a word begin at this byte of a name in camel case, so that snake case has `_` before it?
const fn begins_word(name: &[u8], at: usize) -> bool {
    at > 0 && !name[at].is_ascii_lowercase()
}

/// Bytes of a name in snake case.
pub(super) const fn snake_length(name: &str) -> usize {
    let name = name.as_bytes();
    let (mut length, mut at) = (0, 0);
    while at < name.len() {
        length += 1 + begins_word(name, at) as usize;
        at += 1;
    }
    length
}

/// A name in snake case, from camel case.
pub(super) const fn snake_case<const LENGTH: usize>(name: &str) -> [u8; LENGTH] {
    let name = name.as_bytes();
    let (mut snake, mut length, mut at) = ([b'_'; LENGTH], 0, 0);
    while at < name.len() {
        length += begins_word(name, at) as usize;
        snake[length] = name[at].to_ascii_lowercase();
        length += 1;
        at += 1;
    }
    snake
}
