//! Files of flow fields and of trails that are wrong: each gives one message with the file, the key, what was expected and what was found.

use std::path::{Path, PathBuf};
use steerling::scene::{Field, FieldSource, Scene, SceneError, TrailFile};
use support::mutated::seal_png;
use support::npy::npy;
use support::{file, refused};

fn read_field(path: &Path, scale: f32) -> Result<(), SceneError> {
    let scene = Scene::open("wind", &[]).unwrap();
    Field { source: FieldSource::file(path), scale, ..scene.field.clone().unwrap() }.grid(&scene.world, 1).map(drop)
}

fn expect_field_error(path: PathBuf, parts: &[&str]) {
    let error = refused(read_field(&path, 1e6), parts);
    assert_eq!((error.key.as_str(), error.origin.as_str()), ("field.source", path.to_str().unwrap()));
}

/// Files of these contents and this ending are refused, each in these words.
fn each_refused(ending: &str, cases: &[(Vec<u8>, &[&str])]) {
    let folder = tempfile::tempdir().unwrap();
    for (i, (bytes, parts)) in cases.iter().enumerate() {
        expect_field_error(file(folder.path(), &format!("{i}.{ending}"), bytes), parts);
    }
    expect_field_error(folder.path().join(format!("missing.{ending}")), &["cannot be read"]);
}

/// A file of one byte more than the most is refused with that number.
fn too_large_is_refused(ending: &str, most: u64) {
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join(format!("large.{ending}"));
    std::fs::File::create(&large).unwrap().set_len(most + 1).unwrap();
    expect_field_error(large, &[&format!("at most {most} are read")]);
}

fn record(number: u32, nx: u32, ny: u32, data: &str) -> String {
    let header = format!("\"parameterCategory\":2,\"parameterNumber\":{number},\"nx\":{nx},\"ny\":{ny}");
    format!("{{\"header\":{{{header}}},\"data\":[{data}]}}")
}

#[test]
fn wind_files_that_are_wrong() {
    let good = record(2, 2, 2, "1,2,3,4");
    let north = |nx, ny, data: &str| format!("[{good},{}]", record(3, nx, ny, data));
    let upside_down = north(2, 2, "1,2,3,4").replace("\"nx\"", "\"la1\":-90,\"la2\":90,\"nx\"");
    let elsewhere = north(2, 2, "1,2,3,4").replacen("\"nx\"", "\"lo1\":0,\"nx\"", 1);
    let cases: [(String, &[&str]); 21] = [
        (elsewhere, &["the two components begin at different places"]),
        (String::new(), &["not a wind file: EOF"]),
        ("[]".into(), &["there is no record of the eastward wind (parameterCategory 2, parameterNumber 2)"]),
        (format!("[{good}]"), &["there is no record of the northward wind"]),
        (format!("[{good},{good}]"), &["there are several records of the eastward wind"]),
        (north(2, 2, "1,2,3"), &["northward wind", "3 values, but 2 x 2 = 4 are announced"]),
        (north(2, 2, "1,2,3,4,5"), &["5 values, but 2 x 2 = 4"]),
        (north(2, 2, "1,2,null,4"), &["value 2 (row 1, column 0) is null or not a finite number"]),
        (north(2, 2, "1,2,1e300,4"), &["value 2 (row 1, column 0)"]),
        (north(2, 2, "1,2,1e36,4"), &["multiplied by field.scale = 1000000, a value is too large"]),
        (north(2, 2, "1,2,NaN,4"), &["not a wind file", "line 1 column"]),
        (north(2, 2, "1,2,\"3\",4"), &["not a wind file", "invalid type: string"]),
        (north(2, 3, "1,2,3,4,5,6"), &["the two components differ in size: 2 x 2 and 2 x 3"]),
        (north(0, 4, ""), &["a grid of 0 x 4; it must be at least 2 x 2"]),
        (north(4_294_967_295, 4_294_967_295, "1"), &["a grid of 4294967295 x 4294967295"]),
        (upside_down, &["the first row is the southernmost"]),
        (good.clone(), &["not a wind file", "expected a sequence"]),
        (good.replace("\"nx\":2,", ""), &["not a wind file"]),
        (format!("[{}]", good.replace("\"nx\":2,", "")), &["missing field `nx`"]),
        ("[".repeat(100_000), &["not a wind file"]),
        (north(2, 2, "1,2,3,4")[..60].to_owned(), &["not a wind file: EOF"]),
    ];
    each_refused("json", &cases.map(|(text, parts)| (text.into_bytes(), parts)));
    expect_field_error(tempfile::tempdir().unwrap().path().to_owned(), &["is a directory, not a regular file"]);
    too_large_is_refused("json", 64 << 20);
}

