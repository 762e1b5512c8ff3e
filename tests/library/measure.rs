//! What is counted of a step, and what is said of it. Every advice is tried by doing what it says, and judged by counts: how long
//! anything takes is for benchmarks.

use steerling::gpu::{Options, traffic};
use steerling::measure::{About, Advice, Facts, Instructions, LANES, Load, SearchLoop, Work, gpus, published};
use steerling::model::{PassId, Snapshot};
use steerling::scene::Scene;
use support::{edited, model, parsed, preset, ran_on_cpu};

fn benchmark(name: &str, agents: u32, overrides: &[&str]) -> Scene {
    let path = format!("{}/../assets/benchmarks/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    preset(&path, agents, overrides)
}

fn after(scene: &Scene, steps: u32) -> Snapshot {
    ran_on_cpu(scene, steps).snapshot()
}

fn fresh(scene: &Scene) -> Snapshot {
    after(scene, 0)
}

fn near(found: f64, wanted: f64, tolerance: f64) -> bool {
    (found / wanted - 1.0).abs() <= tolerance
}

/// A script that knows nothing of this program counted the same states: tests, hits, and for 8, 32 and 64 lanes the steps row by
/// row and with lists. It has cells as wide as the radius in the box around the agents, so it is not the same to the digit.
#[test]
fn loads_are_those_that_were_counted_elsewhere() {
    let known = [
        ("cloud", 1954, 150.6, 52.3, [(207.2, 180.0), (258.3, 206.0), (299.4, 230.5)]),
        ("flocking_plane", 6401, 77.6, 40.1, [(90.8, 84.1), (96.6, 88.9), (101.5, 93.2)]),
    ];
    for (name, agents, tests, hits, lanes) in known {
        let scene = benchmark(name, agents, &[]);
        let load = Load::count(&scene, &after(&scene, 200)).unwrap();
        eprintln!("{name}: {load:?}");
        assert_eq!(load.lookers, agents);
        assert!(near(load.tests.mean, tests, 0.1) && near(load.hits.mean, hits, 0.02), "{name}: {load:?}");
        assert!(load.tests.p99 <= load.tests.most && f64::from(load.tests.p99) > load.tests.mean, "{name}");
        for ((load, wanted), (rows, flat)) in load.lanes.iter().zip(LANES).zip(lanes) {
            assert_eq!(load.lanes, wanted);
            assert!(near(load.rows, rows, 0.1) && near(load.flat, flat, 0.1), "{name}: {load:?}");
            assert!(load.walk >= load.flat && load.hits <= load.walk, "{name}: {load:?}");
        }
        // The figures of the other dimension are far off.
        assert!(!near(load.tests.mean, if tests > 100.0 { 77.6 } else { 150.6 }, 0.1));
    }
}

/// Where every lane does the same, no lane waits; where only one looks, all others do.
#[test]
fn lanes_wait_for_the_longest() {
    let scene = benchmark("one_cell", 128, &["species.0.count=128"]);
    let load = Load::count(&scene, &fresh(&scene)).unwrap();
    for lanes in &load.lanes {
        assert_eq!((lanes.walk, lanes.rows, lanes.flat, lanes.hits), (128.0, 128.0, 128.0, 128.0), "{load:?}");
        assert_eq!(lanes.waiting(load.tests.mean), 0.0);
        // Each group loads everybody once.
        assert_eq!(lanes.loads, 128.0 / lanes.lanes as f64);
    }
    // All in one cell, in which each tests everybody.
    assert_eq!((load.tests.mean, load.hits.mean, load.ranges.mean), (128.0, 127.0, 1.0));
    let filled: Vec<_> = load.occupancy.iter().filter(|o| o.from > 0 && o.cells > 0).collect();
    assert_eq!(filled.iter().map(|o| (o.from, o.to, o.cells, o.agents)).collect::<Vec<_>>(), [(128, 255, 1, 128)]);
    let cells: u32 = load.occupancy.iter().map(|o| o.cells).sum();
    assert_eq!(cells, model(&scene).world.cell_count);
    assert!(load.empty_cells() > 0.99);
    assert_eq!(load.unseen, 0);
    let crowded = benchmark("one_cell", 128, &["species.0.count=128", "world.crowd=32"]);
    let load = Load::count(&crowded, &fresh(&crowded)).unwrap();
    let shown: u32 = load.occupancy.iter().map(|o| o.agents).sum();
    assert!((1..64).contains(&shown) && load.unseen == 128 - shown, "{shown} are shown, {} are not", load.unseen);
    assert_eq!(load.tests.mean, f64::from(shown));
}

const ALONE: &str =
    "schema = 1\nname = \"alone\"\nworld.size = [10, 10]\n[[species]]\ncount = 50\nbehaviors.wander = {}\n";

#[test]
fn who_does_not_look_counts_nothing() {
    let every = |k: u32| {
        let scene = benchmark("cloud", 2000, &[&format!("species.0.update_every={k}")]);
        // In its very first step everybody steers.
        Load::count(&scene, &after(&scene, 1)).unwrap().lookers
    };
    assert_eq!(every(1), 2000);
    assert!((400..600).contains(&every(4)), "{}", every(4));
    let scene = parsed(ALONE, &[]);
    let load = Load::count(&scene, &fresh(&scene)).unwrap();
    assert_eq!((load.lookers, load.tests.most, load.lanes[0].walk), (0, 0, 0.0));
    // Who looks for the nearest looks no farther than they are: in space once, in a plane twice.
    let topological = |world: &str, k: u32| {
        let scene = benchmark(world, 500, &[&format!("species.0.k_nearest={k}")]);
        Load::count(&scene, &fresh(&scene)).unwrap()
    };
    let [some, all] = [topological("cloud", 3), topological("cloud", 0)];
    assert!(some.tests.mean < all.tests.mean && (2.9..4.5).contains(&some.hits.mean), "{some:?} {all:?}");
    let plane = topological("flocking_plane", 3);
    assert!((5.8..9.0).contains(&plane.hits.mean), "{plane:?}");
}

fn instructions(scene: &Scene) -> Option<SearchLoop> {
    SearchLoop::count(&model(scene), &Options::default()).unwrap()
}

/// A behavior more is more instructions of a hit, and none of a test; so is a cone. Other passes than the search have no more.
#[test]
fn instructions_follow_what_a_scene_uses() {
    let three = instructions(&benchmark("bw_2d", 1000, &[])).unwrap();
    let two = instructions(&benchmark("bw_2d", 1000, &["species.0.behaviors.cohesion.enabled=false"])).unwrap();
    let narrow = instructions(&benchmark("bw_2d", 1000, &["species.0.behaviors.cohesion.field_of_view=200"])).unwrap();
    assert!((10..60).contains(&three.test) && (20..200).contains(&three.hit), "{three:?}");
    assert!(two.hit < three.hit && two.test == three.test, "{two:?} {three:?}");
    assert!(narrow.hit > three.hit && narrow.test == three.test, "{narrow:?} {three:?}");
    let whole = |fields: &str| {
        let scene = benchmark("bw_2d", 1000, &[fields]);
        let model = model(&scene);
        Instructions::count(&model, &Options::default()).unwrap().passes
    };
    let (wide, narrow) = (
        whole("species.0.behaviors.cohesion.field_of_view=360"),
        whole("species.0.behaviors.cohesion.field_of_view=200"),
    );
    for ((pass, wide), (_, narrow)) in wide.iter().zip(&narrow) {
        assert!(*wide > 5, "{pass} has {wide}");
        assert_eq!(
            narrow > wide,
            [PassId::Steer, PassId::Stride].contains(pass),
            "{pass}: {wide}, with a cone {narrow}"
        );
    }
    assert_eq!(instructions(&parsed(ALONE, &[])), None);
}

/// The advice about something on a scene at its start, with shares of a step that are made up: of the stages `steer` and `scan`, and the time
/// that dispatches and memory take.
fn advice(scene: &Scene, shares: [f64; 4], about: About) -> Option<Advice> {
    advice_on_scaled(scene, 1.0, shares, about)
}

fn advice_on_scaled(
    scene: &Scene,
    scaled: f32,
    [steer, scan, launch_share, memory_share]: [f64; 4],
    about: About,
) -> Option<Advice> {
    let (options, snapshot) = (Options::default(), fresh(scene));
    let facts = Facts {
        scene,
        scaled,
        snapshot: &snapshot,
        options: &options,
        load: &Load::count(scene, &snapshot).unwrap(),
        search: instructions(scene),
        lanes: 32,
        steer: Some(steer),
        scan: Some(scan),
        launch_share,
        memory_share,
    };
    facts.advice().unwrap().into_iter().find(|advice| advice.about == about)
}

/// The number before these words.
fn number(text: &str, words: &str) -> f64 {
    let before = text.split(words).next().filter(|before| before.len() < text.len());
    let before = before.unwrap_or_else(|| panic!("`{words}` is not in `{text}`"));
    before.split_whitespace().last().unwrap().trim_end_matches(['%', ',']).parse().unwrap()
}

fn obeyed(name: &str, agents: u32, advice: &Advice) -> Scene {
    assert!(!advice.set.is_empty(), "{advice:?}");
    benchmark(name, agents, &advice.set.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn advice_on_cones_drops_instructions() {
    let scene = benchmark("cloud", 1000, &[]);
    let cones = advice(&scene, [0.0; 4], About::Cones).unwrap();
    let (now, then) = (instructions(&scene).unwrap(), instructions(&obeyed("cloud", 1000, &cones)).unwrap());
    assert_eq!(number(&cones.text, " of "), f64::from(now.test + now.hit - then.test - then.hit), "{}", cones.text);
    assert!(then.hit < now.hit);
    assert_eq!(advice(&benchmark("bw_2d", 1000, &[]), [0.0; 4], About::Cones), None);
}

#[test]
fn advice_on_a_radius_saves_tests() {
    let far = "species.0.behaviors.cohesion.perception_radius=10";
    let scene = benchmark("flocking_plane", 3000, &[far]);
    let snapshot = fresh(&scene);
    let radius = advice(&scene, [0.0; 4], About::Radius).unwrap();
    let obeyed = obeyed("flocking_plane", 3000, &radius);
    assert_eq!(obeyed.perception_radius(), 5.0);
    let (now, then) = (Load::count(&scene, &snapshot).unwrap(), Load::count(&obeyed, &snapshot).unwrap());
    assert!(then.tests.mean < now.tests.mean / 2.0, "{} {}", then.tests.mean, now.tests.mean);
    assert!(radius.text.contains(&format!("{:.1} candidates instead of {:.1}", then.tests.mean, now.tests.mean)));
    assert_eq!(advice(&benchmark("flocking_plane", 3000, &[]), [0.0; 4], About::Radius), None);
}

/// What is advised is tried on the scene with as many agents: goals have moved with the streets.
#[test]
fn advice_goes_with_a_town_that_has_grown() {
    let scene = preset("city", 100_000, &[]);
    assert!(advice(&scene, [0.8, 0.5, 0.5, 0.5], About::Steering).is_some());
}

#[test]
fn advice_on_steering_lets_a_quarter_look() {
    let scene = benchmark("cloud", 4000, &[]);
    let [often, seldom] = [0.8, 0.3].map(|steer| [steer, 0.0, 0.0, 0.0]);
    let obeyed = obeyed("cloud", 4000, &advice(&scene, often, About::Steering).unwrap());
    // In the very first step everybody steers.
    let looks = Load::count(&obeyed, &after(&obeyed, 1)).unwrap().lookers;
    assert!((850..1150).contains(&looks), "{looks}");
    assert_eq!(advice(&scene, seldom, About::Steering), None);
    assert_eq!(advice(&obeyed, often, About::Steering), None);
}

#[test]
fn advice_on_an_empty_world_leaves_fewer_cells_and_the_same_neighbors() {
    let heap = "species.0.spawn.extent=0.2";
    let scene = benchmark("flocking_plane", 40_000, &[heap]);
    let snapshot = fresh(&scene);
    let empty = advice(&scene, [0.0, 0.31, 0.0, 0.0], About::Empty).unwrap();
    assert!(empty.text.starts_with("scan is 31 % of the step: "), "{}", empty.text);
    let size = obeyed("flocking_plane", 1_000_000, &empty).world.size;
    let smaller = edited(&scene, |draft| draft.world.size = size);
    let cells = |scene: &Scene| model(scene).world.cell_count;
    assert_eq!(number(&empty.text, " cells are"), f64::from(cells(&scene)), "{}", empty.text);
    assert!(empty.text.ends_with(&format!(" {} cells", cells(&smaller))), "{} {}", empty.text, cells(&smaller));
    assert!(cells(&smaller) * 2 <= cells(&scene));
    let hits = |scene: &Scene| Load::count(scene, &snapshot).unwrap().hits;
    assert_eq!(hits(&scene), hits(&smaller));
    // The same with the keys as they are given beside `--agents`, which scales the world.
    let scaled = scene.world.size[0] / benchmark("flocking_plane", 1_000_000, &[]).world.size[0];
    let empty = advice_on_scaled(&scene, scaled, [0.0; 4], About::Empty).unwrap();
    let given = obeyed("flocking_plane", 40_000, &empty).world.size;
    assert!((0..2).all(|axis| near(given[axis].into(), size[axis].into(), 1e-5)), "{given:?} {size:?}");
    assert_eq!(advice(&benchmark("flocking_plane", 40_000, &[]), [0.0; 4], About::Empty), None);
}

#[test]
fn advice_on_waiting_says_what_was_counted() {
    let scene = benchmark("bw_3d", 4000, &[]);
    let load = Load::count(&scene, &fresh(&scene)).unwrap();
    let waiting = advice(&scene, [0.0; 4], About::Waiting).unwrap();
    let lanes = load.of_lanes(32).unwrap();
    assert_eq!(number(&waiting.text, " instead of"), (lanes.walk * 10.0).round() / 10.0);
    assert!(lanes.flat < lanes.walk && lanes.waiting(load.tests.mean) > 0.25, "{lanes:?}");
    assert!(waiting.text.ends_with(&format!("{:.1} if each agent had its own list", lanes.flat)), "{}", waiting.text);
    let heap = benchmark("one_cell", 128, &["species.0.count=128"]);
    assert_eq!(advice(&heap, [0.0; 4], About::Waiting), None);
}

#[test]
fn advice_on_dispatches_and_memory_follows_their_shares() {
    let scene = benchmark("cloud", 1000, &[]);
    let of = |share: [f64; 2], about: About| advice(&scene, [0.0, 0.0, share[0], share[1]], about);
    let launches = of([0.5, 0.4], About::Launches).unwrap();
    // The rest of a step takes as long as the dispatches, and so many times as long with so many agents.
    let agents = number(&launches.text, " agents");
    assert!((1.0 / (1.0 + agents / 1000.0) - 0.1).abs() < 1e-9, "{}", launches.text);
    assert_eq!(number(&of([0.5, 0.4], About::Memory).unwrap().text, " % of its time"), 40.0);
    assert_eq!([About::Launches, About::Memory].map(|about| of([0.1, 0.1], about)), [None, None]);
}

/// The model is a sum of three quotients.
#[test]
fn a_prediction_is_dispatches_and_bytes_and_instructions() {
    let gpu = gpus().iter().find(|gpu| gpu.name == "A100 SXM4").unwrap();
    let instructions = SearchLoop { test: 20, hit: 100 };
    let work = Work { agents: 1e6, tests: 200.0, hits: 30.0, bytes: 175.0, dispatches: 8.0, instructions };
    let found = gpu.predict(&work);
    let close = |found: f64, wanted: f64| assert!(near(found, wanted, 1e-9), "{found} {wanted}");
    close(found.launches_ms, 8.0 * gpu.launch_us / 1e3);
    close(found.memory_ms, 175.0 * 1e6 / 2039e9 * 1e3);
    close(found.search_ms, 1e6 * (200.0 * 20.0 + 30.0 * 100.0) / (6912.0 * 1.41e9) * 1e3);
    close(found.step_ms, found.launches_ms + found.memory_ms + found.search_ms);
    // What no load has, none is predicted of.
    let idle = gpu.predict(&Work { tests: 0.0, hits: 0.0, ..work });
    assert_eq!(idle.search_ms, 0.0);
    for row in published() {
        assert!(gpus().iter().any(|gpu| gpu.name == row.gpu), "{row:?}");
        assert!(row.source.starts_with("https://"), "{row:?}");
    }
    for gpu in gpus() {
        assert!(gpu.source.starts_with("https://") && gpu.lanes_in_step == 32, "{gpu:?}");
    }
}

/// What a GPU moves in a row of steps, counted by hand: words for each agent, and for each cell.
#[test]
fn bytes_of_a_step_are_those_of_its_buffers() {
    for (name, words, cell_words) in [("bw_2d", [2, 11, 12], 9), ("bw_3d", [2, 15, 16], 9)] {
        let scene = benchmark(name, 262_144, &[]);
        let model = model(&scene);
        let (bytes, dispatches) = traffic::on_gpus(&model, &Options::default()).unwrap();
        // scatter: cell; slot. gather: slot, id, position, velocity; position, velocity, id. stride: position, velocity, id,
        // twice; cell, neighbors.
        let agents: u32 = words.iter().sum();
        // Cells, those of agents set aside and those of the absent: the scan reads counts twice, clears them and writes starts; scatter, gather and stride read
        // starts, and stride counts.
        let cells = f64::from(model.world.cell_count) + 2.0 * 262_144.0 / 64.0;
        let wanted = 4.0 * (f64::from(agents) * 262_144.0 + f64::from(cell_words) * cells);
        assert!(near(bytes as f64, wanted, 1e-3), "{name}: {bytes} {wanted}");
        assert_eq!(dispatches, 6, "{name}");
    }
}
