//! The reference is held to laws: each expected value has a closed form, or is calculated anew in f64, and each
//! comparison is shown to reject what a plausible mistake would give.

#[path = "../common/laws.rs"]
mod common;

mod alignment;
mod boundary;
mod cohesion;
mod faults;
mod field;
mod perception;
mod separation;
mod start;
mod symmetry;
mod vehicle;
