//! Measures times of stages on the GPU: by timestamps around each dispatch, or on software drivers by waiting for each.

use super::resources::zeros;
use super::{GpuError, Simulation};
use crate::model::Stage;
use std::time::{Duration, Instant};

/// The measured times of some steps.
#[derive(Debug, Clone, Default)]
pub struct Times {
    /// For each pass of a step, its time in each step, s. Empty where passes are not timed.
    pub passes: Vec<Vec<f64>>,
    /// The time of each whole step, s: from timestamps; without timestamps, from submission to completion; if each pass is waited
    /// for, the sum over the passes.
    pub steps: Vec<f64>,
    /// When each pass and each step began, and how long it took.
    pub spans: Vec<Span>,
    /// Timestamps that were dropped because they ran backward or past the time that the step took.
    pub dropped: u32,
}

/// The time span of a step or of one of its passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The number of the step, from 0.
    pub step: usize,
    /// The pass, as its index in [`Simulation::of_step`](super::Simulation::of_step); `None` for the whole step.
    pub pass: Option<usize>,
    /// When it began, counted from the timer's origin, s.
    pub begin: f64,
    /// How long it took, s.
    pub length: f64,
}

/// Runs single steps and measures their times.
#[derive(Debug)]
pub struct StepTimer {
    /// The time from which spans are counted.
    origin: Instant,
    clock: Clock,
    passes: u32,
}

#[derive(Debug)]
enum Clock {
    /// Timestamp queries for one step, the buffer that they are resolved into, and the seconds of a tick.
    Timestamps { queries: wgpu::QuerySet, resolved: wgpu::Buffer, period: f64 },
    /// Each pass is submitted and waited for. On llvmpipe timestamps are of no use: it takes one when it next has to wait for
    /// something, which may be after the pass that the timestamp should begin.
    Passes,
    /// Each whole step is submitted and waited for.
    Steps,
}

impl StepTimer {
    /// A timer for this simulation's passes. Spans count from now.
    pub fn new(simulation: &Simulation) -> StepTimer {
        StepTimer::since(Instant::now(), simulation)
    }

