//! Twin of `shaders/sim/measure.wgsl`: reduce the state to what the scene asks to observe.

use crate::constants::{AGENTS_IN_MOTION, AGENTS_PLACED, CHOOSES, SUM_OF_PLACES, SUM_OF_SPEEDS, SUM_OF_VELOCITIES};
use crate::cpu::Buffers;
use crate::cpu::common::agent::radius_of;
use crate::cpu::common::angle::{angle_of, rotate};
use crate::cpu::common::fixed_point::{FIXED_POINT, from_fixed_point};
use crate::cpu::common::paths::{SHORTEST_SEGMENT, segment_radius};
use crate::cpu::common::target::nearest_image;
use crate::cpu::common::vector::{cross3, dot3, heading_of, is_sane, unit_or_zero};
use crate::cpu::common::ways::way_at;
use crate::model::measured::{
    BIN_COUNT, BINS, CROWDING, FINE_PRODUCT, FINE_SQUARE, FIRST_SUM, GROUP_POLARIZATION, GROUPS, MIDDLE_ERROR,
    NEAREST_DISTANCE, NO_INDEX, OFF_PATHS, OVERLAPS, SUM_OF_SPREADS, SUM_OF_TURNS, VELOCITY_CORRELATION, WAYS_TO_GOALS,
    equal_cell, index_of, sum_at,
};
use crate::model::random::hash4;
use crate::model::scenery::{FAR_AWAY, Path};
use crate::model::{CompiledScene, FROZEN, ID_BITS, PairMeasurement, PassId};
use crate::scene::Boundary;
use glam::{Vec3, Vec4Swizzles};
use std::f32::consts::PI;

/// The words of `measured` that hold results. The shader's words behind them, by which its invocations share work, do not exist here.
pub fn measure(model: &CompiledScene, buffers: &Buffers) -> Vec<u32> {
    let mut measured = Measured::new(model, buffers);
    measured.motion();
    measured.places();
    measured.spread();
    measured.turns();
    measured.density();
    measured.bins();
    measured.states(buffers);
    measured.rows();
    measured.ways();
    measured.paths();
    for kind in NEAREST_DISTANCE..=OVERLAPS {
        if let Some(layer) = model.measures.pairs(kind) {
            measured.near(kind, layer);
        }
    }
    measured.words
}

/// A float as an integer with 20 binary digits after the point. NaN, infinity and sizes above 1e9 count as 0.
fn summed(x: f32) -> i64 {
    let size = (if is_sane(x) { x.abs() } else { 0.0 } * FIXED_POINT + 0.5).floor() as i64;
    if x < 0.0 { -size } else { size }
}

/// Add to the 64-bit sum that begins at a word.
fn add_at(words: &mut [u32], word: usize, value: i64) {
    let total = sum_at(words, word).wrapping_add(value as u64);
    (words[word], words[word + 1]) = (total as u32, (total >> 32) as u32);
}

/// One agent that is not frozen.
struct One {
    id: u32,
    place: Vec3,
    moving: Vec3,
}

struct Measured<'a> {
    model: &'a CompiledScene,
    agents: Vec<One>,
    words: Vec<u32>,
}

