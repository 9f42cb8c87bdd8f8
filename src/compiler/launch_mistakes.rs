//! Detects calls between host and device code that nvcc rejects. NVRTC compiles every function for the
//! device, so it accepts a kernel that is called like a function, a kernel that calls a function without
//! `__device__`, and a `main` that calls a device function; but a file should also compile elsewhere.
//!
//! Works on the source text: functions in namespaces, identified by name, and constructors and static members of
//! classes. Unclear cases (other members, macros, conditional lines, ambiguous names) are not reported.

use super::headers::HeaderSet;
use super::member_calls::member_calls;
use super::wrong_space::{device_function_called, host_function_called, kernel_called, on_device};
use super::{Diagnostic, Subject};
use cpp::{Function, Launch, Scope, Source, Space, Tokens, is_name_char, uses};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Names in `std` that the C++ library provides for the host only: containers, streams, and functions that
/// are not `constexpr` in C++17 (`constexpr` functions nvcc can be told to accept).
const HOST_ONLY_NAMES: [&[u8]; 19] = [
    b"accumulate",
    b"cerr",
    b"cout",
    b"deque",
    b"fill",
    b"iota",
    b"list",
    b"map",
    b"reverse",
    b"set",
    b"sort",
    b"stable_sort",
    b"string",
    b"stringstream",
    b"swap",
    b"to_string",
    b"unordered_map",
    b"unordered_set",
    b"vector",
];

/// Maximum number of calls reported.
const MOST: usize = 8;

/// Returns the calls of a source that nvcc rejects, in order, as errors in the file named `file_name`.
pub fn misplaced_calls(source: &str, file_name: &str) -> Vec<Diagnostic> {
    if !["__global__", "__device__"].iter().any(|space| source.contains(space)) {
        return Vec::new();
    }
    let source = Source::new(source);
    let tokens = source.tokens();
    let Some(functions) = source.functions() else { return Vec::new() };
    let (named, namespaces) = (named(tokens, functions), namespaces(tokens));
    let describe = |(at, (subject, said)): (usize, (Subject, String))| {
        Diagnostic::error(file_name, source.place_of(at), said).about(subject)
    };
    let of_members = member_calls(&source).into_iter().filter(|(at, _)| !is_unevaluated(tokens, *at));
    let found: Vec<Diagnostic> = of_members.take(MOST).map(describe).collect();
    if !found.is_empty() {
        return found;
    }
    let callers = functions.iter().filter(|function| function.is_free);
    let calls =
        callers.filter_map(|caller| Some((caller, caller.body.clone()?))).flat_map(|(caller, body)| {
            let declared = declared(tokens, caller.parameters.start..body.end);
            body.map(move |at| (caller, declared.get(tokens.word(at)).is_some_and(|first| *first <= at), at))
        });
    let wrong_at = |(caller, is_own, at): (&Function, bool, usize)| {
        let name = tokens.word(at);
        let on_device = matches!(caller.space, Space::Kernel | Space::Device) && !caller.has_unclear_space;
        if on_device && is_of_the_host(tokens, at) && !source.is_conditional(at) {
            return Some((at - 3, host_library_used(caller, at, &source)));
        }
        let callee = named.get(name)?;
        let one_value = callee.kernel && has_one_value(tokens, at);
        let is_unclear = is_own || source.is_macro_with_arguments(name) || source.is_conditional(at);
        if is_unclear || !one_value && !is_call(tokens, at, &namespaces) {
            return None;
        }
        match one_value {
            true => Some((at, (Subject::LaunchOfOneValue, ONE_VALUE.to_owned()))),
            false => Some((at, wrong(caller, callee, &source, at)?)),
        }
    };
    calls.filter_map(wrong_at).take(MOST).map(describe).collect()
}

/// Returns the launches of a source's own functions that are not kernels, in order, as errors in the file
/// named `file_name`. Only meaningful after the compiler has rejected such a launch, for which it gives no
/// location; otherwise the function may be a kernel by means of a macro.
pub fn launched_functions(source: &str, file_name: &str) -> Vec<Diagnostic> {
    let source = Source::new(source);
    let tokens = source.tokens();
    let named = source.functions().map(|functions| named(tokens, functions)).unwrap_or_default();
    let describe = |launch: Launch| {
        let open = launch.kernel.end;
        let is_template =
            |at: usize| tokens.is(at, b"<") && tokens.after_template_arguments(at) == Some(open);
        let at = launch.kernel.clone().find(|at| at + 1 == open || is_template(at + 1))?;
        let its = named.get(tokens.word(at)).filter(|its| !its.kernel && !its.unclear)?;
        let (function, declared) = (tokens.text_of(at), tokens.line(its.first?));
        let said = format!(
            "only kernels can be launched, and \"{function}\" is not one: line {declared} lacks __global__"
        );
        let subject = Subject::FunctionLaunched { function, declared };
        Some(Diagnostic::error(file_name, source.place_of(at), said).about(subject))
    };
    tokens.launches().filter_map(describe).take(MOST).collect()
}

