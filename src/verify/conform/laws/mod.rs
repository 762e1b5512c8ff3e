//! The laws, one file for each group.

mod alignment;
mod boundary;
mod cohesion;
mod flow_field;
mod perception;
mod separation;
mod statistics;
mod symmetry;
mod vehicle;

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
pub const GROUPS: &[Group] = &[
    Group { name: "separation", laws: separation::LAWS },
    Group { name: "alignment", laws: alignment::LAWS },
    Group { name: "cohesion", laws: cohesion::LAWS },
    Group { name: "flow_field", laws: flow_field::LAWS },
    Group { name: "vehicle", laws: vehicle::LAWS },
    Group { name: "boundary", laws: boundary::LAWS },
    Group { name: "perception", laws: perception::LAWS },
    Group { name: "statistics", laws: statistics::LAWS },
    Group { name: "symmetry", laws: symmetry::LAWS },
];
