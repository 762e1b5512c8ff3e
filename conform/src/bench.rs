//! The bench that laws are tried on: a scene and a state, run on the CPU reference or on a GPU.

use super::flight::{Moment, flight, moments};
use super::law::{Case, Tried};
use super::reference::{Body, Facing};
use super::setup::{Nudge, Setup};
use super::vector::{V, wide};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;
pub use steerling::engine::{Backend, Engine as Run};
use steerling::gpu::{self, GpuError, Options, Pipelines};
use steerling::model::{BufferId, Event, ID_BITS, Memory, Pose, STAGES, StageId, State};
use steerling::scene::{Scene, SceneError};
use thiserror::Error;

/// Why a law is not tried to its end.
#[derive(Debug, Error)]
pub enum ConformError {
    /// A scene that is not valid or that the backend cannot run, or a device that failed.
    #[error(transparent)]
    Engine(#[from] GpuError),
    /// A case has failed on a bench that asks for no more.
    #[error("a case has failed, and no more are asked for")]
    Failed,
}

impl From<SceneError> for ConformError {
    fn from(error: SceneError) -> Self {
        GpuError::from(error).into()
    }
}

/// A backend, and the cases of one law.
pub struct Bench<'a> {
    backend: &'a Backend,
    nudge: Option<&'a Nudge<'a>>,
    /// Seed of the scenes whose law gives them none.
    seed: Cell<u32>,
    /// Does a case that fails end the trial?
    until_failed: bool,
    /// The latest pipelines, and whether they have the fused passes. They are used again, because most scenes of a law differ only in
    /// numbers, and making shaders takes longer than running them.
    pipelines: RefCell<VecDeque<(bool, Arc<Pipelines>)>>,
    cases: RefCell<Vec<Case>>,
}

impl<'a> Bench<'a> {
    /// A bench for one law.
    pub fn new(backend: &'a Backend) -> Self {
        let (seed, pipelines, cases) = (Cell::new(1), RefCell::default(), RefCell::default());
        Bench { backend, nudge: None, seed, until_failed: false, pipelines, cases }
    }

    /// This bench, which starts no more simulations once a case has failed.
    pub(super) fn until_failed(self) -> Self {
        Bench { until_failed: true, ..self }
    }

    /// Set the seed of the scenes that follow, unless their law gives them one.
    pub(super) fn reseed(&self, seed: u32) {
        self.seed.set(seed);
    }

    /// The scene of a setup as this bench runs it, but without the nudge, of which the law must not know.
    ///
    /// # Errors
    /// Lines that are not valid.
    pub fn scene(&self, setup: &Setup) -> Result<Scene, ConformError> {
        Ok(setup.nudged(self.seed.get(), None)?)
    }

    /// A bench that changes the scenes of a law without the law's knowing.
    pub fn nudged(backend: &'a Backend, nudge: &'a Nudge<'a>) -> Self {
        Bench { nudge: Some(nudge), ..Bench::new(backend) }
    }

    /// Record a case of the law, or several.
    pub fn check(&self, cases: impl IntoIterator<Item = Case>) {
        for case in cases {
            self.cases.borrow_mut().push(case);
        }
    }

    /// Record the last cases of a law.
    ///
    /// # Errors
    /// Never. It returns a result so that a law can end with this call.
    pub fn tried(&self, cases: impl IntoIterator<Item = Case>) -> Tried {
        self.check(cases);
        Ok(())
    }

    /// Try cases that share a world and whose agents do not meet. `case` adds the agents of one case and returns its check. When all are
    /// there, `measure` measures something, which all checks get.
    pub(crate) fn tries<I, T, C: FnOnce(&T)>(
        &self,
        mut setup: Setup,
        measure: impl FnOnce(&Setup) -> Result<T, ConformError>,
        cases: impl IntoIterator<Item = I>,
        mut case: impl FnMut(&mut Setup, I) -> C,
    ) -> Tried {
        let checks: Vec<C> = cases.into_iter().map(|index| case(&mut setup, index)).collect();
        let found = measure(&setup)?;
        checks.into_iter().for_each(|check| check(&found));
        Ok(())
    }

