//! The buffers of one world, and how passes bind them.

use super::limits::{AGENTS_PER_ROW, bytes, texture_rows};
use super::pipelines::{Pass, Pipelines};
use super::reflect::{Binding, SORTED_AGENTS};
use super::resources::{texture, write_rows, zeros};
use super::{Gpu, GpuError, walls};
use crate::model::texels::TEXELS_PER_ROW;
use crate::model::walls::NearestWalls;
use crate::model::ways::Ways;
use crate::model::{BUFFERS, Buffer, BufferId, CompiledScene, SurfaceMesh, Usage, vector_words};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) type Buffers = BTreeMap<BufferId, wgpu::Buffer>;

/// The words of the buffers that follow from the scene alone.
pub(super) fn parameters(model: &CompiledScene) -> BTreeMap<BufferId, Vec<u32>> {
    BTreeMap::from([
        (BufferId::World, bytemuck::pod_collect_to_vec(std::slice::from_ref(&model.world))),
        (BufferId::Species, model.species_words()),
        (BufferId::Scenery, bytemuck::pod_collect_to_vec(std::slice::from_ref(&model.scenery))),
        (BufferId::Pieces, bytemuck::pod_collect_to_vec(&model.pieces)),
        (BufferId::Field, vector_words(&model.field.vectors, model.components())),
        (BufferId::Measurement, bytemuck::pod_collect_to_vec(std::slice::from_ref(&model.measures.block))),
    ])
}

/// Bytes of a buffer as it is allocated, for all worlds together. For a buffer that no pass binds, the bytes that it has if it is
/// kept.
pub(super) fn made_bytes(buffer: &Buffer, model: &CompiledScene, pipelines: &Pipelines) -> u64 {
    let Pipelines { bound, world_layout, .. } = pipelines;
    let of_one = || match bytes(buffer, model, bound) {
        0 => buffer.whole_bytes(model, bound.scan_block),
        bytes => bytes,
    };
    // A multiple of 16 bytes, so that whole texels can be copied from it.
    let padded = || of_one().max(16).next_multiple_of(16);
    world_layout.as_ref().and_then(|layout| layout.size(buffer.id)).unwrap_or_else(padded)
}

/// Allocate the buffers that the passes of a model bind. A buffer of `before` that has the right size is reused with its contents.
/// So is one of [`Life::Kept`](crate::model::Life::Kept) that no pass binds now, because a later change may bind it again.
pub(super) fn allocate(
    gpu: &Gpu,
    model: &CompiledScene,
    pipelines: &Pipelines,
    before: &Buffers,
) -> Result<Buffers, GpuError> {
    let bound = &pipelines.bound;
    let make = |buffer: &'static Buffer| {
        let binds = bound.buffers.contains(&buffer.id) && !buffer.usage.is_texture();
        let binds = binds && bound.place(buffer.id, model).0 == buffer.id;
        let size = made_bytes(buffer, model, pipelines);
        let old = before.get(&buffer.id).filter(|old| old.size() == size).cloned();
        let made = match binds {
            true => old.or_else(|| Some(create(gpu, buffer, size))),
            false => old.filter(|_| buffer.is_kept(model)),
        };
        made.map(|made| (buffer.id, made))
    };
    gpu.guarded(|| BUFFERS.iter().filter_map(make).collect())
}

/// The buffer to bind in place of one that the scene does not have.
pub(super) fn placeholder(gpu: &Gpu) -> wgpu::Buffer {
    // A binding needs at least one element, and no element is larger than this.
    zeros(&gpu.device, "placeholder", 64, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC)
}

fn create(gpu: &Gpu, buffer: &Buffer, size: u64) -> wgpu::Buffer {
    let kind = match buffer.usage {
        Usage::Storage | Usage::Further(_) => wgpu::BufferUsages::STORAGE,
        Usage::Drawn => wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::VERTEX,
        Usage::Indirect => wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT,
        Usage::Uniform => wgpu::BufferUsages::UNIFORM,
        Usage::Moving => wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::STORAGE,
        Usage::Within(_) | Usage::Texture | Usage::Texels => unreachable!("not bound by itself"),
    };
    zeros(&gpu.device, buffer.name, size, kind | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC)
}

fn sorted_agents(gpu: &Gpu, rows: u32) -> wgpu::Texture {
    let usage = wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_DST;
    texture(&gpu.device, BufferId::SortedAgents.name(), [2 * AGENTS_PER_ROW, rows], 1, SORTED_AGENTS, usage)
}

/// A texture filled with texels that the host has computed.
fn uploaded(gpu: &Gpu, buffer: BufferId, texels: &[[u32; 4]]) -> wgpu::Texture {
    let rows = (texels.len() as u32).div_ceil(TEXELS_PER_ROW).max(1);
    let texture = gpu.texels(buffer.name(), rows);
    write_rows(&gpu.queue, &texture, 0, texels.as_flattened());
    texture
}

