//! The structs that functions of `shaders/common` take and return: the build script writes them from there.

use glam::{Vec2, Vec3};

include!(concat!(env!("OUT_DIR"), "/structs.rs"));
