//! What is shown of a picked agent.

use super::super::actions::Action;
use super::super::dialogs::Wish;
use super::super::panel::WIDTH;
use super::super::panel::why::why;
use super::super::picked::{Drawing, Portrait};
use egui::vec2;
use egui_kittest::{Harness, kittest::Queryable};
use glam::Vec3;
use steerling::cpu::{Execution, Simulation, Why};
use steerling::model::State;
use steerling::render::View;
use steerling::scene::Scene;

const SIZE: (u32, u32) = (640, 480);

/// An agent of a preset after some steps, and why it steers as it does.
fn asked(name: &str, id: u32) -> (Scene, Why) {
    let scene = Scene::open(name, &[]).and_then(|scene| scene.with_agents(1500)).expect("a scene");
    let mut simulation = Simulation::new(&scene, &State::initial(&scene), Execution::Serial).expect("a simulation");
    simulation.step(40);
    let said = simulation.why(&[id]).expect("an answer");
    (scene, said.into_iter().next().expect("the one that was asked"))
}

/// The part of the panel about an agent, and what was asked for in it.
fn shown(scene: Scene, answer: Option<Result<Why, String>>, waits: bool) -> Harness<'static, Vec<Wish>> {
    let show = move |ui: &mut egui::Ui, wishes: &mut Vec<Wish>| {
        let drawing = Drawing::default();
        let portrait = Portrait { id: 7, mark: None, answer: answer.as_ref(), drawing, steps: 45, waits };
        why(ui, &scene, &portrait, wishes);
    };
    let mut harness = Harness::builder().with_size(vec2(WIDTH, 500.0)).build_ui_state(show, Vec::new());
    harness.run();
    harness
}

#[test]
fn each_behavior_has_a_row_and_buttons_chase_and_let_go() {
    let (scene, why) = asked("flock", 7);
    let mut harness = shown(scene, Some(Ok(why.clone())), false);
    for label in ["Agent 7", "Separation", "Alignment", "Cohesion", "Wander", "Together", "Adds up to the bit"] {
        assert!(harness.query_by_label(label).is_some(), "{label}");
    }
    let about = format!("{} neighbors · as of step 40", why.neighbors.len());
    assert!(harness.query_by_label_contains(&about).is_some(), "{about}");
    harness.get_by_label("Chase").click();
    harness.run();
    harness.get_by_label("✖").click();
    harness.run();
    assert!(matches!(harness.state()[..], [Wish::Act(Action::Behind), Wish::LetGo]));

    // What does not add up is not said to.
    let (scene, mut wrong) = asked("flock", 7);
    wrong.terms[0].part[0] += 1.0;
    assert!(shown(scene, Some(Ok(wrong)), false).query_by_label("Adds up to the bit").is_none());
}

#[test]
fn a_world_that_is_too_large_to_be_asked_while_it_runs_says_so() {
    let (scene, _) = asked("flock", 7);
    let said = |waits: bool| shown(scene.clone(), None, waits).query_by_label_contains("asked when it rests").is_some();
    assert!(said(true) && !said(false));
    let refused = shown(scene.clone(), Some(Err("no memory".to_owned())), false);
    assert!(refused.query_by_label_contains("no memory").is_some());
}

/// Arrows begin at the agent and lead where their terms do, lines lead to the neighbors, and what is expected of a target is drawn.
#[test]
fn arrows_lead_where_terms_do_in_planes_and_in_space() {
    for (name, id) in [("predator_and_prey", 0), ("flock", 7), ("murmuration", 7)] {
        let (scene, why) = asked(name, id);
        let (view, place) = (View::from_scene(&scene), Vec3::from(why.position));
        let drawing = Drawing::new(&why, place, &view, SIZE);
        let from = view.project(place, SIZE).expect("it is in front of the camera");
        let counting = why.terms.iter().filter(|term| term.left > 0.0 && !term.angular).count();
        assert!(counting > 0 && drawing.arrows.len() == counting + 1, "{name}: {drawing:?}");
        for (start, tip, row) in &drawing.arrows {
            let vector = row.map_or(why.limited, |row| why.terms[row].part);
            let toward = view.project(place + Vec3::from(vector) * 1e-3, SIZE).expect("a place") - from;
            assert_eq!(*start, from);
            assert!(
                (*tip - from).normalize().dot(toward.normalize()) > 0.98,
                "{name}: {tip} is not where {vector:?} leads"
            );
            assert!((*tip - from).length() < 0.25 * SIZE.1 as f32, "{name}: {tip} is far away");
        }
        assert_eq!(drawing.lines.len(), why.neighbors.len());
        let expected = drawing.aims.iter().filter(|(_, expected, _)| expected.is_some()).count();
        assert_eq!(expected, usize::from(name == "predator_and_prey"), "{name}: {:?}", drawing.aims);
    }
}
