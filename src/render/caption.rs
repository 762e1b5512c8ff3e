//! The metadata of a picture, as text chunks in a PNG.

use crate::files::Part;
use crate::input;
use image::RgbaImage;
use std::io::{self, BufReader, BufWriter};
use std::path::Path;

/// Keyword of the text chunk that tells how to repeat the run.
const RECORD: &str = "steerling";

/// The metadata of a picture.
#[derive(Debug, Clone, Default)]
pub struct Caption {
    /// Name of the scene.
    pub scene: String,
    /// Seed of the scene.
    pub seed: u32,
    /// Steps before the picture.
    pub step: u64,
    /// How to repeat the run, if that is known.
    pub record: Option<String>,
}

/// Read [`Caption::record`] from a PNG.
///
/// # Errors
/// A file that cannot be read, that is no PNG, or that has no such text.
pub fn record_in(path: &Path) -> io::Result<String> {
    let (file, _) = input::open(path, u64::MAX).map_err(io::Error::other)?;
    let reader = png::Decoder::new(BufReader::new(file)).read_info();
    let reader = reader.map_err(|error| io::Error::other(format!("is no PNG that can be read: {error}")))?;
    // This program writes no compressed text, and one from elsewhere may unpack to any size.
    let mut texts = reader.info().utf8_text.iter().filter(|text| text.keyword == RECORD && !text.compressed);
    let text = texts.next().and_then(|text| text.get_text().ok());
    text.ok_or_else(|| io::Error::other("does not say which run it shows, as the pictures that this program saves do"))
}

pub(super) fn write_png(file: &mut BufWriter<Part>, image: &RgbaImage, caption: &Caption) -> io::Result<()> {
    let write = || {
        let rgb: Vec<u8> = image.pixels().flat_map(|p| [p[0], p[1], p[2]]).collect();
        let mut encoder = png::Encoder::new(file, image.width(), image.height());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.add_text_chunk("Software".into(), format!("steerling {}", env!("CARGO_PKG_VERSION")))?;
        encoder.add_itxt_chunk("Title".into(), caption.scene.clone())?;
        encoder.add_text_chunk("Seed".into(), caption.seed.to_string())?;
        encoder.add_text_chunk("Step".into(), caption.step.to_string())?;
        if let Some(record) = &caption.record {
            encoder.add_itxt_chunk(RECORD.into(), record.clone())?;
        }
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&rgb)?;
        writer.finish()
    };
    write().map_err(|error| match error {
        png::EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    })
}
