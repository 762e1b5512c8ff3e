//! What a run leaves, and how it ends, goes on and is repeated: docs/run-folders.md.

use super::{Outcome, line_in as call, manifest, metrics};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn good(folder: &Path, line: &str) -> Outcome {
    let seen = call(folder, line);
    assert_eq!(seen.code, 0, "{line}: {}", seen.err);
    seen
}

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
    let temp = TempDir::new().unwrap();
    let line = format!(
        "run flock --agents 80 --steps 3 --device cpu --states-every none --metrics-every {} --out a",
        u64::MAX
    );
    good(temp.path(), &line);
    assert_eq!(metrics(&temp.path().join("a")).len(), 2, "the first and the last");
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
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/run-folders.md")).unwrap();
    let temp = TempDir::new().unwrap();
    good(
        temp.path(),
        "run actions --device cpu --steps 6 --every 3 --checkpoint-every 4 --track 1 --events 3 --parquet --out out --set lines=[{from=[0,-20],to=[0,20]}]",
    );
    let out = temp.path().join("out");
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

    let header = fs::read_to_string(out.join("metrics.csv")).unwrap();
    let columns: Vec<&str> = header.lines().next().unwrap().split(',').collect();
    let general = |name: &&str| name.split_once('.').map_or(name.to_string(), |(name, _)| format!("{name}.NAME"));
    // Where agents leave there are columns more.
    good(temp.path(), "run evacuation --agents 50 --device cpu --steps 0 --out hall");
    let hall = fs::read_to_string(temp.path().join("hall/metrics.csv")).unwrap();
    let all = columns.iter().copied().chain(hall.lines().next().unwrap().split(','));
    assert_eq!(named(&page, "metrics.csv"), all.map(|name| general(&name)).collect());
    assert_eq!(manifest(&out)["metrics"]["columns"], serde_json::json!(columns));

    let mut found = BTreeSet::new();
    keys(&manifest(&out), "", &mut found);
    assert_eq!(named(&page, "run.json"), found);

    let help = good(temp.path(), "run --help").out;
    let flags: Vec<String> = named(&page, "Files").into_iter().filter(|name| name.starts_with("--")).collect();
    assert!(flags.len() == 11 && flags.iter().all(|flag| help.contains(flag.split(' ').next().unwrap())), "{flags:?}");
}

#[test]
fn metrics_and_states_have_their_own_spacing() {
    let temp = TempDir::new().unwrap();
    let run = |flags: &str, out: &str| {
        good(temp.path(), &format!("run flock --agents 60 --device cpu --steps 10 {flags} --out {out}"));
        let out = temp.path().join(out);
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
        let seen = call(temp.path(), &format!("run flock --device cpu {flags} --out no"));
        assert!(seen.code == 2 && seen.err.contains(said) && !temp.path().join("no").exists(), "{}", seen.err);
    }
}

/// Also from a checkpoint before the second row, and where a run that was killed has left no record.
#[test]
fn a_resumed_run_keeps_its_spacing() {
    let temp = TempDir::new().unwrap();
    good(temp.path(), "run flock --agents 60 --device cpu --steps 8 --metrics-every 4 --checkpoint-every 3 --out a");
    let path = temp.path().join("a/metrics.csv");
    let whole = fs::read_to_string(&path).unwrap();
    good(temp.path(), "run --resume a/checkpoints/000003.steering --device cpu --steps 8");
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    assert_eq!(metrics(&temp.path().join("a")).len(), 3);
    fs::remove_file(temp.path().join("a/run.json")).unwrap();
    good(temp.path(), "run --resume a/checkpoints/000003.steering --device cpu --steps 8");
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
}

