//! Roost: back over the roost by a turn, and to its height.

use crate::*;

laws! {
    roost_steering in both:
        "A = w a (s (1 - f c)/2 u(c - f (f c)) - L h up): s rises beyond the home, c leads back, h is the height",
        source: "Hildenbrandt, Carere and Hemelrijk 2010, Self-organized aerial displays, Roost attraction",
        mutant: roost_steer("(0.5 - 0.5 * ahead)" => "(0.5 + 0.5 * ahead)"),
        mistake: "agents that come back are turned, not those that leave";
    roost_returns in both:
        "at constant speed an agent is never farther out than the home, its ramp and one turn's width, 2 v²/a",
        source: "head-on the turn goes (π - 2) v²/a beyond the ramp; a curved edge adds to it",
        mutant: roost_steer("let inward = -along(at / home);" => "let inward = along(at / home);"),
        mistake: "the turn leads outward";
}

/// Half of the world's sides, u.
const HALF: V = [40.0, 20.0, 30.0];

fn sky(spatial: bool, dt: f64) -> Setup {
    Setup::within(spatial, times(HALF, 2.0), "open", dt, "")
}

/// A horizontal vector from its two components: x and z in space, x and y in the plane.
fn over_ground(spatial: bool, first: f64, second: f64) -> V {
    if spatial { [first, 0.0, second] } else { [first, second, 0.0] }
}

fn roost_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(sky(spatial, 0.01), 0..30, |setup, _| {
        let (weight, most, speed) = (draw.between(0.3, 3.0), draw.between(5.0, 40.0), draw.between(1.0, 20.0));
        let (extent, ramp) = (draw.between(0.2, 0.8), draw.between(0.1, 1.0));
        let (lean, level) = (draw.between(-2.0, 2.0), draw.between(0.0, 3.0));
        let (position, forward) = (draw.point(spatial, 35.0), draw.heading(spatial));
        let rule = format!("weight = {weight}, extent = {extent}, ramp = {ramp}, lean = {lean}, level = {level}");
        let limits = format!("max_speed = {speed}\nmax_force = {most}");
        let id = setup.agent(&format!("{limits}\nbehaviors.roost = {{ {rule} }}"), position, times(forward, speed));
        let Body { position: p, velocity } = setup.body(id);
        let most = weight * most;
        let forward = unit(velocity);
        let depth = if spatial { 2 } else { 1 };
        let (x, y) = (p[0] / (HALF[0] * extent), p[depth] / (HALF[depth] * extent));
        let beyond = (((x * x + y * y).sqrt() - 1.0) / ramp).clamp(0.0, 1.0);
        let way = unit(over_ground(spatial, -x / HALF[0], -y / HALF[depth]));
        // In the plane, the left of the way back; in space, where y is up, the horizontal direction across it.
        let side = if spatial { [way[2], 0.0, -way[0]] } else { [-way[1], way[0], 0.0] };
        let course = unit(plus(way, times(side, lean)));
        let ahead = dot(forward, course);
        let turn = unit(minus(course, times(forward, ahead)));
        let mut expected = times(turn, most * beyond * (1.0 - ahead) / 2.0);
        if spatial {
            expected[1] -= most * level * p[1] / (HALF[1] * extent);
        }
        let parameters = [("s", beyond), ("ahead", ahead), ("lean", lean), ("level", level)];
        (id, parameters, expected, 1e-4 * most)
    })
}

fn roost_returns(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(sky(spatial, DT), 1200, 0..16, |setup, id| {
        let (speed, most, ramp) = (draw.between(4.0, 8.0), draw.between(10.0, 40.0), draw.between(0.1, 0.4));
        let angle = draw.between(0.0, std::f64::consts::TAU);
        let limits = format!("min_speed = {speed}\nmax_speed = {speed}\nmax_force = {most}");
        let rule = format!("behaviors.roost = {{ extent = 0.4, ramp = {ramp}, lean = 0, level = 0 }}");
        let start = over_ground(spatial, draw.between(-8.0, 8.0), draw.between(-4.0, 4.0));
        let velocity = times(over_ground(spatial, angle.cos(), angle.sin()), speed);
        setup.agent(&format!("{limits}\n{rule}"), start, velocity);
        move |path| {
            let depth = if spatial { 2 } else { 1 };
            let home = |at: V| [0, depth].map(|axis: usize| at[axis] / HALF[axis] / 0.4);
            let far = path.iter().map(|bodies| home(bodies[id].position)).map(|[x, y]| x.hypot(y) - 1.0);
            let far = far.fold(0.0, f64::max);
            // Along the narrow axis a distance is the greatest share of the home.
            let narrow = 0.4 * HALF[depth];
            let bound = ramp + 2.0 * speed * speed / most / narrow;
            let parameters = [("v", speed), ("a", most), ("ramp", ramp)];
            bench.check(Case::at_most(&parameters, bound, far, speed * DT / narrow));
        }
    })
}
