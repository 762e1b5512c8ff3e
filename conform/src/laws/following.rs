//! Offset pursuit and leader following: places in another agent's frame.

use crate::*;

laws! {
    offset_pursuit_place in both:
        "the agent arrives at q + x f + y r + z u of the target's frame: f ahead, r = f × up level to the right, u = \
         r × f",
        source: "Buckland, Offset Pursuit; Reynolds 1999 leaves the direction open",
        mutant: offset_pursuit_to_world("forward * local.x + right * local.y" => "forward * local.x - right * local.y"),
        mistake: "right and left are exchanged";
    offset_pursuit_lag in both:
        "behind a steady target of speed u, without prediction, the agent stays u R/v_max short of its place",
        source: "arrive: v_max d/R = u",
        mutant: offset_pursuit_accompany("min(closing_time(agent, place, goal.velocity), longest)"
            => "closing_time(agent, place, goal.velocity)"),
        mistake: "the longest prediction is not heeded";
    offset_pursuit_fly_by in both: "a steady target is passed at the distance R, within 0.5 %, on any course",
        source: "a tangent in the target's frame; an offset from the own heading misses crossing targets by 36 to 43 %",
        mutant: offset_pursuit_steer("let t = min(intercept_time(agent, tangent, goal.velocity), longest);"
            => "let t = min(intercept_time(agent, tangent, goal.velocity), longest) * 0.5;"),
        mistake: "the target's motion counts half";
    leader_following_lag in both: "behind a steady leader of speed u the agent stays u R/v_max short of the place D behind it",
        source: "arrive: v_max d/R = u",
        mutant: leader_following_steer("goal.offset - goal.forward * leader_following.distance"
            => "goal.offset + goal.forward * leader_following.distance"),
        mistake: "the place is ahead of the leader";
    leader_following_aside in both:
        "in the box ahead of the leader V = v_max straight aside from its line; outside, V is that of arrive",
        source: "Reynolds 1999, Leader Following: followers in front of the leader move laterally away from its path",
        mutant: leader_following_steer("half_width * half_width" => "half_width"),
        mistake: "a squared distance is compared with a distance";
    leader_following_clear in both:
        "followers that start ahead of the leader come no nearer to it, while ahead, than half the box's width less \
         1.5 v τ, and soon leave the box for good",
        source: "Reynolds 1999, Leader Following",
        mutant: leader_following_steer("ahead < leader_following.clear_length" => "ahead < 0.0"),
        mistake: "the way is not cleared";
}

/// Arrive's desired velocity.
fn arrive(way: V, speed: f64, radius: f64) -> V {
    times(way, speed * (1.0 / radius).min(1.0 / norm(way).max(1e-9)))
}

fn offset_pursuit_place(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let setup = Setup::open(spatial, 0.01).with("", &draw.crowd(16, spatial, ZERO, 30.0, 6.0));
    bench.wants(setup, 0..16, |setup, id| {
        let (offset, radius) = (draw.point(spatial, 8.0), draw.between(2.0, 20.0));
        let (speed, longest) = (draw.between(8.0, 20.0), draw.between(0.0, 1.0));
        let rule = format!(
            "target = {{ agent = {id} }}, offset = {}, slow_radius = {radius}, max_prediction_time = {longest}",
            point(spatial, offset)
        );
        let lines = format!("time_constant = 1\nmax_speed = {speed}\nbehaviors.offset_pursuit = {{ {rule} }}");
        setup.agent(&lines, draw.point(spatial, 30.0), draw.point(spatial, 5.0));
        let (own, leader) = (setup.body(16 + id), setup.body(id));
        let ahead = unit(leader.velocity);
        // The world's up is y in space, as the camera has it.
        let right = unit(cross(ahead, if spatial { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] }));
        let up = cross(right, ahead);
        let local = sum(&[times(ahead, offset[0]), times(right, offset[1]), times(up, offset[2])]);
        let place = minus(plus(leader.position, local), own.position);
        let time = (norm(place) / (speed + norm(leader.velocity))).min(longest);
        let desired = arrive(plus(place, times(leader.velocity, time)), speed, radius);
        let parameters = [("R", radius), ("v_max", speed), ("T", time)];
        (16 + id, parameters, minus(desired, own.velocity), 1e-5 * speed)
    })
}

