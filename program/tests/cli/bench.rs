//! `steerling bench` and `steerling profile` as a user meets them: what they count, print and refuse. How long anything takes is
//! for benchmarks, and no test asks.

use super::messages::embedded;
use super::place::Place;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use steerling::measure::{Ratio, turns};

/// The only state that is kept in a folder.
fn kept(folder: &Path) -> PathBuf {
    let files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[test]
fn everybody_is_first_in_turn() {
    let order = |round| turns(3, round).collect::<Vec<_>>();
    assert_eq!([order(0), order(1), order(2), order(3)], [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]);
    assert_eq!(turns(0, 5).count(), 0);
}

#[test]
fn a_ratio_has_an_interval_as_wide_as_its_times_vary() {
    let steady = [2.0, 2.01, 1.99, 2.0, 2.02, 1.98, 2.0];
    let shaky = [1.0, 2.0, 4.0, 1.5, 3.0, 2.0, 1.0];
    let half: Vec<f64> = steady.iter().map(|time| time / 2.0).collect();
    let narrow = Ratio::of_medians(&steady, &half).unwrap();
    assert!(narrow.ratio == 2.0 && narrow.low > Some(1.95) && narrow.high < Some(2.05), "{narrow:?}");
    let wide = Ratio::of_medians(&steady, &shaky).unwrap();
    assert!(wide.ratio == 1.0 && wide.low < Some(0.8) && wide.high > Some(1.4), "{wide:?}");
    // Few times, no interval; two in the middle, the mean of them.
    let few = Ratio::of_medians(&[1.0, 2.0, 4.0, 5.0], &steady).unwrap();
    assert_eq!((few.ratio, few.low, few.high), (1.5, None, None));
    // The same times, the same interval.
    assert_eq!(Ratio::of_medians(&steady, &shaky), Some(wide));
    assert_eq!(Ratio::of_medians(&steady, &[]), None);
    assert_eq!(Ratio::of_medians(&[0.0], &steady), None);
}

#[test]
fn a_benchmark_prints_its_rows_and_keeps_flocked_states() {
    let place = Place::new();
    let line = "bench circ_3d --agents 300 --samples 2 --steps 2 --no-drawing --cache states --json";
    let first = place.json(line);
    let rows = first["rows"].as_array().unwrap();
    let key = |row: &Value| (row["state"].clone(), row["agents"].clone(), row["after_steps"].clone());
    let keys: Vec<_> = rows.iter().map(key).collect();
    assert_eq!(keys, [("fresh".into(), 300.into(), 0.into()), ("flocked".into(), 300.into(), 200.into())]);
    for row in rows {
        assert_eq!((row["samples_ms"].as_array().unwrap().len(), &row["steps_per_sample"]), (2, &2.into()));
        let per_agent = row["step_ms"].as_f64().unwrap() * 1e6 / 300.0;
        assert!((row["ns_per_agent"].as_f64().unwrap() / per_agent - 1.0).abs() < 1e-9, "{row:#}");
    }
    assert_ne!(rows[0]["digest"], rows[1]["digest"]);

    // The second time it is read, and is what it was.
    let state = kept(&place.at("states"));
    assert!(state.to_str().unwrap().contains(rows[1]["digest"].as_str().unwrap()));
    let again = place.call(line);
    assert!(!again.err.contains("to flock"), "{}", again.err);
    assert_eq!(again.json()["rows"][1]["digest"], rows[1]["digest"]);
    // Another seed is another state.
    let other = place.call(&format!("{line} --seed 2 --state flocked"));
    assert!(other.err.contains("to flock"), "{}", other.err);
}

/// A state that is not what its name says is refused, and never used.
#[test]
fn a_kept_state_is_checked() {
    let place = Place::new();
    let line = "bench circ_3d --agents 200 --samples 1 --steps 1 --no-drawing --cache states --state flocked";
    place.good(line);
    let state = kept(&place.at("states"));
    let whole = fs::read(&state).unwrap();
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&state, damaged).unwrap();
    place.refused(line, 5, "is damaged");
    // The whole state under the name of another digest.
    fs::remove_file(&state).unwrap();
    let name = state.file_name().unwrap().to_str().unwrap().replace(".steering", "");
    let (stem, digest) = name.rsplit_once('-').unwrap();
    let wrong = state.with_file_name(format!("{stem}-{}.steering", "0".repeat(digest.len())));
    fs::write(&wrong, &whole).unwrap();
    place.refused(line, 5, "does not have the digest that its name says");
    fs::rename(&wrong, &state).unwrap();
    place.good(line);
}

