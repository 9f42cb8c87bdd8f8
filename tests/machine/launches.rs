//! Launches as programs make them, and why they are refused.

use super::{blocks, module, two};
use gpulearn::sim::{CudaError, Dim3, Gpu, KernelLaunch, LaunchConfig, Machine, Options, Outcome, Owner};

/// A kernel that does nothing, with 1 KiB of static shared memory.
const IDLE: &str = ".visible .entry k(.param .u32 a, .param .u64 b) .maxntid 256 {\n\
                    .shared .b8 s[1024]; .reg .b64 %a; mov.u64 %a, s; ret; }";

fn refusal(change: impl FnOnce(&mut KernelLaunch)) -> String {
    let module = module(IDLE);
    let mut asked = KernelLaunch::new(0, blocks(1, 32), &[0; 16]);
    change(&mut asked);
    match two().launch(0, &module, &asked, &Options::default()) {
        Ok(report) => format!("{:?}", report.outcome),
        Err(error) => error.error().map_or_else(|| error.to_string(), |error| error.name().into()),
    }
}

#[test]
fn a_refusal_has_cudas_name() {
    assert_eq!(refusal(|_| ()), "Completed");
    assert_eq!(refusal(|l| l.config = blocks(0, 32)), "cudaErrorInvalidConfiguration");
    assert_eq!(refusal(|l| l.config = blocks(1, 2000)), "cudaErrorInvalidConfiguration");
    assert_eq!(refusal(|l| l.config = blocks(1, 257)), "cudaErrorLaunchOutOfResources");
    assert_eq!(refusal(|l| l.kernel = 1), "cudaErrorInvalidDeviceFunction");
    assert_eq!(refusal(|l| l.params = &[0; 12]), "cudaErrorInvalidValue");
}

#[test]
fn much_shared_memory_has_to_be_opted_in_to() {
    let shared = |bytes, limit| {
        refusal(|l| {
            l.config.dynamic_shared_bytes = bytes;
            l.shared_limit_bytes = limit;
        })
    };
    assert_eq!(shared(47 << 10, Some(0)), "Completed");
    assert_eq!(shared((47 << 10) + 1, Some(0)), "cudaErrorInvalidValue");
    assert_eq!(shared(100 << 10, Some(100 << 10)), "Completed");
    assert_eq!(shared(100 << 10, None), "Completed");
    assert_eq!(shared(163 << 10, Some(163 << 10)), "cudaErrorInvalidValue");
}

/// A GPU of 4 multiprocessors holds 8 blocks of 256 threads on each.
#[test]
fn a_cooperative_grid_fits_the_gpu() {
    let grid = |count, registers| {
        refusal(|l| {
            l.cooperative = true;
            l.config = blocks(count, 256);
            l.registers = registers;
        })
    };
    assert_eq!(grid(32, 0), "Completed");
    assert_eq!(grid(33, 0), "cudaErrorCooperativeLaunchTooLarge");
    assert_eq!(grid(32, 64), "cudaErrorCooperativeLaunchTooLarge");
    assert_eq!(grid(16, 64), "Completed");
}

#[test]
fn a_kernels_properties_are_known() {
    let info = module(IDLE).kernel(0).unwrap();
    assert_eq!((info.name.as_str(), info.shared_bytes, info.max_threads), ("k", 1024, 256));
    assert_eq!((info.params, info.param_bytes), (vec![(4, 0), (8, 8)], 16));
    assert_eq!(info.local_bytes, 0);
}

