//! Reads buffers back from the device to the host.

use super::context::MAX_TRANSFER_CHUNK;
use super::resources::zeros;
use super::{Gpu, GpuError};
use crate::lock::lock;
use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// A value that is being read back from the GPU: block for it with [`Pending::wait`], poll it with
/// [`Pending::poll_device`], or await it.
///
/// As a future it is woken when its buffers are mapped, which happens while the device is polled: every call that waits
/// polls it, and so does [`Pending::poll_device`]. Without either it never completes.
#[must_use = "nothing is read unless somebody waits for it"]
pub struct Pending<T> {
    readback: Readback,
    finish: Option<Finish<T>>,
}

/// Turns the words of all buffers into the value.
type Finish<T> = Box<dyn FnOnce(Vec<Vec<u32>>) -> T + Send>;

/// The words of some buffers.
pub(crate) struct Readback {
    gpu: Gpu,
    staging: Vec<wgpu::Buffer>,
    /// The submission that copies them: waiting for them does not wait for later ones.
    submission: Option<wgpu::SubmissionIndex>,
    progress: Arc<Mutex<Progress>>,
}

#[derive(Default)]
struct Progress {
    left: usize,
    failure: Option<GpuError>,
    waker: Option<Waker>,
}

impl Readback {
    /// Submit the commands that `record` records, and read the staging buffers that it returns.
    pub fn of(gpu: Gpu, record: impl FnOnce(&Gpu, &mut wgpu::CommandEncoder) -> Vec<wgpu::Buffer>) -> Readback {
        let progress: Arc<Mutex<Progress>> = Arc::default();
        let copied = gpu.caught(|| {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let staging = record(&gpu, &mut encoder);
            let submission = gpu.queue.submit([encoder.finish()]);
            Self::map(&staging, &progress);
            (staging, Some(submission))
        });
        let (staging, submission) = copied.unwrap_or_else(|error| {
            // The call that waits for the words returns this error.
            let failure = Some(error);
            *lock(&progress) = Progress { failure, ..Default::default() };
            (Vec::new(), None)
        });
        Readback { gpu, staging, submission, progress }
    }

    /// Staging buffers, each with room for the contents of one of `buffers` at `moments` moments.
    pub fn staging(gpu: &Gpu, buffers: &[&wgpu::Buffer], moments: u32) -> Vec<wgpu::Buffer> {
        buffers.iter().map(|buffer| Self::room(gpu, buffer.size() * u64::from(moments))).collect()
    }

    /// Record copies of whole buffers into new staging buffers, which are returned.
    pub fn whole(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, buffers: &[&wgpu::Buffer]) -> Vec<wgpu::Buffer> {
        let staging = Self::staging(gpu, buffers, 1);
        Self::copy(encoder, buffers, &staging, 0);
        staging
    }

    fn room(gpu: &Gpu, size: u64) -> wgpu::Buffer {
        zeros(&gpu.device, "readback", size, wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ)
    }

    /// Record copies of whole buffers into the place of one moment in their staging buffers.
    pub fn copy(encoder: &mut wgpu::CommandEncoder, buffers: &[&wgpu::Buffer], staging: &[wgpu::Buffer], moment: u32) {
        for (buffer, staging) in buffers.iter().zip(staging) {
            let size = buffer.size();
            encoder.copy_buffer_to_buffer(buffer, 0, staging, u64::from(moment) * size, size);
        }
    }

    /// Record a copy of a range of words of a buffer into a new staging buffer, which is returned.
    pub fn part(
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        buffer: &wgpu::Buffer,
        words: Range<usize>,
    ) -> wgpu::Buffer {
        let staging = Readback::room(gpu, 4 * words.len() as u64);
        encoder.copy_buffer_to_buffer(buffer, 4 * words.start as u64, &staging, 0, staging.size());
        staging
    }

    fn map(staging: &[wgpu::Buffer], progress: &Arc<Mutex<Progress>>) {
        lock(progress).left = staging.len();
        for buffer in staging {
            let progress = Arc::clone(progress);
            buffer.map_async(wgpu::MapMode::Read, .., move |mapped| {
                let mut progress = lock(&progress);
                progress.left = progress.left.saturating_sub(1);
                if let Err(error) = mapped {
                    progress.failure.get_or_insert(GpuError::Device(error.to_string()));
                }
                if progress.left == 0 {
                    progress.waker.take().into_iter().for_each(Waker::wake);
                }
            });
        }
    }

    /// Block until the words of all buffers are there.
    pub fn wait(mut self) -> Result<Vec<Vec<u32>>, GpuError> {
        self.finish()?;
        self.words()
    }

    fn finish(&mut self) -> Result<(), GpuError> {
        if !self.ready() {
            self.gpu.wait_for(self.submission.take())?;
        }
        Ok(())
    }

