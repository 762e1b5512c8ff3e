//! The vehicle: force limit, semi-implicit Euler, speed limits, mass, and the time constant.

use crate::common::*;
use steerling::scene::Scene;

const EPS: f64 = f32::EPSILON as f64;

/// One agent in a world without ends whose field has this speed and direction.
fn pulled(dt: f64, speed: f64, direction: f64, species: &str) -> Scene {
    let head = format!(
        "dt = {dt}\nworld = {{ size = [1000, 1000], boundary = \"open\" }}\n\
         field = {{ source = \"uniform\", speed = {speed}, direction = {direction} }}"
    );
    scene(&head, &format!("count = 1\nbehaviors.flow_field = {{}}\n{species}"))
}

#[test]
fn speed_stays_within_its_limits() {
    let mut draw = Draw::new(1);
    let (mut at_least, mut at_most) = (0, 0);
    for case in 0..8 {
        let spatial = case % 2 == 1;
        let (min, max) = (draw.between(1.0, 5.0), draw.between(8.0, 20.0));
        let size = if spatial { "[40, 40, 40]" } else { "[40, 40]" };
        let boundary = ["wrap", "contain", "open"][case % 3];
        let species = format!(
            "count = 300\nmin_speed = {min}\nmax_speed = {max}\nmax_force = 400\ntime_constant = 0.05\n{}{}{}",
            seeing("separation", 50.0, 3.0, 300.0),
            seeing("alignment", -0.5, 5.0, 270.0),
            seeing("cohesion", 20.0, 5.0, 270.0)
        );
        let scene = scene(&format!("dt = 0.02\nworld = {{ size = {size}, boundary = \"{boundary}\" }}"), &species);
        let crowd = draw.crowd(300, spatial, 20.0, (min + max) / 2.0);
        let mut simulation = simulation(&scene, &crowd);
        for _ in 0..60 {
            simulation.step(1);
            for velocity in simulation.state().velocities {
                let speed = norm(wide(velocity));
                assert!(speed <= max * (1.0 + 1e-6) && speed >= min * (1.0 - 1e-6), "{min} <= {speed} <= {max}");
                at_least += u32::from(speed < min * (1.0 + 1e-6));
                at_most += u32::from(speed > max * (1.0 - 1e-6));
            }
        }
    }
    // Without limits these scenes would leave both bounds.
    println!("{at_least} times at the least, {at_most} times at the greatest speed");
    assert!(at_least > 100 && at_most > 100);
}

#[test]
fn the_speed_limit_keeps_the_direction() {
    let mut draw = Draw::new(2);
    for case in 0..64 {
        let spatial = case % 2 == 1;
        let size = if spatial { "[1000, 1000, 1000]" } else { "[1000, 1000]" };
        let scene = scene(&format!("world = {{ size = {size} }}"), "count = 1\nmin_speed = 4\nmax_speed = 9");
        let heading = draw.heading(spatial);
        let too_fast =
            wide(run(&scene, &state(&[[0.0; 3]], &[times(heading, draw.between(9.1, 90.0))]), 1).velocities[0]);
        let too_slow =
            wide(run(&scene, &state(&[[0.0; 3]], &[times(heading, draw.between(0.01, 3.9))]), 1).velocities[0]);
        assert_near3(too_fast, times(heading, 9.0), 1e-6);
        assert_near3(too_slow, times(heading, 4.0), 1e-6);
    }
    // A limit for each component would turn the velocity.
    assert!(!near3([9.0, 9.0, 0.0], times([0.8, 0.6, 0.0], 9.0), 1e-6));
}

#[test]
fn an_agent_at_rest_starts_in_a_direction_of_its_own() {
    let scene = scene("seed = 5\nworld = { size = [100, 100, 100] }", "count = 50\nmin_speed = 3\nmax_speed = 9");
    let start = state(&[[0.0; 3]; 50], &[[0.0; 3]; 50]);
    let first = run(&scene, &start, 1);
    assert_eq!(all_bits(&first), all_bits(&run(&scene, &start, 1)));
    first.velocities.iter().for_each(|v| assert_near(norm(wide(*v)), 3.0, 1e-6));
    let mean = norm(sum(&first.velocities.iter().map(|v| wide(*v)).collect::<Vec<_>>())) / 50.0;
    assert!(mean < 3.0 * 0.5, "the mean velocity of 50 random directions is {mean}");
    assert_ne!(first.velocities, run(&seeded(&scene, 6), &start, 1).velocities);
}

#[test]
fn the_force_is_limited_to_its_greatest_length() {
    let mut draw = Draw::new(3);
    let mut clipped = 0;
    for _ in 0..64 {
        let (mass, force) = (draw.scale(0.1, 10.0), draw.scale(0.1, 100.0));
        let (dt, tau, angle) = (draw.between(0.001, 0.05), draw.between(0.1, 1.0), draw.between(0.0, 360.0));
        let desired = draw.scale(0.1, 1e4);
        let species = format!("mass = {mass}\nmax_force = {force}\nmax_speed = 1e5\ntime_constant = {tau}");
        let scene = pulled(dt, desired, angle, &species);
        let start = state(&[draw.point(false, 100.0)], &[[0.0; 3]]);
        let gained = times(wide(run(&scene, &start, 1).velocities[0]), 1.0 / dt);
        let angle = angle.to_radians();
        let length = (desired / tau).min(force / mass);
        assert_near3(gained, [angle.cos() * length, angle.sin() * length, 0.0], 2e-6);
        assert!(norm(gained) * mass <= force * (1.0 + 1e-6));
        // A limit that forgets the mass, or clips at twice the force, gives another result wherever there is a clip.
        if desired / tau > 3.0 * force / mass && (mass - 1.0).abs() > 0.01 {
            clipped += 1;
            assert!(!near(norm(gained), (desired / tau).min(force), 1e-3));
            assert!(!near(norm(gained), (desired / tau).min(2.0 * force / mass), 1e-3));
        }
    }
    assert!((10..60).contains(&clipped), "{clipped} of 64 are clipped");
}

