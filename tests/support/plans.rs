//! Plans that tests of maps share: the street maps of two cities, and random ones.

use crate::{edited, parsed};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use steerling::engine::Backend;
use steerling::model::Snapshot;
use steerling::model::random::hash4;
use steerling::output::{Computed, Recipe, read_checkpoint, write_checkpoint};
use steerling::scene::{MapFile, MapSource, Scene, Walls};

pub const SEED: u32 = 5;

pub fn drawn(number: u32, what: u32) -> u32 {
    hash4([SEED, number, what, 0])[0]
}

/// The walls of a file.
pub fn walls_of(file: &MapFile) -> Arc<Walls> {
    let scene = "schema = 1\nworld.size = [512, 512]\nmap = { source = \"maze\", cell = 1 }\n[[species]]\ncount = 0\n";
    let scene = with_plan(&parsed(scene, &[]), file);
    scene.map.as_ref().unwrap().walls(&scene.world, 1)
}

/// The scene with this plan as its map.
pub fn with_plan(scene: &Scene, plan: &MapFile) -> Scene {
    edited(scene, |draft| draft.map.as_mut().unwrap().source = MapSource::File(plan.clone()))
}

/// A species of `count` agents that walk from a goal to another one. `more` are further lines of it.
pub fn walkers(name: &str, count: u32, from: &str, to: &str, more: &str) -> String {
    format!(
        "[[species]]\nname = \"{name}\"\ncount = {count}\nmax_speed = 2\nspawn.goal = \"{from}\"\n\
         behaviors.seek = {{ target = {{ goal = \"{to}\" }} }}\n{more}\n"
    )
}

/// People who enter one after another and leave at a goal, with further tables of the scene, lines of the species and keys of their `seek`.
pub fn visitors(tables: &str, lines: &str, keys: &str) -> Scene {
    let text = format!(
        "schema = 1\nname = \"visitors\"\nseed = 5\ndt = 0.05\nworld = {{ size = [30, 20], boundary = \"contain\" }}\n\
         [map]\nsource = \"maze\"\nresolution = 16\n[[map.goals]]\nname = \"out\"\nplace = [10, 5]\nradius = 6\n{tables}\
         [[species]]\ncount = 150\nmax_speed = 8\nmax_force = 40\nradius = 0.1\nleaves = \"out\"\nenters = 40\n{lines}\n\
         behaviors.wander = {{}}\nbehaviors.seek = {{ target = {{ goal = \"out\" }}{keys} }}\n"
    );
    parsed(&text, &[])
}

/// A scene of two rooms with two doors between them, the lower one a little farther from the goal `left`. Its plan is written into the
/// folder; `keys` are further keys of the map.
pub fn rooms(folder: &Path, keys: &str, species: &str) -> Scene {
    let row = |row: usize| match row {
        0 | 13 => "@".repeat(24),
        2 | 3 | 10 | 11 => format!("@{}@", ".".repeat(22)),
        _ => format!("@{}@{}@", ".".repeat(11), ".".repeat(10)),
    };
    let plan = (0..14).map(row).collect::<Vec<_>>().join("\n");
    let path = folder.join("rooms.map");
    std::fs::write(&path, format!("type octile\nheight 14\nwidth 24\nmap\n{plan}\n")).unwrap();
    let text = format!(
        "schema = 1\ndt = 0.05\nworld = {{ size = [24, 14], boundary = \"open\" }}\n\
         [map]\nsource = {path:?}\ncell = 1\n{keys}\n\
         [[map.goals]]\nname = \"left\"\nplace = [-9, 2]\nradius = 1.2\n\
         [[map.goals]]\nname = \"right\"\nplace = [9, 0]\nradius = 0.8\n\
         [[map.goals]]\nname = \"before\"\nplace = [-1, 4]\nradius = 1.2\n\
         [[lines]]\nname = \"upper\"\nfrom = [0.5, 2.9]\nto = [0.5, 5.1]\n\
         [[lines]]\nname = \"lower\"\nfrom = [0.5, -5.1]\nto = [0.5, -2.9]\n{species}"
    );
    parsed(&text, &[])
}

