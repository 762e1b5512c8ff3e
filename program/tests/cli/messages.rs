//! What a user's shaders and names come to: exit codes, places and lines of messages.

use super::{call_in, outcome, steerling};
use std::fs;
use std::path::Path;
use steerling::gpu::shaders::EMBEDDED;

/// Run the program; its exit code and what it said.
fn call(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let seen = call_in(folder, arguments);
    (seen.code, seen.err)
}

fn embedded(path: &str) -> String {
    EMBEDDED.iter().find(|(known, _)| *known == path).expect("a shader").1.to_owned()
}

/// Verify a small scene with some shader files in place of the built-in ones.
fn with_shaders(files: &[(&str, String)]) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let file = folder.path().join("own").join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }
    let flags = ["verify", "flock", "--agents", "200", "--steps", "1", "--free-steps", "2", "--shaders", "own"];
    call(folder.path(), &flags)
}

/// A change of a built-in file.
fn changed(path: &'static str, from: &str, to: &str) -> (&'static str, String) {
    let text = embedded(path);
    assert_eq!(text.matches(from).count(), 1, "{path}: {from}");
    (path, text.replace(from, to))
}

#[test]
fn a_shader_that_cannot_be_bound_is_refused() {
    let group = changed("common/buffers.wgsl", "@group(0) @binding(7)", "@group(1) @binding(7)");
    let uniform = [
        changed(
            "common/buffers.wgsl",
            "var<storage, read> species: array<Species>",
            "var<uniform> species: array<Species, 4>",
        ),
        changed("common/buffers.wgsl", "var<uniform> world: World", "var<storage, read> world: World"),
    ];
    let alone = |file: &(&'static str, String)| with_shaders(std::slice::from_ref(file));
    for (found, parts) in [
        (alone(&group), ["`cell` is in group 1", "group 0"]),
        (alone(&uniform[1]), ["`world` is a uniform buffer, and here a storage buffer", "sim/"]),
    ] {
        assert_eq!(found.0, 5, "{}", found.1);
        assert!(parts.iter().all(|part| found.1.contains(part)), "{}", found.1);
    }
    let (code, said) = alone(&uniform[0]);
    assert_eq!(code, 5, "{said}");
}

/// A user's shader may write any ids: a difference, and no panic.
#[test]
fn ids_that_nobody_has_are_a_mismatch() {
    for to in ["id[slot] = agent.id + 5000u;", "id[slot] = agent.id ^ 0x7fffffffu;"] {
        let text = embedded("sim/integrate.wgsl").replace("id[slot] = agent.id;", to);
        let (code, said) = with_shaders(&[("sim/integrate.wgsl", text.clone())]);
        assert_eq!(code, 3, "{said}");
        // What reads the state back.
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("own/sim")).expect("a folder");
        fs::write(folder.path().join("own/sim/integrate.wgsl"), &text).expect("a file");
        let flags = [
            "run",
            "flock",
            "--agents",
            "200",
            "--steps",
            "6",
            "--shaders",
            "own",
            "--out",
            "out",
            "--checkpoint-every",
            "3",
        ];
        let (code, said) = call(folder.path(), &flags);
        assert!((0..100).contains(&code), "{code:?} {said}");
    }
}

#[test]
fn a_file_of_no_shader_beside_a_good_one_is_named() {
    let good = ("sim/bin.wgsl", embedded("sim/bin.wgsl"));
    let (code, said) = with_shaders(std::slice::from_ref(&good));
    assert_eq!(code, 0, "{said}");
    for stray in ["sim/ster.wgsl", "steer.wgsl", "simm/steer.wgsl"] {
        let (code, said) = with_shaders(&[good.clone(), (stray, embedded("sim/steer.wgsl"))]);
        assert_eq!(code, 5, "{said}");
        assert!(said.contains(stray) && said.contains("is none of the program's shaders"), "{said}");
    }
    assert!(with_shaders(&[good.clone(), ("sim/ster.wgsl", String::new())]).1.contains("did you mean sim/steer.wgsl?"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("own/sim")).expect("a folder");
    fs::write(folder.path().join("own/sim/bin.wgsl"), embedded("sim/bin.wgsl")).expect("a file");
    std::os::unix::fs::symlink("/nowhere/at/all", folder.path().join("own/sim/steer.wgsl")).expect("a link");
    let (code, said) = call(folder.path(), &["verify", "flock", "--agents", "200", "--shaders", "own"]);
    assert_eq!(code, 5, "{said}");
    assert!(said.contains("steer.wgsl: is a link that leads nowhere"), "{said}");
}

/// As it was, the built-in files ran in place of what lies there.
#[cfg(unix)]
#[test]
fn a_folder_of_shaders_that_cannot_be_listed_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("own/common")).expect("a folder");
    fs::write(folder.path().join("own/common/grid.wgsl"), embedded("common/grid.wgsl")).expect("a file");
    let tried = || call(folder.path(), &["run", "flock", "--agents", "80", "--steps", "1", "--shaders", "own"]);
    assert_eq!(tried().0, 0);
    // Root may list any folder, but follows no link to itself.
    std::os::unix::fs::symlink("sim", folder.path().join("own/sim")).expect("a link");
    let (code, said) = tried();
    assert!(code == 5 && said.contains("own/sim: is no folder that can be read"), "{code:?} {said}");
}

