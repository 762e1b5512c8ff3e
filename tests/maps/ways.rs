//! Maps and the ways through them: bad files, formulas, goals and crowds, and the GPU against the reference, to the bit.

use glam::Vec3;
use std::sync::Arc;
use steerling::cpu::common::ways::way_at;
use steerling::cpu::{self, Execution};
use steerling::engine::Engine;
use steerling::gpu::{Gpu, GpuError, Options, Simulation};
use steerling::model::random::hash4;
use steerling::model::ways::{Measure, NO_WAY, Ways};
use steerling::model::{BufferId, CompiledScene, GridChoice, MapMemory, Snapshot, State};
use steerling::scene::{MapFile, Scene, Walls};
use steerling::verify::Plan;
use support::plans::{SEED, drawn, random_maps, random_walls, rooms, streets, through_file, walkers, with_plan};
use support::{
    backends, edited, file, goes_on, gpus, model, overrides, parsed, ran_on_cpu, refused, start, verified, with_column,
    without_columns,
};

/// The walls of a text.
fn walls_of(text: &str, shown: &str) -> Arc<Walls> {
    support::plans::walls_of(&MapFile::from_text(text, shown).unwrap_or_else(|e| panic!("{e}")))
}

/// So many words differ between a GPU and the reference.
fn differing(gpu: &Gpu, ways: &Ways, reference: &Ways) -> usize {
    let found = gpu.ways(ways).unwrap();
    assert_eq!(found.len(), reference.computed().len());
    found.iter().zip(reference.computed()).filter(|(a, b)| a != b).count()
}

/// The middle of a map.
fn quarter(walls: &Walls) -> Arc<Walls> {
    const SIDE: i32 = 96;
    let solid = (0..SIDE * SIDE).map(|cell| walls.is_solid(200 + cell % SIDE, 200 + cell / SIDE)).collect();
    Arc::new(Walls { columns: SIDE as u32, rows: SIDE as u32, cell: 1.0, solid, costs: Vec::new() })
}

/// The times to the nearest of some cells, in f64: Godunov's step again and again, until nothing falls any more.
fn times(walls: &Walls, goal: &[u32]) -> Vec<f64> {
    let (columns, rows) = (walls.columns as i32, walls.rows as i32);
    let mut times = vec![f64::INFINITY; walls.solid.len()];
    goal.iter().for_each(|cell| times[*cell as usize] = 0.0);
    loop {
        let mut falls = false;
        for (x, y) in (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))).filter(|(x, y)| !walls.is_solid(*x, *y))
        {
            let at = |x: i32, y: i32| walls.index(x, y).map_or(f64::INFINITY, |index| times[index]);
            let [a, b] = [at(x - 1, y).min(at(x + 1, y)), at(x, y - 1).min(at(x, y + 1))];
            let index = walls.index(x, y).unwrap();
            let cost = f64::from(walls.costs[index]) / 16.0;
            let (first, apart) = (a.min(b), (a - b).abs());
            let both = || first + (apart + (2.0 * cost * cost - apart * apart).sqrt()) / 2.0;
            let time = if apart < cost { both() } else { first + cost };
            if time < times[index] - 1e-9 {
                (times[index], falls) = (time, true);
            }
        }
        if !falls {
            return times;
        }
    }
}

/// Ways through ground of unlike costs take as long as in f64, but for rounding down in each cell. Where all ground costs alike they
/// would be others.
#[test]
fn ways_through_slow_ground_are_the_soonest() {
    for number in [1, 3, 5, 7] {
        let (columns, rows) = (48, 36);
        let mut walls = Walls::clone(&random_walls(number, columns, rows, 15));
        // Patches, so that ways go around some of them.
        for cell in 0..columns * rows {
            let patch = cell % columns / 6 + 100 * (cell / columns / 6);
            walls.costs[cell as usize] = [16, 40, 240][hash4([SEED, number, patch, 7])[0] as usize % 3];
        }
        let goal = vec![drawn(number, 9) % (columns * rows)];
        walls.solid[goal[0] as usize] = false;
        let expected = times(&walls, &goal);
        let light = Arc::new(Walls { costs: Vec::new(), ..walls.clone() });
        let [costly, alike] = [Arc::new(walls), light].map(|walls| Ways::new(walls, Measure::Time, vec![goal.clone()]));
        let worst = |ways: &Ways| {
            let found = ways.computed().iter().skip(1).step_by(2);
            let off = found.zip(&expected).filter(|(_, expected)| expected.is_finite());
            off.map(|(word, expected)| (f64::from(*word) / 1024.0 - expected).abs()).fold(0.0, f64::max)
        };
        let [costly, alike] = [worst(&costly), worst(&alike)];
        eprintln!("map {number}: off by {costly} of a cell at most, by {alike} where ground costs alike");
        assert!(costly < 0.2 && alike > 10.0, "map {number}: {costly} {alike}");
    }
}

