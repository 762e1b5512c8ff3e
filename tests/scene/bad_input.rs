//! Scenes and overrides that are wrong: each gives one message with place, key, value and what is allowed.

use steerling::scene::{Override, Scene};
use steerling_conform::Draw;
use support::{file, refused, refuses_each};

/// A scene that is right, to be spoiled in one place by each case.
const GOOD: &str = r#"schema = 1
name = "good"
shows = "words"
things_to_try = ["one", "two"]
seed = 1
dt = 0.01

[world]
size = [100, 60]
boundary = ["wrap", "contain"]
margin = 5

[camera]
center = [0, 0]
zoom = 1
yaw = 0
pitch = 0

[field]
source = "curl_noise"
scale = 1
speed = 10
direction = 0
wavelength = 20
resolution = 64

[[species]]
name = "birds"
count = 100
mass = 1
max_speed = 20
min_speed = 5
max_force = 60
radius = 0.5
time_constant = 0.25
color = "heading"

[species.spawn]
shape = "ball"
extent = 0.5
speed = 10

[species.behaviors.cohesion]
enabled = true
weight = 1
perception_radius = 5
field_of_view = 270

[species.behaviors.flow_field]
mode = "velocity"
prediction_time = 0.5

[[species]]
name = "hawks"
count = 3
max_speed = 20
vehicle.max_reverse_speed = 20
"#;

