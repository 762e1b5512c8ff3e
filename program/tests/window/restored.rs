//! Pictures that say which run they show.

use super::super::restored::caption;
use super::super::snapshot::{enlarged, picture_of};
use super::past::digest_at;
use super::*;
use crate::pictures::{self, see};
use image::RgbaImage;
use std::path::PathBuf;
use steerling::output::Record;
use steerling::render::Film;

const SIZE: (u32, u32) = (160, 90);

/// Save a picture of now, as F12 does.
fn save(session: &mut Session, view: &View, folder: &Path, name: &str) -> (PathBuf, RgbaImage) {
    let (path, image) = (folder.join(name), picture_of(session, view, SIZE).expect("a picture"));
    let caption = caption(session, view, &Options::default()).expect("a device");
    let mut film = Film::create(&path, SIZE, 1, 1.0, false).expect("a file");
    film.push(&image, &caption).and_then(|()| film.finish()).expect("a file");
    (path, image)
}

/// The session and the view that a picture leads to, at the start of its run.
fn restored(record: &Record) -> (Session, View) {
    let scene = record.scene().expect("a scene");
    let mut view = View::from_scene(&scene);
    see(&mut view, &record.picture.expect("how it is shown"));
    (session_of(scene), view)
}

/// The run of a picture, made again and saved at its step, has the same digest and the same pixels; one step later it has others.
#[test]
fn a_picture_makes_its_run_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let force = ["look.color=force", "seed=7", "species.0.max_speed=19.3"];
    for (name, changes) in [("flock", &["look.name=dusk"][..]), ("murmuration", &force), ("maze", &["seed=3"])] {
        let mut run = session(name, changes);
        let mut view = View::from_scene(run.scene());
        let digest = digest_after(&mut run, 30);
        run.toggle_mark();
        run.rename_mark(30, Some("a turn".to_owned()));
        // As a camera that follows, and one that was moved.
        let [positions, ids] =
            [BufferId::Position, BufferId::Id].map(|buffer| run.simulation().words(buffer).expect("words"));
        view.follow(&positions, &ids, 1.0, SIZE);
        view.pan(3.0, 5.0, SIZE);
        view.orbit(11.0, 7.0, SIZE);
        let (path, pixels) = save(&mut run, &view, folder.path(), &format!("{name}.png"));

        let record = pictures::read(&path).expect("a record");
        assert_eq!((record.steps, &record.digest, record.picture.map(|p| p.changed)), (30, &digest, Some(false)));
        assert_eq!(record.scene.origin, name);
        assert_eq!(record.marks, std::collections::BTreeMap::from([(30, "a turn".to_owned())]), "{name}");
        let (mut again, seen) = restored(&record);
        assert_eq!(seen, view, "{name}");
        assert_eq!(again.scene().changed_since(run.scene()), [], "{name}");
        assert_eq!(digest_at(&mut again, record.steps), digest, "{name}");
        assert!(picture_of(&again, &seen, SIZE).expect("a picture") == pixels, "{name}: other pixels");
        let other = digest_at(&mut again, 31);
        assert!(other != digest && picture_of(&again, &seen, SIZE).expect("a picture") != pixels, "{name}: control");
    }
}

/// A large picture has the shape of the window's, says the same run, and shows the same: made small again it is the small one, nearly.
#[test]
fn a_large_picture_shows_the_same() {
    for (size, large) in
        [((1280, 720), (3840, 2160)), ((500, 1000), (1920, 3840)), ((3840, 7), (3840, 7)), ((1, 9000), (1, 3840))]
    {
        assert_eq!(enlarged(size), large, "{size:?}");
    }
    let mut run = session("murmuration", &[]);
    digest_after(&mut run, 10);
    let view = View::from_scene(run.scene());
    let off = |a: &RgbaImage, b: &RgbaImage| {
        let sums = a.as_raw().iter().zip(b.as_raw()).map(|(a, b)| f64::from(a.abs_diff(*b)));
        sums.sum::<f64>() / a.as_raw().len() as f64
    };
    let shrunk = |view: &View| {
        let image = picture_of(&run, view, enlarged(SIZE)).expect("a picture");
        assert_eq!(image.dimensions(), (3840, 2160));
        image::imageops::resize(&image, SIZE.0, SIZE.1, image::imageops::FilterType::Triangle)
    };
    let small = picture_of(&run, &view, SIZE).expect("a picture");
    let mut moved = view;
    moved.pan(20.0, 10.0, SIZE);
    let (same, other) = (off(&shrunk(&view), &small), off(&shrunk(&moved), &small));
    assert!(same < 0.85 * other, "{same} off, and {other} from elsewhere");
}

/// What was changed on the way is said, and not pretended; a restart makes a run that is the same again.
#[test]
fn a_run_that_was_changed_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let changed = |session: &mut Session, name: &str| {
        let view = View::from_scene(session.scene());
        let record = pictures::read(&save(session, &view, folder.path(), name).0).expect("a record");
        let again = record.scene().expect("a scene");
        assert_eq!(again.changed_since(session.scene()), [], "{name}: another scene");
        record.picture.expect("how it is shown").changed
    };
    let mut run = session("flock", &[]);
    digest_after(&mut run, 5);
    assert!(!changed(&mut run, "plain.png"));
    let mut draft = run.scene().draft();
    draft.species[0].max_speed *= 1.5;
    assert_eq!(run.tune(draft, false).expect("a device"), Answer::Accepted);
    assert!(changed(&mut run, "coming.png"), "it is under way");
    assert_eq!(settle(&mut run), Answer::Accepted);
    digest_after(&mut run, 5);
    assert!(changed(&mut run, "changed.png"));
    digest_at(&mut run, 3);
    run.travel().expect("a device");
    assert_eq!(run.steps(), 3);
    run.restart(4).expect("a restart");
    digest_after(&mut run, 5);
    assert!(!changed(&mut run, "anew.png"));

    let mut run = session("flock", &["species.0.behaviors.seek={target=\"mouse\",weight=1}"]);
    assert!(run.scene().follows_mouse(), "control: somebody follows the pointer");
    digest_after(&mut run, 2);
    assert!(!changed(&mut run, "still.png"));
    run.set_mouse(glam::vec3(3.0, 4.0, 0.0));
    assert!(changed(&mut run, "pointed.png"));
}
