//! Drawing with a render pipeline of your own, one agent per instance, and each species with a mesh of its own. In the buffers
//! of the simulation agents lie in the order of their cells. The ids of a species are consecutive, and a buffer has the storage
//! slot of each id. The picture goes into a texture of the caller, and from there into a PNG file; a window would show the texture.
//!
//! `cargo run --example draw -- PATH`

use steerling::gpu::{AdapterChoice, Gpu, Options, Simulation};
use steerling::{model::State, scene::Scene, wgpu};

/// Width and height of the picture, px. A row of 1,024 pixels needs no padding in a copy.
const SIZE: [u32; 2] = [1024, 576];

/// Corners of the meshes: a dart for starlings, and a broad arrow of two triangles for hawks.
const DART: std::ops::Range<u32> = 0..3;
const ARROW: std::ops::Range<u32> = 3..9;

/// A mesh that points where the agent goes, colored by that direction.
const SHADER: &str = "
override half_width: f32;
override half_height: f32;

@group(0) @binding(0) var<storage, read> position: array<vec2f>;
@group(0) @binding(1) var<storage, read> velocity: array<vec2f>;

const corners = array(
    vec2f(1.4, 0.0), vec2f(-0.7, 0.6), vec2f(-0.7, -0.6),
    vec2f(4.0, 0.0), vec2f(-3.0, 3.0), vec2f(-1.5, 0.0),
    vec2f(4.0, 0.0), vec2f(-1.5, 0.0), vec2f(-3.0, -3.0),
);

struct Corner {
    @builtin(position) place: vec4f,
    @location(0) color: vec3f,
}

@vertex
fn corner(@builtin(vertex_index) index: u32, @location(0) slot: u32) -> Corner {
    let ahead = velocity[slot] / max(length(velocity[slot]), 1e-6);
    let left = vec2f(-ahead.y, ahead.x);
    var shape = corners;
    let place = position[slot] + ahead * shape[index].x + left * shape[index].y;
    let hue = atan2(ahead.y, ahead.x) + vec3f(0.0, 2.1, 4.2);
    return Corner(vec4f(place / vec2f(half_width, half_height), 0.0, 1.0), 0.55 + 0.45 * cos(hue));
}

@fragment
fn fill(corner: Corner) -> @location(0) vec4f {
    return vec4f(corner.color, 1.0);
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Gpu::open(&AdapterChoice::Best)?;
    let scene = Scene::open("predator_and_prey", &[])?;
    let mut simulation = Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default())?;
    simulation.step(300)?;

    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width: SIZE[0], height: SIZE[1], depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let pipeline = pipeline(&gpu, &scene, texture.format());
    // A planar world stores two floats of each position and velocity; in a spatial one they would be arrays of three floats.
    let buffers = [simulation.position_buffer(), simulation.velocity_buffer()];
    let agents = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[0, 1]
            .map(|binding| wgpu::BindGroupEntry { binding, resource: buffers[binding as usize].as_entire_binding() }),
    });

    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    // Before each picture: the slots change from step to step.
    let slots = simulation.encode_slots(&mut encoder)?;
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &texture.create_view(&Default::default()),
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
        })],
        ..Default::default()
    });
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &agents, &[]);
    pass.set_vertex_buffer(0, slots.slice(..));
    for (species, mesh) in [("hawks", ARROW), ("starlings", DART)] {
        let index = scene.species.iter().position(|known| known.name == species);
        let ids = index.and_then(|index| scene.species_ids(index)).ok_or("the scene has no such species")?;
        pass.draw(mesh, ids);
    }
    drop(pass);
    let pixels = read(&gpu, encoder, &texture)?;

    let path = std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("agents.png"), Into::into);
    let painted = pixels.chunks_exact(4).filter(|pixel| pixel[..3] != [0; 3]).count();
    image::save_buffer(&path, &pixels, SIZE[0], SIZE[1], image::ColorType::Rgba8)?;
    println!("{painted} of {} pixels show agents: {}", pixels.len() / 4, path.display());
    Ok(())
}

/// The render pipeline. Its only vertex buffer has the storage slot of each instance.
fn pipeline(gpu: &Gpu, scene: &Scene, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
    let slot = [wgpu::VertexAttribute { format: wgpu::VertexFormat::Uint32, offset: 0, shader_location: 0 }];
    let slots =
        wgpu::VertexBufferLayout { array_stride: 4, step_mode: wgpu::VertexStepMode::Instance, attributes: &slot };
    let half = scene.world.size * 0.5;
    let source = wgpu::ShaderSource::Wgsl(SHADER.into());
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("agents"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[("half_width", half.x.into()), ("half_height", half.y.into())],
                ..Default::default()
            },
            buffers: &[Some(slots)],
        },
        primitive: Default::default(),
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// Submit the commands, and copy the texture to the host.
fn read(
    gpu: &Gpu,
    mut encoder: wgpu::CommandEncoder,
    texture: &wgpu::Texture,
) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("pixels"),
        size: u64::from(4 * SIZE[0] * SIZE[1]),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * SIZE[0]), rows_per_image: None };
    let target = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
    gpu.queue.submit([encoder.finish()]);
    buffer.slice(..).map_async(wgpu::MapMode::Read, |_| ());
    gpu.wait()?;
    let pixels = buffer.slice(..).get_mapped_range()?.to_vec();
    Ok(pixels)
}
