//! Agents that are put into the world and erased from it: how many, where, and that it is taken back, to the bit.

use super::super::casting::{places, under, wanted};
use super::past::digest_at;
use super::tools::BRUSH;
use super::*;
use glam::vec2;
use std::mem::offset_of;
use steerling::model::{Memory, Recast};

const SIZE: (u32, u32) = (640, 480);
const STROKE: [Vec2; 2] = [vec2(200.0, 240.0), vec2(440.0, 200.0)];

fn state(session: &Session) -> State {
    session.simulation().state().expect("a state")
}

fn digest(session: &mut Session) -> String {
    session.observe().expect("a device");
    observed(session)
}

fn cast(session: &mut Session, (scene, recast): (Scene, Recast)) {
    assert_eq!(session.recast(scene, recast, false).expect("a device"), Answer::Accepted);
    assert_eq!(settle(session), Answer::Accepted);
}

fn put(session: &mut Session, species: usize) -> Vec<Vec3> {
    let places = places(&STROKE, wanted(&STROKE, BRUSH), BRUSH, 7, &View::from_scene(session.scene()), SIZE);
    let joining = Recast::joining(session.scene(), species, places.clone()).expect("room");
    cast(session, joining);
    places
}

fn erase(session: &mut Session) -> Vec<u32> {
    let ids = under(&STROKE, BRUSH, &state(session), &View::from_scene(session.scene()), SIZE);
    let erasing = Recast::erasing(session.scene(), ids.iter().copied()).expect("agents that nobody heads for");
    cast(session, erasing);
    ids
}

/// The distance in the picture from a position to the stroke, px.
fn away(at: Vec3, view: &View) -> f32 {
    let (seen, way) = (view.project(at, SIZE).expect("a place in view"), STROKE[1] - STROKE[0]);
    let share = ((seen - STROKE[0]).dot(way) / way.length_squared()).clamp(0.0, 1.0);
    seen.distance(STROKE[0] + way * share)
}

/// In a plane, in space, with several species, and with memories and poses: agents that join are there, erased ones were under the brush,
/// all others are as they were, and an undo brings back the digest. The reference goes on from there as the GPU does.
#[test]
fn agents_join_and_are_erased() {
    for (name, species) in [("flock", 0), ("gulls", 0), ("predator_and_prey", 1), ("foraging_ants", 0)] {
        let mut session = session(name, &[]);
        digest_after(&mut session, 10);
        let (first, before) = (digest(&mut session), state(&session));
        let was = counts(&session);

        let places = put(&mut session, species);
        assert_eq!(session.steps(), 10, "{name}: the run goes on");
        assert_eq!(places.len(), 12 + (12.0 * STROKE[0].distance(STROKE[1]) / 80.0).round() as usize, "{name}");
        let view = View::from_scene(session.scene());
        // In space some are nearer to the camera.
        let farthest = places.iter().map(|at| away(*at, &view)).fold(0.0, f32::max);
        assert!(farthest > 30.0 && farthest < 44.0, "{name}: {farthest}");
        assert_eq!(counts(&session)[species], was[species] + places.len() as u32, "{name}");
        let (after, own) = (state(&session), session.scene().species_ids(species).expect("a species"));
        let fresh = own.end as usize - places.len()..own.end as usize;
        if session.scene().map.is_none() {
            let there = &after.positions[fresh.clone()];
            assert!(there.iter().zip(&places).all(|(at, place)| Vec3::from(*at) == *place), "{name}");
        }
        let others: Vec<_> = [&after.positions[..fresh.start], &after.positions[fresh.end..]].concat();
        assert_eq!(others, before.positions, "{name}: the others stay where they are");
        let joined = digest(&mut session);
        assert_ne!(joined, first, "{name}: control: they count");
        let expected = reference_from(&session, 3);
        assert_eq!(digest_after(&mut session, 3), expected, "{name}: on both sides");
        assert_eq!(digest_at(&mut session, 10), joined, "{name}: it is part of the record");
        assert_eq!(digest_at(&mut session, 9).len(), 32);
        assert_eq!(session.scene().agent_count(), before.positions.len() as u32, "{name}: before it");
        assert_eq!(digest_at(&mut session, 10), joined, "{name}: ahead again");
        undo(&mut session);
        assert_eq!((digest(&mut session), counts(&session)), (first.clone(), was.clone()), "{name}: taken back");
        redo(&mut session);
        assert_eq!(digest(&mut session), joined, "{name}: made again");
        undo(&mut session);

        let ids = erase(&mut session);
        let left = state(&session);
        assert!(ids.len() > 3 && left.positions.len() == before.positions.len() - ids.len(), "{name}: {ids:?}");
        let gone = |id: usize| ids.contains(&(id as u32));
        let near = |id: usize| away(before.positions[id].into(), &view) <= BRUSH.radius as f32;
        assert!((0..before.positions.len()).all(|id| gone(id) == near(id)), "{name}: who is under the brush");
        let stays: Vec<_> = (0..before.positions.len()).filter(|id| !gone(*id)).collect();
        assert!(stays.iter().map(|id| before.positions[*id]).eq(left.positions.iter().copied()), "{name}");
        assert!(under(&STROKE, BRUSH, &left, &view, SIZE).is_empty(), "{name}: nobody is left there");
        assert!(!under(&STROKE, BRUSH, &before, &view, SIZE).is_empty(), "{name}: control");
        undo(&mut session);
        assert_eq!(digest(&mut session), first, "{name}: they are back");
        // Taken back steps later, those who were erased are where they were then, and the others where they are now.
        erase(&mut session);
        digest_after(&mut session, 5);
        let now = state(&session).positions;
        undo(&mut session);
        let (back, mut others) = (state(&session).positions, now.into_iter());
        let expected = |id: usize| if gone(id) { Some(before.positions[id]) } else { others.next() };
        assert!((0..back.len()).map(expected).eq(back.iter().map(|at| Some(*at))), "{name}");
    }
}

