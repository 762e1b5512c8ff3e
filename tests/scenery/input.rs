//! Scenery as it is written: what a scene reads, what it refuses and where, and how it grows with the world.

use glam::Vec3;
use steerling::scene::{Hill, Obstacle, ObstacleShape, Path, Scene, SeenFrom, Surface};
use support::{parsed, refused, refuses_each};

/// A spatial scene that is right, to be spoiled in one place by each case.
const GOOD: &str = r#"schema = 1
[world]
size = [100, 80, 60]
boundary = ["wrap", "open", "open"]

[[obstacles]]
shape = "sphere"
center = [10, 0, 0]
radius = 5

[[trajectories]]
name = "swing"
times = [0, 1, 2]
points = [[0, 0, 0], [5, 0, 0], [0, 0, 0]]
turns = [0, 90, 0]

[[obstacles]]
shape = "box"
trajectory = "swing"
size = [4, 6, 8]
seen_from = "both"

[[obstacles]]
shape = "plane"
center = [0, -30, 0]
normal = [0, 2, 0]
seen_from = "inside"

[[paths]]
name = "road"
points = [[-20, 0, 0], [0, 9, 0], [20, 0, 5]]
closed = true
radius = 2.5

[[paths]]
points = [[0, 0, 0], [1, 1, 1]]

[surface]
shape = "height_field"
level = -20
hills = [{ x = 5, z = -7, height = 12, width = 30 }, {}]

[[species]]
count = 1000
"#;

