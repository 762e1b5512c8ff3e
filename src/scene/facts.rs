//! What a behavior's file says for lints: what the behavior wants, and what its parameters must be enough for.
//!
//! `/// needs = stop if ramp = linear` on a radius says that agents have to come to rest within it, so a lint warns of a radius that
//! is too small for that. The words are those of [`Need`]; the formulas behind them are in `lint/needs.rs`.

use super::behavior_file::Doc;
use super::error::suggest;
use super::keys::Range;
use super::parameters::{DescriptionError, Parameter, wrong};

/// What a behavior asks of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// An acceleration.
    Push,
    /// A velocity, but not at all times.
    VelocityAtTimes,
    /// A velocity at all times, which a kinematic body takes on at once.
    Velocity,
}

/// Declares the enum, with the word for each variant in a behavior's file.
macro_rules! needs {
    ($($word:literal $name:ident $about:literal,)*) => {
        /// What a parameter of a behavior must be enough for, or what a behavior needs the scene to have.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Need {
            $(#[doc = $about] $name,)*
        }

        impl Need {
            /// Every need with the word for it in files, and what it means.
            pub const ALL: &[(&str, Need, &str)] = &[$(($word, Need::$name, $about),)*];
        }
    };
}

needs! {
    "stop" Stop "a radius in which the speed falls to nothing with the distance: v²/2a + v·(dt + time_constant), and 4·v·time_constant",
    "slow" Slow "as `stop`, where agents hardly ever come to rest: v²/2a + v·dt",
    "late" Late "the choice of braking at full force as late as possible, where time_constant must be the only delay; \
        `with` the radius to use otherwise",
    "spring" Spring "the choice of a desired velocity that covers the way to the target in 1 s: agents must be able \
        to stop within 1 s",
    "turn_back" TurnBack "a distance in which a desired velocity turns agents back: v²/a + 2·v·dt, and v·time_constant/2 + v·dt",
    "brake" Brake "a distance in which a force brakes agents to rest: v²/2a + v·dt",
    "corner" Corner "a distance in which a force turns agents back, also in a corner: 2·v²/a + v·dt",
    "round" Round "as `corner`, inside of a sphere `with` this size: r + √(c² + r²) - c + v·dt, r = v²/a",
    "inside" Inside "the extent of a region, more than twice its margin, `with`",
    "across" Across "as `inside`, of a sphere, whose diameter is the extent along x",
    "standstill" Standstill "the choice of stopping: the species must have no `min_speed`",
    "clear" Clear "a time ahead in which an obstacle is seen, or a distance, `with`, `or` a number of radii v²/a, \
        whichever is longest: √(R² + 2·R·v²/a) clears the obstacle",
    "room" Room "a time ahead in which two agents make room for their radii and a margin, `with`: √(6·room/a)",
    "sideways" Sideways "a time in which a speed to one side is lost: max(time_constant, 2·v/a)",
    "aside" Aside "as `sideways`, but the distance that an agent moves in that time",
    "circle" Circle "the choice of full force toward the target: nearer than v²/a it is circled, and never reached",
    "capture" Capture "as `circle`, a radius within which the target counts as reached",
    "catch" Catch "a time ahead per distance to the target, at most 1/v",
    "escape" Escape "as `catch`, with the speed of the target `with` this name in place of the agent's own",
    "stride" Stride "a distance that is not stepped over: v·dt/2",
    "turn" Turn "an angle in which a turn at the greatest angular speed comes to rest; `with` the time constant of the turn",
    "heading" Heading "a target that has a heading, which a point and the mouse have not",
    "search" Search "a radius that a search of the ground covers",
    "contact" Contact "a stiffness of bodies, `with` their friction, that time steps can follow: dt <= 2/√(6·stiffness) and, where ten press, 2/(6·friction·overlap)",
    "obstacles" Obstacles "of the struct: the scene must have obstacles",
    "map" Map "the choice of a map's walls: the scene must have a map",
    "scale" Scale "no warning: a place or extent that is scaled with the world when `--agents` changes its size",
}

/// One `needs` line of a behavior's file, about a parameter or about the behavior itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// What is needed.
    pub need: Need,
    /// Column of the parameter that must be enough; `None` for a need of the behavior itself.
    pub parameter: Option<usize>,
    /// Column of the parameter behind `with`, on which the need depends too.
    pub with: Option<usize>,
    /// Column of the parameter behind `or`.
    pub or: Option<usize>,
    /// The conditions under which it holds; all must be met.
    pub when: Vec<When>,
}

/// A condition on a parameter that is one of some words, or a path, which is open or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct When {
    /// Column of the parameter.
    pub parameter: usize,
    /// Index of the word.
    pub word: usize,
    /// Whether it has this word; false after `unless`.
    pub is: bool,
}

/// The words of a condition on a path.
const PATHS: &[&str] = &["open", "closed"];

/// What a behavior wants, and the conditions under which it does.
pub fn wants(doc: &Doc<'_>, parameters: &[Parameter]) -> Result<(Wants, Vec<When>), DescriptionError> {
    let Some((value, at)) = doc.setting("wants") else { return Ok((Wants::Push, Vec::new())) };
    let (what, when) = conditions(value, parameters).map_err(|message| DescriptionError { at: at.clone(), message })?;
    match what {
        "velocity" => Ok((Wants::Velocity, when)),
        "velocity at times" => Ok((Wants::VelocityAtTimes, when)),
        _ => wrong(at, "`wants` can be `velocity` or `velocity at times`"),
    }
}

