//! What a behavior's file says of it for warnings: what it wants, and what its numbers have to be enough for.
//!
//! `/// needs = stop if ramp = linear` on a member says that agents come to rest within that many units, so a warning tells whoever
//! gives less. The words are those of [`Need`]; the laws behind them are in `lint/needs.rs`.

use super::behavior_file::Doc;
use super::behaviors::{DescriptionError, Parameter};
use super::error::suggest;
use super::{Behavior, Path, Range, Setting};

/// What a behavior wants of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// An acceleration.
    Push,
    /// A velocity, here and there.
    VelocityAtTimes,
    /// A velocity at any time, so that a kinematic body has it at once.
    Velocity,
}

/// Makes the enum, and the words by which files name its variants.
macro_rules! needs {
    ($($word:literal $name:ident $about:literal,)*) => {
        /// What a parameter of a behavior has to be enough for, or a behavior has to find.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Need {
            $(#[doc = $about] $name,)*
        }

        impl Need {
            /// Each with the word that files have for it, and what it means.
            pub const ALL: &[(&str, Need, &str)] = &[$(($word, Need::$name, $about),)*];
        }
    };
}

needs! {
    "stop" Stop "within this many u the speed falls in proportion to the way, to nothing: v²/2a + v·(dt + time_constant), and 4·v·time_constant",
    "slow" Slow "the same where agents hardly ever come to rest: v²/2a + v·dt",
    "late" Late "it brakes at full force, as late as time_constant alone allows; `with` the radius of the other way",
    "spring" Spring "the desired velocity is the way per second, so that 1 s has to be enough to stop in",
    "turn_back" TurnBack "within this many u it turns back by a desired velocity: v²/a + 2·v·dt, and v·time_constant/2 + v·dt",
    "brake" Brake "within this many u it is braked to rest by force: v²/2a + v·dt",
    "corner" Corner "within this many u it is turned back, also from a corner: 2·v²/a + v·dt",
    "round" Round "within this many u of a sphere, `with` its size, it is turned back: r + √(c² + r²) - c + v·dt, r = v²/a",
    "inside" Inside "an extent of which something is left inside of the margin `with` which it is felt",
    "across" Across "the same for the diameter of a sphere, which is the extent along x",
    "standstill" Standstill "agents have to be able to stand still: no `min_speed`",
    "clear" Clear "an obstacle is seen this many s ahead, or as many u as the parameter `with` says: √(R² + 2·R·v²/a) clears it",
    "room" Room "this many s are enough for two to make room for their radii and a margin, `with`: √(6·room/a)",
    "sideways" Sideways "in this many s a speed to one side is lost: max(time_constant, 2·v/a)",
    "aside" Aside "the same as a way, in u: v·max(time_constant, 2·v/a)",
    "circle" Circle "full force toward the target, which never takes away a speed across: nearer than v²/a it is circled",
    "capture" Capture "the same, where a target within this many u is reached",
    "catch" Catch "s ahead per u of distance, of a hunter at its own speed: at most 1/v",
    "escape" Escape "the same of who flees, at the speed of the target `with` which it reckons",
    "stride" Stride "at least half of a step's way: v·dt/2",
    "turn" Turn "within this angle it comes to rest from the greatest angular speed; the lag is what `with` says",
    "heading" Heading "the target has to have a heading, which points and the mouse have not",
    "search" Search "at most as far as a search of the ground goes",
    "obstacles" Obstacles "there have to be obstacles",
    "scale" Scale "a place or extent that grows with the world",
}

/// What a behavior's file says of one of its parameters, or of the behavior.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// What is needed.
    pub need: Need,
    /// Column of the parameter that has to be enough; none where the behavior itself needs it.
    pub parameter: Option<usize>,
    /// Column of another parameter that counts.
    pub with: Option<usize>,
    /// Where it holds.
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

