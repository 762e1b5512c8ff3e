//! The worlds that a benchmark runs.

use crate::cli::Failure;
use steerling::scene::{Override, Scene, nearest};

/// A world of the suite.
#[derive(Debug, Clone, Copy)]
pub struct World {
    /// Name of the file in `assets/benchmarks`. Presets are not used as benchmarks, because they are retuned.
    pub name: &'static str,
    text: &'static str,
    /// Steps until its flocks have formed; 0 where none do.
    pub flocked_after: u32,
    /// Set for a world of fixed size, where the work grows faster than the number of agents: the most agents that are run by default.
    most: Option<u32>,
}

macro_rules! own {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../assets/benchmarks/", $name, ".toml")))
    };
}

const fn world((name, text): (&'static str, &'static str), flocked_after: u32) -> World {
    World { name, text, flocked_after, most: None }
}

/// All worlds.
pub const SUITE: &[World] = &[
    world(own!("flock"), 1000),
    world(own!("murmuration"), 600),
    world(own!("bw_2d"), 1000),
    world(own!("bw_3d"), 300),
    world(own!("fg_2d"), 1000),
    world(own!("circ_3d"), 200),
    world(own!("up_3d"), 1000),
    World { most: Some(262_144), ..world(own!("one_cell"), 0) },
];

impl World {
    /// The worlds of these names, or all.
    pub fn select(names: &[String]) -> Result<Vec<World>, Failure> {
        let find = |name: &String| {
            let known = SUITE.iter().map(|world| world.name).collect::<Vec<_>>();
            let hint = || nearest(name, &known).map_or(String::new(), |name| format!("; did you mean `{name}`?"));
            let unknown = || Failure::Usage(format!("there is no benchmark `{name}`{}; --list shows them", hint()));
            SUITE.iter().find(|world| world.name == *name).copied().ok_or_else(unknown)
        };
        if names.is_empty() { Ok(SUITE.to_vec()) } else { names.iter().map(find).collect() }
    }

    /// Is this number of agents run by default?
    pub fn runs_unasked(&self, agents: u32) -> bool {
        self.most.is_none_or(|most| agents <= most)
    }

    /// The world with this number of agents, at its own density.
    pub fn scene(&self, agents: u32, seed: u32) -> Result<Scene, Failure> {
        let mut overrides: Vec<Override> = vec![format!("seed={seed}").parse()?];
        if self.most.is_some() {
            overrides.push(format!("species.0.count={agents}").parse()?);
        }
        let scene = Scene::parse(self.text, self.name, &overrides)?;
        Ok(if self.most.is_some() { scene } else { scene.with_agents(agents)? })
    }

    /// What it shows, in a sentence.
    pub fn shows(&self) -> Result<String, Failure> {
        Ok(self.scene(4096, 1)?.shows.clone())
    }
}
