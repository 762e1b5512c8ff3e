//! Draws a simulation into any texture view.

use super::View;
use super::blocks::{Frame, Palette};
use super::bodies;
use super::frame::Variant;
use super::glow::{Glow, TilePlace};
use super::looks::Backdrop;
use super::pipelines::Pipelines;
use super::scenery::SceneryLayer;
use super::shapes::{EDGE, SOLID, Shapes, targets};
use super::targets::{Targets, tiles};
use crate::gpu::resources::{filled, group, texture, zeros};
use crate::gpu::{Gpu, GpuError, Simulation, dispatch, largest_binding};
use crate::model::{BufferId, CompiledScene};
use crate::scene::{Boundary, ColorBy, Scene};

/// Draws agents, straight from a simulation's buffers. Nothing is read back or uploaded per agent.
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    scene: Scene,
    /// The scene on whose scale colors show numbers; `None` for `scene`.
    scale: Option<Scene>,
    target_format: wgpu::TextureFormat,
    variant: Variant,
    pipelines: Pipelines,
    targets: Option<Targets>,
    /// The afterglow of each tile; empty if the look has none.
    glows: Vec<Glow>,
    /// The list of agents that are drawn one by one, as `listing.wgsl` leaves it.
    listed: Option<wgpu::Buffer>,
    scenery: Option<SceneryLayer>,
    /// The cost of each cell of the map, for `map.wgsl`.
    costs: wgpu::Texture,
    palette: wgpu::Buffer,
    bodies: wgpu::Buffer,
    coarse: f32,
    beside: wgpu::Color,
    /// The upper left corner of pictures within the target, px.
    corner: (u32, u32),
    /// One number per agent, by id: see [`Renderer::set_values`].
    values: Option<wgpu::Buffer>,
}

impl Renderer {
    /// A renderer for texture views of this format, with the colors of this scene. A target may be sRGB or not: the
    /// picture looks the same.
    ///
    /// # Errors
    /// A device that cannot draw into such targets, or at all.
    pub fn new(gpu: &Gpu, target_format: wgpu::TextureFormat, scene: &Scene) -> Result<Renderer, GpuError> {
        if gpu.info.backend == wgpu::Backend::Gl {
            return Err(GpuError::CannotDraw { adapter: gpu.title() });
        }
        let variant = Variant::new(scene, !target_format.is_srgb());
        Ok(Renderer {
            gpu: gpu.clone(),
            scene: scene.clone(),
            scale: None,
            target_format,
            variant,
            pipelines: Pipelines::new(gpu, target_format, variant)?,
            targets: None,
            glows: Vec::new(),
            listed: None,
            scenery: SceneryLayer::new(gpu, &Shapes::fixed(scene)),
            costs: costs_texture(gpu, scene),
            palette: uniform(gpu, "palette", &[Palette::new(scene, scene)]),
            bodies: uniform(gpu, "bodies", &[bodies::all()]),
            coarse: 1.0,
            beside: wgpu::Color::BLACK,
            corner: (0, 0),
            values: None,
        })
    }

    /// Draw another scene, or the same after a change, from now on: its look, colors, radii and speeds.
    ///
    /// # Errors
    /// A device that cannot draw it.
    pub fn set_scene(&mut self, scene: &Scene) -> Result<(), GpuError> {
        let variant = Variant::new(scene, !self.target_format.is_srgb());
        if variant != self.variant {
            self.pipelines = Pipelines::new(&self.gpu, self.target_format, variant)?;
            self.variant = variant;
        }
        let drawn = |scene: &Scene| (scene.world, scene.look, targets(scene));
        if scene.scenery != self.scene.scenery || drawn(scene) != drawn(&self.scene) {
            self.scenery = SceneryLayer::new(&self.gpu, &Shapes::fixed(scene));
        }
        if (&scene.map, scene.world.size, scene.seed) != (&self.scene.map, self.scene.world.size, self.scene.seed) {
            self.costs = costs_texture(&self.gpu, scene);
        }
        self.scene = scene.clone();
        self.make_palette();
        Ok(())
    }