/// A texture, and what it was made of.
type Made<T> = (wgpu::Texture, Option<Arc<T>>);

/// The textures that follow from the scene alone; `None` where no pass binds it.
#[derive(Debug, Clone)]
pub(super) struct Textures {
    /// The obstacles of a scene that has too many for the scenery block.
    obstacles: Option<Made<Vec<[u32; 4]>>>,
    /// The mesh that agents move on, if there is one.
    mesh: Option<Made<SurfaceMesh>>,
    /// The nearest walls of a map, if there is one.
    walls: Option<Made<NearestWalls>>,
    /// The ways to goals.
    pub ways: Option<Made<Ways>>,
}

/// The texture for this data: the one from before if it was made of the same data, otherwise a new one, which may begin as a copy of it.
fn made<T>(
    before: Option<&Made<T>>,
    data: Option<&Arc<T>>,
    make: impl FnOnce(Option<(&wgpu::Texture, &T)>) -> Result<wgpu::Texture, GpuError>,
) -> Result<Made<T>, GpuError> {
    let texture = match before {
        Some((texture, old)) if old.as_ref().map(Arc::as_ptr) == data.map(Arc::as_ptr) => texture.clone(),
        before => make(before.and_then(|(texture, old)| Some((texture, old.as_deref()?))))?,
    };
    Ok((texture, data.cloned()))
}

impl Textures {
    /// The textures of a model. A texture of `before` that was made of the same data is reused.
    ///
    /// # Errors
    /// A device that refuses something, or cannot hold the ways to goals.
    pub fn new(
        gpu: &Gpu,
        model: &CompiledScene,
        pipelines: &Pipelines,
        before: Option<&Textures>,
    ) -> Result<Textures, GpuError> {
        let binds = |buffer| pipelines.binds(buffer).then_some(());
        let (texels, mesh, nearest) =
            (&model.obstacle_texels, model.surface_mesh.as_ref(), model.nearest_walls.as_ref());
        let obstacles = binds(BufferId::ObstacleTexels).map(|()| {
            let before = before.and_then(|before| before.obstacles.as_ref());
            made(before, Some(texels), |_| gpu.guarded(|| uploaded(gpu, BufferId::ObstacleTexels, texels)))
        });
        let mesh = binds(BufferId::SurfaceTexels).map(|()| {
            let texels = mesh.map_or(&[][..], |mesh| &mesh.texels);
            let before = before.and_then(|before| before.mesh.as_ref());
            made(before, mesh, |_| gpu.guarded(|| uploaded(gpu, BufferId::SurfaceTexels, texels)))
        });
        let walls = binds(BufferId::WallTexels).map(|()| {
            let before = before.and_then(|before| before.walls.as_ref());
            made(before, nearest, |before| walls::find(gpu, nearest.map(|nearest| &**nearest), before))
        });
        let ways = model.ways.as_ref().filter(|_| pipelines.binds(BufferId::Ways)).map(|ways| {
            let before = before.and_then(|before| before.ways.as_ref());
            made(before, Some(ways), |before| super::ways::texture(gpu, ways, before))
        });
        let (obstacles, mesh, walls) = (obstacles.transpose()?, mesh.transpose()?, walls.transpose()?);
        Ok(Textures { obstacles, mesh, walls, ways: ways.transpose()? })
    }

    fn each(&self) -> [(BufferId, Option<&wgpu::Texture>); 4] {
        [
            (BufferId::ObstacleTexels, self.obstacles.as_ref().map(|(texture, _)| texture)),
            (BufferId::SurfaceTexels, self.mesh.as_ref().map(|(texture, _)| texture)),
            (BufferId::WallTexels, self.walls.as_ref().map(|(texture, _)| texture)),
            (BufferId::Ways, self.ways.as_ref().map(|(texture, _)| texture)),
        ]
    }
}

/// The bind groups of all passes, and the textures in them.
#[derive(Debug)]
pub(super) struct Bindings {
    /// One for each pass of a step, then those of `observe` and of `measure`.
    pub groups: Vec<wgpu::BindGroup>,
    /// The sorted agents, if they are loaded from a texture. Its contents do not outlive a step.
    sorted: Option<wgpu::Texture>,
    /// The textures that follow from the scene.
    pub textures: Textures,
}

