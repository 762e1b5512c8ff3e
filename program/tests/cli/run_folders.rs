//! What a run leaves, and how it ends, goes on and is repeated: docs/run-folders.md.

use super::messages::embedded;
use super::place::{Place, manifest};
use super::{metrics, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Every file below a folder, with digits as zeros.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().replace(|c: char| c.is_ascii_digit(), "0");
        match path.is_dir() {
            true => found.extend(files(&path).into_iter().map(|inner| format!("{name}/{inner}"))),
            false => found.extend([name]),
        }
    }
    found
}

/// A number of steps may be any u64: a sum with it is none.
#[test]
fn rows_may_be_as_far_apart_as_a_number_goes() {
    let place = Place::new();
    let line = format!(
        "run flock --agents 80 --steps 3 --device cpu --states-every none --metrics-every {} --out a",
        u64::MAX
    );
    place.good(&line);
    assert_eq!(metrics(&place.at("a")).len(), 2, "the first and the last");
}

/// What stands between backquotes at the start of each row of the tables of a section.
fn named(page: &str, section: &str) -> BTreeSet<String> {
    let (_, text) = page.split_once(&format!("\n## {section}\n")).unwrap();
    let text = text.split("\n## ").next().unwrap();
    let name = |line: &str| Some(line.strip_prefix("| `")?.split('`').next()?.to_owned());
    text.lines().filter_map(name).collect()
}

/// The dotted keys of a record, with tables opened.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    for (name, value) in value.as_object().unwrap() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match value {
            Value::Object(_) if !["from", "resumed", "tracks", "events"].contains(&name.as_str()) => {
                keys(value, &path, found)
            }
            _ => found.extend([path]),
        }
    }
}

#[test]
fn the_page_of_run_folders_is_current() {
    let page = fs::read_to_string(root().join("docs/run-folders.md")).unwrap();
    let place = Place::new();
    place.good("run actions --device cpu --steps 6 --every 3 --checkpoint-every 4 --track 1 --events 3 --parquet --out out --set lines=[{from=[0,-20],to=[0,20]}]",
    );
    let out = place.at("out");
    let zeroed = |names: BTreeSet<String>| -> BTreeSet<String> {
        names.into_iter().map(|name| name.replace(|c: char| c.is_ascii_digit(), "0")).collect()
    };
    let mut told = zeroed(named(&page, "Files"));
    told.retain(|name| !name.starts_with("--"));
    let mut left = files(&out);
    // The page names one of them.
    for table in ["tracks", "events", "crossings"] {
        assert!(left.remove(&format!("{table}.parquet")), "{table}");
    }
    assert_eq!(told, left);

    let header = place.text("out/metrics.csv");
    let columns: Vec<&str> = header.lines().next().unwrap().split(',').collect();
    let general = |name: &&str| name.split_once('.').map_or(name.to_string(), |(name, _)| format!("{name}.NAME"));
    // Where agents leave there are columns more.
    place.good("run evacuation --agents 50 --device cpu --steps 0 --out hall");
    let hall = place.text("hall/metrics.csv");
    let all = columns.iter().copied().chain(hall.lines().next().unwrap().split(','));
    assert_eq!(named(&page, "metrics.csv"), all.map(|name| general(&name)).collect());
    assert_eq!(manifest(&out)["metrics"]["columns"], serde_json::json!(columns));

    let mut found = BTreeSet::new();
    keys(&manifest(&out), "", &mut found);
    assert_eq!(named(&page, "run.json"), found);

    let help = place.good("run --help").out;
    let flags: Vec<String> = named(&page, "Files").into_iter().filter(|name| name.starts_with("--")).collect();
    assert!(flags.len() == 11 && flags.iter().all(|flag| help.contains(flag.split(' ').next().unwrap())), "{flags:?}");
}

