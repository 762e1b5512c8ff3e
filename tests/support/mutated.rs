//! Files with mistakes in them, for every parser: a good file is changed here and there, and where a checksum would refuse that
//! at once, the checksum is made to fit. A parser may accept or refuse; it may not panic.

use crate::npy::npy;
use crate::{model, tokens};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::OnceLock;
use steerling::cpu::{Execution, Simulation};
use steerling::engine::Backend;
use steerling::gpu::shaders::Sources;
use steerling::model::{CompiledScene, GridChoice, State};
use steerling::output::{Computed, OutputError, Recipe, StateFile, read_checkpoint, write_checkpoint, write_state};
use steerling::scene::{Field, FieldSource, MapFile, PRESETS, Scene, World};
use steerling_conform::Draw;

/// A kind of file: its name, good files, words to insert, and its reader, which returns whether a file is accepted.
pub struct Parser {
    pub name: &'static str,
    corpus: Vec<Vec<u8>>,
    /// Words that are inserted, separated by blanks.
    words: &'static str,
    /// Makes checksums in the file fit its contents.
    seal: fn(&mut [u8]),
    read: fn(&Path, &[u8]) -> bool,
}

/// How many files were accepted and refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub accepted: u64,
    pub refused: u64,
}

const NUMBERS: [u32; 10] = [0, 1, 2, 0x7f, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7f80_0000, 0x7fc0_0000];
/// Words that may stand in files of each kind, separated by blanks.
const TOML: &str = "= [ ] [[ { } \" ' . , # \n - nan inf 1e39 -0.0 \0 9223372036854775807 true [[species]]\n species.0. \"\"\" 1979-05-27 \
    é \u{1b}[2J";
const JSON: &str = "[ ] { } , : \" null 1e400 -1 0.5 4294967296 \"nx\": \"data\":[ true \\u0000";
const MAP: &str = "type octile\n height 4\n width 4096\n map\n \n \r . @ ....\n é";
const NPY: &str = "{ ( ) } , '<f8' '>f4' '|O' (3,4) (9999999999,4) True 'descr': 18446744073709551616 [";

/// A folder for the files, in memory if possible.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}

/// All parsers. Their good files are made in `folder`.
pub fn parsers(folder: &Path) -> Vec<Parser> {
    let folder = folder.to_owned();
    vec![
        parser("npy", states(&folder), NPY, read_npy),
        Parser { seal: seal_most, ..parser("png", png(&folder), "", |path, _| read_field(path)) },
        parser("array", arrays(), NPY, |path, _| read_array(path)),
        parser("map", map(), MAP, |_, bytes| read_map(bytes)),
        parser("json", json(), JSON, |path, _| read_field(path)),
        parser("toml", toml(), TOML, |_, bytes| read_toml(bytes)),
        parser("wgsl", tokens::corpus(), tokens::WORDS, |_, bytes| tokens::read(bytes, is_told)),
        Parser { seal: seal_checkpoint, ..parser("checkpoint", checkpoint(&folder), TOML, |path, _| read_run(path)) },
        parser("shader", shader(), tokens::WORDS, |_, bytes| read_shader(bytes)),
    ]
}

/// A parser of files without checksums.
fn parser(name: &'static str, corpus: Vec<Vec<u8>>, words: &'static str, read: fn(&Path, &[u8]) -> bool) -> Parser {
    Parser { name, corpus, words, seal: |_| (), read }
}

