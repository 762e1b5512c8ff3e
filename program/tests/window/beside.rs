//! Two runs side by side: A, the run as it was before a change, in step with B, the changed run.

use super::super::beside::{Beside, fit, halves};
use super::super::dashboard::toast;
use super::super::picture::Picture;
use super::super::session::seen::{Divergence, Part};
use super::plots::{curve, plots};
use super::session::observed as digest;
use super::*;
use egui::{Rect, Shape, pos2};
use steerling::scene::Look;

/// Wait until both runs are at the same step, and all measurements of both are done.
fn together(run: &mut Session, beside: &mut Beside) {
    wait("the other run", || {
        run.travel().expect("a device");
        assert_eq!(beside.follow(run).expect("a device"), None);
        (run.goal().is_none() && !beside.restless(run)).then_some(())
    });
}

fn split(run: &mut Session) -> Beside {
    let mut beside = Beside::new(run).expect("a device");
    together(run, &mut beside);
    beside
}

fn step(run: &mut Session, beside: &mut Beside, steps: u32) {
    run.step(steps).expect("steps");
    assert!(beside.behind(run));
    beside.follow(run).expect("a device");
    together(run, beside);
}

fn away(run: &Session) -> f64 {
    run.past().seen.divergence(run.steps()).expect("a distance")
}

/// Without a change both runs are the same, in a plane, in space and where agents leave. With a change they differ, and A is still the
/// run that it was.
#[test]
fn runs_are_equal_until_something_is_changed() {
    let faster = "species.0.max_speed=1.7";
    for (name, change) in
        [("flock", "species.0.max_speed=30"), ("murmuration", "species.0.max_speed=17"), ("evacuation", faster)]
    {
        let mut alone = session(name, &[]);
        let mut run = session(name, &[]);
        run.step(30).expect("steps");
        let mut beside = split(&mut run);
        assert_eq!(digest(&run), digest(&beside.session), "{name}: at once");
        step(&mut run, &mut beside, 100);
        assert_eq!(digest(&run), digest(&beside.session), "{name}: after 100 steps");
        assert_eq!(away(&run), 0.0, "{name}");
        set(&mut run, change);
        step(&mut run, &mut beside, 100);
        alone.step(230).expect("steps");
        assert_eq!(digest(&beside.session), digest(&alone), "{name}: as it was");
        assert_ne!(digest(&run), digest(&alone), "{name}, control: the change is one");
        let scene = run.simulation().scene();
        let states = [&run, &beside.session].map(|session| session.simulation().state().expect("a state"));
        let apart = Divergence::of(scene, &states[0], &states[1]).expect("a distance");
        assert_eq!(away(&run), apart.mean, "{name}");
        assert_eq!(run.values(), None, "{name}: colors tell something else");
        run.show_as(Look { color: ColorBy::Divergence, ..run.scene().look });
        assert_eq!(run.values(), Some(&apart.of_each[..]), "{name}");
        assert!(away(&run) > 0.0, "{name}");
    }
}

/// In frames of a run that goes on, they are in step after each of them.
#[test]
fn runs_go_in_step_and_pause_together() {
    let mut run = session("flock", &[]);
    let mut beside = split(&mut run);
    set(&mut run, "species.0.max_speed=30");
    run.set_paused(false).expect("a device");
    while run.steps() < 60 {
        run.advance(std::time::Duration::from_millis(17)).expect("a device");
        beside.follow(&mut run).expect("a device");
        assert_eq!((beside.session.steps(), beside.session.paused()), (run.steps(), false));
    }
    run.set_paused(true).expect("a device");
    beside.follow(&mut run).expect("a device");
    assert!(beside.session.paused());
    let mut alone = session("flock", &[]);
    alone.step(run.steps() as u32).expect("steps");
    assert_eq!(digest(&beside.session), digest(&alone));
}

