//! Audits of single steps of the run: for some agents, what the reference computes in a step is compared with what the GPU did.
//!
//! An audit copies the state before a step, and the audited agents after it, off the device. A thread then runs the reference; the
//! window does not wait for it.

use super::Session;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use steerling::cpu::Why;
use steerling::gpu::{Agent, GpuError, Pending, Simulation};
use steerling::model::Snapshot;
use steerling::scene::Scene;
use steerling::verify::{Question, ulps_off};

/// Agents of an audit beside the picked ones, in all species together; and the least number of each species.
const SAMPLE: u32 = 64;
const FEWEST: u32 = 4;
/// The least time between two audits, and `n`: audits take at most 1/n of the time. `OF_PICKED` holds where an agent is picked and the
/// run has at most `QUICK` agents, `OF_OTHERS` otherwise.
const OF_PICKED: (Duration, u32) = (Duration::from_millis(300), 4);
const OF_OTHERS: (Duration, u32) = (Duration::from_secs(1), 20);
const QUICK: u32 = 100_000;
/// A run of more agents than this is audited only while it rests, because an audit copies the state of all of them off the device.
pub const MOST: u32 = 1 << 20;

/// What an audit found of one agent in one step.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditedAgent {
    /// What the reference computes.
    pub why: Why,
    /// How the GPU's step compares; `None` if the GPU has not taken that step yet.
    pub compared: Option<Compared>,
}

/// The GPU's step of an agent, compared with the reference's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// The acceleration that the GPU stored, u/s²; `None` if the step kept none.
    pub stored: Option<[f32; 3]>,
    /// How far the GPU is off, in units in the last place: see [`ulps_off`].
    pub ulps: u64,
}

/// The result of an audit: an entry for each audited agent, or why there is none.
pub type Outcome = Result<Vec<AuditedAgent>, String>;

/// Totals of all audits of a run.
#[derive(Debug, Default)]
pub struct AuditTotals {
    /// Number of steps of single agents that the reference computed again.
    pub checked: u64,
    /// Number of these that differ on the GPU.
    pub differing: u64,
    /// The largest difference, in units in the last place.
    pub worst: u64,
    /// Id of the latest agent that differed.
    pub found: Option<u32>,
    /// For each species, the shares of behaviors in the latest audit.
    pub shares: Vec<Shares>,
}

/// The mean shares of behaviors in the steering of a species.
#[derive(Debug, Default)]
pub struct Shares {
    /// Number of audited agents of the species that steer.
    pub agents: u32,
    /// Behaviors and their mean shares, in the order of [`Why::terms`].
    pub of: Vec<(&'static str, f32)>,
}

impl AuditTotals {
    fn add(&mut self, audited: &[AuditedAgent], scene: &Scene) {
        for one in audited {
            let Some(Compared { ulps, .. }) = one.compared else { continue };
            self.checked += 1;
            if ulps > 0 {
                self.differing += 1;
                self.worst = self.worst.max(ulps);
                self.found = Some(one.why.agent);
            }
        }
        let mean = |species: usize| {
            let ids = scene.species_ids(species).unwrap_or_default();
            let of: Vec<&Why> = audited.iter().map(|one| &one.why).filter(|why| ids.contains(&why.agent)).collect();
            let of: Vec<&Why> = of.into_iter().filter(|why| why.idle().is_none()).collect();
            let share = |name: &str| {
                let terms = of.iter().flat_map(|why| &why.terms).filter(|term| term.behavior == name);
                terms.map(|term| term.share).sum::<f32>() / of.len() as f32
            };
            let names = of.first().map_or(&[][..], |why| &why.terms[..]).iter().map(|term| term.behavior);
            Shares { agents: of.len() as u32, of: names.map(|name| (name, share(name))).collect() }
        };
        self.shares = (0..scene.species.len()).map(mean).collect();
    }
}

/// An audit whose copies from the device are on their way.
pub struct Audit {
    question: Question,
    snapshot: Box<Pending<Snapshot>>,
    /// The agents after the step, and whether contacts move bodies in it.
    after: Option<(Box<Pending<Vec<Agent>>>, bool)>,
}

impl Audit {
    fn arrived(&self) -> Result<bool, GpuError> {
        let after = self.after.as_ref().map_or(Ok(true), |(after, _)| after.poll_device())?;
        Ok(after && self.snapshot.poll_device()?)
    }

