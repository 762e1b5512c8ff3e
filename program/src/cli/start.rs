//! What a run starts from: a scene, a state of the user's, a checkpoint, or the record of another run.

use super::Failure;
use super::shared::{SceneArgs, print_note};
use std::fs;
use std::path::{Path, PathBuf};
use steerling::engine::{Backend, Engine};
use steerling::model::{Snapshot, State};
use steerling::output::{
    Computed, FileRecord, Recipe, Record, ResultInputs, Resumed, StateFile, hash_of, read_checkpoint,
};
use steerling::scene::{Boundary, Scene, Species};

/// What a run starts from.
pub struct Start {
    pub scene: Scene,
    /// The file of the user's state. Only its header has been read.
    state: Option<StateFile>,
    /// Path and hash of the file of the user's state.
    pub from: Option<FileRecord>,
    pub checkpoint: Option<Checkpoint>,
    /// The number of agents that the world was scaled to.
    scaled_to: Option<u32>,
    /// How the scene was made, as a checkpoint says; `None` until the engine starts if there is no checkpoint.
    recipe: Option<Recipe>,
}

/// A checkpoint that a run continues from.
pub struct Checkpoint {
    pub resumed: Resumed,
    pub snapshot: Snapshot,
    computed: Computed,
    /// The folder of the run that the checkpoint lies in.
    pub run_folder: Option<PathBuf>,
}

impl Start {
    /// The start of a scene, from the state in the file `from` if given, or else in the one that the run of a picture began with.
    pub fn of_scene(args: &SceneArgs, from: Option<&Path>) -> Result<Start, Failure> {
        let picture = args.picture()?;
        let told = picture.as_ref().and_then(|record| record.from.as_ref()).filter(|_| args.agents.is_none());
        let scene = args.open_of(picture.as_ref())?;
        Start::with_state(scene, from.or(told.map(|from| Path::new(&from.path))), args.agents)
    }

    fn with_state(scene: Scene, from: Option<&Path>, scaled_to: Option<u32>) -> Result<Start, Failure> {
        let (scene, state) = open_state(from, scene, scaled_to)?;
        let from = from.map(FileRecord::of_file).transpose()?;
        Ok(Start { scene, state, from, checkpoint: None, scaled_to, recipe: None })
    }

