//! The parameter blocks of render shaders, generated from `shaders/render/frame.wgsl`.

use bytemuck::{Pod, Zeroable};

include!(concat!(env!("OUT_DIR"), "/frame.rs"));
