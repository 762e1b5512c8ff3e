//! Checks whether the parameters of active behaviors are enough for what the behaviors' files say that they need ([`Need`]).

use super::response::{Asks, Response, acting_states, angular_acceleration, counted, largest, weights};
use super::{Found, at_least, at_most};
use crate::scene::error::plain;
use crate::scene::facts::{Fact, Need};
use crate::scene::{
    Behavior, BehaviorSpec, Boundary, ForwardAcceleration, Ground, Locomotion, Obstacle, ObstacleShape, Range, Scene,
    SeenFrom, Setting, Species, Target,
};

impl Scene {
    /// Warn of each need of a species' active behaviors that is not met.
    pub(super) fn needs(&self, species: &Species, found: &mut Found) {
        for (spec, behavior) in species.described().filter(|(_, behavior)| behavior.is_active()) {
            for fact in spec.needs.iter().filter(|fact| behavior.meets(&fact.when, &self.scenery.paths)) {
                let case = Case { scene: self, species, behavior, fact };
                let Some((value, message)) = case.lacks() else { continue };
                let key = match fact.parameter {
                    _ if fact.need == Need::Standstill => "min_speed".to_owned(),
                    Some(column) => format!("behaviors.{}.{}", spec.name, spec.parameters[column].name),
                    None => format!("behaviors.{}.weight", spec.name),
                };
                found.add(&key, value, message);
            }
        }
    }

    /// The least margin, u, with which the region of this behavior holds agents of the species that come at full speed: what
    /// [`Scene::lint`] asks for. 0 if the behavior has no region or is not active.
    pub fn least_margin(&self, species: &Species, behavior: &str) -> f32 {
        let active = |(spec, one): &(&BehaviorSpec, &Behavior)| spec.name == behavior && one.is_active();
        let of = |(spec, behavior): (&'static BehaviorSpec, _)| spec.needs.iter().map(move |fact| (behavior, fact));
        let needs = species.described().filter(active).flat_map(of);
        let cases = needs.map(|(behavior, fact)| Case { scene: self, species, behavior, fact });
        let of_regions = cases.filter(|case| {
            matches!(case.fact.need, Need::Brake | Need::Corner | Need::Round)
                && case.behavior.meets(&case.fact.when, &self.scenery.paths)
        });
        of_regions.map(|case| case.margin().0).fold(0.0, f32::max)
    }

    /// The greatest speed of the species that a target names, or of the species of an agent; `None` for any other target.
    fn speed_of(&self, target: Target) -> Option<f32> {
        let species = match target {
            Target::Leader(row) => self.species.get(row as usize),
            Target::Nearest { species, .. } => {
                self.species.iter().zip(0..).find(|(_, row)| species >> row & 1 == 1).map(|(own, _)| own)
            }
            Target::Agent(id) => self.species_of(id),
            _ => None,
        };
        species.map(Species::top_speed)
    }
}

/// One need of one behavior of a species.
struct Case<'a> {
    scene: &'a Scene,
    species: &'a Species,
    behavior: &'a Behavior,
    fact: &'a Fact,
}

