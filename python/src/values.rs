//! Values of Python as TOML, and overrides of a scene's keys by such values.

use crate::failure::Failure;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyMapping, PyString};
use steerling::scene::Override;
use toml_edit::{Array, InlineTable, Value};

/// The deepest nesting of lists and tables. No scene needs a deeper one.
const DEEPEST: usize = 16;
/// The most items of a list. No scene or experiment needs a longer one.
const LONGEST: usize = 1_000_000;
/// Number of items between two checks whether the interpreter was interrupted.
const CHECKED: usize = 1024;

/// A value as TOML.
#[pyfunction]
pub fn toml(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(read(value, 0)?.to_string())
}

fn read(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(Failure::Usage(format!("a value of a scene has no more than {DEEPEST} levels")).into());
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(value.extract::<bool>()?.into());
    }
    if value.is_instance_of::<PyInt>() {
        let number = value.extract::<i64>();
        return number.map(Value::from).map_err(|_| Failure::Usage(format!("{value}: the number is too large")).into());
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(value.extract::<f64>()?.into());
    }
    if value.is_instance_of::<PyString>() {
        return Ok(value.extract::<String>()?.into());
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let mut table = InlineTable::new();
        for item in mapping.items()? {
            let (key, value): (String, Bound<'_, PyAny>) = item.extract()?;
            table.insert(&key, read(&value, depth + 1)?);
        }
        return Ok(table.into());
    }
    // Arrays and numbers of NumPy.
    if value.hasattr("tolist")? {
        return read(&value.call_method0("tolist")?, depth + 1);
    }
    if value.hasattr("__fspath__")? {
        return read(&value.call_method0("__fspath__")?, depth + 1);
    }
    if value.try_iter().is_err() {
        let kind = value.get_type().name()?;
        let text = format!("a value of a scene is a bool, a number, a text, a list or a dict, not {kind}");
        return Err(Failure::Usage(text).into());
    }
    let items: Vec<Value> = each(value, LONGEST, |item| read(&item, depth + 1))?;
    Ok(items.into_iter().collect::<Array>().into())
}

/// Read the items of an iterable, `most` at most. Ctrl-C stops it.
pub fn each<T>(
    given: &Bound<'_, PyAny>,
    most: usize,
    mut read: impl FnMut(Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let mut items = Vec::new();
    for item in given.try_iter()? {
        if items.len() == most {
            return Err(Failure::Usage(format!("more than {most} items of {}", given.get_type().name()?)).into());
        }
        if items.len() % CHECKED == 0 {
            given.py().check_signals()?;
        }
        items.push(read(item?)?);
    }
    Ok(items)
}

/// A whole number; a UsageError if it is negative, or too large for its type.
pub fn whole<T: TryFrom<u64>>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    let number = match given.extract::<u64>() {
        Err(error) if !error.is_instance_of::<PyOverflowError>(given.py()) => return Err(error),
        number => number.ok().and_then(|number| T::try_from(number).ok()),
    };
    let bits = 8 * size_of::<T>();
    let fault = || Failure::Usage(format!("{given}: must be a whole number from 0 to 2^{bits} - 1"));
    number.ok_or_else(|| fault().into())
}

/// A whole number as the type of an optional argument; see [`whole`].
pub struct Whole<T>(pub T);

impl<'py, T: TryFrom<u64>> FromPyObject<'_, 'py> for Whole<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Whole<T>> {
        whole(&given).map(Whole)
    }
}

/// Overrides of a scene's keys, from a dict and from keyword arguments.
pub fn overrides(keys: Option<&Bound<'_, PyMapping>>, more: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<Override>> {
    let mut overrides = Vec::new();
    let more = more.map(|more| more.as_any().cast::<PyMapping>()).transpose()?;
    for mapping in keys.into_iter().chain(more) {
        for item in mapping.items()? {
            let (key, value): (String, Bound<'_, PyAny>) = item.extract()?;
            let text = format!("{key}={}", toml(&value)?);
            overrides.push(text.parse().map_err(Failure::Scene)?);
        }
    }
    Ok(overrides)
}
