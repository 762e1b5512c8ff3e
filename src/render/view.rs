//! The camera: what part of the world a picture shows, and how that changes under the mouse.

use crate::gpu::Sight;
use crate::model::FROZEN;
use crate::scene::{Camera, Scene};
use glam::{Mat4, Vec2, Vec3};

/// Vertical angle of view in spatial worlds, degrees.
const ANGLE: f32 = 35.0;
/// What a following camera frames, in radii that hold 95 % of the agents: these then fill 65 % of the picture's height.
const AROUND: f32 = 1.467;
/// Time constant of a following camera, s: in this time it goes two thirds (1 - 1/e) of its way.
const EASE: f32 = 1.5;
/// The weight of horizontal distances in the radius that holds 95 % of the agents, if the picture is as wide as high; less if it is
/// wider. So 95 % of the agents fill up to 56 % of a wide picture's width.
const SIDEWAYS: f32 = 0.65 * 16.0 / 9.0;
/// Number of agents that are sampled to find where all of them are.
const SAMPLE: usize = 20_000;

/// A camera. Planar worlds are seen straight from above without perspective; spatial ones from a point that orbits the
/// center.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// Point at the center of the picture, u.
    pub center: Vec3,
    /// 1 frames the whole world, 2 shows half of its height.
    pub zoom: f32,
    /// Rotation about the vertical axis, degrees (spatial worlds).
    pub yaw: f32,
    /// Elevation above the horizontal, -89 to 89 degrees (spatial worlds).
    pub pitch: f32,
    world: Vec3,
    spatial: bool,
    /// The radius that holds 95 % of the agents, u, if the camera follows them.
    pub followed_radius: Option<f32>,
}

impl View {
    /// The view that the scene asks for.
    pub fn from_scene(scene: &Scene) -> View {
        let Camera { center, zoom, yaw, pitch, .. } = scene.camera;
        View { center, zoom, yaw, pitch, world: scene.world.size, spatial: scene.world.spatial, followed_radius: None }
    }

    /// Turn the camera around the center by this many degrees of yaw, in a spatial world.
    pub fn turn(&mut self, degrees: f32) {
        if self.spatial {
            self.yaw = (self.yaw + degrees).rem_euclid(360.0);
        }
    }

    /// Turn as far as the scene's camera turns in this time, s.
    pub fn turn_with(&mut self, camera: &Camera, seconds: f32) {
        self.turn(camera.turn * seconds);
    }

    /// Follow agents, given the words of the buffers `position` and `id`. Move a share of the way, 0 to 1, to a view in which the
    /// middle between the ends of the crowd, as seen in the picture, is in the picture's middle, and the radius that holds 95 % of the
    /// agents is two thirds of its height. The first call goes all of the way. A view of a plane does not change. Agents that are not
    /// drawn, such as those that are away, do not count.
    ///
    /// `size` is the size of the picture, px. If it is wider than high, horizontal distances count less in the radius.
    pub fn follow(&mut self, positions: &[u32], ids: &[u32], share: f32, size: (u32, u32)) {
        let Some((center, radius)) = self.crowd_at(positions, ids, size).filter(|_| self.spatial) else { return };
        let share = if self.followed_radius.is_some() { share } else { 1.0 };
        let old = self.followed_radius.unwrap_or(radius);
        self.center += (center - self.center) * share;
        self.followed_radius = Some(old + (radius - old) * share);
    }

    /// The share of its way that a following camera goes in this time.
    pub fn eased(seconds: f32) -> f32 {
        1.0 - (-seconds / EASE).exp()
    }

    /// The view as a camera to be kept with a scene: it stands still and shows the same.
    pub fn camera(&self) -> Camera {
        let whole = View { followed_radius: None, ..*self };
        let zoom = self.zoom * (whole.reach() / self.reach());
        Camera { center: self.center, zoom, yaw: self.yaw, pitch: self.pitch, follow: false, turn: 0.0 }
    }

    /// True for a view of a spatial world, which has perspective.
    pub fn spatial(&self) -> bool {
        self.spatial
    }

    /// Move the picture's content by this many pixels to the right and down.
    pub fn pan(&mut self, right: f32, down: f32, size: (u32, u32)) {
        let to_world = self.matrix().inverse();
        let offset = Vec3::new(-right, down, 0.0) / self.pixels_per_unit(size);
        self.center += to_world.transform_vector3(offset);
    }

    /// Move the camera to the right, up and ahead, in units of half of the picture's height. Over a plane, ahead moves up in the
    /// picture.
    pub fn fly(&mut self, by: Vec3) {
        let half = if self.spatial { self.reach() } else { 0.5 * self.world.y } / self.zoom;
        let by = if self.spatial { Vec3::new(by.x, by.y, -by.z) } else { Vec3::new(by.x, by.z, 0.0) };
        self.center += self.matrix().inverse().transform_vector3(by * half);
    }

    /// See a spatial world from this many degrees above the horizontal.
    pub fn from_above(&mut self, pitch: f32) {
        if self.spatial {
            self.pitch = pitch.clamp(-89.0, 89.0);
        }
    }

