//! What is shown of picked agents.

use super::super::panel::WIDTH;
use super::super::panel::why::{color_of_behavior, in_order_of_colors, why};
use super::super::picked::{Drawing, Lately, MOST_KEPT, Moment, Picked, Portrait};
use super::super::session::audit::{AuditedAgent, Compared};
use super::*;
use egui::Shape;
use std::collections::HashSet;
use steerling::cpu::Why;

const SIZE: (u32, u32) = (640, 480);

/// An agent after some steps, and why it steers as it does.
fn asked_in(scene: &Scene, id: u32) -> Why {
    let mut simulation = on_cpu(scene);
    simulation.step(40);
    simulation.why(&[id]).expect("an answer").swap_remove(0)
}

/// The same of a preset.
fn asked(name: &str, id: u32) -> (Scene, Why) {
    let scene = preset(name, 1500, &[]);
    let why = asked_in(&scene, id);
    (scene, why)
}

/// What an audit tells of an agent, where it tells anything by now.
type Told = Option<Result<AuditedAgent, String>>;

/// The part of the panel about agents, and what was asked for in it.
fn shown(scene: Scene, told: Told) -> Harness<'static, Vec<Wish>> {
    shown_with(scene, told, false, &[7], Lately::new())
}

fn shown_with(scene: Scene, told: Told, waits: bool, kept: &[u32], lately: Lately) -> Harness<'static, Vec<Wish>> {
    let kept: Vec<(u32, usize)> = kept.iter().copied().zip(0..).collect();
    let colors = in_order_of_colors(&scene);
    harness(vec2(WIDTH, 600.0), Vec::new(), move |ui, wishes| {
        let (kept, audited, drawing, marks) = (kept.clone(), told.as_ref(), Drawing::default(), Vec::new());
        let colors = colors.clone();
        let portrait = Portrait { id: 7, kept, marks, audited, lately: &lately, colors, drawing, steps: 45, waits };
        why(ui, &scene, &portrait, wishes);
    })
}

fn told(why: Why, ulps: Option<u64>) -> Told {
    let compared = ulps.map(|ulps| Compared { stored: Some(why.acceleration), ulps });
    Some(Ok(AuditedAgent { why, compared }))
}

#[test]
fn each_behavior_has_a_row_and_buttons_chase_and_let_go() {
    let (scene, why) = asked("flock", 7);
    let mut harness = shown(scene, told(why.clone(), Some(0)));
    for label in ["Agent 7", "Separation", "Alignment", "Cohesion", "Wander", "Together"] {
        assert!(harness.query_by_label(label).is_some(), "{label}");
    }
    let about = format!("{} neighbors · as of step 40", why.neighbors.len());
    assert!(harness.query_by_label_contains(&about).is_some(), "{about}");
    harness.click("Chase");
    harness.click("✖");
    assert!(matches!(harness.state()[..], [Wish::Act(Action::Behind), Wish::LetGo(7)]));
}

/// A behavior keeps its color when others are switched off, and those that a scene names have different ones.
#[test]
fn colors_do_not_depend_on_which_behaviors_are_active() {
    for preset in PRESETS {
        let scene = tuned(preset.name, &[]);
        let order = in_order_of_colors(&scene);
        for species in &scene.species {
            let active = || species.described().filter(|(_, one)| one.enabled).map(|(spec, _)| spec.name);
            let colors: HashSet<_> = active().map(|name| color_of_behavior(&order, name)).collect();
            assert_eq!(colors.len(), active().count(), "{}: {}", preset.name, species.name);
        }
    }
    let (scene, mut why) = asked("flock", 7);
    let drawn = |why: &Why| {
        let mut harness = shown(scene.clone(), told(why.clone(), Some(0)));
        harness.run();
        let color = color_of_behavior(&in_order_of_colors(&scene), "cohesion");
        harness
            .output()
            .shapes
            .iter()
            .filter(|one| matches!(&one.shape, Shape::Circle(dot) if dot.fill == color))
            .count()
    };
    assert_eq!(drawn(&why), 1);
    why.terms.remove(0);
    assert_eq!(drawn(&why), 1, "separation is off");
    why.terms.retain(|term| term.behavior != "cohesion");
    assert_eq!(drawn(&why), 0, "control");
}

/// Only what the GPU stored, to the bit, is said to be that.
#[test]
fn the_verdict_is_about_what_the_gpu_stored() {
    let (scene, why) = asked("flock", 7);
    let says = |told: Told| {
        let harness = shown(scene.clone(), told);
        let texts = ["what the GPU stored, to the bit", "takes this step next", "off by 3 ulp", "do not add up"];
        texts.map(|text| harness.query_by_label_contains(text).is_some())
    };
    assert_eq!(says(told(why.clone(), Some(0))), [true, false, false, false]);
    assert_eq!(says(told(why.clone(), None)), [false, true, false, false]);
    assert_eq!(says(told(why.clone(), Some(3))), [false, false, true, false]);
    let mut wrong = why;
    wrong.terms[0].part[0] += 1.0;
    assert_eq!(says(told(wrong, Some(0))), [false, false, false, true]);
}

