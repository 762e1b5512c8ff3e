//! Cards of the gallery, one for each scene, and their pictures.

use super::gui::ACCENT;
use egui::{Color32, Rect, Sense, TextureHandle, Ui, pos2, vec2};
use std::collections::HashMap;
use std::path::PathBuf;

/// Width and height of a picture: points in the gallery, and pixels in the sheet.
pub const PICTURE: [f32; 2] = [160.0, 90.0];
/// Size of the kept picture of a scene file, px.
pub const THUMBNAIL: (u32, u32) = (2 * PICTURE[0] as u32, 2 * PICTURE[1] as u32);
/// Height of the card of a file, points: picture, name and folder.
pub const FILE_CARD: f32 = 126.0;
/// Height of the card of a preset, points: picture, name, number of agents, and `LINES` lines of text.
pub const CARD: f32 = 192.0;
const LINES: usize = 4;

/// The sheet of all presets' pictures in rows, which `scripts/gallery` draws. A text chunk of the PNG names their presets, in order.
const SHEET: &[u8] = include_bytes!("../../../assets/gallery.png");
/// Number of pictures in a row of the sheet.
const COLUMNS: usize = 8;

/// A texture, and the part of it that shows a scene, in texture coordinates.
pub type PictureRef = (egui::TextureId, Rect);

/// The textures of the sheet and of pictures of files, loaded when first needed.
#[derive(Default)]
pub struct Pictures {
    sheet: Option<(TextureHandle, Vec<String>)>,
    pub files: HashMap<PathBuf, Option<TextureHandle>>,
}

impl Pictures {
    /// The picture in a PNG file. It is read once each time that the gallery opens.
    pub fn of_file(&mut self, context: &egui::Context, path: PathBuf) -> Option<PictureRef> {
        let read = |path: &PathBuf| {
            let image = image::open(path).ok()?.into_rgba8();
            let size = [image.width() as usize, image.height() as usize];
            let image = egui::ColorImage::from_rgba_unmultiplied(size, &image);
            Some(context.load_texture("file", image, egui::TextureOptions::LINEAR))
        };
        let texture = self.files.entry(path).or_insert_with_key(read).as_ref()?;
        Some((texture.id(), Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0))))
    }

    /// The picture of a preset, in the sheet.
    pub fn find(&mut self, context: &egui::Context, name: &str) -> Option<PictureRef> {
        if self.sheet.is_none() {
            let (image, names) = decoded()?;
            self.sheet = Some((context.load_texture("gallery", image, egui::TextureOptions::LINEAR), names));
        }
        let (texture, names) = self.sheet.as_ref()?;
        let at = names.iter().position(|known| known == name)?;
        let [width, height] = texture.size().map(|side| side as f32);
        let corner = vec2((at % COLUMNS) as f32 * PICTURE[0] / width, (at / COLUMNS) as f32 * PICTURE[1] / height);
        let size = vec2(PICTURE[0] / width, PICTURE[1] / height);
        Some((texture.id(), Rect::from_min_size(corner.to_pos2(), size)))
    }
}

/// Decode the sheet, and the names of its presets.
fn decoded() -> Option<(egui::ColorImage, Vec<String>)> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(SHEET));
    decoder.set_transformations(
        png::Transformations::EXPAND | png::Transformations::ALPHA | png::Transformations::STRIP_16,
    );
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(info.buffer_size());
    reader.finish().ok()?;
    // The list of names is long enough to be stored as a compressed text chunk.
    let texts = &reader.info().compressed_latin1_text;
    let names = texts.iter().find(|chunk| chunk.keyword.eq_ignore_ascii_case("scenes"))?.get_text().ok()?;
    let names = names.split_whitespace().map(str::to_owned).collect();
    let size = [info.width as usize, info.height as usize];
    (info.color_type == png::ColorType::Rgba).then(|| (egui::ColorImage::from_rgba_unmultiplied(size, &pixels), names))
}

/// Width and color of a picture's frame. Different for the card that Enter opens (`first`), below the mouse (`hovered`), of the open scene
/// (`current`), and others; in this order of precedence.
pub fn outline(hovered: bool, current: bool, first: bool) -> (f32, Color32) {
    match (first, hovered, current) {
        (true, ..) => (2.0, ACCENT),
        (_, true, _) => (1.0, Color32::WHITE),
        (.., true) => (1.0, Color32::from_gray(160)),
        _ => (1.0, Color32::from_gray(60)),
    }
}

