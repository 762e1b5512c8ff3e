//! A session: what its changes do to the run.

use super::super::handles::{carry, handles};
use super::super::pointer::{Deed, Pointer};
use super::tools::{go, press, release};
use super::*;
use steerling::cpu;
use steerling::scene::{Facing, Look};
use winit::event::{MouseButton, WindowEvent};
use winit::keyboard::ModifiersState;

pub fn session(name: &str, overrides: &[&str]) -> Session {
    // Hawks see too far for a smaller world.
    let agents = if name == "predator_and_prey" { 2000 } else { 500 };
    session_of(tuned(name, overrides).with_agents(agents).expect("a scene"))
}

/// A paused session of a scene.
pub fn session_of(scene: Scene) -> Session {
    Session::new(&support::gpu(), scene, Options::default(), true, None).expect("a session")
}

/// Wait until a change has arrived.
pub fn settle(session: &mut Session) -> Answer {
    wait("a change", || session.arrive().expect("no failure of the device"))
}

/// Take all snapshots that are due.
pub fn keep_all(session: &mut Session) {
    session.keep().expect("a device");
    while session.restless() {
        session.keep().expect("a device");
    }
}

/// Ask for these values, which are taken, and wait until they are there.
pub fn accept(session: &mut Session, draft: Draft) {
    assert_eq!(session.tune(draft, false).expect("a device"), Answer::Accepted);
    assert_eq!(settle(session), Answer::Accepted);
}

/// The same with a change of the values of now.
pub fn tune(session: &mut Session, change: impl FnOnce(&mut Draft)) {
    let mut draft = session.scene().draft();
    change(&mut draft);
    accept(session, draft);
}

/// The same with a change as a command line has it.
pub fn set(session: &mut Session, change: &str) {
    let (draft, _) = session.tried(&[change.to_owned()]).expect("a change");
    accept(session, draft);
}

/// Take the latest change back.
pub fn undo(session: &mut Session) {
    assert!(session.undo().expect("a device"));
    assert_eq!(settle(session), Answer::Accepted);
}

/// Make it again.
pub fn redo(session: &mut Session) {
    assert!(session.redo().expect("a device"));
    assert_eq!(settle(session), Answer::Accepted);
}

/// The digest that was observed last.
pub fn observed(session: &Session) -> String {
    let (step, seen) = session.figures().observed.as_ref().expect("an observation");
    assert_eq!(*step, session.steps());
    seen.digest_hex()
}

pub fn digest_after(session: &mut Session, steps: u32) -> String {
    session.step(steps).expect("steps");
    observed(session)
}

/// Begin the run anew.
pub fn restart(session: &mut Session) {
    session.restart(session.scene().seed).expect("a restart");
}

/// The digest of a scene's run on the CPU.
pub fn reference(scene: &Scene, steps: u32) -> String {
    ahead(on_cpu(scene), steps)
}

/// The digest after more steps of a session, as the CPU goes on from its state of now.
pub fn reference_from(session: &Session, steps: u32) -> String {
    let mut run = on_cpu(session.scene());
    run.restore(&session.simulation().snapshot().expect("a snapshot")).expect("its state");
    ahead(run, steps)
}

fn ahead(mut run: cpu::Simulation, steps: u32) -> String {
    run.step(steps);
    run.observe().digest_hex()
}

/// The weight of cohesion.
pub fn cohesion(session: &Session) -> Setting {
    session.scene().species[0].get("cohesion", "weight").expect("a weight")
}

/// The values of now with another weight of cohesion.
pub fn weighing(session: &Session, weight: f32) -> Draft {
    edited(session.scene(), |draft| draft.species[0].set("cohesion", "weight", weight).expect("a weight")).draft()
}

/// The numbers of agents of each species.
pub fn counts(session: &Session) -> Vec<u32> {
    session.scene().species.iter().map(|species| species.count).collect()
}

