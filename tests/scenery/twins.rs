//! The shaders' geometry has the bits of the reference's.

use super::{Draw, hills, obstacles, paths, world};
use glam::Vec3;
use std::f32::consts::PI;
use steerling::cpu::common::obstacles::{Approach, first_hit, nearest_wall};
use steerling::cpu::common::paths::{followed_on_path, nearest_on_path, path_at};
use steerling::cpu::common::surface::ground_at;
use steerling::gpu::{Gpu, Options};
use steerling::model::{BufferId, CompiledScene};
use steerling::scene::{Boundary, MeshFile, MeshSource, Scene, Scenery, Surface};
use steerling::shaders::Sources;
use support::{edited, gpu, in_place_of_steer, mistaken, model};

const INPUTS: u32 = 1 << 14;

/// WGSL that sets `result` from a position p, a direction f and the index i; the same in Rust. In planar worlds only the
/// first two numbers of a result are compared, so each comes once among them.
type Probe = (&'static str, fn(&CompiledScene, Vec3, Vec3, u32) -> Vec3);

const PROBES: [Probe; 10] = [
    (
        "let h = first_hit(p, feeler(f, 60.0), 0.75); result = vec3f(h.distance, f32(h.obstacle), h.normal.z);",
        |m, p, f, _| {
            let h = first_hit(m, p, Approach::feeler(f, 60.0), 0.75);
            Vec3::new(h.distance, h.obstacle as f32, h.normal.z)
        },
    ),
    ("let h = first_hit(p, feeler(f, 60.0), 0.75); result = vec3f(h.normal.xy, f32(h.exists));", |m, p, f, _| {
        let h = first_hit(m, p, Approach::feeler(f, 60.0), 0.75);
        Vec3::new(h.normal.x, h.normal.y, f32::from(h.exists))
    }),
    ("let w = nearest_wall(p, 0.0); result = vec3f(w.distance, f32(w.obstacle), w.normal.z);", |m, p, _, _| {
        let w = nearest_wall(m, p, 0.0);
        Vec3::new(w.distance, w.obstacle as f32, w.normal.z)
    }),
    ("result = nearest_wall(p, 0.0).normal;", |m, p, _, _| nearest_wall(m, p, 0.0).normal),
    ("result = nearest_wall(p, 0.0).point;", |m, p, _, _| nearest_wall(m, p, 0.0).point),
    ("result = nearest_on_path(scenery.paths[i % 4u], p).point;", |m, p, _, i| {
        nearest_on_path(m, &m.scenery.paths[i as usize % 4], p).point
    }),
    (
        "let n = nearest_on_path(scenery.paths[i % 4u], p); result = vec3f(n.arc_length, n.distance + n.radius, n.tangent.z);",
        {
            |m, p, _, i| {
                let n = nearest_on_path(m, &m.scenery.paths[i as usize % 4], p);
                Vec3::new(n.arc_length, n.distance + n.radius, n.tangent.z)
            }
        },
    ),
    ("result = path_at(scenery.paths[i % 4u], p.x * 3.0).point;", |m, p, _, i| {
        path_at(m, &m.scenery.paths[i as usize % 4], p.x * 3.0).point
    }),
    ("result = path_at(scenery.paths[i % 4u], p.x * 3.0).tangent;", |m, p, _, i| {
        path_at(m, &m.scenery.paths[i as usize % 4], p.x * 3.0).tangent
    }),
    (
        "let n = followed_on_path(scenery.paths[i % 4u], p, f); result = vec3f(n.arc_length, n.distance, n.tangent.z);",
        |m, p, f, i| {
            let n = followed_on_path(m, &m.scenery.paths[i as usize % 4], p, f);
            Vec3::new(n.arc_length, n.distance, n.tangent.z)
        },
    ),
];

const GROUND: [Probe; 2] = [
    ("result = ground_at(p).point;", |m, p, _, _| ground_at(m, p).point),
    ("result = ground_at(p).up;", |m, p, _, _| ground_at(m, p).up),
];

/// Positions and directions; some positions at the very centers and corners, where directions are made up.
fn inputs(scene: &Scene) -> Vec<(Vec3, Vec3)> {
    let (draw, spatial) = (Draw(9), scene.world.spatial);
    let special: Vec<Vec3> = scene.scenery.obstacles.iter().map(|o| o.center).collect();
    let points = scene.scenery.paths.iter().flat_map(|path| path.points.iter().copied());
    let special: Vec<Vec3> = special.into_iter().chain(points).chain([Vec3::ZERO]).collect();
    let position = |k: u32| special.get(k as usize).copied().unwrap_or_else(|| draw.vector(k, 0, 60.0, spatial));
    let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y];
    let forward = |k: u32| axes.get(k as usize % 64).copied().unwrap_or_else(|| draw.direction(k, 1, spatial));
    (0..INPUTS).map(|k| (position(k), forward(k))).collect()
}

