//! Tracks: where single agents went, step by step, without whole states.

use super::OutputError;
use super::folder::cut;
use crate::files::{self, Tried};
use crate::model::random::hash4;
use crate::scene::Scene;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Marks the hash that chooses agents.
const CHOOSES: u32 = 0x7472_636b;

/// Which agents are tracked.
#[derive(Debug, Clone, PartialEq)]
pub enum Tracked {
    /// Those with these ids.
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

/// The table of tracks: a row for each agent and moment.
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
        let path = folder.join("tracks.csv");
        let fault = |error: std::io::Error| OutputError::write(&path, error);
        let columns: &[&str] = match scene.world.spatial {
            true => &["step", "time", "id", "x", "y", "z", "vx", "vy", "vz"],
            false => &["step", "time", "id", "x", "y", "vx", "vy"],
        };
        let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
        let file = match path.exists() {
            true => cut(&path, &columns, step)?,
            false => files::create_new(&path).map_err(fault)?,
        };
        let is_new = file.metadata().is_ok_and(|about| about.len() == 0);
        let mut table = csv::Writer::from_writer(Tried(file));
        if is_new {
            table.write_record(&columns).map_err(|error| fault(error.into()))?;
        }
        Ok(Tracks { path, table, dt: scene.dt, components: if scene.world.spatial { 3 } else { 2 } })
    }

    /// Add a moment: of each agent its id, position and velocity.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, step: u64, agents: &[(u32, [f32; 3], [f32; 3])]) -> Result<(), OutputError> {
        let head = [step.to_string(), super::metrics::time_of(step, self.dt)];
        let mut write = || -> std::io::Result<()> {
            for (id, position, velocity) in agents {
                let vectors = [position, velocity].into_iter().flat_map(|vector| &vector[..self.components]);
                let fields = [id.to_string()].into_iter().chain(vectors.map(f32::to_string));
                self.table.write_record(head.iter().cloned().chain(fields))?;
            }
            self.table.flush()
        };
        write().map_err(|error| OutputError::write(&self.path, error))
    }
}
