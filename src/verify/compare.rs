//! Comparison of one buffer with the reference, and the verdict over all steps.

use crate::cpu::brute_force::perceive_at;
use crate::cpu::{Buffers, Simulation};
use crate::gpu;
use crate::model::{Buffer, BufferId, CELL_BITS, Comparison, STAGES, Scale, Stage, StageId};
use crate::scene::{Boundary, Scene};
use serde::Serialize;
use std::borrow::Cow;

/// Bars for adapters that promise no bits, relative to the scale of the quantity (verification against a CPU that fuses
/// and perturbs every operation gave these with a margin of about three).
#[derive(Debug, Clone, Copy)]
pub struct Tolerance {
    /// Median error.
    pub median: f64,
    /// 99.99th percentile of the errors.
    pub p9999: f64,
    /// Values with a larger error are outliers, and must be threshold cases.
    pub outlier: f64,
    /// Share of the compared values that may be outliers, all explained.
    pub outlier_share: f64,
}

/// The bars that `verify` uses.
pub const TOLERANCE: Tolerance = Tolerance { median: 1e-7, p9999: 2e-6, outlier: 1e-5, outlier_share: 2e-5 };

/// Eight units in the last place, relative: a pair this near to a threshold may fall on either side.
const THRESHOLD: f64 = 8.0 * f32::EPSILON as f64;

/// Did a buffer pass?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Within the bar.
    Pass,
    /// Not within the bar, or nothing was compared.
    Fail,
}

/// The first value that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mismatch {
    /// Step, from 0.
    pub step: u32,
    /// Agent, where the value belongs to one.
    pub agent: Option<u32>,
    /// Index in the buffer.
    pub index: usize,
    /// The GPU's value, hexadecimal.
    pub gpu: String,
    /// The reference's value, hexadecimal.
    pub cpu: String,
}

/// One buffer of one stage, over all steps.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The stage that wrote it.
    pub stage: StageId,
    /// The buffer.
    pub buffer: BufferId,
    /// Values compared.
    pub compared: u64,
    /// Values whose bits differ.
    pub differing: u64,
    /// Largest difference of two floats, in units in the last place.
    pub worst_ulp: u64,
    /// The agent with that difference.
    pub worst_agent: Option<u32>,
    /// Values outside the tolerance that are threshold cases (in tolerance mode).
    pub explained: u64,
    /// Values outside the tolerance that are not.
    pub unexplained: u64,
    /// The first difference.
    pub first: Option<Mismatch>,
    /// The verdict.
    pub verdict: Verdict,
    #[serde(skip)]
    errors: Vec<f32>,
}

/// The inputs of a comparison.
pub(super) struct Context<'a> {
    pub step: u32,
    pub scene: &'a Scene,
    pub reference: &'a Simulation,
    /// The reference's buffers before the stage, to explain outliers; empty if all sides are exact.
    pub before: &'a Buffers,
    pub exact: bool,
}

/// The outputs that a stage writes in this scene, and how they are compared.
pub(super) fn outputs<'a>(
    stage: &'a Stage,
    simulation: &'a gpu::Simulation,
) -> impl Iterator<Item = (&'static Buffer, Comparison)> + 'a {
    let runs = (stage.used)(simulation.model());
    let bound = stage.outputs.iter().filter(move |buffer| runs && simulation.has(**buffer));
    bound.map(|buffer| buffer.row()).filter_map(|buffer| Some((buffer, buffer.comparison?)))
}

/// Is a buffer with this comparison compared? [`Comparison::Bits`] only where equal bits are demanded.
pub(super) fn is_compared(comparison: Comparison, exact: bool) -> bool {
    exact || comparison != Comparison::Bits
}

/// An empty row for each output that is compared.
pub(super) fn rows(simulation: &gpu::Simulation, exact: bool) -> Vec<Row> {
    let row = |stage, buffer| Row {
        stage,
        buffer,
        compared: 0,
        differing: 0,
        worst_ulp: 0,
        worst_agent: None,
        explained: 0,
        unexplained: 0,
        first: None,
        verdict: Verdict::Fail,
        errors: Vec::new(),
    };
    let of_stage = |stage: &'static Stage| {
        let compared = outputs(stage, simulation).filter(|(_, comparison)| is_compared(*comparison, exact));
        compared.map(|(buffer, _)| row(stage.id, buffer.id)).collect::<Vec<_>>()
    };
    STAGES.iter().flat_map(of_stage).collect()
}

