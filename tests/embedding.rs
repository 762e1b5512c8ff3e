//! A simulation on the caller's own device.

mod support;

use steerling::gpu::{Gpu, Options, Simulation};
use steerling::model::State;
use steerling::scene::Scene;

/// A device as a caller makes it, with nothing installed on it.
fn own_device() -> (wgpu::Device, wgpu::Queue) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).unwrap();
    let descriptor = wgpu::DeviceDescriptor {
        required_features: adapter.features() & wgpu::Features::PASSTHROUGH_SHADERS,
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&descriptor)).unwrap()
}

/// Commands that the device refuses: a copy into a buffer that no copy may write.
fn submit_nonsense(gpu: &Gpu) {
    let buffer = |usage| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor { label: None, size: 64, usage, mapped_at_creation: false })
    };
    let (from, to) = (buffer(wgpu::BufferUsages::COPY_SRC), buffer(wgpu::BufferUsages::STORAGE));
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(&from, 0, &to, 0, 64);
    gpu.queue.submit([encoder.finish()]);
}

#[test]
fn a_failure_on_the_callers_device_is_reported() {
    let (device, queue) = own_device();
    let gpu = Gpu::from_device(device, queue);
    gpu.check().unwrap();
    submit_nonsense(&gpu);
    assert!(gpu.check().is_err(), "a refused submission went unnoticed");
}

fn flock(gpu: &Gpu) -> Simulation {
    let scene = Scene::open("flock", &[]).unwrap().with_agents(200).unwrap();
    Simulation::new(gpu, &scene, &State::initial(&scene), Options::default()).unwrap()
}

#[test]
fn what_is_not_submitted_does_not_count() {
    let gpu = support::gpu();
    let simulation = flock(&gpu);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    simulation.encode_step(&mut encoder);
    drop(encoder);
    assert_eq!(simulation.steps(), 0);
}
