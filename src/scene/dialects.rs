//! Dialects: the conventions of other systems, as defaults of the keys that a scene does not give.
//!
//! The published systems differ in how a desired velocity becomes an acceleration, and in which form of a behavior they
//! mean. A dialect sets those keys, and only where the file is silent.

use super::tree::{Kind, Node};

words! {
    /// The source of defaults for keys of species that a file does not give.
    pub enum Dialect {
        /// The defaults that the keys themselves have.
        Canonical = "canonical",
        /// Reynolds, 1999.
        Reynolds99 = "reynolds99",
        /// OpenSteer 0.8.
        OpenSteer = "opensteer",
        /// Shiffman, The Nature of Code.
        NatureOfCode = "nature_of_code",
        /// Millington, Artificial Intelligence for Games.
        Millington = "millington",
        /// NetLogo's Flocking model.
        NetLogo = "netlogo",
    }
}

/// The defaults of one dialect.
#[derive(Debug)]
pub struct Defaults {
    /// The word for it.
    pub name: &'static str,
    /// Where the dialect comes from, and what is not taken over, in one line.
    pub summary: &'static str,
    /// Its defaults.
    pub defaults: &'static [Default],
    /// Defaults for the combination of a flock's forces. They hold only for a species in which no behaviors but those of
    /// [`FLOCK`] act, and go before `defaults`.
    pub flock: &'static [Default],
    /// What the published system defines and is not taken over.
    pub left: &'static [Left],
}

/// Something that a published system defines and its dialect does not take over.
#[derive(Debug)]
pub struct Left {
    /// Its name there.
    pub name: &'static str,
    /// What it does, and what this program does instead.
    pub reason: &'static str,
}

/// The behaviors of a flock. The published flocks do not say how forces are combined if other behaviors act too.
pub const FLOCK: [&str; 3] = ["separation", "alignment", "cohesion"];

/// One default of a dialect.
#[derive(Debug)]
pub struct Default {
    /// `KEY` of a species, `vehicle.KEY`, or `BEHAVIOR.KEY`.
    pub key: &'static str,
    /// Its value.
    pub value: Value,
    /// The value or formula that was published, in its units.
    pub published: &'static str,
    /// Where it was published: the section of a paper or book, or the function of a program.
    pub source: &'static str,
}

/// The value of a default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(i64),
    /// A word.
    Word(&'static str),
}

use Value::{Number, Whole, Word};

// Rows of a table, each on a line.
macro_rules! defaults {
    ($($key:literal = $value:expr, $published:literal, $source:literal;)*) => {
        &[$(Default { key: $key, value: $value, published: $published, source: $source }),*]
    };
}

macro_rules! left {
    ($($name:literal: $reason:literal;)*) => {
        &[$(Left { name: $name, reason: $reason }),*]
    };
}

