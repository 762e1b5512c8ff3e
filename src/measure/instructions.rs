//! The instructions of each pass, and those that the search for neighbors takes for each candidate, counted in the SPIR-V that
//! is loaded.
//!
//! Counted is what a lane computes: arithmetic, comparisons, conversions, selections and extended instructions, once for each
//! component; loads and stores of buffers and their addresses; conditional branches; subgroup operations. Not counted is what a
//! compiler removes: moves between registers, local variables, composites, labels and calls.

use crate::gpu::{GpuError, Language, Options, PassText, dump};
use crate::model::{BufferId, CompiledScene, PassId};
use serde::{Deserialize, Serialize};
use spirv::{Decoration, Op, StorageClass};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// Instructions of the loop over candidates in the stage `steer`, or of all such loops if it has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchLoop {
    /// Instructions for each candidate.
    pub test: u32,
    /// Further instructions for each candidate that is near enough: those of all behaviors that look at neighbors.
    pub hit: u32,
}

impl SearchLoop {
    /// Count them for a model; `None` if its agents do not look at neighbors.
    ///
    /// # Errors
    /// A shader that cannot be used.
    pub fn count(model: &CompiledScene, options: &Options) -> Result<Option<SearchLoop>, GpuError> {
        Ok(Instructions::count(model, options)?.search)
    }
}

/// The instructions of a model's passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instructions {
    /// The entry point of each pass, and the instructions of its code: the body of each loop once, and both sides of each branch.
    /// In a pass without loops this is the most that an invocation runs.
    pub passes: Vec<(PassId, u32)>,
    /// The instructions of the loop over candidates; `None` if agents do not look at neighbors.
    pub search: Option<SearchLoop>,
}

impl Instructions {
    /// Count them for a model.
    ///
    /// # Errors
    /// A shader that cannot be used.
    pub fn count(model: &CompiledScene, options: &Options) -> Result<Instructions, GpuError> {
        let mut found = Instructions { passes: Vec::new(), search: None };
        for pass in dump(model, options, Language::SpirV, false)? {
            let module = Module::of(&pass);
            found.passes.push((pass.entry_point, module.whole()));
            let binding =
                |buffer| pass.bindings.iter().find(|binding| binding.buffer == buffer).map(|found| found.index);
            // Loops over candidates read both; the loop over agents at the very same point reads no velocities.
            let columns = [binding(BufferId::SortedPosition), binding(BufferId::SortedVelocity)];
            if let (PassId::Steer, [Some(positions), Some(velocities)]) = (pass.entry_point, columns) {
                found.search = search(model, &module.search_loops([positions, velocities]));
            }
        }
        Ok(found)
    }
}

/// The instructions that the loops over candidates together run for one candidate.
fn search(model: &CompiledScene, loops: &[SearchLoop]) -> Option<SearchLoop> {
    let longest = loops.iter().max_by_key(|search| search.test + search.hit)?;
    let test = loops.iter().map(|search| search.test).min()?;
    if !(model.features.topological && model.spatial) {
        return Some(*longest);
    }
    // Candidates that are near enough are put into a list, which is then gone through twice: to rank them, and to add them. Loops that do
    // the same to a candidate, whether over a walk or over the list, count once.
    let hits: BTreeSet<u32> = loops.iter().map(|search| search.hit).collect();
    let again = hits.len().saturating_sub(1) as u32;
    Some(SearchLoop { test, hit: hits.iter().sum::<u32>() + again * longest.test })
}

/// One instruction: opcode and operands.
type Instruction = (Op, Vec<u32>);

struct Module {
    /// Components of each vector type.
    components: HashMap<u32, u32>,
    /// Storage class of each pointer type.
    classes: HashMap<u32, u32>,
    /// Type of each result.
    types: HashMap<u32, u32>,
    /// Binding of each variable.
    bindings: HashMap<u32, u32>,
    functions: HashMap<u32, Vec<Instruction>>,
    /// The function of the pass's entry point.
    entry: u32,
}

impl Module {
    fn of(pass: &PassText) -> Module {
        let words = pass.code.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        Module::read(&words.collect::<Vec<_>>())
    }

    /// The instructions of the entry point and of the functions that it calls, as often as a call is written.
    fn whole(&self) -> u32 {
        let SearchLoop { test, hit } =
            self.functions.get(&self.entry).map_or_else(Default::default, |body| self.cost(body));
        test + hit
    }

    fn read(words: &[u32]) -> Module {
        let mut module = Module {
            components: HashMap::new(),
            classes: HashMap::new(),
            types: HashMap::new(),
            bindings: HashMap::new(),
            functions: HashMap::new(),
            entry: 0,
        };
        let (mut at, mut current) = (5, None);
        while let Some(&head) = words.get(at) {
            let opcode = Op::from_u32(head & 0xffff).unwrap_or(Op::Nop);
            let length = (head >> 16).max(1) as usize;
            let operands = words.get(at + 1..at + length).unwrap_or_default().to_vec();
            at += length;
            match (opcode, operands.as_slice()) {
                (Op::TypeVector, [result, _, count]) => drop(module.components.insert(*result, *count)),
                (Op::TypePointer, [result, class, _]) => drop(module.classes.insert(*result, *class)),
                (Op::Decorate, [target, decoration, binding]) if *decoration == Decoration::Binding as u32 => {
                    module.bindings.insert(*target, *binding);
                }
                (Op::Variable, [ty, result, ..]) => drop(module.types.insert(*result, *ty)),
                (Op::EntryPoint, [_, function, ..]) => module.entry = *function,
                (Op::Function, [_, result, ..]) => current = Some(*result),
                (Op::FunctionEnd, _) => current = None,
                _ => {}
            }
            if let Some(function) = current {
                // Opcodes with a result have its type as the first operand and its id as the second.
                let has_result = opcode != Op::Store && !(Op::LoopMerge..=Op::Unreachable).contains(&opcode);
                if let ([ty, result, ..], true) = (operands.as_slice(), has_result) {
                    module.types.insert(*result, *ty);
                }
                module.functions.entry(function).or_default().push((opcode, operands));
            }
        }
        module
    }

