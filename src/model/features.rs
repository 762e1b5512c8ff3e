//! What a scene uses, so that it pays for nothing else: the overrides of `specialization.wgsl` that follow from a scene.
//!
//! They are the GPU's alone. The reference reads the scene, so a flag that is wrong here is seen by `verify`.

use super::Species;
use crate::scene::{self, BehaviorKind, BehaviorSpec, Combine, Condition, Scene, Setting, Target};

macro_rules! flags {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $flag:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $name { $($(#[$about])* pub $flag: bool),* }

        impl $name {
            /// Each flag with its name.
            pub fn flags(&self) -> Vec<(&'static str, bool)> {
                vec![$((stringify!($flag), self.$flag)),*]
            }
        }
    };
}

flags! {
    /// The overrides that follow from a scene; what each means is said in `specialization.wgsl`.
    Features {
        /// Is there more than one species?
        many_species,
        /// Does any agent look at others at all?
        neighborhood,
        /// Does any agent see less than all around it?
        cones,
        /// Are some species not perceived by some behavior?
        masks,
        /// Does any agent ask for the nearest of a species?
        queries,
        /// Does any ask for the nearest of two?
        two_queries,
        /// Do so few agents ask that the search goes through them alone?
        few_ask,
        /// Does any agent perceive its k nearest only?
        topological,
        /// Are there targets that are points?
        tracks_points,
        /// Are there targets that are agents by their id?
        tracks_agents,
        /// Is the flow field a target, or asked for by a rule?
        tracks_field,
        /// Are there targets on paths?
        tracks_paths,
        /// Does any species combine unit vectors?
        normalizes,
        /// Does any species combine by priority?
        prioritizes,
        /// Are there action states?
        selects_actions,
        /// Does any agent steer in some steps only?
        skips,
        /// Is steering held from step to step?
        holds,
        /// Does any agent take from the resource of the ground?
        forages,
        /// Does any agent turn by itself?
        turns,
    }
}

impl Features {
    /// What the scene uses, given the behaviors that act in it and its rows.
    pub fn new(scene: &Scene, acting: &[&BehaviorSpec], rows: &[Species]) -> Features {
        let living = || scene.species.iter().filter(|s| s.count > 0);
        let any_target = |found: fn(&Target) -> bool| living().any(|s| s.targets().any(|target| found(&target)));
        let any_rule = |found: fn(Condition) -> bool| living().any(|s| s.rules.iter().any(|rule| found(rule.when)));
        let of_kind = |kind: BehaviorKind| acting.iter().any(|b| b.kind == kind);
        let queries = |count: usize| {
            rows.iter().any(|s| s.count > 0 && s.queries.iter().filter(|q| q.species != 0).count() >= count)
        };
        let askers = rows.iter().filter(|s| s.asks()).map(|s| s.count).sum::<u32>();
        let skips = living().any(|s| s.update_every > 1);
        Features {
            many_species: rows.len() > 1,
            neighborhood: of_kind(BehaviorKind::Neighborhood),
            cones: living().any(sees_less),
            masks: masks(scene),
            queries: queries(1),
            two_queries: queries(2),
            few_ask: queries(1) && 8 * askers <= scene.agent_count(),
            topological: living().any(|s| s.k_nearest > 0),
            tracks_points: any_target(|t| matches!(t, Target::Point(_) | Target::Mouse)),
            tracks_agents: any_target(|t| matches!(t, Target::Agent(_) | Target::Leader(_))),
            tracks_paths: any_target(|t| matches!(t, Target::Path(_))),
            tracks_field: any_target(|t| *t == Target::Field)
                || any_rule(|w| matches!(w, Condition::FieldAbove | Condition::FieldBelow)),
            normalizes: living().any(|s| s.combine == Combine::Normalized),
            prioritizes: living().any(|s| matches!(s.combine, Combine::Priority | Combine::Budget | Combine::Dithered)),
            // Who has no rules stays in the first state, in which not every behavior need act.
            selects_actions: living()
                .any(|s| !s.rules.is_empty() || s.behaviors.iter().any(|b| b.acts() && b.states & 1 == 0)),
            skips,
            holds: skips || living().any(|s| s.smoothing_time > 0.0),
            forages: acting.iter().any(|b| b.mentions("nearest_resource")),
            turns: of_kind(BehaviorKind::Angular),
        }
    }
}

/// Does any behavior of a species see less than all around?
fn sees_less(species: &scene::Species) -> bool {
    species.described().filter(|(_, behavior)| behavior.acts()).any(|(spec, behavior)| {
        let mut settings = spec.parameters.iter().zip(&behavior.parameters);
        settings.any(|(parameter, setting)| parameter.name == "field_of_view" && setting.number() < 360.0)
    })
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
