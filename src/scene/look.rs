//! What a picture shows, and how.

use super::{Color, Draft, Species};
use glam::Vec3;

table! {
    /// Where the picture is taken from. The camera frames the world; these adjust it.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Camera {
        /// Point at the center of the picture.
        pub center: Vec3 = place(),
        /// 1 frames the whole world, 2 shows half of its height.
        pub zoom: f32 = number("", 1e-3, 1e6, 1.0),
        /// Rotation about the vertical axis, in spatial worlds.
        pub yaw: f32 = number("deg", -360.0, 360.0, 30.0),
        /// Elevation above the horizontal, in spatial worlds; below zero it looks up.
        pub pitch: f32 = number("deg", -90.0, 90.0, 20.0),
        /// True where it follows the agents in place of the world, in spatial worlds: they fill two thirds of the picture.
        pub follow: bool = flag(),
        /// How fast it goes around, in spatial worlds.
        pub turn: f32 = number("deg/s", -360.0, 360.0, 0.0),
    }
}

table! {
    /// How the picture looks.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Look {
        /// The sky, the ink, and whether agents are light or dark: night, dusk, day, ink on paper, or the deep sea.
        pub name: LookName = choice(LookName::WORDS),
        /// What the color of all agents tells, in place of what their species say. Own: as the species say; heading, speed, species, state,
        /// winner: as the key `color` of a species; neighbors: how many agents at least one behavior perceives; density: agents around that
        /// can be perceived (world.crowd), per area or volume; force: steering, as a share of the largest that is allowed; depth: how near
        /// to the camera; error: how far the GPU's step differs from the CPU reference's step from the same state, as a share of max_speed.
        /// Neighbors, density, force and error are of the latest step. Divergence: how far from the agent of the same id in the other run
        /// that the window shows; without another run all have the lowest color.
        pub color: ColorBy = choice(ColorBy::WORDS),
        /// What a flat world is painted as under its agents, muted, so that they stand out: plain, grass, water, sand, or tiles.
        pub pattern: Pattern = choice(Pattern::WORDS),
        /// Time in which half of what agents leave behind in pictures has faded; 0: they leave nothing. A picture shows what earlier ones
        /// left, in the window, in films and where `render` makes several; a ground that fills the world hides it.
        pub afterglow: f32 = number("s", 0.0, 60.0, 0.0),
    }
}

words! {
    /// What the color of all agents tells.
    pub enum ColorBy {
        /// What their species say.
        Own = "own",
        /// The direction of flight.
        Heading = "heading",
        /// Speed, between the least and the greatest of the species.
        Speed = "speed",
        /// The species.
        Species = "species",
        /// The action state.
        State = "state",
        /// The priority that decided in the latest step.
        Winner = "winner",
        /// Neighbors that at least one behavior perceived when the agent last steered.
        Neighbors = "neighbors",
        /// Agents per area or volume around, as the latest step began.
        Density = "density",
        /// Length of the steering, as a share of the largest that the species allows.
        Force = "force",
        /// How near to the camera.
        Depth = "depth",
        /// How far the latest step of the GPU is off that of the CPU reference from the same state.
        Error = "error",
        /// How far from the agent of the same id in the run that the window shows beside it.
        Divergence = "divergence",
    }
}

impl ColorBy {
    /// Does it tell agents of this scene apart, in another way than their own colors do?
    pub fn tells(self, scene: &Draft) -> bool {
        let any = |has: fn(&Species) -> bool| scene.species.iter().any(has);
        match self {
            ColorBy::Own | ColorBy::Force | ColorBy::Error => true,
            ColorBy::Heading => any(|species| species.color != Color::Heading),
            ColorBy::Speed => any(|species| species.color != Color::Speed && species.max_speed > species.min_speed),
            ColorBy::Species => scene.species.len() > 1 && any(|species| species.color != Color::Species),
            ColorBy::State => any(|species| species.color != Color::State && !species.rules.is_empty()),
            ColorBy::Winner => any(|species| species.color != Color::Winner && species.combine.decides()),
            ColorBy::Neighbors | ColorBy::Density => any(|species| species.perception_radius() > 0.0),
            ColorBy::Depth => scene.world.spatial,
            // Only beside another run in the window.
            ColorBy::Divergence => false,
        }
    }

    /// The next coloring that tells something of this scene, and after the last the first. `Error` is left out, because the reference has
    /// to compute steps for it: it is used only where it is chosen by name.
    pub fn next(self, scene: &Draft) -> ColorBy {
        let at = ColorBy::ALL.iter().position(|by| *by == self).unwrap_or(0);
        let mut following = ColorBy::ALL.iter().cycle().skip(at + 1);
        let wanted = |by: &&ColorBy| **by == self || (**by != ColorBy::Error && by.tells(scene));
        following.find(wanted).copied().unwrap_or_default()
    }
}

words! {
    /// What a flat world is painted as.
    pub enum Pattern {
        /// The sky of the look alone.
        Plain = "plain",
        /// Tufts, lighter and darker.
        Grass = "grass",
        /// Crossing waves.
        Water = "water",
        /// Ripples and grains.
        Sand = "sand",
        /// Squares with joints between them.
        Tiles = "tiles",
    }
}

words! {
    /// The looks.
    pub enum LookName {
        /// Light on a dark ground, in a box of faint lines.
        Night = "night",
        /// Dark against an evening sky, over a low horizon.
        Dusk = "dusk",
        /// Dark against a bright sky.
        Day = "day",
        /// Ink on paper.
        Ink = "ink",
        /// Pale in deep water.
        Deep = "deep",
    }
}

impl LookName {
    /// The next look, and after the last the first.
    pub fn next(self) -> LookName {
        let at = LookName::ALL.iter().position(|look| *look == self).unwrap_or(0);
        LookName::ALL[(at + 1) % LookName::ALL.len()]
    }
}
