//! What a run leaves, and how it ends, goes on and is repeated: docs/run-folders.md.

use super::place::Place;
use super::root;
use super::runs::state;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A name with its digits as zeros.
fn zeros(name: &str) -> String {
    name.replace(|c: char| c.is_ascii_digit(), "0")
}

/// Every file below a folder, with digits as zeros.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = zeros(path.file_name().unwrap().to_str().unwrap());
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
    let most = u64::MAX;
    place.run(&format!("flock --agents 80 --steps 3 --device cpu --states-every none --metrics-every {most}"), "a");
    assert_eq!(place.table("a/metrics.csv").rows.len(), 2, "the first and the last");
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
    let line = "set lines=[{from=[0,-20],to=[0,20]}] --checkpoint-every 4 --track 1 --events 3 --parquet";
    place.run(&format!("actions --device cpu --steps 6 --every 3 --{line}"), "out");
    let (flags, told): (Vec<String>, Vec<String>) =
        named(&page, "Files").into_iter().partition(|name| name.starts_with("--"));
    let told: BTreeSet<String> = told.iter().map(|name| zeros(name)).collect();
    let mut left = files(&place.at("out"));
    // The page names one of them.
    for table in ["tracks", "events", "crossings"] {
        assert!(left.remove(&format!("{table}.parquet")), "{table}");
    }
    assert_eq!(told, left);

    let columns = place.table("out/metrics.csv").columns;
    let general = |name: &String| name.split_once('.').map_or(name.clone(), |(name, _)| format!("{name}.NAME"));
    // Where agents leave there are columns more.
    place.run("evacuation --agents 50 --device cpu --steps 0", "hall");
    let hall = place.table("hall/metrics.csv").columns;
    assert_eq!(named(&page, "metrics.csv"), columns.iter().chain(&hall).map(general).collect());
    assert_eq!(place.manifest("out")["metrics"]["columns"], serde_json::json!(columns));

    let mut found = BTreeSet::new();
    keys(&place.manifest("out"), "", &mut found);
    assert_eq!(named(&page, "run.json"), found);

    let help = place.good("run --help").out;
    assert!(flags.len() == 11 && flags.iter().all(|flag| help.contains(flag.split(' ').next().unwrap())), "{flags:?}");
}

#[test]
fn metrics_and_states_have_their_own_spacing() {
    let place = Place::new();
    let run = |flags: &str, out: &str| {
        place.run(&format!("flock --agents 60 --device cpu --steps 10 {flags}"), out);
        let steps = place.table(&format!("{out}/metrics.csv")).column("step").join(" ");
        (steps, place.manifest(out)["states"]["files"].as_array().unwrap().len())
    };
    assert_eq!(run("--metrics-every 4 --states-every none", "a"), ("0 4 8 10".to_owned(), 0));
    assert!(!place.at("a/states").exists());
    let rows = place.table("a/metrics.csv").rows;
    assert_eq!(rows[0][4], "", "nobody counted neighbors before the first step");
    assert!(rows[1][4].parse::<f64>().unwrap() > 0.0);
    assert_eq!(run("--metrics-every 3 --states-every 5", "b"), ("0 3 6 9 10".to_owned(), 3));
    assert_eq!(run("--every 5", "c"), ("0 5 10".to_owned(), 3));
    let ends = [
        ("--states-every 0", "or none"),
        ("--states-every never", "or none"),
        ("--every 2 --metrics-every 2", "--every"),
    ];
    place.refuses("run flock --device cpu --out no", 2, &ends);
}

