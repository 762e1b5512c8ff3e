//! The files that `steerling render` writes.

use super::place::{Place, outcome};
use std::fs;

const RENDER: &str = "render flock --agents 500 --after 3";
const SMALL: &str = "render flock --agents 500 --after 3 --size 96x54";

#[test]
fn a_picture_has_its_size_its_caption_and_is_never_overwritten() {
    let place = Place::new();
    let said = place.good(SMALL).out;
    let path = place.path().canonicalize().unwrap().join("flock-000003.png");
    assert!(said.contains(path.to_str().unwrap()) && said.contains("polarization"), "{said}");
    let bytes = fs::read(&path).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (96, 54));
    let text =
        |key: &str| reader.info().uncompressed_latin1_text.iter().find(|c| c.keyword == key).unwrap().text.clone();
    assert_eq!((text("Step"), text("Seed")), ("3".into(), "1".into()));
    assert_eq!(reader.info().utf8_text[0].get_text().unwrap(), "flock");

    let other = format!("{SMALL} --seed 2");
    assert!(place.refused(&other, 1, "flock-000003.png").err.contains("--force"));
    assert_eq!(fs::read(&path).unwrap(), bytes, "the picture was overwritten");
    place.good(&format!("{other} --force"));
    assert_ne!(fs::read(&path).unwrap(), bytes);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "something was left behind");
}

#[test]
fn a_state_is_drawn_the_same_each_time() {
    let place = Place::new();
    place.good("run murmuration --agents 300 --steps 4 --every 2 --out run");
    let line = |step: &str, agents: u32, out: &str| {
        let from = format!("--from run/states/{step}.npy --agents {agents}");
        format!("render murmuration --size 96x54 {from} --out {out}")
    };
    assert!(place.good(&line("000004", 300, "a.png")).out.contains("after 0 steps"));
    place.good(&line("000004", 300, "b.png"));
    place.good(&line("000002", 300, "c.png"));
    let [a, b, c] = ["a.png", "b.png", "c.png"].map(|name| fs::read(place.at(name)).unwrap());
    assert!(a == b && a != c);
    let seen = place.refused(&line("000004", 301, "d.png"), 5, "300 rows");
    assert!(seen.err.contains("--agents asks for 301") && !place.at("d.png").exists(), "{}", seen.err);
}

#[test]
fn a_gif_has_its_frames_and_they_move() {
    let place = Place::new();
    // Without a number 50 a second: browsers slow shorter delays down.
    for (fps, delays) in [("--fps 30", vec![3, 4, 3, 3]), ("", vec![2; 4])] {
        place.good(&format!("{SMALL} --frames 4 --every 2 {fps} --force --out film.gif"));
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(fs::File::open(place.at("film.gif")).unwrap()).unwrap();
        let (mut pictures, mut found) = (Vec::new(), Vec::new());
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            assert_eq!((frame.width, frame.height), (96, 54));
            found.push(frame.delay);
            pictures.push(frame.buffer.to_vec());
        }
        assert_eq!(found, delays);
        assert!(pictures.windows(2).all(|pair| pair[0] != pair[1]), "the agents stand still");
    }
}

#[test]
fn frames_are_numbered() {
    let place = Place::new();
    let said = place.good(&format!("{SMALL} --frames 3 --out many/")).out;
    assert!(said.contains("3 pictures"), "{said}");
    let frame = |n: u32| image::open(place.at(&format!("many/{n:06}.png"))).unwrap().to_rgba8();
    assert!(frame(0) != frame(1) && frame(1) != frame(2));
    let two = format!("{SMALL} --frames 2 --out p-%03d.png");
    place.good(&two);
    assert!(place.at("p-001.png").exists() && !place.at("p-002.png").exists());
    fs::remove_file(place.at("p-000.png")).unwrap();
    place.refused(&two, 1, "p-001.png");
    assert!(!place.at("p-000.png").exists(), "half of the pictures was written");
    // The last number of the file's name counts, and no other part of the path.
    place.good(&format!("{SMALL} --frames 2 --out x-100%-%03d.png"));
    fs::create_dir(place.at("q%d")).unwrap();
    for name in ["50%done.png", "q%d/one.png"] {
        place.good(&format!("{SMALL} --out {name}"));
        assert!(place.at(name).exists(), "{name}");
    }
    assert!(place.at("x-100%-001.png").exists());
}

#[cfg(unix)]
#[test]
fn a_film_goes_through_ffmpeg() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let film = |path: &str, name: &str| {
        let line = format!("render flock --agents 500 --size 96x54 --after 0 --frames 3 --out {name}");
        let mut command = place.command(&line);
        command.env("PATH", path);
        outcome(command)
    };
    film("/nowhere", "film.mp4").ended(1, &["ffmpeg"]);

    // A stand-in that writes how many bytes it was given, so that the test does not depend on what is installed.
    let put = |text: &str| {
        place.write("ffmpeg", text);
        fs::set_permissions(place.at("ffmpeg"), fs::Permissions::from_mode(0o755)).unwrap();
    };
    let path = format!("{}:/usr/bin:/bin", place.path().display());
    // As it is told that colors are those of BT.709, it has to make them so.
    put(
        "#!/bin/sh\nfor file; do :; done\ncase \"$*\" in *out_color_matrix=bt709*-colorspace\\ bt709*) wc -c > \"$file\";; esac\n",
    );
    film(&path, "film.mp4").ended(0, &[]);
    assert_eq!(place.text("film.mp4").trim().parse(), Ok(3 * 4 * 96 * 54));

    put("#!/bin/sh\ncat > /dev/null\necho no such codec >&2\nexit 1\n");
    film(&path, "film.webm").ended(1, &["no such codec"]);
    assert!(!place.at("film.webm").exists());
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let place = Place::new();
    let wrong = [
        ("--size 0x54", "8192"),
        ("--size 9000x54", "8192"),
        ("--size wide", "1280x720"),
        ("--fps 0", "240"),
        ("--frames 0", "1000000"),
        ("--out flock.txt", ".gif"),
        ("--fps 51 --out film.gif", "at most 50 pictures per second"),
        ("--size 97x54 --out film.mp4", "even"),
        ("--frames 2 --out one.png", "%06d"),
        ("--frames 2 --out a%d/one.png", "%06d"),
    ];
    place.refuses(RENDER, 2, &wrong);
    place.refused(&format!("{SMALL} --out no/such/folder.png"), 1, "folder.png");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}