    /// The costs of the innermost loops that read both buffers of these bindings, for one candidate.
    fn search_loops(&self, columns: [u32; 2]) -> Vec<SearchLoop> {
        let looks = |range: &[Instruction]| columns.iter().all(|column| self.touches(range, *column));
        let looking = |body: &[Instruction]| -> Vec<Range<usize>> {
            loops(body).into_iter().filter(|range| looks(&body[range.clone()])).collect()
        };
        let loops = self.functions.values().flat_map(|body| {
            let all = looking(body);
            let inner = |range: &Range<usize>| {
                let nested =
                    all.iter().any(|other| other != range && range.contains(&other.start) && other.end <= range.end);
                !nested && !self.called(&body[range.clone()]).iter().any(|callee| !looking(callee).is_empty())
            };
            all.iter().filter(|range| inner(range)).map(|range| self.cost(&body[range.clone()])).collect::<Vec<_>>()
        });
        loops.collect()
    }

    /// Do these instructions, or the functions that they call, access the buffer with this binding?
    fn touches(&self, body: &[Instruction], binding: u32) -> bool {
        let accesses = |(opcode, operands): &Instruction| {
            *opcode == Op::AccessChain && operands.get(2).and_then(|base| self.bindings.get(base)) == Some(&binding)
        };
        body.iter().any(accesses) || self.called(body).into_iter().flatten().any(accesses)
    }

    /// The functions that these instructions call, directly or through others.
    fn called(&self, body: &[Instruction]) -> Vec<&[Instruction]> {
        let (mut waiting, mut known, mut called) = (vec![body], HashSet::new(), Vec::new());
        while let Some(body) = waiting.pop() {
            for (opcode, operands) in body {
                if let (Op::FunctionCall, [_, _, function, ..]) = (*opcode, operands.as_slice())
                    && known.insert(*function)
                {
                    let found = self.functions.get(function).map(Vec::as_slice);
                    waiting.extend(found);
                    called.extend(found);
                }
            }
        }
        called
    }

    /// The instructions of a body: `test` are those that always run, `hit` those under a condition.
    fn cost(&self, body: &[Instruction]) -> SearchLoop {
        let mut cost = SearchLoop::default();
        // The label at which the outermost open condition ends, and the one at which the condition ends that the next branch opens.
        let (mut condition, mut next) = (None, None);
        for (opcode, operands) in body {
            if *opcode == Op::Label && condition == operands.first().copied() {
                condition = None;
            }
            let mut one = SearchLoop { test: self.lanes_of(*opcode, operands), hit: 0 };
            if let (Op::FunctionCall, [_, _, function, ..]) = (*opcode, operands.as_slice()) {
                one = self.functions.get(function).map_or(one, |body| self.cost(body));
            }
            cost.hit += one.hit;
            *if condition.is_some() { &mut cost.hit } else { &mut cost.test } += one.test;
            match *opcode {
                Op::SelectionMerge if condition.is_none() => next = operands.first().copied(),
                Op::BranchConditional | Op::Switch => condition = condition.or(next.take()),
                _ => {}
            }
        }
        cost
    }

    /// How much an instruction counts: 0, 1, or its number of components.
    fn lanes_of(&self, opcode: Op, operands: &[u32]) -> u32 {
        let components = |ty: Option<&u32>| ty.and_then(|ty| self.components.get(ty)).copied().unwrap_or(1);
        let far = |pointer: Option<&u32>| {
            let class = pointer.and_then(|p| self.types.get(p)).and_then(|ty| self.classes.get(ty));
            class.is_some_and(|class| ![StorageClass::Function as u32, StorageClass::Private as u32].contains(class))
        };
        let within = |first: Op, last: Op| (first..=last).contains(&opcode);
        match opcode {
            Op::Dot => components(operands.get(2).and_then(|vector| self.types.get(vector))),
            Op::Load => u32::from(far(operands.get(2))),
            Op::Store => u32::from(far(operands.first())),
            Op::AccessChain => u32::from(far(operands.get(1))),
            Op::BranchConditional | Op::Switch => 1,
            Op::ExtInst => components(operands.first()),
            _ if within(Op::ConvertFToU, Op::GenericCastToPtrExplicit) => components(operands.first()),
            _ if within(Op::SNegate, Op::BitCount) => components(operands.first()),
            _ if within(Op::GroupNonUniformElect, Op::GroupNonUniformQuadSwap) => 1,
            _ => 0,
        }
    }
}

/// The range of instructions of each loop, from behind its head to its merge label.
fn loops(body: &[Instruction]) -> Vec<Range<usize>> {
    let head = |(at, (opcode, operands)): (usize, &Instruction)| {
        let merge = operands.first().filter(|_| *opcode == Op::LoopMerge)?;
        let is_end = |(opcode, operands): &Instruction| *opcode == Op::Label && operands.first() == Some(merge);
        let length = body[at..].iter().position(is_end)?;
        Some(at + 1..at + length)
    };
    body.iter().enumerate().filter_map(head).collect()
}