    /// Show numbers by colors on the scale of this scene from now on, such as that of a run whose picture lies beside this one; with `None`
    /// on the scale of the renderer's own scene.
    pub fn set_scale(&mut self, scale: Option<&Scene>) {
        if self.scale.as_ref() != scale {
            self.scale = scale.cloned();
            self.make_palette();
        }
    }

    fn make_palette(&mut self) {
        let palette = Palette::new(&self.scene, self.scale.as_ref().unwrap_or(&self.scene));
        self.palette = uniform(&self.gpu, "palette", &[palette]);
    }

    /// Set how many times larger pixels of the target are shown, 1 or more. What has a least size in pixels is drawn smaller accordingly,
    /// so that it looks as large as before.
    pub fn set_coarse(&mut self, times: f32) {
        self.coarse = times.max(1.0);
    }

    /// Set the color of the target around a picture that is smaller than the target, as the target stores it.
    pub fn set_beside(&mut self, color: wgpu::Color) {
        self.beside = color;
    }

    /// Set the upper left corner of pictures within the target, px. If it is not (0, 0), drawing keeps what is around the picture, such as
    /// another picture.
    pub fn set_corner(&mut self, corner: (u32, u32)) {
        self.corner = corner;
    }

    /// Drop the afterglow of earlier pictures. The next picture begins a new one, as for another run.
    pub fn forget(&mut self) {
        self.glows.clear();
    }

    /// Set the numbers that the colors `error` and `divergence` show, one per agent in the order of ids: an error relative to 1, or a
    /// distance, u. With `None`, or if their number is not that of the agents, all agents have the lowest color.
    pub fn set_values(&mut self, values: Option<&[f32]>) {
        let upload = |values: &[f32]| filled(&self.gpu.device, "values", values, wgpu::BufferUsages::STORAGE);
        self.values = values.filter(|values| !values.is_empty()).map(upload);
    }

    /// The values of [`Renderer::set_values`], if there is one for each agent of the simulation.
    fn values_of(&self, simulation: &Simulation) -> Option<&wgpu::Buffer> {
        let size = 4 * u64::from(simulation.model().world.agent_count);
        self.values.as_ref().filter(|values| values.size() == size)
    }

