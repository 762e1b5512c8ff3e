//! How many steps a frame takes: simulated time follows real time, as far as the adapter can.

use std::time::Duration;

/// Time that one frame may spend on steps, s. If a step is due, at least one is taken.
const BUDGET: f64 = 0.1;
/// The most real time between two frames that counts, s: after a longer pause the simulation does not catch up.
const LONGEST: f64 = 0.1;
/// The most steps of a frame at speed 1 and below; at a higher speed, that many times more.
const MOST_STEPS: f64 = 5.0;
/// The greatest speed that follows real time is two to this power; the next one is unlimited: as fast as the adapter can.
const FASTEST: i32 = 6;
/// Time that one frame may spend on steps at unlimited speed, s.
const UNLIMITED_BUDGET: f64 = 1.0 / 30.0;
/// The most steps of a frame at unlimited speed.
const UNLIMITED_STEPS: f64 = 10_000.0;

/// The speed of simulated time, and the simulated time that is due.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pace {
    /// The speed is two to this power.
    power: i32,
    /// Simulated time that is due and not yet stepped, s.
    owed: f64,
}

impl Pace {
    /// Twice the speed, up to 64, and then as fast as the adapter can.
    pub fn faster(&mut self) {
        self.power = (self.power + 1).min(FASTEST + 1);
    }

    /// Half the speed, down to 1/8.
    pub fn slower(&mut self) {
        self.power = (self.power - 1).max(-3);
    }

    /// Simulated time per real time; infinite for unlimited speed.
    pub fn factor(&self) -> f64 {
        if self.power > FASTEST { f64::INFINITY } else { f64::from(self.power).exp2() }
    }

    /// The speed as a label: `×4`, `×1/4` or `×max`.
    pub fn label(&self) -> String {
        match self.power {
            power if power > FASTEST => "×max".to_owned(),
            0.. => format!("×{}", 1 << self.power),
            _ => format!("×1/{}", 1 << -self.power),
        }
    }

    /// The number of steps of `dt` seconds to take after `elapsed` real time. `cost` is the time that the adapter takes for one, s; 0: not
    /// known.
    pub fn due(&mut self, elapsed: Duration, dt: f64, cost: f64) -> u32 {
        if self.power > FASTEST {
            self.owed = 0.0;
            // While the cost of a step is not known, take one.
            return if cost > 0.0 { (UNLIMITED_BUDGET / cost).floor().clamp(1.0, UNLIMITED_STEPS) as u32 } else { 1 };
        }
        self.owed += elapsed.as_secs_f64().min(LONGEST) * self.factor();
        let affordable = (BUDGET / cost.max(1e-9)).floor().max(1.0);
        let most = (MOST_STEPS * self.factor().max(1.0)).min(affordable);
        let steps = (self.owed / dt + 1e-6).floor().min(most);
        // Time that these steps do not cover is dropped, beyond one step.
        self.owed = (self.owed - steps * dt).clamp(0.0, dt);
        steps as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 1.0 / 60.0;
    const FRAME: Duration = Duration::from_nanos(16_666_667);

    fn steps(pace: &mut Pace, frames: u32, elapsed: Duration, cost: f64) -> u32 {
        (0..frames).map(|_| pace.due(elapsed, DT, cost)).sum()
    }

    #[test]
    fn follows_real_time_at_every_speed() {
        for power in -3..=6 {
            let mut pace = Pace { power, owed: 0.0 };
            let expected = 600.0 * pace.factor();
            let taken = f64::from(steps(&mut pace, 600, FRAME, 1e-6));
            assert!((taken - expected).abs() <= pace.factor().max(1.0), "{power}: {taken} steps, {expected} expected");
        }
    }

    #[test]
    fn a_slow_adapter_runs_slower_and_owes_nothing() {
        let mut pace = Pace::default();
        assert_eq!(steps(&mut pace, 10, Duration::from_secs(2), 2.0), 10, "one step a frame, whatever it costs");
        assert_eq!(steps(&mut pace, 10, Duration::from_millis(80), 0.04), 20, "as many as fit into the budget");
        assert!(steps(&mut pace, 10, FRAME, 1e-6) <= 11, "nothing is caught up with later");
    }

    #[test]
    fn a_long_pause_is_not_caught_up_with() {
        assert!(Pace::default().due(Duration::from_secs(3600), DT, 1e-6) <= 5);
    }

    #[test]
    fn without_a_limit_a_frame_is_filled_with_steps() {
        let mut pace = Pace { power: FASTEST + 1, owed: 0.0 };
        assert_eq!(pace.due(FRAME, DT, 0.0), 1, "the first step shows what one costs");
        assert_eq!(pace.due(FRAME, DT, 1e-3), 33);
        assert_eq!(pace.due(FRAME, DT, 1.0), 1);
        assert_eq!(pace.due(FRAME, DT, 1e-9), 10_000);
    }

    #[test]
    fn the_speed_has_ends() {
        let mut pace = Pace::default();
        (0..20).for_each(|_| pace.faster());
        assert_eq!((pace.factor(), pace.label()), (f64::INFINITY, "×max".to_owned()));
        pace.slower();
        assert_eq!((pace.factor(), pace.label()), (64.0, "×64".to_owned()));
        (0..20).for_each(|_| pace.slower());
        assert_eq!((pace.factor(), pace.label()), (0.125, "×1/8".to_owned()));
    }
}
