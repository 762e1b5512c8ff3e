//! Flow fields by formula, from winds and from pictures.

use super::{open, small};
use std::io::Write;
use std::path::Path;
use steerling::scene::{Boundary, Field, FieldGrid, FieldSource, World};

fn grid(field: &str, boundary: &str, changes: impl Fn(&mut World)) -> (FieldGrid, World) {
    let mut scene = small(&format!("boundary = {boundary}\n[field]\n{field}")).draft();
    changes(&mut scene.world);
    (scene.field.unwrap().grid(&scene.world, 7).unwrap_or_else(|e| panic!("{e}")), scene.world)
}

fn at(grid: &FieldGrid, x: i64, y: i64, z: i64) -> [f64; 3] {
    let [nx, ny, nz] = grid.nodes.map(i64::from);
    let index = (z.rem_euclid(nz) * ny + y.rem_euclid(ny)) * nx + x.rem_euclid(nx);
    grid.vectors[index as usize].map(f64::from)
}

fn length(v: &[f32; 3]) -> f32 {
    v.iter().map(|x| x * x).sum::<f32>().sqrt()
}

fn peak(grid: &FieldGrid) -> f32 {
    grid.vectors.iter().map(length).fold(0.0, f32::max)
}

#[test]
fn every_formula_is_finite_and_peaks_at_its_speed() {
    for formula in ["uniform", "vortex", "curl_noise", "planetary"] {
        for boundary in ["\"wrap\"", "\"contain\"", "[\"wrap\", \"open\"]"] {
            let text = format!("source = \"{formula}\"\nspeed = 12\nscale = 0.5\nresolution = 64");
            let (grid, _) = grid(&text, boundary, |_| {});
            let nodes: u32 = grid.nodes.iter().product();
            assert_eq!((grid.nodes, grid.vectors.len()), ([64, 38, 1], nodes as usize), "{formula}");
            assert!(grid.vectors.as_flattened().iter().all(|x| x.is_finite()));
            assert!((5.8..=6.001).contains(&peak(&grid)), "{formula} {boundary}: {}", peak(&grid));
        }
    }
}

#[test]
fn the_uniform_field_points_where_it_is_told() {
    let (grid, _) = grid("source = \"uniform\"\ndirection = 90\nspeed = 3", "\"wrap\"", |_| {});
    assert!(grid.vectors.iter().all(|v| v[0].abs() < 1e-6 && (v[1] - 3.0).abs() < 1e-6 && v[2] == 0.0));
}

#[test]
fn the_vortex_turns_counter_clockwise() {
    let (grid, _) = grid("source = \"vortex\"\nresolution = 65", "\"contain\"", |_| {});
    let (east, north) = (at(&grid, 48, 19, 0), at(&grid, 32, 30, 0));
    assert!(east[1] > 1.0 && north[0] < -1.0, "{east:?} {north:?}");
    // Half the way from the axis to the nearer wall is 15 u; nodes lie 100/64 u apart.
    let speed = |node: i64| at(&grid, node, 19, 0)[1];
    let fastest = (32..65).max_by(|a, b| speed(*a).total_cmp(&speed(*b))).unwrap();
    assert!((41..=43).contains(&fastest), "fastest {} nodes from the axis", fastest - 32);
}

const CURL: &str = "source = \"curl_noise\"\nspeed = 10\nwavelength = 12\nresolution = 96";

#[test]
fn curl_noise_has_no_divergence() {
    let (grid, world) = grid(CURL, "\"wrap\"", |_| {});
    let [nx, ny, _] = grid.nodes.map(i64::from);
    let (dx, dy) = (f64::from(world.size.x) / nx as f64, f64::from(world.size.y) / ny as f64);
    let (mut divergence, mut shear) = (0.0f64, 0.0f64);
    for (x, y) in (0..ny).flat_map(|y| (0..nx).map(move |x| (x, y))) {
        let du = (at(&grid, x + 1, y, 0)[0] - at(&grid, x - 1, y, 0)[0]) / (2.0 * dx);
        let dv = (at(&grid, x, y + 1, 0)[1] - at(&grid, x, y - 1, 0)[1]) / (2.0 * dy);
        divergence = divergence.max((du + dv).abs());
        shear = shear.max(du.abs());
    }
    assert!(shear > 0.5, "the field hardly varies: {shear}");
    assert!(divergence < 1e-5 * shear, "divergence {divergence} beside slopes of {shear}");
}

