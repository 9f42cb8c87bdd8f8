//! What compiles, and what the compiler says to the rest.

use super::{compile, refused};
use gpulearn::nvrtc::Severity;

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
