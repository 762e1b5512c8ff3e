//! The parameters of a behavior, as the doc comments of its struct describe them.

use super::behavior_file::{Doc, Member};
use super::keys::Range;
use std::ops::Range as Bytes;

/// One parameter of a behavior.
#[derive(Debug)]
pub struct Parameter {
    /// Key in the scene.
    pub name: &'static str,
    /// Unit, for documentation and sliders; empty for a pure number.
    pub unit: &'static str,
    /// Allowed values.
    pub range: Range,
    /// Value where the scene gives none; for a choice, its index; of a vector, each component.
    pub default: f32,
    /// One line of documentation.
    pub summary: &'static str,
    /// How the shaders hold a number.
    pub stored: Stored,
}

/// How the shaders hold a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// As it is.
    Plain,
    /// A radius, squared, at most half a wrapped axis; negative where the behavior is inactive.
    RadiusSquared,
    /// A full angle in degrees, as the cosine of its half; -2 for 360 degrees.
    HalfCosine,
    /// An angle in degrees, as radians.
    Radians,
}

/// Up to this number, every whole number is exact in f32 (2^24).
const EXACT: f32 = 16_777_216.0;

/// What is wrong with a behavior's file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DescriptionError {
    /// The bytes of the file that are wrong.
    pub at: Bytes<usize>,
    /// What is wrong, and what may stand there.
    pub message: String,
}

pub fn wrong<T>(at: Bytes<usize>, message: impl Into<String>) -> Result<T, DescriptionError> {
    Err(DescriptionError { at, message: message.into() })
}

/// The prose of a doc comment, leaked. Specs and what they hold are never freed, but made only once for each text.
pub fn leak(doc: &Doc) -> &'static str {
    Box::leak(doc.text.clone().into_boxed_str())
}

pub fn number_of(text: &str, at: Bytes<usize>) -> Result<f32, DescriptionError> {
    match text.trim().parse::<f32>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => wrong(at, format!("`{}` is no number", text.trim())),
    }
}

/// The parameters that a member of the struct stands for.
pub fn parameters_of(member: &Member<'static>) -> Result<Vec<Parameter>, DescriptionError> {
    let parameter =
        |name, unit, range, default, summary, stored| Parameter { name, unit, range, default, summary, stored };
    if member.ty == "Vision" {
        let radius = Range::Number { min: 0.0, max: 1e6 };
        let view = Range::Number { min: 0.0, max: 360.0 };
        let cone = "full angle of the cone around the heading in which agents are perceived";
        let whom = "names of the species that are perceived; without it, those of the species' own key `perceives`";
        let far = "agents farther away are not perceived";
        let near = "agents within it, if within perception_radius, are perceived at any angle";
        let full = match member.doc.setting("field_of_view") {
            None => 270.0,
            Some((text, at)) => match number_of(text, at.clone())? {
                angle @ 0.0..=360.0 => angle,
                _ => return wrong(at, "a field of view is from 0 to 360 degrees"),
            },
        };
        return Ok(vec![
            parameter("perception_radius", "u", radius, 5.0, far, Stored::RadiusSquared),
            parameter("field_of_view", "deg", view, full, cone, Stored::HalfCosine),
            parameter("inner_radius", "u", radius, 0.0, near, Stored::RadiusSquared),
            parameter("perceives", "", Range::Species, 0.0, whom, Stored::Plain),
        ]);
    }
    if member.ty == "Target" {
        // `target` is a reserved word of WGSL.
        let name = if member.name == "toward" { "target" } else { member.name };
        let summary = if member.doc.text.is_empty() { "what the agent heads for" } else { leak(&member.doc) };
        return Ok(vec![parameter(name, "", Range::Target, 0.0, summary, Stored::Plain)]);
    }
    let summary = leak(&member.doc);
    let mut values = member.doc.all("value");
    let Some((value, at)) = values.next() else {
        let like = "`/// value = 5 in 0..100 u`, `/// value = this of this | that` or `/// value = path`";
        return wrong(member.at.clone(), format!("the doc comment of `{}` needs a line such as {like}", member.name));
    };
    if let Some((_, second)) = values.next() {
        return wrong(second, format!("`{}` has two lines `value =`", member.name));
    }
    if value == "path" && member.ty == "u32" {
        return Ok(vec![parameter(member.name, "", Range::Path, 0.0, summary, Stored::Plain)]);
    }
    if let Some((default, words)) = value.split_once(" of ") {
        let words: Vec<&'static str> = words.split('|').map(str::trim).collect();
        let Some(index) = words.iter().position(|word| *word == default.trim()) else {
            return wrong(at, format!("`{}` is none of the words {}", default.trim(), words.join(", ")));
        };
        if member.ty != "u32" {
            return wrong(
                member.at.clone(),
                format!("`{}` is one of some words, so its type must be u32", member.name),
            );
        }
        return Ok(vec![parameter(member.name, "", Range::Choice(words.leak()), index as f32, summary, Stored::Plain)]);
    }
    let Some((default, rest)) = value.split_once(" in ") else {
        return wrong(at, "a value is `DEFAULT in LEAST..GREATEST UNIT` or `WORD of WORD | WORD`");
    };
    let (rest, stored) = match rest.split_once(" as ") {
        None => (rest, Stored::Plain),
        Some((rest, "radians")) => (rest, Stored::Radians),
        Some((rest, "half_cosine")) => (rest, Stored::HalfCosine),
        Some((rest, "radius_squared")) => (rest, Stored::RadiusSquared),
        Some((_, other)) => {
            return wrong(at, format!("`as {other}` is not known; there are radians, half_cosine and radius_squared"));
        }
    };
    let (bounds, unit) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    let Some((min, max)) = bounds.split_once("..") else {
        return wrong(at, format!("`{bounds}` is no range such as 0..100"));
    };
    let (default, min, max) =
        (number_of(default, at.clone())?, number_of(min, at.clone())?, number_of(max, at.clone())?);
    if !(min..=max).contains(&default) {
        return wrong(at, format!("the default {default} is not within {min}..{max}"));
    }
    if member.ty == "u32" && max > EXACT {
        return wrong(at, format!("the greatest of whole numbers is at most {EXACT}: a scene keeps them as f32"));
    }
    let range = match &*member.ty {
        "f32" => Range::Number { min, max },
        "u32" if min >= 0.0 && [min, max, default].iter().all(|number| number.fract() == 0.0) => {
            Range::Whole { min: min as u32, max: max as u32 }
        }
        "array<f32, 3>" => Range::Vector { min, max },
        other => {
            return wrong(
                member.at.clone(),
                format!(
                    "`{other}` is no type of such a parameter; there are f32, u32 of whole numbers, and array<f32, 3>"
                ),
            );
        }
    };
    Ok(vec![parameter(member.name, unit.trim(), range, default, summary, stored)])
}
