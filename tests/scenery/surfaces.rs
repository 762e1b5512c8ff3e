//! Points and normals of surfaces against formulas in f64.

use super::{Draw, hills, nearest_image, world};
use glam::{DVec3, Vec3};
use steerling::cpu::common::surface::ground_at;
use steerling::scene::{Boundary, Hill, Scene, Scenery, Surface};
use support::{file, model, refused};

fn scene(surface: Surface, boundary: Boundary) -> Scene {
    world(true, boundary, Scenery { surface: Some(surface), ..Default::default() })
}

#[test]
fn a_position_is_put_on_the_nearest_point_of_a_sphere_or_a_plane() {
    for seed in 0..10 {
        let draw = Draw(seed);
        let (center, radius) = (draw.vector(0, 0, 30.0, true), draw.between(0, 9, 1.0, 40.0));
        let normal = draw.direction(0, 3, true) * 2.5;
        for (boundary, sphere) in [(Boundary::Wrap, true), (Boundary::Open, true), (Boundary::Open, false)] {
            let surface =
                if sphere { Surface::Sphere { center, radius } } else { Surface::Plane { point: center, normal } };
            let scene = scene(surface, boundary);
            let model = model(&scene);
            for row in 1..200 {
                let p = draw.vector(row, 0, 49.9, true);
                let found = ground_at(&model, p);
                let offset = |p: Vec3| nearest_image(&scene, p.as_dvec3() - center.as_dvec3());
                let away = (p - found.point).as_dvec3();
                let (off, up) = if sphere {
                    (offset(found.point).length() - f64::from(radius), offset(p).normalize())
                } else {
                    let up = normal.as_dvec3().normalize();
                    (offset(found.point).dot(up), up)
                };
                assert!(off.abs() < 2e-5, "{seed} {boundary:?} {p}: {off} off the surface");
                assert!(up.distance(found.up.as_dvec3()) < 1e-4, "{seed} {boundary:?} {p}: {up}, {found:?}");
                // Straight up or down is the shortest way.
                assert!(away.cross(up).length() < 1e-4, "{seed} {boundary:?} {p}: {away}");
            }
        }
    }
}

fn height(scene: &Scene, level: f32, hills: &[Hill], x: f64, z: f64) -> f64 {
    let own = |hill: &Hill| {
        let offset = nearest_image(scene, DVec3::new(x - f64::from(hill.x), 0.0, z - f64::from(hill.z)));
        f64::from(hill.height) / (1.0 + offset.length_squared() / f64::from(hill.width).powi(2)).powi(2)
    };
    f64::from(level) + hills.iter().map(own).sum::<f64>()
}

#[test]
fn a_height_field_is_the_sum_of_its_hills_and_its_normal_that_of_its_slopes() {
    let mut nearer = 0;
    for seed in 0..10 {
        let draw = Draw(seed);
        let (level, hills) = (draw.signed(0, 300) * 20.0, hills(&draw));
        for boundary in [Boundary::Wrap, Boundary::Open] {
            let scene = scene(Surface::HeightField { level, hills: hills.clone() }, boundary);
            let model = model(&scene);
            for row in 0..200 {
                let p = draw.vector(row, 400, 49.9, true);
                let found = ground_at(&model, p);
                let foot = found.point;
                let at = |x: f64, z: f64| height(&scene, level, &hills, f64::from(foot.x) + x, f64::from(foot.z) + z);
                // No farther than the point above or below, and nearer where that is on a slope.
                let straight = (f64::from(p.y) - height(&scene, level, &hills, p.x.into(), p.z.into())).abs();
                let away = f64::from(p.distance(foot));
                assert!(away < straight + 1e-4, "{seed} {boundary:?} {p}: {away} in place of {straight}");
                nearer += usize::from(away < 0.9 * straight);
                assert!((f64::from(foot.y) - at(0.0, 0.0)).abs() < 5e-5, "{seed} {boundary:?} {p}: {found:?}");
                let h = 1e-5;
                let [left, right] = [at(-h, 0.0), at(h, 0.0)];
                let [near, far] = [at(0.0, -h), at(0.0, h)];
                // At the seam of a wrapped world the slopes jump.
                let seam = (0.5 - 1e-4) * f64::from(scene.world.size.x);
                let on_seam =
                    |hill: &Hill| (foot.x - hill.x).abs() as f64 > seam || (foot.z - hill.z).abs() as f64 > seam;
                if boundary == Boundary::Wrap && hills.iter().any(on_seam) {
                    continue;
                }
                let up = DVec3::new((left - right) / (2.0 * h), 1.0, (near - far) / (2.0 * h)).normalize();
                assert!(up.distance(found.up.as_dvec3()) < 1e-4, "{seed} {boundary:?} {p}: {up}, {found:?}");
            }
        }
    }
    assert!(nearer > 200, "{nearer} of 4,000 points are much nearer");
}

