//! Action selection: when an agent changes its action state, and with it the behaviors that act.

use super::error::SceneError;
use super::keys;
use super::read::Section;
use super::target::{Names, Target, name_index, read_target};
use super::tree::{Kind, Node};

/// Most action states of a species.
pub const MAX_STATES: usize = 32;

/// One row of a species' table of action selection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActionRule {
    /// Bit s is set where the rule counts in state s.
    pub from: u32,
    /// Index of the state that it leads to.
    pub to: u32,
    /// What has to hold.
    pub when: Condition,
    /// What it is compared with: u, s or u/s.
    pub than: f32,
    /// Whose distance counts.
    pub target: Target,
    /// Does the agent put down what it carries?
    pub unloads: bool,
}

/// What has to hold for a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// The target is there and nearer than so many u.
    Nearer,
    /// The target is farther away than so many u, or there is none.
    Farther,
    /// The agent has been in its state for so many seconds.
    After,
    /// The flow field is faster here than so many u/s.
    FieldAbove,
    /// The flow field is slower here than so many u/s.
    FieldBelow,
    /// The agent carries at least so many units of a resource.
    LoadAbove,
}

/// Conditions in the order of their words.
const CONDITIONS: [Condition; 6] = [
    Condition::Nearer,
    Condition::Farther,
    Condition::After,
    Condition::FieldAbove,
    Condition::FieldBelow,
    Condition::LoadAbove,
];

/// Read the table of a species whose states have these names.
pub fn read_rules(species: &Section, states: &[String], names: &Names) -> Result<Vec<ActionRule>, SceneError> {
    let read = |section: &Section| {
        let (_, node) = section.text("to")?;
        let node = node.expect("a required key");
        let from = match section.entry("from") {
            Some(node) => read_states(section, "from", node, states)?,
            None => u32::MAX,
        };
        Ok(ActionRule {
            from,
            to: name_index(section, "to", node, states, "state")?,
            when: CONDITIONS[section.choice("when")?],
            than: section.number("than")?,
            target: match section.entry("target") {
                Some(node) => read_target(section, "target", node, names)?,
                None => Target::Mouse,
            },
            unloads: section.flag("unloads")?,
        })
    };
    species.tables("rules", keys::RULES, keys::MAX_RULES)?.iter().map(read).collect()
}

/// One name of a state, or a list of names, as bits.
pub fn read_states(section: &Section, key: &str, node: &Node, states: &[String]) -> Result<u32, SceneError> {
    let bit = |node: &Node| name_index(section, key, node, states, "state").map(|index| 1u32 << index);
    match &node.kind {
        Kind::List(nodes) => nodes.iter().try_fold(0, |mask, node| Ok(mask | bit(node)?)),
        _ => bit(node),
    }
}
