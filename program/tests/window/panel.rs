//! The panel under the hands of a user, and what comes of it.

use super::super::format::{readable, short};
use super::super::panel::rows::NAME_WIDTH;
use super::super::panel::{About, Panel, WIDTH};
use super::*;
use egui::PointerButton;
use steerling::scene::{Boundary, Transition};

/// Type a number into the first field, which is that of the greatest speed.
fn type_number(desk: &mut Harness<Desk>, text: &str) -> f32 {
    desk.click_role(Role::SpinButton, 0);
    desk.enters(text);
    desk.state().scene.species[0].max_speed
}

#[test]
fn tabs_show_one_species_at_a_time() {
    let mut desk = desk("predator_and_prey");
    let names: Vec<String> = desk.state().scene.species.iter().map(|s| readable(&s.name)).collect();
    let only = |desk: &Harness<Desk>, of: usize, other: usize| {
        let species = &desk.state().scene.species;
        let acts = |s: &Species, name: &str| s.behaviors.iter().any(|b| b.spec.name == name && b.enabled);
        let mine = species[of].behaviors.iter().filter(|b| b.enabled && !acts(&species[other], b.spec.name));
        mine.map(|b| readable(b.spec.name)).collect::<Vec<_>>()
    };
    let (first, second) = (only(&desk, 0, 1), only(&desk, 1, 0));
    assert!(!first.is_empty() && !second.is_empty(), "{first:?} {second:?}");
    let shown = |desk: &Harness<Desk>, names: &[String]| names.iter().all(|name| desk.query_by_label(name).is_some());
    assert!(shown(&desk, &first) && !shown(&desk, &second));
    desk.click_part(&format!("{} (", names[1]));
    assert!(!shown(&desk, &first) && shown(&desk, &second), "the other tab");
}

#[test]
fn a_behavior_is_found_added_and_taken_back() {
    let mut desk = desk("arrive");
    assert!(!desk.state().enables("cohesion"));
    assert!(desk.get_by_label("Undo").accesskit_node().is_disabled(), "there is nothing to undo");
    desk.click("+ Add behavior");
    assert!(desk.query_by_label("Alignment").is_some(), "all others are listed");
    desk.types("cohes");
    assert!(desk.query_by_label("Cohesion").is_some());
    assert!(desk.query_by_label("Alignment").is_none(), "the list is searched");
    desk.press(Key::Enter);
    assert!(desk.state().enables("cohesion"), "Enter takes the first one found");
    desk.click("Undo");
    assert!(!desk.state().enables("cohesion"), "it is taken back");
    desk.click("Redo");
    assert!(desk.state().enables("cohesion"), "and made again");
    desk.click("+ Add behavior");
    let gray = |label: &str| desk.get_by_label(label).accesskit_node().is_disabled();
    let grayed = ["Flow field", "Forage", "Path following", "Alignment"].map(gray);
    assert_eq!(grayed, [true, true, true, false], "what cannot act here");
    desk.click("Flow field");
    assert!(!desk.state().enables("flow_field"));
}

/// Select all of the text in a field.
fn select(desk: &mut Harness<Desk>, index: usize) {
    desk.click_role(Role::TextInput, index);
    desk.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
}

/// A species gets another name, which others know it by, and another body; all goes back.
#[test]
fn species_are_named_and_get_bodies() {
    let mut desk = desk("predator_and_prey");
    let original = desk.state().original.clone();
    desk.click_part(&format!("{} (", readable(&original.species[1].name)));
    select(&mut desk, 4);
    desk.enters("kites");
    desk.choose(&readable(original.species[1].body.word()), "Fish");
    let now = desk.state().scene.species[1].clone();
    assert_eq!((now.name.as_str(), now.body.word()), ("kites", "fish"));
    let text = kept(&desk.state().scene).source.text.clone();
    assert!(text.contains("kites") && !text.contains(&format!("\"{}\"", original.species[1].name)), "{text}");
    assert!(desk.query_by_label("Radius").is_some());
    for name in ["• Name", "• Body"] {
        desk.reset(name);
    }
    assert_eq!(*desk.state().scene, *original);
}