#[test]
fn metrics_and_states_have_their_own_spacing() {
    let place = Place::new();
    let run = |flags: &str, out: &str| {
        place.good(&format!("run flock --agents 60 --device cpu --steps 10 {flags} --out {out}"));
        let out = place.at(out);
        let steps: Vec<String> = metrics(&out).iter().map(|row| row[0].to_owned()).collect();
        (steps.join(" "), manifest(&out)["states"]["files"].as_array().unwrap().len(), out)
    };
    let (steps, states, out) = run("--metrics-every 4 --states-every none", "a");
    assert_eq!((steps.as_str(), states, out.join("states").exists()), ("0 4 8 10", 0, false));
    assert_eq!(&metrics(&out)[0][4], "", "nobody counted neighbors before the first step");
    assert!(metrics(&out)[1][4].parse::<f64>().unwrap() > 0.0);
    let (steps, states, _) = run("--metrics-every 3 --states-every 5", "b");
    assert_eq!((steps.as_str(), states), ("0 3 6 9 10", 3));
    let (steps, states, _) = run("--every 5", "c");
    assert_eq!((steps.as_str(), states), ("0 5 10", 3));
    for (flags, said) in [
        ("--states-every 0", "or none"),
        ("--states-every never", "or none"),
        ("--every 2 --metrics-every 2", "--every"),
    ] {
        place.refused(&format!("run flock --device cpu {flags} --out no"), 2, said);
        assert!(!place.at("no").exists());
    }
}

/// Also from a checkpoint before the second row, and where a run that was killed has left no record.
#[test]
fn a_resumed_run_keeps_its_spacing() {
    let place = Place::new();
    place.good("run flock --agents 60 --device cpu --steps 8 --metrics-every 4 --checkpoint-every 3 --out a");
    let whole = place.text("a/metrics.csv");
    assert_eq!(metrics(&place.at("a")).len(), 3);
    for killed in [false, true] {
        if killed {
            fs::remove_file(place.at("a/run.json")).unwrap();
        }
        place.good("run --resume a/checkpoints/000003.steering --device cpu --steps 8");
        assert_eq!(place.text("a/metrics.csv"), whole);
    }
}

/// Whole numbers are added up, so a species is the same on both to the last digit.
#[test]
fn each_species_is_observed_alike_on_both_backends() {
    let place = Place::new();
    let scene = "run zones --set species.swarm.count=130 --steps 40 --metrics-every 10 --states-every none";
    let table = |device: &str, out: &str| {
        place.good(&format!("{scene} --device {device} --out {out}"));
        place.text(&format!("{out}/metrics.csv"))
    };
    let (gpu, cpu) = (table("gpu", "gpu"), table("cpu", "cpu"));
    assert_eq!(gpu, cpu);
    assert_ne!(gpu, table("gpu --set species.1.count=100", "other"));
    // A shader that takes each agent for one of another species is noticed.
    let observe = |from: &str, to: &str| {
        place.write("mutant/sim/observe.wgsl", embedded("sim/observe.wgsl").replace(from, to));
    };
    observe("& ID_BITS) >= tails)", "& ID_BITS) > tails)");
    assert_ne!(gpu, table("gpu --shaders mutant", "mistaken"));
    // Seven species take two layers of the dispatch, one of them is empty.
    let species = |index: usize| {
        format!(
            "[[species]]\nname = \"s{index}\"\ncount = {}\nmax_speed = {}\nbehaviors.wander = {{}}\n",
            index * 9 % 63,
            index + 4
        )
    };
    let seven: String = (1..=7).map(species).collect();
    place.write("seven.toml", format!("schema = 1\nworld.size = [40, 40]\n{seven}"));
    let of_seven = |device: &str, out: &str| {
        place.good(&format!(
            "run seven.toml --steps 4 --metrics-every 2 --states-every none --device {device} --out {out}"
        ));
        place.text(&format!("{out}/metrics.csv"))
    };
    let seven = of_seven("gpu", "seven");
    assert_eq!(seven, of_seven("cpu", "seven-cpu"));
    observe("first_ids[group.y]", "first_ids[0u]");
    assert_ne!(seven, of_seven("gpu --shaders mutant", "seven-mutant"));
    assert_eq!(place.manifest("gpu")["scene"]["species"][0]["count"], 130, "named, not numbered");
    // All together are what the species are, each by its number.
    let (run, rows) = (place.manifest("gpu"), metrics(&place.at("gpu")));
    let number = |column: usize| rows[4][column].parse::<f64>().unwrap();
    let counts = run["scene"]["species"].as_array().unwrap().iter().map(|species| species["count"].as_f64().unwrap());
    let counts: Vec<f64> = counts.collect();
    for (all, of_first) in [(3, 8), (4, 9)] {
        let sum: f64 = counts.iter().enumerate().map(|(index, count)| count * number(of_first + 3 * index)).sum();
        let mean = sum / counts.iter().sum::<f64>();
        assert!((mean - number(all)).abs() < 1e-9 * mean, "{mean} {}", number(all));
    }
    let orders: BTreeSet<&str> = [2, 7, 10, 13].map(|column| &rows[4][column]).into();
    assert_eq!(orders.len(), 4, "each has its own order");
    place.refused("run zones --set species.swarn.count=3", 5, "did you mean `swarm`?");
}

