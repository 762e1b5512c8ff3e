//! Reads a few agents by their ids, or the one nearest to a place of a picture, without reading the others.

use super::limits::largest_binding;
use super::passes::{entire, pipelines, run};
use super::resources::{filled, zeros};
use crate::model::{FROZEN, ID_BITS, POSE_WORDS, Pose};

/// Words of one agent's row in `find.wgsl`.
const ROW: usize = 24;
/// The most rows that one binding holds.
pub(super) fn most_rows(limits: &wgpu::Limits) -> usize {
    (largest_binding(limits) as usize / (4 * ROW)).max(1)
}

/// In place of a slot or an id: no agent was found.
const NOBODY: u32 = u32::MAX;

/// One agent, as it was when it was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agent {
    /// Its id.
    pub id: u32,
    /// Its index in the buffers that are ordered by storage slot.
    pub slot: u32,
    /// Is it frozen, because its state was not finite?
    pub frozen: bool,
    /// Its position, u; z is 0 in a planar world.
    pub position: [f32; 3],
    /// Its velocity, u/s.
    pub velocity: [f32; 3],
    /// Its combined steering in the latest step, u/s², where that was kept: see
    /// [`Simulation::has_accelerations`](super::Simulation::has_accelerations).
    pub acceleration: Option<[f32; 3]>,
    /// Which way it faces, where agents keep a pose.
    pub pose: Option<Pose>,
    /// Neighbors that at least one of its behaviors perceived when it last steered.
    pub neighbors: u32,
}

impl Agent {
    /// The unit vector along which it faces, from its pose, or without a pose from its velocity. `None` for an agent that has no pose
    /// and stands still.
    pub fn heading(&self) -> Option<[f32; 3]> {
        let ahead = glam::Vec3::from(self.velocity).try_normalize().map(|ahead| ahead.to_array());
        self.pose.map(|pose| pose.forward).or(ahead)
    }
}

/// What the uniform `head` of `find.wgsl` says of the simulation: components of a vector, and agents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub components: usize,
    pub agents: u32,
}

/// A point of a picture, and the projection from the world into the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sight {
    /// World space to view space, in which -z is ahead.
    pub view: glam::Mat4,
    /// Pixels per unit; with perspective, at a distance of 1 u.
    pub focal: f32,
    /// True for a perspective projection, false for an orthographic one.
    pub perspective: bool,
    /// The point, from the middle of the picture to the right and down, px.
    pub at: glam::Vec2,
}

/// The pipelines that find agents.
#[derive(Debug)]
pub(super) struct Finder {
    write_slots: wgpu::ComputePipeline,
    find: wgpu::ComputePipeline,
    copy_poses: wgpu::ComputePipeline,
    find_distance: wgpu::ComputePipeline,
    find_id: wgpu::ComputePipeline,
}

impl Finder {
    pub fn new(device: &wgpu::Device) -> Finder {
        let text = include_str!("../../shaders/read/find.wgsl");
        let names = ["write_slots", "find", "copy_poses", "find_distance", "find_id"];
        let [write_slots, find, copy_poses, find_distance, find_id] = pipelines(device, "find", text, names);
        Finder { write_slots, find, copy_poses, find_distance, find_id }
    }

    /// Record the pass that writes the slot of each id.
    pub fn write_slots(
        &self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        head: Head,
        ids: &wgpu::Buffer,
        slots: &wgpu::Buffer,
    ) {
        let head_here = upload(device, [head.components, head.agents as usize, 0, 0]);
        run(device, encoder, &self.write_slots, entire([(7, &head_here), (0, ids), (1, slots)]), head.agents);
    }

