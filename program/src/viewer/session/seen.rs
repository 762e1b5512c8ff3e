//! What was seen of a run, by steps: what each observation tells, and what is measured of each snapshot.

use glam::Vec3;
use std::collections::BTreeMap;
use std::ops::Range;
use steerling::measure::milling;
use steerling::model::{Observation, State};
use steerling::output::Columns;
use steerling::scene::{Boundary, Scene};

/// Most moments that are remembered; then the oldest go.
const MOST: usize = 20_000;
/// Agents of a species for which the nearest other one is looked for.
const SAMPLE: usize = 64;
/// Bars of the histogram of speeds.
pub const BARS: usize = 24;

/// What is measured of some agents in a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// As the observable `milling`.
    pub milling: f64,
    /// Mean distance to the nearest other agent, of a sample, u.
    pub nearest: f64,
    /// Agents by speed, in equal bars from 0 to the scene's greatest speed.
    pub speeds: [u32; BARS],
}

/// The greatest speed of any species, u/s.
pub fn top_speed(scene: &Scene) -> f32 {
    scene.species.iter().map(|species| species.max_speed).fold(1e-6, f32::max)
}

impl Measured {
    /// Of all agents, and where there are several species of each of them.
    pub fn of(scene: &Scene, state: &State) -> Vec<Measured> {
        let mut first = 0;
        let each = scene.species.iter().map(|species| {
            let ids = first..first + species.count as usize;
            first = ids.end;
            Measured::some(scene, state, ids)
        });
        let each: Vec<Measured> = each.collect();
        if each.len() == 1 {
            return each;
        }
        let weights = || scene.species.iter().map(|species| f64::from(species.count));
        let nearest = each.iter().zip(weights()).map(|(one, weight)| one.nearest * weight).sum::<f64>();
        let mut speeds = [0; BARS];
        each.iter().for_each(|one| speeds.iter_mut().zip(one.speeds).for_each(|(sum, count)| *sum += count));
        let milling = milling(scene, state, 0..state.positions.len() as u32);
        let all = Measured { milling, nearest: nearest / weights().sum::<f64>().max(1.0), speeds };
        std::iter::once(all).chain(each).collect()
    }

    fn some(scene: &Scene, state: &State, ids: Range<usize>) -> Measured {
        let mut speeds = [0; BARS];
        for velocity in state.velocities.get(ids.clone()).unwrap_or_default() {
            let share = Vec3::from(*velocity).length() / top_speed(scene);
            speeds[((share * BARS as f32) as usize).min(BARS - 1)] += 1;
        }
        let positions = &state.positions;
        let every = ids.len().div_ceil(SAMPLE).max(1);
        let nearest = |id: usize| {
            let here = Vec3::from(positions[id]);
            let away = |(_, at): (usize, &[f32; 3])| offset(scene, Vec3::from(*at) - here).length_squared();
            let others = positions.iter().enumerate().filter(|(other, _)| *other != id);
            others.map(away).fold(f32::INFINITY, f32::min).sqrt()
        };
        let nearest: Vec<f32> = ids.clone().step_by(every).map(nearest).filter(|away| away.is_finite()).collect();
        let mean = nearest.iter().map(|away| f64::from(*away)).sum::<f64>() / nearest.len().max(1) as f64;
        Measured { milling: milling(scene, state, ids.start as u32..ids.end as u32), nearest: mean, speeds }
    }
}

/// The way between two places, through the seams of wrapped axes where that is shorter.
fn offset(scene: &Scene, way: Vec3) -> Vec3 {
    let size = scene.world.size;
    let wraps = |axis: usize| scene.world.boundary[axis] == Boundary::Wrap && size[axis] > 0.0;
    Vec3::from_array(
        [0, 1, 2].map(
            |axis| {
                if wraps(axis) { way[axis] - size[axis] * (way[axis] / size[axis]).round() } else { way[axis] }
            },
        ),
    )
}

/// How far two runs have come apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Apart {
    /// Mean distance between agents of the same id, of those that take part in both, u.
    pub mean: f64,
    /// Of each id, u; 0 where it does not take part in both.
    pub of_each: Vec<f32>,
}

