//! Detects function objects that a library calls on the GPU although their `operator()` is for the host only,
//! which nvcc rejects. NVRTC compiles every function for the device, so it accepts them; but a file should
//! also compile elsewhere.
//!
//! The types that a library's kernel was instantiated with are part of its name, mangled according to the
//! Itanium C++ ABI: the length of a name, then the name.

use super::Diagnostic;
use cpp::{Source, Space};
use std::collections::BTreeMap;

/// Libraries whose kernels call the function objects they are instantiated with, as mangled names.
const LIBRARIES: [&str; 2] = ["6thrust", "3cub"];

/// Returns the function objects of a source that are called by `kernels` (given by their mangled names) and
/// that lack `__device__`, as errors in the file named `file_name`.
pub fn host_functors<'a>(
    source: &str,
    file_name: &str,
    kernels: impl Iterator<Item = &'a str>,
) -> Vec<Diagnostic> {
    let of_libraries: Vec<&str> =
        kernels.filter(|kernel| LIBRARIES.iter().any(|library| kernel.contains(library))).collect();
    if of_libraries.is_empty() {
        return Vec::new();
    }
    let source = Source::new(source);
    let describe =
        |token: usize, message: String| Diagnostic::error(file_name, source.place_of(token), message);
    let called = |mangled: &str| of_libraries.iter().any(|kernel| names(kernel, mangled));
    let classes = for_the_host(&source).into_iter().filter_map(|(class, operator)| {
        called(&format!("{}{class}", class.len())).then(|| {
            describe(
                operator,
                format!(
                    "\"{class}\" is called on the GPU here, but its operator() is a host function: it lacks \
                     __device__"
                ),
            )
        })
    });
    let lambdas = lambdas_for_the_host(&source).into_iter().filter_map(|(function, lambda)| {
        let local = format!("Z{}{function}", function.len());
        of_libraries
            .iter()
            .any(|kernel| has_lambda_of(kernel, &local))
            .then(|| describe(lambda, host_lambda("is called on the GPU here")))
    });
    classes.chain(lambdas).collect()
}

/// Describes a lambda without `__device__`. `does`: what it does on the GPU.
pub fn host_lambda(does: &str) -> String {
    format!(
        "this lambda {does}, but it is a host function: [=] __device__ (…) {{ … }} is one for the GPU (nvcc accepts it \
         with --extended-lambda)"
    )
}

/// Returns the classes all of whose `operator()` are for the host only, each with the token of the first one.
fn for_the_host(source: &Source) -> BTreeMap<String, usize> {
    let tokens = source.tokens();
    let mut found: BTreeMap<String, Option<usize>> = BTreeMap::new();
    for function in source.functions().unwrap_or_default() {
        if function.is_free || !tokens.is(function.name, b"operator") || !tokens.is(function.name + 1, b"(") {
            continue;
        }
        let Some(class) = class_around(source, function.name) else { continue };
        let is_of_host = function.space == Space::Host
            && !function.has_unclear_space
            && !source.is_conditional(function.name);
        let first = found.entry(class).or_insert(Some(function.name));
        if !is_of_host {
            *first = None;
        }
    }
    found.into_iter().filter_map(|(class, first)| Some((class, first?))).collect()
}

/// Returns the name of the innermost class whose body contains a token.
fn class_around(source: &Source, token: usize) -> Option<String> {
    let tokens = source.tokens();
    let open = source.braces_around(token).next()?;
    let head =
        (0..open).rev().find(|&at| matches!(tokens.word(at), b";" | b"{" | b"}" | b"struct" | b"class"))?;
    let is_class = matches!(tokens.word(head), b"struct" | b"class") && tokens.is_name(head + 1);
    is_class.then(|| tokens.text_of(head + 1))
}

/// Returns the functions in which all lambdas are for the host only, each with the token of the first lambda.
fn lambdas_for_the_host(source: &Source) -> Vec<(String, usize)> {
    let tokens = source.tokens();
    let functions = source.functions().unwrap_or_default().iter().filter(|function| function.is_free);
    let of_function = |function: &cpp::Function| {
        let mut first = None;
        for at in function.body.clone()? {
            if !tokens.may_begin_lambda(at) {
                continue;
            }
            match tokens.word(tokens.partner(at)? + 1) {
                b"(" | b"{" if !source.is_conditional(at) => _ = first.get_or_insert(at),
                // `__device__`, or a macro that may stand for it.
                _ => return None,
            }
        }
        Some((source.name_of(function), first?))
    };
    functions.filter_map(of_function).collect()
}

/// Returns whether a mangled name contains a lambda of a function, which is mangled up to its parameters.
/// Parameters that contain further names are not parsed.
fn has_lambda_of(kernel: &str, function: &str) -> bool {
    let mut places = kernel.match_indices(function);
    places.any(|(at, _)| {
        kernel[at + function.len()..].split_once('E').is_some_and(|(_, behind)| behind.starts_with("Ul"))
    })
}

/// Returns whether a mangled name contains another one, including its length prefix.
fn names(kernel: &str, mangled: &str) -> bool {
    kernel.match_indices(mangled).any(|(at, _)| !kernel[..at].ends_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "_ZN6thrust8gpulearn7for_allIZNS_9transformIPf4AxpyEEvT_T0_EUlmE_EEvmS4_";

    fn found(source: &str, kernels: &[&str]) -> Vec<(u32, u32)> {
        let all = host_functors(source, "a.cu", kernels.iter().copied());
        all.iter().map(|found| (found.line, found.column)).collect()
    }

    #[test]
    fn what_a_library_calls_is_for_the_device() {
        for head in ["", "__host__ ", "inline "] {
            let source = format!(
                "struct Axpy {{\n  float a;\n  {head}float operator()(float x) const {{ return a * x; }}\n}};"
            );
            let column = u32::try_from(head.len() + 9).unwrap();
            assert_eq!(found(&source, &[KERNEL]), [(3, column)], "{source}");
            assert_eq!(found(&source, &["_Z6kernelI4AxpyEvT_"]), [], "a kernel that may not call it");
            assert_eq!(found(&source, &["_ZN6thrust7for_allI14AxpyEvT_"]), [], "another name");
        }
    }

    #[test]
    fn a_lambda_that_a_library_calls_is_for_the_device() {
        let kernel = "_ZN6thrust6detail7for_allIZNS0_9transformIPfZ4mainEUlfE_EET1_EUlmE_EEvmS8_";
        let source =
            |lambda: &str| format!("int main() {{\n  auto f = {lambda};\n  thrust::transform(f);\n}}");
        assert_eq!(found(&source("[=](float v) { return v; }"), &[kernel]), [(2, 12)]);
        for fine in ["[=] __device__ (float v) { return v; }", "[=] HD (float v) { return v; }", "a[3](4)"] {
            assert_eq!(found(&source(fine), &[kernel]), [], "{fine}");
        }
        assert_eq!(found(&source("[](int i) { return i; }"), &[KERNEL]), [], "one that only the host calls");
    }

    #[test]
    fn what_nvcc_accepts_is_not_refused() {
        for operator in [
            "__host__ __device__ float operator()(float x) const { return x; }",
            "template <class T> __device__ T operator()(T x) { return x; }",
            "HD float operator()(float x) const { return x; }",
            "constexpr float operator()(float x) const { return x; }",
            "float operator()(int x) { return x; } __device__ float operator()(float x) { return x; }",
            "float operator[](int x) { return x; }",
        ] {
            let source = format!("#define HD __host__ __device__\nstruct Axpy {{ {operator} }};");
            assert_eq!(found(&source, &[KERNEL]), [], "{source}");
        }
    }
}
