//! What lies around and over the picture.

use super::super::actions::Action;
use super::super::dashboard::{More, figures, hints, transport};
use super::super::dialogs::Wish;
use super::super::session::Session;
use super::super::stage::{fit, software_note};
use super::session::{digest_after, session};
use egui::vec2;
use egui_kittest::{Harness, kittest::NodeT, kittest::Queryable};
use steerling::gpu::{AdapterChoice, Gpu};
use steerling::scene::Scene;

type Desk = (Session, Vec<Wish>);

fn desk(session: Session, size: egui::Vec2, show: fn(&mut egui::Ui, &mut Desk)) -> Harness<'static, Desk> {
    let mut desk = Harness::builder().with_size(size).build_ui_state(show, (session, Vec::new()));
    desk.run();
    desk
}

/// A scene of which fewer agents were started says so, and starts all of them when it is asked to.
#[test]
fn a_button_starts_all_agents() {
    let show = |shrunk: Option<u32>| {
        let mut desk = Harness::builder().with_size(vec2(500.0, 300.0)).build_ui_state(
            move |ui, (session, wishes): &mut Desk| {
                figures(ui, session, &More { open: false, half: false, shrunk }, 500.0, wishes);
            },
            (session("flock", &[]), Vec::new()),
        );
        desk.run();
        desk
    };
    let mut shrunk = show(Some(7000));
    assert!(shrunk.query_by_label("500 of 7,000 agents, because the CPU computes here").is_some());
    shrunk.get_by_label("Start all").click();
    shrunk.run();
    assert!(matches!(shrunk.state().1.last(), Some(Wish::Agents(7000))));
    assert!(show(None).query_by_label("Start all").is_none(), "all are there already");
}

/// The step can be typed, and goes nowhere where it is no step; buttons step back where there is something behind.
#[test]
fn the_transport_leads_to_a_step() {
    let show = |ui: &mut egui::Ui, (session, wishes): &mut Desk| transport(ui, session, None, wishes);
    let start = desk(session("flock", &[]), vec2(1000.0, 60.0), show);
    assert!(start.get_by_label("⏮").accesskit_node().is_disabled(), "there is nothing before the start");
    let mut run = session("flock", &[]);
    digest_after(&mut run, 200);
    let mut desk = desk(run, vec2(1000.0, 60.0), show);
    desk.get_by_label("⏮").click();
    desk.run();
    assert!(matches!(desk.state().1.last(), Some(Wish::Act(Action::Back))));
    for (typed, goes) in [("150", Some(150)), ("many", None)] {
        desk.get_by_label("step 200").click();
        desk.run();
        desk.event(egui::Event::Text(typed.to_owned()));
        desk.run();
        desk.key_press(egui::Key::Enter);
        desk.run();
        match desk.state().1.last() {
            Some(Wish::GoTo(step)) => assert_eq!(Some(*step), goes, "{typed}"),
            Some(Wish::Say(why)) => assert!(goes.is_none() && why.contains(typed), "{typed}: {why}"),
            _ => panic!("{typed} does nothing"),
        }
    }
    // The middle of the line is the middle of the run.
    desk.hover_at(egui::pos2(500.0, 8.0));
    desk.drag_at(egui::pos2(500.0, 8.0));
    desk.run();
    desk.drop_at(egui::pos2(500.0, 8.0));
    desk.run();
    let Some(Wish::GoTo(step)) = desk.state().1.last() else { panic!("nowhere to go") };
    assert!((97..=103).contains(step), "{step}");
}

/// A mark is found by a pointer that is a little off it, and leads to its very step; its menu names it and takes it away.
#[test]
fn a_mark_leads_to_its_step() {
    let show = |ui: &mut egui::Ui, (session, wishes): &mut Desk| {
        transport(ui, session, None, wishes);
        for wish in wishes.iter_mut() {
            if let Wish::Mark(step, name) = wish {
                session.rename_mark(*step, name.take());
                *wish = Wish::Close;
            }
        }
    };
    let mut run = session("flock", &[]);
    digest_after(&mut run, 60);
    assert_eq!(run.toggle_mark().as_deref(), Some("Mark 1"));
    digest_after(&mut run, 140);
    let mut desk = desk(run, vec2(1000.0, 160.0), show);
    // As many steps as the line has room for, from end to end: some five points each.
    let line = desk.get_by_label_contains("Timeline").rect();
    let x = |step: f32| line.left() + 6.0 + (line.width() - 12.0) * step / 200.0;
    for (at, goes) in [(x(60.0) + 4.0, 60), (x(60.0) - 4.0, 60), (x(62.0), 62)] {
        let at = egui::pos2(at, line.center().y);
        desk.hover_at(at);
        desk.drag_at(at);
        desk.run();
        desk.drop_at(at);
        desk.run();
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
    assert!(desk.query_by_label("Take the mark away").is_none(), "control: no mark is there");
    menu(&mut desk, 60.0);
    desk.event(egui::Event::Text("!".to_owned()));
    desk.run();
    let names = |desk: &Harness<'static, Desk>| desk.state().0.past().marks.values().cloned().collect::<Vec<_>>();
    assert!(names(&desk)[0].contains('!') && names(&desk)[0].contains("Mark 1"), "{:?}", names(&desk));
    desk.key_press(egui::Key::Enter);
    desk.run();
    assert!(desk.query_by_label("Take the mark away").is_none(), "Enter closes the menu");
    menu(&mut desk, 60.0);
    desk.get_by_label("Take the mark away").click();
    desk.run();
    assert!(names(&desk).is_empty());
}

/// The first hints leave the middle of a small picture alone, and of one with two pixels to a point.
#[test]
fn hints_leave_the_middle_of_the_picture_alone() {
    for (width, height) in [(900.0, 600.0), (360.0, 340.0), (640.0, 360.0)] {
        let mut desk = Harness::builder()
            .with_size(vec2(width, height))
            .build_ui_state(move |ui, wishes: &mut Vec<Wish>| hints(ui, true, (width, height), wishes), Vec::new());
        desk.run();
        let top = desk.get_by_label_contains("scenes to choose from").rect().top();
        assert!(top > 0.5 * height, "{width} by {height}: {top}");
        desk.get_by_label("Got it").click();
        desk.run();
        assert!(matches!(desk.state()[..], [Wish::Close]));
    }
}

/// Where the CPU computes, a large scene starts with a few of its agents, and that is said; a small one, or where nobody sets a limit,
/// starts with all.
#[test]
fn a_large_scene_starts_smaller_where_the_cpu_computes() {
    let gpu = Gpu::open(&AdapterChoice::Best).expect("a GPU");
    let scene = Scene::open("flock", &[]).and_then(|scene| scene.with_agents(7000)).expect("a scene");
    let start = |few: Option<u32>| {
        let (started, shrunk) = fit(&gpu, &scene, few).expect("a scene");
        (started.agent_count(), shrunk)
    };
    let software = gpu.software();
    assert_eq!(start(Some(500)), if software { (500, Some(7000)) } else { (7000, None) });
    assert_eq!([start(Some(7000)), start(None)], [(7000, None); 2]);
    let note = |shrunk: Option<u32>| software_note(&gpu, 500, shrunk);
    assert!(note(Some(7000)).is_some_and(|note| note.contains("500 of 7000 agents")));
    assert_eq!(note(None).is_some(), software);
}