impl Parser {
    /// Give the parser so many files.
    ///
    /// # Errors
    /// The first file at which it panics, with the number from which the same file is made again.
    pub fn run(&self, folder: &Path, seed: u64, first: u64, count: u64) -> Result<Tally, String> {
        let path = folder.join(format!("mutated.{}", self.name));
        let mut tally = Tally::default();
        for number in first..first + count {
            let bytes = self.file(seed, number);
            if !matches!(self.name, "toml" | "wgsl" | "shader") {
                fs::write(&path, &bytes).map_err(|error| error.to_string())?;
            }
            match catch_unwind(AssertUnwindSafe(|| (self.read)(&path, &bytes))) {
                Ok(true) => tally.accepted += 1,
                Ok(false) => tally.refused += 1,
                Err(panic) => {
                    let said = panic.downcast_ref::<String>().map(String::as_str);
                    let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default();
                    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4000)]).escape_debug().to_string();
                    return Err(format!("{}, seed {seed}, file {number}: {said}\n{start}", self.name));
                }
            }
        }
        Ok(tally)
    }

    /// A file with mistakes.
    pub fn file(&self, seed: u64, number: u64) -> Vec<u8> {
        let mut draw = Draw::new(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let below = |draw: &mut Draw, count: usize| (draw.word() % count.max(1) as u64) as usize;
        let mut bytes = self.corpus[below(&mut draw, self.corpus.len())].clone();
        // In every second behavior tokens are changed in place of bytes. A behavior's name, its first line, is never changed.
        let mut head = Vec::new();
        if self.name == "wgsl" {
            if draw.word().is_multiple_of(2) {
                let other = &self.corpus[below(&mut draw, self.corpus.len())];
                return tokens::changed(&bytes, other, |count| below(&mut draw, count));
            }
            let name = bytes.iter().position(|byte| *byte == b'\n').expect("a name") + 1;
            head = bytes.drain(..name).collect();
        }
        let words: Vec<&str> = self.words.split(' ').filter(|word| !word.is_empty()).collect();
        for _ in 0..1 + below(&mut draw, 4) {
            let at = below(&mut draw, bytes.len() + 1);
            let length = 1 + below(&mut draw, 12);
            let end = (at + length).min(bytes.len());
            match below(&mut draw, if words.is_empty() { 7 } else { 11 }) {
                0 if at < bytes.len() => bytes[at] ^= 1 << below(&mut draw, 8),
                1 if at < bytes.len() => bytes[at] = draw.word() as u8,
                2 => drop(bytes.drain(at..end)),
                3 => {
                    let copy = bytes[at..end].to_vec();
                    drop(bytes.splice(at..at, copy));
                }
                4 if at + 4 <= bytes.len() => {
                    let number = NUMBERS[below(&mut draw, NUMBERS.len())];
                    let number =
                        if draw.word().is_multiple_of(2) { number.to_le_bytes() } else { number.to_be_bytes() };
                    bytes[at..at + 4].copy_from_slice(&number);
                }
                5 if draw.word().is_multiple_of(8) => bytes.truncate(at),
                6 => {
                    let other = &self.corpus[below(&mut draw, self.corpus.len())];
                    let from = below(&mut draw, other.len());
                    let part = other[from..(from + 40).min(other.len())].to_vec();
                    drop(bytes.splice(at..end, part));
                }
                7.. => {
                    let word = words[below(&mut draw, words.len())];
                    drop(bytes.splice(at..if draw.word().is_multiple_of(2) { at } else { end }, word.bytes()));
                }
                _ => {}
            }
        }
        (self.seal)(&mut bytes);
        [head, bytes].concat()
    }
}

fn small() -> &'static Scene {
    static SMALL: OnceLock<Scene> = OnceLock::new();
    SMALL.get_or_init(|| {
        let text = "schema = 1\nname = \"small\"\nworld = { size = [9, 9], boundary = \"wrap\" }\nground = { resolution = 4, patches = 2 }\n\
                    [[paths]]\nname = \"road\"\npoints = [[0, 0], [3, 2], [1, 4]]\n\
                    [[species]]\ncount = 12\nstates = [\"calm\", \"alert\"]\nvehicle = { orientation = \"kept\" }\n\
                    [species.behaviors]\nalignment = { perception_radius = 2 }\nwander = {}\nforage = {}\nwaypoint_following = {}\n\
                    [[species.rules]]\nto = \"alert\"\nwhen = \"after\"\nthan = 0.1\n";
        Scene::parse(text, "small.toml", &[]).expect("a scene")
    })
}

fn states(folder: &Path) -> Vec<Vec<u8>> {
    let state = State::initial(small());
    let made = |spatial: bool| {
        let path = folder.join("good.npy");
        let shape = (state.positions.len() as u32, spatial);
        write_state(&path, false, shape, [Ok::<_, OutputError>(state.clone())].into_iter()).expect("a state");
        let bytes = fs::read(&path).expect("a file");
        // `write_state` does not overwrite a file.
        fs::remove_file(&path).expect("the file");
        bytes
    };
    vec![made(false), made(true)]
}

fn read_npy(path: &Path, _: &[u8]) -> bool {
    [false, true].map(|spatial| StateFile::open(path, spatial).and_then(StateFile::read).is_ok()) != [false; 2]
}

