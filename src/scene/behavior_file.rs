//! Reads what a behavior's WGSL file says of it: the documented members of its parameter struct, and its functions.
//!
//! naga reads the WGSL, together with the files that it calls; comments are taken from the text, at the places that naga gives.
//! (naga 30.0.1 has doc comments too, but loses those behind a `//` comment, and attaches them to the wrong member where some
//! have none.) The build script reads the built-in files with this module and the program reads a user's, so both mean the same.

use naga::front::wgsl::parse_str;
use naga::{
    ArraySize, Block, Expression, Function as Code, Handle, Module, ScalarKind, Span, Statement, Type, TypeInner,
};
use std::collections::BTreeSet;
use std::ops::Range;

/// Stand-ins for declarations that are generated for each scene, so that files of `shaders/common` that use them can be parsed.
pub const GENERATED: &str = "\
struct Behaviors { nothing: u32 }
struct BehaviorMemories { nothing: u32 }
fn state_of(id: u32) -> u32 { return 0u; }
fn since_of(id: u32) -> u32 { return 0u; }
fn load_of(id: u32) -> u32 { return 0u; }
fn pose_of(id: u32) -> Pose { return Pose(); }
";

/// Files of WGSL, parsed as one module.
#[derive(Debug)]
pub struct Wgsl<'a> {
    module: Module,
    /// Path and text of each file, and where it begins in the module.
    files: Vec<(&'a str, &'a str, usize)>,
}

/// Why naga refuses some files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The file that naga blames.
    pub path: String,
    /// The bytes in that file.
    pub at: Range<usize>,
    /// Its reason.
    pub message: String,
}

impl<'a> Wgsl<'a> {
    /// Parse the files of behaviors, by path and text, with all files that they may call.
    ///
    /// # Errors
    /// What naga refuses, in the last file that it names.
    pub fn parse(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Refused> {
        let (mut text, mut placed) = (GENERATED.to_owned(), Vec::new());
        for (path, file) in files {
            placed.push((path, file, text.len()));
            text.push_str(file);
            text.push('\n');
        }
        let module = parse_str(&text).map_err(|error| {
            let spans = error.labels().filter_map(|(span, _)| span.to_range());
            // For a name that is declared twice, the later declaration.
            let blamed = spans.max_by_key(|span| span.start).unwrap_or(0..0);
            let (path, start, length) = match placed.iter().rev().find(|(.., start)| *start <= blamed.start) {
                Some((path, file, start)) => (*path, *start, file.len()),
                None => ("", 0, 0),
            };
            let within = |at: usize| (at - start).min(length);
            Refused {
                path: path.to_owned(),
                at: within(blamed.start)..within(blamed.end),
                message: match error.message() {
                    "internal WGSL front end error" => {
                        "expressions, types or blocks are nested more than 200 deep".to_owned()
                    }
                    // naga quotes whole types, and has no place.
                    message if message.starts_with("Incompatible operands") => {
                        "an operation has operands that do not go together, such as a vector and a struct".to_owned()
                    }
                    message => message.to_owned(),
                },
            }
        })?;
        Ok(Wgsl { module, files: placed })
    }

    /// All files as one module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The header, structs and functions of one of the files.
    pub fn file(&self, path: &str) -> BehaviorFile<'a> {
        let (_, text, start) = self.files.iter().find(|(known, ..)| *known == path).expect("a file that was parsed");
        BehaviorFile::of(&self.module, text, *start)
    }

    /// The flags of a file, `override NAME: bool`, each with what the comment behind it says, if there is one.
    pub fn flags(&self, path: &str) -> Vec<(&'a str, String)> {
        let (_, text, start) = self.files.iter().find(|(known, ..)| *known == path).expect("a file that was parsed");
        let source = Source::new(text, *start);
        let flag = |handle| {
            let span = source.within(self.module.overrides.get_span(handle))?;
            let name = source.name(&span);
            Some((&text[name.clone()], source.behind(name.end)))
        };
        let is_flag = |ty: Handle<Type>| self.module.types[ty].inner == TypeInner::Scalar(naga::Scalar::BOOL);
        self.module.overrides.iter().filter(|(_, o)| is_flag(o.ty)).filter_map(|(handle, _)| flag(handle)).collect()
    }

