//! Functions of shaders/common and shaders/behaviors, executed from their WGSL, against the Rust twins: zero differing
//! bits.

use crate::support::everything;
use glam::Vec3;
use naga::back::PipelineConstants;
use std::collections::BTreeMap;
use steerling::cpu::behaviors as twin;
use steerling::cpu::common::agent::{Agent, Turner, match_velocity, steer_to, turn_by};
use steerling::cpu::common::prediction::predicted_way;
use steerling::cpu::common::target::{Goal, along};
use steerling::cpu::common::vision::{Neighbor, Ranking, ranking_add, ranking_of, sees};
use steerling::cpu::common::{angle, vector};
use steerling::cpu::interpreter::{Budget, Machine, Program, Value};
use steerling::gpu::shaders::Sources;
use steerling::model::{self, Rule, Target, Vision, WanderMemory, World, random};

const CASES: u32 = 2000;

/// Numbers from a hash of the case and a counter.
struct Draw {
    case: u32,
    drawn: u32,
    spatial: bool,
}

impl Draw {
    fn word(&mut self) -> u32 {
        self.drawn += 1;
        random::hash4([self.case, self.drawn, 77, 5])[0]
    }

    fn below(&mut self, end: u32) -> u32 {
        self.word() % end
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * random::unit_interval(self.word())
    }

    /// Of either sign and many sizes; one in sixteen is zero.
    fn vector(&mut self) -> Vec3 {
        let size = [0.0, 1e-7, 1e-3, 0.3, 1.0, 1.0, 1.0, 3.0, 3.0, 10.0, 10.0, 50.0, 50.0, 100.0, 1e4, 1e18];
        let size = size[self.below(16) as usize];
        let vector = Vec3::from_array([0; 3].map(|_| self.between(-size, size)));
        if self.spatial { vector } else { Vec3::new(vector.x, vector.y, 0.0) }
    }

    fn unit(&mut self) -> Vec3 {
        random::unit_direction(self.spatial, self.word(), self.word())
    }

    fn rule(&mut self) -> Rule {
        Rule { weight: self.between(0.0, 3.0), floor: 0.0, priority: self.below(8), states: self.word() }
    }

    fn target(&mut self) -> Target {
        Target { kind: self.below(7), index: self.below(9), point: self.vector().to_array() }
    }

    fn vision(&mut self) -> Vision {
        Vision { radius_squared: self.between(0.0, 50.0), cosine: self.between(-1.2, 0.5), species: self.word() }
    }

    fn agent(&mut self, world: &World) -> Agent {
        let (velocity, agent_time) = (self.vector(), [1e-8, 0.02, 0.5][self.below(3) as usize]);
        Agent {
            id: self.word(),
            step: self.word(),
            position: self.vector(),
            velocity,
            speed: velocity.length(),
            forward: self.unit(),
            radius: self.between(0.0, 1.0),
            max_speed: self.between(0.0, 10.0),
            max_acceleration: self.between(0.0, 20.0),
            time_constant: agent_time,
            interval: self.between(0.01, 0.1),
            moves_as_desired: self.below(2) == 0,
            dt: world.dt,
            seed: world.seed,
            spatial: self.spatial,
        }
    }

    fn goal(&mut self) -> Goal {
        let offset = self.vector();
        Goal {
            exists: self.below(8) != 0,
            offset,
            distance: vector::dot3(offset, offset).sqrt(),
            velocity: self.vector(),
            forward: if self.below(4) == 0 { Vec3::ZERO } else { self.unit() },
            spin: self.vector(),
        }
    }

    fn turner(&mut self) -> Turner {
        let (spin, up) = (self.vector(), self.unit());
        Turner { spin, up, max_angular_speed: self.between(0.1, 6.0), interval: self.between(0.01, 0.1) }
    }

    fn neighbor(&mut self, forward: Vec3) -> Neighbor {
        let (offset, velocity) = (self.vector(), self.vector());
        let distance_squared = vector::dot3(offset, offset);
        Neighbor {
            offset,
            distance_squared,
            distance: distance_squared.sqrt(),
            ahead: vector::dot3(offset, forward),
            velocity,
            heading: vector::heading_of(velocity),
            species: 1 << self.below(32),
            radius: self.between(0.0, 1.0),
            id: self.word(),
        }
    }
}

