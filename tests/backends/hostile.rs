//! Hostile states: agents at one point, at rest, on their target, far outside, and a thousand whose velocities are no
//! numbers, on the GPU and on the CPU. Bad agents are found before anybody sees them, and the others go on as without,
//! also where parameters are as small or as large as they may be.

use crate::common::{Draw, all_bits, bits};
use crate::support::gpu;
use steerling::cpu::{Execution, Simulation};
use steerling::gpu::{self, Options};
use steerling::model::{Observation, State};
use steerling::scene::{BEHAVIORS, BehaviorKind, Range, Scene};

const AGENTS: u32 = 65_536;
const BAD: usize = 1000;
const NUMBERS: [f32; 6] = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3.4e38, -1.5e9];

/// A scene with every behavior, toward targets of every kind. A part of the parameters is at an end of its range.
fn scene(spatial: bool, boundary: &str, draw: &mut Draw) -> Scene {
    let (size, point, far) =
        if spatial { ("[90, 90, 90]", "[1, 2, 3]", "[20, 2, 8]") } else { ("[400, 400]", "[1, 2]", "[20, 9]") };
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
    Scene::parse(&text, "hostile.toml", &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
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

/// The agents that are not bad, to the bit.
fn others(state: &State, bad: &[usize]) -> (Vec<[u32; 3]>, Vec<[u32; 3]>) {
    let keep = |vectors: &[[f32; 3]]| {
        let mut bits = bits(vectors);
        bad.iter().for_each(|id| bits[*id] = [0; 3]);
        bits
    };
    (keep(&state.positions), keep(&state.velocities))
}

fn judge(what: &str, found: &State, expected: &State, seen: &Observation, bad: &[usize]) {
    let finite = |vectors: &[[f32; 3]]| vectors.iter().flatten().all(|x| x.is_finite());
    assert!(finite(&found.positions) && finite(&found.velocities), "{what}: something is not finite");
    assert_eq!(seen.bad_agents as usize, bad.len(), "{what}");
    assert_eq!(seen.first_bad, Some(bad[0] as u32), "{what}");
    assert!(bad.iter().all(|id| found.frozen[*id]), "{what}");
    assert!(others(found, bad) == others(expected, bad), "{what}: somebody saw a bad agent");
}

#[test]
fn bad_agents_are_found_before_anybody_sees_them() {
    let gpu = gpu();
    for (seed, spatial, boundary) in [(1, false, "wrap"), (2, true, "contain"), (3, false, "open")] {
        let mut draw = Draw::new(seed);
        let scene = scene(spatial, boundary, &mut draw);
        let healthy = hard(&scene, &mut draw);
        let mut bad: Vec<usize> = Vec::new();
        while bad.len() < BAD {
            let id = (draw.word() % u64::from(AGENTS)) as usize;
            if !bad.contains(&id) {
                bad.push(id);
            }
        }
        let (mut injected, mut frozen) = (healthy.clone(), healthy.clone());
        for (index, id) in bad.iter().enumerate() {
            injected.velocities[*id][index % 2] = NUMBERS[index % NUMBERS.len()];
            frozen.frozen[*id] = true;
        }
        bad.sort_unstable();
        let on_gpu = |state: &State| {
            let mut simulation = gpu::Simulation::new(&gpu, &scene, state, Options::default()).unwrap();
            simulation.step(1).unwrap();
            (simulation.state().unwrap(), simulation.observe().unwrap())
        };
        let on_cpu = |state: &State| {
            let mut simulation = Simulation::new(&scene, state, Execution::Parallel).unwrap();
            simulation.step(1);
            (simulation.state(), simulation.observe())
        };
        let ((gpu_found, gpu_seen), (cpu_found, cpu_seen)) = (on_gpu(&injected), on_cpu(&injected));
        assert!(all_bits(&gpu_found) == all_bits(&cpu_found), "seed {seed}: the two sides differ");
        judge("GPU", &gpu_found, &on_gpu(&frozen).0, &gpu_seen, &bad);
        judge("CPU", &cpu_found, &on_cpu(&frozen).0, &cpu_seen, &bad);
        // The comparison can fail: with the bad agents in good health, others move otherwise.
        assert!(others(&gpu_found, &bad) != others(&on_gpu(&healthy).0, &bad), "seed {seed}: nobody saw them anyway");
    }
}
