//! What a scene uses, so that it pays for nothing else: the overrides of `specialization.wgsl` that follow from a scene.

use super::Species;
use crate::scene::{BEHAVIORS, BehaviorKind, Combine, Condition, PREDICTIONS, Scene, Setting, Target};

macro_rules! flags {
    ($(#[$doc:meta])* $name:ident from names { $($flag:ident),* $(,)? }) => {
        flags! { $(#[$doc])* $name { $($flag),* } }

        impl $name {
            /// Ask for each flag by its name.
            pub fn new(asked: impl Fn(&str) -> bool) -> $name {
                $name { $($flag: asked(stringify!($flag))),* }
            }
        }
    };
    ($(#[$doc:meta])* $name:ident { $($flag:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[allow(missing_docs)] // described in the shader
        pub struct $name { $(pub $flag: bool),* }

        impl $name {
            /// Each flag with its name.
            pub fn flags(&self) -> Vec<(&'static str, bool)> {
                vec![$((stringify!($flag), self.$flag)),*]
            }
        }
    };
}

flags! {
    /// For each behavior: does any species use it?
    Acts from names {
        separation,
        alignment,
        cohesion,
        unaligned_avoidance,
        close_neighbor_avoidance,
        heading_noise,
        global_alignment,
        flow_field,
        seek,
        flee,
        arrive,
        pursuit,
        evasion,
        offset_pursuit,
        interpose,
        leader_following,
        velocity_matching,
        target_speed,
        obstacle_avoidance,
        whiskers,
        wall_following,
        containment,
        boundary_walls,
        path_following,
        stay_on_path,
        waypoint_following,
        wander,
        wander_random,
        explore,
        forage,
        align,
        face,
        look_where_you_go,
        angular_velocity_matching,
    }
}

flags! {
    /// The other overrides that follow from a scene.
    Features {
        many_species,
        neighborhood,
        sees_velocity,
        sees_heading,
        sees_species,
        sees_bodies,
        masks,
        falloffs,
        forms,
        queries,
        two_queries,
        few_ask,
        topological,
        tracks_points,
        tracks_agents,
        tracks_headings,
        tracks_field,
        tracks_paths,
        normalizes,
        prioritizes,
        selects_actions,
        skips,
        smooths,
        remembers,
        clocked,
        turns,
    }
}

impl Features {
    /// What the scene uses, given its behaviors and its rows.
    pub fn new(scene: &Scene, acts: &Acts, rows: &[Species]) -> Features {
        let living = || scene.species.iter().filter(|s| s.count > 0);
        let any_target = |found: fn(&Target) -> bool| living().any(|s| s.targets().any(|target| found(&target)));
        let any_rule = |found: fn(Condition) -> bool| living().any(|s| s.rules.iter().any(|rule| found(rule.when)));
        let of_kind = |kind: BehaviorKind| BEHAVIORS.iter().any(|b| b.kind == kind && scene.uses(b.name));
        let queries = |count: usize| {
            rows.iter().any(|s| s.count > 0 && s.queries.iter().filter(|q| q.species != 0).count() >= count)
        };
        let askers = rows.iter().filter(|s| s.asks()).map(|s| s.count).sum::<u32>();
        // Does a behavior act with another value of a parameter than this?
        let any_parameter = |behavior: &str, parameter: &str, value: f32| {
            living().any(|s| s.behavior(behavior).acts() && s.parameter(behavior, parameter) != value)
        };
        let nine_cases = PREDICTIONS.iter().position(|rule| *rule == "nine_cases").map(|index| index as f32);
        let predicts_by_heading = |behavior: &str| {
            living().any(|s| s.behavior(behavior).acts() && Some(s.parameter(behavior, "prediction")) == nine_cases)
        };
        let topological = living().any(|s| s.k_nearest > 0);
        // Who has no rules stays in the first state, in which not every behavior need act.
        let selects_actions =
            living().any(|s| !s.rules.is_empty() || s.behaviors.iter().any(|b| b.acts() && b.states & 1 == 0));
        let skips = living().any(|s| s.update_every > 1);
        let smooths = living().any(|s| s.smoothing_time > 0.0);
        let dithers = living().any(|s| s.combine == Combine::Dithered);
        let prioritizes = dithers || living().any(|s| matches!(s.combine, Combine::Priority | Combine::Budget));
        let masks = masks(scene);
        let sees_bodies = acts.unaligned_avoidance || acts.close_neighbor_avoidance;
        let draws = acts.wander || acts.wander_random || acts.heading_noise || acts.explore || acts.forage;
        Features {
            many_species: rows.len() > 1,
            neighborhood: of_kind(BehaviorKind::Neighborhood),
            sees_heading: acts.heading_noise || any_parameter("alignment", "mode", 0.0),
            falloffs: any_parameter("separation", "exponent", 1.0),
            forms: any_parameter("separation", "form", 0.0) || any_parameter("cohesion", "form", 0.0),
            sees_velocity: acts.alignment || acts.unaligned_avoidance || acts.heading_noise,
            sees_species: masks || sees_bodies,
            sees_bodies,
            masks,
            queries: queries(1),
            two_queries: queries(2),
            few_ask: queries(1) && 8 * askers <= scene.agent_count(),
            topological,
            tracks_points: any_target(|t| matches!(t, Target::Point(_) | Target::Mouse)),
            tracks_agents: any_target(|t| matches!(t, Target::Agent(_) | Target::Leader(_))),
            tracks_headings: acts.align
                || acts.leader_following
                || acts.offset_pursuit
                || predicts_by_heading("pursuit")
                || predicts_by_heading("evasion"),
            tracks_paths: any_target(|t| matches!(t, Target::Path(_))),
            tracks_field: any_target(|t| *t == Target::Field)
                || any_rule(|w| matches!(w, Condition::FieldAbove | Condition::FieldBelow)),
            normalizes: living().any(|s| s.combine == Combine::Normalized),
            prioritizes,
            selects_actions,
            skips,
            smooths,
            remembers: selects_actions
                || skips
                || smooths
                || prioritizes
                || acts.wander
                || acts.waypoint_following
                || acts.forage,
            clocked: selects_actions || skips || dithers || draws,
            turns: of_kind(BehaviorKind::Angular),
        }
    }
}

/// Does any agent look for others but not for all of them?
fn masks(scene: &Scene) -> bool {
    let all = (0..scene.species.len()).filter(|s| scene.species[*s].count > 0).fold(0u32, |mask, s| mask | 1 << s);
    let partial = |mask: u32| mask & all != all;
    scene.species.iter().filter(|s| s.count > 0).any(|species| {
        let acting = species.behaviors.iter().filter(|b| b.acts()).flat_map(|b| &b.parameters);
        let by_behavior = acting.filter_map(|setting| match setting {
            Setting::Species(mask) => Some(mask.unwrap_or(species.perceives)),
            _ => None,
        });
        let by_rank = (species.k_nearest > 0).then_some(species.perceives);
        by_behavior.chain(by_rank).any(partial)
    })
}
