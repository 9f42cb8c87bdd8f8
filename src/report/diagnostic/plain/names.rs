//! Hints for unknown names, most of which are misspelt.

use super::{LaunchPart, MessageContext};
use compiler::program_headers;
use cpp::{Library, is_name_char, names, operator, uses};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use strsim::osa_distance;

/// CUDA and C++ names that are often misspelt.
const WORDS: [&str; 28] = [
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "__global__",
    "__device__",
    "__shared__",
    "__constant__",
    "__restrict__",
    "__launch_bounds__",
    "__syncthreads",
    "__syncwarp",
    "__shfl_down_sync",
    "__shfl_sync",
    "__shfl_xor_sync",
    "__threadfence",
    "atomicAdd",
    "atomicMax",
    "atomicMin",
    "atomicCAS",
    "printf",
    "nullptr",
    "true",
    "false",
    "float",
    "unsigned",
    "double",
];

/// Returns the names that CUDA's libraries for host code declare here.
fn names_of_libraries() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let all = program_headers()
            .flat_map(|(_, text)| names(text))
            .filter(|name| Library::of_name(name).is_some());
        all.collect::<BTreeSet<&str>>().into_iter().collect()
    });
    &NAMES
}

/// The name that the compiler gives its own declarations.
const BUILT_IN_HEADER: &str = "__nv_nvrtc_builtin_header.h";

/// A variable by the name of a function that the compiler knows, or one of our headers declares.
pub fn taken(here: &MessageContext) -> Option<String> {
    let name = here.word();
    let tokens = here.source.tokens();
    let is_own = here.source.functions()?.iter().any(|its| tokens.is(its.name, name.as_bytes()));
    let is_known = here
        .message
        .declared_in()
        .is_none_or(|file| file == BUILT_IN_HEADER || program_headers().any(|(header, _)| header == file));
    (is_known && !is_own).then(|| {
        format!(
            "`{name}` is already a function of CUDA or of the C library, which every program has: choose another name, or \
             put yours into a namespace."
        )
    })
}

/// A kernel with a `-` in its name, as in lesson names.
pub fn with_minus(here: &MessageContext) -> Option<String> {
    let (head, _) = here.text.split_once('(')?;
    let name = head.split_whitespace().last().filter(|name| name.contains('-'))?;
    let is_name = name.chars().all(|c| is_name_char(c) || c == '-');
    is_name.then(|| format!("A name can't contain `-`: {}.", name.replace('-', "_")))
}

/// Minimum length of a word that is compared by edit distance.
const COMPARED: usize = 4;
/// Maximum length, in bytes, of a name for which a similar one is searched.
const LONGEST: usize = 256;

/// Maximum number of distinct words of a source that are compared.
const MAX_WORDS: usize = 4096;

