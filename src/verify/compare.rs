//! Comparison of one buffer with the reference, and the verdict over all steps.

use crate::cpu::brute_force::perceive_at;
use crate::cpu::{Buffers, Contents, Simulation};
use crate::model::{Comparison, FROZEN, Model, Output, POSE_WORDS, STAGES, Stage};
use crate::scene::{Boundary, Scene};
use serde::Serialize;

/// Bars for adapters that promise no bits, relative to the scale of the quantity (verification against a CPU that fuses
/// and perturbs every operation gave these with a margin of about three).
#[derive(Debug, Clone, Copy)]
pub struct Tolerance {
    /// Median error.
    pub median: f64,
    /// Error of the agent at 99.99 %.
    pub p9999: f64,
    /// Above this, an agent must be a threshold case.
    pub outlier: f64,
    /// Share of agents that may be outliers, all explained.
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
    pub stage: &'static str,
    /// The buffer.
    pub buffer: &'static str,
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

/// What a comparison may look at.
pub(super) struct Context<'a> {
    pub step: u32,
    pub scene: &'a Scene,
    pub reference: &'a Simulation,
    /// The reference's buffers before the stage, where outliers have to be explained.
    pub before: &'a Buffers,
    pub exact: bool,
}

/// The outputs of a stage that are compared: those that the scene has, and the mixed ones only to the bit.
pub(super) fn compared<'a>(stage: &'a Stage, model: &'a Model, exact: bool) -> impl Iterator<Item = &'a Output> {
    let counts = move |o: &&Output| model.keeps(o.buffer) && (exact || o.comparison != Comparison::Bits);
    stage.outputs.iter().filter(counts)
}

