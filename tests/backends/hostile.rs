//! Hostile states, on the GPU and on the CPU: agents at one point, at rest, on their target, far outside, and two hundred "bad" ones
//! whose positions or velocities are NaN, infinite or too large. Bad agents are found before any other perceives them, and the others
//! go on as without them, also with parameters at the ends of their ranges.

use std::collections::BTreeSet;
use steerling::engine::Backend;
use steerling::model::{Observation, State};
use steerling::scene::{BEHAVIORS, BehaviorKind, Range, Scene};
use steerling_conform::Draw;
use support::{gpu, parsed};

const AGENTS: u32 = 8192;
const BAD: usize = 200;
const STEPS: u32 = 3;
const NUMBERS: [f32; 7] = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3.4e38, -1.5e9, 1.0001e9];

/// A scene with every behavior, toward targets of every kind. A part of the parameters is at an end of its range.
fn scene(spatial: bool, boundary: &str, draw: &mut Draw) -> Scene {
    let (size, point, far) =
        if spatial { ("[45, 45, 45]", "[1, 2, 3]", "[20, 2, 8]") } else { ("[140, 140]", "[1, 2]", "[20, 9]") };
    let mut text = format!(
        "schema = 1\nname = \"hostile\"\nseed = 5\nworld = {{ size = {size}, boundary = \"{boundary}\", margin = 4 }}\n\
         [field]\nsource = \"vortex\"\nspeed = 4\n[ground]\nresolution = 64\n\
         [[paths]]\nname = \"road\"\npoints = [{point}, {far}]\n\
         [[obstacles]]\nshape = \"sphere\"\ncenter = {point}\nradius = 0.5\n\
         [[species]]\nname = \"prey\"\ncount = {}\nmax_speed = 10\nmin_speed = 1\nradius = 0.2\n",
        AGENTS - 64,
    );
    let targets = [
        format!("{{ point = {point} }}"),
        "{ agent = 7 }".into(),
        "{ nearest = \"hawk\", perception_radius = 4 }".into(),
        "{ leader = \"hawk\" }".into(),
        "\"field\"".into(),
        "\"mouse\"".into(),
    ];
    for (index, spec) in BEHAVIORS.iter().enumerate() {
        text += &format!("[species.behaviors.{}]\nweight = 0.5\n", spec.name);
        if spec.kind == BehaviorKind::Neighborhood {
            text += "perception_radius = 2\n";
        }
        if spec.parameters.iter().any(|p| matches!(p.range, Range::Target)) {
            text += &format!("target = {}\n", targets[index % targets.len()]);
        }
        for parameter in spec.parameters.iter().filter(|p| p.name != "perception_radius") {
            if let (Range::Number { min, max }, extreme @ 0..2) = (parameter.range, draw.word() % 5) {
                text += &format!("{} = {}\n", parameter.name, if extreme == 0 { min } else { max });
            }
        }
    }
    text += "[[species]]\nname = \"hawk\"\ncount = 64\nmax_speed = 14\n\
             behaviors.pursuit = { target = { nearest = \"prey\", perception_radius = 6 } }\n";
    parsed(&text, &[])
}

/// A state that is hard but healthy.
fn hard(scene: &Scene, draw: &mut Draw) -> State {
    let mut state = State::initial(scene);
    for id in 0..AGENTS as usize {
        match draw.word() % 400 {
            0 => state.positions[id] = [3.0, 4.0, 0.0],
            1 => state.velocities[id] = [0.0; 3],
            2 => state.positions[id] = [1.0, 2.0, if scene.world.spatial { 3.0 } else { 0.0 }],
            3 => state.positions[id] = state.positions[id / 2],
            4 => state.positions[id] = state.positions[id].map(|x| x * 1000.0),
            5 => state.velocities[id] = [0.0, 1e-30, 0.0],
            6 => state.velocities[id] = state.velocities[id].map(|x| x * 1e6),
            _ => {}
        }
    }
    state.confine(scene);
    state
}