/// Distance of two floats in units in the last place.
pub fn ulps(a: f32, b: f32) -> u64 {
    let ordered = |x: f32| {
        let bits = i64::from(x.to_bits() & 0x7fff_ffff);
        if x.is_sign_negative() { -bits } else { bits }
    };
    ordered(a).abs_diff(ordered(b))
}

impl Row {
    /// Compare one step's buffer. Returns whether all bits were equal.
    pub(super) fn add(
        &mut self,
        (buffer, how): (&Buffer, Comparison),
        expected: &[u32],
        found: &[u32],
        context: &Context<'_>,
    ) -> bool {
        let before = self.differing;
        let model = context.reference.model();
        let width = buffer.width(model);
        let (mut cpu, mut gpu) = (Cow::Borrowed(expected), Cow::Borrowed(found));
        self.compared += cpu.len().min(gpu.len()) as u64;
        if cpu.len() != gpu.len() {
            self.differs(cpu.len().min(gpu.len()), None, gpu.len() as u32, cpu.len() as u32, context);
        }
        if how == Comparison::Cells {
            gpu.to_mut().iter_mut().for_each(|word| *word &= (1 << CELL_BITS) - 1);
        }
        if how == Comparison::SetPerCell {
            let starts = &context.reference.buffers().cell_start[..model.world.last_cell() as usize + 2];
            sort_cells(cpu.to_mut(), starts);
            sort_cells(gpu.to_mut(), starts);
        }
        let is_written = |id: usize| model.features.tracks_agents || model.may_query(id as u32);
        for (index, (cpu, gpu)) in cpu.iter().copied().zip(gpu.iter().copied()).enumerate() {
            let element = index / width;
            match how {
                Comparison::ExactWhereWritten if !is_written(element) => {}
                Comparison::Floats(scale) => {
                    let (cpu, gpu) = (f32::from_bits(cpu), f32::from_bits(gpu));
                    let ulp = ulps(cpu, gpu);
                    if ulp > self.worst_ulp {
                        (self.worst_ulp, self.worst_agent) = (ulp, agent(buffer, element, context));
                    }
                    if cpu.to_bits() != gpu.to_bits() {
                        let agent = agent(buffer, element, context);
                        self.differs(index, agent, gpu.to_bits(), cpu.to_bits(), context);
                    }
                    if !context.exact {
                        self.tolerate((buffer, scale), index, (cpu, gpu), context);
                    }
                }
                _ if cpu != gpu => {
                    self.differs(index, agent(buffer, element, context), gpu, cpu, context);
                    if !context.exact {
                        self.explain(buffer, element, context);
                    }
                }
                _ => {}
            }
        }
        self.differing == before
    }

    fn differs(&mut self, index: usize, agent: Option<u32>, gpu: u32, cpu: u32, context: &Context<'_>) {
        self.differing += 1;
        if self.first.is_none() {
            let hex = |word: u32| format!("{word:#010x}");
            self.first = Some(Mismatch { step: context.step, agent, index, gpu: hex(gpu), cpu: hex(cpu) });
        }
    }

