//! Many obstacles, of which an agent asks those that are near it.

use crate::*;

laws! {
    obstacles_many_as_few in both:
        "with more obstacles than the short list holds, an agent among some of them steers and moves as with these \
         alone",
        source: "ours: obstacles that are far away have no effect; those of a short list are tested one by one",
        mutant: lies_on("bound.w + radius" => "radius"),
        mistake: "only obstacles that the center meets count";
}

/// Agents of each species in each group of obstacles.
const EACH: usize = 6;

/// Species that ask about obstacles, each in one way.
const ASKING: [&str; 4] = [
    "behaviors.obstacle_avoidance = { look_ahead_time = 1.5 }\n",
    "behaviors.whiskers = { length = 6 }\n",
    "behaviors.wall_following = {}\n",
    "line_of_sight = true\nbehaviors.cohesion = { perception_radius = 15, field_of_view = 300 }\n",
];

/// Thirty obstacles of three shapes around a middle, some turned, some moving, as TOML.
fn group(draw: &mut Draw, spatial: bool, middle: V) -> String {
    let mut text = String::new();
    for index in 0..30 {
        let center = point(spatial, plus(middle, draw.point(spatial, 18.0)));
        let (size, turn) = (draw.between(0.5, 2.5), draw.between(0.0, 90.0));
        let shape = match index % 3 {
            0 => format!("shape = \"sphere\"\nradius = {size}"),
            1 => format!("shape = \"box\"\nsize = {}\nturn = {turn}", point(spatial, [size, 0.5 * size, 2.0 * size])),
            _ => format!("shape = \"capsule\"\nlength = {size}\nradius = {}\nturn = {turn}", 0.4 * size),
        };
        let goes = ["", "", "trajectory = \"way\"\n", "trajectory = \"round\"\n"][index % 4];
        text += &format!("[[obstacles]]\n{shape}\ncenter = {center}\n{goes}");
    }
    text
}

fn obstacles_many_as_few(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // The last group is far beyond the ends of the world, which is open.
    let middles = [[-130.0, 0.0, 0.0], ZERO, [330.0, 340.0, if spatial { 350.0 } else { 0.0 }]];
    let mut way = |name: &str, more: &str| {
        let points = [ZERO, draw.point(spatial, 4.0), draw.point(spatial, 4.0)].map(|at| point(spatial, at)).join(", ");
        format!(
            "[[trajectories]]\nname = {name:?}\ntimes = [0, 0.4, 0.9]\npoints = [{points}]\nrepeat = true\n{more}\n"
        )
    };
    let ways = way("way", "smooth = true") + &way("round", "turns = [0, 90, 360]");
    let groups = middles.map(|middle| group(draw, spatial, middle));
    let drawn = middles.map(|middle| ASKING.map(|_| draw.crowd(EACH, spatial, middle, 20.0, 5.0)));
    let lines = |asking: &str| format!("max_speed = 12\nmax_force = 60\nradius = 0.5\n{asking}");
    let world = |groups_of: &[usize]| {
        let mut scenery = vec![ways.clone()];
        scenery.extend(groups_of.iter().map(|k| groups[*k].clone()));
        let mut setup = among(spatial, 0.02, &scenery);
        for (species, asking) in ASKING.iter().enumerate() {
            // Every world has the agents of all groups, because some choose their side by their ids.
            let bodies: Vec<Body> = drawn.iter().flat_map(|of_group| of_group[species].clone()).collect();
            setup.species(&lines(asking), &bodies);
        }
        Ok::<_, ConformError>((bench.steering(&setup)?.accelerations, bench.after(&setup, 24)?))
    };
    let (steering, after) = world(&[0, 1, 2])?;
    for k in 0..middles.len() {
        let (alone, alone_after) = world(&[k])?;
        for (species, agent) in (0..ASKING.len()).flat_map(|species| (0..EACH).map(move |agent| (species, agent))) {
            let id = (species * middles.len() + k) * EACH + agent;
            let parameters = [("group", k as f64), ("species", species as f64), ("agent", agent as f64)];
            let bound = 1e-5 * norm(alone[id]).max(1.0);
            bench.check(Case::vector_within(&parameters, alone[id], steering[id], bound));
            for of in [PLACE, VELOCITY] {
                bench.check(Case::vector_within(&parameters, of(&alone_after[id]), of(&after[id]), 1e-4));
            }
        }
    }
    // Agents beside a plane, alone and with many more obstacles far away.
    let far: String = (0..70).map(|k| sphere(spatial, plus([0.0, 150.0, 0.0], lane(k, 4.0)), 1.0)).collect();
    let beside = |others: &str| {
        let plane = plane(spatial, [0.0, -21.0, 0.0], [0.0, 1.0, 0.0]);
        let mut setup = among(spatial, 0.02, &[plane, others.to_owned()]);
        for (asking, bodies) in ASKING.iter().zip(&drawn[1]) {
            setup.species(&lines(asking), bodies);
        }
        Ok::<_, ConformError>(bench.steering(&setup)?.accelerations)
    };
    for (agent, (expected, found)) in beside("")?.into_iter().zip(beside(&far)?).enumerate() {
        let bound = 1e-5 * norm(expected).max(1.0);
        bench.check(Case::vector_within(&[("agent", agent as f64)], expected, found, bound));
    }
    Ok(())
}
