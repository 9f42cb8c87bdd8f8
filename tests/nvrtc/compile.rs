//! What compiles, and what the compiler says to the rest.

use super::{compile, compiler, refused, request};
use gpulearn::compiler::{Request, Severity};

#[test]
fn a_kernel_becomes_ptx_with_its_lines() {
    let made =
        compile("extern \"C\" __global__ void add(float *out) {\n  out[threadIdx.x] += 10;\n}\n").unwrap();
    assert!(made.ptx.contains(".visible .entry add("), "{}", made.ptx);
    assert!(made.ptx.contains(".loc\t1 2 "), "{}", made.ptx);
    assert!(made.ptx.contains(".file\t1 \"kernels/lesson.cu\""), "{}", made.ptx);
    assert!(made.diagnostics.is_empty());
    assert!(made.resources.is_empty());
}

#[test]
fn an_error_points_at_its_place() {
    let found = refused("__global__ void k(int *p) {\n    *p = nothing;\n}\n");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].severity, found[0].line, found[0].column), (Severity::Error, 2, 10));
    assert_eq!(found[0].file, "kernels/lesson.cu");
    assert_eq!(found[0].message, "identifier \"nothing\" is undefined");
}

#[test]
fn headers_of_the_toolkit_are_there() {
    let headers = [
        "cuda_fp16.h",
        "cuda_bf16.h",
        "mma.h",
        "cooperative_groups.h",
        "cooperative_groups/reduce.h",
        "cooperative_groups/scan.h",
        "cooperative_groups/memcpy_async.h",
        "cuda_pipeline.h",
        "vector_types.h",
        "math_constants.h",
        "cuda.h",
        "cuda_runtime.h",
        "device_launch_parameters.h",
        "nv/target",
        "cuda/std/cstdint",
        "cuda/std/limits",
        "cuda/atomic",
        "cuda/barrier",
        "cub/block/block_reduce.cuh",
        "curand_kernel.h",
    ];
    for header in headers {
        let source = format!("#include <{header}>\n__global__ void k(int *p) {{ *p = 1; }}\n");
        let made = compile(&source).unwrap_or_else(|error| panic!("{header}: {error:?}"));
        assert!(made.diagnostics.is_empty(), "{header}: {:?}", made.diagnostics);
    }
}

#[test]
fn what_lessons_use_compiles() {
    let source = r#"
#include <assert.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>
#include <cmath>
#include <stdio.h>
#include <cuda/std/array>
namespace cg = cooperative_groups;
using namespace nvcuda;

__constant__ float lowest = -INFINITY;

__global__ void all(float *out, const half *a, const half *b, uint32_t n) {
    assert(n > 0);
    if (threadIdx.x == 0) printf("%u %f\n", n, out[0]);
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    float sum = cg::reduce(warp, out[threadIdx.x], cg::plus<float>());
    block.sync();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
    cuda::std::array<float, 2> two{sum, __half2float(a[1])};
    out[n] = fmaxf(lowest, two[0] + two[1]) + std::sqrt(two[0]) + FLT_MAX + float(M_PI) + (sum == NAN) + INT_MAX;
    out[n + 1] = offsetof(float4, z);
}
"#;
    let made = compile(source).unwrap();
    assert!(made.diagnostics.is_empty(), "{:?}", made.diagnostics);
    for part in ["vprintf", "__assertfail", "wmma.mma.sync", "bar", "shfl"] {
        assert!(made.ptx.contains(part), "{part}");
    }
}

#[test]
fn headers_of_the_request_come_first() {
    let mut with =
        request("#include \"mine.h\"\n#include <math.h>\n__global__ void k(int *p) { *p = MINE + OURS; }\n");
    with.headers = &[("mine.h", "#include <stdint.h>\n#define MINE 40\n"), ("math.h", "#define OURS 2\n")];
    let made = compiler().compile(&with).unwrap();
    assert!(made.ptx.contains("42"), "{}", made.ptx);
}

#[test]
fn options_reach_the_compiler() {
    let mut with = request("__global__ void k(int *p) { *p = N; }\n");
    with.options = &["-DN=1234"];
    assert!(compiler().compile(&with).unwrap().ptx.contains("1234"));
}

#[test]
fn every_capability_a_lesson_may_ask_for() {
    for compute_capability in [(7, 0), (7, 5), (8, 0), (8, 6), (8, 9), (9, 0)] {
        if compute_capability < (7, 5) && compiler().version() >= (13, 0) {
            continue;
        }
        let with = Request { compute_capability, ..request("__global__ void k(int *p) { *p = 1; }\n") };
        let made = compiler().compile(&with).unwrap();
        let target = format!(".target sm_{}{}", compute_capability.0, compute_capability.1);
        assert!(made.ptx.contains(&target), "{}", made.ptx);
        // Hopper's own instructions come with it, and no other architecture's.
        let specific = made.ptx.contains(&format!("{target}a\n"));
        assert_eq!(specific, compute_capability == (9, 0), "{}", made.ptx);
    }
}

#[test]
fn a_template_error_names_the_instantiation() {
    let found = refused(
        "template <class T> __device__ T twice(T a) { return a.twice(); }\n__global__ void k(int *p) { *p = twice(3); }\n",
    );
    assert_eq!(found[0].line, 1);
    assert!(found[0].message.contains("detected during instantiation"), "{found:?}");
    assert!(found[0].message.contains("at line 2"), "{found:?}");
}

#[test]
fn warnings_come_with_the_ptx() {
    let made = compile("__global__ void k(int *p) {\n    int unused = 3;\n    *p = 1;\n}\n").unwrap();
    assert_eq!(made.diagnostics.len(), 1);
    assert_eq!((made.diagnostics[0].severity, made.diagnostics[0].line), (Severity::Warning, 2));
}
