//! Puts mistakes into the functions of the shaders, one at a time, and asks the laws: which share of them does no law find?
//!
//! `cargo run --release -p steerling-conform --example mutation -- FILE [--seed N] [--count N] [--only TEXT] [--most N]`
//!
//! A mistake replaces one operator, comparison, constant, sign, or call of `min`, `max` and their like. Each function of
//! `shaders/behaviors`, `common` and `sim` that has any gets one, drawn by seed, then each a second one, until there are
//! `count`. A law finds a mutant when one of its cases fails on the GPU, when the GPU measures other bits than the
//! reference, or when it cannot be tried.
//!
//! FILE gets a line of JSON for each mutant. With a FILE that is there the run goes on: what is known stays, and mutants
//! that survived are tried by the laws that had not been tried, so that new laws are asked about old survivors alone. `only`
//! takes functions and files with this text in their name, and `most` asks so many laws about each mutant in this run: those that are
//! nearest to it come first, so a first run with few of them finds most.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::{File, OpenOptions, read_to_string};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use steerling::gpu::shaders::{EMBEDDED, Sources};
use steerling::gpu::{AdapterChoice, Gpu, GpuError, Language, Options, dump};
use steerling::model::{CompiledScene, GridChoice};
use steerling::scene::Scene;
use steerling_conform::{Backend, Bench, Case, Draw, Law, SEED, Token, functions, select, tokens, try_law};

/// Time after which a law is given up, s: a mistake may let a loop run on.
const PATIENCE: f64 = 180.0;
/// Scenes of a law that differ in more than numbers, of which the functions are listed.
const SCENES: usize = 12;

/// One mistake at one place of a shader.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Place {
    path: String,
    function: String,
    line: usize,
    at: usize,
    from: String,
    to: String,
}

/// What the laws said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    /// A case is outside of the bound around its closed form.
    Form,
    /// All cases are within their bounds, but the GPU measures other bits than the reference.
    Bits,
    /// A law cannot be tried any more.
    Refused,
    /// A law does not come to an end: left out.
    Endless,
    /// No law finds it.
    None,
}

/// A line of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Line {
    place: Place,
    verdict: Verdict,
    /// The law that found it.
    law: Option<String>,
    /// The laws that did not.
    tried: BTreeSet<String>,
}

/// What is known of a law before any mistake is made.
struct Known {
    law: &'static Law,
    /// Its cases on the reference.
    cases: Vec<Case>,
    /// The functions of the passes of its scenes.
    functions: BTreeSet<String>,
    /// Time that the reference takes, s.
    seconds: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut file, mut seed, mut count, mut only, mut most) = (None, 1, 500, String::new(), usize::MAX);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} has no value"));
        match argument.as_str() {
            "--seed" => seed = value()?.parse()?,
            "--count" => count = value()?.parse()?,
            "--only" => only = value()?,
            "--most" => most = value()?.parse()?,
            _ => file = Some(argument),
        }
    }
    let file = file.ok_or("which file are the results written to?")?;
    let start = Instant::now();
    let gpu = Gpu::open(&AdapterChoice::Best)?;
    println!("{}, seed {seed}", gpu.title());
    let places = drawn(seed, count, &only)?;
    println!("{} mutants of {} functions that have a place for one", places.len(), functions_with_places(&only));
    let known = laws()?;
    let (known, broken): (Vec<_>, Vec<_>) =
        known.into_iter().partition(|known| known.cases.iter().all(|case| case.pass));
    broken.iter().for_each(|known| println!("left out: {} does not hold without any mistake", known.law.name));
    println!("{} laws, on the reference in {:.0} s", known.len(), start.elapsed().as_secs_f64());
    let mut lines: BTreeMap<Place, Line> = BTreeMap::new();
    for line in read_to_string(&file).unwrap_or_default().lines() {
        let line: Line = serde_json::from_str(line)?;
        lines.insert(line.place.clone(), line);
    }
    let out = Mutex::new((OpenOptions::new().append(true).create(true).open(&file)?, lines));
    // A law that panics where a mistake was made has found it.
    std::panic::set_hook(Box::new(|_| ()));
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
            let before = locked(&out).1.get(place).cloned();
            if before.as_ref().is_some_and(|line| line.verdict != Verdict::None) {
                continue;
            }
            let line = tried(&gpu, &known, most, place, before.map_or_else(BTreeSet::new, |line| line.tried));
            println!("{place} {:?} {}", line.verdict, line.law.as_deref().unwrap_or("-"));
            write(&mut locked(&out), line);
        }
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    let (_, lines) = out.into_inner().unwrap_or_else(PoisonError::into_inner);
    summary(places.iter().filter_map(|place| lines.get(place)).collect());
    Ok(())
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write((file, lines): &mut (File, BTreeMap<Place, Line>), line: Line) {
    if let Ok(text) = serde_json::to_string(&line) {
        writeln!(file, "{text}").expect("the file of the results can be written");
    }
    lines.insert(line.place.clone(), line);
}

