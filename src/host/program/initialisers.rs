//! Variables of host code that are there for good and whose values are worked out while the program runs:
//! `std::vector<int> all(8);` outside functions, `static std::mt19937 random(seed);` in one.
//!
//! To NVRTC such a variable is a device's, whose value must be known when it is compiled, and it refuses it. So it is
//! written as a reference to bytes of its own, with a function behind it that makes the value there; the tool calls
//! those functions before `main`, in their order ([`FUNCTION`]):
//!
//! ```text
//! using __gpulearn_type_0 = std::vector<int>;
//! alignas(__gpulearn_type_0) unsigned char __gpulearn_of_all[sizeof(__gpulearn_type_0)];
//! __gpulearn_type_0 &all = reinterpret_cast<__gpulearn_type_0 &>(__gpulearn_of_all);
//! extern "C" void __gpulearn_initialise_0() { new (__gpulearn_of_all) __gpulearn_type_0(8); … }
//! ```
//!
//! What it has of a destructor runs as the program exits. In a namespace without a name the function behind it would be
//! nobody's but the namespace's: there that is a plain one, which another calls that stands outside.
//!
//! Of a function's own variables NVRTC takes some that it then makes no value of, such as one of a class whose members
//! have default values: before anything is compiled, what makes it is written behind each that may be one
//! ([`never_made`]).

use super::rewriting::{Edit, Written};
use cpp::{Scope, Source, Space};
use std::ops::Range;

/// The functions that make the values are called this and their number, from 0 on.
pub const FUNCTION: &str = "__gpulearn_initialise_";

/// How the names begin that are written in place of a declaration.
pub const NAMES: [&str; 3] = ["__gpulearn_type_", "__gpulearn_of_", FUNCTION];

/// What is lacking where such a variable cannot be written so.
pub const LACKING: &str = "a variable that is there for good, is declared like this one and has a value that is worked \
                           out as the program runs. That works for `Type name = value;`, `Type name(values);` and \
                           `Type name{values};`, one in a declaration";

/// Variables on a device: the compiler is right about those.
const ON_DEVICE: [&[u8]; 4] = [b"__device__", b"__constant__", b"__managed__", b"__shared__"];
/// What stands before a type and is no part of it.
const NOT_OF_TYPE: [&[u8]; 2] = [b"static", b"inline"];
/// Types that are no classes.
const BUILT_IN: [&[u8]; 10] =
    [b"auto", b"bool", b"char", b"double", b"float", b"int", b"long", b"short", b"signed", b"unsigned"];
/// What a declaration that is read here does not begin with, or has.
const NOT_READ: [&[u8]; 9] = [
    b"template",
    b"thread_local",
    b"constexpr",
    b"extern",
    b"auto",
    b"using",
    b"typedef",
    b"friend",
    b"operator",
];

/// The declaration of the variable whose name is at a place, with a function of that number.
pub fn written(source: &Source, (line, column): (u32, u32), number: usize) -> Written {
    match source.token_at(line, column) {
        Some(name) => of_variable(source, name, number),
        None => Written::Unread,
    }
}

fn of_variable(source: &Source, name: usize, number: usize) -> Written {
    let tokens = source.tokens();
    let first = behind_labels(source, source.declaration_start(name), name);
    let scope = source.scope(first);
    let on_device = matches!(scope, Scope::Function(Space::Kernel | Space::Device));
    if on_device || (first..name).any(|at| ON_DEVICE.contains(&tokens.word(at))) {
        return Written::AsItIs;
    }
    let Some(mut its) = declaration(source, first, name) else { return Written::Unread };
    let beside = its.made_beside();
    if source.text()[its.bytes.end..].starts_with(&beside) {
        its.bytes.end += beside.len();
    }
    let text = match scope {
        Scope::Namespace => its.outside_functions(number, &Unnamed::around(source, first)),
        Scope::Function(_) if its.is_static => its.in_function(number),
        Scope::Function(_) | Scope::Class => return Written::Unread,
    };
    Written::Instead(vec![(its.bytes, text)])
}

/// The first token of a declaration, where labels such as `case 1:` stand before it.
fn behind_labels(source: &Source, first: usize, name: usize) -> usize {
    let tokens = source.tokens();
    let is_label =
        |at: usize| tokens.is(at, b":") && !tokens.is(at + 1, b":") && !tokens.is(at.wrapping_sub(1), b":");
    (first..name).rev().find(|at| is_label(*at)).map_or(first, |at| at + 1)
}

/// A declaration of one variable.
struct Declaration<'a> {
    /// In the text, with the `;`.
    bytes: Range<usize>,
    is_static: bool,
    own_type: String,
    name: &'a str,
    /// As in `[3]`.
    dimensions: &'a str,
    /// What stands behind a type that is made with it.
    value: String,
}

