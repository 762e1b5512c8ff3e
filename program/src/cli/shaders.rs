//! `steerling shaders`: what runs on a GPU for a scene.

use super::Failure;
use super::shared::{SceneArgs, print, print_bytes};
use std::fmt::Write as _;
use std::io::IsTerminal;
use steerling::gpu::{GpuError, Language, Options, PassText, dump};
use steerling::model::CompiledScene;

#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_long_help = "\
Examples:
  steerling shaders flock                        the passes of a step, and the buffers that each binds
  steerling shaders flock --dump > flock.wgsl    the whole module, with the calls of the behaviors
  steerling shaders flock --pass steer           one pass as WGSL, specialized to the scene
  steerling shaders flock --pass steer --language hlsl
  steerling shaders flock --language msl         every pass, one after the other")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Print the module that all passes are made from: every shader file, and the calls of the behaviors that act
    #[arg(long, conflicts_with = "pass")]
    dump: bool,
    /// Print one pass as it runs, with what the scene does not use left out
    #[arg(long, value_name = "NAME")]
    pass: Option<String>,
    /// Language of the pass [default: wgsl], or of all passes where none is named
    #[arg(long, value_enum, conflicts_with = "dump")]
    language: Option<Words>,
    /// As a device with the default limits of WebGPU runs it: sorted agents lie in a texture, and no pass binds more than 8 storage
    /// buffers
    #[arg(long, conflicts_with = "dump")]
    default_limits: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Words {
    #[default]
    Wgsl,
    /// Binary, as it is loaded on Vulkan.
    Spirv,
    Hlsl,
    Msl,
    Glsl,
}

impl From<Words> for Language {
    fn from(word: Words) -> Self {
        match word {
            Words::Wgsl => Language::Wgsl,
            Words::Spirv => Language::SpirV,
            Words::Hlsl => Language::Hlsl,
            Words::Msl => Language::Msl,
            Words::Glsl => Language::Glsl,
        }
    }
}

pub fn run(args: Args) -> Result<(), Failure> {
    let scene = args.scene.open()?;
    let options = Options::default();
    let model = CompiledScene::new(&scene, options.grid)?;
    if args.dump {
        return print(&options.shaders.module_text(&model).map_err(GpuError::from)?);
    }
    let language = args.language.unwrap_or_default();
    let passes = dump(&model, &options, language.into(), args.default_limits)?;
    let Some(name) = args.pass else {
        return match args.language {
            None => print(&listing(&passes)),
            Some(Words::Spirv) => Err(Failure::Usage("SPIR-V is binary: name one pass, as `--pass steer`".to_owned())),
            Some(_) => print(&passes.iter().map(entitled).collect::<String>()),
        };
    };
    let Some(pass) = passes.iter().find(|pass| pass.entry_point.name() == name) else {
        let names: Vec<&str> = passes.iter().map(|pass| pass.entry_point.name()).collect();
        let names = names.join(", ");
        return Err(Failure::Usage(format!("the step of this scene has no pass `{name}`; it has {names}")));
    };
    if language == Words::Spirv && std::io::stdout().is_terminal() {
        return Err(Failure::Usage("SPIR-V is binary: send it to a file, `> pass.spv`".to_owned()));
    }
    match language {
        Words::Spirv => print_bytes(&pass.code),
        _ => print(&String::from_utf8_lossy(&pass.code)),
    }
}

/// A pass under a line that names it and is a comment in all languages; scripts/tint looks for it.
fn entitled(pass: &PassText) -> String {
    format!("// pass {} of the stage {}\n{}\n", pass.entry_point, pass.stage, String::from_utf8_lossy(&pass.code))
}

fn listing(passes: &[PassText]) -> String {
    let mut text = "stage      pass           workgroup  buffers\n".to_owned();
    for pass in passes {
        let star = |writes: bool| if writes { "*" } else { "" };
        let buffers = pass.bindings.iter().map(|binding| format!("{}{}", binding.buffer, star(binding.writes)));
        let buffers = buffers.collect::<Vec<_>>().join(" ");
        let PassText { stage, entry_point, workgroup_size, .. } = pass;
        let _ = writeln!(text, "{stage:10} {entry_point:14} {workgroup_size:>9}  {buffers}");
    }
    text + "\n* written to\n"
}
