//! Pursuit and evasion: seek and flee where the target will be.

use crate::*;

laws! {
    pursuit_steering in both by steered("pursuit", &[0, 1, 2, 3, 4, 5, 6], 1.0):
        "A = (v_max d/|d| - v)/τ with d = q - p + u t, and t by each of seven rules, at most T_max",
        source: "Reynolds 1999 leaves t open; Buckland, Millington and OpenSteer give theirs",
        mutant: predicted_way("goal.velocity * min(t, longest)" => "goal.forward * min(t, longest)"),
        mistake: "a unit vector times a time: the speed is lost";
    pursuit_nine_cases in both by steered("pursuit", &[5], 1.0):
        "t = k D/|v|, with k from a table of ahead, aside, behind by parallel, across, opposite",
        source: "OpenSteer, steerForPursuit: 4, 1.8, 0.85; 1, 0.8, 4; 0.5, 2, 2",
        mutant: nine_cases("by_cosine(place, behind, beside, ahead);" => "by_cosine(place, ahead, beside, behind);"),
        mistake: "ahead and behind are swapped";
    pursuit_crossing_time: "a quarry that crosses at u, from D to the side, is met by speed s at D/√(s² - u²)",
        source: "the triangle of interception",
        mutant: pursuit_steer("let toward = along(way);" => "let toward = along(goal.offset);"),
        mistake: "the prediction is not used";
    pursuit_nine_cases_catch in both:
        "by the nine cases a quarry of speed u < v/2 is met within D/(v - u); one that flees straight on is met \
         after D/(v - u), one that comes straight on after D/(v + u)",
        source: "Reynolds 1999: a quarry that is predicted is caught; on a straight line every prediction lies on it",
        mutant: nine_cases("by_cosine(place, behind, beside, ahead);" => "-by_cosine(place, behind, beside, ahead);"),
        mistake: "the quarry is sought where it came from";
    seek_crossing_time: "seek alone needs D s/(s² - u²) for the same quarry",
        source: "the classical curve of pursuit (Bouguer 1732)",
        mutant: seek_steer("direction = along(goal.offset);" => "direction = along(goal.offset + goal.velocity);"),
        mistake: "seek predicts";
    pursuit_not_slower in both: "against a steady quarry, interception is never later than seek",
        source: "a straight line is the shortest way to where they meet",
        mutant: predicted_way("return goal.offset + goal.velocity" => "return goal.offset - goal.velocity"),
        mistake: "the agent seeks where the quarry was, not where it will be";
    pursuit_at_rest in both by at_rest(["pursuit", "seek"]):
        "a quarry at rest is sought where it is, to the bit, by all rules and in all forms; a pursuer at rest divides by no zero",
        source: "E37: the seed returns the origin for a quarry at rest; OpenSteer divides by the speed",
        mutant: pursuit_steer("agent.max_speed" => "agent.speed"),
        mistake: "a pursuer at rest wants no speed";
    pursuit_by_distance:
        "with T = D c, bare or in Reynolds' dialect, a quarry of speed u < v is met within D/(v - u), and no later than by seek",
        source: "Reynolds 1999 gives c no number; with c = 1 s/u, 20 u/s after 10 u/s that cross 20 u away end 19.6 u away",
        mutant: predicted_way("select(closing_time(agent, goal.offset, goal.velocity), goal.distance * turning, turning > 0.0)"
            => "goal.distance"),
        mistake: "c is 1 s/u where the scene gives none";
    evasion_never_toward:
        "with T = D c, bare or in Reynolds' dialect, and by default V leads away from a menace of any speed; head on \
         the distance left after t is D - (u - v) t",
        source: "a menace predicted beyond the agent, T u > D, is fled from toward where it is",
        mutant: predicted_way("select(closing_time(agent, goal.offset, goal.velocity), goal.distance * turning, turning > 0.0)"
            => "goal.distance"),
        mistake: "c is 1 s/u where the scene gives none";
    evasion_steering: "A = (-v_max d/|d| - v)/τ with d = q - p + u t within the panic distance, and 0 beyond",
        source: "Reynolds 1999, Pursuit and Evasion",
        mutant: evasion_steer("flee_direction(agent, way)" => "flee_direction(agent, goal.offset)"),
        mistake: "the prediction is not used";
    evasion_at_rest in both by at_rest(["evasion", "flee"]):
        "from a menace at rest evasion is flee, to the bit, by all rules and in all forms, even where both are at one point",
        source: "OpenSteer divides by the menace's speed, which is 0 then",
        mutant: evasion_steer("flee_direction(agent, way)" => "-along(way)"),
        mistake: "no direction where both are at one point";
    evasion_by_the_menace in both:
        "with t = D/|u| the agent flees along the bisector of the direction from the menace and the opposite of the \
         menace's course",
        source: "OpenSteer, steerForEvasion: distance / menace speed; the predicted place is as far from the menace as the agent",
        mutant: predicted_way("goal.distance / max(sqrt(dot3(goal.velocity, goal.velocity)), SLOWEST);" => "own_time;"),
        mistake: "the time that the agent would take, as in pursuit";
    evasion_keeps_farther in both:
        "a menace that passes on a steady course comes no nearer to an agent that evades than to one that flees",
        source: "fixed courses; of random ones, 1 to 2 % are exceptions",
        mutant: evasion_steer("flee_direction(agent, way)" => "flee_direction(agent, goal.offset * 2.0 - way)"),
        mistake: "the agent flees from where the menace was";
    pursuit_forms in both: "in each form pursuit is seek, and evasion flee, of the point q + u T",
        source: "OpenSteer, steerForPursuit and steerForEvasion, and Millington, Pursue and Evade: both end in seek, or flee",
        mutant: evasion_steer("evasion.form" => "FORM_VELOCITY"),
        mistake: "an evader desires full speed in every form";
}

