//! What changes in time: targets, fields and obstacles are where their lists say, whatever step it is.

use crate::*;

laws! {
    source: "the scene's own convention: a step sees what is there when it begins";
    trajectory_place in both by sought((false, false), 60):
        "between two keys a target is at P + (Q - P) s, s the share of the steps between them; after the last it stays",
        mutant: moment_of("f32(now - piece.first_step)" => "f32(now)"),
        mistake: "the share is that of the time since the start of the run";
    trajectory_repeats in both by sought((true, false), 150):
        "a trajectory that repeats with the period T is at t + T where it is at t",
        mutant: moment_of("now = steps % trajectory.period;" => "now = steps % (trajectory.period + 1u);"),
        mistake: "the last key has a step of its own";
    trajectory_velocity in both:
        "a target's velocity is the derivative of its place; on a smooth one (Q - P)/T from the key before to the key after",
        source: "Catmull and Rom 1974, as a cubic Hermite curve",
        mutant: moment_of("piece.square * 2.0" => "piece.square"),
        mistake: "the derivative of s² is s";
    field_turns in both by changing("turns", 700.0, about_z): "a field that turns by φ in the time T is R(φ t/T) U",
        mutant: changed("after.sine = 2.0 * turn.z * turn.w;" => "after.sine = -2.0 * turn.z * turn.w;"),
        mistake: "the field turns the other way";
    field_pulses in both by changing("factors", 3.0, times):
        "a field whose factors are f and g is U (f + (g - f) s) between their times",
        mutant: changed("after.factor = moment.place.y;" => "after.factor = max(moment.place.y, 0.0);"),
        mistake: "the field never flows backward";
    field_follows in both: "between the times of two sources the field is U + (W - U) s",
        mutant: changed("after.share = record - f32(first);" => "after.share = 0.0;"),
        mistake: "the field jumps from one source to the next";
    obstacle_turned in both: "an agent that is turned with the obstacle and all else steers alike, turned",
        source: "a rotation keeps distances",
        mutant: into_frame("vec4f(-obstacle.turn.xyz, obstacle.turn.w)" => "obstacle.turn"),
        mistake: "the frame is turned twice in place of back";
    obstacle_capsule in both: "a capsule acts as the sphere of its radius around the point of its line that is nearest",
        source: "the distance from a line is that from its nearest point",
        mutant: capsule_clearance("half_length, half_length" => "half_length - radius, half_length + radius"),
        mistake: "the length counts from end to end";
    obstacle_moves in both by against_still(6.0, 0.0):
        "after t an obstacle acts as one that stands where its trajectory is then",
        mutant: moved("obstacle.home + moment.place.xyz" => "obstacle.center + moment.place.xyz"),
        mistake: "the places of all steps add up";
    obstacle_turns in both by against_still(0.0, 700.0):
        "after t an obstacle acts as one that is turned as far as its trajectory is then",
        mutant: moved("obstacle.angle + moment.place.w" => "moment.place.w"),
        mistake: "its own turn is forgotten";
    obstacle_moving_clears in both:
        "an agent that overtakes an obstacle of speed u < v, seen from twice R + v sqrt(2 R/a) away, does not touch it",
        source: "a full turn to the side makes the room R in the time sqrt(2 R/a); an obstacle that goes on leaves the tangent free",
        mutant: advance("scenery_moving.obstacles[index] = moved(scenery_moving.obstacles[index], moment);"
            => "scenery_moving.obstacles[index] = moved(scenery_moving.obstacles[index], Moment(vec4f(0.0), moment.rate));"),
        mistake: "the obstacle moves in the picture alone";
    obstacle_seen_from_itself in both:
        "an agent of velocity v steers past an obstacle of velocity u as an agent of velocity v - u past one that \
         stands",
        source: "Galilean relativity; Reynolds 1999 for an obstacle that stands",
        mutant: course_against("course.forward * course.speed - surface" => "course.forward * course.speed"),
        mistake: "the obstacle is taken for standing still";
    obstacle_turn_sweeps in both:
        "a capsule that turns acts as one that moves as the nearest point of its surface does along the normal: a \
         ball that turns acts as one that stands",
        source: "v = ω × r; what goes along a surface leaves it where it is",
        mutant: course_against("clearance.normal * dot3(swept, clearance.normal)" => "swept"),
        mistake: "a ball that turns is taken for one that rolls away";
    obstacle_meeting_clears in both:
        "an obstacle that comes at w, as the agent sees it, is cleared iff it is seen from D >= √(R² + 2 R w²/a) away",
        source: "obstacle_avoidance_clears, seen from the obstacle",
        mutant: is_nearer("farthest += (sqrt(dot3(rate.xyz, rate.xyz)) + sweeps) * time;" => "farthest += 0.0;"),
        mistake: "what comes fast is looked for no farther than what stands";
    wall_following_ahead in both:
        "an agent that follows a wall that moves and turns heads for where the wall will be after T",
        source: "the agent is predicted, so the wall is too",
        mutant: moment_after("trajectory.place + trajectory.rate * time" => "trajectory.place"),
        mistake: "the wall is taken for standing still";
}

