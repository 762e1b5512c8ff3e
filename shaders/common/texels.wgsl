// How words lie in textures that shaders only read.

// One after the other, in rows of so many texels.
const TEXELS_PER_ROW = 4096u;

// Of the nearest walls of a map: a column, above it a row, and is the cell itself a wall?
const COLUMN_BITS = 13u;
const COLUMN_MASK = 0x1fffu;
const WALL_BIT = 0x80000000u;
