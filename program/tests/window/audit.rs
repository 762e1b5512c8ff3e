//! Audits of steps: the reference beside the GPU, for those who are picked and for a sample.

use super::super::session::audit::AuditedAgent;
use super::dashboard::shown_figures;
use super::*;
use support::{gpu_of_its_own, rewritten};

/// A paused run of these shaders.
fn started(name: &str, options: Options) -> Session {
    let scene = tuned(name, &[]);
    let scene = scene.with_agents(600).unwrap_or(scene);
    Session::new(&gpu_of_its_own(), scene, options, true, None).expect("a session")
}

/// Wait for what the audit on its way tells.
fn told(session: &mut Session) -> Vec<AuditedAgent> {
    wait("an audit", || session.audit().expect("a device")).expect("an answer")
}

/// In worlds of all kinds the step stores what the reference says, to the bit; where the device rounds as it is written.
#[test]
fn nobody_differs_with_the_right_shaders() {
    for name in ["flock", "murmuration", "crossroads", "actions", "priority", "runners", "evacuation"] {
        let mut session = started(name, Options::default());
        session.audits.picked = vec![7];
        session.step(30).expect("steps");
        let all = told(&mut session);
        let seven = all.iter().find(|told| told.why.agent == 7).expect("the one that is picked");
        let compared = seven.compared.expect("the step is taken");
        assert_eq!(seven.why.steps, 29, "{name}: of the state before the step");
        assert!(seven.why.adds_up() && compared.ulps == 0, "{name}: {compared:?}");
        assert_eq!(compared.stored.map(|x| x.map(f32::to_bits)), Some(seven.why.acceleration.map(f32::to_bits)));
        let totals = &session.audits.totals;
        assert!(totals.checked > 30 && totals.differing == 0 && totals.found.is_none(), "{name}: {totals:?}");
        let whole: f32 = totals.shares[0].of.iter().map(|(_, share)| share).sum();
        assert!(totals.shares[0].agents > 3 && whole > 0.0, "{name}: {totals:?}");
        // The answer stays: nobody asks about the step to come.
        assert!(session.audit().expect("a device").is_none() && !session.auditing(), "{name}");
    }
}

/// Picked at rest, an agent is asked about the step to come, which nothing is compared with until it is taken.
#[test]
fn a_step_to_come_is_compared_when_it_is_taken() {
    let mut session = session("flock", &[]);
    session.audits.picked = vec![12];
    let before = told(&mut session).swap_remove(0);
    assert_eq!((before.why.steps, before.compared), (0, None));
    session.step(1).expect("a step");
    let all = told(&mut session);
    let after = all.iter().find(|told| told.why.agent == 12).expect("the one that is picked");
    assert_eq!(after.why, before.why, "the same step");
    assert_eq!(after.compared.map(|compared| compared.ulps), Some(0));
}

/// A wrong shader is found out while it runs, with nobody picked; one of those who differ is picked by a click, and its own page says so.
#[test]
fn a_wrong_shader_is_found_out_and_one_who_differs_is_picked() {
    // With cohesion to another place than the mean: one neighbor too many.
    let shaders = rewritten("behaviors/cohesion.wgsl", "f32(sum.count)", "f32(sum.count + 1u)");
    let mut session = started("flock", Options { shaders, ..Options::default() });
    session.set_paused(false).expect("a device");
    wait("an audit of 128 agents", || {
        session.advance(Duration::from_millis(16)).expect("a device");
        session.audit().expect("a device");
        (session.audits.totals.checked >= 128).then_some(())
    });
    session.set_paused(true).expect("a device");
    while session.auditing() {
        session.audit().expect("a device");
    }
    let totals = &session.audits.totals;
    assert!(totals.differing > 20 && totals.differing <= totals.checked && totals.worst > 0, "{totals:?}");
    let (found, differing) = (totals.found.expect("one of them"), totals.differing);

    session.audits.picked = vec![found];
    session.step(1).expect("a step");
    let all = told(&mut session);
    assert!(all.iter().any(|told| told.why.agent == found), "the one that is picked");
    let off = |told: &&AuditedAgent| told.compared.is_some_and(|compared| compared.ulps > 0);
    for told in all.iter().filter(off) {
        let compared = told.compared.expect("the step is taken");
        let stored = compared.stored.expect("it is kept where somebody is picked");
        assert!(told.why.adds_up() && stored.map(f32::to_bits) != told.why.acceleration.map(f32::to_bits), "{told:?}");
    }
    assert!(session.audits.totals.differing > differing);
    let found = session.audits.totals.found.expect("one of them");
    let mut desk = shown_figures(session, None);
    assert!(desk.query_by_label_contains("differ from the reference").is_some());
    desk.click_part("Pick agent");
    assert!(matches!(desk.state().1[..], [Wish::Pick(id)] if id == found));
}

/// Without an agent that is picked, the behaviors' bars are of a sample.
#[test]
fn behaviors_have_bars_of_a_sample() {
    let mut session = session("flock", &[]);
    session.set_paused(false).expect("a device");
    while !session.auditing() {
        session.go_on(20).expect("steps");
    }
    told(&mut session);
    let shares = std::mem::take(&mut session.audits.totals.shares);
    let cohesion = shares[0].of.iter().find(|(name, _)| *name == "cohesion").expect("it acts").1;
    let mut desk = desk("flock");
    assert!(desk.query_by_label_contains("on average").is_none(), "control: nothing is known");
    desk.state_mut().shares = shares;
    desk.run();
    assert_eq!(desk.get_all_by_label_contains("on average").count(), 4, "separation, alignment, cohesion, wander");
    let bar = format!("{:.0} % of what", 100.0 * cohesion);
    assert!(desk.query_all_by_label_contains(&bar).next().is_some(), "{bar}");
}
