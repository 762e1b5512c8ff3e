//! More obstacles than the scenery block holds: the cells that the GPU asks, against the reference, which asks all obstacles.

use glam::Vec3;
use std::sync::Arc;
use steerling::gpu::Options;
use steerling::model::random::{hash4, unit_interval};
use steerling::model::{CompiledScene, GridChoice, State};
use steerling::scene::{Boundary, Obstacle, ObstacleShape, Scene, Species};
use steerling::verify::Plan;
use support::{agrees, edited, gpu, model, notices_by_stages, parsed, refused};

/// A species that asks about obstacles in every way.
const CROWD: &str = "[[species]]\nmax_speed = 20\nradius = 0.5\nvariation.radius = 0.2\n\
     behaviors.obstacle_avoidance = { look_ahead_time = 1.5 }\nbehaviors.whiskers = { length = 6 }\nbehaviors.wall_following = {}\n\
     behaviors.wander = {}\n";

const BALLS: &str = "[[obstacles]]\nshape = \"sphere\"\nradius = 0.8\nsize_spread = 0.5\n";

/// Boxes and capsules that stand, turned; thin shells; and a ball that all agents are within.
const STANDING: &str = "[[obstacles]]\nshape = \"box\"\nturn = 20\nsize_spread = 0.4\ncount = 500\n\
     [[obstacles]]\nshape = \"capsule\"\nlength = 2\nradius = 0.4\nturn = 70\ncount = 500\n\
     [[obstacles]]\nshape = \"sphere\"\nradius = 3\nseen_from = \"both\"\ncount = 20\n\
     [[obstacles]]\nshape = \"sphere\"\nradius = 400\nseen_from = \"inside\"\n";

/// Obstacles that move and turn.
const GOING: &str = "[[trajectories]]\nname = \"way\"\ntimes = [0, 0.1, 0.3]\nrepeat = true\nsmooth = true\nturns = [0, 90, 360]\n\
     [[trajectories]]\nname = \"far\"\ntimes = [0, 0.3]\n\
     [[obstacles]]\nshape = \"sphere\"\nradius = 1\ncount = 1000\ntrajectory = \"way\"\n\
     [[obstacles]]\nshape = \"sphere\"\nradius = 1\ncount = 1000\ntrajectory = \"far\"\n\
     [[obstacles]]\nshape = \"box\"\ncount = 30\ntrajectory = \"way\"\n";

/// A world of these obstacles. `size` of boxes and points of trajectories depend on the number of axes.
fn scene(spatial: bool, boundary: &str, obstacles: &str, agents: u32) -> Scene {
    scene_of(spatial, boundary, obstacles, &CROWD.replace("[[species]]", &format!("[[species]]\ncount = {agents}")))
}

/// As `scene`, with these species.
fn scene_of(spatial: bool, boundary: &str, obstacles: &str, species: &str) -> Scene {
    let [size, cuboid, normal, points, other] = match spatial {
        false => ["[500, 400]", "[2, 1]", "[0, 1]", "[[0, 0], [40, -30], [200, 50]]", "[[-90, 0], [90, 2]]"],
        true => [
            "[90, 80, 70]",
            "[2, 1, 3]",
            "[0, 1, 0]",
            "[[0, 0, 0], [9, -30, 5], [50, 50, -70]]",
            "[[-9, 0, 0], [9, 2, 7]]",
        ],
    };
    let obstacles = obstacles
        .replace("shape = \"box\"", &format!("shape = \"box\"\nsize = {cuboid}"))
        .replace("repeat = true", &format!("repeat = true\npoints = {points}"))
        .replace("times = [0, 0.3]\n", &format!("times = [0, 0.3]\npoints = {other}\n"));
    let floor = if spatial { "[0, -34, 0]" } else { "[0, -190]" };
    let plane = format!("[[obstacles]]\nshape = \"plane\"\ncenter = {floor}\nnormal = {normal}\n");
    let text = format!(
        "schema = 1\nname = \"many\"\n[world]\nsize = {size}\nboundary = \"{boundary}\"\nmargin = 3\n{obstacles}{plane}{species}"
    );
    parsed(&text, &[])
}