fn world(case: u32) -> World {
    World { dt: 0.02, seed: 1000 + case / 100, ..bytemuck::Zeroable::zeroed() }
}

/// The module of a scene in which every behavior acts, and looks at some species only.
fn program(sources: &Sources, spatial: bool) -> Program {
    let (module, info) = sources.parse(&everything(spatial)).unwrap_or_else(|e| panic!("{e}"));
    Program::new(&module, &info, &PipelineConstants::from_iter(["masks", "cones"].map(|flag| (flag.to_owned(), 1.0))))
        .unwrap()
}

/// Counts, by function, the cases that differ from the twin.
struct Comparison<'a> {
    program: &'a Program,
    machine: Machine<'a>,
    differing: BTreeMap<&'static str, u32>,
}

impl Comparison<'_> {
    fn call(&mut self, name: &str, arguments: &mut [Value]) -> Value {
        let function = self.program.function(name).unwrap();
        self.machine.call(function, arguments).unwrap_or_else(|fault| panic!("{fault} at {:?}", fault.at))
    }

    fn equal(&mut self, name: &'static str, arguments: &mut [Value], expected: impl Into<Value>) {
        let found = self.call(name, arguments);
        self.count(name, found, expected.into());
    }

    fn count(&mut self, name: &'static str, found: Value, expected: Value) {
        *self.differing.entry(name).or_default() += u32::from(found.bits() != expected.bits());
    }
}

macro_rules! case {
    ($to:ident, $name:literal($($argument:expr),*) = $expected:expr) => {
        $to.equal($name, &mut [$($argument.into()),*], $expected)
    };
}

/// Functions that differ, with the number of cases, of all that are compared.
fn differing(sources: &Sources, spatial: bool, cases: u32) -> BTreeMap<&'static str, u32> {
    let program = program(sources, spatial);
    let mut all = BTreeMap::new();
    for case in 0..cases {
        let world = world(case);
        let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&world));
        let machine = program.machine(|name| (name == "world").then_some(words), Budget::default());
        let mut to = Comparison { program: &program, machine, differing: std::mem::take(&mut all) };
        let mut draw = Draw { case, drawn: 0, spatial };
        common(&mut to, &mut draw, &world);
        individual(&mut to, &mut draw, &world);
        neighborhood(&mut to, &mut draw, &world);
        all = to.differing;
    }
    all
}

fn common(to: &mut Comparison, draw: &mut Draw, world: &World) {
    let spatial = draw.spatial;
    let (a, b, c) = (draw.vector(), draw.vector(), draw.unit());
    let (start, x) = (draw.unit(), draw.between(-20.0, 20.0));
    case!(to, "dot3"(a, b) = vector::dot3(a, b));
    case!(to, "cross3"(a, b) = vector::cross3(a, b));
    case!(to, "limit"(a, x) = vector::limit(a, x));
    case!(to, "right_of"(c) = vector::right_of(spatial, c));
    case!(to, "turned_along"(a, c, start) = vector::turned_along(a, c, start));
    case!(to, "unit_or_zero"(a) = vector::unit_or_zero(a));
    case!(to, "heading_of"(a) = vector::heading_of(a));
    case!(to, "across"(c, b) = vector::across(c, b));
    case!(to, "within"(x, -1.0f32, 2.0f32) = vector::within(x, -1.0, 2.0));
    case!(to, "is_sane3"(a) = vector::is_sane3(a));
    case!(to, "angle_of"(a.x, b.x) = angle::angle_of(a.x, b.x));
    case!(to, "rotation_between"(c, start, b) = angle::rotation_between(spatial, c, start, b));
    let turn = if spatial { start * 3.0 } else { Vec3::Z * x.min(3.0) };
    case!(to, "rotate"(a, turn) = angle::rotate(spatial, a, turn));
    let hash = [draw.word(), draw.word(), draw.word(), draw.word()];
    case!(to, "hash4"(hash) = Value::from(random::hash4(hash)));
    case!(to, "unit_interval"(hash[0]) = random::unit_interval(hash[0]));
    case!(to, "unit_variance"(hash[0]) = random::unit_variance(hash[0]));
    case!(to, "rotation"(x) = random::rotation(x));
    case!(to, "unit_circle"(hash[1]) = random::unit_circle(hash[1]));
    case!(to, "unit_direction"(hash[1], hash[2]) = random::unit_direction(spatial, hash[1], hash[2]));
    let [id, other, ..] = hash;
    case!(to, "direction"(id, other, 3u32) = vector::direction(world.seed, spatial, id, other, 3));
    case!(to, "forward_of"(a, id) = vector::forward_of(world.seed, spatial, a, id));
    case!(to, "along"(a) = along(a));
    let mut ranking = Ranking::default();
    let mut ranked = to.call("ranking_start", &mut []);
    for _ in 0..draw.below(30) {
        let distance = draw.between(0.0, 9.0);
        ranking_add(&mut ranking, distance);
        ranked = to.call("ranking_add", &mut [ranked, distance.into()]);
    }
    let k = 1 + draw.below(16);
    case!(to, "ranking_of"(ranked, k) = ranking_of(&ranking, k));
}