/// What a kernel takes from the heap is there for the next, and what it frees is used again.
#[test]
fn the_device_heap_outlives_a_kernel() {
    let body = |name: &str, code: &str| {
        format!(
            ".visible .entry {name}(.param .u64 p) {{ .reg .b32 %v; .reg .b64 %p, %q;\n\
             ld.param.u64 %p, [p];\n{code}\nret; }}\n"
        )
    };
    let call = "{ .param .b64 size; st.param.b64 [size], 4096; .param .b64 got;\n\
                call.uni (got), malloc, (size); ld.param.b64 %q, [got]; }\n\
                st.u64 [%p], %q; st.u32 [%q], 77;";
    let back = "ld.u64 %q, [%p]; ld.u32 %v, [%q]; st.u32 [%p+8], %v;\n\
                { .param .b64 at; st.param.b64 [at], %q; call.uni free, (at); }";
    let externs =
        ".extern .func (.param .b64 r) malloc (.param .b64 s);\n.extern .func free (.param .b64 s);\n";
    let module = module(&format!("{externs}{}{}", body("take", call), body("give", back)));
    let mut machine = two();
    machine.set_heap_bytes(0, 8192).unwrap();
    let p = machine.allocate(Owner::Managed, "p", 16).unwrap();
    machine.write(p, &[0; 16]);
    let params = p.0.to_le_bytes();
    for _ in 0..10 {
        for name in ["take", "give"] {
            let kernel = module.kernel_named(name).unwrap();
            let asked = KernelLaunch::new(kernel, blocks(1, 1), &params);
            let report = machine.launch(0, &module, &asked, &Options::default()).unwrap();
            assert_eq!(report.findings, []);
            assert_eq!(report.outcome, Outcome::Completed);
        }
        let mut out = [0; 16];
        machine.read(p, &mut out);
        assert_eq!(out[8..12], [77, 0, 0, 0]);
    }
    assert_eq!(machine.set_heap_bytes(0, 100).unwrap_err().error(), Some(CudaError::InvalidValue));
}

/// A device is named by number, from 0.
#[test]
fn a_launch_on_one_device_leaves_the_other_alone() {
    let module = module(".visible .entry k() { ret; }");
    let mut machine = two();
    let asked = KernelLaunch::new(0, LaunchConfig { dynamic_shared_bytes: 0, ..blocks(1, 1) }, &[]);
    let report = machine.launch(1, &module, &asked, &Options::default()).unwrap();
    assert_eq!(report.counts.launches, 1);
    let error = machine.launch(2, &module, &asked, &Options::default()).unwrap_err();
    assert_eq!(error.error(), Some(CudaError::InvalidDevice));
}

/// As an H100 does (driver 580): whatever is wrong with a cluster has one name.
#[test]
fn clusters_are_refused_as_on_a_gpu() {
    let mut machine = Machine::new(&[Gpu::new(9, 0)]);
    let kernel = |directives: &str| module(&format!(".visible .entry k() {directives} {{ ret; }}"));
    let plain = kernel("");
    let pairs = kernel(".explicitcluster .reqnctapercluster 2, 1, 1");
    let sixteen = kernel(".explicitcluster .reqnctapercluster 16, 1, 1");
    let size = |blocks| Some(Dim3::new(blocks, 1, 1));
    for (module, grid, cluster, large, fits) in [
        (&plain, 4, size(2), false, true),
        (&plain, 6, size(3), false, true),
        (&plain, 5, size(2), false, false),
        (&plain, 9, size(9), false, false),
        (&plain, 16, size(16), false, false),
        (&plain, 16, size(0), false, false),
        (&plain, 32, size(16), true, true),
        (&plain, 34, size(17), true, false),
        (&pairs, 4, None, false, true),
        (&pairs, 5, None, false, false),
        (&pairs, 4, size(2), false, true),
        (&pairs, 4, size(4), false, false),
        (&sixteen, 16, None, false, false),
        (&sixteen, 16, None, true, true),
    ] {
        let asked =
            KernelLaunch { cluster, large_clusters: large, ..KernelLaunch::new(0, blocks(grid, 32), &[]) };
        let launched = machine.launch(0, module, &asked, &Options::default());
        let what = format!("{grid} blocks in clusters of {cluster:?}, large ones allowed: {large}");
        match launched {
            Ok(report) => assert!(fits && report.outcome == Outcome::Completed, "{what}: {report:?}"),
            Err(error) => {
                assert!(!fits && error.error() == Some(CudaError::InvalidClusterSize), "{what}: {error}")
            }
        }
    }
    let mut older = two();
    let asked = KernelLaunch { cluster: size(2), ..KernelLaunch::new(0, blocks(4, 32), &[]) };
    let refused = older.launch(0, &plain, &asked, &Options::default()).unwrap_err();
    assert_eq!(refused.error(), Some(CudaError::InvalidClusterSize));
}
