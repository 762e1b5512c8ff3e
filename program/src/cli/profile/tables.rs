//! What `steerling profile` prints.

use super::*;
use std::fmt::Write as _;
use steerling::measure::{LaneLoad, Occupancy};

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
    if let dropped @ 1.. = f.dropped_timestamps {
        let _ = writeln!(out, "note     {dropped} timestamps ran backward or past the step's time and were dropped");
    }
    if f.passes_timed {
        let _ = writeln!(
            out,
            "\n{:10} {:>10} {:>11} {:>10} {:>7} {:>10} {:>8} {:>9} {:>13}",
            "stage", "dispatches", "median ms", "p95 ms", "share", "MB moved", "B/agent", "GB/s", "instructions"
        );
        for row in &f.stages {
            let StageFigures { stage, dispatches, median_ms, p95_ms, bytes_per_agent, gb_per_s, instructions, .. } =
                row;
            let (share, moved) = (row.share * 100.0, row.bytes as f64 / 1e6);
            let _ = write!(out, "{stage:10} {dispatches:>10} {median_ms:>11.3} {p95_ms:>10.3} {share:>6.1}%");
            let _ = writeln!(out, " {moved:>10.2} {bytes_per_agent:>8.1} {gb_per_s:>9.2} {instructions:>13}");
        }
    }
    let Figures { step_median_ms, step_p95_ms, steps, agents_per_s, dispatches, .. } = f;
    let memory = f.memory_bytes as f64 / 1e6;
    let _ = write!(out, "\nstep     median {step_median_ms:.3} ms, p95 {step_p95_ms:.3} ms over {steps} steps; ");
    let _ = writeln!(out, "{agents_per_s:.3e} agents/s; {dispatches} dispatches; {memory:.1} MB of buffers");
    if let Some(BaselineFigures { name, step_median_ms, ratio, .. }) = &f.baseline {
        let _ = writeln!(out, "{name:8} median {step_median_ms:.3} ms; ratio of medians (ours / {name}) {ratio}");
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
            let LaneLoad { lanes, walk, hits, rows, flat, loads } = lanes;
            let _ = write!(out, "{lanes:<10} {walk:>11.2} {waiting:>7.0}% {hits:>8.2} {rows:>10.2}");
            let _ = writeln!(out, " {flat:>10.2} {loads:>14.2}");
        }
        let row = |Occupancy { from, to, cells, .. }: &Occupancy| match from == to {
            true => format!("{from}: {cells}"),
            false => format!("{from} to {to}: {cells}"),
        };
        let rows = load.occupancy.iter().map(row).collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "\ncells    by their agents  {rows}");
        if let unseen @ 1.. = load.unseen {
            let _ =
                writeln!(out, "crowded  {unseen} more agents of these cells, which no agent perceives (world.crowd)");
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
