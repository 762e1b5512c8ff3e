//! What `steerling profile` prints.

use super::*;
use std::fmt::Write as _;

/// The figures as a table.
pub(super) fn table(f: &Figures) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "adapter  {}", f.adapter);
    let _ = writeln!(out, "scene    {}, {} agents, {} cells", f.scene, f.agents, f.cells);
    if let Some(memory) = &f.map {
        let _ = writeln!(out, "map      {memory}");
    }
    let _ = writeln!(out, "state    {}", f.start.describe());
    if !f.passes_timed {
        let _ = writeln!(out, "note     this adapter has no timestamps: whole submissions are timed, stages are not");
    }
    if f.dropped_timestamps > 0 {
        let _ = writeln!(
            out,
            "note     {} timestamps ran backward or past the step's time and were dropped",
            f.dropped_timestamps
        );
    }
    if f.passes_timed {
        let _ = writeln!(
            out,
            "\n{:10} {:>10} {:>11} {:>10} {:>7} {:>10} {:>8} {:>9} {:>13}",
            "stage", "dispatches", "median ms", "p95 ms", "share", "MB moved", "B/agent", "GB/s", "instructions"
        );
        for s in &f.stages {
            let _ = writeln!(
                out,
                "{:10} {:>10} {:>11.3} {:>10.3} {:>6.1}% {:>10.2} {:>8.1} {:>9.2} {:>13}",
                s.stage,
                s.dispatches,
                s.median_ms,
                s.p95_ms,
                s.share * 100.0,
                s.bytes as f64 / 1e6,
                s.bytes_per_agent,
                s.gb_per_s,
                s.instructions
            );
        }
    }
    let _ = writeln!(
        out,
        "\nstep     median {:.3} ms, p95 {:.3} ms over {} steps; {:.3e} agents/s; {} dispatches; {:.1} MB of buffers",
        f.step_median_ms,
        f.step_p95_ms,
        f.steps,
        f.agents_per_s,
        f.dispatches,
        f.memory_bytes as f64 / 1e6
    );
    if let Some(b) = &f.baseline {
        let _ = writeln!(
            out,
            "{:8} median {:.3} ms; ratio of medians (ours / {}) {}",
            b.name, b.step_median_ms, b.name, b.ratio
        );
    }
    counted(&mut out, f);
    predicted(&mut out, &f.predictions);
    for (index, advice) in f.advice.iter().enumerate() {
        let _ = writeln!(out, "{}  {}", if index == 0 { "\nadvice " } else { "       " }, advice.text);
        if !advice.set.is_empty() {
            let _ = writeln!(out, "           --set {}", advice.set.join(" --set "));
        }
    }
    out
}

impl Start {
    pub fn describe(&self) -> String {
        let from = self.from.as_ref().map_or(String::new(), |from| format!(" from {from}"));
        let steady = match self.steady {
            Some(true) => ", when the number of neighbors was steady",
            Some(false) => "; the number of neighbors was not steady yet",
            None => "",
        };
        format!("after {} steps{from}{steady}; {:.1} neighbors", self.warmup, self.neighbors)
    }
}

