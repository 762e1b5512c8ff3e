//! How much memory may still be taken: the least that the machine, its control groups and the limits of the process leave.

use std::fs::read_to_string;
use std::path::Path;

/// Address space that glibc takes for each thread that begins to allocate, bytes. While it takes it for a thread, it needs as much once
/// more.
const PER_THREAD: u64 = 64 << 20;
/// Room for allocations that are too small to be checked by [`check_fits`] first, bytes.
const SMALL: u64 = 16 << 20;

/// Bytes that are free; `None` if the system does not tell.
pub(crate) fn available() -> Option<u64> {
    let text = |path: &str| read_to_string(path).unwrap_or_default();
    let machine = kilobytes(&text("/proc/meminfo"), "MemAvailable:");
    let group = group(Path::new("/sys/fs/cgroup"), &text("/proc/self/cgroup"));
    let address_space = address_space().map(|left| left.saturating_sub(of_threads()));
    [machine, group, address_space].into_iter().flatten().min()
}

/// Address space that the worker threads take when they begin to allocate. If it were given away, they would find none, and an allocation
/// that fails ends the program.
fn of_threads() -> u64 {
    (std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64) + 1) * PER_THREAD
}

/// Check that there is address space for threads and for small allocations.
///
/// # Errors
/// A text that says what is needed, and what limits of the process leave.
pub(crate) fn check_room() -> Result<(), String> {
    let needed = of_threads() + SMALL;
    let Some(left) = address_space().filter(|left| *left < needed) else { return Ok(()) };
    let [needed, left] = [needed, left].map(|bytes| bytes >> 20);
    Err(format!("threads need {needed} MiB of address space, and limits of the process (ulimit -v) leave {left} MiB"))
}

/// Four fifths of what is free: some memory is always taken that no estimate counts.
pub(crate) fn usable() -> Option<u64> {
    available().map(|bytes| bytes / 10 * 8)
}

/// Check that this many bytes can be allocated. An allocation that fails ends the program, so large ones are checked first.
///
/// # Errors
/// What is needed and what there is, as a text to be put behind the name of what needs it.
pub(crate) fn check_fits(bytes: u64) -> Result<(), String> {
    let Some(usable) = usable().filter(|usable| bytes > *usable) else { return Ok(()) };
    let (needed, usable) = (bytes.div_ceil(1 << 20), usable >> 20);
    Err(format!("needs {needed} MiB, and only {usable} MiB (80 % of the free memory) can be used"))
}

/// Bytes of address space that limits of the process leave (`ulimit -v`, `-d`); `None` if it has no such limit.
pub(crate) fn address_space() -> Option<u64> {
    let text = |path: &str| read_to_string(path).unwrap_or_default();
    of_process(&text("/proc/self/limits"), &text("/proc/self/status"))
}

fn of_process(limits: &str, status: &str) -> Option<u64> {
    let rooms = [("Max address space", "VmSize:"), ("Max data size", "VmData:")];
    rooms.into_iter().filter_map(|(limit, used)| left(process_limit(limits, limit), kilobytes(status, used))).min()
}

fn left(limit: Option<u64>, used: Option<u64>) -> Option<u64> {
    Some(limit?.saturating_sub(used?))
}

/// A figure of a table such as `MemAvailable:   123 kB`, bytes.
fn kilobytes(table: &str, name: &str) -> Option<u64> {
    let line = table.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|number| number * 1024)
}

/// A soft limit of /proc/self/limits; `None` if it is `unlimited`.
fn process_limit(table: &str, name: &str) -> Option<u64> {
    table.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// Bytes that the control groups of the process leave, parents included: of version 2, or the memory controller of version 1.
fn group(root: &Path, groups: &str) -> Option<u64> {
    let rooms = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        let (root, names) = match controllers {
            "" => (root.to_owned(), ["memory.max", "memory.current", "inactive_file"]),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (root.join("memory"), ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"])
            }
            _ => return None,
        };
        // In a container the group may have its name from outside of the container, while its files lie at the root.
        let folder = root.join(group);
        folder.ancestors().take_while(|folder| folder.starts_with(&root)).filter_map(|folder| room(folder, names)).min()
    });
    rooms.min()
}

/// Bytes that one control group leaves. Cached pages of files count as free: they are given back before memory runs short.
fn room(folder: &Path, [limit, used, idle]: [&str; 3]) -> Option<u64> {
    let number = |name: &str| read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let table = read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let idle = table.lines().find_map(|line| line.strip_prefix(idle)?.trim().parse::<u64>().ok());
    left(number(limit), number(used)).map(|left| left.saturating_add(idle.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_that_any_control_group_leaves() {
        let temp = tempfile::TempDir::new().unwrap();
        let put = |name: &str, text: &str| {
            let path = temp.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        assert_eq!(group(temp.path(), "0::/a/b\n"), None, "no such group");
        put("a/b/memory.max", "max\n");
        put("a/b/memory.current", "700\n");
        assert_eq!(group(temp.path(), "0::/a/b\n"), None, "no limit");
        put("a/memory.max", "1000\n");
        put("a/memory.current", "900\n");
        assert_eq!(group(temp.path(), "0::/a/b\n"), Some(100), "the limit of the parent");
        put("a/memory.stat", "anon 800\ninactive_file 50\nactive_file 30\n");
        assert_eq!(group(temp.path(), "0::/a/b\n"), Some(150), "idle pages are free");
        put("a/b/memory.max", "720\n");
        assert_eq!(group(temp.path(), "0::/a/b\n"), Some(20));
        put("memory/c/memory.limit_in_bytes", "500\n");
        put("memory/c/memory.usage_in_bytes", "510\n");
        assert_eq!(group(temp.path(), "9:cpu,memory:/c\n0::/a\n"), Some(0), "version 1, and more than it may have");
        assert_eq!(group(temp.path(), "9:cpu:/c\n"), None);
    }
}