/// Species that see nothing behind obstacles: mice that flock and flee, and hawks. Some of their queries reach farther than neighborhoods.
fn seers(spatial: bool, k: u32, flee: bool) -> String {
    let radius = if spatial { 20 } else { 40 };
    let nearest = |name: &str, radius: u32| format!("target = {{ nearest = {name:?}, perception_radius = {radius} }}");
    let flight = match flee {
        true => {
            let radius = if spatial { 30 } else { 60 };
            format!("behaviors.flee = {{ {}, panic_distance = {radius} }}\n", nearest("hawks", radius))
        }
        false => String::new(),
    };
    format!(
        "[[species]]\nname = \"mice\"\ncount = 150\nline_of_sight = true\nk_nearest = {k}\n\
         behaviors.cohesion = {{ perception_radius = {radius}, field_of_view = 300 }}\n\
         behaviors.separation = {{ perception_radius = {} }}\n{flight}\
         [[species]]\nname = \"hawks\"\ncount = 20\nline_of_sight = true\nmax_speed = 30\n\
         behaviors.pursuit = {{ {} }}\nbehaviors.alignment = {{ perception_radius = {radius} }}\n",
        radius / 2,
        nearest("mice", 3 * radius / 2)
    )
}

/// Few and many obstacles, standing and moving, that hide agents from each other.
#[test]
fn who_is_hidden_has_the_bits_of_the_reference() {
    let unseen = [
        ("is_hidden", "sight.acts && distance > COINCIDENT", "false"),
        ("search_range", "is_nearer && is_hidden(sight, walk.position, offset, distance_squared)", "false"),
        ("obstacles_hide", "feeler(forward, distance)", "feeler(forward, 0.5 * distance)"),
    ];
    for spatial in [false, true] {
        let large =
            format!("[[obstacles]]\nshape = \"sphere\"\nradius = {}\ncount = 15\n", if spatial { 6 } else { 15 });
        // The large obstacles come first, because they would find no free place among many others.
        let few_standing =
            large.clone() + &STANDING.replace("count = 500", "count = 10").replace("count = 20", "count = 5");
        let few_going = large.clone() + &GOING.replace("count = 1000", "count = 10").replace("count = 30", "count = 5");
        let many_standing = large.clone() + STANDING + &balls(2000);
        let many_going = large + &balls(500) + GOING;
        let worlds = [
            (few_standing, "wrap", 0, true),
            (few_going, "contain", 5, false),
            (many_standing, "contain", 12, true),
            (many_going, "wrap", 0, false),
        ];
        for (index, (obstacles, boundary, k, flee)) in worlds.iter().enumerate() {
            let scene = scene_of(spatial, boundary, obstacles, &seers(spatial, *k, *flee));
            let model = model(&scene);
            assert!(model.features.occludes && model.features.many_obstacles == (index > 1));
            assert!(model.features.few_queries != *flee);
            assert!(passes(&scene), "{spatial} {index}");
            // Not with many obstacles in space, where the oracle takes minutes.
            if !spatial || index < 2 {
                notices_by_stages(&gpu(), &scene, &State::initial(&scene), 3, &unseen);
            }
        }
    }
}

fn balls(count: u32) -> String {
    format!("{BALLS}count = {count}\n")
}

fn passes(scene: &Scene) -> bool {
    agrees(&gpu(), scene, &State::initial(scene), &Options::default(), Plan { steps: 2, free_steps: 6 })
}

#[test]
fn ten_thousand_have_the_bits_of_the_reference() {
    for spatial in [false, true] {
        for boundary in ["wrap", "contain", "open"] {
            let scene = scene(spatial, boundary, &(STANDING.to_owned() + &balls(9000)), 150);
            assert_eq!(model(&scene).obstacles.len(), 10_022);
            assert!(passes(&scene), "{spatial} {boundary}");
        }
    }
}

