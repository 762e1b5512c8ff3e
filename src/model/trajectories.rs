//! Twin of `shaders/common/trajectories.wgsl`: how scenery changes in time. The host needs it too, to draw moving scenery.

use super::scenery::{Flow, NO_TRAJECTORY, Obstacle, Piece, Scenery, Trajectory};
use super::turn::quaternion_of;
use glam::{Vec3, Vec4, Vec4Swizzles};

/// The place and the turn of a trajectory at one step, and their rates.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// Offset, u, and in w the turn, in full turns.
    pub place: Vec4,
    /// Rates of both: u/s, and in w full turns per second.
    pub rate: Vec4,
}

/// The moment of a trajectory after `steps` steps.
///
/// # Panics
/// Pieces that are not those of the trajectory's model.
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
    /// Move everything except the obstacles to where it is after `steps` steps. Together with [`Scenery::moved`] it is the twin of
    /// `advance` in `shaders/sim/advance.wgsl`. `nodes` is the number of nodes of one record of the field.
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

    /// Move these obstacles to where their trajectories are now.
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