    /// As [`StepTimer::new`], with spans that count from another time, so that the spans of several timers can be compared.
    pub fn since(origin: Instant, simulation: &Simulation) -> StepTimer {
        let gpu = simulation.gpu();
        let passes = simulation.of_step().count() as u32;
        if gpu.software() {
            return StepTimer { origin, clock: Clock::Passes, passes };
        }
        if !gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return StepTimer { origin, clock: Clock::Steps, passes };
        }
        let count = 2 * passes;
        let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("step"),
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        let resolved = zeros(&gpu.device, "timestamps", u64::from(count) * 8, usage);
        let period = f64::from(gpu.queue.get_timestamp_period()) * 1e-9;
        StepTimer { origin, clock: Clock::Timestamps { queries, resolved, period }, passes }
    }

    /// Are single passes timed?
    pub fn times_passes(&self) -> bool {
        !matches!(self.clock, Clock::Steps)
    }

    /// Run one step and add its times to `times`. Updating the ways before it ([`Simulation::renew_ways`]) is not timed.
    ///
    /// # Errors
    /// A device that failed.
    pub fn step(&self, simulation: &mut Simulation, times: &mut Times) -> Result<(), GpuError> {
        let gpu = simulation.gpu().clone();
        simulation.renew_ways()?;
        simulation.submit(|simulation, encoder| {
            if simulation.in_strides() {
                simulation.encode_entry(encoder);
            }
        })?;
        gpu.wait_for(None)?;
        let step = times.spans.iter().filter(|span| span.pass.is_none()).count();
        let begin = self.origin.elapsed().as_secs_f64();
        // Passes are timed as they run in a row of steps; a simulation that has fused passes but does not run them is timed whole.
        let whole = simulation.pipelines().strides() && !simulation.in_strides();
        match &self.clock {
            Clock::Timestamps { queries, resolved, period } if !whole => {
                let wall = timed(simulation, |simulation, encoder| {
                    simulation.encode_step_timed(encoder, queries, 0);
                    encoder.resolve_query_set(queries, 0..2 * self.passes, resolved, 0);
                })?;
                let words = gpu.download(resolved)?;
                let ticks: Vec<u64> = words.chunks_exact(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect();
                self.add(&ticks, wall, *period, times);
                // Timestamps tell only differences: take it that the first pass begins when the step is submitted.
                let since = |tick: u64| begin + tick.saturating_sub(ticks[0]) as f64 * period;
                let length = |from: u64, to: u64| to.saturating_sub(from) as f64 * period;
                times.spans.push(Span { step, pass: None, begin, length: length(ticks[0], ticks[ticks.len() - 1]) });
                times.spans.extend(ticks.chunks_exact(2).enumerate().map(|(pass, ticks)| Span {
                    step,
                    pass: Some(pass),
                    begin: since(ticks[0]),
                    length: length(ticks[0], ticks[1]),
                }));
            }
            Clock::Passes if !whole => {
                times.passes.resize(self.passes as usize, Vec::new());
                let mut sum = 0.0;
                for (pass, spans) in times.passes.iter_mut().enumerate() {
                    let begin = self.origin.elapsed().as_secs_f64();
                    let span = timed(simulation, |simulation, encoder| simulation.encode_pass(encoder, pass))?;
                    let length = span.as_secs_f64();
                    spans.push(length);
                    times.spans.push(Span { step, pass: Some(pass), begin, length });
                    sum += length;
                }
                times.steps.push(sum);
                let length = self.origin.elapsed().as_secs_f64() - begin;
                times.spans.push(Span { step, pass: None, begin, length });
            }
            _ => {
                let wall = timed(simulation, |simulation, encoder| simulation.encode_in_sequence(encoder))?;
                times.steps.push(wall.as_secs_f64());
                times.spans.push(Span { step, pass: None, begin, length: wall.as_secs_f64() });
            }
        }
        simulation.stepped(1);
        Ok(())
    }

    fn add(&self, ticks: &[u64], wall: Duration, period: f64, times: &mut Times) {
        times.passes.resize(self.passes as usize, Vec::new());
        let seconds = |from: u64, to: u64| {
            let span = to.checked_sub(from)? as f64 * period;
            (span <= wall.as_secs_f64() * 1.05).then_some(span)
        };
        for (pass, ticks) in ticks.chunks_exact(2).enumerate() {
            match seconds(ticks[0], ticks[1]) {
                Some(span) => times.passes[pass].push(span),
                None => times.dropped += 1,
            }
        }
        match seconds(ticks[0], ticks[ticks.len() - 1]) {
            Some(span) => times.steps.push(span),
            None => times.dropped += 1,
        }
    }
}

/// Record commands, submit them and wait. Returns the time from submission to completion.
fn timed(
    simulation: &mut Simulation,
    record: impl FnOnce(&mut Simulation, &mut wgpu::CommandEncoder),
) -> Result<Duration, GpuError> {
    let mut start = Instant::now();
    simulation.submit(|simulation, encoder| {
        record(simulation, encoder);
        start = Instant::now();
    })?;
    simulation.gpu().wait()?;
    Ok(start.elapsed())
}

impl Times {
    /// For each stage of a step, the sum of its passes in each step, s.
    pub fn stages(&self, simulation: &Simulation) -> Vec<(&'static Stage, Vec<f64>)> {
        let mut stages: Vec<(&Stage, Vec<f64>)> = Vec::new();
        for (place, pass) in simulation.of_step().enumerate() {
            if stages.last().is_none_or(|(stage, _)| stage.id != pass.stage.id) {
                stages.push((pass.stage, Vec::new()));
            }
            let (Some((_, sums)), Some(times)) = (stages.last_mut(), self.passes.get(place)) else { continue };
            sums.resize(sums.len().max(times.len()), 0.0);
            sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
        }
        stages
    }
}

/// The quantile of the values at `share` (0 to 1), interpolated linearly between the two nearest values; 0 without values.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let place = sorted.len().saturating_sub(1) as f64 * share;
    let at = |index: f64| sorted.get(index as usize).copied().unwrap_or(0.0);
    at(place.floor()) + (at(place.ceil()) - at(place.floor())) * place.fract()
}
