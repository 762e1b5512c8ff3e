//! Watches the files of a scene, which may be edited while it runs.

use super::actions::Action;
use super::gallery::{file_name, file_of};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use steerling::scene::{Scene, SceneError};

/// Time between two checks of the files.
const PAUSE: Duration = Duration::from_millis(500);

/// The first line of the message about an edited file that is refused.
const GOES_ON: &str = "The run goes on without the edited file.";

/// The files that are watched for a scene: its own, its folder, where a missing file may appear, and those that it names, except for
/// the flow field's. A preset has none.
pub struct Edited {
    /// The scene as last read from its file; `None` for a preset.
    pub file: Option<Scene>,
    /// The scene of the file before the edit that is being applied.
    before: Option<Scene>,
    /// Why the present file is refused, until the user dismisses the message.
    pub broken: Option<String>,
    /// The same, also after it was dismissed.
    refused: Option<String>,
    /// Was the scene's own file missing at the last check?
    pub gone: bool,
    files: Vec<(PathBuf, Option<Stamp>)>,
    looked: Instant,
}

/// When a file was last written, and its size in bytes.
type Stamp = (SystemTime, u64);

impl Edited {
    /// Watch the files of a scene that was opened.
    pub fn of(scene: &Scene) -> Edited {
        let file = file_of(scene).and_then(|path| Scene::open(path, &scene.source.overrides).ok());
        let (files, looked) = (Vec::new(), Instant::now());
        let mut edited = Edited { file: None, before: None, broken: None, refused: None, gone: false, files, looked };
        if let Some(file) = file {
            edited.took(file);
        }
        edited
    }

    /// Take over the scene that was read from the file. The known stamps of its files stay, so that a file written meanwhile is noticed.
    pub fn took(&mut self, file: Scene) {
        let known = std::mem::take(&mut self.files);
        let stamp = |path: PathBuf| {
            let stamp =
                known.iter().find(|(file, _)| *file == path).map_or_else(|| stamp_of(&path), |(_, stamp)| *stamp);
            (path, stamp)
        };
        self.files = files_of(&file).into_iter().map(stamp).collect();
        self.before = self.file.replace(file);
        (self.broken, self.refused, self.gone) = (None, None, false);
    }

    /// The edit that was read last is applied.
    pub fn applied(&mut self) {
        self.before = None;
    }

    /// A change failed for this reason. If it was the edit that was read last, the next one is compared with the file before it, and the
    /// reason is shown as that of [`Edited::refuse`]. If no edit is being applied, returns the reason.
    pub fn failed(&mut self, why: String) -> Option<String> {
        let Some(before) = self.before.take() else { return Some(why) };
        self.file = Some(before);
        self.refuse_with(format!("{GOES_ON}\n{why}"));
        None
    }

    /// The edited file is no valid scene, for this reason, or is missing: keep what to tell the user.
    pub fn refuse(&mut self, error: &SceneError) {
        let gone = self.file.as_ref().filter(|_| self.gone).map(|file| file_name(&file.source.origin));
        self.refuse_with(match gone {
            Some(name) => format!("{name} was removed. The run goes on; {} writes the file again", Action::Save.keys()),
            None => format!("{GOES_ON}\n{error}"),
        });
    }

    fn refuse_with(&mut self, why: String) {
        if self.refused.as_ref() != Some(&why) {
            (self.broken, self.refused) = (Some(why.clone()), Some(why));
        }
    }

    /// Is the scene's own file missing right now?
    pub fn is_gone(&self) -> bool {
        self.file.as_ref().is_some_and(|file| !Path::new(&file.source.origin).is_file())
    }

    /// Does the scene of the file look otherwise than this one? A preset has no file in which a look could be kept.
    pub fn looks_otherwise(&self, scene: &Scene) -> bool {
        self.file.as_ref().is_some_and(|file| file.look != scene.look)
    }

    /// Was any file written since the last check? Checks at most once in [`PAUSE`]; otherwise false.
    pub fn changed(&mut self) -> bool {
        if self.looked.elapsed() < PAUSE {
            return false;
        }
        self.looked = Instant::now();
        let mut changed = false;
        for (path, stamp) in &mut self.files {
            let now = stamp_of(path);
            changed |= std::mem::replace(stamp, now) != now;
        }
        self.gone = self.is_gone();
        changed
    }

    /// When the next check is due; `None` if the scene came from no file.
    pub fn looks_at(&self) -> Option<Instant> {
        self.file.as_ref().map(|_| self.looked + PAUSE)
    }
}

/// Read the scene's file again, and its flow field if that is another one.
///
/// # Errors
/// The file is no valid scene, or the flow field cannot be read.
pub fn read_again(before: &Scene) -> Result<Scene, SceneError> {
    let file = Scene::open(&before.source.origin, &before.source.overrides)?;
    let field = file.field.as_ref().filter(|_| file.field != before.field);
    field.map_or(Ok(()), |field| field.grid(&file.world, file.seed).map(drop))?;
    Ok(file)
}

fn files_of(scene: &Scene) -> Vec<PathBuf> {
    let own = Path::new(&scene.source.origin);
    let folder = own.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    // A flow field is read only when the scene is opened.
    let named = scene.files().into_iter().filter(|(key, _)| !key.starts_with("field.")).map(|(_, path)| path);
    [own].into_iter().chain(folder).chain(named).map(Path::to_owned).collect()
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    let about = path.metadata().ok()?;
    Some((about.modified().ok()?, about.len()))
}
