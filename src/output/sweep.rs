//! Runs an experiment, point by point.

use super::metrics::Columns;
use super::until::Until;
use super::walk::{End, Host, Walk, Witness, next_batch};
use crate::engine::{Backend, Engine};
use crate::gpu::{GpuError, Worlds};
use crate::model::{Observation, State};
use crate::scene::{Experiment, Scene, SceneError};
use std::fmt::Display;
use std::ops::Range;
use std::time::Instant;

/// The most points that are tried to find the first one with a valid scene.
const TRIED: usize = 1000;

/// A host that gives the simulation back for the next point.
pub trait SweepHost: Host {
    /// The simulation; `None` if an abandoned thread still holds it.
    fn into_engine(self) -> Option<Engine>;

    /// Is the error a request to stop? Any other error ends one point, and the sweep goes on.
    fn is_stop(error: &Self::Error) -> bool;
}

/// The most worlds that run side by side by default. With more of them, more work is lost when the program is killed.
const SIDE_BY_SIDE: usize = 64;
/// As [`SIDE_BY_SIDE`], on a software adapter: this many keep all cores busy (docs/performance.md).
const SIDE_BY_SIDE_ON_CPU: usize = 16;
/// The most agents of all worlds side by side together. A world of more than half of that runs alone: it keeps a device busy by itself.
const AGENTS_TOGETHER: u32 = 1 << 17;

/// An experiment whose points are run one after the other, in any order, or some side by side.
#[derive(Debug)]
pub struct Sweep {
    /// The experiment.
    pub experiment: Experiment,
    /// The scene of the first point that has one.
    pub first: Scene,
    /// The columns that each point must have.
    columns: Columns,
    /// The simulation of the previous point. The next point reuses its buffers and pipelines, as far as they fit.
    engine: Option<Engine>,
    /// Points before this one run alone: side by side is not tried for them.
    alone_before: usize,
    /// How many points run alone before side by side is tried again: twice as many after each refusal, because a try is slow.
    patience: usize,
}