    /// The buffers and functions that these functions name, directly or through what they call.
    pub fn mentions(&self, names: &BTreeSet<&str>) -> BTreeSet<String> {
        let functions = &self.module.functions;
        let of = |handle: Handle<Code>| functions[handle].name.as_deref().unwrap_or_default();
        let (mut all, mut mentioned) = (BTreeSet::new(), BTreeSet::new());
        let mut open: Vec<_> = functions.iter().map(|(h, _)| h).filter(|h| names.contains(of(*h))).collect();
        while let Some(handle) = open.pop() {
            if all.insert(handle) {
                mentioned.insert(of(handle).to_owned());
                for (_, expression) in functions[handle].expressions.iter() {
                    if let Expression::GlobalVariable(variable) = expression {
                        mentioned.extend(self.module.global_variables[*variable].name.clone());
                    }
                }
                calls_in(&functions[handle].body, &mut open);
            }
        }
        mentioned
    }

    /// The tokens of a file, with their places.
    pub fn source(&self, path: &str) -> Source<'_> {
        let (_, text, start) = self.files.iter().find(|(known, ..)| *known == path).expect("a file that was parsed");
        Source::new(text, *start)
    }
}

/// The blocks inside of a statement.
pub fn inner_blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(inner) => vec![inner],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// The functions that are called in a block.
pub fn calls_in(block: &Block, calls: &mut Vec<Handle<Code>>) {
    for_each_call(block, &mut |function, _| calls.push(function));
}

/// Do `visit` with the function and the arguments of each call in a block.
pub fn for_each_call<F: FnMut(Handle<Code>, &[Handle<Expression>])>(block: &Block, visit: &mut F) {
    for statement in block {
        match statement {
            Statement::Call { function, arguments, .. } => visit(*function, arguments),
            other => inner_blocks(other).into_iter().for_each(|inner| for_each_call(inner, visit)),
        }
    }
}

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
    /// The bytes of its name in the file.
    pub at: Range<usize>,
    /// Its documentation.
    pub doc: Doc<'a>,
    /// Its members, in order.
    pub members: Vec<Member<'a>>,
    /// Its size, words.
    pub words: usize,
}

/// A member of a struct.
#[derive(Debug)]
pub struct Member<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub ty: String,
    /// Where it lies in the struct, words.
    pub first_word: usize,
    /// Its size, words.
    pub words: usize,
    /// The bytes of its name in the file.
    pub at: Range<usize>,
    /// Its documentation.
    pub doc: Doc<'a>,
}

/// What comments say of a struct or a member.
#[derive(Debug, Default, Clone)]
pub struct Doc<'a> {
    /// The prose of the doc comments (`///`), joined by spaces.
    pub text: String,
    /// Key, value and bytes of each doc comment of the form `key = value`.
    pub settings: Vec<(&'a str, &'a str, Range<usize>)>,
    /// The prose of the plain comments right above, or behind it on the same line.
    pub note: String,
}

impl<'a> Doc<'a> {
    /// The value of a key and its place.
    pub fn setting(&self, key: &str) -> Option<(&'a str, Range<usize>)> {
        self.all(key).next()
    }

    /// The values of a key that may stand several times.
    pub fn all(&self, key: &str) -> impl Iterator<Item = (&'a str, Range<usize>)> {
        self.settings.iter().filter(move |(name, ..)| *name == key).map(|(_, value, at)| (*value, at.clone()))
    }
}

/// A function's signature.
#[derive(Debug)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// The bytes of its name in the file.
    pub at: Range<usize>,
    /// Name and type of each parameter.
    pub parameters: Vec<(String, String)>,
    /// The type that it returns; empty for none.
    pub returns: String,
}

/// Keys that a doc comment may set.
const SETTINGS: [&str; 7] = ["value", "field_of_view", "weight", "priority", "order", "wants", "needs"];

