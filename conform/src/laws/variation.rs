//! Vehicles that differ from agent to agent of a species.

use super::bodies::{Group, drawn, groups, moments};
use super::locomotion::{axis_of, flowing};
use crate::*;
use std::ops::Range;

laws! {
    variation_quadratic_drag:
        "quadratic drags have the mean quadratic_drag and the variance s²/3 within ±s, or s² within ±3.5 s; none is below 0",
        source: "independent draws; v (1 + q dt v) = a dt after a step from rest",
        mutant: drawn("max(number.mean + number.spread * deviation(world.seed, id, which, species[own].normal != 0u), 0.0)"
            => "number.mean + number.spread * deviation(world.seed, id, which, species[own].normal != 0u)"),
        mistake: "a drag below zero, which drives";
    variation_low_speed in both:
        "individual low speeds are distributed as in variation_speed; below its own low speed an agent's \
         acceleration across the heading is scaled",
        source: "independent draws; low_speed_lateral",
        mutant: low_speed_of("species[own].vehicle.low_speed"
            => "Drawn(species[own].vehicle.low_speed.mean, 0.5 * species[own].vehicle.low_speed.spread)"),
        mistake: "half of the spread";
    variation_turn_loss in both:
        "individual losses in turns are distributed as in variation_speed: after n steps at ω the speed is v / (1 + \
         ω² loss dt/2)ⁿ, with each agent's own loss",
        source: "independent draws; turn_first_loss",
        mutant: drive("drawn(own, limits.id, 8u, species[own].vehicle.turn_loss)" => "species[own].vehicle.turn_loss.mean"),
        mistake: "all agents have the same loss";
    variation_reverse_speed:
        "individual greatest speeds backward are distributed as in variation_speed; none is below 0, or above the \
         agent's greatest speed",
        source: "independent draws",
        mutant: backward_of("-drawn(own, id, 12u, Drawn(-species[own].vehicle.least_speed, species[own].vehicle.reverse_spread))"
            => "species[own].vehicle.least_speed"),
        mistake: "all agents are equally fast backward";
    variation_angular_acceleration in both:
        "individual greatest angular accelerations are distributed as in variation_speed: a turn from rest has the \
         spin α dt after a step",
        source: "independent draws",
        mutant: agility_of("drawn(own, id, 13u, species[own].vehicle.angular_limit)" => "species[own].vehicle.angular_limit.mean"),
        mistake: "all turn alike";
    variation_torque in both:
        "individual greatest torques and moments of inertia are distributed as in variation_speed; moments do not \
         depend on torques, nor lie below a tenth of the mean",
        source: "independent draws; α = torque / inertia",
        mutant: agility_of("own, id, 14u, species[own].vehicle.torque" => "own, id, 15u, species[own].vehicle.torque"),
        mistake: "strong agents are heavy";
    variation_braking in both:
        "an agent that turns with an angular acceleration of its own comes to rest at the goal, and does not swing \
         over",
        source: "turn_comes_to_rest",
        mutant: braking_of("0.8 * agility_of(own, id) * world.dt * world.dt;" => "species[own].vehicle.braking;"),
        mistake: "all brake as the mean does";
    variation_banking:
        "individual righting and leaning are distributed as in variation_speed: in a step that renews up by s, an \
         agent rolls by tan θ = r s / (1 - s) from its side, and with an acceleration a by l a s / (1 - s + r s) \
         from upright",
        source: "independent draws; up + (wish - up) s",
        mutant: banked("drawn(own, limits.id, 10u, species[own].vehicle.righting)" => "species[own].vehicle.righting.mean"),
        mistake: "all right themselves alike";
    variation_weight in both:
        "individual weights are distributed as in variation_speed, each behavior's apart from the others', and none \
         changes its sign",
        source: "independent draws; the weighted sum",
        mutant: own_weight("FIRST_WEIGHT + behavior" => "FIRST_WEIGHT"),
        mistake: "all weights of an agent are drawn alike";
}

const AGENTS: usize = 400;

/// An agent at the origin with this velocity.
fn moving(velocity: V) -> Body {
    Body::at(ZERO).moving(velocity)
}

/// A species of such agents.
fn alike(body: Body) -> impl Fn(&mut Draw) -> Vec<Body> {
    move |_| vec![body; AGENTS]
}

/// The share of agents for whom something holds, where the even draw of one beyond the end of its range decides.
fn share_case(end: f64, expected: f64, ids: Range<usize>, holds: impl Fn(usize) -> bool) -> Case {
    let share = ids.filter(|id| holds(*id)).count() as f64 / AGENTS as f64;
    Case::absolute(&[("end", end)], expected, share, 5.0 * (0.25 / AGENTS as f64).sqrt())
}

