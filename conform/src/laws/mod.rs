//! The laws, one file for each group. The list of groups is made from the files of this folder, by build.rs.

use super::Law;

/// Laws about one subject.
#[derive(Debug)]
pub struct Group {
    /// The file that they are in.
    pub name: &'static str,
    /// The laws.
    pub laws: &'static [Law],
}

/// The table of a group's laws, in entries of this shape. A law is tried by the function of its name, or `by` a function that
/// several share, with arguments of its own; `in both` stands for a function that is told whether the world is spatial, and is
/// tried in the plane and in space.
macro_rules! laws {
    (@check $name:ident) => { $name };
    (@check $name:ident both) => { |bench, draw| $crate::in_both(bench, draw, $name) };
    (@check $name:ident by $function:ident($($argument:expr),*)) => { |bench, draw| $function(bench, draw, $($argument),*) };
    (@check $name:ident both by $function:ident($($argument:expr),*)) => {
        |bench, draw| $crate::in_both(bench, draw, |bench, draw, spatial| $function(bench, draw, spatial, $($argument),*))
    };
    ($(
        $name:ident $(in $both:ident)? $(by $shared:ident($($argument:expr),*))?: $statement:expr,
            source: $source:expr,
            mutant: $function:ident($from:expr => $to:expr),
            mistake: $mistake:expr;
    )*) => {
        pub const LAWS: &[$crate::Law] = &[$($crate::Law {
            name: stringify!($name),
            statement: $statement,
            source: $source,
            mutant: $crate::Mutant { function: stringify!($function), from: $from, to: $to, mistake: $mistake },
            check: laws!(@check $name $($both)? $(by $shared($($argument),*))?),
        }),*];
    };
}

macro_rules! groups {
    ($($group:ident $path:literal)*) => {
        $(
            #[path = $path]
            mod $group;
        )*

        /// Every law, by groups.
        pub const GROUPS: &[Group] = &[$(Group { name: stringify!($group), laws: $group::LAWS }),*];
    };
}

include!(concat!(env!("OUT_DIR"), "/law_groups.rs"));
