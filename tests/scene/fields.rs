//! Flow fields by formula, from winds and from pictures.

use super::{open, small};
use std::path::Path;
use steerling::engine::Backend;
use steerling::model::State;
use steerling::scene::{Boundary, Field, FieldGrid, FieldSource, Scene, World};
use steerling_conform::Draw;
use support::npy::npy;
use support::{backend, backends, file, gpu, mistaken, model, parsed};

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
    for (text, spatial) in [(CURL, false), ("source = \"curl_noise\"\nwavelength = 30\nresolution = 24", true)] {
        let (grid, world) = grid(text, "\"wrap\"", |world| {
            if spatial {
                (world.size.z, world.spatial, world.boundary) = (80.0, true, [Boundary::Wrap; 3]);
            }
        });
        let nodes = grid.nodes.map(i64::from);
        assert_eq!(grid.nodes, if spatial { [24, 14, 19] } else { [96, 58, 1] });
        let (mut divergence, mut shear) = (0.0f64, 0.0f64);
        for (x, y, z) in
            (0..nodes[2]).flat_map(|z| (0..nodes[1]).flat_map(move |y| (0..nodes[0]).map(move |x| (x, y, z))))
        {
            let slope = |axis: usize| {
                let [dx, dy, dz] = [0, 1, 2].map(|other| i64::from(other == axis));
                let ends = [at(&grid, x + dx, y + dy, z + dz), at(&grid, x - dx, y - dy, z - dz)];
                let step = f64::from(world.size[axis]) / nodes[axis] as f64;
                (ends[0][axis] - ends[1][axis]) / (2.0 * step)
            };
            let slopes: Vec<f64> = (0..if spatial { 3 } else { 2 }).map(slope).collect();
            divergence = divergence.max(slopes.iter().sum::<f64>().abs());
            shear = shear.max(slopes[0].abs());
        }
        assert!(shear > 0.5, "the field hardly varies: {shear}");
        assert!(divergence < 1e-5 * shear.max(1.0), "divergence {divergence} beside slopes of {shear}");
        assert!(!spatial || grid.vectors.iter().any(|v| v[2].abs() > 1.0), "nothing moves along z");
    }
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
    Field { source: FieldSource::file(path), scale, ..field }.grid(world, 1).unwrap_or_else(|e| panic!("{e}"))
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
    // So is one that follows another.
    let field = format!("field = {{ source = {path:?}, scale = 2, times = [0, 1], later = [{path:?}] }}");
    let species = "[[species]]\ncount = 1\nbehaviors.flow_field = {}\n";
    let scene = parsed(&format!("schema = 1\nworld.size = [40, 40]\n{field}\n{species}"), &[]);
    let model = model(&scene);
    assert_eq!(model.field.vectors, [&grid.vectors[..], &grid.vectors].concat());
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

/// An array of a user, in f64: nodes along x, y and z, and the components of a vector, which are the last axis in C order.
struct Flow {
    nodes: [usize; 3],
    width: usize,
    values: Vec<f64>,
}

impl Flow {
    fn drawn(nodes: [usize; 3], width: usize, seed: u64) -> Flow {
        let mut draw = Draw::new(seed);
        let values = (0..nodes.iter().product::<usize>() * width).map(|_| draw.between(-9.0, 9.0)).collect();
        Flow { nodes, width, values }
    }

    /// As float64 in C order, or as float32 in Fortran order.
    fn file(&self, fortran: bool) -> Vec<u8> {
        let ([x, y, z], width) = (self.nodes, self.width);
        let shape = if width == 3 { format!("({z}, {y}, {x}, 3)") } else { format!("({y}, {x}, 2)") };
        if !fortran {
            let data: Vec<u8> = self.values.iter().flat_map(|value| value.to_le_bytes()).collect();
            return npy("'<f8'", false, &shape, &data);
        }
        let mut data = Vec::new();
        for (component, i) in (0..width).flat_map(|component| (0..x).map(move |i| (component, i))) {
            for (j, k) in (0..y).flat_map(|j| (0..z).map(move |k| (j, k))) {
                data.extend((self.values[((k * y + j) * x + i) * width + component] as f32).to_le_bytes());
            }
        }
        npy("'<f4'", true, &shape, &data)
    }

    /// The place of a node along an axis, u.
    fn place(&self, axis: usize, node: usize, size: f64, wraps: bool) -> f64 {
        match if wraps { self.nodes[axis] } else { self.nodes[axis] - 1 } {
            0 => 0.0,
            intervals => size * (node as f64 / intervals as f64 - 0.5),
        }
    }

