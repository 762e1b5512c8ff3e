//! Why an agent steers as it does: what each of its behaviors says in one step, and what becomes of that.
//!
//! Nothing is computed a second time: the functions that compute the steering report to a `Watch` as they go.

use super::Buffers;
use super::behaviors::Scope;
use super::common::combination::{Added, Place, PriorityOutcome, priority_of};
use super::common::prediction::predicted_way;
use super::common::vector::unsigned_zeros;
use super::common::vehicle::limits_of;
use super::common::vision::Neighbor;
use super::sim::integrate::{force_limited, integrate_one};
use super::sim::schedule::hold_one;
use super::sim::steer::steer_one;
use super::watch::Watch;
use crate::model::{AWAY, CompiledScene, FROZEN, ID_BITS, Rule, Target};
use crate::scene::{self, BehaviorKind, BehaviorSpec, Condition, Scene};
use glam::Vec3;
use serde::Serialize;

/// How one agent steers in one step: an account that adds up to the bit. Vectors have three components, and z is 0 in a planar
/// world.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Why {
    /// The agent's id.
    pub agent: u32,
    /// The name of its species.
    pub species: String,
    /// Steps before this one.
    pub steps: u64,
    /// Is it frozen? Then it does nothing.
    pub frozen: bool,
    /// Is it frozen because it is away: it has left, or has not entered yet?
    pub away: bool,
    /// Does it hold its latest steering, because its species does not steer in every step? Then there are no terms.
    pub holds: bool,
    /// Where it is when the step begins, u.
    pub position: [f32; 3],
    /// Its velocity when the step begins, u/s.
    pub velocity: [f32; 3],
    /// Its action state, where its species has states.
    pub state: Option<Choice>,
    /// What each of its behaviors says, in the order in which these are added.
    pub terms: Vec<Term>,
    /// The sum of each priority, in the order of priorities; empty unless the species combines by priority.
    pub priorities: Vec<Priority>,
    /// The accelerations of all behaviors, combined, u/s².
    pub combined: [f32; 3],
    /// `combined` after smoothing, u/s². For an agent that holds, both are the steering that it holds.
    pub smoothed: [f32; 3],
    /// The acceleration away from contained walls, u/s².
    pub walls: [f32; 3],
    /// Its steering, as it is stored: `smoothed` + `walls`, u/s².
    pub acceleration: [f32; 3],
    /// The sum of its angular behaviors, rad/s².
    pub turning: [f32; 3],
    /// Its greatest force over its mass, u/s².
    pub max_acceleration: f32,
    /// `acceleration` after the force limit, u/s². Kinematic bodies, and bodies that turn first, have other limits as well.
    pub limited: [f32; 3],
    /// Its velocity after the step, u/s; for a body that collides, before the stage `collide`.
    pub next_velocity: [f32; 3],
    /// The neighbors that at least one behavior perceives, in the order of the sum.
    pub neighbors: Vec<Near>,
}

impl Why {
    /// The reason why there are no terms, in words; `None` if the agent steered.
    pub fn idle(&self) -> Option<&'static str> {
        match () {
            () if self.away => Some("it is away: it has left, or has not entered yet"),
            () if self.frozen => Some("it is frozen: its state was not finite, or beyond 1e9"),
            () if self.holds => Some("it holds its latest steering in this step"),
            () => None,
        }
    }
}

/// What one behavior says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Term {
    /// The behavior's name.
    pub behavior: &'static str,
    /// Does it turn the agent? Then its vectors are in rad/s², and its sum is [`Why::turning`].
    pub angular: bool,
    /// The vector that it gives, before its weight. Times the weight it is in u/s².
    pub said: [f32; 3],
    /// `said` after the behavior's noise and its own limit.
    pub wish: [f32; 3],
    /// Its weight for this agent in its action state.
    pub weight: f32,
    /// Its priority, 0 to 7: smaller ones go first, where the species combines so.
    pub priority: u32,
    /// What is added: weighted, and normalized where the species or its priority does that, u/s².
    pub part: [f32; 3],
    /// Is `part` added? False only where the first behavior of a priority counts alone, and this one is not the first.
    pub added: bool,
    /// What becomes of it.
    pub fate: Fate,
    /// How much of the part priorities and budget leave, 0 to 1.
    pub left: f32,
    /// Length of what is left of the part, divided by the sum of these lengths over all terms of its kind, linear or angular; 0 to 1.
    pub share: f32,
    /// What it heads for: each of its targets that exists.
    pub aims: Vec<Aim>,
    /// Ids of the neighbors that it perceives, in the order of the sum.
    pub neighbors: Vec<u32>,
}

