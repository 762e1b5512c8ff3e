//! Zones: the model of Couzin and others.

use crate::*;
use std::ops::Range;

laws! {
    source: "Couzin et al. 2002, Collective memory and spatial sorting in animal groups";
    zones_repulsion in both: "with any neighbors within r_r, all around, V is along -Σ r̂ over those alone",
        mutant: zones_resolve("select(sum.course, sum.away, sum.crowded > 0u)" => "sum.course + sum.away"),
        mistake: "neighbors beyond r_r count as well";
    zones_course in both:
        "with no neighbor within r_r, V is along Σ v̂ + Σ r̂: headings up to r_o, directions beyond; without any \
         neighbor V is straight on",
        mutant: zones_add("select(toward, neighbor.heading, neighbor.distance <= zones.orientation_radius)"
            => "neighbor.heading"),
        mistake: "no neighbor attracts";
    zones_blind_angle in both: "a neighbor behind, in the blind angle, counts only within r_r",
        mutant: zones_add("sees(zones.vision, neighbor) && !near" => "sees(around, neighbor) && !near"),
        mistake: "nothing is hidden";
    zones_coincident in both: "two at one point part in opposite directions at full speed",
        source: "no published rule; as in separation",
        mutant: zones_add_coincident("select(-apart, apart, agent.id < other)" => "apart"),
        mistake: "coincident agents part the same way";
    zones_swarm_torus_parallel:
        "groups with r_o = 1, 3.5, 8 u are after 40 s a swarm (p, m low), a torus (p low, m > 0.5), and of one \
         heading (p > 0.95)",
        source: "Couzin et al. 2002, figures 2 and 3: r_r = 1 u, 270 degrees, 3 u/s, 40 degrees/s, error 0.05 rad",
        mutant: zones_add("theirs * select(0.0, 1.0, heeded)" => "toward * select(0.0, 1.0, heeded)"),
        mistake: "no agent aligns: all are swarms";
    zones_dynamic_and_highly_parallel:
        "groups with r_o = 8 u fly straight, p > 0.99; those with 4.75 u have, on average, 0.5 < p < 0.98, m < 0.6, \
         and their agents move about within the group, 4 times as far at least",
        source: "Couzin et al. 2002: dynamic parallel groups between the torus and highly parallel ones, whose p is close to 1",
        mutant: zones_add("select(toward, neighbor.heading, neighbor.distance <= zones.orientation_radius)"
            => "neighbor.heading"),
        mistake: "no neighbor attracts: all are highly parallel";
    zones_hysteresis:
        "with r_o = 3.5 u groups that were swarms are tori (p < 0.55, m > 0.45), and the same groups after r_o = 8 \
         and 5 u keep one heading (p > 0.9, m < 0.2), on average",
        source: "Couzin et al. 2002, collective memory: the state of a group depends on whether r_o grew or shrank",
        mutant: zones_add("zones.orientation_radius" => "0.5 * zones.orientation_radius"),
        mistake: "the radius is taken for a diameter: no torus, and no memory of one heading";
}

/// Radii, speed and time constant of a crowd, and its field of view in degrees.
struct Drawn {
    repulsion: f64,
    orientation: f64,
    attraction: f64,
    view: f64,
    speed: f64,
    tau: f64,
}

impl Drawn {
    fn new(draw: &mut Draw, view: f64) -> Drawn {
        let (repulsion, wider) = (draw.between(1.0, 3.0), draw.between(1.0, 4.0));
        let orientation = f64::from((repulsion + wider) as f32);
        let (speed, tau) = (draw.between(2.0, 20.0), draw.scale(0.1, 2.0));
        Drawn { repulsion, orientation, attraction: 12.0, view, speed, tau }
    }

    fn lines(&self) -> String {
        let Drawn { repulsion, orientation, attraction, view, speed, tau } = self;
        let radii = format!("repulsion_radius = {repulsion}, orientation_radius = {orientation}");
        let vision = format!("perception_radius = {attraction}, field_of_view = {view}");
        format!("max_speed = {speed}\ntime_constant = {tau}\nbehaviors.zones = {{ {radii}, {vision} }}")
    }

