//! Several drivers, one digest: every preset on each adapter that is there, in the languages of other backends, and on OpenGL, where
//! nobody promises bits.

use std::io::Write;
use steerling::gpu::{AdapterChoice, Gpu, Language, Options, dump};
use steerling::model::State;
use steerling::scene::{PRESETS, Preset, Scene};
use steerling::shaders::Sources;
use steerling::verify::{DRIVERS, KNOWN, Known, Plan, known_digest, verify, verify_each};
use steerling::wgpu;
use steerling_conform::select;
use support::{digest, everything, gpus, model, ran_on_cpu, rewritten, verified};

const AGENTS: u32 = 1500;
const PLAN: Plan = Plan { steps: 4, free_steps: 20 };
/// Stage by stage alone: the passes of steps in a row take longer to compile than all others.
const STAGES: Plan = Plan { steps: 4, free_steps: 0 };

fn preset(name: &str) -> Scene {
    support::preset(name, AGENTS, &[])
}

/// Shaders with the mistake that a law is known to find.
fn mistaken(law: &str) -> Options {
    let (_, law) = select(law).remove(0);
    let mut options = Options::default();
    law.mutant.apply(&mut options.shaders).unwrap();
    options
}

/// The table is made by scripts/verified; a change of the rules changes it, and nothing else does. That all drivers come to it in steps in a
/// row, within the default limits, is in tests/backends/default_limits.rs.
#[test]
fn every_preset_has_the_known_digest() {
    let gpus = &gpus()[..1];
    let mut table = Known::HEAD.to_owned() + "\n";
    for preset in PRESETS {
        let scene = self::preset(preset.name);
        verified(gpus, &scene, &State::initial(&scene), &Options::default(), STAGES, preset.name);
        let (agents, steps, seed) = (scene.agent_count(), PLAN.free_steps, scene.seed);
        let digest = &ran_on_cpu(&scene, steps).observe().digest_hex();
        table += &format!("{}\n", Known { preset: preset.name, agents, steps, seed, digest });
        // In a row of steps, with more agents than small worlds have, which take other passes.
        let agents = Scene::open(preset.name, &[]).unwrap().agent_count().min(4_000);
        let scene = support::preset(preset.name, agents, &[]);
        let expected = ran_on_cpu(&scene, 8).observe().digest_hex();
        assert_eq!(self::digest(&gpus[0], &scene, Options::default(), 8), expected, "{}", preset.name);
    }
    assert_eq!(KNOWN, table, "assets/digests.csv is what scripts/verified writes");
}

/// What compares drivers side by side sees a mistake on each of them.
#[test]
fn a_mistake_is_seen_on_every_driver() {
    let scene = preset("flock");
    let options = mistaken("separation_pair");
    let reports = verify_each(&gpus(), &scene, &State::initial(&scene), &options, PLAN, |_| ()).unwrap();
    assert!(reports.iter().all(|report| !report.pass && !report.free_run.pass), "{reports:#?}");
}

#[test]
fn a_digest_is_known_of_the_very_scene_and_numbers() {
    let known = Known::rows(KNOWN).find(|row| row.preset == "flock").unwrap();
    let digest = |scene: &Scene| known_digest(scene, known.steps);
    let scene = preset("flock");
    assert_eq!(digest(&scene), Some(known.digest));
    assert_eq!(known_digest(&scene, known.steps + 1), None);
    assert_eq!(digest(&scene.with_agents(known.agents + 1).unwrap()), None);
    for change in ["seed=2", "dt=0.01"] {
        let changed = Scene::open("flock", &[change.parse().unwrap()]).unwrap().with_agents(known.agents).unwrap();
        assert_eq!(digest(&changed), None, "{change}");
    }
    // A file that says the same is the same scene.
    let text = PRESETS.iter().find(|preset| preset.name == "flock").unwrap().text;
    let copy = Scene::parse(text, "copy.toml", &[]).unwrap().with_agents(known.agents).unwrap();
    assert_eq!(digest(&copy), Some(known.digest));
}

/// What docs/verified.md says of each driver, it says of all presets and laws that there are now.
#[test]
fn the_page_tells_of_all_presets_and_laws() {
    let page = include_str!("../../docs/verified.md");
    let (presets, laws) = (PRESETS.len(), select("").len());
    for driver in DRIVERS {
        let row = page.lines().find(|line| line.starts_with("| ") && line.contains(driver));
        let row = row.unwrap_or_else(|| panic!("docs/verified.md has no row of {driver}"));
        let all = format!("| {presets} of {presets} | {laws} of {laws} | {presets} of {presets} |");
        assert!(row.ends_with(&all), "scripts/verified writes docs/verified.md anew: {row}");
    }
}

