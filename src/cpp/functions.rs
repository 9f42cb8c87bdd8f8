//! The functions of a source: their execution spaces, parameters and bodies.

use super::Source;
use super::macros::Macros;
use super::tokens::Tokens;
use super::words::find;
use std::collections::BTreeSet;
use std::ops::Range;

/// Execution space: where a function may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Kernel,
    Device,
    Host,
    Both,
}

/// A function declaration or definition.
#[derive(Debug)]
pub struct Function {
    /// The token of its name.
    pub name: usize,
    pub space: Space,
    /// Whether it is a function at namespace scope that can be called by its name alone. Members, lambdas and
    /// functions that macros declare are not free; they are found only if they have a body.
    pub is_free: bool,
    /// Whether its execution space is uncertain: because of a macro that is not understood, or of
    /// `constexpr`, which nvcc can be told to accept.
    pub has_unclear_space: bool,
    /// Tokens from the opening parenthesis of its parameters up to, but excluding, the closing one.
    pub parameters: Range<usize>,
    /// Tokens from the opening brace of its body up to, but excluding, the closing one.
    pub body: Option<Range<usize>>,
}

/// The functions of a source, in order.
#[derive(Debug)]
pub(super) struct Functions {
    pub list: Vec<Function>,
    /// Whether all brackets are balanced, so that nothing was guessed.
    pub is_balanced: bool,
}