    /// Is a neighbor at this offset too near to an edge for f32?
    fn is_at_an_edge(&self, own: Body, offset: V) -> bool {
        let near = |edge: f64| (norm(offset) - edge).abs() < 1e-3;
        let angle =
            (dot(offset, own.velocity) / norm(offset) / norm(own.velocity)).clamp(-1.0, 1.0).acos().to_degrees();
        near(self.repulsion)
            || near(self.orientation)
            || near(self.attraction)
            || (angle - self.view / 2.0).abs() < 0.05
    }

    /// The direction that the first of some agents wants, and the length of the sum that gives it.
    fn wanted(&self, bodies: &[Body]) -> (V, f64) {
        let own = bodies[0];
        let way = |id: usize| minus(bodies[id].position, own.position);
        let within = |radius: f64, view: f64| perceived(bodies, 0, radius, view);
        let near: Vec<V> = within(self.repulsion, 360.0).into_iter().map(|id| times(unit(way(id)), -1.0)).collect();
        let heed =
            |id: usize| if norm(way(id)) <= self.orientation { unit(bodies[id].velocity) } else { unit(way(id)) };
        let far: Vec<V> = within(self.attraction, self.view).into_iter().map(heed).collect();
        let total = match (&near[..], &far[..]) {
            ([], []) => unit(own.velocity),
            ([], far) => sum(far),
            (near, _) => sum(near),
        };
        (times(minus(times(unit(total), self.speed), own.velocity), 1.0 / self.tau), norm(total))
    }
}

/// Check how an agent steers among a crowd whose distances from it are in a range.
fn crowds(
    bench: &Bench,
    draw: &mut Draw,
    spatial: bool,
    views: Range<f64>,
    distances: impl Fn(&Drawn) -> Range<f64>,
    place: impl Fn(&mut Draw, bool, V, &Drawn) -> V,
) -> Tried {
    bench.wants(Setup::open(spatial, 0.01).apart(), [1, 2, 3, 5, 8, 13, 21, 1, 2, 3, 4, 6], |setup, size| {
        let view = draw.between(views.start, views.end);
        let drawn = Drawn::new(draw, view);
        // Draw again if unit vectors nearly cancel: their sum would be rounding.
        let bodies = loop {
            let own = Body::at(rounded(draw.point(spatial, 20.0))).moving(rounded(draw.point(spatial, 5.0)));
            let mut bodies = vec![own];
            while bodies.len() <= size {
                let range = distances(&drawn);
                let heading = place(draw, spatial, unit(own.velocity), &drawn);
                let offset = times(heading, draw.between(range.start, range.end));
                let position = rounded(plus(own.position, offset));
                if !drawn.is_at_an_edge(own, minus(position, own.position)) {
                    bodies.push(Body::at(position).moving(rounded(times(draw.heading(spatial), 5.0))));
                }
            }
            if norm(own.velocity) > 0.5 && drawn.wanted(&bodies).1 > 0.2 {
                break bodies;
            }
        };
        let ids = setup.species(&drawn.lines(), &bodies);
        let Drawn { repulsion, orientation, speed, tau, .. } = drawn;
        let (wanted, length) = drawn.wanted(&bodies);
        let parameters = [("agents", ids.len() as f64), ("r_r", repulsion), ("r_o", orientation), ("view", view)];
        (ids.start, parameters, wanted, 1e-5 * (1.0 + 1.0 / length) * speed.max(5.0) / tau)
    })
}

fn zones_repulsion(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let distances = |drawn: &Drawn| 0.2..drawn.repulsion * 1.3;
    crowds(bench, draw, spatial, 60.0..359.0, distances, |draw, spatial, _, _| draw.heading(spatial))
}

fn zones_course(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let distances = |drawn: &Drawn| drawn.repulsion * 1.01..drawn.attraction * 1.1;
    crowds(bench, draw, spatial, 60.0..359.0, distances, |draw, spatial, _, _| draw.heading(spatial))
}

fn zones_blind_angle(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let distances = |drawn: &Drawn| drawn.repulsion * 0.9..drawn.attraction;
    crowds(bench, draw, spatial, 200.0..300.0, distances, |draw, spatial, forward, drawn| {
        let angle = draw.between(drawn.view / 2.0 - 10.0, 180.0);
        draw.turned(spatial, forward, angle)
    })
}