#[test]
fn gpu_and_reference_find_the_same_ways() {
    let gpus = gpus();
    let mut maps: Vec<Arc<Walls>> = streets().into_iter().map(|(_, streets)| quarter(&streets.walls)).collect();
    maps.extend(random_maps());
    let (mut islands, mut changed) = (0, 0);
    for (number, walls) in (0..).zip(maps) {
        let measure = [Measure::Time, Measure::Grid][drawn(number, 8) as usize % 2];
        let mut open = Walls::clone(&walls);
        let cells = open.columns * open.rows;
        let goals: Vec<Vec<u32>> =
            (0..3).map(|k| (0..=k).map(|j| drawn(number, 10 + 3 * k + j) % cells).collect()).collect();
        goals.iter().flatten().for_each(|cell| open.solid[*cell as usize] = false);
        let open = Arc::new(open);
        let ways = Ways::new(Arc::clone(&open), measure, goals.clone());
        for gpu in &gpus {
            assert_eq!(differing(gpu, &ways, &ways), 0, "map {number}, {measure:?} on {}", gpu.title());
        }
        let lost = |cell: usize| !open.solid[cell] && ways.computed()[2 * cell + 1] == NO_WAY;
        islands += usize::from((0..cells as usize).any(lost));
        // One wall more.
        let mut other = Walls::clone(&open);
        let wall = drawn(number, 3) % cells;
        if goals.iter().flatten().all(|cell| *cell != wall) && !other.solid[wall as usize] {
            other.solid[wall as usize] = true;
            let other = Ways::new(Arc::new(other), measure, goals);
            changed += usize::from(ways.computed() != other.computed());
        }
    }
    eprintln!("seed {SEED}: {islands} maps with islands, {changed} that another wall changes");
    assert!(islands > 10 && changed > 20, "{islands} {changed}");
}

