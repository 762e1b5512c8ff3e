//! What is allowed in a scene and will hardly do what its author wants, with the number that would be right.

use super::error::plain;
use super::{
    Behavior, BehaviorKind, Boundary, Combine, Condition, Facing, ForwardAcceleration, Ground, Locomotion,
    ObstacleShape, Scene, SeenFrom, Setting, Species, Target,
};
use response::{Asks, Response, angular_acceleration, counted, largest, weights, widest};
use std::fmt;

mod response;

/// More candidates than this for each agent are a matter of seconds for every step.
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
    /// What is allowed and will hardly do what its author wants. The laws behind the numbers are in the documentation of
    /// the behaviors.
    pub fn lint(&self) -> Vec<Lint> {
        let mut lints = self.spreading().into_iter().collect::<Vec<_>>();
        for (index, species) in self.species.iter().enumerate().filter(|(_, s)| s.count > 0) {
            let mut found = Found { prefix: format!("species.{index}"), lints: &mut lints };
            self.pace(species, &mut found);
            self.perception(species, &mut found);
            self.arrival(species, &mut found);
            self.springs(species, &mut found);
            self.late_braking(species, &mut found);
            self.clearance(species, &mut found);
            self.encounters(species, &mut found);
            self.chases(species, &mut found);
            self.sideways(species, &mut found);
            self.circles(species, &mut found);
            braking(species, &mut found);
            self.walls(species, &mut found);
            chatter(species, &mut found);
            loads(species, &mut found);
            facing(species, &mut found);
            turning(self.dt, species, &mut found);
            idle(species, &mut found);
            forceless(species, &mut found);
            overdrive(species, &mut found);
            self.objects(species, index, &mut found);
            self.foraging(species, &mut found);
            self.trails(species, &mut found);
        }
        lints
    }

    /// A step of the steering of 2 time constants or more makes the velocity swing ever wider. A weight shortens them.
    fn pace(&self, species: &Species, found: &mut Found) {
        let step = self.dt * species.update_every as f32;
        let [shortest, tau, _] = self.time_constants(species);
        // These want a velocity only here and there.
        let at_times = ["target_speed", "boundary_walls", "path_following", "stay_on_path", "wall_following"];
        let wants = |b: &&Behavior| wants_velocity(b) || b.is_active() && at_times.contains(&b.spec.name);
        let single = species.behaviors.iter().filter(wants).map(|b| weights(species, b)[1]).fold(1.0, f32::max);
        let gain = match (species.combine, species.vehicle.locomotion) {
            // Of a length that the weight alone decides; and at once, of which `overdrive` speaks.
            (Combine::Normalized, _) | (_, Locomotion::Kinematic) => 1.0,
            (Combine::Weighted, _) => heaviest(species).map_or(single, |(sum, _)| sum.max(single)),
            _ => single,
        };
        if gain * step / shortest > 2.0 {
            let whose = if shortest < tau { "of some agents " } else { "" };
            let steps = if species.update_every > 1 { "update_every · dt" } else { "dt" };
            let times = if gain > 1.0 { " times the weights of what wants a velocity" } else { "" };
            let least = at_least(gain * step);
            let or = if gain > 1.0 { "" } else { ", or 0 for just that" };
            let message = format!(
                "{whose}shorter than half of {steps}{times} = {least} s: a desired velocity is missed by more in every step; at least {least}{or}",
            );
            found.add("time_constant", species.time_constant, message);
        }
    }

    fn perception(&self, species: &Species, found: &mut Found) {
        // It looks around when it steers.
        let (speed, time) = (species.top_speed(), self.dt * species.update_every as f32);
        let stride = speed * time;
        for (spec, behavior) in species.described().filter(|(_, b)| b.is_active()) {
            let number = |name| spec.parameters.iter().position(|p| p.name == name).map(|_| behavior.number(name));
            if let Some(radius) = number("perception_radius") {
                let key = format!("behaviors.{}.perception_radius", spec.name);
                if radius == 0.0 {
                    found.add(&key, radius, "nobody is perceived: more than 0, or leave the behavior out".into());
                } else if self.agents_within(radius) > MANY {
                    let message = format!(
                        "about {} agents are within it, and each agent looks at all of them in every step: a step takes long, and a software driver gives up",
                        self.agents_within(radius)
                    );
                    found.add(&key, radius, message);
                } else if stride > radius {
                    let message = format!(
                        "an agent flies {} u before it looks again and passes others unseen; a dt of {} s or less would do",
                        at_least(stride),
                        at_most(radius / speed / species.update_every as f32)
                    );
                    found.add(&key, radius, message);
                }
            }
            if let Some(view) = number("field_of_view").filter(|view| *view == 0.0) {
                let key = format!("behaviors.{}.field_of_view", spec.name);
                found.add(&key, view, "nobody is in view: up to 360 degrees".into());
            }
        }
    }

    /// How many agents are within a radius, u, if they are spread over the world.
    pub fn agents_within(&self, radius: f32) -> u32 {
        let axes = if self.world.spatial { 3 } else { 2 };
        let share = |axis: usize| (2.0 * f64::from(radius) / f64::from(self.world.size[axis])).min(1.0);
        ((0..axes).map(share).product::<f64>() * f64::from(self.agent_count())) as u32
    }

    /// The two thresholds of arrival: the braking distance after a step and the lag of the steering, and critical damping.
    fn arrival(&self, species: &Species, found: &mut Found) {
        let keeps_speed = species.vehicle.locomotion == Locomotion::TurnFirst
            && species.vehicle.forward_acceleration == ForwardAcceleration::Constant;
        for (spec, behavior) in species.described().filter(|(_, behavior)| self.slows_down(behavior)) {
            let (key, radius) = (format!("behaviors.{}.slow_radius", spec.name), behavior.number("slow_radius"));
            // Does the behavior end at rest? Behind a leader it seldom does.
            let rests = !["leader_following", "offset_pursuit"].contains(&spec.name);
            let responses = self.responses(species, behavior, Asks::Velocity);
            let stop = largest(&responses, |r| r.stop() + if rests { r.speed * r.lag } else { 0.0 });
            let damped = largest(&responses, |r| if rests { r.damped() } else { 0.0 });
            // The speed falls as the distance does, and so does the turn; who may brake to turn needs no room for it.
            let circled = if keeps_speed { largest(&responses, |r| r.turn() + r.before()) } else { 0.0 };
            let counted = counted(species, behavior);
            if radius < stop {
                let message = format!(
                    "will overshoot: braking from max_speed takes v²/2a + v·(dt + time_constant) = {} u{counted}",
                    at_least(stop)
                );
                found.add(&key, radius, message);
            } else if radius < damped {
                let or = if counted.is_empty() {
                    format!(", or a time_constant of {} s at most", at_most(radius / (4.0 * species.max_speed)))
                } else {
                    counted
                };
                let message =
                    format!("will overshoot: at least 4·max_speed·time_constant = {} u{or}", at_least(damped));
                found.add(&key, radius, message);
            } else if radius < circled {
                let message = format!(
                    "will circle its target: keeping its speed, it turns within max_speed/max_angular_speed = {} u{counted}",
                    at_least(circled)
                );
                found.add(&key, radius, message);
            }
        }
    }

    /// In the form `offset` the speed falls in proportion to the way from one second before the target on, as within a slow radius.
    fn springs(&self, species: &Species, found: &mut Found) {
        for name in ["seek", "pursuit"] {
            let offset = |chase: &&Behavior| chase.number("form") == 2.0;
            let Some(chase) = species.active_behavior(name).filter(offset) else { continue };
            let responses = self.responses(species, chase, Asks::Velocity);
            let needed = largest(&responses, |r| (r.stop() + r.speed * r.lag).max(r.damped()) / r.speed);
            if needed > 1.0 {
                let message = format!(
                    "will swing about its target: the speed falls from 1 s before it on, and needs {} s for it{}",
                    at_least(needed),
                    counted(species, chase)
                );
                found.add(&format!("behaviors.{name}.form"), 2.0, message);
            }
        }
    }

    /// Braking at full force, as late as the time constant allows, leaves no time for any other lag.
    fn late_braking(&self, species: &Species, found: &mut Found) {
        let Some(arrive) = species.active_behavior("arrive").filter(|arrive| arrive.number("ramp") == 1.0) else {
            return;
        };
        let responses = self.responses(species, arrive, Asks::Velocity);
        let late = |r: &Response| r.delay > 0.0 || r.lag > r.foreseen || r.acceleration < r.strongest;
        if responses.iter().any(late) {
            let needed = largest(&responses, |r| r.damped().max(r.stop() + r.speed * r.lag));
            let message = format!(
                "will overshoot: it brakes at max_force, as late as time_constant alone allows; ramp = \"linear\" and a \
                 slow_radius of {} u would do{}",
                at_least(needed),
                counted(species, arrive)
            );
            found.add("behaviors.arrive.ramp", 1.0, message);
        }
    }

    /// Is it active, and does it slow down within a radius?
    fn slows_down(&self, behavior: &Behavior) -> bool {
        let is_open = || match behavior.setting("path") {
            Setting::Path(path) => self.scenery.paths.get(path as usize).is_some_and(|path| !path.closed),
            _ => false,
        };
        behavior.is_active()
            && match behavior.spec.name {
                "arrive" => behavior.number("ramp") == 0.0,
                "path_following" => is_open() && behavior.number("end") == 0.0,
                "waypoint_following" => is_open(),
                // A fly-by does not slow down.
                "offset_pursuit" => behavior.number("mode") == 0.0,
                _ => behavior.spec.parameters.iter().any(|parameter| parameter.name == "slow_radius"),
            }
    }

    /// Behaviors whose obstacles or targets do not exist, targets without a heading, and waypoints that are stepped
    /// over.
    fn objects(&self, species: &Species, index: usize, found: &mut Found) {
        for (spec, behavior) in species.described().filter(|(_, behavior)| behavior.is_active()) {
            let key = |name: &str| format!("behaviors.{}.{name}", spec.name);
            let seeks_walls = ["obstacle_avoidance", "whiskers", "wall_following"].contains(&spec.name);
            if seeks_walls && self.scenery.obstacles.is_empty() {
                found.add(&key("weight"), behavior.weight, "there is nothing to meet: add [[obstacles]]".into());
            }
            for (parameter, setting) in spec.parameters.iter().zip(&behavior.parameters) {
                let Setting::Target(target) = *setting else { continue };
                let wants_heading = ["align", "angular_velocity_matching"].contains(&spec.name);
                let (value, message) = match target {
                    Target::Leader(leader) if leader as usize == index => {
                        (leader as f32, "never found: the leader of a leader is itself; name another species")
                    }
                    Target::Agent(id) if id >= self.agent_count() => (id as f32, "never found: there are fewer agents"),
                    Target::Point(point) if wants_heading => (point.x, "a point has no heading, and does not turn"),
                    Target::Mouse if wants_heading => (self.mouse.x, "the mouse has no heading, and does not turn"),
                    _ => continue,
                };
                found.add(&key(parameter.name), value, message.into());
            }
        }
        let reach = species.active_behavior("waypoint_following").map(|behavior| behavior.number("reach"));
        let way = 0.5 * species.top_speed() * self.dt;
        if let Some(reach) = reach.filter(|reach| *reach < way) {
            let least = at_least(way);
            let message = format!("an agent steps over its waypoint: at least v·dt/2 = {least} u");
            found.add("behaviors.waypoint_following.reach", reach, message);
        }
    }

    /// A full turn to the side clears an obstacle that is seen from a distance of sqrt(R² + 2 R v²/a).
    fn clearance(&self, species: &Species, found: &mut Found) {
        let Some(avoidance) = species.active_behavior("obstacle_avoidance") else { return };
        let solid = self.scenery.obstacles.iter().filter(|o| o.seen_from != SeenFrom::Inside);
        let body = widest(species);
        // A box counts as the sphere around it. A plane has no other side to pass it on.
        let radius = |shape: &ObstacleShape| match shape {
            ObstacleShape::Sphere { radius } => Some(*radius + body),
            ObstacleShape::Box { size } => Some(0.5 * size.length() + body),
            ObstacleShape::Capsule { length, radius } => Some(0.5 * length + radius + body),
            ObstacleShape::Plane { .. } => None,
        };
        let Some(widest) = solid.filter_map(|o| radius(&o.shape)).reduce(f32::max) else { return };
        let (time, least) = (avoidance.number("look_ahead_time"), avoidance.number("min_look_ahead"));
        let responses = self.responses(species, avoidance, Asks::Share);
        let needed = |r: &Response| (widest * widest + 2.0 * widest * r.turn()).sqrt() + r.before();
        let short = |r: &&Response| (r.speed * time).max(least) < needed(r);
        if let Some(worst) =
            responses.iter().filter(short).max_by(|a, b| (needed(a) / a.speed).total_cmp(&(needed(b) / b.speed)))
        {
            let message = format!(
                "too short to clear an obstacle of {} u at max_speed: sqrt(R² + 2·R·v²/a) = {} u, {} s{}",
                at_least(widest),
                at_least(needed(worst)),
                at_least(needed(worst) / worst.speed),
                counted(species, avoidance)
            );
            found.add("behaviors.obstacle_avoidance.look_ahead_time", time, message);
        }
    }

    /// Two agents that perceive each other in time make the room that they need: a T² >= 6 (both radii and the margin).
    fn encounters(&self, species: &Species, found: &mut Found) {
        let Some(avoidance) = species.active_behavior("unaligned_avoidance") else { return };
        let seen = match avoidance.setting("perceives") {
            Setting::Species(Some(mask)) => mask,
            _ => species.perceives,
        };
        let met = self.species.iter().enumerate().filter(|(row, other)| seen >> row & 1 == 1 && other.count > 0);
        let room =
            widest(species) + met.map(|(_, other)| widest(other)).fold(0.0, f32::max) + avoidance.number("margin");
        let responses = self.responses(species, avoidance, Asks::Share);
        let needed = largest(&responses, |r| (6.0 * room / r.across).sqrt() + r.delay + r.spin_up);
        let time = avoidance.number("time_horizon");
        if time < needed {
            let message = format!(
                "too late to make {} u of room: √(6·room/a) = {} s, with both radii and the margin{}",
                at_least(room),
                at_least(needed),
                counted(species, avoidance)
            );
            found.add("behaviors.unaligned_avoidance.time_horizon", time, message);
        }
    }

    /// A time ahead in proportion to the distance, T = D c, must not put the target beyond where the two would meet.
    fn chases(&self, species: &Species, found: &mut Found) {
        for name in ["pursuit", "evasion"] {
            let Some(chase) = species.active_behavior(name).filter(|chase| chase.number("prediction") == 2.0) else {
                continue;
            };
            let faster = match chase.setting("target") {
                Setting::Target(target) => self.speed_of(target),
                _ => None,
            };
            // The speed of the chasing agent counts: the pursuer's, or the menace's.
            let own = species.top_speed();
            let speed = if name == "pursuit" { own } else { faster.unwrap_or(own) };
            let turning = chase.number("turning");
            if turning * speed > 1.0 {
                let message = format!(
                    "predicts farther ahead than the {} u/s of the hunter need: at most {} s/u, or 0",
                    plain(speed),
                    at_most(1.0 / speed)
                );
                found.add(&format!("behaviors.{name}.turning"), turning, message);
            }
        }
    }

    /// The greatest speed of what a target names, where that is a species' own.
    fn speed_of(&self, target: Target) -> Option<f32> {
        let row = match target {
            Target::Leader(row) => row as usize,
            Target::Nearest { species, .. } => (0..self.species.len()).find(|row| species >> row & 1 == 1)?,
            Target::Agent(id) => {
                let mut end = 0;
                let past = |species: &Species| {
                    end += species.count;
                    id < end
                };
                self.species.iter().position(past)?
            }
            _ => return None,
        };
        self.species.get(row).map(Species::top_speed)
    }

    /// A search of the ground ends after some cells, however far the agent would see.
    fn foraging(&self, species: &Species, found: &mut Found) {
        let (Some(ground), Some(forage)) = (self.ground, species.active_behavior("forage")) else { return };
        let (reach, longest) = (Ground::reach(self.world.spatial), self.world.size.max_element());
        let wraps = self.world.boundary.iter().all(|boundary| *boundary == Boundary::Wrap);
        // The number of cells at which all are within reach.
        let all = if wraps { 2 * reach + 1 } else { reach + 1 };
        let radius = forage.number("search_radius");
        let searched = reach as f32 * longest / ground.resolution as f32;
        if radius > searched && ground.resolution > all {
            let coarser = ((reach as f32 * longest / radius) as u32).max(all);
            let message = format!(
                "only {} u are searched, {reach} cells of the ground to each side: at most that, or ground.resolution = {coarser}",
                at_most(searched)
            );
            found.add("behaviors.forage.search_radius", radius, message);
        }
    }

    /// A trail that has to go farther in a step than to the next cell.
    fn spreading(&self) -> Option<Lint> {
        let ground = self.ground.filter(|_| self.species.iter().any(|s| s.count > 0 && s.deposit > 0.0))?;
        let fastest = ground.fastest_spread(&self.world, self.dt) as f32;
        let message = format!(
            "spreads by {} u²/s only, all that cells of this size can give away in a step: a lower resolution, or a shorter dt",
            at_most(fastest)
        );
        let lint = Lint { key: "ground.trail_spread".to_owned(), value: ground.trail_spread, message };
        (ground.trail_spread > fastest).then_some(lint)
    }

    /// Trails that nobody lays.
    fn trails(&self, species: &Species, found: &mut Found) {
        let lays = |species: &Species| species.count > 0 && species.deposit > 0.0;
        if let Some(follows) = species.active_behavior("follow_trail").filter(|_| !self.species.iter().any(lays)) {
            let message = "there is no trail to follow: give a species a deposit".into();
            found.add("behaviors.follow_trail.weight", follows.weight, message);
        }
    }

    /// An agent needs v²/a in front of a wall, to be pushed back by what grows to full force or to turn by force alone.
    fn walls(&self, species: &Species, found: &mut Found) {
        let contained = self.world.boundary.contains(&Boundary::Contain);
        // A wall of the world pushes in every step.
        let states = (0..species.states.len().max(1)).map(|state| self.ability(species, state));
        // It grows from nothing to full force, and so does half of the work of that.
        let able = states.filter(|r| r.strongest > 0.0).collect::<Vec<_>>();
        let stop = largest(&able, |r| r.turn() + r.speed * r.dt);
        if contained && self.world.margin < stop {
            let message = format!(
                "{} are too fast to turn back within it and hit the wall: v²/a + v·dt = {} u",
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
                "{} % of the world lies within it, where everybody feels the wall: a larger world, or a smaller margin",
                (100.0 * share).round()
            );
            found.whole("world.margin", self.world.margin, message);
        }
        if let Some(walls) = species.active_behavior("boundary_walls") {
            let responses = self.responses(species, walls, Asks::Velocity);
            let turn = largest(&responses, |r| r.turn() + 2.0 * r.speed * r.dt + r.before());
            let lag = largest(&responses, |r| r.speed * (0.5 * r.lag + r.dt) + r.before());
            let (distance, counted) = (walls.number("distance"), counted(species, walls));
            if distance < turn {
                let message =
                    format!("too short to turn back at max_speed: v²/a + 2·v·dt = {} u{counted}", at_least(turn));
                found.add("behaviors.boundary_walls.distance", distance, message);
            } else if distance < lag {
                let message = format!(
                    "too short for the lag of the turn: v·time_constant/2 + v·dt = {} u{counted}",
                    at_least(lag)
                );
                found.add("behaviors.boundary_walls.distance", distance, message);
            }
        }
        if let Some(containment) = species.active_behavior("containment") {
            self.region(species, containment, found);
        }
    }

    /// A region of containment needs room to brake or to turn in, and something within that.
    fn region(&self, species: &Species, containment: &Behavior, found: &mut Found) {
        let number = |name| containment.number(name);
        let Setting::Vector(size) = containment.setting("size") else { return };
        let (round, margin) = (number("shape") == 1.0, number("margin"));
        let inner = (0.5 * size.x - margin).max(0.0);
        let way = |r: &Response| r.speed * r.dt + r.before();
        let around = |r: &Response| r.turn() + inner.hypot(r.turn()) - inner + way(r);
        let responses = self.responses(species, containment, Asks::Share);
        let (needed, formula) = match (number("mode") == 0.0, round) {
            (true, _) => (largest(&responses, Response::stop), "brake within: v²/2a + v·dt"),
            (false, false) => {
                (largest(&responses, |r| 2.0 * r.turn() + way(r)), "turn within in a corner: 2·v²/a + v·dt")
            }
            (false, true) => (largest(&responses, around), "turn within: r + √(c² + r²) - c + v·dt, r = v²/a"),
        };
        if margin < needed {
            let message = format!("too narrow to {formula} = {} u{}", at_least(needed), counted(species, containment));
            found.add("behaviors.containment.margin", margin, message);
        }
        let axes = if round { 1 } else { 2 + usize::from(self.world.spatial) };
        if let Some(axis) = (0..axes).find(|axis| size[*axis] <= 2.0 * margin) {
            let least = at_least(2.0 * margin);
            let message = format!("nothing of the region is left inside the margin: more than {least} u");
            found.add("behaviors.containment.size", size[axis], message);
        }
    }

    /// The time in which a speed to one side is lost, s: the lag of the steering, or 2 v/a where the force is the limit.
    fn sideways(&self, species: &Species, found: &mut Found) {
        let lost =
            |r: &Response| r.lag.max(2.0 * r.speed / r.acceleration).max(r.speed / r.across) + r.delay + r.spin_up;
        for name in ["path_following", "stay_on_path"] {
            let Some(path) = species.active_behavior(name) else { continue };
            let needed = largest(&self.responses(species, path, Asks::Velocity), lost);
            let time = path.number("prediction_time");
            if time < needed {
                let message = format!(
                    "too short to turn back on the path: max(time_constant, 2·v/a) = {} s{}",
                    at_least(needed),
                    counted(species, path)
                );
                found.add(&format!("behaviors.{name}.prediction_time"), time, message);
            }
        }
        if let Some(walls) = species.active_behavior("wall_following") {
            let needed = largest(&self.responses(species, walls, Asks::Velocity), |r| r.speed * lost(r));
            let distance = walls.number("distance");
            if distance < needed {
                let message = format!(
                    "the wall may be hit: v·max(time_constant, 2·v/a) = {} u{}",
                    at_least(needed),
                    counted(species, walls)
                );
                found.add("behaviors.wall_following.distance", distance, message);
            }
        }
    }

    /// Full acceleration toward a target never takes away the speed across the way.
    fn circles(&self, species: &Species, found: &mut Found) {
        let pulls = |name| species.active_behavior(name).filter(|chase| chase.number("form") == 1.0);
        let circled = |chase| largest(&self.responses(species, chase, Asks::Share), |r| r.turn() + r.before());
        if let Some((pursuit, turn)) =
            pulls("pursuit").map(|chase| (chase, circled(chase))).filter(|(_, turn)| *turn > 0.0)
        {
            let message = format!(
                "a target nearer than v²/a = {} u is circled and never reached: form = \"velocity\" comes there{}",
                at_least(turn),
                counted(species, pursuit)
            );
            found.add("behaviors.pursuit.form", 1.0, message);
        }
        let Some(seek) = pulls("seek").filter(|seek| seek.number("approach") == 0.0) else { return };
        let (turn, radius) = (circled(seek), seek.number("capture_radius"));
        if radius < turn {
            let message = format!(
                "a target nearer than v²/a is circled and never reached: at least {} u, or approach = \"around\"{}",
                at_least(turn),
                counted(species, seek)
            );
            found.add("behaviors.seek.capture_radius", radius, message);
        }
    }
}

