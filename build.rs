//! Lists that follow from folders, so that nobody keeps them by hand.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    list_laws()
}

/// Writes `groups! { NAME "PATH" ... }`, one for each file of laws. The library makes modules and a table of it,
/// tests/conform.rs makes tests of it.
fn list_laws() -> io::Result<()> {
    let folder = "src/verify/conform/laws";
    println!("cargo::rerun-if-changed={folder}");
    let mut groups = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = env::current_dir()?.join(entry?.path());
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if name != "mod" && path.extension().is_some_and(|extension| extension == "rs") {
            groups.push(format!("    {name} {path:?}\n"));
        }
    }
    groups.sort();
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&out).join("law_groups.rs"), format!("groups! {{\n{}}}\n", groups.concat()))
}
