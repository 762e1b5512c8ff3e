//! The known digests of presets, on which independent drivers with different compilers agree.

use crate::scene::{PRESETS, Scene};

/// The drivers that computed the known digests: Mesa's software driver, which compiles by LLVM, and Google's, by Subzero.
pub const DRIVERS: [&str; 2] = ["llvmpipe", "SwiftShader"];

/// `assets/digests.csv`, which `scripts/verified` writes.
pub const KNOWN: &str = include_str!("../../assets/digests.csv");

/// A row of [`KNOWN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known<'a> {
    /// Name of the preset.
    pub preset: &'a str,
    /// Number of agents, as of [`Scene::with_agents`].
    pub agents: u32,
    /// Steps from the preset's initial state.
    pub steps: u32,
    /// Seed of the preset.
    pub seed: u32,
    /// Digest of the state after them.
    pub digest: &'a str,
}

impl<'a> Known<'a> {
    /// The header line of the table: the names of a row's fields, in order.
    pub const HEAD: &'static str = "preset,agents,steps,seed,digest";

    /// The rows of a table such as [`KNOWN`].
    pub fn rows(table: &'a str) -> impl Iterator<Item = Known<'a>> {
        table.lines().skip(1).filter_map(|line| {
            let mut fields = line.split(',');
            Some(Known {
                preset: fields.next()?,
                agents: fields.next()?.parse().ok()?,
                steps: fields.next()?.parse().ok()?,
                seed: fields.next()?.parse().ok()?,
                digest: fields.next()?,
            })
        })
    }
}

impl std::fmt::Display for Known<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Known { preset, agents, steps, seed, digest } = self;
        write!(f, "{preset},{agents},{steps},{seed},{digest}")
    }
}

/// The known digest of this scene after `steps` steps from its initial state; `None` unless the scene is a preset in which nothing
/// is changed but the number of agents, and [`KNOWN`] has that number and these steps.
pub fn known_digest(scene: &Scene, steps: u32) -> Option<&'static str> {
    let numbers = |row: &Known| (row.agents, row.steps, row.seed) == (scene.agent_count(), steps, scene.seed);
    let row = Known::rows(KNOWN).find(|row| row.preset == scene.name && numbers(row))?;
    let preset = PRESETS.iter().find(|preset| preset.name == row.preset)?;
    let known = Scene::open(preset.name, &[]).and_then(|known| known.with_agents(row.agents)).ok()?;
    // Where a scene was read from does not affect its simulation.
    let known = known.with(|draft| draft.source = scene.source.clone());
    (known.ok()? == *scene).then_some(row.digest)
}
