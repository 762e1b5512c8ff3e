//! What the window remembers from one start to the next: the recently opened scene files, and that it was started before.
//!
//! It is kept in one small file of the user's configuration. If that cannot be read or written, nothing is remembered, and no error is
//! shown, since that is no reason to disturb a run.

use std::path::{Path, PathBuf};

/// The most files that are remembered.
const MOST: usize = 6;
/// A larger file is not read, bytes: it is no list of files.
const LARGEST: u64 = 64 << 10;

/// The recently opened scene files, the latest first.
#[derive(Debug, Default)]
pub struct Remembered {
    file: Option<PathBuf>,
    recent: Vec<String>,
    /// Is this the first start?
    pub first: bool,
}

impl Remembered {
    /// Load what the user's configuration remembers.
    pub fn load() -> Remembered {
        Remembered::from_file(folder().map(|folder| folder.join("steerling").join("recent-scenes")))
    }

    fn from_file(file: Option<PathBuf>) -> Remembered {
        let read = file.as_ref().and_then(|file| steerling::input::read(file, LARGEST).ok());
        let first = read.is_none();
        let text = read.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        let remembered = Remembered { file, recent: text.lines().take(MOST).map(str::to_owned).collect(), first };
        if first {
            remembered.write();
        }
        remembered
    }

    /// The folder of the file, which is that of unsaved changes and of pictures, too.
    pub fn folder(&self) -> Option<PathBuf> {
        self.file.as_ref().and_then(|file| file.parent()).map(Path::to_owned)
    }

    /// The path where the picture of a scene file is kept.
    pub fn picture(&self, path: &str) -> Option<PathBuf> {
        let whole = std::path::absolute(path).ok()?;
        let name = blake3::hash(whole.as_os_str().as_encoded_bytes()).to_hex();
        Some(self.folder()?.join("pictures").join(format!("{}.png", &name[..16])))
    }

    /// The remembered files that still exist.
    pub fn recent(&self) -> impl Iterator<Item = &str> {
        self.recent.iter().map(String::as_str).filter(|path| Path::new(path).is_file())
    }

    /// Remember a scene file that was opened or saved.
    pub fn opened(&mut self, path: &str) {
        let whole = std::path::absolute(path).ok().and_then(|path| path.to_str().map(str::to_owned));
        let Some(path) = whole.filter(|path| !path.contains('\n')) else { return };
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        for gone in self.recent.split_off(MOST.min(self.recent.len())) {
            self.picture(&gone).into_iter().for_each(|picture| drop(std::fs::remove_file(picture)));
        }
        self.write();
    }

    fn write(&self) {
        if let Some(file) = &self.file {
            let _ = file.parent().map(steerling::files::create_folders);
            let lines: String = self.recent.iter().map(|path| format!("{path}\n")).collect();
            let write = |out: &mut std::io::BufWriter<_>| std::io::Write::write_all(out, lines.as_bytes());
            let _ = steerling::files::write_whole(file, true, false, write);
        }
    }
}

/// The user's configuration folder.
fn folder() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let given = named("XDG_CONFIG_HOME").or_else(|| named("APPDATA")).filter(|path| path.is_absolute());
    given.or_else(|| std::env::home_dir().map(|home| home.join(".config")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_start_is_the_first_only_once_and_files_come_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let load = || Remembered::from_file(Some(folder.path().join("a/b/recent")));
        assert!(load().first);
        assert!(!load().first);
        let names: Vec<String> =
            (0..9).map(|number| folder.path().join(format!("{number}.toml")).display().to_string()).collect();
        let mut remembered = load();
        let picture = |remembered: &Remembered, name: &str| remembered.picture(name).expect("a path");
        std::fs::create_dir_all(picture(&remembered, "x").parent().expect("a folder")).expect("a folder");
        for name in &names {
            std::fs::write(name, "").expect("a file");
            std::fs::write(picture(&remembered, name), "").expect("a picture");
            remembered.opened(name);
        }
        let pictured: Vec<bool> = names.iter().map(|name| picture(&remembered, name).exists()).collect();
        assert_eq!(
            pictured,
            [false, false, false, true, true, true, true, true, true],
            "no picture outlives its place"
        );
        remembered.opened(&names[7]);
        std::fs::remove_file(&names[6]).expect("a file");
        let remembered = load();
        let found: Vec<&str> = remembered.recent().collect();
        assert_eq!(found, [&names[7], &names[8], &names[5], &names[4], &names[3]]);
    }

    #[test]
    fn what_cannot_be_written_disturbs_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a"), "no folder").expect("a file");
        let mut remembered = Remembered::from_file(Some(folder.path().join("a/recent")));
        remembered.opened("b.toml");
        assert!(remembered.first && remembered.recent.len() == 1);
        assert!(Remembered::from_file(None).first);
    }
}