/// A cube of 20 u with a seam: the file has each corner once for each side.
fn cube() -> String {
    let mut text = String::from("# a cube\nmtllib none.mtl\n");
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let mut corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            if side < 0.0 {
                corners.reverse();
            }
            for (a, b) in corners {
                let mut corner = [0.0; 3];
                (corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3]) = (side, a, b);
                text += &format!("v {} {} {}\n", corner[0], corner[1], corner[2]);
            }
            text += "f -4 -3 -2 -1\n";
        }
    }
    text
}

fn on_cube(folder: &std::path::Path) -> Scene {
    file(folder, "cube.obj", cube());
    let text = "schema = 1\ndt = 0.02\nworld = { size = [60, 60, 60], boundary = \"open\" }\n\
                surface = { shape = \"mesh\", source = \"cube.obj\", size = 20 }\n\
                [[species]]\ncount = 1\nmax_speed = 10\nvehicle.hugs_surface = true\n";
    Scene::open(file(folder, "cube.toml", text).to_str().unwrap(), &[]).unwrap()
}

/// Their normal is that of all sides that meet there. How agents move on a mesh is in laws (conform/src/laws/orientation.rs).
#[test]
fn corners_that_a_file_repeats_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let scene = on_cube(folder.path());
    let triangles = scene.scenery.surface.as_ref().unwrap().triangles(&scene.world).unwrap();
    assert_eq!(triangles.len(), 12);
    for triangle in &triangles {
        for (corner, normal) in triangle.corners.iter().zip(triangle.normals) {
            assert!(corner.normalize().distance(normal) < 1e-6, "{triangle:?}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_mesh_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let scene = on_cube(folder.path());
    let path = folder.path().join("cube.obj");
    let open = || Scene::open(folder.path().join("cube.toml").to_str().unwrap(), &[]);
    let many = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{}", "f 1 2 3\n".repeat(32_769));
    let wrong = [
        ("", "it has no triangle"),
        ("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "it has no triangle"),
        ("v 0 0\nf 1 1 1\n", "not an OBJ file that can be read"),
        ("v 0 0 0\nf 1 2 3\n", "not an OBJ file that can be read"),
        ("v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "is not finite or too far away"),
        (&many, "it has 32769 triangles; at most 32768 are allowed"),
    ];
    for (text, message) in wrong {
        std::fs::write(&path, text).unwrap();
        assert_eq!(refused(open(), &[message]).key, "surface.source");
    }
    std::fs::write(&path, cube()).unwrap();
    let too_large = scene.with(|draft| {
        let Some(Surface::Mesh { size, .. }) = &mut draft.scenery.surface else { panic!("a mesh") };
        *size = Some(61.0);
    });
    assert_eq!(refused(too_large, &["outside of the world"]).key, "surface.size");
    std::fs::remove_file(&path).unwrap();
    refused(open(), &["cube.obj"]);
}
