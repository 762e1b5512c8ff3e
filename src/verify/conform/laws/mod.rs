//! The laws, one file for each group.

mod separation;
mod wander;

use super::Law;

/// Laws about one subject.
#[derive(Debug)]
pub struct Group {
    /// The file that they are in.
    pub name: &'static str,
    /// The laws.
    pub laws: &'static [Law],
}

/// Every law.
pub const GROUPS: &[Group] =
    &[Group { name: "separation", laws: separation::LAWS }, Group { name: "wander", laws: wander::LAWS }];
