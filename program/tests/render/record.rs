//! Pictures that say which run they show, and `rerun`, which makes it again.

use super::place::Place;
use std::fs;
use std::io::BufWriter;
use std::path::Path;
use steerling::render::record_in;

const ROOM: &str = "type octile\nheight 4\nwidth 6\nmap\n@@@@@@\n@....@\n@....@\n@@@@@@\n";
const SCENE: &str = "schema = 1\n[world]\nsize = [60, 40]\n[map]\nsource = \"room.map\"\ncell = 10\n\
                     [[species]]\ncount = 40\n[species.behaviors.cohesion]\n";

/// A picture of one pixel with this text.
fn write(path: &Path, text: &str, compressed: bool) {
    let mut encoder = png::Encoder::new(BufWriter::new(fs::File::create(path).unwrap()), 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    let mut chunk = png::text_metadata::ITXtChunk::new("steerling", text);
    chunk.compressed = compressed;
    writer.write_text_chunk(&chunk).unwrap();
    writer.write_image_data(&[0; 3]).unwrap();
}

/// Wherever it is carried with the file that its scene names; and it names no folder.
#[test]
fn a_picture_is_repeated_from_its_record() {
    let place = Place::new();
    place.write("home/room.map", ROOM);
    place.write("home/secret/other.map", ROOM.replace("....", "...@"));
    place.write("home/mine.toml", SCENE);
    let small = "--seed 5 --size 96x54 --after 6";
    place.good(&format!("render home/mine.toml {small} --frames 3 --every 2 --out away/"));
    let told = record_in(&place.at("away/000002.png")).unwrap();
    let folder = place.path().canonicalize().unwrap();
    assert!(told.contains("room.map") && !told.contains(folder.to_str().unwrap()), "{told}");
    place.refused("rerun away/000002.png --check", 5, "away/room.map: is not there");
    fs::copy(place.at("home/room.map"), place.at("away/room.map")).unwrap();
    for (frame, steps) in [(0, 6), (2, 10)] {
        let said = place.good(&format!("rerun away/00000{frame}.png --check --device cpu")).out;
        assert!(said.contains(&format!("after {steps} steps")), "{said}");
    }
    // As a scene, it draws the same pixels.
    place.good("render away/000002.png --size 96x54 --out again.png");
    let pixels = |name: &str| image::open(place.at(name)).unwrap().to_rgb8();
    assert_eq!(pixels("again.png"), pixels("away/000002.png"));
    assert_ne!(pixels("away/000000.png"), pixels("away/000002.png"), "control");
    place.write("away/room.map", ROOM.replacen("....", "..@.", 1));
    place.refused("rerun away/000002.png --check", 5, "has changed since the run");

    // A map that only `--set` names lies elsewhere, and is looked for beside the picture by its name.
    place.good(&format!("render home/mine.toml {small} --set map.source=home/secret/other.map --out set.png"));
    let told = record_in(&place.at("set.png")).unwrap();
    assert!(told.contains("other.map") && !told.contains(folder.to_str().unwrap()), "{told}");
    fs::rename(place.at("home/secret/other.map"), place.at("secret.map")).unwrap();
    place.refused("rerun set.png --check", 5, "other.map: is not there");
    fs::create_dir_all(place.at("secret")).unwrap();
    fs::rename(place.at("secret.map"), place.at("secret/other.map")).unwrap();
    assert!(place.good("rerun set.png --check").out.contains("the same: digest"));

    // From a state, which lies beside it too.
    place.good("run flock --agents 90 --steps 4 --out run");
    fs::rename(place.at("run/states/000004.npy"), place.at("four.npy")).unwrap();
    place.good("render flock --agents 90 --from four.npy --after 3 --size 96x54 --out from.png");
    assert!(place.good("rerun from.png --check").out.contains("the same: digest"));
    place.good("render from.png --size 96x54 --out same.png");
    assert_eq!(pixels("same.png"), pixels("from.png"));
    place.good("run from.png --steps 3 --out same");
    let told = record_in(&place.at("from.png")).unwrap();
    assert!(told.contains(place.digest("same").as_str().unwrap()), "{told}");
}

/// A picture without a record, or with one that is not as it was written, is refused in words; with another digest it is not the same.
#[test]
fn a_picture_without_a_record_is_refused() {
    let place = Place::new();
    place.good("render flock --agents 90 --size 96x54 --after 3 --out good.png");
    let told = record_in(&place.at("good.png")).unwrap();
    let refused = |name: &str, words: &str| {
        for command in ["rerun", "run"] {
            let seen = place.refused(&format!("{command} {name}"), 5, words);
            assert!(seen.err.contains(name), "{name}: {}", seen.err);
        }
    };
    image::RgbImage::new(3, 3).save(place.at("plain.png")).unwrap();
    refused("plain.png", "does not say which run it shows");
    place.write("text.png", SCENE);
    refused("text.png", "is no PNG that can be read");
    refused("missing.png", "cannot be read");
    write(&place.at("packed.png"), &told, true);
    refused("packed.png", "does not say which run it shows");
    write(&place.at("words.png"), "{}", false);
    refused("words.png", "cannot be used: missing field");
    write(&place.at("unseen.png"), &told.replace("\"picture\":{", "\"else\":{"), false);
    refused("unseen.png", "no valid camera of the picture");
    write(&place.at("scene.png"), &told.replace("schema = 1", "schema = 9"), false);
    refused("scene.png", "schema");

    write(&place.at("whole.png"), &told, false);
    assert!(place.good("rerun whole.png --check").out.contains("after 3 steps"));
    write(&place.at("other.png"), &told.replace("\"steps\":3", "\"steps\":2"), false);
    place.refused("rerun other.png --check", 3, "not the same");
    write(&place.at("changed.png"), &told.replace("\"changed\":false", "\"changed\":true"), false);
    place.refused("rerun changed.png --check", 5, "the run was changed while it ran");
    let drawn = place.good("render changed.png --size 96x54 --out start.png");
    assert!(drawn.err.contains("from its start: the run was changed"), "{}", drawn.err);

    // Cut anywhere before the pixels, which nobody needs.
    let bytes = fs::read(place.at("whole.png")).unwrap();
    let pixels = bytes.windows(4).position(|name| name == b"IDAT").unwrap();
    for cut in (0..pixels).step_by(pixels / 8) {
        place.write("cut.png", &bytes[..cut]);
        place.refused("rerun cut.png --check", 5, "");
    }
}
