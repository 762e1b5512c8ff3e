//! The scene's own behaviors in the reference: the interpreter executes their WGSL. They are called beside the twins of the
//! built-in behaviors.

use super::behaviors::Scope;
use super::common::vision::{Neighbor, Ranking, ranking_of, ranking_see, sees};
use super::interpreter::{Budget, Fault, Function, Machine, Program, Value};
use crate::cpu::common::agent::Turner;
use crate::model::obstacle_cells::MAX_FEW;
use crate::model::ways::Measure;
use crate::model::{BufferId, CompiledScene, Memory, Rule, Target, Vision, vector_words};
use crate::scene::BehaviorSpec;
use crate::scene::calls::{Argument, Call, Part};
use crate::shaders::{ShaderError, Sources};
use bytemuck::Pod;
use glam::Vec3;
use std::sync::OnceLock;

/// Those of the scene's own behaviors that are active, compiled for the reference.
#[derive(Debug)]
pub struct OwnBehaviors {
    program: Program,
    calls: Vec<Calls>,
    /// Words of the buffer `species`. The reference keeps it and the next two in another form than shaders have them.
    species: Vec<u32>,
    field: Vec<u32>,
    wall_texels: Vec<u32>,
    /// The first call that had no result: the behavior's file, and the reason.
    fault: OnceLock<(&'static str, String)>,
}

/// The functions of one behavior, each with the arguments that it takes.
#[derive(Debug)]
struct Calls {
    spec: &'static BehaviorSpec,
    functions: Vec<(Function, Call<'static>)>,
    /// First word of its parameter of type `Vision`, if it perceives neighbors.
    vision: Option<usize>,
    /// Index in `own` of [`crate::model::BehaviorMemories`], if it remembers something.
    memory: Option<usize>,
    /// Its sum with all bits zero, as WGSL's `Sum()` gives it: where the sum begins if the behavior has no `start`.
    zero_sum: Option<Value>,
}

impl OwnBehaviors {
    /// Compile the scene's own behaviors; `None` if none is active.
    ///
    /// # Errors
    /// What naga refuses, and operations whose result is not defined to the bit, such as `sin`, at their place in the file.
    pub fn new(model: &CompiledScene) -> Result<Option<OwnBehaviors>, ShaderError> {
        let own: Vec<_> = model.active_behaviors.iter().copied().filter(|spec| model.own.contains(spec)).collect();
        if own.is_empty() {
            return Ok(None);
        }
        let sources = Sources::default();
        let (module, info) = sources.parse(model)?;
        // All other flags are on, whatever the scene uses: only the GPU leaves out what is unused.
        let overrides = module.overrides.iter().filter_map(|(_, declared)| {
            let name = declared.name.clone()?;
            let [x, y, z] = model.boundary_codes();
            let value = match &*name {
                "boundary_x" => x,
                "boundary_y" => y,
                "boundary_z" => z,
                "workgroup_size" => 64.0,
                "walled" => f64::from(model.nearest_walls.is_some()),
                "by_grid" => f64::from(model.ways.as_ref().is_some_and(|ways| ways.measure == Measure::Grid)),
                "many_obstacles" => f64::from(model.obstacles.len() > MAX_FEW),
                _ => 1.0,
            };
            Some((name, value))
        });
        let refused = |message: String| ShaderError::Interface { path: own[0].shown.to_owned(), message };
        let program = Program::new(&module, &info, &overrides.collect()).map_err(|error| refused(error.to_string()))?;
        let at_its_place = |fault: Fault| match fault.at.clone() {
            Some(at) => sources.rejected_at(model, at.start, fault.to_string()),
            None => refused(fault.to_string()),
        };
        let mut calls = Vec::new();
        for &spec in &own {
            let mut functions = Vec::new();
            for call in Part::ALL.iter().filter_map(|part| spec.call(*part)) {
                let function = program.function(&call.function).map_err(at_its_place)?;
                program.check(function).map_err(at_its_place)?;
                functions.push((function, call));
            }
            let vision = spec.members().iter().find(|member| member.ty == "Vision").map(|member| member.first_word);
            let zero_sum = functions.iter().find_map(|(function, call)| {
                let sum = call.arguments.iter().position(|argument| *argument == Argument::Sum)?;
                program.zero(*function, sum)
            });
            calls.push(Calls { spec, functions, vision, memory: model.own_memory(spec), zero_sum });
        }
        let field = vector_words(&model.field.vectors, model.components());
        let species = model.species_words();
        // A texel is read as four words. Without a map there are only the four open cells of an empty map's border, as on a GPU.
        let texels = model.nearest_walls.as_ref().map_or(&[0; 4][..], |nearest| nearest.texels());
        let wall_texels = texels.iter().flat_map(|texel| [*texel, 0, 0, 1]).collect();
        Ok(Some(OwnBehaviors { program, calls, species, field, wall_texels, fault: OnceLock::new() }))
    }

