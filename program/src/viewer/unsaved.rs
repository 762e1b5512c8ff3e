//! Unsaved changes, written to a file of the configuration folder at intervals, so that they survive a crash.
//!
//! Each window has a file of its own, which it keeps locked. A file that is not locked was left by a window that did not close in order.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use steerling::files::write_whole;
use steerling::scene::{Draft, FieldSource, MOST_FIELD_BYTES, Scene};

/// Time between two checks for changes.
const EVERY: Duration = Duration::from_secs(5);
/// Larger files are not read, bytes: they are no scene.
const LARGEST: u64 = 64 << 20;
/// The beginning of the first line; the scene's origin follows.
const HEAD: &str = "# unsaved changes of ";
/// The prefix of a temporary file, before it is renamed to its final name.
const HIDDEN: &str = ".steerling-";
/// The name that [`arrays`] gives to a flow field.
const FIELD: &str = "field";

/// Unsaved changes and painted arrays of this window.
#[derive(Default)]
pub struct Unsaved {
    folder: Option<PathBuf>,
    /// The file for changes. Its name is unique among windows, also those of other containers that share the folder.
    path: Option<PathBuf>,
    /// The file at `path`, locked, and the values written to it; `None` if nothing is unsaved.
    mine: Option<(File, Draft)>,
    /// When changes were last checked.
    looked: Option<Instant>,
    /// Files of painted arrays, flow fields and trails; all are named after the first.
    arrays: Vec<PathBuf>,
    /// The first of `arrays`, locked.
    lock: Option<File>,
}

/// Unsaved changes of a window that did not close in order.
pub struct Leftover {
    /// The file with the changes.
    pub path: PathBuf,
    /// The lock of that file, so that no other window offers it meanwhile.
    _lock: File,
    /// The preset or the file that was changed.
    pub origin: String,
    /// The text of the changed scene.
    text: String,
}

impl Unsaved {
    /// Keep unsaved changes in this folder; without a folder, nothing is kept.
    pub fn new(folder: Option<PathBuf>) -> Unsaved {
        Unsaved { folder, path: None, mine: None, looked: None, arrays: Vec::new(), lock: None }
    }

    /// Is the next check due? If so, the interval starts anew.
    pub fn due(&mut self) -> bool {
        let due = self.looked.is_none_or(|looked| looked.elapsed() >= EVERY);
        if due {
            self.looked = Some(Instant::now());
        }
        due
    }

    /// When the next check is due; `None` before the first.
    pub fn looks_at(&self) -> Option<Instant> {
        self.looked.map(|looked| looked + EVERY)
    }

    /// Keep a changed scene. Returns whether it is kept; a failure is only logged, since it is no reason to disturb a run.
    pub fn keep(&mut self, scene: &Scene) -> bool {
        // The place of the pointer is no change.
        let now = Draft { mouse: Default::default(), ..scene.draft() };
        if self.mine.as_ref().is_some_and(|(_, kept)| *kept == now) {
            return true;
        }
        let kept = self.write(scene, now);
        if let Err(error) = &kept {
            tracing::debug!("your changes cannot be kept: {error}");
        }
        kept.is_ok()
    }