#[test]
fn the_hash_knows_all_that_decides() {
    let place = Place::new();
    let own = "schema = 1\nworld.size = [40, 40]\n[[behavior]]\nfile = \"swirl.wgsl\"\n[[species]]\ncount = 20\nbehaviors.swirl = {}\n";
    place.write("mine.toml", own);
    let swirl = fs::read_to_string(root().join("examples/own_behaviors/swirl.wgsl")).unwrap();
    place.write("swirl.wgsl", &swirl);
    let mut count = 0;
    let mut run = |line: &str| {
        count += 1;
        let out = format!("out{count}");
        place.good(&format!("run {line} --device cpu --steps 3 --out {out}"));
        place.manifest(&out)
    };
    let first = run("mine.toml");
    let mut hashes = BTreeSet::from([first["hash"].as_str().unwrap().to_owned()]);
    assert_eq!(first["hash"], run("mine.toml --metrics-every 2")["hash"], "what is written decides nothing");
    assert_eq!(first["scene"]["files"][0]["text"], swirl);
    assert_eq!((&first["command"][1], &first["command"][2]), (&"run".into(), &"mine.toml".into()));
    for line in ["--seed 2", "--set dt=0.02", "--agents 30", "--from out1/states/000003.npy"] {
        let other = run(&format!("mine.toml {line}"));
        assert!(hashes.insert(other["hash"].as_str().unwrap().to_owned()), "{line}");
    }
    place.write("swirl.wgsl", swirl + "\n// changed\n");
    assert!(hashes.insert(run("mine.toml")["hash"].as_str().unwrap().to_owned()), "the file's contents count");
}

#[test]
fn a_run_goes_on_in_place_as_if_it_had_not_stopped() {
    let place = Place::new();
    let scene = "run flock --agents 80 --device cpu --metrics-every 7 --states-every 10";
    place.good(&format!("{scene} --steps 40 --out whole"));
    place.good(&format!("{scene} --steps 22 --checkpoint-at-end --out part"));
    assert_ne!(fs::read(place.at("whole/metrics.csv")).unwrap(), fs::read(place.at("part/metrics.csv")).unwrap());
    // Rows that were written after the checkpoint, half of one, and what a row that was cut in its first number reads as, are those of steps
    // that are taken again.
    let rows = place.text("part/metrics.csv");
    place.write("part/metrics.csv", "step,spe");
    place.refused("run --resume part --device cpu --steps 40", 5, "has no columns");
    fs::remove_file(place.at("part/metrics.csv")).unwrap();
    let seen = place.call("run --resume part --device cpu --steps 30 --quiet");
    assert!(seen.code == 0 && !place.at("part/metrics.csv").exists(), "{}", seen.err);
    let row = |step: u32| format!("{step},0.1,0.5,1,1,0,0");
    let tails = [row(28) + "\n3", "1".to_owned(), "12,".to_owned(), row(18), format!("1\n{}\n", row(18))];
    for rest in tails.into_iter().chain([format!("{},2\n{}\n", row(18), row(18))]) {
        place.write("part/metrics.csv", format!("{rows}{rest}"));
        place.good("run --resume part --device cpu --steps 40 --states-every 10");
        assert_eq!(place.text("whole/metrics.csv"), place.text("part/metrics.csv"), "{rest:?}");
    }
    assert_eq!(place.digest("whole"), place.digest("part"));
    assert_eq!(place.manifest("part")["resumed"]["step"], 22);
    let listed = place.manifest("part")["states"]["files"].as_array().unwrap().len();
    assert_eq!(listed, fs::read_dir(place.at("part/states")).unwrap().count());
    place.good("rerun part --check --device cpu");
    // Elsewhere is a new folder, and the old one stays as it is.
    let before = fs::read(place.at("part/run.json")).unwrap();
    place.good("run --resume part/checkpoints/000022.steering --device cpu --steps 30 --out elsewhere");
    assert_eq!(before, fs::read(place.at("part/run.json")).unwrap());
    assert_eq!(place.manifest("elsewhere")["steps"], 30);
    place.refused("run --resume whole --device cpu", 5, "has no checkpoints");
}