impl<'a> BehaviorFile<'a> {
    fn of(module: &Module, text: &'a str, start: usize) -> Self {
        let prose = |line: &'a str| line.strip_prefix("//").filter(|line| !line.starts_with('/'));
        let header = text.lines().map_while(prose).map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        let source = Source::new(text, start);
        let structs = module.types.iter().filter_map(|(handle, ty)| {
            let TypeInner::Struct { members, span: size } = &ty.inner else { return None };
            let span = source.within(module.types.get_span(handle))?;
            let at = source.name(&span);
            let mut before = at.end;
            let member = |member: &naga::StructMember| {
                let at = source.member(member.name.as_deref().unwrap_or_default(), before, &span);
                let doc = source.doc(before, &at);
                before = at.end;
                let words = module.types[member.ty].inner.size(module.to_ctx()) as usize / 4;
                let (name, ty, first_word) =
                    (&text[at.clone()], type_name(module, member.ty), member.offset as usize / 4);
                Member { name, ty, first_word, words, at, doc }
            };
            let members = members.iter().map(member).collect();
            let (doc, words) = (source.doc(source.end_before(span.start), &at), *size as usize / 4);
            Some(Struct { name: &text[at.clone()], at, doc, members, words })
        });
        let functions = module.functions.iter().filter_map(|(handle, function)| {
            let at = source.name(&source.within(module.functions.get_span(handle))?);
            let parameter = |argument: &naga::FunctionArgument| {
                (argument.name.clone().unwrap_or_default(), type_name(module, argument.ty))
            };
            let returns = function.result.as_ref().map_or(String::new(), |result| type_name(module, result.ty));
            let parameters = function.arguments.iter().map(parameter).collect();
            Some(Function { name: &text[at.clone()], at, parameters, returns })
        });
        let mut file = BehaviorFile { header, structs: structs.collect(), functions: functions.collect() };
        // naga has them in order of dependency.
        file.structs.sort_by_key(|own| own.at.start);
        file.functions.sort_by_key(|own| own.at.start);
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

/// A type as WGSL writes it in short.
fn type_name(module: &Module, ty: Handle<Type>) -> String {
    let scalar = |scalar: naga::Scalar| match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => "bool".to_owned(),
        (ScalarKind::Float, width) => format!("f{}", 8 * width),
        (ScalarKind::Uint, width) => format!("u{}", 8 * width),
        (_, width) => format!("i{}", 8 * width),
    };
    let letter = |kind: naga::Scalar| scalar(kind).remove(0);
    let Type { name, inner } = &module.types[ty];
    match inner {
        TypeInner::Scalar(inner) => scalar(*inner),
        TypeInner::Vector { size, scalar } => format!("vec{}{}", *size as u8, letter(*scalar)),
        TypeInner::Matrix { columns, rows, scalar } => {
            format!("mat{}x{}{}", *columns as u8, *rows as u8, letter(*scalar))
        }
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            format!("array<{}, {count}>", type_name(module, *base))
        }
        TypeInner::Pointer { base, .. } => format!("ptr<function, {}>", type_name(module, *base)),
        other => name.clone().unwrap_or_else(|| format!("{other:?}")),
    }
}

/// The tokens of a file, to find names and comments at the places that naga gives.
#[derive(Debug)]
pub struct Source<'a> {
    text: &'a str,
    start: usize,
    tokens: Vec<(usize, &'a str)>,
}

impl<'a> Source<'a> {
    fn new(text: &'a str, start: usize) -> Self {
        Source { text, start, tokens: tokens(text) }
    }

    /// A span of the module in this file, if it lies there.
    pub fn within(&self, span: Span) -> Option<Range<usize>> {
        let range = span.to_range()?;
        let inside = range.start >= self.start && range.start < self.start + self.text.len();
        inside.then(|| range.start - self.start..range.end - self.start)
    }

    fn code(&self) -> impl DoubleEndedIterator<Item = (usize, &'a str)> {
        self.tokens.iter().copied().filter(|(_, token)| !is_comment(token))
    }

    /// The name that a declaration gives: the word after its keyword.
    pub fn name(&self, declaration: &Range<usize>) -> Range<usize> {
        let mut code = self.code().filter(|(at, _)| *at >= declaration.start);
        code.nth(1).map_or(declaration.clone(), |(at, name)| at..at + name.len())
    }

    /// The bytes of a struct member's name: the first such token from `before` on that a colon follows.
    fn member(&self, name: &str, before: usize, span: &Range<usize>) -> Range<usize> {
        let code: Vec<_> = self.code().filter(|(at, _)| *at >= before && *at < span.end).collect();
        let found = code.windows(2).find(|pair| pair[0].1 == name && pair[1].1 == ":");
        found.map_or(before..before, |pair| pair[0].0..pair[0].0 + name.len())
    }

    /// The end of the last token before a place that is not a comment.
    fn end_before(&self, place: usize) -> usize {
        self.code().rev().find(|(at, _)| *at < place).map_or(0, |(at, token)| at + token.len())
    }

