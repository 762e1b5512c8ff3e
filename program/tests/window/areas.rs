//! Areas that are drawn, and obstacles by hand: they act, are kept with the scene, found where they lie, and taken away.

use super::super::areas::{Area, Found, add_area, area_at, remove_area};
use super::super::building::can_be_kept;
use super::super::tools::{add_chain, obstacle_at};
use super::*;
use steerling::scene::{Boundary, ObstacleShape};

const SIZE: (u32, u32) = (800, 600);

/// A scene of wanderers, with a change of its draft; its text read again is the same scene.
fn scene(size: &str, change: impl FnOnce(&mut Draft)) -> Scene {
    let text = format!(
        "schema = 1\nname = \"areas\"\n[world]\nsize = {size}\n\n\
         [[species]]\nname = \"ants\"\ncount = 60\nmax_speed = 10\nmax_force = 40\nbehaviors.wander.weight = 1\n\n\
         [[species]]\nname = \"bees\"\ncount = 20\nmax_speed = 10\nmax_force = 40\nbehaviors.wander.weight = 1\n"
    );
    let scene = edited(&support::parsed(&text, &[]), change);
    kept(&scene);
    scene
}

/// The positions of a species after so many steps.
fn positions(scene: &Scene, species: usize, steps: u32) -> Vec<Vec3> {
    let mut simulation = on_cpu(scene);
    simulation.step(steps);
    let after = simulation.state();
    let ids = scene.species_ids(species).expect("a species");
    ids.map(|id| Vec3::from(after.positions[id as usize])).collect()
}

/// The margin is one that the program does not warn of.
#[test]
fn a_region_has_the_margin_that_its_species_needs() {
    for (area, least) in [(Area::Box, 0.0), (Area::Ball, 0.0), (Area::Box, 2.0), (Area::Ball, 2.0)] {
        let start = if area == Area::Box { vec3(-30.0, -30.0, 0.0) } else { Vec3::ZERO };
        let drawn = scene("[100, 100]", |draft| {
            (draft.species[1].max_speed, draft.species[1].min_speed) = (8.0, least);
            draft.species[1].spawn.speed = None;
            add_area(draft, area, 1, [start, vec3(30.0, 30.0, 0.0)]).expect("an area");
        });
        let warned = |scene: &Scene| scene.lint().iter().any(|lint| lint.key.ends_with("containment.margin"));
        let margin = drawn.species[1].get("containment", "margin").expect("known").number();
        assert!(!warned(&drawn), "{area:?} {least}: {margin}");
        let narrower = drawn.edit(|draft| draft.species[1].set("containment", "margin", margin - 0.02));
        assert!(warned(&narrower.expect("a scene")), "{area:?} {least}: {margin} is more than needed");
    }
}

/// Regions hold the species that they are drawn for, in a plane and in space, and no other.
#[test]
fn regions_keep_their_species() {
    for (size, area) in [("[100, 80]", Area::Box), ("[100, 80]", Area::Ball), ("[100, 80, 60]", Area::Ball)] {
        let ends = if area == Area::Box {
            [vec3(-45.0, -35.0, 0.0), vec3(45.0, 35.0, 0.0)]
        } else {
            [Vec3::ZERO, 28.0 * Vec3::X]
        };
        let scene = scene(size, |draft| add_area(draft, area, 1, ends).expect("an area"));
        assert!(!scene.species[0].enabled("containment").expect("known"));
        let inside = |at: &Vec3| match area {
            Area::Box => at.x.abs() <= 45.0 && at.y.abs() <= 35.0,
            _ => at.length() <= 28.0,
        };
        let kept = |species: usize| {
            let all = positions(&scene, species, 900);
            all.iter().filter(|at| inside(at)).count() as f32 / all.len() as f32
        };
        let (kept, free) = (kept(1), kept(0));
        assert!(kept == 1.0 && free < 0.95, "{size} {area:?}: {kept} {free}");
        let view = View::from_scene(&scene);
        let middle = view.project(vec3(20.0, 10.0, 0.0), SIZE).expect("in view").into();
        assert_eq!(area_at(&scene, middle, &view, SIZE), Some(Found::Region(1)));
        assert_eq!(area_at(&scene, (1.0, 1.0), &view, SIZE), None);
        let mut draft = scene.draft();
        remove_area(&mut draft, Found::Region(1)).expect("a region");
        assert_eq!(area_at(&draft, middle, &view, SIZE), None);
        assert!(can_be_kept(&draft).is_ok());
    }
}