/// Where priorities combine, each has a row with what is taken of it; elsewhere there is none.
#[test]
fn priorities_have_rows_where_they_decide() {
    let scene = preset("priority", 1500, &[]);
    let id = scene.species_ids(1).expect("whose first priority decides").start;
    let why = asked_in(&scene, id);
    assert!(!why.priorities.is_empty());
    let harness = shown(scene, told(why.clone(), None));
    for row in &why.priorities {
        assert!(harness.query_by_label(&format!("Priority {}", row.priority)).is_some(), "{row:?}");
    }
    let (scene, why) = asked("flock", 7);
    assert!(shown(scene, told(why, None)).query_by_label_contains("Priority").is_none());
}

/// The state, since when, the one before, and the rule that led there, in words.
#[test]
fn the_state_and_why_it_is_that() {
    let scene = tuned("actions", &[]);
    let mut simulation = on_cpu(&scene);
    let ids: Vec<u32> = (0..scene.agent_count()).collect();
    let (mut changed, mut stayed) = (None, None);
    for _ in 0..40 {
        simulation.step(10);
        for why in simulation.clone().why(&ids).expect("answers") {
            let Some(choice) = why.state.clone() else { continue };
            let slot = if choice.rule.is_some() && choice.state != choice.before { &mut changed } else { &mut stayed };
            slot.get_or_insert((why, choice));
        }
    }
    let (why, choice) = changed.expect("somebody chooses another state");
    let harness = shown(scene.clone(), told(why, None));
    let has = |text: &str| harness.query_by_label_contains(text).is_some();
    assert!(has(&format!("since step {}, {} before", choice.since, choice.before)), "{choice:?}");
    assert!(choice.because.len() == 1 && has(&format!("because {}", choice.because[0])), "{choice:?}");
    let (why, choice) = stayed.expect("somebody stays as it is");
    let harness = shown(scene, told(why, None));
    assert!(harness.query_by_label_contains(" before").is_none(), "{choice:?}");
}

/// Those who are kept are in a list: a click shows another one, an x lets one go. One alone needs none.
#[test]
fn several_agents_are_kept_in_a_list() {
    let (scene, why) = asked("flock", 7);
    let mut list = shown_with(scene.clone(), told(why.clone(), None), false, &[7, 12, 300], Lately::new());
    list.click("⏺ 12");
    list.click_nth("x", 2);
    assert!(matches!(list.state()[..], [Wish::Show(12), Wish::LetGo(300)]));
    assert!(shown(scene, told(why, None)).query_by_label("⏺ 7").is_none());
}

#[test]
fn agents_are_added_shown_and_let_go_one_by_one() {
    let mut picked = Picked::default();
    [3, 5, 9].into_iter().for_each(|id| picked.add(id));
    assert_eq!((picked.ids(), picked.id()), (vec![3, 5, 9], Some(9)));
    assert!(picked.show(5) && !picked.show(4) && picked.id() == Some(5));
    picked.drop_one(3);
    assert_eq!((picked.ids(), picked.id()), (vec![5, 9], Some(5)), "the one that is shown stays");
    picked.turn_to(8);
    assert_eq!((picked.ids(), picked.id()), (vec![8, 9], Some(8)), "in place of the one that was shown");
    picked.pick(9);
    assert_eq!((picked.ids(), picked.id()), (vec![9], Some(9)), "alone");
    (20..40).for_each(|id| picked.add(id));
    assert_eq!(picked.ids().len(), MOST_KEPT);
    assert!(picked.let_go() && picked.id().is_none() && !picked.let_go());
}

/// Numbers of the last seconds are plotted, each with its value of now.
#[test]
fn numbers_of_the_last_seconds_are_plotted() {
    let scene = preset("flock", 1500, &[]);
    let mut simulation = on_cpu(&scene);
    let (mut lately, mut latest) = (Lately::new(), None);
    for _ in 0..4 {
        simulation.step(10);
        let why = simulation.clone().why(&[7]).expect("an answer").swap_remove(0);
        lately.push_back(Moment::of(&why));
        latest = Some(why);
    }
    let why = latest.expect("an answer");
    assert_eq!(lately[3].neighbors as usize, why.neighbors.len());
    let harness = shown_with(scene.clone(), told(why.clone(), None), false, &[7], lately);
    let now = format!("Neighbors {}", why.neighbors.len());
    for title in ["Speed", "Steering", now.as_str(), "Shares"] {
        assert!(harness.query_all_by_label_contains(title).next().is_some(), "{title}");
    }
    let none = shown(scene, told(why, None));
    assert!(none.query_by_label("Shares").is_none(), "control: nothing is known of before");
}

#[test]
fn a_world_that_is_too_large_to_be_asked_while_it_runs_says_so() {
    let (scene, _) = asked("flock", 7);
    let said = |waits: bool| {
        let harness = shown_with(scene.clone(), None, waits, &[7], Lately::new());
        harness.query_by_label_contains("computed only in a pause").is_some()
    };
    assert!(said(true) && !said(false));
    let refused = shown(scene.clone(), Some(Err("no memory".to_owned())));
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
