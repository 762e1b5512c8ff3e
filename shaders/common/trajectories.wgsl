// What changes in time. A trajectory is cut at its keys. Between two keys it is a polynomial of the share of the time between
// them, counted in whole steps, so that the place in a step does not depend on how the run came there.

struct Moment {
    // Place, u, and in w the turn, full turns.
    place: vec4f,
    // How fast place and turn change, u/s, and in w full turns per second.
    rate: vec4f,
}

// The moment of a trajectory after this many steps.
fn moment_of(trajectory: Trajectory, steps: u32) -> Moment {
    var now = steps;
    if (trajectory.period > 0u) {
        now = steps % trajectory.period;
    }
    var index = trajectory.first_piece;
    for (var k = 1u; k < trajectory.piece_count; k += 1u) {
        if (pieces[trajectory.first_piece + k].first_step <= now) {
            index = trajectory.first_piece + k;
        }
    }
    let piece = pieces[index];
    let share = f32(now - piece.first_step) * piece.per_step;
    let place = piece.constant + (piece.linear + (piece.square + piece.cube * share) * share) * share;
    let rate = (piece.linear + (piece.square * 2.0 + piece.cube * (3.0 * share)) * share) * piece.per_second;
    return Moment(place, rate);
}

// A rotation about a unit vector by an angle in full turns, as a unit quaternion.
fn quaternion_of(axis: vec3f, angle: f32) -> vec4f {
    let least = angle - floor(angle + 0.5);
    return half_turn(axis * (least * (2.0 * PI)));
}

// An obstacle as it is when its trajectory is at this moment.
fn moved(obstacle: Obstacle, moment: Moment) -> Obstacle {
    var after = obstacle;
    after.center = obstacle.home + moment.place.xyz;
    after.turn = quaternion_of(obstacle.axis, obstacle.angle + moment.place.w);
    return after;
}

// The field as it is when its trajectory is at this moment.
fn changed(flow: Flow, moment: Moment, nodes: u32) -> Flow {
    var after = flow;
    let record = within(moment.place.x, 0.0, f32(flow.record_count - 1u));
    let first = u32(floor(record));
    after.first = first * nodes;
    after.second = min(first + 1u, flow.record_count - 1u) * nodes;
    after.share = record - f32(first);
    after.factor = moment.place.y;
    let turn = quaternion_of(vec3f(0.0, 0.0, 1.0), moment.place.w);
    after.cosine = 1.0 - 2.0 * turn.z * turn.z;
    after.sine = 2.0 * turn.z * turn.w;
    return after;
}
