//! Tables of sweeps.

use steerling::output::{Columns, Table};
use steerling::scene::Scene;
use support::refused;

/// Cut anywhere, the table goes on from a whole point, and is the same in the end.
#[test]
fn a_table_that_was_cut_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let columns = ["point", "text", "ended", "error"].map(str::to_owned);
    let row = |point: usize, text: &str, ended: &str| {
        [point.to_string().as_str(), text, ended, ""].map(str::to_owned).to_vec()
    };
    let points =
        [vec![row(0, "a", ""), row(0, "b\nc", "steps")], vec![row(1, "d", "error")], vec![row(2, "e", "until")]];
    let open = || {
        Table::open(&path, &columns, 0..3, |row| {
            ["ab\nc", "d", "e"].iter().position(|of| of.contains(&row[1].replace('\r', "")))
        })
    };
    let fill = |cut: Option<usize>| {
        let mut table = open().unwrap();
        let first = table.points();
        let missing: Vec<usize> = (0..3).filter(|point| table.missing(*point).start == *point).collect();
        missing.iter().for_each(|point| table.add(*point, &points[*point], *point == 1).unwrap());
        assert_eq!((table.points(), table.failed, table.rows), (3, 1, 4), "{cut:?}");
        (first, std::fs::read(&path).unwrap())
    };
    let (_, whole) = fill(None);
    let mut starts = Vec::new();
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let (first, again) = fill(Some(cut));
        assert_eq!(String::from_utf8(again), String::from_utf8(whole.clone()), "cut at {cut}");
        starts.push(first);
    }
    starts.dedup();
    assert_eq!(starts, [0, 1, 2, 3]);
    // Nor does it take rows that somebody has spoiled: twice there, or torn. Numbers and order follow from what a row says.
    let text = String::from_utf8(whole.clone()).unwrap();
    let last = "2,e,until,\n";
    for (from, to, first) in [
        ("\n1,d", "\n7,d", 3),
        (last, "2,d,until,\n", 2),
        ("0,a,", "0,\r\na,", 0),
        ("until,", "until", 2),
        (last, "", 2),
        ("0,a", "8,e,until,\n0,a", 3),
    ] {
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        assert_eq!(fill(None), (first, whole.clone()), "{to}");
    }
    // What nobody asked for is left as it is.
    let other = text.replacen(last, "2,z,until,\n", 1);
    std::fs::write(&path, &other).unwrap();
    refused(open(), &["has points that this experiment"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
    std::fs::write(&path, &whole).unwrap();
    // With the ends of lines of another system it is the same table.
    let ends = |text: &str| text.replace("\r\n", "\n");
    std::fs::write(&path, ends(&text).replace('\n', "\r\n").rsplit_once("2,").unwrap().0).unwrap();
    let (first, mixed) = fill(None);
    assert_eq!((first, ends(&String::from_utf8(mixed).unwrap())), (2, text.clone()));
    refused(Table::open(&path, &["point", "ended", "error"].map(str::to_owned), 0..3, |_| None), &["other columns"]);
    let _held = open().unwrap();
    refused(open(), &["another sweep"]);
}

/// Counts since the beginning are columns of exits and lines, whatever species and their states are called.
#[test]
fn the_states_of_a_species_named_left_are_no_counts() {
    let species = "[[species]]\nname = \"left\"\ncount = 9\nenters = 1\nstates = [\"a\", \"b\"]\n";
    let text = format!(
        "schema = 1\nobserve = \"states\"\nworld = {{ size = [9, 9], boundary = \"open\" }}\n\
         lines = [{{ name = \"left\", from = [1, 2], to = [1, 4] }}]\n{species}"
    );
    let columns = Columns::of(&Scene::parse(&text, "", &[]).unwrap());
    let counts: Vec<&str> = columns.observables().filter(|column| columns.is_cumulative(column)).collect();
    assert_eq!(counts, ["left", "crossed.left", "crossed_back.left"]);
    assert!(columns.names().contains(&"left.a".to_owned()));
}
