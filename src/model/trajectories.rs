//! Twin of `shaders/common/trajectories.wgsl`: what changes in time. The host needs it too, to draw what moves.

use super::scenery::{Flow, NO_TRAJECTORY, Obstacle, Piece, Scenery, Trajectory};
use bytemuck::Zeroable;
use glam::{DVec4, Vec3, Vec4, Vec4Swizzles};

/// A place and a turn in one step.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// u, and in w full turns.
    pub place: Vec4,
    /// u/s, and in w full turns per second.
    pub rate: Vec4,
}

/// What a scene says of one trajectory.
pub(super) struct Keys<'a> {
    /// s, ascending from 0.
    pub times: &'a [f32],
    /// As many, u, and in w full turns.
    pub values: Vec<DVec4>,
    pub repeat: bool,
    pub smooth: bool,
}

impl Keys<'_> {
    /// Its row, and its pieces behind those of others.
    pub(super) fn row(&self, dt: f32, pieces: &mut Vec<Piece>) -> Trajectory {
        let before = pieces.len();
        let steps: Vec<u32> = self.times.iter().map(|time| (f64::from(*time) / f64::from(dt)).round() as u32).collect();
        for k in (1..steps.len()).filter(|k| steps[*k] > steps[k - 1]) {
            let (from, to) = (self.values[k - 1], self.values[k]);
            let length = f64::from(self.times[k] - self.times[k - 1]);
            let (out, arriving) = match self.smooth {
                true => (self.slope(k - 1) * length, self.slope(k) * length),
                false => (to - from, to - from),
            };
            let row = |v: DVec4| v.as_vec4().to_array();
            let count = f64::from(steps[k] - steps[k - 1]);
            pieces.push(Piece {
                constant: row(from),
                linear: row(out),
                square: row((to - from) * 3.0 - out * 2.0 - arriving),
                cube: row((from - to) * 2.0 + out + arriving),
                first_step: steps[k - 1],
                per_step: count.recip() as f32,
                per_second: (count * f64::from(dt)).recip() as f32,
                padding: [0; 1],
            });
        }
        let last = steps.len() - 1;
        let period = if self.repeat { steps[last] } else { 0 };
        if period == 0 {
            let constant = self.values[last].as_vec4().to_array();
            pieces.push(Piece { constant, first_step: steps[last], ..Piece::zeroed() });
        }
        let (first_piece, piece_count) = (before as u32, (pieces.len() - before) as u32);
        Trajectory { first_piece, piece_count, period, ..Trajectory::zeroed() }
    }

    /// How fast a smooth one changes at a key, 1/s: the chord from the key before to the key after (Catmull and Rom 1974). One
    /// that repeats goes on from its last key as from its first.
    fn slope(&self, key: usize) -> DVec4 {
        let last = self.times.len() - 1;
        let (mut change, mut time) = (DVec4::ZERO, 0.0);
        let mut add = |k: usize| {
            change += self.values[k + 1] - self.values[k];
            time += f64::from(self.times[k + 1] - self.times[k]);
        };
        match key {
            0 if self.repeat => [0, last - 1].into_iter().for_each(&mut add),
            _ if key == last && self.repeat => [0, last - 1].into_iter().for_each(&mut add),
            0 => add(0),
            _ if key == last => add(last - 1),
            _ => [key - 1, key].into_iter().for_each(&mut add),
        }
        change / time
    }
}

/// Where a trajectory is after so many steps.
pub fn moment_of(pieces: &[Piece], trajectory: &Trajectory, steps: u32) -> Moment {
    let mut now = steps;
    if trajectory.period > 0 {
        now = steps % trajectory.period;
    }
    let mut index = trajectory.first_piece;
    for k in 1..trajectory.piece_count {
        if pieces[(trajectory.first_piece + k) as usize].first_step <= now {
            index = trajectory.first_piece + k;
        }
    }
    let piece = &pieces[index as usize];
    let share = (now - piece.first_step) as f32 * piece.per_step;
    let [constant, linear, square, cube] =
        [piece.constant, piece.linear, piece.square, piece.cube].map(Vec4::from_array);
    let place = constant + (linear + (square + cube * share) * share) * share;
    let rate = (linear + (square * 2.0 + cube * (3.0 * share)) * share) * piece.per_second;
    Moment { place, rate }
}

