//! Films of the window: exact to the frame, of one size, and whole or not there.

use super::super::filming::Filming;
use super::super::snapshot::picture_of;
use super::dashboard::bar;
use super::*;
use image::RgbaImage;
use steerling::render::Film;

const SIZE: (u32, u32) = (96, 54);

fn film(session: &Session, folder: &Path, name: &str, size: (u32, u32)) -> Filming {
    let begin = |size, rate| Film::create(&folder.join(name), size, 1, rate, false);
    Filming::begin(session, size, |_| (), begin).expect("a film")
}

/// Run as a window does whose frames take so long, until the film has so many pictures.
fn run(session: &mut Session, film: &mut Filming, view: &View, frame: Duration, pictures: u32) -> Vec<u64> {
    let mut steps = Vec::new();
    while film.length().is_some_and(|(frames, _)| frames < pictures) {
        let before = film.length();
        session.film_stop = film.next(session.steps());
        session.advance(frame).expect("steps");
        film.look(session, view).expect("a picture");
        if film.length() != before {
            steps.push(session.steps());
        }
    }
    steps
}

fn told(film: &mut Filming) -> String {
    film.end();
    wait("the end of the film", || film.told())
}

fn frames(path: &Path) -> Vec<(u16, Vec<u8>)> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(path).expect("a film")).expect("a GIF");
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        assert_eq!((u32::from(frame.width), u32::from(frame.height)), SIZE);
        frames.push((frame.delay, frame.buffer.to_vec()));
    }
    frames
}

/// A fast machine, a slow one and one at another speed record the same film, bit by bit: every second step of 1/60 s.
#[test]
fn a_film_is_the_same_however_slow_the_machine_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = |name: &str, frame: u64, faster: u32| {
        let mut session = session("flock", &["species.0.max_speed=20"]);
        let view = View::from_scene(session.scene());
        let mut film = film(&session, folder.path(), name, (SIZE.0 + 1, SIZE.1 + 1));
        // Paused, nothing is recorded.
        film.look(&session, &view).expect("no picture");
        assert_eq!(film.length(), Some((0, 0.0)));
        session.set_paused(false).expect("a device");
        (0..faster).for_each(|_| session.pace.faster());
        let steps = run(&mut session, &mut film, &view, Duration::from_millis(frame), 8);
        assert_eq!(steps, (0..8).map(|frame| 2 * frame).collect::<Vec<_>>(), "{name}");
        assert!(!folder.path().join(name).exists(), "{name} is there before it is whole");
        let said = told(&mut film);
        assert!(said.contains(name) && said.contains("8 pictures, 0.3 s"), "{said}");
        frames(&folder.path().join(name))
    };
    let slow = record("slow.gif", 90, 0);
    assert_eq!(slow.iter().map(|(delay, _)| delay).sum::<u16>(), 27, "8/30 s");
    assert!(slow.windows(2).all(|pair| pair[0].1 != pair[1].1), "control: they differ");
    assert!(slow == record("fast.gif", 4, 0) && slow == record("hurried.gif", 16, 6));
}

/// What is recorded is what F12 would save, in the colors of then; a jump in the run is a cut, and another size of the window none.
#[test]
fn a_film_shows_the_picture_and_survives_what_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = session("flock", &["species.0.max_speed=20"]);
    let view = View::from_scene(session.scene());
    session.set_paused(false).expect("a device");
    let mut film = film(&session, folder.path(), "%d.png", SIZE);
    let mut seen: Vec<RgbaImage> = Vec::new();
    let mut take = |session: &mut Session, film: &mut Filming, picture: u32| {
        let steps = run(session, film, &view, Duration::from_millis(16), picture);
        seen.push(picture_of(session, &view, SIZE).expect("a picture"));
        steps
    };
    assert_eq!(take(&mut session, &mut film, 1), [0]);
    session.show_as(steerling::scene::Look { name: session.scene().look.name.next(), ..session.scene().look });
    assert_eq!(take(&mut session, &mut film, 2), [2]);
    session.set_paused(true).expect("a device");
    session.step(7).expect("steps");
    session.set_paused(false).expect("a device");
    assert_eq!(take(&mut session, &mut film, 3), [9]);
    film.forget();
    session.restart(5).expect("a restart");
    assert_eq!(take(&mut session, &mut film, 4), [0]);
    assert_eq!(take(&mut session, &mut film, 5), [2]);
    let said = told(&mut film);
    assert!(said.contains("0.png: 5 pictures"), "{said}");
    for (number, picture) in seen.iter().enumerate() {
        let saved = image::open(folder.path().join(format!("{number}.png"))).expect("a picture").to_rgba8();
        assert!(saved == *picture, "picture {number}");
    }
    assert!(seen[0] != seen[1] && seen[1] != seen[3], "control: they differ");
}

/// Closing the window finishes the file; a film without a picture leaves none, and neither does one that cannot be written.
#[test]
fn a_film_is_whole_or_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = session("flock", &[]);
    let view = View::from_scene(session.scene());
    session.set_paused(false).expect("a device");
    let mut closed = film(&session, folder.path(), "closed.gif", SIZE);
    run(&mut session, &mut closed, &view, Duration::from_millis(16), 2);
    drop(closed);
    assert_eq!(frames(&folder.path().join("closed.gif")).len(), 2);

    let mut empty = film(&session, folder.path(), "empty.gif", SIZE);
    assert!(told(&mut empty).contains("nothing was written"));

    // The folder of numbered pictures is gone before the first.
    let many = folder.path().join("many");
    let mut failed = film(&session, folder.path(), "many/%d.png", SIZE);
    std::fs::remove_dir(&many).expect("a folder");
    run(&mut session, &mut failed, &view, Duration::from_millis(16), 1000);
    let said = told(&mut failed);
    assert!(said.contains("There is no film") && said.contains("many"), "{said}");
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 1, "something was left behind");
}

/// The bar has a button, and says how long the film is by now.
#[test]
fn the_transport_records() {
    for (film, text) in [
        (None, None),
        (Some((1234, 41.13)), Some("1,234 pictures, 41.1 s")),
        (Some((1, 0.03)), Some("1 picture, 0.0 s")),
    ] {
        let mut desk = bar(session("flock", &[]), 60.0, film);
        assert_eq!(desk.query_by_label_contains("picture").is_some(), text.is_some());
        assert!(text.is_none_or(|text| desk.query_by_label(text).is_some()), "{text:?}");
        desk.click("⏺");
        assert!(matches!(desk.state().1.last(), Some(Wish::Act(Action::Film))));
    }
}
