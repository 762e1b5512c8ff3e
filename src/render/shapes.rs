//! Builds the faces and lines that the scenery of a scene is drawn with.

use super::looks::Backdrop;
use crate::model::{CompiledScene, boundary::wrap_coordinate, scenery};
use crate::scene::{Boundary, Line, Obstacle, ObstacleShape, Path, Scene, SeenFrom, Species, Target};
use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};
use std::f32::consts::{PI, TAU};

/// A corner of a face. Twin of `Vertex` in `shaders/render/fill.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Vertex {
    at: [f32; 3],
    normal: [f32; 3],
    color: [f32; 3],
    rim: f32,
}

/// A line with round ends. Twin of `Stroke` in `shaders/render/stroke.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Stroke {
    from: [f32; 3],
    to: [f32; 3],
    color: [f32; 3],
    width: f32,
    radius: f32,
}

/// All faces and lines of a scene.
#[derive(Debug)]
pub struct Shapes {
    backdrop: &'static Backdrop,
    /// The corners of faces, three for each.
    pub fills: Vec<Vertex>,
    pub strokes: Vec<Stroke>,
    /// Segments of a circle.
    round: usize,
    pub(super) spatial: bool,
    /// Half of the world, u.
    pub(super) half_size: Vec3,
    /// The world's size along wrapped axes, and 0 along others, u.
    wrapped: Vec3,
}

/// The color of shaded faces, which look darker than it.
const SHADED: [u8; 3] = [0x4a, 0x55, 0x69];
/// Subdued, so that agents stand out; grays and one yellow, which color-blind people tell apart too.
pub(super) const SOLID: [u8; 3] = [0x2c, 0x33, 0x40];
pub(super) const EDGE: [u8; 3] = [0x71, 0x7e, 0x94];
/// Lines of a plane's grid.
const FAINT: [u8; 3] = [0x3a, 0x42, 0x50];
const WAY: [u8; 3] = [0x24, 0x25, 0x26];
const LINE: [u8; 3] = [0x8f, 0x7d, 0x4a];
const TARGET: [u8; 3] = [0xd8, 0xdc, 0xe2];
/// Width of lines, px.
pub(super) const WIDTH: f32 = 1.5;
/// Segments of a circle if obstacles are few, the most that any circle has.
const ROUND: usize = 96;
/// Bytes that the shapes of all obstacles together may take.
const MOST_BYTES: usize = 96 << 20;

/// The points and the goals that are targets of behaviors, each once.
pub(super) fn targets(scene: &Scene) -> Vec<Vec3> {
    let mut points = Vec::new();
    for target in scene.species.iter().filter(|species| species.count > 0).flat_map(Species::targets) {
        match target {
            Target::Point(point) if !points.contains(&point) => points.push(point),
            Target::Goal { index, .. } => {
                let goals = scene.map.iter().flat_map(|map| &map.goals);
                for goal in goals.skip(index as usize).take(1) {
                    let new: Vec<Vec3> = goal.places().filter(|place| !points.contains(place)).collect();
                    points.extend(new);
                }
            }
            _ => {}
        }
    }
    points
}

/// Two unit vectors at right angles to a unit vector and to each other.
pub(super) fn sides(normal: Vec3) -> (Vec3, Vec3) {
    let side = normal.any_orthonormal_vector();
    (side, normal.cross(side))
}

impl Shapes {
    fn none(scene: &Scene) -> Shapes {
        let (spatial, half_size) = (scene.world.spatial, scene.world.size * 0.5);
        let (backdrop, round) = (Backdrop::of(scene.look.name), ROUND);
        let along =
            |axis: usize| if scene.world.boundary[axis] == Boundary::Wrap { scene.world.size[axis] } else { 0.0 };
        let wrapped = Vec3::new(along(0), along(1), if spatial { along(2) } else { 0.0 });
        Shapes { backdrop, fills: Vec::new(), strokes: Vec::new(), round, spatial, half_size, wrapped }
    }

    /// The shapes of the scenery that does not move.
    pub fn fixed(scene: &Scene) -> Shapes {
        let mut shapes = Shapes::none(scene);
        scene.scenery.surface.iter().for_each(|surface| shapes.surface(surface, scene));
        scene.scenery.paths.iter().for_each(|path| shapes.path(path));
        let placed = scene.scenery.placed(&scene.world);
        let (_, rows, _) = scenery::Scenery::of(scene, &placed);
        shapes.round = roundness(placed.len(), shapes.spatial);
        let obstacles = placed.iter().zip(&rows);
        obstacles
            .filter(|(obstacle, _)| obstacle.trajectory.is_none())
            .for_each(|(one, row)| shapes.obstacle(one, row));
        targets(scene).into_iter().for_each(|point| shapes.cross(point));
        scene.scenery.lines.iter().for_each(|line| shapes.tallied(line));
        shapes
    }