/// Whole numbers are added up, so a species is the same on both to the last digit.
#[test]
fn each_species_is_observed_alike_on_both_backends() {
    let temp = TempDir::new().unwrap();
    let scene = "run zones --set species.swarm.count=130 --steps 40 --metrics-every 10 --states-every none";
    let table = |device: &str, out: &str| {
        good(temp.path(), &format!("{scene} --device {device} --out {out}"));
        fs::read_to_string(temp.path().join(out).join("metrics.csv")).unwrap()
    };
    let (gpu, cpu) = (table("gpu", "gpu"), table("cpu", "cpu"));
    assert_eq!(gpu, cpu);
    assert_ne!(gpu, table("gpu --set species.1.count=100", "other"));
    // A shader that takes each agent for one of another species is noticed.
    let shader = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../shaders/sim/observe.wgsl")).unwrap();
    let mutant = shader.replace("& ID_BITS) >= tails)", "& ID_BITS) > tails)");
    assert_ne!(shader, mutant);
    fs::create_dir_all(temp.path().join("mutant/sim")).unwrap();
    fs::write(temp.path().join("mutant/sim/observe.wgsl"), mutant).unwrap();
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
    fs::write(temp.path().join("seven.toml"), format!("schema = 1\nworld.size = [40, 40]\n{seven}")).unwrap();
    let of_seven = |device: &str, out: &str| {
        good(
            temp.path(),
            &format!("run seven.toml --steps 4 --metrics-every 2 --states-every none --device {device} --out {out}"),
        );
        fs::read_to_string(temp.path().join(out).join("metrics.csv")).unwrap()
    };
    let seven = of_seven("gpu", "seven");
    assert_eq!(seven, of_seven("cpu", "seven-cpu"));
    let mutant = shader.replace("first_ids[group.y]", "first_ids[0u]");
    assert_ne!(shader, mutant);
    fs::write(temp.path().join("mutant/sim/observe.wgsl"), mutant).unwrap();
    assert_ne!(seven, of_seven("gpu --shaders mutant", "seven-mutant"));
    assert_eq!(manifest(&temp.path().join("gpu"))["scene"]["species"][0]["count"], 130, "named, not numbered");
    // All together are what the species are, each by its number.
    let (run, rows) = (manifest(&temp.path().join("gpu")), metrics(&temp.path().join("gpu")));
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
    let seen = call(temp.path(), "run zones --set species.swarn.count=3");
    assert!(seen.code == 5 && seen.err.contains("did you mean `swarm`?"), "{}", seen.err);
}