/// A world of which more than this share is margin is not what its author has in mind.
const MOSTLY_MARGIN: f32 = 0.75;

/// An agent that meets a boundary head-on has to stop there, which a least speed prevents.
fn braking(species: &Species, found: &mut Found) {
    let brakes = species.active_behavior("containment").is_some_and(|containment| containment.number("mode") == 0.0);
    if brakes && species.min_speed > 0.0 {
        let message = "cannot be braked below it, and leaves the region of `containment` where it meets the boundary head-on: \
                       0, or mode = \"turn\"";
        found.add("min_speed", species.min_speed, message.into());
    }
}

/// Two transitions that lead back and forth at one threshold change the state in every step there.
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
                    "the state will change back and forth: another rule leads the other way at {}; {side} it there would \
                     be a band between them",
                    plain(there.than)
                );
                found.add(&format!("rules.{index}.than"), back.than, message);
            }
        }
    }
}

/// Only `forage` loads an agent.
fn loads(species: &Species, found: &mut Found) {
    let about_loads = |rule: &super::Transition| rule.unloads || rule.when == Condition::LoadAbove;
    if let Some((index, rule)) = species.rules.iter().enumerate().find(|(_, rule)| about_loads(rule))
        && species.active_behavior("forage").is_none()
    {
        let message = "its agents never carry anything: only `forage` loads";
        found.add(&format!("rules.{index}.than"), rule.than, message.into());
    }
}