#[test]
fn curl_noise_in_space_has_no_divergence() {
    let text = "source = \"curl_noise\"\nwavelength = 30\nresolution = 24";
    let (grid, world) = grid(text, "\"wrap\"", |world| {
        (world.size.z, world.spatial, world.boundary) = (80.0, true, [Boundary::Wrap; 3]);
    });
    let [nx, ny, nz] = grid.nodes.map(i64::from);
    assert_eq!(grid.nodes, [24, 14, 19]);
    let step = [0, 1, 2].map(|i| f64::from(world.size[i]) / f64::from(grid.nodes[i]));
    let mut divergence = 0.0f64;
    for (x, y, z) in (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| (x, y, z)))) {
        let du = (at(&grid, x + 1, y, z)[0] - at(&grid, x - 1, y, z)[0]) / (2.0 * step[0]);
        let dv = (at(&grid, x, y + 1, z)[1] - at(&grid, x, y - 1, z)[1]) / (2.0 * step[1]);
        let dw = (at(&grid, x, y, z + 1)[2] - at(&grid, x, y, z - 1)[2]) / (2.0 * step[2]);
        divergence = divergence.max((du + dv + dw).abs());
    }
    assert!(divergence < 1e-5, "divergence {divergence}");
    assert!(grid.vectors.iter().any(|v| v[2].abs() > 1.0), "nothing moves along z");
}

/// Largest difference between the nodes on either side of the ends of the world, and between other neighbors in x.
fn jumps(grid: &FieldGrid) -> (f64, f64) {
    let [nx, ny, _] = grid.nodes.map(i64::from);
    let jump = |x: i64, y: i64| {
        let (a, b) = (at(grid, x, y, 0), at(grid, x + 1, y, 0));
        (a[0] - b[0]).abs().max((a[1] - b[1]).abs())
    };
    let worst = |x: i64| (0..ny).map(|y| jump(x, y)).fold(0.0, f64::max);
    (worst(nx - 1), (0..nx - 1).map(worst).fold(0.0, f64::max))
}

#[test]
fn fields_meet_at_the_seam() {
    for text in [CURL, "source = \"planetary\"\nresolution = 96"] {
        let (seam, inside) = jumps(&grid(text, "[\"wrap\", \"contain\"]", |_| {}).0);
        assert!(seam <= inside, "{text}: {seam} at the seam, {inside} elsewhere");
    }
    let (seam, inside) = jumps(&grid(CURL, "\"contain\"", |_| {}).0);
    assert!(seam > 2.0 * inside, "this test would not see a seam: {seam}, {inside}");
}

#[test]
fn the_seed_decides_the_noise() {
    let noise = |seed| {
        let scene = small(&format!("[field]\n{CURL}"));
        scene.field.as_ref().unwrap().grid(&scene.world, seed).unwrap()
    };
    assert_eq!(noise(1), noise(1));
    assert_ne!(noise(1), noise(2));
}

/// Mean wind over the circles of latitude between two latitudes in degrees.
fn mean_wind(grid: &FieldGrid, from: f64, to: f64) -> [f64; 2] {
    let [nx, ny, _] = grid.nodes.map(i64::from);
    let latitude = |row: i64| 180.0 * (row as f64 / (ny - 1) as f64 - 0.5);
    let rows: Vec<i64> = (0..ny).filter(|row| (from..=to).contains(&latitude(*row))).collect();
    assert!(!rows.is_empty());
    let count = rows.len() as f64 * nx as f64;
    let sum = |axis: usize| -> f64 { rows.iter().flat_map(|y| (0..nx).map(|x| at(grid, x, *y, 0)[axis])).sum() };
    [sum(0) / count, sum(1) / count]
}

