//! Which shared shader files a stage needs: most of the time of a new simulation goes into reading them.

use std::collections::BTreeSet;

/// For each of the shared texts: does the text of a stage use something that it declares, by itself or through others?
pub(super) fn reached(own: &str, shared: &[&str]) -> Vec<bool> {
    let declared: Vec<BTreeSet<&str>> = shared.iter().map(|text| declarations(text).collect()).collect();
    let mut reached = vec![false; shared.len()];
    let mut texts = vec![own];
    while let Some(text) = texts.pop() {
        let used: BTreeSet<&str> = words(text).collect();
        for (index, names) in declared.iter().enumerate() {
            if !reached[index] && !names.is_disjoint(&used) {
                reached[index] = true;
                texts.push(shared[index]);
            }
        }
    }
    reached
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The words that follow a keyword of a declaration. A few too many do no harm: then a file is read without need.
fn declarations(text: &str) -> impl Iterator<Item = &str> {
    let keywords =
        ["fn", "struct", "const", "override", "alias", "var", "private", "workgroup", "uniform", "read", "read_write"];
    let pairs = words(text).zip(words(text).skip(1));
    pairs.filter(move |(keyword, _)| keywords.contains(keyword)).map(|(_, name)| name)
}
