//! What a user's shaders and names come to: exit codes, places and lines of messages.

use super::place::{Outcome, Place, outcome};
use std::fs;
use steerling::gpu::shaders::EMBEDDED;

pub fn embedded(path: &str) -> String {
    EMBEDDED.iter().find(|(known, _)| *known == path).expect("a shader").1.to_owned()
}

/// Verify a small scene with some shader files in place of the built-in ones.
fn with_shaders(files: &[(&str, String)]) -> Outcome {
    let place = Place::new();
    files.iter().for_each(|(path, text)| place.write(&format!("own/{path}"), text));
    place.call("verify flock --agents 200 --steps 1 --free-steps 2 --shaders own")
}

/// They are refused, with these words.
fn refused(files: &[(&str, String)], words: &[&str]) {
    with_shaders(files).ended(5, words);
}

/// A built-in file with another text in place of one that it has once.
pub fn changed(path: &'static str, from: &str, to: &str) -> (&'static str, String) {
    let text = embedded(path);
    assert_eq!(text.matches(from).count(), 1, "{path}: {from}");
    (path, text.replace(from, to))
}

#[test]
fn a_shader_that_cannot_be_bound_is_refused() {
    let buffers = |from, to| [changed("common/buffers.wgsl", from, to)];
    let group = buffers("@group(0) @binding(7)", "@group(1) @binding(7)");
    refused(&group, &["`cell` is in group 1", "group 0"]);
    let uniform = buffers("var<storage, read> species: array<Species>", "var<uniform> species: array<Species, 4>");
    refused(&uniform, &[]);
    let storage = buffers("var<uniform> world: World", "var<storage, read> world: World");
    refused(&storage, &["`world` is a uniform buffer, and here a storage buffer", "sim/"]);
}

/// A user's shader may write any ids: a difference, and no panic.
#[test]
fn ids_that_nobody_has_are_a_mismatch() {
    for to in ["id[slot] = agent.id + 5000u;", "id[slot] = agent.id ^ 0x7fffffffu;"] {
        let (path, text) = changed("sim/integrate.wgsl", "id[slot] = agent.id;", to);
        with_shaders(&[(path, text.clone())]).ended(3, &[]);
        // What reads the state back.
        let place = Place::new();
        place.write("own/sim/integrate.wgsl", &text);
        let seen = place.call("run flock --agents 200 --steps 6 --shaders own --out out --checkpoint-every 3");
        assert!((0..100).contains(&seen.code), "{} {}", seen.code, seen.err);
    }
}

/// Notes and warnings are left out by `--quiet`, and errors are not.
#[test]
fn who_asks_for_quiet_is_told_errors_only() {
    let place = Place::new();
    let line = "run flock --agents 60 --device cpu --steps 1 --set species.0.time_constant=0.001";
    assert!(place.good(&format!("{line} --out loud")).err.contains("warning: species.0.time_constant"));
    assert_eq!(place.good(&format!("{line} --quiet --out quiet")).err, "");
    place.refused("run none --quiet", 5, "error: none: there is no preset");
}

#[test]
fn a_file_of_no_shader_beside_a_good_one_is_named() {
    let good = ("sim/bin.wgsl", embedded("sim/bin.wgsl"));
    with_shaders(std::slice::from_ref(&good)).ended(0, &[]);
    for stray in ["sim/ster.wgsl", "steer.wgsl", "simm/steer.wgsl"] {
        let files = [good.clone(), (stray, embedded("sim/steer.wgsl"))];
        refused(&files, &[stray, "is not one of the program's shaders"]);
    }
    refused(&[good.clone(), ("sim/ster.wgsl", String::new())], &["did you mean sim/steer.wgsl?"]);
}

/// A link that leads nowhere, and a folder that cannot be listed: as it was, the built-in files ran in place of what lies there.
#[cfg(unix)]
#[test]
fn what_cannot_be_read_of_shaders_is_named() {
    // Root may list any folder, but follows no link to itself.
    for (link, to, words) in [
        ("own/sim", "sim", "own/sim: is no folder that can be read"),
        ("own/behaviors/seek.wgsl", "/nowhere/at/all", "seek.wgsl: is a link that leads nowhere"),
    ] {
        let place = Place::new();
        place.write("own/behaviors/flee.wgsl", embedded("behaviors/flee.wgsl"));
        let line = "run flock --agents 80 --steps 1 --shaders own";
        place.good(line);
        std::os::unix::fs::symlink(to, place.at(link)).expect("a link");
        place.refused(line, 5, words);
    }
}

