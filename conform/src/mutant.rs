//! Mistakes that are put into shaders, to show that the laws and the tests find them.
//!
//! A place is named by its function and by the tokens at it. Formatting, comments, and moving a function to
//! another file do not lose it.

use serde::Serialize;
use steerling::gpu::shaders::{EMBEDDED, Sources};
use steerling::scene::behavior_file::code;
use thiserror::Error;

/// A mistake, put into a shader by replacing some tokens of a function.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Mutant {
    /// Name of the function; no other function of the shaders has it.
    pub function: &'static str,
    /// The tokens to replace, which the function has exactly once.
    pub from: &'static str,
    /// What the mistake puts in its place.
    pub to: &'static str,
    /// The mistake in words.
    pub mistake: &'static str,
}

/// Why a mutant has no place in the shaders.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MutantError {
    /// No function of the shaders has the name, or several have.
    #[error("\"{mistake}\": {found} functions of the shaders are called `{function}`, not one")]
    Function {
        /// The mutant, by its mistake.
        mistake: &'static str,
        /// The name.
        function: &'static str,
        /// How many have it.
        found: usize,
    },
    /// The function does not have the tokens, or has them more than once.
    #[error("\"{mistake}\": `{from}` stands {found} times in the function `{function}`, not once")]
    Place {
        /// The mutant, by its mistake.
        mistake: &'static str,
        /// The function.
        function: &'static str,
        /// The tokens.
        from: &'static str,
        /// How often they stand there.
        found: usize,
    },
}

impl Mutant {
    /// Put the mistake into shaders. Where it has no place they stay as they are.
    ///
    /// # Errors
    /// A function or tokens that are not there exactly once.
    pub fn apply(&self, sources: &mut Sources) -> Result<(), MutantError> {
        let Mutant { function, from, to, mistake } = *self;
        let mut homes = Vec::new();
        for (path, _) in EMBEDDED {
            let Some(text) = sources.text(path).filter(|text| text.contains(function)) else { continue };
            let called = functions(text).into_iter().filter(|(name, _)| *name == function);
            homes.extend(called.map(|(_, body)| (*path, text, body)));
        }
        let [(path, text, body)] = &homes[..] else {
            return Err(MutantError::Function { mistake, function, found: homes.len() });
        };
        let wanted: Vec<&str> = tokens(from).into_iter().map(|(_, token)| token).collect();
        let places = body.windows(wanted.len().max(1));
        let places: Vec<_> =
            places.filter(|at| at.iter().map(|(_, token)| *token).eq(wanted.iter().copied())).collect();
        let [place] = places[..] else {
            return Err(MutantError::Place { mistake, function, from, found: places.len() });
        };
        let ((first, _), (last, token)) = (place[0], place[place.len() - 1]);
        let mutated = format!("{}{to}{}", &text[..first], &text[last + token.len()..]);
        sources.replace(path, "mutant.wgsl", mutated);
        Ok(())
    }
}

/// A token of WGSL, with its offset in the text.
pub type Token<'a> = (usize, &'a str);

/// The functions of a shader: their names, and their tokens from `fn` to the closing brace.
pub fn functions(text: &str) -> Vec<(&str, Vec<Token<'_>>)> {
    let tokens = tokens(text);
    let mut functions = Vec::new();
    for (start, pair) in tokens.windows(2).enumerate().filter(|(_, pair)| pair[0].1 == "fn") {
        let mut depth = 0;
        let closes = |(_, token): &Token| {
            depth += i32::from(*token == "{") - i32::from(*token == "}");
            *token == "}" && depth == 0
        };
        let end = tokens[start..].iter().position(closes).map_or(tokens.len(), |length| start + length + 1);
        functions.push((pair[1].1, tokens[start..end].to_vec()));
    }
    functions
}

/// The tokens of WGSL, without white space and comments.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    code(text).collect()
}
