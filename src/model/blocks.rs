//! The parameter blocks, as the shaders declare them: the build script writes them from `shaders/common` and
//! `shaders/behaviors`. The words come from the registry, [`crate::scene::BEHAVIORS`], in its order.

use crate::scene::{MOST_REMEMBERED, MOST_REMEMBERING};
use bytemuck::{Pod, Zeroable};

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
