//! `steerling profile --capture`: what RenderDoc records of some steps.
//!
//! wgpu's own trigger is an unsafe function, because it trusts any device to know what is captured. So RenderDoc's API is called
//! directly; it captures the only device of the process.

use super::Failure;
use std::path::Path;
use steerling::gpu::Simulation;
#[cfg(any(target_os = "linux", windows))]
use {
    super::shared::write_failure, renderdoc::RenderDoc, renderdoc::V112, steerling::files, steerling::gpu::GpuError,
    steerling::model::STAGES,
};

/// Steps that are captured stage by stage. As many more are captured in a row.
#[cfg(any(target_os = "linux", windows))]
const STEPS: u32 = 2;

/// The RenderDoc that started this process.
#[cfg(any(target_os = "linux", windows))]
pub struct Capture {
    renderdoc: RenderDoc<V112>,
    /// Where RenderDoc puts its files, under names that it chooses.
    folder: tempfile::TempDir,
}

#[cfg(any(target_os = "linux", windows))]
impl Capture {
    /// Find RenderDoc, before any device is made.
    pub fn new() -> Result<Capture, Failure> {
        let mut renderdoc = RenderDoc::<V112>::new().map_err(|_| {
            Failure::Usage(
                "--capture FILE needs a program that runs under RenderDoc: renderdoccmd capture -w -d . steerling \
                 profile ..., or Launch Application in its window"
                    .to_owned(),
            )
        })?;
        let folder = tempfile::tempdir().map_err(|error| write_failure(&std::env::temp_dir(), &error))?;
        let template = folder.path().join("steps");
        if template.to_str().is_none() {
            return Err(write_failure(&template, &std::io::Error::other("RenderDoc needs a path in UTF-8")));
        }
        renderdoc.set_capture_file_path_template(template);
        Ok(Capture { renderdoc, folder })
    }

    /// Capture a few steps into a file: stage by stage, and in a row.
    pub fn take(mut self, simulation: &mut Simulation, path: &Path, overwrite: bool) -> Result<(), Failure> {
        // Null pointers stand for any device and any window; there is one device and no window.
        let any = std::ptr::null::<std::ffi::c_void>();
        self.renderdoc.start_frame_capture(any, any);
        let done = steps(simulation);
        self.renderdoc.end_frame_capture(any, any);
        done?;
        let latest = self.renderdoc.get_num_captures().checked_sub(1);
        let made = latest.and_then(|index| self.renderdoc.get_capture(index));
        let made = made.map(|(made, _)| made).filter(|made| made.starts_with(self.folder.path()));
        let Some(made) = made else {
            return Err(Failure::Other(
                "RenderDoc captured nothing; it may not support the API of this adapter".to_owned(),
            ));
        };
        let copy = |file: &mut _| std::io::copy(&mut std::fs::File::open(&made)?, file).map(drop);
        files::write_whole(path, overwrite, false, copy).map_err(|error| write_failure(path, &error))
    }
}

#[cfg(any(target_os = "linux", windows))]
fn steps(simulation: &mut Simulation) -> Result<(), GpuError> {
    for _ in 0..STEPS {
        STAGES.iter().try_for_each(|stage| simulation.run_stage(stage.id))?;
    }
    simulation.step(STEPS)?;
    simulation.gpu().wait()
}

/// RenderDoc does not exist for this system, so there is no value of this type.
#[cfg(not(any(target_os = "linux", windows)))]
pub enum Capture {}

#[cfg(not(any(target_os = "linux", windows)))]
impl Capture {
    pub fn new() -> Result<Capture, Failure> {
        Err(Failure::Usage("--capture: there is no RenderDoc for this system".to_owned()))
    }

    pub fn take(self, _: &mut Simulation, _: &Path, _: bool) -> Result<(), Failure> {
        match self {}
    }
}
