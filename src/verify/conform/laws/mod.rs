//! The laws, one file for each group.

mod actions;
mod combination;
mod scheduling;
mod separation;
mod wander;

use super::{ConformError, Law, Run};
use crate::model::Memory;

/// Laws about one subject.
#[derive(Debug)]
pub struct Group {
    /// The file that they are in.
    pub name: &'static str,
    /// The laws.
    pub laws: &'static [Law],
}

/// Every law.
pub const GROUPS: &[Group] = &[
    Group { name: "actions", laws: actions::LAWS },
    Group { name: "combination", laws: combination::LAWS },
    Group { name: "scheduling", laws: scheduling::LAWS },
    Group { name: "separation", laws: separation::LAWS },
    Group { name: "wander", laws: wander::LAWS },
];

/// What each agent remembers, by id.
fn memories(run: &Run) -> Result<Vec<Memory>, ConformError> {
    let words = run.words("memory")?;
    let memories = words.chunks_exact(size_of::<Memory>() / 4);
    Ok(memories.map(|words| bytemuck::pod_read_unaligned(bytemuck::cast_slice(words))).collect())
}