fn png(folder: &Path) -> Vec<Vec<u8>> {
    let path = folder.join("good.png");
    let draw = |x: u32, y: u32| [(x * 40) as u8, (y * 60) as u8, 7, 255];
    let rgb = image::RgbImage::from_fn(6, 4, |x, y| image::Rgb([draw(x, y)[0], draw(x, y)[1], 0]));
    let rgba = image::RgbaImage::from_fn(3, 5, |x, y| image::Rgba(draw(x, y)));
    let gray = image::GrayImage::from_fn(4, 4, |x, y| image::Luma([draw(x, y)[0]]));
    let mut files = Vec::new();
    for image in [image::DynamicImage::from(rgb), rgba.into(), gray.into()] {
        image.save(&path).expect("an image");
        files.push(fs::read(&path).expect("a file"));
    }
    let _ = fs::remove_file(&path);
    files
}

/// As `seal_png`, but some pictures keep checksums that do not fit.
fn seal_most(bytes: &mut [u8]) {
    if !bytes.len().is_multiple_of(4) {
        seal_png(bytes);
    }
}

/// Set the checksum of every chunk of a PNG whose length still fits.
pub fn seal_png(bytes: &mut [u8]) {
    let bit = |crc: u32| if crc & 1 == 1 { 0xEDB8_8320 ^ (crc >> 1) } else { crc >> 1 };
    let mut at = 8;
    while let Some(head) = bytes.get(at..at + 8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some(end) = at.checked_add(8 + length).filter(|end| end + 4 <= bytes.len()) else { break };
        let step = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc));
        let crc = !bytes[at + 4..end].iter().fold(!0u32, step);
        bytes[end..end + 4].copy_from_slice(&crc.to_be_bytes());
        at = end + 4;
    }
}

fn map() -> Vec<Vec<u8>> {
    let texts = ["type octile\nheight 2\nwidth 4\nmap\n.@GT\nSWO.\n", "type tile\r\nwidth 1\r\nheight 1\r\nmap\r\n."];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

fn read_map(bytes: &[u8]) -> bool {
    match MapFile::from_text(&String::from_utf8_lossy(bytes), "mutated.map") {
        Ok(_) => true,
        Err(error) => is_told(&error.to_string()),
    }
}

fn json() -> Vec<Vec<u8>> {
    let record = |number: u32| {
        format!(
            "{{\"header\":{{\"parameterCategory\":2,\"parameterNumber\":{number},\"nx\":3,\"ny\":2,\"la1\":90.0,\"la2\":-90}},\
             \"data\":[1,-2.5,3e1,0,5,6]}}"
        )
    };
    vec![format!("[{},{}]", record(2), record(3)).into_bytes()]
}

/// Arrays of a plane and of space, of either order and type.
fn arrays() -> Vec<Vec<u8>> {
    let small: Vec<u8> = (0..36).flat_map(|n| (n as f32).to_le_bytes()).collect();
    let large: Vec<u8> = (0..36).flat_map(|n| f64::from(n).to_be_bytes()).collect();
    vec![npy("'<f4'", false, "(2, 2, 3, 3)", &small), npy("'>f8'", true, "(3, 6, 2)", &large)]
}

fn read_array(path: &Path) -> bool {
    let field = |spatial: bool| read_source(FieldSource::Array(path.into()), &World { spatial, ..wind().world });
    [false, true].map(field) != [false; 2]
}

fn wind() -> &'static Scene {
    static WIND: OnceLock<Scene> = OnceLock::new();
    WIND.get_or_init(|| Scene::open("wind", &[]).expect("a preset"))
}

fn read_field(path: &Path) -> bool {
    read_source(FieldSource::file(path), &wind().world)
}

fn read_source(source: FieldSource, world: &World) -> bool {
    let field = Field { source, ..wind().field.clone().expect("a field") };
    match field.grid(world, 1) {
        Ok(grid) => {
            assert_eq!(grid.nodes.iter().map(|n| *n as usize).product::<usize>(), grid.vectors.len());
            assert!(grid.vectors.iter().flatten().all(|x| x.is_finite()));
            true
        }
        Err(error) => {
            let said = error.to_string();
            // The message must not show the decoder's own debug text.
            let raw = ["{", "}", "ChunkType", "Some(", "None", "Error"].iter().find(|word| said.contains(**word));
            assert!(raw.is_none() || !matches!(field.source, FieldSource::Image(_)), "{said}");
            is_told(&said)
        }
    }
}