    /// The start from a checkpoint, or from the latest one in the folder of a run. It holds the scene; if `asked` names one, that must be
    /// the same. `steps` is the step at which the run will end.
    pub fn of_checkpoint(path: &Path, asked: &SceneArgs, steps: u64) -> Result<Start, Failure> {
        let path = &latest(path)?;
        let (mut recipe, computed, snapshot) = read_checkpoint(path)?;
        let file = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        if snapshot.steps > steps {
            let (path, done) = (path.display(), snapshot.steps);
            return Err(Failure::Usage(format!(
                "{path} is a checkpoint of step {done}, but --steps {steps}, counted from step 0, ends before it"
            )));
        }
        let refuse = |reason: &str| Failure::data(path, reason);
        let named =
            asked.scene.is_some() || asked.agents.is_some() || asked.seed.is_some() || !asked.overrides.is_empty();
        recipe.find_files(file.parent().unwrap_or(Path::new("")))?;
        let scene = recipe.scene()?;
        recipe.check_files(&scene)?;
        if named {
            let other = SceneArgs { scene: asked.scene.clone().or(Some(recipe.origin.clone())), ..asked.clone() };
            let (other, rows) = (other.open()?, recipe.rows.filter(|_| recipe.scaled_to.is_none()));
            let other = match rows.filter(|_| other.species.len() == 1) {
                Some(rows) => other.with(|draft| draft.species[0].count = rows)?,
                None => other,
            };
            let other = Recipe::new(&other, asked.agents, recipe.rows)?;
            if (Recipe { from: recipe.from.clone(), ..other }) != recipe {
                return Err(refuse(
                    "is a checkpoint of another scene, number of agents, seed or --set; a run with other settings can \
                     begin with one of its states: --from FILE.npy, with --seed for other random numbers",
                ));
            }
        }
        if snapshot.agents() != scene.agent_count() || snapshot.spatial() != scene.world.spatial {
            return Err(refuse("has another number of agents or dimensions than its scene"));
        }
        let resumed = Resumed { file: file.display().to_string(), hash: hash_of(path)?, step: snapshot.steps };
        let folder = file.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "checkpoints"));
        let run_folder = folder.and_then(Path::parent).map(Path::to_owned);
        let checkpoint = Some(Checkpoint { resumed, snapshot, computed, run_folder });
        let (state, from, scaled_to) = (None, recipe.from.clone(), recipe.scaled_to);
        Ok(Start { scene, state, from, checkpoint, scaled_to, recipe: Some(recipe) })
    }

    /// The start of a run that a record describes; the files that it names must be unchanged.
    pub fn of_record(record: &Record) -> Result<Start, Failure> {
        if let Some(resumed) = &record.resumed {
            FileRecord { path: resumed.file.clone(), hash: resumed.hash.clone(), text: None }.check()?;
            return Start::of_checkpoint(Path::new(&resumed.file), &SceneArgs::default(), u64::MAX);
        }
        record.check_files()?;
        let from = record.from.as_ref().map(|from| PathBuf::from(&from.path));
        Start::with_state(record.scene()?, from.as_deref(), record.scene.scaled_to)
    }

    /// The simulation at its start, and how its scene was made. `snapshots`: checkpoints will be written. This frees the state in host
    /// memory: 25 MB for a million agents.
    pub fn engine(&mut self, place: &Backend, snapshots: bool) -> Result<(Engine, Recipe), Failure> {
        match snapshots || self.checkpoint.is_some() {
            true => place.check_with_snapshots(&self.scene)?,
            false => place.check(&self.scene)?,
        }
        let rows = self.state.as_ref().filter(|_| self.scaled_to.is_none()).map(StateFile::agents);
        let state = read_state(self.state.take(), &self.scene)?;
        let mut engine = place.start(&self.scene, &state)?;
        drop(state);
        if let Some(checkpoint) = &self.checkpoint {
            engine.restore(&checkpoint.snapshot)?;
        }
        // The recipe hashes the files of the scene. By now the engine has read them, and refused any that are too large.
        let recipe = match self.recipe.take() {
            Some(recipe) => recipe,
            None => Recipe { from: self.from.clone(), ..Recipe::new(&self.scene, self.scaled_to, rows)? },
        };
        Ok((engine, recipe))
    }

    /// What the results depend on beside the scene, before and after the checkpoint. Shaders of the user's that have changed since the
    /// checkpoint are an error; for other changes a note is printed.
    pub fn computed(&self, place: &Backend) -> Result<Computed, Failure> {
        let now = Computed::on(place);
        let Some(Checkpoint { computed: before, resumed, .. }) = &self.checkpoint else { return Ok(now) };
        if let Some(shader) = before.other_shader(&now) {
            let shader = shader.display();
            let reason = format!("the run used another {shader}; use the same --shaders, or none if the run had none");
            return Err(Failure::data(Path::new(&resumed.file), reason));
        }
        for (then, now, what) in [
            (before.exact, now.exact, "with floats computed as written"),
            (before.ordered, now.ordered, "in the order of ids"),
        ] {
            if then != now {
                let (then, now) = if then { ("", "not ") } else { ("not ", "") };
                print_note(&format!(
                    "note: the run was {then}computed {what}, and goes on {now}so: the results differ from those of \
                     one uninterrupted run"
                ));
            }
        }
        if before.built_in != now.built_in {
            print_note(
                "note: the run was begun by a program with other built-in shaders: the results differ from those of \
                 one uninterrupted run",
            );
        }
        Ok(Computed { exact: before.exact && now.exact, ordered: before.ordered && now.ordered, ..now })
    }

    /// Does a run from the checkpoint, computed with this, repeat to the bit what the run of the checkpoint computed?
    pub fn repeats(&self, computed: &Computed) -> bool {
        let before = self.checkpoint.as_ref().map(|checkpoint| checkpoint.computed.built_in);
        computed.exact && computed.ordered && before == Some(computed.built_in)
    }

    /// Hash of all that decides the results, including the checkpoint or state that the run starts from.
    pub fn hash(&self, recipe: &Recipe, computed: &Computed) -> String {
        let resumed = self.checkpoint.as_ref().map(|checkpoint| &checkpoint.resumed.hash);
        let start = resumed.or(self.from.as_ref().map(|from| &from.hash));
        ResultInputs::new(recipe, computed, start.map(String::as_str)).hash()
    }

    /// The step at which the run starts.
    pub fn step(&self) -> u64 {
        self.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.snapshot.steps)
    }
}