/// What a run is audited for is shown of B alone, and of A once it is kept.
#[test]
fn the_run_beside_is_not_audited() {
    let mut run = session("flock", &[]);
    let mut beside = split(&mut run);
    run.set_paused(false).expect("a device");
    beside.follow(&mut run).expect("a device");
    let frame = std::time::Duration::from_millis(17);
    let checked = wait("control: an audit of the shown run", || {
        run.advance(frame).expect("a device");
        beside.follow(&mut run).expect("a device");
        run.audit().expect("a device");
        assert!(!beside.session.auditing(), "nobody asks what comes of it");
        Some(run.audits.totals.checked).filter(|checked| *checked > 0)
    });
    run.give_way_to(beside.session);
    wait("an audit of the run that was kept", || {
        run.advance(frame).expect("a device");
        run.audit().expect("a device");
        (run.audits.totals.checked > checked).then_some(())
    });
}

/// Back before the two parted they are one again, ahead they are what they were; and with another start both begin anew.
#[test]
fn both_go_back_and_begin_anew() {
    let mut run = session("flock", &[]);
    run.step(20).expect("steps");
    set(&mut run, "species.0.max_speed=18");
    run.step(20).expect("steps");
    let mut beside = split(&mut run);
    set(&mut run, "species.0.max_speed=30");
    step(&mut run, &mut beside, 40);
    let ends = [digest(&run), digest(&beside.session)];
    for (goal, same) in [(60, false), (30, true), (10, true), (80, false)] {
        run.go_to(goal).expect("a device");
        beside.follow(&mut run).expect("a device");
        together(&mut run, &mut beside);
        assert_eq!((run.steps(), beside.session.steps()), (goal, goal));
        assert_eq!(digest(&run) == digest(&beside.session), same, "step {goal}");
    }
    assert_eq!([digest(&run), digest(&beside.session)], ends);
    run.new_seed().expect("a device");
    together(&mut run, &mut beside);
    assert_eq!((run.steps(), beside.session.steps()), (0, 0));
    assert_eq!(beside.session.scene().seed, run.scene().seed);
    assert_eq!(away(&run), 0.0, "two variants of one seed begin in the same places");
    step(&mut run, &mut beside, 10);
    assert!(away(&run) > 0.0, "control: they are two");
}

/// Keeping the run as it was keeps its state and all of its record, and one undo brings the changed values back.
#[test]
fn the_run_as_it_was_is_kept_and_undone() {
    let mut run = session("flock", &[]);
    run.step(20).expect("steps");
    let early = digest(&run);
    run.step(20).expect("steps");
    let mut beside = split(&mut run);
    let was = run.scene().species[0].max_speed;
    set(&mut run, "species.0.max_speed=30");
    step(&mut run, &mut beside, 30);
    let kept = digest(&beside.session);
    assert_ne!(digest(&run), kept);
    assert!(run.give_way_to(beside.session));
    assert_eq!((digest(&run), run.scene().species[0].max_speed), (kept, was));
    assert!(!run.tuned());
    assert_eq!(super::past::digest_at(&mut run, 20), early, "its record reaches back before the two parted");
    undo(&mut run);
    assert_eq!(run.scene().species[0].max_speed, 30.0);
    redo(&mut run);
    assert_eq!(run.scene().species[0].max_speed, was);
    // Also where the run has gone back before its last change.
    let mut beside = split(&mut run);
    [28.0, 26.0].into_iter().for_each(|speed| set(&mut run, &format!("species.0.max_speed={speed}")));
    step(&mut run, &mut beside, 10);
    run.go_to(10).expect("a device");
    together(&mut run, &mut beside);
    assert!(run.give_way_to(beside.session));
    for speed in [26.0, 28.0] {
        undo(&mut run);
        assert_eq!(run.scene().species[0].max_speed, speed);
    }
    // Of two equal runs, there is nothing to take back.
    let mut fresh = session("flock", &[]);
    let copy = fresh.copy().expect("a device");
    assert!(!fresh.give_way_to(copy) && !fresh.history.can_undo());
}

