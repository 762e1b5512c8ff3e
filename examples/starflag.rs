//! Measures of a scene what has been measured of starlings: order, shape, and how far a turn is felt.
//!
//! `cargo run --release --example starflag -- RUN...` reads the folders that `steerling run --every K` wrote, and prints
//! a row for each: means over the states from [`SETTLED`] on, and ± standard deviations over them. Only the first species
//! is looked at. The figures of starlings are those of the STARFLAG project: Ballerini and others 2008, Cavagna and others
//! 2010.

use glam::{DMat3, DVec3, IVec3};
use serde_json::Value;
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use steerling::output::StateFile;

/// Time before which a run still shows how it was started, s.
pub const SETTLED: f64 = 10.0;

/// Agents that are nearer to each other than this belong to one flock: the perception radius of the starlings of `murmuration`, u.
const LINK: f64 = 4.5;
/// The most agents whose pairs are looked at.
const SAMPLE: usize = 3000;
/// Bins of distance over the flock's size.
const BINS: usize = 60;

/// The figures of a flock.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// Share of all agents that are in the flock that is measured.
    pub share: f64,
    /// Length of the mean heading.
    pub polarization: f64,
    /// Standard deviations along the main axes, shortest first, u.
    pub axes: [f64; 3],
    /// Angle between the shortest axis and the vertical, degrees.
    pub tilt: f64,
    /// Distance at which fluctuations of the velocity are no longer correlated, over the greatest distance of two agents.
    pub correlation: f64,
    /// Mean squared cosine of the angle between heading and nearest neighbor: 1/3 if neighbors are in random directions.
    pub ahead: f64,
    /// Median distance of the nearest neighbor, u.
    pub nearest: f64,
}

impl Figures {
    /// All of them, the axes as shares of the shortest.
    fn row(&self) -> [f64; 8] {
        let Figures { share, polarization, axes: [short, middle, long], tilt, correlation, ahead, nearest } = *self;
        [share, polarization, middle / short, long / short, tilt, correlation, ahead, nearest]
    }
}

/// Measure the largest flock of agents at these positions with these velocities.
pub fn measure(positions: &[DVec3], velocities: &[DVec3]) -> Figures {
    let flock = largest_flock(positions);
    let share = flock.len() as f64 / positions.len() as f64;
    let of = |all: &[DVec3]| flock.iter().map(|&k| all[k]).collect::<Vec<_>>();
    let (positions, velocities) = (&of(positions)[..], &of(velocities)[..]);
    let count = positions.len() as f64;
    let polarization = (velocities.iter().map(|v| v.normalize_or_zero()).sum::<DVec3>() / count).length();
    let (axes, thin) = main_axes(positions);
    let tilt = thin.y.abs().min(1.0).acos().to_degrees();

    let sample: Vec<usize> = (0..positions.len()).step_by(positions.len().div_ceil(SAMPLE)).collect();
    let mean = sample.iter().map(|&k| velocities[k]).sum::<DVec3>() / sample.len() as f64;
    let pairs = || sample.iter().enumerate().flat_map(|(n, &a)| sample[n + 1..].iter().map(move |&b| (a, b)));
    let size = pairs().map(|(a, b)| positions[a].distance(positions[b])).fold(0.0, f64::max);
    let mut sums = [(0.0, 0.0); BINS];
    for (a, b) in pairs() {
        let bin = (positions[a].distance(positions[b]) / size * BINS as f64) as usize;
        let product = (velocities[a] - mean).dot(velocities[b] - mean);
        let (sum, number) = &mut sums[bin.min(BINS - 1)];
        (*sum, *number) = (*sum + product, *number + 1.0);
    }
    let filled = sums.iter().enumerate().filter(|(_, (_, number))| *number > 0.0);
    let crossed = filled.clone().find(|(_, (sum, _))| *sum < 0.0).map_or(BINS, |(bin, _)| bin);
    let correlation = crossed as f64 / BINS as f64;

    let look = |&k: &usize| {
        let others = positions.iter().enumerate().filter(|(other, _)| *other != k);
        let distance = |at: &DVec3| at.distance_squared(positions[k]);
        let (_, at) = others.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))?;
        let way = *at - positions[k];
        Some((way.length(), way.normalize_or_zero().dot(velocities[k].normalize_or_zero()).powi(2)))
    };
    let mut found: Vec<(f64, f64)> = sample.iter().step_by(3).filter_map(look).collect();
    let ahead = found.iter().map(|(_, square)| square).sum::<f64>() / found.len() as f64;
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let nearest = found[found.len() / 2].0;
    Figures { share, polarization, axes, tilt, correlation, ahead, nearest }
}