#[test]
fn maps_that_are_wrong_say_where() {
    let good = "type octile\nheight 2\nwidth 3\nmap\n.@T\nGSW\n";
    let walls = walls_of(good, "good.map");
    assert_eq!(walls.solid, [false, true, true, false, false, true]);
    assert!(walls.costs.is_empty());
    assert_eq!(walls_of(&good.replace('\n', "\r\n"), "good.map").solid, walls.solid);
    assert_eq!(walls_of(&format!("\u{feff}{good}"), "good.map").solid, walls.solid);
    for (from, to, said) in [
        ("type octile", "octile", "bad.map:1:1: map.source: expected `type octile`"),
        ("type octile", "type tile", "bad.map:1:1: map.source: expected `type octile`"),
        ("map\n", "maple\n", "bad.map:4:1: map.source: expected `map`"),
        ("height 2", "hight 2", "bad.map:2:1: map.source: expected `height` or `width` and a number"),
        ("width 3", "height 3", "bad.map:3:1: map.source: expected `width` or `height` and a number, each once"),
        ("width 3", "width 5000", "bad.map:3:1: map.source: width must be a whole number from 1 to 4096"),
        ("width 3", "width -3", "width must be a whole number from 1 to 4096"),
        ("height 2", "height 0", "bad.map:2:1: map.source: height must be a whole number from 1 to 4096"),
        ("map\n", "", "bad.map:4:1: map.source: expected `map`"),
        (".@T", ".@x", "bad.map:5:3: map.source: 'x' is no terrain: .GS are open ground, @OTW are walls"),
        (".@T", ".ä", "bad.map:5:2: map.source: 'ä' is no terrain"),
        (".@T", ".@", "bad.map:5:3: map.source: row 1 ends here; expected 3 letters, as the width says"),
        (".@T", ".@T.", "bad.map:5:4: map.source: row 1 goes on beyond the width of 3"),
        ("GSW\n", "", "bad.map:6:1: map.source: the file ends here; expected row 2 of 2"),
        ("GSW\n", "GSW\n\n...\n", "bad.map:8:1: map.source: expected the end of the file after 2 rows"),
    ] {
        let text = good.replacen(from, to, 1);
        refused(MapFile::from_text(&text, "bad.map"), &[said]);
    }
    // Files.
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| file(folder.path(), name, bytes);
    for (path, said) in [
        (folder.path().join("missing.map"), "cannot be read"),
        (file("plan.txt", b""), "must end in .map or .png"),
        (file("latin.map", b"type octile\ncaf\xe9"), "not a text: line 2, byte 4"),
        (file("empty.map", b""), "the file ends here; expected `type octile`"),
        (file("text.png", b"no image"), "not a PNG image"),
    ] {
        refused(MapFile::open(&path), &[said, "map.source"]);
    }
    // Dark pixels are walls, up to the threshold.
    let path = folder.path().join("plan.png");
    image::GrayImage::from_raw(3, 1, vec![0, 127, 128]).unwrap().save(&path).unwrap();
    for (threshold, solid) in [(0.5, [true, true, false]), (0.0, [true, false, false]), (1.0, [true; 3])] {
        let text = format!(
            "schema = 1\nworld.size = [30, 40]\nmap = {{ source = {path:?}, threshold = {threshold} }}\n[[species]]\ncount = 0\n"
        );
        let scene = parsed(&text, &[]);
        let walls = scene.map.as_ref().unwrap().walls(&scene.world, 1);
        assert_eq!((walls.solid.as_slice(), walls.cell), (solid.as_slice(), 10.0));
        assert_eq!(
            (walls.cell_of(Vec3::new(-14.0, 4.0, 0.0)), walls.cell_of(Vec3::new(6.0, -6.0, 0.0))),
            ((0, 0), (2, 1))
        );
    }
    // What is not quite as dark is ground that costs more, and so is swamp.
    let swamp = file("swamp.map", b"type octile\nheight 1\nwidth 4\nmap\n@SG.");
    let shades = folder.path().join("shades.png");
    image::GrayImage::from_raw(4, 1, vec![90, 128, 192, 255]).unwrap().save(&shades).unwrap();
    for (path, cost, costs) in
        [(&swamp, 4.0, vec![64, 16, 16]), (&shades, 4.0, vec![64, 40, 16]), (&shades, 1.0, vec![])]
    {
        let map = format!("map = {{ source = {path:?}, cost = {cost} }}");
        let text = format!("schema = 1\nworld.size = [40, 40]\n{map}\n[[species]]\ncount = 0\n");
        let scene = parsed(&text, &[]);
        let walls = scene.map.as_ref().unwrap().walls(&scene.world, 1);
        assert_eq!(
            (&walls.solid[..], walls.costs.get(1..).unwrap_or(&[])),
            (&[true, false, false, false][..], &costs[..])
        );
    }
}

/// In a maze every corridor leads everywhere; in a city most of the ground is streets that do.
#[test]
fn formulas_draw_plans_whose_ground_is_joined() {
    for (source, least) in [("maze", 0.3), ("city", 0.2), ("open", 1.0)] {
        for (size, resolution) in
            [("[192, 112]", 96), ("[10, 400]", 300), ("[50, 50]", 16), ("[900, 1]", 64), ("[10, 1000]", 1024)]
        {
            for seed in [1, 2] {
                let text = format!(
                    "schema = 1\nseed = {seed}\nworld.size = {size}\nmap = {{ source = \"{source}\", resolution = {resolution} }}\n\
                     [[species]]\ncount = 0\n"
                );
                let scene = parsed(&text, &[]);
                let walls = scene.map.as_ref().unwrap().walls(&scene.world, seed);
                let first = walls.solid.iter().position(|solid| !solid).unwrap() as u32;
                let ways = Ways::new(Arc::clone(&walls), Measure::Time, vec![vec![first]]);
                let open = walls.solid.iter().filter(|solid| !**solid).count();
                let reached = ways.computed().iter().skip(1).step_by(2).filter(|word| **word != NO_WAY).count();
                assert_eq!(open, reached, "{source} {size} {seed}");
                assert!(open as f64 >= least * walls.solid.len() as f64, "{source} {size}: {open} open");
            }
        }
    }
}

