use steerling::{cpu, gpu, model::{State, STAGES}, scene::Scene};
fn main() {
    let g = gpu::Gpu::open(&Default::default()).unwrap();
    println!("{} exact {}", g.title(), g.exact);
    let name = std::env::args().nth(1).unwrap();
    let n: u32 = std::env::args().nth(2).unwrap().parse().unwrap();
    let steps: u32 = std::env::args().nth(3).unwrap().parse().unwrap();
    let scene = Scene::open(&name, &[]).unwrap().with_agents(n).unwrap();
    let state = State::initial(&scene);
    let mut c = cpu::Simulation::new(&scene, &state, cpu::Execution::Parallel).unwrap();
    let mut s = gpu::Simulation::new(&g, &scene, &state, Default::default()).unwrap();
    println!("cells {:?} {}", s.model().world.cells, s.model().world.cell_count);
    for step in 0..steps.min(3) {
        for (i, stage) in STAGES.iter().enumerate() {
            c.run_stage(stage);
            s.run_stage(i).unwrap();
            for o in stage.outputs {
                let a: Vec<u32> = match c.contents(o.buffer) { cpu::Contents::Words(w) => w, cpu::Contents::Floats(f) => f.iter().map(|x| x.to_bits()).collect() };
                let b = s.words(o.buffer).unwrap();
                let diff = a.iter().zip(&b).filter(|(a, b)| a != b).count();
                if diff > 0 || a.len() != b.len() { println!("{step} {} {}: {} of {} {}", stage.name, o.buffer, diff, a.len(), b.len()); }
            }
        }
    }
    println!("{:?}", c.observe());
    println!("{:?}", s.observe().unwrap());
    let t = std::time::Instant::now();
    s.step(steps).unwrap(); g.wait().unwrap();
    println!("gpu {:?} per step", t.elapsed() / steps);
    let t = std::time::Instant::now();
    c.step(steps);
    println!("cpu {:?} per step", t.elapsed() / steps);
    println!("{:?}", c.observe());
    println!("{:?}", s.observe().unwrap());
}
