//! How the accelerations of several behaviors become one.
//!
//! Agents are in pairs with the same velocity, so that separation, cohesion and a uniform field give accelerations of
//! which each is known in closed form.

use crate::*;

laws! {
    combine_weighted in both: "A = Σ w A_k: linear in each weight",
        source: "Reynolds 1999, Combining Behaviors: a linear combination",
        mutant: blend_add("var part = wish * weight;" => "var part = wish * abs(weight);"),
        mistake: "the sign of a weight is lost";
    combine_normalized in both:
        "A = Σ w A_k / max(|A_k|, floor): above the floor only the direction of a behavior's steering counts",
        source: "Reynolds 1999, Flocking: normalized, then weighted; the floor keeps rounding noise small",
        mutant: unit_part("max(length, max(rule.floor, 1e-18))" => "max(length, 1e-18)"),
        mistake: "noise is brought to full length too";
    combine_priority in both:
        "A is exactly the sum of the first priority whose sum is longer than `silence`, and the recorded winner \
         names that priority",
        source: "Reynolds 1999, Combining Behaviors: the first non-zero one, with a threshold",
        mutant: blend_finish("if (speaks && drawn && result.winner == NO_WINNER)" => "if (speaks && drawn)"),
        mistake: "the last priority decides";
    combine_silence in both:
        "a priority whose sum is shorter than `silence` does not decide, whatever the value of `silence`",
        source: "Reynolds 1999, Combining Behaviors: the first non-zero one, with a threshold",
        mutant: blend_finish("silence * silence" => "1e-6"),
        mistake: "the threshold is always 0.001 u/s²";
    combine_turns:
        "angular behaviors are combined in the same way: the first priority that has an angular acceleration turns \
         the agent alone",
        source: "Reynolds 1999, Combining Behaviors",
        mutant: turn("decision.acceleration" => "combined.groups[0] + combined.groups[1] + combined.groups[2]"),
        mistake: "angular accelerations are added up";
    combine_budget in both:
        "in the order of priorities each sum is added within what is left of the largest acceleration, which |A| \
         never exceeds",
        source: "Buckland 2005, weighted truncated running sum with prioritization",
        mutant: blend_finish("result.acceleration += limit(group, max(most - spent, 0.0));"
            => "result.acceleration = limit(result.acceleration + group, most);"),
        mistake: "later priorities change the sum of earlier ones";
    combine_dithered in both:
        "priority k decides with chance p_k Π (1 - p_j) over the earlier priorities j that are not silent",
        source: "Reynolds 1993, prioritized dithering: independent draws",
        mutant: blend_finish("STREAM_DITHER + priority" => "STREAM_DITHER"),
        mistake: "all priorities share one draw";
    combine_within in both:
        "within a priority: Σ w A, or Σ w A / max(|A|, floor), or the w A of the least rank that is longer than `silence`",
        source: "Millington 2006, priority groups of blended behaviors; equal ranks go by the order of behaviors",
        mutant: group_add("(before == 0u || rank < before)" => "before == 0u"),
        mistake: "the behavior that is calculated first decides, whatever its rank";
    combine_within_turns:
        "angular behaviors of one priority are combined in the same way: only the first by rank counts, or each has \
         a size that its weight decides",
        source: "Millington 2006, priority groups of blended behaviors",
        mutant: blend_add("combine >= COMBINE_PRIORITY && way_within(own, priority_of(rule)) == WITHIN_NORMALIZED"
            => "false"),
        mistake: "angular behaviors are not normalized within their priority";
    limit_each in both:
        "A = Σ w_k A_k min(1, L_k / |A_k|): each behavior is cut to its limit before it is weighted, L = 0 means no \
         limit, and only the vehicle limits the sum",
        source: "Shiffman, The Nature of Code: steer.limit(maxforce) in seek, separate, align and cohere",
        mutant: blend_add("wish = limit(steering, rule.limit)" => "wish = limit(steering, rule.limit / weight)"),
        mistake: "the weighted steering is cut, not the steering";
    jitter_length in both:
        "with jitter ν a behavior gives a + ν |a| ξ with random directions ξ, and in a plane an angular behavior \
         gives a ± ν |a|",
        source: "no published rule: the vectorial noise of Grégoire and Chaté 2004 is a share of the number of neighbors",
        mutant: jittered("rule.jitter * sqrt(dot3(steering, steering))" => "rule.jitter"),
        mistake: "the jitter has the same length whatever |a|";
    jitter_independence in both:
        "jitters of different agents, behaviors and steps are uncorrelated: E[ξ] = 0, E[ξ · ξ'] = 0",
        source: "five standard deviations, of one component √(1/d) and of a product √(1/d)",
        mutant: jittered("STREAM_JITTER + (rule.rows >> 16u)" => "STREAM_JITTER"),
        mistake: "all behaviors of an agent have the same jitter";
    jitter_diffuses in both:
        "under a constant steering a with jitter ν the velocity after n steps has the variance (ν a dt)² n about a t",
        source: "a sum of n random vectors of one length",
        mutant: jittered("agent.step, STREAM_JITTER + (rule.rows >> 16u)" => "0u, STREAM_JITTER + (rule.rows >> 16u)"),
        mistake: "the jitter is the same in every step";
    combine_cancel:
        "the sum of two opposite steerings is shorter than either: by priority an agent passes a post at the \
         distance R exp(-v²/2k), by the sum nearer",
        source: "Reynolds 1999, Combining Behaviors: components may cancel; energy v²/2 = k ln(R/d) of the push k/d",
        mutant: group_add("(*sum).groups[rule.priority] += part;" => "(*sum).groups[0] += part;"),
        mistake: "all behaviors are of one priority";
}