#[test]
fn those_that_move_have_the_bits_of_the_reference() {
    for spatial in [false, true] {
        for boundary in ["wrap", "contain"] {
            assert!(passes(&scene(spatial, boundary, &(balls(3000) + GOING), 200)), "{spatial} {boundary}");
        }
    }
}

/// Agents that are faster than any scene says, and look farther than cells reach, ask all obstacles.
#[test]
fn who_looks_farther_than_cells_reach_misses_nothing() {
    let scene = edited(&scene(false, "open", &balls(2000), 300), |draft| draft.species[0].max_speed = 400.0);
    let mut state = State::initial(&scene);
    for (k, velocity) in state.velocities.iter_mut().enumerate() {
        *velocity = velocity.map(|v| v * [1.0, 30.0, 1e4][k % 3]);
    }
    for position in state.positions.iter_mut().skip(200) {
        *position = position.map(|x| x * 1e4);
    }
    assert!(agrees(&gpu(), &scene, &state, &Options::default(), Plan { steps: 3, free_steps: 0 }));
}

/// Each mistake about the cells is seen: cells that are left out, walked in another order or left too early, a list that lacks something,
/// and what goes with obstacles that move.
#[test]
fn a_forgotten_obstacle_is_seen() {
    let standing = [
        ("next_cell", "walk.across, through)", "2.0 * walk.across, through)"),
        ("cell_walk", "left * across", "(left + 1.0) * across"),
        ("next_cell", "vec3f(1.0), vec3f(-1.0)", "vec3f(-1.0), vec3f(1.0)"),
        ("next_cell", "select(cell, vec3f(0.0), cell > last)", "min(cell, last)"),
        ("first_of_many", "begin * share > hit.compared_distance", "begin * share > 0.5 * hit.compared_distance"),
        ("first_of_many", "break if done;", "break if done || next != NO_OBSTACLE;"),
        ("in_grid", "at - cells * floor(at / cells)", "at"),
        ("listed", "vec3u(at)", "min(vec3u(at) + 1u, group.cells - 1u)"),
        ("nearest_wall", "select(list.end, list.reached,", "select(list.reached, list.reached,"),
        ("is_over", "scenery.endless_count == 0u", "true"),
        ("lies_on", "bound.w + radius", "radius"),
    ];
    let going = [
        ("first_of_many", "position - scenery.trajectories[group.trajectory].place.xyz", "position"),
        ("nearest_wall", "moment_after(group.trajectory, time)", "moment_after(group.trajectory, 0.0)"),
        ("first_of_many", "course.forward * course.speed - rate", "course.forward * course.speed"),
        ("obstacle_after", "return moved(obstacle, moment_after(obstacle.trajectory, time));", "return obstacle;"),
    ];
    for (obstacles, mistakes) in [(STANDING.to_owned() + &balls(3000), &standing[..]), (balls(1000) + GOING, &going)] {
        let scene = scene(false, "wrap", &obstacles, 1500);
        notices_by_stages(&gpu(), &scene, &State::initial(&scene), 3, mistakes);
    }
}

#[test]
fn too_many_are_refused_with_numbers() {
    let row = |count: u32| format!("[[obstacles]]\nshape = \"sphere\"\nradius = 0.01\ncount = {count}\n");
    let balls = "[[obstacles]]\nshape = \"sphere\"\nradius = 9\ncount = 50\n".to_owned();
    let planes = "[[obstacles]]\nshape = \"plane\"\nnormal = [1, 0]\ncount = 2\n".to_owned();
    for (obstacles, parts) in [
        (row(16_385), &["must be between 1 and 16384"][..]),
        (row(9000) + &row(8000), &["obstacles.0.count", "17000 obstacles in all; there may be 16384"]),
        (balls, &["obstacles.0.count = 50: only ", " of 50 find a place"]),
        (planes, &["has no such key"]),
    ] {
        let text = format!("schema = 1\nworld.size = [100, 100]\nspecies = [{{ count = 1 }}]\n{obstacles}");
        refused(Scene::parse(&text, "many.toml", &[]), parts);
    }
}