#[test]
fn a_condition_ends_a_run_in_its_row() {
    let place = Place::new();
    let scene = "run flock --agents 100 --device cpu --states-every none";
    place.good(&format!("{scene} --steps 400 --metrics-every 3 --out whole"));
    let whole = metrics(&place.at("whole"));
    let order = |row: &csv::StringRecord| row[2].parse::<f64>().unwrap();
    // Half a second is 30 steps: ten rows after the first of them.
    let first = (0..whole.len() - 10).find(|row| whole[*row..=row + 10].iter().all(|row| order(row) > 0.4)).unwrap();
    assert!(first > 0, "it does not hold at the start");
    let until = "--until 'polarization > 0.4 for 0.5 s'";
    place.good(&format!("{scene} --steps 400 --metrics-every 3 {until} --out met"));
    let (met, run) = (metrics(&place.at("met")), place.manifest("met"));
    assert_eq!(met, whole[..=first + 10]);
    assert_eq!((&run["ended"], &run["until"]), (&"until".into(), &"polarization > 0.4 for 0.5 s".into()));
    place.refused(
        &format!("{scene} --steps 30 --until 'polarization > 1.5' --out unmet"),
        7,
        "not met within 30 steps",
    );
    assert_eq!(place.manifest("unmet")["ended"], "steps");
    place.refused(&format!("{scene} --until 'polarisation > 0.9' --out no"), 2, "did you mean `polarization`?");
    assert!(!place.at("no").exists());
}

#[test]
fn a_run_is_repeated_from_its_record() {
    let place = Place::new();
    let shader = fs::read_to_string(root().join("shaders/behaviors/cohesion.wgsl")).unwrap();
    place.write("shaders/behaviors/cohesion.wgsl", shader + "\n// a user's\n");
    let text = fs::read_to_string(root().join("assets/scenes/zones.toml")).unwrap();
    place.write("mine.toml", &text);
    for (name, line, device) in [
        ("plain", "flock --agents 90 --seed 5 --device cpu", "cpu"),
        ("file", "mine.toml --set species.torus.count=50 --device gpu", "cpu"),
        ("state", "flock --from plain/states/000012.npy --device cpu", "gpu"),
        ("own", "flock --agents 90 --shaders shaders --device gpu", "gpu"),
    ] {
        place.good(&format!("run {line} --steps 12 --out {name}"));
        let seen = place.good(&format!("rerun {name} --check --device {device}"));
        assert!(seen.out.contains("the same: digest"), "{name}: {}", seen.out);
    }
    let seen = place.good("rerun plain --out again --device cpu");
    assert!(seen.out.contains("the same"), "{}", seen.out);
    assert_eq!(place.manifest("plain")["hash"], place.manifest("again")["hash"]);

    // What has changed is said, and does not matter where the record has it.
    place.write("mine.toml", format!("{text}\n# changed\n"));
    let seen = place.good("rerun file/run.json --check --device cpu");
    assert!(seen.err.contains("mine.toml has changed since"), "{}", seen.err);
    place.write("plain/states/000012.npy", fs::read(place.at("state/states/000012.npy")).unwrap());
    place.refused("rerun state --check --device cpu", 5, "has changed since the run");
    place.refused("run plain/run.json", 5, "steerling rerun plain/run.json");

    // Any bit of the record.
    let record = fs::read(place.at("plain/run.json")).unwrap();
    for part in 0..40 {
        let mut changed = record.clone();
        changed[part * record.len() / 40] ^= 1 << (part % 8);
        place.write("changed.json", &changed);
        place.refused("rerun changed.json --check --device cpu", 5, "");
    }
    // Another digest under a right checksum is not the same.
    let text = String::from_utf8(record).unwrap();
    let start = text.find("\"digest\": \"").unwrap() + 11;
    let digit = if text[start..].starts_with('0') { "1" } else { "0" };
    let (before, _) = text.rsplit_once(": \"").unwrap();
    let unsealed = format!("{}{digit}{}: \"\"\n}}\n", &before[..start], &before[start + 1..]);
    let hash = blake3::hash(unsealed.as_bytes()).to_hex();
    place.write("changed.json", unsealed.replace(": \"\"\n}", &format!(": \"{hash}\"\n}}")));
    place.refused("rerun changed.json --check --device cpu", 3, "not the same");
}

