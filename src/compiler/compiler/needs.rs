//! Determines which of the headers that precede a source it needs: reading them takes longer than a small
//! source.

use crate::Request;
use crate::headers::HeaderSet;
use crate::include;
use cpp::names;

/// The first release with `--minimal`.
pub const FIRST_WITH_MINIMAL: (u32, u32) = (12, 4);
/// Prefixes of names that are unknown with `--minimal`: textures, surfaces, and what kernels use to launch
/// kernels.
const BEYOND_MINIMAL: [&str; 11] = [
    "cuda",
    "tex1D",
    "tex2D",
    "tex3D",
    "texCubemap",
    "texture",
    "surf1D",
    "surf2D",
    "surf3D",
    "surfCubemap",
    "surface",
];

/// NVIDIA's headers that need none of these.
const OF_THE_CORE: [&str; 5] = ["cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h", "cuda_pipeline.h", "mma.h"];

/// Returns whether kernels compile with `--minimal`, which saves a third of a small kernel's compile time.
pub fn fits_minimal(request: &Request) -> bool {
    let is_of_core = |name: &str| HeaderSet::Kernels.text(name).is_some() || OF_THE_CORE.contains(&name);
    let needs_more = |text: &str| {
        let included = include::names(text);
        let is_header = |word: &str| included.iter().any(|name| name.strip_suffix(".h") == Some(word));
        let beyond = |word: &str| BEYOND_MINIMAL.iter().any(|name| word.starts_with(name));
        text.contains("<<<") || names(text).any(|word| beyond(word) && !is_header(word))
    };
    !request.program && include_only(request, is_of_core) && !texts(request).any(needs_more)
}

/// Headers of C and of the runtime, which need nothing of C++.
const OF_C: [&str; 25] = [
    "assert.h",
    "cassert",
    "cfloat",
    "climits",
    "cmath",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_launch_parameters.h",
    "float.h",
    "limits.h",
    "math.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "time.h",
    "unistd.h",
];

/// Returns whether a program needs nothing of the C++ library and none of gcc's atomic operations, which are
/// included before other headers.
pub fn only_c(request: &Request) -> bool {
    let is_of_c = |name: &str| OF_C.contains(&name);
    let needs_more =
        |word: &str| word == "std" || word.starts_with("__sync_") || word.starts_with("__atomic_");
    let options = || request.options.iter().copied();
    request.program
        && include_only(request, is_of_c)
        && !texts(request).chain(options()).any(|text| names(text).any(needs_more))
}

/// Texts that affect kernels without affecting the host's part of a program: branches for an architecture,
/// and operations that are by definition not fused, whereas the host's are never fused.
const HIDDEN: [&str; 3] = ["__CUDA_ARCH__", "NV_", "_rn("];

/// Returns whether any two such programs with different kernels also differ in their host's part.
pub fn host_part_shows_kernels(request: &Request) -> bool {
    !texts(request).any(|text| HIDDEN.iter().any(|hidden| text.contains(hidden)))
}

/// Returns the texts of the source and its own headers.
fn texts<'a>(request: &Request<'a>) -> impl Iterator<Item = &'a str> {
    std::iter::once(request.source).chain(request.headers.iter().map(|(_, text)| *text))
}

/// Returns whether a source includes only its own headers and those for which `is_known` is true.
fn include_only(request: &Request, is_known: impl Fn(&str) -> bool) -> bool {
    let is_own = |name: &str| request.headers.iter().any(|(own, _)| *own == name);
    texts(request).all(|text| include::names(text).iter().all(|name| is_known(name) || is_own(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_the_core_are_told_by_their_words_and_headers() {
        let is = |source| fits_minimal(&Request::new(source, "a.cu", (8, 0)));
        assert!(is(
            "#include <cuda_fp16.h>\n#include <stdint.h>\n__global__ void k(__half *p) { *p = 1; }\n"
        ));
        for more in [
            "#include <cooperative_groups.h>\n",
            "#include <cuda_fp16.h>\ncudaError_t error;\n",
            "__global__ void k(cudaTextureObject_t t, float *p) { *p = tex2D<float>(t, 0, 0); }\n",
            "__global__ void k() {}\n__global__ void l() { k<<<1, 1>>>(); }\n",
        ] {
            assert!(!is(more), "{more}");
        }
    }

    #[test]
    fn a_program_of_c_is_told_by_its_words_and_headers() {
        let is = |source| only_c(&Request { program: true, ..Request::new(source, "a.cu", (8, 0)) });
        assert!(is(
            "#include <cstdio>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); printf(\"stdout\"); }\n"
        ));
        for more in [
            "#include <vector>\n",
            "#include <cstdio>\nint main() { return std::min(1, 2); }\n",
            "using namespace std;\n",
            "int n; int main() { return __sync_fetch_and_add(&n, 1); }\n",
            "#include \"mine.h\"\n",
        ] {
            assert!(!is(more), "{more}");
        }
        let own = |text| {
            let headers = [("mine.h", text)];
            let request = Request::new("#include \"mine.h\"\n", "a.cu", (8, 0));
            only_c(&Request { program: true, headers: &headers, ..request })
        };
        assert!(own("#include <math.h>\n"));
        assert!(!own("#include <map>\n"));
        let defined = Request { options: &["-Dnumber=std::size_t"], ..Request::new("", "a.cu", (8, 0)) };
        assert!(!only_c(&Request { program: true, ..defined }));
    }
}