/// A hall is closed but for a door in the middle of each wall, as wide as its key says, to the next cell, whatever its cells measure.
#[test]
fn a_hall_has_doors_as_wide_as_told() {
    for (door, cell) in [0.0, 0.5, 0.8, 1.6, 3.0].into_iter().flat_map(|door| [(door, "0.2"), (door, "0.1")]) {
        let changes = [format!("map.door={door}"), format!("map.cell={cell}")];
        let scene = Scene::open("evacuation", &overrides(&changes.each_ref().map(|change| &**change))).unwrap();
        let walls = scene.map.as_ref().unwrap().walls(&scene.world, scene.seed);
        let [columns, rows] = [walls.columns as usize, walls.rows as usize];
        let solid = |column: usize, row: usize| walls.solid[row * columns + column];
        let walled: Vec<_> = (0..columns * rows).filter(|cell| walls.solid[*cell]).collect();
        let across = || walled.iter().map(|cell| cell % columns);
        let (left, right) = (across().min().unwrap(), across().max().unwrap());
        let (top, bottom) = (walled[0] / columns, walled[walled.len() - 1] / columns);
        let open = [
            (top..=bottom).filter(|row| !solid(left, *row)).collect::<Vec<_>>(),
            (top..=bottom).filter(|row| !solid(right, *row)).collect(),
            (left..=right).filter(|column| !solid(*column, top)).collect(),
            (left..=right).filter(|column| !solid(*column, bottom)).collect(),
        ];
        let cell = walls.cell;
        for (cells, length) in open.iter().zip([rows, rows, columns, columns]) {
            let width = cells.len() as f32 * cell;
            assert!((width - door).abs() <= 0.5 * cell + 1e-4, "{door} u: {width} u open");
            let middle = 0.5 + cells.iter().sum::<usize>() as f64 / cells.len().max(1) as f64;
            assert!(
                cells.is_empty() || (middle - length as f64 / 2.0).abs() <= 0.5,
                "{door} u: at {middle} of {length}"
            );
        }
    }
}

/// A stand is closed but for gates as wide as its key says, to the next cell, and no way leads onto the pitch.
#[test]
fn a_stadium_has_gates_as_wide_as_told() {
    for gate in [0.0, 1.0, 2.0, 4.0] {
        let scene = Scene::open("stadium", &overrides(&[&format!("map.door={gate}")])).unwrap();
        let walls = scene.map.as_ref().unwrap().walls(&scene.world, scene.seed);
        let (columns, cell) = (walls.columns as usize, walls.cell);
        let at = |x: f32, y: f32| {
            let [column, row] = [0.5 * columns as f32 + x / cell, 0.5 * walls.rows as f32 - y / cell];
            row as usize * columns + column as usize
        };
        // Along the wall, from the middle of one block of seats to that of the next.
        for x in [-10.0, 0.0, 10.0] {
            let open = (at(x - 5.0, 22.2)..at(x + 5.0, 22.2)).filter(|cell| !walls.solid[*cell]).count();
            assert!((open as f32 * cell - gate).abs() <= 1.01 * cell, "{gate} u at {x}: {open} cells");
        }
        let ways = Ways::new(Arc::clone(&walls), Measure::Time, vec![vec![at(0.0, 25.0) as u32]]);
        let reached = |x: f32, y: f32| ways.computed()[2 * at(x, y) + 1] != NO_WAY;
        let seats = [(5.0, 12.0), (-15.0, 12.0), (5.0, -14.2), (31.0, 5.0), (-31.0, -5.0), (0.0, 10.0)];
        assert!(seats.iter().all(|(x, y)| reached(*x, *y) == (gate > 0.0)), "{gate} u");
        assert!(!reached(0.0, 0.0) && reached(-45.0, -25.0), "{gate} u");
    }
}

/// A goal covers as large a part of its map as before when there are more agents.
#[test]
fn goals_grow_with_their_world() {
    let maze = Scene::open("maze", &[]).unwrap();
    let cells = |agents| {
        let scene = maze.with_agents(agents).unwrap();
        model(&scene).ways.unwrap().goals.clone()
    };
    assert_eq!(cells(50_000), cells(maze.agent_count()));
}

