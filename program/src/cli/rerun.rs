//! `steerling rerun`: repeat the run that a `run.json` or a picture records.

use super::Failure;
use super::engine::{DeviceKind, open_backend};
use super::run::{Args as RunArgs, carry_out};
use super::shared::{GpuArgs, print, print_note};
use super::start::Start;
use super::walk::{Shared, walk_to};
use crate::pictures;
use std::path::{Path, PathBuf};
use std::time::Instant;
use steerling::engine::Backend;
use steerling::model::Observation;
use steerling::output::{Record, Witness, read_record};
use steerling::scene::PRESETS;

#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The folder of a run, its run.json, or a picture that the window or `render` saved
    run: PathBuf,
    /// Write nothing: only say whether the digest is the same
    #[arg(long, conflicts_with = "out")]
    check: bool,
    /// Folder to write the new run to [default: out/SCENE-SEED-TIME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What computes the steps [default: a GPU where there is one]
    #[arg(long, value_enum)]
    device: Option<DeviceKind>,
    /// Index or part of the name of the adapter (see `steerling adapters`)
    #[arg(long, value_name = "INDEX|NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    adapter: Option<String>,
}

/// Keeps the digest of the last row of a run.
#[derive(Default)]
struct LastDigest(String);

impl Witness<Shared> for LastDigest {
    fn row(&mut self, _: u64, seen: &Observation) -> Result<(), Failure> {
        self.0 = seen.digest_hex();
        Ok(())
    }
}

pub fn run(args: Args) -> Result<(), Failure> {
    let begun = Instant::now();
    let sweep = if args.run.is_dir() { args.run.join("sweep.json") } else { args.run.clone() };
    let path = if args.run.is_dir() { args.run.join("run.json") } else { args.run };
    if sweep.ends_with("sweep.json") && sweep.is_file() && (path == sweep || !path.exists()) {
        return Err(Failure::data(&sweep, super::sweep::not_a_run(&sweep)?));
    }
    let record = if pictures::is_picture(&path) { pictures::read(&path)? } else { read_record(&path)? };
    if record.picture.is_some_and(|picture| picture.changed) {
        let reason = format!("{}; `steerling view` opens its scene", pictures::CHANGED);
        return Err(Failure::data(&path, reason));
    }
    let mut start = Start::of_record(&record)?;
    let first = start.step();
    notes(&record);
    // A repeated run does not continue in the folder of the run that wrote the checkpoint.
    start.checkpoint.iter_mut().for_each(|checkpoint| checkpoint.run_folder = None);
    let gpu = GpuArgs {
        adapter: args.adapter,
        unordered: !record.device.ordered && args.device != Some(DeviceKind::Cpu),
        ..GpuArgs::default()
    };
    let mut place = open_backend(args.device, &gpu)?;
    replace_shaders(&mut place, &record)?;
    let found = if args.check {
        let computed = start.computed(&place)?;
        let (engine, recipe) = start.engine(&place, false)?;
        if record.hash.as_ref().is_some_and(|hash| start.hash(&recipe, &computed) != *hash) {
            print_note(
                "note: the hash of this run differs from the recorded one: the device computes differently, or the \
                 record was made differently",
            );
        }
        let mut last = LastDigest::default();
        walk_to(engine, start.step(), record.steps, &mut last)?;
        last.0
    } else {
        let every = record.metrics.as_ref().map(|metrics| metrics.every);
        let args = RunArgs { steps: record.steps, out: args.out, metrics_every: every, ..RunArgs::default() };
        carry_out(&args, start, None, &place, begun)?
    };
    let (digest, steps) = (&record.digest, record.steps);
    let from = match first {
        0 => String::new(),
        first => format!(" ({} of them computed, from the checkpoint of step {first} on)", steps - first.min(steps)),
    };
    match found == *digest {
        true => print(&format!("the same: digest {digest} after {steps} steps{from}, on {}\n", place.title())),
        false => {
            let (path, here, there) = (path.display(), place.title(), &record.device.adapter);
            let both = format!("the digest is {found} on {here}, and the run had {digest} on {there}");
            Err(Failure::Mismatch(format!("not the same: {path}: after {steps} steps {both}")))
        }
    }
}

/// Print a note if the scene's file, of which the record holds the text that is run, or the version of the program has changed.
fn notes(record: &Record) {
    let (told, own) = (&record.scene, env!("CARGO_PKG_VERSION"));
    let now = match PRESETS.iter().find(|preset| preset.name == told.origin) {
        Some(preset) => Some(preset.text.to_owned()),
        None => std::fs::read_to_string(Path::new(&told.origin)).ok(),
    };
    if now.is_some_and(|now| now != told.text) {
        print_note(&format!("note: {} has changed since; the text in the record is used", told.origin));
    }
    if record.version != own {
        print_note(&format!("note: the run was made by version {}, and this is {own}", record.version));
    }
}

/// Replace built-in shaders by those that the recorded run had in their place.
fn replace_shaders(place: &mut Backend, record: &Record) -> Result<(), Failure> {
    for shader in &record.device.shaders {
        let Backend::Gpu(_, options) = place else {
            return Err(Failure::Usage("the run replaced shaders, which only a GPU can run".to_owned()));
        };
        let text = shader.text.clone().filter(|_| options.shaders.text(&shader.path).is_some());
        let missing = || Failure::Usage(format!("this version has no shader {} to replace", shader.path));
        options.shaders.replace(&shader.path, &shader.path, text.ok_or_else(missing)?);
    }
    Ok(())
}
