//! An experiment, point by point.

use super::metrics::Columns;
use super::until::Until;
use super::walk::{End, Host, Walk, Witness};
use crate::engine::{Backend, Engine};
use crate::model::{Observation, State};
use crate::scene::{Experiment, Scene, SceneError};
use std::fmt::Display;

/// Points that are looked at for one that has a scene.
const TRIED: usize = 1000;

/// A host that gives the simulation back for the next point.
pub trait SweepHost: Host {
    /// The simulation, unless a thread has been left alone with it.
    fn into_engine(self) -> Option<Engine>;

    /// Does it say that somebody asked to stop? Any other error is that of one point, and the others go on.
    fn is_stop(error: &Self::Error) -> bool;
}

/// An experiment whose points are run one after the other, in any order.
#[derive(Debug)]
pub struct Sweep {
    /// What is run.
    pub experiment: Experiment,
    /// The scene of the first point that has one.
    pub first: Scene,
    /// What each point must have.
    columns: Columns,
    /// The simulation of the point before: the next one takes its buffers and pipelines, as far as they fit.
    engine: Option<Engine>,
}

/// The rows of a point.
#[derive(Debug, Clone)]
pub struct Point {
    /// As texts, in the columns of the sweep. The last one says what ended the point.
    pub rows: Vec<Vec<String>>,
    /// Did it fail? Then its only row says why.
    pub failed: bool,
}

struct Rows {
    columns: Columns,
    dt: f32,
    rows: Vec<Vec<String>>,
}

impl<H: Host> Witness<H> for Rows {
    fn row(&mut self, step: u64, seen: &Observation) -> Result<(), H::Error> {
        self.rows.push(self.columns.row(step, self.dt, seen));
        Ok(())
    }
}

impl Sweep {
    /// The points of an experiment.
    ///
    /// # Errors
    /// A mistake that every point has: that of the first one, or of `until`.
    pub fn new(experiment: Experiment) -> Result<Sweep, SceneError> {
        let mut scenes = (0..experiment.points().min(TRIED)).map(|point| experiment.scene(point));
        let first = scenes.next().unwrap_or_else(|| Err(experiment.refused("vary", "has no points")));
        let first = first.or_else(|error| scenes.find_map(Result::ok).ok_or(error))?;
        until(&experiment, &first)?;
        Ok(Sweep { columns: Columns::of(&first), experiment, first, engine: None })
    }

    /// Names of all columns of its table.
    pub fn columns(&self) -> Vec<String> {
        let keys = self.experiment.keys().map(str::to_owned);
        let begin = std::iter::once("point".to_owned()).chain(keys);
        begin.chain(self.columns.names().to_vec()).chain(["ended", "error"].map(str::to_owned)).collect()
    }

    /// Those that hold numbers which are observed.
    pub fn observables(&self) -> impl Iterator<Item = &str> {
        self.columns.observables()
    }

    /// Run a point. What makes it fail is in its row, unless the others would fail too.
    ///
    /// # Errors
    /// A device that is lost, and that somebody asked to stop.
    pub fn point<H: SweepHost>(
        &mut self,
        point: usize,
        place: &Backend,
        host: impl FnOnce(Engine) -> H,
    ) -> Result<Point, H::Error>
    where
        H::Error: From<SceneError> + From<H::Stop> + Display,
    {
        let (mut rows, ended, error) = match self.run(point, place, host) {
            Ok((rows, ended)) => (rows, ended, String::new()),
            Err(error) if H::is_stop(&error) || is_lost(place) => return Err(error),
            Err(error) => {
                let none = vec![String::new(); self.columns.names().len()];
                (vec![none], "error", error.to_string().lines().next().unwrap_or_default().to_owned())
            }
        };
        let values: Vec<String> = self.experiment.values(point).iter().map(|given| given.shown.clone()).collect();
        let last = rows.len() - 1;
        for (index, row) in rows.iter_mut().enumerate() {
            row.splice(0..0, std::iter::once(point.to_string()).chain(values.iter().cloned()));
            row.extend(if index == last { [ended.to_owned(), error.clone()] } else { Default::default() });
        }
        Ok(Point { rows, failed: ended == "error" })
    }

    /// The rows of a point, and what ended it.
    fn run<H: SweepHost>(
        &mut self,
        point: usize,
        place: &Backend,
        host: impl FnOnce(Engine) -> H,
    ) -> Result<(Vec<Vec<String>>, &'static str), H::Error>
    where
        H::Error: From<SceneError> + From<H::Stop>,
    {
        let (scene, told) = (self.experiment.scene(point)?, &self.experiment);
        let columns = Columns::of(&scene);
        if columns != self.columns {
            return Err(told.refused("vary", "this point has other columns than the first").into());
        }
        // What goes on checks what it needs by itself, without reading the shaders once more.
        if !matches!(self.engine, Some(Engine::Gpu(_))) {
            place.check(&scene)?;
        }
        let engine = match self.engine.take() {
            Some(mut engine) => {
                engine.restart(&scene)?;
                engine
            }
            None => place.start(&scene, &State::initial(&scene))?,
        };
        let steps = u64::from(told.steps);
        let every = if told.metrics_every > 0 { u64::from(told.metrics_every) } else { steps.div_ceil(100) };
        let mut walk = Walk::new(host(engine), 0, steps, every);
        walk.burn_in = u64::from(told.burn_in);
        walk.until = until(told, &scene)?;
        let mut rows = Rows { columns, dt: scene.dt, rows: Vec::new() };
        let end = walk.go(&mut rows)?;
        self.engine = walk.host.into_engine();
        match end {
            End::Steps => Ok((rows.rows, "steps")),
            End::Until => Ok((rows.rows, "until")),
            End::Stop(stop) => Err(stop.into()),
        }
    }
}

/// What ends a point before.
fn until(experiment: &Experiment, scene: &Scene) -> Result<Option<Until>, SceneError> {
    let text = Some(&experiment.until).filter(|text| !text.is_empty());
    text.map(|text| Until::parse(text, scene).map_err(|reason| experiment.refused("until", reason))).transpose()
}

fn is_lost(place: &Backend) -> bool {
    matches!(place, Backend::Gpu(gpu, _) if gpu.check().is_err())
}
