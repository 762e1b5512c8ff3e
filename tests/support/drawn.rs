//! Random scenes from the JSON Schema of scene files. Any key may occur, and some values are as small or as large as allowed.
//! Keys that a rule refuses are left out until the scene is valid. A scene that fails a check is shrunk.

use serde_json::{Map, Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use steerling::cpu::{self, Execution};
use steerling::gpu::{Gpu, GpuError, Options, Simulation};
use steerling::model::State;
use steerling::scene::{BEHAVIORS, Scene, schema};
use steerling::verify::{Plan, verify};
use steerling_conform::Draw;

const SPECIES: [&str; 3] = ["ant", "bee", "cat"];
const STATES: [&str; 2] = ["calm", "alert"];

/// The state of drawing a scene.
struct Drawer {
    draw: Draw,
    /// The share of values that are at an end of their range.
    extremes: f64,
    size: Vec<f64>,
    wraps: Vec<bool>,
    species: usize,
    paths: bool,
    surface: bool,
}

impl Drawer {
    fn chance(&mut self, probability: f64) -> bool {
        self.draw.between(0.0, 1.0) < probability
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[(self.draw.word() % of.len() as u64) as usize].clone()
    }

    fn scene(&mut self, schema: &Value, certain: &str) -> Value {
        let axes = if self.chance(0.6) { 3 } else { 2 };
        let extreme = self.extremes;
        self.size = (0..axes)
            .map(|_| {
                if self.chance(extreme / 2.0) {
                    self.pick(&[0.5, 3.0, 300.0, 1e5])
                } else {
                    self.draw.between(10.0, 30.0)
                }
            })
            .collect();
        let words: Vec<&str> = (0..axes).map(|_| self.pick(&["wrap", "wrap", "contain", "open"])).collect();
        self.wraps = words.iter().map(|word| *word == "wrap").collect();
        self.species = 1 + (self.draw.word() % 3) as usize;
        self.paths = self.chance(0.6);
        self.surface = axes == 3 && self.chance(0.5);
        let world = json!({ "size": self.size, "boundary": words, "margin": self.draw.between(0.1, 4.0) });
        let mut scene = Map::from_iter([
            ("schema".to_owned(), json!(1)),
            ("seed".to_owned(), json!(self.draw.word() % 1000)),
            ("dt".to_owned(), if self.chance(extreme) { self.pick(&[json!(1e-6), json!(1.0)]) } else { json!(0.02) }),
            ("world".to_owned(), world),
        ]);
        let properties = &schema["properties"];
        for name in ["mouse", "obstacles", "field", "ground"] {
            if name != "obstacles" || self.chance(0.5) {
                scene.insert(name.to_owned(), self.value(name, &properties[name]));
            }
        }
        // A goal that is as large as the world has some open ground.
        let mut map = self.value("map", &properties["map"]);
        map["source"] = self.pick(&[json!("maze"), json!("city")]);
        map["resolution"] = json!(16 + self.draw.word() % 50);
        let (sixth, middle) = (self.size[0].max(self.size[1]) / 6.0, vec![0.0; self.size.len()]);
        let exit = json!({ "name": "exit", "radius": sixth, "also": [middle.clone()] });
        map["goals"] = json!([{ "name": "home", "radius": 1e6 }, exit]);
        let (walls, opens) = ([self.place(), self.place()], [middle, self.place()]);
        map["strokes"] = json!([
            { "from": walls[0], "to": walls[1], "width": sixth / 6.0 },
            { "from": opens[0], "to": opens[1], "width": sixth, "open": true }
        ]);
        map.as_object_mut().expect("a table").remove("cell");
        scene.insert("map".to_owned(), map);
        let mut way = self.value("way", &properties["trajectories"]["items"]);
        way["name"] = json!("way");
        way["points"] = json!([self.place(), self.place(), self.place()]);
        scene.insert("trajectories".to_owned(), json!([way]));
        if self.paths {
            let mut path = self.value("path", &properties["paths"]["items"]);
            path["name"] = json!("road");
            scene.insert("paths".to_owned(), json!([path]));
        }
        if self.surface {
            scene.insert("surface".to_owned(), self.value("surface", &properties["surface"]));
        }
        if self.paths {
            let end = |share: f64| self.size.iter().map(|size| share * size).collect::<Vec<_>>();
            let seam: Vec<f64> =
                self.size.iter().enumerate().map(|(axis, size)| if axis == 0 { 0.5 * size } else { 0.0 }).collect();
            scene.insert(
                "lines".to_owned(),
                json!([{ "from": end(-0.5), "to": end(0.3) }, { "from": seam, "to": end(0.1) }]),
            );
        }
        let rows: Vec<Value> =
            (0..self.species).map(|row| self.species(row, &properties["species"]["items"], certain)).collect();
        scene.insert("species".to_owned(), Value::Array(rows));
        Value::Object(scene)
    }

    fn species(&mut self, row: usize, schema: &Value, certain: &str) -> Value {
        let mut species = Map::new();
        for (name, key) in schema["properties"].as_object().unwrap() {
            match name.as_str() {
                "name" => drop(species.insert(name.clone(), json!(SPECIES[row]))),
                "count" if self.chance(self.extremes / 4.0) => {
                    drop(species.insert(name.clone(), json!(self.draw.word() % 2)))
                }
                "count" => drop(species.insert(name.clone(), json!([300, 120, 30][row]))),
                "color" => {}
                "states" => drop(species.insert(name.clone(), json!(STATES))),
                "behaviors" => {
                    let mut behaviors = Map::new();
                    for (behavior, table) in key["properties"].as_object().unwrap() {
                        if (behavior == certain && row == 0) || self.chance(0.1) {
                            behaviors.insert(behavior.clone(), self.value(behavior, table));
                        }
                    }
                    species.insert(name.clone(), Value::Object(behaviors));
                }
                _ if self.chance(0.35) => drop(species.insert(name.clone(), self.value(name, key))),
                _ => {}
            }
        }
        Value::Object(species)
    }

    /// A value of a key, by its part of the schema.
    fn value(&mut self, name: &str, schema: &Value) -> Value {
        let extreme = self.chance(self.extremes);
        match name {
            "nearest" | "leader" => return json!(SPECIES[(self.draw.word() as usize) % self.species]),
            "perceives" => return json!([SPECIES[(self.draw.word() as usize) % self.species]]),
            "path" if schema["type"] == "string" => return json!("road"),
            "trajectory" if schema["type"] == "string" => return json!("way"),
            "leaves" | "goal" if schema["type"] == "string" => return json!("exit"),
            "times" => return json!([0.0, 0.06, 0.2]),
            "factors" => return json!([1.0, self.draw.between(-2.0, 2.0), 0.0]),
            "turns" => return json!([0.0, self.draw.between(-400.0, 400.0), 90.0]),
            "later" => return json!([self.pick(&["uniform", "vortex"]), "curl_noise"]),
            "to" => return json!(self.pick(&STATES)),
            "from" | "states" => return json!([self.pick(&STATES)]),
            "agent" => return json!(self.draw.word() % 500),
            "hugs_surface" => return json!(self.surface && self.chance(0.7)),
            "resolution" => return json!(if extreme { self.pick(&[8, 64]) } else { 16 }),
            "perception_radius" => {
                let wrapped =
                    self.size.iter().zip(&self.wraps).filter(|(_, wraps)| **wraps).map(|(size, _)| size / 2.0);
                let most = wrapped.fold(1e6, f64::min);
                return json!(if extreme {
                    self.pick(&[0.0, most, most.min(1e-3)])
                } else {
                    self.draw.between(0.3, 4.0).min(most)
                });
            }
            "target" => return self.target(),
            _ => {}
        }
        if let Some(words) = schema["enum"].as_array() {
            return self.pick(words);
        }
        if let Some(kinds) = schema["anyOf"].as_array() {
            // The second may be the path of a file.
            let kind = if name == "source" { kinds[0].clone() } else { self.pick(kinds) };
            return self.value(name, &kind);
        }
        match schema["type"].as_str() {
            Some("boolean") => json!(self.chance(0.5)),
            Some("integer") => {
                let (min, max) = (schema["minimum"].as_u64().unwrap_or(0), schema["maximum"].as_u64().unwrap_or(9));
                json!(if extreme { self.pick(&[min, max]) } else { min + self.draw.word() % (max - min + 1).min(9) })
            }
            Some("number") => json!(self.number(schema, extreme)),
            Some("array") => self.list(name, schema, extreme),
            Some("object") => {
                let required: Vec<&str> =
                    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                let mut table = Map::new();
                for (name, key) in schema["properties"].as_object().unwrap() {
                    if required.contains(&name.as_str())
                        || matches!(name.as_str(), "radius" | "hills" | "source" | "target")
                        || self.chance(0.5)
                    {
                        table.insert(name.clone(), self.value(name, key));
                    }
                }
                // Most behaviors that are named do something.
                if self.chance(0.9) {
                    table.remove("enabled");
                }
                Value::Object(table)
            }
            _ => json!("text"),
        }
    }

    fn number(&mut self, schema: &Value, extreme: bool) -> f64 {
        let of = |name: &str, or: f64| schema[name].as_f64().unwrap_or(or);
        let (min, max, default) = (of("minimum", -1e6), of("maximum", 1e6), of("default", 0.0));
        if extreme {
            return self.pick(&[min, max]);
        }
        let size = if default == 0.0 { 1.0 } else { default.abs() };
        let sign = if min < 0.0 && default <= 0.0 && self.chance(0.5) { -1.0 } else { 1.0 };
        (sign * size * self.draw.scale(0.1, 10.0)).clamp(min, max)
    }

    fn list(&mut self, name: &str, schema: &Value, extreme: bool) -> Value {
        let items = &schema["items"];
        let three = matches!(name, "normal") || (name == "center" && self.surface);
        match items["type"].as_str() {
            Some("number") if schema["maxItems"] == 3 => {
                let axes = if three { 3 } else { self.size.len() };
                let least = items["minimum"].as_f64().unwrap_or(-1e7);
                let along = |drawer: &mut Self, axis: usize| {
                    let half = drawer.size.get(axis).copied().unwrap_or(1.0) / 2.0;
                    let place = if extreme {
                        drawer.pick(&[-half, half, 2.0 * half])
                    } else {
                        drawer.draw.between(-half, half)
                    };
                    place.max(least)
                };
                Value::Array((0..axes).map(|axis| json!(along(self, axis))).collect())
            }
            _ => {
                let most = schema["maxItems"].as_u64().unwrap_or(4).min(4);
                let least = schema["minItems"].as_u64().unwrap_or(1);
                let count = least + self.draw.word() % (most - least + 1);
                Value::Array((0..count).map(|_| self.value("item", items)).collect())
            }
        }
    }

    /// A point of the world.
    fn place(&mut self) -> Vec<f64> {
        self.size.clone().iter().map(|size| self.draw.between(-0.5, 0.5) * size).collect()
    }

    fn target(&mut self) -> Value {
        match self.draw.word() % 10 {
            0 => json!({ "point": self.place() }),
            1 => json!({ "agent": self.draw.word() % 500 }),
            2 => json!({ "nearest": "ant", "perception_radius": self.value("perception_radius", &Value::Null) }),
            3 => json!({ "nearest": "ant", "perception_radius": 1.0, "field_of_view": 250 }),
            4 => json!({ "leader": SPECIES[(self.draw.word() as usize) % self.species] }),
            5 => json!("field"),
            6 if self.paths => json!({ "path": "road" }),
            7 => json!({ "trajectory": "way" }),
            8 => json!({ "goal": "home" }),
            _ => json!("mouse"),
        }
    }
}

/// The valid scene of a seed. `extremes` is the share of values at an end of their range.
pub fn drawn(seed: u64, extremes: f64) -> Value {
    let schema = schema();
    valid(seed, extremes, |drawer| drawer.scene(&schema, certain(seed)))
}

/// The behavior that the scene of a seed has in any case.
pub fn certain(seed: u64) -> &'static str {
    BEHAVIORS[(seed % BEHAVIORS.len() as u64) as usize].name
}

