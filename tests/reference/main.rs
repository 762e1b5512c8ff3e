//! What the reference promises and no law of `conform` states: how a run starts and what it reports, what becomes of agents
//! whose state is no number, and what must not matter.

mod common;
mod faults;
mod functions;
mod invariance;
mod start;