/// What becomes of a behavior's part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It counts in full.
    Counts,
    /// Earlier priorities left less of the budget than its own priority asks for.
    Cut,
    /// The behavior's part is zero; or the sum of its priority is no longer than `silence`; or, where the first behavior of the priority
    /// counts alone, its own part is no longer than that.
    Silent,
    /// It does not act in the agent's action state.
    Inactive,
    /// Chance did not draw its priority.
    NotDrawn,
    /// Another priority decided.
    Outranked,
    /// Another behavior of its priority goes first, and counts alone.
    Preceded,
}

impl Fate {
    /// In words.
    pub fn in_words(self) -> &'static str {
        match self {
            Fate::Counts => "counts",
            Fate::Cut => "cut: the budget is spent",
            Fate::Silent => "says nothing",
            Fate::Inactive => "not in this state",
            Fate::NotDrawn => "left out: not drawn",
            Fate::Outranked => "left out: another priority decided",
            Fate::Preceded => "left out: another behavior of its priority goes first",
        }
    }
}

/// The sum of one priority.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Priority {
    /// 0 to 7; 0 comes first.
    pub priority: u32,
    /// Is it the sum of angular behaviors?
    pub angular: bool,
    /// The sum of its behaviors' parts, or the part of the first one if that counts alone, u/s² (for angular ones rad/s²).
    pub asked: [f32; 3],
    /// What is taken of `asked` into the combination.
    pub taken: [f32; 3],
    /// What becomes of it.
    pub fate: Fate,
}

/// What a behavior heads for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Aim {
    /// The key that names it.
    pub key: &'static str,
    /// Position of the target's nearest image, u.
    pub place: [f32; 3],
    /// Position at which the behavior expects it, u, if the behavior predicts its motion.
    pub predicted: Option<[f32; 3]>,
}

/// The choice of an action state.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Choice {
    /// The state before.
    pub before: String,
    /// The state in this step.
    pub state: String,
    /// The step in which the state began, from 1; 0 for the start.
    pub since: u32,
    /// The rule that held first, by its place in the list from 0; `None` if no rule held, and the state stays.
    pub rule: Option<usize>,
    /// Conditions, in words: of the rule that held, or, if the state began earlier, of all rules that lead to it.
    pub because: Vec<String>,
}

/// A neighbor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Near {
    /// Its id.
    pub id: u32,
    /// From the agent to the neighbor's nearest image, u.
    pub offset: [f32; 3],
}

impl Why {
    /// Do the terms add up to the stored acceleration, to the bit? Each sum is computed again from the recorded summands.
    pub fn adds_up(&self) -> bool {
        let bits = |vector: Vec3| vector.to_array().map(f32::to_bits);
        let sum = |angular: bool| {
            let terms = || self.terms.iter().filter(move |term| term.angular == angular);
            let parts = |terms: &mut dyn Iterator<Item = &Term>| {
                terms.fold(Vec3::ZERO, |sum, term| sum + Vec3::from_array(term.part))
            };
            let priorities = || self.priorities.iter().filter(move |row| row.angular == angular);
            let same = |a: Vec3, b: Vec3| bits(unsigned_zeros(a)) == bits(unsigned_zeros(b));
            let (mut total, mut whole) = (parts(&mut terms()), true);
            if priorities().next().is_some() {
                total = Vec3::ZERO;
                for row in priorities() {
                    let of_row = parts(&mut terms().filter(|term| term.added && term.priority == row.priority));
                    // Compare without the signs of zeros: a part that counts alone was not added to anything, so it may have a -0.0.
                    whole &= same(of_row, row.asked.into());
                    total += Vec3::from_array(row.taken);
                }
            }
            (total, whole)
        };
        let ((linear, whole), (angular, turns)) = (sum(false), sum(true));
        let same = |a: Vec3, b: [f32; 3]| bits(unsigned_zeros(a)) == bits(unsigned_zeros(b.into()));
        let steered = Vec3::from(self.smoothed) + Vec3::from(self.walls);
        let acts = self.frozen || self.holds || same(linear, self.combined) && same(angular, self.turning);
        whole && turns && acts && same(steered, self.acceleration)
    }
}

/// Records in a [`Why`] how one agent steers.
#[derive(Debug)]
pub(crate) struct Account<'a> {
    scene: &'a Scene,
    /// For each of `why.neighbors`, a mask of the behaviors that perceive it.
    perceived_by: Vec<u64>,
    pub why: Why,
}