const SEPARATION: usize = 0;
const COHESION: usize = 1;
const FIELD: usize = 2;
const NAMES: [&str; 3] = ["separation", "cohesion", "flow_field"];

/// How a pair of agents steers.
#[derive(Clone)]
struct Pair {
    /// The vector from the first to the second agent, u.
    offset: V,
    /// The velocity of both agents, u/s.
    velocity: V,
    weights: [f64; 3],
    priorities: [u32; 3],
    ranks: [u32; 3],
    floors: [f64; 3],
    /// Greatest force, kg u/s²; the mass is 1.
    max_force: f64,
    /// In which of `WAYS` the behaviors of its two priorities are combined.
    ways: [&'static str; 2],
    /// Sums no longer than this count as silent, u/s².
    silence: f64,
    extra: String,
}

const FLOW: V = [3.0, 0.0, 0.0];
const TIME_CONSTANT: f64 = 0.5;
const RADIUS: f64 = 4.0;

impl Pair {
    fn draw(draw: &mut Draw, spatial: bool) -> Pair {
        let mut priorities = [1, 3, 6];
        priorities.swap(0, draw.whole(0, 2) as usize);
        priorities.swap(1, draw.whole(1, 2) as usize);
        Pair {
            offset: times(draw.heading(spatial), draw.between(0.5, 3.5)),
            velocity: draw.point(spatial, 5.0),
            weights: [0; 3].map(|_| draw.scale(0.1, 10.0) * if draw.whole(0, 1) == 0 { -1.0 } else { 1.0 }),
            priorities,
            ranks: [0; 3],
            floors: [1e-3; 3],
            max_force: 100.0,
            ways: [WAYS[0]; 2],
            silence: 1e-3,
            extra: String::new(),
        }
    }

    /// The sum when the sums of the priorities, one after another, are clipped to what they leave of the greatest force.
    fn spent(&self, groups: &[(u32, V)]) -> V {
        let left = |spent: V| (self.max_force - norm(spent)).max(0.0);
        groups.iter().fold(ZERO, |spent, (_, v)| plus(spent, clipped(*v, left(spent))))
    }

    fn lines(&self, combine: &str) -> String {
        let behavior = |k: usize| {
            let see = if k == FIELD { "" } else { "perception_radius = 4.0, field_of_view = 360, " };
            let Pair { weights, priorities, ranks, floors, .. } = self;
            let rule = format!("weight = {}, priority = {}, floor = {}", weights[k], priorities[k], floors[k]);
            let rule = format!("{rule}, rank = {}", ranks[k]);
            format!("behaviors.{} = {{ {see}{rule} }}\n", NAMES[k])
        };
        let behaviors = (0..3).filter(|k| self.weights[*k] != 0.0).map(behavior).collect::<String>();
        let limits = limits(100.0, self.max_force, TIME_CONSTANT);
        format!("combine = \"{combine}\"\n{limits}silence = {}\n{}\n{behaviors}", self.silence, self.extra)
    }

