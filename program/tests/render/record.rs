//! Pictures that say which run they show, and `rerun`, which makes it again.

use assert_cmd::Command;
use std::fs;
use std::io::BufWriter;
use std::path::Path;
use steerling::render::record_in;

const ROOM: &str = "type octile\nheight 4\nwidth 6\nmap\n@@@@@@\n@....@\n@....@\n@@@@@@\n";
const SCENE: &str = "schema = 1\n[world]\nsize = [60, 40]\n[map]\nsource = \"room.map\"\ncell = 10\n\
                     [[species]]\ncount = 40\n[species.behaviors.cohesion]\n";

/// What the program says, and its exit code.
fn call(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut command = Command::cargo_bin("steerling").unwrap();
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code(), said.into_owned())
}

fn good(folder: &Path, line: &str) -> String {
    let (code, said) = call(folder, line);
    assert_eq!(code, Some(0), "{line}: {said}");
    said
}

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
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    fs::create_dir_all(at("home/secret")).unwrap();
    fs::write(at("home/room.map"), ROOM).unwrap();
    fs::write(at("home/secret/other.map"), ROOM.replace("....", "...@")).unwrap();
    fs::write(at("home/mine.toml"), SCENE).unwrap();
    let small = "--seed 5 --size 96x54 --after 6";
    good(temp.path(), &format!("render home/mine.toml {small} --frames 3 --every 2 --out away/"));
    let told = record_in(&at("away/000002.png")).unwrap();
    let folder = temp.path().canonicalize().unwrap();
    assert!(told.contains("room.map") && !told.contains(folder.to_str().unwrap()), "{told}");
    let (code, said) = call(temp.path(), "rerun away/000002.png --check");
    assert!(code == Some(5) && said.contains("away/room.map: cannot be read"), "{said}");
    fs::copy(at("home/room.map"), at("away/room.map")).unwrap();
    for (frame, steps) in [(0, 6), (2, 10)] {
        let said = good(temp.path(), &format!("rerun away/00000{frame}.png --check --device cpu"));
        assert!(said.contains(&format!("after {steps} steps")), "{said}");
    }
    // As a scene, it draws the same pixels.
    good(temp.path(), "render away/000002.png --size 96x54 --after 10 --out again.png");
    let pixels = |name: &str| image::open(at(name)).unwrap().to_rgb8();
    assert_eq!(pixels("again.png"), pixels("away/000002.png"));
    assert_ne!(pixels("away/000000.png"), pixels("away/000002.png"), "control");
    fs::write(at("away/room.map"), ROOM.replacen("....", "..@.", 1)).unwrap();
    let (code, said) = call(temp.path(), "rerun away/000002.png --check");
    assert!(code == Some(5) && said.contains("is not as it was in the run"), "{said}");

    // A map that only `--set` names lies elsewhere, and is looked for beside the picture by its name.
    good(temp.path(), &format!("render home/mine.toml {small} --set map.source=home/secret/other.map --out set.png"));
    let told = record_in(&at("set.png")).unwrap();
    assert!(told.contains("other.map") && !told.contains(folder.to_str().unwrap()), "{told}");
    fs::rename(at("home/secret/other.map"), at("secret.map")).unwrap();
    let (code, said) = call(temp.path(), "rerun set.png --check");
    assert!(code == Some(5) && said.contains("other.map: cannot be read"), "{said}");
    fs::create_dir_all(at("secret")).unwrap();
    fs::rename(at("secret.map"), at("secret/other.map")).unwrap();
    assert!(good(temp.path(), "rerun set.png --check").contains("the same: digest"));

    // From a state, which lies beside it too.
    good(temp.path(), "run flock --agents 90 --steps 4 --out run");
    fs::rename(at("run/states/000004.npy"), at("four.npy")).unwrap();
    good(temp.path(), "render flock --agents 90 --from four.npy --after 3 --size 96x54 --out from.png");
    assert!(good(temp.path(), "rerun from.png --check").contains("the same: digest"));
}

/// A picture without a record, or with one that is not as it was written, is refused in words; with another digest it is not the same.
#[test]
fn a_picture_without_a_record_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    good(temp.path(), "render flock --agents 90 --size 96x54 --after 3 --out good.png");
    let told = record_in(&at("good.png")).unwrap();
    let refused = |name: &str, words: &str| {
        for command in ["rerun", "run"] {
            let (code, said) = call(temp.path(), &format!("{command} {name}"));
            assert!(code == Some(5) && said.contains(words) && said.contains(name), "{name}: {said}");
        }
    };
    image::RgbImage::new(3, 3).save(at("plain.png")).unwrap();
    refused("plain.png", "does not say which run it shows");
    fs::write(at("text.png"), SCENE).unwrap();
    refused("text.png", "is no PNG that can be read");
    refused("missing.png", "cannot be read");
    write(&at("packed.png"), &told, true);
    refused("packed.png", "does not say which run it shows");
    write(&at("words.png"), "{}", false);
    refused("words.png", "cannot be used: missing field");
    write(&at("unseen.png"), &told.replace("\"picture\":{", "\"else\":{"), false);
    refused("unseen.png", "how the picture shows it");
    write(&at("scene.png"), &told.replace("schema = 1", "schema = 9"), false);
    refused("scene.png", "schema");

    write(&at("whole.png"), &told, false);
    assert!(good(temp.path(), "rerun whole.png --check").contains("after 3 steps"));
    write(&at("other.png"), &told.replace("\"steps\":3", "\"steps\":2"), false);
    let (code, said) = call(temp.path(), "rerun other.png --check");
    assert!(code == Some(3) && said.contains("not the same"), "{said}");
    write(&at("changed.png"), &told.replace("\"changed\":false", "\"changed\":true"), false);
    let (code, said) = call(temp.path(), "rerun changed.png --check");
    assert!(code == Some(5) && said.contains("somebody changed the run on its way"), "{said}");

    // Cut anywhere before the pixels, which nobody needs.
    let bytes = fs::read(at("whole.png")).unwrap();
    let pixels = bytes.windows(4).position(|name| name == b"IDAT").unwrap();
    for cut in (0..pixels).step_by(pixels / 8) {
        fs::write(at("cut.png"), &bytes[..cut]).unwrap();
        assert_eq!(call(temp.path(), "rerun cut.png --check").0, Some(5), "{cut} bytes");
    }
}
