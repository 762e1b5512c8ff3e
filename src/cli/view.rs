//! `steerling view`.

use super::Failure;

/// Arguments of `steerling view`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> Result<(), Failure> {
    Err(Failure::Other("not written yet".into()))
}