#[test]
fn species_are_copied_counted_and_taken_away() {
    let mut desk = desk("flock");
    let names = |desk: &Harness<Desk>| -> Vec<(String, u32)> {
        desk.state().scene.species.iter().map(|species| (species.name.clone(), species.count)).collect()
    };
    let before = names(&desk);
    assert!(desk.get_by_label("Remove species").accesskit_node().is_disabled(), "it is the only one");
    desk.click("Copy species");
    let copy = (format!("{} 2", before[0].0), before[0].1);
    assert_eq!(names(&desk), [before[0].clone(), copy.clone()]);
    desk.click("Undo");
    assert_eq!(names(&desk), std::slice::from_ref(&before[0]));
    desk.click("Redo");
    desk.click_part(&format!("{} (", readable(&before[0].0)));
    // What is typed and not yet taken over goes with it.
    select(&mut desk, 3);
    desk.types("321");
    desk.click("Copy species");
    desk.run();
    assert_eq!(names(&desk)[2].1, 321, "{:?}", names(&desk));
    desk.click("Undo");
    desk.click_part(&format!("{} (", readable(&before[0].0)));
    desk.click("Remove species");
    assert_eq!(names(&desk), std::slice::from_ref(&copy));
    // The text is that of the scene, and of one with a name that is free.
    let again = desk.state().scene.with_copy_of(0, [1, 2, 3]).expect("a scene");
    assert_eq!(again.species[1].name, format!("{} 2", copy.0));
    assert_eq!(again.to_toml("mine.toml").expect("a text").matches("[[species]]").count(), 2);
}

/// Look for values: the field lies behind those of the number of agents and of the seed.
fn find(desk: &mut Harness<Desk>, text: &str) {
    desk.click_role(Role::TextInput, 2);
    desk.types(text);
}

/// Of what is folded the name is left, which says where something of it was changed; what is looked for is found all the same.
#[test]
fn behaviors_fold() {
    let mut desk = desk("flock");
    let count = |desk: &Harness<Desk>, name: &str| desk.query_all_by_label_contains(name).count();
    let all = count(&desk, "Perception radius");
    assert!(all > 2);
    let first = desk.state().scene.species[0].behaviors.iter().find(|b| b.enabled).unwrap();
    let (name, at) = (readable(first.spec.name), format!("species.0.behaviors.{}.weight", first.spec.name));
    desk.query_all_by_label("⏷").next().unwrap().click();
    desk.run();
    assert_eq!((count(&desk, "⏵"), desk.query_all_by_label(&name).count()), (1, 1));
    let one = count(&desk, "Perception radius");
    assert!(one < all, "{one} of {all}");
    desk.click("Unfold");
    assert_eq!(count(&desk, "Perception radius"), all);
    desk.click("Fold");
    assert_eq!((count(&desk, "Perception radius"), count(&desk, "Max speed")), (0, 1));
    assert_eq!(desk.query_all_by_label_contains("Changed, without a slider").count(), 0);
    let changed = edited(&desk.state().scene, |draft| *draft.number_at(&at).unwrap().1 *= 2.0);
    now(&mut desk, changed);
    assert_eq!(desk.query_all_by_label(&format!("• {name}")).count(), 1, "it tells of a change");
    assert_eq!(desk.query_all_by_label_contains("Changed, without a slider").count(), 0);
    find(&mut desk, "perception");
    assert_eq!(count(&desk, "Perception radius"), all);
    desk.click("All");
    assert_eq!(count(&desk, "Perception radius"), 0, "and is folded as before");
}

