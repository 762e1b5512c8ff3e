//! Which commit a release is built from, where its sources lie in a repository: read from the files of git, which need not be there.
//! Development builds say none, or each commit would compile the program anew.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release")
        && let Some(commit) = commit()
    {
        println!("cargo:rustc-env=STEERLING_COMMIT={commit}");
    }
}

fn commit() -> Option<String> {
    let entry = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR")?).parent()?.join(".git");
    // In a worktree it is a file that says where.
    let folder = match fs::read_to_string(&entry) {
        Ok(text) => PathBuf::from(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => entry,
    };
    let read = |path: PathBuf| {
        println!("cargo:rerun-if-changed={}", path.display());
        fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
    };
    let head = read(folder.join("HEAD"))?;
    let Some(branch) = head.strip_prefix("ref:").map(str::trim) else { return Some(head) };
    let common = fs::read_to_string(folder.join("commondir")).map_or(folder.clone(), |text| folder.join(text.trim()));
    read(common.join(branch)).or_else(|| {
        let packed = read(common.join("packed-refs"))?;
        packed.lines().find_map(|line| line.strip_suffix(branch)).map(|hash| hash.trim().to_owned())
    })
}