/// A trajectory in f64.
struct Keys {
    steps: Vec<u32>,
    points: Vec<V>,
    repeat: bool,
    smooth: bool,
}

impl Keys {
    fn drawn(draw: &mut Draw, spatial: bool, (repeat, smooth): (bool, bool)) -> Keys {
        let mut steps = vec![0];
        for last in 0..3 {
            steps.push(steps[last] + draw.whole(4, 16));
        }
        let points = (0..4).map(|_| rounded(draw.point(spatial, 50.0))).collect();
        Keys { steps, points, repeat, smooth }
    }

    /// As TOML, with times that round to its steps.
    fn toml(&self, draw: &mut Draw, spatial: bool, name: &str) -> String {
        let mut time = |step: &u32| {
            let off = if *step > 0 && !self.smooth { draw.between(-0.3, 0.3) } else { 0.0 };
            ((f64::from(*step) + off) * DT).to_string()
        };
        let times: Vec<String> = self.steps.iter().map(&mut time).collect();
        let points: Vec<String> = self.points.iter().map(|p| point(spatial, *p)).collect();
        let (times, points, repeat, smooth) = (times.join(", "), points.join(", "), self.repeat, self.smooth);
        let shape = format!("times = [{times}]\npoints = [{points}]\nrepeat = {repeat}\nsmooth = {smooth}");
        format!("[[trajectories]]\nname = {name:?}\n{shape}\n")
    }

    fn last(&self) -> u32 {
        self.steps[self.steps.len() - 1]
    }

    /// Velocity at a key of a smooth trajectory, u/step.
    fn slope(&self, key: usize) -> V {
        let end = self.points.len() - 1;
        let chord =
            |a: usize, b: usize| (minus(self.points[b], self.points[a]), f64::from(self.steps[b] - self.steps[a]));
        let (way, time) = match key {
            0 if self.repeat => {
                let ((a, s), (b, t)) = (chord(0, 1), chord(end - 1, end));
                (plus(a, b), s + t)
            }
            _ if key == end && self.repeat => return self.slope(0),
            0 => chord(0, 1),
            _ if key == end => chord(end - 1, end),
            _ => chord(key - 1, key + 1),
        };
        times(way, 1.0 / time)
    }

    /// Place, u, and velocity, u/s, after so many steps: by the basis of Hermite curves where it is smooth.
    fn at(&self, step: u32) -> (V, V) {
        let now = if self.repeat { step % self.last() } else { step };
        if now >= self.last() {
            return (self.points[self.points.len() - 1], ZERO);
        }
        let key = (0..self.steps.len()).rfind(|k| self.steps[*k] <= now).unwrap_or(0);
        let (p, q) = (self.points[key], self.points[key + 1]);
        let length = f64::from(self.steps[key + 1] - self.steps[key]);
        let s = f64::from(now - self.steps[key]) / length;
        let (m, n) = match self.smooth {
            true => (times(self.slope(key), length), times(self.slope(key + 1), length)),
            false => (minus(q, p), minus(q, p)),
        };
        let mix = |a: f64, b: f64, c: f64, d: f64| sum(&[times(p, a), times(m, b), times(q, c), times(n, d)]);
        let place = mix(
            (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s),
            s * (1.0 - s) * (1.0 - s),
            s * s * (3.0 - 2.0 * s),
            s * s * (s - 1.0),
        );
        let change =
            mix(6.0 * s * s - 6.0 * s, 3.0 * s * s - 4.0 * s + 1.0, 6.0 * s - 6.0 * s * s, 3.0 * s * s - 2.0 * s);
        (place, times(change, 1.0 / (length * DT)))
    }
}