/// A key of each kind: which range each number has, docs/scene-keys.md says and a test of that page holds.
const SPOILED: &str = r#"
[[obstacles]]\nshape = "sphere" | @[[obstacles]] | obstacles.0.shape: this key is required
"sphere" | @"cube" | obstacles.0.shape = "cube": must be one of sphere, box, plane, capsule
"sphere"\ncenter | "sphere"\n@centre | obstacles.0.centre: unknown key | did you mean `center`?
[10, 0, 0] | @[10, 0] | obstacles.0.center = [10, 0]: must have 3 numbers, one for each axis
radius = 5 |  | obstacles.0.radius: this key is required for a sphere or a capsule, but missing
radius = 5 | @size = [1, 1, 1] | obstacles.0.size: shape = "sphere" has no such key | center, radius
size = [4, 6, 8] |  | obstacles.1.size: this key is required for a box, but missing
"both" | @"above" | obstacles.1.seen_from = "above": must be one of outside, inside, both
normal = [0, 2, 0] |  | obstacles.2.normal: this key is required for a plane, but missing
[0, 2, 0] | @[0, 0, 0] | obstacles.2.normal = [0, 0, 0]: must not be zero
normal = [0, 2, 0] | normal = [0, 2, 0]\n@radius = 1 | obstacles.2.radius: shape = "plane" has no such key
[[paths]]\npoints = [[0, 0, 0] | [[paths]]\nname = @"road"\npoints = [[0, 0, 0] | another path has this name
points = [[0, 0, 0], [1, 1, 1]] |  | paths.1.points: this key is required
[[0, 0, 0], [1, 1, 1]] | @[[0, 0, 0]] | paths.1.points | must have 2 to 256 points, not 1
[[0, 0, 0], [1, 1, 1]] | @[[1, 1, 1], [1, 1, 1]] | paths.1.points: at least two points must differ
[[0, 0, 0], [1, 1, 1]] | [[0, 0, 0], @[1, 1]] | paths.1.points = [1, 1]: a point must have 3 numbers here
[[0, 0, 0], [1, 1, 1]] | [[0, 0, 0], @7] | paths.1.points = 7: must be a list of 3 numbers
[[0, 0, 0], [1, 1, 1]] | @"straight" | paths.1.points = "straight": must be a list of points, not a text
closed = true | closed = @1 | paths.0.closed = 1: must be true or false, not a whole number
radius = 2.5 | radii = @[1, 2] | paths.0.radii: must have 3 entries, one for each segment, not 2
[100, 80, 60]\nboundary = ["wrap", "open", "open"] | [100, 80] | obstacles.0.center = [10, 0, 0]: must have 2 numbers
"height_field" | @"torus" | surface.shape = "torus": must be one of sphere, plane, height_field
"height_field"\nlevel = -20 | "sphere"\n@level = -20 | surface.level: shape = "sphere" has no such key
"height_field"\nlevel = -20\nhills | "plane"\nnormal = @[0, 0, 0]\n# | surface.normal = [0, 0, 0]: must not
[0, 1, 2] | @[0, 2, 1] | trajectories.0.times = [0, 2, 1]: must be at least two times, which ascend from 0
[0, 1, 2] | @[1, 2, 3] | trajectories.0.times = [1, 2, 3]: must be at least two times, which ascend from 0
[0, 1, 2] | [0, 1] | trajectories.0.points: must have 2 entries, one for each of the times, not 3
[0, 90, 0] | @[0, 90] | trajectories.0.turns: must have 3 entries, one for each of the times, not 2
= "swing"\nsize | = @"swign"\nsize | obstacles.1.trajectory | did you mean `swing`?
[[0, 0, 0], [1, 1, 1]]\n | [[0, 0, 0], [1, 1, 1]]\n[[trajectories]]\nname = @"swing"\ntimes = [0, 1]\npoints = [[0, 0, 0], [1, 1, 1]]\n | another trajectory has this name
x = 5, | @y = 5, | surface.hills.0.y: unknown key | allowed here: x, z, height, width
"#;

#[test]
fn what_is_written_is_read() {
    let scene = parsed(GOOD, &[]);
    let [sphere, cuboid, plane] = scene.scenery.obstacles[..] else { panic!("{:?}", scene.scenery) };
    let (shape, center) = (ObstacleShape::Sphere { radius: 5.0 }, Vec3::new(10.0, 0.0, 0.0));
    assert_eq!(sphere, Obstacle { center, ..Obstacle::new(shape) });
    assert_eq!((cuboid.shape, cuboid.center), (ObstacleShape::Box { size: Vec3::new(4.0, 6.0, 8.0) }, Vec3::ZERO));
    assert_eq!(plane.shape, ObstacleShape::Plane { normal: Vec3::Y * 2.0 });
    assert_eq!((cuboid.seen_from, plane.seen_from), (SeenFrom::Both, SeenFrom::Inside));
    let points = vec![Vec3::new(-20.0, 0.0, 0.0), Vec3::new(0.0, 9.0, 0.0), Vec3::new(20.0, 0.0, 5.0)];
    assert_eq!(scene.scenery.paths[0], Path { name: "road".into(), points, closed: true, radius: 2.5, radii: vec![] });
    let other = &scene.scenery.paths[1];
    assert_eq!((other.name.as_str(), other.closed, other.radius), ("path 1", false, 1.0));
    let hills =
        vec![Hill { x: 5.0, z: -7.0, height: 12.0, width: 30.0 }, Hill { x: 0.0, z: 0.0, height: 10.0, width: 20.0 }];
    assert_eq!(scene.scenery.surface, Some(Surface::HeightField { level: -20.0, hills }));
    let plain = "schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\n";
    assert!(parsed(plain, &[]).scenery.is_empty());
}

#[test]
fn each_spoiled_scene_is_refused_at_the_right_place() {
    refuses_each(GOOD, SPOILED);
}

#[test]
fn a_planar_world_has_no_surface() {
    let text = "schema = 1\nworld.size = [9, 9]\nsurface = { shape = \"plane\" }\n[[species]]\ncount = 1\n";
    refused(Scene::parse(text, "flat.toml", &[]), &["surface: a planar world has no surface to move on"]);
}

#[test]
fn the_paths_share_their_points() {
    let path = |points: usize, closed: bool| {
        let points: Vec<String> = (0..points).map(|k| format!("[{}, {}]", k % 7, k % 3)).collect();
        format!("[[paths]]\nname = \"of {}\"\nclosed = {closed}\npoints = [{}]\n", points.len(), points.join(", "))
    };
    let parse = |paths: String| {
        let text = format!("schema = 1\nworld.size = [99, 99]\n{paths}[[species]]\ncount = 1\n");
        Scene::parse(&text, "many.toml", &[])
    };
    parse(path(156, false) + &path(99, true)).unwrap();
    let message = "paths.1.points: the paths have 257 points in all; there may be 256";
    refused(parse(path(156, false) + &path(100, true)), &[message]);
    let many: String = (2..11).map(|count| path(count, false)).collect();
    refused(parse(many), &["paths: must have 0 to 8 entries, not 9"]);
}

#[test]
fn long_segments_are_split_on_wrapped_axes() {
    let [a, b, c] = [Vec3::new(-40.0, 0.0, 0.0), Vec3::new(70.0, 30.0, 0.0), Vec3::new(70.0, 39.0, 0.0)];
    let path = Path { name: "long".into(), points: vec![a, a, b, c], closed: true, radius: 1.0, radii: vec![] };
    let parse = |boundary: &str| {
        let text =
            format!("schema = 1\nworld.size = [100, 60]\nworld.boundary = {boundary}\nspecies = [{{ count = 1 }}]\n");
        parsed(&text, &[]).world
    };
    assert_eq!(path.stored_points(&parse("\"open\"")), [a, b, c, a]);
    let thirds = |from: Vec3, to: Vec3| [from.lerp(to, 1.0 / 3.0), from.lerp(to, 2.0 / 3.0), to];
    let split: Vec<Vec3> = [a].into_iter().chain(thirds(a, b)).chain([c]).chain(thirds(c, a)).collect();
    assert_eq!(path.stored_points(&parse("[\"wrap\", \"open\"]")), split);
}

#[test]
fn the_scenery_moves_with_the_world_and_its_surface_grows() {
    let small = parsed(GOOD, &[]);
    let large = small.clone().with_agents(8000).unwrap();
    assert!((large.world.size - small.world.size * 2.0).abs().max_element() < 1e-4);
    for (one, two) in small.scenery.obstacles.iter().zip(&large.scenery.obstacles) {
        assert_eq!((two.center, two.shape, two.seen_from), (one.center * 2.0, one.shape, one.seen_from));
    }
    for (one, two) in small.scenery.paths.iter().zip(&large.scenery.paths) {
        let points: Vec<Vec3> = one.points.iter().map(|point| *point * 2.0).collect();
        assert_eq!((&two.points, two.radius), (&points, one.radius));
    }
    let hills =
        vec![Hill { x: 10.0, z: -14.0, height: 24.0, width: 60.0 }, Hill { x: 0.0, z: 0.0, height: 20.0, width: 40.0 }];
    assert_eq!(large.scenery.surface, Some(Surface::HeightField { level: -40.0, hills }));
}
