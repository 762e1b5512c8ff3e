//! Interpose: a place between two others.

use crate::*;

laws! {
    interpose_velocity in both:
        "V arrives at p + (q - p) s + w T: T = d/(v_max + w) to the place between p and q, w its velocity",
        source: "Buckland, Interpose, with the closing time",
        mutant: interpose_steer("let velocity = goal.velocity + (other.velocity - goal.velocity) * interpose.share;"
            => "let velocity = goal.velocity;"),
        mistake: "only the target's motion is predicted";
    interpose_place in both:
        "between two agents at rest, the agent comes to rest at its share of the way from the target to the other one",
        source: "Buckland, Interpose",
        mutant: interpose_steer("between * interpose.share" => "between * (1.0 - interpose.share)"),
        mistake: "the share is counted from the other end";
    interpose_across_the_seam in both:
        "in a wrapped world the place is on the shortest way between the two, also where the seam parts them",
        source: "minimum image",
        mutant: interpose_steer("nearest_image(other.offset - goal.offset);" => "other.offset - goal.offset;"),
        mistake: "no minimum image";
}

fn rule(pair: usize, share: f64, radius: f64) -> String {
    let targets = format!("target = {{ agent = {} }}, other = {{ agent = {} }}", 2 * pair, 2 * pair + 1);
    format!("behaviors.interpose = {{ {targets}, share = {share}, slow_radius = {radius} }}")
}

fn interpose_velocity(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let setup = Setup::open(spatial, 0.01).with("max_speed = 6", &draw.crowd(32, spatial, ZERO, 30.0, 6.0));
    bench.wants(setup, 0..16, |setup, pair| {
        let (share, radius) = (draw.between(0.0, 1.0), draw.between(2.0, 20.0));
        let speed = draw.between(8.0, 20.0);
        let lines = format!("time_constant = 1\nmax_speed = {speed}\n{}", rule(pair, share, radius));
        setup.agent(&lines, draw.point(spatial, 30.0), draw.point(spatial, 5.0));
        let (own, p, q) = (setup.body(32 + pair), setup.body(2 * pair), setup.body(2 * pair + 1));
        let mixed = |from: V, to: V| plus(times(from, 1.0 - share), times(to, share));
        let (place, drift) = (minus(mixed(p.position, q.position), own.position), mixed(p.velocity, q.velocity));
        let way = plus(place, times(drift, norm(place) / (speed + norm(drift))));
        let desired = times(unit(way), speed * (norm(way) / radius).min(1.0));
        let parameters = [("s", share), ("R", radius), ("v_max", speed)];
        (32 + pair, parameters, minus(desired, own.velocity), 2e-5 * speed)
    })
}

fn interpose_place(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let setup = Setup::open(spatial, 1.0 / 32.0).with("", &draw.crowd(28, spatial, ZERO, 20.0, 0.0));
    // At most 70 u away: 9 s at full speed, and then e^(-v t/R) of the slow radius.
    bench.ends(setup, 640, PLACE, 0..14, |setup, pair| {
        let (share, radius) = (draw.between(0.0, 1.0), draw.between(2.0, 4.0));
        let lines = limits(8.0, 200.0, 0.05) + &rule(pair, share, radius);
        let id = setup.agent(&lines, draw.point(spatial, 20.0), ZERO);
        let [p, q] = [2 * pair, 2 * pair + 1].map(|id| setup.body(id).position);
        (id, [("s", share)], plus(times(p, 1.0 - share), times(q, share)), 1e-3)
    })
}

fn interpose_across_the_seam(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let size = 96.0;
    // The agent in the middle of the world, the two to its left and right: the shortest way is over the seam.
    let mut drawn = |_| {
        let aside = draw.point(spatial, 4.0);
        let reach = [draw.between(30.0, 40.0), draw.between(30.0, 40.0)];
        ([[-reach[0], aside[1], aside[2]], [reach[1], -aside[1], aside[2]]], draw.between(0.1, 0.9))
    };
    let drawn: Vec<([V; 2], f64)> = (0..14).map(&mut drawn).collect();
    let bodies: Vec<Body> = drawn.iter().flat_map(|(both, _)| both.map(Body::at)).collect();
    let setup = Setup::within(spatial, [size; 3], "wrap", 0.01, "").with("", &bodies);
    bench.wants(setup, drawn.into_iter().enumerate(), |setup, (pair, ([p, q], share))| {
        let over = minus(minus(q, p), [size, 0.0, 0.0]);
        let [x, y, z] = plus(p, times(over, share));
        // The agent, too, takes the shortest way to it.
        let place = [if x < -0.5 * size { x + size } else { x }, y, z];
        let lines = format!("time_constant = 1\nmax_speed = 8\n{}", rule(pair, share, 1.0));
        (setup.agent(&lines, ZERO, ZERO), [("s", share)], times(unit(place), 8.0), 1e-3)
    })
}
