//! What a cubin says of its kernels, against what ptxas says itself.

use super::{compiler, request};
use gpulearn::compiler::{KernelResources, Request};

const SOURCE: &str = r#"
extern "C" __global__ void plain(int *p) { *p = 1; }
extern "C" __global__ void sharing(int *p) {
    __shared__ int s[100];
    s[threadIdx.x] = p[0];
    __syncthreads();
    *p = s[1];
}
extern "C" __global__ void indexing(int *p, int n) {
    int a[50];
    for (int i = 0; i < 50; i++) a[i] = p[i];
    for (int i = 0; i < n; i++) a[p[i] % 50] += a[p[i + 1] % 50];
    *p = a[n];
}
extern "C" __global__ void __launch_bounds__(1024) crowded(float *p, int n) {
    float a[120];
#pragma unroll
    for (int i = 0; i < 120; i++) a[i] = p[i * n];
#pragma unroll
    for (int i = 0; i < 120; i++) a[i] = a[i] * a[(i + 7) % 120] + a[(i * 3) % 120];
#pragma unroll
    for (int i = 0; i < 120; i++) p[i] = a[i];
}
"#;

fn resources(compute_capability: (u32, u32)) -> Vec<KernelResources> {
    let with = Request { compute_capability, resources: true, ..request(SOURCE) };
    let made = compiler().compile(&with).unwrap_or_else(|error| panic!("{compute_capability:?}: {error:?}"));
    assert!(made.ptx.contains(".entry plain"));
    made.resources
}

fn named<'a>(kernels: &'a [KernelResources], name: &str) -> &'a KernelResources {
    kernels.iter().find(|kernel| kernel.name == name).unwrap_or_else(|| panic!("{name} in {kernels:?}"))
}

#[test]
fn every_architecture_can_be_read() {
    for capability in [(7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)] {
        let kernels = resources(capability);
        assert_eq!(kernels.len(), 4, "{capability:?}");
        let plain = named(&kernels, "plain");
        assert!((2..=16).contains(&plain.registers), "{capability:?}: {plain:?}");
        assert_eq!((plain.shared_bytes, plain.local_bytes, plain.spill_bytes, plain.barriers), (0, 0, 0, 0));
        let sharing = named(&kernels, "sharing");
        assert_eq!((sharing.shared_bytes, sharing.barriers), (400, 1), "{capability:?}");
        let indexing = named(&kernels, "indexing");
        assert_eq!((indexing.local_bytes, indexing.spill_bytes), (200, 0), "{capability:?}");
        let crowded = named(&kernels, "crowded");
        assert_eq!(crowded.registers, 64, "{capability:?}");
        assert!(
            crowded.local_bytes > 0 && crowded.spill_bytes > crowded.local_bytes,
            "{capability:?}: {crowded:?}"
        );
    }
}

#[test]
fn the_figures_are_those_of_ptxas() {
    // With -v ptxas says the same in its log, which is looked at here in a message that fails.
    let with = Request {
        resources: true,
        options: &["--ptxas-options=-v", "--ptxas-options=-warn-spills"],
        ..request(SOURCE)
    };
    let made = compiler().compile(&with).unwrap();
    let said = made
        .diagnostics
        .iter()
        .find(|diagnostic| {
            diagnostic.message.contains("Registers are spilled to local memory in function 'crowded'")
        })
        .unwrap_or_else(|| panic!("{:?}", made.diagnostics));
    let numbers: Vec<u32> =
        said.message.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
    let spilled: u32 = numbers.iter().sum();
    assert_eq!(named(&made.resources, "crowded").spill_bytes, spilled, "{}", said.message);
}

#[test]
fn the_ptx_is_the_same_with_and_without() {
    let plain = compiler().compile(&request(SOURCE)).unwrap();
    let with = compiler().compile(&Request { resources: true, ..request(SOURCE) }).unwrap();
    assert_eq!(plain.ptx, with.ptx);
}

#[test]
fn too_much_shared_memory_is_the_sources_fault() {
    let source = "__global__ void k(int *p) { __shared__ int s[20000]; s[p[0]] = p[1]; __syncthreads(); *p = s[p[2]]; }\n";
    let with = Request { resources: true, ..request(source) };
    match compiler().compile(&with) {
        Err(gpulearn::compiler::CompileError::Rejected(said)) => {
            assert!(said[0].message.contains("too much shared data"), "{said:?}");
        }
        other => panic!("{other:?}"),
    }
}
