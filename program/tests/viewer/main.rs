//! A window on a virtual screen, worked with keys and mouse as a person would, and watched through its pixels and its log.
//!
//! `scripts/setup --test` installs what this needs: Xvfb, openbox and xdotool.

mod authoring;
mod beside;
mod drag;
mod films;
mod picture;
mod running;
mod screen;
mod window;

use std::io::BufReader;
use std::path::{Path, PathBuf};
use steerling::scene::Scene;

/// The digest of a scene, on the CPU.
fn digest_of(scene: &str, steps: u32) -> String {
    digest_after(&Scene::open(scene, &[]).expect("a scene"), steps)
}

/// The digest of 500 agents of `flock`, of the seed 3, on the CPU.
fn reference_digest(steps: u32) -> String {
    digest_after(&support::preset("flock", 500, &["seed=3"]), steps)
}

fn digest_after(scene: &Scene, steps: u32) -> String {
    let mut simulation = support::on_cpu(scene);
    simulation.step(steps);
    simulation.observe().digest_hex()
}

fn pictures(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "png")).collect()
}

fn png_size(file: &Path) -> (u32, u32) {
    let reader = png::Decoder::new(BufReader::new(std::fs::File::open(file).expect("a file"))).read_info();
    reader.expect("a PNG").info().size()
}