const RULES: [&str; 7] = ["intercept", "fixed", "distance", "own_speed", "closing", "nine_cases", "target_speed"];

/// How a pursuer predicts, and its vehicle.
struct Chase {
    rule: usize,
    time: f64,
    longest: f64,
    max_speed: f64,
    tau: f64,
}

impl Chase {
    fn new(draw: &mut Draw, rule: usize) -> Chase {
        // For `distance` this is the coefficient c, which one in three leaves out.
        let time = match RULES[rule] {
            "distance" if draw.whole(0, 2) == 0 => 0.0,
            "distance" => draw.between(0.02, 0.1),
            _ => draw.between(0.2, 2.0),
        };
        let longest = if draw.whole(0, 2) == 0 { draw.between(0.1, 0.5) } else { 1000.0 };
        Chase { rule, time, longest, max_speed: draw.between(8.0, 20.0), tau: draw.scale(0.05, 2.0) }
    }

    fn lines(&self, behavior: &str, quarry: usize, more: &str) -> String {
        let Chase { rule, time, longest, max_speed, tau } = self;
        let key = if RULES[*rule] == "distance" { "turning" } else { "prediction_time" };
        let times = format!("{key} = {time}, max_prediction_time = {longest}");
        let prediction = format!("target = {{ agent = {quarry} }}, prediction = \"{}\", {times}{more}", RULES[*rule]);
        format!("max_speed = {max_speed}\ntime_constant = {tau}\nbehaviors.{behavior} = {{ {prediction} }}")
    }

    /// The vector to where the quarry will be. `factor` is OpenSteer's, by angles.
    fn way(&self, own: Body, quarry: Body, factor: f64) -> V {
        let (offset, velocity) = (minus(quarry.position, own.position), quarry.velocity);
        let (distance, theirs, own_speed) = (norm(offset), norm(velocity), norm(own.velocity));
        let closing = distance / (self.max_speed + theirs);
        let time = match RULES[self.rule] {
            "intercept" => self.meeting(offset, velocity).unwrap_or(closing),
            "fixed" => self.time,
            "distance" if self.time > 0.0 => self.time * distance,
            "distance" => closing,
            "own_speed" => distance / own_speed,
            "closing" => closing,
            "target_speed" => distance / theirs,
            _ => factor * distance / own_speed,
        };
        plus(offset, times(velocity, time.min(self.longest)))
    }

