//! Twin of `shaders/sim/steer.wgsl`: look at the neighbors, evaluate every behavior, and combine them into one
//! acceleration.

use crate::cpu::behaviors::{Rankings, Reach, Scope, Sums, looks, remember_each, steer_each, turn_each};
use crate::cpu::common::{
    actions::*,
    agent::*,
    away::first_step,
    boundary::containment,
    combination::*,
    goals::*,
    grid::cell_of,
    sight::is_hidden,
    vector::*,
    vehicle::{angular_acceleration_of, limits_of},
    vision::*,
    walk::walk,
};
use crate::cpu::own::OwnCalls;
use crate::cpu::watch::Watch;
use crate::cpu::{Buffers, Execution};
use crate::model::{CompiledScene, FROZEN, Memory, Species};
use glam::Vec3;

/// What the stage writes for one agent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Steering {
    pub(crate) steers: bool,
    pub(crate) acceleration: [f32; 3],
    pub(super) perceived: u32,
    pub(crate) memory: Memory,
}

/// Run the stage, for the agents that steer in this step.
pub fn steer(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    let mut results = std::mem::take(&mut buffers.steering);
    let shared = &*buffers;
    execution.for_each(&mut results, |sorted_index, result| {
        if result.steers {
            *result = steer_one(model, shared, sorted_index, &mut ());
        }
    });
    for (sorted_index, result) in results.iter().enumerate().filter(|(_, result)| result.steers) {
        buffers.acceleration[sorted_index] = result.acceleration;
        buffers.neighbors[sorted_index] = result.perceived;
        let id = buffers.sorted_id[sorted_index];
        if id & FROZEN == 0 && buffers.remembers {
            buffers.memory[id as usize] = result.memory;
        }
    }
    buffers.steering = results;
}

/// Number of neighbors that are processed together: few enough for the first-level cache, enough that inner loops are long.
const BATCH: usize = 32;

/// The next neighbors of an agent, in the order of the walk: sorted index and offset.
#[derive(Debug)]
struct Batch {
    near: [(u32, Vec3); BATCH],
    count: usize,
}

impl Batch {
    /// Keep only the neighbors whose offset passes.
    fn retain(&mut self, passes: impl Fn(Vec3) -> bool) {
        let mut kept = 0;
        for place in 0..self.count {
            let (other, offset) = self.near[place];
            if passes(offset) {
                self.near[kept] = (other, offset);
                kept += 1;
            }
        }
        self.count = kept;
    }
}

/// A candidate as the agent sees it. Inlined, so that its members are written in place: a copy would have to wait for all of them.
#[inline(always)]
fn neighbor_at(model: &CompiledScene, buffers: &Buffers, agent: &Agent, other: usize, offset: Vec3) -> Neighbor {
    let id = buffers.sorted_id[other];
    let their_species = model.species_of(id);
    Neighbor {
        offset,
        distance_squared: dot3(offset, offset),
        ahead: dot3(offset, agent.forward),
        velocity: Vec3::from_array(buffers.sorted_velocity[other]),
        species: 1 << their_species,
        radius: radius_of(model, &model.species[their_species], id),
        id,
    }
}