/// What the device cannot hold is refused when the change is made ready; then there is nothing to take back, and what was before it is.
#[test]
fn what_is_refused_late_leaves_nothing_to_take_back() {
    let mut session = session("flock", &[]);
    let plain = digest_after(&mut session, 3);
    let many = |session: &Session| edited(session.scene(), |draft| draft.species[0].count = 900_000_000).draft();
    assert_eq!(session.tune(many(&session), false).expect("a device"), Answer::Accepted);
    assert!(session.history.can_undo());
    let Answer::Refused(why) = settle(&mut session) else { panic!("no refusal") };
    assert!(why.contains("do not fit"), "{why}");
    assert!(!session.history.can_undo(), "nothing came of it");

    tune(&mut session, |draft| draft.species[0].count = 400);
    session.tune(many(&session), false).expect("a device");
    let look = Look { color: ColorBy::Speed, ..session.scene().look };
    session.show_as(look);
    assert!(matches!(settle(&mut session), Answer::Refused(_)));
    assert_eq!(session.scene().look, look, "how it is shown stays");
    undo(&mut session);
    assert_eq!(session.scene().agent_count(), 500, "the change before it");

    // What no scene can have is refused at once.
    let mut draft = session.scene().draft();
    draft.species[0].min_speed = draft.species[0].max_speed * 2.0;
    let Answer::Refused(why) = session.change(draft) else { panic!("no refusal") };
    assert!(why.contains("Min speed must be at most"), "{why}");
    assert_eq!(session.scene(), session.original());
    restart(&mut session);
    assert_eq!(digest_after(&mut session, 3), plain);
}

#[test]
fn a_new_seed_is_taken_back_by_itself() {
    let mut session = session("flock", &[]);
    let (seed, fast) = (session.scene().seed, session.scene().species[0].max_speed + 3.0);
    tune(&mut session, |draft| draft.species[0].max_speed = fast);
    session.new_seed().expect("a restart");
    assert_eq!(session.scene().seed, seed + 1);
    assert!(session.undo().expect("a device"));
    assert_eq!((session.scene().seed, session.scene().species[0].max_speed), (seed, fast));
    assert!(session.undo().expect("a device"));
    assert_ne!(session.scene().species[0].max_speed, fast);
}

/// A city of another seed has walls elsewhere.
#[test]
fn a_seed_that_no_start_is_open_with_is_refused() {
    let mut session = session("city", &["species.0.spawn.extent=0.02"]);
    let refused = (0..40).any(|_| matches!(session.new_seed().expect("a device"), Answer::Refused(_)));
    assert!(refused, "each of 40 cities has room in the middle");
    let seed = session.scene().seed;
    digest_after(&mut session, 3);
    assert_eq!(session.scene().seed, seed, "the run goes on");
}

#[test]
fn what_is_tried_keeps_what_was_tuned() {
    let mut session = session("flock", &[]);
    let fast = session.scene().species[0].max_speed + 3.0;
    tune(&mut session, |draft| draft.species[0].max_speed = fast);
    let tried = |change: &str| session.tried(&[change.to_owned()]);
    let (draft, keeps) = tried("species.0.behaviors.cohesion.weight=3").expect("a change");
    let cohesion = draft.species[0].behaviors.iter().find(|b| b.spec.name == "cohesion").expect("cohesion").weight;
    assert_eq!((draft.species[0].max_speed, cohesion, keeps), (fast, 3.0, true));
    // The latest word counts.
    let (draft, keeps) = tried("species.0.max_speed=20").expect("a change");
    assert_eq!((draft.species[0].max_speed, keeps), (20.0, true));
    // Numbers of agents are those of the file, with its world.
    let (draft, keeps) = tried("species.0.count=77").expect("a change");
    assert_eq!((draft.species[0].count, keeps), (77, false));
    assert_ne!(draft.species[0].max_speed, fast);
    assert!(tried("species.0.nothing=1").is_err());
}

