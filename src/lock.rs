//! Locks that a panic of another thread does not spoil.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lock a mutex whose value is whole at all times, even if a thread panicked while it held the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