/// A PNG whose header announces this size, cut off after it. The checksum is that of the header.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    let head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice();
    let mut file = [head, &size, &[8, 2, 0, 0, 0], &[0; 4], b"\0\0\x10\0IDAT"].concat();
    seal_png(&mut file);
    file
}

#[test]
fn images_that_are_wrong() {
    let cases: &[(Vec<u8>, &[&str])] = &[
        (Vec::new(), &["not a PNG image"]),
        (b"this is a text, not an image".to_vec(), &["not a PNG image"]),
        (png_header(60_000, 60_000), &["60000 x 60000 pixels; it may have at most 8192"]),
        (png_header(8193, 2), &["8193 x 2 pixels; it may have at most 8192"]),
        (png_header(8192, 8192), &["8192 x 8192 pixels; it may have at most", "16777216"]),
        (png_header(0, 0), &["5.png: field.source: not a PNG image"]),
        (png_header(1, 9), &["1 x 9 pixels; it must have at least 2 x 2"]),
        (png_header(64, 64), &["not a PNG image"]),
    ];
    each_refused("png", cases);
}

#[test]
fn arrays_that_are_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let array = |descr: &str, shape: &str, data: &[u8]| npy(descr, false, shape, data);
    let zeros = |count: usize| vec![0u8; count];
    let with = |number: f32, at: usize| {
        let mut data = zeros(4 * 12);
        data[4 * at..4 * at + 4].copy_from_slice(&number.to_le_bytes());
        data
    };
    let flat = "(2, 3, 2)";
    let needs = "(height, width, 2), or (depth, height, width, 3) in a world of space, is needed";
    let cases: &[(Vec<u8>, &[&str])] = &[
        (b"no array".to_vec(), &["is not an NPY file"]),
        (array("'<i4'", flat, &zeros(48)), &["holds numbers of the type `<i4`", "float32 or float64 are needed"]),
        (array("[('x', '<f4')]", flat, &zeros(48)), &["does not hold plain numbers"]),
        (array("'<f4'", "(12,)", &zeros(48)), &["has the shape (12)", needs]),
        (array("'<f4'", "(2, 3, 4)", &zeros(96)), &["has the shape (2, 3, 4)", needs]),
        (
            array("'<f4'", "(2, 2, 3, 3)", &zeros(144)),
            &["has the shape (2, 2, 3, 3); in a world of a plane (height, width, 2) is needed"],
        ),
        (array("'<f4'", "(1, 6, 2)", &zeros(48)), &["has the shape (1, 6, 2); at least 2 nodes along x and y"]),
        (array("'<f4'", "(0, 6, 2)", &[]), &["at least 2 nodes along x and y"]),
        (array("'<f4'", "(4097, 4096, 2)", &[]), &["has the shape (4097, 4096, 2)", "at most 16777216 in all"]),
        (array("'<f4'", "(4294967295, 4294967295, 2)", &[]), &["larger than any file"]),
        (
            array("'<f4'", flat, &zeros(47)),
            &["is cut short: the shape (2, 3, 2) needs 48 bytes after the header, and there are 47"],
        ),
        (array("'<f4'", flat, &zeros(52)), &["is too long: the shape (2, 3, 2) needs 48 bytes", "there are 52"]),
        (array("'<f4'", flat, &with(f32::NAN, 9)), &["value [1, 1, 1] is not a finite number of float32"]),
        (array("'<f8'", "(2, 2, 2)", &1e300f64.to_le_bytes().repeat(8)), &["value [0, 0, 0] is not a finite number"]),
        (array("'<f4'", flat, &with(1e36, 3)), &["multiplied by field.scale = 1000000, a value is too large"]),
    ];
    each_refused("npy", cases);
    too_large_is_refused("npy", 256 << 20);
    // What differs from its neighbor in time by its nodes is refused in the name of the later one.
    let of_shape = |name: &str, shape: &str| file(folder.path(), name, array("'<f4'", shape, &zeros(48)));
    let [one, other] = [of_shape("a.npy", flat), of_shape("b.npy", "(3, 2, 2)")];
    let scene = Scene::open("wind", &[]).unwrap();
    let field = Field {
        source: FieldSource::file(one),
        later: vec![FieldSource::file(other)],
        times: vec![0.0, 1.0],
        ..scene.field.clone().unwrap()
    };
    refused(field.grid(&scene.world, 1), &["b.npy", "[2, 3, 1] nodes, and the first source [3, 2, 1]"]);
    let gone = Field { later: vec![FieldSource::file("none.npy")], ..field };
    assert_eq!(gone.grid(&scene.world, 1).unwrap_err().key, "field.later");
}

