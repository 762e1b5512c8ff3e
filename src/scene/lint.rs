//! Warnings about values that a scene may have but that will hardly do what its author wants, with values that would.

use super::error::plain;
use super::facts::Wants;
use super::{
    Behavior, BehaviorKind, BehaviorSpec, Boundary, Combine, Condition, Facing, Locomotion, MapSource, MapStroke,
    Measure, Scene, Setting, Species, Target,
};
use response::{acting_states, largest, weights};
use std::fmt;

mod needs;
mod response;

/// With more candidates than this for each agent, a step takes seconds.
const MANY: u32 = 40_000;

/// A warning about one key.
#[derive(Debug, Clone, PartialEq)]
pub struct Lint {
    /// Dotted path of the key, such as `species.0.time_constant`.
    pub key: String,
    /// Its value.
    pub value: f32,
    /// What will happen, and which value would be right.
    pub message: String,
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: {}", self.key, plain(self.value), self.message)
    }
}

impl Scene {
    /// Warnings about values that are allowed but will hardly do what the author wants. The formulas behind the numbers
    /// are in the documentation of the behaviors.
    pub fn lint(&self) -> Vec<Lint> {
        let mut lints: Vec<_> =
            self.spreading().into_iter().chain(self.level_ground()).chain(self.unheeded_crowds()).collect();
        lints.extend(self.small_plan().into_iter().chain(self.strokes_beside()));
        lints.extend(self.narrow_doors().into_iter().chain(self.ground_beyond()).chain(self.rounded_rates()));
        for (index, species) in self.species.iter().enumerate().filter(|(_, s)| s.count > 0) {
            let mut found = Found { prefix: format!("species.{index}"), lints: &mut lints };
            self.resolution(species, &mut found);
            self.pace(species, &mut found);
            self.perception(species, &mut found);
            self.needs(species, &mut found);
            self.walls(species, &mut found);
            self.contacts(species, &mut found);
            chatter(species, &mut found);
            self.loads(species, &mut found);
            facing(species, &mut found);
            idle(species, &mut found);
            forceless(species, &mut found);
            self.screens(species, &mut found);
            self.overdrive(species, &mut found);
            self.objects(species, index, &mut found);
            self.trails(species, &mut found);
        }
        lints
    }

    /// Metrics round speeds to a millionth of the largest speed that the scene allows, so a limit that no agent comes near costs digits.
    fn resolution(&self, species: &Species, found: &mut Found) {
        let across = self.world.size.max_element() / self.dt;
        if species.max_speed > across {
            let message = format!(
                "an agent may cross the world in a step, and metrics round speeds to a millionth of this value; use \
                 at most {}",
                at_most(across)
            );
            found.add("max_speed", species.max_speed, message);
        }
    }

    /// If agents steer at intervals of more than 2 time constants, the velocity swings ever wider. A weight divides the time constant.
    fn pace(&self, species: &Species, found: &mut Found) {
        let step = self.dt * species.update_every as f32;
        let [shortest, tau, _] = self.time_constants(species);
        let wants = |b: &&Behavior| self.wants(b) != Wants::Push && !species.normalizes(b);
        let greatest = |b: &Behavior| {
            let shares = acting_states(species, b).map(|state| b.state_weights[state]);
            weights(species, b)[1] * shares.fold(0.0, f32::max)
        };
        let single = species.behaviors.iter().filter(wants).map(greatest).fold(1.0, f32::max);
        let gain = match (species.combine, species.vehicle.locomotion) {
            // Normalized: the weight alone decides the length. Kinematic: `overdrive` warns instead.
            (Combine::Normalized, _) | (_, Locomotion::Kinematic) => 1.0,
            (Combine::Weighted, _) => self.heaviest(species).map_or(single, |(sum, _)| sum.max(single)),
            _ => single,
        };
        if gain * step / shortest > 2.0 {
            let whose = if shortest < tau { "for some agents " } else { "" };
            let steps = if species.update_every > 1 { "update_every · dt" } else { "dt" };
            let times = if gain > 1.0 { " times the weights of the behaviors that want a velocity" } else { "" };
            let least = at_least(gain * step);
            let or = if gain > 1.0 { "" } else { ", or 0 for exactly that" };
            let message = format!(
                "{whose}shorter than half of {least} s, which is {steps}{times}: a desired velocity is missed by more \
                 in every step; use at least {least}{or}",
            );
            found.add("time_constant", species.time_constant, message);
        }
    }