    /// The first time at which |offset + velocity t| = max_speed t, by bisection of their difference.
    fn meeting(&self, offset: V, velocity: V) -> Option<f64> {
        let ahead = |t: f64| norm(plus(offset, times(velocity, t))) - self.max_speed * t;
        let steps = || (1..=4000).map(|k| f64::from(k) * 0.05);
        let end = steps().find(|t| ahead(*t) <= 0.0)?;
        Some(bisected(end - 0.05, end, |t| ahead(t) > 0.0))
    }
}

/// OpenSteer's factor, by angles; `None` near the edge of a case.
fn factor(own: Body, quarry: Body) -> Option<f64> {
    let angle = |v: V| (dot(unit(v), unit(own.velocity)).clamp(-1.0, 1.0)).acos().to_degrees();
    let class = |angle: f64| match angle {
        _ if (angle - 45.0).abs() < 0.1 || (angle - 135.0).abs() < 0.1 => None,
        _ if angle < 45.0 => Some(0),
        _ if angle > 135.0 => Some(2),
        _ => Some(1),
    };
    let (place, heading) = (class(angle(minus(quarry.position, own.position)))?, class(angle(quarry.velocity))?);
    // Rows: ahead, aside, behind. Columns: parallel, across, opposite.
    Some([[4.0, 1.8, 0.85], [1.0, 0.8, 4.0], [0.5, 2.0, 2.0]][place][heading])
}

/// Check how random pursuers of random quarries steer, by these rules.
fn steered(bench: &Bench, draw: &mut Draw, spatial: bool, behavior: &str, rules: &[usize], sign: f64) -> Tried {
    let setup = Setup::open(spatial, 0.01).with("", &draw.crowd(24, spatial, ZERO, 30.0, 7.0));
    bench.steers(setup, 0..24, |setup, index| {
        let chase = Chase::new(draw, rules[index % rules.len()]);
        let place = draw.point(spatial, 30.0);
        let speed = draw.between(1.0, 7.0);
        let id = setup.agent(&chase.lines(behavior, index, ""), place, times(draw.heading(spatial), speed));
        let (own, quarry) = (setup.body(id), setup.body(index));
        move |found| {
            let Some(factor) = factor(own, quarry) else { return };
            let desired = times(unit(chase.way(own, quarry, factor)), sign * chase.max_speed);
            let expected = times(minus(desired, own.velocity), 1.0 / chase.tau);
            let parameters = [("rule", chase.rule as f64), ("v_max", chase.max_speed), ("k", factor)];
            let bound = 2e-5 * chase.max_speed / chase.tau;
            bench.check(Case::vector_within(&parameters, expected, found[id], bound));
        }
    })
}

