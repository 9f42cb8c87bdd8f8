//! Rewrites variables of host code with static storage duration and dynamic initialisation:
//! `std::vector<int> all(8);` outside functions, `static std::mt19937 random(seed);` in one.
//!
//! NVRTC compiles such a variable as a device variable, whose initial value must be a constant, and refuses
//! it. So it is rewritten as a reference to raw storage, followed by a function that constructs the object
//! there; those functions are called before `main`, in their order ([`FUNCTION`]):
//!
//! ```text
//! using __gpulearn_type_0 = std::vector<int>;
//! alignas(__gpulearn_type_0) unsigned char __gpulearn_of_all[sizeof(__gpulearn_type_0)];
//! __gpulearn_type_0 &all = reinterpret_cast<__gpulearn_type_0 &>(__gpulearn_of_all);
//! extern "C" void __gpulearn_initialise_0() { new (__gpulearn_of_all) __gpulearn_type_0(8); … }
//! ```
//!
//! A static data member becomes a reference in its class, too ([`declaration_in_class`]).
//!
//! Its destructor, if any, runs when the program exits. In an unnamed namespace an `extern "C"` function
//! would not be visible outside it: there the constructing function is a plain one, and another outside the
//! namespace calls it.
//!
//! NVRTC accepts some static local variables but never constructs them, such as those of a class whose
//! members have default values. Before anything is compiled, code that constructs the variable is inserted
//! after each declaration that may be affected ([`missing_constructions`]).

use super::edits::{Edit, Rewrite};
use cpp::{Scope, Source, Space};
use std::ops::Range;

/// Prefix of the functions that construct the variables; their number follows, from 0.
pub const FUNCTION: &str = "__gpulearn_initialise_";

/// Prefixes of the names used in a rewritten declaration.
pub const NAMES: [&str; 3] = ["__gpulearn_type_", "__gpulearn_of_", FUNCTION];

/// The unsupported feature reported for a variable that cannot be rewritten.
pub const UNSUPPORTED: &str = "a static or global variable that is declared like this one and initialised with a value that is \
                           computed at run time. This works for `Type name = value;`, `Type name(values);` and \
                           `Type name{values};`, one per declaration, and for a static member in the file of its class";

/// Keywords of device variables, which the compiler is right to refuse.
const ON_DEVICE: [&[u8]; 4] = [b"__device__", b"__constant__", b"__managed__", b"__shared__"];
/// Keywords before a type that are not part of it.
const NOT_OF_TYPE: [&[u8]; 2] = [b"static", b"inline"];
/// Types that are not classes.
const BUILT_IN: [&[u8]; 10] =
    [b"auto", b"bool", b"char", b"double", b"float", b"int", b"long", b"short", b"signed", b"unsigned"];
/// Keywords of declarations that are not handled here.
const NOT_READ: [&[u8]; 8] =
    [b"template", b"thread_local", b"constexpr", b"extern", b"using", b"typedef", b"friend", b"operator"];

/// Rewrites the declaration of the variable whose name is at a place, given as line and column; `number` is
/// that of the constructing function.
pub fn written(source: &Source, (line, column): (u32, u32), number: usize) -> Rewrite {
    match source.token_at(line, column) {
        Some(name) => of_variable(source, name, number),
        None => Rewrite::Unhandled,
    }
}

fn of_variable(source: &Source, name: usize, number: usize) -> Rewrite {
    let tokens = source.tokens();
    let first = behind_labels(source, source.declaration_start(name), name);
    let scope = source.scope(first);
    let on_device = matches!(scope, Scope::Function(Space::Kernel | Space::Device));
    if on_device || (first..name).any(|at| ON_DEVICE.contains(&tokens.word(at))) {
        return Rewrite::Keep;
    }
    let Some(mut its) = declaration(source, first, name) else { return Rewrite::Unhandled };
    let construction = its.inline_construction();
    if source.text()[its.bytes.end..].starts_with(&construction) {
        its.bytes.end += construction.len();
    }
    let text = match scope {
        Scope::Namespace => its.rewrite_global(number, &Unnamed::around(source, first)),
        Scope::Function(_) if its.is_static => its.rewrite_local(number),
        Scope::Function(_) | Scope::Class => return Rewrite::Unhandled,
    };
    let mut edits = vec![(its.bytes.clone(), text)];
    if !its.class.is_empty() {
        let Some(declared) = declaration_in_class(source, &its, name) else { return Rewrite::Unhandled };
        edits.push(declared);
    }
    Rewrite::Edits(edits)
}