/// A world with the trajectories `way 0`, `way 1` and so on.
fn with_ways(draw: &mut Draw, spatial: bool, keys: &[Keys]) -> Setup {
    let lines = keys.iter().enumerate().map(|(i, keys)| keys.toml(draw, spatial, &format!("way {i}")));
    among(spatial, DT, &lines.collect::<Vec<String>>())
}

/// Agents that seek trajectories: the desired velocity in a step shows where the target is.
fn sought(bench: &Bench, draw: &mut Draw, spatial: bool, kind: (bool, bool), steps: u32) -> Tried {
    const SPEED: f64 = 8.0;
    let keys: Vec<Keys> = (0..8).map(|_| Keys::drawn(draw, spatial, kind)).collect();
    let setup = with_ways(draw, spatial, &keys);
    bench.flies(setup, steps, keys.iter().enumerate(), |setup, (index, keys)| {
        let seek = format!("behaviors.seek = {{ target = {{ trajectory = \"way {index}\" }} }}");
        let start = rounded(draw.point(spatial, 60.0));
        let id = setup.agent(&(limits(SPEED, 1e6, 1.0) + &seek), start, ZERO);
        move |path| {
            for (step, pair) in path.windows(2).enumerate() {
                let (before, after) = (pair[0][id], pair[1][id]);
                let (place, _) = keys.at(step as u32);
                let way = minus(place, before.position);
                let found = times(minus(after.velocity, before.velocity), 1.0 / DT);
                let expected = minus(times(unit(way), SPEED), before.velocity);
                // Rounding in f32 of the difference of velocities, and of the way to a target that is near.
                let bound = 2e-6 * SPEED / DT + 2e-4 * SPEED / norm(way).max(1e-6);
                if norm(way) > 1.0 && step % 3 == 0 {
                    bench.check(Case::vector_within(&[("step", step as f64)], expected, found, bound));
                }
            }
        }
    })
}

fn trajectory_velocity(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let kinds = [(false, false), (false, true), (true, true), (true, true)];
    let keys: Vec<Keys> = (0..16).map(|i| Keys::drawn(draw, spatial, kinds[i % 4])).collect();
    let mut setup = with_ways(draw, spatial, &keys);
    for index in 0..keys.len() {
        let target = format!("{{ trajectory = \"way {index}\" }}");
        let rule = format!("behaviors.velocity_matching = {{ target = {target}, time_to_target = 1 }}");
        setup.agent(&format!("max_speed = 0\nmax_force = 1e6\n{rule}"), ZERO, ZERO);
    }
    // The steps of some keys, and any other.
    for step in [keys[1].steps[1], keys[2].last(), draw.whole(1, 40)] {
        let run = bench.run(&setup, step)?;
        for (found, keys) in run.steering()?.accelerations.into_iter().zip(&keys) {
            let (_, expected) = keys.at(step);
            bench.check(Case::vector_within(&[("step", f64::from(step))], expected, found, 0.02));
        }
    }
    Ok(())
}

/// How agents accelerate after so many steps that stand still and match their velocity to a field within a second: it is the field.
fn drift(bench: &Bench, spatial: bool, field: &str, places: &[V], steps: u32) -> Result<Vec<V>, ConformError> {
    let field = format!("[field]\nwavelength = 40\nresolution = 16\n{field}");
    let rule =
        "max_speed = 0\nmax_force = 1e6\nbehaviors.velocity_matching = { target = \"field\", time_to_target = 1 }";
    let bodies: Vec<Body> = places.iter().map(|place| Body::at(*place)).collect();
    let setup = Setup::within(spatial, [100.0; 3], "wrap", DT, field).with(rule, &bodies);
    Ok(bench.run(&setup, steps)?.steering()?.accelerations)
}