/// For each probe, the inputs for which the GPU's bits are not those of the reference.
fn differing(gpu: &Gpu, scene: &Scene, probes: &[Probe], shaders: Sources) -> Vec<usize> {
    let case = |(index, (body, _)): (usize, &Probe)| format!("case {index}u: {{ {body} }}\n");
    let cases: String = probes.iter().enumerate().map(case).collect();
    let body = format!(
        "let i = place % {INPUTS}u;\n\
         let p = load(sorted_position[place]); let f = load(sorted_velocity[place]);\n\
         var result = vec3f(0.0);\n\
         switch (place / {INPUTS}u) {{\n{cases}default: {{ }}\n}}\n\
         acceleration[place] = store(result);"
    );
    let inputs = inputs(scene);
    let scene = edited(scene, |draft| draft.species[0].count = INPUTS * probes.len() as u32);
    let components = scene.world.axes();
    let words = |vectors: &mut dyn Iterator<Item = Vec3>| -> Vec<u32> {
        vectors.flat_map(|v| v.to_array().into_iter().take(components)).map(f32::to_bits).collect()
    };
    let given = [
        (BufferId::SortedPosition, words(&mut inputs.iter().map(|(p, _)| *p)).repeat(probes.len())),
        (BufferId::SortedVelocity, words(&mut inputs.iter().map(|(_, f)| *f)).repeat(probes.len())),
    ];
    let options = Options { shaders, ..Options::default() };
    let found = in_place_of_steer(gpu, &scene, options, ["", &body], &given, BufferId::Acceleration);
    let model = model(&scene);
    let expected = probes.iter().flat_map(|(_, twin)| (0u32..).zip(&inputs).map(|(i, (p, f))| twin(&model, *p, *f, i)));
    let expected = words(&mut expected.into_iter());
    assert_eq!(found.len(), expected.len());
    let pairs = found.chunks(components).zip(expected.chunks(components)).map(|(found, expected)| found != expected);
    pairs.collect::<Vec<_>>().chunks(INPUTS as usize).map(|of| of.iter().filter(|differs| **differs).count()).collect()
}

fn scene(seed: u32, spatial: bool, boundary: Boundary, surface: Option<Surface>) -> Scene {
    let draw = Draw(seed);
    let planes = boundary == Boundary::Open;
    let obstacles = obstacles(&draw, 64, spatial, planes);
    let mut paths = paths(&draw, spatial);
    // Two of the four have segments of different widths.
    for path in &mut paths[2..] {
        let segments = path.points.len() - usize::from(!path.closed);
        path.radii = (0..segments as u32).map(|k| draw.between(k, 300, 0.0, 9.0)).collect();
    }
    let scene = world(spatial, boundary, Scenery { obstacles, paths, surface, ..Default::default() });
    edited(&scene, |draft| draft.species[0].count = INPUTS)
}

#[test]
fn geometry_has_equal_bits() {
    let gpu = gpu();
    assert!(gpu.exact, "this adapter promises no bits; the tolerance of `verify` applies to it");
    for (spatial, boundary) in
        [(false, Boundary::Open), (false, Boundary::Wrap), (true, Boundary::Wrap), (true, Boundary::Open)]
    {
        let scene = scene(11, spatial, boundary, None);
        assert_eq!(differing(&gpu, &scene, &PROBES, Sources::default()), [0; PROBES.len()], "{spatial} {boundary:?}");
    }
    let surfaces = [
        Surface::Sphere { center: Vec3::new(3.0, -4.0, 5.0), radius: 31.7 },
        Surface::Plane { point: Vec3::new(3.0, -4.0, 5.0), normal: Vec3::new(0.3, 2.0, -0.7) },
        Surface::HeightField { level: -13.0, hills: hills(&Draw(12)) },
        Surface::Mesh { source: MeshSource::Knot, center: Vec3::new(3.0, -4.0, 5.0), size: Some(80.0) },
    ];
    for surface in surfaces {
        let scene = scene(11, true, Boundary::Wrap, Some(surface));
        assert_eq!(differing(&gpu, &scene, &GROUND, Sources::default()), [0; 2], "{:?}", scene.scenery.surface);
    }
}

