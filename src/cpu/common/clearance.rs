//! Twin of `shaders/common/clearance.wgsl`.

pub use super::structs::{Clearance, Ground};

/// The clearance, negated if the inside of the shape is the free side (`within`).
pub fn facing(Clearance { distance, normal }: Clearance, within: bool) -> Clearance {
    if within { Clearance { distance: -distance, normal: -normal } } else { Clearance { distance, normal } }
}