/// An empty row for each output that is compared.
pub(super) fn rows(model: &Model, exact: bool) -> Vec<Row> {
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
    STAGES.iter().flat_map(|s| compared(s, model, exact).map(move |o| row(s.name, o.buffer))).collect()
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
    pub(super) fn add(&mut self, how: Comparison, expected: &Contents, found: &[u32], context: &Context<'_>) -> bool {
        let before = self.differing;
        match expected {
            Contents::Floats(floats) => {
                let components = self.components(context.reference.model());
                self.lengths(floats.len(), found.len(), context);
                for (index, (cpu, gpu)) in floats.iter().zip(found).enumerate() {
                    let place = index / components;
                    let (gpu, ulp) = (f32::from_bits(*gpu), ulps(*cpu, f32::from_bits(*gpu)));
                    if ulp > self.worst_ulp {
                        (self.worst_ulp, self.worst_agent) = (ulp, self.agent(place, context));
                    }
                    if cpu.to_bits() != gpu.to_bits() {
                        self.differs(index, place, gpu.to_bits(), cpu.to_bits(), context);
                    }
                    if !context.exact {
                        self.tolerate(index, place, *cpu, gpu, context);
                    }
                }
            }
            Contents::Words(words) => {
                self.lengths(words.len(), found.len(), context);
                let (mut cpu, mut gpu) = (words.clone(), found.to_vec());
                if how == Comparison::SetPerCell {
                    sort_cells(&mut cpu, &context.reference.buffers().cell_start);
                    sort_cells(&mut gpu, &context.reference.buffers().cell_start);
                }
                for (index, (cpu, gpu)) in cpu.iter().zip(&gpu).enumerate() {
                    if cpu != gpu {
                        self.differs(index, index, *gpu, *cpu, context);
                        if !context.exact {
                            self.explain(index, context);
                        }
                    }
                }
            }
        }
        self.differing == before
    }

    fn lengths(&mut self, cpu: usize, gpu: usize, context: &Context<'_>) {
        self.compared += cpu.min(gpu) as u64;
        if cpu != gpu {
            self.differs(cpu.min(gpu), usize::MAX, gpu as u32, cpu as u32, context);
        }
    }

    /// Floats of one agent.
    fn components(&self, model: &Model) -> usize {
        match self.buffer {
            "turning" => 3,
            "pose" => POSE_WORDS,
            _ => model.components(),
        }
    }

    fn agent(&self, place: usize, context: &Context<'_>) -> Option<u32> {
        let buffers = context.reference.buffers();
        if self.buffer == "memory" {
            return u32::try_from(place / context.reference.model().memory_size()).ok();
        }
        let ids = match self.buffer {
            "found" => {
                let row = place as u32;
                let id = |s: &crate::model::Species| row.wrapping_sub(s.asker_row);
                let holds = |s: &&crate::model::Species| s.asks() && id(s).wrapping_sub(s.first_id) < s.count;
                return context.reference.model().species.iter().find(holds).map(id);
            }
            "pose" | "turning" => return u32::try_from(place).ok(),
            "position" | "velocity" | "id" | "cell" => &buffers.id,
            "sorted_position" | "sorted_velocity" | "sorted_id" | "acceleration" | "neighbors" => &buffers.sorted_id,
            _ => return None,
        };
        ids.get(place).map(|id| id & !FROZEN)
    }

    fn differs(&mut self, index: usize, place: usize, gpu: u32, cpu: u32, context: &Context<'_>) {
        self.differing += 1;
        if self.first.is_none() {
            let agent = self.agent(place, context);
            let hex = |word: u32| format!("{word:#010x}");
            self.first = Some(Mismatch { step: context.step, agent, index, gpu: hex(gpu), cpu: hex(cpu) });
        }
    }

    /// In tolerance mode: keep the error, relative to the quantity's scale, and explain it where it is an outlier.
    fn tolerate(&mut self, index: usize, place: usize, cpu: f32, gpu: f32, context: &Context<'_>) {
        let model = context.reference.model();
        let world = &model.world;
        let scale = match self.buffer {
            "velocity" | "sorted_velocity" => world.top_speed,
            "position" | "sorted_position" => world.half_size.iter().copied().fold(0.0, f32::max),
            // Two directions, an angular velocity, and an acceleration.
            "pose" => match index % POSE_WORDS {
                0..6 => 1.0,
                _ => 1.0 / world.dt,
            },
            _ => {
                let strongest = |s: &crate::model::Species| s.max_force / s.mass;
                let limit = context.reference.model().species.iter().map(strongest).fold(0.0, f32::max);
                limit.max(cpu.abs())
            }
        };
        let mut difference = (cpu - gpu).abs();
        let axis = index % self.components(model);
        if self.buffer.ends_with("position") && model.boundary[axis] == Boundary::Wrap {
            // The two ends of a wrapped axis are one place.
            difference = difference.min((difference - world.size[axis]).abs());
        }
        let error = difference / scale.max(f32::MIN_POSITIVE);
        self.errors.push(error);
        if error.is_nan() || f64::from(error) > TOLERANCE.outlier {
            self.explain(place, context);
        }
    }

    /// Count a value outside the tolerance as explained where rounding may have decided.
    fn explain(&mut self, place: usize, context: &Context<'_>) {
        let explained = match self.buffer {
            // Cells are decided by rounding only on an edge, and counts follow. Later stages start from the reference's.
            "cell" => on_cell_edge(place, context),
            "count" => (0..context.before.position.len()).any(|slot| on_cell_edge(slot, context)),
            "acceleration" | "neighbors" => {
                let perceived = perceive_at(context.scene, context.before, place);
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

/// Pairs of slot and id, sorted within each cell.
fn sort_cells(words: &mut [u32], cell_start: &[u32]) {
    for range in cell_start.windows(2) {
        let cell = words.get_mut(2 * range[0] as usize..2 * range[1] as usize).unwrap_or_default();
        if cell.len() > 2 {
            let mut pairs: Vec<[u32; 2]> = cell.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
            pairs.sort_unstable();
            cell.copy_from_slice(pairs.as_flattened());
        }
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
