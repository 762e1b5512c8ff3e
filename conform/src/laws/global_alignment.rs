//! Alignment with unlimited vision: toward the mean of all agents of the world.

use crate::*;

laws! {
    global_alignment_variance in both:
        "the variance of velocities shrinks by (1 - k dt/τ)² a step, whatever the distances, and their mean stays",
        source: "linear relaxation toward the mean of all (Cucker and Smale 2007 with all-to-all links)",
        mutant: census("extension + carry" => "extension"),
        mistake: "the carry of the 64-bit sums is lost";
    global_alignment_heading in both:
        "A = k v_max (mean û - û)/τ of all headings of the world, of which those that stand have none; full_speed, course: k (v_max e - v)/τ, e the direction of Σ v, Σ û",
        source: "alignment with unlimited vision (Shiffman, The Nature of Code)",
        mutant: global_alignment_steer("return align_headings(sum_of_headings(), headings_counted(), agent);"
            => "return steer_to(agent, mean_velocity());"),
        mistake: "the mode is ignored";
    global_alignment_heading_rests in both:
        "an aligned world, whatever way its bodies face, flies on at its speed in the heading mode, and comes to |v|(n) = v_max + \
         (|v| - v_max)(1 - k dt/τ)ⁿ in the others",
        source: "all headings agree, so their mean is the own one, and the desired velocity v_max along it",
        mutant: global_alignment_steer("return align_headings(sum_of_headings(), headings_counted(), agent);"
            => "return align_to_course(sum_of_headings(), agent);"),
        mistake: "full speed is desired in every mode";
}

fn global_alignment_variance(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for agents in [2, 63, 64, 65, 1000] {
        let (weight, steps) = (draw.scale(0.2, 2.0), 100);
        let drift = draw.point(spatial, 8.0);
        let body = |draw: &mut Draw| Body::at(draw.point(spatial, 190.0)).moving(plus(drift, draw.point(spatial, 5.0)));
        let lines = limits(40.0, 1e6, 1.0) + &format!("behaviors.global_alignment = {{ weight = {weight} }}\n");
        let setup = Setup::open(spatial, 0.01).with(&lines, &draw.bodies(agents, body));
        let velocities = |bodies: Vec<Body>| bodies.into_iter().map(|b| b.velocity).collect::<Vec<V>>();
        let (old, new) = (velocities(setup.bodies()), velocities(bench.after(&setup, steps)?));
        let spread = |all: &[V]| {
            let middle = mean(all);
            all.iter().map(|v| dot(minus(*v, middle), minus(*v, middle))).sum::<f64>() / all.len() as f64
        };
        let shrinking = (1.0 - weight * 0.01).powi(2 * steps as i32);
        let parameters = [("k", weight), ("agents", agents as f64), dimensions(spatial)];
        bench.check(Case::relative(&parameters, spread(&old) * shrinking, spread(&new), 1e-5));
        // The sums keep 20 binary digits of each share of the top speed.
        bench.check(Case::vector_within(&parameters, mean(&old), mean(&new), 1e-4));
    }
    Ok(())
}

fn global_alignment_heading(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let modes = ["heading", "full_speed", "course"];
    for (agents, mode) in [3, 20, 257].into_iter().flat_map(|agents| modes.map(|mode| (agents, mode))) {
        let (speed, tau) = (draw.scale(10.0, 40.0), draw.scale(0.05, 2.0));
        // Most velocities point one way, so that their sum is not a difference of large numbers.
        let course = times(draw.heading(spatial), 3.0);
        let body =
            |draw: &mut Draw| Body::at(draw.point(spatial, 190.0)).moving(plus(course, draw.point(spatial, 4.0)));
        let rule = format!("behaviors.global_alignment = {{ mode = {mode:?} }}\n");
        let lines = format!("max_speed = {speed}\ntime_constant = {tau}\n{rule}");
        let setup = Setup::open(spatial, 0.01)
            .with(&lines, &draw.bodies(agents, body))
            .with("max_speed = 0", &vec![Body::at(ZERO); agents / 2]);
        let bodies = setup.bodies();
        let headings: Vec<V> = bodies[..agents].iter().map(|b| unit(b.velocity)).collect();
        let velocities: Vec<V> = bodies.iter().map(|b| b.velocity).collect();
        bench.wants(setup, 0..3, |_, id| {
            let own = bodies[id].velocity;
            let wanted = match mode {
                "heading" => times(minus(mean(&headings), unit(own)), speed),
                "course" => minus(times(unit(sum(&headings)), speed), own),
                _ => minus(times(unit(sum(&velocities)), speed), own),
            };
            let parameters = [("v_max", speed), ("tau", tau), ("agents", agents as f64)];
            (id, parameters, times(wanted, 1.0 / tau), 1e-5 * (speed + 10.0) / tau)
        })?;
    }
    Ok(())
}

fn global_alignment_heading_rests(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for (index, mode) in ["heading", "full_speed", "course"].into_iter().cycle().take(12).enumerate() {
        let (most, tau, weight) = (draw.between(5.0, 20.0), draw.scale(0.1, 2.0), draw.between(0.3, 1.5));
        let (course, agents, steps) = (draw.heading(spatial), draw.whole(2, 60), draw.whole(8, 64));
        let speed = most * draw.between(0.1, 0.9);
        let bodies =
            draw.bodies(agents as usize, |draw| Body::at(draw.point(spatial, 190.0)).moving(times(course, speed)));
        let mut setup = Setup::open(spatial, DT);
        let rule = format!("behaviors.global_alignment = {{ mode = {mode:?}, weight = {weight} }}");
        let facing = ["", "vehicle.facing = \"independent\""][index % 2];
        let lines = limits(most, 1e6, tau) + &format!("{rule}\n{facing}\n");
        setup.species(&lines, &bodies).for_each(|id| setup.face(id, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], ZERO));
        let left = (1.0 - weight * DT / tau).powi(steps as i32);
        let expected = if mode == "heading" { speed } else { most + (speed - most) * left };
        let parameters = [("v", speed), ("v_max", most), ("k", weight), ("τ", tau), ("n", f64::from(steps))];
        let found = bench.after(&setup, steps)?;
        // The sums keep 20 binary digits of each share.
        for body in &found[..2] {
            bench.check(Case::vector_within(&parameters, times(course, expected), body.velocity, 2e-4 * most));
        }
    }
    Ok(())
}
