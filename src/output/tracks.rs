//! Tables of single agents, without whole states: tracks say where agents went, events when they changed their action state or crossed a
//! line.

use super::OutputError;
use super::rows::Rows;
use crate::model::random::hash4;
use crate::model::{AWAY, Event, Events, State, What};
use crate::scene::{Scene, Species, state_columns};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Sets the hash that chooses agents apart from other hashes of ids.
const CHOOSES: u32 = 0x7472_636b;

/// Which agents are tracked.
#[derive(Debug, Clone, PartialEq)]
pub enum Tracked {
    /// The agents with these ids.
    Ids(Vec<u32>),
    /// A share of all, chosen by a hash of the id alone: the same ones in every run.
    Share(f64),
}

impl std::str::FromStr for Tracked {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "it must be ids such as 1,5,9, or a share of all agents such as 1%";
        if let Some(percent) = text.strip_suffix('%') {
            let percent = percent.trim().parse::<f64>().ok().filter(|percent| *percent > 0.0 && *percent <= 100.0);
            return percent.map(|percent| Tracked::Share(percent / 100.0)).ok_or(FORM);
        }
        let ids: Result<Vec<u32>, _> = text.split(',').map(|id| id.trim().parse()).collect();
        let mut ids = ids.map_err(|_| FORM)?;
        ids.sort_unstable();
        ids.dedup();
        Ok(Tracked::Ids(ids))
    }
}

impl Tracked {
    /// The ids of the tracked agents, in a scene with `agents` agents.
    ///
    /// # Errors
    /// An id that no agent has, or a share so small that it holds no agent, in words.
    pub fn ids(&self, agents: u32) -> Result<Vec<u32>, String> {
        match self {
            Tracked::Ids(ids) => match ids.iter().find(|id| **id >= agents) {
                Some(id) => {
                    Err(format!("there is no agent {id}: the scene has {agents} agents, and their ids begin with 0"))
                }
                None => Ok(ids.clone()),
            },
            Tracked::Share(share) => {
                let most = share * 4_294_967_296.0;
                let ids: Vec<u32> = (0..agents).filter(|id| f64::from(hash4([*id, CHOOSES, 0, 0])[0]) < most).collect();
                if ids.is_empty() { Err(format!("this share holds none of the {agents} agents")) } else { Ok(ids) }
            }
        }
    }
}

/// The table of tracks: a row for each moment and each tracked agent that is not frozen then.
#[derive(Debug)]
pub struct Tracks {
    rows: Rows,
    dt: f32,
    components: usize,
}

impl Tracks {
    /// Begin the table in the folder of a run, or go on with an existing one, keeping its rows before this step.
    ///
    /// # Errors
    /// A file that cannot be written, or that has other columns.
    pub fn open(folder: &Path, scene: &Scene, step: u64) -> Result<Tracks, OutputError> {
        let columns: &[&str] = match scene.world.spatial {
            true => &["step", "time", "id", "x", "y", "z", "vx", "vy", "vz"],
            false => &["step", "time", "id", "x", "y", "vx", "vy"],
        };
        let rows = open(folder.join("tracks.csv"), columns, step)?;
        Ok(Tracks { rows, dt: scene.dt, components: scene.world.axes() })
    }

    /// The agents in the table of a folder, and the steps between its first two moments; `None` without a table, or if it has no row.
    pub fn known(folder: &Path, agents: u32) -> Option<(Vec<u32>, Option<u64>)> {
        let rows = csv::Reader::from_path(folder.join("tracks.csv")).ok()?.into_records().map_while(Result::ok);
        let found = rows.map_while(|row| Some((row.get(0)?.parse::<u64>().ok()?, row.get(2)?.parse::<u32>().ok()?)));
        let (steps, ids): (BTreeSet<u64>, BTreeSet<u32>) = found.filter(|(_, id)| *id < agents).unzip();
        let mut steps = steps.into_iter();
        let every = steps.next().zip(steps.next()).map(|(first, second)| second - first);
        (!ids.is_empty()).then(|| (ids.into_iter().collect(), every))
    }