/// A key of each kind: which range each number has, docs/scene-keys.md says and a test of that page holds.
const SPOILED: &str = r##"
// The top of the file.
[species.behaviors.flow_field] | [species.behaviors.seek]\ntarget = { point = [0, 0], perception_radius = @7 }\n[species.behaviors.flow_field] | target.perception_radius = 7: belongs to a target by `nearest`, and this is a target by `point`
[species.behaviors.flow_field] | [species.behaviors.seek]\ntarget = { point = [0, 0], prediction_time = @7 }\n[species.behaviors.flow_field] | target.prediction_time = 7: belongs to a target by `goal`, and this is a target by `point`
[[species]]\nname = "hawks" | [[species.rules]]\nto = ""\nwhen = "nearer"\ntarget = { nearest = "hawks", perception_radius = @60 }\n[[species]]\nname = "hawks" | species.0.rules.0.target.perception_radius = 60: must be at most 50 u
[species.behaviors.flow_field] | [species.behaviors.seek]\ntarget = @{ point = [1, 2, 3] }\n[species.behaviors.flow_field] | behaviors.seek.target | a point of a planar world has two numbers
"heading" | "heading"\nstates = ["a"]\nrules = [{ to = "a", target = @{ point = [1, 2, 3] } }] | rules.0.target | a point of a planar world has two numbers
schema = 1\n | @\n | schema: this key is required, but missing
schema = 1 | schema = @2 | schema = 2: must be 1
schema = 1 | schema = @"1" | schema = "1": must be a whole number, not a text
[camera] | [map]\nsource = "open"\n[[map.strokes]]\nfrom = [0, 0]\nto = [1, 1]\nopen = @2\n[camera] | map.strokes.0.open = 2: must be true or false, not a whole number
[camera] | [map]\nsource = "open"\nstrokes = [@{ from = [0, 0] }]\n[camera] | map.strokes.0.to: this key is required, but missing
name = "good" | dialect = @"opensteam" | dialect = "opensteam": must be one of canonical | did you mean `opensteer`?
name = "good" | name = @"" | name = "": must be 1 to 64 letters
name = "good" | name = @"../up" | name = "../up": must be 1 to 64 letters
name = "good" | name = @3 | name = 3: must be a text in quotes, not a whole number
shows = "words" | shows = @["words"] | shows = ["words"]: must be a text in quotes, not a list
["one", "two"] | @"one" | things_to_try = "one": must be a list of texts, not a text
["one", "two"] | ["one", @2] | things_to_try = 2: must be a text
seed = 1 | seed = @-1 | seed = -1: must be between 0 and 4294967295
seed = 1 | seed = @1.5 | seed = 1.5: must be a whole number, not a number
seed = 1 | seed = @0x1_0000_0000_0000_0000 | this is not TOML
seed = 1 | @sede = 1 | sede: unknown key | did you mean `seed`?
seed = 1 | @Seed = 1 | Seed: unknown key | did you mean `seed`?
seed = 1 | @zzzz = 1 | zzzz: unknown key | allowed here: schema, name, shows
dt = 0.01 | dt = @0 | dt = 0: must be between 1e-6 and 1 s
dt = 0.01 | dt = @-0.01 | dt = -0.01: must be between 1e-6 and 1 s
dt = 0.01 | dt = @1.01 | dt = 1.01: must be between 1e-6 and 1 s
dt = 0.01 | dt = @nan | dt = nan: must be between
dt = 0.01 | dt = @inf | dt = inf: must be between
dt = 0.01 | dt = @true | dt = true: must be a number, not true or false
dt = 0.01 | dt = @1979-05-27 | dt = 1979-05-27: must be a number, not a date
dt = 0.01 | dt = 0.01\n@dt = 0.02 | duplicate key
[camera] | [world] | duplicate key
dt = 0.01 | dt =@ | this is not TOML
dt = 0.01 | dt = @1 2 | this is not TOML
"words" | "words | this is not TOML
[camera] | [camera | this is not TOML
seed = 1 | seed = 1\n@"a.b" = 1 | a.b: unknown key
// The world.
size = [100, 60] |  | world.size: this key is required, but missing
size = [100, 60] | size = @100 | world.size = 100: must be a list of 2 or 3 numbers, not a whole number
size = [100, 60] | size = @[100] | world.size = [100]: must have 2 or 3 numbers
size = [100, 60] | size = @[1, 2, 3, 4, 5] | world.size = [1, 2, 3, 4, …]: must have 2 or 3 numbers
size = [100, 60] | size = [100, @0] | world.size = 0: must be between 0.001 and 1e7 u
size = [100, 60] | size = [100, @"60"] | world.size = "60": must be a number, not a text
size = [100, 60] | size = [100, @1e39] | world.size = 1e39: must be between 0.001 and 1e7 u
["wrap", "contain"] | @"wrapp" | world.boundary = "wrapp" | wrap, contain, open | `wrap`?
["wrap", "contain"] | ["wrap", @"closed"] | world.boundary = "closed": must be one of wrap
["wrap", "contain"] | @["wrap"] | world.boundary = ["wrap"]: must have 2 entries
["wrap", "contain"] | @true | world.boundary = true: must be a word, or a list
["wrap", "contain"] | ["wrap", @1] | world.boundary = 1: must be a text
margin = 5 | margin = 5\n@depth = 5 | world.depth: unknown key | allowed here: size, boundary, margin
// The camera.
center = [0, 0] | center = @[0, 0, 0] | camera.center = [0, 0, 0]: must have 2 numbers, one for each axis
// The field.
source = "curl_noise" |  | field.source: this key is required
"curl_noise" | @"curlnoise" | field.source = "curlnoise" | .png or .json or .npy | `curl_noise`?
"curl_noise" | @"wind.txt" | field.source = "wind.txt" | a path ending in .png or .json or .npy
"curl_noise" | @7 | field.source = 7: must be a text
resolution = 64 | resolution = @64.0 | field.resolution = 64.0: must be a whole number, not a number
// Species.
name = "hawks" | name = @"birds" | species.1.name = "birds": another species has this name
count = 100 |  | species.0.count: this key is required
count = 100 | count = @1e3 | species.0.count = 1000.0: must be a whole number, not a number
count = 3 | count = @1073741800 | species.1.count: 1073741900 agents in all; there may be 1073741824 (2^30)
mass = 1 | mass = @[1] | species.0.mass = [1]: must be a number, not a list
max_speed = 20 | max_speed = 4 | species.0.min_speed = 5: must be at most max_speed = 4 u/s
min_speed = 5 | min_speed = @20.5 | species.0.min_speed = 20.5: must be at most max_speed = 20 u/s
"heading" | "heading"\nstates = @["a", "b", "a"] | species.0.states | has `a` twice
"heading" | "heading"\ncombine_within = @["first"] | species.0.combine_within = "first": combine = "weighted" has no priorities | or leave this key out
"heading" | "heading"\ncombine = "budget"\ncombine_within = ["first", @"normalised"] | species.0.combine_within = "normalised": must be one of weighted, normalized, first | `normalized`?
"heading" | @"headding" | species.0.color = "headding": must be heading, speed | `heading`?
"heading" | @"#12345" | species.0.color = "#12345": must be heading, speed, state, winner, ink, species, or a color
"heading" | @"#12345g" | species.0.color = "#12345g": must be heading, speed, state, winner, ink, species, or a color
"heading" | @"#+12345" | species.0.color = "#+12345"
"heading" | @0x123456 | species.0.color = 1193046: must be a text
"ball" | @"sphere" | species.0.spawn.shape = "sphere": must be one of box, ball
speed = 10\n\n | speed = @2\n\n | species.0.spawn.speed = 2: must be between min_speed = 5 and max_speed = 20
speed = 10\n\n | speed = @21\n\n | species.0.spawn.speed = 21: must be between min_speed = 5
[species.spawn] | [species.@spwan] | species.0.spwan: unknown key | did you mean `spawn`?
// Vehicles.
time_constant = 0.25 | vehicle = @3 | species.0.vehicle = 3: must be a table
time_constant = 0.25 | vehicle.locomotion = @"car" | species.0.vehicle.locomotion = "car": must be one of point_mass, turn_first, kinematic
time_constant = 0.25 | vehicle.@linaer_drag = 3 | vehicle.linaer_drag: unknown key | `linear_drag`
time_constant = 0.25 | vehicle.hugs_surface = @1 | vehicle.hugs_surface = 1: must be true or false
time_constant = 0.25 | vehicle.hugs_surface = @true | vehicle.hugs_surface: there is no surface to move on | [surface]
time_constant = 0.25 | vehicle.banking = @{} | banking: there is no room to roll in a planar world
time_constant = 0.25 | vehicle.max_reverse_speed = @21 | max_reverse_speed = 21: must be at most max_speed = 20 u/s
time_constant = 0.25 | vehicle.moment_of_inertia = @1 | vehicle.moment_of_inertia: needs max_torque beside it
time_constant = 0.25 | vehicle.max_torque = @1 | max_torque: needs moment_of_inertia beside it
time_constant = 0.25 | vehicle.locomotion = @"turn_first" | turn_first needs a max_angular_speed | such as 180
time_constant = 0.25 | vehicle = { locomotion = "turn_first", max_angular_speed = 9, facing = @"independent" } | vehicle.facing | cannot face elsewhere | leave facing out
time_constant = 0.25 | vehicle = { locomotion = "turn_first", max_angular_speed = 9, reverse = @"allow" } | vehicle.reverse | an agent that reverses passes through speed 0, but min_speed is 5
// Behaviors.
behaviors.cohesion] | behaviors.@cohesoin] | species.0.behaviors.cohesoin: unknown key | `cohesion`?
behaviors.cohesion] | behaviors.@swirl] | species.0.behaviors.swirl: unknown key | [[behavior]]
behaviors.cohesion] | behaviors.@sek] | species.0.behaviors.sek: unknown key | seek
[species.behaviors.cohesion] | [species.@behavior.cohesion] | behavior: unknown key | `behaviors`?
enabled = true | enabled = @1 | species.0.behaviors.cohesion.enabled = 1: must be true or false
weight = 1 | weight = @"1" | species.0.behaviors.cohesion.weight = "1": must be a number, not a text
weight = 1 | @wieght = 1 | species.0.behaviors.cohesion.wieght: unknown key | did you mean `weight`?
n_radius = 5 | n_radius = @50.1 | = 50.1: must be at most 50 u, half of the wrapped x axis (world.size.0 = 100)
"velocity" | @"speed" | behaviors.flow_field.mode = "speed": must be one of velocity, direction
"velocity" | @1 | behaviors.flow_field.mode = 1: must be a text
time = 0.5 | time = 0.5\n@perception_radius = 1 | flow_field.perception_radius: unknown key | prediction_time
"##;