impl Case<'_> {
    /// The value that is not enough, and a message that says what would be. `None` if the need is met.
    fn lacks(&self) -> Option<(f32, String)> {
        let number = self.number();
        let with_number = |message: Option<String>| message.map(|message| (number, message));
        match self.fact.need {
            Need::Stop => with_number(self.stop(true)),
            Need::Slow => with_number(self.stop(false)),
            Need::Late => with_number(self.late()),
            Need::Spring => with_number(self.spring()),
            Need::TurnBack => with_number(self.turn_back()),
            Need::Brake | Need::Corner | Need::Round => with_number(self.region()),
            Need::Inside | Need::Across => self.inside(),
            Need::Standstill => self.standstill(),
            Need::Clear => with_number(self.clear()),
            Need::Room => with_number(self.room()),
            Need::Sideways | Need::Aside => with_number(self.sideways()),
            Need::Circle | Need::Capture => with_number(self.circle()),
            Need::Catch | Need::Escape => with_number(self.chase()),
            Need::Stride => with_number(self.stride()),
            Need::Turn => with_number(self.turn()),
            Need::Heading => self.heading(),
            Need::Search => with_number(self.search()),
            Need::Contact => with_number(self.contact()),
            Need::Obstacles => self.obstacles(),
            Need::Map => with_number(self.map()),
            Need::Scale => None,
        }
    }

    fn setting(&self, column: Option<usize>) -> Option<Setting> {
        Some(self.behavior.parameters[column?])
    }

    /// The number that must be enough; for a choice, the index of its word.
    fn number(&self) -> f32 {
        self.setting(self.fact.parameter).map_or(0.0, Setting::number)
    }

    /// The number of the parameter behind `with`; 0 if there is none.
    fn with(&self) -> f32 {
        self.setting(self.fact.with).map_or(0.0, Setting::number)
    }

    fn responses(&self, asks: Asks) -> Vec<Response> {
        self.scene.responses(self.species, self.behavior, asks)
    }

    fn counted(&self) -> String {
        counted(self.species, self.behavior)
    }

    /// The name of a parameter, and its default word if it is a choice.
    fn named(&self, column: Option<usize>) -> (&'static str, &'static str) {
        column.map(|column| &self.behavior.spec.parameters[column]).map_or(("", ""), |parameter| {
            let word = match parameter.range {
                Range::Choice(words) => words.get(parameter.default as usize).copied().unwrap_or_default(),
                _ => "",
            };
            (parameter.name, word)
        })
    }

    /// The two thresholds of arrival: the braking distance after a step and the lag of the steering, and critical damping.
    fn stop(&self, rests: bool) -> Option<String> {
        let (species, radius) = (self.species, self.number());
        let keeps_speed = species.vehicle.locomotion == Locomotion::TurnFirst
            && species.vehicle.forward_acceleration == ForwardAcceleration::Constant;
        let responses = self.responses(Asks::Velocity);
        let stop = largest(&responses, |r| r.stop() + if rests { r.speed * r.lag } else { 0.0 });
        let damped = largest(&responses, |r| if rests { r.damped() } else { 0.0 });
        // Speed and turning circle shrink with the distance. Only an agent that cannot brake in order to turn needs room for its circle.
        let circled = if keeps_speed { largest(&responses, |r| r.turn() + r.way_before_turn()) } else { 0.0 };
        let counted = self.counted();
        if radius < stop {
            return Some(format!(
                "will overshoot: braking from max_speed takes v²/2a + v·(dt + time_constant) = {} u{counted}",
                at_least(stop)
            ));
        }
        if radius < damped {
            let or = if counted.is_empty() {
                format!(", or a time_constant of at most {} s", at_most(radius / (4.0 * species.max_speed)))
            } else {
                counted
            };
            return Some(format!(
                "will overshoot; use at least 4·max_speed·time_constant = {} u{or}",
                at_least(damped)
            ));
        }
        (radius < circled).then(|| {
            format!(
                "will circle its target: at constant speed it turns within max_speed/max_angular_speed = {} u{counted}",
                at_least(circled)
            )
        })
    }

    /// The desired velocity is the way to the target per second: within 1 s of the target, the speed falls as within a slow radius.
    fn spring(&self) -> Option<String> {
        let responses = self.responses(Asks::Velocity);
        let needed = largest(&responses, |r| (r.stop() + r.speed * r.lag).max(r.damped()) / r.speed);
        (needed > 1.0).then(|| {
            format!(
                "will swing about its target: the speed falls from 1 s before the target on, and braking needs {} s{}",
                at_least(needed),
                self.counted()
            )
        })
    }

    /// Braking at full force, as late as the time constant allows, leaves no time for any other lag.
    fn late(&self) -> Option<String> {
        let responses = self.responses(Asks::Velocity);
        let late = |r: &Response| r.delay > 0.0 || r.lag > r.assumed_lag || r.acceleration < r.strongest;
        responses.iter().any(late).then(|| {
            let needed = largest(&responses, |r| r.damped().max(r.stop() + r.speed * r.lag));
            let ((choice, word), (radius, _)) = (self.named(self.fact.parameter), self.named(self.fact.with));
            format!(
                "will overshoot: it brakes at max_force, as late as if time_constant were the only delay; use \
                 {choice} = \"{word}\" and a {radius} of {} u{}",
                at_least(needed),
                self.counted()
            )
        })
    }

    /// A full turn to the side clears an obstacle of radius R that is seen from a distance of sqrt(R² + 2 R v²/a). An agent within a box
    /// stays there if it sees the walls from (sqrt n + sqrt(n - 1)) v²/a, where n walls meet in a corner.
    fn clear(&self) -> Option<String> {
        self.clear_outside().or_else(|| self.clear_inside()).or_else(|| self.clear_map())
    }

    /// To turn aside from a flat wall takes a way of v²/a toward it.
    fn clear_map(&self) -> Option<String> {
        self.scene.map.as_ref()?;
        let needed = |r: &Response| r.turn() + r.way_before_turn();
        self.longest(needed).map(|(needed, time)| {
            format!("too short to turn aside from walls at max_speed: v²/a = {needed} u, {time} s{}", self.counted())
        })
    }

    fn clear_inside(&self) -> Option<String> {
        let is_pen = |o: &Obstacle| o.seen_from != SeenFrom::Outside && matches!(o.shape, ObstacleShape::Box { .. });
        self.scene.scenery.obstacles.iter().find(|o| is_pen(o))?;
        let walls: f32 = if self.scene.world.spatial { 3.0 } else { 2.0 };
        let needed = |r: &Response| (walls.sqrt() + (walls - 1.0).sqrt()) * r.turn() + r.way_before_turn();
        self.longest(needed).map(|(needed, time)| {
            let law = if walls > 2.0 { "(√3 + √2)·v²/a" } else { "(√2 + 1)·v²/a" };
            format!("too short to stay within a box at max_speed: {law} = {needed} u, {time} s{}", self.counted())
        })
    }

    /// The look-ahead, u and s, that the response with the longest time needs, among those for which the present one is too short.
    fn longest(&self, needed: impl Fn(&Response) -> f32) -> Option<(String, String)> {
        let (time, least, responses) = (self.number(), self.with(), self.responses(Asks::Share));
        let turns = self.setting(self.fact.or).map_or(0.0, Setting::number);
        let short = |r: &&Response| (r.speed * time).max(least).max(turns * r.turn()) < needed(r);
        let longer = |a: &&Response, b: &&Response| (needed(a) / a.speed).total_cmp(&(needed(b) / b.speed));
        let worst = responses.iter().filter(short).max_by(longer)?;
        Some((at_least(needed(worst)), at_least(needed(worst) / worst.speed)))
    }

    fn clear_outside(&self) -> Option<String> {
        let solid = self.scene.scenery.obstacles.iter().filter(|o| o.seen_from != SeenFrom::Inside);
        let body = self.species.largest_radius();
        // A box counts as the sphere around it. A plane has no other side to pass it on.
        let radius = |shape: &ObstacleShape| match shape {
            ObstacleShape::Sphere { radius } => Some(*radius + body),
            ObstacleShape::Box { size } => Some(0.5 * size.length() + body),
            ObstacleShape::Capsule { length, radius } => Some(0.5 * length + radius + body),
            ObstacleShape::Plane { .. } => None,
        };
        let widest = solid.filter_map(|o| radius(&o.shape)).reduce(f32::max)?;
        let needed = |r: &Response| (widest * widest + 2.0 * widest * r.turn()).sqrt() + r.way_before_turn();
        self.longest(needed).map(|(needed, time)| {
            let widest = at_least(widest);
            let law = "sqrt(R² + 2·R·v²/a)";
            format!(
                "too short to clear an obstacle of {widest} u at max_speed: {law} = {needed} u, {time} s{}",
                self.counted()
            )
        })
    }

    /// Two agents that perceive each other in time make the room that they need: a T² >= 6 (both radii and the margin).
    fn room(&self) -> Option<String> {
        let seen = self.behavior.parameters.iter().find_map(|setting| match setting {
            Setting::Species(mask) => *mask,
            _ => None,
        });
        let seen = seen.unwrap_or(self.species.perceives);
        let all = self.scene.species.iter().enumerate();
        let met = all.filter(|(row, other)| seen >> row & 1 == 1 && other.count > 0);
        let room = self.species.largest_radius()
            + met.map(|(_, other)| other.largest_radius()).fold(0.0, f32::max)
            + self.with();
        let responses = self.responses(Asks::Share);
        let needed = largest(&responses, |r| (6.0 * room / r.lateral).sqrt() + r.delay + r.spin_up);
        (self.number() < needed).then(|| {
            format!(
                "too short to make {} u of room, which is both radii and the margin: √(6·room/a) = {} s{}",
                at_least(room),
                at_least(needed),
                self.counted()
            )
        })
    }

    /// A time ahead in proportion to the distance, T = D c, must not put the target beyond where the two would meet.
    fn chase(&self) -> Option<String> {
        let target = match self.setting(self.fact.with) {
            Some(Setting::Target(target)) => self.scene.speed_of(target),
            _ => None,
        };
        // The speed of the chasing agent counts: the pursuer's, or the menace's.
        let speed = target.unwrap_or(self.species.top_speed());
        (self.number() * speed > 1.0).then(|| {
            format!(
                "predicts too far ahead for a hunter of {} u/s; use at most {} s/u, or 0",
                plain(speed),
                at_most(1.0 / speed)
            )
        })
    }

    /// A search of the ground ends after some cells, however far the agent would see.
    fn search(&self) -> Option<String> {
        let (ground, world) = (self.scene.ground.as_ref()?, &self.scene.world);
        let (reach, longest) = (Ground::reach(world.spatial), world.size.max_element());
        let wraps = world.boundary.iter().all(|boundary| *boundary == Boundary::Wrap);
        // The resolution up to which all cells are within reach.
        let all = if wraps { 2 * reach + 1 } else { reach + 1 };
        let radius = self.number();
        let searched = reach as f32 * longest / ground.resolution as f32;
        (radius > searched && ground.resolution > all).then(|| {
            let coarser = ((reach as f32 * longest / radius) as u32).max(all);
            format!(
                "only {} u are searched, {reach} cells of the ground to each side; use at most that, or \
                 ground.resolution = {coarser}",
                at_most(searched)
            )
        })
    }

    /// An agent that is turned back by a desired velocity needs v²/a, and the way of its lag.
    fn turn_back(&self) -> Option<String> {
        let responses = self.responses(Asks::Velocity);
        let turn = largest(&responses, |r| r.turn() + 2.0 * r.speed * r.dt + r.way_before_turn());
        let lag = largest(&responses, |r| r.speed * (0.5 * r.lag + r.dt) + r.way_before_turn());
        let (distance, counted) = (self.number(), self.counted());
        if distance < turn {
            let least = at_least(turn);
            return Some(format!("too short to turn back at max_speed: v²/a + 2·v·dt = {least} u{counted}"));
        }
        (distance < lag).then(|| {
            let least = at_least(lag);
            format!("too short for the lag of the turn: v·time_constant/2 + v·dt = {least} u{counted}")
        })
    }

    /// A region needs room to brake or to turn in.
    fn region(&self) -> Option<String> {
        let (needed, formula) = self.margin();
        (self.number() < needed).then(|| format!("too narrow to {formula} = {} u{}", at_least(needed), self.counted()))
    }

    /// The least margin of a region, u, and its formula.
    fn margin(&self) -> (f32, &'static str) {
        let margin = self.number();
        let inner = match self.setting(self.fact.with) {
            Some(Setting::Vector(size)) => (0.5 * size.x - margin).max(0.0),
            _ => 0.0,
        };
        let way = |r: &Response| r.speed * r.dt + r.way_before_turn();
        let around = |r: &Response| r.turn() + inner.hypot(r.turn()) - inner + way(r);
        let responses = self.responses(Asks::Share);
        match self.fact.need {
            Need::Brake => (largest(&responses, Response::stop), "brake within: v²/2a + v·dt"),
            Need::Corner => {
                (largest(&responses, |r| 2.0 * r.turn() + way(r)), "turn within in a corner: 2·v²/a + v·dt")
            }
            _ => (largest(&responses, around), "turn within: r + √(c² + r²) - c + v·dt, r = v²/a"),
        }
    }

    /// The extent of a region must be more than twice its margin, so that something is left inside.
    fn inside(&self) -> Option<(f32, String)> {
        let Some(Setting::Vector(size)) = self.setting(self.fact.parameter) else { return None };
        let margin = self.with();
        let axes = if self.fact.need == Need::Across { 1 } else { 2 + usize::from(self.scene.world.spatial) };
        let axis = (0..axes).find(|axis| size[*axis] <= 2.0 * margin)?;
        let least = at_least(2.0 * margin);
        Some((size[axis], format!("the margin leaves nothing of the region; use more than {least} u")))
    }

    /// An agent that meets a boundary head-on has to stop there, which a least speed prevents.
    fn standstill(&self) -> Option<(f32, String)> {
        let (choice, word) = self.other();
        let message = format!(
            "an agent cannot brake below this speed, so it leaves the region of `{}` where it meets the boundary \
             head-on; use 0, or {choice} = \"{word}\"",
            self.behavior.spec.name
        );
        (self.species.min_speed > 0.0).then_some((self.species.min_speed, message))
    }

    /// The parameter of the need's last condition, and its first word with which the need does not hold.
    fn other(&self) -> (&'static str, &'static str) {
        let last = self.fact.when.last().map(|when| (when, &self.behavior.spec.parameters[when.parameter]));
        last.map_or(("", ""), |(when, parameter)| {
            let word = match parameter.range {
                Range::Choice(words) => words.iter().enumerate().find(|(index, _)| (*index == when.word) != when.is),
                _ => None,
            };
            (parameter.name, word.map_or("", |(_, word)| word))
        })
    }

    /// The time in which a speed to one side is lost, s: the lag of the steering, or 2 v/a where the force is the limit.
    fn sideways(&self) -> Option<String> {
        let lost =
            |r: &Response| r.lag.max(2.0 * r.speed / r.acceleration).max(r.speed / r.lateral) + r.delay + r.spin_up;
        let (responses, given) = (self.responses(Asks::Velocity), self.number());
        let (needed, what) = match self.fact.need {
            Need::Sideways => {
                (largest(&responses, lost), ["too short to turn back on the path: max(time_constant, 2·v/a)", "s"])
            }
            _ => {
                let way = largest(&responses, |r| r.speed * lost(r));
                (way, ["the wall may be hit: v·max(time_constant, 2·v/a)", "u"])
            }
        };
        let [what, unit] = what;
        (given < needed).then(|| format!("{what} = {} {unit}{}", at_least(needed), self.counted()))
    }

    /// Full acceleration toward a target never takes away the speed across the way.
    fn circle(&self) -> Option<String> {
        let turn = largest(&self.responses(Asks::Share), |r| r.turn() + r.way_before_turn());
        let (least, counted) = (at_least(turn), self.counted());
        if self.fact.need == Need::Circle {
            let (choice, word) = self.named(self.fact.parameter);
            let message = format!(
                "a target nearer than v²/a = {least} u is circled and never reached; use {choice} = \"{word}\"{counted}"
            );
            return (turn > 0.0).then_some(message);
        }
        let (choice, word) = self.other();
        let or = if word.is_empty() { String::new() } else { format!(", or {choice} = \"{word}\"") };
        let message =
            format!("a target nearer than v²/a is circled and never reached; use at least {least} u{or}{counted}");
        (self.number() < turn).then_some(message)
    }

    /// A place that is nearer than half of a step is stepped over.
    fn stride(&self) -> Option<String> {
        let way = 0.5 * self.species.top_speed() * self.scene.dt;
        let message = format!("an agent steps over its waypoint; use at least v·dt/2 = {} u", at_least(way));
        (self.number() < way).then_some(message)
    }

    /// From full angular speed, an angular behavior comes to rest within ω²/2α plus the angle that it turns before it brakes, and with a
    /// lag of T within 4 ω T.
    fn turn(&self) -> Option<String> {
        let (species, behavior, dt) = (self.species, self.behavior, self.scene.dt);
        // By `variation` some agents are faster, and by `update_every` a turn is held between two steps that steer.
        let speed = species.vehicle.max_angular_speed?;
        let speed = speed + species.variation.farthest() * species.variation.max_angular_speed;
        let step = dt * species.update_every as f32;
        let hold = if species.update_every > 1 { step } else { 0.0 };
        let share = acting_states(species, behavior).map(|state| behavior.state_weights[state]).reduce(f32::min);
        let weight = share.map(|share| share * weights(species, behavior)[0]).filter(|weight| *weight > 0.0)?;
        let limit = if behavior.limit > 0.0 { (weight * behavior.limit).to_degrees() } else { f32::INFINITY };
        let strongest = angular_acceleration(species).min(limit);
        let time = self.with().max(step) / weight + hold;
        let (angle, delay) = (self.number(), time + dt);
        let needed = (speed * speed / (2.0 * strongest) + speed * delay).max(4.0 * speed * time);
        (angle < needed).then(|| {
            let slower = 2.0 * angle / (delay + (delay * delay + 2.0 * angle / strongest).sqrt());
            format!(
                "will turn too far; use at least max(ω²/2α + ω·(T + dt), 4·ω·T) = {} degrees, T = {} s, or a \
                 max_angular_speed of {}",
                at_least(needed),
                at_least(time),
                at_most(slower.min(angle / (4.0 * time)))
            )
        })
    }

    /// Where six bodies touch one, they swing against each other at ω = √(6 stiffness) at most, and time steps up to 2/ω can follow that.
    /// Their friction grows with the overlap, which is taken as that under the pressure of ten agents that want to walk.
    fn contact(&self) -> Option<String> {
        let [_, weight] = weights(self.species, self.behavior);
        let (stiffness, friction, dt) = (weight * self.number(), weight * self.with(), self.scene.dt);
        let [shortest, ..] = self.scene.time_constants(self.species);
        let overlap = (10.0 * self.species.top_speed() / shortest / stiffness).min(self.species.largest_radius());
        let longest = (2.0 / (6.0 * stiffness).sqrt()).min(2.0 / (6.0 * friction * overlap));
        (dt > longest).then(|| {
            format!(
                "bodies that touch will be thrown apart; use a dt of at most {} s, or less stiffness and friction",
                at_most(longest)
            )
        })
    }

    fn heading(&self) -> Option<(f32, String)> {
        match self.setting(self.fact.parameter)? {
            Setting::Target(Target::Point(point)) => {
                Some((point.x, "a point has no heading, and does not turn".into()))
            }
            Setting::Target(Target::Mouse) => {
                Some((self.scene.mouse.x, "the mouse has no heading, and does not turn".into()))
            }
            _ => None,
        }
    }

    fn map(&self) -> Option<String> {
        self.scene.map.is_none().then(|| "there are no walls: add a [map]".to_owned())
    }

    fn obstacles(&self) -> Option<(f32, String)> {
        let none = self.scene.scenery.obstacles.is_empty() && self.scene.map.is_none();
        none.then(|| (self.behavior.weight, "there are no obstacles and no walls: add [[obstacles]] or a [map]".into()))
    }
}
