//! Faults that tests inject: `STEERLING_FAULT=file:7` lets the seventh operation on files fail, `file:7-8` two in a
//! row.
//!
//! The kinds are `file`, `gpu`, `lost` and `limits`. All code that writes, creates, renames or syncs a file calls this module first
//! (`file`); so do the calls that make something on a device or wait for it (`gpu`), and each batch of steps, before which the device can
//! be lost (`lost`). Opening a device asks too, and a fault there gives it WebGPU's default limits (`limits`). Only builds with assertions
//! and the feature `faults` have such points: the program's, for its tests.

use std::fmt::Display;

/// To be called before an operation on a file. Fails as on a full disk if a test wants this operation to fail.
#[cfg(any(feature = "output", feature = "render"))]
pub(crate) fn file(what: &str, path: &std::path::Path) -> std::io::Result<()> {
    match should_fail("file", format_args!("{what} {}", path.display())) {
        true => Err(std::io::ErrorKind::StorageFull.into()),
        false => Ok(()),
    }
}

/// Count an operation of this kind. Is it one that a test wants to fail? If so, say so on stderr.
#[cfg(all(feature = "faults", debug_assertions))]
pub(crate) fn should_fail(kind: &str, what: impl Display) -> bool {
    use std::io::Write;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static WANTED: LazyLock<Option<(String, u64, u64)>> = LazyLock::new(|| {
        let text = std::env::var("STEERLING_FAULT").ok()?;
        let (kind, numbers) = text.split_once(':')?;
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        Some((kind.to_owned(), first.parse().ok()?, last.parse().ok()?))
    });
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some((_, first, last)) = WANTED.as_ref().filter(|(wanted, ..)| wanted == kind) else { return false };
    let number = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    let fails = (*first..=*last).contains(&number);
    if fails {
        let _ = writeln!(std::io::stderr(), "fault {number}: {what}");
    }
    fails
}

/// Without the feature, no operation is made to fail.
#[cfg(not(all(feature = "faults", debug_assertions)))]
pub(crate) fn should_fail(_: &str, _: impl Display) -> bool {
    false
}
