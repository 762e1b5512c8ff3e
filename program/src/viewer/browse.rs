//! The file dialogs of the desktop, as an alternative to typing a path. They run on another thread, and the window goes on meanwhile.

use super::ViewerError;
use super::dialogs::{Dialog, Wish};
use super::stage::Stage;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use winit::window::Window;

/// A file dialog of the desktop that is open.
pub struct Browsing {
    answer: JoinHandle<Option<PathBuf>>,
    /// Is it for saving? Otherwise it is for opening.
    saves: bool,
}

/// The message if no file was chosen. It also covers a desktop without such dialogs, which cannot be told from a canceled one.
const NOTHING: &str = "No file was chosen. Where the desktop shows no dialog, type the path";

impl Browsing {
    /// Open a dialog for a file to open; or if there is a proposal, for a file to save to.
    pub fn begin(window: &Window, proposal: Option<&str>) -> Browsing {
        let dialog = rfd::AsyncFileDialog::new().set_parent(window);
        let answer = match proposal {
            None => {
                let scenes =
                    dialog.set_title("Open a scene").add_filter("Scenes and pictures of runs", &["toml", "png"]);
                let file = scenes.pick_file();
                waited(async move { file.await.map(|file| file.path().to_owned()) })
            }
            Some(proposal) => {
                let path = Path::new(proposal);
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                let dialog = dialog.set_title("Save the scene").add_filter("Scenes", &["toml"]).set_file_name(name);
                let folder = path.parent().and_then(|folder| std::path::absolute(folder).ok());
                let file = folder.map_or(dialog.clone(), |folder| dialog.set_directory(folder)).save_file();
                waited(async move { file.await.map(|file| file.path().to_owned()) })
            }
        };
        Browsing { answer, saves: proposal.is_some() }
    }

    /// Take the answer, if there is one by now: the chosen file, if any, and whether it is for saving.
    fn answered(this: &mut Option<Browsing>) -> Option<(Option<PathBuf>, bool)> {
        let browsing = this.take_if(|browsing| browsing.answer.is_finished())?;
        Some((browsing.answer.join().ok().flatten(), browsing.saves))
    }
}

/// Wait for an answer on another thread.
fn waited(answer: impl Future<Output = Option<PathBuf>> + Send + 'static) -> JoinHandle<Option<PathBuf>> {
    std::thread::spawn(move || pollster::block_on(answer))
}

impl Stage {
    /// Open a dialog of the desktop, if none is open.
    pub fn browse(&mut self) {
        let proposal = match &self.interface.dialog {
            Some(Dialog::Save(saving)) => Some(saving.path.clone()),
            _ => None,
        };
        if self.browsing.is_none() {
            self.browsing = Some(Browsing::begin(&self.window, proposal.as_deref()));
        }
    }

    /// Take over the chosen file, if there is an answer: open it, or put it into the field of the save dialog.
    pub fn take_file(&mut self) -> Result<(), ViewerError> {
        let Some((file, saves)) = Browsing::answered(&mut self.browsing) else { return Ok(()) };
        let Some(file) = file.as_ref().and_then(|file| file.to_str()) else {
            self.interface.say(NOTHING);
            return Ok(());
        };
        if !saves {
            let _ = self.wish(Wish::Open(file.to_owned()))?;
        } else if let Some(Dialog::Save(saving)) = &mut self.interface.dialog {
            saving.type_in(file.to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer comes from another thread, exactly once, whether a file was chosen or not.
    #[test]
    fn an_answer_is_taken_once() {
        for answer in [Some(PathBuf::from("a/b.toml")), None] {
            let given = answer.clone();
            let mut browsing = Some(Browsing { answer: waited(async move { given }), saves: true });
            let found = loop {
                if let Some(found) = Browsing::answered(&mut browsing) {
                    break found;
                }
                assert!(browsing.is_some(), "it is waited for");
                std::thread::yield_now();
            };
            assert_eq!(found, (answer, true));
            assert!(browsing.is_none() && Browsing::answered(&mut browsing).is_none());
        }
    }
}
