//! WebGPU's default limits are the contract: a device made with exactly these runs every preset, with the same bits as one with more.

use steerling::gpu::{Gpu, GpuError, Options, Simulation};
use steerling::model::State;
use steerling::scene::{Draft, OwnBehavior, PRESETS, Scene, Species};
use steerling::verify::known_digest;
use steerling::wgpu;
use support::{device_of, digest, edited, gpu, gpu_adapter, on_gpu, preset, rewritten, small_gpu, small_gpus};

/// Steps of the digests that are known of presets.
const STEPS: u32 = 20;

/// Some steps on these devices come to this digest.
fn runs<'a>(scene: &Scene, small: impl IntoIterator<Item = &'a Gpu>, expected: &str) {
    for gpu in small {
        Simulation::check(gpu, scene, &Options::default()).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
        let found = digest(gpu, scene, Options::default(), STEPS);
        assert!(!gpu.exact || found == expected, "{} on {}: {found}", scene.name, gpu.title());
    }
}

/// On every adapter.
#[test]
fn every_preset_runs_within_the_default_limits() {
    // As on a GPU: from buffers, as far as eight of them reach.
    let both_ways = |gpu: Gpu| {
        let mut from_buffers = gpu.clone();
        from_buffers.texture_loads = None;
        [from_buffers, gpu]
    };
    let small: Vec<[Gpu; 2]> = small_gpus().into_iter().map(both_ways).collect();
    for (number, preset) in PRESETS.iter().enumerate() {
        let scene = self::preset(preset.name, 1500, &[]);
        // One way on one adapter, and the other way on the next.
        let devices = small.iter().enumerate().map(|(adapter, ways)| &ways[(number + adapter) % 2]);
        runs(&scene, devices, known_digest(&scene, STEPS).expect("scripts/verified writes it"));
    }
}

/// Behaviors of a user's own, alone and beside all that presets do. Mixtures drawn at random are in tests/backends/random_scenes.rs.
#[test]
fn behaviors_of_ones_own_run_within_the_default_limits() {
    let (small, large) = (small_gpus(), gpu());
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/own_behaviors");
    let with_own = |name: &str| {
        edited(&preset(name, 800, &[]), |draft| {
            for name in ["swirl", "shyness", "breath"] {
                let text = std::fs::read_to_string(format!("{folder}/{name}.wgsl")).unwrap();
                draft.add_behavior(OwnBehavior::from_text(name, &text, &format!("{name}.wgsl")).unwrap());
                for species in &mut draft.species {
                    species.enable(name).unwrap();
                }
            }
        })
    };
    let presets = ["actions", "foraging_ants", "fish_tank", "hounds", "locomotion", "murmuration", "slime"];
    let carousel = preset(&format!("{folder}/carousel.toml"), 800, &[]);
    for scene in [carousel].into_iter().chain(presets.map(with_own)) {
        runs(&scene, &small, &digest(&large, &scene, Options::default(), STEPS));
    }
}

/// Whoever wants more than that asks which limits a scene needs: with these it runs as on a device that the library opens.
#[test]
fn a_device_of_the_required_limits_runs_the_scene() {
    let (adapter, options) = (gpu_adapter(), Options::default());
    for name in ["flock", "murmuration", "bodyguards"] {
        let scene = preset(name, 1500, &[]);
        let limits = Gpu::required_limits(&adapter, &scene, &options).unwrap();
        let most = adapter.limits().max_storage_buffers_per_shader_stage;
        assert_eq!(limits.max_storage_buffers_per_shader_stage, most.min(24), "{name}");
        let mut gpu = device_of(&adapter, limits);
        // As on a GPU: on a device of the default limits this is refused.
        gpu.texture_loads = Some(false);
        let digest = |gpu: &Gpu| digest(gpu, &scene, Options::default(), 5);
        assert_eq!(digest(&gpu), digest(&small_gpu()), "{name}");
    }
    // Larger bindings where the agents need them, as far as the adapter has them.
    let least = wgpu::Limits::default().max_storage_buffer_binding_size;
    let many = preset("flock", 20_000_000, &[]);
    match Gpu::required_limits(&adapter, &many, &options) {
        Ok(limits) => assert!(limits.max_storage_buffer_binding_size > least && limits.max_buffer_size > least),
        Err(error) => {
            assert!(!error.to_string().contains("required_limits"), "{error}");
            let GpuError::TooLarge { available, .. } = error else { panic!("{error}") };
            assert_eq!(available, adapter.limits().max_storage_buffer_binding_size);
        }
    }
}