/// The window's restart is a run with that seed, in a preset of each kind.
#[test]
fn a_restart_with_another_seed_is_a_run_with_that_seed() {
    let kind = |scene: &Scene| {
        let of_all: [fn(&Species) -> bool; 4] = [
            |species| species.states.len() > 1,
            |species| species.enters > 0.0,
            |species| species.vehicle.facing == Facing::Independent,
            |species| species.deposit > 0.0,
        ];
        let parts = (scene.world.spatial, scene.field.is_some(), scene.map.is_some(), scene.ground.is_some());
        (parts, of_all.map(|of| scene.species.iter().any(of)))
    };
    let mut kinds = Vec::new();
    for preset in PRESETS {
        let scene = tuned(preset.name, &[]);
        if kinds.contains(&kind(&scene)) {
            continue;
        }
        kinds.push(kind(&scene));
        let mut session = session_of(scene.with_agents(scene.agent_count().min(2000)).unwrap_or(scene));
        digest_after(&mut session, 3);
        session.restart(99).expect("a restart");
        assert_eq!(session.steps(), 0);
        let expected = reference(&edited(session.original(), |draft| draft.seed = 99), 3);
        assert_eq!(digest_after(&mut session, 3), expected, "{}", preset.name);
    }
    assert!(kinds.len() > 5, "{kinds:?}");
}

#[test]
fn every_change_can_be_taken_back_and_made_again() {
    let mut session = session("flock", &[]);
    let first = session.scene().clone();
    let tune = |session: &mut Session, value: f32, held: bool| {
        let draft = weighing(session, value);
        assert_eq!(session.tune(draft, held).expect("no failure"), Answer::Accepted);
    };
    // A drag is one change.
    (1..=3).for_each(|value| tune(&mut session, value as f32 * 0.25, true));
    session.history.close();
    tune(&mut session, 2.0, true);
    session.history.close();
    let last = session.scene().clone();
    assert!(session.tuned());
    assert!(session.undo().expect("no failure"));
    assert_eq!(cohesion(&session), Setting::Number(0.75));
    assert!(session.undo().expect("no failure"));
    assert_eq!(*session.scene(), first);
    assert!(!session.tuned());
    assert!(!session.undo().expect("no failure"), "there is nothing before");
    assert!(session.redo().expect("no failure") && session.redo().expect("no failure"));
    assert_eq!(*session.scene(), last);
    assert!(!session.redo().expect("no failure"), "there is nothing after");
    // A change after an undo ends what could be done again.
    session.undo().expect("no failure");
    tune(&mut session, 9.0, false);
    assert!(!session.history.can_redo());
    // Another seed is a change too, and another start.
    digest_after(&mut session, 2);
    let seeded = edited(session.scene(), |draft| draft.seed = 77);
    assert_eq!(session.tune(seeded.draft(), false).expect("no failure"), Answer::Accepted);
    assert_eq!((session.steps(), session.scene().seed), (0, 77));
    session.undo().expect("no failure");
    assert_eq!(session.scene().seed, first.seed);
}

