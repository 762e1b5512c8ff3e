//! What flocks do on the whole: statistics, order and observables, against known numbers; and what is made of such figures.

mod observables;
mod starflag;
mod statistics;
mod table;
mod until;
mod vicsek;
