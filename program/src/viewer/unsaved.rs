//! Changes that are not saved, written now and then beside what the window remembers, so that a crash does not take them along.
//!
//! Each window has a file of its own, which it locks as long as it is there: what nobody locks was left by one that did not end in order.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use steerling::files::write_whole;
use steerling::scene::{Draft, FieldSource, MOST_FIELD_BYTES, Scene};

/// Time between two looks at whether something changed.
const EVERY: Duration = Duration::from_secs(5);
/// More than so many bytes are no scene.
const LARGEST: u64 = 64 << 20;
/// What the first line says before the scene that was changed.
const HEAD: &str = "# unsaved changes of ";
/// How the name of a file begins that is about to get its own.
const HIDDEN: &str = ".steerling-";
/// What a flow field is called.
const FIELD: &str = "field";

/// The file of this window.
#[derive(Default)]
pub struct Unsaved {
    folder: Option<PathBuf>,
    /// Of a name that no other window has, also one of another container.
    path: Option<PathBuf>,
    /// Locked, and the values that it has.
    mine: Option<(File, Draft)>,
    looked: Option<Instant>,
    /// Arrays that were painted, flow fields and trails, all named after the first.
    arrays: Vec<PathBuf>,
    /// The first of them, locked.
    lock: Option<File>,
}

/// What a window left that did not end in order.
pub struct Left {
    /// Its file.
    pub path: PathBuf,
    /// No other window offers it meanwhile.
    _lock: File,
    /// The preset or the file that was changed.
    pub origin: String,
    /// The scene as it was then.
    text: String,
}

impl Unsaved {
    /// In this folder; nothing is kept where there is none.
    pub fn new(folder: Option<PathBuf>) -> Unsaved {
        Unsaved { folder, path: None, mine: None, looked: None, arrays: Vec::new(), lock: None }
    }

    /// Is it time to look again?
    pub fn due(&mut self) -> bool {
        let due = self.looked.is_none_or(|looked| looked.elapsed() >= EVERY);
        if due {
            self.looked = Some(Instant::now());
        }
        due
    }

    /// When it looks again.
    pub fn looks_at(&self) -> Option<Instant> {
        self.looked.map(|looked| looked + EVERY)
    }

