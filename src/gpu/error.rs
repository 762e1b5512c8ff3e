//! What can go wrong between a scene and a GPU.

use crate::model::{BufferId, StateError};
use crate::scene::SceneError;
use crate::shaders::ShaderError;
use std::future::Future;
use std::pin::Pin;
use thiserror::Error;

/// Text for the agents whose loops were cut off, as far as they are known.
fn victims(agents: u32, first: Option<u32>) -> String {
    match first {
        Some(first) if agents > 0 => format!("{agents} agents in this step, the first is agent {first}"),
        _ => "in this step or an earlier one; which agents is not known".to_owned(),
    }
}

/// Text for a limit that the caller's own device may have higher.
fn request(may_grow: bool, joint: &str) -> String {
    match may_grow {
        true => format!("{joint}if you open the device yourself, request the limits of Gpu::required_limits"),
        false => String::new(),
    }
}

/// Why a simulation cannot be made, or cannot go on, on this GPU.
#[derive(Debug, Error)]
pub enum GpuError {
    /// No adapter can be used, or none has the name or index that was asked for.
    #[error("{message}")]
    NoAdapter {
        /// What was tried and why each was refused.
        message: String,
        /// True where a name or an index was asked for that does not exist.
        unknown_choice: bool,
    },
    /// A buffer that the scene needs is larger than the adapter allows.
    #[error(
        "{agents} agents need {needed} bytes in the buffer `{buffer}`, and {adapter} allows {available} ({limit}); at \
         most {fits} agents fit: use --agents {fits}{}",
        request(*may_grow, ", or ")
    )]
    TooLarge {
        /// Agents of the scene.
        agents: u32,
        /// The buffer that is too large.
        buffer: &'static str,
        /// Its size, bytes.
        needed: u64,
        /// The adapter's limit, bytes.
        available: u64,
        /// Name of the limit.
        limit: &'static str,
        /// The adapter's name.
        adapter: String,
        /// The largest number of agents that fits.
        fits: u32,
        /// False if the adapter itself allows no more.
        may_grow: bool,
    },
    /// An unsupported size of workgroups.
    #[error("a workgroup has 64, 128 or 256 invocations, not {found}")]
    WorkgroupSize {
        /// The size that was asked for.
        found: u32,
    },
    /// An unknown name among [`Options::forced`](super::Options::forced).
    #[error("there is no override `{name}` to force")]
    UnknownOverride {
        /// The name.
        name: String,
    },
    /// A stage of the scene binds more buffers than the adapter allows.
    #[error(
        "the stage `{stage}` of this scene binds {needed} buffers, and {adapter} allows {available} \
         (max_storage_buffers_per_shader_stage); use fewer kinds of behaviors in one scene{}",
        request(*may_grow, ", or ")
    )]
    TooManyBuffers {
        /// The stage.
        stage: &'static str,
        /// Storage buffers that it binds.
        needed: usize,
        /// The adapter's limit.
        available: usize,
        /// The adapter's name.
        adapter: String,
        /// False if the adapter itself allows no more.
        may_grow: bool,
    },
    /// A stage of the scene needs more of something than the adapter allows.
    #[error(
        "the stage `{stage}` of this scene needs {needed} of {limit}, and {adapter} allows {available}{}",
        request(*may_grow, "; ")
    )]
    TooMuch {
        /// The stage.
        stage: &'static str,
        /// Name of the limit.
        limit: &'static str,
        /// What the stage needs.
        needed: u32,
        /// The adapter's limit.
        available: u32,
        /// The adapter's name.
        adapter: String,
        /// False if the adapter itself allows no more.
        may_grow: bool,
    },
    /// The ways to all goals of the map do not fit a texture of the adapter.
    #[error(
        "map.goals: ways to {goals} goals through {columns} x {rows} cells need more room than a texture of {adapter} \
         has; use at most {fits} goals, or a map with fewer cells"
    )]
    TooManyGoals {
        /// Goals of the map.
        goals: u32,
        /// Cells of the map along x.
        columns: u32,
        /// Cells of the map along y.
        rows: u32,
        /// The largest number of goals that fits.
        fits: u32,
        /// The adapter's name.
        adapter: String,
    },
    /// The walls of the map and the ways to its goals need more memory than is free.
    #[error(
        "map: walls on {columns} x {rows} cells and ways to {goals} goals need {needed_mib} MiB while they are computed, and only \
         {available_mib} MiB (80 % of the free memory) can be used; take fewer cells or fewer goals"
    )]
    MapTooLarge {
        /// Cells of the map along x.
        columns: u32,
        /// Cells of the map along y.
        rows: u32,
        /// Goals that are followed.
        goals: u32,
        /// Memory that walls and ways need, MiB.
        needed_mib: u64,
        /// Memory that may be used, MiB.
        available_mib: u64,
    },
    /// All buffers together need more memory than is free.
    #[error(
        "{agents} agents need {needed_mib} MiB in all, and only {available_mib} MiB (80 % of the free memory) can be \
         used; at most {fits} agents fit: use --agents {fits}"
    )]
    OutOfMemory {
        /// Agents of the scene.
        agents: u32,
        /// All buffers together, MiB.
        needed_mib: u64,
        /// Memory that may be used, MiB.
        available_mib: u64,
        /// The largest number of agents that fits.
        fits: u32,
    },
    /// A picture needs more memory than is free.
    #[error(
        "a picture of {width}x{height} px needs {needed_mib} MiB, and only {available_mib} MiB (80 % of the free memory) can be \
         used; ask for a smaller one"
    )]
    Picture {
        /// Its width, px.
        width: u32,
        /// Its height, px.
        height: u32,
        /// Memory that drawing and keeping the picture needs, MiB.
        needed_mib: u64,
        /// Memory that may be used, MiB.
        available_mib: u64,
    },
    /// The driver ended a loop before its end, so the step is not valid.
    #[error(
        "by step {step} the driver had cut loops off ({}), because agents have too many candidates{loops} for {adapter}: \
         llvmpipe ends a shader's loops after 65,535 iterations without an error. The fullest cell holds {fullest} agents, and \
         the largest perception radius, {radius} u, reaches about {candidates}. Use a smaller perception_radius, more separation, or --device cpu",
        victims(*agents, *first)
    )]
    CutOff {
        /// Steps since the start.
        step: u64,
        /// Number of agents whose loops were cut off in the latest step.
        agents: u32,
        /// The smallest id among them.
        first: Option<u32>,
        /// Agents in the fullest cell.
        fullest: u32,
        /// The largest perception radius of the scene, u.
        radius: f32,
        /// Expected number of agents within that radius, if they were spread evenly over the world.
        candidates: u32,
        /// The adapter's name.
        adapter: String,
        /// Other possible causes, as text: loops of the scene's own behaviors. Empty if it has none.
        loops: String,
    },
    /// The driver ended a loop before its end, so what the scene asks to observe could not be measured.
    #[error(
        "{adapter} cannot measure what is observed: llvmpipe ends a shader's loops after 65,535 iterations without an \
         error, and some agent has more candidates than that. Observe pairs within a smaller distance, or use \
         --device cpu"
    )]
    Unmeasured {
        /// The adapter's name.
        adapter: String,
    },
    /// Drawing needs something that the adapter's graphics API does not have.
    #[error(
        "{adapter} cannot draw: OpenGL shaders cannot load depth textures. Install a Vulkan driver, or choose another \
         adapter (see steerling adapters); `run` and `verify` work here"
    )]
    CannotDraw {
        /// The adapter, with its API and driver.
        adapter: String,
    },
    /// Pipelines that were to be shared do not fit the scene.
    #[error("these pipelines were made for another simulation: {what} differs")]
    OtherPipelines {
        /// What differs, for a person.
        what: String,
    },
    /// Some worlds cannot run side by side.
    #[error("these worlds cannot run side by side: they {what}")]
    NotSideBySide {
        /// The reason, for a person.
        what: String,
    },
    /// The simulation does not have this buffer.
    #[error("the simulation has no buffer `{buffer}`")]
    NoBuffer {
        /// The buffer.
        buffer: BufferId,
    },
    /// There is no agent of this id.
    #[error("there is no agent {id}; the scene has {agents}, and their ids begin with 0")]
    NoAgent {
        /// The id.
        id: u32,
        /// Agents of the scene.
        agents: u32,
    },
    /// A shader does not compile.
    #[error(transparent)]
    Shader(#[from] ShaderError),
    /// The scene's flow field cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The state does not fit the scene.
    #[error(transparent)]
    State(#[from] StateError),
    /// The device refused something, or an operation failed. Other simulations on it may go on.
    #[error("the GPU failed: {0}")]
    Device(String),
    /// The device is lost or does not answer. Everything has to be made anew on another device.
    #[error("the GPU failed: {0}")]
    Lost(String),
}

impl GpuError {
    /// The same, where the limits are those of the adapter itself.
    pub(super) fn of_adapter(mut self) -> GpuError {
        use GpuError::{TooLarge, TooManyBuffers, TooMuch};
        if let TooLarge { may_grow, .. } | TooManyBuffers { may_grow, .. } | TooMuch { may_grow, .. } = &mut self {
            *may_grow = false;
        }
        self
    }
}

/// The first error of the calls within some error scopes, if any.
pub(super) type Answer = Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>;

/// Do `work` within error scopes. Returns its result, and the answer of the scopes.
pub(super) fn scoped<T>(device: &wgpu::Device, work: impl FnOnce() -> T) -> (T, Answer) {
    let filters = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::Internal];
    let scopes = filters.map(|filter| device.push_error_scope(filter));
    let done = work();
    // The scope that was pushed last is popped first.
    let errors: Vec<_> = scopes.into_iter().rev().map(wgpu::ErrorScopeGuard::pop).collect();
    let first = async move {
        let mut first = None;
        for error in errors {
            first = first.or(error.await);
        }
        first
    };
    (done, Box::pin(first))
}