/// A trail of 3 by 2 cells: read from every type and order of numbers, told by its path, and written as it was. What is no trail of the
/// scene's ground is refused with its place.
#[test]
fn trails_that_are_right_and_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| file(folder.path(), name, bytes);
    let scene = |resolution: u32, name: &str| {
        let text = format!(
            "schema = 1\nworld.size = [30, 20]\nground = {{ resolution = {resolution}, trail = \"{name}\" }}\n\
             [[species]]\ncount = 3\nbehaviors.follow_trail = {{}}\n"
        );
        Scene::parse(&text, folder.path().join("scene.toml").to_str().unwrap(), &[])
    };
    let units = [0u8, 1, 2, 200, 100, 7];
    fn bytes<const N: usize>(units: &[u8], as_bytes: impl Fn(u8) -> [u8; N]) -> Vec<u8> {
        units.iter().flat_map(|units| as_bytes(*units)).collect()
    }
    let fortran = [0, 200, 1, 100, 2, 7];
    let good: &[Vec<u8>] = &[
        npy("'|u1'", false, "(2, 3)", &units),
        npy("'|u1'", true, "(2, 3)", &fortran),
        npy("'<u2'", false, "(2, 3)", &bytes(&units, |n| u16::from(n).to_le_bytes())),
        npy("'>i4'", false, "(2, 3)", &bytes(&units, |n| i32::from(n).to_be_bytes())),
        npy("'<i8'", false, "(1, 2, 3)", &bytes(&units, |n| i64::from(n).to_le_bytes())),
        npy("'<u8'", false, "(2, 3)", &bytes(&units, |n| u64::from(n).to_le_bytes())),
        npy("'<f4'", false, "(2, 3)", &bytes(&units, |n| f32::from(n).to_le_bytes())),
        npy("'>f8'", false, "(2, 3)", &bytes(&units, |n| f64::from(n).to_be_bytes())),
    ];
    for good in good {
        file("good.npy", good);
        let scene = scene(3, "good.npy").unwrap_or_else(|error| panic!("{error}: {good:?}"));
        let trail = scene.ground.as_ref().unwrap().trail.as_ref().unwrap();
        assert_eq!((trail.cells(), trail.units()), ([3, 2, 1], &units.map(u32::from)[..]), "{good:?}");
        assert_eq!(trail.path(), folder.path().join("good.npy"));
        let mut again = Vec::new();
        trail.write(&mut again).unwrap();
        assert_eq!(TrailFile::open(&file("again.npy", &again)).unwrap().units(), trail.units());
        let told = Scene::parse(&scene.to_toml("elsewhere.toml").unwrap(), "elsewhere.toml", &[]).unwrap();
        assert_eq!(told.ground, scene.ground);
    }
    // A scene made larger has as many cells.
    assert!(scene(3, "good.npy").unwrap().with_agents(3000).is_ok());

    let many =
        |value: f64| npy("'<f8'", false, "(2, 3)", &[0.0, 1.0, 2.0, 3.0, value, 5.0].map(f64::to_le_bytes).concat());
    let most = "whole units from 0 to 1073741823 are needed";
    let cases: &[(Vec<u8>, &[&str])] = &[
        (b"no array".to_vec(), &["is not an NPY file"]),
        (
            npy("'<c8'", false, "(2, 3)", &[0; 48]),
            &["holds numbers of the type `<c8`", "integers or floats are needed"],
        ),
        (npy("'|b1'", false, "(2, 3)", &[0; 6]), &["integers or floats are needed"]),
        (npy("'|u1'", false, "(6,)", &[0; 6]), &["has the shape (6); (height, width) of the ground's cells is needed"]),
        (npy("'|u1'", false, "(0, 3)", &[]), &["has the shape (0, 3)"]),
        (npy("'|u1'", false, "(4097, 1024)", &[]), &["has the shape (4097, 1024)"]),
        (npy("'|u1'", false, "(2, 3)", &[0; 5]), &["is cut short: the shape (2, 3) needs 6 bytes"]),
        (
            npy("'|u1'", false, "(2, 4)", &[0; 8]),
            &["has the shape (2, 4), and the ground has cells of the shape (2, 3)"],
        ),
        (many(-1.0), &["value [1, 1] is -1;", most]),
        (many(0.5), &["value [1, 1] is 0.5;", most]),
        (many(1073741824.0), &["value [1, 1] is 1073741824;", most]),
        (many(f64::NAN), &["value [1, 1] is NaN;", most]),
        (npy("'<u8'", false, "(2, 3)", &[255; 48]), &["value [0, 0] is 18446744073709552000;", most]),
    ];
    for (i, (bytes, parts)) in cases.iter().enumerate() {
        let name = format!("{i}.npy");
        file(&name, bytes);
        let error = refused(scene(3, &name), parts);
        assert!(error.key == "ground.trail" && error.to_string().contains(&name), "{error}");
    }
    refused(scene(3, "missing.npy"), &["missing.npy: ground.trail: cannot be read"]);
    refused(scene(3, "trail.png"), &["ground.trail = \"trail.png\": must be a path ending in .npy"]);
    // Of a ground with other cells it is refused too where a program asks for that.
    let error = scene(3, "good.npy").unwrap().with(|draft| draft.ground.as_mut().unwrap().resolution = 6);
    assert_eq!(error.unwrap_err().key, "ground.trail");
    let wrong = [([3, 2, 1], vec![0; 5], "has 5 numbers"), ([1; 3], vec![1 << 30], "value [0, 0]")];
    for (cells, units, part) in wrong.into_iter().chain([([u32::MAX; 3], vec![0], "has 1 numbers")]) {
        refused(TrailFile::new("own.npy", cells, units), &[part, "own.npy"]);
    }
}

/// A program may ask for more than any memory has, and for a file of any size.
#[test]
fn the_largest_numbers_of_a_program_do_not_overflow() {
    let huge = Field { resolution: u32::MAX, source: FieldSource::CurlNoise, ..Field::default() };
    let world = &Scene::open("flock", &[]).unwrap().world;
    assert!(huge.grid(world, 0).unwrap_err().short_of_memory);
    let read = steerling::input::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"), u64::MAX);
    assert!(!read.unwrap().is_empty());
}
