//! A session: what its changes do to the run.

use super::super::handles::{carry, handles};
use super::super::pointer::Pointer;
use super::super::session::{Answer, Session};
use steerling::cpu;
use steerling::gpu::{AdapterChoice, Gpu, Options, Simulation};
use steerling::model::State;
use steerling::render::View;
use steerling::scene::{Draft, Scene};
use winit::event::{DeviceId, ElementState, MouseButton, WindowEvent};
use winit::keyboard::ModifiersState;

pub fn session(name: &str, overrides: &[&str]) -> Session {
    let overrides: Vec<_> = overrides.iter().map(|text| text.parse().expect("an override")).collect();
    // Hawks see too far for a smaller world.
    let agents = if name == "predator_and_prey" { 2000 } else { 500 };
    let scene = Scene::open(name, &overrides).and_then(|scene| scene.with_agents(agents)).expect("a scene");
    let gpu = Gpu::open(&AdapterChoice::Best).expect("a GPU");
    Session::new(&gpu, scene, Options::default(), true, None).expect("a session")
}

/// Wait until a change has arrived.
pub fn settle(session: &mut Session) -> Answer {
    let start = std::time::Instant::now();
    loop {
        assert!(start.elapsed().as_secs() < 120, "no change arrives");
        if let Some(arrived) = session.arrive().expect("no failure of the device") {
            return arrived;
        }
        std::thread::yield_now();
    }
}

pub fn digest_after(session: &mut Session, steps: u32) -> String {
    session.step(steps).expect("steps");
    session.figures().observed.as_ref().expect("an observation").1.digest_hex()
}

/// What the device cannot hold is refused when the change is made ready; then there is nothing to take back, and what was before it is.
#[test]
fn what_is_refused_late_leaves_nothing_to_take_back() {
    let mut session = session("flock", &[]);
    let agents = |session: &Session, count: u32| {
        let mut draft = session.scene().draft();
        draft.species[0].count = count;
        draft
    };
    let many = agents(&session, 900_000_000);
    assert_eq!(session.tune(many, false).expect("a device"), Answer::Accepted);
    assert!(session.can_undo());
    let Answer::Refused(why) = settle(&mut session) else { panic!("no refusal") };
    assert!(why.contains("do not fit"), "{why}");
    assert!(!session.can_undo(), "nothing came of it");

    let fewer = agents(&session, 400);
    session.tune(fewer, false).expect("a device");
    assert_eq!(settle(&mut session), Answer::Accepted);
    let many = agents(&session, 900_000_000);
    session.tune(many, false).expect("a device");
    assert!(matches!(settle(&mut session), Answer::Refused(_)));
    assert!(session.undo().expect("a device"), "the change before it");
    assert_eq!(session.scene().agent_count(), 500);
}

#[test]
fn a_flow_field_can_be_followed_later() {
    // A field that stays as it is: the other simulation begins at its start.
    let still = ["field.times=[]", "field.turns=[]"];
    let disabled = "species.0.behaviors.flow_field.enabled=false";
    let mut session = session("wind", &[disabled, still[0], still[1]]);
    digest_after(&mut session, 5);
    let state = session.simulation().state().expect("a state");
    let enable = |draft: &mut Draft| draft.species[0].enable("flow_field").map(drop);
    let scene = session.scene().edit(enable).expect("a scene");
    assert_eq!(session.change(scene.draft()), Answer::Accepted);
    assert_eq!(settle(&mut session), Answer::Accepted);
    assert_eq!(session.steps(), 5, "the run goes on");
    let later = digest_after(&mut session, 5);
    assert_eq!(session.steps(), 10);

    let gpu = session.simulation().gpu();
    let mut fresh = Simulation::new(gpu, &scene, &state, Options::default()).expect("a simulation");
    fresh.step(5).expect("steps");
    assert_eq!(later, fresh.observe().expect("an observation").digest_hex());
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut changed = session("flock", &[]);
    let mut scene = changed.scene().draft();
    scene.species[0].min_speed = scene.species[0].max_speed * 2.0;
    let Answer::Refused(why) = changed.change(scene) else { panic!("no refusal") };
    assert!(why.contains("Min speed must be at most"), "{why}");
    assert_eq!(changed.scene(), changed.original());
    assert_eq!(digest_after(&mut changed, 3), digest_after(&mut session("flock", &[]), 3));
}

#[test]
fn a_new_seed_is_taken_back_by_itself() {
    let mut session = session("flock", &[]);
    let mut draft = session.scene().draft();
    draft.species[0].max_speed += 3.0;
    let (seed, fast) = (draft.seed, draft.species[0].max_speed);
    session.tune(draft, false).expect("a device");
    session.new_seed().expect("a restart");
    assert_eq!(session.scene().seed, seed + 1);
    assert!(session.undo().expect("a device"));
    assert_eq!((session.scene().seed, session.scene().species[0].max_speed), (seed, fast));
    assert!(session.undo().expect("a device"));
    assert_ne!(session.scene().species[0].max_speed, fast);
}

