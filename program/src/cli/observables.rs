//! `steerling observables`: the observables that a scene may ask for beside the columns that all metrics have.

use super::Failure;
use super::shared::{listing, print};
use std::fmt::Write;
use steerling::scene::OBSERVABLES;

#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Print the page of all of them as Markdown
    #[arg(long)]
    markdown: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if args.markdown {
        return print(&page());
    }
    print(&listing(OBSERVABLES.iter().map(|row| (row.name(), row.summary))))
}

fn page() -> String {
    let mut text = "# Observables\n\nWhat `steerling observables --markdown` prints. Every row of \
        [`metrics.csv`](run-folders.md#metricscsv) has polarization, mean speed, neighbors\nand the digest. In scenes \
        whose agents leave it also has the number of agents that have left, and in scenes with lines (`[[lines]]`) \
        how often each line was crossed in each direction.\nThe observables of this page are added where a scene asks \
        for them: by its key `observe`, by `--observe` of `run` and `sweep`, or under `[set]` of \
        an\n[experiment](experiments.md). A condition on an observable may also end a run \
        (`--until`).\n\n```toml\nobserve = \"milling, groups:2.5\"   # the number is a distance, u\n```\n\nWhere an \
        observable takes a distance and none is given, the distance is the largest perception radius of the scene. \
        Observables are computed on the device,\nin f32 for each agent or pair and in whole numbers of 64 bits for \
        sums, by the stage `measure` and its twin: equal states give equal\nnumbers, whatever computed the steps. \
        [What each costs](performance.md#observables). In formulas, N is the number of agents that are not frozen, x \
        are their positions and v their velocities.\n"
        .to_owned();
    for row in &OBSERVABLES {
        let columns: Vec<String> = row.columns.iter().map(|column| format!("`{column}`")).collect();
        let columns =
            if columns.is_empty() { "one for each state of each species".to_owned() } else { columns.join(", ") };
        let name = row.name();
        let asked = if row.takes_distance { format!("{name}:DISTANCE") } else { name.to_owned() };
        let _ = write!(
            text,
            "\n## `{name}`: {}\n\n- asked for as: `{asked}`\n- columns: {columns}; unit: {}\n- formula: {}\n- source: {}\n- cost: {}\n",
            row.summary, row.unit, row.formula, row.source, row.cost
        );
    }
    text
}