    /// In tolerance mode: keep the error, relative to the quantity's scale, and explain it where it is an outlier.
    fn tolerate(
        &mut self,
        (buffer, scale): (&Buffer, Scale),
        index: usize,
        (cpu, gpu): (f32, f32),
        context: &Context<'_>,
    ) {
        let model = context.reference.model();
        let world = &model.world;
        let width = buffer.width(model);
        let axis = index % width;
        let mut difference = (cpu - gpu).abs();
        let size = match scale {
            Scale::Position => {
                if model.boundary[axis] == Boundary::Wrap {
                    // The two ends of a wrapped axis are one place.
                    difference = difference.min((difference - world.size[axis]).abs());
                }
                world.half_size.iter().copied().fold(0.0, f32::max)
            }
            Scale::Speed => world.top_speed,
            Scale::Pose if axis < 6 => 1.0,
            Scale::Pose => 1.0 / world.dt,
            Scale::Acceleration => model.species.iter().map(|s| s.max_force / s.mass).fold(cpu.abs(), f32::max),
        };
        let error = difference / size.max(f32::MIN_POSITIVE);
        self.errors.push(error);
        if error.is_nan() || f64::from(error) > TOLERANCE.outlier {
            self.explain(buffer, index / width, context);
        }
    }

    /// Count a value outside the tolerance as explained where rounding may have decided.
    fn explain(&mut self, buffer: &Buffer, element: usize, context: &Context<'_>) {
        let explained = match buffer.id {
            // Rounding decides an agent's cell only at an edge of cells, and counts follow from cells. Later stages start from the
            // reference's cells.
            BufferId::Cell => on_cell_edge(element, context),
            BufferId::Count | BufferId::Visible => {
                (0..context.before.position.len()).any(|slot| on_cell_edge(slot, context))
            }
            BufferId::Acceleration | BufferId::Neighbors => {
                let perceived = perceive_at(context.scene, context.reference.model(), context.before, element);
                perceived.is_some_and(|p| p.nearest_threshold <= THRESHOLD)
            }
            _ => false,
        };
        if explained {
            self.explained += 1;
        } else {
            self.unexplained += 1;
        }
    }

    /// The verdict over all steps.
    pub(super) fn judge(mut self, exact: bool, agents: u32) -> Row {
        let something = self.compared > 0 || agents == 0;
        let within = if exact {
            self.differing == 0
        } else {
            self.errors.sort_unstable_by(f32::total_cmp);
            let at = |share: f64| {
                let last = self.errors.len().saturating_sub(1);
                f64::from(self.errors.get((last as f64 * share) as usize).copied().unwrap_or(0.0))
            };
            let allowed = (self.compared as f64 * TOLERANCE.outlier_share).ceil() as u64;
            at(0.5) <= TOLERANCE.median
                && at(0.9999) <= TOLERANCE.p9999
                && self.unexplained == 0
                && self.explained <= allowed
        };
        if something && within {
            self.verdict = Verdict::Pass;
        }
        self.errors = Vec::new();
        self
    }
}

/// The agent that an element belongs to, by the reference's ids.
fn agent(buffer: &Buffer, element: usize, context: &Context<'_>) -> Option<u32> {
    let buffers = context.reference.buffers();
    buffer.agent(element, context.reference.model(), &buffers.id, &buffers.sorted_id)
}

/// The elements of each cell, sorted.
fn sort_cells(words: &mut [u32], cell_start: &[u32]) {
    for range in cell_start.windows(2) {
        words.get_mut(range[0] as usize..range[1] as usize).unwrap_or_default().sort_unstable();
    }
}

/// Is the agent's position within a few units in the last place of the edge of a cell?
fn on_cell_edge(slot: usize, context: &Context<'_>) -> bool {
    let world = &context.reference.model().world;
    (0..3).any(|axis| {
        let shifted = context.before.position[slot][axis] + world.half_size[axis];
        let coordinate = f64::from(shifted * world.cells_per_unit[axis]);
        (coordinate - coordinate.round()).abs() <= 4.0 * f64::from(f32::EPSILON) * coordinate.abs().max(1.0)
    })
}