    /// Both agents, the first at this point.
    fn bodies(&self, at: V) -> [Body; 2] {
        let second = Body::at(plus(at, self.offset)).moving(self.velocity);
        [Body::at(at).moving(self.velocity), second]
    }

    /// The acceleration that each behavior gives the first of two agents, before its weight.
    fn parts(&self, bodies: [Body; 2]) -> [V; 3] {
        let offset = minus(bodies[1].position, bodies[0].position);
        let field = times(minus(FLOW, bodies[0].velocity), 1.0 / TIME_CONSTANT);
        [times(offset, -1.0 / dot(offset, offset)), offset, field]
    }

    /// Weighted parts with their priorities, the earliest first.
    fn groups(&self, bodies: [Body; 2]) -> Vec<(u32, V)> {
        let part = |k: usize| (self.priorities[k], times(self.parts(bodies)[k], self.weights[k]));
        let mut groups: Vec<(u32, V)> = [SEPARATION, COHESION, FIELD].map(part).to_vec();
        groups.sort_by_key(|(priority, _)| *priority);
        groups
    }
}

fn world(spatial: bool, dt: f64) -> Setup {
    Setup::open_with(spatial, dt, format!("field = {{ source = \"uniform\", speed = {} }}", FLOW[0]))
}

/// Try pairs that do not perceive other pairs. `check` gets each pair, how its first agent steered, and its parts by priority.
fn combined(
    bench: &Bench,
    spatial: bool,
    combine: &str,
    pairs: &[Pair],
    mut check: impl FnMut(&Pair, Found, Vec<(u32, V)>),
) -> Tried {
    let mut setup = world(spatial, 1.0 / 64.0);
    for (index, pair) in pairs.iter().enumerate() {
        setup.species(&pair.lines(combine), &pair.bodies(lane(index, 16.0)));
    }
    let run = bench.run(&setup, 1)?;
    let memories = if matches!(combine, "weighted" | "normalized") { Vec::new() } else { run.memories()? };
    // Steering does not depend on the step, so these accelerations are those of the step that left the memories.
    let accelerations = bench.steering(&setup)?.accelerations;
    for (id, pair) in (0..).step_by(2).zip(pairs) {
        let bodies = [setup.body(id), setup.body(id + 1)];
        let winner = memories.get(id).map_or(u32::MAX, |memory| memory.winner.wrapping_sub(1));
        check(pair, Found { bodies, acceleration: accelerations[id], winner }, pair.groups(bodies));
    }
    Ok(())
}

struct Found {
    bodies: [Body; 2],
    acceleration: V,
    winner: u32,
}

fn drawn(draw: &mut Draw, spatial: bool, pairs: usize) -> Vec<Pair> {
    (0..pairs).map(|_| Pair::draw(draw, spatial)).collect()
}

/// The first priority whose sum is longer than `silence`, and that sum; `u32::MAX` and zero if there is none.
fn first_to_speak(groups: &[(u32, V)], silence: f64) -> (u32, V) {
    groups.iter().find(|(_, v)| norm(*v) > silence).copied().unwrap_or((u32::MAX, ZERO))
}

/// Rounding of sums whose terms have these lengths.
fn rounding(groups: &[(u32, V)]) -> f64 {
    2e-6 * groups.iter().map(|(_, v)| norm(*v)).sum::<f64>()
}

fn combine_weighted(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    combined(bench, spatial, "weighted", &drawn(draw, spatial, 12), |pair, found, groups| {
        let expected = groups.iter().fold(ZERO, |total, (_, v)| plus(total, *v));
        let parameters = [("w separation", pair.weights[0]), ("w cohesion", pair.weights[1])];
        bench.check(Case::vector_within(&parameters, expected, found.acceleration, rounding(&groups)));
    })
}

fn combine_normalized(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut pairs = drawn(draw, spatial, 12);
    pairs.iter_mut().for_each(|pair| pair.floors = [0; 3].map(|_| draw.scale(1e-3, 30.0)));
    combined(bench, spatial, "normalized", &pairs, |pair, found, _| {
        let parts = pair.parts(found.bodies);
        let part = |k: usize| times(parts[k], pair.weights[k] / norm(parts[k]).max(pair.floors[k]));
        let groups = [0, 1, 2].map(|k| (0, part(k)));
        let parameters = [("floor of cohesion", pair.floors[1]), ("cohesion", norm(parts[1]))];
        let expected = sum(&groups.map(|(_, v)| v));
        bench.check(Case::vector_within(&parameters, expected, found.acceleration, rounding(&groups)));
    })
}

fn combine_priority(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut pairs = drawn(draw, spatial, 16);
    for (index, pair) in pairs.iter_mut().enumerate() {
        // Some behaviors are made silent: longer than zero, shorter than the threshold.
        (0..3).filter(|k| index & (1 << k) != 0).for_each(|k| pair.weights[k] *= 1e-6);
    }
    combined(bench, spatial, "priority", &pairs, |_, found, groups| {
        let (winner, expected) = first_to_speak(&groups, 1e-3);
        let parameters = [("winner", f64::from(winner))];
        bench.check(Case::vector_within(&parameters, expected, found.acceleration, 1e-6 * norm(expected)));
        bench.check(Case::absolute(&parameters, f64::from(winner), f64::from(found.winner), 0.0));
    })
}

fn combine_silence(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut pairs = drawn(draw, spatial, 12);
    pairs.iter_mut().for_each(|pair| pair.silence = draw.scale(0.1, 20.0));
    combined(bench, spatial, "priority", &pairs, |Pair { silence, .. }, found, groups| {
        // Some draws lie too close to the threshold for rounding.
        if groups.iter().all(|(_, v)| (norm(*v) / silence - 1.0).abs() >= 1e-4) {
            let (winner, expected) = first_to_speak(&groups, *silence);
            let parameters = [("winner", f64::from(winner)), ("silence", *silence)];
            bench.check(Case::vector_within(&parameters, expected, found.acceleration, 1e-6 * norm(expected)));
        }
    })
}

/// A vehicle that stands still and turns freely.
const STANDS: &str = "vehicle = { facing = \"independent\", max_angular_speed = 100 }\nmax_force = 0\nspawn.speed = 0";

/// The angular acceleration of an agent that faces a point and aligns with the heading of an agent at rest, rad/s². `rules` are the
/// keys of both behaviors.
fn turning(bench: &Bench, [point, facing]: [V; 2], combine: &str, rules: [String; 2]) -> Result<f64, ConformError> {
    let mut setup = Setup::open(false, 1.0 / 64.0);
    let [face, align] = rules;
    let lines = format!(
        "{STANDS}\n{combine}\nbehaviors.face = {{ target = {{ point = {:?} }}, {face} }}\n\
         behaviors.align = {{ target = {{ agent = 1 }}, {align} }}\n",
        &point[..2]
    );
    let id = setup.agent(&lines, ZERO, ZERO);
    setup.face(id, facing, [0.0, 0.0, 1.0], ZERO);
    let other = setup.agent(STANDS, [50.0, 0.0, 0.0], ZERO);
    setup.face(other, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], ZERO);
    Ok(bench.steering(&setup)?.turning[id][2])
}