/// The rows of a point, and what ended it.
type Ended = (Vec<Vec<String>>, &'static str);

/// The rows of a point.
#[derive(Debug, Clone)]
pub struct Point {
    /// The rows as texts, in the columns of the sweep. The last row says what ended the point.
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
    /// A sweep over the points of an experiment.
    ///
    /// # Errors
    /// The mistake of the first point, if no point that was tried has a valid scene, or a mistake in `until`.
    pub fn new(experiment: Experiment) -> Result<Sweep, SceneError> {
        let mut scenes = (0..experiment.points().min(TRIED)).map(|point| experiment.scene(point));
        let first = scenes.next().unwrap_or_else(|| Err(experiment.refused("vary", "has no points")));
        let first = first.or_else(|error| scenes.find_map(Result::ok).ok_or(error))?;
        until(&experiment, &first)?;
        Ok(Sweep { columns: Columns::of(&first), experiment, first, engine: None, alone_before: 0, patience: 1 })
    }

    /// Names of all columns of the sweep's table.
    pub fn columns(&self) -> Vec<String> {
        let keys = self.experiment.keys().map(str::to_owned);
        let begin = std::iter::once("point".to_owned()).chain(keys);
        begin.chain(self.columns.names().to_vec()).chain(["ended", "error"].map(str::to_owned)).collect()
    }

    /// The columns of observed numbers.
    pub fn observables(&self) -> impl Iterator<Item = &str> {
        self.columns.observables()
    }

    /// Does this column count from the beginning of a run?
    pub fn is_cumulative(&self, column: &str) -> bool {
        self.columns.is_cumulative(column)
    }

    /// Run a point. If it fails, its row has the error, unless all other points would fail too.
    ///
    /// # Errors
    /// A device that is lost, or a request to stop.
    pub fn point<H: SweepHost>(
        &mut self,
        point: usize,
        place: &Backend,
        host: impl FnOnce(Engine) -> H,
    ) -> Result<Point, H::Error>
    where
        H::Error: From<SceneError> + From<H::Stop> + Display,
    {
        let (ended, error) = match self.run(point, place, host) {
            Ok(ended) => (ended, String::new()),
            Err(error) if H::is_stop(&error) || is_lost(place) => return Err(error),
            Err(error) => {
                let none = vec![String::new(); self.columns.names().len()];
                ((vec![none], "error"), error.to_string().lines().next().unwrap_or_default().to_owned())
            }
        };
        Ok(self.finished(point, ended, &error))
    }

    /// The complete rows of a point: its number and values in front, and in the last row what ended it.
    fn finished(&self, point: usize, (mut rows, ended): Ended, error: &str) -> Point {
        let values: Vec<String> = self.experiment.values(point).iter().map(|given| given.shown.clone()).collect();
        let last = rows.len() - 1;
        for (index, row) in rows.iter_mut().enumerate() {
            row.splice(0..0, std::iter::once(point.to_string()).chain(values.iter().cloned()));
            row.extend(if index == last { [ended.to_owned(), error.to_owned()] } else { Default::default() });
        }
        Point { rows, failed: ended == "error" }
    }

    /// Run some points, from the first of `points` on. On a GPU as many run side by side as fit, at most `most`, if their worlds are
    /// small and differ in numbers only; otherwise one runs. If running side by side fails, the first one runs alone, and so each
    /// failure is found at its own point.
    ///
    /// # Errors
    /// As [`Sweep::point`].
    pub fn points<H, W>(
        &mut self,
        points: Range<usize>,
        most: Option<usize>,
        place: &Backend,
        host: impl FnOnce(Engine) -> H,
        side_by_side: impl FnOnce(Worlds) -> W,
    ) -> Result<Vec<Point>, H::Error>
    where
        H: SweepHost,
        W: Host<Worlds, Error = H::Error, Stop = H::Stop>,
        H::Error: From<SceneError> + From<H::Stop> + Display,
    {
        match self.side_by_side(points.clone(), most, place) {
            Some(Ok(worlds)) => {
                (self.alone_before, self.patience) = (points.start + worlds.scenes().len(), 1);
                match self.run_worlds(worlds, side_by_side) {
                    Ok(ended) => {
                        let each = (points.start..).zip(ended);
                        return Ok(each.map(|(point, ended)| self.finished(point, ended, "")).collect());
                    }
                    Err(error) if H::is_stop(&error) || is_lost(place) => return Err(error),
                    Err(_) => {}
                }
            }
            Some(Err(_)) => {
                self.alone_before = points.start + self.patience;
                self.patience = (2 * self.patience).min(SIDE_BY_SIDE);
            }
            None => {}
        }
        Ok(vec![self.point(points.start, place, host)?])
    }

    /// The worlds of the first of these points, or why they cannot run side by side; `None` if that is not tried.
    fn side_by_side(
        &self,
        points: Range<usize>,
        most: Option<usize>,
        place: &Backend,
    ) -> Option<Result<Worlds, GpuError>> {
        let Backend::Gpu(gpu, options) = place else { return None };
        if points.start < self.alone_before || points.len() < 2 {
            return None;
        }
        let first = self.experiment.scene(points.start).ok()?;
        let most = most.unwrap_or(if gpu.software() { SIDE_BY_SIDE_ON_CPU } else { SIDE_BY_SIDE });
        let most = most.min((AGENTS_TOGETHER / first.agent_count().max(1)) as usize);
        if most < 2 || first.map.is_some() {
            return None;
        }
        let start = |point| {
            let scene = self.experiment.scene(point).ok()?;
            let is_one =
                Columns::of(&scene).names() == self.columns.names() && scene.agent_count() == first.agent_count();
            is_one.then(|| State::initial(&scene)).map(|state| (scene, state))
        };
        Some(Worlds::new(gpu, points.map_while(start).take(most), options))
    }

    /// Run several worlds. Returns the rows of each, and what ended it.
    fn run_worlds<W>(&self, worlds: Worlds, host: impl FnOnce(Worlds) -> W) -> Result<Vec<Ended>, W::Error>
    where
        W: Host<Worlds>,
        W::Error: From<SceneError> + From<W::Stop>,
    {
        let (told, scenes) = (&self.experiment, worlds.scenes().to_vec());
        let columns: Vec<Columns> = scenes.iter().map(Columns::of).collect();
        let mut untils = scenes.iter().map(|scene| until(told, scene)).collect::<Result<Vec<_>, _>>()?;
        let mut found: Vec<Ended> = vec![(Vec::new(), ""); scenes.len()];
        let (host, steps, every) = (host(worlds), u64::from(told.steps), self.every());
        let first = u64::from(told.burn_in).div_ceil(every).saturating_mul(every);
        let (mut step, mut batch) = (0, 1);
        for moment in (first..steps).step_by(every as usize).chain([steps]) {
            while step < moment {
                if let Some(stop) = host.stop() {
                    return Err(stop.into());
                }
                let (now, start) = (batch.min(moment - step), Instant::now());
                host.ask(move |worlds| {
                    worlds.step(now as u32)?;
                    worlds.gpu().wait()
                })?;
                batch = next_batch(batch, now, start.elapsed());
                step += now;
                host.progressed(now * scenes.len() as u64);
            }
            let seen = host.ask(|worlds| worlds.observe())?;
            for (index, seen) in seen.iter().enumerate() {
                let (rows, ended) = &mut found[index];
                if ended.is_empty() {
                    rows.push(columns[index].row(step, scenes[index].dt, seen));
                    let is_met = untils[index].as_mut().is_some_and(|until| until.sees(step, seen));
                    *ended = if is_met {
                        "until"
                    } else if step == steps {
                        "steps"
                    } else {
                        ""
                    };
                }
            }
            if found.iter().all(|(_, ended)| !ended.is_empty()) {
                break;
            }
        }
        Ok(found)
    }

    /// Steps between rows.
    fn every(&self) -> u64 {
        let told = &self.experiment;
        if told.metrics_every > 0 { u64::from(told.metrics_every) } else { u64::from(told.steps).div_ceil(100) }
    }

    /// Run a point alone. Returns its rows, and what ended it.
    fn run<H: SweepHost>(
        &mut self,
        point: usize,
        place: &Backend,
        host: impl FnOnce(Engine) -> H,
    ) -> Result<Ended, H::Error>
    where
        H::Error: From<SceneError> + From<H::Stop>,
    {
        let (scene, told) = (self.experiment.scene(point)?, &self.experiment);
        let columns = Columns::of(&scene);
        if columns.names() != self.columns.names() {
            return Err(told.refused("vary", "this point has other columns than the first point").into());
        }
        // A GPU simulation that goes on checks the scene when it restarts, without reading the shaders again.
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
        let mut walk = Walk::new(host(engine), 0, steps, self.every());
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

/// The condition that ends a point early, if the experiment has one.
fn until(experiment: &Experiment, scene: &Scene) -> Result<Option<Until>, SceneError> {
    let text = Some(&experiment.until).filter(|text| !text.is_empty());
    text.map(|text| Until::parse(text, scene).map_err(|reason| experiment.refused("until", reason))).transpose()
}

fn is_lost(place: &Backend) -> bool {
    matches!(place, Backend::Gpu(gpu, _) if gpu.check().is_err())
}