/// What naga's back ends make of each pass: of one preset as most adapters run it, of the next within the default limits.
#[test]
fn every_pass_of_every_preset_is_said_in_every_language() {
    let languages = [
        (Language::Wgsl, "@compute"),
        (Language::Hlsl, "[numthreads("),
        (Language::Msl, "kernel void "),
        (Language::Glsl, "void main()"),
    ];
    let mut said = 0;
    for (index, preset) in PRESETS.iter().enumerate() {
        let mut model = model(&self::preset(preset.name));
        model.lists_events = true;
        let small = index % 2 == 1;
        for (language, entry_point) in languages {
            let passes = dump(&model, &Options::default(), language, small);
            for pass in passes.unwrap_or_else(|e| panic!("{}, {language:?}: {e}", preset.name)) {
                let text = String::from_utf8(pass.code).unwrap();
                let found = text.matches(entry_point).count();
                assert_eq!(found, 1, "{} of {} in {language:?}:\n{text}", pass.entry_point, preset.name);
                said += 1;
            }
        }
    }
    assert!(said > PRESETS.len() * languages.len() * 10, "{said} passes");
}

/// GLSL lays structs out by their members alone, so `@size` and `@align` must say nothing that members do not. naga writes such a
/// struct without a word, and only what runs on OpenGL is wrong.
#[test]
fn structs_lie_in_glsl_as_they_do_elsewhere() {
    let gaps = |shaders: Sources| {
        let mut found = Vec::new();
        for spatial in [false, true] {
            let (module, _) = shaders.parse(&everything(spatial)).unwrap_or_else(|e| panic!("{e}"));
            let mut layouter = naga::proc::Layouter::default();
            layouter.update(module.to_ctx()).unwrap();
            for (_, ty) in module.types.iter() {
                let naga::TypeInner::Struct { members, span } = &ty.inner else { continue };
                let (mut end, mut widest) = (0, naga::proc::Alignment::ONE);
                for member in members {
                    let naga::proc::TypeLayout { size, alignment } = layouter[member.ty];
                    let gap = alignment.round_up(end) != member.offset;
                    found.extend(gap.then(|| format!("{:?}.{:?}", ty.name, member.name)));
                    (end, widest) = (member.offset + size, widest.max(alignment));
                }
                found.extend((widest.round_up(end) != *span).then(|| format!("the end of {:?}", ty.name)));
            }
        }
        found
    };
    assert_eq!(gaps(Sources::default()), [""; 0]);
    let padded = rewritten("common/scenery.wgsl", "closed: u32,", "@align(16) closed: u32,");
    assert!(!gaps(padded).is_empty(), "a gap is not seen");
}

/// The tolerance of `verify` on a driver that promises no bits.
#[test]
fn presets_pass_by_tolerance_on_opengl() {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor { backends: wgpu::Backends::GL, ..descriptor });
    let gpu = match Gpu::open_on(&instance, &AdapterChoice::Best) {
        Ok(gpu) => gpu,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "MISSING: OpenGL, which ./scripts/setup --test brings: {error}");
            return assert!(std::env::var_os("CI").is_none(), "under CI it has to be there");
        }
    };
    assert!(!gpu.exact);
    let checked = |name: &str, options: &Options| {
        let scene = preset(name);
        verify(&gpu, &scene, &State::initial(&scene), options, PLAN, |_| ()).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let fails = |preset: &&Preset| !checked(preset.name, &Options::default()).pass;
    // Every third one, because each takes seconds; `WGPU_BACKEND=gl steerling verify PRESET` tries any.
    let failed: Vec<&str> = PRESETS.iter().step_by(3).filter(fails).map(|preset| preset.name).collect();
    assert_eq!(failed, [""; 0], "WGPU_BACKEND=gl steerling verify PRESET --agents {AGENTS}");
    // The bar is no barn door.
    for (law, preset) in [("separation_pair", "flock"), ("arrive_ramp", "arrive")] {
        assert!(!checked(preset, &mistaken(law)).pass, "{law}");
    }
}
