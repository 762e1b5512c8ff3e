//! Walls of a map: the nearest wall of each cell, distances against brute force, and that nobody is ever in a wall.

use glam::{DVec2, Vec2, Vec3};
use steerling::cpu::common::walls::{LEAST_LEAP, in_wall, map_clearance, map_way};
use steerling::gpu::{Gpu, Options, Simulation};
use steerling::model::random::hash4;
use steerling::model::texels::{COLUMN_BITS, WALL_BIT};
use steerling::model::{Change, CompiledScene, GridChoice, State};
use steerling::scene::{MapSource, MapStroke, Scene, Walls};
use steerling::verify::Plan;
use steerling::wgpu;
use steerling_conform::Draw;
use support::plans::{file_of, random_maps, rows_of, streets, with_plan};
use support::{
    Both, agrees, edited, gpu, gpus, mistaken, model, notices, notices_by_stages, on_cpu, on_gpu, parsed, ran_on_gpu,
    refused,
};

/// Who asks about walls in every way, and hits them.
const CROWD: &str = "[[species]]\ncount = 400\nmax_speed = 30\nmin_speed = 5\nradius = 0.3\nbehaviors.wander = {}\n\
     behaviors.obstacle_avoidance = { weight = 0.2 }\nbehaviors.whiskers = { weight = 0.2 }\nbehaviors.wall_following = {}\n";

/// A scene whose map has these rows of `.` and `@`.
pub fn scene(world: &str, cell: f32, rows: &[String], species: &str) -> Scene {
    let text = format!(
        "schema = 1\nname = \"walls\"\nworld = {{ {world} }}\nmap = {{ source = \"maze\", cell = {cell} }}\n{species}"
    );
    with_plan(&parsed(&text, &[]), &file_of(rows))
}

/// Rows of cells of which so many in 1,000 are walls.
pub fn drawn(columns: u32, rows: u32, walls: u32, seed: u32) -> Vec<String> {
    let mut draw = Draw::new(seed.into());
    let mut letter = || if draw.whole(0, 999) < walls { '@' } else { '.' };
    (0..rows).map(|_| (0..columns).map(|_| letter()).collect()).collect()
}

pub fn walls_of(model: &CompiledScene) -> &Walls {
    model.walls.as_deref().unwrap()
}

/// What the GPU found.
pub fn texels(gpu: &Gpu, simulation: &Simulation) -> Vec<u32> {
    let texture = simulation.wall_texture().unwrap();
    let size = u64::from(texture.width()) * u64::from(texture.height()) * 4;
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
    let buffer =
        gpu.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * texture.width()), rows_per_image: None };
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), to, texture.size());
    gpu.queue.submit([encoder.finish()]);
    buffer.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let range = buffer.get_mapped_range(..).unwrap();
    bytemuck::cast_slice(&range).to_vec()
}

/// Cells whose texel does not name the nearest cell of the other kind, and of equally near ones that in the nearest column, then the one on the
/// left, then the upper one: by comparing with all cells.
fn wrong(walls: &Walls, texels: &[u32]) -> usize {
    let (columns, rows) = (walls.columns as i32, walls.rows as i32);
    let cells = || (-1..=rows).flat_map(|row| (-1..=columns).map(move |column| (column, row)));
    // Twice the way from the middle of a cell to a square, squared.
    let along = |x: i32, y: i32| (2 * (x - y).abs() - 1).max(0).pow(2);
    let expected = |cell: (i32, i32)| {
        let wall = walls.is_solid(cell.0, cell.1);
        let others = cells().filter(|(column, row)| walls.is_solid(*column, *row) != wall);
        let order = |at: &(i32, i32)| (along(cell.0, at.0) + along(cell.1, at.1), (cell.0 - at.0).abs(), at.0, at.1);
        let (column, row) = others.min_by_key(order).unwrap();
        (column + 1) as u32 | ((row + 1) as u32) << COLUMN_BITS | if wall { WALL_BIT } else { 0 }
    };
    cells().zip(texels).filter(|(cell, texel)| expected(*cell) != **texel).count()
}