    /// The comments on the item whose name is at `at`: those between `from` and the name, and one at the end of the name's line.
    fn doc(&self, from: usize, at: &Range<usize>) -> Doc<'a> {
        let mut doc = Doc::default();
        let mut notes: Vec<&str> = Vec::new();
        // A comment on the line on which the item before ends is about that item.
        let rest = self.text[from..at.start].find('\n').filter(|_| from > 0);
        let from = from + rest.unwrap_or(0);
        let mut end = from;
        for (place, comment) in self.tokens.iter().copied().filter(|(place, _)| (from..at.start).contains(place)) {
            // A comment that an empty line follows is about no item.
            if self.text[end..place].matches('\n').count() > 1 {
                notes.clear();
            }
            end = place + comment.len();
            match comment.strip_prefix("///") {
                Some(line) => doc.add(line.trim(), place..end),
                None if is_comment(comment) => notes.push(comment.trim_start_matches('/').trim()),
                None => {}
            }
        }
        if self.text[end..at.start].matches('\n').count() > 1 {
            notes.clear();
        }
        let behind = self.behind(at.end);
        notes.push(&behind);
        doc.note = notes.join(" ").trim().to_owned();
        doc
    }

    /// The comment at the end of the line that this place is in.
    fn behind(&self, place: usize) -> String {
        let end = self.text[place..].find('\n').map_or(self.text.len(), |line| place + line);
        let comment = self.tokens.iter().find(|(at, token)| (place..end).contains(at) && token.starts_with("//"));
        comment.map_or(String::new(), |(_, comment)| comment.trim_start_matches('/').trim().to_owned())
    }
}

impl<'a> Doc<'a> {
    fn add(&mut self, comment: &'a str, at: Range<usize>) {
        match comment.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
            Some((key, value)) if SETTINGS.contains(&key) => self.settings.push((key, value, at)),
            _ if self.text.is_empty() => self.text = comment.to_owned(),
            _ => self.text = format!("{} {comment}", self.text),
        }
    }
}

fn is_comment(token: &str) -> bool {
    token.starts_with("//") || token.starts_with("/*")
}

/// Signs of more than one character, the longest first.
const SIGNS: [&str; 21] = [
    "<<=", ">>=", "<<", ">>", "->", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=",
];

/// The words, numbers and signs of a text with their places, without comments.
pub fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    tokens(text).into_iter().filter(|(_, token)| !is_comment(token))
}

/// The words, numbers, signs and comments of a text with their places, separated as naga does.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    // What WGSL takes for the end of a line.
    let ends_line = |c: char| matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let is_blank = |c: char| c.is_whitespace() || matches!(c, '\u{200e}' | '\u{200f}');
    let in_word = |c: char| c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii() && !is_blank(c);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            _ if is_blank(first) => {
                at += first.len_utf8();
                continue;
            }
            '0'..='9' => number(rest),
            _ if in_word(first) => rest.find(|c| !in_word(c)).unwrap_or(rest.len()),
            '/' if rest.starts_with("//") => rest.find(ends_line).unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            _ => SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len()),
        };
        found.push((at, &rest[..length]));
        at += length;
    }
    found
}

/// Length of the number that a text begins with. After the `e` of a decimal number, a sign belongs to it.
fn number(text: &str) -> usize {
    let mut before = ' ';
    let end = text.find(|c: char| {
        let exponent = matches!(before, 'e' | 'E') && matches!(c, '+' | '-') && !text.starts_with("0x");
        before = c;
        !(c.is_alphanumeric() || c == '.' || exponent)
    });
    end.unwrap_or(text.len())
}

/// Length of a comment of several lines, which may hold others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] if depth == 1 => return at + 2,
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    text.len()
}

/// What a file declares outside of functions: the places and names behind `fn`, `struct`, `const` and the like.
pub fn declared(text: &str) -> Vec<(usize, &str)> {
    let (mut depth, mut naming, mut in_template, mut found) = (0, false, false, Vec::new());
    for (at, token) in code(text) {
        match token {
            "{" => depth += 1,
            "}" => depth -= 1,
            "fn" | "struct" | "alias" | "const" | "override" | "var" if depth == 0 => naming = true,
            // `var<storage, read> name`
            "<" | ">" if naming => in_template = token == "<",
            _ if naming && !in_template => {
                found.push((at, token));
                naming = false;
            }
            _ => {}
        }
    }
    found
}

/// The tokens of each declaration outside of functions, in their order.
pub fn declarations(text: &str) -> Vec<Vec<&str>> {
    let (mut depth, mut found) = (0, vec![Vec::new()]);
    for (_, token) in code(text) {
        match token {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        found.last_mut().expect("one at least").push(token);
        if depth == 0 && matches!(token, "}" | ";") {
            found.push(Vec::new());
        }
    }
    found.retain(|tokens| !matches!(tokens[..], [] | [";"]));
    found
}

/// The name of a behavior's parameter struct: `flow_field` has `FlowField`.
pub fn struct_name(behavior: &str) -> String {
    behavior.split('_').map(|part| part[..1.min(part.len())].to_uppercase() + &part[1.min(part.len())..]).collect()
}
