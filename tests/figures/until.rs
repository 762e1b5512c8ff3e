//! Conditions that end a run: how long they have to hold, and what is said of those that make no sense.

use steerling::model::Observation;
use steerling::output::Until;
use steerling::scene::Scene;
use support::refused;

fn seen(polarization: f64) -> Observation {
    Observation { polarization, ..Observation::from_words(&[], &[1], 1.0) }
}

#[test]
fn it_must_hold_for_the_whole_time() {
    let scene = Scene::open("flock", &["dt=0.1".parse().unwrap()]).unwrap();
    let met = |text: &str, order: [f64; 6]| {
        let mut until = Until::parse(text, &scene).unwrap();
        (1..).zip(order).find(|(row, order)| until.sees(10 * row, &seen(*order))).map(|(row, _)| 10 * row)
    };
    let order = [0.95, 0.5, 0.95, 0.9, 0.91, 0.92];
    assert_eq!(met("polarization>0.9", order), Some(10));
    assert_eq!(met("polarization > 0.9 for 1 s", order), Some(60), "0.9 is not above 0.9");
    assert_eq!(met("polarization >= 0.9 for 2 s", order), Some(50));
    assert_eq!(met("polarization >= 0.9 for 20 steps", order), Some(50));
    assert_eq!(met("polarization >= 0.9 for 3.01 s", order), None);
    assert_eq!(met("polarization <= 0.5", order), Some(20));
    assert_eq!(met("polarization < 0.5", order), None);
}

#[test]
fn what_makes_no_sense_is_said() {
    let scene = Scene::open("zones", &[]).unwrap();
    for (text, said) in [
        ("milling > 0.9", "add --observe milling"),
        ("largest_group > 9", "add --observe groups"),
        ("polarisation > 0.9", "did you mean `polarization`?"),
        ("polarization.swarms > 0.9", "did you mean `polarization."),
        ("digest > 1", "`digest` is no observable"),
        ("polarization = 0.9", "there is no comparison"),
        ("polarization > much", "`much` is no number"),
        ("polarization > nan", "`nan` is no number"),
        ("polarization > 0.9 for long", "`long` is no time"),
        ("polarization > 0.9 for 2 min", "`2 min` is no time"),
        ("polarization > 0.9 for -1 s", "`-1 s` is no time"),
        ("", "there is no comparison"),
    ] {
        refused(Until::parse(text, &scene), &[said]);
    }
}

#[test]
fn a_caller_may_know_more_numbers() {
    let (scene, more) = (Scene::open("flock", &[]).unwrap(), ["milling".to_owned()]);
    assert!(Until::parse("milling > 0.5", &scene).is_err());
    refused(Until::parse_with("miling > 0.5", &scene, &more), &["did you mean `milling`?"]);
    let mut until = Until::parse_with("milling > 0.5 for 10 steps", &scene, &more).unwrap();
    assert_eq!((until.name(), until.value(1, &seen(0.9))), ("milling", None));
    let met = [(10, Some(0.6)), (20, None), (30, Some(0.6)), (40, Some(0.7))];
    assert_eq!(met.map(|(step, value)| until.sees_value(step, value)), [false, false, false, true]);
}
