//! Who is perceived: the radius, the field of view, and what a behavior that does not act must not do.

use crate::common::*;
use steerling::model::State;
use steerling::scene::Scene;

fn watching(spatial: bool, agents: usize, radius: f64, field_of_view: f64) -> Scene {
    let size = if spatial { "[64, 64, 64]" } else { "[64, 64]" };
    let behavior = seeing("cohesion", 1.0, radius, field_of_view);
    scene(&format!("world = {{ size = {size} }}"), &format!("count = {agents}\n{behavior}"))
}

/// Does agent 0, at this place and with this velocity, perceive agent 1 at this offset?
fn sees(scene: &Scene, at: V, velocity: V, offset: V) -> bool {
    perceived(scene, &state(&[at, plus(at, offset)], &[velocity, [1.0, 0.0, 0.0]]))[0] == [1]
}

#[test]
fn a_neighbor_at_the_radius_itself_is_perceived() {
    // Lengths that f32 holds exactly: 3-4-5, 2-3-6-7 and 1-4-8-9, times a power of two.
    let mut draw = Draw::new(51);
    for (offset, radius) in [([3.0, 4.0, 0.0], 5.0), ([2.0, 3.0, 6.0], 7.0), ([-8.0, 1.0, -4.0], 9.0)] {
        for factor in [0.125, 1.0, 2.0] {
            let spatial = offset[2] != 0.0;
            let at = [0, 1, 2].map(|axis| if axis < 2 || spatial { draw.dyadic(-10.0, 10.0) } else { 0.0 });
            let (offset, radius) = (times(offset, factor), radius * factor);
            let scene = watching(spatial, 2, radius, 360.0);
            assert!(sees(&scene, at, [1.0, 0.0, 0.0], offset), "at {radius} u exactly");
            let beyond = plus(offset, [offset[0].signum() / 1024.0, 0.0, 0.0]);
            assert!(!sees(&scene, at, [1.0, 0.0, 0.0], beyond), "beyond {radius} u");
            let within = minus(offset, [offset[0].signum() / 1024.0, 0.0, 0.0]);
            assert!(sees(&scene, at, [1.0, 0.0, 0.0], within), "within {radius} u");
        }
    }
}

#[test]
fn the_field_of_view_is_the_full_angle_of_a_cone() {
    let mut draw = Draw::new(52);
    for case in 0..400 {
        let spatial = case % 2 == 1;
        let angle = draw.between(2.0, 358.0);
        let scene = watching(spatial, 2, 8.0, angle);
        let heading = draw.heading(spatial);
        // At any distance: a cosine that is compared without the distance sees behind its cone from afar.
        let (at, distance, speed) = (draw.point(spatial, 32.0), draw.scale(0.05, 7.9), draw.scale(0.01, 20.0));
        let mut at_angle = |angle: f64| {
            let direction = draw.turned(spatial, heading, angle);
            sees(&scene, at, times(heading, speed), times(direction, distance))
        };
        assert!(at_angle(angle / 2.0 - 0.2), "{angle}°: just inside at {distance} u");
        assert!(!at_angle(angle / 2.0 + 0.2), "{angle}°: just outside at {distance} u");
        assert!(at_angle(0.0), "{angle}°: straight ahead");
    }
    // A half angle would see at 100° with a field of view of 180°.
    let mut at = |field_of_view: f64| {
        let direction = draw.turned(false, [1.0, 0.0, 0.0], 100.0);
        sees(&watching(false, 2, 8.0, field_of_view), [0.0; 3], [5.0, 0.0, 0.0], times(direction, 5.0))
    };
    assert!(!at(180.0) && !at(199.0) && at(201.0));
}

#[test]
fn eighty_degrees_aside_is_outside_of_a_cone_of_sixty_at_every_distance() {
    let mut draw = Draw::new(53);
    let scene = watching(false, 2, 30.0, 120.0);
    for distance in [0.01, 0.3, 1.0, 3.0, 5.0, 10.0, 29.0] {
        for speed in [0.01, 1.0, 100.0] {
            let heading = draw.heading(false);
            let mut at = |angle: f64| {
                let direction = draw.turned(false, heading, angle);
                sees(&scene, [0.0; 3], times(heading, speed), times(direction, distance))
            };
            assert!(!at(80.0) && at(55.0), "{distance} u away at {speed} u/s");
        }
    }
}