/// Scattered obstacles do not touch each other, also around the seam; all lie where the table says; another seed gives other places.
#[test]
fn many_lie_apart() {
    let text = |seed: u32| {
        format!(
            "schema = 1\nworld.size = [100, 80]\nspecies = [{{ count = 1 }}]\n[[obstacles]]\nshape = \"sphere\"\nradius = 12\n\
             [[obstacles]]\nshape = \"sphere\"\nradius = 1\nsize_spread = 0.5\ncount = 500\nseed = {seed}\n\
             [[obstacles]]\nshape = \"box\"\nsize = [1, 1]\ncenter = [30, 20]\nextent = [20, 10]\ncount = 20\n\
             [[obstacles]]\nshape = \"sphere\"\nradius = 5\ncenter = [-35, 20]\n"
        )
    };
    let placed = |seed: u32| {
        let scene = Scene::parse(&text(seed), "many.toml", &[]).unwrap();
        scene.scenery.placed(&scene.world)
    };
    let all = placed(1);
    assert_eq!(all.len(), 522);
    let radius = |o: &Obstacle| match o.shape {
        ObstacleShape::Sphere { radius } => radius,
        _ => 0.5 * 2f32.sqrt(),
    };
    let size = Vec3::new(100.0, 80.0, 1.0);
    let mut closest = f32::INFINITY;
    for (k, one) in all.iter().enumerate() {
        for other in &all[..k] {
            let away = one.center - other.center;
            let away = away - size * (away / size).round();
            closest = closest.min(away.length() - radius(one) - radius(other));
        }
    }
    assert!((0.0..0.1).contains(&closest), "{closest}");
    let sizes: Vec<f32> = all[1..501].iter().map(radius).collect();
    assert!(
        sizes.iter().all(|r| (0.5..=1.5).contains(r))
            && sizes.iter().any(|r| *r < 0.6)
            && sizes.iter().any(|r| *r > 1.4)
    );
    assert!(all[501..521].iter().all(|o| (o.center.x - 30.0).abs() <= 10.0 && (o.center.y - 20.0).abs() <= 5.0));
    assert!(placed(2)[1].center != all[1].center && placed(1) == all);
}

/// A saved scene has a table with `count` as the file had it, and with more agents there are no more obstacles.
#[test]
fn many_are_saved_as_one_row() {
    let scene = scene(false, "wrap", &balls(500), 100);
    let grown = scene.with_agents(400).unwrap();
    assert_eq!(grown.scenery.obstacles.len(), scene.scenery.obstacles.len());
    assert_eq!(grown.scenery.obstacles[0].count, 500);
    assert_eq!(Scene::parse(&grown.to_toml("saved.toml").unwrap(), "saved.toml", &[]).unwrap().scenery, grown.scenery);
}

/// How many obstacles the lists of a group's cells lack, tried at many places within the world, every other one at the corner of a cell:
/// obstacles as near as the group's lists reach, and the nearest one.
fn forgotten(scene: &Scene, model: &CompiledScene, texels: &[[u32; 4]]) -> usize {
    let group = &model.scenery.groups[0];
    let word = |texel: u32, k: u32| texels[(texel + k / 4) as usize][k as usize % 4];
    let wraps = scene.world.boundary[0] == Boundary::Wrap;
    let axes = scene.world.axes();
    let mut forgotten = 0;
    for k in 0..4000 {
        let share = hash4([k, 1, 2, 3]).map(unit_interval);
        let (mut place, mut cell) = ([0.0f32; 3], [0u32; 3]);
        for axis in 0..axes {
            place[axis] = (share[axis] - 0.5) * scene.world.size[axis];
            let at = (place[axis] - group.origin[axis]) * group.per_unit[axis];
            cell[axis] = (at.floor() as u32).min(group.cells[axis] - 1);
            if k % 2 == 1 {
                place[axis] = group.origin[axis] + cell[axis] as f32 / group.per_unit[axis];
            }
        }
        let index = cell[0] + group.cells[0] * (cell[1] + group.cells[1] * cell[2]);
        let (first, lengths) = (word(group.first_cell, 2 * index), word(group.first_cell, 2 * index + 1));
        let listed = |count: u32| {
            (first..first + count).map(|entry| word(group.first_entry + entry, 3) & 0x3fff).collect::<Vec<_>>()
        };
        let (reached, all) = (listed(lengths & 0xffff), listed(lengths >> 16));
        let ways = model.obstacles.iter().map(|obstacle| {
            let off = |axis: usize| {
                let (off, size) = (place[axis] - obstacle.home[axis], scene.world.size[axis]);
                if wraps { off - size * (off / size).round() } else { off }
            };
            (0..axes).map(|axis| off(axis) * off(axis)).sum::<f32>().sqrt() - obstacle.bound
        });
        let ways: Vec<f32> = ways.collect();
        let nearest = (0..ways.len() as u32).min_by(|a, b| ways[*a as usize].total_cmp(&ways[*b as usize])).unwrap();
        forgotten += usize::from(!all.contains(&nearest));
        forgotten += (0..).zip(&ways).filter(|(index, way)| **way <= group.room && !reached.contains(index)).count();
    }
    forgotten
}