/// As long as the button is held those who joined are one change, whatever part of the drag they came by: one undo takes all back, and
/// one redo brings all of them.
#[test]
fn a_drag_is_one_change() {
    for (name, species) in [("flock", 0), ("predator_and_prey", 0), ("predator_and_prey", 1)] {
        let mut session = session(name, &[]);
        digest_after(&mut session, 10);
        let (first, agents) = (digest(&mut session), session.scene().agent_count());
        let view = View::from_scene(session.scene());
        let part = |session: &mut Session, count: u32, held: bool| {
            let joining = Recast::joining(session.scene(), species, places(&STROKE, count, BRUSH, count, &view, SIZE));
            let (scene, recast) = joining.expect("room");
            assert_eq!(session.recast(scene, recast, held).expect("a device"), Answer::Accepted);
            assert_eq!(settle(session), Answer::Accepted);
        };
        part(&mut session, 7, true);
        part(&mut session, 5, true);
        part(&mut session, 6, true);
        session.history.close();
        let drag = digest(&mut session);
        assert_eq!(session.scene().agent_count(), agents + 18, "{name}");
        part(&mut session, 4, true);
        for (turn, expected, count) in [(0, &drag, 18), (0, &first, 0), (1, &drag, 18), (0, &first, 0)] {
            let turned = if turn == 0 { session.undo() } else { session.redo() };
            assert!(turned.expect("a device"));
            settle(&mut session);
            assert_eq!((session.scene().agent_count(), &digest(&mut session)), (agents + count, expected), "{name}");
        }
        assert!(!session.history.can_undo(), "{name}");
    }
}

/// A single agent that is a target keeps being it under its new id, and is not erased. A file keeps how many there are.
#[test]
fn targets_and_files_follow() {
    let mut session = session("predator_and_prey", &[]);
    let prey = session.scene().species_ids(1).expect("a second species").start;
    tune(&mut session, |draft| {
        let species = draft.species[1].enable("seek").expect("a behavior");
        species.set("seek", "target", Target::Agent(prey + 5)).expect("a target");
    });
    let target = |scene: &Scene| scene.species[1].get("seek", "target").expect("a target");
    let count = put(&mut session, 0).len() as u32;
    assert_eq!(target(session.scene()), Target::Agent(prey + 5 + count).into());
    assert!(Recast::erasing(session.scene(), [prey + 5 + count]).is_err());
    let (scene, _) = Recast::erasing(session.scene(), [prey + 4 + count]).expect("another one");
    assert_eq!(target(&scene), Target::Agent(prey + 4 + count).into());
    assert_eq!(kept(session.scene()).species_ids(0), session.scene().species_ids(0));
    let entering = edited(session.scene(), |draft| draft.species[0].enters = 1.0);
    assert!(Recast::joining(&entering, 0, vec![Vec3::ZERO]).is_err());
    assert!(Recast::joining(session.scene(), 0, vec![Vec3::NAN]).is_err());
}

/// Who was erased late comes back into a moment before it as of that moment: its action state is not of the future.
#[test]
fn who_comes_back_earlier_goes_on() {
    let scene = tuned("actions", &[]);
    let mut whole = on_cpu(&scene);
    whole.step(5);
    let early = whole.snapshot();
    whole.step(400);
    let (fewer, erasing) = Recast::erasing(&scene, 0..100).expect("agents that nobody heads for");
    let without = on_cpu(&fewer);
    let late = whole.snapshot();
    let memories = late.column(BufferId::Memory).expect("memories").chunks_exact(size_of::<Memory>() / 4);
    let changed = memories.take(100).any(|memory| memory[offset_of!(Memory, since) / 4] > 5);
    assert!(changed, "control: some have a state that began later than the moment they come back to");
    let (_, back) = late.recast(&erasing, &fewer, without.model()).expect("others");
    let (few, _) = early.recast(&erasing, &fewer, without.model()).expect("others");
    let (again, _) = few.recast(&back, &scene, whole.model()).expect("others");
    let mut earlier = on_cpu(&scene);
    earlier.restore(&again).expect("a state of its step");
    earlier.step(1);
    assert_eq!(earlier.observe().bad_agents, 0);
}

/// Once the run was begun anew, nobody of the one before comes back into it: an undo begins with as many as there were.
#[test]
fn an_undo_after_a_restart_begins_anew() {
    let mut session = session("flock", &[]);
    let first = (session.steps(), digest(&mut session));
    digest_after(&mut session, 20);
    assert!(!erase(&mut session).is_empty());
    session.restart(1).expect("a device");
    digest_after(&mut session, 3);
    undo(&mut session);
    assert_eq!((session.steps(), digest(&mut session)), first);
}