/// Check that a message is short, and has no control characters but line ends. Returns false: the file is refused.
fn is_told(message: &str) -> bool {
    assert!(!message.is_empty() && message.len() < 20_000, "{} bytes of message", message.len());
    assert!(!message.chars().any(|c| c.is_control() && c != '\n'), "{message:?}");
    assert!(message.lines().count() < 8, "{message:?}");
    false
}

fn toml() -> Vec<Vec<u8>> {
    PRESETS.iter().map(|preset| preset.text.as_bytes().to_vec()).collect()
}

fn read_toml(bytes: &[u8]) -> bool {
    match Scene::parse(&String::from_utf8_lossy(bytes), "mutated.toml", &[]) {
        Ok(scene) => {
            assert!(scene.draft().validate().is_ok());
            assert!(!scene.lint().iter().any(|lint| is_told(&lint.to_string())));
            let _ = scene.with_agents(bytes.len() as u32).map_err(|error| is_told(&error.to_string()));
            let _ = scene.with_agents(u32::MAX - bytes.len() as u32).map_err(|error| is_told(&error.to_string()));
            // Compile a valid scene, unless that would take minutes.
            let large = scene.agent_count() > 100_000 || scene.field.is_some() || scene.ground.is_some();
            large || CompiledScene::new(&scene, GridChoice::default()).is_ok()
        }
        Err(error) => {
            assert!(error.to_string().starts_with("mutated.toml:"));
            is_told(&error.to_string())
        }
    }
}

fn shader() -> Vec<Vec<u8>> {
    let sources = Sources::default();
    ["sim/bin.wgsl", "sim/gather.wgsl"].map(|path| sources.text(path).expect("a shader").as_bytes().to_vec()).to_vec()
}

fn read_shader(bytes: &[u8]) -> bool {
    static MODEL: OnceLock<CompiledScene> = OnceLock::new();
    let model = MODEL.get_or_init(|| model(small()));
    let mut sources = Sources::default();
    let path = if String::from_utf8_lossy(bytes).contains("fn bin") { "sim/bin.wgsl" } else { "sim/gather.wgsl" };
    sources.replace(path, "mutated.wgsl", String::from_utf8_lossy(bytes).into_owned());
    match sources.parse(model) {
        Ok(_) => true,
        Err(error) => is_told(&error.to_string()),
    }
}

fn checkpoint(folder: &Path) -> Vec<Vec<u8>> {
    let path = folder.join("good.steering");
    let mut simulation = Simulation::new(small(), &State::initial(small()), Execution::Serial).expect("a simulation");
    simulation.step(3);
    write_checkpoint(
        &path,
        false,
        &Recipe::new(small(), None, None).expect("a recipe"),
        &Computed::on(&Backend::Cpu),
        &simulation.snapshot(),
    )
    .expect("a checkpoint");
    let bytes = fs::read(&path).expect("a file");
    let _ = fs::remove_file(&path);
    vec![bytes]
}

/// Set the magic word and the hash, which stand before the contents.
fn seal_checkpoint(bytes: &mut [u8]) {
    if let Some((head, body)) = bytes.split_at_mut_checked(44) {
        head[..8].copy_from_slice(b"STEERING");
        head[12..].copy_from_slice(blake3::hash(body).as_bytes());
    }
}

/// Do what a run does with a checkpoint: make the scene and its model, and take some steps from the snapshot.
fn read_run(path: &Path) -> bool {
    let (recipe, _, snapshot) = match read_checkpoint(path) {
        Ok(read) => read,
        Err(error) => return is_told(&error.to_string()),
    };
    let scene = match recipe.scene() {
        Ok(scene) if scene.agent_count() <= 1000 && scene.species.iter().all(|s| s.update_every < 64) => scene,
        Ok(_) => return true,
        Err(error) => return is_told(&error.to_string()),
    };
    if let Err(error) = recipe.check_files(&scene) {
        return is_told(&error.to_string());
    }
    let Ok(mut simulation) = Simulation::new(&scene, &State::initial(&scene), Execution::Serial) else { return false };
    match simulation.restore(&snapshot) {
        Ok(()) => simulation.step(2),
        Err(error) => return is_told(&error.to_string()),
    }
    true
}
