//! What is observed of states whose numbers are known: docs/observables.md.

use steerling::cpu::{self, Execution};
use steerling::engine::Backend;
use steerling::gpu::{Options, Simulation};
use steerling::model::State;
use steerling::scene::Scene;
use steerling::shaders::Sources;
use steerling_conform::Draw;
use support::{Both, backend, gpu, notices, parsed, preset, ran_on_cpu, ran_on_gpu, start};

/// What the scene asks for of this state: the same on both backends.
fn observed(scene: &Scene, state: &State) -> Vec<Option<f64>> {
    let reference = cpu::Simulation::new(scene, state, Execution::Serial).unwrap().observe().requested;
    let device = Simulation::new(&gpu(), scene, state, Options::default()).unwrap().measure().unwrap().requested;
    assert_eq!(device, reference);
    reference
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-5 * expected.abs().max(1.0), "{found}, not {expected}");
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
    observed(&parsed(&text, &[]), &state)
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
    let scene = preset("crossing", 160, &["observe=\"lanes:0.75\""]);
    let lanes = |state: &State| -> Vec<f64> { observed(&scene, state).into_iter().map(Option::unwrap).collect() };
    let start = State::initial(&scene);
    let state = ran_on_cpu(&scene, 600).state();
    let (early, late) = (lanes(&start), lanes(&state));
    // The places are dealt anew, and everybody keeps its way: a Fisher-Yates shuffle.
    let mut draw = Draw::new(1);
    let mut below = |end: usize| draw.word() as usize % end;
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

/// A law holds each of these to its formula, of some hundred agents. Of so many that several workgroups sum, they are those of the reference.
#[test]
fn many_agents_are_measured_alike() {
    let gpu = gpu();
    for (name, asked) in [
        ("flock", "milling, speed_spread, density, overlaps, nearest_distance"),
        ("murmuration", "groups:2, group_polarization:2, velocity_correlation:3, correlation_length"),
        ("enemy_and_food", "states"),
        ("crossing", "lanes:0.75"),
        ("maze", "way"),
        ("garden_path", "path_deviation"),
    ] {
        let scene = preset(name, 6000, &[&format!("observe={asked:?}")]);
        let mut both = Both::new(&gpu, &scene);
        both.step(30);
        assert_eq!(both.0.measure().unwrap().requested, both.1.observe().requested, "{name} {asked}");
    }
}

/// No law speaks of lanes: a shader that counts them otherwise is found here.
#[test]
fn mistakes_with_lanes_are_seen() {
    let scene = preset("crossing", 6000, &["observe=\"lanes:0.75\""]);
    let (gpu, expected) = (gpu(), ran_on_cpu(&scene, 30).observe().requested);
    let passes = |options: Options| ran_on_gpu(&gpu, &scene, options, 30).measure().unwrap().requested == expected;
    notices(
        passes,
        &[
            ("measure_rows", "at.z * cells.y + at.y", "at.z * cells.y + at.y / 2u"),
            ("measure_rows", "summed(share.y)", "summed(2.0 * share.x)"),
        ],
    );
}

/// No step waits for rows. They are those of one step after the other, and of the reference.
#[test]
fn rows_beside_steps_are_those_of_one_after_the_other() {
    let scene = preset("foraging_ants", 400, &["observe=\"milling, groups:5, states\""]);
    let device = backend(&gpu(), Sources::default());
    let (mut beside, mut alone) = (start(&device, &scene), start(&device, &scene));
    let rows = beside.observations(11, 3).unwrap();
    let each = |_| alone.step(3).and_then(|()| alone.observe()).unwrap();
    assert_eq!(rows, (0..11).map(each).collect::<Vec<_>>());
    assert_eq!(rows, start(&Backend::Cpu, &scene).observations(11, 3).unwrap());
    assert!(rows.windows(2).all(|two| two[0].requested != two[1].requested), "each row is of another state");
    assert_eq!(beside.steps(), 33);
}