/// What a scene asks to observe is equal on both backends to the last digit, and may end a run.
#[test]
fn what_is_asked_for_is_observed() {
    let place = Place::new();
    let all = "milling,speed_spread,density,density_contrast,nearest_distance,groups:3,\
               group_polarization,velocity_correlation:4,correlation_length,overlaps";
    let table = |rest: &str, out: &str| {
        place.good(&format!("run {rest} --steps 20 --metrics-every 5 --states-every none --out {out}"));
        place.text(&format!("{out}/metrics.csv"))
    };
    let gpu = table(&format!("zones --agents 300 --device gpu --observe {all}"), "gpu");
    assert_eq!(gpu, table(&format!("zones --agents 300 --device cpu --set observe={all}"), "cpu"));
    let columns: Vec<&str> = gpu.lines().next().unwrap().split(',').collect();
    let mean = columns.iter().position(|column| *column == "mean_group").unwrap();
    assert_eq!(columns[mean - 2..=mean], ["groups", "largest_group", "mean_group"]);
    for row in gpu.lines().skip(1) {
        let number = |column: usize| row.split(',').nth(column).unwrap().parse::<f64>().unwrap();
        assert_eq!(number(mean - 2) * number(mean), 300.0, "groups times their mean size are all agents");
    }
    assert_ne!(gpu, table(&format!("zones --agents 300 --device cpu --observe {}", all.replace(":3", ":2")), "other"));
    // Agents by their states are all agents of a species, and change as they act.
    let states = table("actions --device gpu --observe states", "states");
    assert_eq!(states, table("actions --device cpu --observe states", "states-cpu"));
    let rows: Vec<Vec<&str>> = states.lines().map(|row| row.split(',').collect()).collect();
    let scene = place.manifest("states")["scene"]["species"].clone();
    let name = scene.as_array().unwrap().iter().map(|species| species["name"].as_str().unwrap());
    let counted = |name: &str, row: &[&str]| -> f64 {
        let own = rows[0].iter().zip(row).filter(|(column, _)| column.starts_with(&format!("{name}.")));
        own.map(|(_, count)| count.parse::<f64>().unwrap()).sum()
    };
    let mut seen = 0;
    for (species, name) in
        name.enumerate().filter(|(_, name)| rows[0].iter().any(|column| column.starts_with(&format!("{name}."))))
    {
        assert!(rows[1..].iter().all(|row| counted(name, row) == scene[species]["count"].as_f64().unwrap()), "{name}");
        seen += 1;
    }
    let first = rows[0].iter().position(|column| column.starts_with("mice.")).unwrap();
    assert!(seen > 0 && rows[2..].iter().any(|row| row[first] != rows[1][first]), "{states}");
    // Events are what the columns of states differ by, however often somebody looks.
    for (device, every) in [("gpu", 5), ("cpu", 3)] {
        let line = format!(
            "run actions --steps 20 --metrics-every 5 --states-every none --events {every} --checkpoint-every 10 --device {device} --out ev-{device}"
        );
        place.good(&line);
    }
    let events = |out: &str| place.text(&format!("{out}/events.csv"));
    let whole = events("ev-gpu");
    assert_eq!(whole, events("ev-cpu"));
    let column = |name: &str| rows[0].iter().position(|column| *column == name).unwrap();
    let (mut counts, mut changes) = (vec![600.0, 0.0, 0.0], 0);
    let names = ["stroll", "alarm", "hungry"];
    let mut coming = whole.lines().skip(1).map(|event| event.split(',').collect::<Vec<_>>()).peekable();
    for row in rows.iter().skip(2) {
        let step = |field: &str| field.parse::<u32>().unwrap();
        while let Some(event) = coming.next_if(|event| step(event[0]) <= step(row[0])) {
            let hawk = 600..605;
            assert!(event[3] == "mice" && (event[6].is_empty() || hawk.contains(&step(event[6]))), "{event:?}");
            assert!(event[5] != "alarm" || !event[6].is_empty(), "nobody is a reason: {event:?}");
            counts[names.iter().position(|name| *name == event[4]).unwrap()] -= 1.0;
            counts[names.iter().position(|name| *name == event[5]).unwrap()] += 1.0;
            changes += 1;
        }
        let found = names.map(|name| row[column(&format!("mice.{name}"))].parse::<f64>().unwrap());
        assert_eq!(counts, found, "after {} steps", row[0]);
    }
    assert!(changes > 80 && coming.next().is_none(), "{changes}");
    place
        .good("run --resume ev-cpu/checkpoints/000010.steering --steps 20 --device cpu --states-every none --events 5");
    assert_eq!(events("ev-cpu"), whole);
    assert_eq!(place.manifest("ev-gpu")["events"]["files"], serde_json::json!(["events.csv"]));
    place.refused(
        "run flock --device cpu --events 5 --out no",
        2,
        "no species of this scene has several action states",
    );
    place.good("run flock --agents 60 --device cpu --steps 30 --observe groups:4 --until groups>0 --out until");
    assert_eq!(place.manifest("until")["steps"], 0);
    for (list, said) in [
        ("miling", "did you mean `milling`?"),
        ("milling,milling", "is given twice"),
        ("milling:3", "takes no distance"),
        ("groups:much", "`much` is not a distance"),
        ("states", "needs a species with several action states"),
        ("milling,,groups", "`` is no observable"),
    ] {
        place.refused(&format!("run flock --device cpu --observe {list} --out no"), 5, said);
        assert!(!place.at("no").exists());
    }
}