pub fn unknown_name(here: &MessageContext) -> Option<String> {
    let name = here.message.quoted.first()?;
    if let Some((line, end)) = here.source.scope_ended_before(name, here.line) {
        return Some(format!(
            "`{name}` of line {line} is known only within the braces, the `if` or the loop that it is in, which end \
             in line {end}: declare it before that."
        ));
    }
    match *name {
        "cuda" if here.rest().starts_with("cuda.") => {
            return Some(
                "That is Python: in CUDA C++ threadIdx, blockIdx and blockDim have no prefix.".into(),
            );
        }
        "HostToDevice" | "DeviceToHost" | "DeviceToDevice" | "HostToHost" => {
            return Some(format!("Its full name is cudaMemcpy{name}."));
        }
        "then" => return Some("C++ has no `then`: if (condition) statement;".into()),
        _ => {}
    }
    const HEADERS: [(&[&str], &str); 7] = [
        (&["half", "__half", "half2", "__half2", "__float2half", "__half2float", "__hadd"], "cuda_fp16.h"),
        (&["__hmul", "__hsub", "__hfma", "__hadd2", "__hmul2", "__hfma2", "__half22float2"], "cuda_fp16.h"),
        (&["__pipeline_memcpy_async", "__pipeline_commit", "__pipeline_wait_prior"], "cuda_pipeline.h"),
        (&["curand_init", "curand_uniform", "curand_normal", "curandState"], "curand_kernel.h"),
        (&["__nv_bfloat16", "nv_bfloat16", "__float2bfloat16", "__bfloat162float"], "cuda_bf16.h"),
        (&["nvcuda", "wmma"], "mma.h"),
        (&["cooperative_groups", "cg"], "cooperative_groups.h"),
    ];
    // A loop that halves may have a variable of that name.
    let is_type = |its: &str| its.starts_with(|c: char| is_name_char(c) || "*&(),>".contains(c));
    let is_variable =
        *name == "half" && !is_type(here.rest().get(name.len()..).unwrap_or_default().trim_start());
    if let Some((_, header)) = HEADERS.iter().find(|(names, _)| !is_variable && names.contains(name)) {
        return Some(format!("It comes with a header: #include <{header}> at the top."));
    }
    if let "cudaBindTexture"
    | "cudaBindTexture2D"
    | "cudaBindTextureToArray"
    | "cudaUnbindTexture"
    | "cudaBindSurfaceToArray" = *name
    {
        return Some(
            "CUDA 12 has no texture and surface references any more: create an object with cudaCreateTextureObject() or \
             cudaCreateSurfaceObject() instead, and give it to the kernel."
                .into(),
        );
    }
    if let Some(near) = nearest(name, here) {
        return Some(format!("Did you mean `{near}`?"));
    }
    if here.program && is_checking_macro(name, here) {
        return Some(format!(
            "No header of CUDA defines {name}: programs define such a macro themselves. Include the header that has it, \
             or define it above."
        ));
    }
    if here.program && Library::of_name(name).is_some() {
        return Some(format!(
            "If that is how CUDA spells {name}, this tool does not support it, and the program may well be right."
        ));
    }
    let in_launch = here.launch_part() == Some(LaunchPart::Configuration);
    let behind = here.rest().get(name.len()..).unwrap_or_default();
    if in_launch && !behind.trim_start().starts_with('(') {
        return Some(format!(
            "Nothing called `{name}` is known here. A number of blocks or threads is given its name before the launch: \
             const int {name} = …;"
        ));
    }
    if here.program {
        return None;
    }
    if Library::of(name) == Some(Library::Runtime) {
        return Some("That is for the host to call. Here you write only the kernel: the lesson handles memory and the \
                     launch.".into());
    }
    if in_kernel_parameters(here) {
        return Some(format!("A parameter is written with its type, as in const float *{name}."));
    }
    let behind = here.rest().trim_start_matches(is_name_char).trim_start();
    if operator(behind) == "=" {
        let value = behind.split(';').next().unwrap_or_default();
        let is_index = names(value).any(|word| matches!(word, "threadIdx" | "blockIdx" | "blockDim"));
        return Some(match is_index || !here.source.names("float") {
            true => format!("A variable is declared with its type: int {name} = …"),
            false => "A variable is declared with its type, such as int or float, before its name.".into(),
        });
    }
    Some(match behind.starts_with('(') {
        true => format!(
            "No function `{name}` is known here: if it is your own, it must be written above, with __device__ before it; if \
             a header declares it, that must be included."
        ),
        false => format!(
            "`{name}` is not known here. Is it declared above, with its type, in a line without a mistake? Or is it a \
             parameter that the kernel does not have?"
        ),
    })
}

/// `extern __shared__ tile[];`, and each use of that array.
pub fn shared_without_type(here: &MessageContext) -> Option<String> {
    let name = here.message.quoted.first()?;
    let (before, _) = uses(here.code, name).find(|(before, behind)| {
        before.trim_end().ends_with("__shared__") && behind.trim_start().starts_with('[')
    })?;
    let words = before.rsplit(['\n', ';', '{', '}']).next()?.trim();
    Some(format!("The type of its elements is missing: {words} float {name}[…];"))
}