    /// As [`Bench::tries`]: a check gets the combined accelerations of all agents in the first step, by id.
    pub(crate) fn steers<I, C: FnOnce(&Vec<V>)>(
        &self,
        setup: Setup,
        cases: impl IntoIterator<Item = I>,
        case: impl FnMut(&mut Setup, I) -> C,
    ) -> Tried {
        self.tries(setup, |setup| Ok(self.steering(setup)?.accelerations), cases, case)
    }

    /// As [`Bench::tries`]: a check gets the number of neighbors that each agent perceives.
    pub(crate) fn perceives<I, C: FnOnce(&Vec<u32>)>(
        &self,
        setup: Setup,
        cases: impl IntoIterator<Item = I>,
        case: impl FnMut(&mut Setup, I) -> C,
    ) -> Tried {
        self.tries(setup, |setup| Ok(self.steering(setup)?.neighbors), cases, case)
    }

    /// As [`Bench::tries`]: a check gets all agents after so many steps.
    pub(crate) fn arrives<I, C: FnOnce(&Vec<Body>)>(
        &self,
        setup: Setup,
        steps: u32,
        cases: impl IntoIterator<Item = I>,
        case: impl FnMut(&mut Setup, I) -> C,
    ) -> Tried {
        self.tries(setup, |setup| self.after(setup, steps), cases, case)
    }

    /// As [`Bench::tries`]: a check gets all agents after each of so many steps, the start first.
    pub(crate) fn flies<I, C: FnOnce(&Vec<Vec<Body>>)>(
        &self,
        setup: Setup,
        steps: u32,
        cases: impl IntoIterator<Item = I>,
        case: impl FnMut(&mut Setup, I) -> C,
    ) -> Tried {
        self.tries(setup, |setup| flight(self, setup, steps), cases, case)
    }

    /// As [`Bench::tries`]: a check gets all agents, and how they are turned, after each of these numbers of steps.
    pub(crate) fn watches<I, C: FnOnce(&Vec<Moment>)>(
        &self,
        setup: Setup,
        steps: impl IntoIterator<Item = u32>,
        cases: impl IntoIterator<Item = I>,
        case: impl FnMut(&mut Setup, I) -> C,
    ) -> Tried {
        self.tries(setup, |setup| moments(self, setup, steps), cases, case)
    }

    /// As [`Bench::tries`]: for each of so many steps a check gets all agents before it, and what they remember after it.
    pub(crate) fn remembers<I, C: FnOnce(&Vec<(Vec<Body>, Vec<Memory>)>)>(
        &self,
        setup: Setup,
        steps: u32,
        cases: impl IntoIterator<Item = I>,
        case: impl FnMut(&mut Setup, I) -> C,
    ) -> Tried {
        let each_step = |setup: &Setup| {
            let mut run = self.start(setup)?;
            let mut step = |_| {
                let before = run.bodies()?;
                run.step(1)?;
                Ok((before, run.memories()?))
            };
            (0..steps).map(&mut step).collect()
        };
        self.tries(setup, each_step, cases, case)
    }

    /// As [`Bench::steers`], but each case returns the acceleration that one agent should have.
    pub(crate) fn wants<I, const N: usize>(
        &self,
        setup: Setup,
        cases: impl IntoIterator<Item = I>,
        case: impl FnMut(&mut Setup, I) -> Expectation<N>,
    ) -> Tried {
        self.expects(setup, |setup| Ok(self.steering(setup)?.accelerations), cases, case)
    }

    /// As [`Bench::wants`], for agents that the setup has already.
    pub(crate) fn wanted<const N: usize>(
        &self,
        setup: &Setup,
        expectations: impl IntoIterator<Item = Expectation<N>>,
    ) -> Tried {
        self.wants(setup.clone(), expectations, |_, expectation| expectation)
    }

    /// As [`Bench::wants`], but each case returns the angular acceleration that one agent should have, rad/s².
    pub(crate) fn turns<I, const N: usize>(
        &self,
        setup: Setup,
        cases: impl IntoIterator<Item = I>,
        case: impl FnMut(&mut Setup, I) -> Expectation<N>,
    ) -> Tried {
        self.expects(setup, |setup| Ok(self.steering(setup)?.turning), cases, case)
    }

