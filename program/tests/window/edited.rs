//! Scene files that are edited while their scene runs.

use super::super::edited::{Edited, read_again};
use super::*;

const SCENE: &str = "\
schema = 1
world.size = [60, 40]

[[behavior]]
file = 'drift.wgsl'

[[species]]
name = 'ant'
count = 200

[species.behaviors.wander]

[species.behaviors.drift]

[[species]]
name = 'bee'
count = 100

[species.behaviors.wander]
";

const DRIFT: &str = "\
// Drift: to one side.

/// to one side
/// weight = 1
/// priority = 4
struct Drift {
    rule: Rule,
    /// how much
    /// value = 1 in 0..9 u/s²
    much: f32,
}

fn drift_steer(drift: Drift, agent: Agent) -> vec3f {
    return vec3f(drift.much, 0.0, 0.0);
}
";

fn written(folder: &Path, scene: &str, drift: &str) -> Scene {
    let file = folder.join("garden.toml");
    std::fs::write(folder.join("drift.wgsl"), drift).expect("a file");
    std::fs::write(&file, scene).expect("a file");
    Scene::open(file.to_str().expect("UTF-8"), &[]).expect("a scene")
}

#[test]
fn what_is_edited_goes_together_with_what_was_tuned() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = written(folder.path(), SCENE, DRIFT);
    let mut session = session_of(before.clone());
    digest_after(&mut session, 3);
    tune(&mut session, |draft| draft.species[0].max_speed = 7.0);

    // Another number in the scene, and another default in the behavior.
    let after = written(folder.path(), &SCENE.replace("[60, 40]", "[80, 40]"), &DRIFT.replace("1 in", "3 in"));
    assert_eq!(session.reread(&before, &after).expect("a device"), (Answer::Accepted, true));
    assert_eq!(settle(&mut session), Answer::Accepted);
    assert_eq!(session.steps(), 3, "the run goes on");
    let now = session.simulation().scene().clone();
    assert_eq!((now.world.size.x, now.species[0].max_speed), (80.0, 7.0));
    assert_eq!(now.species[0].get("drift", "much"), after.species[0].get("drift", "much"));
    assert_ne!(now.species[0].get("drift", "much"), before.species[0].get("drift", "much"));
    assert!(session.tuned(), "the speed is the user's");
    assert!(session.undo().expect("a device"));
    assert_eq!(session.scene().world.size.x, 60.0, "one undo takes the edit back");

    // With another time step the times of earlier steps would be others: the run begins anew, with it and without it.
    let slower = written(folder.path(), &format!("dt = 0.05\n{SCENE}"), DRIFT);
    for (dt, goes) in [(0.05, true), (before.dt, false)] {
        digest_after(&mut session, 3);
        if goes {
            assert_eq!(session.reread(&after, &slower).expect("a device").0, Answer::Accepted);
        } else {
            assert!(session.undo().expect("a device"));
        }
        assert_eq!((session.scene().dt, session.steps(), session.past().span()), (dt, 0, (0, 0)));
    }
}

#[test]
fn a_tuned_value_that_the_file_has_no_place_for_is_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = written(folder.path(), SCENE, DRIFT);
    let mut session = session_of(before.clone());
    tune(&mut session, |draft| draft.species[1].max_speed = 7.0);
    let after = written(folder.path(), SCENE.split("[[species]]\nname = 'bee'").next().expect("ants"), DRIFT);
    assert_eq!(session.reread(&before, &after).expect("a device"), (Answer::Accepted, false));
    assert_eq!(settle(&mut session), Answer::Accepted);
    assert_eq!(session.simulation().scene().agent_count(), 200);
    assert!(!session.tuned());
}

/// Another look than that of the file would be lost; a preset has no file.
#[test]
fn another_look_than_that_of_the_file_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), SCENE, DRIFT);
    for (scene, notices) in [(file, true), (tuned("flock", &[]), false)] {
        let other = edited(&scene, |draft| draft.look.color = ColorBy::Speed);
        let edited = Edited::of(&scene);
        assert_eq!((edited.looks_otherwise(&scene), edited.looks_otherwise(&other)), (false, notices));
    }
}

