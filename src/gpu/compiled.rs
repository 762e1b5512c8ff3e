//! A cache of the pipelines that a device has made.

use super::precise::Words;
use crate::lock::lock;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// The latest pipelines of a device, by their SPIR-V. Most passes of a scene are also passes of another scene, or of the same
/// with one more behavior, and drivers take long to compile.
#[derive(Default)]
pub(super) struct Compiled(Mutex<VecDeque<Arc<CachedPass>>>);

/// Everything that follows from the SPIR-V of an entry point. The pipeline is made when it is first needed.
pub(super) struct CachedPass {
    /// The SPIR-V. `None` if wgpu translates the module itself; then `pipeline` is set from the start.
    pub words: Option<Words>,
    pub layout: wgpu::BindGroupLayout,
    pub pipeline: OnceLock<wgpu::ComputePipeline>,
}

impl Compiled {
    /// The most pipelines that are kept, enough for three scenes or more.
    const MOST: usize = 48;

    fn latest(&self) -> MutexGuard<'_, VecDeque<Arc<CachedPass>>> {
        lock(&self.0)
    }

    /// The cached entry for this SPIR-V, or a new one with this layout, which is cached from now on.
    pub fn of(&self, words: Words, layout: wgpu::BindGroupLayout) -> Arc<CachedPass> {
        let mut latest = self.latest();
        let words = Some(words);
        let found = latest.iter().position(|known| known.words == words).and_then(|found| latest.remove(found));
        let cached = found.unwrap_or_else(|| Arc::new(CachedPass { words, layout, pipeline: OnceLock::new() }));
        latest.push_front(cached.clone());
        latest.truncate(Compiled::MOST);
        cached
    }
}

impl std::fmt::Debug for CachedPass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CachedPass")
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
    use crate::model::{StageId, State};
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
        // On a device that is not exact there is no SPIR-V, so nothing is cached.
        assert_eq!(first >= passes && passes > 6, gpu.exact, "{first} of {passes}");
        assert_eq!(made(&scene).1, 0);
        let (_, changed) = made(&slower);
        assert_eq!((1..=3).contains(&changed), gpu.exact, "{changed} passes of {passes}");
    }

    /// Drivers compile what a run needs. The passes that a fused pass replaces are compiled at first use.
    #[test]
    fn passes_are_compiled_when_they_are_wanted() {
        let gpu = Gpu::open(&AdapterChoice::Best).unwrap();
        let scene = Scene::open("flock", &[]).unwrap().with_agents(100).unwrap();
        let mut simulation = Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default()).unwrap();
        let waiting = |simulation: &Simulation| {
            let waits = |pass: &&crate::gpu::pipelines::Pass| !pass.is_compiled();
            simulation.pipelines().passes.iter().filter(waits).map(|pass| pass.name).collect::<Vec<_>>()
        };
        simulation.step(3).unwrap();
        let names = waiting(&simulation);
        assert_eq!(names.contains(&"steer") && names.contains(&"integrate"), simulation.pipelines().strides());
        assert!(!names.contains(&"stride"), "{names:?}");
        simulation.run_stage(StageId::Steer).unwrap();
        assert!(!waiting(&simulation).contains(&"steer"));
        simulation.pipelines().make_all().unwrap();
        assert!(waiting(&simulation).is_empty());
    }
}
