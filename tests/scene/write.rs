//! What is changed in a scene goes into its text, or is said as overrides, and is read back.

use steerling::scene::{Boundary, Combine, Condition, Dialect, ObstacleShape, OwnBehavior, PRESETS, Scene, Transition};
use support::edited;

/// An entry of a list that is to have a key no longer, or another shape, is written anew; the others stay as they were written.
#[test]
fn entries_of_lists_lose_keys_and_change_their_shape() {
    let text = "schema = 1\nworld.size = [9, 9]\n[[obstacles]] # one\nshape = 'sphere'\nradius = 1\n\
                [[obstacles]] # two\nshape = 'sphere'\nradius = 2\n[[species]]\ncount = 3\nstates = ['a', 'b']\n\
                [[species.rules]]\nfrom = ['a']\nto = 'b'\nwhen = 'after'\n";
    let scene = Scene::parse(text, "a.toml", &[]).expect("a scene");
    let changed = edited(&scene, |draft| {
        draft.scenery.obstacles[0].shape = ObstacleShape::Capsule { length: 3.0, radius: 1.0 };
        draft.species[0].rules[0].from = u32::MAX;
    });
    let text = changed.to_toml("a.toml").expect("a text");
    assert_eq!(Scene::parse(&text, "a.toml", &[]).expect("a scene").changed_since(&changed), [], "{text}");
    assert!(text.contains("# two") && !text.contains("from ="), "{text}");
    assert!(!text.contains("target") && !text.contains("unloads"), "what does not count: {text}");
    let more = edited(&scene, |draft| {
        let rule = draft.species[0].rules[0];
        let measures = Transition { when: Condition::Farther, unloads: true, ..rule };
        draft.species[0].rules.push(measures);
    });
    let text = more.to_toml("a.toml").expect("a text");
    assert_eq!(Scene::parse(&text, "a.toml", &[]).expect("a scene").changed_since(&more), [], "{text}");
    assert_eq!(text.matches("target = \"mouse\"").count(), 1, "where it is measured: {text}");
    assert_eq!(text.matches("unloads").count(), 1, "{text}");
}

fn says_the_same(scene: &Scene, text: &str) -> bool {
    let mut read = Scene::parse(text, "kept.toml", &[]).expect("a scene").draft();
    read.name.clone_from(&scene.name);
    read.changed_since(scene).is_empty()
}

#[test]
fn an_unchanged_scene_keeps_its_text_and_needs_no_override() {
    for preset in PRESETS {
        let scene = Scene::open(preset.name, &[]).expect("a preset");
        assert_eq!(scene.to_toml("kept.toml").expect("a text"), preset.text, "{}", preset.name);
        assert_eq!(scene.changes().expect("changes"), [], "{}", preset.name);
    }
}

#[test]
fn what_is_changed_is_read_back_and_the_rest_of_the_text_stays() {
    for preset in PRESETS {
        let scene = Scene::open(preset.name, &[]).expect("a preset");
        let mut changed = scene.with_agents(scene.agent_count() * 7 / 5).expect("a scene");
        changed = edited(&changed, |draft| {
            (draft.seed, draft.camera.zoom) = (draft.seed + 7, 1.25);
            draft.look.name = draft.look.name.next();
            draft.species[0].max_speed *= 1.1;
            draft.species[0].behaviors.iter_mut().filter(|behavior| behavior.enabled).for_each(|b| b.weight *= 0.3);
        });
        let text = changed.to_toml("kept.toml").unwrap_or_else(|error| panic!("{}: {error}", preset.name));
        assert!(says_the_same(&changed, &text), "{}", preset.name);
        assert!(!says_the_same(&scene, &text), "{}: nothing changed", preset.name);
        let comments = |text: &str| text.lines().filter(|line| line.contains('#')).count();
        assert_eq!(comments(&text), comments(preset.text), "{}: comments are lost", preset.name);
        let overrides = changed.changes().expect("changes");
        let again = Scene::open(preset.name, &overrides).expect("a scene");
        assert_eq!(again.changed_since(&changed), [], "{}", preset.name);
    }
}

#[test]
fn comments_beside_a_value_stay() {
    let text = "schema = 1 # first\n[world]\nsize = [90, 90] # u\n\n# Birds.\n[[species]]\ncount = 3 # few\nmax_speed = 2.0 # slow\n";
    let scene = Scene::parse(text, "a.toml", &[]).expect("a scene");
    let changed = edited(&scene, |draft| {
        draft.species[0].max_speed = 3.0;
        draft.species[0].enable("cohesion").expect("a behavior");
        draft.world.boundary[0] = Boundary::Contain;
    });
    let kept = changed.to_toml("b.toml").expect("a text");
    assert!(kept.contains("max_speed = 3.0 # slow") && kept.contains("# Birds."), "{kept}");
    assert!(kept.contains("[species.behaviors.cohesion]\nenabled = true"), "{kept}");
    assert!(!kept.contains("[species.behaviors]\n"), "an empty header: {kept}");
    assert!(says_the_same(&changed, &kept));
}

#[test]
fn another_dialect_changes_what_nobody_gave() {
    let text = "schema = 1\n[world]\nsize = [900, 900]\n[[species]]\ncount = 3\ntime_constant = 0.5\n[species.behaviors.seek]\n";
    let scene = Scene::parse(text, "a.toml", &[]).expect("a scene");
    let changed = edited(&scene, |draft| draft.species[0].max_force = 44.0);
    let other = changed.with_dialect(Dialect::NatureOfCode).expect("a scene");
    let species = &other.species[0];
    assert_eq!((species.time_constant, species.max_force, species.max_speed), (0.5, 44.0, 180.0));
    assert!(says_the_same(&other, &other.to_toml("b.toml").expect("a text")));
    // A behavior that comes later has its own defaults, and they are kept.
    let more = edited(&other, |draft| drop(draft.species[0].enable("arrive")));
    assert!(says_the_same(&more, &more.to_toml("b.toml").expect("a text")));
    let back = other.with_dialect(Dialect::Canonical).expect("a scene");
    assert_eq!(back.changed_since(&changed), []);
}

