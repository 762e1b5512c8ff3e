//! Files with mistakes in them. `cargo run --example fuzz` tries any number of them.

use support::mutated::{folder, parsers};

/// Files for each parser. Shaders go through naga, a behavior together with all that it may call, which takes a hundred times as long.
#[test]
fn mutated_files_are_accepted_or_refused() {
    let folder = folder();
    for parser in parsers(folder.path()) {
        let count = match parser.name {
            "shader" => 50,
            "wgsl" => 300,
            _ => 5_000,
        };
        let tally = parser.run(folder.path(), 1, 0, count).unwrap_or_else(|why| panic!("{why}"));
        println!("{}: {tally:?}", parser.name);
        // A plain mistake that is refused at once tries nothing.
        assert!(tally.accepted > 0 && tally.refused > 0, "{}: {tally:?}", parser.name);
    }
}