impl Measured<'_> {
    fn new<'a>(model: &'a CompiledScene, buffers: &Buffers) -> Measured<'a> {
        let one = |slot: usize| One {
            id: buffers.id[slot],
            place: Vec3::from(buffers.position[slot]),
            moving: Vec3::from(buffers.velocity[slot]),
        };
        let agents = (0..buffers.id.len()).map(one).filter(|one| one.id & FROZEN == 0);
        let agents = agents.map(|one| One { id: one.id & ID_BITS, ..one }).collect();
        Measured { model, agents, words: vec![0; model.measures.words[1] as usize] }
    }

    fn add(&mut self, sum: usize, value: i64) {
        add_at(&mut self.words, FIRST_SUM + 2 * sum, value);
    }

    fn add3(&mut self, sum: usize, value: Vec3) {
        [value.x, value.y, value.z].into_iter().enumerate().for_each(|(axis, x)| self.add(sum + axis, summed(x)));
    }

    fn sum(&self, sum: usize) -> u64 {
        sum_at(&self.words, FIRST_SUM + 2 * sum)
    }

    fn real(&self, sum: usize) -> f32 {
        from_fixed_point(self.sum(sum))
    }

    fn agents_measured(&self, sum: usize) -> f32 {
        (self.sum(sum) as u32).max(1) as f32
    }

    fn mean_share(&self) -> Vec3 {
        let sum = |axis: usize| self.real(SUM_OF_VELOCITIES + axis);
        Vec3::new(sum(0), sum(1), sum(2)) / self.agents_measured(AGENTS_IN_MOTION)
    }

    fn needs_pass(&self, pass: PassId) -> bool {
        self.model.measures.needs_pass(pass)
    }

    fn motion(&mut self) {
        if !self.needs_pass(PassId::MeasureMotion) {
            return;
        }
        self.add(AGENTS_IN_MOTION, self.agents.len() as i64);
        for index in 0..self.agents.len() {
            let share = self.agents[index].moving / self.model.world.top_speed;
            self.add3(SUM_OF_VELOCITIES, share);
            self.add(SUM_OF_SPEEDS, summed(dot3(share, share).sqrt()));
        }
    }

    fn places(&mut self) {
        if !self.needs_pass(PassId::MeasurePlaces) {
            return;
        }
        self.add(AGENTS_PLACED, self.agents.len() as i64);
        for index in 0..self.agents.len() {
            for axis in 0..if self.model.spatial { 3 } else { 2 } {
                let share = self.place_share(self.agents[index].place[axis], axis);
                share.into_iter().enumerate().for_each(|(k, x)| self.add(SUM_OF_PLACES + 2 * axis + k, summed(x)));
            }
        }
    }

    fn place_share(&self, x: f32, axis: usize) -> [f32; 2] {
        let share = x / self.model.world.size[axis];
        if self.model.boundary[axis] != Boundary::Wrap {
            return [share, 0.0];
        }
        let ahead = rotate(self.model.spatial, Vec3::X, Vec3::new(0.0, 0.0, share * (2.0 * PI)));
        [ahead.x, ahead.y]
    }

    fn middle(&self) -> Vec3 {
        let along = |axis: usize| {
            let size = self.model.world.size[axis];
            let [cosines, sines] = [0, 1].map(|k| self.real(SUM_OF_PLACES + 2 * axis + k));
            match self.model.boundary[axis] {
                Boundary::Wrap => angle_of(sines, cosines) / (2.0 * PI) * size,
                _ => cosines / self.agents_measured(AGENTS_PLACED) * size,
            }
        };
        Vec3::new(along(0), along(1), if self.model.spatial { along(2) } else { 0.0 })
    }

    fn spread(&mut self) {
        if !self.needs_pass(PassId::MeasureSpread) {
            return;
        }
        let mean = self.real(SUM_OF_SPEEDS) / self.agents_measured(AGENTS_IN_MOTION);
        for index in 0..self.agents.len() {
            let share = self.agents[index].moving / self.model.world.top_speed;
            let faster = dot3(share, share).sqrt() - mean;
            self.add(SUM_OF_SPREADS, summed(faster * faster * FINE_SQUARE));
        }
    }

    fn turns(&mut self) {
        if !self.needs_pass(PassId::MeasureTurns) {
            return;
        }
        let middle = self.middle();
        let [x, y, z] = self.model.world.size;
        let known = x.max(y).max(z) * MIDDLE_ERROR;
        for index in 0..self.agents.len() {
            let One { place, moving, .. } = self.agents[index];
            let way = nearest_image(self.model, place - middle);
            let spoke = if dot3(way, way) > known * known { unit_or_zero(way) } else { Vec3::ZERO };
            self.add3(SUM_OF_TURNS, cross3(spoke, heading_of(moving)));
        }
    }

    fn density(&mut self) {
        if !self.needs_pass(PassId::MeasureDensity) {
            return;
        }
        let along = self.model.measures.block.density_cells;
        let mut counts = vec![0u32; along.iter().product::<u32>() as usize];
        for One { place, .. } in &self.agents {
            if let Some(cell) = equal_cell(self.model.world.size.into(), *place, along) {
                counts[index_of(cell, along)] += 1;
            }
        }
        for count in counts {
            self.add(CROWDING, count.into());
            self.add(CROWDING + 1, i64::from(count) * i64::from(count));
        }
    }

    fn bins(&mut self) {
        if !self.needs_pass(PassId::MeasureChosen) {
            return;
        }
        let block = &self.model.measures.block;
        let (width, top_speed, mean) = (block.bin_width, self.model.world.top_speed, self.mean_share());
        let chosen = self.agents.iter().filter(|one| hash4([one.id, CHOOSES, 0, 0])[0] <= block.chosen_below);
        let chosen: Vec<_> = chosen.map(|one| (one.place, one.moving / top_speed - mean)).collect();
        for (index, (place, aside)) in chosen.iter().enumerate() {
            for (there, others) in &chosen[index + 1..] {
                let way = nearest_image(self.model, *there - *place);
                let distance = dot3(way, way).sqrt();
                let bin = (distance / width).min(1e6) as usize;
                if bin < BIN_COUNT {
                    self.add(BINS + 3 * bin, 1);
                    self.add(BINS + 3 * bin + 1, summed(distance / width));
                    self.add(BINS + 3 * bin + 2, summed(dot3(*aside, *others) * FINE_PRODUCT));
                }
            }
        }
    }

    fn states(&mut self, buffers: &Buffers) {
        for one in &self.agents {
            let first = self.model.measures.block.states[self.model.species_of(one.id)];
            if first != 0 {
                let state = buffers.memory[one.id as usize].state.min(31);
                self.words[(first + state) as usize] += 1;
            }
        }
    }

    fn rows(&mut self) {
        if !self.needs_pass(PassId::MeasureRows) {
            return;
        }
        let block = &self.model.measures.block;
        let cells = block.row_cells;
        for One { id, place, moving } in &self.agents {
            let Some([x, y, z]) = equal_cell(self.model.world.size.into(), *place, cells) else { continue };
            let first = block.streams[self.model.species_of(*id)] as usize;
            let share = *moving / self.model.world.top_speed;
            let along_x = first + 6;
            let along_y = along_x + (cells[1] * cells[2]) as usize;
            let along_z = along_y + (cells[0] * cells[2]) as usize;
            let rows = [
                along_x + (z * cells[1] + y) as usize,
                along_y + (z * cells[0] + x) as usize,
                along_z + (y * cells[0] + x) as usize,
            ];
            for axis in 0..if self.model.spatial { 3 } else { 2 } {
                add_at(&mut self.words, first + 2 * axis, summed(share[axis]));
                self.words[rows[axis]] += 1;
            }
        }
    }

    fn ways(&mut self) {
        let Some(ways) = self.model.ways.clone().filter(|_| self.needs_pass(PassId::MeasureWays)) else { return };
        for index in 0..self.agents.len() {
            let goal = self.model.measures.block.goals[self.model.species_of(self.agents[index].id)];
            if goal == NO_INDEX {
                continue;
            }
            let way = way_at(&ways, goal, self.agents[index].place);
            if way.share > 0.0 {
                self.add(WAYS_TO_GOALS, 1);
                self.add(WAYS_TO_GOALS + 1, summed(way.cells / way.share));
            } else {
                self.add(WAYS_TO_GOALS + 2, 1);
            }
        }
    }

    fn paths(&mut self) {
        if !self.needs_pass(PassId::MeasurePaths) {
            return;
        }
        for index in 0..self.agents.len() {
            let path = self.model.measures.block.paths[self.model.species_of(self.agents[index].id)];
            let Some(path) = self.model.scenery.paths.get(path as usize) else { continue };
            let [distance, outside] = self.off_path(path, self.agents[index].place);
            self.add(OFF_PATHS, 1);
            self.add(OFF_PATHS + 1, summed(distance));
            self.add(OFF_PATHS + 2, i64::from(outside > 0.0));
        }
    }

    fn off_path(&self, path: &Path, place: Vec3) -> [f32; 2] {
        let scenery = &self.model.scenery;
        let point = |index: u32| glam::Vec4::from_array(scenery.points[index as usize]).xyz();
        let images = |axis: usize| if self.model.boundary[axis] == Boundary::Wrap { -1..=1i8 } else { 0..=0 };
        let size = Vec3::from(self.model.world.size);
        let mut nearest = [FAR_AWAY; 2];
        for k in path.first_point..path.first_point + path.segments {
            let (start, end) = (point(k), point(k + 1));
            let along = end - start;
            let away = nearest_image(self.model, place - (start + end) * 0.5);
            let radius = segment_radius(self.model, path, k);
            for z in images(2) {
                for y in images(1) {
                    for x in images(0) {
                        let image = away + Vec3::from([x, y, z].map(f32::from)) * size;
                        let share = dot3(image, along) / dot3(along, along).max(SHORTEST_SEGMENT);
                        let off = image - along * share.clamp(-0.5, 0.5);
                        let distance = dot3(off, off).sqrt();
                        nearest = [nearest[0].min(distance), nearest[1].min(distance - radius)];
                    }
                }
            }
        }
        nearest
    }

    fn near(&mut self, kind: u32, layer: &PairMeasurement) {
        let cells = Cells::new(layer, &self.agents);
        let (model, agents) = (self.model, std::mem::take(&mut self.agents));
        let (first, mean) = (layer.first_sum as usize, self.mean_share());
        let squared = |one: &One, other: &One| {
            let way = nearest_image(model, other.place - one.place);
            dot3(way, way)
        };
        let aside = |one: &One| one.moving / model.world.top_speed - mean;
        let radius = |one: &One| radius_of(model, &model.species[model.species_of(one.id)], one.id);
        let mut groups: Vec<usize> = (0..agents.len()).collect();
        for (index, one) in agents.iter().enumerate() {
            if kind == NEAREST_DISTANCE {
                // Agents outside of the searched cells may be nearer than one found beyond `reach` cells: then search twice as far.
                let (mut reach, mut least) = (1, f32::MAX);
                loop {
                    let others = cells.around(one.place, reach).filter(|other| *other != index);
                    least = others.map(|other| squared(one, &agents[other])).fold(least, f32::min);
                    let known = least.sqrt() <= 0.99 * reach as f32 * layer.cell_width;
                    if known || layer.cells.iter().all(|cells| 2 * reach + 1 >= *cells) {
                        break;
                    }
                    reach *= 2;
                }
                if least < f32::MAX {
                    self.add(first, 1);
                    self.add(first + 1, summed(least.sqrt() * layer.scale));
                }
                continue;
            }
            if kind == VELOCITY_CORRELATION {
                self.add(first + 2, summed(dot3(aside(one), aside(one)) * FINE_PRODUCT));
            }
            for other in cells.around(one.place, 1).filter(|other| *other > index) {
                let (theirs, squared) = (&agents[other], squared(one, &agents[other]));
                if kind == OVERLAPS {
                    let reach = radius(one) + radius(theirs);
                    self.add(first, i64::from(squared < reach * reach));
                } else if squared < layer.distance * layer.distance {
                    if kind == VELOCITY_CORRELATION {
                        self.add(first, 1);
                        self.add(first + 1, summed(dot3(aside(one), aside(theirs)) * FINE_PRODUCT));
                    } else {
                        let [high, low] = [index, other].map(|agent| root_of(&mut groups, agent));
                        groups[high.max(low)] = high.min(low);
                    }
                }
            }
        }
        if [GROUPS, GROUP_POLARIZATION].contains(&kind) {
            let mut sums = vec![(0, [0i64; 3]); agents.len()];
            for (index, one) in agents.iter().enumerate() {
                let (size, headings) = &mut sums[root_of(&mut groups, index)];
                *size += 1;
                let heading = heading_of(one.moving).to_array();
                headings.iter_mut().zip(heading).for_each(|(sum, x)| *sum += summed(x));
            }
            for (_, headings) in sums.iter().filter(|(size, _)| *size > 0) {
                self.add(first, 1);
                if kind == GROUP_POLARIZATION {
                    let heading = Vec3::from(headings.map(|sum| from_fixed_point(sum as u64)));
                    self.add(first + 2, summed(dot3(heading, heading).sqrt()));
                }
            }
            self.add(first + 1, sums.iter().map(|(size, _)| *size).max().unwrap_or(0));
        }
        self.agents = agents;
    }
}

