//! The scenes that are shipped inside the library.

/// A shipped scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// The name by which it is opened.
    pub name: &'static str,
    /// Its TOML, ready to be saved and edited.
    pub text: &'static str,
}

/// Every shipped scene; the first is the default.
pub const PRESETS: &[Preset] = &[
    Preset { name: "murmuration", text: include_str!("../../assets/scenes/murmuration.toml") },
    Preset { name: "flock", text: include_str!("../../assets/scenes/flock.toml") },
    Preset { name: "wind", text: include_str!("../../assets/scenes/wind.toml") },
    Preset { name: "vicsek", text: include_str!("../../assets/scenes/vicsek.toml") },
    Preset { name: "topological", text: include_str!("../../assets/scenes/topological.toml") },
    Preset { name: "rivals", text: include_str!("../../assets/scenes/rivals.toml") },
    Preset { name: "crossing_crowds", text: include_str!("../../assets/scenes/crossing_crowds.toml") },
    Preset { name: "hawks", text: include_str!("../../assets/scenes/hawks.toml") },
    Preset { name: "wander", text: include_str!("../../assets/scenes/wander.toml") },
    Preset { name: "seek_and_flee", text: include_str!("../../assets/scenes/seek_and_flee.toml") },
    Preset { name: "arrive", text: include_str!("../../assets/scenes/arrive.toml") },
    Preset { name: "predator_and_prey", text: include_str!("../../assets/scenes/predator_and_prey.toml") },
    Preset { name: "bodyguards", text: include_str!("../../assets/scenes/bodyguards.toml") },
    Preset { name: "leader_following", text: include_str!("../../assets/scenes/leader_following.toml") },
    Preset { name: "offset_pursuit", text: include_str!("../../assets/scenes/offset_pursuit.toml") },
    Preset { name: "crowd", text: include_str!("../../assets/scenes/crowd.toml") },
    Preset { name: "explore", text: include_str!("../../assets/scenes/explore.toml") },
    Preset { name: "foraging_ants", text: include_str!("../../assets/scenes/foraging_ants.toml") },
    Preset { name: "priority", text: include_str!("../../assets/scenes/priority.toml") },
    Preset { name: "actions", text: include_str!("../../assets/scenes/actions.toml") },
    Preset { name: "traffic", text: include_str!("../../assets/scenes/traffic.toml") },
    Preset { name: "wall_following", text: include_str!("../../assets/scenes/wall_following.toml") },
    Preset { name: "obstacles", text: include_str!("../../assets/scenes/obstacles.toml") },
    Preset { name: "whiskers", text: include_str!("../../assets/scenes/whiskers.toml") },
    Preset { name: "garden_path", text: include_str!("../../assets/scenes/garden_path.toml") },
    Preset { name: "pens", text: include_str!("../../assets/scenes/pens.toml") },
    Preset { name: "locomotion", text: include_str!("../../assets/scenes/locomotion.toml") },
    Preset { name: "facing", text: include_str!("../../assets/scenes/facing.toml") },
    Preset { name: "fish_tank", text: include_str!("../../assets/scenes/fish_tank.toml") },
    Preset { name: "globe", text: include_str!("../../assets/scenes/globe.toml") },
    Preset { name: "hills", text: include_str!("../../assets/scenes/hills.toml") },
    Preset { name: "gulls", text: include_str!("../../assets/scenes/gulls.toml") },
    Preset { name: "wakes", text: include_str!("../../assets/scenes/wakes.toml") },
    Preset { name: "orbits", text: include_str!("../../assets/scenes/orbits.toml") },
    Preset { name: "flies", text: include_str!("../../assets/scenes/flies.toml") },
    Preset { name: "hounds", text: include_str!("../../assets/scenes/hounds.toml") },
    Preset { name: "consensus", text: include_str!("../../assets/scenes/consensus.toml") },
    Preset { name: "opensteer", text: include_str!("../../assets/scenes/opensteer.toml") },
    Preset { name: "nature_of_code", text: include_str!("../../assets/scenes/nature_of_code.toml") },
];
