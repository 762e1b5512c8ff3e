//! Twin of `shaders/sim/steer.wgsl`: search for those whom a target names, look at the neighbors, evaluate every behavior, and combine them into one
//! acceleration.

use crate::cpu::behaviors::{
    align::*, alignment::*, angular_velocity_matching::*, arrive::*, boundary_walls::*, close_neighbor_avoidance::*,
    cohesion::*, containment::*, evasion::*, explore::*, face::*, flee::*, flow_field::*, forage::*,
    global_alignment::*, heading_noise::*, interpose::*, leader_following::*, look_where_you_go::*,
    obstacle_avoidance::*, offset_pursuit::*, path_following::*, pursuit::*, seek::*, separation::*, stay_on_path::*,
    target_speed::*, unaligned_avoidance::*, velocity_matching::*, wall_following::*, wander::*, wander_random::*,
    waypoint_following::*, whiskers::*,
};
use crate::cpu::common::paths::nearest_on_path;
use crate::cpu::common::{
    agent::*, combination::*, field::sample_field, fixed_point::from_fixed_point, grid::*, ground::*, target::*,
    vector::*, vehicle::POINT_MASS, vision::*,
};
use crate::cpu::{Buffers, Execution};
use crate::model::boundary::containment_along;
use crate::model::random::{STREAM_PHASE, hash4};
use crate::model::{FROZEN, Memory, Model, Rule, Species, Target, Vision};
use crate::scene::{Boundary, Ground};
use glam::Vec3;

/// What the stage writes for one agent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Steering {
    acceleration: [f32; 3],
    turning: [f32; 3],
    perceived: u32,
    memory: Memory,
}

/// Run the stage.
pub fn steer(model: &Model, buffers: &mut Buffers, execution: Execution) {
    search(model, buffers, execution);
    let mut results = std::mem::take(&mut buffers.steering);
    let shared = &*buffers;
    execution.for_each(&mut results, |place, result| *result = steer_one(model, shared, place, |_| ()));
    for (place, result) in results.iter().enumerate() {
        buffers.acceleration[place] = result.acceleration;
        buffers.neighbors[place] = result.perceived;
        let id = buffers.sorted_id[place];
        if model.features.turns && id & FROZEN == 0 {
            buffers.turning[id as usize] = result.turning;
        }
        if model.features.remembers && id & FROZEN == 0 {
            buffers.memory[id as usize] = result.memory;
        }
    }
    buffers.steering = results;
}

const TARGET_POINT: u32 = 0;
const TARGET_AGENT: u32 = 1;
const TARGET_NEAREST: u32 = 2;
const TARGET_LEADER: u32 = 3;
const TARGET_PATH: u32 = 4;
const TARGET_FIELD: u32 = 5;
const TARGET_MOUSE: u32 = 6;

/// Three sums of the census, from this one.
fn census_of(buffers: &Buffers, first: usize) -> Vec3 {
    let sum = |sum: usize| u64::from(buffers.census_sums[2 * sum]) | u64::from(buffers.census_sums[2 * sum + 1]) << 32;
    Vec3::from_array([0, 1, 2].map(|axis| from_fixed_point(sum(first + axis))))
}