/// What an agent perceives: the sums of its behaviors, and how many agents at least one of them perceives.
fn perceive(
    scope: &Scope<'_>,
    sorted_index: usize,
    own_calls: &mut Option<OwnCalls<'_>>,
    watch: &mut impl Watch,
) -> (Sums, u32) {
    let Scope { model, buffers, own, agent, .. } = scope;
    let (mut sums, mut rankings, mut reach) = (Sums::default(), Rankings::default(), Reach::default());
    let (mut perceived, mut coincident) = (0, false);
    let radius = own.perception_radius;
    let own_looks = own_calls.as_ref().is_some_and(|calls| calls.looks(scope));
    let visits = match looks(&own.behaviors) || own_looks {
        false => 0,
        true if own.k_nearest > 0 => 2,
        true => 1,
    };
    let nearest_enough = radius * radius;
    let mut batch = Batch { near: [(0, Vec3::ZERO); BATCH], count: 0 };
    let mut neighbors = [Neighbor::default(); BATCH];
    for visit in 0..visits {
        let ranks = visit + 1 < visits;
        let mut work_off = |batch: &mut Batch| {
            if own.line_of_sight != 0 {
                batch.retain(|offset| !is_hidden(model, agent.position, offset));
            }
            let neighbors = &mut neighbors[..batch.count];
            for (neighbor, (other, offset)) in neighbors.iter_mut().zip(&batch.near) {
                *neighbor = neighbor_at(model, buffers, agent, *other as usize, *offset);
            }
            batch.count = 0;
            if ranks {
                rankings.add(&own.behaviors, neighbors);
                if let Some(calls) = own_calls {
                    neighbors.iter().for_each(|neighbor| calls.rank(scope, neighbor));
                }
                return;
            }
            let seen = &mut [0; BATCH][..neighbors.len()];
            sums.add(scope, &reach, neighbors, seen);
            for (neighbor, seen) in neighbors.iter().zip(seen) {
                if let Some(calls) = own_calls {
                    *seen |= calls.add(scope, neighbor);
                }
                if *seen != 0 {
                    perceived += 1;
                    watch.perceives(neighbor, *seen);
                }
                coincident |= neighbor.distance_squared == 0.0;
            }
        };
        walk(model, &buffers.cell_start, radius, agent.position, |first, last, half_shift| {
            let from_here = agent.position - half_shift;
            let candidates = &buffers.sorted_position[first as usize..last as usize];
            let mut count = batch.count;
            for (other, position) in (first..).zip(candidates) {
                let offset = Vec3::from_array(*position) + half_shift - from_here;
                // Branch-free: whether a candidate is near enough is unpredictable, so a branch would often be mispredicted.
                batch.near[count] = (other, offset);
                count += usize::from((dot3(offset, offset) <= nearest_enough) & (other != sorted_index as u32));
                if count == BATCH {
                    batch.count = count;
                    work_off(&mut batch);
                    count = 0;
                }
            }
            batch.count = count;
        });
        work_off(&mut batch);
        if ranks {
            reach = rankings.reach(own.k_nearest);
        }
    }
    if coincident {
        let home = cell_of(&model.world, agent.position) as usize;
        for other in buffers.cell_start[home] as usize..buffers.cell_start[home + 1] as usize {
            let offset = Vec3::from_array(buffers.sorted_position[other]) - agent.position;
            if other != sorted_index && dot3(offset, offset) == 0.0 {
                let id = buffers.sorted_id[other];
                sums.add_coincident(scope, id, 1 << model.species_of(id));
                if let Some(calls) = own_calls {
                    calls.add_coincident(scope, id, 1 << model.species_of(id));
                }
            }
        }
    }
    (sums, perceived)
}

/// The steering after smoothing. It is also stored in `held`, because agents that skip steps hold it.
fn smoothed(own: &Species, agent: &Agent, steering: Vec3, held: &mut [f32; 3]) -> Vec3 {
    if own.update_every == 1 && own.smoothing == 1.0 {
        return steering;
    }
    let mut total = steering;
    if agent.moves_as_desired {
        total = agent.velocity + total * agent.time_constant;
    }
    if own.smoothing < 1.0 {
        let begins = agent.moves_as_desired && agent.step == first_step(own, agent.id);
        let before = if begins { agent.velocity } else { Vec3::from_array(*held) };
        total = before + (total - before) * own.smoothing;
    }
    *held = kept(total);
    if agent.moves_as_desired {
        total = (total - agent.velocity) / agent.time_constant;
    }
    total
}

