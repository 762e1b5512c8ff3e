//! The laws of `steerling conform`: all hold on both backends, and each finds the mistake that it names.

mod table_of_dialects;

use std::collections::BTreeSet;
use steerling::gpu::shaders::Sources;
use steerling::gpu::{Gpu, Options};
use steerling::scene::BEHAVIORS;
use steerling_conform::{
    Backend, Bench, Case, Draw, GROUPS, Law, Mutant, Power, SEED, Setup, Trial, Tried, conform, functions, in_both,
    norm, power, select, try_law,
};
use support::{every_gpu, gpu, gpu_of_its_own};

/// The GPU with a mistake in one shader.
fn mutated(gpu: &Gpu, law: &str, mutant: &Mutant) -> Backend {
    let mut options = Options::default();
    mutant.apply(&mut options.shaders).unwrap_or_else(|e| panic!("{law}: {e}"));
    Backend::Gpu(Box::new(gpu.clone()), Box::new(options))
}

/// Laws with fewer than twenty cases on a backend, and why: more would cost too much.
const FEW: [(&str, &str); 7] = [
    ("map_walls_hold", "each case is a maze in which a hundred bodies wander for 60 steps"),
    ("trail_condenses", "each case compares two worlds of hundreds who lay a trail for 400 steps"),
    ("trail_short_way", "each case takes four worlds of ants that go to and fro for 2,400 steps"),
    ("vicsek_walk", "4,096 walkers and up to 50 steps for each mean square, known to 6 % then"),
    ("wander_circle_variance", "21,000 strolls of 3,000 agents for each variance, known to 5 % then"),
    ("wander_sphere_variance", "21,000 strolls of 3,000 agents for each mean, known to 3.5 % then"),
    (
        "zones_dynamic_and_highly_parallel",
        "groups of fifty in space take 400 steps to settle, and are looked at for longer",
    ),
];

fn all_hold(group: &str) {
    let laws: Vec<_> = select("").into_iter().filter(|(g, _)| g.name == group).collect();
    let on = |gpu: &Gpu| Backend::Gpu(Box::new(gpu.clone()), Box::default());
    let backends: Vec<Backend> = std::iter::once(Backend::Cpu).chain(every_gpu().iter().map(on)).collect();
    let report = conform(&laws, &backends, SEED, |_| ()).unwrap();
    for outcome in report.outcomes.iter().filter(|outcome| !outcome.pass) {
        let failed = outcome.trials.iter().flat_map(|t| t.cases.iter().filter(|c| !c.pass).map(|c| (t.backend, c)));
        println!("{} ({} cases differ in bits): {:#?}", outcome.law, outcome.differing, failed.collect::<Vec<_>>());
    }
    assert!(report.pass, "{} of {} cases fail", report.failed, report.cases);
    for outcome in &report.outcomes {
        assert_eq!(outcome.trials.len(), backends.len());
        let is_few = FEW.iter().any(|(law, _)| *law == outcome.law);
        for Trial { backend, cases, .. } in &outcome.trials {
            assert_eq!(cases.len() < 20, is_few, "{} on {backend}: {} cases", outcome.law, cases.len());
        }
    }
}

/// Laws hold for more than one lucky draw. The reference is enough: if the GPU had other bits, `all_hold` would tell.
fn hold_for_another_seed(group: &str) {
    let laws = GROUPS.iter().find(|g| g.name == group).unwrap().laws;
    let broken = |law: &&Law| !law.holds(Bench::new(&Backend::Cpu), SEED + 1).unwrap();
    let broken: Vec<_> = laws.iter().filter(broken).map(|law| law.name).collect();
    assert!(broken.is_empty(), "steerling conform --only cpu --seed {}: {broken:?}", SEED + 1);
}

fn mistakes_are_found(group: &str) {
    let laws = GROUPS.iter().find(|g| g.name == group).unwrap().laws;
    let gpu = gpu_of_its_own();
    let survives = |law: &&Law| {
        let holds = law.holds(Bench::new(&mutated(&gpu, law.name, &law.mutant)), SEED);
        holds.unwrap_or_else(|e| panic!("{}: the mutant gives no verdict: {e}", law.name))
    };
    let survivors: Vec<_> = laws.iter().filter(survives).map(|law| (law.name, law.mutant.mistake)).collect();
    assert!(survivors.is_empty(), "not noticed: {survivors:?}");
}

/// Three tests for each group of laws, so that groups run side by side.
macro_rules! groups {
    ($($group:ident $path:literal)*) => {
        $(mod $group {
            #[test]
            fn laws_hold() {
                super::all_hold(stringify!($group));
            }

            #[test]
            fn laws_hold_for_another_seed() {
                super::hold_for_another_seed(stringify!($group));
            }

            #[test]
            fn mistakes_are_found() {
                super::mistakes_are_found(stringify!($group));
            }
        })*
    };
}

include!(concat!(env!("OUT_DIR"), "/law_groups.rs"));

#[test]
fn laws_say_what_they_are() {
    let mut names = BTreeSet::new();
    for (group, law) in select("") {
        assert!(names.insert(law.name), "two laws are called {}", law.name);
        assert!(law.name.len() <= 34 && law.name.chars().all(|c| c.is_ascii_lowercase() || "_0123456789".contains(c)));
        let texts = [law.statement, law.source, law.mutant.mistake];
        assert!(texts.iter().all(|text| text.len() > 3 && !text.contains('\n')), "{}: {}", group.name, law.name);
    }
    assert!(FEW.iter().all(|(law, _)| names.contains(law)), "FEW has a law that does not exist");
}