/// Where OpenGL is all there is, that is said, and pictures are refused in words.
#[test]
fn opengl_is_not_taken_in_silence() {
    let place = Place::new();
    let gl = |arguments: &str| {
        let mut command = place.command(arguments);
        command.env("WGPU_BACKEND", "gl");
        let seen = outcome(command);
        (seen.code, seen.err)
    };
    let (code, said) = gl("run flock --agents 80 --steps 1");
    // Without a driver of OpenGL the reference runs, and says so.
    let there = !said.contains("no usable GPU");
    assert!(code == 0 && said.contains("OpenGL") == there, "{said}");
    let (code, said) = gl("render flock --agents 80 --steps 1 --out flock.png");
    assert!(code == 4 && said.contains("cannot draw: OpenGL shaders") == there, "{code:?} {said}");
}

#[test]
fn a_brace_is_missed_where_it_is_missing() {
    let text = embedded("sim/bin.wgsl");
    let cut = text.trim_end().strip_suffix('}').expect("a brace").to_owned();
    refused(&[("sim/bin.wgsl", cut)], &["own/sim/bin.wgsl:", "this `{` is not closed"]);
    refused(&[("sim/bin.wgsl", text + "}\n")], &["own/sim/bin.wgsl:", "this `}` closes nothing"]);
}

/// How many messages are errors.
fn errors(said: &str) -> usize {
    said.lines().filter(|line| line.starts_with("error")).count()
}

/// Our own error has the place; naga's log, which says the same without it, is not printed.
#[test]
fn a_refused_shader_is_one_error() {
    let line = "let slot = invocation_index(invocation, workgroups);";
    let mistyped = changed("sim/bin.wgsl", line, &format!("{line} let pair = array<f32, 2>(1u, 2u); _ = pair[0];"));
    let good = embedded("sim/steer.wgsl");
    let broken = ("sim/steer.wgsl", format!("{good}\nfn broken() -> f32 {{ return nothing; }}\n"));
    let last = format!("own/sim/steer.wgsl:{}:29: ", good.lines().count() + 2);
    for (file, place) in [(mistyped, "own/sim/bin.wgsl:"), (broken, &last)] {
        let Outcome { code, err, .. } = with_shaders(&[file]);
        assert!(code == 5 && err.contains(place) && errors(&err) == 1, "{code} {err}");
        assert!(!err.contains("ERROR") && !err.contains("naga::"), "{err}");
    }
}

/// What a file says does not reach the terminal as commands, and does not look like another message.
#[test]
fn names_of_a_file_stay_in_their_line() {
    let evil = "a\\nerror: all is lost\\u001b[2J\\u0007";
    let long = "x".repeat(500_000);
    let head = "schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\n";
    let scenes = [
        format!("name = \"{evil}\"\n{head}"),
        format!("{head}name = \"{evil}\"\n"),
        format!("{head}states = [\"{evil}\"]\n"),
        format!("{head}\"{evil}\" = 2\n"),
        format!("{head}perceives = [\"{evil}\"]\n"),
        format!("field.source = \"{evil}.png\"\n{head}behaviors.flow_field = {{}}\n"),
        format!("behavior = [{{ file = \"{evil}.wgsl\" }}]\n{head}"),
        format!("{head}name = \"{long}\"\n"),
        format!("{head}perceives = [\"{long}\"]\n"),
        format!("{head}states = [\"{long}\"]\n"),
        format!("{head}behaviors.{long} = {{}}\n"),
    ];
    let place = Place::new();
    for (index, text) in scenes.iter().enumerate() {
        let names = [format!("{index}.toml"), format!("e\nerror: vil\u{1b}[31m{index}.toml")];
        for name in &names[..if cfg!(unix) { 2 } else { 1 }] {
            fs::write(place.at(name), text).expect("a file");
            let run = ["run", name, "--steps", "1", "--device", "cpu", "--out", "none"];
            let seen = outcome(place.command_with(&run));
            assert_eq!(seen.code, 5, "{index}: {:.3000}", seen.err);
            assert!(seen.err.len() < 8000, "{index}: {} bytes", seen.err.len());
            assert!(!seen.err.contains(['\u{1b}', '\u{7}']) && errors(&seen.err) == 1, "{index}: {:?}", seen.err);
        }
    }
    let run = ["run", "flock", "--agents", "9", "--device", "cpu", "--from"];
    for (arguments, name) in [(&run[..1], "no\nerror: such\u{1b}[31m"), (&run, "no\nerror: such\u{1b}[31m.npy")] {
        let seen = outcome(place.command_with(&[arguments, &[name]].concat()));
        assert_eq!(seen.code, 5, "{}", seen.err);
        assert!(!seen.err.contains('\u{1b}') && errors(&seen.err) == 1, "{:?}", seen.err);
    }
}