    /// Record the drawing of a picture of `size` px, width and height, into `target`, which is cleared if the corner is (0, 0). The
    /// simulation must be on the renderer's device, and of the renderer's scene.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size: (u32, u32),
        simulation: &Simulation,
        view: &View,
    ) {
        let mut glows = std::mem::take(&mut self.glows).into_iter();
        for (index, tile) in tiles(size).into_iter().enumerate() {
            let model = simulation.model();
            let first_width = |buffer| simulation.parts(buffer).1.first().map_or(0, |width| *width as u32);
            let further_pose_words = simulation.parts(BufferId::Pose).1.get(1).map_or(0, |width| *width as u32);
            let lacks = match self.scene.look.color {
                ColorBy::Force => !simulation.has_accelerations(),
                ColorBy::Density => !simulation.has_cell_starts(),
                ColorBy::Error | ColorBy::Divergence => self.values_of(simulation).is_none(),
                _ => false,
            };
            let frame = Frame {
                memory_words: first_width(BufferId::Memory),
                memory_winner: model.memory_place("winner").unwrap_or_default() as u32,
                pose_words: first_width(BufferId::Pose),
                further_pose_words,
                time: (simulation.steps() as f64 * f64::from(self.scene.dt) % 3600.0) as f32,
                agents: model.world.agent_count.max(1),
                stepped: u32::from(simulation.steps() > 0 && !lacks),
                cells: model.world.cells,
                cells_per_unit: model.world.cells_per_unit,
                folded: model.world.cells_beyond.map(|beyond| u32::from(beyond > 0.0)),
                ..Frame::new(view, &self.scene, size, tile, self.coarse)
                    .scaled_as(self.scale.as_ref().unwrap_or(&self.scene))
            };
            let afterglow = self.scene.look.afterglow / self.scene.dt;
            if afterglow > 0.0 {
                let of = (simulation.steps(), afterglow);
                let place = TilePlace { picture: size, tile };
                self.glows.push(Glow::next(glows.next(), &self.gpu.device, place, of, view));
            }
            self.draw_tile(encoder, target, index, tile, &frame, simulation);
        }
    }

    fn draw_tile(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        index: usize,
        tile: [u32; 4],
        frame: &Frame,
        simulation: &Simulation,
    ) {
        let [x, y, width, height] = tile;
        let device = &self.gpu.device;
        let cover_size = u64::from(width) * u64::from(height) * Frame::cover_words(&self.scene) * 4;
        if self.targets.as_ref().is_none_or(|t| t.size != (width, height) || t.cover.size() != cover_size) {
            self.targets = Some(Targets::new(device, (width, height), cover_size));
        }
        let (solid, small) =
            if simulation.model().world.agent_count > 0 { frame.draws(&self.scene) } else { (false, false) };
        let frame = &frame.limited(if solid { most_listed(&device.limits()) } else { MOST_BODIES });
        if solid {
            let size = list_size(frame.bodies());
            if self.listed.as_ref().is_none_or(|listed| listed.size() != size) {
                let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT;
                self.listed = Some(zeros(device, "listed", size, usage));
            }
        }
        let listed = self.listed.as_ref().filter(|_| solid);
        let Some(targets) = &self.targets else { return };
        let (left, top) = (self.corner.0 + x, self.corner.1 + y);
        let origin = &uniform(&self.gpu, "origin", &[left as f32, top as f32, 0.0, 0.0]);
        let copies = frame.copies[0] * frame.copies[1];
        let groups = frame.bodies().div_ceil(BLOCK) as u32;
        let frame = &uniform(&self.gpu, "frame", std::slice::from_ref(frame));

        let agents = self.agents_group(frame, simulation);
        if let Some(listed) = listed {
            let group = self.bind("listing", &self.pipelines.listing_layout, [listed.as_entire_binding()]);
            let kernels = [&self.pipelines.count, &self.pipelines.list];
            compute(encoder, "listing", &kernels, [&agents, &group], groups);
        }
        self.draw_solid(encoder, targets, frame, copies, listed.map(|listed| (&agents, listed)), simulation);
        encoder.clear_buffer(&targets.cover, 0, None);
        if small {
            let depth = wgpu::BindingResource::TextureView(&targets.depth);
            let group = self.bind("cover", &self.pipelines.cover_layout, [targets.cover.as_entire_binding(), depth]);
            compute(encoder, "cover", &[&self.pipelines.cover], [&agents, &group], groups);
        }

        let mut solid = &targets.solid;
        if let Some(glow) = self.glows.get(index) {
            let share = uniform(&self.gpu, "share", &[glow.share, 0.0, 0.0, 0.0]);
            let layers = [
                frame.as_entire_binding(),
                wgpu::BindingResource::TextureView(solid),
                targets.cover.as_entire_binding(),
                wgpu::BindingResource::TextureView(&glow.before.view),
                share.as_entire_binding(),
            ];
            let group = self.bind("afterglow", &self.pipelines.afterglow_layout, layers);
            let clear = wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT);
            let mut pass = begin(encoder, "afterglow", &glow.now.view, None, clear, None);
            pass.set_pipeline(&self.pipelines.afterglow);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
            drop(pass);
            // The afterglow holds both layers, so nothing else is composited.
            encoder.clear_buffer(&targets.cover, 0, None);
            solid = &glow.now.view;
        }
        let layers = [
            frame.as_entire_binding(),
            wgpu::BindingResource::TextureView(solid),
            targets.cover.as_entire_binding(),
            origin.as_entire_binding(),
        ];
        let group = self.bind("composite", &self.pipelines.composite_layout, layers);
        let clears = index == 0 && self.corner == (0, 0);
        let load = if clears { wgpu::LoadOp::Clear(self.beside) } else { wgpu::LoadOp::Load };
        let mut pass = begin(encoder, "composite", target, None, load, None);
        pass.set_viewport(left as f32, top as f32, width as f32, height as f32, 0.0, 1.0);
        pass.set_scissor_rect(left, top, width, height);
        pass.set_pipeline(&self.pipelines.composite);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }

    /// The bind group of every pass over the agents.
    fn agents_group(&self, frame: &wgpu::Buffer, simulation: &Simulation) -> wgpu::BindGroup {
        // Colors show only one quantity at a time, so a single binding is enough for its buffer.
        let shown_values = match self.scene.look.color {
            ColorBy::Neighbors => simulation.buffer(BufferId::Neighbors),
            ColorBy::Density => simulation.buffer(BufferId::CellStart),
            ColorBy::Force => simulation.buffer(BufferId::Acceleration),
            ColorBy::Error | ColorBy::Divergence => self.values_of(simulation).unwrap_or(simulation.memory_buffer()),
            _ => simulation.memory_buffer(),
        };
        let (poses, _) = simulation.parts(BufferId::Pose);
        let read = [
            frame,
            simulation.position_buffer(),
            simulation.velocity_buffer(),
            simulation.id_buffer(),
            &self.palette,
            poses[0],
            shown_values,
            // Forward and up lie in the first two parts.
            poses.get(1).unwrap_or(&poses[0]),
            &self.bodies,
        ];
        self.bind("agents", &self.pipelines.agents_layout, read.map(wgpu::Buffer::as_entire_binding))
    }

    /// A bind group of bindings 0, 1, 2 and so on.
    fn bind<const N: usize>(
        &self,
        label: &str,
        layout: &wgpu::BindGroupLayout,
        resources: [wgpu::BindingResource<'_>; N],
    ) -> wgpu::BindGroup {
        group(&self.gpu.device, label, layout, resources)
    }

    /// Draw the ground, the scenery and the agents of the list.
    fn draw_solid(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        targets: &Targets,
        frame: &wgpu::Buffer,
        copies: u32,
        agents: Option<(&wgpu::BindGroup, &wgpu::Buffer)>,
        simulation: &Simulation,
    ) {
        let frame_group = self.bind("frame", &self.pipelines.frame_layout, [frame.as_entire_binding()]);
        // In a plane, draw the edges across axes that are not wrapped: of the four edges, every other one lies across the same axis.
        let closed = |edge: &u32| self.scene.world.boundary[(*edge as usize + 1) % 2] != Boundary::Wrap;
        let edges: Vec<u32> = match self.scene.world.spatial {
            true if Backdrop::of(self.scene.look.name).cage => (0..12).collect(),
            true => Vec::new(),
            false => (0..4).filter(closed).collect(),
        };
        let (ground, moving) = (self.ground_group(frame, simulation), self.moving(simulation));
        let map = self.map_group(frame, simulation);
        let spatial = self.scene.world.spatial;
        let clear = wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT);
        let empty = ground.is_none() && map.is_none() && moving.is_none() && self.scenery.is_none();
        if !spatial && edges.is_empty() && empty && agents.is_none() {
            // Nothing to draw, so clearing the resolved texture is enough; the samples need not be filled.
            begin(encoder, "solid", &targets.solid, None, clear, None);
            return;
        }
        let far = wgpu::LoadOp::Clear(0.0);
        let mut pass =
            begin(encoder, "solid", &targets.samples, Some(&targets.solid), clear, Some((&targets.depth, far)));
        let draw_ground = |pass: &mut wgpu::RenderPass<'_>, instances: u32| {
            if let Some(group) = &ground {
                pass.set_pipeline(&self.pipelines.ground);
                pass.set_bind_group(0, group, &[]);
                pass.draw(0..6, 0..instances);
            }
        };
        if !spatial {
            draw_ground(&mut pass, copies);
        }
        if let Some(group) = &map {
            pass.set_pipeline(&self.pipelines.map);
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..6, 0..copies);
        }
        pass.set_pipeline(&self.pipelines.outline);
        pass.set_bind_group(0, &frame_group, &[]);
        for edge in edges {
            pass.draw(2 * edge..2 * edge + 2, 0..copies);
        }
        if let Some(scenery) = &self.scenery {
            scenery.draw(&self.gpu, &mut pass, &self.pipelines, frame, copies);
        }
        if let Some(moving) = &moving {
            moving.draw(&self.gpu, &mut pass, &self.pipelines, frame, copies);
        }
        if spatial {
            draw_ground(&mut pass, simulation.model().ground.len() as u32);
        }
        if let Some((agents, listed)) = agents {
            let list = self.bind("listed", &self.pipelines.listed_layout, [listed.as_entire_binding()]);
            pass.set_pipeline(&self.pipelines.solid);
            pass.set_bind_group(0, agents, &[]);
            pass.set_bind_group(1, &list, &[]);
            pass.draw_indirect(listed, 0);
        }
    }
}