    /// Keep a scene that was changed. Says whether it is kept now; where not, that is no reason to disturb a run.
    pub fn keep(&mut self, scene: &Scene) -> bool {
        // Where the pointer went is no change.
        let now = Draft { mouse: Default::default(), ..scene.draft() };
        if self.mine.as_ref().is_some_and(|(_, kept)| *kept == now) {
            return true;
        }
        let kept = self.write(scene, now);
        if let Err(error) = &kept {
            tracing::debug!("what was changed is not kept: {error}");
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
        // Another window that looks at it this very moment lets it go again.
        let _ = file.try_lock();
        self.mine = Some((file, now));
        Ok(())
    }

    /// Nothing is unsaved any more.
    pub fn clear(&mut self) {
        self.mine = None;
        self.path.take().into_iter().for_each(|path| drop(std::fs::remove_file(path)));
    }

    /// Keep a painted array in a file of its own, as long as the window is there or what was changed is not saved.
    pub fn keep_array(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<PathBuf> {
        if let Some(first) = self.arrays.first() {
            let path = first.with_extension(format!("{}.npy", self.arrays.len() + 1));
            write_whole(&path, true, false, |out| write(out))?;
            self.arrays.push(path.clone());
            return Ok(path);
        }
        let folder = self.folder.clone().unwrap_or_else(std::env::temp_dir);
        steerling::files::create_folders(&folder)?;
        // It is locked before it has the name by which another window, which starts this very moment, would remove it.
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

    /// Was anything of the scene painted that lies in no file of the user's yet? It goes with the window.
    pub fn painted(&self, scene: &Scene) -> bool {
        arrays(scene).into_iter().any(|(_, path)| self.keeps(path))
    }

    fn keeps(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let kept = path.parent() == self.folder.as_deref() && name.starts_with("unsaved-");
        kept || self.arrays.iter().any(|array| array == path)
    }

    /// The scene with copies of what was painted beside the file that it is about to be saved as, where that lies among what is not saved.
    /// Never in place of another file.
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

    /// Remove the arrays of windows that are gone, but for those that something names that was not saved.
    pub fn tidy(&self) {
        let Some(files) = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok()) else { return };
        let (mut arrays, mut texts) = (Vec::new(), Vec::new());
        for path in files.flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            match path.extension().and_then(|ending| ending.to_str()).filter(|_| name.starts_with("unsaved-")) {
                Some("toml") => match steerling::input::read(&path, LARGEST) {
                    Ok(text) => texts.push(String::from_utf8_lossy(&text).into_owned()),
                    // It may name any of them.
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

    /// The latest that another window left.
    pub fn find(&self) -> Option<Left> {
        let files = std::fs::read_dir(self.folder.as_ref()?).ok()?.flatten().map(|entry| entry.path());
        let named = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("unsaved-") && name.ends_with(".toml")
        };
        let mut left: Vec<_> = files.filter(|path| named(path)).filter_map(Left::read).collect();
        left.sort_by_key(|(written, _)| *written);
        left.pop().map(|(_, left)| left)
    }
}

/// The arrays that may be painted and that a scene names, each with what it is called.
pub fn arrays(scene: &Scene) -> Vec<(&'static str, &Path)> {
    let field = scene.field.as_ref().and_then(|field| field.source.path());
    let trail = scene.ground.as_ref().and_then(|ground| Some(ground.trail.as_ref()?.path()));
    field.map(|path| (FIELD, path)).into_iter().chain(trail.map(|path| ("trail", path))).collect()
}

/// Copy a file beside another one, under a name that nothing has.
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

/// Where nothing is left to be saved, no array is either.
impl Drop for Unsaved {
    fn drop(&mut self) {
        if self.mine.is_none() {
            self.arrays.iter().for_each(|path| drop(std::fs::remove_file(path)));
        }
    }
}

impl Left {
    fn read(path: PathBuf) -> Option<(std::time::SystemTime, Left)> {
        let lock = File::open(&path).ok()?;
        lock.try_lock().ok()?;
        let written = lock.metadata().and_then(|about| about.modified()).ok()?;
        let text = String::from_utf8(steerling::input::read(&path, LARGEST).ok()?).ok()?;
        let (origin, text) = text.strip_prefix(HEAD)?.split_once('\n')?;
        let (origin, text) = (origin.to_owned(), text.to_owned());
        Some((written, Left { path, _lock: lock, origin, text }))
    }

    /// The scene as it was then.
    ///
    /// # Errors
    /// A text that is no scene any more, such as one whose files are gone.
    pub fn scene(&self) -> Result<Scene, String> {
        Scene::parse(&self.text, &self.origin, &[]).map_err(|error| error.to_string())
    }

    /// It is not wanted any more, or is kept by this window from now on.
    pub fn forget(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steerling::scene::FieldGrid;

    /// Of a window that is gone the field that its changes name stays, and no other; those of one that is there stay.
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
        // It ends without order.
        (gone.lock, gone.mine) = (None, None);
        gone.arrays.clear();
        here().tidy();
        assert_eq!((are_there(&left), are_there(&kept)), ([false, true, false], [true; 3]));
        gone.clear();
        here().tidy();
        assert_eq!((are_there(&left), are_there(&kept)), ([false; 3], [true; 3]));
    }

    /// What a window that is gone left is found; what one that is there keeps is not, and nothing is left of what was saved.
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
        // What is no such file, or no scene any more, disturbs nobody.
        std::fs::write(folder.path().join("kept/unsaved-1.toml"), "something else").expect("a file");
        assert!(here().find().is_none());
        std::fs::write(folder.path().join("kept/unsaved-2.toml"), format!("{HEAD}x.toml\nschema = 7")).expect("a file");
        assert!(here().find().expect("a file").scene().is_err());
        let mut nowhere = Unsaved::new(None);
        assert!(!nowhere.keep(&changed));
        assert!(nowhere.find().is_none());
    }
}