/// Agents at rest that hunt quarries which cross. `case` gets D, s and u of each, the time until it is within a step of its quarry, and
/// the time until it meets it.
fn hunt(bench: &Bench, draw: &mut Draw, behavior: &str, case: impl Fn([f64; 3], f64, f64) -> Case) -> Tried {
    let dt = 1.0 / 128.0;
    let mut drawn = |index| {
        let (distance, speed, share) = (draw.between(3.0, 8.0), draw.between(2.0, 6.0), draw.between(0.2, 0.7));
        let (distance, speed, u) = if index == 0 { (10.0, 2.0, 1.0) } else { (distance, speed, share * speed) };
        let (place, side) = (draw.point(false, 2.0), draw.heading(false));
        let quarry = Body::at(plus(place, times(side, distance))).moving(times([-side[1], side[0], 0.0], u));
        (quarry, (place, [distance, speed, u]))
    };
    let (quarries, hunters): (Vec<Body>, Vec<(V, [f64; 3])>) = (0..20).map(&mut drawn).unzip();
    let setup = Setup::open(false, dt).with("", &quarries);
    bench.flies(setup, 1000, hunters.into_iter().enumerate(), |setup, (quarry, (place, [distance, speed, u]))| {
        let rule = format!("behaviors.{behavior} = {{ target = {{ agent = {quarry} }} }}");
        let hunter = setup.agent(&(limits(speed, 1e6, 0.0) + &rule), place, ZERO);
        let case = &case;
        move |path| {
            let way = |bodies: &[Body]| minus(bodies[hunter].position, bodies[quarry].position);
            // A quarry is caught when the hunter is within one step of it: the rest of the way is flown at the closing speed.
            let step = path.iter().position(|bodies| norm(way(bodies)) <= speed * dt).unwrap_or(path.len());
            // The first step in which the distance comes to zero. After it the pursuer flies to and fro.
            let met = (step.saturating_sub(1)..path.len() - 1).find_map(|first| {
                let (after, left) = shortest(&path[first..first + 2], way);
                (left < 1e-2 * speed * dt).then_some((first as f64 + after) * dt)
            });
            bench.check(case([distance, speed, u], step as f64 * dt, met.unwrap_or(f64::INFINITY)));
        }
    })
}

fn pursuit_crossing_time(bench: &Bench, draw: &mut Draw) -> Tried {
    hunt(bench, draw, "pursuit", |[distance, s, u], _, met| {
        let expected = distance / (s * s - u * u).sqrt();
        Case::relative(&[("D", distance), ("s", s), ("u", u)], expected, met, 2e-4)
    })
}

fn pursuit_nine_cases_catch(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.flies(Setup::open(spatial, DT), 300, 0..15, |setup, index| {
        let speed = draw.scale(1.0, 50.0);
        let (distance, u) = (speed * draw.between(0.5, 2.0), speed * draw.between(0.1, 0.5));
        let (place, side) = (draw.point(spatial, 40.0), draw.heading(spatial));
        let course = [side, times(side, -1.0), draw.heading(spatial)][index % 3];
        let quarry = setup.agent("max_speed = 100", plus(place, times(side, distance)), times(course, u));
        let rule = format!("behaviors.pursuit = {{ target = {{ agent = {quarry} }}, prediction = \"nine_cases\" }}");
        // The pursuer does not start at rest, because then it would have no heading toward the quarry.
        setup.agent(&(limits(speed, 1e6, 0.0) + &rule), place, times(side, speed));
        move |path| {
            let way = |bodies: &Vec<Body>| norm(minus(bodies[quarry + 1].position, bodies[quarry].position));
            let step = path.iter().position(|bodies| way(bodies) <= speed * DT).unwrap_or(path.len());
            let parameters = [("v", speed), ("u", u), ("D", distance)];
            let (time, away, on) = (step as f64 * DT, distance / (speed - u), distance / (speed + u));
            bench.check(match index % 3 {
                // It is within a step of the quarry up to two steps before they meet.
                0 => Case::absolute(&parameters, away - DT, time, 1.01 * DT * speed / (speed - u)),
                1 => Case::absolute(&parameters, on, time, 1.01 * DT),
                _ => Case::at_most(&parameters, away, time, DT),
            });
        }
    })
}

fn seek_crossing_time(bench: &Bench, draw: &mut Draw) -> Tried {
    hunt(bench, draw, "seek", |[distance, s, u], near, _| {
        let expected = distance * s / (s * s - u * u);
        Case::absolute(&[("D", distance), ("s", s), ("u", u)], expected, near, 5.0 / 128.0)
    })
}