fn zones_coincident(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..12, |setup, pair| {
        let drawn = Drawn::new(draw, 270.0);
        let both = Body::at(draw.point(spatial, 100.0));
        setup.species(&drawn.lines(), &[both, both]);
        let most = drawn.speed / drawn.tau;
        move |found| {
            let (one, other) = (found[2 * pair], found[2 * pair + 1]);
            bench.check(Case::relative(&[("v_max/τ", most)], most, norm(one), 1e-5));
            bench.check(Case::vector_within(&[("v_max/τ", most)], ZERO, plus(one, other), 1e-5 * most));
        }
    })
}

/// Polarization and group rotation: |Σ v̂| / N, and |Σ r̂ × v̂| / N about the center.
pub fn order(bodies: &[Body]) -> (f64, f64) {
    let center = mean(&bodies.iter().map(|body| body.position).collect::<Vec<V>>());
    let headings: Vec<V> = bodies.iter().map(|body| unit(body.velocity)).collect();
    let spins: Vec<V> =
        bodies.iter().map(|body| cross(unit(minus(body.position, center)), unit(body.velocity))).collect();
    (norm(mean(&headings)), norm(mean(&spins)))
}

/// Averages over the motion of a group.
struct Group {
    /// Its radius of orientation, u.
    orientation: f64,
    polarization: f64,
    rotation: f64,
    /// How far members move within the group in 2.5 s, root mean square, u.
    mobility: f64,
}

/// Agents of a group.
const SIZE: usize = 50;

/// The species of a group with this radius of orientation.
fn member(orientation: f64) -> String {
    // 0.05 rad to each side at 3 u/s, in space: 0.05 · 3 · √3 / √dt.
    format!(
        "max_speed = 3\nmin_speed = 3\nmax_force = 1e6\ntime_constant = 0\nvehicle.max_angular_speed = 40\n\
         behaviors.zones = {{ orientation_radius = {orientation}, perception_radius = 15 }}\n\
         behaviors.wander_random = {{ weight = 0.82 }}"
    )
}

/// A group as it starts, with random positions and headings.
fn thrown(draw: &mut Draw) -> Vec<Body> {
    let center = draw.point(true, 100.0);
    draw.crowd(SIZE, true, center, 4.0, 3.0)
}

/// Run groups for so many steps, and look at them every 2.5 s from then on, so many times. Returns the averages of what was seen of
/// each, and leaves its last state in `groups`, beside its radius of orientation.
fn seen(bench: &Bench, groups: &mut [(f64, Vec<Body>)], steps: u32, looks: u32) -> Result<Vec<Group>, ConformError> {
    let mut setup = Setup::open(true, 0.1).apart();
    let mut all = Vec::new();
    for (orientation, bodies) in &*groups {
        let ids = setup.species(&member(*orientation), bodies);
        all.push((Group { orientation: *orientation, polarization: 0.0, rotation: 0.0, mobility: 0.0 }, ids));
    }
    let mut run = bench.run(&setup, steps)?;
    let mut before = run.bodies()?;
    for state in run.states(looks, 25)? {
        let bodies = bodies_of(&state);
        for ((group, ids), (_, last)) in all.iter_mut().zip(&mut *groups) {
            *last = bodies[ids.clone()].to_vec();
            let (polarization, rotation) = order(last);
            let ways: Vec<V> = ids.clone().map(|id| minus(bodies[id].position, before[id].position)).collect();
            let shared = mean(&ways);
            let squares: f64 = ways.iter().map(|way| norm(minus(*way, shared)).powi(2)).sum();
            group.polarization += polarization / f64::from(looks);
            group.rotation += rotation / f64::from(looks);
            group.mobility += (squares / SIZE as f64).sqrt() / f64::from(looks);
        }
        before = bodies;
    }
    Ok(all.into_iter().map(|(group, _)| group).collect())
}