/// Twin of `half_turn` in `shaders/common/angle.wgsl`: a rotation of at most half a turn as a unit quaternion.
#[allow(clippy::excessive_precision)] // the literals of the shader, to the digit
pub fn half_turn(rotation: Vec3) -> Vec4 {
    let q2 = (rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z) * 0.0625;
    let s = 1.0 + q2 * (-0.16666667 + q2 * (0.008333334 + q2 * (-0.00019841270 + q2 * 0.0000027557319)));
    let c = 1.0 + q2 * (-0.5 + q2 * (0.041666668 + q2 * (-0.0013888889 + q2 * 0.000024801588)));
    let half_cosine = 1.0 - 2.0 * q2 * s * s;
    (rotation * (0.5 * s * c)).extend(half_cosine)
}

/// A rotation about a unit vector by an angle in full turns, as a unit quaternion.
#[allow(clippy::excessive_precision, clippy::approx_constant)]
pub fn quaternion_of(axis: Vec3, angle: f32) -> Vec4 {
    const PI: f32 = 3.1415927;
    let least = angle - (angle + 0.5).floor();
    half_turn(axis * (least * (2.0 * PI)))
}

/// An obstacle as it is when its trajectory is at this moment.
pub fn moved(obstacle: &Obstacle, moment: Moment) -> Obstacle {
    let center = Vec3::from_array(obstacle.home) + moment.place.xyz();
    let turn = quaternion_of(Vec3::from_array(obstacle.axis), obstacle.angle + moment.place.w);
    Obstacle { center: center.to_array(), turn: turn.to_array(), ..*obstacle }
}

/// The field as it is when its trajectory is at this moment.
fn changed(flow: &Flow, moment: Moment, nodes: u32) -> Flow {
    let most = flow.record_count.saturating_sub(1);
    let record = moment.place.x.clamp(0.0, most as f32);
    let first = record.floor() as u32;
    let turn = quaternion_of(Vec3::Z, moment.place.w);
    Flow {
        first: first * nodes,
        second: (first + 1).min(most) * nodes,
        share: record - first as f32,
        factor: moment.place.y,
        cosine: 1.0 - 2.0 * turn.z * turn.z,
        sine: 2.0 * turn.z * turn.w,
        ..*flow
    }
}

impl Scenery {
    /// Move it to where it is after so many steps, but for its obstacles: with these the twin of `advance` in
    /// `shaders/sim/advance.wgsl`. `nodes` is the number of nodes of one record of the field.
    pub fn advance(&mut self, pieces: &[Piece], nodes: u32, steps: u32) {
        let count = self.trajectory_count as usize;
        for trajectory in &mut self.trajectories[..count] {
            let moment = moment_of(pieces, trajectory, steps);
            (trajectory.place, trajectory.rate) = (moment.place.to_array(), moment.rate.to_array());
        }
        if self.flow.trajectory < self.trajectory_count {
            let along = &self.trajectories[self.flow.trajectory as usize];
            self.flow = changed(&self.flow, moment_of(pieces, along, steps), nodes);
        }
    }

    /// These obstacles where they are while the trajectories are where they are now.
    pub fn moved(&self, obstacles: &mut [Obstacle]) {
        for obstacle in obstacles.iter_mut().filter(|obstacle| obstacle.trajectory < self.trajectory_count) {
            let along = &self.trajectories[obstacle.trajectory as usize];
            let (place, rate) = (Vec4::from_array(along.place), Vec4::from_array(along.rate));
            *obstacle = moved(obstacle, Moment { place, rate });
        }
    }

    /// Does anything in it move?
    pub fn moves(&self) -> bool {
        self.trajectory_count > 0
    }

    /// Does the field change in time?
    pub fn field_changes(&self) -> bool {
        self.flow.trajectory != NO_TRAJECTORY
    }
}
