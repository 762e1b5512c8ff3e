//! What is observed of states whose numbers are known: docs/observables.md.

use crate::support::gpu;
use std::f32::consts::TAU;
use steerling::cpu::{self, Execution};
use steerling::engine::Backend;
use steerling::gpu::{Options, Simulation};
use steerling::model::State;
use steerling::scene::{Override, Scene};
use steerling::shaders::Sources;

/// What the scene asks for of this state: the same on both backends.
fn observed(scene: &Scene, state: &State) -> Vec<Option<f64>> {
    let reference = cpu::Simulation::new(scene, state, Execution::Serial).unwrap().observe().asked;
    let device = Simulation::new(&gpu(), scene, state, Options::default()).unwrap().measure().unwrap().asked;
    assert_eq!(device, reference);
    reference
}

/// A world of 40 by 40 u, and what is asked of these places and velocities.
fn observe(asked: &str, boundary: &str, agents: &[([f32; 2], [f32; 2])]) -> Vec<Option<f64>> {
    let text = format!(
        "schema = 1\nobserve = \"{asked}\"\nworld.size = [40, 40]\nworld.boundary = \"{boundary}\"\n[[species]]\ncount = {}\nradius = 0.5\n",
        agents.len()
    );
    let scene = Scene::parse(&text, "test", &[]).unwrap();
    let vector = |[x, y]: [f32; 2]| [x, y, 0.0];
    let state = State {
        positions: agents.iter().map(|(place, _)| vector(*place)).collect(),
        velocities: agents.iter().map(|(_, velocity)| vector(*velocity)).collect(),
        frozen: vec![false; agents.len()],
        poses: Vec::new(),
    };
    observed(&scene, &state)
}

fn one(asked: &str, boundary: &str, agents: &[([f32; 2], [f32; 2])]) -> f64 {
    observe(asked, boundary, agents)[0].unwrap()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-5 * expected.abs().max(1.0), "{found}, not {expected}");
}

/// Agents on a circle around a place that go along it, at this angle to the tangent.
fn circle(middle: [f32; 2], angle: f32) -> Vec<([f32; 2], [f32; 2])> {
    let agent = |k: u16| {
        let turn = TAU * f32::from(k) / 24.0;
        let ahead = turn + TAU / 4.0 + angle;
        let wrap = |x: f32| x - 40.0 * (x / 40.0).round();
        (
            [wrap(middle[0] + 5.0 * turn.cos()), wrap(middle[1] + 5.0 * turn.sin())],
            [2.0 * ahead.cos(), 2.0 * ahead.sin()],
        )
    };
    (0..24).map(agent).collect()
}

#[test]
fn a_mill_is_one_wherever_its_middle_is() {
    close(one("milling", "wrap", &circle([0.0, 0.0], 0.0)), 1.0);
    close(one("milling", "wrap", &circle([19.0, -19.0], 0.0)), 1.0);
    close(one("milling", "wrap", &circle([19.0, -19.0], TAU / 4.0)), 0.0);
    close(one("milling", "wrap", &circle([3.0, 4.0], TAU / 6.0)), 0.5);
    // Across a seam that is none, its pieces turn around nothing.
    assert!(one("milling", "open", &circle([19.0, 0.0], 0.0)) < 0.5);
}

#[test]
fn speeds_and_overlaps_are_counted() {
    let agents =
        [([0.0, 0.0], [1.0, 0.0]), ([0.9, 0.0], [0.0, 3.0]), ([0.0, 1.1], [0.0, -1.0]), ([19.9, 0.0], [3.0, 0.0])];
    close(one("speed_spread", "wrap", &agents), 1.0);
    close(one("overlaps", "wrap", &agents), 1.0);
    let across = [([-19.8, 5.0], [1.0, 0.0]), ([19.9, 5.0], [1.0, 0.0])];
    close(one("overlaps", "wrap", &across), 1.0);
    close(one("overlaps", "contain", &across), 0.0);
}