/// A window with fewer agents than the file has keeps their number, whatever is edited.
#[test]
fn as_many_agents_as_were_started_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = written(folder.path(), SCENE, DRIFT);
    let mut session = session_of(before.with_agents(60).expect("a scene"));
    let after = written(folder.path(), &SCENE.replace("count = 200", "count = 500"), DRIFT);
    assert_eq!(session.reread(&before, &after).expect("a device"), (Answer::Accepted, true));
    settle(&mut session);
    assert_eq!(session.simulation().scene().agent_count(), 60);
    assert_eq!(session.simulation().scene().species[0].count, 50);
}

/// An edit that cannot be applied leaves no trace: the next one is compared with the file before it, and its values are no changes of the
/// user's.
#[test]
fn an_edit_after_one_that_failed_is_applied() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = SCENE.replace("count = 200", "count = 200\nmax_speed = 8");
    let before = written(folder.path(), &scene, DRIFT);
    let mut session = session_of(before.clone());
    let mut edited = Edited::of(&before);
    let slower = scene.replace("max_speed = 8", "max_speed = 3");
    let source = |name: &str| format!("field.source = '{name}.npy'\n{slower}\n[species.behaviors.flow_field]\n");
    let broken = written(folder.path(), &source("none"), DRIFT);
    let refused = read_again(&before).expect_err("there is no such file").to_string();
    assert!(refused.contains("none.npy: field.source: cannot be read"), "{refused}");

    edited.took(broken.clone());
    assert_eq!(session.reread(&before, &broken).expect("a device"), (Answer::Accepted, true));
    let Answer::Refused(why) = settle(&mut session) else { panic!("the field cannot be read") };
    assert_eq!(edited.failed(why), None);
    assert!(edited.broken.as_ref().is_some_and(|why| why.contains("without the edited file")), "{:?}", edited.broken);
    assert_eq!(edited.failed("another".to_owned()).as_deref(), Some("another"), "control: no edit is being applied");
    assert!(edited.file.as_ref() == Some(&before) && !session.tuned());

    let mended = written(folder.path(), &slower, DRIFT);
    assert_eq!(session.reread(&before, &mended).expect("a device"), (Answer::Accepted, true));
    assert_eq!(settle(&mut session), Answer::Accepted);
    assert_eq!(session.scene().species[0].max_speed, 3.0);
    assert!(!session.tuned());
}

#[test]
fn each_file_of_a_scene_is_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut edited = Edited::of(&written(folder.path(), SCENE, DRIFT));
    let mut changed = || {
        std::thread::sleep(Duration::from_millis(600));
        edited.changed()
    };
    assert!(!changed(), "nobody wrote");
    for (name, text) in [("garden.toml", SCENE), ("drift.wgsl", DRIFT), ("another.wgsl", "")] {
        std::fs::write(folder.path().join(name), text.to_owned() + "\n").expect("a file");
        assert!(changed(), "{name}");
        assert!(!changed(), "{name} was written once");
    }
    assert!(Edited::of(&tuned("flock", &[])).looks_at().is_none(), "a preset has no file");
    let error = Scene::parse("schema = 7", "garden.toml", &[]).expect_err("no scene");
    for (is_gone, said) in [(false, "without the edited file"), (true, "garden.toml was removed")] {
        if is_gone {
            std::fs::remove_file(folder.path().join("garden.toml")).expect("a file");
            std::thread::sleep(Duration::from_millis(510));
            assert!(edited.changed());
        }
        edited.refuse(&error);
        assert!(edited.gone == is_gone && edited.broken.as_ref().is_some_and(|why| why.contains(said)), "{said}");
        // Who has read it does not see it again.
        edited.broken = None;
        edited.refuse(&error);
        assert_eq!(edited.broken, None);
    }
}