/// Where OpenGL is all there is, that is said, and pictures are refused in words.
#[test]
fn opengl_is_not_taken_in_silence() {
    let folder = tempfile::tempdir().expect("a folder");
    let gl = |arguments: &[&str]| {
        let mut command = steerling(arguments);
        command.current_dir(folder.path()).env("WGPU_BACKEND", "gl");
        let seen = outcome(command);
        (seen.code, seen.err)
    };
    let (code, said) = gl(&["run", "flock", "--agents", "80", "--steps", "1"]);
    // Without a driver of OpenGL the reference runs, and says so.
    let there = !said.contains("no usable GPU");
    assert!(code == 0 && said.contains("OpenGL") == there, "{said}");
    let (code, said) = gl(&["render", "flock", "--agents", "80", "--steps", "1", "--out", "flock.png"]);
    assert!(code == 4 && said.contains("cannot draw: shaders of OpenGL") == there, "{code:?} {said}");
}

#[test]
fn a_brace_is_missed_where_it_is_missing() {
    let text = embedded("sim/bin.wgsl");
    let cut = text.trim_end().strip_suffix('}').expect("a brace").to_owned();
    let (code, said) = with_shaders(&[("sim/bin.wgsl", cut)]);
    assert_eq!(code, 5, "{said}");
    assert!(said.contains("own/sim/bin.wgsl:") && said.contains("this `{` is not closed"), "{said}");
    let (code, said) = with_shaders(&[("sim/bin.wgsl", text + "}\n")]);
    assert_eq!(code, 5, "{said}");
    assert!(said.contains("own/sim/bin.wgsl:") && said.contains("this `}` closes nothing"), "{said}");
}

/// naga's log says what our own error says, without its place.
#[test]
fn a_refused_shader_is_one_error() {
    let line = "let slot = invocation_index(invocation, workgroups);";
    let mistyped = changed("sim/bin.wgsl", line, &format!("{line} let pair = array<f32, 2>(1u, 2u); _ = pair[0];"));
    let (code, said) = with_shaders(&[mistyped]);
    assert_eq!(code, 5, "{said}");
    assert!(!said.contains("ERROR") && !said.contains("naga::"), "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("error")).count(), 1, "{said}");
}

/// What a file says does not reach the terminal as commands, and does not look like another message.
#[test]
fn names_of_a_file_stay_in_their_line() {
    let evil = "a\\nerror: all is lost\\u001b[2J\\u0007";
    let long = "x".repeat(500_000);
    let scenes = [
        format!("schema = 1\nname = \"{evil}\"\nworld.size = [9, 9]\n[[species]]\ncount = 1\n"),
        format!("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\nname = \"{evil}\"\n"),
        format!("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\nstates = [\"{evil}\"]\n"),
        format!("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\n\"{evil}\" = 2\n"),
        format!("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\nperceives = [\"{evil}\"]\n"),
        format!(
            "schema = 1\nworld.size = [9, 9]\nfield.source = \"{evil}.png\"\n[[species]]\ncount = 1\nbehaviors.flow_field = {{}}\n"
        ),
        format!("schema = 1\nworld.size = [9, 9]\n[[behavior]]\nfile = \"{evil}.wgsl\"\n[[species]]\ncount = 1\n"),
        format!("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\nname = \"{long}\"\n"),
        format!("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\nperceives = [\"{long}\"]\n"),
        format!("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\nstates = [\"{long}\"]\n"),
        format!("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\nbehaviors.{long} = {{}}\n"),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (index, text) in scenes.iter().enumerate() {
        let names = [format!("{index}.toml"), format!("e\nerror: vil\u{1b}[31m{index}.toml")];
        for name in &names[..if cfg!(unix) { 2 } else { 1 }] {
            fs::write(folder.path().join(name), text).expect("a file");
            let (code, said) = call(folder.path(), &["run", name, "--steps", "1", "--device", "cpu", "--out", "none"]);
            assert_eq!(code, 5, "{index}: {said:.3000}");
            assert!(said.len() < 8000, "{index}: {} bytes", said.len());
            assert!(!said.contains(['\u{1b}', '\u{7}']), "{index}: {said:?}");
            assert_eq!(said.lines().filter(|line| line.starts_with("error")).count(), 1, "{index}: {said:?}");
        }
    }
    let (code, said) = call(folder.path(), &["run", "no\nerror: such\u{1b}[31m"]);
    assert_eq!(code, 5);
    assert!(!said.contains('\u{1b}') && said.lines().filter(|line| line.starts_with("error")).count() == 1, "{said:?}");
    let state = ["run", "flock", "--agents", "9", "--device", "cpu", "--init", "no\nerror: such\u{1b}[31m.npy"];
    let (_, said) = call(folder.path(), &state);
    assert!(!said.contains('\u{1b}') && said.lines().filter(|line| line.starts_with("error")).count() == 1, "{said:?}");
}