fn summary(lines: Vec<&Line>) {
    println!();
    for line in lines.iter().filter(|line| [Verdict::None, Verdict::Endless].contains(&line.verdict)) {
        println!("{} {:?} by {} laws", line.place, line.verdict, line.tried.len());
    }
    let of = |verdict| lines.iter().filter(|line| line.verdict == verdict).count();
    let tried = lines.len() - of(Verdict::Endless);
    let none = of(Verdict::None);
    println!(
        "{tried} mutants tried: {} found by a closed form, {} by bits alone, {} because a law cannot be tried; {none} survive, {:.1} %",
        of(Verdict::Form),
        of(Verdict::Bits),
        of(Verdict::Refused),
        100.0 * none as f64 / tried.max(1) as f64,
    );
    println!("{} left out, because a law did not come to an end", of(Verdict::Endless));
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Place { path, function, line, from, to, .. } = self;
        write!(f, "{path}:{line} {function}: {from} => {to};")
    }
}

/// The shaders with a mistake.
fn mistaken(place: &Place) -> Sources {
    let mut sources = Sources::default();
    let text = sources.text(&place.path).expect("a shader of the program");
    let text = format!("{}{}{}", &text[..place.at], place.to, &text[place.at + place.from.len()..]);
    sources.replace(&place.path, "mutant.wgsl", text);
    sources
}

/// The functions that have a place for a mistake, with all places.
fn all_places(only: &str) -> Vec<Vec<Place>> {
    let mut all = Vec::new();
    for (path, text) in EMBEDDED {
        for (function, tokens) in functions(text).into_iter().filter(|(f, _)| path.contains(only) || f.contains(only)) {
            let body = tokens.iter().position(|(_, token)| *token == "{").unwrap_or(tokens.len());
            let places = mistakes(text, &tokens[body..]).into_iter().map(|(at, from, to)| {
                let line = 1 + text[..at].matches('\n').count();
                Place { path: (*path).to_owned(), function: function.to_owned(), line, at, from: from.to_owned(), to }
            });
            all.push(places.collect());
        }
    }
    all.retain(|places: &Vec<Place>| !places.is_empty());
    all
}

fn functions_with_places(only: &str) -> usize {
    all_places(only).len()
}

/// What can be replaced by what in these tokens of a body.
fn mistakes<'a>(text: &str, body: &[Token<'a>]) -> Vec<(usize, &'a str, String)> {
    let mut all = Vec::new();
    for (index, (at, token)) in body.iter().copied().enumerate() {
        let blank = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_whitespace);
        let next = body.get(index + 1).map_or("", |(_, token)| token);
        // The house writes binary operators with blanks around them, and angle brackets of types without.
        let binary = at > 0 && blank(at - 1) && blank(at + token.len());
        let to: &[&str] = match token {
            "-" if !binary => &[""],
            _ if token.starts_with(|c: char| c.is_ascii_digit()) => {
                // A literal before a closing bracket of a type is a length.
                if next != ">" || blank(at + token.len()) {
                    all.extend(other_number(token).map(|to| (at, token, to)));
                }
                continue;
            }
            "true" => &["false"],
            "false" => &["true"],
            "min" | "max" | "floor" | "ceil" | "any" | "all" | "atomicMin" | "atomicMax" if next == "(" => {
                match token {
                    "min" => &["max"],
                    "max" => &["min"],
                    "floor" => &["ceil"],
                    "ceil" => &["floor"],
                    "any" => &["all"],
                    "all" => &["any"],
                    "atomicMin" => &["atomicMax"],
                    _ => &["atomicMin"],
                }
            }
            _ if !binary => continue,
            "+" => &["-"],
            "-" => &["+"],
            "*" => &["/"],
            "/" => &["*"],
            "%" => &["/"],
            "+=" => &["-="],
            "-=" => &["+="],
            "*=" => &["/="],
            "/=" => &["*="],
            "<" => &["<=", ">="],
            "<=" => &["<", ">"],
            ">" => &[">=", "<="],
            ">=" => &[">", "<"],
            "==" => &["!="],
            "!=" => &["=="],
            "&&" => &["||"],
            "||" => &["&&"],
            "&" => &["|"],
            "|" | "^" => &["&"],
            "<<" => &[">>"],
            ">>" => &["<<"],
            _ => continue,
        };
        all.extend(to.iter().map(|to| (at, token, (*to).to_owned())));
    }
    all
}