/// Tracks are the rows of states, of some agents.
#[test]
fn agents_are_tracked() {
    let place = Place::new();
    let run = "run murmuration --agents 200 --steps 6 --states-every 2 --track 7,190,7 --track-every 2";
    for device in ["gpu", "cpu"] {
        place.good(&format!("{run} --device {device} --checkpoint-every 4 --out {device}"));
    }
    let text = |out: &str| place.text(&format!("{out}/tracks.csv"));
    assert_eq!(text("gpu"), text("cpu"));
    let rows: Vec<Vec<f64>> =
        text("cpu").lines().skip(1).map(|row| row.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let moments: Vec<(f64, f64)> = rows.iter().map(|row| (row[0], row[2])).collect();
    assert_eq!(
        moments,
        [(0.0, 7.0), (0.0, 190.0), (2.0, 7.0), (2.0, 190.0), (4.0, 7.0), (4.0, 190.0), (6.0, 7.0), (6.0, 190.0)]
    );
    for row in &rows {
        let bytes = fs::read(place.at(&format!("cpu/states/{:06}.npy", row[0]))).unwrap();
        let state = npyz::NpyFile::new(&bytes[..]).unwrap();
        let numbers: Vec<f32> = state.into_vec().unwrap();
        let expected = &numbers[6 * row[2] as usize..][..6];
        assert!(
            row[3..].iter().zip(expected).all(|(found, expected)| *found as f32 == *expected),
            "{row:?} {expected:?}"
        );
    }
    assert!(rows[1][3] != rows[3][3], "it moves");
    // Gone on with in place, the table is that of a run that was never stopped.
    let whole = text("cpu");
    let seen = place.good("run --resume cpu/checkpoints/000004.steering --steps 6 --device cpu");
    assert_eq!(text("cpu"), whole);
    assert!(seen.err.contains("tracks.csv goes on with its 2 agents"), "{}", seen.err);
    assert!(seen.err.contains("goes on from step 4, and computes its rows up to step 6 again"), "{}", seen.err);
    assert_eq!(place.manifest("cpu")["states"]["files"], place.manifest("gpu")["states"]["files"]);
    // A share is the same agents in every run.
    let ids = |out: &str, seed: u32| -> BTreeSet<String> {
        place.good(&format!(
            "run flock --agents 2000 --seed {seed} --device cpu --steps 0 --states-every none --track 5% --out {out}"
        ));
        text(out).lines().skip(1).map(|row| row.split(',').nth(2).unwrap().to_owned()).collect()
    };
    let chosen = ids("one", 1);
    assert!((70..130).contains(&chosen.len()), "{}", chosen.len());
    assert_eq!(chosen, ids("two", 2));
    for (flags, said) in [
        ("--track 200", "there is no agent 200"),
        ("--track 0%", "1,5,9"),
        ("--track 1e-9%", "this share holds none of the"),
        ("--track a", "1,5,9"),
        ("--track-every 3", "--track"),
    ] {
        place.refused(&format!("run murmuration --agents 200 --device cpu {flags} --out no"), 2, said);
        assert!(!place.at("no").exists());
    }
}

/// Who crossed a line is listed in the step in which that was, however often somebody looks, and a run that goes on has the same list.
#[test]
fn crossings_are_listed_by_their_step() {
    let place = Place::new();
    let lines = "lines=[{name=\"door\",from=[0,-30],to=[0,30]},{from=[-30,1],to=[30,1]}]";
    let run = |flags: &str, out: &str| {
        let common =
            "--set species.0.count=400 --set world.size=[60,60] --steps 60 --metrics-every 60 --states-every none";
        place.good(&format!("run flock {common} --set {lines} {flags} --out {out}"));
        place.text(&format!("{out}/crossings.csv"))
    };
    let whole = run("--device cpu --events 7 --checkpoint-every 25", "cpu");
    assert_eq!(run("--device gpu --events 60", "gpu"), whole);
    let rows: Vec<Vec<&str>> = whole.lines().skip(1).map(|row| row.split(',').collect()).collect();
    assert!(rows.len() > 30 && rows.iter().any(|row| row[5] == "-1"), "{whole}");
    assert!(rows.is_sorted_by_key(|row| (row[0].parse::<u32>().unwrap(), row[2].parse::<u32>().unwrap())));
    // The counts have as many.
    let metrics = place.text("cpu/metrics.csv");
    let [names, last] = [0, 2].map(|row| metrics.lines().nth(row).unwrap().split(',').collect::<Vec<_>>());
    for (name, line, direction) in
        [("crossed.door", "door", "1"), ("crossed_back.door", "door", "-1"), ("crossed.line 1", "line 1", "1")]
    {
        let listed = rows.iter().filter(|row| (row[4], row[5]) == (line, direction)).count();
        let column = names.iter().position(|column| *column == name).unwrap();
        assert_eq!(last[column].parse::<usize>().unwrap(), listed, "{name}");
    }
    assert_eq!(place.manifest("cpu")["events"]["unlisted"], 0);
    assert!(!place.at("cpu/events.csv").exists());
    let go_on = "--steps 60 --metrics-every 60 --device cpu --states-every none";
    place.good(&format!("run --resume cpu/checkpoints/000025.steering {go_on}"));
    assert_eq!(place.text("cpu/crossings.csv"), whole);
    assert_eq!(place.text("cpu/metrics.csv"), metrics);
}