/// A square lattice over the whole world.
fn lattice(columns: u16, spacing: f32) -> Vec<([f32; 2], [f32; 2])> {
    let place = |k: u16| spacing * (f32::from(k) + 0.5) - 20.0;
    let rows = (40.0 / spacing) as u16;
    (0..rows).flat_map(|y| (0..columns).map(move |x| ([place(x), place(y)], [1.0, 0.0]))).collect()
}

#[test]
fn a_lattice_has_its_spacing_and_its_density() {
    close(one("nearest_distance", "wrap", &lattice(20, 2.0)), 2.0);
    // Where many are at once: in the middle of each of the 64 cells, or of every other one.
    let crowds = |each: u16, of: u16| -> Vec<([f32; 2], [f32; 2])> {
        let cells = (0..64u16).filter(|cell| (cell / 8 + cell % 8) % of == 0);
        let place = |k: u16| 5.0 * (f32::from(k) + 0.5) - 20.0;
        cells.flat_map(|cell| (0..each).map(move |_| ([place(cell % 8), place(cell / 8)], [1.0, 0.0]))).collect()
    };
    close(one("density", "wrap", &crowds(32, 1)), 2048.0 / 1600.0);
    close(one("density", "wrap", &crowds(64, 2)), 2.0 * 2048.0 / 1600.0);
    close(one("density_contrast", "wrap", &crowds(32, 1)), 0.0);
    close(one("density_contrast", "wrap", &crowds(64, 2)), 64.0 * 32.0 / 63.0);
    // Two columns at both ends are neighbors only across the seam.
    let ends: Vec<_> =
        lattice(20, 2.0).into_iter().filter(|(place, _)| place[0].abs() > 18.0 && place[1] == 1.0).collect();
    assert_eq!(ends.len(), 2);
    close(one("nearest_distance", "wrap", &ends), 2.0);
    close(one("nearest_distance", "open", &ends), 38.0);
    assert_eq!(observe("nearest_distance", "wrap", &ends[..1]), [None]);
}

#[test]
fn groups_are_connected_within_the_distance() {
    let row = |first: f32, count: u8, way: f32| (0..count).map(move |k| ([first + f32::from(k), 2.0], [way, 0.0]));
    let agents: Vec<_> = row(-20.0, 3, 1.0).chain(row(17.5, 2, 1.0)).chain(row(0.0, 4, -1.0)).collect();
    let groups = |asked: &str, boundary: &str| -> Vec<f64> {
        observe(asked, boundary, &agents).into_iter().map(Option::unwrap).collect()
    };
    // The first two rows are 1.5 apart, across the seam.
    assert_eq!(groups("groups:1.6", "wrap"), [2.0, 5.0, 4.5]);
    assert_eq!(groups("groups:1.6", "contain"), [3.0, 4.0, 3.0]);
    assert_eq!(groups("groups:1.4", "wrap"), [3.0, 4.0, 3.0]);
    assert_eq!(groups("groups:0.9", "wrap"), [9.0, 1.0, 1.0]);
    assert_eq!(groups("groups:30", "wrap"), [1.0, 9.0, 9.0]);
    assert_eq!(groups("group_polarization:1.6", "wrap"), [1.0]);
    close(groups("group_polarization:30", "wrap")[0], 1.0 / 9.0);
}

/// Velocities that go up and down along x as a sine of the length of the world: their correlation is its cosine.
#[test]
fn a_wave_is_correlated_to_a_quarter_of_its_length() {
    let wave = |k: u16| {
        let x = 40.0 * f32::from(k) / 400.0 - 20.0;
        ([x, 0.0], [7.0, (TAU * x / 40.0).sin()])
    };
    let agents: Vec<_> = (0..400).map(wave).collect();
    let length = one("correlation_length", "wrap", &agents);
    assert!((length - 10.0).abs() < 0.05, "{length}");
    // cos(2π r / L) over the pairs at 0.1, 0.2, 0.3 and 0.4 u.
    let mean = [0.1, 0.2, 0.3, 0.4].map(|r: f64| (std::f64::consts::TAU * r / 40.0).cos()).iter().sum::<f64>() / 4.0;
    close(one("velocity_correlation:0.45", "wrap", &agents), mean);
    assert!((one("velocity_correlation:30", "wrap", &agents)).abs() < 0.01, "over all pairs it is nothing");
    assert!(
        one(
            "correlation_length",
            "wrap",
            &lattice(20, 2.0).iter().zip(&agents).map(|(a, b)| (a.0, b.1)).collect::<Vec<_>>()
        ) != length
    );
    assert_eq!(observe("velocity_correlation:0.01", "wrap", &agents), [None]);
}