/// The sum of the angular behaviors, rad/s².
fn turn(
    scope: &Scope<'_>,
    state: u32,
    memory: &Memory,
    own_calls: &mut Option<OwnCalls<'_>>,
    watch: &mut impl Watch,
) -> [f32; 3] {
    let Scope { model, buffers, own, agent, .. } = scope;
    let able = limits_of(model, buffers, own, agent.id);
    let mut turner =
        Turner { spin: Vec3::ZERO, up: Vec3::Z, max_angular_speed: able.angular_speed, interval: agent.interval };
    if let Some(pose) = buffers.pose.get(agent.id as usize) {
        (turner.spin, turner.up) = (Vec3::from_array(pose.spin), Vec3::from_array(pose.up));
    }
    let mut combined = Blend::default();
    let mut add = |rule, said: Vec3| {
        let turning = jittered_turn(model, agent, rule, said);
        watch.says(scope, rule, said, blend_add(&mut combined, own, rule, state, agent, turning));
    };
    turn_each(scope, &turner, &mut add);
    if let Some(calls) = own_calls {
        calls.turn(scope, &turner, memory, &mut add);
    }
    let most = angular_acceleration_of(own, able);
    let (turn, _) = blend_finish(&combined, own, agent, most, |outcome| watch.on_priority(true, outcome));
    let turn = kept(turn);
    if model.spatial { turn } else { [0.0, 0.0, turn[2]] }
}

/// One agent's steering.
pub(crate) fn steer_one(
    model: &CompiledScene,
    buffers: &Buffers,
    sorted_index: usize,
    watch: &mut impl Watch,
) -> Steering {
    let id = buffers.sorted_id[sorted_index];
    if id & FROZEN != 0 {
        return Steering { steers: true, ..Steering::default() };
    }
    let own = &model.species[model.species_of(id)];
    let agent = agent_at(model, buffers, own, id, sorted_index);
    let scope = Scope { model, buffers, own, agent, query_results: found_by(buffers, own, id) };
    let mut own_calls = buffers.own.as_deref().map(|behaviors| behaviors.begin(&scope));
    let (sums, perceived) = perceive(&scope, sorted_index, &mut own_calls, watch);

    let mut memory = if buffers.remembers { buffers.memory[id as usize] } else { Memory::default() };
    let (state, unloads, chosen) = select_action(model, own, &agent, &memory, |target| scope.goal(target));
    watch.chose(&scope, state, [memory.state, memory.since], chosen);
    remember_each(&scope, &mut memory.behaviors);
    if let Some(calls) = &mut own_calls {
        calls.remember(&scope, &mut memory);
    }
    let mut combined = Blend::default();
    let mut add = |rule, said| {
        let steering = jittered(model, &agent, rule, said);
        watch.says(&scope, rule, said, blend_add(&mut combined, own, rule, state, &agent, steering));
    };
    sums.resolve(&scope, &mut add);
    if let Some(calls) = &mut own_calls {
        calls.resolve(&scope, &mut add);
    }
    steer_each(&scope, &memory.behaviors, &mut add);
    if let Some(calls) = &mut own_calls {
        calls.steer(&scope, &memory, &mut add);
    }
    let most = agent.max_acceleration;
    let (combined, winner) = blend_finish(&combined, own, &agent, most, |outcome| watch.on_priority(false, outcome));
    if state != memory.state {
        memory.since = agent.step;
    }
    memory.state = state;
    if unloads {
        memory.load = 0;
    }
    memory.winner = winner;
    if buffers.skips {
        memory.perceived = perceived;
    }
    let smoothed = smoothed(own, &agent, combined, &mut memory.held);
    let walls = containment(model, agent.position, most);
    watch.sums(&scope, [combined, smoothed, walls]);
    let total = unsigned_zeros(smoothed + walls);
    if buffers.turns {
        memory.behaviors.turning = turn(&scope, state, &memory, &mut own_calls, watch);
    }
    Steering { steers: true, acceleration: model.store(total), perceived, memory }
}
