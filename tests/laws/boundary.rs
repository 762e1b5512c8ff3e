//! The ends of the world: joined, walled, or open.

use crate::common::*;
use std::f64::consts::PI;
use steerling::model::boundary::wrap_coordinate;

fn pair(world: &str, behaviors: &str, first: V, second: V) -> Vec<V> {
    let scene = scene(world, &format!("count = 2\n{behaviors}"));
    accelerations(&scene, &state(&[first, second], &[[0.0; 3]; 2]))
}

#[test]
fn across_the_seam_neighbors_are_as_near_as_anywhere() {
    let mut draw = Draw::new(71);
    for case in 0..64 {
        let spatial = case % 2 == 1;
        let world = if spatial { "world = { size = [40, 20, 30] }" } else { "world = { size = [40, 20] }" };
        let half = if spatial { [20.0, 10.0, 15.0] } else { [20.0, 10.0, 0.0] };
        // Across one seam, or across two or three at once in a corner.
        let gap: V = [0, 1, 2]
            .map(|axis| if half[axis] > 0.0 && (case >> (axis + 1)) % 2 == 0 { draw.between(0.05, 2.0) } else { 0.0 });
        if norm(gap) == 0.0 {
            continue;
        }
        let side = |sign: f64| -> V {
            [0, 1, 2].map(|axis| if gap[axis] > 0.0 { sign * (half[axis] - gap[axis] / 2.0) } else { 0.0 })
        };
        let (high, low) = (side(1.0), side(-1.0));
        let apart = pair(world, &all_around("separation", 2.0, 9.0), high, low);
        let together = pair(world, &all_around("cohesion", 2.0, 9.0), high, low);
        // From the high side the other is ahead, beyond the seam.
        let bound = 1e-4;
        assert!(
            norm(minus(apart[0], times(gap, -2.0 / dot(gap, gap)))) <= bound * norm(apart[0]),
            "{gap:?}: {apart:?}"
        );
        assert!(norm(minus(together[0], times(gap, 2.0))) <= bound * norm(together[0]), "{gap:?}: {together:?}");
        assert_eq!((apart[1], together[1]), (times(apart[0], -1.0), times(together[0], -1.0)));
        // Without the seam they would not see each other.
        let open = world.replace(']', "], boundary = \"open\"");
        assert_eq!(pair(&open, &all_around("cohesion", 2.0, 4.0), high, low)[0], [0.0; 3]);
    }
}

#[test]
fn a_walk_around_the_world_ends_where_it_began() {
    // Multiples of 1/64 and steps of 1/8 u: nothing is rounded on the way.
    let mut draw = Draw::new(72);
    for (velocity, period) in
        [([8.0, 0.0, 0.0], 256), ([0.0, -8.0, 0.0], 128), ([8.0, 4.0, 0.0], 256), ([-4.0, 8.0, 2.0], 512)]
    {
        let scene = scene("dt = 0.015625\nworld = { size = [32, 16, 16] }", "count = 1\nmax_speed = 100");
        let at = [draw.dyadic(-16.0, 15.9), draw.dyadic(-8.0, 7.9), draw.dyadic(-8.0, 7.9)];
        let start = state(&[at], &[velocity]);
        let mut simulation = simulation(&scene, &start);
        for step in 1..period {
            simulation.step(1);
            let now = simulation.state().positions[0];
            let inside = [16.0, 8.0, 8.0].iter().zip(now).all(|(half, x)| (-half..*half).contains(&x));
            assert!(inside && now != start.positions[0], "step {step}: {now:?}");
        }
        simulation.step(1);
        assert_eq!(all_bits(&simulation.state()), all_bits(&start));
    }
}

