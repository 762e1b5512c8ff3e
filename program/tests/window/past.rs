//! Going back in a run: every step is the same as on the way forward, to the bit.

use super::*;
use std::collections::BTreeMap;

/// Go to a step, and return its digest.
pub fn digest_at(session: &mut Session, step: u64) -> String {
    session.go_to(step).expect("a device");
    arrive_at(session, step)
}

/// Go on until it is at a step, and return its digest.
fn arrive_at(session: &mut Session, step: u64) -> String {
    wait(&format!("step {step}"), || {
        session.travel().expect("a device");
        session.keep().expect("a device");
        session.goal().is_none().then_some(())
    });
    assert_eq!(session.steps(), step);
    observed(session)
}

/// Take steps one by one, with the snapshots that are due. Returns the digest after each step.
fn run(session: &mut Session, steps: u64) -> BTreeMap<u64, String> {
    let mut digests = BTreeMap::new();
    while session.steps() < steps {
        let digest = digest_after(session, 1);
        digests.insert(session.steps(), digest);
        session.keep().expect("a device");
    }
    digests
}

fn tune(session: &mut Session, weight: f32) {
    accept(session, weighing(session, weight));
}

/// Back by 1, 10 and 1,000, ahead again, and ahead beyond what is known; with all snapshots and with hardly any.
#[test]
fn every_step_back_is_that_of_the_run() {
    for mebibytes in [256, 0] {
        let mut session = session("flock", &[]);
        session.allow_past(mebibytes);
        let digests = run(&mut session, 1100);
        for step in [1099, 1089, 89, 1100, 600, 599, 598, 1] {
            assert_eq!(digest_at(&mut session, step), digests[&step], "{mebibytes} MiB, step {step}");
        }
        assert_ne!(digests[&1], digests[&2], "control: digests differ");
        let further = digest_at(&mut session, 1105);
        digest_at(&mut session, 1000);
        assert_eq!(digest_after(&mut session, 105), further);
        // The step before the first is the start.
        digest_at(&mut session, 0);
        assert!(!session.repeats() || session.past().span().1 == 1105);
    }
}

/// On the way back values are those of that time, on the way forward they change again as before, and another change keeps them.
#[test]
fn changes_are_part_of_the_run() {
    let mut session = session("flock", &[]);
    let first = cohesion(&session);
    let mut digests = run(&mut session, 50);
    tune(&mut session, 9.0);
    digests.extend(run(&mut session, 80));
    set(&mut session, "species.0.behaviors.cohesion.perception_radius=3");
    digests.extend(run(&mut session, 120));
    assert_eq!(session.past().changes().collect::<Vec<_>>(), [50, 80]);
    for step in [119, 90, 70, 40, 81, 80, 79, 50, 49, 20, 120] {
        assert_eq!(digest_at(&mut session, step), digests[&step], "step {step}");
        assert_eq!(cohesion(&session) == first, step < 50, "step {step}: the values of then");
        assert!(session.past().changes().eq([50, 80]), "going somewhere changes nothing");
    }
    // The run repeats, changes and all.
    digest_at(&mut session, 45);
    while session.steps() < 120 {
        session.step(1).expect("a step");
        while session.changing() {
            session.arrive().expect("a device");
        }
        if let Some((step, seen)) = &session.figures().observed {
            assert_eq!(seen.digest_hex(), digests[step], "repeated step {step}");
        }
    }
    assert!(!session.repeats());

    // Ten steps over a change are ten.
    digest_at(&mut session, 45);
    session.step(10).expect("steps");
    assert_eq!(arrive_at(&mut session, 55), digests[&55]);

    // Another change makes another run of it.
    digest_at(&mut session, 60);
    assert!(session.repeats());
    tune(&mut session, 0.5);
    assert!(!session.repeats());
    assert_eq!(session.past().changes().collect::<Vec<_>>(), [50, 60]);
    let other = digest_after(&mut session, 20);
    assert_ne!(other, digests[&80], "control: the change is one");
    assert_eq!(digest_at(&mut session, 55), digests[&55], "what lies before it stays");
    assert_eq!(digest_at(&mut session, 80), other);
    // So does an undo; the same values again do not.
    digest_at(&mut session, 70);
    let same = session.scene().draft();
    session.tune(same, false).expect("a device");
    assert!(session.repeats(), "nothing was changed");
    undo(&mut session);
    assert_eq!(session.past().changes().collect::<Vec<_>>(), [50, 60, 70]);
    digest_at(&mut session, 65);
    session.go_on_from_here();
    assert!(!session.repeats() && session.past().span() == (0, 65));
    // A restart is another run.
    restart(&mut session);
    assert_eq!((session.past().span(), session.past().changes().count()), ((0, 0), 0));
}

