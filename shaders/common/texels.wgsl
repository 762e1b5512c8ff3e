// How words lie in textures that shaders only read.

// They lie one after the other, in rows of this many texels.
const TEXELS_PER_ROW = 4096u;

// A word of the nearest walls of a map: in the lower bits the column of the nearest cell of the other kind, above it
// the row, and a bit that is set if the cell itself is a wall.
const COLUMN_BITS = 13u;
const COLUMN_MASK = 0x1fffu; // Mask of the column in a texel.
const WALL_BIT = 0x80000000u; // In a texel: is its cell a wall?