impl Apart {
    /// Of two states of a world. None where no agents take part in both, or where they are others.
    pub fn of(scene: &Scene, one: &State, other: &State) -> Option<Apart> {
        if one.positions.len() != other.positions.len() {
            return None;
        }
        let taken = |id: &usize| !one.frozen[*id] && !other.frozen[*id];
        let away = |id: usize| offset(scene, Vec3::from(other.positions[id]) - Vec3::from(one.positions[id])).length();
        let ids = 0..one.positions.len();
        let of_each: Vec<f32> = ids.clone().map(|id| if taken(&id) { away(id) } else { 0.0 }).collect();
        let count = ids.filter(taken).count();
        let sum: f64 = of_each.iter().copied().map(f64::from).sum();
        (count > 0).then(|| Apart { mean: sum / count as f64, of_each })
    }
}

/// What a plot shows against time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    Polarization,
    Milling,
    Neighbors,
    Nearest,
    Speed,
    /// How far it has come apart from the run beside it.
    Apart,
}

impl Curve {
    pub const ALL: [Curve; 6] =
        [Curve::Polarization, Curve::Milling, Curve::Neighbors, Curve::Nearest, Curve::Speed, Curve::Apart];

    /// What it is called, and its unit.
    pub fn name(self) -> (&'static str, &'static str) {
        match self {
            Curve::Polarization => ("Polarization", ""),
            Curve::Milling => ("Milling", ""),
            Curve::Neighbors => ("Neighbors", ""),
            Curve::Nearest => ("Nearest distance", "u"),
            Curve::Speed => ("Mean speed", "u/s"),
            Curve::Apart => ("Apart from A", "u"),
        }
    }
}

/// The scene without the observables that it asks for, which the window does not compute.
pub fn watched(scene: &Scene) -> Scene {
    let edited = scene.edit(|draft| {
        draft.observe.clear();
        Ok(())
    });
    edited.unwrap_or_else(|_| scene.clone())
}

/// What was seen.
#[derive(Default, Clone)]
pub struct Seen {
    observed: BTreeMap<u64, Observation>,
    measured: BTreeMap<u64, Vec<Measured>>,
    /// How far it had come apart from the run beside it, u.
    apart: BTreeMap<u64, f64>,
}

impl Seen {
    /// After this step.
    pub fn observe(&mut self, step: u64, observation: &Observation) {
        self.observed.insert(step, observation.clone());
        if self.observed.len() > MOST {
            self.observed.pop_first();
        }
    }

    /// After this step.
    pub fn measure(&mut self, step: u64, measured: Vec<Measured>) {
        self.measured.insert(step, measured);
        if self.measured.len() > MOST {
            self.measured.pop_first();
        }
    }

    /// What lies behind this step is no more.
    pub fn cut(&mut self, step: u64) {
        self.observed.split_off(&(step + 1));
        self.measured.split_off(&(step + 1));
        self.apart.split_off(&(step + 1));
    }

    /// After this step it was so far apart from the run beside it, u.
    pub fn come_apart(&mut self, step: u64, away: f64) {
        self.apart.insert(step, away);
        if self.apart.len() > MOST {
            self.apart.pop_first();
        }
    }

    /// Another run is beside it.
    pub fn forget_apart(&mut self) {
        self.apart.clear();
    }

    /// How far apart the two were at the latest measured moment up to a step, u.
    pub fn apart(&self, step: u64) -> Option<f64> {
        self.apart.range(..=step).next_back().map(|(_, away)| *away)
    }

