//! The undo history: what the user changed, to be undone and redone.

use super::trailing::Laid;
use std::cell::RefCell;
use std::rc::Rc;
use steerling::model::Recast;
use steerling::scene::{Draft, Scene};

/// The most changes that can be undone.
const MOST: usize = 200;

/// The values before a change, and the scene that sliders reset to at that time.
pub struct UndoEntry {
    pub draft: Draft,
    pub original: Scene,
    /// What undoes the change in the state, if it changed that. Filled in once the change is applied.
    pub state_undo: Rc<RefCell<Option<StateUndo>>>,
}

/// What undoes a change of the state.
#[derive(Clone)]
pub enum StateUndo {
    Agents(Recast),
    /// The trail on the ground, changed at this step.
    Trail(u64, Laid),
}

/// The undo history.
#[derive(Default)]
pub struct History {
    /// The values before each change that can be undone, the latest last.
    undoable: Vec<UndoEntry>,
    /// The values after each change that can be redone, the next one last.
    redoable: Vec<UndoEntry>,
    /// Does the latest change go on, because a slider or a brush is still dragged?
    open: bool,
}

impl History {
    /// Record a change; `before` are the values before it. While `held`, the next change belongs to this one.
    pub fn record(&mut self, before: UndoEntry, held: bool) {
        if !self.open {
            self.undoable.push(before);
            self.redoable.clear();
            if self.undoable.len() > MOST {
                self.undoable.remove(0);
            }
        }
        self.open = held;
    }

    /// The values before the latest change.
    pub fn latest(&self) -> Option<&UndoEntry> {
        self.undoable.last()
    }

    /// Drop the latest change, because it could not be run.
    pub fn forget_latest(&mut self) {
        self.undoable.pop();
    }

    /// Does any change let agents join or erase some?
    pub fn recasts(&self) -> bool {
        let of_agents = |was: &UndoEntry| matches!(*was.state_undo.borrow(), Some(StateUndo::Agents(_)));
        self.undoable.iter().chain(&self.redoable).any(of_agents)
    }

    /// What undoes the latest change, if that still goes on.
    pub fn going_on(&self) -> Option<Rc<RefCell<Option<StateUndo>>>> {
        self.undoable.last().filter(|_| self.open).map(|was| Rc::clone(&was.state_undo))
    }

    /// Drop what undoes changes of the state, because another run begins: its agents and its trail never had these states.
    pub fn forget_states(&mut self) {
        self.undoable.iter_mut().chain(&mut self.redoable).for_each(|was| was.state_undo = Rc::default());
    }

    /// End the latest change, as when a slider or a brush is released: the next one is an undo of its own.
    pub fn close(&mut self) {
        self.open = false;
    }

    /// Is there a change to undo?
    pub fn can_undo(&self) -> bool {
        !self.undoable.is_empty()
    }

    /// Is there a change to redo?
    pub fn can_redo(&self) -> bool {
        !self.redoable.is_empty()
    }

    /// Take the values before the latest change. `now` are the present values, for a redo.
    pub fn undo(&mut self, now: UndoEntry) -> Option<UndoEntry> {
        self.open = false;
        let was = self.undoable.pop()?;
        self.redoable.push(now);
        Some(was)
    }

    /// Take the values that were undone last. `now` are the present values, for an undo.
    pub fn redo(&mut self, now: UndoEntry) -> Option<UndoEntry> {
        self.open = false;
        let was = self.redoable.pop()?;
        self.undoable.push(now);
        Some(was)
    }
}
