//! The parameter blocks of the behaviors, as the shaders read them. A test compares names, offsets and sizes with naga's
//! view of `shaders/behaviors`; the words come from the registry, [`crate::scene::BEHAVIORS`], in its order.

use bytemuck::{Pod, Zeroable};

/// Perception radius, field of view and the species that are perceived, as `vision.wgsl` compares them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)] // described where the shader declares them
pub struct Vision {
    pub radius_squared: f32,
    pub cosine: f32,
    pub species: u32,
}

/// What an agent heads for, as `target.wgsl` finds it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Target {
    pub kind: u32,
    pub index: u32,
    pub point: [f32; 3],
}

/// How a behavior takes part in the combination; the first member of every behavior's block.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct Rule {
    pub weight: f32,
    pub floor: f32,
    pub priority: u32,
    pub states: u32,
}

/// Names, offsets and size of a block.
#[derive(Debug)]
pub struct Block {
    /// Name of the struct.
    pub name: &'static str,
    /// Members with their offsets, bytes.
    pub members: Vec<(&'static str, usize)>,
    /// Size, bytes.
    pub size: usize,
}

macro_rules! blocks {
    ($($(#[$doc:meta])* $behavior:ident: $block:ident { $($member:ident: $ty:ty),* })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
            #[allow(missing_docs)]
            pub struct $block { pub rule: Rule, $(pub $member: $ty),* }
        )*

        /// The blocks of all behaviors, in the order of the registry.
        #[repr(C)]
        #[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
        #[allow(missing_docs)]
        pub struct Behaviors { $(pub $behavior: $block),* }

        /// The blocks as Rust lays them out, and last [`Behaviors`] itself.
        pub fn blocks() -> Vec<Block> {
            use std::mem::{offset_of, size_of};
            vec![
                $(Block {
                    name: stringify!($block),
                    members: vec![
                        ("rule", offset_of!($block, rule)),
                        $((stringify!($member), offset_of!($block, $member))),*
                    ],
                    size: size_of::<$block>(),
                },)*
                Block {
                    name: "Behaviors",
                    members: vec![$((stringify!($behavior), offset_of!(Behaviors, $behavior))),*],
                    size: size_of::<Behaviors>(),
                },
            ]
        }
    };
}

blocks! {
    /// Parameters of `separation.wgsl`.
    separation: Separation { vision: Vision, exponent: u32, form: u32 }
    /// Parameters of `alignment.wgsl`.
    alignment: Alignment { vision: Vision, mode: u32 }
    /// Parameters of `cohesion.wgsl`.
    cohesion: Cohesion { vision: Vision, form: u32 }
    /// Parameters of `unaligned_avoidance.wgsl`.
    unaligned_avoidance: UnalignedAvoidance { vision: Vision, time_horizon: f32, margin: f32 }
    /// Parameters of `close_neighbor_avoidance.wgsl`.
    close_neighbor_avoidance: CloseNeighborAvoidance { vision: Vision, margin: f32 }
    /// Parameters of `heading_noise.wgsl`.
    heading_noise: HeadingNoise { vision: Vision, noise: f32 }
    /// Parameters of `global_alignment.wgsl`.
    global_alignment: GlobalAlignment { mode: u32 }
    /// Parameters of `flow_field.wgsl`.
    flow_field: FlowField { prediction_time: f32, mode: u32, still: u32, outside: u32 }
    /// Parameters of `seek.wgsl`.
    seek: Seek { toward: Target, form: u32, speed: u32, capture_radius: f32, approach: u32 }
    /// Parameters of `flee.wgsl`.
    flee: Flee { toward: Target, panic_distance: f32, form: u32 }
    /// Parameters of `arrive.wgsl`.
    arrive: Arrive { toward: Target, slow_radius: f32, capture_radius: f32, ramp: u32, moving_target: u32 }
    /// Parameters of `pursuit.wgsl`.
    pursuit: Pursuit { toward: Target, prediction: u32, prediction_time: f32, max_prediction_time: f32 }
    /// Parameters of `evasion.wgsl`.
    evasion: Evasion { toward: Target, prediction: u32, prediction_time: f32, max_prediction_time: f32, panic_distance: f32 }
    /// Parameters of `offset_pursuit.wgsl`.
    offset_pursuit: OffsetPursuit { toward: Target, mode: u32, offset: [f32; 3], distance: f32, slow_radius: f32, max_prediction_time: f32 }
    /// Parameters of `interpose.wgsl`.
    interpose: Interpose { toward: Target, other: Target, share: f32, slow_radius: f32 }
    /// Parameters of `leader_following.wgsl`.
    leader_following: LeaderFollowing { toward: Target, distance: f32, slow_radius: f32, clear_length: f32, clear_width: f32 }
    /// Parameters of `velocity_matching.wgsl`.
    velocity_matching: VelocityMatching { toward: Target, time_to_target: f32 }
    /// Parameters of `target_speed.wgsl`.
    target_speed: TargetSpeed { speed: f32 }
    /// Parameters of `obstacle_avoidance.wgsl`.
    obstacle_avoidance: ObstacleAvoidance { look_ahead_time: f32, min_look_ahead: f32, braking: f32 }
    /// Parameters of `whiskers.wgsl`.
    whiskers: Whiskers { length: f32, side_length: f32, spread: f32 }
    /// Parameters of `wall_following.wgsl`.
    wall_following: WallFollowing { distance: f32, prediction_time: f32, look_ahead: f32 }
    /// Parameters of `containment.wgsl`.
    containment: Containment { shape: u32, center: [f32; 3], size: [f32; 3], margin: f32, prediction_time: f32, mode: u32 }
    /// Parameters of `boundary_walls.wgsl`.
    boundary_walls: BoundaryWalls { distance: f32 }
    /// Parameters of `path_following.wgsl`.
    path_following: PathFollowing { path: u32, prediction_time: f32, look_ahead_time: f32, direction: u32, end: u32, slow_radius: f32 }
    /// Parameters of `stay_on_path.wgsl`.
    stay_on_path: StayOnPath { path: u32, prediction_time: f32 }
    /// Parameters of `waypoint_following.wgsl`.
    waypoint_following: WaypointFollowing { path: u32, reach: f32, slow_radius: f32 }
    /// Parameters of `wander.wgsl`.
    wander: Wander { radius: f32, distance: f32, rate: f32 }
    /// Parameters of `wander_random.wgsl`.
    wander_random: WanderRandom { }
    /// Parameters of `explore.wgsl`.
    explore: Explore { reach: u32 }
    /// Parameters of `forage.wgsl`.
    forage: Forage { search_radius: f32, slow_radius: f32 }
    /// Parameters of `align.wgsl`.
    align: Align { toward: Target, slow_angle: f32, capture_angle: f32, time_to_target: f32 }
    /// Parameters of `face.wgsl`.
    face: Face { toward: Target, slow_angle: f32, capture_angle: f32, time_to_target: f32 }
    /// Parameters of `look_where_you_go.wgsl`.
    look_where_you_go: LookWhereYouGo { slow_angle: f32, capture_angle: f32, time_to_target: f32 }
    /// Parameters of `angular_velocity_matching.wgsl`.
    angular_velocity_matching: AngularVelocityMatching { toward: Target, time_to_target: f32 }
}