    /// Why a call had no result, if there was such a call; the behavior contributed nothing there.
    pub fn fault(&self) -> Option<ShaderError> {
        let refused = |(path, message): &(&str, String)| ShaderError::Interface {
            path: (*path).to_owned(),
            message: message.clone(),
        };
        self.fault.get().map(refused)
    }

    /// Begin the calls for one agent: a machine, and the sums before the first neighbor.
    pub(super) fn begin<'a>(&'a self, scope: &Scope<'a>) -> OwnCalls<'a> {
        let (model, buffers) = (scope.model, scope.buffers);
        let words = |name: &str| -> Option<&'a [u32]> {
            Some(match BufferId::named(name)? {
                BufferId::World => bytemuck::cast_slice(std::slice::from_ref(&model.world)),
                BufferId::Scenery => bytemuck::cast_slice(std::slice::from_ref(&model.scenery)),
                BufferId::Species => &self.species,
                BufferId::Field => &self.field,
                BufferId::ObstacleTexels => bytemuck::cast_slice(&model.obstacle_texels),
                BufferId::SurfaceTexels => match &model.surface_mesh {
                    Some(mesh) => bytemuck::cast_slice(&mesh.texels),
                    None => &[],
                },
                BufferId::WallTexels => &self.wall_texels,
                BufferId::Clock => &buffers.clock,
                BufferId::CensusSums => &buffers.census_sums,
                BufferId::Ground => bytemuck::cast_slice(&buffers.ground),
                _ => return None,
            })
        };
        let machine = self.program.machine(words, Budget::default());
        let species = model.species_of(scope.agent.id);
        let rankings = vec![Ranking::default(); self.calls.len()];
        let mut calls = OwnCalls { own: self, machine, species, sums: vec![None; self.calls.len()], rankings };
        for index in 0..self.calls.len() {
            let start = calls.call(scope, index, Part::Start, &Given::default());
            calls.sums[index] = start.or_else(|| self.calls[index].zero_sum.clone());
        }
        calls
    }
}

/// The own behaviors of one agent while it steers.
#[derive(Debug)]
pub(super) struct OwnCalls<'a> {
    own: &'a OwnBehaviors,
    machine: Machine<'a>,
    species: usize,
    sums: Vec<Option<Value>>,
    rankings: Vec<Ranking>,
}

#[derive(Default)]
struct Given<'a> {
    neighbor: Option<&'a Neighbor>,
    turner: Option<&'a Turner>,
    memory: Option<&'a Memory>,
    other: u32,
}