/// A checkpoint itself, or the latest one in the folder of a run.
fn latest(path: &Path) -> Result<PathBuf, Failure> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let found = fs::read_dir(path.join("checkpoints")).into_iter().flatten().filter_map(Result::ok);
    let numbered = found.filter_map(|entry| {
        let path = entry.path();
        let number: u64 = path.file_name()?.to_str()?.strip_suffix(".steering")?.parse().ok()?;
        Some((number, path))
    });
    let latest = numbered.max_by_key(|(number, _)| *number).map(|(_, path)| path);
    let reason = "this folder has no checkpoints to go on from; --checkpoint-every and --checkpoint-at-end write them";
    latest.ok_or_else(|| Failure::data(path, reason))
}

/// Open the file of a user's state, if given. A scene with one species gets as many agents as the file has rows, unless `--agents`
/// is given; otherwise the numbers must be equal.
pub fn open_state(
    path: Option<&Path>,
    scene: Scene,
    agents: Option<u32>,
) -> Result<(Scene, Option<StateFile>), Failure> {
    let Some(path) = path else { return Ok((scene, None)) };
    let file = StateFile::open(path, scene.world.spatial)?;
    let (rows, needed) = (file.agents(), scene.agent_count());
    if scene.species.len() == 1 && agents.is_none() {
        let scene = scene.with(|draft| draft.species[0].count = rows)?;
        return Ok((scene, Some(file)));
    }
    if rows != needed {
        let reason = match agents {
            Some(_) => format!("has {rows} rows, and --agents asks for {needed}"),
            None => format!(
                "has {rows} rows, and the {} species of the scene have {needed} agents in all; set their counts, such \
                 as --set species.0.count=100",
                scene.species.len()
            ),
        };
        return Err(Failure::data(path, reason));
    }
    Ok((scene, Some(file)))
}

/// Read a user's state, with a note if some agents cannot be calculated with, or cannot stay as they are. Without a file it is the scene's
/// own start.
pub fn read_state(file: Option<StateFile>, scene: &Scene) -> Result<State, Failure> {
    let Some(file) = file else { return Ok(State::initial(scene)) };
    let mut state = file.read()?;
    note_cut(&state, scene);
    let walled_in = state.settle(scene);
    if walled_in > 0 {
        print_note(&format!("note: {walled_in} agents of the state are in walls of the map; they start beside them"));
    }
    let bad = state.frozen.iter().filter(|frozen| **frozen).count();
    if bad > 0 {
        print_note(&format!(
            "note: {bad} agents of the state are not finite, or beyond 1e9; they are frozen, and no agent perceives them"
        ));
    }
    Ok(state)
}

/// Print a note if agents start where they cannot stay, beyond the ends of a closed axis, or faster than they may be.
fn note_cut(state: &State, scene: &Scene) {
    let world = &scene.world;
    let closed: Vec<usize> = (0..world.axes()).filter(|axis| world.boundary[*axis] == Boundary::Contain).collect();
    let (mut outside, mut fast) = (0, 0);
    let agents = (0..).zip(&state.positions).zip(&state.velocities).zip(&state.frozen).filter(|(_, frozen)| !**frozen);
    for (((id, position), velocity), _) in agents {
        outside += u32::from(closed.iter().any(|axis| position[*axis].abs() > 0.5 * world.size[*axis]));
        let speed = velocity.iter().map(|along| f64::from(*along).powi(2)).sum::<f64>().sqrt();
        // A little more is due to rounding.
        let most = |species: &Species| 1.0001 * f64::from(species.top_speed());
        fast += u32::from(scene.species_of(id).is_some_and(|species| speed > most(species)));
    }
    if outside > 0 {
        let ends = closed.iter().map(|axis| format!("{} {}", ["x", "y", "z"][*axis], 0.5 * world.size[*axis]));
        print_note(&format!(
            "note: {outside} agents of the state are outside of the world, and start at its ends: coordinates count from \
             its middle, up to {} and as far below 0",
            ends.collect::<Vec<_>>().join(", ")
        ));
    }
    if fast > 0 {
        print_note(&format!(
            "note: {fast} agents of the state are faster than max_speed allows; the first step slows them down to it"
        ));
    }
}
