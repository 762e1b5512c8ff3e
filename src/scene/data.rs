//! Files of data that a scene names: where they lie, what is wrong with them, and whether there is memory for them.

use super::SceneError;
use super::error::suggest;
use super::keys::Key;
#[cfg(feature = "fields")]
use super::keys::MAX_NODES;
use super::read::Section;
use super::tree::{Kind, Node, Place};
use crate::memory;
use std::path::{Path, PathBuf};

impl<'a> Section<'a> {
    /// Paths in a file are relative to it, paths in overrides to the working directory.
    pub fn path_of(&self, text: &str, node: &Node) -> PathBuf {
        match node.place {
            Place::File(_) => Path::new(self.input.origin).parent().unwrap_or(Path::new("")).join(text),
            Place::Override(_) => PathBuf::from(text),
        }
    }

    /// The value of a key that is either one of `words`, each of which stands for a variant, or the path of a file with
    /// one of `extensions`, which `open` reads.
    pub fn source<T: Clone>(
        &self,
        key: &Key,
        node: &'a Node,
        (words, variants): (&[&str], &[T]),
        extensions: &[&str],
        open: impl FnOnce(&Path) -> Result<T, SceneError>,
    ) -> Result<T, SceneError> {
        let text = self.text(key, node)?;
        let path = self.path_of(text, node);
        if let Some(index) = words.iter().position(|word| *word == text) {
            return Ok(variants[index].clone());
        }
        if extensions.contains(&extension(&path).as_str()) {
            return open(&path);
        }
        let endings = extensions.join(" or .");
        if words.is_empty() {
            return Err(self.error(key, node, format!("must be a path ending in .{endings}")));
        }
        let message = format!("must be one of {}, or a path ending in .{endings}", words.join(", "));
        Err(self.error(key, node, message).hint(suggest(text, words)))
    }
}

/// Implements `Value` for the type of a source: it is one of `FORMULAS`, which stand for `VARIANTS`, or the path of a file with one of
/// `EXTENSIONS`, of which `$open` makes a source.
macro_rules! source_value {
    ($source:ty, $open:expr) => {
        const _: () = {
            use $crate::scene::{
                SceneError, data, keys::Key, names::Names, read, tables::Value, tree::Kind, tree::Node,
            };

            impl Value for $source {
                fn read<'a>(
                    &mut self,
                    key: &Key,
                    from: &read::Section<'a>,
                    node: &'a Node,
                    _: &Names,
                ) -> Result<(), SceneError> {
                    let words = (Self::FORMULAS, Self::VARIANTS);
                    *self = from.source(key, node, words, Self::EXTENSIONS, $open)?;
                    Ok(())
                }

                fn kind_in_file(&mut self, _: &Key, _: &str, _: &Names) -> Option<Kind> {
                    match self.path() {
                        Some(path) => read::file(path),
                        None => data::word_of(self, Self::FORMULAS, Self::VARIANTS),
                    }
                }
            }
        };
    };
}
pub(super) use source_value;

/// The word of a variant; `None` if the value is not one of the variants.
pub fn word_of<T: PartialEq>(value: &T, words: &[&str], variants: &[T]) -> Option<Kind> {
    let index = variants.iter().position(|variant| variant == value)?;
    Some(Kind::Text(words[index].to_owned()))
}

/// The ending of a path, in small letters.
pub fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase()
}

/// An index in C order as it is written in NumPy, for an array of this shape, such as `[1, 2]`.
pub fn index_shown(mut index: usize, shape: &[u32]) -> String {
    let mut along = vec![0; shape.len()];
    for (place, side) in along.iter_mut().zip(shape).rev() {
        *place = index % *side as usize;
        index /= *side as usize;
    }
    format!("{along:?}")
}

/// A problem of a file that this key of the scene names.
pub fn file_error(path: &Path, key: &str, message: impl Into<String>) -> SceneError {
    SceneError::whole(path.display().to_string(), message).key(key)
}

