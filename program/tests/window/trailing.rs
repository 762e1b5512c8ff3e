//! The trail under the brush: that it lies where one draws, that agents follow it, and that it is part of the record.

use super::super::trailing::Laid;
use super::super::unsaved::Unsaved;
use super::past::digest_at;
use super::*;
use glam::vec2;
use std::mem::offset_of;
use steerling::model::GroundCell;

/// The units in each cell.
fn trail(session: &Session) -> Vec<u32> {
    let words = session.simulation().words(BufferId::Ground).expect("a ground");
    let cells = words.chunks_exact(size_of::<GroundCell>() / 4);
    cells.map(|cell| cell[offset_of!(GroundCell, trail) / 4]).collect()
}

fn paint(session: &mut Session, line: &[Vec2], units: i64) -> Answer {
    let simulation = session.simulation();
    let laid = Laid::along(line, 4.0, units, session.scene(), simulation);
    let begun = laid.begun(session.scene(), simulation).expect("a trail");
    let answer = session.lay_trail(laid, begun).expect("a device");
    arrived(session);
    answer
}

/// What the scene begins with is taken over.
fn arrived(session: &mut Session) {
    while session.changing() {
        assert_eq!(settle(session), Answer::Accepted);
    }
}

/// A stroke lays its units around the line, over a seam too; the reference goes on from there as the GPU does; the way back and an undo
/// are to the bit, and what no longer is there cannot be taken away.
#[test]
fn a_trail_is_laid_erased_and_taken_back() {
    let mut session = session("slime", &[]);
    let first = digest_after(&mut session, 20);
    let (plain, size) = (trail(&session), session.scene().world.size);
    // Half of the brush is beyond the seam on the right.
    let line = [vec2(0.0, 0.0), vec2(0.5 * size.x, 0.0)];
    assert_eq!(paint(&mut session, &line, 5000), Answer::Accepted);
    let laid = trail(&session);
    let world = &session.simulation().model().world;
    let ([columns, ..], [wide, high, _]) = (world.ground_cells, world.ground_cell_size);
    for (index, (was, now)) in plain.iter().zip(&laid).enumerate() {
        let (column, row) = (index as u32 % columns, index as u32 / columns);
        let at = 0.5 * (vec2(wide, high) - size.truncate()) + vec2(column as f32 * wide, row as f32 * high);
        let along = if at.x < -0.25 * size.x { at.x + size.x } else { at.x };
        let away = (along - along.clamp(0.0, 0.5 * size.x)).hypot(at.y - line[0].y);
        let expected = (5000.0 * (2.0 - 2.0 * away / 4.0).clamp(0.0, 1.0)).round() as u32;
        assert!((was + expected).abs_diff(*now) <= 1, "{at}: {was} and {expected} are {now}");
    }
    assert!(laid.iter().zip(&plain).any(|(now, was)| *now > was + 1000), "control");

    let expected = reference_from(&session, 30);
    let followed = digest_after(&mut session, 30);
    assert_eq!(followed, expected, "on both sides");
    let then = trail(&session);
    assert_eq!(digest_at(&mut session, 20), first);
    assert_eq!(trail(&session), laid, "it is part of the record");
    assert_eq!(digest_at(&mut session, 10).len(), 32);
    assert_eq!((digest_at(&mut session, 50), trail(&session)), (followed.clone(), then));
    assert_eq!(session.past().changes().collect::<Vec<_>>(), [20], "and of the timeline, as one change");
    assert_eq!(digest_at(&mut session, 20), first);
    assert!(session.undo().expect("a device"));
    assert_eq!(trail(&session), plain, "taken back");
    assert!(session.redo().expect("a device"));
    assert_eq!(trail(&session), laid, "made again");
    arrived(&mut session);
    assert_eq!(paint(&mut session, &line, -1_000_000_000), Answer::Accepted);
    let erased = trail(&session);
    assert!(erased.iter().zip(&laid).all(|(now, was)| now <= was) && erased.contains(&0));
    assert!(matches!(paint(&mut session, &line[..1].repeat(2), -1_000_000_000), Answer::Refused(_)), "nothing is left");
    for expected in [&laid, &plain] {
        assert!(session.undo().expect("a device"));
        assert_eq!(&trail(&session), expected);
    }
    arrived(&mut session);
    assert_ne!(digest_after(&mut session, 30), followed, "control: agents follow it");
    assert!(!session.tuned(), "all is taken back");
    // What has faded is not taken from what agents laid: after three half-lives an eighth is left.
    let units = |session: &Session| trail(session).into_iter().map(i64::from).collect::<Vec<_>>();
    let apart = |more: &[i64], less: &[i64]| more.iter().zip(less).map(|(more, less)| more - less).collect::<Vec<_>>();
    let before = units(&session);
    assert_eq!(paint(&mut session, &line, 5000), Answer::Accepted);
    let painted = apart(&units(&session), &before);
    digest_after(&mut session, 72);
    let faded = units(&session);
    assert!(session.undo().expect("a device"));
    let taken = apart(&faded, &units(&session));
    assert!(taken.iter().zip(&painted).all(|(taken, painted)| *taken <= painted / 8 + 1));
    assert!(taken.iter().sum::<i64>() > painted.iter().sum::<i64>() / 16, "control: it is taken back");
}