fn places(draw: &mut Draw, spatial: bool) -> Vec<V> {
    (0..16).map(|_| rounded(draw.point(spatial, 49.0))).collect()
}

fn about_z([x, y, z]: V, degrees: f64) -> V {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    [x * cosine - y * sine, x * sine + y * cosine, z]
}

/// Compare a field that changes by a `list` of values at steps 0, 32 and 64 with `expected` of the same field unchanged, at three steps.
fn changing(bench: &Bench, draw: &mut Draw, spatial: bool, list: &str, span: f64, expected: fn(V, f64) -> V) -> Tried {
    let values = [0, 1, 2].map(|_| draw.between(-span, span));
    let places = places(draw, spatial);
    let source = "source = \"curl_noise\"\nspeed = 9\n";
    let still = drift(bench, spatial, source, &places, 0)?;
    let lines = format!("{source}times = [0, 0.5, 1]\n{list} = {values:?}\nrepeat = true\n");
    for step in [draw.whole(1, 31), 32, draw.whole(33, 63), 64 + draw.whole(1, 31)] {
        let now = f64::from(step % 64) / 32.0;
        let key = now.floor() as usize;
        let value = values[key] + (values[key + 1] - values[key]) * (now - now.floor());
        for (found, still) in drift(bench, spatial, &lines, &places, step)?.into_iter().zip(&still) {
            let parameters = [("step", f64::from(step)), ("value", value)];
            bench.check(Case::vector_within(&parameters, expected(*still, value), found, 2e-5 * (1.0 + span.min(9.0))));
        }
    }
    Ok(())
}

fn field_follows(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let places = places(draw, spatial);
    let mut fields = Vec::new();
    for source in ["curl_noise", "uniform", "vortex"] {
        // In space all fields have the nodes of the one that needs most.
        fields.push(drift(bench, spatial, &format!("source = {source:?}\nspeed = 9\n"), &places, 0)?);
    }
    let lines = "source = \"curl_noise\"\nspeed = 9\ntimes = [0, 0.5, 1]\nlater = [\"uniform\", \"vortex\"]\n";
    for step in [0, 16, draw.whole(17, 31), 32, draw.whole(33, 63), 64, 90] {
        let record = (f64::from(step) / 32.0).min(2.0);
        let first = (record.floor() as usize).min(1);
        let share = record - first as f64;
        for (index, found) in drift(bench, spatial, lines, &places, step)?.into_iter().enumerate() {
            let (u, w) = (fields[first][index], fields[first + 1][index]);
            let expected = plus(u, times(minus(w, u), share));
            bench.check(Case::vector_within(&[("step", f64::from(step))], expected, found, 1e-4));
        }
    }
    Ok(())
}

/// Where case `index` has its obstacle.
fn post(index: usize) -> V {
    lane(index, 40.0)
}

/// A vector turned about a unit axis (Rodrigues).
fn about(axis: V, degrees: f64, v: V) -> V {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    sum(&[times(v, cosine), times(cross(axis, v), sine), times(axis, dot(axis, v) * (1.0 - cosine))])
}

fn axis(draw: &mut Draw, spatial: bool) -> V {
    if spatial { rounded(draw.heading(true)) } else { [0.0, 0.0, 1.0] }
}

/// An obstacle that is turned.
fn turned_by(obstacle: String, spatial: bool, axis: V, degrees: f64) -> String {
    let axis = if spatial { format!("axis = {axis:?}\n") } else { String::new() };
    format!("{obstacle}turn = {degrees}\n{axis}")
}

const FOLLOWER: &str = "max_speed = 10\nmax_force = 1e6\ntime_constant = 1\n\
                        behaviors.wall_following = { distance = 1, prediction_time = 0.2, look_ahead = 2 }";

