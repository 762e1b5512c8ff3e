//! How long a step would take on a GPU that is not here.
//!
//! The model is a sum: each dispatch waits for the one before; each pass moves its bytes once at the bandwidth of the memory; and
//! the search issues one instruction for each lane and clock, where lanes that run in lockstep wait for the slowest. Caches, which make
//! memory faster, and stalls, which make lanes slower, are not in it, and no constant is fitted: see docs/performance.md for how
//! far it is off.

use super::{Load, SearchLoop};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;
use toml_edit::{DocumentMut, Table};

/// A GPU by its data sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownGpu {
    /// Name of the GPU.
    pub name: String,
    /// Floating-point lanes.
    pub lanes: f64,
    /// Boost clock, GHz.
    pub clock_ghz: f64,
    /// Bandwidth of the memory, GB/s.
    pub bandwidth_gb_s: f64,
    /// Lanes that run in lockstep.
    pub lanes_in_step: u32,
    /// Time of a dispatch that waits for the one before, µs.
    pub launch_us: f64,
    /// Where its figures were published.
    pub source: String,
}

/// The published time of a step of some program, and what that program does in a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The program.
    pub program: String,
    /// The world of `steerling bench` that is most like the program's.
    pub world: String,
    /// The GPU.
    pub gpu: String,
    /// What a step does.
    pub work: Work,
    /// The published time of a step, ms.
    pub ms: f64,
    /// Where it was published.
    pub source: String,
}

/// The work of a step, as far as the model of this module takes it into account.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// The number of agents.
    pub agents: f64,
    /// Lane-steps over candidates, for each agent.
    pub tests: f64,
    /// Of these, lane-steps in which some lane of the group has a hit.
    pub hits: f64,
    /// Bytes that the step moves, for each agent.
    pub bytes: f64,
    /// The number of dispatches.
    pub dispatches: f64,
    /// The instructions that a test and a hit take.
    pub instructions: SearchLoop,
}

/// The predicted time of a step, and its parts, ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The GPU.
    pub gpu: String,
    /// Launches of dispatches.
    pub launches_ms: f64,
    /// Moving bytes to and from memory.
    pub memory_ms: f64,
    /// Instructions of the search.
    pub search_ms: f64,
    /// The whole step: the sum of these.
    pub step_ms: f64,
}

static TABLE: LazyLock<(Vec<KnownGpu>, Vec<Published>)> =
    LazyLock::new(|| read(include_str!("../../assets/gpus.toml")).expect("assets/gpus.toml is whole"));

/// The GPUs of `assets/gpus.toml`.
pub fn gpus() -> &'static [KnownGpu] {
    &TABLE.0
}

/// The published figures of `assets/gpus.toml`.
pub fn published() -> &'static [Published] {
    &TABLE.1
}

fn read(text: &str) -> Option<(Vec<KnownGpu>, Vec<Published>)> {
    let document: DocumentMut = text.parse().ok()?;
    let number = |table: &Table, key: &str| {
        let item = table.get(key)?;
        item.as_float().or_else(|| item.as_integer().map(|whole| whole as f64)).filter(|number| *number > 0.0)
    };
    let word = |table: &Table, key: &str| Some(table.get(key)?.as_str()?.to_owned());
    let launch_us = number(document.as_table(), "launch_us")?;
    let tables = |key: &str| Some(document.get(key)?.as_array_of_tables()?.iter());
    let gpu = |table: &Table| {
        Some(KnownGpu {
            name: word(table, "name")?,
            lanes: number(table, "lanes")?,
            clock_ghz: number(table, "clock_ghz")?,
            bandwidth_gb_s: number(table, "bandwidth_gb_s")?,
            lanes_in_step: number(table, "lanes_in_step")? as u32,
            launch_us,
            source: word(table, "source")?,
        })
    };
    let published = |table: &Table| {
        let (agents, tests, hits) = (number(table, "agents")?, number(table, "tests")?, number(table, "hits")?);
        let (bytes, dispatches) = (number(table, "bytes")?, number(table, "dispatches")?);
        let work = Work { agents, tests, hits, bytes, dispatches, instructions: SearchLoop::default() };
        let (program, world, gpu) = (word(table, "program")?, word(table, "world")?, word(table, "gpu")?);
        Some(Published { program, world, gpu, work, ms: number(table, "ms")?, source: word(table, "source")? })
    };
    Some((tables("gpu")?.map(gpu).collect::<Option<_>>()?, tables("published")?.map(published).collect::<Option<_>>()?))
}

impl Work {
    /// The work of a step that was counted: its load on groups of `lanes` lanes in lockstep, the bytes of all its passes, its dispatches.
    pub fn counted(load: &Load, lanes: u32, agents: u32, bytes: u64, dispatches: usize, search: SearchLoop) -> Work {
        let each = f64::from(load.lookers) / f64::from(agents.max(1));
        let (tests, hits) = load.of_lanes(lanes).map_or((0.0, 0.0), |lanes| (lanes.walk * each, lanes.hits * each));
        Work {
            agents: agents.into(),
            tests,
            hits,
            bytes: bytes as f64 / f64::from(agents.max(1)),
            dispatches: dispatches as f64,
            instructions: search,
        }
    }

    /// The instructions of the search in all lanes together.
    pub fn search_instructions(&self) -> f64 {
        let SearchLoop { test, hit } = self.instructions;
        self.agents * (self.tests * f64::from(test) + self.hits * f64::from(hit))
    }
}

impl KnownGpu {
    /// The time of a step on this GPU.
    pub fn predict(&self, work: &Work) -> Prediction {
        let launches_ms = work.dispatches * self.launch_us * 1e-3;
        let memory_ms = work.agents * work.bytes / (self.bandwidth_gb_s * 1e9) * 1e3;
        let search_ms = work.search_instructions() / (self.lanes * self.clock_ghz * 1e9) * 1e3;
        let step_ms = launches_ms + memory_ms + search_ms;
        Prediction { gpu: self.name.clone(), launches_ms, memory_ms, search_ms, step_ms }
    }
}
