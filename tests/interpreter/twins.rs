//! Functions of shaders/common, executed from their WGSL, against the Rust twins: zero differing bits.

use glam::Vec3;
use naga::back::PipelineConstants;
use std::collections::BTreeMap;
use steerling::cpu::common::agent::{Agent, Turner, match_velocity, steer_to, turn_by};
use steerling::cpu::common::prediction::predicted_way;
use steerling::cpu::common::target::{Goal, along};
use steerling::cpu::common::vision::{Neighbor, Ranking, ranking_add, ranking_of, sees};
use steerling::cpu::common::{angle, vector};
use steerling::cpu::interpreter::{Budget, Machine, Program, Value};
use steerling::gpu::shaders::Sources;
use steerling::model::{Vision, World, random};
use support::{everything, rewritten};

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

    fn vision(&mut self) -> Vision {
        Vision {
            radius_squared: self.between(0.0, 50.0),
            cosine: self.between(-1.2, 0.5),
            inner_squared: self.between(0.0, 25.0),
            species: self.word(),
        }
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
            ahead: vector::dot3(offset, forward),
            velocity,
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
    Program::new(
        &module,
        &info,
        &PipelineConstants::from_iter(
            ["masks", "cones", "many_nearest", "inner_radii"].map(|flag| (flag.to_owned(), 1.0)),
        ),
    )
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
        steering(&mut to, &mut draw, &world);
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

fn steering(to: &mut Comparison, draw: &mut Draw, world: &World) {
    let (agent, goal, turner, vision) = (draw.agent(world), draw.goal(), draw.turner(), draw.vision());
    let (a, g, t) = (&agent, &goal, &turner);
    let (w, x) = (draw.unit(), draw.between(0.0, 5.0));
    case!(to, "steer_to"(a, w) = steer_to(a, w));
    case!(to, "match_velocity"(a, w, x) = match_velocity(a, w, x));
    case!(to, "turn_by"(t, w, x, 0.1f32, 0.2f32) = turn_by(t, w, x, 0.1, 0.2));
    let (prediction, turning) = (draw.below(6), draw.between(-0.1, 0.1).max(0.0));
    case!(to, "predicted_way"(a, g, prediction, x, turning, 4.0f32) = predicted_way(a, g, prediction, x, turning, 4.0));
    let neighbor = draw.neighbor(agent.forward);
    let Vision { radius_squared, cosine, inner_squared, species } = vision;
    let mask = Value::from(vec![radius_squared.into(), cosine.into(), inner_squared.into(), species.into()]);
    case!(to, "sees"(mask, &neighbor) = sees(vision, &neighbor));
}

#[test]
fn functions_have_the_bits_of_their_twins() {
    for spatial in [false, true] {
        let counts = differing(&Sources::default(), spatial, CASES);
        assert!(counts.len() >= 26, "{} functions", counts.len());
        let wrong: Vec<_> = counts.iter().filter(|(_, count)| **count > 0).collect();
        assert!(wrong.is_empty(), "spatial {spatial}: {wrong:?} of {CASES} cases differ");
    }
}

/// The negative control: with one line changed, the functions that use it differ, and no other.
#[test]
fn a_changed_line_differs() {
    let mutants: [(&str, &str, &str, &[&str]); 3] = [
        ("common/prediction.wgsl", "goal.velocity * min(t, longest)", "goal.velocity * t", &["predicted_way"]),
        ("common/angle.wgsl", "angle = PI - angle", "angle = angle - PI", &["angle_of", "rotation_between"]),
        ("common/random.wgsl", "hash >> 30u", "hash >> 29u", &[]),
    ];
    for (path, line, changed, functions) in mutants {
        let sources = rewritten(path, line, changed);
        let counts = differing(&sources, true, 600);
        let wrong: Vec<&str> = counts.iter().filter(|(_, count)| **count > 0).map(|(name, _)| *name).collect();
        match functions {
            [] => assert!(wrong.contains(&"unit_circle") && wrong.len() >= 4, "{path}: {wrong:?}"),
            _ => assert_eq!(wrong, functions, "{path}"),
        }
    }
}