/// Also from a checkpoint before the second row, and where a run that was killed has left no record.
#[test]
fn a_resumed_run_keeps_its_spacing() {
    let place = Place::new();
    let whole = place.run("flock --agents 60 --device cpu --steps 8 --metrics-every 4 --checkpoint-every 3", "a");
    assert_eq!(place.table("a/metrics.csv").rows.len(), 3);
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
    let table = |device: &str, out: &str| {
        let scene = "zones --set species.swarm.count=130 --steps 40 --metrics-every 10 --states-every none";
        place.run(&format!("{scene} --device {device}"), out)
    };
    let gpu = table("gpu", "gpu");
    assert_eq!(gpu, table("cpu", "cpu"));
    assert_ne!(gpu, table("gpu --set species.1.count=100", "other"));
    assert_eq!(place.manifest("gpu")["scene"]["species"][0]["count"], 130, "named, not numbered");
    // All together are what the species are, each by its number.
    let (run, table) = (place.manifest("gpu"), place.table("gpu/metrics.csv"));
    let species = run["scene"]["species"].as_array().unwrap().iter();
    let counts: Vec<f64> = species.map(|species| species["count"].as_f64().unwrap()).collect();
    let number = |column: usize| table.rows[4][column].parse::<f64>().unwrap();
    for (all, of_first) in [(3, 8), (4, 9)] {
        let sum: f64 = counts.iter().enumerate().map(|(index, count)| count * number(of_first + 3 * index)).sum();
        let mean = sum / counts.iter().sum::<f64>();
        assert!((mean - number(all)).abs() < 1e-9 * mean, "{mean} {}", number(all));
    }
    let orders: BTreeSet<&String> = [2, 7, 10, 13].map(|column| &table.rows[4][column]).into();
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
        place.run(&format!("{line} --device cpu --steps 3"), &out);
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
    let scene = "flock --agents 80 --device cpu --metrics-every 7 --states-every 10";
    let whole = place.run(&format!("{scene} --steps 40"), "whole");
    let rows = place.run(&format!("{scene} --steps 22 --checkpoint-at-end"), "part");
    assert_ne!(whole, rows);
    // Rows that were written after the checkpoint, half of one, and what a row that was cut in its first number reads as, are those of steps
    // that are taken again.
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
        assert_eq!(place.text("part/metrics.csv"), whole, "{rest:?}");
    }
    assert_eq!(place.digest("whole"), place.digest("part"));
    assert_eq!(place.manifest("part")["resumed"]["step"], 22);
    let listed = place.manifest("part")["states"]["files"].as_array().unwrap().len();
    assert_eq!(listed, fs::read_dir(place.at("part/states")).unwrap().count());
    place.good("rerun part --check --device cpu");
    // So can what it was before it went on.
    assert!(place.good("rerun part/run-000022.json --check --device cpu").out.contains("after 22 steps, on"));
    // Elsewhere is a new folder, and the old one stays as it is.
    let before = place.text("part/run.json");
    place.run("--resume part/checkpoints/000022.steering --device cpu --steps 30", "elsewhere");
    assert_eq!(before, place.text("part/run.json"));
    assert_eq!(place.manifest("elsewhere")["steps"], 30);
    place.refused("run --resume whole --device cpu", 5, "has no checkpoints");
}

#[test]
fn a_condition_ends_a_run_in_its_row() {
    let place = Place::new();
    let scene = "flock --agents 100 --device cpu --states-every none";
    place.run(&format!("{scene} --steps 400 --metrics-every 3"), "whole");
    let whole = place.table("whole/metrics.csv");
    let orders = whole.numbers("polarization");
    // Half a second is 30 steps: ten rows after the first of them.
    let first = orders.windows(11).position(|orders| orders.iter().all(|order| *order > 0.4)).unwrap();
    assert!(first > 0, "it does not hold at the start");
    let until = "polarization > 0.4 for 0.5 s";
    place.run(&format!("{scene} --steps 400 --metrics-every 3 --until '{until}'"), "met");
    let (met, run) = (place.table("met/metrics.csv"), place.manifest("met"));
    assert_eq!(met.rows, whole.rows[..=first + 10]);
    assert_eq!((&run["ended"], &run["until"]), (&"until".into(), &until.into()));
    let unmet = format!("run {scene} --steps 30 --until 'polarization > 1.5' --out unmet");
    place.refused(&unmet, 7, "not met within 30 steps");
    assert_eq!(place.manifest("unmet")["ended"], "steps");
    place.refused(&format!("run {scene} --until 'polarisation > 0.9' --out no"), 2, "did you mean `polarization`?");
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
        place.run(&format!("{line} --steps 12"), name);
        let seen = place.good(&format!("rerun {name} --check --device {device}"));
        assert!(seen.out.contains("the same: digest"), "{name}: {}", seen.out);
    }
    assert!(place.good("rerun plain --out again --device cpu").out.contains("the same"));
    assert_eq!(place.manifest("plain")["hash"], place.manifest("again")["hash"]);

    // What has changed is said, and does not matter where the record has it.
    place.write("mine.toml", format!("{text}\n# changed\n"));
    let seen = place.good("rerun file/run.json --check --device cpu");
    assert!(seen.err.contains("mine.toml has changed since"), "{}", seen.err);
    place.write("plain/states/000012.npy", fs::read(place.at("state/states/000012.npy")).unwrap());
    place.refused("rerun state --check --device cpu", 5, "has changed since the run");
    place.refused("run plain/run.json", 5, "steerling rerun plain/run.json");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let state = std::ffi::OsStr::from_bytes(b"\xff.npy");
        fs::copy(place.at("file/states/000012.npy"), place.path().join(state)).unwrap();
        let words = "run zones --set species.torus.count=50 --device cpu --steps 2 --out bytes --from".split(' ');
        let words: Vec<_> = words.map(std::ffi::OsStr::new).chain([state]).collect();
        super::outcome(place.command_with(&words)).ended(0, &[]);
        place.refused("rerun bytes --check --device cpu", 5, "is not there: its path was not UTF-8");
    }

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
        place.run(&format!("zones --agents 300 --steps 20 --metrics-every 5 --states-every none {rest}"), out)
    };
    let gpu = table(&format!("--device gpu --observe {all}"), "gpu");
    assert_eq!(gpu, table(&format!("--device cpu --set observe={all}"), "cpu"));
    assert_ne!(gpu, table(&format!("--device cpu --observe {}", all.replace(":3", ":2")), "other"));
    let metrics = place.table("gpu/metrics.csv");
    let groups = metrics.columns.iter().position(|column| column == "groups").unwrap();
    assert_eq!(metrics.columns[groups..groups + 3], ["groups", "largest_group", "mean_group"]);
    for (count, size) in metrics.numbers("groups").iter().zip(metrics.numbers("mean_group")) {
        assert_eq!(count * size, 300.0, "groups times their mean size are all agents");
    }
    place.run("flock --agents 60 --device cpu --steps 30 --observe groups:4 --until groups>0", "until");
    assert_eq!(place.manifest("until")["steps"], 0);
    let wrong = [
        ("miling", "did you mean `milling`?"),
        ("milling,milling", "is given twice"),
        ("milling:3", "takes no distance"),
        ("groups:much", "`much` is not a distance"),
        ("states", "needs a species with several action states"),
        ("milling,,groups", "`` is no observable"),
    ];
    place.refuses("run flock --device cpu --out no --observe", 5, &wrong);
}