/// Agents that face a point and align with the heading of an agent at rest, by priority and summed.
fn combine_turns(bench: &Bench, draw: &mut Draw) -> Tried {
    for index in 0..12 {
        let (point, facing) = (times(draw.heading(false), 20.0), draw.heading(false));
        let (first, second) = [(0, 2), (2, 0)][index % 2];
        let measured = |combine: &str, weights: [f64; 2]| {
            let rules = [(first, weights[0]), (second, weights[1])];
            let rules = rules.map(|(priority, weight)| format!("priority = {priority}, weight = {weight}"));
            turning(bench, [point, facing], &format!("combine = {combine:?}"), rules)
        };
        let alone = [measured("weighted", [1.0, 0.0])?, measured("weighted", [0.0, 1.0])?];
        let parameters = [("face", f64::from(first)), ("align", f64::from(second))];
        let decides = if first < second { alone[0] } else { alone[1] };
        bench.check(Case::absolute(&parameters, decides, measured("priority", [1.0, 1.0])?, 1e-5));
        bench.check(Case::absolute(&parameters, alone[0] + alone[1], measured("weighted", [1.0, 1.0])?, 1e-5));
    }
    Ok(())
}

fn combine_budget(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut pairs = drawn(draw, spatial, 12);
    pairs.iter_mut().for_each(|pair| pair.max_force = draw.scale(0.5, 50.0));
    combined(bench, spatial, "budget", &pairs, |pair, found, groups| {
        let (parameters, bound) = ([("a_max", pair.max_force)], rounding(&groups));
        bench.check(Case::vector_within(&parameters, pair.spent(&groups), found.acceleration, bound));
        bench.check(Case::at_most(&parameters, pair.max_force, norm(found.acceleration), bound));
    })
}