/// A card of the gallery: a picture with a title, a line below it, and a text.
pub struct Card<'a> {
    /// Its name for screen readers.
    pub label: &'a str,
    pub title: String,
    pub below: String,
    pub text: &'a str,
    pub hint: String,
    pub height: f32,
}

impl Card<'_> {
    /// Show the card with its picture. `current`: is its scene open? `first`: does Enter open it?
    pub fn show(&self, ui: &mut Ui, (current, first): (bool, bool), shown: Option<PictureRef>) -> egui::Response {
        let (rect, response) = ui.allocate_exact_size(vec2(PICTURE[0], self.height), Sense::click());
        if !ui.is_rect_visible(rect) {
            return response;
        }
        let picture = Rect::from_min_size(rect.min, PICTURE.into());
        let painter = ui.painter_at(rect.expand(2.0));
        painter.rect_filled(picture, 4.0, Color32::from_gray(12));
        match shown {
            Some((texture, part)) => drop(painter.image(texture, picture, part, Color32::WHITE)),
            None => {
                let (font, gray) = (egui::FontId::proportional(11.0), Color32::from_gray(120));
                painter.text(picture.center(), egui::Align2::CENTER_CENTER, "no picture yet", font, gray);
            }
        }
        painter.rect_stroke(picture, 4.0, outline(response.hovered(), current, first), egui::StrokeKind::Outside);
        let text = |size: f32, text: String, color: Color32, rows: usize| {
            let mut job = egui::text::LayoutJob::simple(text, egui::FontId::proportional(size), color, PICTURE[0]);
            job.wrap.max_rows = rows;
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let title = if current { format!("{} (now)", self.title) } else { self.title.clone() };
        let below = |y: f32| pos2(rect.min.x, picture.max.y + y);
        painter.galley(below(3.0), text(13.0, title, Color32::from_gray(235), 1), Color32::WHITE);
        painter.galley(below(20.0), text(11.0, self.below.clone(), Color32::from_gray(165), 1), Color32::WHITE);
        painter.galley(below(35.0), text(11.0, self.text.to_owned(), Color32::from_gray(190), LINES), Color32::WHITE);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, self.label));
        response.on_hover_text(&self.hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steerling::scene::PRESETS;

    #[test]
    fn the_sheet_has_a_picture_for_each_of_its_names() {
        let (image, names) = decoded().expect("a sheet");
        let rows = names.len().div_ceil(COLUMNS);
        assert_eq!(image.size, [COLUMNS * PICTURE[0] as usize, rows * PICTURE[1] as usize]);
        // The sheet is part of the program, so it is kept small.
        assert!(SHEET.len() < 5_000 * names.len(), "{} bytes", SHEET.len());
        assert_eq!(names[..2], ["murmuration", "flock"]);
        let missing: Vec<&str> =
            PRESETS.iter().map(|p| p.name).filter(|name| !names.iter().any(|n| n == name)).collect();
        assert!(missing.len() <= 8, "run scripts/gallery: no pictures of {missing:?}");
    }

    /// The kept picture of a file is read back; a file without one has no picture.
    #[test]
    fn files_have_pictures() {
        let folder = tempfile::tempdir().expect("a folder");
        let [there, missing] = ["pictures/a.png", "pictures/b.png"].map(|name| folder.path().join(name));
        let image = image::RgbaImage::from_pixel(THUMBNAIL.0, THUMBNAIL.1, image::Rgba([1, 2, 3, 255]));
        crate::viewer::snapshot::save_thumbnail(&image, &there).expect("a picture");
        let (mut pictures, context) = (Pictures::default(), egui::Context::default());
        assert!(pictures.of_file(&context, there.clone()).is_some());
        assert!(pictures.of_file(&context, missing).is_none());
        let size = pictures.files[&there].as_ref().map(|texture| texture.size());
        assert_eq!(size, Some([THUMBNAIL.0 as usize, THUMBNAIL.1 as usize]));
    }

    /// The cards that Enter opens, below the mouse, of the open scene, and others have different frames.
    #[test]
    fn every_card_is_framed_as_what_it_is() {
        let frames = [
            outline(false, false, true),
            outline(true, false, false),
            outline(false, true, false),
            outline(false, false, false),
        ];
        let different = |at: usize| frames[at + 1..].iter().all(|frame| *frame != frames[at]);
        assert!((0..frames.len()).all(different), "{frames:?}");
        assert_eq!(outline(true, true, true), frames[0], "Enter's first of all");
    }
}