    /// The shapes of the scenery that moves, where `now` has it.
    pub fn moving(scene: &Scene, now: &CompiledScene) -> Shapes {
        let mut shapes = Shapes::none(scene);
        shapes.round = roundness(now.obstacles.len(), shapes.spatial);
        let obstacles = now.placed.iter().zip(&*now.obstacles);
        let (size, half) = (shapes.wrapped, shapes.half_size);
        let inside = |center: [f32; 3]| {
            let along = |axis: usize| match size[axis] > 0.0 {
                true => wrap_coordinate(center[axis], size[axis], half[axis]),
                false => center[axis],
            };
            Vec3::new(along(0), along(1), along(2))
        };
        for (obstacle, row) in obstacles.filter(|(obstacle, _)| obstacle.trajectory.is_some()) {
            shapes.obstacle(obstacle, &scenery::Obstacle { center: inside(row.center).to_array(), ..*row });
        }
        for (index, row) in (0..).zip(&now.scenery.trajectories[..scene.scenery.trajectories.len()]) {
            if scene.species.iter().any(|species| species.targets().any(|target| target == Target::Trajectory(index))) {
                let [x, y, z, _] = row.place;
                shapes.cross(inside([x, y, z]));
            }
        }
        shapes
    }

    pub(super) fn line(&mut self, from: Vec3, to: Vec3, color: [u8; 3], width: f32) {
        let (from, to, color) = (from.to_array(), to.to_array(), self.backdrop.scenery(color));
        self.strokes.push(Stroke { from, to, color, width, radius: 0.0 });
    }

    pub(super) fn lines(&mut self, points: impl Iterator<Item = Vec3>, color: [u8; 3], width: f32) {
        let points: Vec<Vec3> = points.collect();
        points.windows(2).for_each(|pair| self.line(pair[0], pair[1], color, width));
    }

    /// A line that counts the agents that cross it; in space a frame from the lower end of the world to the upper.
    fn tallied(&mut self, line: &Line) {
        let [from, to] = [line.from, line.to].map(|end| end.with_z(-self.half_size.z));
        let up = Vec3::Z * (2.0 * self.half_size.z);
        match self.spatial {
            true => self.lines([from, to, to + up, from + up, from].into_iter(), FAINT, WIDTH),
            false => self.line(from, to, FAINT, WIDTH),
        }
    }

    /// A fixed target: a cross of a fiftieth of the world.
    fn cross(&mut self, point: Vec3) {
        let arm = 0.02 * self.half_size.max_element();
        for axis in Vec3::AXES.into_iter().take(if self.spatial { 3 } else { 2 }) {
            self.line(point - axis * arm, point + axis * arm, TARGET, WIDTH);
        }
    }

    pub(super) fn face(&mut self, corners: [Vec3; 3], normals: [Vec3; 3], color: [u8; 3], rim: f32) {
        let color = self.backdrop.scenery(color);
        let vertex = |(at, normal): (Vec3, Vec3)| Vertex { at: at.to_array(), normal: normal.to_array(), color, rim };
        self.fills.extend(corners.into_iter().zip(normals).map(vertex));
    }

    /// A convex planar polygon, shaded by its normal; not shaded if the normal is zero.
    pub(super) fn polygon(&mut self, corners: &[Vec3], normal: Vec3, color: [u8; 3]) {
        for pair in corners.windows(2).skip(1) {
            self.face([corners[0], pair[0], pair[1]], [normal; 3], color, 0.0);
        }
    }

    /// An obstacle at the place of its row. If it reaches over a seam of the world, it is drawn also where it comes in on
    /// the other side.
    fn obstacle(&mut self, obstacle: &Obstacle, row: &scenery::Obstacle) {
        let turn = Quat::from_array(row.turn);
        let reach = match obstacle.shape {
            ObstacleShape::Sphere { radius } => Vec3::splat(radius),
            ObstacleShape::Box { size } => Vec3::AXES.into_iter().map(|axis| (turn * (axis * size * 0.5)).abs()).sum(),
            ObstacleShape::Capsule { length, radius } => (turn * Vec3::X * (0.5 * length)).abs() + radius,
            ObstacleShape::Plane { .. } => Vec3::ZERO,
        };
        let mut centers = vec![Vec3::from_array(row.center)];
        for axis in Vec3::AXES {
            let (at, size) = (centers[0].dot(axis), self.wrapped.dot(axis));
            let reaches_over = |side: &f32| size > 0.0 && side * at + reach.dot(axis) > 0.5 * size;
            let sides: Vec<f32> = [-1.0, 1.0].into_iter().filter(reaches_over).collect();
            let beyond = |side: f32| centers.iter().map(move |center| center - axis * size * side);
            let images: Vec<Vec3> = sides.into_iter().flat_map(beyond).collect();
            centers.extend(images);
        }
        centers.into_iter().for_each(|center| self.shape(obstacle, center, turn));
    }