/// Of all rows those are shown that are looked for, or that were changed; their values stay as they are.
#[test]
fn values_are_found() {
    let mut desk = desk("flock");
    let shown = |desk: &Harness<Desk>, names: &[&str]| -> Vec<usize> {
        names.iter().map(|name| desk.query_all_by_label_contains(name).count()).collect()
    };
    let names = ["Max speed", "Separation", "Alignment", "Perception radius", "Field of view", "Nothing is found"];
    let all = shown(&desk, &names);
    assert!(all[0] == 1 && all[3] > 2 && all[5] == 0, "{all:?}");
    find(&mut desk, "separation RADIUS");
    assert_eq!(shown(&desk, &names), [0, 1, 0, 1, 0, 0]);
    desk.click("All");
    find(&mut desk, "perception");
    let radii = shown(&desk, &names);
    assert_eq!((radii[0], radii[3], radii[4]), (0, all[3], 0));
    desk.click("All");
    find(&mut desk, "no such thing");
    assert_eq!(shown(&desk, &names), [0, 0, 0, 0, 0, 1]);
    desk.click("All");
    assert_eq!(shown(&desk, &names), all);
    let as_before = |desk: &Harness<Desk>| desk.state().scene.species == desk.state().original.species;
    assert!(as_before(&desk), "to look changes nothing");

    desk.click("Changed");
    assert_eq!(shown(&desk, &names), [0, 0, 0, 0, 0, 1]);
    now(&mut desk, tuned("flock", &["species.0.behaviors.alignment.perception_radius=3"]));
    assert_eq!(shown(&desk, &names), [0, 0, 1, 1, 0, 0]);
    desk.reset("• Perception radius");
    assert!(as_before(&desk), "it is put back");
    assert_eq!(shown(&desk, &names), [0, 0, 0, 0, 0, 1]);
}

#[test]
fn numbers_are_typed_with_a_comma_and_refused_with_a_reason() {
    let mut desk = desk("arrive");
    let before = desk.state().scene.species[0].max_speed;
    assert_ne!(before, 12.5);
    assert_eq!(type_number(&mut desk, "12,5"), 12.5);
    assert!(desk.state().said.is_empty(), "{:?}", desk.state().said);
    for (text, why) in [
        ("fast", "is not a number"),
        ("1e9", "must be between"),
        ("-3", "must be between"),
        ("10,000,000", "must be between"),
        ("9,999,99", "1,234.5"),
        ("-1,000", "parts thousands"),
    ] {
        desk.state_mut().said.clear();
        assert_eq!(type_number(&mut desk, text), 12.5, "{text} changes nothing");
        let said = desk.state().said.join("; ");
        assert!(said.contains(why) && said.contains("Max speed"), "{text}: {said}");
    }
    assert_eq!(type_number(&mut desk, "1,000"), 1000.0, "as the panel writes it");
    assert_eq!(type_number(&mut desk, "7.25"), 7.25, "and then it goes on");
}

/// A number that the file does not have moves no other row's mark and no other row's value.
#[test]
fn rows_of_a_vehicle_belong_to_their_keys() {
    let mut desk = desk("gulls");
    assert_eq!(desk.state().original.species[0].vehicle.max_angular_speed, None);
    let changes = ["species.0.vehicle.max_angular_speed=90", "species.0.vehicle.banking.righting=0.75"];
    now(&mut desk, tuned("gulls", &changes));
    for name in ["• Max angular speed", "Low speed", "• Righting", "Leaning", "Rate"] {
        assert!(desk.query_all_by_label(name).next().is_some(), "{name}");
    }
    desk.reset("• Righting");
    let original = desk.state().original.species[0].vehicle;
    assert_eq!(desk.state().scene.species[0].vehicle.banking, original.banking);
    desk.reset("• Max angular speed");
    assert_eq!(desk.state().scene.species[0].vehicle, original, "it has none again");
    assert!(desk.query_by_label_contains("Max angular speed").is_none());
}

