//! Detects host variables that device code uses: nvcc rejects such uses, whereas to NVRTC every variable is a
//! device variable.
//!
//! A use is reported only if the source text and the compiled code agree: a non-constant variable outside
//! functions, without `__device__`, `__constant__` or `__managed__`; its name in the body of a kernel or a
//! device function; and its symbol in the kernels' code.

use super::{Diagnostic, Subject};
use cpp::{Source, Space};
use std::collections::HashMap;

/// Words in a declaration that exclude it: it is a device variable, not a variable, or a constant, which
/// device code may use.
const OTHERS: [&[u8]; 19] = [
    b"__device__",
    b"__constant__",
    b"__managed__",
    b"__shared__",
    b"__global__",
    b"const",
    b"constexpr",
    b"extern",
    b"thread_local",
    b"using",
    b"typedef",
    b"template",
    b"class",
    b"struct",
    b"union",
    b"enum",
    b"friend",
    b"operator",
    b"namespace",
];

/// Returns an error for each host variable of a file that device code uses, located at its first use.
/// `kernels` returns the PTX of the kernels and of what they call, if it is known; it is called only if there
/// are candidates.
pub fn host_variables<'p>(
    kernels: impl FnOnce() -> Option<&'p str>,
    source: &str,
    file_name: &str,
) -> Vec<Diagnostic> {
    let source = Source::new(source);
    let tokens = source.tokens();
    let Some(functions) = source.functions() else { return Vec::new() };
    let declared = declared(&source);
    let mut seen: Vec<(usize, &[u8], usize)> = Vec::new();
    for function in functions.iter().filter(|its| matches!(its.space, Space::Kernel | Space::Device)) {
        for at in function.body.clone().unwrap_or_default() {
            let name = tokens.word(at);
            let is_used = declared.contains_key(name)
                && !is_part_of_another(&source, at)
                && !source.is_conditional(at)
                && seen.iter().all(|(_, known, _)| *known != name);
            if is_used {
                seen.push((at, name, function.name));
            }
        }
    }
    let Some(kernels) = (!seen.is_empty()).then(kernels).flatten() else { return Vec::new() };
    seen.retain(|(_, name, _)| {
        // What is followed by a parenthesis may be a function.
        let is_variable = !tokens.is(declared[name] + 1, b"(") || is_defined(kernels, name);
        is_variable && is_in_code(kernels, name)
    });
    let describe = |(at, name, function): (usize, &[u8], usize)| {
        let (variable, line) = (tokens.text_of(at), tokens.line(declared[name]));
        let said = format!(
            "\"{variable}\" is a host variable, but device code, \"{}\", uses it: line {line} has neither \
             __device__ nor __constant__",
            tokens.text_of(function)
        );
        Diagnostic::error(file_name, source.place_of(at), said)
            .about(Subject::HostVariableUsed { variable, declared: line })
    };
    seen.into_iter().map(describe).collect()
}

/// Returns the host variables outside functions and classes, each with the token of its name.
fn declared<'a>(source: &'a Source) -> HashMap<&'a [u8], usize> {
    let tokens = source.tokens();
    let is_other = |at: &usize| OTHERS.contains(&tokens.word(*at)) || may_be_macro(source, *at);
    let others: Vec<usize> = (0..tokens.count()).filter(is_other).collect();
    let mut found: HashMap<&[u8], usize> = HashMap::new();
    let mut twice = Vec::new();
    let mut at = 0;
    while at < tokens.count() {
        at = match tokens.word(at) {
            b"(" | b"[" => tokens.partner(at).unwrap_or(at) + 1,
            b"{" if source.opens_namespace(at) => at + 1,
            b"{" => tokens.partner(at).unwrap_or(at) + 1,
            _ => {
                if is_declared(source, at, &others) && found.insert(tokens.word(at), at).is_some() {
                    twice.push(tokens.word(at));
                }
                at + 1
            }
        };
    }
    found.retain(|name, _| !twice.contains(name));
    found
}

/// Returns whether a token at namespace level is the name of a variable declared there that is unambiguously
/// the host's. `others`: the tokens that exclude a declaration.
fn is_declared(source: &Source, name: usize, others: &[usize]) -> bool {
    let tokens = source.tokens();
    let Some(before) = name.checked_sub(1) else { return false };
    let is_declarator = tokens.is_name(name)
        && matches!(tokens.word(name + 1), b"=" | b";" | b"[" | b"," | b"(" | b"{")
        && (tokens.is_name(before) || matches!(tokens.word(before), b"*" | b">" | b","))
        && !source.is_conditional(name);
    let first = source.declaration_start(name);
    let next = others.get(others.partition_point(|at| *at < first));
    is_declarator && first < name && next.is_none_or(|other| *other >= name)
}

/// Returns whether a name may stand for other words: because it is a macro, or is spelt like one.
fn may_be_macro(source: &Source, at: usize) -> bool {
    let word = source.tokens().word(at);
    source.is_macro(word)
        || word.len() > 1 && word[0].is_ascii_uppercase() && word.iter().all(|c| !c.is_ascii_lowercase())
}

