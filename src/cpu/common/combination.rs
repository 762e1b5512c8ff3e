//! Twin of `shaders/common/combination.wgsl`: blending, how the accelerations of the behaviors become one.

pub use crate::constants::NO_WINNER;
use crate::constants::{
    COMBINE_BUDGET, COMBINE_DITHERED, COMBINE_NORMALIZED, COMBINE_PRIORITY, FIRST_WEIGHT, WITHIN_FIRST,
    WITHIN_NORMALIZED,
};
use crate::cpu::common::agent::Agent;
use crate::cpu::common::hash::deviation;
use crate::cpu::common::vector::{dot3, limit};
use crate::model::random::{STREAM_DITHER, STREAM_JITTER, hash4, unit_direction, unit_interval};
use crate::model::{CompiledScene, Rule, Species};
use glam::Vec3;

const PRIORITIES: usize = 8;

/// The sums over the behaviors so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blend {
    total: Vec3,
    groups: [Vec3; PRIORITIES],
    /// Four bits for each priority in which only the first behavior counts: one more than the rank of the first so far, or 0.
    first: u32,
}

/// The weight that a behavior has for an agent.
fn own_weight(own: &Species, [id, seed]: [u32; 2], rule: Rule) -> f32 {
    let behavior = rule.rows >> 16;
    let spread = own.weight_spreads[behavior as usize];
    // In most scenes weights have no spread, and nothing is drawn.
    if spread == 0.0 {
        return rule.weight;
    }
    let drawn = rule.weight + spread * deviation(seed, id, FIRST_WEIGHT + behavior, own.normal != 0);
    if rule.weight > 0.0 { drawn.max(0.0) } else { drawn.min(0.0) }
}

/// The weight that a behavior has in an action state, for an agent given by id and seed. In the shader the seed is global.
pub fn weight_of(own: &Species, agent: [u32; 2], rule: Rule, state: u32) -> f32 {
    own_weight(own, agent, rule) * own.state_weights[(32 * (rule.rows & 0xffff) + state) as usize]
}

/// Is a behavior active in an action state?
pub fn rule_is_active(own: &Species, agent: [u32; 2], rule: Rule, state: u32) -> bool {
    weight_of(own, agent, rule, state) != 0.0 && (rule.states >> state) & 1 != 0
}

/// What a behavior says, plus a random vector whose length is the share `jitter` of that.
pub fn jittered(model: &CompiledScene, agent: &Agent, rule: Rule, steering: Vec3) -> Vec3 {
    if rule.jitter <= 0.0 {
        return steering;
    }
    let draw = hash4([agent.seed, agent.id, agent.step, STREAM_JITTER + (rule.rows >> 16)]);
    let length = rule.jitter * dot3(steering, steering).sqrt();
    steering + unit_direction(model.spatial, draw[0], draw[1]) * length
}

/// As [`jittered`], for an angular behavior. In a plane the random part can only turn left or right.
pub fn jittered_turn(model: &CompiledScene, agent: &Agent, rule: Rule, turning: Vec3) -> Vec3 {
    if model.spatial || rule.jitter <= 0.0 {
        return jittered(model, agent, rule, turning);
    }
    let draw = hash4([agent.seed, agent.id, agent.step, STREAM_JITTER + (rule.rows >> 16)]);
    let length = rule.jitter * turning.z.abs();
    Vec3::new(0.0, 0.0, turning.z + if unit_interval(draw[0]) < 0.5 { length } else { -length })
}

/// What a behavior adds, for a `Watch`. The shader returns no such thing.
#[derive(Debug, Clone, Copy)]
pub struct Added {
    /// What it asks for, after its own limit.
    pub wish: Vec3,
    /// Its weight for the agent in its action state.
    pub weight: f32,
    /// What is added: the weighted wish, normalized where the species or its priority does that; zero if the behavior does not act.
    pub part: Vec3,
    /// Does it act in that state?
    pub acts: bool,
    /// What becomes of the part within its priority; a later behavior may still replace it.
    pub place: Place,
}

/// What becomes of a part within its priority, for a `Watch`. The shader returns no such thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is added to the others.
    Beside,
    /// It replaces any other part: the first behavior counts alone, and this one is the first so far.
    Alone,
    /// It is too short to be the first.
    Short,
    /// It is left out, because another behavior goes first.
    After,
}

/// The priority of a behavior, 0 to 7; 0 comes first.
pub fn priority_of(rule: Rule) -> u32 {
    rule.priority & 7
}

