//! The instructions of each pass, and of the search for neighbors for each candidate, counted in the SPIR-V that
//! is loaded.
//!
//! Counted is what a lane computes: arithmetic, comparisons, conversions, selections and extended instructions, once for each
//! component; loads and stores of buffers and their addresses; conditional branches; subgroup operations. What a compiler does
//! away with is not: moves between registers, local variables, composites, labels and calls.

use crate::gpu::{GpuError, Language, Options, PassText, dump};
use crate::model::{BufferId, CompiledScene, PassId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// Instructions of the loop over candidates in the stage `steer`, or of all such loops where it has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchLoop {
    /// For each candidate.
    pub test: u32,
    /// More for each that is near enough: every behavior that looks.
    pub hit: u32,
}

impl SearchLoop {
    /// Count them for a model. None where its agents look at nobody.
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
    /// An invocation of a pass without loops runs so many at most.
    pub passes: Vec<(PassId, u32)>,
    /// Of the loop over candidates. None where agents look at nobody.
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
            // The loop over agents at the very same point looks at no velocity.
            let columns = [binding(BufferId::SortedPosition), binding(BufferId::SortedVelocity)];
            if let (PassId::Steer, [Some(positions), Some(velocities)]) = (pass.entry_point, columns) {
                found.search = search(model, &module.search_loops([positions, velocities]));
            }
        }
        Ok(found)
    }
}

/// What the loops over candidates do for one of them.
fn search(model: &CompiledScene, loops: &[SearchLoop]) -> Option<SearchLoop> {
    let longest = loops.iter().max_by_key(|search| search.test + search.hit)?;
    let test = loops.iter().map(|search| search.test).min()?;
    if !(model.features.topological && model.spatial) {
        return Some(*longest);
    }
    // Agents that are near enough are listed, and then taken from the list twice: to be ranked, and to be added. Loops that do the same to a
    // candidate, of a walk or of a list, are one here.
    let hits: BTreeSet<u32> = loops.iter().map(|search| search.hit).collect();
    let again = hits.len().saturating_sub(1) as u32;
    Some(SearchLoop { test, hit: hits.iter().sum::<u32>() + again * longest.test })
}

const EXT_INST: u32 = 12;
const ENTRY_POINT: u32 = 15;
const TYPE_VECTOR: u32 = 23;
const TYPE_POINTER: u32 = 32;
const FUNCTION: u32 = 54;
const FUNCTION_END: u32 = 56;
const CALL: u32 = 57;
const VARIABLE: u32 = 59;
const LOAD: u32 = 61;
const STORE: u32 = 62;
const ACCESS_CHAIN: u32 = 65;
const DECORATE: u32 = 71;
const DOT: u32 = 148;
const LOOP_MERGE: u32 = 246;
const SELECTION_MERGE: u32 = 247;
const LABEL: u32 = 248;
const BRANCH_CONDITIONAL: u32 = 250;
const SWITCH: u32 = 251;
const BINDING: u32 = 33;
/// The storage class of local variables.
const LOCAL: u32 = 7;
/// The storage class of module-wide variables of an invocation.
const PRIVATE: u32 = 6;

/// One instruction: opcode and operands.
type Instruction = (u32, Vec<u32>);

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
    /// The function that a pass begins with.
    entry: u32,
}

impl Module {
    fn of(pass: &PassText) -> Module {
        let words = pass.code.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        Module::read(&words.collect::<Vec<_>>())
    }