    fn perception(&self, species: &Species, found: &mut Found) {
        // An agent perceives others only when it steers.
        let (speed, time) = (species.top_speed(), self.dt * species.update_every as f32);
        let stride = speed * time;
        for (spec, behavior) in species.described().filter(|(_, b)| b.is_active()) {
            let number = |name| spec.parameters.iter().position(|p| p.name == name).map(|_| behavior.number(name));
            if let Some(radius) = number("perception_radius") {
                let key = format!("behaviors.{}.perception_radius", spec.name);
                if radius == 0.0 {
                    found.add(&key, radius, "no agent is perceived; use more than 0, or leave the behavior out".into());
                } else if self.agents_within(radius) > MANY {
                    let message = format!(
                        "about {} agents are within this radius, and each agent looks at all of them in every step: a \
                         step takes long, and a software driver gives up; use a smaller radius",
                        self.agents_within(radius)
                    );
                    found.add(&key, radius, message);
                } else if stride > radius {
                    let message = format!(
                        "an agent moves {} u before it looks again, so it passes others unseen; use a dt of {} s or \
                         less",
                        at_least(stride),
                        at_most(radius / speed / species.update_every as f32)
                    );
                    found.add(&key, radius, message);
                }
            }
            let blind = |view: &f32| *view == 0.0 && number("inner_radius") == Some(0.0);
            if let Some(view) = number("field_of_view").filter(blind) {
                let key = format!("behaviors.{}.field_of_view", spec.name);
                found.add(
                    &key,
                    view,
                    "no agent is in view, except exactly ahead; use more than 0, up to 360 degrees".into(),
                );
            }
        }
    }

    /// How many agents are within a radius, u, if they are spread over the world.
    pub fn agents_within(&self, radius: f32) -> u32 {
        let axes = self.world.axes();
        let share = |axis: usize| (2.0 * f64::from(radius) / f64::from(self.world.size[axis])).min(1.0);
        ((0..axes).map(share).product::<f64>() * f64::from(self.agent_count())) as u32
    }

    /// Targets that do not exist.
    fn objects(&self, species: &Species, index: usize, found: &mut Found) {
        for (spec, behavior) in species.described().filter(|(_, behavior)| behavior.is_active()) {
            let key = |name: &str| format!("behaviors.{}.{name}", spec.name);
            for (parameter, setting) in spec.parameters.iter().zip(&behavior.parameters) {
                let Setting::Target(target) = *setting else { continue };
                let (value, message) = match target {
                    Target::Leader(leader) if leader as usize == index => (
                        leader as f32,
                        "the target is never found, because the leader of a leader is itself; name another species",
                    ),
                    Target::Agent(id) if id >= self.agent_count() => {
                        (id as f32, "the target is never found, because there are fewer agents")
                    }
                    _ => continue,
                };
                found.add(&key(parameter.name), value, message.into());
            }
        }
    }

    /// A warning about a trail that would have to spread farther in a step than to the next cell.
    fn spreading(&self) -> Option<Lint> {
        let ground = self.ground.as_ref().filter(|_| self.species.iter().any(|s| s.count > 0 && s.deposit > 0.0))?;
        let fastest = ground.fastest_spread(&self.world, self.dt) as f32;
        let message = format!(
            "the trail spreads by {} u²/s only, the most that cells of this size can pass on in a step; use a lower \
             resolution or a shorter dt",
            at_most(fastest)
        );
        let lint = Lint { key: "ground.trail_spread".to_owned(), value: ground.trail_spread, message };
        (ground.trail_spread > fastest).then_some(lint)
    }