#[test]
fn what_is_tried_keeps_what_was_tuned() {
    let mut session = session("flock", &[]);
    let mut draft = session.scene().draft();
    draft.species[0].max_speed += 3.0;
    let fast = draft.species[0].max_speed;
    session.tune(draft, false).expect("a device");
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

#[test]
fn restarts_repeat_the_run_and_new_seeds_do_not() {
    for scene in ["flock", "wind"] {
        let mut session = session(scene, &[]);
        let first = digest_after(&mut session, 4);
        session.restart(session.scene().seed).expect("a restart");
        assert_eq!(session.steps(), 0);
        assert_eq!(first, digest_after(&mut session, 4), "{scene}");
        session.restart(99).expect("a restart");
        assert_ne!(first, digest_after(&mut session, 4), "{scene}");
        assert_eq!(session.steps(), 4);
    }
}

/// The window's restart is a run with that seed, for every preset.
#[test]
fn a_restart_with_another_seed_is_a_run_with_that_seed() {
    let gpu = Gpu::open(&AdapterChoice::Best).expect("a GPU");
    for preset in steerling::scene::PRESETS {
        let mut scene = Scene::open(preset.name, &[]).expect("a preset");
        if scene.agent_count() > 10_000 {
            scene = scene.with_agents(10_000).expect("a scene");
        }
        let mut session = Session::new(&gpu, scene, Options::default(), true, None).expect("a session");
        digest_after(&mut session, 3);
        session.restart(99).expect("a restart");
        let seed = |draft: &mut Draft| {
            draft.seed = 99;
            Ok(())
        };
        let scene = session.original().edit(seed).expect("a scene");
        let mut fresh = cpu::Simulation::new(&scene, &State::initial(&scene), Default::default()).expect("a scene");
        fresh.step(3);
        assert_eq!(digest_after(&mut session, 3), fresh.observe().digest_hex(), "{}", preset.name);
    }
}

#[test]
fn every_change_can_be_taken_back_and_made_again() {
    let mut session = session("flock", &[]);
    let first = session.scene().clone();
    let weight = |session: &Session| session.scene().species[0].get("cohesion", "weight").expect("a weight");
    let tune = |session: &mut Session, value: f32, held: bool| {
        let mut draft = session.scene().draft();
        draft.species[0].set("cohesion", "weight", value).expect("a weight");
        assert_eq!(session.tune(draft, held).expect("no failure"), Answer::Accepted);
    };
    // A drag is one change.
    (1..=3).for_each(|value| tune(&mut session, value as f32 * 0.25, true));
    session.let_go();
    tune(&mut session, 2.0, true);
    session.let_go();
    let last = session.scene().clone();
    assert!(session.tuned());
    assert!(session.undo().expect("no failure"));
    assert_eq!(weight(&session), steerling::scene::Setting::Number(0.75));
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
    assert!(!session.can_redo());
    // Another seed is a change too, and another start.
    digest_after(&mut session, 2);
    let mut draft = session.scene().draft();
    draft.seed = 77;
    assert_eq!(session.tune(draft, false).expect("no failure"), Answer::Accepted);
    assert_eq!((session.steps(), session.scene().seed), (0, 77));
    session.undo().expect("no failure");
    assert_eq!(session.scene().seed, first.seed);
}

/// What is tuned in the window, and kept, is the run of the file.
#[test]
fn a_kept_scene_reopens_with_an_equal_digest() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, behavior) in [("flock", "wander"), ("wind", "cohesion"), ("nature_of_code", "arrive")] {
        let mut session = session(name, &[]);
        let plain = digest_after(&mut session, 6);
        let mut draft = session.scene().with_agents(700).expect("a scene").draft();
        draft.species[0].enable(behavior).expect("a behavior");
        draft.species[0].max_speed *= 1.3;
        draft.world.boundary[0] = steerling::scene::Boundary::Contain;
        assert_eq!(session.tune(draft, false).expect("no failure"), Answer::Accepted, "{name}");
        assert_eq!(settle(&mut session), Answer::Accepted);
        session.restart(5).expect("a restart");
        let tuned = digest_after(&mut session, 6);
        assert_ne!(plain, tuned, "{name}: nothing changed");
        let path = folder.path().join(format!("{name}.toml"));
        let path = path.to_str().expect("UTF-8");
        std::fs::write(path, session.scene().to_toml(path).expect("a text")).expect("a file");
        let scene = Scene::open(path, &[]).expect("a scene");
        let gpu = session.simulation().gpu();
        let mut again = Session::new(gpu, scene, Options::default(), true, None).expect("a session");
        assert_eq!(digest_after(&mut again, 6), tuned, "{name}");
    }
}

