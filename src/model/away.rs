//! Agents that are away: they have left, or have not entered yet. Twin of a part of `shaders/common/away.wgsl`.

use super::{AWAY, FROZEN};
pub use crate::constants::NO_EXIT;
use crate::scene::Species;

/// Does the word of an agent's id say that it is away?
pub fn is_away(word: u32) -> bool {
    word & (FROZEN | AWAY) == FROZEN | AWAY
}

/// Steps from the entry of one agent of a species to that of the next; 0 if all are there from the start.
pub(crate) fn entry_interval(species: &Species, dt: f32) -> f32 {
    match species.enters > 0.0 {
        true => (1.0 / (f64::from(species.enters) * f64::from(dt))) as f32,
        false => 0.0,
    }
}

/// The step at whose end the agent with this rank in its species enters; 0 if it is there from the start.
pub(crate) fn entry_step(rank: u32, interval: f32) -> u32 {
    (rank as f32 * interval).min(4e9) as u32
}

/// The number of agents of a species that have entered after `steps` steps.
pub fn entered(species: &Species, dt: f32, steps: u64) -> u32 {
    let (interval, mut ranks) = (entry_interval(species, dt), 0..species.count);
    while ranks.start < ranks.end {
        let middle = ranks.start.midpoint(ranks.end);
        match u64::from(entry_step(middle, interval)) <= steps {
            true => ranks.start = middle + 1,
            false => ranks.end = middle,
        }
    }
    ranks.start
}