    /// Steps and values of a curve, of all agents or of a species; within these steps.
    pub fn curve(&self, curve: Curve, species: Option<usize>, steps: Range<u64>) -> Vec<(u64, f64)> {
        let means = |seen: &Observation| species.map_or(Some(seen.means()), |at| seen.species.get(at).copied());
        let observed = || self.observed.range(steps.clone());
        let measured = |value: fn(&Measured) -> f64| {
            let of = self.measured.range(steps.clone());
            let of = of.filter_map(|(step, each)| Some((*step, value(each.get(species.map_or(0, |at| at + 1))?))));
            of.filter(|(_, value)| value.is_finite()).collect()
        };
        match curve {
            Curve::Polarization => {
                observed().filter_map(|(step, seen)| Some((*step, means(seen)?.polarization))).collect()
            }
            Curve::Speed => observed().filter_map(|(step, seen)| Some((*step, means(seen)?.mean_speed))).collect(),
            // A step counts them, so before the first there are none.
            Curve::Neighbors => observed()
                .filter(|(step, _)| **step > 0)
                .filter_map(|(step, seen)| Some((*step, means(seen)?.mean_neighbors)))
                .collect(),
            Curve::Milling => measured(|measured| measured.milling),
            Curve::Nearest => measured(|measured| measured.nearest),
            Curve::Apart => self.apart.range(steps).map(|(step, away)| (*step, *away)).collect(),
        }
    }

    /// How speeds were spread at the latest measured moment up to a step, and the step of that.
    pub fn speeds(&self, step: u64) -> Option<(u64, &[u32; BARS])> {
        let (step, measured) = self.measured.range(..=step).next_back()?;
        Some((*step, &measured.first()?.speeds))
    }

    /// All of it as a table: a row for each observed step, as in metrics.csv, and what is measured of snapshots, where there was one.
    pub fn table(&self, scene: &Scene) -> Vec<Vec<String>> {
        let columns = Columns::of(&watched(scene));
        let names = columns.names().iter().cloned().chain(["milling", "nearest_of_a_sample"].map(str::to_owned));
        let rows = self.observed.iter().map(|(step, seen)| {
            let all = self.measured.get(step).and_then(|measured| measured.first());
            let measured = [all.map(|all| all.milling), all.map(|all| all.nearest)];
            let measured = measured.map(|value| value.map_or(String::new(), |value| value.to_string()));
            columns.row(*step, scene.dt, seen).into_iter().chain(measured).collect()
        });
        std::iter::once(names.collect()).chain(rows).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(agents: impl Iterator<Item = (Vec3, Vec3)>) -> State {
        let (positions, velocities): (Vec<_>, Vec<_>) = agents.map(|(at, v)| (at.to_array(), v.to_array())).unzip();
        State { frozen: vec![false; positions.len()], positions, velocities, poses: Vec::new() }
    }

    /// A ring that turns mills, wherever its middle is, on a seam too; one that flies ahead does not, nor one that turns both ways.
    #[test]
    fn a_ring_that_turns_mills() {
        let scene = Scene::open("flock", &[]).and_then(|scene| scene.with_agents(40)).expect("a scene");
        let half = 0.5 * scene.world.size.x;
        let ring = |middle: Vec3, speed: fn(Vec3, usize) -> Vec3| {
            let agents = (0..40).map(|i| {
                let (sin, cos) = (i as f32 * std::f32::consts::TAU / 40.0).sin_cos();
                let out = Vec3::new(cos, sin, 0.0);
                let mut at = middle + out;
                at.x -= scene.world.size.x * (at.x / scene.world.size.x).round();
                (at, speed(out, i))
            });
            Measured::of(&scene, &state(agents)).swap_remove(0)
        };
        for middle in [Vec3::ZERO, Vec3::new(half, 0.3, 0.0)] {
            let turning = ring(middle, |out, _| 3.5 * out.cross(Vec3::Z));
            assert!((turning.milling - 1.0).abs() < 1e-3, "{middle}: {turning:?}");
            let chord = 2.0 * (std::f64::consts::PI / 40.0).sin();
            assert!((turning.nearest - chord).abs() < 1e-3 * chord, "{middle}: {turning:?}");
            assert!(ring(middle, |_, _| Vec3::X).milling < 1e-3);
            assert!(ring(middle, |out, i| out.cross(Vec3::Z) * if i % 2 == 0 { 1.0 } else { -1.0 }).milling < 1e-3);
        }
        let bar = (3.5 / top_speed(&scene) * BARS as f32) as usize;
        assert_eq!(ring(Vec3::ZERO, |out, _| 3.5 * out.cross(Vec3::Z)).speeds[bar], 40);
    }
}
