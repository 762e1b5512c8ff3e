//! Flow fields from images.

use super::grid::{FieldGrid, VECTOR, file_error, room};
use crate::scene::SceneError;
use crate::scene::keys::MAX_NODES;
use image::{ImageDecoder, ImageFormat, ImageReader, Limits};
use std::io::BufReader;
use std::path::Path;

/// Most pixels along each side.
const MAX_SIDE: u32 = 8192;
/// Most bytes of an image, as it is and decoded.
const MAX_BYTES: u64 = 256 << 20;

/// One node for each pixel; the top row of the image is the +y end of the world.
pub fn read(path: &Path, speed: f64) -> Result<FieldGrid, SceneError> {
    let malformed = |e: image::ImageError| {
        file_error(path, format!("not a PNG image that can be read: {}", in_words(&e.to_string())))
    };
    let (file, _) = crate::input::open(path, MAX_BYTES).map_err(|reason| file_error(path, reason))?;
    let mut reader = ImageReader::new(BufReader::new(file));
    reader.set_format(ImageFormat::Png);
    // The header is read before anything is allocated for the pixels.
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_BYTES);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder().map_err(malformed)?;
    let (width, height) = decoder.dimensions();
    check_size(path, width, height, decoder.total_bytes())?;
    let pixels = u64::from(width) * u64::from(height);
    room(Some(path), decoder.total_bytes() + (3 + VECTOR) * pixels)?;
    decoder.set_limits(limits).map_err(malformed)?;
    let pixels = image::DynamicImage::from_decoder(decoder).map_err(malformed)?.into_rgb8();

    let component = |c: u8| (((f64::from(c) - 128.0) / 127.0).max(-1.0) * speed) as f32;
    let mut vectors = Vec::with_capacity((width * height) as usize);
    for row in pixels.rows().rev() {
        vectors.extend(row.map(|p| [component(p[0]), component(p[1]), 0.0]));
    }
    Ok(FieldGrid { nodes: [width, height, 1], vectors })
}

/// What the decoder complains of, without the forms that it has for programmers.
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

fn check_size(path: &Path, width: u32, height: u32, bytes: u64) -> Result<(), SceneError> {
    let pixels = u64::from(width) * u64::from(height);
    if width < 2 || height < 2 {
        return Err(file_error(path, format!("an image of {width} x {height} pixels; 2 x 2 is the least")));
    }
    if width > MAX_SIDE || height > MAX_SIDE || pixels > MAX_NODES || bytes > MAX_BYTES {
        let most = format!("{MAX_SIDE} along a side, {MAX_NODES} pixels and {} MiB in all", MAX_BYTES >> 20);
        return Err(file_error(path, format!("an image of {width} x {height} pixels; the most is {most}")));
    }
    Ok(())
}