fn variation_quadratic_drag(bench: &Bench, draw: &mut Draw) -> Tried {
    let (dt, pull) = (0.125, 1000.0);
    let (mut setup, _) = flowing(false, dt, 1e6, 0.0);
    let lines = |drag: f64| {
        format!(
            "max_speed = 1e4\nmax_force = {pull}\nbehaviors.flow_field = {{}}\nvehicle = {{ quadratic_drag = {drag} }}"
        )
    };
    let all = groups(draw, &mut setup, (6, "quadratic_drag", 0.01), alike(moving(ZERO)), lines);
    let wide = format!("{}\nvariation = {{ quadratic_drag = 0.2 }}\n", lines(0.05));
    let wide = setup.species(&wide, &[moving(ZERO); AGENTS]);
    let after = bench.after(&setup, 1)?;
    let drag = |id: usize| {
        let speed = norm(after[id].velocity);
        (pull * dt / speed - 1.0) / (dt * speed)
    };
    bench.check(all.into_iter().flat_map(|group| group.cases(drag)));
    // Of an even draw over ±0.2 around 0.05, three eighths lie below 0.
    bench.check(share_case(0.0, 0.375, wide.clone(), |id| drag(id).abs() < 1e-6));
    bench.tried(Case::at_least(&[], 0.0, wide.map(drag).least(), 1e-6))
}

fn variation_low_speed(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (pull, speed) = (100.0, 0.4);
    let (mut setup, flow) = flowing(spatial, DT, 1e6, 90.0);
    let start = moving(times(draw.turned(spatial, unit(flow), 90.0), speed));
    let lines = |low: f64| {
        format!("max_speed = 1e6\nmax_force = {pull}\nbehaviors.flow_field = {{}}\nvehicle = {{ low_speed = {low} }}")
    };
    let all = groups(draw, &mut setup, (6, "low_speed", 1.0), alike(start), lines);
    let wide = setup.species(&format!("{}\nvariation = {{ low_speed = 20 }}\n", lines(4.0)), &[start; AGENTS]);
    let after = bench.after(&setup, 1)?;
    // No more than the speed where it is not limited at all.
    let low = |id: usize| pull * DT * speed / after[id].velocity[1];
    bench.check(all.into_iter().flat_map(|group| group.cases(low)));
    let unlimited = (speed - 4.0 + 20.0) / 40.0;
    bench.tried(share_case(0.0, unlimited, wide, |id| low(id) < speed * 1.0001))
}

fn variation_turn_loss(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps, speed, omega) = (0.01, 8, 10.0, 200.0_f64);
    let (mut setup, flow) = flowing(spatial, dt, 1e3, 0.0);
    let start = moving(times(draw.turned(spatial, unit(flow), 170.0), speed));
    let lines = |loss: f64| {
        format!(
            "max_speed = 1e6\nmax_force = 0\nbehaviors.flow_field = {{}}\n\
             vehicle = {{ locomotion = \"turn_first\", max_angular_speed = {omega}, turn_loss = {loss} }}"
        )
    };
    let all = groups(draw, &mut setup, (6, "turn_loss", 0.01), alike(start), lines);
    let after = bench.after(&setup, steps)?;
    let squared = omega.to_radians().powi(2);
    let loss =
        |id: usize| ((speed / norm(after[id].velocity)).powf(1.0 / f64::from(steps)) - 1.0) / (squared * dt / 2.0);
    bench.tried(all.into_iter().flat_map(|group| group.cases(loss)))
}

fn variation_reverse_speed(bench: &Bench, draw: &mut Draw) -> Tried {
    let (mut setup, _) = flowing(false, 0.01, 1e3, 180.0);
    let start = moving([5.0, 0.0, 0.0]);
    // It does not turn, so that what is desired stays behind it.
    let lines = |fastest: f64, backward: f64| {
        let vehicle = "locomotion = \"turn_first\", max_angular_speed = 0, reverse = \"allow\"";
        let acts = "behaviors.flow_field = {}";
        limits(fastest, 1e9, 0.0) + &format!("{acts}\nvehicle = {{ {vehicle}, max_reverse_speed = {backward} }}")
    };
    let key = (6, "max_reverse_speed", 1.0);
    let all = groups(draw, &mut setup, key, alike(start), |backward| lines(200.0, backward));
    let wide = format!("{}\nvariation = {{ max_reverse_speed = 20 }}\n", lines(10.0, 5.0));
    let wide = setup.species(&wide, &[start; AGENTS]);
    let after = bench.after(&setup, 1)?;
    let backward = |id: usize| -after[id].velocity[0];
    bench.check(all.into_iter().flat_map(|group| group.cases(backward)));
    // Of an even draw over ±20 around 5, three eighths lie beyond each end of 0 to 10.
    for end in [0.0, 10.0] {
        bench.check(share_case(end, 0.375, wide.clone(), |id| (backward(id) - end).abs() < 1e-4));
    }
    Ok(())
}

