//! A value that the host computes when it is asked for, if possible by updating an earlier one.

use crate::lock::lock;
use std::sync::{Arc, Mutex, OnceLock};

/// The value `T` of an owner `S`, and the earlier owner whose value it is computed from, until it is computed.
#[derive(Debug)]
pub(super) struct Updated<T, S> {
    value: OnceLock<T>,
    before: Mutex<Option<Arc<S>>>,
}

impl<T, S> Default for Updated<T, S> {
    fn default() -> Self {
        Updated { value: OnceLock::new(), before: Mutex::default() }
    }
}

impl<T, S> Updated<T, S> {
    /// The value, if it is computed already.
    pub fn known(&self) -> Option<&T> {
        self.value.get()
    }

    /// When the value is asked for, compute it from that of `before`. No effect if it is computed already.
    pub fn update_from(&self, before: &Arc<S>) {
        if self.known().is_none() {
            *lock(&self.before) = Some(Arc::clone(before));
        }
    }

    /// The value. `compute` makes it, from the earlier owner if there is one.
    pub fn get(&self, compute: impl FnOnce(Option<&S>) -> T) -> &T {
        if let Some(value) = self.known() {
            return value;
        }
        // No lock is held: while this thread waits in rayon, it may be given work of another simulation, which asks for the same value.
        let before = lock(&self.before).clone();
        let value = compute(before.as_deref());
        let value = self.value.get_or_init(|| value);
        *lock(&self.before) = None;
        value
    }

    /// Set the value, which was computed in another way. Returns false if it was computed before.
    pub fn set(&self, value: T) -> bool {
        *lock(&self.before) = None;
        self.value.set(value).is_ok()
    }
}