/// Angular behaviors turn only agents with independent facing.
fn facing(species: &Species, found: &mut Found) {
    let mut acting = species.described().filter(|(_, behavior)| behavior.is_active());
    if species.vehicle.facing == Facing::Velocity
        && let Some((spec, behavior)) = acting.find(|(spec, _)| spec.kind == BehaviorKind::Angular)
    {
        let message = "turns nobody: the heading follows the velocity; vehicle.facing = \"independent\" lets it turn";
        found.add(&format!("behaviors.{}.weight", spec.name), behavior.weight, message.into());
    }
}

/// An angular behavior comes to rest from the full angular speed within ω²/2α and what it turns before it begins to, and with a
/// lag of T within 4 ω T.
fn turning(dt: f32, species: &Species, found: &mut Found) {
    for (spec, behavior) in species.described().filter(|(spec, b)| b.is_active() && spec.kind == BehaviorKind::Angular)
    {
        let slows_down = spec.parameters.iter().any(|parameter| parameter.name == "slow_angle");
        let Some(speed) = species.vehicle.max_angular_speed.filter(|_| slows_down) else { continue };
        // Some are faster, and turning is held between two steps that steer.
        let speed = speed + species.variation.farthest() * species.variation.max_angular_speed;
        let step = dt * species.update_every as f32;
        let hold = if species.update_every > 1 { step } else { 0.0 };
        let acts = |state: &usize| behavior.states >> state & 1 == 1 && behavior.state_weights[*state] > 0.0;
        let share = (0..species.states.len().max(1)).filter(acts).map(|s| behavior.state_weights[s]).reduce(f32::min);
        let Some(weight) = share.map(|share| share * weights(species, behavior)[0]).filter(|weight| *weight > 0.0)
        else {
            continue;
        };
        let limit = if behavior.limit > 0.0 { (weight * behavior.limit).to_degrees() } else { f32::INFINITY };
        let strongest = angular_acceleration(species).min(limit);
        let time = behavior.number("time_to_target").max(step) / weight + hold;
        let (angle, delay) = (behavior.number("slow_angle"), time + dt);
        let needed = (speed * speed / (2.0 * strongest) + speed * delay).max(4.0 * speed * time);
        if angle < needed {
            let message = format!(
                "will turn too far: at least max(ω²/2α + ω·(T + dt), 4·ω·T) = {} degrees, T = {} s, or a max_angular_speed of {}",
                at_least(needed),
                at_least(time),
                at_most(
                    (2.0 * angle / (delay + (delay * delay + 2.0 * angle / strongest).sqrt()))
                        .min(angle / (4.0 * time))
                )
            );
            found.add(&format!("behaviors.{}.slow_angle", spec.name), angle, message);
        }
    }
}

