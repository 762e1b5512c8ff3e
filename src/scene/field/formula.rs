//! Flow fields from formulas that need no noise lattice.

use super::grid::{Lattice, hash, with_peak};
use std::f64::consts::TAU;

/// The same vector everywhere; `direction` in degrees counter-clockwise from +x.
pub fn uniform(lattice: &Lattice, speed: f64, direction: f64) -> Vec<[f32; 3]> {
    let (sin, cos) = direction.to_radians().sin_cos();
    lattice.map(|_| [cos * speed, sin * speed, 0.0]).iter().map(|v| v.map(|x| x as f32)).collect()
}

/// Circles the z axis. With s the distance from it over a quarter of the shorter side, the speed goes as 2s / (1 + s²):
/// it peaks at s = 1, half the way to the nearer wall.
pub fn vortex(lattice: &Lattice, speed: f64) -> Vec<[f32; 3]> {
    let quarter = lattice.size[0].min(lattice.size[1]) / 4.0;
    let vector = |[x, y, _]: [f64; 3]| {
        let (x, y) = (x * lattice.size[0] / quarter, y * lattice.size[1] / quarter);
        let factor = 2.0 * speed / (1.0 + x * x + y * y);
        [-y * factor, x * factor, 0.0]
    };
    lattice.map(vector).iter().map(|v| v.map(|x| x as f32)).collect()
}

/// Strength of the trade winds, the westerlies and the polar easterlies, against each other.
const BELTS: [f64; 3] = [0.8, 1.0, 0.5];
/// Strength of the easterlies at the equator itself.
const DOLDRUMS: f64 = 0.2;
/// How far the wind of each belt turns toward the equator (trades, polar) or the pole (westerlies).
const TURN: f64 = 0.06;
/// Waves of eddies around the planet: number of crests, and strength against the belts.
const EDDIES: [(f64, f64); 3] = [(2.0, 0.3), (5.0, 0.4), (8.0, 0.35)];

/// Belts of wind by latitude, with y from pole to pole: trade winds blow west and toward the equator, westerlies east
/// from 30 degrees on, polar easterlies west from 60 degrees on, and nothing moves at the poles. Eddies are waves along
/// x that close around the planet, so the mean over a circle of latitude is that of the belts alone.
pub fn planetary(lattice: &Lattice, speed: f64, seed: u32) -> Vec<[f32; 3]> {
    let phase = |wave: usize, part: i64| f64::from(hash(seed, [wave as i64, part, 0, 0])) / 4_294_967_296.0 * TAU;
    let phases: Vec<[f64; 2]> = (0..EDDIES.len()).map(|k| [phase(k, 0), phase(k, 1)]).collect();
    let vectors = lattice.map(|[x, y, _]| {
        let [mut u, mut v] = belts(180.0 * y);
        for ((crests, strength), [start, tilt]) in EDDIES.iter().zip(&phases) {
            // Stream function sin(a)·shape(y) with a = 2π·crests·x + start + tilt·y: u = −∂/∂y, v = ∂/∂x, in units in
            // which the strength is that of v.
            let (sin, cos) = (TAU * crests * x + start + tilt * y).sin_cos();
            let (shape, slope) = eddy_shape(y);
            u -= strength * (tilt * cos * shape + sin * slope) / (TAU * crests);
            v += strength * cos * shape;
        }
        let calm = 1.0 - 4.0 * y * y;
        [u * calm, v * calm, 0.0]
    });
    with_peak(&vectors, speed)
}

/// Eastward and northward wind of the belts at a latitude in degrees.
fn belts(latitude: f64) -> [f64; 2] {
    let distance = latitude.abs();
    let belt = (distance / 30.0) as usize;
    let wave = (distance * 6.0).to_radians().sin() * BELTS[belt.min(2)];
    let doldrums = if belt == 0 { DOLDRUMS * (distance * 3.0).to_radians().cos().powi(2) } else { 0.0 };
    [-wave - doldrums, -wave * TURN * latitude.signum()]
}

/// Eddies are strongest between equator and pole: 16 y² (1 − 4 y²) and its slope, with y from −1/2 to 1/2.
fn eddy_shape(y: f64) -> (f64, f64) {
    (16.0 * y * y * (1.0 - 4.0 * y * y), 32.0 * y - 256.0 * y * y * y)
}
