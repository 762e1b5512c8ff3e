//! Rewrites the pass of one world into a pass of several.
//!
//! Shaders are written for one world. In the WGSL that naga writes for a pass, each buffer becomes an array of such buffers, one per
//! world, and the z of the workgroup says which of them an invocation uses. Nothing else changes, so each world gets the same bits as
//! when it runs alone.

use super::reflect::{Binding, EntryPoint};
use crate::model::BufferId;
use crate::scene::{reason, validate};
use naga::back::wgsl;
use naga::{ArraySize, GlobalVariable, Handle, TypeInner, front};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How the buffers of several worlds are laid out.
#[derive(Debug, Clone)]
pub(super) struct WorldLayout {
    /// The number of worlds.
    pub worlds: u32,
    /// The distance from the start of one world to the next in each buffer, bytes; in a texture, rows. All worlds share a buffer that
    /// is not listed.
    pub pitches: BTreeMap<BufferId, u32>,
}

impl WorldLayout {
    /// Bytes of a buffer, or rows of a texture, for all worlds together. `None` if all worlds share it.
    pub fn size(&self, buffer: BufferId) -> Option<u64> {
        self.pitches.get(&buffer).map(|pitch| u64::from(*pitch) * u64::from(self.worlds))
    }
}

/// The WGSL variable with the number of the invocation's world. No shader uses such a name, and naga leaves it as it is.
const OWN: &str = "own_world_of_many_x";

/// How a shader declares a buffer.
pub(super) enum Kind {
    /// An array of runtime length, with this stride, bytes.
    Row(u32),
    /// A value of fixed size, bytes.
    Block(u32),
    /// A texture.
    Texture,
}

impl Kind {
    /// How the entry point declares the buffer of a binding.
    pub fn bound(entry: &EntryPoint, binding: &Binding) -> Kind {
        match entry.module.types[variable(entry, binding).1.ty].inner {
            TypeInner::Array { size: ArraySize::Dynamic, stride, .. } => Kind::Row(stride),
            TypeInner::Image { .. } => Kind::Texture,
            ref inner => Kind::Block(inner.size(entry.module.to_ctx())),
        }
    }
}

/// The global variable of a binding.
fn variable<'a>(entry: &'a EntryPoint, binding: &Binding) -> (Handle<GlobalVariable>, &'a GlobalVariable) {
    let (module, usage) = (&entry.module, entry.info.get_entry_point(0));
    let is_it = |(handle, variable): &(Handle<GlobalVariable>, &GlobalVariable)| {
        !usage[*handle].is_empty() && variable.binding.is_some_and(|known| known.binding == binding.index)
    };
    module.global_variables.iter().find(is_it).expect("a binding is that of a variable")
}

/// The entry point rewritten for the worlds of `world_layout`.
///
/// # Errors
/// Why it cannot be rewritten, for a person.
pub(super) fn of_many(entry: &EntryPoint, world_layout: &WorldLayout) -> Result<EntryPoint, String> {
    let mut module = entry.module.clone();
    let mut bound = Vec::new();
    for binding in &entry.bindings {
        let Some(pitch) = world_layout.pitches.get(&binding.buffer) else { continue };
        let (name, handle) = (format!("of_many_{}_x", binding.index), variable(entry, binding).0);
        module.global_variables.get_mut(handle).name = Some(name.clone());
        bound.push((name, Kind::bound(entry, binding), *pitch));
    }
    let written = wgsl::write_string(&module, &entry.info, wgsl::WriterFlags::empty());
    let mut text = written.map_err(|error| error.to_string())?;
    for (name, kind, pitch) in &bound {
        text = spread(&text, name, kind, *pitch, world_layout.worlds)?;
    }
    let text = numbered(&text, &entry.entry_point().name).ok_or("it has no entry point that can be read")?;
    let module = front::wgsl::parse_str(&text).map_err(|error| error.to_string())?;
    let info = validate(&module).map_err(|error| reason(error.as_inner()))?;
    // naga writes neither `@size` nor `@align`, so check that the strides are still the same.
    for (name, kind, pitch) in &bound {
        let found = module.global_variables.iter().find(|(_, variable)| variable.name.as_ref() == Some(name));
        let stride = match found.map(|(_, variable)| &module.types[variable.ty].inner) {
            Some(TypeInner::Array { stride, .. }) => Some(*stride),
            _ => None,
        };
        let expected = match kind {
            Kind::Row(stride) => Some(*stride),
            Kind::Block(_) => Some(*pitch),
            Kind::Texture => None,
        };
        if stride != expected {
            return Err(format!("elements of {name} are {stride:?} bytes apart, not {expected:?}"));
        }
    }
    Ok(EntryPoint { module, info, bindings: entry.bindings.clone(), workgroup_size: entry.workgroup_size })
}

/// The WGSL text with one buffer made an array over worlds, in which each use selects the invocation's world.
fn spread(text: &str, name: &str, kind: &Kind, pitch: u32, worlds: u32) -> Result<String, String> {
    let (mut spread, mut rest) = (String::with_capacity(text.len()), text);
    let mut put = |part: std::fmt::Arguments<'_>| spread.write_fmt(part).expect("a text takes it");
    while let Some((before, after)) = rest.split_once(name) {
        put(format_args!("{before}{name}"));
        rest = after;
        match (after.strip_prefix(": "), kind) {
            // The declaration; all other matches are uses.
            (Some(declared), Kind::Block(_)) => {
                let (ty, behind) = declared.split_once(';').ok_or("a declaration has no end")?;
                put(format_args!(": array<{ty}, {worlds}>;"));
                rest = behind;
            }
            (Some(_), _) => {}
            (None, Kind::Block(_)) => put(format_args!("[{OWN}]")),
            (None, Kind::Row(stride)) => {
                rest = after.strip_prefix('[').ok_or("a buffer is used whole")?;
                put(format_args!("[{OWN} * {}u + ", pitch / stride));
            }
            (None, Kind::Texture) => {
                rest = after.strip_prefix(", ").ok_or("a texture is passed on")?;
                put(format_args!(", vec2<u32>(0u, {OWN} * {pitch}u) + "));
            }
        }
    }
    put(format_args!("{rest}"));
    Ok(spread)
}

/// The WGSL text with an entry point that first stores the number of its world, the z of its workgroup.
fn numbered(text: &str, entry_point: &str) -> Option<String> {
    let (before, after) = text.split_once(&format!("fn {entry_point}("))?;
    let (arguments, body) = after.split_once('{')?;
    let known = ["@builtin(workgroup_id) ", "@builtin(global_invocation_id) "].into_iter().find_map(|builtin| {
        let (_, named) = arguments.split_once(builtin)?;
        Some(named.split_once(':')?.0.to_owned())
    });
    let (group, added) = match known {
        Some(name) => (name, String::new()),
        None => (format!("{OWN}_group"), format!("@builtin(workgroup_id) {OWN}_group: vec3<u32>, ")),
    };
    Some(format!(
        "var<private> {OWN}: u32;\n{before}fn {entry_point}({added}{arguments}{{\n    {OWN} = {group}.z;\n{body}"
    ))
}