/// The largest flock: indices of the agents that are connected by distances below [`LINK`].
fn largest_flock(positions: &[DVec3]) -> Vec<usize> {
    let cell = |at: DVec3| (at / LINK).floor().as_ivec3();
    let mut cells: HashMap<IVec3, Vec<usize>> = HashMap::new();
    for (k, at) in positions.iter().enumerate() {
        cells.entry(cell(*at)).or_default().push(k);
    }
    let mut flocks: Vec<Vec<usize>> = Vec::new();
    let mut left = vec![true; positions.len()];
    for first in 0..positions.len() {
        if !std::mem::take(&mut left[first]) {
            continue;
        }
        let (mut flock, mut next) = (vec![first], 0);
        while let Some(&k) = flock.get(next) {
            next += 1;
            let beside = |n: i32| cell(positions[k]) + IVec3::new(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
            for &other in (0..27).filter_map(|n| cells.get(&beside(n))).flatten() {
                if left[other] && positions[other].distance(positions[k]) < LINK {
                    left[other] = false;
                    flock.push(other);
                }
            }
        }
        flock.sort_unstable();
        flocks.push(flock);
    }
    flocks.into_iter().max_by_key(Vec::len).unwrap_or_default()
}

/// Standard deviations along the main axes, shortest first, and the direction of the shortest.
fn main_axes(points: &[DVec3]) -> ([f64; 3], DVec3) {
    let count = points.len() as f64;
    let middle = points.iter().sum::<DVec3>() / count;
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let spread = points.iter().fold(DMat3::ZERO, |sum, p| sum + outer(*p - middle)) * (1.0 / count);
    // Eigenvalues of a symmetric matrix in closed form.
    let trace = |m: DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
    let mean = trace(spread) / 3.0;
    let shifted = spread - DMat3::IDENTITY * mean;
    let radius = (trace(shifted * shifted) / 6.0).sqrt().max(1e-12);
    let angle = ((shifted * (1.0 / radius)).determinant() / 2.0).clamp(-1.0, 1.0).acos() / 3.0;
    let value = |k: f64| mean + 2.0 * radius * (angle + k * std::f64::consts::TAU / 3.0).cos();
    let (long, short) = (value(0.0), value(1.0));
    let middle_value = 3.0 * mean - long - short;
    let rest = (spread - DMat3::IDENTITY * long) * (spread - DMat3::IDENTITY * middle_value);
    let columns = [rest.x_axis, rest.y_axis, rest.z_axis];
    let thin = columns.into_iter().max_by(|a, b| a.length().total_cmp(&b.length())).unwrap_or(DVec3::Y);
    ([short, middle_value, long].map(|x| x.max(0.0).sqrt()), thin.normalize_or(DVec3::Y))
}

/// A row of the table: what the states of a run show.
fn row(folder: &Path) -> Result<String, Box<dyn Error>> {
    let run: Value = serde_json::from_slice(&std::fs::read(folder.join("run.json"))?)?;
    let number = |value: &Value| value.as_f64().ok_or("run.json lacks a number");
    let species = &run["scene"]["species"];
    let (count, hunters) = (number(&species[0]["count"])? as usize, species[1]["count"].as_u64().unwrap_or(0));
    let files = run["states"]["files"].as_array().ok_or("run.json lists no states")?;
    let (mut rows, mut times) = (Vec::new(), Vec::new());
    for name in files.iter().filter_map(Value::as_str) {
        let step: f64 = name.trim_start_matches("states/").trim_end_matches(".npy").parse()?;
        let time = step * number(&run["dt"])?;
        if time < SETTLED - 0.01 {
            continue;
        }
        let state = StateFile::open(&folder.join(name), true)?.read()?;
        let vectors =
            |of: &[[f32; 3]]| of[..count].iter().map(|v| DVec3::from_array(v.map(f64::from))).collect::<Vec<_>>();
        let (positions, velocities) = (vectors(&state.positions), vectors(&state.velocities));
        rows.push(measure(&positions, &velocities).row());
        times.push(time);
    }
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Err(format!("{}: no state after {SETTLED} s; run it with --every", folder.display()).into());
    };
    let mean = |k: usize| rows.iter().map(|row| row[k]).sum::<f64>() / rows.len() as f64;
    let spread = |k: usize| (rows.iter().map(|row| (row[k] - mean(k)).powi(2)).sum::<f64>() / rows.len() as f64).sqrt();
    Ok(format!(
        "| {count} | {hunters} | {first:.0} to {last:.0} | {:.0} % | {:.3} ± {:.3} | 1 : {:.1} : {:.1} | {:.0}° | {:.2} ± {:.2} | {:.2} | {:.2} |",
        100.0 * mean(0),
        mean(1),
        spread(1),
        mean(2),
        mean(3),
        mean(4),
        mean(5),
        spread(5),
        mean(6),
        mean(7),
    ))
}

#[allow(dead_code)]
fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "| starlings | falcons | time, s | in the flock | polarization | axes | thin axis off the vertical | correlation / size | ahead | nearest, u |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for folder in std::env::args().skip(1) {
        println!("{}", row(Path::new(&folder))?);
    }
    Ok(())
}