/// Ways to combine the behaviors of a priority.
const WAYS: [&str; 3] = ["weighted", "normalized", "first"];

impl Pair {
    /// The combined acceleration of the behaviors of a priority, in one of `WAYS`.
    fn group(&self, bodies: [Body; 2], priority: u32, way: &str) -> V {
        let parts = self.parts(bodies);
        let mut members: Vec<usize> = (0..3).filter(|k| self.priorities[*k] == priority).collect();
        members.sort_by_key(|k| self.ranks[*k]);
        let weighted = |k: usize| times(parts[k], self.weights[k]);
        let unit = |k: usize| times(parts[k], self.weights[k] / norm(parts[k]).max(self.floors[k]));
        match way {
            "first" => members.into_iter().map(weighted).find(|v| norm(*v) > 1e-3).unwrap_or(ZERO),
            "normalized" => members.into_iter().map(unit).fold(ZERO, plus),
            _ => members.into_iter().map(weighted).fold(ZERO, plus),
        }
    }
}

fn combine_within(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for combine in ["priority", "budget"] {
        let mut pairs = drawn(draw, spatial, 24);
        for (index, pair) in pairs.iter_mut().enumerate() {
            // Two are of one priority, and the third of a later one.
            pair.priorities = [2; 3];
            pair.priorities[(index / 3) % 3] = 5;
            pair.ranks = [0; 3].map(|_| draw.whole(0, 3));
            pair.floors = [0; 3].map(|_| draw.scale(1e-3, 30.0));
            // In some pairs one or more behaviors are silent: longer than zero, shorter than the threshold.
            let silent = draw.whole(0, 7);
            (0..3).filter(|k| silent & (1 << k) != 0).for_each(|k| pair.weights[k] *= 1e-6);
            if combine == "budget" {
                pair.max_force = draw.scale(0.5, 50.0);
            }
            pair.ways = [WAYS[index % 3], WAYS[(index / 9) % 3]];
            let [early, late] = pair.ways;
            let rest = "\"weighted\", \"weighted\"";
            pair.extra = format!("combine_within = [{rest}, {early:?}, {rest}, {late:?}]");
        }
        combined(bench, spatial, combine, &pairs, |pair, found, _| {
            let [early, late] = pair.ways;
            let groups =
                [(2, early), (5, late)].map(|(priority, way)| (priority, pair.group(found.bodies, priority, way)));
            let parts = pair.parts(found.bodies);
            let lengths = (0..3).map(|k| norm(times(parts[k], pair.weights[k])));
            let bound = 2e-6 * lengths.sum::<f64>() + rounding(&groups);
            let parameters = [("ranks", f64::from(pair.ranks[0])), ("of cohesion", f64::from(pair.ranks[1]))];
            let (winner, first) = first_to_speak(&groups, 1e-3);
            let expected = if combine == "budget" { pair.spent(&groups) } else { first };
            bench.check(Case::vector_within(&parameters, expected, found.acceleration, bound));
            if combine == "priority" {
                bench.check(Case::absolute(&parameters, f64::from(winner), f64::from(found.winner), 0.0));
            }
        })?;
    }
    Ok(())
}

