//! Imports point one way: from folder to folder, and within these from file to file.

use super::rust_files;
use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::slice::Iter;
use steerling_conform::tokens;

/// The paths of a Rust file that begin with `crate` or `super`, and those of its reexports, which begin with `pub`. Each is split at `::`.
fn paths(text: &str) -> Vec<Vec<&str>> {
    let text = text.split("#[cfg(test)]").next().unwrap();
    let tokens: Vec<&str> = tokens(text).into_iter().map(|(_, token)| token).collect();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let inner = at > 0 && tokens[at - 1] == ":";
        if tokens[at] == "use" && at > 0 && ["pub", ")"].contains(&tokens[at - 1]) {
            expand(&mut tokens[at + 1..].iter().peekable(), vec!["pub"], &mut found);
        } else if ["crate", "super"].contains(&tokens[at]) && tokens.get(at + 1) == Some(&":") && !inner {
            expand(&mut tokens[at..].iter().peekable(), Vec::new(), &mut found);
        }
    }
    found
}

/// Collect the paths that begin at these tokens, one for each entry in braces.
fn expand<'a>(tokens: &mut Peekable<Iter<'_, &'a str>>, mut path: Vec<&'a str>, found: &mut Vec<Vec<&'a str>>) {
    match tokens.next() {
        Some(&"{") => {
            while tokens.peek().is_some_and(|token| **token != "}") {
                expand(tokens, path.clone(), found);
                tokens.next_if(|token| **token == ",");
            }
            tokens.next();
        }
        Some(part) => {
            path.push(part);
            if tokens.next_if(|token| **token == ":").is_none() {
                if tokens.next_if(|token| **token == "as").is_some() {
                    tokens.next();
                }
                return found.push(path);
            }
            tokens.next();
            expand(tokens, path, found);
        }
        None => {}
    }
}

/// The modules of `src`, such as `gpu::limits`, each with the modules that it names. A name that is reexported counts for the module that
/// defines it.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let module = |path: &str| {
        let path = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
        if path == "lib" { String::new() } else { path.replace('/', "::") }
    };
    let files: BTreeMap<String, String> = rust_files("src").iter().map(|(p, text)| (module(p), text.clone())).collect();
    let (mut named, mut given_on) = (BTreeMap::new(), BTreeMap::new());
    for (module, text) in &files {
        for path in paths(text) {
            let mut full: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
            let path = match path[0] {
                // A macro of the module itself, or what is named at its place by the other rules.
                "pub" if path.len() == 2 || ["crate", "super"].contains(&path[1]) => continue,
                "pub" => {
                    given_on
                        .insert((module.clone(), path[path.len() - 1].to_owned()), [&full[..], &path[1..]].concat());
                    continue;
                }
                "crate" => {
                    full.clear();
                    &path[1..]
                }
                _ => {
                    let up = path.iter().take_while(|part| **part == "super").count();
                    full.truncate(full.len() - up);
                    &path[up..]
                }
            };
            named.entry(module.clone()).or_insert_with(Vec::new).push([&full[..], path].concat());
        }
    }
    let mut imports = BTreeMap::new();
    for module in files.keys() {
        let named = named.get(module).cloned().unwrap_or_default().into_iter();
        let named = named.map(|path| module_of(path, &files, &given_on));
        imports.insert(module.clone(), named.filter(|other| other != module && !other.is_empty()).collect());
    }
    imports
}

/// The module that a path leads to. Reexports are followed.
fn module_of<'a>(
    mut path: Vec<&'a str>,
    files: &BTreeMap<String, String>,
    given_on: &BTreeMap<(String, String), Vec<&'a str>>,
) -> String {
    loop {
        let known = (0..=path.len()).rev().find(|length| files.contains_key(&path[..*length].join("::"))).unwrap();
        let module = path[..known].join("::");
        match path.get(known).and_then(|item| given_on.get(&(module.clone(), (*item).to_owned()))) {
            Some(place) => path = [&place[..], &path[known + 1..]].concat(),
            None => return module,
        }
    }
}

/// The imports that are part of a cycle, or lead from one cycle to another.
fn circles(mut arrows: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let before = arrows.len();
        let from: BTreeSet<String> = arrows.keys().cloned().collect();
        arrows.values_mut().for_each(|to| to.retain(|other| from.contains(other)));
        let to: BTreeSet<String> = arrows.values().flatten().cloned().collect();
        arrows.retain(|module, others| !others.is_empty() && to.contains(module));
        if arrows.len() == before {
            return arrows;
        }
    }
}

/// Imports point one way: from folder to folder, and within these from file to file. The two backends do not know each other.
#[test]
fn imports_point_one_way() {
    let imports = imports();
    let folder = |module: &str| module.split("::").next().unwrap().to_owned();
    let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, others) in imports.iter().filter(|(module, _)| !["", "main"].contains(&module.as_str())) {
        let own = folder(module);
        let others = others.iter().map(|other| folder(other)).filter(|other| *other != own);
        folders.entry(own.clone()).or_default().extend(others);
    }
    let strangers = [
        ("cpu", &["gpu", "render"][..]),
        ("gpu", &["cpu", "output"]),
        ("verify", &["render", "output"]),
        ("measure", &["verify", "render", "output", "viewer"]),
        ("render", &["cpu", "verify"]),
    ];
    for (own, others) in strangers {
        assert!(others.iter().all(|other| !folders[own].contains(*other)), "{own} imports {:?}", folders[own]);
    }
    assert!(folders["cpu"].contains("model") && folders["gpu"].contains("shaders"), "{folders:?}");
    assert_eq!(circles(folders), BTreeMap::new());
    assert!(imports["gpu::simulation"].contains("gpu::pipelines"), "{imports:?}");
    for own in ["cpu", "gpu", "measure", "model", "output", "render", "scene", "shaders", "verify"] {
        let within: BTreeMap<_, _> = imports.clone().into_iter().filter(|(module, _)| folder(module) == own).collect();
        assert_eq!(circles(within), BTreeMap::new());
    }
}

/// A cycle of imports is found, however the paths are written.
#[test]
fn a_circle_of_imports_is_noticed() {
    let text = "use super::{a::{B, c as d}, e};\npub use f::G; // crate::no\nfn h() { crate::i::j(); }\n#[cfg(test)] use crate::k;";
    let expected =
        [&["super", "a", "B"][..], &["super", "a", "c"], &["super", "e"], &["pub", "f", "G"], &["crate", "i", "j"]];
    assert_eq!(paths(text), expected);
    let arrows = |list: &[(&str, &str)]| {
        let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in list {
            arrows.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        circles(arrows)
    };
    assert_eq!(arrows(&[("a", "b"), ("b", "c"), ("a", "c")]), BTreeMap::new());
    assert_eq!(arrows(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]).keys().collect::<Vec<_>>(), ["b", "c"]);
}
