//! Plots, and the condition that pauses.

use super::super::plots::{HEIGHT, Plots, marks};
use super::super::session::seen::{CURVES, Curve, Part};
use super::*;
use egui_plot::GridInput;
use steerling::output::Until;

/// Run in frames of a sixtieth of a second until it pauses, for at most so many steps; says what paused it.
fn run_until_paused(session: &mut Session, most: u64) -> Option<(String, u64)> {
    session.set_paused(false).expect("a device");
    while !session.paused() && session.steps() < most || session.goal().is_some() {
        session.advance(Duration::from_nanos(16_666_667)).expect("a device");
        session.travel().expect("a device");
        session.keep().expect("a device");
    }
    session.fired()
}

/// It pauses at the very step of the observation that met the condition, as the run ahead has it; a condition that is not met does not.
#[test]
fn a_condition_pauses_at_its_step() {
    let mut session = session("flock", &[]);
    assert!(session.pause_when("polarisation > 0.5").unwrap_err().contains("polarization"), "the nearest name");
    assert_eq!(session.pauses_when(), None);
    session.pause_when("mean_neighbors > 0.5").expect("a condition");
    let (text, step) = run_until_paused(&mut session, 400).expect("a pause");
    assert_eq!((text.as_str(), step, session.paused()), ("mean_neighbors > 0.5", session.steps(), true));
    assert!(step > 0 && step < 400);
    let (seen_at, seen) = session.figures().observed.clone().expect("an observation");
    let mut until = Until::parse("mean_neighbors > 0.5", session.scene()).expect("a condition");
    assert!(seen_at == step && until.sees(step, &seen));
    let digest = seen.digest_hex();
    // It holds still, and does not pause again.
    assert_eq!(run_until_paused(&mut session, step + 40), None);
    session.set_paused(true).expect("a device");
    restart(&mut session);
    assert_eq!(digest_after(&mut session, step as u32), digest, "the step of the run ahead");
    session.pause_when("mean_speed > 1e6").expect("a condition");
    assert_eq!(run_until_paused(&mut session, 60), None, "control: it is never met");
    session.pause_when(" ").expect("nothing");
    assert_eq!(session.pauses_when(), None);
}

/// A number of snapshots pauses too, at the step of the first one that met the condition; going back does not meet it again by what is known of later steps.
#[test]
fn a_number_of_snapshots_pauses() {
    let mut session = session("predator_and_prey", &[]);
    for (text, said) in
        [("miling > 0.1", "did you mean `milling`?"), ("density.hawk > 1", "did you mean `density.hawks`?")]
    {
        let refused = session.pause_when(text).unwrap_err();
        assert!(refused.contains(said), "{refused}");
    }
    let never = ["milling > 2", "nearest_distance.hawks < 0", "density > 1e9", "apart > 1", "step_ms > 0"];
    let taken = never.map(|text| session.pause_when(text).is_ok());
    assert_eq!(taken, [true, true, true, true, false], "times are others each time");
    session.pause_when(never[2]).expect("a condition");
    let values = |session: &Session| session.past().seen.line(curve("density"), Part::Species(1), 0..100_000);
    session.set_paused(false).expect("a device");
    while values(&session).len() < 2 {
        let next = session.steps() + 1;
        assert_eq!(run_until_paused(&mut session, next), None, "control: it is never met");
    }
    let latest = session.steps();
    session.pause_when("density.starlings > 0").expect("a condition");
    let (_, step) = run_until_paused(&mut session, 100_000).expect("a pause");
    assert!(step == session.steps() && step >= latest, "{step} is not from {latest} on");
    assert!(values(&session).iter().any(|(at, _)| *at == step), "a step of a snapshot");
    assert_eq!(run_until_paused(&mut session, step + 20), None, "it holds still");
    session.pause_when("density.starlings > 0").expect("a condition");
    session.go_to(3).expect("a device");
    while session.goal().is_some() {
        session.travel().expect("a device");
    }
    // What was seen before it goes on. A snapshot that is taken on the way may arrive in time, or too late.
    let seen: Vec<u64> = values(&session).iter().map(|(at, _)| *at).filter(|at| *at >= 3).collect();
    let (_, again) = run_until_paused(&mut session, 100_000).expect("a pause");
    assert!(seen.iter().all(|at| *at >= again), "{again} is after the first of {seen:?}");
    assert!(values(&session).iter().any(|(at, _)| *at == again), "a step of a snapshot");
}

