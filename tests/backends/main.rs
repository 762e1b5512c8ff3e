//! The GPU equals the reference to the bit: every stage, layout, limit and driver; and mistakes are found.

mod crowd;
mod default_limits;
mod drivers;
mod flags;
mod float_path;
mod hostile;
mod mutants;
mod nearest;
mod parity;
mod parts;
mod random_scenes;
mod stride;
mod vehicles;
mod world;