    fn write(&mut self, scene: &Scene, now: Draft) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Err(io::ErrorKind::NotFound.into()) };
        let origin = match super::gallery::file_of(scene) {
            Some(file) => std::path::absolute(file)?.display().to_string(),
            None => scene.source.origin.clone(),
        };
        let text = scene.to_toml(&origin).map_err(|error| io::Error::other(error.to_string()))?;
        let path = match &self.path {
            Some(path) => path.clone(),
            None => {
                steerling::files::create_folders(folder)?;
                let file = tempfile::Builder::new().prefix("unsaved-").suffix(".toml").tempfile_in(folder)?;
                self.path.insert(file.into_temp_path().keep()?).clone()
            }
        };
        let write = |out: &mut io::BufWriter<_>| write!(out, "{HEAD}{origin}\n{text}");
        write_whole(&path, true, false, write)?;
        let file = File::open(&path)?;
        // If the lock fails, another window is just reading the file, and will release it.
        let _ = file.try_lock();
        self.mine = Some((file, now));
        Ok(())
    }

    /// Remove the file for changes, because nothing is unsaved any more.
    pub fn clear(&mut self) {
        self.mine = None;
        self.path.take().into_iter().for_each(|path| drop(std::fs::remove_file(path)));
    }

    /// Keep a painted array in a file of its own, until the window has closed and its changes are saved or discarded.
    pub fn keep_array(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<PathBuf> {
        if let Some(first) = self.arrays.first() {
            let path = first.with_extension(format!("{}.npy", self.arrays.len() + 1));
            write_whole(&path, true, false, |out| write(out))?;
            self.arrays.push(path.clone());
            return Ok(path);
        }
        let folder = self.folder.clone().unwrap_or_else(std::env::temp_dir);
        steerling::files::create_folders(&folder)?;
        // Lock the file before it gets its final name, by which another window that starts now might remove it as left behind.
        let first = tempfile::Builder::new().prefix(HIDDEN).suffix(".npy").tempfile_in(&folder)?;
        let _ = first.as_file().try_lock();
        let mut out = io::BufWriter::new(first);
        write(&mut out)?;
        let first = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let name = first.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let path = folder.join(name.replacen(HIDDEN, "unsaved-", 1));
        self.lock = Some(first.persist_noclobber(&path)?);
        self.arrays.push(path.clone());
        Ok(path)
    }

    /// Does the scene name a painted array that lies only here, and so does not outlive the window?
    pub fn painted(&self, scene: &Scene) -> bool {
        arrays(scene).into_iter().any(|(_, path)| self.keeps(path))
    }

    fn keeps(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let kept = path.parent() == self.folder.as_deref() && name.starts_with("unsaved-");
        kept || self.arrays.iter().any(|array| array == path)
    }

    /// Copy the painted arrays that lie only here beside the file that the scene is about to be saved as, without replacing any file.
    /// Returns the scene that names the copies.
    pub fn beside(&self, scene: Scene, path: &Path) -> io::Result<Scene> {
        let mut draft = scene.draft();
        for (what, source) in arrays(&scene).into_iter().filter(|(_, source)| self.keeps(source)) {
            let own = copied(source, path, what)?;
            match what {
                FIELD => draft.field.iter_mut().for_each(|field| field.source = FieldSource::Array(own.clone())),
                _ => {
                    let trails = draft.ground.iter_mut().filter_map(|ground| ground.trail.as_mut());
                    trails.for_each(|trail| *trail = trail.at(&own));
                }
            }
        }
        draft.validate().map_err(|error| io::Error::other(error.to_string()))
    }

    /// Remove the arrays of windows that have ended, except for those that a file of unsaved changes names.
    pub fn tidy(&self) {
        let Some(files) = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok()) else { return };
        let (mut arrays, mut texts) = (Vec::new(), Vec::new());
        for path in files.flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            match path.extension().and_then(|ending| ending.to_str()).filter(|_| name.starts_with("unsaved-")) {
                Some("toml") => match steerling::input::read(&path, LARGEST) {
                    Ok(text) => texts.push(String::from_utf8_lossy(&text).into_owned()),
                    // An unreadable file may name any array.
                    Err(_) => return,
                },
                Some("npy") => arrays.push((path, name)),
                _ => {}
            }
        }
        let is_there = |path: &Path, name: &str| {
            let first = path.with_file_name(name.split('.').next().unwrap_or_default()).with_extension("npy");
            File::open(first).is_ok_and(|first| first.try_lock().is_err())
        };
        arrays.retain(|(path, name)| !is_there(path, name) && !texts.iter().any(|text| text.contains(name)));
        arrays.iter().for_each(|(path, _)| drop(std::fs::remove_file(path)));
    }

    /// The latest unsaved changes that another window left.
    pub fn find(&self) -> Option<Leftover> {
        let files = std::fs::read_dir(self.folder.as_ref()?).ok()?.flatten().map(|entry| entry.path());
        let named = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("unsaved-") && name.ends_with(".toml")
        };
        let mut left: Vec<_> = files.filter(|path| named(path)).filter_map(Leftover::read).collect();
        left.sort_by_key(|(written, _)| *written);
        left.pop().map(|(_, left)| left)
    }
}

/// The files of a scene's flow field and trail, which may be painted, each with its name: `FIELD` or "trail".
pub fn arrays(scene: &Scene) -> Vec<(&'static str, &Path)> {
    let field = scene.field.as_ref().and_then(|field| field.source.path());
    let trail = scene.ground.as_ref().and_then(|ground| Some(ground.trail.as_ref()?.path()));
    field.map(|path| (FIELD, path)).into_iter().chain(trail.map(|path| ("trail", path))).collect()
}

/// Copy a file beside another one, under a free name: STEM-WHAT.npy, STEM-WHAT-2.npy ...
fn copied(source: &Path, beside: &Path, what: &str) -> io::Result<PathBuf> {
    let bytes = steerling::input::read(source, MOST_FIELD_BYTES).map_err(io::Error::other)?;
    let stem = beside.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let mut number = 1;
    loop {
        let numbered = if number == 1 { String::new() } else { format!("-{number}") };
        let own = beside.with_file_name(format!("{stem}-{what}{numbered}.npy"));
        match write_whole(&own, false, true, |out| out.write_all(&bytes)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            written => return written.map(|()| own),
        }
    }
}