fn individual(to: &mut Comparison, draw: &mut Draw, world: &World) {
    let (agent, goal, turner) = (draw.agent(world), draw.goal(), draw.turner());
    let (rule, toward, w) = (draw.rule(), draw.target(), draw.unit());
    let (a, g, t) = (&agent, &goal, &turner);
    let x = draw.between(0.0, 5.0);
    case!(to, "steer_to"(a, w) = steer_to(a, w));
    case!(to, "match_velocity"(a, w, x) = match_velocity(a, w, x));
    case!(to, "turn_by"(t, w, x, 0.1f32, 0.2f32) = turn_by(t, w, x, 0.1, 0.2));
    let (prediction, turning) = (draw.below(6), draw.between(-0.1, 0.1).max(0.0));
    case!(to, "predicted_way"(a, g, prediction, x, turning, 4.0f32) = predicted_way(a, g, prediction, x, turning, 4.0));
    let (form, speed, approach) = (draw.below(2), draw.below(2), draw.below(2));
    let seek = model::Seek { rule, toward, form, speed, capture_radius: draw.between(0.0, 1.0), approach };
    case!(to, "seek_steer"(Value::words(&seek), a, g) = twin::seek::seek_steer(&seek, a, g));
    let flee = model::Flee { rule, toward, panic_distance: x * 10.0, form };
    case!(to, "flee_steer"(Value::words(&flee), a, g) = twin::flee::flee_steer(&flee, a, g));
    let (slow_radius, capture_radius) = (draw.between(0.1, 20.0), draw.between(0.0, 1.0));
    let arrive = model::Arrive { rule, toward, slow_radius, capture_radius, ramp: form, moving_target: speed };
    case!(to, "arrive_steer"(Value::words(&arrive), a, g) = twin::arrive::arrive_steer(&arrive, a, g));
    let pursuit = model::Pursuit { rule, toward, prediction, prediction_time: x, turning, max_prediction_time: 4.0 };
    case!(to, "pursuit_steer"(Value::words(&pursuit), a, g) = twin::pursuit::pursuit_steer(&pursuit, a, g));
    let (prediction_time, panic_distance) = (x, 10.0 * x);
    let evasion =
        model::Evasion { rule, toward, prediction, prediction_time, turning, max_prediction_time: 4.0, panic_distance };
    case!(to, "evasion_steer"(Value::words(&evasion), a, g) = twin::evasion::evasion_steer(&evasion, a, g));
    let matching = model::VelocityMatching { rule, toward, time_to_target: x };
    let expected = twin::velocity_matching::velocity_matching_steer(&matching, a, g);
    case!(to, "velocity_matching_steer"(Value::words(&matching), a, g) = expected);
    let wander = model::Wander { rule, radius: draw.between(0.0, 3.0), distance: x, rate: draw.between(0.0, 3.0) };
    let before = if draw.below(8) == 0 { Vec3::ZERO } else { w };
    let memory = WanderMemory { target_direction: before.to_array(), heading: draw.unit().to_array() };
    let expected = Value::words(&twin::wander::wander_remember(&wander, a, &memory));
    case!(to, "wander_remember"(Value::words(&wander), a, Value::words(&memory)) = expected);
    let expected = twin::wander::wander_steer(&wander, a, &memory);
    case!(to, "wander_steer"(Value::words(&wander), a, Value::words(&memory)) = expected);
    let random = model::WanderRandom { rule };
    let expected = twin::wander_random::wander_random_steer(&random, a);
    case!(to, "wander_random_steer"(Value::words(&random), a) = expected);
    let speed = model::TargetSpeed { rule, speed: x };
    case!(to, "target_speed_steer"(Value::words(&speed), a) = twin::target_speed::target_speed_steer(&speed, a));
    let (distance, clear_length, clear_width) = (draw.between(0.0, 5.0), x * 10.0, draw.between(0.0, 20.0));
    let following = model::LeaderFollowing { rule, toward, distance, slow_radius, clear_length, clear_width };
    let expected = twin::leader_following::leader_following_steer(&following, a, g);
    case!(to, "leader_following_steer"(Value::words(&following), a, g) = expected);
    let (mode, offset, max_prediction_time) = (draw.below(2), draw.vector().to_array(), x);
    let beside = model::OffsetPursuit { rule, toward, mode, offset, distance, slow_radius, max_prediction_time };
    let expected = twin::offset_pursuit::offset_pursuit_steer(&beside, a, g);
    case!(to, "offset_pursuit_steer"(Value::words(&beside), a, g) = expected);
    let (slow_angle, capture_angle, time_to_target) = (draw.between(0.0, 2.0), draw.between(0.0, 0.3), x);
    let align = model::Align { rule, toward, slow_angle, capture_angle, time_to_target };
    case!(to, "align_turn"(Value::words(&align), a, t, g) = twin::align::align_turn(&align, a, t, g));
    let face = model::Face { rule, toward, slow_angle, capture_angle, time_to_target };
    case!(to, "face_turn"(Value::words(&face), a, t, g) = twin::face::face_turn(&face, a, t, g));
    let ahead = model::LookWhereYouGo { rule, slow_angle, capture_angle, time_to_target };
    let expected = twin::look_where_you_go::look_where_you_go_turn(&ahead, a, t);
    case!(to, "look_where_you_go_turn"(Value::words(&ahead), a, t) = expected);
    let spin = model::AngularVelocityMatching { rule, toward, time_to_target };
    let expected = twin::angular_velocity_matching::angular_velocity_matching_turn(&spin, a, t, g);
    case!(to, "angular_velocity_matching_turn"(Value::words(&spin), a, t, g) = expected);
}

