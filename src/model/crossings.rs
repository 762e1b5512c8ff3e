//! Who crossed which line: the list that the stage `tally` makes.

use super::ID_BITS;

/// Crossings that the list holds.
pub const MOST_CROSSINGS: u32 = 65_535;

/// An agent crossed a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crossing {
    /// The step in which it did, from 1.
    pub step: u32,
    /// The agent.
    pub id: u32,
    /// Index of the line.
    pub line: u32,
    /// Did it cross from the right of the way from `from` to `to` to the left?
    pub back: bool,
}

/// All crossings of some steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Crossings {
    /// By step, id, line and direction, whatever the order of threads was.
    pub list: Vec<Crossing>,
    /// How many more there were, in the last of these steps: the list had no room.
    pub unlisted: u32,
}

impl Crossings {
    /// From the words of the buffer `crossings`: their number, three words more, and four for each that was listed.
    pub(crate) fn from_words(words: &[u32]) -> Crossings {
        let number = words.first().copied().unwrap_or(0);
        let rows = words.chunks_exact(4).skip(1).take(number as usize);
        let row = |row: &[u32]| Crossing { step: row[0], id: row[1] & ID_BITS, line: row[2], back: row[3] != 0 };
        let mut list: Vec<Crossing> = rows.map(row).collect();
        if (list.len() as u64) < u64::from(number) {
            // Of the step in which the room ended, threads decided which are listed: so none is. Steps come one after another.
            let last = list.last().map_or(0, |crossing| crossing.step);
            list.retain(|crossing| crossing.step < last);
        }
        list.sort_unstable();
        Crossings { unlisted: number - list.len() as u32, list }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_depends_on_no_thread() {
        let words = |rows: &[[u32; 4]], number: u32| [&[[number, 0, 0, 0]], rows].concat().concat();
        let found = |rows: &[[u32; 4]], number: u32| Crossings::from_words(&words(rows, number));
        let (first, second) = ([1, 9, 0, 0], [1, 3, 1, 1]);
        let whole = found(&[first, second], 2);
        assert_eq!(whole, found(&[second, first], 2));
        assert_eq!((whole.list[0].id, whole.list[0].back, whole.unlisted), (3, true, 0));
        // Room for two, and two in the second step: either may have been listed.
        for late in [[2, 5, 0, 0], [2, 6, 0, 0]] {
            let cut = found(&[first, late], 3);
            assert_eq!((cut.list.len(), cut.list[0].id, cut.unlisted), (1, 9, 2));
        }
        assert_eq!(Crossings::from_words(&[]), Crossings::default());
        // What lies there from before does not count.
        assert_eq!(found(&[first, second], 0), Crossings::default());
    }
}