/// As [`drawn`], with sixteen species whose only behavior is that of [`certain`], each of its numbers at an end of its range.
pub fn ends(seed: u64) -> Value {
    let (schema, behavior) = (schema(), certain(seed));
    let scene = |drawer: &mut Drawer| {
        let mut scene = drawer.scene(&schema, behavior);
        let table = &schema["properties"]["species"]["items"]["properties"]["behaviors"]["properties"][behavior];
        drawer.extremes = 1.0;
        let species = |row: usize| {
            let name = SPECIES.get(row).map_or(format!("species {row}"), |name| (*name).to_owned());
            let mut rule = drawer.value(behavior, table);
            rule["weight"] = json!(1);
            let (speed, combine) = (drawer.pick(&[0, 5]), drawer.pick(&["weighted", "normalized"]));
            json!({ "name": name, "count": 24, "max_speed": 5, "spawn": { "speed": speed }, "combine": combine,
                    "vehicle": { "facing": "independent", "max_angular_speed": 90 }, "behaviors": { behavior: rule } })
        };
        scene["species"] = (0..16).map(species).collect();
        // Obstacles one by one, because this is about behaviors.
        let rows = scene.get_mut("obstacles").and_then(Value::as_array_mut).into_iter().flatten();
        rows.filter_map(Value::as_object_mut).for_each(|row| drop(row.remove("count")));
        scene
    };
    valid(seed, 0.0, scene)
}