impl Renderer {
    /// The moving scenery, where it is after the steps so far.
    fn moving(&self, simulation: &Simulation) -> Option<SceneryLayer> {
        let model = simulation.model();
        if !model.scenery.moves() {
            return None;
        }
        let mut now = model.clone();
        now.advance(simulation.steps() as u32);
        SceneryLayer::new(&self.gpu, &Shapes::moving(&self.scene, &now))
    }

    /// The bind group that draws the map; `None` if it has neither walls nor slow ground.
    fn map_group(&self, frame: &wgpu::Buffer, simulation: &Simulation) -> Option<wgpu::BindGroup> {
        let (walls, model) = (simulation.wall_texture(), simulation.model());
        let slow = model.walls.as_ref().is_some_and(|walls| !walls.costs.is_empty());
        if walls.is_none() && !slow {
            return None;
        }
        let world = &model.world;
        let backdrop = Backdrop::of(self.scene.look.name);
        let [columns, rows] = [world.map_columns, world.map_rows].map(|cells| cells as f32);
        let [solid, edge] = [SOLID, EDGE].map(|color| backdrop.scenery(color));
        let walled = f32::from(walls.is_some());
        let numbers = [&solid[..], &[columns], &edge[..], &[rows, world.map_cell_size, walled, 0.0, 0.0]].concat();
        let plan = uniform(&self.gpu, "plan", &numbers);
        let [nearest, costs] = [walls.unwrap_or(&self.costs), &self.costs].map(|t| t.create_view(&Default::default()));
        let resources = [
            frame.as_entire_binding(),
            wgpu::BindingResource::TextureView(&nearest),
            plan.as_entire_binding(),
            wgpu::BindingResource::TextureView(&costs),
        ];
        Some(self.bind("map", &self.pipelines.map_layout, resources))
    }