impl OwnCalls<'_> {
    fn block<'b>(&self, scope: &Scope<'b>, index: usize) -> &'b [u32] {
        scope.model.block(self.species, self.own.calls[index].spec)
    }

    fn rule(&self, scope: &Scope<'_>, index: usize) -> Rule {
        part(self.block(scope, index), 0)
    }

    /// Does any own behavior perceive neighbors?
    pub fn looks(&self, scope: &Scope<'_>) -> bool {
        (0..self.own.calls.len()).any(|index| self.own.calls[index].vision.is_some() && self.is_active(scope, index))
    }

    fn is_active(&self, scope: &Scope<'_>, index: usize) -> bool {
        self.rule(scope, index).weight != 0.0
    }

    /// Call a function of a behavior; `None` if the behavior has no such function, or the call has no result.
    fn call(&mut self, scope: &Scope<'_>, index: usize, called: Part, given: &Given<'_>) -> Option<Value> {
        let own = self.own;
        let calls = &own.calls[index];
        let (function, call) = calls.functions.iter().find(|(_, call)| call.part == called)?;
        let block = self.block(scope, index);
        let zero = || Value::Words(vec![0; 64]);
        let mut values: Vec<Value> = call
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Parameters => Value::Words(block.to_vec()),
                Argument::Agent => (&scope.agent).into(),
                Argument::Goal(_, word) => (&scope.goal(part::<Target>(block, *word))).into(),
                Argument::Turner => given.turner.map_or_else(zero, Value::from),
                Argument::Neighbor => given.neighbor.map_or_else(zero, Value::from),
                Argument::Sum => self.sums[index].clone().unwrap_or_else(zero),
                Argument::Memory => {
                    let memory = calls
                        .memory
                        .zip(given.memory)
                        .map(|(own, memory)| memory.behaviors.own[own])
                        .unwrap_or_default();
                    Value::Words(memory[..calls.spec.memory_words()].to_vec())
                }
                Argument::Other => given.other.into(),
                Argument::Model | Argument::Buffers => zero(),
            })
            .collect();
        match self.machine.call(*function, &mut values) {
            Ok(value) => Some(value),
            Err(fault) => {
                own.fault.get_or_init(|| (calls.spec.shown, fault.to_string()));
                None
            }
        }
    }

    /// Rank a candidate, for each own behavior that perceives it.
    pub fn rank(&mut self, scope: &Scope<'_>, neighbor: &Neighbor) {
        for index in 0..self.own.calls.len() {
            let Some(vision) = self.own.calls[index].vision.filter(|_| self.is_active(scope, index)) else { continue };
            let vision = part::<Vision>(self.block(scope, index), vision);
            ranking_see(&mut self.rankings[index], vision, neighbor);
        }
    }

    /// Pass a candidate to each own behavior that looks at neighbors. Returns those that perceive it, as `Watch::perceives` takes them:
    /// bit b for the behavior with index b in its species.
    pub fn add(&mut self, scope: &Scope<'_>, neighbor: &Neighbor) -> u64 {
        let mut seen = 0;
        for index in 0..self.own.calls.len() {
            let Some(vision) = self.own.calls[index].vision.filter(|_| self.is_active(scope, index)) else { continue };
            let k = scope.own.k_nearest;
            if k > 0 && neighbor.distance_squared > ranking_of(&self.rankings[index], k) {
                continue;
            }
            let sees = sees(part::<Vision>(self.block(scope, index), vision), neighbor);
            seen |= u64::from(sees) << (self.rule(scope, index).rows >> 16);
            let given = Given { neighbor: Some(neighbor), ..Given::default() };
            self.sum(scope, index, Part::Add, &given);
        }
        seen
    }

    /// Add an agent at the very same point, given by its id and the bit of its species.
    pub fn add_coincident(&mut self, scope: &Scope<'_>, other: u32, species: u32) {
        for index in 0..self.own.calls.len() {
            let Some(vision) = self.own.calls[index].vision.filter(|_| self.is_active(scope, index)) else { continue };
            if part::<Vision>(self.block(scope, index), vision).species & species != 0 {
                self.sum(scope, index, Part::AddCoincident, &Given { other, ..Given::default() });
            }
        }
    }

    fn sum(&mut self, scope: &Scope<'_>, index: usize, called: Part, given: &Given<'_>) {
        if let Some(sum) = self.call(scope, index, called, given) {
            self.sums[index] = Some(sum);
        }
    }

    /// The accelerations of the neighborhood behaviors.
    pub fn resolve(&mut self, scope: &Scope<'_>, add: &mut impl FnMut(Rule, Vec3)) {
        self.each(scope, Part::Resolve, &Given::default(), add);
    }

    /// The accelerations of the individual behaviors.
    pub fn steer(&mut self, scope: &Scope<'_>, memory: &Memory, add: &mut impl FnMut(Rule, Vec3)) {
        self.each(scope, Part::Steer, &Given { memory: Some(memory), ..Given::default() }, add);
    }

    /// The angular accelerations of the angular behaviors.
    pub fn turn(&mut self, scope: &Scope<'_>, turner: &Turner, memory: &Memory, add: &mut impl FnMut(Rule, Vec3)) {
        self.each(scope, Part::Turn, &Given { turner: Some(turner), memory: Some(memory), ..Given::default() }, add);
    }

    fn each(&mut self, scope: &Scope<'_>, called: Part, given: &Given<'_>, add: &mut impl FnMut(Rule, Vec3)) {
        for index in 0..self.own.calls.len() {
            let has = self.own.calls[index].functions.iter().any(|(_, call)| call.part == called);
            if has && self.is_active(scope, index) {
                let said = self.call(scope, index, called, given);
                add(self.rule(scope, index), said.and_then(|said| said.as_vec3()).unwrap_or(Vec3::ZERO));
            }
        }
    }

    /// Update what the behaviors remember of the agent, after this step.
    pub fn remember(&mut self, scope: &Scope<'_>, memory: &mut Memory) {
        for index in 0..self.own.calls.len() {
            let Some(own) = self.own.calls[index].memory.filter(|_| self.is_active(scope, index)) else { continue };
            let before = *memory;
            let given = Given { memory: Some(&before), ..Given::default() };
            if let Some(value) = self.call(scope, index, Part::Remember, &given) {
                for (word, bits) in memory.behaviors.own[own].iter_mut().zip(value.bits()) {
                    *word = bits;
                }
            }
        }
    }
}

/// A member of a behavior's parameters, read from this word on.
pub(super) fn part<T: Pod>(block: &[u32], first: usize) -> T {
    bytemuck::pod_read_unaligned(bytemuck::cast_slice(&block[first..first + size_of::<T>() / 4]))
}
