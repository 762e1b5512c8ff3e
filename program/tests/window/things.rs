//! Things to try: buttons for what a scene suggests.

use super::super::panel::world::tries;
use super::*;
use steerling::output::Until;

#[test]
fn things_to_try_are_buttons() {
    let mut desk = desk("topological");
    desk.click("Things to try");
    assert_eq!(desk.get_all_by_label("Try").count(), 4, "all of them are changes of values");
    desk.click_nth("Try", 0);
    assert_eq!(desk.state().tried, ["species.0.k_nearest=0"]);
}

/// A button starts another number of agents, where that is what the scene suggests.
#[test]
fn another_number_of_agents_is_a_button() {
    let mut desk = desk("offset_pursuit");
    desk.click("Things to try");
    assert!(desk.query_by_label("Many wedges").is_some(), "without the flag");
    let last = desk.get_all_by_label("Try").last().expect("a button");
    last.click();
    desk.run();
    assert_eq!(desk.state().scene.agent_count(), 2520);
}

/// Whatever a scene suggests on a command line a button does here, and no text shows a flag; but for files of the user's own.
#[test]
fn things_to_try_show_no_flags() {
    let mut kinds = [0; 4];
    for preset in PRESETS {
        let scene = tuned(preset.name, &[]);
        assert!(!scene.shows.contains("--"), "{}", preset.name);
        for thing in &scene.things_to_try {
            let (text, flags) = Scene::flags_to_try(thing);
            assert!(!text.contains("--") && !text.ends_with([':', ',']) && !text.is_empty(), "{}: {text}", preset.name);
            let done = tries(&scene, thing);
            let can = !flags.is_empty() && !thing.contains("path/to");
            assert_eq!(done.is_some(), can, "{}: {thing}", preset.name);
            let Some((told, wishes)) = done else { continue };
            assert!(!told.contains("--"), "{told}");
            for wish in wishes {
                let kind = match wish {
                    Wish::Try(_) => 0,
                    Wish::Agents(agents) => {
                        let other = scene.with_agents(agents).expect("a scene");
                        assert_ne!(other.agent_count(), scene.agent_count(), "{thing}");
                        1
                    }
                    Wish::Look(look) => {
                        assert_ne!(look, scene.look, "{thing}");
                        2
                    }
                    Wish::PauseWhen(condition) => {
                        Until::parse(&condition, &scene).unwrap_or_else(|why| panic!("{thing}: {why}"));
                        3
                    }
                    _ => panic!("{}: {thing}", preset.name),
                };
                kinds[kind] += 1;
            }
        }
    }
    assert!(kinds.iter().all(|count| *count > 0) && kinds[1] >= 6, "{kinds:?}");
}
