//! The table of stages: one simulation step, in order.
//!
//! A stage is a name with two implementations, `shaders/sim/NAME.wgsl` and `src/cpu/sim/NAME.rs`. The simulator, the
//! verifier, the profiler and the documentation all walk this table.

use super::Model;

/// One stage of a simulation step.
#[derive(Debug)]
pub struct Stage {
    /// Name of its shader file and of its CPU twin.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Compute entry points, dispatched in this order.
    pub entry_points: &'static [Dispatch],
    /// Buffers it writes, for verification.
    pub outputs: &'static [Output],
    /// Does a step of this model have it?
    pub used: fn(&Model) -> bool,
}

/// An entry point: its name, what it has one invocation for, and whether a step of this model has it.
pub type Dispatch = (&'static str, Extent, fn(&Model) -> bool);

/// What an entry point is dispatched over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// One invocation per agent.
    Agents,
    /// One invocation per agent that asks for the nearest of a species, or per agent where more than one in eight asks.
    Askers,
    /// One invocation per agent that steers in this step.
    Due,
    /// One workgroup per block of cells.
    Blocks,
    /// One invocation per cell of the ground.
    Ground,
    /// One workgroup.
    Single,
}

/// A buffer that a stage writes.
#[derive(Debug)]
pub struct Output {
    /// Name of the buffer, in WGSL and on the CPU.
    pub buffer: &'static str,
    /// How the two sides are compared.
    pub comparison: Comparison,
}

/// How a buffer of the GPU is compared with the reference's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Integers, each equal.
    Exact,
    /// Floats: equal bits, or within tolerance on an adapter that promises no bits.
    Floats,
    /// Words that hold floats too: equal bits, and not compared on an adapter that promises none.
    Bits,
    /// Pairs of slot and id, equal as a set within each cell: their order is that of the threads.
    SetPerCell,
}

const fn exact(buffer: &'static str) -> Output {
    Output { buffer, comparison: Comparison::Exact }
}

const fn floats(buffer: &'static str) -> Output {
    Output { buffer, comparison: Comparison::Floats }
}

fn always(_: &Model) -> bool {
    true
}

/// One simulation step.
pub const STAGES: &[Stage] = &[
    Stage {
        name: "bin",
        summary: "tick the clock, decide each agent's cell and count the agents of each cell",
        entry_points: &[("bin", Extent::Agents, always)],
        outputs: &[exact("cell"), exact("count"), exact("clock")],
        used: always,
    },
    Stage {
        name: "scan",
        summary: "prefix sum of the counts: where each cell starts",
        entry_points: &[
            ("scan_reduce", Extent::Blocks, always),
            ("scan_spine", Extent::Single, always),
            ("scan_apply", Extent::Blocks, always),
        ],
        outputs: &[exact("cell_start")],
        used: always,
    },
    Stage {
        name: "scatter",
        summary: "put each agent's slot into a place of its cell",
        entry_points: &[("scatter", Extent::Agents, always)],
        outputs: &[Output { buffer: "order", comparison: Comparison::SetPerCell }],
        used: always,
    },
    Stage {
        name: "gather",
        summary: "copy the agents into order by cell, and by id within a cell",
        entry_points: &[("gather", Extent::Agents, always)],
        outputs: &[floats("sorted_position"), floats("sorted_velocity"), exact("sorted_id")],
        used: always,
    },
    Stage {
        name: "census",
        summary: "sums over all agents, for unlimited vision",
        entry_points: &[("census_clear", Extent::Single, always), ("census", Extent::Agents, always)],
        outputs: &[Output { buffer: "census_sums", comparison: Comparison::Bits }],
        used: |model| model.keeps("census_sums"),
    },
    Stage {
        name: "schedule",
        summary: "who steers in this step; the others hold their steering",
        entry_points: &[
            ("due_clear", Extent::Single, always),
            ("due_list", Extent::Agents, always),
            ("due_close", Extent::Single, always),
        ],
        outputs: &[],
        used: |model| model.features.skips,
    },
    Stage {
        name: "search",
        summary: "who asks finds the nearest of a species",
        entry_points: &[("search", Extent::Askers, always)],
        outputs: &[exact("found")],
        used: |model| model.features.queries,
    },
    Stage {
        name: "steer",
        summary: "neighbors, targets and every behavior, combined into one acceleration",
        entry_points: &[("steer", Extent::Due, always)],
        outputs: &[
            floats("acceleration"),
            floats("turning"),
            exact("neighbors"),
            Output { buffer: "memory", comparison: Comparison::Bits },
        ],
        used: always,
    },
    Stage {
        name: "integrate",
        summary: "force limit, semi-implicit Euler, speed limits, heading, boundary",
        entry_points: &[("integrate", Extent::Agents, always)],
        outputs: &[floats("position"), floats("velocity"), exact("id"), floats("pose")],
        used: always,
    },
    Stage {
        name: "ground",
        summary: "marks on the ground, claims to its resource, growth and forgetting",
        entry_points: &[("ground_mark", Extent::Agents, always), ("ground_settle", Extent::Ground, always)],
        outputs: &[exact("ground"), Output { buffer: "memory", comparison: Comparison::Bits }],
        used: |model| model.keeps("ground"),
    },
];

/// Not part of a step: reduces the state to digest and observables when somebody asks.
pub const OBSERVE: Stage = Stage {
    name: "observe",
    summary: "reduce the state to its digest and a few observables",
    entry_points: &[("observe", Extent::Agents, always)],
    outputs: &[],
    used: always,
};