/// The scene that `make` draws, without the keys that are refused.
fn valid(seed: u64, extremes: f64, make: impl Fn(&mut Drawer) -> Value) -> Value {
    for attempt in 0..100 {
        let draw = Draw::new(seed.wrapping_mul(0x9E37_79B9).wrapping_add(attempt));
        let (size, wraps) = (Vec::new(), Vec::new());
        let mut scene = make(&mut Drawer { draw, extremes, size, wraps, species: 1, paths: false, surface: false });
        for _ in 0..60 {
            match parse(&scene) {
                Ok(_) => return scene,
                Err(error) if without(&mut scene, &error) => {}
                Err(_) => break,
            }
        }
    }
    panic!("seed {seed}: no valid scene in 100 attempts")
}

/// A drawn scene as TOML.
pub fn text(scene: &Value) -> String {
    toml::to_string(scene).expect("a table")
}

fn parse(scene: &Value) -> Result<Scene, String> {
    Scene::parse(&text(scene), "drawn.toml", &[]).map_err(|error| error.key)
}

/// Remove the key for which a scene is refused, or the table that lacks a key. Returns false if the scene needs it.
fn without(scene: &mut Value, key: &str) -> bool {
    let parts: Vec<&str> = key.split('.').filter(|part| !part.is_empty()).collect();
    let there = (1..=parts.len()).rev().find(|length| scene.pointer(&pointer(&parts[..*length])).is_some());
    let Some(length) = there.filter(|_| !matches!(parts[0], "schema" | "world")) else { return false };
    if parts[0] == "species" && length <= 2 {
        return false;
    }
    remove(scene, &parts[..length])
}

