//! What shaders of pictures take, as `shaders/render/frame.wgsl` declares it.

use bytemuck::{Pod, Zeroable};

include!(concat!(env!("OUT_DIR"), "/frame.rs"));