#[test]
fn warnings_stand_below_the_slider_that_they_speak_of() {
    let mut desk = desk("arrive");
    assert!(desk.query_by_label_contains("⚠").is_none(), "a preset has none");
    for (change, name, next) in [
        ("species.0.behaviors.arrive.slow_radius=1", "• Slow radius", "Capture radius"),
        ("species.0.time_constant=0.001", "• Time constant", "Separation"),
    ] {
        let tuned = tuned("arrive", &[change]);
        let told: Vec<_> = tuned.lint().into_iter().map(|lint| lint.message).collect();
        assert!(!told.is_empty());
        now(&mut desk, tuned);
        let top = |label: &str| desk.get_by_label(label).rect().top();
        let warning = desk.get_by_label(&format!("⚠ {}", told[0])).rect().top();
        assert!(top(name) < warning && warning < top(next), "{name}: {} {warning} {}", top(name), top(next));
    }
}

/// Another scene is read from its beginning.
#[test]
fn the_panel_of_another_scene_begins_at_its_top() {
    let mut desk = desk("arrive");
    let size = desk.ctx.content_rect().size();
    desk.set_size(vec2(size.x, 300.0));
    desk.run_steps(12);
    let agents = |desk: &Harness<Desk>| desk.get_by_label("Agents").rect().top();
    let top = agents(&desk);
    desk.event(Event::PointerMoved(egui::pos2(0.5 * size.x, 200.0)));
    let (unit, delta) = (egui::MouseWheelUnit::Point, vec2(0.0, -90.0));
    let (phase, source) = (egui::TouchPhase::Move, egui::MouseWheelSource::Wheel);
    desk.event(Event::MouseWheel { unit, delta, phase, source, modifiers: Default::default() });
    desk.run_steps(12);
    assert!(agents(&desk) < top - 40.0, "it is scrolled");
    desk.state_mut().panel = Panel::default();
    desk.run_steps(12);
    assert_eq!(agents(&desk), top);
}

/// The sliders of a body are those of the species, and not of how its agents differ, which have the same names.
#[test]
fn the_sliders_of_a_body_show_its_own_numbers() {
    let mut desk = desk("flock");
    for preset in PRESETS {
        (desk.state_mut().panel, desk.state_mut().original) = (Panel::default(), tuned(preset.name, &[]));
        now(&mut desk, tuned(preset.name, &[]));
        let species = &desk.state().scene.species[0];
        let numbers = [species.max_speed, species.min_speed, species.max_force, species.time_constant];
        let shown: Vec<_> = desk.get_all_by_role(Role::SpinButton).take(4).collect();
        for (number, field) in numbers.into_iter().zip(shown) {
            let told = field.accesskit_node().value().unwrap_or_default();
            assert_eq!(told.trim(), short(number.into()), "{}", preset.name);
        }
    }
}

/// A name that is too long for its column takes two lines; none is cut.
#[test]
fn long_names_take_two_lines() {
    let mut scene = desk("arrive");
    let height = |desk: &Harness<Desk>, name: &str| desk.get_by_label(name).rect().height();
    let line = height(&scene, "Slow radius");
    for width in [WIDTH, 320.0] {
        scene.set_size(vec2(width, 3000.0));
        scene.run();
        let radius = scene.get_all_by_label("Perception radius").next().expect("a name").rect();
        assert!(radius.right() < NAME_WIDTH + 20.0, "{radius}");
        if width < WIDTH {
            assert!(radius.height() > 1.5 * line, "{radius} of {line}");
        } else {
            assert!(radius.height() < 1.5 * line, "{radius} of {line}");
        }
    }
}

#[test]
fn the_world_goes_back_like_every_other_value() {
    let mut desk = desk("arrive");
    let original = desk.state().original.clone();
    let more = original.with_agents(original.agent_count() * 7).expect("a scene");
    let changed = edited(&more, |draft| {
        draft.seed += 1;
        draft.world.boundary[1] = Boundary::Open;
    });
    now(&mut desk, changed);
    desk.click("World");
    for name in ["• Seed", "• Boundary, y", "• Agents"] {
        assert_ne!(desk.state().scene, original);
        desk.reset(name);
        assert!(desk.query_by_label(name).is_none(), "{name}");
    }
    assert_eq!(*desk.state().scene, *original, "to the bit, the world's size too");
}