/// Returns whether a call's name is one of those that programs give to their macro that checks what CUDA's calls return.
fn is_checking_macro(name: &str, here: &MessageContext) -> bool {
    const PARTS: [&str; 4] = ["CHECK", "CALL", "ERR", "SAFE"];
    const OTHERS: [&str; 8] = [
        "cudaCheck",
        "cudaCheckError",
        "cudaCheckErrors",
        "cudaErrCheck",
        "cudaSafeCall",
        "gpuErrCheck",
        "gpuErrchk",
        "gpuErrorCheck",
    ];
    let is_macro = !name.contains(|c: char| c.is_lowercase()) && PARTS.iter().any(|part| name.contains(part));
    let is_called = |(_, behind): (&str, &str)| behind.trim_start().starts_with('(');
    (is_macro || OTHERS.contains(&name)) && uses(here.text, name).any(is_called)
}

/// Returns whether the place is within a kernel's parameter list, on the line of its `__global__`.
fn in_kernel_parameters(here: &MessageContext) -> bool {
    let Some((_, head)) = uses(here.before(), "__global__").next() else { return false };
    head.matches('(').count() == head.matches(')').count() + 1 && !head.contains('{')
}

/// `shared float s[32]`: a qualifier without its underscores.
pub fn bare_qualifier(here: &MessageContext) -> Option<String> {
    const WORDS: [&str; 4] = ["shared", "constant", "global", "device"];
    let before = here.before();
    let word = names(before).last().filter(|word| WORDS.contains(word))?;
    let stands_alone = before.trim_end().ends_with(word) && before.trim_start().starts_with(word);
    stands_alone.then(|| format!("Did you mean `__{word}__`?"))
}

pub fn unknown_type(here: &MessageContext) -> Option<String> {
    let near = nearest(here.word(), here)?;
    Some(format!("Did you mean `{near}`?"))
}

/// `Extern "C"`, `Void f()`.
pub fn misspelt_word(here: &MessageContext) -> Option<String> {
    const WORDS: [&str; 9] =
        ["extern", "static", "const", "constexpr", "template", "void", "using", "struct", "namespace"];
    let word = here.word();
    let near = WORDS.iter().find(|known| osa_distance(known, &word.to_lowercase()) <= 1)?;
    (word != *near).then(|| format!("Did you mean `{near}`?"))
}