fn neighborhood(to: &mut Comparison, draw: &mut Draw, world: &World) {
    let (agent, rule, vision) = (draw.agent(world), draw.rule(), draw.vision());
    let separation = model::Separation { rule, vision, exponent: draw.below(4), form: draw.below(2) };
    let alignment = model::Alignment { rule, vision, mode: draw.below(4) };
    let cohesion = model::Cohesion { rule, vision, form: draw.below(3) };
    let noise = model::HeadingNoise { rule, vision, noise: draw.between(0.0, 6.2) };
    let blocks = [Value::words(&separation), Value::words(&alignment), Value::words(&cohesion), Value::words(&noise)];
    let mut expected = (Vec3::ZERO, Default::default(), Default::default(), Default::default());
    let nothing = || Value::from(vec![Value::from(Vec3::ZERO), Value::U32(0)]);
    let mut sums = [Vec3::ZERO.into(), nothing(), nothing(), nothing()];
    let adds = ["separation_add", "alignment_add", "cohesion_add", "heading_noise_add"];
    for _ in 0..draw.below(12) {
        let neighbor = draw.neighbor(agent.forward);
        case!(
            to,
            "sees"(
                Value::from(vec![vision.radius_squared.into(), vision.cosine.into(), vision.species.into()]),
                &neighbor
            ) = sees(vision, &neighbor)
        );
        for ((sum, name), block) in sums.iter_mut().zip(adds).zip(&blocks) {
            *sum = to.call(name, &mut [sum.clone(), block.clone(), (&neighbor).into()]);
        }
        expected.0 = twin::separation::separation_add(expected.0, &separation, &neighbor);
        expected.1 = twin::alignment::alignment_add(expected.1, &alignment, &neighbor);
        expected.2 = twin::cohesion::cohesion_add(expected.2, &cohesion, &neighbor);
        expected.3 = twin::heading_noise::heading_noise_add(expected.3, &noise, &neighbor);
    }
    if draw.below(4) == 0 {
        let other = draw.word();
        let arguments = &mut [sums[0].clone(), blocks[0].clone(), (&agent).into(), other.into()];
        sums[0] = to.call("separation_add_coincident", arguments);
        expected.0 = twin::separation::separation_add_coincident(expected.0, &separation, &agent, other);
    }
    let expected = [
        twin::separation::separation_resolve(expected.0, &separation, &agent),
        twin::alignment::alignment_resolve(expected.1, &alignment, &agent),
        twin::cohesion::cohesion_resolve(expected.2, &cohesion, &agent),
        twin::heading_noise::heading_noise_resolve(expected.3, &noise, &agent),
    ];
    let resolves = ["separation_resolve", "alignment_resolve", "cohesion_resolve", "heading_noise_resolve"];
    for (((sum, name), block), expected) in sums.into_iter().zip(resolves).zip(blocks).zip(expected) {
        to.equal(name, &mut [sum, block, (&agent).into()], expected);
    }
}