/// While it runs, steps are timed, and where stages are they make up the step.
#[test]
fn stages_make_up_a_step() {
    let mut session = session("predator_and_prey", &[]);
    session.set_paused(false).expect("a device");
    let line = |session: &Session, part| session.past().seen.line(curve("step_ms"), part, 0..100_000);
    while line(&session, Part::All).is_empty() {
        session.advance(Duration::from_nanos(16_666_667)).expect("a device");
    }
    let (step, whole) = line(&session, Part::All)[0];
    let parts = curve("step_ms").parts(session.scene(), &session.past().seen);
    assert!(session.times_passes() && parts.iter().any(|(_, name)| name == "stride" || name == "steer"), "{parts:?}");
    let stages: Vec<f64> = parts[1..].iter().map(|(part, _)| line(&session, *part)[0].1).collect();
    let sum: f64 = stages.iter().sum();
    assert!(step > 0 && sum > 0.0 && sum <= whole * 1.000_001, "{stages:?} of {whole} ms");
    assert!(!session.simulation().gpu().software() || sum >= whole * 0.999_999, "{stages:?} of {whole} ms");
}

/// The curve that conditions call so.
pub fn curve(column: &str) -> &'static Curve {
    CURVES.iter().find(|curve| curve.column == column).expect("a curve")
}

/// Curves have what was observed, and what lies behind a change is no more.
#[test]
fn curves_are_what_was_observed() {
    let mut session = session("predator_and_prey", &[]);
    for _ in 0..12 {
        digest_after(&mut session, 1);
        session.keep().expect("a device");
    }
    keep_all(&mut session);
    let (step, seen) = session.figures().observed.clone().expect("an observation");
    let last = |session: &Session, column, part| session.past().seen.line(curve(column), part, 0..1000).last().copied();
    assert_eq!(last(&session, "mean_speed", Part::All), Some((step, seen.mean_speed)));
    assert_eq!(last(&session, "polarization", Part::Species(1)), Some((step, seen.species[1].polarization)));
    assert_ne!(seen.species[0].polarization, seen.species[1].polarization, "control: species differ");
    assert!(last(&session, "nearest_distance", Part::Species(0)).is_some_and(|(_, away)| away > 0.0));
    assert!(session.past().seen.line(curve("mean_neighbors"), Part::All, 0..1000).iter().all(|(step, _)| *step > 0));
    let (_, spreads) = session.past().seen.spreads(step).expect("a snapshot");
    let counted = [0, 1].map(|by| spreads[by].counts.iter().sum::<u32>());
    assert_eq!(counted, [session.scene().agent_count(); 2]);
    let table = session.past().seen.table(session.scene());
    assert_eq!(table.len(), 14, "a head, the start, and twelve steps");
    assert!(table.iter().all(|row| row.len() == table[0].len()) && table[0][0] == "step");
    assert_eq!(table[13][6], seen.digest_hex());
    session.go_to(5).expect("a device");
    while session.goal().is_some() {
        session.travel().expect("a device");
    }
    assert_eq!(session.past().seen.table(session.scene()).len(), 14, "going back forgets nothing");
    session.go_on_from_here();
    assert_eq!(session.past().seen.table(session.scene()).len(), 7);
}

/// Whatever the width, all that there is to choose is in the window, and plots are below it.
#[test]
fn all_choices_are_within_a_narrow_window() {
    for width in [320.0, 400.0, 790.0] {
        let desk = plots(session("actions", &[]), None, width);
        let rects = |label: &str| desk.get_all_by_label(label).map(|node| node.rect()).collect::<Vec<_>>();
        let choices =
            ["Polarization", "Density", "States", "Histogram", "10 s", "all", "CSV", "✖"].map(|label| rects(label)[0]);
        assert!(choices.iter().all(|rect| rect.left() >= 0.0 && rect.right() <= width), "{width}: {choices:?}");
        let title = *rects("Polarization").last().expect("a plot");
        assert!(choices.iter().all(|rect| rect.bottom() <= title.top()), "{width}: {choices:?}");
        assert!(title.bottom() < HEIGHT - 60.0, "{width}: room for the plot below {title:?}");
    }
}