impl Bindings {
    /// Record copies of buffers, of as many words as given for each, into the texture of sorted agents. They lie one after another,
    /// each beginning in a row of its own.
    pub fn copy_to_texture(&self, encoder: &mut wgpu::CommandEncoder, buffers: &[(&wgpu::Buffer, usize)]) {
        let Some(texture) = &self.sorted else { return };
        let (across, mut row) = (2 * AGENTS_PER_ROW, 0);
        for (buffer, words) in buffers {
            let texels = words.div_ceil(4) as u32;
            let rows = texels / across;
            for (first, width, height) in [(0, across, rows), (rows, texels % across, 1)] {
                let offset = u64::from(16 * across) * u64::from(first);
                let layout =
                    wgpu::TexelCopyBufferLayout { offset, bytes_per_row: Some(16 * across), rows_per_image: None };
                let mut target = texture.as_image_copy();
                target.origin.y = row + first;
                let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
                if width * height > 0 {
                    encoder.copy_buffer_to_texture(wgpu::TexelCopyBufferInfo { buffer, layout }, target, size);
                }
            }
            row += texels.div_ceil(across);
        }
    }

    /// Bytes of the textures.
    pub fn bytes(&self) -> u64 {
        let texels = |texture: &wgpu::Texture| u64::from(texture.width()) * u64::from(texture.height());
        let size = |texture: &wgpu::Texture| {
            u64::from(texture.format().block_copy_size(None).unwrap_or_default()) * texels(texture)
        };
        let others = self.textures.each().into_iter().filter_map(|(_, texture)| texture);
        self.sorted.iter().chain(others).map(size).sum()
    }

    /// The nearest walls of a map.
    pub fn walls(&self) -> Option<&wgpu::Texture> {
        self.textures.walls.as_ref().map(|(texture, _)| texture)
    }
}

/// Make the bind group of each pass, from the buffers and these textures. The texture of sorted agents of `before` is reused if it
/// has the right size.
///
/// # Errors
/// A device that refuses something.
pub(super) fn bind(
    gpu: &Gpu,
    model: &CompiledScene,
    pipelines: &Pipelines,
    buffers: &Buffers,
    textures: Textures,
    before: Option<&Bindings>,
) -> Result<Bindings, GpuError> {
    gpu.guarded(|| bound(gpu, model, pipelines, buffers, textures, before))
}

