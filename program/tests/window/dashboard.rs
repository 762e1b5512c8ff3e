//! What lies around and over the picture.

use super::super::dashboard::{More, alarm, figures, hints, transport};
use super::super::interface::ALL_FIGURES_ROOM;
use super::super::stage::{fit, software_note};
use super::super::tools::HEIGHT;
use super::past::digest_at;
use super::*;

/// A session, and what is asked for in what is shown of it.
pub type Desk = (Session, Vec<Wish>);

/// The bar below the picture.
pub fn bar(session: Session, height: f32, film: Option<(u32, f64)>) -> Harness<'static, Desk> {
    harness(vec2(1000.0, height), (session, Vec::new()), move |ui, (session, wishes): &mut Desk| {
        transport(ui, session, film, wishes);
        for wish in wishes {
            if let Wish::Mark(step, name) = wish {
                session.rename_mark(*step, name.take());
                *wish = Wish::Close;
            }
        }
    })
}

/// The figures over the picture.
pub fn shown_figures(session: Session, shrunk: Option<u32>) -> Harness<'static, Desk> {
    harness(vec2(500.0, 300.0), (session, Vec::new()), move |ui, (session, wishes): &mut Desk| {
        figures(ui, session, &More { open: false, half: false, shrunk }, 500.0, wishes);
    })
}

/// A scene of which fewer agents were started says so, and starts all of them when it is asked to.
#[test]
fn a_button_starts_all_agents() {
    let show = |shrunk: Option<u32>| shown_figures(session("flock", &[]), shrunk);
    let mut shrunk = show(Some(7000));
    assert!(shrunk.query_by_label("500 of 7,000 agents, because the CPU computes here").is_some());
    shrunk.click("Start all");
    assert!(matches!(shrunk.state().1.last(), Some(Wish::Agents(7000))));
    assert!(show(None).query_by_label("Start all").is_none(), "all are there already");
}

/// The step can be typed, and goes nowhere where it is no step; buttons step back where there is something behind.
#[test]
fn the_transport_leads_to_a_step() {
    let start = bar(session("flock", &[]), 60.0, None);
    assert!(start.get_by_label("⏮").accesskit_node().is_disabled(), "there is nothing before the start");
    let mut run = session("flock", &[]);
    digest_after(&mut run, 200);
    let mut desk = bar(run, 60.0, None);
    desk.click("⏮");
    assert!(matches!(desk.state().1.last(), Some(Wish::Act(Action::Back))));
    for (typed, goes) in [("150", Some(150)), ("many", None)] {
        desk.click("step 200");
        desk.enters(typed);
        match desk.state().1.last() {
            Some(Wish::GoTo(step)) => assert_eq!(Some(*step), goes, "{typed}"),
            Some(Wish::Say(why)) => assert!(goes.is_none() && why.contains(typed), "{typed}: {why}"),
            _ => panic!("{typed} does nothing"),
        }
    }
    // The middle of the line is the middle of the run.
    desk.click_at(egui::pos2(500.0, 8.0));
    let Some(Wish::GoTo(step)) = desk.state().1.last() else { panic!("nowhere to go") };
    assert!((97..=103).contains(step), "{step}");
}

/// In a narrow window nothing of the bar lies over anything else, and all of it is in the window; a run that repeats can be let go on
/// otherwise.
#[test]
fn a_narrow_bar_has_what_there_is_room_for() {
    let mut rests = session("flock", &[]);
    rests.step(1_273).expect("steps");
    digest_at(&mut rests, 1_200);
    let mut late = session("flock", &[]);
    (0..6).for_each(|_| late.pace.faster());
    late.set_paused(false).expect("a device");
    for _ in 0..2000 {
        if late.lag().is_some() {
            break;
        }
        // A run that is as good as held up.
        late.advance(Duration::from_millis(1)).expect("a device");
        std::thread::sleep(Duration::from_millis(5));
    }
    for (session, repeats) in [(rests, true), (late, false)] {
        let mut desk = bar(session, 60.0, None);
        for width in [320.0, 500.0, 610.0, 640.0, 700.0, 760.0, 1000.0] {
            desk.set_size(vec2(width, 60.0));
            desk.run();
            let parts = [Role::Button, Role::Label].into_iter().flat_map(|role| desk.query_all_by_role(role));
            let rects: Vec<_> = parts.map(|part| part.rect().shrink(0.5)).collect();
            assert!(rects.len() > 7, "{width}: {rects:?}");
            for (index, rect) in rects.iter().enumerate() {
                assert!(rect.right() < width, "{width}: {rect:?}");
                assert!(rects[..index].iter().all(|other| !other.intersects(*rect)), "{width}: {rect:?} of {rects:?}");
            }
            assert_eq!(desk.query_by_label("Go on from here").is_some(), repeats && width > 600.0, "{width}");
        }
    }
}