    /// Add a moment: the state of the agents with these ids.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, step: u64, ids: &[u32], state: &State) -> Result<(), OutputError> {
        let head = [step.to_string(), super::metrics::time_of(step, self.dt)];
        let components = self.components;
        let agents = ids.iter().zip(&state.positions).zip(&state.velocities).zip(&state.frozen);
        self.rows.add(agents.filter(|(_, frozen)| !**frozen).map(|(((id, position), velocity), _)| {
            let vectors = [position, velocity].into_iter().flat_map(|vector| &vector[..components]);
            head.iter().cloned().chain([id.to_string()]).chain(vectors.map(f32::to_string))
        }))
    }

    /// Make the rows so far durable: they survive a loss of power.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn sync(&self) -> Result<(), OutputError> {
        self.rows.sync()
    }
}

/// Begin a table, or go on with an existing one, keeping its rows before this step.
fn open(path: PathBuf, columns: &[&str], step: u64) -> Result<Rows, OutputError> {
    let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    if path.exists() { Rows::reopen(path, &columns, step) } else { Rows::begin(path, &columns) }
}

/// The table of agents that changed their action state, left or entered.
const CHANGES: &str = "events.csv";
/// The table of agents that crossed a line.
const CROSSINGS: &str = "crossings.csv";

/// The table of an event, and the values of the columns that only this table has.
fn own_fields(scene: &Scene, event: &Event) -> (&'static str, Vec<String>) {
    match event.what {
        What::Crossed { line, back } => {
            let name = scene.scenery.lines.get(line as usize).map_or("", |line| &line.name);
            (CROSSINGS, vec![name.to_owned(), if back { "-1" } else { "1" }.to_owned()])
        }
        What::Changed { to, from, by } => {
            let states = scene.species_of(event.id).map_or(&[][..], |species| &species.states);
            let name = |state: u32| match state {
                AWAY => "away".to_owned(),
                state => states.get(state as usize).cloned().unwrap_or_default(),
            };
            (CHANGES, vec![name(from), name(to), by.map_or_else(String::new, |id| id.to_string())])
        }
    }
}

/// The tables of events, with the step in which each happened: one with a row for each change of an action state, another with a row for
/// each crossing of a line.
#[derive(Debug)]
pub struct EventTables {
    tables: Vec<Rows>,
    scene: Scene,
}

impl EventTables {
    /// Names of the tables that a scene has; empty if no events can happen.
    pub fn names(scene: &Scene) -> Vec<&'static str> {
        let changes = scene.species.iter().any(Species::can_be_away) || state_columns(&scene.species).next().is_some();
        let tables = [(changes, CHANGES), (!scene.scenery.lines.is_empty(), CROSSINGS)];
        tables.into_iter().filter(|(is_there, _)| *is_there).map(|(_, name)| name).collect()
    }

    /// Begin the tables in the folder of a run, or go on with existing ones, keeping their rows up to and including this step.
    ///
    /// # Errors
    /// A file that cannot be written, or that has other columns.
    pub fn open(folder: &Path, scene: &Scene, step: u64) -> Result<EventTables, OutputError> {
        let table = |name: &'static str| {
            let own: &[&str] = if name == CHANGES { &["from", "to", "by"] } else { &["line", "direction"] };
            // Events of this step itself happened before the run goes on.
            open(folder.join(name), &[&["step", "time", "id", "species"], own].concat(), step + 1)
        };
        let tables = EventTables::names(scene).into_iter().map(table).collect::<Result<_, OutputError>>()?;
        Ok(EventTables { tables, scene: scene.clone() })
    }

    /// Add a list of events, each to its table.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, events: &Events) -> Result<(), OutputError> {
        let scene = &self.scene;
        self.tables.iter_mut().try_for_each(|table| {
            let path = table.path.clone();
            table.add(events.list.iter().filter_map(|event| {
                let (name, own) = own_fields(scene, event);
                path.ends_with(name).then(|| {
                    let species = scene.species_of(event.id).map_or("", |species| &species.name);
                    let time = super::metrics::time_of(event.step.into(), scene.dt);
                    [event.step.to_string(), time, event.id.to_string(), species.to_owned()].into_iter().chain(own)
                })
            }))
        })
    }

    /// As [`Tracks::sync`].
    ///
    /// # Errors
    /// As there.
    pub fn sync(&self) -> Result<(), OutputError> {
        self.tables.iter().try_for_each(Rows::sync)
    }
}