/// A law that the desired speed of an agent at rest is 5 u/s, within this bound.
fn stands_still(bench: &Bench, bound: f64) -> Tried {
    let mut setup = Setup::open(false, 0.01);
    let seek = "max_speed = 5\nmax_force = 1e9\ntime_constant = 1\nbehaviors.seek = { target = { point = [100, 0] } }";
    setup.agent(seek, [0.0; 3], [0.0; 3]);
    let found = norm(bench.steering(&setup)?.accelerations[0]);
    bench.tried(Case::relative(&[], 5.0, found, bound))
}

#[test]
fn a_loose_bound_is_no_power() {
    let mutant = Mutant { function: "seek_steer", from: "", to: "", mistake: "none" };
    let law = |check| Law { name: "seek_loose", statement: "none", source: "none", mutant, check };
    let [loose, tight] = [law(|bench, _| stands_still(bench, 0.2)), law(|bench, _| stands_still(bench, 0.02))]
        .map(|law| power(&law, SEED).unwrap());
    let found = |powers: &[Power]| powers.iter().map(|p| (p.number.clone(), p.finds)).collect::<Vec<_>>();
    let both = |finds| vec![("max_speed".to_owned(), Some(finds)), ("time_constant".to_owned(), Some(finds))];
    assert_eq!((found(&loose), found(&tight)), (both(0.3), both(0.03)));
}

#[test]
fn every_behavior_has_a_law_that_finds_a_mistake_in_it() {
    let guarded: BTreeSet<&str> = select("").iter().map(|(_, law)| law.mutant.function).collect();
    let sources = Sources::default();
    for behavior in BEHAVIORS.iter() {
        let shader = sources.text(&format!("behaviors/{}.wgsl", behavior.name)).unwrap();
        assert!(functions(shader).iter().any(|(name, _)| guarded.contains(name)), "{}", behavior.name);
    }
}

/// The draws of a law depend on its name and the seed, not on what else runs.
#[test]
fn seeds_decide_the_draws() {
    let laws = select("");
    let (_, law) = laws.first().unwrap();
    let cases = |seed| try_law(law, &Backend::Cpu, seed).unwrap().cases;
    assert_eq!(cases(SEED), cases(SEED));
    assert_ne!(cases(SEED), cases(SEED + 1));
    // So does the seed of its scenes, which is another one in space.
    fn pushed(bench: &Bench, _: &mut Draw, spatial: bool) -> Tried {
        let mut setup = Setup::open(spatial, 0.01);
        setup.agent("behaviors.wander_random = {}", [0.0; 3], [0.0; 3]);
        bench.tried(Case::absolute(&[], 0.0, bench.steering(&setup)?.accelerations[0][0], 1e9))
    }
    let chance = Law { name: "chance", check: |bench, draw| in_both(bench, draw, pushed), ..**law };
    let cases = |seed| chance.cases(Bench::new(&Backend::Cpu), seed).unwrap();
    assert_eq!(cases(SEED), cases(SEED));
    assert_ne!(cases(SEED)[0], cases(SEED + 1)[0]);
    assert_ne!(cases(SEED)[0], cases(SEED)[1]);
}

/// The report has what its readers need, also for values that are not finite.
#[test]
fn the_report_is_json() {
    let (group, law) = select("").remove(0);
    let report =
        conform(&[(group, law)], &[Backend::Cpu, mutated(&gpu(), law.name, &law.mutant)], SEED, |_| ()).unwrap();
    let json: serde_json::Value = serde_json::to_value(&report).unwrap();
    assert_eq!((&json["pass"], &json["laws"], &json["seed"]), (&false.into(), &1.into(), &SEED.into()));
    let outcome = &json["outcomes"][0];
    assert_eq!(outcome["law"], law.name);
    for key in ["statement", "source", "group"] {
        assert!(outcome[key].is_string(), "{key}");
    }
    assert_eq!(outcome["mutant"]["function"], law.mutant.function);
    let trials = outcome["trials"].as_array().unwrap();
    assert_eq!(trials.iter().map(|t| t["pass"].as_bool()).collect::<Vec<_>>(), [Some(true), Some(false)]);
    for case in trials.iter().flat_map(|trial| trial["cases"].as_array().unwrap()) {
        assert!(["expected", "measured", "error", "bound"].iter().all(|key| case[key].is_number()), "{case}");
        assert!(case["parameters"].is_object() && case["kind"].is_string() && case["pass"].is_boolean());
    }
}

#[test]
fn a_case_passes_within_its_bound_and_never_without_a_number() {
    assert!(Case::relative(&[], 2.0, 2.002, 1e-3 + 1e-9).pass);
    assert!(!Case::relative(&[], 2.0, 2.003, 1e-3).pass);
    assert!(Case::at_most(&[], 5.0, 4.0, 0.0).pass && !Case::at_most(&[], 5.0, 5.1, 0.0).pass);
    assert!(Case::at_least(&[], 5.0, 6.0, 0.0).pass && !Case::at_least(&[], 5.0, 4.9, 0.0).pass);
    assert!(!Case::vector(&[], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], 0.1).pass, "the direction counts");
    for nothing in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(!Case::absolute(&[], 1.0, nothing, 1e9).pass);
        assert!(!Case::at_most(&[], 1.0, nothing, 1e9).pass && !Case::at_least(&[], 1.0, nothing, 1e9).pass);
    }
    assert!(!Case::relative(&[], 0.0, 0.0, 1.0).pass, "a share of nothing is no number");
    assert_eq!(Case::absolute(&[], 1.0, 1.5, 1.0).error_over_bound(), 0.5);
    assert_eq!(
        (Case::holds(&[], true, true).error_over_bound(), Case::holds(&[], true, false).error_over_bound()),
        (0.0, f64::INFINITY)
    );
}