/// Returns the known word, or the word of the source, that is most similar to `name`.
fn nearest(name: &str, here: &MessageContext) -> Option<String> {
    let bare = |word: &str| word.replace('_', "").to_lowercase();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in names(here.code) {
        if counts.len() < MAX_WORDS || counts.contains_key(word) {
            *counts.entry(word).or_default() += 1;
        }
    }
    // Words of the source other than the one in question.
    let theirs = counts.keys().copied().filter(|word| *word != name && word.len() > 1);
    let libraries = names_of_libraries().iter().copied().filter(|_| here.program);
    let known = WORDS.iter().copied().chain(libraries).chain(theirs);
    let compared = |word: &str| (COMPARED..=LONGEST).contains(&word.len());
    let edits = |word: &str| match bare(word) == bare(name) {
        true => 0,
        // Two edits change at most eight bytes; very long names are not worth the time.
        false if !compared(name) || !compared(word) || word.len().abs_diff(name.len()) > 8 => usize::MAX,
        false => osa_distance(word, name),
    };
    let near =
        known.map(|word| (edits(word), word)).filter(|&(edits, word)| edits <= 2 && edits * 3 < word.len());
    near.min_by_key(|&(edits, _)| edits).map(|(_, word)| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpp::Source;

    #[test]
    fn a_name_that_a_header_declares_is_told_the_header() {
        let say = |name: &str| {
            let message = format!("identifier \"{name}\" is undefined");
            let text = format!("{name}(1);");
            let diagnostic = compiler::Diagnostic::error("a.cu", (1, 1), message.clone());
            super::super::plain(&message, &diagnostic, &Source::new(&text), false).unwrap()
        };
        assert!(say("__pipeline_commit").contains("#include <cuda_pipeline.h>"));
        assert!(say("curand_init").contains("#include <curand_kernel.h>"));
        assert!(say("sum_of_all").contains("if a header declares it"));
    }

    #[test]
    fn a_variable_without_a_type_may_be_a_float() {
        let say = |statement: &str| {
            let text = format!("{statement}\nvoid k(const float *in);\n");
            let message = "identifier \"sum\" is undefined";
            let diagnostic = compiler::Diagnostic::error("a.cu", (1, 1), message);
            super::super::plain(message, &diagnostic, &Source::new(&text), false).unwrap()
        };
        assert!(say("sum = 0;").contains("such as int or float"), "{}", say("sum = 0;"));
        assert!(say("sum = threadIdx.x;").ends_with("int sum = …"));
    }

    #[test]
    fn a_name_between_the_brackets_of_a_launch_is_a_number() {
        let is_number = |place: (u32, u32), text: &str| {
            let message = "identifier \"qzxw\" is undefined";
            let diagnostic = compiler::Diagnostic::error("a.cu", place, message);
            let said = super::super::plain(message, &diagnostic, &Source::new(text), true);
            said.is_some_and(|said| said.contains("A number of blocks or threads"))
        };
        assert!(is_number((1, 5), "k<<<qzxw, 2>>>(x);"));
        assert!(is_number((2, 3), "k<<<(m + 255) / 256,\n  qzxw>>>(x);"));
        assert!(!is_number((1, 5), "k<<<qzxw(1), 2>>>(x);"));
        assert!(!is_number((1, 13), "k<<<1, 2>>>(qzxw);"));
        assert!(!is_number((1, 19), "k<<<1, 2>>>(x); f(qzxw); k<<<1, 2>>>(x);"));
    }

    #[test]
    fn half_may_be_a_variable_or_a_type() {
        let say = |text: &str, column| {
            let message = "identifier \"half\" is undefined";
            let diagnostic = compiler::Diagnostic::error("a.cu", (1, column), message);
            super::super::plain(message, &diagnostic, &Source::new(text), false).unwrap()
        };
        assert!(say("half x = 1;", 1).contains("#include <cuda_fp16.h>"));
        assert!(say("void k(half *x) {", 8).contains("#include <cuda_fp16.h>"));
        assert!(
            say("for (half = n / 2; half > 0; half /= 2) {", 6)
                .contains("declared with its type: int half = …")
        );
    }

    #[test]
    fn a_macro_that_programs_define_is_no_name_of_cuda() {
        let say = |name: &str, text: &str| {
            let message = format!("identifier \"{name}\" is undefined");
            let diagnostic = compiler::Diagnostic::error("a.cu", (1, 1), message.clone());
            super::super::plain(&message, &diagnostic, &Source::new(text), true).unwrap_or_default()
        };
        for name in ["CUDA_CHECK", "CHECK_CUDA", "CUBLAS_CALL", "gpuErrchk"] {
            let said = say(name, &format!("{name}(cudaFree(d));"));
            assert!(said.starts_with(&format!("No header of CUDA defines {name}: ")), "{said}");
        }
        assert!(say("CUDA_ERROR_X", "if (e == CUDA_ERROR_X) return 1;").contains("may well be right"));
    }

    #[test]
    fn a_name_is_compared_with_words_of_cuda_and_of_the_source() {
        let near = |name, code| {
            let source = Source::new(code);
            nearest(
                name,
                &MessageContext {
                    message: compiler::Message::of(""),
                    text: "",
                    at: 0,
                    line: 1,
                    source: &source,
                    code,
                    program: true,
                    subject: None,
                },
            )
        };
        assert_eq!(near("cudaMemCpy", ""), Some("cudaMemcpy".into()));
        assert_eq!(near("threadidx", "threadidx"), Some("threadIdx".into()));
        assert_eq!(near("syncthreads", ""), Some("__syncthreads".into()));
        assert_eq!(near("shared", ""), Some("__shared__".into()));
        assert_eq!(near("True", ""), Some("true".into()));
        assert_eq!(near("totl", "float total; totl"), Some("total".into()));
        assert_eq!(near("n", "int m; n"), None);
        assert_eq!(near("row", "int col; row"), None);
        assert_eq!(near("é", "é"), None);
    }
}
