//! Pipelines that a device has made before.

use super::precise::Words;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The latest pipelines of a device, by their SPIR-V: most passes of a scene are also those of another, or of the same with a
/// behavior more, and drivers take long to compile.
#[derive(Default)]
pub(super) struct Compiled(Mutex<VecDeque<(Words, Made)>>);

/// What the SPIR-V of an entry point decides.
pub(super) type Made = (wgpu::ComputePipeline, wgpu::BindGroupLayout);

impl Compiled {
    /// Number of pipelines that are kept at most, enough for three scenes or more.
    const MOST: usize = 48;

    fn latest(&self) -> MutexGuard<'_, VecDeque<(Words, Made)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn find(&self, words: &Words) -> Option<Made> {
        let mut latest = self.latest();
        let found = latest.iter().position(|(known, _)| known == words)?;
        let entry = latest.remove(found)?;
        let made = entry.1.clone();
        latest.push_front(entry);
        Some(made)
    }

    pub fn keep(&self, words: Words, made: Made) {
        let mut latest = self.latest();
        latest.push_front((words, made));
        latest.truncate(Compiled::MOST);
    }
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Compiled")
    }
}

#[cfg(test)]
mod tests {
    use crate::gpu::{AdapterChoice, Gpu, Options, Simulation};
    use crate::model::State;
    use crate::scene::Scene;

    /// Passes that a second scene shares with the first are not made again; passes that differ are.
    #[test]
    fn equal_passes_are_made_once() {
        let gpu = Gpu::open(&AdapterChoice::Best).unwrap();
        let count = || gpu.compiled.latest().len();
        let made = |scene: &Scene| {
            let before = count();
            let simulation = Simulation::new(&gpu, scene, &State::initial(scene), Options::default()).unwrap();
            (simulation.pipelines().passes.len(), count() - before)
        };
        let scene = Scene::open("flock", &[]).unwrap().with_agents(100).unwrap();
        let slower = scene.edit(|draft| draft.species[0].set("separation", "weight", 0.0)).unwrap();
        let (passes, first) = made(&scene);
        // Where floats are not computed as written there is no SPIR-V to know them by.
        assert_eq!(first >= passes && passes > 6, gpu.exact, "{first} of {passes}");
        assert_eq!(made(&scene).1, 0);
        let (_, changed) = made(&slower);
        assert_eq!((1..=3).contains(&changed), gpu.exact, "{changed} passes of {passes}");
    }
}