    /// The bind group that draws the ground; `None` unless behaviors read it or agents lay a trail on it.
    fn ground_group(&self, frame: &wgpu::Buffer, simulation: &Simulation) -> Option<wgpu::BindGroup> {
        let model = simulation.model();
        if !simulation.pipelines().binds(BufferId::Ground) {
            return None;
        }
        let [x, y, z] = model.world.ground_cells;
        let (visits, resource) = (u32::from(model.is_active("explore")), u32::from(model.reads_ground()));
        let trail_unit = if model.has_trail() { trail_unit(&self.scene, model) } else { 0.0 };
        let grid = uniform(&self.gpu, "ground grid", &[x, y, z, visits, resource, trail_unit.to_bits(), 0, 0]);
        let bound = [frame, simulation.ground_buffer(), &grid].map(wgpu::Buffer::as_entire_binding);
        Some(self.bind("ground", &self.pipelines.ground_layout, bound))
    }
}

/// Units of trail at which a cell looks half as bright as possible: `TIMES` times the trail of a cell if all cells had the same, with
/// deposits and fading in balance.
fn trail_unit(scene: &Scene, model: &CompiledScene) -> f32 {
    const TIMES: f32 = 4.0;
    let half_life = scene.ground.as_ref().map_or(0.0, |ground| ground.trail_half_life);
    let lasts = if half_life > 0.0 { half_life / std::f32::consts::LN_2 } else { 30.0 };
    let laid: f32 = scene.species.iter().map(|species| species.count as f32 * species.deposit).sum();
    (TIMES * laid * lasts / model.ground.len() as f32).max(1.0)
}

