//! `steerling behaviors`: what each behavior does, which laws hold it, and which scenes show it.

use super::Failure;
use super::shared::print;
use crate::gpu::shaders::EMBEDDED;
use crate::scene::{BEHAVIORS, BehaviorKind, BehaviorSpec, PRESETS, Scene, SceneError, shorten, suggest};
use crate::verify::conform::{functions, select};
use std::fmt::Write;

/// Arguments of `steerling behaviors`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    /// Print the page of this behavior
    name: Option<String>,
    /// Print the pages of all behaviors as Markdown
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
}

/// Run `steerling behaviors`.
pub fn run(args: Args) -> Result<(), Failure> {
    match args.name {
        Some(name) => print(&page(find(&name)?, &presets()?)),
        None if args.markdown => print(&pages()?),
        None => print(&listing()),
    }
}

fn find(name: &str) -> Result<&'static BehaviorSpec, SceneError> {
    let names: Vec<&str> = BEHAVIORS.iter().map(|spec| spec.name).collect();
    BEHAVIORS.iter().find(|spec| spec.name == name).ok_or_else(|| SceneError {
        origin: shorten(name, 100),
        place: None,
        key: String::new(),
        value: None,
        message: "there is no behavior of this name".to_owned(),
        hint: Some(suggest(name, &names)),
    })
}

fn listing() -> String {
    let width = BEHAVIORS.iter().map(|spec| spec.name.len()).max().unwrap_or(0);
    BEHAVIORS.iter().map(|spec| format!("{:width$}  {}\n", spec.name, spec.summary)).collect()
}

fn presets() -> Result<Vec<Scene>, SceneError> {
    PRESETS.iter().map(|preset| Scene::parse(preset.text, preset.name, &[])).collect()
}

fn pages() -> Result<String, SceneError> {
    let presets = presets()?;
    let mut text = "# Behaviors\n\nWhat `steerling behaviors --markdown` prints: for each behavior what it does and where the formula comes \
                    from,\nthe laws that hold it (`steerling conform NAME`), and the presets that show it.\n"
        .to_owned();
    for spec in BEHAVIORS.iter() {
        let _ = write!(text, "\n{}", page(spec, &presets));
    }
    Ok(text)
}

fn page(spec: &BehaviorSpec, presets: &[Scene]) -> String {
    let BehaviorSpec { name, summary, .. } = spec;
    let kind = match spec.kind {
        BehaviorKind::Neighborhood => "looks at its neighbors; gives an acceleration",
        BehaviorKind::Individual => "looks at itself, its target and the world; gives an acceleration",
        BehaviorKind::Angular => "gives an angular acceleration, to agents with `facing = \"independent\"`",
    };
    let mut text = format!("## `{name}`: {summary}\n\n{}\n\nIt {kind}. ", header(name));
    let _ = writeln!(text, "Its keys: [scene-keys.md](scene-keys.md#speciesbehaviors{name}).\n");
    let own: Vec<&str> = functions(shader(name)).into_iter().map(|(function, _)| function).collect();
    for (_, law) in select("") {
        if own.contains(&law.mutant.function) || law.name.starts_with(&format!("{name}_")) {
            let _ = writeln!(text, "- `{}`: {}", law.name, law.statement);
        }
    }
    let shows = |scene: &&Scene| scene.species.iter().any(|species| species.behavior(name).acts());
    let scenes: Vec<String> = presets.iter().filter(shows).map(|scene| format!("`{}`", scene.name)).collect();
    if !scenes.is_empty() {
        let _ = writeln!(text, "\nShown by {}.", scenes.join(", "));
    }
    text
}

/// What the shader says at its head: formula, source and edge cases, in paragraphs.
fn header(name: &str) -> String {
    let lines = shader(name).lines().map_while(|line| line.strip_prefix("//"));
    let text: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    // What is set in by two spaces is a formula, which Markdown wants set in by four.
    let formula = |line: &&str| if line.starts_with("  ") { format!("  {line}") } else { (*line).to_owned() };
    text.iter().map(formula).collect::<Vec<_>>().join("\n")
}

fn shader(name: &str) -> &'static str {
    let path = format!("behaviors/{name}.wgsl");
    EMBEDDED.iter().find(|(file, _)| *file == path).map_or("", |(_, text)| *text)
}