/// The world is resized; with a third number it is spatial, and without it flat as before.
#[test]
fn the_world_is_resized_and_made_spatial() {
    let mut desk = desk("arrive");
    let original = desk.state().original.clone();
    desk.click("World");
    for (axis, text) in ["120", "fast", "50"].into_iter().enumerate() {
        select(&mut desk, 2 + axis);
        desk.enters(text);
    }
    let world = desk.state().scene.world;
    assert_eq!((world.size, world.spatial), (vec3(120.0, original.world.size.y, 50.0), true));
    assert_eq!(world.boundary, [world.boundary[0]; 3]);
    assert!(
        desk.state().said[0].contains("Size, y was not changed: “fast” is not a number"),
        "{:?}",
        desk.state().said
    );
    assert!(desk.query_by_label("• Boundary, z").is_some());
    assert!(kept(&desk.state().scene).world.spatial);
    for name in ["• Size, x", "• Size, z"] {
        desk.reset(name);
    }
    assert_eq!(*desk.state().scene, *original);
}

/// Tab goes from number to number: on a name or a slider, typed digits would be keys of the camera.
#[test]
fn tab_goes_to_the_next_number() {
    let mut desk = desk("arrive");
    desk.click_role(Role::SpinButton, 0);
    for text in ["30", "2"] {
        desk.types(text);
        desk.press(Key::Tab);
    }
    let numbers = |desk: &Harness<Desk>| {
        let species = &desk.state().scene.species[0];
        (species.max_speed, species.min_speed, species.max_force)
    };
    let force = numbers(&desk).2;
    assert_eq!(numbers(&desk), (30.0, 2.0, force));
    desk.key_press_modifiers(egui::Modifiers::SHIFT, Key::Tab);
    desk.run();
    desk.enters("1");
    assert_eq!(numbers(&desk), (30.0, 1.0, force), "and back");
}

/// What a slider does is told to who rests on it, and to nobody who has just used it.
#[test]
fn the_hint_of_a_slider_waits() {
    let mut desk = desk("arrive");
    let hint = |desk: &Harness<Desk>| {
        let text = "Drag; right-click: back to the scene's value";
        desk.query_all_by_role_and_label(Role::Label, text).next().is_some()
    };
    let place = desk.get_all_by_role(Role::Slider).next().expect("a slider").rect().center();
    let button = |desk: &mut Harness<Desk>, pos, pressed| {
        let button = PointerButton::Primary;
        desk.event(Event::PointerButton { pos, button, pressed, modifiers: Default::default() });
        desk.step();
    };
    let aside = place + vec2(9.0, 0.0);
    desk.event(Event::PointerMoved(place));
    desk.step();
    button(&mut desk, place, true);
    desk.event(Event::PointerMoved(aside));
    desk.step();
    button(&mut desk, aside, false);
    desk.run_steps(20);
    assert!(!hint(&desk), "after a drag");
    desk.event(Event::PointerMoved(place - vec2(0.0, 200.0)));
    desk.run_steps(2);
    desk.event(Event::PointerMoved(place));
    desk.run_steps(3);
    assert!(!hint(&desk), "too early");
    desk.run_steps(8);
    assert!(hint(&desk));
    desk.state_mut().dialog = true;
    desk.run_steps(4);
    assert!(!hint(&desk), "over a dialog");
}

/// A number of many digits is written so that it has room, and is not rounded by being looked at.
#[test]
fn great_numbers_fit_into_their_box() {
    let changes = ["species.0.behaviors.flee.enabled=true", "species.0.max_force=1234567"];
    let mut desk = desk("arrive");
    now(&mut desk, tuned("arrive", &changes));
    let before = desk.state().scene.draft();
    let right = desk.get_all_by_role(Role::Slider).map(|rail| rail.rect().right()).fold(0.0, f32::max);
    let told = |field: &egui_kittest::Node| field.accesskit_node().value().unwrap_or_default().trim().to_owned();
    let fields: Vec<_> = desk.get_all_by_role(Role::SpinButton).collect();
    assert!(fields.iter().all(|field| field.rect().left() > right), "a box lies over a slider");
    assert!(fields.iter().any(|field| told(field) == "1e6"), "the distance of flee");
    fields.iter().find(|field| told(field) == "1.23e6").expect("the force").click();
    drop(fields);
    desk.run();
    desk.press(Key::Enter);
    assert!(*desk.state().scene == before);
}

