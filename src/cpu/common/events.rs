//! Twin of `shaders/common/events.wgsl`: what happens to agents, in a list.

use crate::cpu::Buffers;
use crate::model::events::CHANGED;

/// Add an event to the list, unless no events are listed or the list is full.
pub fn list_event(buffers: &mut Buffers, id: u32, what: u32, how: u32) {
    let Some([number, ..]) = buffers.events.first_mut() else { return };
    *number = number.wrapping_add(1);
    let row = *number as usize;
    if let Some(listed) = buffers.events.get_mut(row).filter(|_| row > 0) {
        *listed = [buffers.clock[0], id, what, how];
    }
}

/// List a change of the action state.
pub fn list_change(buffers: &mut Buffers, [id, before, after, by]: [u32; 4]) {
    list_event(buffers, id, CHANGED | after << 8 | before, by);
}