/// Returns the functions in namespaces, by name.
fn named<'a>(tokens: &'a Tokens, functions: &[Function]) -> HashMap<&'a [u8], Named> {
    let mut named: HashMap<&[u8], Named> = HashMap::new();
    for function in functions.iter().filter(|function| function.is_free) {
        named.entry(tokens.word(function.name)).or_default().add(function);
    }
    named
}

const ONE_VALUE: &str = "a launch needs at least two values: <<<blocks, threads>>>";

/// Returns whether a name belongs to the host-only part of the C++ library, as in `std::vector<int>`.
fn is_of_the_host(tokens: &Tokens, at: usize) -> bool {
    let before = |by| tokens.before(at, by);
    HOST_ONLY_NAMES.contains(&tokens.word(at))
        && (before(1), before(2), before(3)) == (b":", b":", b"std")
        && before(4) != b":"
}

/// Returns the subject and the message where `caller`, device code, uses such a name.
fn host_library_used(caller: &Function, at: usize, source: &Source) -> (Subject, String) {
    let name = source.tokens().text_of(at);
    let said = format!("std::{name} is for the host, but {} uses it", on_device(source, caller));
    (Subject::HostLibraryUsed { name }, said)
}

/// Returns whether a name is followed by a launch with only one value between its brackets.
fn has_one_value(tokens: &Tokens, name: usize) -> bool {
    let values = tokens.launch(name + 1).map(|its| its.configuration());
    values.is_some_and(|values| {
        !values.is_empty() && tokens.comma_separated(values).is_some_and(|all| all.len() == 1)
    })
}

/// Returns whether a name is in an unevaluated operand: `decltype(f(1))`.
fn is_unevaluated(tokens: &Tokens, at: usize) -> bool {
    let before = |by| tokens.before(at, by);
    before(1) == b"(" && matches!(before(2), b"decltype" | b"sizeof" | b"noexcept" | b"alignof")
}

/// Returns whether one of the headers for programs declares a function of this name outside classes, so that
/// host code may mean that one: argument-dependent lookup finds the C++ library's functions without `std::`.
fn is_of_headers(name: &str) -> bool {
    // Declared: after a type in a line that is not indented, or at the beginning of a line. Elsewhere it is
    // called.
    let is_declared = |before: &str| {
        let words = before.trim_end_matches([' ', '*', '&']);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let last = words.rsplit(|c| !is_name_char(c)).next().unwrap_or_default();
        let typed = words.len() < before.len() && !matches!(last, "return" | "else" | "case");
        line.is_empty()
            || typed && !line.starts_with([' ', '#']) && words.ends_with(|c| is_name_char(c) || c == '>')
    };
    let is_function = |(before, behind): (&str, &str)| behind.starts_with('(') && is_declared(before);
    let declares = |text: &str| uses(text, name).any(is_function);
    // The compiler itself provides these.
    matches!(name, "max" | "min") || HeaderSet::Programs.all().any(|(_, text)| declares(text))
}

/// Returns the subject and the message for a call, if the call is wrong.
fn wrong(caller: &Function, callee: &Named, source: &Source, at: usize) -> Option<(Subject, String)> {
    let tokens = source.tokens();
    let function = tokens.text_of(at);
    if callee.kernel && !callee.plain && !callee.device {
        return Some(kernel_called(function));
    }
    if callee.kernel || callee.unclear {
        return None;
    }
    let declared = tokens.line(callee.first?);
    if is_unevaluated(tokens, at) {
        return None;
    }
    if caller.space == Space::Host {
        let on_device = callee.device && !callee.both && !callee.plain;
        let by_host = !caller.has_unclear_space && source.scope(at) == Scope::Function(Space::Host);
        // Without a namespace before it, the name may refer to another function.
        let is_qualified = at.checked_sub(1).is_some_and(|before| tokens.is(before, b":"));
        let is_plain = is_qualified
            || callee
                .first
                .is_some_and(|first| !source.braces_around(first).any(|at| source.opens_namespace(at)));
        let is_own = on_device && by_host && is_plain && !is_of_headers(&function);
        return is_own.then(|| device_function_called(function, &tokens.text_of(caller.name), declared));
    }
    if !callee.plain || callee.device || caller.space == Space::Both {
        return None;
    }
    Some(host_function_called(function, &on_device(source, caller), declared))
}

