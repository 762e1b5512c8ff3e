//! What flocks do on the whole: statistics, order and observables, against known numbers.

#[path = "../support/mod.rs"]
mod support;

mod observables;
mod starflag;
mod statistics;
mod vicsek;