/// Lines of an agent that turns within a limit, toward a field.
fn turner(vehicle: &str) -> String {
    format!(
        "{FREE}time_constant = 0.1\nbehaviors.flow_field = {{}}\nvehicle = {{ locomotion = \"kinematic\", {vehicle} }}"
    )
}

fn variation_angular_acceleration(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut setup, flow) = flowing(spatial, DT, 5.0, 0.0);
    let start = moving(draw.turned(spatial, unit(flow), 170.0));
    let lines = |strongest: f64| turner(&format!("max_angular_acceleration = {strongest}"));
    let key = (6, "max_angular_acceleration", 10.0);
    let all = groups(draw, &mut setup, key, alike(start), lines);
    let poses = bench.run(&setup, 1)?.poses()?;
    bench.tried(all.into_iter().flat_map(|group| group.cases(|id| norm(poses[id].spin).to_degrees() / DT)))
}

fn variation_torque(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut setup, flow) = flowing(spatial, DT, 5.0, 0.0);
    let start = moving(draw.turned(spatial, unit(flow), 170.0));
    let lines = |torque: f64, inertia: f64| turner(&format!("max_torque = {torque}, moment_of_inertia = {inertia}"));
    let torques = groups(draw, &mut setup, (6, "max_torque", 1.0), alike(start), |torque| lines(torque, 2.0));
    let inertias =
        groups(draw, &mut setup, (6, "moment_of_inertia", 1.0), alike(start), |inertia| lines(100.0, inertia));
    let both = [(); 4].map(|()| {
        let (of_torque, of_inertia) = (draw.between(0.1, 0.25), draw.between(0.1, 0.25));
        let spread = format!("max_torque = {}, moment_of_inertia = {}", 100.0 * of_torque, 10.0 * of_inertia);
        let lines = format!("{}\nvariation = {{ {spread} }}\n", lines(100.0, 10.0));
        (of_torque, of_inertia, setup.species(&lines, &[start; AGENTS]))
    });
    let light = format!("{}\nvariation = {{ moment_of_inertia = 20 }}\n", lines(100.0, 4.0));
    let light = setup.species(&light, &[start; AGENTS]);
    let poses = bench.run(&setup, 1)?.poses()?;
    let gained = |id: usize| norm(poses[id].spin) / DT;
    bench.check(torques.into_iter().flat_map(|group| group.cases(|id| gained(id) * 2.0)));
    bench.check(inertias.into_iter().flat_map(|group| group.cases(|id| 100.0 / gained(id))));
    for (of_torque, of_inertia, ids) in both {
        // ln α = ln torque - ln inertia: were both drawn as one, most of the variance would be gone.
        let (_, variance) = moments(&ids.map(|id| gained(id).ln()).collect::<Vec<f64>>());
        let parameters = [("s/torque", of_torque), ("s/inertia", of_inertia)];
        bench.check(Case::relative(&parameters, (of_torque.powi(2) + of_inertia.powi(2)) / 3.0, variance, 0.45));
    }
    let lightest = light.map(|id| 100.0 / gained(id)).least();
    bench.tried(Case::relative(&[("inertia", 4.0)], 0.4, lightest, 1e-4))
}

fn variation_braking(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, flow) = flowing(spatial, 1.0 / 32.0, 5.0, draw.between(0.0, 360.0));
    let kinds = [
        ("max_angular_acceleration = 1700", "max_angular_acceleration = 1100"),
        ("max_torque = 30, moment_of_inertia = 1", "max_torque = 20"),
    ];
    bench.watches(setup, 0..=160, kinds, |setup, (given, spread)| {
        let lines = format!("{}\nvariation = {{ {spread} }}\n", turner(given));
        let turns = setup.species(&lines, &[moving(ZERO); 24]).map(|id| {
            let end = draw.between(0.2, 3.0);
            let heading = draw.turned(spatial, unit(flow), end.to_degrees());
            setup.face(id, heading, axis_of(draw, spatial, heading), ZERO);
            (id, end)
        });
        let turns: Vec<(usize, f64)> = turns.collect();
        move |seen| {
            for (id, end) in turns {
                let forward = |moment: &Moment| moment.poses[id].forward;
                let start = forward(&seen[0]);
                let farthest = seen.iter().map(|moment| angle(start, forward(moment))).fold(0.0, f64::max);
                bench.check(Case::at_most(&[("φ", end)], end, farthest, 1e-5));
                bench.check(Case::absolute(&[("φ", end)], 0.0, angle(forward(&seen[160]), flow), 1e-5));
            }
        }
    })
}