    /// Warnings about rates of the ground that differ by more than 1 % from what steps count, which is whole 1/65536 units.
    fn rounded_rates(&self) -> impl Iterator<Item = Lint> {
        let units = self.dt * 65536.0;
        let ground = self.ground.iter().flat_map(|ground| {
            [("ground.intake".to_owned(), ground.intake), ("ground.regrowth".to_owned(), ground.regrowth)]
        });
        let laid = self.species.iter().enumerate().filter(|(_, species)| species.count > 0);
        let laid = laid.map(|(index, species)| (format!("species.{index}.deposit"), species.deposit));
        ground.chain(laid).filter_map(move |(key, value)| {
            let counted = (value * units).round() / units;
            let message = format!(
                "counts as {}, because a step counts whole 1/65536 units; use at least {}, or a longer dt",
                plain(counted),
                at_least(50.0 / units)
            );
            ((counted - value).abs() > 0.01 * value).then_some(Lint { key, value, message })
        })
    }

    /// A warning about `map.cost` where no ground of the map takes longer to cross, or where the distance does not count it.
    fn level_ground(&self) -> Option<Lint> {
        let map = self.map.as_ref().filter(|map| map.cost > 1.0)?;
        let message = if map.distance == Measure::Grid {
            BY_GRID
        } else if map.walls(&self.world, self.seed).costs.is_empty() {
            "does nothing: this map has no slow ground, which is gray in a picture and swamp (S) in a .map file"
        } else {
            return None;
        };
        Some(Lint { key: "map.cost".to_owned(), value: map.cost, message: message.to_owned() })
    }

    /// A warning about `map.crowding` where no agent follows a way, or where the distance does not count crowds.
    fn unheeded_crowds(&self) -> Option<Lint> {
        let map = self.map.as_ref().filter(|map| map.crowding > 0.0)?;
        let follows = |s: &Species| s.count > 0 && s.goal().is_some();
        let message = if map.distance == Measure::Grid {
            BY_GRID
        } else if !self.species.iter().any(follows) {
            "does nothing: no agent follows a way; give a behavior a target `{ goal = \"NAME\" }`"
        } else {
            return None;
        };
        Some(Lint { key: "map.crowding".to_owned(), value: map.crowding, message: message.to_owned() })
    }

    /// A warning about doors that a body does not fit through.
    fn narrow_doors(&self) -> Option<Lint> {
        let map = self.map.as_ref().filter(|map| map.door > 0.0)?;
        let has_doors = matches!(map.source, MapSource::Hall | MapSource::Stadium);
        let bodies = self.species.iter().filter(|species| species.count > 0);
        let widest = bodies.max_by(|a, b| a.radius.total_cmp(&b.radius)).filter(|_| has_doors)?;
        let message =
            format!("bodies of {} do not fit through; use at least {}", widest.name, at_least(2.0 * widest.radius));
        let lint = Lint { key: "map.door".to_owned(), value: map.door, message };
        (map.door < 2.0 * widest.radius).then_some(lint)
    }

    /// A warning about ways over ground that the boundary of the world keeps agents from.
    fn ground_beyond(&self) -> Option<Lint> {
        let (map, leads) = (self.map.as_ref()?, |species: &Species| species.count > 0 && species.goal().is_some());
        let (cell, walls) = (map.cell.filter(|_| self.species.iter().any(leads))?, map.walls(&self.world, self.seed));
        let beyond = |(axis, cells): (usize, u32)| {
            let wider = cells as f32 * cell - self.world.size[axis];
            self.world.boundary[axis] == Boundary::Contain && wider > 2.0 * cell
        };
        let message = "the map is larger than the world, so ways may lead over ground that its boundary keeps agents from; use a \
                       larger world, or walls there";
        let lint = Lint { key: "map.cell".to_owned(), value: cell, message: message.to_owned() };
        [(0, walls.columns), (1, walls.rows)].into_iter().any(beyond).then_some(lint)
    }

    /// Warn about `line_of_sight` where nothing can block it, or where agents perceive no others.
    fn screens(&self, species: &Species, found: &mut Found) {
        let walls = || self.map.as_ref().is_some_and(|map| map.walls(&self.world, self.seed).solid.contains(&true));
        let why = match species.line_of_sight {
            true if species.perception_radius() == 0.0 => "its agents perceive no others",
            true if self.scenery.obstacles.is_empty() && !walls() => "there are no obstacles, and no walls of a map",
            _ => return,
        };
        found.add("line_of_sight", 1.0, format!("does nothing: {why}"));
    }

