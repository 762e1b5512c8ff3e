//! Saving the scene to a file.

use super::dialogs::Dialog;
use super::edited::Edited;
use super::gallery::file_of;
use super::stage::{Stage, window_title};
use super::unsaved::{Unsaved, arrays};
use crate::pictures;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use steerling::files;
use steerling::scene::{Scene, SceneError};

impl Stage {
    /// The path that saving proposes: the file that the scene came from, or one with the scene's name.
    pub fn proposal(&self) -> String {
        let scene = self.session.original();
        // A file that is missing now is proposed, too, to be written again.
        let gone = self.edited.file.as_ref().map(|file| file.source.origin.as_str());
        match file_of(scene).or(gone).filter(|file| !pictures::is_picture(Path::new(file))) {
            Some(file) => file.to_owned(),
            None => format!("{}.toml", scene.name),
        }
    }

    /// Save the scene to a file, then do what the user had asked for before. Break ends the program.
    pub fn save(&mut self, path: &str, replace: bool) -> ControlFlow<()> {
        let path = match path.trim() {
            path if path.ends_with(".toml") => path.to_owned(),
            path => format!("{path}.toml"),
        };
        let mut then = None;
        let problem = match self.write(&path, replace) {
            Ok(scene) => {
                if let Some(Dialog::Save(saving)) = self.interface.dialog.take() {
                    then = saving.then;
                }
                self.edited = Edited::of(&scene);
                self.session.kept(scene);
                self.unsaved.clear();
                self.keep_picture();
                self.window.set_title(&window_title(self.session.scene()));
                self.interface.remembered.opened(&path);
                self.interface.say(format!("Saved {path}"));
                None
            }
            Err(error) => Some((error.kind() == io::ErrorKind::AlreadyExists, unwritable(Path::new(&path), &error))),
        };
        if let (Some((exists, why)), Some(Dialog::Save(saving))) = (problem, &mut self.interface.dialog) {
            if exists {
                saving.ask_to_replace(file_of(self.session.original()) == Some(&path));
            } else {
                saving.refuse(why);
            }
        }
        then.map_or(ControlFlow::Continue(()), |after| self.go_on(after))
    }

    fn write(&self, path: &str, replace: bool) -> io::Result<Scene> {
        let scene = self.as_seen().map_err(|error| io::Error::other(error.to_string()))?;
        write(scene, &self.unsaved, path, replace)
    }
}

/// Write a scene to a file, with painted arrays in files beside it, and read the scene back.
pub fn write(scene: Scene, unsaved: &Unsaved, path: &str, replace: bool) -> io::Result<Scene> {
    let refused = |error: SceneError| io::Error::other(error.to_string());
    let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    // A scene that goes to another file than its own is named after that, if this is a valid name for a scene.
    let absolute = |path: &str| std::path::absolute(path).ok();
    let stays = absolute(&scene.source.origin) == absolute(path);
    let named = scene.with(|draft| {
        if !stays {
            draft.name = stem.to_owned();
        }
    });
    if Path::new(path).file_name().is_none_or(|name| name == ".toml") {
        return Err(io::Error::other("Nothing was saved: the file needs a name"));
    }
    // Check everything that can fail before array files are written.
    files::check(Path::new(path), replace)?;
    named.as_ref().unwrap_or(&scene).to_toml(path).map_err(refused)?;
    let scene = unsaved.beside(named.unwrap_or(scene), Path::new(path))?;
    let mut text = scene.to_toml(path).map_err(refused)?;
    for (_, array) in arrays(&scene) {
        let own = std::path::absolute(array)?;
        if let (Some(whole), Some(name)) = (own.to_str(), own.file_name().and_then(|name| name.to_str()))
            && own.parent() == std::path::absolute(path)?.parent()
        {
            text = text.replace(whole, name);
        }
    }
    files::write_whole(Path::new(path), replace, true, |out| out.write_all(text.as_bytes()))?;
    Scene::parse(&text, path, &[]).map_err(refused)
}

/// Why a file cannot be written, for the user. It does not mention the temporary file that is written first.
pub fn unwritable(path: &Path, error: &io::Error) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match error.kind() {
        io::ErrorKind::NotFound => format!("There is no folder {}", folder.display()),
        io::ErrorKind::NotADirectory => format!("{} is no folder", folder.display()),
        io::ErrorKind::PermissionDenied => format!("Nothing may be written into {}", folder.display()),
        _ => error.to_string(),
    }
}