#[test]
fn all_around_perceives_what_is_dead_behind() {
    // With a threshold of cos 180° = -1, rounding would lose a fifth of them.
    let mut draw = Draw::new(54);
    let mut lost_by_minus_one = 0;
    for case in 0..1000 {
        let spatial = case % 2 == 1;
        let heading = draw.heading(spatial);
        let offset = times(heading, -draw.scale(0.01, 7.9));
        let scene = watching(spatial, 2, 8.0, 360.0);
        assert!(sees(&scene, [0.0; 3], times(heading, 7.0), offset), "behind at {offset:?}");
        let single = |v: V| glam::Vec3::from_array(v.map(|x| x as f32));
        let (forward, offset) = (single(times(heading, 7.0)).normalize(), single(offset));
        lost_by_minus_one += u32::from(offset.dot(forward) < -offset.length());
    }
    println!("a threshold of -1 would have lost {lost_by_minus_one} of 1000");
    assert!(lost_by_minus_one > 0);
}

#[test]
fn each_species_perceives_by_its_own_radius() {
    let species = |name: &str, radius: f64| {
        format!("[[species]]\nname = \"{name}\"\ncount = 1\n{}", all_around("cohesion", 1.0, radius))
    };
    let text = format!("schema = 1\nworld = {{ size = [50, 50] }}\n{}{}", species("far", 6.0), species("near", 3.0));
    let scene = parse(&text);
    let at = |d: f64| state(&[[0.0; 3], [d, 0.0, 0.0]], &[[1.0, 0.0, 0.0]; 2]);
    assert_eq!(perceived(&scene, &at(4.0)), [vec![1], vec![]]);
    assert_eq!(perceived(&scene, &at(2.0)), [vec![1], vec![0]]);
    assert_eq!(perceived(&scene, &at(7.0)), [vec![], vec![]] as [Vec<u32>; 2]);
    let found = accelerations(&scene, &at(4.0));
    assert_near(found[0][0], 4.0, 1e-6);
    assert_eq!(found[1], [0.0; 3]);
}

#[test]
fn each_behavior_perceives_by_its_own_radius_and_view() {
    let species = format!(
        "count = 2\ntime_constant = 0.5\n{}{}{}",
        seeing("separation", 1.0, 2.0, 360.0),
        seeing("alignment", 1.0, 4.0, 180.0),
        seeing("cohesion", 1.0, 8.0, 360.0)
    );
    let scene = scene("world = { size = [50, 50] }", &species);
    let pull =
        |x: f64| accelerations(&scene, &state(&[[0.0; 3], [x, 0.0, 0.0]], &[[3.0, 0.0, 0.0], [3.0, 2.0, 0.0]]))[0];
    let (align, none) = ([0.0, 2.0 / 0.5, 0.0], [0.0; 3]);
    assert_near3(pull(1.5), plus([1.5 - 1.0 / 1.5, 0.0, 0.0], align), 1e-6);
    assert_near3(pull(3.0), plus([3.0, 0.0, 0.0], align), 1e-6);
    assert_near3(pull(-3.0), [-3.0, 0.0, 0.0], 1e-6);
    assert_near3(pull(-1.5), [-1.5 + 1.0 / 1.5, 0.0, 0.0], 1e-6);
    assert_near3(pull(6.0), [6.0, 0.0, 0.0], 1e-6);
    assert_eq!(pull(9.0), none);
}

#[test]
fn the_search_finds_exactly_whom_distance_and_angle_allow() {
    let mut draw = Draw::new(55);
    for case in 0..18 {
        let (spatial, boundary) = (case % 2 == 1, ["wrap", "contain", "open"][case / 2 % 3]);
        let radius = [0.7, 3.0, 9.9][case / 6];
        let size = if spatial { [40.0, 30.0, 20.0] } else { [40.0, 30.0, 0.0] };
        let head = match spatial {
            true => format!("world = {{ size = [40, 30, 20], boundary = \"{boundary}\" }}"),
            false => format!("world = {{ size = [40, 30], boundary = \"{boundary}\" }}"),
        };
        let scene = scene(&head, &format!("count = 400\n{}", seeing("alignment", 1.0, radius, 200.0)));
        // A third each: anywhere, in a cluster, and on whole numbers, where cells and the seam have their edges. In an
        // open world they are outside as well.
        let spread = if boundary == "open" { 0.8 } else { 0.5 };
        let position = |draw: &mut Draw, agent: usize| -> V {
            let anywhere: V = [0, 1, 2].map(|axis| size[axis] * draw.between(-spread, spread));
            match agent % 3 {
                0 => anywhere,
                1 => times(anywhere, 0.1),
                _ => anywhere.map(f64::round),
            }
        };
        let mut start = draw.crowd(400, spatial, 1.0, 5.0);
        for agent in 0..400 {
            start.positions[agent] = position(&mut draw, agent).map(|x| x as f32);
        }
        start.confine(&scene);
        let found = perceived(&scene, &start);
        let total: usize = found.iter().map(Vec::len).sum();
        println!("{head} radius {radius}: {total} perceptions");
        let wraps = boundary == "wrap";
        for (agent, found) in found.iter().enumerate() {
            for other in (0..400).filter(|&other| other != agent) {
                let verdict = allowed(&start, agent, other, size, wraps, radius, 100.0);
                let listed = found.contains(&(other as u32));
                assert!(verdict.is_none_or(|v| v == listed), "case {case}: agent {agent} and {other}: {listed}");
            }
        }
        assert!(total > 50);
    }
}

