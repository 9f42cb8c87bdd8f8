//! Calls between host and device code that nvcc refuses. NVRTC compiles every function for the
//! device, so it takes a kernel that is called like a function, and a kernel that calls a function
//! without `__device__`; a file should compile elsewhere, too.
//!
//! Read off the text: functions of namespaces, by their names. What is not clear (members, macros,
//! conditional lines, names that mean several things) is not told.

use super::blank::{directives, without_comments, without_directives};
use super::passages::{is_word, place};
use super::{Diagnostic, Severity};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Calls that are told of, at most.
const MOST: usize = 8;

/// The calls of a source that nvcc refuses, as errors of a file of that name, in order.
pub fn misplaced_calls(source: &str, file_name: &str) -> Vec<Diagnostic> {
    if !source.contains("__global__") {
        return Vec::new();
    }
    let all = without_comments(source);
    let code = without_directives(&all);
    let macros = Macros::of(&all);
    let tokens = tokens(&code);
    let text = Text { code: &code, tokens: &tokens };
    let Some(functions) = text.functions(&macros) else { return Vec::new() };
    let mut named: HashMap<&[u8], Named> = HashMap::new();
    for function in &functions {
        named.entry(text.word(function.name)).or_default().add(function);
    }
    let conditional = conditional(&all);
    let mut found = Vec::new();
    for caller in &functions {
        let Some(body) = &caller.body else { continue };
        for at in body.clone() {
            let name = text.word(at);
            let Some(callee) = named.get(name).filter(|_| text.is_call(at)) else { continue };
            let hidden = macros.functions.contains(name) || text.is_declared(caller, at);
            if hidden || conditional.iter().any(|range| range.contains(&tokens[at].start)) {
                continue;
            }
            let Some(message) = wrong(caller, callee, &text, at) else { continue };
            let start = tokens[at].start;
            let (line, column) = place(source.as_bytes(), start);
            let file = file_name.to_owned();
            found.push(Diagnostic { severity: Severity::Error, file, line, column, message });
            if found.len() == MOST {
                return found;
            }
        }
    }
    found
}

/// What is wrong with a call, if anything is.
fn wrong(caller: &Function, callee: &Named, text: &Text, at: usize) -> Option<String> {
    let name = String::from_utf8_lossy(text.word(at)).into_owned();
    let by = String::from_utf8_lossy(text.word(caller.name)).into_owned();
    if callee.kernel && !callee.plain && !callee.device {
        return Some(format!(
            "a kernel is launched, not called: \"{name}\" needs <<<blocks, threads>>> before its arguments"
        ));
    }
    if callee.kernel || callee.unclear {
        return None;
    }
    let (line, _) = place(text.code, text.tokens[callee.first?].start);
    if callee.plain && !callee.device && caller.space != Space::Host && caller.space != Space::Both {
        let who = if caller.space == Space::Kernel { "the kernel" } else { "the device function" };
        return Some(format!(
            "\"{name}\" is a function for the host, and {who} \"{by}\" calls it: line {line} lacks __device__"
        ));
    }
    None
}

/// Where a function may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Kernel,
    Device,
    Host,
    Both,
}

/// A function that is declared or written out.
#[derive(Debug)]
struct Function {
    /// The token of its name.
    name: usize,
    space: Space,
    /// A macro that is not understood, or `constexpr`, which nvcc can be told to accept.
    unclear: bool,
    /// From the bracket that opens its parameters.
    parameters: usize,
    body: Option<Range<usize>>,
}

/// All functions of a name.
#[derive(Debug, Default)]
struct Named {
    kernel: bool,
    device: bool,
    plain: bool,
    unclear: bool,
    /// The token of the first name.
    first: Option<usize>,
}

impl Named {
    fn add(&mut self, function: &Function) {
        self.kernel |= function.space == Space::Kernel;
        self.device |= matches!(function.space, Space::Device | Space::Both);
        self.plain |= function.space == Space::Host;
        self.unclear |= function.unclear;
        self.first.get_or_insert(function.name);
    }
}

/// The macros of a source.
struct Macros<'a> {
    /// Those that take arguments.
    functions: HashSet<&'a [u8]>,
    /// Each of the others, with what stands for it.
    texts: HashMap<&'a [u8], &'a [u8]>,
}