#[test]
fn a_baseline_bounds_what_a_step_may_take() {
    let place = Place::new();
    let line = "bench fg_2d --agents 300 --samples 6 --steps 1 --no-drawing --state fresh";
    let mut report = place.json(&format!("{line} --json"));
    let set = |report: &mut Value, ms: f64| {
        report["rows"][0]["samples_ms"] = vec![ms; 6].into();
        place.write("before.json", report.to_string());
    };
    let against = |more: &str| format!("{line} --baseline before.json {more}");
    // No machine takes a microsecond, or a day.
    set(&mut report, 1e-6);
    place.refused(&against("--bound 2"), 3, "fg_2d, fresh, 300 agents");
    place.good(&against(""));
    set(&mut report, 8.64e7);
    place.good(&against("--bound 2"));
    place.refused(&against("--bound 2 --samples 5").replace("--samples 6", ""), 2, "at least --samples 6");
    // One of another state is compared, and said to be so.
    assert!(!place.good(&against("")).out.contains("another state"));
    report["rows"][0]["digest"] = "0".into();
    set(&mut report, 1.0);
    assert!(place.good(&against("")).out.contains("another state"));

    report["rows"][0]["agents"] = 301.into();
    set(&mut report, 1.0);
    place.refused(&against(""), 5, "no row with the world, state and number of agents of any row of this run");
    set(&mut report, -1.0);
    place.refused(&against(""), 5, "");
    place.write("before.json", "{}");
    place.refused(&against(""), 5, "is not what `steerling bench --json` prints");
}

#[cfg(unix)]
#[test]
fn a_program_runs_in_turn_with_ours() {
    let place = Place::new();
    let line = "bench bw_3d --agents 200 --samples 3 --steps 1 --no-drawing --state fresh --json --against";
    let program =
        r#"echo {agents} {dimensions} >> calls; echo first; test -f {state} && echo {\"median_ms\": 8}; echo"#;
    let row = place.json(&format!("{line} '{program}'"))["rows"][0].clone();
    assert_eq!(place.text("calls"), "200 3\n".repeat(3));
    let ratio = row["step_ms"].as_f64().unwrap() / 8.0;
    assert_eq!((&row["against"]["step_ms"], &row["against"]["name"]), (&8.0.into(), &"program".into()));
    assert!((row["against"]["ratio"].as_f64().unwrap() - ratio).abs() < 1e-12, "{row:#}");
    let wrong = [
        ("'echo fast'", "is not JSON"),
        ("'echo sorry >&2; exit 9'", "sorry"),
        ("'echo 0'", "0 ms"),
        ("'echo {\\\"ms\\\": 1}'", "its JSON is neither"),
        ("'yes'", "more than 1 MiB"),
    ];
    place.refuses(line, 1, &wrong);
}

#[test]
fn a_chart_is_written_and_overwrites_nothing() {
    let place = Place::new();
    let line = "bench fg_2d circ_3d --agents 200,400 --samples 1 --steps 1 --state fresh --size 64x36 --plot chart.svg";
    let done = place.good(line);
    // A head, and a line for each world and number, with the time of a picture.
    let rows = done.out.lines().filter(|line| line.contains(" fresh "));
    let drawn = rows.map(|row| row.split_whitespace().last().unwrap().parse::<f64>().unwrap());
    assert_eq!(drawn.filter(|ms| *ms > 0.0).count(), 4);
    let svg = place.text("chart.svg");
    assert!(svg.starts_with("<svg") && svg.contains("fg_2d, fresh") && svg.contains("circ_3d, fresh"), "{svg}");
    // Labels are below one another, however near the times.
    let labels = svg.split("<text ").filter(|text| text.contains(", fresh"));
    let tops = labels.map(|text| text.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse::<i32>().unwrap());
    let mut tops: Vec<i32> = tops.collect();
    tops.sort_unstable();
    assert!(tops.len() == 2 && tops[1] - tops[0] >= 11, "{svg}");
    place.refused(line, 1, "--force");
    place.good(&format!("{line} --force"));
}

#[test]
fn what_is_no_benchmark_is_refused() {
    let place = Place::new();
    let wrong = [
        ("bw_2", "did you mean `bw_2d`?"),
        ("--agents 0", "0"),
        ("--agents many", "many"),
        ("--bound 2", "--baseline"),
        ("--baseline plain --bound -1", "bound"),
        ("--state old", "fresh"),
        ("--plot chart.png", "must end in .svg"),
    ];
    place.refuses("bench", 2, &wrong);
    place.refused("bench --baseline none.json", 5, "");
    assert_eq!(place.good("bench --list").out.lines().count(), 8);
}

