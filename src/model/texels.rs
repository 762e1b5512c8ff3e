//! How words lie in textures that shaders only read. Twin of `shaders/common/texels.wgsl`.

pub use crate::constants::{COLUMN_BITS, COLUMN_MASK, TEXELS_PER_ROW, WALL_BIT};
