//! `steerling sweep`: one table for all points, whatever happens meanwhile: docs/experiments.md.

use super::place::{Place, Table, until, wind};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use steerling::scene::{Experiment, Scene};

const EXPERIMENT: &str = r#"
scene = "flock"
agents = 70
steps = 20
burn_in = 7
metrics_every = 5

[set]
species.0.max_speed = 20

[vary]
world.boundary = ["wrap", "contain"]
"species.flock.behaviors.cohesion.perception_radius" = { from = 4, to = 6, count = 2 }
seed = [3, 4]
"#;

/// The next point takes buffers and pipelines of the one before, and is what it would be alone.
#[test]
fn a_row_is_that_of_the_point_alone() {
    let place = Place::new();
    let flock = &Scene::open("flock", &[]).unwrap().species[0].name;
    place.write("some.toml", EXPERIMENT.replace("species.flock", &format!("species.{flock}")));
    let mut tables = Vec::new();
    for device in ["gpu", "cpu"] {
        place.good(&format!("sweep some.toml --device {device} --out {device}"));
        tables.push(place.text(&format!("{device}/table.csv")));
    }
    assert_eq!(tables[0], tables[1]);
    let Table { columns, rows } = place.table("gpu/table.csv");
    let key = format!("species.{flock}.behaviors.cohesion.perception_radius");
    assert_eq!(columns[..6], ["point", "world.boundary", &key, "seed", "step", "time"]);
    assert_eq!(columns[columns.len() - 3..], ["digest", "ended", "error"]);
    assert_eq!(rows.len(), 8 * 3, "rows after 10, 15 and 20 steps");
    let digests: BTreeSet<&String> = rows.iter().map(|row| &row[row.len() - 3]).collect();
    assert_eq!(digests.len(), rows.len(), "no two points are the same");
    for point in [0, 3, 5, 6] {
        let of_point = &rows[3 * point..3 * point + 3];
        let [boundary, radius, seed] = [1, 2, 3].map(|column| &of_point[0][column]);
        let line = format!(
            "flock --agents 70 --steps 20 --metrics-every 5 --states-every none --device gpu --set species.0.max_speed=20 \
             --set world.boundary={boundary} --set {key}={radius} --set seed={seed}"
        );
        let name = format!("alone{point}");
        place.run(&line, &name);
        let alone = place.table(&format!("{name}/metrics.csv"));
        assert_eq!(columns[4..columns.len() - 2], alone.columns);
        let found: Vec<&[String]> = of_point.iter().map(|row| &row[4..row.len() - 2]).collect();
        assert_eq!(found, alone.rows[2..], "point {point}");
    }
    let ended: Vec<&str> = rows.iter().map(|row| row[row.len() - 2].as_str()).collect();
    assert_eq!(ended[..6], ["", "", "steps", "", "", "steps"]);
}