/// What cannot run is refused by `check`, which needs no state and compiles nothing, in the very words of `new`.
#[test]
fn check_refuses_what_new_refuses() {
    let scene = |name: &str, agents: u32| preset(name, agents, &[]);
    let (adapter, flock, plain) = (gpu_adapter(), scene("flock", 200), Options::default);
    let mut buffers = small_gpu();
    buffers.texture_loads = Some(false);
    let limited = |limits| device_of(&adapter, limits);
    let narrow = limited(wgpu::Limits { max_compute_invocations_per_workgroup: 64, ..Default::default() });
    let tight = limited(wgpu::Limits { max_storage_buffer_binding_size: 1 << 20, ..Default::default() });
    let low = limited(wgpu::Limits { max_buffer_size: 1 << 20, ..Default::default() });
    let few = limited(wgpu::Limits { max_uniform_buffers_per_shader_stage: 1, ..Default::default() });
    let short = limited(wgpu::Limits { max_compute_workgroups_per_dimension: 1000, ..Default::default() });
    let bin = |to: &str| Options { shaders: rewritten("sim/bin.wgsl", "fn bin(", to), ..plain() };
    let own = |body: &str| {
        let text = format!(
            "/// a test\nstruct Probe {{\n    rule: Rule,\n}}\n\nfn probe_steer(probe: Probe, agent: Agent) -> vec3f {{ {body} }}\n"
        );
        let mut draft = Draft::new("own", [60.0, 40.0]);
        draft.species.push(Species::new("agents", 40));
        draft.add_behavior(OwnBehavior::from_text("probe", &text, "probe.wgsl").unwrap());
        draft.species[0].enable("probe").unwrap();
        draft.validate().unwrap()
    };
    let sized = |workgroup_size| Options { workgroup_size, ..plain() };
    let large = small_gpu();
    let causes: Vec<(&str, &Gpu, Scene, Options)> = vec![
        ("max_storage_buffers_per_shader_stage", &buffers, scene("murmuration", 200), plain()),
        ("max_compute_invocations_per_workgroup", &narrow, flock.clone(), sized(128)),
        ("max_storage_buffer_binding_size", &tight, scene("flock", 400_000), plain()),
        ("max_buffer_size", &low, scene("flock", 400_000), plain()),
        ("max_uniform_buffers_per_shader_stage", &few, flock.clone(), plain()),
        ("max_compute_workgroups_per_dimension", &short, flock.clone(), plain()),
        ("`boundary_w`", &large, flock.clone(), Options { forced: vec![("boundary_w".to_owned(), 1.0)], ..plain() }),
        ("64, 128 or 256", &large, flock.clone(), sized(0)),
        ("64, 128 or 256", &large, flock.clone(), sized(1)),
        ("64, 128 or 256", &large, flock.clone(), sized(100)),
        ("64, 128 or 256", &large, flock.clone(), sized(512)),
        ("rewritten.wgsl:", &large, flock.clone(), bin("fn bin((")),
        ("`bin`", &large, flock.clone(), bin("fn bun(")),
        ("acceleration", &large, own("return load(acceleration[0]);"), plain()),
    ];
    for (what, gpu, scene, options) in causes {
        let check =
            Simulation::check(gpu, &scene, &options).err().unwrap_or_else(|| panic!("{what}: check finds nothing"));
        let new = Simulation::new(gpu, &scene, &State::initial(&scene), options).err().unwrap();
        assert_eq!(check.to_string(), new.to_string());
        assert!(check.to_string().contains(what), "{what}: {check}");
        // Who has a device of their own is told how to get one that does.
        assert_eq!(what.starts_with("max_"), check.to_string().contains("Gpu::required_limits"), "{check}");
    }
    // Too many agents, and because of that too many bindings.
    for (gpu, hint) in [(&large, true), (&gpu(), false)] {
        let error = Simulation::check(gpu, &scene("flock", 100_000_000), &plain()).unwrap_err();
        assert!(!matches!(error, GpuError::TooManyBuffers { .. }), "{error}");
        assert_eq!(
            matches!(error, GpuError::TooLarge { .. }) && hint,
            error.to_string().contains("required_limits"),
            "{error}"
        );
    }
    // The same devices and shaders with what they have room for.
    for gpu in [&narrow, &tight, &low, &large] {
        Simulation::check(gpu, &flock, &plain()).unwrap();
        on_gpu(gpu, &flock, plain());
    }
}

/// The examples as they stand in the repository, each on a device of the default limits. `cargo test` has built them.
#[test]
#[cfg(debug_assertions)]
fn every_example_runs() {
    let (folder, tests) = (tempfile::tempdir().unwrap(), std::env::current_exe().unwrap());
    let built = tests.parent().unwrap().parent().unwrap().join("examples");
    let folders =
        [concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"), concat!(env!("CARGO_MANIFEST_DIR"), "/examples")];
    let sources =
        folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let mut ran = Vec::new();
    for path in sources.filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let arguments = match name {
            "draw" => vec!["agents.png"],
            "fuzz" => vec!["scenes", "2", "1"],
            _ => vec![],
        };
        let mut run = std::process::Command::new(built.join(name));
        run.current_dir(folder.path()).args(arguments).env("STEERLING_FAULT", "limits:1");
        let run = run.output().unwrap_or_else(|error| panic!("{name}, built by `cargo build --examples`: {error}"));
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{name}: {said}");
        // Those that make their own device do so with these limits, and the others are made to.
        let source = std::fs::read_to_string(&path).unwrap();
        assert_eq!(source.contains("Gpu::open("), said.contains("default limits"), "{name}: {said}");
        ran.push(name.to_owned());
    }
    assert!(folder.path().join("agents.png").is_file() && ran.len() >= 6, "{ran:?}");
}