fn pursuit_not_slower(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 1.0 / 32.0;
    let setup = Setup::open(spatial, dt).with("", &draw.crowd(12, spatial, ZERO, 10.0, 3.0));
    bench.flies(setup, 400, 0..12, |setup, quarry| {
        let (start, speed) = (draw.point(spatial, 10.0), draw.between(5.0, 10.0));
        let hunters = ["pursuit", "seek"].map(|behavior| {
            let rule = format!("behaviors.{behavior} = {{ target = {{ agent = {quarry} }} }}");
            setup.agent(&(limits(speed, 1e6, 0.0) + &rule), start, ZERO)
        });
        move |path| {
            let [pursuit, seek] = hunters.map(|id| {
                let near = |bodies: &Vec<Body>| norm(minus(bodies[id].position, bodies[quarry].position)) < 0.35;
                path.iter().position(near).map_or(f64::INFINITY, |step| step as f64 * dt)
            });
            bench.check(Case::at_most(&[("seek", seek)], seek, pursuit, 1.5 * dt));
        }
    })
}

/// With a target at rest, agents that predict by any rule steer as agents that do not predict.
fn at_rest(bench: &Bench, draw: &mut Draw, spatial: bool, [behavior, plain]: [&str; 2]) -> Tried {
    for own_speed in [0.0, 5.0] {
        let quarries = draw.crowd(12, spatial, ZERO, 20.0, 0.0);
        let setup = Setup::open(spatial, 0.01).with("", &quarries);
        bench.steers(setup, quarries.into_iter().enumerate(), |setup, (id, quarry)| {
            let place = draw.point(spatial, 20.0);
            let velocity = times(draw.heading(spatial), own_speed);
            let same_place = behavior == "evasion" && id < 3;
            let place = if same_place { quarry.position } else { place };
            let chase = Chase::new(draw, id % RULES.len());
            // Agents at the target's own point get the form `velocity`.
            let form = format!(", form = {:?}", FORMS[id / 3 % FORMS.len()]);
            let predicts = chase.lines(behavior, id, &form);
            let plain = format!("behaviors.{plain} = {{ target = {{ agent = {id} }}{form} }}");
            let limits = format!("max_speed = {}\ntime_constant = {}\n", chase.max_speed, chase.tau);
            let [predicting, plain] = [predicts, limits + &plain].map(|lines| setup.agent(&lines, place, velocity));
            let own = setup.body(plain).velocity;
            move |found| {
                let parameters = [("rule", chase.rule as f64), ("v", own_speed)];
                // Where both are at one point, each flees in a direction of its own.
                let desired = |id: usize| norm(plus(times(found[id], chase.tau), own));
                bench.check(match same_place {
                    true => Case::relative(&parameters, desired(plain), desired(predicting), 1e-5),
                    false => Case::vector_within(&parameters, found[plain], found[predicting], 0.0),
                });
            }
        })?;
    }
    Ok(())
}

const FORMS: [&str; 3] = ["velocity", "acceleration", "offset"];

fn pursuit_forms(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let setup = Setup::open(spatial, 0.01).with("", &draw.crowd(12, spatial, ZERO, 30.0, 7.0));
    bench.steers(setup, 0..12, |setup, index| {
        let (speed, force, tau) = (draw.between(8.0, 20.0), draw.between(20.0, 100.0), draw.scale(0.05, 2.0));
        let (time, start) = (draw.between(0.2, 2.0), [draw.point(spatial, 30.0), draw.point(spatial, 5.0)]);
        let Body { position, velocity } = setup.body(index);
        let there = to(spatial, plus(position, times(velocity, time)));
        let [chase, plain] = [["pursuit", "seek"], ["evasion", "flee"]][index % 2];
        let form = FORMS[index % 3];
        let fixed = format!("prediction = \"fixed\", prediction_time = {time}");
        let [chase, plain] = [
            format!("behaviors.{chase} = {{ target = {{ agent = {index} }}, {fixed}, form = {form:?} }}"),
            format!("behaviors.{plain} = {{ {there}, form = {form:?} }}"),
        ]
        .map(|rule| setup.agent(&(limits(speed, force, tau) + &rule), start[0], start[1]));
        move |found| {
            let (parameters, bound) = ([("form", (index % 3) as f64), ("T", time)], 2e-5 * (norm(found[plain]) + 1.0));
            bench.check(Case::vector_within(&parameters, found[plain], found[chase], bound));
        }
    })
}

