//! States and rules in the panel: added, changed, refused and taken away.

use super::super::panel::rules::remove_state;
use super::*;
use steerling::scene::{Condition, Transition};

/// Rules are added and changed by hand, and the file has them.
#[test]
fn states_and_rules_are_made_by_hand() {
    let mut desk = desk("flock");
    desk.click("States and rules");
    assert!(desk.query_by_label("At the start").is_none(), "one state has no name");
    desk.click("+ Rule");
    let species = &desk.state().scene.species[0];
    assert_eq!((species.states.len(), species.rules.len()), (2, 1), "a rule leads to another state");
    assert_eq!(species.states, ["start", "state 1"]);
    assert!(desk.query_by_label("• States and rules").is_some(), "it is marked");
    desk.click("+ State");
    assert_eq!(desk.state().scene.species[0].states.len(), 3);
    assert!(desk.query_by_label_contains("than the target").is_some());
    desk.choose("Nearer", "After");
    assert_eq!(desk.state().scene.species[0].rules[0].when, Condition::After);
    assert!(desk.query_by_label_contains("than the target").is_none(), "a time has no target");
    for (text, than) in [("1,5", 1.5), ("1,000", 1000.0), ("-1", 1000.0)] {
        desk.get_by_role_and_label(Role::SpinButton, "s").click();
        desk.run();
        desk.enters(text);
        assert_eq!(desk.state().scene.species[0].rules[0].than, than, "{text}");
    }
    assert!(desk.state().said.concat().contains("must be between 0 and"), "{:?}", desk.state().said);
    // The middle one of three goes, while the rows of all three are shown.
    desk.click_nth("✖", 1);
    assert!(desk.query_by_label_contains("Rule 1 leads to this state").is_some(), "why it stays");
    desk.click("Undo");
    assert!(desk.query_by_label_contains("Rule 1 leads to this state").is_none(), "the reason is of the past");
    desk.click("Redo");
    let buttons = desk.get_all_by_label("✖").count();
    desk.click_nth("✖", 2);
    assert_eq!(desk.state().scene.species[0].states, ["start", "state 1"]);
    assert_eq!(desk.get_all_by_label("✖").count(), buttons - 1);
    kept(&desk.state().scene);
}

/// What no scene can have is refused in its row, in the scene's own words, and nothing changes.
#[test]
fn what_no_scene_can_have_is_refused_in_its_row() {
    let mut desk = desk("flock");
    desk.click("States and rules");
    desk.click("+ Rule");
    let before = desk.state().scene.clone();
    // There is no field to be fast, and that is what the scene says of it.
    desk.choose("Nearer", "Field above");
    assert_eq!(desk.state().scene, before);
    let refused = before.with(|draft| draft.species[0].rules[0].when = Condition::FieldAbove);
    let why = refused.expect_err("no field").message;
    assert!(desk.query_by_label_contains(&why).is_some(), "{why}");
}

/// A state that goes takes its bit along: what is said of the others stays theirs, and a rule that leads to it is refused.
#[test]
fn a_state_that_goes_leaves_the_others_as_they_are() {
    let scene = edited(&tuned("flock", &[]), |draft| {
        let species = &mut draft.species[0];
        species.states = ["a", "b", "c"].map(str::to_owned).to_vec();
        species.state_speeds[..3].copy_from_slice(&[1.0, 0.5, 2.0]);
        species.deposit_states = 0b110;
        species.rules = vec![Transition { from: 0b101, to: 2, ..Default::default() }];
    });
    let mut draft = scene.draft();
    remove_state(&mut draft.species[0], 1).expect("nothing needs it");
    let species = &draft.species[0];
    assert_eq!(species.states, ["a", "c"]);
    assert_eq!(species.state_speeds[..3], [1.0, 2.0, 1.0]);
    assert_eq!((species.deposit_states, species.rules[0].from, species.rules[0].to), (0b10, 0b11, 1));
    draft.clone().validate().expect("a scene");
    let before = draft.clone();
    let refused = remove_state(&mut draft.species[0], 1).expect_err("named");
    assert_eq!(refused, "Rule 1 leads to this state: change the rule first");
    draft.species[0].rules.clear();
    draft.species[0].behaviors[0].states = 0b10;
    assert!(remove_state(&mut draft.species[0], 1).is_err(), "a behavior acts there alone");
    assert_eq!(draft.species[0].states, before.species[0].states);
}

/// Where there are several states, a behavior says in which it acts, and the file has it.
#[test]
fn a_behavior_acts_in_states_that_are_ticked() {
    let mut desk = desk("flock");
    assert!(desk.query_by_label("Acts in").is_none(), "there is but one state");
    let scene = edited(&desk.state().scene, |draft| {
        draft.species[0].states = ["calm", "wild"].map(str::to_owned).to_vec();
    });
    desk.state_mut().original = scene.clone();
    now(&mut desk, scene);
    desk.choose("Any", "Wild");
    let scene = kept(&desk.state().scene);
    let acts = scene.species[0].behaviors.iter().find(|b| b.enabled).expect("a behavior").states;
    assert_eq!(acts, 0b01, "one of the two is not ticked any more");
    desk.reset("• Acts in");
    assert_eq!(desk.state().scene.changed_since(&desk.state().original), []);
}