    /// Warn about a behavior that follows trails where no agent lays any.
    fn trails(&self, species: &Species, found: &mut Found) {
        if self.species.iter().any(|species| species.count > 0 && species.deposit > 0.0) {
            return;
        }
        for (spec, follows) in species.described().filter(|(spec, b)| b.is_active() && spec.reads_trail()) {
            let message = "there is no trail to follow: give a species a deposit".into();
            found.add(&format!("behaviors.{}.weight", spec.name), follows.weight, message);
        }
    }

    /// Warn about a rule about loads where the agents never take a resource.
    fn loads(&self, species: &Species, found: &mut Found) {
        let about_loads = |rule: &super::Transition| rule.unloads || rule.when == Condition::LoadAbove;
        let takes = |spec: &&BehaviorSpec| spec.mentions("nearest_resource");
        let carries = species.described().any(|(spec, behavior)| behavior.is_active() && takes(&spec));
        if let Some((index, rule)) = species.rules.iter().enumerate().find(|(_, rule)| about_loads(rule) && !carries) {
            let load: Vec<String> = self.registry().filter(takes).map(|spec| format!("`{}`", spec.name)).collect();
            let message = format!(
                "its agents never carry a load, because they have no behavior {}, which takes it up",
                load.join(" or ")
            );
            found.add(&format!("rules.{index}.than"), rule.than, message);
        }
    }

    /// In every step, the difference between a kinematic body's velocity and the one it wants is multiplied by 1 - w,
    /// where w is the sum of the weights.
    fn overdrive(&self, species: &Species, found: &mut Found) {
        if species.vehicle.locomotion != Locomotion::Kinematic || species.combine != Combine::Weighted {
            return;
        }
        if let Some((sum, heaviest)) = self.heaviest(species).filter(|(sum, _)| *sum >= 2.0) {
            let message = format!(
                "a kinematic body misses its desired velocity by more in every step, because the weights of the \
                 behaviors that want a velocity add up to {}; use a sum of less than 2, best 1",
                at_least(sum)
            );
            found.add(&format!("behaviors.{}.weight", heaviest.spec.name), heaviest.weight, message);
        }
    }

    /// What a behavior wants with its parameters as they are; a push if it is not active, or its conditions are not met.
    fn wants(&self, behavior: &Behavior) -> Wants {
        let (wants, when) = &behavior.spec.wants;
        let does = behavior.is_active() && behavior.meets(when, &self.scenery.paths);
        if does { *wants } else { Wants::Push }
    }