#[test]
fn a_wrapped_coordinate_is_always_in_the_world() {
    let mut draw = Draw::new(73);
    for size in [1e-3f32, 1.0, 0.3, 32.0, 153.6, 2400.0, 1e7] {
        let half = size * 0.5;
        let edges = [
            0.0,
            -0.0,
            half,
            -half,
            half.next_down(),
            half.next_up(),
            (-half).next_down(),
            (-half).next_up(),
            size,
            1e9,
            -1e9,
        ];
        let drawn = (0..2000).map(|_| (draw.between(-3.0, 3.0) * f64::from(size)) as f32);
        for x in edges.into_iter().chain(drawn) {
            let wrapped = wrap_coordinate(x, size, half);
            assert!((-half..half).contains(&wrapped), "{x:e} became {wrapped:e} in a world of {size:e}");
            let turns = (f64::from(x) - f64::from(wrapped)) / f64::from(size);
            let rounding = 3e-7 * (f64::from(x).abs() / f64::from(size) + 1.0);
            assert!((turns - turns.round()).abs() <= rounding, "{x:e} moved by {turns} worlds");
        }
    }
}

#[test]
fn nobody_leaves_a_walled_world() {
    let mut draw = Draw::new(74);
    for case in 0..8 {
        let spatial = case % 2 == 1;
        let size = if spatial { "[20, 20, 20]" } else { "[20, 20]" };
        let (margin, force, speed) = (draw.between(0.0, 5.0), draw.scale(0.1, 100.0), draw.between(5.0, 200.0));
        let behaviors = seeing("separation", 20.0, 3.0, 300.0) + &seeing("cohesion", -5.0, 5.0, 270.0);
        let species =
            format!("count = 150\nmin_speed = {speed}\nmax_speed = {speed}\nmax_force = {force}\n{behaviors}");
        let world = format!("world = {{ size = {size}, boundary = \"contain\", margin = {margin} }}");
        let mut simulation = simulation(&scene(&world, &species), &draw.crowd(150, spatial, 10.0, speed));
        let mut at_wall = 0;
        for step in 0..150 {
            simulation.step(1);
            for position in simulation.state().positions.as_flattened() {
                assert!(position.abs() <= 10.0, "case {case}, step {step}: {position}");
                at_wall += u32::from(position.abs() == 10.0);
            }
        }
        assert!(at_wall > 0, "case {case}: nobody came to a wall");
    }
}

#[test]
fn a_wall_turns_the_velocity_inward_and_keeps_the_speed() {
    let mut draw = Draw::new(75);
    let scene = scene(
        "dt = 0.01\nworld = { size = [10, 10, 10], boundary = \"contain\", margin = 0 }",
        "count = 100\nmax_speed = 100\nmax_force = 0",
    );
    let start = draw.crowd(100, true, 5.0, 60.0);
    let mut simulation = simulation(&scene, &start);
    let mut turned = 0;
    for _ in 0..100 {
        let before = simulation.state();
        simulation.step(1);
        let after = simulation.state();
        for agent in 0..100 {
            for axis in 0..3 {
                let (v, next) = (before.velocities[agent][axis], after.velocities[agent][axis]);
                let free = before.positions[agent][axis] + v * 0.01;
                let expected = if free.abs() > 5.0 { -v.abs() * free.signum() } else { v };
                assert_eq!(next.to_bits(), expected.to_bits());
                assert_eq!(after.positions[agent][axis], free.clamp(-5.0, 5.0));
                turned += u32::from(free.abs() > 5.0);
            }
        }
    }
    assert!(turned > 500, "only {turned} hits");
    assert_eq!(start.velocities[0].map(f32::abs), simulation.state().velocities[0].map(f32::abs));
}