/// Events are what the numbers of agents in each state differ by, on both backends, and however often somebody looks.
#[test]
fn events_are_changes_of_states() {
    let place = Place::new();
    for (device, every) in [("gpu", 5), ("cpu", 3)] {
        let line = format!("--events {every} --checkpoint-every 10 --device {device}");
        let states = "actions --steps 20 --metrics-every 5 --states-every none --observe states";
        place.run(&format!("{states} {line}"), device);
    }
    let events = |out: &str| place.text(&format!("{out}/events.csv"));
    let whole = events("gpu");
    assert_eq!(whole, events("cpu"));
    assert_eq!(place.text("gpu/metrics.csv"), place.text("cpu/metrics.csv"));
    let (mut counts, mut changes) = (vec![600.0, 0.0, 0.0], 0);
    let names = ["stroll", "alarm", "hungry"];
    let metrics = place.table("gpu/metrics.csv");
    let columns = names.map(|name| metrics.numbers(&format!("mice.{name}")));
    let step = |field: &str| field.parse::<u32>().unwrap();
    let mut coming = place.table("gpu/events.csv").rows.into_iter().peekable();
    for (row, at) in metrics.column("step").into_iter().enumerate().skip(1) {
        while let Some(event) = coming.next_if(|event| step(&event[0]) <= step(at)) {
            let hawk = 600..605;
            assert!(event[3] == "mice" && (event[6].is_empty() || hawk.contains(&step(&event[6]))), "{event:?}");
            assert!(event[5] != "alarm" || !event[6].is_empty(), "nobody is a reason: {event:?}");
            counts[names.iter().position(|name| *name == event[4]).unwrap()] -= 1.0;
            counts[names.iter().position(|name| *name == event[5]).unwrap()] += 1.0;
            changes += 1;
        }
        assert_eq!(counts, [0, 1, 2].map(|state| columns[state][row]), "after {at} steps");
    }
    assert!(changes > 80 && coming.next().is_none(), "{changes}");
    let resume = "run --resume cpu/checkpoints/000010.steering --steps 20 --device cpu";
    place.good(&format!("{resume} --states-every none --events 5"));
    assert_eq!(events("cpu"), whole);
    assert_eq!(place.manifest("gpu")["events"]["files"], serde_json::json!(["events.csv"]));
    let none = "no species of this scene has several action states";
    place.refused("run flock --device cpu --events 5 --out no", 2, none);
}

