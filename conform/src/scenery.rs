//! What laws put into the world besides agents, as TOML, and paths in f64.

use crate::*;

/// A world without ends, with obstacles or paths.
pub fn among(spatial: bool, dt: f64, scenery: &[String]) -> Setup {
    Setup::open_with(spatial, dt, scenery.concat())
}

/// A sphere as an obstacle.
pub fn sphere(spatial: bool, center: V, radius: f64) -> String {
    format!("[[obstacles]]\nshape = \"sphere\"\ncenter = {}\nradius = {radius}\n", point(spatial, center))
}

/// A box along the axes as an obstacle.
pub fn cuboid(spatial: bool, center: V, size: V) -> String {
    let (center, size) = (point(spatial, center), point(spatial, size));
    format!("[[obstacles]]\nshape = \"box\"\ncenter = {center}\nsize = {size}\n")
}

/// A plane without end as an obstacle.
pub fn plane(spatial: bool, at: V, normal: V) -> String {
    let (at, normal) = (point(spatial, at), point(spatial, normal));
    format!("[[obstacles]]\nshape = \"plane\"\ncenter = {at}\nnormal = {normal}\n")
}

/// Cells of the maps that are drawn here, u.
pub const MAP_CELL: f64 = 0.25;

/// A map of 64 by 64 u with blocks of wall along the axes. Each is given by its least and its greatest corner (x, y), u, at whole cells.
pub fn blocks(spatial: bool, all: &[[[f64; 2]; 2]]) -> String {
    // A stroke for each row, along the middles of its cells.
    let rows = all.iter().flat_map(|[low, high]| {
        let (left, right) = (low[0] + 0.5 * MAP_CELL, high[0] - 0.5 * MAP_CELL);
        let count = ((high[1] - low[1]) / MAP_CELL).round() as u32;
        (0..count).map(move |row| {
            let y = low[1] + (f64::from(row) + 0.5) * MAP_CELL;
            let [from, to] = [left, right].map(|x| point(spatial, [x, y, 0.0]));
            format!("{{ from = {from}, to = {to}, width = {} }}", 0.5 * MAP_CELL)
        })
    });
    let rows: Vec<String> = rows.collect();
    format!("map = {{ source = \"open\", resolution = 256, cell = {MAP_CELL}, strokes = [{}] }}\n", rows.join(", "))
}

/// A path, in f64. The first point of a closed one is also its last.
#[derive(Debug, Clone, Default)]
pub struct Way {
    /// Where it turns, u.
    pub corners: Vec<V>,
    /// Does its end lead on to its start?
    pub closed: bool,
    /// Half of its width, u.
    pub radius: f64,
    /// Half of the width of each segment, in place of `radius`, u; empty if all are alike.
    pub radii: Vec<f64>,
}

/// A point of a path.
#[derive(Debug, Clone, Copy)]
pub struct WayPlace {
    /// Where it is, u.
    pub point: V,
    /// From the start of the path, u.
    pub arc: f64,
    /// Unit vector in the direction of travel.
    pub tangent: V,
    /// Half of the width there, u.
    pub radius: f64,
}

impl WayPlace {
    /// How far a position is off the way, u; negative within.
    pub fn off(&self, position: V) -> f64 {
        self.off_to(position, ZERO)
    }

    /// As [`WayPlace::off`], for an agent that follows the path in a direction: a segment that leads back counts as farther away, by a
    /// whole width across the way to it.
    pub fn off_to(&self, position: V, direction: V) -> f64 {
        let back = if dot(direction, self.tangent) < 0.0 { 2.0 * self.radius } else { 0.0 };
        norm(minus(self.point, position)).hypot(back) - self.radius
    }
}

impl Way {
    /// A straight path of this length around a middle.
    pub fn straight(middle: V, heading: V, length: f64, radius: f64) -> Way {
        let end = |side: f64| rounded(plus(middle, times(heading, side * length / 2.0)));
        Way { corners: vec![end(-1.0), end(1.0)], radius, ..Way::default() }
    }

    /// A random walk with bends of at most 75°. At sharper corners the nearest point of a path leads an agent back as often as on.
    pub fn drawn(draw: &mut Draw, spatial: bool, middle: V, corners: usize, closed: bool) -> Way {
        let (mut at, mut heading) = (middle, draw.heading(spatial));
        let mut corner = |_| {
            let bend = draw.between(0.0, 75.0);
            heading = draw.turned(spatial, heading, bend);
            at = plus(at, times(heading, draw.between(8.0, 16.0)));
            rounded(at)
        };
        let mut corners: Vec<V> = (0..corners).map(&mut corner).collect();
        if closed {
            corners.push(corners[0]);
        }
        Way { corners, closed, radius: draw.between(1.0, 3.0), ..Way::default() }
    }

    /// As TOML, with a name.
    pub fn toml(&self, spatial: bool, name: &str) -> String {
        let corners = &self.corners[..self.corners.len() - usize::from(self.closed)];
        let points: Vec<String> = corners.iter().map(|corner| point(spatial, *corner)).collect();
        let (points, closed, radius) = (points.join(", "), self.closed, self.radius);
        let radii = &self.radii;
        format!(
            "[[paths]]\nname = {name:?}\npoints = [{points}]\nclosed = {closed}\nradius = {radius}\nradii = {radii:?}\n"
        )
    }

    /// Arc length, u.
    pub fn length(&self) -> f64 {
        self.corners.windows(2).map(|pair| norm(minus(pair[1], pair[0]))).sum()
    }

    /// The nearest point of each segment.
    pub fn places(&self, position: V) -> Vec<WayPlace> {
        let mut start = 0.0;
        let place = |(segment, pair): (usize, &[V])| {
            let along = minus(pair[1], pair[0]);
            let (length, tangent) = (norm(along), unit(along));
            let on = dot(minus(position, pair[0]), tangent).clamp(0.0, length);
            start += length;
            let radius = self.radii.get(segment).copied().unwrap_or(self.radius);
            WayPlace { point: plus(pair[0], times(tangent, on)), arc: start - length + on, tangent, radius }
        };
        self.corners.windows(2).enumerate().map(place).collect()
    }

    /// The nearest point; if segments differ in width, that of the segment whose edge is nearest.
    pub fn nearest(&self, position: V) -> WayPlace {
        self.followed(position, ZERO)
    }

    /// The nearest point for an agent that follows the path in a direction, by [`WayPlace::off_to`].
    pub fn followed(&self, position: V, direction: V) -> WayPlace {
        let mut places = self.places(position);
        places.sort_by(|a, b| a.off_to(position, direction).total_cmp(&b.off_to(position, direction)));
        places[0]
    }

    /// The point at an arc length: round a closed path, no farther than the ends of an open one.
    pub fn at(&self, arc: f64) -> V {
        let mut rest = if self.closed { arc.rem_euclid(self.length()) } else { arc.clamp(0.0, self.length()) };
        for pair in self.corners.windows(2) {
            let along = minus(pair[1], pair[0]);
            if rest <= norm(along) {
                return plus(pair[0], times(unit(along), rest));
            }
            rest -= norm(along);
        }
        self.corners[self.corners.len() - 1]
    }

    /// Distance of a position from the middle of the path, u.
    pub fn distance(&self, position: V) -> f64 {
        norm(minus(self.nearest(position).point, position))
    }
}