#[test]
fn the_push_of_a_wall_rises_over_the_margin() {
    let mut draw = Draw::new(76);
    for _ in 0..64 {
        let (margin, force, mass) = (draw.between(0.5, 8.0), draw.scale(1.0, 100.0), draw.scale(0.1, 10.0));
        let world = format!(
            "world = {{ size = [40, 30, 50], boundary = [\"contain\", \"open\", \"contain\"], margin = {margin} }}"
        );
        let scene = scene(&world, &format!("count = 1\nmass = {mass}\nmax_force = {force}"));
        let at = [draw.between(-20.0, 20.0), draw.between(-15.0, 15.0), draw.between(-25.0, 25.0)];
        let push = |x: f64, half: f64| -x.signum() * force / mass * ((x.abs() - half + margin).max(0.0) / margin);
        let found = accelerations(&scene, &state(&[at], &[[1.0, 0.0, 0.0]]))[0];
        let expected = [push(at[0], 20.0), 0.0, push(at[2], 25.0)];
        assert!(norm(minus(found, expected)) <= 1e-5 * force / mass, "{found:?}, not {expected:?} at {at:?}");
    }
}

#[test]
fn a_slow_agent_turns_before_the_wall_like_on_a_spring() {
    // The margin is a spring of stiffness a/margin: the depth is v·√(margin/a), the speed comes back.
    let mut draw = Draw::new(77);
    for _ in 0..16 {
        let (margin, strongest) = (draw.between(2.0, 6.0), draw.between(20.0, 60.0));
        let speed = draw.between(0.2, 0.9) * (margin * strongest).sqrt();
        let dt = 1e-3;
        let world = format!("dt = {dt}\nworld = {{ size = [40, 40], boundary = \"contain\", margin = {margin} }}");
        let scene = scene(&world, &format!("count = 1\nmax_speed = 1000\nmax_force = {strongest}"));
        let mut simulation = simulation(&scene, &state(&[[20.0 - margin - 0.01, 0.0, 0.0]], &[[speed, 0.0, 0.0]]));
        let (mut deepest, mut inside) = (0.0f64, 0);
        while inside < 20000 {
            simulation.step(1);
            let depth = f64::from(simulation.state().positions[0][0]) - (20.0 - margin);
            deepest = deepest.max(depth);
            inside += u32::from(depth > 0.0);
            if inside > 0 && depth <= 0.0 {
                break;
            }
        }
        assert_near(deepest, speed * (margin / strongest).sqrt(), 0.005);
        assert!(deepest < margin);
        assert!((f64::from(inside) * dt - PI * (margin / strongest).sqrt()).abs() <= 2.0 * dt);
        assert_near(f64::from(simulation.state().velocities[0][0]), -speed, 0.01);
    }
}

#[test]
fn an_open_world_is_left_freely_and_perception_goes_on_outside() {
    let open = "dt = 0.02\nworld = { size = [20, 20], boundary = \"open\" }";
    let free = scene(open, "count = 1\nmax_speed = 50");
    let end = run(&free, &state(&[[9.0, -9.0, 0.0]], &[[30.0, -40.0, 0.0]]), 100);
    assert_near3(wide(end.positions[0]), [9.0 + 60.0, -9.0 - 80.0, 0.0], 1e-5);
    assert_eq!(end.velocities[0], [30.0, -40.0, 0.0]);
    let mut draw = Draw::new(78);
    for _ in 0..32 {
        let center = times(draw.heading(false), draw.between(15.0, 2000.0));
        let offset = times(draw.heading(false), draw.between(0.5, 4.9));
        let start = state(&[center, plus(center, offset)], &[[0.0; 3]; 2]);
        let offset = minus(wide(start.positions[1]), wide(start.positions[0]));
        let found = accelerations(&scene(open, &format!("count = 2\n{}", all_around("cohesion", 1.0, 5.0))), &start);
        assert_near3(found[0], offset, 1e-6);
        // Nor are the ends of an open world joined.
        let across = state(&[[9.9, 0.0, 0.0], [-9.9, 0.0, 0.0]], &[[0.0; 3]; 2]);
        let found = accelerations(&scene(open, &format!("count = 2\n{}", all_around("cohesion", 1.0, 5.0))), &across);
        assert_eq!(found[0], [0.0; 3]);
    }
}
