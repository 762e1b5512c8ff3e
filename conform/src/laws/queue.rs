//! Queue: which agents wait behind which others.

use crate::*;

laws! {
    queue_steering in both:
        "V is toward the target at v_max (d - s)/(R - s), d to the nearest ahead, s the gap and both radii",
        source: "after Bevilacqua, Understanding Steering Behaviors: Queue, which brakes by a share of the steering",
        mutant: queue_add("max(sum.taken, select(0.0, 1.0 - share, ahead && sees(queue.vision, neighbor)))"
            => "select(sum.taken, 1.0 - share, ahead && sees(queue.vision, neighbor))"),
        mistake: "the last neighbor counts, not the nearest";
    queue_course in both:
        "an agent does not wait for one that comes the other way, that is behind, or that is at the same point",
        source: "such agents are in no queue",
        mutant: queue_add("&& dot3(neighbor.heading, agent.forward) >= 0.0" => ""),
        mistake: "two agents that meet wait for each other for ever";
    queue_line in both:
        "agents in a line that head for one that stands come to rest behind it, each at the gap to the next",
        source: "rest where the allowed speed is 0",
        mutant: queue_add("queue.gap + agent.radius + neighbor.radius" => "queue.gap"),
        mistake: "bodies have no size";
}

/// The behavior, as a line of TOML.
fn queue(spatial: bool, target: V, gap: f64, reach: f64, view: f64) -> String {
    let vision = format!("perception_radius = {reach}, field_of_view = {view}");
    format!("behaviors.queue = {{ {}, gap = {gap}, {vision} }}", to(spatial, target))
}

fn queue_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let sizes = [1, 2, 2, 3, 3, 4, 4, 6, 6, 9, 9, 14, 14, 20, 20];
    bench.wants(Setup::open(spatial, 0.01).apart(), sizes, |setup, size| {
        let (reach, view) = (draw.between(6.0, 12.0), draw.between(60.0, 90.0));
        let (gap, radius) = (draw.between(0.0, 2.0), draw.between(0.2, 1.0));
        let (speed, tau) = (draw.between(5.0, 15.0), draw.scale(0.1, 2.0));
        let crowd = draw.crowd(size, spatial, ZERO, 6.0, 1.0);
        let own = times(draw.heading(spatial), speed * draw.between(0.3, 0.95));
        let paced = |body: &Body| Body { velocity: rounded(times(body.velocity, 4.0)), ..*body };
        let mut bodies: Vec<Body> = crowd.iter().map(paced).collect();
        bodies[0].velocity = rounded(own);
        let target = rounded(draw.point(spatial, 50.0));
        let lines = format!(
            "max_speed = {speed}\ntime_constant = {tau}\nradius = {radius}\n{}",
            queue(spatial, target, gap, reach, view)
        );
        let ids = setup.species(&lines, &bodies);
        let (bodies, stop) = (setup.crowd(ids.clone()), gap + 2.0 * radius);
        let own = bodies[0];
        let along = |id: &usize| dot(bodies[*id].velocity, own.velocity) >= 0.0;
        let distance = |id: usize| norm(minus(bodies[id].position, own.position));
        let ahead = perceived(&bodies, 0, reach, view).into_iter().filter(along).map(distance);
        let nearest = ahead.fold(reach, f64::min);
        let allowed = speed * ((nearest - stop) / (reach - stop)).clamp(0.0, 1.0);
        let desired = times(unit(minus(target, own.position)), allowed);
        let expected = times(minus(desired, own.velocity), 1.0 / tau);
        let parameters = [("agents", ids.len() as f64), ("d", nearest), ("s", stop), ("R", reach)];
        (ids.start, parameters, expected, 2e-5 * speed / tau)
    })
}

fn queue_course(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..24, |setup, kind| {
        let heading = draw.heading(spatial);
        let position = draw.point(spatial, 50.0);
        // Ahead and the same way, ahead and the other way, behind, at the same point.
        let (place, turn, waits) = match kind % 4 {
            0 => (draw.between(1.5, 5.0), draw.between(0.0, 85.0), true),
            1 => (draw.between(1.5, 5.0), draw.between(95.0, 180.0), false),
            2 => (-draw.between(1.5, 5.0), draw.between(0.0, 85.0), false),
            _ => (0.0, 0.0, false),
        };
        let theirs = draw.turned(spatial, heading, turn);
        let other = Body::at(plus(position, times(heading, place))).moving(times(theirs, 8.0));
        let view = if kind % 8 < 4 { 90.0 } else { 360.0 };
        let target = rounded(plus(position, times(heading, 30.0)));
        let lines = format!("max_speed = 10\ntime_constant = 1\n{}", queue(spatial, target, 0.5, 8.0, view));
        let ids = setup.species(&lines, &[Body::at(position).moving(times(heading, 10.0)), other]);
        let id = ids.start;
        move |found| bench.check(Case::holds(&[("ahead", place), ("turned", turn)], waits, norm(found[id]) > 0.1))
    })
}

fn queue_line(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const LENGTH: usize = 5;
    let ahead = draw.heading(spatial);
    let aside = draw.turned(spatial, ahead, 90.0);
    bench.arrives(Setup::open(spatial, 1.0 / 64.0), 64 * 25, 0..4, |setup, lane| {
        let (gap, radius) = (draw.between(0.2, 1.0), draw.between(0.3, 0.8));
        let stop = gap + 2.0 * radius;
        let head = times(aside, 20.0 * f64::from(lane) - 30.0);
        let stands = setup.agent(&format!("max_speed = 0\nspawn.speed = 0\nradius = {radius}"), head, ZERO);
        let target = rounded(plus(head, times(ahead, 50.0)));
        let lines = format!(
            "max_speed = 6\nmax_force = 100\nradius = {radius}\nvehicle.orientation = \"kept\"\n{}",
            queue(spatial, target, gap, 6.0, 80.0)
        );
        let mut back = 0.0;
        let body = |_| {
            back += stop + draw.between(0.5, 2.0);
            Body::at(minus(head, times(ahead, back))).moving(ahead)
        };
        let bodies: Vec<Body> = (0..LENGTH).map(body).collect();
        let ids = setup.species(&lines, &bodies);
        move |found| {
            for id in ids.clone() {
                let ahead = if id == ids.start { stands } else { id - 1 };
                let way = norm(minus(found[id].position, found[ahead].position));
                bench.check(Case::absolute(&[("s", stop), ("speed", norm(found[id].velocity))], stop, way, 0.1));
            }
        }
    })
}