/// What was laid and erased in a run lies there from the start of the next one, which a file of the scene describes to the bit, with the
/// trail beside it. An undo there takes it away again.
#[test]
fn a_trail_is_kept_beside_the_scene() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut unsaved = Unsaved::new(Some(folder.path().join("kept")));
    let mut session = session("slime", &[]);
    let plain = digest_after(&mut session, 20);
    let size = session.scene().world.size;
    let line = [vec2(-0.3 * size.x, 0.0), vec2(0.3 * size.x, 0.0)];
    for (line, units) in [(line, 5000), ([line[0], line[0]], -1_000_000)] {
        let simulation = session.simulation();
        let laid = Laid::along(&line, 4.0, units, session.scene(), simulation);
        let begun = laid.begun(session.scene(), simulation).expect("a trail");
        let path = unsaved.keep_array(|out| begun.write(out)).expect("a file");
        assert_eq!(session.lay_trail(laid, begun.at(path)).expect("a device"), Answer::Accepted);
    }
    arrived(&mut session);
    assert!(session.tuned() && unsaved.painted(session.scene()));
    restart(&mut session);
    let begun = trail(&session);
    assert!(begun.contains(&5000) && begun.iter().all(|units| *units <= 5000), "nothing that agents laid");
    let again = digest_after(&mut session, 20);
    assert_ne!(again, plain, "control: agents follow it");

    let path = folder.path().join("mine.toml");
    let kept = unsaved.beside(session.scene().clone(), &path).expect("a copy");
    assert!(folder.path().join("mine-trail.npy").exists() && !unsaved.painted(&kept));
    std::fs::write(&path, kept.to_toml(path.to_str().expect("a path")).expect("a text")).expect("a file");
    let opened = Scene::open(path.to_str().expect("a path"), &[]).expect("a scene");
    assert_eq!(reference(&opened, 20), again, "the file describes this very run");

    let lit = |cells: &[u32]| -> u64 {
        cells.iter().zip(&begun).filter(|(_, begun)| **begun == 5000).map(|(units, _)| u64::from(*units)).sum()
    };
    let before = lit(&trail(&session));
    assert!(session.undo().expect("a device"), "the erasing");
    assert!(session.undo().expect("a device"), "and the stroke, which lie there from the start by now");
    arrived(&mut session);
    assert!(!session.tuned());
    let left = lit(&trail(&session));
    assert!(10 * left < before, "at once: {left} of {before}");
    restart(&mut session);
    assert_eq!(digest_after(&mut session, 20), plain, "taken back");
    for _ in 0..2 {
        assert!(session.redo().expect("a device"));
    }
    arrived(&mut session);
    restart(&mut session);
    assert_eq!(digest_after(&mut session, 20), again, "made again");
}

/// Where nobody lays or follows a trail there is none to paint.
#[test]
fn a_scene_without_a_trail_has_none() {
    let mut session = session("flock", &[]);
    assert!(matches!(paint(&mut session, &[Vec2::ZERO, Vec2::X], 100), Answer::Refused(_)));
    assert!(!session.history.can_undo());
}