/// What changed is found: at the tab, and in a row even where it has no slider.
#[test]
fn every_change_of_a_species_has_a_dot() {
    let mut desk = desk("predator_and_prey");
    assert!(desk.query_by_label_contains("•").is_none());
    let changes = [
        "species.1.k_nearest=3",
        "species.1.vehicle.integrator=\"explicit\"",
        "species.1.vehicle.moment_of_inertia=2",
        "species.1.vehicle.max_torque=9",
        "species.1.variation.radius=0.1",
        "species.1.max_speed=99",
        "species.1.behaviors.wander.jitter=0.5",
        "species.1.behaviors.seek.enabled=true",
    ];
    now(&mut desk, tuned("predator_and_prey", &changes));
    let names: Vec<_> = desk.state().scene.species.iter().map(|s| readable(&s.name)).collect();
    assert!(desk.query_by_label_contains(&format!("• {} (", names[0])).is_none());
    desk.click_part(&format!("• {} (", names[1]));
    assert!(desk.query_by_label("• Max speed").is_some());
    let others = ["K nearest", "Vehicle: integrator", "Variation: radius", "Behaviors: wander: jitter"];
    for name in others.map(|name| format!("• {name}")) {
        desk.reset(&name);
        assert!(desk.query_by_label(&name).is_none(), "{name}");
    }
    for name in ["• Max torque", "• Max speed"] {
        desk.reset(name);
    }
    for name in ["Seek", "Wander"] {
        desk.click(name);
    }
    assert_eq!(desk.state().scene.changed_since(&desk.state().original), []);
    assert!(desk.query_by_label_contains(&format!("• {} (", names[1])).is_none());
}

/// With so many pixels per point. It takes long to make fonts ready, so all panels share it.
fn context(scale: f32) -> egui::Context {
    let context = egui::Context::default();
    context.all_styles_mut(|style| style.drag_value_text_style = egui::TextStyle::Monospace);
    context.set_pixels_per_point(scale);
    context
}

/// Lay the panel of a scene out, this wide, and say by how much it is too narrow and what it asked for.
fn laid_out(context: &egui::Context, scene: &Scene, width: f32, species: usize) -> (f32, Vec<Wish>) {
    let mut panel = Panel::default();
    panel.species = species;
    let about = About { tuned: true, ..about(scene, scene, (true, true)) };
    let (mut beyond, mut wishes) = (0.0, Vec::new());
    for _ in 0..3 {
        let size = egui::Rect::from_min_size(egui::Pos2::ZERO, vec2(1280.0, 4000.0));
        let input = egui::RawInput { screen_rect: Some(size), ..Default::default() };
        let mut output = context.run_ui(input, |ui| {
            wishes.clear();
            let side = egui::Panel::right("flock").exact_size(width).resizable(false);
            side.show(ui, |ui| {
                let room = ui.available_width();
                panel.show(ui, &about, &mut wishes);
                beyond = ui.min_rect().width() - room;
            });
        });
        output.textures_delta.clear();
    }
    (beyond, wishes)
}