fn pointer(parts: &[&str]) -> String {
    parts.iter().map(|part| format!("/{part}")).collect()
}

fn remove(scene: &mut Value, parts: &[&str]) -> bool {
    let Some((last, before)) = parts.split_last() else { return false };
    match scene.pointer_mut(&pointer(before)) {
        Some(Value::Object(table)) => table.remove(*last).is_some(),
        Some(Value::Array(list)) => match last.parse::<usize>() {
            Ok(index) if index < list.len() => {
                list.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// The outcome of a check of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The GPU agreed with the reference, and so many neighbors with the oracle.
    Held { neighbors: u64 },
    /// Refused with a reason, such as agents that have too many candidates for the adapter.
    Refused(String),
    /// What differs.
    Failed(String),
}

/// Compare some steps on a GPU with the reference, stage by stage, and sampled agents with the oracle. Also compare a run of steps in a
/// row on the device `again`. Each half compiles passes that the other does not.
pub fn check(gpu: &Gpu, again: &Gpu, scene: &Value) -> Outcome {
    let text = text(scene);
    catch_unwind(AssertUnwindSafe(|| examine(gpu, again, &text))).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Outcome::Failed(format!("panic: {}", said.unwrap_or_default()))
    })
}

fn examine(gpu: &Gpu, again: &Gpu, text: &str) -> Outcome {
    const PLAN: Plan = Plan { steps: 3, free_steps: 0 };
    const FREE_STEPS: u32 = 20;
    let scene = match Scene::parse(text, "drawn.toml", &[]) {
        Ok(scene) => scene,
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    let state = State::initial(&scene);
    let report = match verify(gpu, &scene, &state, &Options::default(), PLAN, |_| ()) {
        Ok(report) => report,
        Err(error @ (GpuError::CutOff { .. } | GpuError::TooLarge { .. } | GpuError::TooManyBuffers { .. })) => {
            return Outcome::Refused(error.to_string());
        }
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    if let Some(row) = report.rows.iter().find(|row| row.differing > 0) {
        return Outcome::Failed(format!("stage {}, buffer {}: {:?}", row.stage, row.buffer, row.first));
    }
    if let Some(missed) = &report.oracle.first {
        return Outcome::Failed(format!("the oracle: {missed:?}"));
    }
    let free_run = Simulation::new(again, &scene, &state, Options::default()).and_then(|mut simulation| {
        simulation.step(FREE_STEPS)?;
        simulation.observe()
    });
    let mut reference = cpu::Simulation::new(&scene, &state, Execution::Serial).unwrap();
    reference.step(FREE_STEPS);
    match (free_run, reference.observe()) {
        (Err(error), _) => Outcome::Failed(error.to_string()),
        (Ok(seen), _) if seen.bad_agents > 0 => Outcome::Failed(format!("{} agents are not finite", seen.bad_agents)),
        (Ok(seen), expected) if again.exact && seen != expected => {
            Outcome::Failed(format!("the free runs part: {seen:?}"))
        }
        _ => Outcome::Held { neighbors: report.oracle.neighbors },
    }
}

/// The shortest scene found that still fails, though perhaps for another reason. At most `tries` scenes are tried.
pub fn shrunk(scene: &Value, mut tries: u32, fails: impl Fn(&Value) -> bool) -> Value {
    let mut scene = scene.clone();
    let mut progress = true;
    while progress {
        progress = false;
        let mut paths = Vec::new();
        collect(&scene, &mut Vec::new(), &mut paths);
        // Large parts first.
        paths.sort_by_key(Vec::len);
        for path in paths {
            let parts: Vec<&str> = path.iter().map(String::as_str).collect();
            let mut shorter = scene.clone();
            if tries == 0 || !remove(&mut shorter, &parts) || parse(&shorter).is_err() {
                continue;
            }
            tries -= 1;
            if fails(&shorter) {
                scene = shorter;
                progress = true;
            }
        }
    }
    scene
}

/// Collect the paths of all keys and entries that can be left out.
fn collect(value: &Value, path: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(table) => table.iter().map(|(name, child)| (name.clone(), child)).collect(),
        // From the end, so that the entries before keep their indices.
        Value::Array(list) if list.iter().any(|item| item.is_object() || item.is_array()) => {
            list.iter().enumerate().rev().map(|(index, child)| (index.to_string(), child)).collect()
        }
        _ => Vec::new(),
    };
    for (name, child) in children {
        path.push(name);
        paths.push(path.clone());
        collect(child, path, paths);
        path.pop();
    }
}