/// A texture with the cost of each cell of the map; one texel if all cost the same.
fn costs_texture(gpu: &Gpu, scene: &Scene) -> wgpu::Texture {
    let walls = scene.map.as_ref().map(|map| map.walls(&scene.world, scene.seed));
    let slow = walls.as_ref().filter(|walls| !walls.costs.is_empty());
    let (width, height, costs) = slow.map_or((1, 1, &[0][..]), |walls| (walls.columns, walls.rows, &walls.costs));
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let texture = texture(&gpu.device, "costs", [width, height], 1, wgpu::TextureFormat::R8Uint, usage);
    let layout = wgpu::TexelCopyBufferLayout { bytes_per_row: Some(width), ..Default::default() };
    gpu.queue.write_texture(texture.as_image_copy(), costs, layout, texture.size());
    texture
}

fn uniform<T: bytemuck::NoUninit>(gpu: &Gpu, label: &str, contents: &[T]) -> wgpu::Buffer {
    filled(&gpu.device, label, contents, wgpu::BufferUsages::UNIFORM)
}

/// Bodies of a workgroup. Twin of the constant in `agents.wgsl`.
const BLOCK: u64 = 256;
/// The most bodies that u32 numbers in a pass, with the last block filled up.
const MOST_BODIES: u64 = (1 << 32) - BLOCK;

/// Bytes of the list of agents drawn one by one: the arguments of the indirect draw, a count for each block, and an entry for each body.
fn list_size(bodies: u64) -> u64 {
    4 * (4 + bodies.div_ceil(BLOCK) + bodies)
}

/// The most bodies whose list fits a binding of the device.
fn most_listed(limits: &wgpu::Limits) -> u64 {
    let words = largest_binding(limits) / 4;
    words.saturating_sub(5) * BLOCK / (BLOCK + 1)
}

/// Record one compute pass that runs these kernels, one after another, over all bodies.
fn compute(
    encoder: &mut wgpu::CommandEncoder,
    label: &str,
    kernels: &[&wgpu::ComputePipeline],
    [agents, written]: [&wgpu::BindGroup; 2],
    groups: u32,
) {
    let mut pass =
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some(label), timestamp_writes: None });
    pass.set_bind_group(0, agents, &[]);
    pass.set_bind_group(1, written, &[]);
    for kernel in kernels {
        pass.set_pipeline(kernel);
        dispatch(&mut pass, groups, 1, 1);
    }
}

/// Begin a pass with one color target.
fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    view: &wgpu::TextureView,
    resolve_target: Option<&wgpu::TextureView>,
    load: wgpu::LoadOp<wgpu::Color>,
    depth: Option<(&wgpu::TextureView, wgpu::LoadOp<f32>)>,
) -> wgpu::RenderPass<'a> {
    // Of a multisampled target only the resolved texture is read.
    let store = if resolve_target.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target,
            ops: wgpu::Operations { load, store },
        })],
        depth_stencil_attachment: depth.map(|(view, load)| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations { load, store: wgpu::StoreOp::Store }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}
