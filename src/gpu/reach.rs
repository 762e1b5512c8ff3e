//! Which shared shader files a stage needs: most of the time of a new simulation goes into reading them.

use std::collections::BTreeSet;

/// For each of the shared texts: does the text of a stage use something that it declares, by itself or through others?
pub(super) fn reached(own: &str, shared: &[&str]) -> Vec<bool> {
    let shared: Vec<Words<'_>> = shared.iter().map(|text| Words::new(text)).collect();
    let own = Words::new(own);
    let mut reached = vec![false; shared.len()];
    let mut users = vec![&own];
    while let Some(user) = users.pop() {
        for (index, file) in shared.iter().enumerate() {
            if !reached[index] && !file.declared.is_disjoint(&user.used) {
                reached[index] = true;
                users.push(file);
            }
        }
    }
    reached
}

/// The words of a file.
#[derive(Default)]
struct Words<'a> {
    /// Names of what it declares for all.
    declared: BTreeSet<&'a str>,
    /// All of its words but those of comments.
    used: BTreeSet<&'a str>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Words<'a> {
        let mut words = Words::default();
        let (mut rest, mut depth, mut declares) = (text, 0u32, false);
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = if is_word(first) {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let word = &rest[..length];
                words.used.insert(word);
                if depth == 0 && std::mem::take(&mut declares) {
                    words.declared.insert(word);
                }
                declares = depth == 0 && ["fn", "struct", "const", "override", "alias", "var"].contains(&word);
                length
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                comment(rest)
            } else if first == '<' && declares {
                // The address space of a variable goes before its name.
                rest.find('>').map_or(rest.len(), |end| end + 1)
            } else {
                depth = match first {
                    '{' => depth + 1,
                    '}' => depth.saturating_sub(1),
                    _ => depth,
                };
                first.len_utf8()
            };
            rest = &rest[length..];
        }
        words
    }
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
            "fn a() -> f32 { return b; } // d",
            "const b = 1.0;\n  @group(0) @binding(1) var<storage, read>\n  c: array<u32>;",
            "/* fn a /* */ fn a */ struct d { a: f32 }",
            "fn e() { var a = 1; }",
        ];
        let reach = |own: &str| reached(own, &shared);
        assert_eq!(reach("fn main() { a(); }"), [true, true, false, false]);
        assert_eq!(reach("fn main() { _ = c[0]; }"), [false, true, false, false]);
        assert_eq!(reach("fn main() { _ = storage; }"), [false; 4]);
        assert_eq!(reach("fn main(x: d) {} /* e"), [true, true, true, false]);
    }
}