/// All functions with the same name.
#[derive(Debug, Default)]
struct Named {
    kernel: bool,
    device: bool,
    /// Whether some of them are for both the host and the device.
    both: bool,
    plain: bool,
    unclear: bool,
    /// The token of the first declaration's name.
    first: Option<usize>,
}

impl Named {
    fn add(&mut self, function: &Function) {
        self.kernel |= function.space == Space::Kernel;
        self.device |= matches!(function.space, Space::Device | Space::Both);
        self.both |= function.space == Space::Both;
        self.plain |= function.space == Space::Host;
        self.unclear |= function.has_unclear_space;
        self.first.get_or_insert(function.name);
    }
}

/// Returns the names of the source's own namespaces.
fn namespaces(tokens: &Tokens) -> HashSet<&[u8]> {
    let mut found = HashSet::new();
    for at in (0..tokens.count()).filter(|at| tokens.is(*at, b"namespace")) {
        let is_of_name = |at: &usize| tokens.is_name(*at) || tokens.is(*at, b":");
        let Some(behind) = (at + 1..tokens.count()).find(|at| !is_of_name(at)) else { break };
        // Other uses name namespaces of headers.
        if tokens.is(behind, b"{") {
            found.extend((at + 1..behind).filter(|at| tokens.is_name(*at)).map(|at| tokens.word(at)));
        }
    }
    found.remove(&b"std"[..]);
    found
}

/// Returns whether a name is called: it is followed by a parenthesis and is not a member. It may be qualified
/// by namespaces only.
fn is_call(tokens: &Tokens, at: usize, namespaces: &HashSet<&[u8]>) -> bool {
    let behind = match tokens.word(at + 1) {
        b"(" => Some(at + 1),
        // A launch has brackets of its own.
        b"<" if !tokens.is(at + 2, b"<") => {
            tokens.after_template_arguments(at + 1).filter(|n| tokens.is(*n, b"("))
        }
        _ => None,
    };
    let Some(before) = at.checked_sub(1).filter(|_| behind.is_some()) else { return false };
    match tokens.word(before) {
        b":" => {
            let qualifier = before.checked_sub(2).filter(|_| tokens.is(before - 1, b":"));
            let name = qualifier.map(|at| tokens.word(at));
            name.is_some_and(|name| namespaces.contains(name))
        }
        b"." | b"&" | b"~" => false,
        b">" => !tokens.is(before.wrapping_sub(1), b"-"),
        _ => true,
    }
}