/// 1 for 0, and twice as much for others.
fn other_number(token: &str) -> Option<String> {
    if let Some(digits) = token.strip_prefix("0x") {
        let number = u32::from_str_radix(digits.trim_end_matches(['u', 'i']), 16).ok()?;
        let end = if digits.ends_with('u') { "u" } else { "" };
        let other = if number == 0 { 1 } else { number.checked_mul(2).unwrap_or(number / 2) };
        return Some(format!("0x{other:x}{end}"));
    }
    let digits = token.trim_end_matches(['u', 'i', 'f', 'h']);
    let end = &token[digits.len()..];
    if let Ok(number) = digits.parse::<u32>() {
        let other = if number == 0 { 1 } else { number.checked_mul(2).unwrap_or(number / 2) };
        return Some(format!("{other}{end}"));
    }
    let number: f64 = digits.parse().ok()?;
    let other = if number == 0.0 { 1.0 } else { 2.0 * number };
    Some(format!("{other:?}{end}"))
}

/// The mutants: each function in turn, in an order that the seed decides, with places that it decides, of those that compile.
fn drawn(seed: u64, count: usize, only: &str) -> Result<Vec<Place>, Box<dyn Error>> {
    let mut functions = all_places(only);
    let mut draw = Draw::of("mutation", seed);
    functions.iter_mut().for_each(|places| shuffle(&mut draw, places));
    shuffle(&mut draw, &mut functions);
    let model = |world: &str| -> Result<CompiledScene, Box<dyn Error>> {
        let text = format!("schema = 1\nworld.size = {world}\n[[species]]\ncount = 2\nbehaviors.separation = {{}}\n");
        Ok(CompiledScene::new(&Scene::parse(&text, "mutation.toml", &[])?, GridChoice::default())?)
    };
    let [plane, space] = [model("[10, 10]")?, model("[10, 10, 10]")?];
    let compiles = |place: &Place| {
        let model = if place.path.ends_with("spatial.wgsl") { &space } else { &plane };
        mistaken(place).parse(model).is_ok()
    };
    let mut places = Vec::new();
    while places.len() < count && functions.iter().any(|places| !places.is_empty()) {
        for function in &mut functions {
            while let Some(place) = function.pop().filter(|_| places.len() < count) {
                if compiles(&place) {
                    places.push(place);
                    break;
                }
            }
        }
    }
    Ok(places)
}

fn shuffle<T>(draw: &mut Draw, all: &mut [T]) {
    for last in (1..all.len()).rev() {
        all.swap(last, draw.whole(0, last as u32) as usize);
    }
}

/// All laws, tried on the reference.
fn laws() -> Result<Vec<Known>, GpuError> {
    let shapes = Mutex::new(BTreeMap::new());
    select("").into_par_iter().map(|(_, law)| known(law, &shapes)).collect()
}

fn known(law: &'static Law, shapes: &Mutex<BTreeMap<String, BTreeSet<String>>>) -> Result<Known, GpuError> {
    let scenes = Mutex::new(BTreeMap::new());
    let note = |text: &str| {
        let mut scenes = locked(&scenes);
        if scenes.len() < SCENES {
            scenes.entry(shape(text)).or_insert_with(|| text.to_owned());
        }
        Vec::new()
    };
    let start = Instant::now();
    let cases = law.cases(Bench::nudged(&Backend::Cpu, &note), SEED)?;
    let seconds = start.elapsed().as_secs_f64();
    // What nobody asks for is not observed, though it could be.
    let (_, observe) = EMBEDDED.iter().find(|(path, _)| *path == "sim/observe.wgsl").expect("a stage");
    let observed: Vec<&str> = functions(observe).into_iter().map(|(name, _)| name).collect();
    let observes = |text: &str| text.contains("observe = ") || observed.contains(&law.mutant.function);
    let mut reached = BTreeSet::new();
    for (shape, text) in std::mem::take(&mut *locked(&scenes)) {
        let known = locked(shapes).get(&shape).cloned();
        let called = known.map_or_else(|| functions_of(&text), Ok)?;
        reached.extend(called.iter().filter(|name| observes(&text) || !observed.contains(&name.as_str())).cloned());
        locked(shapes).insert(shape, called);
    }
    Ok(Known { law, cases, functions: reached, seconds })
}