fn evasion_steering(bench: &Bench, draw: &mut Draw) -> Tried {
    let rules = [0, 1, 2, 3, 4, 5, 6];
    in_both(bench, draw, |bench, draw, spatial| steered(bench, draw, spatial, "evasion", &rules, -1.0))?;
    let setup = Setup::open(false, 0.01).with("", &[Body::at(ZERO).moving([3.0, 0.0, 0.0])]);
    bench.steers(setup, 0..12, |setup, index| {
        let panic = draw.between(5.0, 20.0);
        let share = if index % 2 == 0 { 0.9 } else { 1.1 };
        let chase = Chase::new(draw, index % RULES.len());
        let place = times(draw.heading(false), panic * share);
        let velocity = draw.point(false, 5.0);
        setup.agent(&chase.lines("evasion", 0, &format!(", panic_distance = {panic}")), place, velocity);
        move |found| {
            bench.check(Case::holds(&[("panic", panic), ("d/panic", share)], share < 1.0, norm(found[1 + index]) > 0.0))
        }
    })
}

fn evasion_by_the_menace(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.arrives(Setup::open(spatial, 0.01), 1, 0..12, |setup, _| {
        let (place, side, angle) = (draw.point(spatial, 40.0), draw.heading(spatial), draw.between(5.0, 170.0));
        let (distance, pace, speed) = (draw.between(2.0, 40.0), draw.scale(1.0, 30.0), draw.scale(1.0, 30.0));
        let course = times(draw.turned(spatial, side, angle), pace);
        let menace = setup.agent("max_speed = 100", plus(place, times(side, distance)), course);
        let rule = format!("target = {{ agent = {menace} }}, prediction = \"target_speed\"");
        let limits = limits(speed, 1e6, 0.0);
        let heading = draw.heading(spatial);
        setup.agent(&format!("{limits}behaviors.evasion = {{ {rule} }}"), place, times(heading, 0.5 * speed));
        move |found| {
            let away = dot(unit(found[menace + 1].velocity), times(side, -1.0)).clamp(-1.0, 1.0).acos().to_degrees();
            let parameters = [("u", pace), ("v", speed), ("angle", angle)];
            bench.check(Case::absolute(&parameters, 0.5 * angle, away, 0.05));
            bench.check(Case::relative(&parameters, speed, norm(found[menace + 1].velocity), 1e-5));
        }
    })
}

fn evasion_keeps_farther(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // The menace comes from 10 u away and passes the agent at 1 to 3 u.
    let menace = |index| {
        let heading = draw.heading(spatial);
        let aside = times(draw.turned(spatial, heading, 90.0), draw.between(1.0, 3.0));
        let start = sum(&[lane(index, 60.0), aside, times(heading, -10.0)]);
        Body::at(start).moving(times(heading, draw.between(6.0, 12.0)))
    };
    let setup = Setup::open(spatial, DT).with("", &(0..12).map(menace).collect::<Vec<Body>>());
    bench.flies(setup, 160, 0..12, |setup, menace| {
        let ids = ["evasion", "flee"].map(|behavior| {
            let rule = format!("behaviors.{behavior} = {{ target = {{ agent = {menace} }} }}");
            setup.agent(&(limits(4.0, 1e4, 0.1) + &rule), lane(menace, 60.0), ZERO)
        });
        move |path| {
            let least = |id: usize| shortest(path, |bodies| minus(bodies[id].position, bodies[menace].position)).1;
            let ([evading, fleeing], speed) = (ids.map(least), norm(path[0][menace].velocity));
            bench.check(Case::at_least(&[("u", speed), ("flee", fleeing)], fleeing, evading, 1e-3));
        }
    })
}

/// Two ways to predict by distance, as dialect and option: the option itself, and Reynolds' dialect.
const BY_DISTANCE: [(&str, &str); 2] = [("canonical", ", prediction = \"distance\""), ("reynolds99", "")];