/// What an agent heads for. `places` is what the queries of its species found.
fn find_goal(model: &Model, buffers: &Buffers, target: Target, own: &Species, agent: &Agent, places: [u32; 2]) -> Goal {
    match target.kind {
        TARGET_POINT => {
            let offset = Vec3::from_array(target.point) - agent.position;
            goal_at(nearest_image(model, offset), Vec3::ZERO, Vec3::ZERO)
        }
        TARGET_MOUSE => {
            let offset = Vec3::from_array(model.world.mouse) - agent.position;
            goal_at(nearest_image(model, offset), Vec3::ZERO, Vec3::ZERO)
        }
        TARGET_PATH => {
            let place = nearest_on_path(model, &model.scenery.paths[target.index as usize], agent.position);
            goal_at(nearest_image(model, place.point - agent.position), Vec3::ZERO, place.tangent)
        }
        TARGET_FIELD => {
            let flow = sample_field(model, agent.position);
            goal_at(flow, flow, Vec3::ZERO)
        }
        TARGET_AGENT | TARGET_LEADER => {
            let mut leader = target.index;
            if target.kind == TARGET_LEADER {
                let leaders = &model.species[target.index as usize];
                leader = leaders.first_id + (agent.id - own.first_id) % leaders.count.max(1);
                if leaders.count == 0 {
                    leader = agent.id;
                }
            }
            if leader < model.world.agent_count && leader != agent.id {
                return goal_of(model, buffers, buffers.place_of[leader as usize] as usize, agent);
            }
            Goal::default()
        }
        TARGET_NEAREST => {
            let place = places[target.index.min(1) as usize];
            if place < FOUND_NOBODY { goal_of(model, buffers, place as usize, agent) } else { Goal::default() }
        }
        _ => Goal::default(),
    }
}

/// The direction that an agent faces.
fn facing_of(model: &Model, buffers: &Buffers, id: u32, velocity: Vec3) -> Vec3 {
    if model.species[model.species_of(id)].vehicle.keeps_pose != 0 {
        return Vec3::from_array(buffers.pose[id as usize].forward);
    }
    forward_of(model.world.seed, model.spatial, velocity, id)
}

/// The agent at a place as a goal; none where it is frozen.
fn goal_of(model: &Model, buffers: &Buffers, place: usize, agent: &Agent) -> Goal {
    let id = buffers.sorted_id[place];
    if id & FROZEN != 0 {
        return Goal::default();
    }
    let velocity = Vec3::from_array(buffers.sorted_velocity[place]);
    let offset = nearest_image(model, Vec3::from_array(buffers.sorted_position[place]) - agent.position);
    let mut goal = goal_at(offset, velocity, facing_of(model, buffers, id, velocity));
    if model.acts.angular_velocity_matching && !buffers.pose.is_empty() {
        goal.spin = Vec3::from_array(buffers.pose[id as usize].spin);
    }
    goal
}

/// The center of the ground cell around an agent that is best: with a radius the nearest one in it that has some of the
/// resource, and without the least visited, of equal ones the nearest.
fn search_ground(model: &Model, buffers: &Buffers, agent: &Agent, cells: i32, radius: Option<f32>) -> Goal {
    let world = &model.world;
    let home = ground_cell(world, model.spatial, agent.position);
    let reach = cells.min(Ground::reach(model.spatial) as i32);
    let deep = if model.spatial { reach } else { 0 };
    let axis = |axis: usize, step: i32| {
        let wraps = model.boundary[axis] == Boundary::Wrap;
        ground_step(home[axis], step, world.ground_cells[axis], wraps)
    };
    let mut best: Option<(u32, f32, Vec3)> = None;
    for z in -deep..=deep {
        for y in -reach..=reach {
            for x in -reach..=reach {
                let (Some(at_x), Some(at_y), Some(at_z)) = (axis(0, x), axis(1, y), axis(2, z)) else { continue };
                let cell = &buffers.ground[ground_index(world, [at_x, at_y, at_z])];
                let offset = ground_offset(world, model.spatial, agent.position, home, [x, y, z]);
                let distance_squared = dot3(offset, offset);
                let own = [x, y, z] == [0; 3];
                let (visits, counts) = match radius {
                    None => (cell.visits, !own),
                    Some(radius) => (0, cell.stock > 0 && (own || distance_squared <= radius * radius)),
                };
                let better = best.is_none_or(|(fewest, nearest, _)| {
                    visits < fewest || (visits == fewest && distance_squared < nearest)
                });
                if counts && better {
                    best = Some((visits, distance_squared, offset));
                }
            }
        }
    }
    best.map_or(Goal::default(), |(_, _, offset)| goal_at(offset, Vec3::ZERO, Vec3::ZERO))
}