/// Some follow a path of two legs across the seam, some another one, and some none.
#[test]
fn who_follows_a_path_is_off_it() {
    let text = "schema = 1\nobserve = \"path_deviation\"\nworld.size = [40, 40]\nworld.boundary = \"BOUNDARY\"\n\
                [[paths]]\nname = \"road\"\npoints = [[10, 0], [30, 0], [30, 10]]\nradii = [1, 3]\n\
                [[paths]]\nname = \"lane\"\npoints = [[0, -5], [1, -5]]\nradius = 0\n\
                [[species]]\nname = \"cars\"\ncount = 4\nbehaviors.path_following.path = \"road\"\n\
                [[species]]\nname = \"carts\"\ncount = 1\nbehaviors.seek.target = { path = \"lane\" }\n\
                [[species]]\nname = \"birds\"\ncount = 1\nbehaviors.wander = {}\n";
    let found = |boundary: &str, places: [[f32; 2]; 6]| -> Vec<f64> {
        let scene = Scene::parse(&text.replace("BOUNDARY", boundary), "test", &[]).unwrap();
        let state = State {
            positions: places.iter().map(|[x, y]| [*x, *y, 0.0]).collect(),
            velocities: vec![[1.0, 0.0, 0.0]; 6],
            frozen: vec![false, false, false, false, false, false],
            poses: Vec::new(),
        };
        observed(&scene, &state).into_iter().map(Option::unwrap).collect()
    };
    // A closed path has a leg back, and a place may be nearest to a leg across both seams.
    let seam = text.replace(
        "points = [[10, 0], [30, 0], [30, 10]]\nradii = [1, 3]",
        "points = [[-10, -10], [10, 10]]\nclosed = true\nradius = 1",
    );
    let scene = Scene::parse(&seam.replace("BOUNDARY", "wrap"), "test", &[]).unwrap();
    let state = State {
        positions: vec![[19.0, -19.0, 0.0]; 6],
        velocities: vec![[1.0, 0.0, 0.0]; 6],
        frozen: vec![false, true, true, true, true, true],
        poses: Vec::new(),
    };
    close(observed(&scene, &state)[0].unwrap(), f64::hypot(11.0, 9.0));
    // Beside the first leg; before its start; beyond the seam; beside the second leg, which is wider; and behind the end of the lane.
    let places = [[12.0, 0.5], [7.0, 4.0], [-15.0, -2.0], [-8.0, 5.0], [4.0, -1.0], [-19.0, 19.0]];
    let wrapped = found("wrap", places);
    close(wrapped[0], (0.5 + 5.0 + 2.0 + 2.0 + 5.0) / 5.0);
    assert_eq!(wrapped[1], 3.0);
    let open = found("open", places);
    close(open[0], (0.5 + 5.0 + f64::hypot(25.0, 2.0) + f64::hypot(18.0, 5.0) + 5.0) / 5.0);
    assert_eq!(open[1], 4.0);
}

/// A world of 40 by 40 u in which two species go to and fro along an axis; `here` and `there` are their places. What `lanes:5` is of it.
fn streams(axis: usize, here: &[[f32; 2]], there: &[[f32; 2]]) -> Vec<Option<f64>> {
    let species = |name: &str, count: usize| format!("[[species]]\nname = \"{name}\"\ncount = {count}\n");
    let text = format!(
        "schema = 1\nobserve = \"lanes:5\"\nworld.size = [40, 40]\n{}{}",
        species("forth", here.len()),
        species("back", there.len())
    );
    let along = |way: f32| if axis == 0 { [way, 0.1, 0.0] } else { [0.1, way, 0.0] };
    let state = State {
        positions: here.iter().chain(there).map(|[x, y]| [*x, *y, 0.0]).collect(),
        velocities: here.iter().map(|_| along(1.0)).chain(there.iter().map(|_| along(-1.0))).collect(),
        frozen: vec![false; here.len() + there.len()],
        poses: Vec::new(),
    };
    observed(&Scene::parse(&text, "test", &[]).unwrap(), &state)
}

