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
/// tried in the plane and in space. A law that names no source has that of its group, which stands before the first.
macro_rules! laws {
    (source: $source:expr; $($entries:tt)*) => { laws!(@entries [$source] $($entries)*); };
    (@source [$group:expr]) => { $group };
    (@source $group:tt $own:expr) => { $own };
    (@check $name:ident) => { $name };
    (@check $name:ident both) => { |bench, draw| $crate::in_both(bench, draw, $name) };
    (@check $name:ident by $function:ident($($argument:expr),*)) => { |bench, draw| $function(bench, draw, $($argument),*) };
    (@check $name:ident both by $function:ident($($argument:expr),*)) => {
        |bench, draw| $crate::in_both(bench, draw, |bench, draw, spatial| $function(bench, draw, spatial, $($argument),*))
    };
    (@entries $group:tt $(
        $name:ident $(in $both:ident)? $(by $shared:ident($($argument:expr),*))?: $statement:expr,
            $(source: $source:expr,)?
            mutant: $function:ident($from:expr => $to:expr),
            mistake: $mistake:expr;
    )*) => {
        pub const LAWS: &[$crate::Law] = &[$($crate::Law {
            name: stringify!($name),
            statement: $statement,
            source: laws!(@source $group $($source)?),
            mutant: $crate::Mutant { function: stringify!($function), from: $from, to: $to, mistake: $mistake },
            check: laws!(@check $name $($both)? $(by $shared($($argument),*))?),
        }),*];
    };
    ($($entries:tt)*) => { laws!(@entries [] $($entries)*); };
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