/// Numbers of a vehicle that its locomotion does not read.
fn idle(species: &Species, found: &mut Found) {
    let vehicle = &species.vehicle;
    let (is_point_mass, drives) =
        (vehicle.locomotion == Locomotion::PointMass, vehicle.locomotion == Locomotion::TurnFirst);
    let at_once = "a kinematic body has its desired velocity at once";
    let backward = vehicle.max_reverse_speed.filter(|speed| *speed != species.max_speed).unwrap_or(0.0);
    let numbers = [
        ("linear_drag", vehicle.linear_drag, is_point_mass || drives, at_once),
        ("quadratic_drag", vehicle.quadratic_drag, is_point_mass || drives, at_once),
        ("low_speed", vehicle.low_speed, is_point_mass, "only a point mass is pushed across its heading"),
        ("turn_loss", vehicle.turn_loss, drives, "locomotion = \"turn_first\" reads it"),
        (
            "max_reverse_speed",
            backward,
            drives && vehicle.reverse,
            "locomotion = \"turn_first\" with reverse = \"allow\" reads it",
        ),
    ];
    for (name, value, is_read, why) in numbers {
        if value != 0.0 && !is_read {
            found.add(&format!("vehicle.{name}"), value, format!("does nothing: {why}"));
        }
    }
}

