//! What happens to agents: the list that the stages `notice` and `tally` make. Twin of a part of `shaders/common/events.wgsl`.

use super::{AWAY, ID_BITS};

/// Events that the list holds.
pub const MOST_EVENTS: u32 = 65_535;

/// In an event's third word: the action state changed. It is the new one, and the one before in the lower eight bits.
pub(crate) const CHANGED: u32 = 0x8000_0000;
/// There in place of a state: the agent is away.
pub(crate) const STATE_AWAY: u32 = 255;
/// In place of an id.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Something happened to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// The step in which it did, from 1.
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
        /// From the right of the way from `from` to `to` to the left?
        back: bool,
    },
    /// It came into another action state, left ([`AWAY`]) or entered.
    Changed {
        /// The action state. Among changes in one step [`AWAY`] is the last.
        to: u32,
        /// The one before.
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
    /// How many more there were, in the last of these steps: the list had no room.
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
    /// From the words of the buffer `events`: their number, three words more, and four for each that was listed.
    pub(crate) fn from_words(words: &[u32]) -> Events {
        let number = words.first().copied().unwrap_or(0);
        let rows = words.chunks_exact(4).skip(1).take(number as usize);
        let mut list: Vec<Event> = rows.map(Event::from_row).collect();
        if (list.len() as u64) < u64::from(number) {
            // Of the step in which the room ended, threads decided which are listed: so none is. Steps come one after another.
            let last = list.last().map_or(0, |event| event.step);
            list.retain(|event| event.step < last);
        }
        list.sort_unstable();
        Events { unlisted: number - list.len() as u32, list }
    }
}