#[test]
fn the_generated_planet_has_its_belts() {
    let scene = open("wind", &[]);
    for seed in [1, 2, 3] {
        let grid = scene.field.as_ref().unwrap().grid(&scene.world, seed).unwrap();
        assert!((peak(&grid) - 24.0).abs() < 1e-3);
        for (from, to, west) in [(2.0, 28.0, true), (32.0, 58.0, false), (62.0, 88.0, true)] {
            let [north, south] = [mean_wind(&grid, from, to), mean_wind(&grid, -to, -from)];
            assert!((north[0] < -0.5) == west && (south[0] < -0.5) == west, "{from}: {north:?} {south:?}");
            assert!((north[0] > 0.5) != west && (south[0] > 0.5) != west, "{from}: {north:?} {south:?}");
            assert!((north[1] < 0.0) == west && (south[1] > 0.0) == west, "toward the equator: {north:?} {south:?}");
        }
        let [nx, ny, _] = grid.nodes.map(i64::from);
        for (x, pole) in (0..nx).flat_map(|x| [(x, 0), (x, ny - 1)]) {
            assert_eq!(at(&grid, x, pole, 0), [0.0; 3]);
        }
    }
}

fn from_file(path: &Path, world: &World, scale: f32) -> FieldGrid {
    let Some(field) = open("wind", &[]).draft().field else { unreachable!("wind has a field") };
    let source = match path.extension().unwrap().to_str().unwrap() {
        "png" => FieldSource::Image(path.into()),
        _ => FieldSource::Wind(path.into()),
    };
    Field { source, scale, ..field }.grid(world, 1).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_wind_file_is_read_with_north_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.json");
    let record = |number: u32, data: &str| {
        format!(
            "{{\"header\":{{\"parameterCategory\":2,\"parameterNumber\":{number},\"nx\":3,\"ny\":2,\"x\":[1]}},\
             \"data\":[{data}]}}"
        )
    };
    // The order of the records is free, and others may lie between.
    let [u, v, t] = [record(2, "1,2,3,4,5,6"), record(3, "-1,-2,-3,-4,-5,-6.5"), record(0, "0,0,0,0,0,null")];
    std::fs::write(&path, format!("[{v},{t},{u}]")).unwrap();
    let grid = from_file(&path, &open("wind", &[]).world, 2.0);
    assert_eq!(grid.nodes, [3, 2, 1]);
    assert_eq!(grid.vectors[0], [8.0, -8.0, 0.0], "the south comes first");
    assert_eq!(grid.vectors[2], [12.0, -13.0, 0.0]);
    assert_eq!(grid.vectors[3], [2.0, -2.0, 0.0]);
}

#[test]
fn an_image_is_read_with_its_top_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.png");
    let mut picture = image::RgbImage::from_pixel(3, 2, image::Rgb([128, 128, 0]));
    picture.put_pixel(0, 0, image::Rgb([255, 1, 9]));
    picture.put_pixel(2, 1, image::Rgb([0, 128, 9]));
    picture.save(&path).unwrap();
    let grid = from_file(&path, &open("wind", &[]).world, 1.0);
    assert_eq!(grid.nodes, [3, 2, 1]);
    assert_eq!(grid.vectors[3], [24.0, -24.0, 0.0], "the top left pixel");
    assert_eq!(grid.vectors[2], [-24.0, 0.0, 0.0], "the bottom right pixel");
    assert_eq!(grid.vectors[0], [0.0; 3]);
}

#[test]
fn the_real_wind_shows_trades_and_westerlies() {
    let data = "../shared/data/wind/gfs-2014-01-31-surface-1deg.json";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(data);
    if !path.exists() {
        // Written past the capture of the test harness, which would hide it.
        let _ = writeln!(std::io::stderr(), "SKIPPED: the_real_wind_shows_trades_and_westerlies: there is no {data}");
        return;
    }
    let grid = from_file(&path, &open("wind", &[]).world, 1.0);
    assert_eq!(grid.nodes, [360, 181, 1]);
    assert!((26.0..26.5).contains(&peak(&grid)), "strongest wind {} m/s", peak(&grid));
    let [north, south] = [mean_wind(&grid, 10.0, 20.0), mean_wind(&grid, -20.0, -10.0)];
    let westerlies = mean_wind(&grid, -60.0, -40.0);
    eprintln!(
        "mean eastward wind: 10..20 N {:.2}, 10..20 S {:.2}, 40..60 S {:.2} m/s",
        north[0], south[0], westerlies[0]
    );
    assert!(north[0] < -1.0 && south[0] < -1.0, "trade winds: {north:?} {south:?}");
    assert!(north[1] < 0.0 && south[1] > 0.0, "trade winds meet at the equator: {north:?} {south:?}");
    assert!(westerlies[0] > 2.0, "westerlies: {westerlies:?}");
}