impl<'a> Macros<'a> {
    /// `all` has its directives.
    fn of(all: &'a [u8]) -> Macros<'a> {
        let mut macros = Macros { functions: HashSet::new(), texts: HashMap::new() };
        for directive in directives(all) {
            if &all[directive.word.clone()] != b"define" {
                continue;
            }
            let rest = &all[directive.rest()];
            let Some(start) = rest.iter().position(|byte| is_word(*byte)) else { continue };
            let end = start + rest[start..].iter().take_while(|byte| is_word(**byte)).count();
            match rest.get(end) {
                Some(b'(') => {
                    macros.functions.insert(&rest[start..end]);
                }
                _ => {
                    macros.texts.insert(&rest[start..end], &rest[end..]);
                }
            }
        }
        macros
    }
}

/// What stands between `#if` and its end.
fn conditional(all: &[u8]) -> Vec<Range<usize>> {
    let mut open = Vec::new();
    let mut found = Vec::new();
    for directive in directives(all) {
        let (word, range) = (&all[directive.word.clone()], directive.rest());
        if word.starts_with(b"if") {
            open.push(range.start);
        } else if word == b"endif"
            && let Some(start) = open.pop()
            && open.is_empty()
        {
            found.push(start..range.end);
        }
    }
    found.extend(open.first().map(|start| *start..all.len()));
    found
}

/// Words, and every other byte that is no space.
fn tokens(code: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let length = code[at..].iter().take_while(|byte| is_word(**byte)).count();
        if length > 0 || !code[at].is_ascii_whitespace() {
            found.push(at..at + length.max(1));
        }
        at += length.max(1);
    }
    found
}

struct Text<'a> {
    code: &'a [u8],
    tokens: &'a [Range<usize>],
}

