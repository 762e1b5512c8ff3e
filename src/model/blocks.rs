//! The parameter blocks, as the shaders declare them: the build script writes them from `shaders/common` and
//! `shaders/behaviors`. The words come from the registry, [`crate::scene::BEHAVIORS`], in its order.

use crate::scene::{MOST_REMEMBERED, MOST_REMEMBERING};
use bytemuck::{Pod, Zeroable};

/// How Rust lays a struct out that shaders have too.
#[derive(Debug)]
pub struct Block {
    /// Name of the struct.
    pub name: &'static str,
    /// Where a behavior's parameters lie in [`Behaviors`], bytes.
    pub offset: usize,
    /// Size, bytes.
    pub size: usize,
    /// Members with their offsets, bytes.
    pub members: &'static [(&'static str, usize)],
    /// A value of which all bits are 0, as `{:?}` shows it: the names and types of what is in it.
    pub zero: fn() -> String,
}

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));
