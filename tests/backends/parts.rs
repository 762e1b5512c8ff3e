//! Columns by id lie in parts if one binding does not hold them. On a device with small bindings nothing else differs.

use glam::Vec3;
use std::f32::consts::TAU;
use steerling::cpu::{self, Execution};
use steerling::gpu::{Gpu, GpuError, Options, Simulation};
use steerling::model::{BUFFERS, BufferId, CompiledScene, GridChoice, State, Usage};
use steerling::render::{Offscreen, Renderer, View};
use steerling::scene::Scene;
use steerling::wgpu;
use support::{device_of, digest, gpu, gpu_adapter, on_gpu, preset};

/// A grid with so few cells that their table is no larger than the agents' buffers.
const GRID: GridChoice = GridChoice { cells_per_radius: 4, rows_per_radius: 1, most_cells: 1 << 12 };

fn options() -> Options {
    Options { grid: GRID, ..Default::default() }
}

/// Overrides of `fish_tank` that switch off evasion and pursuit, so that no agent searches for the nearest.
const NOBODY_LOOKS: &str = "species.neons.behaviors.evasion.enabled=false species.perches.behaviors.evasion.enabled=false \
    species.sharks.behaviors.pursuit.enabled=false";

/// The default limits with bindings of so many bytes.
fn small_bindings(bytes: u64) -> wgpu::Limits {
    wgpu::Limits { max_storage_buffer_binding_size: bytes, ..Default::default() }
}

/// A device with bindings of so many bytes, and with as many of them as a device that the library opens.
fn with_bindings(bytes: u64) -> Gpu {
    let adapter = gpu_adapter();
    let most = adapter.limits().max_storage_buffers_per_shader_stage.min(24);
    let limits = wgpu::Limits { max_storage_buffers_per_shader_stage: most, ..small_bindings(bytes) };
    device_of(&adapter, limits)
}

/// The bytes of the largest buffer of a scene that cannot lie in parts; poses have at most four.
fn largest_whole(scene: &Scene) -> u64 {
    let model = CompiledScene::new(scene, GRID).unwrap();
    let whole = BUFFERS.iter().filter(|buffer| {
        ![BufferId::Memory, BufferId::Pose].contains(&buffer.id)
            && !matches!(buffer.usage, Usage::Texture | Usage::Uniform)
    });
    let poses = if model.vehicles.pose { 12 * u64::from(scene.agent_count()) } else { 0 };
    whole.map(|buffer| buffer.whole_bytes(&model, 256)).max().unwrap().max(poses).next_multiple_of(16)
}

/// Steps, snapshots, whole columns and single agents are the same, for agents that wander, have action states, hold their steering,
/// decide by priority, turn and keep poses, in planes and in space.
#[test]
fn parts_change_nothing_but_where_words_lie() {
    let large = gpu();
    for (name, changes, column, parts) in [
        ("flock", "", BufferId::Memory, 2),
        ("actions", "", BufferId::Memory, 2),
        ("consensus", "", BufferId::Memory, 4),
        ("fish_tank", "", BufferId::Memory, 2),
        // Agents that search for no other need less in one piece.
        ("fish_tank", NOBODY_LOOKS, BufferId::Memory, 3),
        ("facing", "", BufferId::Memory, 3),
        ("gulls", "", BufferId::Pose, 4),
        ("murmuration", "", BufferId::Pose, 4),
    ] {
        let scene = preset(name, 3000, &changes.split_whitespace().collect::<Vec<_>>());
        let tight = with_bindings(largest_whole(&scene));
        let mut split = on_gpu(&tight, &scene, options());
        let mut whole = on_gpu(&large, &scene, options());
        let bound = |simulation: &Simulation| {
            let parts = BUFFERS.iter().filter(|buffer| buffer.usage == Usage::Further(column));
            parts.filter(|part| simulation.pipelines().binds(part.id)).count() + 1
        };
        assert_eq!((bound(&split), bound(&whole)), (parts, 1), "{name}");
        let mut reference =
            cpu::Simulation::with_grid(&scene, &State::initial(&scene), Execution::default(), GRID).unwrap();
        split.step(5).unwrap();
        whole.step(5).unwrap();
        let words = split.words(column).unwrap();
        assert!(words.iter().any(|word| *word != 0), "{name}");
        assert_eq!(words, whole.words(column).unwrap(), "{name}");
        let digest = |simulation: &Simulation| simulation.observe().unwrap().digest_hex();
        assert_eq!(digest(&split), digest(&whole), "{name}");
        if large.exact {
            reference.step(5);
            assert_eq!(words, reference.contents(column).unwrap(), "{name}");
            assert_eq!(digest(&split), reference.observe().digest_hex(), "{name}");
        }
        let ids = [7, 2999, 0];
        let agents = |simulation: &Simulation| simulation.read_agents(&ids).unwrap().wait().unwrap();
        assert_eq!(agents(&split), agents(&whole), "{name}");
        // A snapshot of whole columns goes on in parts, and the other way round.
        let (from_split, from_whole) = (split.snapshot().unwrap(), whole.snapshot().unwrap());
        assert_eq!(from_split, from_whole, "{name}");
        let (mut first, mut second) = (on_gpu(&tight, &scene, options()), on_gpu(&large, &scene, options()));
        first.restore(&from_whole).unwrap();
        second.restore(&from_split).unwrap();
        for simulation in [&mut split, &mut first, &mut second] {
            simulation.step(4).unwrap();
        }
        assert_eq!([digest(&first), digest(&second)], [digest(&split), digest(&split)], "{name}");
    }
}