    fn audited(self) -> Result<Vec<AuditedAgent>, GpuError> {
        let said = self.question.answer(&self.snapshot.wait()?)?;
        let Some((after, collides)) = self.after else {
            return Ok(said.into_iter().map(|why| AuditedAgent { why, compared: None }).collect());
        };
        let agents = after.wait()?;
        let audited = |why: Why| {
            let after = agents.iter().find(|agent| agent.id == why.agent);
            let ulps = ulps_off(&why, after, collides);
            let stored = after.and_then(|agent| agent.acceleration);
            AuditedAgent { why, compared: Some(Compared { stored, ulps }) }
        };
        Ok(said.into_iter().map(audited).collect())
    }
}

// The size of a variant does not matter: there is one audit at a time.
#[allow(clippy::large_enum_variant)]
enum UnderWay {
    Copied(Audit),
    Thinking { thread: JoinHandle<Result<Vec<AuditedAgent>, GpuError>>, since: Instant, compares: bool },
}

/// The latest question about the picked agents.
struct Asked {
    question: Question,
    /// The step at which the answer is shown: that of the state asked about, or the next one if the audited step was taken.
    at: u64,
    when: Instant,
}

/// The audits of a run.
#[derive(Default)]
pub struct Audits {
    /// Ids of the picked agents.
    pub picked: Vec<u32>,
    pub totals: AuditTotals,
    under_way: Option<UnderWay>,
    asked: Option<Asked>,
    took: Duration,
    /// Number of audits so far; each draws another sample of agents.
    count: u32,
    /// Are there no audits, because the run is the one beside the shown run?
    disabled: bool,
}

impl Audits {
    /// No audits: for the run beside the shown one, whose results would be shown nowhere.
    pub fn disabled() -> Audits {
        Audits { disabled: true, ..Audits::default() }
    }

    /// Is the next step to be audited?
    pub fn due(&self, simulation: &Simulation, paused: bool) -> bool {
        if self.disabled {
            return false;
        }
        let agents = simulation.scene().agent_count();
        let known = self.asked.as_ref().is_some_and(|asked| asked.question.ids() == self.picked);
        if paused {
            // A question about the state before the step may be under way: the audit replaces it. Only picked agents are audited at rest.
            return !self.picked.is_empty() && !self.compares();
        }
        let (every, share) = if self.picked.is_empty() || agents > QUICK { OF_OTHERS } else { OF_PICKED };
        let waited = self.asked.as_ref().is_none_or(|asked| asked.when.elapsed() >= every.max(self.took * share));
        self.under_way.is_none() && agents > 0 && agents <= MOST && (waited || !known && agents <= QUICK)
    }

    /// Is an audit under way that compares with the GPU's step?
    fn compares(&self) -> bool {
        match &self.under_way {
            None => false,
            Some(UnderWay::Copied(audit)) => audit.after.is_some(),
            Some(UnderWay::Thinking { compares, .. }) => *compares,
        }
    }

    /// Begin an audit of the step that comes next.
    pub fn begin(&mut self, simulation: &mut Simulation) -> Audit {
        // A change of the number of agents may have removed picked ones.
        self.picked.retain(|id| *id < simulation.scene().agent_count());
        let mut ids = self.picked.clone();
        ids.extend(sample(simulation.scene(), self.count).filter(|id| !self.picked.contains(id)));
        self.count += 1;
        if !self.picked.is_empty() {
            simulation.keep_accelerations(true);
        }
        let question = Question::new(simulation, &ids);
        Audit { question, snapshot: Box::new(simulation.read_snapshot()), after: None }
    }

    /// Copy the audited agents after the step that [`Audits::begin`] announced.
    pub fn end(&mut self, mut audit: Audit, simulation: &Simulation) -> Result<(), GpuError> {
        let after = simulation.read_agents(audit.question.ids())?;
        audit.after = Some((Box::new(after), simulation.model().collides()));
        self.ask(audit, simulation);
        Ok(())
    }

