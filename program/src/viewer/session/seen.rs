//! The measured history of a run, by steps: observations, measurements of snapshots, times, and the distance to the run beside.

use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::ops::Range;
use steerling::measure::milling;
use steerling::model::{BufferId, Means, Observation, Snapshot, Stage, State, density};
use steerling::output::{Columns, time_of};
use steerling::scene::{Scene, state_columns};

/// The most steps that each kind of measurement is kept for; the oldest are dropped first.
const MOST: usize = 20_000;
/// The least number of agents of a species whose nearest other agent is searched.
const SAMPLE: usize = 64;
/// More agents are searched as long as their number times that of all agents is at most this.
const PAIRS: usize = 1 << 20;
/// Bars of a histogram.
pub const BARS: usize = 24;
/// The numbers that histograms count agents by, with their units.
pub const SPREADS: [(&str, &str); 3] = [("speed", "u/s"), ("neighbors", ""), ("nearest distance", "u")];

/// What is measured of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// All agents first, then each species if there are several.
    pub groups: Vec<Group>,
    /// The number of agents in each action state of each species that has several, in the order of [`state_columns`].
    pub states: Vec<u32>,
    /// A histogram of all agents for each of [`SPREADS`].
    pub spreads: [Spread; SPREADS.len()],
}

/// What is measured of all agents or of one species; NaN where a number is not defined.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The same as the observable `milling`.
    pub milling: f64,
    /// Mean distance to the nearest other agent, of a sample, u.
    pub nearest: f64,
    /// The same as the observable `density`.
    pub density: f64,
}

/// A histogram of agents, with bars of equal width from 0 on; the last bar also counts all greater numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    pub wide: f64,
    pub counts: [u32; BARS],
}

impl Spread {
    fn of(numbers: impl Iterator<Item = f32>, wide: f64) -> Spread {
        let mut counts = [0; BARS];
        numbers.for_each(|number| counts[((f64::from(number) / wide) as usize).min(BARS - 1)] += 1);
        Spread { wide, counts }
    }
}

/// The least of 1, 2 or 5 times a power of 10 that is not below a positive number.
fn rounded_up(number: f64) -> f64 {
    let power = 10.0_f64.powf(number.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|times| times * power).find(|round| *round >= number).unwrap_or(10.0 * power)
}

/// The greatest speed of any species, u/s.
fn top_speed(scene: &Scene) -> f32 {
    scene.species.iter().map(|species| species.max_speed).fold(1e-6, f32::max)
}

impl Measured {
    pub fn of(scene: &Scene, snapshot: &Snapshot) -> Measured {
        let has_states = state_columns(&scene.species).next().is_some();
        let acting = if has_states { snapshot.action_states() } else { Vec::new() };
        // Neighbors are counted by a step, so the start has none.
        let neighbors = snapshot.column(BufferId::Neighbors).filter(|_| snapshot.steps > 0);
        Measured::of_state(scene, &snapshot.state(), neighbors.unwrap_or_default(), &acting)
    }