/// The other lints ask for room, and where some have no force no room is enough.
fn forceless(species: &Species, found: &mut Found) {
    let (spread, most) = (species.variation.max_force, species.max_force / species.variation.farthest());
    if most > 0.0 && spread >= most {
        let message = format!("some agents get no force, and never turn: less than {}", at_most(most));
        found.add("variation.max_force", spread, message);
    }
}

/// A kinematic body misses what it wants by 1 - w of the difference in every step, w the sum of the weights.
fn overdrive(species: &Species, found: &mut Found) {
    if species.vehicle.locomotion != Locomotion::Kinematic || species.combine != Combine::Weighted {
        return;
    }
    if let Some((sum, heaviest)) = heaviest(species).filter(|(sum, _)| *sum >= 2.0) {
        let message = format!(
            "a kinematic body misses a velocity by more in every step, because the weights of what wants one add up to \
             {}: less than 2, best 1",
            at_least(sum)
        );
        found.add(&format!("behaviors.{}.weight", heaviest.spec.name), heaviest.weight, message);
    }
}

/// Is it active, and does it want a velocity at any time?
fn wants_velocity(behavior: &Behavior) -> bool {
    let accelerates = ["seek", "pursuit"].contains(&behavior.spec.name) && behavior.number("form") == 1.0;
    behavior.spec.wants_velocity && behavior.is_active() && !accelerates
}

/// The largest sum, in any action state, of the weights of what wants a velocity, and the heaviest of it.
fn heaviest(species: &Species) -> Option<(f32, &Behavior)> {
    let sum = |state: usize| {
        let acting = || species.behaviors.iter().filter(|b| wants_velocity(b) && b.states >> state & 1 == 1);
        let heaviest = acting().max_by(|a, b| a.weight.total_cmp(&b.weight))?;
        Some((acting().map(|b| weights(species, b)[1] * b.state_weights[state]).sum::<f32>(), heaviest))
    };
    (0..32).filter_map(sum).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The least number of three digits that does, where a number has to be reached: rounded to the nearest, it might not be.
fn at_least(number: f32) -> String {
    three_digits(number, 1.0)
}

/// The greatest number of three digits that does, where a number must not be passed.
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

/// Where the warnings of a species go.
struct Found<'a> {
    prefix: String,
    lints: &'a mut Vec<Lint>,
}

impl Found<'_> {
    fn add(&mut self, key: &str, value: f32, message: String) {
        let key = format!("{}.{key}", self.prefix);
        self.lints.push(Lint { key, value, message });
    }

    /// A key that is not of the species.
    fn whole(&mut self, key: &str, value: f32, message: String) {
        self.lints.push(Lint { key: key.to_owned(), value, message });
    }
}

#[cfg(test)]
mod tests {
    use super::{at_least, at_most};
    use crate::scene::dialects::TABLE;
    use crate::scene::{BEHAVIORS, PRESETS, Scene};