#[test]
fn each_spoiled_scene_is_refused_at_the_right_place() {
    refuses_each(GOOD, SPOILED);
}

#[test]
fn a_message_shows_the_line_with_a_caret() {
    let text = GOOD.replace("perception_radius = 5", "perception_radius = -3");
    let error = Scene::parse(&text, "flock.toml", &[]).unwrap_err();
    let expected = "flock.toml:46:21: species.0.behaviors.cohesion.perception_radius = -3: \
                    must be between 0 and 1e6 u\n 46 | perception_radius = -3\n    |                     ^^";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.key, "species.0.behaviors.cohesion.perception_radius");
    let place = error.place.unwrap();
    assert_eq!((place.line, place.column), (46, 21));
}

#[test]
fn whole_texts_that_are_no_scene() {
    let many = format!("schema = 1\nworld.size = [9, 9]\n{}", "[[species]]\ncount = 0\n".repeat(65));
    let painted = "[[map.strokes]]\nfrom = [0, 0]\nto = [1, 1]\n".repeat(1025);
    let painted =
        format!("schema = 1\nworld.size = [9, 9]\n[map]\nsource = \"open\"\n{painted}[[species]]\ncount = 0\n");
    let long = format!("# {}", "x".repeat(1 << 20));
    let deep = format!("{}1{}", "a = [".to_owned() + &"[".repeat(50_000), "]".repeat(50_000));
    let dotted = format!("a{} = 1", ".a".repeat(100_000));
    let wide = format!("schema = {}", "9".repeat(100_000));
    let cases: &[(&str, &[&str])] = &[
        ("", &["the file is empty", "steerling scenes --show"]),
        (" \n\t\n", &["the file is empty"]),
        ("# nothing\n", &["bad.toml:1:1: schema: this key is required"]),
        ("schema = 1", &["world: this key is required"]),
        ("\u{feff}schemas = 1", &["bad.toml:1:1: schemas: unknown key", "| schemas = 1\n   | ^^^^^^^\n"]),
        ("schema = 1\nworld.size = [1, 1]", &["species: this key is required"]),
        ("schema = 1\nworld = 3", &["bad.toml:2:9: world = 3: must be a table, not a whole number"]),
        ("schema = 1\nworld.size = [9, 9]\nspecies = []", &["species: must have 1 to 32 entries, not 0"]),
        ("schema = 1\nworld.size = [9, 9]\nspecies = [1]", &["species.0 = 1: must be a table"]),
        ("schema = 1\nworld.size = [9, 9]\n[species]\ncount = 1", &["must be a list of tables", "[[species]]"]),
        (&painted, &["map.strokes: must have 0 to 1024 entries, not 1025", "bad.toml:3077:1"]),
        (&many, &["species: must have 1 to 32 entries, not 65", "bad.toml:67:1"]),
        (&long, &["the file has 1048578 bytes; a scene may have 1048576"]),
        (&deep, &["this is not TOML"]),
        (&dotted, &["this is not TOML: recursion limit"]),
        (&wide, &["bad.toml:1:"]),
        ("\u{1b}[31m = 1", &["this is not TOML"]),
        ("{\"schema\": 1}", &["bad.toml:1:1: this is not TOML"]),
        (
            "schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\nbehaviors.flow_field = {}",
            &["bad.toml:5", "no field"],
        ),
        ("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\nbehaviors.cohesion = 1", &["must be a table"]),
        ("schema = 1\nworld.size = [9, 9]\n[[species]]\ncount = 1\nbehaviors.cohesion = {}", &["at most 4.5 u"]),
        (
            "schema = 1\nworld.size = [9, 9, 9]\n[[species]]\ncount = 1\n[field]\nsource = \"curl_noise\"\nresolution = 512",
            &["field.resolution = 512: 512 x 512 x 512 are 134217728 nodes; there may be 16777216"],
        ),
    ];
    for (text, parts) in cases {
        let start: String = text.chars().take(60).collect();
        let error = refused(Scene::parse(text, "bad.toml", &[]), parts).to_string();
        assert!(error.starts_with("bad.toml:"), "{start}: {error}");
        assert!(error.len() < 1500 && !error.contains('\u{1b}'), "{start}: {} bytes", error.len());
    }
}