/// An agent somewhere around an obstacle at the origin, which does not fly straight toward it or away, where no side is nearer.
fn around(draw: &mut Draw, spatial: bool, least: f64, most: f64, nearest: impl Fn(V) -> V) -> Body {
    loop {
        let position = rounded(times(draw.heading(spatial), draw.between(least, most)));
        let velocity = rounded(times(draw.heading(spatial), draw.between(1.0, 9.0)));
        let predicted = plus(position, times(velocity, AHEAD));
        if dot(unit(velocity), unit(minus(predicted, nearest(predicted)))).abs() < 0.95 {
            return Body { position, velocity };
        }
    }
}

/// The point of a box around the origin that is nearest to one outside.
fn on_box(size: V) -> impl Fn(V) -> V {
    move |at| [0, 1, 2].map(|axis| at[axis].clamp(-size[axis] / 2.0, size[axis] / 2.0))
}

/// How far ahead followers look for the wall, s.
const AHEAD: f64 = 0.2;

fn obstacle_turned(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut scenery, mut bodies, mut frames) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..16 {
        let size = [draw.between(2.0, 8.0), draw.between(2.0, 8.0), draw.between(2.0, 8.0)];
        let (axis, degrees) = (axis(draw, spatial), draw.between(-360.0, 360.0));
        let (here, there) = (post(2 * pair), post(2 * pair + 1));
        scenery.push(cuboid(spatial, here, size));
        scenery.push(turned_by(cuboid(spatial, there, size), spatial, axis, degrees));
        let body = around(draw, spatial, 9.0, 12.0, on_box(size));
        let unit_axis = unit(axis);
        let turn = |v: V| about(unit_axis, degrees, v);
        bodies.push(Body::at(plus(here, body.position)).moving(body.velocity));
        bodies.push(Body::at(plus(there, turn(body.position))).moving(turn(body.velocity)));
        frames.push((unit_axis, degrees));
    }
    let found = bench.steering(&among(spatial, DT, &scenery).with(FOLLOWER, &bodies))?.accelerations;
    bench.tried(frames.into_iter().zip(found.chunks(2)).map(|((axis, degrees), found)| {
        let expected = about(axis, degrees, found[0]);
        Case::vector_within(&[("turn", degrees)], expected, found[1], 2e-3)
    }))
}

fn obstacle_capsule(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut scenery, mut bodies, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..16 {
        let (length, radius) = (draw.between(0.0, 12.0), draw.between(0.5, 3.0));
        let (axis, degrees) = (axis(draw, spatial), draw.between(-360.0, 360.0));
        let (here, there) = (post(2 * pair), post(2 * pair + 1));
        let core = about(unit(axis), degrees, [1.0, 0.0, 0.0]);
        let nearest = |at: V| times(core, dot(at, core).clamp(-length / 2.0, length / 2.0));
        let body = around(draw, spatial, 10.0, 14.0, nearest);
        let nearest = nearest(plus(body.position, times(body.velocity, AHEAD)));
        scenery.push(turned_by(rod(spatial, here, length, radius), spatial, axis, degrees));
        scenery.push(sphere(spatial, there, radius));
        bodies.push(Body::at(plus(here, body.position)).moving(body.velocity));
        bodies.push(Body::at(plus(there, minus(body.position, nearest))).moving(body.velocity));
        lengths.push(length);
    }
    let found = bench.steering(&among(spatial, DT, &scenery).with(FOLLOWER, &bodies))?.accelerations;
    let pairs = lengths.into_iter().zip(found.chunks(2));
    bench.tried(pairs.map(|(length, pair)| Case::vector_within(&[("length", length)], pair[1], pair[0], 2e-3)))
}

