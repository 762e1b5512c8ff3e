//! Flow fields from images.

use super::grid::{FieldGrid, KEY, VECTOR, WHAT};
use crate::scene::SceneError;
use crate::scene::data::Picture;
use std::path::Path;

/// One node for each pixel; the top row of the image is the +y end of the world.
pub fn read(path: &Path, speed: f64) -> Result<FieldGrid, SceneError> {
    let picture = Picture { key: KEY, what: WHAT, sides: (2, 8192), bytes: 3 + VECTOR };
    let pixels = picture.read(path)?.into_rgb8();
    let (width, height) = pixels.dimensions();
    let component = |c: u8| (((f64::from(c) - 128.0) / 127.0).max(-1.0) * speed) as f32;
    let mut vectors = Vec::with_capacity((width * height) as usize);
    for row in pixels.rows().rev() {
        vectors.extend(row.map(|p| [component(p[0]), component(p[1]), 0.0]));
    }
    Ok(FieldGrid { nodes: [width, height, 1], vectors })
}