    fn shape(&mut self, obstacle: &Obstacle, center: Vec3, turn: Quat) {
        let seen_from = obstacle.seen_from;
        match obstacle.shape {
            ObstacleShape::Sphere { radius } if self.spatial => self.ball(center, radius, seen_from),
            ObstacleShape::Sphere { radius } => {
                let corners: Vec<Vec3> = circle(self.round, center, Vec3::X * radius, Vec3::Y * radius).collect();
                self.outline(&corners, seen_from);
            }
            ObstacleShape::Box { size } if self.spatial => self.cuboid(center, turn, size * 0.5, seen_from),
            ObstacleShape::Box { size } => {
                let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)];
                let corners = corners.map(|(x, y)| center + turn * (size * Vec3::new(x, y, 0.0)));
                self.outline(&corners, seen_from);
            }
            ObstacleShape::Capsule { length, radius } => {
                let side = turn * Vec3::X * (0.5 * length);
                if self.spatial {
                    self.capsule(center, side, radius, seen_from);
                } else {
                    let (x, y) = (turn * Vec3::X * radius, turn * Vec3::Y * radius);
                    // Half a circle around each end.
                    let round: Vec<Vec3> = circle(self.round, Vec3::ZERO, -y, x).collect();
                    let ends = [(side, &round[..=self.round / 2]), (-side, &round[self.round / 2..])];
                    let corners = ends.iter().flat_map(|(end, half)| half.iter().map(|way| center + *end + *way));
                    let mut corners: Vec<Vec3> = corners.collect();
                    corners.push(corners[0]);
                    self.outline(&corners, seen_from);
                }
            }
            ObstacleShape::Plane { normal } if self.spatial => {
                self.grid(center, turn * normal.normalize(), FAINT, EDGE);
            }
            ObstacleShape::Plane { normal } => {
                let normal = turn * normal.normalize();
                let along = Vec3::new(normal.y, -normal.x, 0.0);
                if let Some((from, to)) = self.clip(center, along) {
                    self.line(from, to, EDGE, WIDTH);
                    self.hatch(from, to, seen_from);
                }
            }
        }
    }

    /// A planar shape whose corners run counter-clockwise and end where they began.
    fn outline(&mut self, corners: &[Vec3], seen_from: SeenFrom) {
        if seen_from == SeenFrom::Outside {
            self.polygon(corners, Vec3::ZERO, SOLID);
        }
        self.lines(corners.iter().copied(), EDGE, WIDTH);
        if seen_from == SeenFrom::Inside {
            // Along the outline the solid is to the right, where `hatch` draws for solids that are seen from outside.
            corners.windows(2).for_each(|pair| self.hatch(pair[0], pair[1], SeenFrom::Outside));
        }
    }

    /// Short slanted lines on the solid side of a line: to its right for a solid that is seen from outside.
    fn hatch(&mut self, from: Vec3, to: Vec3, seen_from: SeenFrom) {
        let length = (to - from).length();
        let along = (to - from) / length.max(1e-9);
        let right = Vec3::new(along.y, -along.x, 0.0);
        let side = match seen_from {
            SeenFrom::Outside => right,
            SeenFrom::Inside => -right,
            SeenFrom::Both => return,
        };
        let gap = 0.022 * self.half_size.x.min(self.half_size.y);
        let count = (length / gap).round().clamp(1.0, 400.0);
        for k in 0..count as usize {
            let foot = from + (to - from) * ((k as f32 + 0.5) / count);
            self.line(foot, foot + (side - along) * gap, EDGE, 1.0);
        }
    }

    /// A cylinder with round ends, `side` to both sides of its center.
    fn capsule(&mut self, center: Vec3, side: Vec3, radius: f32, seen_from: SeenFrom) {
        if seen_from == SeenFrom::Outside {
            let first = self.fills.len();
            self.sphere(center, radius, SHADED, 0.12);
            // A sphere whose two halves are pulled apart.
            for vertex in &mut self.fills[first..] {
                let away = if Vec3::from_array(vertex.normal).dot(side) < 0.0 { -side } else { side };
                vertex.at = (Vec3::from_array(vertex.at) + away).to_array();
            }
        } else {
            for end in [-side, side] {
                self.meridians(center + end, radius, 6, EDGE);
            }
            let (u, v) = sides(side.try_normalize().unwrap_or(Vec3::X));
            for rim in [u, v, -u, -v] {
                self.line(center - side + rim * radius, center + side + rim * radius, EDGE, 1.0);
            }
        }
    }

    fn ball(&mut self, center: Vec3, radius: f32, seen_from: SeenFrom) {
        if seen_from == SeenFrom::Outside {
            self.sphere(center, radius, SHADED, 0.12);
        } else {
            self.meridians(center, radius, 6, EDGE);
        }
    }

    /// A filled sphere.
    pub(super) fn sphere(&mut self, center: Vec3, radius: f32, color: [u8; 3], rim: f32) {
        let (around, up) = (self.round / 2, self.round / 4);
        let normal = |i: usize, k: usize| {
            let (longitude, latitude) = (i as f32 / around as f32 * TAU, (k as f32 / up as f32 - 0.5) * PI);
            let level = latitude.cos();
            Vec3::new(level * longitude.cos(), latitude.sin(), level * longitude.sin())
        };
        for (i, k) in (0..around).flat_map(|i| (0..up).map(move |k| (i, k))) {
            let quad = [normal(i, k), normal(i + 1, k), normal(i + 1, k + 1), normal(i, k + 1)];
            for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
                let normals = [quad[a], quad[b], quad[c]];
                self.face(normals.map(|n| center + n * radius), normals, color, rim);
            }
        }
    }

    /// The wires of a sphere: `count` circles through the poles, and as many circles of latitude.
    pub(super) fn meridians(&mut self, center: Vec3, radius: f32, count: usize, color: [u8; 3]) {
        for k in 0..count {
            let angle = k as f32 / count as f32 * PI;
            let side = Vec3::new(angle.cos(), 0.0, angle.sin()) * radius;
            self.lines(circle(self.round, center, side, Vec3::Y * radius), color, 1.0);
            let latitude = (k as f32 / count as f32 - 0.5) * PI;
            let (height, level) = (latitude.sin() * radius, latitude.cos() * radius);
            self.lines(circle(self.round, center + Vec3::Y * height, Vec3::X * level, Vec3::Z * level), color, 1.0);
        }
    }

    fn cuboid(&mut self, center: Vec3, turn: Quat, half: Vec3, seen_from: SeenFrom) {
        for axis in 0..3 {
            let [u, v] = [1, 2].map(|next| turn * (Vec3::AXES[(axis + next) % 3] * half));
            for side in [-1.0, 1.0] {
                let middle = center + turn * (Vec3::AXES[axis] * half * side);
                let corners = [middle - u - v, middle + u - v, middle + u + v, middle - u + v, middle - u - v];
                if seen_from == SeenFrom::Outside {
                    self.polygon(&corners, turn * (Vec3::AXES[axis] * side), SHADED);
                }
                self.line(corners[0], corners[1], EDGE, WIDTH);
                self.line(corners[3], corners[2], EDGE, WIDTH);
            }
        }
    }

    fn path(&mut self, path: &Path) {
        let mut points = path.points.clone();
        points.extend(path.points.first().filter(|_| path.closed));
        for (segment, pair) in points.windows(2).enumerate() {
            let (from, to, color) = (pair[0].to_array(), pair[1].to_array(), self.backdrop.scenery(WAY));
            let radius = path.radii.get(segment).copied().unwrap_or(path.radius);
            self.strokes.push(Stroke { from, to, color, width: 0.0, radius });
        }
        self.lines(points.iter().copied(), LINE, WIDTH);
        // The direction of the path: a chevron in the middle of each segment that is long enough.
        let size = 0.015 * self.half_size.x.min(self.half_size.y);
        for pair in points.windows(2).filter(|pair| pair[0].distance(pair[1]) > 6.0 * size) {
            let along = (pair[1] - pair[0]).normalize();
            let flat = if self.spatial { Vec3::Y } else { Vec3::Z };
            let side = along.cross(flat).try_normalize().unwrap_or(Vec3::X);
            let tip = pair[0].midpoint(pair[1]) + along * size;
            for side in [-side, side] {
                self.line(tip, tip + (side - along * 1.5) * size, LINE, WIDTH);
            }
        }
    }
}

/// Segments of a circle with this many obstacles: fewer if there are many, which are small in a picture.
fn roundness(obstacles: usize, spatial: bool) -> usize {
    let each = (MOST_BYTES / obstacles.max(1)) as f32;
    // For n segments a disk takes 3 n corners and n strokes, and a ball 0.75 n² corners.
    let (corner, stroke) = (size_of::<Vertex>() as f32, size_of::<Stroke>() as f32);
    let fits = if spatial { (each / (0.75 * corner)).sqrt() } else { each / (3.0 * corner + stroke) };
    (fits as usize / 4 * 4).clamp(8, ROUND)
}

/// Points of an ellipse; the first one is repeated at the end.
pub(super) fn circle(round: usize, center: Vec3, x: Vec3, y: Vec3) -> impl Iterator<Item = Vec3> {
    (0..=round).map(move |k| {
        let angle = k as f32 / round as f32 * TAU;
        center + x * angle.cos() + y * angle.sin()
    })
}