#[test]
fn the_hash_knows_all_that_decides() {
    let temp = TempDir::new().unwrap();
    let own = "schema = 1\nworld.size = [40, 40]\n[[behavior]]\nfile = \"swirl.wgsl\"\n[[species]]\ncount = 20\nbehaviors.swirl = {}\n";
    fs::write(temp.path().join("mine.toml"), own).unwrap();
    let swirl =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/own_behaviors/swirl.wgsl")).unwrap();
    fs::write(temp.path().join("swirl.wgsl"), &swirl).unwrap();
    let mut count = 0;
    let mut run = |line: &str| {
        count += 1;
        let out = format!("out{count}");
        good(temp.path(), &format!("run {line} --device cpu --steps 3 --out {out}"));
        manifest(&temp.path().join(out))
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
    fs::write(temp.path().join("swirl.wgsl"), swirl + "\n// changed\n").unwrap();
    assert!(hashes.insert(run("mine.toml")["hash"].as_str().unwrap().to_owned()), "the file's contents count");
}

#[test]
fn a_run_goes_on_in_place_as_if_it_had_not_stopped() {
    let temp = TempDir::new().unwrap();
    let at = |name: &str| temp.path().join(name);
    let scene = "run flock --agents 80 --device cpu --metrics-every 7 --states-every 10";
    good(temp.path(), &format!("{scene} --steps 40 --out whole"));
    good(temp.path(), &format!("{scene} --steps 22 --checkpoint-at-end --out part"));
    assert_ne!(fs::read(at("whole/metrics.csv")).unwrap(), fs::read(at("part/metrics.csv")).unwrap());
    // Rows that were written after the checkpoint, and half of one, are those of steps that are taken again.
    let rows = fs::read_to_string(at("part/metrics.csv")).unwrap();
    fs::write(at("part/metrics.csv"), rows + "28,0.1,0.5,1,1,0,0\n3").unwrap();
    good(temp.path(), "run --resume part --device cpu --steps 40 --states-every 10");
    assert_eq!(fs::read(at("whole/metrics.csv")).unwrap(), fs::read(at("part/metrics.csv")).unwrap());
    assert_eq!(manifest(&at("whole"))["digest"], manifest(&at("part"))["digest"]);
    assert_eq!(manifest(&at("part"))["resumed"]["step"], 22);
    let listed = manifest(&at("part"))["states"]["files"].as_array().unwrap().len();
    assert_eq!(listed, fs::read_dir(at("part/states")).unwrap().count());
    good(temp.path(), "rerun part --check --device cpu");
    // Elsewhere is a new folder, and the old one stays as it is.
    let before = fs::read(at("part/run.json")).unwrap();
    good(temp.path(), "run --resume part/checkpoints/000022.steering --device cpu --steps 30 --out elsewhere");
    assert_eq!(before, fs::read(at("part/run.json")).unwrap());
    assert_eq!(manifest(&at("elsewhere"))["steps"], 30);
    let seen = call(temp.path(), "run --resume whole --device cpu");
    assert!(seen.code == 5 && seen.err.contains("has no checkpoints"), "{}", seen.err);
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_a_checkpoint_where_that_is_asked_for() {
    let temp = TempDir::new().unwrap();
    for (signal, flag) in [("TERM", "--checkpoint-at-end"), ("INT", "--checkpoint-at-end"), ("TERM", "--quiet")] {
        let out = temp.path().join(format!("{signal}{flag}"));
        let line = format!("run flock --agents 60 --device cpu --steps 900000000 --metrics-every 50 {flag} --out");
        let mut command = Command::new(env!("CARGO_BIN_EXE_steerling"));
        command
            .args(line.split_whitespace())
            .arg(&out)
            .stderr(std::process::Stdio::null())
            .stdout(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        while !fs::read_to_string(out.join("metrics.csv")).is_ok_and(|rows| rows.lines().count() > 3) {
            assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let kill = format!("kill -s {signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        child.wait().unwrap();
        let (run, kept) = (manifest(&out), out.join("checkpoints").exists());
        assert_eq!((&run["ended"], kept), (&"signal".into(), flag == "--checkpoint-at-end"));
        if kept {
            let steps = run["steps"].as_u64().unwrap();
            good(temp.path(), &format!("run --resume {} --device cpu --steps {}", out.display(), steps + 10));
            assert_eq!(
                (&manifest(&out)["ended"], manifest(&out)["steps"].as_u64()),
                (&"steps".into(), Some(steps + 10))
            );
        }
    }
}

#[test]
fn a_condition_ends_a_run_in_its_row() {
    let temp = TempDir::new().unwrap();
    let scene = "run flock --agents 100 --device cpu --states-every none";
    good(temp.path(), &format!("{scene} --steps 400 --metrics-every 3 --out whole"));
    let whole = metrics(&temp.path().join("whole"));
    let order = |row: &csv::StringRecord| row[2].parse::<f64>().unwrap();
    // Half a second is 30 steps: ten rows after the first of them.
    let first = (0..whole.len() - 10).find(|row| whole[*row..=row + 10].iter().all(|row| order(row) > 0.4)).unwrap();
    assert!(first > 0, "it does not hold at the start");
    let until = "--until 'polarization > 0.4 for 0.5 s'";
    good(temp.path(), &format!("{scene} --steps 400 --metrics-every 3 {until} --out met"));
    let (met, run) = (metrics(&temp.path().join("met")), manifest(&temp.path().join("met")));
    assert_eq!(met, whole[..=first + 10]);
    assert_eq!((&run["ended"], &run["until"]), (&"until".into(), &"polarization > 0.4 for 0.5 s".into()));
    let seen = call(temp.path(), &format!("{scene} --steps 30 --until 'polarization > 1.5' --out unmet"));
    assert!(seen.code == 7 && seen.err.contains("not within 30 steps"), "{:?} {}", seen.code, seen.err);
    assert_eq!(manifest(&temp.path().join("unmet"))["ended"], "steps");
    let seen = call(temp.path(), &format!("{scene} --until 'polarisation > 0.9' --out no"));
    assert!(seen.code == 2 && seen.err.contains("did you mean `polarization`?"), "{}", seen.err);
    assert!(!temp.path().join("no").exists());
}

#[test]
fn a_run_is_repeated_from_its_record() {
    let temp = TempDir::new().unwrap();
    let at = |name: &str| temp.path().join(name);
    let shaders = at("shaders/behaviors");
    fs::create_dir_all(&shaders).unwrap();
    let shader =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../shaders/behaviors/cohesion.wgsl")).unwrap();
    fs::write(shaders.join("cohesion.wgsl"), shader + "\n// a user's\n").unwrap();
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/scenes/zones.toml")).unwrap();
    fs::write(at("mine.toml"), &text).unwrap();
    for (name, line, device) in [
        ("plain", "flock --agents 90 --seed 5 --device cpu", "cpu"),
        ("file", "mine.toml --set species.torus.count=50 --device gpu", "cpu"),
        ("state", "flock --from plain/states/000012.npy --device cpu", "gpu"),
        ("own", "flock --agents 90 --shaders shaders --device gpu", "gpu"),
    ] {
        good(temp.path(), &format!("run {line} --steps 12 --out {name}"));
        let seen = good(temp.path(), &format!("rerun {name} --check --device {device}"));
        assert!(seen.out.contains("the same: digest"), "{name}: {}", seen.out);
    }
    let seen = good(temp.path(), "rerun plain --out again --device cpu");
    assert!(seen.out.contains("the same"), "{}", seen.out);
    assert_eq!(manifest(&at("plain"))["hash"], manifest(&at("again"))["hash"]);

    // What has changed is said, and does not matter where the record has it.
    fs::write(at("mine.toml"), format!("{text}\n# changed\n")).unwrap();
    let seen = good(temp.path(), "rerun file/run.json --check --device cpu");
    assert!(seen.err.contains("mine.toml has changed since"), "{}", seen.err);
    fs::write(at("plain/states/000012.npy"), fs::read(at("state/states/000012.npy")).unwrap()).unwrap();
    let seen = call(temp.path(), "rerun state --check --device cpu");
    assert!(seen.code == 5 && seen.err.contains("is not as it was in the run"), "{}", seen.err);
    let seen = call(temp.path(), "run plain/run.json");
    assert!(seen.code == 5 && seen.err.contains("steerling rerun plain/run.json"), "{}", seen.err);

    // Any bit of the record.
    let record = fs::read(at("plain/run.json")).unwrap();
    for place in 0..40 {
        let mut changed = record.clone();
        changed[place * record.len() / 40] ^= 1 << (place % 8);
        fs::write(at("changed.json"), &changed).unwrap();
        assert_eq!(call(temp.path(), "rerun changed.json --check --device cpu").code, 5, "{place}");
    }
    // Another digest under a right checksum is not the same.
    let text = String::from_utf8(record).unwrap();
    let start = text.find("\"digest\": \"").unwrap() + 11;
    let digit = if text[start..].starts_with('0') { "1" } else { "0" };
    let (before, _) = text.rsplit_once(": \"").unwrap();
    let unsealed = format!("{}{digit}{}: \"\"\n}}\n", &before[..start], &before[start + 1..]);
    let hash = blake3::hash(unsealed.as_bytes()).to_hex();
    fs::write(at("changed.json"), unsealed.replace(": \"\"\n}", &format!(": \"{hash}\"\n}}"))).unwrap();
    let seen = call(temp.path(), "rerun changed.json --check --device cpu");
    assert!(seen.code == 3 && seen.err.contains("not the same"), "{:?} {}", seen.code, seen.err);
}

/// What a scene asks to observe is equal on both backends to the last digit, and may end a run.
#[test]
fn what_is_asked_for_is_observed() {
    let temp = TempDir::new().unwrap();
    let all = "milling,speed_spread,density,density_contrast,nearest_distance,groups:3,\
               group_polarization,velocity_correlation:4,correlation_length,overlaps";
    let table = |rest: &str, out: &str| {
        good(temp.path(), &format!("run {rest} --steps 20 --metrics-every 5 --states-every none --out {out}"));
        fs::read_to_string(temp.path().join(out).join("metrics.csv")).unwrap()
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
    let scene = manifest(&temp.path().join("states"))["scene"]["species"].clone();
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
        good(temp.path(), &line);
    }
    let events = |out: &str| fs::read_to_string(temp.path().join(out).join("events.csv")).unwrap();
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
    good(
        temp.path(),
        "run --resume ev-cpu/checkpoints/000010.steering --steps 20 --device cpu --states-every none --events 5",
    );
    assert_eq!(events("ev-cpu"), whole);
    assert_eq!(manifest(&temp.path().join("ev-gpu"))["events"]["files"], serde_json::json!(["events.csv"]));
    let none = call(temp.path(), "run flock --device cpu --events 5 --out no");
    assert!(none.code == 2 && none.err.contains("no species of this scene has several action states"), "{}", none.err);
    let ended = call(
        temp.path(),
        "run flock --agents 60 --device cpu --steps 30 --observe groups:4 --until groups>0 --out until",
    );
    assert_eq!((ended.code, manifest(&temp.path().join("until"))["steps"].as_u64()), (0, Some(0)), "{}", ended.err);
    for (list, said) in [
        ("miling", "did you mean `milling`?"),
        ("milling,milling", "is there twice"),
        ("milling:3", "takes no distance"),
        ("groups:much", "`much` is no distance"),
        ("states", "needs a species with several action states"),
        ("milling,,groups", "`` is no observable"),
    ] {
        let seen = call(temp.path(), &format!("run flock --device cpu --observe {list} --out no"));
        assert!(seen.code == 5 && seen.err.contains(said) && !temp.path().join("no").exists(), "{list}: {}", seen.err);
    }
}

/// Tracks are the rows of states, of some agents.
#[test]
fn agents_are_tracked() {
    let temp = TempDir::new().unwrap();
    let run = "run murmuration --agents 200 --steps 6 --states-every 2 --track 7,190,7 --track-every 2";
    for device in ["gpu", "cpu"] {
        good(temp.path(), &format!("{run} --device {device} --checkpoint-every 4 --out {device}"));
    }
    let text = |out: &str| fs::read_to_string(temp.path().join(out).join("tracks.csv")).unwrap();
    assert_eq!(text("gpu"), text("cpu"));
    let rows: Vec<Vec<f64>> =
        text("cpu").lines().skip(1).map(|row| row.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let moments: Vec<(f64, f64)> = rows.iter().map(|row| (row[0], row[2])).collect();
    assert_eq!(
        moments,
        [(0.0, 7.0), (0.0, 190.0), (2.0, 7.0), (2.0, 190.0), (4.0, 7.0), (4.0, 190.0), (6.0, 7.0), (6.0, 190.0)]
    );
    for row in &rows {
        let bytes = fs::read(temp.path().join(format!("cpu/states/{:06}.npy", row[0]))).unwrap();
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
    good(
        temp.path(),
        "run --resume cpu/checkpoints/000004.steering --steps 6 --device cpu --track 7,190 --track-every 2",
    );
    assert_eq!(text("cpu"), whole);
    // A share is the same agents in every run.
    let ids = |out: &str, seed: u32| -> BTreeSet<String> {
        good(
            temp.path(),
            &format!(
                "run flock --agents 2000 --seed {seed} --device cpu --steps 0 --states-every none --track 5% --out {out}"
            ),
        );
        text(out).lines().skip(1).map(|row| row.split(',').nth(2).unwrap().to_owned()).collect()
    };
    let chosen = ids("one", 1);
    assert!((70..130).contains(&chosen.len()), "{}", chosen.len());
    assert_eq!(chosen, ids("two", 2));
    for (flags, said) in [
        ("--track 200", "there is no agent 200"),
        ("--track 0%", "1,5,9"),
        ("--track a", "1,5,9"),
        ("--track-every 3", "--track"),
    ] {
        let seen = call(temp.path(), &format!("run murmuration --agents 200 --device cpu {flags} --out no"));
        assert!(seen.code == 2 && seen.err.contains(said) && !temp.path().join("no").exists(), "{flags}: {}", seen.err);
    }
}

/// Who crossed a line is listed in the step in which that was, however often somebody looks, and a run that goes on has the same list.
#[test]
fn crossings_are_listed_by_their_step() {
    let temp = TempDir::new().unwrap();
    let lines = "lines=[{name=\"door\",from=[0,-30],to=[0,30]},{from=[-30,1],to=[30,1]}]";
    let run = |flags: &str, out: &str| {
        let common =
            "--set species.0.count=400 --set world.size=[60,60] --steps 60 --metrics-every 60 --states-every none";
        good(temp.path(), &format!("run flock {common} --set {lines} {flags} --out {out}"));
        fs::read_to_string(temp.path().join(out).join("crossings.csv")).unwrap()
    };
    let whole = run("--device cpu --events 7 --checkpoint-every 25", "cpu");
    assert_eq!(run("--device gpu --events 60", "gpu"), whole);
    let rows: Vec<Vec<&str>> = whole.lines().skip(1).map(|row| row.split(',').collect()).collect();
    assert!(rows.len() > 30 && rows.iter().any(|row| row[5] == "-1"), "{whole}");
    assert!(rows.is_sorted_by_key(|row| (row[0].parse::<u32>().unwrap(), row[2].parse::<u32>().unwrap())));
    // The counts have as many.
    let metrics = fs::read_to_string(temp.path().join("cpu/metrics.csv")).unwrap();
    let [names, last] = [0, 2].map(|row| metrics.lines().nth(row).unwrap().split(',').collect::<Vec<_>>());
    for (name, line, direction) in
        [("crossed.door", "door", "1"), ("crossed_back.door", "door", "-1"), ("crossed.line 1", "line 1", "1")]
    {
        let listed = rows.iter().filter(|row| (row[4], row[5]) == (line, direction)).count();
        let column = names.iter().position(|column| *column == name).unwrap();
        assert_eq!(last[column].parse::<usize>().unwrap(), listed, "{name}");
    }
    assert_eq!(manifest(&temp.path().join("cpu"))["events"]["unlisted"], 0);
    assert!(!temp.path().join("cpu/events.csv").exists());
    let go_on = "--steps 60 --metrics-every 60 --device cpu --states-every none --events 11";
    good(temp.path(), &format!("run --resume cpu/checkpoints/000025.steering {go_on}"));
    assert_eq!(fs::read_to_string(temp.path().join("cpu/crossings.csv")).unwrap(), whole);
    assert_eq!(fs::read_to_string(temp.path().join("cpu/metrics.csv")).unwrap(), metrics);
}