/// Tracks are the rows of states, of some agents.
#[test]
fn agents_are_tracked() {
    let place = Place::new();
    for device in ["gpu", "cpu"] {
        let run = "murmuration --agents 200 --steps 6 --states-every 2 --checkpoint-every 4 --track-every 2";
        place.run(&format!("{run} --track 7,190,7 --device {device}"), device);
    }
    let text = |out: &str| place.text(&format!("{out}/tracks.csv"));
    let whole = text("cpu");
    assert_eq!(text("gpu"), whole);
    let tracks = place.table("cpu/tracks.csv");
    let moments: Vec<_> = tracks.column("step").into_iter().zip(tracks.column("id")).collect();
    let steps = ["0", "2", "4", "6"];
    assert_eq!(moments, steps.map(|step| [(step, "7"), (step, "190")]).concat());
    for row in &tracks.rows {
        let numbers: Vec<f32> = row.iter().map(|number| number.parse().unwrap()).collect();
        let (_, states) = state(&place.at(&format!("cpu/states/{:06}.npy", numbers[0])));
        assert_eq!(numbers[3..], states[6 * numbers[2] as usize..][..6], "{row:?}");
    }
    assert!(tracks.rows[1][3] != tracks.rows[3][3], "it moves");
    // Gone on with in place, the table is that of a run that was never stopped.
    let seen = place.good("run --resume cpu/checkpoints/000004.steering --steps 6 --device cpu");
    assert_eq!(text("cpu"), whole);
    assert!(seen.err.contains("tracks.csv goes on with its 2 agents"), "{}", seen.err);
    assert!(seen.err.contains("goes on from step 4, and computes its rows up to step 6 again"), "{}", seen.err);
    assert_eq!(place.manifest("cpu")["states"]["files"], place.manifest("gpu")["states"]["files"]);
    // A share is the same agents in every run.
    let [one, two] = ["1", "2"].map(|seed| {
        let run = "flock --agents 2000 --device cpu --steps 0 --states-every none --track 5%";
        place.run(&format!("{run} --seed {seed}"), seed);
        place.table(&format!("{seed}/tracks.csv")).numbers("id")
    });
    assert!((70..130).contains(&one.len()), "{}", one.len());
    assert_eq!(one, two);
    let wrong = [
        ("--track 200", "there is no agent 200"),
        ("--track 0%", "1,5,9"),
        ("--track 1e-9%", "this share holds none of the"),
        ("--track a", "1,5,9"),
        ("--track-every 3", "--track"),
    ];
    place.refuses("run murmuration --agents 200 --device cpu --out no", 2, &wrong);
}

/// Who crossed a line is listed in the step in which that was, however often somebody looks, and a run that goes on has the same list.
#[test]
fn crossings_are_listed_by_their_step() {
    let place = Place::new();
    let lines = "lines=[{name=\"door\",from=[0,-30],to=[0,30]},{from=[-30,1],to=[30,1]}]";
    let run = |flags: &str, out: &str| {
        let common = "--set species.0.count=400 --set world.size=[60,60] --steps 60 --metrics-every 60";
        place.run(&format!("flock {common} --states-every none --set {lines} {flags}"), out);
        place.text(&format!("{out}/crossings.csv"))
    };
    let whole = run("--device cpu --events 7 --checkpoint-every 25", "cpu");
    assert_eq!(run("--device gpu --events 60", "gpu"), whole);
    let rows = place.table("cpu/crossings.csv").rows;
    assert!(rows.len() > 30 && rows.iter().any(|row| row[5] == "-1"), "{whole}");
    assert!(rows.is_sorted_by_key(|row| (row[0].parse::<u32>().unwrap(), row[2].parse::<u32>().unwrap())));
    // The counts have as many.
    let (text, metrics) = (place.text("cpu/metrics.csv"), place.table("cpu/metrics.csv"));
    for (name, line, direction) in
        [("crossed.door", "door", "1"), ("crossed_back.door", "door", "-1"), ("crossed.line 1", "line 1", "1")]
    {
        let listed = rows.iter().filter(|row| (&*row[4], &*row[5]) == (line, direction)).count();
        assert_eq!(metrics.numbers(name)[1], listed as f64, "{name}");
    }
    assert_eq!(place.manifest("cpu")["events"]["unlisted"], 0);
    assert!(!place.at("cpu/events.csv").exists());
    let go_on = "--steps 60 --metrics-every 60 --device cpu --states-every none";
    place.good(&format!("run --resume cpu/checkpoints/000025.steering {go_on}"));
    assert_eq!(place.text("cpu/crossings.csv"), whole);
    assert_eq!(place.text("cpu/metrics.csv"), text);
}