/// Agents that face a point and align with the heading of an agent at rest, both with one priority.
fn combine_within_turns(bench: &Bench, draw: &mut Draw) -> Tried {
    for index in 0..10 {
        // Both behaviors still have far to turn.
        let angles = [draw.between(10.0, 170.0), draw.between(10.0, 170.0)];
        let facing = draw.turned(false, [0.0, 1.0, 0.0], angles[0]);
        let point = times(draw.turned(false, facing, angles[1]), 20.0);
        let weights = [draw.between(0.5, 2.0), draw.between(0.5, 2.0)];
        let ranks = [[1, 4], [4, 1]][index % 2];
        let measured = |way: &str, weights: [f64; 2]| {
            let rules = [0, 1].map(|k| format!("priority = 3, rank = {}, weight = {}", ranks[k], weights[k]));
            turning(bench, [point, facing], &format!("combine = \"priority\"\ncombine_within = {way:?}"), rules)
        };
        let alone = [measured("weighted", [weights[0], 0.0])?, measured("weighted", [0.0, weights[1]])?];
        let parameters = [("w face", weights[0]), ("w align", weights[1])];
        let decides = if ranks[0] < ranks[1] { alone[0] } else { alone[1] };
        let signed = alone[0].signum() * weights[0] + alone[1].signum() * weights[1];
        let bound = 1e-5 * (1.0 + alone[0].abs() + alone[1].abs());
        bench.check(Case::absolute(&parameters, decides, measured("first", weights)?, bound));
        bench.check(Case::absolute(&parameters, signed, measured("normalized", weights)?, bound));
        bench.check(Case::absolute(&parameters, alone[0] + alone[1], measured("weighted", weights)?, bound));
    }
    Ok(())
}

fn combine_dithered(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let memories = |setup: &Setup| bench.run(setup, 1)?.memories();
    bench.tries(world(spatial, 1.0 / 64.0).apart(), memories, 0..4, |setup, silent| {
        let mut pair = Pair::draw(draw, spatial);
        let chances: Vec<f64> = (0..8).map(|_| draw.between(0.2, 0.8)).collect();
        pair.extra = format!("dither = {chances:?}");
        if silent < 3 {
            pair.weights[silent] *= 1e-6;
        }
        let spot = |k: usize| [(k % 20) as f64 * 10.0 - 95.0, (k / 20) as f64 * 10.0 - 95.0, 0.0];
        let bodies: Vec<Body> = (0..400).flat_map(|k| pair.bodies(spot(k))).collect();
        let ids = setup.species(&pair.lines("dithered"), &bodies);
        move |memories| {
            let mut nobody_before = 1.0;
            for (priority, said) in pair.groups(pair.bodies(ZERO)) {
                let chance = if norm(said) > 1e-3 { nobody_before * chances[priority as usize] } else { 0.0 };
                nobody_before -= chance;
                let won = ids.clone().filter(|id| memories[*id].winner == priority + 1).count() as f64;
                let share = won / ids.len() as f64;
                // Four standard errors.
                let bound = 4.0 * (chance * (1.0 - chance) / ids.len() as f64).sqrt();
                bench.check(Case::absolute(&[("priority", f64::from(priority))], chance, share, bound));
            }
        }
    })
}

fn limit_each(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01), 0..10, |setup, index| {
        let body = Body::at(draw.point(spatial, 20.0)).moving(draw.point(spatial, 5.0));
        let targets = [0; 2].map(|_| to(spatial, rounded(times(draw.heading(spatial), 60.0))));
        let rules =
            [0, 1].map(|k| (draw.between(0.2, 3.0), if (index + k) % 4 == 0 { 0.0 } else { draw.scale(3.0, 100.0) }));
        let rule = |k: usize, (weight, limit): (f64, f64)| {
            let (name, target) = (["seek", "flee"][k], &targets[k]);
            format!("behaviors.{name} = {{ {target}, weight = {weight}, limit = {limit} }}\n")
        };
        // Each behavior alone, without a limit, and both.
        let alone = (1.0, 0.0);
        let ways = [rule(0, alone), rule(1, alone), rule(0, rules[0]) + &rule(1, rules[1])];
        let [seek, flee, both] = ways.map(|rules| {
            let lines = format!("time_constant = 0.5\nmax_force = 1e4\n{rules}");
            setup.agent(&lines, body.position, body.velocity)
        });
        move |found| {
            let part = |alone: V, (weight, limit): (f64, f64)| {
                let length = norm(alone);
                times(alone, weight * if limit > 0.0 && length > limit { limit / length } else { 1.0 })
            };
            let expected = plus(part(found[seek], rules[0]), part(found[flee], rules[1]));
            let [(_, of_seek), (_, of_flee)] = rules;
            let parameters = [("limit of seek", of_seek), ("limit of flee", of_flee), ("seek", norm(found[seek]))];
            bench.check(Case::vector_within(&parameters, expected, found[both], 1e-5 * (norm(expected) + 10.0)));
        }
    })
}