impl<'a> Text<'a> {
    /// A token; empty behind the last.
    fn word(&self, at: usize) -> &'a [u8] {
        self.tokens.get(at).map_or(&[], |range| &self.code[range.clone()])
    }

    fn is(&self, at: usize, text: &[u8]) -> bool {
        self.word(at) == text
    }

    fn is_name(&self, at: usize) -> bool {
        self.word(at).first().is_some_and(|byte| is_word(*byte) && !byte.is_ascii_digit())
    }

    /// The token that closes a bracket; `None` where none does.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in open..self.tokens.len() {
            match self.word(at) {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The token behind `<…>`; `None` where it is no list of template arguments.
    fn behind_arguments(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in open..self.tokens.len() {
            match self.word(at) {
                b"<" => depth += 1,
                b">" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                b"," | b":" | b"*" | b"&" => {}
                word if is_word(word[0]) => {}
                _ => return None,
            }
        }
        None
    }

    /// The functions of namespaces; `None` where the text can't be followed.
    fn functions(&self, macros: &Macros) -> Option<Vec<Function>> {
        let mut found = Vec::new();
        let (mut head, mut at, mut depth) = (0, 0, 0usize);
        while at < self.tokens.len() {
            match self.word(at) {
                b";" => {
                    found.extend(self.function(head..at, None, macros));
                    head = at + 1;
                }
                b"}" => {
                    depth = depth.checked_sub(1)?;
                    head = at + 1;
                }
                b"(" | b"[" => at = self.closing(at)?,
                b"{" => {
                    let close = self.closing(at)?;
                    let has = |word: &[u8]| (head..at).any(|n| self.is(n, word));
                    if let Some(function) = self.function(head..at, Some(at..close), macros) {
                        found.push(function);
                        at = close;
                        head = at + 1;
                    } else if has(b"namespace") || at == head + 1 && self.is(head, b"extern") {
                        depth += 1;
                        head = at + 1;
                    } else {
                        // A class, a list of values, a lambda: its declaration goes on.
                        at = close;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        (depth == 0).then_some(found)
    }

    /// The function that a declaration is of.
    fn function(&self, head: Range<usize>, body: Option<Range<usize>>, macros: &Macros) -> Option<Function> {
        let mut at = head.start;
        let mut template = None;
        let (mut kernel, mut device, mut host, mut unclear) = (false, false, false, false);
        while at < head.end {
            let word = self.word(at);
            match word {
                b"typedef" | b"using" | b"class" | b"struct" | b"union" | b"enum" | b"=" | b"operator"
                    if !(matches!(word, b"struct" | b"class" | b"union" | b"enum")
                        && self.is_name(at + 2)) =>
                {
                    return None;
                }
                b"template" if self.is(at + 1, b"<") => {
                    // Its parameters may have any default.
                    let mut depth = 0usize;
                    let close = (at + 1..head.end).find(|&n| {
                        match self.word(n) {
                            b"<" => depth += 1,
                            b">" => depth -= 1,
                            _ => {}
                        }
                        depth == 0
                    })?;
                    template = Some(close);
                    at = close;
                }
                b"__global__" => kernel = true,
                b"__device__" => device = true,
                b"__host__" => host = true,
                b"constexpr" | b"consteval" | b"auto" | b"friend" => unclear = true,
                b"__launch_bounds__" | b"__attribute__" | b"__cluster_dims__" | b"alignas" | b"__align__"
                | b"decltype" | b"__declspec"
                    if self.is(at + 1, b"(") =>
                {
                    at = self.closing(at + 1)?;
                }
                _ if self.is_name(at) => {
                    let text = macros.texts.get(word).copied().unwrap_or_default();
                    let says = |what: &[u8]| super::find(text, 0, what).is_some();
                    kernel |= says(b"__global__");
                    device |= says(b"__device__");
                    host |= says(b"__host__");
                    let odd = word.to_ascii_lowercase();
                    unclear |= says(b"constexpr") || super::find(&odd, 0, b"device").is_some();
                    unclear |= macros.functions.contains(word);
                    let opens = if self.is(at + 1, b"(") {
                        Some(at + 1)
                    } else {
                        // Of a specialisation.
                        let arguments =
                            self.is(at + 1, b"<").then(|| self.behind_arguments(at + 1)).flatten();
                        arguments.filter(|&behind| self.is(behind, b"("))
                    };
                    if let Some(open) = opens {
                        let close = self.closing(open).filter(|close| *close < head.end)?;
                        // A name with a type before it; not of a class.
                        let before = at.checked_sub(1).filter(|before| *before >= head.start)?;
                        if self.is(before, b":") || self.is(before, b"~") || template == Some(before) {
                            return None;
                        }
                        let known = |n: usize| {
                            matches!(self.word(n), b"const" | b"noexcept" | b"->" | b"-" | b">")
                                || self.is_name(n)
                        };
                        if body.is_some() && !(close + 1..head.end).all(known) {
                            return None;
                        }
                        let space = match (kernel, device, host) {
                            (true, ..) => Space::Kernel,
                            (_, true, true) => Space::Both,
                            (_, true, false) => Space::Device,
                            _ => Space::Host,
                        };
                        return Some(Function { name: at, space, unclear, parameters: open, body });
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Whether a name is called: it has a bracket behind it, and is no member.
    fn is_call(&self, at: usize) -> bool {
        let behind = match self.word(at + 1) {
            b"(" => Some(at + 1),
            // A launch has its own brackets.
            b"<" if !self.is(at + 2, b"<") => self.behind_arguments(at + 1).filter(|n| self.is(*n, b"(")),
            _ => None,
        };
        let Some(before) = at.checked_sub(1).filter(|_| behind.is_some()) else { return false };
        match self.word(before) {
            b"." | b":" | b"&" | b"~" => false,
            b">" => !self.is(before.wrapping_sub(1), b"-"),
            _ => true,
        }
    }

    /// Whether the caller has something else of that name: a parameter, a variable, a lambda.
    fn is_declared(&self, caller: &Function, at: usize) -> bool {
        let name = self.word(at);
        (caller.parameters..=at).filter(|&n| self.is(n, name)).any(|n| {
            let before = self.word(n - 1);
            let typed = self.is_name(n - 1)
                && !matches!(
                    before,
                    b"return" | b"else" | b"do" | b"case" | b"throw" | b"goto" | b"and" | b"or" | b"not"
                );
            let pointer =
                matches!(before, b"*" | b"&" | b">") && !self.is(n + 1, b"(") && !self.is(n + 1, b"<");
            typed || pointer
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        let all = misplaced_calls(source, "a.cu");
        all.into_iter().map(|d| format!("{}:{}: {}", d.line, d.column, d.message)).collect()
    }

    #[test]
    fn a_kernel_is_not_called() {
        let source = "__global__ void scale(float *x, int n) { if (n) x[0] = 1; }\n\
            template <typename T> __global__ void __launch_bounds__(256) fill(T *x) {}\n\
            void run(float *x) {\n  scale(x, 4);\n  scale<<<1, 4>>>(x, 4);\n\
              fill<float><<<1, 4>>>(x); fill<float>(x);\n}\n";
        let told = |name: &str| {
            format!(
                "a kernel is launched, not called: \"{name}\" needs <<<blocks, threads>>> before its arguments"
            )
        };
        assert_eq!(found(source), [format!("4:3: {}", told("scale")), format!("6:27: {}", told("fill"))]);
    }

    #[test]
    fn a_kernel_calls_no_function_of_the_host() {
        let source = "#include <cmath>\nfloat twice(float x) { return 2 * x; }\nnamespace a {\n\
            __device__ int half(int i) { return i / 2 + (int)twice(i); }\n}\n\
            __global__ void k(float *x) { x[a::half(2)] = 1 + twice(x[0]) + sqrtf(2); }\n\
            int main() { float *x; printf(\"%g\", twice(3)); k<<<1, 1>>>(x); }\n";
        assert_eq!(
            found(source),
            [
                "4:50: \"twice\" is a function for the host, and the device function \"half\" calls it: line 2 lacks __device__",
                "6:51: \"twice\" is a function for the host, and the kernel \"k\" calls it: line 2 lacks __device__",
            ]
        );
    }

    #[test]
    fn what_nvcc_accepts_is_not_told() {
        for functions in [
            "__device__ int f(int i) { return i; }",
            "__host__ __device__ inline int f(int i) { return i; }",
            "__device__ int f(int);\nint f(int i) { return i; }",
            "constexpr int f(int i) { return i; }",
            "#define HD __host__ __device__\nHD int f(int i) { return i; }",
            "int f(double);\n__device__ int f(int i) { return i; }",
            "#define f(i) ((i) + 1)\nint f2(int i) { return f(i); }",
            "struct S { int f(int i) { return i; } __device__ int g(int i) { return i; } };",
            "namespace n { struct f { __device__ f(int) {} operator int() const { return 1; } }; }\nusing n::f;",
            "THRUST_HOST_DEVICE int f(int i) { return i; }",
            "auto f = [] __device__ (int i) { return i; };",
            "#ifdef X\nint f(int i) {\n#else\n__device__ int f(int i) {\n#endif\nreturn i; }",
            "__constant__ int table[] = {1, 2}; template <int N = (3 > 2)> __device__ int f(int i) { return i; }",
        ] {
            let source =
                format!("{functions}\n__global__ void k(int *x) {{ x[0] = f(1); }}\nint main() {{}}\n");
            assert_eq!(found(&source), [""; 0], "{source}");
        }
        for body in [
            "auto f = [](int i) { return i; }; x[0] = f(1);",
            "int (*f)(int) = g; x[0] = f(1);",
            "S s; x[0] = s.f(1) + S::f(2) + p->f(3);",
            "F f(1); x[0] = f(2);",
            "x[0] = (int)sizeof(f);",
            "\n#ifndef __CUDA_ARCH__\nf(1);\n#endif\n",
            "// f(1)\nprintf(\"f(1)\");",
        ] {
            let source = format!("int f(int i) {{ return i; }}\n__global__ void k(int *x) {{ {body} }}\n");
            assert_eq!(found(&source), [""; 0], "{source}");
        }
        let both = "int f(int i) { return i; }\n__host__ __device__ int g(int i) { return f(i); }\n\
            __global__ void k() {}\nvoid run(void (*k)()) { k(); }\nvoid go() { auto p = k; p(); Timer k(3); k(); }";
        assert_eq!(found(both), [""; 0]);
    }

    #[test]
    fn odd_text_does_no_harm() {
        for text in [
            "",
            "{",
            "}",
            "(",
            "f(",
            "void f(",
            "template <",
            "void f() {",
            "#define",
            "#define f(",
            "#",
            "é(é)",
            "<",
            "void k<",
            "f()",
            "; f();",
            "= {",
            "namespace {",
            "extern {",
            "#if\n",
            "#endif",
            "x < y > (",
            "operator (",
        ] {
            misplaced_calls(&format!("__global__ {text}"), "a.cu");
            misplaced_calls(&format!("__global__ void k() {{ {text} }} {text}"), "a.cu");
        }
    }
}
