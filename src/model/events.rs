//! What happens to agents: the list that the stages `notice` and `tally` make. Twin of a part of `shaders/common/events.wgsl`.

use super::{AWAY, ID_BITS};
pub use crate::constants::MOST_EVENTS;
pub(crate) use crate::constants::{CHANGED, NOBODY, STATE_AWAY};

/// Something happened to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// The step in which it happened, from 1.
    pub step: u32,
    /// The agent.
    pub id: u32,
    /// What happened.
    pub what: What,
}

/// What happened to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// It crossed a line.
    Crossed {
        /// Index of the line.
        line: u32,
        /// True if it crossed from the right to the left, seen along the line from its `from` to its `to`.
        back: bool,
    },
    /// It came into another action state, left ([`AWAY`]) or entered.
    Changed {
        /// The new action state, or [`AWAY`], which is sorted behind the agent's other changes in the same step.
        to: u32,
        /// The action state before, or [`AWAY`].
        from: u32,
        /// The target of the rule that held, if that is an agent.
        by: Option<u32>,
    },
}

/// All events of some steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// By step, id and what happened, whatever the order of threads was.
    pub list: Vec<Event>,
    /// The number of events that are missing, because the list had no room for all: those from the step on in which it became full.
    pub unlisted: u32,
}

impl Event {
    fn from_row(row: &[u32]) -> Event {
        let state = |word: u32| if word & 0xff == STATE_AWAY { AWAY } else { word & 0xff };
        let what = match row[2] & CHANGED {
            0 => What::Crossed { line: row[2], back: row[3] != 0 },
            _ => {
                let by = Some(row[3]).filter(|id| *id != NOBODY);
                What::Changed { to: state(row[2] >> 8), from: state(row[2]), by }
            }
        };
        Event { step: row[0], id: row[1] & ID_BITS, what }
    }
}

impl Events {
    /// The events in the words of the buffer `events`: the number of all events, three unused words, and four words for each listed event.
    pub(crate) fn from_words(words: &[u32]) -> Events {
        let number = words.first().copied().unwrap_or(0);
        let rows = words.chunks_exact(4).skip(1).take(number as usize);
        let mut list: Vec<Event> = rows.map(Event::from_row).collect();
        if (list.len() as u64) < u64::from(number) {
            // Which events of the step in which the list became full are in it depended on threads, so all of that step are dropped. The
            // list is in the order of steps.
            let last = list.last().map_or(0, |event| event.step);
            list.retain(|event| event.step < last);
        }
        list.sort_unstable();
        Events { unlisted: number - list.len() as u32, list }
    }
}
