//! `steerling scenes` and `steerling schema`.

use super::Failure;
use super::behaviors::presets;
use super::shared::{listing, print};
use steerling::scene::{BEHAVIORS, BehaviorSpec, PRESETS, Scene, SceneError, shorten, suggest};

#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    /// Print the TOML of this preset, ready to be saved and edited
    #[arg(long, value_name = "NAME", conflicts_with = "markdown")]
    show: Option<String>,

    /// Print the page docs/presets.md
    #[arg(long)]
    markdown: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    match args.show {
        Some(name) => print(text_of(&name)?),
        None if args.markdown => print(&page()?),
        None => {
            let sentences: Vec<String> = presets()?.iter().map(sentence).collect();
            print(&listing(PRESETS.iter().map(|preset| preset.name).zip(sentences.iter().map(String::as_str))))
        }
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

/// The first sentence about a scene.
fn sentence(scene: &Scene) -> String {
    let first = scene.shows.split_once(". ").map_or(scene.shows.as_str(), |(first, _)| first);
    format!("{}.", first.trim_end_matches('.'))
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
    for (preset, scene) in PRESETS.iter().zip(&presets()?) {
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