/// Below the picture where the window is as narrow as it can be made, every other time with more pixels to a point; some beside it, too.
#[test]
fn every_scene_fits_into_the_panel_and_is_left_as_it_is() {
    let contexts = [1.0, 2.0].map(context);
    for (index, preset) in PRESETS.iter().enumerate() {
        let scene = tuned(preset.name, &[]);
        let ways = |species: usize| {
            let narrow = (species, 320.0, (preset.name.len() + species) % 2);
            [narrow].into_iter().chain((index % 4 == 0).then_some((species, WIDTH, 0)))
        };
        for (species, width, scale) in (0..scene.species.len()).flat_map(ways) {
            let (beyond, wishes) = laid_out(&contexts[scale], &scene, width, species);
            let which = format!("{}, species {species}, {width} points, scale {}", preset.name, scale + 1);
            assert!(beyond < 0.5, "{which}: {beyond} too wide");
            assert!(wishes.is_empty(), "{which}: it changes by being looked at");
        }
    }
    // Names of states as long as they come, all of them in one list.
    let ruled = edited(&tuned("flock", &[]), |draft| {
        let species = &mut draft.species[0];
        species.states = (0..6).map(|number| format!("{} {number}", "a long name ".repeat(4))).collect();
        let rule = Transition { from: 0b111101, to: 1, than: 1234.5, target: Target::Mouse, ..Default::default() };
        species.rules = vec![rule, Transition { to: 2, than: 1.0, ..rule }];
        species.behaviors.iter_mut().for_each(|behavior| behavior.states = 0b11111);
    });
    for (width, scale) in [(WIDTH, 0), (WIDTH, 1), (320.0, 0)] {
        let (beyond, _) = laid_out(&contexts[scale], &ruled, width, 0);
        assert!(beyond < 0.5, "long names of states, {width} points, scale {}: {beyond} too wide", scale + 1);
    }
    let (beyond, _) = laid_out(&contexts[0], &tuned("murmuration", &[]), 180.0, 0);
    assert!(beyond > 50.0, "too narrow a panel is noticed: {beyond}");
}

/// An added behavior acts on what one sees, and its target can be chosen and put somewhere.
#[test]
fn the_target_of_an_added_behavior_is_chosen_and_put_back() {
    let mut desk = desk("predator_and_prey");
    desk.click("+ Add behavior");
    desk.enters("flee");
    let target = |desk: &Harness<Desk>| desk.state().scene.species[0].get("flee", "target").expect("a target");
    assert_eq!(target(&desk), Setting::Target(Target::Mouse), "not the origin");
    let Ok(Setting::Number(distance)) = desk.state().scene.species[0].get("flee", "panic_distance") else { panic!() };
    assert!(distance < 0.5 * desk.state().scene.world.size.max_element(), "{distance}: within the world");

    let other = format!("Nearest of {}", desk.state().scene.species[1].name);
    desk.choose("Mouse", &other);
    assert!(matches!(target(&desk), Setting::Target(Target::Nearest { species: 2, .. })), "{:?}", target(&desk));
    let before = target(&desk);
    desk.choose(&other, &other);
    assert_eq!(target(&desk), before, "the list has the present one, too");
    desk.choose(&other, "Point");
    assert_eq!(target(&desk), Setting::Target(Target::Point(vec3(3.0, 4.0, 0.0))), "where one looks");
    let at = desk.get_by_label_contains("Place").rect();
    let numbers: Vec<_> = desk.get_all_by_role(Role::SpinButton).collect();
    let beside = numbers.iter().filter(|number| (number.rect().center().y - at.center().y).abs() < 4.0);
    let first = beside.clone().min_by(|a, b| a.rect().left().total_cmp(&b.rect().left())).expect("a coordinate");
    assert_eq!(beside.count(), 2, "one for each axis of a plane");
    let place = first.rect().center();
    drop(numbers);
    // Its numbers are typed as those of sliders are.
    for (text, x) in
        [("12", 12.0), ("3,5", 3.5), ("1,000", 1000.0), ("far", 1000.0), ("10.2678", 10.2678), ("", 10.2678)]
    {
        desk.state_mut().said.clear();
        desk.click_at(place);
        desk.enters(text);
        assert_eq!(target(&desk), Setting::Target(Target::Point(vec3(x, 4.0, 0.0))), "{text}");
        let said = desk.state().said.join("; ");
        assert_eq!(said.contains("x was not changed: “far” is not a number"), text == "far", "{text}: {said}");
    }
    assert!(desk.query_by_label("Changed, without a slider").is_none(), "it has a row");
    desk.reset("• Target");
    assert_eq!(target(&desk), desk.state().original.species[0].get("flee", "target").expect("a target"));
}
