//! The laws, one file for each group.

mod actions;
mod alignment;
mod arrive;
mod avoidance;
mod boundary;
mod cohesion;
mod combination;
mod containment;
mod dialects;
mod flight;
mod flow_field;
mod following;
mod forms;
mod global_alignment;
mod ground;
mod interpose;
mod kinematic;
mod locomotion;
mod obstacles;
mod orientation;
mod paths;
mod perception;
mod pursuit;
mod scenery;
mod scheduling;
mod seek;
mod separation;
mod statistics;
mod symmetry;
mod targets;
mod turning;
mod vehicle;
mod vicsek;
mod walker;
mod walls;
mod wander;
mod waypoints;

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

macro_rules! groups {
    ($($group:ident)*) => {
        /// Every law.
        pub const GROUPS: &[Group] = &[$(Group { name: stringify!($group), laws: $group::LAWS }),*];
    };
}

groups! {
    actions
    alignment
    arrive
    avoidance
    boundary
    cohesion
    combination
    containment
    dialects
    flow_field
    following
    forms
    global_alignment
    ground
    interpose
    kinematic
    locomotion
    obstacles
    orientation
    paths
    perception
    pursuit
    scheduling
    seek
    separation
    statistics
    symmetry
    targets
    turning
    vehicle
    vicsek
    walls
    wander
    waypoints
}

/// What each agent remembers, by id.
fn memories(run: &Run) -> Result<Vec<Memory>, ConformError> {
    let (words, model) = (run.words("memory")?, run.model());
    Ok(words.chunks_exact(model.memory_size()).map(|words| model.memory_of(words)).collect())
}
