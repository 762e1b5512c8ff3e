//! The parameter blocks of the behaviors, as the shaders declare them: the build script writes them from
//! `shaders/behaviors`. The words come from the registry, [`crate::scene::BEHAVIORS`], in its order.

use bytemuck::{Pod, Zeroable};

/// Perception radius, field of view and the species that are perceived, as `vision.wgsl` compares them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct Vision {
    /// Squared perception radius, u²; negative for a species that does not use the behavior.
    pub radius_squared: f32,
    /// Cosine of half the field of view; -2 for 360 degrees.
    pub cosine: f32,
    /// Bit s is set where species s is perceived.
    pub species: u32,
}

/// What an agent heads for, as `target.wgsl` finds it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct Target {
    /// 0 a point, 1 an agent, 2 the nearest of a query, 3 a leader, 4 a path, 5 the field, 6 the mouse.
    pub kind: u32,
    /// Agent, query, species or path.
    pub index: u32,
    /// Where a point is, u.
    pub point: [f32; 3],
}

/// How a behavior takes part in the combination; the first member of every behavior's block.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct Rule {
    /// Turns the behavior's output into u/s²; 0 for a species that does not use the behavior.
    pub weight: f32,
    /// A shorter acceleration counts as this long where accelerations are normalized, u/s².
    pub floor: f32,
    /// 0 to 7; 0 is heard first.
    pub priority: u32,
    /// Bit s is set where the behavior acts in action state s.
    pub states: u32,
}

/// Name, place, size and members of a behavior's parameter block.
#[derive(Debug)]
pub struct Block {
    /// Name of the struct.
    pub name: &'static str,
    /// Where it lies in [`Behaviors`], bytes.
    pub offset: usize,
    /// Size, bytes.
    pub size: usize,
    /// Members with their offsets, bytes.
    pub members: &'static [(&'static str, usize)],
}

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));