const WHEN_NEARER: u32 = 0;
const WHEN_FARTHER: u32 = 1;
const WHEN_AFTER: u32 = 2;
const WHEN_FIELD_ABOVE: u32 = 3;
const WHEN_FIELD_BELOW: u32 = 4;
const WHEN_LOAD_ABOVE: u32 = 5;

/// The action state after the first rule that holds, and whether that rule unloads.
fn select_action(
    model: &Model,
    own: &Species,
    agent: &Agent,
    before: &Memory,
    goal_of_target: impl Fn(Target) -> Goal,
) -> (u32, bool) {
    for rule in &own.actions[..own.action_rules as usize] {
        let goal = goal_of_target(rule.toward);
        let speed = || {
            let flow = sample_field(model, agent.position);
            dot3(flow, flow).sqrt()
        };
        let holds = match rule.when {
            WHEN_NEARER => goal.exists && goal.distance < rule.than,
            WHEN_FARTHER => !goal.exists || goal.distance > rule.than,
            WHEN_AFTER => agent.step.wrapping_sub(before.since.max(1)) as f32 * model.world.dt >= rule.than,
            WHEN_FIELD_ABOVE => speed() > rule.than,
            WHEN_FIELD_BELOW => speed() < rule.than,
            WHEN_LOAD_ABOVE => before.load as f32 >= rule.than,
            _ => false,
        };
        if holds && (rule.from_states >> before.state) & 1 != 0 {
            return (rule.to, rule.unloads != 0);
        }
    }
    (before.state, false)
}

/// Agents that do not steer in every step hold the latest steering.
fn steers_now(model: &Model, own: &Species, id: u32, step: u32) -> bool {
    if model.features.skips {
        let phase = hash4([model.world.seed, id, 0, STREAM_PHASE])[0] % own.update_every;
        return step.wrapping_add(phase).is_multiple_of(own.update_every) || step == 1;
    }
    true
}

const FOUND_NOBODY: u32 = 0xffff_fffe;

/// The row in `found` of an agent that asks.
fn found_row(own: &Species, id: u32) -> usize {
    own.asker_row.wrapping_add(id) as usize
}

/// The places that the queries of an agent found in this step.
fn found_by(buffers: &Buffers, own: &Species, id: u32) -> [u32; 2] {
    if own.asks() { buffers.found[found_row(own, id)] } else { [FOUND_NOBODY; 2] }
}

/// The queries of those who ask, row by row: each is calculated on its own, so the order of the shader's invocations is free.
fn search(model: &Model, buffers: &mut Buffers, execution: Execution) {
    if buffers.found.is_empty() {
        return;
    }
    let mut found = std::mem::take(&mut buffers.found);
    let mut places = vec![0; found.len()];
    for (place, id) in buffers.sorted_id.iter().enumerate() {
        let own = &model.species[model.species_of(id & !FROZEN)];
        if own.asks() {
            places[found_row(own, id & !FROZEN)] = place;
        }
    }
    let shared = &*buffers;
    execution.for_each(&mut found, |row, found| {
        let place = places[row];
        let id = shared.sorted_id[place];
        let own = &model.species[model.species_of(id & !FROZEN)];
        *found = [FOUND_NOBODY; 2];
        if id & FROZEN != 0 || !steers_now(model, own, id, if model.features.clocked { shared.clock[0] } else { 0 }) {
            return;
        }
        let velocity = Vec3::from_array(shared.sorted_velocity[place]);
        let position = Vec3::from_array(shared.sorted_position[place]);
        let forward = facing_of(model, shared, id, velocity);
        *found = own.queries.map(|query| {
            let nearest = find_nearest(model, shared, query, place, position, forward);
            if nearest.found { nearest.place } else { FOUND_NOBODY }
        });
    });
    buffers.found = found;
}