#[test]
fn overrides_that_are_wrong_are_named() {
    let cases: &[(&str, &[&str])] = &[
        ("weight", &["--set weight: there is no `=`", "KEY=VALUE"]),
        ("=1", &["the key must be names or numbers"]),
        ("a..b=1", &["the key must be names or numbers"]),
        ("a.=1", &["the key must be names or numbers"]),
        ("a.b.c.d.e.f.g.h.i=1", &["more than 8 parts"]),
        ("dt=fast", &["--set dt=fast: dt = \"fast\": must be a number, not a text"]),
        ("dt=", &["--set dt=: dt = \"\": must be a number"]),
        ("seeds=3", &["--set seeds=3: seeds: unknown key", "did you mean `seed`?"]),
        ("dt.x=1", &["--set dt.x=1: dt.x: `dt` is a number, so it has no `x`"]),
        ("species.2.mass=1", &["`species` must be followed by a number from 0 to 1"]),
        (
            "species.birdz.mass=1",
            &["`species` must be followed by a number from 0 to 1 or by a name; did you mean `birds`?"],
        ),
        ("species.0.behaviors.cohesion.perception_radius=51", &["= 51: must be at most 50 u", "world.size.0 = 100"]),
        ("world.size=[8, 8]", &["--set world.size=[8, 8]: ", "cohesion.perception_radius = 5: must be at most 4 u"]),
        (
            "species.0.max_speed=3",
            &["--set species.0.max_speed=3: species.0.min_speed = 5: must be at most max_speed = 3"],
        ),
        ("world.boundary=[wrap,open]", &["must be one of wrap", "words of a list are in quotes"]),
        // There is none to suggest.
        ("species.0.behaviors.seek={target={goal=\"a\"}}", &["the scene has no goal of this name\n\n"]),
        ("map={source=\"open\",goals={}}", &["must be a list of tables", "[[map.goals]]"]),
        ("world.boundary.0=bounce", &["world.boundary = \"bounce\""]),
    ];
    for (text, parts) in cases {
        let read = text.parse::<Override>().and_then(|change| Scene::parse(GOOD, "good.toml", &[change]));
        let error = refused(read.map_err(|error| format!("{error}\n\n")), parts);
        assert!(error.starts_with("--set "), "{text}: {error}");
    }
}

