//! Action selection: the transitions of an agent from one action state to another, which change its active behaviors.

use super::target::Target;

table! {
    /// One row of a species' table of action selection.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Transition {
        /// States in which the rule applies.
        ///
        /// Bit s is set for state s.
        pub from: u32 = described(Range::States, "any state"),
        /// The state that it leads to.
        ///
        /// Its index.
        pub to: u32 = required(Range::State),
        /// Nearer, farther: distance of the target; after: time in the state; field_above, field_below: speed of the flow
        /// field here; load_above: carried resource.
        pub when: Condition = choice(Condition::WORDS),
        /// The number that is compared with.
        pub than: f32 = number("u, s or u/s", 0.0, 1e9, 10.0),
        /// The target whose distance counts.
        pub target: Target = described(Range::Target, "the mouse"),
        /// True where the agent then puts down what it carries.
        pub unloads: bool = flag(),
    }
}

words! {
    /// What has to hold for a rule.
    pub enum Condition {
        /// The target is there and nearer than `than`, u.
        Nearer = "nearer",
        /// The target is farther away than `than`, u, or there is none.
        Farther = "farther",
        /// The agent has been in its state for `than`, s.
        After = "after",
        /// The flow field is faster here than `than`, u/s.
        FieldAbove = "field_above",
        /// The flow field is slower here than `than`, u/s.
        FieldBelow = "field_below",
        /// The agent carries at least `than` units of a resource.
        LoadAbove = "load_above",
    }
}