/// What the doc comment of a parameter, or of the behavior, says that it needs.
pub fn needs(doc: &Doc<'_>, own: Option<usize>, parameters: &[Parameter]) -> Result<Vec<Fact>, DescriptionError> {
    let read = |value: &str| {
        let (value, when) = conditions(value, parameters)?;
        let (value, or) = match value.split_once(" or ") {
            Some((value, or)) => (value, Some(column(or, parameters)?)),
            None => (value, None),
        };
        let (word, with) = match value.split_once(" with ") {
            Some((word, with)) => (word, Some(column(with, parameters)?)),
            None => (value, None),
        };
        let known = Need::ALL.iter().find(|(known, ..)| *known == word.trim());
        let Some((_, need, _)) = known else {
            let words: Vec<&str> = Need::ALL.iter().map(|(word, ..)| *word).collect();
            return Err(format!("`{word}` is no need; {}", suggest(word, &words)));
        };
        fits(*need, own.map(|own| &parameters[own]), with.map(|with| &parameters[with]))?;
        let is_count = |p: &Parameter| matches!(p.range, Range::Number { .. }) && p.unit.is_empty();
        if or.is_some_and(|or| *need != Need::Clear || with.is_none() || !is_count(&parameters[or])) {
            return Err("only `clear` takes a number `or` another one, and the second has no unit".to_owned());
        }
        Ok(Fact { need: *need, parameter: own, with, or, when })
    };
    doc.all("needs").map(|(value, at)| read(value).map_err(|message| DescriptionError { at, message })).collect()
}

/// Check that a need stands at a parameter of the right kind, and that the parameter behind `with` is of the kind it takes, if any.
fn fits(need: Need, of: Option<&Parameter>, with: Option<&Parameter>) -> Result<(), String> {
    let is_number = |p: &Parameter| matches!(p.range, Range::Number { .. });
    let is_choice = |p: &Parameter| matches!(p.range, Range::Choice(_));
    let is_vector = |p: &Parameter| matches!(p.range, Range::Vector { .. });
    let is_target = |p: &Parameter| matches!(p.range, Range::Target);
    let (fits, wanted) = match need {
        Need::Obstacles => (of.is_none(), "the behavior's struct"),
        Need::Late | Need::Spring | Need::Circle | Need::Standstill | Need::Map => {
            (of.is_some_and(is_choice), "a choice of words")
        }
        Need::Inside | Need::Across | Need::Scale => (of.is_some_and(is_vector), "a vector"),
        Need::Heading => (of.is_some_and(is_target), "a target"),
        _ => (of.is_some_and(is_number), "a number"),
    };
    if !fits {
        return Err(format!("this need belongs to {wanted}"));
    }
    let (fits, wanted) = match need {
        Need::Late | Need::Inside | Need::Across | Need::Turn | Need::Contact => {
            (with.is_some_and(is_number), "with a number")
        }
        Need::Clear | Need::Room => (with.is_none_or(is_number), "with a number, or alone"),
        Need::Round => (with.is_some_and(is_vector), "with a vector"),
        Need::Escape => (with.is_some_and(is_target), "with a target"),
        _ => (with.is_none(), "alone"),
    };
    if fits { Ok(()) } else { Err(format!("this need must stand {wanted}")) }
}

/// What stands before ` if ` or ` unless `, and the conditions behind it: `MEMBER = WORD and MEMBER = WORD`.
fn conditions<'a>(value: &'a str, parameters: &[Parameter]) -> Result<(&'a str, Vec<When>), String> {
    let (what, all, is) = match (value.split_once(" if "), value.split_once(" unless ")) {
        (Some((what, all)), _) => (what, all, true),
        (None, Some((what, one))) if !one.contains(" and ") => (what, one, false),
        (None, Some(_)) => return Err("`unless` takes one condition only".to_owned()),
        (None, None) => return Ok((value.trim(), Vec::new())),
    };
    let condition = |text: &str| {
        let Some((name, word)) = text.split_once('=') else {
            return Err(format!("`{}` is no condition such as `mode = turn`", text.trim()));
        };
        let parameter = column(name, parameters)?;
        let words = match parameters[parameter].range {
            Range::Choice(words) => words,
            Range::Path => PATHS,
            _ => return Err(format!("`{}` is neither one of some words nor a path", name.trim())),
        };
        let index = words.iter().position(|known| *known == word.trim());
        let index = index.ok_or_else(|| format!("`{}` is none of the words {}", word.trim(), words.join(", ")))?;
        Ok(When { parameter, word: index, is })
    };
    Ok((what.trim(), all.split(" and ").map(condition).collect::<Result<_, _>>()?))
}

/// Column of a parameter.
fn column(name: &str, parameters: &[Parameter]) -> Result<usize, String> {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    let column = names.iter().position(|known| *known == name.trim());
    column.ok_or_else(|| format!("there is no parameter `{}`; {}", name.trim(), suggest(name.trim(), &names)))
}