/// Compare followers of obstacles that move or turn, after some steps, with followers of obstacles that stand where those should be then.
fn against_still(bench: &Bench, draw: &mut Draw, spatial: bool, way: f64, angle: f64) -> Tried {
    const PERIOD: u32 = 64;
    let (mut moving, mut still, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
    let step = draw.whole(10, 50);
    let share = f64::from(step) / f64::from(PERIOD);
    for index in 0..16 {
        let size = [draw.between(3.0, 6.0), draw.between(3.0, 6.0), draw.between(3.0, 6.0)];
        let (axis, own) = (axis(draw, spatial), draw.between(-180.0, 180.0));
        let home = post(2 * index);
        let (from, to) = (rounded(draw.point(spatial, way)), rounded(draw.point(spatial, way)));
        let turns = [draw.between(-angle, angle), draw.between(-angle, angle)];
        let ends = format!("[{}, {}]", point(spatial, from), point(spatial, to));
        moving.push(turned_by(cuboid(spatial, home, size), spatial, axis, own));
        moving.push(format!("trajectory = \"way {index}\"\n"));
        moving.push(format!(
            "[[trajectories]]\nname = \"way {index}\"\ntimes = [0, 1]\npoints = {ends}\nturns = {turns:?}\nrepeat = true\n"
        ));
        let place = plus(home, plus(from, times(minus(to, from), share)));
        // A scene takes less than a full turn.
        let now = (own + turns[0] + (turns[1] - turns[0]) * share) % 360.0;
        still.push(turned_by(cuboid(spatial, rounded(place), size), spatial, axis, now));
        let body = around(draw, spatial, way + 9.0, way + 12.0, |_| ZERO);
        bodies.push(Body::at(plus(home, body.position)).moving(body.velocity));
    }
    // No prediction time, because by then a moving wall is elsewhere.
    let follower = FOLLOWER.replace("prediction_time = 0.2", "prediction_time = 0");
    let run = bench.run(&among(spatial, DT, &moving).with(&follower, &bodies), step)?;
    let standing = among(spatial, DT, &still).with(&follower, &run.bodies()?);
    let expected = bench.steering(&standing)?.accelerations;
    for (found, expected) in run.steering()?.accelerations.into_iter().zip(expected) {
        bench.check(Case::vector_within(&[("step", f64::from(step))], expected, found, 1e-2));
    }
    Ok(())
}

/// The least distance from an agent to a point that moves by `change` in each step, u.
fn least_gap(path: &[Vec<Body>], id: usize, start: V, change: V) -> f64 {
    let gap =
        |(step, bodies): (usize, &Vec<Body>)| norm(minus(bodies[id].position, plus(start, times(change, step as f64))));
    path.iter().enumerate().map(gap).least()
}

fn obstacle_moving_clears(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut scenery, mut drawn) = (Vec::new(), Vec::new());
    for index in 0..12 {
        let (radius, speed) = (draw.between(1.0, 3.0), draw.between(4.0, 8.0));
        let (u, most) = (speed * draw.between(0.1, 0.5), draw.between(10.0, 30.0));
        let room = radius + 0.5;
        let reach = 2.0 * (room + speed * (2.0 * room / most).sqrt());
        let lane = [0.0, (index as f64 - 5.5) * 30.0, 0.0];
        // The obstacle starts beyond the reach, and moves on until both have passed each other.
        let start = plus(lane, [reach + 0.5, 0.0, 0.0]);
        let points = [start, plus(start, [u * 8.0, 0.0, 0.0])].map(|at| point(spatial, at)).join(", ");
        let way = format!("[[trajectories]]\nname = \"way {index}\"\ntimes = [0, 8]\npoints = [{points}]\n");
        scenery.push(format!("{}trajectory = \"way {index}\"\n{way}", sphere(spatial, ZERO, radius)));
        drawn.push((lane, start, [radius, speed, u, most], reach));
    }
    bench.flies(among(spatial, DT, &scenery), 450, drawn, |setup, (lane, start, [radius, speed, u, most], reach)| {
        let rule = format!("behaviors.obstacle_avoidance = {{ min_look_ahead = {reach}, look_ahead_time = 0 }}");
        let lines = format!("max_speed = {speed}\nmax_force = {most}\nradius = 0.5\n{rule}");
        let id = setup.agent(&lines, lane, [speed, 0.0, 0.0]);
        move |path| {
            let least = least_gap(path, id, start, [u * DT, 0.0, 0.0]) - radius - 0.5;
            bench.check(Case::at_least(&[("R", radius), ("v", speed), ("u", u), ("a", most)], 0.0, least, 1e-3));
        }
    })
}