/// The order of rows in which so many go forth and back, and its mean over all ways to deal these roles out.
fn order_and_chance(rows: &[[u32; 2]]) -> [f64; 2] {
    let order = |rows: &[[u32; 2]]| {
        let row = |[forth, back]: &[u32; 2]| {
            let all = f64::from((forth + back).max(1));
            all * ((f64::from(*forth) - f64::from(*back)) / all).powi(2)
        };
        rows.iter().map(row).sum::<f64>() / f64::from(rows.iter().flatten().sum::<u32>())
    };
    let sizes: Vec<u32> = rows.iter().map(|[forth, back]| forth + back).collect();
    let (all, forth) = (sizes.iter().sum::<u32>(), rows.iter().map(|[forth, _]| forth).sum::<u32>());
    let deals = (0..1u32 << all).filter(|deal| deal.count_ones() == forth);
    let orders = deals.map(|deal| {
        let mut rest = deal;
        let dealt = sizes.iter().map(|size| {
            let forth = (rest & ((1 << size) - 1)).count_ones();
            rest >>= size;
            [forth, size - forth]
        });
        order(&dealt.collect::<Vec<_>>())
    });
    let orders: Vec<f64> = orders.collect();
    [order(rows), orders.iter().sum::<f64>() / orders.len() as f64]
}

#[test]
fn lanes_are_rows_of_one_species() {
    // So many who go forth and back in each row of 5 u: in lanes, mixed, and in between.
    let worlds: [&[[u32; 2]]; 4] = [
        &[[3, 0], [0, 5], [1, 0], [0, 1]],
        &[[2, 2], [1, 1], [3, 3]],
        &[[3, 1], [0, 4], [2, 1], [0, 0], [1, 0]],
        &[[1, 6], [2, 1]],
    ];
    for (axis, rows) in [0, 1].into_iter().flat_map(|axis| worlds.map(|rows| (axis, rows))) {
        let [mut here, mut there] = [Vec::new(), Vec::new()];
        for (row, counts) in (0u16..).zip(rows) {
            for (places, count) in [&mut here, &mut there].into_iter().zip(counts) {
                for k in 0..*count as u16 {
                    // Anywhere along the row; across it from one end to the other.
                    let (along, across) =
                        (13.0 * f32::from(k % 3) - 15.0, 5.0 * f32::from(row) - 19.9 + 0.7 * f32::from(k));
                    places.push(if axis == 0 { [along, across] } else { [across, along] });
                }
            }
        }
        let expected = order_and_chance(rows);
        let found = streams(axis, &here, &there);
        (0..2).for_each(|column| close(found[column].unwrap(), expected[column]));
    }
    assert_eq!(streams(0, &[[0.0, 0.0], [1.0, 0.0]], &[]), [None, None], "one species is no lane");
}