/// Meshes of many shapes, as OBJ files: a ball, whose triangles are all as near to its middle and thin at its poles, and heaps of triangles of all
/// sizes, some of them slivers.
fn meshes() -> Vec<String> {
    let mut ball = String::new();
    let (rings, around) = (24, 40);
    for (ring, k) in (0..=rings).flat_map(|ring| (0..around).map(move |k| (ring, k))) {
        let (polar, turn) = (PI * ring as f32 / rings as f32, 2.0 * PI * k as f32 / around as f32);
        ball += &format!("v {} {} {}\n", polar.sin() * turn.cos(), polar.cos(), polar.sin() * turn.sin());
    }
    for (ring, k) in (0..rings).flat_map(|ring| (0..around).map(move |k| (ring, k))) {
        let corner = |ring: usize, k: usize| ring * around + k % around + 1;
        let (a, b, c, d) = (corner(ring, k), corner(ring, k + 1), corner(ring + 1, k + 1), corner(ring + 1, k));
        ball += &format!("f {a}/1/1 {b}/1/1 {c}/1/1 {d}/1/1\n");
    }
    let heap = |seed: u32| {
        let (draw, mut text) = (Draw(seed), String::new());
        for row in 0..250 {
            let (at, longest) = (draw.vector(row, 0, 50.0, true), 10f32.powf(draw.between(row, 3, -2.0, 2.0)));
            let along = draw.direction(row, 4, true) * longest;
            let across = draw.direction(row, 8, true) * longest * 10f32.powf(draw.between(row, 12, -2.6, 0.0));
            for corner in [at, at + along, at + 0.4 * along + across] {
                text += &format!("v {} {} {}\n", corner.x, corner.y, corner.z);
            }
            text += "f -3 -2 -1\n";
        }
        text
    };
    [ball].into_iter().chain((1..6).map(heap)).collect()
}

#[test]
fn no_list_of_a_mesh_forgets_a_triangle() {
    let (gpu, folder) = (gpu(), tempfile::tempdir().unwrap());
    let path = folder.path().join("mesh.obj");
    for (index, text) in meshes().into_iter().enumerate() {
        std::fs::write(&path, text).unwrap();
        let source = MeshSource::File(MeshFile::open(&path).unwrap());
        for (center, size) in
            [(Vec3::ZERO, 90.0), (Vec3::new(3.0, -4.0, 5.0), 60.0), (Vec3::new(40.0, 40.0, -40.0), 2.0)]
        {
            let mesh = Surface::Mesh { source: source.clone(), center, size: Some(size) };
            let scene = scene(11, true, Boundary::Open, Some(mesh));
            // Both are of the same triangle.
            let probe = &GROUND[index % 2..][..1];
            assert_eq!(differing(&gpu, &scene, probe, Sources::default()), [0], "mesh {index} of {size} u");
        }
    }
}

/// The comparison finds what is wrong: each of these changes makes bits differ.
#[test]
fn a_changed_shader_is_noticed() {
    let gpu = gpu();
    let mutants = [
        ("sphere_way", "max(ahead - chord, 0.0)", "max(ahead - chord, 1.0)", 0),
        ("convex_way_in", "if (slope >= 0.0)", "if (slope >= -0.5)", 0),
        ("box_way_out", "half_size - select(-at, at,", "half_size - select(at, -at,", 0),
        ("nearer_wall", "clearance.distance < wall.distance", "clearance.distance <= 5.0", 2),
        ("nearest_image", "floor(image.y / world.size.y + 0.5)", "floor(image.y / world.size.y)", 3),
        ("followed_on_path", "select(0.0, projected, projected > 0.0)", "projected", 5),
        ("followed_on_path", "off < least", "off <= 4.0 * least", 6),
        ("path_at", "scenery.points[k].w <= rest", "scenery.points[k].w <= rest + 1.0", 7),
        ("followed_on_path", "dot3(direction, along) < 0.0", "dot3(direction, along) > 0.0", 9),
    ];
    let notice = |scene: &Scene, probe: &Probe, function, from, to| {
        let found = differing(&gpu, scene, std::slice::from_ref(probe), mistaken(function, from, to));
        assert!(found[0] > 0, "{function}: {to} makes no difference");
    };
    let shapes = scene(13, true, Boundary::Wrap, None);
    for (function, from, to, probe) in mutants {
        notice(&shapes, &PROBES[probe], function, from, to);
    }
    let mesh = Surface::Mesh { source: MeshSource::Knot, center: Vec3::ZERO, size: Some(80.0) };
    let mesh = scene(13, true, Boundary::Wrap, Some(mesh));
    notice(&mesh, &GROUND[0], "on_mesh", "i < list.y", "i + 1u < list.y");
    notice(&mesh, &GROUND[1], "on_mesh", "distance_squared < nearest", "distance_squared <= nearest");
    notice(&mesh, &GROUND[0], "nearest_shares", "to_b >= 0.0", "to_b >= 1.0");
}
