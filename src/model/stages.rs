//! The table of stages: one simulation step, in order.
//!
//! A stage is a name with two implementations, `shaders/sim/NAME.wgsl` and `src/cpu/sim/NAME.rs`. The simulator, the
//! verifier, the profiler and the documentation all walk this table.

use super::measured::{GROUP_POLARIZATION, GROUPS, NEAREST_DISTANCE, OVERLAPS, VELOCITY_CORRELATION};
use super::names::names;
use super::{BufferId, CompiledScene, Measures};
use crate::scene::Quantity;

/// One stage of a simulation step.
#[derive(Debug)]
pub struct Stage {
    /// Which it is.
    pub id: StageId,
    /// Name of its shader file and of its CPU twin.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its compute entry points, in the order in which they are dispatched.
    pub entry_points: &'static [Dispatch],
    /// Buffers that it writes, for verification; a scene need not have all of them.
    pub outputs: &'static [BufferId],
    /// Does a step of this compiled scene have it?
    pub used: fn(&CompiledScene) -> bool,
}

/// An entry point and its dispatch domain.
pub type Dispatch = (PassId, DispatchDomain);

/// The dispatch domain of an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DispatchDomain {
    /// One invocation per agent.
    Agents,
    /// One workgroup per agent that has queries; if these agents are many, one invocation per agent that has queries; and if they are more
    /// than one in eight, one invocation per agent.
    QueryingAgents,
    /// One invocation per agent of the active list; if no agent skips steps, one per agent.
    ActiveList,
    /// One workgroup per block of cells.
    Blocks,
    /// One invocation per cell of the ground.
    Ground,
    /// One invocation per [`AGENTS_PER_SHARE`](super::AGENTS_PER_SHARE) or [`AGENTS_PER_LONG_SHARE`](super::AGENTS_PER_LONG_SHARE) agents,
    /// which it loops over; per more agents if these would be more workgroups than a dispatch is wide.
    Shares,
    /// As many workgroups as one invocation per agent needs, but at most 65,535, the width of a dispatch; their invocations share all
    /// agents.
    Many,
    /// A few workgroups, whose invocations share all agents.
    Few,
    /// One workgroup.
    Single,
}

impl Stage {
    /// How often its passes run in a step, one after another.
    pub fn rounds(&self, model: &CompiledScene) -> usize {
        if self.id == StageId::Collide { model.contact_rounds } else { 1 }
    }
}

fn always(_: &CompiledScene) -> bool {
    true
}

macro_rules! stages {
    ($($stage:ident {
        summary: $summary:literal,
        passes: [$($pass:ident($domain:ident)),*],
        outputs: [$($output:ident),*],
        used: $used:expr,
    })*) => {
        names! {
            /// A stage. First come the stages of a step, in their order, then fused ones, which do the work of several, and `observe`.
            StageId { $($stage,)* }
        }
        names! {
            /// An entry point of a stage.
            PassId { $($($pass,)*)* }
        }

        const TABLE: &[Stage] = &[$(Stage {
            id: StageId::$stage,
            name: StageId::$stage.name(),
            summary: $summary,
            entry_points: &[$((PassId::$pass, DispatchDomain::$domain)),*],
            outputs: &[$(BufferId::$output),*],
            used: $used,
        }),*];

        impl StageId {
            /// Its row of the table.
            pub const fn row(self) -> &'static Stage {
                &TABLE[self as usize]
            }
        }
    };
}