    /// The instructions of the entry point, and of all that it calls, as often as it is written.
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
            let (opcode, length) = (head & 0xffff, (head >> 16).max(1) as usize);
            let operands = words.get(at + 1..at + length).unwrap_or_default().to_vec();
            at += length;
            match (opcode, operands.as_slice()) {
                (TYPE_VECTOR, [result, _, count]) => drop(module.components.insert(*result, *count)),
                (TYPE_POINTER, [result, class, _]) => drop(module.classes.insert(*result, *class)),
                (DECORATE, [target, BINDING, binding]) => drop(module.bindings.insert(*target, *binding)),
                (VARIABLE, [ty, result, ..]) => drop(module.types.insert(*result, *ty)),
                (ENTRY_POINT, [_, function, ..]) => module.entry = *function,
                (FUNCTION, [_, result, ..]) => current = Some(*result),
                (FUNCTION_END, _) => current = None,
                _ => {}
            }
            if let Some(function) = current {
                // Of these opcodes, the first operand is the type and the second the result; the others have no result.
                let has_result = !matches!(opcode, STORE | LOOP_MERGE | SELECTION_MERGE | LABEL | 249..=255);
                if let ([ty, result, ..], true) = (operands.as_slice(), has_result) {
                    module.types.insert(*result, *ty);
                }
                module.functions.entry(function).or_default().push((opcode, operands));
            }
        }
        module
    }

    /// What the innermost loops that look at the buffers of these bindings do for one candidate.
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

    /// Do these instructions, or the functions that they call, look at the buffer?
    fn touches(&self, body: &[Instruction], binding: u32) -> bool {
        let accesses = |(opcode, operands): &Instruction| {
            *opcode == ACCESS_CHAIN && operands.get(2).and_then(|base| self.bindings.get(base)) == Some(&binding)
        };
        body.iter().any(accesses) || self.called(body).into_iter().flatten().any(accesses)
    }

    /// The functions that these instructions call, directly or through others.
    fn called(&self, body: &[Instruction]) -> Vec<&[Instruction]> {
        let (mut waiting, mut known, mut called) = (vec![body], HashSet::new(), Vec::new());
        while let Some(body) = waiting.pop() {
            for (opcode, operands) in body {
                if let (CALL, [_, _, function, ..]) = (*opcode, operands.as_slice())
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

    /// Instructions that always run, and instructions under a condition.
    fn cost(&self, body: &[Instruction]) -> SearchLoop {
        let mut cost = SearchLoop::default();
        // The label at which the outermost condition ends, and one that begins with the next branch.
        let (mut condition, mut next) = (None, None);
        for (opcode, operands) in body {
            if *opcode == LABEL && condition == operands.first().copied() {
                condition = None;
            }
            let mut one = SearchLoop { test: self.lanes_of(*opcode, operands), hit: 0 };
            if let (CALL, [_, _, function, ..]) = (*opcode, operands.as_slice()) {
                one = self.functions.get(function).map_or(one, |body| self.cost(body));
            }
            cost.hit += one.hit;
            *if condition.is_some() { &mut cost.hit } else { &mut cost.test } += one.test;
            match *opcode {
                SELECTION_MERGE if condition.is_none() => next = operands.first().copied(),
                BRANCH_CONDITIONAL | SWITCH => condition = condition.or(next.take()),
                _ => {}
            }
        }
        cost
    }

    /// What an instruction counts.
    fn lanes_of(&self, opcode: u32, operands: &[u32]) -> u32 {
        let components = |ty: Option<&u32>| ty.and_then(|ty| self.components.get(ty)).copied().unwrap_or(1);
        let far = |pointer: Option<&u32>| {
            let class = pointer.and_then(|p| self.types.get(p)).and_then(|ty| self.classes.get(ty));
            class.is_some_and(|class| ![LOCAL, PRIVATE].contains(class))
        };
        match opcode {
            DOT => components(operands.get(2).and_then(|vector| self.types.get(vector))),
            EXT_INST | 109..=123 | 126..=205 => components(operands.first()),
            LOAD => u32::from(far(operands.get(2))),
            STORE => u32::from(far(operands.first())),
            ACCESS_CHAIN => u32::from(far(operands.get(1))),
            BRANCH_CONDITIONAL | SWITCH | 333..=366 => 1,
            _ => 0,
        }
    }
}

/// The instructions of each loop, from behind its head to its merge label.
fn loops(body: &[Instruction]) -> Vec<Range<usize>> {
    let head = |(at, (opcode, operands)): (usize, &Instruction)| {
        let merge = operands.first().filter(|_| *opcode == LOOP_MERGE)?;
        let is_end = |(opcode, operands): &Instruction| *opcode == LABEL && operands.first() == Some(merge);
        let length = body[at..].iter().position(is_end)?;
        Some(at + 1..at + length)
    };
    body.iter().enumerate().filter_map(head).collect()
}