#[test]
fn each_cell_names_the_nearest_one_of_the_other_kind() {
    let gpus = gpus();
    let maps = [
        drawn(40, 30, 20, 1),
        drawn(31, 47, 300, 2),
        drawn(64, 20, 970, 3),
        drawn(1, 50, 400, 4),
        drawn(70, 1, 100, 5),
        drawn(90, 60, 1, 6),
        drawn(120, 9, 6, 7),
        vec!["@".to_owned()],
        vec!["@@@@@@@".to_owned(); 5],
    ];
    for rows in maps {
        let scene = scene("size = [200, 200]", 0.7, &rows, "[[species]]\ncount = 1\n");
        let model = model(&scene);
        let found = model.nearest_walls.as_ref().unwrap().texels();
        assert_eq!(wrong(walls_of(&model), found), 0);
        for gpu in &gpus {
            let simulation = on_gpu(gpu, &scene, Options::default());
            assert_eq!(&texels(gpu, &simulation)[..found.len()], found, "{}", gpu.info.name);
        }
        // As if a cell more to the right were named.
        let shifted: Vec<u32> = found.iter().map(|texel| texel + 1).collect();
        assert_eq!(wrong(walls_of(&model), &shifted), found.len());
    }
    let none = scene("size = [20, 20]", 1.0, &drawn(9, 9, 0, 1), "[[species]]\ncount = 1\n");
    assert!(model(&none).nearest_walls.is_none() && !model(&none).features.walled);
}

/// Both cities and random maps, one after another in the same simulations: which walls are the nearest, and what steps make of their distances
/// and directions, at places on the map and around it, in walls too.
#[test]
fn gpu_and_reference_find_the_same_walls() {
    let mut maps: Vec<_> = streets().into_iter().map(|(name, streets)| (name, streets.file)).collect();
    maps.extend(random_maps().iter().map(|walls| ("a random map", file_of(&rows_of(walls)))));
    // A world that has all of them, with few cells of the grid.
    let first = scene("size = [560, 560], boundary = \"open\"", 1.0, &drawn(9, 9, 300, 1), CROWD);
    let blind = Options { shaders: mistaken("map_clearance", "k < 9u", "k < 5u"), ..Options::default() };
    let state = State::initial(&first);
    let mut reference = on_cpu(&first);
    let gpus = gpus();
    let mut exact: Vec<_> = gpus.iter().map(|gpu| (gpu, on_gpu(gpu, &first, Options::default()))).collect();
    let mut wrong = on_gpu(&gpus[0], &first, blind);
    let (mut walled, mut noticed) = (0, 0);
    for (number, (name, file)) in (0..).zip(&maps) {
        let scene = with_plan(&first, file);
        let model = model(&scene);
        let walls = walls_of(&model);
        let mut state = state.clone();
        for (place, id) in state.positions.iter_mut().zip(0..) {
            let along = |cells: u32, what: u32| {
                let share = hash4([number, id, what, 0])[0] as f32 / u32::MAX as f32 - 0.5;
                share * (cells as f32 + 3.0)
            };
            *place = [along(walls.columns, 1), along(walls.rows, 2), 0.0];
        }
        reference.change(&scene).unwrap();
        reference.set_state(&state).unwrap();
        reference.step(2);
        let goes_on = |simulation: &mut Simulation| {
            assert_ne!(simulation.change(&scene).unwrap(), Change::Restart);
            simulation.set_state(&state).unwrap();
            simulation.step(2).unwrap();
            simulation.state().unwrap()
        };
        for (gpu, simulation) in &mut exact {
            let what = || format!("{name} {number}, {} by {}, on {}", walls.columns, walls.rows, gpu.title());
            assert!(goes_on(simulation) == reference.state(), "distances and directions: {}", what());
            if let Some(nearest) = &model.nearest_walls {
                let found = texels(gpu, simulation);
                assert!(found[..nearest.texels().len()] == *nearest.texels(), "the nearest: {}", what());
            }
        }
        walled += usize::from(model.nearest_walls.is_some());
        noticed += usize::from(goes_on(&mut wrong) != reference.state());
    }
    eprintln!("{} maps, {walled} of them with walls; the mistake is seen in {noticed}", maps.len());
    assert!(walled > 30 && noticed > 20, "{walled} {noticed}");
}