stages! {
    Bin {
        summary: "decide each agent's cell and count the agents of each cell",
        passes: [Bin(Agents)],
        outputs: [Cell, Count],
        used: always,
    }
    Crowd {
        summary: "a cell that is too full shows a sample of its agents; the others are set aside",
        passes: [Crowd(Few)],
        outputs: [Cell, Count, Visible],
        used: |model| model.features.crowds,
    }
    Scan {
        summary: "prefix sum of the counts: where each cell starts; the clock ticks",
        passes: [ScanReduce(Blocks), ScanApply(Blocks)],
        outputs: [CellStart, Clock],
        used: always,
    }
    Advance {
        summary: "move the scenery to where it is when the step begins",
        passes: [Advance(Single)],
        outputs: [],
        used: |model| model.features.moves,
    }
    Scatter {
        summary: "write each agent's storage slot to a sorted index of its cell",
        passes: [Scatter(Agents)],
        outputs: [Order],
        used: always,
    }
    // `gather_columns` copies the sorted agents from the texture into the buffers. It exists only where agents are loaded from the texture,
    // and steps in a row leave it out.
    Gather {
        summary: "copy the agents into order by cell, and by id within a cell",
        passes: [Gather(Agents), GatherColumns(Agents)],
        outputs: [SortedPosition, SortedVelocity, SortedId, SortedIndexOf],
        used: always,
    }
    Census {
        summary: "sums over all agents, for unlimited vision",
        passes: [CensusClear(Single), Census(Agents)],
        outputs: [CensusSums],
        used: |model| model.mentions(BufferId::CensusSums.name()),
    }
    Schedule {
        summary: "the active list of agents that steer in this step; the others hold their steering",
        passes: [ClearActive(Single), ListActive(Agents), CloseActive(Single)],
        outputs: [],
        used: |model| model.features.skips,
    }
    Search {
        summary: "the queries of agents for the nearest of a species",
        passes: [Search(QueryingAgents)],
        outputs: [Found],
        used: |model| model.features.queries,
    }
    // The list of events is in the order of threads.
    Notice {
        summary: "list the agents whose action state changes, and the agents that cause it, where events are requested",
        passes: [Notice(Agents)],
        outputs: [],
        used: |model| model.lists_events && model.features.selects_actions,
    }
    Steer {
        summary: "neighbors, targets and every behavior, combined into one acceleration",
        passes: [Steer(ActiveList)],
        outputs: [Acceleration, Neighbors, Memory],
        used: always,
    }
    Integrate {
        summary: "force limit, semi-implicit Euler, speed limits, heading, boundary",
        passes: [Integrate(Agents)],
        outputs: [Position, Velocity, Id, Pose],
        used: always,
    }
    Collide {
        summary: "bodies that overlap are moved apart",
        passes: [CollidePush(Agents), CollideMove(Agents)],
        outputs: [Pushes, Position, Velocity],
        used: CompiledScene::collides,
    }
    Tally {
        summary: "count the agents that cross each line; where events are requested, list crossings, and agents that \
            leave or enter",
        passes: [Tally(Agents)],
        outputs: [Crossed],
        used: |model| model.scenery.line_count > 0 || (model.lists_events && model.features.some_away),
    }
    Ground {
        summary: "marks on the ground, claims to its resource, growth and forgetting",
        passes: [GroundMark(Agents), GroundSettle(Ground)],
        outputs: [Ground, Memory],
        used: CompiledScene::reads_ground,
    }
    Trail {
        summary: "deposits on the ground, and how they fade and spread",
        passes: [TrailLay(Agents), TrailFade(Ground), TrailSpread(Ground)],
        outputs: [Faded, Ground],
        used: CompiledScene::has_trail,
    }
    // In place of `steer`, `integrate` and the next step's `bin`, where several steps run one after another: see
    // `CompiledScene::strides`. It calls the functions of these three, so the bits are the same.
    Stride {
        summary: "steer, integrate, and bin for the next step, in one pass",
        passes: [Stride(Agents)],
        outputs: [],
        used: CompiledScene::strides,
    }
    // In place of `crowd`, `scan`, `scatter` and `gather` in a row of steps of a small world: see `CompiledScene::is_small`.
    Arrange {
        summary: "crowd, scan, scatter and gather by one workgroup, in one pass",
        passes: [Arrange(Single)],
        outputs: [],
        used: CompiledScene::is_small,
    }
    // Not part of a step: reduces the state to digest and observables on request.
    Observe {
        summary: "reduce the state to its digest and a few observables",
        // `observe_texels` loads from the texture of the sorted agents, into which the columns were copied before. It exists where there
        // is such a texture and many agents, and it is for rows of metrics only: between the stages of a step the texture is in use.
        passes: [Observe(Shares), ObserveTexels(Shares)],
        outputs: [],
        used: always,
    }
    // Not part of a step either.
    Measure {
        summary: "reduce the state to what the scene asks to observe",
        passes: [
            MeasureMotion(Few), MeasurePlaces(Few), MeasureDensity(Few), MeasureChosen(Few),
            MeasureSpread(Few), MeasureTurns(Few), MeasureCells(Few), MeasureBins(Few), MeasureStates(Few), MeasureRows(Few),
            MeasureWays(Few), MeasurePaths(Many),
            MeasureEnter(Many), MeasureNearest(Many), MeasureLonely(Many), MeasureFar(Few), MeasureGroups(Many), MeasureGroupOrder(Many),
            MeasureRoots(Many), MeasureGroupSizes(Few), MeasureGroupOrders(Few), MeasureCorrelation(Many), MeasureOverlaps(Many)
        ],
        outputs: [],
        used: |model| model.measures.any(),
    }
}

/// One simulation step.
pub const STAGES: &[Stage] = TABLE.split_at(StageId::Stride as usize).0;

impl Measures {
    /// Do the observables that the scene asks for need this pass of the stage `measure`? True for passes of other stages.
    pub(crate) fn needs_pass(&self, pass: PassId) -> bool {
        let (wants, pairs) = (|quantity| self.wants(quantity), |kind| self.pairs(kind).is_some());
        match pass {
            PassId::MeasureMotion => {
                [Quantity::SpeedSpread, Quantity::VelocityCorrelation, Quantity::CorrelationLength]
                    .into_iter()
                    .any(wants)
            }
            PassId::MeasureSpread => wants(Quantity::SpeedSpread),
            PassId::MeasurePlaces | PassId::MeasureTurns => wants(Quantity::Milling),
            PassId::MeasureDensity | PassId::MeasureCells => {
                wants(Quantity::Density) || wants(Quantity::DensityContrast)
            }
            PassId::MeasureChosen | PassId::MeasureBins => wants(Quantity::CorrelationLength),
            PassId::MeasureStates => wants(Quantity::States),
            PassId::MeasureRows => wants(Quantity::Lanes),
            PassId::MeasureWays => self.leads_to_goals(),
            PassId::MeasurePaths => self.leads_along_paths(),
            PassId::MeasureEnter => (NEAREST_DISTANCE..=OVERLAPS).any(pairs),
            PassId::MeasureNearest | PassId::MeasureLonely | PassId::MeasureFar => pairs(NEAREST_DISTANCE),
            PassId::MeasureGroups | PassId::MeasureGroupSizes => pairs(GROUPS),
            PassId::MeasureGroupOrder | PassId::MeasureGroupOrders => pairs(GROUP_POLARIZATION),
            PassId::MeasureRoots => pairs(GROUPS) || pairs(GROUP_POLARIZATION),
            PassId::MeasureCorrelation => pairs(VELOCITY_CORRELATION),
            PassId::MeasureOverlaps => pairs(OVERLAPS),
            _ => true,
        }
    }
}