    /// Measure a state, with the number of neighbors and the action state of each agent; either may be empty.
    fn of_state(scene: &Scene, state: &State, neighbors: &[u32], acting: &[u32]) -> Measured {
        let here: Vec<usize> = (0..state.positions.len()).filter(|id| !state.frozen[*id]).collect();
        let species = (0..scene.species.len()).filter_map(|at| scene.species_ids(at));
        let species: Vec<Range<usize>> = species.map(|ids| ids.start as usize..ids.end as usize).collect();
        let within = |ids: &Range<usize>| {
            let at = |end: usize| here.partition_point(|id| *id < end);
            &here[at(ids.start)..at(ids.end)]
        };
        let distances = species.iter().map(|ids| nearest(scene, &state.positions, within(ids), &here));
        let distances: Vec<Vec<f32>> = distances.collect();
        let mean = |all: &[f32]| all.iter().map(|away| f64::from(*away)).sum::<f64>() / all.len() as f64;
        let group = |ids: Range<usize>, nearest: f64| Group {
            milling: milling(scene, state, ids.start as u32..ids.end as u32),
            nearest,
            density: density(state, scene, ids).unwrap_or(f64::NAN),
        };
        // The mean of all agents weights each species by its number of agents, not by the size of its sample.
        let known = species.iter().zip(&distances).filter(|(_, distances)| !distances.is_empty());
        let known = known.map(|(ids, distances)| (mean(distances), within(ids).len() as f64));
        let (sum, count) = known.fold((0.0, 0.0), |(sum, all), (mean, count)| (sum + mean * count, all + count));
        let mut groups = vec![group(0..state.positions.len(), sum / count)];
        if species.len() > 1 {
            groups.extend(species.iter().zip(&distances).map(|(ids, distances)| group(ids.clone(), mean(distances))));
        }
        let states = state_columns(&scene.species).map(|(own, _, state)| {
            let acts = |id: &&usize| acting.get(**id).copied().unwrap_or(0) == state;
            within(&species[own]).iter().filter(acts).count() as u32
        });
        let speeds = here.iter().map(|id| Vec3::from(state.velocities[*id]).length());
        let neighbors: Vec<f32> = here.iter().filter_map(|id| neighbors.get(*id)).map(|count| *count as f32).collect();
        let distances = distances.concat();
        let most = |numbers: &[f32]| f64::from(numbers.iter().copied().fold(0.0, f32::max));
        let by_neighbors = rounded_up((most(&neighbors) + 1.0) / BARS as f64).max(1.0);
        let by_distance = rounded_up((most(&distances) / BARS as f64).max(1e-6));
        let spreads = [
            Spread::of(speeds, f64::from(top_speed(scene)) / BARS as f64),
            Spread::of(neighbors.into_iter(), by_neighbors),
            Spread::of(distances.into_iter(), by_distance),
        ];
        Measured { groups, states: states.collect(), spreads }
    }
}

/// The distances from a sample of the agents `some` to their nearest other agent of `here`, which are all agents that take part, u.
fn nearest(scene: &Scene, positions: &[[f32; 3]], some: &[usize], here: &[usize]) -> Vec<f32> {
    let sample = (PAIRS / here.len().max(1)).max(SAMPLE);
    let nearest = |id: &usize| {
        let own = Vec3::from(positions[*id]);
        let others = here.iter().filter(|other| *other != id);
        let away = others.map(|other| scene.world.nearest(Vec3::from(positions[*other]) - own).length_squared());
        away.fold(f32::INFINITY, f32::min).sqrt()
    };
    some.iter().step_by((some.len() / sample).max(1)).map(nearest).filter(|away| away.is_finite()).collect()
}

/// How far two runs have come apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Divergence {
    /// Mean distance between agents of the same id, over agents that are not frozen in either run, u.
    pub mean: f64,
    /// The distance for each id, u; 0 if the agent is frozen in either run.
    pub of_each: Vec<f32>,
}

impl Divergence {
    /// Compare two states of a world. `None` if their numbers of agents differ, or if each agent is frozen in either.
    pub fn of(scene: &Scene, one: &State, other: &State) -> Option<Divergence> {
        if one.positions.len() != other.positions.len() {
            return None;
        }
        let taken = |id: &usize| !one.frozen[*id] && !other.frozen[*id];
        let away =
            |id: usize| scene.world.nearest(Vec3::from(other.positions[id]) - Vec3::from(one.positions[id])).length();
        let ids = 0..one.positions.len();
        let of_each: Vec<f32> = ids.clone().map(|id| if taken(&id) { away(id) } else { 0.0 }).collect();
        let count = ids.filter(taken).count();
        let sum: f64 = of_each.iter().copied().map(f64::from).sum();
        (count > 0).then(|| Divergence { mean: sum / count as f64, of_each })
    }
}

/// A quantity that a plot shows against time.
pub struct Curve {
    /// The title of its plot.
    pub name: &'static str,
    /// Its name in conditions and in the table, the same as of the observable if there is one. For a part, a dot and its name follow.
    pub column: &'static str,
    unit: &'static str,
    /// What it means.
    pub hint: &'static str,
    source: Source,
}

/// Where its values come from.
enum Source {
    /// From observations; the function also gets the step.
    Observed(fn(u64, &Means) -> Option<f64>),
    /// From snapshots.
    Measured(fn(&Group) -> f64),
    /// From snapshots, with a line for each action state.
    States,
    /// From steps that were timed, with a line for each stage.
    Times,
    /// From comparing with the run beside.
    Divergence,
}

