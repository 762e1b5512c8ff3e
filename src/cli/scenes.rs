//! `steerling scenes` and `steerling schema`.

use super::Failure;
use super::shared::print;
use crate::scene::{PRESETS, Scene, SceneError, shorten, suggest};

/// Arguments of `steerling scenes`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    /// Print the TOML of this preset, ready to be saved and edited
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
}

/// Run `steerling scenes`.
pub fn run(args: Args) -> Result<(), Failure> {
    match args.show {
        Some(name) => print(text_of(&name)?),
        None => print(&listing()?),
    }
}

fn text_of(name: &str) -> Result<&'static str, SceneError> {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    let preset = PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| SceneError {
        origin: format!("--show {}", shorten(name, 100)),
        place: None,
        key: String::new(),
        value: None,
        message: "there is no preset of this name".to_owned(),
        hint: Some(suggest(name, &names)),
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

/// Print the JSON Schema of scene files, or the table of their keys.
pub fn schema(markdown: bool) -> Result<(), Failure> {
    let text = if markdown { crate::scene::reference() } else { format!("{:#}\n", crate::scene::schema()) };
    print(&text)
}