/// An error if there is no memory for `bytes`, which the source `name` takes while it becomes a `what`.
pub fn check_memory(name: String, what: &str, bytes: u64) -> Result<(), SceneError> {
    memory::check_fits(bytes)
        .map_err(|why| SceneError { short_of_memory: true, ..SceneError::whole(name, format!("as a {what} it {why}")) })
}

/// How a picture is read, and within which limits.
#[cfg(feature = "fields")]
pub struct Picture {
    /// The key that names the picture, and (`what`) what it becomes, for messages.
    pub key: &'static str,
    pub what: &'static str,
    /// Least and most pixels along each side.
    pub sides: (u32, u32),
    /// Bytes for each pixel, in addition to what the decoder takes.
    pub bytes: u64,
}

/// Most bytes of a picture, as it is and decoded.
#[cfg(feature = "fields")]
const MAX_BYTES: u64 = 256 << 20;

#[cfg(feature = "fields")]
impl Picture {
    /// Read a PNG image.
    pub fn read(&self, path: &Path) -> Result<image::DynamicImage, SceneError> {
        use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};
        let fault = |message: String| file_error(path, self.key, message);
        let malformed =
            |e: ImageError| fault(format!("not a PNG image that can be read: {}", in_words(&e.to_string())));
        let (file, _) = crate::input::open(path, MAX_BYTES).map_err(fault)?;
        let mut reader = ImageReader::new(std::io::BufReader::new(file));
        reader.set_format(ImageFormat::Png);
        // The header is read before anything is allocated for the pixels.
        let mut limits = Limits::default();
        limits.max_alloc = Some(MAX_BYTES);
        reader.limits(limits.clone());
        let mut decoder = reader.into_decoder().map_err(malformed)?;
        let (width, height) = decoder.dimensions();
        self.check_size(width, height, decoder.total_bytes()).map_err(fault)?;
        let pixels = u64::from(width) * u64::from(height);
        check_memory(path.display().to_string(), self.what, decoder.total_bytes() + self.bytes * pixels)?;
        decoder.set_limits(limits).map_err(malformed)?;
        DynamicImage::from_decoder(decoder).map_err(malformed)
    }

    fn check_size(&self, width: u32, height: u32, bytes: u64) -> Result<(), String> {
        let (least, most) = self.sides;
        let pixels = u64::from(width) * u64::from(height);
        if width.min(height) < least {
            return Err(format!("the image has {width} x {height} pixels; it must have at least {least} x {least}"));
        }
        if width.max(height) > most || pixels > MAX_NODES || bytes > MAX_BYTES {
            let most = format!("{most} along a side, {MAX_NODES} pixels and {} MiB in all", MAX_BYTES >> 20);
            return Err(format!("the image has {width} x {height} pixels; it may have at most {most}"));
        }
        Ok(())
    }
}

/// The decoder's complaint in plain words, without debug output.
#[cfg(feature = "fields")]
fn in_words(complaint: &str) -> String {
    let complaint = complaint.trim_start_matches("Format error decoding Png: ");
    if complaint.starts_with("Unrecognized critical chunk") {
        return "it has a part that no PNG image has".to_owned();
    }
    if complaint.contains("CRC error") {
        return "a checksum in it is wrong, so it is damaged".to_owned();
    }
    if complaint.contains("Corrupt deflate stream") {
        return "its pixels cannot be unpacked, so it is damaged".to_owned();
    }
    // A chunk appears as `ChunkType { type: IDAT, critical: true, ... }`.
    let chunk = complaint.split_once("ChunkType { type: ").and_then(|(before, rest)| {
        let (name, rest) = rest.split_once(", critical")?;
        let name = if name.chars().all(char::is_alphanumeric) { name } else { "unknown" };
        Some(format!("{before}{name}{}", rest.split_once('}')?.1))
    });
    chunk.unwrap_or_else(|| complaint.to_owned())
}
