//! Mistakes that are put into shaders, to show that the laws and the tests find them.
//!
//! A place is named by its function and by the tokens at it. Formatting, comments, and moving a function to
//! another file do not lose it.

use serde::Serialize;
use steerling::gpu::shaders::{EMBEDDED, Sources};
use thiserror::Error;

/// A mistake, put into a shader by replacing some tokens of a function.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Mutant {
    /// Name of the function; no other function of the shaders has it.
    pub function: &'static str,
    /// What stands in the function exactly once, token by token.
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

/// Operators of more than one character; the longer ones first.
const OPERATORS: [&str; 21] = [
    "<<=", ">>=", "<<", ">>", "->", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=",
];

/// The tokens of WGSL, without white space and comments.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let comment = rest.starts_with("//");
        let length = if comment {
            rest.find('\n').unwrap_or(rest.len())
        } else if first.is_ascii_digit() {
            number(rest)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            OPERATORS.iter().find(|operator| rest.starts_with(**operator)).map_or(first.len_utf8(), |o| o.len())
        };
        if !comment && !first.is_whitespace() {
            tokens.push((at, &rest[..length]));
        }
        at += length;
    }
    tokens
}

/// Length of the number that a text begins with: a sign belongs to it after the `e` of a decimal one.
fn number(text: &str) -> usize {
    let mut before = ' ';
    let end = text.find(|c: char| {
        let exponent = matches!(before, 'e' | 'E') && matches!(c, '+' | '-') && !text.starts_with("0x");
        before = c;
        !(c.is_alphanumeric() || c == '.' || exponent)
    });
    end.unwrap_or(text.len())
}