impl Functions {
    /// Collects the functions, descending into namespaces and classes but not into bodies.
    pub fn of(tokens: &Tokens, macros: &Macros) -> Functions {
        let heads = Heads { tokens, macros };
        let mut found = Functions { list: Vec::new(), is_balanced: true };
        // For each open brace: whether it is that of a class; the others are those of namespaces.
        let mut open: Vec<bool> = Vec::new();
        let mut classes = 0usize;
        let (mut head, mut at) = (0, 0);
        while at < tokens.count() {
            match tokens.word(at) {
                b";" => {
                    if classes == 0 {
                        found.list.extend(heads.declared(head..at, None));
                    }
                    head = at + 1;
                }
                b"}" => {
                    let closed = open.pop();
                    found.is_balanced &= closed.is_some();
                    classes -= usize::from(closed == Some(true));
                    head = at + 1;
                }
                b"(" | b"[" => match tokens.partner(at) {
                    Some(close) => at = close,
                    None => found.is_balanced = false,
                },
                b"{" => {
                    let close = tokens.partner(at);
                    found.is_balanced &= close.is_some();
                    let body = || Some(at..close.unwrap_or(tokens.count()));
                    let has = |words: &[&[u8]]| (head..at).any(|n| words.contains(&tokens.word(n)));
                    let declared = match classes {
                        0 => heads.declared(head..at, body()),
                        _ => None,
                    };
                    if let Some(function) = declared.or_else(|| heads.written(head..at, body())) {
                        found.list.push(function);
                        // If nothing closes the brace, there may be further functions after it.
                        at = close.unwrap_or(at);
                    } else if has(&[b"namespace"]) || at == head + 1 && tokens.is(head, b"extern") {
                        open.push(false);
                    } else if has(&[b"class", b"struct", b"union"]) && !has(&[b"="]) {
                        open.push(true);
                        classes += 1;
                    } else {
                        // An initialiser list or an enumeration.
                        at = close.unwrap_or(at);
                    }
                    head = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        found.is_balanced &= open.is_empty();
        found
    }
}

/// Parses the tokens that precede a body or a semicolon.
pub(super) struct Heads<'a> {
    pub tokens: &'a Tokens,
    pub macros: &'a Macros,
}

impl Heads<'_> {
    /// Returns the function at namespace scope that a declaration declares.
    fn declared(&self, head: Range<usize>, body: Option<Range<usize>>) -> Option<Function> {
        let tokens = self.tokens;
        let mut template = None;
        let mut at = head.start;
        while at < head.end {
            match tokens.word(at) {
                word @ (b"typedef" | b"using" | b"class" | b"struct" | b"union" | b"enum" | b"="
                | b"operator")
                    // `struct S f(…)` declares a function.
                    if !(matches!(word, b"struct" | b"class" | b"union" | b"enum")
                        && tokens.is_name(at + 2)) =>
                {
                    return None;
                }
                b"template" if tokens.is(at + 1, b"<") => {
                    // Template parameters may have any default.
                    let mut depth = 0usize;
                    at = (at + 1..head.end).find(|&n| {
                        match tokens.word(n) {
                            b"<" => depth += 1,
                            b">" => depth = depth.saturating_sub(1),
                            _ => {}
                        }
                        depth == 0
                    })?;
                    template = Some(at);
                }
                _ if is_attribute(tokens, at) => at = tokens.partner(at + 1)?,
                _ if tokens.is_name(at) => {
                    if let Some(open) = self.opening(at) {
                        let close = tokens.partner(open).filter(|close| *close < head.end)?;
                        // A name after a type, not qualified by a class.
                        let before = at.checked_sub(1).filter(|before| *before >= head.start)?;
                        let typed = tokens.is_name(before) || matches!(tokens.word(before), b"*" | b"&" | b">" | b")");
                        if !typed || template == Some(before) {
                            return None;
                        }
                        if body.is_some() && !self.is_tail(close + 1..head.end) {
                            return None;
                        }
                        return Some(self.function(head.start, at, open..close, body, true));
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Returns a function with a body: the last parentheses before the body, or before the initialisers of a
    /// constructor, are those of its parameters.
    fn written(&self, head: Range<usize>, body: Option<Range<usize>>) -> Option<Function> {
        const NONE: [&[u8]; 6] = [b"if", b"for", b"while", b"switch", b"catch", b"sizeof"];
        let tokens = self.tokens;
        // A constructor's initialisers follow its parameters.
        let initialises =
            |n: &usize| tokens.is(*n, b":") && matches!(tokens.before(*n, 1), b")" | b"noexcept");
        let head = match head.clone().find(initialises) {
            Some(colon) if tokens.is(head.end - 1, b")") => head.start..colon,
            _ => head,
        };
        let behind = |n: &usize| matches!(tokens.word(*n), b"const" | b"noexcept" | b"override" | b"final");
        let close = head.clone().rev().find(|n| !behind(n)).filter(|n| tokens.is(*n, b")"))?;
        let open = tokens.partner(close).filter(|open| *open >= head.start)?;
        let name = (head.start..open).rev().find(|n| tokens.is_name(*n))?;
        let is_one = !NONE.contains(&tokens.word(name));
        is_one.then(|| self.function(head.start, name, open..close, body, false))
    }

    pub fn function(
        &self,
        head: usize,
        name: usize,
        parameters: Range<usize>,
        body: Option<Range<usize>>,
        is_free: bool,
    ) -> Function {
        let marks = |mark: &[u8]| {
            let mut words = (head..=name).map(|n| self.tokens.word(n));
            words.any(|word| word == mark || self.macros.says(word, mark))
        };
        let space = match (marks(b"__global__"), marks(b"__device__"), marks(b"__host__")) {
            (true, ..) => Space::Kernel,
            (_, true, true) => Space::Both,
            (_, true, false) => Space::Device,
            _ => Space::Host,
        };
        let unclear = |n: usize| {
            let word = self.tokens.word(n);
            // A macro of a header, such as THRUST_HOST_DEVICE.
            let odd = find(&word.to_ascii_lowercase(), 0, b"device").is_some() && word != b"__device__";
            odd || matches!(word, b"constexpr" | b"consteval" | b"auto" | b"friend")
                || self.macros.says(word, b"constexpr")
                || self.macros.takes_arguments(word)
        };
        Function { name, space, is_free, has_unclear_space: (head..=name).any(unclear), parameters, body }
    }

    /// Returns the parenthesis after a name or after the name of a template specialisation.
    fn opening(&self, name: usize) -> Option<usize> {
        let behind = match self.tokens.word(name + 1) {
            b"<" => self.tokens.after_template_arguments(name + 1)?,
            _ => name + 1,
        };
        self.tokens.is(behind, b"(").then_some(behind)
    }

    /// Returns whether tokens may stand between the parameters and the body.
    fn is_tail(&self, range: Range<usize>) -> bool {
        let mut at = range.start;
        while at < range.end {
            if is_attribute(self.tokens, at) {
                let Some(close) = self.tokens.partner(at + 1) else { return false };
                at = close;
            } else if !matches!(self.tokens.word(at), b"-" | b">") && !self.tokens.is_name(at) {
                return false;
            }
            at += 1;
        }
        true
    }
}

/// Returns whether an attribute with parentheses begins at a token.
fn is_attribute(tokens: &Tokens, at: usize) -> bool {
    const WORDS: [&[u8]; 7] = [
        b"__launch_bounds__",
        b"__attribute__",
        b"__cluster_dims__",
        b"alignas",
        b"__align__",
        b"decltype",
        b"__declspec",
    ];
    WORDS.contains(&tokens.word(at)) && tokens.is(at + 1, b"(")
}

impl Source<'_> {
    /// Returns the declared and defined functions, in order; `None` if the text cannot be parsed reliably.
    pub fn functions(&self) -> Option<&[Function]> {
        let functions = self.all_functions();
        functions.is_balanced.then_some(&functions.list)
    }

    /// Returns the kernels that have a body.
    pub fn kernels(&self) -> impl Iterator<Item = &Function> {
        self.defined_functions().map(|(function, _)| function).filter(|f| f.space == Space::Kernel)
    }

    /// Returns the name of a function: `operator+` for an operator.
    pub fn name_of(&self, function: &Function) -> String {
        let tokens = self.tokens();
        let name = tokens.text_of(function.name);
        if name != "operator" {
            return name;
        }
        let symbol = tokens.text(function.name + 1..function.parameters.start);
        name + if symbol.is_empty() { "()".into() } else { String::from_utf8_lossy(symbol) }.as_ref()
    }

    /// Returns the text between the parentheses of a function's parameters.
    pub fn parameters_of(&self, function: &Function) -> String {
        let Range { start, end } = function.parameters;
        String::from_utf8_lossy(self.tokens().text(start + 1..end)).into_owned()
    }

    /// Returns the name of the kernel that contains a line.
    pub fn kernel_around(&self, line: u32) -> Option<String> {
        Some(self.name_of(self.kernel(line)?))
    }

    /// Returns the lines of a function's body.
    pub fn body_lines(&self, function: &Function) -> Option<Range<u32>> {
        Some(self.lines_of(function.body.as_ref()?))
    }

    /// Returns the class whose destructor contains a line.
    pub fn destructor_around(&self, line: u32) -> Option<String> {
        let mut all = self.defined_functions();
        let (function, _) = all.find(|(_, body)| self.lines_of(body).contains(&line))?;
        (self.tokens().before(function.name, 1) == b"~").then(|| self.name_of(function))
    }

    /// Returns the name of the function that contains a line.
    pub fn function_around(&self, line: u32) -> Option<String> {
        let mut all = self.defined_functions();
        let (function, _) = all.find(|(_, body)| self.lines_of(body).contains(&line))?;
        Some(self.name_of(function))
    }

    /// Returns the lines of the body of the kernel that contains a line.
    pub fn kernel_lines(&self, line: u32) -> Option<Range<u32>> {
        Some(self.lines_of(self.kernel(line)?.body.as_ref()?))
    }

    /// Returns the kernel that contains a line.
    pub fn kernel(&self, line: u32) -> Option<&Function> {
        self.kernels().find(|kernel| kernel.body.as_ref().is_some_and(|b| self.lines_of(b).contains(&line)))
    }

    /// Returns whether two lines are in one function, so that their order is known.
    pub fn in_one_function(&self, a: u32, b: u32) -> bool {
        let mut bodies = self.defined_functions().map(|(_, body)| self.lines_of(body));
        bodies.any(|body| body.contains(&a) && body.contains(&b))
    }

    /// Returns the lines of the functions that contain a line, and of all functions that they may call: those whose
    /// names they use, and so on. `None` for a line outside functions.
    pub fn lines_reached(&self, line: u32) -> Option<Vec<Range<u32>>> {
        let tokens = self.tokens();
        let (mut reached, mut rest): (Vec<_>, Vec<_>) =
            self.defined_functions().partition(|(_, body)| self.lines_of(body).contains(&line));
        let mut next = 0;
        while let Some((_, body)) = reached.get(next) {
            let names: BTreeSet<&[u8]> = Range::clone(body).map(|at| tokens.word(at)).collect();
            let (used, unused) = rest.into_iter().partition(|(f, _)| names.contains(tokens.word(f.name)));
            rest = unused;
            reached.extend::<Vec<_>>(used);
            next += 1;
        }
        (!reached.is_empty()).then(|| reached.into_iter().map(|(_, body)| self.lines_of(body)).collect())
    }

    /// Returns the functions that have a body, with it.
    pub(super) fn defined_functions(&self) -> impl Iterator<Item = (&Function, &Range<usize>)> {
        self.all_functions().list.iter().filter_map(|f| Some((f, f.body.as_ref()?)))
    }

    /// Returns the lines of a body, including those of its braces.
    pub(super) fn lines_of(&self, body: &Range<usize>) -> Range<u32> {
        self.tokens().line(body.start)..self.tokens().line(body.end) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destructor_is_its_class_s() {
        let source = "struct Buffer {\n    Buffer() {\n    }\n    ~Buffer() {\n        cudaFree(p);\n    }\n};\n\
                      Other::~Other() {\n}\n";
        let source = Source::new(source);
        let classes: Vec<Option<String>> = [2, 5, 8].map(|line| source.destructor_around(line)).into();
        assert_eq!(classes, [None, Some("Buffer".into()), Some("Other".into())]);
    }

    #[test]
    fn kernels_are_known_by_their_names() {
        let source = "#define KERNEL(name) __global__ void name(int *p) { \\
    p[0] = 1; }
__global__ void declared(int *p);
template <int N> __global__ void __launch_bounds__(N * 2) first(int *p)
{
    p[0] = 1;
}
template <> __global__ void second<float>(int *p) {
    if (p) { p[1] = 1; }
}
__device__ int helper(int x) {
    return x;
}
#if 0
__global__ void dead(int *p) {
    p[2] = 1;
}
#endif
";
        let cpp = Source::new(source);
        let names = [2, 6, 9, 12, 16].map(|line| cpp.kernel_around(line));
        assert_eq!(names, [None, Some("first".into()), Some("second".into()), None, None]);
        assert!(cpp.in_one_function(6, 7) && cpp.in_one_function(12, 11));
        assert!(!cpp.in_one_function(6, 9) && !cpp.in_one_function(6, 12) && !cpp.in_one_function(1, 99));
    }

    #[test]
    fn the_kernel_around_a_line_is_found_with_its_barriers() {
        let source = "__global__ void __launch_bounds__(8, 2) f(int *a,
        int n) {
    __syncthreads();
}
__device__ int g() { return 1; }
template <int N> __global__ void h() { x(); }
__global__ void later();
";
        let cpp = Source::new(source);
        let around = [1, 2, 3, 4, 5, 6].map(|line| cpp.kernel_around(line));
        let name = |name: &str| Some(name.to_string());
        assert_eq!(around, [None, name("f"), name("f"), name("f"), None, name("h")]);
        assert_eq!((cpp.kernel_lines(3), cpp.barriers()), (Some(2..5), vec![3]));
        let parameters: Vec<String> = cpp.kernels().map(|kernel| cpp.parameters_of(kernel)).collect();
        assert_eq!(parameters, ["int *a,\n        int n", ""]);
    }

    #[test]
    fn functions_are_told_apart() {
        let source = "namespace a { inline namespace b { int plain(int); } }
extern \"C\" { __device__ float half(float x) { return x / 2; } }
struct S : T {
    S(int n) : n(n) {}
    __host__ __device__ int member() const { return n; }
    enum E { A, B };
    int n;
};
int S::other() { return 1; }
int table[] = {1, f(2)}, last = S{1}.g(2);
auto lambda = [](int i) { return i; };
#define HD __host__ __device__
HD void both() {}
enum class Kind { One };
MADE(by_a_macro) { return 0; }
struct S made(int);
__global__ void late(int *p) __launch_bounds__(32) { }
";
        let cpp = Source::new(source);
        let listed: Vec<(String, Space, bool)> =
            cpp.functions().unwrap().iter().map(|f| (cpp.name_of(f), f.space, f.is_free)).collect();
        let listed: Vec<(&str, Space, bool)> =
            listed.iter().map(|(name, space, free)| (name.as_str(), *space, *free)).collect();
        assert_eq!(
            listed,
            [
                ("plain", Space::Host, true),
                ("half", Space::Device, true),
                ("S", Space::Host, false),
                ("member", Space::Both, false),
                ("other", Space::Host, false),
                ("lambda", Space::Host, false),
                ("both", Space::Both, true),
                ("MADE", Space::Host, false),
                ("made", Space::Host, true),
                ("late", Space::Kernel, true),
            ]
        );
    }

    #[test]
    fn a_kernel_reaches_the_functions_that_it_names() {
        let source = "__device__ void inner() {}
__device__ void outer() { inner(); }
__global__ void one() {
    outer();
}
__global__ void other() { }
";
        let cpp = Source::new(source);
        assert_eq!(cpp.lines_reached(4), Some(vec![3..6, 2..3, 1..2]));
        assert!(cpp.lines_reached(6).is_some_and(|lines| lines.into_iter().flatten().eq(6..7)));
        assert_eq!(cpp.lines_reached(9), None);
    }

    #[test]
    fn what_cannot_be_followed_is_told_so() {
        for text in ["void f() {", "}", "void f(", "namespace {", "struct S {"] {
            assert!(Source::new(text).functions().is_none(), "{text}");
        }
        // Yet functions after the error are found.
        let cpp = Source::new("void f() {\nif (x) {\n__global__ void k() {\n}\n");
        assert_eq!(cpp.kernel_around(3), Some("k".into()));
    }
}