/// The root of an agent's group in a union-find forest.
fn root_of(groups: &mut [usize], mut agent: usize) -> usize {
    while groups[agent] != agent {
        groups[agent] = groups[groups[agent]];
        agent = groups[agent];
    }
    agent
}

/// Agents sorted by the cells in which pairs are searched.
struct Cells<'a> {
    layer: &'a PairMeasurement,
    /// Where each cell begins in `agents`.
    starts: Vec<u32>,
    agents: Vec<u32>,
}

impl<'a> Cells<'a> {
    fn new(layer: &'a PairMeasurement, all: &[One]) -> Cells<'a> {
        let mut cells = Cells { layer, starts: Vec::new(), agents: vec![0; all.len()] };
        let found: Vec<usize> = all.iter().map(|one| index_of(cells.cell(one.place), layer.cells)).collect();
        let mut starts = vec![0u32; layer.cells.iter().product::<u32>() as usize + 1];
        found.iter().for_each(|cell| starts[cell + 1] += 1);
        (1..starts.len()).for_each(|cell| starts[cell] += starts[cell - 1]);
        let mut next = starts.clone();
        for (agent, cell) in found.iter().enumerate() {
            cells.agents[next[*cell] as usize] = agent as u32;
            next[*cell] += 1;
        }
        cells.starts = starts;
        cells
    }

    fn cell(&self, place: Vec3) -> [u32; 3] {
        [0, 1, 2].map(|axis| {
            let at = (place[axis] * self.layer.cells_per_unit[axis]).floor().clamp(-1e9, 1e9) as i32;
            at.rem_euclid(self.layer.cells[axis] as i32) as u32
        })
    }

    /// The agents in the cell of a place and in the cells around it, `reach` to each side.
    fn around(&self, place: Vec3, reach: u32) -> impl Iterator<Item = usize> {
        let (own, cells) = (self.cell(place), self.layer.cells);
        let along = move |axis: usize| {
            let all = 2 * reach + 1 >= cells[axis];
            let (first, count) = if all { (0, cells[axis]) } else { (own[axis] + cells[axis] - reach, 2 * reach + 1) };
            (0..count).map(move |k| (first + k) % cells[axis])
        };
        let planes = along(2).flat_map(move |z| along(1).map(move |y| [y, z]));
        let cells = planes.flat_map(move |[y, z]| along(0).map(move |x| [x, y, z]));
        cells.map(|cell| index_of(cell, self.layer.cells)).flat_map(|cell| {
            let agents = self.starts[cell] as usize..self.starts[cell + 1] as usize;
            self.agents[agents].iter().map(|agent| *agent as usize)
        })
    }
}