/// What each half is stands in it, as narrow as it may be, with a button that can be clicked.
#[test]
fn labels_stay_in_their_halves() {
    let mut run = session("flock", &[]);
    run.step(1_200).expect("steps");
    let mut beside = split(&mut run);
    set(&mut run, "species.0.max_speed=30");
    step(&mut run, &mut beside, 20);
    for (half, said) in [(142.0, "A: step 1,200"), (320.0, "A: unchanged since step 1,200")] {
        let place = Rect::from_min_max(pos2(half, 0.0), pos2(2.0 * half, 300.0));
        let mut desk = harness(vec2(2.0 * half, 300.0), Vec::new(), |ui, wishes: &mut Vec<Wish>| {
            let bottom = halves(ui, &beside, &run, place, wishes);
            toast(ui, "A message", (2.0 * half, bottom));
        });
        let [message, button] = ["A message", "Keep B"].map(|label| desk.get_by_label(label).rect());
        assert!(message.bottom() < button.top(), "{message:?} lies on {button:?}");
        for (part, half) in [("A: ", place.translate(vec2(-half, 0.0))), ("B: ", place)] {
            let rect = desk.get_by_label_contains(part).rect();
            assert!(half.contains_rect(rect), "{part}: {rect:?} in {half:?}");
        }
        assert!(desk.query_by_label(said).is_some(), "{said}");
        desk.click("Keep A");
        desk.click("Keep B");
        assert!(matches!(desk.state()[..], [Wish::Act(Action::KeepOther), Wish::Act(Action::Beside)]));
    }
    run.new_seed().expect("a device");
    together(&mut run, &mut beside);
    assert_eq!(beside.since, 0, "it begins anew");
}

/// The distance is that through the seam, of those who take part in both.
#[test]
fn a_distance_is_that_between_agents_of_one_id() {
    let scene = preset("flock", 500, &[]);
    let half = 0.5 * scene.world.size.x;
    let state = |places: [[f32; 2]; 4]| {
        let positions = places.map(|[x, y]| [x, y, 0.0]).to_vec();
        State { positions, velocities: vec![[0.0; 3]; 4], frozen: vec![false; 4], poses: Vec::new() }
    };
    let one = state([[0.0, 0.0], [half - 1.0, 0.0], [5.0, 5.0], [0.0, 1.0]]);
    let mut other = state([[3.0, 4.0], [1.0 - half, 0.0], [5.0, 5.0], [7.0, 7.0]]);
    other.frozen[3] = true;
    let apart = Divergence::of(&scene, &one, &other).expect("a distance");
    assert!((apart.mean - 7.0 / 3.0).abs() < 1e-4, "{apart:?}");
    let away = |id: usize, wanted: f32| (apart.of_each[id] - wanted).abs() < 1e-4;
    assert!(away(0, 5.0) && away(1, 2.0) && away(2, 0.0) && away(3, 0.0), "{apart:?}");
    other.frozen.pop();
    other.positions.pop();
    assert_eq!(Divergence::of(&scene, &one, &other), None, "agents are others");
}

/// Beside the lines of the run, plots have those of the other one, and how far they are apart; alone they have neither.
#[test]
fn plots_have_both_runs() {
    let mut run = session("flock", &[]);
    run.step(5).expect("steps");
    let mut beside = split(&mut run);
    set(&mut run, "species.0.max_speed=30");
    (0..20).for_each(|_| step(&mut run, &mut beside, 1));
    let values = |session: &Session, column| session.past().seen.line(curve(column), Part::All, 0..100);
    let (both, own) = (values(&run, "apart"), values(&beside.session, "mean_speed"));
    assert!(both.len() > 1 && both[0] == (5, 0.0), "{both:?}");
    assert!(both.windows(2).all(|pair| pair[0].0 < pair[1].0) && both.last().is_some_and(|(_, away)| *away > 0.0));
    assert!(own.len() > 20 && own != values(&run, "mean_speed"));
    for (other, shown) in [(Some(beside.session), true), (None, false)] {
        let desk = plots(session("flock", &[]), other, 1400.0);
        assert_eq!(desk.query_by_label("Apart from A, u").is_some(), shown);
        assert_eq!(desk.query_all_by_label("B  A: dashed").next().is_some(), shown, "which line is whose");
    }
    // Where the runs are equal, the distance is 0, and no axis shows numbers below it.
    let mut run = session("flock", &[]);
    let mut beside = split(&mut run);
    (0..3).for_each(|_| step(&mut run, &mut beside, 1));
    let desk = plots(run, Some(beside.session), 800.0);
    let texts = desk.output().shapes.iter().filter_map(|one| match &one.shape {
        Shape::Text(text) => Some(text.galley.text().to_owned()),
        _ => None,
    });
    let below: Vec<_> = texts.filter(|text| text.starts_with('-') || text.starts_with('−')).collect();
    assert!(below.is_empty(), "{below:?}");
}

