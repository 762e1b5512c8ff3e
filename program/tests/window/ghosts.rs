//! Ghosts: the path that a closed form expects is the one that agents take, and there is none where the law says nothing.

use super::super::ghosts::{open, path, scene_of};
use super::*;

fn scene(behavior: &str, changes: &[(&str, f32)]) -> Scene {
    let scene = open(&scene_of(behavior).expect("a law")).expect("a scene").expect("it is one");
    edited(&scene, |draft| {
        for (path, value) in changes {
            *draft.number_at(path).expect("a number").1 = *value;
        }
    })
}

/// The places of an agent, step by step.
fn way(scene: &Scene, agent: usize, steps: u32) -> Vec<Vec3> {
    let mut simulation = on_cpu(scene);
    let mut next = || {
        simulation.step(1);
        Vec3::from(simulation.state().positions[agent])
    };
    (0..steps).map(|_| next()).collect()
}

fn mean(line: &[Vec3]) -> Vec3 {
    line[1..].iter().sum::<Vec3>() / (line.len() - 1) as f32
}

#[test]
fn agents_go_where_the_closed_form_says() {
    for force in [20.0, 35.0] {
        let scene = scene("seek", &[("species.0.max_force", force)]);
        let ghost = path(&scene);
        // With another force the target is not the middle of the circle, and the law says nothing.
        assert_eq!(ghost.len(), usize::from(force == 20.0), "{force}");
        let Some(circle) = ghost.first() else { continue };
        let (middle, radius) = (mean(circle), mean(circle).distance(circle[0]));
        assert!((radius - 5.0).abs() < 1e-3, "v²/a is 5, not {radius}");
        let off =
            way(&scene, 0, 1000).into_iter().map(|at| (at.distance(middle) / radius - 1.0).abs()).fold(0.0, f32::max);
        assert!(off < 0.02, "{off}");
    }

    let scene_of_arrive = scene("arrive", &[]);
    let ghost = path(&scene_of_arrive);
    let stops = ghost[0][1];
    let flown = way(&scene_of_arrive, 0, 1200);
    assert!(flown[1199].distance(stops) < 0.01 && flown[100].distance(stops) > 5.0);
    // Full braking begins at the larger ring.
    let brakes = mean(&ghost[1]).distance(stops);
    let speed = |at: usize| flown[at + 1].distance(flown[at]) * 128.0;
    let slows = (0..1000).find(|at| speed(*at) < 19.8).expect("it slows down");
    assert!((flown[slows].distance(stops) - brakes).abs() < 1.5, "{} and {brakes}", flown[slows].distance(stops));
    assert!(path(&scene("arrive", &[("species.0.max_force", 4.0)])).is_empty(), "too near for that braking");

    for seed in [2, 3, 4] {
        let scene = edited(&scene("pursuit", &[]), |draft| draft.seed = seed);
        let meets = path(&scene)[0][1];
        let (pursuer, quarry) = (way(&scene, 0, 1000), way(&scene, 1, 1000));
        let met = (0..1000).find(|at| pursuer[*at].distance(quarry[*at]) < 0.5).expect("they meet");
        let off = quarry[met].distance(meets);
        assert!(off < 1.0, "seed {seed}: {off} u off");
        let elsewhere = way(&scene, 1, 1)[0].distance(meets);
        assert!(elsewhere > 2.0, "control: the quarry was elsewhere, {elsewhere}");
    }
    assert!(path(&tuned("arrive", &[])).is_empty(), "other scenes have none");
    assert!(open("arrive").is_none() && scene_of("cohesion").is_none());
}

/// The page of a behavior whose law has a ghost opens it, and no other page does.
#[test]
fn the_page_of_a_behavior_opens_its_law() {
    for (page, opens) in [(0, false), (1, true)] {
        let mut desk = desk("arrive");
        desk.click_nth("Formula", page);
        assert_eq!(desk.query_by_label("See a law in a scene").is_some(), opens, "page {page}");
        if opens {
            desk.click("See a law in a scene");
            assert_eq!(desk.state().opened, ["law of arrive"]);
        }
    }
}
