//! The shaders that the program is built with.

/// Path below `shaders` and text of every file; the build script lists the folders.
pub const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));
