//! The table of stages: one simulation step, in order.
//!
//! A stage is a name with two implementations, `shaders/sim/NAME.wgsl` and `src/cpu/sim/NAME.rs`. The simulator, the
//! verifier, the profiler and the documentation all walk this table.

use super::CompiledScene;

/// One stage of a simulation step.
#[derive(Debug)]
pub struct Stage {
    /// Name of its shader file and of its CPU twin.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Compute entry points, dispatched in this order.
    pub entry_points: &'static [Dispatch],
    /// Buffers that it writes, for verification; a scene need not have all of them.
    pub outputs: &'static [&'static str],
    /// Does a step of this compiled scene have it?
    pub used: fn(&CompiledScene) -> bool,
}

/// An entry point: its name, its dispatch domain, and whether a step of this compiled scene has it.
pub type Dispatch = (&'static str, DispatchDomain, fn(&CompiledScene) -> bool);

/// The dispatch domain of an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DispatchDomain {
    /// One invocation per agent.
    Agents,
    /// One invocation per agent that has queries, or per agent where more than one in eight has.
    QueryingAgents,
    /// One invocation per agent of the active list; per agent where none skips steps.
    ActiveList,
    /// One workgroup per block of cells.
    Blocks,
    /// One invocation per cell of the ground.
    Ground,
    /// One invocation per [`AGENTS_PER_SHARE`](super::AGENTS_PER_SHARE) agents, or more of them, which it goes through.
    Shares,
    /// A few workgroups, whose invocations go through all agents.
    Few,
    /// One workgroup.
    Single,
}

/// The entry point of `gather` that copies sorted agents from the texture into the buffers. It is there where they are loaded from a
/// texture, and steps in a row leave it out.
pub(crate) const GATHER_COLUMNS: &str = "gather_columns";

/// The entry point of `observe` that loads from that texture, into which the columns were copied. It is there where the texture is, and for
/// rows of metrics, because between the stages of a step something else is in the texture.
pub(crate) const OBSERVE_TEXELS: &str = "observe_texels";

fn always(_: &CompiledScene) -> bool {
    true
}

/// One simulation step.
pub const STAGES: &[Stage] = &[
    Stage {
        name: "bin",
        summary: "decide each agent's cell and count the agents of each cell",
        entry_points: &[("bin", DispatchDomain::Agents, always)],
        outputs: &["cell", "count"],
        used: always,
    },
    Stage {
        name: "crowd",
        summary: "a cell that is too full shows a sample of its agents; the others are set aside",
        entry_points: &[("crowd", DispatchDomain::Few, always)],
        outputs: &["cell", "count", "visible"],
        used: |model| model.features.crowds,
    },
    Stage {
        name: "scan",
        summary: "prefix sum of the counts: where each cell starts; the clock ticks",
        entry_points: &[
            ("scan_reduce", DispatchDomain::Blocks, always),
            ("scan_apply", DispatchDomain::Blocks, always),
        ],
        outputs: &["cell_start", "clock"],
        used: always,
    },
    Stage {
        name: "advance",
        summary: "move the scenery to where it is when the step begins",
        entry_points: &[("advance", DispatchDomain::Single, always)],
        outputs: &[],
        used: |model| model.features.moves,
    },
    Stage {
        name: "scatter",
        summary: "write each agent's storage slot to a sorted index of its cell",
        entry_points: &[("scatter", DispatchDomain::Agents, always)],
        outputs: &["order"],
        used: always,
    },
    Stage {
        name: "gather",
        summary: "copy the agents into order by cell, and by id within a cell",
        entry_points: &[("gather", DispatchDomain::Agents, always), (GATHER_COLUMNS, DispatchDomain::Agents, always)],
        outputs: &["sorted_position", "sorted_velocity", "sorted_id", "sorted_index_of"],
        used: always,
    },
    Stage {
        name: "census",
        summary: "sums over all agents, for unlimited vision",
        entry_points: &[("census_clear", DispatchDomain::Single, always), ("census", DispatchDomain::Agents, always)],
        outputs: &["census_sums"],
        used: |model| model.mentions("census_sums"),
    },
    Stage {
        name: "schedule",
        summary: "the active list of agents that steer in this step; the others hold their steering",
        entry_points: &[
            ("clear_active", DispatchDomain::Single, always),
            ("list_active", DispatchDomain::Agents, always),
            ("close_active", DispatchDomain::Single, always),
        ],
        outputs: &[],
        used: |model| model.features.skips,
    },
    Stage {
        name: "search",
        summary: "the queries of agents for the nearest of a species",
        entry_points: &[("search", DispatchDomain::QueryingAgents, always)],
        outputs: &["found"],
        used: |model| model.features.queries,
    },
    Stage {
        name: "steer",
        summary: "neighbors, targets and every behavior, combined into one acceleration",
        entry_points: &[("steer", DispatchDomain::ActiveList, always)],
        outputs: &["acceleration", "neighbors", "memory"],
        used: always,
    },
    Stage {
        name: "integrate",
        summary: "force limit, semi-implicit Euler, speed limits, heading, boundary",
        entry_points: &[("integrate", DispatchDomain::Agents, always)],
        outputs: &["position", "velocity", "id", "pose"],
        used: always,
    },
    Stage {
        name: "ground",
        summary: "marks on the ground, claims to its resource, growth and forgetting",
        entry_points: &[
            ("ground_mark", DispatchDomain::Agents, always),
            ("ground_settle", DispatchDomain::Ground, always),
        ],
        outputs: &["ground", "memory"],
        used: CompiledScene::reads_ground,
    },
    Stage {
        name: "trail",
        summary: "deposits on the ground, and how they fade and spread",
        entry_points: &[
            ("trail_lay", DispatchDomain::Agents, always),
            ("trail_fade", DispatchDomain::Ground, always),
            ("trail_spread", DispatchDomain::Ground, always),
        ],
        outputs: &["faded", "ground"],
        used: CompiledScene::has_trail,
    },
];

/// In place of `steer`, `integrate` and the next step's `bin`, where several steps run one after another: see
/// [`CompiledScene::strides`]. It is no stage of its own, but the functions of those three, so equal bits follow from theirs.
pub const STRIDE: Stage = Stage {
    name: "stride",
    summary: "steer, integrate, and bin for the next step, in one pass",
    entry_points: &[("stride", DispatchDomain::Agents, always)],
    outputs: &[],
    used: CompiledScene::strides,
};

/// In place of `crowd`, `scan`, `scatter` and `gather` in a row of steps of a small world: see [`CompiledScene::is_small`].
pub const ARRANGE: Stage = Stage {
    name: "arrange",
    summary: "crowd, scan, scatter and gather by one workgroup, in one pass",
    entry_points: &[("arrange", DispatchDomain::Single, always)],
    outputs: &[],
    used: CompiledScene::is_small,
};

/// Not part of a step: reduces the state to digest and observables on request.
pub const OBSERVE: Stage = Stage {
    name: "observe",
    summary: "reduce the state to its digest and a few observables",
    entry_points: &[("observe", DispatchDomain::Shares, always), (OBSERVE_TEXELS, DispatchDomain::Shares, always)],
    outputs: &[],
    used: always,
};