/// An obstacle that moves at a velocity, u/s, and turns, deg/s, as TOML.
fn going(spatial: bool, obstacle: &str, name: usize, velocity: V, turn: f64) -> String {
    let ends = format!("[{}, {}]", point(spatial, ZERO), point(spatial, times(velocity, 8.0)));
    let turns = format!("[0, {}]", 8.0 * turn);
    format!(
        "{obstacle}trajectory = \"way {name}\"\n\
         [[trajectories]]\nname = \"way {name}\"\ntimes = [0, 8]\npoints = {ends}\nturns = {turns}\n"
    )
}

/// A capsule with a radius, its line along x.
fn rod(spatial: bool, center: V, length: f64, radius: f64) -> String {
    let center = point(spatial, center);
    format!("[[obstacles]]\nshape = \"capsule\"\ncenter = {center}\nlength = {length}\nradius = {radius}\n")
}

/// Compare the first steering of agents near obstacles in one world with that near others in another world.
fn alike(bench: &Bench, spatial: bool, lines: &str, pairs: Vec<[(String, Body); 2]>, bound: f64) -> Tried {
    let mut found = Vec::new();
    for side in 0..2 {
        let (scenery, bodies): (Vec<String>, Vec<Body>) = pairs.iter().map(|pair| pair[side].clone()).unzip();
        found.push(bench.steering(&among(spatial, DT, &scenery).with(lines, &bodies))?.accelerations);
    }
    let cases = found[0].iter().zip(&found[1]).enumerate();
    bench.tried(cases.map(|(k, (a, b))| Case::vector_within(&[("case", k as f64)], *a, *b, bound)))
}

const AVOIDER: &str = "max_speed = 100\nmax_force = 20\nradius = 0.5\n\
                       behaviors.obstacle_avoidance = { min_look_ahead = 1, look_ahead_time = 1.5 }";

/// An agent on its way to a ball of this radius around the origin, which it does not meet head-on.
fn toward(draw: &mut Draw, spatial: bool, radius: f64) -> Body {
    let course = draw.heading(spatial);
    let aside = draw.turned(spatial, course, 90.0);
    let miss = times(aside, draw.between(0.2, 0.8) * (radius + 0.5));
    let speed = draw.between(4.0, 8.0);
    // Some meet the ball within the look-ahead time, others later.
    let position = plus(times(course, -radius - speed * draw.between(0.5, 2.0)), miss);
    Body::at(rounded(position)).moving(rounded(times(course, speed)))
}

fn obstacle_seen_from_itself(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut pairs = Vec::new();
    for index in 0..16 {
        let (radius, home, u) = (draw.between(1.0, 3.0), post(2 * index), rounded(draw.point(spatial, 6.0)));
        let body = toward(draw, spatial, radius);
        let obstacle = match index % 2 {
            0 => sphere(spatial, home, radius),
            _ => cuboid(spatial, home, [2.0 * radius; 3]),
        };
        let position = plus(home, body.position);
        let moving = Body::at(position).moving(plus(body.velocity, u));
        pairs.push([(obstacle.clone(), Body { position, ..body }), (going(spatial, &obstacle, index, u, 0.0), moving)]);
    }
    alike(bench, spatial, AVOIDER, pairs, 2e-2)
}

