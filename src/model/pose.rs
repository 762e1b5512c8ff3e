//! Poses: which way agents face, and how they start.

use super::blocks::Pose;
use super::random::{self, STANDSTILL, STREAM_FORWARD};
use super::state::State;
use glam::{DVec3, Vec3};

/// Words of a pose.
pub const POSE_WORDS: usize = std::mem::size_of::<Pose>() / 4;

/// Up in a world with three dimensions, as the camera and height fields have it, and as in level flight.
pub const WORLD_UP: Vec3 = Vec3::Y;

/// The poses in which a state's agents start. A valid pose, as of an earlier run, stays as it is, to the bit; others are made valid.
/// Without a pose, or with one that is not finite, an agent faces the direction of its velocity.
pub fn starting_poses(state: &State, seed: u32, spatial: bool) -> Vec<Pose> {
    let in_world = |v: [f32; 3]| DVec3::new(v[0].into(), v[1].into(), if spatial { v[2].into() } else { 0.0 });
    let start = |(id, velocity): (usize, &[f32; 3])| {
        let heading = || heading(in_world(*velocity), seed, spatial, id as u32);
        match state.poses.get(id).filter(|pose| is_sane(pose)) {
            Some(pose) if is_basis(pose) && (spatial || pose.up == [0.0, 0.0, 1.0]) => *pose,
            Some(pose) => {
                let forward = in_world(pose.forward).try_normalize().unwrap_or_else(heading);
                let spin = if spatial { pose.spin } else { [0.0, 0.0, pose.spin[2]] };
                let bank = in_world(pose.bank).as_vec3().to_array();
                Pose { spin, bank, ..upright(forward, DVec3::from(pose.up.map(f64::from)), spatial) }
            }
            None => upright(heading(), WORLD_UP.as_dvec3(), spatial),
        }
    };
    state.velocities.iter().enumerate().map(start).collect()
}

fn is_sane(pose: &Pose) -> bool {
    let words: [f32; POSE_WORDS] = bytemuck::cast(*pose);
    words.iter().all(|word| word.is_finite() && word.abs() <= 1e9)
}

/// Are forward and up unit vectors at a right angle, but for rounding?
fn is_basis(pose: &Pose) -> bool {
    let [forward, up] = [pose.forward, pose.up].map(Vec3::from_array);
    [forward.length_squared() - 1.0, up.length_squared() - 1.0, forward.dot(up)].iter().all(|error| error.abs() <= 1e-5)
}

fn heading(velocity: DVec3, seed: u32, spatial: bool, id: u32) -> DVec3 {
    if velocity.is_finite() && velocity.length_squared() > f64::from(STANDSTILL) {
        return velocity.normalize();
    }
    let hash = random::hash4([seed, id, 0, STREAM_FORWARD]);
    random::unit_direction(spatial, hash[0], hash[1]).as_dvec3().normalize()
}

/// A pose at rest with this heading, and with `up` as near to `wish` as can be.
fn upright(forward: DVec3, wish: DVec3, spatial: bool) -> Pose {
    let side = forward.cross(wish);
    let parallel = side.length_squared() <= 1e-8 * wish.length_squared() || wish.length_squared() <= 1e-30;
    let side = if parallel { forward.any_orthonormal_vector() } else { side.normalize() };
    let up = if spatial { side.cross(forward).as_vec3() } else { Vec3::Z };
    Pose { forward: forward.as_vec3().to_array(), up: up.to_array(), spin: [0.0; 3], bank: [0.0; 3] }
}