/// What was counted, and the ceilings.
fn counted(out: &mut String, f: &Figures) {
    if let Some(load) = &f.load {
        let _ = writeln!(
            out,
            "\n{:10} {:>9} {:>8} {:>8}   for each of {} agents that look",
            "search", "mean", "p99", "most", load.lookers
        );
        for (name, figure) in [("tests", load.tests), ("hits", load.hits), ("ranges", load.ranges)] {
            let _ = writeln!(out, "{name:10} {:>9.2} {:>8} {:>8}", figure.mean, figure.p99, figure.most);
        }
        let _ = writeln!(
            out,
            "\n{:10} {:>11} {:>8} {:>8} {:>10} {:>10} {:>14}   for each agent",
            "lanes", "as they go", "waiting", "hits", "same rows", "own lists", "distinct loads"
        );
        for lanes in &load.lanes {
            let waiting = lanes.waiting(load.tests.mean) * 100.0;
            let _ = writeln!(
                out,
                "{:<10} {:>11.2} {waiting:>7.0}% {:>8.2} {:>10.2} {:>10.2} {:>14.2}",
                lanes.lanes, lanes.walk, lanes.hits, lanes.rows, lanes.flat, lanes.loads
            );
        }
        let row = |o: &steerling::measure::Occupancy| {
            let agents = if o.from == o.to { format!("{}", o.from) } else { format!("{} to {}", o.from, o.to) };
            format!("{agents}: {}", o.cells)
        };
        let _ = writeln!(
            out,
            "\ncells    by their agents  {}",
            load.occupancy.iter().map(row).collect::<Vec<_>>().join(", ")
        );
        if load.unseen > 0 {
            let _ = writeln!(
                out,
                "crowded  {} more agents of these cells, which no agent perceives (world.crowd)",
                load.unseen
            );
        }
    }
    if let Some(search) = f.search_loop {
        let _ =
            writeln!(out, "loop     {} instructions for each candidate, {} more for each hit", search.test, search.hit);
    }
    let (c, floor) = (&f.ceilings, &f.floor);
    let shown =
        |figure: Option<f64>, digits: usize| figure.map_or("?".to_owned(), |figure| format!("{figure:.digits$}"));
    let share = |share: Option<f64>| shown(share.map(|share| share * 100.0), 0);
    let _ = writeln!(
        out,
        "ceilings copy {} GB/s, {} G instructions/s, {} µs a dispatch; at these the step would be {} % copies, {} % \
         search on {} lanes in step, {} % dispatches",
        shown(c.copy_gb_per_s, 1),
        shown(c.instructions_g_per_s, 2),
        shown(c.dispatch_us, 1),
        share(floor.copy),
        share(floor.search),
        f.lanes_in_step,
        share(floor.dispatches)
    );
    if [c.copy_gb_per_s, c.instructions_g_per_s, c.dispatch_us].contains(&None) {
        let _ = writeln!(
            out,
            "note     ? is not measured: the machine is busy, or the step is faster than what was measured, as it may be in caches"
        );
    }
}

/// The predicted time of the step on known GPUs.
fn predicted(out: &mut String, predictions: &[Prediction]) {
    if !predictions.is_empty() {
        let head = ["dispatches", "memory", "search", "step"];
        let _ = writeln!(out, "\n{:16} {:>11} {:>9} {:>9} {:>9}", "predicted, ms", head[0], head[1], head[2], head[3]);
    }
    for p in predictions {
        let (memory, search) = (p.memory_ms, p.search_ms);
        let _ = writeln!(out, "{:16} {:>11.3} {memory:>9.3} {search:>9.3} {:>9.3}", p.gpu, p.launches_ms, p.step_ms);
    }
}

/// The timed steps in the trace event format, microseconds: when each began and how long it took, its passes within it; a process for
/// each side that is compared.
pub(super) fn trace(sides: &[(&str, &Simulation, &Times)]) -> String {
    let mut events = Vec::new();
    for (process, (name, simulation, times)) in sides.iter().enumerate() {
        events.push(serde_json::json!({
            "name": "process_name", "ph": "M", "pid": process, "args": { "name": name }
        }));
        for span in &times.spans {
            let pass = span.pass.and_then(|pass| simulation.of_step().nth(pass));
            events.push(serde_json::json!({
                "name": pass.map_or("step", |pass| pass.name), "cat": pass.map_or("step", |pass| pass.stage.name),
                "ph": "X", "ts": span.begin * 1e6, "dur": span.length * 1e6, "pid": process, "tid": 0,
                "args": { "step": span.step }
            }));
        }
    }
    serde_json::json!({ "traceEvents": events, "displayTimeUnit": "ms" }).to_string()
}