/// Heights can be read off lines, however large they are.
#[test]
fn a_plot_has_lines_at_round_heights() {
    for to in [0.001, 0.7, 1.0, 4.4, 9.9, 55.0, 1.3e6] {
        let marks = marks(GridInput { bounds: (-0.05 * to, to), base_step_size: 1.0 });
        let above: Vec<f64> = marks.iter().map(|mark| mark.value).filter(|value| *value > 0.0).collect();
        assert!((2..=8).contains(&above.len()) && above.iter().all(|value| *value <= to), "{to}: {above:?}");
        assert!(marks.iter().any(|mark| mark.value == 0.0));
    }
    for nothing in [(0.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(marks(GridInput { bounds: nothing, base_step_size: 1.0 }).len() <= 1);
    }
}

/// Plots of a run, and of another one beside it, and what is asked for in them.
pub struct Desk {
    plots: Plots,
    session: Session,
    other: Option<Session>,
    wishes: Vec<Wish>,
}

/// They are laid out in a window of this width.
pub fn plots(session: Session, other: Option<Session>, width: f32) -> Harness<'static, Desk> {
    let desk = Desk { plots: Plots::default(), session, other, wishes: Vec::new() };
    harness(vec2(width, HEIGHT), desk, |ui, Desk { plots, session, other, wishes }| {
        plots.show(ui, session, other.as_ref(), wishes)
    })
}

#[test]
fn plots_are_chosen_clicked_and_asked() {
    let mut session = session("flock", &[]);
    session.step(200).expect("steps");
    let mut desk = plots(session, None, 1000.0);
    assert!(desk.query_by_label_contains("Agents by speed").is_some());
    desk.click("Histogram");
    assert!(desk.query_by_label_contains("Agents by speed").is_none(), "it is hidden");
    assert!(desk.query_by_label("Nearest distance, u").is_none(), "only its button is there");
    desk.click("Nearest distance");
    assert!(desk.query_by_label("Nearest distance, u").is_some());

    let text = |desk: &Harness<Desk>| desk.get_by_role(Role::TextInput).value().unwrap_or_default();
    desk.click_role(Role::TextInput, 0);
    desk.enters("polarization > 0.9");
    let asked = matches!(desk.state().wishes.last(), Some(Wish::PauseWhen(text)) if text == "polarization > 0.9");
    assert!(asked, "the condition");
    assert_eq!(text(&desk), "polarization > 0.9", "it stays: it may have been refused");
    desk.click_role(Role::TextInput, 0);
    desk.types(" for");
    desk.press(Key::Escape);
    assert_eq!(text(&desk), "", "what was not entered does not stay");
    desk.click("CSV");
    assert!(matches!(desk.state().wishes.last(), Some(Wish::Table)));

    // A click in the middle of a plot goes to the step in the middle of its time.
    desk.click_at(egui::pos2(150.0, 110.0));
    let Some(Wish::GoTo(step)) = desk.state().wishes.last() else { panic!("nowhere to go") };
    assert!((60..=140).contains(step), "{step}");
}

/// Action states have a plot where there are any, with a name for each of them in the color of the picture; a histogram counts agents by what is chosen.
#[test]
fn states_and_histograms_are_chosen() {
    for (name, states) in [("actions", true), ("flock", false)] {
        let mut desk = plots(session(name, &[]), None, 1400.0);
        assert_eq!(desk.query_by_label("States").is_some(), states, "{name}");
        desk.click("Agents by speed, u/s ⏷");
        desk.click("Agents by neighbors");
        assert!(desk.query_by_label("Agents by neighbors ⏷").is_some(), "{name}");
        if states {
            desk.click("States");
            let names = "Stroll  Alarm  Hungry";
            assert!(desk.query_by_label("States, agents").is_some() && desk.query_by_label_contains(names).is_some());
        }
    }
}