fn bound(
    gpu: &Gpu,
    model: &CompiledScene,
    pipelines: &Pipelines,
    buffers: &Buffers,
    textures: Textures,
    before: Option<&Bindings>,
) -> Bindings {
    let of_many = pipelines.world_layout.as_ref().and_then(|layout| layout.size(BufferId::SortedAgents));
    let rows = of_many.map_or_else(|| texture_rows(model.world.agent_count), |rows| rows as u32);
    let old = before.and_then(|before| before.sorted.clone()).filter(|old| old.height() == rows);
    let sorted = pipelines.binds(BufferId::SortedAgents).then(|| old.unwrap_or_else(|| sorted_agents(gpu, rows)));
    let all = [(BufferId::SortedAgents, sorted.as_ref())].into_iter().chain(textures.each());
    let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
    let views: Vec<_> = all.map(|(buffer, texture)| (buffer, texture.map(view))).collect();
    // A guest is bound with its own length; its host with its whole length, guests included.
    let room = |buffer: BufferId| {
        let (host, offset) = pipelines.bound.place(buffer, model);
        let size = buffer.row().whole_bytes(model, pipelines.bound.scan_block).next_multiple_of(4);
        let size = std::num::NonZero::new(size).filter(|_| host != buffer);
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &buffers[&host], offset, size })
    };
    let group = |pass: &Pass| {
        let entry = |b: &Binding| wgpu::BindGroupEntry {
            binding: b.index,
            resource: match views.iter().find(|(buffer, _)| *buffer == b.buffer) {
                Some((_, Some(view))) => wgpu::BindingResource::TextureView(view),
                _ => room(b.buffer),
            },
        };
        let entries: Vec<_> = pass.bindings.iter().map(entry).collect();
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(pass.name),
            layout: pass.layout(),
            entries: &entries,
        })
    };
    Bindings {
        groups: pipelines.passes.iter().chain(&pipelines.observe).chain(&pipelines.measure).map(group).collect(),
        sorted,
        textures,
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::{bytes, bytes_per_agent, largest_bytes, most_agents};
    use super::super::{Options, pipelines::Program};
    use crate::model::{BUFFERS, BufferId, CompiledScene, GridChoice};
    use crate::scene::Scene;

    /// The bytes per agent in messages about memory are those that are allocated, with and without columns by id.
    #[test]
    fn bytes_per_agent_are_those_of_the_buffers() {
        for (vehicle, largest) in [("", [8, 12]), ("vehicle.orientation = \"kept\"", [48, 48])] {
            for (size, largest) in ["[1000, 1000]", "[1000, 1000, 1000]"].iter().zip(largest) {
                let text = format!("schema = 1\nworld.size = {size}\n[[species]]\ncount = 1000000\n{vehicle}\n");
                let scene = Scene::parse(&text, "memory.toml", &[]).unwrap();
                let model = CompiledScene::new(&scene, GridChoice::default()).unwrap();
                let bound = Program::new(&model, &Options::default(), false, false).unwrap().bound;
                let sizes: Vec<_> = BUFFERS.iter().map(|b| (b.id, bytes(b, &model, &bound))).collect();
                let (each, all) = bytes_per_agent(&model, &bound);
                assert_eq!(each, largest);
                assert!(
                    sizes.iter().all(|(name, size)| *size <= each * 1_000_000 + 512 || *name == BufferId::Observed)
                );
                let total: u64 = sizes.iter().map(|(_, size)| size).sum();
                let share = total as f64 / (all as f64 * 1e6);
                // There may be up to two cells per agent, of 12 bytes each; here there is a little more than one.
                assert!((0.7..1.05).contains(&share), "{vehicle} {size}: {total} bytes, {all} for each agent");
            }
        }
    }

    /// Guests lie in a host that no pass binds together with them, one after another, as many as one binding holds.
    #[test]
    fn guests_lie_side_by_side_in_a_room() {
        let scene = Scene::open("murmuration", &[]).unwrap().with_agents(1_000_100).unwrap();
        let model = CompiledScene::new(&scene, GridChoice::default()).unwrap();
        let program = Program::new(&model, &Options::default(), true, true).unwrap();
        let (bound, host) = (&program.bound, BufferId::Acceleration);
        let guests = [BufferId::Cell, BufferId::Rank, BufferId::Order];
        let mut end = 0;
        for guest in guests {
            assert!(program.entries.iter().all(|(.., entry)| !(entry.binds(guest) && entry.binds(host))), "{guest}");
            let (place, first) = bound.place(guest, &model);
            assert!(place == host && first >= end && first % 256 == 0, "{guest} at {first}");
            assert_eq!(bytes(guest.row(), &model, bound), 0);
            end = first + guest.row().whole_bytes(&model, bound.scan_block);
        }
        assert!(end > 12_001_200, "the beginnings take room too");
        assert_eq!(bytes(host.row(), &model, bound), end);
        // A binding that is just large enough for the accelerations holds two guests.
        let small = model.clone().bound_by(12_001_200);
        let of = |guest: &BufferId| bound.place(*guest, &small).0 == host;
        assert_eq!(guests.iter().filter(|guest| of(guest)).count(), 2);
        // In a plane accelerations are smaller, and no host grows for its guests.
        let scene = Scene::open("flock", &[]).unwrap().with_agents(1_000_100).unwrap();
        let plane = CompiledScene::new(&scene, GridChoice::default()).unwrap();
        let program = Program::new(&plane, &Options::default(), true, true).unwrap();
        assert_eq!(program.bound.place(BufferId::Order, &plane).0, BufferId::Order);
        assert!(bytes(host.row(), &plane, &program.bound) <= 8_000_800 + 512);
        // No guests among a user's shaders, which may need a buffer at any time.
        let mut options = Options::default();
        options.shaders = options.shaders.as_user_shaders();
        assert!(Program::new(&small, &options, true, true).unwrap().bound.guests.is_empty());
    }

    /// 64 million agents, as an NVIDIA GPU allows them: bindings of 4 GiB less a byte, and 80 GB of memory.
    #[test]
    fn sixty_four_million_agents_fit_a_large_gpu() {
        let limits = wgpu::Limits { max_storage_buffer_binding_size: u64::from(u32::MAX), ..Default::default() };
        let limits = wgpu::Limits { max_buffer_size: 1 << 40, ..limits };
        for (preset, most_gib) in [("flock", 8), ("murmuration", 32)] {
            let scene = Scene::open(preset, &[]).unwrap().with_agents(64_000_001).unwrap();
            let model = CompiledScene::new(&scene, GridChoice::default()).unwrap();
            let bound = Program::new(&model, &Options::default(), false, false).unwrap().bound;
            let sizes = || BUFFERS.iter().map(|buffer| (buffer.name, bytes(buffer, &model, &bound)));
            let (name, largest) = sizes().max_by_key(|(_, size)| *size).unwrap();
            assert!(largest <= limits.max_storage_buffer_binding_size, "{preset}: {name} has {largest} bytes");
            assert_eq!(largest_bytes(&model, &bound), largest.next_multiple_of(16), "as it is made");
            let all: u64 = sizes().map(|(_, size)| size).sum();
            assert!(all < most_gib << 30 && all > 64_000_000 * 50, "{preset}: {all} bytes");
            assert!(most_agents(&limits, model.spatial) > 64_000_000);
            // The same on a device with wgpu's default bindings of 128 MiB does not fit.
            assert!(most_agents(&wgpu::Limits::default(), model.spatial) < 64_000_000);
        }
    }
}
