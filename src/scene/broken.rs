//! A rule that a scene breaks, and the checks by which several tables find one.

use super::error::plain;
use super::keys::{Key, Range};
use glam::Vec3;

/// A rule that a scene breaks.
pub struct Broken {
    /// Dotted paths of the keys that the rule ties; the message is about the first.
    pub keys: Vec<String>,
    pub value: Option<String>,
    pub message: String,
    pub hint: Option<String>,
}

impl Broken {
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Broken {
        Broken { keys: vec![key.into()], value: None, message: message.into(), hint: None }
    }

    /// The other keys that the rule ties.
    pub fn tied(mut self, keys: impl IntoIterator<Item = String>) -> Broken {
        self.keys.extend(keys);
        self
    }

    pub fn value(self, value: impl ToString) -> Broken {
        Broken { value: Some(value.to_string()), ..self }
    }

    pub fn hint(self, hint: impl Into<String>) -> Broken {
        Broken { hint: Some(hint.into()), ..self }
    }
}

/// Refuse a number that is not between two bounds; set a subnormal one to 0.
pub fn check_number(number: &mut f32, bounds: (f32, f32), key: &Key, path: &str) -> Result<(), Broken> {
    if !(bounds.0..=bounds.1).contains(number) {
        return Err(Broken::new(path, key.must_be_between(bounds.0, bounds.1)).value(plain(*number)));
    }
    if number.is_subnormal() {
        *number = 0.0;
    }
    Ok(())
}

/// Refuse a vector with a number that is not between two bounds.
pub fn check_vector(vector: &mut Vec3, axes: usize, key: &Key, path: &str) -> Result<(), Broken> {
    let bounds = match key.range {
        Range::Vector { min, max } | Range::Points { min, max, .. } => (min, max),
        _ => (f32::MIN, f32::MAX),
    };
    (0..axes).try_for_each(|axis| check_number(&mut vector[axis], bounds, key, path))?;
    match axes == 2 && vector.z != 0.0 {
        true => Err(Broken::new(path, "a planar world has no third coordinate").value(plain(vector.z))),
        false => Ok(()),
    }
}

/// Refuse an index that names nothing.
pub fn check_index(index: u32, names: &[String], what: &str, path: &str) -> Result<(), Broken> {
    match names.get(index as usize) {
        Some(_) => Ok(()),
        None => Err(Broken::new(path, format!("the scene has {} of these: {what}", names.len())).value(index)),
    }
}

/// Refuse bits that name nothing; all bits set stand for all names.
pub fn check_mask(mask: u32, names: &[String], what: &str, path: &str) -> Result<(), Broken> {
    let known = u32::MAX.checked_shr(32 - names.len().min(32) as u32).unwrap_or(0);
    match mask == u32::MAX || mask & !known == 0 {
        true => Ok(()),
        false => {
            Err(Broken::new(path, format!("the scene has {} of these: {what}", names.len()))
                .value(format!("{mask:#b}")))
        }
    }
}

/// The broken rule if two of these have the same name.
pub fn names_differ<'a>(names: impl Iterator<Item = &'a String>, list: &str, what: &str) -> Option<Broken> {
    let names: Vec<&String> = names.collect();
    let index = (0..names.len()).find(|index| names[..*index].contains(&names[*index]))?;
    let message = format!("another {what} has this name already");
    Some(Broken::new(format!("{list}.{index}.name"), message).value(format!("{:?}", names[index])))
}

/// The broken rule if the times do not ascend from 0, or if one of the lists is neither empty nor as long as that of times.
pub fn times_fault(path: &str, times: &[f32], lists: &[(&str, usize)]) -> Option<Broken> {
    let key = format!("{path}.times");
    let shown = || format!("[{}]", times.iter().map(|time| plain(*time)).collect::<Vec<_>>().join(", "));
    if times.len() < 2 || times[0] != 0.0 || times.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Some(Broken::new(key, "must be at least two times, which ascend from 0").value(shown()));
    }
    let (name, length) = lists.iter().find(|(_, length)| *length != 0 && *length != times.len())?;
    let message = format!("must have {} entries, one for each of the times, not {length}", times.len());
    Some(Broken::new(format!("{path}.{name}"), message).tied([key]))
}