impl<'a> Account<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        Account { scene, perceived_by: Vec::new(), why: Why::default() }
    }

    fn species(&self, scope: &Scope<'_>) -> &'a scene::Species {
        &self.scene.species[scope.model.species_of(scope.agent.id)]
    }

    /// Set how much of each term priorities and budget leave, and its share.
    fn finish(&mut self) {
        let Why { terms, priorities, .. } = &mut self.why;
        priorities.retain(|row| terms.iter().any(|term| (term.angular, term.priority) == (row.angular, row.priority)));
        for term in terms.iter_mut().filter(|term| term.fate == Fate::Counts) {
            let Some(row) = priorities.iter().find(|r| (r.angular, r.priority) == (term.angular, term.priority)) else {
                continue;
            };
            let [asked, taken] = [row.asked, row.taken].map(|vector| Vec3::from(vector).length());
            term.fate = row.fate;
            term.left = if taken == asked { 1.0 } else { (taken / asked).min(1.0) };
        }
        for angular in [false, true] {
            let length = |term: &Term| term.left * Vec3::from(term.part).length();
            let whole: f32 = terms.iter().filter(|term| term.angular == angular).map(length).sum();
            for term in terms.iter_mut().filter(|term| term.angular == angular && whole > 0.0) {
                term.share = length(term) / whole;
            }
        }
    }
}

impl Watch for Account<'_> {
    fn perceives(&mut self, neighbor: &Neighbor, behaviors: u64) {
        self.why.neighbors.push(Near { id: neighbor.id, offset: neighbor.offset.to_array() });
        self.perceived_by.push(behaviors);
    }

    fn chose(&mut self, scope: &Scope<'_>, state: u32, [before, since]: [u32; 2], rule: Option<usize>) {
        let own = self.species(scope);
        if own.rules.is_empty() {
            return;
        }
        let name = |state: u32| own.states.get(state as usize).cloned().unwrap_or_default();
        let since = if state == before { since } else { scope.agent.step };
        let leads = own.rules.iter().enumerate().filter(|(index, row)| match rule {
            Some(held) => held == *index,
            None => since > 0 && row.to == state,
        });
        let because = leads.map(|(_, row)| reason(self.scene, row)).collect();
        self.why.state = Some(Choice { before: name(before), state: name(state), since, rule, because });
    }

    fn says(&mut self, scope: &Scope<'_>, rule: Rule, said: Vec3, added: Added) {
        let index = rule.rows >> 16;
        let Some((spec, _)) = self.species(scope).described().nth(index as usize) else { return };
        let Added { wish, weight, part, acts, place } = added;
        let (angular, priority) = (spec.kind == BehaviorKind::Angular, priority_of(rule));
        if place == Place::Alone {
            // The behavior that was the first of this priority so far no longer counts.
            let before = self.why.terms.iter_mut().filter(|term| (term.angular, term.priority) == (angular, priority));
            for term in before.filter(|term| term.added) {
                (term.added, term.fate, term.left) = (false, Fate::Preceded, 0.0);
            }
        }
        let perceived =
            self.why.neighbors.iter().zip(&self.perceived_by).filter(|(_, seen)| (**seen >> index) & 1 != 0);
        let fate = match (acts, part == Vec3::ZERO, place) {
            (false, ..) => Fate::Inactive,
            (true, true, _) | (true, false, Place::Short) => Fate::Silent,
            (true, false, Place::After) => Fate::Preceded,
            (true, false, Place::Beside | Place::Alone) => Fate::Counts,
        };
        let term = Term {
            behavior: spec.name,
            angular,
            said: said.to_array(),
            wish: wish.to_array(),
            weight,
            priority,
            part: part.to_array(),
            added: matches!(place, Place::Beside | Place::Alone),
            fate,
            left: if fate == Fate::Counts { 1.0 } else { 0.0 },
            share: 0.0,
            aims: aims(scope, spec),
            neighbors: perceived.map(|(near, _)| near.id).collect(),
        };
        self.why.terms.push(term);
    }

    fn on_priority(&mut self, angular: bool, outcome: PriorityOutcome) {
        let PriorityOutcome { priority, asked, taken, speaks, drawn } = outcome;
        let fate = match (taken == asked, taken == Vec3::ZERO) {
            _ if asked == Vec3::ZERO => Fate::Silent,
            (true, _) => Fate::Counts,
            (_, false) => Fate::Cut,
            _ if !speaks => Fate::Silent,
            _ if !drawn => Fate::NotDrawn,
            _ => Fate::Outranked,
        };
        let (asked, taken) = (asked.to_array(), taken.to_array());
        self.why.priorities.push(Priority { priority, angular, asked, taken, fate });
    }

    fn sums(&mut self, scope: &Scope<'_>, [combined, smoothed, walls]: [Vec3; 3]) {
        (self.why.combined, self.why.smoothed) = (combined.to_array(), smoothed.to_array());
        (self.why.walls, self.why.max_acceleration) = (walls.to_array(), scope.agent.max_acceleration);
    }
}