/// One agent's steering; `perceives` is called with the place of each agent that it perceives.
pub(crate) fn steer_one(model: &Model, buffers: &Buffers, place: usize, mut perceives: impl FnMut(usize)) -> Steering {
    let id = buffers.sorted_id[place];
    if id & FROZEN != 0 {
        return Steering::default();
    }
    let (acts, features) = (&model.acts, &model.features);
    let position = Vec3::from_array(buffers.sorted_position[place]);
    let velocity = Vec3::from_array(buffers.sorted_velocity[place]);
    let own = &model.species[model.species_of(id)];
    let behaviors = &own.behaviors;
    let forward = facing_of(model, buffers, id, velocity);

    let step = if features.clocked { buffers.clock[0] } else { 0 };
    let mut remembered = if features.remembers { buffers.memory[id as usize] } else { Memory::default() };
    let steers = steers_now(model, own, id, step);

    let mut separation_sum = Vec3::ZERO;
    let mut alignment_sum = AlignmentSum::default();
    let mut cohesion_sum = CohesionSum::default();
    let mut unaligned_avoidance_sum = UnalignedAvoidanceSum::default();
    let mut close_neighbor_avoidance_sum = CloseNeighborAvoidanceSum::default();
    let mut heading_noise_sum = HeadingNoiseSum::default();
    let places = found_by(buffers, own, id);
    let mut ranking = Ranking::default();
    let mut perceived = 0;
    let mut coincident = 0;

    if features.neighborhood {
        let radius = own.perception_radius;
        let mut visits = if own.k_nearest > 0 { 2 } else { 1 };
        if !steers {
            visits = 0;
        }
        let mut nearest_enough = radius * radius;
        for visit in 0..visits {
            visit_rows(model, &buffers.cell_start, radius, position, |first, last, half_way| {
                let from_here = position - half_way;
                for other in first as usize..last as usize {
                    let offset = Vec3::from_array(buffers.sorted_position[other]) + half_way - from_here;
                    let distance_squared = dot3(offset, offset);
                    if other == place || distance_squared > nearest_enough {
                        continue;
                    }
                    let mut their_species = 0;
                    if features.sees_species {
                        their_species = model.species_of(buffers.sorted_id[other]);
                    }
                    if visit + 1 < visits {
                        if (own.perceives >> their_species) & 1 == 1 {
                            ranking_add(&mut ranking, distance_squared);
                        }
                        continue;
                    }
                    let their_velocity = Vec3::from_array(buffers.sorted_velocity[other]);
                    let neighbor = Neighbor {
                        offset,
                        distance_squared,
                        distance: distance_squared.sqrt(),
                        ahead: dot3(offset, forward),
                        velocity: their_velocity,
                        heading: if features.sees_heading { heading_of(their_velocity) } else { Vec3::ZERO },
                        species: 1 << their_species,
                        radius: model.species[their_species].radius,
                    };
                    let mut seen = false;
                    if acts.separation {
                        seen = seen || sees(behaviors.separation.vision, &neighbor);
                        separation_sum = separation_add(separation_sum, &behaviors.separation, &neighbor);
                    }
                    if acts.alignment {
                        seen = seen || sees(behaviors.alignment.vision, &neighbor);
                        alignment_sum = alignment_add(alignment_sum, &behaviors.alignment, &neighbor);
                    }
                    if acts.cohesion {
                        seen = seen || sees(behaviors.cohesion.vision, &neighbor);
                        cohesion_sum = cohesion_add(cohesion_sum, &behaviors.cohesion, &neighbor);
                    }
                    if acts.unaligned_avoidance {
                        seen = seen || sees(behaviors.unaligned_avoidance.vision, &neighbor);
                        unaligned_avoidance_sum = unaligned_avoidance_add(
                            unaligned_avoidance_sum,
                            &behaviors.unaligned_avoidance,
                            &neighbor,
                            velocity,
                            own.radius,
                            other as u32,
                        );
                    }
                    if acts.close_neighbor_avoidance {
                        seen = seen || sees(behaviors.close_neighbor_avoidance.vision, &neighbor);
                        close_neighbor_avoidance_sum = close_neighbor_avoidance_add(
                            close_neighbor_avoidance_sum,
                            &behaviors.close_neighbor_avoidance,
                            &neighbor,
                            own.radius,
                            other as u32,
                        );
                    }
                    if acts.heading_noise {
                        seen = seen || sees(behaviors.heading_noise.vision, &neighbor);
                        heading_noise_sum = heading_noise_add(heading_noise_sum, &behaviors.heading_noise, &neighbor);
                    }
                    if seen {
                        perceived += 1;
                        perceives(other);
                    }
                    coincident += u32::from(distance_squared == 0.0);
                }
            });
            if visit + 1 < visits {
                nearest_enough = nearest_enough.min(ranking_of(&ranking, own.k_nearest));
            }
        }
    }

    if acts.separation && coincident > 0 {
        // Rare, so it is kept out of the loop above. Coincident agents are in the same cell.
        let home = cell_of(&model.world, position) as usize;
        for other in buffers.cell_start[home] as usize..buffers.cell_start[home + 1] as usize {
            let offset = Vec3::from_array(buffers.sorted_position[other]) - position;
            if other != place && dot3(offset, offset) == 0.0 {
                let other_id = buffers.sorted_id[other];
                let theirs = model.species_of(other_id);
                if (behaviors.separation.vision.species >> theirs) & 1 != 0 {
                    let (seed, spatial) = (model.world.seed, model.spatial);
                    separation_sum = separation_add_coincident(
                        separation_sum,
                        &behaviors.separation,
                        features.falloffs,
                        seed,
                        spatial,
                        id,
                        other_id,
                    );
                }
            }
        }
    }

    let agent = Agent {
        id,
        step,
        position,
        velocity,
        speed: dot3(velocity, velocity).sqrt(),
        forward,
        radius: own.radius,
        max_speed: own.max_speed,
        max_acceleration: own.max_force / own.mass,
        time_constant: own.time_constant,
        interval: model.world.dt * own.update_every as f32,
        moves_as_desired: own.vehicle.locomotion != POINT_MASS,
        dt: model.world.dt,
        seed: model.world.seed,
        spatial: model.spatial,
    };
    let goal = |target: Target| find_goal(model, buffers, target, own, &agent, places);
    let (mut state, mut unloads) = (0, false);
    if features.selects_actions {
        (state, unloads) = select_action(model, own, &agent, &remembered, goal);
    }
    let mut combined = Combination::default();
    let mut add = |rule, steering| combine_add(&mut combined, own.combine, rule, state, steering);
    if acts.separation {
        let steering = separation_resolve(separation_sum, &behaviors.separation, &agent);
        add(behaviors.separation.rule, steering);
    }
    if acts.alignment {
        let steering = alignment_resolve(alignment_sum, &behaviors.alignment, &agent);
        add(behaviors.alignment.rule, steering);
    }
    if acts.cohesion {
        let steering = cohesion_resolve(cohesion_sum, &behaviors.cohesion, &agent);
        add(behaviors.cohesion.rule, steering);
    }
    if acts.unaligned_avoidance {
        let other = buffers.sorted_id[unaligned_avoidance_sum.place as usize];
        let steering = unaligned_avoidance_resolve(unaligned_avoidance_sum, &agent, other);
        add(behaviors.unaligned_avoidance.rule, steering);
    }
    if acts.close_neighbor_avoidance {
        let other = buffers.sorted_id[close_neighbor_avoidance_sum.place as usize];
        let steering = close_neighbor_avoidance_resolve(close_neighbor_avoidance_sum, &agent, other);
        add(behaviors.close_neighbor_avoidance.rule, steering);
    }
    if acts.heading_noise {
        let steering = heading_noise_resolve(heading_noise_sum, &behaviors.heading_noise, &agent);
        add(behaviors.heading_noise.rule, steering);
    }
    if acts.global_alignment {
        let global_alignment = &behaviors.global_alignment;
        let velocity = census_of(buffers, 0) * (model.world.top_speed / buffers.census_sums[12].max(1) as f32);
        let steering = global_alignment_steer(global_alignment, &agent, velocity, census_of(buffers, 3));
        add(global_alignment.rule, steering);
    }
    if acts.flow_field {
        let flow_field = &behaviors.flow_field;
        add(flow_field.rule, flow_field_steer(model, flow_field, &agent));
    }
    if acts.seek {
        let seek = &behaviors.seek;
        add(seek.rule, seek_steer(seek, &agent, &goal(seek.toward)));
    }
    if acts.flee {
        let flee = &behaviors.flee;
        add(flee.rule, flee_steer(flee, &agent, &goal(flee.toward)));
    }
    if acts.arrive {
        let arrive = &behaviors.arrive;
        add(arrive.rule, arrive_steer(arrive, &agent, &goal(arrive.toward)));
    }
    if acts.pursuit {
        let pursuit = &behaviors.pursuit;
        add(pursuit.rule, pursuit_steer(pursuit, &agent, &goal(pursuit.toward)));
    }
    if acts.evasion {
        let evasion = &behaviors.evasion;
        add(evasion.rule, evasion_steer(evasion, &agent, &goal(evasion.toward)));
    }
    if acts.offset_pursuit {
        let offset_pursuit = &behaviors.offset_pursuit;
        add(offset_pursuit.rule, offset_pursuit_steer(offset_pursuit, &agent, &goal(offset_pursuit.toward)));
    }
    if acts.interpose {
        let interpose = &behaviors.interpose;
        let (target, other) = (goal(interpose.toward), goal(interpose.other));
        add(interpose.rule, interpose_steer(model, interpose, &agent, &target, &other));
    }
    if acts.leader_following {
        let leader_following = &behaviors.leader_following;
        add(leader_following.rule, leader_following_steer(leader_following, &agent, &goal(leader_following.toward)));
    }
    if acts.velocity_matching {
        let velocity_matching = &behaviors.velocity_matching;
        add(
            velocity_matching.rule,
            velocity_matching_steer(velocity_matching, &agent, &goal(velocity_matching.toward)),
        );
    }
    if acts.target_speed {
        let target_speed = &behaviors.target_speed;
        add(target_speed.rule, target_speed_steer(target_speed, &agent));
    }
    if acts.obstacle_avoidance {
        let obstacle_avoidance = &behaviors.obstacle_avoidance;
        add(obstacle_avoidance.rule, obstacle_avoidance_steer(model, obstacle_avoidance, &agent));
    }
    if acts.whiskers {
        let whiskers = &behaviors.whiskers;
        add(whiskers.rule, whiskers_steer(model, whiskers, &agent));
    }
    if acts.wall_following {
        let wall_following = &behaviors.wall_following;
        add(wall_following.rule, wall_following_steer(model, wall_following, &agent));
    }
    if acts.containment {
        let containment = &behaviors.containment;
        add(containment.rule, containment_steer(model, containment, &agent));
    }
    if acts.boundary_walls {
        let boundary_walls = &behaviors.boundary_walls;
        add(boundary_walls.rule, boundary_walls_steer(model, boundary_walls, &agent));
    }
    if acts.path_following {
        let path_following = &behaviors.path_following;
        add(path_following.rule, path_following_steer(model, path_following, &agent));
    }
    if acts.stay_on_path {
        let stay_on_path = &behaviors.stay_on_path;
        add(stay_on_path.rule, stay_on_path_steer(model, stay_on_path, &agent));
    }
    if acts.waypoint_following {
        let waypoint_following = &behaviors.waypoint_following;
        remembered.waypoint = waypoint_next(model, waypoint_following, &agent, remembered.waypoint);
        let waypoint = remembered.waypoint;
        add(waypoint_following.rule, waypoint_following_steer(model, waypoint_following, &agent, waypoint));
    }
    if acts.wander {
        let wander = &behaviors.wander;
        let [before, heading] = [remembered.wander, remembered.heading].map(Vec3::from_array);
        let strolled = wander_stroll(wander, &agent, model.world.dt, before, heading);
        remembered.wander = strolled.to_array();
        remembered.heading = forward.to_array();
        add(wander.rule, wander_steer(wander, &agent, strolled));
    }
    if acts.wander_random {
        let wander_random = &behaviors.wander_random;
        add(wander_random.rule, wander_random_steer(wander_random, &agent, model.world.dt));
    }
    if acts.explore {
        let explore = &behaviors.explore;
        let goal = search_ground(model, buffers, &agent, explore.reach as i32, None);
        add(explore.rule, explore_steer(explore, &agent, &goal));
    }
    if acts.forage {
        let forage = &behaviors.forage;
        let [x, y, z] = model.world.ground_cells_per_unit;
        let cells = (forage.search_radius * x.max(y.max(z))).min(100.0).ceil();
        let goal = search_ground(model, buffers, &agent, cells as i32, Some(forage.search_radius));
        add(forage.rule, forage_steer(forage, &agent, &goal));
    }
    let (mut total, winner) = combine_finish(&combined, own, &agent);
    if features.remembers {
        if steers {
            if features.selects_actions {
                if state != remembered.state {
                    remembered.since = step;
                }
                remembered.state = state;
                if unloads {
                    remembered.load = 0;
                }
            }
            if features.prioritizes {
                remembered.winner = winner;
            }
            if agent.moves_as_desired {
                total = velocity + total * agent.time_constant;
            }
            if own.smoothing < 1.0 {
                let held = Vec3::from_array(remembered.held);
                total = held + (total - held) * own.smoothing;
            }
            if features.skips || features.smooths {
                remembered.held = total.to_array();
            }
        } else {
            total = Vec3::from_array(remembered.held);
        }
        if agent.moves_as_desired {
            total = (total - velocity) / agent.time_constant;
        }
    }
    total += containment(model, position, agent.max_acceleration);
    let mut turn = Vec3::ZERO;
    let max_angular_speed = own.vehicle.max_angular_speed;
    let mut turner = Turner { spin: Vec3::ZERO, up: Vec3::Z, max_angular_speed, interval: agent.interval };
    if features.turns && !buffers.pose.is_empty() {
        turner.spin = Vec3::from_array(buffers.pose[id as usize].spin);
        turner.up = Vec3::from_array(buffers.pose[id as usize].up);
    }
    let mut add_turn = |rule: Rule, part: Vec3| {
        turn += if rule_acts(rule, state) { part * rule.weight } else { Vec3::ZERO };
    };
    if acts.align {
        let align = &behaviors.align;
        add_turn(align.rule, align_turn(align, &agent, &turner, &goal(align.toward)));
    }
    if acts.face {
        let face = &behaviors.face;
        add_turn(face.rule, face_turn(face, &agent, &turner, &goal(face.toward)));
    }
    if acts.look_where_you_go {
        let look_where_you_go = &behaviors.look_where_you_go;
        add_turn(look_where_you_go.rule, look_where_you_go_turn(look_where_you_go, &agent, &turner));
    }
    if acts.angular_velocity_matching {
        let angular_velocity_matching = &behaviors.angular_velocity_matching;
        add_turn(
            angular_velocity_matching.rule,
            angular_velocity_matching_turn(
                angular_velocity_matching,
                &agent,
                &turner,
                &goal(angular_velocity_matching.toward),
            ),
        );
    }
    // Drivers do not agree on the sign of a product with 0, so a 0 has none.
    let turn = Vec3::from_array(turn.to_array().map(|x| if x == 0.0 { 0.0 } else { x }));
    // In the shader all of the turning is in a branch.
    let turning = match features.turns && !steers {
        true => buffers.turning[id as usize],
        false if model.spatial => turn.to_array(),
        false => [0.0, 0.0, turn.z],
    };
    Steering { acceleration: model.store(total), turning, perceived, memory: remembered }
}