#[test]
fn what_is_no_scene_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| file(folder.path(), name, bytes).to_str().unwrap().to_owned();
    let cases: &[(String, &[&str])] = &[
        (
            "flok".into(),
            &["flok: there is no preset and no file", "did you mean `flock`?", "murmuration, flock, actions"],
        ),
        ("scenes/mumuration.toml".into(), &["did you mean `murmuration`?"]),
        ("nothing-like-it".into(), &["Presets: murmuration, flock, actions"]),
        (String::new(), &["there is no preset and no file of this name"]),
        ("a\0b".into(), &["cannot be read"]),
        (folder.path().to_str().unwrap().into(), &["this is a directory"]),
        (file("empty.toml", b""), &["empty.toml: the file is empty"]),
        (file("latin.toml", b"schema = 1\nshows = \"caf\xe9\""), &["not UTF-8 text: line 2, byte 23"]),
        (file("binary.toml", &[0u8; 64]), &["binary.toml:1:", "this is not TOML"]),
        (file("large.toml", &vec![b'#'; (1 << 20) + 1]), &["the file has 1048577 bytes"]),
    ];
    for (path, parts) in cases {
        refused(Scene::open(path, &[]), parts);
    }
}

/// A behavior's file that is not there is missed at the key that names it, and one that no key names at the table that needs it.
#[test]
fn files_of_behaviors_are_missed_in_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let head = "schema = 1\nworld.size = [9, 9]\n";
    let species = "[[species]]\ncount = 1\nbehaviors.swirl = {}\n";
    file(folder.path(), "swirl.wgsl", b"");
    for (name, text, parts) in [
        (
            "lost.toml",
            format!("{head}[[behavior]]\nfile = \"swril.wgsl\"\n{species}"),
            ["lost.toml:4:8: behavior.0.file = \"swril.wgsl\": ", "swril.wgsl: cannot be read: "],
        ),
        (
            "forgot.toml",
            format!("{head}{species}"),
            ["forgot.toml:5:11: species.0.behaviors.swirl", "[[behavior]] with file = \"swirl.wgsl\""],
        ),
    ] {
        refused(Scene::open(file(folder.path(), name, text.as_bytes()).to_str().unwrap(), &[]), &parts);
    }
}

/// Whatever is written behind `--set`, there is an answer and no panic. Files with mistakes: tests/scene/arbitrary.rs.
#[test]
fn no_override_panics() {
    let keys = ["species.0.mass", "world.size", "species", "field.source", "world.boundary", "species.0.behaviors"];
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz_.0123456789";
    let mut draw = Draw::new(1);
    for number in 0..2000 {
        let key: String =
            (0..draw.whole(0, 24)).map(|_| char::from(LETTERS[draw.word() as usize % LETTERS.len()])).collect();
        // Half of the letters are of ASCII, the others any.
        let letter = |draw: &mut Draw| match draw.whole(0, 1) {
            0 => draw.whole(0x20, 0x7e),
            _ => draw.whole(0xa0, 0x10_ffff),
        };
        let value: String = (0..draw.whole(0, 24)).filter_map(|_| char::from_u32(letter(&mut draw))).collect();
        for text in [format!("{key}={value}"), format!("{}={value}", keys[number % keys.len()]), value.clone()] {
            let read = text.parse::<Override>().and_then(|change| Scene::parse(GOOD, "good.toml", &[change]));
            assert!(read.err().is_none_or(|error| !error.to_string().is_empty()), "{text}");
        }
    }
}