/// May an agent perceive another? None where rounding decides.
fn allowed(
    start: &State,
    agent: usize,
    other: usize,
    size: V,
    wraps: bool,
    radius: f64,
    half_angle: f64,
) -> Option<bool> {
    let mut offset = minus(wide(start.positions[other]), wide(start.positions[agent]));
    for axis in (0..3).filter(|&axis| wraps && size[axis] > 0.0) {
        offset[axis] -= size[axis] * (offset[axis] / size[axis]).round();
    }
    let (distance, velocity) = (norm(offset), wide(start.velocities[agent]));
    if distance == 0.0 {
        return Some(true);
    }
    let cosine = dot(offset, velocity) / (distance * norm(velocity));
    let edge = half_angle.to_radians().cos();
    let close = (distance / radius - 1.0).abs() < 1e-5 || (cosine - edge).abs() < 1e-5;
    (!close).then_some(distance <= radius && cosine >= edge)
}

#[test]
fn a_behavior_without_weight_is_gone_to_the_bit() {
    let rules = [
        ("separation", "weight = 12", "perception_radius = 2.5, field_of_view = 300"),
        ("alignment", "weight = 1", "perception_radius = 4, field_of_view = 270"),
        ("cohesion", "weight = 5", "perception_radius = 5, field_of_view = 200"),
        ("flow_field", "weight = 0.7", "prediction_time = 0.1"),
    ];
    let start = Draw::new(56).crowd(300, false, 15.0, 15.0);
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

#[test]
fn an_agent_that_nobody_perceives_changes_nobody() {
    let behaviors = seeing("separation", 12.0, 2.5, 300.0) + &seeing("alignment", 1.0, 4.0, 270.0);
    for spatial in [false, true] {
        let size = if spatial { "[100, 100, 100]" } else { "[100, 100]" };
        let scene = scene(&format!("world = {{ size = {size} }}"), &format!("count = 300\n{behaviors}"));
        let mut start = Draw::new(57).crowd(300, spatial, 10.0, 10.0);
        let mut end = |agent: [f32; 3]| {
            start.positions[17] = agent;
            let mut end = run(&scene, &start, 20);
            end.positions.remove(17);
            end.velocities.remove(17);
            (bits(&end.positions), bits(&end.velocities))
        };
        let far = end([40.0, 40.0, 0.0]);
        assert_eq!(far, end([-45.0, 30.0, 0.0]));
        assert_ne!(far, end([1.0, 1.0, 0.0]), "and one in their midst changes somebody");
    }
}

/// A species that uses no neighborhood behavior perceives nobody, not even an agent at its own place.
#[test]
fn a_species_without_the_behavior_perceives_nobody() {
    let blind = "[[species]]\nname = \"blind\"\ncount = 2\n";
    let seeing = format!("[[species]]\nname = \"sees\"\ncount = 2\n{}", all_around("cohesion", 1.0, 5.0));
    let scene = parse(&format!("schema = 1\nworld = {{ size = [50, 50] }}\n{seeing}{blind}"));
    let at = [[0.0; 3], [1.0, 0.0, 0.0], [10.0, 10.0, 0.0], [10.0, 10.0, 0.0]];
    let state = state(&at, &[[1.0, 0.0, 0.0]; 4]);
    assert_eq!(perceived(&scene, &state), [vec![1], vec![0], vec![], vec![]]);
}
