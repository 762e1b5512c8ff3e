//! What the user changed, to be taken back and made again.

use super::trailing::Laid;
use std::cell::RefCell;
use std::rc::Rc;
use steerling::model::Recast;
use steerling::scene::{Draft, Scene};

/// Changes that are remembered.
const MOST: usize = 200;

/// The values before a change, and the scene whose values "put back" gave then.
pub struct Was {
    pub draft: Draft,
    pub original: Scene,
    /// How the state of then comes back, where the change was of that; known as soon as it is made.
    pub back: Rc<RefCell<Option<Back>>>,
}

/// What takes a change of the state back.
#[derive(Clone)]
pub enum Back {
    Agents(Recast),
    /// Of the trail on the ground, at this step.
    Trail(u64, Laid),
}

/// What was before each change, and what was taken back.
#[derive(Default)]
pub struct History {
    before: Vec<Was>,
    after: Vec<Was>,
    /// Does the change go on, because a slider is still dragged?
    open: bool,
}

impl History {
    /// Values changed; these were there before. As long as `held`, the next change belongs to this one.
    pub fn record(&mut self, before: Was, held: bool) {
        if !self.open {
            self.before.push(before);
            self.after.clear();
            if self.before.len() > MOST {
                self.before.remove(0);
            }
        }
        self.open = held;
    }

    /// What was before the latest change.
    pub fn latest(&self) -> Option<&Was> {
        self.before.last()
    }

    /// Nothing came of the latest change: there is nothing of it to take back.
    pub fn forget_latest(&mut self) {
        self.before.pop();
    }

    /// Is any change one of the agents?
    pub fn recasts(&self) -> bool {
        let of_agents = |was: &Was| matches!(*was.back.borrow(), Some(Back::Agents(_)));
        self.before.iter().chain(&self.after).any(of_agents)
    }

    /// What takes the change back that goes on.
    pub fn going_on(&self) -> Option<Rc<RefCell<Option<Back>>>> {
        self.before.last().filter(|_| self.open).map(|was| Rc::clone(&was.back))
    }

    /// Another run begins, in which those who were put or erased never were as they were then, and no trail was laid.
    pub fn forget_states(&mut self) {
        self.before.iter_mut().chain(&mut self.after).for_each(|was| was.back = Rc::default());
    }

    /// The change is complete.
    pub fn close(&mut self) {
        self.open = false;
    }

    /// Is there something to take back?
    pub fn can_undo(&self) -> bool {
        !self.before.is_empty()
    }

    /// Is there something to do again?
    pub fn can_redo(&self) -> bool {
        !self.after.is_empty()
    }

    /// The values before the latest change. `now` can be redone then.
    pub fn undo(&mut self, now: Was) -> Option<Was> {
        self.open = false;
        let was = self.before.pop()?;
        self.after.push(now);
        Some(was)
    }

    /// The values that were taken back last. `now` can be undone then.
    pub fn redo(&mut self, now: Was) -> Option<Was> {
        self.open = false;
        let was = self.after.pop()?;
        self.before.push(now);
        Some(was)
    }
}