/// More ways than any texture holds are an error before anything is computed, in `check` as in `new`.
#[test]
fn more_goals_than_a_texture_holds_are_refused() {
    let text = "schema = 1\nworld.size = [4096, 4096]\n[map]\nsource = \"city\"\nresolution = 4096\n\
         [[species]]\ncount = 1\nbehaviors.arrive = { target = { goal = \"goal 0\" } }\n";
    let goals: String = (0..64).map(|k| format!("[[map.goals]]\nname = \"goal {k}\"\nradius = 60\n")).collect();
    let scene = parsed(&text.replace("[[species]]", &(goals + "[[species]]")), &[]);
    for gpu in gpus() {
        let options = Options::default();
        let refused = |error: GpuError| match error {
            GpuError::TooManyGoals { goals: 64, columns: 4096, rows: 4096, fits, .. } => {
                assert_eq!(fits, gpu.device.limits().max_texture_dimension_2d / 2048);
                fits as usize
            }
            error => panic!("{error}"),
        };
        let fits = refused(Simulation::check(&gpu, &scene, &options).unwrap_err());
        let state = State::initial(&scene);
        assert_eq!(refused(Simulation::new(&gpu, &scene, &state, options.clone()).unwrap_err()), fits);
        // As many as fit may be more than the memory that is free, but no texture refuses them.
        let fewer = edited(&scene, |draft| draft.map.as_mut().unwrap().goals.truncate(fits));
        let checked = Simulation::check(&gpu, &fewer, &options);
        assert!(matches!(checked, Ok(()) | Err(GpuError::MapTooLarge { .. })), "{checked:?}");
    }
}

/// What a map takes is said before it is computed, and is what it then takes.
#[test]
fn memory_is_said_beforehand() {
    let check = |scene: &Scene, goals: u32| {
        // Where ways heed crowds there are the next ones, too, and on the host those over empty ground.
        let crowded = edited(scene, |draft| draft.map.as_mut().unwrap().crowding = 1.0);
        let [plain, heeding] = [scene, &crowded]
            .map(|scene| [false, true].map(|software| MapMemory::of(scene, software).unwrap().unwrap().ways_bytes));
        assert_eq!(heeding, [2 * plain[0], 5 * plain[0]]);
        let memory = MapMemory::of(scene, false).unwrap().unwrap();
        let twice = MapMemory::of(scene, true).unwrap().unwrap();
        assert_eq!((twice.walls_bytes, twice.ways_bytes), (memory.walls_bytes, 2 * memory.ways_bytes), "on the CPU");
        let model = model(scene);
        let walls = model.nearest_walls.as_ref().map_or(0, |nearest| 4 * nearest.texels().len() as u64);
        let ways = model.ways.as_ref().map_or(0, |ways| 4 * ways.computed().len() as u64);
        assert_eq!((memory.walls_bytes, memory.ways_bytes, memory.goals), (walls, ways, goals));
        memory.to_string()
    };
    let text = |source: &str, target: &str| {
        format!(
            "schema = 1\nworld.size = [40, 20]\n[map]\nsource = \"{source}\"\nresolution = 256\n\
             [[map.goals]]\nname = \"here\"\nradius = 5\n[[map.goals]]\nname = \"there\"\nplace = [5, 5]\nradius = 5\n\
             [[species]]\ncount = 1\nbehaviors.seek = {{ target = {target} }}\n"
        )
    };
    let scene = |source, target| parsed(&text(source, target), &[]);
    let to_goal = "{ goal = \"here\" }";
    assert_eq!(check(&scene("maze", to_goal), 2), "256 x 128 cells, 0.1 MiB of walls and 0.5 MiB of ways to 2 goals");
    assert_eq!(check(&scene("maze", "\"mouse\""), 0), "256 x 128 cells, 0.1 MiB of walls");
    assert_eq!(check(&scene("open", to_goal), 2), "256 x 128 cells, 0.0 MiB of walls and 0.5 MiB of ways to 2 goals");
    assert_eq!(MapMemory::of(&Scene::open("flock", &[]).unwrap(), false).unwrap(), None);
}

/// Two cells that touch at a corner between two walls are apart: who is in a closed one has no way, near the corner either. By grid a way is
/// as long as its moves.
#[test]
fn no_way_leads_through_a_corner() {
    let ways_of = |first_row: &str, measure: Measure| {
        let walls = walls_of(&format!("type octile\nheight 3\nwidth 3\nmap\n{first_row}\n@..\n...\n"), "corner.map");
        Ways::new(walls, measure, vec![vec![8]])
    };
    let near_corner = Vec3::new(-0.6, 0.6, 0.0);
    assert_eq!(way_at(&ways_of(".@.", Measure::Time), 0, near_corner).share, 0.0);
    assert!(way_at(&ways_of("...", Measure::Time), 0, near_corner).share > 0.0, "an opened cell has a way");
    // Along the first row and down, because of the wall; from its middle down and aside.
    let by_grid = ways_of("...", Measure::Grid);
    for (x, moves) in [(-1.0, 2.0 + 2f32.sqrt()), (0.0, 1.0 + 2f32.sqrt())] {
        let way = way_at(&by_grid, 0, Vec3::new(x, 1.0, 0.0));
        assert!((way.cells / way.share - moves).abs() < 1e-5, "{way:?}");
    }
}

