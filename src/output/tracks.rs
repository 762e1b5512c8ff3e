//! Tables of single agents, without whole states: tracks say where they went, events when they changed their action state or crossed a line.

use super::OutputError;
use super::folder::cut;
use crate::files::{self, Tried};
use crate::model::random::hash4;
use crate::model::{AWAY, Event, Events, State, What};
use crate::scene::{Scene, Species, stated};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Marks the hash that chooses agents.
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
    /// The ids of the agents, of so many.
    ///
    /// # Errors
    /// An id that no agent has, in words.
    pub fn ids(&self, agents: u32) -> Result<Vec<u32>, String> {
        match self {
            Tracked::Ids(ids) => match ids.iter().find(|id| **id >= agents) {
                Some(id) => Err(format!("there is no agent {id}: the scene has {agents}, from 0 on")),
                None => Ok(ids.clone()),
            },
            Tracked::Share(share) => {
                let most = share * 4_294_967_296.0;
                Ok((0..agents).filter(|id| f64::from(hash4([*id, CHOOSES, 0, 0])[0]) < most).collect())
            }
        }
    }
}

/// The table of tracks: a row for each moment and each agent that takes part in it.
#[derive(Debug)]
pub struct Tracks {
    path: PathBuf,
    table: csv::Writer<Tried<File>>,
    dt: f32,
    components: usize,
}

impl Tracks {
    /// Begin the table in the folder of a run, or go on with one, from a step on.
    ///
    /// # Errors
    /// A file that cannot be written, or that has other columns.
    pub fn open(folder: &Path, scene: &Scene, step: u64) -> Result<Tracks, OutputError> {
        let columns: &[&str] = match scene.world.spatial {
            true => &["step", "time", "id", "x", "y", "z", "vx", "vy", "vz"],
            false => &["step", "time", "id", "x", "y", "vx", "vy"],
        };
        let path = folder.join("tracks.csv");
        let table = open(&path, columns, step)?;
        Ok(Tracks { path, table, dt: scene.dt, components: if scene.world.spatial { 3 } else { 2 } })
    }

    /// Add a moment: the state of the agents with these ids.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, step: u64, ids: &[u32], state: &State) -> Result<(), OutputError> {
        let head = [step.to_string(), super::metrics::time_of(step, self.dt)];
        let mut write = || -> std::io::Result<()> {
            let agents = ids.iter().zip(&state.positions).zip(&state.velocities).zip(&state.frozen);
            for (((id, position), velocity), _) in agents.filter(|(_, frozen)| !**frozen) {
                let vectors = [position, velocity].into_iter().flat_map(|vector| &vector[..self.components]);
                let fields = [id.to_string()].into_iter().chain(vectors.map(f32::to_string));
                self.table.write_record(head.iter().cloned().chain(fields))?;
            }
            self.table.flush()
        };
        write().map_err(|error| OutputError::write(&self.path, error))
    }

    /// Make the rows so far durable: they survive a loss of power.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn sync(&self) -> Result<(), OutputError> {
        sync(&self.path, &self.table)
    }
}

fn sync(path: &Path, table: &csv::Writer<Tried<File>>) -> Result<(), OutputError> {
    table.get_ref().0.sync_data().map_err(|error| OutputError::write(path, error))
}

/// Begin a table, or go on with one: with its rows before a step.
fn open(path: &Path, columns: &[&str], step: u64) -> Result<csv::Writer<Tried<File>>, OutputError> {
    let fault = |error: std::io::Error| OutputError::write(path, error);
    let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    let (file, is_new) = match path.exists() {
        true => (cut(path, &columns, step)?, false),
        false => (files::create_new(path).map_err(fault)?, true),
    };
    let mut table = csv::Writer::from_writer(Tried(file));
    if is_new {
        // Now, so that a table whose run is killed soon has its columns.
        table.write_record(&columns).map_err(|error| fault(error.into()))?;
        table.flush().map_err(fault)?;
    }
    Ok(table)
}

/// The table of agents that changed their action state, left or entered.
const CHANGES: &str = "events.csv";
/// The table of agents that crossed a line.
const CROSSINGS: &str = "crossings.csv";

/// The table of an event, and what no other table tells of it.
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

/// The tables of events: a row for each change of an action state, and in a table of its own for each crossing of a line, with the step in
/// which it happened.
#[derive(Debug)]
pub struct EventTables {
    tables: Vec<(PathBuf, csv::Writer<Tried<File>>)>,
    scene: Scene,
}

impl EventTables {
    /// Names of the tables that a scene has; none where nothing can happen.
    pub fn names(scene: &Scene) -> Vec<&'static str> {
        let changes = scene.species.iter().any(Species::can_be_away) || stated(&scene.species).next().is_some();
        let tables = [(changes, CHANGES), (!scene.scenery.lines.is_empty(), CROSSINGS)];
        tables.into_iter().filter(|(is_there, _)| *is_there).map(|(_, name)| name).collect()
    }

    /// Begin the tables in the folder of a run, or go on with some, from a step on.
    ///
    /// # Errors
    /// A file that cannot be written, or that has other columns.
    pub fn open(folder: &Path, scene: &Scene, step: u64) -> Result<EventTables, OutputError> {
        let table = |name: &'static str| {
            let own: &[&str] = if name == CHANGES { &["from", "to", "by"] } else { &["line", "direction"] };
            let path = folder.join(name);
            // What happened in the step itself came before.
            let table = open(&path, &[&["step", "time", "id", "species"], own].concat(), step + 1)?;
            Ok((path, table))
        };
        let tables = EventTables::names(scene).into_iter().map(table).collect::<Result<_, OutputError>>()?;
        Ok(EventTables { tables, scene: scene.clone() })
    }

    /// Add what was listed since the latest look.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, events: &Events) -> Result<(), OutputError> {
        let scene = &self.scene;
        for (path, table) in &mut self.tables {
            let mut write = || -> std::io::Result<()> {
                for event in &events.list {
                    let (name, own) = own_fields(scene, event);
                    if path.ends_with(name) {
                        let species = scene.species_of(event.id).map_or("", |species| &species.name);
                        let time = super::metrics::time_of(event.step.into(), scene.dt);
                        let head = [event.step.to_string(), time, event.id.to_string(), species.to_owned()];
                        table.write_record(head.into_iter().chain(own))?;
                    }
                }
                table.flush()
            };
            write().map_err(|error| OutputError::write(path, error))?;
        }
        Ok(())
    }

    /// As [`Tracks::sync`].
    ///
    /// # Errors
    /// As there.
    pub fn sync(&self) -> Result<(), OutputError> {
        self.tables.iter().try_for_each(|(path, table)| sync(path, table))
    }
}