    /// Move a share of the way, 0 to 1, to a place behind an agent, or with `eyes` to its eyes. The agent is at `at`, u, heads along
    /// the unit vector `toward`, and half its length is `radius`, u. In a plane the view stays from above.
    pub fn chase(&mut self, at: Vec3, toward: Vec3, radius: f32, eyes: bool, share: f32) {
        // Distances in half lengths of the body, so that agents of the same size around it can be seen.
        let (away, ahead) = if eyes { (12.0, 13.5) } else { (30.0, 5.0) };
        let radius = radius.max(1e-6);
        let (goal, zoom) = if self.spatial {
            let zoom = self.reach() / (ANGLE * 0.5).to_radians().sin() / (away * radius);
            (at + toward * (ahead * radius), zoom)
        } else {
            // In a plane it only ever comes nearer.
            (at, self.zoom.max(self.world.y / (60.0 * radius)))
        };
        // After an agent goes through a seam, jump there at once.
        let share = if (goal - self.center).length() > 0.25 * self.world.length() { 1.0 } else { share };
        self.center += (goal - self.center) * share;
        self.zoom = (self.zoom * (zoom / self.zoom).powf(share)).clamp(0.05, 10_000.0);
        if self.spatial {
            let down = if eyes { 0.0 } else { 12.0 };
            let yaw = f32::atan2(-toward.x, -toward.z).to_degrees();
            let pitch = (down - toward.y.clamp(-1.0, 1.0).asin().to_degrees()).clamp(-89.0, 89.0);
            let turn = (yaw - self.yaw + 540.0).rem_euclid(360.0) - 180.0;
            self.yaw = (self.yaw + turn * share).rem_euclid(360.0);
            self.pitch += (pitch - self.pitch) * share;
        }
    }

    /// Enlarge by a factor about a point of the picture, px from its upper left corner.
    pub fn zoom_at(&mut self, factor: f32, cursor: (f32, f32), size: (u32, u32)) {
        let from_center = Vec2::from(cursor) - middle(size);
        self.pan(-from_center.x, -from_center.y, size);
        self.zoom = (self.zoom * factor).clamp(0.05, 10_000.0);
        self.pan(from_center.x, from_center.y, size);
    }

    /// Turn a spatial world by this many pixels of mouse movement, right and down: half a turn over the picture's height. A planar
    /// world is not turned.
    pub fn orbit(&mut self, right: f32, down: f32, size: (u32, u32)) {
        if self.spatial {
            let degrees = 180.0 / size.1.max(1) as f32;
            self.yaw = (self.yaw - right * degrees).rem_euclid(360.0);
            self.pitch = (self.pitch + down * degrees).clamp(-89.0, 89.0);
        }
    }

    /// Size of one unit at the center, px.
    pub fn pixels_per_unit(&self, size: (u32, u32)) -> f32 {
        self.focal(size) / if self.spatial { self.distance(size) } else { 1.0 }
    }

    /// The place of a point of the world in the picture, px from the upper left corner; `None` if it is behind the camera.
    pub fn project(&self, point: Vec3, size: (u32, u32)) -> Option<Vec2> {
        let at = self.view(size).transform_point3(point);
        let depth = if self.spatial { -at.z } else { 1.0 };
        let scale = self.focal(size) / depth;
        (depth > 0.0).then(|| middle(size) + Vec2::new(at.x, -at.y) * scale)
    }

    /// The point of the world at a point of the picture, px from the upper left corner. In a spatial world it is the one as far from
    /// the camera as the center is.
    pub fn unproject(&self, at: (f32, f32), size: (u32, u32)) -> Vec3 {
        let from_center = (Vec2::from(at) - middle(size)) / self.pixels_per_unit(size).max(f32::MIN_POSITIVE);
        self.matrix().inverse().transform_point3(Vec3::new(from_center.x, -from_center.y, 0.0))
    }

    /// A point of the picture, px from the upper left corner, in the form that
    /// [`Simulation::read_nearest`](crate::gpu::Simulation::read_nearest) takes.
    pub fn sight(&self, at: (f32, f32), size: (u32, u32)) -> Sight {
        let (view, focal, perspective) = (self.view(size), self.focal(size), self.spatial);
        Sight { view, focal, perspective, at: Vec2::from(at) - middle(size) }
    }

    /// World space to view space.
    pub(super) fn view(&self, size: (u32, u32)) -> Mat4 {
        let back = if self.spatial { self.distance(size) } else { 0.0 };
        Mat4::from_translation(Vec3::new(0.0, 0.0, -back)) * self.matrix()
    }

    /// Pixels per unit; with perspective, at a distance of 1 u.
    pub(super) fn focal(&self, size: (u32, u32)) -> f32 {
        let size = Vec2::new(size.0 as f32, size.1 as f32);
        if self.spatial {
            return size.y * 0.5 / (ANGLE * 0.5).to_radians().tan();
        }
        (size / self.world.truncate()).min_element() * self.zoom
    }

