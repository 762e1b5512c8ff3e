//! Ways through two real cities: against published lengths, and walks along them against exact ones.

use glam::{DVec2, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use steerling::cpu::{self, Execution};
use steerling::model::State;
use steerling::model::ways::{Measure, NO_WAY, Ways};
use steerling::scene::Walls;
use support::any_angle::{corners, exact};
use support::parsed;
use support::plans::{Streets, drawn, streets, with_plan};

fn length(word: u32) -> f64 {
    match word {
        NO_WAY => f64::INFINITY,
        moves => f64::from(moves >> 16) + f64::from(moves & 0xffff) * std::f64::consts::SQRT_2,
    }
}

/// The largest difference from the published lengths, of problems with one of these goals.
fn worst(streets: &Streets, goals: &[[u32; 2]], words: &[u32], ways: &Ways) -> (usize, f64) {
    let columns = streets.walls.columns;
    let mut found = (0, 0.0f64);
    for (start, goal, published) in &streets.problems {
        let Some(row) = goals.iter().position(|known| known == goal) else { continue };
        let word = words[ways.words(row as u32, start[1] * columns + start[0]) + 1];
        found = (found.0 + 1, found.1.max((length(word) - published).abs()));
    }
    found
}

fn goals_of(streets: &Streets) -> Vec<[u32; 2]> {
    let goals: BTreeSet<[u32; 2]> = streets.problems.iter().map(|(_, goal, _)| *goal).collect();
    goals.into_iter().collect()
}

fn by_grid(walls: &Arc<Walls>, goals: &[[u32; 2]]) -> Ways {
    let cells = |goal: &[u32; 2]| vec![goal[1] * walls.columns + goal[0]];
    Ways::new(Arc::clone(walls), Measure::Grid, goals.iter().map(cells).collect())
}

#[test]
fn ways_by_grid_are_as_long_as_published() {
    for (name, streets) in streets() {
        let all = goals_of(&streets);
        let goals: Vec<[u32; 2]> = (0..12).map(|k| all[drawn(k, 1) as usize % all.len()]).collect();
        let ways = by_grid(&streets.walls, &goals);
        let (problems, worst_of) = worst(&streets, &goals, ways.computed(), &ways);
        eprintln!("{name}: {problems} of {} problems, worst {worst_of:e}", streets.problems.len());
        assert!(problems >= 12 && worst_of < 1e-6, "{name}: {worst_of}");
        // Walls that are one cell off are other walls.
        let mut moved = Walls::clone(&streets.walls);
        moved.solid.rotate_right(1);
        let ways = by_grid(&Arc::new(moved), &goals);
        assert!(worst(&streets, &goals, ways.computed(), &ways).1 > 0.5, "nothing is compared");
    }
}

/// All of them. It takes a minute: `cargo test --test maps -- --ignored all_problems`.
#[test]
#[ignore = "takes a minute of two cores; ways_by_grid_are_as_long_as_published tries a share"]
fn ways_of_all_problems_are_as_long_as_published() {
    for (name, streets) in streets() {
        let all = goals_of(&streets);
        let mut found = (0, 0.0f64);
        for goals in all.chunks(64) {
            let ways = by_grid(&streets.walls, goals);
            let (problems, worst_of) = worst(&streets, goals, ways.computed(), &ways);
            found = (found.0 + problems, found.1.max(worst_of));
        }
        eprintln!("{name}: {} goals, {found:?}", all.len());
        assert!(found.0 == streets.problems.len() && found.1 < 1e-6);
    }
}

/// A way that somebody walks: from a cell to a cell, and the length of the shortest way of any angles, in cells.
struct Pair {
    start: [u32; 2],
    goal: [u32; 2],
    shortest: f64,
}

/// So many drawn problems of each map, those of nearly no length left out.
fn pairs(streets: &Streets, count: u32) -> Vec<Pair> {
    let corners = corners(&streets.walls);
    let middle = |cell: [u32; 2]| DVec2::new(f64::from(cell[0]) + 0.5, f64::from(cell[1]) + 0.5);
    let problems = (0..count).map(|k| streets.problems[drawn(k, 4) as usize % streets.problems.len()]);
    let pair = |(start, goal, published): ([u32; 2], [u32; 2], f64)| {
        let shortest = exact(&streets.walls, &corners, middle(start), middle(goal), published + 1e-6);
        Pair { start, goal, shortest }
    };
    problems.filter(|(.., published)| *published > 2.0).map(pair).collect()
}

/// Pairs by their goals.
fn by_goal(pairs: &[Pair]) -> Vec<([u32; 2], Vec<&Pair>)> {
    let mut goals: BTreeMap<[u32; 2], Vec<&Pair>> = BTreeMap::new();
    pairs.iter().for_each(|pair| goals.entry(pair.goal).or_default().push(pair));
    goals.into_iter().collect()
}

/// How much longer than the shortest ways those are that agents of a scene go who arrive at goals, from their starts to where they are within half
/// a cell of the goal. `more` is what they do beside that.
fn arrived(streets: &Streets, pairs: &[Pair], more: &str) -> Vec<f64> {
    // In a step an eighth of a cell.
    const SPEED: f64 = 4.0;
    const DT: f64 = 1.0 / 32.0;
    let place = |cell: [u32; 2]| streets.walls.center(cell[0] as i32, cell[1] as i32);
    let mut detours = Vec::new();
    // As many species as a scene may have.
    for goals in by_goal(pairs).chunks(32) {
        let goal = |(number, (goal, _)): (usize, &([u32; 2], Vec<&Pair>))| {
            format!("[[map.goals]]\nname = \"{number}\"\nplace = [{}, {}]\n", place(*goal).x, place(*goal).y)
        };
        let species = |(number, (_, pairs)): (usize, &([u32; 2], Vec<&Pair>))| {
            format!(
                "[[species]]\ncount = {}\nmax_speed = {SPEED}\nmax_force = 200\ntime_constant = 0.05\n\
                 behaviors.arrive = {{ target = {{ goal = \"{number}\" }} }}\n{more}\n",
                pairs.len()
            )
        };
        let goals_of: String = goals.iter().enumerate().map(goal).collect();
        let species_of: String = goals.iter().enumerate().map(species).collect();
        let text = format!(
            "schema = 1\ndt = {DT}\nworld = {{ size = [512, 512], boundary = \"open\" }}\n\
             [map]\nsource = \"open\"\ncell = 1\n{goals_of}{species_of}"
        );
        let scene = with_plan(&parsed(&text, &[]), &streets.file);
        let walkers: Vec<&Pair> = goals.iter().flat_map(|(_, pairs)| pairs.iter().copied()).collect();
        let mut state = State::initial(&scene);
        state.velocities.fill([0.0; 3]);
        state.positions.iter_mut().zip(&walkers).for_each(|(at, pair)| *at = place(pair.start).to_array());
        let mut simulation = cpu::Simulation::new(&scene, &state, Execution::Parallel).unwrap();
        let mut way = vec![0.0; walkers.len()];
        let mut there = vec![false; walkers.len()];
        let longest = walkers.iter().map(|pair| pair.shortest).fold(0.0, f64::max);
        let mut before = state.positions;
        for _ in 0..(2.0 * longest / (SPEED * DT)) as u32 + 2000 {
            simulation.step(1);
            let after = simulation.state().positions;
            for (id, pair) in walkers.iter().enumerate().filter(|(id, _)| !there[*id]).collect::<Vec<_>>() {
                let at = Vec3::from(after[id]);
                way[id] += f64::from(at.distance(Vec3::from(before[id])));
                let left = f64::from(at.distance(place(pair.goal)));
                if left < 0.5 {
                    (way[id], there[id]) = (way[id] + left, true);
                }
            }
            before = after;
            if there.iter().all(|there| *there) {
                break;
            }
        }
        let detour = |id: usize| if there[id] { way[id] / walkers[id].shortest } else { f64::INFINITY };
        detours.extend((0..walkers.len()).map(detour));
    }
    detours
}

/// The longest of the detours of so many problems, half of them of each map.
fn longest(problems: u32, more: &str) -> Option<f64> {
    let mut all = Vec::new();
    for (_, streets) in streets() {
        all.extend(arrived(&streets, &pairs(&streets, problems / 2), more));
    }
    all.sort_by(f64::total_cmp);
    eprintln!("{} walks {more}: median {:?}, longest {:?}", all.len(), all.get(all.len() / 2), all.last());
    all.last().copied()
}

/// Agents of a scene, with momentum and among walls that hold them.
#[test]
fn agents_who_arrive_at_goals_walk_nearly_the_shortest_ways() {
    assert!(longest(16, "").is_none_or(|detour| detour < 1.05));
    let stroll = "behaviors.wander = { weight = 3 }";
    assert!(longest(4, stroll).is_none_or(|detour| detour > 1.05), "who strolls beside that walks as short");
}

/// Of 200 problems: `cargo test --test maps -- --ignored two_hundred`.
#[test]
#[ignore = "takes a minute or two; the test beside it walks some of them"]
fn two_hundred_walks_are_nearly_the_shortest() {
    assert!(longest(200, "").is_some_and(|detour| detour < 1.05));
}
