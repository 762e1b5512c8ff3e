//! What an embedder calls: simulations on devices of one's own, live changes, worlds side by side, events, counts.

mod embedding;
mod events;
mod live;
mod measure;
mod why;
mod worlds;
