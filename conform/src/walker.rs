//! What laws of paths share: agents that follow one, and how they should steer.

use crate::*;

/// How an agent moves on a path.
#[derive(Debug)]
pub struct Walker {
    /// Which form of path following.
    pub form: &'static str,
    /// Slower than this share of its greatest speed, it is pushed on.
    pub progress: f64,
    /// How far ahead the position is predicted, s.
    pub predict: f64,
    /// How far along the path the target is, s.
    pub ahead: f64,
    /// Does it follow the path toward the first point?
    pub backward: bool,
    /// Does it arrive at the end of an open path?
    pub stops: bool,
    /// Slow radius there, u.
    pub slow: f64,
    /// Greatest speed, u/s.
    pub speed: f64,
    /// Time constant, s.
    pub tau: f64,
    /// Greatest acceleration, u/s².
    pub most: f64,
    /// Weight of its behavior.
    pub weight: f64,
}

impl Walker {
    /// Limits and parameters over their ranges.
    pub fn drawn(draw: &mut Draw) -> Walker {
        Walker {
            form: "onward",
            progress: 0.5,
            predict: draw.between(0.2, 0.8),
            ahead: draw.between(0.2, 0.8),
            backward: draw.whole(0, 1) == 1,
            stops: draw.whole(0, 1) == 1,
            slow: draw.between(2.0, 6.0),
            speed: draw.between(3.0, 6.0),
            tau: draw.between(0.1, 0.4),
            most: draw.between(30.0, 60.0),
            weight: 1.0,
        }
    }

    /// The time within which a sideways speed is lost, s.
    pub fn lag(&self) -> f64 {
        self.tau.max(2.0 * self.speed / self.most)
    }

    /// How far a velocity that is at most `widest` degrees off the course leads an agent from a straight way, u, and the angle that leads
    /// farthest, rad. The velocity changes straight to the one along the course: by `most` until the difference is `most` times τ, then
    /// at a rate of 1/τ.
    pub fn reach(&self, widest: u32) -> (f64, f64) {
        let Walker { speed, tau, most, .. } = self;
        let at = |angle: f64| {
            let gap = 2.0 * speed * (angle / 2.0).sin();
            let share = (most * tau / gap).min(1.0);
            speed * angle.sin() * ((1.0 - share * share) * gap / (2.0 * most) + share * tau)
        };
        let angles = (1..=widest).map(|angle| f64::from(angle).to_radians());
        angles.map(|angle| (at(angle), angle)).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    }

    /// A species with one behavior.
    pub fn lines(&self, behavior: &str, path: &str) -> String {
        let Walker { predict, ahead, slow, speed, tau, most, weight, .. } = *self;
        let mut rule = format!("weight = {weight}, path = {path:?}, prediction_time = {predict}");
        if behavior == "path_following" {
            let direction = if self.backward { "backward" } else { "forward" };
            let end = if self.stops { "stop" } else { "ignore" };
            let more = format!("look_ahead_time = {ahead}, slow_radius = {slow}");
            let form = format!("form = {:?}, min_progress = {}", self.form, self.progress);
            rule = format!("{rule}, {form}, direction = {direction:?}, end = {end:?}, {more}");
        }
        limits(speed, most, tau) + &format!("behaviors.{behavior} = {{ {rule} }}")
    }