/// The text of a scene without its numbers, but for 0, which often says that something is not there, and for the length of whole ones.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    for (_, token) in tokens(text) {
        match token {
            _ if !token.starts_with(|c: char| c.is_ascii_digit()) || token.parse() == Ok(0.0) => shape += token,
            _ if token.parse::<u32>().is_ok() => shape += &"#".repeat(token.len()),
            _ => shape += "#.",
        }
        shape.push(' ');
    }
    shape
}

/// The functions that the passes of a scene call.
fn functions_of(text: &str) -> Result<BTreeSet<String>, GpuError> {
    let scene = Scene::parse(text, "law.toml", &[])?;
    let mut model = CompiledScene::new(&scene, GridChoice::default())?;
    // A scene does not say whether its law asks for events.
    model.lists_events = true;
    let mut names = BTreeSet::new();
    for pass in dump(&model, &Options::default(), Language::Wgsl, true)? {
        let text = String::from_utf8_lossy(&pass.code);
        let of_line = |line: &str| Some(line.strip_prefix("fn ")?.split_once('(')?.0.trim_end_matches('_').to_owned());
        names.extend(text.lines().filter_map(of_line));
    }
    Ok(names)
}

/// Ask the laws about a mutant, those first that are about its function, then those about its file, quick ones first.
fn tried(gpu: &Gpu, known: &[Known], most: usize, place: &Place, mut tried: BTreeSet<String>) -> Line {
    let options = Options { shaders: mistaken(place), ..Options::default() };
    let of_file: BTreeSet<&str> = EMBEDDED
        .iter()
        .filter(|(path, _)| *path == place.path)
        .flat_map(|(_, text)| functions(text).into_iter().map(|(name, _)| name))
        .collect();
    let name = place.function.trim_end_matches('_');
    let fused = ["sim/arrange.wgsl", "sim/stride.wgsl"].contains(&place.path.as_str());
    let mut laws: Vec<&Known> =
        known.iter().filter(|k| fused || k.functions.contains(name)).filter(|k| !tried.contains(k.law.name)).collect();
    laws.sort_by(|a, b| {
        let near = |k: &Known| {
            (k.law.mutant.function != place.function) as u8 + !of_file.contains(k.law.mutant.function) as u8
        };
        (near(a), a.seconds).partial_cmp(&(near(b), b.seconds)).unwrap_or(std::cmp::Ordering::Equal)
    });
    for known in laws.into_iter().take(most) {
        let verdict = asked(gpu, &options, known);
        if verdict != Verdict::None {
            return Line { place: place.clone(), verdict, law: Some(known.law.name.to_owned()), tried };
        }
        tried.insert(known.law.name.to_owned());
    }
    Line { place: place.clone(), verdict: Verdict::None, law: None, tried }
}

/// What one law says, in a thread of its own, which is left alone when it takes too long.
fn asked(gpu: &Gpu, options: &Options, known: &Known) -> Verdict {
    let (sender, receiver) = mpsc::channel();
    let (law, backend) = (known.law, Backend::Gpu(Box::new(gpu.clone()), Box::new(options.clone())));
    thread::spawn(move || drop(sender.send(try_law(law, &backend, SEED))));
    match receiver.recv_timeout(Duration::from_secs_f64(PATIENCE + 60.0 * known.seconds)) {
        Ok(Ok(trial)) if !trial.pass => Verdict::Form,
        Ok(Ok(trial)) if differ(&trial.cases, &known.cases) => Verdict::Bits,
        Ok(Ok(_)) => Verdict::None,
        Ok(Err(GpuError::Shader(error))) => {
            println!("{error}");
            Verdict::Refused
        }
        Ok(Err(_)) | Err(mpsc::RecvTimeoutError::Disconnected) => Verdict::Refused,
        Err(mpsc::RecvTimeoutError::Timeout) => Verdict::Endless,
    }
}

fn differ(cases: &[Case], others: &[Case]) -> bool {
    let pairs = cases.iter().zip(others);
    cases.len() != others.len() || pairs.into_iter().any(|(a, b)| a.measured.to_bits() != b.measured.to_bits())
}