/// Followers of leaders with constant velocities, after they have settled: each stays u R/v_max behind its place. `rule` gives the
/// behavior, from the leader, the slow radius R and how far behind the leader the place is.
fn lags(bench: &Bench, draw: &mut Draw, spatial: bool, rule: impl Fn(usize, f64, f64) -> String) -> Tried {
    let mut leader = |index: usize| {
        let (radius, speed) = (draw.between(2.0, 6.0), draw.between(6.0, 12.0));
        let u = speed * draw.between(0.1, 0.5);
        let velocity = times(draw.heading(spatial), u);
        (Body::at(rounded(lane(index, 30.0))).moving(velocity), [radius, speed, u, draw.between(1.0, 5.0)])
    };
    let (leaders, drawn): (Vec<Body>, Vec<[f64; 4]>) = (0..12).map(&mut leader).unzip();
    let setup = Setup::open(spatial, 1.0 / 32.0).with("", &leaders);
    bench.arrives(setup, 600, drawn.into_iter().enumerate(), |setup, (leader, [radius, speed, u, distance])| {
        let lines = limits(speed, 1e4, 0.1) + &rule(leader, radius, distance);
        let start = minus(leaders[leader].position, times(unit(leaders[leader].velocity), 9.0));
        let id = setup.agent(&lines, plus(start, draw.point(spatial, 3.0)), ZERO);
        move |after| {
            let Body { position, velocity } = after[leader];
            let place = minus(position, times(unit(velocity), distance));
            let (parameters, lag) =
                ([("R", radius), ("v_max", speed), ("u", u)], norm(minus(place, after[id].position)));
            bench.check(Case::relative(&parameters, u * radius / speed, lag, 2e-3));
        }
    })
}

fn offset_pursuit_lag(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    lags(bench, draw, spatial, |id, radius, back| {
        let place = point(spatial, [-back, 0.0, 0.0]);
        let frame = format!("offset = {place}, slow_radius = {radius}, max_prediction_time = 0");
        format!("behaviors.offset_pursuit = {{ target = {{ agent = {id} }}, mode = \"leader_frame\", {frame} }}")
    })
}

fn leader_following_lag(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    lags(bench, draw, spatial, |id, radius, back| {
        let places = format!("distance = {back}, slow_radius = {radius}");
        format!("behaviors.leader_following = {{ target = {{ agent = {id} }}, {places} }}")
    })
}

fn offset_pursuit_fly_by(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut target = |index: usize| {
        let (speed, distance) = (draw.between(6.0, 10.0), draw.between(1.5, 4.0));
        let u = speed * draw.between(0.2, 0.6);
        // The target moves toward the agent, away from it, across, and then in random directions.
        let heading = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].get(index).copied();
        let heading = heading.unwrap_or_else(|| draw.heading(spatial));
        (Body::at(rounded(lane(index, 40.0))).moving(times(heading, u)), [speed, distance, u])
    };
    let (targets, drawn): (Vec<Body>, Vec<[f64; 3]>) = (0..14).map(&mut target).unzip();
    let setup = Setup::open(spatial, 1.0 / 64.0).with("", &targets);
    bench.flies(setup, 500, drawn.into_iter().enumerate(), |setup, (target, [speed, distance, u])| {
        let rule = format!("target = {{ agent = {target} }}, mode = \"fly_by\", distance = {distance}");
        let lines = limits(speed, 1e4, 0.05) + &format!("behaviors.offset_pursuit = {{ {rule} }}");
        let id = setup.agent(&lines, minus(targets[target].position, [18.0, 0.0, 0.0]), [speed, 0.0, 0.0]);
        move |path| {
            let way = |bodies: &[Body]| minus(bodies[id].position, bodies[target].position);
            // After the pass the agent turns around the target, which is no fly-by.
            let leaves = |pair: &[Vec<Body>]| norm(way(&pair[1])) > norm(way(&pair[0]));
            let pass = path.windows(2).position(leaves).map_or(path.len(), |step| step + 2);
            let (_, found) = shortest(&path[..pass], way);
            bench.check(Case::relative(&[("R", distance), ("v", speed), ("u", u)], distance, found, 0.005));
        }
    })
}

