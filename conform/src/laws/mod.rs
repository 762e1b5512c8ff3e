//! The laws, one file for each group. The list of groups is made from the files of this folder, by build.rs.

use super::{ConformError, Law, Run};
use steerling::model::{BufferId, Memory};

/// Laws about one subject.
#[derive(Debug)]
pub struct Group {
    /// The file that they are in.
    pub name: &'static str,
    /// The laws.
    pub laws: &'static [Law],
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

/// What each agent remembers, by id.
fn memories(run: &Run) -> Result<Vec<Memory>, ConformError> {
    Ok(run.model().memories(&run.words(BufferId::Memory)?))
}