/// A world without ends, in a dialect.
fn speaking(dialect: &str, spatial: bool, dt: f64) -> Setup {
    Setup::open_with(spatial, dt, format!("dialect = {dialect:?}"))
}

fn pursuit_by_distance(bench: &Bench, draw: &mut Draw) -> Tried {
    for ((dialect, option), spatial) in BY_DISTANCE.into_iter().flat_map(|way| [(way, false), (way, true)]) {
        bench.flies(speaking(dialect, spatial, DT), 700, 0..10, |setup, index| {
            let speed = draw.scale(1.0, 50.0);
            let (distance, u) = (speed * draw.between(0.5, 3.0), speed * draw.between(0.2, 0.7));
            // The first case is that of the source: a pursuer of 20 u/s, and a quarry of 10 u/s that crosses 20 u away.
            let (speed, distance, u) = if index == 0 { (20.0, 20.0, 10.0) } else { (speed, distance, u) };
            let (place, side) = (draw.point(spatial, 40.0), draw.heading(spatial));
            let course = if index == 0 { draw.turned(spatial, side, 90.0) } else { draw.heading(spatial) };
            let quarry = setup.agent("max_speed = 100", plus(place, times(side, distance)), times(course, u));
            let hunters = [("pursuit", option), ("seek", "")].map(|(behavior, option)| {
                let rule = format!("behaviors.{behavior} = {{ target = {{ agent = {quarry} }}{option} }}");
                setup.agent(&(limits(speed, 1e6, 0.0) + &rule), place, ZERO)
            });
            move |path| {
                let [found, seek] = hunters.map(|hunter| {
                    let way = |bodies: &Vec<Body>| norm(minus(bodies[hunter].position, bodies[quarry].position));
                    let step = path.iter().position(|bodies| way(bodies) <= speed * DT).unwrap_or(path.len());
                    step as f64 * DT
                });
                let parameters = [("v", speed), ("u", u), ("D", distance), ("seek", seek)];
                bench.check(Case::at_most(&parameters, distance / (speed - u), found, DT));
                bench.check(Case::at_most(&parameters, seek, found, 1.5 * DT));
            }
        })?;
    }
    Ok(())
}

fn evasion_never_toward(bench: &Bench, draw: &mut Draw) -> Tried {
    let dt = 1.0 / 256.0;
    let ways = BY_DISTANCE.into_iter().chain([("canonical", "")]);
    for ((dialect, option), spatial) in ways.flat_map(|way| [(way, false), (way, true)]) {
        bench.flies(speaking(dialect, spatial, dt), 128, 0..14, |setup, index| {
            let (speed, u, distance) = (draw.scale(1.0, 50.0), draw.scale(1.0, 50.0), draw.scale(4.0, 60.0));
            let (place, side) = (draw.point(spatial, 40.0), draw.heading(spatial));
            let head_on = index % 2 == 0;
            let course = if head_on { times(side, -1.0) } else { draw.heading(spatial) };
            let menace = setup.agent("max_speed = 100", plus(place, times(side, distance)), times(course, u));
            let rule = format!("behaviors.evasion = {{ target = {{ agent = {menace} }}{option} }}");
            let id = setup.agent(&(limits(speed, 1e6, 0.0) + &rule), place, ZERO);
            move |path| {
                let parameters = [("v", speed), ("u", u), ("D", distance), ("head on", f64::from(head_on))];
                bench.check(Case::at_most(&parameters, 0.0, dot(path[1][id].velocity, side) / speed, 0.0));
                if head_on {
                    let steps = ((0.5 * distance / u / dt) as usize).clamp(1, 128);
                    let found = norm(minus(path[steps][id].position, path[steps][menace].position));
                    let left = distance - (u - speed) * steps as f64 * dt;
                    bench.check(Case::absolute(&parameters, left, found, 1e-3));
                }
            }
        })?;
    }
    Ok(())
}