impl When {
    fn holds(&self, behavior: &Behavior, paths: &[Path]) -> bool {
        let word = match behavior.parameters.get(self.parameter) {
            Some(Setting::Path(path)) => match paths.get(*path as usize) {
                Some(path) => usize::from(path.closed),
                None => return false,
            },
            Some(setting) => setting.number() as usize,
            None => return false,
        };
        (word == self.word) == self.is
    }
}

/// Do all of these hold, in a scene with these paths?
pub fn all_hold(when: &[When], behavior: &Behavior, paths: &[Path]) -> bool {
    when.iter().all(|when| when.holds(behavior, paths))
}

/// What a behavior wants, and where.
pub fn wants(doc: &Doc<'_>, parameters: &[Parameter]) -> Result<(Wants, Vec<When>), DescriptionError> {
    let Some((value, at)) = doc.setting("wants") else { return Ok((Wants::Push, Vec::new())) };
    let wrong = |message: String| DescriptionError { at: at.clone(), message };
    let (what, when) = conditions(value, parameters).map_err(wrong)?;
    match what {
        "velocity" => Ok((Wants::Velocity, when)),
        "velocity at times" => Ok((Wants::VelocityAtTimes, when)),
        _ => Err(wrong("`wants` can be `velocity` or `velocity at times`".to_owned())),
    }
}

/// What the doc comment of a parameter, or of the behavior, says that it needs.
pub fn needs(doc: &Doc<'_>, own: Option<usize>, parameters: &[Parameter]) -> Result<Vec<Fact>, DescriptionError> {
    let read = |value: &str| {
        let (value, when) = conditions(value, parameters)?;
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
        Ok(Fact { need: *need, parameter: own, with, when })
    };
    doc.all("needs").map(|(value, at)| read(value).map_err(|message| DescriptionError { at, message })).collect()
}

/// A need speaks of a parameter of some kind, and some of another one.
fn fits(need: Need, of: Option<&Parameter>, with: Option<&Parameter>) -> Result<(), String> {
    let is_number = |p: &Parameter| matches!(p.range, Range::Number { .. });
    let is_choice = |p: &Parameter| matches!(p.range, Range::Choice(_));
    let is_vector = |p: &Parameter| matches!(p.range, Range::Vector { .. });
    let is_target = |p: &Parameter| matches!(p.range, Range::Target);
    let (fits, wanted) = match need {
        Need::Obstacles => (of.is_none(), "the behavior's struct"),
        Need::Late | Need::Spring | Need::Circle | Need::Standstill => (of.is_some_and(is_choice), "a choice of words"),
        Need::Inside | Need::Across | Need::Scale => (of.is_some_and(is_vector), "a vector"),
        Need::Heading => (of.is_some_and(is_target), "a target"),
        _ => (of.is_some_and(is_number), "a number"),
    };
    if !fits {
        return Err(format!("this need is of {wanted}"));
    }
    let (fits, wanted) = match need {
        Need::Late | Need::Inside | Need::Across | Need::Turn => (with.is_some_and(is_number), "with a number"),
        Need::Clear | Need::Room => (with.is_none_or(is_number), "with a number, or alone"),
        Need::Round => (with.is_some_and(is_vector), "with a vector"),
        Need::Escape => (with.is_some_and(is_target), "with a target"),
        _ => (with.is_none(), "alone"),
    };
    if fits { Ok(()) } else { Err(format!("this need stands {wanted}")) }
}

/// What stands before ` if ` or ` unless `, and the conditions behind it: `MEMBER = WORD and MEMBER = WORD`.
fn conditions<'a>(value: &'a str, parameters: &[Parameter]) -> Result<(&'a str, Vec<When>), String> {
    let (what, all, is) = match (value.split_once(" if "), value.split_once(" unless ")) {
        (Some((what, all)), _) => (what, all, true),
        (None, Some((what, one))) if !one.contains(" and ") => (what, one, false),
        (None, Some(_)) => return Err("`unless` has one condition".to_owned()),
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
