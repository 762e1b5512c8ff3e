//! Cells that hold too many agents.

use crate::*;

laws! {
    crowd_sample in both:
        "of n agents in a cell, n > c, those are perceived whose hash ends in k zero bits, k = ⌊log₂((n - 1)/c)⌋ + \
         1; of c or fewer agents all are",
        source: "ours: halved until about c are left, or down to half of that, by ids alone",
        mutant: is_shown("firstLeadingBit((agents - 1u) / world.crowd) + 1u" => "firstLeadingBit((agents - 1u) / world.crowd)"),
        mistake: "a cell shows twice as many as it may";
}

/// The most agents that a cell shows.
const MOST: u32 = 8;
/// The stream of random numbers that choose them: `STREAM_CROWD` of the shaders.
const CHOOSES: u32 = 15;

/// Heaps far apart, each perceived by one more agent in another cell.
fn crowd_sample(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let seed = draw.word() as u32;
    // Not a world without ends: its grid is folded, so heaps would share entries.
    let more = format!("world.crowd = {MOST}\nseed = {seed}");
    let mut setup = Setup::within(spatial, [400.0; 3], "contain", 0.01, more).apart();
    let mut heaps = Vec::new();
    for index in 0..24 {
        let agents = draw.scale(3.0, 250.0) as usize;
        let at = plus(lane(index, 40.0), [0.37, 0.41, if spatial { 0.23 } else { 0.0 }]);
        let mut bodies = draw.crowd(agents, spatial, at, 1e-3, 1.0);
        bodies.push(Body::at(plus(at, [16.0, 0.0, 0.0])).moving([1.0, 0.0, 0.0]));
        let ids = setup.species(&format!("{FREE}{}", all_around("cohesion", 1e-3, 20.0)), &bodies);
        heaps.push(ids.start..ids.end - 1);
    }
    let neighbors = bench.steering(&setup)?.neighbors;
    let mut run = bench.start(&setup)?;
    // Steps in a row run other passes. In three of them no agent comes far.
    run.step(3)?;
    let seen = run.observe()?;
    let (mut hidden, mut pairs) = (0, 0.0);
    for ids in heaps {
        let agents = ids.len() as u32;
        let halvings = if agents > MOST { ((agents - 1) / MOST).ilog2() + 1 } else { 0 };
        let shown =
            ids.clone().filter(|id| pcg4d([seed, *id as u32, 0, CHOOSES])[0].trailing_zeros() >= halvings).count();
        hidden += ids.len() - shown;
        let parameters = [("agents", f64::from(agents)), ("shown", shown as f64)];
        bench.check(Case::absolute(&parameters, shown as f64, f64::from(neighbors[ids.end]), 0.0));
        // Each agent of a heap perceives the shown ones except itself, and the agent outside that perceives the heap.
        let within = neighbors[ids].iter().map(|count| f64::from(*count)).sum::<f64>();
        let expected = shown as f64 * f64::from(agents - 1) + f64::from(agents);
        bench.check(Case::absolute(&parameters, expected, within, 0.0));
        pairs += expected + shown as f64;
    }
    bench.check(Case::absolute(&[], hidden as f64, f64::from(seen.unseen), 0.0));
    bench.tried(Case::relative(&[], pairs / neighbors.len() as f64, seen.mean_neighbors, 1e-6))
}