/// Where lanes have formed the order is far above what it is with the roles dealt anew, which is what is said of chance.
#[test]
fn lanes_form_in_counter_flow() {
    let observe = "observe=\"lanes:0.75\"".parse().unwrap();
    let scene = Scene::open("crossing", &[observe]).unwrap().with_agents(160).unwrap();
    let lanes = |state: &State| -> Vec<f64> { observed(&scene, state).into_iter().map(Option::unwrap).collect() };
    let start = State::initial(&scene);
    let mut run = cpu::Simulation::new(&scene, &start, Execution::Parallel).unwrap();
    run.step(600);
    let state = run.state();
    let (early, late) = (lanes(&start), lanes(&state));
    // The places are dealt anew, and everybody keeps its way: a Fisher-Yates shuffle by a generator of its own.
    let mut word = 1u64;
    let mut below = |end: usize| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (word >> 33) as usize % end
    };
    let mut shuffled = state.clone();
    let orders: Vec<f64> = (0..20)
        .map(|_| {
            (1..shuffled.positions.len()).rev().for_each(|last| shuffled.positions.swap(last, below(last + 1)));
            let [order, chance] = lanes(&shuffled)[..] else { panic!("two columns") };
            assert_eq!(chance, late[1], "who is where does not matter to it");
            order
        })
        .collect();
    let mean = orders.iter().sum::<f64>() / 20.0;
    let deviation = (orders.iter().map(|order| (order - mean).powi(2)).sum::<f64>() / 19.0).sqrt();
    assert!((mean - late[1]).abs() < 5.0 * deviation / 20f64.sqrt(), "{mean} ± {deviation}, not {}", late[1]);
    assert!(orders.iter().all(|order| *order < 0.5 * late[0]), "{late:?}, shuffled {orders:?}");
    assert!(early[0] < 0.5 * late[0], "at the start {early:?}, then {late:?}");
}

/// Whoever has nobody near is found too, across the seam or not, and who is alone in the world has no distance.
#[test]
fn who_has_nobody_near_has_a_distance() {
    let mut agents: Vec<_> =
        (0..400u16).map(|k| ([0.1 * f32::from(k % 20), 0.1 * f32::from(k / 20)], [1.0, 0.0])).collect();
    let far = [[-19.0, -19.0], [18.5, -18.0], [-15.0, 12.0], [-12.0, 15.0], [-18.0, 1.0]];
    agents.extend(far.map(|place| (place, [1.0, 0.0])));
    for boundary in ["wrap", "contain"] {
        let way = |from: f32, to: f32| {
            let way = f64::from(to) - f64::from(from);
            if boundary == "wrap" { way - 40.0 * (way / 40.0).round() } else { way }
        };
        let nearest = |own: usize| {
            let others = (0..agents.len()).filter(|other| *other != own);
            let distance = |other: usize| {
                f64::hypot(way(agents[own].0[0], agents[other].0[0]), way(agents[own].0[1], agents[other].0[1]))
            };
            others.map(distance).fold(f64::INFINITY, f64::min)
        };
        let mean = (0..agents.len()).map(nearest).sum::<f64>() / agents.len() as f64;
        close(one("nearest_distance", boundary, &agents), mean);
    }
}

