//! Reads what a behavior's WGSL file says of it: the documented members of its parameter struct, and its functions.
//!
//! The build script reads the built-in files with this module and the program reads a user's, so both mean the same. It
//! looks at declarations only; naga checks the rest.

/// A behavior's file, as far as it is read.
#[derive(Debug)]
pub struct BehaviorFile<'a> {
    /// The comment at its head, without the slashes.
    pub header: Vec<&'a str>,
    /// All structs, in order.
    pub structs: Vec<Struct<'a>>,
    /// All functions, in order.
    pub functions: Vec<Function<'a>>,
}

/// A struct with its documentation.
#[derive(Debug)]
pub struct Struct<'a> {
    /// Its name.
    pub name: &'a str,
    /// Line of its name, from 1.
    pub line: usize,
    /// Its documentation.
    pub doc: Doc<'a>,
    /// Its members, in order.
    pub members: Vec<Member<'a>>,
}

/// A member of a struct.
#[derive(Debug)]
pub struct Member<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type, as written but without spaces.
    pub ty: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its documentation.
    pub doc: Doc<'a>,
}

/// A doc comment (`///`): prose, and lines of the form `key = value`.
#[derive(Debug, Default, Clone)]
pub struct Doc<'a> {
    /// The prose, joined by spaces.
    pub text: String,
    /// Key, value and line of each setting.
    pub settings: Vec<(&'a str, &'a str, usize)>,
}

impl<'a> Doc<'a> {
    /// The value of a key and its line.
    pub fn setting(&self, key: &str) -> Option<(&'a str, usize)> {
        self.settings.iter().find(|(name, ..)| *name == key).map(|(_, value, line)| (*value, *line))
    }
}

/// A function's signature and body.
#[derive(Debug)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its line, from 1.
    pub line: usize,
    /// Name and type of each parameter.
    pub parameters: Vec<(&'a str, String)>,
    /// The type that it returns; empty for none.
    pub returns: String,
    /// The text of its body.
    pub body: &'a str,
}

/// Keys that a doc comment may set.
const SETTINGS: [&str; 5] = ["value", "weight", "priority", "order", "wants"];

impl<'a> BehaviorFile<'a> {
    /// Read a file. It leaves what it cannot read to naga.
    pub fn read(text: &'a str) -> Self {
        let header =
            text.lines().map_while(|line| line.strip_prefix("//")).map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
        let mut file = BehaviorFile { header, structs: Vec::new(), functions: Vec::new() };
        let mut doc = Doc::default();
        let (mut at, mut in_struct) = (0, false);
        for (index, full) in text.split_inclusive('\n').enumerate() {
            let (line, start) = (full.trim(), at);
            at += full.len();
            if let Some(comment) = line.strip_prefix("///") {
                doc.add(comment.trim(), index + 1);
            } else if let Some(rest) = line.strip_prefix("struct ") {
                let (name, doc) = (identifier(rest), std::mem::take(&mut doc));
                file.structs.push(Struct { name, line: index + 1, doc, members: Vec::new() });
                in_struct = !line.contains('}');
            } else if in_struct && line.starts_with('}') {
                in_struct = false;
            } else if let Some((name, ty)) = line.split_once(':').filter(|_| in_struct && !line.starts_with("//")) {
                // Attributes such as @size(8) stand before the name.
                let name = identifier(name.rsplit(')').next().unwrap_or(name).trim_start());
                let ty = squeeze(ty.split("//").next().unwrap_or(ty).trim().trim_end_matches(','));
                let member = Member { name, ty, line: index + 1, doc: std::mem::take(&mut doc) };
                file.structs.last_mut().expect("the struct that is open").members.push(member);
            } else if let Some(rest) = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("fn ") {
                file.functions.push(function(rest, &text[start..], index + 1));
                doc = Doc::default();
            } else if !line.is_empty() && !line.starts_with("//") {
                doc = Doc::default();
            }
        }
        file
    }

