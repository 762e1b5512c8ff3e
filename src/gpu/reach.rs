//! Which declarations of the shared shader files a stage needs: most of the time of a new simulation goes into reading
//! and specializing the others.

use std::collections::{BTreeMap, BTreeSet};

/// The shared texts without the declarations that a stage does not use, by itself or through others. Those are blank, so that
/// all else stays at its line and column.
pub(super) fn reached(own: &str, shared: &[&str]) -> Vec<String> {
    let files: Vec<Vec<Item<'_>>> = shared.iter().map(|text| items(text)).collect();
    let mut homes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (file, items) in files.iter().enumerate() {
        for (index, item) in items.iter().enumerate() {
            homes.extend(item.name.map(|name| (name, (file, index))));
        }
    }
    let mut reached = BTreeSet::new();
    let mut used: Vec<&str> = items(own).into_iter().flat_map(|item| item.words).collect();
    while let Some(word) = used.pop() {
        if let Some(&(file, index)) = homes.get(word)
            && reached.insert((file, index))
        {
            used.extend(&files[file][index].words);
        }
    }
    let blank = |(file, text): (usize, &&str)| {
        let mut bytes = text.as_bytes().to_vec();
        for (index, item) in files[file].iter().enumerate() {
            // What declares nothing, such as an assertion, stays; so do overrides, because pipelines name all of them.
            let stays = item.name.is_none() || item.words.contains("override");
            if !stays && !reached.contains(&(file, index)) {
                bytes[item.start..item.end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            }
        }
        String::from_utf8(bytes).unwrap_or_else(|_| (*text).to_owned())
    };
    shared.iter().enumerate().map(blank).collect()
}

/// A declaration with what belongs before it: attributes and comments.
#[derive(Debug, Default)]
struct Item<'a> {
    start: usize,
    end: usize,
    name: Option<&'a str>,
    /// All of its words but those of comments.
    words: BTreeSet<&'a str>,
}

/// The declarations of a file, one after another.
fn items(text: &str) -> Vec<Item<'_>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut items = Vec::new();
    let mut item = Item::default();
    let (mut at, mut depth, mut declares) = (0, 0u32, false);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if is_word(first) {
            let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
            item.words.insert(word);
            if std::mem::take(&mut declares) {
                item.name.get_or_insert(word);
            }
            declares = depth == 0 && ["fn", "struct", "const", "override", "alias", "var"].contains(&word);
            at += word.len();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += comment(rest);
        } else if first == '<' && declares {
            // The address space of a variable goes before its name.
            at += rest.find('>').map_or(rest.len(), |end| end + 1);
        } else {
            at += first.len_utf8();
            depth = match first {
                '{' => depth + 1,
                '}' => depth.saturating_sub(1),
                _ => depth,
            };
            if depth == 0 && (first == '}' || first == ';') {
                items.push(Item { end: at, ..std::mem::take(&mut item) });
                item.start = at;
            }
        }
    }
    items.push(Item { end: at, ..item });
    items
}

/// Length of the comment at the start of a text; comments nest.
fn comment(text: &str) -> usize {
    let mut depth = 0u32;
    let mut at = 0;
    while at < text.len() {
        match text.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_is_reached_through_others() {
        let shared = [
            "fn a() -> f32 { if (true) { return b; } } // é d\nfn f() {}\nconst_assert true;",
            "const b = 1.0;
            @group(0) @binding(1) var<storage, read>\n  c: array<u32>;",
            "/* fn a /* */ fn a */ struct d { a: f32 }",
        ];
        let reach = |own: &str| -> Vec<&str> {
            let texts = reached(own, &shared);
            assert!(texts.iter().zip(shared).all(|(text, all)| text.len() == all.len()));
            assert!(texts[0].ends_with("const_assert true;"));
            let names = ["fn a()", "fn f()", "const b", "c: array", "struct d"];
            names.into_iter().filter(|name| texts.iter().any(|text| text.contains(name))).collect()
        };
        assert_eq!(reach("fn main() { a(); }"), ["fn a()", "const b"]);
        assert_eq!(reach("fn main() { _ = c[0]; }"), ["c: array"]);
        assert_eq!(reach("fn main() { _ = storage; } // a"), [""; 0]);
        assert_eq!(reach("fn main(x: d) {} /* f"), ["fn a()", "const b", "struct d"]);
    }
}