    /// The largest sum, in any action state, of the weights of the behaviors that want a velocity at all times, and the heaviest of them.
    fn heaviest<'a>(&self, species: &'a Species) -> Option<(f32, &'a Behavior)> {
        let wants = |b: &&Behavior| self.wants(b) == Wants::Velocity;
        let sum = |state: usize| {
            let acting = || species.behaviors.iter().filter(wants).filter(|b| b.states >> state & 1 == 1);
            let heaviest = acting().max_by(|a, b| a.weight.total_cmp(&b.weight))?;
            Some((acting().map(|b| weights(species, b)[1] * b.state_weights[state]).sum::<f32>(), heaviest))
        };
        (0..species.states.len().max(1)).filter_map(sum).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// An agent that passes the middle of a body in one step is moved out on its other side.
    fn contacts(&self, species: &Species, found: &mut Found) {
        let (way, spread) = (species.top_speed() * self.dt, species.largest_radius() - species.radius);
        let least = (species.radius - spread).max(0.1 * species.radius);
        if species.collide && way > least {
            let message = format!(
                "bodies pass through each other, because at max_speed a body moves {} u in a step; use a dt of {} s \
                 or less",
                at_least(way),
                at_most(least / species.top_speed())
            );
            found.add("radius", species.radius, message);
        }
    }

    /// A formula fills the world with cells of its own size, so a smaller `map.cell` shrinks the whole map.
    fn small_plan(&self) -> Option<Lint> {
        let map = self.map.as_ref().filter(|map| map.source.path().is_none())?;
        let (value, walls, size) = (map.cell?, map.walls(&self.world, self.seed), self.world.size);
        let [width, height] = [walls.columns, walls.rows].map(|cells| cells as f32 * walls.cell);
        let is_small = width < 0.99 * size.x || height < 0.99 * size.y;
        let [width, height] = [width, height].map(at_most);
        let message = format!(
            "the plan is {} x {} cells of this size, {width} by {height} u, and the world {} by {} u: there is nothing of \
             the map beyond; `resolution` sets how fine a plan that covers the world is, if `cell` is left out",
            walls.columns, walls.rows, size.x, size.y
        );
        is_small.then(|| Lint { key: "map.cell".to_owned(), value, message })
    }

    /// Strokes that lie wholly beside the plan.
    fn strokes_beside(&self) -> Vec<Lint> {
        let Some(map) = &self.map else { return Vec::new() };
        let walls = map.walls(&self.world, self.seed);
        let half = [walls.columns, walls.rows].map(|cells| 0.5 * cells as f32 * walls.cell);
        let beside = |stroke: &MapStroke| {
            (0..2).any(|axis| {
                let (from, to, reach) = (stroke.from[axis], stroke.to[axis], half[axis] + 0.5 * stroke.width);
                from.min(to) > reach || from.max(to) < -reach
            })
        };
        let strokes = map.strokes.iter().enumerate().filter(|(_, stroke)| beside(stroke));
        let message = format!(
            "the stroke changes nothing, because it lies beside the map, which reaches {} u to each side along x and {} u \
             along y",
            at_most(half[0]),
            at_most(half[1])
        );
        let key = |index: usize| format!("map.strokes.{index}.width");
        strokes.map(|(index, s)| Lint { key: key(index), value: s.width, message: message.clone() }).collect()
    }

    /// In front of a wall, an agent needs v²/a to be pushed back by a force that grows to full force, and as much to turn by force alone.
    fn walls(&self, species: &Species, found: &mut Found) {
        let contained = self.world.boundary.contains(&Boundary::Contain);
        // Without delays, because a wall of the world pushes in every step.
        let states = (0..species.states.len().max(1)).map(|state| self.ability(species, state));
        // The push grows from 0 to full force, so it does half of the work of full force, and needs v²/a instead of v²/2a.
        let able = states.filter(|r| r.strongest > 0.0).collect::<Vec<_>>();
        let stop = largest(&able, |r| r.turn() + r.speed * r.dt);
        if contained && self.world.margin < stop {
            let message = format!(
                "agents of {} are too fast to turn back within this margin and hit the wall: they need v²/a + v·dt = \
                 {} u",
                species.name,
                at_least(stop)
            );
            found.whole("world.margin", self.world.margin, message);
        }
        let free = |axis: usize| match self.world.boundary[axis] {
            Boundary::Contain => (1.0 - 2.0 * self.world.margin / self.world.size[axis]).max(0.0),
            _ => 1.0,
        };
        let share = 1.0 - (0..2 + usize::from(self.world.spatial)).map(free).product::<f32>();
        if contained && share > MOSTLY_MARGIN {
            let message = format!(
                "{} % of the world lies within this margin, where the wall acts on agents; use a larger world or a \
                 smaller margin",
                (100.0 * share).round()
            );
            found.whole("world.margin", self.world.margin, message);
        }
    }
}

/// The message about keys that make ground take longer to cross, where distances are counted in cells.
const BY_GRID: &str = "does nothing, because distance = \"grid\" counts all open cells alike; use \"time\"";

/// A world with a larger share of margin than this is hardly what its author has in mind.
const MOSTLY_MARGIN: f32 = 0.75;

/// Two rules that lead back and forth between states change the state in every step, unless there is a band between their thresholds.
fn chatter(species: &Species, found: &mut Found) {
    let of = |when| species.rules.iter().enumerate().filter(move |(_, rule)| rule.when == when);
    for (near, far) in [(Condition::Nearer, Condition::Farther), (Condition::FieldAbove, Condition::FieldBelow)] {
        for (index, back) in of(far) {
            let leads_back = |(_, there): &(usize, &super::Transition)| {
                let both_ways = there.from >> back.to & 1 == 1 && back.from >> there.to & 1 == 1;
                // Leaving needs a larger distance, or a slower field, than coming.
                let band = if far == Condition::Farther { back.than > there.than } else { back.than < there.than };
                both_ways && there.target == back.target && !band
            };
            if let Some((_, there)) = of(near).find(leads_back) {
                let side = if far == Condition::Farther { "above" } else { "below" };
                let message = format!(
                    "the state will change back and forth, because another rule leads the other way at {}; use a \
                     value {side} that",
                    plain(there.than)
                );
                found.add(&format!("rules.{index}.than"), back.than, message);
            }
        }
    }
}

