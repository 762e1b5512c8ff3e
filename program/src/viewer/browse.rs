//! The file dialogs of the desktop, beside the paths that can be typed. They run on a thread of their own: the window goes on meanwhile.

use super::ViewerError;
use super::dialogs::{Dialog, Wish};
use super::stage::Stage;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use winit::window::Window;

/// Which dialog of the desktop is open.
pub struct Browsing {
    answer: JoinHandle<Option<PathBuf>>,
    saves: bool,
}

/// What is said where none was chosen: the desktop does not say whether it has such a dialog.
const NOTHING: &str = "No file was chosen. Where the desktop shows no dialog, type the path";

impl Browsing {
    /// Ask for a file to open; or where there is a proposal, for one to save to.
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

    /// The file, where there is an answer by now; none where none was chosen.
    fn answered(this: &mut Option<Browsing>) -> Option<(Option<PathBuf>, bool)> {
        let browsing = this.take_if(|browsing| browsing.answer.is_finished())?;
        Some((browsing.answer.join().ok().flatten(), browsing.saves))
    }
}

/// On a thread of its own.
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

    /// Take over what was chosen: a file to open is opened, one to save to stands in the field for its name.
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

    /// The answer comes from a thread of its own, once, whether there is one or not.
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
