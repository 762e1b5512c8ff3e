//! Makes the list of groups from the folder of laws, so that a group is added by adding its file.

use std::path::PathBuf;
use std::{env, fs};

/// Writes `groups! { NAME "PATH" ... }`, one for each file of laws: the library makes modules and a table of it,
/// tests/conform/main.rs makes tests of it.
fn main() {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("src/laws");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    println!("cargo:rerun-if-changed={}", folder.display());
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files = files.map(|entry| entry.expect("a readable folder").file_name().into_string().expect("UTF-8"));
    let mut names: Vec<String> = files.filter_map(|file| file.strip_suffix(".rs").map(str::to_owned)).collect();
    names.retain(|name| name != "mod");
    names.sort();
    let row = |name: &String| format!("    {name} {:?}\n", folder.join(format!("{name}.rs")));
    let groups = format!("groups! {{\n{}}}\n", names.iter().map(row).collect::<String>());
    fs::write(out.join("law_groups.rs"), groups).expect("OUT_DIR can be written");
}