/// Pairs of equal agents, one with jitter and one without.
fn jitter_length(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let case = |name: &'static str, share: f64, found: [V; 2]| {
        let [still, jittered] = found;
        let expected = share * norm(still);
        Case::absolute(&[(name, share)], expected, norm(minus(jittered, still)), 1e-6 * (norm(still) + expected))
    };
    let target = |draw: &mut Draw| to(spatial, rounded(times(draw.heading(spatial), 60.0)));
    bench.steers(Setup::open(spatial, 0.01), 0..16, |setup, _| {
        let (share, target) = (draw.scale(0.01, 3.0), target(draw));
        let body = Body::at(draw.point(spatial, 20.0)).moving(draw.point(spatial, 5.0));
        let ids = [0.0, share].map(|share| {
            let lines = format!("time_constant = 0.5\nbehaviors.seek = {{ {target}, jitter = {share} }}");
            setup.agent(&lines, body.position, body.velocity)
        });
        move |found| bench.check(case("ν", share, ids.map(|id| found[id])))
    })?;
    let turning = |setup: &Setup| Ok(bench.steering(setup)?.turning);
    bench.tries(Setup::open(spatial, 0.01), turning, 0..12, |setup, _| {
        let (share, target, facing) = (draw.scale(0.1, 3.0), target(draw), draw.heading(spatial));
        let up = if spatial { draw.turned(true, facing, 90.0) } else { [0.0, 0.0, 1.0] };
        let ids = [0.0, share].map(|share| {
            let id = setup.agent(&format!("{STANDS}\nbehaviors.face = {{ {target}, jitter = {share} }}\n"), ZERO, ZERO);
            setup.face(id, facing, up, ZERO);
            id
        });
        move |found| bench.check(case("ν of face", share, ids.map(|id| found[id])))
    })
}

/// The jitter's directions for two behaviors of many agents, in two steps.
fn jitter_independence(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const AGENTS: usize = 2000;
    let bodies = vec![Body::at(ZERO); AGENTS];
    let world = Setup::open(spatial, 0.01).seeded(draw);
    let directions = |behavior: &str, steps: u32| {
        let mut setup = world.clone();
        let target = to(spatial, [1e6, 0.0, 0.0]);
        let more = if behavior == "flee" { ", panic_distance = 1e6" } else { "" };
        let rule = format!("{{ {target}, form = \"acceleration\", jitter = 1, weight = 1{more} }}");
        setup.species(&format!("max_speed = 8\nmax_force = 1\nbehaviors.{behavior} = {rule}\n"), &bodies);
        let run = bench.run(&setup, steps)?;
        let said = [if behavior == "seek" { 1.0 } else { -1.0 }, 0.0, 0.0];
        let found = run.steering()?.accelerations;
        Ok::<Vec<V>, ConformError>(found.iter().map(|a| minus(*a, said)).collect())
    };
    let (first, second, later) = (directions("seek", 0)?, directions("flee", 0)?, directions("seek", 1)?);
    let dimensions = if spatial { 3.0 } else { 2.0 };
    let bound = 5.0 / (dimensions * AGENTS as f64).sqrt();
    let parameters = [("dimensions", dimensions)];
    let share = |products: &mut dyn Iterator<Item = f64>| products.sum::<f64>() / AGENTS as f64;
    for axis in 0..dimensions as usize {
        for all in [&first, &second, &later] {
            bench.check(Case::absolute(&parameters, 0.0, share(&mut all.iter().map(|v| v[axis])), bound));
        }
    }
    let of = |a: &[V], b: &[V]| share(&mut a.iter().zip(b).map(|(a, b)| dot(*a, *b)));
    bench.check(Case::absolute(&parameters, 0.0, of(&first, &second), bound));
    bench.check(Case::absolute(&parameters, 0.0, of(&first, &later), bound));
    bench.tried(Case::absolute(&parameters, 0.0, of(&first, &[&first[1..], &first[..1]].concat()), bound))
}