#[test]
fn constant_acceleration_has_the_closed_form_of_semi_implicit_euler() {
    let mut draw = Draw::new(4);
    for _ in 0..16 {
        let (force, mass, steps) = (draw.dyadic(1.0, 8.0), 2.0, 256);
        let (dt, acceleration, v0) = (1.0 / 64.0, force / mass, draw.dyadic(-5.0, 5.0));
        let species = format!("mass = {mass}\nmax_force = {force}\nmax_speed = 1e6\ntime_constant = 0.25");
        let scene = pulled(dt, 1e6, 0.0, &species);
        let x0 = draw.dyadic(-50.0, 50.0);
        let end = run(&scene, &state(&[[x0, 0.0, 0.0]], &[[v0, 0.0, 0.0]]), steps);
        let t = f64::from(steps) * dt;
        let (v, x) = (f64::from(end.velocities[0][0]), f64::from(end.positions[0][0]));
        let rounding = f64::from(steps) * EPS;
        assert!((v - (v0 + acceleration * t)).abs() <= rounding * (v0.abs() + acceleration * t), "v = {v}");
        let exact = x0 + v0 * t + acceleration * t * t / 2.0;
        let bound = 2.0 * rounding * (x0.abs() + v0.abs() * t + acceleration * t * t);
        let ahead = acceleration * t * dt / 2.0;
        assert!((x - (exact + ahead)).abs() <= bound, "x = {x}, {} expected, bound {bound}", exact + ahead);
        // Explicit Euler lags by as much, and the bound tells the two apart, and both from the exact path.
        assert!((x - (exact - ahead)).abs() > bound && (x - exact).abs() > bound);
    }
}

#[test]
fn a_time_constant_of_zero_is_one_step() {
    let mut draw = Draw::new(5);
    for _ in 0..16 {
        let (dt, speed) = (draw.scale(1e-3, 0.5), draw.between(1.0, 50.0));
        let species = "max_force = 1e9\nmax_speed = 1e5\ntime_constant = 0";
        let start = state(&[[0.0; 3]], &[draw.point(false, 50.0)]);
        let velocity = wide(run(&pulled(dt, speed, 0.0, species), &start, 1).velocities[0]);
        assert!(norm(minus(velocity, [speed, 0.0, 0.0])) <= 100.0 * 4.0 * EPS, "{velocity:?}");
    }
}

#[test]
fn twice_the_mass_with_twice_the_force_moves_the_same() {
    let mut draw = Draw::new(6);
    let crowd = draw.crowd(200, false, 10.0, 10.0);
    let with = |mass: f64, force: f64| {
        let behaviors = seeing("separation", 12.0, 2.5, 360.0) + &seeing("cohesion", 5.0, 5.0, 270.0);
        let species = format!("count = 200\nmass = {mass}\nmax_force = {force}\n{behaviors}");
        run(&scene("world = { size = [20, 20], boundary = [\"wrap\", \"contain\"], margin = 2 }", &species), &crowd, 30)
    };
    assert_eq!(all_bits(&with(1.0, 30.0)), all_bits(&with(4.0, 120.0)));
    assert_ne!(all_bits(&with(1.0, 30.0)), all_bits(&with(4.0, 30.0)));
}

#[test]
fn a_step_halves_with_the_mass_where_the_force_is_limited() {
    let gained = |mass: f64| {
        let species = format!("mass = {mass}\nmax_force = 3\nmax_speed = 1e5");
        f64::from(run(&pulled(0.01, 1e5, 0.0, &species), &state(&[[0.0; 3]], &[[0.0; 3]]), 1).velocities[0][0])
    };
    let mut draw = Draw::new(7);
    for _ in 0..16 {
        let mass = draw.scale(0.01, 100.0);
        assert_near(gained(mass), 3.0 / mass * 0.01, 1e-6);
        assert_near(gained(mass) / gained(2.0 * mass), 2.0, 1e-6);
    }
}

#[test]
fn without_steering_agents_fly_straight() {
    let mut draw = Draw::new(8);
    let scene = scene("dt = 0.01\nworld = { size = [10, 10, 10], boundary = \"open\" }", "count = 64\nmax_speed = 1e4");
    let start = draw.crowd(64, true, 5.0, 123.0);
    let end = run(&scene, &start, 100);
    assert_eq!(bits(&start.velocities), bits(&end.velocities));
    for agent in 0..64 {
        let travelled = minus(wide(end.positions[agent]), wide(start.positions[agent]));
        assert_near3(travelled, times(wide(start.velocities[agent]), 100.0 * f64::from(0.01f32)), 1e-5);
    }
}