/// A cross that is dragged takes all targets along that it marks, and one undo takes them back.
#[test]
fn a_cross_is_dragged_with_its_targets() {
    let mut session = session("arrive", &["species.0.behaviors.arrive.target={point=[20,10]}"]);
    let crosses_of = |session: &Session| {
        let mut all = handles(session.scene(), 0);
        all.retain(|handle| handle.path.ends_with(".point"));
        all
    };
    let all = crosses_of(&session);
    let crosses: Vec<glam::Vec3> = all.iter().map(|handle| handle.at).collect();
    let (from, to) = (crosses[0], crosses[0] + glam::vec3(5.0, -3.0, 0.0));
    let view = View::from_scene(session.scene());
    let size = (640, 480);
    let place = |point| view.project(point, size).expect("in view");
    let mut pointer = Pointer::default();
    let mut handle = |event: WindowEvent| {
        let mut moved = view;
        let panned = pointer.handle(&event, ModifiersState::empty(), false, || crosses.clone(), &mut moved, size);
        (panned, pointer.deed.take())
    };
    // Beside the cross the press pans.
    let beside = |point| (place(point) + glam::vec2(40.0, 0.0)).into();
    handle(go(beside(from)));
    handle(press(MouseButton::Left));
    let (panned, carried) = handle(go(beside(to)));
    assert!(panned && carried.is_none());
    handle(release(MouseButton::Left));
    handle(go(place(from).into()));
    handle(press(MouseButton::Left));
    let (panned, carried) = handle(go(place(to).into()));
    let Some(Deed::Carry(index, start, end)) = carried else { panic!("a cross") };
    assert!(!panned && start == from && end.distance(to) < 1e-2, "{start} {end} {to}");
    handle(release(MouseButton::Left));
    assert!(handle(go(place(from).into())).1.is_none(), "it is let go");

    let was = session.scene().clone();
    let mut draft = session.scene().draft();
    carry(&mut draft, &all[index], end);
    session.tune(draft, true).expect("a device");
    let now = crosses_of(&session);
    let at = |place: glam::Vec3| now.iter().filter(|cross| cross.at == place).count();
    assert_eq!((at(end), at(from)), (crosses.iter().filter(|cross| **cross == from).count(), 0));
    session.undo().expect("a device");
    assert_eq!(*session.scene(), was);
}

/// A scene from nothing: another species, other values of it, kept in a file and opened again.
#[test]
fn a_species_is_added_tuned_taken_back_and_kept() {
    let mut session = session("predator_and_prey", &[]);
    let plain = digest_after(&mut session, 5);
    tune(&mut session, |draft| draft.species[1].max_speed += 1.0);
    let grown = session.scene().with_copy_of(1, [1, 2, 3]).expect("a scene");
    assert_eq!(session.rewrite(&grown).expect("a device"), Answer::Accepted);
    assert_eq!(settle(&mut session), Answer::Accepted);
    assert_eq!((session.simulation().scene().species.len(), session.steps()), (3, 0), "it starts anew");
    let copy = &session.scene().species[2];
    assert_eq!(copy.max_speed, session.scene().species[1].max_speed, "what was tuned is copied");
    assert!(session.tuned() && session.is_unwritten(), "it would be lost");
    tune(&mut session, |draft| {
        draft.species[2].count = 7;
        draft.species[2].max_speed += 2.0;
    });
    let digest = digest_after(&mut session, 5);
    assert_eq!(reference(&kept(session.scene()), 5), digest);

    // Back to the two, whose values are those of the preset, and forth.
    for (species, unwritten) in [(3, true), (2, false), (2, false)] {
        undo(&mut session);
        assert_eq!(session.simulation().scene().species.len(), species);
        assert_eq!(session.original().species.len(), species, "sliders have something to reset to");
        assert_eq!(session.is_unwritten(), unwritten);
        let text = session.scene().to_toml("mine.toml").expect("a text");
        assert_eq!((text.matches("[[species]]").count(), text.contains(" # ")), (species, true), "{text}");
    }
    assert!(!session.tuned());
    restart(&mut session);
    assert_eq!(digest_after(&mut session, 5), plain);
    assert!(session.redo().expect("a device") && session.redo().expect("a device"));
    settle(&mut session);
    assert_eq!(session.original().species.len(), 3);
    // Who edits the file meanwhile is told that this does not go with it, and loses nothing that undo does not bring back.
    let file = preset("predator_and_prey", 2000, &[]);
    assert_eq!(session.reread(&file, &file).expect("a device"), (Answer::Accepted, false));
    settle(&mut session);
    assert_eq!((session.scene().species.len(), session.tuned()), (2, false));
    undo(&mut session);
    assert_eq!((session.scene().species.len(), session.original().species.len()), (3, 3));
    // What another species names cannot go.
    let refused = session.scene().without_species(0).expect_err("it is named");
    assert!(!refused.message.is_empty(), "{refused}");
}