impl Declaration<'_> {
    fn outside_functions(&self, number: usize, unnamed: &Unnamed) -> String {
        let (kind, place) = (format!("__gpulearn_type_{number}"), format!("__gpulearn_of_{}", self.name));
        let linkage = if self.is_static { "static " } else { "" };
        let Declaration { own_type, name, dimensions, value, .. } = self;
        let variable = format!(
            "using {kind} = {own_type}{dimensions}; alignas({kind}) {linkage}unsigned char {place}[sizeof({kind})]; \
             {linkage}{kind} &{name} = reinterpret_cast<{kind} &>({place});"
        );
        let makes = format!(
            "{{ new ((void *){place}) {kind} {value}; \
             __gpulearn_at_exit<{kind}>([] {{ __gpulearn_destroy({name}); }}); }}"
        );
        let function = format!("extern \"C\" void {FUNCTION}{number}()");
        if unnamed.heads.is_empty() {
            return format!("{variable} {function} {makes}");
        }
        let Unnamed { heads, path } = unnamed;
        let (closed, opened) = ("}".repeat(heads.len()), heads.join(" "));
        let own = format!("{place}_is_made");
        format!("{variable} static void {own}() {makes} {closed} {function} {{ {path}{own}(); }} {opened}")
    }

    /// What makes the value of a function's own variable where it stands, where control comes by for the first time.
    fn made_beside(&self) -> String {
        let Declaration { own_type, name, dimensions, .. } = self;
        let own_type =
            own_type.split_whitespace().filter(|word| *word != "const").collect::<Vec<_>>().join(" ");
        let is_made = format!("__gpulearn_is_made_{name}");
        format!(
            " static bool {is_made}; if (!{is_made}) {{ {is_made} = true; new ((void *)&{name}) {own_type}{dimensions}(); }}"
        )
    }

    /// A function's own, which is made where control comes by for the first time.
    fn in_function(&self, number: usize) -> String {
        let (kind, place) = (format!("__gpulearn_type_{number}"), format!("__gpulearn_of_{}", self.name));
        let Declaration { own_type, name, dimensions, value, .. } = self;
        // Of a class that lets nobody else destroy its objects, this function may be a part.
        let destroy = match dimensions.trim().is_empty() {
            true => format!("reinterpret_cast<{kind} &>({place}).~{kind}();"),
            false => format!("__gpulearn_destroy(reinterpret_cast<{kind} &>({place}));"),
        };
        format!(
            "using {kind} = {own_type}{dimensions}; alignas({kind}) static unsigned char {place}[sizeof({kind})]; \
             static bool {place}_is_made; if (!{place}_is_made) {{ new ((void *){place}) {kind} {value}; \
             {place}_is_made = true; __gpulearn_at_exit<{kind}>([] {{ {destroy} }}); }} \
             static {kind} &{name} = reinterpret_cast<{kind} &>({place});"
        )
    }
}

/// The namespaces around a declaration, from the outermost without a name on.
#[derive(Default)]
struct Unnamed {
    /// What opens each, such as `namespace {`.
    heads: Vec<String>,
    /// The names of those that have one, as in `a::b::`.
    path: String,
}

impl Unnamed {
    fn around(source: &Source, first: usize) -> Unnamed {
        let (tokens, text) = (source.tokens(), source.text());
        let mut found = Unnamed::default();
        // Of all that were passed.
        let (mut heads, mut path) = (Vec::new(), String::new());
        for brace in source.braces_around(first).filter(|at| source.opens_namespace(*at)) {
            let head = source.declaration_start(brace);
            let opens = text.get(tokens.start(head)..=tokens.start(brace)).unwrap_or_default();
            heads.insert(0, opens.to_owned());
            // Another is `extern "C" {`.
            let Some(word) = (head..brace).find(|at| tokens.is(*at, b"namespace")) else { continue };
            let names: Vec<&[u8]> = (word + 1..brace).map(|at| tokens.word(at)).collect();
            if names.is_empty() {
                found = Unnamed { heads: heads.clone(), path: path.clone() };
            } else {
                path = format!("{}::{path}", String::from_utf8_lossy(&names.concat()));
            }
        }
        found
    }
}