fn variation_banking(bench: &Bench, draw: &mut Draw) -> Tried {
    let (dt, rate, pull, speed, righting) = (1.0 / 32.0, 5.0, 2.0, 3.0, 0.2);
    let renewed = |rate: f64| 1.0 - (-rate * dt).exp();
    let (share, smoothed) = (renewed(rate), renewed(3.0 * rate));
    let (mut setup, _) = flowing(true, dt, 1e6, 0.0);
    let [x, y, z]: [V; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let lines = |behaviors: &str, righting: f64, leaning: f64| {
        format!(
            "max_speed = 1e6\nmax_force = {pull}\n{behaviors}\n\
             vehicle.banking = {{ righting = {righting}, leaning = {leaning}, rate = {rate} }}"
        )
    };
    // One flies on its side along x, one upright along z and is pulled along x.
    let rights = |righting: f64| lines("", righting, 0.05);
    let rights = groups(draw, &mut setup, (6, "righting", 0.01), alike(moving(times(x, speed))), rights);
    let leans = |leaning: f64| lines("behaviors.flow_field = {}", righting, leaning);
    let leans = groups(draw, &mut setup, (6, "leaning", 0.01), alike(moving(times(z, speed))), leans);
    for group in &rights {
        group.ids.clone().for_each(|id| setup.face(id, x, z, ZERO));
    }
    for group in &leans {
        group.ids.clone().for_each(|id| setup.face(id, z, y, ZERO));
    }
    let ups: Vec<V> = bench.run(&setup, 1)?.poses()?.iter().map(|pose| pose.up).collect();
    let righted = |id: usize| ups[id][1] / ups[id][2] * (1.0 - share) / share;
    // The heading has turned toward x, and up stands across it.
    let turned = (pull * dt / speed).atan();
    let leaned = |id: usize| {
        let [across, along] = [ups[id][0] * turned.cos() - ups[id][2] * turned.sin(), ups[id][1]];
        let wished = across / along * (1.0 - share + righting * share) / turned.cos();
        wished / (pull * smoothed * share)
    };
    bench.check(rights.into_iter().flat_map(|group| group.cases(righted)));
    bench.tried(leans.into_iter().flat_map(|group| group.cases(leaned)))
}

fn variation_weight(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (speed, tau) = (8.0, 0.5);
    let (mut setup, _) = flowing(spatial, 0.01, speed, 90.0);
    // One wants a velocity along x, or z in space, the other one along y.
    let (first, target) = if spatial { (2, "[0, 0, 1e6]") } else { (0, "[1e6, 0]") };
    let lines = |(seek, spread): (f64, f64), (flow, flow_spread): (f64, f64)| {
        limits(speed, 1e9, tau)
            + &format!(
                "behaviors.seek = {{ target = {{ point = {target} }}, weight = {seek}, weight_spread = {spread} }}\n\
             behaviors.flow_field = {{ weight = {flow}, weight_spread = {flow_spread} }}\n"
            )
    };
    let mut all = Vec::new();
    for index in 0..6 {
        let (mean, spread, normal, word) = drawn(draw, index);
        let other = (mean * 0.5, spread);
        let lines = format!("{}variation.distribution = \"{word}\"\n", lines((mean, spread), other));
        let ids = setup.species(&lines, &[moving(ZERO); AGENTS]);
        all.push([mean, other.0].map(|mean| Group { mean, spread, normal, ids: ids.clone() }));
    }
    let wide = setup.species(&lines((0.5, 2.0), (-0.5, 2.0)), &[moving(ZERO); AGENTS]);
    let found = bench.steering(&setup)?.accelerations;
    let weight = |axis: usize| {
        let found = &found;
        move |id: usize| found[id][axis] * tau / speed
    };
    for [seeks, flows] in all {
        let (mut apart, (mean, other)) = (0.0, (seeks.mean, flows.mean));
        for id in seeks.ids.clone() {
            apart += (weight(first)(id) - mean) * (weight(1)(id) - other);
        }
        let variance = seeks.spread.powi(2) * if seeks.normal { 1.0 } else { 1.0 / 3.0 };
        let correlation = apart / AGENTS as f64 / variance;
        bench.check(Case::absolute(&[("s", seeks.spread)], 0.0, correlation, 5.0 / (AGENTS as f64).sqrt()));
        bench.check(seeks.cases(weight(first)));
        bench.check(flows.cases(weight(1)));
    }
    // Of an even draw over ±2 around 0.5, three eighths lie beyond 0.
    for (axis, sign) in [(first, 1.0), (1, -1.0)] {
        let signed = |id: usize| sign * weight(axis)(id);
        bench.check(share_case(0.0, 0.375, wide.clone(), |id| signed(id).abs() < 1e-5));
        bench.check(Case::at_least(&[("sign", sign)], 0.0, wide.clone().map(signed).least(), 1e-5));
    }
    Ok(())
}
