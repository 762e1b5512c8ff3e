//! The scenes that are shipped inside the library.

/// A shipped scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// The name by which it is opened.
    pub name: &'static str,
    /// Its TOML, ready to be saved and edited.
    pub text: &'static str,
}

/// Every shipped scene, as the build script finds them in `assets/scenes`; the first is the default.
pub const PRESETS: &[Preset] = include!(concat!(env!("OUT_DIR"), "/presets.rs"));