fn jitter_diffuses(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const AGENTS: usize = 500;
    let steps = 40;
    let n = f64::from(steps);
    let dimensions = if spatial { 3.0 } else { 2.0 };
    bench.arrives(Setup::open(spatial, DT).apart().seeded(draw), steps, 0..10, |setup, _| {
        let (share, most) = (draw.scale(0.1, 3.0), draw.scale(1.0, 10.0));
        // The target is so far away that its direction stays, and the mass is such that the force limit is never reached.
        let target = point(spatial, [1e6, 0.0, 0.0]);
        let weight = 1e-3;
        let lines = format!(
            "max_speed = 1e6\nmax_force = {}\nbehaviors.seek = {{ target = {{ point = {target} }}, \
             form = \"acceleration\", weight = {weight}, jitter = {share} }}",
            most / weight
        );
        let ids = setup.species(&lines, &vec![Body::at(ZERO); AGENTS]);
        move |found| {
            let drift = [most * n * DT, 0.0, 0.0];
            let spread = ids.map(|id| {
                let off = minus(found[id].velocity, drift);
                dot(off, off)
            });
            let expected = n * (share * most * DT).powi(2);
            let bound = 5.0 * (2.0 / dimensions * (1.0 - 1.0 / n) / AGENTS as f64).sqrt();
            let parameters = [("ν", share), ("a", most), ("dimensions", dimensions)];
            bench.check(Case::relative(&parameters, expected, spread.sum::<f64>() / AGENTS as f64, bound));
        }
    })
}

/// The least distance to its post of each agent that the field blows toward one, against a push k/d from the post; `pushes` are the k.
fn approach(bench: &Bench, pushes: &[f64], speed: f64, combine: &str) -> Result<Vec<f64>, ConformError> {
    let mut setup = world(false, 1.0 / 256.0);
    let posts: Vec<V> = (0..pushes.len()).map(|index| lane(index, 40.0)).collect();
    for (push, post) in pushes.iter().zip(&posts) {
        let vehicle =
            format!("combine = \"{combine}\"\nmax_force = 1e9\nmax_speed = 100\ntime_constant = {TIME_CONSTANT}\n");
        let wind = "behaviors.flow_field = { weight = 1.0, priority = 5 }\n";
        let lines = format!("{vehicle}{}{wind}", all_around("separation", *push, RADIUS));
        setup.agent(&lines, plus(*post, [-6.0, 0.0, 0.0]), [speed, 0.0, 0.0]);
    }
    let stand = |post: &V| Body::at(*post);
    setup.species("max_speed = 0\nspawn.speed = 0", &posts.iter().map(stand).collect::<Vec<Body>>());
    let path = flight(bench, &setup, 900)?;
    let nearest = |(id, post): (usize, &V)| path.iter().map(|bodies| norm(minus(bodies[id].position, *post))).least();
    Ok(posts.iter().enumerate().map(nearest).collect())
}

fn combine_cancel(bench: &Bench, draw: &mut Draw) -> Tried {
    // The agents fly as fast as the field before they perceive the post.
    let speed = FLOW[0];
    let closest: Vec<f64> = (0..10).map(|_| draw.between(0.3, 0.6)).collect();
    let pushes: Vec<f64> = closest.iter().map(|closest| speed * speed / (2.0 * -(closest.ln()))).collect();
    let by_priority = approach(bench, &pushes, speed, "priority")?;
    let summed = approach(bench, &pushes, speed, "weighted")?;
    for (index, push) in pushes.into_iter().enumerate() {
        let parameters = [("k", push), ("v", speed)];
        bench.check(Case::relative(&parameters, RADIUS * closest[index], by_priority[index], 0.02));
        bench.check(Case::at_most(&parameters, 0.8 * by_priority[index], summed[index], 0.0));
    }
    Ok(())
}