/// The agents that are picked have rings where they are in A, too, also after the runs came apart.
#[test]
fn picked_agents_are_marked_in_both_halves() {
    let mut run = session("flock", &[]);
    let mut beside = split(&mut run);
    set(&mut run, "species.0.max_speed=30");
    (0..20).for_each(|_| step(&mut run, &mut beside, 1));
    let (view, size) = (View::from_scene(run.scene()), (640, 480));
    let start = std::time::Instant::now();
    while beside.marks.len() < 2 {
        assert!(start.elapsed().as_secs() < 60, "they are nowhere");
        beside.mark(&run, &[(7, 0), (9, 1)], &view, size).expect("a device");
    }
    let all = beside.session.simulation().state().expect("a state").positions;
    for ((mark, halo), id) in beside.marks.iter().zip([7, 9]) {
        let (ring, _) = mark.place.expect("a place");
        let there = view.project(all[id].into(), size).expect("a place");
        assert!(there.distance(ring.into()) < 0.5 && mark.name.starts_with(&format!("Agent {id}")), "{halo}: {ring:?}");
    }
    set(&mut run, "species.0.count=100");
    beside.mark(&run, &[(7, 0)], &view, size).expect("a device");
    assert!(beside.marks.is_empty(), "ids mean other agents there");
}

/// A look that the run as it was cannot have is not shown there, and nothing else changes; the next one is.
#[test]
fn a_look_that_is_refused_stays_away() {
    let mut run = session("flock", &[]);
    let mut beside = split(&mut run);
    let was = beside.session.scene().look;
    beside.show_as(Look { afterglow: 1e9, ..was });
    assert_eq!(beside.session.scene().look, was, "no scene has it");
    let other = Look { color: ColorBy::Speed, ..was };
    beside.show_as(other);
    assert_eq!(beside.session.scene().look, other);
    step(&mut run, &mut beside, 5);
    assert_eq!(digest(&run), digest(&beside.session));
}

/// Where the run as it was cannot be drawn, it is let go: the other one goes on alone, over the whole room, and what goes is said.
#[test]
fn a_run_that_cannot_be_drawn_is_let_go() {
    let mut run = session("flock", &[]);
    let format = steerling::wgpu::TextureFormat::Rgba8Unorm;
    let gpu = run.simulation().gpu().clone();
    let mut picture = Picture::new(&gpu, format, run.scene(), (64, 32)).expect("a picture");
    let mut beside = Some(split(&mut run));
    let (room, half) = ((640, 320), (320, 320));
    assert_eq!(fit(&mut picture, &mut run, &mut beside, room).expect("two"), (true, None));
    assert!(beside.is_some() && picture.size == half && picture.room() == room, "control: both are drawn");

    // A run of a device that says it cannot draw, and a picture that has yet to make what draws it.
    let mut picture = Picture::new(&gpu, format, run.scene(), room).expect("a picture");
    let mut dull = support::gpu_of_its_own();
    dull.info.backend = steerling::wgpu::Backend::Gl;
    let of_another = Session::new(&dull, run.scene().clone(), Options::default(), true, None).expect("a session");
    beside.as_mut().expect("a run").session = of_another;
    let (resized, why) = fit(&mut picture, &mut run, &mut beside, room).expect("one");
    assert!(why.expect("a reason").contains("cannot be drawn any more") && !resized);
    assert!(beside.is_none() && picture.size == room, "it is alone");
    assert_eq!((run.runs_side_by_side, run.values()), (1, None));
    run.step(5).expect("and goes on");
    assert_eq!(fit(&mut picture, &mut run, &mut beside, half).expect("one"), (true, None));
}