/// What cannot be missed lies below dialogs, whose buttons can be.
/// In an alarm, carets stand below what they mark, however long the quoted line is.
#[test]
fn an_alarm_marks_the_right_word_of_a_long_line() {
    for far in [3, 40, 70] {
        let (before, after) = ("a".repeat(far), "b".repeat(90 - far));
        let text = format!("scene.toml:7:3: no\n 7 | {before}wrong{after}\n   | {}^^^^^", " ".repeat(far));
        let desk = harness(vec2(500.0, 300.0), text, |ui, text| alarm(ui, text, (500.0, 300.0)));
        let shown = desk.get_by_label_contains("scene.toml").accesskit_node().value().unwrap_or_default();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1].find("wrong"), lines[2].find('^'), "{shown}");
        assert!(lines[1].contains("wrong") && lines.iter().all(|line| line.len() < 62), "{shown}");
    }
}

#[test]
fn an_alarm_lies_below_dialogs() {
    let desk = harness(vec2(500.0, 300.0), (), |ui, ()| alarm(ui, "it failed", (500.0, 300.0)));
    assert!(desk.query_by_label("it failed").is_some());
    let orders = desk.ctx.memory(|memory| memory.layer_ids().map(|layer| layer.order).collect::<Vec<_>>());
    assert!(orders.iter().all(|order| *order < egui::Order::Foreground), "{orders:?}");
}

/// All figures and the tools below them fit into the lowest picture that has them.
#[test]
fn all_figures_fit_where_they_are_shown() {
    let mut run = session("flock", &[]);
    run.observe().expect("a device");
    let desk = harness(vec2(500.0, 400.0), (run, 0.0), |ui, (session, below): &mut (Session, f32)| {
        *below = figures(ui, session, &More { open: true, half: true, shrunk: None }, 500.0, &mut Vec::new());
    });
    let below = desk.state().1 + HEIGHT;
    assert!(below > 200.0 && below <= ALL_FIGURES_ROOM, "{below}");
}

/// A mark is found by a pointer that is a little off it, and leads to its very step; its menu names it and takes it away.
#[test]
fn a_mark_leads_to_its_step() {
    let mut run = session("flock", &[]);
    digest_after(&mut run, 60);
    assert_eq!(run.toggle_mark().as_deref(), Some("Mark 1"));
    digest_after(&mut run, 140);
    let mut desk = bar(run, 160.0, None);
    // As many steps as the line has room for, from end to end: some five points each.
    let line = desk.get_by_label_contains("Timeline").rect();
    let x = |step: f32| line.left() + 6.0 + (line.width() - 12.0) * step / 200.0;
    for (at, goes) in [(x(60.0) + 4.0, 60), (x(60.0) - 4.0, 60), (x(62.0), 62)] {
        let at = egui::pos2(at, line.center().y);
        desk.click_at(at);
        assert!(matches!(desk.state().1.last(), Some(Wish::GoTo(step)) if *step == goes), "{at:?}");
    }
    let menu = |desk: &mut Harness<'static, Desk>, step: f32| {
        let pos = egui::pos2(x(step), line.center().y);
        desk.hover_at(pos);
        // Without time between, or it is no click.
        for pressed in [true, false] {
            let (button, modifiers) = (egui::PointerButton::Secondary, egui::Modifiers::NONE);
            desk.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
        }
        desk.run();
    };
    menu(&mut desk, 150.0);
    assert!(desk.query_by_label("Remove the mark").is_none(), "control: no mark is there");
    menu(&mut desk, 60.0);
    desk.types("!");
    let names = |desk: &Harness<'static, Desk>| desk.state().0.past().marks.values().cloned().collect::<Vec<_>>();
    assert_eq!(names(&desk), ["!"], "what is typed takes the place of the name");
    desk.press(Key::Enter);
    assert!(desk.query_by_label("Remove the mark").is_none(), "Enter closes the menu");
    menu(&mut desk, 60.0);
    desk.click("Remove the mark");
    assert!(names(&desk).is_empty());
}

/// The first hints leave the middle of a small picture alone, and of one with two pixels to a point.
#[test]
fn hints_leave_the_middle_of_the_picture_alone() {
    for (width, height) in [(900.0, 600.0), (360.0, 340.0), (640.0, 360.0)] {
        let mut desk = harness(vec2(width, height), Vec::new(), |ui, wishes: &mut Vec<Wish>| {
            hints(ui, true, (width, height), wishes);
        });
        let top = desk.get_by_label_contains("scenes to choose from").rect().top();
        assert!(top > 0.5 * height, "{width} by {height}: {top}");
        desk.click("Got it");
        assert!(matches!(desk.state()[..], [Wish::Close]));
    }
}

/// Where the CPU computes, a large scene starts with a few of its agents, and that is said; a small one, or where nobody sets a limit,
/// starts with all.
#[test]
fn a_large_scene_starts_smaller_where_the_cpu_computes() {
    let gpu = &support::gpu();
    let scene = preset("flock", 7000, &[]);
    let start = |few: Option<u32>| {
        let (started, shrunk) = fit(gpu, &scene, few).expect("a scene");
        (started.agent_count(), shrunk)
    };
    let software = gpu.software();
    assert_eq!(start(Some(500)), if software { (500, Some(7000)) } else { (7000, None) });
    assert_eq!([start(Some(7000)), start(None)], [(7000, None); 2]);
    let note = |shrunk: Option<u32>| software_note(gpu, 500, shrunk);
    assert!(note(Some(7000)).is_some_and(|note| note.contains("500 of 7000 agents")));
    assert_eq!(note(None).is_some(), software);
}