/// The nearest agent that a query sees.
fn find_nearest(
    model: &Model,
    buffers: &Buffers,
    query: Vision,
    place: usize,
    position: Vec3,
    forward: Vec3,
) -> Nearest {
    let mut nearest = Nearest::default();
    if query.radius_squared < 0.0 {
        return nearest;
    }
    visit_rows(model, &buffers.cell_start, query.radius_squared.sqrt(), position, |first, last, half_way| {
        let from_here = position - half_way;
        for other in first as usize..last as usize {
            let offset = Vec3::from_array(buffers.sorted_position[other]) + half_way - from_here;
            let distance_squared = dot3(offset, offset);
            let asked = (query.species >> model.species_of(buffers.sorted_id[other])) & 1;
            if other != place && asked == 1 {
                nearest = nearest_add(nearest, query, offset, distance_squared, forward, other as u32);
            }
        }
    });
    nearest
}

/// Call `visit` with each range of places, and half of the way to its image, that the agent's circle or sphere can touch:
/// rows by z, then y, each clipped to the chord at the row's nearest distance. In the shader these are the loops around
/// the neighbor loop.
fn visit_rows(model: &Model, cell_start: &[u32], radius: f32, position: Vec3, mut visit: impl FnMut(u32, u32, Vec3)) {
    let world = &model.world;
    let reach = radius + world.search_margin;
    let margin = world.search_margin;
    let [cells_x, cells_y, cells_z] = world.cells;
    let wraps = model.boundary.map(|b| b == Boundary::Wrap);
    let [half_x, half_y, half_z] = world.half_size;
    let rows_y = cell_range(position.y, reach, half_y, world.cells_per_unit[1], cells_y, wraps[1]);
    let mut rows_z = (0, 0);
    if model.spatial {
        rows_z = cell_range(position.z, reach, half_z, world.cells_per_unit[2], cells_z, wraps[2]);
    }
    for z in rows_z.0..=rows_z.1 {
        let period_z = if wraps[2] { period_of(z, cells_z) } else { 0 };
        let home_z = z - period_z * cells_z as i32;
        let mut distance_z = 0.0;
        if model.spatial {
            distance_z = row_distance(position.z, z, half_z, world.cell_size[2], cells_z, wraps[2], margin);
        }
        for y in rows_y.0..=rows_y.1 {
            let period_y = if wraps[1] { period_of(y, cells_y) } else { 0 };
            let home_y = y - period_y * cells_y as i32;
            let distance_y = row_distance(position.y, y, half_y, world.cell_size[1], cells_y, wraps[1], margin);
            let rest = reach * reach - distance_y * distance_y - distance_z * distance_z;
            if rest < 0.0 {
                continue;
            }
            let chord = rest.sqrt() + margin;
            let row_start = (home_z as u32 * cells_y + home_y as u32) * cells_x;
            let range = cell_range(position.x, chord, half_x, world.cells_per_unit[0], cells_x, wraps[0]);
            let mut x = range.0;
            while x <= range.1 {
                let period_x = if wraps[0] { period_of(x, cells_x) } else { 0 };
                let home_x = x - period_x * cells_x as i32;
                let length = (range.1 - x).min(cells_x as i32 - 1 - home_x);
                let periods = Vec3::new(period_x as f32, period_y as f32, period_z as f32);
                let half_way = periods * Vec3::from_array(world.half_size);
                let first = cell_start[(row_start + home_x as u32) as usize];
                let last = cell_start[(row_start + (home_x + length) as u32) as usize + 1];
                visit(first, last, half_way);
                x += length + 1;
            }
        }
    }
}

/// Acceleration away from contained walls. In the shader it is in `boundary.wgsl`.
fn containment(model: &Model, position: Vec3, strongest: f32) -> Vec3 {
    let world = &model.world;
    let along = |axis: usize| match model.boundary[axis] {
        Boundary::Contain => containment_along(position[axis], world.half_size[axis], world.margin, strongest),
        _ => 0.0,
    };
    Vec3::new(along(0), along(1), if model.spatial { along(2) } else { 0.0 })
}