    /// As [`Bench::wants`], but each case returns what one agent's position, velocity or another vector, chosen by `of`, should be after
    /// so many steps.
    pub(crate) fn ends<I, const N: usize>(
        &self,
        setup: Setup,
        steps: u32,
        of: fn(&Body) -> V,
        cases: impl IntoIterator<Item = I>,
        case: impl FnMut(&mut Setup, I) -> Expectation<N>,
    ) -> Tried {
        self.expects(setup, |setup| Ok(self.after(setup, steps)?.iter().map(of).collect()), cases, case)
    }

    /// As [`Bench::tries`], but each case returns the vector that `measure` should find of one agent.
    fn expects<I, const N: usize>(
        &self,
        setup: Setup,
        measure: impl FnOnce(&Setup) -> Result<Vec<V>, ConformError>,
        cases: impl IntoIterator<Item = I>,
        mut case: impl FnMut(&mut Setup, I) -> Expectation<N>,
    ) -> Tried {
        self.tries(setup, measure, cases, |setup, index| {
            let (id, parameters, expected, bound) = case(setup, index);
            move |found| self.check(Case::vector_within(&parameters, expected, found[id], bound))
        })
    }

    /// The cases that were noted.
    pub(super) fn into_cases(self) -> Vec<Case> {
        self.cases.into_inner()
    }

    /// A simulation that starts as set up.
    ///
    /// # Errors
    /// A scene that is not valid, or that the backend cannot run.
    pub fn start(&self, setup: &Setup) -> Result<Run, ConformError> {
        self.start_with(setup, true)
    }

    /// As [`Bench::start`]. `fused`: with the passes that only steps in a row run, which take as long to compile as all others together.
    fn start_with(&self, setup: &Setup, fused: bool) -> Result<Run, ConformError> {
        const KEPT: usize = 4;
        if self.until_failed && self.cases.borrow().iter().any(|case| !case.pass) {
            return Err(ConformError::Failed);
        }
        let scene = setup.nudged(self.seed.get(), self.nudge)?;
        let Backend::Gpu(gpu, options) = self.backend else { return Ok(self.backend.start(&scene, setup.state())?) };
        let mut kept = self.pipelines.borrow_mut();
        for (_, pipelines) in kept.iter().filter(|(has_fused, _)| *has_fused || !fused) {
            match gpu::Simulation::with_pipelines(gpu, &scene, setup.state(), pipelines.clone()) {
                Err(GpuError::OtherPipelines { .. }) => {}
                made => return Ok(Run::Gpu(Box::new(made?))),
            }
        }
        let options = Options { stride: options.stride && fused, ..options.as_ref().clone() };
        let simulation = gpu::Simulation::new(gpu, &scene, setup.state(), options)?;
        kept.push_front((fused, simulation.pipelines().clone()));
        kept.truncate(KEPT);
        Ok(Run::Gpu(Box::new(simulation)))
    }

    /// A simulation that has run so many steps.
    ///
    /// # Errors
    /// As [`Bench::start`], and a device that fails.
    pub fn run(&self, setup: &Setup, steps: u32) -> Result<Run, ConformError> {
        let mut run = self.start(setup)?;
        run.step(steps)?;
        Ok(run)
    }

    /// A simulation that has run so many steps, and the events of these, in their order.
    pub(crate) fn eventful(&self, setup: &Setup, steps: u32) -> Result<(Run, Vec<Event>), ConformError> {
        let mut run = self.start(setup)?;
        run.list_events()?;
        run.step(steps)?;
        let events = run.take_events()?.list;
        Ok((run, events))
    }

    /// All agents after so many steps, by id.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn after(&self, setup: &Setup, steps: u32) -> Result<Vec<Body>, ConformError> {
        self.run(setup, steps)?.bodies()
    }

    /// How all agents steer in the first step, before the force limit.
    ///
    /// # Errors
    /// As [`Bench::after`].
    pub fn steering(&self, setup: &Setup) -> Result<Steering, ConformError> {
        self.start_with(setup, false)?.steering()
    }
}

/// The position of an agent, for [`Bench::ends`].
pub(crate) const PLACE: fn(&Body) -> V = |body| body.position;
/// The velocity of an agent, for [`Bench::ends`].
pub(crate) const VELOCITY: fn(&Body) -> V = |body| body.velocity;