    fn keys(lines: &str) -> Vec<String> {
        let world = "world = { size = [200, 200], boundary = \"contain\", margin = 20 }";
        let text =
            format!("schema = 1\ndt = 0.02\n{world}\n[[species]]\ncount = 2\nmax_speed = 10\nmax_force = 20\n{lines}");
        let scene = Scene::parse(&text, "lint.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
        scene.lint().into_iter().map(|lint| lint.key).collect()
    }

    #[test]
    fn presets_have_no_warnings() {
        let lints = |name: &str| Scene::open(name, &[]).unwrap().lint();
        let all = PRESETS
            .iter()
            .flat_map(|preset| lints(preset.name).into_iter().map(|lint| (preset.name, lint.to_string())));
        // `orbits` shows the very thing of which the lint warns: circles without end.
        let (meant, others): (Vec<_>, Vec<_>) =
            all.partition(|(name, lint)| *name == "orbits" && lint.contains("is circled and never reached"));
        assert_eq!(others, []);
        assert_eq!(meant.len(), 3);
    }

    /// Each warning comes just below its threshold, and not above it.
    #[test]
    fn warnings_have_thresholds() {
        let none: [&str; 0] = [];
        let pairs = [
            ("time_constant = 0.0099", "time_constant = 0.0101", "species.0.time_constant"),
            ("time_constant = 0.03\nupdate_every = 4", "time_constant = 0", "species.0.time_constant"),
            (
                "behaviors.separation = { perception_radius = 0.19 }",
                "behaviors.separation = { perception_radius = 0.21 }",
                "species.0.behaviors.separation.perception_radius",
            ),
            (
                "behaviors.cohesion = { perception_radius = 0 }",
                "behaviors.cohesion = { perception_radius = 0, weight = 0 }",
                "species.0.behaviors.cohesion.perception_radius",
            ),
            // v²/2a + v (dt + τ) = 2.8 with a = 20 and v = 10; 4 v τ = 4.
            (
                "time_constant = 0.01\nbehaviors.arrive = { slow_radius = 2.7 }",
                "time_constant = 0.01\nbehaviors.arrive = { slow_radius = 2.9 }",
                "species.0.behaviors.arrive.slow_radius",
            ),
            (
                "time_constant = 0.1\nbehaviors.arrive = { slow_radius = 3.9 }",
                "time_constant = 0.1\nbehaviors.arrive = { slow_radius = 4.1 }",
                "species.0.behaviors.arrive.slow_radius",
            ),
            // v²/a + v dt = 20.2 with a = 5.
            ("mass = 4", "mass = 3.9", "world.margin"),
            (
                "time_constant = 2\nbehaviors.boundary_walls = { distance = 10.1 }",
                "time_constant = 2\nbehaviors.boundary_walls = { distance = 10.3 }",
                "species.0.behaviors.boundary_walls.distance",
            ),
            (
                "behaviors.pursuit = { target = { agent = 1 }, prediction = \"distance\", turning = 0.11 }",
                "behaviors.pursuit = { target = { agent = 1 }, prediction = \"distance\", turning = 0.09 }",
                "species.0.behaviors.pursuit.turning",
            ),
            (
                "behaviors.evasion = { target = { agent = 1 }, prediction = \"distance\", turning = 0.11 }",
                "behaviors.evasion = { target = { agent = 1 }, prediction = \"distance\" }",
                "species.0.behaviors.evasion.turning",
            ),
            // √(6·1.5/20) = 0.671.
            (
                "behaviors.unaligned_avoidance = { time_horizon = 0.66 }",
                "behaviors.unaligned_avoidance = { time_horizon = 0.68 }",
                "species.0.behaviors.unaligned_avoidance.time_horizon",
            ),
            (
                "behaviors.seek = { form = \"acceleration\" }",
                "behaviors.seek = { form = \"acceleration\", approach = \"around\" }",
                "species.0.behaviors.seek.capture_radius",
            ),
            (
                "behaviors.pursuit = { target = { agent = 1 }, form = \"acceleration\" }",
                "behaviors.pursuit = { target = { agent = 1 } }",
                "species.0.behaviors.pursuit.form",
            ),
            // 4 τ = 1 s.
            (
                "time_constant = 0.26\nbehaviors.seek = { form = \"offset\" }",
                "time_constant = 0.24\nbehaviors.seek = { form = \"offset\" }",
                "species.0.behaviors.seek.form",
            ),
            // max(τ, 2 v/a) = 1 s.
            (
                "behaviors.stay_on_path = { path = \"way\", prediction_time = 0.99 }\n[[paths]]\nname = \"way\"\n\
                 points = [[0, 0], [9, 0]]",
                "behaviors.stay_on_path = { path = \"way\", prediction_time = 1.01 }\n[[paths]]\nname = \"way\"\n\
                 points = [[0, 0], [9, 0]]",
                "species.0.behaviors.stay_on_path.prediction_time",
            ),
            (
                "behaviors.wall_following = { distance = 9.9 }\n[[obstacles]]\nshape = \"sphere\"\ncenter = [0, 0]\nradius = 5",
                "behaviors.wall_following = { distance = 10.1 }\n[[obstacles]]\nshape = \"sphere\"\ncenter = [0, 0]\nradius = 5",
                "species.0.behaviors.wall_following.distance",
            ),
            // ω²/2α = 40.5 degrees, ω (T + dt) = 10.8, 4 ω T = 36.
            (
                "behaviors.look_where_you_go = { slow_angle = 51 }\n\
                 vehicle = { facing = \"independent\", max_angular_speed = 90, max_angular_acceleration = 100 }",
                "behaviors.look_where_you_go = { slow_angle = 52 }\n\
                 vehicle = { facing = \"independent\", max_angular_speed = 90, max_angular_acceleration = 100 }",
                "species.0.behaviors.look_where_you_go.slow_angle",
            ),
            (
                "behaviors.follow_trail = {}\n[ground]",
                "deposit = 100\nbehaviors.follow_trail = {}\n[ground]",
                "species.0.behaviors.follow_trail.weight",
            ),
            // 64 cells of 200 u / 64 and a step of 0.02 s: 0.25·3.125²/0.02 = 122.07.
            (
                "deposit = 1000\n[ground]\ntrail_spread = 122.1",
                "deposit = 1000\n[ground]\ntrail_spread = 122",
                "ground.trail_spread",
            ),
            (
                "time_constant = 0.01\nbehaviors.interpose = { slow_radius = 2.7 }",
                "time_constant = 0.01\nbehaviors.interpose = { slow_radius = 2.9 }",
                "species.0.behaviors.interpose.slow_radius",
            ),
            (
                "behaviors.containment = { margin = 2.6 }",
                "behaviors.containment = { margin = 2.8 }",
                "species.0.behaviors.containment.margin",
            ),
            (
                // 2 v²/a + v dt = 10.2.
                "behaviors.containment = { mode = \"turn\", margin = 10.1 }",
                "behaviors.containment = { mode = \"turn\", margin = 10.3 }",
                "species.0.behaviors.containment.margin",
            ),
            (
                // c = 50 - 5.4 and r = 5: 5 + sqrt(44.6² + 25) - 44.6 + 0.2 = 5.479.
                "behaviors.containment = { shape = \"sphere\", mode = \"turn\", size = [100, 100], margin = 5.4 }",
                "behaviors.containment = { shape = \"sphere\", mode = \"turn\", size = [100, 100], margin = 5.6 }",
                "species.0.behaviors.containment.margin",
            ),
            (
                "behaviors.containment = { margin = 5, size = [60, 10] }",
                "behaviors.containment = { margin = 5, size = [60, 11] }",
                "species.0.behaviors.containment.size",
            ),
            (
                "behaviors.wall_following = {}",
                "behaviors.wall_following = { weight = 0 }",
                "species.0.behaviors.wall_following.weight",
            ),
            (
                "behaviors.seek = { target = { agent = 2 } }",
                "behaviors.seek = { target = { agent = 1 } }",
                "species.0.behaviors.seek.target",
            ),
            (
                "name = \"a\"\nbehaviors.flee = { target = { leader = \"a\" } }",
                "name = \"a\"\nbehaviors.flee = { target = { nearest = \"a\" } }",
                "species.0.behaviors.flee.target",
            ),
            (
                "behaviors.align = {}\nvehicle = { facing = \"independent\" }",
                "behaviors.align = { target = { agent = 0 } }\nvehicle = { facing = \"independent\" }",
                "species.0.behaviors.align.target",
            ),
            (
                "behaviors.look_where_you_go = {}",
                "behaviors.look_where_you_go = {}\nvehicle = { facing = \"independent\" }",
                "species.0.behaviors.look_where_you_go.weight",
            ),
            (
                "min_speed = 1\nbehaviors.containment = { mode = \"brake\", margin = 9 }",
                "min_speed = 1\nbehaviors.containment = { mode = \"turn\", margin = 11 }",
                "species.0.min_speed",
            ),
            (
                "states = [\"a\", \"b\"]\nrules = [{ from = \"a\", to = \"b\", than = 5 }, \
                 { from = \"b\", to = \"a\", when = \"farther\", than = 5 }]",
                "states = [\"a\", \"b\"]\nrules = [{ from = \"a\", to = \"b\", than = 5 }, \
                 { from = \"b\", to = \"a\", when = \"farther\", than = 6 }]",
                "species.0.rules.1.than",
            ),
            (
                "states = [\"a\", \"b\"]\nrules = [{ to = \"b\", when = \"after\", than = 5, unloads = true }]",
                "states = [\"a\", \"b\"]\nrules = [{ to = \"b\", when = \"after\", than = 5 }]",
                "species.0.rules.0.than",
            ),
            (
                "vehicle = { locomotion = \"kinematic\", linear_drag = 0.1 }",
                "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, linear_drag = 0.1 }",
                "species.0.vehicle.linear_drag",
            ),
            (
                "vehicle = { locomotion = \"kinematic\", quadratic_drag = 0.1 }",
                "vehicle = { quadratic_drag = 0.1 }",
                "species.0.vehicle.quadratic_drag",
            ),
            (
                "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, low_speed = 1 }",
                "vehicle = { low_speed = 1 }",
                "species.0.vehicle.low_speed",
            ),
            (
                "vehicle = { turn_loss = 0.1 }",
                "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, turn_loss = 0.1 }",
                "species.0.vehicle.turn_loss",
            ),
            (
                "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, max_reverse_speed = 1 }",
                "vehicle = { locomotion = \"turn_first\", max_angular_speed = 90, reverse = \"allow\", max_reverse_speed = 1 }",
                "species.0.vehicle.max_reverse_speed",
            ),
            (
                "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 1.1 }\nbehaviors.wander = { weight = 0.9 }",
                "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 1.1 }\nbehaviors.wander = { weight = 0.89 }",
                "species.0.behaviors.seek.weight",
            ),
            (
                "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 2 }",
                "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 2, form = \"acceleration\", capture_radius = 6 }",
                "species.0.behaviors.seek.weight",
            ),
            // One that wants the way itself wants a velocity.
            (
                "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 2, form = \"offset\" }",
                "vehicle.locomotion = \"kinematic\"\nbehaviors.seek = { weight = 1.9, form = \"offset\" }",
                "species.0.behaviors.seek.weight",
            ),
        ];
        let sphere = "[[obstacles]]\nshape = \"sphere\"\ncenter = [0, 0]\nradius = 5";
        let avoid =
            |lines: &str, time: f32| format!("{lines}\nbehaviors.unaligned_avoidance = {{ time_horizon = {time} }}");
        let arrive = |lines: &str, weight: f32, radius: f32| {
            format!("{lines}\nbehaviors.arrive = {{ weight = {weight}, slow_radius = {radius} }}")
        };
        let clear = |time: f32| {
            format!(
                "vehicle.max_angular_speed = 90\nbehaviors.obstacle_avoidance = {{ look_ahead_time = {time} }}\n{sphere}"
            )
        };
        let horizon = "species.0.behaviors.unaligned_avoidance.time_horizon";
        let slow = "species.0.behaviors.arrive.slow_radius";
        let circles = |turn: f32| {
            format!(
                "vehicle = {{ locomotion = \"turn_first\", max_angular_speed = {turn}, forward_acceleration = \"constant\" }}\nbehaviors.arrive = {{}}"
            )
        };
        let turning = |angle: f32, lines: &str| {
            format!(
                "behaviors.look_where_you_go = {{ slow_angle = {angle} }}\n\
                 vehicle.facing = \"independent\"\nvehicle.max_angular_speed = 90\n{lines}"
            )
        };
        let spread = "vehicle.max_angular_acceleration = 200\nvariation.max_angular_acceleration = 100";
        let torques = "vehicle.max_torque = 4\nvehicle.moment_of_inertia = 1.3\n\
                       variation = { max_torque = 1, moment_of_inertia = 0.4189 }";
        let slow_angle = "species.0.behaviors.look_where_you_go.slow_angle";
        let counted = [
            // v (τ/2w + dt) = 12.7.
            (
                "time_constant = 0.5\nbehaviors.boundary_walls = { weight = 0.2, distance = 12.6 }".to_owned(),
                "time_constant = 0.5\nbehaviors.boundary_walls = { weight = 0.2, distance = 12.8 }".to_owned(),
                "species.0.behaviors.boundary_walls.distance",
            ),
            // Where all are of unit length, the weight is the acceleration: v²/2w + v dt = 10.2.
            (arrive("combine = \"normalized\"", 5.0, 10.1), arrive("combine = \"normalized\"", 5.0, 10.3), slow),
            // A behavior that is drawn in four steps of five: 100/32 + 10 (0.02 + 0.01/0.8) = 3.45.
            (
                arrive("combine = \"dithered\"\ntime_constant = 0.01", 1.0, 3.4),
                arrive("combine = \"dithered\"\ntime_constant = 0.01", 1.0, 3.5),
                slow,
            ),
            // A kinematic body comes nearer by a fifth in a step: 4 v (5 dt - dt) = 3.2.
            (
                arrive("vehicle.locomotion = \"kinematic\"", 0.2, 3.1),
                arrive("vehicle.locomotion = \"kinematic\"", 0.2, 3.3),
                slow,
            ),
            // v/ω = 20.
            (circles(28.0), circles(29.0), slow),
            (
                "smoothing_time = 0.1\nbehaviors.arrive = { ramp = \"square_root\" }".to_owned(),
                "behaviors.arrive = { ramp = \"square_root\" }".to_owned(),
                "species.0.behaviors.arrive.ramp",
            ),
            // √(6·1.5/20) = 0.671, and with half of the force 0.949.
            (avoid("smoothing_time = 0.3", 0.96), avoid("smoothing_time = 0.3", 0.98), horizon),
            (avoid("update_every = 5", 0.76), avoid("update_every = 5", 0.78), horizon),
            (
                "variation.max_force = 20".to_owned(),
                "variation.max_force = 10".to_owned(),
                "species.0.variation.max_force",
            ),
            (avoid("variation.max_force = 10", 0.94), avoid("variation.max_force = 10", 0.96), horizon),
            (
                avoid("states = [\"a\", \"b\"]\nstate_forces = [1, 0.5]", 0.94),
                avoid("states = [\"a\", \"b\"]\nstate_forces = [1, 0.5]", 0.96),
                horizon,
            ),
            // √(5.5² + 11 v/ω) = 10.01 u.
            (clear(0.99), clear(1.01), "species.0.behaviors.obstacle_avoidance.look_ahead_time"),
            (
                "time_constant = 0.03\nbehaviors.seek = { weight = 3.1 }".to_owned(),
                "time_constant = 0.03\nbehaviors.seek = { weight = 2.9 }".to_owned(),
                "species.0.time_constant",
            ),
            // The same with the greatest weight of any agent, and that of arrive with the least one.
            (
                "time_constant = 0.03\nbehaviors.seek = { weight = 2, weight_spread = 1.1 }".to_owned(),
                "time_constant = 0.03\nbehaviors.seek = { weight = 2, weight_spread = 0.9 }".to_owned(),
                "species.0.time_constant",
            ),
            (
                arrive("combine = \"normalized\"", 10.0, 10.1).replace("10, s", "10, weight_spread = 5, s"),
                arrive("combine = \"normalized\"", 10.0, 10.3).replace("10, s", "10, weight_spread = 5, s"),
                slow,
            ),
            // As above, with half of the angular acceleration: 3/1.719 rad/s² are 100 degrees/s².
            (turning(51.0, spread), turning(52.0, spread), slow_angle),
            (turning(51.0, torques), turning(52.0, torques), slow_angle),
        ];
        let counted = counted.iter().map(|(wrong, right, key)| (&**wrong, &**right, *key));
        // 16 cells of 200 u / 64 are 50 u, and the world has an end at each side.
        let ground = |resolution: u32, radius: u32| {
            format!(
                "behaviors.forage = {{ slow_radius = 15, search_radius = {radius} }}\n[ground]\nresolution = {resolution}"
            )
        };
        let foraging = [ground(64, 51), ground(64, 50), ground(18, 190), ground(17, 190)];
        let key = "species.0.behaviors.forage.search_radius";
        let foraging = [(&*foraging[0], &*foraging[1], key), (&*foraging[2], &*foraging[3], key)];
        for (wrong, right, key) in pairs.into_iter().chain(foraging).chain(counted) {
            assert_eq!(keys(wrong), [key], "{wrong}");
            assert_eq!(keys(right), none, "{right}");
        }
    }

    /// A dialect's defaults are what was published: where that does not do what it says, the lint tells, and here it is named.
    #[test]
    fn defaults_of_dialects_pass_the_lints_but_for_these() {
        const PUBLISHED: &[(&str, &[&str])] = &[
            // Its time constant of 1 s needs 4 s and 40 u to stop in, and prediction over more than 1 s; it has no arrival of its own.
            (
                "opensteer",
                &[
                    "seek.form",
                    "arrive.slow_radius",
                    "pursuit.form",
                    "hide.slow_radius",
                    "formation.slow_radius",
                    "interpose.slow_radius",
                    "path_following.slow_radius",
                    "path_following.prediction_time",
                    "stay_on_path.prediction_time",
                    "waypoint_following.slow_radius",
                    "forage.slow_radius",
                ],
            ),
            // Its pixels: at 180 px/s and as much per second, 90 px to stop in. Of its own are the walls and the path.
            (
                "nature_of_code",
                &[
                    "hide.slow_radius",
                    "offset_pursuit.slow_radius",
                    "formation.slow_radius",
                    "interpose.slow_radius",
                    "leader_following.slow_radius",
                    "wall_following.distance",
                    "containment.margin",
                    "boundary_walls.distance",
                    "path_following.slow_radius",
                    "path_following.prediction_time",
                    "stay_on_path.prediction_time",
                    "waypoint_following.slow_radius",
                    "forage.slow_radius",
                ],
            ),
            // Its seek and its pursuit can orbit.
            ("millington", &["seek.capture_radius", "pursuit.form"]),
            // Its birds never slow down.
            ("netlogo", &["species.0.min_speed"]),
        ];
        let mut warned = Vec::new();
        for dialect in TABLE {
            for spec in BEHAVIORS.iter() {
                let needs = |(name, _): &(&str, &str)| spec.parameters.iter().any(|parameter| parameter.name == *name);
                let keys = [
                    ("target", "target = { agent = 1 }"),
                    ("other", "other = { agent = 1 }"),
                    ("path", "path = \"way\""),
                    ("size", "size = [500, 500]"),
                ];
                let keys = keys.into_iter().filter(needs).map(|(_, key)| key).collect::<Vec<_>>().join(", ");
                let text = format!(
                    "schema = 1\ndialect = \"{}\"\nworld.size = [2000, 2000]\nground = {{ resolution = 200 }}\n\
                     field = {{ source = \"uniform\", speed = 5 }}\n\
                     [[paths]]\nname = \"way\"\npoints = [[0, 0], [90, 0]]\n[[obstacles]]\nshape = \"sphere\"\n\
                     center = [0, 90]\nradius = 5\n[[species]]\ncount = 2\ndeposit = 100\nvehicle = {{ facing = \
                     \"independent\", max_angular_speed = 100, max_angular_acceleration = 1000 }}\n\
                     behaviors.{} = {{ {keys} }}\n",
                    dialect.name, spec.name
                );
                let scene = Scene::parse(&text, "dialect.toml", &[]).unwrap_or_else(|e| panic!("{text}: {e}"));
                let keys = scene.lint().into_iter().map(|lint| lint.key.replace("species.0.behaviors.", ""));
                warned.extend(keys.map(|key| (dialect.name, key)));
            }
        }
        let named = |(dialect, keys): &(&'static str, &[&str])| {
            let dialect = *dialect;
            keys.iter().map(|key| (dialect, (*key).to_owned())).collect::<Vec<_>>()
        };
        let published = PUBLISHED.iter().flat_map(named).collect::<Vec<_>>();
        assert_eq!(warned, published);
    }

    #[test]
    fn a_warning_says_what_would_be_right() {
        let text = "schema = 1\nworld = { size = [200, 200] }\n[[species]]\ncount = 1\nmax_speed = 4\nmax_force = 4\n\
                    time_constant = 0\nbehaviors.arrive = { slow_radius = 1.5 }";
        let lints = Scene::parse(text, "lint.toml", &[]).unwrap().lint();
        let told = lints[0].to_string();
        assert!(told.starts_with("species.0.behaviors.arrive.slow_radius = 1.5: will overshoot"), "{told}");
        // 2 + 4/60 = 2.0667.
        assert!(told.ends_with("= 2.07 u"), "{told}");
    }

    /// Who follows a warning has none any more: numbers are rounded to the side on which they do.
    #[test]
    fn a_warning_that_is_followed_is_gone() {
        for speed in [3.1, 4.0, 5.7, 7.3, 9.9] {
            let lints = |radius: &str| {
                let text = format!(
                    "schema = 1\nworld = {{ size = [200, 200] }}\n[[species]]\ncount = 1\nmax_speed = {speed}\n\
                     max_force = 4\ntime_constant = 0\nbehaviors.arrive = {{ slow_radius = {radius} }}"
                );
                Scene::parse(&text, "lint.toml", &[]).unwrap_or_else(|e| panic!("{e}")).lint()
            };
            let told = lints("0.5")[0].message.clone();
            let right = told.rsplit("= ").next().and_then(|text| text.strip_suffix(" u")).expect("a number");
            assert!(right.chars().filter(char::is_ascii_digit).count() <= 3, "{told}");
            assert_eq!(lints(right), [], "{told}");
            let short: f64 = right.parse::<f64>().expect("a number") - 0.011 * speed;
            assert_eq!(lints(&short.to_string()).len(), 1, "{short} is too short: {told}");
        }
        for (number, least, most) in [
            (12.333_333, "12.4", "12.3"),
            (12.3, "12.3", "12.3"),
            (0.016_666_667, "0.0167", "0.0166"),
            (999.6, "1000", "999"),
        ] {
            assert_eq!((at_least(number), at_most(number)), (least.to_owned(), most.to_owned()));
        }
        assert_eq!((at_least(0.0), at_most(f32::INFINITY)), ("0".into(), "inf".into()));
    }
}