/// A shader that measures something else is found: the reference says otherwise.
#[test]
fn mutants_of_the_stage_are_found() {
    let (measure, measured) = ("sim/measure.wgsl", "common/measured.wgsl");
    let mutants = [
        ("flock", "milling", measured, "y + select(0u, 1u, low < a.x)", "y"),
        ("flock", "milling", measured, "select(vec2u(low, u32(high)), opposite, x < 0.0)", "vec2u(low, u32(high))"),
        ("flock", "milling", measured, "x / size * (2.0 * PI)", "x / size * PI"),
        ("flock", "speed_spread", measure, "dot3(share, share)) - mean", "dot3(share, share))"),
        ("flock", "density", measured, "(x / size + 0.5) * f32(cells)", "(x / size + 0.49) * f32(cells)"),
        ("flock", "overlaps", measure, "squared < reach * reach", "squared < reach"),
        ("flock", "overlaps", measured, "vec2u(first, 2u * reach + 1u)", "vec2u(first, 2u * reach)"),
        (
            "flock",
            "nearest_distance",
            measured,
            "select(cell - reach, cell + cells - reach, cell < reach)",
            "cell - min(reach, cell)",
        ),
        ("two_flocks", "nearest_distance", measure, "other != slot && squared <", "squared <"),
        ("two_flocks", "nearest_distance", measure, "is_known || is_whole ||", "true ||"),
        (
            "murmuration",
            "groups:2",
            measure,
            "atomicAdd(&measured_atomic[sizes + root], 1u)",
            "atomicAdd(&measured_atomic[sizes + slot], 1u)",
        ),
        ("murmuration", "group_polarization:2", measure, "summed(heading.z)", "summed(heading.y)"),
        (
            "murmuration",
            "velocity_correlation:3",
            measure,
            "load(velocity[other]) / world.top_speed - mean",
            "load(velocity[other]) / world.top_speed",
        ),
        (
            "murmuration",
            "correlation_length",
            measure,
            "distance / measurement[0].bin_width, 1e6",
            "distance / measurement[0].bin_width + 0.5, 1e6",
        ),
        ("enemy_and_food", "states", measure, "min(state_of(own_id), 31u)", "min(state_of(own_id), 0u)"),
        ("crossing", "lanes:0.75", measure, "at.z * cells.y + at.y", "at.z * cells.y + at.y / 2u"),
        (
            "crossing",
            "lanes:0.75",
            measure,
            "add_measured(first + 2u, summed(share.y));",
            "add_measured(first + 2u, summed(2.0 * share.x));",
        ),
        ("maze", "way", measure, "way.cells / way.share", "way.cells"),
        ("garden_path", "path_deviation", measured, "min(max(share, -0.5), 0.5)", "max(share, -0.5)"),
    ];
    let gpu = gpu();
    for (preset, asked, file, from, to) in mutants {
        let observe: Override = format!("observe={asked:?}").parse().unwrap();
        let open = |agents| {
            Scene::open(if preset == "two_flocks" { "flock" } else { preset }, std::slice::from_ref(&observe))
                .unwrap()
                .with_agents(agents)
                .unwrap()
        };
        // A tight flock, and two who are far from everybody; or what thirty steps make of a preset.
        let (scene, state, steps) = if preset == "two_flocks" {
            let scene = open(300);
            let mut state = State::initial(&scene);
            let far = 0.3 * scene.world.size.x;
            for (place, k) in state.positions.iter_mut().zip(0u16..) {
                *place = [0.1 * f32::from(k % 20), 0.1 * f32::from(k / 20), 0.0];
            }
            (state.positions[0], state.positions[1]) = ([far, far, 0.0], [-far, -far, 0.0]);
            (scene, state, 0)
        } else {
            let scene = open(6000);
            let state = State::initial(&scene);
            (scene, state, 30)
        };
        let mut shaders = Sources::default();
        let text = shaders.text(file).unwrap().to_owned();
        assert!(text.contains(from), "{from}");
        shaders.replace(file, file, text.replace(from, to));
        let said = |shaders: Sources| {
            let options = Options { shaders, ..Options::default() };
            let mut device = Simulation::new(&gpu, &scene, &state, options).unwrap();
            device.step(steps).unwrap();
            device.measure().unwrap().asked
        };
        let mut reference = cpu::Simulation::new(&scene, &state, Execution::Parallel).unwrap();
        reference.step(steps);
        let known = reference.observe().asked;
        assert_eq!(said(Sources::default()), known, "{preset} {asked}");
        assert_ne!(said(shaders), known, "{preset} {asked}: {from} -> {to}");
    }
}

/// No step waits for rows. They are those of one step after the other, and of the reference.
#[test]
fn rows_beside_steps_are_those_of_one_after_the_other() {
    let observe = "observe=\"milling, groups:5, states\"".parse().unwrap();
    let scene = Scene::open("foraging_ants", &[observe]).unwrap().with_agents(400).unwrap();
    let start = |place: &Backend| place.start(&scene, &State::initial(&scene)).unwrap();
    let device = Backend::Gpu(Box::new(gpu()), Box::default());
    let (mut beside, mut alone) = (start(&device), start(&device));
    let rows = beside.observations(11, 3).unwrap();
    let each = |_| alone.step(3).and_then(|()| alone.observe()).unwrap();
    assert_eq!(rows, (0..11).map(each).collect::<Vec<_>>());
    assert_eq!(rows, start(&Backend::Cpu).observations(11, 3).unwrap());
    assert!(rows.windows(2).all(|two| two[0].asked != two[1].asked), "each row is of another state");
    assert_eq!(beside.steps(), 33);
}