/// Killed again and again, and gone on with, it leaves the table of one that was left alone.
#[test]
fn a_sweep_that_is_killed_loses_one_point_at_most() {
    let place = Place::new();
    let experiment = "scene = \"flock\"\nagents = 150\nsteps = 500\nmetrics_every = 10\n[vary]\nseed = { from = 1, to = 12, count = 12 }\n";
    place.write("many.toml", experiment);
    let line = |out: &str| format!("sweep many.toml --device cpu --out {out}");
    place.good(&line("whole"));
    let (mut kills, mut sizes) = (0, vec![0]);
    let file = place.at("killed/table.csv");
    loop {
        let mut child = place.command(&line("killed")).spawn().unwrap();
        // As soon as it has more points than before, and somewhat later.
        let more = |file: &Path| fs::metadata(file).is_ok_and(|about| about.len() > *sizes.last().unwrap() + 100);
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if more(&file) {
                break None;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        if let Some(status) = ended {
            assert!(status.success());
            break;
        }
        std::thread::sleep(Duration::from_millis(3 * kills));
        child.kill().unwrap();
        let killed = !child.wait().unwrap().success();
        kills += u64::from(killed);
        sizes.push(fs::metadata(&file).unwrap().len());
    }
    assert!(kills >= 3, "{kills} kills, {sizes:?}");
    let killed = place.text("killed/table.csv");
    assert_eq!(place.text("whole/table.csv"), killed);
    // It is done: the same command says so, and changes nothing. Another experiment is refused.
    place.good(&line("killed"));
    assert_eq!(killed, place.text("killed/table.csv"));
    place.write("many.toml", experiment.replace("500", "501"));
    place.refused(&line("killed"), 5, "is of another experiment");
    assert_eq!(killed, place.text("killed/table.csv"));
}

/// What the text of an experiment means decides, and more values may come between those that are there: only theirs are computed.
#[test]
fn a_sweep_takes_up_more_values() {
    let place = Place::new();
    let file = |speeds: &str, seeds: &str, more: &str| {
        let vary = format!("[vary]\nspecies.0.max_speed = {speeds}\nseed = {seeds}\n");
        place
            .write("some.toml", format!("{more}agents = 60\nscene = \"flock\"\nsteps = 12\nmetrics_every = 6\n{vary}"));
    };
    let line = |out: &str| format!("sweep some.toml --device cpu --out {out}");
    file("[20, 26]", "[2, 3]", "# first\n");
    place.good(&line("grown"));
    // One value shows whether a row was computed again.
    place.write("grown/table.csv", place.text("grown/table.csv").replacen(",steps,", ",until,", 1));
    file("[20.0, 23, 26]", "[2, 3]", "");
    place.refused(&line("grown"), 5, "has points that this experiment");
    file("{ from = 17, to = 26, count = 4 }", "[1, 2, 3]", "# second\n\n");
    place.good(&line("fresh"));
    let whole = place.text("fresh/table.csv");
    let seen = place.good(&line("grown"));
    assert!(seen.out.contains("12 points, 36 rows"), "{}", seen.out);
    let (grown, point) = (place.table("grown/table.csv"), 4);
    assert_eq!(grown.column("ended")[3 * point + 2], "until", "the row of before");
    assert_eq!(place.text("grown/table.csv").replacen(",until,", ",steps,", 1), whole);
    assert!(place.text("grown/sweep.json").contains("# second"));
    // As it is left in the middle: what is new comes last.
    let (head, rows) = whole.split_once('\n').unwrap();
    let (first, second) = rows.split_at(rows.find("\n6,").unwrap() + 1);
    place.write("grown/table.csv", format!("{head}\n{second}{}", first.rsplit_once("5,").unwrap().0));
    place.good(&line("grown"));
    assert_eq!(place.text("grown/table.csv"), whole);
    file("[17, 20]", "[1, 2, 3]", "");
    place.refused(&line("grown"), 5, "may be added, but not taken away");
    file("[17, 20, 23, 26]", "[1, 2, 3]", "until = \"polarization > 2\"\n");
    place.refused(&line("grown"), 5, "is of another experiment");
    assert_eq!(place.text("grown/table.csv"), whole);
}

/// Each number of agents has a world of its own size, as by `--agents`.
#[test]
fn agents_vary_at_one_density() {
    let place = Place::new();
    let file = |agents: &str| {
        let text =
            format!("scene = \"flock\"\nsteps = 4\nmetrics_every = 4\n[vary]\nagents = {agents}\nseed = [1, 2]\n");
        place.write("some.toml", text);
    };
    file("[60, 240, 0]");
    place.refused("sweep some.toml --device cpu --out out", 1, "2 of 6 points failed");
    let table = place.table("out/table.csv");
    assert_eq!(
        table.column("error")[8],
        "some.toml:5:20: vary.agents = 0: must be a whole number from 1 to 1073741824"
    );
    place.run("flock --agents 240 --seed 2 --device cpu --steps 4", "alone");
    assert_eq!(table.column("digest")[7], place.digest("alone"));
    place.refused("rerun out --check", 5, "steerling run flock --agents VALUE --set seed=VALUE");
    file("[240, 500]");
    place.refused("sweep some.toml --device cpu --out out", 5, "has points");
}

/// Files decide about the table, those too that only later points name.
#[test]
fn a_sweep_over_files_that_have_changed_is_another() {
    let place = Place::new();
    let wind = |name: &str, speed: f64| place.write(name, wind(speed, speed));
    let files = ["a.json", "b.json", "c.json"];
    files.iter().for_each(|name| wind(name, 1.0));
    let species = "[[species]]\ncount = 20\nbehaviors.flow_field = {}\n";
    place.write("mine.toml", format!("schema = 1\nworld.size = [40, 40]\nfield.source = \"a.json\"\n{species}"));
    let tables = files.map(|name| format!("{{ source = {name:?} }}")).join(", ");
    for (out, field) in [("texts", format!("field.source = {files:?}")), ("tables", format!("field = [{tables}]"))] {
        let experiment = format!("scene = \"mine.toml\"\nsteps = 4\n[vary]\n{field}\nseed = [1, 2]\n");
        place.write(&format!("{out}.toml"), experiment);
        let line = format!("sweep {out}.toml --device cpu --out {out}");
        place.good(&line);
        for name in files {
            wind(name, 1.5);
            place.refused(&line, 5, "is of another experiment");
            wind(name, 1.0);
            place.good(&line);
        }
    }
}

#[test]
fn points_that_fail_are_recorded_and_the_others_go_on() {
    let place = Place::new();
    let experiment = "scene = \"flock\"\nagents = 50\nsteps = 6\nmetrics_every = 3\nuntil = \"mean_speed > 0\"\n[vary]\nspecies.0.max_speed = [2_4, -3, 20.0_0]\n";
    place.write("some.toml", experiment);
    place.refused("sweep some.toml --device cpu", 1, "1 of 3 points failed");
    let table = place.table("out/some/table.csv");
    let errors = table.column("error");
    assert_eq!((table.column("point"), errors[0], errors[2]), (vec!["0", "1", "2"], "", ""));
    assert_eq!(table.column("ended"), ["until", "error", "until"]);
    // Readers of tables know no underscores.
    assert_eq!(table.column("species.0.max_speed"), ["24", "-3", "20.00"]);
    let said = "some.toml:7:29: species.0.max_speed = -3: must be between";
    assert!(errors[1].starts_with(said), "{errors:?}");
    place.refused("sweep some.toml --device cpu --jobs 2 --out jobs", 1, "1 of 3 points failed");
    assert_eq!(place.table("jobs/table.csv"), table);
    // A mean of fewer points is told so.
    let speeds = "species.0.max_speed = [10, 20]\ndt = [0.01, 0.02]\nspecies.0.min_speed = [1, 15]\n";
    place.write("some.toml", format!("scene = \"flock\"\nagents = 60\nsteps = 6\n[vary]\n{speeds}"));
    place.refused("sweep some.toml --device cpu --out means --plot", 1, "2 of 8 points failed");
    assert!(place.text("means/polarization.svg").contains("polarization; mean of 1 to 2, bars"));
}

/// Rows of observables that need the state, a condition that ends points at different times, points that fail between them, kinds of worlds
/// that change from point to point, and a time step that varies.
#[test]
fn worlds_side_by_side_leave_the_table_of_one_after_the_other() {
    let place = Place::new();
    let experiment = "scene = \"zones\"\nagents = 240\nsteps = 64\nmetrics_every = 7\nburn_in = 10\nuntil = \"polarization > 0.1\"\n\
        [set]\nobserve = \"milling, groups:12\"\n[vary]\nspecies.0.k_nearest = [0, 7]\n\
        species.0.max_speed = [3, -1, 4]\ndt = [0.1, 0.05]\nseed = [1, 2, 3]\n";
    place.write("some.toml", experiment);
    let mut tables = Vec::new();
    for how in ["--device cpu", "--device gpu --worlds 1", "--device gpu --worlds 5", "--device gpu"] {
        let name = how.replace([' ', '-'], "");
        place.refused(&format!("sweep some.toml {how} --out {name}"), 1, "12 of 36 points failed");
        tables.push((how, place.text(&format!("{name}/table.csv"))));
    }
    for (how, text) in &tables[1..] {
        assert_eq!(*text, tables[0].1, "{how}");
    }
    let table = place.table("devicegpu/table.csv");
    let ends: Vec<_> = table.column("ended").into_iter().zip(table.column("step")).collect();
    let ended = |how: &str| ends.iter().filter(|end| end.0 == how).map(|end| end.1).collect::<BTreeSet<_>>();
    assert!(ended("until").len() > 1 && !ended("steps").is_empty(), "{:?} {:?}", ended("until"), ended("steps"));
}

/// Also where the first process is killed, with which the others end, and another number is asked for then.
#[test]
fn jobs_side_by_side_leave_the_table_of_one() {
    let place = Place::new();
    let experiment = "scene = \"flock\"\nagents = 150\nsteps = 500\nmetrics_every = 50\n[vary]\nseed = { from = 1, to = 12, count = 12 }\n";
    place.write("many.toml", experiment);
    place.good("sweep many.toml --device cpu --out whole");
    let line = |jobs: u32| format!("sweep many.toml --device cpu --out side --parquet --jobs {jobs}");
    let mut child = place.command(&line(3)).spawn().unwrap();
    let first = place.at("side/part-1-of-3/table.csv");
    until(&mut child, || fs::read_to_string(&first).is_ok_and(|text| text.lines().count() > 2));
    child.kill().unwrap();
    child.wait().unwrap();
    place.refused("sweep many.toml --device cpu --out side", 1, "has 3 parts of a sweep, which --jobs");
    let seen = loop {
        let seen = place.call(&line(5));
        // They need a moment to notice.
        if !seen.err.contains("is being written by another sweep") {
            break seen;
        }
    };
    seen.ended(0, &["has 3 parts of an earlier call"]);
    assert_eq!(place.text("side/table.csv"), place.text("whole/table.csv"));
    assert!(place.at("side/table.parquet").is_file());
    // It is done, and the same command says so.
    place.good(&line(3));
    // What is wrong with a part is said, of the one that ends first.
    let nothing = "sweep many.toml --device gpu --adapter nothing --out other --jobs 2";
    place.refused(nothing, 2, " of 2: no adapter has the name `nothing`");
    // What is there is kept.
    place.write("mine/table.csv", "a,b\n");
    place.refused("sweep many.toml --device cpu --out mine --jobs 2", 1, "is not empty");
    assert!(place.text("mine/table.csv") == "a,b\n");
    // One job is a sweep, and a changed experiment is refused as by a sweep; so are parts of two sweeps.
    place.good("sweep many.toml --device cpu --out one --jobs 1");
    assert!(place.text("one/table.csv") == place.text("whole/table.csv"));
    fs::remove_file(place.at("side/sweep.json")).unwrap();
    place.write("many.toml", experiment.replace("500", "501"));
    place.refused(&line(2), 5, "is of another experiment");
    fs::create_dir_all(place.at("side/part-1-of-9")).unwrap();
    place.refused(&line(2), 5, "parts of different sweeps");
}

#[test]
fn a_mistake_in_an_experiment_is_shown_at_its_place() {
    let place = Place::new();
    let good = "scene = \"flock\"\nsteps = 6\n[set]\nspecies.0.count = 20\n[vary]\nseed = [1, 2]\n";
    for (from, to, said) in [
        ("steps", "step", "some.toml:2:1: step: unknown key\n"),
        ("= 6", "= 0", "some.toml:2:9: steps = 0: must be between 1"),
        ("\"flock\"", "\"flok\"", "some.toml:1:9: scene: there is no preset and no file"),
        ("[1, 2]", "1", "some.toml:6:8: vary.seed = 1: must be a list"),
        ("[1, 2]", "[]", "some.toml:6:8: vary.seed: must have at least one value"),
        ("[1, 2]", "{ from = 1, count = 3 }", "this key is required, but missing"),
        ("[1, 2]", "{ from = 1, to = 2, count = 0 }", "some.toml:6:36: vary.seed.count = 0: must be 1 to 100000"),
        (
            "seed = [1, 2]",
            "species.0.max_speed = [10, 12]\nspecies.birds.max_speed = [14]",
            "vary.species.birds.max_speed: varies a value that `species.0.max_speed` varies too",
        ),
        (
            "[set]\nspecies.0.count = 20\n[vary]",
            "agents = 9\n[vary]\nspecies.0.count = [20]",
            "vary.species.0.count: gives a number of agents or a size of the world, which follow from `agents`; leave",
        ),
        ("[set]", "agents = 9\n[set]\nworld.size = [30, 20]", "some.toml:5:14: set.world.size: gives a number of"),
        ("[set]", "[set]\nseed = 3", "some.toml:7:8: vary.seed: gives a value that `seed` under [set] gives too"),
        ("steps = 6", "steps = 6\nburn_in = 7", "some.toml:3:11: burn_in = 7: must be at most `steps`, 6"),
        ("[set]", "latin_seed = 2\n[set]", "some.toml:3:14: latin_seed = 2: is for `latin_points`"),
        ("species.0", "species.00", "must be followed by a number from 0 to 0 or by a name"),
        ("\"flock\"", "\"flok\"", "did you mean `flock`?"),
        ("seed =", "sed =", "some.toml:6:1: sed: unknown key"),
        ("seed =", "species.0.mas =", "some.toml:6:11: species.0.mas: unknown key"),
        ("steps = 6", "steps = 6\nuntil = \"milling > 1\"", "not observed in this run: add --observe milling"),
        ("[1, 2]", "[\"a\", \"b\"]", "some.toml:6:9: seed = \"a\": must be a whole number"),
        ("count", "cuont", "did you mean `count`?"),
        ("species.0", "species.flok", "must be followed by a number from 0 to 0 or by a name"),
        ("steps = 6", "steps = 6\nuntil = \"polarisation > 1\"", "some.toml:3:9: until = \"polarisation > 1\": "),
        ("[vary]\nseed = [1, 2]", "", "vary: this key is required"),
        ("steps = 6", "agents = 9\nsteps = 6", "set.species.0.count: gives a number of agents"),
        ("seed =", "agents =", "set.species.0.count: gives a number of agents"),
        ("[set]", "[set]\nagents = 3", "some.toml:4:10: set.agents: is a key of the experiment"),
        ("[set]", "[set]\nsteps = 5", "set.steps: is a key of the experiment"),
        ("[set]", "[set]\nstart.steps = 5", "set.start.steps: is for pictures and the window"),
    ] {
        assert!(good.contains(from));
        place.write("some.toml", good.replacen(from, to, 1));
        place.refused("sweep some.toml --device cpu --out no", 5, said);
    }
    place.write("some.toml", good);
    place.refused("sweep flock", 5, "`flock` is a scene, not an experiment: write a file with scene = \"flock\"");
    place.write("varied.toml", good.replace("seed = [1, 2]", "observe = [\"milling\"]"));
    place.refused("sweep varied.toml --observe density --out out", 5, "--observe cannot replace it");
    place.refused("sweep none.toml", 5, "none.toml: there is no file of this name");
    place.write("out/notes.txt", "mine");
    place.refused("sweep some.toml --device cpu --out out", 1, "is not empty");
    place.good("sweep some.toml --device cpu --out good");
    place.write("good/sweep.json", "{");
    place.refused("sweep some.toml --device cpu --out good", 5, "is damaged");
}

#[test]
fn the_page_of_experiments_is_current() {
    use steerling::scene::Table;
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let experiment = Experiment::open(docs.join("experiments/vicsek.toml").to_str().unwrap()).unwrap();
    assert_eq!(experiment.points(), 30);
    for point in [0, 29] {
        assert_eq!(experiment.scene(point).unwrap().agent_count(), 400);
    }
    let zones = Experiment::open(docs.join("experiments/zones.toml").to_str().unwrap()).unwrap();
    assert_eq!((zones.points(), zones.scene(26).unwrap().agent_count()), (27, 100));
    let page = fs::read_to_string(docs.join("experiments.md")).unwrap();
    let told: BTreeSet<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    for key in Experiment::KEYS {
        let table = format!("[{}]", key.name);
        assert!(told.contains(key.name) || told.contains(&*table), "{} is not told", key.name);
    }
}

const MANY: &str = "scene = \"flock\"\nagents = 40\nsteps = 10\nmetrics_every = 5\n[vary]\n\
                    species.0.max_speed = { from = 20, to = 26, count = 3 }\nseed = [1, 2, 3]\n";

#[test]
fn parts_joined_are_the_table() {
    let place = Place::new();
    place.write("some.toml", MANY);
    place.good("sweep some.toml --device cpu --out whole --plot mean_speed");
    place.good("sweep some.toml --device cpu --out whole --plot time");
    assert!(place.text("whole/time.svg").contains("time of the last row; mean of 3"));
    let run = "steerling run flock --set species.0.max_speed=VALUE --set seed=VALUE --steps N";
    for record in ["whole", "whole/sweep.json"] {
        place.refused(&format!("rerun {record} --check"), 5, run);
    }
    place.good("sweep some.toml --device cpu --out observed --observe milling,overlaps --plot overlaps");
    let observed = place.table("observed/table.csv");
    assert!(observed.columns.windows(2).any(|two| two == ["milling", "overlaps"]));
    assert!(observed.numbers("milling").iter().all(|milling| (0.0..1.0).contains(milling)));
    let miling = "--observe: observe = miling: `miling` is no observable";
    place.refused("sweep some.toml --device cpu --out no --observe miling", 5, miling);
    // In any order; nine points into four parts.
    for part in [3, 1, 4] {
        let seen = place.good(&format!("sweep some.toml --device cpu --out parts --part {part}/4"));
        assert!(seen.out.contains(if part == 4 { "3 points, " } else { "2 points, " }), "{}", seen.out);
    }
    let refused = |said: &str| {
        place.refused("sweep some.toml --out parts --join", 5, said);
        assert!(!place.at("parts/table.csv").exists());
    };
    refused("part-2-of-4");
    place.good("sweep some.toml --device cpu --out parts --part 2/4");
    // One that was stopped, one of another experiment.
    let second = place.text("parts/part-2-of-4/table.csv");
    let cut = second.rfind("steps").unwrap();
    place.write("parts/part-2-of-4/table.csv", &second[..cut]);
    refused("has 1 of 2 points");
    place.good("sweep some.toml --device cpu --out parts --part 2/4");
    place.write("some.toml", MANY.replace("= 10\n", "= 15\n"));
    refused("is of another experiment");
    place.write("some.toml", MANY);
    place.write("parts/table.csv", "notes\n");
    place.refused("sweep some.toml --out parts --join", 1, "exists already, and is not overwritten");
    // One that a call that was killed has begun is another matter.
    fs::copy(place.at("parts/part-1-of-4/table.csv"), place.at("parts/table.csv")).unwrap();
    place.good("sweep some.toml --out parts --join --plot mean_speed");
    assert_eq!(place.text("parts/table.csv"), place.text("whole/table.csv"));
    assert_eq!(place.text("parts/mean_speed.svg"), place.text("whole/mean_speed.svg"));
    assert_ne!(second, place.text("whole/table.csv"));
    // Nothing is overwritten, and what is joined is a sweep that is done.
    place.refused("sweep some.toml --out parts --join", 1, "");
    place.good("sweep some.toml --device cpu --out parts");
    place.write("known.csv", "x,y\n20,1\n30,3\n");
    place.good("sweep some.toml --device cpu --out parts --plot mean_speed --beside known.csv");
    let known = |of: &str| place.text(&format!("{of}/mean_speed.svg")).contains("known");
    assert!(known("parts") && !known("whole"));
    let mapped = MANY.replace("seed = [1, 2, 3]", "species.0.min_speed = [1, 2, 3, 4, 5, 6, 7, 8, 9]");
    place.write("map.toml", mapped);
    place.refused("sweep map.toml --device cpu --out no --plot mean_speed --beside known.csv", 2, "no lines");
    for (table, said) in
        [("x,y\n20,1\n26,fast\n", "line 3: expected two numbers"), ("x,y\n1,2\n", "fewer than two points")]
    {
        place.write("known.csv", table);
        place.refused("sweep some.toml --device cpu --out no --plot mean_speed --beside known.csv", 5, said);
    }
    let wrong = [
        ("--part 5/4", "3/16"),
        ("--part 0/4", "3/16"),
        ("--join --part 1/4", "cannot be used with"),
        ("--plot speed", "did you mean"),
    ];
    place.refuses("sweep some.toml --device cpu --out no", 2, &wrong);
}

/// A map says the words of its axes, in the order of the file, and its means take up all colors.
#[test]
fn a_map_shows_words_and_means() {
    let place = Place::new();
    let weights = "species.0.behaviors.cohesion.weight = { from = 0, to = 8, count = 9 }";
    let vary = format!("world.boundary = [\"wrap\", \"open\"]\n{weights}\nseed = [1, 2]\n");
    place.write("some.toml", format!("scene = \"flock\"\nagents = 40\nsteps = 9\n[vary]\n{vary}"));
    place.good("sweep some.toml --device cpu --out out --plot");
    let svg = place.text("out/polarization.svg");
    let [wrap, open] = ["\nwrap\n", "\nopen\n"].map(|word| svg.find(word).unwrap_or_else(|| panic!("{word} {svg}")));
    assert!(wrap < open, "{svg}");
    for color in ["#440154", "#FEE825"] {
        assert!(svg.contains(color), "{color} {svg}");
    }
}

/// The values of each point, as a table shows them.
fn values(experiment: &Experiment) -> Vec<Vec<String>> {
    let shown = |point| experiment.values(point).iter().map(|given| given.shown.clone()).collect();
    (0..experiment.points()).map(shown).collect()
}

/// Of so many equal parts of its way each key visits each once; lists are combined with all of these points.
#[test]
fn a_latin_hypercube_visits_each_part_once() {
    let place = Place::new();
    let text = "scene = \"flock\"\nlatin_points = 16\n[vary]\nseed = [1, 2]\n\
                species.0.max_speed = { from = 10, to = 18 }\ndt = { from = 0.01, to = 0.09 }\n";
    let path = place.at("some.toml");
    let open = |text: &str| {
        fs::write(&path, text).unwrap();
        Experiment::open(path.to_str().unwrap()).map_err(|error| error.to_string())
    };
    let experiment = open(text).unwrap();
    let drawn = values(&experiment);
    assert_eq!(drawn, values(&open(text).unwrap()), "it is the same again");
    assert_eq!(experiment.keys().collect::<Vec<_>>(), ["species.0.max_speed", "dt", "seed"]);
    assert_eq!(drawn.len(), 32);
    for (column, from, way) in [(0, 10.0, 8.0), (1, 0.01, 0.08)] {
        let parts = drawn.iter().map(|row| ((row[column].parse::<f64>().unwrap() - from) / way * 16.0) as usize);
        let parts: Vec<usize> = parts.collect();
        assert!(parts.chunks(2).all(|pair| pair[0] == pair[1]), "both seeds see the same");
        assert_eq!(parts.iter().copied().collect::<BTreeSet<_>>(), (0..16).collect());
        assert!(parts.windows(2).any(|two| two[0] > two[1]), "not in order");
    }
    let number = |text: &String| text.parse::<f64>().unwrap();
    let faster = |row: &Vec<String>| number(&row[0]) - 10.0 > 100.0 * (number(&row[1]) - 0.01);
    assert!(drawn.iter().any(faster) && !drawn.iter().all(faster), "the keys are drawn apart");
    assert_ne!(drawn, values(&open(&text.replace("latin_points = 16", "latin_points = 16\nlatin_seed = 2")).unwrap()));
    let more: String = (0..40).map(|key| format!("key{key} = {{ from = 0, to = 1 }}\n")).collect();
    for (wrong, said) in [
        (text.replace("latin_points = 16\n", ""), "some.toml:4:23: vary.species.0.max_speed: needs a count"),
        (MANY.replace("steps = 10", "latin_points = 4"), "some.toml:3:16: latin_points: no key of [vary] is drawn"),
        (text.replace("= 16", "= 1000000"), "must be between 0 and"),
        (
            text.replace("= 16", "= 100000") + &more,
            "some.toml:2:16: latin_points = 100000: with 42 keys this gives more than",
        ),
    ] {
        let error = open(&wrong).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
}

/// Keys vary in the order of the file, whichever tables they are in, and a range has the values of a list.
#[test]
fn points_are_in_the_order_of_the_file() {
    let species = ["species.0.max_force = [8, 9]", "species.0.max_speed = [20, 30]"];
    let points = |dt: &str| -> Vec<Vec<String>> {
        let text = format!("scene = \"flock\"\n[vary]\n{}\ndt = {dt}\n{}\n", species[0], species[1]);
        let experiment = Experiment::parse(&text, "some.toml").unwrap();
        assert_eq!(experiment.keys().collect::<Vec<_>>(), ["species.0.max_force", "dt", "species.0.max_speed"]);
        assert!(experiment.scene(experiment.points()).is_err(), "no point");
        values(&experiment)
    };
    let listed = points("[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]");
    assert_eq!(listed[..3], [["8", "0.1", "20"], ["8", "0.1", "30"], ["8", "0.2", "20"]]);
    assert_eq!(listed, points("{ from = 0.1, to = 0.9, count = 9 }"));
}

/// Files of the folder that never begin, and values that fail at every point: said at once.
#[cfg(unix)]
#[test]
fn what_would_never_end_is_refused() {
    let place = Place::new();
    let write = |name: &str, vary: &str| {
        place.write(name, format!("scene = \"flock\"\nagents = 70\nsteps = 2\n[vary]\n{vary}\n"));
    };
    write("some.toml", "seed = [1, 2]");
    let line = "sweep some.toml --device cpu --out out";
    // One that was killed before it began to be a sweep is begun anew; a folder of others is left alone.
    for (name, ended) in [("mine.txt", 1), (".steerling-a1b2c3", 0)] {
        let _ = fs::remove_dir_all(place.at("out"));
        place.write(&format!("out/{name}"), "half");
        place.refused(line, ended, "");
    }
    for name in ["sweep.json", "table.csv"] {
        let _ = fs::remove_dir_all(place.at("out"));
        place.good(line);
        let path = place.at("out").join(name);
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(place.refused(line, 5, "is no regular file").err.contains(name));
    }
    write("all.toml", "dt = { from = -2, to = -1, count = 100000 }\nseed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]");
    place.refused("sweep all.toml --device cpu", 5, "all.toml:5:6: dt = -2");
}