    /// Record passes that find agents and write a row for each into the returned buffer. The columns come in the order of their
    /// bindings in the shader. Poses may lie in several buffers, each with the number of words of a pose that it holds.
    #[expect(clippy::too_many_arguments, reason = "each is another buffer")]
    pub fn find(
        &self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        head: Head,
        slots: &wgpu::Buffer,
        [id, columns @ ..]: [&wgpu::Buffer; 5],
        (poses, widths): (Vec<&wgpu::Buffer>, Vec<usize>),
        asked: &[u32],
    ) -> wgpu::Buffer {
        self.write_slots(device, encoder, head, id, slots);
        let mut words = vec![0; asked.len() * ROW];
        words.iter_mut().step_by(ROW).zip(asked).for_each(|(word, id)| *word = *id);
        let rows = filled(device, "rows", &words, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
        let head = upload(device, [head.components, head.agents as usize, asked.len(), 0]);
        let bound = (0..).zip([id, slots, &rows].into_iter().chain(columns).chain([&head]));
        run(device, encoder, &self.find, entire(bound), asked.len() as u32);
        let mut first = 0;
        for (part, width) in poses.into_iter().zip(widths) {
            let head = upload(device, [width, first, asked.len(), 0]);
            run(device, encoder, &self.copy_poses, entire([(8, &head), (2, &rows), (9, part)]), asked.len() as u32);
            first += width;
        }
        rows
    }

    /// Record passes that find the agent nearest to a point of a picture, and write its squared distance and its id into the returned
    /// buffer.
    pub fn nearest(
        &self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        head: Head,
        [id, position]: [&wgpu::Buffer; 2],
        sight: &Sight,
    ) -> wgpu::Buffer {
        let floats = sight.view.to_cols_array().into_iter().chain([sight.at.x, sight.at.y, sight.focal]);
        let whole = [u32::from(sight.perspective), head.components as u32, head.agents, 0, 0];
        let words: Vec<u32> = floats.map(f32::to_bits).chain(whole).collect();
        let sight = filled(device, "sight", &words, wgpu::BufferUsages::UNIFORM);
        let found = filled(device, "sight", &[NOBODY; 2], wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
        let bound = [(0, id), (3, position), (10, &sight), (11, &found)];
        run(device, encoder, &self.find_distance, entire(bound), head.agents);
        run(device, encoder, &self.find_id, entire(bound), head.agents);
        found
    }
}

/// The id of the agent that [`Finder::nearest`] found, and its distance from the point in the picture, px. `None` if there is none.
pub(super) fn nearest_agent(words: &[u32]) -> Option<(u32, f32)> {
    let [squared, id] = *words else { return None };
    (id != NOBODY).then(|| (id, f32::from_bits(squared).sqrt()))
}

fn upload(device: &wgpu::Device, numbers: [usize; 4]) -> wgpu::Buffer {
    filled(device, "head", &numbers.map(|number| number as u32), wgpu::BufferUsages::UNIFORM)
}

/// An empty buffer for the storage slot of each id.
pub(super) fn slots(device: &wgpu::Device, agents: u32) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_SRC;
    zeros(device, "slots", 4 * u64::from(agents.max(1)), usage)
}

/// The agents of the rows that the shader wrote. An agent is left out where a user's shaders overwrote its id.
pub(super) fn agents(words: &[u32], asked: usize, accelerated: bool, posed: bool) -> Vec<Agent> {
    let agent = |row: &[u32]| {
        let vector = |first: usize| [0, 1, 2].map(|axis| f32::from_bits(row[first + axis]));
        let pose: [u32; POSE_WORDS] = std::array::from_fn(|word| row[12 + word]);
        Agent {
            id: row[0] & ID_BITS,
            slot: row[1],
            frozen: row[0] & FROZEN != 0,
            neighbors: row[2],
            position: vector(3),
            velocity: vector(6),
            acceleration: accelerated.then(|| vector(9)),
            pose: posed.then(|| bytemuck::cast(pose)),
        }
    };
    let rows = words.chunks_exact(ROW).take(asked);
    rows.filter(|row| row[1] != NOBODY).map(agent).collect()
}