/// Every dialect, in the order of their words.
pub const TABLE: &[Defaults] = &[
    Defaults { name: "canonical", summary: "the defaults of the tables above", defaults: &[], flock: &[], left: &[] },
    Defaults {
        name: "reynolds99",
        summary: "Reynolds, Steering Behaviors For Autonomous Characters (1999): steps without a time, a force per frame",
        defaults: defaults! {
            "time_constant" = Number(0.0), "steering = desired_velocity - velocity, added within one frame", "Seek";
            "cohesion.form" = Word("direction"), "a force in the direction of the average position", "Cohesion";
            "pursuit.prediction" = Word("distance"), "T = D c, with a turning parameter c", "Pursuit";
            "evasion.prediction" = Word("distance"), "as pursuit, away from the prediction", "Evasion";
            "path_following.form" = Word("reynolds"),
                "seek the projection of the predicted position onto the spine", "Path Following";
            "path_following.end" = Word("ignore"), "the same at the end of the spine", "Path Following";
            "flow_field.prediction_time" = Number(0.5),
                "the field at the future position; how far ahead is not said", "Flow Field Following";
        },
        flock: defaults! {
            "combine" = Word("normalized"), "each normalized, scaled by its weight, and added", "Flocking";
        },
        left: left! {
            "Wander": "a displacement in every frame; `wander` turns alike at every time step";
        },
    },
    Defaults {
        name: "opensteer",
        summary: "OpenSteer 0.8: the velocity difference is the force, so that the mass is a time constant in seconds",
        defaults: defaults! {
            "time_constant" = Number(1.0), "force = desired velocity - velocity, mass 1", "steerForSeek";
            "smoothing_time" = Number(0.102_552),
                "acceleration blended by 9 dt, kept within 0.15 to 0.4: 0.15 a frame at 60 Hz", "applySteeringForce";
            "max_speed" = Number(9.0), "9", "Boids, reset";
            "max_force" = Number(27.0), "27", "Boids, reset";
            "separation.weight" = Number(12.0), "separationWeight = 12", "Boids, steerToFlock";
            "separation.perception_radius" = Number(5.0), "separationRadius = 5", "Boids, steerToFlock";
            "separation.field_of_view" = Number(269.982_704),
                "separationAngle = -0.707, cosine of the half angle", "Boids, steerToFlock";
            "separation.inner_radius" = Number(1.5), "always perceived within 3 radii, of 0.5", "inBoidNeighborhood";
            "alignment.weight" = Number(8.0), "alignmentWeight = 8", "Boids, steerToFlock";
            "alignment.perception_radius" = Number(7.5), "alignmentRadius = 7.5", "Boids, steerToFlock";
            "alignment.field_of_view" = Number(91.145_993),
                "alignmentAngle = 0.7, cosine of the half angle", "Boids, steerToFlock";
            "alignment.inner_radius" = Number(1.5), "always perceived within 3 radii, of 0.5", "inBoidNeighborhood";
            "alignment.mode" = Word("heading"), "mean of the forward vectors - own forward vector", "steerForAlignment";
            "cohesion.weight" = Number(8.0), "cohesionWeight = 8", "Boids, steerToFlock";
            "cohesion.perception_radius" = Number(9.0), "cohesionRadius = 9", "Boids, steerToFlock";
            "cohesion.field_of_view" = Number(197.253_854),
                "cohesionAngle = -0.15, cosine of the half angle", "Boids, steerToFlock";
            "cohesion.inner_radius" = Number(1.5), "always perceived within 3 radii, of 0.5", "inBoidNeighborhood";
            "cohesion.form" = Word("direction"), "unit vector to the mean position", "steerForCohesion";
            "seek.form" = Word("offset"), "desired velocity = target - position", "steerForSeek";
            "flee.form" = Word("offset"), "desired velocity = position - target", "steerForFlee";
            "pursuit.form" = Word("offset"), "steerForSeek of the predicted position", "steerForPursuit";
            "evasion.form" = Word("offset"), "steerForFlee from the predicted position", "steerForEvasion";
            "pursuit.prediction" = Word("nine_cases"),
                "time = k D / speed, k by nine cases: ahead, aside, behind x parallel, perpendicular, opposite", "steerForPursuit";
            "evasion.prediction" = Word("target_speed"), "time = D / speed of the menace", "steerForEvasion";
            "path_following.min_progress" = Number(0.0),
                "only agents that go the wrong way, or will leave the path, are turned", "steerToFollowPath";
        },
        flock: defaults! {
            "combine" = Word("normalized"), "each component normalized, weighted and added", "Boids, steerToFlock";
        },
        left: left! {
            "steerForWander":
                "a random walk of the force to the side, by up to 12 dt a step; `wander` is Reynolds' of 1999";
            "adjustRawSteeringForce":
                "below a fifth of the full speed forces are turned to the heading; here they keep their direction";
            "steerToFollowPath, steerToStayOnPath: their seek":
                "by the raw offset; `path_following` and `stay_on_path` want full speed";
            "steerForSeparation": "normalized; here its length counts, but in a flock";
            "steerToAvoidObstacle": "full force to the side; `obstacle_avoidance` asks for what clears it";
            "steerToAvoidNeighbors": "the faster yields, against its own comment; in `unaligned_avoidance` the slower";
            "steerToAvoidCloseNeighbors":
                "pushes the more the farther the other is; `close_neighbor_avoidance` the deeper";
        },
    },
    Defaults {
        name: "nature_of_code",
        summary: "Shiffman, The Nature of Code: pixels and frames at 60 frames per second; the forces of a flock are \
            limited one by one, but their sum has no limit where agents only flock",
        defaults: defaults! {
            "time_constant" = Number(0.0), "steer = desired - velocity, added within one frame", "Vehicle.seek";
            "max_speed" = Number(180.0), "maxspeed = 3 px/frame, at 60 frames a second", "Boid";
            "max_force" = Number(180.0), "maxforce = 0.05 px/frame²", "Boid";
            "radius" = Number(6.0), "triangles of 12 px", "Boid.render";
            "separation.form" = Word("desired"), "Σ d/d² brought to maxspeed, minus the velocity", "Boid.separate";
            "separation.weight" = Number(1.5), "sep.mult(1.5)", "Boid.flock";
            "separation.limit" = Number(180.0), "steer.limit(maxforce)", "Boid.separate";
            "separation.perception_radius" = Number(25.0), "desiredseparation = 25 px", "Boid.separate";
            "separation.field_of_view" = Number(360.0), "all around", "Boid.separate";
            "alignment.mode" = Word("full_speed"), "Σ v brought to maxspeed, minus the velocity", "Boid.align";
            "alignment.limit" = Number(180.0), "steer.limit(maxforce)", "Boid.align";
            "alignment.perception_radius" = Number(50.0), "neighbordist = 50 px", "Boid.align";
            "alignment.field_of_view" = Number(360.0), "all around", "Boid.align";
            "cohesion.form" = Word("seek"), "seek of the mean position", "Boid.cohesion";
            "cohesion.limit" = Number(180.0), "steer.limit(maxforce)", "Boid.seek";
            "cohesion.perception_radius" = Number(50.0), "neighbordist = 50 px", "Boid.cohesion";
            "cohesion.field_of_view" = Number(360.0), "all around", "Boid.cohesion";
            "seek.limit" = Number(180.0), "steer.limit(maxforce)", "Vehicle.seek";
            "arrive.slow_radius" = Number(100.0),
                "within 100 px the speed is mapped from 0 to maxspeed", "Vehicle.arrive";
            "boundary_walls.distance" = Number(25.0), "within 25 px of an edge", "Vehicle.boundaries";
            "path_following.form" = Word("nature_of_code"),
                "seek a point beyond the normal point of the predicted position", "Vehicle.follow";
            "path_following.prediction_time" = Number(25.0 / 180.0),
                "25 px ahead; here at full speed", "Vehicle.follow";
            "path_following.look_ahead_time" = Number(10.0 / 180.0),
                "10 px beyond the normal point; here at full speed", "Vehicle.follow";
            "path_following.end" = Word("ignore"), "the same on the last segment", "Vehicle.follow";
        },
        flock: defaults! {
            "max_force" = Number(1e4), "acceleration = Σ of the forces, without a limit", "Boid.applyForce";
        },
        left: left! {
            "Vehicle.wander":
                "a point 80 px ahead on a circle of 25 px, turned by up to 0.3 rad a frame; `wander` turns alike at every time step";
        },
    },
    Defaults {
        name: "millington",
        summary: "Millington, Artificial Intelligence for Games: full acceleration, a time to target of 0.1 s",
        defaults: defaults! {
            "time_constant" = Number(0.1),
                "acceleration = (target velocity - velocity) / timeToTarget, 0.1 s", "Arrive, Velocity Matching";
            "vehicle.integrator" = Word("explicit"),
                "position += velocity dt, then velocity += acceleration dt", "Kinematic.update";
            "seek.form" = Word("acceleration"), "full acceleration toward the target, which it can orbit", "Seek";
            "flee.form" = Word("acceleration"), "full acceleration away", "Flee";
            "pursuit.form" = Word("acceleration"), "delegates to seek: full acceleration", "Pursue";
            "evasion.form" = Word("acceleration"), "delegates to flee: full acceleration", "Evade";
            "pursuit.prediction" = Word("own_speed"), "T = D / |v|, v the own velocity", "Pursue";
            "pursuit.max_prediction_time" = Number(1.0), "T at most maxPrediction; 1 s is chosen here", "Pursue";
            "evasion.prediction" = Word("own_speed"), "as pursue", "Evade";
            "evasion.max_prediction_time" = Number(1.0), "as pursue", "Evade";
            "separation.exponent" = Whole(2),
                "strength = min(k / d², maxAcceleration)", "Separation, inverse square law";
        },
        flock: &[],
        left: left! {
            "Wander":
                "turns to a point on a circle, at full acceleration along the heading; `wander` is Reynolds' of 1999";
            "Path Following": "seeks a place on the path at full acceleration; `path_following` wants full speed";
            "Collision Avoidance, Obstacle and Wall Avoidance":
                "full acceleration away; `unaligned_avoidance` and `whiskers` have their own rules";
            "Align, Face, Looking Where You're Going": "the time to target of 0.1 s is the default here";
        },
    },
    Defaults {
        name: "netlogo",
        summary: "Wilensky, NetLogo's Flocking model: a unit is a patch, a tick 1/30 s, a turn a share of a tick; all \
            agents turn at once; in NetLogo one turns after another",
        defaults: defaults! {
            "time_constant" = Number(0.0), "set heading: the new one is taken at once", "turn-at-most";
            "max_speed" = Number(30.0), "repeat 5 [fd 0.2]: a patch a tick, of 1/30 s", "go";
            "min_speed" = Number(30.0), "the same for all, always", "go";
            "max_force" = Number(1e4), "no force: enough for every turn", "turn-at-most";
            "flock_by_turns.perception_radius" = Number(5.0), "vision = 5 patches", "find-flockmates";
            "flock_by_turns.field_of_view" = Number(360.0), "in-radius: all around", "find-flockmates";
            "flock_by_turns.min_separation" = Number(1.0), "minimum-separation = 1 patch", "flock";
            "flock_by_turns.max_separate_turn" = Number(45.0), "max-separate-turn = 1.5 degrees a tick", "separate";
            "flock_by_turns.max_align_turn" = Number(150.0), "max-align-turn = 5 degrees a tick", "align";
            "flock_by_turns.max_cohere_turn" = Number(90.0), "max-cohere-turn = 3 degrees a tick", "cohere";
        },
        flock: &[],
        left: &[],
    },
];