/// Returns the edit that makes a static data member, whose definition has its name at a token, a reference in its class.
/// `None` if the class is not in this file, or if the definition may use names of the class, which the constructing function
/// would not find.
fn declaration_in_class(source: &Source, its: &Declaration, name: usize) -> Option<Edit> {
    let tokens = source.tokens();
    let of_class = tokens.word(name.checked_sub(3)?);
    let value = (name + 1..tokens.count()).take_while(|at| tokens.start(*at) < its.bytes.end);
    let is_known = |at: usize| matches!(tokens.word(at), b"std" | b"nullptr" | b"true" | b"false");
    let mut used = value.filter(|at| tokens.is_name(*at) && !tokens.is(at - 1, b":") && !is_known(*at));
    let names_class = cpp::names(&its.own_type).any(|word| word.as_bytes() == of_class);
    if used.next().is_some() || names_class || !its.dimensions.trim().is_empty() {
        return None;
    }
    let is_class = |brace: usize| {
        let mut head = source.declaration_start(brace)..brace;
        head.any(|at| matches!(tokens.word(at), b"class" | b"struct") && tokens.word(at + 1) == of_class)
    };
    let mut declared = tokens.all(tokens.word(name)).filter(|at| {
        let first = behind_labels(source, source.declaration_start(*at), *at);
        source.scope(first) == Scope::Class
            && source.braces_around(first).next().is_some_and(is_class)
            && (first..*at).any(|word| tokens.is(word, b"static"))
            && type_before(source, first, *at).is_some()
            && tokens.is(*at + 1, b";")
    });
    let at = declared.next().filter(|_| declared.next().is_none())?;
    Some((tokens.start(at)..tokens.start(at), "&".into()))
}

/// Returns the first token of the qualified name, such as `A::b`, whose last name is at a token.
fn qualified(source: &Source, name: usize) -> usize {
    let tokens = source.tokens();
    let mut at = name;
    while at >= 3 && tokens.is(at - 1, b":") && tokens.is(at - 2, b":") && tokens.is_name(at - 3) {
        at -= 3;
    }
    at
}

/// Returns the first token of a declaration, after any labels such as `case 1:`.
fn behind_labels(source: &Source, first: usize, name: usize) -> usize {
    let tokens = source.tokens();
    let is_label =
        |at: usize| tokens.is(at, b":") && !tokens.is(at + 1, b":") && !tokens.is(at.wrapping_sub(1), b":");
    (first..name).rev().find(|at| is_label(*at)).map_or(first, |at| at + 1)
}

/// The declaration of one variable.
struct Declaration<'a> {
    /// Byte range in the text, including the `;`.
    bytes: Range<usize>,
    is_static: bool,
    own_type: String,
    /// What precedes the name of a static data member, as in `A::`; otherwise empty.
    class: &'a str,
    name: &'a str,
    /// Array dimensions, as in `[3]`.
    dimensions: String,
    /// The initialiser that follows the type in a `new` expression.
    value: String,
}