    /// Distance of the camera from the center, u.
    pub(super) fn distance(&self, size: (u32, u32)) -> f32 {
        let wide = (size.0 as f32 / size.1.max(1) as f32).min(1.0);
        self.reach() / ((ANGLE * 0.5).to_radians().sin() * wide) / self.zoom
    }

    /// The radius that a spatial picture frames, u: of the sphere around the world, so that turning the view changes no distance, or
    /// around the agents that the camera follows.
    pub(super) fn reach(&self) -> f32 {
        self.followed_radius.map_or(0.5 * self.world.length(), |radius| AROUND * radius)
    }

    /// The center and the radius of the agents, in space: the center that leaves as much room on both sides of the agents, across and
    /// up, at their median depth, and the radius about it that holds 95 % of them in the picture. `None` without agents.
    fn crowd_at(&self, positions: &[u32], ids: &[u32], size: (u32, u32)) -> Option<(Vec3, f32)> {
        let place = |at: &[u32]| Vec3::new(f32::from_bits(at[0]), f32::from_bits(at[1]), f32::from_bits(at[2]));
        let sampled = |every: usize| -> Vec<Vec3> {
            let there = positions.chunks_exact(3).zip(ids).step_by(every).filter(|(_, id)| *id & FROZEN == 0);
            there.map(|(at, _)| place(at)).filter(|at| at.is_finite()).collect()
        };
        let mut sample = sampled(ids.len().div_ceil(SAMPLE).max(1));
        if sample.len() < ids.len().min(SAMPLE) / 2 {
            // Most agents in the sample are not drawn, so sample those that are.
            let all = sampled(1);
            sample = all.iter().step_by(all.len().div_ceil(SAMPLE).max(1)).copied().collect();
        }
        let median = |axis: usize| quantile(sample.iter().map(|at| at[axis]), 0.5);
        let middle = Vec3::new(median(0)?, median(1)?, median(2)?);
        let turned = View { center: middle, ..*self }.matrix();
        let mut seen: Vec<Vec3> = sample.iter().map(|at| turned.transform_point3(*at)).collect();
        // The camera will be `away` radii from the center. An agent nearer to it by z looks larger, and is within the radius r if its
        // distance from the middle is at most r - z / away.
        let aspect = size.0 as f32 / size.1.max(1) as f32;
        let away = AROUND / (ANGLE * 0.5).to_radians().sin() / aspect.min(1.0);
        let sideways = SIDEWAYS / aspect.max(1.0);
        let radius = |seen: &[Vec3]| {
            let from_middle = |at: &Vec3| (at.truncate() * Vec2::new(sideways, 1.0)).length() + at.z / away;
            Some(quantile(seen.iter().map(from_middle), 0.95)?.max(1e-3))
        };
        // Most agents may be at the far end, where they look small. The radius depends on the center and the center on the distance,
        // so iterate twice.
        let mut shift = Vec3::ZERO;
        for _ in 0..2 {
            let distance = away * radius(&seen)?;
            let step = Vec2::new(between(&mut seen, 0, distance)?, between(&mut seen, 1, distance)?).extend(0.0);
            seen.iter_mut().for_each(|at| *at -= step);
            shift += step;
        }
        Some((turned.inverse().transform_point3(shift), radius(&seen)?))
    }

    /// Rotation and shift that bring the center to the origin and the view direction to -z.
    fn matrix(&self) -> Mat4 {
        let shift = Mat4::from_translation(-self.center);
        if !self.spatial {
            return shift;
        }
        Mat4::from_rotation_x(self.pitch.to_radians()) * Mat4::from_rotation_y(-self.yaw.to_radians()) * shift
    }
}

/// The value below which this share of the values lies; `None` without values.
fn quantile(values: impl Iterator<Item = f32>, share: f32) -> Option<f32> {
    let mut values: Vec<f32> = values.collect();
    let place = ((values.len() as f32 * share) as usize).min(values.len().checked_sub(1)?);
    Some(*values.select_nth_unstable_by(place, f32::total_cmp).1)
}

/// The coordinate along an axis that has to be in the middle of the picture, so that both ends of the agents `seen` from this distance
/// are equally far from it. Beyond each end lies one agent in a hundred.
fn between(seen: &mut [Vec3], axis: usize, distance: f32) -> Option<f32> {
    // At least 0.1, because an agent as near as the camera has no place in the picture.
    let scale = |at: &Vec3| (1.0 - at.z / distance).max(0.1);
    let mut end = |share: f32| {
        let place = ((seen.len() as f32 * share) as usize).min(seen.len().checked_sub(1)?);
        let by_place = |a: &Vec3, b: &Vec3| (a[axis] / scale(a)).total_cmp(&(b[axis] / scale(b)));
        let at = *seen.select_nth_unstable_by(place, by_place).1;
        Some((at[axis], scale(&at)))
    };
    let ((low, low_scale), (high, high_scale)) = (end(0.01)?, end(0.99)?);
    Some((low * high_scale + high * low_scale) / (low_scale + high_scale))
}

fn middle(size: (u32, u32)) -> Vec2 {
    Vec2::new(size.0 as f32, size.1 as f32) * 0.5
}