/// Returns whether a name is qualified by what precedes it: `a.n`, `p->n`, `S::n`.
fn is_part_of_another(source: &Source, at: usize) -> bool {
    let tokens = source.tokens();
    let before = |by| tokens.before(at, by);
    match before(1) {
        b"." | b":" => true,
        b">" => before(2) == b"-",
        _ => false,
    }
}

/// Prefix of the storage of a variable that is constructed at run time, to which its name is a reference.
const STORAGE: &str = "__gpulearn_of_";

/// Returns whether a line of code (an indented line) contains the variable's symbol.
fn is_in_code(ptx: &str, name: &[u8]) -> bool {
    let is_code = |line: &&str| {
        let text = line.trim_start();
        text.len() < line.len() && !["//", ".file", ".loc", ".b8"].iter().any(|other| text.starts_with(other))
    };
    has_symbol(ptx.lines().filter(is_code), name)
}

/// Returns whether a line defines the variable.
fn is_defined(ptx: &str, name: &[u8]) -> bool {
    let is_definition = |line: &&str| line.starts_with('.') && line.contains(".global ");
    has_symbol(ptx.lines().filter(is_definition), name)
}

/// Returns whether the symbol of a variable, or that of its storage, is in some line; a `static` variable's symbol is its
/// name prefixed with the length.
fn has_symbol<'p>(mut lines: impl Iterator<Item = &'p str>, name: &[u8]) -> bool {
    let Ok(name) = std::str::from_utf8(name) else { return false };
    let of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let storage = format!("{STORAGE}{name}");
    let symbols = [name, &storage].map(|name| [name.to_string(), format!("_ZL{}{name}", name.len())]);
    lines.any(|line| {
        let mut words = line.split(|c| !of_word(c));
        words.any(|word| symbols.iter().flatten().any(|symbol| symbol == word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str, ptx: &str) -> Vec<String> {
        let all = host_variables(|| Some(ptx), source, "a.cu");
        all.into_iter().map(|d| format!("{}:{}: {}", d.line, d.column, d.message)).collect()
    }

    const KERNEL: &str = "__global__ void k(int *p) { *p = N; p[1] = N; }\n";
    const CODE: &str =
        ".visible .global .align 4 .u32 N = 100;\n.entry k()\n{\n\tld.global.u32 \t%r1, [N];\n}\n";

    #[test]
    fn a_variable_of_the_host_is_told_once() {
        let said = |line: u32| {
            format!(
                "{line}:34: \"N\" is a host variable, but device code, \"k\", uses it: line {} has neither \
                 __device__ nor __constant__",
                line - 1
            )
        };
        for declared in [
            "int N = 100;",
            "int a, N;",
            "static float *N;",
            "std::vector<int> N;",
            "unsigned N[3];",
            "int a[] = {1}, N;",
            "int N{100};",
            "dim3 N(4, 2);",
        ] {
            assert_eq!(found(&format!("{declared}\n{KERNEL}"), CODE), [said(2)], "{declared}");
        }
        let object = CODE.replace('N', "__gpulearn_of_N");
        assert_eq!(found(&format!("std::vector<int> N(3, 7);\n{KERNEL}"), &object), [said(2)]);
        let local = CODE.replace("[N]", "[_ZL1N]");
        assert_eq!(found(&format!("namespace a {{\nstatic int N;\n{KERNEL}}}"), &local), [said(3)]);
    }

    #[test]
    fn what_nvcc_takes_is_not_told() {
        for declared in [
            "__device__ int N;",
            "__constant__ int N[3];",
            "__constant__ int a[3] = {1, 2, 3}, N = 4;",
            "__managed__ int N = 1;",
            "const int N = f();",
            "constexpr int N = 3;",
            "extern __shared__ int N[];",
            "DEVICE int N;",
            "#define on_device __device__\non_device int N;",
            "#ifdef X\nint N;\n#endif",
            "struct S { int N; };",
            "extern \"C\" void f() { int N; }",
            "int f() { int N; return N; }",
            "using N = int;",
            "template <int N> struct A;",
        ] {
            assert_eq!(found(&format!("{declared}\n{KERNEL}"), CODE), [""; 0], "{declared}");
        }
        let function = ".func N()\n.entry k()\n{\n\tcall N, ();\n}\n";
        assert_eq!(found(&format!("int N(int);\n{KERNEL}"), function), [""; 0]);
        // A local name of the kernel; a macro's name; a variable that only host code uses.
        let unused = ".visible .global .u32 N = 1;\n.entry k()\n{\n\t// N\n\tmov.u32 %r1, %N;\n}\n";
        assert_eq!(found(&format!("int N = 100;\n{KERNEL}"), unused), [""; 0]);
        assert_eq!(found("int N; int main() { N = 1; }\n__global__ void k(S s) { s.N = 1; }", CODE), [""; 0]);
    }

    #[test]
    fn odd_text_does_no_harm() {
        for text in
            ["", "int N", "N", "int N;", "__global__ void k() { N", "} int N; {", "int N = (", "é N = 1;"]
        {
            found(text, CODE);
        }
    }
}
