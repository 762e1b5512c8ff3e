//! How far one step of a GPU is from the reference's, agent by agent, so that pictures can color agents by their errors.

use crate::cpu::{self, Execution};
use crate::gpu::{GpuError, Simulation};
use crate::model::State;
use crate::scene::{Boundary, Scene};
use glam::Vec3;

/// The CPU reference beside a simulation on a GPU: it takes single steps from the states of that simulation.
#[derive(Debug, Default)]
pub struct Witness {
    reference: Option<cpu::Simulation>,
}

impl Witness {
    /// Take a step of the simulation, and return the error of each agent, in the order of ids, against the reference's step from the
    /// same state: the larger one of the difference in velocity, as a share of the greatest speed of the species, and the difference in
    /// place, as a share of the way at that speed in a step. It is 0 only if both sides have equal bits, and infinite if a difference is
    /// not finite.
    ///
    /// # Errors
    /// A device that fails, and what the reference refuses.
    pub fn step(&mut self, simulation: &mut Simulation) -> Result<Vec<f32>, GpuError> {
        let (scene, grid) = (simulation.scene(), simulation.grid());
        let known = self.reference.take().filter(|reference| reference.scene() == scene);
        let mut reference = match known {
            Some(reference) => reference,
            None => cpu::Simulation::with_grid(scene, &State::initial(scene), Execution::Parallel, grid)?,
        };
        reference.restore(&simulation.snapshot()?)?;
        reference.set_mouse(Vec3::from(simulation.model().world.mouse));
        simulation.step(1)?;
        reference.step(1);
        let errors = errors(simulation.scene(), &reference.state(), &simulation.state()?);
        self.reference = Some(reference);
        Ok(errors)
    }
}

/// How far the agents of two states are from each other.
fn errors(scene: &Scene, expected: &State, found: &State) -> Vec<f32> {
    let speeds = scene.species.iter().flat_map(|species| (0..species.count).map(|_| species.top_speed()));
    let error = |(id, speed): (usize, f32)| {
        let [place, velocity] = [(&expected.positions, &found.positions), (&expected.velocities, &found.velocities)]
            .map(|(expected, found)| (expected[id], found[id]));
        let same = |(expected, found): ([f32; 3], [f32; 3])| expected.map(f32::to_bits) == found.map(f32::to_bits);
        if same(place) && same(velocity) {
            return 0.0;
        }
        let off = |(expected, found): ([f32; 3], [f32; 3])| (Vec3::from(expected) - Vec3::from(found)).abs();
        let mut way = off(place);
        for axis in 0..3 {
            // Two sides of a seam are one place.
            if scene.world.boundary[axis] == Boundary::Wrap {
                way[axis] = way[axis].min((scene.world.size[axis] - way[axis]).abs());
            }
        }
        let speed = speed.max(f32::MIN_POSITIVE);
        let shares = [off(velocity).length() / speed, way.length() / (speed * scene.dt)];
        // `max` would ignore a share that is not a number.
        if shares.iter().all(|share| share.is_finite()) {
            shares[0].max(shares[1]).max(f32::MIN_POSITIVE)
        } else {
            f32::INFINITY
        }
    };
    speeds.enumerate().map(error).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_count_places_over_a_seam_and_what_is_not_finite() {
        let text = "schema = 1\nworld = { size = [100, 100] }\ndt = 0.5\n[[species]]\ncount = 4\nmax_speed = 10";
        let scene = Scene::parse(text, "test.toml", &[]).expect("a scene");
        let state = |x: [f32; 4], v: [f32; 4]| State {
            positions: x.map(|x| [x, 0.0, 0.0]).to_vec(),
            velocities: v.map(|v| [v, 0.0, 0.0]).to_vec(),
            frozen: vec![false; 4],
            poses: Vec::new(),
        };
        let expected = state([49.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0]);
        let found = state([-50.0, 1.0, 2.0, 3.0], [1.0, 3.0, f32::NAN, 1.0]);
        assert_eq!(errors(&scene, &expected, &found), [1.0 / 5.0, 2.0 / 10.0, f32::INFINITY, 0.0]);
    }
}