#[test]
fn functions_have_the_bits_of_their_twins() {
    for spatial in [false, true] {
        let counts = differing(&Sources::default(), spatial, CASES);
        assert!(counts.len() >= 44, "{} functions", counts.len());
        let wrong: Vec<_> = counts.iter().filter(|(_, count)| **count > 0).collect();
        assert!(wrong.is_empty(), "spatial {spatial}: {wrong:?} of {CASES} cases differ");
    }
}

/// The negative control: with one line changed, the functions that use it differ, and no other.
#[test]
fn a_changed_line_differs() {
    let mutants: [(&str, &str, &str, &[&str]); 6] = [
        ("behaviors/seek.wgsl", "2.0 * aside", "2.5 * aside", &["seek_steer"]),
        (
            "behaviors/cohesion.wgsl",
            "sum.offset / f32(sum.count)",
            "sum.offset * (1.0 / f32(sum.count))",
            &["cohesion_resolve"],
        ),
        ("behaviors/wander.wgsl", "strolled / sqrt(dot3(strolled, strolled))", "strolled", &["wander_remember"]),
        (
            "behaviors/arrive.wgsl",
            "distance < slow_radius",
            "distance > slow_radius",
            &["arrive_steer", "leader_following_steer", "offset_pursuit_steer"],
        ),
        (
            "common/angle.wgsl",
            "PI - angle",
            "angle - PI",
            &["align_turn", "angle_of", "face_turn", "look_where_you_go_turn", "rotation_between"],
        ),
        ("common/random.wgsl", "hash >> 30u", "hash >> 29u", &[]),
    ];
    for (path, line, changed, functions) in mutants {
        let mut sources = Sources::default();
        let text = sources.text(path).unwrap();
        assert!(text.contains(line), "{path} has no {line}");
        let text = text.replace(line, changed);
        sources.replace(path, path, text);
        let counts = differing(&sources, true, 600);
        let wrong: Vec<&str> = counts.iter().filter(|(_, count)| **count > 0).map(|(name, _)| *name).collect();
        match functions {
            [] => assert!(wrong.contains(&"unit_circle") && wrong.len() >= 6, "{path}: {wrong:?}"),
            _ => assert_eq!(wrong, functions, "{path}"),
        }
    }
}

/// All functions of the behaviors, in both worlds, are made of what the interpreter knows.
#[test]
fn every_behavior_can_be_executed() {
    for spatial in [false, true] {
        let (module, info) = Sources::default().parse(&everything(spatial)).unwrap();
        let program = Program::new(&module, &info, &PipelineConstants::default()).unwrap();
        let names = module.functions.iter().filter_map(|(_, function)| function.name.as_deref());
        let behaviors = names.filter(|name| {
            ["_steer", "_turn", "_add", "_resolve", "_add_coincident", "_remember"]
                .iter()
                .any(|ending| name.ends_with(ending))
        });
        let mut checked = 0;
        for name in behaviors {
            program.check(program.function(name).unwrap()).unwrap_or_else(|fault| panic!("{fault}"));
            checked += 1;
        }
        assert!(checked >= 40, "{checked} functions");
    }
}