fn leader_following_aside(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let leaders = draw.crowd(20, spatial, ZERO, 40.0, 6.0);
    let setup = Setup::open(spatial, 0.01).with("", &leaders);
    bench.wants(setup, leaders.iter().enumerate(), |setup, (id, leader)| {
        let (length, width) = (draw.between(3.0, 9.0), draw.between(4.0, 9.0));
        let heading = unit(leader.velocity);
        let ahead = length * [0.05, 0.5, 0.95, -0.1, 1.1][id % 5];
        let aside = 0.5 * width * if id % 4 == 3 { 1.05 } else { draw.between(0.1, 0.95) };
        let aside_of = times(draw.turned(spatial, heading, 90.0), aside);
        let position = sum(&[leader.position, times(heading, ahead), aside_of]);
        let rule = format!("target = {{ agent = {id} }}, clear_length = {length}, clear_width = {width}");
        let lines = format!("time_constant = 1\nmax_speed = 9\nbehaviors.leader_following = {{ {rule} }}");
        setup.agent(&lines, position, draw.point(spatial, 5.0));
        let (own, leader) = (setup.body(20 + id), setup.body(id));
        let heading = unit(leader.velocity);
        let offset = minus(own.position, leader.position);
        let in_box = ahead > 0.0 && ahead < length && aside < 0.5 * width;
        let behind = minus(times(heading, -3.0), offset);
        let desired = if in_box { times(unit(across(offset, heading)), 9.0) } else { arrive(behind, 9.0, 5.0) };
        let parameters = [("ahead/length", ahead / length), ("aside/width", aside / width)];
        (20 + id, parameters, minus(desired, own.velocity), 2e-3)
    })
}

fn leader_following_clear(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let courses: Vec<(V, f64)> = (0..8).map(|_| (draw.heading(spatial), draw.between(2.0, 4.0))).collect();
    let leaders: Vec<Body> = courses.iter().map(|(course, u)| Body::at(ZERO).moving(times(*course, *u))).collect();
    let setup = Setup::open(spatial, DT).with("max_speed = 10", &leaders);
    bench.flies(setup, 640, courses.into_iter().enumerate(), |setup, (leader, (course, u))| {
        let (length, width, speed) = (draw.between(5.0, 10.0), draw.between(3.0, 8.0), u * draw.between(2.0, 4.0));
        let tau = width / speed * draw.between(0.02, 0.08);
        // Followers that start ahead of the leader, near its line: the way to their place leads through it.
        let start = |_| {
            let aside = times(draw.turned(spatial, course, 90.0), 0.35 * width * draw.between(0.0, 1.0));
            Body::at(plus(times(course, length * draw.between(0.7, 1.4)), aside))
        };
        let followers: Vec<Body> = (0..4).map(start).collect();
        let rule = format!("target = {{ agent = {leader} }}, clear_length = {length}, clear_width = {width}");
        let lines = limits(speed, 1e5, tau) + &format!("behaviors.leader_following = {{ {rule} }}");
        let ids = setup.species(&lines, &followers);
        move |path| {
            for id in ids {
                let offset = |bodies: &Vec<Body>| minus(bodies[id].position, bodies[leader].position);
                let ahead = |bodies: &Vec<Body>| {
                    let offset = offset(bodies);
                    if dot(offset, course) > 0.0 { norm(offset) } else { f64::INFINITY }
                };
                let in_box = |bodies: &Vec<Body>| {
                    let (offset, along) = (offset(bodies), dot(offset(bodies), course));
                    (0.0..length).contains(&along) && norm(minus(offset, times(course, along))) < 0.5 * width
                };
                let parameters = [("width", width), ("length", length), ("v", speed), ("τ", tau)];
                // A follower comes back into the box only for as long as it takes to turn.
                let least = 0.5 * width - 1.5 * speed * (tau + DT);
                let nearest = path.iter().map(ahead).least();
                bench.check(Case::at_least(&parameters, least, nearest, 0.0));
                bench.check(Case::holds(&parameters, false, path[480..].iter().any(in_box)));
            }
        }
    })
}