/// Who has no way to the goal stays, and who has one comes there.
#[test]
fn who_has_a_way_arrives_and_who_has_none_stands() {
    let plan = "type octile\nheight 5\nwidth 9\nmap\n.....@...\n.@@@.@...\n.@...@...\n.@.@@@@@@\n.@.....@.\n";
    let text = "schema = 1\nworld = { size = [90, 50], boundary = \"open\" }\n\
         map = { source = \"maze\", cell = 10, goals = [{ name = \"home\" }] }\n[[species]]\ncount = 3\nmax_speed = 8\n\
         behaviors.arrive = { target = { goal = \"home\" } }\nspawn = { extent = 0, speed = 0 }\n";
    let planned = with_plan(&parsed(text, &[]), &MapFile::from_text(plan, "plan.map").unwrap());
    let with =
        |x: f32, y: f32| edited(&planned, |draft| draft.map.as_mut().unwrap().goals[0].place = Vec3::new(x, y, 0.0));
    let scene = with(20.0, -20.0);
    let mut state = State::initial(&scene);
    // At the other end of the way, on an island beside it, and beyond the map.
    state.positions = vec![[-40.0, -20.0, 0.0], [35.0, 15.0, 0.0], [300.0, 0.0, 0.0]];
    let places = |state: &State| {
        let mut reference = cpu::Simulation::new(&scene, state, Execution::Parallel).unwrap();
        reference.step(2400);
        reference.state().positions
    };
    let after = places(&state);
    let observed = |state: &State| {
        let asked = edited(&scene, |draft| draft.observe = "way".into());
        cpu::Simulation::new(&asked, state, Execution::Parallel).unwrap().observe().requested
    };
    // One is 18 cells away: up, along, down, back, down and along; the others have no way.
    assert_eq!(observed(&state)[1], Some(2.0));
    assert_eq!(observed(&state)[0], Some(180.0));
    assert!(Vec3::from(after[0]).distance(Vec3::new(20.0, -20.0, 0.0)) < 0.5, "{after:?}");
    assert_eq!(after[1..], state.positions[1..]);
    state.positions[1] = [-40.0, 20.0, 0.0];
    assert!(places(&state)[1] != state.positions[1], "nobody ever moves");
    // A goal in a wall is refused, with a place beside it.
    let in_a_wall = CompiledScene::new(&with(-29.0, -9.0), GridChoice::default());
    refused(in_a_wall, &["map.goals.0.place", "the nearest open cell is at [-"]);
}

/// A goal without open ground is refused where it is said: at its line, or in the override.
#[test]
fn a_goal_in_a_wall_is_refused_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "plan.map", "type octile\nheight 3\nwidth 3\nmap\n@..\n...\n...\n");
    let text = "schema = 1\nworld.size = [3, 3]\n[map]\nsource = \"plan.map\"\n[[map.goals]]\nname = \"home\"\nplace = PLACE\n\
                [[species]]\ncount = 1\nbehaviors.seek = { target = { goal = \"home\" } }\n";
    let origin = folder.path().join("town.toml").display().to_string();
    let compiled = |place: &str, changes: &[&str]| {
        let scene = Scene::parse(&text.replace("PLACE", place), &origin, &overrides(changes)).unwrap();
        CompiledScene::new(&scene, GridChoice::default())
    };
    let place = ":7:9: map.goals.0.place = [-1, 1]: there is no open ground at this goal, only walls";
    refused(compiled("[-1, 1]", &[]), &[place]);
    let outside = ["--set map.goals.0.place", "[-10, 5]: this goal lies outside of the map"];
    refused(compiled("[1, 1]", &["map.goals.0.place=[-10,5]"]), &outside);
    compiled("[1, 1]", &[]).unwrap();
}