const fn curve(
    name: &'static str,
    column: &'static str,
    unit: &'static str,
    hint: &'static str,
    source: Source,
) -> Curve {
    Curve { name, column, unit, hint, source }
}

/// All curves, in the order of their buttons.
pub static CURVES: [Curve; 9] = [
    curve(
        "Polarization",
        "polarization",
        "",
        "Length of the mean heading: 0 in all directions, 1 all in one",
        Source::Observed(|_, means| Some(means.polarization)),
    ),
    curve(
        "Milling",
        "milling",
        "",
        "Whether all agents turn around their common middle in one direction, 0 to 1; measured in snapshots",
        Source::Measured(|group| group.milling),
    ),
    curve(
        "Neighbors",
        "mean_neighbors",
        "",
        "Mean number of neighbors that an agent perceives",
        // Neighbors are counted by a step, so the start has none.
        Source::Observed(|step, means| (step > 0).then_some(means.mean_neighbors)),
    ),
    curve(
        "Nearest distance",
        "nearest_distance",
        "u",
        "Mean distance to the nearest other agent, of a sample; measured in snapshots",
        Source::Measured(|group| group.nearest),
    ),
    curve(
        "Mean speed",
        "mean_speed",
        "u/s",
        "Mean speed of the agents",
        Source::Observed(|_, means| Some(means.mean_speed)),
    ),
    curve(
        "Density",
        "density",
        "1/u²",
        "Agents per area, in space per volume, as an agent sees it: around each agent, by equal cells of the world in which 32 agents are on \
         average; measured in snapshots",
        Source::Measured(|group| group.density),
    ),
    curve("States", "states", "agents", "Agents in each action state; counted in snapshots", Source::States),
    curve(
        "Stage times",
        "step_ms",
        "ms",
        "Time of a step and of each of its stages on the GPU, for about two steps a second while it runs; without \
         timestamps, of whole steps only",
        Source::Times,
    ),
    curve("Apart from A", "apart", "u", "Mean distance between agents of the same id in A and B", Source::Divergence),
];

impl Curve {
    /// The unit of its values.
    pub fn unit(&self, scene: &Scene) -> &'static str {
        if self.column == "density" && scene.world.spatial { "1/u³" } else { self.unit }
    }

    /// Can it have values? `beside`: is there a run beside this one?
    pub fn is_offered(&self, scene: &Scene, beside: bool) -> bool {
        match self.source {
            Source::States => state_columns(&scene.species).next().is_some(),
            Source::Divergence => beside,
            _ => true,
        }
    }

    /// The parts that have lines, with their names.
    pub fn parts(&self, scene: &Scene, seen: &Seen) -> Vec<(Part, String)> {
        let all = |name: &str| std::iter::once((Part::All, name.to_owned()));
        match self.source {
            Source::Observed(_) | Source::Measured(_) => {
                let several = scene.species.iter().filter(|_| scene.species.len() > 1).enumerate();
                all("all").chain(several.map(|(at, species)| (Part::Species(at), species.name.clone()))).collect()
            }
            Source::States => {
                state_columns(&scene.species).enumerate().map(|(at, (_, name, _))| (Part::State(at), name)).collect()
            }
            Source::Times => {
                let stages = seen.stages.iter().map(|(at, name)| (Part::Stage(*at), (*name).to_owned()));
                all("step").chain(stages).collect()
            }
            Source::Divergence => all("both").collect(),
        }
    }
}

/// The part of a curve that a line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All agents, or the whole step.
    All,
    /// The species of this index.
    Species(usize),
    /// The entry of [`state_columns`] of this index.
    State(usize),
    /// The stage with this [`StageId`](steerling::model::StageId), as a number.
    Stage(usize),
}