/// Somebody follows the flow field for the first time: what everybody remembers stays.
#[test]
fn ticking_a_behavior_keeps_what_agents_remember() {
    let field = "field={ source = \"uniform\", speed = 1.0 }";
    let mut session = session("foraging_ants", &[field]);
    digest_after(&mut session, 40);
    let before = session.simulation().words(steerling::model::BufferId::Memory).expect("words");
    let mut draft = session.scene().draft();
    draft.species[0].enable("flow_field").expect("a behavior");
    assert_eq!(session.change(draft), Answer::Accepted);
    assert_eq!(settle(&mut session), Answer::Accepted);
    assert_eq!(before, session.simulation().words(steerling::model::BufferId::Memory).expect("words"));
    assert!(before.iter().any(|word| *word != 0), "something is remembered");
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
        (panned, pointer.carried.take())
    };
    let device_id = DeviceId::dummy();
    let moved = |at: glam::Vec2| WindowEvent::CursorMoved { device_id, position: (at.x, at.y).into() };
    let press = |state| WindowEvent::MouseInput { device_id, state, button: MouseButton::Left };
    // Beside the cross the press pans.
    handle(moved(place(from) + glam::vec2(40.0, 0.0)));
    handle(press(ElementState::Pressed));
    let (panned, carried) = handle(moved(place(to) + glam::vec2(40.0, 0.0)));
    assert!(panned && carried.is_none());
    handle(press(ElementState::Released));
    handle(moved(place(from)));
    handle(press(ElementState::Pressed));
    let (panned, carried) = handle(moved(place(to)));
    let (index, start, end) = carried.expect("a cross");
    assert!(!panned && start == from && end.distance(to) < 1e-2, "{start} {end} {to}");
    handle(press(ElementState::Released));
    assert!(handle(moved(place(from))).1.is_none(), "it is let go");

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
    let mut draft = session.scene().draft();
    draft.species[1].max_speed += 1.0;
    session.tune(draft, false).expect("a device");
    settle(&mut session);
    let grown = session.scene().with_copy_of(1, [1, 2, 3]).expect("a scene");
    assert_eq!(session.rewrite(&grown).expect("a device"), Answer::Accepted);
    assert_eq!(settle(&mut session), Answer::Accepted);
    assert_eq!((session.simulation().scene().species.len(), session.steps()), (3, 0), "it starts anew");
    let copy = &session.scene().species[2];
    assert_eq!(copy.max_speed, session.scene().species[1].max_speed, "what was tuned is copied");
    assert!(session.tuned() && session.is_unwritten(), "it would be lost");
    let mut draft = session.scene().draft();
    draft.species[2].count = 7;
    draft.species[2].max_speed += 2.0;
    assert_eq!(session.tune(draft, false).expect("a device"), Answer::Accepted);
    settle(&mut session);
    let digest = digest_after(&mut session, 5);
    let text = session.scene().to_toml("grown.toml").expect("a text");
    let kept = Scene::parse(&text, "grown.toml", &[]).expect("a scene");
    let mut alone = cpu::Simulation::new(&kept, &State::initial(&kept), cpu::Execution::Serial).expect("a simulation");
    alone.step(5);
    assert_eq!(alone.observe().digest_hex(), digest);

    // Back to the two, whose values are those of the preset, and forth.
    for (species, unwritten) in [(3, true), (2, false), (2, false)] {
        assert!(session.undo().expect("a device"));
        settle(&mut session);
        assert_eq!(session.simulation().scene().species.len(), species);
        assert_eq!(session.original().species.len(), species, "sliders have something to reset to");
        assert_eq!(session.is_unwritten(), unwritten);
        let text = session.scene().to_toml("mine.toml").expect("a text");
        assert_eq!((text.matches("[[species]]").count(), text.contains(" # ")), (species, true), "{text}");
    }
    assert!(!session.tuned());
    session.restart(session.scene().seed).expect("a device");
    assert_eq!(digest_after(&mut session, 5), plain);
    assert!(session.redo().expect("a device") && session.redo().expect("a device"));
    settle(&mut session);
    assert_eq!(session.original().species.len(), 3);
    // Who edits the file meanwhile is told that this does not go with it, and loses nothing that undo does not bring back.
    let file = Scene::open("predator_and_prey", &[]).and_then(|scene| scene.with_agents(2000)).expect("a preset");
    assert_eq!(session.reread(&file, &file).expect("a device"), (Answer::Accepted, false));
    settle(&mut session);
    assert_eq!((session.scene().species.len(), session.tuned()), (2, false));
    assert!(session.undo().expect("a device"));
    settle(&mut session);
    assert_eq!((session.scene().species.len(), session.original().species.len()), (3, 3));
    // What another species names cannot go.
    let refused = session.scene().without_species(0).expect_err("it is named");
    assert!(!refused.message.is_empty(), "{refused}");
}