/// As a slider that is dragged while the run is paused makes them: several changes at one step, which a run that repeats makes there too.
#[test]
fn changes_at_one_step_are_repeated_there() {
    let mut session = session("flock", &[]);
    run(&mut session, 10);
    [9.0, 3.0, 0.5, 7.0].into_iter().for_each(|value| tune(&mut session, value));
    let digests = run(&mut session, 200);
    // A single step is one, also from where two changes wait.
    digest_at(&mut session, 9);
    for step in 10..13 {
        session.step(1).expect("a step");
        let digest = arrive_at(&mut session, step);
        assert!(step == 10 || digest == digests[&step], "step {step}");
    }
    digest_at(&mut session, 5);
    session.set_paused(false).expect("a device");
    while session.steps() < 20 {
        session.advance(std::time::Duration::from_millis(17)).expect("a device");
        while session.changing() {
            session.arrive().expect("a device");
        }
    }
    session.set_paused(true).expect("a device");
    let (step, seen) = session.figures().observed.as_ref().expect("an observation");
    assert_eq!((*step, seen.digest_hex()), (session.steps(), digests[step].clone()));
}

/// Undo on the way to another step takes nothing back, and is not lost; where the run has gone back to the values, it goes on to others.
#[test]
fn an_undo_is_not_lost_on_the_way() {
    let mut session = session("flock", &[]);
    let first = cohesion(&session);
    run(&mut session, 30);
    tune(&mut session, 9.0);
    run(&mut session, 60);
    tune(&mut session, 3.0);
    session.go_to(10).expect("a device");
    assert!(session.goal().is_some() && !session.undo().expect("a device"));
    digest_at(&mut session, 45);
    // Its values are what the latest change came from, so the one before is taken back.
    undo(&mut session);
    assert_eq!(cohesion(&session), first);
}

/// Agents that follow the mouse follow it again as they did, wherever it is now.
#[test]
fn the_pointer_is_part_of_the_run() {
    let mut session = session("seek_and_flee", &[]);
    assert!(session.scene().follows_mouse());
    let mut digests = BTreeMap::new();
    for round in 1..=6 {
        session.set_mouse(glam::vec3(0.5 * round as f32, -0.3 * round as f32, 0.0));
        digests.extend(run(&mut session, round * 20));
    }
    for step in [110, 50, 21, 120, 20, 100] {
        assert_eq!(digest_at(&mut session, step), digests[&step], "step {step}");
        session.set_mouse(glam::vec3(90.0, 90.0, 0.0));
    }
    // Control: elsewhere it makes another run.
    session.go_on_from_here();
    session.set_mouse(glam::vec3(-3.0, 2.0, 0.0));
    assert_ne!(digest_after(&mut session, 20), digests[&120]);
}

/// A world of another size has its own pointer, also on the way back to it: the one of the larger world may lie outside.
#[test]
fn the_pointer_grows_and_shrinks_with_the_world() {
    let mut session = session("seek_and_separate", &[]);
    let was = session.scene().mouse;
    let more = session.scene().with_agents(4 * session.scene().agent_count()).expect("a scene");
    accept(&mut session, more.draft());
    assert_eq!(session.scene().mouse, 2.0 * was);
    undo(&mut session);
    assert_eq!(session.scene().mouse, was);
}

/// The record keeps to its budget, reaches back to the start, and has most of its snapshots near now.
#[test]
fn snapshots_keep_to_the_budget() {
    let mut session = session("murmuration", &[]);
    session.allow_past(1);
    let mut asked = 0;
    while session.steps() < 400 {
        digest_after(&mut session, 5);
        while session.restless() {
            session.keep().expect("a device");
            asked += 1;
        }
        session.keep().expect("a device");
    }
    keep_all(&mut session);
    let (bytes, snapshots) = session.past().size();
    assert!(bytes <= 1 << 20 && snapshots > 10 && asked > 0, "{bytes} bytes of {snapshots} snapshots");
    session.allow_past(0);
    digest_after(&mut session, 1);
    keep_all(&mut session);
    assert_eq!(session.past().size().1, 1, "the one for a device that is lost");
}

/// A mark leads back to its step, to the bit. It goes with what lies behind a change, stays where the same run begins anew, and goes with
/// another run.
#[test]
fn marks_are_part_of_the_run() {
    let mut session = session("flock", &[]);
    let mut digests = run(&mut session, 30);
    let marked = |session: &Session| session.past().marks.clone().into_iter().collect::<Vec<_>>();
    assert_eq!(session.toggle_mark().as_deref(), Some("Mark 1"));
    digests.extend(run(&mut session, 60));
    assert_eq!(session.toggle_mark().as_deref(), Some("Mark 2"));
    session.rename_mark(30, Some("The flock splits".to_owned()));
    assert_eq!(marked(&session), [(30, "The flock splits".to_owned()), (60, "Mark 2".to_owned())]);
    for (step, _) in marked(&session) {
        assert_eq!(digest_at(&mut session, step), digests[&step], "step {step}");
    }
    restart(&mut session);
    assert_eq!(marked(&session).len(), 2, "the same run");
    assert_eq!(digest_at(&mut session, 30), digests[&30]);
    tune(&mut session, 9.0);
    assert_eq!(marked(&session), [(30, "The flock splits".to_owned())], "what lies behind a change is gone");
    restart(&mut session);
    assert!(marked(&session).is_empty(), "it begins with other values");
    assert_eq!(session.toggle_mark().as_deref(), Some("Mark 1"));
    assert!(session.toggle_mark().is_none() && marked(&session).is_empty(), "twice is not at all");
    session.toggle_mark();
    session.restart(session.scene().seed + 1).expect("a restart");
    assert!(marked(&session).is_empty(), "another seed is another run");
}