/// Put the defaults of the scene's dialect where the tree has no value of its own.
pub fn apply(root: &mut Node) {
    let Some(node) = root.child("dialect") else { return };
    let place = node.place.clone();
    let Kind::Text(name) = &node.kind else { return };
    let Some(dialect) = TABLE.iter().find(|dialect| dialect.name == name) else { return };
    let Some(Kind::List(species)) = child_mut(root, "species").map(|node| &mut node.kind) else { return };
    for species in species {
        let flocks = match species.child("behaviors").map(|node| &node.kind) {
            Some(Kind::Table(entries)) => {
                entries.iter().all(|(name, behavior)| FLOCK.contains(&name.as_str()) || is_idle(behavior))
            }
            _ => false,
        };
        // `put_missing` keeps the first value of a key, so the defaults of a flock come first.
        for default in dialect.flock.iter().filter(|_| flocks).chain(dialect.defaults) {
            let kind = match default.value {
                Number(number) => Kind::Number(number),
                Whole(whole) => Kind::Whole(whole),
                Word(word) => Kind::Text(word.to_owned()),
            };
            let node = Node { kind, place: place.clone(), key_place: place.clone() };
            match default.key.split_once('.') {
                None => put_missing(Some(species), default.key, node),
                Some((table @ "vehicle", key)) => {
                    let empty = Node { kind: Kind::Table(Vec::new()), place: place.clone(), key_place: place.clone() };
                    put_missing(Some(species), table, empty);
                    put_missing(child_mut(species, table), key, node);
                }
                Some((behavior, key)) => {
                    let behaviors = child_mut(species, "behaviors");
                    put_missing(behaviors.and_then(|table| child_mut(table, behavior)), key, node);
                }
            }
        }
    }
}

/// Is this a behavior that does not act, as [`Behavior::is_active`](super::Behavior::is_active) says?
fn is_idle(behavior: &Node) -> bool {
    let says = |key, idle: fn(&Kind) -> bool| behavior.child(key).is_some_and(|node| idle(&node.kind));
    says("enabled", |kind| matches!(kind, Kind::Boolean(false)))
        || says("weight", |kind| match kind {
            Kind::Number(weight) => *weight as f32 == 0.0,
            Kind::Whole(weight) => *weight == 0,
            _ => false,
        })
}

fn child_mut<'a>(node: &'a mut Node, name: &str) -> Option<&'a mut Node> {
    match &mut node.kind {
        Kind::Table(entries) => entries.iter_mut().find(|(key, _)| key == name).map(|(_, node)| node),
        _ => None,
    }
}

/// Add an entry to a table, where there is one that does not have it.
fn put_missing(table: Option<&mut Node>, key: &str, value: Node) {
    if let Some(Kind::Table(entries)) = table.map(|node| &mut node.kind)
        && entries.iter().all(|(name, _)| name != key)
    {
        entries.push((key.to_owned(), value));
    }
}
