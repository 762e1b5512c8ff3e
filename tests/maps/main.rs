//! Maps: files and formulas, walls and how far they are, the ways through them, and what strokes change; on both backends, to the bit.

mod cities;
mod out_of_walls;
mod strokes;
mod walls;
mod ways;