/// Remove the painted arrays, unless unsaved changes are kept that may name them.
impl Drop for Unsaved {
    fn drop(&mut self) {
        if self.mine.is_none() {
            self.arrays.iter().for_each(|path| drop(std::fs::remove_file(path)));
        }
    }
}

impl Leftover {
    fn read(path: PathBuf) -> Option<(std::time::SystemTime, Leftover)> {
        let lock = File::open(&path).ok()?;
        lock.try_lock().ok()?;
        let written = lock.metadata().and_then(|about| about.modified()).ok()?;
        let text = String::from_utf8(steerling::input::read(&path, LARGEST).ok()?).ok()?;
        let (origin, text) = text.strip_prefix(HEAD)?.split_once('\n')?;
        let (origin, text) = (origin.to_owned(), text.to_owned());
        Some((written, Leftover { path, _lock: lock, origin, text }))
    }

    /// The changed scene.
    ///
    /// # Errors
    /// The text is no valid scene any more, for example because files that it names are missing.
    pub fn scene(&self) -> Result<Scene, String> {
        Scene::parse(&self.text, &self.origin, &[]).map_err(|error| error.to_string())
    }

    /// Remove the file, because the changes are discarded, or this window keeps them from now on.
    pub fn forget(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steerling::scene::FieldGrid;

    /// After a window ended, only the field that its unsaved changes name stays; the fields of an open window all stay.
    #[test]
    fn fields_of_windows_that_are_gone_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = || Unsaved::new(Some(folder.path().to_owned()));
        let grid = FieldGrid { nodes: [2, 2, 1], vectors: vec![[1.0, 0.0, 0.0]; 4] };
        let (mut gone, mut there) = (here(), here());
        let paint = |window: &mut Unsaved| [(); 3].map(|()| window.keep_array(|out| grid.write(out)).expect("a file"));
        let (left, kept) = (paint(&mut gone), paint(&mut there));
        let scene = Scene::open("flock", &[]).expect("a preset");
        let painted = scene.with(|draft| {
            draft.field =
                Some(steerling::scene::Field { source: FieldSource::Array(left[1].clone()), ..Default::default() });
        });
        assert!(gone.keep(&painted.expect("a scene")));
        let are_there = |fields: &[PathBuf; 3]| fields.each_ref().map(|field| field.exists());
        here().tidy();
        assert_eq!((are_there(&left), are_there(&kept)), ([true; 3], [true; 3]), "control: both windows are there");
        // It ends like a crash: locks are released, and nothing is removed.
        (gone.lock, gone.mine) = (None, None);
        gone.arrays.clear();
        here().tidy();
        assert_eq!((are_there(&left), are_there(&kept)), ([false, true, false], [true; 3]));
        gone.clear();
        here().tidy();
        assert_eq!((are_there(&left), are_there(&kept)), ([false; 3], [true; 3]));
    }

    /// Changes left by an ended window are found, those of an open one are not, and none are left after saving.
    #[test]
    fn what_was_not_saved_comes_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = || Unsaved::new(Some(folder.path().join("kept")));
        let scene = Scene::open("flock", &[]).expect("a preset");
        let changed = scene.with(|draft| draft.species[0].max_force = 7.0);
        let changed = changed.expect("a scene");
        let mut window = here();
        assert!(window.find().is_none() && window.due() && !window.due());
        assert!(window.keep(&changed));
        assert!(here().find().is_none(), "its window is there");
        let path = window.path.clone().expect("a path");
        drop(window);
        let left = here().find().expect("a file");
        assert!(here().find().is_none(), "another window offers it");
        assert_eq!(left.origin, "flock");
        assert_eq!(left.scene().expect("a scene").changed_since(&changed), []);
        left.forget();
        assert!(!path.exists());
        let mut window = here();
        let mut other = here();
        assert!(window.keep(&changed) && other.keep(&changed));
        assert_ne!(window.path, other.path, "each has its own");
        other.clear();
        let path = window.path.clone().expect("a path");
        assert!(path.exists());
        window.clear();
        assert!(!path.exists());
        // Other files are ignored, and a text that is no scene is an error.
        std::fs::write(folder.path().join("kept/unsaved-1.toml"), "something else").expect("a file");
        assert!(here().find().is_none());
        std::fs::write(folder.path().join("kept/unsaved-2.toml"), format!("{HEAD}x.toml\nschema = 7")).expect("a file");
        assert!(here().find().expect("a file").scene().is_err());
        let mut nowhere = Unsaved::new(None);
        assert!(!nowhere.keep(&changed));
        assert!(nowhere.find().is_none());
    }
}