/// What a case expects of an agent: its id, the parameters that a report shows, the vector, such as its acceleration in the first
/// step, u/s², and how far that may be off, in the same unit.
pub(crate) type Expectation<const N: usize> = (usize, [(&'static str, f64); N], V, f64);

/// How agents steer in one step, by id.
#[derive(Debug, Clone)]
pub struct Steering {
    /// The combined acceleration before the force limit, u/s².
    pub accelerations: Vec<V>,
    /// Number of neighbors that at least one behavior perceives.
    pub neighbors: Vec<u32>,
    /// The angular acceleration of agents with angular behaviors, rad/s²; empty where the scene has none.
    pub turning: Vec<V>,
}

/// What a law measures of a simulation.
pub trait Measured: Sized {
    /// What each agent remembers, by id.
    ///
    /// # Errors
    /// A device that failed.
    fn memories(&self) -> Result<Vec<Memory>, ConformError>;

    /// The poses of all agents, by id, in scenes whose agents keep them.
    ///
    /// # Errors
    /// A device that failed.
    fn poses(&self) -> Result<Vec<Facing>, ConformError>;

    /// The angular acceleration of each agent in the latest step in which it steered, rad/s², by id, in scenes with angular behaviors.
    ///
    /// # Errors
    /// A device that failed.
    fn turnings(&self) -> Result<Vec<V>, ConformError>;

    /// All agents, by id.
    ///
    /// # Errors
    /// A device that failed.
    fn bodies(&self) -> Result<Vec<Body>, ConformError>;

    /// How all agents steer in the next step.
    ///
    /// # Errors
    /// A device that failed.
    fn steering(self) -> Result<Steering, ConformError>;
}

impl Measured for Run {
    fn memories(&self) -> Result<Vec<Memory>, ConformError> {
        Ok(self.model().memories(&self.words(BufferId::Memory)?))
    }

    fn poses(&self) -> Result<Vec<Facing>, ConformError> {
        Ok(poses_of(&self.state()?))
    }

    fn turnings(&self) -> Result<Vec<V>, ConformError> {
        Ok(self.memories()?.into_iter().map(|memory| memory.behaviors.turning.map(f64::from)).collect())
    }

    fn bodies(&self) -> Result<Vec<Body>, ConformError> {
        Ok(bodies_of(&self.state()?))
    }

    fn steering(mut self) -> Result<Steering, ConformError> {
        for stage in STAGES.iter().take_while(|stage| stage.id != StageId::Integrate) {
            self.run_stage(stage.id)?;
        }
        let model = self.model();
        let turning = if model.features.turns { self.turnings()? } else { Vec::new() };
        let ids: Vec<usize> = self.words(BufferId::SortedId)?.iter().map(|id| (id & ID_BITS) as usize).collect();
        let mut neighbors = vec![0; ids.len()];
        self.words(BufferId::Neighbors)?.iter().zip(&ids).for_each(|(count, id)| neighbors[*id] = *count);
        let accelerations = by_id(&self.words(BufferId::Acceleration)?, model.components(), &ids);
        Ok(Steering { accelerations, neighbors, turning })
    }
}

/// All agents of a state, by id.
pub(crate) fn bodies_of(state: &State) -> Vec<Body> {
    let both = state.positions.iter().zip(&state.velocities);
    both.map(|(p, v)| Body::at(wide(*p)).moving(wide(*v))).collect()
}

/// How all agents of a state are turned, by id.
pub(crate) fn poses_of(state: &State) -> Vec<Facing> {
    let facing = |pose: &Pose| Facing { forward: wide(pose.forward), up: wide(pose.up), spin: wide(pose.spin) };
    state.poses.iter().map(facing).collect()
}

/// Vectors from words of f32, put into the order of ids; `ids` has the id of each as they lie in `words`.
fn by_id(words: &[u32], components: usize, ids: &[usize]) -> Vec<V> {
    let mut vectors = vec![[0.0; 3]; words.len() / components];
    for (words, id) in words.chunks_exact(components).zip(ids) {
        vectors[*id] = [0, 1, 2].map(|axis| words.get(axis).map_or(0.0, |word| f64::from(f32::from_bits(*word))));
    }
    vectors
}