#[test]
fn no_cell_forgets_what_is_near_its_edge() {
    for spatial in [false, true] {
        for boundary in ["wrap", "contain"] {
            let scene = edited(&scene(spatial, boundary, &balls(2000), 1), |draft| draft.scenery.obstacles.truncate(1));
            let model = model(&scene);
            assert_eq!(forgotten(&scene, &model, &model.obstacle_texels), 0, "{spatial} {boundary}");
            // One list in a hundred is made one entry shorter.
            let mut texels = model.obstacle_texels.to_vec();
            let group = &model.scenery.groups[0];
            for texel in &mut texels[group.first_cell as usize..group.first_entry as usize].iter_mut().step_by(50) {
                texel[1] = texel[1].saturating_sub(u32::from(texel[1] & 0xffff > 0) * 0x1_0001);
            }
            assert!(forgotten(&scene, &model, &texels) > 0, "{spatial} {boundary}");
        }
    }
}

/// Cells are made again only if a change of the scene changes them; either way they are those of the changed scene compiled alone.
#[test]
fn a_change_of_something_else_keeps_the_cells() {
    type Edit = fn(&mut Species);
    let scene = scene(false, "wrap", &(balls(900) + GOING), 100);
    let before = model(&scene);
    let edits: [(bool, Edit); 5] = [
        (true, |own| own.set("wander", "weight", 0.25).unwrap()),
        (true, |own| own.mass = 3.0),
        (false, |own| own.radius = 0.9),
        (false, |own| own.max_speed = 3000.0),
        (false, |own| own.set("wall_following", "weight", 0.0).unwrap()),
    ];
    let changed = edits.map(|(kept, edit)| (kept, edited(&scene, |draft| edit(&mut draft.species[0]))));
    let fewer = edited(&scene, |draft| draft.scenery.obstacles[0].count = 899);
    for (kept, changed) in changed.into_iter().chain([(false, fewer)]) {
        let (after, alone) = (before.followed_by(&changed, GridChoice::default()).unwrap(), model(&changed));
        assert_eq!(Arc::ptr_eq(&before.obstacle_texels, &after.obstacle_texels), kept);
        assert_eq!(before.obstacle_texels == alone.obstacle_texels, kept);
        assert!(after.obstacle_texels == alone.obstacle_texels && after.scenery == alone.scenery);
    }
}

/// Such obstacles take no room, so the grid of their places has cells of width zero.
#[test]
fn obstacles_seen_from_inside_alone_lie_anywhere() {
    for size in ["[40, 30]", "[40, 30, 20]"] {
        let text = format!(
            "schema = 1\nworld = {{ size = {size}, boundary = \"open\" }}\n[[species]]\ncount = 1\n\
             [[obstacles]]\nshape = \"sphere\"\nradius = 2\nseen_from = \"inside\"\ncount = 9\n"
        );
        let scene = Scene::parse(&text, "inside.toml", &[]).unwrap();
        assert_eq!(scene.scenery.obstacles.len(), 1);
    }
}