/// Which defaults hold depends on what acts: a scene in which that has changed goes on as it was, and so does its text.
#[test]
fn who_stops_or_begins_to_do_more_than_flock_keeps_its_numbers() {
    let text = |more: &str| {
        format!(
            "schema = 1\ndialect = \"opensteer\"\nworld.size = [90, 90]\n[[species]]\ncount = 3\n[species.behaviors]\nseparation = {{}}\ncohesion = {{}}\n{more}"
        )
    };
    let active = |scene: &Scene| {
        let seek = scene.species[0].described().find(|(spec, _)| spec.name == "seek").expect("a behavior").1;
        (seek.is_active(), scene.species[0].combine)
    };
    for (more, before, weight) in [
        ("seek = {}\n", (true, Combine::Weighted), 0.0),
        ("seek = { weight = 0 }\n", (false, Combine::Normalized), 1.0),
    ] {
        let scene = Scene::parse(&text(more), "a.toml", &[]).expect("a scene");
        assert_eq!(active(&scene), before);
        let changed = edited(&scene, |draft| {
            draft.species[0].behaviors.iter_mut().filter(|b| b.spec.name == "seek").for_each(|b| b.weight = weight);
        });
        assert_eq!(active(&changed), (!before.0, before.1));
        assert!(says_the_same(&changed, &changed.to_toml("b.toml").expect("a text")), "{more}");
    }
}

#[test]
fn a_scene_that_a_program_wrote_has_a_text_too() {
    for name in ["wind", "traffic", "fish_tank", "actions", "hills"] {
        let mut draft = Scene::open(name, &[]).expect("a preset").draft();
        draft.source = Default::default();
        let scene = draft.validate().expect("a scene");
        let text = scene.to_toml("made.toml").unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(says_the_same(&scene, &text), "{name}: {text}");
    }
}

#[test]
fn the_last_of_a_list_of_tables_may_go() {
    let text = "schema = 1\n[world]\nsize = [90, 90]\n[map]\nsource = \"open\"\n[[map.strokes]]\nfrom = [0, 0]\nto = [9, 0]\n\
                [[species]]\ncount = 3\n";
    let scene = Scene::parse(text, "a.toml", &[]).expect("a scene");
    let changed = edited(&scene, |draft| draft.map.iter_mut().for_each(|map| map.strokes.clear()));
    let kept = changed.to_toml("b.toml").expect("a text");
    assert!(says_the_same(&changed, &kept) && !says_the_same(&scene, &kept), "{kept}");
    let again = Scene::parse(text, "a.toml", &changed.changes().expect("changes")).expect("a scene");
    assert_eq!(again.changed_since(&changed), []);
}

/// One without a name is called by its number, and another species would be called so then.
#[test]
fn references_stay_where_a_species_before_goes() {
    let text = "schema = 1\nworld.size = [90, 90]\n[[species]]\ncount = 1\nperceives = [\"species 2\"]\n\
                [[species]]\ncount = 2\n[[species]]\ncount = 3\n[[species]]\ncount = 4\n";
    let left = Scene::parse(text, "a.toml", &[]).expect("a scene").without_species(1).expect("a scene");
    let names: Vec<_> = left.species.iter().map(|species| (species.name.as_str(), species.count)).collect();
    assert_eq!(names, [("species 0", 1), ("species 2", 3), ("species 3", 4)]);
    assert_eq!(left.species[0].perceives, 0b10);
}

#[test]
fn files_are_found_from_elsewhere_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().join("a.toml");
    let text = "schema = 1\n[world]\nsize = [90, 90]\n[field]\nsource = \"wind.png\"\n[[species]]\ncount = 3\n";
    let scene = Scene::parse(text, here.to_str().expect("UTF-8"), &[]).expect("a scene");
    let beside = scene.to_toml(folder.path().join("b.toml").to_str().expect("UTF-8")).expect("a text");
    assert!(beside.contains("source = \"wind.png\""), "{beside}");
    let elsewhere = scene.to_toml("c.toml").expect("a text");
    assert!(elsewhere.contains(&folder.path().join("wind.png").display().to_string()), "{elsewhere}");
}

#[test]
fn what_no_override_can_say_is_refused() {
    let scene = Scene::open("wind", &[]).expect("a preset");
    let mut draft = scene.draft();
    draft.species.iter_mut().flat_map(|s| &mut s.behaviors).for_each(|b| b.enabled &= b.spec.name != "flow_field");
    draft.field = None;
    let error = draft.validate().expect("a scene").to_toml("a.toml").expect_err("no way to say it");
    assert_eq!(error.key, "field");
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/own_behaviors/swirl.wgsl"));
    let mut draft = Scene::open("flock", &[]).expect("a preset").draft();
    draft.add_behavior(OwnBehavior::from_text("swirl", &text.expect("a text"), "memory").expect("a behavior"));
    let error = draft.validate().expect("a scene").to_toml("a.toml").expect_err("no file");
    assert!(error.to_string().contains("the behavior `swirl` has no file yet") && error.hint.is_none(), "{error}");
}