/// The bits of all agents except the bad ones.
fn others(state: &State, bad: &[usize]) -> (Vec<[u32; 3]>, Vec<[u32; 3]>) {
    let keep = |vectors: &[[f32; 3]]| {
        let mut bits: Vec<_> = vectors.iter().map(|vector| vector.map(f32::to_bits)).collect();
        bad.iter().for_each(|id| bits[*id] = [0; 3]);
        bits
    };
    (keep(&state.positions), keep(&state.velocities))
}

fn judge(what: &str, (found, seen): &(State, Observation), injected: &State, expected: &State, bad: &[usize]) {
    let finite = |vectors: &[[f32; 3]]| vectors.iter().flatten().all(|x| x.is_finite());
    assert!(finite(&found.positions) && finite(&found.velocities), "{what}: something is not finite");
    assert_eq!(seen.bad_agents as usize, bad.len(), "{what}");
    assert_eq!(seen.first_bad, Some(bad[0] as u32), "{what}");
    assert!(bad.iter().all(|id| found.frozen[*id] && found.velocities[*id] == [0.0; 3]), "{what}");
    // A bad agent stays where it was, or is put to the origin if its position is not usable.
    let place = |id: &usize| Some(injected.positions[*id]).filter(|at| at.iter().all(|x| x.abs() <= 1e9));
    assert!(bad.iter().all(|id| found.positions[*id] == place(id).unwrap_or_default()), "{what}");
    assert!(others(found, bad) == others(expected, bad), "{what}: somebody saw a bad agent");
}

#[test]
fn bad_agents_are_found_before_anybody_sees_them() {
    let gpu = Backend::Gpu(Box::new(gpu()), Box::default());
    for (seed, spatial, boundary) in [(1, false, "wrap"), (2, true, "contain"), (3, false, "open")] {
        let mut draw = Draw::new(seed);
        let scene = scene(spatial, boundary, &mut draw);
        let healthy = hard(&scene, &mut draw);
        let mut bad = BTreeSet::new();
        while bad.len() < BAD {
            bad.insert((draw.word() % u64::from(AGENTS)) as usize);
        }
        let bad = Vec::from_iter(bad);
        let (mut injected, mut frozen) = (healthy.clone(), healthy.clone());
        for (index, id) in bad.iter().enumerate() {
            let vectors = if index % 3 == 0 { &mut injected.positions } else { &mut injected.velocities };
            vectors[*id][index % 2] = NUMBERS[index % NUMBERS.len()];
            frozen.frozen[*id] = true;
        }
        let run = |backend: &Backend, state: &State| {
            let mut engine = backend.start(&scene, state).unwrap();
            engine.step(STEPS).unwrap();
            (engine.state().unwrap(), engine.observe().unwrap())
        };
        let [on_gpu, on_cpu] = [&gpu, &Backend::Cpu].map(|backend| run(backend, &injected));
        assert!(on_gpu.1 == on_cpu.1, "seed {seed}: the two sides differ");
        let expected = run(&Backend::Cpu, &frozen).0;
        judge("GPU", &on_gpu, &injected, &expected, &bad);
        judge("CPU", &on_cpu, &injected, &expected, &bad);
        // The comparison can fail: if the bad agents are healthy, the others move otherwise.
        let healthy = run(&Backend::Cpu, &healthy).0;
        assert!(others(&on_gpu.0, &bad) != others(&healthy, &bad), "seed {seed}: nobody saw them anyway");
    }
}

/// A mistake in a user's shader may freeze all agents. Frozen agents are spread over cells as others are, so sorting them takes no driver
/// too long.
#[test]
fn nearly_all_may_be_frozen() {
    let scene = parsed("schema = 1\nworld.size = [60, 60]\n[[species]]\ncount = 70000\nbehaviors.wander = {}\n", &[]);
    let mut initial = State::initial(&scene);
    initial.velocities[1..].fill([f32::NAN; 3]);
    let [on_gpu, on_cpu] = [Backend::Gpu(Box::new(gpu()), Box::default()), Backend::Cpu].map(|backend| {
        let mut engine = backend.start(&scene, &initial).unwrap();
        engine.step(2).unwrap();
        engine.observe().unwrap()
    });
    assert_eq!((on_gpu.bad_agents, &on_gpu), (69_999, &on_cpu));
}