    /// The vector at a place: of all nodes, each by its share, which falls to 0 at the next ones along each axis.
    fn at(&self, place: [f64; 3], size: [f64; 3], wraps: bool) -> [f64; 3] {
        let share = |axis: usize, node: usize| {
            let nodes = self.nodes[axis] as f64;
            if nodes == 1.0 {
                return 1.0;
            }
            let spacing = size[axis] / if wraps { nodes } else { nodes - 1.0 };
            let apart = (place[axis] - self.place(axis, node, size[axis], wraps)).abs();
            let apart = if wraps { apart.min(size[axis] - apart) } else { apart };
            (1.0 - apart / spacing).max(0.0)
        };
        let mut sum = [0.0; 3];
        for (node, vector) in self.values.chunks(self.width).enumerate() {
            let [x, y, _] = self.nodes;
            let share = share(0, node % x) * share(1, node / x % y) * share(2, node / (x * y));
            sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += share * value);
        }
        sum
    }
}

/// Agents at rest take the velocity of the field in one step. By how much those are off at nodes, and between them.
fn off(flow: &Flow, scene: &Scene, backend: &Backend) -> [f64; 2] {
    let wraps = scene.world.boundary[0] == Boundary::Wrap;
    let size = scene.world.size.as_dvec3().to_array();
    let (mut state, mut draw, reach) = (State::initial(scene), Draw::new(3), if wraps { 0.5 } else { 0.7 });
    let [x, y, _] = flow.nodes;
    let nodes = flow.values.len() / flow.width;
    for (node, place) in state.positions.iter_mut().enumerate() {
        let number = [node % x, node / x % y, node / (x * y)];
        *place = [0, 1, 2].map(|axis: usize| match node < nodes {
            true => flow.place(axis, number[axis], size[axis], wraps) as f32,
            // Beyond the ends of the world, too, where the field is that of its end.
            false if scene.world.spatial || axis < 2 => (draw.between(-reach, reach) * size[axis]) as f32,
            false => 0.0,
        });
    }
    let mut run = backend.start(scene, &state).unwrap();
    run.step(1).unwrap();
    let after = run.state().unwrap().velocities;
    let mut worst = [0.0f64; 2];
    for (id, (place, velocity)) in state.positions.iter().zip(&after).enumerate() {
        let inside = |axis: usize| f64::from(place[axis]).clamp(-0.5 * size[axis], 0.5 * size[axis]);
        let expected = flow.at([0, 1, 2].map(inside), size, wraps);
        let off = (0..3).map(|axis| (f64::from(velocity[axis]) - expected[axis]).abs()).fold(0.0, f64::max);
        worst[usize::from(id >= nodes)] = worst[usize::from(id >= nodes)].max(off);
    }
    worst
}

/// At nodes and between them it is what a sampler in f64 says, on all backends: on a plane, in space, and one of a plane in space.
#[test]
fn an_array_is_sampled_between_its_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let backends = backends();
    let cases = [
        ([7, 5, 1], 2, "[20, 10]"),
        ([6, 4, 5], 3, "[20, 10, 30]"),
        ([2, 3, 2], 3, "[20, 10, 30]"),
        ([5, 6, 1], 2, "[20, 10, 30]"),
        ([4, 3, 1], 3, "[20, 10, 30]"),
    ];
    for (number, ((nodes, width, size), boundary)) in
        cases.into_iter().flat_map(|case| ["open", "wrap"].map(|boundary| (case, boundary))).enumerate()
    {
        let flow = Flow::drawn(nodes, width, number as u64);
        let path = file(folder.path(), &format!("{number}.npy"), flow.file(number % 3 == 1));
        let text = format!(
            "schema = 1\nworld = {{ size = {size}, boundary = \"{boundary}\" }}\nfield = {{ source = {path:?} }}\n\
             [[species]]\ncount = 400\nmax_speed = 1000\nmax_force = 1e9\ntime_constant = 0\nspawn = {{ speed = 0 }}\n\
             behaviors.flow_field = {{}}\n"
        );
        let scene = parsed(&text, &[]);
        for backend in &backends {
            let found = off(&flow, &scene, backend);
            println!("{nodes:?} in {size}, {boundary}: off by {found:?} at nodes and between");
            assert!(found.iter().all(|off| *off < 2e-4), "{found:?} on {}", backend.title());
        }
        // Another array, and axes in another order.
        assert!(off(&Flow::drawn(nodes, width, 99), &scene, &Backend::Cpu)[1] > 1.0);
        let turned = Flow { nodes: [nodes[1], nodes[0], nodes[2]], width, values: flow.values.clone() };
        assert!(off(&turned, &scene, &Backend::Cpu)[1] > 1.0);
        if number == 2 {
            let found = off(&flow, &scene, &backend(&gpu(), mistaken("field_between", "* share", "* round(share)")));
            assert!(found[0] < 2e-4 && found[1] > 1.0, "the nearest node: {found:?}");
        }
    }
}