/// Run the next stages, `steer` and `integrate`, for the agent at a sorted index alone, and record what they do. The buffers are
/// restored afterwards.
pub(super) fn account(
    scene: &Scene,
    model: &CompiledScene,
    buffers: &mut Buffers,
    steps: u64,
    sorted_index: usize,
) -> Why {
    let word = buffers.sorted_id[sorted_index];
    let (id, frozen) = (word & ID_BITS, word & FROZEN != 0);
    let own = &model.species[model.species_of(id)];
    let steers = buffers.steering[sorted_index].steers;
    let mut account = Account::new(scene);
    // For an agent that holds, the stage `schedule` has already updated the memory.
    let steering = match steers {
        true => steer_one(model, buffers, sorted_index, &mut account),
        false => {
            hold_one(model, buffers, sorted_index, &mut account);
            buffers.steering[sorted_index]
        }
    };
    account.finish();
    let mut why = account.why;
    let remembered = buffers.memory.get(id as usize).copied();
    if let Some(memory) = buffers.memory.get_mut(id as usize).filter(|_| !frozen && buffers.remembers) {
        *memory = steering.memory;
    }
    let before = std::mem::replace(&mut buffers.acceleration[sorted_index], steering.acceleration);
    let limits = limits_of(model, buffers, own, id);
    let moved = integrate_one(model, buffers, sorted_index);
    why.next_velocity = moved.velocity;
    why.limited = force_limited(limits, steering.acceleration.into()).to_array();
    buffers.acceleration[sorted_index] = before;
    if let (Some(memory), Some(before)) = (buffers.memory.get_mut(id as usize), remembered) {
        *memory = before;
    }
    why.agent = id;
    why.species = scene.species[model.species_of(id)].name.clone();
    (why.steps, why.frozen, why.away, why.holds) = (steps, frozen, frozen && word & AWAY != 0, !steers);
    (why.position, why.velocity) = (buffers.sorted_position[sorted_index], buffers.sorted_velocity[sorted_index]);
    (why.acceleration, why.turning) = (steering.acceleration, steering.memory.behaviors.turning);
    why
}

/// What a behavior heads for.
fn aims(scope: &Scope<'_>, spec: &BehaviorSpec) -> Vec<Aim> {
    let block = scope.model.block(scope.model.species_of(scope.agent.id), spec);
    let word =
        |name: &str| spec.members().iter().find(|member| member.name == name).map(|member| block[member.first_word]);
    // Every behavior that predicts its target has these parameters.
    let ahead = ["prediction_time", "turning", "max_prediction_time"].map(word);
    let place = |way: Vec3| (scope.agent.position + way).to_array();
    let targets = spec.members().iter().filter(|member| member.ty == "Target").filter_map(|member| {
        let goal = scope.goal(super::own::part::<Target>(block, member.first_word));
        let predicted = match (word("prediction"), ahead.map(|bits| bits.map(f32::from_bits))) {
            (Some(rule), [Some(time), Some(turning), Some(longest)]) => {
                Some(place(predicted_way(&scope.agent, &goal, rule, time, turning, longest)))
            }
            _ => None,
        };
        goal.exists.then(|| Aim { key: member.name, place: place(goal.offset), predicted })
    });
    targets.collect()
}

/// The condition of a rule, in words.
fn reason(scene: &Scene, rule: &scene::Transition) -> String {
    let than = rule.than;
    let target = || match rule.target {
        scene::Target::Point(at) if scene.world.spatial => format!("({}, {}, {})", at.x, at.y, at.z),
        scene::Target::Point(at) => format!("({}, {})", at.x, at.y),
        scene::Target::Agent(id) => format!("agent {id}"),
        scene::Target::Nearest { species, .. } => {
            let named = scene.species.iter().enumerate().filter(|(row, _)| (species >> row) & 1 != 0);
            let names: Vec<_> = named.map(|(_, species)| species.name.as_str()).collect();
            format!("the nearest of {}", names.join(", "))
        }
        scene::Target::Leader(row) => format!("its leader of {}", scene.species[row as usize].name),
        scene::Target::Path(row) => scene.scenery.paths[row as usize].name.clone(),
        scene::Target::Field => "where the field leads".to_owned(),
        scene::Target::Goal { index: row, .. } => scene
            .map
            .iter()
            .flat_map(|map| &map.goals)
            .nth(row as usize)
            .map_or_else(String::new, |goal| goal.name.clone()),
        scene::Target::Trajectory(row) => scene.scenery.trajectories[row as usize].name.clone(),
        scene::Target::Mouse => "the mouse".to_owned(),
    };
    match rule.when {
        Condition::Nearer => format!("{} is nearer than {than} u", target()),
        Condition::Farther => format!("{} is farther than {than} u, or does not exist", target()),
        Condition::After => format!("{than} s in the previous state are over"),
        Condition::FieldAbove => format!("the field is faster here than {than} u/s"),
        Condition::FieldBelow => format!("the field is slower here than {than} u/s"),
        Condition::LoadAbove => format!("it carries at least {than} units"),
    }
}
