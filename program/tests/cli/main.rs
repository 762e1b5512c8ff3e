//! The command line as a user meets it: files that a run leaves, exit codes and messages for bad input, Ctrl-C.
//!
//! These tests need an adapter that computes as written, such as lavapipe, and fail without one.

mod bench;
mod checkpoint;
mod messages;
mod pages;
mod place;
mod run_folders;
mod runs;
mod sweep;
mod verdicts;
mod why;

use place::{Outcome, Place, outcome};
use std::path::Path;

/// The folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Call the program where it finds no GPU.
fn blind(place: &Place, line: &str) -> Outcome {
    let mut command = place.command(line);
    command.env("WGPU_BACKEND", "vulkan");
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    outcome(command)
}

/// Each gives its exit code and one message with these words, and writes nothing.
#[test]
fn bad_input_gives_one_message_and_writes_nothing() {
    let place = Place::new();
    let folder = place.path().to_str().unwrap();
    let cases: &[(&str, i32, &[&str])] = &[
        ("run nowhere.toml", 5, &["nowhere.toml: there is no preset and no file"]),
        ("run flock --set nonsense", 5, &["--set nonsense", "KEY=VALUE"]),
        ("run flock --set dt=-1", 5, &["--set dt=-1", "dt = -1"]),
        ("run flock --seed -1", 2, &["--seed"]),
        ("run flock --agents -5", 2, &["--agents", "-5"]),
        ("run flock --steps -1", 2, &["--steps", "-1"]),
        ("run flock --steps many", 2, &["many"]),
        ("run flock --every 0", 2, &["--every", "0"]),
        ("run flock --device tpu", 2, &["gpu", "cpu"]),
        ("run flock --nonsense", 2, &["--nonsense"]),
        ("run flock --adapter voodoo3", 2, &["no adapter has the name `voodoo3`", "0: "]),
        ("run flock --adapter 99", 2, &["no adapter has index 99"]),
        ("run flock --device cpu --adapter 0", 2, &["--adapter", "--device cpu"]),
        ("run flock --device gpu --agents 100000000", 6, &["100000000 agents need", "allows", "use --agents"]),
        ("run flock --device cpu --agents 1000000000", 6, &["1000000000 agents need", "MiB", "use --agents"]),
        ("run flock --agents 2000000000", 5, &["2000000000 agents", "2^30"]),
        ("profile flock --agents 80 --against shaders=", 2, &["shaders=", "folder"]),
        ("run flock --shaders DIR/none", 5, &["DIR/none: is no folder that can be read"]),
        ("run flock --shaders DIR", 5, &["has no shader file such as sim/steer.wgsl"]),
        ("run flock --from DIR/none.npy", 5, &["DIR/none.npy: cannot be read"]),
        ("run flock --from DIR", 5, &["is a directory, not a regular file"]),
        ("adapters --jsn", 2, &["--json"]),
        ("conform seperation_pair", 2, &["no law has `seperation_pair`", "did you mean `separation_pair`"]),
        ("conform --only tpu", 2, &["cpu", "gpu"]),
        ("conform --seed -1", 2, &["--seed"]),
        ("conform --shaders DIR", 5, &["has no shader file such as sim/steer.wgsl"]),
        ("scenes --show flok", 5, &["--show flok", "did you mean `flock`"]),
        ("nonsense", 2, &["nonsense"]),
    ];
    for (line, code, words) in cases {
        let line = line.replace("DIR", folder) + if line.starts_with("run") { " --out no" } else { "" };
        let seen = place.refused(&line, *code, "");
        for word in *words {
            assert!(seen.err.contains(&word.replace("DIR", folder)), "{line}: `{word}` is not in: {}", seen.err);
        }
        assert_eq!((seen.err.matches("error:").count(), &*seen.out), (1, ""), "{line}: {}", seen.err);
    }
}

/// A newcomer's first start, in a container or over ssh, says nothing of Wayland.
#[test]
#[cfg(all(unix, not(target_vendor = "apple")))]
fn a_missing_runtime_folder_is_no_complaint() {
    let place = Place::new();
    let said = |line: &str, folder: Option<&str>| {
        let mut command = place.command(line);
        match folder {
            Some(folder) => command.env("XDG_RUNTIME_DIR", folder),
            None => command.env_remove("XDG_RUNTIME_DIR"),
        };
        outcome(command)
    };
    let listed = |folder| said("adapters", folder);
    let seen = listed(None);
    assert_eq!((seen.code, seen.err.contains("XDG_RUNTIME_DIR")), (0, false), "{}", seen.err);
    assert_eq!(seen.out, listed(Some("/tmp")).out);
    // What somebody did set is left to them, and Mesa says that it is of no use.
    let wrong = listed(Some("not-absolute"));
    assert_eq!((wrong.code, wrong.out), (0, seen.out));
    assert_eq!(said("scenes --show 'no such'", None).code, 5, "arguments and exit codes are kept");
}
