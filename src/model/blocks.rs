//! The parameter blocks, as the shaders declare them: the build script writes them from `shaders/common` and
//! `shaders/behaviors`. Behaviors are in the order of the registry, [`crate::scene::BEHAVIORS`].

use crate::scene::{MOST_REMEMBERED, MOST_REMEMBERING};
use bytemuck::{Pod, Zeroable};

/// How Rust lays out a struct that shaders have too.
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
    /// The `{:?}` text of a value whose bits are all 0: it shows the names and types of the members.
    pub zero: fn() -> String,
}

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));
