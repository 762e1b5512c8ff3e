//! What must not matter: a behavior without weight.

use crate::common::*;
use steerling_conform::Body;

#[test]
fn a_behavior_without_weight_is_gone_to_the_bit() {
    let rules = [
        ("separation", "weight = 12", "perception_radius = 2.5, field_of_view = 300"),
        ("alignment", "weight = 1", "perception_radius = 4, field_of_view = 270"),
        ("cohesion", "weight = 5", "perception_radius = 5, field_of_view = 200"),
        ("flow_field", "weight = 0.7", "prediction_time = 0.1"),
    ];
    let bodies = Draw::new(56).crowd(300, false, [0.0; 3], 15.0, 15.0);
    let [positions, velocities] = [|body: &Body| body.position, |body: &Body| body.velocity]
        .map(|part: fn(&Body) -> V| bodies.iter().map(part).collect::<Vec<_>>());
    let start = state(&positions, &velocities);
    // The flock's end with one behavior's weight replaced, or with the behavior left out.
    let end = |name: &str, replaced: Option<&str>| {
        let mut species = "count = 300\n".to_owned();
        for (rule, weight, rest) in rules {
            match (rule == name, replaced) {
                (false, _) => species += &format!("behaviors.{rule} = {{ {weight}, {rest} }}\n"),
                (true, Some(weight)) => species += &format!("behaviors.{rule} = {{ {weight}, {rest} }}\n"),
                (true, None) => (),
            }
        }
        let field = "field = { source = \"curl_noise\", speed = 8, wavelength = 20, resolution = 32 }";
        all_bits(&run(&scene(&format!("world = {{ size = [30, 30] }}\n{field}"), &species), &start, 20))
    };
    for (name, weight, _) in rules {
        let without = end(name, None);
        assert_eq!(without, end(name, Some("weight = 0")), "{name} with weight 0");
        assert_eq!(without, end(name, Some(&format!("enabled = false, {weight}"))), "{name} not enabled");
        assert_ne!(without, end(name, Some("weight = 1e-3")), "{name} has no effect at all");
    }
}