/// What is written behind variables of functions of the host of which NVRTC may make no value: those of a class that are
/// declared without one, or with that of the class. Of what is const it takes that no value for one that never changes:
/// that is written as if it were refused, with numbers from `number` on.
pub fn never_made(source: &Source, number: usize) -> Vec<Edit> {
    let tokens = source.tokens();
    let statics = tokens.all(b"static");
    let statics = statics.filter(|at| behind_labels(source, source.declaration_start(*at), *at) == *at);
    let names = statics.filter_map(|at| name_without_value(source, at));
    let names = names.filter(|name| matches!(source.scope(*name), Scope::Function(Space::Host)));
    let edit = |name: usize, number: usize| {
        let first = behind_labels(source, source.declaration_start(name), name);
        // A comment in the type would go on behind it.
        let mut its = declaration(source, first, name).filter(|its| !its.own_type.contains('/'))?;
        if !its.own_type.split_whitespace().any(|word| word == "const") {
            return Some((its.bytes.end..its.bytes.end, its.made_beside()));
        }
        its.value = "{}".into();
        Some((its.bytes.clone(), its.in_function(number)))
    };
    let mut edits = Vec::new();
    for name in names {
        edits.extend(edit(name, number + edits.len()));
    }
    edits
}

/// The name of a variable of a class, in a declaration that begins with `static` and says no more of its value than the
/// class does.
fn name_without_value(source: &Source, first: usize) -> Option<usize> {
    let tokens = source.tokens();
    let mut at = first + 1;
    while !matches!(tokens.word(at), b";" | b"=" | b"[") {
        at = match tokens.word(at) {
            b"<" => tokens.behind_arguments(at)?,
            b":" => at + 1,
            _ if tokens.is_name(at) => at + 1,
            _ => return None,
        };
    }
    let name = at.checked_sub(1)?;
    let of_type = name.checked_sub(1).filter(|last| *last > first)?;
    let is_class = match tokens.word(of_type) {
        b">" => true,
        word => tokens.is_name(of_type) && !word.ends_with(b"_t") && !BUILT_IN.contains(&word),
    };
    while tokens.is(at, b"[") && !tokens.is(at + 1, b"]") {
        at = tokens.partner(at)? + 1;
    }
    if tokens.is(at, b"=") {
        let own = (first + 1..name).filter(|n| !tokens.is(*n, b"const"));
        for part in own {
            at += 1;
            if tokens.word(at) != tokens.word(part) {
                return None;
            }
        }
        at = tokens.partner(at + 1).filter(|close| *close == at + 2)? + 1;
    }
    (is_class && tokens.is(at, b";")).then_some(name)
}

/// The declaration with these first and name's tokens, where it is one that is read here.
fn declaration<'a>(source: &'a Source, first: usize, name: usize) -> Option<Declaration<'a>> {
    let (tokens, text) = (source.tokens(), source.text());
    let own_type = type_before(source, first, name)?;
    // What follows the name: dimensions, then a value, then the end.
    let mut at = name + 1;
    while tokens.is(at, b"[") {
        at = tokens.partner(at)? + 1;
    }
    // Bytes that begin no character are tokens, too.
    let between = |from: usize, to: usize| text.get(from..to);
    let dimensions = between(tokens.start(name) + tokens.word(name).len(), tokens.start(at))?;
    let is_array = !dimensions.trim().is_empty();
    let (value, end) = match tokens.word(at) {
        b";" => (String::new(), at),
        b"=" if tokens.is(at + 1, b"{") => {
            let close = tokens.partner(at + 1)?;
            (between(tokens.start(at) + 1, tokens.start(close) + 1)?.to_owned(), close + 1)
        }
        b"=" if !is_array => {
            let end = end_of_value(source, at + 1)?;
            (format!("({})", between(tokens.start(at) + 1, tokens.start(end))?), end)
        }
        b"(" | b"{" => {
            let close = tokens.partner(at)?;
            (between(tokens.start(at), tokens.start(close) + 1)?.to_owned(), close + 1)
        }
        _ => return None,
    };
    tokens.is(end, b";").then_some(Declaration {
        bytes: tokens.start(first)..tokens.start(end) + 1,
        is_static: (first..name).any(|at| tokens.is(at, b"static")),
        own_type,
        name: std::str::from_utf8(tokens.word(name)).ok()?,
        dimensions,
        value,
    })
}

/// The type that a declaration names before the variable, as it is written.
fn type_before(source: &Source, first: usize, name: usize) -> Option<String> {
    let (tokens, text) = (source.tokens(), source.text());
    let mut out = String::new();
    let mut depth = 0usize;
    for at in first..name {
        let word = tokens.word(at);
        let end = tokens.start(at + 1);
        match word {
            _ if NOT_READ.contains(&word) => return None,
            b"<" => depth += 1,
            b">" => depth = depth.checked_sub(1)?,
            b"," | b"=" | b"(" if depth == 0 => return None,
            _ => {}
        }
        if !NOT_OF_TYPE.contains(&word) {
            out.push_str(text.get(tokens.start(at)..end)?);
        }
    }
    // A qualified name is that of a class's own variable, declared elsewhere; a reference has no bytes.
    let last = name.checked_sub(1).filter(|&last| last >= first)?;
    (depth == 0 && !matches!(tokens.word(last), b":" | b"&")).then_some(out)
}