/// A checkpoint that was written into a folder and read again.
pub fn through_file(folder: &Path, scene: &Scene, snapshot: &Snapshot) -> Snapshot {
    let path = folder.join("middle.checkpoint");
    let recipe = Recipe::new(scene, None, None).unwrap();
    write_checkpoint(&path, true, &recipe, &Computed::on(&Backend::Cpu), snapshot).unwrap();
    read_checkpoint(&path).unwrap().2
}

/// The rows of a plan, `@` for walls and `.` for open ground.
pub fn rows_of(walls: &Walls) -> Vec<String> {
    let letter = |wall: &bool| if *wall { '@' } else { '.' };
    walls.solid.chunks(walls.columns as usize).map(|row| row.iter().map(letter).collect()).collect()
}

/// The file of a plan that has these rows.
pub fn file_of(rows: &[String]) -> MapFile {
    let text = format!("type octile\nheight {}\nwidth {}\nmap\n{}", rows.len(), rows[0].len(), rows.join("\n"));
    MapFile::from_text(&text, "drawn.map").unwrap()
}

/// A street map, and its problems: start, goal, and the length of the best path.
pub struct Streets {
    pub file: MapFile,
    pub walls: Arc<Walls>,
    pub problems: Vec<([u32; 2], [u32; 2], f64)>,
}

/// The street maps of two cities that are published beside their problems, where they lie beside the repository.
pub fn streets() -> Vec<(&'static str, Streets)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/maps");
    let mut found = Vec::new();
    for name in ["Berlin_1_512", "Boston_0_512"] {
        let read = |end: &str| std::fs::read_to_string(format!("{folder}/{name}{end}"));
        let (Ok(map), Ok(problems)) = (read(".map"), read(".map.scen")) else {
            // Written past the capture of the test harness, which would hide it.
            let _ = writeln!(std::io::stderr(), "SKIPPED: there is no map {name} in {folder}");
            continue;
        };
        let problem = |line: &str| {
            let parts: Vec<&str> = line.split_whitespace().collect();
            let number = |index: usize| parts[index].parse().unwrap();
            ([number(4), number(5)], [number(6), number(7)], parts[8].parse().unwrap())
        };
        let problems = problems.lines().skip(1).filter(|line| !line.is_empty()).map(problem).collect();
        let file = MapFile::from_text(&map, name).unwrap_or_else(|e| panic!("{e}"));
        found.push((name, Streets { walls: walls_of(&file), file, problems }));
    }
    found
}

/// A random map of which `share` percent are walls. Every second map has ground with random costs.
pub fn random_walls(number: u32, columns: u32, rows: u32, share: u32) -> Arc<Walls> {
    let solid = (0..columns * rows).map(|cell| hash4([SEED, number, cell, 2])[0] % 100 < share).collect();
    let cost = |cell: u32| (16 + hash4([SEED, number, cell, 2])[1] % 225) as u8;
    let costs = (0..columns * rows).filter(|_| number % 2 == 1).map(cost).collect();
    Arc::new(Walls { columns, rows, cell: 1.0, solid, costs })
}

/// Fifty random maps of eight sizes, among them one row, one column and one cell, from no walls to nearly all; and three of walls alone.
pub fn random_maps() -> Vec<Arc<Walls>> {
    const SIZES: [[u32; 2]; 8] = [[1, 70], [90, 1], [1, 1], [16, 16], [17, 33], [40, 25], [64, 48], [31, 100]];
    let drawn = (0..50).map(|number| {
        let [columns, rows] = SIZES[number as usize % SIZES.len()];
        random_walls(number, columns, rows, [0, 20, 40, 60, 97][number as usize / SIZES.len() % 5])
    });
    drawn.chain(SIZES[..3].iter().map(|[columns, rows]| random_walls(50, *columns, *rows, 100))).collect()
}