impl Declaration<'_> {
    fn rewrite_global(&self, number: usize, unnamed: &Unnamed) -> String {
        let Declaration { own_type, class, name, dimensions, value, .. } = self;
        let kind = format!("__gpulearn_type_{number}");
        let place = format!("__gpulearn_of_{}{name}", class.replace(|c: char| !cpp::is_name_char(c), "_"));
        let linkage = if self.is_static { "static " } else { "" };
        let variable = format!(
            "using {kind} = {own_type}{dimensions}; alignas({kind}) {linkage}unsigned char {place}[sizeof({kind})]; \
             {linkage}{kind} &{class}{name} = reinterpret_cast<{kind} &>({place});"
        );
        // A member may be private.
        let makes = format!(
            "{{ new ((void *){place}) {kind} {value}; \
             __gpulearn_at_exit<{kind}>([] {{ __gpulearn_destroy(reinterpret_cast<{kind} &>({place})); }}); }}"
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

    /// Returns the code that constructs a static local variable in place when control first reaches it.
    fn inline_construction(&self) -> String {
        let Declaration { own_type, name, dimensions, .. } = self;
        let own_type =
            own_type.split_whitespace().filter(|word| *word != "const").collect::<Vec<_>>().join(" ");
        let is_made = format!("__gpulearn_is_made_{name}");
        format!(
            " static bool {is_made}; if (!{is_made}) {{ {is_made} = true; new ((void *)&{name}) {own_type}{dimensions}(); }}"
        )
    }

    /// Rewrites a static local variable, which is constructed when control first reaches it.
    fn rewrite_local(&self, number: usize) -> String {
        let (kind, place) = (format!("__gpulearn_type_{number}"), format!("__gpulearn_of_{}", self.name));
        let Declaration { own_type, name, dimensions, value, .. } = self;
        // The destructor may be private, and this function a member or friend that may call it.
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

/// The namespaces around a declaration, from the outermost unnamed one inwards.
#[derive(Default)]
struct Unnamed {
    /// The text that opens each, such as `namespace {`.
    heads: Vec<String>,
    /// The names of those that have one, as in `a::b::`.
    path: String,
}

impl Unnamed {
    fn around(source: &Source, first: usize) -> Unnamed {
        let (tokens, text) = (source.tokens(), source.text());
        let mut found = Unnamed::default();
        // Of all namespaces visited so far.
        let (mut heads, mut path) = (Vec::new(), String::new());
        for brace in source.braces_around(first).filter(|at| source.opens_namespace(*at)) {
            let head = source.declaration_start(brace);
            let opens = text.get(tokens.start(head)..=tokens.start(brace)).unwrap_or_default();
            heads.insert(0, opens.to_owned());
            // Otherwise the brace is that of `extern "C" {`.
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

/// Returns the code to insert after static local variables of host functions that NVRTC may never construct:
/// those of a class that are declared without an initialiser, or with a default-constructed object. For a
/// `const` variable NVRTC takes the missing value for a constant, so its declaration is rewritten as if the
/// compiler had refused it; such edits are numbered from `number`.
pub fn missing_constructions(source: &Source, number: usize) -> Vec<Edit> {
    let tokens = source.tokens();
    let statics = tokens.all(b"static");
    let statics = statics.filter(|at| behind_labels(source, source.declaration_start(*at), *at) == *at);
    let names = statics.filter_map(|at| name_without_value(source, at));
    let names = names.filter(|name| matches!(source.scope(*name), Scope::Function(Space::Host)));
    let edit = |name: usize, number: usize| {
        let first = behind_labels(source, source.declaration_start(name), name);
        // A comment in the type would extend over the inserted code.
        let mut its = declaration(source, first, name).filter(|its| !its.own_type.contains('/'))?;
        if !its.own_type.split_whitespace().any(|word| word == "const") {
            return Some((its.bytes.end..its.bytes.end, its.inline_construction()));
        }
        its.value = "{}".into();
        Some((its.bytes.clone(), its.rewrite_local(number)))
    };
    let mut edits = Vec::new();
    for name in names {
        edits.extend(edit(name, number + edits.len()));
    }
    edits
}

/// Returns the name's token in a declaration, beginning with `static`, of a variable of a class that has no
/// initialiser or only a default-constructed object.
fn name_without_value(source: &Source, first: usize) -> Option<usize> {
    let tokens = source.tokens();
    let mut at = first + 1;
    while !matches!(tokens.word(at), b";" | b"=" | b"[") {
        at = match tokens.word(at) {
            b"<" => tokens.after_template_arguments(at)?,
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

/// Parses the declaration with this first token and this name; `None` if it is not of a form handled here.
fn declaration<'a>(source: &'a Source, first: usize, name: usize) -> Option<Declaration<'a>> {
    let (tokens, text) = (source.tokens(), source.text());
    let from = qualified(source, name);
    let mut own_type = type_before(source, first, from)?;
    // After the name come dimensions, then an initialiser, then the end.
    let mut at = name + 1;
    while tokens.is(at, b"[") {
        at = tokens.partner(at)? + 1;
    }
    // A token may begin at a byte that is not a character boundary.
    let between = |from: usize, to: usize| text.get(from..to);
    let dimensions = between(tokens.start(name) + tokens.word(name).len(), tokens.start(at))?;
    let is_array = !dimensions.trim().is_empty();
    let dimensions = match tokens.is(name + 1, b"[") && tokens.is(name + 2, b"]") {
        true => {
            let open = if tokens.is(at, b"=") { at + 1 } else { at };
            let count = initialisers(source, open, tokens.word(from.checked_sub(1)?))?;
            dimensions.replacen(']', &format!("{count}]"), 1)
        }
        false => dimensions.to_owned(),
    };
    let (value, end) = match tokens.word(at) {
        b";" => (String::new(), at),
        b"=" if tokens.is(at + 1, b"{") => {
            let close = tokens.partner(at + 1)?;
            (between(tokens.start(at) + 1, tokens.start(close) + 1)?.to_owned(), close + 1)
        }
        b"=" if !is_array => {
            let end = end_of_value(source, at + 1)?;
            let value = between(tokens.start(at) + 1, tokens.start(end))?;
            if (first..from).any(|at| tokens.is(at, b"auto")) {
                own_type = deduced(source, first..from, at + 1..end, value)?;
            }
            (format!("({value})"), end)
        }
        b"(" | b"{" => {
            let close = tokens.partner(at)?;
            (between(tokens.start(at), tokens.start(close) + 1)?.to_owned(), close + 1)
        }
        _ => return None,
    };
    let is_deduced = own_type.split_whitespace().any(|word| word == "auto");
    (tokens.is(end, b";") && !is_deduced).then_some(Declaration {
        bytes: tokens.start(first)..tokens.start(end) + 1,
        is_static: (first..name).any(|at| tokens.is(at, b"static")),
        own_type,
        class: between(tokens.start(from), tokens.start(name))?,
        name: std::str::from_utf8(tokens.word(name)).ok()?,
        dimensions,
        value,
    })
}

/// Returns how many elements of a class an array has, from the brace that opens its initialisers. Values without braces
/// or the name of the class may be several members of one element.
fn initialisers(source: &Source, open: usize, class: &[u8]) -> Option<usize> {
    let tokens = source.tokens();
    let close = tokens.partner(open).filter(|_| tokens.is(open, b"{"))?;
    let (mut at, mut count) = (open + 1, 0);
    while at < close {
        if !tokens.is(at, b"{") && tokens.word(at) != class {
            return None;
        }
        count += 1;
        while at < close && !tokens.is(at, b",") {
            at = match tokens.word(at) {
                b"(" | b"[" | b"{" => tokens.partner(at)? + 1,
                b"<" => tokens.after_template_arguments(at).unwrap_or(at + 1),
                _ => at + 1,
            };
        }
        at += 1;
    }
    (count > 0).then_some(count)
}

/// Returns the type in front of the variable's name, as it is written.
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
    // Before `::` stands what is not read here; a reference has no storage.
    let last = name.checked_sub(1).filter(|&last| last >= first)?;
    (depth == 0 && !matches!(tokens.word(last), b":" | b"&")).then_some(out)
}

/// Returns the type that `auto` stands for with a value; `None` for `auto *` and the like, and for a lambda, which has another
/// type each time it is written.
fn deduced(source: &Source, own: Range<usize>, of: Range<usize>, value: &str) -> Option<String> {
    let tokens = source.tokens();
    let mut own = own.filter(|at| !NOT_OF_TYPE.contains(&tokens.word(*at)));
    let is_plain = own.all(|at| matches!(tokens.word(at), b"auto" | b"const"));
    let is_subscript = |at: usize| tokens.is_name(at - 1) || matches!(tokens.word(at - 1), b")" | b"]");
    let has_lambda = of.clone().any(|at| tokens.is(at, b"[") && !is_subscript(at));
    // The value is written twice, the second time in one line.
    let is_one_line = !value.contains("//") && !value.contains('#');
    (is_plain && !has_lambda && is_one_line)
        .then(|| format!("decltype(__gpulearn_auto({}))", value.trim().replace(['\n', '\r'], " ")))
}

/// Returns the `;` token that ends the declaration, from the first token of its value.
fn end_of_value(source: &Source, from: usize) -> Option<usize> {
    let tokens = source.tokens();
    let mut at = from;
    loop {
        match tokens.word(at) {
            b"" | b"," | b")" | b"]" | b"}" => return None,
            b";" => return Some(at),
            b"(" | b"[" | b"{" => at = tokens.partner(at)? + 1,
            b"<" => at = tokens.after_template_arguments(at).unwrap_or(at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::edits;
    use super::*;

    fn of(text: &str, name: &str) -> Rewrite {
        written(&Source::new(text), cpp::place(text.as_bytes(), text.rfind(name).unwrap()), 4)
    }

    fn kind_and_value(text: &str, name: &str) -> Option<(String, String)> {
        let Rewrite::Edits(edits) = of(text, name) else { return None };
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
            ("auto name = f(a[1],\n 2);", "decltype(__gpulearn_auto(f(a[1],  2)))", "( f(a[1],\n 2))"),
            ("void f() { static const auto name = g(); }", "decltype(__gpulearn_auto(g()))", "( g())"),
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
            ("T name[] = {T(1), {2, f(3)},};", "T [2]", "{T(1), {2, f(3)},}"),
            ("const T name[]{T{1} * 2};", "const T [1]", "{T{1} * 2}"),
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
    fn a_static_member_becomes_a_reference_in_its_class() {
        let class = "class S : B<int> { int a; public: static const std::vector<int> name; static int b; };";
        let text = format!("{class} int x; const std::vector<int> S::name = {{1, -2}};");
        let Rewrite::Edits(edits) = of(&text, "name") else { panic!() };
        let all = edits::edited(&text, edits).unwrap();
        assert!(all.contains("static const std::vector<int> &name; static int b"), "{all}");
        assert!(all.contains("using __gpulearn_type_4 = const std::vector<int>  ; alignas"), "{all}");
        assert!(all.contains("__gpulearn_type_4 &S::name = reinterpret_cast<"), "{all}");
        assert!(all.contains("new ((void *)__gpulearn_of_S__name) __gpulearn_type_4  {1, -2}; "), "{all}");
        for definition in
            ["T S::name = f();", "T S::name(b);", "S::T S::name;", "T B::name;", "T S::name[2];"]
        {
            assert_eq!(of(&format!("{class} {definition}"), "name"), Rewrite::Unhandled, "{definition}");
        }
    }

    #[test]
    fn what_is_not_read_is_told_apart() {
        for text in [
            "std::vector<int> S::name = {1};",
            "int a = f(), name = g();",
            "T name[] = {1, 2};",
            "T name[] = f;",
            "int name = f(), b = 1;",
            "auto *name = f();",
            "auto name = [] { return 1; };",
            "auto name{f()};",
            "const T &name = f();",
            "template <class T> T name = f();",
            "struct S { int a; } name;",
            "int name = f()",
            "name",
            "struct S { inline static T name{1}; };",
            "template <class U> struct alignas(8) S : B<U> { inline static T name{1}; };",
        ] {
            assert_eq!(of(text, "name"), Rewrite::Unhandled, "{text}");
        }
        assert_eq!(of("__device__ float name = f();", "name"), Rewrite::Keep);
        assert_eq!(of("static __constant__ S name;", "name"), Rewrite::Keep);
        assert_eq!(
            of("struct S { __device__ void f() { if (a) { static T name(3); } } };", "name"),
            Rewrite::Keep
        );
        assert_eq!(of("__host__ __device__ void f() { T name(3); }", "name"), Rewrite::Unhandled);
        assert_eq!(written(&Source::new("int x;"), (9, 9), 0), Rewrite::Unhandled);
    }

    #[test]
    fn no_text_panics() {
        let pieces = [
            "T", "é", "name", "(", ")", "{", "}", "[", "]", "<", ">", "=", ";", ",", "::", "\n", "static",
            "\"", "//",
        ];
        edits::tests::no_text_panics("", &pieces, |source, place| written(source, place, 0));
    }
}