    /// A struct by its name.
    pub fn structure(&self, name: &str) -> Option<&Struct<'a>> {
        self.structs.iter().find(|s| s.name == name)
    }

    /// A function by its name.
    pub fn function(&self, name: &str) -> Option<&Function<'a>> {
        self.functions.iter().find(|f| f.name == name)
    }
}

impl<'a> Doc<'a> {
    fn add(&mut self, comment: &'a str, line: usize) {
        match comment.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
            Some((key, value)) if SETTINGS.contains(&key) => self.settings.push((key, value, line)),
            _ if self.text.is_empty() => self.text = comment.to_owned(),
            _ => self.text = format!("{} {comment}", self.text),
        }
    }
}

/// The identifier that a text begins with.
fn identifier(text: &str) -> &str {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("")
}

fn squeeze(ty: &str) -> String {
    ty.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn function<'a>(rest: &'a str, text: &'a str, line: usize) -> Function<'a> {
    let name = identifier(rest);
    let open = text.find('(').unwrap_or(text.len());
    let close = open + matching(&text[open..], '(', ')');
    let inside = text.get(open + 1..close).unwrap_or("");
    let brace = close + text[close..].find('{').unwrap_or(text.len() - close);
    let end = brace + matching(&text[brace..], '{', '}');
    let parameters = split_arguments(inside)
        .into_iter()
        .filter_map(|argument| argument.split_once(':').map(|(name, ty)| (name.trim(), squeeze(ty.trim()))))
        .collect();
    let returns = text[close..brace].split_once("->").map_or(String::new(), |(_, ty)| squeeze(ty.trim()));
    Function { name, line, parameters, returns, body: &text[brace..end] }
}

/// Offset of the bracket that closes the one at the start; the length where none does.
fn matching(text: &str, open: char, close: char) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == open) - i32::from(c == close);
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Split at commas that are in no brackets.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// What the functions of a behavior that are called are for: each is called as the behavior, `_` and one of these.
pub const PARTS: [&str; 7] = ["start", "add", "add_coincident", "resolve", "steer", "turn", "remember"];

/// What a call passes for a parameter of one of a behavior's functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The behavior's parameter struct.
    Parameters,
    /// The agent.
    Agent,
    /// The goal that the k-th member of type `Target` names.
    Goal(usize),
    /// The turning state of an angular behavior.
    Turner,
    /// The neighbor.
    Neighbor,
    /// What was summed so far.
    Sum,
    /// What the agent remembers for this behavior.
    Memory,
    /// The id of a coincident agent.
    Other,
    /// The model (in Rust, where the shader has globals).
    Model,
    /// The buffers (in Rust, where the shader has globals).
    Buffers,
}

/// What to pass to a function of a behavior, by the types of its parameters; the first that is not known is an error.
///
/// # Errors
/// Name and type of that parameter.
pub fn arguments(function: &Function<'_>, structure: &str) -> Result<Vec<Argument>, (String, String)> {
    let mut goals = 0;
    let argument = |(name, ty): &(&str, String)| {
        let plain = ty.trim_start_matches('&');
        Ok(match plain {
            _ if *name == "sum" => Argument::Sum,
            _ if plain == structure => Argument::Parameters,
            _ if plain.strip_suffix("Memory") == Some(structure) => Argument::Memory,
            "Agent" => Argument::Agent,
            "Goal" => {
                goals += 1;
                Argument::Goal(goals - 1)
            }
            "Turner" => Argument::Turner,
            "Neighbor" => Argument::Neighbor,
            "CompiledScene" => Argument::Model,
            "Buffers" => Argument::Buffers,
            "u32" if *name == "other" => Argument::Other,
            _ => return Err(((*name).to_owned(), ty.clone())),
        })
    };
    function.parameters.iter().map(argument).collect()
}

/// The name of a behavior's parameter struct: `flow_field` has `FlowField`.
pub fn struct_name(behavior: &str) -> String {
    behavior.split('_').map(|part| part[..1.min(part.len())].to_uppercase() + &part[1.min(part.len())..]).collect()
}