/// The first goal is sought by all; a second one is a place more; without a goal nobody heads for it, and the others stay who they were.
#[test]
fn goals_are_drawn_and_taken_away() {
    let goal = |draft: &mut Draft, x: f32| {
        let place = vec3(x, 10.0, 0.0);
        add_area(draft, Area::Goal, 0, [place, place + 4.0 * Vec3::X]).expect("a goal");
    };
    let scene = scene("[100, 80]", |draft| {
        draft.world.boundary = [Boundary::Contain, Boundary::Contain, Boundary::Open];
        goal(draft, 30.0);
        goal(draft, -30.0);
    });
    let heads = |species: &Species| species.targets().any(|target| matches!(target, Target::Goal { index: 0, .. }));
    assert!(scene.species.iter().all(heads), "for the first");
    let mean =
        |steps| positions(&scene, 0, steps).iter().map(|at| at.distance(vec3(30.0, 10.0, 0.0))).sum::<f32>() / 60.0;
    let (before, after) = (mean(0), mean(600));
    assert!(after < 0.6 * before, "{before} {after}");
    let view = View::from_scene(&scene);
    let at = |x: f32| view.project(vec3(x, 12.0, 0.0), SIZE).expect("in view").into();
    let found = [30.0, -30.0, 0.0].map(|x| area_at(&scene, at(x), &view, SIZE));
    assert_eq!(found, [Some(Found::Goal(0)), Some(Found::Goal(1)), None]);

    let mut draft = scene.draft();
    draft.species[1].set("seek", "target", Target::Goal { index: 1, prediction_time: 0.0 }).expect("a target");
    remove_area(&mut draft, Found::Goal(0)).expect("a goal");
    assert!(!draft.species[0].enabled("seek").expect("known"));
    let kept = draft.clone().validate().expect("a scene");
    assert_eq!(kept.map.as_ref().map_or(0, |map| map.goals.len()), 1);
    let target = kept.species[1].get("seek", "target").expect("known");
    let same = Setting::Target(Target::Goal { index: 0, prediction_time: 0.0 });
    assert_eq!(target, same, "the same goal by its new index");
    // Where agents leave, the goal stays.
    draft.species[1].leaves = Some(0);
    let before = draft.clone();
    let mut refused = draft.clone();
    assert!(remove_area(&mut refused, Found::Goal(0)).expect_err("they leave there").contains("bees"));
    assert!(before == draft);
}

/// A line by hand is a chain of capsules as thick as it was drawn, from its first point to its last; a spot is a ball.
#[test]
fn obstacles_follow_the_hand() {
    for size in ["[100, 80]", "[100, 80, 60]"] {
        let line = [vec3(-20.0, 0.0, 0.0), vec3(0.0, 15.0, 0.0), vec3(20.0, 0.0, 0.0)];
        let scene = scene(size, |draft| add_chain(draft, &line, 3.0).expect("a chain"));
        assert!(scene.species.iter().all(|species| species.enabled("obstacle_avoidance").expect("known")));
        let placed = scene.scenery.placed(&scene.world);
        assert_eq!(placed.len(), 2);
        let view = View::from_scene(&scene);
        let found = |at: Vec3| obstacle_at(&scene, view.project(at, SIZE).expect("in view").into(), &view, SIZE);
        let ends = [line[0], line[0].midpoint(line[1]), line[1].midpoint(line[2]), line[2]];
        assert_eq!(ends.map(found), [Some(0), Some(0), Some(1), Some(1)], "{size}");
        assert_eq!(found(vec3(0.0, -15.0, 0.0)), None, "{size}");
        let spot = self::scene(size, |draft| add_chain(draft, &[Vec3::ZERO; 2], 3.0).expect("a ball"));
        assert!(matches!(spot.scenery.obstacles[0].shape, ObstacleShape::Sphere { radius: 3.0 }));
    }
}