/// A line of a plot, with its name in conditions and in the table.
pub type Line = (&'static Curve, Part, String);

/// The scene without the observables that it asks for, which the window does not compute.
pub fn watched(scene: &Scene) -> Scene {
    let edited = scene.with(|draft| draft.observe.clear());
    edited.unwrap_or_else(|_| scene.clone())
}

/// The measured history of a run, by steps.
#[derive(Default, Clone)]
pub struct Seen {
    observed: BTreeMap<u64, Observation>,
    measured: BTreeMap<u64, Measured>,
    /// The time of a step, then of its stages by [`Part::Stage`], ms; NaN for a stage that was not timed.
    timed: BTreeMap<u64, Vec<f64>>,
    /// Names of the stages that were timed at all, by [`Part::Stage`].
    stages: BTreeMap<usize, &'static str>,
    /// Mean distance to the run beside, u.
    divergence: BTreeMap<u64, f64>,
}

/// Add a value that holds after a step, and drop the oldest one beyond [`MOST`].
fn remember<T>(all: &mut BTreeMap<u64, T>, step: u64, what: T) {
    all.insert(step, what);
    if all.len() > MOST {
        all.pop_first();
    }
}

impl Seen {
    /// Add an observation of the state after this step.
    pub fn observe(&mut self, step: u64, observation: &Observation) {
        remember(&mut self.observed, step, observation.clone());
    }

    /// Add the measurement of a snapshot after this step.
    pub fn measure(&mut self, step: u64, measured: Measured) {
        remember(&mut self.measured, step, measured);
    }

    /// Add the time of a step, and of its stages that were timed, s.
    pub fn time(&mut self, step: u64, whole: f64, stages: &[(&'static Stage, f64)]) {
        let mut row = vec![whole * 1e3];
        for (stage, time) in stages {
            let at = stage.id as usize;
            row.resize(row.len().max(at + 2), f64::NAN);
            row[at + 1] = time * 1e3;
            self.stages.insert(at, stage.name);
        }
        remember(&mut self.timed, step, row);
    }

    /// Add the mean distance to the run beside after this step, u.
    pub fn record_divergence(&mut self, step: u64, away: f64) {
        remember(&mut self.divergence, step, away);
    }

    /// Drop everything after this step.
    pub fn truncate_after(&mut self, step: u64) {
        self.observed.split_off(&(step + 1));
        self.measured.split_off(&(step + 1));
        self.timed.split_off(&(step + 1));
        self.divergence.split_off(&(step + 1));
    }

    /// Drop the distances to the run beside.
    pub fn forget_divergence(&mut self) {
        self.divergence.clear();
    }

    /// The latest mean distance to the run beside that was measured up to a step, u.
    pub fn divergence(&self, step: u64) -> Option<f64> {
        self.divergence.range(..=step).next_back().map(|(_, away)| *away)
    }

    /// The points of a line, step and finite value, within a range of steps.
    pub fn line(&self, curve: &Curve, part: Part, steps: Range<u64>) -> Vec<(u64, f64)> {
        type Moments<'a, T> = btree_map::Range<'a, u64, T>;
        fn values<T>(of: Moments<'_, T>, value: impl Fn(u64, &T) -> Option<f64>) -> Vec<(u64, f64)> {
            let values = of.filter_map(|(step, seen)| Some((*step, value(*step, seen)?)));
            values.filter(|(_, value)| value.is_finite()).collect()
        }
        let at = match part {
            Part::All => None,
            Part::Species(at) | Part::State(at) | Part::Stage(at) => Some(at),
        };
        // Row 0 is the value of all agents, or of the whole step; the parts follow.
        let row = at.map_or(0, |at| at + 1);
        let measured = || self.measured.range(steps.clone());
        match curve.source {
            Source::Observed(value) => values(self.observed.range(steps), |step, seen| {
                value(step, &at.map_or(Some(seen.means()), |at| seen.species.get(at).copied())?)
            }),
            Source::Measured(value) => values(measured(), |_, seen| seen.groups.get(row).map(value)),
            Source::States => values(measured(), |_, seen| seen.states.get(at?).map(|count| f64::from(*count))),
            Source::Times => values(self.timed.range(steps), |_, times| times.get(row).copied()),
            Source::Divergence => values(self.divergence.range(steps), |_, away| Some(*away)),
        }
    }

    /// The latest measured snapshot up to a step: its step, and its histograms, one for each of [`SPREADS`].
    pub fn spreads(&self, step: u64) -> Option<(u64, &[Spread; SPREADS.len()])> {
        self.measured.range(..=step).next_back().map(|(step, measured)| (*step, &measured.spreads))
    }

    /// All lines except those of observations, which come from [`Columns`].
    fn lines(&self, scene: &Scene) -> impl Iterator<Item = Line> {
        let own = CURVES.iter().filter(|curve| !matches!(curve.source, Source::Observed(_)));
        own.flat_map(|curve| {
            curve.parts(scene, self).into_iter().map(move |(part, name)| {
                let column = match part {
                    Part::All => curve.column.to_owned(),
                    Part::State(_) => name,
                    _ => format!("{}.{name}", curve.column),
                };
                (curve, part, column)
            })
        })
    }

    /// Lines that a condition to pause may be about, beside the columns of observations: all except times, which no run repeats.
    pub fn conditions(&self, scene: &Scene) -> Vec<Line> {
        self.lines(scene).filter(|(curve, ..)| !matches!(curve.source, Source::Times)).collect()
    }

    /// All measurements as a table, with a heading and a row for each step that has any: the columns of metrics.csv, then all other lines.
    pub fn table(&self, scene: &Scene) -> Vec<Vec<String>> {
        let (columns, lines) = (Columns::of(&watched(scene)), self.lines(scene).collect::<Vec<_>>());
        let names = columns.names().iter().chain(lines.iter().map(|(.., name)| name)).cloned().collect();
        let steps =
            self.observed.keys().chain(self.measured.keys()).chain(self.timed.keys()).chain(self.divergence.keys());
        let steps: BTreeSet<u64> = steps.copied().collect();
        let row = |step: u64| {
            let time = time_of(step, scene.dt);
            let unseen = || [step.to_string(), time].into_iter().chain(std::iter::repeat(String::new()));
            let observed = match self.observed.get(&step) {
                Some(seen) => columns.row(step, scene.dt, seen),
                None => unseen().take(columns.names().len()).collect(),
            };
            let value = |(curve, part, _): &Line| self.line(curve, *part, step..step + 1).first().copied();
            let values = lines.iter().map(|line| value(line).map_or(String::new(), |(_, value)| value.to_string()));
            observed.into_iter().chain(values).collect()
        };
        std::iter::once(names).chain(steps.into_iter().map(row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steerling::cpu::{Execution, Simulation};
    use steerling::model::{STAGES, StageId};

    fn state(agents: impl Iterator<Item = (Vec3, Vec3)>) -> State {
        let (positions, velocities): (Vec<_>, Vec<_>) = agents.map(|(at, v)| (at.to_array(), v.to_array())).unzip();
        State { frozen: vec![false; positions.len()], positions, velocities, poses: Vec::new() }
    }

    /// A turning ring has milling 1 wherever its middle is, also on a seam; one that flies straight, or turns both ways, has 0.
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
            Measured::of_state(&scene, &state(agents), &[], &[])
        };
        for middle in [Vec3::ZERO, Vec3::new(half, 0.3, 0.0)] {
            let turning = ring(middle, |out, _| 3.5 * out.cross(Vec3::Z));
            assert!((turning.groups[0].milling - 1.0).abs() < 1e-3, "{middle}: {turning:?}");
            let chord = 2.0 * (std::f64::consts::PI / 40.0).sin();
            assert!((turning.groups[0].nearest - chord).abs() < 1e-3 * chord, "{middle}: {turning:?}");
            assert!(ring(middle, |_, _| Vec3::X).groups[0].milling < 1e-3);
            assert!(
                ring(middle, |out, i| out.cross(Vec3::Z) * if i % 2 == 0 { 1.0 } else { -1.0 }).groups[0].milling
                    < 1e-3
            );
        }
        let bar = (3.5 / top_speed(&scene) * BARS as f32) as usize;
        assert_eq!(ring(Vec3::ZERO, |out, _| 3.5 * out.cross(Vec3::Z)).spreads[0].counts[bar], 40);
    }

    /// Measurements of a snapshot equal the observables of the same names, and those of species add up to those of all agents.
    #[test]
    fn it_is_as_observables_say() {
        for (name, observe) in [("predator_and_prey", ""), ("actions", ", states")] {
            let observe = format!("observe=\"milling, density, nearest_distance{observe}\"");
            let scene = Scene::open(name, &[observe.parse().expect("an override")]).expect("a scene");
            let scene = scene.with_agents(900).expect("a scene");
            let mut run = Simulation::new(&scene, &State::initial(&scene), Execution::Parallel).expect("a run");
            run.step(200);
            let (wanted, measured) = (run.observe(), Measured::of(&scene, &run.snapshot()));
            let Group { milling, nearest, density } = &measured.groups[0];
            let states = measured.states.iter().map(|count| f64::from(*count));
            let numbers: Vec<f64> = [*milling, *density, *nearest].into_iter().chain(states).collect();
            assert_eq!(numbers.len(), wanted.requested.len());
            for (number, wanted) in numbers.iter().zip(&wanted.requested) {
                let wanted = wanted.expect("a number");
                assert!((number - wanted).abs() <= 1e-3 * wanted.abs(), "{name}: {numbers:?}, {wanted}");
            }
            assert!(measured.states.iter().filter(|count| **count > 0).count() != 1, "control: not all in one state");
            let shares = scene.species.iter().map(|species| f64::from(species.count) / 900.0);
            let sum = shares.zip(&measured.groups[1..]).map(|(share, group)| share * group.density).sum::<f64>();
            assert!((sum - density).abs() < 1e-6 * density && measured.groups[1] != measured.groups[2], "{name}");
            let [speeds, neighbors, distances] = &measured.spreads;
            assert_eq!([speeds, neighbors, distances].map(|spread| spread.counts.iter().sum::<u32>()), [900; 3]);
            let bars = (0..).zip(neighbors.counts).map(|(bar, count)| f64::from(bar) * f64::from(count));
            let mean = bars.sum::<f64>() * neighbors.wide / 900.0;
            assert!((mean..=mean + neighbors.wide).contains(&wanted.mean_neighbors), "{neighbors:?}");
        }
    }

    /// Of more agents than the least sample, at least that many are searched.
    #[test]
    fn a_sample_is_large_enough() {
        let scene = Scene::open("flock", &[]).expect("a scene");
        let here: Vec<usize> = (0..20_000).collect();
        let positions: Vec<[f32; 3]> = here.iter().map(|id| [*id as f32, 0.0, 0.0]).collect();
        for (agents, searched) in [(10, 10), (64, 64), (65, 65), (127, 127), (128, 64), (20_000, 65)] {
            assert_eq!(nearest(&scene, &positions, &here[..agents], &here).len(), searched, "{agents}");
        }
    }

    /// The table has a row for each step with any measurement, and a column for each line.
    #[test]
    fn the_table_has_all_that_was_seen() {
        let scene = Scene::open("actions", &[]).expect("a scene");
        let mut run = Simulation::new(&scene, &State::initial(&scene), Execution::Parallel).expect("a run");
        let mut seen = Seen::default();
        seen.measure(0, Measured::of(&scene, &run.snapshot()));
        run.step(3);
        seen.observe(3, &run.observe());
        seen.time(4, 0.0025, &[]);
        let names = |seen: &Seen| seen.table(&scene).swap_remove(0);
        assert!(!names(&seen).contains(&"step_ms.steer".to_owned()), "control: no stage was timed");
        let steer = STAGES.iter().find(|stage| stage.id == StageId::Steer).expect("a stage");
        seen.time(5, 0.0025, &[(steer, 0.00025)]);
        let table = seen.table(&scene);
        let cell = |row: usize, name: &str| {
            let column = table[0].iter().position(|column| column == name);
            table[row][column.unwrap_or_else(|| panic!("no column {name}: {:?}", table[0]))].clone()
        };
        assert_eq!([1, 2, 3, 4].map(|row| cell(row, "step")), ["0", "3", "4", "5"]);
        assert_eq!([cell(1, "time"), cell(4, "time")], ["0.000000", "0.083333"]);
        assert_eq!(cell(1, "mice.stroll"), scene.species[0].count.to_string());
        assert!(cell(1, "polarization").is_empty() && !cell(2, "polarization").is_empty());
        assert!(!cell(1, "density.mice").is_empty() && cell(2, "density.mice").is_empty());
        assert_eq!([cell(3, "step_ms"), cell(3, "step_ms.steer"), cell(4, "step_ms.steer")], ["2.5", "", "0.25"]);
        assert!(table.iter().all(|row| row.len() == table[0].len()));
        seen.truncate_after(2);
        assert_eq!(seen.table(&scene).len(), 2, "what lies behind is no more");
    }
}
