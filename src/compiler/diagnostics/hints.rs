//! Advice on the compiler's messages that newcomers encounter: missing headers, and host code that is not
//! supported here.

use super::kind::{MessageKind, missing_header, without_search_list};
use crate::Subject;
use crate::headers::HeaderSet;
use cpp::{Include, Source};
use strsim::osa_distance;

/// Returns the message with advice appended, if there is any, and its subject.
pub(super) fn with_hint(message: &str, source: &str, headers: HeaderSet) -> (String, Option<Subject>) {
    let hint = match MessageKind::of(message) {
        MessageKind::Exceptions => {
            "exceptions are not supported here; return an error, or print it and call exit"
        }
        MessageKind::DynamicSharedInitialiser => {
            "let one thread initialise it, for example with init(&barrier, count)"
        }
        MessageKind::DynamicInitialiser => {
            // NVRTC treats variables of host code as device variables too; a program's are rewritten beforehand.
            let said = "the initial value of a device variable must be known at compile time; a kernel or \
                        cudaMemcpyToSymbol() can change it";
            return (said.to_owned(), Some(Subject::DynamicInitialisation));
        }
        MessageKind::NotConstant => return (message.to_owned(), Some(Subject::NotConstant)),
        MessageKind::FormatOfString => {
            "a std::string is an object: %s prints the characters that its member function c_str() returns, as in name.c_str()"
        }
        MessageKind::Format if Source::new(source).names(["scanf", "fscanf", "sscanf"]) => {
            "it and what follows it may be printed or read wrong. A size_t is %zu, a long long %lld; a float or double is \
             printed with %f; a double is read with %lf, a float with %f, a short with %hd, and a char as a number with %hhd"
        }
        MessageKind::Format => {
            "it and what follows it may be printed wrong. A size_t is %zu, a long long %lld, a float or double %f"
        }
        MessageKind::ImageReference => {
            "CUDA 12 has no texture and surface references any more. Create an object with cudaCreateTextureObject() or \
             cudaCreateSurfaceObject(), give it to the kernel as a parameter of type cudaTextureObject_t or \
             cudaSurfaceObject_t, and read it with tex2D<float>(object, x, y)"
        }
        _ => {
            let message = without_search_list(message);
            let whole = missing_header(message).filter(|(_, head)| *head == message);
            let Some((name, _)) = whole else { return (message.to_owned(), None) };
            let (hint, subject) = instead_of(name, source, headers);
            return (format!("{message}: {hint}"), subject);
        }
    };
    (format!("{message}: {hint}"), None)
}

/// Returns advice on a missing header: what to use instead.
fn instead_of(name: &str, source: &str, headers: HeaderSet) -> (String, Option<Subject>) {
    let is_own = Include::all(source).any(|(_, its)| its.is_quoted && its.header == name);
    if !is_own && headers == HeaderSet::Kernels && OF_CUDA_STD.contains(&name) {
        return (format!("in device code it is cuda/std/{name}, and std:: is cuda::std::"), None);
    }
    let of_hosts = headers == HeaderSet::Kernels && OF_HOSTS.contains(&name);
    let known = headers.all().map(|(known, _)| known).chain(OF_CUDA);
    if !of_hosts && let Some(near) = nearest_of(known, name) {
        return (format!("there is {near}"), Some(Subject::HeaderMisspelt));
    }
    let said = match headers {
        _ if of_hosts => "only device code is compiled here; leave out what runs on the host",
        _ if is_own => "only this one file is compiled; copy the contents of the other into it",
        HeaderSet::Kernels => {
            "available are those of CUDA, such as cuda_fp16.h, and those of C, such as math.h"
        }
        HeaderSet::Programs => {
            "the headers available are those of the C and C++ library and of CUDA: the runtime, cooperative groups, \
             half precision, cuBLAS, cuDNN, cuFFT, cuRAND, NCCL, NVTX, CUB, Thrust, cuda/std"
        }
    };
    (said.to_owned(), None)
}

/// Headers that are available to programs but not to kernels.
const OF_HOSTS: [&str; 14] = [
    "algorithm",
    "chrono",
    "cublas_v2.h",
    "fstream",
    "iomanip",
    "iostream",
    "map",
    "random",
    "string",
    "sys/time.h",
    "thread",
    "time.h",
    "unistd.h",
    "vector",
];

/// CUDA headers that kernels include; the compiler provides them.
const OF_CUDA: [&str; 7] = [
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cuda_bf16.h",
    "cuda_fp16.h",
    "cuda_fp8.h",
    "cuda_pipeline.h",
    "mma.h",
];

/// C++ headers that CUDA provides for device code, below `cuda/std`.
const OF_CUDA_STD: [&str; 15] = [
    "array",
    "atomic",
    "bit",
    "bitset",
    "complex",
    "concepts",
    "functional",
    "initializer_list",
    "limits",
    "numeric",
    "optional",
    "span",
    "tuple",
    "type_traits",
    "variant",
];

/// Returns the most similar name, if one is similar enough.
fn nearest_of(names: impl Iterator<Item = &'static str>, name: &str) -> Option<&'static str> {
    let all = names.map(|known| (osa_distance(known, name), known));
    all.filter(|&(edits, known)| edits <= 2 && edits * 3 < known.len()).min().map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_host_code_has_a_hint() {
        let said = |name: &str, source: &str| {
            let message = format!("could not open source file \"{name}\" (no directories in search list)");
            with_hint(&message, source, HeaderSet::Kernels).0
        };
        assert!(
            said("iostream", "").starts_with("could not open source file \"iostream\": only device code")
        );
        assert!(said("mine.h", "#include \"mine.h\"").contains("only this one file is compiled"));
        assert!(said("mine.h", "#include <mine.h>").contains("available are those of CUDA"));
        assert!(said("mathh.h", "").ends_with(": there is math.h"));
        assert!(said("limits", "").contains("cuda/std/limits"));
        assert!(said("array", "#include \"array\"").contains("only this one file"));
    }

    #[test]
    fn a_program_is_told_what_there_is() {
        let said = |name: &str, source: &str| {
            with_hint(&format!("cannot open source file \"{name}\""), source, HeaderSet::Programs).0
        };
        let (_, subject) = with_hint("cannot open source file \"stdoi.h\"", "", HeaderSet::Programs);
        assert_eq!(subject, Some(Subject::HeaderMisspelt));
        assert!(said("stdoi.h", "").ends_with("\"stdoi.h\": there is stdio.h"));
        assert!(said("cuda_runtme.h", "").ends_with(": there is cuda_runtime.h"));
        assert!(said("windows.h", "").contains("the C and C++ library"));
        assert!(said("mine.h", "#include \"mine.h\"\n").contains("only this one file"));
        assert!(said("x", "").contains("the C and C++ library"));
        let refused = with_hint("device code does not support exception handling", "", HeaderSet::Kernels).0;
        assert!(refused.ends_with("print it and call exit"));
        let text = "argument is incompatible with corresponding format string conversion (expected type \"char *\" but \
                    argument has type \"std::string\")";
        assert!(with_hint(text, "", HeaderSet::Programs).0.ends_with("as in name.c_str()"));
        let reference = with_hint("texture is not a template", "", HeaderSet::Programs).0;
        assert!(reference.contains("cudaCreateTextureObject()"));
    }
}