    /// The parameters that a report of its case shows.
    pub fn parameters(&self) -> [(&'static str, f64); 4] {
        [("T", self.predict), ("t", self.ahead), ("v", self.speed), ("τ", self.tau)]
    }

    /// The acceleration toward a velocity of this speed along `way`, and how far it may be off, u/s².
    pub fn toward(&self, way: V, speed: f64, velocity: V) -> (V, f64) {
        let gain = self.weight / self.tau;
        let expected = times(minus(times(unit(way), speed), velocity), gain);
        (expected, 2e-5 * gain * self.speed * (1.0 + 10.0 / norm(way)))
    }
}

/// Is there one nearest point? At a corner there is, but its direction of travel is not clear: it counts only with `corners`.
pub fn clear(way: &Way, position: V, corners: bool) -> bool {
    clear_to(way, position, ZERO, corners)
}

/// As [`clear`], for an agent that follows the path in a direction.
pub fn clear_to(way: &Way, position: V, direction: V, corners: bool) -> bool {
    let nearest = way.followed(position, direction);
    let off = nearest.off_to(position, direction);
    let places = way.places(position);
    // A segment across the direction leads neither on nor back.
    let across = |place: &WayPlace| dot(place.tangent, direction).abs() < 1e-3 * norm(direction);
    if places.iter().any(across) {
        return false;
    }
    let rivals = places.into_iter().filter(|place| place.off_to(position, direction) < off + 0.01);
    let same = |place: WayPlace| norm(minus(place.point, nearest.point)) < 1e-6 && place.radius == nearest.radius;
    let onward = |place: WayPlace| dot(place.tangent, nearest.tangent) > 1.0 - 1e-9;
    rivals.into_iter().all(|place| same(place) && (corners || onward(place)))
}

/// Paths as TOML, called `way 0`, `way 1` and so on.
pub fn named(ways: &[Way], spatial: bool) -> Vec<String> {
    ways.iter().enumerate().map(|(index, way)| way.toml(spatial, &format!("way {index}"))).collect()
}

/// Six random paths around the origin, open and closed in turn.
pub fn walks(draw: &mut Draw, spatial: bool, corners: usize) -> Vec<Way> {
    (0..6).map(|index| Way::drawn(draw, spatial, ZERO, corners, index % 2 == 1)).collect()
}

/// Random paths as of [`walks`], with a width of its own for each segment.
pub fn lanes(draw: &mut Draw, spatial: bool) -> Vec<Way> {
    let mut ways = walks(draw, spatial, 6);
    for way in &mut ways {
        way.radii = (1..way.corners.len()).map(|_| draw.between(0.2, 4.0)).collect();
    }
    ways
}

/// A path of four segments to and fro, which do not cross.
pub fn to_and_fro(draw: &mut Draw, spatial: bool, bend: f64) -> Way {
    let (mut at, forth) = (ZERO, draw.heading(spatial));
    let back = draw.turned(spatial, forth, bend);
    let mut corners = vec![at];
    for leg in 0..4 {
        at = plus(at, times(if leg % 2 == 0 { forth } else { back }, draw.between(18.0, 30.0)));
        corners.push(rounded(at));
    }
    Way { corners, radius: draw.between(0.5, 3.0), ..Way::default() }
}

/// An agent near a path.
pub fn near(draw: &mut Draw, spatial: bool, way: &Way, speed: f64) -> Body {
    let share = draw.between(0.0, 1.0);
    let position = plus(way.at(share * way.length()), draw.point(spatial, 4.0));
    Body::at(rounded(position)).moving(rounded(times(draw.heading(spatial), speed * draw.between(0.1, 1.0))))
}

/// Try agents near paths. `expected` is the acceleration of one and how far it may be off, u/s²; `None` if that is not clear, and then
/// another agent is drawn.
pub fn steering(
    bench: &Bench,
    draw: &mut Draw,
    spatial: bool,
    (behavior, form): (&str, &'static str),
    ways: fn(&mut Draw, bool) -> Vec<Way>,
    expected: fn(&Walker, &Way, Body) -> Option<(V, f64)>,
) -> Tried {
    let ways = ways(draw, spatial);
    bench.wants(among(spatial, DT, &named(&ways, spatial)), 0..32, |setup, index| {
        loop {
            let (weight, progress) = (draw.between(0.3, 3.0), draw.between(0.0, 1.0));
            let walker = Walker { form, weight, progress, ..Walker::drawn(draw) };
            let index = index % ways.len();
            let Body { position, velocity } = near(draw, spatial, &ways[index], walker.speed);
            if let Some((wish, bound)) = expected(&walker, &ways[index], Body { position, velocity }) {
                let id = setup.agent(&walker.lines(behavior, &format!("way {index}")), position, velocity);
                break (id, walker.parameters(), wish, bound);
            }
        }
    })
}
