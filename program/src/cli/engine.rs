//! Which device computes the steps: the one that was asked for, or else the best that is there.

use super::Failure;
use super::shared::{GpuArgs, print_note};
use steerling::engine::Backend;

/// What computes the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceKind {
    /// A GPU, through Vulkan, Metal or Direct3D 12.
    Gpu,
    /// The CPU reference: every core, no driver.
    Cpu,
}

/// Open the device that was asked for. If none was, no flag needs a GPU and no GPU can be used, say so and take the CPU reference.
pub fn open_backend(device: Option<DeviceKind>, args: &GpuArgs) -> Result<Backend, Failure> {
    let flags = [
        ("--adapter", args.adapter.is_some()),
        ("--shaders", args.shaders.is_some()),
        ("--workgroup-size", args.workgroup_size.is_some()),
        ("--unordered", args.unordered),
    ];
    let named = flags.iter().find(|(_, given)| *given).map(|(flag, _)| flag);
    let gpu_only = named.is_some();
    if device == Some(DeviceKind::Cpu) {
        return match named {
            Some(flag) => Err(Failure::Usage(format!("{flag} is for the GPU and does not go with --device cpu"))),
            None => Ok(Backend::Cpu),
        };
    }
    let options = args.options()?;
    match args.open() {
        Ok(gpu) => Ok(Backend::Gpu(Box::new(gpu), Box::new(options))),
        Err(failure) if device.is_some() || gpu_only => Err(failure),
        Err(failure) => {
            print_note(&format!(
                "note: {failure}\nnote: running on the CPU reference; with --device gpu this is an error"
            ));
            Ok(Backend::Cpu)
        }
    }
}