/// Distance to the nearest square of the other kind than that of the cell that a place is in, in cells, and which one that is.
fn nearest(walls: &Walls, solid: bool, at: DVec2) -> (f64, [i32; 2]) {
    let cells = (-1..=walls.rows as i32).flat_map(|row| (-1..=walls.columns as i32).map(move |column| [column, row]));
    let others = cells.filter(|[column, row]| walls.is_solid(*column, *row) != solid);
    others.map(|cell| (to_square(at, cell), cell)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

/// From a place to the square of a cell, in cells.
fn to_square(at: DVec2, [column, row]: [i32; 2]) -> f64 {
    let middle = DVec2::new(f64::from(column), f64::from(row)) + 0.5;
    ((at - middle).abs() - 0.5).max(DVec2::ZERO).length()
}

/// How much longer than the distance of a square what is found may be at a place: by the way over the middle of the best of the nine cells
/// around it, because what that one names is no farther from there.
fn allowed(at: DVec2, size: DVec2, square: [i32; 2]) -> f64 {
    let cell = at.floor();
    let over = |k: i32| {
        // Beyond the border its cells count.
        let middle = cell + DVec2::new(f64::from(k % 3), f64::from(k / 3)) - 0.5;
        let middle = middle.clamp(DVec2::splat(-0.5), size + 0.5);
        at.distance(middle) + to_square(middle, square)
    };
    (0..9).map(over).fold(f64::INFINITY, f64::min) - to_square(at, square)
}

/// The largest errors of distances of less than a cell, by how much more they are off than is allowed, and of where the surface is, and the
/// largest of all, in cells.
fn errors(model: &CompiledScene, walls: &Walls, seed: u64) -> [f64; 4] {
    let mut worst = [0.0f64; 4];
    let size = DVec2::new(f64::from(walls.columns), f64::from(walls.rows));
    let mut draw = Draw::new(seed);
    for _ in 0..4000 {
        let at = DVec2::new(draw.between(0.0, 1.0), draw.between(0.0, 1.0)) * (size + 2.0) - 1.0;
        let cell = f64::from(walls.cell);
        let place = Vec3::new((cell * (at.x - 0.5 * size.x)) as f32, (-cell * (at.y - 0.5 * size.y)) as f32, 0.0);
        let at = DVec2::new(f64::from(place.x), -f64::from(place.y)) / cell + 0.5 * size;
        let solid = in_wall(model, place);
        let (found, (expected, square)) = (map_clearance(model, place), nearest(walls, solid, at));
        let over = f64::from(found.distance) / cell * if solid { -1.0 } else { 1.0 } - expected;
        if expected < 1.0 {
            worst[0] = worst[0].max(over.abs());
        }
        worst[1] = worst[1].max(over - allowed(at, size, square)).max(-over);
        worst[3] = worst[3].max(over);
        // From there along the normal lies the surface that was found.
        let normal = DVec2::new(f64::from(found.normal.x), -f64::from(found.normal.y));
        let on = at - normal * (f64::from(found.distance) / cell);
        worst[2] = worst[2].max(nearest(walls, solid, on).0).max((normal.length() - 1.0).abs());
    }
    worst
}

/// Exact within a cell of a wall, and beyond never more too far than is provable.
#[test]
fn distances_are_those_of_all_squares() {
    for (seed, walls) in [(1, 5), (2, 30), (3, 120), (4, 400), (5, 900)] {
        let scene = scene("size = [60, 60]", 1.3, &drawn(36, 32, walls, seed as u32), "[[species]]\ncount = 1\n");
        let model = model(&scene);
        let [near, beyond, surface, most] = errors(&model, walls_of(&model), seed);
        println!(
            "{walls} walls in 1,000: off by {near:.1e} cells within a cell, {most:.1e} at most, the surface by {surface:.1e}"
        );
        assert!(near < 2e-5 && beyond < 2e-5 && surface < 2e-5 && most < 0.25);
        // Another map's distances.
        let mut other = Walls::clone(walls_of(&model));
        other.solid.rotate_right(1);
        let [near, beyond, ..] = errors(&model, &other, seed);
        assert!(near > 0.1 && beyond > 0.1);
    }
}

/// From off the map a distance may be too long, but whoever looks ahead from there meets no wall later than a body meets it that is smaller
/// by the least leap: compared with leaps by the nearest of all squares.
#[test]
fn no_wall_is_leaped_over_from_off_the_map() {
    let rows = drawn(36, 32, 30, 2);
    let model = model(&scene("size = [300, 300]", 1.0, &rows, "[[species]]\ncount = 1\n"));
    let walls = walls_of(&model);
    let size = DVec2::new(f64::from(walls.columns), f64::from(walls.rows));
    let (mut met, mut late, mut too_long, radius) = (0, 0, 0.0f64, 0.4f32);
    for ray in 0..400 {
        let share = |what: u32| f64::from(hash4([ray, what, 0, 0])[0]) / f64::from(u32::MAX);
        // From a ring around the map to a place on it.
        let from = DVec2::from_angle(share(0) * std::f64::consts::TAU) * (26.0 + 60.0 * share(1));
        let ahead = ((DVec2::new(share(2), share(3)) - 0.5) * size - from).normalize();
        let place = |way: f64| from + ahead * way;
        let gap = |way: f64| nearest(walls, false, place(way) * DVec2::new(1.0, -1.0) + 0.5 * size).0;
        let in_space = |v: DVec2| v.extend(0.0).as_vec3();
        too_long = too_long.max(f64::from(map_clearance(&model, in_space(from)).distance) / gap(0.0));
        let mut way = 0.0;
        while way < 200.0 && gap(way) > f64::from(radius - LEAST_LEAP) {
            way += (gap(way) - f64::from(radius - LEAST_LEAP)).max(1e-3);
        }
        if way < 200.0 {
            met += 1;
            // Leaps by the whole distance are a mistake.
            let mut leaped = 0.0;
            let blind = |way: f64| f64::from(map_clearance(&model, in_space(place(way))).distance - radius);
            while leaped < 300.0 && blind(leaped) > 0.004 {
                leaped += blind(leaped).max(f64::from(LEAST_LEAP));
            }
            late += usize::from(leaped > way + 0.1);
            let found = map_way(&model, in_space(from), in_space(ahead), 300.0, radius);
            assert!(f64::from(found) < way + 1e-3, "ray {ray}: {found} in place of {way}");
        }
    }
    assert!(met > 200 && late > 0 && (1.1..1.42).contains(&too_long), "{met}, {late}, {too_long}");
}

fn passes(gpu: &Gpu, scene: &Scene) -> bool {
    agrees(gpu, scene, &State::initial(scene), &Options::default(), Plan { steps: 4, free_steps: 16 })
}

#[test]
fn steps_have_the_bits_of_the_reference() {
    let gpu = gpu();
    for (size, boundary) in [("[50, 40]", "contain"), ("[90, 40]", "open"), ("[50, 40, 30]", "wrap")] {
        let world = format!("size = {size}, boundary = \"{boundary}\"");
        let scene = scene(&world, 1.0, &drawn(50, 40, 200, 7), CROWD);
        assert!(passes(&gpu, &scene), "{world}");
    }
    let scene = scene("size = [50, 40]", 1.0, &drawn(50, 40, 200, 7), CROWD);
    let mistakes = [
        ("map_clearance", "k < 9u", "k < 5u"),
        ("map_way", "min(gap, 0.0)", "0.0"),
        // A feeler begins with the gap at which the one before it ended.
        ("map_felt", "gap = begin;", "way = 0.0;"),
        ("along_walls", "share.x <= share.y", "share.x > share.y"),
        ("along_walls", "ahead * OFF_WALL", "ahead * 0.0"),
    ];
    notices_by_stages(&gpu, &scene, &State::initial(&scene), 4, &mistakes);
    let larger = edited(&scene, |draft| draft.world.size = Vec3::new(90.0, 70.0, 0.0));
    let off_the_map = [("free_share", "0.5, 1.0", "1.0, 1.0")];
    notices_by_stages(&gpu, &larger, &State::initial(&larger), 4, &off_the_map);
}

/// Neighbors, the k nearest and queries, none of them through a wall.
#[test]
fn nobody_is_seen_through_a_wall() {
    let gpu = gpu();
    for (size, boundary, k) in [("[50, 40]", "contain", 0), ("[50, 40]", "wrap", 6), ("[50, 40, 30]", "open", 4)] {
        let species = format!(
            "[[species]]\nname = \"mice\"\ncount = 400\nline_of_sight = true\nk_nearest = {k}\n\
             behaviors.cohesion = {{ perception_radius = 9 }}\nbehaviors.separation = {{ perception_radius = 5 }}\n\
             [[species]]\nname = \"cats\"\ncount = 30\nline_of_sight = true\n\
             behaviors.pursuit = {{ target = {{ nearest = \"mice\", perception_radius = 15 }} }}\n"
        );
        let world = format!("size = {size}, boundary = \"{boundary}\"");
        let scene = scene(&world, 1.0, &drawn(50, 40, 150, 9), &species);
        assert!(model(&scene).features.occludes);
        assert!(passes(&gpu, &scene), "{world}");
        notices_by_stages(&gpu, &scene, &State::initial(&scene), 4, &[("is_hidden", "!hidden", "false")]);
    }
    // Whole and half cells, so that lines go through corners.
    let scene = scene(
        "size = [50, 40]",
        1.0,
        &drawn(50, 40, 250, 9),
        "[[species]]\ncount = 400\nline_of_sight = true\nbehaviors.cohesion = { perception_radius = 6 }\n",
    );
    let mut state = State::initial(&scene);
    for position in &mut state.positions {
        *position = [position[0].floor() + 0.5, position[1].floor() + 0.5, 0.0];
    }
    notices_by_stages(&gpu, &scene, &state, 1, &[("walls_hide", "share.x <= share.y", "share.x < share.y")]);
}

/// Agents in walls, and those that are outside of the room that all are in, summed over steps.
fn lost(scene: &Scene, state: &State, room: f32) -> usize {
    let model = model(scene);
    let place = |p: &&[f32; 3]| in_wall(&model, Vec3::from_array(**p)) || p[0].abs() > room || p[1].abs() > room;
    state.positions.iter().filter(place).count()
}

/// Who leaves at one end of a wrapped axis comes in at the other, which may be a wall.
#[test]
fn nobody_comes_around_the_world_into_a_wall() {
    let rows = vec![format!("{}{}", ".".repeat(20), "@".repeat(4)); 24];
    let scene =
        scene("size = [24, 24]", 1.0, &rows, "[[species]]\ncount = 200\nmin_speed = 10\nbehaviors.wander = {}\n");
    let holds = |options: Options| lost(&scene, &ran_on_gpu(&gpu(), &scene, options, 200).state().unwrap(), 100.0) == 0;
    notices(holds, &[("after_step", "in_wall(new_position) && !in_wall(before)", "false")]);
}

#[test]
fn nobody_starts_in_a_wall() {
    for (walls, shape, spatial) in
        [(300, "box", false), (700, "ball", false), (998, "box", false), (995, "ball", false), (600, "ball", true)]
    {
        let world = if spatial { "size = [60, 60, 60]" } else { "size = [60, 60]" };
        let species = format!("[[species]]\ncount = 2000\nspawn = {{ shape = \"{shape}\", extent = 0.8 }}\n");
        let scene = scene(world, 1.0, &drawn(60, 60, walls, 3), &species);
        let state = State::initial(&scene);
        assert_eq!(lost(&scene, &state, 24.01), 0, "{walls}");
        assert_eq!(State::initial(&scene), state);
        if shape == "ball" {
            // Nor outside of the ball, though the box around it has open ground there.
            let outside = |p: &Vec3| p.length() > 24.001;
            assert!(walls_of(&model(&scene)).open_places(Vec3::splat(48.0), false).any(|p| outside(&p)), "{walls}");
            assert!(!state.positions.iter().any(|p| outside(&Vec3::from_array(*p))), "{walls}");
        }
        // Without the map some do.
        let anywhere = edited(&scene, |draft| draft.map = None);
        assert!(lost(&scene, &State::initial(&anywhere), 30.0) > 0);
    }
}

/// A state from elsewhere is put beside walls: as many as are told.
#[test]
fn a_state_is_settled_beside_walls() {
    let scene = scene("size = [60, 60]", 1.0, &drawn(60, 60, 300, 3), "[[species]]\ncount = 500\n");
    let anywhere = State::initial(&edited(&scene, |draft| draft.map = None));
    let mut state = anywhere.clone();
    let (inside, moved) = (lost(&scene, &state, 30.0), state.settle(&scene));
    assert!(inside > 50 && moved == inside && lost(&scene, &state, 30.0) == 0, "{inside} {moved}");
    let kept = state.positions.iter().zip(&anywhere.positions).filter(|(a, b)| a == b).count();
    assert_eq!(kept, 500 - moved);
}

#[test]
fn a_map_without_room_to_start_is_an_error() {
    let rows = vec!["@".repeat(40); 40];
    let text =
        "schema = 1\nworld.size = [40, 40]\nmap = { source = \"maze\" }\n[[species]]\ncount = 5\nspawn.extent = 0.5\n";
    let scene = parsed(text, &[]);
    let file = file_of(&rows);
    let full = |extent: f32| {
        scene.with(|draft| {
            draft.map.as_mut().unwrap().source = MapSource::File(file.clone());
            draft.species[0].spawn.extent = extent;
        })
    };
    for extent in [0.5, 1.0] {
        refused(full(extent), &["species.0.spawn.extent", "nothing but walls"]);
    }
}

pub fn stroke(from: [f32; 2], to: [f32; 2], width: f32, open: bool) -> MapStroke {
    MapStroke { from: Vec2::from(from).extend(0.0), to: Vec2::from(to).extend(0.0), width, open }
}

pub fn stroked(scene: &Scene, strokes: &[MapStroke]) -> Scene {
    edited(scene, |draft| draft.map.as_mut().unwrap().strokes = strokes.to_vec())
}

/// The rows of a map, as [`scene`] takes them.
fn letters(scene: &Scene) -> Vec<String> {
    rows_of(&scene.map.as_ref().unwrap().walls(&scene.world, scene.seed))
}

/// One after another, what the plan has below them included; and in a larger world at the same places of the map.
#[test]
fn strokes_change_the_cells_that_they_reach() {
    let rows = [".......", ".......", ".......", ".......", "@@@@@@@"].map(str::to_owned);
    let plain = scene("size = [9, 9]", 1.0, &rows, "[[species]]\ncount = 1\n");
    assert_eq!(letters(&plain), rows);
    let wall = stroke([-2.0, 1.0], [2.0, 1.0], 1.0, false);
    let opening = stroke([0.0, 2.0], [0.0, -9.0], 1.0, true);
    // One point: a cell whose middle it is; and a disk, with those whose middles lie on its edge.
    let (point, disk) = (stroke([3.0, 2.0], [3.0, 2.0], 0.0, false), stroke([-3.0, 0.0], [-3.0, 0.0], 2.0, false));
    let drawn = stroked(&plain, &[wall, opening, point, disk]);
    let expected = ["......@", "@@@.@@.", "@@.....", "@......", "@@@.@@@"];
    assert_eq!(letters(&drawn), expected);
    assert_eq!(letters(&drawn.with_agents(4).unwrap()), expected);
    // What was opened is light ground.
    let slow = |strokes: &[MapStroke]| {
        let slow = edited(&stroked(&plain, strokes), |draft| draft.map.as_mut().unwrap().cost = 9.0);
        walls_of(&model(&slow)).costs.clone()
    };
    assert_eq!(slow(&[opening]), Vec::<u8>::new());
}

/// Is a place within half the width of the line between two ends? All in halves of a cell.
fn reaches([ax, ay, bx, by, width, _]: [i64; 6], x: i64, y: i64) -> bool {
    let ([ox, oy], [wx, wy]) = ([x - ax, y - ay], [bx - ax, by - ay]);
    let (along, length) = (ox * wx + oy * wy, wx * wx + wy * wy);
    match along {
        _ if along <= 0 => 4 * (ox * ox + oy * oy) <= width * width,
        _ if along >= length => 4 * ((x - bx).pow(2) + (y - by).pow(2)) <= width * width,
        _ => 4 * (ox * wy - oy * wx).pow(2) <= width * width * length,
    }
}

/// Each cell by itself, in whole numbers.
#[test]
fn strokes_reach_what_is_near_enough() {
    let (columns, rows) = (23i64, 18i64);
    let plain = scene("size = [40, 40]", 1.0, &drawn(23, 18, 300, 5), "[[species]]\ncount = 0\n");
    let mut draw = Draw::new(7);
    let mut within = |most: u32| i64::from(draw.whole(0, 2 * most)) - i64::from(most);
    let mut differing = 0;
    for _ in 0..100 {
        let strokes: Vec<[i64; 6]> = (0..5)
            .map(|_| [within(27), within(22), within(27), within(22), within(9).abs(), within(1).abs()])
            .collect();
        let half = |twice: i64| twice as f32 / 2.0;
        let made = |wider: i64| {
            let one = |[ax, ay, bx, by, width, open]: &[i64; 6]| {
                stroke([half(*ax), half(*ay)], [half(*bx), half(*by)], half(width + wider), *open == 1)
            };
            letters(&stroked(&plain, &strokes.iter().map(one).collect::<Vec<_>>()))
        };
        let mut expected = letters(&plain);
        for (row, letters) in expected.iter_mut().enumerate() {
            let letter = |(column, was): (usize, char)| {
                let (x, y) = (2 * column as i64 + 1 - columns, rows - 2 * row as i64 - 1);
                let latest = strokes.iter().rfind(|stroke| reaches(**stroke, x, y));
                latest.map_or(was, |stroke| if stroke[5] == 1 { '.' } else { '@' })
            };
            *letters = letters.chars().enumerate().map(letter).collect();
        }
        assert_eq!(made(0), expected, "{strokes:?}");
        differing += usize::from(made(1) != expected);
    }
    assert!(differing > 50, "a wider stroke is the same: {differing}");
}

/// A wall between all and where they go: nobody passes until a door is drawn, and nobody where one is drawn over it. A run goes on through
/// each change, on both backends alike, and who would be in a wall is put beside it.
#[test]
fn walls_are_drawn_and_opened_in_a_run() {
    let mut rows = vec![".".repeat(21); 21];
    rows[10] = "@".repeat(21);
    // Some are led, and stand where no way is; others press on whatever lies between.
    let species = ["{ goal = \"home\" }", "{ point = [0, -8] }"]
        .map(|target| format!("[[species]]\ncount = 30\nmax_speed = 4\nbehaviors.seek = {{ target = {target} }}\n"));
    let species = species.concat();
    let text = format!(
        "schema = 1\ndt = 0.05\nworld = {{ size = [21, 21], boundary = \"contain\" }}\n\
         [map]\nsource = \"maze\"\ncell = 1\n[[map.goals]]\nname = \"home\"\nplace = [0, -8]\nradius = 1\n{species}"
    );
    let closed = with_plan(&parsed(&text, &[]), &file_of(&rows));
    let (door, over) = (stroke([0.0; 2], [0.0; 2], 3.0, true), stroke([-3.0, 0.0], [3.0, 0.0], 1.0, false));
    let opened = stroked(&closed, &[door]);
    let at = |y: f32| {
        let mut state = State::initial(&closed);
        state.positions.iter_mut().enumerate().for_each(|(id, at)| *at = [0.3 * id as f32 - 9.0, y, 0.0]);
        state
    };
    let gpu = gpu();
    let mut both = Both::new(&gpu, &closed);
    let mut after = |scene: Option<&Scene>, anew: Option<State>, steps: u32| {
        assert!(scene.is_none_or(|scene| both.change(scene) != Change::Restart));
        if let Some(state) = anew {
            both.set_state(&state);
        }
        both.step(steps);
        let state = both.state("walls");
        assert!(state.positions.iter().flatten().all(|number| number.is_finite()));
        state
    };
    let below = |state: &State| state.positions.iter().filter(|at| at[1] < -0.5).count();
    assert_eq!(below(&after(None, Some(at(6.0)), 200)), 0, "the plan's wall");
    assert!(below(&after(Some(&opened), None, 300)) > 40, "through the door");
    let shut = stroked(&closed, &[door, over]);
    assert_eq!(below(&after(Some(&shut), Some(at(6.0)), 300)), 0, "the drawn wall");
    // A wall where they are, and one at the end of the world: each is put beside it, within the world.
    for (y, width, most) in [(6.0, 4.0, 3.0), (9.9, 2.0, 2.5)] {
        let upon = stroked(&closed, &[door, over, stroke([-11.0, y], [11.0, y], width, false)]);
        let before = after(Some(&shut), Some(at(y)), 1);
        assert_eq!(lost(&upon, &before, 10.5), 60, "nobody is in it");
        let put = after(Some(&upon), None, 0);
        assert_eq!(lost(&upon, &put, 10.5), 0);
        let far = before.positions.iter().zip(&put.positions).map(|(a, b)| Vec3::from(*a).distance(Vec3::from(*b)));
        assert!(far.fold(0.0, f32::max) <= most);
        assert_eq!(lost(&upon, &after(None, None, 100), 10.5), 0);
    }
    // There has to be open ground at the goal.
    let buried = stroked(&closed, &[stroke([0.0, -8.0], [0.0, -8.0], 9.0, false)]);
    refused(CompiledScene::new(&buried, GridChoice::default()), &["there is no open ground at this goal"]);
}