/// Returns the names that a function declares itself (parameters, variables, lambdas), each with its first
/// token.
fn declared(tokens: &Tokens, of: Range<usize>) -> HashMap<&[u8], usize> {
    const NO_TYPES: [&[u8]; 9] =
        [b"return", b"else", b"do", b"case", b"throw", b"goto", b"and", b"or", b"not"];
    let mut found = HashMap::new();
    for (before, at) in of.clone().zip(of.skip(1)).filter(|(_, at)| tokens.is_name(*at)) {
        let typed = tokens.is_name(before) && !NO_TYPES.contains(&tokens.word(before));
        let pointer = matches!(tokens.word(before), b"*" | b"&" | b">")
            && !tokens.is(at + 1, b"(")
            && !tokens.is(at + 1, b"<");
        if typed || pointer {
            found.entry(tokens.word(at)).or_insert(at);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        let all = misplaced_calls(source, "a.cu");
        all.into_iter().map(|d| format!("{}:{}: {}", d.line, d.column, d.message)).collect()
    }

    #[test]
    fn a_launch_has_two_values() {
        let describe = |launch: &str| {
            found(&format!("__global__ void scale(int n) {{}}\nvoid run(dim3 g) {{ scale{launch}(4); }}\n"))
        };
        assert_eq!(describe("<<<256>>>"), [format!("2:20: {ONE_VALUE}")]);
        assert_eq!(describe("<<<dim3(1, 2)>>>").len(), 1);
        for fine in ["<<<1, 256>>>", "<<<g, dim3(1, 2)>>>", "<<<(1, 2), 3, 0>>>", "<<<>>>", "<<<"] {
            assert_eq!(describe(fine), Vec::<String>::new(), "{fine}");
        }
    }

    #[test]
    fn a_kernel_has_no_containers() {
        let source = "__global__ void k(int *p) {\n  std::vector<int> v(3);\n  std::swap(p[0], p[1]); int a = std::max(1, 2);\n\
                      cuda::std::swap(p[0], p[1]); std::cout << 1;\n}\nint main() { std::vector<int> v; std::swap(v, v); }\n";
        let said = |name: &str| format!("std::{name} is for the host, but the kernel \"k\" uses it");
        assert_eq!(
            found(source),
            [
                format!("2:3: {}", said("vector")),
                format!("3:3: {}", said("swap")),
                format!(
                    "4:{}: {}",
                    source.lines().nth(3).unwrap().find("std::cout").unwrap() + 1,
                    said("cout")
                ),
            ]
        );
        let both = "__host__ __device__ void f(int *p) { std::swap(p[0], p[1]); }\n__global__ void k(int *p) { f(p); }";
        assert_eq!(found(both), [""; 0]);
    }

    #[test]
    fn what_is_launched_is_a_kernel() {
        let source = "void scale(int n) {}\ntemplate <class T> __device__ void fill(T) {}\n\
            void run() {\n  scale<<<1, 4>>>(4);\n  fill<int><<<1, 4>>>(4); scale(1);\n}\n";
        let said = |name: &str, line: u32| {
            format!("only kernels can be launched, and \"{name}\" is not one: line {line} lacks __global__")
        };
        let launched = launched_functions(source, "a.cu");
        let messages: Vec<String> =
            launched.iter().map(|d| format!("{}:{}: {}", d.line, d.column, d.message)).collect();
        assert_eq!(messages, [format!("4:3: {}", said("scale", 1)), format!("5:3: {}", said("fill", 2))]);
        assert_eq!(found(source), [""; 0]);
        let kernel = "__global__ void scale(int n) {}\nvoid run() { scale<<<1, 4>>>(4); }";
        assert!(
            launched_functions(kernel, "a.cu").is_empty() && launched_functions("f<<<", "a.cu").is_empty()
        );
    }

    #[test]
    fn a_kernel_is_not_called() {
        let source = "__global__ void scale(float *x, int n) { if (n) x[0] = 1; }\n\
            template <typename T> __global__ void __launch_bounds__(256) fill(T *x) {}\n\
            void run(float *x) {\n  scale(x, 4);\n  scale<<<1, 4>>>(x, 4);\n\
              fill<float><<<1, 4>>>(x); fill<float>(x);\n}\n";
        let describe = |name: &str| {
            format!(
                "a kernel is launched, not called: \"{name}\" needs <<<blocks, threads>>> before its arguments"
            )
        };
        assert_eq!(
            found(source),
            [format!("4:3: {}", describe("scale")), format!("6:27: {}", describe("fill"))]
        );
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
                "4:50: \"twice\" is a host function, but the device function \"half\" calls it: line 2 lacks __device__",
                "6:51: \"twice\" is a host function, but the kernel \"k\" calls it: line 2 lacks __device__",
            ]
        );
    }

    #[test]
    fn the_host_calls_no_function_of_the_device() {
        let source = "__device__ int twice(int x) { return 2 * x; }\n__global__ void k(int *p) { *p = twice(1); }\n\
            int main() { k<<<1, 1>>>(nullptr); return twice(3); }\n";
        assert_eq!(
            found(source),
            [
                "3:43: \"twice\" is a device function, but \"main\", on the host, calls it: line 1 lacks __host__"
            ]
        );
        for (function, body) in [
            ("__host__ __device__ int f(int);", "f(1);"),
            ("__device__ int f(int); int f(float);", "f(1);"),
            ("__device__ int f(int);", "run([=] __device__ (int i) { return f(i); });"),
            ("__device__ int f(int);", "using T = decltype(f(1));"),
            ("__device__ int f(int);", "auto f = [](int i) { return i; }; f(1);"),
            ("__device__ float min(float, float);", "min(1, 2);"),
            ("constexpr __device__ int f(int);", "f(1);"),
            (
                "struct f { __device__ static int g(int); }; namespace n { __device__ int g(int); }",
                "f::g(1);",
            ),
            ("namespace n { __device__ int max(int, int); }", "std::max(1, 2);"),
        ] {
            let source = format!("{function}\n__global__ void k() {{}}\nint main() {{ {body} }}\n");
            assert_eq!(found(&source), [""; 0], "{source}");
        }
        let named = |body: &str| {
            let functions = "namespace own::inner { __device__ int twice(int x) { return 2 * x; } }\n\
                             namespace own { int twice_here(int x) { return x; } }\n";
            found(&format!("{functions}int main() {{ {body} }}\n")).len()
        };
        let calls = ["own::inner::twice(3);", "return own::inner::twice(3);"];
        assert_eq!(calls.map(named), [1, 1]);
        assert_eq!(["own::twice_here(3);", "auto p = &own::inner::twice;", "twice(3);"].map(named), [0; 3]);
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
            "namespace cg = cooperative_groups;\nint g(int i) { return i; }\n__device__ int f(int i) { return cg::g(i); }",
            "using namespace cooperative_groups;\nint g(int i);\n__device__ int f(int i) { return cooperative_groups::g(i); }",
            "auto f = [] __device__ (int i) { return i; };",
            "#ifdef X\n#define HD __host__ __device__\n#else\n#define HD\n#endif\nHD int f(int i) { return i; }",
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