#[test]
fn a_profile_says_where_it_begins_and_what_was_counted() {
    let place = Place::new();
    let profile = |more: &str| place.json(&format!("profile fish_tank --agents 300 --steps 3 --json {more}"));
    let settled = profile("");
    let warmup = settled["warmup"].as_u64().unwrap();
    assert!((200..=2000).contains(&warmup) && warmup.is_multiple_of(50), "{warmup}");
    assert!(settled["steady"].is_boolean() && settled["from"].is_null(), "{settled:#}");
    let fixed = profile("--warmup 7");
    assert_eq!((&fixed["warmup"], &fixed["steady"]), (&7.into(), &Value::Null));
    assert_eq!(fixed["samples_ms"].as_array().unwrap().len(), 3);

    // From a state, with as many agents as it has.
    place.good("run flock --agents 500 --steps 5 --out a");
    let line = "profile flock --set world.size=[60,40] --from a/states/000005.npy --steps 2";
    let from = place.json(&format!("{line} --json --predict"));
    assert_eq!((&from["warmup"], &from["agents"], &from["load"]["lookers"]), (&3.into(), &500.into(), &500.into()));
    assert_eq!(from["from"], "a/states/000005.npy");
    assert!(from["predictions"].as_array().unwrap().len() >= 8);
    let text = place.good(line).out;
    for part in
        ["after 3 steps from a/states", "tests ", "hits ", "as they go", "by their agents", "ceilings copy", "advice"]
    {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    place.refused("profile flock --from none.npy", 5, "");
}

/// Bytes of a pass are those of what it reads and those of what it writes: in a plane `scatter` reads cells, and where each of them
/// starts, and writes slots; `gather` reads these, id, position and velocity, and writes the agents. Adapters that load agents from a
/// texture keep ids beside the slots, ask for the cell, and write two texels of 16 bytes for each agent in place of the columns.
#[test]
fn a_profile_counts_bytes_by_what_a_pass_does() {
    let place = Place::new();
    // A search for the nearest is a dispatch of its own; so is the look for crowded cells, where there are agents enough.
    let [figures, _] = [("flock", 6), ("predator_and_prey", 7)].map(|(scene, dispatches)| {
        let figures = place.json(&format!("profile {scene} --agents 4000 --steps 1 --warmup 1 --json"));
        let each = figures["stages"].as_array().unwrap().iter().map(|stage| stage["dispatches"].as_f64().unwrap());
        assert_eq!((&figures["dispatches"], each.sum()), (&dispatches.into(), f64::from(dispatches)), "{scene}");
        figures
    });
    let bytes = |name: &str| {
        let stage = figures["stages"].as_array().unwrap().iter().find(|stage| stage["stage"] == name).unwrap();
        stage["bytes_per_agent"].as_f64().unwrap()
    };
    let starts = 4.0 * (figures["cells"].as_f64().unwrap() + 2.0) / 4000.0;
    let (word, vector) = (4.0, 8.0);
    let read = word + word + 2.0 * vector;
    let (scatter, gather) = match figures["adapter"].as_str().unwrap().contains("llvmpipe") {
        true => (4.0 * word, read + word + 2.0 * 16.0),
        false => (2.0 * word, read + 2.0 * vector + word),
    };
    let (scatter, gather) = (scatter + starts, gather + starts);
    for (stage, wanted) in [("scatter", scatter), ("gather", gather)] {
        // Parameters are read too, which many agents share.
        assert!((wanted..wanted + 2.0).contains(&bytes(stage)), "{stage}, {wanted}: {figures:#}");
    }
}

#[test]
fn a_profile_compares_with_shaders_and_with_figures_of_before() {
    let place = Place::new();
    // Fewer steps have no interval.
    let line = "profile flock --agents 400 --steps 6 --warmup 1 --json";
    let before = place.good(line).out;
    place.write("before.json", &before);
    place.write("shaders/sim/steer.wgsl", embedded("sim/steer.wgsl"));
    for other in ["plain", "stages", "workgroup-size=128", "shaders=shaders", "before.json", "vicsek"] {
        let found = place.json(&format!("{line} --against {other}"));
        let (ours, theirs) = (&found["step_median_ms"], &found["baseline"]);
        let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{other}: {found:#}"));
        assert!((number(&theirs["ratio"]) - number(ours) / number(&theirs["step_median_ms"])).abs() < 1e-9, "{other}");
        assert!(number(&theirs["low"]) <= number(&theirs["high"]), "{other}: {theirs:#}");
        assert!(!["plain", "vicsek"].contains(&other) || theirs["name"] == other, "{theirs:#}");
        assert_eq!(theirs["samples_ms"].as_array().unwrap().len(), 6, "{other}");
    }
    let saved: Value = serde_json::from_str(&before).unwrap();
    let again = place.json(&format!("{line} --against before.json"));
    assert_eq!(again["baseline"]["samples_ms"], saved["samples_ms"]);
    let other = "profile vicsek --agents 400 --steps 1 --warmup 1 --against before.json";
    place.refused(other, 0, "the figures are of another scene, flock");
    for (bad, reason) in [("{}", "is not what `steerling profile --json` prints"), ("no", "is not what")] {
        place.write("before.json", bad);
        place.refused(&format!("{line} --against before.json"), 5, reason);
    }
    let wrong = [("shaders=none", 5, ""), ("vicsec", 5, "`vicsek`"), ("workgroup-size=7", 2, "64, 128 or 256")];
    for (other, code, words) in wrong {
        let seen = place.refused(&format!("{line} --baseline {other}"), code, words);
        assert!(!seen.err.contains("note:"), "an adapter was opened: {}", seen.err);
    }
}

/// Passes lie within their step, one after another, and both sides in the order in which they took turns.
#[test]
fn a_trace_says_when_passes_ran() {
    let place = Place::new();
    place.good("profile flock --agents 3000 --steps 3 --warmup 1 --against stages --chrome-trace t.json");
    let trace: Value = serde_json::from_str(&place.text("t.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let number = |event: &Value, key: &str| event[key].as_f64().unwrap();
    let end = |event: &Value| number(event, "ts") + number(event, "dur");
    let of = |side: u64, step: u64| {
        let all = events.iter().filter(move |event| event["ph"] == "X" && event["pid"] == side);
        all.filter(move |event| event["args"]["step"] == step)
    };
    let mut ends = Vec::new();
    for step in 0..3 {
        for (side, passes) in [(0, 6), (1, 8)] {
            let (whole, passes_of): (Vec<&Value>, Vec<&Value>) = of(side, step).partition(|e| e["name"] == "step");
            assert_eq!((whole.len(), passes_of.len()), (1, passes), "side {side}, step {step}");
            assert!(passes_of.windows(2).all(|pair| end(pair[0]) <= number(pair[1], "ts")), "side {side}, step {step}");
            let inside = |e: &&Value| number(e, "ts") >= number(whole[0], "ts") && end(e) <= end(whole[0]) + 1e-3;
            assert!(passes_of.iter().all(inside), "side {side}, step {step}");
            ends.push((number(whole[0], "ts"), end(whole[0])));
        }
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(ends.windows(2).all(|pair| pair[0].1 <= pair[1].0), "steps overlap: {ends:?}");
}

#[test]
fn a_benchmark_predicts_beside_what_was_published() {
    let place = Place::new();
    let line = "bench circ_3d --agents 300 --samples 1 --steps 1 --no-drawing --state fresh --predict";
    let found = place.json(&format!("{line} --json"));
    assert!(found["rows"][0]["predictions"].as_array().unwrap().len() >= 8);
    let rows = found["published"].as_array().unwrap();
    assert!(rows.len() >= 8);
    for row in rows {
        let ratio = row["predicted_ms"].as_f64().unwrap() / row["published_ms"].as_f64().unwrap();
        assert!((row["ratio"].as_f64().unwrap() - ratio).abs() < 1e-9, "{row:#}");
    }
    let text = place.good(line).out;
    assert!(text.contains("nothing of it measured") && text.contains("FLAME GPU 2 circles"), "{text}");
}

/// What there is when a signal comes is printed.
#[cfg(unix)]
#[test]
fn a_benchmark_that_is_interrupted_prints_what_it_has() {
    use super::place::{end, signal, until};
    let place = Place::new();
    let line = "bench fg_2d circ_3d --agents 200 --samples 1 --steps 1 --no-drawing --state fresh --json --against";
    // The first world is done, and the second waits.
    let program = "test {dimensions} = 3 && touch waiting && sleep 5; echo 1";
    let mut child = place.command(&format!("{line} '{program}'")).spawn().unwrap();
    until(&mut child, || place.at("waiting").exists());
    signal(&child, "INT");
    let seen = end(child);
    assert_eq!(seen.code, 130);
    let report: Value = serde_json::from_str(&seen.out).unwrap();
    assert_eq!((&report["interrupted"], report["rows"].as_array().unwrap().len()), (&true.into(), 1));
    assert_eq!(report["rows"][0]["bench"], "fg_2d");
}