    /// Bytes that are read back.
    pub fn bytes(&self) -> u64 {
        self.staging.iter().map(wgpu::Buffer::size).sum()
    }

    fn ready(&self) -> bool {
        lock(&self.progress).left == 0
    }

    fn words(&self) -> Result<Vec<Vec<u32>>, GpuError> {
        self.gpu.alive()?;
        let failure = lock(&self.progress).failure.take();
        failure.map_or(Ok(()), Err)?;
        let words = |buffer: &wgpu::Buffer| {
            let view = buffer.get_mapped_range(..).map_err(|e| GpuError::Device(e.to_string()))?;
            Ok(bytemuck::pod_collect_to_vec(&view[..]))
        };
        self.staging.iter().map(words).collect()
    }
}

impl<T> Pending<T> {
    pub(super) fn new(readback: Readback, finish: impl FnOnce(Vec<Vec<u32>>) -> T + Send + 'static) -> Self {
        Pending { readback, finish: Some(Box::new(finish)) }
    }

    pub(super) fn map<U>(self, next: impl FnOnce(T) -> U + Send + 'static) -> Pending<U>
    where
        T: 'static,
    {
        let Pending { readback, finish } = self;
        let finish = finish.map(|finish| -> Finish<U> { Box::new(|words| next(finish(words))) });
        Pending { readback, finish }
    }

    /// Block until the value is read. In a browser blocking is impossible: await it there.
    ///
    /// # Errors
    /// A device that failed, or refused the copy.
    pub fn wait(mut self) -> Result<T, GpuError> {
        self.readback.finish()?;
        self.take()
    }

    /// Poll the device without waiting. True if the value is there, so that neither [`Pending::wait`] nor awaiting it
    /// takes time.
    ///
    /// # Errors
    /// A device that failed.
    pub fn poll_device(&self) -> Result<bool, GpuError> {
        let polled = self.readback.gpu.device.poll(wgpu::PollType::Poll);
        polled.map_err(|e| GpuError::Device(e.to_string()))?;
        self.readback.gpu.alive()?;
        Ok(self.readback.ready())
    }

    fn take(&mut self) -> Result<T, GpuError> {
        let words = self.readback.words()?;
        let finish = self.finish.take().ok_or_else(|| GpuError::Device("was read before".to_owned()))?;
        Ok(finish(words))
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, GpuError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut progress = lock(&self.readback.progress);
        if progress.left > 0 {
            progress.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        drop(progress);
        Poll::Ready(self.take())
    }
}

impl<T> std::fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("ready", &self.readback.ready()).finish_non_exhaustive()
    }
}

impl Gpu {
    /// Begin to read buffers, with their contents after all commands submitted so far.
    pub(crate) fn read(&self, buffers: &[&wgpu::Buffer]) -> Readback {
        self.read_recorded(|gpu, encoder| Readback::whole(gpu, encoder, buffers))
    }

    /// As [`Readback::of`], with the bytes added to [`Gpu::transferred`].
    pub(crate) fn read_recorded(
        &self,
        record: impl FnOnce(&Gpu, &mut wgpu::CommandEncoder) -> Vec<wgpu::Buffer>,
    ) -> Readback {
        let readback = Readback::of(self.clone(), record);
        self.count_transfer(readback.bytes());
        readback
    }

    /// Begin to read a range of words of each of some buffers.
    pub(crate) fn read_parts(&self, parts: &[(&wgpu::Buffer, Range<usize>)]) -> Readback {
        self.read_recorded(|gpu, encoder| {
            parts.iter().map(|(buffer, words)| Readback::part(gpu, encoder, buffer, words.clone())).collect()
        })
    }

    /// Read a whole buffer, [`MAX_TRANSFER_CHUNK`] bytes at a time.
    pub(crate) fn download(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>, GpuError> {
        let length = buffer.size() as usize / 4;
        let mut words = Vec::with_capacity(length);
        for first in (0..length).step_by(MAX_TRANSFER_CHUNK / 4) {
            words.append(
                &mut self.read_parts(&[(buffer, first..(first + MAX_TRANSFER_CHUNK / 4).min(length))]).wait()?[0],
            );
        }
        Ok(words)
    }
}

/// All words of a texture that is as wide as [`Gpu::texels`] makes them.
pub(super) fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u32>, GpuError> {
    let bytes_per_row = texture.format().block_copy_size(None).unwrap_or(4) * texture.width();
    let record = |gpu: &Gpu, encoder: &mut wgpu::CommandEncoder| {
        let buffer = Readback::room(gpu, u64::from(bytes_per_row) * u64::from(texture.height()));
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(bytes_per_row), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
        vec![buffer]
    };
    Ok(Readback::of(gpu.clone(), record).wait()?.swap_remove(0))
}
