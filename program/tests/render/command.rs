//! The files that `steerling render` writes.

use assert_cmd::Command;
use std::path::Path;

fn render(folder: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("steerling").unwrap();
    command.current_dir(folder).args(["render", "flock", "--agents", "500", "--after", "3"]);
    let size: &[&str] = if arguments.contains(&"--size") { &[] } else { &["--size", "96x54"] };
    command.args(size).args(arguments).assert()
}

fn output(assert: &assert_cmd::assert::Assert) -> (String, String) {
    let output = assert.get_output();
    (String::from_utf8_lossy(&output.stdout).into(), String::from_utf8_lossy(&output.stderr).into())
}

#[test]
fn a_picture_has_its_size_its_caption_and_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (said, _) = output(&render(folder.path(), &[]).success());
    let path = folder.path().canonicalize().unwrap().join("flock-000003.png");
    assert!(said.contains(path.to_str().unwrap()) && said.contains("polarization"), "{said}");
    let bytes = std::fs::read(&path).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (96, 54));
    let text =
        |key: &str| reader.info().uncompressed_latin1_text.iter().find(|c| c.keyword == key).unwrap().text.clone();
    assert_eq!((text("Step"), text("Seed")), ("3".into(), "1".into()));
    assert_eq!(reader.info().utf8_text[0].get_text().unwrap(), "flock");

    let (_, complaint) = output(&render(folder.path(), &["--seed", "2"]).code(1));
    assert!(complaint.contains("flock-000003.png") && complaint.contains("--force"), "{complaint}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "the picture was overwritten");
    render(folder.path(), &["--seed", "2", "--force"]).success();
    assert_ne!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something was left behind");
}

#[test]
fn a_state_is_drawn_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = Command::cargo_bin("steerling").unwrap();
    run.current_dir(folder.path()).args(["run", "murmuration", "--agents", "300", "--steps", "4", "--every", "2"]);
    run.args(["--out", "run"]).assert().success();
    let draw = |step: &str, agents: &str, out: &str| {
        let mut command = Command::cargo_bin("steerling").unwrap();
        let state = format!("run/states/{step}.npy");
        command.current_dir(folder.path()).args(["render", "murmuration", "--size", "96x54", "--agents", agents]);
        command.args(["--from", &state, "--out", out]).assert()
    };
    let bytes = |out: &str| std::fs::read(folder.path().join(out)).unwrap();
    let (said, _) = output(&draw("000004", "300", "a.png").success());
    assert!(said.contains("after 0 steps"), "{said}");
    draw("000004", "300", "b.png").success();
    draw("000002", "300", "c.png").success();
    assert_eq!(bytes("a.png"), bytes("b.png"));
    assert_ne!(bytes("a.png"), bytes("c.png"));
    let (_, complaint) = output(&draw("000004", "301", "d.png").code(5));
    assert!(complaint.contains("300 rows") && complaint.contains("--agents asks for 301"), "{complaint}");
    assert!(!folder.path().join("d.png").exists());
}

#[test]
fn a_gif_has_its_frames_and_they_move() {
    let folder = tempfile::tempdir().unwrap();
    render(folder.path(), &["--frames", "4", "--every", "2", "--fps", "30", "--out", "film.gif"]).success();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let file = std::fs::File::open(folder.path().join("film.gif")).unwrap();
    let mut decoder = options.read_info(file).unwrap();
    let (mut pictures, mut delay) = (Vec::new(), 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!((frame.width, frame.height), (96, 54));
        delay += frame.delay;
        pictures.push(frame.buffer.to_vec());
    }
    assert_eq!((pictures.len(), delay), (4, 13));
    assert!(pictures.windows(2).all(|pair| pair[0] != pair[1]), "the agents stand still");
}

#[test]
fn frames_are_numbered() {
    let folder = tempfile::tempdir().unwrap();
    let (said, _) = output(&render(folder.path(), &["--frames", "3", "--out", "many/"]).success());
    assert!(said.contains("3 pictures"), "{said}");
    let frame = |n: u32| image::open(folder.path().join(format!("many/{n:06}.png"))).unwrap().to_rgba8();
    assert!(frame(0) != frame(1) && frame(1) != frame(2));
    render(folder.path(), &["--frames", "2", "--out", "p-%03d.png"]).success();
    assert!(folder.path().join("p-001.png").exists() && !folder.path().join("p-002.png").exists());
    std::fs::remove_file(folder.path().join("p-000.png")).unwrap();
    let (_, complaint) = output(&render(folder.path(), &["--frames", "2", "--out", "p-%03d.png"]).code(1));
    assert!(complaint.contains("p-001.png"), "{complaint}");
    assert!(!folder.path().join("p-000.png").exists(), "half of the pictures was written");
}

#[cfg(unix)]
#[test]
fn a_film_goes_through_ffmpeg() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let film = |path: &str, name: &str| {
        let mut command = Command::cargo_bin("steerling").unwrap();
        command.current_dir(folder.path()).env("PATH", path);
        command.args(["render", "flock", "--agents", "500", "--size", "96x54", "--after", "0", "--frames", "3"]);
        command.args(["--out", name]).assert()
    };
    let (_, complaint) = output(&film("/nowhere", "film.mp4").code(1));
    assert!(complaint.contains("ffmpeg"), "{complaint}");

    // A stand-in that writes how many bytes it was given, so that the test does not depend on what is installed.
    let program = folder.path().join("ffmpeg");
    let put = |text: &str| {
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    put("#!/bin/sh\nfor file; do :; done\nwc -c > \"$file\"\n");
    film(&path, "film.mp4").success();
    let bytes = std::fs::read_to_string(folder.path().join("film.mp4")).unwrap();
    assert_eq!(bytes.trim().parse(), Ok(3 * 4 * 96 * 54));

    put("#!/bin/sh\ncat > /dev/null\necho no such codec >&2\nexit 1\n");
    let (_, complaint) = output(&film(&path, "film.webm").code(1));
    assert!(complaint.contains("no such codec"), "{complaint}");
    assert!(!folder.path().join("film.webm").exists());
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        (&["--size", "0x54"][..], "8192"),
        (&["--size", "9000x54"], "8192"),
        (&["--size", "wide"], "1280x720"),
        (&["--fps", "0"], "240"),
        (&["--frames", "0"], "1000000"),
        (&["--out", "flock.txt"], ".gif"),
        (&["--fps", "51", "--out", "film.gif"], "at most 50 pictures per second"),
        (&["--size", "97x54", "--out", "film.mp4"], "even"),
        (&["--frames", "2", "--out", "one.png"], "%06d"),
    ] {
        let (_, complaint) = output(&render(folder.path(), arguments).code(2));
        assert!(complaint.contains(words), "{arguments:?}: {complaint}");
    }
    let (_, complaint) = output(&render(folder.path(), &["--out", "no/such/folder.png"]).code(1));
    assert!(complaint.contains("folder.png"), "{complaint}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