/// Crowds that go both ways: on all backends, in steps of any number, through a checkpoint and past changes between two times at which
/// crowds are counted. Counts that are a cell off, or forgotten, and another interval lead elsewhere.
#[test]
fn gpu_and_reference_heed_the_same_crowds() {
    const STEPS: u32 = 90;
    // Three steps into an interval.
    const MIDDLE: u32 = 45;
    let folder = tempfile::tempdir().unwrap();
    let wanders = "behaviors.wander = { weight = 0.3 }";
    let there = walkers("there", 60, "left", "right", wanders);
    let species = there + &walkers("back", 60, "right", "left", wanders);
    let with = |every: u32| {
        rooms(folder.path(), &format!("crowding = 1\ncrowding_radius = 1.4\ncrowding_every = {every}"), &species)
    };
    let scene = with(7);
    let counts = |snapshot: &Snapshot| snapshot.column(BufferId::CrowdCounts).unwrap().to_vec();
    let digest = |run: &Engine| run.observe().unwrap().digest_hex();

    let whole = ran_on_cpu(&scene, STEPS);
    let (expected, last) = (whole.observe().digest_hex(), counts(&whole.snapshot()));
    assert_eq!(last.iter().sum::<u32>(), 120);
    assert_ne!(ran_on_cpu(&with(8), STEPS).observe().digest_hex(), expected, "another interval");

    // What is counted: all, each in its cell, at the beginning of the interval.
    let middle = ran_on_cpu(&scene, MIDDLE).snapshot();
    let walls = scene.map.as_ref().unwrap().walls(&scene.world, scene.seed);
    let mut counted = vec![0; walls.solid.len()];
    for place in ran_on_cpu(&scene, MIDDLE / 7 * 7).state().positions {
        let (column, row) = walls.cell_of(Vec3::from(place));
        counted[walls.index(column, row).unwrap()] += 1;
    }
    assert_eq!(counts(&middle), counted);

    // On the edges of cells, beside 0, where a device may flush, and off the map.
    let edges = [-12.0, -7.0, -0.0, 1e-40, -1e-40, 1.0, -1.0, 0.999_999_94, 7.0, 12.0, 1e30];
    let mut on_edges = State::initial(&scene);
    for (index, place) in on_edges.positions.iter_mut().enumerate() {
        *place = [edges[index % edges.len()], edges[index / edges.len()], 0.0];
    }
    let middle = through_file(folder.path(), &scene, &middle);
    let shifted = with_column(&middle, BufferId::CrowdCounts, |words| words.rotate_right(1));
    let forgotten = without_columns(&middle, &[BufferId::CrowdCounts]);
    // Faster walkers, and dearer crowds, in the middle.
    let faster = edited(&scene, |draft| draft.species[0].max_speed = 3.0);
    let dearer = edited(&faster, |draft| draft.map.as_mut().unwrap().crowding = 3.0);

    let mut ends = Vec::new();
    for backend in backends() {
        let what = backend.title();
        let mut run = start(&backend, &scene);
        run.step(STEPS).unwrap();
        assert_eq!((digest(&run), counts(&run.snapshot().unwrap())), (expected.clone(), last.clone()), "{what}");
        // Again from the start, in parts that end anywhere.
        run.restart(&scene).unwrap();
        for _ in 0..STEPS / 15 {
            run.step(13).unwrap();
            run.step(2).unwrap();
        }
        assert_eq!(digest(&run), expected, "in parts on {what}");
        run.restart(&scene).unwrap();
        assert_eq!(run.states(STEPS / 5, 5).unwrap().pop().unwrap(), whole.state(), "{what}");
        for (snapshot, same) in [(&middle, true), (&shifted, false), (&forgotten, false), (&middle, true)] {
            assert_eq!(goes_on(&mut run, snapshot, STEPS - MIDDLE) == expected, same, "resumed on {what}");
        }

        let mut edged = backend.start(&scene, &on_edges).unwrap();
        edged.step(1).unwrap();
        let mut lively = start(&backend, &scene);
        lively.step(MIDDLE).unwrap();
        for scene in [&faster, &dearer] {
            lively.change(scene).unwrap();
            lively.step(2).unwrap();
        }
        ends.push((counts(&edged.snapshot().unwrap()), digest(&lively)));
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "counts on edges, and past changes");
    // Nine of the first and seven of the second coordinates are on the map.
    assert_eq!(ends[0].0.iter().sum::<u32>(), 63);
    let plan = Plan { steps: 9, free_steps: 30 };
    verified(&gpus(), &scene, &State::initial(&scene), &Options::default(), plan, "crowds");
}