/// The averages of new groups between 40 and 60 s, so many of each radius of orientation.
fn groups(bench: &Bench, draw: &mut Draw, radii: &[(f64, usize)]) -> Result<Vec<Group>, ConformError> {
    let radii = radii.iter().flat_map(|(radius, count)| vec![*radius; *count]);
    let mut groups: Vec<(f64, Vec<Body>)> = radii.map(|orientation| (orientation, thrown(draw))).collect();
    seen(bench, &mut groups, 400, 8)
}

/// The mean of something of groups.
fn average(groups: &[Group], of: fn(&Group) -> f64) -> f64 {
    groups.iter().map(of).sum::<f64>() / groups.len() as f64
}

fn zones_swarm_torus_parallel(bench: &Bench, draw: &mut Draw) -> Tried {
    for Group { orientation, polarization, rotation, .. } in groups(bench, draw, &[(1.0, 4), (3.5, 4), (8.0, 4)])? {
        let parameters = [("r_o", orientation), ("p", polarization), ("m", rotation)];
        let least = |least: f64, found: f64| Case::at_least(&parameters, least, found, 0.0);
        let most = |most: f64, found: f64| Case::at_most(&parameters, most, found, 0.0);
        bench.check(match orientation {
            1.0 => [most(0.45, polarization), most(0.4, rotation)],
            3.5 => [most(0.45, polarization), least(0.55, rotation)],
            _ => [least(0.95, polarization), most(0.2, rotation)],
        });
    }
    Ok(())
}

fn zones_dynamic_and_highly_parallel(bench: &Bench, draw: &mut Draw) -> Tried {
    let all = groups(bench, draw, &[(4.75, 12), (8.0, 4)])?;
    let (dynamic, high) = all.split_at(12);
    let parameters = |group: &Group| [("r_o", group.orientation), ("m", group.rotation), ("mobility", group.mobility)];
    for group in high {
        bench.check(Case::at_least(&parameters(group), 0.99, group.polarization, 0.0));
        bench.check(Case::at_most(&parameters(group), 0.2, group.rotation, 0.0));
    }
    let polarization = average(dynamic, |group| group.polarization);
    let of = [("r_o", 4.75), ("p", polarization)];
    bench.check(Case::at_least(&of, 0.5, polarization, 0.0));
    bench.check(Case::at_most(&of, 0.98, polarization, 0.0));
    bench.check(Case::at_most(&of, 0.6, average(dynamic, |group| group.rotation), 0.0));
    let [slow, fast] = [high, dynamic].map(|groups| average(groups, |group| group.mobility));
    bench.tried(Case::at_least(&of, 4.0 * slow, fast, 0.0))
}

/// Of a thousand groups, four need more than these steps to turn, and one to agree; so the law is about means of four groups.
fn zones_hysteresis(bench: &Bench, draw: &mut Draw) -> Tried {
    const MEAN_OF: usize = 4;
    let mut groups: Vec<(f64, Vec<Body>)> = (0..4 * MEAN_OF).map(|_| (0.0, thrown(draw))).collect();
    // Averages over the 10 s after so many steps with one radius of orientation.
    let mut held = |orientation: f64, steps: u32| {
        groups.iter_mut().for_each(|group| group.0 = orientation);
        seen(bench, &mut groups, steps, 4)
    };
    held(1.0, 50)?;
    let (up, wide) = (held(3.5, 400)?, held(8.0, 100)?);
    held(5.0, 0)?;
    let down = held(3.5, 50)?;
    for ((up, wide), down) in up.chunks(MEAN_OF).zip(wide.chunks(MEAN_OF)).zip(down.chunks(MEAN_OF)) {
        let [up, wide, down] = [up, wide, down]
            .map(|groups| (average(groups, |group| group.polarization), average(groups, |group| group.rotation)));
        let parameters = [("m up", up.1), ("p of 8 u", wide.0), ("m down", down.1)];
        bench.check(Case::at_most(&parameters, 0.55, up.0, 0.0));
        bench.check(Case::at_least(&parameters, 0.45, up.1, 0.0));
        bench.check(Case::at_least(&parameters, 0.9, wide.0, 0.0));
        bench.check(Case::at_least(&parameters, 0.9, down.0, 0.0));
        bench.check(Case::at_most(&parameters, 0.2, down.1, 0.0));
    }
    Ok(())
}