    fn ask(&mut self, audit: Audit, simulation: &Simulation) {
        let question = Question::new(simulation, &self.picked);
        self.asked = Some(Asked { question, at: simulation.steps(), when: Instant::now() });
        self.under_way = Some(UnderWay::Copied(audit));
    }

    /// Advance the audit under way, and return its outcome when it is complete. At rest, also begin a question about the next step of the
    /// picked agents, unless the latest one was about the present state.
    fn follow(&mut self, simulation: &Simulation, rests: bool) -> Result<Option<Outcome>, GpuError> {
        let mut outcome = None;
        self.under_way = match self.under_way.take() {
            Some(UnderWay::Copied(audit)) if audit.arrived()? => {
                let compares = audit.after.is_some();
                let thread = std::thread::spawn(move || audit.audited());
                Some(UnderWay::Thinking { thread, since: Instant::now(), compares })
            }
            Some(UnderWay::Thinking { thread, since, compares }) if thread.is_finished() => {
                self.took = since.elapsed();
                let audited = thread.join().unwrap_or_else(|_| Err(GpuError::Device("no answer".to_owned())));
                outcome = Some(audited.map_err(|error| error.to_string()));
                if let Some(Ok(audited)) = outcome.as_mut().filter(|_| compares) {
                    self.totals.add(audited, simulation.scene());
                }
                None
            }
            under_way => under_way,
        };
        self.picked.retain(|id| *id < simulation.scene().agent_count());
        if rests && self.under_way.is_none() && !self.picked.is_empty() && self.is_news(simulation) {
            let question = Question::new(simulation, &self.picked);
            let snapshot = Box::new(simulation.read_snapshot());
            self.ask(Audit { question, snapshot, after: None }, simulation);
        }
        Ok(outcome)
    }

    /// Is the present state another than the one of the latest question?
    fn is_news(&self, simulation: &Simulation) -> bool {
        let Some(asked) = &self.asked else { return true };
        asked.at != simulation.steps() || asked.question != Question::new(simulation, &self.picked)
    }

    /// Drop the audit under way: its run no longer exists, or has gone to another step.
    pub fn forget(&mut self) {
        (self.under_way, self.asked) = (None, None);
    }
}

impl Session {
    /// The outcome of the audit that was completed since the last call, if any.
    pub fn audit(&mut self) -> Result<Option<Outcome>, GpuError> {
        let rests = self.paused && self.journey.is_none();
        self.audits.follow(&self.simulation, rests)
    }

    /// Is an audit under way? Then frames go on although the run is paused.
    pub fn auditing(&self) -> bool {
        self.audits.under_way.is_some()
    }
}

/// Ids of some agents of each species; each round draws others.
fn sample(scene: &Scene, round: u32) -> impl Iterator<Item = u32> {
    let of_each = (SAMPLE / scene.species.len().max(1) as u32).max(FEWEST);
    let mut ids: Vec<u32> = Vec::new();
    for species in 0..scene.species.len() {
        let range = scene.species_ids(species).unwrap_or_default();
        let count = range.len() as u32;
        // Ids in strata; within each, rounds advance by the golden section.
        let strata = of_each.min(count);
        let share = f64::from(round) * 0.618_033_988_749_895 % 1.0;
        let drawn = (0..strata).map(|row| ((f64::from(row) + share) / f64::from(strata) * f64::from(count)) as u32);
        ids.extend(drawn.map(|id| range.start + id.min(count.saturating_sub(1))));
    }
    ids.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample has agents of each species and none twice; rounds draw different ones.
    #[test]
    fn samples_have_all_species_and_others_each_time() {
        let scene = Scene::open("predator_and_prey", &[]).expect("a preset");
        let mut seen = std::collections::BTreeSet::new();
        for round in 0..40 {
            let ids: Vec<u32> = sample(&scene, round).collect();
            let mut once = ids.clone();
            once.dedup();
            assert!(once == ids && ids.len() <= SAMPLE as usize, "{ids:?}");
            for species in 0..scene.species.len() {
                let range = scene.species_ids(species).expect("a species");
                assert!(ids.iter().filter(|id| range.contains(id)).count() >= FEWEST.min(range.len() as u32) as usize);
            }
            seen.extend(ids);
        }
        assert!(seen.len() > 20 * FEWEST as usize, "{}", seen.len());
    }
}
