use steerling::{gpu, gpu::*, model::{State, GridChoice}, scene::Scene};
fn main() {
    let g = gpu::Gpu::open(&Default::default()).unwrap();
    let a: Vec<String> = std::env::args().collect();
    let n: u32 = a[2].parse().unwrap();
    let scene = Scene::open(&a[1], &[]).unwrap().with_agents(n).unwrap();
    let state = State::initial(&scene);
    let mut sims: Vec<(String, gpu::Simulation)> = Vec::new();
    for spec in &a[4..] {
        let mut o = Options::default();
        for part in spec.split(',') {
            if part == "plain" { o = Options::plain(); }
            if let Some(v) = part.strip_prefix("x") { o.grid.cells_per_radius = v.parse().unwrap(); }
            if let Some(v) = part.strip_prefix("y") { o.grid.rows_per_radius = v.parse().unwrap(); }
            if let Some(v) = part.strip_prefix("w") { o.workgroup_size = v.parse().unwrap(); }
            if let Some(v) = part.strip_prefix("d=") { o.shaders = shaders::Sources::from_folder(v.as_ref()).unwrap(); o.shaders.custom = false; }
            if part == "noexact" { o.exact = false; }
        }
        let _: GridChoice = o.grid;
        sims.push((spec.clone(), gpu::Simulation::new(&g, &scene, &state, o).unwrap()));
    }
    let warm: u32 = a[3].parse().unwrap();
    sims[0].1.step(warm).unwrap();
    let s = sims[0].1.state().unwrap();
    for (_, x) in &mut sims[1..] { x.set_state(&s).unwrap(); x.step(1).unwrap(); }
    let mut times: Vec<Times> = sims.iter().map(|_| Times::default()).collect();
    for _ in 0..7 {
        for (i, (_, x)) in sims.iter_mut().enumerate() { StepTimer::new(x).step(x, &mut times[i]).unwrap(); }
    }
    for (i, (name, x)) in sims.iter().enumerate() {
        let st: Vec<String> = times[i].stages(x).iter().map(|t| format!("{:.1}", quantile(t, 0.5) * 1e3)).collect();
        let o = x.observe().unwrap();
        println!("{name:24} step {:.1} ms stages {st:?} nb {:.1} cells {}", quantile(&times[i].steps, 0.5) * 1e3, o.mean_neighbors, x.model().world.cell_count);
    }
}