/// Angular behaviors turn only agents with independent facing.
fn facing(species: &Species, found: &mut Found) {
    let mut acting = species.described().filter(|(_, behavior)| behavior.is_active());
    if species.vehicle.facing == Facing::Velocity
        && let Some((spec, behavior)) = acting.find(|(spec, _)| spec.kind == BehaviorKind::Angular)
    {
        let message = "does nothing, because the heading follows the velocity; use vehicle.facing = \"independent\"";
        found.add(&format!("behaviors.{}.weight", spec.name), behavior.weight, message.into());
    }
}

/// Numbers of a vehicle that its locomotion does not read.
fn idle(species: &Species, found: &mut Found) {
    let vehicle = &species.vehicle;
    let (is_point_mass, drives) =
        (vehicle.locomotion == Locomotion::PointMass, vehicle.locomotion == Locomotion::TurnFirst);
    let at_once = "a kinematic body reaches its desired velocity at once";
    let backward = vehicle.max_reverse_speed.filter(|speed| *speed != species.max_speed).unwrap_or(0.0);
    let numbers = [
        ("linear_drag", vehicle.linear_drag, is_point_mass || drives, at_once),
        ("quadratic_drag", vehicle.quadratic_drag, is_point_mass || drives, at_once),
        ("low_speed", vehicle.low_speed, is_point_mass, "only a point mass is pushed across its heading"),
        ("turn_loss", vehicle.turn_loss, drives, "only locomotion = \"turn_first\" uses it"),
        ("grip", vehicle.grip.unwrap_or(0.0), drives, "only locomotion = \"turn_first\" uses it"),
        (
            "max_reverse_speed",
            backward,
            drives && vehicle.reverse,
            "only locomotion = \"turn_first\" with reverse = \"allow\" uses it",
        ),
    ];
    for (name, value, is_read, why) in numbers {
        if value != 0.0 && !is_read {
            found.add(&format!("vehicle.{name}"), value, format!("does nothing: {why}"));
        }
    }
}

/// A spread of `max_force` that leaves some agents without force. Other lints ask for room, and for those no room is enough.
fn forceless(species: &Species, found: &mut Found) {
    let (spread, most) = (species.variation.max_force, species.max_force / species.variation.farthest());
    if most > 0.0 && spread >= most {
        let message = format!("some agents get no force and never turn; use less than {}", at_most(most));
        found.add("variation.max_force", spread, message);
    }
}

/// A lower bound, rounded up to three digits: rounded to the nearest, it might be too small.
fn at_least(number: f32) -> String {
    three_digits(number, 1.0)
}

/// An upper bound, rounded down to three digits.
fn at_most(number: f32) -> String {
    three_digits(number, -1.0)
}

fn three_digits(number: f32, side: f64) -> String {
    if !number.is_normal() {
        return plain(number);
    }
    let exact = f64::from(number);
    let unit = 10f64.powf(exact.abs().log10().floor() - 2.0);
    let digits = (exact / unit).round();
    let near = (digits * unit) as f32;
    plain(if (f64::from(near) - exact) * side >= 0.0 { near } else { ((digits + side) * unit) as f32 })
}

/// The list that the warnings of a species are added to, and the path of the species, which begins their keys.
struct Found<'a> {
    prefix: String,
    lints: &'a mut Vec<Lint>,
}

impl Found<'_> {
    fn add(&mut self, key: &str, value: f32, message: String) {
        let key = format!("{}.{key}", self.prefix);
        self.lints.push(Lint { key, value, message });
    }

    /// Add a warning about a key outside of the species, given by its whole path.
    fn whole(&mut self, key: &str, value: f32, message: String) {
        self.lints.push(Lint { key: key.to_owned(), value, message });
    }
}
