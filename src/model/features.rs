//! What a scene uses, so that it pays for nothing else: the overrides of `specialization.wgsl` that follow from a scene,
//! of which the build script makes [`Features`] and [`Vehicles`].
//!
//! Only the GPU uses them. The reference reads the scene, so `verify` finds a flag that is wrong here.

use super::Species;
use crate::scene::{
    self, BehaviorKind, BehaviorSpec, Boundary, Combine, CombineWithin, Condition, Scene, Setting, Target,
};
use crate::scene::{Integrator, Locomotion, Vehicle};

include!(concat!(env!("OUT_DIR"), "/flags.rs"));

impl Features {
    /// What the scene uses, given its active behaviors and the rows of its species.
    pub fn new(scene: &Scene, active_behaviors: &[&BehaviorSpec], rows: &[Species]) -> Features {
        let living = || scene.species.iter().filter(|s| s.count > 0);
        let any_target = |found: fn(&Target) -> bool| living().any(|s| s.targets().any(|target| found(&target)));
        let any_rule = |found: fn(Condition) -> bool| living().any(|s| s.rules.iter().any(|rule| found(rule.when)));
        let of_kind = |kind: BehaviorKind| active_behaviors.iter().any(|b| b.kind == kind);
        let queries = |count: usize| {
            rows.iter().any(|s| s.count > 0 && s.queries.iter().filter(|q| q.species != 0).count() >= count)
        };
        let querying_agents = rows.iter().filter(|s| s.has_queries()).map(|s| s.count).sum::<u32>();
        let skips = living().any(|s| s.update_every > 1);
        Features {
            wraps: scene.world.boundary.contains(&Boundary::Wrap),
            many_species: rows.len() > 1,
            neighborhood: of_kind(BehaviorKind::Neighborhood),
            cones: living().any(|s| perceives_with(s, |name, value| name == "field_of_view" && value < 360.0)),
            inner_radii: living().any(|s| perceives_with(s, |name, value| name == "inner_radius" && value > 0.0)),
            masks: masks(scene),
            queries: queries(1),
            many_queries: queries(2),
            few_queries: queries(1) && 8 * querying_agents <= scene.agent_count(),
            topological: living().any(|s| s.k_nearest > 0),
            many_nearest: living().any(|s| s.k_nearest > 8),
            tracks_points: any_target(|t| matches!(t, Target::Point(_) | Target::Mouse)),
            tracks_agents: any_target(|t| matches!(t, Target::Agent(_) | Target::Leader(_))),
            tracks_paths: any_target(|t| matches!(t, Target::Path(_))),
            tracks_trajectories: any_target(|t| matches!(t, Target::Trajectory(_))),
            tracks_goals: living().any(|s| s.goal().is_some()),
            foresees_ways: any_target(|t| matches!(t, Target::Goal { prediction_time, .. } if *prediction_time > 0.0)),
            // These follow from the grid and the scenery: `CompiledScene` sets them afterwards.
            folds: false,
            moves: false,
            field_changes: false,
            obstacles_turn: false,
            many_obstacles: false,
            boxes_or_capsules: false,
            boxes_from_within: false,
            capsules: false,
            walled: false,
            by_grid: false,
            occludes: false,
            some_away: false,
            tracks_field: any_target(|t| *t == Target::Field)
                || any_rule(|w| matches!(w, Condition::FieldAbove | Condition::FieldBelow)),
            normalizes: living().any(|s| s.combine == Combine::Normalized),
            prioritizes: living().any(|s| s.combine.has_priorities()),
            combines_within: living().any(|s| s.combine_within.iter().any(|way| *way != CombineWithin::Weighted)),
            // An agent without transitions stays in the first state, in which some behaviors may be inactive.
            selects_actions: living()
                .any(|s| !s.rules.is_empty() || s.behaviors.iter().any(|b| b.is_active() && b.states & 1 == 0)),
            skips,
            holds: skips || living().any(|s| s.smoothing_time > 0.0),
            forages: active_behaviors.iter().any(|b| b.mentions("nearest_resource")),
            turns: of_kind(BehaviorKind::Angular),
            varies: living().any(|s| s.variation.bodies_differ()),
            vehicles_vary: living().any(|s| s.variation.vehicles_differ()),
            reweighs: living().any(|s| s.weight_rows().len() > 1),
            weights_vary: living().any(|s| s.behaviors.iter().any(|b| b.is_active() && b.weight_spread > 0.0)),
            jitters: living().any(|s| s.behaviors.iter().any(|b| b.is_active() && b.jitter > 0.0)),
            limits: living().any(|s| s.behaviors.iter().any(|b| b.is_active() && b.limit > 0.0)),
            crowds: scene.agent_count() > scene.crowd(),
            states_change_limits: living().any(|s| s.states_change_bodies()),
            leaves: living().any(|s| s.leaves.is_some()),
        }
    }
}

/// Does an active behavior of a species have a parameter for whose key and number `such` holds?
fn perceives_with(species: &scene::Species, such: fn(&str, f32) -> bool) -> bool {
    species.described().filter(|(_, behavior)| behavior.is_active()).any(|(spec, behavior)| {
        let mut settings = spec.parameters.iter().zip(&behavior.parameters);
        settings.any(|(parameter, setting)| such(parameter.name, setting.number()))
    })
}

/// Is there an active behavior that does not perceive all species that have agents?
fn masks(scene: &Scene) -> bool {
    let all = (0..scene.species.len()).filter(|s| scene.species[*s].count > 0).fold(0u32, |mask, s| mask | 1 << s);
    let partial = |mask: u32| mask & all != all;
    scene.species.iter().filter(|s| s.count > 0).any(|species| {
        let active_behaviors = species.behaviors.iter().filter(|b| b.is_active()).flat_map(|b| &b.parameters);
        let mut by_behavior = active_behaviors.filter_map(|setting| match setting {
            Setting::Species(mask) => Some(mask.unwrap_or(species.perceives)),
            _ => None,
        });
        by_behavior.any(partial)
    })
}

impl Vehicles {
    /// What the species of a scene use.
    pub fn new(scene: &Scene) -> Vehicles {
        let any = |uses: fn(&Vehicle) -> bool| scene.species.iter().any(|s| s.count > 0 && uses(&s.vehicle));
        Vehicles {
            pose: any(Vehicle::keeps_pose),
            turn_first: any(|v| v.locomotion == Locomotion::TurnFirst),
            grip: any(|v| v.locomotion == Locomotion::TurnFirst && v.grip.is_some()),
            kinematic: any(|v| v.locomotion == Locomotion::Kinematic),
            explicit_euler: any(|v| v.integrator == Integrator::Explicit),
            drag: any(|v| v.linear_drag > 0.0 || v.quadratic_drag > 0.0),
            low_speed: any(|v| v.low_speed > 0.0),
            banking: any(|v| v.banking.is_some()),
            surface: any(|v| v.hugs_surface),
            mesh: matches!(scene.scenery.surface, Some(scene::Surface::Mesh { .. })),
        }
    }
}