fn obstacle_turn_sweeps(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut pairs = Vec::new();
    for index in 0..16 {
        let (home, turn) = (post(2 * index), draw.between(-120.0, 120.0));
        if index % 2 == 0 {
            let radius = draw.between(1.0, 3.0);
            let (body, ball) = (toward(draw, spatial, radius), sphere(spatial, home, radius));
            let body = Body { position: plus(home, body.position), ..body };
            pairs.push([(ball.clone(), body), (going(spatial, &ball, index, ZERO, turn), body)]);
            continue;
        }
        // An agent beside a capsule along x, on its way to it.
        let (length, radius) = (draw.between(6.0, 10.0), draw.between(0.5, 1.0));
        let (x, side) = (draw.between(-0.4, 0.4) * length, if draw.whole(0, 1) == 0 { -1.0 } else { 1.0 });
        let [height, rise] = if spatial { [0; 2].map(|_| draw.between(-0.5, 0.5)) } else { [0.0; 2] };
        let velocity = rounded([draw.between(2.0, 4.0), -side * draw.between(1.0, 3.0), rise]);
        let place = rounded([x, side * (radius + draw.between(1.0, 3.0)), height]);
        let (body, line) = (Body::at(plus(home, place)).moving(velocity), rod(spatial, home, length, radius));
        let normal = unit([0.0, place[1], place[2]]);
        let swept = times(normal, turn.to_radians() * place[0] * normal[1]);
        pairs.push([
            (going(spatial, &line, index, rounded(swept), 0.0), body),
            (going(spatial, &line, index, ZERO, turn), body),
        ]);
    }
    alike(bench, spatial, AVOIDER, pairs, 2e-2)
}

fn obstacle_meeting_clears(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (mut scenery, mut drawn) = (Vec::new(), Vec::new());
    for index in 0..16 {
        let (radius, most, w) = (draw.between(1.0, 3.0), draw.between(10.0, 30.0), draw.between(6.0, 12.0));
        let room = radius + 0.5;
        // Half of the agents see it 2 % earlier than needed, the others too late; every third meets it head-on.
        let share = if index % 2 == 0 { 1.02 } else { draw.between(0.6, 0.9) };
        let distance = share * (room * room + 2.0 * room * w * w / most).sqrt();
        let course = draw.heading(spatial);
        let u = rounded(match index % 3 {
            0 => times(course, -w * draw.between(0.2, 0.8)),
            _ => draw.point(spatial, 6.0),
        });
        let home = lane(index, 48.0);
        scenery.push(going(spatial, &sphere(spatial, home, radius), index, u, 0.0));
        let start = Body::at(rounded(minus(home, times(course, distance)))).moving(rounded(plus(u, times(course, w))));
        drawn.push((start, home, u, [radius, most, w, distance], share > 1.0));
    }
    let setup = among(spatial, 1.0 / 256.0, &scenery);
    bench.flies(setup, 512, drawn, |setup, (start, home, u, [radius, most, w, distance], clears)| {
        let time = 1.5 * distance / w;
        let rule = format!("behaviors.obstacle_avoidance = {{ min_look_ahead = 0, look_ahead_time = {time} }}");
        let lines = format!("max_speed = 100\nmax_force = {most}\nradius = 0.5\n{rule}");
        let id = setup.agent(&lines, start.position, start.velocity);
        move |path| {
            let (room, turn) = (radius + 0.5, w * w / most);
            let least = least_gap(path, id, home, times(u, 1.0 / 256.0)) - room;
            let parameters = [("R", radius), ("w", w), ("a", most), ("D", distance)];
            bench.check(match clears {
                true => Case::at_least(&parameters, 0.0, least, 0.02),
                false => Case::absolute(&parameters, distance.hypot(turn) - turn - room, least, 0.05),
            });
        }
    })
}

fn wall_following_ahead(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut pairs = Vec::new();
    for index in 0..16 {
        let (home, u, turn) = (post(2 * index), draw.point(spatial, 6.0), draw.between(-200.0, 200.0));
        let size = [draw.between(3.0, 6.0), draw.between(3.0, 6.0), draw.between(3.0, 6.0)];
        let axis = axis(draw, spatial);
        let line = turned_by(cuboid(spatial, home, size), spatial, axis, 0.0);
        let there = rounded(plus(home, times(u, AHEAD)));
        let still = turned_by(cuboid(spatial, there, size), spatial, axis, turn * AHEAD);
        let body = around(draw, spatial, 9.0, 12.0, |_| ZERO);
        let body = Body { position: plus(home, body.position), ..body };
        pairs.push([(still, body), (going(spatial, &line, index, u, turn), body)]);
    }
    alike(bench, spatial, FOLLOWER, pairs, 1e-2)
}