fn rank_of(rule: Rule) -> u32 {
    rule.priority >> 3
}

/// How the behaviors of a priority are combined.
fn way_within(own: &Species, priority: u32) -> u32 {
    (own.combine_within >> (4 * priority)) & 15
}

/// A wish scaled to unit length, or divided by the floor if it is shorter than that, times the weight.
fn unit_part(rule: Rule, wish: Vec3, weight: f32) -> Vec3 {
    let length = dot3(wish, wish).sqrt();
    wish * (weight / length.max(rule.floor.max(1e-18)))
}

/// Add a part to its priority. Where the first behavior counts alone, the first is the one of lowest rank, and among equal
/// ranks the one called first.
fn group_add(sum: &mut Blend, own: &Species, rule: Rule, part: Vec3) -> Place {
    let priority = priority_of(rule);
    let group = &mut sum.groups[priority as usize];
    if way_within(own, priority) != WITHIN_FIRST {
        *group += part;
        return Place::Beside;
    }
    let shift = 4 * priority;
    let before = (sum.first >> shift) & 15;
    let rank = 1 + rank_of(rule);
    let speaks = dot3(part, part) > own.silence * own.silence;
    if speaks && (before == 0 || rank < before) {
        *group = part;
        sum.first = (sum.first & !(15 << shift)) | (rank << shift);
        return Place::Alone;
    }
    if speaks { Place::After } else { Place::Short }
}

/// Add the acceleration of a behavior.
pub fn blend_add(sum: &mut Blend, own: &Species, rule: Rule, state: u32, agent: &Agent, steering: Vec3) -> Added {
    let agent = [agent.id, agent.seed];
    let (combine, weight) = (own.combine, weight_of(own, agent, rule, state));
    let wish = if rule.limit > 0.0 { limit(steering, rule.limit) } else { steering };
    let mut part = wish * weight;
    let prioritizes = combine >= COMBINE_PRIORITY;
    if combine == COMBINE_NORMALIZED || prioritizes && way_within(own, priority_of(rule)) == WITHIN_NORMALIZED {
        part = unit_part(rule, wish, weight);
    }
    let acts = rule_is_active(own, agent, rule, state);
    if !acts {
        part = Vec3::ZERO;
    }
    let place = if prioritizes {
        group_add(sum, own, rule, part)
    } else {
        sum.total += part;
        Place::Beside
    };
    Added { wish, weight, part, acts, place }
}

/// What becomes of the sum of a priority, for a `Watch`. The shader returns no such thing.
#[derive(Debug, Clone, Copy)]
pub struct PriorityOutcome {
    /// Which priority.
    pub priority: u32,
    /// Its sum.
    pub asked: Vec3,
    /// What is taken of `asked` into the result.
    pub taken: Vec3,
    /// Is the sum longer than `silence`, so that the priority counts?
    pub speaks: bool,
    /// Did chance draw the priority? Always true unless the species combines by dithering.
    pub drawn: bool,
}

/// The combined acceleration, and 1 + the priority that decided it, or [`NO_WINNER`] if several did or none. `most` is the
/// longest acceleration, u/s² (for angular ones rad/s²). `on_priority` is called for each priority, if the species combines by these.
pub fn blend_finish(
    sum: &Blend,
    own: &Species,
    agent: &Agent,
    most: f32,
    mut on_priority: impl FnMut(PriorityOutcome),
) -> (Vec3, u32) {
    let mut result = (sum.total, NO_WINNER);
    if own.combine >= COMBINE_PRIORITY {
        for priority in 0..PRIORITIES {
            let group = sum.groups[priority];
            let speaks = dot3(group, group) > own.silence * own.silence;
            let (mut taken, mut drawn) = (Vec3::ZERO, true);
            if own.combine == COMBINE_BUDGET {
                let spent = dot3(result.0, result.0).sqrt();
                taken = limit(group, (most - spent).max(0.0));
                result.0 += taken;
            } else {
                if own.combine == COMBINE_DITHERED {
                    let hash = hash4([agent.seed, agent.id, agent.step, STREAM_DITHER + priority as u32]);
                    drawn = unit_interval(hash[0]) < own.dither[priority];
                }
                if speaks && drawn && result.1 == NO_WINNER {
                    result = (group, priority as u32 + 1);
                    taken = group;
                }
            }
            on_priority(PriorityOutcome { priority: priority as u32, asked: group, taken, speaks, drawn });
        }
    }
    result
}
