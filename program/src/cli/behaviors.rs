//! `steerling behaviors`: what each behavior does, which laws hold it, and which scenes show it.

use super::Failure;
use super::shared::{listing, print};
use std::fmt::Write;
use steerling::scene::{
    BEHAVIORS, Behavior, BehaviorKind, BehaviorSpec, PRESETS, Parameter, Range, SYMBOLS, Scene, SceneError, shorten,
    suggest,
};
use steerling_conform::laws_of;

#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    /// Print the page of this behavior
    name: Option<String>,
    /// Also know the behaviors that this scene defines
    #[arg(long, value_name = "SCENE")]
    scene: Option<String>,
    /// Print the pages of all behaviors as Markdown
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let scene = args.scene.map(|scene| Scene::open(&scene, &[])).transpose()?;
    let known: Vec<&'static BehaviorSpec> = match &scene {
        Some(scene) => scene.registry().collect(),
        None => BEHAVIORS.iter().collect(),
    };
    match args.name {
        Some(name) => {
            let mut scenes = presets()?;
            scenes.extend(scene);
            let spec = find(&name, &known)?;
            let keys = if BEHAVIORS.contains(spec) { String::new() } else { own_keys(spec) };
            print(&(page(spec, &scenes) + &keys))
        }
        None if args.markdown => print(&pages()?),
        None => print(&listing(known.iter().map(|spec| (spec.name, spec.summary)))),
    }
}

fn find(name: &str, known: &[&'static BehaviorSpec]) -> Result<&'static BehaviorSpec, SceneError> {
    let names: Vec<&str> = known.iter().map(|spec| spec.name).collect();
    known.iter().copied().find(|spec| spec.name == name).ok_or_else(|| {
        SceneError::whole(shorten(name, 100), "there is no behavior of this name").hint(suggest(name, &names))
    })
}

/// The table of parameters of a behavior that a scene defines. Those of built-in behaviors are in docs/scene-keys.md.
fn own_keys(spec: &BehaviorSpec) -> String {
    let row = |parameter: &Parameter| {
        let (range, default) = match parameter.range {
            Range::Choice(words) => (words.join(", "), words[parameter.default as usize].to_owned()),
            Range::Number { min, max } | Range::Vector { min, max } => {
                (format!("{min} to {max}"), parameter.default.to_string())
            }
            Range::Whole { min, max } => (format!("{min} to {max}"), parameter.default.to_string()),
            _ => (String::new(), String::new()),
        };
        format!("| `{}` | {} | {range} | {default} | {} |\n", parameter.name, parameter.unit, parameter.summary)
    };
    let rows: String = spec.parameters.iter().map(row).collect();
    format!("\n| key | unit | range | default | meaning |\n| --- | --- | --- | --- | --- |\n{rows}")
}

/// The scenes of all presets.
pub fn presets() -> Result<Vec<Scene>, SceneError> {
    PRESETS.iter().map(|preset| Scene::parse(preset.text, preset.name, &[])).collect()
}

fn pages() -> Result<String, SceneError> {
    let presets = presets()?;
    let mut text = "# Behaviors\n\nWhat `steerling behaviors --markdown` prints: for each behavior what it does and where the formula comes \
                    from,\nthe laws that hold it (`steerling conform NAME`), and the presets that show it.\n\n\
                    In formulas:\n\n"
        .to_owned();
    for line in SYMBOLS.lines() {
        let _ = writeln!(text, "- {line}");
    }
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
    let mut text = format!("## `{name}`: {summary}\n\n{}\n\nIt {kind}. ", header(spec));
    if BEHAVIORS.contains(spec) {
        let _ = writeln!(text, "Its keys: [scene-keys.md](scene-keys.md#speciesbehaviors{name}).\n");
    }
    for law in laws_of(spec) {
        let _ = writeln!(text, "- `{}`: {}", law.name, law.statement);
    }
    let acts = |(known, behavior): (&BehaviorSpec, &Behavior)| known == spec && behavior.is_active();
    let shows = |scene: &&Scene| scene.species.iter().any(|species| species.described().any(acts));
    let scenes: Vec<String> = presets.iter().filter(shows).map(|scene| format!("`{}`", scene.name)).collect();
    if !scenes.is_empty() {
        let _ = writeln!(text, "\nShown by {}.", scenes.join(", "));
    }
    text
}

/// What the shader says at its head: formula, source and edge cases, in paragraphs.
fn header(spec: &BehaviorSpec) -> String {
    // A formula is indented by two spaces; Markdown wants four.
    let formula = |line: &&str| if line.starts_with("  ") { format!("  {line}") } else { (*line).to_owned() };
    spec.file.header.iter().map(formula).collect::<Vec<_>>().join("\n")
}
