//! `steerling scenes`.

use super::Failure;

/// Arguments of `steerling scenes`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> Result<(), Failure> {
    Err(Failure::Other("not written yet".into()))
}

/// Print the JSON Schema of scene files.
pub fn schema() -> Result<(), Failure> {
    println!("{:#}", crate::scene::schema());
    Ok(())
}