/// The token behind a value that begins at one: the `;` that ends the declaration.
fn end_of_value(source: &Source, from: usize) -> Option<usize> {
    let tokens = source.tokens();
    let mut at = from;
    loop {
        match tokens.word(at) {
            b"" | b"," | b")" | b"]" | b"}" => return None,
            b";" => return Some(at),
            b"(" | b"[" | b"{" => at = tokens.partner(at)? + 1,
            b"<" => at = tokens.behind_arguments(at).unwrap_or(at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rewriting;
    use super::*;

    fn of(text: &str, name: &str) -> Written {
        written(&Source::new(text), cpp::place(text.as_bytes(), text.rfind(name).unwrap()), 4)
    }

    fn kind_and_value(text: &str, name: &str) -> Option<(String, String)> {
        let Written::Instead(edits) = of(text, name) else { return None };
        let [(range, out)] = &edits[..] else { panic!("{edits:?}") };
        assert_eq!(text[range.clone()].matches('\n').count(), out.matches('\n').count(), "{text}");
        assert!(text[range.clone()].ends_with(';'), "{text}");
        let kind = out.strip_prefix("using __gpulearn_type_4 = ")?.split_once("; alignas(")?.0;
        let value = out.split_once("new ((void *)")?.1.split_once("__gpulearn_type_4 ")?.1;
        let value = value.split_once("; __gpulearn_")?.0;
        Some((kind.trim().to_owned(), value.trim().to_owned()))
    }

    #[test]
    fn declarations_are_read() {
        for (text, kind, value) in [
            ("int x; Domain name;", "Domain", ""),
            ("static Domain name(3);", "Domain", "(3)"),
            (
                "} const std::map<std::string, int> name = {{\"a\", 1},\n {\"b\", 2}};",
                "const std::map<std::string, int>",
                "{{\"a\", 1},\n {\"b\", 2}}",
            ),
            ("std::string name = \"x\"\n + y;", "std::string", "( \"x\"\n + y)"),
            ("namespace n { const int name = pow(2, 10); }", "const int", "( pow(2, 10))"),
            ("float *name = (float *)malloc(40);", "float *", "( (float *)malloc(40))"),
            (
                "int name = f<int, 3>(1) + g([](int a) { return a; });",
                "int",
                "( f<int, 3>(1) + g([](int a) { return a; }))",
            ),
            ("std::mt19937 name{42};", "std::mt19937", "{42}"),
            ("std::vector<int> name[3];", "std::vector<int> [3]", ""),
            ("#include <a>\nT // what\nname;", "T // what", ""),
            ("struct S { void f() { for (;;) { static T name(3); } } };", "T", "(3)"),
            ("template <class U> struct A f(U a) { static T name; }", "T", ""),
            ("int f(int a) { static const T name = a; return 1; }", "const T", "( a)"),
            ("namespace a::b { namespace { void f() { g(); } extern \"C\" { T name(1); } } }", "T", "(1)"),
        ] {
            let found = kind_and_value(text, "name").unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found, (kind.to_owned(), value.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_not_read_is_told_apart() {
        for text in [
            "std::vector<int> S::name = {1};",
            "int a = f(), name = g();",
            "int name = f(), b = 1;",
            "auto name = f();",
            "const T &name = f();",
            "template <class T> T name = f();",
            "struct S { int a; } name;",
            "int name = f()",
            "name",
            "struct S { inline static T name{1}; };",
            "template <class U> struct alignas(8) S : B<U> { inline static T name{1}; };",
        ] {
            assert_eq!(of(text, "name"), Written::Unread, "{text}");
        }
        assert_eq!(of("__device__ float name = f();", "name"), Written::AsItIs);
        assert_eq!(of("static __constant__ S name;", "name"), Written::AsItIs);
        assert_eq!(
            of("struct S { __device__ void f() { if (a) { static T name(3); } } };", "name"),
            Written::AsItIs
        );
        assert_eq!(of("__host__ __device__ void f() { T name(3); }", "name"), Written::Unread);
        assert_eq!(written(&Source::new("int x;"), (9, 9), 0), Written::Unread);
    }

    #[test]
    fn no_text_panics() {
        let pieces = [
            "T", "é", "name", "(", ")", "{", "}", "[", "]", "<", ">", "=", ";", ",", "::", "\n", "static",
            "\"", "//",
        ];
        rewriting::tests::no_text_panics("", &pieces, |source, place| written(source, place, 0));
    }
}
