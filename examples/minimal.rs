//! A simulation on the caller's own device: step it, then borrow its position buffer.

use steerling::gpu::{Gpu, Options, Simulation};
use steerling::{model::State, scene::Scene, wgpu};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The device is yours. Steerling needs nothing beyond wgpu's default limits; PASSTHROUGH_SHADERS makes the results
    // on Vulkan equal to the bit.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: adapter.features() & wgpu::Features::PASSTHROUGH_SHADERS,
        ..Default::default()
    }))?;

    let scene = Scene::open("flock", &[])?.with_agents(10_000)?;
    let gpu = Gpu::from_device(device, queue);
    let mut simulation = Simulation::new(&gpu, &scene, &State::initial(&scene), Options::default())?;
    simulation.step(100)?;

    // Bind this buffer in a pipeline of your own: in a planar world it holds x and y of each agent as two f32, u.
    let positions: &wgpu::Buffer = simulation.position_buffer();
    println!("{} bytes of positions on {}", positions.size(), gpu.title());
    let seen = simulation.observe()?;
    println!("digest {}, polarization {:.3}", seen.digest_hex(), seen.polarization);
    Ok(())
}