#[test]
fn a_mixed_up_part_is_noticed() {
    let scene = preset("flock", 3000, &[]);
    let tight = with_bindings(largest_whole(&scene));
    let run = |options: Options| digest(&tight, &scene, options, 5);
    let right = run(options());
    for (from, to) in [
        ("bitcast<f32>(memory_1[id * 2u + 0u])", "bitcast<f32>(memory[id * 2u + 0u])"),
        ("    memory_1[id * 2u + 1u] =", "    memory_1[id * 2u + 0u] ="),
    ] {
        let mut mutant = options();
        mutant.shaders.edit_calls(from, to);
        assert_ne!(run(mutant), right, "{to}");
    }
}

/// Where parts would be more buffers than a pass binds, the message says how many agents fit, and they do.
#[test]
fn too_many_parts_are_too_many_agents() {
    let bytes = largest_whole(&preset("murmuration", 3000, &[]));
    let limited = device_of(&gpu_adapter(), small_bindings(bytes));
    let check = |agents: u32| Simulation::check(&limited, &preset("murmuration", agents, &[]), &options());
    let GpuError::TooLarge { agents, buffer, needed, available, fits, .. } = check(3000).unwrap_err() else {
        panic!("{:?}", check(3000))
    };
    assert_eq!((agents, buffer, needed, available), (3000, "pose", 3000 * 48, bytes));
    // Three parts of four words.
    assert_eq!(u64::from(fits), bytes / 16);
    check(fits).unwrap();
    assert!(check(fits + 1).is_err());
}

/// A picture tells states, winners and poses wherever they lie.
#[test]
fn pictures_are_the_same() {
    let (tight, large) = (with_bindings(1 << 20), gpu());
    for (name, agents, column, changes) in [
        ("murmuration", 80_000, BufferId::Pose, ["look.color=heading", "species.0.color=heading"]),
        ("garden_path", 100_000, BufferId::Memory, ["look.color=winner", "species.0.combine=priority"]),
    ] {
        let scene = preset(name, agents, &changes);
        let picture = |gpu: &Gpu, words: Option<&[u32]>| {
            let mut simulation = on_gpu(gpu, &scene, options());
            let split = [BufferId::Memory1, BufferId::Pose1].iter().any(|part| simulation.pipelines().binds(*part));
            assert_eq!(split, std::ptr::eq(gpu, &tight), "{name}");
            if let Some(words) = words {
                simulation.write_words(column, words);
            }
            let words = simulation.words(column).unwrap();
            let target = Offscreen::new(gpu, (256, 256)).unwrap();
            let mut renderer = Renderer::new(gpu, Offscreen::FORMAT, &scene).unwrap();
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            renderer.draw(&mut encoder, target.view(), (256, 256), &simulation, &View::from_scene(&scene));
            gpu.queue.submit([encoder.finish()]);
            gpu.wait().unwrap();
            (target.image().unwrap(), words)
        };
        // Other words than those of the start, each agent's its own.
        let (at_start, words) = picture(&tight, None);
        let width = words.len() / agents as usize;
        let other = |id: usize| -> Vec<u32> {
            match column {
                BufferId::Pose => {
                    let forward = Vec3::new((id as f32).cos(), 0.0, (id as f32 * TAU).sin()).normalize_or(Vec3::X);
                    let up = Vec3::Y.to_array().map(f32::to_bits);
                    let forward = forward.to_array().map(f32::to_bits);
                    [forward, up, [0; 3], [0; 3]].concat()
                }
                _ => vec![id as u32 % 5; width],
            }
        };
        let other: Vec<u32> = (0..agents as usize).flat_map(other).collect();
        let (split, read) = picture(&tight, Some(&other));
        assert_eq!(read, other, "{name}");
        assert!(split != at_start, "{name}: nothing is told");
        assert!(split == picture(&large, Some(&other)).0, "{name}: told otherwise");
    }
}
