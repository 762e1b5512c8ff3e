//! The parameter blocks of the behaviors, as the shaders declare them: the build script writes them from
//! `shaders/behaviors`. The words come from the registry, [`crate::scene::BEHAVIORS`], in its order.

use bytemuck::{Pod, Zeroable};

/// Perception radius, field of view and the species that are perceived, as `vision.wgsl` compares them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)] // described where the shader declares them
pub struct Vision {
    pub radius_squared: f32,
    pub cosine: f32,
    pub species: u32,
}

/// What an agent heads for, as `target.wgsl` finds it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Target {
    pub kind: u32,
    pub index: u32,
    pub point: [f32; 3],
}

/// How a behavior takes part in the combination; the first member of every behavior's block.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Rule {
    pub weight: f32,
    pub floor: f32,
    pub priority: u32,
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
