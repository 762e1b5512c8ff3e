//! `steerling scenes` and `steerling schema`.

use super::Failure;
use super::shared::print;
use steerling::scene::{BEHAVIORS, BehaviorSpec, PRESETS, Scene, SceneError, shorten, suggest};

/// Arguments of `steerling scenes`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    /// Print the TOML of this preset, ready to be saved and edited
    #[arg(long, value_name = "NAME", conflicts_with = "markdown")]
    show: Option<String>,

    /// Print the page docs/presets.md
    #[arg(long)]
    markdown: bool,
}

/// Run `steerling scenes`.
pub fn run(args: Args) -> Result<(), Failure> {
    match args.show {
        Some(name) => print(text_of(&name)?),
        None if args.markdown => print(&page()?),
        None => print(&listing()?),
    }
}

fn text_of(name: &str) -> Result<&'static str, SceneError> {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    let preset = PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let origin = format!("--show {}", shorten(name, 100));
        SceneError::whole(origin, "there is no preset of this name").hint(suggest(name, &names))
    })?;
    Ok(preset.text)
}

/// Name and first sentence of each preset.
fn listing() -> Result<String, SceneError> {
    let width = PRESETS.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let mut list = String::new();
    for preset in PRESETS {
        let scene = Scene::parse(preset.text, preset.name, &[])?;
        let sentence =
            scene.shows.split_once(". ").map_or(scene.shows.as_str(), |(first, _)| first).trim_end_matches('.');
        list += &format!("{:width$}  {sentence}.\n", preset.name);
    }
    Ok(list)
}

/// What comes before the table of `docs/presets.md`.
const HEAD: &str = "\
# Presets

`steerling scenes` lists them, `steerling view NAME` opens one, `steerling scenes --show NAME` prints its TOML, ready to be edited. `things_to_try` there
says which `--set` to give next. Every behavior, kind of body, rule of combination and dialect is in one of them. This page is what
`steerling scenes --markdown` prints; how the sheet is drawn: [pictures.md](pictures.md#the-sheet-of-presets).

![Every preset after ten seconds](presets.png)

| preset | behaviors | what it shows |
| --- | --- | --- |
";

/// Each preset with the behaviors that act in it, and what it shows.
fn page() -> Result<String, SceneError> {
    let mut page = HEAD.to_owned();
    for preset in PRESETS {
        let scene = Scene::parse(preset.text, preset.name, &[])?;
        let acts = |spec: &&BehaviorSpec| scene.uses(spec.name);
        let uses: Vec<String> = BEHAVIORS.iter().filter(acts).map(|spec| spec.name.replace('_', " ")).collect();
        page += &format!("| `{}` | {} | {} |\n", preset.name, uses.join(", "), scene.shows);
    }
    Ok(page)
}

/// Print the JSON Schema of scene files, or the table of their keys.
pub fn schema(markdown: bool) -> Result<(), Failure> {
    let text = if markdown { steerling::scene::reference() } else { format!("{:#}\n", steerling::scene::schema()) };
    print(&text)
}
