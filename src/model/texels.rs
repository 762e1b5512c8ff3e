//! How words lie in textures that shaders only read. Twin of `shaders/common/texels.wgsl`.

/// Texels in one row of a texture.
pub const TEXELS_PER_ROW: u32 = 4096;
/// Bits of a texel that hold a column of a map; as many bits above them hold the row.
pub const COLUMN_BITS: u32 = 13;
/// Mask of the column in a texel.
pub const COLUMN_MASK: u32 = (1 << COLUMN_BITS) - 1;
/// In a texel: is its cell a wall?
pub const WALL_BIT: u32 = 1 << 31;
